//! Given proximities of newcomers, as many as a page can carry: what its Shepard plots show.
//!
//! Beside each pair's given number stands what the map shows. For dissimilarities that is δ against ‖y − x‖, both
//! as the map was fitted (squared ones are rooted, corrected ones corrected). A map of similarities does not hold
//! the old objects' own similarities, so γ cannot be turned into distances; there the plot is of what classical
//! scaling fits: the centred similarity b = γ − γ̄ − r + m against the inner product x'y about the origin.

use std::collections::HashSet;

use adjoin::random::Stream;
use adjoin::{Diagram, Kind, Seen};

/// Pairs in a whole page: some five megabytes of it.
const MOST_PAIRS: usize = 500_000;

/// Pairs of one newcomer: more dots than these hide each other.
const MOST_EACH: usize = 400;

/// However many newcomers there are, each has so many.
const FEWEST_EACH: usize = 24;

/// The share of the pairs that are with the nearest old objects; the others are drawn at random.
const NEAREST: f64 = 0.25;

/// An odd number with its bits well mixed: seeds of neighbours are far apart.
const SPREAD: u64 = 0x2545_f491_4f6c_dd1d;

/// How many pairs there are for each newcomer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Pairs of a newcomer, at most.
    pub each: usize,
    /// How many of these are with the nearest old objects.
    pub nearest: usize,
}

impl Budget {
    /// The budget for so many newcomers.
    pub fn for_newcomers(count: usize) -> Self {
        let each = (MOST_PAIRS / count.max(1)).clamp(FEWEST_EACH, MOST_EACH);
        Self {
            each,
            nearest: (NEAREST * each as f64) as usize,
        }
    }
}

/// Old object and given proximity, newcomer by newcomer.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// How many there may be.
    pub budget: Budget,
    /// How many pairs each newcomer has.
    pub counts: Vec<u32>,
    /// The old objects.
    pub old: Vec<u32>,
    /// What is given.
    pub given: Vec<f64>,
}

impl Pairs {
    /// Those of nobody.
    pub fn none(budget: Budget) -> Self {
        Self {
            budget,
            counts: Vec::new(),
            old: Vec::new(),
            given: Vec::new(),
        }
    }

    /// Those of some newcomers.
    pub fn of(diagram: &Diagram, seen: &Seen<'_>, budget: Budget) -> Self {
        let mut all = Self::none(budget);
        for i in 0..seen.count() {
            let given = given(diagram, seen, i);
            // A newcomer's sample does not depend on the others.
            let pairs = choose(&given, budget, (seen.first + i) as u64, diagram.kind());
            all.counts.push(pairs.len() as u32);
            all.old.extend(pairs.iter().map(|p| p.0));
            all.given.extend(pairs.iter().map(|p| p.1));
        }
        all
    }

    /// Adds the pairs of the next newcomers.
    pub fn append(&mut self, other: Self) {
        self.counts.extend(other.counts);
        self.old.extend(other.old);
        self.given.extend(other.given);
    }
}

/// What is given for newcomer `i` and each old object, NaN where nothing is.
fn given(diagram: &Diagram, seen: &Seen<'_>, i: usize) -> Vec<f64> {
    if diagram.kind() != Kind::Similarity {
        return seen.dissimilarities(i);
    }
    let columns = 0..diagram.count();
    let gamma: Vec<f64> = columns.map(|j| seen.proximity(i, j)).collect();
    let centring = diagram.centring();
    let m = centring.grand_mean;
    let beta = seen.border.beta[i];
    // β = γ(η, η) − 2γ̄ + m also knows the mean of a row with holes.
    let mean = if beta.is_nan() {
        centring.mean(&gamma)
    } else {
        0.5 * (seen.self_similarity(i) + m - beta)
    };
    let rows = gamma.iter().zip(&centring.row_means);
    rows.map(|(g, r)| g - mean - r + m).collect()
}

/// The nearest, then some of the others.
fn choose(given: &[f64], budget: Budget, seed: u64, kind: Kind) -> Vec<(u32, f64)> {
    let known = (0..given.len() as u32).filter(|&j| !given[j as usize].is_nan());
    let known: Vec<u32> = known.collect();
    let key = |j: u32| match kind {
        Kind::Similarity => -given[j as usize],
        _ => given[j as usize],
    };
    let nearer = |a: &u32, b: &u32| key(*a).total_cmp(&key(*b)).then(a.cmp(b));
    let mut chosen = known.clone();
    if known.len() > budget.each {
        chosen.select_nth_unstable_by(budget.nearest, nearer);
        chosen.truncate(budget.nearest);
        let mut there: HashSet<u32> = chosen.iter().copied().collect();
        let mut stream = Stream::new(seed.wrapping_mul(SPREAD));
        while chosen.len() < budget.each {
            let j = known[(stream.bits() % known.len() as u64) as usize];
            if there.insert(j) {
                chosen.push(j);
            }
        }
    }
    let nearest = budget.nearest.min(chosen.len());
    chosen[..nearest].sort_by(nearer);
    chosen.into_iter().map(|j| (j, given[j as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_there_and_each_object_once() {
        let given: Vec<f64> = (0..1000).map(|i| ((i * 617) % 1000) as f64).collect();
        let budget = Budget {
            each: 100,
            nearest: 25,
        };
        let pairs = choose(&given, budget, 7, Kind::Dissimilarity);
        assert_eq!(pairs.len(), 100);
        let first: Vec<f64> = pairs[..25].iter().map(|p| p.1).collect();
        assert_eq!(first, (0..25).map(f64::from).collect::<Vec<_>>());
        let mut old: Vec<u32> = pairs.iter().map(|p| p.0).collect();
        old.sort_unstable();
        old.dedup();
        assert_eq!(old.len(), 100);
        // The sample reaches the far end of the others, not only the first of them.
        let mean = pairs[25..].iter().map(|p| p.1).sum::<f64>() / 75.0;
        assert!((400.0..650.0).contains(&mean), "{mean}");
        assert_eq!(pairs, choose(&given, budget, 7, Kind::Dissimilarity));
    }

    #[test]
    fn few_objects_are_all_there_but_for_the_missing() {
        let budget = Budget {
            each: 10,
            nearest: 2,
        };
        let pairs = choose(&[3.0, f64::NAN, 1.0], budget, 0, Kind::Dissimilarity);
        let mut old: Vec<u32> = pairs.iter().map(|p| p.0).collect();
        old.sort_unstable();
        assert_eq!(old, [0, 2]);
        let similar = choose(
            &[0.1, 0.9, 0.5, 0.2],
            Budget {
                each: 2,
                nearest: 1,
            },
            0,
            Kind::Similarity,
        );
        assert_eq!(similar[0].0, 1);
    }

    #[test]
    fn the_page_stays_small() {
        assert_eq!(Budget::for_newcomers(3).each, 400);
        assert_eq!(Budget::for_newcomers(10_000).each, 50);
        assert_eq!(Budget::for_newcomers(1_000_000).each, FEWEST_EACH);
    }
}
