//! The interactive page: a map, its newcomers and their arcs in one HTML file that needs nothing else.
//!
//! [`Arrived`] reads newcomers once and keeps the few numbers that each of them is; [`Page`] turns
//! a map and its newcomers into HTML. What the browser does with it (drawing, sliding along arcs, sorting) is
//! written in TypeScript in `web/` and built into `dist/page.html`, which this crate carries along: a script, a
//! style sheet and the licences of the libraries in them, with two marks where the title and the data go.
//!
//! The page never touches the network: its content security policy forbids it, and allows that one script only,
//! by its digest. Labels are data to it and never HTML.
//!
//! ```
//! use adjoin::{Entries, FitSettings, Kind, Map, Newcomers, Objects, Run, Square, Strategy};
//! use adjoin_formats::MapFile;
//! use adjoin_page::{Arrived, Page};
//! use faer::mat;
//!
//! let old = mat![[0.0, 2.0, 2.0], [2.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
//! let square = Square {
//!     entries: Entries::Doubles(old.as_ref()),
//!     kind: Kind::Dissimilarity,
//!     labels: None,
//!     made_of: None,
//! };
//! let run = Run::default();
//! let file = MapFile {
//!     map: Map::fit(Objects::Square(square), &FitSettings::default(), run)?.map,
//!     settings: Default::default(),
//!     provenance: None,
//!     version: "0.1.0".into(),
//! };
//! let new = mat![[1.0, 2.0, 4.0]];
//! let newcomers = Newcomers::new(new.as_ref());
//! let arrived = Arrived::read(&file.map, Strategy::Project, &newcomers, None, run)?;
//! let html = Page {
//!     title: "Three and <one>",
//!     file: &file,
//!     arrived: Some(&arrived),
//!     metadata: None,
//!     sources: &[],
//!     flip: &[],
//!     variables: None,
//! }
//! .html();
//! assert!(html.contains("<title>Three and &lt;one&gt;</title>"));
//! # Ok::<(), adjoin::Error>(())
//! ```

mod arrived;
mod encode;
mod metadata;
mod methods;
mod pairs;

use std::collections::HashMap;

use adjoin::stored::Linked;
use adjoin::{
    Assessment, Comparison, Kind, LEVEL, Map, Placements, Strategy, Variables, batch_sentence,
};
use adjoin_formats::{MapFile, Metadata};
use serde_json::{Value, json};

pub use arrived::{Arrived, Asked};
pub use methods::Source;

use encode::{Elements, escaped};

/// The page without title and data, as `web/` builds it.
const FRAME: &str = include_str!("../dist/page.html");

/// Variables that a page holds, those that follow the axes best.
const MOST_VARIABLES: usize = 60;

/// Where they go.
const TITLE: &str = "<!--adjoin:title-->";
const DATA: &str = "<!--adjoin:data-->";

/// All that a page is made from.
pub struct Page<'a> {
    /// What it is called.
    pub title: &'a str,
    /// The map, and where it came from.
    pub file: &'a MapFile,
    /// The newcomers to this map, if there are any.
    pub arrived: Option<&'a Arrived>,
    /// What else is known of the objects.
    pub metadata: Option<&'a Metadata>,
    /// The files that it was made from.
    pub sources: &'a [Source],
    /// Axes, from 0, that are drawn the other way round when the page opens.
    pub flip: &'a [usize],
    /// Variables fitted to all axes of the map, by name.
    pub variables: Option<(&'a [String], &'a Variables)>,
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let mut elements = Elements::default();
        let words = self.words(&mut elements);
        elements.words("words", &words);
        // The frame's marks are its own: what is put in at one is not searched for the other.
        let (head, rest) = FRAME.split_once(TITLE).unwrap_or((FRAME, ""));
        let (middle, tail) = rest.split_once(DATA).unwrap_or((rest, ""));
        let title = escaped(self.title);
        [head, &title, middle, &elements.into_html(), tail].concat()
    }

    /// What the page says in words; long arrays go to elements of their own.
    fn words(&self, elements: &mut Elements) -> Value {
        let map = &self.file.map;
        let diagram = map.diagram();
        let x = map.configuration();
        let numbers = (0..x.nrows()).flat_map(|i| x.row(i).iter().copied());
        elements.singles("old", numbers);
        elements.singles("old-residual", map.old_residuals().into_iter());
        let (c, _) = diagram.eigenbasis();
        let (origin, basis) = map.frame();
        let basis = basis.map(|v| {
            let rows = (0..v.nrows()).map(|i| v.row(i).iter().copied().collect::<Vec<_>>());
            rows.collect::<Vec<_>>()
        });
        let summary = diagram.summary();
        let new = self.arrived.map_or(&[][..], |a| &a.labels);
        json!({
            "title": self.title,
            "flip": self.flip,
            "variables": self.variables.map(|(names, fitted)| variables(names, fitted)),
            "n": map.labels().len(),
            "d": diagram.dimensions(),
            "kind": diagram.kind().word(),
            "correction": methods::correction(diagram),
            "given": diagram.parts().given,
            "link": map.link().map(|linked| link(map, linked, elements)),
            "labels": map.labels(),
            "origin": origin,
            "c": c,
            "basis": basis,
            "eigenvalues": diagram.eigenvalues(),
            "spread": number(Comparison::on(diagram).spread),
            "explained": map.proportions().into_iter().map(number).collect::<Vec<_>>(),
            "spectrum": {
                "eigenvalues": summary.eigenvalues.iter().copied().map(number).collect::<Vec<_>>(),
                "complete": summary.complete,
                "negative": summary.negative().len(),
                "trace": number(summary.trace),
                "squared_norm": number(summary.squared_norm),
                "strain": number(summary.strain),
                "findings": summary.findings,
            },
            "newcomers": self.arrived.map(|a| newcomers(a, map, &places(map), elements)),
            "metadata": self.metadata.map(|m| metadata::put(m, map.labels(), new, x, elements)),
            "methods": methods::methods(self.file, self.arrived, self.sources),
        })
    }
}

/// A number, or nothing: JSON has no other word for one that is not finite.
fn number(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

/// The link of a map, with the Shepard diagram of its old pairs.
fn link(map: &Map, linked: &Linked, elements: &mut Elements) -> Value {
    let (link, shepard) = (&linked.link, &linked.shepard);
    elements.singles("link-given", shepard.pairs.iter().map(|p| p.0));
    elements.singles("link-shown", shepard.pairs.iter().map(|p| p.1));
    elements.doubles("link-knots", &link.dissimilarities);
    elements.doubles("link-distances", &link.distances);
    let n = map.labels().len();
    let error = map.link_error();
    json!({
        "form": link.form.word(),
        "stress": number(shepard.stress),
        "range": [number(shepard.range.0), number(shepard.range.1)],
        "pairs": n * (n - 1) / 2,
        "error": error.and_then(|e| number(e.median)),
        "radius": error.and_then(|e| number(e.radius)),
    })
}

/// Where each of the diagram's objects is among all that are on the map.
fn places(map: &Map) -> Vec<usize> {
    let labels = map.labels().iter().map(String::as_str);
    let at: HashMap<&str, usize> = labels.zip(0..).collect();
    let own = map.diagram().labels().iter();
    own.filter_map(|label| at.get(label.as_str()).copied())
        .collect()
}

/// The strongest variables, each with its arrow on all axes.
fn variables(names: &[String], fitted: &Variables) -> Value {
    let strongest = fitted.strongest().into_iter().take(MOST_VARIABLES);
    let each = strongest.map(|j| {
        json!({
            "name": names[j],
            "r2": number(fitted.r2[j]),
            "p": number(fitted.p[j]),
            "arrow": fitted.arrow(j),
        })
    });
    json!({ "all": names.len(), "strongest": each.collect::<Vec<_>>() })
}

fn newcomers(arrived: &Arrived, map: &Map, places: &[usize], elements: &mut Elements) -> Value {
    let diagram = map.diagram();
    let put = |elements: &mut Elements, prefix: &str, placements: &Placements| {
        elements.doubles(prefix, &placements.coordinates);
        elements.doubles(&format!("{prefix}-objective"), &placements.objective);
        let alternatives: Vec<Value> = placements
            .alternatives
            .iter()
            .map(|(i, y)| json!([i, y]))
            .collect();
        certainty(placements, prefix, elements);
        json!({
            "certain": !placements.covariance.is_empty(),
            "status": placements.status.iter().map(|s| s.word()).collect::<Vec<_>>(),
            "alternatives": alternatives,
        })
    };
    let projected = &arrived.projected;
    elements.doubles("residual", &projected.residual);
    elements.doubles("share", &projected.share);
    for (id, values) in [
        ("p", &projected.p),
        ("p-outside", &projected.p_outside),
        ("p-inside", &projected.p_inside),
        ("p-nearest", &projected.p_nearest),
    ] {
        elements.doubles(id, values);
    }
    let project = put(elements, "project", projected);
    let reconstruct = arrived.reconstructed.as_ref().map(|p| {
        // Where there is another place than the arc's end, it is there that newcomers move.
        let moved = arrived.chosen.as_ref().unwrap_or(p);
        for (id, values) in [
            ("lambda", &p.lambda),
            ("margin", &p.margin),
            ("moved", &moved.displacement),
            ("stationarity", &p.stationarity),
            ("side", &p.side),
            ("jump", &p.jump),
            ("stretch", &p.stretch),
        ] {
            elements.doubles(id, values);
        }
        put(elements, "reconstruct", p)
    });
    let chosen = arrived.chosen.as_ref().map(|p| put(elements, "chosen", p));
    let ends = [arrived.chosen.as_ref(), arrived.reconstructed.as_ref()];
    let mut ends = ends.into_iter().flatten().chain([projected]);
    let certain = ends.find(|p| !p.covariance.is_empty());
    let beside = arrived.beside.iter().enumerate().map(|(at, p)| {
        let mut words = put(elements, &format!("beside-{at}"), p);
        words["strategy"] = json!(p.strategy.word());
        words
    });
    let beside: Vec<Value> = beside.collect();
    let pairs = &arrived.pairs;
    elements.indices("pairs-count", pairs.counts.iter().copied());
    let old = pairs.old.iter().map(|&i| places[i as usize] as u32);
    elements.indices("pairs-old", old);
    elements.singles("pairs-given", pairs.given.iter().copied());
    let missing = arrived.observed.iter().any(|o| *o < diagram.count());
    let word = match (&arrived.joint, arrived.strategy) {
        (Some(_), _) => "jointly",
        (None, strategy) => strategy.word(),
    };
    let unplaced: Vec<Value> = arrived
        .unplaced()
        .into_iter()
        .map(|(i, why)| json!([i, why]))
        .collect();
    json!({
        "labels": arrived.labels,
        "strategy": word,
        "project": project,
        "reconstruct": reconstruct,
        "chosen": chosen,
        "beside": beside,
        "why_no_arcs": match (&arrived.reconstructed, arrived.strategy) {
            _ if map.link().is_some() => Some(
                "Newcomers are placed by stress, the map's own criterion: there is one place for each, and no arc."
            ),
            (None, Strategy::Project) => Some(
                "The newcomers' similarities to themselves are not known: there is a projection, but neither a \
                 reconstruction nor a residual."
            ),
            _ => None,
        },
        "still": arrived.still,
        "segments": arrived.segments,
        "sentences": arrived.sentences(map),
        "remarks": arrived.remarks().iter().map(|r| &r.sentence).collect::<Vec<_>>(),
        "assessment": arrived.assessment().map(assessment),
        "uncertainty": certain.map(|p| uncertainty(p, elements)),
        "batch": batch_sentence(&projected.p, map.smallest_p()),
        "level": LEVEL,
        "observed": missing.then_some(&arrived.observed),
        "joint": arrived.joint.map(|j| json!({
            "certified": j.certified,
            "gap": j.gap.and_then(number),
            "objective": number(j.objective),
        })),
        "unplaced": unplaced,
        "pairs": {
            "each": pairs.budget.each,
            "nearest": pairs.budget.nearest,
            "inner_products": diagram.kind() == Kind::Similarity,
        },
    })
}

/// The share of the regions that are drawn around places.
const REGION: f64 = 0.95;

/// The covariance of each place: its lower triangle, row by row.
fn certainty(placements: &Placements, prefix: &str, elements: &mut Elements) {
    let d = placements.dimensions;
    if placements.covariance.is_empty() {
        return;
    }
    let each = placements.covariance.chunks_exact(d * d);
    let triangle = |sigma: &[f64]| -> Vec<f64> {
        let row = |a: usize| sigma[a * d..=a * d + a].iter().copied();
        (0..d).flat_map(row).collect()
    };
    elements.singles(&format!("{prefix}-covariance"), each.flat_map(triangle));
}

/// How far the regions reach on the axes that are shown, which are two unless the map has one.
fn uncertainty(placements: &Placements, elements: &mut Elements) -> Value {
    let axes = placements.dimensions.min(2);
    let reach = |i: usize| placements.region(i, axes, REGION).sqrt();
    elements.singles("reach", (0..placements.count()).map(reach));
    json!({ "level": REGION, "refits": placements.blocks })
}

/// The verdict on the newcomers as a batch, with its numbers.
fn assessment(assessment: &Assessment) -> Value {
    json!({
        "verdict": assessment.verdict.word(),
        "newcomers": assessment.newcomers,
        "unlike": assessment.unlike,
        "chance": number(assessment.chance),
        "weight": number(assessment.weight),
        "says": assessment.sentence(),
    })
}

#[cfg(test)]
mod tests;
