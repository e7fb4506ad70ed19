//! The conformal minimum: one p from two measures, with old objects and newcomer ranked among the same n + 1.
//!
//! For each of the n + 1 objects that a newcomer and the old ones are together, let m be the smaller of its two ranks among
//! them all, counted from the strange end: of being outside the map's space, and of being far out within it. Then
//!
//! ```text
//! p = #{objects at least as strange as the newcomer}/(n+1)        stranger: m is smaller, or m is the same and x larger
//! ```
//!
//! is at most α in at most α of the cases if all were drawn alike, whatever the two measures are. Ranking old objects among
//! themselves and the newcomer among one more is not: the newcomer's m are then smaller by chance.
//!
//! Ties are the rule, not the exception: the farthest outside and the farthest within both have m = 1, whoever they are. If they
//! counted as equally strange, nobody who is strange in one way would have a p below 2/(n+1), and below 4/(n+1) where residuals
//! are strange in both tails. So a tie is broken by x, how far an object is beyond the median in units of what a quarter of all are
//! ((v − q₂)/(q₃ − q₂), the larger of the two measures'; below the median likewise where that tail is strange). Quartiles are those of all
//! n + 1, so that nobody is distinguished, and p stays what it is said to be.
//!
//! A newcomer changes the rank of an old object by at most one, two where it is counted from both tails as 2·min(U, L). So objects are
//! kept in the order of the largest m that they can have, and one newcomer takes a search and a look at the few on the edge.
//!
//! # References
//! Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World, §2.2.

/// What p is counted among: the old objects of whom both measures are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conformal {
    two_sided: bool,
    /// r_(i), ascending.
    residuals: Vec<f64>,
    /// T²_(i), ascending.
    extents: Vec<f64>,
    /// By the largest m that they can have.
    ranked: Vec<Ranked>,
    /// How many of them cannot have an m as large as the index.
    smaller: Vec<usize>,
    /// The old objects among themselves, the strangest first.
    own: Vec<Strangeness>,
}

/// One old object, how many of the old ones are as strange, and the largest m that it can have beside a newcomer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ranked {
    residual: f64,
    extent: f64,
    ranks: Ranks,
    most: usize,
}

/// How strange an object is among some: m, and x by which ties are broken.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Strangeness {
    least: usize,
    excess: f64,
}

impl Strangeness {
    /// Whether it is as strange as another, or stranger.
    fn reaches(self, other: Self) -> bool {
        self.least < other.least || (self.least == other.least && self.excess >= other.excess)
    }
}

/// Where an object stands among the old ones: how many are below it, and how many not above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Places {
    pub residuals_below: usize,
    pub residuals_up_to: usize,
    pub extents_below: usize,
}

/// How many are at least as far outside, from above and from below, and at least as far out within.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ranks {
    upper: usize,
    lower: usize,
    inside: usize,
}

impl Conformal {
    /// From r and T² of each old object, without rounding; `two_sided` says whether both tails of r are strange.
    pub(super) fn new(known: &[(f64, f64)], two_sided: bool) -> Self {
        let sorted = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let mut values: Vec<f64> = known.iter().map(of).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        let mut all = Self {
            two_sided,
            residuals: sorted(&|o| o.0),
            extents: sorted(&|o| o.1),
            ranked: Vec::new(),
            smaller: Vec::new(),
            own: Vec::new(),
        };
        let ranked = known.iter().map(|&(residual, extent)| {
            let ranks = all.ranks(all.places(residual, extent));
            Ranked {
                residual,
                extent,
                ranks,
                most: all.least(ranks, 1),
            }
        });
        all.ranked = ranked.collect();
        all.ranked.sort_by_key(|o| o.most);
        let smaller = |m: usize| all.ranked.partition_point(|o| o.most < m);
        all.smaller = (0..=known.len() + 1).map(smaller).collect();
        let quartiles = all.quartiles();
        let own = all.ranked.iter().map(|o| Strangeness {
            least: all.least(o.ranks, 0),
            excess: quartiles.excess(o.residual, o.extent, two_sided),
        });
        all.own = own.collect();
        all.own
            .sort_by(|a, b| a.least.cmp(&b.least).then(b.excess.total_cmp(&a.excess)));
        all
    }

    /// How many old objects there are to count.
    pub(super) fn count(&self) -> usize {
        self.ranked.len()
    }

    /// Where an object with these measures stands. Nearer than any point can be is stranger than all, where no old object is.
    pub(super) fn places(&self, residual: f64, extent: f64) -> Places {
        let below = |values: &[f64], v: f64| values.partition_point(|x| *x < v);
        let residual = self.beyond_all(residual);
        let residuals_below = below(&self.residuals, residual);
        let equal = match self.residuals.get(residuals_below) {
            Some(next) if *next <= residual => {
                self.residuals[residuals_below..].partition_point(|x| *x <= residual)
            }
            _ => 0,
        };
        Places {
            residuals_below,
            residuals_up_to: residuals_below + equal,
            extents_below: below(&self.extents, extent),
        }
    }

    /// r, and ∞ where it is below 0 and nobody's is.
    fn beyond_all(&self, residual: f64) -> f64 {
        if residual < 0.0 && !self.two_sided {
            f64::INFINITY
        } else {
            residual
        }
    }

    /// p of a newcomer that stands there; NaN if there is nobody to count.
    pub(super) fn newcomer(&self, (residual, extent): (f64, f64), places: Places) -> f64 {
        let n = self.ranked.len();
        if n == 0 {
            return f64::NAN;
        }
        let residual = self.beyond_all(residual);
        let quartiles = Quartiles {
            residuals: quartiles(&self.residuals, Some((residual, places.residuals_below))),
            extents: quartiles(&self.extents, Some((extent, places.extents_below))),
        };
        let new = Strangeness {
            least: self.least(self.ranks(places), 1),
            excess: quartiles.excess(residual, extent, self.two_sided),
        };
        let certain = self.smaller[new.least];
        let edge = self.ranked[certain..].iter();
        let edge = edge.take_while(|o| o.most <= new.least + 2);
        let reached = edge.filter(|o| {
            let beside = Strangeness {
                least: self.least(o.beside(residual, extent), 0),
                excess: quartiles.excess(o.residual, o.extent, self.two_sided),
            };
            beside.reaches(new)
        });
        (1 + certain + reached.count()) as f64 / (n + 1) as f64
    }

    /// p of one of the old objects among them.
    pub(super) fn old(&self, residual: f64, extent: f64) -> f64 {
        let own = Strangeness {
            least: self.least(self.ranks(self.places(residual, extent)), 0),
            excess: self.quartiles().excess(residual, extent, self.two_sided),
        };
        let reached = self.own.partition_point(|other| other.reaches(own));
        reached as f64 / self.own.len() as f64
    }

    /// Quartiles of both measures, of the old objects.
    fn quartiles(&self) -> Quartiles {
        Quartiles {
            residuals: quartiles(&self.residuals, None),
            extents: quartiles(&self.extents, None),
        }
    }

    fn ranks(&self, places: Places) -> Ranks {
        Ranks {
            upper: self.residuals.len() - places.residuals_below,
            lower: places.residuals_up_to,
            inside: self.extents.len() - places.extents_below,
        }
    }

    /// The smaller of the two ranks, among the old objects and `more`.
    fn least(&self, ranks: Ranks, more: usize) -> usize {
        let outside = if self.two_sided {
            2 * (ranks.upper.min(ranks.lower) + more)
        } else {
            ranks.upper + more
        };
        // Twice a rank may be more than there are, but no rank within is.
        outside.min(ranks.inside + more)
    }
}

impl Ranked {
    /// Its ranks when a newcomer is counted too.
    fn beside(&self, residual: f64, extent: f64) -> Ranks {
        Ranks {
            upper: self.ranks.upper + usize::from(residual >= self.residual),
            lower: self.ranks.lower + usize::from(residual <= self.residual),
            inside: self.ranks.inside + usize::from(extent >= self.extent),
        }
    }
}

/// Quartiles of the two measures.
struct Quartiles {
    residuals: [f64; 3],
    extents: [f64; 3],
}

impl Quartiles {
    /// x: how far beyond the median an object is, in units of what a quarter of all are.
    fn excess(&self, residual: f64, extent: f64, two_sided: bool) -> f64 {
        // Where quartile and median are one, whoever is not there too is beyond all.
        let beyond = |step: f64, unit: f64| if step == 0.0 { 0.0 } else { step / unit.abs() };
        let [low, median, high] = self.residuals;
        let outside = if two_sided && residual < median {
            beyond(median - residual, median - low)
        } else {
            beyond(residual - median, high - median)
        };
        let [_, median, high] = self.extents;
        outside.max(beyond(extent - median, high - median))
    }
}

/// The quartiles of ascending values and one more, if there is, and so many are below it; zero of nobody.
fn quartiles(values: &[f64], more: Option<(f64, usize)>) -> [f64; 3] {
    let count = values.len() + usize::from(more.is_some());
    if count == 0 {
        return [0.0; 3];
    }
    let at = more.map_or(values.len(), |(_, at)| at);
    [1, 2, 3].map(|quarter| {
        let rank = quarter * (count - 1) / 4;
        match more {
            Some((v, _)) if rank == at => v,
            _ if rank > at => values[rank - 1],
            _ => values[rank],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// p of a newcomer with these measures.
    fn beside(old: &Conformal, new: (f64, f64)) -> f64 {
        old.newcomer(new, old.places(new.0, new.1))
    }

    /// The definition, counted one by one among all n + 1.
    fn counted(old: &[(f64, f64)], new: (f64, f64), two_sided: bool) -> f64 {
        let mut all = old.to_vec();
        all.push(new);
        if !two_sided {
            all.iter_mut()
                .filter(|o| o.0 < 0.0)
                .for_each(|o| o.0 = f64::INFINITY);
        }
        let count = |f: &dyn Fn(&(f64, f64)) -> bool| all.iter().filter(|o| f(o)).count();
        let m = |o: &(f64, f64)| {
            let upper = count(&|j| j.0 >= o.0);
            let outside = if two_sided {
                (2 * upper.min(count(&|j| j.0 <= o.0))).min(all.len())
            } else {
                upper
            };
            outside.min(count(&|j| j.1 >= o.1))
        };
        let quartile = |of: &dyn Fn(&(f64, f64)) -> f64, quarter: usize| {
            let mut values: Vec<f64> = all.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values[quarter * (values.len() - 1) / 4]
        };
        let beyond = |v: f64, of: &dyn Fn(&(f64, f64)) -> f64, tail: usize| {
            let median = quartile(of, 2);
            match v == median {
                true => 0.0,
                false if tail == 1 => (median - v) / (median - quartile(of, tail)).abs(),
                false => (v - median) / (quartile(of, tail) - median).abs(),
            }
        };
        let x = |o: &(f64, f64)| {
            let low = two_sided && o.0 < quartile(&|j| j.0, 2);
            let outside = beyond(o.0, &|j| j.0, if low { 1 } else { 3 });
            outside.max(beyond(o.1, &|j| j.1, 3))
        };
        let own = all.last().unwrap();
        let (own, beyond) = (m(own), x(own));
        count(&|o| m(o) < own || m(o) == own && x(o) >= beyond) as f64 / all.len() as f64
    }

    /// A search and a look at the edge are the definition, with ties and without.
    #[test]
    fn it_is_what_is_counted_among_all() {
        let mut rng = Stream::new(12);
        for round in 0..400 {
            let n = 1 + round % 40;
            // Coarse numbers have ties; both measures may go together.
            let coarse = [1.0, 4.0, 1e9][round % 3];
            let mut draw = |lowest: f64| {
                let r = (lowest + rng.uniform() + 1.0) * coarse;
                let t = (rng.uniform() * coarse).round() / coarse
                    + if round % 2 == 0 { r } else { 0.0 };
                (r.round() / coarse, t)
            };
            for two_sided in [false, true] {
                let lowest = if two_sided { -1.0 } else { 0.0 };
                let old: Vec<_> = (0..n).map(|_| draw(lowest)).collect();
                let conformal = Conformal::new(&old, two_sided);
                for _ in 0..20 {
                    let new = draw(-1.0 + lowest / 2.0);
                    let found = beside(&conformal, new);
                    assert_eq!(
                        found,
                        counted(&old, new, two_sided),
                        "{round} {old:?} {new:?}"
                    );
                }
            }
        }
    }

    /// Who is strange in one way only, and far enough, is stranger than all: ties with those who are strange in the other way are
    /// broken. From both tails one old object may be first, the farthest within.
    #[test]
    fn strange_in_one_way_is_enough() {
        let old: Vec<_> = (0..30).map(|i| (i as f64, ((7 * i) % 30) as f64)).collect();
        let one = Conformal::new(&old, false);
        assert_eq!(beside(&one, (300.0, 3.0)), 1.0 / 31.0);
        assert_eq!(beside(&one, (3.0, 300.0)), 1.0 / 31.0);
        // Hardly farther than they are: not stranger than the farthest the other way.
        assert_eq!(beside(&one, (29.1, 3.0)), 2.0 / 31.0);
        let shifted: Vec<_> = old.iter().map(|o| (o.0 - 15.0, o.1)).collect();
        let both = Conformal::new(&shifted, true);
        assert_eq!(beside(&both, (300.0, 3.0)), 2.0 / 31.0);
        assert_eq!(beside(&both, (-300.0, 3.0)), 2.0 / 31.0);
        assert_eq!(beside(&both, (0.0, 300.0)), 1.0 / 31.0);
        // Where a quarter of all are at the median, who is below it is beyond all of them.
        let flat = [-5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0];
        let flat: Vec<_> = flat
            .iter()
            .zip(0..)
            .map(|(r, i)| (*r, f64::from(i)))
            .collect();
        assert_eq!(beside(&Conformal::new(&flat, true), (-100.0, 3.5)), 0.3);
    }

    /// Any of n + 1 objects may be the newcomer: p ≤ α in at most α of them, exactly.
    #[test]
    fn every_object_in_its_turn() {
        let mut rng = Stream::new(2);
        for two_sided in [false, true] {
            for _ in 0..20 {
                let n = 30;
                let shift = if two_sided { 0.5 } else { 0.0 };
                let all: Vec<_> = (0..=n)
                    .map(|_| (0.5 + 0.5 * rng.uniform() - shift, rng.uniform()))
                    .collect();
                let mut p = Vec::new();
                for i in 0..=n {
                    let mut old = all.clone();
                    let new = old.remove(i);
                    p.push(beside(&Conformal::new(&old, two_sided), new));
                }
                for level in (1..=n).map(|j| j as f64 / (n + 1) as f64) {
                    let share = p.iter().filter(|p| **p <= level).count() as f64 / (n + 1) as f64;
                    // Ties are broken but for that of the two medians, whose x are 0: so all of α is used, or all but one.
                    let unused = level - share;
                    let one = 1.0 / (n + 1) as f64;
                    assert!((-1e-12..=one + 1e-12).contains(&unused), "{share} {level}");
                }
            }
        }
    }
}
