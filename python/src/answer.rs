//! Answers of the core as dictionaries of arrays, which the package makes objects of.

use adjoin::table::{self, Asked};
use adjoin::{
    Arc, Assessment, Comparison, Evaluation, Grouped, Jointly, MEASURES, Neighbours, Placements,
    Status, Strategy,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::newcomers::Arrived;
use crate::settings;

/// The word of a joint placement beside those of the strategies.
const JOINTLY: &str = "jointly";

/// A column's name, what it holds, and whether it is of the contract.
type Listed = (String, &'static str, bool);

/// The columns of a table after its labels and axes, by the one list that the core has.
#[pyfunction]
pub fn columns(
    strategy: &str,
    dimensions: usize,
    proved: bool,
    uncertain: bool,
) -> PyResult<Vec<Listed>> {
    let asked = Asked {
        strategy: settings::strategy(strategy)?,
        dimensions,
        proved,
        uncertain,
    };
    let columns = table::columns(&asked).into_iter();
    let listed = columns.map(|c| (c.name, c.holds.word(), c.contract));
    Ok(listed.collect())
}

/// Rows of `d` numbers.
pub fn rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    d: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = values.len() / d;
    values.into_pyarray(py).reshape([count, d])
}

/// The words of different statuses, and which of them is whose.
fn coded(status: &[Status]) -> (Vec<&'static str>, Vec<u8>) {
    let mut words: Vec<&str> = Vec::new();
    let code = |status: &Status| {
        let found = words.iter().position(|w| *w == status.word());
        found.unwrap_or_else(|| {
            words.push(status.word());
            words.len() - 1
        }) as u8
    };
    let each = status.iter().map(code).collect();
    (words, each)
}

/// Coordinates, and statuses as [`coded`] has them.
pub type Where<'py> = (
    Bound<'py, PyArray2<f64>>,
    (Vec<&'static str>, Bound<'py, PyArray1<u8>>),
);

/// Where newcomers are, and what became of them.
pub fn coordinates(py: Python<'_>, answer: Placements) -> PyResult<Where<'_>> {
    let (words, each) = coded(&answer.status);
    let places = rows(py, answer.coordinates, answer.dimensions)?;
    Ok((places, (words, each.into_pyarray(py))))
}

/// The level of the regions that are drawn.
const REGION: f64 = 0.95;

pub fn placements(py: Python<'_>, answer: Placements) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    // How far each region reaches, on two axes.
    let regions: Vec<f64> = if answer.covariance.is_empty() {
        Vec::new()
    } else {
        let reach = |i: usize| answer.region(i, 2, REGION);
        (0..answer.count()).map(reach).collect()
    };
    dict.set_item("strategy", answer.strategy.word())?;
    let (words, each) = coded(&answer.status);
    dict.set_item("status", (words, each.into_pyarray(py)))?;
    let known: Vec<i64> = answer.known.iter().map(|&k| k as i64).collect();
    dict.set_item("known", known.into_pyarray(py))?;
    let proved = answer.strategy == Strategy::Stress && answer.gap.iter().any(|g| !g.is_nan());
    if proved || answer.strategy == Strategy::Hyperplane {
        let proved = (0..answer.count()).map(|i| answer.certified(i) == Some(true));
        dict.set_item("certified", proved.collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("gap", answer.gap.into_pyarray(py))?;
    }
    let coordinates = rows(py, answer.coordinates, answer.dimensions)?;
    dict.set_item("coordinates", coordinates)?;
    for (name, values) in [
        ("lambda_", answer.lambda),
        ("objective", answer.objective),
        ("residual", answer.residual),
        ("share", answer.share),
        ("displacement", answer.displacement),
        ("relative_stress", answer.relative_stress),
        ("p", answer.p),
        ("p_outside", answer.p_outside),
        ("p_inside", answer.p_inside),
        ("p_nearest", answer.p_nearest),
        ("stationarity", answer.stationarity),
        ("margin", answer.margin),
        ("side", answer.side),
        ("jump", answer.jump),
        ("stretch", answer.stretch),
    ] {
        dict.set_item(name, values.into_pyarray(py))?;
    }
    if !answer.covariance.is_empty() {
        let (k, d) = (answer.status.len(), answer.dimensions);
        let covariance = answer.covariance.into_pyarray(py).reshape([k, d, d])?;
        dict.set_item("covariance", covariance)?;
        dict.set_item("_reach", regions.into_pyarray(py))?;
    }
    let others = answer.alternatives.into_iter();
    let others: Vec<_> = others.map(|(i, y)| (i, y.into_pyarray(py))).collect();
    dict.set_item("alternatives", others)?;
    Ok(dict)
}

pub fn jointly(py: Python<'_>, answer: Jointly) -> PyResult<Bound<'_, PyDict>> {
    let dict = placements(py, answer.placements)?;
    dict.set_item("jointly", true)?;
    dict.set_item("certified", answer.certified)?;
    dict.set_item("gap", answer.gap)?;
    dict.set_item("_outside", answer.outside)?;
    Ok(dict)
}

/// Positions of old objects, −1 for none, and proximities to them: a row for each newcomer.
pub type Nearest<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

pub fn neighbours(py: Python<'_>, answer: Neighbours) -> PyResult<Nearest<'_>> {
    let shape = [answer.objects.len() / answer.count, answer.count];
    let position = |object: Option<usize>| object.map_or(-1, |i| i as i64);
    let objects: Vec<i64> = answer.objects.into_iter().map(position).collect();
    Ok((
        objects.into_pyarray(py).reshape(shape)?,
        answer.given.into_pyarray(py).reshape(shape)?,
    ))
}

pub fn grouped(py: Python<'_>, answer: Grouped) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let count = answer.groups.len();
    dict.set_item("accuracy", answer.accuracy())?;
    dict.set_item("largest", answer.largest)?;
    dict.set_item("says", answer.sentence())?;
    let position = |group: &Option<usize>| group.map_or(-1, |g| g as i64);
    let group: Vec<i64> = answer.group.iter().map(position).collect();
    dict.set_item("group", group.into_pyarray(py))?;
    dict.set_item("shares", rows(py, answer.shares, count)?)?;
    dict.set_item("distances", rows(py, answer.distances, count)?)?;
    Ok(dict)
}

pub fn evaluation<'py>(
    py: Python<'py>,
    answer: &Evaluation,
    classes: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let scores = &answer.scores;
    let words: Vec<&str> = scores.iter().map(|s| s.strategy.word()).collect();
    dict.set_item("strategies", words)?;
    let columns = [PyDict::new(py), PyDict::new(py), PyDict::new(py)];
    for (m, name) in MEASURES.into_iter().enumerate() {
        if name.starts_with("knn") && !classes {
            continue;
        }
        let of = [
            scores.iter().map(|s| s.values[m]).collect::<Vec<_>>(),
            scores.iter().map(|s| s.differences[m]).collect(),
            scores.iter().map(|s| s.errors[m]).collect(),
        ];
        for (dict, values) in columns.iter().zip(of) {
            dict.set_item(name, values.into_pyarray(py))?;
        }
    }
    for (name, column) in ["scores", "differences", "errors"].into_iter().zip(columns) {
        dict.set_item(name, column)?;
    }
    dict.set_item("folds", answer.folds)?;
    dict.set_item("repeats", answer.repeats)?;
    dict.set_item("seed", answer.seed)?;
    dict.set_item("says", answer.sentence())?;
    Ok(dict)
}

pub fn assessment<'py>(py: Python<'py>, answer: &Assessment) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("verdict", answer.verdict.word())?;
    dict.set_item("newcomers", answer.newcomers)?;
    dict.set_item("unlike", answer.unlike)?;
    dict.set_item("level", answer.level)?;
    dict.set_item("chance", answer.chance)?;
    dict.set_item("weight", answer.weight)?;
    dict.set_item("between", answer.between)?;
    dict.set_item("says", answer.sentence())?;
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
    arrived: &Arrived,
    answer: Comparison,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let names = arrived.names().into_iter().enumerate();
    let sentences = names.map(|(i, name)| answer.sentence(i, &name));
    dict.set_item("sentences", sentences.collect::<Vec<_>>())?;
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
        by.set_item(word, placements(py, some)?)?;
        errors.set_item(word, error.into_pyarray(py))?;
    }
    if let Some((together, error)) = answer.jointly {
        dict.set_item(JOINTLY, jointly(py, together)?)?;
        errors.set_item(JOINTLY, error.into_pyarray(py))?;
    }
    dict.set_item("placements", by)?;
    dict.set_item("distance_error", errors)?;
    Ok(dict)
}
