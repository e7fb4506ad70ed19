//! Procrustes: the rotation or reflection, and if wanted the shift, that brings one configuration
//! closest to another.
//!
//! ```text
//! min over R'R = I, t:  ‖A R + e t' − B‖_F²      R = W V',  A°'B° = W T V',  t = b̄ − R'ā
//! ```
//!
//! No scaling: placements are in the units of the proximities. Where A°'B° is singular R is not unique
//! and a fixed choice is made.
//!
//! # References
//! Schönemann (1966), A generalized solution of the orthogonal Procrustes problem, Psychometrika 31:1–10.
#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use crate::dense::product;
use crate::rounding::power_of_two;
use crate::strategy::jacobi::Svd;

/// x ↦ R'x + t.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// R, d × d orthogonal.
    pub rotation: Mat<f64>,
    /// t.
    pub shift: Vec<f64>,
}

/// The motion that brings the rows of `from` closest to those of `to`, both n × d and finite; without
/// `translate` it leaves the origin where it is.
pub fn rotation(from: MatRef<'_, f64>, to: MatRef<'_, f64>, translate: bool) -> Motion {
    assert!(from.nrows() == to.nrows() && from.ncols() == to.ncols());
    let (n, d) = (from.nrows(), from.ncols());
    let (a, s) = scaled(from);
    let (b, t) = scaled(to);
    let means = |m: &Mat<f64>| -> Vec<f64> {
        let mean = |k: usize| m.col(k).iter().sum::<f64>() / n.max(1) as f64;
        (0..d)
            .map(|k| if translate { mean(k) } else { 0.0 })
            .collect()
    };
    let (a_mean, b_mean) = (means(&a), means(&b));
    let a = Mat::from_fn(n, d, |i, k| a[(i, k)] - a_mean[k]);
    let b = Mat::from_fn(n, d, |i, k| b[(i, k)] - b_mean[k]);
    let cross = product(a.transpose(), b.as_ref(), Par::Seq);
    let svd = Svd::new((0..d * d).map(|i| cross[(i % d, i / d)]).collect(), d);
    let entry = |i: usize, j: usize| (0..d).map(|k| svd.left(k)[i] * svd.right(k)[j]).sum();
    let rotation: Mat<f64> = Mat::from_fn(d, d, entry);
    let moved = |k: usize| {
        (0..d)
            .map(|j| rotation[(j, k)] * a_mean[j] * s)
            .sum::<f64>()
    };
    let shift = (0..d).map(|k| b_mean[k] * t - moved(k)).collect();
    Motion { rotation, shift }
}

impl Motion {
    /// This motion and then another, as one: x ↦ R₂'(R₁'x + t₁) + t₂.
    pub(crate) fn then(&self, next: &Self) -> Self {
        let d = self.shift.len();
        let turned = |k: usize| {
            (0..d)
                .map(|j| next.rotation[(j, k)] * self.shift[j])
                .sum::<f64>()
        };
        Self {
            rotation: product(self.rotation.as_ref(), next.rotation.as_ref(), Par::Seq),
            shift: (0..d).map(|k| turned(k) + next.shift[k]).collect(),
        }
    }

    /// The rows of `points`, moved.
    pub fn apply(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let turned = product(points, self.rotation.as_ref(), Par::Seq);
        Mat::from_fn(points.nrows(), points.ncols(), |i, k| {
            turned[(i, k)] + self.shift[k]
        })
    }
}

/// Divided by a power of two to entries of at most 2, and that power.
fn scaled(A: MatRef<'_, f64>) -> (Mat<f64>, f64) {
    let entries = (0..A.ncols()).flat_map(|j| A.col(j).iter());
    let s = power_of_two(entries.fold(0.0, |m: f64, v| m.max(v.abs())));
    (Mat::from_fn(A.nrows(), A.ncols(), |i, j| A[(i, j)] / s), s)
}
