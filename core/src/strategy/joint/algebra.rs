//! The few dense operations that joint placement is written in, with the threads passed in.
#![allow(non_snake_case)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Accum, Mat, MatMut, MatRef, Par};

pub(super) use crate::dense::product;
use crate::fit::spectrum;

/// A column of a block whose part orthogonal to the basis is smaller than this, relative to the
/// largest, is rounding noise and is dropped: the Krylov space is exhausted in that direction.
const EXHAUSTED: f64 = 1e-11;

/// C + αAB.
pub(super) fn add_product(
    out: MatMut<'_, f64>,
    alpha: f64,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    par: Par,
) {
    matmul(out, Accum::Add, a, b, alpha, par);
}

/// ⟨A, B⟩ = tr A'B, summed column by column in a fixed order.
pub(super) fn dot(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (0..a.ncols())
        .map(|j| dot_slices(a.col_as_slice(j), b.col_as_slice(j)))
        .sum()
}

/// The inner product of two slices, in eight partial sums.
fn dot_slices(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in left.zip(right) {
        for i in 0..8 {
            lanes[i] += x[i] * y[i];
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// ‖A‖_F.
pub(super) fn norm(a: &Mat<f64>) -> f64 {
    dot(a, a).sqrt()
}

/// A ← A + αB.
pub(super) fn add(a: &mut Mat<f64>, alpha: f64, b: &Mat<f64>) {
    for j in 0..a.ncols() {
        for (x, y) in a.col_as_slice_mut(j).iter_mut().zip(b.col_as_slice(j)) {
            *x += alpha * y;
        }
    }
}

/// A ← αA.
pub(super) fn scale(a: &mut Mat<f64>, alpha: f64) {
    for j in 0..a.ncols() {
        for x in a.col_as_slice_mut(j) {
            *x *= alpha;
        }
    }
}

/// Each column multiplied by its own number.
pub(super) fn scale_columns(a: &Mat<f64>, by: &[f64]) -> Mat<f64> {
    let mut out = a.clone();
    for (j, &v) in by.iter().enumerate() {
        for x in out.col_as_slice_mut(j) {
            *x *= v;
        }
    }
    out
}

/// Eigenvalues in ascending order, with their vectors in the columns.
pub(super) struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Mat<f64>,
}

/// The eigenpairs of a finite symmetric matrix, of which the lower triangle is read.
pub(super) fn eigen(a: MatRef<'_, f64>, par: Par) -> Eigen {
    if a.nrows() == 0 {
        // The solver does not take an empty matrix.
        return Eigen {
            values: Vec::new(),
            vectors: Mat::new(),
        };
    }
    let threads = match par {
        Par::Seq => 1,
        Par::Rayon(threads) => threads.get(),
    };
    let (values, vectors) =
        spectrum::eigen(a, threads).expect("finite symmetric matrices have eigenvalues");
    Eigen { values, vectors }
}

/// Cholesky in place of the lower triangle: true if the matrix is positive definite.
pub(super) fn cholesky(mut a: MatMut<'_, f64>, par: Par) -> bool {
    let n = a.nrows();
    let scratch = cholesky_in_place_scratch::<f64>(n, par, Default::default());
    cholesky_in_place(
        a.as_mut(),
        LltRegularization::default(),
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .is_ok()
}

/// The orthogonal R that makes tr R'M largest, and the one of the other orientation.
pub(super) fn turns(m: MatRef<'_, f64>) -> [Mat<f64>; 2] {
    let d = m.nrows();
    let (mut u, mut v) = (Mat::<f64>::zeros(d, d), Mat::<f64>::zeros(d, d));
    let mut s = faer::diag::Diag::<f64>::zeros(d);
    let full = ComputeSvdVectors::Full;
    let scratch = svd_scratch::<f64>(d, d, full, full, Par::Seq, Default::default());
    svd(
        m,
        s.as_mut(),
        Some(u.as_mut()),
        Some(v.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .expect("a finite matrix has its singular values found");
    let nearest = product(u.as_ref(), v.transpose(), Par::Seq);
    for x in u.col_as_slice_mut(d - 1) {
        *x = -*x;
    }
    [nearest, product(u.as_ref(), v.transpose(), Par::Seq)]
}

/// An orthonormal basis of the part of `block` orthogonal to the bases before it (twice, so that
/// it is orthogonal to rounding). Directions that are only rounding noise are dropped.
pub(super) fn orthonormal(block: Mat<f64>, before: &[&Mat<f64>], par: Par) -> Mat<f64> {
    let reference = (0..block.ncols())
        .map(|j| dot_slices(block.col_as_slice(j), block.col_as_slice(j)))
        .fold(0.0, f64::max);
    let mut q = block;
    for round in 0..3 {
        for basis in before {
            let inner = product(basis.transpose(), q.as_ref(), par);
            add_product(q.as_mut(), -1.0, basis.as_ref(), inner.as_ref(), par);
        }
        let floor = match round {
            0 => EXHAUSTED * EXHAUSTED * reference,
            _ => 0.25,
        };
        let gram = eigen(product(q.transpose(), q.as_ref(), par).as_ref(), Par::Seq);
        let kept: Vec<usize> = (0..gram.values.len())
            .rev()
            .filter(|&i| gram.values[i] > floor && gram.values[i] > 0.0)
            .collect();
        let turn = Mat::from_fn(gram.values.len(), kept.len(), |i, j| {
            gram.vectors[(i, kept[j])] / gram.values[kept[j]].sqrt()
        });
        q = product(q.as_ref(), turn.as_ref(), par);
    }
    q
}

/// The algebraically largest eigenpairs of a symmetric operator, descending, by restarted block
/// Krylov with Rayleigh–Ritz: three blocks a round. Good for starts, where two digits are plenty.
pub(super) fn top(
    count: usize,
    block: Mat<f64>,
    rounds: usize,
    multiply: &dyn Fn(&Mat<f64>) -> Mat<f64>,
    par: Par,
) -> Eigen {
    let width = block.ncols();
    let mut q = orthonormal(block, &[], par);
    let mut found = Eigen {
        values: Vec::new(),
        vectors: Mat::zeros(q.nrows(), 0),
    };
    for _ in 0..rounds {
        let aq = multiply(&q);
        let k1 = orthonormal(aq.clone(), &[&q], par);
        let ak1 = multiply(&k1);
        let k2 = orthonormal(ak1.clone(), &[&q, &k1], par);
        let ak2 = multiply(&k2);
        let basis = beside(&[&q, &k1, &k2]);
        let image = beside(&[&aq, &ak1, &ak2]);
        let small = eigen(
            product(basis.transpose(), image.as_ref(), par).as_ref(),
            Par::Seq,
        );
        let m = small.values.len();
        let keep = width.min(m);
        let turn = Mat::from_fn(m, keep, |i, j| small.vectors[(i, m - 1 - j)]);
        q = product(basis.as_ref(), turn.as_ref(), par);
        found.values = (0..count.min(keep))
            .map(|j| small.values[m - 1 - j])
            .collect();
    }
    found.vectors = Mat::from_fn(q.nrows(), found.values.len(), |i, j| q[(i, j)]);
    found
}

/// Blocks side by side.
pub(super) fn beside(blocks: &[&Mat<f64>]) -> Mat<f64> {
    let columns: Vec<(&Mat<f64>, usize)> = blocks
        .iter()
        .flat_map(|b| (0..b.ncols()).map(move |j| (*b, j)))
        .collect();
    Mat::from_fn(blocks[0].nrows(), columns.len(), |i, j| {
        columns[j].0[(i, columns[j].1)]
    })
}
