//! Opening files that are larger than memory: arrays, and tables whose rows can be read where they are.
//!
//! Small tables are read whole, which has more to say about them; so are those that only all their numbers can explain.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::blocks::{OnDisk, Transformed};
use crate::detect::{Format, ReadOptions, detect, detect_text};
use crate::error::{Error, name_of};
use crate::indexed;
use crate::matrix::{Matrix, Provenance, refuse_unwritable};
use crate::npy;
use crate::read::{How, check_asked, column_names, how, names, open_hdf5, read, read_from};
use crate::source::{Kind, Text, files_in, is_stream, kind_of_file, provenance, raw, trouble};
use crate::spool::{opened, put_aside};
use crate::zarr::ZarrRows;

/// Opens an array of which any rows can be read, if the file is one (`.npy`, HDF5 or Zarr) and can be adapted row by row.
///
/// # Errors
/// If the file cannot be read, is damaged, or has not as many labels as rows.
pub fn open_rows(path: &Path, options: &ReadOptions) -> Result<Option<OnDisk>, Error> {
    if !options.adapt.is_by_rows() {
        return Ok(None);
    }
    let Some(array) = open_array(path, options)? else {
        return Ok(None);
    };
    let array = array.with_columns(column_names(options)?)?;
    adapted(array, options).map(Some)
}

/// Proximities as they are best had: where they are, or in memory.
pub enum Opened {
    /// In a file whose rows are read when they are asked for.
    Rows {
        /// The rows.
        array: OnDisk,
        /// What was said of them.
        suited: usize,
        /// Name, size and digest of the file, if they were asked for.
        provenance: Option<Provenance>,
    },
    /// Read whole.
    Whole(Box<Matrix>),
}

/// Opens proximities to be read row by row, if the file allows that and they suit the caller, who answers a number then;
/// reads them whole otherwise.
///
/// # Errors
/// If the file cannot be read, or is not what it should be.
pub fn open_or_read(
    path: &Path,
    options: &ReadOptions,
    suits: impl Fn(&OnDisk) -> Option<usize>,
) -> Result<Opened, Error> {
    if is_stream(path) {
        return open_stream(path, options, suits);
    }
    let array = match open_rows(path, options)? {
        Some(array) => Some(array),
        None => open_table(path, options)?,
    };
    if let Some(array) = array
        && let Some(suited) = suits(&array)
    {
        let digest = options.digest.then(|| provenance(path)).transpose()?;
        return Ok(Opened::Rows {
            array,
            suited,
            provenance: digest,
        });
    }
    Ok(Opened::Whole(Box::new(read(path, options)?)))
}

/// What is done to labels and numbers on their way.
fn adapted(mut array: OnDisk, options: &ReadOptions) -> Result<OnDisk, Error> {
    let source = array.blocks.source().to_owned();
    let sides = [&mut array.labels, &mut array.columns];
    let sides = sides.map(|side| side.as_deref_mut().unwrap_or_default());
    options.adapt.renamed(sides, &source)?;
    let lines = &array.lines;
    let rows = array.labels.as_deref().unwrap_or(&[]);
    refuse_unwritable(rows, "row", |i| lines.get(i).copied(), &source)?;
    let columns = array.columns.as_deref().unwrap_or(&[]);
    refuse_unwritable(columns, "column", |_| None, &source)?;
    if let Some(transform) = options.adapt.transform {
        array.blocks = Box::new(Transformed {
            inner: array.blocks,
            transform,
        });
    }
    Ok(array)
}

fn open_array(path: &Path, options: &ReadOptions) -> Result<Option<OnDisk>, Error> {
    let format = match options.format {
        Some(format) => Some(format),
        None => detect(path)?,
    };
    if let Some(format @ (Format::Npy | Format::Hdf5 | Format::Zarr)) = format {
        check_asked(path, format, options)?;
    }
    Ok(match format {
        Some(Format::Npy) if !is_stream(path) && kind_of_file(path)?.1.is_none() => {
            let blocks = npy::NpyBlocks::open_any(path)?;
            if blocks.is_vector() {
                return Ok(None);
            }
            let blocks = npy::NpyBlocks::open(path)?;
            Some(OnDisk::new(Box::new(blocks), names(path, options)?)?)
        }
        Some(Format::Hdf5) => Some(open_hdf5(path, options)?),
        Some(Format::Zarr) => {
            let rows = ZarrRows::open(path, options.dataset.as_deref())?;
            Some(OnDisk::new(Box::new(rows), names(path, options)?)?)
        }
        _ => None,
    })
}

/// Whether the options leave a table as it is, row by row.
fn is_table(options: &ReadOptions) -> bool {
    let parts = [
        &options.dataset,
        &options.labels_dataset,
        &options.column_labels_dataset,
    ];
    options.adapt.is_by_rows()
        && options.long_columns.is_none()
        && options.column_labels.is_none()
        && parts.iter().all(|part| part.is_none())
}

/// Opens a large table of text, Parquet or Arrow.
fn open_table(path: &Path, options: &ReadOptions) -> Result<Option<OnDisk>, Error> {
    if !is_table(options) || size(path)? <= options.whole_up_to() {
        return Ok(None);
    }
    let format = match options.format {
        Some(format) => Some(format),
        None => detect(path)?,
    };
    let name = name_of(path);
    let array = match format {
        Some(Format::Parquet) if options.labels.is_none() => open_columns(path, &name, options)?,
        None | Some(Format::Table | Format::Plain) => match kind_of_file(path)? {
            (Kind::Text, None) => open_text(path, path, &name, options)?,
            (Kind::Text | Kind::Utf16(_), _) => {
                // A text that is packed is unpacked once.
                let text = Text::open(path, false)?;
                if !is_indexable(path, text.head(), options)? {
                    return Ok(None);
                }
                let aside = Arc::new(put_aside(&[], &mut text.into_reader(), &name)?);
                opened(&aside, |aside| open_text(aside, path, &name, options))?
            }
            _ => None,
        },
        _ => None,
    };
    array.map(|array| adapted(array, options)).transpose()
}

/// The length of a file, or of all in a folder.
fn size(path: &Path) -> Result<u64, Error> {
    let length = |path: &Path| {
        let about = std::fs::metadata(path);
        about
            .map(|about| about.len())
            .map_err(|e| Error::read(&name_of(path), e))
    };
    if path.is_dir() {
        return files_in(path)?.iter().map(|file| length(file)).sum();
    }
    length(path)
}

/// Whether text that begins so is a table or numbers alone.
fn is_indexable(path: &Path, head: &[u8], options: &ReadOptions) -> Result<bool, Error> {
    let named = names(path, options)?.is_some();
    let format = match options.format {
        Some(format) => format,
        None => detect_text(path, head, named),
    };
    // What begins with a blank may have been printed in blocks.
    Ok(matches!(format, Format::Table | Format::Plain) && !head.starts_with(b" "))
}

/// Opens the table of text in `file`, which stands for `path`.
fn open_text(
    file: &Path,
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<Option<OnDisk>, Error> {
    let text = Text::open(file, false)?;
    if !is_indexable(path, text.head(), options)? {
        return Ok(None);
    }
    drop(text);
    let plain = options.format == Some(Format::Plain);
    // An index is made by one thread, in small blocks.
    let how = How {
        threads: 1,
        ..how(options, names(path, options)?, plain)
    };
    indexed::open_table(file, name, &how)
}

#[cfg(feature = "parquet")]
fn open_columns(file: &Path, name: &str, options: &ReadOptions) -> Result<Option<OnDisk>, Error> {
    let head = if file.is_dir() {
        Vec::new()
    } else {
        crate::source::peek(Box::new(crate::source::open(file)?), name)?.0
    };
    Ok(Some(if crate::source::kind_of(&head) == Kind::Arrow {
        crate::batches::open_arrow(file, name)?
    } else {
        crate::columnar::open_parquet(file, name, options)?
    }))
}

#[cfg(not(feature = "parquet"))]
fn open_columns(_: &Path, _: &str, _: &ReadOptions) -> Result<Option<OnDisk>, Error> {
    Ok(None)
}

/// What comes through a pipe: in memory if it is small, put aside if not.
fn open_stream(
    path: &Path,
    options: &ReadOptions,
    suits: impl Fn(&OnDisk) -> Option<usize>,
) -> Result<Opened, Error> {
    let name = name_of(path);
    let limit = options.whole_up_to();
    let whole = |stream: Box<dyn Read>| -> Result<Opened, Error> {
        Ok(Opened::Whole(Box::new(read_from(stream, path, options)?)))
    };
    let mut stream = raw(path)?;
    if !is_table(options) {
        return whole(stream);
    }
    let mut head = Vec::new();
    (&mut stream)
        .take(limit.saturating_add(1))
        .read_to_end(&mut head)
        .map_err(|e| trouble(&name, e))?;
    if head.len() as u64 <= limit {
        return whole(Box::new(Cursor::new(head)));
    }
    // Digests are of the bytes that came.
    let aside = Arc::new(put_aside(&head, &mut stream, &name)?);
    drop(head);
    let kind = kind_of_file(aside.path())?;
    let array = match (kind, options.format) {
        ((Kind::Text, None), None | Some(Format::Table | Format::Plain)) => {
            opened(&aside, |file| open_text(file, path, &name, options))?
        }
        ((Kind::Text | Kind::Utf16(_), _), None | Some(Format::Table | Format::Plain)) => {
            let mut text = Text::open(aside.path(), false)?.into_reader();
            let unpacked = Arc::new(put_aside(&[], &mut text, &name)?);
            opened(&unpacked, |file| open_text(file, path, &name, options))?
        }
        ((Kind::Arrow | Kind::Parquet, None), None | Some(Format::Parquet)) => {
            opened(&aside, |file| open_columns(file, &name, options))?
        }
        _ => None,
    };
    let array = array.map(|array| adapted(array, options)).transpose()?;
    if let Some(array) = array
        && let Some(suited) = suits(&array)
    {
        let digest = options.digest.then(|| provenance(aside.path()));
        let digest = digest.transpose()?.map(|found| Provenance {
            name: name.clone(),
            ..found
        });
        return Ok(Opened::Rows {
            array,
            suited,
            provenance: digest,
        });
    }
    whole(raw(aside.path())?)
}
