//! The proof that no place has less stress: branch and bound over boxes, for up to [`MOST_AXES`] axes.
//!
//! With W = Σ w, x̄ = Σ w x/W and r = ‖y − x‖ the stress is a convex quadratic and a rest that is concave, as w ≥ 0 and δ ≥ 0,
//!
//! ```text
//! S(y) = W‖y − x̄‖² + φ(y)        φ(y) = −2 Σ w δ r + constant
//! ```
//!
//! A concave function less a linear one is least at a corner. So on a box with centre m and corners v, for s the gradient of φ
//! at m (or any other vector),
//!
//! ```text
//! S(y) ≥ W‖y − x̄‖² + s'(y − m) + min over v of (φ(v) − s'(v − m))
//! ```
//!
//! whose least value on the box is at x̄ − s/2W, each coordinate clamped. It costs O(n) a box and falls short of S by O(h²) in a
//! box of size h, so that the boxes about the minimum are a constant number for each halving; bounds by the nearest and the
//! farthest corner fall short by O(h) and never get there. Every minimiser is stationary, y = x̄ + Σ w δ(y − x)/rW, and so
//! within Σ w δ/W of x̄, which is where the search begins; a box that cannot hold less than the best known is dropped, another
//! is cut in 2^d, the most promising first. Where the centre of a box is better than the best known, a descent from there is.

use super::descent::{End, descend};
use super::sums::{LANES, Problem, Sums};

/// Axes that boxes can be searched in: their number grows with a power of that.
pub const MOST_AXES: usize = 3;

/// No place is better if none is by more than this share of the stress.
pub const PROVED: f64 = 1e-9;

/// Boxes, and steps of descents from their centres, after which a search ends without proof: seconds, at thousands of objects.
const MOST_BOXES: usize = 200_000;

/// A centre this much above the best known, and elsewhere, may lead to a place that is as good.
const NEARLY: f64 = 1e-6;

/// What is to be proved.
pub(super) struct Claim<'a> {
    pub problem: &'a Problem<'a>,
    /// The best place known, and its stress.
    pub best: (Vec<f64>, f64),
    /// Other places that are as good.
    pub ties: Vec<Vec<f64>>,
    /// Everything is symmetric about 0 on the last axis: only places at or above it are looked at.
    pub flat: bool,
    /// The length scale.
    pub length: f64,
    /// Two places are one if they are this near, against the length scale.
    pub same: f64,
    /// The relative size of what counts as rounding.
    pub unit: f64,
    /// Stresses that differ by less are equal.
    pub equal: f64,
    pub most_steps: usize,
}

/// What came of it.
pub(super) struct Proof {
    pub best: (Vec<f64>, f64),
    pub ties: Vec<Vec<f64>>,
    /// No place has less than the best stress by more than this share of it.
    pub gap: f64,
    /// The best place was found by the proof.
    pub found: bool,
    pub converged: bool,
}

#[derive(Clone, Copy)]
struct Cell {
    centre: [f64; MOST_AXES],
    half: [f64; MOST_AXES],
    /// No place in it has less stress.
    bound: f64,
}

/// The problem with what bounds need.
struct Bounding<'a> {
    problem: &'a Problem<'a>,
    /// x̄.
    mean: Vec<f64>,
    sums: Sums,
}

impl Bounding<'_> {
    /// φ at a place where the stress is known.
    fn concave(&self, y: &[f64], stress: f64) -> f64 {
        let steps = y.iter().zip(&self.mean);
        let square: f64 = steps.map(|(y, m)| (y - m) * (y - m)).sum();
        stress - self.problem.total * square
    }

    /// The bound of a cell, and the stress at its centre.
    fn bound(&mut self, cell: &mut Cell) -> f64 {
        let (d, total) = (self.problem.axes, self.problem.total);
        let (m, h) = (&cell.centre[..d], &cell.half[..d]);
        self.problem.at(m, &mut self.sums);
        let stress = self.sums.stress;
        // Sums have half the gradient.
        let mut slope = [0.0; MOST_AXES];
        for k in 0..d {
            slope[k] = 2.0 * (self.sums.gradient[k] - total * (m[k] - self.mean[k]));
        }
        let mut least = f64::INFINITY;
        let mut corner = [0.0; MOST_AXES];
        for number in 0..1usize << d {
            let mut linear = 0.0;
            for k in 0..d {
                let step = if number >> k & 1 == 1 { h[k] } else { -h[k] };
                corner[k] = m[k] + step;
                linear += slope[k] * step;
            }
            let at = self.concave(&corner[..d], self.problem.stress(&corner[..d]));
            least = least.min(at - linear);
        }
        for k in 0..d {
            let lowest = self.mean[k] - slope[k] / (2.0 * total);
            let y = lowest.clamp(m[k] - h[k], m[k] + h[k]);
            let off = y - self.mean[k];
            least += total * off * off + slope[k] * (y - m[k]);
        }
        cell.bound = least;
        stress
    }
}

/// Proves that a place is the best, finds the one that is, or says how far it may be from it.
pub(super) fn prove(claim: Claim<'_>) -> Proof {
    let Claim {
        problem,
        mut best,
        mut ties,
        flat,
        length,
        same,
        unit,
        equal,
        most_steps,
    } = claim;
    let d = problem.axes;
    let (mean, radius, squares) = middle(problem);
    let rounding = unit * (squares + problem.total * radius * radius);
    let mut bounding = Bounding {
        problem,
        mean,
        sums: Sums::default(),
    };
    // Every minimiser is in it; a little more does no harm.
    let mut whole = Cell {
        centre: [0.0; MOST_AXES],
        half: [0.0; MOST_AXES],
        bound: f64::NEG_INFINITY,
    };
    for k in 0..d {
        whole.centre[k] = bounding.mean[k];
        whole.half[k] = radius * (1.0 + unit);
    }
    if flat {
        whole.half[d - 1] *= 0.5;
        whole.centre[d - 1] += whole.half[d - 1];
    }

    let (mut found, mut converged) = (false, true);
    let slack = |stress: f64| PROVED * stress + rounding;
    let mut lowest = f64::INFINITY;
    let mut boxes = 0;
    let mut cells = vec![whole];
    while let Some(cell) = cells.pop() {
        if cell.bound >= best.1 - slack(best.1) {
            lowest = lowest.min(cell.bound);
            continue;
        }
        if boxes >= MOST_BOXES {
            lowest = cells
                .iter()
                .fold(lowest.min(cell.bound), |m, c| m.min(c.bound));
            break;
        }
        let first = cells.len();
        for number in 0..1usize << d {
            let mut part = cell;
            for k in 0..d {
                part.half[k] *= 0.5;
                let up = number >> k & 1 == 1;
                part.centre[k] += if up { part.half[k] } else { -part.half[k] };
            }
            let stress = bounding.bound(&mut part);
            boxes += 1;
            let centre = &part.centre[..d];
            let near = |y: &[f64]| distance(y, centre) <= same * length;
            let elsewhere = !near(&best.0) && !ties.iter().any(|y| near(y));
            let promising = stress <= best.1 * (1.0 + NEARLY) + rounding / NEARLY.sqrt();
            if stress < best.1 - rounding || elsewhere && promising {
                let End {
                    y,
                    stress,
                    converged: ended,
                    steps,
                } = descend(problem, centre.to_vec(), length, 0.0, most_steps, &|_| {
                    false
                });
                // In a valley that is flat to rounding every box has one, which ends where the others did.
                boxes += steps;
                let apart = |other: &[f64]| distance(other, &y) > same * length;
                if stress < best.1 - equal {
                    (best, found, converged) = ((y, stress), true, ended);
                    ties.clear();
                } else if stress <= best.1 + equal
                    && apart(&best.0)
                    && ties.iter().all(|t| apart(t))
                {
                    ties.push(y);
                }
            }
            cells.push(part);
        }
        // The most promising is taken next.
        cells[first..].sort_by(|a, b| b.bound.total_cmp(&a.bound));
    }
    let short = best.1 - lowest - rounding;
    Proof {
        gap: if short > 0.0 { short / best.1 } else { 0.0 },
        best,
        ties,
        found,
        converged,
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    let steps = x.iter().zip(y);
    steps.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// x̄, Σ w δ/W, and Σ w δ².
fn middle(problem: &Problem<'_>) -> (Vec<f64>, f64, f64) {
    let d = problem.axes;
    let mut mean = vec![0.0; d];
    let (mut sum, mut squares) = (0.0, 0.0);
    let groups = problem.points.chunks_exact(d);
    for ((x, delta), w) in groups.zip(problem.dissimilarities).zip(problem.weights) {
        for l in 0..LANES {
            sum += w[l] * delta[l];
            squares += w[l] * delta[l] * delta[l];
            for k in 0..d {
                mean[k] += w[l] * x[k][l];
            }
        }
    }
    mean.iter_mut().for_each(|m| *m /= problem.total);
    (mean, sum / problem.total, squares)
}
