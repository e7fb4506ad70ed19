// The map as it is seen, as SVG: one element for each object, with its label in it, so that any of them can be moved,
// recoloured or found in a drawing program.

import type { Looks } from "./looks";
import { drawGroups } from "./map/groups";
import { axisName, axisNameInFull } from "./map/grid";
import { covarianceHere, drawRegions } from "./map/regions";
import { drawVariables } from "./map/variables";
import type { MapView } from "./map";
import { corners, SHAPES, type Shape } from "./marks";
import { escape, Recorder } from "./record";
import { MOST_ENDS, type State } from "./state";
import { tick as atAxis } from "./text";
import { theme } from "./theme";
import { WORDS } from "./words";
import { scaleLinear } from "d3-scale";

const short = (v: number): string => String(Math.round(v * 100) / 100);

function path(shape: Shape, x: number, y: number, r: number): string {
  return `M${corners(shape).map(([dx, dy]) => `${short(x + r * dx)} ${short(y + r * dy)}`).join("L")}Z`;
}

function mark(shape: Shape, x: number, y: number, r: number, rest: string, title: string): string {
  const inside = `<title>${escape(title)}</title>`;
  if (shape === "circle") return `<circle cx="${short(x)}" cy="${short(y)}" r="${short(r)}" ${rest}>${inside}</circle>`;
  return `<path d="${path(shape, x, y, r)}" ${rest}>${inside}</path>`;
}

/** A picture, and its size in pixels. */
export interface Picture {
  text: string;
  width: number;
  height: number;
}

/** A picture of what was drawn, with the legend below it, `left` pixels from its edge. */
export function picture(state: State, looks: Looks, width: number, height: number, left: number, drawn: string[]): Picture {
  const words = legend(state, looks, width, left, height + 4);
  const whole = height + words.height;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="Arial, Helvetica, sans-serif" font-size="11">`,
    `<title>${escape(state.data.words.title)}</title><rect width="100%" height="100%" fill="${theme().surface}"/>`,
    ...drawn,
    ...words.parts,
    "</svg>",
  ];
  return { text: out.join("\n"), width, height: whole };
}

/** The map as it is seen. */
export function svg(map: MapView): Picture {
  const { view, looks, seen: state } = map;
  const look = theme();
  const { data, places, visible, roles } = state;
  const { n, d } = data;
  const { left, right, top, bottom } = view.plot;
  const out: string[] = [];
  const layer = (id: string, draw: (canvas: CanvasRenderingContext2D) => void) => {
    const recorder = new Recorder(id);
    draw(recorder.canvas);
    out.push(`<g id="${id}">`, ...recorder.lines(), "</g>");
  };
  out.push(`<clipPath id="plot"><rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/></clipPath>`);
  out.push(...grid(map));
  out.push('<g id="map" clip-path="url(#plot)">');
  const [oldRadius, newRadius] = map.radii;
  out.push('<g id="old">');
  const opacity = n <= 1000 ? 0.9 : 0.6;
  for (let i = 0; i < n; i++) {
    if (!visible[i]) continue;
    const [x, y] = view.toScreen(data.old, i * d, 0);
    if (x < left || x > right || y < top || y > bottom) continue;
    const r = oldRadius * (looks.size?.[i] ?? 1);
    out.push(mark(SHAPES[looks.shape[i]], x, y, r, `class="old" fill="${looks.colours[looks.colour[i]]}" fill-opacity="${opacity}"`, data.labels[i]));
  }
  out.push("</g>");
  layer("groups", (canvas) => drawGroups(canvas, state, view, looks));
  if (data.newcomers) {
    if (roles.arcs && roles.newcomers) layer("arcs", (canvas) => map.drawArcs(canvas, look));
    out.push('<g id="newcomers">');
    for (let i = 0; i < data.newcomers.count; i++) {
      if (!visible[n + i]) continue;
      const [x, y] = view.toScreen(places, i * d, view.lane);
      if (!(x >= left && x <= right && y >= top && y <= bottom)) continue;
      const r = newRadius * (looks.size?.[n + i] ?? 1);
      out.push(mark(SHAPES[looks.shape[n + i]], x, y, r, `class="newcomer" fill="${looks.colours[looks.colour[n + i]]}" stroke="${look.ink}" stroke-width="0.8"`, data.newcomers.labels[i]));
    }
    out.push("</g>");
  }
  layer("regions", (canvas) => drawRegions(canvas, state, view, look, state.axes, places, covarianceHere(state), view.lane));
  layer("variables", (canvas) => drawVariables(canvas, state, view, look, [], view.plot));
  out.push('<g id="labels">');
  for (const { text, x, y, bold, colour, line } of map.labelsDrawn()) {
    if (line) out.push(`<path d="M${short(line[0])} ${short(line[1])}L${short(line[2])} ${short(line[3])}" stroke="${colour}" stroke-width="0.8"/>`);
    out.push(`<text x="${short(x)}" y="${short(y)}" dominant-baseline="central" font-size="12"${bold ? ' font-weight="600"' : ""} fill="${colour}">${escape(text)}</text>`);
  }
  out.push("</g></g>");
  return picture(state, looks, view.width, view.height, view.plot.left, out);
}

function grid(map: MapView): string[] {
  const { view, seen: state } = map;
  const look = theme();
  const { left, right, top, bottom } = view.plot;
  const out = [`<g id="axes" fill="${look.muted}">`];
  const across = scaleLinear().domain([view.invertX(left), view.invertX(right)]).range([left, right]);
  for (const at of across.ticks(Math.max(3, Math.round((right - left) / 95)))) {
    const x = short(across(at));
    out.push(`<path d="M${x} ${top}V${bottom}" stroke="${at === 0 ? look.faint : look.line}"/><text x="${x}" y="${bottom + 15}" text-anchor="middle">${atAxis(at)}</text>`);
  }
  if (!view.one) {
    const up = scaleLinear().domain([view.invertY(bottom), view.invertY(top)]).range([bottom, top]);
    for (const at of up.ticks(Math.max(3, Math.round((bottom - top) / 70)))) {
      const y = short(up(at));
      out.push(`<path d="M${left} ${y}H${right}" stroke="${at === 0 ? look.faint : look.line}"/><text x="${left - 7}" y="${y}" text-anchor="end" dominant-baseline="central">${atAxis(at)}</text>`);
    }
    out.push(`<text transform="translate(12 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle" fill="${look.ink}">${escape(axisName(state.data, state.axes[1]))}</text>`);
  }
  out.push(`<text x="${(left + right) / 2}" y="${view.height - 6}" text-anchor="middle" fill="${look.ink}">${escape(axisNameInFull(state.data, state.axes[0]))}</text></g>`);
  return out;
}

/** The legend below the map, in rows. */
function legend(state: State, looks: Looks, wide: number, left: number, from: number): { parts: string[]; height: number } {
  const look = theme();
  const { data } = state;
  const plain = state.colourBy < 0;
  const items: { text: string; picture: (x: number, y: number) => string; room: number }[] = [];
  const dot = (fill: string, stroke: string, r: number, shape: Shape = "circle") => (x: number, y: number) =>
    mark(shape, x, y, r, `fill="${fill}" stroke="${stroke}"`, "");
  const add = (text: string, picture: (x: number, y: number) => string, room = 16) => items.push({ text, picture, room });
  add(`${WORDS.old}s`, dot(plain ? look.old : look.faint, plain ? look.old : look.faint, 3.4));
  if (data.newcomers) add(`${WORDS.newcomer}s`, dot(plain ? look.newcomer : look.faint, look.ink, 5));
  const { arcs } = state;
  if (data.newcomers && arcs?.moving && state.roles.arcs && state.scene === "map") {
    add(arcs.straight ? WORDS.way : WORDS.arc, (x, y) => `<path d="M${x - 7} ${y + 3}Q${x - 1} ${y - 6} ${x + 6} ${y - 3}" fill="none" stroke="${look.newcomer}" stroke-width="1.5"/>`);
    if (arcs.count <= MOST_ENDS) {
      add(WORDS.projection, dot(look.surface, look.projection, 3));
      add(data.newcomers.goal, arcs.straight ? dot(look.surface, look.accent, 3.2, "square") : dot(look.surface, look.reconstruction, 3.2, "diamond"));
    }
  }
  if (data.newcomers && state.regions !== "none" && state.scene !== "solid")
    add(WORDS.region, (x, y) => `<ellipse cx="${x}" cy="${y}" rx="7" ry="4" fill="${look.newcomer}" fill-opacity="0.14" stroke="${look.newcomer}"/>`);
  const heading = (text: string) => add(text, () => "", 0);
  for (const of of ["colour", "shape"] as const) {
    const entries = looks.entries.filter((e) => e.of === of && !state.hidden[of].has(e.code));
    if (entries.length) heading(`${data.columns[of === "colour" ? state.colourBy : state.shapeBy].name}:`);
    for (const e of entries) add(e.words, dot(e.colour ?? look.muted, e.colour ?? look.muted, 4.5, e.shape ?? "circle"));
  }
  if (looks.ramp) {
    const { name, ticks, colours } = looks.ramp;
    heading(`${name}: ${ticks[0][1]}`);
    add(ticks[2][1], (x, y) => colours.map((c, i) => `<rect x="${x - 8 + (i * 100) / colours.length}" y="${y - 4}" width="${100 / colours.length + 0.3}" height="8" fill="${c}"/>`).join(""), 104);
  }
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.font = "11px Arial, Helvetica, sans-serif";
  const parts = [`<g id="legend" fill="${look.ink}">`];
  let [x, y] = [left, from + 8];
  for (const { text, picture, room } of items) {
    const cut = text.length > 40 ? `${text.slice(0, 39)}…` : text;
    const width = room + pen.measureText(cut).width + 16;
    if (x + width > wide && x > left) [x, y] = [left, y + 17];
    parts.push(picture(x + 8, y), `<text x="${short(x + room + 2)}" y="${y}" dominant-baseline="central">${escape(cut)}</text>`);
    x += width;
  }
  parts.push("</g>");
  return { parts, height: y - from + 22 };
}
