// Classes on the map: ellipses, hulls and spiders of their old objects, in the colours of the legend. Means and covariances
// come with the page; here they are laid on the two axes shown.

import type { Looks } from "../looks";
import type { State } from "../state";
import type { Ruler } from "./view";

/** The share of a normal distribution that an ellipse holds. */
export const SHARE = 0.95;

/** A group as it is drawn, in the map's units. */
export interface Outline {
  code: number;
  count: number;
  colour: string;
  centre: [number, number];
  ellipse: [number, number][] | null;
  hull: [number, number][] | null;
  members: number[];
}

/** The outlines of the groups that are shown, on the axes shown. */
export function outlines(state: State, looks: Looks): Outline[] {
  const { data, axes, colourBy, groups, hidden, visible } = state;
  if (colourBy < 0 || axes[1] < 0 || groups.size === 0) return [];
  const { spread, codes } = data.columns[colourBy];
  if (!spread) return [];
  const members: number[][] = Array.from(spread.count, () => []);
  if (groups.has("hulls") || groups.has("spiders"))
    for (let i = 0; i < data.n; i++) if (visible[i] && codes![i] < members.length) members[codes![i]].push(i);
  const answer: Outline[] = [];
  for (let code = 0; code < spread.count.length; code++) {
    if (!spread.count[code] || hidden.colour.has(code)) continue;
    const { d } = data;
    const centre: [number, number] = [spread.mean[code * d + axes[0]], spread.mean[code * d + axes[1]]];
    const at = (j: number, k: number) => spread.covariance[(code * d + axes[j]) * d + axes[k]];
    const point = (i: number): [number, number] => [data.old[i * d + axes[0]], data.old[i * d + axes[1]]];
    answer.push({
      code,
      count: spread.count[code],
      colour: looks.colours[code],
      centre,
      ellipse: groups.has("ellipses") && spread.count[code] > 2 ? ellipse(centre, at(0, 0), at(0, 1), at(1, 1)) : null,
      hull: groups.has("hulls") ? hull(members[code].map(point)) : null,
      members: groups.has("spiders") ? members[code] : [],
    });
  }
  return answer;
}

function ellipse(centre: [number, number], a: number, b: number, c: number): [number, number][] | null {
  const middle = (a + c) / 2;
  const half = Math.sqrt(((a - c) / 2) ** 2 + b * b);
  // The chi-square quantile with two degrees of freedom has this closed form.
  const radius = Math.sqrt(-2 * Math.log(1 - SHARE));
  const long = radius * Math.sqrt(middle + half);
  const short = radius * Math.sqrt(Math.max(0, middle - half));
  if (!(long > 0)) return null;
  const angle = Math.atan2(2 * b, a - c) / 2;
  return Array.from({ length: 73 }, (_, step) => {
    const t = (step / 72) * 2 * Math.PI;
    const [u, v] = [long * Math.cos(t), short * Math.sin(t)];
    return [centre[0] + u * Math.cos(angle) - v * Math.sin(angle), centre[1] + u * Math.sin(angle) + v * Math.cos(angle)];
  });
}

/** Corners of the convex hull, by Andrew's monotone chain. */
function hull(points: [number, number][]): [number, number][] {
  const sorted = points.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: [number, number][]) => {
    const chain: [number, number][] = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const around = [...half(sorted), ...half([...sorted].reverse())];
  return [...around, around[0]];
}

export function drawGroups(canvas: CanvasRenderingContext2D, state: State, view: Ruler, looks: Looks): void {
  const { data, axes } = state;
  for (const group of outlines(state, looks)) {
    canvas.strokeStyle = canvas.fillStyle = group.colour;
    const [cx, cy] = [view.x(group.centre[0]), view.y(group.centre[1])];
    canvas.lineWidth = 0.8;
    canvas.globalAlpha = 0.45;
    canvas.beginPath();
    for (const i of group.members) {
      canvas.moveTo(cx, cy);
      canvas.lineTo(view.x(data.old[i * data.d + axes[0]]), view.y(data.old[i * data.d + axes[1]]));
    }
    canvas.stroke();
    for (const line of [group.ellipse, group.hull]) {
      if (!line?.length) continue;
      canvas.beginPath();
      line.forEach(([x, y], at) => (at ? canvas.lineTo(view.x(x), view.y(y)) : canvas.moveTo(view.x(x), view.y(y))));
      canvas.globalAlpha = 0.08;
      canvas.fill();
      canvas.globalAlpha = 0.9;
      canvas.lineWidth = 1.4;
      canvas.setLineDash(line === group.hull ? [5, 3] : []);
      canvas.stroke();
      canvas.setLineDash([]);
    }
    canvas.globalAlpha = 1;
    // The centre of one object is that object.
    if (group.count < 2) continue;
    canvas.beginPath();
    canvas.moveTo(cx - 5, cy);
    canvas.lineTo(cx + 5, cy);
    canvas.moveTo(cx, cy - 5);
    canvas.lineTo(cx, cy + 5);
    canvas.lineWidth = 2;
    canvas.stroke();
  }
  canvas.globalAlpha = 1;
}
