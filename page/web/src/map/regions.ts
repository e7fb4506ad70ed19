// How certain places are: around a newcomer's place the region that holds 95 % of what the old objects' disagreement allows.
// Covariances of the ends of its way come with the page; on the way their mixture is drawn.

import type { Data, Placed } from "../data";
import type { State } from "../state";
import type { Theme } from "../theme";
import type { Ruler } from "./view";

const CORNERS = 56;

/** The entry of a lower triangle for axes a and b of newcomer i. */
function entry(triangle: Float32Array, d: number, i: number, a: number, b: number): number {
  const [row, column] = a > b ? [a, b] : [b, a];
  return triangle[(i * d * (d + 1)) / 2 + (row * (row + 1)) / 2 + column];
}

/** Covariances of the place of a newcomer, by two axes; null where they are not known. */
export type Covariance = (i: number, a: number, b: number) => number;

/** Those of one way of placing. */
export function covarianceOf(placed: Placed, d: number): Covariance | null {
  const triangle = placed.covariance;
  return triangle && ((i, a, b) => entry(triangle, d, i, a, b));
}

/** Those of where the slider is: both ends', mixed by the share of the way, or those of the end that it is at. */
export function covarianceHere({ data, share, arcs }: State): Covariance | null {
  const { newcomers, d } = data;
  if (!newcomers?.words.uncertainty) return null;
  const from = covarianceOf(newcomers.project, d);
  const end = newcomers.chosen ?? newcomers.reconstruct;
  const to = end && covarianceOf(end, d);
  if (share <= 0 || !arcs?.moving) return from;
  if (share >= 1) return to;
  return from && to && ((i, a, b) => (1 - share) * from(i, a, b) + share * to(i, a, b));
}

/** Standard errors of newcomer i on all axes. */
export function standardErrors(data: Data, covariance: Covariance, i: number): number[] {
  return Array.from({ length: data.d }, (_, a) => Math.sqrt(covariance(i, a, a)));
}

/** The outline of the region of newcomer i about (x, y), in the map's units on two axes; null if it is not known. */
export function region(state: State, covariance: Covariance, i: number, axes: [number, number], [x, y]: [number, number]): [number, number][] | null {
  const [a, b] = axes;
  const reach = state.data.newcomers!.reach[i];
  // The covariance on these axes as LL', L lower triangular.
  const l = Math.sqrt(covariance(i, a, a));
  const m = l > 0 ? covariance(i, a, b) / l : 0;
  const rest = Math.sqrt(Math.max(0, covariance(i, b, b) - m * m));
  if (!Number.isFinite(reach * (l + m + rest)) || !(l + rest > 0)) return null;
  return Array.from({ length: CORNERS }, (_, step) => {
    const t = (step / CORNERS) * 2 * Math.PI;
    return [x + reach * l * Math.cos(t), y + reach * (m * Math.cos(t) + rest * Math.sin(t))];
  });
}

/** Newcomers whose regions are drawn. */
export function withRegion({ data, regions, selected, hovered, visible }: State): number[] {
  const count = data.newcomers?.count ?? 0;
  if (regions === "none" || !data.newcomers?.words.uncertainty) return [];
  const all = regions === "all" ? Array.from({ length: count }, (_, i) => i) : [...new Set([selected, hovered])];
  return all.filter((i) => i >= 0 && visible[data.n + i]);
}

/** Draws regions around places on the axes given. */
export function drawRegions(canvas: CanvasRenderingContext2D, state: State, ruler: Ruler, look: Theme, axes: [number, number], places: ArrayLike<number>, covariance: Covariance | null, lane = 0): void {
  const { data, selected } = state;
  if (!covariance) return;
  const { d } = data;
  canvas.save();
  for (const i of withRegion(state)) {
    const chosen = i === selected;
    canvas.strokeStyle = canvas.fillStyle = look.newcomer;
    canvas.lineWidth = chosen ? 1.6 : 1;
    const x = places[i * d + axes[0]];
    if (axes[1] < 0) {
      // On a line: from one end to the other, with a tick at each.
      const reach = data.newcomers!.reach[i] * Math.sqrt(covariance(i, axes[0], axes[0]));
      const y = ruler.y(0) - lane;
      canvas.beginPath();
      for (const end of [x - reach, x + reach]) {
        canvas.moveTo(ruler.x(x), y);
        canvas.lineTo(ruler.x(end), y);
        canvas.moveTo(ruler.x(end), y - 5);
        canvas.lineTo(ruler.x(end), y + 5);
      }
      canvas.stroke();
      continue;
    }
    const outline = region(state, covariance, i, axes, [x, places[i * d + axes[1]]]);
    if (!outline) continue;
    canvas.beginPath();
    outline.forEach(([u, v], at) => (at ? canvas.lineTo(ruler.x(u), ruler.y(v)) : canvas.moveTo(ruler.x(u), ruler.y(v))));
    canvas.closePath();
    canvas.globalAlpha = chosen ? 0.14 : 0.07;
    canvas.fill();
    canvas.globalAlpha = chosen ? 0.9 : 0.5;
    canvas.stroke();
  }
  canvas.restore();
}

/** What the regions are, and where they are not known. */
export function regionsInWords(state: State): string {
  const { newcomers } = state.data;
  if (!newcomers?.words.uncertainty) return "";
  const { level, refits } = newcomers.words.uncertainty;
  const whose = state.regions === "all" ? "The region around each newcomer" : "The region around the chosen newcomer";
  const why = refits ? `by ${refits} refits without some of the old objects each` : "given these axes, by how far the old objects disagree about the place";
  if (!covarianceHere(state)) return "Regions of uncertainty are known where the page opened: move the slider back to its end to see them.";
  const mixed = state.share > 0 && state.share < 1 ? "; between the ends of the slider it is a mixture of both" : "";
  return `${whose} holds ${Math.round(100 * level)} %: ${why}${mixed}.`;
}
