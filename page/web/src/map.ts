// The map. Three canvases lie on each other: the grid, the old objects with the arcs, and the newcomers. A slider move
// redraws the last one only, a pan or a zoom all three; where there are many old objects their picture is moved along
// and drawn anew when the hand rests. One unit is as long on one axis as on the other, always: distances mean something.
//
// The parts are in map/: view.ts has the transform, layer.ts what the canvases share, grid.ts, old.ts with arcs.ts, and
// newcomers.ts draw them, pointing.ts with tooltip.ts takes what the reader does. Here is when each of them is drawn.

import { ArcLines } from "./map/arcs";
import { Grid } from "./map/grid";
import { Newcomers } from "./map/newcomers";
import { OldObjects } from "./map/old";
import { Pointing } from "./map/pointing";
import { extentOf, View } from "./map/view";
import { looks } from "./marks";
import type { State } from "./state";
import { isPrinting, theme } from "./theme";
import { byId } from "./text";

/** The layers to draw. */
const ALL = { grid: true, old: true, newcomers: true };
const NONE = { grid: false, old: false, newcomers: false };

export class MapView {
  private readonly view: View;
  private readonly arcs: ArcLines;
  private readonly grid: Grid;
  private readonly old: OldObjects;
  private readonly newcomers: Newcomers;
  private readonly pointing: Pointing;
  private stale = { ...ALL };
  private frame = 0;

  constructor(private readonly state: State) {
    this.view = new View(state, byId("map"), () => {
      this.pointing.clear();
      this.redraw(ALL);
    });
    this.arcs = new ArcLines(state, this.view);
    this.grid = new Grid(state, this.view);
    this.old = new OldObjects(state, this.view, this.arcs);
    this.newcomers = new Newcomers(state, this.view, this.old);
    this.pointing = new Pointing(state, this.view, this.old);
    state.on(["slide", "selection", "hover"], () => this.redraw({ newcomers: true }));
    state.on(["style"], () => {
      this.restyle();
      this.redraw(ALL);
    });
    state.on(["theme"], () => {
      this.restyle();
      // At once: before a page is printed there is no other frame.
      this.stale = { ...ALL };
      this.draw();
      if (isPrinting()) this.flatten();
    });
    state.on(["axes"], () => this.showAxes());
    new ResizeObserver(() => this.resize()).observe(this.view.box);
    this.resize();
    this.restyle();
    this.showAxes();
  }

  private resize(): void {
    if (!this.view.resize()) return;
    for (const layer of [this.grid, this.old, this.newcomers]) layer.resize();
    this.redraw(ALL);
  }

  private restyle(): void {
    const { data, colourBy, shapeBy } = this.state;
    const look = looks(data, colourBy, shapeBy, theme());
    for (const layer of [this.old, this.newcomers]) layer.restyle(look);
  }

  /** What depends on the axes: the tree for pointing, the arcs' lines, the extent. */
  private showAxes(): void {
    this.old.reindex();
    this.arcs.sample();
    this.view.setExtent(extentOf(this.state, this.arcs.lines));
    this.view.showAll();
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
    this.stale = { ...NONE };
  }

  /** All layers on one: what is drawn while printing is printed as strokes, and a layer would wipe out those under it. */
  private flatten(): void {
    const canvas = this.grid.canvas.getContext("2d")!;
    canvas.setTransform(1, 0, 0, 1, 0, 0);
    canvas.drawImage(this.old.canvas, 0, 0);
    canvas.drawImage(this.newcomers.canvas, 0, 0);
  }
}
