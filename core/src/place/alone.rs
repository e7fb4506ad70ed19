//! Placing: newcomers in, placements out, by any strategy, each newcomer by itself.
//!
//! This is where strategies meet the diagram; each of them is a module of its own and sees numbers
//! only. To add one: write its module, give it a word in [`Strategy`], and an arm in [`place`].

use faer::MatRef;

use crate::border::{Border, squared};
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::input::block::Block;
use crate::input::proximities::{Correction, Element, Kind};
use crate::run::{self, Watch};
use crate::strategy::augment;
use crate::strategy::hyperplane;
use crate::strategy::placements::{Placements, Status, Strategy};
use crate::strategy::project::{objective, project, share};
use crate::strategy::reconstruct::{reconstruct, require_beta};
use crate::strategy::secular::Minimisers;
use crate::strategy::stress;

/// How to place.
#[derive(Clone, Copy, Default)]
pub struct Settings<'a> {
    /// By which strategy.
    pub strategy: Strategy,
    /// Options of augment.
    pub augment: augment::Settings,
    /// Threads; 0 means one per core.
    pub threads: usize,
    /// Told of the progress.
    pub watch: Option<Watch<'a>>,
}

/// Block that one thread places at a time where each takes a while.
const BATCH: usize = 16;

/// Places newcomers by the strategy of the settings, each by itself.
///
/// A newcomer that cannot be placed gets a status and NaN for coordinates; an error means that the
/// question was malformed, or that a similarity to itself is missing where the strategy needs one.
pub fn place<T: Element>(
    diagram: &Diagram,
    newcomers: &Block<'_, T>,
    settings: &Settings<'_>,
) -> Result<Placements, Error> {
    let strategy = settings.strategy;
    offered(diagram, strategy)?;
    let border = Border::new(diagram, newcomers, settings.threads, settings.watch)?;
    place_border(diagram, newcomers, &border, settings)
}

/// Places newcomers whose border is known already; `newcomers` are read again only by stress.
pub fn place_border<T: Element>(
    diagram: &Diagram,
    newcomers: &Block<'_, T>,
    border: &Border,
    settings: &Settings<'_>,
) -> Result<Placements, Error> {
    let strategy = settings.strategy;
    offered(diagram, strategy)?;
    if !matches!(strategy, Strategy::Project | Strategy::Stress) {
        require_beta(border, newcomers, strategy.word())?;
    }
    match strategy {
        Strategy::Project => Ok(project(diagram, border)),
        Strategy::Reconstruct => reconstruct(diagram, border, settings.threads),
        Strategy::Hyperplane | Strategy::Augment => each(diagram, border, settings, |i| {
            recentred(diagram, border, i, settings)
        }),
        Strategy::Stress => {
            let prepared = stress::Prepared::new(diagram.configuration());
            each(diagram, border, settings, |i| {
                let row = dissimilarities(diagram, newcomers, i);
                let start = on_map(diagram, border.projection(i));
                by_stress(&prepared, &row, newcomers.weights, Some(&start))
            })
        }
    }
}

/// Places newcomers by raw stress on any configuration, n × d, whatever it was made by: their
/// dissimilarities to its objects (not squared, NaN where missing if the newcomers say so) are enough.
pub fn place_on_configuration<T: Element>(
    configuration: MatRef<'_, f64>,
    labels: &[String],
    newcomers: &Block<'_, T>,
    settings: &Settings<'_>,
) -> Result<Placements, Error> {
    newcomers.check(labels, configuration.nrows())?;
    let (k, d) = (newcomers.count(), configuration.ncols());
    let kind = Kind::Dissimilarity;
    for i in 0..k {
        for (j, label) in labels.iter().enumerate() {
            let found = newcomers.proximities[(i, j)].to_f64();
            if !(kind.admits(found) || found.is_nan() && newcomers.missing) {
                return Err(Error::Entry {
                    row: newcomers.object(i),
                    column: Object {
                        index: j,
                        label: label.clone(),
                    },
                    found,
                    expected: kind.expected(),
                });
            }
        }
    }
    let prepared = stress::Prepared::new(configuration);
    let places = in_batches(k, settings, |i| {
        let row: Vec<f64> = newcomers
            .proximities
            .row(i)
            .iter()
            .map(|v| v.to_f64())
            .collect();
        by_stress(&prepared, &row, newcomers.weights, None)
    })?;
    let mut placements = Placements::empty(Strategy::Stress, k, d);
    for (i, place) in places.into_iter().enumerate() {
        placements.put(i, place);
    }
    Ok(placements)
}

fn by_stress(
    prepared: &stress::Prepared,
    row: &[f64],
    weights: Option<&[f64]>,
    start: Option<&[f64]>,
) -> Place {
    let starts: Vec<&[f64]> = start.into_iter().filter(|s| !s[0].is_nan()).collect();
    let answer = prepared.place(row, weights, &starts, &Default::default());
    Place {
        status: match answer.observed {
            0 => Status::TooFew,
            _ => status(answer.converged, answer.minimisers),
        },
        coordinates: answer.coordinates,
        objective: Some(answer.stress),
        relative_stress: answer.relative,
        alternatives: answer.alternatives,
    }
}

/// Errs if the strategy cannot be had on this diagram, for any newcomer.
pub fn offered(diagram: &Diagram, strategy: Strategy) -> Result<(), Error> {
    let why = match strategy {
        Strategy::Hyperplane | Strategy::Augment if diagram.centring().weights.is_some() => {
            "found a map whose origin is not the centroid of its objects, expected one whose origin is: \
             the strategy centres anew"
        }
        Strategy::Stress if diagram.kind() == Kind::Similarity => {
            "found a map of similarities, expected one of dissimilarities: stress compares distances"
        }
        _ => return Ok(()),
    };
    Err(Error::NotOffered {
        what: strategy.word(),
        why: why.into(),
    })
}

/// δ of newcomer `i` to each old object, corrected as the map is, NaN where it is missing.
pub fn dissimilarities<T: Element>(
    diagram: &Diagram,
    newcomers: &Block<'_, T>,
    i: usize,
) -> Vec<f64> {
    let row = newcomers.proximities.row(i);
    let lengths = row.iter().map(|a| match diagram.kind() {
        Kind::Dissimilarity => a.to_f64(),
        Kind::Squared => a.to_f64().sqrt(),
        Kind::Similarity => f64::NAN,
    });
    lengths
        .map(|a| match diagram.parts().correction {
            _ if a == 0.0 => 0.0,
            Correction::None => a,
            Correction::Lingoes(c) => (a * a + 2.0 * c).sqrt(),
            Correction::Cailliez(c) => a + c,
        })
        .collect()
}

/// From coordinates about the origin to coordinates on the map.
pub(crate) fn on_map(diagram: &Diagram, y: &[f64]) -> Vec<f64> {
    y.iter().zip(diagram.origin()).map(|(y, o)| y + o).collect()
}

/// What a strategy says of one newcomer, in coordinates on the map.
struct Place {
    coordinates: Vec<f64>,
    /// The strategy's own objective; F of the paper's problem (11) if it has none.
    objective: Option<f64>,
    relative_stress: f64,
    status: Status,
    alternatives: Vec<Vec<f64>>,
}

impl Placements {
    /// Takes over what a strategy says of newcomer `i`.
    fn put(&mut self, i: usize, place: Place) {
        let d = self.dimensions;
        self.status[i] = place.status;
        if !place.status.placed() {
            return;
        }
        self.coordinates[i * d..(i + 1) * d].copy_from_slice(&place.coordinates);
        self.objective[i] = place.objective.unwrap_or(f64::NAN);
        self.relative_stress[i] = place.relative_stress;
        let others = place.alternatives.into_iter();
        self.alternatives.extend(others.map(|y| (i, y)));
    }
}

fn status(converged: bool, minimisers: Minimisers) -> Status {
    match minimisers {
        _ if !converged => Status::NotConverged,
        Minimisers::Unique => Status::Unique,
        Minimisers::Pair => Status::Pair,
        Minimisers::Sphere(_) => Status::Sphere,
    }
}

/// Hyperplane and augment: in the eigenbasis, from (σ², ŷ, β, n).
fn recentred(diagram: &Diagram, border: &Border, i: usize, settings: &Settings<'_>) -> Place {
    let mut place = Place {
        coordinates: vec![f64::NAN; border.dimensions],
        objective: None,
        relative_stress: f64::NAN,
        status: Status::TooFew,
        alternatives: Vec::new(),
    };
    let mut y = border.projection(i).to_vec();
    if y[0].is_nan() {
        return place;
    }
    place.status = Status::NotApplicable;
    diagram.turn_into_basis(&mut y);
    let (c, n, beta) = (diagram.c(), diagram.count(), border.beta[i]);
    let b_norm = border.b_norm_squared[i].sqrt();
    let found = match settings.strategy {
        Strategy::Hyperplane => {
            hyperplane::solve(c, &y, beta, n, b_norm, &Default::default()).map(|a| {
                let status = status(a.converged, a.minimisers);
                (a.coordinates, Some(a.objective), status, a.alternatives)
            })
        }
        _ => augment::solve(c, &y, beta, n, b_norm, &settings.augment).map(|a| {
            let status = status(true, a.minimisers);
            (a.coordinates, None, status, a.alternatives)
        }),
    };
    let turned = |mut y: Vec<f64>| {
        diagram.turn_out_of_basis(&mut y);
        on_map(diagram, &y)
    };
    if let Some((coordinates, objective, status, alternatives)) = found {
        place.coordinates = turned(coordinates);
        place.objective = objective;
        place.status = status;
        place.alternatives = alternatives.into_iter().map(turned).collect();
    }
    place
}

/// Runs `one` for each of `count` newcomers, in parallel, in order.
fn in_batches(
    count: usize,
    settings: &Settings<'_>,
    one: impl Fn(usize) -> Place + Sync,
) -> Result<Vec<Place>, Error> {
    let watch = settings.watch.map(|w| ("placing newcomers", w));
    let batches = run::map(settings.threads, count.div_ceil(BATCH), watch, |batch| {
        let first = batch * BATCH;
        let last = (first + BATCH).min(count);
        (first..last).map(&one).collect::<Vec<_>>()
    })?;
    Ok(batches.into_iter().flatten().collect())
}

/// Runs `one` for every newcomer of the border and gathers the placements with their diagnostics.
fn each(
    diagram: &Diagram,
    border: &Border,
    settings: &Settings<'_>,
    one: impl Fn(usize) -> Place + Sync,
) -> Result<Placements, Error> {
    let (k, d) = (border.count(), border.dimensions);
    let mut placements = Placements::empty(settings.strategy, k, d);
    for (i, place) in in_batches(k, settings, one)?.into_iter().enumerate() {
        let own = place.objective.is_some();
        placements.put(i, place);
        placements.residual[i] = border.residual(i);
        placements.share[i] = share(border, i);
        if !placements.status[i].placed() {
            continue;
        }
        let on_map = placements.point(i).iter().zip(diagram.origin());
        let about: Vec<f64> = on_map.map(|(y, o)| y - o).collect();
        let steps = about.iter().zip(border.projection(i));
        let step: Vec<f64> = steps.map(|(a, b)| a - b).collect();
        placements.displacement[i] = squared(&step).sqrt();
        if !own {
            placements.objective[i] = objective(diagram, border, i, &about);
        }
    }
    Ok(placements)
}
