// The search over all objects, old and new: a list of those whose label or metadata hold the words, to choose from.

import type { State } from "./state";
import { announce, byId, counted, elided, element } from "./text";

/** Objects that are listed. */
const LISTED = 12;

export class Search {
  private readonly input = element("input", { type: "search", id: "search", placeholder: "Find any object" });
  private readonly list = element("ul", { className: "found", id: "found", hidden: true });
  private found: number[] = [];
  private at = -1;

  constructor(private readonly state: State) {
    this.input.setAttribute("role", "combobox");
    this.input.setAttribute("aria-label", "Find any object by its label or metadata");
    this.input.setAttribute("aria-controls", "found");
    this.input.setAttribute("aria-expanded", "false");
    this.input.setAttribute("aria-autocomplete", "list");
    this.input.autocomplete = "off";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Objects found");
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("keydown", (e) => this.key(e));
    this.input.addEventListener("blur", () => window.setTimeout(() => this.close(), 150));
    byId("map-search").append(element("div", { className: "search" }, [this.input, this.list]));
  }

  private look(): void {
    const needle = this.input.value.trim().toLowerCase();
    const { state } = this;
    const total = state.visible.length;
    let count = 0;
    // Labels that begin with the words first, then those that hold them, then metadata.
    const ranked: [number, number][] = [];
    if (needle)
      for (let i = 0; i < total; i++) {
        if (!state.text(i).includes(needle)) continue;
        count++;
        const label = state.label(i).toLowerCase();
        ranked.push([label.startsWith(needle) ? 0 : label.includes(needle) ? 1 : 2, i]);
      }
    ranked.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    this.found = ranked.slice(0, LISTED).map(([, i]) => i);
    this.at = -1;
    this.fill(count);
    if (needle) announce(count ? `${counted(count, "object")} found` : "Nothing is found");
  }

  private fill(count: number): void {
    const { state } = this;
    const rows = this.found.map((i, row) => {
      const item = element("li", { id: `found-${row}` }, [
        element("span", { text: elided(state.label(i), 50), dir: "auto" }),
        element("span", { className: "kind", text: i < state.data.n ? "old" : "new" }),
      ]);
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(row === this.at));
      item.addEventListener("pointerdown", (e) => {
        e.preventDefault();
        this.choose(row);
      });
      return item;
    });
    if (count > rows.length) rows.push(this.note(`and ${(count - rows.length).toLocaleString("en-US")} more`));
    else if (count === 0 && this.input.value.trim()) rows.push(this.note("Nothing is found."));
    this.list.replaceChildren(...rows);
    this.list.hidden = rows.length === 0;
    this.input.setAttribute("aria-expanded", String(rows.length > 0));
  }

  private note(text: string): HTMLLIElement {
    const item = element("li", { text, className: "more" });
    item.setAttribute("role", "option");
    item.setAttribute("aria-disabled", "true");
    item.setAttribute("aria-selected", "false");
    return item;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : -1;
      this.at = Math.min(this.found.length - 1, Math.max(0, this.at + by));
      [...this.list.children].forEach((item, row) => item.setAttribute("aria-selected", String(row === this.at)));
      this.input.setAttribute("aria-activedescendant", `found-${this.at}`);
    } else if (event.key === "Enter") this.choose(Math.max(0, this.at));
    else if (event.key === "Escape") this.close();
  }

  private choose(row: number): void {
    const i = this.found[row];
    if (i === undefined) return;
    this.state.choose(i);
    announce(`${elided(this.state.label(i), 80)} chosen`);
    this.input.value = this.state.label(i);
    this.close();
  }

  private close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
