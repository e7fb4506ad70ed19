// The tooltip of the map: the label and the numbers of the object under the pointer, which pointing.ts has found.

import { cell } from "../columns";
import type { State } from "../state";
import { byId, chance, counted, elided, element, short } from "../text";
import type { ArcLines } from "./arcs";
import type { View } from "./view";

/** An object of the map: a newcomer or an old object, and -1 for the other. */
export interface Found {
  newcomer: number;
  old: number;
  /** How many other objects are at the same place, to the pixel. */
  more: number;
  /** Where it is on the screen. */
  x: number;
  y: number;
}

/** Columns of metadata beside those that colour, shape and size. */
const FURTHER = 3;
/** Pixels around the middle of a mark that stay free: its ring is in them. */
const AROUND = 14;

export class Tooltip {
  private readonly box = byId("tooltip");

  constructor(
    private readonly state: State,
    private readonly view: View,
    private readonly arcs: ArcLines,
  ) {}

  hide(): void {
    this.box.hidden = true;
  }

  /** Shows who it is, beside its mark. */
  show(found: Found): void {
    const { data } = this.state;
    const fresh = found.newcomer >= 0;
    const label = fresh ? data.newcomers!.labels[found.newcomer] : data.labels[found.old];
    const table = element("dl");
    for (const [name, value] of this.rows(found)) table.append(element("dt", { text: name }), element("dd", { text: value, dir: "auto" }));
    const name = element("strong", { text: elided(label, 90), dir: "auto" });
    const kind = element("span", { text: fresh ? "newcomer" : "old object", className: "kind" });
    const more = found.more ? [element("p", { className: "kind", text: `and ${counted(found.more, "more object")} at the same place` })] : [];
    this.box.replaceChildren(name, kind, table, ...more);
    this.box.hidden = false;
    const [left, top] = this.place(found, this.box.offsetWidth, this.box.offsetHeight);
    this.box.style.transform = `translate(${left}px, ${top}px)`;
  }

  /** Beside what is explained, never on it: the mark with its ring and, where it is short, its arc. */
  private place({ x, y, newcomer }: Found, width: number, height: number): [number, number] {
    const { view } = this;
    const clear = { left: x - AROUND, right: x + AROUND, top: y - AROUND, bottom: y + AROUND };
    const arc = newcomer >= 0 && this.state.roles.arcs ? this.arcs.bounds(newcomer) : null;
    if (arc && arc.right - arc.left < view.width / 3 && arc.bottom - arc.top < view.height / 3) {
      clear.left = Math.min(clear.left, arc.left);
      clear.right = Math.max(clear.right, arc.right);
      clear.top = Math.min(clear.top, arc.top);
      clear.bottom = Math.max(clear.bottom, arc.bottom);
    }
    const within = (v: number, most: number) => Math.max(4, Math.min(v, most));
    const across = within(x - width / 2, view.width - width - 4);
    const up = within(y - height / 2, view.height - height - 4);
    const places: [number, number][] = [[clear.right + 4, up], [clear.left - 4 - width, up], [across, clear.bottom + 4], [across, clear.top - 4 - height]];
    // How much of it would be outside of the map: none, if it can be.
    const outside = ([left, top]: [number, number]) => Math.max(0, -left) + Math.max(0, left + width - view.width) + Math.max(0, -top) + Math.max(0, top + height - view.height);
    return places.reduce((best, place) => (outside(place) < outside(best) ? place : best));
  }

  /** Names and values. */
  private rows(found: Found): [string, string][] {
    const { data, places, axes } = this.state;
    const fresh = found.newcomer >= 0;
    const i = fresh ? found.newcomer : found.old;
    const coordinates: ArrayLike<number> = fresh ? places : data.old;
    const rows: [string, string][] = [];
    const at = fresh ? data.n + i : i;
    // What the map is coloured by comes first.
    const { colourBy, shapeBy, sizeBy } = this.state;
    const first = [...new Set([colourBy, shapeBy, sizeBy])].filter((c) => c >= 0);
    const further = data.columns.flatMap((c, j) => (c.kind !== "names" && !first.includes(j) ? [j] : [])).slice(0, FURTHER);
    const say = (j: number) => rows.push([elided(data.columns[j].name, 30), cell(data.columns[j], at)]);
    first.forEach(say);
    const shown = data.d <= 3 ? Array.from({ length: data.d }, (_, j) => j) : axes.filter((j) => j >= 0);
    for (const j of shown) rows.push([`axis ${j + 1}`, this.state.coordinate(coordinates[i * data.d + j])]);
    if (fresh) {
      const newcomers = data.newcomers!;
      rows.push(["p", chance(newcomers.p[i])]);
      if (newcomers.reconstruct) rows.push(["moves by", short(newcomers.moved[i])]);
      const status = (newcomers.chosen ?? newcomers.reconstruct ?? newcomers.project).status[i];
      if (status !== "unique") rows.push(["status", status.replaceAll("_", " ")]);
    }
    further.forEach(say);
    return rows;
  }
}
