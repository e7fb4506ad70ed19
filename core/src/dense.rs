//! Dense linear algebra with the parallelism said by the caller.
//!
//! faer's operators and its decompositions by method (`A * B`, `A.qr()`, `A.partial_piv_lu()`) take as many threads as the
//! machine has from a global pool, whatever the caller said. Called from our own threads that is too many of them, and in a
//! forked child the pool has no threads left and the call never returns. So these few operations are written out
//! with an explicit [`Par`]; small factorisations are sequential always.

#![allow(non_snake_case)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
};
use faer::linalg::lu::partial_pivoting as lu;
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::perm::Perm;
use faer::{Accum, Conj, Mat, MatRef, Par};

/// AB.
pub(crate) fn product(A: MatRef<'_, f64>, B: MatRef<'_, f64>, par: Par) -> Mat<f64> {
    let mut out = Mat::zeros(A.nrows(), B.ncols());
    matmul(out.as_mut(), Accum::Replace, A, B, 1.0, par);
    out
}

/// A = QR for a matrix with at least as many rows as columns: orthonormal columns Q, square upper triangular R.
pub(crate) struct Qr {
    pub Q: Mat<f64>,
    pub R: Mat<f64>,
}

impl Qr {
    /// Decomposes A by Householder reflections.
    pub(crate) fn new(mut A: Mat<f64>) -> Self {
        let (m, n) = (A.nrows(), A.ncols());
        let block = qr::recommended_block_size::<f64>(m, n);
        let mut coefficients = Mat::zeros(block, n);
        let scratch = qr::qr_in_place_scratch::<f64>(m, n, block, Par::Seq, Default::default());
        qr::qr_in_place(
            A.as_mut(),
            coefficients.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let R = Mat::from_fn(n, n, |i, j| if i <= j { A[(i, j)] } else { 0.0 });
        // The reflections are below the diagonal; its ones are understood.
        let mut Q = Mat::identity(m, n);
        let scratch = apply_scratch::<f64>(m, block, n);
        apply(
            A.as_ref(),
            coefficients.as_ref(),
            Conj::No,
            Q.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        Self { Q, R }
    }

    /// R⁻¹z, for an R that is not singular.
    pub(crate) fn solve_triangular(&self, mut z: Mat<f64>) -> Mat<f64> {
        solve_upper_triangular_in_place(self.R.as_ref(), z.as_mut(), Par::Seq);
        z
    }
}

/// The singular values, descending; none if they did not converge.
pub(crate) fn singular_values(A: MatRef<'_, f64>) -> Option<Vec<f64>> {
    let (m, n) = (A.nrows(), A.ncols());
    let mut values = faer::diag::Diag::<f64>::zeros(m.min(n));
    let no = ComputeSvdVectors::No;
    let scratch = svd_scratch::<f64>(m, n, no, no, Par::Seq, Default::default());
    svd(
        A,
        values.as_mut(),
        None,
        None,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    Some(values.column_vector().iter().copied().collect())
}

/// PA = LU by Gaussian elimination with partial pivoting.
pub(crate) struct Lu {
    /// L below the diagonal, U on and above it.
    factors: Mat<f64>,
    rows: Perm<usize>,
}

impl Lu {
    /// Decomposes a square matrix.
    pub(crate) fn new(A: MatRef<'_, f64>) -> Self {
        let n = A.nrows();
        let mut factors = A.to_owned();
        let (mut forward, mut backward) = (vec![0; n], vec![0; n]);
        let scratch =
            lu::factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
        lu::factor::lu_in_place(
            factors.as_mut(),
            &mut forward,
            &mut backward,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        Self {
            factors,
            rows: Perm::new_checked(forward.into(), backward.into(), n),
        }
    }

    /// A⁻¹B.
    pub(crate) fn solve(&self, mut B: Mat<f64>) -> Mat<f64> {
        let (n, k) = (B.nrows(), B.ncols());
        let scratch = lu::solve::solve_in_place_scratch::<usize, f64>(n, k, Par::Seq);
        lu::solve::solve_in_place(
            self.factors.as_ref(),
            self.factors.as_ref(),
            self.rows.as_ref(),
            B.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        B
    }
}

/// A = LL' for a positive definite matrix.
pub(crate) struct Cholesky {
    L: Mat<f64>,
}

impl Cholesky {
    /// Decomposes A, of which the lower triangle is read; none if a pivot is not above `least`.
    pub(crate) fn new(mut A: Mat<f64>, least: f64, par: Par) -> Option<Self> {
        let n = A.nrows();
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, par, Default::default());
        let done = llt::factor::cholesky_in_place(
            A.as_mut(),
            Default::default(),
            par,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let definite = (0..n).all(|i| A[(i, i)].powi(2) > least);
        (done.is_ok() && definite).then_some(Self { L: A })
    }

    /// A⁻¹B.
    pub(crate) fn solve(&self, mut B: Mat<f64>, par: Par) -> Mat<f64> {
        let scratch = llt::solve::solve_in_place_scratch::<f64>(B.nrows(), B.ncols(), par);
        let mut buffer = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut buffer);
        llt::solve::solve_in_place(self.L.as_ref(), B.as_mut(), par, stack);
        B
    }
}

/// A⁻¹ of a small matrix of `c` rows, row by row, by Gauss–Jordan elimination with partial pivoting; none if it is singular.
pub(crate) fn inverse(A: &[f64], c: usize) -> Option<Vec<f64>> {
    // [A I], of which the left half becomes I.
    let width = 2 * c;
    let mut all = vec![0.0; c * width];
    for (i, (row, a)) in all
        .chunks_exact_mut(width)
        .zip(A.chunks_exact(c))
        .enumerate()
    {
        row[..c].copy_from_slice(a);
        row[c + i] = 1.0;
    }
    let mut pivot = vec![0.0; width];
    for k in 0..c {
        let size = |i: usize| all[i * width + k].abs();
        let largest = (k..c).max_by(|&i, &j| size(i).total_cmp(&size(j)))?;
        if !(size(largest) > 0.0 && size(largest).is_finite()) {
            return None;
        }
        for j in 0..width {
            all.swap(k * width + j, largest * width + j);
        }
        let row = &mut all[k * width..(k + 1) * width];
        let scale = 1.0 / row[k];
        row.iter_mut().for_each(|v| *v *= scale);
        pivot.copy_from_slice(row);
        for (i, row) in all.chunks_exact_mut(width).enumerate() {
            let factor = row[k];
            if i != k {
                row.iter_mut()
                    .zip(&pivot)
                    .for_each(|(v, p)| *v -= factor * p);
            }
        }
    }
    let rows = all.chunks_exact(width);
    Some(rows.flat_map(|row| row[c..].iter().copied()).collect())
}

/// The lengths of columns whose squares are in range: the plain sums, where faer's guard against overflow takes twenty times as long.
pub(crate) fn lengths(A: MatRef<'_, f64>) -> Vec<f64> {
    let length = |a: faer::ColRef<'_, f64>| match a.try_as_col_major() {
        Some(a) => {
            let mut square = [0.0];
            dots(a.as_slice(), |_| a.as_slice(), &mut square);
            square[0].sqrt()
        }
        None => a.norm_l2(),
    };
    A.col_iter().map(length).collect()
}

/// u'v for some v, by their numbers.
pub(crate) fn dots<'a>(u: &[f64], v: impl Fn(usize) -> &'a [f64], out: &mut [f64]) {
    let (arch, mut at) = (crate::isa::arch(), 0);
    while at < out.len() {
        let v = |n: usize| v(at + n);
        let out = &mut out[at..];
        at += match out.len() {
            4.. => arch.dispatch(Dots(u, [v(0), v(1), v(2), v(3)], out)),
            2.. => arch.dispatch(Dots(u, [v(0), v(1)], out)),
            _ => arch.dispatch(Dots(u, [v(0)], out)),
        };
    }
}

/// u'v for N of them, for which u is loaded once; it answers how many they were.
struct Dots<'a, const N: usize>(&'a [f64], [&'a [f64]; N], &'a mut [f64]);

impl<const N: usize> pulp::WithSimd for Dots<'_, N> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> usize {
        let Self(u, v, out) = self;
        let (vectors, rest) = S::as_simd_f64s(u);
        let columns = v.map(|v| &S::as_simd_f64s(v).0[..vectors.len()]);
        // Two sums each: one alone would wait for itself.
        let mut sums = [[simd.splat_f64s(0.0); 2]; N];
        let (pairs, last) = vectors.as_chunks::<2>();
        for (l, pair) in pairs.iter().enumerate() {
            for (sums, v) in sums.iter_mut().zip(&columns) {
                for (half, sum) in sums.iter_mut().enumerate() {
                    *sum = simd.mul_add_f64s(pair[half], v[2 * l + half], *sum);
                }
            }
        }
        for (n, sums) in sums.iter_mut().enumerate() {
            if let [u] = last {
                sums[0] = simd.mul_add_f64s(*u, columns[n][vectors.len() - 1], sums[0]);
            }
            let end = v[n][u.len() - rest.len()..].iter();
            let end: f64 = rest.iter().zip(end).map(|(u, v)| u * v).sum();
            out[n] = simd.reduce_sum_f64s(simd.add_f64s(sums[0], sums[1])) + end;
        }
        N
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn near(A: &Mat<f64>, B: &Mat<f64>, bound: f64) {
        assert!((A - B).norm_l2() <= bound, "{}", (A - B).norm_l2());
    }

    /// QR = A with Q'Q = I, A(A⁻¹B) = B, and the singular values of A are those of R; to rounding.
    #[test]
    fn decompositions_put_together_are_the_matrix() {
        let mut rng = Stream::new(8);
        for (m, n) in [(1, 1), (2, 2), (7, 3), (40, 11), (300, 40)] {
            let A = Mat::from_fn(m, n, |_, _| rng.normal());
            let unit = 16.0 * f64::EPSILON * (m as f64) * A.norm_l2();
            let factors = Qr::new(A.clone());
            let (Q, R) = (factors.Q.as_ref(), factors.R.as_ref());
            near(&product(Q, R, Par::Seq), &A, unit);
            let gram = product(Q.transpose(), Q, Par::Seq);
            near(&gram, &Mat::identity(n, n), 16.0 * f64::EPSILON * m as f64);
            let (of_A, of_R) = (singular_values(A.as_ref()), singular_values(R));
            for (a, r) in of_A.unwrap().iter().zip(of_R.unwrap()) {
                assert!((a - r).abs() <= unit);
            }

            // A square that is not nearly singular.
            let S = Mat::from_fn(n, n, |i, j| {
                rng.uniform()
                    + if i == (j + 1) % n {
                        4.0 * n as f64
                    } else {
                        0.0
                    }
            });
            let B = Mat::from_fn(n, 3, |_, _| rng.normal());
            let X = Lu::new(S.as_ref()).solve(B.clone());
            let bound = 16.0 * f64::EPSILON * S.norm_l2() * X.norm_l2();
            near(&product(S.as_ref(), X.as_ref(), Par::Seq), &B, bound);

            let D = product(S.as_ref(), S.transpose(), Par::Seq);
            let X = Cholesky::new(D.clone(), 0.0, Par::Seq)
                .unwrap()
                .solve(B.clone(), Par::Seq);
            let bound = 16.0 * f64::EPSILON * D.norm_l2() * X.norm_l2();
            near(&product(D.as_ref(), X.as_ref(), Par::Seq), &B, bound);
            assert!(Cholesky::new(D * -1.0, 0.0, Par::Seq).is_none());
        }
    }

    /// A A⁻¹ = I for matrices of every size, and what is singular has none.
    #[test]
    fn small_inverses() {
        let mut rng = Stream::new(29);
        for c in 1..13 {
            let A: Vec<f64> = (0..c * c).map(|_| rng.normal()).collect();
            let B = inverse(&A, c).unwrap();
            for i in 0..c {
                for j in 0..c {
                    let one: f64 = (0..c).map(|k| A[i * c + k] * B[k * c + j]).sum();
                    assert!((one - f64::from(i == j)).abs() < 1e-10, "{c}: {one}");
                }
            }
        }
        assert!(inverse(&[1.0, 2.0, 2.0, 4.0], 2).is_none());
        assert!(inverse(&[0.0], 1).is_none() && inverse(&[f64::NAN], 1).is_none());
    }

    #[test]
    fn lengths_are_those_of_faer() {
        let mut rng = Stream::new(5);
        for n in [0, 1, 7, 8, 33, 1000] {
            let A = Mat::from_fn(n, 3, |_, _| rng.normal());
            let across = Mat::from_fn(3, n, |i, j| A[(j, i)]);
            for (j, a) in A.col_iter().enumerate() {
                for found in [lengths(A.as_ref())[j], lengths(across.transpose())[j]] {
                    assert!((found - a.norm_l2()).abs() <= 1e-14 * a.norm_l2(), "{n}");
                }
            }
        }
    }

    /// Every remainder, on every instruction set of this machine.
    #[test]
    fn dots_are_the_plain_sums() {
        let mut rng = Stream::new(31);
        for n in (0..36).chain([100, 203]) {
            let mut numbers = || -> Vec<f64> { (0..n).map(|_| rng.normal()).collect() };
            let (u, v) = (numbers(), [numbers(), numbers(), numbers(), numbers()]);
            let check = |out: &[f64]| {
                for (found, v) in out.iter().zip(&v) {
                    let terms = || u.iter().zip(v).map(|(u, v)| u * v);
                    let bound = n as f64 * f64::EPSILON * terms().map(f64::abs).sum::<f64>();
                    assert!((found - terms().sum::<f64>()).abs() <= bound, "{n}");
                }
            };
            for arch in crate::isa::all() {
                let mut out = [f64::NAN; 4];
                let all = v.each_ref().map(|v| &v[..]);
                assert_eq!(arch.dispatch(Dots(&u, all, &mut out)), 4);
                check(&out);
            }
            for count in 0..=4 {
                let mut out = vec![f64::NAN; count];
                dots(&u, |j| &v[j], &mut out);
                check(&out);
            }
        }
    }
}
