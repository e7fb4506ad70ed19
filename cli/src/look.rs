//! `adjoin info FILE`: what a file of proximities is taken for.

use std::fmt::Write;

use adjoin_formats::{Look, Matrix, Number, look};
use serde_json::json;

use crate::args::{Common, Info};
use crate::error::Error;
use crate::table;

/// Labels that are shown.
const SHOWN: usize = 3;
/// How far mirrored entries may differ, relative to the largest, and still be called alike.
const ALIKE: f64 = 1e-6;

pub fn run(args: &Info, common: &Common) -> Result<(), Error> {
    let seen = look(&args.map, &args.reading.options(common))?;
    let text = if common.json {
        as_json(&seen)
    } else {
        as_text(&seen)
    };
    table::print(text.as_bytes())
}

/// What the numbers look like.
struct Numbers {
    smallest: f64,
    largest: f64,
    missing: usize,
    /// Of a square: whether it is symmetric, and what is on its diagonal.
    symmetric: Option<bool>,
    diagonal: Option<String>,
}

impl Numbers {
    fn of(matrix: &Matrix) -> Self {
        let known = || matrix.values.iter().copied().filter(|x| !x.is_nan());
        let (smallest, largest) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
        let n = matrix.rows.len();
        let square = matrix.is_square() && n > 0;
        let scale = smallest.abs().max(largest.abs());
        let at = |i: usize, j: usize| matrix.values[i * n + j];
        let alike = |x: f64, y: f64| (x - y).abs() <= ALIKE * scale || (x.is_nan() && y.is_nan());
        let diagonal = || {
            let first = at(0, 0);
            if matrix.diagonal_absent {
                "not in the file".to_owned()
            } else if (0..n).all(|i| at(i, i) == first) {
                format!("{first} throughout")
            } else {
                "of several values".to_owned()
            }
        };
        Self {
            smallest,
            largest,
            missing: matrix.values.iter().filter(|x| x.is_nan()).count(),
            symmetric: square.then(|| (0..n).all(|i| (0..i).all(|j| alike(at(i, j), at(j, i))))),
            diagonal: square.then(diagonal),
        }
    }
}

fn width(number: Number) -> String {
    match number {
        Number::F16 => "half precision".into(),
        Number::F32 => "single precision".into(),
        Number::F64 => "double precision".into(),
        Number::Signed(bytes) => format!("whole numbers of {bytes} bytes"),
        Number::Unsigned(bytes) => format!("whole numbers of {bytes} bytes, without a sign"),
        _ => "numbers".into(),
    }
}

fn as_json(seen: &Look) -> String {
    let (rows, columns) = seen.shape;
    let numbers = seen.matrix.as_ref().map(Numbers::of);
    let record = json!({
        "format": seen.format.name(),
        "compression": seen.packing,
        "rows": rows,
        "columns": columns,
        "labels": seen.labels,
        "stored": seen.number.map(width),
        "smallest": numbers.as_ref().map(|n| n.smallest),
        "largest": numbers.as_ref().map(|n| n.largest),
        "missing": numbers.as_ref().map(|n| n.missing),
        "symmetric": numbers.as_ref().and_then(|n| n.symmetric),
        "diagonal": numbers.as_ref().and_then(|n| n.diagonal.clone()),
    });
    format!("{record:#}\n")
}

fn as_text(seen: &Look) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18}{value}");
    };
    let packed = seen
        .packing
        .map_or(String::new(), |p| format!(", packed by {p}"));
    let format = seen.format;
    line(
        "taken for",
        format!("{}{packed} (--format {format})", format.describe()),
    );
    let (rows, columns) = seen.shape;
    line("size", format!("{rows} × {columns}"));
    line(
        "labels",
        match &seen.labels {
            None => "none: objects are known by position".into(),
            Some(labels) => {
                let shown: Vec<&str> = labels.iter().take(SHOWN).map(String::as_str).collect();
                let more = if labels.len() > SHOWN { ", …" } else { "" };
                format!("{}{more}", shown.join(", "))
            }
        },
    );
    if let Some(number) = seen.number {
        line("stored", width(number));
    }
    if let Some(numbers) = seen.matrix.as_ref().map(Numbers::of) {
        line(
            "numbers",
            format!("{} to {}", numbers.smallest, numbers.largest),
        );
        if numbers.missing > 0 {
            line("missing", numbers.missing.to_string());
        }
        if let Some(symmetric) = numbers.symmetric {
            let word = if symmetric { "yes" } else { "no" };
            line("symmetric", word.into());
        }
        if let Some(diagonal) = numbers.diagonal {
            line("diagonal", diagonal);
        }
    }
    text
}
