//! What is asked about newcomers: one reading of them by the core, and its answer as a dictionary.

use std::sync::Arc;

use adjoin::{Error, Run};
use adjoin_formats::MapFile;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::answer::{self, Nearest};
use crate::border::Border;
use crate::error::{Naming, core};
use crate::guard::Running;
use crate::map::Map;
use crate::newcomers::{Arrived, Given};
use crate::settings::{self, How};

/// What newcomers are to the map, what they are called, and the answer.
pub type Answer<'py> = PyResult<(Border, Option<Vec<String>>, Bound<'py, PyDict>)>;

/// The map and who arrives.
type Asked = (Arc<MapFile>, Arrived);

/// Runs `work` on newcomers of so many numbers, with the lock released; what is raised by whoever gives their rows is raised here.
fn asking<R: Send + 'static>(
    (py, run): (Python<'_>, &Running),
    (asked, size): (&Arc<Asked>, usize),
    work: impl FnOnce(&Asked, Run<'_>) -> Result<R, Error> + Send + 'static,
) -> PyResult<R> {
    let answer = run.unlocked(py, asked.1.naming(), (asked, size), work);
    answer.map_err(|error| asked.1.raised(error))
}

/// Places newcomers, each by itself.
pub fn place<'py>(
    map: &Map,
    py: Python<'py>,
    newcomers: Given<'py>,
    how: How,
    (run, neighbours): (&Running, Option<usize>),
) -> Answer<'py> {
    let settings = settings::place(how)?;
    let part = placed(map, py, newcomers, settings, (run, neighbours))?;
    told(map, py, part)
}

/// Where newcomers are, each by itself, and what became of it: what most callers want, without all else that can be said.
pub fn coordinates<'py>(
    map: &Map,
    py: Python<'py>,
    newcomers: Given<'py>,
    how: How,
    run: &Running,
) -> PyResult<answer::Where<'py>> {
    let part = placed(map, py, newcomers, settings::place(how)?, (run, None))?;
    answer::coordinates(py, part.placements)
}

/// Places newcomers that come in parts, each of which is read, placed and forgotten.
pub fn place_parts<'py>(
    map: &Map,
    py: Python<'py>,
    parts: Bound<'py, PyAny>,
    how: How,
    (run, neighbours): (&Running, Option<usize>),
) -> Answer<'py> {
    let settings = settings::place(how)?;
    let dimensions = map.core().dimensions();
    let mut borders = Vec::new();
    let mut all = Part {
        border: adjoin::Border::gathered(dimensions, Vec::new()),
        placements: adjoin::Placements::of_nobody(settings.strategy, dimensions),
        neighbours: neighbours.map(adjoin::Neighbours::of_nobody),
        labels: None,
        assumed: None,
    };
    for newcomers in parts.try_iter()? {
        let part = placed(map, py, newcomers?.extract()?, settings, (run, neighbours))?;
        borders.push(part.border);
        all.placements.append(part.placements);
        if let (Some(all), Some(some)) = (&mut all.neighbours, part.neighbours) {
            all.append(some);
        }
        if let Some(labels) = part.labels {
            all.labels.get_or_insert_default().extend(labels);
        }
        all.assumed = all.assumed.or(part.assumed);
    }
    all.border = adjoin::Border::gathered(dimensions, borders);
    told(map, py, all)
}

/// Some newcomers, placed.
struct Part {
    border: adjoin::Border,
    placements: adjoin::Placements,
    neighbours: Option<adjoin::Neighbours>,
    labels: Option<Vec<String>>,
    /// What was taken for granted about them.
    assumed: Option<String>,
}

fn placed(
    map: &Map,
    py: Python<'_>,
    newcomers: Given<'_>,
    settings: adjoin::PlaceSettings,
    (run, neighbours): (&Running, Option<usize>),
) -> PyResult<Part> {
    let asked = map.asked(py, newcomers, run)?;
    let size = asked.1.size(map.core());
    let (border, placements, neighbours) =
        asking((py, run), (&asked, size), move |(map, new), run| {
            let (map, newcomers, by) = (&map.map, new.newcomers(), new.uncertainty());
            if let Some(count) = neighbours {
                let answer = map.place_among(&newcomers, &settings, (count, by), run)?;
                return Ok((answer.0, answer.1, Some(answer.2)));
            }
            let Some(by) = by else {
                let answer = map.place(&newcomers, &settings, run)?;
                return Ok((answer.0, answer.1, None));
            };
            let answer = map.place_uncertain(&newcomers, &settings, by, run, |_| Ok(()))?;
            Ok((answer.0, answer.1, None))
        })?;
    Ok(Part {
        border,
        placements,
        neighbours,
        labels: asked.1.labels.clone(),
        assumed: asked.1.assumed(),
    })
}

/// The answer, with what is remarkable about all of them.
fn told<'py>(map: &Map, py: Python<'py>, part: Part) -> Answer<'py> {
    let (labels, assumed) = (part.labels.as_deref(), part.assumed.clone());
    let said = remarks(map, &part.border, &part.placements, (labels, assumed));
    let answer = answer::placements(py, part.placements)?;
    if let Some(neighbours) = part.neighbours {
        answer.set_item("_neighbours", answer::neighbours(py, neighbours)?)?;
    }
    answer.set_item("remarks_", said)?;
    Ok((part.border.into(), part.labels, answer))
}

/// Reconstructs newcomers together.
pub fn jointly<'py>(
    map: &Map,
    py: Python<'py>,
    newcomers: Given<'py>,
    (run, neighbours): (&Running, Option<usize>),
) -> Answer<'py> {
    let asked = map.asked(py, newcomers, run)?;
    let (border, jointly, neighbours) =
        asking((py, run), (&asked, usize::MAX), move |(map, new), run| {
            let between = new.between().unwrap_or(adjoin::Between::Made);
            let (map, newcomers, by) = (&map.map, new.newcomers(), new.uncertainty());
            if let Some(count) = neighbours {
                let answer = map.jointly_among(&newcomers, between, (count, by), run)?;
                return Ok((answer.0, answer.1, Some(answer.2)));
            }
            let Some(by) = by else {
                return map
                    .jointly(&newcomers, between, run)
                    .map(|a| (a.0, a.1, None));
            };
            let answer = map.jointly_uncertain(&newcomers, between, by, run, |_| Ok(()))?;
            Ok((answer.0, answer.1, None))
        })?;
    let said = remarks(
        map,
        &border,
        &jointly.placements,
        (asked.1.labels.as_deref(), asked.1.assumed()),
    );
    let answer = answer::jointly(py, jointly)?;
    if let Some(neighbours) = neighbours {
        answer.set_item("_neighbours", answer::neighbours(py, neighbours)?)?;
    }
    answer.set_item("remarks_", said)?;
    Ok((border.into(), asked.1.labels.clone(), answer))
}

/// Places newcomers by every strategy.
pub fn compare<'py>(
    map: &Map,
    py: Python<'py>,
    newcomers: Given<'py>,
    run: &Running,
) -> Answer<'py> {
    let asked = map.asked(py, newcomers, run)?;
    let (border, comparison) = asking((py, run), (&asked, usize::MAX), |(map, new), run| {
        map.map.compare(&new.newcomers(), new.between(), run)
    })?;
    let projected = map.core().project(&border);
    let said = remarks(
        map,
        &border,
        &projected,
        (asked.1.labels.as_deref(), asked.1.assumed()),
    );
    let answer = answer::comparison(py, &asked.1, comparison)?;
    answer.set_item("remarks_", said)?;
    Ok((border.into(), asked.1.labels.clone(), answer))
}

/// The old objects that each newcomer is nearest to.
pub fn neighbours<'py>(
    map: &Map,
    py: Python<'py>,
    newcomers: Given<'py>,
    count: usize,
    run: &Running,
) -> PyResult<Nearest<'py>> {
    let asked = map.asked(py, newcomers, run)?;
    let size = asked.1.size(map.core());
    let found = asking((py, run), (&asked, size), move |(map, new), run| {
        map.map.neighbours(&new.newcomers(), count, run)
    })?;
    answer::neighbours(py, found)
}

/// The arcs of the newcomers of a border.
pub fn arcs<'py>(
    map: &Map,
    py: Python<'py>,
    border: &Border,
    points: usize,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for i in 0..border.inner.count() {
        let arc = map.core().arc(&border.inner, i, points);
        let arc = arc.map_err(core(Naming {
            argument: "points",
            named: true,
            first: 0,
        }))?;
        list.append(arc.map(|arc| answer::arc(py, arc)).transpose()?)?;
    }
    Ok(list)
}

/// What is remarkable about newcomers as a batch, in words, after what was taken for granted about them.
fn remarks(
    map: &Map,
    border: &adjoin::Border,
    placements: &adjoin::Placements,
    (labels, assumed): (Option<&[String]>, Option<String>),
) -> Vec<String> {
    let remarks = map.core().remarks(border, placements, labels);
    let said = remarks.into_iter().map(|remark| remark.sentence);
    assumed.into_iter().chain(said).collect()
}
