// The Shepard plot of the chosen newcomer: what is given for it and each old object against what the map shows.

import { axis, chart, FONT, tooltip, type Option } from "./charts";
import type { State } from "./state";
import { theme } from "./theme";
import { byId, elided, element, percent, short, tick } from "./text";

interface Series {
  name: string;
  colour: string;
  symbol: string;
  size: number;
  hollow: boolean;
  at: (out: Float64Array) => void;
}

/** More pairs than these have smaller marks. */
const MANY = 100;

/** The series that moves. */
const HERE = "where the slider is";

/** Milliseconds after which the slider rests. */
const REST = 150;

export class Shepard {
  private readonly chart = chart("shepard");
  private readonly y: Float64Array;
  private shown = -1;
  /** Lies on the chart while the slider moves: a chart takes tens of milliseconds to draw itself, and only one series moves. */
  private readonly overlay = element("canvas", { className: "overlay" });
  private resting = 0;

  constructor(private readonly state: State) {
    this.y = new Float64Array(state.data.d);
    state.on(["selection", "theme"], () => this.draw(true));
    state.on(["slide"], () => this.slide());
    this.overlay.setAttribute("aria-hidden", "true");
    byId("shepard").append(this.overlay);
    new ResizeObserver(() => this.shown >= 0 && this.chart.setOption({ grid: this.square() })).observe(byId("shepard"));
    this.draw(true);
  }

  /** Pairs of given and shown for newcomer i at y. */
  private pairs(i: number, y: Float64Array): [number, number, number][] {
    const { data } = this.state;
    const { d, old } = data;
    const newcomers = data.newcomers!;
    const inner = newcomers.words.pairs.inner_products;
    const origin = data.words.origin;
    const answer: [number, number, number][] = [];
    for (let p = newcomers.pairsAt[i]; p < newcomers.pairsAt[i + 1]; p++) {
      const at = newcomers.pairsOld[p] * d;
      let sum = 0;
      for (let j = 0; j < d; j++)
        sum += inner ? (y[j] - origin[j]) * (old[at + j] - origin[j]) : (y[j] - old[at + j]) ** 2;
      answer.push([newcomers.pairsGiven[p], inner ? sum : Math.sqrt(sum), newcomers.pairsOld[p]]);
    }
    return answer;
  }

  private series(i: number): Series[] {
    const { data, arcs, share } = this.state;
    const look = theme();
    const newcomers = data.newcomers!;
    const from = (coordinates: Float64Array) => (out: Float64Array) =>
      out.set(coordinates.subarray(i * data.d, (i + 1) * data.d));
    const list: Series[] = [
      { name: data.link ? "placement by stress" : "projection", colour: look.projection, symbol: "circle", size: 6, hollow: true, at: from(newcomers.project.coordinates) },
    ];
    if (newcomers.reconstruct)
      list.push({ name: "reconstruction", colour: look.reconstruction, symbol: "diamond", size: 7, hollow: true, at: from(newcomers.reconstruct.coordinates) });
    if (newcomers.chosen)
      list.push({ name: newcomers.goal, colour: look.accent, symbol: "rect", size: 6, hollow: true, at: from(newcomers.chosen.coordinates) });
    if (arcs?.moving)
      list.push({ name: HERE, colour: look.newcomer, symbol: "circle", size: 4.5, hollow: false, at: (out) => void arcs.at(i, share, out, 0) });
    return list;
  }

  /** Root mean square of shown minus given over the pairs here, by each strategy. */
  errors(i: number): [string, number][] {
    return this.series(i).map(({ name, at }) => {
      at(this.y);
      const pairs = this.pairs(i, this.y);
      const sum = pairs.reduce((s, [given, shown]) => s + (shown - given) ** 2, 0);
      return [name, Math.sqrt(sum / pairs.length)];
    });
  }

  /** The slider has moved: its dots are drawn over the chart, and become part of it when it rests. */
  private slide(): void {
    const { selected: i, arcs, share } = this.state;
    if (i < 0 || this.shown !== i || !arcs?.moving) return;
    // The chart's own are taken away once.
    if (!this.resting) this.chart.setOption({ series: [{ name: HERE, data: [] }] });
    window.clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.draw(false), REST);
    const { overlay } = this;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = overlay;
    overlay.width = Math.round(width * ratio);
    overlay.height = Math.round(height * ratio);
    const pen = overlay.getContext("2d")!;
    pen.scale(ratio, ratio);
    pen.fillStyle = theme().newcomer;
    pen.globalAlpha = 0.85;
    arcs.at(i, share, this.y, 0);
    const pairs = this.pairs(i, this.y);
    const r = pairs.length > MANY ? 1.7 : 2.25;
    pen.beginPath();
    // Both scales are linear: two points say where all others are.
    const [[x0, y0], [x1, y1]] = [0, 1].map((v) => this.chart.convertToPixel({ gridIndex: 0 }, [v, v]) as number[]);
    for (const [given, shown] of pairs) {
      const [x, y] = [x0 + given * (x1 - x0), y0 + shown * (y1 - y0)];
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 2 * Math.PI);
    }
    pen.fill();
  }

  /** The plot, as high as it is wide: then the line is at 45 degrees. The chart makes no room of its own for names, which would make it narrower. */
  private square(): { left: number; top: number; width: number; height: number; outerBoundsMode: "none" } {
    const { clientWidth, clientHeight } = byId("shepard");
    const side = Math.max(60, Math.min(clientWidth - 82, clientHeight - 80));
    return { left: 66, top: 36, width: side, height: side, outerBoundsMode: "none" };
  }

  /** Nothing lies on the chart. */
  private wipe(): void {
    window.clearTimeout(this.resting);
    this.resting = 0;
    this.overlay.width = 0;
  }

  private draw(anew: boolean): void {
    const { data, selected: i } = this.state;
    const box = byId("shepard");
    const newcomers = data.newcomers;
    const some = i >= 0 && newcomers !== null && newcomers.pairsAt[i + 1] > newcomers.pairsAt[i] && !Number.isNaN(newcomers.project.coordinates[i * data.d]);
    box.hidden = !some;
    const note = byId("shepard-note");
    if (!some || !newcomers) {
      this.shown = -1;
      note.textContent =
        i >= 0 ? "There are no given proximities of this newcomer to show." : "";
      return;
    }
    const look = theme();
    const label = elided(newcomers.labels[i], 60);
    // Where there are many, marks are smaller: those of one place would hide the others'.
    const size = newcomers.pairsAt[i + 1] - newcomers.pairsAt[i] > MANY ? 0.75 : 1;
    const series = this.series(i).map((s) => {
      s.at(this.y);
      return { ...s, size: s.size * size, pairs: this.pairs(i, this.y) };
    });
    this.wipe();
    if (!anew && this.shown === i) {
      const last = series[series.length - 1];
      this.chart.setOption({ series: [{ name: last.name, data: last.pairs }] }, { lazyUpdate: true });
      return;
    }
    this.shown = i;
    const inner = newcomers.words.pairs.inner_products;
    // From the data's own range, the same on both axes, so that the line is at 45 degrees.
    let [low, high] = [Infinity, -Infinity];
    for (const { pairs } of series)
      for (const [given, shown] of pairs) {
        low = Math.min(low, given, shown);
        high = Math.max(high, given, shown);
      }
    const margin = 0.03 * (high - low || 1);
    low = inner ? low - margin : Math.max(0, low - margin);
    high += margin;
    const scale = { type: "value", min: low, max: high };
    const round = { formatter: tick };
    const across = axis(look, inner ? "given similarity, centred" : "given distance");
    const up = axis(look, inner ? "shown inner product" : "shown distance");
    const option = {
      animation: false,
      textStyle: { fontFamily: FONT },
      aria: { enabled: false },
      backgroundColor: "transparent",
      legend: { top: 0, left: 0, itemWidth: 12, itemHeight: 9, textStyle: { color: look.ink, fontSize: 11 }, data: series.map((s) => s.name) },
      grid: this.square(),
      tooltip: tooltip(look, ({ seriesName, data: point }) => {
        const [given, shown, old] = point as [number, number, number];
        if (old === undefined) return ["shown as given"];
        return [elided(data.labels[old], 60), `${seriesName}: given ${short(given)}, shown ${short(shown)}`];
      }),
      xAxis: { ...scale, ...across, nameGap: 26, axisLabel: { ...(across.axisLabel as object), ...round, showMinLabel: false, showMaxLabel: false } },
      yAxis: { ...scale, ...up, nameGap: 46, axisLabel: { ...(up.axisLabel as object), ...round, showMinLabel: false, showMaxLabel: false } },
      series: [
        { type: "line", data: [[low, low], [high, high]], symbol: "none", silent: true, lineStyle: { color: look.faint, width: 1 } },
        ...series.map((s) => ({
          type: "scatter",
          name: s.name,
          symbol: s.symbol,
          symbolSize: s.size,
          data: s.pairs,
          itemStyle: s.hollow
            ? { color: "transparent", borderColor: s.colour, borderWidth: 1.2 }
            : { color: s.colour, opacity: 0.85 },
        })),
      ],
    };
    this.chart.setOption(option as Option, { notMerge: true });
    const count = newcomers.pairsAt[i + 1] - newcomers.pairsAt[i];
    const known = newcomers.words.observed?.[i] ?? data.n;
    const { nearest } = newcomers.words.pairs;
    const what = data.link
      ? "Given distances are those that the link makes of the newcomer's dissimilarities."
      : inner
      ? "Similarities are centred as the map's are; a map of similarities shows inner products about its origin."
      : data.words.correction
        ? `Distances are as the map was fitted, with its correction (${data.words.correction}).`
        : "";
    const how =
      count >= known
        ? `All ${count.toLocaleString("en-US")} known proximities of this newcomer are shown.`
        : `This file holds ${count} of the ${known.toLocaleString("en-US")} known proximities of this newcomer: the ${Math.min(nearest, count)} nearest old objects, the others drawn at random.`;
    note.textContent = `${how} ${what} On the line, shown equals given.`;
    const words = this.errors(i).map(([name, error]) => `${name} ${short(error)}`);
    box.setAttribute("aria-label", `Shepard plot of ${label}: root mean square difference between shown and given by ${words.join(", ")}. At present ${percent(this.state.share)} of the way.`);
  }
}
