//! Whether a point is the global minimum, and otherwise how far it can be from it. The proofs are
//! at the head of the parent module; the letters are theirs.
#![allow(non_snake_case)]

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular};
use faer::{Accum, Mat, Par};

use super::dense::{add, add_product, cholesky, dot, eigen, norm, product, scale, scale_columns};
use super::model::{Model, Point};
use crate::random::Stream;

/// "≥ 0" means ≥ −16kε(c_max + ‖β‖₂).
const MARGIN_UNITS: f64 = 16.0;
/// Up to this k all eigenvalues of S' are computed; beyond, Lanczos and Cholesky.
const ALL_EIGENVALUES: usize = 150;
/// Up to this k a β given as a product is written out for the proof (k² numbers).
const WRITTEN_OUT: usize = 3000;
/// Lanczos steps for λ_min(S') at most, where Cholesky proves what they only suggest, and where
/// nothing does; and how many are taken before looking whether they are enough.
const LANCZOS_STEPS: usize = 150;
const LANCZOS_ALONE: usize = 400;
const LANCZOS_ROUND: usize = 15;
/// They are when the residual is this small beside the margin.
const MARGIN_ERROR: f64 = 0.05;
/// Power steps for ‖β‖₂; an estimate from below makes the tolerance stricter.
const POWER_STEPS: usize = 6;
/// Up to this k the bound is raised by ascent, two eigenproblems a step.
const ASCENT_SIZE: usize = 300;
/// And at most so many times the steps where k is small.
const MORE_STEPS: f64 = 30.0;
/// The multiplier stays this fraction of c_min inside the boundary, where the bound is −∞.
const INSIDE: f64 = 1e-3;
/// The ascent ends when its steps, in units of the first, are shorter than this.
const SHORTEST: f64 = 1e-6;

/// What the certificate says of a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdict {
    /// λ_min(S') + c_min.
    pub margin: f64,
    /// A lower bound of the margin, if there is one above zero.
    pub floor: Option<f64>,
    /// margin ≥ 0 to rounding.
    pub holds: bool,
}

/// S' = S + τ(I − Y(C' + Y'Y)⁻¹Y') in pieces: τ and L with LL' = τY(C' + Y'Y)⁻¹Y'.
struct Multiplier {
    tau: f64,
    L: Mat<f64>,
}

impl Multiplier {
    /// τ = λ_min(C' + Y'Y), C' = C − c_min I; S' is S itself when entries are missing or τ = 0.
    fn new(model: &Model<'_>, at: &Point) -> Self {
        let (k, d) = (model.k(), model.d());
        let mut M = at.YY.clone();
        for i in 0..d {
            M[(i, i)] += model.c[i] - model.c_min();
        }
        let found = eigen(M.as_ref(), Par::Seq);
        let rounding = (k + d) as f64 * f64::EPSILON * found.values[d - 1];
        let tau = found.values[0];
        if !model.missing.is_empty() || tau <= rounding {
            return Self {
                tau: 0.0,
                L: Mat::zeros(k, 0),
            };
        }
        let weights: Vec<f64> = found.values.iter().map(|v| (tau / v).sqrt()).collect();
        let turn = scale_columns(&found.vectors, &weights);
        Self {
            tau,
            L: product(at.Y.as_ref(), turn.as_ref(), model.par),
        }
    }

    /// S'Z.
    fn apply(&self, model: &Model<'_>, at: &Point, Z: &Mat<f64>) -> Mat<f64> {
        let mut out = model.multiplier(at, Z, &model.beta(Z));
        if self.tau > 0.0 {
            add(&mut out, self.tau, Z);
            let inner = product(self.L.transpose(), Z.as_ref(), model.par);
            add_product(
                out.as_mut(),
                -1.0,
                self.L.as_ref(),
                inner.as_ref(),
                model.par,
            );
        }
        out
    }

    /// S' + shift·I written out, its lower triangle.
    fn matrix(&self, model: &Model<'_>, at: &Point, shift: f64) -> Mat<f64> {
        let mut S = model.beta_matrix();
        scale(&mut S, -1.0);
        let mut add_square = |alpha: f64, W: &Mat<f64>| {
            triangular(
                S.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Add,
                W.as_ref(),
                BlockStructure::Rectangular,
                W.transpose(),
                BlockStructure::Rectangular,
                alpha,
                model.par,
            );
        };
        add_square(1.0, &at.Y);
        if self.tau > 0.0 {
            add_square(-1.0, &self.L);
        }
        for &(i, j) in model.missing {
            S[(j, i)] = 0.0;
        }
        for i in 0..model.k() {
            S[(i, i)] += self.tau + shift;
        }
        S
    }
}

/// 16kε(c_max + ‖β‖₂).
pub(super) fn tolerance(model: &Model<'_>) -> f64 {
    let k = model.k();
    let size = if k <= ALL_EIGENVALUES {
        let values = eigen(model.beta_matrix().as_ref(), Par::Seq).values;
        values[0].abs().max(values[k - 1].abs())
    } else {
        let mut rng = Stream::new(17);
        let mut v = Mat::from_fn(k, 1, |_, _| rng.normal());
        let mut size = 0.0;
        for _ in 0..POWER_STEPS {
            let length = norm(&v);
            if length == 0.0 {
                break;
            }
            scale(&mut v, 1.0 / length);
            v = model.beta(&v);
            size = norm(&v);
        }
        size
    };
    MARGIN_UNITS * k as f64 * f64::EPSILON * (model.c_max() + size)
}

/// The certificate at a point. `tolerance` is [`tolerance`]'s.
pub(super) fn certify(model: &Model<'_>, at: &Point, tolerance: f64) -> Verdict {
    let k = model.k();
    let c_min = model.c_min();
    let multiplier = Multiplier::new(model, at);
    let verdict = |margin: f64, floor: f64, holds: bool| Verdict {
        margin,
        floor: (floor > 0.0).then_some(floor),
        holds,
    };
    if k <= ALL_EIGENVALUES {
        let values = eigen(multiplier.matrix(model, at, 0.0).as_ref(), Par::Seq).values;
        let margin = values[0] + c_min;
        return verdict(margin, margin - tolerance, margin >= -tolerance);
    }

    // A Ritz value is never below λ_min: a clear no needs no proof.
    let written = model.between.dense().is_some() || k <= WRITTEN_OUT;
    let steps = if written {
        LANCZOS_STEPS
    } else {
        LANCZOS_ALONE
    };
    let (ritz, error) = smallest(model, at, &multiplier, steps);
    let margin = ritz + c_min;
    if margin < -tolerance {
        return verdict(margin, 0.0, false);
    }
    if !written {
        // Not proven, only very probable: Lanczos from a random vector has found nothing lower.
        let floor = margin - error - tolerance;
        return verdict(margin, floor, floor >= -2.0 * tolerance);
    }
    // Half the suggested margin, proven by Cholesky's success; or at least none missing.
    let half = 0.5 * margin;
    if half > tolerance {
        let mut S = multiplier.matrix(model, at, c_min - half);
        if cholesky(S.as_mut(), model.par) {
            return verdict(margin, half - tolerance, true);
        }
    }
    let mut S = multiplier.matrix(model, at, c_min + tolerance);
    if cholesky(S.as_mut(), model.par) {
        return verdict(margin.min(half), 0.0, true);
    }
    let (ritz, _) = smallest(model, at, &multiplier, LANCZOS_ALONE);
    verdict((ritz + c_min).min(-tolerance), 0.0, false)
}

/// Lanczos with full reorthogonalisation: the smallest Ritz value of S' and its residual.
fn smallest(model: &Model<'_>, at: &Point, of: &Multiplier, steps: usize) -> (f64, f64) {
    let k = model.k();
    let steps = steps.min(k);
    let mut rng = Stream::new(19);
    let mut basis = Mat::<f64>::zeros(k, steps);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut v = Mat::from_fn(k, 1, |_, _| rng.normal());
    let first = norm(&v);
    scale(&mut v, 1.0 / first);
    let mut largest = 0.0f64;
    let mut answer = (0.0, 0.0);
    for m in 1..=steps {
        basis
            .col_as_slice_mut(m - 1)
            .copy_from_slice(v.col_as_slice(0));
        let mut w = of.apply(model, at, &v);
        diagonal.push(dot(&v, &w));
        largest = largest.max(norm(&w));
        for _ in 0..2 {
            let kept = basis.as_ref().subcols(0, m);
            let inner = product(kept.transpose(), w.as_ref(), model.par);
            add_product(w.as_mut(), -1.0, kept, inner.as_ref(), model.par);
        }
        let next = norm(&w);
        beside.push(next);
        let exhausted = next <= f64::EPSILON * largest * (k as f64).sqrt();
        if exhausted || m == steps || m % LANCZOS_ROUND == 0 {
            let small = Mat::from_fn(m, m, |i, j| match i.abs_diff(j) {
                0 => diagonal[i],
                1 => beside[i.min(j)],
                _ => 0.0,
            });
            let found = eigen(small.as_ref(), Par::Seq);
            let error = (next * found.vectors[(m - 1, 0)]).abs();
            answer = (found.values[0], error);
            if exhausted || error <= MARGIN_ERROR * (found.values[0] + model.c_min()).abs() {
                break;
            }
        }
        scale(&mut w, 1.0 / next);
        v = w;
    }
    answer
}

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
fn shifted(model: &Model<'_>, at: &Point, margin: f64) -> f64 {
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
fn ascend(model: &Model<'_>, at: &Point, margin: f64, steps: usize) -> Bound {
    let (k, d) = (model.k(), model.d());
    let c_min = model.c_min();
    let Z = Mat::from_fn(d + k, d, |i, j| match i.checked_sub(d) {
        Some(i) => at.Y[(i, j)],
        None if i == j => (model.c[i] - c_min).max(0.0).sqrt(),
        None => 0.0,
    });
    let none = Multiplier {
        tau: 0.0,
        L: Mat::zeros(k, 0),
    };
    let lower = none.matrix(model, at, c_min);
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

#[cfg(test)]
mod tests {
    use super::super::descent::newton;
    use super::super::starts::{Start, make};
    use super::super::{DenseBetween, Problem};
    use super::*;

    /// A small problem whose newcomers are far off the map and disagree with it.
    struct Instance {
        cross: Mat<f64>,
        g: Mat<f64>,
        between: DenseBetween,
        b_squared: f64,
        size: usize,
    }

    impl Instance {
        fn new(rng: &mut Stream, hidden: f64) -> Self {
            let pick =
                |rng: &mut Stream, low: u64, high: u64| (low + rng.bits() % (high - low)) as usize;
            let (n, d, k) = (pick(rng, 4, 9), pick(rng, 1, 3), pick(rng, 3, 7));
            let x = Mat::from_fn(n, d, |_, _| rng.normal());
            let far = 1.0 + 3.0 * rng.uniform().abs();
            let z = Mat::from_fn(k, d + 2, |_, _| far * rng.normal());
            let b = Mat::from_fn(n, k, |i, j| {
                (0..d).map(|a| x[(i, a)] * z[(j, a)]).sum::<f64>() + rng.normal()
            });
            let mut beta = &z * z.transpose();
            for i in 0..k {
                for j in 0..i {
                    beta[(i, j)] += far * far * rng.normal();
                    if rng.uniform().abs() < hidden {
                        beta[(i, j)] = f64::NAN;
                    }
                    beta[(j, i)] = beta[(i, j)];
                }
            }
            Self {
                cross: x.transpose() * &x,
                g: b.transpose() * &x,
                between: DenseBetween::new(beta),
                b_squared: b.squared_norm_l2(),
                size: n,
            }
        }

        fn problem(&self) -> Problem<'_> {
            Problem {
                cross: self.cross.as_ref(),
                g: self.g.as_ref(),
                between: &self.between,
                b_norm_squared: self.b_squared,
                size: self.size,
            }
        }
    }

    /// Stationary points of random descents, with their objectives, lowest first.
    fn ends(model: &Model<'_>, count: usize) -> Vec<(f64, Point)> {
        let mut ends: Vec<_> = (0..count)
            .map(|draw| {
                newton(
                    model,
                    make(model, Start::Random { draw: 4 * draw }, None),
                    200,
                    1e-12,
                )
            })
            .filter(|found| found.converged)
            .map(|found| (model.objective(&found.point), found.point))
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends
    }

    /// Over thousands of minima, complete and masked, no inferior one is certified. With the
    /// complete problem's multiplier masked ones would be: the test can tell.
    #[test]
    fn no_inferior_minimum_is_certified() {
        let mut rng = Stream::new(23);
        for hidden in [0.0, 0.4] {
            let (mut inferior, mut certified, mut fooled) = (0, 0, 0);
            for _ in 0..1_500 {
                let instance = Instance::new(&mut rng, hidden);
                let problem = instance.problem();
                let model = Model::new(&problem, Par::Seq);
                let unit = tolerance(&model);
                let ends = ends(&model, 6);
                let Some(&(least, _)) = ends.first() else {
                    continue;
                };
                for (value, point) in &ends {
                    let verdict = certify(&model, point, unit);
                    let above = value - least > 1e-8 * least;
                    inferior += usize::from(above);
                    certified += usize::from(verdict.holds);
                    assert!(!(above && verdict.holds), "{value} > {least}, {verdict:?}");
                    let complete = Model {
                        missing: &[],
                        ..Model::new(&problem, Par::Seq)
                    };
                    let mut S = Multiplier::new(&complete, point).matrix(&complete, point, 0.0);
                    let hide = Multiplier {
                        tau: 0.0,
                        L: Mat::zeros(model.k(), 0),
                    };
                    for &(i, j) in model.missing {
                        let [with, without] =
                            [&complete, &model].map(|m| hide.matrix(m, point, 0.0)[(j, i)]);
                        S[(j, i)] += without - with;
                    }
                    let false_margin = eigen(S.as_ref(), Par::Seq).values[0] + model.c_min();
                    fooled += usize::from(above && false_margin >= 0.0);
                }
            }
            assert!(inferior > 500 && certified > 500, "{inferior} {certified}");
            assert_eq!(fooled > 0, hidden > 0.0, "{fooled}");
        }
    }

    /// At an inferior minimum the bounds, raised by ascent or not, stay below the best value known;
    /// at a certified one the ascent finds next to nothing left.
    #[test]
    fn bounds_stay_below_the_minimum() {
        let mut rng = Stream::new(29);
        let (mut inferior, mut sharp) = (0, 0);
        for _ in 0..150 {
            let instance = Instance::new(&mut rng, 0.0);
            let problem = instance.problem();
            let model = Model::new(&problem, Par::Seq);
            let unit = tolerance(&model);
            let ends = ends(&model, 8);
            let Some(&(least, _)) = ends.first() else {
                continue;
            };
            for (value, point) in &ends {
                let verdict = certify(&model, point, unit);
                let shifted = value - shifted(&model, point, verdict.margin);
                let raised = value - ascend(&model, point, verdict.margin, 60).excess;
                let both = value - relax(&model, point, *value, verdict.margin, 20).excess;
                for bound in [shifted, raised, both] {
                    assert!(
                        bound <= least * (1.0 + 1e-12),
                        "{bound} {least} {verdict:?}"
                    );
                }
                assert!(both >= shifted && both >= 0.0);
                inferior += usize::from(value - least > 1e-8 * least);
                if verdict.holds {
                    assert!(raised >= value * (1.0 - 1e-9), "{raised} {value}");
                    sharp += 1;
                }
            }
        }
        assert!(inferior > 50 && sharp > 50, "{inferior} {sharp}");
    }

    /// Away from stationarity too, a margin above zero bounds the distance to the minimum.
    #[test]
    fn a_margin_bounds_points_that_are_not_stationary() {
        let mut rng = Stream::new(31);
        let mut bounded = 0;
        for _ in 0..300 {
            let instance = Instance::new(&mut rng, 0.0);
            let problem = instance.problem();
            let model = Model::new(&problem, Par::Seq);
            let unit = tolerance(&model);
            let ends = ends(&model, 4);
            let Some((least, best)) = ends.first() else {
                continue;
            };
            let mut Y = best.Y.clone();
            for i in 0..model.k() {
                for a in 0..model.d() {
                    Y[(i, a)] += 0.02 * rng.normal();
                }
            }
            let point = model.at(Y);
            if let Some(floor) = certify(&model, &point, unit).floor {
                let bound = model.objective(&point) - excess_with_margin(&point, floor);
                assert!(bound <= least * (1.0 + 1e-12), "{bound} {least}");
                bounded += 1;
            }
        }
        assert!(bounded > 30, "{bounded}");
    }

    /// Lanczos and Cholesky say the same as all eigenvalues, on either side of zero.
    #[test]
    fn large_problems_are_judged_as_small_ones_are() {
        let mut rng = Stream::new(37);
        let k = ALL_EIGENVALUES + 40;
        let (d, n) = (6, 12);
        let x = Mat::from_fn(n, d, |_, a| rng.normal() / (1.0 + a as f64));
        let z = Mat::from_fn(k, d, |_, a| rng.normal() / (1.0 + a as f64));
        let mut verdicts = [0, 0];
        for noise in [0.1, 0.5, 1.0, 2.0, 4.0, 16.0] {
            let mut beta = &z * z.transpose();
            for i in 0..k {
                for j in 0..=i {
                    beta[(i, j)] += noise * rng.normal();
                    beta[(j, i)] = beta[(i, j)];
                }
            }
            let between = DenseBetween::new(beta);
            let cross = x.transpose() * &x;
            let g = &z * &cross;
            let problem = Problem {
                cross: cross.as_ref(),
                g: g.as_ref(),
                between: &between,
                b_norm_squared: (&g * z.transpose())
                    .as_ref()
                    .diagonal()
                    .column_vector()
                    .sum(),
                size: n,
            };
            let model = Model::new(&problem, Par::Seq);
            let unit = tolerance(&model);
            let found = newton(&model, make(&model, Start::Reembedding, None), 200, 0.0);
            let verdict = certify(&model, &found.point, unit);
            let S = Multiplier::new(&model, &found.point).matrix(&model, &found.point, 0.0);
            let margin = eigen(S.as_ref(), Par::Seq).values[0] + model.c_min();
            assert_eq!(verdict.holds, margin >= -unit, "{verdict:?} {margin}");
            assert!(
                verdict.margin >= margin - unit,
                "a Ritz value is never below"
            );
            assert!(
                verdict.margin - margin < 0.1 * margin.abs(),
                "{verdict:?} {margin}"
            );
            if let Some(floor) = verdict.floor {
                assert!(
                    floor <= margin && floor > 0.3 * margin,
                    "{verdict:?} {margin}"
                );
            }
            verdicts[usize::from(verdict.holds)] += 1;
        }
        assert!(verdicts.iter().all(|&v| v > 0), "{verdicts:?}");
    }
}
