//! A newcomer as one vector in d + 1 dimensions, and the hyperplane through it.
//!
//! Seen from the map, a newcomer is ũ = (ŷ; ρ): its projection and its distance ρ from the map's
//! space, ρ² = β − ŷ'ŷ. Re-embedding the n + 1 objects in d dimensions means choosing a hyperplane of
//! those d + 1 dimensions, that is its unit normal q = (p; s), and turning it back onto the map:
//!
//! ```text
//! y = Q'ũ,  Q the polar factor of (I − qq')[Σ_d²; 0] = Q N,   N² = Σ_d²(I − pp')Σ_d²
//! ```
//!
//! `augment` takes one particular q, `hyperplane` the best one. Both meet the same symmetries, which
//! are taken out here: an axis along which ŷ vanishes may be reflected, and within a repeated
//! eigenvalue everything orthogonal to ŷ may be turned. What remains has at most one such *free* axis
//! per eigenvalue, with a projection that is exactly zero.
#![allow(non_snake_case)]

use crate::rounding::{TIE_UNITS, power_of_two};
use crate::strategy::jacobi::{Svd, dot, norm};
use crate::strategy::secular::Minimisers;

/// −10⁻¹²β ≤ ρ² < 0 is the rounding of β − ŷ'ŷ: the newcomer is in the map's space.
pub const RESIDUAL_ROUNDING: f64 = 1e-12;

/// Several axes of one eigenvalue, turned so that ŷ lies on one of them.
#[derive(Debug, Clone)]
struct Turn {
    /// The original axes, first to last.
    axes: std::ops::Range<usize>,
    /// The unit vector of ŷ in them, and its place among the reduced axes; none if ŷ vanishes.
    along: Option<(Vec<f64>, usize)>,
    /// The place of the free axis among the reduced ones, and how many dimensions it stands for.
    free: Option<(usize, usize)>,
}

/// A newcomer with its symmetries taken out, scaled by a power of two to lengths of about 1.
#[derive(Debug, Clone)]
pub struct Newcomer {
    /// σ² on the reduced axes, descending.
    pub D: Vec<f64>,
    /// ũ = (ŷ; ρ) on the reduced axes.
    pub u: Vec<f64>,
    /// β = ũ'ũ.
    pub beta: f64,
    /// The sum of σ² over the dimensions that a free axis stands for besides itself.
    pub untouched: f64,
    /// 16 n ε, the relative size of what counts as rounding.
    pub unit: f64,
    scale: f64,
    dimension: usize,
    turns: Vec<Turn>,
}

impl Newcomer {
    /// Reduces a newcomer; none if ρ² < 0 beyond rounding, when there is no such vector ũ.
    ///
    /// `eigenvalues` are σ², positive and descending. `b_norm` = ‖b‖ and `size` = n say which entries
    /// of ŷ are rounding errors, |σ_i ŷ_i| ≤ 16 n ε ‖b‖, as in [`crate::strategy::secular::solve`].
    pub fn new(
        eigenvalues: &[f64],
        projection: &[f64],
        beta: f64,
        size: usize,
        b_norm: f64,
    ) -> Option<Self> {
        let unit = TIE_UNITS * size.max(1) as f64 * f64::EPSILON;
        let largest = eigenvalues.iter().fold(0.0, |m: f64, &v| m.max(v));
        let longest = projection.iter().fold(0.0, |m: f64, &v| m.max(v.abs()));
        let s = power_of_two(largest.sqrt().max(longest).max(beta.abs().sqrt()));
        let (y, beta): (Vec<f64>, f64) = (projection.iter().map(|v| v / s).collect(), beta / s / s);
        let residual = beta - dot(&y, &y);
        if residual < -RESIDUAL_ROUNDING * beta || beta < 0.0 {
            return None;
        }
        let rho = residual.max(0.0).sqrt();

        // One turn for each eigenvalue, repeated or not.
        let (mut D, mut u, mut turns) = (Vec::new(), Vec::new(), Vec::new());
        let mut untouched = 0.0;
        let mut first = 0;
        while first < eigenvalues.len() {
            let same = |&i: &usize| eigenvalues[first] - eigenvalues[i] <= unit * largest;
            let last = (first..eigenvalues.len())
                .take_while(same)
                .last()
                .unwrap_or(first);
            let here = &y[first..=last];
            let length = norm(here);
            let sigma = eigenvalues[first].sqrt();
            let vanishes = length == 0.0 || sigma * (length * s) <= unit * b_norm;
            let along = (!vanishes).then(|| (here.iter().map(|v| v / length).collect(), D.len()));
            if !vanishes {
                D.push(eigenvalues[first] / s / s);
                u.push(length);
            }
            let free = here.len() - usize::from(!vanishes);
            let free = (free > 0).then_some((D.len(), free));
            if let Some((_, count)) = free {
                untouched += (count - 1) as f64 * (eigenvalues[last] / s / s);
                D.push(eigenvalues[last] / s / s);
                u.push(0.0);
            }
            let axes = first..last + 1;
            turns.push(Turn { axes, along, free });
            first = last + 1;
        }
        u.push(rho);
        let beta = dot(&u, &u);
        let dimension = eigenvalues.len();
        Some(Self {
            D,
            u,
            beta,
            untouched,
            unit,
            scale: s,
            dimension,
            turns,
        })
    }

    /// ρ.
    pub fn rho(&self) -> f64 {
        self.u[self.D.len()]
    }

    /// Whether the reduced axis may be reflected.
    pub fn is_free(&self, axis: usize) -> bool {
        self.u[axis] == 0.0
    }

    /// Takes a placement on the reduced axes back to the map's own, + on free axes, and says what
    /// the free axes make of it: one placement, two (the second is the alternative), or a sphere (the
    /// alternative is the point opposite). A free component of at most √(16 n ε β) is rounding.
    pub fn restore(&self, y: &[f64]) -> (Vec<f64>, Minimisers, Vec<Vec<f64>>) {
        let mut chosen = vec![0.0; self.dimension];
        let mut opposite = chosen.clone();
        let mut minimisers = Minimisers::Unique;
        for turn in &self.turns {
            if let Some((direction, place)) = &turn.along {
                for (i, v) in turn.axes.clone().zip(direction) {
                    chosen[i] = y[*place] * v * self.scale;
                    opposite[i] = chosen[i];
                }
            }
            let Some((place, count)) = turn.free else {
                continue;
            };
            let tau = y[place].abs();
            if tau * tau <= self.unit * self.beta {
                continue;
            }
            let v = self.free_direction(turn);
            for (i, v) in turn.axes.clone().zip(v) {
                chosen[i] += tau * v * self.scale;
                opposite[i] -= tau * v * self.scale;
            }
            minimisers = match (minimisers, count) {
                (Minimisers::Unique, 1) => Minimisers::Pair,
                (Minimisers::Unique, count) => Minimisers::Sphere(count - 1),
                (other, _) => other,
            };
        }
        let alternatives = match minimisers {
            Minimisers::Unique => Vec::new(),
            _ => vec![opposite],
        };
        (chosen, minimisers, alternatives)
    }

    /// The unit vector for the free axis: the last axis of its eigenvalue, made orthogonal to ŷ; or
    /// the one before where ŷ is nearly that axis itself.
    fn free_direction(&self, turn: &Turn) -> Vec<f64> {
        let count = turn.axes.len();
        let mut v = vec![0.0; count];
        let Some((direction, _)) = &turn.along else {
            v[count - 1] = 1.0;
            return v;
        };
        let axis = (0..count)
            .rev()
            .find(|&k| direction[k] * direction[k] <= 0.5)
            .unwrap_or(0);
        for _ in 0..2 {
            v[axis] += if v[axis] == 0.0 { 1.0 } else { 0.0 };
            let along = dot(&v, direction);
            for (v, w) in v.iter_mut().zip(direction) {
                *v -= along * w;
            }
            let length = norm(&v);
            v.iter_mut().for_each(|v| *v /= length);
        }
        v
    }

    /// An objective or squared length in the caller's units.
    pub fn squared_units(&self, v: f64) -> f64 {
        v * self.scale * self.scale
    }

    /// (I − qq')[Σ_d²; 0] written in a basis of the hyperplane (the first d columns of the reflection
    /// that takes q to the last axis), and ũ in the same basis: y is its polar factor applied to ũ.
    pub fn through(&self, q: &[f64]) -> (Svd, Vec<f64>) {
        let d = self.D.len();
        // Reflect along v = q ± e: the sign that adds.
        let mut v = q.to_vec();
        v[d] += 1f64.copysign(q[d]);
        let half = dot(&v, &v) / 2.0;
        let mut a = vec![0.0; d * d];
        for j in 0..d {
            for i in 0..d {
                let delta = if i == j { self.D[j] } else { 0.0 };
                a[j * d + i] = delta - v[i] * (v[j] * self.D[j] / half);
            }
        }
        let along = dot(&v, &self.u) / half;
        let u = (0..d).map(|i| self.u[i] - v[i] * along).collect();
        (Svd::new(a, d), u)
    }
}
