//! NumPy's `.npy` arrays, versions 1 to 3: whole, in blocks of rows, and written.
//!
//! An array may be far larger than memory. [`NpyBlocks`] reads (rather than maps) just the rows
//! that are asked for, so that a program's memory is a block whatever the file's size, and a file
//! that shrinks meanwhile is an error and not a signal. Nothing is allocated from the header
//! before the file's length has confirmed it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::{Error, count, name_of};
use crate::npy_header::{Header, MAGIC, Number, read_header};
use crate::source::open;

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// An open `.npy` file of which any rows can be read.
#[derive(Debug)]
pub struct NpyBlocks {
    file: File,
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
        if blocks.header.shape.len() != 2 {
            let shape = &blocks.header.shape;
            return Err(Error::malformed(
                &blocks.name,
                None,
                format!("an array of shape {}", describe(shape)),
                if shape.len() == 1 {
                    "two dimensions (scipy's squareform turns a condensed vector into a square)"
                } else {
                    "two dimensions"
                },
            ));
        }
        Ok(blocks)
    }

    fn open_any(path: &Path) -> Result<NpyBlocks, Error> {
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
            name,
            header,
            start,
            bytes: Vec::new(),
        })
    }

    /// Numbers of rows and of columns.
    pub fn shape(&self) -> (usize, usize) {
        match self.header.shape[..] {
            [k, m] => (k, m),
            [k] => (k, 1),
            _ => (0, 0),
        }
    }

    /// The file's name, for messages.
    pub fn source(&self) -> &str {
        &self.name
    }

    /// Replaces the content of `block` by `count` rows from row `first` on, row by row.
    ///
    /// # Errors
    /// If the rows are not all in the array, or the file cannot be read any more.
    pub fn read_rows(
        &mut self,
        first: usize,
        count: usize,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        let (k, m) = self.shape();
        block.clear();
        if first.checked_add(count).is_none_or(|end| end > k) {
            return Err(Error::mismatch(
                &self.name,
                None,
                format!("{k} rows"),
                format!("{count} from row {} on", first.saturating_add(1)),
            ));
        }
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

/// A whole array: its shape and its numbers in C order.
pub(crate) fn read_array(path: &Path) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let mut blocks = NpyBlocks::open_any(path)?;
    let shape = blocks.header.shape.clone();
    if shape.is_empty() || shape.len() > 2 {
        return Err(Error::malformed(
            &blocks.name,
            None,
            format!("an array of shape {}", describe(&shape)),
            "one or two dimensions",
        ));
    }
    let mut values = Vec::new();
    let rows = blocks.shape().0;
    blocks.read_rows(0, rows, &mut values)?;
    Ok((shape, values))
}

fn describe(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(", "))
}

fn decode(bytes: &[u8], number: Number, big: bool, out: &mut Vec<f64>) {
    // One loop for each type, so that each compiles to straight conversions.
    macro_rules! each {
        ($type:ty) => {
            out.extend(bytes.chunks_exact(size_of::<$type>()).map(|b| {
                let b = b.try_into().unwrap_or_default();
                let x = if big {
                    <$type>::from_be_bytes(b)
                } else {
                    <$type>::from_le_bytes(b)
                };
                x as f64
            }))
        };
    }
    match number {
        Number::F64 => each!(f64),
        Number::F32 => each!(f32),
        Number::F16 => out.extend(bytes.chunks_exact(2).map(|b| {
            let b = b.try_into().unwrap_or_default();
            half(if big {
                u16::from_be_bytes(b)
            } else {
                u16::from_le_bytes(b)
            })
        })),
        Number::Signed(1) => each!(i8),
        Number::Signed(2) => each!(i16),
        Number::Signed(4) => each!(i32),
        Number::Signed(_) => each!(i64),
        Number::Unsigned(1) => each!(u8),
        Number::Unsigned(2) => each!(u16),
        Number::Unsigned(4) => each!(u32),
        Number::Unsigned(_) => each!(u64),
    }
}

/// A number of half precision.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + fraction) * 2f64.powi(e - 15),
    }
}

/// Writes `values` as an array of `rows` rows of doubles, version 1, C order.
pub(crate) fn write_array(
    rows: usize,
    columns: usize,
    values: &[f64],
    out: &mut dyn Write,
) -> std::io::Result<()> {
    debug_assert_eq!(values.len(), rows * columns);
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
    out.write_all(header.as_bytes())?;
    let mut bytes = Vec::with_capacity(CHUNK);
    for chunk in values.chunks(CHUNK / 8) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|x| x.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Labels of an array that has none: `1…n`.
pub(crate) fn positions(n: usize) -> Vec<String> {
    (1..=n).map(|i| i.to_string()).collect()
}

/// Checks a list of labels against the rows or columns it is for.
pub(crate) fn check_labels(
    labels: &[String],
    n: usize,
    what: &str,
    file: &str,
) -> Result<(), Error> {
    if labels.len() == n {
        return Ok(());
    }
    Err(Error::mismatch(
        file,
        None,
        count(labels.len(), "label"),
        format!("{n}, one for each {what} of the array"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_exact() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc500), -5.0);
        assert_eq!(half(0x0001), 2f64.powi(-24));
        assert_eq!(half(0x7bff), 65504.0);
        assert!(half(0x7e00).is_nan());
    }
}
