// The tooltip of the map: the label and the numbers of the object under the pointer, which pointing.ts has found.

import { cell } from "../columns";
import type { State } from "../state";
import { byId, chance, counted, elided, element, short } from "../text";
import type { View } from "./view";

/** An object of the map: a newcomer or an old object, and -1 for the other. */
export interface Found {
  newcomer: number;
  old: number;
  /** How many other objects are at the same place, to the pixel. */
  more: number;
}

/** Columns of metadata beside those that colour, shape and size. */
const FURTHER = 3;

export class Tooltip {
  private readonly box = byId("tooltip");

  constructor(
    private readonly state: State,
    private readonly view: View,
  ) {}

  hide(): void {
    this.box.hidden = true;
  }

  /** Shows the object beside the pointer, within the map. */
  show(px: number, py: number, found: Found): void {
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
    const { offsetWidth, offsetHeight } = this.box;
    // Beside the mark, never on it: to its right or left, or above or below where the map is narrow.
    const right = px + 18 + offsetWidth <= this.view.width;
    const beside = right || px - 18 - offsetWidth >= 0;
    const left = right ? px + 18 : beside ? px - 18 - offsetWidth : Math.max(4, Math.min(px - offsetWidth / 2, this.view.width - offsetWidth - 4));
    const middle = Math.max(4, Math.min(py + 12, this.view.height - offsetHeight - 4));
    const top = beside ? middle : py + 18 + offsetHeight < this.view.height ? py + 18 : Math.max(0, py - 18 - offsetHeight);
    this.box.style.transform = `translate(${left}px, ${top}px)`;
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
