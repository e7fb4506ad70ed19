//! The kernel between old objects, dense or sparse, and what is left of it without its first eigenvector.

#![allow(non_snake_case)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef};

use crate::error::Error;
use crate::fit::spectrum::{self, Symmetric};
use crate::graph::Graph;

/// K or K̃, all of it or the part that is not zero.
pub(super) enum Kernel {
    Dense(Mat<f64>),
    /// Lengths are similarities here; the diagonal is among the links.
    Sparse(Graph),
}

/// B = K̃ − u₀u₀'.
pub(super) struct Deflated<'a> {
    pub kernel: &'a Kernel,
    /// u₀.
    pub first: &'a [f64],
    pub threads: usize,
}

impl Kernel {
    pub(super) fn row_sum(&self, i: usize) -> f64 {
        match self {
            Kernel::Dense(K) => K.col(i).iter().sum(),
            Kernel::Sparse(graph) => graph.links(i).map(|l| l.1).sum(),
        }
    }

    pub(super) fn diagonal(&self, i: usize) -> f64 {
        match self {
            Kernel::Dense(K) => K[(i, i)],
            Kernel::Sparse(graph) => {
                let own = graph.links(i).find(|l| l.0 == i);
                own.map_or(0.0, |l| l.1)
            }
        }
    }

    /// ‖K‖_F².
    pub(super) fn squared_norm(&self) -> f64 {
        match self {
            Kernel::Dense(K) => K.squared_norm_l2(),
            Kernel::Sparse(graph) => graph.lengths.iter().map(|v| v * v).sum(),
        }
    }

    /// K_ij ← K_ij / (by_i by_j).
    pub(super) fn divide(&mut self, by: &[f64]) {
        match self {
            Kernel::Dense(K) => {
                for (j, column) in K.col_iter_mut().enumerate() {
                    for (v, b) in column.iter_mut().zip(by) {
                        *v /= b * by[j];
                    }
                }
            }
            Kernel::Sparse(graph) => {
                for i in 0..graph.count() {
                    for at in graph.offsets[i]..graph.offsets[i + 1] {
                        graph.lengths[at] /= by[i] * by[graph.targets[at] as usize];
                    }
                }
            }
        }
    }
}

impl Symmetric for Deflated<'_> {
    fn count(&self) -> usize {
        self.first.len()
    }

    fn multiply(&self, v: MatRef<'_, f64>, mut out: MatMut<'_, f64>) -> Result<(), Error> {
        match self.kernel {
            Kernel::Dense(K) => {
                let par = spectrum::par(self.threads);
                matmul(out.as_mut(), Accum::Replace, K, v, 1.0, par);
            }
            Kernel::Sparse(graph) => {
                for (v, out) in v.col_iter().zip(out.as_mut().col_iter_mut()) {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = graph.links(i).map(|(j, k)| k * v[j]).sum();
                    }
                }
            }
        }
        for (v, out) in v.col_iter().zip(out.col_iter_mut()) {
            let along: f64 = v.iter().zip(self.first).map(|(v, u)| v * u).sum();
            for (out, u) in out.iter_mut().zip(self.first) {
                *out -= along * u;
            }
        }
        Ok(())
    }

    fn dense(&self) -> Result<Mat<f64>, Error> {
        let n = self.count();
        let mut B = match self.kernel {
            Kernel::Dense(K) => K.clone(),
            Kernel::Sparse(graph) => {
                let mut B = Mat::zeros(n, n);
                for i in 0..n {
                    graph.links(i).for_each(|(j, k)| B[(i, j)] = k);
                }
                B
            }
        };
        for (j, column) in B.col_iter_mut().enumerate() {
            for (v, u) in column.iter_mut().zip(self.first) {
                *v -= u * self.first[j];
            }
        }
        Ok(B)
    }
}
