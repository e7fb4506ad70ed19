//! Reading proximities from whatever file they are in.
//!
//! What a file is, its first bytes say before its name does; the caller may overrule both. A list
//! of pairs is never guessed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, name_of};
use crate::long::{self, ColumnChoice};
use crate::matrix::Matrix;
use crate::numbers::read_labels;
use crate::source::{Kind, Text, kind_of_file, provenance};
use crate::{npy, phylip, qza, table};

/// A format that proximities are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A labelled table or triangle of delimited text.
    Table,
    /// A PHYLIP distance matrix.
    Phylip,
    /// A list of pairs.
    Long,
    /// A NumPy array.
    Npy,
    /// A Parquet or Arrow file.
    Parquet,
    /// A QIIME 2 artifact.
    Qza,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Format; 6] = [
        Format::Table,
        Format::Phylip,
        Format::Long,
        Format::Npy,
        Format::Parquet,
        Format::Qza,
    ];

    /// The name by which the command line knows the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Phylip => "phylip",
            Format::Long => "long",
            Format::Npy => "npy",
            Format::Parquet => "parquet",
            Format::Qza => "qza",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| {
                let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
                format!(
                    "found format {name:?}, expected one of {}",
                    names.join(", ")
                )
            })
    }
}

/// How to read a file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; found out from the file if not given.
    pub format: Option<Format>,
    /// A file of labels, one a line, for the rows of an `.npy` array (and for the columns too if
    /// there are as many).
    pub labels: Option<PathBuf>,
    /// The columns of the two labels and of the value in a list of pairs; the first three if not
    /// given.
    pub long_columns: Option<[ColumnChoice; 3]>,
    /// How many threads parse text; 0 means as many as there are cores.
    pub threads: usize,
    /// Whether to compute size and digest of the file.
    pub digest: bool,
}

impl ReadOptions {
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }
}

/// The format of a file by its content, then by its name; `None` is text of some kind.
pub(crate) fn detect(path: &Path) -> Result<Option<Format>, Error> {
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    let by_name = match extension(path).as_str() {
        "npy" => Some(Format::Npy),
        "parquet" | "arrow" | "arrows" | "feather" | "ipc" => Some(Format::Parquet),
        "qza" => Some(Format::Qza),
        _ => None,
    };
    Ok(match kind_of_file(path)? {
        Kind::Npy => Some(Format::Npy),
        Kind::Parquet | Kind::Arrow => Some(Format::Parquet),
        Kind::Zip => Some(Format::Qza),
        Kind::Empty | Kind::Text | Kind::Gzip | Kind::Binary(_) => by_name,
    })
}

/// The extension of a file in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

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
