// The slider that moves all newcomers along their arcs.

import type { State } from "./state";
import { announce, byId, element, short } from "./text";

/** Seconds from one end of the arcs to the other. */
const JOURNEY = 4;

export function slider(state: State): void {
  const box = byId("slide");
  const { arcs, data } = state;
  if (!arcs || !data.newcomers) {
    box.hidden = true;
    return;
  }
  if (!arcs.moving) {
    box.append(element("p", { className: "fine", text: data.newcomers.words.why_no_arcs ?? "There are no arcs." }));
    return;
  }
  const { goal } = data.newcomers;
  const play = element("button", { type: "button", className: "play", text: "▶" });
  const range = element("input", { type: "range", id: "slider", min: "0", max: "1", step: "0.001", value: "0" });
  const output = element("output", { text: "0 %" });
  const ends = [element("button", { type: "button", className: "end", text: "projection" }), element("button", { type: "button", className: "end", text: goal })];
  range.setAttribute("aria-label", `How far all newcomers are moved from projection to ${goal}`);
  let playing = 0;
  const show = () => {
    const words = `${Math.round(state.share * 100)} %`;
    range.value = String(state.share);
    range.setAttribute("aria-valuetext", `${words} of the way from projection to ${goal}`);
    range.style.setProperty("--at", String(state.share));
    output.textContent = words;
  };
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play: move all newcomers along their arcs");
  };
  const start = () => {
    const from = state.share >= 1 ? 0 : state.share;
    const began = performance.now();
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    const step = (now: number) => {
      const share = from + (now - began) / 1000 / JOURNEY;
      state.slideTo(share);
      if (share < 1) playing = requestAnimationFrame(step);
      else {
        stop();
        announce(`All newcomers are at their ${goal}`);
      }
    };
    playing = requestAnimationFrame(step);
  };
  stop();
  play.addEventListener("click", () => (playing ? stop() : start()));
  range.addEventListener("input", () => {
    stop();
    state.slideTo(Number(range.value));
  });
  ends.forEach((button, at) =>
    button.addEventListener("click", () => {
      stop();
      state.slideTo(at);
      announce(`All newcomers are at their ${at ? goal : "projection"}`);
    }),
  );
  state.on(["slide"], show);
  // Side by side, each panel has its own places.
  state.on(["axes"], () => (box.hidden = state.scene === "beside"));
  box.append(play, ends[0], range, ends[1], output);
  const { words } = data.newcomers;
  if (words.joint) {
    const { certified, gap } = words.joint;
    const sure = certified
      ? "Certified: no joint placement is better."
      : gap === null
        ? "Not certified, and no bound is known."
        : `Not certified: its objective is at most ${short(100 * gap)} % above the minimum.`;
    byId("slide").after(
      element("p", {
        className: certified ? "fine joint" : "warning joint",
        text: `Placed jointly. ${sure} Joint placements have no arc: the slider moves straight from each projection to the joint placement.`,
      }),
    );
  } else if (arcs.straight)
    byId("slide").after(
      element("p", {
        className: "fine off-arc",
        text: `Placed by ${words.strategy}, which has no arc: the slider moves straight from each projection to the ${goal}.`,
      }),
    );
  show();
}
