//! The fitted diagram, and everything that is asked of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adjoin::arc::arc;
use adjoin::augment;
use adjoin::border::Newcomers;
use adjoin::centring;
use adjoin::compare::compare;
use adjoin::correction::{fit_cailliez, fit_lingoes};
use adjoin::diagram::FitSettings;
use adjoin::jointly::reconstruct_border_jointly;
use adjoin::place::{self, offered, place_border};
use adjoin::project::project;
use adjoin::proximity::{Element, Kind, Proximities};
use adjoin::reconstruct::require_beta;
use adjoin::spectrum::Solver;
use adjoin::{Correction, Strategy};
use adjoin_formats::{Map, map_from_bytes, map_to_bytes, match_newcomers, read_map, write_map};
use faer::MatRef;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::answer;
use crate::border::Border;
use crate::error::{core, file};
use crate::guard::unlocked;
use crate::labels::table;
use crate::view::{Entries, matrix, with_matrix};

/// A border and the answers of a strategy.
type Answer<'py> = PyResult<(Border, Bound<'py, PyDict>)>;

/// Coordinates, and the newcomers that have none with the reason in a word.
type Transformed<'py> = (Bound<'py, PyArray2<f64>>, Vec<(usize, &'static str)>);

#[pyclass(frozen, module = "adjoin._core")]
pub struct Diagram {
    pub(crate) inner: Map,
}

/// Where the origin is, if not at the centroid.
#[derive(FromPyObject)]
pub enum Origin {
    Object(usize),
    Weights(Vec<f64>),
}

/// Newcomers, as a dictionary.
#[derive(FromPyObject)]
pub struct Arrivals<'py> {
    #[pyo3(item)]
    pub(crate) proximities: Entries<'py>,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    self_similarity: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    missing: bool,
    #[pyo3(item)]
    pub(crate) argument: String,
}

impl Arrivals<'_> {
    /// The same with their proximities as the core takes them.
    pub(crate) fn newcomers<'a, T: Element>(
        &'a self,
        proximities: MatRef<'a, T>,
    ) -> PyResult<Newcomers<'a, T>> {
        let slice = |list: &'a Option<PyReadonlyArray1<'_, f64>>| match list {
            Some(list) => list.as_slice().map(Some),
            None => Ok(None),
        };
        Ok(Newcomers {
            proximities,
            labels: self.labels.as_deref(),
            self_similarity: slice(&self.self_similarity)?,
            weights: slice(&self.weights)?,
            missing: self.missing,
        })
    }
}

/// The value of `word`, or an error that names the parameter.
fn meant<T>(parameter: &str, word: &str, value: Option<T>, expected: &str) -> PyResult<T> {
    value.ok_or_else(|| {
        PyValueError::new_err(format!("{parameter}: found {word:?}, expected {expected}"))
    })
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

/// How a diagram is to be fitted, as a dictionary.
#[derive(FromPyObject)]
pub struct FitOptions {
    #[pyo3(item)]
    dimensions: usize,
    #[pyo3(item)]
    kind: String,
    #[pyo3(item)]
    origin: Option<Origin>,
    #[pyo3(item)]
    correction: String,
    #[pyo3(item)]
    solver: String,
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    settings: BTreeMap<String, String>,
    #[pyo3(item)]
    argument: String,
}

#[pymethods]
impl Diagram {
    /// Fits a diagram to a square of proximities, or takes the configuration that is given.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        proximities: Entries<'_>,
        options: FitOptions,
        configuration: Option<PyReadonlyArray2<'_, f64>>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let kinds = "one of dissimilarity, squared, similarity";
        let kind = meant("kind", &options.kind, Kind::from_word(&options.kind), kinds)?;
        let corrections = ["none", "lingoes", "cailliez"];
        let correction = corrections.iter().position(|w| *w == options.correction);
        let correction = meant(
            "correction",
            &options.correction,
            correction,
            &format!("one of {}", corrections.join(", ")),
        )?;
        let solver = match options.solver.as_str() {
            "auto" => Some(Solver::Auto),
            "dense" => Some(Solver::Dense),
            "iterative" => Some(Solver::Iterative),
            _ => None,
        };
        let solver = meant(
            "solver",
            &options.solver,
            solver,
            "one of auto, dense, iterative",
        )?;
        let origin = match options.origin {
            None => centring::Origin::Centroid,
            Some(Origin::Object(i)) => centring::Origin::Object(i),
            Some(Origin::Weights(w)) => centring::Origin::Weights(w),
        };
        let configuration = configuration.as_ref().map(matrix).transpose()?;
        let labels = options.labels;
        let diagram = with_matrix!(&proximities, |entries| unlocked(py, progress, |watch| {
            let proximities = Proximities::new(entries, kind, labels, threads)?;
            let settings = FitSettings {
                dimensions: options.dimensions,
                origin,
                solver,
                correction: match correction {
                    0 => Correction::None,
                    1 => fit_lingoes(&proximities, threads),
                    _ => fit_cailliez(&proximities, threads)?,
                },
                threads,
                watch: Some(watch),
            };
            match configuration {
                None => adjoin::Diagram::fit(&proximities, &settings),
                Some(given) => adjoin::Diagram::given(&proximities, given, &settings),
            }
        })?);
        let inner = Map {
            diagram: diagram.map_err(core(&options.argument))?,
            settings: options.settings,
            provenance: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok(Self { inner })
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
        self.inner.diagram.count()
    }

    #[getter]
    fn dimensions(&self) -> usize {
        self.inner.diagram.dimensions()
    }

    #[getter]
    fn labels(&self) -> Vec<String> {
        self.inner.diagram.labels().to_vec()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.diagram.kind().word()
    }

    /// The word of the correction, and its constant.
    #[getter]
    fn correction(&self) -> (&'static str, f64) {
        match self.inner.diagram.parts().correction {
            Correction::None => ("none", 0.0),
            Correction::Lingoes(c) => ("lingoes", c),
            Correction::Cailliez(c) => ("cailliez", c),
        }
    }

    /// Whether the origin is the centroid.
    #[getter]
    fn centred(&self) -> bool {
        self.inner.diagram.centring().weights.is_none()
    }

    #[getter]
    fn settings(&self) -> BTreeMap<String, String> {
        self.inner.settings.clone()
    }

    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x: MatRef<'_, f64> = self.inner.diagram.configuration();
        let values = (0..x.nrows())
            .flat_map(|i| x.row(i).iter().copied())
            .collect();
        answer::rows(py, values, x.ncols())
    }

    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.diagram.eigenvalues().to_vec().into_pyarray(py)
    }

    #[getter]
    fn proportions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.diagram.proportions().into_pyarray(py)
    }

    #[getter]
    fn leave_one_out<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.diagram.leave_one_out().to_vec().into_pyarray(py)
    }

    #[getter]
    fn findings(&self) -> Vec<String> {
        self.inner.diagram.summary().findings.clone()
    }

    /// Finds the newcomers of a labelled table: their labels, their proximities to the old objects
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
        let diagram = &self.inner.diagram;
        let n = diagram.count();
        let table = table(&entries, row_labels, column_labels, argument)?;
        let found = match_newcomers(&table, diagram.labels()).map_err(file)?;
        if let Some(old) = &found.old {
            let old = MatRef::from_row_major_slice(old, n, n);
            diagram.check_old(old, threads).map_err(core(argument))?;
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
        let diagram = &self.inner.diagram;
        let strategy = strategy(by)?;
        let placements = with_matrix!(&arrivals.proximities, |m| {
            let newcomers = arrivals.newcomers(m)?;
            unlocked(py, progress, |watch| {
                let settings = place::Settings {
                    strategy,
                    threads,
                    watch: Some(watch),
                    ..Default::default()
                };
                place::place(diagram, &newcomers, &settings)
            })?
        })
        .map_err(core(&arrivals.argument))?;
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
        let diagram = &self.inner.diagram;
        let strategy = strategy(by)?;
        let (border, placements) = with_matrix!(&arrivals.proximities, |m| {
            let newcomers = arrivals.newcomers(m)?;
            unlocked(py, progress, |watch| {
                offered(diagram, strategy)?;
                let settings = place::Settings {
                    strategy,
                    augment: augment::Settings {
                        recentre,
                        scale: scaled,
                    },
                    threads,
                    watch: Some(watch),
                };
                let border = adjoin::Border::new(diagram, &newcomers, threads, Some(watch))?;
                let placements = place_border(diagram, &newcomers, &border, &settings)?;
                Ok((border, placements))
            })?
        })
        .map_err(core(&arrivals.argument))?;
        let answer = answer::placements(py, diagram, placements)?;
        Ok((Border { inner: border }, answer))
    }

    /// Reconstructs newcomers together.
    fn jointly<'py>(
        &self,
        py: Python<'py>,
        arrivals: Arrivals<'py>,
        between: PyReadonlyArray2<'py, f64>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Answer<'py> {
        let diagram = &self.inner.diagram;
        let between = matrix(&between)?;
        let (border, together) = with_matrix!(&arrivals.proximities, |m| {
            let newcomers = arrivals.newcomers(m)?;
            unlocked(py, progress, |watch| {
                let border = adjoin::Border::new(diagram, &newcomers, threads, Some(watch))
                    .map_err(|e| (e, false))?;
                let together = reconstruct_border_jointly(
                    diagram,
                    &newcomers,
                    &border,
                    between,
                    threads,
                    Some(watch),
                );
                Ok((border, together.map_err(|e| (e, true))?))
            })?
        })
        .map_err(|(error, late)| core(if late { "between" } else { &arrivals.argument })(error))?;
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
        let diagram = &self.inner.diagram;
        let (border, comparison) = with_matrix!(&arrivals.proximities, |m| {
            let newcomers = arrivals.newcomers(m)?;
            unlocked(py, progress, |watch| {
                let border = adjoin::Border::new(diagram, &newcomers, threads, Some(watch))?;
                Ok((border, compare(diagram, &newcomers, threads, Some(watch))?))
            })?
        })
        .map_err(core(&arrivals.argument))?;
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
        let diagram = &self.inner.diagram;
        let border = with_matrix!(&arrivals.proximities, |m| {
            let newcomers = arrivals.newcomers(m)?;
            unlocked(py, progress, |watch| {
                let border = adjoin::Border::new(diagram, &newcomers, threads, Some(watch))?;
                require_beta(&border, &newcomers, "the arc").map(|()| border)
            })?
        });
        let inner = border.map_err(core(&arrivals.argument))?;
        Ok(Border { inner })
    }

    /// Where the newcomers of a border are projected to.
    fn project<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let placements = project(&self.inner.diagram, &border.inner);
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
        for i in 0..border.inner.count() {
            let curve = arc(&self.inner.diagram, &border.inner, i, points);
            match curve.map_err(core("X_new"))? {
                Some(curve) => list.append(answer::arc(py, curve)?)?,
                None => list.append(py.None())?,
            }
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        let diagram = &self.inner.diagram;
        format!(
            "<adjoin diagram of {} objects on {} axes>",
            diagram.count(),
            diagram.dimensions()
        )
    }
}
