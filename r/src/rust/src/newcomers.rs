//! Who arrives: a list as the newcomers of a map, by the same rules as files (`adjoin-formats`).

use adjoin::{Between, Features, Run};
use adjoin_formats::{Arrivals, FeatureTable, MapFile, Matrix, SelfSimilarity};

use crate::failure::{Failure, file};
use crate::objects::features;
use crate::settings::{NAMES_OF_NOBODY, listed};
use crate::value::{Entries, square_of_dist};

/// The newcomers of a map, with who is who settled.
pub struct Arrived {
    pub inner: Arrivals,
    jointly: bool,
    /// What was taken for granted about them, in words.
    pub assumed: Vec<String>,
}

impl Arrived {
    /// Understands a list; labels are matched here and now, numbers are read later.
    pub fn on(given: &Entries, of: &MapFile, run: Run<'_>) -> Result<Self, Failure> {
        let map = &of.map;
        if let Some(transform) = of.transform().map_err(file)? {
            let what = format!(
                "found one of proximities that went through {} in the command line, expected newcomers by the command line \
                 too, which does the same to theirs",
                transform.word()
            );
            return Err(Failure::wrong("map", what));
        }
        let argument = given.text("argument").unwrap_or_default();
        let mut inner = if given.get("features").or(given.get("texts")).is_some() {
            let table = by_features(given, &argument)?;
            let names = map.source().map_or(&[][..], |s| s.features().names());
            let table = table.fitted_to(names, given.number("fill"), given.flag("ignore"));
            table.and_then(|table| Arrivals::of_features(table, map))
        } else if given.flag("partial") {
            Arrivals::of_part(matrix(given, &argument)?, map, run)
        } else {
            Arrivals::of_matrix(matrix(given, &argument)?, map, run)
        }
        .map_err(file)?;
        let mut assumed = Vec::new();
        if inner.by_position {
            // Names of rows are theirs whatever the columns are called.
            if let Some(rows) = given.texts("rows").or(given.texts("labels")) {
                inner.labels = rows;
            }
            if map.named() {
                assumed.push(format!(
                    "{argument}: found no names of columns, so they are taken as the map's in the map's order"
                ));
            }
        }
        if let Some(between) = given.within("between") {
            let between = matrix(&between, "between")?;
            inner.set_between(between, map).map_err(file)?;
        }
        if let Some(one) = given.number("self") {
            let all = SelfSimilarity::All(one);
            inner.set_self_similarity(&all).map_err(file)?;
        } else if let Some(each) = listed(given, "selves", "self")? {
            let each = SelfSimilarity::Each(each);
            inner.set_self_similarity(&each).map_err(file)?;
        } else if let Some(common) = inner.adopt_self_similarity(map) {
            assumed.push(format!(
                "{argument}: found no similarities of newcomers to themselves, so they are taken to be {common}, as all old \
                 objects' are (self says otherwise)"
            ));
        }
        if let Some(weights) = listed(given, "weights", "weights")? {
            if weights.labels.is_some() && !map.named() {
                return Err(Failure::wrong("weights", NAMES_OF_NOBODY));
            }
            inner.set_weights(&weights, map).map_err(file)?;
        }
        Ok(Self {
            inner,
            jointly: given.flag("jointly"),
            assumed,
        })
    }

    /// What is between them, if they are to be placed jointly.
    pub fn between(&self) -> Option<Between<'_>> {
        let given = || self.inner.between().unwrap_or(Between::Made);
        self.jointly.then(given)
    }

    /// What the core says about them.
    pub fn wrong(&self, error: adjoin::Error) -> Failure {
        if matches!(error, adjoin::Error::Stopped) {
            return Failure::Interrupted;
        }
        if error.about() == adjoin::About::Between && self.inner.between().is_none() {
            return Failure::wrong(
                "between",
                "found nothing between the newcomers, expected columns for them too, a dist over old and new objects, or a \
                 matrix",
            );
        }
        file(self.inner.wrong(error))
    }
}

/// A table of proximities: a matrix, or a `dist` over all objects in it.
fn matrix(given: &Entries, argument: &str) -> Result<Matrix, Failure> {
    let (rows, columns) = (given.texts("rows"), given.texts("columns"));
    let (values, k, m) = if let Some(triangle) = given.numbers("dist") {
        let n = given.count("size").unwrap_or(0);
        (square_of_dist(&triangle, n), n, n)
    } else if let Some(held) = given.matrix("values") {
        (held.row_by_row(), held.rows, held.columns)
    } else {
        return Err(Failure::wrong(
            argument,
            "found no proximities, expected them",
        ));
    };
    let labelled = columns.is_some();
    let numbered = |count: usize, word: &str| -> Vec<String> {
        (1..=count).map(|i| format!("{word}{i}")).collect()
    };
    let rows = rows.unwrap_or_else(|| numbered(k, if labelled { "new" } else { "" }));
    let matrix = Matrix {
        values,
        rows,
        columns: columns.unwrap_or_else(|| numbered(m, "")),
        labelled,
        source: argument.to_owned(),
        ..Matrix::default()
    };
    matrix.checked().map_err(file)
}

fn by_features(given: &Entries, argument: &str) -> Result<FeatureTable, Failure> {
    let features: Features = features(given, argument)?;
    Ok(FeatureTable {
        lines: Vec::new(),
        labelled: features.labelled(),
        named: features.named(),
        remarks: Vec::new(),
        source: argument.to_owned(),
        provenance: None,
        features,
    })
}
