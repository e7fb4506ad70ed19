//! Labelled tables: a header of column labels, then one labelled row of numbers a line.
//!
//! Tabs, commas, semicolons or blanks; with or without a corner cell; quotes as in RFC 4180 (but
//! no line breaks inside them); comments before the header. This covers scikit-bio and QIIME 2
//! `lsmat`, R's `write.csv` and `write.table`, pandas' `to_csv` and Mash's tables.
//!
//! The text is read in blocks that end at a line end, each block is cut into one piece a thread,
//! and numbers are parsed straight out of the bytes: what is in memory is the numbers and a block.
//! What the rows mean together (a rectangle, a triangle) is decided by [`crate::triangle`].

use std::thread;

use memchr::{memchr, memrchr};

use crate::cell::{
    Delimiter, Value, after, cell, cells, is_blank, is_numeric, next_line, pointed, start, value,
    wanted,
};
use crate::error::{Error, count, quote, quote_bytes};
use crate::header::{Header, find, not_text, open_quote};
use crate::helper::{Begun, begin};
use crate::matrix::Matrix;
use crate::plain;
use crate::source::Text;
use crate::triangle::{self, Marks, Rows};
use crate::unlabelled::Names;

/// Bytes of text that a thread is given at a time: large enough that starting it costs nothing.
const PIECE: usize = 2 << 20;

/// And where there is but one: small enough to stay in its cache.
const ALONE: usize = 1 << 18;

/// How a table is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct How {
    pub threads: usize,
    /// Labels for rows that have none.
    pub names: Option<Names>,
    /// The rows have no labels, whether or not there are some in a file.
    pub plain: bool,
}

impl How {
    fn unlabelled(&self) -> bool {
        self.plain || self.names.is_some()
    }
}

/// Reads a whole table of proximities.
pub(crate) fn read(text: &mut Text, how: &How) -> Result<Matrix, Error> {
    let (header, rows) = read_all(text, how, true)?;
    let form = header.delimiter.form();
    let name = &text.name;
    let matrix = if !header.labelled_rows {
        plain::assemble(header, rows, how.names.as_ref(), name)?
    } else if plain::lacks_row_labels(&header, &rows) {
        plain::assemble(header, plain::put_back(rows), None, name)?
    } else {
        triangle::assemble(header, rows, name)?
    };
    Ok(Matrix {
        form,
        ..matrix.checked()?
    })
}

/// Reads a table whose columns have nothing to do with its rows: always a rectangle.
pub(crate) fn read_rectangle(text: &mut Text, how: &How) -> Result<Matrix, Error> {
    let (mut header, rows) = read_all(text, how, false)?;
    let name = &text.name;
    if !header.labelled_rows {
        return plain::assemble(header, rows, how.names.as_ref(), name)?.checked();
    }
    let width = header.cells.len();
    let first = rows.lengths[0];
    if first != width && first + 1 != width || first == 0 {
        return Err(Error::malformed(
            name,
            rows.lines[0],
            format!(
                "{} in row {}",
                count(first, "value"),
                quote(&rows.labels[0])
            ),
            format!("one for each column of the header on line {}", header.line),
        ));
    }
    if let Some(wrong) = rows.lengths.iter().position(|&l| l != first) {
        return Err(Error::malformed(
            name,
            rows.lines[wrong],
            format!(
                "{} in row {}",
                count(rows.lengths[wrong], "value"),
                quote(&rows.labels[wrong])
            ),
            format!("{first}, as in the rows before"),
        ));
    }
    let columns = header.cells.split_off(width - first);
    // An empty corner says that the first line is a header.
    let cornered = header.cells.first().is_none_or(String::is_empty);
    let called = if cornered {
        Called::Words
    } else {
        called(&columns)
    };
    if let Called::Neither = called {
        return Err(Error::mismatch(
            name,
            header.line,
            format!(
                "numbers where the names of columns stand ({} first)",
                columns.first().map_or("", String::as_str)
            ),
            "a header with the names of the columns: rows that have labels need one",
        ));
    }
    let mut matrix = rows.into_rectangle(columns, header.line, name);
    if let Called::Numbers = called {
        matrix.remarks.push(format!(
            "its first line is taken as the header, though it has only numbers after {}: a line of names goes before it \
             otherwise",
            quote(&header.cells[0])
        ));
    }
    if let Some(corner) = header.cells.first().filter(|c| is_of_features(c)) {
        matrix.remarks.push(format!(
            "the corner says {}, so its rows may be features; with --transpose its columns are the objects",
            quote(corner)
        ));
    }
    matrix.checked()
}

/// What names of columns are that stand beside a name of the corner: words, or numbers as columns are called by; numbers in no order,
/// or broken ones, which an object has whose line is the first of a file without a header.
enum Called {
    Words,
    Numbers,
    Neither,
}

fn called(columns: &[String]) -> Called {
    let numbers: Vec<f64> = columns
        .iter()
        .filter(|c| is_numeric(c.as_bytes()))
        .filter_map(|c| c.parse().ok())
        .collect();
    let from = |first: usize| (first..).zip(columns).all(|(i, c)| *c == i.to_string());
    let ascending = numbers.windows(2).all(|w| w[0] < w[1]);
    // So many numbers of an object are hardly ever in order.
    if numbers.len() < columns.len() || from(0) || from(1) || ascending && numbers.len() > 4 {
        return Called::Words;
    }
    let whole = numbers.iter().all(|v| v.fract() == 0.0);
    let mut sorted = numbers;
    sorted.sort_by(f64::total_cmp);
    let twice = sorted.windows(2).any(|w| w[0] == w[1]);
    if ascending || whole && !twice {
        Called::Numbers
    } else {
        Called::Neither
    }
}

/// What programs write over a column of features: BIOM's tables have samples in their columns.
fn is_of_features(corner: &str) -> bool {
    let plain: String = corner
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    matches!(
        plain.as_str(),
        "otuid"
            | "otu"
            | "otus"
            | "featureid"
            | "feature"
            | "asv"
            | "asvid"
            | "taxon"
            | "taxonomy"
            | "taxa"
            | "species"
            | "gene"
            | "geneid"
            | "genes"
            | "snp"
            | "kmer"
    )
}

/// Reads the header and all rows, of which there is at least one. `pairs` says that a list of pairs may be meant.
fn read_all(text: &mut Text, how: &How, pairs: bool) -> Result<(Header, Rows), Error> {
    let threads = how.threads;
    let name = text.name.clone();
    let (header, mut blocks, block) = open_rows(text, how)?;
    let rows = read_rows(text, &mut blocks, block, &header, threads)
        .map_err(|fault| fault.explained(&header, &name, pairs))?;
    rows.marks.check(&name)?;
    if rows.lengths.is_empty() {
        return Err(Error::malformed(
            &name,
            header.line,
            format!(
                "a header of {} and nothing after it",
                count(header.cells.len(), "cell")
            ),
            "a header and at least one row",
        ));
    }
    Ok((header, rows))
}

/// Reads the header; with it come the block that it is in, and those that follow.
pub(crate) fn open_rows(text: &mut Text, how: &How) -> Result<(Header, Blocks, Vec<u8>), Error> {
    let mut blocks = Blocks {
        rest: Vec::new(),
        size: if how.threads <= 1 {
            ALONE
        } else {
            PIECE * how.threads
        },
        ended: false,
    };
    let mut block = blocks.next(text)?;
    loop {
        match find(&block, blocks.ended, &text.name, how.unlabelled())? {
            Some(header) => return Ok((header, blocks, block)),
            // The header, or the line after it, is not all there yet.
            None => block.extend(blocks.next(text)?),
        }
    }
}

/// Why rows were not read.
enum Stop {
    /// The text could not be.
    Text(Error),
    /// A row is at fault.
    Row(Fault),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Text(error)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Row(fault)
    }
}

impl Stop {
    fn explained(self, header: &Header, name: &str, pairs: bool) -> Error {
        match self {
            Stop::Text(error) => error,
            Stop::Row(fault) => fault.explain(header, name, pairs),
        }
    }
}

/// Text in blocks that end at a line end.
pub(crate) struct Blocks {
    rest: Vec<u8>,
    size: usize,
    ended: bool,
}

impl Blocks {
    /// The next block, empty at the end of the text.
    pub(crate) fn next(&mut self, text: &mut Text) -> Result<Vec<u8>, Error> {
        let mut block = std::mem::take(&mut self.rest);
        let mut searched = 0;
        while !self.ended {
            let wanted = self
                .size
                .saturating_sub(block.len())
                .max(self.size / 2)
                .max(1);
            if text.read_some(&mut block, wanted)? == 0 {
                self.ended = true;
            } else if let Some(end) = memrchr(b'\n', &block[searched..]) {
                self.rest = block.split_off(searched + end + 1);
                break;
            } else {
                searched = block.len();
            }
        }
        Ok(block)
    }
}

/// Parses all rows, the next block being read while the threads parse this one.
fn read_rows(
    text: &mut Text,
    blocks: &mut Blocks,
    first: Vec<u8>,
    header: &Header,
    threads: usize,
) -> Result<Rows, Stop> {
    let mut rows = Rows::default();
    let mut line = header.rows_line;
    let mut block = first;
    let mut from = header.rows_at;
    loop {
        let next = if threads <= 1 {
            line = parse(&block[from..], header, line, &mut rows)?;
            blocks.next(text)?
        } else {
            let pieces = cut(&block[from..], threads);
            let (parsed, next) = thread::scope(|scope| {
                let one = |piece| {
                    let mut rows = Rows::default();
                    parse(piece, header, 0, &mut rows).map(|lines| (rows, lines))
                };
                let running: Vec<_> = pieces
                    .iter()
                    .map(|piece| begin(scope, move || one(*piece)))
                    .collect();
                let next = blocks.next(text);
                let parsed: Vec<_> = running.into_iter().map(Begun::answer).collect();
                next.map(|next| (parsed, next))
            })?;
            for piece in parsed {
                let (piece, lines) = piece.map_err(|fault| fault.after(line))?;
                rows.labels.extend(piece.labels);
                rows.lines.extend(piece.lines.iter().map(|l| l + line));
                rows.lengths.extend(piece.lengths);
                rows.values.extend_from_slice(&piece.values);
                rows.marks.append(*piece.marks, line);
                line += lines;
            }
            next
        };
        if next.is_empty() {
            return Ok(rows);
        }
        block = next;
        from = 0;
    }
}

/// Cuts text into pieces of about equal length that end at a line end.
fn cut(text: &[u8], pieces: usize) -> Vec<&[u8]> {
    let mut cut = Vec::with_capacity(pieces);
    let mut rest = text;
    for left in (1..=pieces).rev() {
        let goal = rest.len() / left;
        let end = match memchr(b'\n', &rest[goal..]) {
            Some(end) if left > 1 => goal + end + 1,
            _ => rest.len(),
        };
        let (piece, after) = rest.split_at(end);
        if !piece.is_empty() {
            cut.push(piece);
        }
        rest = after;
    }
    cut
}

/// What is wrong with a row.
pub(crate) struct Fault {
    line: u64,
    label: Vec<u8>,
    kind: FaultKind,
}

enum FaultKind {
    Quote,
    Utf8,
    EmptyLabel,
    Cell {
        index: usize,
        /// Cells in the whole line, the label among them.
        cells: usize,
        text: Vec<u8>,
    },
}

/// Appends the rows of a piece that begins on line `number`; answers the number of the line after it.
pub(crate) fn parse(
    piece: &[u8],
    header: &Header,
    mut number: u64,
    rows: &mut Rows,
) -> Result<u64, Fault> {
    let mut rest = piece;
    while !rest.is_empty() {
        let (mut line, next) = next_line(rest);
        rest = next;
        if header.trailing
            && let Some((&last, before)) = line.split_last()
            && header.delimiter.divides(last)
        {
            line = before;
        }
        if !is_blank_quickly(line) {
            let had = rows.values.len();
            if header.delimiter == Delimiter::Byte(b';') {
                note_marks(line, number, &mut rows.marks);
            }
            let label = parse_row(line, header, &mut rows.values);
            let label = label.map_err(|(label, kind)| Fault {
                line: number,
                label,
                kind,
            })?;
            if header.labelled_rows {
                rows.labels.push(label);
            }
            rows.lines.push(number);
            rows.lengths.push(rows.values.len() - had);
        }
        number += 1;
    }
    Ok(number)
}

/// Notes the first decimal point and the first decimal comma among the numbers of a line divided by semicolons.
fn note_marks(line: &[u8], number: u64, marks: &mut Marks) {
    // Once a mark is known, only the other is looked for, and hardly ever met.
    let news = |known: bool, mark: u8| !known && memchr(mark, line).is_some();
    if !news(marks.point.is_some(), b'.') && !news(marks.comma.is_some(), b',') {
        return;
    }
    let cells = cells(line, Delimiter::Byte(b';')).unwrap_or_default();
    for (column, cell) in cells.iter().enumerate().skip(1) {
        let mark = if cell.contains(&b',') {
            &mut marks.comma
        } else if cell.contains(&b'.') && is_numeric(cell) {
            &mut marks.point
        } else {
            continue;
        };
        mark.get_or_insert_with(|| (number, column, String::from_utf8_lossy(cell).into_owned()));
    }
}

/// [`is_blank`], for lines that hardly ever are.
fn is_blank_quickly(line: &[u8]) -> bool {
    line.first().is_none_or(|b| b.is_ascii_whitespace()) && is_blank(line)
}

/// Appends the values of a row and returns its label, empty if rows have none.
fn parse_row(
    line: &[u8],
    header: &Header,
    values: &mut Vec<f64>,
) -> Result<String, (Vec<u8>, FaultKind)> {
    let delimiter = header.delimiter;
    let first = start(line, delimiter).unwrap_or(0);
    let (label, mut at) = if header.labelled_rows {
        let (label, end) = cell(line, first, delimiter).ok_or((Vec::new(), FaultKind::Quote))?;
        let label = match std::str::from_utf8(&label) {
            Ok("") => return Err((Vec::new(), FaultKind::EmptyLabel)),
            Ok(label) => label.to_owned(),
            Err(_) => return Err((Vec::new(), FaultKind::Utf8)),
        };
        (label, after(line, end, delimiter))
    } else {
        (String::new(), Some(first))
    };
    let had = values.len();
    while let Some(here) = at {
        // Nearly every cell is a plain number that ends at the delimiter.
        if let Ok((x, length)) = fast_float2::parse_partial::<f64, _>(&line[here..])
            && line
                .get(here + length)
                .is_none_or(|&b| delimiter.divides(b))
            && x.is_finite()
        {
            values.push(x);
            at = after(line, here + length, delimiter);
            continue;
        }
        let Some((text, end)) = cell(line, here, delimiter) else {
            return Err((label.into_bytes(), FaultKind::Quote));
        };
        match value_between(&text, delimiter) {
            Value::Number(x) => values.push(x),
            Value::Missing => values.push(f64::NAN),
            Value::Infinite | Value::Text => {
                let kind = FaultKind::Cell {
                    index: values.len() - had,
                    cells: cells(line, delimiter).map_or(0, |c| c.len()),
                    text: text.into_owned(),
                };
                return Err((label.into_bytes(), kind));
            }
        }
        at = after(line, end, delimiter);
    }
    Ok(label)
}

/// The value of a cell. Between semicolons a comma is a decimal point, as R's `write.csv2` and
/// spreadsheets of half of Europe have it.
fn value_between(text: &[u8], delimiter: Delimiter) -> Value {
    match value(text) {
        Value::Text if delimiter == Delimiter::Byte(b';') => value(&pointed(text)),
        value => value,
    }
}

impl Fault {
    /// The same, so many lines further on.
    fn after(mut self, lines: u64) -> Self {
        self.line += lines;
        self
    }

    pub(crate) fn explain(self, header: &Header, name: &str, pairs: bool) -> Error {
        let line = self.line;
        let row = quote_bytes(&self.label);
        match self.kind {
            FaultKind::Quote => open_quote(name, line),
            FaultKind::Utf8 => not_text(name, line),
            FaultKind::EmptyLabel => Error::malformed(
                name,
                line,
                "a row without a label",
                "a label before the numbers",
            ),
            FaultKind::Cell { index: 0, text, .. } if !header.labelled_rows => Error::mismatch(
                name,
                line,
                format!("{} where numbers alone should be", quote_bytes(&text)),
                "no labels in the file, as --labels or --format plain say",
            ),
            FaultKind::Cell { index, cells, text } => {
                // Whether the header has a corner shows in its length beside this row's.
                let corner = header.cells.first().is_some_and(String::is_empty)
                    || cells == header.cells.len();
                let place = match header.cells.get(index + usize::from(corner)) {
                    Some(column) => format!("in row {row}, column {}", quote(column)),
                    None => format!("in row {row}, cell {}", index + 2),
                };
                let mut expected = wanted(&text).to_owned();
                if pairs
                    && index == 0
                    && (3..=5).contains(&header.cells.len())
                    && cells == header.cells.len()
                {
                    expected.push_str(" (a list of pairs is read with --format long)");
                }
                Error::malformed(
                    name,
                    line,
                    format!("{} {place}", quote_bytes(&text)),
                    expected,
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn text(bytes: &str) -> Text<'static> {
        Text::new(Box::new(Cursor::new(bytes.as_bytes().to_vec())), "f", false).unwrap()
    }

    #[test]
    fn any_number_of_threads_and_any_block_size_read_the_same() {
        let n = 30;
        let mut table = String::from("# made here\n\n");
        for j in 0..n {
            table += &format!("\tlabel {j}");
        }
        table.push('\n');
        for i in 0..n {
            table += &format!("label {i}");
            for j in 0..n {
                table += &format!("\t{}", (i * n + j) as f64 / 7.0);
            }
            table += if i % 3 == 0 { "\r\n\n" } else { "\n" };
        }
        let whole = read(&mut text(&table), &How::default()).unwrap();
        assert_eq!(whole.values[n + 1], (n + 1) as f64 / 7.0);
        for threads in 1..5 {
            for size in [1, 7, 100, 5000] {
                let mut input = text(&table);
                let mut blocks = Blocks {
                    rest: Vec::new(),
                    size,
                    ended: false,
                };
                let mut block = blocks.next(&mut input).unwrap();
                let header = loop {
                    match find(&block, blocks.ended, "f", false).unwrap() {
                        Some(header) => break header,
                        None => block.extend(blocks.next(&mut input).unwrap()),
                    }
                };
                let rows = read_rows(&mut input, &mut blocks, block, &header, threads);
                let rows = rows
                    .map_err(|stop| stop.explained(&header, "f", true))
                    .unwrap();
                assert_eq!(rows.values, whole.values);
                assert_eq!(rows.lines, whole.lines);
                assert_eq!(rows.labels, whole.rows);
            }
        }
    }

    #[test]
    fn a_header_behind_a_hash_is_known_by_the_row_below_it() {
        let matrix = read(
            &mut text("# note\n#query\ta\tb\nx\t1\t2\n"),
            &How::default(),
        )
        .unwrap();
        assert_eq!(matrix.columns, ["a", "b"]);
        assert_eq!(matrix.rows, ["x"]);
        let matrix = read(
            &mut text("#one\ttwo\tthree\n\t1\t2\nx\t3\t4\n"),
            &How::default(),
        )
        .unwrap();
        assert_eq!(matrix.columns, ["1", "2"]);
    }

    #[test]
    fn pieces_cover_the_text_and_end_at_line_ends() {
        let text = b"a\nbb\nccc\ndddd\neeeee";
        for pieces in 1..8 {
            let cut = cut(text, pieces);
            assert_eq!(cut.concat(), text);
            assert!(cut[..cut.len() - 1].iter().all(|p| p.ends_with(b"\n")));
        }
    }
}
