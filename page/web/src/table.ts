// The table of newcomers: sorted, filtered, linked with the map. Only the rows in sight are in the document.

import { cell, numberOf } from "./columns";
import type { Column } from "./data";
import { savePlaces } from "./keep";
import { nearestGiven } from "./neighbours";
import type { State } from "./state";
import { announce, byId, chance, counted, elided, element, sentence, short } from "./text";

const ROW = 30;
/** Rows above and below those in sight. */
const SPARE = 8;
/** Rows that are printed. */
const PRINTED = 200;

interface ColumnOf {
  key: string;
  name: string;
  title: string;
  numeric: boolean;
  text: (i: number) => string;
  value: (i: number) => number | string;
  /** Numbers are first seen from the largest. */
  down: boolean;
}

export class Table {
  private order: number[] = [];
  private columns: ColumnOf[];
  /** Those that are always there. */
  private readonly own: ColumnOf[];
  private readonly headRow = element("tr");
  private sorted = "p";
  private down = false;
  private readonly scroller = element("div", { className: "scroller" });
  private readonly body = element("tbody");
  private readonly heads = new Map<string, HTMLTableCellElement>();
  private readonly filter = element("input", { type: "search", placeholder: "Filter by label or metadata", id: "filter" });
  private focused = 0;
  private printing = false;

  constructor(private readonly state: State) {
    const { data } = state;
    const newcomers = data.newcomers!;
    const status = (newcomers.chosen ?? (newcomers.words.strategy === "project" ? newcomers.reconstruct : null) ?? newcomers.reconstruct ?? newcomers.project).status;
    const number = (key: string, name: string, title: string, of: ArrayLike<number>, text: (v: number) => string = short): ColumnOf => ({
      key, name, title, numeric: true, down: true, text: (i) => text(of[i]), value: (i) => of[i],
    });
    const nearest = nearestGiven(newcomers);
    this.columns = [
      { key: "label", name: "label", title: "The newcomer", numeric: false, down: false, text: (i) => elided(newcomers.labels[i], 60), value: (i) => newcomers.labels[i] },
      // Equal p are told apart by the residual.
      { ...number("p", "p", "How often an object like the old ones is as strange: small if it is unlike them", newcomers.p, chance),
        value: (i) => newcomers.rank[i], down: false },
      { key: "nearest", name: newcomers.words.pairs.inner_products ? "most similar" : "nearest", title: "The old object that it is nearest to, as given", numeric: false, down: false,
        text: (i) => (nearest[i] < 0 ? "–" : elided(data.labels[nearest[i]], 40)), value: (i) => (nearest[i] < 0 ? "" : data.labels[nearest[i]]) },
      number("residual", "residual", "Squared distance from the newcomer to the map's space; negative if its proximities are not Euclidean", newcomers.residual),
      ...(newcomers.reconstruct
        ? [number("moved", "moves by", `How far the ${newcomers.goal} is from projection`, newcomers.moved)]
        : []),
      ...(newcomers.words.observed ? [number("observed", "known", "How many of its proximities are known", newcomers.words.observed, (v) => String(v))] : []),
      { key: "status", name: "status", title: "Whether there is one best place", numeric: false, down: false, text: (i) => status[i].replaceAll("_", " "), value: (i) => status[i] },
    ];
    this.own = this.columns;
    this.build();
    this.columnsBy();
    this.sort();
    state.on(["selection"], () => this.reveal());
    state.on(["hover"], () => this.mark());
    state.on(["style"], () => this.columnsBy());
    state.on(["visible"], () => {
      this.filter.value = state.filter;
      this.sort();
    });
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  /** A column of the metadata, where the map is coloured or shaped by it. */
  private columnOf(by: number): ColumnOf {
    const { data } = this.state;
    const column: Column = data.columns[by];
    const numeric = column.kind === "numbers" || column.kind === "ordered";
    return {
      key: `metadata-${by}`, name: elided(column.name, 24), title: column.name, numeric, down: numeric,
      text: (i) => cell(column, data.n + i, 30),
      value: (i) => (column.kind === "classes" ? cell(column, data.n + i, 200) : numberOf(column, data.n + i)),
    };
  }

  /** Puts the columns that colour and shape after the label. */
  private columnsBy(): void {
    const { colourBy, shapeBy } = this.state;
    const by = [...new Set([colourBy, shapeBy])].filter((c) => c >= 0);
    this.columns = [this.own[0], ...by.map((c) => this.columnOf(c)), ...this.own.slice(1)];
    if (!this.columns.some((c) => c.key === this.sorted)) this.sorted = "p";
    this.head();
    this.sort();
  }

  private build(): void {
    this.filter.setAttribute("aria-label", "Filter newcomers by label or metadata");
    this.filter.addEventListener("input", () => {
      this.state.filter = this.filter.value;
      this.state.refresh();
    });
    const save = element("button", { type: "button", text: "Save places (TSV)", title: "Save the coordinates of the newcomers in this table, where the slider is", onclick: () => savePlaces(this.state) });
    byId("table-controls").append(this.filter, save);
    const table = element("table", {}, [element("thead", {}, [this.headRow]), this.body]);
    table.setAttribute("aria-labelledby", "table-title");
    this.scroller.append(table);
    this.scroller.addEventListener("scroll", () => this.fill());
    this.body.addEventListener("keydown", (e) => this.key(e));
    this.body.addEventListener("click", (e) => {
      const at = (e.target as Element).closest("tr")?.dataset.at;
      if (at === undefined) return;
      this.focused = Number(at);
      this.choose();
    });
    this.body.addEventListener("pointerover", (e) => {
      const at = (e.target as Element).closest("tr")?.dataset.at;
      this.state.hover(at === undefined ? -1 : this.order[Number(at)]);
    });
    this.body.addEventListener("pointerleave", () => this.state.hover(-1));
    byId("table").append(this.scroller);
    new ResizeObserver(() => this.fill()).observe(this.scroller);
  }

  private head(): void {
    this.heads.clear();
    this.headRow.replaceChildren();
    for (const column of this.columns) {
      const button = element("button", { type: "button", text: column.name, title: column.title });
      button.addEventListener("click", () => {
        this.down = this.sorted === column.key ? !this.down : column.down;
        this.sorted = column.key;
        this.sort();
        announce(`Sorted by ${column.name}, ${this.down ? "descending" : "ascending"}`);
      });
      const head = element("th", { className: column.numeric ? "numeric" : "" }, [button]);
      head.scope = "col";
      this.heads.set(column.key, head);
      this.headRow.append(head);
    }
  }

  private choose(): void {
    const i = this.order[this.focused];
    if (i === undefined) return;
    this.state.select(i);
    announce(`${elided(this.state.data.newcomers!.labels[i], 80)} chosen`);
    this.fill();
    this.focusRow();
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const last = this.order.length - 1;
    const to: Record<string, number> = {
      ArrowDown: this.focused + 1,
      ArrowUp: this.focused - 1,
      PageDown: this.focused + page,
      PageUp: this.focused - page,
      Home: 0,
      End: last,
    };
    if (event.key in to) {
      event.preventDefault();
      this.focused = Math.min(last, Math.max(0, to[event.key]));
      this.bring(this.focused);
      this.fill();
      this.focusRow();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose();
    }
  }

  private focusRow(): void {
    this.body.querySelector<HTMLElement>(`tr[data-at="${this.focused}"]`)?.focus({ preventScroll: true });
  }

  /** Scrolls so that row `at` is in sight. */
  private bring(at: number): void {
    const head = this.body.parentElement!.querySelector("thead")!.offsetHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (at * ROW < scrollTop) this.scroller.scrollTop = at * ROW;
    else if ((at + 1) * ROW + head > scrollTop + clientHeight) this.scroller.scrollTop = (at + 1) * ROW + head - clientHeight;
  }

  private sort(): void {
    const { data } = this.state;
    const column = this.columns.find((c) => c.key === this.sorted)!;
    const all = Array.from({ length: data.newcomers!.count }, (_, i) => i);
    this.order = all.filter((i) => this.state.visible[data.n + i]);
    const sign = this.down ? -1 : 1;
    const values = all.map((i) => column.value(i));
    this.order.sort((i, j) => {
      const [a, b] = [values[i], values[j]];
      if (typeof a === "string") return sign * a.localeCompare(b as string, undefined, { numeric: true });
      // What is not known comes last either way.
      if (Number.isNaN(a) || Number.isNaN(b as number)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b as number));
      return sign * (a - (b as number));
    });
    for (const [key, head] of this.heads)
      head.setAttribute("aria-sort", key !== this.sorted ? "none" : this.down ? "descending" : "ascending");
    const first = this.sorted === "p" ? `the ${this.down ? "most" : "least"} like the old objects first` : `sorted by ${column.name}`;
    byId("table-title").textContent = `Newcomers, ${first}`;
    const { count, words } = data.newcomers!;
    byId("table-note").textContent =
      `${this.order.length === count ? counted(count, "newcomer") : `${this.order.length} of ${counted(count, "newcomer")}, here, on the map and in what is saved`}. ` +
      `p says how often old objects, left out of the map themselves, are as strange as the newcomer: at ${words.level} and below it is unlike them.${words.batch ? ` ${sentence(words.batch)}` : ""}`;
    this.focused = Math.max(0, this.order.indexOf(this.state.selected));
    this.scroller.scrollTop = 0;
    this.fill();
  }

  private reveal(): void {
    const at = this.order.indexOf(this.state.selected);
    if (at >= 0) {
      this.focused = at;
      this.bring(at);
    }
    this.fill();
  }

  private mark(): void {
    for (const row of this.body.rows)
      row.classList.toggle("hovered", row.dataset.at !== undefined && this.order[Number(row.dataset.at)] === this.state.hovered);
  }

  private print(now: boolean): void {
    this.printing = now;
    this.fill();
  }

  /** Puts the rows in sight into the document. */
  private fill(): void {
    const { order, printing } = this;
    const { scrollTop, clientHeight } = this.scroller;
    const first = printing ? 0 : Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
    const last = printing ? Math.min(order.length, PRINTED) : Math.min(order.length, Math.ceil((scrollTop + clientHeight) / ROW) + SPARE);
    const gap = (rows: number) => {
      const row = element("tr", { className: "gap" });
      row.style.height = `${rows * ROW}px`;
      row.setAttribute("aria-hidden", "true");
      return row;
    };
    const held = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement);
    const rows: HTMLElement[] = [];
    if (first > 0) rows.push(gap(first));
    for (let at = first; at < last; at++) rows.push(this.row(at));
    if (last < order.length && !printing) rows.push(gap(order.length - last));
    if (order.length === 0) rows.push(element("tr", {}, [element("td", { text: "No newcomer matches.", colSpan: this.columns.length })]));
    this.body.replaceChildren(...rows);
    this.body.parentElement!.setAttribute("aria-rowcount", String(order.length + 1));
    if (held) this.focusRow();
    this.mark();
    // A shade at the edge where columns are out of sight.
    this.scroller.classList.toggle("more", this.scroller.scrollWidth > this.scroller.clientWidth + this.scroller.scrollLeft + 1);
  }

  private row(at: number): HTMLTableRowElement {
    const i = this.order[at];
    const row = element("tr");
    row.dataset.at = String(at);
    row.tabIndex = at === this.focused ? 0 : -1;
    row.setAttribute("aria-rowindex", String(at + 2));
    row.setAttribute("aria-selected", String(i === this.state.selected));
    for (const column of this.columns) {
      const cell = element(column.key === "label" ? "th" : "td", { text: column.text(i), className: column.numeric ? "numeric" : "" });
      if (column.key === "nearest") cell.dir = "auto";
      if (column.key === "label") {
        (cell as HTMLTableCellElement).scope = "row";
        cell.dir = "auto";
        cell.title = elided(this.state.data.newcomers!.labels[i], 500);
      }
      if (column.key === "p") {
        const { p, words } = this.state.data.newcomers!;
        cell.style.setProperty("--share", String(Number.isNaN(p[i]) ? 0 : 1 - p[i]));
        cell.classList.add("bar");
        cell.classList.toggle("unlike", p[i] <= words.level);
      }
      row.append(cell);
    }
    return row;
  }
}
