// The Shepard diagram of a map with a link: what is given for each old pair, what the map shows, and the function between them.

import { axis, chart, FONT, tooltip, type Option } from "./charts";
import type { State } from "./state";
import { theme } from "./theme";
import { byId, short, tick } from "./text";

/** Such a map has no eigenvalues: this stands in the place of the spectrum. */
export class LinkChart {
  private readonly chart = chart("scree");

  constructor(private readonly state: State) {
    byId("scree-title").textContent = "The old pairs";
    state.on(["theme"], () => this.draw());
    this.draw();
  }

  private draw(): void {
    const { link } = this.state.data;
    if (!link) return;
    const look = theme();
    const pairs = Array.from(link.given, (given, i) => [given, link.shown[i]]);
    const knots = Array.from(link.knots, (x, i) => [x, link.distances[i]]);
    const across = axis(look, "given dissimilarity");
    const up = axis(look, "shown distance");
    const scale = { type: "value", min: 0 };
    const label = (of: Record<string, unknown>) => ({ ...(of.axisLabel as object), formatter: tick, showMaxLabel: false });
    const option = {
      animation: false,
      textStyle: { fontFamily: FONT },
      aria: { enabled: false },
      legend: { top: 0, left: 0, itemWidth: 12, itemHeight: 9, textStyle: { color: look.ink, fontSize: 11 } },
      grid: { left: 62, right: 16, top: 34, bottom: 42 },
      tooltip: tooltip(look, ({ seriesName, data: point }) => {
        const [given, shown] = point as [number, number];
        return [`${seriesName}: given ${short(given)}, shown ${short(shown)}`];
      }),
      xAxis: { ...scale, ...across, nameGap: 26, axisLabel: label(across) },
      yAxis: { ...scale, ...up, nameGap: 46, axisLabel: label(up) },
      series: [
        { type: "scatter", name: "old pairs", symbol: "circle", symbolSize: 3.5, data: pairs, itemStyle: { color: look.old, opacity: 0.6 } },
        { type: "line", name: "the link", symbol: "none", data: knots, lineStyle: { color: look.newcomer, width: 1.8 }, itemStyle: { color: look.newcomer } },
      ],
    };
    this.chart.setOption(option as Option, { notMerge: true });
    const { form, stress, pairs: all, error, radius } = link.words;
    const some = link.given.length < all ? `${link.given.length.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} pairs` : `All ${all.toLocaleString("en-US")} pairs`;
    const text =
      `${some} of old objects. The coordinates were given, and their distances follow the dissimilarities by a ${form} link; ` +
      `the stress of the map is ${short(stress)} (Kruskal's, formula 1). Placed by the link, each old object that is left out comes back ` +
      `${short(error)} from where it is (median); the map's radius is ${short(radius)}.`;
    byId("scree-note").textContent = text;
    byId("scree").setAttribute("aria-label", `Shepard diagram of the old pairs. ${text}`);
  }
}
