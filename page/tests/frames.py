"""How fast pages are, by hand: python page/tests/frames.py PAGE.html...    For each page, milliseconds:

- slide: from one frame to the next while the slider is moved in every frame, the newcomer chosen that is when a page opens
- turn, zoom: the same for a wheel that zooms the map, and for three axes that are turned by a key
- hover: what the page does about one move of the pointer, marks all along its way, and until the next frame after it
- load: from the beginning of the navigation to the first picture

Chromium draws without a graphics card here, as it does for the tests; nothing else should run meanwhile. A frame cannot be shorter than
16.7 ms, so `work`, from the act to when it is drawn, says how much room there is; `processor` is what the page's own thread computes for one
frame in the mean, which a busy machine hardly changes.
"""

import json
import pathlib
import statistics
import sys

from browser import browser

FRAMES = """async ([what, count]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const map = document.querySelector('#map'), slider = document.querySelector('#slider');
  const box = map.getBoundingClientRect();
  const acts = {
    slide: i => { slider.value = String((i % 60) / 59); slider.dispatchEvent(new Event('input')); },
    zoom: i => map.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 40 < 20 ? -30 : 30, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, cancelable: true })),
    turn: () => document.querySelector('#other-view canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })),
    // A way over the map that meets marks.
    hover: i => map.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true,
      clientX: box.x + box.width * (0.25 + 0.5 * (i % 50) / 50), clientY: box.y + box.height * (0.35 + 0.3 * ((i * 7) % 50) / 50) })),
  };
  const times = [], work = [];
  await frame(); await frame();
  let before = await frame();
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    acts[what](i);
    // The page draws in the next frame, before this goes on.
    const acted = performance.now() - from;
    await new Promise(requestAnimationFrame);
    const drawn = performance.now();
    const now = await new Promise(done => { const channel = new MessageChannel(); channel.port1.onmessage = () => done(performance.now()); channel.port2.postMessage(0); });
    times.push(now - before);
    work.push(what === 'hover' ? acted : drawn - from);
    before = now;
  }
  return { times, work };
}"""


def told(times):
    times = sorted(times)
    return {"median": round(statistics.median(times), 1), "ninth of ten": round(times[int(0.9 * len(times))], 1), "worst": round(times[-1], 1)}


def processor(counters):
    """Milliseconds that the page's thread has computed."""
    return 1000 * next(m["value"] for m in counters.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def measure(chromium, path):
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    counters = page.context.new_cdp_session(page)
    counters.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.resolve().as_uri())
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    load = page.evaluate("performance.now()")
    answer = {"MB": round(path.stat().st_size / 1e6, 2), "load": round(load)}
    page.wait_for_timeout(800)
    for what in ("slide", "zoom", "hover", "turn"):
        if what == "turn":
            view = page.get_by_label("view", exact=True)
            if not view.count() or "three axes" not in view.locator("option").all_inner_texts():
                continue
            view.select_option(label="three axes")
            page.wait_for_timeout(500)
        before = processor(counters)
        found = page.evaluate(FRAMES, [what, 120])
        answer[what] = {**told(found["times"]), "processor": round((processor(counters) - before) / 120, 1)}
        if what in ("slide", "hover"):
            answer[f"{what}, work"] = told(found["work"])
    page.close()
    return answer


def main():
    with browser() as chromium:
        for name in sys.argv[1:]:
            print(name, json.dumps(measure(chromium, pathlib.Path(name)), indent=1), flush=True)


if __name__ == "__main__":
    main()
