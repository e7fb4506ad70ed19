//! The diagram of proximities that are elsewhere ([`crate::input::elsewhere`]), by passes over their pieces.
//!
//! The same mathematics as [`Diagram::fit`], with
//!
//! ```text
//! B V = (I − ew')(T − c ee')(I − we')V        b_ii = t_ii − 2r_i + m
//! ‖B‖² = ‖T‖² + 2n Σr² + 2(Σr)² + n²m² − 4 Σ r_i s_i + 2m Σs − 4nm Σr        s = Te, r = Tw
//! ```
//!
//! where T V is asked of whoever has the pieces. A pass is dear, so blocks are wide.

#![allow(non_snake_case)]

use faer::{Mat, MatMut, MatRef};

use super::diagram::{Diagram, DiagramSettings, Material, check_signs};
use crate::error::Error;
use crate::fit::centring::Centring;
use crate::fit::spectrum::{self, Symmetric};
use crate::input::elsewhere::{Elsewhere, Products};
use crate::input::kind::{Correction, Kind};
use crate::rounding::{TIE_UNITS, power_of_two};
use crate::run::Run;

/// Up to so many objects the whole of B may be asked for, where the iterative solver does not do.
const DENSE_AT_MOST: usize = 4000;

/// Columns that are asked for at a time then.
const SLAB: usize = 256;

/// B as something to multiply by.
struct Distant<'a> {
    products: &'a dyn Products,
    centring: &'a Centring,
    unit: f64,
}

impl Diagram {
    /// Fits the diagram to proximities in pieces, by classical scaling.
    pub(crate) fn fit_elsewhere(
        square: &Elsewhere<'_>,
        settings: &DiagramSettings,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let (n, d) = (square.count, settings.dimensions);
        if d == 0 {
            return Err(Error::NoDimensions);
        }
        let seen = square.surveyed()?;
        let length = match square.kind {
            Kind::Dissimilarity => seen.largest,
            _ => seen.largest.sqrt(),
        };
        // Lengths in a unit that keeps their fourth powers in range.
        let unit = 1.0 / power_of_two(length);
        let scaled = |values: Vec<f64>| -> Vec<f64> {
            let values = values.into_iter();
            values.map(|v| v * unit * unit).collect()
        };
        let (sums, itself) = (scaled(seen.sums), scaled(seen.itself));
        let centring = Centring::of_sums(&settings.origin, &seen.labels, sums.clone(), |w| {
            let (mut out, w) = (Mat::zeros(n, 1), Mat::from_fn(n, 1, |i, _| w[i]));
            (square.products).multiply(unit, 0.0, w.as_ref(), out.as_mut())?;
            Ok(out.col(0).iter().copied().collect())
        })?;
        let B = Distant {
            products: square.products,
            centring: &centring,
            unit,
        };
        let pairs = spectrum::largest(&B, d.min(n), (settings.solver, settings.tolerance), run)?;
        if centring.weights.is_none() {
            check_signs(square.kind, &pairs)?;
        }
        let (r, m) = (&centring.row_means, centring.grand_mean);
        let squared_norm = squared_norm(seen.squares * unit.powi(4), r, m, &sums);
        let diagonal = itself.iter().zip(r).map(|(t, r)| t - 2.0 * r + m).collect();
        let itself_of = itself.first().copied().unwrap_or(0.0);
        let same = |t: &f64| (t - itself_of).abs() <= TIE_UNITS * f64::EPSILON * itself_of;
        let common = square.kind == Kind::Similarity && itself_of > 0.0 && itself.iter().all(same);
        let mut diagram = Self::assemble(
            pairs,
            d,
            Material {
                labels: seen.labels,
                kind: square.kind,
                correction: Correction::None,
                diagonal,
                squared_norm,
                nearest: scaled(seen.nearest),
                findings: seen.findings,
                unit,
                centring,
            },
            run,
        )?;
        diagram.knows_self_similarity(common.then_some(itself_of / unit / unit));
        Ok(diagram)
    }
}

/// ‖B‖², as the module head has it; rounding may put it below zero where B is small beside T.
fn squared_norm(squares: f64, r: &[f64], m: f64, s: &[f64]) -> f64 {
    let n = r.len() as f64;
    let (sum_r, sum_s): (f64, f64) = (r.iter().sum(), s.iter().sum());
    let rr: f64 = r.iter().map(|r| r * r).sum();
    let rs: f64 = r.iter().zip(s).map(|(r, s)| r * s).sum();
    let all = squares + 2.0 * n * rr + 2.0 * sum_r * sum_r + n * n * m * m - 4.0 * rs
        + 2.0 * m * sum_s
        - 4.0 * n * m * sum_r;
    all.max(0.0)
}

impl Symmetric for Distant<'_> {
    fn count(&self) -> usize {
        self.centring.row_means.len()
    }

    fn multiply(&self, v: MatRef<'_, f64>, mut out: MatMut<'_, f64>) -> Result<(), Error> {
        let n = self.count();
        let mut v = v.to_owned();
        for column in v.col_iter_mut() {
            let sum: f64 = column.as_ref().iter().sum();
            match &self.centring.weights {
                None => column.iter_mut().for_each(|v| *v -= sum / n as f64),
                Some(w) => column.iter_mut().zip(w).for_each(|(v, w)| *v -= sum * w),
            }
        }
        let shift = self.centring.grand_mean;
        (self.products).multiply(self.unit, shift, v.as_ref(), out.as_mut())?;
        for column in out.col_iter_mut() {
            let values: Vec<f64> = column.as_ref().iter().copied().collect();
            let mean = self.centring.mean(&values);
            column.iter_mut().for_each(|u| *u -= mean);
        }
        Ok(())
    }

    fn dense(&self) -> Result<Mat<f64>, Error> {
        let n = self.count();
        if n > DENSE_AT_MOST {
            return Err(Error::Eigen(format!(
                "found {n} objects whose proximities are elsewhere, and an answer that only all of them together would give, \
                 expected fewer axes, or the iterative solver"
            )));
        }
        let mut all = Mat::zeros(n, n);
        for first in (0..n).step_by(SLAB) {
            let count = SLAB.min(n - first);
            let some = Mat::from_fn(n, count, |i, j| f64::from(i == first + j));
            let out = all.as_mut().subcols_mut(first, count);
            self.multiply(some.as_ref(), out)?;
        }
        Ok(all)
    }
}
