//! Parts of a table: what one shard of newcomers gave, and the table that all parts make.
//!
//! A part is a Parquet file that says in its metadata which newcomers it has, of how many, and on which map and by which
//! settings they were placed. Parts of other maps or settings, gaps, overlaps and doubled labels are refused, so that what
//! is gathered is what one run over all newcomers would have given.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, name_of, quote};
use crate::frame::{Column, Frame, Slices};

/// Which part of which table a file is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The version of adjoin that made it.
    pub version: String,
    /// SHA-256 of the map's file.
    pub map: String,
    /// The name of the newcomers' file.
    pub new: String,
    /// What tells it from others of that name ([`crate::fingerprint`]).
    #[serde(default)]
    pub new_fingerprint: String,
    /// All that was said about how to place.
    pub settings: BTreeMap<String, String>,
    /// Which shard this is, counted from 1.
    pub shard: usize,
    /// Of how many.
    pub of: usize,
    /// The first of its newcomers, counted from 0.
    pub first: usize,
    /// How many newcomers it has.
    pub count: usize,
    /// How many all shards have together.
    pub total: usize,
    /// The eigenvalues of the map's axes, and their shares.
    pub eigenvalues: Vec<f64>,
    /// The shares of the axes.
    pub proportions: Vec<f64>,
    /// What was remarked on newcomers that were read together.
    #[serde(default)]
    pub remarks: Vec<Remarked>,
}

/// A remark, and whom it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remarked {
    /// Newcomers, counted from 0 among all: from and up to, but without.
    pub newcomers: Vec<(usize, usize)>,
    /// What was said.
    pub sentence: String,
}

impl Remarked {
    /// A remark on some newcomers of a part that begins at `first`, by their ascending numbers in it.
    pub fn new(sentence: &str, newcomers: &[usize], first: usize) -> Self {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for at in newcomers.iter().map(|i| i + first) {
            match runs.last_mut() {
                Some((_, end)) if *end == at => *end += 1,
                _ => runs.push((at, at + 1)),
            }
        }
        Self {
            newcomers: runs,
            sentence: sentence.to_owned(),
        }
    }

    fn is_about(&self, newcomer: usize) -> bool {
        let after = self
            .newcomers
            .partition_point(|(from, _)| *from <= newcomer);
        after > 0 && newcomer < self.newcomers[after - 1].1
    }
}

impl Part {
    /// Whether two parts, or a part and what is asked for, are shards of one run over the same file.
    pub fn is_of_the_same_run(&self, other: &Part) -> bool {
        let (own, its) = (&self.new_fingerprint, &other.new_fingerprint);
        (&self.version, &self.map, &self.new, own) == (&other.version, &other.map, &other.new, its)
            && (&self.settings, self.of) == (&other.settings, other.of)
    }
}

/// The newcomers of shard `shard` of `of`, counted from 1: even to within one.
pub fn shard_range(shard: usize, of: usize, total: usize) -> std::ops::Range<usize> {
    let at = |i: usize| (total as u128 * i as u128 / of.max(1) as u128) as usize;
    at(shard - 1)..at(shard)
}

/// Writes a part to a file that appears whole or not at all.
#[cfg(feature = "parquet")]
pub fn write_part(slices: &Slices<'_>, part: &Part, path: &Path) -> Result<(), Error> {
    let about = serde_json::to_string(part).map_err(|e| Error::write(&name_of(path), e.into()))?;
    let mut output = crate::atomic::Output::create(path)?;
    crate::arrow::write(slices, Some(about), &mut output)
        .map_err(|e| Error::write(output.name(), e))?;
    output.commit()
}

/// Reads a part.
///
/// # Errors
/// If the file is not a part, or damaged.
#[cfg(feature = "parquet")]
pub fn read_part(path: &Path) -> Result<(Frame, Part), Error> {
    let name = name_of(path);
    let foreign = || {
        Error::malformed(
            &name,
            None,
            "a table that is no part",
            "what `adjoin place --shard` wrote",
        )
    };
    let (mut frame, about) = crate::arrow::read_back(path)?;
    let part: Part = serde_json::from_str(&about.ok_or_else(foreign)?).map_err(|_| foreign())?;
    frame.eigenvalues.clone_from(&part.eigenvalues);
    frame.proportions.clone_from(&part.proportions);
    Ok((frame, part))
}

#[cfg(not(feature = "parquet"))]
fn without<T>(path: &Path) -> Result<T, Error> {
    Err(Error::malformed(
        &name_of(path),
        None,
        "a Parquet file",
        "a build with Parquet, which parts are written in",
    ))
}

/// Writes a part; this build cannot.
#[cfg(not(feature = "parquet"))]
pub fn write_part(_: &Slices<'_>, _: &Part, path: &Path) -> Result<(), Error> {
    without(path)
}

/// Reads a part; this build cannot.
#[cfg(not(feature = "parquet"))]
pub fn read_part(path: &Path) -> Result<(Frame, Part), Error> {
    without(path)
}

/// The table that parts make together, in whatever order they come.
///
/// # Errors
/// If they are not of one run, or do not have each newcomer once, with the file at fault.
pub fn gather(mut parts: Vec<(String, Frame, Part)>) -> Result<Frame, Error> {
    parts.sort_by_key(|(_, _, part)| (part.first, part.shard));
    let Some((_, _, first)) = parts.first() else {
        return Ok(Frame::default());
    };
    let (total, of) = (first.total, first.of);
    let model = first.clone();
    let mut next = 0;
    let mut whole: Option<Frame> = None;
    let mut remarks = Vec::new();
    for (name, frame, part) in parts {
        let wrong =
            |found: String, expected: String| Err(Error::mismatch(&name, None, found, expected));
        if !part.is_of_the_same_run(&model) || part.total != total {
            return wrong(
                "a part of another run".into(),
                "parts of one map, one file of newcomers and the same settings".into(),
            );
        }
        if part.first < next {
            return wrong(
                format!(
                    "newcomers from {} on, which another part has too",
                    part.first + 1
                ),
                "each newcomer once".into(),
            );
        }
        if part.first > next {
            return wrong(
                format!("newcomers from {} on", part.first + 1),
                format!(
                    "a part with those from {} on before it ({of} shards in all)",
                    next + 1
                ),
            );
        }
        if part.count > total - part.first {
            return wrong(
                format!("{} newcomers from {} on", part.count, part.first + 1),
                format!("no more than all {total}"),
            );
        }
        next = part.first + part.count;
        remarks.extend(part.remarks);
        whole = Some(match whole {
            None => frame,
            Some(whole) => joined(whole, frame, &name)?,
        });
    }
    let mut whole = whole.unwrap_or_default();
    if next != total {
        return Err(Error::mismatch(
            "the parts",
            None,
            format!("newcomers 1 to {next}"),
            format!("all {total} of {of} shards"),
        ));
    }
    refuse_doubled(&whole)?;
    whole.columns.push(remarked(&whole, &remarks));
    Ok(whole)
}

/// The column `remarks`, which only JSON has. The rows of a newcomer follow one another.
fn remarked(frame: &Frame, remarks: &[Remarked]) -> (String, Column) {
    let labels = frame.labels();
    let mut newcomer = 0;
    let of = |i: usize| remarks.iter().filter(move |r| r.is_about(i));
    let said = (0..labels.len()).map(|row| {
        newcomer += usize::from(row > 0 && labels[row] != labels[row - 1]);
        of(newcomer).map(|r| r.sentence.clone()).collect()
    });
    ("remarks".to_owned(), Column::List(said.collect()))
}

fn joined(mut whole: Frame, more: Frame, name: &str) -> Result<Frame, Error> {
    let names = |f: &Frame| f.columns.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    if names(&whole) != names(&more) {
        return Err(Error::mismatch(
            name,
            None,
            "other columns than in the parts before",
            "parts of one run",
        ));
    }
    for ((_, here), (_, there)) in whole.columns.iter_mut().zip(more.columns) {
        match (here, there) {
            (Column::Text(v), Column::Text(w)) => v.extend(w),
            (Column::Number(v), Column::Number(w)) => v.extend(w),
            (Column::Flag(v), Column::Flag(w)) => v.extend(w),
            (Column::Count(v), Column::Count(w)) => v.extend(w),
            // A part without newcomers does not say how large they would be.
            (Column::Square(size, v), Column::Square(more, w))
                if *size == more || v.is_empty() || w.is_empty() =>
            {
                *size = (*size).max(more);
                v.extend(w);
            }
            _ => {
                return Err(Error::mismatch(
                    name,
                    None,
                    "columns of other types than in the parts before",
                    "parts of one run",
                ));
            }
        }
    }
    Ok(whole)
}

/// A newcomer may have several rows, one after the other, but not in two places.
fn refuse_doubled(frame: &Frame) -> Result<(), Error> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (i, label) in frame.labels().iter().enumerate() {
        if let Some(before) = last.insert(label, i)
            && before + 1 != i
        {
            return Err(Error::mismatch(
                "the parts",
                None,
                format!("the label {} twice", quote(label)),
                "each newcomer once",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_about_those_it_was_made_of() {
        let remark = Remarked::new("odd", &[0, 1, 2, 5, 7, 8], 10);
        assert_eq!(remark.newcomers, [(10, 13), (15, 16), (17, 19)]);
        let about: Vec<usize> = (0..30).filter(|i| remark.is_about(*i)).collect();
        assert_eq!(about, [10, 11, 12, 15, 17, 18]);
        assert!(!Remarked::new("odd", &[], 3).is_about(3));
    }

    #[test]
    fn shards_cover_all_newcomers_once() {
        for total in [0, 1, 5, 100, 101] {
            for of in [1, 2, 3, 7, 200] {
                let mut next = 0;
                for shard in 1..=of {
                    let range = shard_range(shard, of, total);
                    assert_eq!(range.start, next);
                    assert!(range.len() <= total / of + 1);
                    next = range.end;
                }
                assert_eq!(next, total);
            }
        }
    }
}
