//! Configurations: labelled coordinates that somebody has already computed, to be turned into a
//! map together with the proximities they came from.
//!
//! Read from scikit-bio's `ordination` text (also inside a QIIME 2 artifact), from any delimited
//! table, or from an `.npy` array.

use std::path::Path;

use crate::blocks::Blocks;
use crate::cell::is_numeric;
use crate::detect::{Format, detect};
use crate::error::{Error, count, name_of, quote};
use crate::frame::axis_number;
use crate::matrix::positions;
use crate::numbers::refuse_doubled;
use crate::sheet::{Sheet, number};
use crate::source::Text;
use crate::{npy, ordination, qza};

/// Labelled coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// Labels of the objects, each once.
    pub labels: Vec<String>,
    /// The number of axes.
    pub dimensions: usize,
    /// The coordinates object by object.
    pub coordinates: Vec<f64>,
    /// The eigenvalues of the axes, where the file has them.
    pub eigenvalues: Option<Vec<f64>>,
    /// False if the file has no labels and objects are known by position only.
    pub labelled: bool,
    /// The file's name, for messages.
    pub source: String,
}

/// Reads a configuration; `-` is text from standard input.
///
/// A table's first column holds the labels. If it has columns `axis1`, `axis2`, … (as our own
/// output does) these are the coordinates, otherwise all its other columns are.
pub fn read_configuration(path: &Path) -> Result<Configuration, Error> {
    match detect(path)? {
        Some(Format::Npy) => read_npy(path),
        Some(Format::Qza) => {
            qza::with_member(path, "PCoAResults", "ordination.txt", read_ordination)
        }
        Some(Format::Parquet) => read_parquet(path),
        _ => {
            let mut text = Text::open(path, false)?;
            if ordination::begins(text.head()) {
                read_ordination(&mut text)
            } else {
                read_table(&mut text)
            }
        }
    }
}

fn read_ordination(text: &mut Text<'_>) -> Result<Configuration, Error> {
    let found = ordination::read(text)?;
    Configuration {
        labels: found.labels,
        dimensions: found.dimensions,
        coordinates: found.coordinates,
        eigenvalues: found.eigenvalues,
        labelled: true,
        source: text.name.clone(),
    }
    .checked()
}

fn read_npy(path: &Path) -> Result<Configuration, Error> {
    let mut blocks = npy::NpyBlocks::open(path)?;
    let (n, dimensions) = blocks.shape();
    let mut coordinates = Vec::new();
    blocks.read_rows(0, n, &mut coordinates)?;
    Configuration {
        labels: positions(n),
        dimensions,
        coordinates,
        eigenvalues: None,
        labelled: false,
        source: name_of(path),
    }
    .checked()
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> Result<Configuration, Error> {
    let mut matrix = crate::arrow::read(path)?;
    let mut dimensions = matrix.columns.len();
    if let Some(axes) = axes(&matrix.columns, &matrix.source, None)? {
        let rows = 0..matrix.rows.len();
        let values = rows.flat_map(|i| axes.iter().map(move |j| (i, *j)));
        matrix.values = values.map(|(i, j)| matrix.row(i)[j]).collect();
        dimensions = axes.len();
    }
    Configuration {
        labels: matrix.rows,
        dimensions,
        coordinates: matrix.values,
        eigenvalues: None,
        labelled: true,
        source: matrix.source,
    }
    .checked()
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(path: &Path) -> Result<Configuration, Error> {
    Err(Error::malformed(
        &name_of(path),
        None,
        "a Parquet or Arrow file",
        "another format: this build is without Parquet",
    ))
}

fn read_table(text: &mut Text<'_>) -> Result<Configuration, Error> {
    let sheet = Sheet::read(text)?;
    let source = sheet.name;
    let Some((first, rest)) = sheet.records.split_first() else {
        return Err(Error::malformed(
            &source,
            None,
            "an empty file",
            "labels and coordinates",
        ));
    };
    // A first line of numbers after a label is an object; after an empty corner it is a header
    // whose axes are numbered.
    let header = first.cells.first().is_some_and(String::is_empty)
        || !first.cells.iter().skip(1).all(|c| is_numeric(c.as_bytes()))
        || rest
            .first()
            .is_some_and(|r| r.cells.len() == first.cells.len() + 1);
    let records = if header { rest } else { &sheet.records[..] };
    let Some(width) = records.first().map(|r| r.cells.len()) else {
        return Err(Error::malformed(
            &source,
            first.line,
            "a header and nothing after it",
            "labels and coordinates",
        ));
    };
    let mut names: Vec<String> = if header {
        first.cells.clone()
    } else {
        (0..width).map(|j| format!("column {}", j + 1)).collect()
    };
    if names.len() + 1 == width {
        names.insert(0, String::new());
    }
    let line = header.then_some(first.line);
    let chosen: Vec<usize> = match axes(&names[1..], &source, line)? {
        Some(axes) => axes.into_iter().map(|j| j + 1).collect(),
        None => (1..names.len()).collect(),
    };
    let mut configuration = Configuration {
        labels: Vec::with_capacity(records.len()),
        dimensions: chosen.len(),
        coordinates: Vec::with_capacity(records.len() * chosen.len()),
        eigenvalues: None,
        labelled: true,
        source,
    };
    let mut lines = Vec::with_capacity(records.len());
    for record in records {
        if record.cells.len() != names.len() {
            return Err(Error::malformed(
                &configuration.source,
                record.line,
                count(record.cells.len(), "cell"),
                format!("{}, as in the lines before", names.len()),
            ));
        }
        let label = record.cells[0].clone();
        for &j in &chosen {
            let place = format!(" for {}, {}", quote(&label), quote(&names[j]));
            let x = number(&configuration.source, record.line, &record.cells[j], &place)?;
            configuration.coordinates.push(x);
        }
        configuration.labels.push(label);
        lines.push(record.line);
    }
    refuse_doubled(&configuration.labels, &lines, &configuration.source)?;
    configuration.checked()
}

/// The columns called `axis1`, `axis2`, … in the order of their numbers, wherever they stand; `None` if no column is called so.
fn axes(names: &[String], source: &str, line: Option<u64>) -> Result<Option<Vec<usize>>, Error> {
    let numbered = names.iter().enumerate();
    let mut axes: Vec<(usize, usize)> = numbered
        .filter_map(|(j, name)| Some((axis_number(name)?, j)))
        .collect();
    axes.sort_unstable();
    if let Some(wrong) = (1..).zip(&axes).position(|(i, (number, _))| i != *number) {
        return Err(Error::malformed(
            source,
            line,
            format!(
                "{} where axis{} is wanted",
                quote(&names[axes[wrong].1]),
                wrong + 1
            ),
            format!(
                "axis1 to axis{}, each once (columns by other names are taken as they stand)",
                axes.len()
            ),
        ));
    }
    let axes: Vec<usize> = axes.into_iter().map(|(_, j)| j).collect();
    Ok(Some(axes).filter(|axes| !axes.is_empty()))
}

impl Configuration {
    fn checked(self) -> Result<Configuration, Error> {
        let n = self.labels.len();
        if n == 0 || self.dimensions == 0 {
            return Err(Error::malformed(
                &self.source,
                None,
                format!("{} and {} axes", count(n, "object"), self.dimensions),
                "labels and coordinates",
            ));
        }
        if let Some(at) = self.coordinates.iter().position(|x| !x.is_finite()) {
            return Err(Error::malformed(
                &self.source,
                None,
                format!(
                    "{} as coordinate {} of {}",
                    self.coordinates[at],
                    at % self.dimensions + 1,
                    quote(&self.labels[at / self.dimensions])
                ),
                "a finite number",
            ));
        }
        Ok(self)
    }
}
