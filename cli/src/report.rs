//! `adjoin report`: the interactive page.

use std::path::Path;

use adjoin::placement::Strategy;
use adjoin::streaming::Streamed;
use adjoin_formats::{provenance, read_map, read_metadata};
use adjoin_page::{Arrived, Page, Source};
use faer::MatRef;

use crate::add;
use crate::args::{Common, New, Report};
use crate::error::{Error, at};
use crate::input::{self, Wanted};
use crate::table;
use crate::words::Words;

pub fn run(args: &Report, common: &Common, words: &Words) -> Result<u8, Error> {
    let jointly = add::jointly(args.strategy.map(Into::into), &args.jointly, &args.between)?;
    let metadata = args.metadata.as_deref().map(read_metadata).transpose()?;
    let mut sources = vec![source("map", &args.map)?];
    let title = match &args.title {
        Some(title) => title.clone(),
        None => args.map.file_stem().map_or_else(
            || "A map".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        ),
    };
    let Some(new) = &args.new else {
        if jointly.is_some() || args.strategy.is_some() {
            return Err(Error::Usage(
                "found a strategy and no newcomers, expected NEW beside it".into(),
            ));
        }
        let map = read_map(&args.map)?;
        sources.extend(metadata_source(args)?);
        let page = Page {
            title: &title,
            map: &map,
            arrived: None,
            metadata: metadata.as_ref(),
            sources: &sources,
        };
        return write(&page.html(), &args.output, words).map(|()| 0);
    };

    sources.push(source("newcomers", new)?);
    let between = jointly.as_ref().and_then(|file| file.as_deref());
    sources.extend(
        between
            .map(|file| source("proximities between newcomers", file))
            .transpose()?,
    );
    sources.extend(metadata_source(args)?);
    let newcomers = New {
        map: args.map.clone(),
        new: new.clone(),
        itself: args.itself.clone(),
        weights: args.weights.clone(),
        reading: args.reading.clone(),
        proximities: args.proximities,
    };
    let wanted = match jointly {
        Some(_) => Wanted::Together,
        None => Wanted::Blocks,
    };
    let (map, mut arrivals) = input::arrivals(&newcomers, between, wanted, common, words)?;
    let watch = |p| words.progress(p);
    let k = arrivals.labels.len();
    let strategy = match jointly {
        Some(_) => Strategy::Reconstruct,
        None => args.strategy.map_or(Strategy::Project, Into::into),
    };
    let model = &map.model;
    let mut arrived = Arrived::new(model, strategy, k, common.threads)
        .map_err(|e| Error::Request(e.to_string()))?;
    match jointly {
        None => match arrivals.features() {
            Some(features) => {
                let weights = arrivals.weights.as_deref();
                let taken = model.by_features(features, |streamed| {
                    let streamed = Streamed {
                        weights,
                        ..*streamed
                    };
                    arrived.take_streamed(&streamed, Some(&watch))
                });
                taken.map_err(at(&arrivals.source, &arrivals.lines))?;
            }
            None => arrivals.each_block(|_, newcomers| match input::is_direct(model) {
                true => arrived.take(newcomers, Some(&watch)),
                false => arrived.take_streamed(&input::streamed_block(newcomers), Some(&watch)),
            })?,
        },
        Some(_) if !input::is_direct(model) => {
            return Err(Error::Request(format!(
                "{}: found a map by {}, expected one by cmds, pca, kernel-pca or landmark for a page of newcomers \
                 placed jointly",
                args.map.display(),
                model.method().word()
            )));
        }
        Some(_) => {
            let between = arrivals.take_between()?;
            arrivals.each_block(|_, newcomers| {
                let between = MatRef::from_row_major_slice(&between, k, k);
                arrived.take_jointly(newcomers, between, Some(&watch))
            })?;
        }
    }
    words.done();
    if arrived.count() == 0 {
        return Err(add::nobody(&arrivals.source));
    }
    let page = Page {
        title: &title,
        map: &map,
        arrived: Some(&arrived),
        metadata: metadata.as_ref(),
        sources: &sources,
    };
    write(&page.html(), &args.output, words)?;
    let unplaced = arrived
        .placements()
        .map_or_else(Vec::new, |p| table::unplaced(&arrivals.labels, p));
    for line in &unplaced {
        crate::words::put(format_args!("adjoin: {line}"));
    }
    Ok(match unplaced.is_empty() {
        true => 0,
        false => crate::INCOMPLETE,
    })
}

/// A file as the page names it; standard input cannot be read twice.
pub fn source(role: &'static str, path: &Path) -> Result<Source, Error> {
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let file = match path.as_os_str() == "-" || !regular {
        true => Err(path.display().to_string()),
        false => Ok(provenance(path)?),
    };
    Ok(Source { role, file })
}

fn metadata_source(args: &Report) -> Result<Option<Source>, Error> {
    let file = args.metadata.as_deref();
    file.map(|file| source("metadata", file)).transpose()
}

/// Writes the page and says how to open it.
fn write(html: &str, path: &Path, words: &Words) -> Result<(), Error> {
    table::put(html.as_bytes(), path)?;
    if path.as_os_str() != "-" {
        words.say(format_args!(
            "{} ({:.1} MB): open it in a browser; it needs nothing else",
            path.display(),
            html.len() as f64 / 1e6
        ));
    }
    Ok(())
}
