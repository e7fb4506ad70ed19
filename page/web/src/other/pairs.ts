// All pairs of axes, side by side: one unit is as long in every panel.

import type { Looks } from "../looks";
import { axisName } from "../map/grid";
import { covarianceHere, drawRegions } from "../map/regions";
import { SHAPES, trace } from "../marks";
import { nameObject } from "../record";
import type { State } from "../state";
import type { Theme } from "../theme";

const GAP = 10;
const TOP = 18;

interface Panel {
  pair: [number, number];
  x: number;
  y: number;
  width: number;
  height: number;
}

function panels(d: number, width: number, height: number): Panel[] {
  const pairs: [number, number][] = [];
  for (let a = 0; a < d; a++) for (let b = a + 1; b < d; b++) pairs.push([a, b]);
  // As many columns as make panels nearest to squares.
  const shape = (columns: number) => Math.min(width / columns, height / Math.ceil(pairs.length / columns));
  const columns = pairs.map((_, i) => i + 1).reduce((best, c) => (shape(c) > shape(best) + 1 ? c : best), 1);
  const rows = Math.ceil(pairs.length / columns);
  const [w, h] = [width / columns - GAP, height / rows - GAP];
  return pairs.map((pair, i) => ({ pair, x: (i % columns) * (w + GAP), y: Math.floor(i / columns) * (h + GAP), width: w, height: h }));
}

/** The pair of axes of the panel at a pixel. */
export function pairAt(state: State, width: number, height: number, px: number, py: number): [number, number] | null {
  const found = panels(state.data.d, width, height).find(({ x, y, width: w, height: h }) => px >= x && px <= x + w && py >= y && py <= y + h);
  return found?.pair ?? null;
}

/** The half width of all that is drawn on each axis, and its middle. */
function extents(state: State): [number, number][] {
  const { data, places } = state;
  const { d } = data;
  return Array.from({ length: d }, (_, j) => {
    let [low, high] = [Infinity, -Infinity];
    const take = (v: number) => {
      if (v < low) low = v;
      if (v > high) high = v;
    };
    for (let i = j; i < data.old.length; i += d) take(data.old[i]);
    for (let i = j; i < places.length; i += d) take(places[i]);
    return [(low + high) / 2, (high - low) / 2 || 1];
  });
}

export function drawPairs(canvas: CanvasRenderingContext2D, state: State, looks: Looks, look: Theme, width: number, height: number): void {
  const { data, places, visible, signs, selected, selectedOld } = state;
  const { n, d, old } = data;
  const ranges = extents(state);
  const covariance = covarianceHere(state);
  const all = panels(d, width, height);
  const scale = Math.min(...all.map(({ pair: [a, b], width: w, height: h }) => Math.min((w - 16) / 2 / ranges[a][1], (h - TOP - 12) / 2 / ranges[b][1])));
  canvas.font = "11px system-ui, sans-serif";
  for (const { pair: [a, b], x, y, width: w, height: h } of all) {
    canvas.strokeStyle = look.line;
    canvas.strokeRect(x + 0.5, y + TOP + 0.5, w - 1, h - TOP - 1);
    canvas.fillStyle = look.muted;
    canvas.textBaseline = "top";
    canvas.textAlign = "left";
    canvas.fillText(`${axisName(data, a)} × ${axisName(data, b)}`, x + 2, y + 2, w - 4);
    const [cx, cy] = [x + w / 2, y + TOP + (h - TOP) / 2];
    const spot = (from: ArrayLike<number>, i: number): [number, number] => [
      cx + signs[a] * (from[i * d + a] - ranges[a][0]) * scale,
      cy - signs[b] * (from[i * d + b] - ranges[b][0]) * scale,
    ];
    const dot = (px: number, py: number, r: number, at: number) => {
      trace(canvas, SHAPES[looks.shape[at]], px, py, r * (looks.size?.[at] ?? 1));
      canvas.fill();
    };
    const r = n <= 300 ? 2.2 : n <= 3000 ? 1.5 : 0.8;
    canvas.globalAlpha = n <= 1000 ? 0.85 : n <= 10_000 ? 0.5 : 0.2;
    for (let i = 0; i < n; i++) {
      if (!visible[i]) continue;
      nameObject(canvas, "old", data.labels[i]);
      canvas.fillStyle = looks.colours[looks.colour[i]];
      const [px, py] = spot(old, i);
      if (n > 20_000) canvas.fillRect(px - r, py - r, 2 * r, 2 * r);
      else dot(px, py, r, i);
    }
    canvas.globalAlpha = 1;
    canvas.strokeStyle = look.ink;
    canvas.lineWidth = 0.8;
    for (let i = 0; i < (data.newcomers?.count ?? 0); i++) {
      if (!visible[n + i]) continue;
      canvas.fillStyle = looks.colours[looks.colour[n + i]];
      const [px, py] = spot(places, i);
      if (Number.isNaN(px)) continue;
      nameObject(canvas, "newcomer", data.newcomers!.labels[i]);
      dot(px, py, r + 0.8, n + i);
      if (looks.entries.length || looks.ramp) canvas.stroke();
    }
    canvas.lineWidth = 1;
    if (covariance) {
      const ruler = { x: (v: number) => cx + signs[a] * (v - ranges[a][0]) * scale, y: (v: number) => cy - signs[b] * (v - ranges[b][0]) * scale };
      canvas.save();
      canvas.beginPath();
      canvas.rect(x, y + TOP, w, h - TOP);
      canvas.clip();
      drawRegions(canvas, state, ruler, look, [a, b], places, covariance);
      canvas.restore();
    }
    canvas.strokeStyle = look.ink;
    if (selected < 0 && selectedOld < 0) continue;
    const [px, py] = selectedOld >= 0 ? spot(old, selectedOld) : spot(places, selected);
    canvas.beginPath();
    canvas.arc(px, py, r + 5, 0, 2 * Math.PI);
    canvas.lineWidth = 1.8;
    canvas.stroke();
    canvas.lineWidth = 1;
  }
}
