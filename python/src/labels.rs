//! Labelled tables, by the same rules as files: which row and column is which object.
//!
//! Only tables that come in another order than the map are copied, and only here.

use adjoin_formats::{Matrix, Numbers, match_between};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::answer::rows;
use crate::error::file;
use crate::view::{Entries, row_by_row};

/// A table with labels on both sides, as if read from a file called `argument`.
pub fn table(
    entries: &Entries<'_>,
    rows: Vec<String>,
    columns: Vec<String>,
    argument: &str,
) -> PyResult<Matrix> {
    let matrix = Matrix {
        values: row_by_row(entries)?,
        rows,
        columns,
        labelled: true,
        source: argument.to_owned(),
        ..Matrix::default()
    };
    matrix.checked().map_err(file)
}

/// A square with its rows in the order of its columns.
#[pyfunction]
pub fn square<'py>(
    py: Python<'py>,
    entries: Entries<'py>,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    argument: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let matrix = table(&entries, row_labels, column_labels, argument)?;
    let matrix = adjoin_formats::square(matrix).map_err(file)?;
    let d = matrix.columns.len();
    rows(py, matrix.values, d)
}

/// Proximities between newcomers in the order of `newcomers`.
#[pyfunction]
pub fn between<'py>(
    py: Python<'py>,
    entries: Entries<'py>,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    newcomers: Vec<String>,
    argument: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let matrix = table(&entries, row_labels, column_labels, argument)?;
    let values = match_between(matrix, &newcomers).map_err(file)?;
    rows(py, values, newcomers.len())
}

/// Numbers by label in the order of `order`.
#[pyfunction]
pub fn numbers<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    labels: Vec<String>,
    order: Vec<String>,
    argument: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let numbers = Numbers {
        lines: vec![0; values.len()],
        labels: Some(labels),
        values,
        source: argument.to_owned(),
    };
    Ok(numbers.in_order(&order).map_err(file)?.into_pyarray(py))
}
