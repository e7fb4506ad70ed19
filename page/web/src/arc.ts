// Arcs: every newcomer's way from projection to reconstruction, from the few numbers that a newcomer is.
//
// In the eigenbasis of C, y_j(mu) = g_j / (c_j - c_min + mu) with g = C * projection, for mu = lambda + c_min from c_min
// (projection, lambda = 0) to the margin (reconstruction, lambda*); in the hard case a straight segment of length tau
// along the last axis follows. The slider is the share of the arc's length, as in core/src/arc.rs: length is integrated
// over h = |y|_1, in which the speed |y'|_2 / |y'|_1 lies between 1/sqrt(d) and 1. Here it is integrated once over a few
// equal steps of h by Gauss's rule; between the steps h is interpolated and mu found from h by Newton's method on the
// concave 1/h. So every point shown lies on the arc exactly, spaced by length to about six digits, and a slider move
// costs a handful of divisions for each newcomer and axis.

import type { Data } from "./data";

/** Four-point Gauss-Legendre quadrature on [-1, 1]: the positive half. */
const GAUSS: [number, number][] = [
  [0.3399810435848563, 0.6521451548625461],
  [0.8611363115940526, 0.3478548451374538],
];

/** Steps of h for each arc. */
const FINE = 32;
/** The same where there are thousands of arcs, each of them short on the screen. */
const COARSE = 10;
const THOUSANDS = 2000;

export class Arcs {
  readonly count: number;
  readonly d: number;
  /** Whether there is anything to slide along. */
  readonly moving: boolean;
  /** Straight lines in the place of arcs: to the joint placement, or to that of a strategy off the arcs. */
  readonly straight: boolean;
  private readonly start: Float64Array;
  private readonly end: Float64Array;
  private readonly origin: number[];
  private readonly basis: number[][] | null;
  private readonly gaps: Float64Array;
  private readonly cMin: number;
  private readonly g: Float64Array;
  private readonly endInBasis: Float64Array;
  private readonly tau: Float64Array;
  private readonly below: Float64Array;
  private readonly steps: number;
  /** For each arc and step: length so far, mu, speed; h is linear. */
  private readonly length: Float64Array;
  private readonly mu: Float64Array;
  private readonly speed: Float64Array;
  private readonly h: Float64Array;

  constructor(data: Data) {
    const newcomers = data.newcomers!;
    const { words } = data;
    const k = (this.count = newcomers.count);
    const d = (this.d = data.d);
    this.point = new Float64Array(d);
    this.straight = newcomers.chosen !== null;
    const target = this.straight ? newcomers.chosen : newcomers.reconstruct;
    this.moving = target !== null;
    this.start = newcomers.project.coordinates;
    this.end = target?.coordinates ?? this.start;
    this.origin = words.origin;
    this.basis = words.basis;
    this.cMin = words.c[d - 1];
    this.gaps = Float64Array.from(words.c, (c) => c - this.cMin);
    this.steps = k > THOUSANDS ? COARSE : FINE;
    const m = this.steps + 1;
    this.g = new Float64Array(k * d);
    this.endInBasis = new Float64Array(k * d);
    this.tau = new Float64Array(k);
    this.below = new Float64Array(k);
    this.length = new Float64Array(k * m);
    this.mu = new Float64Array(k * m);
    this.speed = new Float64Array(k * m);
    this.h = new Float64Array(k * 2);
    if (!this.moving || this.straight) return;

    for (const [i, tau] of newcomers.words.segments) this.tau[i] = tau;
    for (let i = 0; i < k; i++) {
      this.intoBasis(this.start, i, this.g);
      this.intoBasis(this.end, i, this.endInBasis);
      for (let j = 0; j < d; j++) this.g[i * d + j] *= words.c[j];
    }
    for (const [i, j] of newcomers.words.still) this.g[i * d + j] = 0;
    for (let i = 0; i < k; i++) {
      if (Number.isNaN(this.start[i * d]) || Number.isNaN(this.end[i * d])) continue;
      this.integrate(i, newcomers.margin[i]);
    }
  }

  private intoBasis(from: Float64Array, i: number, to: Float64Array): void {
    const { d, origin, basis } = this;
    for (let j = 0; j < d; j++) {
      let sum = 0;
      if (basis) for (let l = 0; l < d; l++) sum += basis[l][j] * (from[i * d + l] - origin[l]);
      else sum = from[i * d + j] - origin[j];
      to[i * d + j] = sum;
    }
  }

  /** h = |y|_1 at mu, and minus its slope in the second place of `out`. */
  private norm(i: number, mu: number, out: Float64Array): void {
    const { d, g, gaps } = this;
    let h = 0;
    let slope = 0;
    for (let j = 0; j < d; j++) {
      const v = g[i * d + j];
      if (v !== 0) {
        const y = Math.abs(v) / (gaps[j] + mu);
        h += y;
        slope += y / (gaps[j] + mu);
      }
    }
    out[0] = h;
    out[1] = slope;
  }

  /** The mu at which |y|_1 = h, by Newton's method from below. */
  private muAt(i: number, h: number, from: number): number {
    const at = this.scratch;
    let mu = from;
    for (let step = 0; step < 100; step++) {
      this.norm(i, mu, at);
      const next = mu + Math.max(0, (at[0] * (at[0] - h)) / (h * at[1]));
      if (!(next > mu * (1 + Number.EPSILON))) break;
      const close = next - mu <= 1e-15 * next;
      mu = next;
      if (close) break;
    }
    return mu;
  }
  private readonly scratch = new Float64Array(2);

  /** |y'|_2 / |y'|_1 at mu. */
  private speedAt(i: number, mu: number): number {
    const { d, g, gaps } = this;
    let largest = 0;
    for (let j = 0; j < d; j++) {
      const s = gaps[j] + mu;
      if (g[i * d + j] !== 0) largest = Math.max(largest, Math.abs(g[i * d + j]) / s / s);
    }
    if (largest === 0) return 1;
    let one = 0;
    let two = 0;
    for (let j = 0; j < d; j++) {
      if (g[i * d + j] === 0) continue;
      const s = gaps[j] + mu;
      const v = Math.abs(g[i * d + j]) / s / s / largest;
      one += v;
      two += v * v;
    }
    return Math.sqrt(two) / one;
  }

  private integrate(i: number, margin: number): void {
    const m = this.steps + 1;
    const at = new Float64Array(2);
    this.below[i] = Math.min(this.cMin, margin);
    this.norm(i, this.cMin, at);
    const from = at[0];
    this.norm(i, margin, at);
    const to = Number.isFinite(at[0]) ? at[0] : from;
    this.h[2 * i] = from;
    this.h[2 * i + 1] = to;
    const width = (to - from) / this.steps;
    let passed = 0;
    for (let s = 0; s <= this.steps; s++) {
      const mu = s === 0 ? this.cMin : s === this.steps ? margin : this.muAt(i, from + s * width, this.below[i]);
      if (s > 0 && width !== 0) {
        const centre = from + (s - 0.5) * width;
        let sum = 0;
        for (const [x, weight] of GAUSS)
          for (const side of [-0.5, 0.5])
            sum += weight * this.speedAt(i, this.muAt(i, centre + side * x * width, this.below[i]));
        passed += (Math.abs(width) / 2) * sum;
      }
      this.length[i * m + s] = passed;
      this.mu[i * m + s] = mu;
      this.speed[i * m + s] = this.speedAt(i, mu);
    }
  }

  /** Whether the arc of newcomer i ends with a straight segment, and at which share of its length that begins. */
  corner(i: number): number {
    const curved = this.length[i * (this.steps + 1) + this.steps];
    const whole = curved + this.tau[i];
    return whole > 0 ? curved / whole : 1;
  }

  /** Writes the coordinates of newcomer i at `share` of its arc to `out` and returns lambda there. */
  at(i: number, share: number, out: Float64Array, offset: number): number {
    const { d, start, end } = this;
    const first = i * d;
    if (share <= 0 || !this.moving) {
      for (let j = 0; j < d; j++) out[offset + j] = start[first + j];
      return 0;
    }
    if (share >= 1) {
      for (let j = 0; j < d; j++) out[offset + j] = end[first + j];
      return this.straight ? NaN : this.mu[i * (this.steps + 1) + this.steps] - this.cMin;
    }
    if (this.straight) {
      for (let j = 0; j < d; j++)
        out[offset + j] = (1 - share) * start[first + j] + share * end[first + j];
      return NaN;
    }
    const m = this.steps + 1;
    const curved = this.length[i * m + this.steps];
    const target = share * (curved + this.tau[i]);
    const y = this.point;
    let mu: number;
    if (target < curved) {
      mu = this.muOf(i, target);
      for (let j = 0; j < d; j++) {
        const g = this.g[first + j];
        y[j] = g === 0 ? 0 : g / (this.gaps[j] + mu);
      }
    } else {
      mu = this.mu[i * m + this.steps];
      for (let j = 0; j < d; j++) y[j] = this.endInBasis[first + j];
      if (this.tau[i] > 0) y[d - 1] = Math.min(target - curved, this.tau[i]);
    }
    for (let j = 0; j < d; j++) {
      let sum = 0;
      if (this.basis) for (let l = 0; l < d; l++) sum += this.basis[j][l] * y[l];
      else sum = y[j];
      out[offset + j] = sum + this.origin[j];
    }
    return mu - this.cMin;
  }
  private readonly point: Float64Array;

  /** The mu of the point at `target` along the curved part. */
  private muOf(i: number, target: number): number {
    const m = this.steps + 1;
    const at = i * m;
    let low = 0;
    let high = this.steps;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.length[at + middle] <= target) low = middle;
      else high = middle;
    }
    const from = this.h[2 * i];
    const width = (this.h[2 * i + 1] - from) / this.steps;
    const long = this.length[at + high] - this.length[at + low];
    const t = long > 0 ? (target - this.length[at + low]) / long : 0;
    // Hermite's cubic for h over length, whose slope is one over the speed.
    const sign = Math.sign(width);
    const slope0 = (sign * long) / this.speed[at + low];
    const slope1 = (sign * long) / this.speed[at + high];
    const t2 = t * t;
    const t3 = t2 * t;
    const rise = (3 * t2 - 2 * t3) * width + (t3 - 2 * t2 + t) * slope0 + (t3 - t2) * slope1;
    const within = Math.abs(rise) > Math.abs(width) ? width : Math.sign(rise) === sign ? rise : 0;
    const h = from + low * width + within;
    return this.muAt(i, h, Math.min(this.mu[at + low], this.mu[at + high]));
  }

  /** Coordinates of all newcomers at `share` of their arcs. */
  all(share: number, out: Float64Array): void {
    for (let i = 0; i < this.count; i++) this.at(i, share, out, i * this.d);
  }
}
