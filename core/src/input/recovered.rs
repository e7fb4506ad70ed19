//! From inner products back to the dissimilarities that they were made of.
//!
//! Programs that scale classically often keep B = −½PΔ₂P, or all of its axes, and forget the dissimilarities. Nothing is lost
//! with them, as an object is at distance 0 from itself:
//!
//! ```text
//! B = XX' − NN'       δ²_ij = b_ii + b_jj − 2b_ij
//! ```
//!
//! with N the axes of the negative eigenvalues. A correction (Lingoes' δ² + 2c, Cailliez' δ + c, between different objects) is
//! taken off again: the fit that follows puts it on.

use faer::{Mat, MatRef, Par};

use crate::dense::product;
use crate::error::Error;
use crate::input::kind::{Correction, Kind};

/// How far below 0 a squared dissimilarity may come out, relative to the largest: programs leave out axes whose eigenvalue
/// is below √ε of the first.
const LOST: f64 = 1e-6;

/// The dissimilarities (squared, if `kind` says so) whose centred inner products are `factor` times `inner`, without the
/// correction that was put on them.
///
/// # Errors
/// If they are not inner products of objects: not square, or with a squared distance below 0; or if the kind is similarities.
pub fn dissimilarities(
    inner: MatRef<'_, f64>,
    factor: f64,
    correction: Correction,
    kind: Kind,
) -> Result<Mat<f64>, Error> {
    let n = inner.nrows();
    if inner.ncols() != n {
        return Err(Error::NotSquare {
            rows: n,
            columns: inner.ncols(),
        });
    }
    if kind == Kind::Similarity {
        return Err(Error::Inconsistent(
            "found similarities to be made of inner products, expected dissimilarities: inner products are similarities"
                .into(),
        ));
    }
    let square = |i: usize, j: usize| {
        let off = 0.5 * (inner[(i, j)] + inner[(j, i)]);
        factor * (inner[(i, i)] + inner[(j, j)] - 2.0 * off)
    };
    let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let largest = pairs().fold(0.0, |m: f64, (i, j)| m.max(square(i, j).abs()));
    let mut answer = Mat::zeros(n, n);
    for (i, j) in pairs() {
        let corrected = square(i, j);
        let own = match correction {
            Correction::None => corrected,
            Correction::Lingoes(c) => corrected - 2.0 * c,
            // Of the sign that the length has without its constant.
            Correction::Cailliez(c) => {
                let length = corrected.max(0.0).sqrt() - c;
                length * length.abs()
            }
        };
        if own < -LOST * largest || own.is_nan() {
            return Err(Error::Inconsistent(format!(
                "found inner products by which objects {} and {} are at the squared distance {own}, expected none below 0",
                j + 1,
                i + 1
            )));
        }
        let value = match kind {
            Kind::Squared => own.max(0.0),
            _ => own.max(0.0).sqrt(),
        };
        answer[(i, j)] = value;
        answer[(j, i)] = value;
    }
    Ok(answer)
}

/// B = XX' − NN', from all axes of a classical scaling: those of the positive eigenvalues and those of the negative ones.
pub fn inner_products(real: MatRef<'_, f64>, imaginary: Option<MatRef<'_, f64>>) -> Mat<f64> {
    let own = |x: MatRef<'_, f64>| product(x, x.transpose(), Par::Seq);
    let real = own(real);
    match imaginary {
        Some(imaginary) => real - own(imaginary),
        None => real,
    }
}
