//! What is between the newcomers: β, as a matrix or as a product with blocks of vectors.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// What is between the newcomers: β, k × k and symmetric. Missing entries count as 0 in every
/// method here and are listed by [`missing`](Between::missing).
pub trait Between: Sync {
    /// The number k of newcomers.
    fn len(&self) -> usize;

    /// Whether there are no newcomers.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes β · `block` to `out` (both k × m).
    fn multiply(&self, block: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par);

    /// The diagonal of β.
    fn diagonal(&self) -> Vec<f64>;

    /// ‖β‖_F², over the observed entries.
    fn norm_squared(&self) -> f64;

    /// β itself, if it is there. Without it the search has no exact block steps and the objective
    /// is a sum of squares only as far as ‖β‖_F² allows.
    fn dense(&self) -> Option<MatRef<'_, f64>> {
        None
    }

    /// The missing entries (i, j) with i ≤ j, each once: their weight in the objective is 0.
    fn missing(&self) -> &[(usize, usize)] {
        &[]
    }
}

/// β as a matrix.
#[derive(Debug, Clone)]
pub struct DenseBetween {
    beta: Mat<f64>,
    missing: Vec<(usize, usize)>,
    norm_squared: f64,
}

impl DenseBetween {
    /// Takes a symmetric matrix in which NaN stands for a missing entry. Where only one of two
    /// mirrored entries is missing the other one is used; where both are there, their mean.
    pub fn new(mut beta: Mat<f64>) -> Self {
        let k = beta.nrows();
        assert_eq!(k, beta.ncols(), "β is square");
        let mut missing = Vec::new();
        let mut norm_squared = 0.0;
        for j in 0..k {
            for i in 0..=j {
                let (upper, lower) = (beta[(i, j)], beta[(j, i)]);
                let value = match (upper.is_nan(), lower.is_nan()) {
                    (false, false) => lower + 0.5 * (upper - lower),
                    (true, false) => lower,
                    (false, true) => upper,
                    (true, true) => {
                        missing.push((i, j));
                        0.0
                    }
                };
                beta[(i, j)] = value;
                beta[(j, i)] = value;
                norm_squared += value * value * if i == j { 1.0 } else { 2.0 };
            }
        }
        Self {
            beta,
            missing,
            norm_squared,
        }
    }
}

impl Between for DenseBetween {
    fn len(&self) -> usize {
        self.beta.nrows()
    }

    fn multiply(&self, block: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
        matmul(out, Accum::Replace, self.beta.as_ref(), block, 1.0, par);
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.beta[(i, i)]).collect()
    }

    fn norm_squared(&self) -> f64 {
        self.norm_squared
    }

    fn dense(&self) -> Option<MatRef<'_, f64>> {
        Some(self.beta.as_ref())
    }

    fn missing(&self) -> &[(usize, usize)] {
        &self.missing
    }
}
