//! Small delimited files, read whole as cells of text: coordinates, weights, labels.

use crate::cell::{Delimiter, Value, cells, is_blank, next_line, value, wanted};
use crate::error::{Error, quote};
use crate::header::{not_text, open_quote};
use crate::source::Text;

/// A line of cells.
pub(crate) struct Record {
    pub line: u64,
    pub cells: Vec<String>,
}

/// The lines that are neither blank nor comments before the first that is.
pub(crate) struct Sheet {
    pub name: String,
    pub records: Vec<Record>,
}

impl Sheet {
    pub(crate) fn read(text: &mut Text<'_>) -> Result<Sheet, Error> {
        Self::read_as(text, false)
    }

    /// The same where a header may begin with `#`; a comment has a blank after it.
    pub(crate) fn read_with_marked_header(text: &mut Text<'_>) -> Result<Sheet, Error> {
        Self::read_as(text, true)
    }

    fn read_as(text: &mut Text<'_>, marked_header: bool) -> Result<Sheet, Error> {
        let name = text.name.clone();
        let comment: &[u8] = if marked_header { b"# " } else { b"#" };
        let bytes = text.read_all()?;
        let mut records: Vec<Record> = Vec::new();
        let mut delimiter = None;
        let mut rest = &bytes[..];
        let mut number = 0;
        while !rest.is_empty() {
            let (line, next) = next_line(rest);
            rest = next;
            number += 1;
            if is_blank(line) || (records.is_empty() && line.starts_with(comment)) {
                continue;
            }
            let delimiter =
                *delimiter.get_or_insert_with(|| Delimiter::of(line, next_line(rest).0));
            let Some(raw) = cells(line, delimiter) else {
                return Err(open_quote(&name, number));
            };
            let cells: Result<Vec<String>, _> = raw
                .iter()
                .map(|cell| std::str::from_utf8(cell).map(str::to_owned))
                .collect();
            let Ok(cells) = cells else {
                return Err(not_text(&name, number));
            };
            records.push(Record {
                line: number,
                cells,
            });
        }
        Ok(Sheet { name, records })
    }
}

/// The number in a cell that must hold one.
pub(crate) fn number(name: &str, line: u64, text: &str, place: &str) -> Result<f64, Error> {
    match value(text.as_bytes()) {
        Value::Number(x) => Ok(x),
        _ => Err(Error::malformed(
            name,
            line,
            format!("{}{place}", quote(text)),
            match value(text.as_bytes()) {
                Value::Missing => "a number",
                _ => wanted(text.as_bytes()),
            },
        )),
    }
}
