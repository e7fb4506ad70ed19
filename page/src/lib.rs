//! The interactive page: a map, its newcomers and their arcs in one HTML file that needs nothing else.
//!
//! [`Arrived`] takes in newcomers, block by block, and keeps the few numbers that each of them is; [`Page`] turns
//! a map and its newcomers into HTML. What the browser does with it (drawing, sliding along arcs, sorting) is
//! written in TypeScript in `web/` and built into `dist/page.html`, which this crate carries along: a script, a
//! style sheet and the licences of the libraries in them, with two marks where the title and the data go.
//!
//! The page never touches the network: its content security policy forbids it, and allows that one script only,
//! by its digest. Labels are data to it and never HTML.
//!
//! ```
//! use adjoin::{Diagram, FitSettings, Kind, Newcomers, Proximities, Strategy};
//! use adjoin_formats::Map;
//! use adjoin_page::{Arrived, Page};
//! use faer::mat;
//!
//! let old = mat![[0.0, 2.0, 2.0], [2.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
//! let proximities = Proximities::new(old.as_ref(), Kind::Dissimilarity, None, 0)?;
//! let diagram = Diagram::fit(&proximities, &FitSettings { dimensions: 2, ..Default::default() })?;
//! let map = Map {
//!     model: diagram.into(),
//!     settings: Default::default(),
//!     provenance: None,
//!     version: "0.1.0".into(),
//! };
//! let new = mat![[1.0, 2.0, 4.0]];
//! let mut arrived = Arrived::new(&map.model, Strategy::Project, 1, 0)?;
//! arrived.take(&Newcomers::new(new.as_ref()), None)?;
//! let html = Page {
//!     title: "Three and <one>",
//!     map: &map,
//!     arrived: Some(&arrived),
//!     metadata: None,
//!     sources: &[],
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

use adjoin::compare::foreign_each;
use adjoin::model::Model;
use adjoin::placement::{Placements, Strategy};
use adjoin::proximity::Kind;
use adjoin_formats::{Map, Metadata};
use serde_json::{Value, json};

pub use arrived::{Arrived, Joint};
pub use methods::Source;

use encode::{Elements, escaped};

/// The page without title and data, as `web/` builds it.
const FRAME: &str = include_str!("../dist/page.html");

/// Where they go.
const TITLE: &str = "<!--adjoin:title-->";
const DATA: &str = "<!--adjoin:data-->";

/// All that a page is made from.
pub struct Page<'a> {
    /// What it is called.
    pub title: &'a str,
    /// The map.
    pub map: &'a Map,
    /// The newcomers, if there are any.
    pub arrived: Option<&'a Arrived<'a>>,
    /// What else is known of the objects.
    pub metadata: Option<&'a Metadata>,
    /// The files that it was made from.
    pub sources: &'a [Source],
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
        let model = &self.map.model;
        let diagram = model.diagram();
        let x = model.configuration();
        let numbers = (0..x.nrows()).flat_map(|i| x.row(i).iter().copied());
        elements.singles("old", numbers);
        // Where the diagram is of landmarks, only they have a residual of their own.
        let places = places(model);
        let mut residuals = vec![f64::NAN; x.nrows()];
        for (&i, residual) in places.iter().zip(diagram.leave_one_out()) {
            residuals[i] = *residual;
        }
        elements.singles("old-residual", residuals.into_iter());
        let (c, basis) = diagram.eigenbasis();
        let basis = basis.map(|v| {
            let rows = (0..v.nrows()).map(|i| v.row(i).iter().copied().collect::<Vec<_>>());
            rows.collect::<Vec<_>>()
        });
        let summary = diagram.summary();
        let new = self.arrived.map_or(&[][..], |a| &a.labels);
        json!({
            "title": self.title,
            "n": model.labels().len(),
            "d": diagram.dimensions(),
            "kind": diagram.kind().word(),
            "correction": methods::correction(diagram),
            "given": diagram.parts().given,
            "labels": model.labels(),
            "origin": diagram.origin(),
            "c": c,
            "basis": basis,
            "eigenvalues": diagram.eigenvalues(),
            "explained": diagram.proportions().into_iter().map(number).collect::<Vec<_>>(),
            "spectrum": {
                "eigenvalues": summary.eigenvalues.iter().copied().map(number).collect::<Vec<_>>(),
                "complete": summary.complete,
                "negative": summary.negative().len(),
                "trace": number(summary.trace),
                "squared_norm": number(summary.squared_norm),
                "strain": number(summary.strain),
                "findings": summary.findings,
            },
            "newcomers": self.arrived.map(|a| newcomers(a, &places, elements)),
            "metadata": self.metadata.map(|m| metadata::put(m, model.labels(), new, elements)),
            "methods": methods::methods(self.map, self.arrived, self.sources),
        })
    }
}

/// A number, or nothing: JSON has no other word for one that is not finite.
fn number(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

/// Where each of the diagram's objects is among all that are on the map.
fn places(model: &Model) -> Vec<usize> {
    let labels = model.labels().iter().map(String::as_str);
    let at: HashMap<&str, usize> = labels.zip(0..).collect();
    let own = model.diagram().labels().iter();
    own.filter_map(|label| at.get(label.as_str()).copied())
        .collect()
}

fn newcomers(arrived: &Arrived<'_>, places: &[usize], elements: &mut Elements) -> Value {
    let diagram = arrived.diagram;
    let put = |elements: &mut Elements, prefix: &str, placements: &Placements| {
        elements.doubles(prefix, &placements.coordinates);
        elements.doubles(&format!("{prefix}-objective"), &placements.objective);
        let alternatives: Vec<Value> = placements
            .alternatives
            .iter()
            .map(|(i, y)| json!([i, y]))
            .collect();
        json!({
            "status": placements.status.iter().map(|s| s.word()).collect::<Vec<_>>(),
            "alternatives": alternatives,
        })
    };
    let project = arrived.projected.as_ref().map(|p| {
        elements.doubles("residual", &p.residual);
        elements.doubles("share", &p.share);
        elements.doubles("foreign", &foreign_each(diagram, &p.residual));
        put(elements, "project", p)
    });
    let reconstruct = arrived.reconstructed.as_ref().map(|p| {
        for (id, values) in [
            ("lambda", &p.lambda),
            ("margin", &p.margin),
            ("moved", &p.displacement),
            ("stationarity", &p.stationarity),
            ("rival", &p.rival),
        ] {
            elements.doubles(id, values);
        }
        put(elements, "reconstruct", p)
    });
    let chosen = arrived.chosen.as_ref().map(|p| put(elements, "chosen", p));
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
        "why_no_arcs": match (&arrived.reconstructed, arrived.strategy) {
            (None, Strategy::Project) => Some(
                "The newcomers' similarities to themselves are not known: there is a projection, but neither a \
                 reconstruction nor a residual."
            ),
            _ => None,
        },
        "still": arrived.still,
        "segments": arrived.segments,
        "sentences": arrived.sentences(),
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
