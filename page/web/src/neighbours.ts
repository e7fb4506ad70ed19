// Who is near: the old objects that are nearest to the chosen one by what is given, and by what the map shows.

import { cell } from "./columns";
import type { Newcomers } from "./data";
import type { State } from "./state";
import { elided, element, short } from "./text";

/** How many are listed. */
const LISTED = 5;

interface Near {
  old: number;
  value: number;
}

/** The old object that each newcomer is nearest to by what is given; -1 if nothing is known. */
export function nearestGiven({ count, pairsAt, pairsOld, pairsGiven, words }: Newcomers): Int32Array {
  const sign = words.pairs.inner_products ? -1 : 1;
  return Int32Array.from({ length: count }, (_, i) => {
    let [best, old] = [Infinity, -1];
    for (let p = pairsAt[i]; p < pairsAt[i + 1]; p++) if (sign * pairsGiven[p] < best) [best, old] = [sign * pairsGiven[p], pairsOld[p]];
    return old;
  });
}

export class Neighbours {
  constructor(private readonly state: State) {}

  ofNewcomer(i: number): Node[] {
    const { data, places } = this.state;
    const newcomers = data.newcomers!;
    const inner = newcomers.words.pairs.inner_products;
    const given: Near[] = [];
    for (let p = newcomers.pairsAt[i]; p < newcomers.pairsAt[i + 1]; p++) given.push({ old: newcomers.pairsOld[p], value: newcomers.pairsGiven[p] });
    given.sort((a, b) => (inner ? b.value - a.value : a.value - b.value));
    const shown = this.shown(places.subarray(i * data.d, (i + 1) * data.d), -1);
    const nearest = given.slice(0, LISTED);
    const both = nearest.filter(({ old }) => shown.some((s) => s.old === old)).length;
    const said = `${both === 0 ? "None" : both} of the ${nearest.length} nearest as given ${both === 1 ? "is" : "are"} among the ${shown.length} nearest on the map.`;
    return [
      ...this.lists([
        [inner ? "most similar, as given" : "nearest, as given", nearest],
        ["nearest on the map", shown],
      ]),
      ...(nearest.length > 1 ? [element("p", { className: "fine", text: said })] : []),
    ];
  }

  ofOld(i: number): Node[] {
    const { data } = this.state;
    return this.lists([["nearest on the map", this.shown(data.old.subarray(i * data.d, (i + 1) * data.d), i)]]);
  }

  /** The nearest to y on all axes of the map, but for one. */
  private shown(y: ArrayLike<number>, but: number): Near[] {
    const { data } = this.state;
    const { n, d, old } = data;
    const best: Near[] = [];
    let worst = Infinity;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < d && sum < worst; j++) sum += (old[i * d + j] - y[j]) ** 2;
      if (!(sum < worst) || i === but) continue;
      best.push({ old: i, value: sum });
      best.sort((a, b) => a.value - b.value);
      if (best.length > LISTED) best.pop();
      if (best.length === LISTED) worst = best[LISTED - 1].value;
    }
    return best.map(({ old: o, value }) => ({ old: o, value: Math.sqrt(value) }));
  }

  /** The column that says who they are: that of the colours, or the first of classes. */
  private column(): number {
    const { data, colourBy } = this.state;
    return colourBy >= 0 ? colourBy : data.columns.findIndex((c) => c.kind === "classes");
  }

  private lists(lists: [string, Near[]][]): Node[] {
    const { state } = this;
    const { data } = state;
    const by = this.column();
    const tables = lists.filter(([, list]) => list.length).map(([title, list]) => {
      const body = element("tbody");
      for (const { old, value } of list) {
        const button = element("button", { type: "button", className: "name", text: elided(data.labels[old], 22), title: elided(data.labels[old], 200), dir: "auto" });
        button.addEventListener("click", () => state.selectOld(old));
        const row = element("tr", {}, [element("td", {}, [button]), element("td", { className: "numeric", text: short(value) })]);
        if (by >= 0) row.append(element("td", { text: cell(data.columns[by], old, 16), dir: "auto" }));
        body.append(row);
      }
      return element("table", { className: "near" }, [element("caption", { text: title }), body]);
    });
    return tables.length ? [element("div", { className: by >= 0 ? "neighbours wide" : "neighbours" }, tables)] : [];
  }
}
