// What lies above all marks: rings around the chosen object, the one under the pointer and those that are marked, and the
// labels. To point at somebody draws this layer anew and no other.

import { drawLabels, Taken, type Box, type Drawn, type Wanted } from "../labels";
import type { Looks } from "../looks";
import { SHAPES, trace } from "../marks";
import type { State } from "../state";
import { elided, isolated } from "../text";
import type { Theme } from "../theme";
import type { ArcLines } from "./arcs";
import { Layer } from "./layer";
import type { Circle, Newcomers } from "./newcomers";
import { MOST_LABELS, MOST_OBSTACLES, type OldObjects } from "./old";
import { covarianceHere, drawRegions } from "./regions";
import { drawVariables } from "./variables";
import type { View } from "./view";

/** Where no more objects than these are in sight, all are labelled unless the reader wishes otherwise. */
const FEW = 40;
/** Newcomers unlike the old objects that are labelled among many, the strangest of them. */
const MOST_NOVEL = 12;
/** Arcs whose course labels keep clear of. */
const MOST_ARCS = 200;
/** The side of a cell where marks are too many to be looked at one by one, in pixels. */
const CELL = 6;
/** Places with several objects whose number is written, at most. */
const MOST_COUNTS = 60;

/** Who else is labelled: all if they are few or it is asked for, otherwise newcomers that are unlike the old objects. */
export function othersLabelled({ labels, data }: State, newcomers: number[], old: number[], total: number): number[] {
  const { n, newcomers: all } = data;
  const place = (at: number) => (Number.isNaN(all!.rank[at - n]) ? Infinity : all!.rank[at - n]);
  const byRank = (i: number, j: number) => (place(i) === place(j) ? i - j : place(i) - place(j));
  if (labels === "none") return [];
  if (labels === "all" || total <= FEW) {
    const few = newcomers.length <= MOST_LABELS ? newcomers.sort(byRank) : [];
    return [...few, ...(old.length <= MOST_LABELS ? old : [])];
  }
  return newcomers.filter((at) => all!.p[at - n] <= all!.words.level).sort(byRank).slice(0, MOST_NOVEL);
}

/** What does not move while one slides or points. */
interface Still {
  key: string;
  inSight: number[];
  circles: Circle[];
  taken: Taken;
}

export class Top extends Layer {
  private readonly count: number;
  private looks!: Looks;
  /** Places with several objects on them: the first of these, and how many. */
  together = new Map<number, number>();
  /** What the last drawing has to say: how many labels of how many objects in sight. */
  labelled: [number, number] = [0, 0];
  drawn: Drawn[] = [];

  constructor(
    private readonly state: State,
    view: View,
    private readonly old: OldObjects,
    private readonly newcomers: Newcomers,
    private readonly arcs: ArcLines,
  ) {
    super("map-top", view);
    this.count = state.data.newcomers?.count ?? 0;
  }

  restyle(looks: Looks): void {
    this.looks = looks;
  }

  draw(look: Theme): void {
    const canvas = this.cleared();
    canvas.save();
    this.clip(canvas);
    const r = this.newcomers.radius;
    drawRegions(canvas, this.state, this.view, look, this.state.axes, this.state.places, covarianceHere(this.state), this.view.lane);
    this.drawMarked(canvas, look);
    this.drawRings(canvas, look, r);
    this.drawLabels(canvas, look, r);
    canvas.restore();
  }

  /** Where an object is on the screen, old ones first. */
  private spot(at: number): [number, number] {
    const { data, places } = this.state;
    const { n, d } = data;
    const [x, y] = at < n ? this.view.toScreen(data.old, at * d, 0) : this.view.toScreen(places, (at - n) * d, this.view.lane);
    return [x, y];
  }

  /** Rings around what is in the box or the lasso. */
  private drawMarked(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { marked, data, visible } = this.state;
    canvas.strokeStyle = look.ink;
    canvas.lineWidth = 1.1;
    canvas.beginPath();
    for (const at of marked) {
      if (!visible[at]) continue;
      const [x, y] = this.spot(at);
      const r = (at < data.n ? this.old.radius : this.newcomers.radius) + 2;
      canvas.moveTo(x + r, y);
      canvas.arc(x, y, r, 0, 2 * Math.PI);
    }
    canvas.stroke();
  }

  /** Rings around the newcomer under the pointer and the chosen object. */
  private drawRings(canvas: CanvasRenderingContext2D, look: Theme, r: number): void {
    const { data, selected, selectedOld, hovered } = this.state;
    const { n } = data;
    const { colours, colour, shape } = this.looks;
    const chosen = selectedOld >= 0 ? selectedOld : selected >= 0 ? n + selected : -1;
    // Among many arcs, that of who is looked at is clear.
    if (this.state.roles.arcs && this.state.roles.newcomers) for (const i of new Set([hovered, selected])) if (i >= 0) this.arcs.drawOne(canvas, look, i, r);
    for (const at of [hovered >= 0 ? n + hovered : -1, chosen]) {
      if (at < 0) continue;
      const [x, y] = this.spot(at);
      // Among thousands the chosen one is drawn once more, larger.
      if (this.newcomers.many || at < n) {
        trace(canvas, SHAPES[shape[at]], x, y, 5);
        canvas.fillStyle = colours[colour[at]];
        canvas.fill();
        canvas.strokeStyle = at < n ? look.surface : look.ink;
        canvas.lineWidth = 1.2;
        canvas.stroke();
      }
      canvas.beginPath();
      canvas.arc(x, y, Math.max(5, r) + 4.5, 0, 2 * Math.PI);
      canvas.strokeStyle = look.surface;
      canvas.lineWidth = 4.5;
      canvas.stroke();
      canvas.strokeStyle = at === chosen ? look.ink : look.muted;
      canvas.lineWidth = 2.2;
      canvas.stroke();
    }
  }

  /** Labels: the chosen object's always, the others' where they cover neither marks nor arcs. */
  private drawLabels(canvas: CanvasRenderingContext2D, look: Theme, r: number): void {
    const { view } = this;
    const { data, selected, selectedOld, hovered, visible } = this.state;
    const { n } = data;
    const { plot } = view;
    const inside = ([x, y]: [number, number]) => x > plot.left && x < plot.right && y > plot.top && y < plot.bottom;
    const oldRadius = this.old.radius;
    const marks: Circle[] = [...this.newcomers.circles];
    const { inSight, taken, circles } = this.still(oldRadius);
    const newcomers: number[] = [];
    for (let i = 0; i < this.count; i++) if (visible[n + i] && inside(this.spot(n + i))) newcomers.push(n + i);
    const total = this.old.count + newcomers.length;
    const first = [selectedOld, selected < 0 ? -1 : n + selected, hovered < 0 ? -1 : n + hovered].filter((at) => at >= 0);
    const rest = othersLabelled(this.state, newcomers, inSight, total).filter((at) => !first.includes(at));
    // Where several objects are at one place, their number is written; at the label, if there is one.
    const counted = (at: number) => (this.together.has(at) ? ` ×${this.together.get(at)}` : "");
    const named = new Set([...first, ...rest]);
    const counts = [...this.together.keys()].filter((at) => !named.has(at) && visible[at]).slice(0, MOST_COUNTS);
    const wanted: Wanted[] = [...named, ...counts].filter((at) => inside(this.spot(at))).map((at) => {
      const [x, y] = this.spot(at);
      const ringed = first.includes(at);
      const own = at < n ? oldRadius : r;
      return {
        text: named.has(at) ? isolated(elided(this.state.label(at), 24)) + counted(at) : counted(at).trim(), x, y,
        // A label stands clear of the ring.
        r: ringed ? Math.max(5, own) + 4 : own,
        bold: at >= n || ringed, always: ringed, colour: at < n && !ringed ? look.muted : look.ink,
      };
    });
    this.addArcs(marks);
    if (this.state.arrows && data.words.variables) marks.push(...drawVariables(canvas, this.state, view, look, [...circles, ...marks], plot));
    this.drawn = drawLabels(canvas, wanted, marks, plot, look.surface, taken);
    this.labelled = [this.drawn.filter(({ text }) => !text.startsWith("×")).length, total];
  }

  /** Old objects in sight and the room that they take: neither the slider nor the pointer moves them. */
  private still(r: number): Still {
    const { view, state } = this;
    const { k, x, y } = view.transform;
    const key = [k, x, y, view.width, view.height, r, state.said, ...state.axes, ...state.signs].join(" ");
    if (this.kept?.key !== key) {
      const inSight = this.old.count > MOST_OBSTACLES ? [] : this.old.inSight(MOST_OBSTACLES);
      const circles = inSight.map((i) => {
        const [u, v] = this.spot(i);
        return { x: u, y: v, r };
      });
      const taken = new Taken().marks(circles);
      if (this.old.count > MOST_OBSTACLES) for (const box of this.crowded()) taken.add(box);
      this.kept = { key, inSight, circles, taken };
    }
    return this.kept;
  }
  private kept: Still | null = null;

  /** Where marks are so many that labels keep clear of all of them together: strips of cells that hold some. */
  private crowded(): Box[] {
    const { plot } = this.view;
    const { data, visible } = this.state;
    const [columns, rows] = [Math.ceil((plot.right - plot.left) / CELL), Math.ceil((plot.bottom - plot.top) / CELL)];
    const cells = new Uint8Array(columns * rows);
    for (let i = 0; i < data.n; i++) {
      if (!visible[i]) continue;
      const [x, y] = this.view.toScreen(data.old, i * data.d, 0);
      const [column, row] = [Math.floor((x - plot.left) / CELL), Math.floor((y - plot.top) / CELL)];
      if (column >= 0 && column < columns && row >= 0 && row < rows) cells[row * columns + column] = 1;
    }
    const boxes: Box[] = [];
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        if (!cells[row * columns + column]) continue;
        const from = column;
        while (column < columns && cells[row * columns + column]) column++;
        boxes.push({ left: plot.left + from * CELL, right: plot.left + column * CELL, top: plot.top + row * CELL, bottom: plot.top + (row + 1) * CELL });
      }
    return boxes;
  }

  /** Points on arcs, as marks that labels keep clear of. */
  private addArcs(marks: Circle[]): void {
    if (!this.state.roles.arcs || this.count > MOST_ARCS) return;
    for (const [x, y] of this.arcs.polylines().flat()) marks.push({ x, y, r: 1.5 });
  }
}
