//! A large table of text, read where its rows are: an index of its lines, and rows parsed when they are asked for.
//!
//! One look through the file finds where each row begins and what it is called; no number is parsed. Then any rows can be
//! read, by several threads at once, and what is in memory is the index and a few blocks. Only rectangles are read so:
//! a triangle, and whatever else only the whole file can tell, is left to [`crate::table`].

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::blocks::{Blocks, OnDisk, check_range};
use crate::cell::{cell, is_blank, is_numeric, next_line, start};
use crate::error::{Error, count, quote};
use crate::header::Header;
use crate::raw::Number;
use crate::source::{Text, open};
use crate::table::{self, How, open_rows};
use crate::triangle::{Marks, Rows};

/// A byte order mark, which is no part of the text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Rows of a table of text.
pub(crate) struct TextRows {
    file: File,
    index: Arc<Index>,
    bytes: Vec<u8>,
}

/// Where the rows are.
struct Index {
    path: PathBuf,
    name: String,
    header: Header,
    /// Where each row begins, and at last where they end.
    starts: Vec<u64>,
    /// The line of each.
    lines: Vec<u64>,
    /// Numbers in each.
    width: usize,
    /// The decimal marks that were met so far.
    marks: Mutex<Marks>,
}

/// Opens a table if it is a rectangle of rows that can be read one by one; none if only all of it can tell what it is.
pub(crate) fn open_table(path: &Path, name: &str, how: &How) -> Result<Option<OnDisk>, Error> {
    let mut file = open(path)?;
    let mut mark = Vec::new();
    (&mut file)
        .take(MARK.len() as u64)
        .read_to_end(&mut mark)
        .map_err(|e| Error::read(name, e))?;
    let mut at = if mark == MARK { MARK.len() as u64 } else { 0 };
    let mut text = Text::new(Box::new(open(path)?), name, false)?;
    let (header, mut blocks, mut block) = open_rows(&mut text, how)?;
    let (mut starts, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut from, mut line_number) = (header.rows_at, header.rows_line);
    let mut some_rows: Vec<Vec<u8>> = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    while !block.is_empty() {
        let mut rest = &block[from..];
        while !rest.is_empty() {
            let begin = at + (block.len() - rest.len()) as u64;
            let (line, next) = next_line(rest);
            rest = next;
            if !is_blank(line) {
                if header.labelled_rows {
                    match label(line, &header) {
                        Some(label) => labels.push(label),
                        // What is wrong with it, its reader will say.
                        None => return Ok(None),
                    }
                }
                starts.push(begin);
                lines.push(line_number);
                if some_rows.len() < 2 {
                    some_rows.push(line.to_vec());
                } else if rest.is_empty() {
                    last.clear();
                    last.extend_from_slice(line);
                }
            }
            line_number += 1;
        }
        at += block.len() as u64;
        block = blocks.next(&mut text)?;
        from = 0;
    }
    if !last.is_empty() {
        some_rows.push(last);
    }
    starts.push(at);
    let Some(width) = width(&header, &some_rows) else {
        return Ok(None);
    };
    let k = lines.len();
    let cells = header.cells.len();
    let unlabelled = k == cells
        && cells == width + 1
        && !header.cells[0].is_empty()
        && labels.iter().all(|l: &String| is_numeric(l.as_bytes()));
    if unlabelled {
        // Perhaps a square without labels of rows: its symmetry will tell.
        return Ok(None);
    }
    let columns = (!header.plain).then(|| header.cells[cells - width..].to_vec());
    let labels = if header.labelled_rows {
        Some(labels)
    } else {
        how.names.as_ref().map(|names| names.labels.clone())
    };
    // Numbers alone may be a triangle or half a square; those under a header without labels of rows, a square.
    if header.plain && k == width {
        return Ok(None);
    }
    if labels.as_ref().is_some_and(|l| l.len() != k) || columns.is_some() && labels.is_none() {
        return Ok(None);
    }
    let index = Index {
        path: path.to_owned(),
        name: name.to_owned(),
        header,
        starts,
        lines: lines.clone(),
        width,
        marks: Mutex::default(),
    };
    let rows = TextRows {
        file,
        index: Arc::new(index),
        bytes: Vec::new(),
    };
    Ok(Some(OnDisk {
        blocks: Box::new(rows),
        labels,
        columns,
        lines,
    }))
}

/// The label of a row, as it is if nothing is wrong with it.
fn label(line: &[u8], header: &Header) -> Option<String> {
    let first = start(line, header.delimiter)?;
    let (label, _) = cell(line, first, header.delimiter)?;
    let label = std::str::from_utf8(&label).ok()?;
    (!label.is_empty()).then(|| label.to_owned())
}

/// How many numbers each row has, if the first, second and last have as many as there are columns: half of a square
/// has not.
fn width(header: &Header, some_rows: &[Vec<u8>]) -> Option<usize> {
    let lengths: Option<Vec<usize>> = some_rows
        .iter()
        .map(|line| {
            let mut rows = Rows::default();
            table::parse(line, header, 0, &mut rows).ok()?;
            rows.lengths.first().copied()
        })
        .collect();
    let lengths = lengths?;
    let width = *lengths.first()?;
    let cells = header.cells.len();
    let cornered = header.cells.first().is_some_and(String::is_empty);
    let headed = header.plain || cells == width + 1 || cells == width && !cornered;
    (width > 0 && headed && lengths.iter().all(|l| *l == width)).then_some(width)
}

impl Blocks for TextRows {
    fn shape(&self) -> (usize, usize) {
        (self.index.lines.len(), self.index.width)
    }

    fn source(&self) -> &str {
        &self.index.name
    }

    fn number(&self) -> Number {
        Number::F64
    }

    fn read_rows(&mut self, first: usize, rows: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        let index = &self.index;
        let name = &index.name;
        check_range(name, index.lines.len(), first, rows)?;
        block.clear();
        if rows == 0 {
            return Ok(());
        }
        let (from, to) = (index.starts[first], index.starts[first + rows]);
        self.bytes.resize((to - from) as usize, 0);
        self.file
            .seek(SeekFrom::Start(from))
            .and_then(|_| self.file.read_exact(&mut self.bytes))
            .map_err(|e| Error::read(name, e))?;
        let mut parsed = Rows {
            values: std::mem::take(block),
            ..Rows::default()
        };
        table::parse(&self.bytes, &index.header, index.lines[first], &mut parsed)
            .map_err(|fault| fault.explain(&index.header, name, false))?;
        if parsed.lengths.len() != rows {
            return Err(Error::malformed(
                name,
                index.lines[first],
                "other rows than a moment ago",
                "a file that stays as it is while it is read",
            ));
        }
        if let Some(wrong) = parsed.lengths.iter().position(|l| *l != index.width) {
            let row = match parsed.labels.get(wrong) {
                Some(label) => format!(" in row {}", quote(label)),
                None => String::new(),
            };
            return Err(Error::malformed(
                name,
                parsed.lines[wrong],
                format!("{}{row}", count(parsed.lengths[wrong], "value")),
                format!("{}, as in the first row", index.width),
            ));
        }
        if let Ok(mut marks) = index.marks.lock() {
            marks.append(*parsed.marks, 0);
            marks.check(name)?;
        }
        *block = parsed.values;
        Ok(())
    }

    fn another(&self) -> Option<Box<dyn Blocks>> {
        Some(Box::new(TextRows {
            file: open(&self.index.path).ok()?,
            index: Arc::clone(&self.index),
            bytes: Vec::new(),
        }))
    }
}
