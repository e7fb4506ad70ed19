//! Each old object as a newcomer to the map as it is, lacking its own row.
//!
//! Leaving row i out of the (d + 1) × (d + 1) system of [`crate::border::missing`] is a change of rank one. With
//! s = X'e, leverage h = w_i + x_i'C⁻¹(x_i − w_i s) and ε = b_ii − x_i'ŷ_i the misfit of the object's own row,
//!
//! ```text
//! y = ŷ_i − C⁻¹(x_i − w_i s) ε/(1 − h)      α = r_i − m − w_i ε/(1 − h)      β = t_ii − 2α − m
//! ```
//!
//! so that all n residuals β − y'y cost O(nd²) at the fit. Axes and centring are held fixed, as if they did not depend on the
//! object: the residuals are too small on small maps.

#![allow(non_snake_case)]

use faer::{Mat, MatRef};

use super::{LeaveOneOut, LeftOut};
use crate::dense::Lu;
use crate::fit::centring::Centring;
use crate::rounding::TIE_UNITS;

/// Each old object without its own row; NaN where the others do not determine its place.
/// `diagonal` is that of B, `X` is about the origin and `BX` = B X.
pub(crate) fn leave_one_out(
    diagonal: &[f64],
    centring: &Centring,
    X: MatRef<'_, f64>,
    C: MatRef<'_, f64>,
    BX: MatRef<'_, f64>,
) -> LeaveOneOut {
    let (n, d) = (X.nrows(), X.ncols());
    // A row whose leverage is 1 cannot be left out: nothing else says where its axis points.
    let full = TIE_UNITS * n as f64 * f64::EPSILON;
    let s: Vec<f64> = (0..d).map(|j| X.col(j).iter().sum()).collect();
    let weight = |i: usize| centring.weights.as_ref().map_or(1.0 / n as f64, |w| w[i]);
    let U = Mat::from_fn(n, d, |i, j| X[(i, j)] - s[j] * weight(i));
    let C = Lu::new(C);
    let inverse_U = C.solve(U.transpose().to_owned());
    let projections = C.solve(BX.transpose().to_owned());
    let (mut residuals, mut places) = (vec![f64::NAN; n], vec![f64::NAN; n * d]);
    for (i, y) in places.chunks_exact_mut(d).enumerate() {
        let w = weight(i);
        let own: f64 = (0..d).map(|j| X[(i, j)] * projections[(j, i)]).sum();
        let leverage: f64 = w + (0..d).map(|j| X[(i, j)] * inverse_U[(j, i)]).sum::<f64>();
        if 1.0 - leverage <= full {
            continue;
        }
        let shift = (diagonal[i] - own) / (1.0 - leverage);
        let (r, m) = (centring.row_means[i], centring.grand_mean);
        let itself = diagonal[i] + 2.0 * r - m;
        let alpha = r - m - w * shift;
        let beta = itself - 2.0 * alpha - m;
        for (j, y) in y.iter_mut().enumerate() {
            *y = projections[(j, i)] - inverse_U[(j, i)] * shift;
        }
        residuals[i] = beta - y.iter().map(|v| v * v).sum::<f64>();
    }
    LeaveOneOut {
        form: LeftOut::AxesFixed,
        residuals,
        places,
        ..Default::default()
    }
}
