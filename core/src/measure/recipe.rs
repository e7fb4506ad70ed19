//! From sums over features to proximities: what each measure does with its sum.

use super::sums::Sum;
use super::{Kernel, Measure, Metric};
use crate::isa::vectorised;

/// How the rows are prepared before they are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowForm {
    /// As they are.
    Plain,
    /// Of length 1.
    Unit,
    /// Centred, then of length 1.
    Standard,
    /// As centred logarithms.
    LogRatio,
}

/// The number of each row that its measure needs beside the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Own {
    /// None.
    Nothing,
    /// Σ u.
    Total,
    /// Σ u².
    Square,
}

/// What becomes of a sum s, with the rows' own numbers a and b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Formula {
    /// s.
    Nothing,
    /// √s.
    Root,
    /// factor · s.
    Times(f64),
    /// s^(1/p).
    PowerRoot(f64),
    /// s / (a + b).
    Share,
    /// s / (a + b), 0 for 0/0.
    ShareOfAny,
    /// 2s / (a + b + s), 0 for 0/0: one minus (a + b − s) / (a + b + s).
    Complement,
    /// (a + b − s) / (a + b + s), 1 for 0/0.
    Overlap,
    /// s / (a + b − s), 1 for 0/0.
    Ratio,
    /// exp(−γ s).
    Exponential(f64),
    /// (γ s + c)^degree.
    Polynomial { gamma: f64, coef0: f64, degree: f64 },
    /// tanh(γ s + c).
    Tangent { gamma: f64, coef0: f64 },
}

/// All that tells one measure of numbers from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recipe {
    pub rows: RowForm,
    pub own: Own,
    pub sum: Sum,
    pub formula: Formula,
}

/// The recipe of a measure on q features; none if it compares texts.
pub(super) fn recipe(measure: &Measure, q: usize) -> Option<Recipe> {
    let plain = |own, sum, formula| Recipe {
        rows: RowForm::Plain,
        own,
        sum,
        formula,
    };
    let gamma = |gamma: Option<f64>| gamma.unwrap_or(1.0 / q as f64);
    use Formula::*;
    Some(match *measure {
        Measure::Metric(metric) => match metric {
            Metric::Euclidean => plain(Own::Nothing, Sum::Squares, Root),
            Metric::SquaredEuclidean => plain(Own::Nothing, Sum::Squares, Nothing),
            Metric::CityBlock => plain(Own::Nothing, Sum::Absolutes, Nothing),
            Metric::Chebyshev => plain(Own::Nothing, Sum::Largest, Nothing),
            Metric::Minkowski { p: 1.0 } => plain(Own::Nothing, Sum::Absolutes, Nothing),
            Metric::Minkowski { p: 2.0 } => plain(Own::Nothing, Sum::Squares, Root),
            Metric::Minkowski { p } => plain(Own::Nothing, Sum::Powers(p), PowerRoot(p)),
            // 1 − u'v = ½‖u − v‖² for u and v of length 1.
            Metric::Cosine => Recipe {
                rows: RowForm::Unit,
                ..plain(Own::Nothing, Sum::Squares, Times(0.5))
            },
            Metric::Correlation => Recipe {
                rows: RowForm::Standard,
                ..plain(Own::Nothing, Sum::Squares, Times(0.5))
            },
            Metric::BrayCurtis => plain(Own::Total, Sum::Absolutes, Share),
            Metric::Dice => plain(Own::Total, Sum::Absolutes, ShareOfAny),
            Metric::Canberra => plain(Own::Nothing, Sum::Relative, Nothing),
            // Σmax = (a + b + s) / 2 and Σmin = (a + b − s) / 2 with s = Σ|u − v|; sets are counts of 0 and 1.
            Metric::Jaccard | Metric::Ruzicka => plain(Own::Total, Sum::Absolutes, Complement),
            // u'v = (a + b − s) / 2 with s = Σ(u − v)².
            Metric::Tanimoto => plain(Own::Square, Sum::Squares, Complement),
            Metric::Hamming => plain(Own::Nothing, Sum::Unequal, Times(1.0 / q as f64)),
            Metric::Aitchison => Recipe {
                rows: RowForm::LogRatio,
                ..plain(Own::Nothing, Sum::Squares, Root)
            },
            Metric::Levenshtein | Metric::JaroWinkler => return None,
        },
        Measure::Kernel(kernel) => match kernel {
            Kernel::Linear => plain(Own::Nothing, Sum::Products, Nothing),
            Kernel::Rbf { gamma: g } => plain(Own::Nothing, Sum::Squares, Exponential(gamma(g))),
            Kernel::Laplacian { gamma: g } => {
                plain(Own::Nothing, Sum::Absolutes, Exponential(gamma(g)))
            }
            Kernel::Polynomial {
                degree,
                gamma: g,
                coef0,
            } => plain(
                Own::Nothing,
                Sum::Products,
                Polynomial {
                    gamma: gamma(g),
                    coef0,
                    degree,
                },
            ),
            Kernel::Sigmoid { gamma: g, coef0 } => plain(
                Own::Nothing,
                Sum::Products,
                Tangent {
                    gamma: gamma(g),
                    coef0,
                },
            ),
            Kernel::Cosine => Recipe {
                rows: RowForm::Unit,
                ..plain(Own::Nothing, Sum::Products, Nothing)
            },
            Kernel::Tanimoto => plain(Own::Square, Sum::Products, Ratio),
            Kernel::MinMax => plain(Own::Total, Sum::Absolutes, Overlap),
        },
    })
}

impl Formula {
    /// Makes proximities of a row of sums; `a` is the row's own number, `b` the columns'.
    pub(super) fn apply(self, line: &mut [f64], a: f64, b: &[f64]) {
        // The choice is made once per row, or the loops would not become SIMD.
        let arch = crate::isa::arch();
        let pairs = |line: &mut [f64], f: &dyn Fn(f64, f64) -> f64| {
            for (s, b) in line.iter_mut().zip(b) {
                *s = f(*s, a + b);
            }
        };
        match self {
            Formula::Nothing => {}
            Formula::Root => vectorised!(arch, line.iter_mut().for_each(|s| *s = s.sqrt())),
            Formula::Times(factor) => line.iter_mut().for_each(|s| *s *= factor),
            Formula::PowerRoot(p) => line.iter_mut().for_each(|s| *s = s.powf(1.0 / p)),
            Formula::Share => pairs(line, &|s, both| s / both),
            Formula::ShareOfAny => pairs(line, &|s, both| match both {
                0.0 => 0.0,
                both => s / both,
            }),
            Formula::Complement => pairs(line, &|s, both| match both + s {
                0.0 => 0.0,
                all => 2.0 * s / all,
            }),
            Formula::Overlap => pairs(line, &|s, both| match both + s {
                0.0 => 1.0,
                all => (both - s).max(0.0) / all,
            }),
            Formula::Ratio => pairs(line, &|s, both| match both - s {
                0.0 => 1.0,
                all => s / all,
            }),
            Formula::Exponential(gamma) => line.iter_mut().for_each(|s| *s = (-gamma * *s).exp()),
            Formula::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let base = |s: f64| f64::mul_add(gamma, s, coef0);
                if degree.fract() == 0.0 && degree <= 64.0 {
                    line.iter_mut()
                        .for_each(|s| *s = base(*s).powi(degree as i32))
                } else {
                    line.iter_mut().for_each(|s| *s = base(*s).powf(degree))
                }
            }
            Formula::Tangent { gamma, coef0 } => line
                .iter_mut()
                .for_each(|s| *s = f64::mul_add(gamma, *s, coef0).tanh()),
        }
    }
}
