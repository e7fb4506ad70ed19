//! Going down: truncated Newton steps with an exact search along the line, and exact block steps.
//!
//! *Newton.* HZ = −R is solved by preconditioned conjugate gradients, cut off early when R is still
//! large or when a direction of negative curvature shows. Along any line F is a quartic whose
//! coefficients cost nothing more (`Model::along`), so the step length is its *global* minimiser:
//! no trust radius, no scale, and a way over low barriers. The preconditioner is C + Y'Y on the
//! right: far from the columns of Y that is the Hessian but for the noise in β.
//!
//! *Block step.* With the other newcomers fixed, the best y_j is a single reconstruction (the
//! paper's problem (11)) with X extended by their rows: C_j = C + Σ y_l y_l', g_j = G_j + Σ β_jl y_l
//! over the observed l ≠ j. It is the global minimiser over y_j, so it leaves saddles and minima
//! in which one newcomer sits on the wrong side.
//!
//! # References
//! Nash (1984), Newton-type minimization via the Lanczos method, SIAM J. Numer. Anal. 21:770–788.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::dense::{add, dot, eigen, norm, product, scale};
use super::model::{Model, Point};
use crate::secular;

/// The gradient is at rounding level when it is this many ε of its terms; no step can help then.
const ROUNDING_UNITS: f64 = 4.0;
/// Below this the iteration is in its final quadratic phase, where a step that does not halve the
/// gradient has met rounding and ends it.
const FINAL_PHASE: f64 = 1e-9;
/// Conjugate gradients stop at this fraction of the gradient at the latest.
const FORCING: f64 = 0.1;
/// Conjugate-gradient steps to one Newton step.
const INNER_STEPS: usize = 250;
/// Curvature below this fraction of the preconditioner's counts as negative.
const FLAT: f64 = 1e-13;
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
        let Some((alpha, Z, BZ)) = step(model, &point) else {
            break;
        };
        let mut Y = point.Y.clone();
        add(&mut Y, alpha, &Z);
        age += 1;
        let next = if age >= REFRESH || point.stationarity < FINAL_PHASE {
            age = 0;
            model.at(Y)
        } else {
            let mut BY = point.BY.clone();
            add(&mut BY, alpha, &BZ);
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

/// One Newton step: its length, its direction Z, and βZ. None if nothing goes down.
fn step(model: &Model<'_>, point: &Point) -> Option<(f64, Mat<f64>, Mat<f64>)> {
    let (k, d) = (model.k(), model.d());
    let precondition = preconditioner(model, point);
    let apply = |r: &Mat<f64>| product(r.as_ref(), precondition.as_ref(), model.par);
    let start = norm(&point.R);
    let target = start * FORCING.min(point.stationarity.sqrt());

    let mut Z = Mat::<f64>::zeros(k, d);
    let mut BZ = Mat::<f64>::zeros(k, d);
    let mut r = point.R.clone();
    scale(&mut r, -1.0);
    let mut q = apply(&r);
    let mut rq = dot(&r, &q);
    let mut p = q.clone();
    // p in the norm of the preconditioner, by its recurrence.
    let mut pp = rq;
    let mut best: Option<(f64, f64, Mat<f64>, Mat<f64>)> = None;
    for inner in 0..INNER_STEPS.min(2 * k * d + 10) {
        if rq <= 0.0 {
            break;
        }
        let (Hp, Bp) = model.hessian(point, &p);
        let curvature = dot(&p, &Hp);
        if curvature <= FLAT * pp {
            let (alpha, value) = lowest(model.along(point, &p, &Bp));
            best = Some((value, alpha, p, Bp));
            if inner == 0 {
                Z = Mat::zeros(k, d);
            }
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
    if dot(&Z, &Z) > 0.0 {
        let (alpha, value) = lowest(model.along(point, &Z, &BZ));
        if best.as_ref().is_none_or(|b| value <= b.0) {
            best = Some((value, alpha, Z, BZ));
        }
    }
    best.filter(|b| b.0 < 0.0 && b.1.is_finite())
        .map(|(_, alpha, Z, BZ)| (alpha, Z, BZ))
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

/// One exact step for each newcomer in turn, with β a matrix. False if β is not one.
pub(super) fn sweep(model: &Model<'_>, Y: &mut Mat<f64>) -> bool {
    let (k, d) = (model.k(), model.d());
    if model.between.dense().is_none() {
        return false;
    }
    let mut hidden = vec![Vec::new(); if model.missing.is_empty() { 0 } else { k }];
    for &(i, j) in model.missing {
        hidden[i].push(j);
        if i != j {
            hidden[j].push(i);
        }
    }
    let mut YY = product(Y.transpose(), Y.as_ref(), model.par);
    for j in 0..k {
        let own: Vec<f64> = (0..d).map(|a| Y[(j, a)]).collect();
        let y = block_step(model, Y, &YY, j, hidden.get(j).map_or(&[], |h| h));
        for a in 0..d {
            Y[(j, a)] = y[a];
            for b in 0..d {
                YY[(a, b)] += y[a] * y[b] - own[a] * own[b];
            }
        }
    }
    true
}

/// The best y_j with all others fixed.
fn block_step(
    model: &Model<'_>,
    Y: &Mat<f64>,
    YY: &Mat<f64>,
    j: usize,
    hidden: &[usize],
) -> Vec<f64> {
    let d = model.d();
    let mut C = YY.clone();
    let mut without = |l: usize| {
        for a in 0..d {
            for b in 0..d {
                C[(a, b)] -= Y[(l, a)] * Y[(l, b)];
            }
        }
    };
    without(j);
    hidden.iter().filter(|&&l| l != j).for_each(|&l| without(l));
    for a in 0..d {
        C[(a, a)] += model.c[a];
    }
    let beta = model.between.dense().expect("the caller asked");
    let down = 1.0 / model.unit / model.unit;
    let column = beta.col(j);
    let own = column[j] * down;
    let mut length = model.b_squared - own * own;
    for v in column.iter() {
        length += (v * down).powi(2);
    }
    let g: Vec<f64> = (0..d)
        .map(|a| {
            let sum: f64 = Y
                .col_as_slice(a)
                .iter()
                .zip(column.iter())
                .map(|(y, v)| y * v)
                .sum();
            model.G[(j, a)] + (sum - column[j] * Y[(j, a)]) * down
        })
        .collect();
    let found = eigen(C.as_ref(), Par::Seq);
    let c: Vec<f64> = found.values.iter().map(|v| v.max(0.0)).collect();
    let turned: Vec<f64> = (0..d)
        .map(|i| (0..d).map(|a| found.vectors[(a, i)] * g[a]).sum())
        .collect();
    let mut z = vec![0.0; d];
    if hidden.contains(&j) {
        // Its own length is unknown: what is left is least squares.
        let floor = f64::EPSILON * c[d - 1] * (model.size + model.k()) as f64;
        for i in 0..d {
            z[i] = if c[i] > floor { turned[i] / c[i] } else { 0.0 };
        }
    } else {
        let size = model.size + model.k();
        secular::solve(&c, &turned, own, size, length.max(0.0).sqrt(), &mut z);
    }
    (0..d)
        .map(|a| (0..d).map(|i| found.vectors[(a, i)] * z[i]).sum())
        .collect()
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
