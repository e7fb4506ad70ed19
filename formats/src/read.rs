//! Reading proximities from whatever file they are in ([`crate::detect`] finds out what that is).

use std::path::Path;

use crate::detect::{Format, ReadOptions, detect};
use crate::error::{Error, name_of};
use crate::long::{self, ColumnChoice};
use crate::matrix::Matrix;
use crate::numbers::read_labels;
use crate::source::{Text, provenance};
use crate::{npy, phylip, qza, table};

/// Reads the proximities in a file; `-` is text from standard input.
///
/// # Errors
/// If the file cannot be read or is not what its format asks for, with the place and what was
/// expected there.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    let name = name_of(path);
    let format = match options.format {
        Some(format) => Some(format),
        None => detect(path)?,
    };
    if options.labels.is_some() && format != Some(Format::Npy) {
        return Err(Error::mismatch(
            &name,
            None,
            "a file of labels beside a file that has its own",
            "labels for an .npy array only",
        ));
    }
    if path.as_os_str() == "-"
        && matches!(format, Some(Format::Npy | Format::Parquet | Format::Qza))
    {
        return Err(Error::mismatch(
            &name,
            None,
            "standard input for a format that is read from its end or in parts",
            "the name of a file",
        ));
    }
    let mut matrix = match format {
        None | Some(Format::Table | Format::Phylip | Format::Long) => {
            let mut text = Text::open(path, options.digest)?;
            let mut matrix = read_text(&mut text, format, options)?;
            matrix.provenance = text.provenance();
            return Ok(matrix);
        }
        Some(Format::Npy) => read_npy(path, options)?,
        Some(Format::Parquet) => read_parquet(path)?,
        Some(Format::Qza) => {
            qza::with_member(path, "DistanceMatrix", "distance-matrix.tsv", |text| {
                table::read(text, options.threads())
            })?
        }
    };
    matrix.form = match format {
        Some(Format::Npy) => "an array",
        Some(Format::Parquet) => "a Parquet or Arrow table",
        _ => "a QIIME 2 artifact",
    };
    if options.digest {
        matrix.provenance = Some(provenance(path)?);
    }
    Ok(matrix)
}

fn read_text(
    text: &mut Text<'_>,
    format: Option<Format>,
    options: &ReadOptions,
) -> Result<Matrix, Error> {
    match format {
        Some(Format::Phylip) => phylip::read(text),
        Some(Format::Long) => {
            let first_three = [1, 2, 3].map(ColumnChoice::Number);
            long::read(text, options.long_columns.as_ref().unwrap_or(&first_three))
        }
        None if phylip::begins(text.head()) => phylip::read(text),
        _ => table::read(text, options.threads()),
    }
}

fn read_npy(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    let mut blocks = npy::NpyBlocks::open(path)?;
    let (k, m) = blocks.shape();
    let (rows, columns) = match &options.labels {
        None => (npy::positions(k), npy::positions(m)),
        Some(file) => {
            let labels = read_labels(file)?;
            npy::check_labels(&labels, k, "row", &name_of(file))?;
            let columns = if k == m {
                labels.clone()
            } else {
                npy::positions(m)
            };
            (labels, columns)
        }
    };
    let mut values = Vec::new();
    blocks.read_rows(0, k, &mut values)?;
    Matrix {
        rows,
        columns,
        values,
        lines: vec![0; k],
        labelled: options.labels.is_some() && k == m,
        source: name_of(path),
        ..Matrix::default()
    }
    .checked()
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> Result<Matrix, Error> {
    crate::arrow::read(path)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(path: &Path) -> Result<Matrix, Error> {
    Err(Error::malformed(
        &name_of(path),
        None,
        "a Parquet or Arrow file",
        "another format: this build is without Parquet",
    ))
}
