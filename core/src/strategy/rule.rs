//! A strategy as a rule: from the few numbers that one newcomer is, to a place.
//!
//! Everything is in the eigenbasis of C about the diagram's origin: there C is diagonal, and the paper's problem (11) reads
//! F(y) = 2 Σ c_i(y_i − ŷ_i)² + (y'y − β)² + constant. Turning to and from that basis, shifting, and what is done to
//! coordinates at the very end are the caller's business, so that anybody can write a rule in a line.

use crate::strategy::placements::Status;
use crate::strategy::secular::Minimisers;

/// One newcomer as a strategy sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct One<'a> {
    /// c, the eigenvalues of C, positive and descending.
    pub eigenvalues: &'a [f64],
    /// ŷ, its projection.
    pub projection: &'a [f64],
    /// β, its squared distance from the origin; NaN if that is not known.
    pub beta: f64,
    /// ‖b‖, by which rounding in ŷ is judged.
    pub b_norm: f64,
    /// n, the number of the diagram's objects.
    pub size: usize,
}

/// Where a rule puts a newcomer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Place {
    /// y.
    pub coordinates: Vec<f64>,
    /// The rule's own objective there; F of the paper's problem (11) if it has none.
    pub objective: Option<f64>,
    /// No place has an objective lower by more than this share of it; NaN if that is not known.
    pub gap: f64,
    /// What is to be said of it.
    pub status: Status,
    /// Other places that are as good.
    pub alternatives: Vec<Vec<f64>>,
    /// Stress only: the root of the objective as a share of what there is to show.
    pub(crate) relative_stress: f64,
}

impl Place {
    /// The one place, with the paper's objective.
    pub fn at(coordinates: Vec<f64>) -> Self {
        Self {
            coordinates,
            objective: None,
            gap: f64::NAN,
            status: Status::Unique,
            alternatives: Vec::new(),
            relative_stress: f64::NAN,
        }
    }

    /// No place: the rule does not apply to this newcomer.
    pub fn none() -> Self {
        Self {
            status: Status::NotApplicable,
            ..Self::at(Vec::new())
        }
    }

    /// No place: too little is known of this newcomer.
    pub(crate) fn too_few() -> Self {
        Self {
            status: Status::TooFew,
            ..Self::at(Vec::new())
        }
    }
}

/// What is to be said of a minimiser.
pub(crate) fn status(converged: bool, minimisers: Minimisers) -> Status {
    match minimisers {
        _ if !converged => Status::NotConverged,
        Minimisers::Unique => Status::Unique,
        Minimisers::Pair => Status::Pair,
        Minimisers::Sphere(_) => Status::Sphere,
    }
}
