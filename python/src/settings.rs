//! What a fit is told: a dictionary of words and numbers as the core's settings.

use adjoin::settings::{
    self, AffinityChoice, Correcting, Disconnected, Linking, Neighbourhood, Solver,
};
use adjoin::{FitSettings, Kind, Method, PlaceSettings, Strategy};
use faer::Mat;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::error::{file, wrong};
use crate::labels::Listed;
use crate::newcomers::NAMES_OF_NOBODY;
use crate::view::Held;

/// A number of axes, `"auto"`, or `"all"`.
#[derive(FromPyObject)]
enum Axes {
    Count(usize),
    Word(String),
}

/// Where the origin is, if not at the centroid.
#[derive(FromPyObject)]
enum Origin<'py> {
    Object(usize),
    Weights(Listed<'py>),
}

/// Who are landmarks: so many by a rule (with a seed), or these.
#[derive(FromPyObject)]
pub enum Landmarks {
    By(String, usize, u64),
    Given(Vec<usize>),
}

/// All that can be said; what is not said is left to the core.
#[derive(FromPyObject)]
pub struct Settings<'py> {
    #[pyo3(item)]
    axes: Axes,
    #[pyo3(item)]
    method: String,
    #[pyo3(item)]
    solver: String,
    #[pyo3(item, default)]
    origin: Option<Origin<'py>>,
    #[pyo3(item, default)]
    correction: Option<String>,
    #[pyo3(item, default)]
    configuration: Option<PyReadonlyArray2<'py, f64>>,
    #[pyo3(item, default)]
    landmarks: Option<Landmarks>,
    #[pyo3(item, default)]
    rotate: bool,
    #[pyo3(item, default)]
    neighbors: Option<usize>,
    #[pyo3(item, default)]
    radius: Option<f64>,
    #[pyo3(item, default)]
    disconnected: Option<String>,
    #[pyo3(item, default)]
    rescale: bool,
    #[pyo3(item, default)]
    link: Option<String>,
    #[pyo3(item, default)]
    link_weights: Option<Vec<f64>>,
    #[pyo3(item, default)]
    force: bool,
    #[pyo3(item, default)]
    affinity: Option<String>,
    #[pyo3(item, default)]
    gamma: Option<f64>,
    #[pyo3(item, default)]
    alpha: f64,
    #[pyo3(item, default = true)]
    diagonal: bool,
    #[pyo3(item, default)]
    time: Option<f64>,
}

impl Settings<'_> {
    /// The same for the core, which says what of it goes together; `labels` are those of the objects, if they have any.
    pub fn core(&self, labels: Option<&[String]>) -> PyResult<FitSettings> {
        Ok(FitSettings {
            axes: self.axes.core()?,
            method: meant("method", &self.method, Method::ALL, Method::word)?,
            solver: solver(&self.solver)?,
            tolerance: None,
            origin: origin(self.origin.as_ref(), labels)?,
            correction: or_default(&self.correction, |word| {
                meant("correction", word, Correcting::ALL, Correcting::word)
            })?,
            configuration: self.configuration()?,
            rescale: self.rescale,
            link: or_default(&self.link, |word| {
                meant("link", word, Linking::ALL, Linking::word)
            })?,
            link_weights: self.link_weights.clone(),
            force: self.force,
            landmarks: self.landmarks.as_ref().map(Landmarks::core).transpose()?,
            rotate: self.rotate,
            neighbourhood: (self.neighbors.map(Neighbourhood::Nearest))
                .or(self.radius.map(Neighbourhood::Radius)),
            disconnected: or_default(&self.disconnected, |word| {
                meant("disconnected", word, Disconnected::ALL, Disconnected::word)
            })?,
            affinity: or_default(&self.affinity, |word| {
                meant("affinity", word, AffinityChoice::ALL, AffinityChoice::word).map(Some)
            })?,
            gamma: self.gamma,
            alpha: self.alpha,
            diagonal: self.diagonal,
            time: self.time,
        })
    }

    fn configuration(&self) -> PyResult<Option<Mat<f64>>> {
        let given = self.configuration.as_ref().map(Held::new).transpose()?;
        Ok(given.map(|given| given.matrix().to_owned()))
    }
}

impl Axes {
    fn core(&self) -> PyResult<settings::Axes> {
        Ok(match self {
            Axes::Count(count) => settings::Axes::Count(*count),
            Axes::Word(word) => match word.as_str() {
                "auto" => settings::Axes::Auto,
                "all" => settings::Axes::All,
                _ => return Err(unknown("n_components", word, "a number, auto or all")),
            },
        })
    }
}

impl Landmarks {
    pub fn core(&self) -> PyResult<settings::Landmarks> {
        Ok(match *self {
            Landmarks::Given(ref which) => settings::Landmarks::Given(which.clone()),
            Landmarks::By(ref word, count, seed) => match word.as_str() {
                "maxmin" => settings::Landmarks::Maxmin { count, seed },
                "random" => settings::Landmarks::Random { count, seed },
                _ => return Err(unknown("landmarks", word, "maxmin, random, or positions")),
            },
        })
    }
}

fn origin(given: Option<&Origin<'_>>, labels: Option<&[String]>) -> PyResult<settings::Origin> {
    Ok(match given {
        None => settings::Origin::Centroid,
        Some(Origin::Object(i)) => settings::Origin::Object(*i),
        Some(Origin::Weights(weights)) => {
            let numbers = weights.numbers("origin")?;
            settings::Origin::Weights(match (labels, &numbers.labels) {
                (Some(labels), Some(_)) => numbers.in_order(labels).map_err(file)?,
                (None, Some(_)) => return Err(wrong("origin", NAMES_OF_NOBODY)),
                (_, None) => numbers.values,
            })
        }
    })
}

fn solver(word: &str) -> PyResult<Solver> {
    Ok(match word {
        "auto" => Solver::Auto,
        "dense" => Solver::Dense,
        "iterative" => Solver::Iterative,
        _ => return Err(unknown("solver", word, "one of auto, dense, iterative")),
    })
}

pub fn kind(word: &str) -> PyResult<Kind> {
    let all = [Kind::Dissimilarity, Kind::Squared, Kind::Similarity];
    meant("kind", word, all, Kind::word)
}

pub fn strategy(word: &str) -> PyResult<Strategy> {
    meant("strategy", word, Strategy::ALL, Strategy::word)
}

/// How newcomers are placed: a strategy, the two options of augment, and whether stress is to be proved.
pub type How = (String, bool, bool, bool);

pub fn place((word, recentre, scaled, prove): How) -> PyResult<PlaceSettings> {
    Ok(PlaceSettings {
        strategy: strategy(&word)?,
        recentre,
        scaled,
        prove,
    })
}

fn or_default<T: Default>(
    word: &Option<String>,
    value: impl FnOnce(&str) -> PyResult<T>,
) -> PyResult<T> {
    word.as_deref().map_or_else(|| Ok(T::default()), value)
}

/// The one of `all` whose word is `word`, or an error that names the parameter.
fn meant<T: Copy, const N: usize>(
    parameter: &str,
    word: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> PyResult<T> {
    let expected = || format!("one of {}", all.map(name).join(", "));
    let found = all.into_iter().find(|one| name(*one) == word);
    found.ok_or_else(|| unknown(parameter, word, &expected()))
}

fn unknown(parameter: &str, word: &str, expected: &str) -> PyErr {
    wrong(parameter, format!("found {word:?}, expected {expected}"))
}
