//! Small vectors and singular value decompositions by faer, so that the tests do not share the
//! library's own.
#![allow(dead_code)]

use faer::Mat;

/// A = W T V', thin, values descending.
pub struct Svd {
    left: Mat<f64>,
    right: Mat<f64>,
    /// The diagonal of T.
    pub values: Vec<f64>,
}

impl Svd {
    /// Of a matrix stored by columns.
    pub fn new(a: Vec<f64>, rows: usize) -> Self {
        let a = Mat::from_fn(rows, a.len() / rows, |i, j| a[j * rows + i]);
        let svd = a.thin_svd().expect("a finite matrix");
        Self {
            left: svd.U().to_owned(),
            right: svd.V().to_owned(),
            values: svd.S().column_vector().iter().copied().collect(),
        }
    }

    /// Column j of W.
    pub fn left(&self, j: usize) -> Vec<f64> {
        self.left.col(j).iter().copied().collect()
    }

    /// Column j of V.
    pub fn right(&self, j: usize) -> Vec<f64> {
        self.right.col(j).iter().copied().collect()
    }

    /// (WV')'u.
    pub fn polar_transposed(&self, u: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.values.len()];
        for j in 0..self.values.len() {
            let along = dot(&self.left(j), u);
            for (y, v) in y.iter_mut().zip(self.right(j)) {
                *y += along * v;
            }
        }
        y
    }
}

/// x'y.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// ‖x‖.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
