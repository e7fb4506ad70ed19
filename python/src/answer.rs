//! Answers of the core as dictionaries of arrays, which the package makes objects of.

use adjoin::arc::Arc;
use adjoin::compare::{self, Comparison};
use adjoin::diagram::Diagram;
use adjoin::jointly::Together;
use adjoin::placement::Placements;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows of `d` numbers.
pub fn rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    d: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = values.len() / d;
    values.into_pyarray(py).reshape([count, d])
}

/// The words of the statuses.
fn words(placements: &Placements) -> Vec<&'static str> {
    placements.status.iter().map(|s| s.word()).collect()
}

pub fn placements<'py>(
    py: Python<'py>,
    diagram: &Diagram,
    answer: Placements,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let foreign: Vec<f64> = py.detach(|| compare::foreign_each(diagram, &answer.residual));
    dict.set_item("strategy", answer.strategy.word())?;
    dict.set_item("status", words(&answer))?;
    dict.set_item(
        "coordinates",
        rows(py, answer.coordinates, answer.dimensions)?,
    )?;
    for (name, values) in [
        ("lambda_", answer.lambda),
        ("objective", answer.objective),
        ("residual", answer.residual),
        ("share", answer.share),
        ("displacement", answer.displacement),
        ("position", answer.position),
        ("relative_stress", answer.relative_stress),
        ("foreign", foreign),
        ("stationarity", answer.stationarity),
        ("margin", answer.margin),
        ("rival", answer.rival),
    ] {
        dict.set_item(name, values.into_pyarray(py))?;
    }
    let others: Vec<_> = answer
        .alternatives
        .into_iter()
        .map(|(i, y)| (i, y.into_pyarray(py)))
        .collect();
    dict.set_item("alternatives", others)?;
    Ok(dict)
}

pub fn together<'py>(
    py: Python<'py>,
    diagram: &Diagram,
    answer: Together,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = placements(py, diagram, answer.placements)?;
    dict.set_item("certified", answer.certified)?;
    dict.set_item("gap", answer.gap)?;
    Ok(dict)
}

pub fn arc(py: Python<'_>, arc: Arc) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("coordinates", rows(py, arc.coordinates, arc.dimensions)?)?;
    for (name, values) in [
        ("lambda_", arc.lambda),
        ("beta", arc.beta),
        ("position", arc.position),
    ] {
        dict.set_item(name, values.into_pyarray(py))?;
    }
    dict.set_item("length", arc.length)?;
    Ok(dict)
}

pub fn comparison<'py>(
    py: Python<'py>,
    diagram: &Diagram,
    labels: &[String],
    answer: Comparison,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let sentences: Vec<String> = labels
        .iter()
        .enumerate()
        .map(|(i, label)| answer.sentence(i, label))
        .collect();
    dict.set_item("sentences", sentences)?;
    dict.set_item("foreign", answer.foreign.into_pyarray(py))?;
    dict.set_item("ranking", answer.ranking.into_pyarray(py))?;
    dict.set_item("spread", answer.spread)?;
    let left_out = PyDict::new(py);
    for (strategy, why) in answer.left_out {
        left_out.set_item(strategy.word(), why)?;
    }
    dict.set_item("left_out", left_out)?;
    let (by, errors) = (PyDict::new(py), PyDict::new(py));
    for (some, error) in answer.placements.into_iter().zip(answer.distance_errors) {
        let word = some.strategy.word();
        by.set_item(word, placements(py, diagram, some)?)?;
        errors.set_item(word, error.into_pyarray(py))?;
    }
    dict.set_item("placements", by)?;
    dict.set_item("distance_error", errors)?;
    Ok(dict)
}
