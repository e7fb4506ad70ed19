//! PHYLIP distance matrices: a line with the number of objects, then a name and its distances for
//! each of them.
//!
//! The format does not say whether the matrix is a square or a triangle, whether names fill ten
//! columns (and may hold blanks) or end at the first blank, and where a row that is too long was
//! wrapped. All of that is resolved by counting: each reading that could be meant is tried, and
//! the one in which every row has just as many numbers as it should is taken. A file that fits two
//! readings with different numbers is refused.

use crate::cell::{Delimiter, Value, cells, is_blank, next_line, value, wanted};
use crate::error::{Error, count, quote_bytes};
use crate::matrix::Matrix;
use crate::source::Text;
use crate::triangle::Half;

/// How many columns a strict name fills.
const NAME: usize = 10;

/// Where a name ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// At the first blank or tab.
    Relaxed,
    /// After ten characters.
    Strict,
    /// At the first tab.
    Tabbed,
}

/// Which numbers a row holds; `None` is all of them.
type Shape = Option<Half>;

/// A way to read the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    names: Names,
    shape: Shape,
}

impl Reading {
    fn describe(self) -> String {
        let shape = match self.shape {
            None => "a square",
            Some(Half {
                lower: true,
                diagonal: true,
            }) => "a lower triangle with its diagonal",
            Some(Half {
                lower: true,
                diagonal: false,
            }) => "a lower triangle",
            Some(Half {
                lower: false,
                diagonal: true,
            }) => "an upper triangle with its diagonal",
            Some(Half {
                lower: false,
                diagonal: false,
            }) => "an upper triangle",
        };
        let names = match self.names {
            Names::Relaxed => "names that end at a blank",
            Names::Strict => "names of ten columns",
            Names::Tabbed => "names that end at a tab",
        };
        format!("{shape} with {names}")
    }
}

/// Where and why a reading fails.
struct Misfit {
    /// How many numbers were read before.
    progress: usize,
    line: u64,
    found: String,
    expected: String,
}

/// Whether text begins like a PHYLIP file: a line with one whole number.
pub(crate) fn begins(text: &[u8]) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, next) = next_line(rest);
        if !is_blank(line) {
            return objects(line).is_some() && !is_one_column(line, next);
        }
        rest = next;
    }
    false
}

/// Whether a number behind a tab is the label of a table's only column, not how many objects there are (mash writes that so): a label
/// and one number on every line, which no triangle has and no square.
fn is_one_column(line: &[u8], mut rest: &[u8]) -> bool {
    let mut lines = 0;
    while line.starts_with(b"\t") && !rest.is_empty() {
        let (row, next) = next_line(rest);
        rest = next;
        if !is_blank(row) {
            lines += 1;
            // Where a quote is not closed tabs divide all the same; the table's reader says so.
            let count = match cells(row, Delimiter::Byte(b'\t')) {
                Some(cells) => cells.len(),
                None => row.split(|b| *b == b'\t').count(),
            };
            if count != 2 {
                return false;
            }
        }
    }
    lines > 0
}

fn objects(line: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(line.trim_ascii()).ok()?;
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// Reads a whole PHYLIP matrix.
pub(crate) fn read(text: &mut Text) -> Result<Matrix, Error> {
    let name = text.name.clone();
    let bytes = text.read_all()?;
    let mut lines = Vec::new();
    let mut rest = &bytes[..];
    let mut number = 0;
    while !rest.is_empty() {
        let (line, next) = next_line(rest);
        rest = next;
        number += 1;
        if !is_blank(line) {
            lines.push((number, line));
        }
    }
    let Some((&(first, head), rows)) = lines.split_first() else {
        return Err(Error::malformed(
            &name,
            None,
            "an empty file",
            "the number of objects",
        ));
    };
    let Some(n) = objects(head).filter(|&n| n > 0) else {
        return Err(Error::malformed(
            &name,
            first,
            quote_bytes(head),
            "the number of objects alone on the first line",
        ));
    };
    // Each object has a line of its own: no header can ask for more than the file holds.
    if n > rows.len() {
        return Err(Error::malformed(
            &name,
            first,
            format!(
                "{} after the number of objects {n}",
                count(rows.len(), "line")
            ),
            "a line for each object",
        ));
    }
    let mut fitting = Vec::new();
    let mut misfits = Vec::new();
    for names in [Names::Relaxed, Names::Tabbed, Names::Strict] {
        if names == Names::Tabbed && !rows.iter().any(|(_, line)| line.contains(&b'\t')) {
            continue;
        }
        let shapes = std::iter::once(None).chain(Half::ALL.into_iter().map(Some));
        for reading in shapes.map(|shape| Reading { names, shape }) {
            match fits(rows, n, reading) {
                Ok(()) => fitting.push(reading),
                Err(misfit) => misfits.push((reading, misfit)),
            }
        }
    }
    let mut matrices: Vec<(Reading, Matrix)> = Vec::new();
    for reading in fitting {
        if let Some(matrix) = build(rows, n, reading, &name)
            && !matrices.iter().any(|(_, other)| is_same(other, &matrix))
        {
            matrices.push((reading, matrix));
        }
    }
    // Distances to oneself are zero: a reading that says otherwise has taken a part of the name
    // for a number.
    if matrices.len() > 1 && matrices.iter().any(|(_, m)| has_zero_diagonal(m, n)) {
        matrices.retain(|(_, m)| has_zero_diagonal(m, n));
    }
    match matrices.len() {
        0 => {
            // The reading that was meant is the one that most lines fit, or else goes furthest.
            let mut best: Option<(usize, Misfit)> = None;
            for (reading, misfit) in misfits {
                let strange = strangers(rows, n, reading);
                if best.as_ref().is_none_or(|(least, b)| {
                    strange < *least
                        || (strange == 0 && *least == 0 && misfit.progress > b.progress)
                }) {
                    best = Some((strange, misfit));
                }
            }
            let best = best.map(|(_, misfit)| misfit);
            let best = best.unwrap_or(Misfit {
                progress: 0,
                line: first,
                found: "rows of no known shape".to_owned(),
                expected: "a square or a triangle".to_owned(),
            });
            Err(Error::malformed(
                &name,
                best.line,
                best.found,
                best.expected,
            ))
        }
        1 => match matrices.pop() {
            Some((_, matrix)) => matrix.checked(),
            None => Err(Error::malformed(&name, first, "no matrix", "a matrix")),
        },
        _ => Err(Error::malformed(
            &name,
            first,
            format!(
                "rows that can be read as {} and as {}",
                matrices[0].0.describe(),
                matrices[1].0.describe()
            ),
            "a matrix whose counts of numbers leave one reading",
        )),
    }
}

fn has_zero_diagonal(matrix: &Matrix, n: usize) -> bool {
    matrix.values.iter().step_by(n + 1).all(|&x| x == 0.0)
}

/// Equality that takes missing numbers for equal.
fn is_same(a: &Matrix, b: &Matrix) -> bool {
    a.rows == b.rows
        && a.values.len() == b.values.len()
        && a.values
            .iter()
            .zip(&b.values)
            .all(|(x, y)| x.to_bits() == y.to_bits())
}

/// The name that begins a row, and the rest of its line.
fn split_name(line: &[u8], names: Names) -> (&[u8], &[u8]) {
    let end = match names {
        Names::Relaxed => {
            let lead = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
            line[lead..]
                .iter()
                .position(|b| b.is_ascii_whitespace())
                .map_or(line.len(), |end| lead + end)
        }
        Names::Tabbed => line.iter().position(|&b| b == b'\t').unwrap_or(line.len()),
        // Ten characters, not ten bytes: the end of the tenth is where the eleventh begins.
        Names::Strict => line
            .iter()
            .enumerate()
            .filter(|&(_, &b)| b & 0xc0 != 0x80)
            .nth(NAME)
            .map_or(line.len(), |(end, _)| end),
    };
    let (name, rest) = line.split_at(end);
    (name.trim_ascii(), rest)
}

fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace())
        .filter(|token| !token.is_empty())
}

fn row_length(shape: Shape, i: usize, n: usize) -> usize {
    shape.map_or(n, |half| half.length(i, n))
}

/// Counts: whether each row has its numbers and ends with its line.
fn fits(rows: &[(u64, &[u8])], n: usize, reading: Reading) -> Result<(), Misfit> {
    let mut lines = rows.iter();
    let end = rows.last().map_or(0, |r| r.0);
    let mut progress = 0;
    for i in 0..n {
        let Some(&(number, line)) = lines.next() else {
            return Err(Misfit {
                progress,
                line: end,
                found: format!("the end after {}", count(i, "row")),
                expected: format!("{n}, by the first line"),
            });
        };
        let (label, mut rest) = split_name(line, reading.names);
        // Ten columns are columns: a tab has no width.
        if label.is_empty() || (reading.names == Names::Strict && label.contains(&b'\t')) {
            return Err(Misfit {
                progress,
                line: number,
                found: "a row without a name".to_owned(),
                expected: "a name before the distances".to_owned(),
            });
        }
        let wants = row_length(reading.shape, i, n);
        let mut has = 0;
        let mut at = number;
        loop {
            for token in tokens(rest) {
                if matches!(value(token), Value::Text | Value::Infinite) {
                    return Err(Misfit {
                        progress,
                        line: at,
                        found: format!("{} in row {}", quote_bytes(token), quote_bytes(label)),
                        expected: wanted(token).to_owned(),
                    });
                }
                has += 1;
                progress += 1;
            }
            if has >= wants {
                break;
            }
            // Wrapped: the row goes on in the next line.
            match lines.next() {
                // A line that begins with text is the next row: this one is too short.
                Some(&(number, line)) if tokens(line).next().map(value) != Some(Value::Text) => {
                    (at, rest) = (number, line);
                }
                _ => break,
            }
        }
        if has != wants {
            return Err(Misfit {
                progress,
                line: at,
                found: format!("{} in row {}", count(has, "distance"), quote_bytes(label)),
                expected: wants.to_string(),
            });
        }
    }
    match lines.next() {
        None => Ok(()),
        Some(&(number, _)) => Err(Misfit {
            progress,
            line: number,
            found: format!("a line after {}", count(n, "whole row")),
            expected: "the end, by the number on the first line".to_owned(),
        }),
    }
}

/// How many lines do not fit a reading, if no row is wrapped.
fn strangers(rows: &[(u64, &[u8])], n: usize, reading: Reading) -> usize {
    if rows.len() != n {
        return 0;
    }
    rows.iter()
        .enumerate()
        .filter(|&(i, &(_, line))| {
            let (_, rest) = split_name(line, reading.names);
            tokens(rest).count() != row_length(reading.shape, i, n)
        })
        .count()
}

/// The matrix of a reading that fits. `None` if a name is not text.
fn build(rows: &[(u64, &[u8])], n: usize, reading: Reading, name: &str) -> Option<Matrix> {
    let mut labels = Vec::with_capacity(n);
    let mut numbers = Vec::with_capacity(n);
    let mut values = Vec::new();
    let mut lines = rows.iter();
    for i in 0..n {
        let &(number, line) = lines.next()?;
        let (label, mut rest) = split_name(line, reading.names);
        labels.push(std::str::from_utf8(label).ok()?.to_owned());
        numbers.push(number);
        let enough = values.len() + row_length(reading.shape, i, n);
        loop {
            for token in tokens(rest) {
                values.push(match value(token) {
                    Value::Number(x) => x,
                    _ => f64::NAN,
                });
            }
            if values.len() >= enough {
                break;
            }
            rest = lines.next()?.1;
        }
    }
    if let Some(half) = reading.shape {
        half.complete(&mut values, n);
    }
    Some(Matrix {
        rows: labels.clone(),
        columns: labels,
        values,
        lines: numbers,
        labelled: true,
        diagonal_absent: reading.shape.is_some_and(|half| !half.diagonal),
        source: name.to_owned(),
        ..Matrix::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn parse(text: &str) -> Result<Matrix, Error> {
        read(&mut Text::new(Box::new(Cursor::new(text.as_bytes().to_vec())), "f", false).unwrap())
    }

    const SQUARE: [f64; 16] = [
        0.0, 1.0, 2.0, 3.0, 1.0, 0.0, 4.0, 5.0, 2.0, 4.0, 0.0, 6.0, 3.0, 5.0, 6.0, 0.0,
    ];

    /// The same matrix in every shape, with names as they come and rows wrapped or not.
    #[test]
    fn every_shape_wrapping_and_kind_of_name_reads_the_same() {
        let shapes: Vec<Shape> = std::iter::once(None).chain(Half::ALL.map(Some)).collect();
        let named: [(&str, [&str; 4]); 4] = [
            ("short", ["alpha", "b", "c7", "12"]),
            ("strict", ["Homo sapie", "Pan 1", "Gorilla  g", "Pongo"]),
            (
                "long",
                [
                    "Escherichia_coli",
                    "Sequence_number_2",
                    "Sequence_number_3",
                    "x",
                ],
            ),
            (
                "tabbed",
                ["Homo sapiens", "Pan troglodytes", "Gorilla 2", "Pongo"],
            ),
        ];
        for shape in shapes {
            for (kind, names) in named {
                for wrap in [2, 100] {
                    let mut text = String::from("   4\n");
                    for (i, name) in names.iter().enumerate() {
                        text += &match kind {
                            "strict" => format!("{name:<10}"),
                            "tabbed" => format!("{name}\t"),
                            _ => format!("{name} "),
                        };
                        let objects: Vec<usize> = match shape {
                            None => (0..4).collect(),
                            Some(Half {
                                lower: true,
                                diagonal,
                            }) => (0..i + usize::from(diagonal)).collect(),
                            Some(Half {
                                lower: false,
                                diagonal,
                            }) => (i + 1 - usize::from(diagonal)..4).collect(),
                        };
                        for (c, j) in objects.iter().enumerate() {
                            if c > 0 && c % wrap == 0 {
                                text += "\n    ";
                            }
                            text += &format!(" {}", SQUARE[i * 4 + j]);
                        }
                        text += "\n";
                    }
                    let matrix = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
                    assert_eq!(matrix.values, SQUARE, "{text}");
                    assert_eq!(matrix.rows, names, "{text}");
                    assert_eq!(matrix.diagonal_absent, shape.is_some_and(|h| !h.diagonal));
                }
            }
        }
    }

    #[test]
    fn a_file_with_two_readings_is_refused_by_name() {
        // Two objects, one number: which row it belongs to does not change the matrix …
        assert_eq!(parse("2\na\nb 3\n").unwrap().values, [0.0, 3.0, 3.0, 0.0]);
        // … but here the eleventh column may belong to the name or be a distance.
        let error = parse("3\nabcdefghij0 \nabcdefghik1 0\nabcdefghil2 1 0\n").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("f:1: found rows that can be read as"),
            "{error}"
        );
    }

    #[test]
    fn wrong_counts_are_placed() {
        let error = parse("3\na 0 1 2\nb 1 0\nc 2 1 0\n")
            .unwrap_err()
            .to_string();
        assert_eq!(error, "f:3: found 2 distances in row \"b\", expected 3");
        let error = parse("3\na 0 1 2\nb 1 0 2\n").unwrap_err().to_string();
        assert_eq!(
            error,
            "f:1: found 2 lines after the number of objects 3, expected a line for each object"
        );
        let error = parse("2\na 0 1\nb 1 0\nc 1 1\n").unwrap_err().to_string();
        assert_eq!(
            error,
            "f:4: found a line after 2 whole rows, expected the end, by the number on the first line"
        );
        let error = parse("2\na 0 x\nb x 0\n").unwrap_err().to_string();
        assert_eq!(error, "f:2: found \"x\" in row \"a\", expected a number");
        let error = parse("99999999999\na 0\n").unwrap_err().to_string();
        assert!(error.starts_with("f:1: found 1 line after"), "{error}");
        assert!(
            parse("x\n")
                .unwrap_err()
                .to_string()
                .starts_with("f:1: found \"x\"")
        );
    }
}
