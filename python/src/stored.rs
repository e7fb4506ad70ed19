//! What a map keeps of its making, as dictionaries: of them `adjoin.load` makes an estimator.

use adjoin::measure::{Measure, Measured};
use adjoin::settings::Neighbourhood;
use adjoin::stored::{Affinity, Finish, Parts, Way};
use adjoin::{Generation, Map, Values};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer;

/// What the method was told.
pub fn parameters<'py>(py: Python<'py>, parts: &Parts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("rotate", matches!(parts.finish, Finish::Motion(_)))?;
    match &parts.way {
        Way::Graph(isomap) => near(&dict, Some(isomap.neighbourhood))?,
        Way::Normalised(laplacian) => {
            near(&dict, laplacian.neighbourhood)?;
            dict.set_item("alpha", laplacian.alpha)?;
            dict.set_item("diagonal", laplacian.diagonal)?;
            if let Affinity::Heat { gamma } = laplacian.affinity {
                dict.set_item("gamma", gamma)?;
            }
        }
        _ => {}
    }
    if let Finish::Walk { time } = parts.finish {
        dict.set_item("time", time)?;
    }
    Ok(dict)
}

/// Newcomers that were taken in together.
pub fn generation<'py>(py: Python<'py>, of: &Generation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("count", of.count)?;
    dict.set_item("strategy", of.strategy.word())?;
    dict.set_item("jointly", of.jointly)?;
    dict.set_item("placed_on", of.placed_on)?;
    dict.set_item("name", &of.name)?;
    dict.set_item("sha256", &of.digest)?;
    Ok(dict)
}

/// Puts in who is a neighbour.
fn near(dict: &Bound<'_, PyDict>, neighbourhood: Option<Neighbourhood>) -> PyResult<()> {
    let (neighbors, radius) = match neighbourhood {
        Some(Neighbourhood::Nearest(k)) => (Some(k), None),
        Some(Neighbourhood::Radius(r)) => (None, Some(r)),
        None => (None, None),
    };
    dict.set_item("n_neighbors", neighbors)?;
    dict.set_item("radius", radius)
}

/// A link, and its errors.
pub type Link<'py> = (Option<Bound<'py, PyDict>>, Option<Bound<'py, PyDict>>);

/// The link with its Shepard diagram, and how far old objects are placed from where they are.
pub fn link<'py>(py: Python<'py>, map: &Map) -> PyResult<Link<'py>> {
    let (Some(linked), Some(error)) = (map.link(), map.link_error()) else {
        return Ok((None, None));
    };
    let pairs = |x: &[f64], y: &[f64]| {
        let each = x.iter().zip(y).flat_map(|(x, y)| [*x, *y]);
        answer::rows(py, each.collect(), 2)
    };
    let (link, shepard) = (&linked.link, &linked.shepard);
    let (given, shown): (Vec<f64>, Vec<f64>) = shepard.pairs.iter().copied().unzip();
    let dict = PyDict::new(py);
    dict.set_item("form", link.form.word())?;
    dict.set_item("stress", shepard.stress)?;
    dict.set_item("knots", pairs(&link.dissimilarities, &link.distances)?)?;
    dict.set_item("pairs", pairs(&given, &shown)?)?;
    dict.set_item("range", shepard.range)?;
    let errors = PyDict::new(py);
    errors.set_item("median", error.median)?;
    errors.set_item("most", error.most)?;
    errors.set_item("radius", error.radius)?;
    let each = linked.errors(map.configuration());
    errors.set_item("errors", each.into_pyarray(py))?;
    Ok((Some(dict), Some(errors)))
}

/// The measure, its parameters, and features with their names (None if they have none); nothing if the objects are texts.
pub fn source<'py>(py: Python<'py>, source: &Measured) -> PyResult<Option<Bound<'py, PyDict>>> {
    let features = source.features();
    let dict = PyDict::new(py);
    match (features.numbers(), features.bits()) {
        (Some(values), _) => {
            let (count, width) = (features.count(), features.width());
            match values {
                Values::Singles(values) => {
                    let values = values.clone().into_pyarray(py).reshape([count, width])?;
                    dict.set_item("features", values)?;
                }
                Values::Sparse(rows) => {
                    let starts: Vec<i64> = rows.starts().iter().map(|s| *s as i64).collect();
                    let columns: Vec<i64> = rows.columns().iter().map(|c| (*c).into()).collect();
                    let parts = (
                        rows.values().to_vec().into_pyarray(py),
                        columns.into_pyarray(py),
                        starts.into_pyarray(py),
                    );
                    dict.set_item("features", (parts, (count, width)))?;
                }
                _ => {
                    let values = features.values().unwrap_or_default().into_owned();
                    dict.set_item("features", answer::rows(py, values, width)?)?;
                }
            }
            dict.set_item("width", width)?;
            dict.set_item("packed", py.None())?;
        }
        (None, Some((each, words))) => {
            let row = features.width().div_ceil(8);
            let line = |words: &[u64]| -> Vec<u8> {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes());
                bytes.take(row).collect()
            };
            let bytes: Vec<u8> = words.chunks_exact(each).flat_map(line).collect();
            let bytes = bytes.into_pyarray(py).reshape([features.count(), row])?;
            dict.set_item("features", bytes)?;
            dict.set_item("width", row)?;
            dict.set_item("packed", features.width())?;
        }
        (None, None) => return Ok(None),
    }
    dict.set_item("names", features.named().then(|| features.names()))?;
    dict.set_item("word", source.measure().word())?;
    dict.set_item("kernel", matches!(source.measure(), Measure::Kernel(_)))?;
    let parameters = source.measure().parameters();
    dict.set_item("power", parameters.power)?;
    dict.set_item("gamma", parameters.gamma)?;
    dict.set_item("degree", parameters.degree)?;
    dict.set_item("coef0", parameters.coef0)?;
    Ok(Some(dict))
}
