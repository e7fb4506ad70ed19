// Three axes at once, without perspective: what is as long in the map is as long here when it lies across the line of sight.
// Drag or use the arrow keys to turn, scroll or + and - to zoom. Points are sorted by depth; those behind are fainter.

import { drawLabels } from "../labels";
import type { Looks } from "../looks";
import { axisName } from "../map/grid";
import { quarter } from "../map/old";
import { othersLabelled } from "../map/top";
import { SHAPES, Stamps, trace } from "../marks";
import { isRecorded, nameObject } from "../record";
import type { State } from "../state";
import { elided, isolated } from "../text";
import type { Theme } from "../theme";

/** Radians for a pixel of dragging, and for an arrow key. */
const TURN = 0.008;
const STEP = 0.12;
/** Objects beyond which marks are squares of a pixel or two. */
const MANY = 20_000;
const REACH = 12;
/** Angles and zoom at first. */
export const BEGIN: [number, number, number] = [-0.6, 0.4, 1];
/** Marks that labels keep clear of, at most. */
const MOST_OBSTACLES = 4000;

export class Solid {
  private yaw = BEGIN[0];
  private pitch = BEGIN[1];
  private zoom = BEGIN[2];
  private last: [number, number] | null = null;
  private moved = 0;
  /** The two angles and the zoom, as the address keeps them. */
  get sight(): [number, number, number] {
    return [this.yaw, this.pitch, this.zoom];
  }

  set sight([yaw, pitch, zoom]: [number, number, number]) {
    this.yaw = yaw;
    this.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, pitch));
    this.zoom = Math.min(40, Math.max(0.3, zoom));
    this.redraw();
  }

  /** Where each object was drawn. */
  private spots = new Float32Array(0);

  constructor(
    private readonly state: State,
    canvas: HTMLCanvasElement,
    private readonly redraw: () => void,
  ) {
    canvas.addEventListener("pointerdown", (e) => {
      this.last = [e.clientX, e.clientY];
      this.moved = 0;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!this.last || state.scene !== "solid") return;
      const [dx, dy] = [e.clientX - this.last[0], e.clientY - this.last[1]];
      this.moved += Math.abs(dx) + Math.abs(dy);
      this.last = [e.clientX, e.clientY];
      this.turn(dx * TURN, dy * TURN);
    });
    canvas.addEventListener("pointerup", (e) => {
      this.last = null;
      if (state.scene === "solid" && this.moved < 5) state.choose(this.under(e.offsetX, e.offsetY));
    });
    canvas.addEventListener("wheel", (e) => {
      if (state.scene !== "solid") return;
      e.preventDefault();
      this.scaleBy(Math.exp(-e.deltaY * 0.002));
    }, { passive: false });
    canvas.addEventListener("keydown", (e) => this.key(e));
  }

  private turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.pitch + pitch));
    this.redraw();
    this.state.tell("view");
  }

  private scaleBy(factor: number): void {
    this.zoom = Math.min(40, Math.max(0.3, this.zoom * factor));
    this.redraw();
    this.state.tell("view");
  }

  private key(event: KeyboardEvent): void {
    if (this.state.scene !== "solid") return;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.turn(-STEP, 0),
      ArrowRight: () => this.turn(STEP, 0),
      ArrowUp: () => this.turn(0, -STEP),
      ArrowDown: () => this.turn(0, STEP),
      "+": () => this.scaleBy(1.25),
      "-": () => this.scaleBy(0.8),
      "0": () => {
        this.sight = BEGIN;
        this.state.tell("view");
      },
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** The object drawn at a pixel, -1 if there is none. */
  private under(px: number, py: number): number {
    let [best, found] = [REACH, -1];
    for (let at = 0; at < this.spots.length / 2; at++) {
      const distance = Math.hypot(this.spots[2 * at] - px, this.spots[2 * at + 1] - py);
      if (distance < best) [best, found] = [distance, at];
    }
    return found;
  }

  draw(canvas: CanvasRenderingContext2D, looks: Looks, look: Theme, width: number, height: number): void {
    const { state } = this;
    const { data, places, visible, signs } = state;
    const { n, d, old } = data;
    const axes = [...state.axes, state.depth];
    const total = visible.length;
    const centre = axes.map((a) => middle(old, d, a));
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    // Across, up and towards the reader.
    const seen = (p: number[]): [number, number, number] => {
      const x = cy * p[0] + sy * p[2];
      const z = -sy * p[0] + cy * p[2];
      return [x, cp * p[1] - sp * z, sp * p[1] + cp * z];
    };
    const point = (at: number) => {
      const [from, i] = at < n ? [old, at] : [places, at - n];
      return seen(axes.map((a, j) => signs[a] * (from[i * d + a] - centre[j])));
    };
    let reach = 0;
    const turned = new Float32Array(total * 3);
    for (let at = 0; at < total; at++) {
      const p = point(at);
      turned.set(p, at * 3);
      const size = Math.hypot(...p);
      if (size > reach) reach = size;
    }
    const unit = (0.46 * Math.min(width, height) * this.zoom) / (reach || 1);
    this.drawAxes(canvas, look, seen, reach, unit, width, height, axes);
    const order = Uint32Array.from(visible.keys()).filter((at) => visible[at] && !Number.isNaN(turned[at * 3]));
    order.sort((p, q) => turned[p * 3 + 2] - turned[q * 3 + 2]);
    this.spots = new Float32Array(total * 2).fill(NaN);
    const many = total > MANY;
    const vector = isRecorded(canvas);
    const stamps = new Stamps(window.devicePixelRatio || 1);
    const r = total <= 300 ? 4.5 : total <= 3000 ? 3 : many ? 1 : 2;
    const radius = (at: number) => quarter((at < n ? r : r + 1) * (looks.size?.[at] ?? 1));
    for (const at of order) {
      const x = width / 2 + turned[at * 3] * unit;
      const y = height / 2 - turned[at * 3 + 1] * unit;
      this.spots[2 * at] = x;
      this.spots[2 * at + 1] = y;
      // From half as strong at the back to full at the front.
      canvas.globalAlpha = 0.4 + 0.5 * (0.5 + turned[at * 3 + 2] / (2 * reach || 1));
      const fill = looks.colours[looks.colour[at]];
      if (many && !vector) {
        canvas.fillStyle = fill;
        canvas.fillRect(x - 1, y - 1, 2, 2);
        continue;
      }
      if (vector) {
        nameObject(canvas, at < n ? "old" : "newcomer", state.label(at));
        trace(canvas, SHAPES[looks.shape[at]], x, y, radius(at));
        canvas.fillStyle = fill;
        canvas.fill();
        canvas.strokeStyle = at < n ? look.surface : look.ink;
        canvas.lineWidth = 0.9;
        canvas.stroke();
        continue;
      }
      const stamp = stamps.get(SHAPES[looks.shape[at]], radius(at), fill, at < n ? look.surface : look.ink, 0.9);
      const size = stamp.width / (window.devicePixelRatio || 1);
      canvas.drawImage(stamp, x - size / 2, y - size / 2, size, size);
    }
    canvas.globalAlpha = 1;
    this.drawChosen(canvas, look, order, radius, width, height);
  }

  private drawAxes(canvas: CanvasRenderingContext2D, look: Theme, seen: (p: number[]) => [number, number, number], reach: number, unit: number, width: number, height: number, axes: number[]): void {
    canvas.font = "12px system-ui, sans-serif";
    canvas.textAlign = "center";
    canvas.textBaseline = "middle";
    axes.forEach((axis, j) => {
      const end = [0, 0, 0];
      end[j] = 0.9 * reach;
      const [x, y] = seen(end);
      const [px, py] = [width / 2 + x * unit, height / 2 - y * unit];
      canvas.strokeStyle = look.faint;
      canvas.lineWidth = 1.2;
      canvas.beginPath();
      canvas.moveTo(width - px, height - py);
      canvas.lineTo(px, py);
      canvas.stroke();
      canvas.fillStyle = look.ink;
      canvas.fillText(axisName(this.state.data, axis), Math.min(width - 50, Math.max(50, px)), Math.min(height - 8, Math.max(8, py)));
    });
  }

  /** A ring around the chosen object, and labels as on the map. */
  private drawChosen(canvas: CanvasRenderingContext2D, look: Theme, order: Uint32Array, radius: (at: number) => number, width: number, height: number): void {
    const { state, spots } = this;
    const { selected, selectedOld, data } = state;
    const { n } = data;
    const chosen = selectedOld >= 0 ? selectedOld : selected >= 0 ? n + selected : -1;
    const seen = chosen >= 0 && !Number.isNaN(spots[2 * chosen]);
    if (seen) {
      canvas.beginPath();
      canvas.arc(spots[2 * chosen], spots[2 * chosen + 1], 10, 0, 2 * Math.PI);
      canvas.strokeStyle = look.ink;
      canvas.lineWidth = 2;
      canvas.stroke();
    }
    const shown = Array.from(order);
    const rest = othersLabelled(state, shown.filter((at) => at >= n), shown.filter((at) => at < n), shown.length);
    const wanted = [...new Set([...(seen ? [chosen] : []), ...rest])].map((at) => ({
      text: isolated(elided(state.label(at), 24)), x: spots[2 * at], y: spots[2 * at + 1], r: at === chosen ? 10 : radius(at),
      bold: at >= n || at === chosen, always: at === chosen, colour: at < n && at !== chosen ? look.muted : look.ink,
    }));
    const marks = shown.length > MOST_OBSTACLES ? [] : shown.map((at) => ({ x: spots[2 * at], y: spots[2 * at + 1], r: radius(at) }));
    drawLabels(canvas, wanted, marks, { left: 0, top: 0, right: width, bottom: height }, look.surface);
  }
}

/** The middle of the range of the old objects on an axis. */
function middle(old: Float32Array, d: number, axis: number): number {
  let [low, high] = [Infinity, -Infinity];
  for (let i = axis; i < old.length; i += d) {
    low = Math.min(low, old[i]);
    high = Math.max(high, old[i]);
  }
  return (low + high) / 2;
}
