//! Novelty: does a newcomer look like one of the old objects?
//!
//! The old objects, each left out ([`crate::fit::leave_one_out`]), are what newcomers drawn as they were would be. So the share of
//! them that is at least as strange as a newcomer is a p-value: among newcomers of their kind, p ≤ α in about α of the cases.
//!
//! ```text
//! p_outside = (1 + #{r_(i) ≥ r})/(n+1)             far from the map's space: r = β − ŷ'ŷ, if no r_(i) < 0
//!           = min(1, 2·min(upper, lower))          from either tail if some are: then r < 0 is nothing special by itself
//! p_inside  = (1 + #{T²_(i) ≥ T²})/(n+1)           far out within the map: T² = (n−1) ŷ'C⁻¹ŷ, T²_(i) = (n−2) Σ y_(i)a²/μ_a
//! p         = (1 + #{m_(i) ≤ m})/(n+1)             either: m = min(p_outside, p_inside), m_(i) likewise, all among the same n + 1;
//!                                                  of equal m the one that is farther beyond the others is the stranger
//! p_nearest = (1 + #{t_(i) ≤ t})/(n+1)             far from every old object: t of the nearest; sees gaps inside the map
//! ```
//!
//! How p is counted is in [`super::conformal`]. The smallest is 1/(n+1), and outside the map's space 2/(n+1) where both tails count, so
//! that fewer than nineteen objects, or thirty-nine, tell nobody apart at 0.05; the true rate of one map scatters about α by
//! √(α(1−α)/n); and the old objects must have been sampled rather than chosen. No limit of F or χ² is asked: on small maps they are
//! wrong by factors.
//!
//! # References
//! Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World. Benjamini and Hochberg (1995), Controlling the
//! false discovery rate, J. R. Stat. Soc. B 57:289–300.

use super::conformal::{Conformal, Places};
use crate::evidence::assessment::Ground;
use crate::place::compare::{LEVEL, never_below};

/// A residual below this many units of n ε beside the largest β is zero: rounding must not choose the rule.
const ZERO_UNITS: f64 = 64.0;

/// What is measured of one object; NaN where it is not known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measures {
    /// r.
    pub residual: f64,
    /// β, by which rounding in r is judged.
    pub beta: f64,
    /// T².
    pub extent: f64,
    /// t of the nearest old object.
    pub nearest: f64,
}

/// How strange one object is beside the old ones; NaN where it cannot be said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Novelty {
    pub p: f64,
    pub outside: f64,
    pub inside: f64,
    pub nearest: f64,
}

/// The old objects' own measures, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Yardstick {
    /// r_(i), ascending.
    residuals: Vec<f64>,
    /// Whether some of them are negative.
    two_sided: bool,
    /// The largest β.
    largest: f64,
    /// What counts as rounding beside β.
    unit: f64,
    /// T²_(i), ascending.
    extents: Vec<f64>,
    /// Those of whom both are known.
    both: Conformal,
    /// t_(i) of the nearest, ascending.
    nearest: Vec<f64>,
    /// r_(i)/β_(i), ascending.
    shares: Vec<f64>,
}

/// Whom an object is counted among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    /// It is one of the old objects.
    Them,
    /// It comes beside them.
    Beside,
}

impl Among {
    /// The share of `count` old objects and the object itself, of whom `reached` old ones (itself too, if it is one) are
    /// as strange.
    fn share(self, reached: usize, count: usize) -> f64 {
        match self {
            _ if count == 0 => f64::NAN,
            Among::Them => reached as f64 / count as f64,
            Among::Beside => (1 + reached) as f64 / (count + 1) as f64,
        }
    }
}

impl Yardstick {
    /// From what is measured of each old object on a diagram of `size` objects.
    pub(crate) fn new(old: &[Measures], size: usize) -> Self {
        let betas = old.iter().map(|o| o.beta).filter(|b| !b.is_nan());
        let mut all = Self {
            residuals: Vec::new(),
            two_sided: false,
            largest: betas.fold(0.0, f64::max),
            unit: ZERO_UNITS * size as f64 * f64::EPSILON,
            extents: ascending(old.iter().map(|o| o.extent)),
            both: Conformal::new(&[], false),
            nearest: ascending(old.iter().map(|o| o.nearest)),
            shares: ascending(old.iter().map(|o| o.residual / o.beta)),
        };
        all.residuals = ascending(old.iter().map(|o| all.residual(o)));
        all.two_sided = all.residuals.first().is_some_and(|r| *r < 0.0);
        let known = old.iter().map(|o| (all.residual(o), o.extent));
        let known: Vec<_> = known.filter(|(r, t)| !(r.is_nan() || t.is_nan())).collect();
        all.both = Conformal::new(&known, all.two_sided);
        all
    }

    /// The smallest p outside the map's space; NaN if it is not known of anybody.
    pub(crate) fn smallest(&self) -> f64 {
        let smallest = Among::Beside.share(0, self.both.count());
        if self.two_sided {
            (2.0 * smallest).min(1.0)
        } else {
            smallest
        }
    }

    /// r_(i) and T²_(i), ascending.
    pub(crate) fn old_measures(&self) -> (&[f64], &[f64]) {
        (&self.residuals, &self.extents)
    }

    /// The median share of their squared distance from the centre that the map does not show; NaN if none is known.
    pub(crate) fn old_share(&self) -> f64 {
        let middle = self.shares.len() / 2;
        self.shares.get(middle).copied().unwrap_or(f64::NAN)
    }

    /// What batches are judged by, on a map whose last axis has the eigenvalue `flattest`.
    pub(crate) fn ground(&self, flattest: f64) -> Ground {
        let count = self.residuals.len();
        Ground {
            count,
            two_sided: self.two_sided,
            mean: self.residuals.iter().sum::<f64>() / count as f64,
            flattest,
        }
    }

    /// How strange a newcomer is.
    pub(crate) fn newcomer(&self, object: &Measures) -> Novelty {
        self.of(object, Among::Beside)
    }

    /// How strange one of the old objects is among them.
    pub(crate) fn old(&self, object: &Measures) -> Novelty {
        self.of(object, Among::Them)
    }

    fn of(&self, object: &Measures, among: Among) -> Novelty {
        let (residual, extent) = (self.residual(object), object.extent);
        let known = !(residual.is_nan() || extent.is_nan());
        let places = known.then(|| self.both.places(residual, extent));
        let p = places.map_or(f64::NAN, |places| match among {
            Among::Them => self.both.old(residual, extent),
            Among::Beside => self.both.newcomer((residual, extent), places),
        });
        Novelty {
            p,
            outside: self.outside(residual, places, among),
            inside: self.inside(extent, places, among),
            nearest: or_nan(object.nearest, |t| {
                let reached = self.nearest.partition_point(|v| *v <= t);
                among.share(reached, self.nearest.len())
            }),
        }
    }

    /// r, without its rounding.
    fn residual(&self, object: &Measures) -> f64 {
        let r = object.residual;
        if r.abs() <= self.unit * self.largest.max(object.beta) {
            0.0
        } else {
            r
        }
    }

    /// Where an object stands among those of whom both measures are known is where it stands among all, if that is everybody.
    fn outside(&self, r: f64, places: Option<Places>, among: Among) -> f64 {
        or_nan(r, |r| {
            let n = self.residuals.len();
            let (below, up_to) = match places {
                Some(places) if self.both.count() == n => {
                    (places.residuals_below, places.residuals_up_to)
                }
                _ => (
                    self.residuals.partition_point(|v| *v < r),
                    self.residuals.partition_point(|v| *v <= r),
                ),
            };
            let upper = among.share(n - below, n);
            if self.two_sided {
                (2.0 * upper.min(among.share(up_to, n))).min(1.0)
            } else if r < 0.0 {
                among.share(0, n)
            } else {
                upper
            }
        })
    }

    fn inside(&self, extent: f64, places: Option<Places>, among: Among) -> f64 {
        or_nan(extent, |extent| {
            let n = self.extents.len();
            let below = match places {
                Some(places) if self.both.count() == n => places.extents_below,
                _ => self.extents.partition_point(|v| *v < extent),
            };
            among.share(n - below, n)
        })
    }
}

fn or_nan(value: f64, then: impl FnOnce(f64) -> f64) -> f64 {
    if value.is_nan() { value } else { then(value) }
}

fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut known: Vec<f64> = values.filter(|v| !v.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    known
}

/// How many of several newcomers are unlike the old objects, in a sentence; none for fewer than two, or if nothing is known.
/// `smallest` is that of the map ([`crate::Map::smallest_p`]): above the level, that nobody is found says nothing.
pub fn batch_sentence(p: &[f64], smallest: f64) -> Option<String> {
    let known = p.iter().filter(|p| !p.is_nan()).count();
    if known < 2 {
        return None;
    }
    let rate = format!("false discovery rate {:.0} %", 100.0 * LEVEL);
    // So many with the smallest p are needed before any is found.
    let needed = (smallest * known as f64 / LEVEL * (1.0 - 1e-12)).ceil();
    Some(match discoveries(p, LEVEL).len() {
        0 if smallest > LEVEL => format!(
            "the old objects are too few to tell newcomers apart from them at {:.0} %: {}",
            100.0 * LEVEL,
            never_below(smallest)
        ),
        0 if needed > 1.0 => format!(
            "none of {known} newcomers is told apart from the old objects ({rate}; with so few old objects, fewer than {needed} strangers \
             among {known} cannot be)"
        ),
        0 => format!("none of {known} newcomers is told apart from the old objects ({rate})"),
        1 => format!("1 of {known} newcomers is unlike the old objects ({rate})"),
        some => format!("{some} of {known} newcomers are unlike the old objects ({rate})"),
    })
}

/// Which of many newcomers are unlike the old objects with a false discovery rate of at most `rate`, by Benjamini and
/// Hochberg: those whose p is at most the largest p_(j) ≤ rate·j/k, of the k that are known.
pub fn discoveries(p: &[f64], rate: f64) -> Vec<usize> {
    let known = ascending(p.iter().copied());
    let k = known.len() as f64;
    let last = (known.iter().enumerate()).rfind(|(j, p)| **p <= rate * (j + 1) as f64 / k);
    match last {
        Some((_, most)) => (0..p.len()).filter(|&i| p[i] <= *most).collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(residual: f64, extent: f64) -> Measures {
        Measures {
            residual,
            beta: residual.abs() + extent,
            extent,
            nearest: -extent,
        }
    }

    /// Counted one by one, on a map without negative residuals.
    #[test]
    fn shares_are_counts() {
        let old: Vec<Measures> = (0..9)
            .map(|i| measures((i * i) as f64, ((5 * i) % 9) as f64))
            .collect();
        let yardstick = Yardstick::new(&old, 9);
        for (r, t) in [(0.0, 0.5), (16.0, 3.0), (70.0, 9.0), (-1.0, 2.0)] {
            let found = yardstick.newcomer(&measures(r, t));
            let count = |f: &dyn Fn(&Measures) -> bool| old.iter().filter(|o| f(o)).count() as f64;
            let outside = match r < 0.0 {
                true => 0.1,
                false => (1.0 + count(&|o| o.residual >= r)) / 10.0,
            };
            assert_eq!(found.outside, outside);
            assert_eq!(found.inside, (1.0 + count(&|o| o.extent >= t)) / 10.0);
            assert_eq!(found.nearest, (1.0 + count(&|o| o.extent >= t)) / 10.0);
        }
        // Among themselves the shares are those of the ranks.
        let mut all: Vec<f64> = old.iter().map(|o| yardstick.old(o).outside).collect();
        all.sort_by(f64::total_cmp);
        for (i, p) in all.iter().enumerate() {
            assert_eq!(*p, (i + 1) as f64 / 9.0);
        }
    }

    /// Where old residuals are negative both tails are strange; rounding alone does not make them so.
    #[test]
    fn both_tails_where_residuals_are_negative() {
        let old: Vec<Measures> = (-9..10).map(|i| measures(i as f64, 1.0)).collect();
        let yardstick = Yardstick::new(&old, 19);
        assert_eq!(yardstick.newcomer(&measures(50.0, 1.0)).outside, 0.1);
        assert_eq!(yardstick.smallest(), 0.1);
        assert_eq!(yardstick.newcomer(&measures(-50.0, 1.0)).outside, 0.1);
        assert_eq!(yardstick.newcomer(&measures(0.0, 1.0)).outside, 1.0);
        let old: Vec<Measures> = (0..19)
            .map(|i| measures(1e-16 * (i as f64 - 9.0), 1.0))
            .collect();
        let yardstick = Yardstick::new(&old, 19);
        assert_eq!(yardstick.newcomer(&measures(-1e-16, 1.0)).outside, 1.0);
        assert_eq!(yardstick.newcomer(&measures(1.0, 1.0)).outside, 0.05);
        assert_eq!(yardstick.smallest(), 0.05);
    }

    /// What is not known is said so, and left out of the counts.
    #[test]
    fn what_is_not_known_is_not_counted() {
        let mut old: Vec<Measures> = (1..5).map(|i| measures(i as f64, i as f64)).collect();
        old.push(measures(f64::NAN, f64::NAN));
        let yardstick = Yardstick::new(&old, 5);
        assert_eq!(yardstick.newcomer(&measures(9.0, 9.0)).p, 0.2);
        let unknown = yardstick.newcomer(&measures(f64::NAN, 2.0));
        assert!(unknown.p.is_nan() && unknown.outside.is_nan());
        let nobody = Yardstick::new(&old[4..], 5).newcomer(&measures(1.0, 1.0));
        assert!(nobody.p.is_nan() && nobody.inside.is_nan());
    }

    /// The step-up rule, on the numbers of its definition.
    #[test]
    fn discoveries_step_up() {
        let p = [0.9, 0.01, f64::NAN, 0.029, 0.02, 0.6];
        assert_eq!(discoveries(&p, 0.05), [1, 3, 4]);
        assert_eq!(discoveries(&p, 0.02), [0usize; 0]);
        assert_eq!(discoveries(&[], 0.05), [0usize; 0]);
    }
}
