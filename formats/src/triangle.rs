//! What labelled rows mean together: a rectangle, or a triangle to be completed.
//!
//! A symmetric matrix is often written as its lower or upper half, with or without the diagonal,
//! with or without a header, the other half left out or left empty; R prints a `dist` without its
//! first row and last column. Which it is, the labels and the lengths of the rows say. A missing
//! diagonal is filled with zeros, and [`Matrix::diagonal_absent`] says so.

use crate::cell::{Value, is_numeric, value};
use crate::error::{Error, count, quote};
use crate::header::Header;
use crate::matrix::Matrix;

/// Rows as they stand, of any lengths.
#[derive(Default)]
pub(crate) struct Rows {
    pub labels: Vec<String>,
    pub lines: Vec<u64>,
    /// How many values each row has.
    pub lengths: Vec<usize>,
    pub values: Vec<f64>,
    /// The first cell with each decimal mark, where both may be met.
    pub marks: Box<Marks>,
}

/// A cell with a decimal mark: its line, its column counted from one after the label, and its text.
pub(crate) type Marked = (u64, usize, String);

/// The first cells with a decimal point and with a decimal comma.
#[derive(Default)]
pub(crate) struct Marks {
    pub point: Option<Marked>,
    pub comma: Option<Marked>,
}

impl Marks {
    /// Those of the lines after, which begin `lines` further on.
    pub(crate) fn append(&mut self, after: Marks, lines: u64) {
        let moved = |(line, column, text): Marked| (line + lines, column, text);
        self.point = self.point.take().or(after.point.map(moved));
        self.comma = self.comma.take().or(after.comma.map(moved));
    }

    /// Refuses a file that has both: `1.200` beside `2,5` is 1200, and nobody can tell for `1.5`.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        let (Some(point), Some(comma)) = (&self.point, &self.comma) else {
            return Ok(());
        };
        let (first, second) = if point < comma {
            (point, comma)
        } else {
            (comma, point)
        };
        Err(Error::malformed(
            name,
            second.0,
            format!(
                "{} beside {} on line {}",
                quote(&second.2),
                quote(&first.2),
                first.0
            ),
            "one decimal mark in one file, and no thousands separators",
        ))
    }
}

impl Rows {
    /// The table that they are, if its columns have nothing to do with its rows.
    pub(crate) fn into_rectangle(self, columns: Vec<String>, header: u64, name: &str) -> Matrix {
        Matrix {
            rows: self.labels,
            columns,
            values: self.values,
            lines: self.lines,
            header_line: header,
            labelled: true,
            source: name.to_owned(),
            ..Matrix::default()
        }
    }
}

/// One way to write half of a symmetric matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Half {
    pub lower: bool,
    pub diagonal: bool,
}

impl Half {
    pub(crate) const ALL: [Half; 4] = [
        Half {
            lower: true,
            diagonal: true,
        },
        Half {
            lower: true,
            diagonal: false,
        },
        Half {
            lower: false,
            diagonal: true,
        },
        Half {
            lower: false,
            diagonal: false,
        },
    ];

    /// How many of its n proximities an object's row holds.
    pub(crate) fn length(self, object: usize, n: usize) -> usize {
        let beside = if self.lower { object } else { n - 1 - object };
        beside + usize::from(self.diagonal)
    }

    /// The first object of an object's row.
    fn first(self, object: usize) -> usize {
        match self {
            Half { lower: true, .. } => 0,
            Half { diagonal: true, .. } => object,
            Half { .. } => object + 1,
        }
    }

    /// Spreads the rows of a half, one after the other, into a whole symmetric square, in place.
    /// `values` must hold exactly the half's numbers.
    pub(crate) fn complete(self, values: &mut Vec<f64>, n: usize) {
        let mut end = values.len();
        values.resize(n * n, 0.0);
        // From the last row on: a row's place in the square is never before its place in the half.
        for object in (0..n).rev() {
            let length = self.length(object, n);
            let begin = end - length;
            let target = object * n + self.first(object);
            values.copy_within(begin..end, target);
            end = begin;
        }
        for i in 0..n {
            if !self.diagonal {
                values[i * n + i] = 0.0;
            }
            for j in 0..i {
                if self.lower {
                    values[j * n + i] = values[i * n + j];
                } else {
                    values[i * n + j] = values[j * n + i];
                }
            }
        }
    }
}

/// How the objects of a half are spread over labelled rows and columns.
struct Layout {
    labels: Vec<String>,
    /// The object of the first row, and of the first column.
    row: usize,
    column: usize,
    half: Half,
}

/// The matrix that a header and its rows stand for.
pub(crate) fn assemble(header: Header, rows: Rows, name: &str) -> Result<Matrix, Error> {
    let cornered = header.cells.first().is_some_and(String::is_empty);
    let width = header.cells.len();
    // As many labels as rows, the same ones, and a number less in each row: R's `print(d, upper = TRUE)`, whose diagonal is blank.
    if width > 1 && rows.labels == header.cells && rows.lengths.iter().all(|&l| l + 1 == width) {
        return Ok(without_diagonal(header, rows, name));
    }
    if let Some(padded) = headerless_padded(&header, &rows, name) {
        return Ok(padded);
    }
    // A nonempty first cell is the corner's name, or the first label of a header without a corner.
    let corners: &[usize] = if cornered { &[1] } else { &[0, 1] };
    for &corner in corners {
        let columns = &header.cells[corner..];
        if rows.lengths.iter().all(|&l| l == columns.len()) && !columns.is_empty() {
            let columns = columns.to_vec();
            let padded = layouts(&rows.labels, &columns)
                .into_iter()
                .find(|layout| is_padded(layout, &rows, columns.len()));
            return Ok(match padded {
                Some(layout) => unpadded(layout, rows, header.line, name),
                None => rectangle(columns, rows, header.line, name),
            });
        }
    }
    for &corner in corners {
        let layout = layouts(&rows.labels, &header.cells[corner..])
            .into_iter()
            .find(|layout| is_ragged(layout, &rows.lengths));
        if let Some(layout) = layout {
            return Ok(completed(layout, rows, header.line, name));
        }
    }
    let expected = match rows.lengths.first() {
        Some(&l) if !cornered && l == width => width,
        _ => width - 1,
    };
    let place = header.line;
    headerless(header, rows, name).map_err(|rows| {
        let wrong = rows
            .lengths
            .iter()
            .position(|&l| l != expected)
            .unwrap_or(0);
        let length = rows.lengths.get(wrong).copied().unwrap_or(0);
        let label = rows.labels.get(wrong).map_or("", String::as_str);
        Error::malformed(
            name,
            rows.lines.get(wrong).copied(),
            format!("{} in row {}", count(length, "value"), quote(label)),
            format!("{expected}, one for each label of the header on line {place}"),
        )
    })
}

/// The ways in which these labels could be those of a half.
fn layouts(rows: &[String], columns: &[String]) -> Vec<Layout> {
    let (k, m) = (rows.len(), columns.len());
    let mut found = Vec::new();
    let mut add = |labels: Vec<String>, row, column, half| {
        found.push(Layout {
            labels,
            row,
            column,
            half,
        });
    };
    let (lower, upper) = (
        Half {
            lower: true,
            diagonal: false,
        },
        Half {
            lower: false,
            diagonal: false,
        },
    );
    if rows == columns && k > 1 {
        for half in Half::ALL {
            add(rows.to_vec(), 0, 0, half);
        }
    } else if m == k + 1 && rows == &columns[1..] {
        // The first row of a lower half is empty, and left out.
        add(columns.to_vec(), 1, 0, lower);
    } else if m == k + 1 && rows == &columns[..k] {
        add(columns.to_vec(), 0, 0, upper);
    } else if k == m && k > 1 && rows[..k - 1] == columns[1..] {
        // So is its last column.
        let mut labels = columns.to_vec();
        labels.extend(rows.last().cloned());
        add(labels, 1, 0, lower);
    } else if k == m && k > 1 && rows[1..] == columns[..k - 1] {
        let mut labels = rows[..1].to_vec();
        labels.extend_from_slice(columns);
        add(labels, 0, 1, upper);
    }
    found
}

/// Whether the rows are just as long as the half asks.
fn is_ragged(layout: &Layout, lengths: &[usize]) -> bool {
    let n = layout.labels.len();
    lengths
        .iter()
        .enumerate()
        .all(|(i, &l)| l == layout.half.length(i + layout.row, n))
}

/// Whether rows of full length hold numbers in the half, all of it, and nothing elsewhere.
fn is_padded(layout: &Layout, rows: &Rows, width: usize) -> bool {
    let n = layout.labels.len();
    rows.values.chunks(width).enumerate().all(|(i, row)| {
        let object = i + layout.row;
        let first = layout.half.first(object);
        let held = first..first + layout.half.length(object, n);
        row.iter()
            .enumerate()
            .all(|(j, x)| x.is_nan() != held.contains(&(j + layout.column)))
    })
}

fn unpadded(layout: Layout, mut rows: Rows, header: u64, name: &str) -> Matrix {
    rows.values.retain(|x| !x.is_nan());
    completed(layout, rows, header, name)
}

fn rectangle(columns: Vec<String>, mut rows: Rows, header: u64, name: &str) -> Matrix {
    let n = columns.len();
    // A square whose diagonal alone is empty.
    let diagonal_absent =
        n > 1 && rows.labels == columns && rows.values.iter().step_by(n + 1).all(|x| x.is_nan());
    if diagonal_absent {
        rows.values.iter_mut().step_by(n + 1).for_each(|x| *x = 0.0);
    }
    Matrix {
        diagonal_absent,
        ..rows.into_rectangle(columns, header, name)
    }
}

/// A square of which only the diagonal was left out.
fn without_diagonal(header: Header, mut rows: Rows, name: &str) -> Matrix {
    let n = header.cells.len();
    let mut values = Vec::with_capacity(n * n);
    for (i, row) in rows.values.chunks_exact(n - 1).enumerate() {
        values.extend_from_slice(&row[..i]);
        values.push(0.0);
        values.extend_from_slice(&row[i..]);
    }
    rows.values = values;
    Matrix {
        diagonal_absent: true,
        ..rows.into_rectangle(header.cells, header.line, name)
    }
}

fn completed(layout: Layout, rows: Rows, header: u64, name: &str) -> Matrix {
    let n = layout.labels.len();
    let mut values = rows.values;
    layout.half.complete(&mut values, n);
    // A row that was left out has no line of its own.
    let mut lines = vec![0; n];
    for (line, &given) in lines.iter_mut().skip(layout.row).zip(&rows.lines) {
        *line = given;
    }
    Matrix {
        rows: layout.labels.clone(),
        columns: layout.labels,
        values,
        lines,
        header_line: header,
        labelled: true,
        diagonal_absent: !layout.half.diagonal,
        source: name.to_owned(),
        ..Matrix::default()
    }
}

/// The label and the numbers of a first line that is a row like the others.
fn first_row(header: &Header) -> Option<(&String, Vec<f64>)> {
    let (label, numbers) = header.cells.split_first()?;
    let number = |cell: &String| match value(cell.as_bytes()) {
        Value::Number(x) => Some(x),
        Value::Missing => Some(f64::NAN),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = numbers.iter().map(number).collect();
    // Two objects could as well be a header of one column and a row.
    let label = Some(label).filter(|l| !l.is_empty() && !is_numeric(l.as_bytes()));
    Some((label?, numbers?))
}

/// All rows of a table whose first line is one of them.
fn with_first_row(header: &Header, label: &str, mut values: Vec<f64>, rows: &Rows) -> Rows {
    let mut lengths = vec![values.len()];
    lengths.extend(&rows.lengths);
    values.extend_from_slice(&rows.values);
    let mut labels = vec![label.to_owned()];
    labels.extend_from_slice(&rows.labels);
    let mut lines = vec![header.line];
    lines.extend_from_slice(&rows.lines);
    Rows {
        labels,
        lines,
        lengths,
        values,
        marks: Box::default(),
    }
}

/// A triangle whose first line is a row like the others, the other half left empty: rows of full length.
fn headerless_padded(header: &Header, rows: &Rows, name: &str) -> Option<Matrix> {
    let n = rows.labels.len() + 1;
    if n < 3 || header.cells.len() != n + 1 || rows.lengths.iter().any(|&l| l != n) {
        return None;
    }
    let (label, first) = first_row(header)?;
    let all = with_first_row(header, label, first, rows);
    let layouts = Half::ALL.map(|half| Layout {
        labels: all.labels.clone(),
        row: 0,
        column: 0,
        half,
    });
    let layout = layouts.into_iter().find(|l| is_padded(l, &all, n))?;
    Some(unpadded(layout, all, header.line, name))
}

/// A triangle whose first line is a row like the others. Gives the rows back if it is not one.
fn headerless(header: Header, rows: Rows, name: &str) -> Result<Matrix, Rows> {
    let n = rows.labels.len() + 1;
    let Some((label, first)) = first_row(&header).filter(|_| n > 2) else {
        return Err(rows);
    };
    let all = with_first_row(&header, label, first, &rows);
    let layouts = Half::ALL.map(|half| Layout {
        labels: all.labels.clone(),
        row: 0,
        column: 0,
        half,
    });
    let Some(layout) = layouts.into_iter().find(|l| is_ragged(l, &all.lengths)) else {
        return Err(rows);
    };
    Ok(completed(layout, all, header.line, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_completes_to_the_same_square() {
        let n = 5;
        let full = |i: usize, j: usize| (i.min(j) * 10 + i.max(j)) as f64;
        for half in Half::ALL {
            let mut values = Vec::new();
            for i in 0..n {
                for j in half.first(i)..half.first(i) + half.length(i, n) {
                    values.push(full(i, j));
                }
            }
            half.complete(&mut values, n);
            for i in 0..n {
                for j in 0..n {
                    let expected = if i == j && !half.diagonal {
                        0.0
                    } else {
                        full(i, j)
                    };
                    assert_eq!(values[i * n + j], expected, "{half:?} {i} {j}");
                }
            }
        }
    }
}
