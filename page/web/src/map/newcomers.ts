// Newcomers where the slider has them, drawn anew at every slider move. top.ts has what lies above them.

import { SHAPES } from "../marks";
import { MOST_ENDS, type State } from "../state";
import type { Theme } from "../theme";
import { MarkLayer } from "./layer";
import { quarter } from "./old";
import type { View } from "./view";

/** A mark that labels keep clear of. */
export interface Circle {
  x: number;
  y: number;
  r: number;
}

export class Newcomers extends MarkLayer {
  private readonly count: number;
  /** Whether they are too many to be drawn one by one. */
  readonly many: boolean;
  /** Where their marks are, if they were drawn one by one. */
  circles: Circle[] = [];

  constructor(
    private readonly state: State,
    view: View,
  ) {
    super("map-new", view);
    this.count = state.data.newcomers?.count ?? 0;
    this.many = this.count > MOST_ENDS;
  }

  /** Radius of a newcomer's mark. */
  get radius(): number {
    const k = this.count;
    const small = this.view.narrow ? 0.85 : 1;
    // Among many, an outline tells who is new where colour says something else; it needs a little room.
    if (this.many) return small * (this.state.colourBy < 0 ? 1.4 : 1.8) * Math.min(2.7, Math.max(1, Math.sqrt(this.view.transform.k)));
    // No cliff where they become many: marks shrink steadily.
    return small * Math.max(2.6, Math.min(5.5, 5.5 * (30 / Math.max(1, k)) ** 0.18));
  }

  draw(look: Theme): void {
    const canvas = this.cleared();
    canvas.save();
    this.clip(canvas);
    const r = this.radius;
    // Thousands of outlines would be all that is seen.
    const outline = this.many ? (this.state.colourBy < 0 ? 0 : 0.6) : Math.min(1.2, r / 4.5);
    this.circles = [];
    if (this.many) this.drawMany(canvas, look, r, outline);
    else this.drawFew(canvas, look, r, outline);
    canvas.restore();
  }

  /** Marks pixel by pixel. */
  private drawMany(canvas: CanvasRenderingContext2D, look: Theme, r: number, outline: number): void {
    const { view, splat, count: k } = this;
    const { data, places, visible } = this.state;
    const { n, d } = data;
    const { colours, colour, shape } = this.looks;
    const { lane, ratio } = view;
    const { left, right, top, bottom } = view.plot;
    splat.clear();
    const faint = this.faint(outline ? 0.8 : 0.4, k, 10_000);
    const stamps = colours.map((fill) => SHAPES.map((s) => this.stamps.get(s, r, fill, look.ink, outline)));
    const pictures = stamps.map((list, c) => list.map((stamp, s) => splat.mark(`${colours[c]} ${SHAPES[s]} ${r} ${outline}`, stamp, faint)));
    for (let i = 0; i < k; i++) {
      if (!visible[n + i]) continue;
      const [x, y] = view.toScreen(places, i * d, lane);
      if (x > left && x < right && y > top && y < bottom)
        splat.add(pictures[colour[n + i]][shape[n + i]], x * ratio, y * ratio);
    }
    splat.put(canvas);
  }

  /** Marks one by one. */
  private drawFew(canvas: CanvasRenderingContext2D, look: Theme, r: number, outline: number): void {
    const { view, count: k } = this;
    const { data, places, visible } = this.state;
    const { n, d } = data;
    const { colours, colour, shape, size } = this.looks;
    const { width, height, lane } = view;
    for (let i = 0; i < k; i++) {
      if (!visible[n + i]) continue;
      const [x, y] = view.toScreen(places, i * d, lane);
      if (!(x > 0 && x < width && y > 0 && y < height)) continue;
      const own = size ? quarter(r * size[n + i]) : r;
      this.stamp(canvas, this.stamps.get(SHAPES[shape[n + i]], own, colours[colour[n + i]], look.ink, outline), x, y);
      this.circles.push({ x, y, r: own });
    }
  }
}
