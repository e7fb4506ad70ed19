// What can be taken out of the page: tables, and pictures of the map as it is seen.

import { cell } from "./columns";
import { choice } from "./fields";
import type { MapView } from "./map";
import type { OtherViews } from "./other/views";
import { svg, type Picture } from "./svg";
import type { State } from "./state";
import { announce, byId, counted, element } from "./text";

/** Hands a file to the reader. */
function hand(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = element("a", { href: address, download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
  announce(`${name} saved`);
}

type Which = "new" | "filtered" | "shown" | "marked" | "all";

/** The objects that a table holds. */
function chosen(state: State, which: Which): number[] {
  const { data, visible, marked } = state;
  const all = Array.from(visible.keys());
  if (which === "marked") return all.filter((at) => marked.has(at));
  if (which === "shown") return all.filter((at) => visible[at]);
  if (which === "filtered") return all.filter((at) => at >= data.n && visible[at]);
  return which === "new" ? all.filter((at) => at >= data.n) : all;
}

/** Coordinates where the slider is, in all digits, with the metadata. */
export function table(state: State, which: Which, divider: "\t" | ","): string {
  const { data, places, share, arcs } = state;
  const { n, d } = data;
  const quote = (text: string) => {
    if (divider === "\t") return text.replace(/[\t\r\n]+/g, " ");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const mixed = which !== "new" && which !== "filtered";
  const columns = data.columns;
  const head = ["label", ...Array.from({ length: d }, (_, j) => `axis${j + 1}`), "position", "lambda", "strategy", ...(mixed ? ["role"] : []), ...columns.map((c) => quote(c.name))];
  // Places between two strategies are neither's.
  const end = data.newcomers?.chosen ? data.newcomers.words.strategy : "reconstruct";
  const strategy = share <= 0 || !arcs?.moving ? "project" : share >= 1 ? end : arcs.straight ? "between" : "arc";
  const lines = [head.join(divider)];
  const scratch = new Float64Array(d);
  for (const at of chosen(state, which)) {
    const fresh = at >= n;
    const i = fresh ? at - n : at;
    const y = fresh ? places.subarray(i * d, (i + 1) * d) : data.old.subarray(i * d, (i + 1) * d);
    const lambda = fresh ? (arcs?.moving ? arcs.at(i, share, scratch, 0) : 0) : NaN;
    const numbers = [...y, fresh ? share : NaN, lambda].map((v) => (Number.isNaN(v) ? "" : String(v)));
    const role = mixed ? [fresh ? "new" : "old"] : [];
    const cells = columns.map((c) => {
      const text = cell(c, at, 1000);
      return text === "–" ? "" : quote(text.replaceAll("−", "-"));
    });
    lines.push([quote(state.label(at)), ...numbers, fresh ? strategy : "", ...role, ...cells].join(divider));
  }
  return `${lines.join("\n")}\n`;
}

/** Whose tables can be saved above the map. */
const WHOSE: [Which, string][] = [["all", "all"], ["shown", "those shown"], ["marked", "those marked"]];

/** A picture as pixels, three times as many as on the screen. */
function png({ text, width, height }: Picture, done: (picture: Blob) => void): void {
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas", { width: width * 3, height: height * 3 });
    canvas.getContext("2d")!.drawImage(image, 0, 0, width * 3, height * 3);
    canvas.toBlob((picture) => picture && done(picture), "image/png");
  };
  image.onerror = () => announce("This browser does not draw SVG on a canvas: save the SVG");
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}

export function keepControls(state: State, map: MapView, others: OtherViews): void {
  const seen = (): Picture => (state.scene === "map" ? svg(map) : others.svg());
  const box = byId("keep");
  const make = (text: string, title: string, act: () => void, into = box) => {
    const button = element("button", { type: "button", text, title });
    button.addEventListener("click", act);
    into.append(button);
    return button;
  };
  make("SVG", "Save the map as it is seen, to edit and print: one element for each object", () => hand(new Blob([seen().text], { type: "image/svg+xml" }), "map.svg"));
  make("PNG", "Save the map as it is seen, as pixels", () => png(seen(), (picture) => hand(picture, "map.png")));
  let which: Which = "all";
  const whose = choice<Which>("objects", WHOSE, which, (v) => (which = v));
  whose.label.title = "Whose coordinates and metadata are saved";
  box.append(whose.label);
  const words = "Save these objects with their coordinates where the slider is, and the metadata";
  make("CSV", words, () => hand(new Blob([table(state, which, ",")], { type: "text/csv" }), "objects.csv"));
  make("TSV", words, () => hand(new Blob([table(state, which, "\t")], { type: "text/tab-separated-values" }), "objects.tsv"));
  const marked = make("Save marked", "Save the objects in the box or the lasso", () => hand(new Blob([table(state, "marked", "\t")], { type: "text/tab-separated-values" }), "marked.tsv"), byId("marked"));
  const show = () => {
    byId("marked").hidden = state.marked.size === 0;
    marked.textContent = `Save ${counted(state.marked.size, "marked object")} (TSV)`;
  };
  state.on(["marked"], show);
  show();
}

/** Saves the newcomers that the table shows. */
export function savePlaces(state: State): void {
  const which = state.filter.trim() || state.visible.subarray(state.data.n).includes(0) ? "filtered" : "new";
  hand(new Blob([table(state, which, "\t")], { type: "text/tab-separated-values" }), "places.tsv");
}
