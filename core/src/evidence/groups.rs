//! Which group is a newcomer of? What the old objects nearest to it on the map are, and what such a vote is worth.
//!
//! The rule is the same for newcomers and for the old objects it is tried on, so that its accuracy there is what may be expected
//! here: every old object stands at its leave-one-out place, by the strategy that placed the newcomers; the K nearest of them on the
//! map vote; a tie goes to the group that is met first. A newcomer is asked as it was placed; an old object at its leave-one-out
//! place, without its own vote. Fitted places would not do: projected newcomers are shrunk beside them, and an old object at
//! its own is not as a newcomer is.

use std::collections::HashMap;

use crate::error::{About, Error};
use crate::number::rounded;
use crate::run::Run;
use crate::strategy::placements::Placements;

/// At most so many old objects are tried, evenly spaced among all: a share is then right to a hundredth.
const TRIED: usize = 5000;

/// Objects that one thread asks about at a time.
const BATCH: usize = 64;

/// The group of each newcomer, by vote.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Grouped {
    /// The groups, in alphabetical order.
    pub groups: Vec<String>,
    /// K, how many vote.
    pub voters: usize,
    /// The group of each newcomer; none for one that has no place.
    pub group: Vec<Option<usize>>,
    /// The share of the votes that each group has, k × G; NaN for a newcomer that has no place.
    pub shares: Vec<f64>,
    /// The distance on the map from each newcomer to the centroid of each group, at leave-one-out places, k × G.
    pub distances: Vec<f64>,
    /// How many old objects were tried, and of how many the vote is their own group.
    pub tried: usize,
    /// See `tried`.
    pub right: usize,
    /// The share of the largest group among the old objects: what always naming it is worth.
    pub largest: f64,
    /// By which strategy all of them are placed.
    pub strategy: &'static str,
}

impl Grouped {
    /// The share of old objects whose group is found so.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.tried as f64
    }

    /// The rule and what it is worth, in a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "group: by vote of the {} nearest old objects on the map, each at its leave-one-out place by {}; of {} old objects asked \
             in the same way {} are called by their own group ({}; the largest group alone: {})",
            self.voters,
            self.strategy,
            self.tried,
            self.right,
            rounded(self.accuracy()),
            rounded(self.largest),
        )
    }
}

/// The groups of the old objects as numbers.
pub(crate) struct Groups {
    names: Vec<String>,
    of: Vec<usize>,
}

impl Groups {
    /// From a word for each of `count` objects; errs unless there are at least two groups.
    pub(crate) fn new(words: &[String], count: usize, about: About) -> Result<Self, Error> {
        if words.len() != count {
            return Err(Error::Length {
                about,
                what: "groups",
                found: words.len(),
                expected: count,
            });
        }
        let mut names = words.to_vec();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            return Err(Error::Together {
                about,
                why: format!(
                    "found one group only{}, expected at least two",
                    names.first().map_or(String::new(), |n| format!(", {n:?}"))
                ),
            });
        }
        let number: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let of = words.iter().map(|w| number[w.as_str()]).collect();
        Ok(Self { names, of })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// The number of each object's group.
    pub(crate) fn of(&self) -> &[usize] {
        &self.of
    }

    /// The same for some of the objects.
    pub(crate) fn some(&self, which: &[usize]) -> Vec<usize> {
        which.iter().map(|&i| self.of[i]).collect()
    }
}

/// Objects at places, with their groups: who votes.
pub(crate) struct Voters<'a> {
    /// Row by row.
    pub places: &'a [f64],
    /// d.
    pub dimensions: usize,
    /// The number of each one's group.
    pub groups: &'a [usize],
    /// How many groups there are.
    pub count: usize,
    /// K.
    pub voters: usize,
}

impl Voters<'_> {
    /// The votes for each group at `y`, and the group that has most; `without` does not vote. None at no place.
    pub(crate) fn vote(&self, y: &[f64], without: Option<usize>) -> Option<(Vec<usize>, usize)> {
        if y[0].is_nan() {
            return None;
        }
        let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(self.voters + 1);
        let mut farthest = f64::INFINITY;
        let places = self.places.chunks_exact(self.dimensions);
        for (i, x) in places.enumerate() {
            let far = apart(x, y);
            // Who has no place is not nearer than anybody.
            if far < farthest && Some(i) != without {
                let at = nearest.partition_point(|(other, _)| *other <= far);
                nearest.insert(at, (far, i));
                nearest.truncate(self.voters);
                if nearest.len() == self.voters {
                    farthest = nearest[self.voters - 1].0;
                }
            }
        }
        let mut votes = vec![0; self.count];
        nearest
            .iter()
            .for_each(|(_, i)| votes[self.groups[*i]] += 1);
        let most = votes.iter().copied().max()?;
        let met = nearest.iter().map(|(_, i)| self.groups[*i]);
        let winner = met.into_iter().find(|g| votes[*g] == most)?;
        Some((votes, winner))
    }
}

/// ‖x − y‖².
fn apart(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}

/// The groups of newcomers at places, row by row, from those of old objects that are placed by the same strategy, each left out.
pub(crate) fn grouped(
    newcomers: &[f64],
    old: &Placements,
    groups: Groups,
    voters: usize,
    run: Run<'_>,
) -> Result<Grouped, Error> {
    let (n, count, d) = (old.count(), groups.count(), old.dimensions);
    if !(1..n).contains(&voters) {
        return Err(Error::Together {
            about: About::Nearest,
            why: format!("found {voters} voters, expected between 1 and {}", n - 1),
        });
    }
    let all = Voters {
        places: &old.coordinates,
        dimensions: d,
        groups: groups.of(),
        count,
        voters,
    };
    // What the rule is worth.
    let step = n.div_ceil(TRIED).max(1);
    let asked: Vec<usize> = (0..n).step_by(step).collect();
    let tries = run.map("trying the vote", asked.len().div_ceil(BATCH), |b| {
        let some = asked[b * BATCH..((b + 1) * BATCH).min(asked.len())].iter();
        let called = some.filter_map(|&i| Some(all.vote(old.point(i), Some(i))?.1 == groups.of[i]));
        called.fold((0, 0), |(tried, right), own| {
            (tried + 1, right + usize::from(own))
        })
    })?;
    // What it says of newcomers.
    let centroids = centroids(&all);
    let k = newcomers.len() / d;
    let point = |i: usize| &newcomers[i * d..(i + 1) * d];
    let said = run.map("asking for groups", k.div_ceil(BATCH), |b| {
        let some = b * BATCH..((b + 1) * BATCH).min(k);
        some.map(|i| all.vote(point(i), None)).collect::<Vec<_>>()
    })?;
    let mut sizes = vec![0; count];
    groups.of.iter().for_each(|g| sizes[*g] += 1);
    let mut answer = Grouped {
        voters,
        group: Vec::with_capacity(k),
        shares: Vec::with_capacity(k * count),
        distances: Vec::with_capacity(k * count),
        tried: tries.iter().map(|t| t.0).sum(),
        right: tries.iter().map(|t| t.1).sum(),
        largest: sizes.into_iter().max().unwrap_or(0) as f64 / n as f64,
        strategy: old.strategy.word(),
        groups: groups.names,
    };
    for (i, said) in said.into_iter().flatten().enumerate() {
        match said {
            Some((votes, winner)) => {
                let cast: usize = votes.iter().sum();
                answer.group.push(Some(winner));
                answer
                    .shares
                    .extend(votes.iter().map(|v| *v as f64 / cast as f64));
            }
            None => {
                answer.group.push(None);
                answer.shares.extend(std::iter::repeat_n(f64::NAN, count));
            }
        }
        let far = centroids.chunks_exact(d).map(|x| apart(x, point(i)).sqrt());
        answer.distances.extend(far);
    }
    Ok(answer)
}

/// The mean place of each group, of those that have one; NaN if nobody has.
fn centroids(all: &Voters<'_>) -> Vec<f64> {
    let d = all.dimensions;
    let mut sums = vec![0.0; all.count * d];
    let mut sizes = vec![0.0; all.count];
    for (x, &g) in all.places.chunks_exact(d).zip(all.groups) {
        if !x[0].is_nan() {
            sizes[g] += 1.0;
            let own = &mut sums[g * d..(g + 1) * d];
            own.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        }
    }
    for (own, size) in sums.chunks_exact_mut(d).zip(sizes) {
        own.iter_mut().for_each(|sum| *sum /= size);
    }
    sums
}
