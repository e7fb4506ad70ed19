//! What is fitted to: proximities or features, dictionaries as the core's objects.

use std::sync::Arc;

use adjoin::elsewhere::{Elsewhere, Look};
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::{Error, Features, FitSettings, Fitted, Kind, Rows, Run, SparseRows, Square, Values};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::answer;
use crate::elsewhere::{Called, Made, Seen};
use crate::error::{Naming, core, wrong};
use crate::guard::Running;
use crate::settings::{Landmarks, kind};
use crate::view::{Entries, Held, copied};

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
    features: Numbers,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    names: Option<Vec<String>>,
    #[pyo3(item)]
    measure: Measuring,
}

/// Features as they come: numbers, only those that are not 0, or so many bits for each object, packed into bytes.
#[derive(FromPyObject)]
pub enum Numbers {
    Packed(Packed),
    Sparse(Sparse),
    Array(Entries),
}

impl Numbers {
    /// The same for the core, of the parameter `argument`.
    pub fn features(
        &self,
        labels: Option<Vec<String>>,
        names: Option<Vec<String>>,
        argument: &str,
    ) -> PyResult<Features> {
        match self {
            Numbers::Array(entries) => features(entries, labels, names, argument),
            Numbers::Packed(packed) => packed.features(labels, argument),
            Numbers::Sparse(sparse) => sparse.features(labels, names, argument),
        }
    }
}

/// Rows by what is not 0: where each begins and the last ends, the columns, the numbers, and how many columns there are.
pub struct Sparse(Vec<usize>, Vec<u32>, Vec<f64>, usize);

impl<'py> FromPyObject<'_, 'py> for Sparse {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Arrays<'py> = (
            PyReadonlyArray1<'py, i64>,
            PyReadonlyArray1<'py, u32>,
            PyReadonlyArray1<'py, f64>,
            usize,
        );
        let (starts, columns, values, width): Arrays<'py> = object.extract()?;
        let starts = starts.as_slice()?.iter();
        Ok(Self(
            starts
                .map(|s| usize::try_from(*s))
                .collect::<Result<_, _>>()?,
            columns.as_slice()?.to_vec(),
            values.as_slice()?.to_vec(),
            width,
        ))
    }
}

impl Sparse {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The same for the core.
    pub fn features(
        &self,
        labels: Option<Vec<String>>,
        names: Option<Vec<String>>,
        argument: &str,
    ) -> PyResult<Features> {
        let naming = Naming {
            argument,
            named: labels.is_some(),
            first: 0,
        };
        let (starts, columns, values) = (self.0.clone(), self.1.clone(), self.2.clone());
        let rows = SparseRows::new(starts, columns, values, self.3);
        rows.and_then(|rows| Features::of(Values::Sparse(rows), self.3, labels, names))
            .map_err(core(naming))
    }
}

/// Rows of bytes, and how many bits each has.
#[derive(FromPyObject)]
pub struct Packed(Bytes, usize);

struct Bytes(Held<u8>);

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(Held::new(
            &object.extract::<PyReadonlyArray2<'py, u8>>()?,
        )?))
    }
}

impl Packed {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.0.0.matrix().nrows()
    }

    /// The same for the core.
    pub fn features(&self, labels: Option<Vec<String>>, argument: &str) -> PyResult<Features> {
        let (rows, named) = (self.0.0.matrix(), labels.is_some());
        let naming = Naming {
            argument,
            named,
            first: 0,
        };
        let bytes: Vec<u8> = copied(rows);
        Features::packed(&bytes, rows.ncols(), self.1, labels).map_err(core(naming))
    }
}

impl Featured {
    fn features(&self) -> PyResult<Features> {
        let (labels, names) = (self.labels.clone(), self.names.clone());
        self.features.features(labels, names, ARGUMENT)
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
    let naming = Naming {
        argument,
        named,
        first: 0,
    };
    Features::of(entries.values(), width, labels, names).map_err(core(naming))
}

/// How old objects are called in messages.
fn naming(named: bool) -> Naming<'static> {
    Naming {
        argument: ARGUMENT,
        named,
        first: 0,
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
    /// A square that is elsewhere: what was seen of its pieces, and who multiplies by it.
    Elsewhere {
        #[pyo3(item)]
        multiply: Py<PyAny>,
        #[pyo3(item)]
        looks: Vec<Seen>,
        #[pyo3(item)]
        count: usize,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
    },
    /// A rectangle of proximities to landmarks that is elsewhere: who makes rows of it, and the landmarks' features if there
    /// are any.
    Rows {
        #[pyo3(item)]
        rows: Py<PyAny>,
        #[pyo3(item)]
        count: usize,
        #[pyo3(item)]
        landmarks: Vec<usize>,
        #[pyo3(item)]
        kind: String,
        #[pyo3(item)]
        labels: Option<Vec<String>>,
        #[pyo3(item)]
        made_of: Option<Featured>,
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
    Elsewhere {
        called: Arc<Called>,
        looks: Vec<Look>,
        count: usize,
        kind: Kind,
        labels: Option<Vec<String>>,
    },
    Rows {
        rows: Made,
        landmarks: Vec<usize>,
        kind: Kind,
        labels: Option<Vec<String>>,
        made_of: Option<Measured>,
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
            Objects::Elsewhere {
                multiply,
                looks,
                count,
                kind: word,
                labels,
            } => Ready::Elsewhere {
                called: Called::new(multiply),
                looks: looks.into_iter().map(Look::from).collect(),
                count,
                kind: kind(&word)?,
                labels,
            },
            Objects::Rows {
                rows,
                count,
                landmarks,
                kind: word,
                labels,
                made_of,
            } => Ready::Rows {
                rows: Made {
                    called: Called::new(rows),
                    shape: (count, landmarks.len()),
                },
                landmarks,
                kind: kind(&word)?,
                labels,
                made_of: made_of.as_ref().map(Featured::measured).transpose()?,
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
            Ready::Square { labels, .. }
            | Ready::ToLandmarks { labels, .. }
            | Ready::Elsewhere { labels, .. }
            | Ready::Rows { labels, .. } => labels.as_deref(),
            Ready::Features { features, .. } => {
                Some(features.labels()).filter(|_| features.labelled())
            }
        }
    }

    /// How they are called in messages.
    pub fn naming(&self) -> Naming<'static> {
        naming(self.labels().is_some())
    }

    /// What a function of Python's raised, if one was asked, in the place of `otherwise`.
    pub fn raised(&self, otherwise: PyErr) -> PyErr {
        match self {
            Ready::Elsewhere { called, .. } => called.raised(otherwise),
            Ready::Rows { rows, .. } => rows.called.raised(otherwise),
            _ => otherwise,
        }
    }

    /// Fits a map to them.
    pub fn fit(&self, settings: &FitSettings, run: Run<'_>) -> Result<Fitted, Error> {
        let mut fitted = self.core(|objects| adjoin::Map::fit(objects, settings, run))?;
        if let Ready::Rows {
            made_of: Some(source),
            ..
        } = self
        {
            fitted.map = fitted.map.with_source(source.clone())?;
        }
        Ok(fitted)
    }

    /// Runs `work` on the same for the core.
    fn core<R>(
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
            Ready::Elsewhere {
                called,
                looks,
                count,
                kind,
                labels,
            } => work(adjoin::Objects::Elsewhere(Elsewhere {
                count: *count,
                kind: *kind,
                labels: labels.clone(),
                looks: looks.clone(),
                products: &**called,
            })),
            Ready::Rows {
                rows,
                landmarks,
                kind,
                labels,
                ..
            } => work(adjoin::Objects::ToLandmarks {
                rows,
                landmarks: landmarks.clone(),
                kind: *kind,
                labels: labels.clone(),
            }),
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

/// The proximities of others to `objects`.
#[pyfunction]
pub fn rectangle<'py>(
    py: Python<'py>,
    objects: Featured,
    others: Featured,
    run: Running,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let naming = naming(false);
    let asked = Arc::new((objects.measured()?, others.features()?));
    let size = asked.1.count().saturating_mul(asked.0.count());
    let values = run.unlocked(py, naming, (&asked, size), |(source, own), run| {
        source.rectangle(own, run)
    })?;
    answer::rows(py, values, asked.0.count())
}

/// The landmarks that are meant among `count` objects, ascending. By maxmin `rows` makes those of their square, and `itself` are
/// similarities to themselves.
#[pyfunction]
pub fn landmarks(
    py: Python<'_>,
    wanted: Landmarks,
    count: usize,
    word: &str,
    rows: Option<Py<PyAny>>,
    itself: Option<Vec<f64>>,
) -> PyResult<Vec<usize>> {
    let (wanted, kind) = (wanted.core()?, kind(word)?);
    let called = Called::new(rows.unwrap_or_else(|| py.None()));
    let square = Made {
        called: Arc::clone(&called),
        shape: (count, count),
    };
    let chosen = py.detach(|| wanted.choose(&square, kind, itself.as_deref(), Run::on(1)));
    chosen.map_err(|error| called.raised(core(naming(false))(error)))
}
