//! Measures of rows that are mostly zeros, by the numbers that are not.
//!
//! A term in which both numbers are 0 adds nothing, whatever is summed. So two rows are walked through together, column by
//! column of those in which one of them has something, in the stretches of [`super::sums`]: the same terms in the same order,
//! and so the same bits as of the same rows with all their zeros, at a cost of what is stored.

use std::ops::Range;

use pulp::Simd;

use super::powers::{AnyPower, Power};
use super::recipe::{Own, Recipe, RowForm};
use super::sums::{Absolutes, Largest, Products, Relative, STRETCH, Squares, Sum, Term, Unequal};
use super::{Measure, domain};
use crate::error::Error;
use crate::input::features::Features;
use crate::input::values::SparseRows;

/// Rows as they are compared, and each row's own number; errs if the measure makes something of a 0.
pub(super) fn prepare(
    measure: &Measure,
    recipe: &Recipe,
    features: &Features,
    mut rows: SparseRows,
) -> Result<(SparseRows, Vec<f64>), Error> {
    if !matches!(recipe.rows, RowForm::Plain | RowForm::Unit) {
        return Err(Error::Measure(format!(
            "found sparse features for {}, which has something to compare where both are 0, expected dense ones, or another \
             measure",
            measure.word()
        )));
    }
    domain::check_entries(measure, features)?;
    if recipe.rows == RowForm::Unit {
        for i in 0..rows.count() {
            let (columns, values) = rows.row_mut(i);
            let sound = domain::to_unit(values, |values| squared_norm(columns, values));
            sound.map_err(|fault| domain::at_fault(features, i, fault))?;
        }
    }
    let own = (0..rows.count()).map(|i| {
        let (columns, values) = rows.row(i);
        match recipe.own {
            Own::Nothing => 0.0,
            Own::Total => values.iter().sum(),
            Own::Square => squared_norm(columns, values),
        }
    });
    let own = own.collect();
    Ok((rows, own))
}

/// Σ u², as [`super::sums::squared_norm`] has it.
pub(super) fn squared_norm(columns: &[u32], values: &[f64]) -> f64 {
    pair(Products, (columns, values), (columns, values))
}

/// Writes the sums of `rows` of `new` with the rows of `old` from `first` on to `out`.
pub(super) fn sums(
    sum: Sum,
    (new, rows): (&SparseRows, Range<usize>),
    (old, first): (&SparseRows, usize),
    out: &mut [f64],
) {
    let arch = crate::isa::arch();
    macro_rules! run {
        ($term:expr) => {
            arch.dispatch(Work {
                term: $term,
                new: (new, rows),
                old: (old, first),
                out,
            })
        };
    }
    match sum {
        Sum::Squares => run!(Squares),
        Sum::Absolutes => run!(Absolutes),
        Sum::Largest => run!(Largest),
        Sum::Products => run!(Products),
        Sum::Relative => run!(Relative),
        Sum::Unequal => run!(Unequal),
        Sum::Powers(p) => match Power::new(p) {
            Some(power) => run!(power),
            None => run!(AnyPower(p)),
        },
    }
}

struct Work<'a, T> {
    term: T,
    new: (&'a SparseRows, Range<usize>),
    old: (&'a SparseRows, usize),
    out: &'a mut [f64],
}

impl<T: Term> pulp::WithSimd for Work<'_, T> {
    type Output = ();

    // Pairs are walked through by scalar code, but with the machine's own fused product and sum.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (new, range) = self.new;
        let (old, first) = self.old;
        let width = old.count() - first;
        for (line, i) in self.out.chunks_exact_mut(width).zip(range) {
            let row = new.row(i);
            for (out, j) in line.iter_mut().zip(first..) {
                *out = pair(self.term, row, old.row(j));
            }
        }
    }
}

/// The sum of one pair of rows.
#[inline(always)]
fn pair<T: Term>(term: T, (uc, uv): (&[u32], &[f64]), (vc, vv): (&[u32], &[f64])) -> f64 {
    let simd = pulp::Scalar;
    let (mut i, mut j) = (0, 0);
    let (mut total, mut sum, mut end) = (0.0, 0.0, STRETCH as u32);
    loop {
        // Beyond the last column of either there is none.
        let (at, other) = (
            uc.get(i).copied().unwrap_or(u32::MAX),
            vc.get(j).copied().unwrap_or(u32::MAX),
        );
        let column = at.min(other);
        if i == uc.len() && j == vc.len() {
            break;
        }
        if column >= end {
            (total, sum) = (term.join(simd, total, sum), 0.0);
            end = (column - column % STRETCH as u32).saturating_add(STRETCH as u32);
        }
        let (mut u, mut v) = (0.0, 0.0);
        if i < uc.len() && at == column {
            (u, i) = (uv[i], i + 1);
        }
        if j < vc.len() && other == column {
            (v, j) = (vv[j], j + 1);
        }
        sum = term.add(simd, u, v, sum);
    }
    term.join(simd, total, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::values::Values;
    use crate::measure::{Kernel, Measured, Metric};
    use crate::random::Stream;
    use crate::run::Run;

    /// Mostly zeros, whole numbers of at least 0, over several stretches.
    fn dense(rng: &mut Stream, count: usize, width: usize) -> Vec<f64> {
        let number = |rng: &mut Stream| match rng.bits() % 12 {
            0 => 1.0,
            1 => 1.0 + rng.uniform().abs(),
            _ => 0.0,
        };
        let mut values: Vec<f64> = (0..count * width).map(|_| number(rng)).collect();
        // No row is empty.
        values.iter_mut().step_by(width).for_each(|v| *v = 1.0);
        values
    }

    fn both(values: &[f64], width: usize) -> [Features; 3] {
        let rows = Values::Sparse(SparseRows::of_dense(values, width));
        let singles = Values::Singles(values.iter().map(|v| *v as f32).collect());
        let widened = values.iter().map(|v| f64::from(*v as f32)).collect();
        [
            Features::of(Values::Doubles(widened), width, None, None).unwrap(),
            Features::of(singles, width, None, None).unwrap(),
            Features::of(rows, width, None, None).unwrap(),
        ]
    }

    /// Every measure that takes sparse rows, and every measure in single precision: the bits of dense doubles.
    #[test]
    fn sparse_and_single_have_the_bits_of_dense_doubles() {
        let mut rng = Stream::new(7);
        let width = 600;
        let counts = dense(&mut rng, 37, width);
        let sets: Vec<f64> = counts.iter().map(|v| f64::from(*v != 0.0)).collect();
        // Of which single precision loses nothing.
        let counts: Vec<f64> = counts.iter().map(|v| f64::from(*v as f32)).collect();
        let metrics = Metric::WORDS
            .iter()
            .filter_map(|word| Measure::metric(word, &Default::default()).ok());
        let kernels = [
            Kernel::Linear,
            Kernel::Rbf { gamma: None },
            Kernel::Laplacian { gamma: None },
            Kernel::Polynomial {
                degree: 2.0,
                gamma: None,
                coef0: 1.0,
            },
            Kernel::Sigmoid {
                gamma: None,
                coef0: 0.5,
            },
            Kernel::Cosine,
            Kernel::Tanimoto,
            Kernel::MinMax,
        ];
        let further = [1.0, 1.5, 3.0, 2.3].map(|p| Measure::Metric(Metric::Minkowski { p }));
        let all = metrics.chain(kernels.map(Measure::Kernel)).chain(further);
        let (mut compared, mut refused) = (0, Vec::new());
        for measure in all.filter(|m| !m.of_texts()) {
            let binary = matches!(measure, Measure::Metric(Metric::Jaccard | Metric::Dice));
            let mut values = if binary { sets.clone() } else { counts.clone() };
            if measure == Measure::Metric(Metric::Aitchison) {
                values
                    .iter_mut()
                    .for_each(|v| *v = f64::from((*v + 1.0) as f32));
            }
            let old = both(&values[..30 * width], width);
            let new = both(&values[30 * width..], width);
            let made = |old: &Features, new: &Features| {
                let source = Measured::new(measure, old.clone())?;
                let against = source.against(new)?;
                let itself = against.self_similarity();
                Ok::<_, Error>((
                    source.square(Run::on(1))?,
                    source.rectangle(new, Run::on(1))?,
                    itself,
                ))
            };
            let expected = made(&old[0], &new[0]).unwrap();
            for which in 0..9 {
                match made(&old[which / 3], &new[which % 3]) {
                    Ok(found) => assert_eq!(found, expected, "{measure:?} {which}"),
                    Err(error) => {
                        let said = error.to_string();
                        assert!(which >= 6, "{measure:?} {which}: {said}");
                        assert!(said.contains(&format!("sparse features for {}", measure.word())));
                        refused.push(measure.word());
                    }
                }
                compared += 1;
            }
        }
        refused.dedup();
        assert_eq!(refused, ["correlation", "aitchison"]);
        assert!(compared > 9 * 24);
    }

    /// An empty row has no direction, and a number that may not be there is named by its column.
    #[test]
    fn sparse_rows_keep_to_the_domain() {
        let values = [1.0, 0.0, -2.0, 0.0, 0.0, 0.0];
        let features = || both(&values, 3)[2].clone();
        let message = |measure| {
            Measured::new(measure, features())
                .map(|_| ())
                .unwrap_err()
                .to_string()
        };
        assert!(message(Measure::Metric(Metric::Cosine)).contains("features that are all 0"));
        assert!(message(Measure::Metric(Metric::BrayCurtis)).contains("found -2 as feature \"3\""));
    }
}
