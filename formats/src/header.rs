//! The header of a labelled table: where it is, what divides its cells, and where the rows begin.
//!
//! Comments and blank lines may come before it. Whether its first cell is a corner is left open
//! here, for only the rows can tell.

use std::borrow::Cow;

use crate::cell::{Delimiter, Value, cells, is_blank, is_numeric, next_line, value};
use crate::error::Error;

/// The header and where the rows begin.
pub(crate) struct Header {
    /// All cells, the corner among them if there is one.
    pub cells: Vec<String>,
    /// The line it stands on.
    pub line: u64,
    pub delimiter: Delimiter,
    /// Every line ends with a delimiter too many.
    pub trailing: bool,
    /// There is no header: the numbers begin at once.
    pub plain: bool,
    /// Whether each row begins with its label.
    pub labelled_rows: bool,
    /// Offset of the first row, and its line.
    pub rows_at: usize,
    pub rows_line: u64,
}

/// Finds the header behind blank lines and comments. `None` if more text is needed to tell. `unlabelled` says that the
/// rows have no labels; numbers alone are known by themselves where nothing else could be meant.
pub(crate) fn find(
    block: &[u8],
    ended: bool,
    name: &str,
    unlabelled: bool,
) -> Result<Option<Header>, Error> {
    let mut rest = block;
    let mut line_number = 0;
    // The last comment, which is the header after all if the line below it is a row.
    let mut comment: Option<(&[u8], u64)> = None;
    let mut header: Option<(&[u8], u64)> = None;
    let mut header_at = 0;
    let (first, first_at, first_line) = loop {
        if rest.is_empty() {
            if !ended {
                return Ok(None);
            }
            break (&b""[..], block.len(), line_number + 1);
        }
        let at = block.len() - rest.len();
        let (line, next) = next_line(rest);
        line_number += 1;
        rest = next;
        if is_blank(line) {
            continue;
        }
        match header {
            None if line.starts_with(b"#") => comment = Some((line, line_number)),
            None => {
                if let Some((hash, hash_line)) = comment
                    && heads(hash, line)
                {
                    header = Some((hash, hash_line));
                    break (line, at, line_number);
                }
                header = Some((line, line_number));
                header_at = at;
            }
            Some(_) => break (line, at, line_number),
        }
    };
    let Some((line, number)) = header else {
        return Err(Error::malformed(
            name,
            None,
            "no lines but blank ones and comments",
            "a header of labels and rows of numbers",
        ));
    };
    let delimiter = Delimiter::of(line, first);
    let Some(raw) = cells(line, delimiter) else {
        return Err(open_quote(name, number));
    };
    let mut labels = Vec::with_capacity(raw.len());
    for cell in &raw {
        match std::str::from_utf8(cell) {
            Ok(label) => labels.push(label.to_owned()),
            Err(_) => return Err(not_text(name, number)),
        }
    }
    let trailing =
        labels.len() > 1 && labels.last().is_some_and(String::is_empty) && !line.ends_with(b"\"");
    if trailing {
        labels.pop();
    }
    if let Some(i) = labels.iter().skip(1).position(String::is_empty) {
        return Err(Error::malformed(
            name,
            number,
            format!("an empty label in cell {} of the header", i + 2),
            "a label for each column",
        ));
    }
    let second = cells(first, delimiter);
    let plain = is_plain(&labels, second.as_deref(), unlabelled);
    if !plain && !line.contains(&b'"') && is_ragged(&labels, second.as_deref().unwrap_or(&[])) {
        return Err(Error::malformed(
            name,
            number,
            format!("{} numbers, and one more on the next line", labels.len()),
            "labels, or as many numbers on each line, or the rows of a triangle (labels that are numbers are known by \
             quotation marks)",
        ));
    }
    if plain && labels.len() == 3 && !unlabelled {
        return Err(Error::malformed(
            name,
            number,
            "a header of numbers only",
            "labels (a list of pairs is read with --format long, numbers without labels with --format plain)",
        ));
    }
    if plain {
        return Ok(Some(Header {
            cells: Vec::new(),
            line: 0,
            delimiter,
            trailing,
            plain,
            labelled_rows: false,
            rows_at: header_at,
            rows_line: number,
        }));
    }
    Ok(Some(Header {
        cells: labels,
        line: number,
        delimiter,
        trailing,
        plain,
        labelled_rows: !unlabelled,
        rows_at: first_at,
        rows_line: first_line,
    }))
}

/// Whether the first line is numbers already: as many as in the second, or one fewer or more, as in a triangle. A label
/// before the numbers of the second line would make it longer, and a single whole number may be a label itself.
fn is_plain(first: &[String], second: Option<&[Cow<'_, [u8]>]>, unlabelled: bool) -> bool {
    let number = |cell: &[u8]| matches!(value(cell), Value::Number(_) | Value::Missing);
    // An empty cell at the beginning is the corner of a header.
    if first.first().is_none_or(String::is_empty)
        || !first.iter().all(|l| number(l.as_bytes()))
        || !first.iter().any(|l| is_numeric(l.as_bytes()))
    {
        return false;
    }
    let second = second.unwrap_or(&[]);
    let whole = first[0].bytes().all(|b| b.is_ascii_digit());
    unlabelled
        || match first.len() {
            1 => !whole && second.len() == 2 && second.iter().all(|c| number(c)),
            width => second.is_empty() || second.len() == width || second.len() + 1 == width,
        }
}

/// Whether the first line is numbers of which one is no whole number, and the second has numbers alone and one more: a
/// header without a corner would look so, but its labels are hardly ever such numbers, unless the first row has the first of
/// them again.
fn is_ragged(first: &[String], second: &[Cow<'_, [u8]>]) -> bool {
    let broken = |label: &String| {
        label
            .bytes()
            .any(|b| matches!(b, b'.' | b'e' | b'E' | b'-'))
    };
    second.len() == first.len() + 1
        && first.iter().all(|l| is_numeric(l.as_bytes()))
        && second.iter().all(|c| is_numeric(c))
        && first.iter().any(broken)
        && *second[0] != *first[0].as_bytes()
}

/// Whether a line that begins with `#` is the header of the row below it (Mash writes `#query`):
/// as many cells, and numbers below all but the first.
fn heads(comment: &[u8], row: &[u8]) -> bool {
    let delimiter = Delimiter::of(comment, row);
    match (cells(comment, delimiter), cells(row, delimiter)) {
        (Some(above), Some(below)) => {
            above.len() == below.len()
                && below.len() > 1
                && below.first().is_some_and(|label| !label.is_empty())
                && below.iter().skip(1).all(|c| is_numeric(c))
        }
        _ => false,
    }
}

pub(crate) fn open_quote(name: &str, line: u64) -> Error {
    Error::malformed(
        name,
        line,
        "a quotation mark without its partner",
        "quoted labels to begin and end on one line",
    )
}

pub(crate) fn not_text(name: &str, line: u64) -> Error {
    Error::malformed(
        name,
        line,
        "bytes that are not UTF-8",
        "UTF-8 text (iconv -f LATIN1 -t UTF-8 makes it of what older spreadsheets write)",
    )
}
