// What the reader has chosen, and who wants to know.

import type { Arcs } from "./arc";
import { haystack } from "./columns";
import type { Data } from "./data";
import { legendCode, type Choice, type RampScale } from "./looks";
import { short } from "./text";

/**
 * What changed: the slider; the axes shown or their direction; who is chosen; how objects look; the colours of the page;
 * who is pointed at; who is shown at all; who is marked with box or lasso; what part of the map is in sight.
 */
export type Topic = "slide" | "axes" | "selection" | "style" | "theme" | "hover" | "visible" | "marked" | "view";

/** Ends of arcs are marked if there are no more newcomers than these; more of them are drawn faint and pixel by pixel. */
export const MOST_ENDS = 2000;

/** No more newcomers than these all have their regions at first; more of them would be all that is seen. */
export const FEW_REGIONS = 24;

export type Labels = "auto" | "all" | "none";
export type Regions = "chosen" | "all" | "none";
export type Groups = "ellipses" | "hulls" | "spiders";
export type Scene = "map" | "pairs" | "solid" | "beside";

export class State implements Choice {
  /** The share of the way from projection to reconstruction. */
  share = 0;
  /** The two axes shown; the second is -1 on a map of one axis. */
  axes: [number, number];
  /** The third axis of the view in three dimensions. */
  depth = -1;
  /** 1 or −1 for each axis of the map: the direction in which it is drawn. */
  readonly signs: Int8Array;
  /** The chosen newcomer and the chosen old object; one of them at most is not -1. */
  selected = -1;
  selectedOld = -1;
  /** The newcomer under the pointer. */
  hovered = -1;
  /** Objects in the box or the lasso, old ones first. */
  marked = new Set<number>();
  /** Columns of metadata that colour, shape and size, -1 for none. */
  colourBy = -1;
  shapeBy = -1;
  sizeBy = -1;
  ramp: RampScale = "linear";
  asClasses = false;
  labels: Labels = "auto";
  /** Around whose places regions of uncertainty are drawn. */
  regions: Regions = "none";
  readonly groups = new Set<Groups>();
  /** Whether variables are drawn as arrows. */
  arrows = true;
  scene: Scene = "map";
  /** The two ways of placing newcomers that are shown side by side. */
  beside: [number, number] = [0, 1];
  /** Roles that are drawn. */
  readonly roles = { old: true, newcomers: true, arcs: true };
  /** Codes of the classes that are hidden, in the column that colours and in the one that shapes. */
  readonly hidden = { colour: new Set<number>(), shape: new Set<number>() };
  /** Words that newcomers must have. */
  filter = "";
  /** Whether each object is shown, old ones first. */
  readonly visible: Uint8Array;
  /** How often it was said anew who is shown. */
  said = 0;
  /** Coordinates of all newcomers where the slider is. */
  readonly places: Float64Array;
  private readonly listeners = new Map<Topic, (() => void)[]>();
  private haystacks: string[] | null = null;

  constructor(
    readonly data: Data,
    readonly arcs: Arcs | null,
  ) {
    this.axes = [0, data.d > 1 ? 1 : -1];
    this.depth = data.d > 2 ? 2 : -1;
    this.signs = new Int8Array(data.d).fill(1);
    for (const axis of data.words.flip) this.signs[axis] = -1;
    const ways = data.newcomers?.ways.length ?? 0;
    if (data.newcomers?.chosen) this.beside = [0, data.newcomers.ways.findIndex((w) => w.placed === data.newcomers!.chosen)];
    else if (ways > 2) this.beside = [1, 2];
    this.visible = new Uint8Array(data.n + (data.newcomers?.count ?? 0)).fill(1);
    this.places = new Float64Array((arcs?.count ?? 0) * data.d);
    arcs?.all(0, this.places);
    const { newcomers } = data;
    if (newcomers?.words.uncertainty) this.regions = newcomers.count <= FEW_REGIONS ? "all" : "chosen";
  }

  /** A coordinate as text; what is a rounding error beside the map is 0. */
  coordinate(value: number): string {
    const { eigenvalues, n } = this.data.words;
    return short(Math.abs(value) < 1e-12 * Math.sqrt(eigenvalues[0] / n) ? 0 : value);
  }

  label(at: number): string {
    const { data } = this;
    return at < data.n ? data.labels[at] : data.newcomers!.labels[at - data.n];
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
    if (i === this.selected && this.selectedOld < 0) return;
    this.selected = i;
    this.selectedOld = -1;
    this.tell("selection");
  }

  selectOld(i: number): void {
    if (i === this.selectedOld) return;
    this.selected = -1;
    this.selectedOld = i;
    this.tell("selection");
  }

  /** Chooses an object, old ones first; -1 for none. */
  choose(at: number): void {
    if (at >= 0 && at < this.data.n) this.selectOld(at);
    else this.select(at < 0 ? -1 : at - this.data.n);
  }

  hover(i: number): void {
    if (i === this.hovered) return;
    this.hovered = i;
    this.tell("hover");
  }

  flip(axis: number): void {
    this.signs[axis] *= -1;
    this.tell("axes");
  }

  mark(objects: Iterable<number>): void {
    this.marked = new Set(objects);
    this.tell("marked");
  }

  /** What is written of an object, to search in. */
  text(at: number): string {
    this.haystacks ??= Array.from(this.visible, (_, i) => haystack(this.data, i));
    return this.haystacks[at];
  }

  /** Says anew who is shown, after roles, classes or the filter have changed. */
  refresh(): void {
    const { data, visible, roles, hidden } = this;
    const { n } = data;
    const columns = ([["colour", this.colourBy], ["shape", this.shapeBy]] as const)
      .filter(([which, by]) => by >= 0 && hidden[which].size > 0 && data.columns[by].codes)
      .map(([which, by]) => ({ codes: data.columns[by].codes!, gone: hidden[which], code: legendCode(data.columns[by], which) }));
    const needle = this.filter.trim().toLowerCase();
    for (let i = 0; i < visible.length; i++) {
      let shown = i < n ? roles.old : roles.newcomers;
      for (const { codes, gone, code } of columns) if (gone.has(code(codes[i]))) shown = false;
      if (shown && needle && i >= n) shown = this.text(i).includes(needle);
      visible[i] = Number(shown);
    }
    this.said++;
    this.tell("visible");
  }
}
