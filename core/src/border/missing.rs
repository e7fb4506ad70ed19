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
//! The columns are scaled to unit length and made orthogonal by QR, so that the least squares part
//! never forms the squared condition of normal equations.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use crate::dense::{Lu, Qr, product, singular_values};
use crate::rounding::TIE_UNITS;

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

/// Solves for one newcomer: `X` about the origin, `f` with NaN where a proximity is missing.
pub(crate) fn solve(
    X: MatRef<'_, f64>,
    f: &[f64],
    weights: Option<&[f64]>,
    w: Option<&[f64]>,
) -> Solved {
    let (n, d) = (X.nrows(), X.ncols());
    let weight = |i: usize| weights.map_or(1.0, |v| v[i]);
    let rows: Vec<usize> = (0..n)
        .filter(|&i| !f[i].is_nan() && weight(i) > 0.0)
        .collect();
    let mut answer = Solved {
        observed: rows.len(),
        solution: None,
        b_norm_squared: f64::NAN,
        outside: f64::NAN,
    };
    let centred = w.is_none_or(|w| w.iter().any(|v| *v != 0.0));
    let w = w.filter(|_| centred);
    let columns = if centred { d + 1 } else { d };
    if rows.len() < columns {
        return answer;
    }

    // √Ω [X e] with columns of length one on all rows together, so that the rank can be judged.
    let heaviest = rows.iter().fold(0.0, |m: f64, &i| m.max(weight(i)));
    let share = |i: usize| weight(i) / heaviest;
    let root: Vec<f64> = rows.iter().map(|&i| share(i).sqrt()).collect();
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
    let qr = Qr::new(A);
    let Some(singular) = singular_values(qr.R.as_ref()) else {
        return answer;
    };
    let zero = TIE_UNITS * n as f64 * f64::EPSILON * singular[0];
    if singular.iter().any(|s| *s <= zero || !s.is_finite()) {
        return answer;
    }

    // R θ = z, with z = Q'v for least squares and otherwise from the oblique system.
    let z = match w {
        None => product(qr.Q.transpose(), v.as_ref(), Par::Seq),
        Some(w) => {
            let left = |i: usize, j: usize| {
                if j < d {
                    column(i, j)
                } else {
                    w[i] * length[d]
                }
            };
            let L = Mat::from_fn(rows.len(), d + 1, |i, j| root[i] * left(rows[i], j));
            let M = product(L.transpose(), qr.Q.as_ref(), Par::Seq);
            let Some(singular) = singular_values(M.as_ref()) else {
                return answer;
            };
            if singular[d] <= TIE_UNITS * n as f64 * f64::EPSILON * singular[0] {
                return answer;
            }
            Lu::new(M.as_ref()).solve(product(L.transpose(), v.as_ref(), Par::Seq))
        }
    };
    let theta = qr.solve_triangular(z);
    let y: Vec<f64> = (0..d).map(|j| theta[(j, 0)] / length[j]).collect();
    let alpha = if centred {
        theta[(d, 0)] / length[d]
    } else {
        0.0
    };
    if !(alpha.is_finite() && y.iter().all(|v| v.is_finite())) {
        return answer;
    }

    let mut b: Vec<f64> = (0..n)
        .map(|i| (0..d).map(|j| X[(i, j)] * y[j]).sum())
        .collect();
    answer.outside = 0.0;
    for &i in &rows {
        let (s, shown, given) = (share(i), b[i], f[i] - alpha);
        b[i] = s * given + (1.0 - s) * shown;
        answer.outside += (s * (given - shown)).powi(2);
    }
    answer.b_norm_squared = b.iter().map(|b| b * b).sum();
    answer.solution = Some((y, alpha));
    answer
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
            let answer = solve(X.as_ref(), &f, Some(&weights), w);
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
                assert_eq!(in_full, all);
            }
        }
        assert!(negative > 20, "{negative}");
    }
}
