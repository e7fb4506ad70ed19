//! Changes of proximities before they are used, by the words and the code of files: `fit` says them, the map keeps them, and
//! newcomers go through the same ones.

use adjoin_formats::{Adapt, MapFile, Matrix, Symmetrise, Transform};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::answer;
use crate::error::{file, wrong};
use crate::labels::Sheet;
use crate::view::Entries;

fn word<T>(
    argument: &str,
    given: Option<&str>,
    from: fn(&str) -> Option<T>,
    known: &[&str],
) -> PyResult<Option<T>> {
    let Some(given) = given else {
        return Ok(None);
    };
    let expected = || format!("found {given:?}, expected one of {}", known.join(", "));
    from(given)
        .map(Some)
        .ok_or_else(|| wrong(argument, expected()))
}

fn transform(given: Option<&str>) -> PyResult<Option<Transform>> {
    let known = Transform::ALL.map(Transform::word);
    word("transform", given, Transform::from_word, &known)
}

/// Proximities with the changes that these words mean, and what was remarkable about them.
#[pyfunction]
pub fn adapted<'py>(
    py: Python<'py>,
    table: Sheet,
    words: (Option<String>, Option<String>),
    argument: &str,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<String>)> {
    let known = Symmetrise::ALL.map(Symmetrise::word);
    let adapt = Adapt {
        transform: transform(words.0.as_deref())?,
        symmetrise: word(
            "symmetrise",
            words.1.as_deref(),
            Symmetrise::from_word,
            &known,
        )?,
        ..Adapt::default()
    };
    let matrix = table.matrix(argument)?;
    let matrix = py.detach(|| adapt.proximities(matrix)).map_err(file)?;
    let width = matrix.columns.len();
    Ok((answer::rows(py, matrix.values, width)?, matrix.remarks))
}

/// A piece of a square, whose first row and column have these numbers, transformed.
#[pyfunction]
pub fn transformed<'py>(
    py: Python<'py>,
    piece: Entries,
    given: &str,
    at: (usize, usize),
    argument: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (width, mut values) = (piece.shape().1, piece.row_by_row());
    if let Some(transform) = transform(Some(given))? {
        let columns = at.1..at.1 + width;
        let done = py.detach(|| transform.apply_all(&mut values, at.0, columns, argument));
        done.map_err(file)?;
    }
    answer::rows(py, values, width)
}

/// How the proximities of newcomers to a map are changed on their way, if they are.
pub struct Way(Transform);

impl Way {
    /// That of a map.
    pub fn onto(map: &MapFile) -> PyResult<Option<Self>> {
        Ok(map.transform().map_err(file)?.map(Self))
    }

    /// A labelled table, changed.
    pub fn table(&self, matrix: Matrix) -> PyResult<Matrix> {
        let adapt = Adapt {
            transform: Some(self.0),
            ..Adapt::default()
        };
        adapt.proximities(matrix).map_err(file)
    }

    /// Rows by position, the first of which has this number, changed.
    pub fn rows(
        &self,
        py: Python<'_>,
        rows: &Entries,
        first: usize,
        argument: &str,
    ) -> PyResult<Entries> {
        let (width, mut values) = (rows.shape().1, rows.row_by_row());
        let transform = self.0;
        let done = py.detach(|| transform.apply_all(&mut values, first, 0..width, argument));
        done.map_err(file)?;
        Entries::of(py, values, width)
    }

    /// Its word.
    pub fn word(&self) -> &'static str {
        self.0.word()
    }
}

/// A square of the old objects, changed as the map's was before the fit.
pub fn old(py: Python<'_>, map: &MapFile, table: Sheet) -> PyResult<Entries> {
    let adapt = Adapt {
        transform: map.transform().map_err(file)?,
        symmetrise: map.symmetrise(),
        ..Adapt::default()
    };
    if adapt.transform.is_none() && adapt.symmetrise.is_none() {
        return Ok(table.values);
    }
    let matrix = table.matrix("D")?;
    let matrix = py.detach(|| adapt.proximities(matrix)).map_err(file)?;
    let width = matrix.columns.len();
    Entries::of(py, matrix.values, width)
}
