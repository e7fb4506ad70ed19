//! What is fitted to: proximities or features, dictionaries as the core's objects.

use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::{Features, Rows, Square};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::answer;
use crate::error::{core, wrong};
use crate::guard::Running;
use crate::settings::kind;
use crate::view::{Entries, matrix};

/// The parameter that holds the old objects.
pub const ARGUMENT: &str = "X";

/// A metric or a kernel, as a dictionary.
#[derive(FromPyObject)]
pub struct Measuring {
    #[pyo3(item)]
    kernel: bool,
    #[pyo3(item)]
    word: String,
    #[pyo3(item)]
    power: Option<f64>,
    #[pyo3(item)]
    gamma: Option<f64>,
    #[pyo3(item)]
    degree: Option<f64>,
    #[pyo3(item)]
    coef0: Option<f64>,
}

impl Measuring {
    fn core(&self) -> PyResult<Measure> {
        let parameters = Parameters {
            power: self.power,
            gamma: self.gamma,
            degree: self.degree,
            coef0: self.coef0,
        };
        if self.kernel {
            Measure::kernel(&self.word, &parameters).map_err(|e| wrong("kernel", e))
        } else {
            Measure::metric(&self.word, &parameters).map_err(|e| wrong("metric", e))
        }
    }
}

/// Objects by their features, as a dictionary.
#[derive(FromPyObject)]
pub struct Featured<'py> {
    #[pyo3(item)]
    features: Entries<'py>,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    names: Option<Vec<String>>,
    #[pyo3(item)]
    measure: Measuring,
}

impl Featured<'_> {
    fn features(&self) -> PyResult<Features> {
        let (labels, names) = (self.labels.clone(), self.names.clone());
        features(&self.features, labels, names, ARGUMENT)
    }

    fn measured(&self) -> PyResult<Measured> {
        Measured::new(self.measure.core()?, self.features()?).map_err(core(ARGUMENT))
    }
}

/// Features from an array.
pub fn features(
    entries: &Entries<'_>,
    labels: Option<Vec<String>>,
    names: Option<Vec<String>>,
    argument: &str,
) -> PyResult<Features> {
    let (_, width) = entries.shape();
    Features::new(entries.row_by_row()?, width, labels, names).map_err(core(argument))
}

/// The old objects, as a dictionary: a square of proximities, perhaps with the features that it was made of; the
/// rectangle of proximities to landmarks; or features with a measure.
#[derive(FromPyObject)]
pub enum Objects<'py> {
    Square {
        #[pyo3(item)]
        square: Entries<'py>,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
        #[pyo3(item)]
        made_of: Option<Featured<'py>>,
    },
    ToLandmarks {
        #[pyo3(item)]
        rectangle: Entries<'py>,
        #[pyo3(item)]
        landmarks: Vec<usize>,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
    },
    Features(Featured<'py>),
}

impl Objects<'_> {
    /// Their labels, if they have any.
    pub fn labels(&self) -> Option<&[String]> {
        match self {
            Objects::Square { labels, .. } | Objects::ToLandmarks { labels, .. } => {
                labels.as_deref()
            }
            Objects::Features(objects) => objects.labels.as_deref(),
        }
    }

    /// Runs `work` on the same for the core: proximities are borrowed, features copied.
    pub fn core<R>(&self, work: impl FnOnce(adjoin::Objects<'_>) -> PyResult<R>) -> PyResult<R> {
        match self {
            Objects::Square {
                square,
                kind: word,
                labels,
                made_of,
            } => work(adjoin::Objects::Square(Square {
                entries: square.square()?,
                kind: kind(word)?,
                labels: labels.clone(),
                made_of: made_of.as_ref().map(Featured::measured).transpose()?,
            })),
            Objects::ToLandmarks {
                rectangle,
                landmarks,
                kind: word,
                labels,
            } => {
                let rows: Box<dyn Rows + '_> = match rectangle {
                    Entries::Double(array) => Box::new(matrix(array)?),
                    Entries::Single(array) => Box::new(matrix(array)?),
                };
                work(adjoin::Objects::ToLandmarks {
                    rows: &*rows,
                    landmarks: landmarks.clone(),
                    kind: kind(word)?,
                    labels: labels.clone(),
                })
            }
            Objects::Features(objects) => work(adjoin::Objects::Features {
                features: objects.features()?,
                measure: Some(objects.measure.core()?),
            }),
        }
    }
}

/// The n × n proximities of objects by a measure.
#[pyfunction]
pub fn measured<'py>(
    py: Python<'py>,
    objects: Featured<'py>,
    run: Running,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let source = objects.measured()?;
    let values = run.unlocked(py, ARGUMENT, |run| source.square(run))?;
    answer::rows(py, values, source.count())
}
