// Other views than the map of two axes: a grid of all pairs, three axes at once, and two strategies side by side. They stand where the map stands, and
// show who the map shows, in the same colours.

import { looks, type Looks } from "../looks";
import { Recorder } from "../record";
import type { State } from "../state";
import { picture, type Picture } from "../svg";
import { theme } from "../theme";
import { byId, element, sentence } from "../text";
import { Beside } from "./beside";
import { drawPairs, pairAt } from "./pairs";
import { Solid } from "./solid";

export class OtherViews {
  private readonly box = byId("other-view");
  private readonly canvas = element("canvas");
  readonly solid: Solid;
  private readonly beside: Beside;
  private frame = 0;

  constructor(private readonly state: State) {
    this.solid = new Solid(state, this.canvas, () => this.redraw());
    this.beside = new Beside(state, this.canvas, () => this.redraw());
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.box.append(this.canvas);
    this.canvas.addEventListener("click", (e) => this.click(e));
    state.on(["axes"], () => this.show());
    state.on(["slide", "selection", "style", "theme", "visible", "marked"], () => this.redraw());
    state.on(["hover"], () => state.scene === "beside" && this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.box);
    this.show();
  }

  private show(): void {
    const { scene, data, axes, depth } = this.state;
    const other = scene !== "map";
    byId("map").hidden = other;
    byId("map-note").hidden = scene === "pairs";
    this.canvas.style.cursor = "";
    this.box.hidden = !other;
    this.canvas.setAttribute(
      "aria-label",
      scene === "pairs"
        ? `All pairs of the ${data.d} axes; click a pair to see it large`
        : scene === "beside"
          ? `Two strategies side by side; drag or use the arrow keys to move both, plus and minus to zoom, click an object to choose it`
          : `Axes ${axes[0] + 1}, ${axes[1] + 1} and ${depth + 1} together; drag or use the arrow keys to turn`,
    );
    if (other) this.redraw();
  }

  private click(event: MouseEvent): void {
    const { state } = this;
    if (state.scene !== "pairs") return;
    const pair = pairAt(state, this.canvas.clientWidth, this.canvas.clientHeight, event.offsetX, event.offsetY);
    if (!pair) return;
    state.axes = pair;
    state.scene = "map";
    state.tell("axes");
  }

  private redraw(): void {
    if (this.state.scene === "map") return;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { canvas, state } = this;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawOn(context, width, height);
    if (state.scene === "pairs") return;
    const note = state.scene === "beside" ? this.beside.note() : this.ofThree();
    if (byId("map-note").textContent !== note) byId("map-note").textContent = note;
  }

  /** How three axes are turned, and what is not drawn on them. */
  private ofThree(): string {
    const { data } = this.state;
    const flat = [...(data.newcomers?.words.uncertainty ? ["regions of uncertainty"] : []), ...(data.columns.some((c) => c.spread) ? ["outlines of classes"] : []), ...(data.words.variables ? ["variables"] : [])];
    const listed = flat.length > 1 ? `${flat.slice(0, -1).join(", ")} and ${flat[flat.length - 1]}` : flat[0];
    const missing = flat.length ? ` ${sentence(`${listed} are drawn on two axes only`)}` : "";
    return `Drag or use the arrow keys to turn, scroll or + and − to zoom, 0 for the first view; what is fainter is farther away.${missing}`;
  }

  private drawOn(context: CanvasRenderingContext2D, width: number, height: number): Looks {
    const { state } = this;
    const look = theme();
    const painted = looks(state.data, state, look);
    if (state.scene === "pairs") drawPairs(context, state, painted, look, width, height);
    else if (state.scene === "solid") this.solid.draw(context, painted, look, width, height);
    else this.beside.draw(context, painted, look);
    return painted;
  }

  /** The view as SVG. */
  svg(): Picture {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const recorder = new Recorder("panel");
    const painted = this.drawOn(recorder.canvas, width, height);
    return picture(this.state, painted, width, height, 4, recorder.lines());
  }
}
