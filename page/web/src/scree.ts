// The spectrum: every eigenvalue that is known, the negative ones too, and what is not known said.

import { axis, chart, FONT, tooltip, type Option } from "./charts";
import type { State } from "./state";
import { theme } from "./theme";
import { byId, counted, percent, short, tick } from "./text";

/** Bars at each end of a long spectrum. */
const FIRST = 36;
const LAST = 18;

export class Scree {
  private readonly chart = chart("scree");

  constructor(private readonly state: State) {
    state.on(["theme"], () => this.draw());
    this.draw();
  }

  private draw(): void {
    const { words } = this.state.data;
    const look = theme();
    const all = words.spectrum.eigenvalues.map((v) => v ?? NaN);
    const n = all.length;
    const long = n > FIRST + LAST + 4;
    const shown = long ? [...Array(FIRST).keys(), -1, ...Array.from({ length: LAST }, (_, j) => n - LAST + j)] : [...Array(n).keys()];
    const colour = (i: number) => (i < words.d ? look.reconstruction : all[i] < 0 ? look.newcomer : look.old);
    const across = axis(look, "in order of size");
    const up = axis(look, "eigenvalue");
    const option = {
      animation: false,
      textStyle: { fontFamily: FONT },
      aria: { enabled: false },
      grid: { left: 66, right: 12, top: 14, bottom: 42 },
      tooltip: tooltip(look, ({ data: bar }) => {
        const i = (bar as { index: number }).index;
        if (i < 0) return [`${n - FIRST - LAST} eigenvalues between are not drawn`];
        const role = i < words.d ? `axis ${i + 1} of the map` : all[i] < 0 ? "negative: not Euclidean" : "not on the map";
        return [`eigenvalue ${i + 1}: ${short(all[i])}`, role];
      }),
      xAxis: { type: "category", data: shown.map((i) => (i < 0 ? "…" : String(i + 1))), ...across, nameGap: 26, splitLine: { show: false } },
      yAxis: { type: "value", ...up, nameGap: 46, min: all.some((v) => v < 0) ? undefined : 0, axisLabel: { ...(up.axisLabel as object), formatter: tick } },
      series: [
        {
          type: "bar",
          barCategoryGap: "20%",
          data: shown.map((i) => ({
            value: i < 0 ? 0 : all[i],
            index: i,
            itemStyle: {
              color: i < 0 ? look.line : colour(i),
              // Colour is not all that tells negative ones: they are hatched too.
              decal: i >= 0 && all[i] < 0 ? { symbol: "rect", color: look.surface, dashArrayX: [1, 0], dashArrayY: [2, 3], rotation: -Math.PI / 4 } : undefined,
            },
          })),
        },
      ],
    };
    this.chart.setOption(option as Option, { notMerge: true });
    const text = this.note(all);
    byId("scree-note").textContent = text;
    byId("scree").setAttribute("aria-label", `Bar chart of eigenvalues. ${text}`);
  }

  private note(all: number[]): string {
    const { words } = this.state.data;
    const { spectrum } = words;
    const explained = words.explained.reduce((s: number, v) => s + (v ?? 0), 0);
    const axes = words.d === 1 ? "The map's one axis explains" : `The map's ${words.d} axes explain`;
    const parts: string[] = [];
    if (words.given) {
      parts.push("The configuration was given, not fitted: these are the eigenvalues of its own inner products, and those of the proximities are not known here.");
    } else if (spectrum.complete) {
      parts.push(`${axes} ${percent(explained, 1)} of the sum of the positive eigenvalues.`);
      if (spectrum.negative > 0) {
        const lowest = all[all.length - 1];
        const negative = all.filter((v) => v < 0).reduce((s, v) => s - v, 0);
        const sum = all.reduce((s, v) => s + Math.abs(v), 0);
        parts.push(
          `${spectrum.negative} of ${counted(all.length, "eigenvalue")} ${spectrum.negative === 1 ? "is" : "are"} negative (hatched; the lowest ${short(lowest)}), ` +
            `${percent(negative / sum, 1)} of the sum of their moduli: the proximities are not Euclidean, and no number of axes shows them exactly.`,
        );
      } else parts.push("None is negative: the proximities are Euclidean.");
    } else {
      const seen = all.reduce((s, v) => s + v * v, 0);
      const rest = spectrum.squared_norm ? Math.max(0, 1 - seen / spectrum.squared_norm) : NaN;
      parts.push(`${axes} ${percent(explained, 1)} of the trace.`);
      parts.push(
        `Only the ${all.length} largest eigenvalues were computed; the others hold ${percent(rest, 1)} of the squared norm, and how many of them are negative is not known.`,
      );
    }
    if (spectrum.strain !== null && spectrum.squared_norm)
      parts.push(`${percent(spectrum.strain / spectrum.squared_norm, 1)} of the squared norm is not shown by the map.`);
    return [...parts, ...spectrum.findings.map((f) => `${f}.`)].map((s) => `${s[0].toUpperCase()}${s.slice(1)}`).join(" ");
  }
}
