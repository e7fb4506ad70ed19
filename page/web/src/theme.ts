// Colours: those of the style sheet, and palettes that colour-blind readers can tell apart.

/** Okabe and Ito's palette, in an order that keeps neighbours apart; light and dark grounds. */
const GROUPS_LIGHT = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8AE00", "#2B3440"];
const GROUPS_DARK = ["#56B4E9", "#E69F00", "#2FBF93", "#E79BC6", "#8ACBF5", "#F2803A", "#F0E442", "#F5F7FA"];

/** Groups beyond these share a grey. */
export const MOST_GROUPS = GROUPS_LIGHT.length;

/** Cividis, which is the same to most kinds of colour vision. */
const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const CIVIDIS_DARK = ["#3f5fa8", "#4f6a9e", "#627595", "#75828d", "#888f84", "#9d9d7c", "#b4ac72", "#cdbd66", "#e6d158", "#fee838"];

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
  groups: string[];
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
    accent: value("--accent"),
    groups: dark ? GROUPS_DARK : GROUPS_LIGHT,
    other: value("--other"),
    ramp: dark ? CIVIDIS_DARK : CIVIDIS,
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

/** The colour of a number between 0 and 1 on a ramp. */
export function onRamp(ramp: string[], t: number): string {
  const at = Math.min(ramp.length - 1, Math.max(0, Math.round(t * (ramp.length - 1))));
  return ramp[at];
}
