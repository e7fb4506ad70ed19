// Old objects: their layer, with the arcs of arcs.ts above them, and the tree that finds them by where they are. Their
// labels are drawn by top.ts; pointing.ts looks them up in the tree.

import { quadtree, type Quadtree } from "d3-quadtree";
import { zoomIdentity, type ZoomTransform } from "d3-zoom";
import { SHAPES } from "../marks";
import type { State } from "../state";
import { theme, type Theme } from "../theme";
import type { ArcLines } from "./arcs";
import { drawGroups } from "./groups";
import { MarkLayer } from "./layer";
import type { View } from "./view";

/** More old objects than these are drawn pixel by pixel. */
const MANY = 20_000;
/** Labels of old objects are drawn if no more than these are in sight; the same goes for newcomers on the whole map. */
export const MOST_LABELS = 150;
/** Marks in sight that labels keep clear of, at most. */
export const MOST_OBSTACLES = 4000;
/** Milliseconds above which a drawing is costly. */
const COSTLY = 24;
/** Milliseconds after which the hand rests. */
const REST = 90;

/** Pixels within which marks are at the same place. */
export const SAME = 1;

/** A leaf of the tree: an object, and another at the very same place. */
interface Leaf {
  data: number;
  next?: Leaf;
}

/** Radii in steps of a quarter of a pixel, so that marks of many sizes share a few pictures. */
export const quarter = (r: number): number => Math.round(4 * r) / 4;

export class OldObjects extends MarkLayer {
  tree!: Quadtree<number>;
  /** How many old objects were in sight when they were last drawn. */
  count = 0;
  /** The transform of the last drawing, and the milliseconds it took. */
  private drawn: ZoomTransform = zoomIdentity;
  private cost = 0;
  private resting = 0;

  constructor(
    private readonly state: State,
    view: View,
    private readonly arcs: ArcLines,
  ) {
    super("map-old", view);
  }

  /** Builds the tree anew, for the axes shown. */
  reindex(): void {
    const { data, axes, visible } = this.state;
    const [a, b] = axes;
    this.tree = quadtree<number>()
      .x((i) => data.old[i * data.d + a])
      .y((i) => (b < 0 ? 0 : data.old[i * data.d + b]))
      .addAll(Array.from({ length: data.n }, (_, i) => i).filter((i) => visible[i]));
  }

  /** Radius of an old object's mark. */
  get radius(): number {
    const { n } = this.state.data;
    const zoomed = Math.min(1.8, Math.max(1, Math.sqrt(this.view.transform.k)));
    return zoomed * (n <= 100 ? 4.5 : n <= 1000 ? 3.4 : n <= 5000 ? 2.6 : n <= MANY ? 1.9 : 1);
  }

  draw(): void {
    // While one pans or zooms, a costly picture is moved and not drawn.
    const { transform } = this.view;
    const costly = this.cost > COSTLY && transform !== this.drawn;
    window.clearTimeout(this.resting);
    if (costly) {
      const k = transform.k / this.drawn.k;
      const dx = transform.x - this.drawn.x * k;
      const dy = transform.y - this.drawn.y * k;
      this.canvas.style.transform = `translate(${dx}px, ${dy}px) scale(${k})`;
      this.resting = window.setTimeout(() => this.drawNow(), REST);
    } else this.drawNow();
  }

  private drawNow(): void {
    const before = performance.now();
    this.drawLayer(theme());
    this.cost = performance.now() - before;
    this.drawn = this.view.transform;
    this.canvas.style.transform = "";
  }

  private drawLayer(look: Theme): void {
    const canvas = this.cleared();
    const { view } = this;
    canvas.save();
    this.clip(canvas);
    this.drawMarks(canvas, look);
    drawGroups(canvas, this.state, view, this.looks);
    if (this.state.roles.arcs && this.state.roles.newcomers) this.arcs.draw(canvas, look);
    canvas.restore();
  }

  private drawMarks(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { view } = this;
    const { data, axes, visible } = this.state;
    const [a, b] = axes;
    const r = this.radius;
    const { colours, colour, shape, size } = this.looks;
    const ax = view.x(0);
    const bx = view.x(1) - ax;
    const ay = view.y(0);
    const by = view.y(1) - ay;
    const { old, d, n } = data;
    this.count = 0;
    const opacity = n <= 1000 ? 0.9 : n <= MANY ? 0.7 : this.faint(0.3, n, 100_000);
    const rim = r > 2 && n <= MANY ? 0.8 : 0;
    const stamps = colours.map((fill) => SHAPES.map((s) => this.stamps.get(s, r, fill, look.surface, rim)));
    if (n > MANY) {
      const { splat } = this;
      splat.clear();
      const marks = stamps.map((list, c) => list.map((stamp, s) => splat.mark(`${colours[c]} ${SHAPES[s]} ${r}`, stamp, opacity)));
      const { ratio } = view;
      const { left, right, top, bottom } = view.plot;
      for (let i = 0; i < n; i++) {
        if (!visible[i]) continue;
        const x = ax + bx * old[i * d + a];
        const y = b < 0 ? ay : ay + by * old[i * d + b];
        if (!(x > left && x < right && y > top && y < bottom)) continue;
        this.count++;
        splat.add(marks[colour[i]][shape[i]], x * ratio, y * ratio);
      }
      splat.put(canvas);
    } else {
      const { width, height, plot } = view;
      canvas.globalAlpha = opacity;
      for (let i = 0; i < n; i++) {
        const x = ax + bx * old[i * d + a];
        const y = b < 0 ? ay : ay + by * old[i * d + b];
        if (!visible[i] || x < 0 || x > width || y < 0 || y > height) continue;
        if (x > plot.left && x < plot.right && y > plot.top && y < plot.bottom) this.count++;
        const own = size && n <= MANY ? this.stamps.get(SHAPES[shape[i]], quarter(r * size[i]), colours[colour[i]], look.surface, rim) : stamps[colour[i]][shape[i]];
        this.stamp(canvas, own, x, y);
      }
    }
    canvas.globalAlpha = 1;
  }

  /** How many old objects that are shown are at a pixel. */
  at(px: number, py: number): number {
    const { view } = this;
    const { data, axes } = this.state;
    const [a, b] = axes;
    const [x, y] = [view.invertX(px), view.one ? 0 : view.invertY(py)];
    const reach = SAME / view.unit;
    let count = 0;
    this.tree.visit((node, x0, y0, x1, y1) => {
      if (x0 > x + reach || x1 < x - reach || y0 > y + reach || y1 < y - reach) return true;
      if (!("length" in node) || node.length === undefined)
        for (let leaf = node as Leaf | undefined; leaf; leaf = leaf.next) {
          const i = leaf.data;
          if (Math.abs(data.old[i * data.d + a] - x) <= reach && (b < 0 || Math.abs(data.old[i * data.d + b] - y) <= reach)) count++;
        }
      return false;
    });
    return count;
  }

  /** Old objects in sight, if they are no more than `most`. */
  inSight(most: number): number[] {
    const { view } = this;
    const { plot } = view;
    const sorted = (p: number, q: number) => (p < q ? [p, q] : [q, p]);
    const [left, right] = sorted(view.invertX(plot.left), view.invertX(plot.right));
    const [low, high] = sorted(view.invertY(plot.bottom), view.invertY(plot.top));
    const { data, axes } = this.state;
    const [a, b] = axes;
    const seen: number[] = [];
    this.tree.visit((node, x0, y0, x1, y1) => {
      if (seen.length > most || x0 > right || x1 < left || y0 > high || y1 < low) return true;
      if (!("length" in node) || node.length === undefined) {
        for (let leaf = node as Leaf | undefined; leaf; leaf = leaf.next) {
          const i = leaf.data;
          const x = data.old[i * data.d + a];
          const y = b < 0 ? 0 : data.old[i * data.d + b];
          if (x >= left && x <= right && y >= low && y <= high) seen.push(i);
        }
      }
      return false;
    });
    return seen.length > most ? [] : seen;
  }
}
