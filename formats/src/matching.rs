//! Which row and column of a file is which object of the map.
//!
//! Labels decide, in any order. A rectangle has newcomers in its rows and the map's objects in its
//! columns (further columns may be newcomers themselves); a square over old and new objects is
//! split into what is between the two, what is between the newcomers, and the old part that the
//! caller compares with the map. A label that is missing, doubled or unknown is named.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::between::Pairs;
use crate::cell::is_numeric;
use crate::error::{Error, count, quote};
use crate::matrix::{Matrix, newcomer_positions, places};
use crate::nearest::nearest_label;

/// How far the two halves of a square may differ, relative to its largest number: what is lost
/// when single precision or seven printed digits come in between.
const ASYMMETRY: f64 = 1e-6;

/// What a file says of the newcomers.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched<'a> {
    /// Labels of the newcomers, in the order of the file.
    pub newcomers: Vec<String>,
    /// Proximities of each newcomer to the map's objects in the map's order, newcomer by newcomer.
    /// Borrowed from the file's matrix if that has the same order.
    pub cross: Cow<'a, [f64]>,
    /// Proximities between the newcomers; `None` if the file has none at all.
    pub between: Option<Pairs>,
    /// Proximities between the map's objects in the map's order, if the file has them.
    pub old: Option<Cow<'a, [f64]>>,
    /// The line of each newcomer, 0 where the format has no lines.
    pub lines: Vec<u64>,
    /// Whether the diagonal of `between` is not in the file.
    pub diagonal_absent: bool,
    /// Whether objects were matched by position for want of labels.
    pub by_position: bool,
    /// The file's name, for messages.
    pub source: &'a str,
}

/// Finds the newcomers of a file, given the labels of the `references` that newcomers are compared with and of all
/// `objects` on the map; what the file says of the others is not needed. If it may be `partial`, columns that are absent
/// are missing proximities, and rows of old objects beside them are passed over.
///
/// # Errors
/// If a label is missing, doubled, unknown or on the map already, with its name.
pub fn match_newcomers<'a>(
    new: &'a Matrix,
    references: &[String],
    objects: &[String],
    partial: bool,
) -> Result<Matched<'a>, Error> {
    let old_labels = references;
    if !new.labelled {
        return match_by_position(new, old_labels.len());
    }
    let old = places(objects);
    let column_of = places(&new.columns);
    let missing = || {
        old_labels
            .iter()
            .filter(|label| !column_of.contains_key(label.as_str()))
    };
    let absent = missing().next().is_some();
    if absent {
        // Are the map's objects in the rows instead?
        let row_of = places(&new.rows);
        let in_rows = |label: &String| row_of.contains_key(label.as_str());
        // A list of pairs has no rows and columns of its own: it is turned, if that brings any of them there.
        let transposed = (old_labels.iter().all(in_rows)
            || (partial || new.interchangeable) && old_labels.iter().any(in_rows))
            && !new
                .columns
                .iter()
                .any(|label| old.contains_key(label.as_str()));
        if transposed && new.interchangeable {
            return match_newcomers(&new.transposed(), references, objects, partial)
                .map(|matched| matched.into_owned(&new.source));
        }
        let some = missing().count() < old_labels.len();
        if !(partial && some) {
            return Err(missing_columns(
                new,
                [references, objects],
                missing(),
                transposed,
            ));
        }
    }
    let row_of = places(&new.rows);
    if let Some(label) = new
        .columns
        .iter()
        .find(|label| !old.contains_key(label.as_str()) && !row_of.contains_key(label.as_str()))
    {
        return Err(Error::mismatch(
            &new.source,
            new.header_line,
            format!(
                "the unknown column {}{}",
                quote(label),
                nearest_label(label, missing())
            ),
            "columns that are objects of the map or newcomers with a row",
        ));
    }
    let newcomers: Vec<usize> = (0..new.rows.len())
        .filter(|&i| !old.contains_key(new.rows[i].as_str()))
        .collect();
    if newcomers.is_empty() {
        return Err(Error::mismatch(
            &new.source,
            None,
            format!(
                "{}, all of them on the map already",
                count(new.rows.len(), "row")
            ),
            "at least one newcomer",
        ));
    }
    // The old part of a table that has not all objects cannot be compared with the map.
    let has_old = newcomers.len() < new.rows.len() && !absent;
    if has_old
        && let Some(label) = old_labels
            .iter()
            .find(|label| !row_of.contains_key(label.as_str()))
    {
        let double = new
            .rows
            .iter()
            .position(|label| old.contains_key(label.as_str()))
            .unwrap_or(0);
        return Err(Error::mismatch(
            &new.source,
            new.line(double),
            format!(
                "a row for {}, which is on the map, but none for {}",
                quote(&new.rows[double]),
                quote(label)
            ),
            "rows for newcomers only, or for all objects of the map as well",
        ));
    }
    let columns: Vec<usize> = old_labels
        .iter()
        .filter_map(|label| column_of.get(label.as_str()).copied())
        .collect();
    let mut cross = if absent {
        let columns = old_labels
            .iter()
            .map(|label| column_of.get(label.as_str()).copied());
        Cow::Owned(select_some(new, &newcomers, &columns.collect::<Vec<_>>()))
    } else {
        select(new, &newcomers, &columns)
    };
    let mut old = None;
    if has_old {
        let rows: Vec<usize> = old_labels
            .iter()
            .map(|label| row_of[label.as_str()])
            .collect();
        check_symmetry(new, &newcomers, &rows, &column_of, old_labels)?;
        fill_from_other_half(&mut cross, new, &newcomers, (&rows, &column_of));
        old = old_part(select(new, &rows, &columns), old_labels, new)?;
    }
    let between = between_newcomers(new, &newcomers, &column_of);
    Ok(Matched {
        lines: newcomers
            .iter()
            .map(|&i| new.lines.get(i).copied().unwrap_or(0))
            .collect(),
        newcomers: newcomers.iter().map(|&i| new.rows[i].clone()).collect(),
        cross,
        between,
        old,
        diagonal_absent: new.diagonal_absent,
        by_position: false,
        source: &new.source,
    })
}

impl Matched<'_> {
    /// The same, independent of the matrix it was taken from.
    fn into_owned(self, source: &str) -> Matched<'_> {
        Matched {
            newcomers: self.newcomers,
            cross: Cow::Owned(self.cross.into_owned()),
            between: self.between,
            old: self.old.map(|old| Cow::Owned(old.into_owned())),
            lines: self.lines,
            diagonal_absent: self.diagonal_absent,
            by_position: self.by_position,
            source,
        }
    }
}

fn match_by_position(new: &Matrix, n: usize) -> Result<Matched<'_>, Error> {
    let (k, m) = new.shape();
    if m != n {
        return Err(Error::mismatch(
            &new.source,
            None,
            format!("an array of {k} × {m} without labels"),
            format!(
                "{n} columns, one for each object of the map{}",
                if k == n {
                    " (it may have to be transposed)"
                } else {
                    ""
                }
            ),
        ));
    }
    Ok(Matched {
        newcomers: newcomer_positions(&new.rows),
        cross: Cow::Borrowed(&new.values),
        between: None,
        old: None,
        lines: vec![0; k],
        diagonal_absent: false,
        by_position: true,
        source: &new.source,
    })
}

fn missing_columns<'l>(
    new: &Matrix,
    [references, objects]: [&[String]; 2],
    missing: impl Iterator<Item = &'l String>,
    transposed: bool,
) -> Error {
    let missing: Vec<&String> = missing.collect();
    if headless(new) && missing.len() == references.len() {
        return without_header(new, "the labels of the map's objects");
    }
    let mut found = String::from(if new.interchangeable {
        "no pair with "
    } else {
        "no column for "
    });
    if let Some(label) = missing.first() {
        found += &quote(label);
        if missing.len() > 1 {
            found += &format!(" and {} more", missing.len() - 1);
        }
        if !transposed {
            // What stands in its place is no object of the map; a list of pairs may have it in the rows.
            let old = places(objects);
            let rows = new.rows.iter().filter(|_| new.interchangeable);
            let strange = new.columns.iter().chain(rows);
            let strange = strange.filter(|l| !old.contains_key(l.as_str()));
            found += &nearest_label(label, strange);
        }
    }
    let mut expected = format!(
        "one for each of the map's {}",
        count(references.len(), "object")
    );
    if transposed {
        expected += " (they are in the rows: transpose the table)";
        return Error::mismatch(&new.source, new.header_line, found, expected);
    }
    Error::Absent {
        file: new.source.clone(),
        line: Some(new.header_line).filter(|line| *line > 0),
        found,
        expected,
    }
}

/// Whether what was read as labels of columns are numbers, and not whole ones: the first row of a table without a header.
fn headless(table: &Matrix) -> bool {
    let columns = || table.columns.iter();
    let broken = |label: &String| {
        label
            .bytes()
            .any(|b| matches!(b, b'.' | b'e' | b'E' | b'-'))
    };
    table.header_line > 0 && columns().all(|l| is_numeric(l.as_bytes())) && columns().any(broken)
}

fn without_header(table: &Matrix, labels: &str) -> Error {
    let first = table.columns.first().map_or("", String::as_str);
    Error::mismatch(
        &table.source,
        table.header_line,
        format!("numbers where the labels of columns stand ({first} first)"),
        format!("a header with {labels}: rows that have labels need one"),
    )
}

/// What only the row of an old object says of it and a newcomer holds for both, as it does between newcomers. `old` are the rows of the
/// old objects, in the order of `cross`.
fn fill_from_other_half(
    cross: &mut Cow<'_, [f64]>,
    new: &Matrix,
    newcomers: &[usize],
    (old, column_of): (&[usize], &HashMap<&str, usize>),
) {
    let values = cross.iter().enumerate();
    let gaps: Vec<usize> = values
        .filter(|(_, v)| v.is_nan())
        .map(|(at, _)| at)
        .collect();
    for at in gaps {
        let label = new.rows[newcomers[at / old.len()]].as_str();
        if let Some(&column) = column_of.get(label) {
            let value = new.row(old[at % old.len()])[column];
            if !value.is_nan() {
                cross.to_mut()[at] = value;
            }
        }
    }
}

/// Some rows and columns of a matrix, borrowed if they are all of it in order.
fn select<'a>(matrix: &'a Matrix, rows: &[usize], columns: &[usize]) -> Cow<'a, [f64]> {
    let (_, m) = matrix.shape();
    let run = |list: &[usize]| list.windows(2).all(|w| w[1] == w[0] + 1);
    let whole = columns.len() == m && run(columns);
    if whole && run(rows) {
        let first = rows.first().copied().unwrap_or(0);
        return Cow::Borrowed(&matrix.values[first * m..(first + rows.len()) * m]);
    }
    let mut values = Vec::with_capacity(rows.len() * columns.len());
    for &i in rows {
        let row = matrix.row(i);
        match columns.first() {
            // Columns that stand together are copied together.
            Some(&first) if run(columns) => {
                values.extend_from_slice(&row[first..first + columns.len()])
            }
            _ => values.extend(columns.iter().map(|&j| row[j])),
        }
    }
    Cow::Owned(values)
}

/// The same where some columns are absent: NaN stands for them.
fn select_some(matrix: &Matrix, rows: &[usize], columns: &[Option<usize>]) -> Vec<f64> {
    // Who is in no pair of a list is in none of a newcomer's.
    let absent = matrix.of_unlisted.unwrap_or(f64::NAN);
    let cell = |row: &[f64], column: &Option<usize>| column.map_or(absent, |j| row[j]);
    rows.iter()
        .flat_map(|&i| {
            columns
                .iter()
                .map(move |column| cell(matrix.row(i), column))
        })
        .collect()
}

/// The old part, if it is there; a list of pairs may lack it, but not in parts.
fn old_part<'a>(
    values: Cow<'a, [f64]>,
    labels: &[String],
    new: &Matrix,
) -> Result<Option<Cow<'a, [f64]>>, Error> {
    let n = labels.len();
    let beside = |at: usize| at / n != at % n;
    if values
        .iter()
        .enumerate()
        .all(|(at, x)| x.is_nan() || !beside(at))
        && n > 1
    {
        return Ok(None);
    }
    match values.iter().position(|x| x.is_nan()) {
        None => Ok(Some(values)),
        Some(at) => Err(Error::mismatch(
            &new.source,
            None,
            format!(
                "no proximity between {} and {}, which are on the map",
                quote(&labels[at / n]),
                quote(&labels[at % n])
            ),
            "all proximities between the map's objects, or none",
        )),
    }
}

/// Refuses a square in which a newcomer is not as far from an old object as that is from it.
fn check_symmetry(
    new: &Matrix,
    newcomers: &[usize],
    old_rows: &[usize],
    column_of: &HashMap<&str, usize>,
    old_labels: &[String],
) -> Result<(), Error> {
    let largest = new.values.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    for &i in newcomers {
        let Some(&mirror) = column_of.get(new.rows[i].as_str()) else {
            continue;
        };
        for (label, &old_row) in old_labels.iter().zip(old_rows) {
            let here = new.row(i)[column_of[label.as_str()]];
            let there = new.row(old_row)[mirror];
            if (here - there).abs() > ASYMMETRY * largest {
                return Err(Error::mismatch(
                    &new.source,
                    new.line(i),
                    format!(
                        "{here} from {} to {} but {there} back",
                        quote(&new.rows[i]),
                        quote(label)
                    ),
                    "a symmetric square",
                ));
            }
        }
    }
    Ok(())
}

fn between_newcomers(
    new: &Matrix,
    newcomers: &[usize],
    column_of: &HashMap<&str, usize>,
) -> Option<Pairs> {
    let column = |at: usize| column_of.get(new.rows[newcomers[at]].as_str());
    let (who, columns): (Vec<usize>, Vec<usize>) = (0..newcomers.len())
        .filter_map(|at| Some((at, *column(at)?)))
        .unzip();
    if who.is_empty() {
        return None;
    }
    let values = select(new, newcomers, &columns).into_owned();
    Some(Pairs::some(newcomers.len(), who, values))
}

/// The proximities of the old objects as a square whose rows are in the order of its columns.
///
/// # Errors
/// If a label is among the rows or the columns only.
pub fn square(mut matrix: Matrix) -> Result<Matrix, Error> {
    let (k, m) = matrix.shape();
    if !matrix.labelled {
        if k != m {
            return Err(Error::mismatch(
                &matrix.source,
                None,
                format!("an array of {k} × {m} without labels"),
                "a square",
            ));
        }
        matrix.columns = matrix.rows.clone();
        return Ok(matrix);
    }
    if matrix.is_square() {
        return Ok(matrix);
    }
    let row_of = places(&matrix.rows);
    let column_of = places(&matrix.columns);
    if let Some(label) = matrix
        .columns
        .iter()
        .find(|label| !row_of.contains_key(label.as_str()))
    {
        if headless(&matrix) {
            return Err(without_header(&matrix, "the labels of the rows"));
        }
        let rows = matrix.rows.iter();
        let near = nearest_label(
            label,
            rows.filter(|row| !column_of.contains_key(row.as_str())),
        );
        // Features have nothing in common with objects.
        let expected = if matrix
            .columns
            .iter()
            .any(|l| row_of.contains_key(l.as_str()))
        {
            "a square with the same labels in rows and columns"
        } else {
            "a square with the same labels in rows and columns; a table of features needs a metric or a kernel"
        };
        return Err(Error::mismatch(
            &matrix.source,
            matrix.header_line,
            format!("a column but no row for {}{near}", quote(label)),
            expected,
        ));
    }
    if let Some(i) = matrix
        .rows
        .iter()
        .position(|label| !column_of.contains_key(label.as_str()))
    {
        return Err(Error::mismatch(
            &matrix.source,
            matrix.line(i),
            format!("a row but no column for {}", quote(&matrix.rows[i])),
            "a square with the same labels in rows and columns",
        ));
    }
    let order: Vec<usize> = matrix
        .columns
        .iter()
        .map(|label| row_of[label.as_str()])
        .collect();
    let mut values = Vec::with_capacity(matrix.values.len());
    for &i in &order {
        values.extend_from_slice(matrix.row(i));
    }
    let lines = order
        .iter()
        .map(|&i| matrix.lines.get(i).copied().unwrap_or(0))
        .collect();
    matrix.values = values;
    matrix.lines = lines;
    matrix.rows = matrix.columns.clone();
    Ok(matrix)
}

/// The proximities between newcomers, from a file of their own, in the order of `newcomers`.
///
/// # Errors
/// If a newcomer is missing, or a label is not a newcomer's.
pub fn match_between(matrix: Matrix, newcomers: &[String]) -> Result<Vec<f64>, Error> {
    among(matrix, newcomers, "newcomer")
}

/// The proximities between the old objects, in the order of the map's `objects`.
///
/// # Errors
/// If one of them is missing, or a label is not on the map.
pub fn match_old(matrix: Matrix, objects: &[String]) -> Result<Vec<f64>, Error> {
    among(matrix, objects, "object of the map")
}

/// The proximities between `labels`, each of them a `who`.
fn among(matrix: Matrix, labels: &[String], who: &str) -> Result<Vec<f64>, Error> {
    let matrix = square(matrix)?;
    let k = labels.len();
    if !matrix.labelled {
        return match matrix.rows.len() {
            m if m == k => Ok(matrix.values),
            m => Err(Error::mismatch(
                &matrix.source,
                None,
                format!("an array of {m} × {m} without labels"),
                format!("{k} × {k}, a row for each {who}"),
            )),
        };
    }
    let place = places(labels);
    if let Some(i) = matrix
        .rows
        .iter()
        .position(|label| !place.contains_key(label.as_str()))
    {
        let row_of = places(&matrix.rows);
        let without = labels.iter();
        let without = without.filter(|label| !row_of.contains_key(label.as_str()));
        let near = nearest_label(&matrix.rows[i], without);
        return Err(Error::mismatch(
            &matrix.source,
            matrix.line(i),
            format!(
                "{}, which is not {} {who}{near}",
                quote(&matrix.rows[i]),
                if who == "newcomer" { "a" } else { "an" }
            ),
            format!(
                "labels of {}",
                if who == "newcomer" {
                    "newcomers"
                } else {
                    "the map's objects"
                }
            ),
        ));
    }
    let row_of = places(&matrix.rows);
    let mut order = Vec::with_capacity(k);
    for label in labels {
        match row_of.get(label.as_str()) {
            Some(&i) => order.push(i),
            None => {
                return Err(Error::mismatch(
                    &matrix.source,
                    None,
                    format!("no row for the {who} {}", quote(label)),
                    format!("one for each {who}"),
                ));
            }
        }
    }
    Ok(select(&matrix, &order, &order).into_owned())
}
