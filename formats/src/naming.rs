//! What a file's name says it is, so that nothing is written under the name of something else.
//!
//! A table called `map2.adjoin` or `table.xlsx` would be opened as what it is not, today by another program or in a
//! year by its author. Extensions that mean nothing in particular are nobody's concern.

use std::path::Path;

use crate::detect::extension;
use crate::error::Error;

/// What goes into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A table, in the format of its name.
    Table,
    /// A map.
    Map,
    /// A page for browsers.
    Page,
}

/// What is written under these extensions.
const OURS: [(Written, &str, &[&str]); 3] = [
    (
        Written::Table,
        "a table",
        &[
            "tsv",
            "csv",
            "txt",
            "tab",
            "json",
            "npy",
            "parquet",
            "ordination",
        ],
    ),
    (Written::Map, "a map", &["adjoin"]),
    (Written::Page, "a page", &["html", "htm"]),
];

/// What others mean by these.
const OTHERS: [(&str, &[&str]); 16] = [
    ("a spreadsheet", &["xlsx", "xls", "xlsm", "ods"]),
    (
        "a picture",
        &[
            "png", "svg", "pdf", "jpg", "jpeg", "gif", "tif", "tiff", "webp", "eps", "ps",
        ],
    ),
    ("a QIIME 2 artifact", &["qza", "qzv"]),
    ("a PHYLIP matrix", &["phy", "phylip"]),
    ("a NEXUS or MEGA file", &["nex", "nexus", "meg"]),
    ("an Arrow file", &["arrow", "arrows", "feather", "ipc"]),
    ("an archive of arrays", &["npz"]),
    ("an R file", &["rds", "rda", "rdata", "r"]),
    ("a MATLAB file", &["mat", "m"]),
    ("an HDF5 file", &["h5", "hdf5", "hdf", "biom"]),
    (
        "a compressed file",
        &["gz", "bgz", "bz2", "xz", "zst", "zip"],
    ),
    ("a Zarr store", &["zarr"]),
    ("a database", &["sqlite", "sqlite3", "db", "duckdb"]),
    ("a tree", &["nwk", "newick", "tre", "tree"]),
    ("a Python pickle", &["pkl", "pickle"]),
    ("a document", &["docx", "doc", "md", "tex"]),
];

/// Whether a table of this name is gzipped: `.tsv.gz` and `.csv.gz`.
pub(crate) fn is_gzipped(path: &Path) -> bool {
    extension(path) == "gz"
        && path
            .file_stem()
            .is_some_and(|stem| matches!(extension(Path::new(stem)).as_str(), "tsv" | "csv"))
}

/// Refuses a name that means another kind of file than is written to it.
///
/// # Errors
/// If it does, with what can be written.
pub fn check_name(path: &Path, written: Written) -> Result<(), Error> {
    if written == Written::Table && is_gzipped(path) {
        return Ok(());
    }
    let extension = extension(path);
    let has = |list: &[&str]| list.contains(&extension.as_str());
    let ours = OURS.iter().filter(|(own, ..)| *own != written);
    let mut meanings = ours
        .map(|(_, what, list)| (what, list))
        .chain(OTHERS.iter().map(|(what, list)| (what, list)));
    let Some((what, _)) = meanings.find(|(_, list)| has(list)) else {
        return Ok(());
    };
    Err(Error::mismatch(
        &path.display().to_string(),
        None,
        format!("the name of {what} (.{extension})"),
        match written {
            Written::Table => {
                "a table's: .tsv, .csv, .tsv.gz, .csv.gz, .json, .npy, .parquet or .ordination"
            }
            Written::Map => "a map's, such as map.adjoin",
            Written::Page => "a page's: .html",
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_refused_where_it_means_something_else() {
        let refused = |name: &str, written| check_name(Path::new(name), written).is_err();
        for name in [
            "a.adjoin", "a.xlsx", "a.png", "a.html", "a.qza", "a.phy", "a.gz", "a.npy.gz", "a.PDF",
            "a.zarr", "a.sqlite", "a.nwk",
        ] {
            assert!(refused(name, Written::Table), "{name}");
        }
        for name in [
            "-",
            "a",
            "a.tsv",
            "a.tsv.gz",
            "a.CSV.GZ",
            "a.parquet",
            "a.2026",
            "b.out",
        ] {
            assert!(!refused(name, Written::Table), "{name}");
        }
        for name in ["a.tsv", "a.json", "a.npy", "a.gz", "a.html", "a.xlsx"] {
            assert!(refused(name, Written::Map), "{name}");
        }
        for name in ["a", "a.map", "a.adjoin", "a.safetensors"] {
            assert!(!refused(name, Written::Map), "{name}");
        }
        assert!(refused("a.png", Written::Page));
        assert!(!refused("a.htm", Written::Page));
        assert_eq!(
            check_name(Path::new("x.xlsx"), Written::Table)
                .unwrap_err()
                .to_string(),
            "x.xlsx: found the name of a spreadsheet (.xlsx), expected a table's: .tsv, .csv, .tsv.gz, .csv.gz, \
             .json, .npy, .parquet or .ordination"
        );
    }
}
