// The page: data in, everything drawn, and each part told of what the reader does in another.

import { Arcs } from "./arc";
import { keepInAddress } from "./address";
import { mapControls } from "./controls";
import { load, type Data, type Verdict } from "./data";
import { Detail } from "./detail";
import { keepControls } from "./keep";
import { Legend } from "./legend";
import { LinkChart } from "./link";
import { MapView } from "./map";
import { methods } from "./methods";
import { OtherViews } from "./other/views";
import { Scree } from "./scree";
import { Search } from "./search";
import { Shepard } from "./shepard";
import { slider } from "./slider";
import { State } from "./state";
import { Table } from "./table";
import { onThemeChange } from "./theme";
import { byId, chance, counted, elided, element, sentence, short } from "./text";

function head(data: Data): void {
  const { words } = data;
  byId("title").textContent = elided(words.title, 200);
  const kinds = { dissimilarity: "dissimilarities", squared: "squared dissimilarities", similarity: "similarities" };
  const newcomers = data.newcomers ? ` and ${counted(data.newcomers.count, "newcomer")}` : ", no newcomers";
  byId("summary").textContent =
    `${counted(data.n, "old object")}${newcomers}, on ${words.d === 1 ? "one axis" : `${words.d} axes`}, from ${kinds[words.kind]}`;
  byId("intro").textContent = data.newcomers
    ? "The map shows objects whose proximities were known first, and newcomers placed among them without moving anybody: the closer two marks, the more alike. " +
      `Click any mark to see who is near it and how far to trust its place${data.link ? "." : "; move the slider to see what each way of placing does."}`
    : "The map shows objects by their proximities: the closer two marks, the more alike. Click any mark to see who is near it.";
}

/** What each verdict on a batch says to do. */
const VERDICTS: Record<Verdict, [string, string]> = {
  fine: ["Fine", "The map serves these newcomers: as a batch they do not differ from the old objects."],
  watch: ["Watch", "As a batch these newcomers differ from the old objects, but a map of all would hardly look different."],
  refit: ["Refit", "As a batch these newcomers differ from the old objects, and a map of all would have other axes: fit it anew with them."],
  unknown: ["No verdict", "Whether the map should be fitted anew for these newcomers cannot be said."],
};

/** The verdict on the newcomers as a batch, and its numbers. */
function batch(data: Data): void {
  const assessment = data.newcomers?.words.assessment;
  // On a map with a link there is nothing to judge them by.
  if (!assessment || data.link) return;
  const [badge, says] = VERDICTS[assessment.verdict];
  const numbers = assessment.says.replace(/^[^:]*: /, "").replace(/, (but|and) what the map does not show.*$/, "");
  const weight = assessment.weight === null || assessment.verdict === "fine" ? "" : ` What the map does not show of them is ${short(assessment.weight)} times its last axis; above 1 that axis would be another.`;
  const box = byId("batch");
  box.className = `batch ${assessment.verdict}`;
  box.hidden = false;
  box.append(element("strong", { className: "badge", text: badge }), element("p", {}, [says, " ", element("span", { className: "why", text: `${sentence(numbers)}${weight}` })]));
}

/** What a reader should know is missing. */
function notes(data: Data): void {
  const list: string[] = [];
  const { metadata } = data.words;
  if (data.d === 1) list.push("The map has one axis: objects are drawn on a line, newcomers above it. Height means nothing.");
  if (!data.newcomers) list.push("No newcomers were given: this is the map alone.");
  const unplaced = data.newcomers?.words.unplaced ?? [];
  if (unplaced.length) {
    const named = unplaced.slice(0, 12).map(([i, why]) => `${elided(data.newcomers!.labels[i], 40)} (${why})`);
    const more = unplaced.length > named.length ? `; and ${unplaced.length - named.length} more` : "";
    list.push(`${counted(unplaced.length, "newcomer")} could not be placed: ${named.join("; ")}${more}.`);
  }
  list.push(...(data.newcomers?.words.remarks ?? []).map(sentence));
  if (metadata?.left_out.length)
    list.push(`To keep this file small, these columns of the metadata were left out: ${metadata.left_out.map((s) => elided(s, 30)).join(", ")}.`);
  const box = byId("notes");
  box.hidden = list.length === 0;
  box.append(...list.map((text) => element("li", { text, dir: "auto" })));
  if (metadata) byId("table-note").after(element("p", { className: "fine", id: "metadata-note", text: ofMetadata(metadata), dir: "auto" }));
}

/** What is to be known of the metadata: a study's table often has more rows than the map, and columns that say nothing. */
function ofMetadata(metadata: NonNullable<Data["words"]["metadata"]>): string {
  const { columns, constant, strangers, stranger_names: names, without } = metadata;
  const parts = [`Metadata: ${counted(columns.length, "column")}`];
  if (constant.length) parts.push(`${counted(constant.length, "column")} with one value only ${constant.length === 1 ? "is" : "are"} not offered`);
  if (strangers) parts.push(`${counted(strangers, "row")} of other objects ${strangers === 1 ? "is" : "are"} not used (${names.slice(0, 3).map((s) => elided(s, 30)).join(", ")}${strangers > 3 ? " …" : ""})`);
  if (without) parts.push(`${counted(without, "object")} ${without === 1 ? "has" : "have"} no row`);
  return `${parts.join("; ")}.`;
}

/** Variables by how well they follow the axes. */
function variables(data: Data): void {
  const { variables: fitted } = data.words;
  byId("variables-card").hidden = fitted === null;
  if (!fitted) return;
  const body = byId("variables-rows");
  for (const { name, r2, p } of fitted.strongest)
    body.append(element("tr", {}, [element("td", { text: elided(name, 40), dir: "auto" }), element("td", { className: "numeric", text: short(r2) }), element("td", { className: "numeric", text: chance(p ?? NaN) })]));
  byId("variables-note").textContent =
    `The ${fitted.strongest.length} of ${counted(fitted.all, "variable")} that follow the map's axes best: r² of the regression on all axes, and p by 999 permutations. ` +
    "Arrows of those with p ≤ 0.05 point to where the variable grows.";
}

function begin(): void {
  const data = load();
  const arcs = data.newcomers ? new Arcs(data) : null;
  const state = new State(data, arcs);
  head(data);
  batch(data);
  notes(data);
  methods(state);
  new Search(state);
  mapControls(state);
  slider(state);
  const map = new MapView(state);
  const others = new OtherViews(state);
  new Legend(state);
  keepControls(state, map, others);
  if (data.link) new LinkChart(state);
  else new Scree(state);
  variables(data);
  if (data.newcomers) {
    const shepard = new Shepard(state);
    new Detail(state, shepard);
    new Table(state);
    // The newcomer that is least like the old objects is where a reader looks first.
    const { rank, words } = data.newcomers;
    state.select(Math.max(0, rank.indexOf(0)));
    if (words.strategy !== "project") state.slideTo(1);
  } else {
    new Detail(state, null);
    byId("shepard").hidden = true;
    byId("newcomers").hidden = true;
  }
  keepInAddress(state, map, others);
  onThemeChange(() => state.tell("theme"));
}

begin();
