//! Proximities by a measure, as arrays: of objects to each other, or of newcomers to them.

use adjoin::rows;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::answer;
use crate::error::core;
use crate::given::{Objects, features};
use crate::guard::unlocked;
use crate::view::Entries;

/// The n × n proximities of objects, or those of the rows of `new` to them.
#[pyfunction]
pub fn measured<'py>(
    py: Python<'py>,
    objects: Objects<'py>,
    new: Option<Entries<'py>>,
    argument: &str,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let old = objects.measured(if new.is_some() { "X" } else { argument })?;
    let columns = old.count();
    let new = match &new {
        Some(entries) => Some(features(entries, None, objects.names.clone(), argument)?),
        None => None,
    };
    let values = unlocked(py, progress, |watch| match &new {
        None => old.square(threads, Some(watch)),
        Some(new) => rows::collect(&old.against(new)?, threads, Some(watch)),
    })?;
    answer::rows(py, values.map_err(core(argument))?, columns)
}
