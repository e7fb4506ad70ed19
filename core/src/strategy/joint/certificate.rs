//! Whether a point is the global minimum. The proof is at the head of the parent module; the letters
//! are its.
#![allow(non_snake_case)]

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular};
use faer::{Accum, Mat, Par};

use super::algebra::{add, add_product, cholesky, dot, eigen, norm, product, scale, scale_columns};
use super::model::{Model, Point};
use crate::random::Stream;

/// "≥ 0" means ≥ −16kε(c_max + ‖β‖₂).
pub(super) const MARGIN_UNITS: f64 = 16.0;
/// Up to this k all eigenvalues of S' are computed; beyond, Lanczos and Cholesky.
pub(super) const ALL_EIGENVALUES: usize = 150;
/// Up to this k a β given as a product is written out for the proof (k² numbers).
const WRITTEN_OUT: usize = 3000;
/// Lanczos steps for λ_min(S') at most, where Cholesky proves what they only suggest, and where
/// nothing does; and how many are taken before looking whether they are enough.
const LANCZOS_STEPS: usize = 150;
const LANCZOS_ALONE: usize = 400;
const LANCZOS_ROUND: usize = 10;
/// They are when the residual is this small beside the margin.
const MARGIN_ERROR: f64 = 0.05;
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
pub(super) struct Multiplier {
    tau: f64,
    L: Mat<f64>,
}

impl Multiplier {
    /// S' = S.
    pub fn none(k: usize) -> Self {
        Self {
            tau: 0.0,
            L: Mat::zeros(k, 0),
        }
    }

    /// τ = λ_min(C' + Y'Y), C' = C − c_min I; S' is S itself when entries are missing or τ = 0.
    pub fn new(model: &Model<'_>, at: &Point) -> Self {
        let (k, d) = (model.k(), model.d());
        let mut M = at.YY.clone();
        for i in 0..d {
            M[(i, i)] += model.c[i] - model.c_min();
        }
        let found = eigen(M.as_ref(), Par::Seq);
        let rounding = (k + d) as f64 * f64::EPSILON * found.values[d - 1];
        let tau = found.values[0];
        if !model.missing.is_empty() || tau <= rounding {
            return Self::none(k);
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
    pub fn matrix(&self, model: &Model<'_>, at: &Point, shift: f64) -> Mat<f64> {
        let mut S = model.beta_matrix();
        scale(&mut S, -1.0);
        // YY' − LL' in one product.
        let (d, both) = (model.d(), model.d() + self.L.ncols());
        let side = |sign: f64| {
            Mat::from_fn(model.k(), both, |i, j| match j.checked_sub(d) {
                Some(j) => sign * self.L[(i, j)],
                None => at.Y[(i, j)],
            })
        };
        triangular(
            S.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            side(1.0).as_ref(),
            BlockStructure::Rectangular,
            side(-1.0).transpose(),
            BlockStructure::Rectangular,
            1.0,
            model.par,
        );
        for &(i, j) in model.missing {
            S[(j, i)] = 0.0;
        }
        for i in 0..model.k() {
            S[(i, i)] += self.tau + shift;
        }
        S
    }
}

/// 16kε(c_max + ‖β‖₂), with ‖βY‖/‖Y‖ in the place of ‖β‖₂ where k is large: it is never more, and
/// close to it because Y follows the largest eigenvectors of β.
pub(super) fn tolerance(model: &Model<'_>, at: &Point) -> f64 {
    let k = model.k();
    let size = if k <= ALL_EIGENVALUES {
        let values = eigen(model.beta_matrix().as_ref(), Par::Seq).values;
        values[0].abs().max(values[k - 1].abs())
    } else {
        norm(&at.BY) / norm(&at.Y).max(f64::MIN_POSITIVE)
    };
    MARGIN_UNITS * k as f64 * f64::EPSILON * (model.c_max() + size)
}

/// The certificate at a point.
pub(super) fn certify(model: &Model<'_>, at: &Point) -> Verdict {
    let tolerance = tolerance(model, at);
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
