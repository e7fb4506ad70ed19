//! The headers of the pages of a Parquet file: whether what they say can be so.
//!
//! A column of a group of rows is a row of pages, each behind a header by the protocol of the description at the file's end. The decoder
//! believes it as it believes that: a list of two thousand million truth values in the header of one page keeps it busy for seconds.
//! So the headers are walked through before a column is decoded; what they head is passed over unread.
//!
//! # References
//! Apache Parquet, `parquet.thrift`: `PageHeader`, whose third field is the size of the page as it is stored.

use std::ops::Range;

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::ChunkReader;

use crate::thrift::{DEEPEST, I32, field, folded, value};

/// The number of the field that has the size of the page.
const STORED: i64 = 3;
/// Bytes in which a header is looked for first: most have some thirty, more where a page's least and largest value are long.
const SHORT: usize = 512;
/// How many times as many bytes are looked at when a header is not whole in those.
const LONGER: usize = 8;

/// Refuses a file where the headers of some columns' pages cannot be what they say. The columns are those without parts in others, in
/// the file's order.
pub(crate) fn check_pages(
    file: &impl ChunkReader,
    described: &ParquetMetaData,
    wanted: impl Fn(usize) -> bool,
) -> Result<()> {
    for group in described.row_groups() {
        for (c, column) in group.columns().iter().enumerate() {
            if wanted(c) {
                check_column(file, bytes_of(column).ok_or_else(damaged)?)?;
            }
        }
    }
    Ok(())
}

/// Where the pages of a column lie.
fn bytes_of(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let first = column.dictionary_page_offset();
    let start = u64::try_from(first.unwrap_or(column.data_page_offset())).ok()?;
    let length = u64::try_from(column.compressed_size()).ok()?;
    Some(start..start.checked_add(length)?)
}

fn check_column(file: &impl ChunkReader, mut rest: Range<u64>) -> Result<()> {
    if rest.end > file.len() {
        return Err(damaged());
    }
    while rest.start < rest.end {
        let left = usize::try_from(rest.end - rest.start).map_err(|_| damaged())?;
        let mut looked = SHORT.min(left);
        let page = loop {
            match page(&file.get_bytes(rest.start, looked)?) {
                Some(page) => break page,
                None if looked == left => return Err(damaged()),
                None => looked = looked.saturating_mul(LONGER).min(left),
            }
        };
        rest.start = rest.start.checked_add(page).ok_or_else(damaged)?;
        if rest.start > rest.end {
            return Err(damaged());
        }
    }
    Ok(())
}

/// How many bytes a page has, its header included; none where the header is not whole, or cannot be.
fn page(bytes: &[u8]) -> Option<u64> {
    let (mut rest, mut number, mut stored) = (bytes, 0, None);
    while let Some((own, kind)) = field(&mut rest, number)? {
        number = own;
        if (number, kind) == (STORED, I32) {
            stored = u64::try_from(folded(&mut rest)?).ok();
        } else {
            value(kind, &mut rest, DEEPEST)?;
        }
    }
    let header = u64::try_from(bytes.len() - rest.len()).ok()?;
    header.checked_add(stored?)
}

fn damaged() -> ParquetError {
    ParquetError::General("the headers of its pages are damaged".into())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// Kind 0; 40 bytes unpacked; so many stored; of a page of values two numbers, and a text as long as is wanted.
    fn header(stored: u8, text: usize) -> Vec<u8> {
        let mut bytes = vec![
            0x15,
            0,
            0x15,
            80,
            0x15,
            2 * stored,
            0x2c,
            0x15,
            10,
            0x15,
            0,
            0x18,
        ];
        let mut left = text;
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
        bytes.resize(bytes.len() + text, b'a');
        bytes.extend([0, 0]);
        bytes
    }

    /// Pages of 3, 0 and 50 bytes, the second with a header longer than what is looked at first.
    fn column() -> Bytes {
        let mut bytes = Vec::new();
        for (stored, text) in [(3, 1), (0, 5 * SHORT), (50, 0)] {
            bytes.extend(header(stored, text));
            bytes.resize(bytes.len() + usize::from(stored), 0xff);
        }
        bytes.into()
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let bytes = column();
        let all = bytes.len() as u64;
        check_column(&bytes, 0..all).unwrap();
        let (first, last) = (page(&bytes).unwrap(), page(&header(50, 0)).unwrap());
        check_column(&bytes, first..all - last).unwrap();
        check_column(&bytes, all..all).unwrap();
        // An end inside a page, or behind the file.
        for end in (1..all + 9).filter(|&end| end != first && end != all - last && end != all) {
            assert!(check_column(&bytes, 0..end).is_err(), "{end}");
        }
    }

    /// A header that claims what is not there: truth values without end, a negative size, none.
    #[test]
    fn headers_that_cannot_be() {
        let many = [
            0x15, 0, 0x15, 80, 0x15, 2, 0x49, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 9,
        ];
        let negative = [0x15, 0, 0x15, 80, 0x15, 1, 0, 9];
        let none = [0x15, 0, 0x15, 80, 0, 9];
        for bytes in [&many[..], &negative, &none] {
            let bytes = Bytes::copy_from_slice(bytes);
            let all = bytes.len() as u64;
            assert!(check_column(&bytes, 0..all).is_err(), "{bytes:x?}");
        }
    }
}
