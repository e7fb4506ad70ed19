//! Going down: truncated Newton steps with an exact search along the line.
//!
//! *Newton.* HZ = −R is solved by preconditioned conjugate gradients, cut off early when R is still
//! large or when a direction of negative curvature shows. Along any line F is a quartic whose
//! coefficients cost nothing more (`Model::along`), so the step length is its *global* minimiser:
//! no trust radius, no scale, and a way over low barriers. The preconditioner is C + Y'Y on the
//! right: far from the columns of Y that is the Hessian but for the noise in β.
//!
//! *Within.* Where the newcomers outweigh the map F hardly changes when Y is turned, and its valleys
//! are circles that no straight line follows. But the best point whose columns are combinations of
//! those of Y and the step is a joint problem of 2d newcomers, whatever k is: it is solved by the
//! same method, turns and mirror images included, without a product with β.
//!
//! # References
//! Nash (1984), Newton-type minimization via the Lanczos method, SIAM J. Numer. Anal. 21:770–788.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::algebra::{add, beside, dot, eigen, norm, product, scale};
use super::model::{Model, Point};
use super::{DenseBetween, Problem};

/// The gradient is at rounding level when it is this many ε of its terms; no step can help then.
const ROUNDING_UNITS: f64 = 4.0;
/// Below this the iteration is in its final quadratic phase, where a step that does not halve the
/// gradient has met rounding and ends it.
const FINAL_PHASE: f64 = 1e-9;
/// Conjugate gradients stop at this fraction of the gradient at the latest.
const FORCING: f64 = 0.1;
/// And otherwise at this multiple of the scaled gradient: about what the quadratic model is worth,
/// so that the gradient is squared by each step and nothing is solved in vain.
const QUADRATIC: f64 = 10.0;
/// Conjugate-gradient steps to one Newton step.
const INNER_STEPS: usize = 250;
/// Curvature below this fraction of the preconditioner's counts as negative.
const FLAT: f64 = 1e-13;
/// A scaled gradient above this, or a line search that ends this far from the unit step, says that
/// the quadratic model is poor: then the whole space of Y and the step is searched.
const CURVED: f64 = 1e-2;
const UNIT_STEP: f64 = 0.02;
/// That pays where k is this many times d.
const WIDE: usize = 8;
/// It is searched until the scaled gradient within it is this fraction of the one outside.
const WITHIN: f64 = 0.01;
const WITHIN_STEPS: usize = 50;
/// Directions of this squared length, relative to the longest, depend on the others.
const DEPENDENT: f64 = 1e-14;
/// βY is carried along by updates and computed afresh after so many.
const REFRESH: usize = 8;

/// Where a descent ended.
pub(super) struct Descent {
    pub point: Point,
    /// Newton steps.
    pub steps: usize,
    /// Whether the gradient is at rounding level.
    pub converged: bool,
}

/// What counts as a stationary point: rounding in sums of k and of d terms.
pub(super) fn stationary(model: &Model<'_>) -> f64 {
    256.0 * f64::EPSILON * ((model.k() + model.d()) as f64).sqrt()
}

/// Newton's method from Y, at most `most_steps`, until the scaled gradient is below `enough` or at
/// rounding level.
pub(super) fn newton(model: &Model<'_>, Y: Mat<f64>, most_steps: usize, enough: f64) -> Descent {
    let mut point = model.at(Y);
    let mut age = 0;
    let mut steps = 0;
    let mut stalled = 0;
    let wide = model.missing.is_empty() && model.k() >= WIDE * model.d();
    let enough = enough.max(ROUNDING_UNITS * f64::EPSILON);
    while steps < most_steps {
        if point.stationarity <= enough {
            if age == 0 {
                break;
            }
            point = model.at(point.Y);
            age = 0;
            continue;
        }
        steps += 1;
        if !model.goes_on(steps, most_steps) {
            break;
        }
        let Some(step) = step(model, &point) else {
            break;
        };
        age += 1;
        let curved = point.stationarity > CURVED || (step.length - 1.0).abs() > UNIT_STEP;
        if curved && wide && point.stationarity > FINAL_PHASE {
            point = within(model, &point, &step);
            continue;
        }
        let mut Y = point.Y.clone();
        add(&mut Y, step.length, &step.Z);
        let next = if age >= REFRESH || point.stationarity < FINAL_PHASE {
            age = 0;
            model.at(Y)
        } else {
            let mut BY = point.BY.clone();
            add(&mut BY, step.length, &step.BZ);
            model.with_product(Y, BY)
        };
        // Rounding decides when a step no longer helps; the better of the two points is kept.
        let before = point.stationarity;
        if before < FINAL_PHASE && next.stationarity > 0.5 * before {
            stalled += 1;
            if next.stationarity < before {
                point = next;
            }
            if stalled >= 2 || before < stationary(model) {
                break;
            }
        } else {
            stalled = 0;
            point = next;
        }
    }
    if age > 0 {
        point = model.at(point.Y);
    }
    let converged = point.stationarity <= stationary(model).max(enough);
    Descent {
        point,
        steps,
        converged,
    }
}

/// The best point whose columns are combinations of those of Y and Z. With U an orthonormal basis of
/// them this is a joint problem of 2d newcomers, G' = U'G and β' = U'βU, and takes no product with β.
fn within(model: &Model<'_>, point: &Point, step: &Step) -> Point {
    let d = model.d();
    let par = model.par;
    let both = beside(&[&point.Y, &step.Z]);
    let inner = product(both.transpose(), both.as_ref(), par);
    let gram = eigen(inner.as_ref(), Par::Seq);
    let floor = DEPENDENT * gram.values[2 * d - 1];
    let kept: Vec<usize> = (0..2 * d).filter(|&i| gram.values[i] > floor).collect();
    let turn = Mat::from_fn(2 * d, kept.len(), |i, j| {
        gram.vectors[(i, kept[j])] / gram.values[kept[j]].sqrt()
    });
    let U = product(both.as_ref(), turn.as_ref(), par);
    let BU = product(beside(&[&point.BY, &step.BZ]).as_ref(), turn.as_ref(), par);

    let between = DenseBetween::new(product(U.transpose(), BU.as_ref(), par));
    let g = product(U.transpose(), model.G.as_ref(), par);
    let cross = Mat::from_fn(d, d, |i, j| if i == j { model.c[i] } else { 0.0 });
    let problem = Problem {
        cross: cross.as_ref(),
        g: g.as_ref(),
        between: &between,
        b_norm_squared: model.b_squared,
        size: model.size,
    };
    let small = Model::new(&problem, Par::Seq);
    let mut Y = point.Y.clone();
    add(&mut Y, step.length, &step.Z);
    let start = small.enter(&product(U.transpose(), Y.as_ref(), par));
    let found = newton(&small, start, WITHIN_STEPS, WITHIN * point.stationarity);
    let W = small.coordinates(&found.point.Y);
    model.with_product(
        product(U.as_ref(), W.as_ref(), par),
        product(BU.as_ref(), W.as_ref(), par),
    )
}

/// A direction Z with βZ, and how far along it F is least.
struct Step {
    length: f64,
    Z: Mat<f64>,
    BZ: Mat<f64>,
    /// F/4 at its end, less F/4 here.
    change: f64,
}

impl Step {
    fn new(model: &Model<'_>, point: &Point, Z: Mat<f64>, BZ: Mat<f64>) -> Self {
        let (length, change) = lowest(model.along(point, &Z, &BZ));
        Self {
            length,
            Z,
            BZ,
            change,
        }
    }
}

/// One Newton step. None if nothing goes down.
fn step(model: &Model<'_>, point: &Point) -> Option<Step> {
    let (k, d) = (model.k(), model.d());
    let precondition = preconditioner(model, point);
    let apply = |r: &Mat<f64>| product(r.as_ref(), precondition.as_ref(), model.par);
    let start = norm(&point.R);
    let least = ROUNDING_UNITS * f64::EPSILON / point.stationarity;
    let wanted = QUADRATIC * point.stationarity;
    let target = start * wanted.max(least).min(FORCING);

    let mut Z = Mat::<f64>::zeros(k, d);
    let mut BZ = Mat::<f64>::zeros(k, d);
    let mut r = point.R.clone();
    scale(&mut r, -1.0);
    let mut q = apply(&r);
    let mut rq = dot(&r, &q);
    let mut p = q.clone();
    // p in the norm of the preconditioner, by its recurrence.
    let mut pp = rq;
    let mut bent = None;
    for _ in 0..INNER_STEPS.min(2 * k * d + 10) {
        if rq <= 0.0 {
            break;
        }
        let (Hp, Bp) = model.hessian(point, &p);
        let curvature = dot(&p, &Hp);
        if curvature <= FLAT * pp {
            bent = Some(Step::new(model, point, p, Bp));
            break;
        }
        let length = rq / curvature;
        add(&mut Z, length, &p);
        add(&mut BZ, length, &Bp);
        add(&mut r, -length, &Hp);
        if norm(&r) <= target {
            break;
        }
        q = apply(&r);
        let next = dot(&r, &q);
        let ratio = next / rq;
        rq = next;
        scale(&mut p, ratio);
        add(&mut p, 1.0, &q);
        pp = rq + ratio * ratio * pp;
    }
    // The Newton direction or the one that bends down, whichever leads lower.
    let solved = (dot(&Z, &Z) > 0.0).then(|| Step::new(model, point, Z, BZ));
    [bent, solved]
        .into_iter()
        .flatten()
        .filter(|step| step.change < 0.0 && step.length.is_finite())
        .min_by(|a, b| a.change.total_cmp(&b.change))
}

/// (C + Y'Y)⁻¹, kept away from singular.
fn preconditioner(model: &Model<'_>, point: &Point) -> Mat<f64> {
    let d = model.d();
    let mut A = point.YY.clone();
    for i in 0..d {
        A[(i, i)] += model.c[i];
    }
    let found = eigen(A.as_ref(), Par::Seq);
    let largest = found.values.last().copied().unwrap_or(1.0);
    let floor = if largest > 0.0 { 1e-6 * largest } else { 1.0 };
    let half = Mat::from_fn(d, d, |i, j| {
        found.vectors[(i, j)] / found.values[j].max(floor).sqrt()
    });
    product(half.as_ref(), half.transpose(), Par::Seq)
}

/// The global minimiser of aα + bα² + cα³ + eα⁴ (e ≥ 0) and its value.
fn lowest([a, b, c, e]: [f64; 4]) -> (f64, f64) {
    let value = |x: f64| x * (a + x * (b + x * (c + x * e)));
    let slope = |x: f64| a + x * (2.0 * b + x * (3.0 * c + x * 4.0 * e));
    let bend = |x: f64| 2.0 * b + x * (6.0 * c + x * 12.0 * e);
    // The stationary points lie between those of the slope; each piece is monotone.
    let mut turns = Vec::with_capacity(4);
    let reach = {
        // Cauchy's bound on the roots of the cubic.
        let lead = 4.0 * e;
        if lead > 0.0 {
            2.0 * (3.0 * c / lead)
                .abs()
                .max((2.0 * b / lead).abs().sqrt())
                .max((a / lead).abs().cbrt())
        } else if b > 0.0 {
            (a / b).abs()
        } else {
            return (0.0, 0.0);
        }
    };
    turns.push(-reach);
    let inside = 36.0 * c * c - 96.0 * e * b;
    if inside > 0.0 && e > 0.0 {
        let root = inside.sqrt();
        let far = -(6.0 * c + root.copysign(c)) / (24.0 * e);
        let near = if far == 0.0 {
            0.0
        } else {
            2.0 * b / (12.0 * e) / far
        };
        turns.push(far.min(near));
        turns.push(far.max(near));
    }
    turns.push(reach);
    let (mut best, mut least) = (0.0, 0.0);
    for pair in turns.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let (at_low, at_high) = (slope(low), slope(high));
        if !(at_low <= 0.0 && at_high >= 0.0) {
            continue;
        }
        // Newton's method kept inside the bracket.
        let mut x = if low < 1.0 && 1.0 < high {
            1.0
        } else {
            0.5 * (low + high)
        };
        for _ in 0..100 {
            let s = slope(x);
            if s <= 0.0 {
                low = x;
            } else {
                high = x;
            }
            let step = x - s / bend(x);
            let next = if step > low && step < high {
                step
            } else {
                0.5 * (low + high)
            };
            if next == x || s == 0.0 {
                break;
            }
            x = next;
        }
        if value(x) < least {
            (best, least) = (x, value(x));
        }
    }
    (best, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The quartic's minimiser beats a fine grid, whatever the coefficients.
    #[test]
    fn the_line_search_is_global() {
        let mut rng = Stream::new(3);
        for _ in 0..5_000 {
            let size = |r: &mut Stream| r.normal() * 10f64.powf(3.0 * r.uniform());
            let (a, b, c) = (size(&mut rng), size(&mut rng), size(&mut rng));
            // A sum of squares, as ¼‖αW + α²V‖² is: c² ≤ 4·b'·e for a part b' of b.
            let e = c * c / (4.0 * (b.abs() + rng.normal().abs())) + 1e-6;
            let (x, least) = lowest([a, b, c, e]);
            let value = |x: f64| x * (a + x * (b + x * (c + x * e)));
            assert!((value(x) - least).abs() <= 1e-14 * least.abs());
            for i in -300..=300i32 {
                let t = f64::from(i).signum() * 10f64.powf(f64::from(i.abs()) / 30.0 - 5.0);
                assert!(
                    value(t) >= least - 1e-9 * least.abs(),
                    "{a} {b} {c} {e} {x} {t}"
                );
            }
        }
    }
}
