//! Whether old proximities that come with newcomers are those of the map.

use faer::MatRef;

use super::diagram::Diagram;
use crate::error::{Error, Object};
use crate::fit::centred::Centred;
use crate::fit::looked::Looked;
use crate::input::kind::Kind;
use crate::input::rows::{Rows, blocks};
use crate::run::Run;

/// How far row means may be from the map's, relative to the largest: what single precision or seven
/// printed digits lose.
const SAME_MEANS: f64 = 1e-6;

impl Diagram {
    /// Errs unless `old`, n × n proximities in the map's order, have the means that the map was fitted
    /// with: other proximities between the old objects would place newcomers on another map. Those that are not `measured`,
    /// as their means are not known to be theirs, are passed over.
    pub(crate) fn check_old(
        &self,
        old: MatRef<'_, f64>,
        measured: impl Fn(usize) -> bool,
        run: Run<'_>,
    ) -> Result<(), Error> {
        let n = self.count();
        if (old.nrows(), old.ncols()) != (n, n) {
            return Err(Error::NotSquare {
                rows: old.nrows(),
                columns: old.ncols(),
            });
        }
        let weights = self.parts().centring.weights.as_deref();
        let matrix = Centred::uncentred(old, self.scale(), run.threads);
        self.check_sums(&Looked::new(&matrix, weights, run.threads)?.sums, measured)
    }

    /// The same of proximities that come a few rows at a time, each once.
    pub(crate) fn check_old_rows(
        &self,
        old: &dyn Rows,
        measured: impl Fn(usize) -> bool,
        run: Run<'_>,
    ) -> Result<(), Error> {
        let n = self.count();
        if (old.rows(), old.columns()) != (n, n) {
            return Err(Error::NotSquare {
                rows: old.rows(),
                columns: old.columns(),
            });
        }
        let scale = self.scale();
        let weights = self.parts().centring.weights.as_deref();
        let sums = blocks(old, run, "comparing old objects", |first, numbers| {
            let sum = |(i, row): (usize, &[f64])| -> f64 {
                let t = |j: usize| {
                    if j == i {
                        scale.itself(row[j])
                    } else {
                        scale.other(row[j])
                    }
                };
                (0..n).map(|j| weights.map_or(1.0, |w| w[j]) * t(j)).sum()
            };
            Ok((first..)
                .zip(numbers.chunks_exact(n))
                .map(sum)
                .collect::<Vec<_>>())
        })?;
        self.check_sums(&sums.concat(), measured)
    }

    /// Errs unless these sums over the rows are those of the fit.
    fn check_sums(&self, sums: &[f64], measured: impl Fn(usize) -> bool) -> Result<(), Error> {
        let n = self.count();
        let weights = self.parts().centring.weights.as_deref();
        let count = if weights.is_some() { 1.0 } else { n as f64 };
        let fitted = &self.parts().centring.row_means;
        let size = fitted.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let off = |i: usize| (sums[i] / count - fitted[i]).abs();
        // NaN is not within any tolerance.
        let other = |i: usize| off(i).is_nan() || off(i) > SAME_MEANS * size;
        match (0..n).find(|&i| measured(i) && other(i)) {
            None => Ok(()),
            Some(index) => {
                let unit = if self.kind() == Kind::Similarity {
                    1.0
                } else {
                    -2.0
                };
                Err(Error::OldPart {
                    object: Object {
                        index,
                        label: self.labels()[index].clone(),
                    },
                    what: match self.kind() {
                        Kind::Similarity => "mean similarity",
                        _ => "mean squared dissimilarity",
                    },
                    found: unit * sums[index] / count,
                    expected: unit * fitted[index],
                })
            }
        }
    }
}
