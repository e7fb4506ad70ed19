// The grid: its lines, the numbers beside them and the names of the axes, for whatever part of the map the view shows.
// It is the lowest layer and knows nothing of the objects.

import { scaleLinear } from "d3-scale";
import type { Data } from "../data";
import type { State } from "../state";
import { percent, tick as atAxis } from "../text";
import type { Theme } from "../theme";
import { WORDS } from "../words";
import { Layer } from "./layer";
import type { View } from "./view";

/** The name of an axis with its share of what the fit saw. */
export function axisName(data: Data, axis: number): string {
  const share = data.words.explained[axis];
  return `axis ${axis + 1}${share === null || data.words.given ? "" : ` (${percent(share, 1)})`}`;
}

/** The same, with what the share is of. */
export function axisNameInFull(data: Data, axis: number): string {
  const name = axisName(data, axis);
  return name.endsWith(")") ? `${name.slice(0, -1)} ${data.words.spectrum.complete ? WORDS.complete : WORDS.incomplete})` : name;
}

export class Grid extends Layer {
  constructor(
    private readonly state: State,
    view: View,
  ) {
    super("map-grid", view);
  }

  draw(look: Theme): void {
    const canvas = this.cleared();
    canvas.font = "11px system-ui, sans-serif";
    canvas.lineWidth = 1;
    this.drawColumns(canvas, look);
    if (this.view.one) this.drawLine(canvas, look);
    else this.drawRows(canvas, look);
    this.drawNames(canvas, look);
  }

  private drawColumns(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { view } = this;
    const { left, right, top, bottom } = view.plot;
    const across = scaleLinear().domain([view.invertX(left), view.invertX(right)]).range([left, right]);
    canvas.textAlign = "center";
    canvas.textBaseline = "top";
    for (const tick of across.ticks(Math.max(3, Math.round((right - left) / 95)))) {
      const x = Math.round(across(tick)) + 0.5;
      canvas.strokeStyle = tick === 0 ? look.faint : look.line;
      canvas.beginPath();
      canvas.moveTo(x, top);
      canvas.lineTo(x, bottom);
      canvas.stroke();
      canvas.fillStyle = look.muted;
      const words = atAxis(tick);
      // A number that would hang over the edge is left out.
      if (x + canvas.measureText(words).width / 2 < view.width) canvas.fillText(words, x, bottom + 6);
    }
  }

  private drawRows(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { view } = this;
    const { left, right, top, bottom } = view.plot;
    const up = scaleLinear().domain([view.invertY(bottom), view.invertY(top)]).range([bottom, top]);
    canvas.textAlign = "right";
    canvas.textBaseline = "middle";
    for (const tick of up.ticks(Math.max(3, Math.round((bottom - top) / 70)))) {
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

  /** The line that a map of one axis is. */
  private drawLine(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { left, right } = this.view.plot;
    canvas.strokeStyle = look.faint;
    canvas.beginPath();
    const y = Math.round(this.view.y(0)) + 0.5;
    canvas.moveTo(left, y);
    canvas.lineTo(right, y);
    canvas.stroke();
  }

  private drawNames(canvas: CanvasRenderingContext2D, look: Theme): void {
    const { axes, data } = this.state;
    const { left, right, top, bottom } = this.view.plot;
    const name = (axis: number) => axisName(data, axis);
    canvas.fillStyle = look.ink;
    canvas.textAlign = "center";
    canvas.textBaseline = "bottom";
    canvas.fillText(axisNameInFull(data, axes[0]), (left + right) / 2, this.view.height - 4);
    if (this.view.one) return;
    canvas.save();
    canvas.translate(9, (top + bottom) / 2);
    canvas.rotate(-Math.PI / 2);
    canvas.textBaseline = "middle";
    canvas.fillText(name(axes[1]), 0, 0);
    canvas.restore();
  }
}
