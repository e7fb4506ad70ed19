//! Measures: from features of objects to proximities between them.
//!
//! A [`Metric`] gives dissimilarities (or squared ones), a [`Kernel`] similarities; the [`Kind`] follows from
//! the measure and is never guessed. Each has a word, the same in Rust, on the command line and in Python,
//! namely the one that SciPy or scikit-learn has for it where they have one, and their other names for it are
//! understood too. Each says what objects it is for, and objects outside that domain are refused by row and
//! column rather than answered with 0/0.
//!
//! [`Measured`] is a measure prepared on the old objects: n × n proximities at once, or rows of them, of old
//! objects or of newcomers, made when they are asked for ([`crate::input::rows::Rows`]).

mod bits;
mod domain;
mod kernel;
mod measured;
mod metric;
mod powers;
mod recipe;
mod sparse;
mod sums;
mod text;

pub use kernel::Kernel;
pub use measured::{Against, Measured};
pub use metric::Metric;

use crate::error::Error;
use crate::input::kind::Kind;
use crate::number::exact;

/// A metric or a kernel, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Dissimilarities, or squared ones.
    Metric(Metric),
    /// Similarities.
    Kernel(Kernel),
}

/// Parameters by name, as a front end or a file has them; none where the default is meant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parameters {
    /// p of Minkowski's metric; 2 if not given.
    pub power: Option<f64>,
    /// γ of a kernel; 1/q if not given.
    pub gamma: Option<f64>,
    /// The degree of the polynomial kernel; 3 if not given.
    pub degree: Option<f64>,
    /// The constant of the polynomial and sigmoid kernels; 1 if not given.
    pub coef0: Option<f64>,
}

impl Parameters {
    /// Those that are given, with their names.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [
            ("power", self.power),
            ("gamma", self.gamma),
            ("degree", self.degree),
            ("coef0", self.coef0),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.map(|v| (name, v)))
    }

    /// Errs if one is given that `whose` does not have.
    fn only(&self, whose: &str, names: &[&str]) -> Result<(), Error> {
        match self.given().find(|(name, _)| !names.contains(name)) {
            Some((name, value)) => Err(Error::Measure(format!(
                "found {name} {} beside {whose}, expected no such parameter: {whose} has none",
                exact(value)
            ))),
            None => Ok(()),
        }
    }
}

impl Measure {
    /// The metric that `word` means.
    pub fn metric(word: &str, parameters: &Parameters) -> Result<Self, Error> {
        Metric::from_word(word, parameters).map(Measure::Metric)
    }

    /// The kernel that `word` means.
    pub fn kernel(word: &str, parameters: &Parameters) -> Result<Self, Error> {
        Kernel::from_word(word, parameters).map(Measure::Kernel)
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Measure::Metric(metric) => metric.word(),
            Measure::Kernel(kernel) => kernel.word(),
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> Parameters {
        match self {
            Measure::Metric(metric) => metric.parameters(),
            Measure::Kernel(kernel) => kernel.parameters(),
        }
    }

    /// What its numbers are.
    pub fn kind(&self) -> Kind {
        match self {
            Measure::Metric(Metric::SquaredEuclidean) => Kind::Squared,
            Measure::Metric(_) => Kind::Dissimilarity,
            Measure::Kernel(_) => Kind::Similarity,
        }
    }

    /// Whether it compares texts rather than numbers.
    pub fn of_texts(&self) -> bool {
        matches!(
            self,
            Measure::Metric(Metric::Levenshtein | Metric::JaroWinkler)
        )
    }
}

/// A word without what people spell differently: case, hyphens, underscores.
fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// A parameter that must be a positive finite number.
fn positive(name: &str, value: f64) -> Result<f64, Error> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::Measure(format!(
            "found {name} {}, expected a positive number",
            exact(value)
        )))
    }
}
