//! What each measure asks of the features, checked row by row, and the rows as they are compared.

use std::borrow::Cow;

use super::recipe::{Own, Recipe, RowForm};
use super::sums::squared_norm;
use super::{Kernel, Measure, Metric};
use crate::error::Error;
use crate::input::features::Features;

/// Rows in the form in which they are compared, and each row's own number (0 if its measure needs none).
pub(super) struct PreparedRows<'a> {
    pub rows: Cow<'a, [f64]>,
    pub own: Vec<f64>,
}

/// Checks the rows against the measure's domain and prepares them.
pub(super) fn prepare<'a>(
    measure: &Measure,
    recipe: &Recipe,
    features: &'a Features,
) -> Result<PreparedRows<'a>, Error> {
    let q = features.width();
    let Some(values) = features.values() else {
        return Err(Error::FeatureName {
            found: "texts".into(),
            expected: format!("numbers, which {} compares", measure.word()),
        });
    };
    check_entries(measure, features, values)?;
    let rows = match recipe.rows {
        RowForm::Plain => Cow::Borrowed(values),
        form => {
            let mut rows = values.to_vec();
            for (i, row) in rows.chunks_exact_mut(q).enumerate() {
                let sound = match form {
                    RowForm::Unit => to_unit(row),
                    RowForm::Standard => to_standard(row),
                    _ => to_log_ratio(row),
                };
                if let Err((found, expected)) = sound {
                    return Err(Error::Features {
                        object: features.object(i),
                        found: found.into(),
                        expected,
                    });
                }
            }
            Cow::Owned(rows)
        }
    };
    let own = rows.chunks_exact(q).map(|row| match recipe.own {
        Own::Nothing => 0.0,
        Own::Total => row.iter().sum(),
        Own::Square => squared_norm(row),
    });
    let own = own.collect();
    Ok(PreparedRows { rows, own })
}

/// Errs at the first entry that is outside the measure's domain.
fn check_entries(measure: &Measure, features: &Features, values: &[f64]) -> Result<(), Error> {
    type Domain = (fn(f64) -> bool, &'static str);
    let (admits, expected): Domain = match measure {
        Measure::Metric(Metric::BrayCurtis) => {
            (|v| v >= 0.0, "a number of at least 0 (braycurtis)")
        }
        Measure::Metric(Metric::Ruzicka) => (|v| v >= 0.0, "a number of at least 0 (ruzicka)"),
        Measure::Metric(Metric::Tanimoto) | Measure::Kernel(Kernel::Tanimoto) => {
            (|v| v >= 0.0, "a number of at least 0 (tanimoto)")
        }
        Measure::Kernel(Kernel::MinMax) => (|v| v >= 0.0, "a number of at least 0 (minmax)"),
        Measure::Metric(Metric::Jaccard) => (
            |v| v == 0.0 || v == 1.0,
            "0 or 1 (jaccard; for counts there are tanimoto and ruzicka)",
        ),
        Measure::Metric(Metric::Dice) => (|v| v == 0.0 || v == 1.0, "0 or 1 (dice)"),
        Measure::Metric(Metric::Aitchison) => (
            |v| v > 0.0,
            "a positive number (aitchison takes logarithms)",
        ),
        _ => return Ok(()),
    };
    match values.iter().position(|v| !admits(*v)) {
        None => Ok(()),
        Some(at) => Err(Error::Feature {
            object: features.object(at / features.width()),
            feature: features.names()[at % features.width()].clone(),
            found: values[at],
            expected,
        }),
    }
}

/// What was found and expected of a row.
type Fault = (&'static str, &'static str);

fn to_unit(row: &mut [f64]) -> Result<(), Fault> {
    // In units of the largest entry, so that squares stay in range.
    let largest = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return Err((
            "features that are all 0",
            "one that is not: 0/0 has no cosine",
        ));
    }
    row.iter_mut().for_each(|v| *v /= largest);
    let norm = squared_norm(row).sqrt();
    row.iter_mut().for_each(|v| *v /= norm);
    Ok(())
}

fn to_standard(row: &mut [f64]) -> Result<(), Fault> {
    let constant = (
        "features that are all alike",
        "some that differ: 0/0 has no correlation",
    );
    if row.iter().all(|v| *v == row[0]) {
        return Err(constant);
    }
    let largest = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    row.iter_mut().for_each(|v| *v /= largest);
    // Twice, as the first mean is rounded.
    for _ in 0..2 {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter_mut().for_each(|v| *v -= mean);
    }
    to_unit(row).map_err(|_| constant)
}

fn to_log_ratio(row: &mut [f64]) -> Result<(), Fault> {
    row.iter_mut().for_each(|v| *v = v.ln());
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter_mut().for_each(|v| *v -= mean);
    Ok(())
}

/// Errs if an empty row would meet another, which Bray and Curtis's quotient cannot compare.
pub(super) fn check_pairs(
    measure: &Measure,
    (rows, own): (&Features, &[f64]),
    others: Option<(&Features, &[f64])>,
) -> Result<(), Error> {
    if *measure != Measure::Metric(Metric::BrayCurtis) {
        return Ok(());
    }
    let empty = |own: &[f64]| own.iter().position(|a| *a == 0.0);
    let Some(first) = empty(own) else {
        return Ok(());
    };
    let (row, other) = match others {
        Some((others, theirs)) => match empty(theirs) {
            Some(j) => (first, others.object(j)),
            None => return Ok(()),
        },
        None => match empty(&own[first + 1..]) {
            Some(further) => (first + 1 + further, rows.object(first)),
            None => return Ok(()),
        },
    };
    Err(Error::Features {
        object: rows.object(row),
        found: format!("features that are all 0, as those of {other} are,"),
        expected: "one that is not: 0/0 has no Bray–Curtis dissimilarity",
    })
}
