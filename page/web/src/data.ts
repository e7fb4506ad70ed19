// The data of the page, as page/src/lib.rs puts them in: words as JSON, numbers as arrays in base64.

import { placedBy, WORDS } from "./words";

export interface PlacedWords {
  /** Whether it is told how certain each place is. */
  certain: boolean;
  status: string[];
  alternatives: [number, number[]][];
}

export interface NewcomerWords {
  labels: string[];
  strategy: string;
  project: PlacedWords;
  reconstruct: PlacedWords | null;
  chosen: PlacedWords | null;
  /** By further strategies, shown beside. */
  beside: (PlacedWords & { strategy: string })[];
  why_no_arcs: string | null;
  still: [number, number][];
  segments: [number, number][];
  sentences: string[];
  /** What is odd about the newcomers as a batch. */
  remarks: string[];
  /** Whether these newcomers call for another map, and by which numbers. */
  assessment: { verdict: Verdict; newcomers: number; unlike: number; chance: number | null; weight: number | null; says: string } | null;
  /** The share that regions around places hold, and by how many refits they are told; null if it was not asked for. */
  uncertainty: { level: number; refits: number | null } | null;
  /** How many of them are unlike the old objects, said once for all. */
  batch: string | null;
  /** At this p and below a newcomer is called unlike the old objects. */
  level: number;
  observed: number[] | null;
  joint: { certified: boolean; gap: number | null; objective: number | null } | null;
  unplaced: [number, string][];
  pairs: { each: number; nearest: number; inner_products: boolean };
}

/** What to do about a batch of newcomers. */
export type Verdict = "fine" | "watch" | "refit" | "unknown";

/** What a column is, as look/src/column.rs reads it. */
export type ColumnKind = "classes" | "ordered" | "numbers" | "dates" | "names";

export interface ColumnWords {
  name: string;
  id: string;
  kind: ColumnKind;
  groups: string[] | null;
  spread: boolean;
}

export interface LinkWords {
  form: string;
  stress: number | null;
  range: (number | null)[];
  pairs: number;
  error: number | null;
  radius: number | null;
}

export interface Words {
  title: string;
  /** Variables that follow the axes best, each with an arrow on all axes as long as r. */
  variables: { all: number; strongest: { name: string; r2: number | null; p: number | null; arrow: number[] }[] } | null;
  /** Axes that are drawn the other way round at first. */
  flip: number[];
  n: number;
  d: number;
  kind: "dissimilarity" | "squared" | "similarity";
  correction: string | null;
  given: boolean;
  /** How the distances of given coordinates follow the dissimilarities; then there is no spectrum. */
  link: LinkWords | null;
  labels: string[];
  origin: number[];
  c: number[];
  basis: number[][] | null;
  eigenvalues: number[];
  /** The map's spread: the root mean square distance of its objects from their centre. */
  spread: number | null;
  explained: (number | null)[];
  spectrum: {
    eigenvalues: (number | null)[];
    complete: boolean;
    negative: number;
    trace: number | null;
    squared_norm: number | null;
    strain: number | null;
    findings: string[];
  };
  newcomers: NewcomerWords | null;
  metadata: {
    source: string;
    columns: ColumnWords[];
    constant: [string, string | null][];
    left_out: string[];
    without: number;
    strangers: number;
    stranger_names: string[];
  } | null;
  methods: {
    lines: [string, string][];
    paragraph: string;
    asked: string | null;
    projected: string;
    reconstructed: string;
    citation: string;
    version: string;
  };
}

/** A column of metadata: groups by code, or numbers. Old objects first, then newcomers. */
export interface Column {
  name: string;
  kind: ColumnKind;
  groups: string[] | null;
  codes: Uint16Array | null;
  numbers: Float32Array | null;
  /** The old objects of each group that has a colour: how many, their mean, their covariance. */
  spread: { count: Uint32Array; mean: Float32Array; covariance: Float32Array } | null;
}

/** The code of an object that has no value. */
export const NOTHING = 0xffff;

/** Placements by one strategy: coordinates row by row, and what is known of each. */
export interface Placed {
  coordinates: Float64Array;
  objective: Float64Array;
  status: string[];
  alternatives: [number, number[]][];
  /** The lower triangle of the covariance of each place, row by row; null if it was not asked for. */
  covariance: Float32Array | null;
}

/** One way of placing newcomers. */
export interface Way {
  /** As the program calls it, and as the page says it. */
  word: string;
  name: string;
  placed: Placed;
}

export interface Newcomers {
  words: NewcomerWords;
  /** What the end of every newcomer's way is called. */
  goal: string;
  count: number;
  labels: string[];
  project: Placed;
  reconstruct: Placed | null;
  chosen: Placed | null;
  /** All of these, and those that are shown beside them. */
  ways: Way[];
  residual: Float64Array;
  share: Float64Array;
  /** How often an object like the old ones is as strange: in all, outside the map's space, within it, and by the nearest. */
  p: Float64Array;
  outside: Float64Array;
  inside: Float64Array;
  nearest: Float64Array;
  /** The newcomer's rank, those least like the old objects first; NaN where it is not known. */
  rank: Float64Array;
  lambda: Float64Array;
  margin: Float64Array;
  moved: Float64Array;
  stationarity: Float64Array;
  side: Float64Array;
  jump: Float64Array;
  stretch: Float64Array;
  /** How many standard errors the region around each place reaches on the axes shown. */
  reach: Float32Array;
  /** Where the pairs of newcomer i begin; one more than there are newcomers. */
  pairsAt: Uint32Array;
  pairsOld: Uint32Array;
  pairsGiven: Float32Array;
}

export interface Data {
  words: Words;
  n: number;
  d: number;
  labels: string[];
  old: Float32Array;
  oldResidual: Float32Array;
  columns: Column[];
  newcomers: Newcomers | null;
  /** The old pairs and the knots of the link. */
  link: { words: LinkWords; given: Float32Array; shown: Float32Array; knots: Float64Array; distances: Float64Array } | null;
}

function bytes(text: string): ArrayBuffer {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text).buffer as ArrayBuffer;
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array.buffer;
}

/** The text of a data element, which is then let go. */
function take(id: string): string | null {
  const element = document.getElementById(id);
  const text = element?.textContent ?? null;
  element?.remove();
  return text;
}

const doubles = (id: string) => new Float64Array(bytes(take(id) ?? ""));
const singles = (id: string) => new Float32Array(bytes(take(id) ?? ""));
const indices = (id: string) => new Uint32Array(bytes(take(id) ?? ""));
const codes = (id: string) => new Uint16Array(bytes(take(id) ?? ""));

function placed(id: string, words: PlacedWords): Placed {
  return { ...words, coordinates: doubles(id), objective: doubles(`${id}-objective`), covariance: words.certain ? singles(`${id}-covariance`) : null };
}

function newcomers(words: NewcomerWords): Newcomers {
  const count = words.labels.length;
  const counts = indices("pairs-count");
  const pairsAt = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) pairsAt[i + 1] = pairsAt[i] + counts[i];
  const nothing = new Float64Array(count).fill(NaN);
  const known = (id: string) => (words.reconstruct ? doubles(id) : nothing);
  const answer: Newcomers = {
    words,
    goal: words.joint ? WORDS.jointly : words.chosen ? placedBy(words.strategy) : WORDS.reconstruction,
    count,
    labels: words.labels,
    project: placed("project", words.project),
    reconstruct: words.reconstruct && placed("reconstruct", words.reconstruct),
    chosen: words.chosen && placed("chosen", words.chosen),
    ways: [],
    residual: doubles("residual"),
    share: doubles("share"),
    p: doubles("p"),
    outside: doubles("p-outside"),
    inside: doubles("p-inside"),
    nearest: doubles("p-nearest"),
    rank: nothing,
    lambda: known("lambda"),
    margin: known("margin"),
    moved: known("moved"),
    stationarity: known("stationarity"),
    side: known("side"),
    jump: known("jump"),
    stretch: known("stretch"),
    reach: words.uncertainty ? singles("reach") : new Float32Array(count),
    pairsAt,
    pairsOld: indices("pairs-old"),
    pairsGiven: singles("pairs-given"),
  };
  // Maps of earlier versions tell of the one only.
  answer.p.forEach((p, i) => Number.isNaN(p) && (answer.p[i] = answer.outside[i]));
  answer.rank = ranks(answer);
  const { reconstruct } = answer;
  answer.ways.push({ word: "project", name: WORDS.projection, placed: answer.project });
  if (reconstruct) answer.ways.push({ word: "reconstruct", name: WORDS.reconstruction, placed: reconstruct });
  if (answer.chosen) answer.ways.push({ word: words.strategy, name: answer.goal, placed: answer.chosen });
  words.beside.forEach((way, at) => answer.ways.push({ word: way.strategy, name: placedBy(way.strategy), placed: placed(`beside-${at}`, way) }));
  // Where all are placed jointly, it is there that they move.
  const { project, chosen } = answer;
  if (words.joint && chosen) {
    const d = project.coordinates.length / count;
    answer.moved = Float64Array.from({ length: count }, (_, i) => {
      const far = (at: Placed) => at.coordinates.subarray(i * d, (i + 1) * d);
      const end = far(chosen);
      return Math.hypot(...far(project).map((v, j) => v - end[j]));
    });
  }
  return answer;
}

/** Ranks by p, then by the residual's modulus, as core/src/place/compare.rs has them. */
function ranks({ p, residual }: Newcomers): Float64Array {
  const known = Array.from(p.keys()).filter((i) => !Number.isNaN(p[i]));
  known.sort((i, j) => p[i] - p[j] || Math.abs(residual[j]) - Math.abs(residual[i]));
  const rank = new Float64Array(p.length).fill(NaN);
  known.forEach((i, at) => (rank[i] = at));
  return rank;
}

export function load(): Data {
  const words = JSON.parse(take("words") ?? "null") as Words;
  return {
    words,
    n: words.n,
    d: words.d,
    labels: words.labels,
    old: singles("old"),
    oldResidual: singles("old-residual"),
    columns: (words.metadata?.columns ?? []).map(({ name, id, kind, groups, spread }) => ({
      name,
      kind,
      spread: spread ? { count: indices(`${id}-count`), mean: singles(`${id}-mean`), covariance: singles(`${id}-covariance`) } : null,
      groups,
      codes: groups ? codes(id) : null,
      numbers: groups ? null : singles(id),
    })),
    newcomers: words.newcomers && newcomers(words.newcomers),
    link: words.link && { words: words.link, given: singles("link-given"), shown: singles("link-shown"), knots: doubles("link-knots"), distances: doubles("link-distances") },
  };
}
