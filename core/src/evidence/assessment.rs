//! When to refit: does a batch of newcomers differ from the old objects, and would a map of all look different for it?
//!
//! Two questions, as neither alone is enough. A batch of their own kind moves the axes a little too, and a single stranger does
//! not.
//!
//! ```text
//! (1) they differ      x = #{p_outside ≤ α},  P(X ≥ x) < 0.01,  X ~ beta-binomial(k, a, n + 1 − a),  a = ⌊α(n+1)⌋
//! (2) it matters       L = λ_max(β − ŶŶ')/c_d > 1,   without what is between them   Σ_j (ρ_j² − mean r_(i))/c_d > 1
//! ```
//!
//! with α = 0.1. Both: *refit*. The first alone: *watch*. Otherwise *fine*. In (1) it is a/(n+1) rather than α that p_outside is at
//! most α with: on small maps α itself is not attained. And as all newcomers are measured by the same n old objects, X is not
//! binomial: of n + k objects drawn alike, x newcomers are beyond the a-th largest old one as often as Pólya's urn says, which is
//! the beta-binomial. For k ≪ n it is the binomial; for k ≫ n the binomial would alarm on ordinary batches. β − ŶŶ' is what of the
//! newcomers is outside the map's space: an axis of its own in a map of all as soon as it outweighs the last axis of this one.
//!
//! # References
//! Marques (2025), Universal distribution of the empirical coverage in split conformal prediction, Stat. Probab. Lett. 219.

use crate::number::rounded;

/// Newcomers are counted whose p_outside is at most this.
const ALPHA: f64 = 0.1;

/// What would happen less often than this if they were of the old objects' kind says that they differ.
const CHANCE: f64 = 0.01;

/// What to do about a batch of newcomers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// They do not differ from the old objects.
    Fine,
    /// They differ, but the map would hardly.
    Watch,
    /// They differ, and a map of all would have other axes.
    Refit,
    /// It cannot be said: residuals are not known, or there are too few old objects.
    Unknown,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fine => "fine",
            Verdict::Watch => "watch",
            Verdict::Refit => "refit",
            Verdict::Unknown => "unknown",
        }
    }
}

/// Whether a batch of newcomers calls for another map, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Assessment {
    /// What to do.
    pub verdict: Verdict,
    /// Newcomers whose `p_outside` is known.
    pub newcomers: usize,
    /// Those of them with `p_outside` of at most 0.1.
    pub unlike: usize,
    /// The share of newcomers of the old objects' kind of which that is true: 0.1, or what this map attains below it.
    pub level: f64,
    /// How likely so many are, if all are of the old objects' kind.
    pub chance: f64,
    /// L, what of the newcomers is outside the map's space beside its last axis; NaN if it is not known.
    pub weight: f64,
    /// Whether L is from what is between the newcomers, or only a bound from each by itself.
    pub between: bool,
}

/// What is known of a batch.
pub(crate) struct Batch<'a> {
    /// p_outside of each, NaN where it is not known.
    pub outside: &'a [f64],
    /// ρ² of each, likewise.
    pub residuals: &'a [f64],
    /// λ_max(β − ŶŶ'), if what is between them is known.
    pub largest: Option<f64>,
}

/// What is known of the map.
pub(crate) struct Ground {
    /// How many old objects p_outside is counted among.
    pub count: usize,
    /// Whether it is counted from both tails.
    pub two_sided: bool,
    /// The mean of r_(i).
    pub mean: f64,
    /// c_d.
    pub flattest: f64,
}

impl Ground {
    /// a, how many of the n + 1 ranks have p_outside ≤ α.
    fn attained(&self) -> usize {
        // 0.1 · 30 is above 3 in floating point only.
        let ranks = |share: f64| (share * (self.count + 1) as f64 * (1.0 + 1e-12)).floor() as usize;
        if self.two_sided {
            2 * ranks(0.5 * ALPHA)
        } else {
            ranks(ALPHA)
        }
    }
}

impl Assessment {
    pub(crate) fn of(batch: &Batch<'_>, ground: &Ground) -> Self {
        let known = batch.outside.iter().filter(|p| !p.is_nan());
        let newcomers = known.clone().count();
        let unlike = known.filter(|p| **p <= ALPHA).count();
        let (a, n) = (ground.attained(), ground.count);
        let residuals = batch.residuals.iter().filter(|r| !r.is_nan());
        let excess: f64 = residuals.map(|r| r - ground.mean).sum();
        let mut assessment = Self {
            verdict: Verdict::Unknown,
            newcomers,
            unlike,
            level: a as f64 / (n + 1) as f64,
            chance: f64::NAN,
            weight: f64::NAN,
            between: batch.largest.is_some(),
        };
        if newcomers == 0 || a == 0 {
            return assessment;
        }
        assessment.chance = upper_tail(unlike, newcomers, a, n + 1 - a);
        assessment.weight = batch.largest.unwrap_or(excess) / ground.flattest;
        assessment.verdict = match (assessment.chance < CHANCE, assessment.weight > 1.0) {
            (false, _) => Verdict::Fine,
            (true, false) => Verdict::Watch,
            (true, true) => Verdict::Refit,
        };
        assessment
    }

    /// The verdict and its numbers, in a sentence.
    pub fn sentence(&self) -> String {
        if self.verdict == Verdict::Unknown {
            let why = if self.newcomers == 0 {
                "how far the newcomers are from the map's space is not known (of similarities, their own to themselves are needed)"
            } else {
                "there are too few old objects to measure them by"
            };
            return format!("no verdict on whether to fit the map anew: {why}");
        }
        let numbers = format!(
            "{} of {} newcomers have p_outside ≤ {ALPHA}, where {:.1} of the old objects' kind would (chance {})",
            self.unlike,
            self.newcomers,
            self.level * self.newcomers as f64,
            said(self.chance),
        );
        let weight = rounded(self.weight);
        match self.verdict {
            Verdict::Watch => format!(
                "watch: {numbers}, but what the map does not show of them is {weight} of its last axis: a map of all would \
                 hardly be another"
            ),
            Verdict::Refit => format!(
                "refit: {numbers}, and what the map does not show of them is {weight} times its last axis: fit the map anew \
                 with them"
            ),
            _ => format!("fine: {numbers}"),
        }
    }
}

/// A probability for reading.
fn said(chance: f64) -> String {
    if chance < f64::MIN_POSITIVE {
        "below 1e-300".to_owned()
    } else if chance < 0.001 {
        format!("{chance:.0e}")
    } else {
        format!("{chance:.3}")
    }
}

/// P(X ≥ x) for X ~ beta-binomial(k, a, b), a and b > 0: P(X = 0) = Π (b+i)/(a+b+i), and each term from the one before.
fn upper_tail(x: usize, k: usize, a: usize, b: usize) -> f64 {
    let (a, b) = (a as f64, b as f64);
    let first: f64 = (0..k).map(|i| (-a / (a + b + i as f64)).ln_1p()).sum();
    let mut log = first;
    let mut tail = 0.0;
    for j in 0..=k {
        if j >= x {
            tail += log.exp();
        }
        let (j, rest) = (j as f64, (k - j) as f64);
        log += (rest / (j + 1.0) * (j + a) / (rest - 1.0 + b)).ln();
    }
    tail.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_is_never_said_to_be_nothing() {
        assert_eq!(said(0.0), "below 1e-300");
        assert_eq!(said(6.4e-35), "6e-35");
        assert_eq!(said(0.2571), "0.257");
    }

    /// Counted over every order in which k newcomers can fall among n old objects.
    #[test]
    fn the_tail_is_a_count_of_orders() {
        // Each of C(n+k, k) sets of ranks is as likely; x are beyond the a-th largest old object.
        for (n, k, a) in [(4usize, 3usize, 1usize), (5, 4, 2), (3, 5, 3)] {
            let mut counts = vec![0usize; k + 1];
            for set in 0u32..1 << (n + k) {
                if set.count_ones() as usize != k {
                    continue;
                }
                // From the largest down: newcomers met before the a-th old one.
                let (mut old, mut beyond) = (0, 0);
                for rank in 0..n + k {
                    if set >> rank & 1 == 1 {
                        beyond += usize::from(old < a);
                    } else {
                        old += 1;
                    }
                }
                counts[beyond] += 1;
            }
            let all: usize = counts.iter().sum();
            for x in 0..=k {
                let counted = counts[x..].iter().sum::<usize>() as f64 / all as f64;
                let found = upper_tail(x, k, a, n + 1 - a);
                assert!((found - counted).abs() < 1e-12, "{x} {found} {counted}");
            }
        }
    }

    /// With many old objects it is the binomial's.
    #[test]
    fn many_old_objects_make_it_binomial() {
        let n = 10_000_000usize;
        let found = upper_tail(3, 5, n / 10, n - n / 10);
        assert!((found - 0.00856).abs() < 1e-6, "{found}");
        assert_eq!(upper_tail(0, 7, 1, 9), 1.0);
    }

    fn ground(count: usize, two_sided: bool) -> Ground {
        Ground {
            count,
            two_sided,
            mean: 1.0,
            flattest: 10.0,
        }
    }

    /// What a map of n objects attains at 0.1, from one tail and from both.
    #[test]
    fn levels_are_those_that_are_attained() {
        for (n, one, two) in [(8, 0, 0), (9, 1, 0), (19, 2, 2), (29, 3, 2), (50, 5, 4)] {
            assert_eq!(ground(n, false).attained(), one, "{n}");
            assert_eq!(ground(n, true).attained(), two, "{n}");
        }
    }

    /// Each verdict from its numbers, one changed at a time.
    #[test]
    fn verdicts_follow_from_the_two_questions() {
        let of = |p: f64, residual: f64, largest: Option<f64>, count: usize| {
            let batch = Batch {
                outside: &[p; 8],
                residuals: &[residual; 8],
                largest,
            };
            Assessment::of(&batch, &ground(count, false))
        };
        assert_eq!(of(0.5, 3.0, None, 99).verdict, Verdict::Fine);
        assert_eq!(of(0.01, 2.0, None, 99).verdict, Verdict::Watch);
        assert_eq!(of(0.01, 3.0, None, 99).verdict, Verdict::Refit);
        assert_eq!(of(0.01, 3.0, Some(9.0), 99).verdict, Verdict::Watch);
        assert_eq!(of(0.01, 2.0, Some(11.0), 99).verdict, Verdict::Refit);
        assert_eq!(of(0.01, 3.0, None, 8).verdict, Verdict::Unknown);
        let unknown = of(f64::NAN, f64::NAN, None, 99);
        assert_eq!((unknown.verdict, unknown.newcomers), (Verdict::Unknown, 0));
        assert!(unknown.sentence().contains("to themselves"));
        let refit = of(0.01, 3.0, None, 99);
        assert_eq!((refit.weight, refit.unlike, refit.level), (1.6, 8, 0.1));
        assert!(refit.sentence().starts_with("refit: 8 of 8"));
    }
}
