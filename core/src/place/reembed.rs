//! Re-embedding: the map made anew with the newcomers in it, turned back onto the old one.
//!
//! Classical scaling of all n + k objects, centred on all of them, then moved (rotation, reflection and
//! shift, no scaling) so that the old objects are as close as possible to where they were. This is what
//! adding points avoids: the old objects move. It is here to say how much.
#![allow(non_snake_case)]

use faer::{Mat, MatRef};

use crate::error::{About, Error};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::input::kind::Element;
use crate::input::proximities::Proximities;
use crate::place::procrustes;
use crate::run::Run;

/// The new map beside the old.
#[derive(Debug, Clone, PartialEq)]
pub struct Reembedding {
    /// The newcomers, k × d.
    pub newcomers: Mat<f64>,
    /// The old objects where the new map has them, n × d.
    pub old: Mat<f64>,
    /// How far each old object moved.
    pub displacements: Vec<f64>,
    /// The root mean square of that.
    pub root_mean_square: f64,
    /// The largest of them.
    pub largest: f64,
}

/// Embeds all n + k objects of `all`, of which the first n are those of the n × d `configuration`.
///
/// `settings` are those of the fit; its dimensions are taken from the configuration and its origin is
/// the mean of all.
pub(crate) fn solve<T: Element>(
    all: &Proximities<'_, T>,
    configuration: MatRef<'_, f64>,
    settings: &DiagramSettings,
    run: Run<'_>,
) -> Result<Reembedding, Error> {
    let (n, d) = (configuration.nrows(), configuration.ncols());
    if n > all.count() {
        return Err(Error::Length {
            about: About::Objects,
            what: "proximities of old and new objects",
            found: all.count(),
            expected: n,
        });
    }
    let settings = DiagramSettings {
        dimensions: d,
        origin: Default::default(),
        ..settings.clone()
    };
    let diagram = Diagram::fit(all, &settings, run)?;
    let Z = diagram.configuration();

    // Turn the old objects back onto the map, and the newcomers with them.
    let motion = procrustes::rotation(Z.subrows(0, n), configuration, true);
    let moved = motion.apply(Z);
    let old = moved.subrows(0, n).to_owned();
    let displacement = |i: usize| {
        (0..d).fold(0.0, |r: f64, k| {
            r.hypot(old[(i, k)] - configuration[(i, k)])
        })
    };
    let displacements: Vec<f64> = (0..n).map(displacement).collect();
    let largest = displacements.iter().fold(0.0, |m: f64, &v| m.max(v));
    let squares: f64 = displacements
        .iter()
        .filter(|_| largest > 0.0)
        .map(|v| (v / largest).powi(2))
        .sum();
    Ok(Reembedding {
        newcomers: moved.subrows(n, all.count() - n).to_owned(),
        root_mean_square: (squares / n.max(1) as f64).sqrt() * largest,
        largest,
        displacements,
        old,
    })
}
