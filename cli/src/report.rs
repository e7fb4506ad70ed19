//! `adjoin report`: the interactive page.

use std::path::Path;

use adjoin::{Strategy, Verdict};
use adjoin_formats::{provenance, read_map, read_metadata};
use adjoin_page::{Arrived, Asked, Page, Source};

use crate::args::{Common, Report};
use crate::error::Error;
use crate::input::{self, between, wrong_beside};
use crate::table;
use crate::variables::Fitted;
use crate::words::Words;

pub fn run(args: &Report, common: &Common, words: &Words) -> Result<u8, Error> {
    let shown = &args.shown;
    let newcomers = shown.newcomers()?;
    let metadata = shown.metadata.as_deref().map(read_metadata).transpose()?;
    let files = [
        ("map", Some(&shown.map)),
        ("newcomers", shown.new.as_ref()),
        (
            "proximities between newcomers",
            shown.joining.between.as_ref(),
        ),
        ("metadata", shown.metadata.as_ref()),
        ("variables", shown.variables.as_ref()),
        ("old proximities", args.certainty.old.as_ref()),
    ];
    let sources = files
        .into_iter()
        .filter_map(|(role, path)| path.map(|path| source(role, path)))
        .collect::<Result<Vec<_>, _>>()?;
    let title = match (&shown.title, shown.map.file_stem()) {
        (Some(title), _) => title.clone(),
        (None, Some(stem)) => stem.to_string_lossy().into_owned(),
        (None, None) => "A map".to_owned(),
    };

    let mut unplaced = Vec::new();
    let (file, arrived) = match newcomers {
        None => {
            args.certainty.without_newcomers()?;
            (read_map(&shown.map)?, None)
        }
        Some((new, jointly)) => {
            let file_between = shown.joining.between.as_deref();
            let (file, arrivals) = input::on_map(&new, file_between, common, words)?;
            let strategy = if jointly {
                Strategy::Reconstruct
            } else {
                shown.strategy.unwrap_or(file.map.usual_strategy())
            };
            args.certainty.check(strategy)?;
            let together = jointly.then(|| between(&arrivals));
            let watch = |p| words.progress(p);
            let run = common.run(&watch);
            let options = new.telling.reading.options(common);
            let square = input::old(&args.certainty, &file, &options, run, words)?;
            let asked = Asked {
                strategy,
                beside: &args.beside,
                uncertainty: input::uncertainty(&args.certainty, square.as_ref()),
            };
            let arrived = Arrived::read(&file.map, asked, &arrivals.newcomers(), together, run)
                .map_err(wrong_beside(&arrivals, &args.certainty))?;
            words.done();
            match arrived.assessment() {
                Some(a) if a.verdict == Verdict::Refit => words.say(a.sentence()),
                Some(a) => words.detail(a.sentence()),
                None => {}
            }
            words.remark(&arrivals.source, arrived.remarks());
            unplaced = table::unplaced(&arrivals.labels, arrived.placements());
            (file, Some(arrived))
        }
    };
    let flipped = shown.flipped(file.map.dimensions())?;
    let flip: Vec<usize> = (0..flipped.len()).filter(|&a| flipped[a]).collect();
    let fitted = match &shown.variables {
        Some(path) => {
            let (map, eigenvalues) = (&file.map, file.map.diagram().eigenvalues());
            Some(Fitted::read(
                path,
                map.labels(),
                map.configuration(),
                eigenvalues,
            )?)
        }
        None => None,
    };
    let page = Page {
        title: &title,
        file: &file,
        arrived: arrived.as_ref(),
        metadata: metadata.as_ref(),
        sources: &sources,
        flip: &flip,
        variables: fitted.as_ref().map(|f| (&f.names[..], &f.variables)),
    };
    write(&page.html(), &args.output, words)?;
    Ok(table::incomplete(&unplaced))
}

/// A file as the page names it; standard input cannot be read twice.
pub fn source(role: &'static str, path: &Path) -> Result<Source, Error> {
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let file = if path.as_os_str() == "-" || !regular {
        Err(path.display().to_string())
    } else {
        Ok(provenance(path)?)
    };
    Ok(Source { role, file })
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
