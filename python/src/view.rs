//! NumPy arrays as the core sees them: kept alive, of any layout, never copied.

use adjoin::{By, Values};
use faer::MatRef;
use numpy::{Element, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A matrix of either number type.
pub enum Entries {
    Double(Held<f64>),
    Single(Held<f32>),
}

/// The same, on its way from Python.
#[derive(FromPyObject)]
enum Array<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

impl<'py> FromPyObject<'_, 'py> for Entries {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match object.extract::<Array<'py>>()? {
            Array::Double(array) => Entries::Double(Held::new(&array)?),
            Array::Single(array) => Entries::Single(Held::new(&array)?),
        })
    }
}

impl Entries {
    /// Numbers that nobody in Python has, row by row.
    pub fn of(py: Python<'_>, values: Vec<f64>, width: usize) -> PyResult<Self> {
        let array = crate::answer::rows(py, values, width)?;
        Ok(Entries::Double(Held::new(&array.readonly())?))
    }

    /// The numbers of rows and of columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Entries::Double(array) => (array.rows, array.columns),
            Entries::Single(array) => (array.rows, array.columns),
        }
    }

    /// A square of old proximities.
    pub fn square(&self) -> adjoin::Entries<'_> {
        match self {
            Entries::Double(array) => adjoin::Entries::Doubles(array.matrix()),
            Entries::Single(array) => adjoin::Entries::Singles(array.matrix()),
        }
    }

    /// Newcomers' proximities.
    pub fn by(&self) -> By<'_> {
        match self {
            Entries::Double(array) => By::Doubles(array.matrix()),
            Entries::Single(array) => By::Singles(array.matrix()),
        }
    }

    /// What is of double precision.
    pub fn doubles(&self) -> Option<MatRef<'_, f64>> {
        match self {
            Entries::Double(array) => Some(array.matrix()),
            Entries::Single(_) => None,
        }
    }

    /// A copy as features, in the precision that it has.
    pub fn values(&self) -> Values {
        match self {
            Entries::Double(array) => Values::Doubles(copied(array.matrix())),
            Entries::Single(array) => Values::Singles(copied(array.matrix())),
        }
    }

    /// A copy row by row, for what is stored or put into another order.
    pub fn row_by_row(&self) -> Vec<f64> {
        match self {
            Entries::Double(array) => copied(array.matrix()),
            Entries::Single(array) => copied(array.matrix()),
        }
    }
}

/// The numbers row by row.
pub fn copied<T: Copy + Into<U>, U>(matrix: MatRef<'_, T>) -> Vec<U> {
    let mut all = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    for i in 0..matrix.nrows() {
        all.extend(matrix.row(i).iter().map(|&v| v.into()));
    }
    all
}

/// An array's numbers where they are, for any thread to read.
pub struct Held<T> {
    pointer: *const T,
    rows: usize,
    columns: usize,
    /// From a row, and from a column, to the next, in numbers.
    strides: (isize, isize),
    /// Keeps them there.
    _owner: Py<PyAny>,
}

// SAFETY: the numbers are plain, are only read, and stay where they are as long as the array lives, which `_owner` sees to;
// a reference may be dropped by any thread. That nobody writes to them meanwhile is asked of the caller in the docs.
unsafe impl<T: Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Held<T> {}

impl<T: Element> Held<T> {
    pub fn new(array: &PyReadonlyArray2<'_, T>) -> PyResult<Self> {
        let size = size_of::<T>() as isize;
        let (shape, strides) = (array.shape(), array.strides());
        let pointer: *const T = array.data();
        if !pointer.is_aligned() || strides.iter().any(|s| s % size != 0) {
            return Err(PyTypeError::new_err(
                "found an array whose numbers are not aligned in memory, expected an aligned one",
            ));
        }
        Ok(Self {
            pointer,
            rows: shape[0],
            columns: shape[1],
            strides: (strides[0] / size, strides[1] / size),
            _owner: array.as_any().clone().unbind(),
        })
    }
}

impl<T> Held<T> {
    pub fn matrix(&self) -> MatRef<'_, T> {
        let (down, across) = self.strides;
        // SAFETY: NumPy owns rows × columns numbers of type T at these strides, aligned as was checked; `_owner` keeps
        // them alive as long as `self`, and they are borrowed for reading only.
        unsafe { MatRef::from_raw_parts(self.pointer, self.rows, self.columns, down, across) }
    }
}
