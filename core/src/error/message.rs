//! The messages: `found …, expected …`, with the object's label and number.

use std::fmt;

use super::Error;
use crate::number::{exact, rounded};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Entry {
                row,
                column,
                found,
                expected,
            } => {
                let found = value(*found);
                write!(
                    f,
                    "found {found} between {row} and {column}, expected {expected}"
                )
            }
            Error::Asymmetric {
                row,
                column,
                found: (a, b),
            } => write!(
                f,
                "found {} from {row} to {column} but {} the other way, expected a symmetric matrix",
                exact(*a),
                exact(*b)
            ),
            Error::NotSquare { rows, columns } => write!(
                f,
                "found {rows} rows and {columns} columns, expected a square of old proximities"
            ),
            Error::TooFewObjects { found, expected } => {
                write!(f, "found {found} objects, expected at least {expected}")
            }
            Error::Length {
                what,
                found,
                expected,
                ..
            } => write!(f, "found {found} {what}, expected {expected}"),
            Error::DoubledLabel { first, second } => write!(
                f,
                "found the label {:?} at numbers {} and {}, expected every label once",
                first.label,
                first.index + 1,
                second + 1
            ),
            Error::Dimensions { asked, available } => match available {
                0 => write!(
                    f,
                    "found no positive eigenvalue, expected at least one: the objects are not \
                     spread out by these proximities"
                ),
                1 => write!(
                    f,
                    "found 1 positive eigenvalue, expected a number of dimensions of 1, not {asked}"
                ),
                _ => write!(
                    f,
                    "found {available} positive eigenvalues, expected a number of dimensions \
                     between 1 and {available}, not {asked}"
                ),
            },
            Error::OldPart {
                object,
                what,
                found,
                expected,
            } => write!(
                f,
                "found a {what} of {} for {object}, expected {} as on the \
                 map: the old objects are not as far apart as when the map was fitted",
                exact(*found),
                exact(*expected)
            ),
            Error::NoDimensions => f.write_str("found 0 dimensions, expected at least 1"),
            Error::Coordinate {
                object,
                axis,
                found,
            } => write!(
                f,
                "found {} as coordinate {} of {object}, expected a finite number",
                exact(*found),
                axis + 1
            ),
            Error::Flat { found, expected } => write!(
                f,
                "found a configuration that spans {found} dimensions, expected {expected}: leave \
                 out the axes that hold nothing"
            ),
            Error::Weight {
                object: Some(object),
                found,
                expected,
                ..
            } => write!(
                f,
                "found the weight {} for {object}, expected {expected}",
                exact(*found)
            ),
            Error::Weight {
                object: None,
                found,
                expected,
                ..
            } => write!(
                f,
                "found weights that sum to {}, expected {expected}",
                exact(*found)
            ),
            Error::SelfSimilarity { newcomer, strategy } => write!(
                f,
                "found no similarity of {newcomer} to itself, expected one: {strategy} needs it \
                 (project does not)"
            ),
            Error::NotOffered { what, why, .. } => write!(f, "{what} cannot be had here: {why}"),
            Error::Feature {
                object,
                feature,
                found,
                expected,
            } => {
                let found = value(*found);
                write!(
                    f,
                    "found {found} as feature {feature:?} of {object}, expected {expected}"
                )
            }
            Error::Features {
                object,
                found,
                expected,
            } => write!(f, "found {found} for {object}, expected {expected}"),
            Error::FeatureName { found, expected } => {
                write!(f, "found {found}, expected {expected}")
            }
            Error::Measure(why) => f.write_str(why),
            Error::Neighbours {
                found,
                least,
                most,
                objects,
            } => write!(
                f,
                "found {found} neighbours for each of {objects} objects, expected between {least} and {most}"
            ),
            Error::Radius { found } => write!(
                f,
                "found {} as the radius of neighbourhoods, expected a positive number",
                exact(*found)
            ),
            Error::Disconnected { sizes, outside } => {
                const SHOWN: usize = 5;
                let shown: Vec<String> = sizes.iter().take(SHOWN).map(usize::to_string).collect();
                let more = if sizes.len() > SHOWN { ", …" } else { "" };
                write!(
                    f,
                    "found a graph of neighbours in {} pieces (of {}{more} objects), expected one piece: \
                     {outside} is outside the largest; ask for more neighbours or a larger radius, for the \
                     largest piece only, or for the pieces to be joined",
                    sizes.len(),
                    shown.join(", ")
                )
            }
            Error::Setting {
                what,
                found,
                expected,
                ..
            } => write!(f, "found {} as {what}, expected {expected}", exact(*found)),
            Error::Alone { object } => write!(
                f,
                "found no similarity of {object} to any other object, expected some: its degree is 0"
            ),
            Error::Landmark {
                found,
                objects,
                doubled: false,
            } => write!(
                f,
                "found a landmark with the number {}, expected one of {objects} objects",
                found + 1
            ),
            Error::Landmark { found, .. } => write!(
                f,
                "found the landmark with the number {} twice, expected every landmark once",
                found + 1
            ),
            Error::Between(error) | Error::Old(error) => error.fmt(f),
            Error::Scale {
                object,
                found,
                expected,
            } => {
                let whose = match object {
                    Some(object) => format!(" for {object}"),
                    None => String::new(),
                };
                let found = rounded(*found);
                write!(
                    f,
                    "found lengths of about {found}{whose}, expected {expected}"
                )
            }
            Error::Contradicted { why, .. } | Error::Together { why, .. } => f.write_str(why),
            Error::Inconsistent(why) => f.write_str(why),
            Error::Eigen(why) => write!(f, "the eigenvalues could not be computed: {why}"),
            Error::Memory { rows, columns } => write!(
                f,
                "found {rows} × {columns} numbers, {} of memory, expected no more than the system has",
                bytes_of(*rows, *columns)
            ),
            Error::Stopped => f.write_str("stopped before the end"),
        }
    }
}

/// How much memory doubles take, in words.
fn bytes_of(rows: usize, columns: usize) -> String {
    let Some(bytes) = rows.checked_mul(columns).and_then(|n| n.checked_mul(8)) else {
        return "more than 18 EB".to_owned();
    };
    let units = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let fits = |unit: &&(f64, &str)| bytes as f64 >= unit.0;
    match units.iter().find(fits) {
        Some((unit, word)) => format!("{:.1} {word}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}

/// A number that was found, with a word where it is none.
fn value(found: f64) -> String {
    if found.is_nan() {
        "NaN (a missing value)".into()
    } else {
        exact(found)
    }
}
