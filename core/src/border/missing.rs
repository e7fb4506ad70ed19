//! Missing and weighted proximities: the border of a newcomer from the rows that are known.
//!
//! On the observed rows, f = t − r = Xy + αe with the intercept α free. The (d + 1) × (d + 1) system
//!
//! ```text
//! [X w]'Ω[X e] (ŷ; α) = [X w]'Ω f          β = t(η, η) − 2α − m
//! ```
//!
//! with Ω the weights (0 where nothing is known) is least squares when w = e/n, and for every w it
//! returns exactly (ŷ, β) of the complete border when all rows are there and weigh the same. It is
//! the fixed point of filling in each b_i by x_i'ŷ as far as it is not trusted: with s_i the weight over the largest,
//! 0 where nothing is known,
//!
//! ```text
//! b_i = s_i(f_i − α) + (1 − s_i) x_i'ŷ        ‖b‖² = ŷ'Cŷ + Σ s_i²(f_i − α − x_i'ŷ)²
//! ```
//!
//! The cross term vanishes because X'Ω(f − αe − Xŷ) = 0 are the first d of the equations; for the same reason X'b = Cŷ,
//! so that ŷ is the projection of this b, and ‖b‖² ≥ ŷ'Cŷ whatever the weights.
//!
//! If nothing was centred (w = 0) there is no intercept: α = 0, and X alone is fitted.
//!
//! # How it is solved
//! With columns scaled to unit length the matrix of the system, on all rows, is near the identity (it *is* the identity without
//! weights, for w = e/n): for newcomers with few holes the rows that they lack are taken off it, h(d + 1)² operations for h holes;
//! with many it is made anew, column by column with Ω on the way, which is quicker than to gather what is there. Where that
//! leaves it well conditioned no digit is lost that the least squares problem has. Otherwise, where too little is left, [A e] on the observed rows is made orthogonal by QR, which
//! never forms the squared condition of normal equations; and for newcomers who lack nothing, whatever the weights, that is
//! done once for all of them.

#![allow(non_snake_case)]

use std::sync::OnceLock;

use faer::{Mat, MatRef, Par};

use crate::dense::{Lu, Qr, dots, inverse, product, singular_values};
use crate::fit::product as sums;
use crate::isa::{arch, vectorised};
use crate::rounding::TIE_UNITS;

/// A system whose condition, beside that of the identity of its size, is at most this loses two digits of sixteen at most;
/// QR, which would lose one of them, is for the others.
const WELL_CONDITIONED: f64 = 100.0;

/// Gathering a number from somewhere takes about as long as reading so many in their order.
const SCATTERED: usize = 4;

/// Rows are taken off only if none weighs so many times what the heaviest of the others does.
const HEAVIER: f64 = 4.0;

/// What the observed rows say.
pub(crate) struct Solved {
    /// Rows with a proximity and a positive weight.
    pub observed: usize,
    /// ŷ and α; none if the rows do not determine them.
    pub solution: Option<(Vec<f64>, f64)>,
    /// ‖b‖², filled in as far as it is not trusted; NaN without a solution.
    pub b_norm_squared: f64,
    /// ‖b − Xŷ‖².
    pub outside: f64,
}

/// What newcomers with holes or weights have in common.
pub(crate) struct Incomplete<'a> {
    X: MatRef<'a, f64>,
    weights: Option<&'a [f64]>,
    /// w; none for the centroid, and where nothing was centred.
    w: Option<&'a [f64]>,
    /// Whether there is an intercept.
    centred: bool,
    /// By what the columns are divided.
    lengths: Vec<f64>,
    whole: OnceLock<Whole>,
    /// For newcomers who lack nothing.
    factors: OnceLock<Option<Factors>>,
}

/// The system on all rows.
struct Whole {
    /// [X e] with columns of length one, and [X w] likewise if that is another matrix.
    A: Mat<f64>,
    L: Option<Mat<f64>>,
    /// L'ΩA, column by column, with weights as they are.
    M: Vec<f64>,
}

/// [X e] on some rows, made orthogonal.
struct Factors {
    rows: Vec<usize>,
    /// √ of each row's weight over the largest.
    root: Vec<f64>,
    qr: Qr,
    oblique: Option<(Mat<f64>, Lu)>,
}

impl<'a> Incomplete<'a> {
    /// Newcomers to `X`, about the origin, with weights of old objects and of the origin.
    pub(crate) fn new(
        X: MatRef<'a, f64>,
        weights: Option<&'a [f64]>,
        w: Option<&'a [f64]>,
    ) -> Self {
        let centred = w.is_none_or(|w| w.iter().any(|v| *v != 0.0));
        Self {
            X,
            weights,
            w: w.filter(|_| centred),
            centred,
            lengths: Vec::new(),
            whole: OnceLock::new(),
            factors: OnceLock::new(),
        }
        .with_lengths()
    }

    fn with_lengths(mut self) -> Self {
        let lengths = self.X.col_iter().map(|x| x.norm_l2());
        self.lengths = lengths.collect();
        if self.centred {
            self.lengths.push((self.X.nrows() as f64).sqrt());
        }
        self
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |v| v[i])
    }

    /// Column `j` of [X e], row `i`, over its length.
    fn right(&self, i: usize, j: usize) -> f64 {
        if j < self.X.ncols() {
            self.X[(i, j)] / self.lengths[j]
        } else {
            1.0 / self.lengths[j]
        }
    }

    /// The same of [X w].
    fn left(&self, i: usize, j: usize) -> f64 {
        match self.w {
            Some(w) if j == self.X.ncols() => w[i] * self.lengths[j],
            _ => self.right(i, j),
        }
    }

    /// Solves for one newcomer: `f` with NaN where a proximity is missing.
    pub(crate) fn solve(&self, f: &[f64]) -> Solved {
        let n = self.X.nrows();
        let missing = self.missing(f);
        let mut answer = Solved {
            observed: n - missing.len(),
            solution: None,
            b_norm_squared: f64::NAN,
            outside: f64::NAN,
        };
        if answer.observed < self.lengths.len() {
            return answer;
        }
        // Weights over the largest that counts, 0 where nothing is known; and f without what all have in common.
        let mut share = self.weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        let mut known: Vec<f64> = f.to_vec();
        vectorised!(arch(), {
            for (s, v) in share.iter_mut().zip(&mut known) {
                let there = !v.is_nan() && *s > 0.0;
                (*s, *v) = if there { (*s, *v) } else { (0.0, 0.0) };
            }
        });
        let mut heaviest = 1.0;
        if self.weights.is_some() {
            heaviest = share.iter().fold(0.0, |m: f64, &s| m.max(s));
            share.iter_mut().for_each(|s| *s /= heaviest);
        }
        let common = if self.centred {
            sums::sum(&known) / answer.observed as f64
        } else {
            0.0
        };
        vectorised!(arch(), {
            for (v, s) in known.iter_mut().zip(&share) {
                let beside = *v - common;
                *v = if *s > 0.0 { beside } else { 0.0 };
            }
        });

        // Weight 0 is the same for all, and what the others lack is taken off.
        let holes = missing.iter().filter(|&&i| self.weight(i) > 0.0).count();
        let theta = if holes == 0 {
            let all = || self.factors(&share);
            self.factors
                .get_or_init(all)
                .as_ref()
                .and_then(|factors| factors.solve(&known))
        } else {
            self.by_difference(&known, &share, heaviest, &missing)
                .or_else(|| self.factors(&share)?.solve(&known))
        };
        let Some(theta) = theta else {
            return answer;
        };
        let d = self.X.ncols();
        let y: Vec<f64> = (0..d).map(|j| theta[j] / self.lengths[j]).collect();
        let beyond = theta.get(d).map_or(0.0, |v| v / self.lengths[d]);
        if !(beyond.is_finite() && y.iter().all(|v| v.is_finite())) {
            return answer;
        }

        let mut shown = vec![0.0; n];
        (answer.outside, answer.b_norm_squared) = vectorised!(arch(), {
            for (x, y) in self.X.col_iter().zip(&y) {
                // Contiguous, as columns of coordinates are, the loop is SIMD.
                if let Some(x) = x.try_as_col_major() {
                    for (b, x) in shown.iter_mut().zip(x.as_slice()) {
                        *b += x * y;
                    }
                } else {
                    for (b, x) in shown.iter_mut().zip(x.iter()) {
                        *b += x * y;
                    }
                }
            }
            // Now s(f − α − x'ŷ), and b.
            for ((v, s), shown) in known.iter_mut().zip(&share).zip(&mut shown) {
                *v = s * (*v - beyond - *shown);
                *shown += *v;
            }
            (sums::sum_of_squares(&known), sums::sum_of_squares(&shown))
        });
        answer.solution = Some((y, common + beyond));
        answer
    }

    /// The rows without a proximity, or without a weight: mostly none of a stretch, which is seen at once.
    fn missing(&self, f: &[f64]) -> Vec<usize> {
        const STRETCH: usize = u64::BITS as usize;
        let mut missing = Vec::new();
        for (first, some) in (0..).step_by(STRETCH).zip(f.chunks(STRETCH)) {
            let weights = self.weights.map(|w| &w[first..first + some.len()]);
            let mut lacking = vectorised!(arch(), {
                bits(some, |v| v.is_nan()) | weights.map_or(0, |w| bits(w, |w| w <= 0.0))
            });
            while lacking != 0 {
                missing.push(first + lacking.trailing_zeros() as usize);
                lacking &= lacking - 1;
            }
        }
        missing
    }

    /// The solution from the system on all rows without those that are `missing`, or on the others; none if what is
    /// left is not well conditioned. `share` are weights over the `heaviest`, and `f` is 0 where that is.
    fn by_difference(
        &self,
        f: &[f64],
        share: &[f64],
        heaviest: f64,
        missing: &[usize],
    ) -> Option<Vec<f64>> {
        let c = self.lengths.len();
        let Whole { A, L, M } = self.whole.get_or_init(|| self.whole());
        let L = L.as_ref().unwrap_or(A);
        // What is taken off must not outweigh what is left, or digits go with it.
        let light = |i: &usize| self.weight(*i) <= HEAVIER * heaviest;
        let system = if SCATTERED * missing.len() <= f.len() && missing.iter().all(light) {
            self.without(missing, (A, L), M, heaviest)
        } else {
            self.products((A, L), share)
        };
        let inverse = inverse(&system, c)?;
        let condition = (sums::sum_of_squares(&system) * sums::sum_of_squares(&inverse)).sqrt();
        if condition.is_nan() || condition > WELL_CONDITIONED * c as f64 {
            return None;
        }
        let weighted: Vec<f64>;
        let trusted = if self.weights.is_some() {
            weighted = f.iter().zip(share).map(|(f, s)| f * s).collect();
            &weighted[..]
        } else {
            f
        };
        let mut z = vec![0.0; c];
        dots(trusted, |j| column(L, j), &mut z);
        let rows = inverse.chunks_exact(c);
        let product = |row: &[f64]| row.iter().zip(&z).map(|(u, v)| u * v).sum();
        Some(rows.map(product).collect())
    }

    /// L'ΩA over the `heaviest` weight, row by row, on all rows but some.
    fn without(
        &self,
        rows: &[usize],
        (A, L): (&Mat<f64>, &Mat<f64>),
        M: &[f64],
        heaviest: f64,
    ) -> Vec<f64> {
        let (c, h) = (self.lengths.len(), rows.len());
        // Column by column in one piece; the two matrices differ in their last column only.
        let mut right = Vec::with_capacity(c * h);
        for j in 0..c {
            let column = column(A, j);
            right.extend(rows.iter().map(|&i| column[i]));
        }
        let right = |j: usize| &right[j * h..(j + 1) * h];
        let (last, symmetric) = (column(L, c - 1), self.w.is_none());
        let mut left = vec![0.0; h];
        let mut system = vec![0.0; c * c];
        for i in 0..c {
            left.copy_from_slice(right(i));
            if !symmetric && i == c - 1 {
                left.iter_mut().zip(rows).for_each(|(v, &i)| *v = last[i]);
            }
            if let Some(w) = self.weights {
                left.iter_mut().zip(rows).for_each(|(v, &i)| *v *= w[i]);
            }
            let first = if symmetric { i } else { 0 };
            let line = &mut system[i * c..(i + 1) * c];
            dots(&left, |j| right(first + j), &mut line[first..]);
            for (j, v) in line.iter_mut().enumerate().skip(first) {
                *v = (M[j * c + i] - *v) / heaviest;
            }
        }
        mirror(&mut system, c, symmetric);
        system
    }

    /// L'ΩA with `share` for Ω, row by row.
    fn products(&self, (A, L): (&Mat<f64>, &Mat<f64>), share: &[f64]) -> Vec<f64> {
        let (c, symmetric) = (self.lengths.len(), self.w.is_none());
        let mut left = vec![0.0; share.len()];
        let mut system = vec![0.0; c * c];
        for i in 0..c {
            vectorised!(arch(), {
                for ((v, l), s) in left.iter_mut().zip(column(L, i)).zip(share) {
                    *v = l * s;
                }
            });
            let first = if symmetric { i } else { 0 };
            let line = &mut system[i * c..(i + 1) * c];
            dots(&left, |j| column(A, first + j), &mut line[first..]);
        }
        mirror(&mut system, c, symmetric);
        system
    }

    fn whole(&self) -> Whole {
        let (n, c) = (self.X.nrows(), self.lengths.len());
        let A = Mat::from_fn(n, c, |i, j| self.right(i, j));
        let L = (self.w.is_some()).then(|| Mat::from_fn(n, c, |i, j| self.left(i, j)));
        let left = L.as_ref().unwrap_or(&A);
        let weighted = Mat::from_fn(n, c, |i, j| self.weight(i) * left[(i, j)]);
        let mut M = vec![0.0; c * c];
        for (j, line) in M.chunks_exact_mut(c).enumerate() {
            dots(column(&A, j), |i| column(&weighted, i), line);
        }
        Whole { A, L, M }
    }

    /// √Ω [X e] on the rows that have a `share`, made orthogonal; none if they do not determine a solution.
    fn factors(&self, share: &[f64]) -> Option<Factors> {
        let (n, c) = (self.X.nrows(), self.lengths.len());
        let rows: Vec<usize> = (0..n).filter(|&i| share[i] > 0.0).collect();
        let root: Vec<f64> = rows.iter().map(|&i| share[i].sqrt()).collect();
        let A = Mat::from_fn(rows.len(), c, |i, j| root[i] * self.right(rows[i], j));
        let qr = Qr::new(A);
        determined(qr.R.as_ref(), n)?;
        let oblique = match self.w {
            None => None,
            Some(_) => {
                let L = Mat::from_fn(rows.len(), c, |i, j| root[i] * self.left(rows[i], j));
                let M = product(L.transpose(), qr.Q.as_ref(), Par::Seq);
                determined(M.as_ref(), n)?;
                Some((L, Lu::new(M.as_ref())))
            }
        };
        Some(Factors {
            rows,
            root,
            qr,
            oblique,
        })
    }
}

impl Factors {
    /// R θ = z, with z = Q'v for least squares and otherwise from the oblique system.
    fn solve(&self, f: &[f64]) -> Option<Vec<f64>> {
        let v = Mat::from_fn(self.rows.len(), 1, |i, _| self.root[i] * f[self.rows[i]]);
        let z = match &self.oblique {
            None => product(self.qr.Q.transpose(), v.as_ref(), Par::Seq),
            Some((L, M)) => M.solve(product(L.transpose(), v.as_ref(), Par::Seq)),
        };
        let theta = self.qr.solve_triangular(z);
        Some(theta.col(0).iter().copied().collect())
    }
}

/// Something if no singular value is zero beside the first, for a system made of `n` rows.
fn determined(A: MatRef<'_, f64>, n: usize) -> Option<()> {
    let singular = singular_values(A)?;
    let zero = TIE_UNITS * n as f64 * f64::EPSILON * singular[0];
    let sound = singular.iter().all(|s| *s > zero && s.is_finite());
    sound.then_some(())
}

fn column(A: &Mat<f64>, j: usize) -> &[f64] {
    let column = A.col(j);
    column.try_as_col_major().map_or(&[], |c| c.as_slice())
}

/// Which of at most 64 numbers are `such`, the first by the lowest bit.
#[inline(always)]
fn bits(some: &[f64], such: impl Fn(f64) -> bool) -> u64 {
    let each = some.iter().enumerate();
    each.fold(0, |bits, (i, v)| bits | u64::from(such(*v)) << i)
}

/// What is below the diagonal of a symmetric c × c matrix from what is above it.
fn mirror(system: &mut [f64], c: usize, symmetric: bool) {
    if symmetric {
        for i in 0..c {
            for j in 0..i {
                system[i * c + j] = system[j * c + i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// ‖b‖² = ŷ'Cŷ + ‖b − Xŷ‖² whatever the weights and the origin, so that the objective is never negative; and where no b is
    /// filled in, weights or not, b is f − α.
    #[test]
    fn what_is_not_shown_is_never_negative() {
        let mut rng = Stream::new(17);
        let mut negative = 0;
        for round in 0..600 {
            let d = 1 + round % 4;
            let n = d + 2 + (rng.bits() % 20) as usize;
            let X = Mat::from_fn(n, d, |_, _| rng.normal());
            let origin: Vec<f64> = (0..n).map(|_| rng.uniform() + 1.0).collect();
            let total: f64 = origin.iter().sum();
            let origin: Vec<f64> = origin.iter().map(|w| w / total).collect();
            let w = [None, Some(&origin[..])][round % 2];
            let X = Mat::from_fn(n, d, |i, j| {
                let mean: f64 = (0..n)
                    .map(|i| X[(i, j)] * w.map_or(1.0 / n as f64, |w| w[i]))
                    .sum();
                X[(i, j)] - mean
            });
            let mut f: Vec<f64> = (0..n).map(|_| 3.0 + rng.normal()).collect();
            if round % 3 == 0 {
                f[(rng.bits() % n as u64) as usize] = f64::NAN;
            }
            // Over four decades; in every fifth round 0 or 1.
            let weights: Vec<f64> = (0..n)
                .map(|i| match round % 5 {
                    0 => f64::from(i % 7 != 3),
                    _ => 10f64.powf(2.0 * rng.uniform()),
                })
                .collect();
            let answer = Incomplete::new(X.as_ref(), Some(&weights), w).solve(&f);
            let Some((y, alpha)) = answer.solution else {
                continue;
            };
            let shown = |i: usize| (0..d).map(|j| X[(i, j)] * y[j]).sum::<f64>();
            let form: f64 = (0..n).map(|i| shown(i).powi(2)).sum();
            let (all, outside) = (answer.b_norm_squared, answer.outside);
            assert!(outside >= 0.0);
            // The cross term is rounding, as far as the equations are well conditioned.
            assert!(all >= form * (1.0 - 1e-10), "{all} {form}");
            assert!((all - form - outside).abs() <= 1e-10 * all, "{round}");

            // What it would be if every observed b counted in full: less than what is shown at times.
            let seen = |i: usize| !f[i].is_nan() && weights[i] > 0.0;
            let full = |i: usize| if seen(i) { f[i] - alpha } else { shown(i) };
            let in_full: f64 = (0..n).map(|i| full(i).powi(2)).sum();
            negative += usize::from(in_full < form);
            if round % 5 == 0 {
                assert!((in_full - all).abs() <= 1e-13 * all);
            }
        }
        assert!(negative > 20, "{negative}");
    }

    /// Taking rows off the system on all rows is what QR on the others says, whatever the weights, the origin and the holes,
    /// for newcomers far away too; and where too little is left, QR it is.
    #[test]
    fn rows_taken_off_are_rows_left_out() {
        let mut rng = Stream::new(23);
        let mut alone = 0;
        for round in 0..400 {
            let d = 1 + round % 5;
            let n = 3 * d + 4 + (rng.bits() % 60) as usize;
            let X = Mat::from_fn(n, d, |_, j| rng.normal() * 10f64.powi(-(j as i32)));
            let origin: Vec<f64> = (0..n).map(|_| (rng.uniform() + 0.5) / n as f64).collect();
            let w = [None, Some(&origin[..])][round % 2];
            let weights: Vec<f64> = (0..n).map(|_| 0.2 + rng.uniform()).collect();
            let weights = [None, Some(&weights[..])][round / 2 % 2];
            let far = [0.0, 1e6][round / 4 % 2];
            let share = [0.05, 0.3, 0.7][round % 3];
            let f: Vec<f64> = (0..n)
                .map(|_| match rng.uniform() < share {
                    true => f64::NAN,
                    false => far + rng.normal(),
                })
                .collect();
            let system = Incomplete::new(X.as_ref(), weights, w);
            let answer = system.solve(&f);
            let (Some((y, alpha)), true) = (answer.solution, answer.observed < n) else {
                continue;
            };
            let seen: Vec<f64> = (0..n)
                .map(|i| if f[i].is_nan() { 0.0 } else { system.weight(i) })
                .collect();
            let factors = system.factors(&seen).unwrap();
            let known: Vec<f64> = f
                .iter()
                .map(|v| if v.is_nan() { 0.0 } else { v - far })
                .collect();
            let theta = factors.solve(&known).unwrap();
            let scale = theta.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let missing: Vec<usize> = (0..n).filter(|&i| f[i].is_nan()).collect();
            let heaviest = seen.iter().fold(0.0, |m: f64, &s| m.max(s));
            let over: Vec<f64> = seen.iter().map(|s| s / heaviest).collect();
            let taken = system.by_difference(&known, &over, heaviest, &missing);
            alone += usize::from(taken.is_none());
            // Two digits, and those of f beside what all have in common.
            let bound = 1e-12 * scale * (1.0 + far * 1e-3);
            for j in 0..d {
                assert!(
                    (y[j] * system.lengths[j] - theta[j]).abs() <= bound,
                    "{round}"
                );
            }
            assert!(
                (alpha - far - theta[d] / system.lengths[d]).abs() * system.lengths[d] <= bound
            );
        }
        assert!((1..300).contains(&alone), "{alone}");
    }

    /// One that is missing may weigh far more than all the others together.
    #[test]
    fn a_heavy_row_that_is_missing_takes_no_digits_with_it() {
        let mut rng = Stream::new(24);
        let X = Mat::from_fn(40, 2, |_, _| rng.normal());
        let mut f: Vec<f64> = (0..40).map(|i| 3.0 + X[(i, 0)] - 2.0 * X[(i, 1)]).collect();
        f[0] = f64::NAN;
        for heavy in [1.0, 1e6, 1e12, 1e17] {
            let mut weights = vec![1.0; 40];
            weights[0] = heavy;
            let system = Incomplete::new(X.as_ref(), Some(&weights), None);
            let (y, alpha) = system.solve(&f).solution.unwrap();
            let found = [y[0] - 1.0, y[1] + 2.0, alpha - 3.0];
            assert!(found.iter().all(|e| e.abs() < 1e-13), "{heavy} {found:?}");
        }
    }
}
