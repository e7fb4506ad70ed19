// What a column of the metadata says of an object, in words.

import { NOTHING, type Column, type Data } from "./data";
import { asWritten, elided } from "./text";

/** A day since 1970 as a date. */
export function date(days: number): string {
  if (Number.isNaN(days)) return "–";
  const moment = new Date(days * 86_400_000).toISOString();
  return days % 1 === 0 ? moment.slice(0, 10) : moment.slice(0, 16).replace("T", " ");
}

/** A number of a column. */
export const figure = (column: Column, value: number): string => (column.kind === "dates" ? date(value) : asWritten(value));

/** What a column says of object `at`, old objects first. */
export function cell(column: Column, at: number, most = 40): string {
  if (!column.codes) return figure(column, column.numbers![at]);
  return column.codes[at] === NOTHING ? "–" : elided(column.groups![column.codes[at]], most);
}

/** The number of an object, NaN if there is none: groups that are numbers are read as such. */
export function numberOf(column: Column, at: number): number {
  if (column.numbers) return column.numbers[at];
  return column.codes![at] === NOTHING ? NaN : Number(column.groups![column.codes![at]]);
}

/** Columns by which objects can be coloured. */
export const colourable = (column: Column): boolean => column.kind !== "names";
/** … shaped. */
export const shapeable = (column: Column): boolean => column.kind === "classes" || column.kind === "ordered";
/** … sized. */
export const sizeable = (column: Column): boolean => column.kind === "numbers" || column.kind === "ordered";

/** All that is written of an object, in lower case, to search in. */
export function haystack(data: Data, at: number): string {
  const label = at < data.n ? data.labels[at] : data.newcomers!.labels[at - data.n];
  const cells = data.columns.map((c) => (c.codes ? (c.groups![c.codes[at]] ?? "") : c.kind === "dates" ? date(c.numbers![at]) : ""));
  return [label, ...cells].join("\n").toLowerCase();
}
