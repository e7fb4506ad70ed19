// How all objects look by their metadata: a colour, a shape and a size for each, and what the legend says of it.

import { date, numberOf } from "./columns";
import { NOTHING, type Column, type Data } from "./data";
import { SHAPES, type Shape } from "./marks";
import { asWritten, counted, short } from "./text";
import { MOST_GROUPS, onRamp, paletteFor, type Theme } from "./theme";

export type RampScale = "linear" | "log" | "rank";

/** What the reader has chosen to see. */
export interface Choice {
  colourBy: number;
  shapeBy: number;
  sizeBy: number;
  ramp: RampScale;
  /** Whether a few whole numbers are painted as classes rather than on a ramp. */
  asClasses: boolean;
}

/** A line of the legend: a class, by its code in the column of colours or of shapes; the last code is all others'. */
export interface Entry {
  of: "colour" | "shape";
  code: number;
  words: string;
  count: number;
  colour?: string;
  shape?: Shape;
}

export interface Looks {
  colours: string[];
  /** For each object, old ones first: an index into `colours` and one into SHAPES. */
  colour: Uint8Array;
  shape: Uint8Array;
  /** What the radius of a mark is multiplied by; null if all are alike. */
  size: Float32Array | null;
  entries: Entry[];
  ramp: { name: string; ticks: [number, string][]; colours: string[]; missing: number; scale: RampScale; refused: boolean } | null;
  sizes: { name: string; low: string; high: string } | null;
}

export function looks(data: Data, choice: Choice, theme: Theme): Looks {
  const n = data.n;
  const total = n + (data.newcomers?.count ?? 0);
  const answer: Looks = {
    colours: [theme.old, theme.newcomer],
    colour: new Uint8Array(total).fill(1, n),
    shape: new Uint8Array(total),
    size: null,
    entries: [],
    ramp: null,
    sizes: null,
  };
  const { colourBy, shapeBy, sizeBy } = choice;
  if (colourBy >= 0) {
    const column = data.columns[colourBy];
    if (column.groups) paintGroups(answer, column, theme, choice.asClasses);
    else paintNumbers(answer, column, theme, choice.ramp);
  }
  if (shapeBy >= 0) giveShapes(answer, data.columns[shapeBy]);
  if (sizeBy >= 0) giveSizes(answer, data.columns[sizeBy]);
  return answer;
}

/** How many objects have each code; the last are those beyond `most` and those of no group. */
function tally(codes: Uint16Array, most: number): number[] {
  const counts = new Array<number>(most + 1).fill(0);
  for (const code of codes) counts[Math.min(code, most)]++;
  return counts;
}

/** Words for the groups that share the last look, and for those of no group. */
function others(beyond: number, codes: Uint16Array): string {
  const none = codes.includes(NOTHING) ? "no value" : "";
  return beyond > 0 ? [counted(beyond, "other"), none].filter(Boolean).join(", or ") : none;
}

function paintGroups(answer: Looks, column: Column, theme: Theme, asClasses: boolean): void {
  const codes = column.codes!;
  const groups = column.groups!;
  const shown = Math.min(groups.length, MOST_GROUPS);
  const ordered = column.kind === "ordered" && !asClasses;
  const palette = ordered
    ? groups.map((_, i) => theme.ramp[onRamp(theme.ramp, groups.length > 1 ? i / (groups.length - 1) : 0.5)])
    : paletteFor(groups.length);
  answer.colours = [...palette.slice(0, shown), theme.other];
  for (let i = 0; i < codes.length; i++) answer.colour[i] = Math.min(codes[i], shown);
  const counts = tally(codes, shown);
  for (let code = 0; code < shown; code++)
    answer.entries.push({ of: "colour", code, words: groups[code], count: counts[code], colour: palette[code] });
  const rest = others(groups.length - shown, codes);
  if (rest) answer.entries.push({ of: "colour", code: shown, words: rest, count: counts[shown], colour: theme.other });
}

function paintNumbers(answer: Looks, column: Column, theme: Theme, scale: RampScale): void {
  const numbers = column.numbers!;
  const known = Float64Array.from(numbers.filter((v) => !Number.isNaN(v))).sort();
  const [low, high] = [known[0], known[known.length - 1]];
  const logarithmic = scale === "log" && low > 0;
  const place = (v: number): number => {
    if (scale === "rank") return rank(known, v);
    if (logarithmic) return high > low ? Math.log(v / low) / Math.log(high / low) : 0.5;
    return high > low ? (v - low) / (high - low) : 0.5;
  };
  const last = theme.ramp.length;
  answer.colours = [...theme.ramp, theme.other];
  let missing = 0;
  for (let i = 0; i < numbers.length; i++) {
    const none = Number.isNaN(numbers[i]);
    missing += Number(none);
    answer.colour[i] = none ? last : onRamp(theme.ramp, place(numbers[i]));
  }
  const words = (v: number, ends = true) => (column.kind === "dates" ? date(Math.round(v)) : ends ? asWritten(v) : short(v));
  const middle = scale === "rank" ? known[known.length >> 1] : logarithmic ? Math.sqrt(low * high) : (low + high) / 2;
  answer.ramp = {
    name: column.name,
    ticks: [[0, words(low)], [0.5, words(middle, scale === "rank")], [1, words(high)]],
    colours: theme.ramp,
    missing,
    scale: scale === "log" && !logarithmic ? "linear" : scale,
    refused: scale === "log" && !logarithmic,
  };
}

/** The share of the sorted numbers below v. */
function rank(sorted: Float64Array, v: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < v) from = middle + 1;
    else to = middle;
  }
  return sorted.length > 1 ? from / (sorted.length - 1) : 0.5;
}

/** Codes of the groups that have a shape of their own: the most frequent, if there are too many. */
function withShape(column: Column): Set<number> {
  const groups = column.groups!;
  const counts = tally(column.codes!, groups.length);
  const order = [...groups.keys()].sort((a, b) => counts[b] - counts[a]);
  return new Set(order.slice(0, groups.length > SHAPES.length ? SHAPES.length - 1 : SHAPES.length));
}

/** The code under which the legend has each object's group: its own, or that of all others. */
export function legendCode(column: Column, of: "colour" | "shape"): (code: number) => number {
  const shown = of === "colour" ? Math.min(column.groups!.length, MOST_GROUPS) : column.groups!.length;
  if (of === "colour") return (code) => Math.min(code, shown);
  const own = withShape(column);
  return (code) => (own.has(code) ? code : shown);
}

function giveShapes(answer: Looks, column: Column): void {
  const codes = column.codes!;
  const groups = column.groups!;
  const last = SHAPES.length - 1;
  const counts = tally(codes, groups.length);
  const own = withShape(column);
  const shapeOf = new Map([...groups.keys()].filter((code) => own.has(code)).map((code, at) => [code, at]));
  let rest = 0;
  for (let i = 0; i < codes.length; i++) {
    const shape = shapeOf.get(codes[i]);
    answer.shape[i] = shape ?? last;
    rest += Number(shape === undefined);
  }
  for (const [code, at] of shapeOf) answer.entries.push({ of: "shape", code, words: groups[code], count: counts[code], shape: SHAPES[at] });
  const words = others(groups.length - own.size, codes);
  if (words) answer.entries.push({ of: "shape", code: groups.length, words, count: rest, shape: SHAPES[last] });
}

/** Areas grow with numbers, from a third to three times the usual; what has no number is smallest. */
function giveSizes(answer: Looks, column: Column): void {
  const total = answer.colour.length;
  const values = Float64Array.from({ length: total }, (_, i) => numberOf(column, i));
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  answer.size = Float32Array.from(values, (v) => (Number.isNaN(v) ? 0.5 : Math.sqrt(1 / 3 + (8 / 3) * (high > low ? (v - low) / (high - low) : 0.25))));
  answer.sizes = { name: column.name, low: asWritten(low), high: asWritten(high) };
}
