// Pointing: the object under the pointer, and what pointer, keys and buttons do on the map. It draws nothing but the
// tooltip: what it finds goes into the state, what it moves goes to the view, and both have the map drawn anew.

import type { State } from "../state";
import { announce, byId, elided, element } from "../text";
import type { OldObjects } from "./old";
import { Tooltip, type Found } from "./tooltip";
import type { View } from "./view";

/** Pixels within which a mark is under the pointer. */
const REACH = 14;
/** Pixels that an arrow key pans. */
const STEP = 60;
/** What a button or a key zooms by. */
const ZOOM = 1.5;

export class Pointing {
  private readonly tooltip: Tooltip;

  constructor(
    private readonly state: State,
    private readonly view: View,
    private readonly old: OldObjects,
  ) {
    this.tooltip = new Tooltip(state, view);
    this.addButtons();
    view.box.addEventListener("pointermove", (e) => this.onMove(e));
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
    byId("zoom").append(
      make("+", "Zoom in", () => this.view.zoomBy(ZOOM)),
      make("−", "Zoom out", () => this.view.zoomBy(1 / ZOOM)),
      make("⤢", "Show all", () => this.view.showAll()),
    );
  }

  private onMove(event: PointerEvent): void {
    if (event.buttons || event.pointerType === "touch") return;
    const [px, py] = this.pixel(event);
    const found = (event.target as Element).closest("button") ? null : this.under(px, py);
    this.state.hover(found?.newcomer ?? -1);
    this.view.box.style.cursor = found ? "pointer" : "";
    if (found) this.tooltip.show(px, py, found);
    else this.clear();
  }

  private onClick(event: MouseEvent): void {
    if ((event.target as Element).closest("button")) return;
    const [px, py] = this.pixel(event);
    const found = this.under(px, py);
    if (found && found.newcomer >= 0) this.state.select(found.newcomer);
    if (found) this.tooltip.show(px, py, found);
  }

  private onKey(event: KeyboardEvent): void {
    const { view } = this;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => view.panBy(STEP, 0),
      ArrowRight: () => view.panBy(-STEP, 0),
      ArrowUp: () => view.panBy(0, STEP),
      ArrowDown: () => view.panBy(0, -STEP),
      "+": () => view.zoomBy(ZOOM),
      "=": () => view.zoomBy(ZOOM),
      "-": () => view.zoomBy(1 / ZOOM),
      "0": () => view.showAll(),
      n: () => this.selectNext(1),
      p: () => this.selectNext(-1),
      Escape: () => this.state.select(-1),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  private selectNext(by: number): void {
    const { data, selected } = this.state;
    const k = data.newcomers?.count ?? 0;
    if (k === 0) return;
    const i = selected < 0 ? (by > 0 ? 0 : k - 1) : (selected + by + k) % k;
    this.state.select(i);
    announce(`${elided(data.newcomers!.labels[i], 80)} chosen`);
  }

  /** Where on the map an event is. */
  private pixel(event: MouseEvent): [number, number] {
    const rect = this.view.box.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  }

  /** The newcomer or, if there is none, the old object under the pointer. */
  private under(px: number, py: number): Found | null {
    const newcomer = this.newcomerUnder(px, py);
    if (newcomer >= 0) return { newcomer, old: -1 };
    const { view } = this;
    const old = this.old.tree.find(view.invertX(px), view.one ? 0 : view.invertY(py), REACH / view.unit);
    if (old === undefined || (view.one && Math.abs(py - view.y(0)) > REACH)) return null;
    return { newcomer: -1, old };
  }

  private newcomerUnder(px: number, py: number): number {
    const { data, places } = this.state;
    const k = data.newcomers?.count ?? 0;
    const { lane } = this.view;
    let best = REACH;
    let newcomer = -1;
    for (let i = 0; i < k; i++) {
      const [x, y] = this.view.toScreen(places, i * data.d, lane);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) {
        best = distance;
        newcomer = i;
      }
    }
    return newcomer;
  }
}
