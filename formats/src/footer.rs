//! The footer of a Parquet file, a group of rows at a time.
//!
//! A footer says of every column in every group of rows where it lies. Decoded, that is some 400 bytes each: for a wide table in many
//! groups, more than the rows that are read. So the bytes of each group are found by going over the footer once, and
//! a group is decoded when its rows are wanted, by the Parquet library, from a footer that has this group alone.
//!
//! The footer is a struct of Thrift's compact protocol, of which only as much is understood here as is needed to pass a value over:
//!
//! ```text
//! struct   fields, then 0        field   a byte (number − the last one) << 4 | type, or type alone and the number
//! list     a byte count << 4 | type, or 15 << 4 | type and the count      number   seven bits a byte, the lowest first
//! ```
//!
//! # References
//! Apache Thrift, the compact protocol; Apache Parquet, `parquet.thrift`: `FileMetaData`, whose fourth field are the groups.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetStatisticsPolicy};
use parquet::file::reader::ChunkReader;

/// The last bytes of a file: the length of the footer before them, and the mark of the format.
const TAIL: usize = 8;
const MARK: &[u8] = b"PAR1";

/// The number of the field that has the groups of rows.
const GROUPS: i64 = 4;

/// Types of values in Thrift's compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Structs inside each other, at most: those of Parquet are six deep.
const DEEPEST: usize = 32;

/// Where the parts of a footer lie in its file.
pub(crate) struct Footer {
    /// Where it begins.
    start: u64,
    /// All up to the list of groups, and all after it, as they are.
    before: Bytes,
    after: Bytes,
    /// Each group, counted from the beginning of the footer.
    groups: Vec<Range<usize>>,
}

impl Footer {
    /// Goes over the footer of a file once.
    pub(crate) fn read(file: &impl ChunkReader) -> Result<Footer> {
        let length = usize::try_from(file.len()).map_err(|_| damaged())?;
        let at = length.checked_sub(TAIL).ok_or_else(damaged)?;
        let tail = file.get_bytes(at as u64, TAIL)?;
        let (size, mark) = tail.split_at(4);
        if mark != MARK {
            return Err(damaged());
        }
        let size = size.try_into().map(u32::from_le_bytes);
        let size = size.map_err(|_| damaged())? as usize;
        let start = at.checked_sub(size).ok_or_else(damaged)?;
        let bytes = file.get_bytes(start as u64, size)?;
        let (list, groups) = groups_in(&bytes)?;
        // Copies: what is between them is as large as all else.
        Ok(Footer {
            start: start as u64,
            before: Bytes::copy_from_slice(&bytes[..list.start]),
            after: Bytes::copy_from_slice(&bytes[list.end..]),
            groups,
        })
    }

    /// How many groups of rows there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// What is said of a table of some of its groups, and of no others.
    pub(crate) fn decode(
        &self,
        file: &impl ChunkReader,
        groups: Range<usize>,
    ) -> Result<ArrowReaderMetadata> {
        let mut bytes = self.before.to_vec();
        put_list(groups.len(), &mut bytes);
        if let Some(first) = self.groups.get(groups.start).filter(|_| !groups.is_empty()) {
            let last = &self.groups[groups.end - 1];
            let at = self.start + first.start as u64;
            bytes.extend_from_slice(&file.get_bytes(at, last.end - first.start)?);
        }
        bytes.extend_from_slice(&self.after);
        let options = options();
        let wanted = Some(options.metadata_options());
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(&bytes, wanted)?;
        ArrowReaderMetadata::try_new(Arc::new(metadata), options)
    }
}

/// What is said of each column's smallest and largest number, sizes and encodings in each group is of no use.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
}

fn damaged() -> ParquetError {
    ParquetError::General("its footer is damaged".into())
}

/// The head of a list of so many structs.
fn put_list(count: usize, bytes: &mut Vec<u8>) {
    if count < 15 {
        bytes.push((count as u8) << 4 | STRUCT);
        return;
    }
    bytes.push(15 << 4 | STRUCT);
    let mut left = count;
    while left >= 128 {
        bytes.push(left as u8 | 128);
        left >>= 7;
    }
    bytes.push(left as u8);
}

/// Where the list of groups lies in a footer, its head included, and where each group does.
fn groups_in(footer: &[u8]) -> Result<(Range<usize>, Vec<Range<usize>>)> {
    let mut cursor = Cursor { footer, at: 0 };
    let mut number = 0;
    while let Some((own, kind)) = cursor.field(number)? {
        number = own;
        if number != GROUPS || kind != LIST {
            cursor.pass(kind, 0)?;
            continue;
        }
        let start = cursor.at;
        let (count, kind) = cursor.list()?;
        // A file without rows may say anything of what it has none of.
        if kind != STRUCT && count > 0 {
            return Err(damaged());
        }
        let mut groups = Vec::new();
        for _ in 0..count {
            let first = cursor.at;
            cursor.pass(STRUCT, 0)?;
            groups.push(first..cursor.at);
        }
        return Ok((start..cursor.at, groups));
    }
    Err(damaged())
}

/// A place in a footer.
struct Cursor<'a> {
    footer: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn byte(&mut self) -> Result<u8> {
        let byte = self.footer.get(self.at).copied().ok_or_else(damaged)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        let left = (self.footer.len() - self.at) as u64;
        if count > left {
            return Err(damaged());
        }
        self.at += count as usize;
        Ok(())
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    /// The next field's number and type; none at the end of the struct.
    fn field(&mut self, last: i64) -> Result<Option<(i64, u8)>> {
        let head = self.byte()?;
        let kind = head & 15;
        if kind == 0 {
            return Ok(None);
        }
        let number = if head >> 4 == 0 {
            let folded = self.number()?;
            (folded >> 1) as i64 ^ -((folded & 1) as i64)
        } else {
            last + i64::from(head >> 4)
        };
        Ok(Some((number, kind)))
    }

    /// How many values a list has, and of which type.
    fn list(&mut self) -> Result<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 {
            self.number()?
        } else {
            u64::from(head >> 4)
        };
        Ok((count, head & 15))
    }

    /// Passes a value of a type over.
    fn pass(&mut self, kind: u8, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(damaged());
        }
        match kind {
            // As a field, its type says which it is.
            TRUE | FALSE => Ok(()),
            BYTE => self.skip(1),
            I16..=I64 => self.number().map(drop),
            DOUBLE => self.skip(8),
            BINARY => {
                let count = self.number()?;
                self.skip(count)
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    self.element(kind, depth)?;
                }
                Ok(())
            }
            MAP => {
                let count = self.number()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    self.element(kinds >> 4, depth)?;
                    self.element(kinds & 15, depth)?;
                }
                Ok(())
            }
            STRUCT => {
                let mut number = 0;
                while let Some((own, kind)) = self.field(number)? {
                    number = own;
                    self.pass(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(damaged()),
        }
    }

    /// A value of a list, where yes and no are a byte: each takes one at least, so that no count is beyond the footer.
    fn element(&mut self, kind: u8, depth: usize) -> Result<()> {
        match kind {
            TRUE | FALSE => self.skip(1),
            kind => self.pass(kind, depth + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// version 1; schema: an empty list; rows 7; groups with a number, a text and a list of flags each; created by.
    fn footer(groups: usize) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0x0c, 0x16, 14, 0x19];
        put_list(groups, &mut bytes);
        for i in 0..groups {
            bytes.extend([
                0x15,
                (i % 64) as u8,
                0x18,
                3,
                b'a',
                b'b',
                b'c',
                0x19,
                0x21,
                1,
                2,
                0,
            ]);
        }
        bytes.extend([0x28, 2, b'm', b'e', 0]);
        bytes
    }

    /// Every group is found, whatever their number takes to be written.
    #[test]
    fn groups_are_found() {
        for count in [0, 1, 3, 14, 15, 127, 128, 300] {
            let bytes = footer(count);
            let (list, groups) = groups_in(&bytes).unwrap();
            assert_eq!(groups.len(), count);
            assert_eq!(list.start, 7);
            assert_eq!(&bytes[list.end..], [0x28, 2, b'm', b'e', 0]);
            assert!(groups.windows(2).all(|w| w[0].end == w[1].start));
            for (i, group) in groups.iter().enumerate() {
                assert_eq!(group.len(), 12);
                assert_eq!(bytes[group.start + 1], (i % 64) as u8);
            }
        }
    }

    /// A footer that ends early, or claims what it does not have, is refused.
    #[test]
    fn damaged_footers_are_refused() {
        let bytes = footer(3);
        let (list, _) = groups_in(&bytes).unwrap();
        for end in 0..list.end {
            assert!(groups_in(&bytes[..end]).is_err(), "{end}");
        }
        let many = [0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
        let nested: Vec<u8> = std::iter::repeat_n(0x1c, 1000).collect();
        let text = [
            0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
        ];
        let unknown = [0x1e, 0];
        for bytes in [&many[..], &nested, &text, &unknown, &[0]] {
            assert!(groups_in(bytes).is_err());
        }
    }
}
