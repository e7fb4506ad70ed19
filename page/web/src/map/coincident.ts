// Objects at the very same place of the map look like one: here they are counted.

import type { State } from "../state";

/** Places differ if they are farther apart than this share of the map. */
const GRAIN = 1e-6;

/** How many objects are at the place of each of those that share one: the first of them, and their number. */
export function coincident(state: State): Map<number, number> {
  const { data, axes, places, visible } = state;
  const { n, d } = data;
  const [a, b] = axes;
  const range = (axis: number): number => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < data.old.length; i += d) {
      low = Math.min(low, data.old[i]);
      high = Math.max(high, data.old[i]);
    }
    return high - low;
  };
  const grain = GRAIN * (Math.max(range(a), b < 0 ? 0 : range(b)) || 1);
  const first = new Map<number, number>();
  const counts = new Map<number, number>();
  for (let at = 0; at < visible.length; at++) {
    if (!visible[at]) continue;
    const [from, i] = at < n ? [data.old, at] : [places, at - n];
    const x = Math.round(from[i * d + a] / grain);
    const y = b < 0 ? 0 : Math.round(from[i * d + b] / grain);
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    const key = x * 2 ** 26 + y;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, at);
    else counts.set(earlier, (counts.get(earlier) ?? 1) + 1);
  }
  return counts;
}
