//! Rows of Parquet files that are larger than memory: a band of rows at a time, put together a few columns at a time.
//!
//! A row of a Parquet file lies in as many places as there are columns, and the least that can be unpacked of each column is a
//! page, of some hundred thousand numbers. A page of every column at once may be far more than memory. So for each band of
//! rows a few columns are opened, read and closed again before the next few are: pages that hold several bands are unpacked
//! for each of them, and memory is a band. What the file says of its columns is likewise decoded for the groups of rows of a band
//! ([`crate::footer`]). A folder of files is one table, in the order of their names.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::arrow::{damaged, fill, label, layout, not_numbers, other_columns, parts};
use crate::blocks::{Blocks, OnDisk, check_range};
use crate::detect::ReadOptions;
use crate::error::{Error, name_of};
use crate::footer::Footer;
use crate::helper::begin;
use crate::pages::check_pages;
use crate::raw::Number;
use crate::source::open;

/// Bytes of the rows that are held, an eighth of the memory at most.
const BAND: usize = 1 << 27;
/// Bytes of rows before those that were asked for that come with them: another thread may still want them.
const BEFORE: usize = 1 << 23;
/// Columns that are open at a time, and rows that are decoded at a time.
const TOGETHER: usize = 16;
const BATCH: usize = 8192;
/// Bytes that a column of a group of rows takes, decoded; those of a band take half as much as its rows at most.
const DECODED: usize = 400;

/// The rows of one Parquet file, or of a folder of them.
pub(crate) struct ParquetRows {
    name: String,
    files: Vec<Part>,
    shape: (usize, usize),
    threads: usize,
    /// Bytes of rows that are held.
    held: usize,
    /// The number of the first row that is held, and those rows.
    band: (usize, Vec<f64>),
}

/// One file.
struct Part {
    name: String,
    path: PathBuf,
    footer: Footer,
    /// The number of its first row among all, and those of its groups among its own, with that after the last.
    first: usize,
    groups: Vec<usize>,
    label_at: usize,
}

/// Some groups of rows of a file: the numbers of the rows in it, and where their columns lie.
struct Groups {
    rows: Range<usize>,
    metadata: ArrowReaderMetadata,
}

/// A file that is never read beyond its end, whatever lengths it states.
struct Within {
    file: File,
    length: u64,
}

impl Within {
    fn open(path: &Path) -> Result<Within, Error> {
        let file = open(path)?;
        let about = file.metadata();
        let about = about.map_err(|e| Error::read(&name_of(path), e))?;
        Ok(Within {
            file,
            length: about.len(),
        })
    }
}

impl Length for Within {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Within {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let inside = start.checked_add(length as u64);
        if inside.is_none_or(|end| end > self.length) {
            return Err(ParquetError::General("impossible lengths".into()));
        }
        let mut file = &self.file;
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Opens a Parquet file or a folder of them, and reads its labels.
pub(crate) fn open_parquet(
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<OnDisk, Error> {
    let paths = if path.is_dir() {
        parts(path)?
    } else {
        vec![path.to_owned()]
    };
    let mut files: Vec<Part> = Vec::new();
    let (mut columns, mut labels) = (Vec::new(), Vec::new());
    for file in &paths {
        // What was put aside is called by what it stands for.
        let called = if path.is_dir() {
            name_of(file)
        } else {
            name.to_owned()
        };
        let (part, own) = guarded(&called, || open_part(file, &called, &mut labels))?;
        if files.is_empty() {
            columns = own;
        } else if columns != own {
            return Err(other_columns(&part.name));
        }
        files.push(part);
    }
    if labels.is_empty() || columns.is_empty() {
        return Err(Error::malformed(
            name,
            None,
            "no rows or no columns of numbers",
            "a labelled table of proximities",
        ));
    }
    let rows = ParquetRows {
        name: name.to_owned(),
        files,
        shape: (labels.len(), columns.len()),
        threads: options.threads(),
        held: match options.memory {
            Some(most) => usize::try_from(most / 8).map_or(BAND, |part| part.min(BAND)),
            None => BAND,
        },
        band: (0, Vec::new()),
    };
    Ok(OnDisk {
        blocks: Box::new(rows),
        labels: Some(labels),
        columns: Some(columns),
        lines: Vec::new(),
    })
}

fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    crate::guarded::guarded(work, |why| damaged(name, why))
}

/// Opens a file whose rows come after those whose labels are there already, and reads its own.
fn open_part(
    path: &Path,
    name: &str,
    labels: &mut Vec<String>,
) -> Result<(Part, Vec<String>), Error> {
    let file = Within::open(path)?;
    let wrong = |e: ParquetError| damaged(name, e);
    let impossible = || damaged(name, "impossible numbers of rows");
    let footer = Footer::read(&file).map_err(wrong)?;
    // What is said of the table is the same whatever groups are decoded with it.
    let none = footer.decode(&file, 0..0).map_err(wrong)?;
    let (label_at, columns) = layout(none.schema(), name)?;
    let mut part = Part {
        name: name.to_owned(),
        path: path.to_owned(),
        footer,
        first: labels.len(),
        groups: vec![0],
        label_at,
    };
    for g in 0..part.footer.groups() {
        let metadata = part.footer.decode(&file, g..g + 1).map_err(wrong)?;
        let rows = metadata.metadata().row_groups().iter();
        let rows: i64 = rows.map(|g| g.num_rows().max(0)).sum();
        let end = usize::try_from(rows).ok();
        let end = end.and_then(|rows| rows.checked_add(part.rows()));
        let rows = part.rows()..end.ok_or_else(impossible)?;
        part.groups.push(rows.end);
        let group = Groups {
            rows: rows.clone(),
            metadata,
        };
        part.read(&group, &[label_at], rows, |_, array, _| {
            for i in 0..array.len() {
                match label(array, i) {
                    Some(label) if !label.is_empty() => labels.push(label),
                    _ => {
                        return Err(Error::malformed(
                            name,
                            None,
                            format!("no label in row {}", labels.len() - part.first + 1),
                            "a label for each row",
                        ));
                    }
                }
            }
            Ok(())
        })?;
    }
    let stated = none.metadata().file_metadata().num_rows();
    if usize::try_from(stated).ok() != Some(part.rows()) {
        return Err(impossible());
    }
    Ok((part, columns))
}

impl Part {
    fn rows(&self) -> usize {
        self.groups.last().copied().unwrap_or(0)
    }

    /// The groups that have some of these rows, by their numbers.
    fn groups_of(&self, rows: &Range<usize>) -> Range<usize> {
        let first = self.groups.partition_point(|&at| at <= rows.start);
        let end = self.groups.partition_point(|&at| at < rows.end);
        first.saturating_sub(1)..end
    }

    /// The same, decoded.
    fn decoded(&self, rows: &Range<usize>) -> Result<Groups, Error> {
        let groups = self.groups_of(rows);
        let file = Within::open(&self.path)?;
        let metadata = self.footer.decode(&file, groups.clone());
        Ok(Groups {
            rows: self.groups[groups.start]..self.groups[groups.end],
            metadata: metadata.map_err(|e| damaged(&self.name, e))?,
        })
    }

    /// Hands over some rows of some columns, by their numbers in the file: which of the columns it is, its numbers, and where
    /// among the rows they begin.
    fn read(
        &self,
        groups: &Groups,
        columns: &[usize],
        rows: Range<usize>,
        mut take: impl FnMut(usize, &arrow_array::ArrayRef, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wrong = |e: ParquetError| damaged(&self.name, e);
        // Each reader has a place of its own in the file: threads read side by side.
        let file = Within::open(&self.path)?;
        let described = groups.metadata.metadata();
        let schema = described.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(schema, columns.iter().copied());
        check_pages(&file, described, |leaf| mask.leaf_included(leaf)).map_err(wrong)?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, groups.metadata.clone());
        let reader = builder
            .with_projection(mask)
            .with_offset(rows.start - groups.rows.start)
            .with_limit(rows.len())
            .with_batch_size(BATCH.min(rows.len().max(1)))
            .build()
            .map_err(wrong)?;
        let mut done = 0;
        for batch in reader {
            let batch = batch.map_err(|e| damaged(&self.name, e))?;
            for (c, array) in batch.columns().iter().enumerate() {
                take(c, array, done)?;
            }
            done += batch.num_rows();
        }
        if done == rows.len() {
            return Ok(());
        }
        Err(damaged(&self.name, "fewer rows than it says"))
    }

    /// The file's own numbers of the columns of numbers.
    fn numbered(&self, columns: Range<usize>) -> Vec<usize> {
        let own = |j: usize| j + usize::from(j >= self.label_at);
        columns.map(own).collect()
    }
}

impl ParquetRows {
    /// Reads a band of rows that begins at `first`.
    fn load(&mut self, first: usize, count: usize) -> Result<(), Error> {
        let (k, m) = self.shape;
        let held = (self.held / 8 / m).max(count);
        let before = (BEFORE / 8 / m).min(held - count);
        let start = first.saturating_sub(before);
        let end = self.end((start, first + count), (start + held).min(k));
        let mut parts = Vec::new();
        for part in &self.files {
            let from = start.max(part.first);
            let to = end.min(part.first + part.rows());
            if from < to {
                let own = from - part.first..to - part.first;
                let groups = guarded(&part.name, || part.decoded(&own))?;
                parts.push((part, groups, own));
            }
        }
        let mut values = std::mem::take(&mut self.band.1);
        values.clear();
        values.resize((end - start) * m, f64::NAN);
        let slabs = m.div_ceil(TOGETHER);
        let (next, values) = (AtomicUsize::new(0), Mutex::new(values));
        let work = || -> Result<(), Error> {
            loop {
                let slab = next.fetch_add(1, Ordering::Relaxed);
                if slab >= slabs {
                    return Ok(());
                }
                let columns = slab * TOGETHER..((slab + 1) * TOGETHER).min(m);
                for (part, groups, rows) in &parts {
                    guarded(&part.name, || {
                        let rows = (groups, rows.clone());
                        read_slab(part, columns.clone(), rows, (start, m), &values)
                    })?;
                }
            }
        };
        let helpers = self.threads.clamp(1, slabs) - 1;
        let done = std::thread::scope(|scope| {
            let running: Vec<_> = (0..helpers).map(|_| begin(scope, work)).collect();
            let own = work();
            let others = running.into_iter().map(|helper| {
                let joined = helper.end();
                joined.unwrap_or_else(|_| Err(damaged(&self.name, "it cannot be decoded")))
            });
            others.fold(own, Result::and)
        });
        done?;
        self.band = (start, values.into_inner().unwrap_or_default());
        Ok(())
    }

    /// Where a band ends that begins at a row and has those up to a second at least: at `most`, or before it where groups are so
    /// small that what is said of them would be larger than they are.
    fn end(&self, (start, least): (usize, usize), most: usize) -> usize {
        let mut left = (self.held / 2 / (self.shape.1 * DECODED)).max(1);
        for part in &self.files {
            let (from, to) = (start.max(part.first), most.min(part.first + part.rows()));
            if from < to {
                let groups = part.groups_of(&(from - part.first..to - part.first));
                if groups.len() > left {
                    return (part.first + part.groups[groups.start + left]).clamp(least, most);
                }
                left -= groups.len();
            }
        }
        most
    }
}

/// Puts some columns of some rows of a file where they belong in a band, which begins at a row and has rows of a width.
fn read_slab(
    part: &Part,
    columns: Range<usize>,
    (groups, rows): (&Groups, Range<usize>),
    (start, width): (usize, usize),
    band: &Mutex<Vec<f64>>,
) -> Result<(), Error> {
    let numbers = part.numbered(columns.clone());
    let mut unread = None;
    let slab = columns.len();
    let mut values = vec![f64::NAN; rows.len() * slab];
    let first = part.first + rows.start - start;
    part.read(groups, &numbers, rows, |c, array, at| {
        let cells = values[at * slab..].iter_mut().skip(c).step_by(slab);
        if !fill(array, cells) {
            unread = Some((c, array.data_type().clone()));
        }
        Ok(())
    })?;
    if let Some((c, found)) = unread {
        let field = groups.metadata.schema().field(numbers[c]);
        return Err(not_numbers(&part.name, field, &found));
    }
    let Ok(mut band) = band.lock() else {
        return Err(damaged(&part.name, "it cannot be decoded"));
    };
    let lines = band[first * width..].chunks_exact_mut(width);
    for (line, own) in lines.zip(values.chunks_exact(slab)) {
        line[columns.clone()].copy_from_slice(own);
    }
    Ok(())
}

impl Blocks for ParquetRows {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn source(&self) -> &str {
        &self.name
    }

    fn number(&self) -> Number {
        Number::F64
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        let (k, m) = self.shape;
        check_range(&self.name, k, first, count)?;
        let inside = |(start, values): &(usize, Vec<f64>)| {
            first >= *start && (first + count - start) * m <= values.len()
        };
        if !inside(&self.band) {
            self.load(first, count)?;
        }
        let (start, values) = &self.band;
        block.clear();
        block.extend_from_slice(&values[(first - start) * m..(first + count - start) * m]);
        Ok(())
    }

    fn is_sequential(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    const COLUMNS: usize = 21;

    fn value(i: usize, j: usize) -> f64 {
        (i * 1000 + j) as f64
    }

    /// A file of some rows, in groups of so many, its labels between the columns.
    fn write(path: &Path, rows: Range<usize>, together: usize) {
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for j in 0..COLUMNS {
            if j == 3 {
                let labels = StringArray::from_iter_values(rows.clone().map(|i| format!("n{i}")));
                columns.push(("label".into(), Arc::new(labels)));
            }
            let numbers = Float64Array::from_iter_values(rows.clone().map(|i| value(i, j)));
            columns.push((format!("o{j}"), Arc::new(numbers)));
        }
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(together))
            .build();
        let file = File::create(path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    /// Rows are those of the file whatever groups they are in, however little is held, and in any order.
    #[test]
    fn rows_of_any_groups_are_read() {
        let name = format!("adjoin-groups-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        for together in [1, 2, 7, 16, 50, 1000] {
            write(&folder.join("a.parquet"), 0..50, together);
            write(&folder.join("b.parquet"), 50..63, together);
            for memory in [8, 8 * 8 * COLUMNS as u64 * 5, 1 << 20, 1 << 30] {
                let options = ReadOptions {
                    memory: Some(memory),
                    ..ReadOptions::default()
                };
                let found = open_parquet(&folder, "folder", &options).unwrap();
                let labels: Vec<String> = (0..63).map(|i| format!("n{i}")).collect();
                assert_eq!(found.labels, Some(labels));
                let mut blocks = found.blocks;
                assert_eq!(blocks.shape(), (63, COLUMNS));
                for (first, count) in [(0, 4), (4, 30), (34, 29), (48, 5), (2, 1), (0, 63)] {
                    let mut block = Vec::new();
                    blocks.read_rows(first, count, &mut block).unwrap();
                    let rows = first..first + count;
                    let expected = rows.flat_map(|i| (0..COLUMNS).map(move |j| value(i, j)));
                    assert!(
                        block.iter().copied().eq(expected),
                        "{together} {memory} {first}"
                    );
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
