//! The block Krylov method: a few of the largest eigenpairs, by passes over the data.
//!
//! ```text
//! Q ← [Q, orth(BQ_last)]        T = Q'BQ = SΘS'        v = Qs
//! ```
//!
//! Rayleigh–Ritz with thick restarts: the basis Q grows by one block per pass over the data,
//! T = Q'BQ is diagonalised, and when Q is full its best Ritz vectors start the next round. B may be indefinite: the largest
//! eigenvalues are wanted, not the largest in modulus.
//!
//! How wide a block is, the matrix says ([`Symmetric::block`]): a few columns where a pass is bound by arithmetic, which takes more
//! passes but fewer products; more of them than pairs are wanted where a pass is dear. A block of b columns finds a repeated
//! eigenvalue at most b times: to it, the matrix is one where it is repeated b times. So when the wanted pairs have converged, and b of
//! their values or more are as good as equal, fresh random columns orthogonal to all that was found are multiplied in the place of the
//! block for some passes: if there is an eigenvalue above the last one that was found, they grow towards it. After s passes the mass
//! b/n that they have of its vector has grown beside all else by
//!
//! ```text
//! T_{s−1}(x)²,  T the Chebyshev polynomial,   x = 1 + 2(θ_d − h)/(h − l)
//! ```
//!
//! where [l, h] is what they see of the spectrum, and that tells when it would have shown. If it does, they join the block, and
//! the search goes on.
//!
//! Proximities of q features have rank q, and a Krylov space is exhausted after q vectors: what is left
//! of the next block is rounding noise. Such columns are recognised and replaced by fresh random ones
//! that are not coupled to the rest, so that noise is never amplified into an eigenvector.
//!
//! Nothing unconverged is returned: residuals ‖Bv − θv‖ are computed from the products BQ themselves, which are kept beside the basis,
//! and compared with ‖B‖; if they are not small there is no answer.
//!
//! # References
//! Saad (2011), Numerical Methods for Large Eigenvalue Problems, 2nd ed., chapters 6 and 7. Kuczyński and Woźniakowski (1992),
//! Estimating the largest eigenvalue by the power and Lanczos algorithms with a random start, SIAM J. Matrix Anal. Appl. 13:1094–1122.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use crate::dense::{lengths, product};
use crate::error::Error;
use crate::fit::orthonormal::{NOISE_UNITS, orthonormalise, project_out, replace, take_off};
use crate::fit::spectrum::{Eigenpairs, Seen, Symmetric, eigen, fix_signs, par, residuals};
use crate::random::Stream;
use crate::run::{Progress, Run};

/// Blocks in a full basis, of as many columns as [`wide`] ones have.
const BLOCKS: usize = 12;

/// Ritz pairs beyond the wanted ones that are handed out as they are.
const FURTHER: usize = 20;

/// Passes over the data before the dense solver takes over.
pub(super) const MOST_PASSES: usize = 400;

/// The starting block is the same for equal problems.
const SEED: u64 = 0x6164_6a6f_696e;

/// Passes between two looks at the Ritz values at most.
const LONGEST_WAIT: usize = 8;

/// Passes that fresh columns are multiplied for at most, and how many there is room for at least.
const LONGEST_CHECK: usize = 40;
const SHORTEST_ROOM: usize = 14;

/// Fresh columns that come this near to the last eigenvalue, beside ‖B‖, see it once more and nothing above it.
const SEEN_AGAIN: f64 = 1e-9;

/// Values this near to each other, beside ‖B‖, may be copies of one eigenvalue. Generous: to tell vectors of values that are farther apart from
/// each other to a small residual, the block must have seen all of them.
const EQUAL: f64 = 1e-4;

/// Columns of a block at least: narrower ones would find repeated eigenvalues one by one.
const NARROWEST: usize = 4;

/// What was missed would have this much more mass than all else in the end.
const SHOWN: f64 = 100.0;

/// A Ritz value that rises by more than this many units of √n ε ‖B‖ beside fresh columns was not the last word.
const RISE_UNITS: f64 = 64.0;

/// How small residuals ‖Bv − θv‖ are to be: beside ‖B‖, and beside θ, as far as rounding lets them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    pub of_norm: f64,
    pub of_itself: f64,
}

/// Columns of a block that is wider than `d`, so that no repeated eigenvalue is missed: for matrices whose passes are dear.
pub(crate) fn wide(d: usize) -> usize {
    (d + 2).next_multiple_of(8)
}

/// Whether `n` objects are enough for the method to be worth it.
pub(super) fn fits(d: usize, n: usize) -> bool {
    2 * BLOCKS * wide(d) <= n
}

/// The `d` largest eigenpairs, with residuals as small as the `aim`; none if they did not converge.
pub(super) fn largest(
    B: &dyn Symmetric,
    d: usize,
    aim: Aim,
    run: Run<'_>,
) -> Result<Option<Eigenpairs>, Error> {
    let most = BLOCKS * wide(d);
    let b = B.block(d).clamp(NARROWEST, wide(d));
    let mut space = Space::new(B, most, run);
    let mut block = space.fresh(b, None);
    let (mut due, mut seen) = (1, None);

    while space.passes < MOST_PASSES {
        let (W, R) = space.grow(&block)?;
        block = W;
        let (m, full) = (space.m, space.m + block.ncols() > most);
        let little = 150 * m * m * m < space.Q.nrows() * space.Q.nrows() * b;
        if m < d || !(full || space.passes >= due || little) {
            continue;
        }
        let ritz = space.ritz()?;
        let residual = |i: usize| ritz.residual(i, &R);
        let excess =
            |i: usize| residual(i) / space.enough(aim, ritz.value(i)).max(f64::MIN_POSITIVE);
        let small = |i: &usize| excess(*i) <= 1.0;
        let converged = (0..d).take_while(small).count();
        if converged == d {
            let checked = if most_equal(ritz.largest(d), EQUAL * space.norm) < block.ncols() {
                Checked::Sound(ritz)
            } else {
                space.check(ritz, d, b, &mut block)?
            };
            if let Checked::Sound(ritz) = checked {
                return space.finish(&ritz, d, aim);
            }
            // With the fresh columns in the block, what was missed is on its way.
            (due, seen) = (space.passes + 1, None);
            continue;
        }
        let worst = (0..d).map(excess).fold(0.0, f64::max);
        let now = (space.passes, worst);
        due = space.passes + wait(seen.replace(now), now);
        if full {
            let keep = (d + (most - d) / 3).min(most - 2 * block.ncols());
            space.restart(&ritz, keep, converged);
        }
    }
    Ok(None)
}

/// Eigenpairs of T, ascending.
struct Ritz {
    values: Vec<f64>,
    S: Mat<f64>,
}

impl Ritz {
    /// The `count` largest values of `ritz` once their vectors are the basis.
    fn in_own_basis(ritz: &Ritz, count: usize) -> Self {
        Self {
            values: (0..count).rev().map(|i| ritz.value(i)).collect(),
            S: Mat::from_fn(count, count, |i, j| f64::from(u8::from(i + j + 1 == count))),
        }
    }

    /// The number of the column of S that belongs to value number i, the largest being number 0.
    fn column(&self, i: usize) -> usize {
        self.values.len() - 1 - i
    }

    fn value(&self, i: usize) -> f64 {
        self.values[self.column(i)]
    }

    /// The `count` largest values, ascending.
    fn largest(&self, count: usize) -> &[f64] {
        &self.values[self.values.len() - count..]
    }

    /// ‖Bv − θv‖ of Ritz vector `i`, where R has what was left of the products of the last block: it needs only the
    /// last rows of S.
    fn residual(&self, i: usize, R: &Mat<f64>) -> f64 {
        let (m, b) = (self.values.len(), R.ncols());
        let tail = Mat::from_fn(b, 1, |r, _| self.S[(m - b + r, self.column(i))]);
        product(R.as_ref(), tail.as_ref(), Par::Seq).norm_l2()
    }

    /// The columns of S that belong to the `count` largest values.
    fn top(&self, count: usize) -> Mat<f64> {
        Mat::from_fn(self.values.len(), count, |i, j| self.S[(i, self.column(j))])
    }
}

/// What fresh columns say.
enum Checked {
    /// There is nothing else above the last eigenvalue; the Ritz pairs as they were, in the basis as it was.
    Sound(Ritz),
    /// Something turned up.
    Missed,
}

/// The basis and what is known of B in it.
struct Space<'a> {
    B: &'a dyn Symmetric,
    /// Orthonormal columns, of which the first `m` are in use; as many as there ever were.
    Q: Mat<f64>,
    /// Their products: what the answer is judged by.
    BQ: Mat<f64>,
    /// Q'BQ.
    T: Mat<f64>,
    m: usize,
    /// The first so many are converged: they are kept out of T's coupling.
    locked: usize,
    /// The largest modulus of an eigenvalue that was seen.
    norm: f64,
    passes: usize,
    random: Stream,
    run: Run<'a>,
    par: Par,
}

impl<'a> Space<'a> {
    fn new(B: &'a dyn Symmetric, most: usize, run: Run<'a>) -> Self {
        // Room for all columns, of which most fits use few: memory that nobody touches costs nothing.
        let room = || {
            let mut room = Mat::with_capacity(B.count(), most);
            room.resize_with(B.count(), 0, |_, _| 0.0);
            room
        };
        Self {
            B,
            Q: room(),
            BQ: room(),
            T: Mat::zeros(most, most),
            m: 0,
            locked: 0,
            norm: 0.0,
            passes: 0,
            random: Stream::new(SEED),
            run,
            par: par(run.threads),
        }
    }

    /// Random orthonormal columns, orthogonal to the basis and to `others`.
    fn fresh(&mut self, count: usize, others: Option<&Mat<f64>>) -> Mat<f64> {
        let mut W = Mat::from_fn(self.Q.nrows(), count, |_, _| self.random.uniform() - 0.5);
        let basis = self.Q.get(.., ..self.m);
        for _ in 0..2 {
            project_out(basis, W.as_mut(), self.par);
            if let Some(others) = others {
                project_out(others.as_ref(), W.as_mut(), self.par);
            }
            orthonormalise(basis, &mut W, 0.0, &mut self.random, self.par);
        }
        W
    }

    /// Takes orthonormal columns into the basis and multiplies them: the one pass over the data. Returns what their product has
    /// beyond the basis, as orthonormal columns and their coefficients.
    fn grow(&mut self, block: &Mat<f64>) -> Result<(Mat<f64>, Mat<f64>), Error> {
        let (n, b) = (block.nrows(), block.ncols());
        let last = self.m..self.m + b;
        self.m += b;
        for all in [&mut self.Q, &mut self.BQ] {
            all.resize_with(n, all.ncols().max(self.m), |_, _| 0.0);
        }
        self.Q.get_mut(.., last.clone()).copy_from(block);
        let mut W = Mat::zeros(n, b);
        self.B.multiply(block.as_ref(), W.as_mut())?;
        self.BQ.get_mut(.., last.clone()).copy_from(&W);
        self.passes += 1;
        self.run.tell(Progress {
            task: "eigenvalues",
            done: self.passes,
            total: MOST_PASSES,
        })?;
        self.norm = lengths(W.as_ref()).into_iter().fold(self.norm, f64::max);

        // Take off what the basis has already; the coefficients are the new columns of T.
        let basis = self.Q.get(.., ..self.m);
        let H = take_off(basis, W.as_mut(), 2 * b, self.par);
        for (j, column) in last.enumerate() {
            for i in 0..self.m {
                let h = if i < self.locked && i != column {
                    0.0
                } else {
                    H[(i, j)]
                };
                self.T[(i, column)] = h;
                self.T[(column, i)] = h;
            }
        }
        let R = orthonormalise(basis, &mut W, self.norm, &mut self.random, self.par);
        Ok((W, R))
    }

    /// A length that is a rounding error of the products.
    fn noise(&self) -> f64 {
        NOISE_UNITS * f64::EPSILON * (self.Q.nrows() as f64).sqrt() * self.norm
    }

    /// The residual that is small enough for an eigenvalue.
    fn enough(&self, aim: Aim, value: f64) -> f64 {
        let of_norm = aim.of_norm * self.norm;
        // What is no more than that is no axis, or one whose residual says nothing.
        if value <= of_norm {
            return of_norm;
        }
        of_norm.min((aim.of_itself * value).max(self.noise()))
    }

    /// Diagonalises T.
    fn ritz(&mut self) -> Result<Ritz, Error> {
        let (values, S) = eigen(self.T.get(..self.m, ..self.m), 1)?;
        self.norm = values.iter().fold(self.norm, |x, v| x.max(v.abs()));
        Ok(Ritz { values, S })
    }

    /// Thick restart: the best Ritz vectors are the basis, the first `converged` for good.
    fn restart(&mut self, ritz: &Ritz, keep: usize, converged: usize) {
        let S = ritz.top(keep);
        replace(self.Q.get_mut(.., ..self.m), S.as_ref());
        replace(self.BQ.get_mut(.., ..self.m), S.as_ref());
        self.T.fill(0.0);
        for i in 0..keep {
            self.T[(i, i)] = ritz.value(i);
        }
        self.locked = converged;
        self.m = keep;
    }

    /// Multiplies `b` fresh columns, and what their products have beyond the basis, until an eigenvalue above the last of the
    /// `d` that were found would have shown. If one did, `block`, which was to be multiplied next, has the fresh ones too.
    fn check(
        &mut self,
        ritz: Ritz,
        d: usize,
        b: usize,
        block: &mut Mat<f64>,
    ) -> Result<Checked, Error> {
        let most = self.T.ncols();
        let mut found = ritz;
        if self.m + SHORTEST_ROOM * b > most {
            let keep = (d + (most - d) / 3).min(most - 2 * block.ncols());
            self.restart(&found, keep, d);
            found = Ritz::in_own_basis(&found, keep);
        }
        let rise = RISE_UNITS * f64::EPSILON * (self.Q.nrows() as f64).sqrt() * self.norm;
        let before: Vec<f64> = (0..d).map(|i| found.value(i)).collect();
        let (first, last) = (self.m, before[d - 1]);
        let mut fresh = self.fresh(b, Some(block));
        let mut missed = false;
        for pass in 1..=LONGEST_CHECK {
            if self.m + b > most {
                break;
            }
            fresh = self.grow(&fresh)?.0;
            let seen = self.T.get(first..self.m, first..self.m);
            let (values, _) = eigen(seen, 1)?;
            let (low, high) = (values[0], values[values.len() - 1]);
            missed = high > last + rise;
            let grown = growth(pass, (low, high), last).powi(2) * b as f64;
            let shown = grown >= SHOWN * self.Q.nrows() as f64;
            if missed || shown || high >= last - SEEN_AGAIN * self.norm {
                break;
            }
        }
        let ritz = self.ritz()?;
        missed |= (0..d).any(|i| ritz.value(i) > before[i] + rise);
        if !missed {
            // Without the fresh columns: at an eigenvalue that is seen again they would mix what has converged with what has not.
            self.m = first;
            return Ok(Checked::Sound(found));
        }
        let mut joined = Mat::from_fn(fresh.nrows(), block.ncols() + b, |i, j| {
            match j.checked_sub(block.ncols()) {
                None => block[(i, j)],
                Some(j) => fresh[(i, j)],
            }
        });
        if self.m + 2 * joined.ncols() > most {
            let keep = (d + (most - d) / 3).min(most - 2 * joined.ncols());
            self.restart(&ritz, keep, 0);
        }
        let basis = self.Q.get(.., ..self.m);
        project_out(basis, joined.as_mut(), self.par);
        orthonormalise(basis, &mut joined, 1.0, &mut self.random, self.par);
        *block = joined;
        Ok(Checked::Missed)
    }

    /// The answer: Rayleigh–Ritz in the span of the wanted vectors, with residuals from their products.
    fn finish(&mut self, ritz: &Ritz, d: usize, aim: Aim) -> Result<Option<Eigenpairs>, Error> {
        let count = (d + FURTHER).min(self.m);
        let S = ritz.top(count);
        // In place: the basis and its products are by far the most memory of a fit.
        replace(self.Q.get_mut(.., ..self.m), S.as_ref());
        replace(self.BQ.get_mut(.., ..self.m), S.subcols(0, d));
        let (V, BV) = (self.Q.get(.., ..d), self.BQ.get(.., ..d));
        let H = product(V.transpose(), BV, self.par);
        let (ascending, S) = eigen(H.as_ref(), 1)?;
        let S = Mat::from_fn(d, d, |i, j| S[(i, d - 1 - j)]);
        let values: Vec<f64> = ascending.into_iter().rev().collect();
        let mut V = product(V, S.as_ref(), self.par);
        let mut BV = product(BV, S.as_ref(), self.par);
        self.BQ = Mat::new();
        let flipped = fix_signs(V.as_mut());
        for (j, flip) in flipped.into_iter().enumerate() {
            if flip {
                BV.col_mut(j).iter_mut().for_each(|v| *v = -*v);
            }
        }
        let residuals = residuals(BV.as_ref(), V.as_ref(), &values, self.norm);
        let noise = self.noise();
        let mut each = residuals.iter().zip(&values);
        if each.any(|(r, v)| r * self.norm > 4.0 * self.enough(aim, *v).max(noise)) {
            return Ok(None);
        }
        let further: Vec<f64> = (d..count).map(|i| ritz.value(i)).collect();
        let seen = with_further((&values, &V), &further, self.Q.get(.., d..count));
        Ok(Some(Eigenpairs {
            values,
            vectors: V,
            residuals,
            seen,
            all: None,
            norm: self.norm,
            passes: self.passes,
        }))
    }
}

/// How many of ascending values are within `near` of their neighbours at most.
fn most_equal(values: &[f64], near: f64) -> usize {
    let runs = values.chunk_by(|a, b| b - a <= near);
    runs.map(<[f64]>::len).max().unwrap_or(0)
}

/// How much more a vector at `value` grows in `pass` passes than any within `bounds`.
fn growth(pass: usize, (low, high): (f64, f64), value: f64) -> f64 {
    if pass < 2 || value <= high {
        return 1.0;
    }
    if high <= low {
        return f64::INFINITY;
    }
    let x = 1.0 + 2.0 * (value - high) / (high - low);
    ((pass - 1) as f64 * x.acosh()).cosh()
}

/// The pairs that were wanted and further Ritz pairs, whose vectors are centred if those of B are: what they have of e
/// belongs to the eigenvalue zero.
fn with_further(
    (values, vectors): (&[f64], &Mat<f64>),
    ritz: &[f64],
    further: MatRef<'_, f64>,
) -> Seen {
    let (n, d) = (further.nrows(), values.len());
    let count = d + ritz.len();
    let means: Vec<f64> = (0..ritz.len())
        .map(|j| further.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    Seen {
        values: [values, ritz].concat(),
        vectors: Mat::from_fn(n, count, |i, j| match count - 1 - j {
            k if k < d => vectors[(i, k)],
            k => further[(i, k - d)] - means[k - d],
        }),
        whole: false,
    }
}

/// How many passes to wait before looking at the Ritz values again, from the worst residual, in units of what is enough, at the last
/// two looks: as many as it takes at that rate, but not so many that a faster one would be missed.
fn wait(before: Option<(usize, f64)>, now: (usize, f64)) -> usize {
    let Some(before) = before else { return 1 };
    let rate = (now.1 / before.1).ln() / (now.0 - before.0).max(1) as f64;
    let left = -now.1.ln() / rate;
    if left.is_finite() {
        (left.ceil() as usize).clamp(1, LONGEST_WAIT)
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Qr;
    use crate::fit::spectrum::AIM;
    use faer::linalg::matmul::matmul;
    use faer::{Accum, MatMut};

    /// A matrix as it is, multiplied by blocks of so many columns.
    struct Given(Mat<f64>, usize);

    impl Symmetric for Given {
        fn count(&self) -> usize {
            self.0.nrows()
        }
        fn multiply(&self, v: MatRef<'_, f64>, out: MatMut<'_, f64>) -> Result<(), Error> {
            matmul(out, Accum::Replace, &self.0, v, 1.0, Par::Seq);
            Ok(())
        }
        fn dense(&self) -> Result<Mat<f64>, Error> {
            Ok(self.0.clone())
        }
        fn block(&self, _: usize) -> usize {
            self.1
        }
    }

    const N: usize = 400;

    /// Random eigenvectors.
    fn basis() -> Mat<f64> {
        let mut rng = Stream::new(12);
        Qr::new(Mat::from_fn(N, N, |_, _| rng.normal())).Q
    }

    /// The `d` largest eigenvalues of a matrix with these are found up to an error, by blocks of so many columns.
    fn finds(bound: f64, U: &Mat<f64>, values: &[f64], (d, block): (usize, usize)) {
        let scaled = Mat::from_fn(N, N, |i, j| U[(i, j)] * values[j]);
        let B = product(scaled.as_ref(), U.transpose(), Par::Seq);
        let B = Mat::from_fn(N, N, |i, j| 0.5 * (B[(i, j)] + B[(j, i)]));
        let given = Given(B, block);
        let pairs = largest(&given, d, AIM, Run::on(1)).unwrap().unwrap();
        let mut wanted = values.to_vec();
        wanted.sort_by(|a, b| b.total_cmp(a));
        for (found, value) in pairs.values.iter().zip(&wanted) {
            let error = (found - value).abs() / wanted[0];
            assert!(error < bound, "block {block}: {found} for {value}");
        }
        assert!(pairs.residuals.iter().all(|r| *r <= 4e-10));
        let V = &pairs.vectors;
        let gram = product(V.transpose(), V.as_ref(), Par::Seq);
        assert!((gram - Mat::<f64>::identity(d, d)).norm_max() < 1e-12);
    }

    /// An eigenvalue that is repeated two to twelve times, the first or after others, with much or little below it, is found as
    /// often as it is there by blocks of four columns.
    #[test]
    fn repeated_eigenvalues_are_found_by_narrow_blocks() {
        let U = basis();
        for copies in 2..=12 {
            for before in [0, 3] {
                for decay in [0.5, 0.02] {
                    let values: Vec<f64> = (0..N)
                        .map(|i| match i {
                            _ if i < before => 2.0 - 0.1 * i as f64,
                            _ if i < before + copies => 1.0,
                            _ => 0.9 * (1.0 + (i - before - copies) as f64).powf(-decay),
                        })
                        .collect();
                    finds(1e-12, &U, &values, (10, 4));
                }
            }
        }
    }

    /// Eigenvalues that are nearly equal, however nearly, and more of them than a block has columns: all are found, whether fresh
    /// columns look for them or not.
    #[test]
    fn near_eigenvalues_are_found_by_narrow_blocks() {
        let U = basis();
        for spread in [1e-13, 1e-9, 1e-7, 1e-5, 5e-5, 1e-4, 2e-4, 1e-3] {
            let values: Vec<f64> = (0..N)
                .map(|i| match i {
                    0..2 => 2.0 - 0.5 * i as f64,
                    2..9 => 1.0 - spread * (i - 2) as f64,
                    _ => 0.8 * (i as f64 - 8.0).powf(-0.3),
                })
                .collect();
            // What is nearer than the residual cannot be told apart.
            finds(1e-10, &U, &values, (9, 4));
            finds(1e-10, &U, &values, (7, 4));
        }
    }

    /// Fresh columns look for what was missed only where something can have been: not beside distinct values.
    #[test]
    fn distinct_values_are_not_looked_for_again() {
        assert_eq!(most_equal(&[1.0, 2.0, 3.0, 4.0], 0.5), 1);
        assert_eq!(most_equal(&[1.0, 2.0, 2.1, 2.2, 5.0], 0.15), 3);
    }

    /// Several repeated eigenvalues, negative ones larger in modulus, and few distinct values, by blocks of any width.
    #[test]
    fn any_block_finds_the_largest() {
        let U = basis();
        let several: Vec<f64> = (0..N).map(|i| 1.0 / (1 + i / 5) as f64).collect();
        let negative: Vec<f64> = (0..N)
            .map(|i| {
                if i < 60 {
                    1.0 / (1 + i / 3) as f64
                } else {
                    -2.0 + 0.005 * i as f64
                }
            })
            .collect();
        let few: Vec<f64> = (0..N).map(|i| if i < 9 { 2.0 } else { 1.0 }).collect();
        let flat: Vec<f64> = (0..N).map(|i| if i < 2 { 1.0 } else { 0.0 }).collect();
        for block in [4, 6, 8, 16] {
            for values in [&several, &negative, &few] {
                finds(1e-12, &U, values, (7, block));
            }
            finds(1e-12, &U, &flat, (2, block));
        }
    }

    /// What grows is told from what does not only by its distance: nothing within the bounds, without end beside a point.
    #[test]
    fn growth_is_that_of_chebyshev_polynomials() {
        assert_eq!(growth(1, (0.0, 1.0), 5.0), 1.0);
        assert_eq!(growth(4, (0.0, 1.0), 1.0), 1.0);
        assert_eq!(growth(2, (1.0, 1.0), 2.0), f64::INFINITY);
        // T₂(x) = 2x² − 1 at x = 3.
        assert!((growth(3, (0.0, 1.0), 2.0) - 17.0).abs() < 1e-12);
    }
}
