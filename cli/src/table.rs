//! Tables of placements, by the contract: `label, axis1…axisd, strategy, lambda, objective, residual,
//! status`, further columns after these.

use std::io::Write;
use std::path::Path;

use adjoin::compare::foreign_each;
use adjoin::diagram::Diagram;
use adjoin::model::Model;
use adjoin::placement::{Placements, Status, Strategy};
use adjoin_formats::{Column, Frame, Output, OutputFormat, write_frame};
use faer::MatRef;

use crate::args::Common;
use crate::error::Error;

/// How the newcomers of a joint placement are certified together.
pub struct Joint {
    pub certified: bool,
    pub gap: Option<f64>,
}

/// The old objects that a table is about: a map's, or those of a configuration without one.
pub struct Old<'a> {
    pub labels: &'a [String],
    pub coordinates: MatRef<'a, f64>,
    /// None for a configuration without a map.
    pub diagram: Option<&'a Diagram>,
}

impl<'a> From<&'a Model> for Old<'a> {
    fn from(model: &'a Model) -> Self {
        Self {
            labels: model.labels(),
            coordinates: model.configuration(),
            diagram: Some(model.diagram()),
        }
    }
}

/// What a table of placements is made from.
pub struct Table<'a> {
    pub old: Old<'a>,
    pub labels: &'a [String],
    pub placements: &'a Placements,
    pub joint: Option<Joint>,
    pub all_minimisers: bool,
    pub with_old: bool,
}

/// One row: a placement, one of its alternatives, or an old object.
enum Row<'a> {
    Old(usize),
    Placed(usize),
    Other(usize, &'a [f64], u64),
}

impl Table<'_> {
    pub fn frame(&self) -> Frame {
        let placements = self.placements;
        let (k, d) = (placements.count(), placements.dimensions);
        let mut rows: Vec<Row<'_>> = Vec::new();
        if self.with_old {
            rows.extend((0..self.old.labels.len()).map(Row::Old));
        }
        let mut others = placements.alternatives.iter().peekable();
        for i in 0..k {
            rows.push(Row::Placed(i));
            let mut number = 1;
            while let Some((_, y)) = others.next_if(|(at, _)| *at == i) {
                if self.all_minimisers {
                    number += 1;
                    rows.push(Row::Other(i, y, number));
                }
            }
        }

        let text = |old: &dyn Fn(usize) -> String, new: &dyn Fn(usize) -> String| {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(i) => old(i),
                Row::Placed(i) | Row::Other(i, ..) => new(i),
            };
            Column::Text(rows.iter().map(cell).collect())
        };
        let number = |values: &[f64]| {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(_) => f64::NAN,
                Row::Placed(i) | Row::Other(i, ..) => values[i],
            };
            Column::Number(rows.iter().map(cell).collect())
        };
        let nothing = |_: usize| String::new();

        let mut columns: Vec<(String, Column)> = Vec::new();
        let mut push = |name: &str, column: Column| columns.push((name.to_owned(), column));
        let old_label = |i: usize| self.old.labels[i].clone();
        push("label", text(&old_label, &|i| self.labels[i].clone()));
        let x = self.old.coordinates;
        for j in 0..d {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(i) => x[(i, j)],
                Row::Placed(i) => placements.point(i)[j],
                Row::Other(_, y, _) => y[j],
            };
            let column = Column::Number(rows.iter().map(cell).collect());
            push(&format!("axis{}", j + 1), column);
        }
        let word = |_: usize| placements.strategy.word().to_owned();
        push("strategy", text(&nothing, &word));
        push("lambda", number(&placements.lambda));
        push("objective", number(&placements.objective));
        push("residual", number(&placements.residual));
        let status = |i: usize| placements.status[i].word().to_owned();
        push("status", text(&nothing, &status));
        if self.with_old {
            push("role", text(&|_| "old".into(), &|_| "new".into()));
        }
        if self.all_minimisers {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(_) => f64::NAN,
                Row::Placed(_) => 1.0,
                Row::Other(_, _, number) => number as f64,
            };
            push("minimiser", Column::Number(rows.iter().map(cell).collect()));
        }
        if let Some(joint) = &self.joint {
            let certified = |row: &Row<'_>| match row {
                Row::Old(_) => None,
                _ => Some(joint.certified),
            };
            push(
                "certified",
                Column::Flag(rows.iter().map(certified).collect()),
            );
            push("gap", number(&vec![joint.gap.unwrap_or(f64::NAN); k]));
        }
        push("share", number(&placements.share));
        push("displacement", number(&placements.displacement));
        let strange = self.old.diagram.map_or_else(
            || vec![f64::NAN; k],
            |d| foreign_each(d, &placements.residual),
        );
        push("foreign", number(&strange));
        push("stationarity", number(&placements.stationarity));
        push("margin", number(&placements.margin));
        push("rival", number(&placements.rival));
        push("position", number(&placements.position));
        if placements.strategy == Strategy::Stress {
            push("relative_stress", number(&placements.relative_stress));
        }
        Frame {
            columns,
            eigenvalues: self
                .old
                .diagram
                .map_or(Vec::new(), |d| d.eigenvalues().to_vec()),
            proportions: self.old.diagram.map_or(Vec::new(), proportions),
        }
    }
}

/// The share of the variance on each axis: of all positive eigenvalues where they are known,
/// otherwise of the trace.
pub fn proportions(diagram: &Diagram) -> Vec<f64> {
    diagram.proportions()
}

/// One line for each newcomer that has no place.
pub fn unplaced(labels: &[String], placements: &Placements) -> Vec<String> {
    let strategy = placements.strategy.word();
    (0..placements.count())
        .filter_map(|i| {
            let why = match placements.status[i] {
                Status::NotApplicable => format!(
                    "{strategy} does not apply, as its proximities are not Euclidean (residual {})",
                    placements.residual[i]
                ),
                Status::TooFew => "too few of its proximities are known".to_owned(),
                _ => return None,
            };
            Some(format!("newcomer {:?} is not placed: {why}", labels[i]))
        })
        .collect()
}

/// Writes a table whole or not at all: JSON if asked for, otherwise by the file's extension.
pub fn write(frame: &Frame, path: &Path, common: &Common) -> Result<(), Error> {
    if !common.json {
        return Ok(adjoin_formats::write_frame_to(frame, path)?);
    }
    let mut bytes = Vec::new();
    write_frame(frame, OutputFormat::Json, &mut bytes)
        .map_err(|e| Error::Request(e.to_string()))?;
    put(&bytes, path)
}

/// Writes bytes to a file that appears whole or not at all.
pub fn put(bytes: &[u8], path: &Path) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    let name = output.name().to_owned();
    output
        .write_all(bytes)
        .map_err(|source| Error::File(adjoin_formats::Error::Write { file: name, source }))?;
    Ok(output.commit()?)
}

/// Writes bytes to stdout.
pub fn print(bytes: &[u8]) -> Result<(), Error> {
    put(bytes, Path::new("-"))
}
