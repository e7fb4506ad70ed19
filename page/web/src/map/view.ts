// The view: how large the map is, what of it is in sight, and the way from coordinates to pixels and back. It draws
// nothing. The layers ask it where things stand, pointing.ts asks it to zoom and pan, and map.ts is told when it moved.

import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import type { Box } from "../labels";
import type { State } from "../state";

/** Around the plot; the buttons stand in it, to the right of the plot or, where that is narrow, above. */
const WIDE = { left: 66, right: 50, top: 12, bottom: 40 };
const NARROW = { left: 60, right: 16, top: 40, bottom: 40 };
/** A map less wide than this is narrow. */
const LEAST = 520;
/** On a map of one axis newcomers stand so many pixels above the line. */
const LANE = 46;

/** Outlines widen what is in sight by this share of it on each side, at most. */
const MOST_ROOM = 0.4;

/** The range of coordinates on the two axes shown. */
export interface Extent {
  left: number;
  right: number;
  low: number;
  high: number;
}

/** The way from coordinates on the axes shown to pixels. */
export interface Ruler {
  x(value: number): number;
  y(value: number): number;
}

export class View implements Ruler {
  width = 0;
  height = 0;
  /** Pixels of the screen for a pixel of the page. */
  ratio = 1;
  /** The zoom and pan on top of the fit. */
  transform: ZoomTransform = zoomIdentity;
  /** Whether the hand draws a box or a lasso, and the map stays. */
  busy = false;
  /** Whether the map has one axis only. */
  readonly one: boolean;
  private margin = WIDE;
  /** Pixels for a unit, and the middle of the map, before zooming. */
  private scale = 1;
  private middle: [number, number] = [0, 0];
  private extent: Extent | null = null;
  private readonly zoomer = zoom<HTMLElement, unknown>();
  private readonly spot = new Float64Array(2);

  constructor(
    private readonly state: State,
    readonly box: HTMLElement,
    moved: () => void,
  ) {
    this.one = state.data.d === 1;
    this.zoomer
      .scaleExtent([0.2, 2000])
      .filter((event: MouseEvent & TouchEvent) =>
        // One finger scrolls the page, two move the map.
        event.type.startsWith("touch")
          ? event.touches.length > 1
          : !event.button && !event.shiftKey && !this.busy && !(event.target as Element).closest("button"),
      )
      .on("zoom", (event: D3ZoomEvent<HTMLElement, unknown>) => {
        this.transform = event.transform;
        moved();
        state.tell("view");
      });
    select(box).call(this.zoomer).on("dblclick.zoom", null);
  }

  zoomBy(factor: number): void {
    select(this.box).call(this.zoomer.scaleBy, factor, [this.width / 2, this.height / 2]);
  }

  /** Moves the map by so many pixels. */
  panBy(dx: number, dy: number): void {
    select(this.box).call(this.zoomer.translateBy, dx / this.transform.k, dy / this.transform.k);
  }

  showAll(): void {
    select(this.box).call(this.zoomer.transform, zoomIdentity);
  }

  /** Takes the size from the page; says whether it is another than before. */
  resize(): boolean {
    const { clientWidth, clientHeight } = this.box;
    const ratio = window.devicePixelRatio || 1;
    if (clientWidth === this.width && clientHeight === this.height && ratio === this.ratio) return false;
    this.width = clientWidth;
    this.margin = clientWidth < LEAST ? NARROW : WIDE;
    this.box.classList.toggle("narrow", this.narrow);
    this.height = clientHeight;
    this.ratio = ratio;
    this.zoomer.extent([
      [0, 0],
      [this.width, this.height],
    ]);
    this.fit();
    return true;
  }

  /** What is to be in sight when nothing is zoomed. */
  setExtent(extent: Extent): void {
    this.extent = extent;
    this.fit();
  }

  /** The scale at which everything is in sight. */
  private fit(): void {
    if (!this.extent || this.width === 0) return;
    const { left, right, low, high } = this.extent;
    const w = Math.max(10, this.width - this.margin.left - this.margin.right);
    const h = Math.max(10, this.height - this.margin.top - this.margin.bottom);
    const across = right - left || 1;
    const up = high - low || (this.one ? 0 : 1);
    this.scale = 0.92 * Math.min(w / across, up > 0 ? h / up : Infinity);
    this.middle = [(left + right) / 2, (low + high) / 2];
  }

  get narrow(): boolean {
    return this.margin === NARROW;
  }

  /** The plot within its margins, in pixels. */
  get plot(): Box {
    const { left, right, top, bottom } = this.margin;
    return { left, right: this.width - right, top, bottom: this.height - bottom };
  }

  /** Pixels for a unit as the map is zoomed now. */
  get unit(): number {
    return this.scale * this.transform.k;
  }

  /** How many pixels above the line newcomers stand. */
  get lane(): number {
    return this.one ? LANE : 0;
  }

  x(value: number): number {
    return this.transform.applyX(this.centreX + (value - this.middle[0]) * this.across);
  }

  y(value: number): number {
    return this.transform.applyY(this.centreY - (value - this.middle[1]) * this.up);
  }

  invertX(pixel: number): number {
    return (this.transform.invertX(pixel) - this.centreX) / this.across + this.middle[0];
  }

  invertY(pixel: number): number {
    return (this.centreY - this.transform.invertY(pixel)) / this.up + this.middle[1];
  }

  /** The scale on each axis, negative if that is drawn the other way round. */
  private get across(): number {
    return this.scale * this.state.signs[this.state.axes[0]];
  }

  private get up(): number {
    const axis = this.state.axes[1];
    return this.scale * (axis < 0 ? 1 : this.state.signs[axis]);
  }

  /** Moves the map, without zooming, so that a point that is out of sight is in its middle. */
  bring(x: number, y: number): void {
    const { left, right, top, bottom } = this.plot;
    if (Number.isNaN(x) || (x >= left && x <= right && y >= top && y <= bottom)) return;
    this.panBy((left + right) / 2 - x, (top + bottom) / 2 - y);
  }

  /** The zoom and pan as numbers that do not depend on the size of the map: a factor, and the point in the middle. */
  get sight(): [number, number, number] {
    const { left, right, top, bottom } = this.plot;
    return [this.transform.k, this.invertX((left + right) / 2), this.invertY((top + bottom) / 2)];
  }

  set sight([k, x, y]: [number, number, number]) {
    select(this.box).call(this.zoomer.transform, zoomIdentity.scale(k));
    const { left, right, top, bottom } = this.plot;
    this.panBy((left + right) / 2 - this.x(x), (top + bottom) / 2 - this.y(y));
  }

  /**
   * Where a point of d coordinates stands on the screen; `lane` is how far newcomers are off a line. The answer holds
   * until the next point is asked for.
   */
  toScreen(from: ArrayLike<number>, at: number, lane: number): Float64Array {
    const [a, b] = this.state.axes;
    this.spot[0] = this.x(from[at + a]);
    this.spot[1] = this.y(b < 0 ? 0 : from[at + b]) - (b < 0 ? lane : 0);
    return this.spot;
  }

  private get centreX(): number {
    return this.margin.left + (this.width - this.margin.left - this.margin.right) / 2;
  }

  private get centreY(): number {
    return this.margin.top + (this.height - this.margin.top - this.margin.bottom) / 2;
  }
}

/** The range of all that is drawn on the axes shown: old objects, arcs (their points, one by one), where arcs end, and outlines. */
export function extentOf(state: State, lines: Float32Array, more: [number, number][] = []): Extent {
  const { data, axes } = state;
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  const take = (x: number, y: number) => {
    if (Number.isNaN(x) || Number.isNaN(y)) return;
    left = Math.min(left, x);
    right = Math.max(right, x);
    low = Math.min(low, y);
    high = Math.max(high, y);
  };
  const [a, b] = axes;
  for (let i = 0; i < data.n; i++) take(data.old[i * data.d + a], b < 0 ? 0 : data.old[i * data.d + b]);
  for (let p = 0; p < lines.length; p += 2) take(lines[p], lines[p + 1]);
  const newcomers = data.newcomers;
  for (const placed of [newcomers?.chosen, newcomers?.reconstruct]) {
    if (!placed) continue;
    for (let i = 0; i < newcomers!.count; i++)
      take(placed.coordinates[i * data.d + a], b < 0 ? 0 : placed.coordinates[i * data.d + b]);
    for (const [, y] of placed.alternatives) take(y[a], b < 0 ? 0 : y[b]);
  }
  // Outlines are in sight too, unless they are so large that objects would be small.
  const [across, up] = [MOST_ROOM * (right - left), MOST_ROOM * (high - low)];
  const inner = { left, right, low, high };
  for (const [x, y] of more) take(Math.max(inner.left - across, Math.min(x, inner.right + across)), Math.max(inner.low - up, Math.min(y, inner.high + up)));
  return { left, right, low, high };
}
