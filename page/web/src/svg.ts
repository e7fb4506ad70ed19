// The map as it is seen, as SVG: one element for each object, with its label in it, so that any of them can be moved,
// recoloured or found in a drawing program.

import { outlines } from "./map/groups";
import { axisName } from "./map/grid";
import { arrows } from "./map/variables";
import type { MapView } from "./map";
import { corners, SHAPES, type Shape } from "./marks";
import { tick as atAxis } from "./text";
import { theme } from "./theme";
import { scaleLinear } from "d3-scale";

const escape = (text: string): string =>
  text.replace(/[\p{Cc}]+/gu, " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (v: number): string => String(Math.round(v * 100) / 100);

function path(shape: Shape, x: number, y: number, r: number): string {
  return `M${corners(shape).map(([dx, dy]) => `${short(x + r * dx)} ${short(y + r * dy)}`).join("L")}Z`;
}

function mark(shape: Shape, x: number, y: number, r: number, rest: string, title: string): string {
  const inside = `<title>${escape(title)}</title>`;
  if (shape === "circle") return `<circle cx="${short(x)}" cy="${short(y)}" r="${short(r)}" ${rest}>${inside}</circle>`;
  return `<path d="${path(shape, x, y, r)}" ${rest}>${inside}</path>`;
}

/** The picture and its height; it is as wide as the map. */
export function svg(map: MapView): { text: string; height: number } {
  const { view, looks, seen: state } = map;
  const look = theme();
  const { data, places, axes, visible, roles } = state;
  const { n, d } = data;
  const { left, right, top, bottom } = view.plot;
  const out: string[] = [];
  const words = legend(map, view.height + 4);
  const height = view.height + words.height;
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${view.width}" height="${height}" viewBox="0 0 ${view.width} ${height}" font-family="Arial, Helvetica, sans-serif" font-size="11">`);
  out.push(`<title>${escape(data.words.title)}</title><rect width="100%" height="100%" fill="${look.surface}"/>`);
  out.push(`<clipPath id="plot"><rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/></clipPath>`);
  out.push(...grid(map));
  out.push('<g id="map" clip-path="url(#plot)">');
  const [oldRadius, newRadius] = map.radii;
  out.push('<g id="groups">');
  for (const group of outlines(state, looks)) {
    const line = (points: [number, number][]) => `M${points.map(([x, y]) => `${short(view.x(x))} ${short(view.y(y))}`).join("L")}Z`;
    for (const shape of [group.ellipse, group.hull])
      if (shape?.length) out.push(`<path d="${line(shape)}" fill="${group.colour}" fill-opacity="0.08" stroke="${group.colour}"/>`);
    const [cx, cy] = [view.x(group.centre[0]), view.y(group.centre[1])];
    for (const i of group.members) out.push(`<path d="M${short(cx)} ${short(cy)}L${short(view.x(data.old[i * d + axes[0]]))} ${short(view.y(data.old[i * d + axes[1]]))}" stroke="${group.colour}" stroke-width="0.6" opacity="0.5"/>`);
  }
  out.push('</g><g id="old">');
  const opacity = n <= 1000 ? 0.9 : 0.6;
  for (let i = 0; i < n; i++) {
    if (!visible[i]) continue;
    const [x, y] = view.toScreen(data.old, i * d, 0);
    if (x < left || x > right || y < top || y > bottom) continue;
    const r = oldRadius * (looks.size?.[i] ?? 1);
    out.push(mark(SHAPES[looks.shape[i]], x, y, r, `class="old" fill="${looks.colours[looks.colour[i]]}" fill-opacity="${opacity}"`, data.labels[i]));
  }
  out.push("</g>");
  if (data.newcomers) {
    out.push('<g id="arcs" fill="none">');
    if (roles.arcs) for (const line of map.arcLines()) out.push(`<path d="M${line.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}" stroke="${look.newcomer}" stroke-opacity="0.75"/>`);
    out.push('</g><g id="newcomers">');
    for (let i = 0; i < data.newcomers.count; i++) {
      if (!visible[n + i]) continue;
      const [x, y] = view.toScreen(places, i * d, view.lane);
      if (!(x >= left && x <= right && y >= top && y <= bottom)) continue;
      const r = newRadius * (looks.size?.[n + i] ?? 1);
      out.push(mark(SHAPES[looks.shape[n + i]], x, y, r, `class="newcomer" fill="${looks.colours[looks.colour[n + i]]}" stroke="${look.ink}" stroke-width="0.8"`, data.newcomers.labels[i]));
    }
    out.push("</g>");
  }
  out.push(`<g id="variables" fill="${look.ink}" stroke="${look.ink}">`);
  for (const { name, tip } of arrows(state)) {
    const [x0, y0] = [view.x(data.words.origin[axes[0]]), view.y(data.words.origin[axes[1]])];
    const [x, y] = [view.x(tip[0]), view.y(tip[1])];
    const angle = Math.atan2(y - y0, x - x0);
    const back = [-0.4, 0.4].map((side) => `${short(x - 9 * Math.cos(angle + side))} ${short(y - 9 * Math.sin(angle + side))}`);
    out.push(`<g class="variable"><path d="M${short(x0)} ${short(y0)}L${short(x)} ${short(y)}"/><path d="M${short(x)} ${short(y)}L${back.join("L")}Z"/><text x="${short(x + 6 * Math.cos(angle))}" y="${short(y + 10 * Math.sin(angle))}" dominant-baseline="central" text-anchor="${Math.cos(angle) < -0.3 ? "end" : Math.cos(angle) > 0.3 ? "start" : "middle"}" stroke="none">${escape(name)}</text></g>`);
  }
  out.push('</g><g id="labels">');
  for (const { text, x, y, bold, colour } of map.labelsDrawn())
    out.push(`<text x="${short(x)}" y="${short(y)}" dominant-baseline="central" font-size="12"${bold ? ' font-weight="600"' : ""} fill="${colour}">${escape(text.replace(/[\u2068\u2069]/g, ""))}</text>`);
  out.push("</g></g>", ...words.parts, "</svg>");
  return { text: out.join("\n"), height };
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
  out.push(`<text x="${(left + right) / 2}" y="${view.height - 6}" text-anchor="middle" fill="${look.ink}">${escape(axisName(state.data, state.axes[0]))}</text></g>`);
  return out;
}

/** The legend below the map, in rows. */
function legend(map: MapView, from: number): { parts: string[]; height: number } {
  const { seen: state, looks, view } = map;
  const look = theme();
  const { data } = state;
  const plain = state.colourBy < 0;
  const items: { text: string; picture: (x: number, y: number) => string; wide: number }[] = [];
  const dot = (fill: string, stroke: string, r: number, shape: Shape = "circle") => (x: number, y: number) =>
    mark(shape, x, y, r, `fill="${fill}" stroke="${stroke}"`, "");
  const add = (text: string, picture: (x: number, y: number) => string, wide = 16) => items.push({ text, picture, wide });
  add("old", dot(plain ? look.old : look.surface, plain ? look.old : look.muted, 3.4));
  if (data.newcomers) add("newcomers", dot(plain ? look.newcomer : look.surface, look.ink, 5));
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
  let [x, y] = [view.plot.left, from + 8];
  for (const { text, picture, wide } of items) {
    const cut = text.length > 40 ? `${text.slice(0, 39)}…` : text;
    const width = wide + pen.measureText(cut).width + 16;
    if (x + width > view.width && x > view.plot.left) [x, y] = [view.plot.left, y + 17];
    parts.push(picture(x + 8, y), `<text x="${short(x + wide + 2)}" y="${y}" dominant-baseline="central">${escape(cut)}</text>`);
    x += width;
  }
  parts.push("</g>");
  return { parts, height: y - from + 22 };
}
