//! Which strategy predicts better: what placements of objects that were kept apart show of the proximities they are known by.
//!
//! ```text
//! neighbours   of its 10 nearest on the map, the share that is among its 10 nearest as given         larger is better
//! rank         Spearman's correlation of shown and given distances to the old objects, the mean       larger
//! between      √(Σ(shown − given)²/Σ given²) among those that were kept apart together               smaller
//! radius       median distance from the centroid, new beside old                                     1: on one footing
//! shown        Σ shown/Σ given, to the old objects
//! error        √(Σ(shown − given)²/Σ given²) to the old objects: what some strategies minimise, so never the basis
//! ```
//!
//! With classes also how often the vote of the 5 nearest on the map finds the class, old objects being where they were fitted
//! (`knn_fitted`) or at their leave-one-out places (`knn_loo`). What differs between strategies is looked at fold by fold, and as folds
//! share most of their training objects the variance of a mean of J differences is not s²/J:
//!
//! ```text
//! difference ± √((1/J + n_test/n_train) s²)
//! ```
//!
//! # References
//! Nadeau and Bengio (2003), Inference for the generalization error, Mach. Learn. 52:239–281.

use crate::evidence::groups::Voters;
use crate::strategy::placements::Strategy;

/// The words for the measures, in the order of the columns.
pub const MEASURES: [&str; COUNT] = [
    "neighbours",
    "rank",
    "between",
    "radius",
    "shown",
    "error",
    "unplaced",
    "knn_fitted",
    "knn_loo",
];

pub(crate) const COUNT: usize = 9;

/// Those by which a strategy is called better, and whether larger is; the last needs classes.
const BASIS: [(usize, f64); 4] = [(0, 1.0), (1, 1.0), (2, -1.0), (8, 1.0)];

/// A difference of more than so many standard errors is one.
const ERRORS: f64 = 2.0;

/// A smaller one is not worth a word, and may be rounding.
const LEAST: f64 = 1e-4;

/// Nearest objects that are compared.
const NEAREST: usize = 10;

/// Nearest objects that vote.
const VOTERS: usize = 5;

/// One strategy, over all folds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scores {
    /// The strategy.
    pub strategy: Strategy,
    /// Each of [`MEASURES`], the mean over folds; NaN where there is nothing to say.
    pub values: [f64; COUNT],
    /// What they have above project's, the mean over folds.
    pub differences: [f64; COUNT],
    /// The standard errors of these.
    pub errors: [f64; COUNT],
}

/// Strategies on the old objects, by folds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// Project first.
    pub scores: Vec<Scores>,
    /// Into how many folds the objects were divided.
    pub folds: usize,
    /// How often.
    pub repeats: usize,
    /// By which seed.
    pub seed: u64,
}

impl Evaluation {
    /// From the measures of each strategy in each fold; `ratio` is n_test/n_train.
    pub(crate) fn of(
        strategies: &[Strategy],
        by_fold: &[Vec<[f64; COUNT]>],
        (folds, repeats, seed): (usize, usize, u64),
        ratio: f64,
    ) -> Self {
        let scores = (strategies.iter().enumerate()).map(|(s, &strategy)| {
            let mut row = Scores {
                strategy,
                values: [f64::NAN; COUNT],
                differences: [f64::NAN; COUNT],
                errors: [f64::NAN; COUNT],
            };
            for measure in 0..COUNT {
                let values: Vec<f64> = by_fold.iter().map(|f| f[s][measure]).collect();
                row.values[measure] = mean(&values);
                let steps = by_fold.iter().map(|f| f[s][measure] - f[0][measure]);
                let steps: Vec<f64> = steps.filter(|d| !d.is_nan()).collect();
                row.differences[measure] = mean(&steps);
                row.errors[measure] = standard_error(&steps, ratio);
            }
            row
        });
        Self {
            scores: scores.collect(),
            folds,
            repeats,
            seed,
        }
    }

    /// What to do, in a sentence.
    pub fn sentence(&self) -> String {
        let said = |s: &Scores, sign: f64| -> Vec<String> {
            let beyond = BASIS.iter().filter(|(m, larger)| {
                let step = larger * sign * s.differences[*m];
                // An error that is not known (NaN) is never exceeded.
                step > LEAST && step > ERRORS * s.errors[*m]
            });
            let number = |m: usize| {
                let (by, error) = (s.differences[m], s.errors[m]);
                format!("{} {by:+.4} ± {error:.4}", MEASURES[m])
            };
            beyond.map(|(m, _)| number(*m)).collect()
        };
        let mut parts = Vec::new();
        for s in self.scores.iter().skip(1) {
            let (better, worse) = (said(s, 1.0), said(s, -1.0));
            let word = s.strategy.word();
            match (better.is_empty(), worse.is_empty()) {
                (true, _) => {}
                (false, true) => parts.push(format!(
                    "{word} is better than project by more than two standard errors ({}) and in nothing worse",
                    better.join(", ")
                )),
                (false, false) => parts.push(format!(
                    "{word} is better than project by more than two standard errors in some ({}) and worse in others ({})",
                    better.join(", "),
                    worse.join(", ")
                )),
            }
        }
        if self.scores.len() < 2 {
            return "only project was tried".into();
        }
        if parts.is_empty() {
            return "no strategy is better by more than two standard errors: use project".into();
        }
        parts.join("; ")
    }
}

/// Objects that were kept apart, on the map of the others.
pub(crate) struct Fold<'a> {
    /// The others' coordinates, row by row.
    pub old: &'a [f64],
    /// d.
    pub dimensions: usize,
    /// Given distances from each to each of the others, row by row.
    pub given: &'a [f64],
    /// Given distances among them, row by row.
    pub among: &'a [f64],
    /// Classes of the others and theirs, and how many there are.
    pub classes: Option<(&'a [usize], &'a [usize], usize)>,
}

impl Fold<'_> {
    /// The measures of placements `new`, row by row, NaN for those that have none; `left_out` are the others' leave-one-out places by
    /// the same strategy, if they are to be had.
    pub(crate) fn measure(&self, new: &[f64], left_out: Option<&[f64]>) -> [f64; COUNT] {
        let d = self.dimensions;
        let (n, k) = (self.old.len() / d, new.len() / d);
        let placed: Vec<usize> = (0..k).filter(|&i| !new[i * d].is_nan()).collect();
        let point = |i: usize| &new[i * d..(i + 1) * d];
        let (mut neighbours, mut rank) = (Vec::new(), Vec::new());
        let (mut sums, mut squares) = ([0.0; 2], [0.0; 2]);
        for &i in &placed {
            let given = &self.given[i * n..(i + 1) * n];
            let shown: Vec<f64> = self
                .old
                .chunks_exact(d)
                .map(|x| apart(x, point(i)))
                .collect();
            neighbours.push(recall(given, &shown));
            rank.push(correlation(&ranks(given), &ranks(&shown)));
            for (given, shown) in given.iter().zip(&shown) {
                sums[0] += shown;
                sums[1] += given;
                squares[0] += (shown - given).powi(2);
                squares[1] += given * given;
            }
        }
        let mut between = [0.0; 2];
        for (a, &i) in placed.iter().enumerate() {
            for &j in &placed[..a] {
                let given = self.among[i * k + j];
                between[0] += (apart(point(i), point(j)) - given).powi(2);
                between[1] += given * given;
            }
        }
        let vote = |places: &[f64]| self.found(places, new);
        [
            mean(&neighbours),
            mean(&rank),
            (between[0] / between[1]).sqrt(),
            self.radius(&placed, new),
            sums[0] / sums[1],
            (squares[0] / squares[1]).sqrt(),
            (k - placed.len()) as f64 / k as f64,
            vote(self.old),
            left_out.map_or(f64::NAN, vote),
        ]
    }

    /// The median distance from the others' centroid, new beside old.
    fn radius(&self, placed: &[usize], new: &[f64]) -> f64 {
        let d = self.dimensions;
        let count = (self.old.len() / d) as f64;
        let mut centre = vec![0.0; d];
        for x in self.old.chunks_exact(d) {
            centre.iter_mut().zip(x).for_each(|(c, x)| *c += x / count);
        }
        let out = |y: &[f64]| apart(y, &centre);
        let new = placed.iter().map(|&i| out(&new[i * d..(i + 1) * d]));
        median(new.collect()) / median(self.old.chunks_exact(d).map(out).collect())
    }

    /// How often a vote of objects at `places` finds the class.
    fn found(&self, places: &[f64], new: &[f64]) -> f64 {
        let Some((old, own, count)) = self.classes else {
            return f64::NAN;
        };
        let voters = Voters {
            places,
            dimensions: self.dimensions,
            groups: old,
            count,
            voters: VOTERS.min(old.len()),
        };
        let asked = new.chunks_exact(self.dimensions).zip(own);
        let found = asked.filter_map(|(y, own)| Some(voters.vote(y, None)?.1 == *own));
        mean(
            &found
                .map(|right| f64::from(u8::from(right)))
                .collect::<Vec<_>>(),
        )
    }
}

/// ‖x − y‖.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    let squares = x.iter().zip(y).map(|(x, y)| (x - y).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The mean of what is known; NaN if nothing is.
fn mean(values: &[f64]) -> f64 {
    let known = values.iter().filter(|v| !v.is_nan());
    let count = known.clone().count();
    known.sum::<f64>() / count as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        _ => 0.5 * (values[(n - 1) / 2] + values[n / 2]),
    }
}

/// √((1/J + ratio) s²); NaN for fewer than two.
fn standard_error(steps: &[f64], ratio: f64) -> f64 {
    let (count, centre) = (steps.len() as f64, mean(steps));
    let squares: f64 = steps.iter().map(|d| (d - centre).powi(2)).sum();
    ((1.0 / count + ratio) * squares / (count - 1.0)).sqrt()
}

/// Of the nearest as shown, the share that is as near as given as the last of the nearest as given: ties are all as good.
fn recall(given: &[f64], shown: &[f64]) -> f64 {
    let count = NEAREST.min(given.len());
    let mut sorted = given.to_vec();
    let (_, last, _) = sorted.select_nth_unstable_by(count - 1, f64::total_cmp);
    let last = *last;
    let mut order: Vec<usize> = (0..shown.len()).collect();
    order.select_nth_unstable_by(count - 1, |&a, &b| {
        shown[a].total_cmp(&shown[b]).then(a.cmp(&b))
    });
    let right = order[..count].iter().filter(|&&j| given[j] <= last).count();
    right as f64 / count as f64
}

/// Ranks from 0, equal values having the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let same = |i: &&usize| values[**i] == values[order[first]];
        let count = order[first..].iter().take_while(same).count();
        let rank = first as f64 + 0.5 * (count - 1) as f64;
        order[first..first + count]
            .iter()
            .for_each(|&i| ranks[i] = rank);
        first += count;
    }
    ranks
}

/// Pearson's correlation; NaN if one of the two does not vary.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (a, b) = (mean(x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xy += (x - a) * (y - b);
        xx += (x - a) * (x - a);
        yy += (y - b) * (y - b);
    }
    if xx > 0.0 && yy > 0.0 {
        xy / (xx * yy).sqrt()
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects placed exactly where they are score perfectly; twice as far out, by the factor.
    #[test]
    fn perfect_placements_score_perfectly() {
        let old: Vec<f64> = (0..60).map(|i| ((i * 37) % 61) as f64).collect();
        let new: Vec<f64> = (0..24).map(|i| ((i * 23 + 7) % 61) as f64).collect();
        let points =
            |v: &[f64]| -> Vec<[f64; 2]> { v.chunks_exact(2).map(|p| [p[0], p[1]]).collect() };
        let distances = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let (a, b) = (points(a), points(b));
            a.iter()
                .flat_map(|x| b.iter().map(move |y| apart(x, y)))
                .collect()
        };
        let (given, among) = (distances(&new, &old), distances(&new, &new));
        let fold = Fold {
            old: &old,
            dimensions: 2,
            given: &given,
            among: &among,
            classes: None,
        };
        let perfect = fold.measure(&new, None);
        assert_eq!(perfect[0], 1.0);
        assert!((perfect[1] - 1.0).abs() < 1e-12 && perfect[2] < 1e-12);
        assert!((perfect[4] - 1.0).abs() < 1e-12 && perfect[5] < 1e-12);
        assert_eq!((perfect[6], perfect[7].is_nan()), (0.0, true));
        // Halved about the old objects' centroid: radius and distances among them are halved.
        let centre = [0, 1].map(|j| old.iter().skip(j).step_by(2).sum::<f64>() / 30.0);
        let halved: Vec<f64> = (new.iter().enumerate())
            .map(|(at, v)| centre[at % 2] + 0.5 * (v - centre[at % 2]))
            .collect();
        let scores = fold.measure(&halved, None);
        assert!((scores[3] - 0.5 * perfect[3]).abs() < 1e-12);
        assert!((scores[2] - 0.5).abs() < 1e-12);
        // Who has no place is counted, and nothing else.
        let mut some = new.clone();
        some[0] = f64::NAN;
        assert_eq!(fold.measure(&some, None)[6], 1.0 / 12.0);
    }

    /// Ties share their rank, and the tenth nearest is as good as one that is as far.
    #[test]
    fn ties_are_all_as_good() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 0.0]), [2.5, 1.0, 2.5, 0.0]);
        let given: Vec<f64> = (0..20).map(|i| (i / 15) as f64).collect();
        let shown: Vec<f64> = (0..20).map(|i| ((i + 10) % 20) as f64).collect();
        assert_eq!(recall(&given, &shown), 0.5);
        assert!((correlation(&[0.0, 1.0, 2.0], &[4.0, 2.0, 0.0]) + 1.0).abs() < 1e-12);
    }

    /// Differences are paired, their errors as Nadeau and Bengio have them, and the sentence follows.
    #[test]
    fn differences_are_paired() {
        let strategies = [Strategy::Project, Strategy::Reconstruct];
        let fold = |f: f64, step: f64| {
            let mut rows = vec![[f; COUNT]; 2];
            rows[1].iter_mut().for_each(|v| *v -= step);
            rows
        };
        let by_fold = [fold(1.0, 0.1), fold(5.0, 0.2), fold(3.0, 0.3)];
        let evaluation = Evaluation::of(&strategies, &by_fold, (3, 1, 1), 0.5);
        let row = &evaluation.scores[1];
        assert!((row.differences[2] + 0.2).abs() < 1e-12);
        assert!((row.errors[2] - ((1.0f64 / 3.0 + 0.5) * 0.01).sqrt()).abs() < 1e-12);
        assert_eq!(evaluation.scores[0].errors[2], 0.0);
        // Smaller neighbours are worse, a smaller stress between them is better.
        let said = evaluation.sentence();
        assert!(
            said.contains("in some (between -0.2000")
                && said.contains("worse in others (neighbours")
        );
        let none = Evaluation::of(
            &strategies,
            &[fold(1.0, 0.0), fold(2.0, 0.0)],
            (2, 1, 1),
            1.0,
        );
        assert!(none.sentence().ends_with("use project"));
    }
}
