//! The link: from a dissimilarity to the distance that a given map shows for it.
//!
//! A map that was not made by classical scaling (`metaMDS`, `isoMDS`, SMACOF, t-SNE, by hand) shows distances d = ‖x_i − x_j‖
//! that follow the dissimilarities δ, but not in their unit, and perhaps only in their order. The old pairs tell the function
//! that it follows them by,
//!
//! ```text
//! monotone   min Σ w (d − d̂)²  over d̂ that do not fall where δ grows      isotonic regression, by pooling adjacent violators
//! linear     min Σ w (d − a − bδ)²                                          with intercept
//! ratio      min Σ w (d − bδ)²
//! ```
//!
//! Ties are treated by Kruskal's primary approach: pairs of equal δ are put in the order of their distances first, so that they
//! may have different disparities d̂. As a function has one value, f takes their mean there; it is linear between the pooled
//! blocks (mean δ, d̂), beyond the outermost it goes on with the slope of the last segment, and it is never below 0.
//! How far the map is from following it is Kruskal's stress, formula 1,
//!
//! ```text
//! S₁ = √(Σ w (d − d̂)² / Σ w d²)
//! ```
//!
//! # References
//! Kruskal (1964), Nonmetric multidimensional scaling: a numerical method, Psychometrika 29:115–129. Ayer, Brunk, Ewing,
//! Reid and Silverman (1955), An empirical distribution function for sampling with incomplete information, Annals of
//! Mathematical Statistics 26:641–647.

use faer::MatRef;

use crate::error::{About, Error};
use crate::input::kind::{Correction, Element};
use crate::input::proximities::Proximities;
use crate::number::rounded;
use crate::rounding::{RANGE, in_range};

/// Old pairs that a map keeps to be drawn: more dots than these hide each other.
const MOST_KEPT: usize = 2000;

/// The link that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Linking {
    /// None: the configuration is in the unit of the proximities.
    #[default]
    None,
    /// Any function that does not fall.
    Monotone,
    /// A straight line.
    Linear,
    /// A straight line through 0.
    Ratio,
}

impl Linking {
    /// All of them.
    pub const ALL: [Linking; 4] = [
        Linking::Monotone,
        Linking::Linear,
        Linking::Ratio,
        Linking::None,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Linking::None => "none",
            Linking::Monotone => "monotone",
            Linking::Linear => "linear",
            Linking::Ratio => "ratio",
        }
    }

    /// The link that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.word() == word)
    }
}

/// A function from dissimilarity to shown distance, linear between its knots.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What it was fitted as.
    pub form: Linking,
    /// The knots' dissimilarities, ascending.
    pub dissimilarities: Vec<f64>,
    /// The distances there, which do not fall.
    pub distances: Vec<f64>,
}

/// The old pairs as the map shows them: a Shepard diagram in few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Shepard {
    /// S₁ of the whole map.
    pub stress: f64,
    /// The smallest and the largest dissimilarity of a pair.
    pub range: (f64, f64),
    /// Pairs of dissimilarity and shown distance, all of them or some, evenly through the order of dissimilarities.
    pub pairs: Vec<(f64, f64)>,
}

/// One old pair.
#[derive(Debug, Clone, Copy)]
struct Pair {
    delta: f64,
    distance: f64,
    weight: f64,
}

/// Several pairs with one disparity.
#[derive(Debug, Clone, Copy)]
struct Pool {
    weight: f64,
    /// Σ w d.
    distance: f64,
    pairs: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.distance / self.weight
    }
}

impl Link {
    /// f(δ); NaN where δ is.
    pub fn at(&self, delta: f64) -> f64 {
        let (x, y) = (&self.dissimilarities, &self.distances);
        let above = x.partition_point(|k| *k <= delta);
        // The segment that δ is in, or the outermost one on its side.
        let j = above.clamp(1, x.len() - 1);
        let i = j - 1;
        let share = (delta - x[i]) / (x[j] - x[i]);
        let at = y[i] + share * (y[j] - y[i]);
        if at.is_nan() { at } else { at.max(0.0) }
    }

    /// Errs unless it is a function that does not fall and is not flat.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (x, y) = (&self.dissimilarities, &self.distances);
        let numbers = x.iter().chain(y).all(|v| v.is_finite());
        let grows = x.windows(2).all(|w| w[0] < w[1]) && y.windows(2).all(|w| w[0] <= w[1]);
        let two = x.len() >= 2 && x.len() == y.len() && y[0] < y[y.len() - 1];
        if numbers && grows && two && self.form != Linking::None {
            return Ok(());
        }
        Err(Error::Inconsistent(
            "found a link that is no growing function, expected one of at least two knots".into(),
        ))
    }

    /// Fits a link of the given form to all pairs of objects, a pair weighing the product of its objects' weights; and what
    /// the map shows of the pairs.
    pub(crate) fn fit<T: Element>(
        form: Linking,
        proximities: &Proximities<'_, T>,
        configuration: MatRef<'_, f64>,
        weights: Option<&[f64]>,
    ) -> Result<(Self, Shepard), Error> {
        let mut pairs = pairs(proximities, configuration, weights);
        // Kruskal's primary approach: equal δ in the order of their distances.
        pairs.sort_unstable_by(|a, b| {
            let by_distance = a.distance.total_cmp(&b.distance);
            a.delta.total_cmp(&b.delta).then(by_distance)
        });
        let range = match (pairs.first(), pairs.last()) {
            (Some(first), Some(last)) => (first.delta, last.delta),
            _ => (f64::NAN, f64::NAN),
        };
        check_range(range)?;
        let (link, misfit) = match form {
            Linking::Monotone => monotone(&pairs),
            _ => straight(form, &pairs),
        };
        if link.check().is_err() {
            return Err(Error::Contradicted {
                about: About::Link,
                why: "found shown distances that do not grow with the dissimilarities, expected them to: is this the \
                      configuration of these proximities?"
                    .into(),
            });
        }
        let total: f64 = pairs.iter().map(|p| p.weight * p.distance.powi(2)).sum();
        let kept = pairs.len().min(MOST_KEPT);
        let even = (0..kept).map(|i| &pairs[i * pairs.len() / kept]);
        let shepard = Shepard {
            stress: (misfit / total).sqrt(),
            range,
            pairs: even.map(|p| (p.delta, p.distance)).collect(),
        };
        Ok((link, shepard))
    }
}

/// Errs unless dissimilarities differ, and are lengths that can be computed with.
fn check_range((least, most): (f64, f64)) -> Result<(), Error> {
    if least.is_nan() {
        return Err(Error::Contradicted {
            about: About::Weights,
            why: "found weights above 0 for fewer than two objects, expected at least two".into(),
        });
    }
    if least == most {
        return Err(Error::Contradicted {
            about: About::Link,
            why: format!(
                "found one dissimilarity, {}, between all objects, expected different ones: they tell no link",
                rounded(least)
            ),
        });
    }
    if !in_range(most) {
        return Err(Error::Scale {
            object: None,
            found: most,
            expected: RANGE,
        });
    }
    Ok(())
}

/// δ and d of every pair that weighs something.
fn pairs<T: Element>(
    proximities: &Proximities<'_, T>,
    x: MatRef<'_, f64>,
    weights: Option<&[f64]>,
) -> Vec<Pair> {
    let (entries, kind) = (proximities.entries(), proximities.kind());
    let (n, d) = (x.nrows(), x.ncols());
    let mut pairs = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    for i in 0..n {
        for j in 0..i {
            let weight = weights.map_or(1.0, |w| w[i] * w[j]);
            if weight > 0.0 {
                let square: f64 = (0..d).map(|a| (x[(i, a)] - x[(j, a)]).powi(2)).sum();
                pairs.push(Pair {
                    delta: Correction::None.length(kind, entries[(i, j)].to_f64()),
                    distance: square.sqrt(),
                    weight,
                });
            }
        }
    }
    pairs
}

/// Isotonic regression of sorted pairs: f, and Σ w (d − d̂)².
fn monotone(pairs: &[Pair]) -> (Link, f64) {
    let mut pools: Vec<Pool> = Vec::new();
    for pair in pairs {
        let mut pool = Pool {
            weight: pair.weight,
            distance: pair.weight * pair.distance,
            pairs: 1,
        };
        while let Some(before) = pools.pop_if(|before| before.mean() >= pool.mean()) {
            pool.weight += before.weight;
            pool.distance += before.distance;
            pool.pairs += before.pairs;
        }
        pools.push(pool);
    }
    let each = pools.iter().enumerate();
    let of: Vec<(usize, f64)> = each
        .flat_map(|(at, p)| std::iter::repeat_n((at, p.mean()), p.pairs))
        .collect();
    let misfit = pairs
        .iter()
        .zip(&of)
        .map(|(p, (_, disparity))| p.weight * (p.distance - disparity).powi(2))
        .sum();

    // A knot for each run of dissimilarities with one disparity; equal δ that have several stand alone, with their mean.
    let mut knots: Vec<(Option<usize>, [f64; 3])> = Vec::new();
    let mut first = 0;
    while first < pairs.len() {
        let delta = pairs[first].delta;
        let count = pairs[first..].partition_point(|p| p.delta <= delta);
        let tied = first..first + count;
        let pool = Some(of[first].0).filter(|pool| *pool == of[tied.end - 1].0);
        let mut sums = [0.0; 3];
        for i in tied.clone() {
            let Pair { delta, weight, .. } = pairs[i];
            sums[0] += weight;
            sums[1] += weight * delta;
            sums[2] += weight * of[i].1;
        }
        match knots.last_mut() {
            Some((before, all)) if pool.is_some() && *before == pool => {
                (0..3).for_each(|k| all[k] += sums[k]);
            }
            _ => knots.push((pool, sums)),
        }
        first = tied.end;
    }
    let mut link = Link {
        form: Linking::Monotone,
        dissimilarities: Vec::with_capacity(knots.len()),
        distances: Vec::with_capacity(knots.len()),
    };
    for (_, [weight, delta, disparity]) in knots {
        let (x, y) = (delta / weight, disparity / weight);
        // Means of tied and of pooled pairs grow as their pairs do, but for rounding.
        let grows = link.dissimilarities.last().is_none_or(|before| *before < x);
        if grows {
            link.dissimilarities.push(x);
            let least = link.distances.last().copied().unwrap_or(0.0);
            link.distances.push(y.max(least));
        }
    }
    (link, misfit)
}

/// A straight line, with or without intercept: f, and Σ w (d − f(δ))².
fn straight(form: Linking, pairs: &[Pair]) -> (Link, f64) {
    let sum = |of: &dyn Fn(&Pair) -> f64| pairs.iter().map(|p| p.weight * of(p)).sum::<f64>();
    let total = sum(&|_| 1.0);
    let (x0, y0) = if form == Linking::Linear {
        (sum(&|p| p.delta) / total, sum(&|p| p.distance) / total)
    } else {
        (0.0, 0.0)
    };
    let slope = sum(&|p| (p.delta - x0) * (p.distance - y0)) / sum(&|p| (p.delta - x0).powi(2));
    let line = |delta: f64| y0 + slope * (delta - x0);
    let most = pairs[pairs.len() - 1].delta;
    // From where it is 0, or from 0 if it begins above.
    let start = (x0 - y0 / slope).max(0.0);
    let link = Link {
        form,
        dissimilarities: vec![start, most],
        distances: vec![line(start), line(most)],
    };
    let misfit = sum(&|p| (p.distance - link.at(p.delta)).powi(2));
    (link, misfit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// Objects on a line at `x`, with dissimilarities `delta` (i, j) for j < i, row by row.
    fn fitted(form: Linking, x: &[f64], delta: &[f64], weights: Option<&[f64]>) -> (Link, Shepard) {
        let n = x.len();
        let at = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => delta[i * (i - 1) / 2 + j],
            std::cmp::Ordering::Less => delta[j * (j - 1) / 2 + i],
        };
        let square = Mat::from_fn(n, n, at);
        let kind = crate::Kind::Dissimilarity;
        let old = Proximities::new(square.as_ref(), kind, None, Default::default()).unwrap();
        let configuration = Mat::from_fn(n, 1, |i, _| x[i]);
        Link::fit(form, &old, configuration.as_ref(), weights).unwrap()
    }

    /// The disparities of three pairs whose two last violate the order are pooled, and the knot is at their means.
    #[test]
    fn violators_are_pooled() {
        // Distances 1, 3 and 2 for dissimilarities 1, 2 and 4.
        let (link, shepard) = fitted(Linking::Monotone, &[0.0, 1.0, 3.0], &[1.0, 2.0, 4.0], None);
        assert_eq!(link.dissimilarities, [1.0, 3.0]);
        assert_eq!(link.distances, [1.0, 2.5]);
        assert!((shepard.stress - (0.5f64 / 14.0).sqrt()).abs() < 1e-15);
        assert_eq!(shepard.range, (1.0, 4.0));
        // Between the knots, beyond them, and never below 0.
        for (delta, distance) in [(2.0, 1.75), (5.0, 4.0), (0.5, 0.625), (-1.0, 0.0)] {
            assert!((link.at(delta) - distance).abs() < 1e-15, "{delta}");
        }
        assert!(link.at(f64::NAN).is_nan());
    }

    /// Equal dissimilarities may have different disparities, at no stress; the function takes their mean.
    #[test]
    fn ties_are_broken_by_the_map() {
        let (link, shepard) = fitted(
            Linking::Monotone,
            &[0.0, 1.0, 3.0],
            &[1.0, 1.0, 1.0 + 1e-9],
            None,
        );
        // Distances 1 and 3 at δ = 1, then 2: the 3 and the 2 are pooled, the mean at δ = 1 is of 1 and 2.5.
        assert_eq!(link.distances, [1.75, 2.5]);
        assert!((shepard.stress - (0.5f64 / 14.0).sqrt()).abs() < 1e-15);
    }

    /// A weight of two is a pair twice: here object 2 weighs two, and with it two of the pairs.
    #[test]
    fn weights_are_repetitions() {
        let (x, weights) = ([0.0, 1.0, 3.0], [1.0, 2.0, 1.0]);
        let (link, _) = fitted(Linking::Monotone, &x, &[1.0, 2.0, 4.0], Some(&weights));
        // The pool of distance 3 at δ = 2 once, and of distance 2 at δ = 4 twice.
        assert!((link.distances[1] - 7.0 / 3.0).abs() < 1e-15);
        assert!((link.dissimilarities[1] - 10.0 / 3.0).abs() < 1e-15);
        let (linear, _) = fitted(Linking::Linear, &x, &[1.0, 3.0, 2.0], Some(&weights));
        assert!((linear.at(7.0) - 7.0).abs() < 1e-14);
    }

    /// Lines are recovered, and one that begins below 0 is 0 there.
    #[test]
    fn lines_are_lines() {
        let x = [0.0, 1.0, 3.0, 7.0];
        let d = [1.0, 3.0, 2.0, 7.0, 6.0, 4.0];
        let delta = d.map(|d| 0.5 + 0.25 * d);
        let (link, shepard) = fitted(Linking::Linear, &x, &delta, None);
        assert!(shepard.stress < 1e-15);
        assert!((link.at(1.5) - 4.0).abs() < 1e-14 && link.at(0.25) == 0.0);
        let (ratio, _) = fitted(Linking::Ratio, &x, &d.map(|d| 3.0 * d), None);
        assert!((ratio.at(6.0) - 2.0).abs() < 1e-15 && ratio.at(0.0) == 0.0);
    }

    /// The pools are those of the greatest convex minorant of the cumulative sums, which is the same problem.
    #[test]
    fn isotonic_regression_is_the_slope_of_the_convex_minorant() {
        let mut rng = crate::random::Stream::new(5);
        let pairs: Vec<Pair> = (0..60)
            .map(|i| Pair {
                delta: f64::from(i),
                distance: (0.1 * f64::from(i) + rng.normal()).abs(),
                weight: 0.5 + rng.normal().abs(),
            })
            .collect();
        let (link, misfit) = monotone(&pairs);
        // d̂_i = max over j ≤ i of min over k ≥ i of the mean of j..=k.
        let mean = |j: usize, k: usize| {
            let w: f64 = pairs[j..=k].iter().map(|p| p.weight).sum();
            pairs[j..=k]
                .iter()
                .map(|p| p.weight * p.distance)
                .sum::<f64>()
                / w
        };
        let mut expected = 0.0;
        let mut disparities = Vec::new();
        for (i, pair) in pairs.iter().enumerate() {
            let least = |j: usize| (i..60).map(|k| mean(j, k)).fold(f64::INFINITY, f64::min);
            let at = (0..=i).map(least).fold(f64::NEG_INFINITY, f64::max);
            expected += pair.weight * (pair.distance - at).powi(2);
            disparities.push(at);
        }
        assert!((misfit - expected).abs() < 1e-12 * expected);
        disparities.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
        assert_eq!(link.distances.len(), disparities.len());
    }
}
