//! How many axes: three answers to a question that has none.
//!
//! From the positive eigenvalues λ₁ ≥ … ≥ λ_p that the fit saw:
//!
//! * the **scree**, each eigenvalue's share of the whole: of all positive eigenvalues if all are known, otherwise of
//!   the trace;
//! * the **broken stick**: a stick of length 1 broken at random into p pieces has a k-th longest piece of
//!   (1/p) Σ_{i ≥ k} 1/i on the average; axes are kept as long as their share is larger. If only some eigenvalues
//!   are known, p is n − 1, the most there can be, which sets the bar lower than fewer pieces would;
//! * the **profile likelihood** (Zhu and Ghodsi): the split into the first q and the others under which the
//!   eigenvalues, taken as two normal samples with one variance, are most likely. It looks for an elbow, and only
//!   among the eigenvalues that were seen.
//!
//! `auto` means the profile likelihood: of the whole spectrum where the solver computes all of it, otherwise of the
//! [`SEEN`] largest eigenvalues. It is a rule, not a truth; the other two are there to disagree with it.
//!
//! # References
//! Frontier (1976), Étude de la décroissance des valeurs propres dans une analyse en composantes principales, Journal
//! of Experimental Marine Biology and Ecology 25:67–75. Jackson (1993), Stopping rules in principal components
//! analysis, Ecology 74:2204–2214. Zhu and Ghodsi (2006), Automatic dimensionality selection from the scree plot via
//! the use of profile likelihood, Computational Statistics & Data Analysis 51:918–930.

use crate::error::Error;
use crate::fit::spectrum::DENSE_UP_TO;
use crate::fit::summary::Summary;
use crate::rounding::TIE_UNITS;

/// Eigenvalues that `auto` looks at where not all of them are computed.
pub const SEEN: usize = 50;

/// What the eigenvalues say of the number of axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dimensions {
    /// The positive eigenvalues, descending.
    pub eigenvalues: Vec<f64>,
    /// Each one's share of the whole.
    pub proportions: Vec<f64>,
    /// The share that the broken stick gives it.
    pub stick: Vec<f64>,
    /// The logarithm of the profile likelihood of a split after it; ∞ where the two sides are each all alike.
    pub likelihood: Vec<f64>,
    /// The axes that are longer than the broken stick's; may be none.
    pub by_stick: usize,
    /// The axes before the most likely elbow: at least one, if any eigenvalue is positive.
    pub by_likelihood: usize,
}

/// Looks at the eigenvalues of a fit to `objects` objects.
pub fn dimensions(summary: &Summary, objects: usize) -> Dimensions {
    let largest = summary
        .eigenvalues
        .iter()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    let zero = TIE_UNITS * objects as f64 * f64::EPSILON * largest;
    let positive = summary.eigenvalues.iter().copied().filter(|v| *v > zero);
    let eigenvalues: Vec<f64> = positive.collect();
    let (whole, pieces): (f64, usize) = if summary.complete {
        (eigenvalues.iter().sum(), eigenvalues.len())
    } else {
        (summary.trace, objects.saturating_sub(1))
    };
    let proportions: Vec<f64> = eigenvalues.iter().map(|v| v / whole).collect();
    // (1/p) Σ_{i ≥ k} 1/i, summed from the far end.
    let mut tail = 0.0;
    let mut stick: Vec<f64> = (1..=pieces)
        .rev()
        .map(|i| {
            tail += 1.0 / i as f64;
            tail / pieces as f64
        })
        .collect();
    stick.reverse();
    stick.truncate(eigenvalues.len());
    let longer = proportions.iter().zip(&stick).take_while(|(p, s)| p > s);
    let likelihood = profile(&eigenvalues);
    let best = likelihood.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let elbow = likelihood.iter().position(|l| *l == best);
    Dimensions {
        by_stick: longer.count(),
        by_likelihood: elbow.map_or(eigenvalues.len(), |q| q + 1),
        eigenvalues,
        proportions,
        stick,
        likelihood,
    }
}

/// The profile log-likelihood of a split after each of the values but the last; nothing for fewer than three, where
/// there is no variance to estimate.
fn profile(values: &[f64]) -> Vec<f64> {
    let p = values.len();
    if p < 3 {
        return Vec::new();
    }
    let squares = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    let of_split = |q: usize| {
        // Each value about the mean of its side; pooled with p − 2 degrees of freedom.
        let sum = squares(&values[..q]) + squares(&values[q..]);
        let variance = sum / (p - 2) as f64;
        if variance == 0.0 {
            return f64::INFINITY;
        }
        let log = (2.0 * std::f64::consts::PI * variance).ln();
        -0.5 * (p as f64 * log + (p - 2) as f64)
    };
    (1..p).map(of_split).collect()
}

/// Fits with as many axes as the profile likelihood suggests. `fit` fits with a given number of axes, and `summary`
/// says what it saw; it is called once to see eigenvalues, and once more with the number that they suggest.
pub fn auto<M>(
    objects: usize,
    mut fit: impl FnMut(usize) -> Result<M, Error>,
    summary: impl Fn(&M) -> &Summary,
) -> Result<M, Error> {
    let mut look = |axes| match fit(axes) {
        Err(Error::Dimensions { available, .. }) if available > 0 => fit(available),
        answer => answer,
    };
    let dense = objects <= DENSE_UP_TO;
    let mut first = look(if dense { 1 } else { SEEN })?;
    // Where an iterative fit was asked for, one axis is one eigenvalue.
    if dense && !summary(&first).complete {
        first = look(SEEN.min(objects - 1))?;
    }
    let suggested = dimensions(summary(&first), objects).by_likelihood;
    fit(suggested.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(eigenvalues: &[f64], complete: bool) -> Dimensions {
        let summary = Summary {
            eigenvalues: eigenvalues.to_vec(),
            complete,
            trace: 10.0,
            ..Default::default()
        };
        dimensions(&summary, eigenvalues.len() + 1)
    }

    /// Four pieces of a stick are 25/48, 13/48, 7/48 and 3/48 long on the average.
    #[test]
    fn a_stick_of_four_pieces() {
        let answer = of(&[6.0, 3.0, 0.8, 0.2, -1.0], true);
        for (found, expected) in answer.stick.iter().zip([25.0, 13.0, 7.0, 3.0]) {
            assert!((found - expected / 48.0).abs() < 1e-15);
        }
        assert_eq!(answer.by_stick, 2);
        assert!((answer.proportions[0] - 0.6).abs() < 1e-15);
    }

    /// An elbow is found, ties go to the fewer axes, and nothing is divided by zero.
    #[test]
    fn elbows() {
        assert_eq!(of(&[9.0, 8.0, 1.0, 0.9, 0.8, 0.7], true).by_likelihood, 2);
        assert_eq!(of(&[5.0, 1.0, 1.0, 1.0], true).by_likelihood, 1);
        assert_eq!(of(&[1.0, 1.0, 1.0], true).by_likelihood, 1);
        assert_eq!(of(&[2.0, 1.0], true).by_likelihood, 2);
        assert_eq!(of(&[-2.0, -1.0], true).by_likelihood, 0);
    }

    /// With part of the spectrum the trace is the whole, and the stick has n − 1 pieces.
    #[test]
    fn part_of_a_spectrum() {
        let answer = of(&[5.0, 2.0], false);
        assert_eq!(answer.proportions, vec![0.5, 0.2]);
        assert!((answer.stick[0] - 0.75).abs() < 1e-15);
    }
}
