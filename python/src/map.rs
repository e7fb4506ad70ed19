//! The map as a class: what it holds, its file, and everything that is asked of it (`ask`, `old`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use adjoin::stored::Correction;
use adjoin_formats::{MapFile, map_digest, map_from_bytes, map_to_bytes, read_map, write_map};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::answer::{self, Nearest};
use crate::ask::{self, Answer};
use crate::border::Border;
use crate::error::file;
use crate::guard::Running;
use crate::labels::Sheet;
use crate::newcomers::{Arrived, Given};
use crate::objects::{Numbers, Objects};
use crate::old;
use crate::settings::{How, Settings};
use crate::stored;
use crate::view::copied;

/// The word of a map file for what Python's estimator was told, which is said anew whenever it is saved.
const TOLD: &str = "python";

/// A map, the objects in it if some were left out, what was done about a graph in pieces, and all remarks.
type Fitted = (Map, Option<Vec<usize>>, Option<String>, Vec<String>);

/// What was fitted: the old objects and the way onto their map, without the proximities.
///
/// Frozen: newcomers are placed on it, not in it. It is pickled as the bytes of its file, from which ``Map(bytes)`` makes
/// it again; equal maps are equal, and have one hash. Estimators have it as ``map_``, and ``to_estimator()`` makes one of
/// it.
#[pyclass(frozen, module = "adjoin")]
pub struct Map {
    pub inner: Arc<MapFile>,
    /// What it is known by, once somebody has asked.
    digest: OnceLock<String>,
    /// Who answers for it in Python, likewise; it has a map of its own, so that the two do not keep each other alive.
    estimator: PyOnceLock<Py<PyAny>>,
}

impl Map {
    fn of(inner: Arc<MapFile>) -> Self {
        Self {
            inner,
            digest: OnceLock::new(),
            estimator: PyOnceLock::new(),
        }
    }

    pub fn core(&self) -> &adjoin::Map {
        &self.inner.map
    }

    /// Another map made of this one, with all that is kept beside it.
    pub fn with(&self, map: adjoin::Map) -> MapFile {
        MapFile {
            map,
            ..MapFile::clone(&self.inner)
        }
    }

    /// The estimator by which it answers.
    fn own_estimator<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyAny>> {
        let made = self.estimator.get_or_try_init(py, || {
            let twin = Self::of(Arc::clone(&self.inner));
            let load = py.import("adjoin._load")?;
            let made = load.call_method1("estimator_of", (twin,))?;
            Ok::<_, PyErr>(made.unbind())
        })?;
        Ok(made.bind(py))
    }

    /// The map and who arrives, for the core to keep while it works.
    pub fn asked(
        &self,
        py: Python<'_>,
        newcomers: Given<'_>,
        run: &Running,
    ) -> PyResult<Arc<(Arc<MapFile>, Arrived)>> {
        let arrived = newcomers.on(py, &self.inner, run)?;
        Ok(Arc::new((Arc::clone(&self.inner), arrived)))
    }
}

impl From<MapFile> for Map {
    fn from(file: MapFile) -> Self {
        Self::of(Arc::new(file))
    }
}

#[pymethods]
impl Map {
    /// The map in the bytes of its file.
    #[new]
    fn new(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let inner = py.detach(|| map_from_bytes(bytes, "a map in bytes"));
        Ok(inner.map_err(file)?.into())
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>,)> {
        let bytes = py.detach(|| map_to_bytes(&self.inner)).map_err(file)?;
        Ok((PyBytes::new(py, &bytes),))
    }

    /// Fits a map; `words` are kept with it.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        objects: Objects,
        settings: Settings<'_>,
        words: BTreeMap<String, String>,
        run: Running,
    ) -> PyResult<Fitted> {
        let objects = objects.ready()?;
        let (settings, naming) = (settings.core(objects.labels())?, objects.naming());
        let asked = Arc::new((objects, settings));
        let fitted = run.unlocked(
            py,
            naming,
            (&asked, usize::MAX),
            |(objects, settings), run| objects.fit(settings, run),
        );
        let fitted = fitted.map_err(|error| asked.0.raised(error))?;
        let inner = MapFile {
            map: fitted.map,
            settings: words,
            provenance: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok((inner.into(), fitted.kept, fitted.pieces, fitted.findings))
    }

    /// Reads a map.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inner = py.detach(|| read_map(&path)).map_err(file)?;
        Ok(inner.into())
    }

    /// Writes the map to a file that `adjoin.load` and the command line read, whole or not at all; `words` are kept with
    /// it, beside those of the fit.
    #[pyo3(signature = (path, words=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        words: Option<BTreeMap<String, String>>,
    ) -> PyResult<()> {
        let Some(words) = words else {
            return py.detach(|| write_map(&self.inner, &path)).map_err(file);
        };
        let mut file_of = MapFile::clone(&self.inner);
        file_of.settings.remove(TOLD);
        file_of.settings.extend(words);
        py.detach(|| write_map(&file_of, &path)).map_err(file)
    }

    /// How many objects are on the map.
    #[getter]
    fn count(&self) -> usize {
        self.core().labels().len()
    }

    /// How many axes it has.
    #[getter]
    fn dimensions(&self) -> usize {
        self.core().dimensions()
    }

    /// Whether the objects have names; otherwise their labels only count.
    #[getter]
    fn named(&self) -> bool {
        self.core().named()
    }

    /// All objects on the map.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.core().labels().to_vec()
    }

    /// The objects that newcomers are compared with.
    #[getter]
    fn references(&self) -> Vec<String> {
        self.core().references().to_vec()
    }

    /// How many they are.
    #[getter]
    fn reference_count(&self) -> usize {
        self.core().references().len()
    }

    /// Which of the objects are landmarks, by position; None if the map was made of all of them.
    #[getter]
    fn landmarks(&self) -> Option<Vec<usize>> {
        self.core().landmarks().map(<[_]>::to_vec)
    }

    /// The word of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.core().method().word()
    }

    /// What newcomers' proximities are.
    #[getter]
    fn kind(&self) -> &'static str {
        self.core().kind().word()
    }

    /// The word of the correction, and its constant.
    #[getter]
    fn correction(&self) -> (&'static str, f64) {
        match self.core().founding().parts().correction {
            Correction::None => ("none", 0.0),
            Correction::Lingoes(c) => ("lingoes", c),
            Correction::Cailliez(c) => ("cailliez", c),
        }
    }

    /// How the map was asked for, in the words of the command line.
    #[getter]
    fn settings(&self) -> BTreeMap<String, String> {
        self.inner.settings.clone()
    }

    /// Whether newcomers may come as features.
    #[getter]
    fn has_source(&self) -> bool {
        self.core().source().is_some()
    }

    /// What the method was told; nothing where it was told nothing.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stored::parameters(py, self.core().parts())
    }

    /// The link from dissimilarities to shown distances, and how far it places old objects from where they are, each left
    /// out; two Nones if there is none.
    #[getter]
    fn link<'py>(&self, py: Python<'py>) -> PyResult<stored::Link<'py>> {
        stored::link(py, self.core())
    }

    /// The measure, its parameters and the references' features and their names, if the map has them.
    #[getter]
    fn source<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let source = self.core().source();
        source.map_or(Ok(None), |source| stored::source(py, source))
    }

    /// The coordinates of all objects.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = self.core().configuration();
        answer::rows(py, copied(x), x.ncols())
    }

    /// The eigenvalues of the axes, descending.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let values = self.core().founding().eigenvalues();
        values.to_vec().into_pyarray(py)
    }

    /// Their share of all positive eigenvalues, or of the trace where not all are known.
    #[getter]
    fn proportions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core().proportions().into_pyarray(py)
    }

    /// Whether all eigenvalues are known.
    #[getter]
    fn complete(&self) -> bool {
        self.core().diagram().summary().complete
    }

    /// The weights of the old objects whose mean is the origin; None if that is the centroid.
    #[getter]
    fn origin(&self) -> Option<Vec<f64>> {
        self.core().founding().centring().weights.clone()
    }

    /// The residual of each object when it is left out.
    #[getter]
    fn old_residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core().old_residuals().into_pyarray(py)
    }

    /// What was remarkable about the proximities.
    #[getter]
    fn findings(&self) -> Vec<String> {
        self.core().founding().summary().findings.clone()
    }

    /// Places newcomers as an estimator does whose map this is, with the same parameters: see ``ClassicalMDS.place``.
    ///
    /// Without a strategy they are placed by the one that was saved with the map, or projected.
    #[pyo3(name = "place", signature = (X, strategy=None, **options))]
    #[allow(non_snake_case)]
    fn asked_to_place<'py>(
        slf: &Bound<'py, Self>,
        X: Bound<'py, PyAny>,
        strategy: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.get()
            .own_estimator(slf.py())?
            .call_method("place", (X, strategy), options)
    }

    /// Where newcomers are placed: coordinates alone, as ``ClassicalMDS.transform`` has them.
    #[allow(non_snake_case)]
    fn transform<'py>(slf: &Bound<'py, Self>, X: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let estimator = slf.get().own_estimator(slf.py())?;
        estimator.call_method1("transform", (X,))
    }

    /// The estimator that the map belongs to, fitted, with the parameters that were saved with it, and these.
    #[pyo3(signature = (**parameters))]
    fn to_estimator<'py>(
        slf: &Bound<'py, Self>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let load = slf.py().import("adjoin._load")?;
        let estimator = load.call_method1("estimator_of", (slf,))?;
        estimator.call_method("set_params", (), parameters)
    }

    /// What the map is known by: the SHA-256 that seals its bytes. Equal maps are equal bytes.
    #[getter]
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(known) = self.digest.get() {
            return Ok(known.clone());
        }
        let digest = py.detach(|| map_digest(&self.inner)).map_err(file)?;
        Ok(self.digest.get_or_init(|| digest).clone())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let digest = self.digest(py)?;
        let first = digest.get(..16).unwrap_or_default();
        Ok(u64::from_str_radix(first, 16).unwrap_or_default())
    }

    fn __eq__(&self, py: Python<'_>, other: Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(false);
        };
        let same = Arc::ptr_eq(&self.inner, &other.get().inner);
        Ok(same || self.digest(py)? == other.get().digest(py)?)
    }

    fn __dask_tokenize__(&self, py: Python<'_>) -> PyResult<(&'static str, String)> {
        Ok(("adjoin.Map", self.digest(py)?))
    }

    /// Places newcomers, each by itself, by `how`: a strategy, the two options of augment, and whether to prove; with the old
    /// objects that each is nearest to, if so many are wanted.
    #[pyo3(name = "_place", signature = (newcomers, how, run, neighbours=None))]
    fn place<'py>(
        &self,
        py: Python<'py>,
        newcomers: Given<'py>,
        how: How,
        run: Running,
        neighbours: Option<usize>,
    ) -> Answer<'py> {
        ask::place(self, py, newcomers, how, (&run, neighbours))
    }

    /// Where newcomers are placed, each by itself, and the status of each: nothing else.
    fn _coordinates<'py>(
        &self,
        py: Python<'py>,
        newcomers: Given<'py>,
        how: How,
        run: Running,
    ) -> PyResult<answer::Where<'py>> {
        ask::coordinates(self, py, newcomers, how, &run)
    }

    /// Places newcomers that come in parts: dictionaries that are asked for one after the other.
    #[pyo3(signature = (parts, how, run, neighbours=None))]
    fn _place_parts<'py>(
        &self,
        py: Python<'py>,
        parts: Bound<'py, PyAny>,
        how: How,
        run: Running,
        neighbours: Option<usize>,
    ) -> Answer<'py> {
        ask::place_parts(self, py, parts, how, (&run, neighbours))
    }

    /// The generations that came after the founders: how many, by which strategy, whether jointly, on the map of which
    /// generation, from what, and its digest.
    #[getter]
    fn generations<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let generations = self.core().generations().iter();
        generations.map(|g| stored::generation(py, g)).collect()
    }

    /// The map as it was at a generation, 0 being its founders.
    fn generation(&self, generation: usize) -> PyResult<Self> {
        old::generation(self, generation)
    }

    /// The newest generation that a table with such columns is for, or with so many if they have no names.
    fn generation_of(&self, columns: Option<Vec<String>>, width: usize) -> usize {
        old::generation_of(self, columns, width)
    }

    /// The map with newcomers as members, who are placed by `how` on the map of a generation, or jointly if what is between
    /// them is given; `source` is what they came from, and its digest.
    fn grow(
        &self,
        py: Python<'_>,
        newcomers: Given<'_>,
        how: How,
        generation: usize,
        source: (String, String),
        run: Running,
    ) -> PyResult<Self> {
        old::grow(self, py, newcomers, how, generation, source, &run)
    }

    /// This map turned and shifted onto an older one, and how far the older one's founders moved.
    fn onto<'py>(&self, py: Python<'py>, old: &Self) -> PyResult<(Self, Bound<'py, PyDict>)> {
        old::onto(self, py, old)
    }

    /// Places the old objects, each on the map of the others.
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        how: How,
        run: Running,
    ) -> PyResult<Bound<'py, PyDict>> {
        old::leave_one_out(self, py, how, &run)
    }

    /// How the old objects were left out: "exact", "approximate" or "axes held fixed".
    #[getter]
    fn left_out(&self) -> &'static str {
        self.core().founding().leave_one_out().form.word()
    }

    /// The share of old objects with a smaller residual, in modulus, than each of these.
    fn foreign<'py>(
        &self,
        py: Python<'py>,
        residuals: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let residuals = residuals.as_slice()?;
        Ok(self.core().foreign(residuals).into_pyarray(py))
    }

    /// Reconstructs newcomers together.
    #[pyo3(signature = (newcomers, run, neighbours=None))]
    fn jointly<'py>(
        &self,
        py: Python<'py>,
        newcomers: Given<'py>,
        run: Running,
        neighbours: Option<usize>,
    ) -> Answer<'py> {
        ask::jointly(self, py, newcomers, (&run, neighbours))
    }

    /// Places newcomers by every strategy; jointly too, if what is between them is given.
    fn compare<'py>(&self, py: Python<'py>, newcomers: Given<'py>, run: Running) -> Answer<'py> {
        ask::compare(self, py, newcomers, &run)
    }

    /// The old objects that each newcomer is nearest to.
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        newcomers: Given<'py>,
        count: usize,
        run: Running,
    ) -> PyResult<Nearest<'py>> {
        ask::neighbours(self, py, newcomers, count, &run)
    }

    /// The groups of newcomers at these places, by vote of old objects, which have these groups.
    fn groups<'py>(
        &self,
        py: Python<'py>,
        places: PyReadonlyArray2<'py, f64>,
        how: How,
        groups: Vec<String>,
        voters: usize,
        run: Running,
    ) -> PyResult<Bound<'py, PyDict>> {
        old::groups(self, py, places, how, (groups, voters), &run)
    }

    /// Tries strategies on the old objects by folds: `old` are their proximities in the map's order, or what their `features`
    /// are called, if these are given; `how` is folds, repeats and seed.
    #[allow(clippy::too_many_arguments)]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        old: Sheet,
        features: Option<Numbers>,
        how: (usize, Option<usize>, u64),
        strategies: Vec<String>,
        groups: Option<Vec<String>>,
        classes: Option<Vec<String>>,
        run: Running,
    ) -> PyResult<Bound<'py, PyDict>> {
        let trial = (how, strategies, groups, classes);
        old::evaluate(self, py, (old, features), trial, &run)
    }

    /// Whether the newcomers of a border, as a batch, call for another map; `largest` is `outside` of a joint placement.
    #[pyo3(signature = (border, largest=None))]
    fn assess<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
        largest: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        answer::assessment(py, &self.core().assess(&border.inner, largest))
    }

    /// Where the newcomers of a border are projected to.
    fn project<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let placements = self.core().project(&border.inner);
        answer::rows(py, placements.coordinates, placements.dimensions)
    }

    /// The arcs of the newcomers of a border, None for those that have none.
    fn arcs<'py>(
        &self,
        py: Python<'py>,
        border: &Border,
        points: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        ask::arcs(self, py, border, points)
    }

    fn __repr__(&self) -> String {
        let (method, count, axes) = (self.method(), self.count(), self.dimensions());
        format!("<adjoin.Map by {method} of {count} objects on {axes} axes>")
    }
}
