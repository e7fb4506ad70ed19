// What stands above the map: which axes and which way round, colours, shapes and sizes, labels, groups.

import { colourable, shapeable, sizeable } from "./columns";
import type { Column } from "./data";
import { choice, toggle } from "./fields";
import type { RampScale } from "./looks";
import type { Groups, Labels, Regions, Scene, State } from "./state";
import { announce, byId, element } from "./text";

/** From so many columns on, they can be searched. */
const MANY_COLUMNS = 12;

export function mapControls(state: State): void {
  axes(state);
  if (state.data.columns.length) columns(state);
  toggles(state);
}

function axes(state: State): void {
  const { data } = state;
  const box = byId("map-axes");
  if (data.d > 2) {
    const names: [string, string][] = Array.from({ length: data.d }, (_, j) => [String(j), `axis ${j + 1}`]);
    const fields = [0, 1].map((which) =>
      choice(which ? "up" : "across", names, String(which), (axis) => {
        showAxis(state, which, Number(axis));
        announce(`Axis ${state.axes[0] + 1} across, axis ${state.axes[1] + 1} up`);
      }),
    );
    state.on(["axes"], () => fields.forEach((field, at) => field.show(String(state.axes[at]))));
    box.append(...fields.map((f) => f.label));
  }
  const flips = state.axes.flatMap((axis, which) => {
    if (axis < 0) return [];
    const button = element("button", { type: "button", text: which ? "⇅" : "⇄", className: "flip" });
    const words = which ? "Flip up and down" : "Flip left and right";
    button.setAttribute("aria-label", words);
    button.title = `${words}: the direction of an axis has no meaning`;
    button.addEventListener("click", () => state.flip(state.axes[which]));
    return [button];
  });
  box.append(...flips);
  if (data.d > 3) {
    const third = choice("depth", Array.from({ length: data.d }, (_, j): [string, string] => [String(j), `axis ${j + 1}`]), String(state.depth), (axis) => showAxis(state, 2, Number(axis)));
    const show = () => {
      third.label.hidden = state.scene !== "solid";
      third.show(String(state.depth));
    };
    state.on(["axes"], show);
    show();
    box.append(third.label);
  }
  const ways = data.newcomers?.ways ?? [];
  const scenes: [Scene, string][] = [["map", data.d > 2 ? "two axes" : "one map"]];
  if (data.d > 2 && data.d <= 5) scenes.push(["pairs", "all pairs"]);
  if (data.d > 2) scenes.push(["solid", "three axes"]);
  if (data.d > 1 && ways.length > 1) scenes.push(["beside", "two strategies"]);
  if (scenes.length > 1) {
    const view = choice<Scene>("view", scenes, state.scene, (scene) => {
      state.scene = scene;
      state.tell("axes");
    });
    state.on(["axes"], () => view.show(state.scene));
    box.append(view.label);
  }
  if (scenes.some(([scene]) => scene === "beside")) box.append(...besides(state));
}

/** Which strategies are side by side, where two are. */
function besides(state: State): HTMLElement[] {
  const names = state.data.newcomers!.ways.map(({ name }, at): [string, string] => [String(at), name]);
  const fields = ["left", "right"].map((name, which) =>
    choice(name, names, String(state.beside[which]), (way) => {
      // Taking the one that the other has exchanges them.
      if (state.beside[1 - which] === Number(way)) state.beside[1 - which] = state.beside[which];
      state.beside[which] = Number(way);
      state.tell("axes");
    }),
  );
  const show = () =>
    fields.forEach((field, which) => {
      field.label.hidden = state.scene !== "beside" || names.length < 3;
      field.show(String(state.beside[which]));
    });
  state.on(["axes"], show);
  show();
  return fields.map((f) => f.label);
}

/** Shows an axis across (0), up (1) or in depth (2); taking the one that another has exchanges them. */
export function showAxis(state: State, which: number, axis: number): void {
  const shown = [...state.axes, state.depth];
  const before = shown.indexOf(axis);
  if (before >= 0) shown[before] = shown[which];
  shown[which] = axis;
  [state.axes[0], state.axes[1], state.depth] = shown;
  state.tell("axes");
}

function columns(state: State): void {
  const { data } = state;
  const box = byId("map-controls");
  const list = (of: (c: Column) => boolean, none: string, needle = ""): [string, string][] => {
    const own = data.columns.flatMap((c, i): [string, string][] => (of(c) && c.name.toLowerCase().includes(needle) ? [[String(i), c.name]] : []));
    return [["-1", none], ...own];
  };
  const kinds = [
    { name: "colour", none: "old and new", of: colourable, key: "colourBy" as const },
    { name: "shape", none: "none", of: shapeable, key: "shapeBy" as const },
    { name: "size", none: "none", of: sizeable, key: "sizeBy" as const },
  ].filter(({ of }) => data.columns.some(of));
  const fields = kinds.map(({ name, none, of, key }) =>
    choice(name, list(of, none), "-1", (v) => {
      state[key] = Number(v);
      if (key !== "sizeBy") state.hidden[key === "colourBy" ? "colour" : "shape"].clear();
      state.refresh();
      state.tell("style");
    }),
  );
  if (data.columns.length > MANY_COLUMNS) {
    const find = element("input", { type: "search", className: "find", placeholder: `Find one of ${data.columns.length} columns` });
    find.setAttribute("aria-label", "Find a column of the metadata");
    find.addEventListener("input", () => {
      const needle = find.value.trim().toLowerCase();
      fields.forEach((field, at) => {
        const { of, none, key } = kinds[at];
        const options = list(of, none, needle);
        // What is shown stays offered.
        const now = state[key];
        if (now >= 0 && !options.some(([v]) => v === String(now))) options.push([String(now), data.columns[now].name]);
        field.offer(options);
      });
    });
    box.append(find);
  }
  box.append(...fields.map((f) => f.label), ...ramps(state));
  state.on(["style"], () => fields.forEach((field, at) => field.show(String(state[kinds[at].key]))));
}

/** How numbers are painted, where numbers are. */
function ramps(state: State): HTMLElement[] {
  const scales: [RampScale, string][] = [["linear", "linear"], ["log", "logarithmic"], ["rank", "by rank"]];
  const ramp = choice<RampScale>("ramp", scales, state.ramp, (v) => {
    state.ramp = v;
    state.tell("style");
  });
  const ways: [string, string][] = [["", "in order"], ["classes", "as classes"]];
  const way = choice("numbers", ways, "", (v) => {
    state.asClasses = v === "classes";
    state.tell("style");
  });
  const show = () => {
    const kind = state.colourBy < 0 ? null : state.data.columns[state.colourBy].kind;
    ramp.label.hidden = kind !== "numbers" && kind !== "dates";
    way.label.hidden = kind !== "ordered";
    ramp.show(state.ramp);
    way.show(state.asClasses ? "classes" : "");
  };
  state.on(["style"], show);
  show();
  return [ramp.label, way.label];
}

function toggles(state: State): void {
  const box = byId("map-toggles");
  const words: [Labels, string][] = [["auto", "a few"], ["all", "all that fit"], ["none", "none"]];
  const labels = choice<Labels>("labels", words, state.labels, (v) => {
    state.labels = v;
    state.tell("style");
  });
  const showLabels = () => {
    labels.label.hidden = state.scene === "pairs";
    labels.show(state.labels);
  };
  state.on(["style", "axes"], showLabels);
  showLabels();
  /** Whether outlines and arrows can be drawn on what is seen. */
  const flat = () => state.scene === "map" || state.scene === "beside";
  const spread = () => flat() && state.colourBy >= 0 && state.data.columns[state.colourBy].spread !== null && state.axes[1] >= 0;
  const groups = (["ellipses", "hulls", "spiders"] as Groups[]).map((name) => {
    const field = toggle(name, false, (on) => {
      if (on) state.groups.add(name);
      else state.groups.delete(name);
      state.tell("style");
    });
    const show = () => {
      field.label.hidden = !spread();
      field.show(state.groups.has(name));
    };
    state.on(["style", "axes"], show);
    show();
    return field.label;
  });
  if (state.data.words.variables) {
    const arrows = toggle("variables", state.arrows, (on) => {
      state.arrows = on;
      state.tell("style");
    });
    const show = () => {
      arrows.label.hidden = !flat();
      arrows.show(state.arrows);
    };
    state.on(["style", "axes"], show);
    show();
    box.append(arrows.label);
  }
  box.append(...groups, labels.label, ...regions(state));
}

/** Around whom regions of uncertainty are drawn, where they are known. */
function regions(state: State): HTMLElement[] {
  if (!state.data.newcomers?.words.uncertainty) return [];
  const whose: [Regions, string][] = [["chosen", "the chosen"], ["all", "all"], ["none", "none"]];
  const field = choice<Regions>("uncertainty", whose, state.regions, (v) => {
    state.regions = v;
    state.tell("style");
  });
  field.label.title = "The region around a place that holds 95 % of what the old objects' disagreement allows";
  const show = () => {
    field.label.hidden = state.scene === "solid";
    field.show(state.regions);
  };
  state.on(["style", "axes"], show);
  show();
  return [field.label];
}
