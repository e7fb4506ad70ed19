// Fields of forms: a choice among a few, a switch.

import { elided, element } from "./text";

export interface Field<T> {
  label: HTMLLabelElement;
  show: (value: T) => void;
}

/** A choice among options; `offer` may be asked to offer others. */
export function choice<T extends string>(
  name: string,
  options: [T, string][],
  value: T,
  act: (v: T) => void,
): Field<T> & { offer: (options: [T, string][]) => void; select: HTMLSelectElement } {
  const select = element("select");
  select.setAttribute("aria-label", name);
  const offer = (list: [T, string][]) => {
    const now = select.value;
    select.replaceChildren(...list.map(([v, text]) => element("option", { value: v, text: elided(text, 40) })));
    if (list.some(([v]) => v === now)) select.value = now;
  };
  offer(options);
  select.value = value;
  select.addEventListener("change", () => act(select.value as T));
  return {
    label: element("label", { className: "field" }, [element("span", { text: name }), select]),
    show: (v) => (select.value = v),
    offer,
    select,
  };
}

export function toggle(name: string, on: boolean, act: (v: boolean) => void): Field<boolean> {
  const input = element("input", { type: "checkbox", checked: on });
  input.addEventListener("change", () => act(input.checked));
  return {
    label: element("label", { className: "field check" }, [input, element("span", { text: name })]),
    show: (v) => (input.checked = v),
  };
}
