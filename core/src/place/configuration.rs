//! Newcomers on coordinates that are not a map: by raw stress, which needs nothing but the points and the dissimilarities.

use faer::MatRef;

use crate::error::{About, Error, Object};
use crate::input::block::Block;
use crate::input::kind::{Element, Kind, clear_below_zero};
use crate::input::newcomers::{By, Newcomers};
use crate::input::rows;
use crate::place::alone::{PlaceSettings, by_stress, in_batches, provable};
use crate::rounding::{RANGE, farthest, in_range};
use crate::run::Run;
use crate::strategy::placements::{Placements, Strategy};
use crate::strategy::stress::{self, StressSettings};

/// Places newcomers by raw stress on any configuration, n × d, whatever it was made by: their dissimilarities to its
/// objects (not squared, NaN where missing if the newcomers say so) are enough, in the units of the coordinates.
pub fn place_on_configuration(
    configuration: MatRef<'_, f64>,
    labels: &[String],
    newcomers: &Newcomers<'_>,
    settings: &PlaceSettings,
    run: Run<'_>,
) -> Result<Placements, Error> {
    settings.check()?;
    if settings.strategy != Strategy::Stress {
        return Err(Error::NotOffered {
            about: About::Strategy,
            what: settings.strategy.word(),
            why: "found coordinates that are not a map, expected stress, which needs nothing else"
                .into(),
        });
    }
    provable(configuration.ncols(), settings.prove)?;
    newcomers.check_lengths()?;
    let prove = settings.prove;
    match newcomers.by {
        By::Doubles(m) => by_block(configuration, labels, &newcomers.block(0, m), prove, run),
        By::Singles(m) => by_block(configuration, labels, &newcomers.block(0, m), prove, run),
        By::Rows(rows) => {
            let values = rows::collect(rows, run)?;
            let m = MatRef::from_row_major_slice(&values, rows.rows(), rows.columns());
            by_block(configuration, labels, &newcomers.block(0, m), prove, run)
        }
        By::Features(_) => Err(Error::NotOffered {
            about: About::Objects,
            what: "placing by features",
            why: "found coordinates without a measure, expected newcomers as dissimilarities"
                .into(),
        }),
    }
}

fn by_block<T: Element>(
    configuration: MatRef<'_, f64>,
    labels: &[String],
    block: &Block<'_, T>,
    prove: bool,
    run: Run<'_>,
) -> Result<Placements, Error> {
    block.check(labels, configuration.nrows())?;
    let (k, d) = (block.count(), configuration.ncols());
    let kind = Kind::Dissimilarity;
    let mut placements = Placements::empty(Strategy::Stress, k, d);
    let row = |i: usize| {
        let entries = block.proximities.row(i);
        let mut row: Vec<f64> = entries.iter().map(|v| v.to_f64()).collect();
        clear_below_zero(&mut row);
        row
    };
    for i in 0..k {
        let row = row(i);
        for (j, label) in labels.iter().enumerate() {
            let found = row[j];
            if found.is_nan() && block.missing {
                continue;
            }
            if !kind.admits(found) {
                return Err(Error::Entry {
                    row: block.object(i),
                    column: Object {
                        index: j,
                        label: label.clone(),
                    },
                    found,
                    expected: kind.expected(),
                });
            }
            placements.known[i] += 1;
        }
    }
    check_sizes(configuration, block)?;
    let prepared = stress::Prepared::new(configuration);
    let how = StressSettings {
        prove,
        ..Default::default()
    };
    let places = in_batches(k, run, |i| {
        by_stress(&prepared, &row(i), block.weights, None, &how)
    })?;
    for (i, place) in places.into_iter().enumerate() {
        placements.put(i, place);
    }
    Ok(placements)
}

/// Errs if coordinates and dissimilarities are not in the range of lengths whose powers are numbers.
fn check_sizes<T: Element>(
    configuration: MatRef<'_, f64>,
    block: &Block<'_, T>,
) -> Result<(), Error> {
    let largest = |m: f64, v: f64| m.max(v.abs());
    let coordinates = configuration.col_iter().flat_map(|c| c.iter());
    let size = coordinates.fold(0.0, |m, v| largest(m, *v));
    if !in_range(size) {
        return Err(Error::Scale {
            object: None,
            found: size,
            expected: RANGE,
        });
    }
    for i in 0..block.count() {
        let row = block.proximities.row(i);
        let found = row.iter().fold(0.0, |m, v| largest(m, v.to_f64()));
        if found > farthest(size) {
            return Err(Error::Scale {
                object: Some(block.object(i)),
                found,
                expected: RANGE,
            });
        }
    }
    Ok(())
}
