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
//! the fixed point of filling in each missing b_i by x_i'ŷ, so ‖b‖² counts those as x_i'ŷ too.
//!
//! If nothing was centred (w = 0) there is no intercept: α = 0, and X alone is fitted.
//!
//! The columns are scaled to unit length and made orthogonal by QR, so that the least squares part
//! never forms the squared condition of normal equations.

#![allow(non_snake_case)]

use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, MatRef};

use crate::rounding::TIE_UNITS;

/// What the observed rows say.
pub(crate) struct Answer {
    /// Rows with a proximity and a positive weight.
    pub observed: usize,
    /// ŷ and α; none if the rows do not determine them.
    pub solution: Option<(Vec<f64>, f64)>,
    /// ‖b‖², with missing entries filled in; NaN without a solution.
    pub b_norm_squared: f64,
    /// What of b is left over beside Xŷ on the observed rows, squared and summed.
    pub left_over: f64,
}

/// Solves for one newcomer: `X` about the origin, `f` with NaN where a proximity is missing.
pub(crate) fn solve(
    X: MatRef<'_, f64>,
    f: &[f64],
    weights: Option<&[f64]>,
    w: Option<&[f64]>,
) -> Answer {
    let (n, d) = (X.nrows(), X.ncols());
    let weight = |i: usize| weights.map_or(1.0, |v| v[i]);
    let rows: Vec<usize> = (0..n)
        .filter(|&i| !f[i].is_nan() && weight(i) > 0.0)
        .collect();
    let mut answer = Answer {
        observed: rows.len(),
        solution: None,
        b_norm_squared: f64::NAN,
        left_over: f64::NAN,
    };
    let centred = w.is_none_or(|w| w.iter().any(|v| *v != 0.0));
    let w = w.filter(|_| centred);
    let columns = if centred { d + 1 } else { d };
    if rows.len() < columns {
        return answer;
    }

    // √Ω [X e] with columns of length one on all rows together, so that the rank can be judged.
    let heaviest = rows.iter().fold(0.0, |m: f64, &i| m.max(weight(i)));
    let root: Vec<f64> = rows
        .iter()
        .map(|&i| (weight(i) / heaviest).sqrt())
        .collect();
    let mut length: Vec<f64> = (0..d).map(|j| X.col(j).norm_l2()).collect();
    length.push((n as f64).sqrt());
    let column = |i: usize, j: usize| {
        if j < d {
            X[(i, j)] / length[j]
        } else {
            1.0 / length[d]
        }
    };
    let A = Mat::from_fn(rows.len(), columns, |i, j| root[i] * column(rows[i], j));
    let v = Mat::from_fn(rows.len(), 1, |i, _| root[i] * f[rows[i]]);
    let qr = A.qr();
    let (Q, R) = (qr.compute_thin_Q(), qr.thin_R());
    let Ok(singular) = R.singular_values() else {
        return answer;
    };
    let zero = TIE_UNITS * n as f64 * f64::EPSILON * singular[0];
    if singular.iter().any(|s| *s <= zero || !s.is_finite()) {
        return answer;
    }

    // R θ = z, with z = Q'v for least squares and otherwise from the oblique system.
    let z = match w {
        None => Q.transpose() * &v,
        Some(w) => {
            let left = |i: usize, j: usize| {
                if j < d {
                    column(i, j)
                } else {
                    w[i] * length[d]
                }
            };
            let L = Mat::from_fn(rows.len(), d + 1, |i, j| root[i] * left(rows[i], j));
            let M = L.transpose() * &Q;
            let (lu, right) = (PartialPivLu::new(M.as_ref()), L.transpose() * &v);
            let Ok(singular) = M.singular_values() else {
                return answer;
            };
            if singular[d] <= TIE_UNITS * n as f64 * f64::EPSILON * singular[0] {
                return answer;
            }
            lu.solve(&right)
        }
    };
    let theta = PartialPivLu::new(R).solve(&z);
    let y: Vec<f64> = (0..d).map(|j| theta[(j, 0)] / length[j]).collect();
    let alpha = match centred {
        true => theta[(d, 0)] / length[d],
        false => 0.0,
    };
    if !(alpha.is_finite() && y.iter().all(|v| v.is_finite())) {
        return answer;
    }

    let shown: Vec<f64> = (0..n)
        .map(|i| (0..d).map(|j| X[(i, j)] * y[j]).sum())
        .collect();
    let mut b = shown.clone();
    rows.iter().for_each(|&i| b[i] = f[i] - alpha);
    answer.b_norm_squared = b.iter().map(|b| b * b).sum();
    answer.left_over = b.iter().zip(&shown).map(|(b, s)| (b - s).powi(2)).sum();
    answer.solution = Some((y, alpha));
    answer
}
