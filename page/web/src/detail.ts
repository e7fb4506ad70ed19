// The chosen newcomer: what the strategies say of it, and its numbers.

import type { Shepard } from "./shepard";
import type { State } from "./state";
import { byId, elided, element, foreignness, percent, short } from "./text";

function foreign(share: number): string {
  if (Number.isNaN(share)) return "not known";
  return share === 1 ? "more than any old object" : `more than ${foreignness(share)} of the old objects`;
}

/** The places of the Shepard plot, said after a number. */
const WHERE: Record<string, string> = {
  projection: "projected",
  reconstruction: "reconstructed",
  "joint placement": "jointly",
  "where the slider is": "here",
};

export class Detail {
  private frame = 0;

  constructor(
    private readonly state: State,
    private readonly shepard: Shepard | null,
  ) {
    state.on(["selection"], () => this.draw());
    state.on(["slide"], () => {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    });
    this.draw();
  }

  private draw(): void {
    const { data, selected: i, places, arcs } = this.state;
    const box = byId("detail");
    const newcomers = data.newcomers;
    byId("detail-title").textContent = newcomers && i >= 0 ? elided(newcomers.labels[i], 70) : "Newcomer";
    byId("detail-title").dir = "auto";
    if (!newcomers || i < 0) {
      box.replaceChildren();
      return;
    }
    const unplaced = newcomers.words.unplaced.find(([at]) => at === i);
    const parts: Node[] = [element("p", { text: newcomers.words.sentences[i], dir: "auto", className: "sentence" })];
    if (newcomers.labels[i].length > 70) parts.unshift(element("p", { text: elided(newcomers.labels[i], 600), dir: "auto", className: "fine whole" }));
    if (unplaced) parts.push(element("p", { text: `Not placed: ${unplaced[1]}.`, className: "warning" }));

    const rows: [string, string][] = [];
    const lambda = arcs?.moving && !unplaced ? arcs.at(i, this.state.share, new Float64Array(data.d), 0) : NaN;
    const axes = data.d <= 6 ? Array.from({ length: data.d }, (_, j) => j) : this.state.axes.filter((j) => j >= 0);
    rows.push([data.d <= 6 ? "here" : `here, axes ${axes.map((j) => j + 1).join(", ")}`, `(${axes.map((j) => this.state.coordinate(places[i * data.d + j])).join(", ")})`]);
    if (arcs?.moving && !arcs.straight) rows.push(["λ here", `${short(lambda)} of λ* = ${short(newcomers.lambda[i])}`]);
    rows.push(["residual", `${short(newcomers.residual[i])}${Number.isNaN(newcomers.share[i]) ? "" : ` (${percent(newcomers.share[i], 1)} of β)`}`]);
    rows.push(["foreign", foreign(newcomers.foreign[i])]);
    if (newcomers.chosen) {
      // What is said of reconstruction alone is not said of a newcomer that is placed otherwise.
      const { joint, strategy } = newcomers.words;
      if (joint) rows.push(["joint objective", joint.objective === null ? "–" : short(joint.objective)]);
      else rows.push([`objective of ${strategy}`, short(newcomers.chosen.objective[i])], ["status", newcomers.chosen.status[i].replaceAll("_", " ")]);
    } else if (newcomers.reconstruct) {
      const projected = newcomers.project.objective[i];
      const best = newcomers.reconstruct.objective[i];
      rows.push(["objective F", `${short(projected)} projected, ${short(best)} reconstructed`]);
      const proof = newcomers.margin[i] >= 0 ? "no place is better" : "not proved";
      rows.push(["proof", `stationarity ${newcomers.stationarity[i].toExponential(0)}, margin ${short(newcomers.margin[i])}: ${proof}`]);
      const status = newcomers.reconstruct.status[i];
      if (status === "pair") rows.push(["not unique", "its mirror image (dashed) is exactly as good"]);
      if (status === "sphere") rows.push(["not unique", "all places of a sphere (dashed) are exactly as good"]);
    }
    if (newcomers.words.observed) rows.push(["known proximities", `${newcomers.words.observed[i]} of ${data.n}`]);
    const errors = (this.shepard?.errors(i) ?? []).filter(([, error]) => !Number.isNaN(error));
    if (errors.length) rows.push(["RMS error", errors.map(([name, error]) => `${short(error)} ${WHERE[name] ?? name.replace("placement ", "")}`).join(", ")]);
    const list = element("dl", { className: "facts" });
    for (const [name, value] of rows) list.append(element("dt", { text: name }), element("dd", { text: value }));
    parts.push(list);
    box.replaceChildren(...parts);
  }
}
