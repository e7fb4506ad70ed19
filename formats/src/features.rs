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
use crate::matrix::{Provenance, positions};
use crate::numbers::refuse_doubled;
use crate::read::{What, read_as};
use crate::source::{Text, provenance};

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
    /// What is worth saying about the file.
    pub remarks: Vec<String>,
    /// The file's name, for messages.
    pub source: String,
    /// Name, size and digest of the file, if they were asked for.
    pub provenance: Option<Provenance>,
}

impl FeatureTable {
    /// The same table with the features of a map: those that it lacks have the value `fill`, if there is one, and those
    /// that the map does not know are left out, if they may be. Without either it is as it was.
    ///
    /// # Errors
    /// If features are missing and there is no `fill`, or it has others that may not be left out, with their number.
    pub fn fitted_to(
        mut self,
        names: &[String],
        fill: Option<f64>,
        ignore: bool,
    ) -> Result<FeatureTable, Error> {
        let asked = fill.is_some() || ignore;
        if self.features.numbers().is_none() || !(self.named || asked) {
            return Ok(self);
        }
        if !self.named {
            return Err(Error::mismatch(
                &self.source,
                None,
                "columns without names",
                "names, to tell which features are missing or new",
            ));
        }
        let own = self.features.names();
        let place = crate::matrix::places(own);
        let known = crate::matrix::places(names);
        let missing: Vec<&String> = names
            .iter()
            .filter(|n| !place.contains_key(n.as_str()))
            .collect();
        let new: Vec<&String> = own
            .iter()
            .filter(|n| !known.contains_key(n.as_str()))
            .collect();
        let named = |first: &String, count: usize| match count {
            1 => quote(first),
            _ => format!("{} and {} more", quote(first), count - 1),
        };
        if let (Some(first), None) = (missing.first(), fill) {
            return Err(Error::mismatch(
                &self.source,
                None,
                format!("no feature {}", named(first, missing.len())),
                format!(
                    "the map's {} (--fill VALUE stands for those that are not there, such as 0 for counts)",
                    names.len()
                ),
            ));
        }
        if let (Some(first), false) = (new.first(), ignore) {
            return Err(Error::mismatch(
                &self.source,
                None,
                format!("a feature {}", named(first, new.len())),
                format!(
                    "the map's {} and no others (--ignore-new-features leaves them out)",
                    names.len()
                ),
            ));
        }
        if missing.is_empty() && new.is_empty() {
            return Ok(self);
        }
        let (k, q) = (self.features.count(), own.len());
        let mut fitted = Vec::with_capacity(k * names.len());
        for row in self.features.values().unwrap_or_default().chunks(q) {
            let cell = |name: &String| {
                place
                    .get(name.as_str())
                    .map_or(fill.unwrap_or(f64::NAN), |&j| row[j])
            };
            fitted.extend(names.iter().map(cell));
        }
        let labels = self.features.labels().to_vec();
        let features = Features::new(fitted, names.len(), Some(labels), Some(names.to_vec()))
            .map_err(|e| Error::of_core(&self.source, &self.lines, e))?;
        self.features = features;
        Ok(self)
    }
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
    if let Some(
        format @ (Format::Phylip
        | Format::Long
        | Format::Mega
        | Format::Nexus
        | Format::Bin
        | Format::Qza),
    ) = format
    {
        return Err(Error::mismatch(
            &name,
            None,
            format!("the format {format}, which holds proximities"),
            "features as a table, .npy, Parquet, HDF5 or Zarr",
        ));
    }
    let (mut matrix, format) = read_as(path, options, What::Features)?;
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
    let bare = format.is_unlabelled();
    let numbered = |labels: &[String], n| labels == positions(n);
    // Labels of the file's rows that were given are those of features once it is turned over.
    let said =
        options.column_labels.is_some() || options.adapt.transpose && !numbered(&matrix.columns, q);
    let unnamed = bare && !said || format == Format::Hdf5 && numbered(&matrix.columns, q);
    let labelled = !(bare || format == Format::Hdf5) || !numbered(&matrix.rows, k);
    let labels = std::mem::take(&mut matrix.rows);
    let names = std::mem::take(&mut matrix.columns);
    // A square array with labels for its rows has them for its columns too, which are features here.
    let (labels, names) = (labelled.then_some(labels), (!unnamed).then_some(names));
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
        named: !unnamed,
        remarks: matrix.remarks,
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
        _ => text.provenance()?,
    };
    Ok(FeatureTable {
        features,
        lines,
        labelled: true,
        named: true,
        remarks: Vec::new(),
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
