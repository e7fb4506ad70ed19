//! The block Krylov method: a few of the largest eigenpairs, by passes over the data.
//!
//! ```text
//! Q ← [Q, orth(BQ_last)]        T = Q'BQ = SΘS'        v = Qs
//! ```
//!
//! Rayleigh–Ritz with thick restarts: the basis Q grows by one block per pass over the data,
//! T = Q'BQ is diagonalised, and when Q is full its best Ritz vectors start the next round. The block
//! is wider than the number of pairs wanted, so a repeated eigenvalue is found as often as it is
//! needed. B may be indefinite: the largest eigenvalues are wanted, not the largest in modulus.
//!
//! Proximities of q features have rank q, and a Krylov space is exhausted after q vectors: what is left
//! of the next block is rounding noise. Such columns are recognised and replaced by fresh random ones
//! that are not coupled to the rest, so that noise is never amplified into an eigenvector.
//!
//! Nothing unconverged is returned: residuals ‖Bv − θv‖ are computed from one more pass at the end and
//! compared with ‖B‖, and if they are not small there is no answer.
//!
//! # References
//! Saad (2011), Numerical Methods for Large Eigenvalue Problems, 2nd ed., chapters 6 and 7.

#![allow(non_snake_case)]

use faer::linalg::matmul::dot::inner_prod;
use faer::linalg::matmul::matmul;
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

use crate::dense::product;
use crate::error::Error;
use crate::fit::spectrum::{Eigenpairs, Seen, Symmetric, eigen, fix_signs, par, residuals};
use crate::random::Stream;
use crate::run::{Progress, Run};

/// Wanted residual, relative to ‖B‖: eigenvalues are then exact to rounding and axes to about
/// ten digits of the gap.
const TOLERANCE: f64 = 1e-11;

/// Blocks in a full basis.
const BLOCKS: usize = 12;

/// Ritz pairs beyond the wanted ones that are handed out as they are.
const FURTHER: usize = 20;

/// Passes over the data before the dense solver takes over.
pub(super) const MOST_PASSES: usize = 400;

/// A column whose length falls below this many units of √n ε ‖B‖ is noise.
const NOISE_UNITS: f64 = 8.0;

/// A column shorter than this beside ‖B‖ has lost digits when it was made orthogonal.
const SHORT: f64 = 1e-4;

/// The starting block is the same for equal problems.
const SEED: u64 = 0x6164_6a6f_696e;

/// Columns of a block for `d` eigenpairs.
fn block(d: usize) -> usize {
    (d + 2).next_multiple_of(8)
}

/// Whether `n` objects are enough for the method to be worth it.
pub(super) fn fits(d: usize, n: usize) -> bool {
    2 * BLOCKS * block(d) <= n
}

/// The `d` largest eigenpairs; none if they did not converge.
pub(super) fn largest(
    B: &dyn Symmetric,
    d: usize,
    run: Run<'_>,
) -> Result<Option<Eigenpairs>, Error> {
    let (n, b) = (B.count(), block(d));
    let most = BLOCKS * b;
    let par = par(run.threads);
    let mut random = Stream::new(SEED);

    let mut Q = Mat::<f64>::zeros(n, most);
    let mut T = Mat::<f64>::zeros(most, most);
    let mut W = Mat::from_fn(n, b, |_, _| random.uniform() - 0.5);
    orthonormalise(Q.get(.., ..0), &mut W, 0.0, &mut random, par);
    Q.get_mut(.., ..b).copy_from(&W);
    let (mut m, mut locked, mut norm) = (b, 0, 0.0f64);
    let (mut due, mut seen) = (1, None);

    for pass in 1..=MOST_PASSES {
        // Multiply the newest block: the one pass over the data.
        let last = m - b..m;
        B.multiply(Q.get(.., last.clone()), W.as_mut())?;
        run.tell(Progress {
            task: "eigenvalues",
            done: pass,
            total: MOST_PASSES,
        })?;
        for j in 0..b {
            norm = norm.max(W.col(j).norm_l2());
        }

        // Take off what the basis has already, twice; the coefficients are the new columns of T.
        let basis = Q.get(.., ..m);
        let mut H = project_out(basis, W.as_mut(), par);
        H += project_out(basis, W.as_mut(), par);
        for (j, column) in last.clone().enumerate() {
            for i in 0..m {
                // Locked pairs are converged: they are kept out of T's coupling.
                let h = if i < locked && i != column {
                    0.0
                } else {
                    H[(i, j)]
                };
                T[(i, column)] = h;
                T[(column, i)] = h;
            }
        }
        let R = orthonormalise(basis, &mut W, norm, &mut random, par);

        // Rayleigh–Ritz: residuals of Ritz vectors need only the last rows of S.
        let full = m + b > most;
        if full || pass >= due || 150 * m * m * m < n * n * b {
            let (values, S) = eigen(T.get(..m, ..m), 1)?;
            norm = values.iter().fold(norm, |x, v| x.max(v.abs()));
            let column = |i: usize| m - 1 - i;
            let residual = |i: usize| {
                let tail = Mat::from_fn(b, 1, |r, _| S[(m - b + r, column(i))]);
                product(R.as_ref(), tail.as_ref(), Par::Seq).norm_l2()
            };
            let converged = (0..d)
                .take_while(|&i| residual(i) <= TOLERANCE * norm)
                .count();
            let worst = (0..d).map(residual).fold(0.0, f64::max) / norm;
            due = pass + wait(seen.replace((pass, worst)), (pass, worst));
            if converged == d {
                let count = (d + FURTHER).min(m);
                let top = Mat::from_fn(m, count, |i, j| S[(i, column(j))]);
                let ritz: Vec<f64> = (0..count).map(|j| values[column(j)]).collect();
                let V = product(basis, top.as_ref(), par);
                let (wanted, further) = (V.subcols(0, d), V.subcols(d, count - d));
                let Some(mut pairs) = finish(B, wanted.to_owned(), norm, pass, par)? else {
                    return Ok(None);
                };
                pairs.seen = with_further(&pairs, &ritz[d..], further);
                return Ok(Some(pairs));
            }
            if full {
                // Thick restart: the best Ritz vectors, then the residual block.
                let keep = (d + (most - d) / 3).min(most - 2 * b);
                let top = Mat::from_fn(m, keep, |i, j| S[(i, column(j))]);
                replace(Q.get_mut(.., ..m), top.as_ref());
                T.fill(0.0);
                for i in 0..keep {
                    T[(i, i)] = values[column(i)];
                }
                locked = converged;
                m = keep;
            }
        }
        Q.get_mut(.., m..m + b).copy_from(&W);
        m += b;
    }
    Ok(None)
}

/// The pairs that were wanted and further Ritz pairs, whose vectors are centred if those of B are: what they have of e
/// belongs to the eigenvalue zero.
fn with_further(pairs: &Eigenpairs, ritz: &[f64], further: MatRef<'_, f64>) -> Seen {
    let (n, d) = (further.nrows(), pairs.values.len());
    let count = d + ritz.len();
    let means: Vec<f64> = (0..ritz.len())
        .map(|j| further.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    Seen {
        values: [&pairs.values, ritz].concat(),
        vectors: Mat::from_fn(n, count, |i, j| match count - 1 - j {
            k if k < d => pairs.vectors[(i, k)],
            k => further[(i, k - d)] - means[k - d],
        }),
        whole: false,
    }
}

/// How many passes to wait before looking at the Ritz values again, from the worst residual at the last two
/// looks: as many as it takes at that rate, but not so many that a faster one would be missed.
fn wait(before: Option<(usize, f64)>, now: (usize, f64)) -> usize {
    let Some(before) = before else { return 1 };
    let rate = (now.1 / before.1).ln() / (now.0 - before.0).max(1) as f64;
    let left = (TOLERANCE / now.1).ln() / rate;
    if left.is_finite() {
        (left.ceil() as usize).clamp(1, 4)
    } else {
        1
    }
}

/// Rayleigh–Ritz in the span of the answer, with residuals from one more pass.
fn finish(
    B: &dyn Symmetric,
    V: Mat<f64>,
    norm: f64,
    passes: usize,
    par: Par,
) -> Result<Option<Eigenpairs>, Error> {
    let (n, d) = (V.nrows(), V.ncols());
    let mut V = V;
    let mut BV = Mat::zeros(n, d);
    B.multiply(V.as_ref(), BV.as_mut())?;
    let H = product(V.transpose(), BV.as_ref(), par);
    let (ascending, S) = eigen(H.as_ref(), 1)?;
    let S = Mat::from_fn(d, d, |i, j| S[(i, d - 1 - j)]);
    let values: Vec<f64> = ascending.into_iter().rev().collect();
    V = product(V.as_ref(), S.as_ref(), par);
    BV = product(BV.as_ref(), S.as_ref(), par);
    let flipped = fix_signs(V.as_mut());
    for (j, flip) in flipped.into_iter().enumerate() {
        if flip {
            BV.col_mut(j).iter_mut().for_each(|v| *v = -*v);
        }
    }
    let residuals = residuals(BV.as_ref(), V.as_ref(), &values, norm);
    let noise = NOISE_UNITS * f64::EPSILON * (n as f64).sqrt();
    if residuals.iter().any(|&r| r > 4.0 * TOLERANCE.max(noise)) {
        return Ok(None);
    }
    Ok(Some(Eigenpairs {
        values,
        vectors: V,
        residuals,
        seen: Seen {
            values: Vec::new(),
            vectors: Mat::new(),
            whole: false,
        },
        all: None,
        norm,
        passes: passes + 1,
    }))
}

/// The first columns of Q ← Q S, a few rows at a time, so that there is no second basis in memory.
fn replace(mut Q: MatMut<'_, f64>, S: MatRef<'_, f64>) {
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

/// W ← W − Q Q'W; returns Q'W.
fn project_out(Q: MatRef<'_, f64>, mut W: MatMut<'_, f64>, par: Par) -> Mat<f64> {
    let H = product(Q.transpose(), W.as_ref(), par);
    matmul(W.as_mut(), Accum::Add, Q, &H, -1.0, par);
    H
}

/// Makes the columns of W orthonormal, and orthogonal to Q, and returns R with W_before = W_after R.
/// A column that is only noise beside `norm` is replaced by a random one with a zero row in R.
fn orthonormalise(
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

/// A column that keeps less than this share of its square beside those before it depends on them too much
/// for Cholesky's decomposition to make it orthogonal in two rounds.
const DEPENDENT: f64 = 1e-8;

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
