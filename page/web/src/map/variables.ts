// Variables on the map: arrows from the origin to where they grow, the longest most of the way to the farthest object. They were fitted to all axes; here is their part on the two that are shown.

import table from "../../../../look/look.json";
import type { Box } from "../labels";
import type { State } from "../state";
import type { Theme } from "../theme";
import { elided } from "../text";
import type { Ruler } from "./view";

/** Arrows that are drawn, at most, the p-value that they need, and how far the longest reaches. */
const { most: SHOWN, p: SIGNIFICANT, reach: REACH } = table.arrows;

/** Arrows that are drawn where the map is narrow, at most, and the pixels below which it is. */
const FEW_SHOWN = 4;
export const NARROW = 340;

/** How far the farthest old object is from the origin on two axes, as it was last asked for: neither changes while one slides or points. */
let far = { key: "", reach: 0 };

function reachOf({ data, axes }: State): number {
  const key = axes.join(" ");
  if (far.key === key) return far.reach;
  const [a, b] = axes;
  const { origin } = data.words;
  let most = 0;
  for (let i = 0; i < data.n; i++) {
    const [x, y] = [data.old[i * data.d + a] - origin[a], data.old[i * data.d + b] - origin[b]];
    most = Math.max(most, x * x + y * y);
  }
  far = { key, reach: Math.sqrt(most) };
  return far.reach;
}

/** Names and tips, in the map's units on the axes shown; fewer where the map is narrow. */
export function arrows(state: State, narrow: boolean): { name: string; tip: [number, number] }[] {
  const { data, axes } = state;
  const { variables, origin } = data.words;
  if (!variables || axes[1] < 0 || !state.arrows) return [];
  const shown = variables.strongest.filter(({ p }) => p !== null && p <= SIGNIFICANT).slice(0, narrow ? FEW_SHOWN : SHOWN);
  const part = shown.map(({ arrow }) => axes.map((a) => arrow[a]));
  const longest = Math.max(...part.map(([x, y]) => Math.hypot(x, y)));
  const reach = reachOf(state);
  return shown.map(({ name }, i) => ({
    name,
    tip: [0, 1].map((j) => origin[axes[j]] + (REACH * reach * part[i][j]) / longest) as [number, number],
  }));
}

/** The height of a name, in pixels. */
const HEIGHT = 13;

/** A mark that names keep clear of. */
interface Circle {
  x: number;
  y: number;
  r: number;
}

/** The nearest box to one that begins at (x, y) which covers no other name, and no mark if that can be had; it is taken. */
function clear(taken: Box[], marks: Circle[], left: number, y: number, width: number, up: number, within: Box): Box {
  const inside = Math.max(within.left + 2, Math.min(left, within.right - width - 2));
  const box = (middle: number): Box => ({ left: inside, right: inside + width, top: middle - HEIGHT / 2, bottom: middle + HEIGHT / 2 });
  const covers = (a: Box) => taken.some((b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top);
  const hides = (a: Box) => marks.some(({ x, y: v, r }) => x + r > a.left && x - r < a.right && v + r > a.top && v - r < a.bottom);
  const fits = (a: Box) => a.top >= within.top && a.bottom <= within.bottom && !covers(a);
  const tried = Array.from({ length: 13 }, (_, step) => box(y + (step * up * HEIGHT) / 2));
  const found = tried.slice(0, 6).find((a) => fits(a) && !hides(a)) ?? tried.find(fits) ?? tried[0];
  taken.push(found);
  return found;
}

/** Draws the arrows with their names, which keep clear of `marks` and stay `within`; the answer is where names are, for labels to keep clear of. */
export function drawVariables(canvas: CanvasRenderingContext2D, state: State, view: Ruler, look: Theme, marks: Circle[], within: Box): Circle[] {
  const { axes, data } = state;
  const [x0, y0] = [view.x(data.words.origin[axes[0]]), view.y(axes[1] < 0 ? 0 : data.words.origin[axes[1]])];
  canvas.strokeStyle = canvas.fillStyle = look.ink;
  canvas.font = "600 12px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  const taken: Box[] = [];
  for (const { name, tip } of arrows(state, within.right - within.left < NARROW)) {
    const [x, y] = [view.x(tip[0]), view.y(tip[1])];
    const angle = Math.atan2(y - y0, x - x0);
    canvas.lineWidth = 1.4;
    canvas.beginPath();
    canvas.moveTo(x0, y0);
    canvas.lineTo(x - 6 * Math.cos(angle), y - 6 * Math.sin(angle));
    canvas.stroke();
    canvas.beginPath();
    canvas.moveTo(x, y);
    for (const side of [-0.4, 0.4]) canvas.lineTo(x - 9 * Math.cos(angle + side), y - 9 * Math.sin(angle + side));
    canvas.fill();
    canvas.textAlign = "left";
    const width = canvas.measureText(elided(name, 24)).width;
    const end = x + 5 * Math.cos(angle);
    const left = Math.cos(angle) > 0.3 ? end : Math.cos(angle) < -0.3 ? end - width : end - width / 2;
    const box = clear(taken, marks, left, y + 9 * Math.sin(angle), width, Math.sin(angle) < 0 ? -1 : 1, within);
    const [tx, ty] = [box.left, (box.top + box.bottom) / 2];
    canvas.strokeStyle = look.surface;
    canvas.lineWidth = 3;
    canvas.strokeText(elided(name, 24), tx, ty);
    canvas.strokeStyle = look.ink;
    canvas.fillText(elided(name, 24), tx, ty);
  }
  // As circles along each name.
  return taken.flatMap(({ left, right, top, bottom }) => Array.from({ length: Math.ceil((right - left) / HEIGHT) }, (_, i) => ({ x: Math.min(left + (i + 0.5) * HEIGHT, right), y: (top + bottom) / 2, r: HEIGHT / 2 })));
}
