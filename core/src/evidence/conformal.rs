//! The conformal minimum: one p from two measures, with old objects and newcomer ranked among the same n + 1.
//!
//! For each of the n + 1 objects that a newcomer and the old ones are together, let m be the smaller of its two shares among
//! them all: of those as far outside the map's space, and of those as far out within it. Then
//!
//! ```text
//! p = #{objects with m ≤ that of the newcomer}/(n+1)
//! ```
//!
//! is at most α in at most α of the cases if all were drawn alike, whatever the two measures are. Ranking old objects among
//! themselves and the newcomer among one more is not: the newcomer's m are then smaller by chance.
//!
//! A newcomer changes the rank of an old object by at most one. With M its own rank, the smaller of (U, T) counted from the strange
//! end, an old object of ranks (U_i, T_i) among the old ones counts whoever comes if min(U_i, T_i) < M, and if it is M only where the newcomer
//! is the less strange of the two. So objects are kept in the order of the M from which on they count for certain, and one
//! newcomer takes a search and a look at the few on the edge. From both tails the rank is 2·min(U, L), and the same holds.
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
    /// By the M from which on they count whoever comes.
    ranked: Vec<Ranked>,
    /// The old objects' own ranks among themselves, ascending.
    own: Vec<usize>,
}

/// One old object, and how many of the old ones are as strange.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ranked {
    residual: f64,
    extent: f64,
    ranks: Ranks,
    certain: usize,
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
            own: Vec::new(),
        };
        let ranked = known.iter().map(|&(residual, extent)| {
            let ranks = all.ranks(residual, extent);
            let outside = if two_sided {
                2 * (ranks.upper.min(ranks.lower) + 1)
            } else {
                ranks.upper + 1
            };
            Ranked {
                residual,
                extent,
                ranks,
                certain: outside.min(ranks.inside + 1),
            }
        });
        all.ranked = ranked.collect();
        all.ranked.sort_by_key(|o| o.certain);
        all.own = all.ranked.iter().map(|o| all.least(o.ranks, 0)).collect();
        all.own.sort_unstable();
        all
    }

    /// How many old objects there are to count.
    pub(super) fn count(&self) -> usize {
        self.ranked.len()
    }

    /// p of a newcomer; NaN if there is nobody to count.
    pub(super) fn newcomer(&self, residual: f64, extent: f64) -> f64 {
        let n = self.ranked.len();
        if n == 0 {
            return f64::NAN;
        }
        // Nearer than any point can be: stranger than all, where no old object is.
        let residual = if residual < 0.0 && !self.two_sided {
            f64::INFINITY
        } else {
            residual
        };
        let m = self.least(self.ranks(residual, extent), 1);
        let certain = self.ranked.partition_point(|o| o.certain <= m);
        let edge = self.ranked[certain..].iter();
        let edge = edge.take_while(|o| o.certain <= m + 2);
        let reached = edge.filter(|o| self.reaches(o, m, residual, extent));
        (1 + certain + reached.count()) as f64 / (n + 1) as f64
    }

    /// p of one of the old objects among them.
    pub(super) fn old(&self, residual: f64, extent: f64) -> f64 {
        let m = self.least(self.ranks(residual, extent), 0);
        let reached = self.own.partition_point(|own| *own <= m);
        reached as f64 / self.own.len() as f64
    }

    /// Whether an old object on the edge is as strange as the newcomer of rank `m`: on one of its counts it is, and the newcomer
    /// does not add to that count.
    fn reaches(&self, old: &Ranked, m: usize, residual: f64, extent: f64) -> bool {
        let by_extent = old.ranks.inside == m && extent < old.extent;
        if !self.two_sided {
            return by_extent || (old.ranks.upper == m && residual < old.residual);
        }
        let half = m / 2;
        by_extent
            || (old.ranks.upper == half && residual < old.residual)
            || (old.ranks.lower == half && residual > old.residual)
    }

    fn ranks(&self, residual: f64, extent: f64) -> Ranks {
        let below = |values: &[f64], v: f64| values.partition_point(|x| *x < v);
        Ranks {
            upper: self.residuals.len() - below(&self.residuals, residual),
            lower: self.residuals.partition_point(|x| *x <= residual),
            inside: self.extents.len() - below(&self.extents, extent),
        }
    }

    /// The smaller of the two ranks, among the old objects and `more`.
    fn least(&self, ranks: Ranks, more: usize) -> usize {
        let upper = ranks.upper + more;
        let outside = if self.two_sided {
            let both = 2 * upper.min(ranks.lower + more);
            both.min(self.residuals.len() + more)
        } else {
            upper
        };
        outside.min(ranks.inside + more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

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
        let own = m(all.last().unwrap());
        count(&|o| m(o) <= own) as f64 / all.len() as f64
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
                    let found = conformal.newcomer(new.0, new.1);
                    assert_eq!(
                        found,
                        counted(&old, new, two_sided),
                        "{round} {old:?} {new:?}"
                    );
                }
            }
        }
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
                    p.push(Conformal::new(&old, two_sided).newcomer(new.0, new.1));
                }
                for level in (1..=n).map(|j| j as f64 / (n + 1) as f64) {
                    let share = p.iter().filter(|p| **p <= level).count() as f64 / (n + 1) as f64;
                    assert!(share <= level + 1e-12, "{share} {level}");
                }
            }
        }
    }
}
