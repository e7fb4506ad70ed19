// The state in the address of the page (#…): a link restores what is seen.

import type { MapView } from "./map";
import { paced } from "./pace";
import { BEGIN } from "./other/solid";
import type { OtherViews } from "./other/views";
import type { Groups, Labels, Regions, Scene, State } from "./state";
import type { RampScale } from "./looks";

/** What was seen when the page opened. */
interface Begun {
  share: number;
  chosen: number;
  regions: Regions;
}

/** Milliseconds between two writings. */
const PAUSE = 400;

function write(state: State, map: MapView, others: OtherViews, begun: Begun): string {
  const { data } = state;
  const words = new URLSearchParams();
  const put = (key: string, value: string, usual: string) => {
    if (value !== usual) words.set(key, value);
  };
  const column = (i: number) => (i < 0 ? "" : data.columns[i].name);
  put("axes", state.axes.filter((a) => a >= 0).map((a) => a + 1).join(","), data.d > 1 ? "1,2" : "1");
  put("flip", [...state.signs].flatMap((s, j) => (s < 0 ? [j + 1] : [])).join(","), data.words.flip.map((j) => j + 1).join(","));
  put("view", state.scene, "map");
  if (state.scene === "solid") {
    words.set("depth", String(state.depth + 1));
    put("turn", others.solid.sight.map((v) => Number(v.toFixed(3))).join(","), BEGIN.join(","));
  }
  if (state.scene === "beside") words.set("beside", state.beside.map((at) => data.newcomers!.ways[at].word).join(","));
  put("colour", column(state.colourBy), "");
  put("shape", column(state.shapeBy), "");
  put("size", column(state.sizeBy), "");
  put("ramp", state.ramp, "linear");
  put("numbers", state.asClasses ? "classes" : "", "");
  put("labels", state.labels, "auto");
  put("regions", state.regions, begun.regions);
  put("groups", [...state.groups].join(","), "");
  put("variables", state.arrows ? "" : "none", "");
  put("hide", Object.entries(state.roles).flatMap(([role, on]) => (on ? [] : [role])).join(","), "");
  put("hidden-colours", [...state.hidden.colour].join(","), "");
  put("hidden-shapes", [...state.hidden.shape].join(","), "");
  put("filter", state.filter, "");
  put("at", String(Math.round(state.share * 1000) / 1000), String(begun.share));
  const chosen = state.selectedOld >= 0 ? state.selectedOld : state.selected >= 0 ? data.n + state.selected : -1;
  if (chosen !== begun.chosen) words.set("chosen", chosen < 0 ? "" : state.label(chosen));
  if (map.view.transform.k !== 1 || map.view.transform.x || map.view.transform.y) words.set("sight", map.view.sight.map((v) => Number(v.toPrecision(6))).join(","));
  return words.toString();
}

function read(state: State, map: MapView, others: OtherViews, text: string): void {
  const { data } = state;
  const words = new URLSearchParams(text);
  const numbers = (key: string) => (words.get(key) ?? "").split(",").filter(Boolean).map(Number);
  const has = (key: string) => words.get(key) !== null;
  const one = <T extends string>(key: string, of: readonly T[], usual: T): T => of.find((w) => w === words.get(key)) ?? usual;
  const axes = numbers("axes").map((a) => a - 1);
  if (axes.length === 2 && axes.every((a) => a >= 0 && a < data.d) && axes[0] !== axes[1]) state.axes = [axes[0], axes[1]];
  const depth = numbers("depth").map((a) => a - 1)[0];
  if (depth >= 0 && depth < data.d) state.depth = depth;
  if (data.d > 2 && state.axes.includes(state.depth)) state.depth = Array.from({ length: data.d }, (_, j) => j).find((j) => !state.axes.includes(j))!;
  if (has("flip")) state.signs.fill(1);
  for (const axis of numbers("flip")) if (axis >= 1 && axis <= data.d) state.signs[axis - 1] = -1;
  const ways = data.newcomers?.ways ?? [];
  const scenes: Scene[] = ["map", ...(data.d > 2 && data.d <= 5 ? (["pairs"] as const) : []), ...(data.d > 2 ? (["solid"] as const) : []), ...(data.d > 1 && ways.length > 1 ? (["beside"] as const) : [])];
  state.scene = one<Scene>("view", scenes, "map");
  const beside = (words.get("beside") ?? "").split(",").map((word) => ways.findIndex((way) => way.word === word));
  if (beside.length === 2 && beside.every((at) => at >= 0) && beside[0] !== beside[1]) state.beside = [beside[0], beside[1]];
  const column = (key: string) => (has(key) ? data.columns.findIndex((c) => c.name === words.get(key)) : -1);
  state.colourBy = column("colour");
  state.shapeBy = column("shape");
  state.sizeBy = column("size");
  state.ramp = one<RampScale>("ramp", ["linear", "log", "rank"], "linear");
  state.asClasses = words.get("numbers") === "classes";
  state.labels = one<Labels>("labels", ["auto", "all", "none"], "auto");
  for (const name of (words.get("groups") ?? "").split(",")) if (name === "ellipses" || name === "hulls" || name === "spiders") state.groups.add(name as Groups);
  state.regions = one<Regions>("regions", ["chosen", "all", "none"], state.regions);
  state.arrows = words.get("variables") !== "none";
  for (const role of (words.get("hide") ?? "").split(",")) if (role in state.roles) state.roles[role as keyof typeof state.roles] = false;
  for (const code of numbers("hidden-colours")) state.hidden.colour.add(code);
  for (const code of numbers("hidden-shapes")) state.hidden.shape.add(code);
  state.filter = words.get("filter") ?? "";
  state.refresh();
  state.tell("style");
  state.tell("axes");
  if (has("at")) state.slideTo(Number(words.get("at")) || 0);
  if (has("chosen")) {
    const label = words.get("chosen")!;
    const total = state.visible.length;
    let found = -1;
    for (let i = 0; i < total && found < 0; i++) if (state.label(i) === label) found = i;
    state.choose(found);
  }
  const turn = numbers("turn");
  if (turn.length === 3 && turn.every(Number.isFinite)) others.solid.sight = turn as [number, number, number];
  const sight = numbers("sight");
  if (sight.length === 3 && sight.every(Number.isFinite) && sight[0] > 0) map.view.sight = sight as [number, number, number];
}

/** Takes the state from the address, and keeps it there from now on. */
export function keepInAddress(state: State, map: MapView, others: OtherViews): void {
  const begun = { share: state.share, chosen: state.selected < 0 ? -1 : state.data.n + state.selected, regions: state.regions };
  const text = location.hash.slice(1);
  // Other fragments are places on the page.
  if (text.includes("=")) read(state, map, others, text);
  const save = paced(PAUSE, () => {
    const words = write(state, map, others, begun);
    try {
      history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
    } catch {
      // Browsers that keep pages on disk from it: the state is not in the address then.
    }
  });
  state.on(["slide", "axes", "selection", "style", "visible", "view"], save);
}
