//! How far the old objects disagree about a newcomer: the covariance of (ŷ, α), from its residuals, in the same reading.
//!
//! A border solves A(ŷ; α) = Σ s_i u_i f_i over the old objects, A = Σ s_i u_i z_i', with z = (x, 1), u = (x, w), s the weights (0 where
//! nothing is known; one for all on complete rows), f = t − r, and α = t̄ − m. So an error ε_i in one proximity moves it by A⁻¹s_i u_i ε_i, and
//! if errors are independent of each other, whatever their sizes,
//!
//! ```text
//! e_i = f_i − α − x_i'ŷ        h_i = s_i z_i'A⁻¹u_i        V = A⁻¹ [Σ (s_i e_i/(1 − h_i))² u_i u_i'] A⁻¹'
//! ```
//!
//! HC3: the residual e_i is too small by about 1 − h_i, as object i has itself a say. On complete rows about the centroid A = diag(C, 1), and the
//! first d of it is C⁻¹[Σ e_i²/(1 − h_i)² x_i x_i']C⁻¹ with h_i = 1/n + x_i'C⁻¹x_i. Never s²C⁻¹: residuals are of very different sizes.
//!
//! An object with h_i = 1, as the one that the origin is at, or each of d + 1 that are all there is, is fitted whatever it says: what it would
//! have disagreed about is not known, and V is NaN.
//!
//! # References
//! MacKinnon and White (1985), Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample properties,
//! J. Econometrics 29:305–325.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use crate::dense::{Lu, product};
use crate::fit::diagram::Diagram;

/// 1 − h below this is rounding.
const LEAST_SAY: f64 = 1e-9;

/// Terms that are added up side by side.
const LANES: usize = 8;

/// What is the same for all newcomers: z and u of every old object, their columns of about unit length, and A⁻¹ and 1/(1 − h)
/// of complete rows.
pub(crate) struct Hc3 {
    Z: Mat<f64>,
    /// None if it is Z.
    U: Option<Mat<f64>>,
    /// What Z's columns were divided by.
    length: Vec<f64>,
    complete: Solved,
    dimensions: usize,
}

/// A⁻¹, and 1/(1 − h_i) of each old object, NaN where h_i is 1.
struct Solved {
    inverse: Mat<f64>,
    inflation: Vec<f64>,
}

/// Σ v_i u_i u_i', its columns one after the other, each down to the diagonal.
pub(super) struct Sums {
    sums: Vec<f64>,
    /// v_i u_i of a stretch.
    weighted: Vec<f64>,
}

impl Hc3 {
    pub(crate) fn new(diagram: &Diagram) -> Self {
        let X = diagram.about_origin();
        let (n, d) = (X.nrows(), X.ncols());
        let w = diagram.centring().weights.as_deref();
        // Where nothing was centred there is no α.
        let centred = w.is_none_or(|w| w.iter().any(|v| *v != 0.0));
        let columns = if centred { d + 1 } else { d };
        let mut length: Vec<f64> = (0..d).map(|j| X.col(j).norm_l2()).collect();
        length.push((n as f64).sqrt());
        length.truncate(columns);
        let of = |last: &dyn Fn(usize) -> f64| {
            Mat::from_fn(n, columns, |i, j| {
                (if j < d { X[(i, j)] } else { last(i) }) / length[j]
            })
        };
        let (Z, U) = match w.filter(|_| centred) {
            None => (of(&|_| 1.0), None),
            Some(w) => (of(&|_| 1.0), Some(of(&|i| n as f64 * w[i]))),
        };
        let mut hc3 = Self {
            Z,
            U,
            length,
            complete: Solved {
                inverse: Mat::new(),
                inflation: Vec::new(),
            },
            dimensions: d,
        };
        hc3.complete = hc3.solved(|_| 1.0);
        hc3
    }

    fn U(&self) -> MatRef<'_, f64> {
        self.U.as_ref().unwrap_or(&self.Z).as_ref()
    }

    /// A⁻¹ and leverages where object i has the weight `s(i)`.
    fn solved(&self, s: impl Fn(usize) -> f64) -> Solved {
        let (U, Z) = (self.U(), self.Z.as_ref());
        let (n, q) = (Z.nrows(), Z.ncols());
        let weighted = Mat::from_fn(n, q, |i, j| s(i) * U[(i, j)]);
        let A = product(weighted.transpose(), Z, Par::Seq);
        let inverse = Lu::new(A.as_ref()).solve(Mat::identity(q, q));
        let Y = product(weighted.as_ref(), inverse.transpose(), Par::Seq);
        let inflation = (0..n).map(|i| {
            let h: f64 = (0..q).map(|j| Z[(i, j)] * Y[(i, j)]).sum();
            if 1.0 - h > LEAST_SAY {
                1.0 / (1.0 - h)
            } else {
                f64::NAN
            }
        });
        Solved {
            inflation: inflation.collect(),
            inverse,
        }
    }

    pub(super) fn sums(&self) -> Sums {
        let q = self.Z.ncols();
        Sums {
            sums: vec![0.0; q * (q + 1) / 2],
            weighted: Vec::new(),
        }
    }

    /// Adds the residuals of a complete newcomer to the old objects from `j` on.
    pub(super) fn add(&self, j: usize, residuals: &[f64], sums: &mut Sums) {
        let inflation = &self.complete.inflation[j..];
        let v = residuals
            .iter()
            .zip(inflation)
            .map(|(e, q)| (e * q).powi(2));
        let v: Vec<f64> = v.collect();
        self.add_squares(j, &v, sums);
    }

    fn add_squares(&self, j: usize, v: &[f64], Sums { sums, weighted }: &mut Sums) {
        let U = self.U();
        let column = |a: usize| {
            let column = U.col(a).try_as_col_major();
            column.map_or(&[][..], |c| &c.as_slice()[j..j + v.len()])
        };
        let mut at = 0;
        for a in 0..U.ncols() {
            weighted.clear();
            weighted.extend(v.iter().zip(column(a)).map(|(v, u)| v * u));
            for b in 0..=a {
                sums[at] += dot(weighted, column(b));
                at += 1;
            }
        }
    }

    /// V of a complete newcomer, (d + 1)², row by row.
    pub(super) fn covariance(&self, sums: &Sums) -> Vec<f64> {
        self.sandwich(&self.complete.inverse, sums)
    }

    /// V of a newcomer that lacks proximities (`f` is NaN there), or whose old objects have `weights`; `y` and `alpha` are its solution.
    pub(super) fn of_row(
        &self,
        f: &[f64],
        weights: Option<&[f64]>,
        (y, alpha): (&[f64], f64),
    ) -> Vec<f64> {
        let known = |i: usize| !f[i].is_nan();
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let all = (0..f.len()).filter(|&i| known(i));
        let heaviest = all.map(weight).fold(0.0, f64::max);
        let s = |i: usize| {
            if known(i) { weight(i) / heaviest } else { 0.0 }
        };
        let solved = self.solved(s);
        let squares = |i: usize| {
            if s(i) == 0.0 {
                return 0.0;
            }
            let shown = y.iter().enumerate();
            let shown: f64 = shown
                .map(|(j, y)| self.Z[(i, j)] * self.length[j] * y)
                .sum();
            (s(i) * (f[i] - alpha - shown) * solved.inflation[i]).powi(2)
        };
        let v: Vec<f64> = (0..f.len()).map(squares).collect();
        let mut sums = self.sums();
        self.add_squares(0, &v, &mut sums);
        self.sandwich(&solved.inverse, &sums)
    }

    /// A⁻¹SA⁻¹' in the units of (ŷ, α); what is known of α where there is none is that it is 0.
    fn sandwich(&self, inverse: &Mat<f64>, sums: &Sums) -> Vec<f64> {
        let (q, full) = (self.Z.ncols(), self.dimensions + 1);
        let entry = |a: usize, b: usize| {
            let (a, b) = (a.max(b), a.min(b));
            sums.sums[a * (a + 1) / 2 + b]
        };
        let S = Mat::from_fn(q, q, entry);
        let left = product(inverse.as_ref(), S.as_ref(), Par::Seq);
        let V = product(left.as_ref(), inverse.transpose(), Par::Seq);
        let mut out = vec![0.0; full * full];
        for a in 0..q {
            for b in 0..q {
                // Symmetric to the bit.
                let v = 0.5 * (V[(a, b)] + V[(b, a)]);
                out[a * full + b] = v / self.length[a] / self.length[b];
            }
        }
        out
    }
}

/// a'b, by lanes of partial sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_last) = a.as_chunks::<LANES>();
    let (b, b_last) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let last = a_last.iter().zip(b_last).map(|(a, b)| a * b);
    sums.iter().sum::<f64>() + last.sum::<f64>()
}
