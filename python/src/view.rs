//! NumPy arrays as the core sees them: borrowed, of any layout, never copied.

use adjoin::By;
use faer::MatRef;
use numpy::{Element, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A matrix of either number type.
#[derive(FromPyObject)]
pub enum Entries<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

impl Entries<'_> {
    /// The numbers of rows and of columns.
    pub fn shape(&self) -> (usize, usize) {
        let shape = match self {
            Entries::Double(array) => array.shape(),
            Entries::Single(array) => array.shape(),
        };
        (shape[0], shape[1])
    }

    /// A square of old proximities.
    pub fn square(&self) -> PyResult<adjoin::Entries<'_>> {
        Ok(match self {
            Entries::Double(array) => adjoin::Entries::Doubles(matrix(array)?),
            Entries::Single(array) => adjoin::Entries::Singles(matrix(array)?),
        })
    }

    /// Newcomers' proximities.
    pub fn by(&self) -> PyResult<By<'_>> {
        Ok(match self {
            Entries::Double(array) => By::Doubles(matrix(array)?),
            Entries::Single(array) => By::Singles(matrix(array)?),
        })
    }

    /// What must be of double precision.
    pub fn doubles(&self) -> PyResult<MatRef<'_, f64>> {
        match self {
            Entries::Double(array) => matrix(array),
            Entries::Single(_) => Err(PyTypeError::new_err("found float32, expected float64")),
        }
    }

    /// A copy row by row, for what is stored or put into another order.
    pub fn row_by_row(&self) -> PyResult<Vec<f64>> {
        Ok(match self {
            Entries::Double(array) => copied(matrix(array)?),
            Entries::Single(array) => copied(matrix(array)?),
        })
    }
}

/// The numbers row by row.
pub fn copied<T: Copy + Into<f64>>(matrix: MatRef<'_, T>) -> Vec<f64> {
    let rows = (0..matrix.nrows()).map(|i| matrix.row(i));
    rows.flat_map(|row| row.iter().map(|&v| v.into())).collect()
}

/// The array's numbers where they are.
pub fn matrix<'a, T: Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<MatRef<'a, T>> {
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
