//! Metadata: what else is known of the objects, as text, by label.
//!
//! A table with a header; the first column holds the labels. QIIME 2's kind is understood: its header may begin
//! with `#`, and its second line `#q2:types` is not an object.

use std::path::Path;

use crate::cell::{Value, value};
use crate::detect::{Format, detect};
use crate::error::{Error, count, name_of, quote};
use crate::numbers::refuse_doubled;
use crate::sheet::Sheet;
use crate::source::Text;

/// Columns of text, by label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The objects, each once.
    pub labels: Vec<String>,
    /// Names and cells; none where the table has nothing.
    pub columns: Vec<(String, Vec<Option<String>>)>,
    /// The file's name, for messages.
    pub source: String,
}

/// Reads a table of metadata.
///
/// # Errors
/// If it is not a table with a header and one label for each row, each once.
pub fn read_metadata(path: &Path) -> Result<Metadata, Error> {
    let source = name_of(path);
    if let Some(format @ (Format::Npy | Format::Parquet | Format::Qza)) = detect(path)? {
        return Err(Error::malformed(
            &source,
            None,
            format!("a file of the format {format}"),
            "metadata as a delimited table",
        ));
    }
    from_text(&mut Text::open(path, false)?)
}

fn from_text(text: &mut Text<'_>) -> Result<Metadata, Error> {
    let source = text.name.clone();
    let sheet = Sheet::read_with_marked_header(text)?;
    let mut records = sheet.records.iter();
    let Some(header) = records.next().filter(|h| h.cells.len() > 1) else {
        return Err(Error::malformed(
            &source,
            None,
            "no header of two columns or more",
            "a header, then a label and its metadata on each line",
        ));
    };
    let width = header.cells.len();
    let mut metadata = Metadata {
        labels: Vec::new(),
        columns: header.cells[1..]
            .iter()
            .map(|name| (name.clone(), Vec::new()))
            .collect(),
        source,
    };
    let mut lines = Vec::new();
    for record in records {
        let [label, cells @ ..] = &record.cells[..] else {
            continue;
        };
        if label.starts_with("#q2:") {
            continue;
        }
        // Empty cells at the end of a line are often not written.
        if record.cells.len() > width {
            return Err(Error::malformed(
                &metadata.source,
                record.line,
                format!("{} for {}", count(record.cells.len(), "cell"), quote(label)),
                format!("at most {width}, as in the header"),
            ));
        }
        metadata.labels.push(label.clone());
        lines.push(record.line);
        for (j, (_, column)) in metadata.columns.iter_mut().enumerate() {
            // Among words "none" is one of them: no shrubs, no treatment.
            let said = |c: &&String| {
                value(c.as_bytes()) != Value::Missing || c.trim().eq_ignore_ascii_case("none")
            };
            let cell = cells.get(j).filter(said);
            column.push(cell.cloned());
        }
    }
    refuse_doubled(&metadata.labels, &lines, &metadata.source)?;
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read_text(text: &str) -> Result<Metadata, Error> {
        let bytes = Cursor::new(text.as_bytes().to_vec());
        from_text(&mut Text::new(Box::new(bytes), "f", false)?)
    }

    #[test]
    fn columns_and_missing_cells() {
        let none = read_text("id\tshrub\na\tNone\nb\tNA\n").unwrap();
        assert_eq!(none.columns[0].1, [Some("None".to_owned()), None]);
        let found = read_text("id\tgroup\tdepth\na\tnorth\t1.5\nb\t\tNA\nc\tsouth\n").unwrap();
        assert_eq!(found.labels, ["a", "b", "c"]);
        let word = |w: &str| Some(w.to_owned());
        assert_eq!(found.columns[0].1, [word("north"), None, word("south")]);
        assert_eq!(found.columns[1].1, [word("1.5"), None, None]);
    }

    #[test]
    fn the_header_of_qiime() {
        let found = read_text("#SampleID\tsite\n#q2:types\tcategorical\ns1\tgut\n").unwrap();
        assert_eq!(found.columns[0].0, "site");
        assert_eq!(found.labels, ["s1"]);
    }

    #[test]
    fn what_is_no_metadata() {
        for (text, expected) in [
            ("", "an empty file"),
            ("id\na\nb\n", "no header of two columns or more"),
            ("id\tx\na\t1\na\t2\n", "\"a\" twice"),
            ("id\tx\na\t1\t2\n", "3 cells for \"a\""),
        ] {
            let message = read_text(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
