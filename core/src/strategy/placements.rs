//! The answers: where newcomers are placed, and how far to trust each placement.

use std::fmt;

use crate::strategy::stress::PROVED;

/// How newcomers are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Project onto the map's space (Gower 1968; the paper's §3).
    #[default]
    Project,
    /// Restricted reconstruction (the paper's §4).
    Reconstruct,
    /// The best-fitting hyperplane with the old objects held fixed (the paper's Example 1).
    Hyperplane,
    /// Online augmentation, decomposition and Procrustes.
    Augment,
    /// Raw stress with the old objects held fixed.
    Stress,
    /// A rule of the caller's own (`Map::place_by`).
    Own,
}

impl Strategy {
    /// All that can be asked for by their words.
    pub const ALL: [Strategy; 5] = [
        Strategy::Project,
        Strategy::Reconstruct,
        Strategy::Hyperplane,
        Strategy::Augment,
        Strategy::Stress,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Strategy::Project => "project",
            Strategy::Reconstruct => "reconstruct",
            Strategy::Hyperplane => "hyperplane",
            Strategy::Augment => "augment",
            Strategy::Stress => "stress",
            Strategy::Own => "own",
        }
    }

    /// The strategy that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }
}

/// What is to be said of one placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Status {
    /// The one best place.
    #[default]
    Unique,
    /// One of two equally good places, mirror images of each other.
    Pair,
    /// One of a sphere of equally good places.
    Sphere,
    /// The iteration ended before it converged.
    NotConverged,
    /// The strategy does not apply to this newcomer; it has no coordinates.
    NotApplicable,
    /// Too few of its proximities are known; it has no coordinates.
    TooFew,
}

impl Status {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Unique => "unique",
            Status::Pair => "pair",
            Status::Sphere => "sphere",
            Status::NotConverged => "not_converged",
            Status::NotApplicable => "not_applicable",
            Status::TooFew => "too_few",
        }
    }

    /// Whether there is a placement at all.
    pub fn placed(self) -> bool {
        !matches!(self, Status::NotApplicable | Status::TooFew)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Placements of k newcomers, field by field; NaN where there is nothing to say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placements {
    /// How they were placed.
    pub strategy: Strategy,
    /// d.
    pub dimensions: usize,
    /// Coordinates on the map, row by row, k × d.
    pub coordinates: Vec<f64>,
    /// λ: 0 for project, λ* for reconstruct.
    pub lambda: Vec<f64>,
    /// What the strategy minimises, at the placement: F of the paper's problem (11) for project,
    /// reconstruct and augment, the strategy's own for hyperplane and stress.
    pub objective: Vec<f64>,
    /// β − ŷ'ŷ, the squared distance from the newcomer to the map's space.
    pub residual: Vec<f64>,
    /// The residual as a share of β, the squared distance to the origin.
    pub share: Vec<f64>,
    /// ‖y − ŷ‖, how far the placement is from the projection.
    pub displacement: Vec<f64>,
    /// Stress only: √(Σ w(‖y − x‖ − δ)² / Σ w δ²), the objective as a share of what there is to show.
    pub relative_stress: Vec<f64>,
    /// ‖(C + λI)y − g‖ over the size of its terms, as computed; rounding if all is well.
    pub stationarity: Vec<f64>,
    /// λ + c_min; at least 0 if and only if a stationary placement is a *global* minimiser.
    pub margin: Vec<f64>,
    /// Reconstruct only, if uncertainty was asked for: how likely it is on the wrong side of the last axis, Φ(−|ŷ_d|/se).
    pub side: Vec<f64>,
    /// Reconstruct only: how far it is to its mirror image on the other side of the last axis, 2|y_d|.
    pub jump: Vec<f64>,
    /// Reconstruct only: c_d/(c_d + λ), by how much it is farther out on the last axis than its projection. Above 2, that axis shows how long it is rather
    /// than where.
    pub stretch: Vec<f64>,
    /// How certain each place is: its covariance, k × d × d, row by row. NaN where it is not known, empty unless it was asked for.
    pub covariance: Vec<f64>,
    /// How many blocks of old objects were left out in turn to find it; none if the axes were held fixed.
    pub blocks: Option<usize>,
    /// Hyperplane, and stress if a proof was asked for: no place has an objective lower by more than this share of it; 0 if
    /// the place is proved to be the best, which for stress is so up to 1e-9.
    pub gap: Vec<f64>,
    /// How likely an object like the old ones is to be as strange, by either of the two that follow.
    pub p: Vec<f64>,
    /// … to be as far outside the map's space.
    pub p_outside: Vec<f64>,
    /// … to be as far out within it.
    pub p_inside: Vec<f64>,
    /// … to be as far from the object it is nearest to.
    pub p_nearest: Vec<f64>,
    /// By how many of its proximities each newcomer was placed.
    pub known: Vec<usize>,
    /// What is to be said of each.
    pub status: Vec<Status>,
    /// The other minimisers of those that are not unique, and the places on the other side of those whose side is uncertain: newcomer and
    /// coordinates.
    pub alternatives: Vec<(usize, Vec<f64>)>,
}

impl Placements {
    /// Placements of nobody, to which others can be appended.
    pub fn of_nobody(strategy: Strategy, dimensions: usize) -> Self {
        Self::empty(strategy, 0, dimensions)
    }

    /// Placements of `count` newcomers of which nothing is known yet.
    pub(crate) fn empty(strategy: Strategy, count: usize, dimensions: usize) -> Self {
        let nothing = vec![f64::NAN; count];
        Self {
            strategy,
            dimensions,
            coordinates: vec![f64::NAN; count * dimensions],
            lambda: nothing.clone(),
            objective: nothing.clone(),
            residual: nothing.clone(),
            share: nothing.clone(),
            displacement: nothing.clone(),
            relative_stress: nothing.clone(),
            stationarity: nothing.clone(),
            margin: nothing.clone(),
            side: nothing.clone(),
            jump: nothing.clone(),
            stretch: nothing.clone(),
            covariance: Vec::new(),
            blocks: None,
            gap: nothing.clone(),
            p: nothing.clone(),
            p_outside: nothing.clone(),
            p_inside: nothing.clone(),
            p_nearest: nothing,
            known: vec![0; count],
            status: vec![Status::TooFew; count],
            alternatives: Vec::new(),
        }
    }

    /// k, the number of newcomers.
    pub fn count(&self) -> usize {
        self.status.len()
    }

    /// Whether newcomer `i` is proved to have no better place: stationary to rounding with a margin of at least 0, or
    /// with nothing between its objective and the bound. `None` if the strategy proves nothing.
    pub fn certified(&self, i: usize) -> Option<bool> {
        if !self.gap[i].is_nan() {
            let enough = match self.strategy {
                Strategy::Stress => PROVED,
                _ => 0.0,
            };
            return Some(self.gap[i] <= enough);
        }
        (!self.margin[i].is_nan()).then(|| self.margin[i] >= 0.0 && self.status[i].placed())
    }

    /// The coordinates of newcomer `i`.
    pub fn point(&self, i: usize) -> &[f64] {
        &self.coordinates[i * self.dimensions..(i + 1) * self.dimensions]
    }

    /// Every place of newcomer `i`.
    pub(crate) fn points_mut(&mut self, i: usize) -> impl Iterator<Item = &mut [f64]> {
        let own = &mut self.coordinates[i * self.dimensions..(i + 1) * self.dimensions];
        let others = self.alternatives.iter_mut().filter(move |(of, _)| *of == i);
        std::iter::once(own).chain(others.map(|(_, y)| &mut y[..]))
    }

    /// Appends the placements of further newcomers by the same strategy on the same diagram.
    pub fn append(&mut self, other: Placements) {
        let before = self.count();
        self.coordinates.extend(other.coordinates);
        for (mine, theirs) in [
            (&mut self.lambda, other.lambda),
            (&mut self.objective, other.objective),
            (&mut self.residual, other.residual),
            (&mut self.share, other.share),
            (&mut self.displacement, other.displacement),
            (&mut self.relative_stress, other.relative_stress),
            (&mut self.stationarity, other.stationarity),
            (&mut self.margin, other.margin),
            (&mut self.side, other.side),
            (&mut self.jump, other.jump),
            (&mut self.stretch, other.stretch),
            (&mut self.covariance, other.covariance),
            (&mut self.gap, other.gap),
            (&mut self.p, other.p),
            (&mut self.p_outside, other.p_outside),
            (&mut self.p_inside, other.p_inside),
            (&mut self.p_nearest, other.p_nearest),
        ] {
            mine.extend(theirs);
        }
        self.blocks = self.blocks.or(other.blocks);
        self.known.extend(other.known);
        self.status.extend(other.status);
        let moved = other.alternatives.into_iter();
        self.alternatives
            .extend(moved.map(|(i, y)| (before + i, y)));
    }
}
