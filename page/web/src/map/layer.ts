// A layer: one of the canvases that lie on each other, as large as the view. grid.ts draws on a plain one, old.ts and
// newcomers.ts on layers that also keep how the objects look and the pictures of their marks.

import type { Looks } from "../looks";
import { Stamps } from "../marks";
import { Splat } from "../splat";
import { byId } from "../text";
import type { View } from "./view";

export class Layer {
  readonly canvas: HTMLCanvasElement;

  constructor(
    id: string,
    protected readonly view: View,
  ) {
    this.canvas = byId<HTMLCanvasElement>(id);
  }

  resize(): void {
    const { width, height, ratio } = this.view;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  /** The canvas with nothing on it, to draw on in pixels of the page. */
  protected cleared(): CanvasRenderingContext2D {
    const { width, height, ratio } = this.view;
    const context = this.canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  /** Nothing is drawn outside the plot from here on. */
  protected clip(canvas: CanvasRenderingContext2D): void {
    const { left, right, top, bottom } = this.view.plot;
    canvas.beginPath();
    canvas.rect(left, top, right - left, bottom - top);
    canvas.clip();
  }
}

/** A layer of marks: stamped one by one or, where there are many, blended pixel by pixel. */
export class MarkLayer extends Layer {
  protected looks!: Looks;
  protected stamps!: Stamps;
  protected splat!: Splat;

  override resize(): void {
    super.resize();
    this.forgetMarks();
  }

  restyle(looks: Looks): void {
    this.looks = looks;
    this.forgetMarks();
  }

  private forgetMarks(): void {
    this.stamps = new Stamps(this.view.ratio);
    this.splat = new Splat(this.canvas.width, this.canvas.height);
  }

  /** Draws the small picture of a mark with its middle at (x, y). */
  protected stamp(canvas: CanvasRenderingContext2D, stamp: HTMLCanvasElement, x: number, y: number): void {
    const size = stamp.width / this.view.ratio;
    canvas.drawImage(stamp, x - size / 2, y - size / 2, size, size);
  }

  /**
   * The opacity of each of so many marks that only together they are a picture: `one` where `usual` of them are on a
   * wide map, more if they are fewer or seen from near, less on a small map.
   */
  protected faint(one: number, count: number, usual: number): number {
    const { width, height, transform } = this.view;
    const room = Math.min(1, Math.sqrt((width * height) / 400_000));
    return Math.min(0.9, Math.max(0.15, one * room * Math.sqrt(usual / count)) * Math.max(1, Math.sqrt(transform.k)));
  }
}
