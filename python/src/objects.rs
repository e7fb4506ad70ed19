//! What is fitted to: proximities or features, dictionaries as the core's objects.

use std::sync::Arc;

use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::{Error, Features, Kind, Rows, Square};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::answer;
use crate::error::{Naming, core, wrong};
use crate::guard::Running;
use crate::settings::kind;
use crate::view::Entries;

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
pub struct Featured {
    #[pyo3(item)]
    features: Entries,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    names: Option<Vec<String>>,
    #[pyo3(item)]
    measure: Measuring,
}

impl Featured {
    fn features(&self) -> PyResult<Features> {
        let (labels, names) = (self.labels.clone(), self.names.clone());
        features(&self.features, labels, names, ARGUMENT)
    }

    fn measured(&self) -> PyResult<Measured> {
        let naming = naming(self.labels.is_some());
        Measured::new(self.measure.core()?, self.features()?).map_err(core(naming))
    }
}

/// Features from an array.
pub fn features(
    entries: &Entries,
    labels: Option<Vec<String>>,
    names: Option<Vec<String>>,
    argument: &str,
) -> PyResult<Features> {
    let (_, width) = entries.shape();
    let named = labels.is_some();
    let naming = Naming { argument, named };
    Features::new(entries.row_by_row(), width, labels, names).map_err(core(naming))
}

/// How old objects are called in messages.
fn naming(named: bool) -> Naming<'static> {
    Naming {
        argument: ARGUMENT,
        named,
    }
}

/// The old objects, as a dictionary: a square of proximities, perhaps with the features that it was made of; the
/// rectangle of proximities to landmarks; or features with a measure.
#[derive(FromPyObject)]
pub enum Objects {
    Square {
        #[pyo3(item)]
        square: Entries,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
        #[pyo3(item)]
        made_of: Option<Featured>,
    },
    ToLandmarks {
        #[pyo3(item)]
        rectangle: Entries,
        #[pyo3(item)]
        landmarks: Vec<usize>,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
    },
    Features(Featured),
}

/// The same with every word understood: proximities where they are, features copied.
// There is one of them at a time.
#[allow(clippy::large_enum_variant)]
pub enum Ready {
    Square {
        square: Entries,
        kind: Kind,
        labels: Option<Vec<String>>,
        made_of: Option<Measured>,
    },
    ToLandmarks {
        rectangle: Entries,
        landmarks: Vec<usize>,
        kind: Kind,
        labels: Option<Vec<String>>,
    },
    Features {
        features: Features,
        measure: Measure,
    },
}

impl Objects {
    /// Understands every word of it.
    pub fn ready(self) -> PyResult<Ready> {
        Ok(match self {
            Objects::Square {
                square,
                kind: word,
                labels,
                made_of,
            } => Ready::Square {
                square,
                kind: kind(&word)?,
                labels,
                made_of: made_of.as_ref().map(Featured::measured).transpose()?,
            },
            Objects::ToLandmarks {
                rectangle,
                landmarks,
                kind: word,
                labels,
            } => Ready::ToLandmarks {
                rectangle,
                landmarks,
                kind: kind(&word)?,
                labels,
            },
            Objects::Features(objects) => Ready::Features {
                features: objects.features()?,
                measure: objects.measure.core()?,
            },
        })
    }
}

impl Ready {
    /// Their labels, if they have any.
    pub fn labels(&self) -> Option<&[String]> {
        match self {
            Ready::Square { labels, .. } | Ready::ToLandmarks { labels, .. } => labels.as_deref(),
            Ready::Features { features, .. } => {
                Some(features.labels()).filter(|_| features.labelled())
            }
        }
    }

    /// How they are called in messages.
    pub fn naming(&self) -> Naming<'static> {
        naming(self.labels().is_some())
    }

    /// Runs `work` on the same for the core.
    pub fn core<R>(
        &self,
        work: impl FnOnce(adjoin::Objects<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self {
            Ready::Square {
                square,
                kind,
                labels,
                made_of,
            } => work(adjoin::Objects::Square(Square {
                entries: square.square(),
                kind: *kind,
                labels: labels.clone(),
                made_of: made_of.clone(),
            })),
            Ready::ToLandmarks {
                rectangle,
                landmarks,
                kind,
                labels,
            } => {
                let to = |rows: &dyn Rows| {
                    work(adjoin::Objects::ToLandmarks {
                        rows,
                        landmarks: landmarks.clone(),
                        kind: *kind,
                        labels: labels.clone(),
                    })
                };
                match rectangle {
                    Entries::Double(array) => to(&array.matrix()),
                    Entries::Single(array) => to(&array.matrix()),
                }
            }
            Ready::Features { features, measure } => work(adjoin::Objects::Features {
                features: features.clone(),
                measure: Some(*measure),
            }),
        }
    }
}

/// The n × n proximities of objects by a measure.
#[pyfunction]
pub fn measured<'py>(
    py: Python<'py>,
    objects: Featured,
    run: Running,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let naming = naming(objects.labels.is_some());
    let source = Arc::new(objects.measured()?);
    let values = run.unlocked(py, naming, (&source, usize::MAX), |source, run| {
        source.square(run)
    })?;
    answer::rows(py, values, source.count())
}
