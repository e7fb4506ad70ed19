//! What each measure asks of the features, checked row by row, and rows as they are compared.

use std::borrow::Cow;
use std::ops::Range;

use super::recipe::{Own, Recipe, RowForm};
use super::sums::squared_norm;
use super::{Kernel, Measure, Metric};
use crate::error::Error;
use crate::input::features::Features;

/// Checks the rows against the measure's domain, and returns each row's own number (0 if its measure needs none).
///
/// What rows look like when they are compared is made, of a few at a time, by [`rows`]: here it is only seen that it can be.
pub(super) fn check(
    measure: &Measure,
    recipe: &Recipe,
    features: &Features,
) -> Result<Vec<f64>, Error> {
    if features.numbers().is_none() {
        return Err(Error::FeatureName {
            found: "texts".into(),
            expected: format!("numbers, which {} compares", measure.word()),
        });
    }
    check_entries(measure, features)?;
    let mut own = Vec::with_capacity(features.count());
    for i in 0..features.count() {
        if recipe.rows == RowForm::Plain && recipe.own == Own::Nothing {
            own.push(0.0);
            continue;
        }
        let row = form(recipe, features, i..i + 1)?;
        own.push(match recipe.own {
            Own::Nothing => 0.0,
            Own::Total => row.iter().sum(),
            Own::Square => squared_norm(&row),
        });
    }
    Ok(own)
}

/// Some rows in the form in which they are compared, of features that [`check`] has let pass.
pub(super) fn rows<'a>(
    recipe: &Recipe,
    features: &'a Features,
    range: Range<usize>,
) -> Cow<'a, [f64]> {
    form(recipe, features, range).unwrap_or_default()
}

fn form<'a>(
    recipe: &Recipe,
    features: &'a Features,
    range: Range<usize>,
) -> Result<Cow<'a, [f64]>, Error> {
    let (q, first) = (features.width(), range.start);
    let Some(values) = features.numbers() else {
        return Ok(Cow::default());
    };
    let mut rows = values.doubles(q, range);
    if recipe.rows == RowForm::Plain {
        return Ok(rows);
    }
    for (row, i) in rows.to_mut().chunks_exact_mut(q).zip(first..) {
        let sound = match recipe.rows {
            RowForm::Plain => Ok(()),
            RowForm::Unit => to_unit(row, squared_norm),
            RowForm::Standard => to_standard(row),
            RowForm::LogRatio => to_log_ratio(row),
        };
        sound.map_err(|fault| at_fault(features, i, fault))?;
    }
    Ok(rows)
}

/// What is wrong with row `i`.
pub(super) fn at_fault(features: &Features, i: usize, (found, expected): Fault) -> Error {
    Error::Features {
        object: features.object(i),
        found: found.into(),
        expected,
    }
}

/// Errs at the first entry that is outside the measure's domain.
pub(super) fn check_entries(measure: &Measure, features: &Features) -> Result<(), Error> {
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
    let values = features.numbers();
    match values.and_then(|values| values.first_not(features.width(), admits)) {
        None => Ok(()),
        Some((i, j, found)) => Err(Error::Feature {
            object: features.object(i),
            feature: features.names()[j].clone(),
            found,
            expected,
        }),
    }
}

/// What was found and expected of a row.
pub(super) type Fault = (&'static str, &'static str);

/// Gives a row the length 1; `squared` is its sum of squares, in whatever order the row has.
pub(super) fn to_unit(row: &mut [f64], squared: impl Fn(&[f64]) -> f64) -> Result<(), Fault> {
    // In units of the largest entry, so that squares stay in range.
    let largest = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return Err((
            "features that are all 0",
            "one that is not: 0/0 has no cosine",
        ));
    }
    row.iter_mut().for_each(|v| *v /= largest);
    let norm = squared(row).sqrt();
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
    to_unit(row, squared_norm).map_err(|_| constant)
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
