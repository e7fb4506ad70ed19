// The tooltip of the map: the label and the numbers of the object under the pointer, which pointing.ts has found.

import type { State } from "../state";
import { byId, elided, element, foreignness, short } from "../text";
import type { View } from "./view";

/** An object of the map: a newcomer or an old object, and -1 for the other. */
export interface Found {
  newcomer: number;
  old: number;
}

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
    this.box.replaceChildren(name, kind, table);
    this.box.hidden = false;
    const { offsetWidth, offsetHeight } = this.box;
    const left = px + 16 + offsetWidth > this.view.width ? Math.max(4, px - 16 - offsetWidth) : px + 16;
    const top = Math.max(4, Math.min(py + 12, this.view.height - offsetHeight - 4));
    this.box.style.transform = `translate(${left}px, ${top}px)`;
  }

  /** Names and values. */
  private rows(found: Found): [string, string][] {
    const { data, places, axes } = this.state;
    const fresh = found.newcomer >= 0;
    const i = fresh ? found.newcomer : found.old;
    const coordinates: ArrayLike<number> = fresh ? places : data.old;
    const rows: [string, string][] = [];
    const shown = data.d <= 4 ? Array.from({ length: data.d }, (_, j) => j) : axes.filter((j) => j >= 0);
    for (const j of shown) rows.push([`axis ${j + 1}`, this.state.coordinate(coordinates[i * data.d + j])]);
    if (fresh) {
      const newcomers = data.newcomers!;
      rows.push(["foreign", foreignness(newcomers.foreign[i])]);
      rows.push(["residual", short(newcomers.residual[i])]);
      if (newcomers.reconstruct) rows.push(["moves by", short(newcomers.moved[i])]);
      const status = (newcomers.chosen ?? newcomers.reconstruct ?? newcomers.project).status[i];
      if (status !== "unique") rows.push(["status", status.replaceAll("_", " ")]);
    } else rows.push(["own residual, left out", short(data.oldResidual[i])]);
    const at = fresh ? data.n + i : i;
    for (const column of data.columns.slice(0, 6)) {
      const value = column.codes
        ? column.codes[at] === 0xffff ? "–" : elided(column.groups![column.codes[at]], 40)
        : short(column.numbers![at]);
      rows.push([elided(column.name, 30), value]);
    }
    return rows;
  }
}
