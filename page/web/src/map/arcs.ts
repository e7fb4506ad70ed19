// Arcs on the map: the way of every newcomer from projection to reconstruction as a line, with marks at both ends and at
// other places that are as good. ../arc.ts says where an arc goes; here it is drawn, by old.ts on the layer of the old
// objects, since a slider move changes neither.

import type { Box } from "../labels";
import { trace, type Shape } from "../marks";
import { MOST_ENDS, type State } from "../state";
import type { Theme } from "../theme";
import type { View } from "./view";

/** Arcs of fewer pixels than these have no marks at their ends. */
const SHORT = 3;

/** Of more newcomers than these, arcs and their ends are faint: what is seen is who is where, not the ways. */
const FEW = 40;

export class ArcLines {
  /** Arcs as polylines on the axes shown, `each` points for an arc. */
  lines: Float32Array = new Float32Array(0);
  private each = 0;

  constructor(
    private readonly state: State,
    private readonly view: View,
  ) {}

  /** Makes the polylines anew, for the axes shown. */
  sample(): void {
    const { data, axes, arcs } = this.state;
    if (!arcs) return;
    const [a, b] = axes;
    const many = arcs.count > MOST_ENDS;
    const m = (this.each = arcs.straight ? 2 : many ? 7 : 33);
    this.lines = new Float32Array(arcs.count * m * 2);
    const y = new Float64Array(data.d);
    for (let i = 0; i < arcs.count; i++)
      for (let p = 0; p < m; p++) {
        arcs.at(i, p / (m - 1), y, 0);
        this.lines[(i * m + p) * 2] = y[a];
        this.lines[(i * m + p) * 2 + 1] = b < 0 ? 0 : y[b];
      }
  }

  draw(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { arcs, data } = this.state;
    if (!arcs?.moving) return;
    const many = arcs.count > MOST_ENDS;
    canvas.strokeStyle = look.newcomer;
    const few = arcs.count <= FEW;
    canvas.globalAlpha = many ? 0.28 : few ? 0.75 : 0.5;
    canvas.lineWidth = many ? 0.8 : few ? 1.5 : 1;
    this.strokeLines(canvas, arcs.count);
    canvas.globalAlpha = 1;
    if (many) return;
    canvas.globalAlpha = few ? 1 : 0.45;
    // Where each arc begins and ends.
    const newcomers = data.newcomers!;
    const end = arcs.straight ? newcomers.chosen! : newcomers.reconstruct!;
    for (let i = 0; i < arcs.count; i++) {
      // Ends that the newcomer's own mark covers would only fray it.
      if (!this.state.visible[data.n + i] || this.length(i) < SHORT) continue;
      this.drawEnd(canvas, look, newcomers.project.coordinates, i, look.projection, "circle");
      if (arcs.straight) this.drawEnd(canvas, look, end.coordinates, i, look.accent, "square");
      else this.drawEnd(canvas, look, end.coordinates, i, look.reconstruction, "diamond");
    }
    this.drawAlternatives(canvas, look, end.alternatives);
    canvas.globalAlpha = 1;
  }

  /** The arc of one newcomer, whose mark has that radius, and its ends, as clear as those of a few. */
  drawOne(canvas: CanvasRenderingContext2D, look: Theme, i: number, radius: number): void {
    const { arcs, data } = this.state;
    if (!arcs?.moving || Number.isNaN(this.lines[i * this.each * 2])) return;
    const newcomers = data.newcomers!;
    canvas.strokeStyle = look.newcomer;
    canvas.lineWidth = 1.8;
    canvas.beginPath();
    this.trace(canvas, i);
    canvas.stroke();
    if (this.length(i) < SHORT) return;
    // An end that the newcomer itself stands on is left to its own mark.
    const [x, y] = Array.from(this.view.toScreen(this.state.places, i * data.d, this.view.lane));
    const end = (coordinates: Float64Array, colour: string, shape: Shape) => {
      const [u, v] = this.view.toScreen(coordinates, i * data.d, this.view.lane);
      if (Math.hypot(u - x, v - y) > radius) this.drawEnd(canvas, look, coordinates, i, colour, shape);
    };
    end(newcomers.project.coordinates, look.projection, "circle");
    if (arcs.straight) end(newcomers.chosen!.coordinates, look.accent, "square");
    else end(newcomers.reconstruct!.coordinates, look.reconstruction, "diamond");
  }

  /** Arcs that are shown, as lines in pixels whose points are a few pixels from each other. */
  polylines(): [number, number][][] {
    const { view, lines, each: m } = this;
    const { visible, data } = this.state;
    const all: [number, number][][] = [];
    for (let i = 0; i < lines.length / m / 2; i++) {
      if (!visible[data.n + i] || Number.isNaN(lines[i * m * 2])) continue;
      const line: [number, number][] = [];
      let [lastX, lastY] = [Infinity, Infinity];
      for (let p = 0; p < m; p++) {
        const x = view.x(lines[(i * m + p) * 2]);
        const y = view.y(lines[(i * m + p) * 2 + 1]) - view.lane;
        if (Math.hypot(x - lastX, y - lastY) < 4 && p < m - 1) continue;
        [lastX, lastY] = [x, y];
        line.push([x, y]);
      }
      all.push(line);
    }
    return all;
  }

  /** The pixels that the arc of newcomer i is in; null if it has none. */
  bounds(i: number): Box | null {
    const { view, lines, each: m } = this;
    if (!m || !this.state.arcs?.moving || Number.isNaN(lines[i * m * 2])) return null;
    const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (let p = 0; p < m; p++) {
      const x = view.x(lines[(i * m + p) * 2]);
      const y = view.y(lines[(i * m + p) * 2 + 1]) - view.lane;
      box.left = Math.min(box.left, x - 4);
      box.right = Math.max(box.right, x + 4);
      box.top = Math.min(box.top, y - 4);
      box.bottom = Math.max(box.bottom, y + 4);
    }
    return box;
  }

  /** The length in pixels of the longest arc on the axes shown, from its ends. */
  longest(): number {
    const { lines, each: m } = this;
    let most = 0;
    for (let i = 0; i < lines.length / m / 2; i++) {
      const length = this.length(i);
      if (length > most) most = length;
    }
    return most;
  }

  /** The pixels between the ends of the arc of newcomer i. */
  private length(i: number): number {
    const { lines, each: m, view } = this;
    const [first, last] = [i * m * 2, (i * m + m - 1) * 2];
    return Math.hypot(lines[last] - lines[first], lines[last + 1] - lines[first + 1]) * view.unit;
  }

  private strokeLines(canvas: CanvasRenderingContext2D, count: number): void {
    const { lines, each: m } = this;
    const { visible } = this.state;
    const { n } = this.state.data;
    canvas.beginPath();
    for (let i = 0; i < count; i++) {
      if (Number.isNaN(lines[i * m * 2]) || !visible[n + i]) continue;
      this.trace(canvas, i);
    }
    canvas.stroke();
  }

  /** The line of the arc of newcomer i becomes part of the path. */
  private trace(canvas: CanvasRenderingContext2D, i: number): void {
    const { view, lines, each: m } = this;
    const { lane } = view;
    for (let p = 0; p < m; p++) {
      const x = view.x(lines[(i * m + p) * 2]);
      const y = view.y(lines[(i * m + p) * 2 + 1]) - lane;
      if (p === 0) canvas.moveTo(x, y);
      else canvas.lineTo(x, y);
    }
  }

  private drawEnd(canvas: CanvasRenderingContext2D, look: Theme, y: Float64Array, i: number, colour: string, shape: Shape): void {
    const [px, py] = this.view.toScreen(y, i * this.state.data.d, this.view.lane);
    if (Number.isNaN(px)) return;
    trace(canvas, shape, px, py, 3);
    canvas.fillStyle = look.surface;
    canvas.fill();
    canvas.strokeStyle = colour;
    canvas.lineWidth = 1.4;
    canvas.stroke();
  }

  /** Places that are exactly as good: hollow, dashed, and joined to where the arc forks. */
  private drawAlternatives(canvas: CanvasRenderingContext2D, look: Theme, others: [number, number[]][]): void {
    const { view } = this;
    const { arcs, data } = this.state;
    const { lane } = view;
    const reconstructed = !arcs?.straight;
    canvas.strokeStyle = reconstructed ? look.reconstruction : look.accent;
    canvas.lineWidth = 1.2;
    canvas.setLineDash([3, 3]);
    const corner = new Float64Array(data.d);
    const rings = new Map<number, number[][]>();
    for (const [i, y] of others) {
      if (!this.state.visible[data.n + i]) continue;
      const [x1, y1] = view.toScreen(y, 0, lane);
      if (arcs && reconstructed) {
        arcs.at(i, Math.min(arcs.corner(i), 1 - 1e-12), corner, 0);
        const [x0, y0] = view.toScreen(corner, 0, lane);
        canvas.beginPath();
        canvas.moveTo(x0, y0);
        canvas.lineTo(x1, y1);
        canvas.stroke();
      }
      trace(canvas, reconstructed ? "diamond" : "square", x1, y1, 4);
      canvas.stroke();
      rings.set(i, [...(rings.get(i) ?? []), y]);
    }
    for (const [i, ys] of rings) this.drawSphere(canvas, i, ys);
    canvas.setLineDash([]);
  }

  /** Three others and more are on a sphere: its great circles through the axes are drawn. */
  private drawSphere(canvas: CanvasRenderingContext2D, i: number, others: number[][]): void {
    const { view } = this;
    const { data } = this.state;
    const end = data.newcomers!.chosen ?? data.newcomers!.reconstruct;
    if (!end || end.status[i] !== "sphere" || others.length < 3) return;
    const own = Array.from(end.coordinates.subarray(i * data.d, (i + 1) * data.d));
    const centre = own.map((v, j) => (v + others[0][j]) / 2);
    const spokes = [own, ...others.filter((_, at) => at % 2 === 1)].map((y) => y.map((v, j) => v - centre[j]));
    for (let s = 0; s < spokes.length; s++)
      for (let t = s + 1; t < spokes.length; t++) {
        canvas.beginPath();
        for (let step = 0; step <= 72; step++) {
          const angle = (step / 72) * 2 * Math.PI;
          const y = centre.map((v, j) => v + Math.cos(angle) * spokes[s][j] + Math.sin(angle) * spokes[t][j]);
          const [px, py] = view.toScreen(y, 0, view.lane);
          if (step) canvas.lineTo(px, py);
          else canvas.moveTo(px, py);
        }
        canvas.stroke();
      }
  }
}
