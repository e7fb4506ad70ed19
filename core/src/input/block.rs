//! Some newcomers at hand: their proximities to the diagram's objects in memory, and what else is known of them.
//!
//! Whatever newcomers come as ([`crate::input::newcomers`]), this is what the border is read from: all of them at once
//! where they are in memory already, otherwise a block of rows that is made, read and forgotten.

use faer::MatRef;

use crate::error::{About, Error, Object};
use crate::input::kind::{Element, Kind};

/// Newcomers by their proximities to the diagram's objects.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, T: Element = f64> {
    /// k × n, in any memory layout; fastest if each newcomer's n numbers lie together.
    pub proximities: MatRef<'a, T>,
    /// Their labels, for messages; `new1 … newk` if there are none.
    pub labels: Option<&'a [String]>,
    /// Similarities only: each newcomer's similarity to itself, NaN where it is not known.
    pub self_similarity: Option<&'a [f64]>,
    /// How far to trust each old object; all alike if there are none, not at all if 0.
    pub weights: Option<&'a [f64]>,
    /// Whether NaN means a missing proximity; otherwise it is an error.
    pub missing: bool,
    /// The number of the first of them among all newcomers, for messages.
    pub first: usize,
}

impl<'a, T: Element> Block<'a, T> {
    /// Newcomers without labels, weights, self-similarities or missing entries.
    #[cfg(test)]
    pub(crate) fn new(proximities: MatRef<'a, T>) -> Self {
        Self {
            proximities,
            labels: None,
            self_similarity: None,
            weights: None,
            missing: false,
            first: 0,
        }
    }

    /// k, their number.
    pub fn count(&self) -> usize {
        self.proximities.nrows()
    }

    /// The same by their proximities to the first `count` objects only.
    pub(crate) fn first_columns(&self, count: usize) -> Self {
        Self {
            proximities: self.proximities.subcols(0, count),
            weights: self.weights.map(|w| &w[..count]),
            ..*self
        }
    }

    /// Newcomer `index` of the block, for messages.
    pub(crate) fn object(&self, index: usize) -> Object {
        named(self.labels.map(|l| &l[index]), self.first + index)
    }

    /// Checks all that can be checked without reading the proximities to the n `old` objects.
    pub(crate) fn check(&self, old: &[String], n: usize) -> Result<(), Error> {
        let k = self.count();
        let lengths = [
            (
                About::Objects,
                "proximities for each newcomer",
                self.proximities.ncols(),
                n,
            ),
            (
                About::Labels,
                "labels of newcomers",
                self.labels.map_or(k, <[_]>::len),
                k,
            ),
            (
                About::SelfSimilarity,
                "self-similarities",
                self.self_similarity.map_or(k, <[_]>::len),
                k,
            ),
            (
                About::Weights,
                "weights of old objects",
                self.weights.map_or(n, <[_]>::len),
                n,
            ),
        ];
        for (about, what, found, expected) in lengths {
            if found != expected {
                return Err(Error::Length {
                    about,
                    what,
                    found,
                    expected,
                });
            }
        }
        if let Some(values) = self.self_similarity
            && let Some(i) = values.iter().position(|v| v.is_infinite())
        {
            return Err(Error::Entry {
                row: self.object(i),
                column: self.object(i),
                found: values[i],
                expected: Kind::Similarity.expected(),
            });
        }
        if let Some(weights) = self.weights {
            if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                return Err(Error::Weight {
                    about: About::Weights,
                    object: Some(Object {
                        index: i,
                        label: old[i].clone(),
                    }),
                    found: weights[i],
                    expected: "a finite weight of at least 0",
                });
            }
            let found: f64 = weights.iter().sum();
            if found <= 0.0 || !found.is_finite() {
                return Err(Error::Weight {
                    about: About::Weights,
                    object: None,
                    found,
                    expected: "a positive finite sum",
                });
            }
        }
        Ok(())
    }
}

/// A newcomer for messages, by its label, or by its number counted from 0 where it has none.
pub(crate) fn named(label: Option<&String>, index: usize) -> Object {
    let label = match label {
        Some(label) => label.clone(),
        None => format!("new{}", index + 1),
    };
    Object { index, label }
}
