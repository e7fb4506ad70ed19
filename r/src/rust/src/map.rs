//! The map, and everything that is asked of it.

use std::path::Path;
use std::sync::Arc;

use adjoin::stored::Correction;
use adjoin::{Border, Map, PlaceSettings, Placements, Run, Strategy};
use adjoin_formats::{MapFile, map_from_bytes, map_to_bytes, read_map, write_map};
use extendr_api::prelude::*;

use crate::answer;
use crate::failure::{Failure, core, file, told};
use crate::guard;
use crate::newcomers::Arrived;
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
fn handed(map: MapFile) -> Result<Robj, Failure> {
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
    let (diagram, summary) = (map.diagram(), map.diagram().summary());
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
    let proportions = diagram.proportions();
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
        ("version", of.version.as_str().into()),
    ])
}

/// The newcomers as they came, and the answer with them.
struct Asked {
    map: Arc<MapFile>,
    new: Arrived,
}

fn asked(map: &Robj, new: &List, threads: i32) -> Result<Asked, Failure> {
    let map = opened(map)?;
    let new = Arrived::on(&new.into(), &map, Run::on(threads as usize))?;
    Ok(Asked { map, new })
}

impl Asked {
    /// What is said beside the answer: remarks, who has no place, what was taken for granted.
    fn beside(&self, border: &Border, placements: &Placements) -> Vec<(&'static str, Robj)> {
        let labels = &self.new.inner.labels;
        let remarks = self.map.map.remarks(border, placements, Some(labels));
        let remarks: Vec<String> = remarks.into_iter().map(|r| r.sentence).collect();
        vec![
            ("labels", labels.clone().into()),
            ("remarks", remarks.into()),
            ("unplaced", answer::unplaced(placements, labels).into()),
            ("assumed", self.new.assumed.clone().into()),
        ]
    }
}

/// Places newcomers, each by itself or all of them together.
/// @noRd
#[extendr]
pub fn core_place(map: Robj, new: List, how: List, threads: i32) -> Robj {
    told(place(&map, &new, &(&how).into(), threads))
}

fn place(map: &Robj, new: &List, how: &Entries, threads: i32) -> Result<Robj, Failure> {
    let how = settings::place(how)?;
    let asked = asked(map, new, threads)?;
    let (asked, border, placements, together) =
        guard::run(threads as usize, Vec::new(), move |run| {
            let (map, newcomers) = (&asked.map.map, asked.new.inner.newcomers());
            let answer = match asked.new.between() {
                None => {
                    let placed = map.place(&newcomers, &how, run);
                    placed.map(|(border, p)| (border, p, None))
                }
                Some(between) => {
                    let placed = map.jointly(&newcomers, between, run);
                    placed.map(|(border, all)| {
                        let together = answer::together(&all);
                        (border, all.placements, together)
                    })
                }
            };
            let (border, p, together) = answer.map_err(|e| asked.new.wrong(e))?;
            Ok((asked, border, p, together))
        })?;
    let mut answer = vec![
        ("columns", answer::placements(&placements, together)),
        ("alternatives", answer::alternatives(&placements)),
    ];
    answer.extend(asked.beside(&border, &placements));
    Ok(list(answer))
}

/// Places old objects, each on the map of the others.
/// @noRd
#[extendr]
pub fn core_leave_one_out(map: Robj, how: List, threads: i32) -> Robj {
    told(leave_one_out(&map, &(&how).into(), threads))
}

fn leave_one_out(map: &Robj, how: &Entries, threads: i32) -> Result<Robj, Failure> {
    let how = settings::place(how)?;
    let map = opened(map)?;
    let of = Arc::clone(&map);
    let placements = guard::run(threads as usize, Vec::new(), move |run| {
        let placed = of.map.leave_one_out(&how, run);
        placed.map_err(core("strategy"))
    })?;
    Ok(list(vec![
        ("columns", answer::placements(&placements, None)),
        ("labels", map.map.labels().to_vec().into()),
    ]))
}

/// The arcs of newcomers.
/// @noRd
#[extendr]
pub fn core_arc(map: Robj, new: List, points: i32, threads: i32) -> Robj {
    told(arc(&map, &new, points as usize, threads))
}

fn arc(map: &Robj, new: &List, points: usize, threads: i32) -> Result<Robj, Failure> {
    let asked = asked(map, new, threads)?;
    let (asked, border, ends, arcs) = guard::run(threads as usize, Vec::new(), move |run| {
        let map = &asked.map.map;
        let how = PlaceSettings::by(Strategy::Reconstruct);
        let placed = map.place(&asked.new.inner.newcomers(), &how, run);
        let (border, ends) = placed.map_err(|e| asked.new.wrong(e))?;
        let arcs: Result<Vec<_>, _> = (0..border.count())
            .map(|i| map.arc(&border, i, points))
            .collect();
        let arcs = arcs.map_err(core("points"))?;
        Ok((asked, border, ends, arcs))
    })?;
    let d = asked.map.map.dimensions();
    let columns = answer::arcs(d, &asked.new.inner.labels, &arcs, &ends);
    let mut answer = vec![("columns", columns)];
    answer.extend(asked.beside(&border, &ends));
    Ok(list(answer))
}

/// Places newcomers by every strategy, and all of them together if what is between them is known.
/// @noRd
#[extendr]
pub fn core_compare(map: Robj, new: List, threads: i32) -> Robj {
    told(compare(&map, &new, threads))
}

fn compare(map: &Robj, new: &List, threads: i32) -> Result<Robj, Failure> {
    let asked = asked(map, new, threads)?;
    let (asked, border, comparison) = guard::run(threads as usize, Vec::new(), move |run| {
        let map = &asked.map.map;
        let compared = map.compare(&asked.new.inner.newcomers(), asked.new.between(), run);
        let (border, comparison) = compared.map_err(|e| asked.new.wrong(e))?;
        Ok((asked, border, comparison))
    })?;
    let labels = &asked.new.inner.labels;
    let projected = asked.map.map.project(&border);
    let left_out: Vec<String> = comparison
        .left_out
        .iter()
        .map(|(_, why)| why.clone())
        .collect();
    let batch = adjoin::batch_sentence(&projected.p, comparison.smallest_p);
    let mut answer = vec![
        ("columns", answer::comparison(&comparison, labels)),
        ("left_out", left_out.into()),
        ("batch", or_null(batch)),
    ];
    answer.extend(asked.beside(&border, &projected));
    Ok(list(answer))
}

extendr_module! {
    mod map;
    fn core_fit;
    fn core_open;
    fn core_read;
    fn core_write;
    fn core_points;
    fn core_facts;
    fn core_place;
    fn core_leave_one_out;
    fn core_arc;
    fn core_compare;
}
