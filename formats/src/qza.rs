//! QIIME 2 artifacts: a zip archive with the data, and a page that says what they are.
//!
//! Members are read in place and never extracted, so that no name inside an archive reaches the
//! file system.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zip::ZipArchive;

use crate::error::{Error, name_of, quote};
use crate::source::{Capped, Text, open};

/// The most of `metadata.yaml` that is looked at.
const METADATA: u64 = 1 << 16;

/// What is in the archives that spreadsheets of Excel and LibreOffice are.
const SPREADSHEET: [&str; 2] = ["xl/workbook.xml", "content.xml"];

/// Finds the member `<uuid>/data/MEMBER` of an artifact and hands its text to `parse`; `kind` is
/// the type that an artifact with such a member has.
pub(crate) fn with_member<T>(
    path: &Path,
    kind: &str,
    member: &str,
    parse: impl FnOnce(&mut Text<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let name = name_of(path);
    let expected = || format!("a QIIME 2 artifact of type {kind}");
    let damaged = |_| Error::malformed(&name, None, "a damaged zip archive", expected());
    let mut archive = ZipArchive::new(open(path)?).map_err(damaged)?;
    let Some(index) = find(&archive, &format!("/data/{member}"), 2) else {
        if SPREADSHEET
            .iter()
            .any(|part| archive.index_for_name(part).is_some())
        {
            let expected = "text: save its sheet as CSV";
            return Err(Error::malformed(&name, None, "a spreadsheet", expected));
        }
        let found = match artifact_type(&mut archive) {
            Some(kind) => format!("a QIIME 2 artifact of type {}", quote(&kind)),
            None => "a zip archive that is not a QIIME 2 artifact".to_owned(),
        };
        return Err(Error::malformed(&name, None, found, expected()));
    };
    let member = archive.by_index(index).map_err(damaged)?;
    let mut text = Text::new(Box::new(Capped::new(member)), &name, false)?;
    parse(&mut text)
}

/// The member whose name has this ending and so many folders before it.
fn find(archive: &ZipArchive<File>, ending: &str, folders: usize) -> Option<usize> {
    (0..archive.len()).find(|&i| {
        matches!(archive.name_for_index(i), Some(Ok(name))
            if name.ends_with(ending) && name.matches('/').count() == folders)
    })
}

/// Whether a zip archive holds NumPy's arrays and nothing that makes it an artifact.
pub(crate) fn is_npz(path: &Path) -> bool {
    let Ok(archive) = open(path).map(ZipArchive::new) else {
        return false;
    };
    archive.is_ok_and(|archive| {
        find(&archive, ".npy", 0).is_some() && find(&archive, "/metadata.yaml", 1).is_none()
    })
}

/// What `metadata.yaml` says the artifact is.
fn artifact_type(archive: &mut ZipArchive<File>) -> Option<String> {
    let index = find(archive, "/metadata.yaml", 1)?;
    let mut page = Vec::new();
    archive
        .by_index(index)
        .ok()?
        .take(METADATA)
        .read_to_end(&mut page)
        .ok()?;
    String::from_utf8_lossy(&page)
        .lines()
        .find_map(|line| line.strip_prefix("type:"))
        .map(|kind| kind.trim().to_owned())
}
