//! Who arrives: a list as the newcomers of a map, by the same rules as files (`adjoin-formats`).

use adjoin::{Between, Features, Kind, Map, Run};
use adjoin_formats::{Arrivals, FeatureTable, MapFile, Matrix, SelfSimilarity, choose_generation};
use faer::Mat;

use crate::failure::{Failure, core, file};
use crate::objects::features;
use crate::settings::{NAMES_OF_NOBODY, listed};
use crate::value::{Entries, square_of_dist};

/// The newcomers of a map, with who is who settled.
pub struct Arrived {
    pub inner: Arrivals,
    jointly: bool,
    /// The generation of the map that they are for.
    pub generation: usize,
    /// Whether their labels only count.
    pub counted: bool,
    /// What was taken for granted about them, in words.
    pub assumed: Vec<String>,
}

/// Errs on a map of proximities that went through something which is not done here.
pub fn untransformed(of: &MapFile) -> Result<(), Failure> {
    let Some(transform) = of.transform().map_err(file)? else {
        return Ok(());
    };
    let what = format!(
        "found one of proximities that went through {} before the fit, expected to be asked by the command line or Python, which \
         do the same to others",
        transform.word()
    );
    Err(Failure::wrong("map", what))
}

/// The proximities between the map's old objects, beside newcomers: those that are given, or by the map's own measure.
pub fn old_square(given: &Entries, map: &Map, run: Run<'_>) -> Result<Mat<f64>, Failure> {
    if let Some(old) = given.within("old") {
        let old = matrix(&old, "old", map.kind())?;
        return adjoin_formats::old_square(old, map).map_err(file);
    }
    let made = map.old_of_features(run).map_err(core("old"))?;
    made.ok_or_else(|| {
        let what = "found nothing beside uncertainty = \"refit\", expected the proximities between the old objects, which the map \
                    does not have";
        Failure::wrong("old", what)
    })
}

impl Arrived {
    /// Understands a list, and gives back the map as it was when they are for a generation before the newest; labels are matched
    /// here and now, numbers are read later.
    pub fn on(
        given: &Entries,
        of: &MapFile,
        run: Run<'_>,
    ) -> Result<(Self, Option<MapFile>), Failure> {
        untransformed(of)?;
        let argument = given.text("argument").unwrap_or_default();
        let (last, wanted) = (of.map.generations().len(), given.count("generation"));
        // Whatever they are, there must be such a generation.
        if let Some(generation) = wanted {
            of.map.generation(generation).map_err(core("generation"))?;
        }
        let by_features_alone = given.get("features").or(given.get("texts")).is_some();
        let (table, generation) = if by_features_alone {
            (None, wanted.unwrap_or(last))
        } else {
            let mut table = matrix(given, &argument, of.map.kind())?;
            let generation = choose_generation(&mut table, &of.map, wanted).map_err(file)?;
            (Some(table), generation)
        };
        let then = if generation < last {
            let map = of.map.generation(generation).map_err(core("generation"))?;
            Some(MapFile { map, ..of.clone() })
        } else {
            None
        };
        let map = then.as_ref().map_or(&of.map, |then| &then.map);
        let mut inner = match table {
            None => {
                let table = by_features(given, &argument)?;
                let names = map.source().map_or(&[][..], |s| s.features().names());
                let table = table.fitted_to(names, given.number("fill"), given.flag("ignore"));
                table.and_then(|table| Arrivals::of_features(table, map))
            }
            Some(table) if given.flag("partial") => Arrivals::of_part(table, map, run),
            Some(table) => Arrivals::of_matrix(table, map, run),
        }
        .map_err(file)?;
        let mut assumed = Vec::new();
        if generation < last && wanted.is_none() {
            assumed.push(format!(
                "{argument}: found columns for the first {} of {} objects only, so they are placed on the map as it was then \
                 (generation {generation} of {last})",
                map.labels().len(),
                of.map.labels().len()
            ));
        }
        let named = given.get("rows").or(given.get("labels")).is_some();
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
            let between = matrix(&between, "between", map.kind())?;
            inner.set_between(between, map).map_err(file)?;
        }
        if let Some(one) = given.number("self") {
            let all = SelfSimilarity::All(one);
            inner.set_self_similarity(&all, map).map_err(file)?;
        } else if let Some(each) = listed(given, "selves", "self")? {
            let each = SelfSimilarity::Each(each);
            inner.set_self_similarity(&each, map).map_err(file)?;
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
        let arrived = Self {
            inner,
            jointly: given.flag("jointly"),
            generation,
            counted: !named,
            assumed,
        };
        Ok((arrived, then))
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
        if error.about() == adjoin::About::Between && !self.inner.has_between() {
            return Failure::wrong(
                "between",
                "found nothing between the newcomers, expected columns for them too, a dist over old and new objects, or a \
                 matrix",
            );
        }
        file(self.inner.wrong(error))
    }
}

/// What is wrong with similarities in the form of distances.
pub const NO_DIAGONAL: &str = "found a dist, which has no diagonal, expected a matrix: how similar objects are to themselves matters";

/// A table of proximities: a matrix, or a `dist` over all objects in it.
pub fn matrix(given: &Entries, argument: &str, kind: Kind) -> Result<Matrix, Failure> {
    let (rows, columns) = (given.texts("rows"), given.texts("columns"));
    let (values, k, m) = if let Some(triangle) = given.numbers("dist") {
        if kind == Kind::Similarity {
            return Err(Failure::wrong(argument, NO_DIAGONAL));
        }
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

pub fn by_features(given: &Entries, argument: &str) -> Result<FeatureTable, Failure> {
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
