//! Principal components: classical scaling of Euclidean distances, without the distances.
//!
//! With F the n × q features less their means, B = −½PΔ₂P = FF'. Its eigenpairs are those of whichever of F'F (q × q)
//! and FF' (n × n) is smaller, so that for q < n nothing n × n is ever formed; the row means and the diagonal of B come
//! from the lengths of the rows. The diagram is the one that classical scaling of the distances makes, to rounding,
//! and a newcomer's border needs no distances either: with c its features less the means and V the loadings
//!
//! ```text
//! ŷ = V'c      β = c'c      ‖b‖² = ‖Fc‖²      ‖b − Xŷ‖² = ‖F(c − Vŷ)‖²      ‖Fv‖² = v'(F'F)v
//! ```
//!
//! # References
//! Gower (1966), Some distance properties of latent root and vector methods used in multivariate analysis,
//! Biometrika 53:325–338.

#![allow(non_snake_case)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef};

use crate::border::Border;
use crate::error::Error;
use crate::fit::centring::{Centring, Origin};
use crate::fit::diagram::{Diagram, FitSettings, Material};
use crate::fit::spectrum::{self, Symmetric};
use crate::input::features::Features;
use crate::input::proximities::{Correction, Kind};
use crate::map::{Finish, Method, Model, Parts};
use crate::measure::{Measure, Measured, Metric};
use crate::rounding::power_of_two;
use crate::run;

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

/// Block that one thread takes at a time.
const BATCH: usize = 64;

/// Columns of a Gram matrix that are formed at a time to take its norm.
const PIECE: usize = 512;

/// Fits the principal components of the features.
pub fn fit(features: Features, settings: &FitSettings<'_>) -> Result<Model, Error> {
    let (n, q, d) = (features.count(), features.width(), settings.dimensions);
    if d == 0 {
        return Err(Error::NoDimensions);
    }
    if n < 2 {
        return Err(Error::TooFewObjects {
            found: n,
            expected: 2,
        });
    }
    if settings.origin != Origin::Centroid || settings.correction != Correction::None {
        return Err(Error::NotOffered {
            what: "an origin or a correction of principal components",
            why: "found features, expected proximities for it: features have their mean as origin \
                  and Euclidean distances"
                .into(),
        });
    }
    let source = Measured::new(Measure::Metric(Metric::Euclidean), features)?;
    let values = source.features().values().unwrap_or(&[]);

    // F: less the means, in a unit that keeps fourth powers in range.
    let mean = means(values, q);
    let rows = || values.chunks_exact(q);
    let largest = rows()
        .flat_map(|row| row.iter().zip(&mean).map(|(v, m)| (v - m).abs()))
        .fold(0.0, f64::max);
    let unit = 1.0 / power_of_two(largest);
    let centred: Vec<f64> = rows()
        .flat_map(|row| row.iter().zip(&mean).map(|(v, m)| (v - m) * unit))
        .collect();
    let F = MatRef::from_row_major_slice(&centred, n, q);

    // The eigenpairs on the smaller side, and U from them.
    let small = q < n;
    let gram = Gram {
        factor: if small { F.transpose() } else { F },
        threads: settings.threads,
    };
    let wanted = d.min(gram.count());
    let mut pairs = spectrum::largest(
        &gram,
        wanted,
        settings.solver,
        settings.threads,
        settings.watch,
    )?;
    let par = spectrum::par(settings.threads);
    if small {
        let V = std::mem::replace(&mut pairs.vectors, Mat::zeros(n, wanted));
        let U = pairs.vectors.as_mut();
        matmul(U, Accum::Replace, F, &V, 1.0, par);
        over_lengths(&mut pairs.vectors, &pairs.values);
        spectrum::fix_signs(pairs.vectors.as_mut());
    }
    let mut loadings = Mat::zeros(q, wanted);
    let U = &pairs.vectors;
    matmul(
        loadings.as_mut(),
        Accum::Replace,
        F.transpose(),
        U,
        1.0,
        par,
    );
    over_lengths(&mut loadings, &pairs.values);

    // t̄_i = −½(‖f_i‖² + tr/n) of squared distances, m = −tr/n.
    let diagonal: Vec<f64> = centred.chunks_exact(q).map(squared).collect();
    let spread = diagonal.iter().sum::<f64>() / n as f64;
    let centring = Centring {
        weights: None,
        row_means: diagonal.iter().map(|v| -0.5 * (v + spread)).collect(),
        grand_mean: -spread,
    };
    let squared_norm = match &pairs.all {
        Some(all) => all.iter().map(|v| v * v).sum(),
        None => gram.squared_norm(),
    };
    let labels = source.features().labels().to_vec();
    let diagram = Diagram::assemble(
        pairs,
        d,
        Material {
            labels,
            kind: Kind::Dissimilarity,
            correction: Correction::None,
            centring,
            diagonal,
            squared_norm,
            findings: Vec::new(),
            unit,
        },
    )?;
    let cross = small.then(|| {
        let mut S = gram.block(0, q);
        for column in S.col_iter_mut() {
            column.iter_mut().for_each(|v| *v = *v / unit / unit);
        }
        S
    });
    Model::from_parts(Parts {
        method: Method::Pca(Pca {
            mean,
            loadings,
            cross,
        }),
        diagram,
        objects: None,
        finish: Finish::None,
        source: Some(source),
    })
}

/// The mean of each column of rows of `q` numbers, without overflow: about the first row.
fn means(values: &[f64], q: usize) -> Vec<f64> {
    let n = (values.len() / q) as f64;
    let mut mean = vec![0.0; q];
    for row in values.chunks_exact(q) {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n);
    }
    // Once more for the rounding of the first.
    let mut rest = vec![0.0; q];
    for row in values.chunks_exact(q) {
        let terms = rest.iter_mut().zip(row).zip(&mean);
        terms.for_each(|((r, v), m)| *r += (v - m) / n);
    }
    mean.iter().zip(rest).map(|(m, r)| m + r).collect()
}

fn squared(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum()
}

/// Divides each column by √σ².
fn over_lengths(columns: &mut Mat<f64>, values: &[f64]) {
    for (column, value) in columns.col_iter_mut().zip(values) {
        let length = value.sqrt();
        column.iter_mut().for_each(|v| *v /= length);
    }
}

/// GG', as something to multiply by.
struct Gram<'a> {
    factor: MatRef<'a, f64>,
    threads: usize,
}

impl Gram<'_> {
    /// Some columns of it.
    fn block(&self, first: usize, count: usize) -> Mat<f64> {
        let G = self.factor;
        let mut out = Mat::zeros(G.nrows(), count);
        let columns = G.subrows(first, count).transpose();
        let par = spectrum::par(self.threads);
        matmul(out.as_mut(), Accum::Replace, G, columns, 1.0, par);
        out
    }

    /// ‖GG'‖_F², a piece at a time.
    fn squared_norm(&self) -> f64 {
        let n = self.factor.nrows();
        let piece = |first: usize| self.block(first, PIECE.min(n - first)).squared_norm_l2();
        (0..n).step_by(PIECE).map(piece).sum()
    }
}

impl Symmetric for Gram<'_> {
    fn count(&self) -> usize {
        self.factor.nrows()
    }

    fn multiply(&self, v: MatRef<'_, f64>, out: MatMut<'_, f64>) -> Result<(), Error> {
        let par = spectrum::par(self.threads);
        let mut inner = Mat::zeros(self.factor.ncols(), v.ncols());
        let turned = self.factor.transpose();
        matmul(inner.as_mut(), Accum::Replace, turned, v, 1.0, par);
        matmul(out, Accum::Replace, self.factor, &inner, 1.0, par);
        Ok(())
    }

    fn dense(&self) -> Result<Mat<f64>, Error> {
        Ok(self.block(0, self.count()))
    }
}

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
        match sound {
            true => Ok(()),
            false => Err(Error::Inconsistent(
                "found a loading that is not a finite number, expected finite numbers".into(),
            )),
        }
    }

    /// What newcomers are to the diagram, from their features alone.
    pub(crate) fn border(
        &self,
        old: &Features,
        newcomers: &Features,
        threads: usize,
    ) -> Result<Border, Error> {
        let matched = newcomers.matched(old.names())?;
        let (q, d, n) = (self.mean.len(), self.loadings.ncols(), old.count());
        let values = matched.values().unwrap_or(&[]);
        let k = matched.count();
        let mut border = Border {
            dimensions: d,
            projections: Vec::with_capacity(k * d),
            beta: Vec::with_capacity(k),
            b_norm_squared: Vec::with_capacity(k),
            outside: Vec::with_capacity(k),
            observed: vec![n; k],
        };
        let batches = run::map(threads, k.div_ceil(BATCH), None, |batch| {
            let rows = values.chunks_exact(q).skip(batch * BATCH).take(BATCH);
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
                let rows = old.values().unwrap_or(&[]).chunks_exact(v.len().max(1));
                let centred = |row: &[f64]| -> f64 {
                    let terms = row.iter().zip(&self.mean).zip(v);
                    terms.map(|((f, m), v)| (f - m) * v).sum()
                };
                rows.map(|row| centred(row).powi(2)).sum()
            }
        }
    }
}
