//! The numbers of features: row by row in either precision, or only those that are not 0.
//!
//! Numbers of single precision stay so and are widened, exactly, a few rows at a time; so do rows that are mostly zeros
//! stay what they are. Whatever is computed from them is the same, bit for bit, as from doubles row by row.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::{About, Error};

/// n × q numbers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Row by row.
    Doubles(Vec<f64>),
    /// The same in single precision.
    Singles(Vec<f32>),
    /// Only those that are not 0.
    Sparse(SparseRows),
}

/// Rows by their numbers that are not 0, and the columns these are in: *compressed sparse rows*.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseRows {
    /// Where each row begins in the other two, and where the last ends.
    starts: Vec<usize>,
    /// Ascending within a row.
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRows {
    /// Rows of `width` columns. `starts` has where each row begins among `columns` and `values`, and where the last ends.
    /// Columns may come in any order within their row, and zeros may be written; none may be there twice.
    pub fn new(
        starts: Vec<usize>,
        mut columns: Vec<u32>,
        mut values: Vec<f64>,
        width: usize,
    ) -> Result<Self, Error> {
        let sound = starts.first() == Some(&0)
            && starts.is_sorted()
            && starts.last() == Some(&columns.len())
            && columns.len() == values.len();
        if !sound {
            return Err(Error::Length {
                about: About::Objects,
                what: "stored numbers of sparse features",
                found: values.len(),
                expected: starts.last().copied().unwrap_or(0),
            });
        }
        let wrong = |found: String| Error::FeatureName {
            found,
            expected: format!("each of {width} columns at most once in a row"),
        };
        for (i, range) in starts.windows(2).enumerate() {
            let (columns, values) = (
                &mut columns[range[0]..range[1]],
                &mut values[range[0]..range[1]],
            );
            if !columns.is_sorted() {
                let mut order: Vec<usize> = (0..columns.len()).collect();
                order.sort_by_key(|&j| columns[j]);
                let sorted: Vec<(u32, f64)> =
                    order.iter().map(|&j| (columns[j], values[j])).collect();
                for (j, (column, value)) in sorted.into_iter().enumerate() {
                    (columns[j], values[j]) = (column, value);
                }
            }
            if let Some(twice) = columns.windows(2).find(|two| two[0] == two[1]) {
                return Err(wrong(format!("column {} twice in row {i}", twice[0])));
            }
            if let Some(last) = columns.last().filter(|last| **last as usize >= width) {
                return Err(wrong(format!("column {last} in row {i}")));
            }
        }
        let mut rows = Self {
            starts,
            columns,
            values,
        };
        if rows.values.contains(&0.0) {
            rows = rows.without_zeros();
        }
        Ok(rows)
    }

    fn without_zeros(&self) -> Self {
        let mut rows = Self::default();
        rows.starts.push(0);
        for i in 0..self.count() {
            let (columns, values) = self.row(i);
            let stored = columns.iter().zip(values).filter(|(_, v)| **v != 0.0);
            rows.push(stored.map(|(c, v)| (*c, *v)));
        }
        rows
    }

    fn push(&mut self, row: impl Iterator<Item = (u32, f64)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// Those of `width` numbers each, row by row.
    pub(crate) fn of_dense(values: &[f64], width: usize) -> Self {
        let mut rows = Self::default();
        rows.starts.push(0);
        for row in values.chunks_exact(width) {
            let stored = (0..).zip(row).filter(|(_, v)| **v != 0.0);
            rows.push(stored.map(|(c, v)| (c, *v)));
        }
        rows
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where each row begins, and where the last ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of the stored numbers.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The stored numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The columns and numbers of row `i`.
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The same, its numbers to be changed into others that are not 0.
    pub(crate) fn row_mut(&mut self, i: usize) -> (&[u32], &mut [f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &mut self.values[range])
    }

    fn select(&self, rows: &[usize]) -> Self {
        let mut some = Self::default();
        some.starts.push(0);
        for &i in rows {
            let (columns, values) = self.row(i);
            some.push(columns.iter().copied().zip(values.iter().copied()));
        }
        some
    }

    /// The same with column `order[j]` in the place of column j.
    fn ordered(&self, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        for (j, &from) in (0..).zip(order) {
            place[from] = j;
        }
        let mut rows = self.clone();
        rows.columns
            .iter_mut()
            .for_each(|c| *c = place[*c as usize]);
        for i in 0..rows.count() {
            let range = rows.starts[i]..rows.starts[i + 1];
            let mut row: Vec<(u32, f64)> = (rows.columns[range.clone()].iter().copied())
                .zip(rows.values[range.clone()].iter().copied())
                .collect();
            row.sort_by_key(|(c, _)| *c);
            for (at, (c, v)) in range.zip(row) {
                (rows.columns[at], rows.values[at]) = (c, v);
            }
        }
        rows
    }
}

impl Values {
    /// How many rows of `width` numbers there are; none if they are not whole rows.
    pub(crate) fn rows(&self, width: usize) -> Option<usize> {
        let whole = |length: usize| length.is_multiple_of(width).then_some(length / width);
        match self {
            Values::Doubles(values) => whole(values.len()),
            Values::Singles(values) => whole(values.len()),
            Values::Sparse(rows) => Some(rows.count()),
        }
    }

    /// The first number that `admits` does not admit, with its row and column; a 0 that is not stored is asked about once.
    pub(crate) fn first_not(
        &self,
        width: usize,
        admits: impl Fn(f64) -> bool,
    ) -> Option<(usize, usize, f64)> {
        let dense = |at: usize, found: f64| (at / width, at % width, found);
        match self {
            Values::Doubles(values) => {
                let at = values.iter().position(|v| !admits(*v))?;
                Some(dense(at, values[at]))
            }
            Values::Singles(values) => {
                let at = values.iter().position(|v| !admits((*v).into()))?;
                Some(dense(at, values[at].into()))
            }
            Values::Sparse(rows) => {
                let empty = !admits(0.0);
                (0..rows.count()).find_map(|i| {
                    let (columns, values) = rows.row(i);
                    let stored = columns.iter().zip(values).find(|(_, v)| !admits(**v));
                    let mut all = 0..if empty { width as u32 } else { 0 };
                    let hole = all.find(|j| columns.binary_search(j).is_err());
                    let stored = stored.map(|(c, v)| (*c, *v));
                    let first = stored.into_iter().chain(hole.map(|j| (j, 0.0)));
                    let (column, found) = first.min_by_key(|(c, _)| *c)?;
                    Some((i, column as usize, found))
                })
            }
        }
    }

    /// Some rows, row by row in double precision.
    pub(crate) fn doubles(&self, width: usize, range: Range<usize>) -> Cow<'_, [f64]> {
        let dense = range.start * width..range.end * width;
        match self {
            Values::Doubles(values) => Cow::Borrowed(&values[dense]),
            Values::Singles(values) => {
                Cow::Owned(values[dense].iter().map(|v| f64::from(*v)).collect())
            }
            Values::Sparse(rows) => {
                let mut all = vec![0.0; dense.len()];
                for (i, line) in range.zip(all.chunks_exact_mut(width)) {
                    let (columns, values) = rows.row(i);
                    for (column, value) in columns.iter().zip(values) {
                        line[*column as usize] = *value;
                    }
                }
                Cow::Owned(all)
            }
        }
    }

    /// Some rows, in the given order.
    pub(crate) fn select(&self, width: usize, rows: &[usize]) -> Self {
        let dense = rows.iter().map(|&i| i * width..(i + 1) * width);
        match self {
            Values::Doubles(values) => {
                Values::Doubles(dense.flat_map(|row| values[row].iter().copied()).collect())
            }
            Values::Singles(values) => {
                Values::Singles(dense.flat_map(|row| values[row].iter().copied()).collect())
            }
            Values::Sparse(all) => Values::Sparse(all.select(rows)),
        }
    }

    /// The same with column `order[j]` in the place of column j.
    pub(crate) fn ordered(&self, order: &[usize]) -> Self {
        fn dense<T: Copy>(values: &[T], order: &[usize]) -> Vec<T> {
            let rows = values.chunks_exact(order.len());
            rows.flat_map(|row| order.iter().map(|&j| row[j])).collect()
        }
        match self {
            Values::Doubles(values) => Values::Doubles(dense(values, order)),
            Values::Singles(values) => Values::Singles(dense(values, order)),
            Values::Sparse(rows) => Values::Sparse(rows.ordered(order)),
        }
    }

    /// Puts the rows of `others` after these, as these are stored.
    pub(crate) fn append(&mut self, others: &Self, width: usize) {
        let count = others.rows(width).unwrap_or(0);
        match (&mut *self, others) {
            (Values::Doubles(values), _) => {
                values.extend_from_slice(&others.doubles(width, 0..count));
            }
            (Values::Singles(values), Values::Singles(more)) => values.extend_from_slice(more),
            (Values::Singles(values), _) => {
                // What is not of single precision may not become so.
                let mut all: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
                all.extend_from_slice(&others.doubles(width, 0..count));
                *self = Values::Doubles(all);
            }
            (Values::Sparse(rows), _) => {
                let more = match others {
                    Values::Sparse(more) => Cow::Borrowed(more),
                    _ => {
                        let dense = others.doubles(width, 0..count);
                        Cow::Owned(SparseRows::of_dense(&dense, width))
                    }
                };
                for i in 0..more.count() {
                    let (columns, values) = more.row(i);
                    rows.push(columns.iter().copied().zip(values.iter().copied()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(starts: &[usize], columns: &[u32], values: &[f64]) -> Result<SparseRows, Error> {
        SparseRows::new(starts.to_vec(), columns.to_vec(), values.to_vec(), 4)
    }

    /// Rows come sorted and without zeros, and are the dense ones in every order and selection.
    #[test]
    fn sparse_rows_are_the_dense_ones() {
        let dense = [0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 6.0, 0.0];
        let rows = sparse(&[0, 2, 2, 5], &[3, 1, 2, 1, 0], &[1.0, 2.0, 6.0, 0.0, 5.0]).unwrap();
        assert_eq!(rows, SparseRows::of_dense(&dense, 4));
        let (stored, plain) = (Values::Sparse(rows), Values::Doubles(dense.to_vec()));
        assert_eq!(stored.doubles(4, 0..3)[..], dense[..]);
        assert_eq!(stored.doubles(4, 1..3)[..], dense[4..]);
        let order = [2, 0, 3, 1];
        for (a, b) in [
            (stored.ordered(&order), plain.ordered(&order)),
            (stored.select(4, &[2, 0, 2]), plain.select(4, &[2, 0, 2])),
        ] {
            let count = b.rows(4).unwrap();
            assert_eq!(a.doubles(4, 0..count), b.doubles(4, 0..count));
        }
        let mut both = stored.clone();
        both.append(&plain, 4);
        assert_eq!(both.doubles(4, 3..6)[..], dense[..]);
        // In row 0 the first 0 is in column 0, and the first 1 in column 3.
        for (admits, at) in [
            ((|v| v != 0.0) as fn(f64) -> bool, (0, 0, 0.0)),
            (|v| v != 1.0, (0, 3, 1.0)),
            (|v| v < 5.0, (2, 0, 5.0)),
        ] {
            assert_eq!(stored.first_not(4, admits), Some(at));
            assert_eq!(plain.first_not(4, admits), Some(at));
        }
    }

    /// Single precision is widened exactly, and given up where it would lose digits.
    #[test]
    fn singles_stay_singles() {
        let mut singles = Values::Singles(vec![0.1, 0.2]);
        singles.append(&Values::Singles(vec![0.3, 0.4]), 2);
        assert!(matches!(&singles, Values::Singles(v) if v.len() == 4));
        assert_eq!(singles.doubles(2, 1..2)[0], f64::from(0.3f32));
        singles.append(&Values::Doubles(vec![0.5, 0.1]), 2);
        assert_eq!(singles.doubles(2, 2..3)[1], 0.1);
    }

    /// What is no matrix is refused.
    #[test]
    fn rows_that_do_not_fit_are_refused() {
        let message = |r: Result<SparseRows, Error>| r.unwrap_err().to_string();
        assert!(message(sparse(&[0, 3], &[0, 1], &[1.0, 2.0])).contains("expected 3"));
        assert!(message(sparse(&[0, 2], &[1, 1], &[1.0, 2.0])).contains("column 1 twice in row 0"));
        assert!(message(sparse(&[0, 0, 1], &[4], &[1.0])).contains("column 4 in row 1"));
        assert!(sparse(&[1, 2], &[0, 1], &[1.0, 2.0]).is_err());
        assert!(sparse(&[0, 2, 1], &[0], &[1.0]).is_err());
    }
}
