//! Rows of Parquet files that are larger than memory: a band of rows at a time, put together a few columns at a time.
//!
//! A row of a Parquet file lies in as many places as there are columns, and the least that can be unpacked of each column is a
//! page, of some hundred thousand numbers. A page of every column at once may be far more than memory. So for each band of
//! rows a few columns are opened, read and closed again before the next few are: pages that hold several bands are unpacked
//! for each of them, and memory is a band. A folder of files is one table, in the order of their names.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetStatisticsPolicy;
use parquet::file::reader::{ChunkReader, Length};

use crate::arrow::{damaged, fill, label, layout, not_numbers, other_columns, parts};
use crate::blocks::{Blocks, OnDisk, check_range};
use crate::detect::ReadOptions;
use crate::error::{Error, name_of};
use crate::helper::begin;
use crate::raw::Number;
use crate::source::open;

/// Bytes of the rows that are held, an eighth of the memory at most.
const BAND: usize = 1 << 27;
/// Bytes of rows before those that were asked for that come with them: another thread may still want them.
const BEFORE: usize = 1 << 23;
/// Columns that are open at a time, and rows that are decoded at a time.
const TOGETHER: usize = 16;
const BATCH: usize = 8192;

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
    metadata: ArrowReaderMetadata,
    /// The number of its first row among all, and how many it has.
    first: usize,
    rows: usize,
    label_at: usize,
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
        let (part, own) = guarded(&called, || open_part(file, &called, labels.len()))?;
        if files.is_empty() {
            columns = own;
        } else if columns != own {
            return Err(other_columns(&part.name));
        }
        guarded(&part.name, || read_labels(&part, &mut labels))?;
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

fn open_part(path: &Path, name: &str, first: usize) -> Result<(Part, Vec<String>), Error> {
    let file = Within::open(path)?;
    // What is said of each column's smallest and largest number, sizes and encodings in each group of rows is of no use, and may
    // be as large as the numbers.
    let options = ArrowReaderOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll);
    let metadata = ArrowReaderMetadata::load(&file, options).map_err(|e| damaged(name, e))?;
    let (label_at, columns) = layout(metadata.schema(), name)?;
    let rows = metadata.metadata().file_metadata().num_rows();
    let groups = metadata.metadata().row_groups().iter();
    let counted: i64 = groups.map(|g| g.num_rows().max(0)).sum();
    let rows = usize::try_from(rows).ok().filter(|_| rows == counted);
    let rows = rows.ok_or_else(|| damaged(name, "impossible numbers of rows"))?;
    let part = Part {
        name: name.to_owned(),
        path: path.to_owned(),
        metadata,
        first,
        rows,
        label_at,
    };
    Ok((part, columns))
}

fn read_labels(part: &Part, labels: &mut Vec<String>) -> Result<(), Error> {
    let before = labels.len();
    part.read(&[part.label_at], 0..part.rows, |_, array, _| {
        for i in 0..array.len() {
            match label(array, i) {
                Some(label) if !label.is_empty() => labels.push(label),
                _ => {
                    return Err(Error::malformed(
                        &part.name,
                        None,
                        format!("no label in row {}", labels.len() - before + 1),
                        "a label for each row",
                    ));
                }
            }
        }
        Ok(())
    })?;
    if labels.len() - before == part.rows {
        return Ok(());
    }
    Err(damaged(&part.name, "fewer rows than it says"))
}

impl Part {
    /// Hands over some rows of some columns, by their numbers in the file: which of the columns it is, its numbers, and where
    /// among the rows they begin.
    fn read(
        &self,
        columns: &[usize],
        rows: Range<usize>,
        mut take: impl FnMut(usize, &arrow_array::ArrayRef, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wrong = |e: ParquetError| damaged(&self.name, e);
        // Groups of rows that hold some of them, and how many rows of the first of these come before.
        let (mut groups, mut skipped, mut at) = (Vec::new(), 0, 0);
        for (g, group) in self.metadata.metadata().row_groups().iter().enumerate() {
            let end = at + usize::try_from(group.num_rows()).unwrap_or(0);
            if at < rows.end && end > rows.start {
                if groups.is_empty() {
                    skipped = rows.start - at.min(rows.start);
                }
                groups.push(g);
            }
            at = end;
        }
        // Each reader has a place of its own in the file: threads read side by side.
        let file = Within::open(&self.path)?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let reader = builder
            .with_projection(mask)
            .with_row_groups(groups)
            .with_offset(skipped)
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
        let end = (start + held).min(k);
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
                for part in &self.files {
                    let from = start.max(part.first);
                    let to = end.min(part.first + part.rows);
                    if from < to {
                        guarded(&part.name, || {
                            read_slab(part, columns.clone(), from..to, (start, m), &values)
                        })?;
                    }
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
}

/// Puts some columns of some rows of a file where they belong in a band, which begins at a row and has rows of a width.
fn read_slab(
    part: &Part,
    columns: Range<usize>,
    rows: Range<usize>,
    (start, width): (usize, usize),
    band: &Mutex<Vec<f64>>,
) -> Result<(), Error> {
    let own = rows.start - part.first..rows.end - part.first;
    let numbers = part.numbered(columns.clone());
    let mut unread = None;
    let slab = columns.len();
    let mut values = vec![f64::NAN; rows.len() * slab];
    part.read(&numbers, own, |c, array, at| {
        let cells = values[at * slab..].iter_mut().skip(c).step_by(slab);
        if !fill(array, cells) {
            unread = Some((c, array.data_type().clone()));
        }
        Ok(())
    })?;
    if let Some((c, found)) = unread {
        let field = part.metadata.schema().field(numbers[c]);
        return Err(not_numbers(&part.name, field, &found));
    }
    let Ok(mut band) = band.lock() else {
        return Err(damaged(&part.name, "it cannot be decoded"));
    };
    let lines = band[(rows.start - start) * width..].chunks_exact_mut(width);
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
