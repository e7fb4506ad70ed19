// What the reader has chosen, and who wants to know.

import type { Arcs } from "./arc";
import type { Data } from "./data";
import { short } from "./text";

export type Topic = "slide" | "axes" | "selection" | "style" | "theme" | "hover" | "filter";

/** Ends of arcs are marked if there are no more newcomers than these; more of them are drawn faint and pixel by pixel. */
export const MOST_ENDS = 2000;

export class State {
  /** The share of the way from projection to reconstruction. */
  share = 0;
  /** The two axes shown; the second is -1 on a map of one axis. */
  axes: [number, number];
  /** The chosen newcomer, -1 if there is none. */
  selected = -1;
  /** The newcomer under the pointer. */
  hovered = -1;
  /** Columns of metadata that colour and shape, -1 for none. */
  colourBy = -1;
  shapeBy = -1;
  showArcs = true;
  showLabels = true;
  /** Coordinates of all newcomers where the slider is. */
  readonly places: Float64Array;
  private readonly listeners = new Map<Topic, (() => void)[]>();

  constructor(
    readonly data: Data,
    readonly arcs: Arcs | null,
  ) {
    this.axes = [0, data.d > 1 ? 1 : -1];
    this.places = new Float64Array((arcs?.count ?? 0) * data.d);
    arcs?.all(0, this.places);
  }

  /** A coordinate as text; what is a rounding error beside the map is 0. */
  coordinate(value: number): string {
    const { eigenvalues, n } = this.data.words;
    return short(Math.abs(value) < 1e-12 * Math.sqrt(eigenvalues[0] / n) ? 0 : value);
  }

  on(topics: Topic[], listener: () => void): void {
    for (const topic of topics) {
      const list = this.listeners.get(topic) ?? [];
      list.push(listener);
      this.listeners.set(topic, list);
    }
  }

  tell(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  slideTo(share: number): void {
    this.share = Math.min(1, Math.max(0, share));
    this.arcs?.all(this.share, this.places);
    this.tell("slide");
  }

  select(i: number): void {
    if (i === this.selected) return;
    this.selected = i;
    this.tell("selection");
  }

  hover(i: number): void {
    if (i === this.hovered) return;
    this.hovered = i;
    this.tell("hover");
  }
}
