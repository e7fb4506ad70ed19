//! Augment: online augmentation and Procrustes, the answer of population genetics to the shrinkage of
//! projected points.
//!
//! Re-embed the old objects and the newcomer in the d + 1 dimensions of (X, 0) and ũ = (ŷ; ρ), keep
//! the d best axes, and rotate the old objects back onto X. The discarded axis is the eigenvector
//! q of the smallest eigenvalue ω of
//!
//! ```text
//! diag(σ², 0) + κ ũũ',    1/κ + Σ ŷ_i²/(σ_i² − ω) = ρ²/ω,    q ∝ (diag(σ², 0) − ωI)⁻¹ũ
//! ```
//!
//! one root between 0 and the smallest σ_i² with ŷ_i ≠ 0; no eigensolver is needed. Where an axis has
//! ŷ_i = 0 it is itself an eigenvector: if σ_i² < ω, that axis is the one discarded, the newcomer takes
//! its place with either sign, and the status says so. κ = 1 keeps the origin (OADP as published),
//! κ = n/(n+1) moves it to the mean of all n + 1.
//!
//! # References
//! Zhang, Dey and Lee (2020), Fast and robust ancestry prediction using principal component analysis,
//! Bioinformatics 36:3439–3446.
#![allow(non_snake_case)]

use crate::strategy::jacobi::norm;
use crate::strategy::normal::Newcomer;
use crate::strategy::secular::Minimisers;

/// What to vary in the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AugmentSettings {
    /// Centre on all n + 1 objects, κ = n/(n+1), instead of keeping the old origin, κ = 1.
    pub recentre: bool,
    /// Scale as well as rotate, as the published programs do. It explodes when the newcomer replaces
    /// an axis of the map: σ² = 2, ŷ = 0.1, ρ = 9 is placed at 9.0006 without and at 790 with.
    pub scale: bool,
}

/// The answer for one newcomer.
#[derive(Debug, Clone, PartialEq)]
pub struct Augment {
    /// y.
    pub coordinates: Vec<f64>,
    /// Whether reflections or a repeated eigenvalue leave a choice.
    pub minimisers: Minimisers,
    /// The other placement of a pair; for a sphere the point opposite.
    pub alternatives: Vec<Vec<f64>>,
}

/// Newton's steps and halvings that find ω; some ten are needed, halvings alone need a thousand.
const MOST_STEPS: usize = 1100;

/// Places one newcomer; none if β < ŷ'ŷ beyond rounding, where the method does not apply.
///
/// `eigenvalues` are σ², positive and descending, of a map with the origin at the mean; `projection`
/// is ŷ, `size` is n, and `b_norm` = ‖b‖ decides which ŷ_i are rounding (0: only exact zeros are).
pub fn solve(
    eigenvalues: &[f64],
    projection: &[f64],
    beta: f64,
    size: usize,
    b_norm: f64,
    settings: &AugmentSettings,
) -> Option<Augment> {
    let newcomer = Newcomer::new(eigenvalues, projection, beta, size, b_norm)?;
    let (d, rho) = (newcomer.D.len(), newcomer.rho());
    if rho == 0.0 {
        return Some(Augment {
            coordinates: projection.to_vec(),
            minimisers: Minimisers::Unique,
            alternatives: Vec::new(),
        });
    }
    let n = size as f64;
    let kappa = if settings.recentre {
        n / (n + 1.0)
    } else {
        1.0
    };

    // The smallest eigenvalue among the axes that ŷ touches, and the smallest of the others.
    let (omega, q) = smallest(&newcomer, kappa);
    let free = (0..d).rev().find(|&i| newcomer.is_free(i));
    let least = free.map_or(f64::INFINITY, |i| newcomer.D[i]);
    let noise = newcomer.unit * (newcomer.D.first().unwrap_or(&0.0) + kappa * newcomer.beta);

    if let Some(axis) = free
        && least < omega - noise
    {
        // The newcomer takes the place of an axis it does not touch, with either sign. The axes that
        // stay are not shortened: the published scaling is 1.
        let mut y = newcomer.u[..d].to_vec();
        y[axis] = rho;
        let (coordinates, minimisers, alternatives) = newcomer.restore(&y);
        return Some(Augment {
            coordinates,
            minimisers,
            alternatives,
        });
    }

    // Rotate the hyperplane orthogonal to q back onto the map.
    let (svd, u) = newcomer.through(&q);
    let mut y = svd.polar_transposed(&u);
    if settings.scale {
        let inside: f64 = newcomer
            .D
            .iter()
            .zip(&q)
            .map(|(D, p)| D * (1.0 - p * p))
            .sum();
        let s =
            (svd.values.iter().sum::<f64>() + newcomer.untouched) / (inside + newcomer.untouched);
        y.iter_mut().for_each(|v| *v *= s);
    }
    let (coordinates, mut minimisers, alternatives) = newcomer.restore(&y);
    if (least - omega).abs() <= noise {
        minimisers = Minimisers::Sphere(1);
    }
    Some(Augment {
        coordinates,
        minimisers,
        alternatives,
    })
}

/// The root ω and the unit eigenvector q of the module head, over the axes with ŷ_i ≠ 0.
fn smallest(newcomer: &Newcomer, kappa: f64) -> (f64, Vec<f64>) {
    let (D, u, d) = (&newcomer.D, &newcomer.u, newcomer.D.len());
    let touched = || (0..d).filter(|&i| !newcomer.is_free(i));
    let rho2 = newcomer.rho() * newcomer.rho();
    let Some(pole) = touched().map(|i| D[i]).reduce(f64::min) else {
        let mut q = vec![0.0; d + 1];
        q[d] = 1.0;
        return (kappa * rho2, q);
    };

    // h increases from −∞ to ∞. Measure ω from whichever end the root is nearer to: `gap(i)` is
    // then σ_i² − ω without cancellation.
    let h = |omega: f64, above: &dyn Fn(usize) -> f64| {
        let (mut value, mut slope) = (1.0 / kappa - rho2 / omega, rho2 / omega / omega);
        for i in touched() {
            let ratio = u[i] / above(i);
            value += ratio * u[i];
            slope += ratio * ratio;
        }
        (value, slope)
    };
    let near_zero = h(pole / 2.0, &|i| D[i] - pole / 2.0).0 >= 0.0;
    let omega = |t: f64| if near_zero { t } else { pole - t };
    let gap = |i: usize, t: f64| {
        if near_zero {
            D[i] - t
        } else {
            (D[i] - pole) + t
        }
    };
    let sign = if near_zero { 1.0 } else { -1.0 };

    // Newton's step on sign·h, halving the bracket whenever it leaves it.
    let (mut low, mut high) = (0.0, pole / 2.0);
    let mut t = high;
    for _ in 0..MOST_STEPS {
        let (value, slope) = h(omega(t), &|i| gap(i, t));
        if sign * value >= 0.0 {
            high = t;
        } else {
            low = t;
        }
        // h is nearly −ρ²/t (or ŷ²/t) near its pole: Newton's step on t·h there.
        let (value, slope) = (value * t, value + t * slope * sign);
        let next = t - value / slope;
        let next = if next > low && next < high {
            next
        } else {
            low + (high - low) / 2.0
        };
        if (next - t).abs() <= f64::EPSILON * t || next <= low || next >= high {
            break;
        }
        t = next;
    }
    let mut q = vec![0.0; d];
    touched().for_each(|i| q[i] = u[i] / gap(i, t));
    q.push(-newcomer.rho() / omega(t));
    let largest = q.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    q.iter_mut().for_each(|v| *v /= largest);
    let length = norm(&q);
    q.iter_mut().for_each(|v| *v /= length);
    (omega(t), q)
}
