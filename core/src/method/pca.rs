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
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::border::squared;
use crate::dense::product;
use crate::error::Error;
use crate::fit::centring::Centring;
use crate::fit::diagram::{Diagram, Material};
use crate::fit::spectrum::{self, Seen, Symmetric};
use crate::input::features::Features;
use crate::input::kind::{Correction, Kind};
use crate::input::values::Values;
use crate::map::way::Way;
use crate::map::way::components::Pca;
use crate::map::{Map, Method, Parts};
use crate::measure::{Measure, Measured, Metric};
use crate::method::settings::FitSettings;
use crate::rounding::{TIE_UNITS, power_of_two};
use crate::run::Run;

/// Multiplications up to which the eigenvectors of all positive eigenvalues are made: a second or so.
const ALL_PAIRS_WORK: usize = 4_000_000_000;

/// Otherwise so many beyond the axes.
const FURTHER: usize = 20;

/// Columns of a Gram matrix that are formed at a time to take its norm.
const PIECE: usize = 512;

/// Fits the principal components of the features.
pub(crate) fn fit(
    features: Features,
    d: usize,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Map, Error> {
    let (n, q) = (features.count(), features.width());
    if d == 0 {
        return Err(Error::NoDimensions);
    }
    if n < 2 {
        return Err(Error::TooFewObjects {
            found: n,
            expected: 2,
        });
    }
    if matches!(features.numbers(), Some(Values::Sparse(_))) {
        return Err(Error::FeatureName {
            found: "sparse features for the method pca, whose means would fill them".into(),
            expected: "dense ones, or kernel-pca by the linear kernel".into(),
        });
    }
    let source = Measured::new(Measure::Metric(Metric::Euclidean), features)?;
    let values = source
        .features()
        .values()
        .ok_or_else(|| Error::FeatureName {
            found: "packed bits for the method pca".into(),
            expected: "numbers".into(),
        })?;
    let values = &values[..];

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
        threads: run.threads,
    };
    let wanted = d.min(gram.count());
    let mut pairs = spectrum::largest(&gram, wanted, (settings.solver, settings.tolerance), run)?;
    let par = spectrum::par(run.threads);
    if small {
        let V = std::mem::replace(&mut pairs.vectors, Mat::zeros(n, wanted));
        let U = pairs.vectors.as_mut();
        matmul(U, Accum::Replace, F, &V, 1.0, par);
        over_lengths(&mut pairs.vectors, &pairs.values);
        spectrum::fix_signs(pairs.vectors.as_mut());
        pairs.seen = of_objects(&pairs.seen, F, pairs.norm, wanted, par);
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
            nearest: Vec::new(),
            findings: Vec::new(),
            unit,
        },
        run,
    )?;
    let cross = small.then(|| {
        let mut S = gram.block(0, q);
        for column in S.col_iter_mut() {
            column.iter_mut().for_each(|v| *v = *v / unit / unit);
        }
        S
    });
    Map::from_parts(Parts {
        method: Method::Pca,
        way: Way::Components(Pca {
            mean,
            loadings,
            cross,
        }),
        source: Some(source),
        ..Parts::straight(diagram)
    })
}

/// The eigenpairs of FF' from those of F'F, as many as can be had at little cost beside F'F itself: all, or some of the
/// largest.
fn of_objects(seen: &Seen, F: MatRef<'_, f64>, norm: f64, d: usize, par: Par) -> Seen {
    let (n, q) = (F.nrows(), F.ncols());
    let zero = TIE_UNITS * n as f64 * f64::EPSILON * norm;
    let positive = seen.values.partition_point(|v| *v > zero);
    let some = (d + FURTHER).min(positive);
    let count = if n * q * q <= ALL_PAIRS_WORK {
        positive
    } else {
        some
    };
    let first = seen.vectors.ncols() - count;
    let V = seen.vectors.as_ref().subcols(first, count);
    let mut U = product(F, V, par);
    let values = seen.values[..count].to_vec();
    let reversed: Vec<f64> = values.iter().rev().copied().collect();
    over_lengths(&mut U, &reversed);
    Seen {
        values,
        vectors: U,
        whole: seen.whole && count == positive,
    }
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
