//! Who arrives: a dictionary as the core's newcomers.
//!
//! An array with a column for each reference is read where it is. A table whose columns are other objects, or the map's in
//! another order, is taken apart by `adjoin-formats`, as the command line takes such a file apart.

use std::collections::HashSet;

use adjoin::{Between, By, Features, Kind, Map, Newcomers, Run, Uncertainty};
use adjoin_formats::{Arrivals, MapFile, Matrix, match_between, old_square};
use faer::{Mat, MatRef};
use pyo3::prelude::*;

use crate::adapt::Way;
use crate::elsewhere::{Called, Made};
use crate::error::{Naming, file, wrong};
use crate::guard::Running;
use crate::labels::{Listed, Sheet, numbered};
use crate::objects::{Packed, Sparse, features};
use crate::view::Entries;

/// What is wrong with names of old objects that have none.
pub const NAMES_OF_NOBODY: &str =
    "found names, expected a list by position: the old objects have no names";

/// Newcomers, as a dictionary.
#[derive(FromPyObject)]
pub struct Given<'py> {
    /// Their proximities, or features: columns are then called by the features' names.
    #[pyo3(item)]
    table: Sheet,
    #[pyo3(item)]
    features: bool,
    /// What they are called, whatever the table says.
    #[pyo3(item)]
    labels: Option<Vec<String>>,
    #[pyo3(item)]
    between: Option<Joint>,
    #[pyo3(item)]
    self_similarity: Option<Itself<'py>>,
    #[pyo3(item)]
    weights: Option<Listed<'py>>,
    /// Whether NaN is a missing proximity.
    #[pyo3(item)]
    missing: bool,
    /// Whether it is to be told how certain places are, by what word, and the old objects' proximities for it.
    #[pyo3(item)]
    uncertainty: Option<String>,
    #[pyo3(item)]
    old: Option<Sheet>,
    /// The parameter that holds them.
    #[pyo3(item)]
    argument: String,
    /// The number of the first of them among all of which they are a part.
    #[pyo3(item, default)]
    first: usize,
    /// Their features, in the place of the table, if those are packed bits.
    #[pyo3(item, default)]
    packed: Option<Packed>,
    /// Likewise if only those that are not 0 are stored.
    #[pyo3(item, default)]
    sparse: Option<Sparse>,
    /// How many they are and who gives some of their rows, in the place of the table, if that is elsewhere: by position, as the
    /// map wants them.
    #[pyo3(item, default)]
    stored: Option<(usize, Py<PyAny>)>,
}

/// Whether newcomers are placed jointly, and from what.
#[derive(FromPyObject)]
enum Joint {
    /// From what follows from themselves: their table, their features, the graph.
    Asked(bool),
    Given(Sheet),
}

/// One similarity for all newcomers, or one for each.
#[derive(FromPyObject)]
enum Itself<'py> {
    All(f64),
    Each(Listed<'py>),
}

/// What newcomers are known by.
enum Known {
    Array(Entries),
    Table(Box<Arrivals>),
    Features(Box<Features>),
    Stored(Made),
}

/// Proximities between newcomers, in their order.
enum Pairs {
    Array(Entries),
    Matched(Vec<f64>),
}

/// How it is to be told how certain places are.
enum Certainty {
    Axes,
    Refit(Mat<f64>),
}

/// The newcomers of a map, with who is who settled.
pub struct Arrived {
    known: Known,
    count: usize,
    /// What they are called; none if they have no names.
    pub labels: Option<Vec<String>>,
    jointly: bool,
    pairs: Option<Pairs>,
    self_similarity: Option<Vec<f64>>,
    /// That of all old objects, if it is one for all of them: taken for the newcomers' where nothing is known of theirs.
    common: Option<(f64, Vec<f64>)>,
    weights: Option<Vec<f64>>,
    missing: bool,
    certainty: Option<Certainty>,
    /// The parameter that holds them.
    argument: String,
    /// Whether the map's objects have names.
    named: bool,
    /// The number of the first of them among all of which they are a part.
    first: usize,
}

impl Given<'_> {
    /// The newcomers for a map, changed on their way as its own objects were.
    pub fn on(self, py: Python<'_>, on: &MapFile, run: &Running) -> PyResult<Arrived> {
        let (map, way, argument) = (&on.map, Way::onto(on)?, self.argument);
        if let (Some(way), true) = (&way, self.self_similarity.is_some()) {
            let what = format!(
                "found it on a map of proximities that went through {}, expected a square X, whose diagonal goes through it too",
                way.word()
            );
            return Err(wrong("self_similarity", what));
        }
        let (known, count, own) = if let Some(packed) = &self.packed {
            let own = self
                .labels
                .clone()
                .unwrap_or_else(|| numbered(packed.count()));
            let own = packed.features(Some(own), &argument)?;
            (Known::Features(Box::new(own)), packed.count(), None)
        } else if let Some(sparse) = &self.sparse {
            let own = self.table.rows.clone();
            let labels =
                (self.labels.clone().or(own.clone())).unwrap_or_else(|| numbered(sparse.count()));
            let features = sparse.features(Some(labels), self.table.columns, &argument)?;
            (Known::Features(Box::new(features)), sparse.count(), own)
        } else if let Some((count, rows)) = self.stored {
            let shape = (count, map.references().len());
            let called = Called::new(rows);
            (Known::Stored(Made { called, shape }), count, None)
        } else if self.features {
            by_features(self.table, &argument)?
        } else if is_table(&self.table, map) {
            by_table(py, (self.table, way.as_ref()), map, run, &argument)?
        } else {
            let values = self.table.values;
            let values = match &way {
                Some(way) => way.rows(py, &values, self.first, &argument)?,
                None => values,
            };
            let (count, _) = values.shape();
            (Known::Array(values), count, self.table.rows)
        };
        let labels = self.labels.or(own);
        if let Some(found) = labels.as_ref().map(Vec::len).filter(|&l| l != count) {
            let what = format!("found {found}, expected {count}, one for each newcomer");
            return Err(wrong("labels", what));
        }
        let names = || labels.clone().unwrap_or_else(|| numbered(count));
        let jointly = matches!(self.between, Some(Joint::Asked(true) | Joint::Given(_)));
        let pairs = match self.between {
            Some(Joint::Given(table)) => Some(between((table, way.as_ref()), count, names)?),
            _ => None,
        };
        let itself = self.self_similarity.map(|given| given.of(count, names));
        let itself = itself.transpose()?;
        if itself.is_some() && map.kind() != Kind::Similarity {
            let what = "found it on a map of dissimilarities, expected a map of similarities: what is unlike nothing is 0 away from itself";
            return Err(wrong("self_similarity", what));
        }
        let weights = self.weights.map(|given| {
            let numbers = given.numbers("weights")?;
            if numbers.labels.is_some() && !map.named() {
                return Err(wrong("weights", NAMES_OF_NOBODY));
            }
            numbers.among(map.references(), map.labels()).map_err(file)
        });
        let old = (self.old, way.as_ref());
        let certainty = certainty(py, self.uncertainty, old, map, run)?;
        Ok(Arrived {
            known,
            count,
            labels,
            jointly,
            pairs,
            self_similarity: itself,
            common: (map.diagram().summary().self_similarity)
                .filter(|_| map.kind() == Kind::Similarity)
                .map(|common| (common, vec![common; count])),
            weights: weights.transpose()?,
            missing: self.missing,
            certainty,
            argument,
            named: map.named(),
            first: self.first,
        })
    }
}

/// How it is to be told how certain places are, with what that needs.
fn certainty(
    py: Python<'_>,
    word: Option<String>,
    (old, way): (Option<Sheet>, Option<&Way>),
    map: &Map,
    run: &Running,
) -> PyResult<Option<Certainty>> {
    match word.as_deref() {
        None => Ok(None),
        Some("axes") => Ok(Some(Certainty::Axes)),
        Some("refit") => {
            let square = match old {
                Some(old) => {
                    let labelled = old.rows.is_some() || old.columns.is_some();
                    let matrix = Matrix {
                        labelled,
                        ..old.matrix("old")?
                    };
                    let matrix = changed(matrix, way)?;
                    Some(old_square(matrix, map).map_err(file)?)
                }
                None => {
                    let made = py.detach(|| map.old_of_features(Run::on(run.0)));
                    made.map_err(|error| wrong("old", error))?
                }
            };
            let square = square.ok_or_else(|| {
                let what = "found None beside uncertainty=\"refit\", expected the proximities between the old objects, which \
                            the map does not have";
                wrong("old", what)
            })?;
            Ok(Some(Certainty::Refit(square)))
        }
        Some(other) => {
            let what = format!("found {other:?}, expected None, \"axes\" or \"refit\"");
            Err(wrong("uncertainty", what))
        }
    }
}

/// What is known of newcomers, how many they are, and what their rows call them.
type Found = (Known, usize, Option<Vec<String>>);

fn by_features(table: Sheet, argument: &str) -> PyResult<Found> {
    let (count, _) = table.values.shape();
    let labels = table.rows.clone().unwrap_or_else(|| numbered(count));
    let own = features(&table.values, Some(labels), table.columns, argument)?;
    Ok((Known::Features(Box::new(own)), count, table.rows))
}

/// Whether labels have to be matched, or refused: columns are other objects or in another order, the map has no labels, or
/// a row is one that comes twice or is on the map.
fn is_table(table: &Sheet, map: &Map) -> bool {
    let Some(columns) = &table.columns else {
        return false;
    };
    let mut seen: HashSet<&String> = map.labels().iter().collect();
    let mut rows = table.rows.iter().flatten();
    !map.named() || columns != map.references() || rows.any(|label| !seen.insert(label))
}

fn by_table(
    py: Python<'_>,
    (table, way): (Sheet, Option<&Way>),
    map: &Map,
    run: &Running,
    argument: &str,
) -> PyResult<Found> {
    let (matrix, run) = (changed(table.matrix(argument)?, way)?, Run::on(run.0));
    let found = py.detach(|| Arrivals::of_matrix(matrix, map, run));
    let found = found.map_err(file)?;
    let labels = found.labels.clone();
    Ok((Known::Table(Box::new(found)), labels.len(), Some(labels)))
}

/// A table, changed as the map wants it.
fn changed(matrix: Matrix, way: Option<&Way>) -> PyResult<Matrix> {
    match way {
        Some(way) => way.table(matrix),
        None => Ok(matrix),
    }
}

/// What is between `count` newcomers: an array in their order, or a table by label.
fn between(
    (table, way): (Sheet, Option<&Way>),
    count: usize,
    names: impl Fn() -> Vec<String>,
) -> PyResult<Pairs> {
    if table.rows.is_some() || table.columns.is_some() {
        let matrix = changed(table.matrix("between")?, way)?;
        return Ok(Pairs::Matched(
            match_between(matrix, &names()).map_err(file)?,
        ));
    }
    let (rows, columns) = table.values.shape();
    if (rows, columns) != (count, count) {
        let what = format!(
            "found an array of {rows} × {columns}, expected {count} × {count}, a row for each newcomer"
        );
        return Err(wrong("between", what));
    }
    if way.is_some() {
        let matrix = changed(table.matrix("between")?, way)?;
        return Ok(Pairs::Matched(matrix.values));
    }
    if table.values.doubles().is_none() {
        return Ok(Pairs::Matched(table.values.row_by_row()));
    }
    Ok(Pairs::Array(table.values))
}

impl Itself<'_> {
    fn of(&self, count: usize, names: impl Fn() -> Vec<String>) -> PyResult<Vec<f64>> {
        match self {
            Itself::All(value) => Ok(vec![*value; count]),
            Itself::Each(given) => {
                let numbers = given.numbers("self_similarity")?;
                numbers.in_order(&names()).map_err(file)
            }
        }
    }
}

impl Arrived {
    /// How they and the map's objects are called in messages.
    pub fn naming(&self) -> Naming<'_> {
        Naming {
            argument: &self.argument,
            named: self.named,
            first: self.first,
        }
    }

    /// What a function of Python's that gives their rows raised, if one was asked, in the place of `otherwise`.
    pub fn raised(&self, otherwise: PyErr) -> PyErr {
        match &self.known {
            Known::Stored(rows) => rows.called.raised(otherwise),
            _ => otherwise,
        }
    }

    /// How many numbers there are to be read on `map`.
    pub fn size(&self, map: &Map) -> usize {
        self.count.saturating_mul(map.references().len())
    }

    /// Whether the old objects' similarity to themselves stands in for the newcomers'.
    fn takes_common(&self) -> bool {
        let known = match &self.known {
            Known::Array(_) | Known::Stored(_) => false,
            Known::Table(found) => found.newcomers().self_similarity.is_some(),
            Known::Features(_) => true,
        };
        !known && self.self_similarity.is_none() && self.pairs.is_none()
    }

    /// What was taken for granted about them, in words.
    pub fn assumed(&self) -> Option<String> {
        let (common, _) = self.common.as_ref().filter(|_| self.takes_common())?;
        Some(format!(
            "found no similarities of newcomers to themselves, so they are taken to be {common}, as all old objects' are \
             (self_similarity says otherwise)"
        ))
    }

    /// As the core takes them.
    pub fn newcomers(&self) -> Newcomers<'_> {
        let own = match &self.known {
            Known::Array(entries) => Newcomers::by(entries.by()),
            Known::Table(found) => found.newcomers(),
            Known::Features(features) => Newcomers::by(By::Features(features)),
            Known::Stored(rows) => Newcomers::by(By::Rows(rows)),
        };
        // The diagonal of what is given between them comes before that of their table.
        let itself = own.self_similarity.filter(|_| self.pairs.is_none());
        let common = self.common.as_ref().filter(|_| self.takes_common());
        Newcomers {
            labels: self.labels.as_deref(),
            self_similarity: (self.self_similarity.as_deref())
                .or(itself)
                .or(common.map(|(_, each)| &each[..])),
            weights: self.weights.as_deref(),
            missing: self.missing,
            ..own
        }
    }

    /// What is between them, if they are to be placed jointly.
    pub fn between(&self) -> Option<Between<'_>> {
        let k = self.count;
        if !self.jointly {
            return None;
        }
        let given = match (&self.pairs, &self.known) {
            (Some(Pairs::Array(entries)), _) => entries.doubles().map(Between::Given),
            (Some(Pairs::Matched(values)), _) => {
                let matrix = MatRef::from_row_major_slice(values, k, k);
                Some(Between::Given(matrix))
            }
            (None, Known::Table(found)) => found.between(),
            (None, _) => None,
        };
        Some(given.unwrap_or(Between::Made))
    }

    /// How it is to be told how certain their places are, if it is.
    pub fn uncertainty(&self) -> Option<Uncertainty<'_>> {
        self.certainty.as_ref().map(|certainty| match certainty {
            Certainty::Axes => Uncertainty::Axes,
            Certainty::Refit(old) => Uncertainty::Refit(old.as_ref()),
        })
    }

    /// What they are called, numbers if they have no names.
    pub fn names(&self) -> Vec<String> {
        self.labels.clone().unwrap_or_else(|| numbered(self.count))
    }
}
