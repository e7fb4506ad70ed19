//! The interactive page, from what Python has in memory.

use std::io::Write;
use std::path::{Path, PathBuf};

use adjoin::{Strategy, Variables};
use adjoin_formats::{Error, Metadata, Output};
use adjoin_page::{Arrived, Asked, Page};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::error::file;
use crate::guard::Running;
use crate::look::matrix;
use crate::map::Map;
use crate::newcomers::Given;
use crate::settings::strategy;

/// Labels, then names and cells of columns.
type Columns = (Vec<String>, Vec<(String, Vec<Option<String>>)>);

/// What a page shows beside map, newcomers and metadata.
#[derive(FromPyObject)]
pub struct Shown<'py> {
    /// Further strategies.
    #[pyo3(item)]
    beside: Vec<String>,
    /// Axes that are drawn the other way round.
    #[pyo3(item)]
    flip: Vec<usize>,
    /// Names, and numbers by old object (n × v).
    #[pyo3(item)]
    variables: Option<(Vec<String>, PyReadonlyArray2<'py, f64>)>,
}

/// Writes the page, whole or not at all; `metadata` is asked for when the newcomers are known, with their labels. The
/// answer is the newcomers that have no place, with the reason in words.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn report(
    py: Python<'_>,
    map: &Bound<'_, Map>,
    path: PathBuf,
    title: &str,
    newcomers: Option<Given<'_>>,
    by: &str,
    metadata: Option<Py<PyAny>>,
    shown: Shown<'_>,
    run: Running,
) -> PyResult<Vec<(usize, &'static str)>> {
    let (by, content) = (strategy(by)?, &map.get().inner);
    let beside: Vec<Strategy> = shown
        .beside
        .iter()
        .map(|word| strategy(word))
        .collect::<PyResult<_>>()?;
    let given = newcomers
        .map(|new| map.get().asked(py, new, &run))
        .transpose()?;
    let arrived = match &given {
        None => None,
        Some(asked) => Some(run.unlocked(
            py,
            asked.1.naming(),
            (asked, usize::MAX),
            move |(map, new), run| {
                let asked = Asked {
                    strategy: by,
                    beside: &beside,
                    uncertainty: new.uncertainty(),
                };
                Arrived::read(&map.map, asked, &new.newcomers(), new.between(), run)
            },
        )?),
    };
    let labels = given.map(|asked| asked.1.names());
    let metadata = metadata.map(|ask| columns(py, &ask, labels)).transpose()?;
    let variables = shown.variables.map(|(names, values)| {
        let (map, values) = (&content.map, matrix(&values));
        let permutations = adjoin_look::look().arrows.permutations;
        let (x, c) = (map.configuration(), map.diagram().eigenvalues());
        let fitted = py.detach(|| Variables::fit(x, c, values.as_ref(), permutations));
        (names, fitted)
    });
    let page = Page {
        title,
        file: content,
        arrived: arrived.as_ref(),
        metadata: metadata.as_ref(),
        sources: &[],
        flip: &shown.flip,
        variables: variables
            .as_ref()
            .map(|(names, fitted)| (&names[..], fitted)),
    };
    py.detach(|| write(&page, &path)).map_err(file)?;
    Ok(arrived.as_ref().map_or_else(Vec::new, Arrived::unplaced))
}

/// What `ask` says of the objects, given the newcomers' labels.
fn columns(py: Python<'_>, ask: &Py<PyAny>, labels: Option<Vec<String>>) -> PyResult<Metadata> {
    let answer = ask.call1(py, (labels.unwrap_or_default(),))?;
    let (labels, columns): Columns = answer.extract(py)?;
    Ok(Metadata {
        labels,
        columns,
        source: "metadata".to_owned(),
    })
}

fn write(page: &Page<'_>, path: &Path) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    let file = output.name().to_owned();
    let written = output.write_all(page.html().as_bytes());
    written.map_err(|source| Error::Write { file, source })?;
    output.commit()
}
