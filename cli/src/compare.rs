//! `adjoin compare`: all strategies side by side, and what they say of each newcomer.

use std::fmt::Write;
use std::path::Path;

use adjoin::{
    Assessment, Comparison, Map, Placements, Reembedding, Remark, Strategy, batch_sentence,
};
use adjoin_formats::{Column, Frame};

use crate::args::{Common, Compare};
use crate::error::Error;
use crate::input::{self, between, wrong};
use crate::table;
use crate::words::Words;

/// Axes shown in the report for reading; tables have them all.
const AXES_SHOWN: usize = 3;

pub fn run(args: &Compare, common: &Common, words: &Words) -> Result<u8, Error> {
    let joining = &args.joining;
    let (file, arrivals) = input::on_map(&args.new, joining.between.as_deref(), common, words)?;
    let (map, labels) = (&file.map, &arrivals.labels);
    let watch = |p| words.progress(p);
    let run = common.run(&watch);
    // One newcomer has nobody to be placed together with.
    let together = labels.len() > 1 && (joining.jointly || arrivals.has_between());
    let between = together.then(|| between(&arrivals));
    let compared = map.compare(&arrivals.newcomers(), between, run);
    let (border, comparison) = compared.map_err(wrong(&arrivals))?;
    words.done();
    let projected = comparison.by(Strategy::Project);
    let remarks = projected.map(|p| map.remarks(&border, p, Some(labels)));
    let remarks = remarks.unwrap_or_default();
    let together = comparison.jointly.as_ref().and_then(|(j, _)| j.outside);
    let assessment = map.assess(&border, together);
    words.remark(&arrivals.source, &remarks);
    words.timed(format_args!("{} newcomers compared", labels.len()));
    let output = args.output.as_deref();
    if let Some(path) = output.or(common.json.then_some(Path::new("-"))) {
        table::write(
            frame(labels, &comparison, &remarks, &assessment),
            path,
            common,
        )?;
    } else {
        // The map that all objects together would make, if all proximities between them are known.
        let anew = match arrivals.everything() {
            Some(all) => map.reembed(all.as_ref(), run).map_err(wrong(&arrivals))?,
            None => None,
        };
        words.done();
        let text = report(map, labels, &comparison, anew.as_ref(), &assessment);
        table::print(text.as_bytes())?;
    }
    // That one strategy does not apply is what a comparison is for; no projection is no place.
    let unplaced = projected.map_or_else(Vec::new, |p| table::unplaced(labels, p));
    Ok(table::incomplete(&unplaced))
}

/// What each strategy says, with its name and its errors; all newcomers together last.
fn answers(comparison: &Comparison) -> Vec<(&Placements, &'static str, &[f64])> {
    let alone = comparison
        .placements
        .iter()
        .zip(&comparison.distance_errors);
    let mut answers: Vec<_> = alone.map(|(p, e)| (p, p.strategy.word(), &e[..])).collect();
    if let Some((jointly, errors)) = &comparison.jointly {
        answers.push((&jointly.placements, "jointly", errors));
    }
    answers
}

/// One row for each newcomer and strategy.
fn frame(
    labels: &[String],
    comparison: &Comparison,
    remarks: &[Remark],
    assessment: &Assessment,
) -> Frame {
    let answers = answers(comparison);
    let rows: Vec<_> = (0..labels.len())
        .flat_map(|i| answers.iter().map(move |(p, name, e)| (i, *p, *name, e[i])))
        .collect();
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
        ("known", number(&|r| rows[r].1.known[rows[r].0] as f64)),
        ("distance_error", number(&|r| rows[r].3)),
        (
            "displacement",
            number(&|r| rows[r].1.displacement[rows[r].0]),
        ),
        ("share", number(&|r| rows[r].1.share[rows[r].0])),
        ("p", number(&|r| rows[r].1.p[rows[r].0])),
        ("p_outside", number(&|r| rows[r].1.p_outside[rows[r].0])),
        ("p_inside", number(&|r| rows[r].1.p_inside[rows[r].0])),
        ("p_nearest", number(&|r| rows[r].1.p_nearest[rows[r].0])),
        ("rank", number(&|r| rank(rows[r].0))),
        (
            "says",
            text(&|r| comparison.sentence(rows[r].0, &labels[rows[r].0])),
        ),
    ] {
        columns.push((name.to_owned(), column));
    }
    let who = rows.iter().map(|(i, ..)| Some(*i));
    columns.push(table::remarked(remarks, who));
    columns.push(table::assessed(assessment, rows.len()));
    Frame {
        columns,
        ..Default::default()
    }
}

/// The comparison for reading: those that are least like the old objects first.
fn report(
    map: &Map,
    labels: &[String],
    comparison: &Comparison,
    anew: Option<&Reembedding>,
    assessment: &Assessment,
) -> String {
    let diagram = map.diagram();
    let mut text = String::new();
    let shown = diagram.dimensions().min(AXES_SHOWN);
    if labels.len() > 1 {
        text += &summary(labels, comparison);
    }
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
        for (placements, name, errors) in answers(comparison) {
            let point: String = (0..shown)
                .map(|j| short(placements.point(i)[j], 12))
                .collect();
            let _ = writeln!(
                text,
                "  {name:<12}{point}{}{}  {}",
                short(placements.objective[i], 14),
                short(errors[i], 16),
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
    let projected = comparison.by(Strategy::Project);
    if let Some(said) = projected.and_then(|p| batch_sentence(&p.p, comparison.smallest_p)) {
        let _ = writeln!(text, "{said}.");
    }
    for line in wrapped(&format!("{}.", assessment.sentence())) {
        let _ = writeln!(text, "{line}");
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
    if let Some((jointly, _)) = &comparison.jointly {
        let _ = match (jointly.certified, jointly.gap) {
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

/// A line for each newcomer, in the order of the report.
fn summary(labels: &[String], comparison: &Comparison) -> String {
    let projected = comparison.by(Strategy::Project);
    let reconstructed = comparison.by(Strategy::Reconstruct);
    let known = comparison.placements.first().map(|p| &p.known);
    let wide = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let wide = wide.clamp(8, 40);
    let mut text = format!(
        "{} newcomers, those least like the old objects first:\n  {:<wide$} {:>8} {:>7} {:>7}\n",
        labels.len(),
        "newcomer",
        "p",
        "known",
        "apart"
    );
    let cell = |value: f64, width: usize| match value {
        v if v.is_nan() => format!(" {:>width$}", "–"),
        v => format!(" {v:>width$.2}"),
    };
    // 1/19 is not 0.05.
    let cell_of_p = |p: f64| match p {
        p if p < 0.1 => format!(" {p:>8.3}"),
        p => cell(p, 8),
    };
    for &i in &comparison.ranking {
        let label: String = labels[i].chars().take(wide).collect();
        let apart = reconstructed.map_or(f64::NAN, |p| p.displacement[i] / comparison.spread);
        text += &format!(
            "  {label:<wide$}{} {:>7}{}\n",
            cell_of_p(projected.map_or(f64::NAN, |p| p.p[i])),
            known.map_or(0, |k| k[i]),
            cell(apart, 7)
        );
    }
    text + "p: how likely an object like the old ones is to be as strange to the map.\napart: from projection to reconstruction, in the map's spread (the root mean square distance of its objects \
            from the centre).\n\n"
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
