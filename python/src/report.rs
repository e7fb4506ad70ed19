//! The interactive page, from what Python has in memory.

use std::io::Write;
use std::path::PathBuf;

use adjoin_formats::{Metadata, Output};
use adjoin_page::{Arrived, Page};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::diagram::{Arrivals, Diagram, strategy};
use crate::error::{core, file};
use crate::guard::unlocked;
use crate::view::{matrix, with_matrix};

/// Labels, then names and cells of columns.
type Columns = (Vec<String>, Vec<(String, Vec<Option<String>>)>);

/// Writes the page, whole or not at all; the answer is the newcomers that have no place, with the reason in words.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn report(
    py: Python<'_>,
    diagram: PyRef<'_, Diagram>,
    path: PathBuf,
    title: &str,
    arrivals: Option<Arrivals<'_>>,
    by: &str,
    between: Option<PyReadonlyArray2<'_, f64>>,
    metadata: Option<Columns>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(usize, &'static str)>> {
    let map = &diagram.inner;
    let by = strategy(by)?;
    let between = between.as_ref().map(matrix).transpose()?;
    let metadata = metadata.map(|(labels, columns)| Metadata {
        labels,
        columns,
        source: "metadata".to_owned(),
    });
    let arrived = match &arrivals {
        None => None,
        Some(arrivals) => {
            let arrived = with_matrix!(&arrivals.proximities, |m| {
                let newcomers = arrivals.newcomers(m)?;
                unlocked(py, progress, |watch| {
                    let mut arrived = Arrived::new(&map.diagram, by, newcomers.count(), threads)?;
                    match between {
                        None => arrived.take(&newcomers, Some(watch))?,
                        Some(between) => arrived.take_jointly(&newcomers, between, Some(watch))?,
                    }
                    Ok(arrived)
                })?
            });
            Some(arrived.map_err(core(&arrivals.argument))?)
        }
    };
    let write = || {
        let page = Page {
            title,
            map,
            arrived: arrived.as_ref(),
            metadata: metadata.as_ref(),
            sources: &[],
        };
        let mut output = Output::create(&path)?;
        let name = output.name().to_owned();
        output
            .write_all(page.html().as_bytes())
            .map_err(|source| adjoin_formats::Error::Write { file: name, source })?;
        output.commit()
    };
    py.detach(write).map_err(file)?;
    Ok(arrived.map_or_else(Vec::new, |a| a.unplaced()))
}
