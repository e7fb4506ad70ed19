//! `adjoin compare`: all strategies side by side, and what they say of each newcomer.

use std::fmt::Write;

use adjoin::Newcomers;
use adjoin::compare::{Comparison, distance_errors};
use adjoin::diagram::Diagram;
use adjoin::diagram::FitSettings;
use adjoin::jointly::Together;
use adjoin::placement::Strategy;
use adjoin::proximity::Proximities;
use adjoin::reembed::{self, Reembedding};
use adjoin_formats::{Column, Frame};
use faer::Mat;

use crate::add::together;
use crate::args::{Common, Compare};
use crate::error::Error;
use crate::input::{self, Wanted};
use crate::table;
use crate::words::Words;

/// Axes shown in the report for reading; tables have them all.
const AXES_SHOWN: usize = 3;

pub fn run(args: &Compare, common: &Common, words: &Words) -> Result<u8, Error> {
    let file = args.between.as_deref();
    let wanted = match args.jointly {
        true => Wanted::Together,
        false => Wanted::Whole,
    };
    let (map, mut arrivals) = input::arrivals(&args.new, file, wanted, common, words)?;
    let model = &map.model;
    let diagram = model.diagram();
    let watch = |p| words.progress(p);
    let (mut comparison, mut anew) = (None, None);
    let (between, old) = (arrivals.between.take(), arrivals.old.take());
    arrivals.each_block(|_, newcomers| {
        let all = input::streamed_block(newcomers);
        comparison = Some(model.compare(&all, common.threads, Some(&watch))?);
        if let (Some(old), Some(between), true) = (&old, &between, input::is_direct(model)) {
            anew = reembedded(diagram, newcomers, old, between, common)?;
        }
        Ok(())
    })?;
    arrivals.between = between;
    let Some(comparison) = comparison else {
        return Err(Error::Request(format!(
            "{}: found no newcomers, expected at least one",
            arrivals.source
        )));
    };
    let several = arrivals.labels.len() > 1;
    let jointly = match several && (arrivals.between.is_some() || args.jointly) {
        true => Some(together(model, &mut arrivals, common, words)?),
        false => None,
    };
    let mut errors = Vec::new();
    if let Some(together) = &jointly {
        errors = vec![f64::NAN; arrivals.labels.len()];
        if input::is_direct(model) {
            arrivals.each_block(|_, newcomers| {
                errors = distance_errors(diagram, newcomers, &together.placements);
                Ok(())
            })?;
        }
    }
    let jointly = jointly.as_ref().map(|together| (together, &errors[..]));
    words.done();
    let labels = &arrivals.labels;
    match &args.output {
        Some(path) => table::write(&frame(labels, &comparison, jointly), path, common)?,
        None if common.json => {
            let frame = frame(labels, &comparison, jointly);
            table::write(&frame, std::path::Path::new("-"), common)?;
        }
        None => {
            let text = report(diagram, labels, &comparison, jointly, anew.as_ref());
            table::print(text.as_bytes())?;
        }
    }
    // That one strategy does not apply is what a comparison is for; no projection is no place.
    let unplaced = comparison
        .by(Strategy::Project)
        .map_or_else(Vec::new, |p| table::unplaced(labels, p));
    for line in &unplaced {
        crate::words::put(format_args!("adjoin: {line}"));
    }
    Ok(if unplaced.is_empty() {
        0
    } else {
        crate::INCOMPLETE
    })
}

/// The map that all objects together would make, if all proximities between them are known.
fn reembedded(
    diagram: &Diagram,
    newcomers: &Newcomers<'_>,
    old: &[f64],
    between: &[f64],
    common: &Common,
) -> Result<Option<Reembedding>, adjoin::error::Error> {
    let (n, k) = (diagram.count(), newcomers.count());
    let cross = newcomers.proximities;
    let all = Mat::from_fn(n + k, n + k, |i, j| match (i < n, j < n) {
        (true, true) => old[i * n + j],
        (true, false) => cross[(j - n, i)],
        (false, true) => cross[(i - n, j)],
        (false, false) => between[(i - n) * k + j - n],
    });
    if all.col_iter().any(|c| c.iter().any(|v| v.is_nan())) {
        return Ok(None);
    }
    let all = Proximities::new(all.as_ref(), diagram.kind(), None, common.threads)?;
    let settings = FitSettings {
        correction: diagram.parts().correction,
        threads: common.threads,
        ..Default::default()
    };
    // Old and new together may have fewer axes than the map: then there is nothing to compare.
    Ok(reembed::solve(&all, diagram.configuration(), &settings).ok())
}

/// One row for each newcomer and strategy.
fn frame(
    labels: &[String],
    comparison: &Comparison,
    jointly: Option<(&Together, &[f64])>,
) -> Frame {
    let mut rows = Vec::new();
    for i in 0..labels.len() {
        for (placements, errors) in comparison
            .placements
            .iter()
            .zip(&comparison.distance_errors)
        {
            rows.push((i, placements, placements.strategy.word(), errors[i]));
        }
        if let Some((together, errors)) = jointly {
            rows.push((i, &together.placements, "jointly", errors[i]));
        }
    }
    let d = comparison.placements.first().map_or(0, |p| p.dimensions);
    let text = |cell: &dyn Fn(usize) -> String| Column::Text((0..rows.len()).map(cell).collect());
    let number = |cell: &dyn Fn(usize) -> f64| Column::Number((0..rows.len()).map(cell).collect());
    let mut columns = vec![("label".to_owned(), text(&|r| labels[rows[r].0].clone()))];
    for j in 0..d {
        let cell = |r: usize| rows[r].1.point(rows[r].0)[j];
        columns.push((format!("axis{}", j + 1), number(&cell)));
    }
    let rank = |i: usize| {
        comparison
            .ranking
            .iter()
            .position(|r| *r == i)
            .map_or(f64::NAN, |r| r as f64 + 1.0)
    };
    for (name, column) in [
        ("strategy", text(&|r| rows[r].2.to_owned())),
        ("lambda", number(&|r| rows[r].1.lambda[rows[r].0])),
        ("objective", number(&|r| rows[r].1.objective[rows[r].0])),
        ("residual", number(&|r| rows[r].1.residual[rows[r].0])),
        (
            "status",
            text(&|r| rows[r].1.status[rows[r].0].word().to_owned()),
        ),
        ("distance_error", number(&|r| rows[r].3)),
        (
            "displacement",
            number(&|r| rows[r].1.displacement[rows[r].0]),
        ),
        ("share", number(&|r| rows[r].1.share[rows[r].0])),
        ("foreign", number(&|r| comparison.foreign[rows[r].0])),
        ("rank", number(&|r| rank(rows[r].0))),
        (
            "says",
            text(&|r| comparison.sentence(rows[r].0, &labels[rows[r].0])),
        ),
    ] {
        columns.push((name.to_owned(), column));
    }
    Frame {
        columns,
        ..Default::default()
    }
}

/// The comparison for reading: newcomers from the most foreign to the least.
fn report(
    diagram: &Diagram,
    labels: &[String],
    comparison: &Comparison,
    jointly: Option<(&Together, &[f64])>,
    anew: Option<&Reembedding>,
) -> String {
    let mut text = String::new();
    let shown = diagram.dimensions().min(AXES_SHOWN);
    // Writing to a string cannot fail.
    for &i in &comparison.ranking {
        let _ = writeln!(text, "{}", labels[i]);
        for line in wrapped(&comparison.sentence(i, &labels[i])) {
            let _ = writeln!(text, "  {line}");
        }
        let axes: String = (1..=shown)
            .map(|j| format!("{:>12}", format!("axis{j}")))
            .collect();
        let _ = writeln!(
            text,
            "  {:<12}{axes}{:>14}{:>16}  status",
            "strategy", "objective", "distance error"
        );
        let all = comparison
            .placements
            .iter()
            .zip(&comparison.distance_errors);
        let mut rows: Vec<_> = all.map(|(p, e)| (p, p.strategy.word(), e[i])).collect();
        if let Some((together, errors)) = jointly {
            rows.push((&together.placements, "jointly", errors[i]));
        }
        for (placements, name, error) in rows {
            let point: String = (0..shown)
                .map(|j| short(placements.point(i)[j], 12))
                .collect();
            let _ = writeln!(
                text,
                "  {name:<12}{point}{}{}  {}",
                short(placements.objective[i], 14),
                short(error, 16),
                placements.status[i]
            );
        }
        if let Some(anew) = anew {
            let point: String = (0..shown)
                .map(|j| short(anew.newcomers[(i, j)], 12))
                .collect();
            let _ = writeln!(
                text,
                "  {:<12}{point}{:>14}{:>16}  old objects move",
                "re-embedded", "–", "–"
            );
        }
        let _ = writeln!(text);
    }
    if let Some(anew) = anew {
        let farthest = (0..diagram.count())
            .max_by(|&a, &b| anew.displacements[a].total_cmp(&anew.displacements[b]))
            .map_or("", |i| &diagram.labels()[i]);
        let _ = writeln!(
            text,
            "re-embedded: all objects mapped anew and turned back onto the map, which moves the old objects by \
             {:.3} of the map's spread (root mean square), most of all {farthest} ({:.3}).",
            anew.root_mean_square / comparison.spread,
            anew.largest / comparison.spread
        );
    }
    if let Some((together, _)) = jointly {
        let _ = match (together.certified, together.gap) {
            (true, _) => writeln!(text, "jointly: certified, no joint placement is better"),
            (false, Some(gap)) => writeln!(
                text,
                "jointly: not certified, at most {:.2} % above the minimum",
                100.0 * gap
            ),
            (false, None) => writeln!(text, "jointly: not certified"),
        };
    }
    for (_, why) in &comparison.left_out {
        let _ = writeln!(text, "{why}");
    }
    let _ = writeln!(
        text,
        "distance error: root mean square of shown minus given distances to the {} old objects.\n\
         objective: of each strategy's own kind; those of project, reconstruct and augment compare.",
        diagram.count()
    );
    text
}

/// Six digits, right-aligned; nothing for NaN.
fn short(value: f64, width: usize) -> String {
    let text = match value.abs() {
        _ if value.is_nan() => "–".to_owned(),
        0.0 => "0".to_owned(),
        1e-3..1e7 => {
            let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 8) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.5e}"),
    };
    // A column is never narrower than its number and a blank.
    format!(" {text:>w$}", w = width - 1)
}

/// A sentence in lines of a readable width.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > 92 {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}
