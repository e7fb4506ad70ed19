//! Features: a table with a row for each object and a column for each feature, or a list of texts.
//!
//! Tables are the same delimited text, Parquet and `.npy` files that proximities come in, but their columns are names
//! of features and have nothing to do with the rows: a feature table is never taken for a triangle, and every cell
//! must hold a number. Texts are a table whose header is `label` and `text` (tab, comma or semicolon between
//! them), or else a list in which each line is a text and its own label.

use std::path::Path;

use adjoin::Features;

use crate::cell::{Delimiter, cells, is_blank, next_line};
use crate::detect::{Format, ReadOptions, detect};
use crate::error::{Error, count, name_of, quote};
use crate::header::{not_text, open_quote};
use crate::matrix::Provenance;
use crate::numbers::refuse_doubled;
use crate::source::{Text, provenance};
use crate::{read, table};

/// Features as they stand in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    /// The objects with their features, or with a text each.
    pub features: Features,
    /// The line of each object; 0 where the format has no lines.
    pub lines: Vec<u64>,
    /// False if objects are known by position only.
    pub labelled: bool,
    /// False if features are known by position only.
    pub named: bool,
    /// The file's name, for messages.
    pub source: String,
    /// Name, size and digest of the file, if they were asked for.
    pub provenance: Option<Provenance>,
}

/// Reads a table of features; `-` is text from standard input.
///
/// # Errors
/// If the file cannot be read, or a cell is not a finite number, with its line and column.
pub fn read_features(path: &Path, options: &ReadOptions) -> Result<FeatureTable, Error> {
    let name = name_of(path);
    let format = match options.format {
        Some(format) => Some(format),
        None => detect(path)?,
    };
    let mut matrix = match format {
        None | Some(Format::Table) => {
            if options.labels.is_some() {
                return Err(Error::mismatch(
                    &name,
                    None,
                    "a file of labels beside a file that has its own",
                    "labels for an .npy array only",
                ));
            }
            let mut text = Text::open(path, options.digest)?;
            let mut matrix = table::read_rectangle(&mut text, options.threads())?;
            matrix.provenance = text.provenance();
            matrix
        }
        Some(Format::Npy | Format::Parquet) => read::read(path, options)?,
        Some(format) => {
            return Err(Error::mismatch(
                &name,
                None,
                format!("the format {format}, which holds proximities"),
                "features as a table, .npy or Parquet",
            ));
        }
    };
    let (k, q) = matrix.shape();
    if let Some(at) = matrix.values.iter().position(|v| !v.is_finite()) {
        let (row, column) = (at / q, at % q);
        let found = if matrix.values[at].is_nan() {
            "no number"
        } else {
            "an infinite number"
        };
        return Err(Error::malformed(
            &name,
            matrix.line(row),
            format!(
                "{found} in row {}, column {}",
                quote(&matrix.rows[row]),
                quote(&matrix.columns[column])
            ),
            "a number for every feature of every object",
        ));
    }
    let is_array = format == Some(Format::Npy);
    let labels = std::mem::take(&mut matrix.rows);
    let names = std::mem::take(&mut matrix.columns);
    let labelled = !is_array || options.labels.is_some();
    // A square array with labels for its rows has them for its columns too, which are features here.
    let (labels, names) = (labelled.then_some(labels), (!is_array).then_some(names));
    let features = Features::new(matrix.values, q, labels, names).map_err(|e| {
        Error::malformed(
            &name,
            None,
            format!("{} ({e})", count(k, "row")),
            "features",
        )
    })?;
    Ok(FeatureTable {
        features,
        lines: matrix.lines,
        labelled,
        named: !is_array,
        source: matrix.source,
        provenance: matrix.provenance,
    })
}

/// Reads texts; `-` is standard input.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or a label comes twice.
pub fn read_texts(path: &Path, options: &ReadOptions) -> Result<FeatureTable, Error> {
    let name = name_of(path);
    if let Some(format) = options
        .format
        .or(detect(path)?)
        .filter(|f| *f != Format::Table)
    {
        return Err(Error::mismatch(
            &name,
            None,
            format!("the format {format}"),
            "texts as a list of lines, or as a table of labels and texts",
        ));
    }
    let mut text = Text::open(path, options.digest)?;
    let bytes = text.read_all()?;
    let mut rest = &bytes[..];
    let mut number = 0;
    let mut delimiter = None;
    let [mut labels, mut texts] = [const { Vec::<String>::new() }; 2];
    let mut lines = Vec::new();
    let mut begun = false;
    while !rest.is_empty() {
        let (line, next) = next_line(rest);
        rest = next;
        number += 1;
        if is_blank(line) {
            continue;
        }
        if !begun {
            begun = true;
            delimiter = header(line);
            if delimiter.is_some() {
                continue;
            }
        }
        let utf8 = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).map(|t| t.trim().to_owned());
            text.map_err(|_| not_text(&name, number))
        };
        match delimiter {
            None => {
                let text = utf8(line)?;
                labels.push(text.clone());
                texts.push(text);
            }
            Some(delimiter) => {
                let cells = cells(line, delimiter).ok_or_else(|| open_quote(&name, number))?;
                let [label, text] = &cells[..] else {
                    return Err(Error::malformed(
                        &name,
                        number,
                        count(cells.len(), "cell"),
                        "a label and a text",
                    ));
                };
                labels.push(utf8(label)?);
                texts.push(utf8(text)?);
            }
        }
        lines.push(number);
    }
    if labels.is_empty() {
        return Err(Error::malformed(&name, None, "no texts", "one a line"));
    }
    refuse_doubled(&labels, &lines, &name)?;
    let features = Features::texts(texts, Some(labels))
        .map_err(|e| Error::malformed(&name, None, e.to_string(), "texts"))?;
    let provenance = match options.digest {
        true if path.as_os_str() != "-" => Some(provenance(path)?),
        _ => text.provenance(),
    };
    Ok(FeatureTable {
        features,
        lines,
        labelled: true,
        named: true,
        source: name,
        provenance,
    })
}

/// What divides the cells of a header `label`, `text`; none if a line is not one.
fn header(line: &[u8]) -> Option<Delimiter> {
    [b'\t', b',', b';']
        .map(Delimiter::Byte)
        .into_iter()
        .find(|&d| {
            cells(line, d).is_some_and(|cells| {
                let is = |i: usize, word: &str| cells[i].eq_ignore_ascii_case(word.as_bytes());
                cells.len() == 2 && is(0, "label") && is(1, "text")
            })
        })
}
