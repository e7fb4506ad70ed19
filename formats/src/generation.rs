//! Which generation of a map that has grown a table is for.
//!
//! Whoever measures newcomers may not have everybody at hand: only the founders, or members up to some generation. Absent
//! columns, exactly those of all later generations, say so, and the newcomers are placed on the map as it was then. Empty
//! cells say nothing: they are missing proximities. Any other absent column is left to [`crate::matching`] to refuse, or to
//! take as missing. A generation may also be asked for by its number; columns of later members are then passed over.

use std::collections::HashSet;

use adjoin::Map;

use crate::error::{Error, count, quote};
use crate::matrix::Matrix;

/// The generation of `map` that a table is for, and the table without columns that are nothing to it.
///
/// # Errors
/// If there is no such generation as is `asked` for, or the table has members and no founder.
pub fn choose(matrix: &mut Matrix, map: &Map, asked: Option<usize>) -> Result<usize, Error> {
    let last = map.generations().len();
    let Some(generation) = asked else {
        if last == 0 {
            return Ok(0);
        }
        if !matrix.labelled {
            return Ok(map.generation_with(matrix.columns.len()).unwrap_or(last));
        }
        turn(matrix, map);
        let columns: HashSet<&str> = matrix.columns.iter().map(String::as_str).collect();
        require_founders(matrix, map, &columns)?;
        let chosen = map.generation_of(|label| columns.contains(label));
        return Ok(chosen.unwrap_or(last));
    };
    if generation > last {
        let unknown = map.generation(generation).map(|_| generation);
        return unknown.map_err(|error| Error::of_core(&matrix.source, &[], error));
    }
    let later = &map.labels()[map.count_at(generation)..];
    if later.is_empty() || map.landmarks().is_some() {
        return Ok(generation);
    }
    if !matrix.labelled {
        if matrix.columns.len() == map.references().len() {
            keep_columns(matrix, |j, _| j < map.count_at(generation));
        }
        return Ok(generation);
    }
    turn(matrix, map);
    // A later member with a row of its own is a newcomer to the map as it was.
    let later: HashSet<&str> = later.iter().map(String::as_str).collect();
    let rows: HashSet<String> = matrix.rows.iter().cloned().collect();
    keep_columns(matrix, |_, label| {
        !later.contains(label) || rows.contains(label)
    });
    Ok(generation)
}

/// The generation that an array with so many columns and no labels is for: the one asked for, or the newest with as many
/// objects; none if there is none.
pub(crate) fn of_columns(columns: usize, map: &Map, asked: Option<usize>) -> Option<usize> {
    match asked {
        Some(generation) => {
            let known = generation <= map.generations().len();
            (known && map.count_at(generation) == columns).then_some(generation)
        }
        None => map.generation_with(columns),
    }
}

/// Turns a list of pairs, which does not say what its rows are, so that the map's objects are its columns.
fn turn(matrix: &mut Matrix, map: &Map) {
    let old: HashSet<&str> = map.references().iter().map(String::as_str).collect();
    let any = |labels: &[String]| labels.iter().any(|l| old.contains(l.as_str()));
    if matrix.interchangeable && !any(&matrix.columns) && any(&matrix.rows) {
        *matrix = matrix.transposed();
    }
}

/// Errs if there are columns of members but none of a founder, whose mean is the origin.
fn require_founders(matrix: &Matrix, map: &Map, columns: &HashSet<&str>) -> Result<(), Error> {
    let (founders, members) = map
        .references()
        .split_at(map.count_at(0).min(map.references().len()));
    let there = |label: &&String| columns.contains(label.as_str());
    let Some(member) = members.iter().find(there) else {
        return Ok(());
    };
    if founders.iter().any(|label| there(&label)) {
        return Ok(());
    }
    Err(Error::mismatch(
        &matrix.source,
        matrix.header_line,
        format!(
            "a column for the member {} and none for a founder",
            quote(member)
        ),
        format!(
            "columns for the map's {}, whose mean is its origin",
            count(founders.len(), "founder")
        ),
    ))
}

fn keep_columns(matrix: &mut Matrix, keep: impl Fn(usize, &str) -> bool) {
    let m = matrix.columns.len();
    let kept: Vec<usize> = (0..m).filter(|&j| keep(j, &matrix.columns[j])).collect();
    if kept.len() == m {
        return;
    }
    let rows = matrix.values.chunks_exact(m.max(1));
    matrix.values = rows.flat_map(|row| kept.iter().map(|&j| row[j])).collect();
    matrix.columns = kept.iter().map(|&j| matrix.columns[j].clone()).collect();
}
