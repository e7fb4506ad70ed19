//! A configuration that the caller already has in the place of the fitted one: C is then any symmetric matrix.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use super::diagram::{
    Diagram, DiagramSettings, Parts, correctable, findings, in_units, scale_for, self_similarity,
    weighted_mean, without,
};
use super::summary::Summary;
use crate::dense::product;
use crate::error::{About, Error, Object};
use crate::fit::centred::Centred;
use crate::fit::centring::Centring;
use crate::fit::leave_one_out::{LeaveOneOut, fixed};
use crate::fit::spectrum;
use crate::input::kind::Element;
use crate::input::proximities::Proximities;
use crate::rounding::TIE_UNITS;
use crate::run::Run;

impl Diagram {
    /// Takes a configuration that the caller already has (n × d, of any origin and orientation)
    /// together with the proximities it came from, so that newcomers can be added to it.
    pub fn given<T: Element>(
        proximities: &Proximities<'_, T>,
        configuration: MatRef<'_, f64>,
        settings: &DiagramSettings,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let (n, d) = (configuration.nrows(), configuration.ncols());
        check(proximities.labels(), configuration)?;
        correctable(settings)?;
        let scale = scale_for(proximities, settings.correction);
        let (centring, looked) = Centring::fit(proximities, scale, &settings.origin, run.threads)?;
        let B = Centred::new(proximities.entries(), scale, &centring, run.threads);
        let X = Mat::from_fn(n, d, |i, j| configuration[(i, j)] * scale.unit);
        let X0 = without(X.as_ref(), &weighted_mean(&centring, X.as_ref()));
        let C = product(X0.transpose(), X0.as_ref(), Par::Seq);
        let (ascending, _) = spectrum::eigen(C.as_ref(), 1)?;
        let eigenvalues: Vec<f64> = ascending.into_iter().rev().collect();
        let zero = TIE_UNITS * n as f64 * f64::EPSILON * eigenvalues[0].max(0.0);
        let rank = eigenvalues.iter().filter(|&&v| v > zero).count();
        if rank < d {
            return Err(Error::Flat {
                found: rank,
                expected: d,
            });
        }
        let mut BX = Mat::zeros(n, d);
        B.multiply(X0.as_ref(), BX.as_mut())?;
        let squared_norm = B.squared_norm()?;
        let diagonal = B.diagonal();
        let overlap: f64 = (0..d)
            .map(|j| {
                let terms = X0.col(j).iter().zip(BX.col(j).iter());
                terms.map(|(x, b)| x * b).sum::<f64>()
            })
            .sum();
        let summary = Summary {
            eigenvalues: eigenvalues.clone(),
            further: Vec::new(),
            complete: false,
            residuals: Vec::new(),
            trace: diagonal.iter().sum(),
            squared_norm,
            strain: (squared_norm - 2.0 * overlap + C.squared_norm_l2()).max(0.0),
            passes: 1,
            findings: findings(proximities),
            self_similarity: self_similarity(proximities),
        };
        let leave_one_out = LeaveOneOut {
            nearest: looked.nearest,
            ..fixed::leave_one_out(&diagonal, &centring, X0.as_ref(), C.as_ref(), BX.as_ref())
        };
        let parts = Parts {
            labels: proximities.labels().to_vec(),
            kind: proximities.kind(),
            correction: settings.correction,
            configuration: X,
            eigenvalues,
            given: true,
            centring: centring.clone(),
            leave_one_out,
            summary,
        };
        Self::from_parts(in_units(parts, scale.unit)?)
    }
}

/// Errs unless there are finite coordinates for each of the objects.
pub(crate) fn check(labels: &[String], configuration: MatRef<'_, f64>) -> Result<(), Error> {
    let (n, d) = (configuration.nrows(), configuration.ncols());
    if n != labels.len() {
        return Err(Error::Length {
            about: About::Configuration,
            what: "rows of the configuration",
            found: n,
            expected: labels.len(),
        });
    }
    if d == 0 {
        return Err(Error::NoDimensions);
    }
    for (i, label) in labels.iter().enumerate() {
        if let Some(axis) = (0..d).find(|&j| !configuration[(i, j)].is_finite()) {
            return Err(Error::Coordinate {
                object: Object {
                    index: i,
                    label: label.clone(),
                },
                axis,
                found: configuration[(i, axis)],
            });
        }
    }
    Ok(())
}
