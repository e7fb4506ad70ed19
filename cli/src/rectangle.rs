//! Proximities of all objects to landmarks: an n × L rectangle, in memory or on disk, or some columns of a square.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use adjoin::diagram::FitSettings;
use adjoin::landmark;
use adjoin::model::Model;
use adjoin::proximity::Kind;
use adjoin::rows::Rows;
use adjoin_formats::{
    Format, Matrix, NpyBlocks, Provenance, ReadOptions, provenance, read_labels, square,
};
use faer::MatRef;

use crate::args::Fit;
use crate::error::{Error, at};
use crate::family::{self, kind, named, turned, with_axes};
use crate::input;
use crate::words::Words;

/// Some columns of a square.
struct Columns<'a> {
    square: MatRef<'a, f64>,
    columns: &'a [usize],
}

impl Rows for Columns<'_> {
    fn rows(&self) -> usize {
        self.square.nrows()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), adjoin::error::Error> {
        for (i, line) in range.zip(out.chunks_exact_mut(self.columns.len().max(1))) {
            for (v, &j) in line.iter_mut().zip(self.columns) {
                *v = self.square[(i, j)];
            }
        }
        Ok(())
    }
}

/// An array that is read a few rows at a time.
struct OnDisk {
    shape: (usize, usize),
    blocks: Mutex<NpyBlocks>,
    /// What went wrong with the file, which the core has no word for.
    fault: Mutex<Option<adjoin_formats::Error>>,
}

impl Rows for OnDisk {
    fn rows(&self) -> usize {
        self.shape.0
    }

    fn columns(&self) -> usize {
        self.shape.1
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), adjoin::error::Error> {
        let mut block = Vec::new();
        let read = match self.blocks.lock() {
            Ok(mut blocks) => blocks.read_rows(range.start, range.len(), &mut block),
            Err(_) => return Err(adjoin::error::Error::Stopped),
        };
        match read {
            Ok(()) => {
                out.copy_from_slice(&block);
                Ok(())
            }
            Err(error) => {
                if let Ok(mut fault) = self.fault.lock() {
                    fault.get_or_insert(error);
                }
                Err(adjoin::error::Error::Stopped)
            }
        }
    }
}

/// Landmark MDS of proximities: a square to choose from, or a rectangle whose columns are the landmarks.
pub fn fit(
    args: &Fit,
    old: &Path,
    options: &ReadOptions,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<(Model, Option<Provenance>), Error> {
    if let Some(answer) = on_disk(args, old, options, settings, words)? {
        return Ok(answer);
    }
    let matrix = input::proximities(old, options)?;
    let (n, m) = matrix.shape();
    let is_square = n == m && {
        let mut sides = [matrix.rows.clone(), matrix.columns.clone()];
        sides.iter_mut().for_each(|s| s.sort_unstable());
        sides[0] == sides[1]
    };
    if !is_square {
        return of_rectangle(args, matrix, settings, words);
    }
    let matrix = square(matrix)?;
    let (source, lines) = (&matrix.source, &matrix.lines);
    let wanted = family::landmarks(&args.family, &matrix.rows)?.ok_or_else(|| {
        Error::Usage(
            "found a square of proximities alone, expected --landmarks N or FILE too".into(),
        )
    })?;
    let entries = MatRef::from_row_major_slice(&matrix.values, n, n);
    let itself: Vec<f64> = (0..n).map(|i| entries[(i, i)]).collect();
    let chosen = wanted
        .choose(&entries, kind(args), Some(&itself), settings.watch)
        .map_err(at(source, lines))?;
    let columns = Columns {
        square: entries,
        columns: &chosen,
    };
    let model = scaled(args, &columns, &chosen, &matrix.rows, settings, words)
        .map_err(at(source, lines))?;
    Ok((model, matrix.provenance.clone()))
}

fn of_rectangle(
    args: &Fit,
    matrix: Matrix,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<(Model, Option<Provenance>), Error> {
    let (n, m) = matrix.shape();
    if args.family.landmarks.is_some() {
        return Err(Error::Usage(format!(
            "found --landmarks beside {n} × {m} proximities, expected a square to choose from: the columns of a \
             rectangle are the landmarks"
        )));
    }
    let places: std::collections::HashMap<&str, usize> =
        matrix.rows.iter().map(String::as_str).zip(0..).collect();
    let landmarks = matrix.columns.iter().map(|label| {
        places.get(label.as_str()).copied().ok_or_else(|| {
            Error::Request(format!(
                "{}: found a column {label:?} and no such row, expected every landmark among the {n} objects",
                matrix.source
            ))
        })
    });
    let landmarks = landmarks.collect::<Result<Vec<_>, _>>()?;
    let rows = MatRef::from_row_major_slice(&matrix.values, n, m);
    let model = scaled(args, &rows, &landmarks, &matrix.rows, settings, words)
        .map_err(at(&matrix.source, &matrix.lines))?;
    Ok((model, matrix.provenance))
}

/// An `.npy` rectangle, which is not read into memory. Its columns have no labels: --landmarks FILE says who they are.
fn on_disk(
    args: &Fit,
    old: &Path,
    options: &ReadOptions,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<Option<(Model, Option<Provenance>)>, Error> {
    let by_name = old
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    if !options.format.map_or(by_name, |f| f == Format::Npy) {
        return Ok(None);
    }
    let blocks = NpyBlocks::open(old)?;
    let (n, m) = blocks.shape();
    if n == m {
        return Ok(None);
    }
    let source = blocks.source().to_owned();
    let labels = match &options.labels {
        Some(file) => read_labels(file)?,
        None => (1..=n).map(|i| i.to_string()).collect(),
    };
    if labels.len() != n {
        return Err(Error::Request(format!(
            "{source}: found {} labels, expected {n}, one for each row",
            labels.len()
        )));
    }
    let file = match &args.family.landmarks {
        Some(file) if file.parse::<usize>().is_err() => Path::new(file),
        _ => {
            return Err(Error::Usage(format!(
                "found {n} × {m} proximities without labels, expected --landmarks FILE with the labels (or numbers) \
                 of the {m} landmarks, in the order of the columns"
            )));
        }
    };
    let landmarks = named(file, &labels)?;
    let rows = OnDisk {
        shape: (n, m),
        blocks: Mutex::new(blocks),
        fault: Mutex::new(None),
    };
    let answer = scaled(args, &rows, &landmarks, &labels, settings, words);
    if let Some(fault) = rows.fault.into_inner().unwrap_or_default() {
        return Err(fault.into());
    }
    let model = answer.map_err(at(&source, &[]))?;
    let provenance = match options.digest {
        true => Some(provenance(old)?),
        false => None,
    };
    Ok(Some((model, provenance)))
}

fn scaled(
    args: &Fit,
    rectangle: &dyn Rows,
    landmarks: &[usize],
    labels: &[String],
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<Model, adjoin::error::Error> {
    let kind: Kind = kind(args);
    with_axes(args, landmarks.len(), words, |d| {
        let settings = FitSettings {
            dimensions: d,
            ..settings.clone()
        };
        let labels = Some(labels.to_vec());
        landmark::fit(
            rectangle,
            landmarks,
            kind,
            labels,
            &turned(&args.family),
            &settings,
        )
    })
}
