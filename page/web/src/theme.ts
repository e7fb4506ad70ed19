// Colours: those of the style sheet, and of the one table that pictures and Python read too (look/look.json).

import table from "../../../look/look.json";

/** Groups beyond these share a grey. */
export const MOST_GROUPS = table.classes.light.at(-1)!.length;

/** The smallest palette with a colour for each of so many groups, or the largest. */
export function paletteFor(count: number): string[] {
  const palettes = theme().dark ? table.classes.dark : table.classes.light;
  return palettes.find((p) => p.length >= count) ?? palettes.at(-1)!;
}

export interface Theme {
  dark: boolean;
  ink: string;
  muted: string;
  faint: string;
  line: string;
  surface: string;
  old: string;
  newcomer: string;
  projection: string;
  reconstruction: string;
  accent: string;
  other: string;
  ramp: string[];
}

const media = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;
let current: Theme | null = null;

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const dark = media.matches && !printing;
  return {
    dark,
    ink: value("--ink"),
    muted: value("--muted"),
    faint: value("--faint"),
    line: value("--line"),
    surface: value("--surface"),
    old: value("--old"),
    newcomer: value("--newcomer"),
    projection: value("--projection"),
    reconstruction: value("--reconstruction"),
    accent: value("--strategy"),
    other: value("--other"),
    ramp: fine(dark ? table.ramp.dark : table.ramp.light),
  };
}

export const isPrinting = (): boolean => printing;

export function theme(): Theme {
  current ??= read();
  return current;
}

/** Calls `listener` when the reader's preference changes, and around printing, which is always light. */
export function onThemeChange(listener: () => void): void {
  const changed = () => {
    current = null;
    listener();
  };
  media.addEventListener("change", changed);
  const print = (now: boolean) => {
    printing = now;
    document.documentElement.classList.toggle("printing", now);
    changed();
  };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
}

/** Steps of a ramp: more than the eye tells apart. */
const STEPS = 48;

/** A ramp in many steps, mixed between the colours of the table. */
function fine(ramp: string[]): string[] {
  const channel = (colour: string, i: number) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  return Array.from({ length: STEPS }, (_, step) => {
    const at = (step / (STEPS - 1)) * (ramp.length - 1);
    const low = Math.min(ramp.length - 2, Math.floor(at));
    const mixed = [0, 1, 2].map((i) => Math.round(channel(ramp[low], i) + (at - low) * (channel(ramp[low + 1], i) - channel(ramp[low], i))));
    return `#${mixed.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
  });
}

/** The step of a number between 0 and 1 on a ramp. */
export function onRamp(ramp: string[], t: number): number {
  return Math.min(ramp.length - 1, Math.max(0, Math.round(t * (ramp.length - 1))));
}
