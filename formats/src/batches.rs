//! Rows of Arrow IPC files and streams that are larger than memory: a record batch at a time.
//!
//! A file is a stream with a mark before it and an index behind it, so both are read alike, message by message. One look
//! through it finds where each batch begins, and the labels; then any batch can be read again, with the dictionaries before it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_message;

use crate::arrow::{check_message, damaged, fill, label, layout, not_numbers};
use crate::blocks::{Blocks, OnDisk, check_range};
use crate::error::Error;
use crate::guarded::guarded;
use crate::raw::Number;
use crate::source::{ARROW_STREAM, open};

/// What a file begins with, padded to eight bytes.
const FILE_MARK: &[u8; 8] = b"ARROW1\0\0";
/// The longest description of a batch: a few hundred bytes a column.
const LONGEST_METADATA: usize = 1 << 28;
/// Batches that are held: threads ask for rows of the next while others still want the one before.
const HELD: usize = 2;

/// The batches of a file or stream.
pub(crate) struct ArrowRows {
    name: String,
    file: File,
    /// Where schema and dictionaries are, and before which batch they come.
    before: Vec<(u64, usize)>,
    /// Where each batch is, and the number of its first row.
    batches: Vec<(u64, usize)>,
    shape: (usize, usize),
    label_at: usize,
    /// The last ones that were read, by their numbers.
    held: Vec<(usize, RecordBatch)>,
}

/// Opens an Arrow file or stream, and reads its labels.
pub(crate) fn open_arrow(path: &Path, name: &str) -> Result<OnDisk, Error> {
    let mut file = open(path)?;
    let mut mark = [0; 8];
    let begins = file.read_exact(&mut mark).is_ok() && mark == *FILE_MARK;
    let mut at = if begins { FILE_MARK.len() as u64 } else { 0 };
    let mut rows = ArrowRows {
        name: name.to_owned(),
        file,
        before: Vec::new(),
        batches: Vec::new(),
        shape: (0, 0),
        label_at: 0,
        held: Vec::new(),
    };
    let mut decoder = StreamDecoder::new();
    let (mut labels, mut columns) = (Vec::new(), Vec::new());
    while let Some(message) = rows.message(at)? {
        let length = message.len() as u64;
        // A decoder answers with a batch of no rows and no bytes only when it is given the next one, which it then loses.
        if is_empty(&message) {
            at += length;
            continue;
        }
        let batch = rows.decoded(&mut decoder, message)?;
        // It is known once something has come after it.
        if columns.is_empty()
            && let Some(schema) = decoder.schema()
        {
            (rows.label_at, columns) = layout(&schema, name)?;
        }
        match batch {
            Some(batch) => {
                rows.batches.push((at, labels.len()));
                let own = batch.column(rows.label_at);
                for i in 0..batch.num_rows() {
                    match label(own, i) {
                        Some(label) if !label.is_empty() => labels.push(label),
                        _ => {
                            return Err(Error::malformed(
                                name,
                                None,
                                format!("no label in row {}", labels.len() + 1),
                                "a label for each row",
                            ));
                        }
                    }
                }
            }
            None => rows.before.push((at, rows.batches.len())),
        }
        at += length;
    }
    rows.shape = (labels.len(), columns.len());
    if labels.is_empty() || columns.is_empty() {
        return Err(Error::malformed(
            name,
            None,
            "no rows or no columns of numbers",
            "a labelled table of proximities",
        ));
    }
    Ok(OnDisk {
        blocks: Box::new(rows),
        labels: Some(labels),
        columns: Some(columns),
        lines: Vec::new(),
    })
}

/// Whether a message is a batch of no rows.
fn is_empty(message: &[u8]) -> bool {
    let described = message.get(8..).map(root_as_message);
    let batch = described.and_then(Result::ok);
    let batch = batch.and_then(|m| m.header_as_record_batch());
    batch.is_some_and(|b| b.length() == 0)
}

impl ArrowRows {
    /// The message at a place, whole and found sound; none at the end.
    fn message(&mut self, at: u64) -> Result<Option<Vec<u8>>, Error> {
        let wrong = || damaged(&self.name, "impossible lengths");
        let mut file = &self.file;
        let read = |e| Error::read(&self.name, e);
        let length = file.metadata().map_err(read)?.len();
        file.seek(SeekFrom::Start(at)).map_err(read)?;
        let mut prefix = [0; 8];
        if length.saturating_sub(at) < 8 {
            return if length == at { Ok(None) } else { Err(wrong()) };
        }
        file.read_exact(&mut prefix).map_err(read)?;
        let (mark, size) = prefix.split_at(4);
        if mark != ARROW_STREAM {
            return Err(wrong());
        }
        let size = i32::from_le_bytes(size.try_into().unwrap_or_default());
        let Some(size) = usize::try_from(size).ok().filter(|s| *s > 0) else {
            // The mark at the end of a stream; behind it a file has its index.
            return if size == 0 { Ok(None) } else { Err(wrong()) };
        };
        if size > LONGEST_METADATA || size as u64 > length - at - 8 {
            return Err(wrong());
        }
        let mut message = prefix.to_vec();
        message.resize(8 + size, 0);
        file.read_exact(&mut message[8..]).map_err(read)?;
        let body = root_as_message(&message[8..]).map_err(|_| wrong())?;
        let body = body.bodyLength();
        let body = usize::try_from(body)
            .ok()
            .filter(|body| *body as u64 <= length - at - message.len() as u64)
            .ok_or_else(wrong)?;
        let described = message.len();
        message.resize(described + body, 0);
        file.read_exact(&mut message[described..]).map_err(read)?;
        check_message(&message).ok_or_else(wrong)?;
        Ok(Some(message))
    }

    /// The batch of a message, if it is one.
    fn decoded(
        &self,
        decoder: &mut StreamDecoder,
        message: Vec<u8>,
    ) -> Result<Option<RecordBatch>, Error> {
        let mut buffer = Buffer::from(message);
        guarded(
            || {
                let batch = decoder.decode(&mut buffer);
                batch.map_err(|e| damaged(&self.name, e))
            },
            |why| damaged(&self.name, why),
        )
    }

    /// Makes a batch one of those that are held.
    fn hold(&mut self, number: usize) -> Result<(), Error> {
        if self.held.iter().any(|(n, _)| *n == number) {
            return Ok(());
        }
        let mut decoder = StreamDecoder::new();
        let before = self.before.iter().take_while(|(_, b)| *b <= number);
        let mut places: Vec<u64> = before.map(|(at, _)| *at).collect();
        places.push(self.batches[number].0);
        let mut found = None;
        if self.held.len() == HELD {
            self.held.remove(0);
        }
        for at in places {
            if let Some(message) = self.message(at)? {
                found = self.decoded(&mut decoder, message)?;
            }
        }
        let found = found.ok_or_else(|| damaged(&self.name, "other batches than a moment ago"))?;
        self.held.push((number, found));
        Ok(())
    }
}

impl Blocks for ArrowRows {
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
        block.clear();
        block.resize(count * m, f64::NAN);
        let mut done = 0;
        while done < count {
            let number = self.batches.partition_point(|(_, f)| *f <= first + done) - 1;
            self.hold(number)?;
            let begin = self.batches[number].1;
            let Some((_, batch)) = self.held.iter().find(|(n, _)| *n == number) else {
                continue;
            };
            let from = first + done - begin;
            let some = batch.num_rows().saturating_sub(from).min(count - done);
            if some == 0 || batch.num_columns() != m + 1 {
                return Err(damaged(&self.name, "other batches than a moment ago"));
            }
            let others = (0..=m).filter(|&j| j != self.label_at);
            for (column, j) in others.enumerate() {
                let cells = block[done * m..].iter_mut().skip(column).step_by(m);
                if !fill(&batch.column(j).slice(from, some), cells) {
                    let (schema, found) = (batch.schema(), batch.column(j).data_type());
                    return Err(not_numbers(&self.name, schema.field(j), found));
                }
            }
            done += some;
        }
        Ok(())
    }

    fn is_sequential(&self) -> bool {
        true
    }
}
