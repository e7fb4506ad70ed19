//! The border: what a newcomer is to the diagram, d + 1 numbers.
//!
//! With t = −½a₂ or γ its proximities on the scale of inner products, t̄ = w't, and the fitted means,
//!
//! ```text
//! b = t − t̄ e − r + m e        β = t(η, η) − 2t̄ + m        g = X'b        ŷ = C⁻¹g
//! ```
//!
//! (the paper's (4), (7), Figure 2 step 2, and (8); t(η, η) is 0 for dissimilarities). Every strategy
//! but raw stress sees the newcomer only through (ŷ, β), and objective values through ‖b‖². How the k × n new
//! proximities become these numbers, each read once from memory, is in `pass`.

#![allow(non_snake_case)]

mod accumulators;
pub(crate) mod hc3;
mod layout;
pub(crate) mod missing;
mod pass;
mod sweep;

use faer::{Mat, MatRef, Par};

use self::hc3::Hc3;
use self::pass::Pass;
use crate::dense::product;
use crate::error::Error;
use crate::fit::diagram::Diagram;
use crate::input::block::Block;
use crate::input::kind::Element;
use crate::run::Run;

/// What k newcomers are to a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct Border {
    /// d.
    pub dimensions: usize,
    /// ŷ of each newcomer about the diagram's origin, row by row, k × d; NaN if there are too few
    /// proximities to say.
    pub projections: Vec<f64>,
    /// β of each; NaN if a self-similarity is not known.
    pub beta: Vec<f64>,
    /// ‖b‖² of each.
    pub b_norm_squared: Vec<f64>,
    /// ‖b − Xŷ‖² = ‖b‖² − ŷ'Cŷ of each, computed as a sum of squares where the difference would cancel.
    pub outside: Vec<f64>,
    /// t̄ of each, its mean proximity on the scale of inner products; from the intercept where some are missing.
    pub means: Vec<f64>,
    /// The largest t of each, that of the old object it is nearest to, over the proximities that were used.
    pub nearest: Vec<f64>,
    /// How many dissimilarities of each were below 0 by rounding, and are taken as 0.
    pub below_zero: Vec<usize>,
    /// How many proximities of each were used.
    pub observed: Vec<usize>,
    /// Their degrees, where the way onto the map gives them any; otherwise empty.
    pub degrees: Vec<f64>,
    /// How many dissimilarities of each are far outside those of the old objects, where a link is continued beyond them;
    /// empty on a map without a link.
    pub beyond: Vec<usize>,
    /// What they are to the founders alone, on a map that has grown: by that they are like the old objects or not.
    pub founding: Option<Box<Border>>,
    /// How far the old objects disagree about each: the covariance of (ŷ, α), (d + 1)² numbers row by row, with α = t̄ − m; NaN
    /// where it is not known, and empty unless it was asked for.
    pub covariance: Vec<f64>,
}

impl Border {
    /// Reads newcomers in double precision, once; with `hc3`, how far the old objects disagree about them, too. Not generic, so
    /// that no other crate compiles the pass again.
    pub(crate) fn of_doubles(
        diagram: &Diagram,
        newcomers: &Block<'_, f64>,
        hc3: Option<&Hc3>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        Self::read(diagram, newcomers, hc3, run)
    }

    /// The same on part of a map: where nobody of it is trusted, nothing is known.
    pub(crate) fn of_part(
        diagram: &Diagram,
        newcomers: &Block<'_, f64>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let trusted = newcomers.weights.is_none_or(|w| w.iter().any(|w| *w > 0.0));
        if trusted {
            Self::of_doubles(diagram, newcomers, None, run)
        } else {
            Ok(Self::unknown(newcomers.count(), diagram.dimensions(), 0))
        }
    }

    /// Reads newcomers in single precision, once.
    pub(crate) fn of_singles(
        diagram: &Diagram,
        newcomers: &Block<'_, f32>,
        hc3: Option<&Hc3>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        Self::read(diagram, newcomers, hc3, run)
    }

    /// Reads the newcomers' proximities, once.
    #[cfg(test)]
    pub(crate) fn new<T: Element>(
        diagram: &Diagram,
        newcomers: &Block<'_, T>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        Self::read(diagram, newcomers, None, run)
    }

    fn read<T: Element>(
        diagram: &Diagram,
        newcomers: &Block<'_, T>,
        hc3: Option<&Hc3>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        newcomers.check(diagram.labels(), diagram.count())?;
        let X = diagram.about_origin();
        let pass = Pass::new(diagram, newcomers, X.as_ref(), hc3);
        let mut border = Self::with_capacity(newcomers.count(), diagram.dimensions());
        for group in pass.groups(run)? {
            border.append(group?);
        }
        Ok(border)
    }

    /// The border of all newcomers, from those of some after the other.
    pub fn gathered(dimensions: usize, borders: Vec<Self>) -> Self {
        let mut borders = borders.into_iter();
        let Some(mut all) = borders.next() else {
            return Self::with_capacity(0, dimensions);
        };
        borders.for_each(|border| all.append(border));
        all
    }

    /// The border of nobody, with room for `count` newcomers.
    fn with_capacity(count: usize, dimensions: usize) -> Self {
        Self {
            dimensions,
            projections: Vec::with_capacity(count * dimensions),
            beta: Vec::with_capacity(count),
            b_norm_squared: Vec::with_capacity(count),
            outside: Vec::with_capacity(count),
            means: Vec::with_capacity(count),
            nearest: Vec::with_capacity(count),
            below_zero: Vec::with_capacity(count),
            observed: Vec::with_capacity(count),
            degrees: Vec::new(),
            beyond: Vec::new(),
            founding: None,
            covariance: Vec::new(),
        }
    }

    /// The border of `count` newcomers of whom nothing is known yet but how many proximities they have.
    pub(crate) fn unknown(count: usize, dimensions: usize, observed: usize) -> Self {
        Self {
            dimensions,
            projections: vec![f64::NAN; count * dimensions],
            beta: vec![f64::NAN; count],
            b_norm_squared: vec![f64::NAN; count],
            outside: vec![f64::NAN; count],
            means: vec![f64::NAN; count],
            nearest: vec![f64::NAN; count],
            below_zero: vec![0; count],
            observed: vec![observed; count],
            degrees: Vec::new(),
            beyond: Vec::new(),
            founding: None,
            covariance: Vec::new(),
        }
    }

    /// Takes in the newcomers of another border to the same diagram, after its own.
    pub(crate) fn append(&mut self, other: Self) {
        self.projections.extend(other.projections);
        self.beta.extend(other.beta);
        self.b_norm_squared.extend(other.b_norm_squared);
        self.outside.extend(other.outside);
        self.means.extend(other.means);
        self.nearest.extend(other.nearest);
        self.below_zero.extend(other.below_zero);
        self.observed.extend(other.observed);
        self.degrees.extend(other.degrees);
        self.beyond.extend(other.beyond);
        if let (Some(own), Some(others)) = (&mut self.founding, other.founding) {
            own.append(*others);
        }
        self.covariance.extend(other.covariance);
    }

    /// k, the number of newcomers.
    pub fn count(&self) -> usize {
        self.beta.len()
    }

    /// The covariance of (ŷ, α) of newcomer `i`, (d + 1)² numbers row by row; none if it was not asked for.
    pub(crate) fn covariance_of(&self, i: usize) -> Option<&[f64]> {
        let size = (self.dimensions + 1).pow(2);
        self.covariance.get(i * size..(i + 1) * size)
    }

    /// ŷ of newcomer `i`, about the diagram's origin.
    pub fn projection(&self, i: usize) -> &[f64] {
        &self.projections[i * self.dimensions..(i + 1) * self.dimensions]
    }

    /// β − ŷ'ŷ: the squared distance from newcomer `i` to the map's space (negative only for
    /// proximities that are not Euclidean).
    pub fn residual(&self, i: usize) -> f64 {
        self.beta[i] - squared(self.projection(i))
    }

    /// G = b'X = Ŷ C, k × d, about the diagram's origin.
    pub fn g(&self, diagram: &Diagram) -> Mat<f64> {
        let Y = MatRef::from_row_major_slice(&self.projections, self.count(), self.dimensions);
        product(Y, diagram.cross(), Par::Seq)
    }
}

/// y'y.
pub(crate) fn squared(y: &[f64]) -> f64 {
    y.iter().map(|v| v * v).sum()
}
