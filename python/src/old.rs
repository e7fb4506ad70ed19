//! What is asked about the old objects, and the maps that are made of a map.

use std::collections::HashSet;
use std::sync::Arc;

use adjoin::{EvaluateSettings, GrowSettings};
use adjoin_formats::MapFile;
use faer::MatRef;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::adapt;
use crate::answer;
use crate::error::{Naming, core};
use crate::guard::Running;
use crate::labels::Sheet;
use crate::map::Map;
use crate::newcomers::Given;
use crate::objects::Numbers;
use crate::settings::{self, How};

/// The map as it was at a generation.
pub fn generation(map: &Map, generation: usize) -> PyResult<Map> {
    let naming = Naming {
        argument: "generation",
        named: map.core().named(),
        first: 0,
    };
    let then = map.core().generation(generation).map_err(core(naming))?;
    Ok(map.with(then).into())
}

/// The newest generation that a table with such columns is for.
pub fn generation_of(map: &Map, columns: Option<Vec<String>>, width: usize) -> usize {
    let map = map.core();
    let chosen = match columns {
        Some(columns) => {
            let there: HashSet<&str> = columns.iter().map(String::as_str).collect();
            map.generation_of(|label| there.contains(label))
        }
        None => map.generation_with(width),
    };
    chosen.unwrap_or(map.generations().len())
}

/// The map with newcomers as members.
pub fn grow(
    map: &Map,
    py: Python<'_>,
    newcomers: Given<'_>,
    how: How,
    on: usize,
    source: (String, String),
    run: &Running,
) -> PyResult<Map> {
    let place = settings::place(how)?;
    let then = generation(map, on)?;
    let asked = then.asked(py, newcomers, run)?;
    let data = Arc::new((Arc::clone(&map.inner), Arc::clone(&asked)));
    let grown = run.unlocked(
        py,
        asked.1.naming(),
        (&data, usize::MAX),
        move |(file, asked), run| {
            let settings = GrowSettings {
                place,
                between: asked.1.between(),
                generation: Some(on),
                name: source.0,
                digest: source.1,
            };
            file.map.grow(&asked.1.newcomers(), &settings, run)
        },
    )?;
    Ok(map.with(grown.map).into())
}

/// A map turned and shifted onto an older one, and how far its founders moved.
pub fn onto<'py>(map: &Map, py: Python<'py>, old: &Map) -> PyResult<(Map, Bound<'py, PyDict>)> {
    let naming = Naming {
        argument: "X",
        named: map.core().named(),
        first: 0,
    };
    let refitted = map.core().onto(old.core(), true).map_err(core(naming))?;
    let labels = old.core().labels();
    let moved: Vec<(String, f64)> = refitted
        .movers(refitted.shared.len())
        .into_iter()
        .map(|(i, far)| (labels[i].clone(), far))
        .collect();
    let dict = PyDict::new(py);
    dict.set_item("procrustes", refitted.statistic)?;
    dict.set_item("root_mean_square", refitted.root_mean_square())?;
    dict.set_item("spread", refitted.spread)?;
    dict.set_item("moved", moved)?;
    Ok((map.with(refitted.map).into(), dict))
}

/// Places the old objects, each on the map of the others.
pub fn leave_one_out<'py>(
    map: &Map,
    py: Python<'py>,
    how: How,
    run: &Running,
) -> PyResult<Bound<'py, PyDict>> {
    let how = settings::place(how)?;
    let naming = Naming {
        argument: "strategy",
        named: map.core().named(),
        first: 0,
    };
    let placements = run.unlocked(
        py,
        naming,
        (&map.inner, usize::MAX),
        move |file: &MapFile, run| file.map.leave_one_out(&how, run),
    )?;
    answer::placements(py, placements)
}

/// The groups of newcomers at these places, by vote of old objects.
pub fn groups<'py>(
    map: &Map,
    py: Python<'py>,
    places: PyReadonlyArray2<'py, f64>,
    how: How,
    (groups, voters): (Vec<String>, usize),
    run: &Running,
) -> PyResult<Bound<'py, PyDict>> {
    let how = settings::place(how)?;
    let naming = Naming {
        argument: "y",
        named: map.core().named(),
        first: 0,
    };
    let asked = Arc::new((Arc::clone(&map.inner), places.as_slice()?.to_vec(), groups));
    let grouped = run.unlocked(
        py,
        naming,
        (&asked, usize::MAX),
        move |(file, places, groups), run| file.map.groups(places, &how, groups, voters, run),
    )?;
    answer::grouped(py, grouped)
}

/// How strategies are tried on the old objects: folds, repeats and seed; which strategies; groups that stay together; classes.
pub type Trial = (
    (usize, Option<usize>, u64),
    Vec<String>,
    Option<Vec<String>>,
    Option<Vec<String>>,
);

/// Tries strategies on the old objects by folds.
pub fn evaluate<'py>(
    map: &Map,
    py: Python<'py>,
    (old, features): (Sheet, Option<Numbers>),
    (how, strategies, groups, classes): Trial,
    run: &Running,
) -> PyResult<Bound<'py, PyDict>> {
    let naming = Naming {
        argument: "D",
        named: map.core().named(),
        first: 0,
    };
    let strategies = strategies.into_iter().map(|word| settings::strategy(&word));
    let strategies = strategies.collect::<PyResult<Vec<_>>>()?;
    let (folds, repeats, seed) = how;
    let known_classes = classes.is_some();
    let features = features
        .map(|numbers| numbers.features(old.rows.clone(), old.columns.clone(), "D"))
        .transpose()?;
    let values = adapt::old(py, &map.inner, old)?;
    let asked = Arc::new((Arc::clone(&map.inner), values, features, groups, classes));
    let evaluation = run.unlocked(
        py,
        naming,
        (&asked, usize::MAX),
        move |(file, values, features, groups, classes), run| {
            let settings = EvaluateSettings {
                folds,
                repeats,
                strategies,
                groups: groups.as_deref(),
                classes: classes.as_deref(),
                seed,
            };
            let (rows, columns) = values.shape();
            let made = match (features, values.doubles()) {
                (Some(features), _) => Some(file.map.old_by_features(features, run)?),
                (None, Some(_)) => None,
                (None, None) => {
                    let single = values.row_by_row();
                    Some(MatRef::from_row_major_slice(&single, rows, columns).to_owned())
                }
            };
            let old = made.as_ref().map(|m| m.as_ref()).or(values.doubles());
            let old = old.unwrap_or(MatRef::from_row_major_slice(&[], 0, 0));
            file.map.evaluate(old, &settings, run)
        },
    )?;
    answer::evaluation(py, &evaluation, known_classes)
}
