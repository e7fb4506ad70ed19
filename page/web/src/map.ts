// The map. Three canvases lie on each other: the grid, the old objects with the arcs, and the newcomers. A slider move
// redraws the last one only, a pan or a zoom all three; where there are many old objects their picture is moved along
// and drawn anew when the hand rests. One unit is as long on one axis as on the other, always: distances mean something.

import { quadtree, type Quadtree } from "d3-quadtree";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import { drawLabels, type Wanted } from "./labels";
import { looks, SHAPES, Stamps, trace, type Looks, type Shape } from "./marks";
import { Splat } from "./splat";
import { MOST_ENDS, type State } from "./state";
import { isPrinting, theme, type Theme } from "./theme";
import { announce, byId, elided, element, foreignness, isolated, percent, short, tick as atAxis } from "./text";

/** Around the plot; the buttons stand in it, to the right of the plot or, where that is narrow, above. */
const WIDE = { left: 66, right: 50, top: 12, bottom: 40 };
const NARROW = { left: 60, right: 16, top: 40, bottom: 40 };
/** A map less wide than this is narrow. */
const LEAST = 520;
/** More old objects than these are drawn pixel by pixel. */
const MANY = 20_000;
/** Labels of old objects are drawn if no more than these are in sight. */
const MOST_LABELS = 150;
/** Pixels within which a mark is under the pointer. */
const REACH = 14;
/** On a map of one axis newcomers stand so many pixels above the line. */
const LANE = 46;

export class MapView {
  private readonly box = byId("map");
  private readonly grid = byId<HTMLCanvasElement>("map-grid");
  private readonly oldLayer = byId<HTMLCanvasElement>("map-old");
  private readonly newLayer = byId<HTMLCanvasElement>("map-new");
  private readonly tooltip = byId("tooltip");
  private width = 0;
  private margin = WIDE;
  private height = 0;
  private ratio = 1;
  private transform: ZoomTransform = zoomIdentity;
  private drawn: ZoomTransform = zoomIdentity;
  /** Pixels for a unit, and the middle of the map, before zooming. */
  private scale = 1;
  private middle: [number, number] = [0, 0];
  private look!: Looks;
  private stamps!: Stamps;
  private oldSplat!: Splat;
  private newSplat!: Splat;
  private tree!: Quadtree<number>;
  /** Arcs as polylines on the axes shown. */
  private lines: Float32Array = new Float32Array(0);
  private linePoints = 0;
  private frame = 0;
  private stale = { grid: true, old: true, fresh: true };
  private resting = 0;
  private readonly zoomer = zoom<HTMLElement, unknown>();
  private readonly one: boolean;
  /** Milliseconds of the last drawing of the old objects. */
  private oldCost = 0;
  private readonly spots = new Float64Array(2);

  constructor(private readonly state: State) {
    this.one = state.data.d === 1;
    const node = select(this.box);
    this.zoomer
      .scaleExtent([0.2, 2000])
      .filter((event: MouseEvent & TouchEvent) =>
        // One finger scrolls the page, two move the map.
        event.type.startsWith("touch") ? event.touches.length > 1 : !event.button && !(event.target as Element).closest("button"),
      )
      .on("zoom", (event: D3ZoomEvent<HTMLElement, unknown>) => {
        this.transform = event.transform;
        this.hideTooltip();
        this.ask({ grid: true, old: true, fresh: true });
      });
    node.call(this.zoomer).on("dblclick.zoom", null);
    this.buttons();
    this.box.addEventListener("pointermove", (e) => this.point(e));
    this.box.addEventListener("pointerleave", () => this.hideTooltip());
    this.box.addEventListener("click", (e) => this.click(e));
    this.box.addEventListener("keydown", (e) => this.key(e));
    state.on(["slide", "selection", "hover"], () => this.ask({ fresh: true }));
    state.on(["style"], () => {
      this.restyle();
      this.ask({ grid: true, old: true, fresh: true });
    });
    state.on(["theme"], () => {
      this.restyle();
      // At once: before a page is printed there is no other frame.
      this.stale = { grid: true, old: true, fresh: true };
      this.draw();
      if (isPrinting()) this.flatten();
    });
    state.on(["axes"], () => {
      this.reaxis();
      this.showAll();
    });
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.resize();
    this.restyle();
    this.reaxis();
    this.showAll();
  }

  private buttons(): void {
    const make = (text: string, label: string, act: () => void) => {
      const button = element("button", { text, title: label, onclick: act, type: "button" });
      button.setAttribute("aria-label", label);
      return button;
    };
    byId("zoom").append(
      make("+", "Zoom in", () => this.zoomBy(1.5)),
      make("−", "Zoom out", () => this.zoomBy(1 / 1.5)),
      make("⤢", "Show all", () => this.showAll()),
    );
  }

  private zoomBy(factor: number): void {
    select(this.box).call(this.zoomer.scaleBy, factor, [this.width / 2, this.height / 2]);
  }

  private showAll(): void {
    select(this.box).call(this.zoomer.transform, zoomIdentity);
    this.ask({ grid: true, old: true, fresh: true });
  }

  private key(event: KeyboardEvent): void {
    const step = 60;
    const pan = (dx: number, dy: number) =>
      select(this.box).call(this.zoomer.translateBy, dx / this.transform.k, dy / this.transform.k);
    const acts: Record<string, () => void> = {
      ArrowLeft: () => pan(step, 0),
      ArrowRight: () => pan(-step, 0),
      ArrowUp: () => pan(0, step),
      ArrowDown: () => pan(0, -step),
      "+": () => this.zoomBy(1.5),
      "=": () => this.zoomBy(1.5),
      "-": () => this.zoomBy(1 / 1.5),
      "0": () => this.showAll(),
      n: () => this.next(1),
      p: () => this.next(-1),
      Escape: () => this.state.select(-1),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  private next(by: number): void {
    const { data, selected } = this.state;
    const k = data.newcomers?.count ?? 0;
    if (k === 0) return;
    const i = selected < 0 ? (by > 0 ? 0 : k - 1) : (selected + by + k) % k;
    this.state.select(i);
    announce(`${elided(data.newcomers!.labels[i], 80)} chosen`);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.box;
    const ratio = window.devicePixelRatio || 1;
    if (clientWidth === this.width && clientHeight === this.height && ratio === this.ratio) return;
    this.width = clientWidth;
    this.margin = clientWidth < LEAST ? NARROW : WIDE;
    this.box.classList.toggle("narrow", this.margin === NARROW);
    this.height = clientHeight;
    this.ratio = ratio;
    for (const canvas of [this.grid, this.oldLayer, this.newLayer]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    this.stamps = new Stamps(ratio);
    this.splats();
    this.zoomer.extent([
      [0, 0],
      [this.width, this.height],
    ]);
    this.fit();
    this.ask({ grid: true, old: true, fresh: true });
  }

  private splats(): void {
    this.oldSplat = new Splat(this.oldLayer.width, this.oldLayer.height);
    this.newSplat = new Splat(this.newLayer.width, this.newLayer.height);
  }

  private restyle(): void {
    const { data, colourBy, shapeBy } = this.state;
    this.look = looks(data, colourBy, shapeBy, theme());
    this.stamps = new Stamps(this.ratio);
    this.splats();
  }

  /** What depends on the axes: the tree for pointing, the arcs' lines, the extent. */
  private reaxis(): void {
    const { data, axes, arcs } = this.state;
    const [a, b] = axes;
    this.tree = quadtree<number>()
      .x((i) => data.old[i * data.d + a])
      .y((i) => (b < 0 ? 0 : data.old[i * data.d + b]))
      .addAll(Array.from({ length: data.n }, (_, i) => i));
    if (arcs) {
      const many = arcs.count > MOST_ENDS;
      const m = (this.linePoints = arcs.straight ? 2 : many ? 7 : 33);
      this.lines = new Float32Array(arcs.count * m * 2);
      const y = new Float64Array(data.d);
      for (let i = 0; i < arcs.count; i++)
        for (let p = 0; p < m; p++) {
          arcs.at(i, p / (m - 1), y, 0);
          this.lines[(i * m + p) * 2] = y[a];
          this.lines[(i * m + p) * 2 + 1] = b < 0 ? 0 : y[b];
        }
    }
    this.fit();
  }

  /** The scale at which everything is in sight. */
  private fit(): void {
    if (!this.tree || this.width === 0) return;
    const { data, axes } = this.state;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    const take = (x: number, y: number) => {
      if (Number.isNaN(x) || Number.isNaN(y)) return;
      left = Math.min(left, x);
      right = Math.max(right, x);
      low = Math.min(low, y);
      high = Math.max(high, y);
    };
    const [a, b] = axes;
    for (let i = 0; i < data.n; i++) take(data.old[i * data.d + a], b < 0 ? 0 : data.old[i * data.d + b]);
    for (let p = 0; p < this.lines.length; p += 2) take(this.lines[p], this.lines[p + 1]);
    const newcomers = data.newcomers;
    for (const placed of [newcomers?.chosen, newcomers?.reconstruct]) {
      if (!placed) continue;
      for (let i = 0; i < newcomers!.count; i++)
        take(placed.coordinates[i * data.d + a], b < 0 ? 0 : placed.coordinates[i * data.d + b]);
      for (const [, y] of placed.alternatives) take(y[a], b < 0 ? 0 : y[b]);
    }
    const w = Math.max(10, this.width - this.margin.left - this.margin.right);
    const h = Math.max(10, this.height - this.margin.top - this.margin.bottom);
    const across = right - left || 1;
    const up = high - low || (this.one ? 0 : 1);
    this.scale = 0.92 * Math.min(w / across, up > 0 ? h / up : Infinity);
    this.middle = [(left + right) / 2, (low + high) / 2];
  }

  private x(value: number): number {
    const centre = this.margin.left + (this.width - this.margin.left - this.margin.right) / 2;
    return this.transform.applyX(centre + (value - this.middle[0]) * this.scale);
  }

  private y(value: number): number {
    const centre = this.margin.top + (this.height - this.margin.top - this.margin.bottom) / 2;
    return this.transform.applyY(centre - (value - this.middle[1]) * this.scale);
  }

  private backX(pixel: number): number {
    const centre = this.margin.left + (this.width - this.margin.left - this.margin.right) / 2;
    return (this.transform.invertX(pixel) - centre) / this.scale + this.middle[0];
  }

  private backY(pixel: number): number {
    const centre = this.margin.top + (this.height - this.margin.top - this.margin.bottom) / 2;
    return (centre - this.transform.invertY(pixel)) / this.scale + this.middle[1];
  }

  /** Where a point of d coordinates stands on the screen; `lane` is how far newcomers are off a line. */
  private spot(from: ArrayLike<number>, at: number, lane: number): Float64Array {
    const [a, b] = this.state.axes;
    this.spots[0] = this.x(from[at + a]);
    this.spots[1] = this.y(b < 0 ? 0 : from[at + b]) - (b < 0 ? lane : 0);
    return this.spots;
  }

  private ask(what: Partial<typeof this.stale>): void {
    Object.assign(this.stale, what);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private layer(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d")!;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }

  private draw(): void {
    if (this.width === 0) return;
    const look = theme();
    if (this.stale.grid) this.drawGrid(look);
    if (this.stale.old) {
      // While one pans or zooms, a costly picture is moved and not drawn.
      const costly = this.oldCost > 24 && this.transform !== this.drawn;
      window.clearTimeout(this.resting);
      if (costly) {
        const k = this.transform.k / this.drawn.k;
        const dx = this.transform.x - this.drawn.x * k;
        const dy = this.transform.y - this.drawn.y * k;
        this.oldLayer.style.transform = `translate(${dx}px, ${dy}px) scale(${k})`;
        this.resting = window.setTimeout(() => this.drawOldNow(), 90);
      } else this.drawOldNow();
    }
    if (this.stale.fresh) this.drawNewcomers(look);
    this.stale = { grid: false, old: false, fresh: false };
  }

  /** All layers on one: what is drawn while printing is printed as strokes, and a layer would wipe out those under it. */
  private flatten(): void {
    const canvas = this.grid.getContext("2d")!;
    canvas.setTransform(1, 0, 0, 1, 0, 0);
    canvas.drawImage(this.oldLayer, 0, 0);
    canvas.drawImage(this.newLayer, 0, 0);
  }

  private drawOldNow(): void {
    const before = performance.now();
    this.drawOld(theme());
    this.oldCost = performance.now() - before;
    this.drawn = this.transform;
    this.oldLayer.style.transform = "";
  }

  private clip(canvas: CanvasRenderingContext2D): void {
    canvas.beginPath();
    canvas.rect(this.margin.left, this.margin.top, this.width - this.margin.left - this.margin.right, this.height - this.margin.top - this.margin.bottom);
    canvas.clip();
  }

  private drawGrid(look: Theme): void {
    const canvas = this.layer(this.grid);
    const { axes, data } = this.state;
    const [left, right] = [this.margin.left, this.width - this.margin.right];
    const [top, bottom] = [this.margin.top, this.height - this.margin.bottom];
    const across = scaleLinear().domain([this.backX(left), this.backX(right)]).range([left, right]);
    const up = scaleLinear().domain([this.backY(bottom), this.backY(top)]).range([bottom, top]);
    canvas.font = "11px system-ui, sans-serif";
    canvas.lineWidth = 1;
    const columns = across.ticks(Math.max(3, Math.round((right - left) / 95)));
    canvas.textAlign = "center";
    canvas.textBaseline = "top";
    for (const tick of columns) {
      const x = Math.round(across(tick)) + 0.5;
      canvas.strokeStyle = tick === 0 ? look.faint : look.line;
      canvas.beginPath();
      canvas.moveTo(x, top);
      canvas.lineTo(x, bottom);
      canvas.stroke();
      canvas.fillStyle = look.muted;
      const words = atAxis(tick);
      // A number that would hang over the edge is left out.
      if (x + canvas.measureText(words).width / 2 < this.width) canvas.fillText(words, x, bottom + 6);
    }
    if (this.one) {
      canvas.strokeStyle = look.faint;
      canvas.beginPath();
      const y = Math.round(this.y(0)) + 0.5;
      canvas.moveTo(left, y);
      canvas.lineTo(right, y);
      canvas.stroke();
    } else {
      const rows = up.ticks(Math.max(3, Math.round((bottom - top) / 70)));
      canvas.textAlign = "right";
      canvas.textBaseline = "middle";
      for (const tick of rows) {
        const y = Math.round(up(tick)) + 0.5;
        canvas.strokeStyle = tick === 0 ? look.faint : look.line;
        canvas.beginPath();
        canvas.moveTo(left, y);
        canvas.lineTo(right, y);
        canvas.stroke();
        canvas.fillStyle = look.muted;
        canvas.fillText(atAxis(tick), left - 7, y);
      }
    }
    const name = (axis: number) => {
      const share = data.words.explained[axis];
      return `axis ${axis + 1}${share === null || data.words.given ? "" : ` (${percent(share, 1)})`}`;
    };
    canvas.fillStyle = look.ink;
    canvas.textAlign = "center";
    canvas.textBaseline = "bottom";
    canvas.fillText(name(axes[0]), (left + right) / 2, this.height - 4);
    if (!this.one) {
      canvas.save();
      canvas.translate(9, (top + bottom) / 2);
      canvas.rotate(-Math.PI / 2);
      canvas.textBaseline = "middle";
      canvas.fillText(name(axes[1]), 0, 0);
      canvas.restore();
    }
  }

  /** Radius of an old object's mark. */
  private get oldRadius(): number {
    const { n } = this.state.data;
    const zoomed = Math.min(1.8, Math.max(1, Math.sqrt(this.transform.k)));
    return zoomed * (n <= 100 ? 4.5 : n <= 1000 ? 3.4 : n <= 5000 ? 2.6 : n <= MANY ? 1.9 : 1);
  }

  private get newRadius(): number {
    const k = this.state.data.newcomers?.count ?? 0;
    const small = this.margin === NARROW ? 0.85 : 1;
    if (k > MOST_ENDS) return small * 1.4 * Math.min(2.7, Math.max(1, Math.sqrt(this.transform.k)));
    return small * (k <= 30 ? 5.5 : k <= 300 ? 4.6 : k <= 1000 ? 4 : 3);
  }

  /**
   * The opacity of each of so many marks that only together they are a picture: `one` where `usual` of them are on a
   * wide map, more if they are fewer or seen from near, less on a small map.
   */
  private faint(one: number, count: number, usual: number): number {
    const room = Math.min(1, Math.sqrt((this.width * this.height) / 400_000));
    return Math.min(0.9, Math.max(0.15, one * room * Math.sqrt(usual / count)) * Math.max(1, Math.sqrt(this.transform.k)));
  }

  private drawOld(look: Theme): void {
    const canvas = this.layer(this.oldLayer);
    const { data, axes } = this.state;
    canvas.save();
    this.clip(canvas);
    const [a, b] = axes;
    const r = this.oldRadius;
    const { colours, colour, shape } = this.look;
    const ax = this.x(0);
    const bx = this.x(1) - ax;
    const ay = this.y(0);
    const by = this.y(1) - ay;
    const { old, d, n } = data;
    const opacity = n <= 1000 ? 0.9 : n <= MANY ? 0.7 : this.faint(0.3, n, 100_000);
    const stamps = colours.map((fill) => SHAPES.map((s) => this.stamps.get(s, r, fill, look.surface, r > 2 && n <= MANY ? 0.8 : 0)));
    if (n > MANY) {
      const splat = this.oldSplat;
      splat.clear();
      const marks = stamps.map((list, c) => list.map((stamp, s) => splat.mark(`${colours[c]} ${SHAPES[s]} ${r}`, stamp, opacity)));
      const [left, right] = [this.margin.left, this.width - this.margin.right];
      const [top, bottom] = [this.margin.top, this.height - this.margin.bottom];
      for (let i = 0; i < n; i++) {
        const x = ax + bx * old[i * d + a];
        const y = b < 0 ? ay : ay + by * old[i * d + b];
        if (x > left && x < right && y > top && y < bottom) splat.add(marks[colour[i]][shape[i]], x * this.ratio, y * this.ratio);
      }
      splat.put(canvas);
    } else {
      canvas.globalAlpha = opacity;
      for (let i = 0; i < n; i++) {
        const x = ax + bx * old[i * d + a];
        const y = b < 0 ? ay : ay + by * old[i * d + b];
        if (x < 0 || x > this.width || y < 0 || y > this.height) continue;
        const stamp = stamps[colour[i]][shape[i]];
        const size = stamp.width / this.ratio;
        canvas.drawImage(stamp, x - size / 2, y - size / 2, size, size);
      }
    }
    canvas.globalAlpha = 1;
    if (this.state.showArcs) this.drawArcs(canvas, look);
    canvas.restore();
  }

  private drawArcs(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { arcs, data } = this.state;
    if (!arcs?.moving) return;
    const m = this.linePoints;
    const lane = this.one ? LANE : 0;
    const many = arcs.count > MOST_ENDS;
    canvas.strokeStyle = look.newcomer;
    canvas.globalAlpha = many ? 0.28 : 0.75;
    canvas.lineWidth = many ? 0.8 : 1.5;
    canvas.beginPath();
    for (let i = 0; i < arcs.count; i++) {
      if (Number.isNaN(this.lines[i * m * 2])) continue;
      for (let p = 0; p < m; p++) {
        const x = this.x(this.lines[(i * m + p) * 2]);
        const y = this.y(this.lines[(i * m + p) * 2 + 1]) - lane;
        if (p === 0) canvas.moveTo(x, y);
        else canvas.lineTo(x, y);
      }
    }
    canvas.stroke();
    canvas.globalAlpha = 1;
    if (many) return;
    // Where each arc begins and ends.
    const newcomers = data.newcomers!;
    const end = arcs.straight ? newcomers.chosen! : newcomers.reconstruct!;
    const mark = (y: Float64Array, i: number, colour: string, shape: Shape) => {
      const [px, py] = this.spot(y, i * data.d, lane);
      if (Number.isNaN(px)) return;
      trace(canvas, shape, px, py, 3);
      canvas.fillStyle = look.surface;
      canvas.fill();
      canvas.strokeStyle = colour;
      canvas.lineWidth = 1.4;
      canvas.stroke();
    };
    for (let i = 0; i < arcs.count; i++) {
      mark(newcomers.project.coordinates, i, look.projection, "circle");
      if (arcs.straight) mark(end.coordinates, i, look.accent, "square");
      else mark(end.coordinates, i, look.reconstruction, "diamond");
    }
    this.drawAlternatives(canvas, look, end.alternatives, true);
    if (newcomers.chosen && !arcs.straight) this.drawAlternatives(canvas, look, newcomers.chosen.alternatives, false);
  }

  /** Places that are exactly as good: hollow, dashed, and joined to where the arc forks. */
  private drawAlternatives(canvas: CanvasRenderingContext2D, look: Theme, others: [number, number[]][], forked: boolean): void {
    const { arcs, data } = this.state;
    const lane = this.one ? LANE : 0;
    const reconstructed = forked && !arcs?.straight;
    canvas.strokeStyle = reconstructed ? look.reconstruction : look.accent;
    canvas.lineWidth = 1.2;
    canvas.setLineDash([3, 3]);
    const corner = new Float64Array(data.d);
    const rings = new Map<number, number[][]>();
    for (const [i, y] of others) {
      const [x1, y1] = this.spot(y, 0, lane);
      if (forked && arcs && !arcs.straight) {
        arcs.at(i, Math.min(arcs.corner(i), 1 - 1e-12), corner, 0);
        const [x0, y0] = this.spot(corner, 0, lane);
        const [ex, ey] = this.spot(y, 0, lane);
        canvas.beginPath();
        canvas.moveTo(x0, y0);
        canvas.lineTo(ex, ey);
        canvas.stroke();
      }
      trace(canvas, reconstructed ? "diamond" : "square", x1, y1, 4);
      canvas.stroke();
      if (forked) rings.set(i, [...(rings.get(i) ?? []), y]);
    }
    // Three others and more are on a sphere: its great circles through the axes are drawn.
    const end = data.newcomers!.reconstruct;
    for (const [i, ys] of rings) {
      if (!end || end.status[i] !== "sphere" || ys.length < 3) continue;
      const own = Array.from(end.coordinates.subarray(i * data.d, (i + 1) * data.d));
      const centre = own.map((v, j) => (v + ys[0][j]) / 2);
      const spokes = [own, ...ys.filter((_, at) => at % 2 === 1)].map((y) => y.map((v, j) => v - centre[j]));
      for (let s = 0; s < spokes.length; s++)
        for (let t = s + 1; t < spokes.length; t++) {
          canvas.beginPath();
          for (let step = 0; step <= 72; step++) {
            const angle = (step / 72) * 2 * Math.PI;
            const y = centre.map((v, j) => v + Math.cos(angle) * spokes[s][j] + Math.sin(angle) * spokes[t][j]);
            const [px, py] = this.spot(y, 0, lane);
            if (step) canvas.lineTo(px, py);
            else canvas.moveTo(px, py);
          }
          canvas.stroke();
        }
    }
    canvas.setLineDash([]);
  }

  private drawNewcomers(look: Theme): void {
    const canvas = this.layer(this.newLayer);
    const { data, places, selected, hovered } = this.state;
    const { n, d, newcomers } = data;
    const k = newcomers?.count ?? 0;
    const lane = this.one ? LANE : 0;
    const r = this.newRadius;
    const { colours, colour, shape } = this.look;
    canvas.save();
    this.clip(canvas);
    const marks: { x: number; y: number; r: number }[] = [];
    const wanted: Wanted[] = [];
    const many = k > MOST_ENDS;
    // Thousands of outlines would be all that is seen.
    const outline = !many ? 1.2 : this.state.colourBy < 0 || r < 3 ? 0 : 0.7;
    const stamps = colours.map((fill) => SHAPES.map((s) => this.stamps.get(s, r, fill, look.ink, outline)));
    const other = newcomers?.chosen && !this.state.arcs?.straight ? newcomers.chosen : null;
    const order = this.order(k);
    if (many) {
      const splat = this.newSplat;
      splat.clear();
      const faint = this.faint(0.4, k, 10_000);
      const pictures = stamps.map((list, c) => list.map((stamp, s) => splat.mark(`${colours[c]} ${SHAPES[s]} ${r} ${outline}`, stamp, faint)));
      for (let i = 0; i < k; i++) {
        const [x, y] = this.spot(places, i * d, lane);
        if (x > this.margin.left && x < this.width - this.margin.right && y > this.margin.top && y < this.height - this.margin.bottom)
          splat.add(pictures[colour[n + i]][shape[n + i]], x * this.ratio, y * this.ratio);
      }
      splat.put(canvas);
    }
    for (let i = 0; i < (many ? 0 : k); i++) {
      if (other) {
        const [ox, oy] = this.spot(other.coordinates, i * d, lane);
        if (!Number.isNaN(ox)) {
          trace(canvas, "square", ox, oy, r * 0.8);
          canvas.strokeStyle = look.accent;
          canvas.lineWidth = 1.8;
          canvas.stroke();
        }
      }
      const [x, y] = this.spot(places, i * d, lane);
      if (!(x > 0 && x < this.width && y > 0 && y < this.height)) continue;
      const stamp = stamps[colour[n + i]][shape[n + i]];
      const size = stamp.width / this.ratio;
      canvas.drawImage(stamp, x - size / 2, y - size / 2, size, size);
      if (k <= MOST_LABELS) marks.push({ x, y, r });
    }
    for (const i of [hovered, selected]) {
      if (i < 0) continue;
      const [x, y] = this.spot(places, i * d, lane);
      // Among thousands the chosen one is drawn once more, larger.
      if (many) {
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
    if (this.state.showLabels) {
      for (const i of order) {
        const [x, y] = this.spot(places, i * d, lane);
        if (!(x > this.margin.left && x < this.width && y > 0 && y < this.height)) continue;
        // A label stands clear of the ring.
        const clear = i === selected || i === hovered ? Math.max(5, r) + 4 : r;
        wanted.push({ text: isolated(elided(newcomers!.labels[i], 24)), x, y, r: clear, bold: true, colour: look.ink });
      }
      const seen = this.oldInSight();
      const old = this.oldRadius;
      for (const i of seen) {
        const [x, y] = this.spot(data.old, i * d, 0);
        marks.push({ x, y, r: old });
      }
      for (const i of seen) {
        const [x, y] = this.spot(data.old, i * d, 0);
        wanted.push({ text: isolated(elided(data.labels[i], 24)), x, y, r: old, bold: false, colour: look.muted });
      }
      const bounds = { left: this.margin.left, right: this.width - this.margin.right, top: this.margin.top, bottom: this.height - this.margin.bottom };
      drawLabels(canvas, wanted, marks, bounds, look.surface);
    }
    canvas.restore();
  }

  /** Newcomers to label, the chosen one first: all if they are few, otherwise those that stand out. */
  private order(k: number): number[] {
    const { selected, hovered, data } = this.state;
    const first = [selected, hovered].filter((i, at, all) => i >= 0 && all.indexOf(i) === at);
    if (k > MOST_LABELS) return first;
    const foreign = data.newcomers?.foreign;
    const rest = Array.from({ length: k }, (_, i) => i).filter((i) => !first.includes(i));
    return [...first, ...rest.sort((i, j) => (foreign![j] || 0) - (foreign![i] || 0))];
  }

  /** Old objects in sight, if they are few enough to be labelled. */
  private oldInSight(): number[] {
    const [left, right] = [this.backX(this.margin.left), this.backX(this.width - this.margin.right)];
    const [low, high] = [this.backY(this.height - this.margin.bottom), this.backY(this.margin.top)];
    const { data, axes } = this.state;
    const [a, b] = axes;
    const seen: number[] = [];
    this.tree.visit((node, x0, y0, x1, y1) => {
      if (seen.length > MOST_LABELS || x0 > right || x1 < left || y0 > high || y1 < low) return true;
      if (!("length" in node) || node.length === undefined) {
        let leaf: typeof node | undefined = node as never;
        while (leaf) {
          const i = (leaf as unknown as { data: number }).data;
          const x = data.old[i * data.d + a];
          const y = b < 0 ? 0 : data.old[i * data.d + b];
          if (x >= left && x <= right && y >= low && y <= high) seen.push(i);
          leaf = (leaf as unknown as { next?: typeof node }).next;
        }
      }
      return false;
    });
    return seen.length > MOST_LABELS ? [] : seen;
  }

  /** The newcomer or old object under the pointer: [newcomer, -1], [-1, old] or null. */
  private under(px: number, py: number): { newcomer: number; old: number } | null {
    const { data, places } = this.state;
    const k = data.newcomers?.count ?? 0;
    const lane = this.one ? LANE : 0;
    let best = REACH;
    let newcomer = -1;
    for (let i = 0; i < k; i++) {
      const [x, y] = this.spot(places, i * data.d, lane);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) {
        best = distance;
        newcomer = i;
      }
    }
    if (newcomer >= 0) return { newcomer, old: -1 };
    const reach = REACH / (this.scale * this.transform.k);
    const old = this.one
      ? this.tree.find(this.backX(px), 0, reach)
      : this.tree.find(this.backX(px), this.backY(py), reach);
    if (old === undefined || (this.one && Math.abs(py - this.y(0)) > REACH)) return null;
    return { newcomer: -1, old };
  }

  private place(event: MouseEvent): [number, number] {
    const rect = this.box.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  }

  private point(event: PointerEvent): void {
    if (event.buttons || event.pointerType === "touch") return;
    const [px, py] = this.place(event);
    const found = (event.target as Element).closest("button") ? null : this.under(px, py);
    this.state.hover(found?.newcomer ?? -1);
    this.box.style.cursor = found ? "pointer" : "";
    if (found) this.showTooltip(px, py, found);
    else this.hideTooltip();
  }

  private click(event: MouseEvent): void {
    if ((event.target as Element).closest("button")) return;
    const [px, py] = this.place(event);
    const found = this.under(px, py);
    if (found && found.newcomer >= 0) this.state.select(found.newcomer);
    if (found) this.showTooltip(px, py, found);
  }

  private hideTooltip(): void {
    this.tooltip.hidden = true;
    this.state.hover(-1);
  }

  private showTooltip(px: number, py: number, found: { newcomer: number; old: number }): void {
    const { data, places, axes } = this.state;
    const fresh = found.newcomer >= 0;
    const i = fresh ? found.newcomer : found.old;
    const label = fresh ? data.newcomers!.labels[i] : data.labels[i];
    const coordinates: ArrayLike<number> = fresh ? places : data.old;
    const rows: [string, string][] = [];
    const shown = data.d <= 4 ? Array.from({ length: data.d }, (_, j) => j) : axes.filter((j) => j >= 0);
    for (const j of shown) rows.push([`axis ${j + 1}`, this.state.coordinate(coordinates[i * data.d + j])]);
    if (fresh) {
      const newcomers = data.newcomers!;
      rows.push(["foreign", foreignness(newcomers.foreign[i])]);
      rows.push(["residual", short(newcomers.residual[i])]);
      if (newcomers.reconstruct) rows.push(["moves by", short(newcomers.moved[i])]);
      const status = (newcomers.chosen ?? newcomers.reconstruct ?? newcomers.project).status[i];
      if (status !== "unique") rows.push(["status", status.replaceAll("_", " ")]);
    } else rows.push(["own residual, left out", short(data.oldResidual[i])]);
    const at = fresh ? data.n + i : i;
    for (const column of data.columns.slice(0, 6)) {
      const value = column.codes
        ? column.codes[at] === 0xffff ? "–" : elided(column.groups![column.codes[at]], 40)
        : short(column.numbers![at]);
      rows.push([elided(column.name, 30), value]);
    }
    const table = element("dl");
    for (const [name, value] of rows) table.append(element("dt", { text: name }), element("dd", { text: value, dir: "auto" }));
    const name = element("strong", { text: elided(label, 90), dir: "auto" });
    const kind = element("span", { text: fresh ? "newcomer" : "old object", className: "kind" });
    this.tooltip.replaceChildren(name, kind, table);
    this.tooltip.hidden = false;
    const { offsetWidth, offsetHeight } = this.tooltip;
    const left = px + 16 + offsetWidth > this.width ? Math.max(4, px - 16 - offsetWidth) : px + 16;
    const top = Math.max(4, Math.min(py + 12, this.height - offsetHeight - 4));
    this.tooltip.style.transform = `translate(${left}px, ${top}px)`;
  }
}
