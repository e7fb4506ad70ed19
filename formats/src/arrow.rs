//! Parquet and Arrow IPC: a column of labels, and one column of numbers for each object.
//!
//! The labels are the column named `label` or pandas' index, or else the first column of text.
//! Nulls are missing numbers. Files come from pandas, polars, R's arrow and DuckDB, so every width
//! of number and every encoding of text that these write is taken.

use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Float64Array, ListArray, RecordBatch,
    StringArray, UInt64Array,
};
use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::{CompressionType, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::error::{Error, name_of, on_one_line, quote};
use crate::frame::{Column, Frame, Slices};
use crate::guarded::guarded;
use crate::matrix::Matrix;
use crate::pages::check_pages;
use crate::source::{ARROW_STREAM, files_in, open};
use crate::thrift::{footer, is_sound};

/// Names of a column that holds the labels, whatever its type and place.
const LABELS: [&str; 2] = ["label", "__index_level_0__"];
/// Rows decoded at a time.
const BATCH: usize = 1024;
/// The most that one column of one batch may unpack to: a hundred million numbers.
const LARGEST_COLUMN: i64 = 1 << 30;
/// No codec packs more tightly: zstd has runs of 128 KB in four bytes, LZ4 of 255 bytes in one.
const TIGHTEST: i64 = 1 << 15;
const TIGHTEST_LZ4: i64 = 1 << 8;
/// Bytes that any column may unpack to.
const SLACK: i64 = 1 << 20;
/// Rows of a group of those that are written: a group is held until it is whole.
const ROWS_TOGETHER: usize = 1 << 17;
/// The key of the text that is written about a table.
const ABOUT: &str = "adjoin";

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Reads a whole Parquet or Arrow file, or a folder of Parquet files.
pub(crate) fn read(path: &Path) -> Result<Matrix, Error> {
    let name = name_of(path);
    if path.is_dir() {
        return read_folder(path, &name);
    }
    let mut file = open(path)?;
    // From memory: the decoders then take slices of what is there, where from a file they would
    // allocate whatever lengths it states.
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|e| Error::read(&name, e))?;
    read_bytes(bytes, &name)?.checked()
}

/// Reads what a pipe has brought.
pub(crate) fn read_bytes(bytes: Vec<u8>, name: &str) -> Result<Matrix, Error> {
    guarded(|| decoded(bytes, name), |why| damaged(name, why))
}

/// Whether a folder holds Parquet files, as Spark, Dask and polars write them.
pub(crate) fn parts(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = files_in(folder)?;
    // `_SUCCESS`, checksums and other notes begin with a mark.
    let hidden = |name: &str| name.starts_with(['_', '.']);
    files.retain(|file| {
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
        name.is_some_and(|n| !hidden(&n) && n.ends_with(".parquet"))
    });
    Ok(files)
}

/// Reads the rows of all parts in the order of their names.
fn read_folder(folder: &Path, name: &str) -> Result<Matrix, Error> {
    let mut whole: Option<Matrix> = None;
    for file in parts(folder)? {
        let part_name = name_of(&file);
        let mut bytes = Vec::new();
        open(&file)?
            .read_to_end(&mut bytes)
            .map_err(|e| Error::read(&part_name, e))?;
        let part = read_bytes(bytes, &part_name)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) if whole.columns == part.columns => {
                whole.rows.extend(part.rows);
                whole.values.extend(part.values);
            }
            Some(_) => return Err(other_columns(&part_name)),
        }
    }
    let Some(mut whole) = whole else {
        return Err(Error::read(name, io::ErrorKind::IsADirectory.into()));
    };
    whole.lines = vec![0; whole.rows.len()];
    whole.source = name.to_owned();
    whole.checked()
}

/// What is said of a part that does not fit the others.
pub(crate) fn other_columns(part: &str) -> Error {
    Error::mismatch(
        part,
        None,
        "other columns than in the parts before",
        "the same columns in every part",
    )
}

pub(crate) fn damaged(name: &str, why: impl std::fmt::Display) -> Error {
    Error::malformed(
        name,
        None,
        format!("a damaged file ({})", on_one_line(why)),
        "a Parquet or Arrow file",
    )
}

/// What reads a Parquet file, once what the file says of itself has been walked through.
fn checked(bytes: Vec<u8>, name: &str) -> Result<ParquetRecordBatchReaderBuilder<Bytes>, Error> {
    check_description(&bytes, name)?;
    let bytes = Bytes::from(bytes);
    let wrong = |e| damaged(name, e);
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone()).map_err(wrong)?;
    check_pages(&bytes, builder.metadata(), |_| true).map_err(wrong)?;
    Ok(builder)
}

fn decoded(bytes: Vec<u8>, name: &str) -> Result<Matrix, Error> {
    let (schema, batches): (Arc<Schema>, Batches) = if bytes.starts_with(b"PAR1") {
        let builder = checked(bytes, name)?;
        let schema = Arc::clone(builder.schema());
        let reader = builder.with_batch_size(BATCH).build();
        (schema, Box::new(reader.map_err(|e| damaged(name, e))?))
    } else if bytes.starts_with(b"ARROW1") {
        check_blocks(&bytes).ok_or_else(|| damaged(name, "impossible lengths"))?;
        let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(|e| damaged(name, e))?;
        (reader.schema(), Box::new(reader))
    } else if bytes.starts_with(ARROW_STREAM) {
        check_stream(&bytes).ok_or_else(|| damaged(name, "impossible lengths"))?;
        let reader =
            StreamReader::try_new(Cursor::new(bytes), None).map_err(|e| damaged(name, e))?;
        (reader.schema(), Box::new(reader))
    } else {
        return Err(Error::malformed(
            name,
            None,
            if bytes.is_empty() {
                "an empty file"
            } else {
                "neither a Parquet nor an Arrow file"
            },
            "a Parquet or Arrow file",
        ));
    };
    let (label_at, columns) = layout(&schema, name)?;
    let mut matrix = Matrix {
        columns,
        labelled: true,
        source: name.to_owned(),
        ..Matrix::default()
    };
    for batch in batches {
        let batch = batch.map_err(|e| damaged(name, e))?;
        append(&batch, label_at, &mut matrix)?;
    }
    matrix.lines = vec![0; matrix.rows.len()];
    Ok(matrix)
}

/// Refuses a Parquet file whose description of itself cannot be.
fn check_description(bytes: &[u8], name: &str) -> Result<(), Error> {
    match footer(bytes) {
        Some(described) if is_sound(described) => Ok(()),
        _ => Err(damaged(name, "impossible lengths")),
    }
}

/// Which column holds the labels, and what the others, all of them numbers, are called.
pub(crate) fn layout(schema: &Schema, name: &str) -> Result<(usize, Vec<String>), Error> {
    let fields = schema.fields();
    let label_at = fields
        .iter()
        .position(|f| LABELS.contains(&f.name().as_str()))
        .or_else(|| fields.iter().position(|f| is_text(f.data_type())));
    let Some(label_at) = label_at else {
        return Err(Error::malformed(
            name,
            None,
            "no column of labels",
            "a column \"label\", or one of text, beside the numbers",
        ));
    };
    let mut columns = Vec::new();
    for (j, field) in fields.iter().enumerate() {
        if j != label_at {
            if !field.data_type().is_numeric() {
                return Err(Error::malformed(
                    name,
                    None,
                    format!(
                        "column {} of type {}",
                        quote(field.name()),
                        field.data_type()
                    ),
                    "numbers in every column but the labels",
                ));
            }
            columns.push(field.name().clone());
        }
    }
    Ok((label_at, columns))
}

/// Checks the lengths that the compressed columns of an Arrow file say they unpack to, because the
/// decoder allocates them unseen. `None` if one is too large or not in the file.
fn check_blocks(bytes: &[u8]) -> Option<()> {
    let footer_end = bytes.len().checked_sub(10)?;
    let footer_length = read_footer_length(bytes[footer_end..].try_into().ok()?).ok()?;
    let footer_bytes = bytes.get(footer_end.checked_sub(footer_length)?..footer_end)?;
    let footer = root_as_footer(footer_bytes).ok()?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    for block in dictionaries.chain(batches) {
        let from = usize::try_from(block.offset()).ok()?;
        // The decoder believes the footer as to where the message ends: so must its header.
        let told = usize::try_from(block.metaDataLength()).ok()?;
        let message = bytes.get(from..)?;
        let (metadata_end, _) = check_message(message)?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        if metadata_end != told || body > message.len() - told {
            return None;
        }
    }
    Some(())
}

/// [`check_blocks`] for a stream of messages.
fn check_stream(bytes: &[u8]) -> Option<()> {
    let mut rest = bytes;
    while rest.len() > 8 {
        (_, rest) = check_message(rest)?;
    }
    Some(())
}

/// Checks the message at the beginning of `bytes`. Returns where its own header ends, and what
/// follows the whole.
pub(crate) fn check_message(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (mark, rest) = bytes.split_first_chunk::<4>()?;
    // Before version 5 there was no mark before the length.
    let (length, rest) = if mark == ARROW_STREAM {
        rest.split_first_chunk::<4>()?
    } else {
        (mark, rest)
    };
    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
    if length == 0 {
        // The mark at the end of a stream.
        return Some((0, &[]));
    }
    let (metadata, rest) = rest.split_at_checked(length)?;
    let metadata_end = bytes.len() - rest.len();
    let message = root_as_message(metadata).ok()?;
    let (body, after) = rest.split_at_checked(usize::try_from(message.bodyLength()).ok()?)?;
    let batch = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch()?.data());
    if let Some(batch) = batch
        && let Some(compression) = batch.compression()
    {
        let tightest = match compression.codec() {
            CompressionType::LZ4_FRAME => TIGHTEST_LZ4,
            _ => TIGHTEST,
        };
        let unpacks_to = |packed: i64| packed.saturating_mul(tightest).saturating_add(SLACK);
        // Columns may lie over each other: what they unpack to together is bounded by what is there.
        let mut left = unpacks_to(i64::try_from(body.len()).ok()?);
        for buffer in batch.buffers()? {
            let from = usize::try_from(buffer.offset()).ok()?;
            let length = usize::try_from(buffer.length()).ok()?;
            let held = body.get(from..)?.get(..length)?;
            // A buffer without a length of its own is empty, and one with -1 is not packed.
            if let Some((unpacked, packed)) = held.split_first_chunk() {
                let unpacked = i64::from_le_bytes(*unpacked).max(0);
                left -= unpacked;
                if unpacked > LARGEST_COLUMN.min(unpacks_to(packed.len() as i64)) || left < 0 {
                    return None;
                }
            }
        }
    }
    Some((metadata_end, after))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn append(batch: &RecordBatch, label_at: usize, matrix: &mut Matrix) -> Result<(), Error> {
    let rows = batch.num_rows();
    let first = matrix.rows.len();
    let labels = batch.column(label_at);
    for i in 0..rows {
        match label(labels, i) {
            Some(label) if !label.is_empty() => matrix.rows.push(label),
            _ => {
                return Err(Error::malformed(
                    &matrix.source,
                    None,
                    format!("no label in row {}", first + i + 1),
                    "a label for each row",
                ));
            }
        }
    }
    let m = matrix.columns.len();
    let begin = matrix.values.len();
    matrix.values.resize(begin + rows * m, f64::NAN);
    let block = &mut matrix.values[begin..];
    let others = (0..batch.num_columns()).filter(|&j| j != label_at);
    for (column, j) in others.enumerate() {
        let cells = block.iter_mut().skip(column).step_by(m);
        if !fill(batch.column(j), cells) {
            let (schema, found) = (batch.schema(), batch.column(j).data_type());
            return Err(not_numbers(&matrix.source, schema.field(j), found));
        }
    }
    Ok(())
}

/// The label in one row, numbers as they are printed.
pub(crate) fn label(array: &ArrayRef, i: usize) -> Option<String> {
    if array.is_null(i) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(i).to_owned(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(i).to_owned(),
        DataType::Utf8View => array.as_string_view().value(i).to_owned(),
        DataType::Dictionary(_, _) => {
            // Of this row alone: keys are made of all that there are.
            let one = array.slice(i, 1);
            let dictionary = one.as_any_dictionary_opt()?;
            let key = *dictionary.normalized_keys().first()?;
            return label(dictionary.values(), key);
        }
        DataType::Int8 => array.as_primitive::<Int8Type>().value(i).to_string(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(i).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(i).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(i).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(i).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(i).to_string(),
        _ => return None,
    })
}

/// A column that [`fill`] does not take.
pub(crate) fn not_numbers(name: &str, field: &Field, found: &DataType) -> Error {
    Error::malformed(
        name,
        None,
        format!("column {} of type {found}", quote(field.name())),
        "whole numbers or floating point numbers",
    )
}

/// Puts a column of numbers into cells that hold NaN; false if it is of another type.
pub(crate) fn fill<'a>(array: &ArrayRef, cells: impl Iterator<Item = &'a mut f64>) -> bool {
    fn put<'a, T: ArrowPrimitiveType>(
        array: &ArrayRef,
        cells: impl Iterator<Item = &'a mut f64>,
        number: impl Fn(T::Native) -> f64,
    ) -> bool {
        for (cell, x) in cells.zip(array.as_primitive::<T>()) {
            if let Some(x) = x {
                *cell = number(x);
            }
        }
        true
    }
    match array.data_type() {
        DataType::Float64 => put::<Float64Type>(array, cells, |x| x),
        DataType::Float32 => put::<Float32Type>(array, cells, f64::from),
        DataType::Float16 => put::<Float16Type>(array, cells, f64::from),
        DataType::Int8 => put::<Int8Type>(array, cells, f64::from),
        DataType::Int16 => put::<Int16Type>(array, cells, f64::from),
        DataType::Int32 => put::<Int32Type>(array, cells, f64::from),
        DataType::Int64 => put::<Int64Type>(array, cells, |x| x as f64),
        DataType::UInt8 => put::<UInt8Type>(array, cells, f64::from),
        DataType::UInt16 => put::<UInt16Type>(array, cells, f64::from),
        DataType::UInt32 => put::<UInt32Type>(array, cells, f64::from),
        DataType::UInt64 => put::<UInt64Type>(array, cells, |x| x as f64),
        _ => false,
    }
}

/// Writes a table as Parquet, with nulls for empty cells, and a text about it in the file's metadata if there is one.
pub(crate) fn write(
    slices: &Slices<'_>,
    about: Option<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(ROWS_TOGETHER))
        .set_key_value_metadata(about.map(|about| vec![KeyValue::new(ABOUT.to_owned(), about)]))
        .build();
    // The writer wants something that can be sent: it writes to memory, which is emptied after each slice.
    let written = Written::default();
    let mut properties = Some(properties);
    let mut writer = None;
    slices.each(|frame, _| {
        let batch = batch_of(frame)?;
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(
                ArrowWriter::try_new(written.clone(), batch.schema(), properties.take())
                    .map_err(io::Error::other)?,
            ),
        };
        writer.write(&batch).map_err(io::Error::other)?;
        out.write_all(&written.take())
    })?;
    if let Some(writer) = writer {
        writer.close().map_err(io::Error::other)?;
    }
    out.write_all(&written.take())
}

/// What was written, until it is taken.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Vec<u8> {
        let bytes = self.0.lock();
        std::mem::take(&mut bytes.unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let held = self.0.lock();
        held.unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A table as Arrow has it.
fn batch_of(frame: &Frame) -> io::Result<RecordBatch> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, column) in &frame.columns {
        let array: ArrayRef = match column {
            Column::Text(v) => Arc::new(StringArray::from_iter_values(v)),
            Column::Number(v) => Arc::new(Float64Array::from_iter(
                v.iter().map(|&x| (!x.is_nan()).then_some(x)),
            )),
            Column::Flag(v) => Arc::new(BooleanArray::from(v.clone())),
            Column::Count(v) => Arc::new(UInt64Array::from(v.clone())),
            Column::List(v) => Arc::new(StringArray::from_iter_values(
                v.iter().map(|list| list.join("; ")),
            )),
            Column::Square(size, v) => {
                let each = v.chunks_exact((size * size).max(1));
                let known = |row: &[f64]| -> Vec<Option<f64>> {
                    row.iter().map(|&x| (!x.is_nan()).then_some(x)).collect()
                };
                Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(
                    each.map(|row| Some(known(row))),
                ))
            }
            Column::Whole(value, count) => Arc::new(StringArray::from_iter_values(
                std::iter::repeat_n(value.to_string(), *count),
            )),
        };
        // An empty header cell is how text marks the labels; here they need a name.
        let name = if name.is_empty() { "label" } else { name };
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(io::Error::other)
}

/// Reads a table that [`write`] wrote, and the text about it if there is one.
pub(crate) fn read_back(path: &Path) -> Result<(Frame, Option<String>), Error> {
    let name = name_of(path);
    let mut bytes = Vec::new();
    open(path)?
        .read_to_end(&mut bytes)
        .map_err(|e| Error::read(&name, e))?;
    guarded(|| table_of(bytes, &name), |why| damaged(&name, why))
}

fn table_of(bytes: Vec<u8>, name: &str) -> Result<(Frame, Option<String>), Error> {
    let builder = checked(bytes, name)?;
    let about = builder
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == ABOUT)?.value.clone());
    let schema = Arc::clone(builder.schema());
    let mut columns = Vec::new();
    for field in schema.fields() {
        let column = match field.data_type() {
            DataType::Utf8 => Column::Text(Vec::new()),
            DataType::Float64 => Column::Number(Vec::new()),
            DataType::Boolean => Column::Flag(Vec::new()),
            DataType::UInt64 => Column::Count(Vec::new()),
            DataType::List(of) if *of.data_type() == DataType::Float64 => {
                Column::Square(0, Vec::new())
            }
            other => {
                let found = format!("column {} of type {other}", quote(field.name()));
                return Err(Error::malformed(name, None, found, "a table of adjoin's"));
            }
        };
        columns.push((field.name().clone(), column));
    }
    let reader = builder.build().map_err(|e| damaged(name, e))?;
    for batch in reader {
        let batch = batch.map_err(|e| damaged(name, e))?;
        for ((_, column), array) in columns.iter_mut().zip(batch.columns()) {
            match column {
                Column::Text(v) => v.extend(
                    array
                        .as_string::<i32>()
                        .iter()
                        .map(|x| x.unwrap_or("").to_owned()),
                ),
                Column::Number(v) => v.extend(
                    array
                        .as_primitive::<Float64Type>()
                        .iter()
                        .map(|x| x.unwrap_or(f64::NAN)),
                ),
                Column::Flag(v) => v.extend(array.as_boolean().iter()),
                // Sentences are never read back: no type above stands for them.
                Column::List(_) | Column::Whole(..) => {}
                Column::Square(size, v) => {
                    let before = v.len();
                    for row in array.as_list::<i32>().iter().flatten() {
                        let row = row.as_primitive::<Float64Type>();
                        v.extend(row.iter().map(|x| x.unwrap_or(f64::NAN)));
                    }
                    let each = (v.len() - before) / array.len().max(1);
                    *size = (each as f64).sqrt() as usize;
                }
                Column::Count(v) => v.extend(
                    array
                        .as_primitive::<UInt64Type>()
                        .iter()
                        .map(|x| x.unwrap_or(0)),
                ),
            }
        }
    }
    let frame = Frame {
        columns,
        ..Frame::default()
    };
    Ok((frame, about))
}
