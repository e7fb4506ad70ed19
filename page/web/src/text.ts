// Numbers and labels as text. Labels are only ever text: nothing here makes HTML.

/** Characters as people count them; a label is cut between these. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Of what is kept of a label that is cut, the share that is its beginning. */
const BEGINNING = 0.6;

/**
 * A label no longer than `most` characters, with an ellipsis where it was cut: not at its end, which often is what tells it
 * from others (the number of a sample, the genus of a lineage).
 */
export function elided(label: string, most: number): string {
  const flat = label.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (flat.length <= most) return flat;
  const characters = Array.from(segmenter.segment(flat), ({ segment }) => segment);
  if (characters.length <= most) return flat;
  const first = Math.ceil(BEGINNING * (most - 1));
  const last = most - 1 - first;
  return `${characters.slice(0, first).join("").trimEnd()}…${characters.slice(characters.length - last).join("").trimStart()}`;
}

/** The same for a canvas, where a label of another direction must not turn what is beside it. */
export const isolated = (label: string): string => `\u2068${label}\u2069`;

const signed = (text: string): string => text.replaceAll("-", "−").replace("e+", "e");

/** A number in four digits. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return signed(value.toExponential(3));
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return signed(value.toFixed(Math.min(6, digits)));
}

/** A number that somebody wrote down, as they may have: whole numbers and years as they are, others in six digits. */
export function asWritten(value: number): string {
  if (Number.isNaN(value)) return "–";
  return signed(String(Number.isInteger(value) && Math.abs(value) < 1e9 ? value : Number(value.toPrecision(6))));
}

/** A round number, as it stands at an axis. */
export function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return signed(Number(value.toPrecision(4)).toExponential());
  return signed(Number(value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 }));
}

export function percent(share: number | null | undefined, digits = 0): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const least = 10 ** -digits;
  if (share !== 0 && Math.abs(share * 100) < least / 2) return `less than ${least} %`;
  return `${signed((share * 100).toFixed(digits))} %`;
}

/** A p-value. */
export function chance(p: number): string {
  if (Number.isNaN(p)) return "–";
  if (p < 0.001) return "< 0.001";
  return p.toFixed(p < 0.1 ? 3 : 2);
}

/** A sentence as it stands by itself. */
export const sentence = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

export const counted = (count: number, word: string): string =>
  `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;

/** An element with text in it. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> & { text?: string } = {},
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  const { text, ...rest } = properties;
  Object.assign(made, rest);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

let waiting = 0;
/** Says something to those who listen rather than look. */
export function announce(text: string): void {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(() => (byId("live").textContent = text), 300);
}
