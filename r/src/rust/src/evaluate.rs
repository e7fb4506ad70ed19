//! Strategies tried on the old objects.

use std::sync::Arc;

use adjoin::{EvaluateSettings, Map, Run};
use adjoin_formats::match_old;
use extendr_api::prelude::*;
use faer::{Mat, MatRef};

use crate::answer;
use crate::failure::{Failure, core, file, told};
use crate::guard;
use crate::map::opened;
use crate::newcomers::{by_features, matrix, untransformed};
use crate::settings;
use crate::value::{Entries, list};

/// The argument that holds the old objects.
const ARGUMENT: &str = "d";

/// Tries strategies by folds of the old objects, each placed on a map of the others.
/// @noRd
#[extendr]
pub fn core_evaluate(map: Robj, old: List, how: List, threads: i32) -> Robj {
    told(evaluate(&map, &(&old).into(), &(&how).into(), threads))
}

fn evaluate(map: &Robj, old: &Entries, how: &Entries, threads: i32) -> Result<Robj, Failure> {
    let map = opened(map)?;
    untransformed(&map)?;
    let words = how.texts("strategies").unwrap_or_default();
    let strategies: Result<Vec<_>, _> = words.iter().map(|w| settings::strategy_of(w)).collect();
    let (strategies, groups) = (strategies?, how.texts("groups"));
    let (classes, repeats) = (how.texts("classes"), how.count("repeats"));
    let (folds, seed) = (how.count("folds"), how.count("seed"));
    let known_classes = classes.is_some();
    let old = in_order(old, &map.map, Run::on(threads as usize))?;
    let of = Arc::clone(&map);
    let evaluation = guard::run(threads as usize, Vec::new(), move |run| {
        let default = EvaluateSettings::default();
        let settings = EvaluateSettings {
            folds: folds.unwrap_or(default.folds),
            repeats,
            strategies,
            groups: groups.as_deref(),
            classes: classes.as_deref(),
            seed: seed.map_or(default.seed, |s| s as u64),
        };
        let evaluation = of.map.evaluate(old.as_ref(), &settings, run);
        evaluation.map_err(core(ARGUMENT))
    })?;
    Ok(list(vec![
        ("columns", answer::evaluation(&evaluation, known_classes)),
        ("says", evaluation.sentence().into()),
        ("folds", (evaluation.folds as i32).into()),
        ("repeats", (evaluation.repeats as i32).into()),
        ("seed", (evaluation.seed as f64).into()),
    ]))
}

/// The proximities between the map's objects in its order, as they were at the fit.
fn in_order(old: &Entries, map: &Map, run: Run<'_>) -> Result<Mat<f64>, Failure> {
    if old.get("features").or(old.get("texts")).is_some() {
        let table = by_features(old, ARGUMENT)?;
        let names = map.source().map_or(&[][..], |s| s.features().names());
        let table = table.fitted_to(names, None, false).map_err(file)?;
        let made = map.old_by_features(&table.features, run);
        return made.map_err(core(ARGUMENT));
    }
    let values = match_old(matrix(old, ARGUMENT, map.kind())?, map.references()).map_err(file)?;
    let n = map.references().len();
    Ok(MatRef::from_row_major_slice(&values, n, n).to_owned())
}

extendr_module! {
    mod evaluate;
    fn core_evaluate;
}
