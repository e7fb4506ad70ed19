// Newcomers where the slider has them: the uppermost layer, drawn anew at every slider move. On it are their marks, a ring
// around the chosen one and the one under the pointer, and all labels, which old objects get where newcomers leave room.

import { drawLabels, type Wanted } from "../labels";
import { SHAPES, trace } from "../marks";
import { MOST_ENDS, type State } from "../state";
import { elided, isolated } from "../text";
import type { Theme } from "../theme";
import { MarkLayer } from "./layer";
import { MOST_LABELS, type OldObjects } from "./old";
import type { View } from "./view";

/** A mark that labels keep clear of. */
interface Circle {
  x: number;
  y: number;
  r: number;
}

export class Newcomers extends MarkLayer {
  private readonly count: number;
  /** Whether they are too many to be drawn one by one. */
  private readonly many: boolean;

  constructor(
    private readonly state: State,
    view: View,
    private readonly old: OldObjects,
  ) {
    super("map-new", view);
    this.count = state.data.newcomers?.count ?? 0;
    this.many = this.count > MOST_ENDS;
  }

  /** Radius of a newcomer's mark. */
  private get radius(): number {
    const k = this.count;
    const small = this.view.narrow ? 0.85 : 1;
    if (this.many) return small * 1.4 * Math.min(2.7, Math.max(1, Math.sqrt(this.view.transform.k)));
    return small * (k <= 30 ? 5.5 : k <= 300 ? 4.6 : k <= 1000 ? 4 : 3);
  }

  draw(look: Theme): void {
    const canvas = this.cleared();
    canvas.save();
    this.clip(canvas);
    const r = this.radius;
    // Thousands of outlines would be all that is seen.
    const outline = !this.many ? 1.2 : this.state.colourBy < 0 || r < 3 ? 0 : 0.7;
    const stamps = this.looks.colours.map((fill) => SHAPES.map((s) => this.stamps.get(s, r, fill, look.ink, outline)));
    const marks: Circle[] = [];
    if (this.many) this.drawMany(canvas, stamps, `${r} ${outline}`);
    else this.drawFew(canvas, stamps, r, marks);
    this.drawRings(canvas, look, r);
    if (this.state.showLabels) this.drawLabels(canvas, look, r, marks);
    canvas.restore();
  }

  /** Marks pixel by pixel; `key` tells those of other sizes apart. */
  private drawMany(canvas: CanvasRenderingContext2D, stamps: HTMLCanvasElement[][], key: string): void {
    const { view, splat, count: k } = this;
    const { data, places } = this.state;
    const { n, d } = data;
    const { colours, colour, shape } = this.looks;
    const { lane, ratio } = view;
    const { left, right, top, bottom } = view.plot;
    splat.clear();
    const faint = this.faint(0.4, k, 10_000);
    const pictures = stamps.map((list, c) => list.map((stamp, s) => splat.mark(`${colours[c]} ${SHAPES[s]} ${key}`, stamp, faint)));
    for (let i = 0; i < k; i++) {
      const [x, y] = view.toScreen(places, i * d, lane);
      if (x > left && x < right && y > top && y < bottom)
        splat.add(pictures[colour[n + i]][shape[n + i]], x * ratio, y * ratio);
    }
    splat.put(canvas);
  }

  /** Marks one by one; `marks` takes those that labels mind. */
  private drawFew(canvas: CanvasRenderingContext2D, stamps: HTMLCanvasElement[][], r: number, marks: Circle[]): void {
    const { view, count: k } = this;
    const { data, places } = this.state;
    const { n, d } = data;
    const { colour, shape } = this.looks;
    const { width, height, lane } = view;
    for (let i = 0; i < k; i++) {
      const [x, y] = view.toScreen(places, i * d, lane);
      if (!(x > 0 && x < width && y > 0 && y < height)) continue;
      this.stamp(canvas, stamps[colour[n + i]][shape[n + i]], x, y);
      if (k <= MOST_LABELS) marks.push({ x, y, r });
    }
  }

  /** Rings around the newcomer under the pointer and the chosen one. */
  private drawRings(canvas: CanvasRenderingContext2D, look: Theme, r: number): void {
    const { data, places, selected, hovered } = this.state;
    const { n, d } = data;
    const { colours, colour, shape } = this.looks;
    for (const i of [hovered, selected]) {
      if (i < 0) continue;
      const [x, y] = this.view.toScreen(places, i * d, this.view.lane);
      // Among thousands the chosen one is drawn once more, larger.
      if (this.many) {
        trace(canvas, SHAPES[shape[n + i]], x, y, 5);
        canvas.fillStyle = colours[colour[n + i]];
        canvas.fill();
        canvas.strokeStyle = look.ink;
        canvas.lineWidth = 1.2;
        canvas.stroke();
      }
      canvas.beginPath();
      canvas.arc(x, y, Math.max(5, r) + 4.5, 0, 2 * Math.PI);
      canvas.strokeStyle = look.surface;
      canvas.lineWidth = 4.5;
      canvas.stroke();
      canvas.strokeStyle = i === selected ? look.ink : look.muted;
      canvas.lineWidth = 2.2;
      canvas.stroke();
    }
  }

  /** Labels of newcomers, then of old objects, clear of `marks`, to which the old objects are added. */
  private drawLabels(canvas: CanvasRenderingContext2D, look: Theme, r: number, marks: Circle[]): void {
    const { view } = this;
    const { data, places, selected, hovered } = this.state;
    const { d, newcomers } = data;
    const { plot, width, height, lane } = view;
    const wanted: Wanted[] = [];
    for (const i of this.labelled()) {
      const [x, y] = view.toScreen(places, i * d, lane);
      if (!(x > plot.left && x < width && y > 0 && y < height)) continue;
      // A label stands clear of the ring.
      const clear = i === selected || i === hovered ? Math.max(5, r) + 4 : r;
      wanted.push({ text: isolated(elided(newcomers!.labels[i], 24)), x, y, r: clear, bold: true, colour: look.ink });
    }
    const old = this.old.radius;
    for (const i of this.old.inSight()) {
      const [x, y] = view.toScreen(data.old, i * d, 0);
      marks.push({ x, y, r: old });
      wanted.push({ text: isolated(elided(data.labels[i], 24)), x, y, r: old, bold: false, colour: look.muted });
    }
    drawLabels(canvas, wanted, marks, plot, look.surface);
  }

  /** Newcomers to label, the chosen one first: all if they are few, otherwise those that stand out. */
  private labelled(): number[] {
    const { selected, hovered, data } = this.state;
    const first = [selected, hovered].filter((i, at, all) => i >= 0 && all.indexOf(i) === at);
    if (this.count > MOST_LABELS) return first;
    const foreign = data.newcomers?.foreign;
    const rest = Array.from({ length: this.count }, (_, i) => i).filter((i) => !first.includes(i));
    return [...first, ...rest.sort((i, j) => (foreign![j] || 0) - (foreign![i] || 0))];
  }
}
