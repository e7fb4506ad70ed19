// Marks: how objects look by their metadata, and small pictures of each look to stamp on a canvas.

import { NOTHING, type Column, type Data } from "./data";
import { counted } from "./text";
import { MOST_GROUPS, onRamp, type Theme } from "./theme";

export const SHAPES = ["circle", "square", "triangle", "diamond", "plus", "wedge"] as const;
export type Shape = (typeof SHAPES)[number];

/** The path of a shape of about the same area whatever it is. */
export function trace(path: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  path.beginPath();
  if (shape === "circle") {
    path.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === "square") {
    const a = r * 0.9;
    path.rect(x - a, y - a, 2 * a, 2 * a);
  } else if (shape === "plus") {
    const a = r * 1.15;
    const b = r * 0.42;
    const corners = [[b, -a], [b, -b], [a, -b], [a, b], [b, b], [b, a], [-b, a], [-b, b], [-a, b], [-a, -b], [-b, -b], [-b, -a]];
    corners.forEach(([dx, dy], i) => (i ? path.lineTo(x + dx, y + dy) : path.moveTo(x + dx, y + dy)));
    path.closePath();
  } else {
    const a = r * 1.25;
    const corners =
      shape === "diamond"
        ? [[0, -a], [a, 0], [0, a], [-a, 0]]
        : shape === "triangle"
          ? [[0, -a], [a, a * 0.75], [-a, a * 0.75]]
          : [[0, a], [a, -a * 0.75], [-a, -a * 0.75]];
    corners.forEach(([dx, dy], i) => (i ? path.lineTo(x + dx, y + dy) : path.moveTo(x + dx, y + dy)));
    path.closePath();
  }
}

/** How all objects look: an index into `colours` and one into SHAPES for each, old ones first. */
export interface Looks {
  colours: string[];
  colour: Uint8Array;
  shape: Uint8Array;
  /** What has neither colour nor shape says what those after it are of. */
  legend: { words: string; colour?: string; shape?: Shape }[];
  ramp: { name: string; low: number; high: number; colours: string[] } | null;
}

export function looks(data: Data, colourBy: number, shapeBy: number, theme: Theme): Looks {
  const n = data.n;
  const total = n + (data.newcomers?.count ?? 0);
  const answer: Looks = {
    colours: [theme.old, theme.newcomer],
    colour: new Uint8Array(total).fill(1, n),
    shape: new Uint8Array(total),
    legend: [],
    ramp: null,
  };
  const columns = data.columns;
  if (colourBy >= 0) paint(answer, columns[colourBy], theme);
  if (shapeBy >= 0 && columns[shapeBy].groups) {
    const { groups, codes } = columns[shapeBy];
    const last = SHAPES.length - 1;
    for (let i = 0; i < total; i++) answer.shape[i] = codes![i] === NOTHING ? last : Math.min(codes![i], last);
    const shown = groups!.slice(0, groups!.length > last ? last : last + 1);
    answer.legend.push({ words: columns[shapeBy].name });
    shown.forEach((words, i) => answer.legend.push({ words, shape: SHAPES[i] }));
    const rest = others(groups!.length - shown.length, codes!);
    if (rest) answer.legend.push({ words: rest, shape: SHAPES[last] });
  }
  return answer;
}

/** Words for the groups that share the last look, and for those of no group. */
function others(count: number, codes: Uint16Array): string {
  const none = codes.includes(NOTHING) ? "no value" : "";
  return count > 0 ? [counted(count, "other"), none].filter(Boolean).join(", or ") : none;
}

function paint(answer: Looks, column: Column, theme: Theme): void {
  const total = answer.colour.length;
  if (column.groups) {
    const codes = column.codes!;
    const shown = column.groups.slice(0, MOST_GROUPS);
    answer.colours = [...shown.map((_, i) => theme.groups[i]), theme.other];
    for (let i = 0; i < total; i++) answer.colour[i] = codes[i] < shown.length ? codes[i] : shown.length;
    answer.legend.push({ words: column.name });
    shown.forEach((words, i) => answer.legend.push({ words, colour: theme.groups[i] }));
    const rest = others(column.groups.length - shown.length, codes);
    if (rest) answer.legend.push({ words: rest, colour: theme.other });
    return;
  }
  const numbers = column.numbers!;
  let low = Infinity;
  let high = -Infinity;
  for (const v of numbers) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const last = theme.ramp.length;
  answer.colours = [...theme.ramp, theme.other];
  for (let i = 0; i < total; i++) {
    const t = high > low ? (numbers[i] - low) / (high - low) : 0.5;
    answer.colour[i] = Number.isNaN(numbers[i]) ? last : theme.ramp.indexOf(onRamp(theme.ramp, t));
  }
  answer.ramp = { name: column.name, low, high, colours: theme.ramp };
  if (numbers.some(Number.isNaN)) answer.legend.push({ words: "no value", colour: theme.other });
}

/** Small pictures of marks, made once for each look. */
export class Stamps {
  private readonly made = new Map<string, HTMLCanvasElement>();
  constructor(private readonly ratio: number) {}

  get(shape: Shape, r: number, fill: string, stroke: string, width: number): HTMLCanvasElement {
    const key = `${shape} ${r} ${fill} ${stroke} ${width}`;
    let stamp = this.made.get(key);
    if (!stamp) {
      const size = Math.ceil(2 * (r * 1.3 + width + 1) * this.ratio);
      stamp = document.createElement("canvas");
      stamp.width = stamp.height = size;
      const path = stamp.getContext("2d")!;
      path.scale(this.ratio, this.ratio);
      const middle = size / this.ratio / 2;
      trace(path, shape, middle, middle, r);
      path.fillStyle = fill;
      path.fill();
      if (width > 0) {
        path.strokeStyle = stroke;
        path.lineWidth = width;
        path.stroke();
      }
      this.made.set(key, stamp);
    }
    return stamp;
  }
}
