//! Labelled tables and lists, by the same rules as files: which row, column or number is which object's.
//!
//! Only what comes in another order than the map is copied, and only here.

use adjoin_formats::{Matrix, Numbers};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::answer;
use crate::error::file;
use crate::view::Entries;

/// A table, as a dictionary; without labels rows or columns are known by position.
#[derive(FromPyObject)]
pub struct Sheet {
    #[pyo3(item)]
    pub values: Entries,
    #[pyo3(item)]
    pub rows: Option<Vec<String>>,
    #[pyo3(item)]
    pub columns: Option<Vec<String>>,
}

impl Sheet {
    /// The same as if read from a file called `argument`; a side without labels is numbered as newcomers are.
    pub fn matrix(self, argument: &str) -> PyResult<Matrix> {
        let (rows, columns) = self.values.shape();
        let matrix = Matrix {
            values: self.values.row_by_row(),
            rows: self.rows.unwrap_or_else(|| numbered(rows)),
            columns: self.columns.unwrap_or_else(|| numbered(columns)),
            labelled: true,
            source: argument.to_owned(),
            ..Matrix::default()
        };
        matrix.checked().map_err(file)
    }
}

/// Names for newcomers that have none.
pub fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("new{i}")).collect()
}

/// Numbers by label or by position, as a dictionary.
#[derive(FromPyObject)]
pub struct Listed<'py> {
    #[pyo3(item)]
    values: PyReadonlyArray1<'py, f64>,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
}

impl Listed<'_> {
    /// The same as if read from a file called `argument`.
    pub fn numbers(&self, argument: &str) -> PyResult<Numbers> {
        let values = self.values.as_slice()?.to_vec();
        Ok(Numbers {
            lines: vec![0; values.len()],
            labels: self.labels.clone(),
            values,
            source: argument.to_owned(),
        })
    }
}

/// A square with its rows in the order of its columns.
#[pyfunction]
pub fn square<'py>(
    py: Python<'py>,
    table: Sheet,
    argument: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let matrix = adjoin_formats::square(table.matrix(argument)?).map_err(file)?;
    let width = matrix.columns.len();
    answer::rows(py, matrix.values, width)
}
