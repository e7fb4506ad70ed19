// Numbers and labels as text. Labels are only ever text: nothing here makes HTML.

/** Characters as people count them; a label is cut between these. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A label no longer than `most` characters, with an ellipsis where it was cut. */
export function elided(label: string, most: number): string {
  const flat = label.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (flat.length <= most) return flat;
  let text = "";
  let count = 0;
  for (const { segment } of segmenter.segment(flat)) {
    if (++count >= most) return `${text}…`;
    text += segment;
  }
  return text;
}

/** The same for a canvas, where a label of another direction must not turn what is beside it. */
export const isolated = (label: string): string => `\u2068${label}\u2069`;

/** A number in four digits. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(3).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(6, digits)).replace("-", "−");
}

export function percent(share: number | null | undefined, digits = 0): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  // 99.96 % is not 100 %.
  const factor = 10 ** digits;
  const value = share < 1 ? Math.floor(share * 100 * factor) / factor : share * 100;
  return `${value.toFixed(digits)} %`;
}

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
