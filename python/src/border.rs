//! What newcomers are to a map, kept so that their arcs can be drawn later.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// The fields of a border, for pickling: d, its numbers, its counts, and that to the founders of a map that has grown.
type Fields<'py> = (
    usize,
    [Bound<'py, PyArray1<f64>>; 7],
    [Vec<usize>; 3],
    Option<Border>,
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
    #[pyo3(signature = (dimensions, numbers, counts, founding=None))]
    fn new(
        dimensions: usize,
        numbers: [PyReadonlyArray1<'_, f64>; 7],
        counts: [Vec<usize>; 3],
        founding: Option<PyRef<'_, Self>>,
    ) -> PyResult<Self> {
        let mut values = Vec::with_capacity(numbers.len());
        for array in &numbers {
            values.push(array.as_slice()?.to_vec());
        }
        let mut next = values.into_iter();
        let mut field = || next.next().unwrap_or_default();
        let [below_zero, observed, beyond] = counts;
        let inner = adjoin::Border {
            dimensions,
            projections: field(),
            beta: field(),
            b_norm_squared: field(),
            outside: field(),
            means: field(),
            nearest: field(),
            degrees: field(),
            below_zero,
            observed,
            beyond,
            founding: founding.map(|border| Box::new(border.inner.clone())),
            covariance: Vec::new(),
        };
        Ok(Self { inner })
    }

    /// Some of the newcomers.
    fn take(&self, which: Vec<usize>) -> Self {
        take(&self.inner, &which).into()
    }

    fn __len__(&self) -> usize {
        self.inner.count()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Fields<'py> {
        let b = &self.inner;
        let numbers = [
            &b.projections,
            &b.beta,
            &b.b_norm_squared,
            &b.outside,
            &b.means,
            &b.nearest,
            &b.degrees,
        ];
        (
            b.dimensions,
            numbers.map(|v| v.clone().into_pyarray(py)),
            [b.below_zero.clone(), b.observed.clone(), b.beyond.clone()],
            b.founding.as_deref().cloned().map(Self::from),
        )
    }
}

/// Some of the newcomers of a border.
fn take(all: &adjoin::Border, which: &[usize]) -> adjoin::Border {
    let d = all.dimensions;
    let some = |values: &[f64]| -> Vec<f64> {
        let values = which.iter().filter_map(|&i| values.get(i));
        values.copied().collect()
    };
    let rows = which.iter().map(|&i| &all.projections[i * d..(i + 1) * d]);
    adjoin::Border {
        dimensions: d,
        projections: rows.flatten().copied().collect(),
        beta: some(&all.beta),
        b_norm_squared: some(&all.b_norm_squared),
        outside: some(&all.outside),
        means: some(&all.means),
        nearest: some(&all.nearest),
        below_zero: which.iter().map(|&i| all.below_zero[i]).collect(),
        observed: which.iter().map(|&i| all.observed[i]).collect(),
        degrees: some(&all.degrees),
        beyond: (which.iter())
            .filter_map(|&i| all.beyond.get(i).copied())
            .collect(),
        founding: (all.founding.as_deref()).map(|founding| Box::new(take(founding, which))),
        covariance: Vec::new(),
    }
}
