//! NumPy arrays as the core sees them: borrowed, of any layout, never copied.

use adjoin::proximity::Element;
use faer::MatRef;
use numpy::{PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A matrix of either number type.
#[derive(FromPyObject)]
pub enum Entries<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

impl Entries<'_> {
    /// The number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Entries::Double(array) => array.shape()[1],
            Entries::Single(array) => array.shape()[1],
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Entries::Double(array) => array.shape()[0],
            Entries::Single(array) => array.shape()[0],
        }
    }
}

/// Runs `$body` with `$matrix` as a view of `$entries`, whichever its number type.
macro_rules! with_matrix {
    ($entries:expr, |$matrix:ident| $body:expr) => {
        match $entries {
            $crate::view::Entries::Double(array) => {
                let $matrix = $crate::view::matrix(array)?;
                $body
            }
            $crate::view::Entries::Single(array) => {
                let $matrix = $crate::view::matrix(array)?;
                $body
            }
        }
    };
}
pub(crate) use with_matrix;

/// The array's numbers where they are.
pub fn matrix<'a, T: Element + numpy::Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<MatRef<'a, T>> {
    let size = size_of::<T>() as isize;
    let (shape, strides) = (array.shape(), array.strides());
    let pointer: *const T = array.data();
    if !pointer.is_aligned() || strides.iter().any(|s| s % size != 0) {
        return Err(PyTypeError::new_err(
            "found an array whose numbers are not aligned in memory, expected an aligned one",
        ));
    }
    // SAFETY: NumPy owns shape[0] × shape[1] numbers of type T at these strides (bytes, hence the
    // division), aligned as just checked; `array` keeps them alive for 'a, and borrows them for
    // reading only.
    Ok(unsafe {
        MatRef::from_raw_parts(
            pointer,
            shape[0],
            shape[1],
            strides[0] / size,
            strides[1] / size,
        )
    })
}

/// A copy row by row, for what is stored or put into another order.
pub fn row_by_row(entries: &Entries<'_>) -> PyResult<Vec<f64>> {
    with_matrix!(entries, |m| Ok((0..m.nrows())
        .flat_map(|i| m.row(i).iter().map(|v| v.to_f64()))
        .collect()))
}
