// The slider, the axes, colours and shapes, the legend.

import { looks, SHAPES, trace, type Shape } from "./marks";
import { MOST_ENDS, type State } from "./state";
import { theme } from "./theme";
import { announce, byId, counted, elided, element, short } from "./text";

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

function choice(name: string, options: [number, string][], value: number, act: (v: number) => void): HTMLLabelElement {
  const select = element("select");
  for (const [v, text] of options) select.append(element("option", { value: String(v), text: elided(text, 40) }));
  select.setAttribute("aria-label", name);
  select.value = String(value);
  select.addEventListener("change", () => act(Number(select.value)));
  return element("label", { className: "field" }, [element("span", { text: name }), select]);
}

function toggle(name: string, on: boolean, act: (v: boolean) => void): HTMLLabelElement {
  const input = element("input", { type: "checkbox", checked: on });
  input.addEventListener("change", () => act(input.checked));
  return element("label", { className: "field check" }, [input, element("span", { text: name })]);
}

export function mapControls(state: State): void {
  const box = byId("map-controls");
  const toggles = byId("map-toggles");
  const { data } = state;
  if (data.d > 2) {
    const axes: [number, string][] = Array.from({ length: data.d }, (_, j) => [j, `axis ${j + 1}`]);
    const fields = [0, 1].map((which) =>
      choice(which ? "up" : "across", axes, which, (axis) => {
        // Taking the axis that the other has exchanges them.
        if (state.axes[1 - which] === axis) state.axes[1 - which] = state.axes[which];
        state.axes[which] = axis;
        fields.forEach((field, at) => (field.querySelector("select")!.value = String(state.axes[at])));
        state.tell("axes");
        announce(`Axis ${state.axes[0] + 1} across, axis ${state.axes[1] + 1} up`);
      }),
    );
    box.append(...fields);
  }
  if (data.columns.length) {
    const names: [number, string][] = data.columns.map((c, i) => [i, c.name]);
    const groups = names.filter(([i]) => data.columns[i].groups);
    box.append(
      choice("colour", [[-1, "old and new"], ...names], state.colourBy, (v) => {
        state.colourBy = v;
        state.tell("style");
      }),
    );
    if (groups.length)
      box.append(
        choice("shape", [[-1, "none"], ...groups], state.shapeBy, (v) => {
          state.shapeBy = v;
          state.tell("style");
        }),
      );
  }
  if (state.arcs?.moving)
    toggles.append(
      toggle(state.arcs.straight ? "ways" : "arcs", state.showArcs, (v) => {
        state.showArcs = v;
        state.tell("style");
      }),
    );
  toggles.append(
    toggle("labels", state.showLabels, (v) => {
      state.showLabels = v;
      state.tell("style");
    }),
  );
}

/** A small picture of a mark. */
function swatch(shape: Shape, fill: string, stroke: string, size = 4.5, dashes: number[] = []): HTMLCanvasElement {
  const canvas = element("canvas", { width: 32, height: 32, className: "swatch" });
  const path = canvas.getContext("2d")!;
  path.scale(2, 2);
  trace(path, shape, 8, 8, size);
  path.fillStyle = fill;
  path.fill();
  path.strokeStyle = stroke;
  path.lineWidth = 1.3;
  path.setLineDash(dashes);
  path.stroke();
  return canvas;
}

export function legend(state: State): void {
  const draw = () => {
    const look = theme();
    const { data, arcs } = state;
    const items: Node[] = [];
    const item = (picture: Node, text: string) =>
      items.push(element("span", { className: "item" }, [picture, element("span", { text, dir: "auto" })]));
    const plain = state.colourBy < 0;
    item(swatch("circle", plain ? look.old : look.surface, plain ? look.surface : look.muted, 4), counted(data.n, "old object"));
    // Where there are thousands they are small and have no outline, as in the map.
    const many = (data.newcomers?.count ?? 0) > MOST_ENDS;
    if (data.newcomers)
      item(swatch("circle", plain ? look.newcomer : look.surface, many && plain ? look.newcomer : look.ink, many ? 3.5 : 5.5), counted(data.newcomers.count, "newcomer"));
    if (arcs?.moving && state.showArcs && !many) {
      item(swatch("circle", look.surface, look.projection, 3), "projection");
      if (arcs.straight) item(swatch("square", look.surface, look.accent, 3.2), data.newcomers!.goal);
      else item(swatch("diamond", look.surface, look.reconstruction, 3.2), "reconstruction");
    }
    const others = (arcs?.straight ? data.newcomers?.chosen : data.newcomers?.reconstruct)?.alternatives.length ?? 0;
    if (others && arcs?.moving && state.showArcs) item(arcs.straight ? swatch("square", look.surface, look.accent, 4, [2, 2]) : swatch("diamond", look.surface, look.reconstruction, 4, [2, 2]), "exactly as good");
    const painted = looks(data, state.colourBy, state.shapeBy, look);
    for (const { words, colour, shape } of painted.legend)
      if (!colour && !shape) items.push(element("span", { className: "item of", text: `${elided(words, 30)}:`, dir: "auto" }));
      else item(swatch(shape ?? "circle", colour ?? look.muted, look.surface, shape ? 5 : 5.5), elided(words, 40));
    if (painted.ramp) {
      const { name, low, high, colours } = painted.ramp;
      const strip = element("span", { className: "ramp" });
      strip.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
      items.push(element("span", { className: "item" }, [element("span", { text: `${elided(name, 30)}: ${short(low)}` }), strip, element("span", { text: short(high) })]));
    }
    if (state.shapeBy >= 0 && !painted.legend.some((l) => l.shape)) item(swatch(SHAPES[0], look.muted, look.surface), "all alike");
    byId("legend").replaceChildren(...items);
  };
  state.on(["style", "theme"], draw);
  draw();
}
