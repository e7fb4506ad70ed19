//! Who is a newcomer like? The old objects it is nearest to, by the proximities that were given.
//!
//! Nearest is the smallest dissimilarity, or the largest similarity, as p_nearest counts it. (Where objects have different similarities
//! to themselves, as by a linear kernel, the largest similarity prefers long vectors; dissimilarities do not.) The few
//! that are wanted are kept while a newcomer is read. What the map makes of them is the distance that is *shown*, from the
//! newcomer's place to theirs: a neighbour that is shown far away is what two axes cannot show.

use crate::error::{About, Error};
use crate::input::block::Block;
use crate::input::kind::{Element, Kind};

/// The old objects that newcomers are nearest to, those of each one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Neighbours {
    /// K, how many there are of each newcomer.
    pub count: usize,
    /// Which of the map's objects they are, the nearest first; none where fewer proximities are known.
    pub objects: Vec<Option<usize>>,
    /// The newcomer's proximity to each, as it was given; NaN where there is none.
    pub given: Vec<f64>,
}

impl Neighbours {
    /// Those of nobody, to which others can be appended.
    pub fn of_nobody(count: usize) -> Self {
        Self {
            count,
            ..Self::default()
        }
    }

    /// Those of further newcomers.
    pub fn append(&mut self, other: Self) {
        self.objects.extend(other.objects);
        self.given.extend(other.given);
    }

    /// The nearest of newcomer `i`, with the proximities to them.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (Option<usize>, f64)> {
        let range = i * self.count..(i + 1) * self.count;
        let given = self.given[range.clone()].iter();
        self.objects[range].iter().copied().zip(given.copied())
    }

    /// The `count` nearest of each newcomer of a block, whose column `j` is the map's object `object(j)`.
    pub(crate) fn nearest<T: Element>(
        block: &Block<'_, T>,
        kind: Kind,
        count: usize,
        object: impl Fn(usize) -> usize,
    ) -> Self {
        let mut all = Self::of_nobody(count);
        // What is not trusted at all is as good as missing.
        let trusted = |j: usize| block.weights.is_none_or(|w| w[j] > 0.0);
        let sign = if kind == Kind::Similarity { -1.0 } else { 1.0 };
        let mut kept: Vec<(f64, usize)> = Vec::with_capacity(count + 1);
        for i in 0..block.count() {
            kept.clear();
            let mut farthest = f64::INFINITY;
            for (j, v) in block.proximities.row(i).iter().enumerate() {
                let v = sign * v.to_f64();
                // Nor is NaN nearer than anything.
                if v < farthest && trusted(j) {
                    let at = kept.partition_point(|(other, _)| *other <= v);
                    kept.insert(at, (v, j));
                    kept.truncate(count);
                    if kept.len() == count {
                        farthest = kept[count - 1].0;
                    }
                }
            }
            let rest = count - kept.len();
            all.objects
                .extend(kept.iter().map(|(_, j)| Some(object(*j))));
            all.objects.extend(std::iter::repeat_n(None, rest));
            all.given.extend(kept.iter().map(|(v, _)| sign * v));
            all.given.extend(std::iter::repeat_n(f64::NAN, rest));
        }
        all
    }
}

/// Errs unless so many of `references` objects can be wanted.
pub(crate) fn check_count(count: usize, references: usize) -> Result<(), Error> {
    if (1..=references).contains(&count) {
        return Ok(());
    }
    Err(Error::Together {
        about: About::Nearest,
        why: format!(
            "found {count} nearest objects wanted, expected between 1 and {references}, as many as newcomers are compared with"
        ),
    })
}
