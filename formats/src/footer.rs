//! The footer of a Parquet file, a group of rows at a time.
//!
//! A footer says of every column in every group of rows where it lies. Decoded, that is some 400 bytes each: for a wide table in many
//! groups, more than the rows that are read. So the bytes of each group are found by going over the footer once, and
//! a group is decoded when its rows are wanted, by the Parquet library, from a footer that has this group alone.
//!
//! # References
//! Apache Parquet, `parquet.thrift`: `FileMetaData`, whose fourth field are the groups.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetStatisticsPolicy};
use parquet::file::reader::ChunkReader;

use crate::thrift::{DEEPEST, LIST, STRUCTURE, field, list, put_list, structure, value};

/// The last bytes of a file: the length of the footer before them, and the mark of the format.
const TAIL: usize = 8;
const MARK: &[u8] = b"PAR1";

/// The number of the field that has the groups of rows.
const GROUPS: i64 = 4;

/// Where the parts of a footer lie in its file.
pub(crate) struct Footer {
    /// Where it begins.
    start: u64,
    /// All up to the list of groups, and all after it, as they are.
    before: Bytes,
    after: Bytes,
    /// Each group, counted from the beginning of the footer.
    groups: Vec<Range<usize>>,
    /// How the columns are to be read: the same for every group.
    options: ArrowReaderOptions,
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
        let (list, groups) = groups_in(&bytes).ok_or_else(damaged)?;
        // Copies: what is between them is as large as all else.
        let mut footer = Footer {
            start: start as u64,
            before: Bytes::copy_from_slice(&bytes[..list.start]),
            after: Bytes::copy_from_slice(&bytes[list.end..]),
            groups,
            options: options(),
        };
        drop(bytes);
        let none = footer.decode(file, 0..0)?;
        footer.options = options()
            .with_schema(Arc::clone(none.schema()))
            .with_parquet_schema(none.metadata().file_metadata().schema_descr_ptr());
        Ok(footer)
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
        let wanted = Some(self.options.metadata_options());
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(&bytes, wanted)?;
        ArrowReaderMetadata::try_new(Arc::new(metadata), self.options.clone())
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

/// Where the list of groups lies in a footer, its head included, and where each group does; none if it cannot be what it says.
fn groups_in(footer: &[u8]) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let at = |rest: &[u8]| footer.len() - rest.len();
    let (mut rest, mut number, mut found) = (footer, 0, None);
    while let Some((own, kind)) = field(&mut rest, number)? {
        number = own;
        if number != GROUPS || kind != LIST {
            value(kind, &mut rest, DEEPEST)?;
            continue;
        }
        let start = at(rest);
        let (count, kind) = list(&mut rest)?;
        // A file without rows may say anything of what it has none of.
        if found.is_some() || (kind != STRUCTURE && count > 0) {
            return None;
        }
        let mut groups = Vec::new();
        for _ in 0..count {
            let first = at(rest);
            structure(&mut rest, DEEPEST)?;
            groups.push(first..at(rest));
        }
        found = Some((start..at(rest), groups));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// version 1; schema: an empty list; rows 7; groups with a number, a text and a list of numbers each; created by.
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
                0x25,
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
        for end in 0..bytes.len() {
            assert!(groups_in(&bytes[..end]).is_none(), "{end}");
        }
        // More groups than there are bytes, two lists of them, and none.
        let many = [0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
        let twice = [0x49, 0x0c, 0x09, 8, 0x0c, 0];
        for bytes in [&many[..], &twice, &[0]] {
            assert!(groups_in(bytes).is_none());
        }
    }
}
