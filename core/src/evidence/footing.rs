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
//! Where the next eigenvalue is close to that of the last axis, other old objects would have made another axis. They turn axis a towards axis k
//! by an angle of variance c_a c_k/(n (c_a − c_k)²), and move a newcomer along a by that angle times what it has on k, of variance c_k/n.
//! Given the axes, what it has on k counts as disagreement of the old objects, c_k²/(n² c_a). So variances given the axes are too small by
//!
//! ```text
//! (c_a/(c_a − c_k))²        at most 1/(1 − c_{d+1}/c_d)², which is what it is on the last axis if the next one is all that is left
//! ```
//!
//! # References
//! Anderson (1963), Asymptotic theory for principal component analysis, Ann. Math. Stat. 34:122–148, for the angle.
//! Lee, Zou and Wright (2010), Convergence and prediction of principal component scores in high-dimensional settings, Ann. Stat.
//! 38:3605–3629, whose factor it is in their model.

use crate::fit::summary::Summary;

/// The quantiles that are told.
pub const QUANTILES: [f64; 5] = [0.0, 0.05, 0.5, 0.95, 1.0];

/// With c_{d+1}/c_d above this, standard errors given the axes may be less than half of what other old objects would make of them.
pub(crate) const HARDLY_SEPARATE: f64 = 0.5;

/// By how much standard errors given the axes may be too small, in words; none where they are not by more than twice.
pub(crate) fn understated(next: f64) -> Option<String> {
    (next > HARDLY_SEPARATE).then(|| match 1.0 / (1.0 - next) {
        factor if (0.0..10.0).contains(&factor) => format!("up to about {factor:.1} times"),
        _ => "ten times or more".into(),
    })
}

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

impl Footing {
    /// By how much standard errors given the axes may be too small, in words, as other old objects would have made another last axis;
    /// none if it is well separated from those that are not there.
    pub fn understated(&self) -> Option<String> {
        understated(self.next)
    }
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
