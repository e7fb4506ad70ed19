//! What newcomers are to a map, kept so that their arcs can be drawn later.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// The fields of a border, for pickling.
type Fields<'py> = (
    usize,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<usize>,
    Vec<usize>,
    Bound<'py, PyArray1<f64>>,
);

#[pyclass(frozen, module = "adjoin._core")]
pub struct Border {
    pub inner: adjoin::Border,
}

impl From<adjoin::Border> for Border {
    fn from(inner: adjoin::Border) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Border {
    #[new]
    fn new(
        dimensions: usize,
        projections: PyReadonlyArray1<'_, f64>,
        beta: PyReadonlyArray1<'_, f64>,
        b_norm_squared: PyReadonlyArray1<'_, f64>,
        outside: PyReadonlyArray1<'_, f64>,
        means: PyReadonlyArray1<'_, f64>,
        nearest: PyReadonlyArray1<'_, f64>,
        below_zero: Vec<usize>,
        observed: Vec<usize>,
        degrees: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let inner = adjoin::Border {
            dimensions,
            projections: projections.as_slice()?.to_vec(),
            beta: beta.as_slice()?.to_vec(),
            b_norm_squared: b_norm_squared.as_slice()?.to_vec(),
            outside: outside.as_slice()?.to_vec(),
            means: means.as_slice()?.to_vec(),
            nearest: nearest.as_slice()?.to_vec(),
            below_zero,
            observed,
            degrees: degrees.as_slice()?.to_vec(),
        };
        Ok(Self { inner })
    }

    fn __len__(&self) -> usize {
        self.inner.count()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Fields<'py> {
        let b = &self.inner;
        (
            b.dimensions,
            b.projections.clone().into_pyarray(py),
            b.beta.clone().into_pyarray(py),
            b.b_norm_squared.clone().into_pyarray(py),
            b.outside.clone().into_pyarray(py),
            b.means.clone().into_pyarray(py),
            b.nearest.clone().into_pyarray(py),
            b.below_zero.clone(),
            b.observed.clone(),
            b.degrees.clone().into_pyarray(py),
        )
    }
}
