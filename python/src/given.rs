//! What estimators are given, as the core takes it: features with a measure, or proximities; options by their words.

use adjoin::features::Features;
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::proximity::Kind;
use adjoin::spectrum::Solver;
use adjoin::{Error, dimension};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::core;
use crate::view::{Entries, row_by_row};

/// The value of `word`, or an error that names the parameter.
pub fn meant<T>(parameter: &str, word: &str, value: Option<T>, expected: &str) -> PyResult<T> {
    value.ok_or_else(|| {
        PyValueError::new_err(format!("{parameter}: found {word:?}, expected {expected}"))
    })
}

pub fn kind(word: &str) -> PyResult<Kind> {
    let expected = "one of dissimilarity, squared, similarity";
    meant("kind", word, Kind::from_word(word), expected)
}

pub fn solver(word: &str) -> PyResult<Solver> {
    let solver = match word {
        "auto" => Some(Solver::Auto),
        "dense" => Some(Solver::Dense),
        "iterative" => Some(Solver::Iterative),
        _ => None,
    };
    meant("solver", word, solver, "one of auto, dense, iterative")
}

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
    pub fn measure(&self) -> PyResult<Measure> {
        let parameters = Parameters {
            power: self.power,
            gamma: self.gamma,
            degree: self.degree,
            coef0: self.coef0,
        };
        match self.kernel {
            true => Measure::kernel(&self.word, &parameters).map_err(core("kernel")),
            false => Measure::metric(&self.word, &parameters).map_err(core("metric")),
        }
    }
}

/// Objects by their features, as a dictionary.
#[derive(FromPyObject)]
pub struct Objects<'py> {
    #[pyo3(item)]
    pub features: Entries<'py>,
    #[pyo3(item)]
    pub labels: Option<Vec<String>>,
    #[pyo3(item)]
    pub names: Option<Vec<String>>,
    #[pyo3(item)]
    pub measure: Measuring,
}

impl Objects<'_> {
    pub fn features(&self, argument: &str) -> PyResult<Features> {
        features(
            &self.features,
            self.labels.clone(),
            self.names.clone(),
            argument,
        )
    }

    pub fn measured(&self, argument: &str) -> PyResult<Measured> {
        let measure = self.measure.measure()?;
        Measured::new(measure, self.features(argument)?).map_err(core(argument))
    }
}

/// Features from an array.
pub fn features(
    entries: &Entries<'_>,
    labels: Option<Vec<String>>,
    names: Option<Vec<String>>,
    argument: &str,
) -> PyResult<Features> {
    let width = entries.columns();
    Features::new(row_by_row(entries)?, width, labels, names).map_err(core(argument))
}

/// A number of axes, `"auto"`, or `"all"`.
#[derive(FromPyObject)]
pub enum Axes {
    Count(usize),
    Word(String),
}

impl Axes {
    /// Fits with that many axes; `fit` is asked again where the number depends on what it saw.
    pub fn fit<M>(
        &self,
        objects: usize,
        mut fit: impl FnMut(usize) -> Result<M, Error>,
        summary: impl Fn(&M) -> &adjoin::diagram::Summary,
    ) -> Result<M, Error> {
        match self {
            Axes::Count(count) => fit(*count),
            Axes::Word(word) if word == "all" => match fit(objects) {
                Err(Error::Dimensions { available, .. }) if available > 0 => fit(available),
                answer => answer,
            },
            Axes::Word(_) => dimension::auto(objects, fit, summary),
        }
    }
}
