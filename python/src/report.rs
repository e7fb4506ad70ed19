//! The interactive page, from what Python has in memory.

use std::io::Write;
use std::path::PathBuf;

use adjoin::placement::Strategy;
use adjoin::streaming::Streamed;
use adjoin_formats::{Metadata, Output};
use adjoin_page::{Arrived, Page};
use faer::MatRef;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{core, file};
use crate::guard::unlocked;
use crate::model::{Arrivals, Model, slice, strategy};
use crate::view::{matrix, with_matrix};

/// Labels, then names and cells of columns.
type Columns = (Vec<String>, Vec<(String, Vec<Option<String>>)>);

/// Writes the page, whole or not at all; the answer is the newcomers that have no place, with the reason in words.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn report(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    path: PathBuf,
    title: &str,
    arrivals: Option<Arrivals<'_>>,
    by: &str,
    jointly: bool,
    between: Option<PyReadonlyArray2<'_, f64>>,
    metadata: Option<Columns>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(usize, &'static str)>> {
    let map = &model.inner;
    let by = strategy(by)?;
    let between = between.as_ref().map(matrix).transpose()?;
    let metadata = metadata.map(|(labels, columns)| Metadata {
        labels,
        columns,
        source: "metadata".to_owned(),
    });
    let arrived = match &arrivals {
        None => None,
        Some(arrivals) => Some(arrived(
            py,
            &model,
            arrivals,
            by,
            (jointly, between),
            threads,
            progress,
        )?),
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

/// Newcomers as the page takes them: by their features, or by their proximities.
fn arrived<'a>(
    py: Python<'_>,
    model: &'a Model,
    arrivals: &Arrivals<'_>,
    by: Strategy,
    (jointly, between): (bool, Option<MatRef<'_, f64>>),
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Arrived<'a>> {
    let (own, direct) = (&model.inner.model, model.direct());
    if jointly && !direct {
        return Err(PyValueError::new_err(format!(
            "between: found a map by {}, expected one by cmds, pca, kernel-pca or landmark for a page of newcomers \
             placed jointly",
            own.method().word()
        )));
    }
    let answer = if arrivals.features {
        let (new, weights) = (arrivals.features()?, slice(&arrivals.weights)?);
        unlocked(py, progress, |watch| {
            let watch = Some(watch);
            let mut arrived = Arrived::new(own, by, new.count(), threads)?;
            // What is between them comes from their features, unless it is given.
            let k = new.count();
            let made = match (jointly && between.is_none(), own.source()) {
                (true, Some(source)) => Some(source.against(&new)?.between(threads, watch)?),
                _ => None,
            };
            let made = made.as_ref().map(|b| MatRef::from_row_major_slice(b, k, k));
            let between = between.or(made);
            own.by_features(&new, |s| {
                let all = Streamed { weights, ..*s };
                match between {
                    None => arrived.take_streamed(&all, watch),
                    Some(between) => own.seen_by_diagram(&all, threads, watch, |seen| {
                        arrived.take_jointly(seen, between, watch)
                    }),
                }
            })?;
            Ok(arrived)
        })?
    } else {
        with_matrix!(&arrivals.values, |m| {
            let (newcomers, streamed) = (arrivals.newcomers(m)?, arrivals.streamed(&m)?);
            unlocked(py, progress, |watch| {
                let watch = Some(watch);
                let mut arrived = Arrived::new(own, by, newcomers.count(), threads)?;
                match (direct, between) {
                    (_, Some(between)) => arrived.take_jointly(&newcomers, between, watch)?,
                    (true, None) => arrived.take(&newcomers, watch)?,
                    (false, None) => arrived.take_streamed(&streamed, watch)?,
                }
                Ok(arrived)
            })?
        })
    };
    answer.map_err(core(&arrivals.argument))
}
