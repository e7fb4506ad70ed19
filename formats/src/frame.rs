//! The output table.
//!
//! A [`Frame`] is columns of equal length, whatever format they are written in ([`crate::write`]); [`Slices`] are one that is made a
//! few rows at a time.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use crate::matrix::Matrix;

/// One column of an output table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Labels and words; empty is an empty cell.
    Text(Vec<String>),
    /// Numbers; NaN is an empty cell.
    Number(Vec<f64>),
    /// Yes, no, or an empty cell.
    Flag(Vec<Option<bool>>),
    /// Whole numbers.
    Count(Vec<u64>),
    /// Sentences, any number of them.
    List(Vec<Vec<String>>),
    /// Matrices of so many rows and columns, one after the other, each row by row; NaN is no number. Text has no cells for them.
    Square(usize, Vec<f64>),
    /// What is said of all rows together, on each of so many: for JSON only.
    Whole(serde_json::Value, usize),
}

impl Column {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Text(v) => v.len(),
            Column::Number(v) => v.len(),
            Column::Flag(v) => v.len(),
            Column::Count(v) => v.len(),
            Column::List(v) => v.len(),
            Column::Square(size, v) => v.len() / (size * size).max(1),
            Column::Whole(_, count) => *count,
        }
    }

    /// Whether it holds sentences, or what is said of all rows together: cells of a table are no place for them.
    pub fn is_for_json(&self) -> bool {
        matches!(self, Column::List(_) | Column::Whole(..))
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An output table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Names and columns, all of one length.
    pub columns: Vec<(String, Column)>,
    /// The eigenvalues of the axes, for `ordination`.
    pub eigenvalues: Vec<f64>,
    /// The share of the variance that each axis explains, for `ordination`.
    pub proportions: Vec<f64>,
    /// Variables and their scores on the axes, for `ordination`: what Emperor draws as the arrows of a biplot.
    pub variables: Vec<(String, Vec<f64>)>,
}

impl Frame {
    /// A frame of labelled proximities, its first header cell empty as `lsmat` has it.
    pub fn of_matrix(matrix: &Matrix) -> Frame {
        let m = matrix.columns.len();
        let mut columns = vec![(String::new(), Column::Text(matrix.rows.clone()))];
        for (j, label) in matrix.columns.iter().enumerate() {
            let column = matrix.values.iter().skip(j).step_by(m).copied().collect();
            columns.push((label.clone(), Column::Number(column)));
        }
        Frame {
            columns,
            ..Frame::default()
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, c)| c.len())
    }

    /// The coordinates: columns `axis1`, `axis2`, …, or all numbers if there are none of that name.
    pub(crate) fn axes(&self) -> Vec<&[f64]> {
        let numbers = |all: bool| -> Vec<&[f64]> {
            self.columns
                .iter()
                .filter_map(|(name, column)| match column {
                    Column::Number(v) if all || is_axis(name) => Some(&v[..]),
                    _ => None,
                })
                .collect()
        };
        let axes = numbers(false);
        if axes.is_empty() { numbers(true) } else { axes }
    }

    /// The labels: the first column of text.
    pub(crate) fn labels(&self) -> &[String] {
        self.columns
            .iter()
            .find_map(|(_, column)| match column {
                Column::Text(v) => Some(&v[..]),
                _ => None,
            })
            .unwrap_or(&[])
    }
}

/// Rows of a table that are made at a time, where it is made as it is written.
const SLICE: usize = 1 << 14;

/// A table that is made some rows at a time, as it is written: whole, it may be larger than all that it is made from.
pub struct Slices<'a> {
    rows: usize,
    step: usize,
    of: &'a dyn Fn(Range<usize>) -> Cow<'a, Frame>,
}

impl<'a> Slices<'a> {
    /// So many rows, of which `of` makes those in a range. Each slice has the same columns, and says the same of the axes.
    pub fn new(rows: usize, of: &'a dyn Fn(Range<usize>) -> Cow<'a, Frame>) -> Self {
        let step = SLICE;
        Self { rows, step, of }
    }

    /// A table of so many rows that is there already: `of` gives it whole.
    pub fn whole(rows: usize, of: &'a dyn Fn(Range<usize>) -> Cow<'a, Frame>) -> Self {
        let step = rows.max(1);
        Self { rows, step, of }
    }

    /// The number of rows of all slices together.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Hands over one slice after the other, the first even if it has no rows.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(&Frame, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut first = 0;
        loop {
            let end = self.rows.min(first + self.step);
            let frame = (self.of)(first..end);
            if frame.columns.iter().any(|(_, c)| c.len() != end - first) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "columns of different lengths",
                ));
            }
            take(&frame, first)?;
            first = end;
            if first >= self.rows {
                return Ok(());
            }
        }
    }
}

/// Whether a column's name is `axis` and a number.
pub(crate) fn is_axis(name: &str) -> bool {
    axis_number(name).is_some()
}

/// The number of the axis that a column is called by.
pub(crate) fn axis_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix("axis")?;
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| number.parse().unwrap_or(usize::MAX))
}
