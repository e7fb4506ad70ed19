// Pointing: the object under the pointer, boxes and lassos, and what keys and buttons do on the map. It draws nothing but
// the tooltip and the line of a lasso: what it finds goes into the state, what it moves goes to the view.

import type { State } from "../state";
import { announce, byId, counted, elided, element } from "../text";
import type { ArcLines } from "./arcs";
import { SAME, type OldObjects } from "./old";
import { Tooltip, type Found } from "./tooltip";
import type { View } from "./view";

/** Pixels within which a mark is under the pointer. */
const REACH = 14;
/** Pixels that an arrow key pans. */
const STEP = 60;
/** What a button or a key zooms by. */
const ZOOM = 1.5;

type Tool = "move" | "box" | "lasso";

export class Pointing {
  private readonly tooltip: Tooltip;
  private tool: Tool = "move";
  /** The corners of the box or the lasso while it is drawn. */
  private line: [number, number][] = [];
  private readonly tools = new Map<Tool, HTMLButtonElement>();
  /** Where the pointer went down: a click that moved is none. */
  private down: [number, number] = [0, 0];

  constructor(
    private readonly state: State,
    private readonly view: View,
    private readonly old: OldObjects,
    arcs: ArcLines,
  ) {
    this.tooltip = new Tooltip(state, view, arcs);
    this.addButtons();
    view.box.addEventListener("pointerdown", (e) => this.onDown(e));
    view.box.addEventListener("pointermove", (e) => this.onMove(e));
    view.box.addEventListener("pointerup", (e) => this.onUp(e));
    view.box.addEventListener("pointercancel", () => this.drop());
    // What is drawn is a box or a lasso, not a selection of words, and nothing is carried off.
    view.box.addEventListener("dragstart", (e) => e.preventDefault());
    view.box.addEventListener("pointerleave", () => this.clear());
    view.box.addEventListener("click", (e) => this.onClick(e));
    view.box.addEventListener("keydown", (e) => this.onKey(e));
  }

  /** Nothing is pointed at. */
  clear(): void {
    this.tooltip.hide();
    this.state.hover(-1);
  }

  private addButtons(): void {
    const make = (text: string, label: string, act: () => void) => {
      const button = element("button", { text, title: label, onclick: act, type: "button" });
      button.setAttribute("aria-label", label);
      return button;
    };
    const tool = (name: Tool, text: string, label: string) => {
      const button = make(text, label, () => this.take(this.tool === name ? "move" : name));
      button.setAttribute("aria-pressed", "false");
      this.tools.set(name, button);
      return button;
    };
    byId("zoom").append(
      make("+", "Zoom in", () => this.view.zoomBy(ZOOM)),
      make("−", "Zoom out", () => this.view.zoomBy(1 / ZOOM)),
      make("⤢", "Show all", () => this.view.showAll()),
      tool("box", "▭", "Mark objects in a box (also: hold Shift and drag)"),
      tool("lasso", "◌", "Mark objects in a lasso"),
    );
  }

  private take(tool: Tool): void {
    this.tool = tool;
    this.view.busy = tool !== "move";
    for (const [name, button] of this.tools) button.setAttribute("aria-pressed", String(name === tool));
    this.view.box.classList.toggle("drawing", tool !== "move");
  }

  private onDown(event: PointerEvent): void {
    this.down = this.pixel(event);
    const drawing = (this.tool !== "move" || event.shiftKey) && !event.button && !(event.target as Element).closest("button");
    if (!drawing) return;
    getSelection()?.removeAllRanges();
    this.line = [this.down];
    this.view.box.setPointerCapture(event.pointerId);
    this.tooltip.hide();
  }

  private onMove(event: PointerEvent): void {
    const [px, py] = this.pixel(event);
    if (this.line.length) {
      const first = this.line[0];
      if (this.tool === "lasso") this.line.push([px, py]);
      else this.line = [first, [px, first[1]], [px, py], [first[0], py]];
      this.showLine();
      return;
    }
    if (event.buttons || event.pointerType === "touch") return;
    const found = (event.target as Element).closest("button") ? null : this.under(px, py);
    this.state.hover(found?.newcomer ?? -1);
    this.view.box.style.cursor = found ? "pointer" : "";
    if (found) this.tooltip.show(found);
    else this.clear();
  }

  private onUp(event: PointerEvent): void {
    if (!this.line.length) return;
    const { state } = this;
    const inside = this.line.length > 2 ? this.within(this.line) : [];
    // Shift adds to what is marked when a tool is taken.
    state.mark(event.shiftKey && this.tool !== "move" ? [...state.marked, ...inside] : inside);
    announce(`${counted(inside.length, "object")} marked`);
    this.drop();
  }

  /** The box or the lasso is at its end. */
  private drop(): void {
    this.line = [];
    this.showLine();
    this.take("move");
  }

  /** The line of the box or the lasso. */
  private showLine(): void {
    const path = document.getElementById("lasso-line")!;
    path.setAttribute("d", this.line.length > 1 ? `M${this.line.map((p) => p.join(" ")).join("L")}Z` : "");
  }

  /** Objects that are shown inside a line. */
  private within(line: [number, number][]): number[] {
    const { data, places, visible } = this.state;
    const { n, d } = data;
    return Array.from(visible.keys()).filter((at) => {
      if (!visible[at]) return false;
      const [x, y] = at < n ? this.view.toScreen(data.old, at * d, 0) : this.view.toScreen(places, (at - n) * d, this.view.lane);
      let odd = false;
      for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
        const [[x0, y0], [x1, y1]] = [line[i], line[j]];
        if (y0 > y !== y1 > y && x < ((x1 - x0) * (y - y0)) / (y1 - y0) + x0) odd = !odd;
      }
      return odd;
    });
  }

  private onClick(event: MouseEvent): void {
    if ((event.target as Element).closest("button")) return;
    const [px, py] = this.pixel(event);
    if (Math.hypot(px - this.down[0], py - this.down[1]) > 4) return;
    const found = this.under(px, py);
    if (!found) {
      this.state.choose(-1);
      if (this.state.marked.size) this.state.mark([]);
      return;
    }
    this.state.choose(found.newcomer >= 0 ? this.state.data.n + found.newcomer : found.old);
    this.tooltip.show(found);
  }

  private onKey(event: KeyboardEvent): void {
    const { view, state } = this;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => view.panBy(STEP, 0),
      ArrowRight: () => view.panBy(-STEP, 0),
      ArrowUp: () => view.panBy(0, STEP),
      ArrowDown: () => view.panBy(0, -STEP),
      "+": () => view.zoomBy(ZOOM),
      "=": () => view.zoomBy(ZOOM),
      "-": () => view.zoomBy(1 / ZOOM),
      "0": () => view.showAll(),
      n: () => this.chooseNext(1, state.data.n, state.visible.length),
      p: () => this.chooseNext(-1, state.data.n, state.visible.length),
      o: () => this.chooseNext(event.shiftKey ? -1 : 1, 0, state.data.n),
      Escape: () => {
        state.choose(-1);
        if (state.marked.size) state.mark([]);
      },
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  /** Chooses the next object that is shown, of those from `from` to `to`. */
  private chooseNext(by: number, from: number, to: number): void {
    const { state } = this;
    const count = to - from;
    if (count === 0) return;
    const now = state.selectedOld >= 0 ? state.selectedOld : state.selected >= 0 ? state.data.n + state.selected : -1;
    let at = now >= from && now < to ? now - from : by > 0 ? -1 : count;
    for (let tried = 0; tried < count; tried++) {
      at = (at + by + count) % count;
      if (state.visible[from + at]) break;
    }
    state.choose(from + at);
    announce(`${elided(state.label(from + at), 80)} chosen`);
  }

  /** Where on the map an event is. */
  private pixel(event: MouseEvent): [number, number] {
    const rect = this.view.box.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  }

  /** The newcomer or, if there is none, the old object under the pointer. */
  private under(px: number, py: number): Found | null {
    const found = this.newcomerUnder(px, py);
    if (found) return found;
    const { view } = this;
    const old = this.old.tree.find(view.invertX(px), view.one ? 0 : view.invertY(py), REACH / view.unit);
    if (old === undefined || (view.one && Math.abs(py - view.y(0)) > REACH)) return null;
    const { data } = this.state;
    const [x, y] = view.toScreen(data.old, old * data.d, 0);
    return { newcomer: -1, old, more: this.old.at(x, y) - 1, x, y };
  }

  private newcomerUnder(px: number, py: number): Found | null {
    const { data, places, visible } = this.state;
    const k = data.newcomers?.count ?? 0;
    const { lane } = this.view;
    const { n, d } = data;
    let best = REACH;
    let newcomer = -1;
    const near: [number, number][] = [];
    for (let i = 0; i < k; i++) {
      if (!visible[n + i]) continue;
      const [x, y] = this.view.toScreen(places, i * d, lane);
      const [dx, dy] = [x - px, y - py];
      if (Math.abs(dx) > REACH || Math.abs(dy) > REACH) continue;
      near.push([x, y]);
      const distance = Math.hypot(dx, dy);
      if (distance < best) {
        best = distance;
        newcomer = i;
      }
    }
    if (newcomer < 0) return null;
    const [x, y] = this.view.toScreen(places, newcomer * d, lane);
    const same = near.filter(([u, v]) => Math.abs(u - x) <= SAME && Math.abs(v - y) <= SAME).length;
    return { newcomer, old: -1, more: same - 1 + (lane ? 0 : this.old.at(x, y)), x, y };
  }
}
