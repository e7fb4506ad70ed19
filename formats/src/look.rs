//! What a file is taken for, without asking anything else of it.

use std::path::Path;

use crate::blocks::OnDisk;
use crate::detect::{Format, ReadOptions, detect};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::open::open_rows;
use crate::raw::Number;
use crate::read::{What, read_as};
use crate::source::kind_of_file;

/// What a file of proximities is.
#[derive(Debug, Clone)]
pub struct Look {
    /// The format.
    pub format: Format,
    /// The compression, by its name.
    pub packing: Option<&'static str>,
    /// Numbers of rows and of columns, a triangle completed.
    pub shape: (usize, usize),
    /// The labels of the rows, if it has any.
    pub labels: Option<Vec<String>>,
    /// How numbers are stored, of an array that stays on disk.
    pub number: Option<Number>,
    /// What is in it, of any other file.
    pub matrix: Option<Matrix>,
}

/// Looks at a file: at the header of an array on disk, at all of any other.
///
/// # Errors
/// If it cannot be read as what it is taken for.
pub fn look(path: &Path, options: &ReadOptions) -> Result<Look, Error> {
    let packing = if path.is_dir() {
        None
    } else {
        kind_of_file(path)?.1.map(|p| p.name())
    };
    if let Some(OnDisk { blocks, labels, .. }) = open_rows(path, options)? {
        let format = match options.format {
            Some(format) => Some(format),
            None => detect(path)?,
        };
        return Ok(Look {
            format: format.unwrap_or(Format::Npy),
            packing,
            shape: blocks.shape(),
            labels,
            number: Some(blocks.number()),
            matrix: None,
        });
    }
    let (matrix, format) = read_as(path, options, What::Proximities)?;
    Ok(Look {
        format,
        packing,
        shape: matrix.shape(),
        labels: matrix.labelled.then(|| matrix.rows.clone()),
        number: None,
        matrix: Some(matrix),
    })
}
