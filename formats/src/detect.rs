//! What a file is, and how it is to be read.
//!
//! Its first bytes say what it is before its name does; the caller may overrule both. A list of pairs is never guessed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::adapt::Adapt;
use crate::error::Error;
use crate::long::ColumnChoice;
use crate::qza::is_npz;
use crate::source::{Kind, is_stream, kind_of_file};
use crate::unpack::Packing;
use crate::{mega, nexus, phylip, zarr};

/// A format that proximities are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A labelled table or triangle of delimited text.
    Table,
    /// Text of numbers without labels: a square, a rectangle or a triangle.
    Plain,
    /// A PHYLIP distance matrix.
    Phylip,
    /// A list of pairs.
    Long,
    /// A MEGA distance file.
    Mega,
    /// The distances of a NEXUS file.
    Nexus,
    /// A NumPy array.
    Npy,
    /// A NumPy archive of arrays.
    Npz,
    /// A binary matrix of PLINK or GCTA, without a header.
    Bin,
    /// A Parquet or Arrow file, or a folder of Parquet files.
    Parquet,
    /// An HDF5 file.
    Hdf5,
    /// A Zarr array.
    Zarr,
    /// A QIIME 2 artifact.
    Qza,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Format; 13] = [
        Format::Table,
        Format::Plain,
        Format::Phylip,
        Format::Long,
        Format::Mega,
        Format::Nexus,
        Format::Npy,
        Format::Npz,
        Format::Bin,
        Format::Parquet,
        Format::Hdf5,
        Format::Zarr,
        Format::Qza,
    ];

    /// The name by which the command line knows the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Plain => "plain",
            Format::Phylip => "phylip",
            Format::Long => "long",
            Format::Mega => "mega",
            Format::Nexus => "nexus",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Bin => "bin",
            Format::Parquet => "parquet",
            Format::Hdf5 => "hdf5",
            Format::Zarr => "zarr",
            Format::Qza => "qza",
        }
    }

    /// What it is, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Format::Table => "a labelled table",
            Format::Plain => "text of numbers without labels",
            Format::Phylip => "a PHYLIP distance matrix",
            Format::Long => "a list of pairs",
            Format::Mega => "a MEGA distance file",
            Format::Nexus => "the distances of a NEXUS file",
            Format::Npy => "a NumPy array",
            Format::Npz => "a NumPy archive",
            Format::Bin => "a binary matrix of PLINK or GCTA",
            Format::Parquet => "Parquet or Arrow",
            Format::Hdf5 => "an HDF5 file",
            Format::Zarr => "a Zarr array",
            Format::Qza => "a QIIME 2 artifact",
        }
    }

    /// Whether such a file never says what its rows and columns are called.
    pub(crate) fn is_unlabelled(self) -> bool {
        matches!(
            self,
            Format::Plain | Format::Npy | Format::Npz | Format::Bin | Format::Zarr
        )
    }

    /// Whether labels from another file may be given for its columns.
    pub(crate) fn takes_column_labels(self) -> bool {
        self != Format::Bin && self.takes_labels()
    }

    /// Whether labels from another file may be given for its rows.
    pub(crate) fn takes_labels(self) -> bool {
        self.is_unlabelled() || matches!(self, Format::Table | Format::Hdf5)
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
    /// A file of labels, one a line, for rows that have none (and for the columns too if there are as many). If there is
    /// none, the file that PLINK, GCTA or sourmash writes beside such a matrix is taken.
    pub labels: Option<PathBuf>,
    /// Which array of an HDF5 file, a Zarr group or an `.npz` archive is meant.
    pub dataset: Option<String>,
    /// Which array of an HDF5 file has the labels.
    pub labels_dataset: Option<String>,
    /// A file of labels for the columns of an array, which may then come in any order.
    pub column_labels: Option<PathBuf>,
    /// Which array of an HDF5 file has them.
    pub column_labels_dataset: Option<String>,
    /// The columns of the two labels and of the value in a list of pairs; the first three if not
    /// given.
    pub long_columns: Option<[ColumnChoice; 3]>,
    /// What is done to the numbers and labels after reading.
    pub adapt: Adapt,
    /// How many threads parse text; 0 means as many as there are cores.
    pub threads: usize,
    /// Whether to compute size and digest of the file.
    pub digest: bool,
    /// Bytes that reading may take, if that is limited: a table beyond a small part of it is not read whole where its rows can
    /// be read one by one.
    pub memory: Option<u64>,
}

/// Bytes up to which a table is read whole at most, and which part of the memory it may have.
const WHOLE_UP_TO: u64 = 1 << 24;
const WHOLE_PART: u64 = 64;

impl ReadOptions {
    /// Bytes up to which a table is read whole where its rows could be read one by one.
    pub(crate) fn whole_up_to(&self) -> u64 {
        let part = self.memory.map(|most| most / WHOLE_PART);
        part.map_or(WHOLE_UP_TO, |part| part.min(WHOLE_UP_TO))
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }
}

/// The format of a file by its content, then by its name; `None` is text of some kind, or a stream.
pub(crate) fn detect(path: &Path) -> Result<Option<Format>, Error> {
    if is_stream(path) {
        return Ok(None);
    }
    if path.is_dir() {
        return Ok(Some(if zarr::is_zarr(path) {
            Format::Zarr
        } else {
            Format::Parquet
        }));
    }
    let by_name = match extension(path).as_str() {
        "npy" => Some(Format::Npy),
        "npz" => Some(Format::Npz),
        "bin" => Some(Format::Bin),
        "parquet" | "arrow" | "arrows" | "feather" | "ipc" => Some(Format::Parquet),
        "h5" | "hdf5" | "biom" => Some(Format::Hdf5),
        "qza" => Some(Format::Qza),
        _ => None,
    };
    Ok(match kind_of_file(path)? {
        (Kind::Npy, _) => Some(Format::Npy),
        (Kind::Parquet | Kind::Arrow, None) => Some(Format::Parquet),
        (Kind::Hdf5, None) => Some(Format::Hdf5),
        (Kind::Zip, None) if is_npz(path) => Some(Format::Npz),
        (Kind::Zip, None) => Some(Format::Qza),
        // A BIOM table of version 1 is JSON, which its reader will name.
        (Kind::Text, _) if by_name == Some(Format::Hdf5) => None,
        _ => by_name,
    })
}

/// What text is, by how it begins; `names` says that it has no labels of its own.
pub(crate) fn detect_text(path: &Path, head: &[u8], names: bool) -> Format {
    if mega::begins(head) {
        Format::Mega
    } else if nexus::begins(head) {
        Format::Nexus
    } else if matches!(
        unpacked_extension(path).as_str(),
        "rel" | "king" | "mdist" | "mibs"
    ) {
        Format::Plain
    } else if !names && phylip::begins(head) {
        Format::Phylip
    } else {
        Format::Table
    }
}

/// The extension of a file in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The same behind that of a compression.
fn unpacked_extension(path: &Path) -> String {
    let outer = extension(path);
    if Packing::of_extension(&outer).is_some() {
        return extension(Path::new(path.file_stem().unwrap_or_default()));
    }
    outer
}
