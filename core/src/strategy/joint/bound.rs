//! How far a point can be from the global minimum: the bound (2) at the head of the parent module.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::algebra::{add, add_product, dot, eigen, product, scale_columns};
use super::certificate::{MARGIN_UNITS, Multiplier};
use super::model::{Model, Point};

/// Up to this k the bound is raised by ascent, two eigenproblems a step.
const ASCENT_SIZE: usize = 300;
/// And at most so many times the steps where k is small.
const MORE_STEPS: f64 = 30.0;
/// The multiplier stays this fraction of c_min inside the boundary, where the bound is −∞.
const INSIDE: f64 = 1e-3;
/// The ascent ends when its steps, in units of the first, are shorter than this.
const SHORTEST: f64 = 1e-6;

/// A bound on F(Y) − F* and, if the relaxed problem was solved for it, a new start.
pub(super) struct Bound {
    pub excess: f64,
    pub start: Option<Mat<f64>>,
}

/// 2‖R‖²/margin ≥ F(Y) − F*: how far a point with a margin above zero can be.
pub(super) fn excess_with_margin(at: &Point, floor: f64) -> f64 {
    2.0 * dot(&at.R, &at.R) / floor
}

/// A bound on F(Y) − F* without certificate, by ascent where k allows it: `steps` at the largest k,
/// as many more at smaller k as take the same time.
pub(super) fn relax(
    model: &Model<'_>,
    at: &Point,
    objective: f64,
    margin: f64,
    steps: usize,
) -> Bound {
    let (k, d) = (model.k(), model.d());
    let shifted = shifted(model, at, margin);
    if k > ASCENT_SIZE {
        return Bound {
            excess: shifted.min(objective - 2.0 * model.rest),
            start: None,
        };
    }
    // No Y is below the best rank-d part of β and the best fit to the old objects, apart.
    let values = eigen(model.beta_matrix().as_ref(), model.par).values;
    let fitted: f64 = values
        .iter()
        .rev()
        .take(d)
        .map(|v| v.max(0.0).powi(2))
        .sum();
    let apart = 2.0 * model.rest + (model.beta_squared - fitted).max(0.0);
    let more = (ASCENT_SIZE as f64 / (k + d) as f64)
        .powi(2)
        .clamp(1.0, MORE_STEPS);
    let raised = ascend(model, at, margin, (steps as f64 * more) as usize);
    Bound {
        excess: raised.excess.min(shifted).min(objective - apart).max(0.0),
        start: raised.start,
    }
}

/// K + δI with δ = μ − margin keeps H ≥ μ, and the bound is 2‖R + δY‖²/μ + dδ².
pub(super) fn shifted(model: &Model<'_>, at: &Point, margin: f64) -> f64 {
    let d = model.d() as f64;
    let short = (-margin).max(f64::MIN_POSITIVE);
    let (rr, ry, yy) = (dot(&at.R, &at.R), dot(&at.R, &at.Y), dot(&at.Y, &at.Y));
    // The best μ of a few: for R = 0 it is close to −margin.
    (-6..=6)
        .map(|power| {
            let mu = short * 2f64.powi(power);
            let delta = mu + short;
            2.0 * (rr + 2.0 * delta * ry + delta * delta * yy) / mu + d * delta * delta
        })
        .fold(f64::INFINITY, f64::min)
}

/// The bound at one K.
struct Dual {
    K: Mat<f64>,
    excess: f64,
    /// Where the bound's quadratic is least.
    Q: Mat<f64>,
    /// Z_Q Z_Q' − T, half the direction of ascent.
    slope: Mat<f64>,
}

/// What the bound (2) is made of besides K.
struct Relaxed<'m, 'a> {
    model: &'m Model<'a>,
    at: &'m Point,
    Z: Mat<f64>,
    ZZ: Mat<f64>,
    /// c_min I + S.
    H: Mat<f64>,
}

/// Ascent of the concave bound from the certificate's own K, clipped: a few dozen steps.
pub(super) fn ascend(model: &Model<'_>, at: &Point, margin: f64, steps: usize) -> Bound {
    let (k, d) = (model.k(), model.d());
    let c_min = model.c_min();
    let Z = Mat::from_fn(d + k, d, |i, j| match i.checked_sub(d) {
        Some(i) => at.Y[(i, j)],
        None if i == j => (model.c[i] - c_min).max(0.0).sqrt(),
        None => 0.0,
    });
    let lower = Multiplier::none(k).matrix(model, at, c_min);
    let relaxed = Relaxed {
        model,
        at,
        ZZ: product(Z.as_ref(), Z.transpose(), model.par),
        H: Mat::from_fn(k, k, |i, j| lower[(i.max(j), i.min(j))]),
        Z,
    };
    // K = τ(I − Z(Z'Z)⁻¹Z').
    let found = eigen(
        product(relaxed.Z.transpose(), relaxed.Z.as_ref(), model.par).as_ref(),
        Par::Seq,
    );
    let tau = found.values[0].max(0.0);
    let weights: Vec<f64> = found
        .values
        .iter()
        .map(|v| if *v > 0.0 { (tau / v).sqrt() } else { 0.0 })
        .collect();
    let turn = scale_columns(&found.vectors, &weights);
    let L = product(relaxed.Z.as_ref(), turn.as_ref(), model.par);
    let mut K = Mat::from_fn(d + k, d + k, |i, j| if i == j { tau } else { 0.0 });
    add_product(K.as_mut(), -1.0, L.as_ref(), L.transpose(), model.par);

    // Clipped at several distances from the boundary; the best is where the ascent begins.
    let short = (-margin).max(0.0);
    let inside = INSIDE
        * if c_min > 0.0 {
            c_min
        } else {
            short.max(f64::MIN_POSITIVE)
        };
    let mut now = [inside, 0.1 * short, short, 10.0 * short]
        .into_iter()
        .filter(|floor| *floor >= inside)
        .map(|floor| relaxed.dual(K.clone(), floor))
        .min_by(|a, b| a.excess.total_cmp(&b.excess))
        .expect("the first is always there");
    let enough = f64::EPSILON * (model.b_squared + model.beta_squared);
    let mut best = now.excess;
    let mut start = now.Q.clone();
    let mut ambition = 0.5f64;
    let mut waited = 0;
    for _ in 0..steps {
        let steep = dot(&now.slope, &now.slope);
        if steep == 0.0 || ambition < SHORTEST || best <= enough {
            break;
        }
        // The step at which a linear bound would reach the level aimed at.
        let step = (now.excess - (1.0 - ambition) * best) / (2.0 * steep);
        let mut K = now.K.clone();
        add(&mut K, step, &now.slope);
        now = relaxed.dual(K, inside);
        if now.excess < best {
            waited = if now.excess < best * (1.0 - 0.1 * ambition) {
                0
            } else {
                waited + 1
            };
            best = now.excess;
            start = now.Q.clone();
        } else {
            waited += 1;
        }
        if waited >= 3 {
            ambition *= 0.5;
            waited = 0;
        }
    }
    // Sums of products of this size were rounded.
    let size = dot(&relaxed.ZZ, &relaxed.ZZ) + model.beta_squared;
    let rounding = MARGIN_UNITS * (k + d) as f64 * f64::EPSILON * size;
    Bound {
        excess: best.max(0.0) + rounding,
        start: Some(start),
    }
}

impl Relaxed<'_, '_> {
    /// The bound (2) at K: B = R + (KZ)₂, H = c_min I + S + K₂₂ and T the top-d positive part of
    /// ZZ' + K. K₂₂ is first raised until H ≥ `floor`.
    fn dual(&self, mut K: Mat<f64>, floor: f64) -> Dual {
        let model = self.model;
        let (k, d) = (model.k(), model.d());
        let H = Mat::from_fn(k, k, |i, j| self.H[(i, j)] + K[(d + i, d + j)]);
        let mut found = eigen(H.as_ref(), model.par);
        let raise: Vec<f64> = found.values.iter().map(|v| (floor - v).max(0.0)).collect();
        if raise[0] > 0.0 {
            let scaled = scale_columns(&found.vectors, &raise);
            let more = product(scaled.as_ref(), found.vectors.transpose(), model.par);
            for j in 0..k {
                for i in 0..k {
                    K[(d + i, d + j)] += 0.5 * (more[(i, j)] + more[(j, i)]);
                }
            }
            found.values.iter_mut().for_each(|v| *v = v.max(floor));
        }

        let KZ = product(K.as_ref(), self.Z.as_ref(), model.par);
        let mut B = self.at.R.clone();
        add(&mut B, 1.0, &KZ.as_ref().subrows(d, k).to_owned());
        let mut P = product(found.vectors.transpose(), B.as_ref(), model.par);
        for j in 0..d {
            for (v, h) in P.col_as_slice_mut(j).iter_mut().zip(&found.values) {
                *v /= h;
            }
        }
        let P = product(found.vectors.as_ref(), P.as_ref(), model.par);
        let mut Q = self.at.Y.clone();
        add(&mut Q, -1.0, &P);

        let mut M = K.clone();
        add(&mut M, 1.0, &self.ZZ);
        let top = eigen(M.as_ref(), model.par);
        let kept: Vec<usize> = (0..d + k)
            .rev()
            .take(d)
            .filter(|&i| top.values[i] > 0.0)
            .collect();
        let half = Mat::from_fn(d + k, kept.len(), |i, j| {
            top.vectors[(i, kept[j])] * top.values[kept[j]].sqrt()
        });
        let fitted: f64 = kept.iter().map(|&i| top.values[i].powi(2)).sum();
        let ZQ = Mat::from_fn(d + k, d, |i, j| match i.checked_sub(d) {
            Some(i) => Q[(i, j)],
            None => self.Z[(i, j)],
        });
        let mut slope = product(ZQ.as_ref(), ZQ.transpose(), model.par);
        add_product(
            slope.as_mut(),
            -1.0,
            half.as_ref(),
            half.transpose(),
            model.par,
        );
        // ‖K‖² − ‖ZZ' + K − T‖².
        let apart = fitted + dot(&self.ZZ, &self.ZZ) - 2.0 * dot(&M, &self.ZZ);
        Dual {
            excess: 2.0 * dot(&B, &P) + apart.max(0.0),
            K,
            Q,
            slope,
        }
    }
}
