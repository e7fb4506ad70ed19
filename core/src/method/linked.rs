//! A map of given coordinates with a link: f fitted to the old pairs, and the evidence for it.
//!
//! The diagram's proximities are the distances f(δ), in the unit of the coordinates, of old pairs as of newcomers. What newcomers
//! are measured by follows from them. Whether the link tells where objects belong is seen by the old ones: each is placed
//! by its dissimilarities to the others, f and the others held fixed, and should come back to about where it is. A link that
//! puts them elsewhere puts newcomers elsewhere too, without a word: it is refused.

use faer::MatRef;

use crate::error::{About, Error, Object};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::fit::given;
use crate::fit::link::Link;
use crate::input::kind::{Element, Kind};
use crate::input::proximities::Proximities;
use crate::map::way::Way;
use crate::map::way::linked::Linked;
use crate::map::{Map, Method, Parts};
use crate::method::settings::{FitSettings, Fitted};
use crate::number::rounded;
use crate::place::alone::{by_stress, in_batches, on_map};
use crate::run::Run;
use crate::strategy::stress::{self, StressSettings};

/// A link is bad if it places old objects, each left out, farther from where they are than this share of the map's radius, in
/// the median.
const BAD: f64 = 0.5;

/// Fits the link, and makes the map.
pub(crate) fn fit<T: Element>(
    proximities: &Proximities<'_, T>,
    configuration: MatRef<'_, f64>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let labels = proximities.labels();
    given::check(labels, configuration)?;
    let weights = settings.link_weights.clone();
    if let Some(weights) = &weights {
        check_weights(weights, labels)?;
    }
    let (link, shepard) = Link::fit(
        settings.link,
        proximities,
        configuration,
        weights.as_deref(),
    )?;
    let mut linked = Linked {
        kind: proximities.kind(),
        link,
        weights,
        shepard,
        left_out: Vec::new(),
    };
    let diagram = diagram(proximities, &linked, configuration, run)?;
    linked.left_out = leave_out(proximities, &linked, &diagram, run)?;
    let map = Map::from_parts(Parts {
        method: Method::Given,
        way: Way::Linked(linked),
        ..Parts::straight(diagram)
    })?;
    let words = evidence(&map, settings.force)?;
    let mut fitted = Fitted::from(map);
    fitted.findings.push(words);
    Ok(fitted)
}

/// The diagram of the coordinates with f(δ) for proximities.
fn diagram<T: Element>(
    proximities: &Proximities<'_, T>,
    linked: &Linked,
    configuration: MatRef<'_, f64>,
    run: Run<'_>,
) -> Result<Diagram, Error> {
    let shown = linked.disparities(proximities.entries());
    let labels = Some(proximities.labels().to_vec());
    let shown = Proximities::new(shown.as_ref(), Kind::Dissimilarity, labels, run)?;
    let settings = DiagramSettings {
        dimensions: configuration.ncols(),
        ..Default::default()
    };
    let mut parts = Diagram::given(&shown, configuration, &settings, run)?
        .parts()
        .clone();
    // What was found is said of the proximities as they came.
    let findings = proximities.findings().iter();
    parts.summary.findings = findings.map(|f| f.to_string()).collect();
    Diagram::from_parts(parts)
}

/// Where the others place each old object, row by row.
fn leave_out<T: Element>(
    proximities: &Proximities<'_, T>,
    linked: &Linked,
    diagram: &Diagram,
    run: Run<'_>,
) -> Result<Vec<f64>, Error> {
    let (n, d) = (diagram.count(), diagram.dimensions());
    let entries = proximities.entries();
    let prepared = stress::Prepared::new(diagram.configuration());
    let how = StressSettings::default();
    let places = in_batches(n, run, |i| {
        let length = |j: usize| {
            if j == i {
                f64::NAN
            } else {
                linked.length(entries[(i, j)].to_f64())
            }
        };
        let row: Vec<f64> = (0..n).map(length).collect();
        // It starts where newcomers do: at a projection.
        let start = diagram.leave_one_out().place(i);
        let start = start.map(|y| on_map(diagram, y));
        by_stress(
            &prepared,
            &row,
            linked.weights.as_deref(),
            start.as_deref(),
            &how,
        )
    })?;
    let mut all = vec![f64::NAN; n * d];
    for (out, place) in all.chunks_exact_mut(d).zip(places) {
        if place.status.placed() {
            out.copy_from_slice(&place.coordinates);
        }
    }
    Ok(all)
}

/// What the link is worth, in words; errs if that is nothing, unless it is wanted all the same.
fn evidence(map: &Map, force: bool) -> Result<String, Error> {
    let (Some(linked), Some(error)) = (map.link(), map.link_error()) else {
        return Err(Error::TooFewObjects {
            found: map.labels().len(),
            expected: 3,
        });
    };
    let said = format!(
        "{} from where they are (median; nine in ten within {}; the map's radius is {})",
        rounded(error.median),
        rounded(error.most),
        rounded(error.radius)
    );
    if error.median > BAD * error.radius && !force {
        return Err(Error::Contradicted {
            about: About::Link,
            why: format!(
                "found a {} link that places old objects, each left out, {said}, expected at most half the radius: newcomers \
                 would be as far from where they belong (force takes it all the same)",
                linked.link.form.word(),
            ),
        });
    }
    Ok(format!(
        "a {} link of {} knots, stress {}; it places old objects, each left out, {said}",
        linked.link.form.word(),
        linked.link.distances.len(),
        rounded(linked.shepard.stress),
    ))
}

fn check_weights(weights: &[f64], labels: &[String]) -> Result<(), Error> {
    if weights.len() != labels.len() {
        return Err(Error::Length {
            about: About::Weights,
            what: "weights",
            found: weights.len(),
            expected: labels.len(),
        });
    }
    let wrong = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0));
    match wrong {
        Some(index) => Err(Error::Weight {
            about: About::Weights,
            object: Some(Object {
                index,
                label: labels[index].clone(),
            }),
            found: weights[index],
            expected: "a finite weight of at least 0",
        }),
        None => Ok(()),
    }
}
