//! The map: fitted, opened, kept, and what it holds.

use std::path::Path;
use std::sync::Arc;

use adjoin::Map;
use adjoin::stored::Correction;
use adjoin_formats::{MapFile, map_from_bytes, map_to_bytes, read_map, write_map};
use extendr_api::prelude::*;

use crate::failure::{Failure, core, file, told};
use crate::guard;
use crate::objects::Objects;
use crate::settings;
use crate::value::{Entries, list, matrix, numbers, or_null, row_by_row};

/// A map as R points to it. Its bytes are kept beside the pointer, which does not outlive the session.
type Pointer = ExternalPtr<Arc<MapFile>>;

pub fn opened(map: &Robj) -> Result<Arc<MapFile>, Failure> {
    let pointer: Result<&Pointer, _> = map.try_into();
    let pointer = pointer.map_err(|_| Failure::wrong("map", "found no map, expected one"))?;
    Ok(Arc::clone(pointer))
}

/// The pointer and the bytes.
pub fn handed(map: MapFile) -> Result<Robj, Failure> {
    let bytes = map_to_bytes(&map).map_err(file)?;
    let pointer: Pointer = ExternalPtr::new(Arc::new(map));
    Ok(list(vec![
        ("pointer", pointer.into()),
        ("bytes", Raw::from_bytes(&bytes).into()),
    ]))
}

/// Fits a map.
/// @noRd
#[extendr]
pub fn core_fit(objects: List, settings: List, threads: i32) -> Robj {
    told(fit(
        &(&objects).into(),
        &(&settings).into(),
        threads as usize,
    ))
}

fn fit(given: &Entries, said: &Entries, threads: usize) -> Result<Robj, Failure> {
    let (objects, mut owners) = Objects::of(given)?;
    let mut settings = settings::fit(said, objects.labels())?;
    let points = said.matrix("points");
    // Coordinates that are given are taken as they are; those of another program's classical scaling only say which way
    // round its axes are, if they are the same.
    let (face, scaled) = (said.matrix("face"), said.flag("face_scaled"));
    if let Some(points) = &points {
        settings.configuration = Some(points.view().to_owned());
        settings.rescale = said.flag("rescale");
    }
    owners.extend(said.get("face").cloned());
    let fitted = guard::run(threads, owners, move |run| {
        let argument = "d";
        let fitted = Map::fit(objects.core(), &settings, run).map_err(core(argument))?;
        let Some(face) = face else {
            return Ok((fitted.map, fitted.findings));
        };
        if let Some(map) = fitted.map.facing(face.view(), scaled) {
            return Ok((map, fitted.findings));
        }
        if !scaled {
            let what = "found axes that are not those of its distances, expected an ordination without constraints";
            return Err(Failure::wrong("x", what));
        }
        let d = fitted.map.dimensions();
        settings.configuration = Some(face.view().subcols(0, d).to_owned());
        let given = Map::fit(objects.core(), &settings, run).map_err(core(argument))?;
        Ok((given.map, given.findings))
    });
    let (map, findings) = fitted?;
    let map = MapFile {
        map,
        settings: settings::words(said),
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let map = handed(map)?;
    Ok(list(vec![("map", map), ("findings", findings.into())]))
}

/// The map in the bytes of its file.
/// @noRd
#[extendr]
pub fn core_open(bytes: Robj) -> Robj {
    let bytes = bytes.as_raw_slice().unwrap_or(&[]).to_vec();
    told(map_from_bytes(bytes, "map").map_err(file).map(|map| {
        let pointer: Pointer = ExternalPtr::new(Arc::new(map));
        pointer.into()
    }))
}

/// Reads a map.
/// @noRd
#[extendr]
pub fn core_read(path: &str) -> Robj {
    told(read_map(Path::new(path)).map_err(file).and_then(handed))
}

/// Writes a map to a file that appears whole or not at all.
/// @noRd
#[extendr]
pub fn core_write(map: Robj, path: &str) -> Robj {
    let written = opened(&map).and_then(|map| write_map(&map, Path::new(path)).map_err(file));
    told(written.map(Robj::from))
}

/// Whether a pointer still points to a map: not after it was stored and read again.
/// @noRd
#[extendr]
pub fn core_points(map: Robj) -> bool {
    opened(&map).is_ok()
}

/// What a map holds.
/// @noRd
#[extendr]
pub fn core_facts(map: Robj) -> Robj {
    told(opened(&map).map(|map| facts(&map)))
}

fn facts(of: &MapFile) -> Robj {
    let map = &of.map;
    // Of a map that has grown, what its founders were fitted to.
    let (diagram, summary) = (map.founding(), map.founding().summary());
    let (correction, constant) = match diagram.parts().correction {
        Correction::None => ("none", 0.0),
        Correction::Lingoes(c) => ("lingoes", c),
        Correction::Cailliez(c) => ("cailliez", c),
    };
    let origin = match &diagram.centring().weights {
        None => "centroid",
        Some(w) if w.iter().all(|w| *w == 0.0) => "none",
        Some(_) => "weighted",
    };
    let proportions = map.proportions();
    let titles: Vec<String> = (proportions.iter().enumerate())
        .map(|(a, share)| format!("axis {} ({:.1} %)", a + 1, 100.0 * share))
        .collect();
    let shown = 100.0 * proportions.iter().sum::<f64>();
    let whole = if summary.complete {
        "positive eigenvalues"
    } else {
        "trace"
    };
    let x = map.configuration();
    let axes = map.suggested_axes();
    list(vec![
        ("points", matrix(&row_by_row(x), x.ncols())),
        ("labels", map.labels().to_vec().into()),
        ("named", map.named().into()),
        ("references", map.references().to_vec().into()),
        ("method", map.method().word().into()),
        ("strategy", map.usual_strategy().word().into()),
        ("kind", map.kind().word().into()),
        ("metric", or_null(map.source().map(|s| s.measure().word()))),
        ("eigenvalues", numbers(diagram.eigenvalues().to_vec())),
        ("proportions", numbers(proportions)),
        ("titles", titles.into()),
        ("all_eigenvalues", numbers(summary.eigenvalues.clone())),
        ("complete", summary.complete.into()),
        ("negative", (summary.negative().len() as i32).into()),
        ("correction", correction.into()),
        ("constant", constant.into()),
        ("origin", origin.into()),
        ("given", diagram.parts().given.into()),
        ("left_out", diagram.leave_one_out().form.word().into()),
        ("residuals", numbers(map.old_residuals())),
        ("spread", map.spread().into()),
        (
            "suggested",
            vec![axes.by_stick as i32, axes.by_likelihood as i32].into(),
        ),
        ("shown", format!("{shown:.1} % of the {whole}").into()),
        ("findings", summary.findings.clone().into()),
        ("founders", (map.founders() as i32).into()),
        ("generations", generations(map)),
        ("shrinkage", numbers(map.footing().shrinkage)),
        ("version", of.version.as_str().into()),
    ])
}

/// Who came when, as columns; nothing if nobody did.
fn generations(map: &Map) -> Robj {
    let all = map.generations();
    if all.is_empty() {
        return ().into();
    }
    let counts = |of: &dyn Fn(usize) -> usize| -> Robj {
        let each = (0..all.len()).map(|g| of(g) as i32);
        each.collect::<Vec<i32>>().into()
    };
    let texts = |of: &dyn Fn(usize) -> String| -> Robj {
        (0..all.len()).map(of).collect::<Vec<String>>().into()
    };
    let jointly = all.iter().map(|g| Rbool::from(g.jointly));
    list(vec![
        ("generation", counts(&|g| g + 1)),
        ("count", counts(&|g| all[g].count)),
        ("objects", counts(&|g| map.count_at(g + 1))),
        ("strategy", texts(&|g| all[g].strategy.word().to_owned())),
        ("jointly", jointly.collect::<Logicals>().into()),
        ("placed_on", counts(&|g| all[g].placed_on)),
        ("name", texts(&|g| all[g].name.clone())),
    ])
}

extendr_module! {
    mod map;
    fn core_fit;
    fn core_open;
    fn core_read;
    fn core_write;
    fn core_points;
    fn core_facts;
}
