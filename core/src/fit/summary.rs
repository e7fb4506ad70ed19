//! What a fit saw of the spectrum of B.

use crate::fit::spectrum::BLURRED;
use crate::rounding::TIE_UNITS;

/// What the fit saw of the spectrum of B.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Eigenvalues, descending: all of them if `complete` (but for zeros that are there by construction,
    /// n − q of them for q features), otherwise the d largest.
    pub eigenvalues: Vec<f64>,
    /// The next ones as far as an iterative solver came near them: some twenty beyond the axes; empty if all are there.
    pub further: Vec<f64>,
    /// Whether all eigenvalues are there, the negative ones among them.
    pub complete: bool,
    /// ‖Bv − σ²v‖ / ‖B‖ of each axis.
    pub residuals: Vec<f64>,
    /// tr B, the sum of all eigenvalues.
    pub trace: f64,
    /// ‖B‖_F², the sum of their squares.
    pub squared_norm: f64,
    /// ‖B − XX'‖_F², what the map does not show (the paper's Theorem 1).
    pub strain: f64,
    /// Passes over the proximities that the eigensolver made.
    pub passes: usize,
    /// Remarks on the proximities, in words.
    pub findings: Vec<String>,
    /// How similar each old object is to itself, if they are similarities and it is the same for all.
    pub self_similarity: Option<f64>,
}

impl Summary {
    /// The first axis whose residual is large beside its own eigenvalue, which is small beside the largest: rounding errors of an
    /// iterative solver hide where it is. With it the share of the largest eigenvalue that its own is.
    pub(crate) fn blurred(&self) -> Option<(usize, f64)> {
        let norm = self.eigenvalues.first().filter(|_| !self.complete)?;
        let mut axes = self.eigenvalues.iter().zip(&self.residuals);
        let axis = axes.position(|(v, r)| r * norm > BLURRED * v)?;
        Some((axis, self.eigenvalues[axis] / norm))
    }

    /// The negative eigenvalues that were seen, beyond rounding; none if the proximities are Euclidean.
    pub fn negative(&self) -> &[f64] {
        let norm = self
            .eigenvalues
            .iter()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        let zero = TIE_UNITS * self.eigenvalues.len() as f64 * f64::EPSILON * norm;
        let first = self.eigenvalues.partition_point(|v| *v >= -zero);
        &self.eigenvalues[first..]
    }
}
