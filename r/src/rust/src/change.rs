//! Maps from maps: newcomers become members, the map as it was, everybody anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use adjoin::{GrowSettings, Newcomers};
use adjoin_formats::{MapFile, map_digest};
use extendr_api::prelude::*;

use crate::answer;
use crate::ask::Asked;
use crate::failure::{Failure, core, file, told};
use crate::guard;
use crate::map::{handed, opened};
use crate::newcomers::untransformed;
use crate::objects::Objects;
use crate::settings;
use crate::value::{Entries, list};

/// The map with newcomers as members.
/// @noRd
#[extendr]
pub fn core_grow(map: Robj, new: List, how: List, threads: i32) -> Robj {
    told(grow(&map, &new, &(&how).into(), threads))
}

fn grow(map: &Robj, new: &List, how: &Entries, threads: i32) -> Result<Robj, Failure> {
    let place = settings::place(how)?;
    let name = how.text("name").unwrap_or_default();
    let asked = Asked::of(map, new, threads)?;
    let (asked, grown) = guard::run(threads as usize, Vec::new(), move |run| {
        let arrived = &asked.new;
        let settings = GrowSettings {
            place,
            between: arrived.between(),
            generation: Some(arrived.generation),
            name,
            digest: String::new(),
        };
        let given = arrived.inner.newcomers();
        let newcomers = Newcomers {
            // Names that only count go on counting.
            labels: given.labels.filter(|_| !arrived.counted),
            ..given
        };
        let grown = asked.newest.map.grow(&newcomers, &settings, run);
        let grown = grown.map_err(|e| arrived.wrong(e))?;
        Ok((asked, grown))
    })?;
    let beside = asked.beside(&grown.border, &grown.placements);
    let map = handed(MapFile {
        map: grown.map,
        ..MapFile::clone(&asked.newest)
    })?;
    let mut answer = vec![("map", map)];
    answer.extend(beside);
    Ok(list(answer))
}

/// The map as it was at a generation.
/// @noRd
#[extendr]
pub fn core_generation(map: Robj, generation: i32) -> Robj {
    let then = opened(&map).and_then(|file| {
        let map = file.map.generation(generation as usize);
        let map = map.map_err(core("generation"))?;
        let file = MapFile::clone(&file);
        handed(MapFile { map, ..file })
    });
    told(then)
}

/// Everybody anew, turned onto the map that was.
/// @noRd
#[extendr]
pub fn core_refit(map: Robj, objects: List, align: bool, threads: i32) -> Robj {
    told(refit(&map, &(&objects).into(), align, threads))
}

fn refit(map: &Robj, given: &Entries, align: bool, threads: i32) -> Result<Robj, Failure> {
    let old = opened(map)?;
    untransformed(&old)?;
    let (objects, owners) = Objects::like(given, &old.map)?;
    let of = Arc::clone(&old);
    let refitted = guard::run(threads as usize, owners, move |run| {
        let refitted = of.map.refit(objects.core(), align, run);
        refitted.map_err(core("d"))
    })?;
    let mut settings: BTreeMap<String, String> = old.settings.clone();
    let digest = map_digest(&old).map_err(file)?;
    settings.insert("refitted".into(), format!("from a map (sha256 {digest})"));
    let moved = answer::moved(&refitted, old.map.labels());
    let map = handed(MapFile {
        map: refitted.map,
        settings,
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    Ok(list(vec![("map", map), ("moved", moved)]))
}

extendr_module! {
    mod change;
    fn core_grow;
    fn core_generation;
    fn core_refit;
}
