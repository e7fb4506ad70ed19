//! Proximities as they stand in a file: labelled rows and columns of numbers.
//!
//! Every reader yields this one value. It is checked for what a format can get wrong (ragged rows,
//! doubled labels, text in a cell); whether missing cells, negative numbers or asymmetry are
//! allowed is for the mathematics to say.

use std::collections::HashMap;

use crate::error::{Error, count, quote};

/// A labelled rectangle of proximities.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// Labels of the rows, each once.
    pub rows: Vec<String>,
    /// Labels of the columns, each once.
    pub columns: Vec<String>,
    /// The numbers row by row; NaN where the file has none.
    pub values: Vec<f64>,
    /// The line each row begins on, counted from one; 0 where the format has no lines.
    pub lines: Vec<u64>,
    /// The line of the column labels; 0 where the format has no lines.
    pub header_line: u64,
    /// False if the file has no labels and rows and columns are known by position only.
    pub labelled: bool,
    /// True if the file has no diagonal, and the zeros there are ours.
    pub diagonal_absent: bool,
    /// The rows of which a file without a whole diagonal has the entry on it, ascending.
    pub beside_themselves: Vec<usize>,
    /// True if rows and columns may change places: a list of pairs does not say which is which.
    pub interchangeable: bool,
    /// What the file is, in words: `a table divided by tabs`.
    pub form: &'static str,
    /// How many pairs of a list over one set of labels it does not have.
    pub unlisted: usize,
    /// What pairs count that the file does not have, if that was said.
    pub of_unlisted: Option<f64>,
    /// What is worth saying about the file.
    pub remarks: Vec<String>,
    /// The file's name, for messages.
    pub source: String,
    /// Name, size and digest of the file, if they were asked for.
    pub provenance: Option<Provenance>,
}

/// Which file the numbers came from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Provenance {
    /// The file's name without its folder.
    pub name: String,
    /// Its length in bytes.
    pub size: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// Labels of an array that has none: `1…n`.
pub(crate) fn positions(n: usize) -> Vec<String> {
    (1..=n).map(|i| i.to_string()).collect()
}

/// Names for newcomers that have none: `new1…newk`, so that they are not taken for the map's objects `1…n`.
pub(crate) fn counted(k: usize) -> Vec<String> {
    (1..=k).map(|i| format!("new{i}")).collect()
}

/// The same where labels only count; those that were given are kept.
pub(crate) fn newcomer_positions(rows: &[String]) -> Vec<String> {
    if rows == positions(rows.len()) {
        counted(rows.len())
    } else {
        rows.to_vec()
    }
}

impl Matrix {
    /// Numbers of rows and of columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.columns.len())
    }

    /// The numbers of one row; empty if there is no such row.
    pub fn row(&self, i: usize) -> &[f64] {
        let m = self.columns.len();
        self.values.get(i * m..(i + 1) * m).unwrap_or(&[])
    }

    /// The line of one row, if the format has lines.
    pub fn line(&self, i: usize) -> Option<u64> {
        self.lines.get(i).copied().filter(|&l| l > 0)
    }

    /// Whether rows and columns carry the same labels in the same order.
    pub fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// Rows and columns exchanged.
    pub(crate) fn transposed(&self) -> Matrix {
        let (k, m) = self.shape();
        let mut values = Vec::with_capacity(k * m);
        for j in 0..m {
            values.extend((0..k).map(|i| self.values[i * m + j]));
        }
        Matrix {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            values,
            lines: vec![0; m],
            header_line: 0,
            labelled: self.labelled,
            diagonal_absent: self.diagonal_absent,
            beside_themselves: self.beside_themselves.clone(),
            interchangeable: self.interchangeable,
            form: self.form,
            unlisted: self.unlisted,
            of_unlisted: self.of_unlisted,
            remarks: self.remarks.clone(),
            source: self.source.clone(),
            provenance: self.provenance.clone(),
        }
    }

    /// Refuses labels that occur twice or are no text, and tables without rows or columns.
    ///
    /// # Errors
    /// If there are any, with the label and both places.
    pub fn checked(self) -> Result<Matrix, Error> {
        let (k, m) = self.shape();
        if k == 0 || m == 0 {
            return Err(Error::malformed(
                &self.source,
                None,
                format!("{} and {}", count(k, "row"), count(m, "column")),
                "a labelled table of proximities",
            ));
        }
        refuse_unwritable(&self.rows, "row", |i| self.line(i), &self.source)?;
        refuse_unwritable(
            &self.columns,
            "column",
            |_| Some(self.header_line),
            &self.source,
        )?;
        if let Some((first, second)) = doubled(&self.rows) {
            let place = match (self.line(first), self.line(second)) {
                (Some(a), Some(b)) => format!("(lines {a} and {b})"),
                _ => format!("(rows {} and {})", first + 1, second + 1),
            };
            return Err(Error::malformed(
                &self.source,
                self.line(second),
                format!("the row label {} twice {place}", quote(&self.rows[second])),
                "each label once",
            ));
        }
        if let Some((first, second)) = doubled(&self.columns) {
            return Err(Error::malformed(
                &self.source,
                self.header_line,
                format!(
                    "the column label {} twice (columns {} and {})",
                    quote(&self.columns[second]),
                    first + 1,
                    second + 1
                ),
                "each label once",
            ));
        }
        Ok(self)
    }
}

/// The first label that occurs twice: where it was, and where it is again.
pub(crate) fn doubled(labels: &[String]) -> Option<(usize, usize)> {
    let mut seen = HashMap::with_capacity(labels.len());
    labels
        .iter()
        .enumerate()
        .find_map(|(i, label)| seen.insert(label.as_str(), i).map(|first| (first, i)))
}

/// Refuses labels that no table of text can have: empty ones, and those with a NUL, which would make it a binary file.
pub(crate) fn refuse_unwritable(
    labels: &[String],
    of: &str,
    line: impl Fn(usize) -> Option<u64>,
    source: &str,
) -> Result<(), Error> {
    let unwritable = |label: &String| label.is_empty() || label.contains('\0');
    let Some(at) = labels.iter().position(unwritable) else {
        return Ok(());
    };
    let (found, expected) = if labels[at].is_empty() {
        (
            format!("no label for {of} {}", at + 1),
            format!("a label for each {of}"),
        )
    } else {
        (
            format!("a NUL in the label {}", quote(&labels[at])),
            "labels of text".to_owned(),
        )
    };
    Err(Error::malformed(source, line(at), found, expected))
}

/// Where each label stands.
pub(crate) fn places(labels: &[String]) -> HashMap<&str, usize> {
    labels
        .iter()
        .enumerate()
        .map(|(i, label)| (label.as_str(), i))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_doubled_row_names_the_label_and_both_lines() {
        let matrix = Matrix {
            rows: labels("a b a"),
            columns: labels("x"),
            values: vec![0.0; 3],
            lines: vec![2, 3, 5],
            source: "f".into(),
            ..Matrix::default()
        };
        assert_eq!(
            matrix.checked().unwrap_err().to_string(),
            "f:5: found the row label \"a\" twice (lines 2 and 5), expected each label once"
        );
    }

    #[test]
    fn no_label_and_a_nul_in_one_are_refused_with_their_line() {
        let right = Matrix {
            rows: labels("a b"),
            columns: labels("x y"),
            values: vec![0.0; 4],
            lines: vec![2, 5],
            header_line: 1,
            source: "f".into(),
            ..Matrix::default()
        };
        assert!(right.clone().checked().is_ok());
        for (row, column, message) in [
            (
                "b\0",
                "y",
                "f:5: found a NUL in the label \"b\\u{0}\", expected labels of text",
            ),
            (
                "b",
                "\0y",
                "f:1: found a NUL in the label \"\\u{0}y\", expected labels of text",
            ),
            (
                "",
                "y",
                "f:5: found no label for row 2, expected a label for each row",
            ),
            (
                "b",
                "",
                "f:1: found no label for column 2, expected a label for each column",
            ),
        ] {
            let mut wrong = right.clone();
            (wrong.rows[1], wrong.columns[1]) = (row.to_owned(), column.to_owned());
            assert_eq!(wrong.checked().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let matrix = Matrix {
            rows: labels("a b"),
            columns: labels("x y z"),
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            lines: vec![0, 0],
            ..Matrix::default()
        };
        assert_eq!(matrix.transposed().values, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let back = matrix.transposed().transposed();
        assert_eq!(
            (back.rows, back.columns, back.values),
            (matrix.rows, matrix.columns, matrix.values)
        );
    }
}
