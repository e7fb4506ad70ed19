// What was done, for a methods section, as it is with what the page shows now.

import { paced } from "./pace";
import type { State } from "./state";
import { byId, element, percent } from "./text";

/** How the newcomers are placed where the slider is. */
function shown(state: State): string {
  const { asked, projected, reconstructed } = state.data.words.methods;
  const newcomers = state.data.newcomers!;
  if (state.share <= 0 || !state.arcs?.moving) return projected;
  const end = newcomers.chosen ? asked! : reconstructed;
  return state.share >= 1 ? end : `at ${percent(state.share)} of the way from projection to the ${newcomers.goal}`;
}

export function methods(state: State): void {
  const { paragraph, lines, asked } = state.data.words.methods;
  const said = (text: string) => (asked ? text.replace(asked, shown(state)) : text);
  const cells = lines.map(([name, value]) => {
    const cell = element("dd", { text: value, dir: "auto" });
    byId("methods-lines").append(element("dt", { text: name, dir: "auto" }), cell);
    return cell;
  });
  const strategy = lines.findIndex(([name]) => name === "strategy");
  const show = () => {
    byId("methods-paragraph").textContent = said(paragraph);
    if (strategy >= 0) cells[strategy].textContent = said(lines[strategy][1]);
  };
  state.on(["slide"], paced(200, show));
  show();
  const button = element("button", { type: "button", text: "Copy" });
  button.setAttribute("aria-label", "Copy what was done, with all lines");
  button.addEventListener("click", async () => {
    const all = lines.map(([name, value], i) => `${name}: ${i === strategy ? said(value) : value}`);
    let copied = true;
    try {
      await navigator.clipboard.writeText(`${said(paragraph)}\n\n${all.join("\n")}\n`);
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
