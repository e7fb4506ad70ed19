//! Who arrives: newcomers as the caller has them.
//!
//! By proximities to the objects that the map compares with (its *references*), in memory or a few rows at a time, or by
//! features, from which the map makes those proximities itself. Nothing is read here.

use faer::MatRef;

use crate::error::{About, Error, Object};
use crate::input::block::{Block, named};
use crate::input::features::Features;
use crate::input::kind::Element;
use crate::input::rows::Rows;

/// What newcomers are known by.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum By<'a> {
    /// Proximities, k × n, in any memory layout; fastest if each newcomer's n numbers lie together.
    Doubles(MatRef<'a, f64>),
    /// The same in single precision.
    Singles(MatRef<'a, f32>),
    /// Proximities that are made, or read, a few rows at a time; each row once.
    Rows(&'a dyn Rows),
    /// Features, matched by name with those of the map's objects.
    Features(&'a Features),
}

/// Newcomers, with what comes beside them.
#[derive(Clone, Copy)]
pub struct Newcomers<'a> {
    /// What they are known by.
    pub by: By<'a>,
    /// Their labels; `new1 … newk` in messages if there are none (features have labels of their own).
    pub labels: Option<&'a [String]>,
    /// Similarities only: each newcomer's similarity to itself, NaN where it is not known.
    pub self_similarity: Option<&'a [f64]>,
    /// How far to trust each of the map's references; all alike if there are none, not at all if 0.
    pub weights: Option<&'a [f64]>,
    /// Whether NaN means a missing proximity; otherwise it is an error.
    pub missing: bool,
}

impl<'a> Newcomers<'a> {
    /// Newcomers without labels, weights, self-similarities or missing entries.
    pub fn by(by: By<'a>) -> Self {
        Self {
            by,
            labels: None,
            self_similarity: None,
            weights: None,
            missing: false,
        }
    }

    /// The same, by proximities in memory.
    pub fn new(proximities: MatRef<'a, f64>) -> Self {
        Self::by(By::Doubles(proximities))
    }

    /// k, their number.
    pub fn count(&self) -> usize {
        match self.by {
            By::Doubles(m) => m.nrows(),
            By::Singles(m) => m.nrows(),
            By::Rows(rows) => rows.rows(),
            By::Features(features) => features.count(),
        }
    }

    /// Newcomer `index`, for messages.
    pub(crate) fn object(&self, index: usize) -> Object {
        let labels = match (self.labels, self.by) {
            (None, By::Features(features)) => Some(features.labels()),
            (labels, _) => labels,
        };
        named(labels.map(|l| &l[index]), index)
    }

    /// Those from `first` on, with these proximities.
    pub(crate) fn block<T: Element>(
        &self,
        first: usize,
        proximities: MatRef<'a, T>,
    ) -> Block<'a, T> {
        let range = first..first + proximities.nrows();
        Block {
            proximities,
            labels: self.labels.map(|l| &l[range.clone()]),
            self_similarity: self.self_similarity.map(|s| &s[range]),
            weights: self.weights,
            missing: self.missing,
            first,
        }
    }

    /// Checks the lengths of what there is one of for each newcomer.
    pub(crate) fn check_lengths(&self) -> Result<(), Error> {
        let expected = self.count();
        for (about, what, found) in [
            (
                About::Labels,
                "labels of newcomers",
                self.labels.map(<[_]>::len),
            ),
            (
                About::SelfSimilarity,
                "self-similarities",
                self.self_similarity.map(<[_]>::len),
            ),
        ] {
            if let Some(found) = found.filter(|&f| f != expected) {
                return Err(Error::Length {
                    about,
                    what,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }
}
