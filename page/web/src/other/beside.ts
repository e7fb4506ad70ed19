// Two strategies side by side: the same map twice, each with the newcomers where one strategy places them. One unit is as
// long in both, they are moved and zoomed together, and whoever is chosen, pointed at or marked is so in both. Thin lines
// lead from where the other panel has a newcomer.

import type { Placed } from "../data";
import { drawLabels, type Wanted } from "../labels";
import type { Looks } from "../looks";
import { axisName } from "../map/grid";
import { drawGroups } from "../map/groups";
import { covarianceOf, drawRegions } from "../map/regions";
import { othersLabelled } from "../map/top";
import { drawVariables } from "../map/variables";
import type { Ruler } from "../map/view";
import { SHAPES, trace } from "../marks";
import { nameObject } from "../record";
import type { State } from "../state";
import { elided, isolated, short } from "../text";
import type { Theme } from "../theme";

const GAP = 14;
const TOP = 22;
const BOTTOM = 20;
/** A view less wide than this has the panels one below the other. */
const LEAST = 560;
const REACH = 14;
/** Pixels that an arrow key moves the maps by. */
const STEP = 40;
/** Marks that labels keep clear of, at most. */
const MOST_OBSTACLES = 2000;
/** Newcomers whose ways are drawn, at most. */
const MOST_WAYS = 2000;

interface Panel {
  left: number;
  top: number;
  width: number;
  height: number;
  placed: Placed;
  other: Placed;
  name: string;
}

export class Beside {
  private zoom = 1;
  /** The point in the middle of both panels, from the middle of all there is. */
  private shift: [number, number] = [0, 0];
  private last: [number, number] | null = null;
  private moved = 0;
  /** The axes and the strategies that the zoom was made for. */
  private sight = "";

  constructor(
    private readonly state: State,
    private readonly canvas: HTMLCanvasElement,
    private readonly redraw: () => void,
  ) {
    const mine = () => state.scene === "beside";
    canvas.addEventListener("pointerdown", (e) => {
      if (!mine() || e.button) return;
      this.last = [e.clientX, e.clientY];
      this.moved = 0;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!mine()) return;
      if (!this.last) {
        const at = this.under(e.offsetX, e.offsetY);
        canvas.style.cursor = at < 0 ? "grab" : "pointer";
        state.hover(at >= state.data.n ? at - state.data.n : -1);
        return;
      }
      const [dx, dy] = [e.clientX - this.last[0], e.clientY - this.last[1]];
      this.moved += Math.abs(dx) + Math.abs(dy);
      this.last = [e.clientX, e.clientY];
      this.panBy(dx, dy);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (!mine() || !this.last) return;
      this.last = null;
      if (this.moved < 5) state.choose(this.under(e.offsetX, e.offsetY));
    });
    canvas.addEventListener("pointerleave", () => mine() && state.hover(-1));
    canvas.addEventListener("wheel", (e) => {
      if (!mine()) return;
      e.preventDefault();
      this.zoomBy(Math.exp(-e.deltaY * 0.002), e.offsetX, e.offsetY);
    }, { passive: false });
    canvas.addEventListener("keydown", (e) => mine() && this.key(e));
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.panBy(STEP, 0),
      ArrowRight: () => this.panBy(-STEP, 0),
      ArrowUp: () => this.panBy(0, STEP),
      ArrowDown: () => this.panBy(0, -STEP),
      "+": () => this.zoomBy(1.25),
      "-": () => this.zoomBy(0.8),
      "0": () => {
        this.sight = "";
        this.redraw();
      },
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  private panBy(dx: number, dy: number): void {
    const { unit } = this.scale();
    this.shift = [this.shift[0] - dx / unit, this.shift[1] + dy / unit];
    this.redraw();
  }

  /** Zooms; what is under the pixel (x, y) stays there. */
  private zoomBy(factor: number, x?: number, y?: number): void {
    const panels = this.panels();
    const { left, top, width, height } = panels.find((p) => x !== undefined && y !== undefined && x >= p.left && x <= p.left + p.width && y >= p.top && y <= p.top + p.height) ?? panels[0];
    const [dx, dy] = [(x ?? left + width / 2) - left - width / 2, (y ?? top + height / 2) - top - height / 2];
    const before = this.scale().unit;
    this.zoom = Math.min(500, Math.max(0.3, this.zoom * factor));
    const after = this.scale().unit;
    this.shift = [this.shift[0] + dx / before - dx / after, this.shift[1] - dy / before + dy / after];
    this.redraw();
  }

  private panels(): Panel[] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { ways } = this.state.data.newcomers!;
    const [one, two] = this.state.beside.map((at) => ways[at]);
    const across = width >= LEAST;
    const w = across ? (width - GAP) / 2 : width;
    const h = across ? height : (height - GAP) / 2;
    return [one, two].map((way, i) => ({
      left: across ? i * (w + GAP) : 0,
      top: (across ? 0 : i * (h + GAP)) + TOP,
      width: w,
      height: h - TOP - BOTTOM,
      placed: way.placed,
      other: (i ? one : two).placed,
      name: way.name,
    }));
  }

  /** The middle of all that both panels hold, and the pixels for a unit. */
  private scale(): { middle: [number, number]; unit: number } {
    const { data, axes, signs, beside } = this.state;
    const { d } = data;
    const ways = data.newcomers!.ways;
    const key = `${axes} ${beside}`;
    if (key !== this.sight) {
      this.sight = key;
      this.zoom = 1;
      this.shift = [0, 0];
    }
    const ranges = axes.map((a) => {
      let [low, high] = [Infinity, -Infinity];
      for (const from of [data.old, ...beside.map((at) => ways[at].placed.coordinates)])
        for (let i = a; i < from.length; i += d) {
          if (from[i] < low) low = from[i];
          if (from[i] > high) high = from[i];
        }
      return [low, high];
    });
    const { width, height } = this.panels()[0];
    const fit = Math.min(...ranges.map(([low, high], j) => (0.9 * (j ? height : width)) / (high - low || 1)));
    return { middle: ranges.map(([low, high], j) => (signs[axes[j]] * (low + high)) / 2 + this.shift[j]) as [number, number], unit: fit * this.zoom };
  }

  private ruler(panel: Panel): Ruler {
    const { axes, signs } = this.state;
    const { middle, unit } = this.scale();
    const [cx, cy] = [panel.left + panel.width / 2, panel.top + panel.height / 2];
    return { x: (v) => cx + (signs[axes[0]] * v - middle[0]) * unit, y: (v) => cy - (signs[axes[1]] * v - middle[1]) * unit };
  }

  /** Where object i of `from` is in a panel. */
  private spots(panel: Panel): (from: ArrayLike<number>, i: number) => [number, number] {
    const { axes, data } = this.state;
    const ruler = this.ruler(panel);
    return (from, i) => [ruler.x(from[i * data.d + axes[0]]), ruler.y(from[i * data.d + axes[1]])];
  }

  /** The object at a pixel, newcomers before old ones; -1 if there is none. */
  private under(px: number, py: number): number {
    const { data, visible } = this.state;
    const { n } = data;
    const panel = this.panels().find((p) => px >= p.left && px <= p.left + p.width && py >= p.top && py <= p.top + p.height);
    if (!panel) return -1;
    const spot = this.spots(panel);
    let [best, found] = [REACH, -1];
    const look = (from: ArrayLike<number>, i: number, at: number) => {
      if (!visible[at]) return;
      const [x, y] = spot(from, i);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) [best, found] = [distance, at];
    };
    for (let i = 0; i < data.newcomers!.count; i++) look(panel.placed.coordinates, i, n + i);
    if (found < 0) for (let i = 0; i < n; i++) look(data.old, i, i);
    return found;
  }

  draw(canvas: CanvasRenderingContext2D, looks: Looks, look: Theme): void {
    for (const panel of this.panels()) {
      canvas.save();
      this.drawFrame(canvas, look, panel);
      canvas.beginPath();
      canvas.rect(panel.left, panel.top, panel.width, panel.height);
      canvas.clip();
      this.drawObjects(canvas, looks, look, panel);
      canvas.restore();
    }
  }

  private drawFrame(canvas: CanvasRenderingContext2D, look: Theme, { left, top, width, height, name }: Panel): void {
    const { data, axes } = this.state;
    canvas.strokeStyle = look.line;
    canvas.lineWidth = 1;
    canvas.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    canvas.fillStyle = look.ink;
    canvas.textAlign = "left";
    canvas.textBaseline = "middle";
    canvas.font = "600 13px system-ui, sans-serif";
    canvas.fillText(name, left + 2, top - TOP / 2, width - 4);
    canvas.font = "11px system-ui, sans-serif";
    canvas.fillStyle = look.muted;
    canvas.fillText(`${axisName(data, axes[0])} across, ${axisName(data, axes[1])} up`, left + 2, top + height + BOTTOM / 2, width - 4);
  }

  private drawObjects(canvas: CanvasRenderingContext2D, looks: Looks, look: Theme, panel: Panel): void {
    const { data, visible, roles, hovered, selected, selectedOld, marked } = this.state;
    const { n, old } = data;
    const { count } = data.newcomers!;
    const spot = this.spots(panel);
    const { coordinates } = panel.placed;
    const place = (at: number) => (at < n ? spot(old, at) : spot(coordinates, at - n));
    const inside = ([x, y]: [number, number]) => x > panel.left && x < panel.left + panel.width && y > panel.top && y < panel.top + panel.height;
    const r = n <= 300 ? 3.2 : n <= 3000 ? 2.2 : 1;
    const own = count <= 300 ? 4.2 : count <= 2000 ? 2.6 : 1.4;
    const plain = this.state.colourBy < 0;
    const circles: { x: number; y: number; r: number }[] = [];
    const inSight: number[][] = [[], []];
    const mark = (at: number, size: number, stroke: string) => {
      const [x, y] = place(at);
      if (!visible[at] || !inside([x, y])) return;
      inSight[Number(at >= n)].push(at);
      nameObject(canvas, at < n ? "old" : "newcomer", this.state.label(at));
      canvas.fillStyle = looks.colours[looks.colour[at]];
      if (size < 1.5) canvas.fillRect(x - size, y - size, 2 * size, 2 * size);
      else {
        trace(canvas, SHAPES[looks.shape[at]], x, y, size * (looks.size?.[at] ?? 1));
        canvas.fill();
        canvas.strokeStyle = stroke;
        canvas.stroke();
      }
      if (circles.length < MOST_OBSTACLES) circles.push({ x, y, r: size });
    };
    canvas.lineWidth = 0.8;
    canvas.globalAlpha = n <= 1000 ? 0.9 : n <= 20_000 ? 0.6 : 0.25;
    for (let i = 0; i < n; i++) mark(i, r, look.surface);
    canvas.globalAlpha = 1;
    drawGroups(canvas, this.state, this.ruler(panel), looks);
    canvas.globalAlpha = 0.7;
    if (roles.arcs && count <= MOST_WAYS) {
      canvas.strokeStyle = look.newcomer;
      canvas.lineWidth = 1.2;
      canvas.beginPath();
      for (let i = 0; i < count; i++) {
        if (!visible[n + i]) continue;
        const [[x0, y0], [x1, y1]] = [spot(panel.other.coordinates, i), spot(coordinates, i)];
        if (Number.isNaN(x0 + x1)) continue;
        canvas.moveTo(x0, y0);
        canvas.lineTo(x1, y1);
      }
      canvas.stroke();
    }
    canvas.lineWidth = 0.9;
    canvas.globalAlpha = count <= 2000 ? 1 : 0.5;
    for (let i = 0; i < count; i++) mark(n + i, own, plain ? look.surface : look.ink);
    canvas.globalAlpha = 1;
    const covariance = covarianceOf(panel.placed, data.d);
    drawRegions(canvas, this.state, this.ruler(panel), look, this.state.axes, coordinates, covariance);
    const bounds = { left: panel.left, right: panel.left + panel.width, top: panel.top, bottom: panel.top + panel.height };
    if (this.state.arrows) circles.push(...drawVariables(canvas, this.state, this.ruler(panel), look, circles, bounds));
    const chosen = selectedOld >= 0 ? selectedOld : selected >= 0 ? n + selected : -1;
    const ring = (at: number, size: number, colour: string, width: number) => {
      const [x, y] = place(at);
      canvas.beginPath();
      canvas.arc(x, y, size, 0, 2 * Math.PI);
      canvas.strokeStyle = colour;
      canvas.lineWidth = width;
      canvas.stroke();
    };
    for (const at of marked) if (visible[at]) ring(at, (at < n ? r : own) + 2, look.ink, 1.1);
    if (hovered >= 0) ring(n + hovered, own + 4, look.muted, 2.2);
    if (chosen >= 0) ring(chosen, Math.max(r, own) + 4, look.ink, 2.2);
    const first = [chosen, hovered < 0 ? -1 : n + hovered].filter((at) => at >= 0);
    const others = othersLabelled(this.state, inSight[1], inSight[0], inSight[0].length + inSight[1].length);
    const wanted: Wanted[] = [...new Set([...first, ...others])].filter((at) => inside(place(at))).map((at) => {
      const [x, y] = place(at);
      const ringed = first.includes(at);
      return { text: isolated(elided(this.state.label(at), 24)), x, y, r: ringed ? own + 5 : own, bold: at >= n || ringed, always: ringed, colour: at < n && !ringed ? look.muted : look.ink };
    });
    drawLabels(canvas, wanted, circles, bounds, look.surface);
  }

  /** What the two differ by. */
  note(): string {
    const { data, beside, selected, visible } = this.state;
    const { d, n } = data;
    const newcomers = data.newcomers!;
    const [one, two] = beside.map((at) => newcomers.ways[at]);
    const apart = Array.from({ length: newcomers.count }, (_, i) => {
      let sum = 0;
      for (let j = i * d; j < (i + 1) * d; j++) sum += (one.placed.coordinates[j] - two.placed.coordinates[j]) ** 2;
      return Math.sqrt(sum);
    });
    const known = apart.filter((v, i) => !Number.isNaN(v) && visible[n + i]).sort((a, b) => a - b);
    const missing = (p: Placed) => p.status.filter((s) => s === "not_applicable" || s === "too_few").length;
    const parts = known.length
      ? [`Between ${one.name} and ${two.name} newcomers move by ${short(known[known.length >> 1])} (median) and ${short(known[known.length - 1])} at most, on all axes.`]
      : [];
    if (selected >= 0 && !Number.isNaN(apart[selected])) parts.push(`${elided(newcomers.labels[selected], 40)} moves by ${short(apart[selected])}.`);
    for (const way of [one, two]) if (missing(way.placed)) parts.push(`${missing(way.placed)} have no ${way.name}.`);
    return parts.join(" ");
  }
}
