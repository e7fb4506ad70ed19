//! Short lists beside the proximities: self-similarities, weights, labels.

use std::path::Path;

use crate::cell::{Value, value};
use crate::detect::{Format, detect};
use crate::error::{Error, count, name_of, quote};
use crate::header::not_text;
use crate::ids;
use crate::matrix::{doubled, refuse_unwritable};
use crate::nearest::nearest_label;
use crate::npy;
use crate::sheet::{Sheet, number};
use crate::source::Text;

/// Numbers, by label or by position.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The labels, if the file has them, each once.
    pub labels: Option<Vec<String>>,
    /// The numbers, all finite.
    pub values: Vec<f64>,
    /// The line of each number; 0 where the format has no lines.
    pub lines: Vec<u64>,
    /// The file's name, for messages.
    pub source: String,
}

impl Numbers {
    /// The numbers in the order of `labels`: by name if the file has names, else as they stand.
    ///
    /// # Errors
    /// If a label has no number, or a number's label is unknown, or (without labels) the counts
    /// differ.
    pub fn in_order(&self, labels: &[String]) -> Result<Vec<f64>, Error> {
        self.among(labels, labels)
    }

    /// The same where numbers of `others`, which are not asked for, may be among them.
    ///
    /// # Errors
    /// As [`Self::in_order`], where only the labels of `others` are known.
    pub fn among(&self, labels: &[String], others: &[String]) -> Result<Vec<f64>, Error> {
        let Some(own) = &self.labels else {
            if self.values.len() != labels.len() {
                return Err(Error::mismatch(
                    &self.source,
                    None,
                    count(self.values.len(), "number"),
                    format!("{}, one for each object", labels.len()),
                ));
            }
            return Ok(self.values.clone());
        };
        let places = crate::matrix::places(labels);
        let known = crate::matrix::places(others);
        let mut ordered = vec![f64::NAN; labels.len()];
        for ((label, &x), &line) in own.iter().zip(&self.values).zip(&self.lines) {
            match places.get(label.as_str()) {
                Some(&i) => ordered[i] = x,
                None if known.contains_key(label.as_str()) => {}
                None => {
                    let own = crate::matrix::places(own);
                    let without = labels.iter().filter(|l| !own.contains_key(l.as_str()));
                    return Err(Error::mismatch(
                        &self.source,
                        line,
                        format!(
                            "the unknown label {}{}",
                            quote(label),
                            nearest_label(label, without)
                        ),
                        "labels of the objects concerned",
                    ));
                }
            }
        }
        match ordered.iter().position(|x| x.is_nan()) {
            None => Ok(ordered),
            Some(i) => Err(Error::mismatch(
                &self.source,
                None,
                format!("no number for {}", quote(&labels[i])),
                "one for each object",
            )),
        }
    }
}

/// Reads a file of `label value` lines, or of numbers alone, with or without a header; or a
/// one-dimensional `.npy` array.
pub fn read_numbers(path: &Path) -> Result<Numbers, Error> {
    let source = name_of(path);
    if detect(path)? == Some(Format::Npy) {
        let (shape, values) = npy::read_array(path)?;
        if shape.len() > 1 && shape.iter().filter(|&&n| n != 1).count() > 1 {
            return Err(Error::malformed(
                &source,
                None,
                format!("an array of {} rows and {} columns", shape[0], shape[1]),
                "a vector of numbers",
            ));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::malformed(
                &source,
                None,
                format!("{} in place {}", values[i], i + 1),
                "a finite number",
            ));
        }
        let lines = vec![0; values.len()];
        return Ok(Numbers {
            labels: None,
            values,
            lines,
            source,
        });
    }
    let sheet = Sheet::read(&mut Text::open(path, false)?)?;
    let mut records = &sheet.records[..];
    if let [first, rest @ ..] = records
        && !rest.is_empty()
        && first
            .cells
            .last()
            .is_some_and(|c| value(c.as_bytes()) == Value::Text)
    {
        records = rest;
    }
    let Some(width) = records.first().map(|r| r.cells.len()) else {
        return Err(Error::malformed(
            &source,
            None,
            "an empty file",
            "a list of numbers",
        ));
    };
    let mut labels = Vec::new();
    let mut values = Vec::new();
    let mut lines = Vec::new();
    for record in records {
        match (&record.cells[..], width) {
            ([x], 1) => values.push(number(&source, record.line, x, "")?),
            ([label, x], 2) => {
                values.push(number(
                    &source,
                    record.line,
                    x,
                    &format!(" for {}", quote(label)),
                )?);
                labels.push(label.clone());
            }
            (cells, _) => {
                return Err(Error::malformed(
                    &source,
                    record.line,
                    count(cells.len(), "cell"),
                    "a number, or a label and a number, on every line alike",
                ));
            }
        }
        lines.push(record.line);
    }
    refuse_doubled(&labels, &lines, &source)?;
    Ok(Numbers {
        labels: (width == 2).then_some(labels),
        values,
        lines,
        source,
    })
}

/// Reads labels, one a line, each once. Blanks inside a label are kept, blank lines are not. PLINK's lists of families
/// and individuals are labels too.
pub fn read_labels(path: &Path) -> Result<Vec<String>, Error> {
    let mut text = Text::open(path, false)?;
    let source = text.name.clone();
    let bytes = text.read_all()?;
    let mut labels = Vec::new();
    let mut lines = Vec::new();
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let number = i as u64 + 1;
        let Ok(label) = std::str::from_utf8(line) else {
            return Err(not_text(&source, number));
        };
        if !label.trim().is_empty() {
            labels.push(label.trim());
            lines.push(number);
        }
    }
    if labels.is_empty() {
        return Err(Error::malformed(
            &source,
            None,
            "no labels",
            "one label a line",
        ));
    }
    let labels = if ids::is_ids(path, &labels) {
        let headed = labels[0].starts_with('#');
        let found = ids::labels(&labels).map_err(|at| {
            let expected = "a family and an individual, or an individual alone";
            Error::malformed(&source, lines[at], quote(labels[at]), expected)
        })?;
        lines.drain(..usize::from(headed));
        found
    } else {
        labels.into_iter().map(str::to_owned).collect()
    };
    refuse_doubled(&labels, &lines, &source)?;
    Ok(labels)
}

/// Refuses labels that occur twice, are empty, or have a NUL in them.
pub(crate) fn refuse_doubled(labels: &[String], lines: &[u64], source: &str) -> Result<(), Error> {
    refuse_unwritable(labels, "row", |i| lines.get(i).copied(), source)?;
    let Some((first, second)) = doubled(labels) else {
        return Ok(());
    };
    let line = |i: usize| lines.get(i).copied().unwrap_or(0);
    Err(Error::malformed(
        source,
        line(second),
        format!(
            "the label {} twice (lines {} and {})",
            quote(&labels[second]),
            line(first),
            line(second)
        ),
        "each label once",
    ))
}
