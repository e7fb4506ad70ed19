// The page: data in, everything drawn, and each part told of what the reader does in another.

import { Arcs } from "./arc";
import { legend, mapControls, slider } from "./controls";
import { load, type Data } from "./data";
import { Detail } from "./detail";
import { MapView } from "./map";
import { Scree } from "./scree";
import { Shepard } from "./shepard";
import { State } from "./state";
import { Table } from "./table";
import { onThemeChange } from "./theme";
import { byId, counted, elided, element } from "./text";

function head(data: Data): void {
  const { words } = data;
  byId("title").textContent = elided(words.title, 200);
  const kinds = { dissimilarity: "dissimilarities", squared: "squared dissimilarities", similarity: "similarities" };
  const newcomers = data.newcomers ? ` and ${counted(data.newcomers.count, "newcomer")}` : ", no newcomers";
  byId("summary").textContent =
    `${counted(data.n, "old object")}${newcomers}, on ${words.d === 1 ? "one axis" : `${words.d} axes`}, from ${kinds[words.kind]}`;
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
  if (metadata) {
    if (metadata.strangers) {
      const named = metadata.stranger_names.slice(0, 8).map((s) => elided(s, 30)).join(", ");
      list.push(`${counted(metadata.strangers, "row")} of the metadata match${metadata.strangers === 1 ? "es" : ""} no object: ${named}${metadata.strangers > 8 ? ", …" : ""}.`);
    }
    if (metadata.without) list.push(`${counted(metadata.without, "object")} ${metadata.without === 1 ? "has" : "have"} no metadata.`);
    if (metadata.left_out.length)
      list.push(`To keep this file small, these columns of the metadata were left out: ${metadata.left_out.map((s) => elided(s, 30)).join(", ")}.`);
  }
  const box = byId("notes");
  box.hidden = list.length === 0;
  box.append(...list.map((text) => element("li", { text, dir: "auto" })));
}

function methods(data: Data): void {
  const { paragraph, lines } = data.words.methods;
  byId("methods-paragraph").textContent = paragraph;
  for (const [name, value] of lines)
    byId("methods-lines").append(element("dt", { text: name, dir: "auto" }), element("dd", { text: value, dir: "auto" }));
  const button = element("button", { type: "button", text: "Copy" });
  button.setAttribute("aria-label", "Copy what was done, with all lines");
  button.addEventListener("click", async () => {
    const text = `${paragraph}\n\n${lines.map(([name, value]) => `${name}: ${value}`).join("\n")}\n`;
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers that keep the clipboard from pages on disk: the words are selected for the reader to copy.
      copied = false;
      getSelection()?.selectAllChildren(byId("methods-paragraph"));
    }
    button.textContent = copied ? "Copied" : "Selected: press Ctrl+C";
    window.setTimeout(() => (button.textContent = "Copy"), 2500);
  });
  byId("methods-controls").append(button);
}

function begin(): void {
  const data = load();
  const arcs = data.newcomers ? new Arcs(data) : null;
  const state = new State(data, arcs);
  head(data);
  notes(data);
  methods(data);
  mapControls(state);
  slider(state);
  new MapView(state);
  legend(state);
  new Scree(state);
  if (data.newcomers) {
    const shepard = new Shepard(state);
    new Detail(state, shepard);
    new Table(state);
    // The most foreign newcomer is where a reader looks first.
    const { foreign, residual, words, count } = data.newcomers;
    let first = 0;
    const weight = (i: number) => (Number.isNaN(foreign[i]) ? -1 : foreign[i]);
    for (let i = 1; i < count; i++)
      if (weight(i) > weight(first) || (weight(i) === weight(first) && Math.abs(residual[i]) > Math.abs(residual[first]))) first = i;
    state.select(first);
    if (words.strategy !== "project") state.slideTo(1);
  } else {
    byId("detail-card").hidden = true;
    byId("newcomers").hidden = true;
  }
  onThemeChange(() => state.tell("theme"));
}

begin();
