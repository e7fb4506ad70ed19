//! Stress: the newcomer's distances to the old objects as close as possible to its dissimilarities.
//!
//! ```text
//! min over y:  Σ wᵢ (‖y − xᵢ‖ − δᵢ)²
//! ```
//!
//! Kruskal's raw stress with the old objects fixed. It needs the configuration and the dissimilarities
//! rather than (ŷ, β), and works on any configuration, whoever made it.
//!
//! The problem has many local minima; on a line it is solved exactly, otherwise by descents from
//! several starts, the same ones in every run. First among them is the exact minimiser of the
//! squared-distance version Σ w (‖y − x‖² − δ²)², which is [`crate::strategy::secular`]'s problem with
//!
//! ```text
//! C = 2 Σ w x°x°'/W,  g = Σ w q x°/W,  β = −Σ w q/W,   x° = x − Σwx/W,  q = ‖x°‖² − δ²
//! ```
//!
//! then mirror images of what it leads to across the flattest axes, where the valleys are, and points
//! at the right distance from the nearest objects. With many objects the starts are first followed on an even
//! sample of them, which is enough to tell valleys apart; the deepest are then followed on all.
//!
//! Whether the starts have missed a deeper valley can be proved ([`proof`]), and then it is found.
//!
//! Where the observed objects span fewer than d dimensions the newcomer's distance from their span is
//! all that is known of the rest: one coordinate, of either sign (a pair) or any direction (a sphere).
//!
//! # References
//! Kruskal (1964), Multidimensional scaling by optimizing goodness of fit to a nonmetric hypothesis,
//! Psychometrika 29:1–27. De Leeuw (1977), Applications of convex analysis to multidimensional
//! scaling, in Recent developments in statistics, 133–145.

mod descent;
mod line;
mod prepared;
mod proof;
mod search;
mod shape;
mod sums;

use crate::strategy::secular::Minimisers;
pub use prepared::Prepared;
pub use proof::{MOST_AXES, PROVED};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StressSettings {
    /// The most steps of each descent.
    pub most_steps: usize,
    /// Whether to prove that no place is better, on [`MOST_AXES`] axes at most.
    pub prove: bool,
}

impl Default for StressSettings {
    fn default() -> Self {
        Self {
            most_steps: 200,
            prove: false,
        }
    }
}

/// Which start led to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The minimiser of the squared-distance version.
    Squared,
    /// The mirror image of what that led to, across an axis of the configuration, the flattest being 0.
    Mirror(usize),
    /// The right distance from this object, towards the same or away from it.
    Object(usize),
    /// Off the span of the observed objects.
    Height,
    /// The caller's own, by its place.
    Given(usize),
    /// None of them: the proof found what they missed.
    Proof,
    /// None: the problem is one-dimensional and was solved exactly.
    Exact,
}

/// The answer for one newcomer.
#[derive(Debug, Clone, PartialEq)]
pub struct Stress {
    /// y; NaN if nothing was observed.
    pub coordinates: Vec<f64>,
    /// Σ w (‖y − x‖ − δ)².
    pub stress: f64,
    /// √(Σ w (‖y − x‖ − δ)² / Σ w δ²): 0 is a perfect fit, and the origin of no use is 1.
    pub relative: f64,
    /// Whether other places are exactly as good.
    pub minimisers: Minimisers,
    /// Other minimisers of the same stress: the mirror image of a pair, the opposite on a sphere.
    pub alternatives: Vec<Vec<f64>>,
    /// The start that led here.
    pub start: Start,
    /// Different local minima met.
    pub minima: usize,
    /// Observed dissimilarities of positive weight; 0 is too few.
    pub observed: usize,
    /// Steps taken, over all starts.
    pub steps: usize,
    /// Whether the placement is stationary to rounding.
    pub converged: bool,
    /// No place has less stress by more than this share of it: at most [`PROVED`] if that was proved, 0 on a line, NaN if it
    /// was not asked for.
    pub gap: f64,
}

/// Places one newcomer; for many use [`Prepared`]. `configuration` is n × d, `dissimilarities` and
/// `weights` have n entries each, NaN (or weight 0) is missing.
///
/// One observed dissimilarity is enough for an answer, though not for a unique one. If there is none,
/// coordinates and stress are NaN and `observed` is 0.
#[cfg_attr(not(test), allow(dead_code))]
pub fn solve(
    configuration: faer::MatRef<'_, f64>,
    dissimilarities: &[f64],
    weights: Option<&[f64]>,
    settings: &StressSettings,
) -> Stress {
    Prepared::new(configuration).place(dissimilarities, weights, &[], settings)
}
