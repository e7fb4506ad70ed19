//! Proximities that are elsewhere: their pieces where they lie, and the fit that asks for products with them.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use adjoin::elsewhere::{Look, Piece, Products};
use adjoin::{Error, Rows};
use faer::{Mat, MatMut, MatRef};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::answer;
use crate::settings::kind;
use crate::view::{Entries, Held, copied};

/// An entry, and where it is.
type Found = Option<(f64, usize, usize)>;

/// What was seen of a piece, as a dictionary.
#[derive(FromPyObject, IntoPyObject)]
pub struct Seen {
    #[pyo3(item)]
    at: (usize, usize),
    #[pyo3(item)]
    bad: Found,
    #[pyo3(item)]
    largest: f64,
    #[pyo3(item)]
    below_zero: Found,
    #[pyo3(item)]
    below_zero_count: usize,
    #[pyo3(item)]
    asymmetry: Found,
    #[pyo3(item)]
    differ: (f64, f64),
    #[pyo3(item)]
    diagonal: Found,
    #[pyo3(item)]
    squares: f64,
    #[pyo3(item)]
    sums: (Vec<f64>, Vec<f64>),
    #[pyo3(item)]
    nearest: (Vec<f64>, Vec<f64>),
    #[pyo3(item)]
    itself: Vec<f64>,
}

impl From<Look> for Seen {
    fn from(look: Look) -> Self {
        Self {
            at: look.at,
            bad: look.bad,
            largest: look.largest,
            below_zero: look.below_zero,
            below_zero_count: look.below_zero_count,
            asymmetry: look.asymmetry,
            differ: look.differ,
            diagonal: look.diagonal,
            squares: look.squares,
            sums: look.sums,
            nearest: look.nearest,
            itself: look.itself,
        }
    }
}

impl From<Seen> for Look {
    fn from(seen: Seen) -> Self {
        Self {
            at: seen.at,
            bad: seen.bad,
            largest: seen.largest,
            below_zero: seen.below_zero,
            below_zero_count: seen.below_zero_count,
            asymmetry: seen.asymmetry,
            differ: seen.differ,
            diagonal: seen.diagonal,
            squares: seen.squares,
            sums: seen.sums,
            nearest: seen.nearest,
            itself: seen.itself,
        }
    }
}

/// Looks at a piece of a square and at its mirror image; a piece on the diagonal is its own.
#[pyfunction]
pub fn look_over(
    py: Python<'_>,
    piece: Entries,
    mirror: Option<Entries>,
    at: (usize, usize),
    word: &str,
) -> PyResult<Seen> {
    let kind = kind(word)?;
    let (rows, columns) = piece.shape();
    let image = mirror.as_ref().unwrap_or(&piece);
    if image.shape() != (columns, rows) {
        return Err(PyValueError::new_err(
            "found a piece whose mirror image has another shape",
        ));
    }
    let seen = py.detach(|| match (&piece, image) {
        (Entries::Double(piece), Entries::Double(image)) => Some(
            Piece {
                entries: piece.matrix(),
                at,
                kind,
            }
            .look(image.matrix()),
        ),
        (Entries::Single(piece), Entries::Single(image)) => Some(
            Piece {
                entries: piece.matrix(),
                at,
                kind,
            }
            .look(image.matrix()),
        ),
        _ => None,
    });
    let seen = seen.ok_or_else(|| PyValueError::new_err("found pieces of two number types"))?;
    Ok(seen.into())
}

/// Rows of a product, as an array.
type Product<'py> = Bound<'py, PyArray2<f64>>;

/// A piece's part of (T − c ee')V, by the rows of V that belong to its rows and to its columns: for its rows, and for its columns
/// unless it is on the diagonal.
#[pyfunction]
pub fn multiply<'py>(
    py: Python<'py>,
    piece: Entries,
    place: ((usize, usize), String),
    scale: (f64, f64),
    v: (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>),
) -> PyResult<(Product<'py>, Option<Product<'py>>)> {
    let (at, kind) = (place.0, kind(&place.1)?);
    let (above, beside) = (Held::new(&v.0)?, Held::new(&v.1)?);
    let (down, across) = py.detach(|| {
        let v = (above.matrix(), beside.matrix());
        match &piece {
            Entries::Double(piece) => Piece {
                entries: piece.matrix(),
                at,
                kind,
            }
            .multiply(scale, v),
            Entries::Single(piece) => Piece {
                entries: piece.matrix(),
                at,
                kind,
            }
            .multiply(scale, v),
        }
    });
    let array = |m: Mat<f64>| answer::rows(py, copied(m.as_ref()), m.ncols());
    Ok((array(down)?, across.map(array).transpose()?))
}

/// A function of Python's that is asked from the core's threads, and what it raised.
pub struct Called {
    function: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl Called {
    pub fn new(function: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self {
            function,
            raised: Mutex::new(None),
        })
    }

    /// What it raised in the place of `otherwise`.
    pub fn raised(&self, otherwise: PyErr) -> PyErr {
        let raised = self.raised.lock().ok().and_then(|mut raised| raised.take());
        raised.unwrap_or(otherwise)
    }

    /// Asks it for a matrix of this shape; what it raises ends the work.
    fn ask<R>(
        &self,
        shape: (usize, usize),
        arguments: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        take: impl FnOnce(MatRef<'_, f64>) -> R,
    ) -> Result<R, Error> {
        let answer = Python::attach(|py| {
            let arguments = arguments(py)?.into_bound(py).cast_into()?;
            let made = self.function.bind(py).call1(arguments)?;
            let array: PyReadonlyArray2<'_, f64> = made.extract()?;
            let held = Held::new(&array)?;
            let matrix = held.matrix();
            if (matrix.nrows(), matrix.ncols()) != shape {
                return Err(PyValueError::new_err(
                    "found an answer of another shape than was asked for",
                ));
            }
            Ok(take(matrix))
        });
        answer.map_err(|error| {
            if let Ok(mut raised) = self.raised.lock() {
                *raised = Some(error);
            }
            Error::Stopped
        })
    }
}

impl Products for Called {
    fn multiply(
        &self,
        unit: f64,
        shift: f64,
        v: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), Error> {
        let arguments = |py: Python<'_>| {
            let v = answer::rows(py, copied(v), v.ncols())?;
            let all = (unit, shift, v).into_pyobject(py)?;
            Ok(all.into_any().unbind())
        };
        self.ask((v.nrows(), v.ncols()), arguments, |made| {
            out.copy_from(made)
        })
    }
}

/// A rectangle whose rows a function of Python's makes.
pub struct Made {
    pub called: Arc<Called>,
    pub shape: (usize, usize),
}

impl Rows for Made {
    fn rows(&self) -> usize {
        self.shape.0
    }

    fn columns(&self) -> usize {
        self.shape.1
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let shape = (range.len(), self.shape.1);
        let arguments = |py: Python<'_>| {
            let all = (range.start, range.end).into_pyobject(py)?;
            Ok(all.into_any().unbind())
        };
        self.called.ask(shape, arguments, |made| {
            out.copy_from_slice(&copied(made));
        })
    }
}
