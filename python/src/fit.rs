//! Fitting: a model from features or proximities, by each of the methods.

use std::collections::BTreeMap;

use adjoin::centring;
use adjoin::correction::{fit_cailliez, fit_lingoes};
use adjoin::diagram::{FitSettings, Summary};
use adjoin::graph::{Disconnected, Neighbourhood};
use adjoin::isomap::{self, Fitted};
use adjoin::landmark::{self, Landmarks};
use adjoin::laplacian::{self, Affinity, Scaling};
use adjoin::model::Method;
use adjoin::parallel::Watch;
use adjoin::proximity::{Element, Kind, Proximities};
use adjoin::rows::Rows;
use adjoin::spectrum::Solver;
use adjoin::{Correction, Measured, Model};
use adjoin_formats::Map;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::error::core;
use crate::given::{self, Axes, Objects, meant};
use crate::guard::unlocked;
use crate::view::{Entries, matrix, with_matrix};

/// Where the origin is, if not at the centroid.
#[derive(FromPyObject)]
pub enum Origin {
    Object(usize),
    Weights(Vec<f64>),
}

/// What every fit is told, as a dictionary.
#[derive(FromPyObject)]
pub struct FitOptions {
    #[pyo3(item)]
    dimensions: Axes,
    #[pyo3(item)]
    solver: String,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    settings: BTreeMap<String, String>,
    #[pyo3(item)]
    argument: String,
}

/// What classical scaling is told besides.
#[derive(FromPyObject)]
pub struct ScalingOptions {
    #[pyo3(item)]
    kind: String,
    #[pyo3(item)]
    origin: Option<Origin>,
    #[pyo3(item)]
    correction: String,
}

/// Who are landmarks: so many by a rule, or these.
#[derive(FromPyObject)]
pub enum Chosen {
    By(String, usize, u64),
    Given(Vec<usize>),
}

impl Chosen {
    fn landmarks(self) -> PyResult<Landmarks> {
        Ok(match self {
            Chosen::Given(which) => Landmarks::Given(which),
            Chosen::By(word, count, seed) => match word.as_str() {
                "maxmin" => Landmarks::Maxmin { count, seed },
                "random" => Landmarks::Random { count, seed },
                _ => meant("landmarks", &word, None, "maxmin, random, or positions")?,
            },
        })
    }
}

/// What Isomap is told besides.
#[derive(FromPyObject)]
pub struct IsomapOptions {
    #[pyo3(item)]
    kind: String,
    #[pyo3(item)]
    neighbors: Option<usize>,
    #[pyo3(item)]
    radius: Option<f64>,
    #[pyo3(item)]
    disconnected: String,
    #[pyo3(item)]
    landmarks: Option<Chosen>,
    #[pyo3(item)]
    rotate: bool,
}

/// What Laplacian eigenmaps are told besides.
#[derive(FromPyObject)]
pub struct LaplacianOptions {
    #[pyo3(item)]
    kind: String,
    /// The heat kernel's γ; none for neighbours alone, or for similarities as they are.
    #[pyo3(item)]
    gamma: Option<f64>,
    #[pyo3(item)]
    neighbors: Option<usize>,
    #[pyo3(item)]
    radius: Option<f64>,
    #[pyo3(item)]
    disconnected: String,
    #[pyo3(item)]
    alpha: f64,
    #[pyo3(item)]
    diagonal: bool,
    /// Of the random walk; none for the kernel's scaling.
    #[pyo3(item)]
    time: Option<f64>,
}

/// What is fitted to: a square of proximities (for landmarks also a rectangle), or objects by their features.
#[derive(FromPyObject)]
pub enum Input<'py> {
    Proximities(Entries<'py>),
    Objects(Objects<'py>),
}

fn neighbourhood(neighbors: Option<usize>, radius: Option<f64>) -> Option<Neighbourhood> {
    match (neighbors, radius) {
        (Some(k), _) => Some(Neighbourhood::Nearest(k)),
        (None, Some(r)) => Some(Neighbourhood::Radius(r)),
        (None, None) => None,
    }
}

fn disconnected(word: &str) -> PyResult<Disconnected> {
    let all = Disconnected::ALL.map(|d| d.word()).join(", ");
    let found = Disconnected::from_word(word);
    meant("disconnected", word, found, &format!("one of {all}"))
}

fn settings<'a>(
    dimensions: usize,
    solver: Solver,
    threads: usize,
    watch: Watch<'a>,
) -> FitSettings<'a> {
    FitSettings {
        dimensions,
        solver,
        threads,
        watch: Some(watch),
        ..Default::default()
    }
}

fn summary(model: &Model) -> &Summary {
    model.diagram().summary()
}

fn mapped(model: Model, options: BTreeMap<String, String>) -> Map {
    Map {
        model,
        settings: options,
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Classical scaling of a square of proximities, or the configuration that is given; `source` are the features that
/// the proximities were made of.
#[allow(clippy::too_many_arguments)]
pub fn scaling(
    py: Python<'_>,
    proximities: Entries<'_>,
    options: FitOptions,
    more: ScalingOptions,
    configuration: Option<PyReadonlyArray2<'_, f64>>,
    source: Option<Objects<'_>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Map> {
    let kind = given::kind(&more.kind)?;
    let corrections = ["none", "lingoes", "cailliez"];
    let correction = corrections.iter().position(|w| *w == more.correction);
    let correction = meant(
        "correction",
        &more.correction,
        correction,
        &format!("one of {}", corrections.join(", ")),
    )?;
    let solver = given::solver(&options.solver)?;
    let origin = match more.origin {
        None => centring::Origin::Centroid,
        Some(Origin::Object(i)) => centring::Origin::Object(i),
        Some(Origin::Weights(w)) => centring::Origin::Weights(w),
    };
    let source = source.map(|s| s.measured(&options.argument)).transpose()?;
    let configuration = configuration.as_ref().map(matrix).transpose()?;
    let labels = options.labels;
    let diagram = with_matrix!(&proximities, |entries| unlocked(py, progress, |watch| {
        let proximities = Proximities::new(entries, kind, labels, threads)?;
        let correction = match correction {
            0 => Correction::None,
            1 => fit_lingoes(&proximities, threads),
            _ => fit_cailliez(&proximities, threads)?,
        };
        let settings = |dimensions| FitSettings {
            origin: origin.clone(),
            correction,
            ..settings(dimensions, solver, threads, watch)
        };
        match configuration {
            None => options.dimensions.fit(
                proximities.count(),
                |d| adjoin::Diagram::fit(&proximities, &settings(d)),
                |d| d.summary(),
            ),
            Some(given) => adjoin::Diagram::given(&proximities, given, &settings(0)),
        }
    })?);
    let mut model = Model::from(diagram.map_err(core(&options.argument))?);
    if let Some(source) = source {
        model = model.with_source(source).map_err(core(&options.argument))?;
    }
    Ok(mapped(model, options.settings))
}

/// Kernel PCA of a square of similarities, or of features.
pub fn kernel_pca(
    py: Python<'_>,
    input: Input<'_>,
    options: FitOptions,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Map> {
    let solver = given::solver(&options.solver)?;
    let axes = &options.dimensions;
    let answer = match &input {
        Input::Objects(objects) => {
            let source = objects.measured(&options.argument)?;
            unlocked(py, progress, |watch| {
                let fit = |d| Model::fit(source.clone(), &settings(d, solver, threads, watch));
                axes.fit(source.count(), fit, summary)
            })?
        }
        Input::Proximities(entries) => {
            let labels = options.labels;
            with_matrix!(entries, |entries| unlocked(py, progress, |watch| {
                let proximities = Proximities::new(entries, Kind::Similarity, labels, threads)?;
                let diagram = axes.fit(
                    proximities.count(),
                    |d| adjoin::Diagram::fit(&proximities, &settings(d, solver, threads, watch)),
                    |d| d.summary(),
                )?;
                let mut parts = Model::from(diagram).into_parts();
                parts.method = Method::KernelPca;
                Model::from_parts(parts)
            })?)
        }
    };
    let model = answer.map_err(core(&options.argument))?;
    Ok(mapped(model, options.settings))
}

/// Landmark MDS of features, of a square, or of a rectangle whose columns are the landmarks that are given.
pub fn landmark(
    py: Python<'_>,
    input: Input<'_>,
    options: FitOptions,
    (kind, chosen, rotate): (String, Chosen, bool),
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Map, Vec<usize>)> {
    let solver = given::solver(&options.solver)?;
    let kind = given::kind(&kind)?;
    let landmarks = chosen.landmarks()?;
    let turn = landmark::Settings { rotate };
    let axes = &options.dimensions;
    let answer = match &input {
        Input::Objects(objects) => {
            let features = objects.features(&options.argument)?;
            let measure = objects.measure.measure()?;
            unlocked(py, progress, |watch| {
                let fit = |d| {
                    let settings = settings(d, solver, threads, watch);
                    landmark::fit_features(&features, measure, &landmarks, &turn, &settings)
                };
                axes.fit(features.count(), fit, summary)
            })?
        }
        Input::Proximities(entries) => {
            let labels = options.labels;
            with_matrix!(entries, |m| unlocked(py, progress, |watch| {
                let (n, columns) = (m.rows(), m.columns());
                let chosen = match &landmarks {
                    // A rectangle's columns are the landmarks, in their order.
                    Landmarks::Given(given) if columns != n => given.clone(),
                    _ => {
                        let itself: Vec<f64> =
                            (0..n.min(columns)).map(|i| m[(i, i)].to_f64()).collect();
                        landmarks.choose(&m, kind, Some(&itself), Some(watch))?
                    }
                };
                let rectangle = Picked {
                    rows: &m,
                    which: (columns == n).then_some(&chosen),
                };
                let fit = |d| {
                    let (labels, settings) = (labels.clone(), settings(d, solver, threads, watch));
                    landmark::fit(&rectangle, &chosen, kind, labels, &turn, &settings)
                };
                axes.fit(chosen.len(), fit, summary)
            })?)
        }
    };
    let model = answer.map_err(core(&options.argument))?;
    let chosen = match model.method() {
        Method::Landmark { landmarks } => landmarks.clone(),
        _ => Vec::new(),
    };
    Ok((mapped(model, options.settings), chosen))
}

/// All columns of some rows, or those that are landmarks.
struct Picked<'a> {
    rows: &'a dyn Rows,
    which: Option<&'a Vec<usize>>,
}

impl Rows for Picked<'_> {
    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn columns(&self) -> usize {
        self.which.map_or(self.rows.columns(), Vec::len)
    }

    fn fill(&self, range: std::ops::Range<usize>, out: &mut [f64]) -> Result<(), adjoin::Error> {
        let Some(which) = self.which else {
            return self.rows.fill(range, out);
        };
        let mut row = vec![0.0; self.rows.columns()];
        for (i, out) in range.zip(out.chunks_exact_mut(which.len().max(1))) {
            self.rows.fill(i..i + 1, &mut row)?;
            out.iter_mut().zip(which).for_each(|(v, &j)| *v = row[j]);
        }
        Ok(())
    }
}

type Fit = Result<Fitted, adjoin::Error>;

/// A map, the objects in it if some were left out, and what is to be said of the graph.
pub type OnGraph = (Map, Option<Vec<usize>>, Option<String>);

/// Fits with either of two functions, by what there is to fit to.
fn on_graph(
    py: Python<'_>,
    input: &Input<'_>,
    options: FitOptions,
    threads: usize,
    progress: Option<Py<PyAny>>,
    by_rows: impl Fn(&dyn Rows, Option<Vec<String>>, &FitSettings<'_>) -> Fit + Sync,
    by_features: impl Fn(Measured, &FitSettings<'_>) -> Fit + Sync,
) -> PyResult<OnGraph> {
    let solver = given::solver(&options.solver)?;
    let axes = &options.dimensions;
    let answer = match input {
        Input::Objects(objects) => {
            let source = objects.measured(&options.argument)?;
            unlocked(py, progress, |watch| {
                let fit = |d| by_features(source.clone(), &settings(d, solver, threads, watch));
                axes.fit(source.count(), fit, |f| summary(&f.model))
            })?
        }
        Input::Proximities(entries) => {
            let labels = options.labels;
            with_matrix!(entries, |m| unlocked(py, progress, |watch| {
                let fit = |d| {
                    let settings = settings(d, solver, threads, watch);
                    by_rows(&m, labels.clone(), &settings)
                };
                axes.fit(m.nrows(), fit, |f| summary(&f.model))
            })?)
        }
    };
    let fitted = answer.map_err(core(&options.argument))?;
    let map = mapped(fitted.model, options.settings);
    Ok((map, fitted.kept, fitted.finding))
}

/// Isomap of features or of a square of dissimilarities.
pub fn isomap(
    py: Python<'_>,
    input: Input<'_>,
    options: FitOptions,
    more: IsomapOptions,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<OnGraph> {
    let kind = given::kind(&more.kind)?;
    let near = neighbourhood(more.neighbors, more.radius);
    let settings = isomap::Settings {
        neighbourhood: meant("n_neighbors", "None", near, "a number, or a radius")?,
        disconnected: disconnected(&more.disconnected)?,
        landmarks: more.landmarks.map(Chosen::landmarks).transpose()?,
        landmark: landmark::Settings {
            rotate: more.rotate,
        },
    };
    on_graph(
        py,
        &input,
        options,
        threads,
        progress,
        |rows, labels, fit| isomap::fit(rows, kind, labels, &settings, fit),
        |source, fit| isomap::fit_measured(source, &settings, fit),
    )
}

/// Laplacian eigenmaps of features, of a square of dissimilarities, or of similarities.
pub fn laplacian(
    py: Python<'_>,
    input: Input<'_>,
    options: FitOptions,
    more: LaplacianOptions,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<OnGraph> {
    let kind = given::kind(&more.kind)?;
    let neighbourhood = neighbourhood(more.neighbors, more.radius);
    let settings = laplacian::Settings {
        affinity: match (more.gamma, neighbourhood) {
            (Some(gamma), _) => Affinity::Heat { gamma },
            (None, Some(_)) => Affinity::Neighbours,
            (None, None) => Affinity::Given,
        },
        neighbourhood,
        disconnected: disconnected(&more.disconnected)?,
        alpha: more.alpha,
        diagonal: more.diagonal,
        scaling: match more.time {
            None => Scaling::Kernel,
            Some(time) => Scaling::Walk { time },
        },
    };
    on_graph(
        py,
        &input,
        options,
        threads,
        progress,
        |rows, labels, fit| laplacian::fit(rows, kind, labels, &settings, fit),
        |source, fit| laplacian::fit_measured(source, &settings, fit),
    )
}
