// The map. Four canvases lie on each other: the grid, the old objects with the arcs, the newcomers, and labels with rings.
// Pointing redraws the last one only, a slider move the last two, a pan or a zoom all four; where there are many old objects their picture is moved along
// and drawn anew when the hand rests. One unit is as long on one axis as on the other, always: distances mean something.
//
// The parts are in map/: view.ts has the transform, layer.ts what the canvases share, grid.ts, old.ts with arcs.ts and
// groups.ts, newcomers.ts and top.ts draw them, pointing.ts with tooltip.ts takes what the reader does. Here is when each of them
// is drawn.

import type { Drawn } from "./labels";
import { looks, type Looks } from "./looks";
import { ArcLines } from "./map/arcs";
import { coincident } from "./map/coincident";
import { Grid } from "./map/grid";
import { outlines } from "./map/groups";
import { Newcomers } from "./map/newcomers";
import { OldObjects } from "./map/old";
import { Pointing } from "./map/pointing";
import { covarianceOf, region, regionsInWords } from "./map/regions";
import { Top } from "./map/top";
import { arrows, NARROW } from "./map/variables";
import { extentOf, View, type Extent } from "./map/view";
import { paced } from "./pace";
import type { State } from "./state";
import { isPrinting, theme, type Theme } from "./theme";
import { byId, counted } from "./text";

/** The layers to draw. */
const ALL = { grid: true, old: true, newcomers: true, top: true };
const NONE = { grid: false, old: false, newcomers: false, top: false };
/** Arcs of fewer pixels than these are hidden by the marks at their ends. */
const A_MARK = 6;

export class MapView {
  readonly view: View;
  private readonly arcs: ArcLines;
  private readonly grid: Grid;
  private readonly old: OldObjects;
  private readonly newcomers: Newcomers;
  private readonly top: Top;
  private readonly pointing: Pointing;
  private readonly note: () => void;
  private stale = { ...ALL };
  private frame = 0;
  looks!: Looks;
  /** What the map shows. */
  readonly seen: State;

  constructor(private readonly state: State) {
    this.seen = state;
    this.view = new View(state, byId("map"), () => {
      this.pointing.clear();
      this.redraw(ALL);
    });
    this.note = paced(200, () => this.sayWhatIsSeen());
    this.arcs = new ArcLines(state, this.view);
    this.grid = new Grid(state, this.view);
    this.old = new OldObjects(state, this.view, this.arcs);
    this.newcomers = new Newcomers(state, this.view);
    this.top = new Top(state, this.view, this.old, this.newcomers, this.arcs);
    this.pointing = new Pointing(state, this.view, this.old, this.arcs);
    state.on(["slide"], () => this.redraw({ newcomers: true, top: true }));
    state.on(["hover", "marked"], () => this.redraw({ top: true }));
    state.on(["selection"], () => {
      this.follow();
      this.redraw({ top: true });
    });
    state.on(["visible"], () => {
      this.old.reindex();
      this.count();
      this.redraw(ALL);
    });
    state.on(["style"], () => {
      this.restyle();
      this.view.setExtent(this.extent());
      this.redraw(ALL);
    });
    state.on(["theme"], () => {
      this.restyle();
      // At once: before a page is printed there is no other frame.
      this.stale = { ...ALL };
      this.draw();
      if (isPrinting()) this.flatten(this.grid.canvas.getContext("2d")!, false);
    });
    state.on(["axes"], () => this.showAxes());
    new ResizeObserver(() => this.resize()).observe(this.view.box);
    this.resize();
    this.restyle();
    this.showAxes();
  }

  private resize(): void {
    if (!this.view.resize()) return;
    for (const layer of [this.grid, this.old, this.newcomers, this.top]) layer.resize();
    this.redraw(ALL);
  }

  private restyle(): void {
    this.looks = looks(this.state.data, this.state, theme());
    for (const layer of [this.old, this.newcomers, this.top]) layer.restyle(this.looks);
  }

  /** What depends on the axes: the tree for pointing, the arcs' lines, the extent. */
  private showAxes(): void {
    this.old.reindex();
    this.arcs.sample();
    this.count();
    this.view.setExtent(this.extent());
    this.view.showAll();
  }

  /** Who is at the same place as others. */
  private count(): void {
    this.top.together = coincident(this.state);
  }

  /** What is in sight when nothing is zoomed: all objects and arcs, the outlines that are drawn around them, and arrows of variables. */
  private extent(): Extent {
    const { state } = this;
    const more = outlines(state, this.looks).flatMap(({ ellipse, hull }) => [...(ellipse ?? []), ...(hull ?? [])]);
    more.push(...arrows(state, this.view.plot.right - this.view.plot.left < NARROW).map(({ tip }) => tip));
    const { newcomers, d } = state.data;
    if (state.regions === "all" && newcomers && state.axes[1] >= 0)
      for (const placed of [newcomers.project, newcomers.chosen ?? newcomers.reconstruct]) {
        const covariance = placed && covarianceOf(placed, d);
        if (!covariance) continue;
        for (let i = 0; i < newcomers.count; i++) {
          const at = (axis: number) => placed.coordinates[i * d + axis];
          more.push(...(region(state, covariance, i, state.axes, [at(state.axes[0]), at(state.axes[1])]) ?? []));
        }
      }
    return extentOf(state, this.arcs.lines, more);
  }

  /** Brings the chosen object into sight. */
  private follow(): void {
    const { data, places, selected, selectedOld } = this.state;
    if (selected < 0 && selectedOld < 0) return;
    const spot = selectedOld >= 0 ? this.view.toScreen(data.old, selectedOld * data.d, 0) : this.view.toScreen(places, selected * data.d, this.view.lane);
    this.view.bring(spot[0], spot[1]);
  }

  /** Draws these layers, and those asked for before, in the next frame. */
  private redraw(what: Partial<typeof ALL>): void {
    Object.assign(this.stale, what);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    if (this.view.width === 0) return;
    const look = theme();
    if (this.stale.grid) this.grid.draw(look);
    if (this.stale.old) this.old.draw();
    if (this.stale.newcomers) this.newcomers.draw(look);
    if (this.stale.top) this.top.draw(look);
    this.stale = { ...NONE };
    this.note();
  }

  /** What is not to be seen on the map: labels that do not fit, arcs shorter than a mark. */
  private sayWhatIsSeen(): void {
    if (this.state.scene !== "map") return;
    const [labelled, total] = this.top.labelled;
    const parts: string[] = [];
    if (total > labelled) parts.push(`${labelled} of ${total.toLocaleString("en-US")} objects in sight ${labelled === 1 ? "is" : "are"} labelled.`);
    if (this.state.arcs?.moving && this.state.roles.arcs && this.arcs.longest() < A_MARK)
      parts.push("All arcs are shorter than a mark here: projection and reconstruction look the same, and the slider changes little.");
    const { together } = this.top;
    if (together.size) {
      const objects = [...together.values()].reduce((s, v) => s + v, 0);
      parts.push(`${counted(objects, "object")} share ${counted(together.size, "place")} (×): point at one to see how many.`);
    }
    if (this.state.regions !== "none") parts.push(regionsInWords(this.state));
    const box = byId("map-note");
    const text = parts.filter(Boolean).join(" ");
    if (box.textContent !== text) box.textContent = text;
  }

  /** All layers on one canvas. While printing, what is drawn is printed as strokes, and a layer would wipe out those under it. */
  flatten(canvas: CanvasRenderingContext2D, withGrid: boolean): void {
    canvas.setTransform(1, 0, 0, 1, 0, 0);
    if (withGrid) canvas.drawImage(this.grid.canvas, 0, 0);
    canvas.drawImage(this.old.canvas, 0, 0);
    canvas.drawImage(this.newcomers.canvas, 0, 0);
    canvas.drawImage(this.top.canvas, 0, 0);
  }

  /** Draws the arcs and their ends elsewhere. */
  drawArcs(canvas: CanvasRenderingContext2D, look: Theme): void {
    this.arcs.draw(canvas, look);
  }

  /** Labels as they were last drawn. */
  labelsDrawn(): Drawn[] {
    return this.top.drawn;
  }

  /** Radii of the marks, old and new. */
  get radii(): [number, number] {
    return [this.old.radius, this.newcomers.radius];
  }
}
