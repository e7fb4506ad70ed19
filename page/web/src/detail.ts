// The chosen object: what is to be said of it in plain words first, then who is near it, and the numbers of the method for
// those who want them.

import { showAxis } from "./controls";
import { cell } from "./columns";
import { covarianceHere, standardErrors } from "./map/regions";
import { Neighbours } from "./neighbours";
import { paced } from "./pace";
import type { Shepard } from "./shepard";
import type { State } from "./state";
import { byId, chance, elided, element, percent, short } from "./text";

/** Milliseconds between two drawings while the slider moves. */
const PAUSE = 200;

/** A place that is worse by less than this share of the objective is nearly as good. */
const NEARLY = 0.05;

/** Up to these shares of the map's spread a standard error is that of a point, and of a region. */
const A_POINT = 0.05;
const A_REGION = 0.25;

/** The places of the Shepard plot, said after a number. */
const WHERE: Record<string, string> = {
  projection: "projected",
  "placement by stress": "by stress",
  reconstruction: "reconstructed",
  "joint placement": "jointly",
  "where the slider is": "here",
};

/** What each number of the method is. */
const DEFINITIONS: Record<string, string> = {
  "λ here": "the multiplier on the arc: 0 at the projection, λ* at the reconstruction",
  residual: "squared distance from the newcomer to the map's space, β − ‖ŷ‖²; negative if its proximities are not Euclidean",
  p: "how often an object like the old ones is as strange, by either of the next two; the old objects, each left out, are what it is compared with",
  "p outside": "… is as far from the map's space",
  "p inside": "… is as far out within the map",
  "p nearest": "… is as far from the old object that it is nearest to",
  "objective F": "2‖Xy − b‖² + (‖y‖² − β)²: what reconstruction makes as small as it can be",
  proof: "reconstruction is a global minimum if λ + c_min ≥ 0 (the margin) and the gradient vanishes (stationarity)",
  stretch: "how much farther out on the last axis the reconstruction is than the projection, c_d/(c_d + λ): above 2 that axis shows how long the newcomer is rather than where",
  side: "how likely it is on the wrong side of the last axis, and how far away the other place is",
};

export class Detail {
  private readonly neighbours: Neighbours;
  private open = false;

  constructor(
    private readonly state: State,
    private readonly shepard: Shepard | null,
  ) {
    this.neighbours = new Neighbours(state);
    state.on(["selection", "style", "axes"], () => this.draw());
    state.on(["slide"], paced(PAUSE, () => this.draw()));
    this.draw();
  }

  private draw(): void {
    const { data, selected: i, selectedOld } = this.state;
    const box = byId("detail");
    const title = byId("detail-title");
    title.dir = "auto";
    if (selectedOld >= 0) {
      title.textContent = elided(data.labels[selectedOld], 70);
      box.replaceChildren(...this.ofOld(selectedOld));
    } else if (data.newcomers && i >= 0) {
      title.textContent = elided(data.newcomers.labels[i], 70);
      box.replaceChildren(...this.ofNewcomer(i));
    } else {
      title.textContent = "Nobody is chosen";
      box.replaceChildren(element("p", { className: "sentence", text: "Click an object of the map or a row of the table to see who is near it and how well it fits." }));
    }
  }

  private ofOld(i: number): Node[] {
    const { data } = this.state;
    const parts: Node[] = [element("p", { className: "kind", text: "old object" }), ...this.neighbours.ofOld(i), ...this.metadata(i)];
    const rows: [string, string][] = [[this.here(), this.coordinates(data.old, i)]];
    if (!Number.isNaN(data.oldResidual[i])) rows.push(["residual, left out", short(data.oldResidual[i])]);
    parts.push(this.numbers(rows));
    return parts;
  }

  private ofNewcomer(i: number): Node[] {
    const { data } = this.state;
    const newcomers = data.newcomers!;
    const unplaced = newcomers.words.unplaced.find(([at]) => at === i);
    const parts: Node[] = [];
    if (newcomers.labels[i].length > 70) parts.push(element("p", { text: elided(newcomers.labels[i], 600), dir: "auto", className: "fine whole" }));
    if (unplaced) parts.push(element("p", { text: `Not placed: ${unplaced[1]}.`, className: "warning" }));
    else parts.push(this.verdict(i));
    if (!unplaced) parts.push(...this.axesOfMove(i), ...this.neighbours.ofNewcomer(i));
    // At an end of the slider, where it is has been said.
    const between = this.state.share > 0 && this.state.share < 1;
    const errors = (this.shepard?.errors(i) ?? []).filter(([name, error]) => !Number.isNaN(error) && (between || name !== "where the slider is"));
    if (errors.length) {
      const unit = newcomers.words.pairs.inner_products ? "of the given similarities" : "in the unit of the given distances";
      const words = errors.map(([name, error]) => `${short(error)} ${WHERE[name] ?? name.replace("placement ", "")}`).join(", ");
      parts.push(element("p", { className: "fine", text: `Shown and given differ by ${words} (root mean square, ${unit}).` }));
    }
    parts.push(...this.metadata(data.n + i), this.numbers(this.rows(i, unplaced !== undefined)));
    return parts;
  }

  /** Whether it is like the old objects, how far its place can be trusted, and what to do. */
  private verdict(i: number): HTMLElement {
    const newcomers = this.state.data.newcomers!;
    const { words, p, nearest } = newcomers;
    const strange = p[i] <= words.level || nearest[i] <= words.level;
    const lines = [words.sentences[i], ...this.certainty(i), ...this.doubts(i)];
    return element("div", { className: `verdict ${strange ? "strange" : ""}` }, lines.map((text) => element("p", { text, dir: "auto" })));
  }

  /** How certain its place is, and how it may be read for that. */
  private certainty(i: number): string[] {
    const { data, axes } = this.state;
    const covariance = covarianceHere(this.state);
    if (!covariance) return [];
    const errors = standardErrors(data, covariance, i);
    if (errors.some((v) => Number.isNaN(v))) return ["How certain its place is cannot be said."];
    const { refits } = data.newcomers!.words.uncertainty!;
    const where = axes.filter((j) => j >= 0).map((j) => `± ${short(errors[j])} on axis ${j + 1}`).join(" and ");
    const most = Math.max(...errors) / (data.words.spread ?? NaN);
    const read = most < A_POINT ? "read it as a point" : most < A_REGION ? "read it as the region drawn, not as a point" : "it hardly says where the newcomer is";
    const why = refits ? `by ${refits} refits` : "given these axes";
    return [`Its place is certain to ${where} (standard errors ${why}; ${most < 0.005 ? "less than 0.01" : most.toFixed(2)} of the map's spread on the least certain axis): ${read}.`];
  }

  /** What else a reader should know before reading its place. */
  private doubts(i: number): string[] {
    const newcomers = this.state.data.newcomers!;
    const { words, nearest } = newcomers;
    const doubts: string[] = [];
    if (nearest[i] <= words.level)
      doubts.push(`No old object is as near to it as they are to each other (p = ${chance(nearest[i])}): the map has nothing like it, even where it is drawn among others.`);
    const status = (newcomers.chosen ?? newcomers.reconstruct)?.status[i];
    if (status === "pair") doubts.push("Its reconstruction is not unique: the mirror image, drawn dashed, is exactly as good.");
    else if (status === "sphere") doubts.push("Its reconstruction is not unique: all places of a sphere, drawn dashed, are exactly as good.");
    else if (status === "not_converged") doubts.push("The search for its place ended before it converged.");
    else if (!newcomers.chosen && newcomers.side[i] > NEARLY) doubts.push("It could as well be on the other side of the last axis, where its reconstruction would be mirrored.");
    return doubts;
  }

  /** The axes on which it moves most, if they are not those shown. */
  private axesOfMove(i: number): Node[] {
    const { state } = this;
    const { data, axes } = state;
    const end = data.newcomers!.chosen ?? data.newcomers!.reconstruct;
    if (!end || data.d < 3) return [];
    const from = data.newcomers!.project.coordinates;
    const moves = Array.from({ length: data.d }, (_, j) => Math.abs(end.coordinates[i * data.d + j] - from[i * data.d + j]));
    const most = [...moves.keys()].sort((a, b) => moves[b] - moves[a]).slice(0, 2);
    const total = moves.reduce((s, v) => s + v * v, 0);
    const seen = axes.reduce((s, j) => s + moves[j] ** 2, 0);
    if (!(total > 0) || seen > 0.5 * total) return [];
    const button = element("button", { type: "button", text: `Show axes ${most[0] + 1} and ${most[1] + 1}` });
    button.addEventListener("click", () => {
      showAxis(state, 0, most[0]);
      showAxis(state, 1, most[1]);
    });
    return [element("p", { className: "fine" }, [`It moves most on axes that are not shown. `, button])];
  }

  private metadata(at: number): Node[] {
    const { columns } = this.state.data;
    if (!columns.length) return [];
    const list = element("dl", { className: "facts" });
    for (const column of columns) list.append(element("dt", { text: elided(column.name, 40), dir: "auto" }), element("dd", { text: cell(column, at, 80), dir: "auto" }));
    return [element("details", {}, [element("summary", { text: `Metadata (${columns.length})` }), list])];
  }

  private here(): string {
    const { data, axes } = this.state;
    return data.d <= 6 ? "here" : `here, axes ${axes.filter((j) => j >= 0).map((j) => j + 1).join(", ")}`;
  }

  private coordinates(from: ArrayLike<number>, i: number): string {
    const { data, axes } = this.state;
    const shown = data.d <= 6 ? Array.from({ length: data.d }, (_, j) => j) : axes.filter((j) => j >= 0);
    return `(${shown.map((j) => this.state.coordinate(from[i * data.d + j])).join(", ")})`;
  }

  private rows(i: number, unplaced: boolean): [string, string][] {
    const { data, places, arcs } = this.state;
    const newcomers = data.newcomers!;
    const rows: [string, string][] = [[this.here(), this.coordinates(places, i)]];
    if (arcs?.moving && !arcs.straight) {
      const lambda = unplaced ? NaN : arcs.at(i, this.state.share, new Float64Array(data.d), 0);
      rows.push(["λ here", `${short(lambda)} of λ* = ${short(newcomers.lambda[i])}`]);
    }
    rows.push(["residual", `${short(newcomers.residual[i])}${Number.isNaN(newcomers.share[i]) ? "" : ` (${percent(newcomers.share[i], 1)} of β)`}`]);
    for (const [name, of] of [["p", newcomers.p], ["p outside", newcomers.outside], ["p inside", newcomers.inside], ["p nearest", newcomers.nearest]] as const)
      rows.push([name, Number.isNaN(of[i]) ? "not known" : chance(of[i])]);
    if (newcomers.chosen) {
      // What is said of reconstruction alone is not said of a newcomer that is placed otherwise.
      const { joint, strategy } = newcomers.words;
      if (joint) rows.push(["joint objective", joint.objective === null ? "–" : short(joint.objective)]);
      else rows.push([`objective of ${strategy}`, short(newcomers.chosen.objective[i])], ["status", newcomers.chosen.status[i].replaceAll("_", " ")]);
    } else if (newcomers.reconstruct) rows.push(...this.proof(i));
    if (newcomers.words.observed) rows.push(["known proximities", `${newcomers.words.observed[i]} of ${data.n}`]);
    return rows;
  }

  private proof(i: number): [string, string][] {
    const newcomers = this.state.data.newcomers!;
    const reconstruct = newcomers.reconstruct!;
    const rows: [string, string][] = [["objective F", `${short(newcomers.project.objective[i])} projected, ${short(reconstruct.objective[i])} reconstructed`]];
    const proved = newcomers.margin[i] >= 0 ? "no place is better" : "not proved";
    rows.push(["proof", `stationarity ${short(newcomers.stationarity[i])}, margin ${short(newcomers.margin[i])}: ${proved}`]);
    const stretch = newcomers.stretch[i];
    if (stretch > 2) rows.push(["stretch", `${short(stretch)}: the last axis shows how long it is rather than where`]);
    const side = newcomers.side[i];
    if (side > NEARLY) rows.push(["side", `${short(side)}: it could as well be on the other side of the last axis, ${short(newcomers.jump[i])} away`]);
    const status = reconstruct.status[i];
    if (status === "pair") rows.push(["not unique", "its mirror image (dashed) is exactly as good"]);
    if (status === "sphere") rows.push(["not unique", "all places of a sphere (dashed) are exactly as good"]);
    return rows;
  }

  /** Names and values, folded, with what they mean. */
  private numbers(rows: [string, string][]): Node {
    const list = element("dl", { className: "facts" });
    for (const [name, value] of rows) {
      list.append(element("dt", { text: name }), element("dd", { text: value }));
      if (DEFINITIONS[name]) list.append(element("dd", { className: "means", text: DEFINITIONS[name] }));
    }
    const box = element("details", { open: this.open, className: "numbers" }, [element("summary", { text: "Numbers of the method" }), list]);
    box.addEventListener("toggle", () => (this.open = box.open));
    return box;
  }
}
