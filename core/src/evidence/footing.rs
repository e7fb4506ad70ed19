//! On what footing newcomers stand beside the old objects, before any comes: what `info` says of a map.
//!
//! Projected newcomers are shrunk. With c_k all eigenvalues of B but (0, e), in the order in which they descend,
//!
//! ```text
//! m_a = mean over the n − 1 − d others of 1/(c_a − c_k)        ŝ_a = 1/(c_a m_a)
//! ```
//!
//! is the size on axis a of projected newcomers that are like the old objects, beside these as they were fitted. Where not all
//! eigenvalues are known, those that are not count with the mean and the variance that tr B and ‖B‖² leave for them. Axes whose
//! eigenvalues are close defeat any such factor: it is said, not applied.
//!
//! # References
//! Lee, Zou and Wright (2010), Convergence and prediction of principal component scores in high-dimensional settings, Ann. Stat.
//! 38:3605–3629, whose factor it is in their model.

use crate::fit::summary::Summary;

/// The quantiles that are told.
pub const QUANTILES: [f64; 5] = [0.0, 0.05, 0.5, 0.95, 1.0];

/// What is known of newcomers like the old objects before they come; NaN and empty where it is not.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Footing {
    /// ŝ_a of each axis; empty if the spectrum is not known.
    pub shrinkage: Vec<f64>,
    /// c_{d+1}/c_d: near 1, the last axis might as well be another.
    pub next: f64,
    /// [`QUANTILES`] of r_(i); empty if none is known.
    pub residuals: Vec<f64>,
    /// Those of T²_(i), likewise.
    pub extents: Vec<f64>,
    /// The median of r_(i)/c_d, by which strategies are chosen.
    pub beside: f64,
    /// The median of r_(i)/β_(i): what `share` of a newcomer is to be compared with.
    pub share: f64,
}

/// ŝ of each axis, and c_{d+1}/c_d; empty and NaN if no other eigenvalue is known.
pub(crate) fn shrinkage(summary: &Summary, c: &[f64], n: usize) -> (Vec<f64>, f64) {
    let d = c.len();
    let known: Vec<f64> = if summary.complete {
        summary.eigenvalues.iter().copied().skip(d).collect()
    } else {
        summary.further.clone()
    };
    let Some(others) = (n - 1).checked_sub(d).filter(|o| *o > 0) else {
        return (Vec::new(), f64::NAN);
    };
    let Some(next) = known.first() else {
        return (Vec::new(), f64::NAN);
    };
    // Of a complete spectrum it is zeros that are left, or there is one too many: that of e.
    let left = others as f64 - known.len() as f64;
    let (mut middle, mut spread) = (0.0, 0.0);
    if !summary.complete && left > 0.0 {
        let sum = |f: fn(f64) -> f64| c.iter().chain(&known).map(|v| f(*v)).sum::<f64>();
        middle = (summary.trace - sum(|v| v)) / left;
        spread = ((summary.squared_norm - sum(|v| v * v)) / left - middle * middle).max(0.0);
    }
    let size = |a: &f64| {
        let rest = a - middle;
        let seen: f64 = known.iter().map(|v| 1.0 / (a - v)).sum();
        let mean = (seen + left / rest * (1.0 + spread / (rest * rest))) / others as f64;
        (1.0 / (a * mean)).clamp(0.0, 1.0)
    };
    (c.iter().map(size).collect(), next / c[d - 1])
}

/// The quantiles of ascending values: the nearest of them; empty for none.
pub(crate) fn quantiles(ascending: &[f64]) -> Vec<f64> {
    let Some(last) = ascending.len().checked_sub(1) else {
        return Vec::new();
    };
    let at = |q: &f64| ascending[(q * last as f64).round() as usize];
    QUANTILES.iter().map(at).collect()
}
