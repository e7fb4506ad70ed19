// Variables on the map: arrows from the origin to where they grow, the longest three quarters of the way to the farthest
// object. They were fitted to all axes; here is their part on the two that are shown.

import type { State } from "../state";
import type { Theme } from "../theme";
import { elided } from "../text";
import type { View } from "./view";

/** Arrows that are drawn, at most, and the p-value that they need. */
const SHOWN = 8;
const SIGNIFICANT = 0.05;

/** Names and tips, in the map's units on the axes shown. */
export function arrows(state: State): { name: string; tip: [number, number] }[] {
  const { data, axes } = state;
  const { variables, origin } = data.words;
  if (!variables || axes[1] < 0 || !state.arrows) return [];
  const shown = variables.strongest.filter(({ p }) => p !== null && p <= SIGNIFICANT).slice(0, SHOWN);
  const part = shown.map(({ arrow }) => axes.map((a) => arrow[a]));
  const longest = Math.max(...part.map(([x, y]) => Math.hypot(x, y)));
  let reach = 0;
  for (let i = 0; i < data.n; i++) reach = Math.max(reach, Math.hypot(...axes.map((a) => data.old[i * data.d + a] - origin[a])));
  return shown.map(({ name }, i) => ({
    name,
    tip: [0, 1].map((j) => origin[axes[j]] + (0.75 * reach * part[i][j]) / longest) as [number, number],
  }));
}

export function drawVariables(canvas: CanvasRenderingContext2D, state: State, view: View, look: Theme): void {
  const { axes, data } = state;
  const [x0, y0] = [view.x(data.words.origin[axes[0]]), view.y(axes[1] < 0 ? 0 : data.words.origin[axes[1]])];
  canvas.strokeStyle = canvas.fillStyle = look.ink;
  canvas.font = "600 12px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  for (const { name, tip } of arrows(state)) {
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
    canvas.textAlign = Math.cos(angle) > 0.3 ? "left" : Math.cos(angle) < -0.3 ? "right" : "center";
    const [tx, ty] = [x + 5 * Math.cos(angle), y + 9 * Math.sin(angle)];
    canvas.strokeStyle = look.surface;
    canvas.lineWidth = 3;
    canvas.strokeText(elided(name, 24), tx, ty);
    canvas.strokeStyle = look.ink;
    canvas.fillText(elided(name, 24), tx, ty);
  }
}
