//! Orthonormal columns, for the basis of [`super::krylov`].
//!
//! ```text
//! W ← W − QQ'W        W = W'R,  W''W' = I
//! ```
//!
//! By Cholesky's decomposition of W'W, which is nothing but products, where the columns are independent enough, and otherwise by
//! Gram–Schmidt one by one; a column that is only rounding noise is replaced by a random one.

#![allow(non_snake_case)]

use faer::linalg::matmul::dot::inner_prod;
use faer::linalg::matmul::matmul;
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

use crate::dense::{lengths, product};
use crate::random::Stream;

/// A column whose length falls below this many units of √n ε ‖B‖ is noise.
pub(super) const NOISE_UNITS: f64 = 8.0;

/// A column shorter than this beside ‖B‖ has lost digits when it was made orthogonal.
const SHORT: f64 = 1e-4;

/// A column that keeps this share of its length when a basis is taken off has lost no digits by it (Daniel, Gragg, Kaufman and
/// Stewart 1976: twice is enough), and how often is tried: beyond that, what is left is noise.
const KEPT: f64 = 0.7;
const MOST_ROUNDS: usize = 3;

/// A column that keeps less than this share of its square beside those before it depends on them too much
/// for Cholesky's decomposition to make it orthogonal in two rounds.
const DEPENDENT: f64 = 1e-8;

/// So many products are added up within half a millisecond or two.
const FEW_PRODUCTS: usize = 1 << 22;

/// The first columns of Q ← Q S, a few rows at a time, so that there is no second basis in memory.
pub(super) fn replace(mut Q: MatMut<'_, f64>, S: MatRef<'_, f64>) {
    let rows = 256;
    let mut piece = Mat::zeros(rows, S.ncols());
    for first in (0..Q.nrows()).step_by(rows) {
        let count = rows.min(Q.nrows() - first);
        let mut out = piece.get_mut(..count, ..);
        let here = Q.as_ref().subrows(first, count);
        matmul(out.as_mut(), Accum::Replace, here, S, 1.0, Par::Seq);
        Q.as_mut()
            .subrows_mut(first, count)
            .subcols_mut(0, S.ncols())
            .copy_from(out.as_ref());
    }
}

/// One thread where the product of A and so many columns is done sooner than others are woken.
fn worth_waking(A: MatRef<'_, f64>, columns: usize, par: Par) -> Par {
    let products = A.nrows() * A.ncols() * columns;
    if products < FEW_PRODUCTS {
        Par::Seq
    } else {
        par
    }
}

/// W ← W − Q Q'W; returns Q'W.
pub(super) fn project_out(Q: MatRef<'_, f64>, mut W: MatMut<'_, f64>, par: Par) -> Mat<f64> {
    let par = worth_waking(Q, W.ncols(), par);
    let H = product(Q.transpose(), W.as_ref(), par);
    matmul(W.as_mut(), Accum::Add, Q, &H, -1.0, par);
    H
}

/// W ← W − QQ'W to rounding; returns Q'W. What B makes of the last block is, but for rounding, of the last two (`near` columns of
/// Q) and of what is new: they are taken off first, and all others once, or again while a column loses much of its length by it.
pub(super) fn take_off(
    Q: MatRef<'_, f64>,
    mut W: MatMut<'_, f64>,
    near: usize,
    par: Par,
) -> Mat<f64> {
    let first = Q.ncols().saturating_sub(near);
    let mut H = Mat::zeros(Q.ncols(), W.ncols());
    let last = project_out(Q.subcols(first, Q.ncols() - first), W.as_mut(), par);
    H.get_mut(first.., ..).copy_from(&last);
    let mut before = lengths(W.as_ref());
    for _ in 0..MOST_ROUNDS {
        H += project_out(Q, W.as_mut(), par);
        let after = lengths(W.as_ref());
        if after
            .iter()
            .zip(&before)
            .all(|(after, before)| *after >= KEPT * before)
        {
            break;
        }
        before = after;
    }
    H
}

/// Makes the columns of W orthonormal, and orthogonal to Q, and returns R with W_before = W_after R.
/// A column that is only noise beside `norm` is replaced by a random one with a zero row in R.
pub(super) fn orthonormalise(
    Q: MatRef<'_, f64>,
    W: &mut Mat<f64>,
    norm: f64,
    random: &mut Stream,
    par: Par,
) -> Mat<f64> {
    let noise = NOISE_UNITS * f64::EPSILON * (W.nrows() as f64).sqrt() * norm;
    let mut make = |W: &mut Mat<f64>, noise| {
        by_cholesky(W, noise, par).unwrap_or_else(|| gram_schmidt(W, noise, random))
    };
    let (R, shortest) = make(W, noise);
    // What was short before it was normalised is orthogonal to Q only up to its own length.
    if shortest < SHORT * norm {
        project_out(Q, W.as_mut(), par);
        make(W, 0.0);
    }
    R
}

/// Makes the columns orthonormal by Cholesky's decomposition of W'W, twice: nothing but products, so it is
/// fast. Returns R and the shortest length met; none, with W as it was, if a column is only noise or nearly
/// depends on those before it.
fn by_cholesky(W: &mut Mat<f64>, noise: f64, par: Par) -> Option<(Mat<f64>, f64)> {
    let b = W.ncols();
    let par = worth_waking(W.as_ref(), b, par);
    let mut R = Mat::<f64>::identity(b, b);
    let mut shortest = f64::INFINITY;
    let mut answer = W.clone();
    for round in 0..2 {
        let G = product(answer.transpose(), answer.as_ref(), par);
        // Upper triangular U with U'U = G.
        let mut U = Mat::<f64>::zeros(b, b);
        for j in 0..b {
            for i in 0..=j {
                let sum: f64 = (0..i).map(|l| U[(l, i)] * U[(l, j)]).sum();
                let left = G[(i, j)] - sum;
                if i < j {
                    U[(i, j)] = left / U[(i, i)];
                } else if left > DEPENDENT * G[(j, j)] {
                    U[(j, j)] = left.sqrt();
                } else {
                    return None;
                }
            }
        }
        if round == 0 {
            shortest = (0..b).map(|j| U[(j, j)]).fold(shortest, f64::min);
            if shortest <= noise {
                return None;
            }
        }
        let mut inverse = Mat::<f64>::identity(b, b);
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            U.as_ref(),
            inverse.as_mut(),
            Par::Seq,
        );
        answer = product(answer.as_ref(), inverse.as_ref(), par);
        R = product(U.as_ref(), R.as_ref(), Par::Seq);
    }
    *W = answer;
    Some((R, shortest))
}

/// Gram–Schmidt within the block, twice per column; returns R and the shortest length met.
fn gram_schmidt(W: &mut Mat<f64>, noise: f64, random: &mut Stream) -> (Mat<f64>, f64) {
    let b = W.ncols();
    let mut R = Mat::zeros(b, b);
    let mut shortest = f64::INFINITY;
    for j in 0..b {
        let (before, mut rest) = W.as_mut().split_at_col_mut(j);
        let mut w = rest.as_mut().col_mut(0);
        let mut fresh = false;
        loop {
            for _ in 0..2 {
                for i in 0..j {
                    let q = before.as_ref().col(i);
                    let h = inner_prod(q.transpose(), Conj::No, w.as_ref(), Conj::No);
                    w.as_mut()
                        .iter_mut()
                        .zip(q.iter())
                        .for_each(|(w, q)| *w -= h * q);
                    if !fresh {
                        R[(i, j)] += h;
                    }
                }
            }
            let length = w.as_ref().norm_l2();
            if !fresh {
                shortest = shortest.min(length);
            }
            if length > noise || fresh {
                if !fresh {
                    R[(j, j)] = length;
                }
                w.iter_mut().for_each(|v| *v /= length);
                break;
            }
            w.as_mut().iter_mut().for_each(|v| *v = random.normal());
            fresh = true;
        }
    }
    (R, shortest)
}
