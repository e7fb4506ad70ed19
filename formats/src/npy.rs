//! NumPy's `.npy` arrays, versions 1 to 3: whole, in blocks of rows, and written.
//!
//! An array may be far larger than memory. [`NpyBlocks`] reads (rather than maps) just the rows
//! that are asked for, so that a program's memory is a block whatever the file's size, and a file
//! that shrinks meanwhile is an error and not a signal. Nothing is allocated from the header
//! before the file's length has confirmed it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::blocks::{Blocks, check_range, cut};
use crate::error::{Error, count, name_of, quote};
use crate::npy_header::{Header, MAGIC, read_header};
use crate::raw::{Number, decode};
use crate::source::{Capped, open, trouble};

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// An open `.npy` file of which any rows can be read.
#[derive(Debug)]
pub struct NpyBlocks {
    file: File,
    path: PathBuf,
    name: String,
    header: Header,
    /// Where the numbers begin.
    start: u64,
    bytes: Vec<u8>,
}

impl NpyBlocks {
    /// Opens a file and checks that it is a whole two-dimensional array of numbers.
    pub fn open(path: &Path) -> Result<NpyBlocks, Error> {
        let blocks = NpyBlocks::open_any(path)?;
        match blocks.header.shape.len() {
            2 => Ok(blocks),
            _ => Err(misshapen(
                &blocks.name,
                &blocks.header.shape,
                "two dimensions",
            )),
        }
    }

    /// Whether an array has but one dimension.
    pub(crate) fn is_vector(&self) -> bool {
        self.header.shape.len() == 1
    }

    pub(crate) fn open_any(path: &Path) -> Result<NpyBlocks, Error> {
        let name = name_of(path);
        let mut file = open(path)?;
        let length = file.metadata().map_err(|e| Error::read(&name, e))?.len();
        let (header, start) = read_header(&mut file, &name)?;
        let held = length.saturating_sub(start);
        let wanted = header
            .shape
            .iter()
            .try_fold(header.number.size() as u64, |size, &n| {
                size.checked_mul(n as u64)
            });
        // No bytes are behind such a shape, however large its other number is.
        if header.shape.contains(&0) {
            return Err(Error::malformed(
                &name,
                None,
                format!("an empty array of shape {}", describe(&header.shape)),
                "numbers",
            ));
        }
        if wanted != Some(held) {
            return Err(Error::malformed(
                &name,
                None,
                format!("{held} bytes after the header"),
                match wanted {
                    Some(wanted) => format!(
                        "{wanted}, for an array of shape {}",
                        describe(&header.shape)
                    ),
                    None => "an array that can exist".to_owned(),
                },
            ));
        }
        Ok(NpyBlocks {
            file,
            path: path.to_owned(),
            name,
            header,
            start,
            bytes: Vec::new(),
        })
    }

    /// Hands over `count` numbers from the `first` in the file on, a chunk at a time.
    fn read_run(
        &mut self,
        first: usize,
        count: usize,
        mut take: impl FnMut(&[f64]),
    ) -> Result<(), Error> {
        let size = self.header.number.size();
        let from = self.start + (first as u64) * (size as u64);
        let mut left = count;
        let mut numbers = Vec::new();
        self.file
            .seek(SeekFrom::Start(from))
            .map_err(|e| Error::read(&self.name, e))?;
        while left > 0 {
            let now = left.min(CHUNK / 8);
            self.bytes.resize(now * size, 0);
            self.file
                .read_exact(&mut self.bytes)
                .map_err(|e| Error::read(&self.name, e))?;
            numbers.clear();
            decode(
                &self.bytes,
                self.header.number,
                self.header.big,
                &mut numbers,
            );
            take(&numbers);
            left -= now;
        }
        Ok(())
    }
}

impl Blocks for NpyBlocks {
    fn shape(&self) -> (usize, usize) {
        match self.header.shape[..] {
            [k, m] => (k, m),
            [k] => (k, 1),
            _ => (0, 0),
        }
    }

    fn source(&self) -> &str {
        &self.name
    }

    fn number(&self) -> Number {
        self.header.number
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        let (k, m) = self.shape();
        block.clear();
        check_range(&self.name, k, first, count)?;
        if !self.header.fortran {
            self.read_run(first * m, count * m, |chunk| block.extend_from_slice(chunk))?;
            return Ok(());
        }
        block.resize(count * m, 0.0);
        if count == k {
            // The whole array: its columns follow one another without a gap.
            let mut at = 0;
            return self.read_run(0, k * m, |chunk| {
                for &x in chunk {
                    block[at % k * m + at / k] = x;
                    at += 1;
                }
            });
        }
        // Columns are contiguous: of each, the strip that belongs to these rows.
        for j in 0..m {
            let mut at = j;
            self.read_run(j * k + first, count, |chunk| {
                for &x in chunk {
                    block[at] = x;
                    at += m;
                }
            })?;
        }
        Ok(())
    }

    fn read_part(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        let (k, m) = self.shape();
        if self.header.fortran || columns.len() == m {
            self.read_rows(rows.start, rows.len(), block)?;
            cut(block, m, columns);
            return Ok(());
        }
        check_range(&self.name, k, rows.start, rows.len())?;
        block.clear();
        for i in rows {
            let first = i * m + columns.start;
            self.read_run(first, columns.len(), |chunk| block.extend_from_slice(chunk))?;
        }
        Ok(())
    }

    fn another(&self) -> Option<Box<dyn Blocks>> {
        let again = NpyBlocks::open_any(&self.path).ok()?;
        // A file that was exchanged meanwhile is not the same array.
        let same = again.header == self.header && again.start == self.start;
        same.then(|| Box::new(again) as Box<dyn Blocks>)
    }
}

/// A whole array: its shape and its numbers in C order.
pub(crate) fn read_array(path: &Path) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let mut blocks = NpyBlocks::open_any(path)?;
    let shape = blocks.header.shape.clone();
    if shape.is_empty() || shape.len() > 2 {
        return Err(misshapen(&blocks.name, &shape, "one or two dimensions"));
    }
    let mut values = Vec::new();
    let rows = blocks.shape().0;
    blocks.read_rows(0, rows, &mut values)?;
    Ok((shape, values))
}

/// A whole array of one or two dimensions from bytes that come once: a compressed file, a pipe, a member of an archive.
/// No more is kept than has come, whatever the header says.
pub(crate) fn read_stream(
    mut bytes: impl Read,
    name: &str,
) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let (header, _) = read_header(&mut bytes, name)?;
    let shape = header.shape;
    let total = shape.iter().try_fold(1_usize, |n, &m| n.checked_mul(m));
    let Some(total) = total.filter(|&t| t > 0 && matches!(shape.len(), 1 | 2)) else {
        return Err(misshapen(name, &shape, "one or two dimensions"));
    };
    let mut values = Vec::new();
    let mut chunk = Vec::new();
    let size = header.number.size();
    loop {
        chunk.clear();
        (&mut bytes)
            .take((CHUNK * size) as u64)
            .read_to_end(&mut chunk)
            .map_err(|e| trouble(name, e))?;
        decode(&chunk, header.number, header.big, &mut values);
        if chunk.len() < CHUNK * size || values.len() > total {
            break;
        }
    }
    if values.len() != total || !chunk.len().is_multiple_of(size) {
        return Err(Error::malformed(
            name,
            None,
            format!("{} numbers", values.len()),
            format!("{total}, for an array of shape {}", describe(&shape)),
        ));
    }
    if header.fortran
        && let [k, m] = shape[..]
    {
        values = (0..total).map(|at| values[at % m * k + at / m]).collect();
    }
    Ok((shape, values))
}

/// The only array of an `.npz` archive, or the one of this name.
pub(crate) fn read_npz(path: &Path, wanted: Option<&str>) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let name = name_of(path);
    let damaged =
        |_| Error::malformed(&name, None, "a damaged zip archive", "a NumPy .npz archive");
    let mut archive = zip::ZipArchive::new(open(path)?).map_err(damaged)?;
    let arrays: Vec<String> = (0..archive.len())
        .filter_map(|i| match archive.name_for_index(i) {
            Some(Ok(name)) => name.strip_suffix(".npy").map(str::to_owned),
            _ => None,
        })
        .collect();
    let chosen = match wanted {
        Some(wanted) => arrays.iter().find(|a| *a == wanted),
        None if arrays.len() == 1 => arrays.first(),
        None => None,
    };
    let Some(chosen) = chosen else {
        let names: Vec<String> = arrays.iter().take(8).map(|a| quote(a)).collect();
        return Err(Error::mismatch(
            &name,
            None,
            format!("{}: {}", count(arrays.len(), "array"), names.join(", ")),
            "one array, or --dataset NAME to say which is meant",
        ));
    };
    let member = archive.by_name(&format!("{chosen}.npy")).map_err(damaged)?;
    read_stream(Capped::new(member), &name)
}

fn misshapen(name: &str, shape: &[usize], expected: &str) -> Error {
    let found = format!("an array of shape {}", describe(shape));
    Error::malformed(name, None, found, expected)
}

fn describe(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// The header of an array of doubles, row by row.
pub(crate) fn write_header(
    rows: usize,
    columns: usize,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The numbers begin at a multiple of 64, after a line end: so NumPy can map them.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())
}

/// Its numbers, or some of them.
pub(crate) fn write_numbers(values: &[f64], out: &mut dyn Write) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK);
    for chunk in values.chunks(CHUNK / 8) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|x| x.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}
