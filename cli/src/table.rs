//! Tables of placements, by the contract: `label, axis1…axisd, strategy, lambda, objective, residual,
//! status, known, p, p_outside, p_inside`, further columns after these.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use adjoin::table::{self, Asked, Cell, Holds, columns};
use adjoin::{Assessment, Grouped, Map, Neighbours, Placements, Remark, Status};
use adjoin_formats::{
    Column, Configuration, Frame, Output, OutputFormat, Slices, write_slices, write_slices_to,
};
use faer::MatRef;
use serde_json::json;

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
    /// Whether they call for another map.
    pub assessment: Option<&'a Assessment>,
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
    /// The old objects that newcomers are nearest to.
    pub neighbours: Option<&'a Neighbours>,
    /// The groups that newcomers are of.
    pub grouped: Option<&'a Grouped>,
}

/// One row: an old object, or one of a newcomer's places, the first being its placement.
#[derive(Clone, Copy)]
enum Row<'a> {
    Old(usize),
    New(usize, &'a [f64], usize),
}

impl Table<'_> {
    /// Writes it whole or not at all, made a few rows at a time: JSON if asked for, otherwise by the file's extension.
    pub fn write(&self, path: &Path, common: &Common) -> Result<(), Error> {
        let json = common.json || OutputFormat::of(path)? == OutputFormat::Json;
        self.sliced(json, |slices| write_sliced(slices, path, common))
    }

    /// Hands it over as it is to be written: what is said in sentences, or of all rows together, for JSON only.
    pub fn sliced<T>(&self, json: bool, take: impl FnOnce(&Slices<'_>) -> T) -> T {
        let rows = self.rows();
        let of = |range: Range<usize>| Cow::Owned(self.frame(&rows[range], json));
        take(&Slices::new(rows.len(), &of))
    }

    fn frame(&self, rows: &[Row<'_>], json: bool) -> Frame {
        let placements = self.placements;
        let d = placements.dimensions;
        let mut frame: Vec<(String, Column)> = Vec::new();
        let mut push = |name: &str, column: Column| frame.push((name.to_owned(), column));
        let label = |row: &Row<'_>| match *row {
            Row::Old(i) => self.old.labels[i].clone(),
            Row::New(i, ..) => self.labels[i].clone(),
        };
        push("label", Column::Text(rows.iter().map(label).collect()));
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
        let asked = Asked {
            strategy: placements.strategy,
            dimensions: d,
            proved: self.proved || self.joint.is_some(),
            uncertain: self.uncertain,
        };
        let (contract, further): (Vec<_>, Vec<_>) =
            columns(&asked).into_iter().partition(|c| c.contract);
        for column in &contract {
            push(&column.name, self.column(column, rows));
        }
        for (name, column) in self.between(rows) {
            push(name, column);
        }
        for column in &further {
            push(&column.name, self.column(column, rows));
        }
        frame.extend(self.nearest(rows));
        frame.extend(self.groups(rows));
        if self.uncertain {
            let nothing = vec![f64::NAN; d * d];
            let of = |row: &Row<'_>| match *row {
                Row::New(i, ..) => &placements.covariance[i * d * d..(i + 1) * d * d],
                Row::Old(_) => &nothing,
            };
            let squares = Column::Square(d, rows.iter().flat_map(of).copied().collect());
            frame.push(("covariance".to_owned(), squares));
        }
        if json {
            let who = rows.iter().map(|row| match *row {
                Row::Old(_) => None,
                Row::New(i, ..) => Some(i),
            });
            frame.push(remarked(self.remarks, who));
            frame.extend(self.assessment.map(|a| assessed(a, rows.len())));
        }
        let diagram = self.old.map.map(Map::diagram);
        Frame {
            columns: frame,
            eigenvalues: diagram.map_or(Vec::new(), |d| d.eigenvalues().to_vec()),
            proportions: self.old.map.map_or(Vec::new(), Map::proportions),
            variables: self.variables.clone(),
        }
    }

    /// A column of the list. Of an old object there is something to say only if it was placed without itself.
    fn column(&self, column: &table::Column, rows: &[Row<'_>]) -> Column {
        let cell = |row: &Row<'_>| match (*row, self.left_out) {
            (Row::Old(_), _) if matches!(&column.name[..], "certified" | "gap") => None,
            (Row::Old(i), Some(old)) => Some(column.cell(old, i)),
            (Row::Old(_), None) => None,
            (Row::New(i, ..), _) => Some(match (&column.name[..], self.joint) {
                ("certified", Some((certified, _))) => Cell::Flag(Some(certified)),
                ("gap", Some((_, gap))) => Cell::Number(gap.unwrap_or(f64::NAN)),
                _ => column.cell(self.placements, i),
            }),
        };
        let cells = rows.iter().map(cell);
        match column.holds {
            Holds::Word => {
                let word = |cell| match cell {
                    Some(Cell::Word(word)) => word,
                    _ => "",
                };
                Column::Text(cells.map(|cell| word(cell).to_owned()).collect())
            }
            Holds::Flag => {
                let flag = |cell| match cell {
                    Some(Cell::Flag(flag)) => flag,
                    _ => None,
                };
                Column::Flag(cells.map(flag).collect())
            }
            _ => {
                let number = |cell| match cell {
                    Some(Cell::Number(number)) => number,
                    Some(Cell::Count(count)) => count as f64,
                    _ => f64::NAN,
                };
                Column::Number(cells.map(number).collect())
            }
        }
    }

    /// What stands between the columns of the contract and the further ones, if it was asked for.
    fn between(&self, rows: &[Row<'_>]) -> Vec<(&'static str, Column)> {
        let mut columns = Vec::new();
        if self.with_old {
            let role = |row: &Row<'_>| match row {
                Row::Old(_) => "old".to_owned(),
                Row::New(..) => "new".to_owned(),
            };
            columns.push(("role", Column::Text(rows.iter().map(role).collect())));
        }
        if self.all_minimisers {
            let number = |row: &Row<'_>| match *row {
                Row::Old(_) => f64::NAN,
                Row::New(_, _, number) => number as f64,
            };
            columns.push((
                "minimiser",
                Column::Number(rows.iter().map(number).collect()),
            ));
        }
        columns
    }

    /// Who is nearest, how near as given, and how near as shown.
    fn nearest(&self, rows: &[Row<'_>]) -> Vec<(String, Column)> {
        let Some(neighbours) = self.neighbours else {
            return Vec::new();
        };
        let mut columns = Vec::new();
        for place in 0..neighbours.count {
            let of = |row: &Row<'_>| match *row {
                Row::Old(_) => None,
                Row::New(i, ..) => Some(i * neighbours.count + place),
            };
            let object = |row: &Row<'_>| of(row).and_then(|at| neighbours.objects[at]);
            let name = |row| object(row).map_or("", |i| &self.old.labels[i]).to_owned();
            let given = |row| of(row).map_or(f64::NAN, |at| neighbours.given[at]);
            let shown = |row: &Row<'_>| match (object(row), row) {
                (Some(i), Row::New(_, y, _)) => {
                    let x = self.old.coordinates.row(i);
                    let squares = x.iter().zip(*y).map(|(x, y)| (x - y).powi(2));
                    squares.sum::<f64>().sqrt()
                }
                _ => f64::NAN,
            };
            let number = place + 1;
            columns.extend([
                (
                    format!("nearest{number}"),
                    Column::Text(rows.iter().map(name).collect()),
                ),
                (
                    format!("nearest{number}_given"),
                    Column::Number(rows.iter().map(given).collect()),
                ),
                (
                    format!("nearest{number}_shown"),
                    Column::Number(rows.iter().map(shown).collect()),
                ),
            ]);
        }
        columns
    }

    /// The group that is voted for, what the vote is worth, and every group's share and distance.
    fn groups(&self, rows: &[Row<'_>]) -> Vec<(String, Column)> {
        let Some(grouped) = self.grouped else {
            return Vec::new();
        };
        let newcomer = |row: &Row<'_>| match *row {
            Row::Old(_) => None,
            Row::New(i, ..) => Some(i),
        };
        let number = |of: &dyn Fn(usize) -> f64| {
            let cell = |row| newcomer(row).map_or(f64::NAN, of);
            Column::Number(rows.iter().map(cell).collect())
        };
        let name = |row| {
            let group = newcomer(row).and_then(|i| grouped.group[i]);
            group.map_or(String::new(), |g| grouped.groups[g].clone())
        };
        let count = grouped.groups.len();
        let mut columns = vec![
            (
                "group".to_owned(),
                Column::Text(rows.iter().map(name).collect()),
            ),
            ("group_accuracy".to_owned(), number(&|_| grouped.accuracy())),
        ];
        for (what, values) in [("vote", &grouped.shares), ("distance", &grouped.distances)] {
            for (g, group) in grouped.groups.iter().enumerate() {
                let column = number(&|i| values[i * count + g]);
                columns.push((format!("{what}_{group}"), column));
            }
        }
        columns
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
    // Newcomers are in their order, and a remark may be about all of them.
    let about = |r: &&Remark, i: usize| r.newcomers.binary_search(&i).is_ok();
    let of = |i: usize| remarks.iter().filter(move |r| about(r, i));
    let said = newcomers.map(|newcomer| {
        let remarks = newcomer.into_iter().flat_map(of);
        remarks.map(|r| r.sentence.clone()).collect()
    });
    ("remarks".to_owned(), Column::List(said.collect()))
}

/// The column `assessment`, which only JSON has: the same on each of so many rows.
pub fn assessed(assessment: &Assessment, rows: usize) -> (String, Column) {
    let known = |v: f64| Some(v).filter(|v| v.is_finite());
    let value = json!({
        "verdict": assessment.verdict.word(),
        "newcomers": assessment.newcomers,
        "unlike": assessment.unlike,
        "level": assessment.level,
        "chance": known(assessment.chance),
        "weight": known(assessment.weight),
        "between": assessment.between,
        "says": assessment.sentence(),
    });
    ("assessment".to_owned(), Column::Whole(value, rows))
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
    if !common.json && OutputFormat::of(path)? != OutputFormat::Json {
        frame.columns.retain(|(_, c)| !c.is_for_json());
    }
    let rows = frame.rows();
    write_sliced(
        &Slices::whole(rows, &|_| Cow::Borrowed(&frame)),
        path,
        common,
    )
}

fn write_sliced(slices: &Slices<'_>, path: &Path, common: &Common) -> Result<(), Error> {
    if !common.json {
        return Ok(write_slices_to(slices, path)?);
    }
    let mut output = Output::create(path)?;
    let written = write_slices(slices, OutputFormat::Json, &mut output);
    written.map_err(|source| unwritten(&output, source))?;
    Ok(output.commit()?)
}

fn unwritten(output: &Output, source: std::io::Error) -> Error {
    let file = output.name().to_owned();
    Error::File(adjoin_formats::Error::Write { file, source })
}

/// Writes bytes to a file that appears whole or not at all.
pub fn put(bytes: &[u8], path: &Path) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    let written = output.write_all(bytes);
    written.map_err(|source| unwritten(&output, source))?;
    Ok(output.commit()?)
}

/// Writes bytes to stdout.
pub fn print(bytes: &[u8]) -> Result<(), Error> {
    put(bytes, Path::new("-"))
}
