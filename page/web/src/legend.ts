// The legend: what each mark is, and a switch for each of them. A click hides or shows a role or a class, a double click or
// Alt shows that class alone.

import { looks, type Entry, type Looks } from "./looks";
import { SHAPES, trace, type Shape } from "./marks";
import { MOST_ENDS, type State } from "./state";
import { theme, type Theme } from "./theme";
import { announce, byId, counted, elided, element } from "./text";
import { WORDS } from "./words";

/** A small picture of a mark. */
function swatch(shape: Shape, fill: string, stroke: string, size = 4.5, dashes: number[] = []): HTMLCanvasElement {
  const canvas = element("canvas", { width: 32, height: 32, className: "swatch" });
  const path = canvas.getContext("2d")!;
  path.scale(2, 2);
  trace(path, shape, 8, 8, size);
  path.fillStyle = fill;
  path.fill();
  path.strokeStyle = stroke;
  path.lineWidth = 1.3;
  path.setLineDash(dashes);
  path.stroke();
  return canvas;
}

/** A short line. */
function stroke(colour: string): HTMLCanvasElement {
  const canvas = element("canvas", { width: 32, height: 32, className: "swatch" });
  const path = canvas.getContext("2d")!;
  path.strokeStyle = colour;
  path.lineWidth = 3.2;
  path.beginPath();
  path.moveTo(2, 24);
  path.quadraticCurveTo(14, 6, 30, 10);
  path.stroke();
  return canvas;
}

/** A small region. */
function oval(colour: string): HTMLCanvasElement {
  const canvas = element("canvas", { width: 32, height: 32, className: "swatch" });
  const path = canvas.getContext("2d")!;
  path.beginPath();
  path.ellipse(16, 16, 13, 8, -0.4, 0, 2 * Math.PI);
  path.fillStyle = path.strokeStyle = colour;
  path.globalAlpha = 0.14;
  path.fill();
  path.globalAlpha = 0.9;
  path.lineWidth = 2.4;
  path.stroke();
  return canvas;
}

export class Legend {
  private readonly box = byId("legend");

  constructor(private readonly state: State) {
    state.on(["style", "theme", "visible", "axes"], () => this.draw());
    this.draw();
  }

  private draw(): void {
    const look = theme();
    const painted = looks(this.state.data, this.state, look);
    const held = document.activeElement instanceof HTMLElement && this.box.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const items = [...this.roles(look), ...this.classes(painted, look), ...this.scales(painted)];
    this.box.replaceChildren(...items);
    if (held) this.box.querySelector<HTMLElement>(`[data-key="${held}"]`)?.focus();
  }

  private plain(picture: Node, text: string): HTMLElement {
    return element("span", { className: "item" }, [picture, element("span", { text, dir: "auto" })]);
  }

  /** A line that can be switched. */
  private item(key: string, picture: Node, text: string, on: boolean, act: (alone: boolean) => void): HTMLElement {
    const button = element("button", { type: "button", className: "item switch", title: "Click to hide or show; double-click to show it alone" }, [
      picture,
      element("span", { text, dir: "auto" }),
    ]);
    button.dataset.key = key;
    button.setAttribute("aria-pressed", String(on));
    button.addEventListener("click", (e) => act(e.altKey || e.detail === 2));
    return button;
  }

  private roles(look: Theme): HTMLElement[] {
    const { state } = this;
    const { data, arcs, roles } = state;
    const plain = state.colourBy < 0;
    const items: HTMLElement[] = [];
    const role = (key: keyof typeof roles, picture: Node, text: string) =>
      items.push(
        this.item(key, picture, text, roles[key], (alone) => {
          if (alone) for (const other of Object.keys(roles) as (keyof typeof roles)[]) roles[other] = other === key || (key === "arcs" && other === "newcomers");
          else roles[key] = !roles[key];
          announce(alone ? `Only ${text}` : `${text} ${roles[key] ? "shown" : "hidden"}`);
          state.refresh();
        }),
      );
    // Coloured by a column, roles are told by size and outline.
    role("old", swatch("circle", plain ? look.old : look.faint, plain ? look.surface : look.faint, 3.4), counted(data.n, WORDS.old));
    const { newcomers } = data;
    if (!newcomers) return items;
    // Where there are thousands they are small and have no outline, as in the map.
    const many = newcomers.count > MOST_ENDS;
    role("newcomers", swatch("circle", plain ? look.newcomer : look.faint, many && plain ? look.newcomer : look.ink, many ? 3.5 : 5.5), counted(newcomers.count, WORDS.newcomer));
    if (arcs?.moving) {
      role("arcs", stroke(look.newcomer), arcs.straight ? WORDS.way : WORDS.arc);
      if (roles.arcs && !many) {
        items.push(this.plain(swatch("circle", look.surface, look.projection, 3), WORDS.projection));
        items.push(arcs.straight ? this.plain(swatch("square", look.surface, look.accent, 3.2), newcomers.goal) : this.plain(swatch("diamond", look.surface, look.reconstruction, 3.2), WORDS.reconstruction));
      }
    }
    const end = arcs?.straight ? newcomers.chosen : newcomers.reconstruct;
    if (end?.alternatives.length && arcs?.moving && roles.arcs) {
      // Other places of a unique one are those across the last axis, where its side is uncertain.
      const sides = end.alternatives.filter(([i]) => end.status[i] === "unique").length;
      const text = sides === 0 ? WORDS.others : sides === end.alternatives.length ? WORDS.side : `${WORDS.others}, or ${WORDS.side}`;
      items.push(this.plain(arcs.straight ? swatch("square", look.surface, look.accent, 4, [2, 2]) : swatch("diamond", look.surface, look.reconstruction, 4, [2, 2]), text));
    }
    if (state.regions !== "none" && state.scene !== "solid") items.push(this.plain(oval(look.newcomer), WORDS.region));
    return items;
  }

  private classes(painted: Looks, look: Theme): HTMLElement[] {
    const { data, colourBy, shapeBy, hidden } = this.state;
    const items: HTMLElement[] = [];
    for (const [of, by] of [["colour", colourBy], ["shape", shapeBy]] as const) {
      const entries = painted.entries.filter((e) => e.of === of);
      if (!entries.length) continue;
      items.push(element("span", { className: "item of", text: `${elided(data.columns[by].name, 30)}:`, dir: "auto" }));
      for (const entry of entries) {
        const picture = entry.shape ? swatch(entry.shape, look.muted, look.surface, 5) : swatch(SHAPES[0], entry.colour!, look.surface, 5.5);
        const words = `${elided(entry.words, 40)} (${entry.count.toLocaleString("en-US")})`;
        items.push(this.item(`${of}-${entry.code}`, picture, words, !hidden[of].has(entry.code), (alone) => this.act(entry, entries, alone)));
      }
      if (hidden[of].size) {
        const all = element("button", { type: "button", className: "item all", text: "show all" });
        all.addEventListener("click", () => {
          hidden[of].clear();
          this.state.refresh();
        });
        items.push(all);
      }
    }
    return items;
  }

  /** Hides or shows a class, or shows it alone. */
  private act(entry: Entry, entries: Entry[], alone: boolean): void {
    const gone = this.state.hidden[entry.of];
    if (alone) {
      gone.clear();
      for (const { code } of entries) if (code !== entry.code) gone.add(code);
    } else if (!gone.delete(entry.code)) gone.add(entry.code);
    announce(alone ? `Only ${entry.words}` : `${entry.words} ${gone.has(entry.code) ? "hidden" : "shown"}`);
    this.state.refresh();
  }

  private scales({ ramp, sizes }: Looks): HTMLElement[] {
    const items: HTMLElement[] = [];
    if (ramp) {
      const strip = element("span", { className: "ramp" });
      strip.style.background = `linear-gradient(to right, ${ramp.colours.join(", ")})`;
      const ticks = element("span", { className: "ticks" }, ramp.ticks.map(([, text]) => element("span", { text })));
      const scale = ramp.refused ? ", linear (a logarithm needs numbers above 0)" : ramp.scale === "linear" ? "" : ramp.scale === "log" ? ", logarithmic" : ", by rank";
      items.push(element("span", { className: "item" }, [element("span", { text: `${elided(ramp.name, 30)}${scale}:` }), element("span", { className: "scale" }, [strip, ticks])]));
      if (ramp.missing) items.push(this.plain(swatch("circle", theme().other, theme().surface, 4.5), `no value (${ramp.missing.toLocaleString("en-US")})`));
    }
    if (sizes) {
      const dot = (r: number) => swatch("circle", theme().muted, theme().surface, r);
      items.push(element("span", { className: "item" }, [element("span", { text: `size, ${elided(sizes.name, 30)}: ${sizes.low}` }), dot(2.6), dot(7), element("span", { text: sizes.high })]));
    }
    return items;
  }
}
