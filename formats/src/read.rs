//! Reading proximities from whatever file they are in ([`crate::detect`] finds out what that is).

use std::io::{Cursor, Read};
use std::path::Path;

use crate::blocks::{Loaded, OnDisk};
use crate::detect::{Format, ReadOptions, detect, detect_text};
use crate::error::{Error, name_of};
use crate::long::{self, ColumnChoice};
use crate::matrix::{Matrix, newcomer_positions, positions};
use crate::numbers::read_labels;
use crate::source::{
    Kind, Text, is_stream, kind_of, kind_of_file, peek, provenance, raw, trouble, unpacked,
};
pub(crate) use crate::table::How;
use crate::unlabelled::{self, Names};
use crate::zarr::ZarrRows;
use crate::{bin, ids, mega, nexus, npy, phylip, printed, qza, table};

/// Reads the proximities in a file; `-` is standard input.
///
/// # Errors
/// If the file cannot be read or is not what its format asks for, with the place and what was
/// expected there.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    Ok(read_as(path, options, What::Proximities)?.0)
}

/// What the numbers of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Proximities,
    /// A column for each feature: always a rectangle.
    Features,
}

/// Reads a file and adapts it as the options say; and says what it was taken for.
pub(crate) fn read_as(
    path: &Path,
    options: &ReadOptions,
    what: What,
) -> Result<(Matrix, Format), Error> {
    let (matrix, format) = read_raw(path, options, what)?;
    check_asked(path, format, options)?;
    let matrix = match what {
        What::Proximities => adapted(matrix, format, options)?,
        What::Features => options.adapt.features(matrix)?,
    };
    Ok((matrix, format))
}

fn adapted(matrix: Matrix, format: Format, options: &ReadOptions) -> Result<Matrix, Error> {
    let list = format == Format::Long;
    Ok(Matrix {
        of_unlisted: options.adapt.of_unlisted().filter(|_| list),
        ..options.adapt.proximities(matrix)?
    })
}

fn read_raw(path: &Path, options: &ReadOptions, what: What) -> Result<(Matrix, Format), Error> {
    let name = name_of(path);
    let format = match options.format {
        Some(format) => Some(format),
        None => detect(path)?,
    };
    if let Some(format) = format
        && options.labels.is_some()
        && !format.takes_labels()
    {
        return Err(has_its_own(&name, "labels"));
    }
    if let Some(format) = format
        && options.column_labels.is_some()
        && !format.takes_column_labels()
    {
        return Err(has_its_own(&name, "labels for columns"));
    }
    if is_stream(path) {
        return read_stream(raw(path)?, path, format, options, what);
    }
    let names = || names(path, options);
    let matrix = match format {
        None
        | Some(
            Format::Table
            | Format::Plain
            | Format::Phylip
            | Format::Long
            | Format::Mega
            | Format::Nexus,
        ) => {
            let mut text = Text::open(path, options.digest)?;
            let (mut matrix, format) = read_text(path, &mut text, format, options, what)?;
            matrix.provenance = text.provenance()?;
            return Ok((matrix, format));
        }
        Some(Format::Npy) => read_npy(path, options, what)?,
        Some(Format::Npz) => {
            let array = npy::read_npz(path, options.dataset.as_deref())?;
            of_array(array, path, options, what)?
        }
        Some(Format::Bin) => bin::read(path, names()?)?,
        Some(Format::Parquet) => read_parquet(path)?,
        Some(Format::Hdf5) => read_hdf5(path, options, what)?,
        Some(Format::Zarr) => {
            let rows = ZarrRows::open(path, options.dataset.as_deref())?;
            whole(OnDisk::new(Box::new(rows), names()?)?, options, what)?
        }
        Some(Format::Qza) => {
            qza::with_member(path, "DistanceMatrix", "distance-matrix.tsv", |text| {
                table::read(text, &how(options, None, false))
            })?
        }
    };
    let mut matrix = matrix;
    if let Some(format) = format {
        matrix.form = format.describe();
    }
    if options.digest {
        matrix.provenance = Some(provenance(path)?);
    }
    Ok((matrix, format.unwrap_or(Format::Table)))
}

/// The labels that were given for columns.
pub(crate) fn column_names(options: &ReadOptions) -> Result<Option<Names>, Error> {
    let Some(file) = &options.column_labels else {
        return Ok(None);
    };
    Ok(Some(Names {
        labels: read_labels(file)?,
        file: name_of(file),
    }))
}

/// Refuses what says which part of a file is meant, where such a file has no parts of that kind.
pub(crate) fn check_asked(path: &Path, format: Format, options: &ReadOptions) -> Result<(), Error> {
    let hdf5 = format == Format::Hdf5;
    let arrays = hdf5 || matches!(format, Format::Zarr | Format::Npz);
    let asked = [
        (
            options.long_columns.is_some(),
            format == Format::Long,
            "--columns",
            "a list of pairs (--format long)",
        ),
        (
            options.dataset.is_some(),
            arrays,
            "--dataset",
            "a file with several arrays (HDF5, Zarr, .npz)",
        ),
        (
            options.labels_dataset.is_some(),
            hdf5,
            "--labels-dataset",
            "an HDF5 file",
        ),
        (
            options.column_labels_dataset.is_some(),
            hdf5,
            "--column-labels-dataset",
            "an HDF5 file",
        ),
    ];
    match asked.into_iter().find(|(asked, has, ..)| *asked && !has) {
        None => Ok(()),
        Some((.., flag, expected)) => Err(Error::mismatch(
            &name_of(path),
            None,
            format!("{flag} beside {}", format.describe()),
            format!("it beside {expected}"),
        )),
    }
}

fn has_its_own(name: &str, labels: &str) -> Error {
    Error::mismatch(
        name,
        None,
        format!("a file of {labels} beside a file that has its own"),
        "labels for numbers without any",
    )
}

/// A matrix whose columns are called by `names`, if there are any.
fn called(matrix: Matrix, names: Option<Names>, what: What) -> Result<Matrix, Error> {
    let Some(names) = names else {
        return Ok(matrix);
    };
    let (k, m) = matrix.shape();
    names.are_for(m, "column")?;
    // Rows without labels under columns with some are newcomers.
    let numbered = what == What::Proximities && matrix.rows == positions(k);
    Matrix {
        rows: if numbered {
            newcomer_positions(&matrix.rows)
        } else {
            matrix.rows
        },
        columns: names.labels,
        labelled: true,
        ..matrix
    }
    .checked()
}

/// The labels that were given, or that stand beside the file.
pub(crate) fn names(path: &Path, options: &ReadOptions) -> Result<Option<Names>, Error> {
    let file = options.labels.clone().or_else(|| ids::beside(path));
    let Some(file) = file else {
        return Ok(None);
    };
    Ok(Some(Names {
        labels: read_labels(&file)?,
        file: name_of(&file),
    }))
}

pub(crate) fn how(options: &ReadOptions, names: Option<Names>, plain: bool) -> How {
    How {
        threads: options.threads(),
        names,
        plain,
    }
}

/// Reads proximities from a stream that stands for `path`.
pub(crate) fn read_from(
    stream: Box<dyn Read>,
    path: &Path,
    options: &ReadOptions,
) -> Result<Matrix, Error> {
    let what = What::Proximities;
    let (matrix, format) = read_stream(stream, path, options.format, options, what)?;
    adapted(matrix, format, options)
}

/// What comes through a pipe: text, an Arrow stream, or an array.
fn read_stream(
    stream: Box<dyn Read>,
    path: &Path,
    format: Option<Format>,
    options: &ReadOptions,
    what: What,
) -> Result<(Matrix, Format), Error> {
    let name = name_of(path);
    let (head, mut stream) = peek(stream, &name)?;
    match (kind_of(&head), format) {
        (Kind::Arrow | Kind::Parquet, None | Some(Format::Parquet)) => {
            let mut bytes = Vec::new();
            stream
                .read_to_end(&mut bytes)
                .map_err(|e| trouble(&name, e))?;
            Ok((read_parquet_bytes(bytes, &name)?, Format::Parquet))
        }
        (Kind::Npy, None | Some(Format::Npy)) => {
            let array = npy::read_stream(stream, &name)?;
            Ok((of_array(array, path, options, what)?, Format::Npy))
        }
        (
            _,
            None
            | Some(
                Format::Table
                | Format::Plain
                | Format::Phylip
                | Format::Long
                | Format::Mega
                | Format::Nexus,
            ),
        ) => {
            let mut text = Text::new(stream, &name, options.digest)?;
            let (mut matrix, format) = read_text(path, &mut text, format, options, what)?;
            matrix.provenance = text.provenance()?;
            Ok((matrix, format))
        }
        (_, Some(Format::Npy | Format::Parquet)) => Err(Error::malformed(
            &name,
            None,
            "something else",
            "a NumPy array or an Arrow stream",
        )),
        (_, Some(_)) => Err(Error::mismatch(
            &name,
            None,
            "a stream for a format that is read from its end or in parts",
            "the name of a file",
        )),
    }
}

fn read_text(
    path: &Path,
    text: &mut Text<'_>,
    format: Option<Format>,
    options: &ReadOptions,
    what: What,
) -> Result<(Matrix, Format), Error> {
    let names = match format {
        None | Some(Format::Table | Format::Plain) => names(path, options)?,
        Some(_) => None,
    };
    let format = match (format, what) {
        (Some(format), _) => format,
        (None, What::Features) => Format::Table,
        (None, What::Proximities) => detect_text(path, text.head(), names.is_some()),
    };
    let matrix = match format {
        Format::Phylip => phylip::read(text)?,
        Format::Mega => mega::read(text)?,
        Format::Nexus => nexus::read(text)?,
        Format::Long => {
            let first_three = [1, 2, 3].map(ColumnChoice::Number);
            long::read(
                text,
                options.long_columns.as_ref().unwrap_or(&first_three),
                options.adapt.unlisted.is_some(),
            )?
        }
        format => {
            let how = how(options, names, format == Format::Plain);
            if what == What::Features {
                table::read_rectangle(text, &how)?
            } else if text.head().starts_with(b" ") {
                read_printed(text, &how)?
            } else {
                table::read(text, &how)?
            }
        }
    };
    let bare = matrix.header_line == 0 && (!matrix.labelled || options.labels.is_some());
    let plain = format == Format::Table && matrix.header_line == 0 && !matrix.labelled;
    let columns = column_names(options)?;
    if columns.is_some() && !(format.takes_column_labels() && bare) {
        return Err(has_its_own(&text.name, "labels for columns"));
    }
    let matrix = called(matrix, columns, what)?;
    Ok((matrix, if plain { Format::Plain } else { format }))
}

/// A table that may have been printed in blocks.
fn read_printed(text: &mut Text<'_>, how: &How) -> Result<Matrix, Error> {
    let bytes = text.read_all()?;
    let bytes = printed::joined(&bytes).unwrap_or(bytes);
    table::read(
        &mut Text::new(Box::new(Cursor::new(bytes)), &text.name, false)?,
        how,
    )
}

fn read_npy(path: &Path, options: &ReadOptions, what: What) -> Result<Matrix, Error> {
    let name = name_of(path);
    if kind_of_file(path)?.1.is_some() {
        let (_, _, stream) = unpacked(raw(path)?, &name)?;
        return of_array(npy::read_stream(stream, &name)?, path, options, what);
    }
    let blocks = npy::NpyBlocks::open_any(path)?;
    if blocks.is_vector() {
        return of_array(npy::read_array(path)?, path, options, what);
    }
    let blocks = Box::new(npy::NpyBlocks::open(path)?);
    whole(OnDisk::new(blocks, names(path, options)?)?, options, what)
}

/// An array of one or two dimensions as what it stands for.
fn of_array(
    (shape, values): (Vec<usize>, Vec<f64>),
    path: &Path,
    options: &ReadOptions,
    what: What,
) -> Result<Matrix, Error> {
    let (name, names, columns) = (
        &name_of(path),
        &names(path, options)?,
        column_names(options)?,
    );
    let names = names.as_ref();
    let matrix = match (&shape[..], what) {
        (&[k, m], _) => unlabelled::matrix(values, (k, m), names, name),
        (&[k], What::Features) => unlabelled::matrix(values, (k, 1), names, name),
        _ => unlabelled::condensed(values, names, name),
    };
    called(matrix?, columns, what)
}

/// All of an array on disk.
fn whole(array: OnDisk, options: &ReadOptions, what: What) -> Result<Matrix, Error> {
    let mut array = array.with_columns(column_names(options)?)?;
    let shape = array.blocks.shape();
    let source = array.blocks.source().to_owned();
    let values = match array.load()? {
        Loaded::Doubles(values) => values,
        Loaded::Singles(values) => values.into_iter().map(f64::from).collect(),
    };
    let named = |labels| Names {
        labels,
        file: source.clone(),
    };
    let names = array.labels.map(named);
    let matrix = unlabelled::matrix(values, shape, names.as_ref(), &source)?;
    called(matrix, array.columns.map(named), what)
}

#[cfg(feature = "hdf5")]
pub(crate) fn open_hdf5(path: &Path, options: &ReadOptions) -> Result<OnDisk, Error> {
    let asked = [&options.labels_dataset, &options.column_labels_dataset];
    let asked = asked.map(|name| name.as_deref());
    let (rows, [own, columns]) = crate::hdf5::open_matrix(path, options.dataset.as_deref(), asked)?;
    if options.labels.is_some() && own.is_some() {
        return Err(has_its_own(&name_of(path), "labels"));
    }
    let names = match own {
        Some(own) => Some(own),
        None => names(path, options)?,
    };
    OnDisk::new(Box::new(rows), names)?.with_columns(columns)
}

#[cfg(feature = "hdf5")]
fn read_hdf5(path: &Path, options: &ReadOptions, what: What) -> Result<Matrix, Error> {
    if what == What::Features
        && options.dataset.is_none()
        && let Some(table) = crate::hdf5::read_biom(path)?
    {
        return Matrix {
            lines: vec![0; table.samples.len()],
            rows: table.samples,
            columns: table.features,
            values: table.values,
            labelled: true,
            source: name_of(path),
            ..Matrix::default()
        }
        .checked();
    }
    whole(open_hdf5(path, options)?, options, what)
}

#[cfg(not(feature = "hdf5"))]
pub(crate) fn open_hdf5(path: &Path, _: &ReadOptions) -> Result<OnDisk, Error> {
    Err(Error::malformed(
        &name_of(path),
        None,
        "an HDF5 file",
        "another format: this build is without HDF5",
    ))
}

#[cfg(not(feature = "hdf5"))]
fn read_hdf5(path: &Path, options: &ReadOptions, what: What) -> Result<Matrix, Error> {
    whole(open_hdf5(path, options)?, options, what)
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> Result<Matrix, Error> {
    crate::arrow::read(path)
}

#[cfg(feature = "parquet")]
fn read_parquet_bytes(bytes: Vec<u8>, name: &str) -> Result<Matrix, Error> {
    crate::arrow::read_bytes(bytes, name)?.checked()
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(path: &Path) -> Result<Matrix, Error> {
    read_parquet_bytes(Vec::new(), &name_of(path))
}

#[cfg(not(feature = "parquet"))]
fn read_parquet_bytes(_: Vec<u8>, name: &str) -> Result<Matrix, Error> {
    Err(Error::malformed(
        name,
        None,
        "a Parquet or Arrow file",
        "another format: this build is without Parquet",
    ))
}
