//! The fitted model, and everything that is asked of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adjoin::Newcomers;
use adjoin::augment;
use adjoin::compare::compare;
use adjoin::graph::Neighbourhood;
use adjoin::jointly::reconstruct_border_jointly;
use adjoin::laplacian::Affinity;
use adjoin::measure::Measure;
use adjoin::model::{Bordered, Finish, Method};
use adjoin::place::{self, offered, place_border};
use adjoin::placement::Placements;
use adjoin::proximity::Element;
use adjoin::reconstruct::require_beta;
use adjoin::rows::Rows;
use adjoin::streaming::Streamed;
use adjoin::{Correction, Features, Strategy};
use adjoin_formats::{Map, map_from_bytes, map_to_bytes, match_newcomers, read_map, write_map};
use faer::MatRef;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::answer;
use crate::border::Border;
use crate::error::{core, file};
use crate::fit::{
    self, Chosen, FitOptions, Input, IsomapOptions, LaplacianOptions, ScalingOptions,
};
use crate::given::{Objects, features, meant};
use crate::guard::unlocked;
use crate::labels::table;
use crate::view::{Entries, matrix, with_matrix};

/// A border and the answers of a strategy.
type Answer<'py> = PyResult<(Border, Bound<'py, PyDict>)>;

/// Coordinates, and the newcomers that have none with the reason in a word.
type Transformed<'py> = (Bound<'py, PyArray2<f64>>, Vec<(usize, &'static str)>);

/// A model, the objects in it if some were left out, and what is to be said of the graph.
type OnGraph = (Model, Option<Vec<usize>>, Option<String>);

#[pyclass(frozen, module = "adjoin._core")]
pub struct Model {
    pub(crate) inner: Map,
}

/// Newcomers, as a dictionary: by their features, or by their proximities to the references.
#[derive(FromPyObject)]
pub struct Arrivals<'py> {
    #[pyo3(item)]
    pub(crate) values: Entries<'py>,
    #[pyo3(item)]
    pub(crate) features: bool,
    #[pyo3(item)]
    names: Option<Vec<String>>,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    self_similarity: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    pub(crate) weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    missing: bool,
    #[pyo3(item)]
    pub(crate) argument: String,
}

pub(crate) fn slice<'a>(
    list: &'a Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Option<&'a [f64]>> {
    Ok(match list {
        Some(list) => Some(list.as_slice()?),
        None => None,
    })
}

impl Arrivals<'_> {
    /// The same with their proximities as the core takes them.
    pub(crate) fn newcomers<'a, T: Element>(
        &'a self,
        proximities: MatRef<'a, T>,
    ) -> PyResult<Newcomers<'a, T>> {
        Ok(Newcomers {
            proximities,
            labels: self.labels.as_deref(),
            self_similarity: slice(&self.self_similarity)?,
            weights: slice(&self.weights)?,
            missing: self.missing,
        })
    }

    /// The same by rows.
    pub(crate) fn streamed<'a>(&'a self, rows: &'a dyn Rows) -> PyResult<Streamed<'a>> {
        Ok(Streamed {
            rows,
            labels: self.labels.as_deref(),
            self_similarity: slice(&self.self_similarity)?,
            weights: slice(&self.weights)?,
            missing: self.missing,
        })
    }

    /// Their features.
    pub(crate) fn features(&self) -> PyResult<Features> {
        let count = self.values.rows();
        let numbered = || (1..=count).map(|i| format!("new{i}")).collect();
        let labels = self.labels.clone().unwrap_or_else(numbered);
        features(
            &self.values,
            Some(labels),
            self.names.clone(),
            &self.argument,
        )
    }
}

pub(crate) fn strategy(word: &str) -> PyResult<Strategy> {
    let all = Strategy::ALL.map(|s| s.word()).join(", ");
    meant(
        "strategy",
        word,
        Strategy::from_word(word),
        &format!("one of {all}"),
    )
}

impl Model {
    fn model(&self) -> &adjoin::Model {
        &self.inner.model
    }

    /// Whether newcomers' proximities are to the diagram's own objects, as they are.
    pub(crate) fn direct(&self) -> bool {
        !matches!(
            self.model().method(),
            Method::Isomap(_) | Method::Laplacian(_)
        )
    }

    /// Places newcomers, each by itself.
    fn placed(
        &self,
        py: Python<'_>,
        arrivals: &Arrivals<'_>,
        settings: place::Settings<'_>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bordered, Placements)> {
        let model = self.model();
        let answer = if arrivals.features {
            let (new, weights) = (arrivals.features()?, slice(&arrivals.weights)?);
            unlocked(py, progress, |watch| {
                let settings = place::Settings {
                    watch: Some(watch),
                    ..settings
                };
                match weights {
                    None => model.place_features_bordered(&new, &settings),
                    Some(_) => model.by_features(&new, |s| {
                        model.place_bordered(&Streamed { weights, ..*s }, &settings)
                    }),
                }
            })?
        } else {
            with_matrix!(&arrivals.values, |m| {
                let (newcomers, streamed) = (arrivals.newcomers(m)?, arrivals.streamed(&m)?);
                let direct = self.direct();
                unlocked(py, progress, |watch| {
                    let settings = place::Settings {
                        watch: Some(watch),
                        ..settings
                    };
                    if !direct {
                        return model.place_bordered(&streamed, &settings);
                    }
                    let diagram = model.diagram();
                    offered(diagram, settings.strategy)?;
                    let threads = settings.threads;
                    let border = adjoin::Border::new(diagram, &newcomers, threads, Some(watch))?;
                    let mut placements = place_border(diagram, &newcomers, &border, &settings)?;
                    model.finish(&mut placements, &[]);
                    let degrees = Vec::new();
                    Ok((Bordered { border, degrees }, placements))
                })?
            })
        };
        answer.map_err(core(&arrivals.argument))
    }
}

#[pymethods]
impl Model {
    /// Classical scaling of a square of proximities, or the configuration that is given.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        py: Python<'_>,
        proximities: Entries<'_>,
        options: FitOptions,
        more: ScalingOptions,
        configuration: Option<PyReadonlyArray2<'_, f64>>,
        source: Option<Objects<'_>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let inner = fit::scaling(
            py,
            proximities,
            options,
            more,
            configuration,
            source,
            threads,
            progress,
        )?;
        Ok(Self { inner })
    }

    /// Kernel PCA of features or similarities.
    #[staticmethod]
    fn kernel_pca(
        py: Python<'_>,
        input: Input<'_>,
        options: FitOptions,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let inner = fit::kernel_pca(py, input, options, threads, progress)?;
        Ok(Self { inner })
    }

    /// Landmark MDS of features or proximities, and the landmarks.
    #[staticmethod]
    fn landmark(
        py: Python<'_>,
        input: Input<'_>,
        options: FitOptions,
        more: (String, Chosen, bool),
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Self, Vec<usize>)> {
        let (inner, chosen) = fit::landmark(py, input, options, more, threads, progress)?;
        Ok((Self { inner }, chosen))
    }

    /// Isomap of features or dissimilarities.
    #[staticmethod]
    fn isomap(
        py: Python<'_>,
        input: Input<'_>,
        options: FitOptions,
        more: IsomapOptions,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<OnGraph> {
        let (inner, kept, finding) = fit::isomap(py, input, options, more, threads, progress)?;
        Ok((Self { inner }, kept, finding))
    }

    /// Laplacian eigenmaps of features or proximities.
    #[staticmethod]
    fn laplacian(
        py: Python<'_>,
        input: Input<'_>,
        options: FitOptions,
        more: LaplacianOptions,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<OnGraph> {
        let (inner, kept, finding) = fit::laplacian(py, input, options, more, threads, progress)?;
        Ok((Self { inner }, kept, finding))
    }

    /// Reads a map.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inner = py.detach(|| read_map(&path)).map_err(file)?;
        Ok(Self { inner })
    }

    /// Writes the map, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_map(&self.inner, &path)).map_err(file)
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let inner = py.detach(|| map_from_bytes(bytes, "a pickled map"));
        Ok(Self {
            inner: inner.map_err(file)?,
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = map_to_bytes(&self.inner).map_err(file)?;
        let make = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((make, (PyBytes::new(py, &bytes),)))
    }

    #[getter]
    fn count(&self) -> usize {
        self.model().labels().len()
    }

    #[getter]
    fn dimensions(&self) -> usize {
        self.model().diagram().dimensions()
    }

    /// All objects on the map.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.model().labels().to_vec()
    }

    /// The objects that newcomers are compared with.
    #[getter]
    fn references(&self) -> Vec<String> {
        self.model().references().to_vec()
    }

    /// The word of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.model().method().word()
    }

    /// What newcomers' proximities are.
    #[getter]
    fn kind(&self) -> &'static str {
        self.model().kind().word()
    }

    /// The word of the correction, and its constant.
    #[getter]
    fn correction(&self) -> (&'static str, f64) {
        match self.model().diagram().parts().correction {
            Correction::None => ("none", 0.0),
            Correction::Lingoes(c) => ("lingoes", c),
            Correction::Cailliez(c) => ("cailliez", c),
        }
    }

    /// Whether the origin is the centroid.
    #[getter]
    fn centred(&self) -> bool {
        self.model().diagram().centring().weights.is_none()
    }

    #[getter]
    fn settings(&self) -> BTreeMap<String, String> {
        self.inner.settings.clone()
    }

    /// Whether newcomers may come as features.
    #[getter]
    fn has_source(&self) -> bool {
        self.model().source().is_some()
    }

    /// What the method was told, and landmarks by position; nothing where it was told nothing.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let parts = self.model().parts();
        let near = |neighbourhood: Option<Neighbourhood>| match neighbourhood {
            Some(Neighbourhood::Nearest(k)) => (Some(k), None),
            Some(Neighbourhood::Radius(r)) => (None, Some(r)),
            None => (None, None),
        };
        dict.set_item("rotate", matches!(parts.finish, Finish::Motion(_)))?;
        match &parts.method {
            Method::Landmark { landmarks } => dict.set_item("landmarks", landmarks)?,
            Method::Isomap(isomap) => {
                let (neighbors, radius) = near(Some(isomap.neighbourhood));
                dict.set_item("n_neighbors", neighbors)?;
                dict.set_item("radius", radius)?;
                if parts.objects.is_some() {
                    dict.set_item("landmarks", &isomap.sources)?;
                }
            }
            Method::Laplacian(laplacian) => {
                let (neighbors, radius) = near(laplacian.neighbourhood);
                dict.set_item("n_neighbors", neighbors)?;
                dict.set_item("radius", radius)?;
                dict.set_item("alpha", laplacian.alpha)?;
                dict.set_item("diagonal", laplacian.diagonal)?;
                if let Affinity::Heat { gamma } = laplacian.affinity {
                    dict.set_item("gamma", gamma)?;
                }
                if let Finish::Walk { time } = parts.finish {
                    dict.set_item("time", time)?;
                }
            }
            _ => {}
        }
        Ok(dict)
    }

    /// The measure, its parameters and the references' features and their names, if the model has them.
    #[getter]
    fn source<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(source) = self.model().source() else {
            return Ok(None);
        };
        let Some(values) = source.features().values() else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        let width = source.features().width();
        dict.set_item("features", answer::rows(py, values.to_vec(), width)?)?;
        dict.set_item("names", source.features().names())?;
        dict.set_item("word", source.measure().word())?;
        dict.set_item("kernel", matches!(source.measure(), Measure::Kernel(_)))?;
        for name in ["power", "gamma", "degree", "coef0"] {
            let parameters = source.measure().parameters();
            let value = parameters.given().find(|(n, _)| *n == name);
            dict.set_item(name, value.map(|(_, v)| v))?;
        }
        Ok(Some(dict))
    }

    /// The coordinates of all objects.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x: MatRef<'_, f64> = self.model().configuration();
        let values = (0..x.nrows())
            .flat_map(|i| x.row(i).iter().copied())
            .collect();
        answer::rows(py, values, x.ncols())
    }

    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model()
            .diagram()
            .eigenvalues()
            .to_vec()
            .into_pyarray(py)
    }

    #[getter]
    fn proportions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model().diagram().proportions().into_pyarray(py)
    }

    #[getter]
    fn leave_one_out<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model()
            .diagram()
            .leave_one_out()
            .to_vec()
            .into_pyarray(py)
    }

    #[getter]
    fn findings(&self) -> Vec<String> {
        self.model().diagram().summary().findings.clone()
    }

    /// Finds the newcomers of a labelled table: their labels, their proximities to the references
    /// in the map's order, and those between them if the table has any.
    #[allow(clippy::type_complexity)]
    fn matched<'py>(
        &self,
        py: Python<'py>,
        entries: Entries<'py>,
        row_labels: Vec<String>,
        column_labels: Vec<String>,
        threads: usize,
        argument: &str,
    ) -> PyResult<(
        Vec<String>,
        Bound<'py, PyArray2<f64>>,
        Option<Bound<'py, PyArray2<f64>>>,
    )> {
        let model = self.model();
        let n = model.references().len();
        let table = table(&entries, row_labels, column_labels, argument)?;
        let found = match_newcomers(&table, model.references()).map_err(file)?;
        // What a graph or a normalised kernel was made of cannot be told from its map.
        if let (Some(old), true) = (&found.old, self.direct()) {
            let old = MatRef::from_row_major_slice(old, n, n);
            let checked = model.diagram().check_old(old, threads);
            checked.map_err(core(argument))?;
        }
        let k = found.newcomers.len();
        let cross = answer::rows(py, found.cross.into_owned(), n)?;
        let between = found.between.map(|b| answer::rows(py, b, k)).transpose()?;
        Ok((found.newcomers, cross, between))
    }

    /// Coordinates of newcomers, and those who have none with the reason in a word.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        arrivals: Arrivals<'py>,
        by: &str,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Transformed<'py>> {
        let settings = place::Settings {
            strategy: strategy(by)?,
            threads,
            ..Default::default()
        };
        let (_, placements) = self.placed(py, &arrivals, settings, progress)?;
        let status = placements.status.iter().enumerate();
        let unplaced = status
            .filter(|(_, s)| !s.placed())
            .map(|(i, s)| (i, s.word()));
        let unplaced = unplaced.collect();
        let coordinates = answer::rows(py, placements.coordinates, placements.dimensions)?;
        Ok((coordinates, unplaced))
    }

    /// Places newcomers, each by itself.
    #[allow(clippy::too_many_arguments)]
    fn place<'py>(
        &self,
        py: Python<'py>,
        arrivals: Arrivals<'py>,
        by: &str,
        recentre: bool,
        scaled: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Answer<'py> {
        let settings = place::Settings {
            strategy: strategy(by)?,
            augment: augment::Settings {
                recentre,
                scale: scaled,
            },
            threads,
            watch: None,
        };
        let (border, placements) = self.placed(py, &arrivals, settings, progress)?;
        let answer = answer::placements(py, self.model().diagram(), placements)?;
        Ok((Border { inner: border }, answer))
    }

    /// Reconstructs newcomers together; what is between them is made of their features if it is not given.
    fn jointly<'py>(
        &self,
        py: Python<'py>,
        arrivals: Arrivals<'py>,
        between: Option<PyReadonlyArray2<'py, f64>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Answer<'py> {
        let model = self.model();
        let diagram = model.diagram();
        let between = between.as_ref().map(matrix).transpose()?;
        let answer = if arrivals.features {
            let (new, weights) = (arrivals.features()?, slice(&arrivals.weights)?);
            unlocked(py, progress, |watch| {
                let made = match (between, model.source()) {
                    (None, Some(source)) => {
                        let against = source.against(&new).map_err(|e| (e, false))?;
                        Some(
                            against
                                .between(threads, Some(watch))
                                .map_err(|e| (e, false))?,
                        )
                    }
                    _ => None,
                };
                let k = new.count();
                let made = made.as_ref().map(|b| MatRef::from_row_major_slice(b, k, k));
                let answer = model.by_features(&new, |s| {
                    let all = Streamed { weights, ..*s };
                    let border = model.border(&all, threads, Some(watch))?;
                    let between = between.or(made);
                    Ok((border, model.jointly(&all, between, threads, Some(watch))?))
                });
                answer.map_err(|e| (e, false))
            })?
        } else {
            with_matrix!(&arrivals.values, |m| {
                let (newcomers, streamed) = (arrivals.newcomers(m)?, arrivals.streamed(&m)?);
                let direct = self.direct();
                unlocked(py, progress, |watch| {
                    let watch = Some(watch);
                    if let (true, Some(between)) = (direct, between) {
                        let border = adjoin::Border::new(diagram, &newcomers, threads, watch)
                            .map_err(|e| (e, false))?;
                        let together = reconstruct_border_jointly(
                            diagram, &newcomers, &border, between, threads, watch,
                        );
                        let mut together = together.map_err(|e| (e, true))?;
                        model.finish(&mut together.placements, &[]);
                        let degrees = Vec::new();
                        return Ok((Bordered { border, degrees }, together));
                    }
                    let border = model.border(&streamed, threads, watch);
                    let together = model.jointly(&streamed, between, threads, watch);
                    let border = border.map_err(|e| (e, false))?;
                    Ok((border, together.map_err(|e| (e, true))?))
                })?
            })
        };
        let (border, together) = answer.map_err(|(error, late)| {
            core(if late { "between" } else { &arrivals.argument })(error)
        })?;
        let answer = answer::together(py, diagram, together)?;
        Ok((Border { inner: border }, answer))
    }

    /// All strategies on the same newcomers.
    fn compare<'py>(
        &self,
        py: Python<'py>,
        arrivals: Arrivals<'py>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Answer<'py> {
        let model = self.model();
        let diagram = model.diagram();
        let answer = if arrivals.features {
            let (new, weights) = (arrivals.features()?, slice(&arrivals.weights)?);
            unlocked(py, progress, |watch| {
                model.by_features(&new, |s| {
                    let all = Streamed { weights, ..*s };
                    let border = model.border(&all, threads, Some(watch))?;
                    Ok((border, model.compare(&all, threads, Some(watch))?))
                })
            })?
        } else {
            with_matrix!(&arrivals.values, |m| {
                let (newcomers, streamed) = (arrivals.newcomers(m)?, arrivals.streamed(&m)?);
                let direct = self.direct();
                unlocked(py, progress, |watch| {
                    let watch = Some(watch);
                    if !direct {
                        let border = model.border(&streamed, threads, watch)?;
                        return Ok((border, model.compare(&streamed, threads, watch)?));
                    }
                    let border = adjoin::Border::new(diagram, &newcomers, threads, watch)?;
                    let mut comparison = compare(diagram, &newcomers, threads, watch)?;
                    for placements in &mut comparison.placements {
                        model.finish(placements, &[]);
                    }
                    let degrees = Vec::new();
                    Ok((Bordered { border, degrees }, comparison))
                })?
            })
        };
        let (border, comparison) = answer.map_err(core(&arrivals.argument))?;
        let labels = arrivals.labels.as_deref().unwrap_or(&[]);
        let answer = answer::comparison(py, diagram, labels, comparison)?;
        Ok((Border { inner: border }, answer))
    }

    /// What newcomers are to the map; errs if the arc cannot be had for want of a self-similarity.
    fn border(
        &self,
        py: Python<'_>,
        arrivals: Arrivals<'_>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Border> {
        let model = self.model();
        let border = if arrivals.features {
            let (new, weights) = (arrivals.features()?, slice(&arrivals.weights)?);
            unlocked(py, progress, |watch| {
                model.by_features(&new, |s| {
                    model.border(&Streamed { weights, ..*s }, threads, Some(watch))
                })
            })?
        } else {
            with_matrix!(&arrivals.values, |m| {
                let streamed = arrivals.streamed(&m)?;
                unlocked(py, progress, |watch| {
                    model.border(&streamed, threads, Some(watch))
                })?
            })
        };
        let inner = border.map_err(core(&arrivals.argument))?;
        let nothing = MatRef::from_row_major_slice(&[], inner.border.count(), 0);
        let names = Newcomers::<f64> {
            labels: arrivals.labels.as_deref(),
            ..Newcomers::new(nothing)
        };
        require_beta(&inner.border, &names, "the arc").map_err(core(&arrivals.argument))?;
        Ok(Border { inner })
    }

    /// Where the newcomers of a border are projected to.
    fn project<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let placements = self.model().project(&border.inner);
        answer::rows(py, placements.coordinates, placements.dimensions)
    }

    /// The arcs of the newcomers of a border, none for those that cannot be placed.
    fn arcs<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
        points: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let curves = self.model().arcs_of(&border.inner, points);
        for curve in curves.map_err(core("X_new"))? {
            match curve {
                Some(curve) => list.append(answer::arc(py, curve)?)?,
                None => list.append(py.None())?,
            }
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        format!(
            "<adjoin model by {} of {} objects on {} axes>",
            self.method(),
            self.count(),
            self.dimensions()
        )
    }
}
