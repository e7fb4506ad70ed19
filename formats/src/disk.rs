//! Newcomers in a file that is larger than memory: which of its rows and columns are whose, and its rows when they are asked
//! for.
//!
//! Labels decide here as in [`crate::matching`], by what is known before any number is read. Whatever only all numbers
//! together could tell is left to that: [`generation_of`] answers none, and the file is read whole.

use std::collections::HashSet;
use std::ops::Range;

use adjoin::{Map, Rows, Run};

use crate::blocks::{Blocks, OnDisk};
use crate::error::{Error, count, quote};
use crate::generation;
use crate::handles::Handles;
use crate::matrix::{counted, doubled, places};

/// Bytes below which a square on disk is read whole: it may say what is between the newcomers.
const SMALL_SQUARE: usize = 1 << 28;

/// The generation of the map that a file is for, if it can stay on disk; none if it is to be read whole, which tells what it
/// is or what is wrong with it.
pub fn generation_of(array: &OnDisk, map: &Map, asked: Option<usize>) -> Option<usize> {
    let (k, m) = array.blocks.shape();
    let newest = map.generations().len();
    let labels = array.labels.as_deref();
    let Some(columns) = array.columns.as_deref() else {
        let Some(labels) = labels.filter(|_| k == m) else {
            return generation::of_columns(m, map, asked);
        };
        if k.saturating_mul(m) <= SMALL_SQUARE / 8 {
            return None;
        }
        let there: HashSet<&str> = labels.iter().map(String::as_str).collect();
        let chosen = asked.or_else(|| map.generation_of(|label| there.contains(label)));
        return Some(chosen.unwrap_or(newest));
    };
    // Rows without labels under columns with some are newcomers.
    let labels = labels.unwrap_or_default();
    let there: HashSet<&str> = columns.iter().map(String::as_str).collect();
    let chosen = asked.or_else(|| map.generation_of(|label| there.contains(label)));
    let chosen = chosen.unwrap_or(newest);
    let then = map.generation(chosen).ok()?;
    let all = then.references().iter().all(|l| there.contains(l.as_str()));
    if !map.named() || !all || doubled(columns).is_some() || doubled(labels).is_some() {
        return None;
    }
    let old = places(then.labels());
    let is_old = |label: &String| old.contains_key(label.as_str());
    // A rectangle of newcomers, and nothing else; a later member is another's newcomer.
    if columns.iter().all(is_old) && !labels.iter().any(is_old) {
        return Some(chosen);
    }
    // A square, whose old part is looked over where it is.
    let rows = places(labels);
    let square = columns.iter().all(|c| rows.contains_key(c.as_str()));
    let large = k.saturating_mul(m) > SMALL_SQUARE / 8;
    let in_order = || {
        let own = then.references().iter().map(|l| rows.get(l.as_str()));
        own.collect::<Vec<_>>().is_sorted()
    };
    // Half of a square in text may be left empty, which only all of it tells.
    let whole = array.lines.is_empty();
    (square && large && whole && (!array.blocks.is_sequential() || in_order())).then_some(chosen)
}

/// The newcomers of a file, found.
pub(crate) struct Placed {
    pub labels: Vec<String>,
    pub lines: Vec<u64>,
    pub source: String,
    pub rows: DiskRows,
    pub by_position: bool,
    /// Whether their labels only count them.
    pub numbered: bool,
}

/// Finds the newcomers of a file.
pub(crate) fn matched(array: OnDisk, map: &Map, run: Run<'_>) -> Result<Placed, Error> {
    let OnDisk {
        blocks,
        labels,
        columns,
        lines,
    } = array;
    let (k, m) = blocks.shape();
    let source = blocks.source().to_owned();
    let named = columns.as_ref().or(labels.as_ref().filter(|_| k == m));
    let Some(columns) = named else {
        let n = map.references().len();
        if m != n {
            return Err(Error::mismatch(
                &source,
                None,
                format!("an array of {k} × {m} without labels"),
                format!("{n} columns, one for each object of the map"),
            ));
        }
        let numbered = labels.is_none();
        if let Some(labels) = &labels {
            refuse_doubled(labels, &source)?;
        }
        return Ok(Placed {
            labels: labels.unwrap_or_else(|| counted(k)),
            lines: if numbered { Vec::new() } else { lines },
            source,
            rows: DiskRows::new(blocks),
            by_position: true,
            numbered,
        });
    };
    if !map.named() {
        return Err(names_of_nobody(&source, 0, columns));
    }
    let numbered = labels.is_none();
    let numbers: Vec<String>;
    let labels = match &labels {
        Some(labels) => labels,
        None => {
            numbers = counted(k);
            &numbers
        }
    };
    refuse_doubled(labels, &source)?;
    let wanted = positions(columns, map.references()).map_err(|missing| {
        Error::mismatch(
            &source,
            None,
            format!("no column for {}", quote(missing)),
            format!(
                "one for each of the map's {}",
                count(map.references().len(), "object")
            ),
        )
    })?;
    let old = places(map.labels());
    let is_old = |i: &usize| old.contains_key(labels[*i].as_str());
    let newcomers: Vec<usize> = (0..k).filter(|i| !is_old(i)).collect();
    if newcomers.is_empty() {
        return Err(Error::mismatch(
            &source,
            None,
            format!("{}, all of them on the map already", count(k, "row")),
            "at least one newcomer",
        ));
    }
    let in_order = wanted.iter().copied().eq(0..m);
    let blocks = if newcomers.len() == k {
        blocks
    } else {
        check_old(blocks, labels, &wanted, map, run)?
    };
    Ok(Placed {
        labels: newcomers.iter().map(|&i| labels[i].clone()).collect(),
        lines: newcomers
            .iter()
            .filter_map(|&i| lines.get(i).copied())
            .collect(),
        rows: DiskRows::some(
            blocks,
            (newcomers.len() < k).then_some(newcomers),
            (!in_order).then_some(wanted),
        ),
        source,
        by_position: false,
        numbered,
    })
}

fn refuse_doubled(labels: &[String], source: &str) -> Result<(), Error> {
    let Some((first, second)) = doubled(labels) else {
        return Ok(());
    };
    Err(Error::malformed(
        source,
        None,
        format!(
            "the label {} twice (rows {} and {})",
            quote(&labels[second]),
            first + 1,
            second + 1
        ),
        "each label once",
    ))
}

/// Looks over the old part of a square where it is; it is never held.
fn check_old(
    blocks: Box<dyn Blocks>,
    labels: &[String],
    columns: &[usize],
    map: &Map,
    run: Run<'_>,
) -> Result<Box<dyn Blocks>, Error> {
    let source = blocks.source().to_owned();
    let rows = positions(labels, map.references()).map_err(|missing| {
        Error::mismatch(
            &source,
            None,
            format!(
                "rows of objects of the map, and none for {}",
                quote(missing)
            ),
            "rows for newcomers only, or for all objects of the map as well",
        )
    })?;
    let before = DiskRows::some(blocks, Some(rows), Some(columns.to_vec()));
    let checked = map.check_old_rows(&before, run);
    if let Some(fault) = before.fault() {
        return Err(fault);
    }
    checked.map_err(|error| Error::of_core(&source, &[], error))?;
    Ok(before.handles.into_blocks())
}

/// Where each of `wanted` stands among `labels`, or the first that does not.
fn positions<'a>(labels: &[String], wanted: &'a [String]) -> Result<Vec<usize>, &'a str> {
    let at = places(labels);
    let place = |label: &'a String| at.get(label.as_str()).copied().ok_or(label.as_str());
    wanted.iter().map(place).collect()
}

/// Labels on a map that has none: which of its objects they mean cannot be told.
pub(crate) fn names_of_nobody(source: &str, line: u64, columns: &[String]) -> Error {
    Error::mismatch(
        source,
        line,
        format!(
            "columns with labels, the first {}",
            quote(columns.first().map_or("", |label| label))
        ),
        "columns by position, as the map was fitted to an array and its objects have no labels: fit it with labels, or \
         place an array without",
    )
}

/// An array on disk as rows that are read when they are asked for: all of it, or some rows and columns.
pub struct DiskRows {
    handles: Handles,
    shape: (usize, usize),
    /// Which rows and columns are meant; all in their order if `None`.
    rows: Option<Vec<usize>>,
    columns: Option<Vec<usize>>,
}

impl DiskRows {
    /// All rows of an open array.
    pub fn new(blocks: Box<dyn Blocks>) -> Self {
        Self::some(blocks, None, None)
    }

    /// Some rows and columns of an open array, in the order given.
    pub(crate) fn some(
        blocks: Box<dyn Blocks>,
        rows: Option<Vec<usize>>,
        columns: Option<Vec<usize>>,
    ) -> Self {
        let (k, m) = blocks.shape();
        let shape = (
            rows.as_ref().map_or(k, Vec::len),
            columns.as_ref().map_or(m, Vec::len),
        );
        Self {
            handles: Handles::new(blocks),
            shape,
            rows,
            columns,
        }
    }

    /// Leaves only some of the rows.
    pub(crate) fn keep(&mut self, range: Range<usize>) {
        self.shape.0 = range.len();
        self.rows = Some(match &self.rows {
            Some(rows) => rows[range].to_vec(),
            None => range.collect(),
        });
    }

    /// What went wrong with the file, once.
    pub fn fault(&self) -> Option<Error> {
        self.handles.fault()
    }

    fn read(
        &self,
        blocks: &mut dyn Blocks,
        range: Range<usize>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let mut block = Vec::new();
        let mut out = out.chunks_exact_mut(self.shape.1.max(1));
        let mut at = range.start;
        while at < range.end {
            // Rows that stand together are read together.
            let first = self.rows.as_ref().map_or(at, |rows| rows[at]);
            let together = match &self.rows {
                None => range.end - at,
                Some(rows) => rows[at..range.end]
                    .iter()
                    .zip(first..)
                    .take_while(|(row, expected)| *row == expected)
                    .count(),
            };
            blocks.read_rows(first, together, &mut block)?;
            let width = block.len() / together.max(1);
            for (row, line) in block.chunks_exact(width.max(1)).zip(&mut out) {
                match &self.columns {
                    None => line.copy_from_slice(row),
                    Some(columns) => {
                        for (v, &j) in line.iter_mut().zip(columns) {
                            *v = row[j];
                        }
                    }
                }
            }
            at += together;
        }
        Ok(())
    }
}

impl Rows for DiskRows {
    fn rows(&self) -> usize {
        self.shape.0
    }

    fn columns(&self) -> usize {
        self.shape.1
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), adjoin::Error> {
        let first = range.start;
        let done = self.handles.with(|blocks| self.read(blocks, range, out));
        done.map_err(|error| {
            self.handles.note(first, error);
            adjoin::Error::Stopped
        })
    }
}
