//! Tables of placements, by the contract: `label, axis1…axisd, strategy, lambda, objective, residual,
//! status, known, p, p_outside, p_inside`, further columns after these.

use std::io::Write;
use std::path::Path;

use adjoin::{Map, Placements, Remark, Status, Strategy};
use adjoin_formats::{Column, Configuration, Frame, Output, OutputFormat, write_frame};
use faer::MatRef;

use crate::args::Common;
use crate::error::Error;

/// The old objects that a table is about: a map's, or those of a configuration without one.
pub struct Old<'a> {
    pub labels: &'a [String],
    pub coordinates: MatRef<'a, f64>,
    /// None for a configuration without a map.
    pub map: Option<&'a Map>,
}

impl<'a> From<&'a Map> for Old<'a> {
    fn from(map: &'a Map) -> Self {
        Self {
            labels: map.labels(),
            coordinates: map.configuration(),
            map: Some(map),
        }
    }
}

impl<'a> From<&'a Configuration> for Old<'a> {
    fn from(given: &'a Configuration) -> Self {
        let (n, d) = (given.labels.len(), given.dimensions);
        Self {
            labels: &given.labels,
            coordinates: MatRef::from_row_major_slice(&given.coordinates, n, d),
            map: None,
        }
    }
}

/// What a table of placements is made from.
pub struct Table<'a> {
    pub old: Old<'a>,
    pub labels: &'a [String],
    pub placements: &'a Placements,
    /// Of a joint placement: whether it is certified, and how far it may be from the best.
    pub joint: Option<(bool, Option<f64>)>,
    /// What is remarkable about the newcomers.
    pub remarks: &'a [Remark],
    pub all_minimisers: bool,
    /// Whether a proof was asked for.
    pub proved: bool,
    /// Whether it was asked how certain places are.
    pub uncertain: bool,
    pub with_old: bool,
    /// The old objects where each is placed without itself; where they were fitted if there is none.
    pub left_out: Option<&'a Placements>,
    /// Variables and their scores on the axes.
    pub variables: Vec<(String, Vec<f64>)>,
}

/// One row: an old object, or one of a newcomer's places, the first being its placement.
#[derive(Clone, Copy)]
enum Row<'a> {
    Old(usize),
    New(usize, &'a [f64], usize),
}

impl Table<'_> {
    pub fn frame(&self) -> Frame {
        let placements = self.placements;
        let d = placements.dimensions;
        let rows = self.rows();
        let text = |old: &dyn Fn(usize) -> String, new: &dyn Fn(usize) -> String| {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(i) => old(i),
                Row::New(i, ..) => new(i),
            };
            Column::Text(rows.iter().map(cell).collect())
        };
        // Of an old object there is something to say only if it was placed without itself.
        let number = |of: &dyn Fn(&Placements, usize) -> f64| {
            let cell = |row: &Row<'_>| match (*row, self.left_out) {
                (Row::Old(i), Some(old)) => of(old, i),
                (Row::Old(_), None) => f64::NAN,
                (Row::New(i, ..), _) => of(placements, i),
            };
            Column::Number(rows.iter().map(cell).collect())
        };
        let word = |of: &dyn Fn(&Placements, usize) -> String| {
            let old = |i: usize| self.left_out.map_or(String::new(), |old| of(old, i));
            text(&old, &|i| of(placements, i))
        };

        let mut columns: Vec<(String, Column)> = Vec::new();
        let mut push = |name: &str, column: Column| columns.push((name.to_owned(), column));
        let old_label = |i: usize| self.old.labels[i].clone();
        push("label", text(&old_label, &|i| self.labels[i].clone()));
        for j in 0..d {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(i) => match self.left_out {
                    Some(old) => old.point(i)[j],
                    None => self.old.coordinates[(i, j)],
                },
                Row::New(_, y, _) => y[j],
            };
            let column = Column::Number(rows.iter().map(cell).collect());
            push(&format!("axis{}", j + 1), column);
        }
        push("strategy", word(&|p, _| p.strategy.word().to_owned()));
        push("lambda", number(&|p, i| p.lambda[i]));
        push("objective", number(&|p, i| p.objective[i]));
        push("residual", number(&|p, i| p.residual[i]));
        push("status", word(&|p, i| p.status[i].word().to_owned()));
        push("known", number(&|p, i| p.known[i] as f64));
        push("p", number(&|p, i| p.p[i]));
        push("p_outside", number(&|p, i| p.p_outside[i]));
        push("p_inside", number(&|p, i| p.p_inside[i]));
        if self.with_old {
            push("role", text(&|_| "old".into(), &|_| "new".into()));
        }
        if self.all_minimisers {
            let cell = |row: &Row<'_>| match *row {
                Row::Old(_) => f64::NAN,
                Row::New(_, _, number) => number as f64,
            };
            push("minimiser", Column::Number(rows.iter().map(cell).collect()));
        }
        if self.joint.is_some() || self.proved || placements.strategy == Strategy::Hyperplane {
            let cell = |row: &Row<'_>| match (row, self.joint) {
                (Row::Old(_), _) => None,
                (_, Some((certified, _))) => Some(certified),
                (Row::New(i, ..), None) => placements.certified(*i),
            };
            push("certified", Column::Flag(rows.iter().map(cell).collect()));
            let cell = |row: &Row<'_>| match (row, self.joint) {
                (Row::Old(_), _) => f64::NAN,
                (_, Some((_, gap))) => gap.unwrap_or(f64::NAN),
                (Row::New(i, ..), None) => placements.gap[*i],
            };
            push("gap", Column::Number(rows.iter().map(cell).collect()));
        }
        push("share", number(&|p, i| p.share[i]));
        push("displacement", number(&|p, i| p.displacement[i]));
        push("p_nearest", number(&|p, i| p.p_nearest[i]));
        push("stationarity", number(&|p, i| p.stationarity[i]));
        push("margin", number(&|p, i| p.margin[i]));
        push("side", number(&|p, i| p.side[i]));
        push("jump", number(&|p, i| p.jump[i]));
        push("stretch", number(&|p, i| p.stretch[i]));
        for j in (0..d).filter(|_| self.uncertain) {
            let column = number(&|p, i| p.standard_error(i, j));
            push(&format!("se{}", j + 1), column);
        }
        if placements.strategy == Strategy::Stress {
            push("relative_stress", number(&|p, i| p.relative_stress[i]));
        }
        let who = rows.iter().map(|row| match *row {
            Row::Old(_) => None,
            Row::New(i, ..) => Some(i),
        });
        if self.uncertain {
            let nothing = vec![f64::NAN; d * d];
            let of = |row: &Row<'_>| match *row {
                Row::New(i, ..) => &placements.covariance[i * d * d..(i + 1) * d * d],
                Row::Old(_) => &nothing,
            };
            let squares = Column::Square(d, rows.iter().flat_map(of).copied().collect());
            columns.push(("covariance".to_owned(), squares));
        }
        columns.push(remarked(self.remarks, who));
        let diagram = self.old.map.map(Map::diagram);
        Frame {
            columns,
            eigenvalues: diagram.map_or(Vec::new(), |d| d.eigenvalues().to_vec()),
            proportions: self.old.map.map_or(Vec::new(), Map::proportions),
            variables: self.variables.clone(),
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        if self.with_old {
            rows.extend((0..self.old.labels.len()).map(Row::Old));
        }
        let mut others = self.placements.alternatives.iter().peekable();
        for i in 0..self.placements.count() {
            rows.push(Row::New(i, self.placements.point(i), 1));
            let mut number = 1;
            while let Some((_, y)) = others.next_if(|(at, _)| *at == i) {
                if self.all_minimisers {
                    number += 1;
                    rows.push(Row::New(i, y, number));
                }
            }
        }
        rows
    }
}

/// The column `remarks`, which only JSON has: what is said of the newcomer of each row.
pub fn remarked(
    remarks: &[Remark],
    newcomers: impl Iterator<Item = Option<usize>>,
) -> (String, Column) {
    let of = |i: usize| remarks.iter().filter(move |r| r.newcomers.contains(&i));
    let said = newcomers.map(|newcomer| {
        let remarks = newcomer.into_iter().flat_map(of);
        remarks.map(|r| r.sentence.clone()).collect()
    });
    ("remarks".to_owned(), Column::List(said.collect()))
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

/// Says what is missing from the output, a line each; the answer is the exit code.
pub fn incomplete(unplaced: &[String]) -> u8 {
    for line in unplaced {
        crate::words::put(format_args!("adjoin: {line}"));
    }
    if unplaced.is_empty() {
        0
    } else {
        crate::INCOMPLETE
    }
}

/// Writes a table whole or not at all: JSON if asked for, otherwise by the file's extension.
pub fn write(mut frame: Frame, path: &Path, common: &Common) -> Result<(), Error> {
    if !common.json {
        // Cells are no place for sentences.
        if OutputFormat::of(path)? != OutputFormat::Json {
            frame.columns.retain(|(_, c)| !matches!(c, Column::List(_)));
        }
        return Ok(adjoin_formats::write_frame_to(&frame, path)?);
    }
    let mut bytes = Vec::new();
    write_frame(&frame, OutputFormat::Json, &mut bytes)
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
