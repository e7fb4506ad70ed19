//! The interactive page, from what R has in memory.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use adjoin::Strategy;
use adjoin_formats::{Error, Metadata, Output};
use adjoin_page::{Arrived as Shown, Page};
use extendr_api::prelude::*;

use crate::ask::Asked;
use crate::failure::{Failure, file, told};
use crate::guard;
use crate::map::opened;
use crate::settings;
use crate::value::{Entries, list};

/// Writes the page, whole or not at all.
/// @noRd
#[extendr]
pub fn core_report(map: Robj, new: Nullable<List>, how: List, threads: i32) -> Robj {
    let new = Option::<List>::from(new);
    told(report(&map, new.as_ref(), &(&how).into(), threads as usize))
}

fn report(map: &Robj, new: Option<&List>, how: &Entries, threads: usize) -> Result<Robj, Failure> {
    let asked = new.map(|new| Asked::of(map, new, threads as i32));
    let asked = asked.transpose()?;
    let map = match &asked {
        Some(asked) => Arc::clone(&asked.map),
        None => opened(map)?,
    };
    let strategy = settings::strategy(how)?;
    let metadata = metadata(how);
    let title = how.text("title").unwrap_or_default();
    let path = how.text("path").unwrap_or_default();
    let (labels, said, assumed) = guard::run(threads, Vec::new(), move |run| {
        let new = asked.map(|asked| asked.new);
        let shown = match &new {
            None => None,
            Some(new) => {
                let by = if new.between().is_some() {
                    Strategy::Reconstruct
                } else {
                    strategy
                };
                let newcomers = new.inner.newcomers();
                let read = Shown::read(&map.map, by, &newcomers, new.between(), run);
                Some(read.map_err(|e| new.wrong(e))?)
            }
        };
        let page = Page {
            title: &title,
            file: &map,
            arrived: shown.as_ref(),
            metadata: metadata.as_ref(),
            sources: &[],
            flip: &[],
            variables: None,
        };
        write(&page.html(), Path::new(&path)).map_err(file)?;
        let (labels, assumed) = new
            .map(|new| (new.inner.labels, new.assumed))
            .unwrap_or_default();
        let mut said: Vec<String> = Vec::new();
        if let Some(shown) = &shown {
            said.extend(shown.remarks().iter().map(|r| r.sentence.clone()));
        }
        Ok((labels, said, assumed))
    })?;
    Ok(list(vec![
        ("labels", labels.into()),
        ("remarks", said.into()),
        ("assumed", assumed.into()),
    ]))
}

/// What else is known of the objects, as text.
fn metadata(how: &Entries) -> Option<Metadata> {
    let labels = how.texts("metadata_labels")?;
    let columns = how.get("metadata")?.as_list()?;
    let cells = |column: Robj| -> Vec<Option<String>> {
        let strings = Strings::try_from(column).unwrap_or_default();
        let cell = |s: &Rstr| (!s.is_na()).then(|| s.as_ref().to_owned());
        strings.iter().map(cell).collect()
    };
    let columns = columns
        .iter()
        .map(|(name, column)| (name.to_owned(), cells(column)));
    Some(Metadata {
        labels,
        columns: columns.collect(),
        source: "metadata".to_owned(),
    })
}

fn write(html: &str, path: &Path) -> std::result::Result<(), Error> {
    let mut output = Output::create(path)?;
    let name = output.name().to_owned();
    let written = output.write_all(html.as_bytes());
    written.map_err(|source| Error::Write { file: name, source })?;
    output.commit()
}

extendr_module! {
    mod report;
    fn core_report;
}
