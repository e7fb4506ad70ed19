//! What a file is, and how it is to be read.
//!
//! Its first bytes say what it is before its name does; the caller may overrule both. A list of pairs is never guessed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::Error;
use crate::long::ColumnChoice;
use crate::source::{Kind, kind_of_file};

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
