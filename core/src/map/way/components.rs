//! The way by principal components: the border of a newcomer from its features, without any proximities
//! ([`crate::method::pca`] has the formulas).

#![allow(non_snake_case)]

use faer::Mat;

use crate::border::{Border, squared};
use crate::error::{About, Error};
use crate::input::features::Features;
use crate::run::Run;

/// What the map keeps to place newcomers by their features.
#[derive(Debug, Clone, PartialEq)]
pub struct Pca {
    /// The means of the features.
    pub mean: Vec<f64>,
    /// V, q × d.
    pub loadings: Mat<f64>,
    /// F'F, q × q, if there are fewer features than objects.
    pub cross: Option<Mat<f64>>,
}

/// Newcomers that one thread takes at a time.
const BATCH: usize = 64;

impl Pca {
    /// Errs unless the parts fit together.
    pub(crate) fn check(&self, d: usize) -> Result<(), Error> {
        let q = self.mean.len();
        let squares = self
            .cross
            .as_ref()
            .map_or((q, q), |S| (S.nrows(), S.ncols()));
        for (what, found, expected) in [
            ("rows of loadings", self.loadings.nrows(), q),
            ("columns of loadings", self.loadings.ncols(), d),
            ("rows of cross products", squares.0, q),
            ("columns of cross products", squares.1, q),
        ] {
            if found != expected {
                return Err(Error::Length {
                    about: About::Work,
                    what,
                    found,
                    expected,
                });
            }
        }
        let finite = |m: &Mat<f64>| m.col_iter().all(|c| c.iter().all(|v| v.is_finite()));
        let sound = self.mean.iter().all(|v| v.is_finite())
            && finite(&self.loadings)
            && self.cross.as_ref().is_none_or(finite);
        if !sound {
            return Err(Error::Inconsistent(
                "found a loading that is not a finite number, expected finite numbers".into(),
            ));
        }
        Ok(())
    }

    /// What newcomers are to the diagram, from their features alone; `m` is the grand mean of the old objects.
    pub(crate) fn border(
        &self,
        (old, m): (&Features, f64),
        newcomers: &Features,
        run: Run<'_>,
    ) -> Result<Border, Error> {
        let matched = newcomers.matched(old)?;
        let (q, d, n) = (self.mean.len(), self.loadings.ncols(), old.count());
        let k = matched.count();
        let mut border = Border {
            dimensions: d,
            projections: Vec::with_capacity(k * d),
            beta: Vec::with_capacity(k),
            b_norm_squared: Vec::with_capacity(k),
            outside: Vec::with_capacity(k),
            means: Vec::with_capacity(k),
            // No proximities are read.
            nearest: vec![f64::NAN; k],
            below_zero: vec![0; k],
            observed: vec![n; k],
            degrees: Vec::new(),
            beyond: Vec::new(),
            founding: None,
            covariance: Vec::new(),
        };
        let batches = run.map("reading newcomers", k.div_ceil(BATCH), |batch| {
            let range = batch * BATCH..((batch + 1) * BATCH).min(k);
            let values = matched.numbers().map(|v| v.doubles(q, range));
            let values = values.unwrap_or_default();
            let rows = values.chunks_exact(q);
            rows.map(|row| {
                let c: Vec<f64> = row.iter().zip(&self.mean).map(|(v, m)| v - m).collect();
                let along = |j: usize| self.loadings.col(j).iter().zip(&c).map(|(l, c)| l * c);
                let y: Vec<f64> = (0..d).map(|j| along(j).sum()).collect();
                let shown = |i: usize| (0..d).map(|j| self.loadings[(i, j)] * y[j]).sum::<f64>();
                let rest: Vec<f64> = c.iter().enumerate().map(|(i, c)| c - shown(i)).collect();
                let outside = self.form(old, &rest);
                (y, squared(&c), self.form(old, &c), outside)
            })
            .collect::<Vec<_>>()
        })?;
        for (i, (y, beta, norm, outside)) in batches.into_iter().flatten().enumerate() {
            if !(beta.is_finite() && norm.is_finite()) {
                return Err(Error::Features {
                    object: matched.object(i),
                    found: "features so large that their squares overflow".into(),
                    expected: "smaller ones",
                });
            }
            border.projections.extend(y);
            border.beta.push(beta);
            border.means.push(0.5 * (m - beta));
            border.b_norm_squared.push(norm);
            border.outside.push(outside.max(0.0));
        }
        Ok(border)
    }

    /// ‖Fv‖².
    fn form(&self, old: &Features, v: &[f64]) -> f64 {
        match &self.cross {
            Some(S) => {
                let column = |j: usize| S.col(j).iter().zip(v).map(|(s, v)| s * v).sum::<f64>();
                (0..v.len()).map(|j| v[j] * column(j)).sum()
            }
            None => {
                let centred = |row: &[f64]| -> f64 {
                    let terms = row.iter().zip(&self.mean).zip(v);
                    terms.map(|((f, m), v)| (f - m) * v).sum()
                };
                let Some(values) = old.numbers() else {
                    return 0.0;
                };
                let row = |i: usize| values.doubles(v.len(), i..i + 1);
                let rows = (0..old.count()).map(|i| centred(&row(i)).powi(2));
                rows.sum()
            }
        }
    }
}
