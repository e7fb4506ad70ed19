//! The weighted mean and principal axes of the observed objects, and what follows from them: the exact
//! minimiser of the squared-distance problem, and how many dimensions the objects span.
#![allow(non_snake_case)]

use super::sums::{LANES, Lane, Problem, ZERO};
use crate::rounding::TIE_UNITS;
use crate::strategy::jacobi::{Svd, dot};
use crate::strategy::secular::{self};

/// The weighted mean, and the eigenvalues and eigenvectors of C = 2 Σ w x°x°'/W.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub mean: Vec<f64>,
    /// Descending.
    pub eigenvalues: Vec<f64>,
    /// By columns.
    pub vectors: Vec<f64>,
    /// How many eigenvalues are more than rounding.
    pub rank: usize,
}

impl Shape {
    /// The shape of `size` objects with d axes, weighted.
    pub fn new(points: &[Lane], weights: &[Lane], d: usize, size: usize) -> Self {
        let total: f64 = weights.iter().flat_map(|lane| &lane.0).sum();
        let mut mean = vec![0.0; d];
        for (x, w) in points.chunks_exact(d.max(1)).zip(weights) {
            for (m, x) in mean.iter_mut().zip(x) {
                *m += (0..LANES).map(|l| w[l] * x[l]).sum::<f64>();
            }
        }
        mean.iter_mut().for_each(|m| *m /= total);
        let mut C = vec![0.0; d * d];
        for (x, w) in points.chunks_exact(d.max(1)).zip(weights) {
            for k in 0..d {
                for j in 0..=k {
                    let term = |l: usize| w[l] * (x[k][l] - mean[k]) * (x[j][l] - mean[j]);
                    C[k * d + j] += (0..LANES).map(term).sum::<f64>();
                }
            }
        }
        for k in 0..d {
            for j in 0..=k {
                C[k * d + j] *= 2.0 / total;
                C[j * d + k] = C[k * d + j];
            }
        }
        let svd = Svd::new(C, d);
        let least = TIE_UNITS * size as f64 * f64::EPSILON * svd.values.first().unwrap_or(&0.0);
        let rank = svd.values.iter().take_while(|&&v| v > least).count();
        Self {
            mean,
            eigenvalues: svd.values,
            vectors: svd.right,
            rank,
        }
    }

    /// Axis j.
    pub fn axis(&self, j: usize) -> &[f64] {
        let d = self.mean.len();
        &self.vectors[j * d..(j + 1) * d]
    }

    /// The point with these coordinates along the principal axes.
    pub fn point(&self, along: &[f64]) -> Vec<f64> {
        let mut y = self.mean.clone();
        for (j, &t) in along.iter().enumerate() {
            for (y, v) in y.iter_mut().zip(self.axis(j)) {
                *y += t * v;
            }
        }
        y
    }

    /// The coordinates of a point along the principal axes.
    pub fn along(&self, y: &[f64]) -> Vec<f64> {
        let off: Vec<f64> = y.iter().zip(&self.mean).map(|(y, m)| y - m).collect();
        (0..off.len()).map(|j| dot(self.axis(j), &off)).collect()
    }

    /// The minimiser of Σ w (‖y − x‖² − δ²)², along the principal axes.
    pub fn squared(&self, problem: &Problem<'_>, size: usize) -> Vec<f64> {
        let d = self.mean.len();
        let zero = ZERO;
        let (mut sum, mut moments, mut squares) = (zero, vec![zero; d], zero);
        let groups = problem.points.chunks_exact(d.max(1));
        for ((x, delta), w) in groups.zip(problem.dissimilarities).zip(problem.weights) {
            let mut q = zero;
            for (x, m) in x.iter().zip(&self.mean) {
                for l in 0..LANES {
                    q[l] += (x[l] - m) * (x[l] - m);
                }
            }
            let mut wq = zero;
            for l in 0..LANES {
                q[l] -= delta[l] * delta[l];
                wq[l] = w[l] * q[l];
                sum[l] += wq[l];
                squares[l] += wq[l] * q[l];
            }
            for ((x, m), moment) in x.iter().zip(&self.mean).zip(&mut moments) {
                for l in 0..LANES {
                    moment[l] += wq[l] * (x[l] - m);
                }
            }
        }
        let (sum, squares): (f64, f64) = (sum.iter().sum(), squares.iter().sum());
        let moments: Vec<f64> = moments.iter().map(|m| m.iter().sum()).collect();
        let g: Vec<f64> = (0..d)
            .map(|j| dot(self.axis(j), &moments) / problem.total)
            .collect();
        // x° √(2w/W) takes the part of X and q √(w/2W) that of b.
        let b_norm = (squares / (2.0 * problem.total)).sqrt();
        let mut y = vec![0.0; d];
        secular::solve(
            &self.eigenvalues,
            &g,
            -sum / problem.total,
            size,
            b_norm,
            &mut y,
        );
        y
    }
}
