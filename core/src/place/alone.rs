//! Placing newcomers each by itself, by any strategy.
//!
//! This is where strategies meet the diagram; each of them is a module of its own and sees numbers only. Projection and
//! reconstruction go through all newcomers of a border at once; every other strategy is a [rule](crate::strategy::rule)
//! that is asked newcomer by newcomer, and so is anybody's own.

use crate::border::{Border, squared};
use crate::error::{About, Error, Object};
use crate::fit::diagram::Diagram;
use crate::input::block::Block;
use crate::input::kind::{Element, Kind};
use crate::run::Run;
use crate::strategy::placements::{Placements, Status, Strategy};
use crate::strategy::project::{objective, project, share};
use crate::strategy::reconstruct::{reconstruct, require_beta};
use crate::strategy::rule::{One, Place, status};
use crate::strategy::stress::StressSettings;
use crate::strategy::{augment, hyperplane, stress};

/// How to place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlaceSettings {
    /// By which strategy.
    pub strategy: Strategy,
    /// Augment only: centre on all n + 1 objects rather than on the old ones.
    pub recentre: bool,
    /// Augment only: scale as published.
    pub scaled: bool,
    /// Stress only: prove that no place is better, or find the one that is.
    pub prove: bool,
}

impl PlaceSettings {
    /// By a strategy, without options.
    pub fn by(strategy: Strategy) -> Self {
        Self {
            strategy,
            ..Self::default()
        }
    }

    /// Errs if an option is given to a strategy that does not have it.
    pub fn check(&self) -> Result<(), Error> {
        if (self.recentre || self.scaled) && self.strategy != Strategy::Augment {
            return Err(Error::Together {
                about: About::Strategy,
                why: format!(
                    "found an option of augment beside {}, expected it with augment only",
                    self.strategy.word()
                ),
            });
        }
        if self.prove && self.strategy != Strategy::Stress {
            return Err(Error::Together {
                about: About::Proof,
                why: format!(
                    "found a proof beside {}, expected it with stress only: {}",
                    self.strategy.word(),
                    match self.strategy {
                        Strategy::Reconstruct | Strategy::Hyperplane => {
                            "this strategy always comes with one"
                        }
                        _ => "this strategy searches for nothing",
                    }
                ),
            });
        }
        Ok(())
    }
}

/// Newcomers that one thread places at a time where each takes a while.
const BATCH: usize = 16;

/// The proximities that a border was read from, while they are at hand.
#[derive(Clone, Copy)]
pub(crate) enum AtHand<'a> {
    Doubles(Block<'a, f64>),
    Singles(Block<'a, f32>),
    /// The border was made without proximities.
    Nothing,
}

impl<'a> From<Block<'a, f64>> for AtHand<'a> {
    fn from(block: Block<'a, f64>) -> Self {
        AtHand::Doubles(block)
    }
}

impl<'a> From<Block<'a, f32>> for AtHand<'a> {
    fn from(block: Block<'a, f32>) -> Self {
        AtHand::Singles(block)
    }
}

impl AtHand<'_> {
    /// δ of newcomer `i` to each of the diagram's objects, corrected as the map is; NaN where it is missing, and
    /// everywhere if there is nothing at hand.
    pub(crate) fn dissimilarities(&self, diagram: &Diagram, i: usize) -> Vec<f64> {
        match self {
            AtHand::Doubles(block) => dissimilarities(diagram, block, i),
            AtHand::Singles(block) => dissimilarities(diagram, block, i),
            AtHand::Nothing => vec![f64::NAN; diagram.count()],
        }
    }

    fn weights(&self) -> Option<&[f64]> {
        match self {
            AtHand::Doubles(block) => block.weights,
            AtHand::Singles(block) => block.weights,
            AtHand::Nothing => None,
        }
    }
}

/// Places newcomers whose border is known. What is at hand of them is used by stress only; `object` names them.
///
/// A newcomer that cannot be placed gets a status and NaN for coordinates; an error means that the question was
/// malformed, or that a similarity to itself is missing where the strategy needs one.
pub(crate) fn place_border(
    diagram: &Diagram,
    border: &Border,
    at_hand: &AtHand<'_>,
    object: impl Fn(usize) -> Object,
    settings: &PlaceSettings,
    run: Run<'_>,
) -> Result<Placements, Error> {
    let strategy = settings.strategy;
    settings.check()?;
    offered(diagram, strategy)?;
    if !matches!(strategy, Strategy::Project | Strategy::Stress) {
        require_beta(border, object, strategy.word())?;
    }
    match strategy {
        Strategy::Project => Ok(project(diagram, border)),
        Strategy::Reconstruct => reconstruct(diagram, border, run),
        Strategy::Hyperplane => place_by(diagram, border, strategy, by_hyperplane, run),
        Strategy::Augment => {
            let options = augment::AugmentSettings {
                recentre: settings.recentre,
                scale: settings.scaled,
            };
            place_by(
                diagram,
                border,
                strategy,
                |one| by_augment(one, &options),
                run,
            )
        }
        Strategy::Stress => {
            let prepared = stress::Prepared::new(diagram.configuration());
            provable(diagram.dimensions(), settings.prove)?;
            each(diagram, border, strategy, run, |i| {
                let row = at_hand.dissimilarities(diagram, i);
                let start = on_map(diagram, border.projection(i));
                let how = StressSettings {
                    prove: settings.prove,
                    ..Default::default()
                };
                by_stress(&prepared, &row, at_hand.weights(), Some(&start), &how)
            })
        }
        Strategy::Own => Err(Error::NotOffered {
            about: About::Strategy,
            what: strategy.word(),
            why: "found no rule, expected one".into(),
        }),
    }
}

/// Places every newcomer of a border by a rule.
pub(crate) fn place_by(
    diagram: &Diagram,
    border: &Border,
    strategy: Strategy,
    rule: impl Fn(&One<'_>) -> Place + Sync,
    run: Run<'_>,
) -> Result<Placements, Error> {
    let turned = |mut y: Vec<f64>| {
        diagram.turn_out_of_basis(&mut y);
        on_map(diagram, &y)
    };
    each(diagram, border, strategy, run, |i| {
        let mut projection = border.projection(i).to_vec();
        if projection[0].is_nan() {
            return Place::too_few();
        }
        diagram.turn_into_basis(&mut projection);
        let mut place = rule(&One {
            eigenvalues: diagram.c(),
            projection: &projection,
            beta: border.beta[i],
            b_norm: border.b_norm_squared[i].sqrt(),
            size: diagram.count(),
        });
        if place.status.placed() {
            // A rule that gives another number of coordinates gives no place.
            if place.coordinates.len() != projection.len() {
                return Place::none();
            }
            place.coordinates = turned(place.coordinates);
        }
        place.alternatives = place.alternatives.into_iter().map(turned).collect();
        place
    })
}

pub(crate) fn by_hyperplane(one: &One<'_>) -> Place {
    let &One {
        eigenvalues,
        projection,
        beta,
        b_norm,
        size,
    } = one;
    let options = hyperplane::HyperplaneSettings::default();
    match hyperplane::solve(eigenvalues, projection, beta, size, b_norm, &options) {
        None => Place::none(),
        Some(answer) => Place {
            objective: Some(answer.objective),
            gap: if answer.certified {
                0.0
            } else {
                answer.gap / answer.objective
            },
            status: status(answer.converged, answer.minimisers),
            alternatives: answer.alternatives,
            ..Place::at(answer.coordinates)
        },
    }
}

pub(crate) fn by_augment(one: &One<'_>, options: &augment::AugmentSettings) -> Place {
    let &One {
        eigenvalues,
        projection,
        beta,
        b_norm,
        size,
    } = one;
    match augment::solve(eigenvalues, projection, beta, size, b_norm, options) {
        None => Place::none(),
        Some(answer) => Place {
            status: status(true, answer.minimisers),
            alternatives: answer.alternatives,
            ..Place::at(answer.coordinates)
        },
    }
}

pub(crate) fn by_stress(
    prepared: &stress::Prepared,
    row: &[f64],
    weights: Option<&[f64]>,
    start: Option<&[f64]>,
    settings: &StressSettings,
) -> Place {
    let starts: Vec<&[f64]> = start.into_iter().filter(|s| !s[0].is_nan()).collect();
    let answer = prepared.place(row, weights, &starts, settings);
    Place {
        objective: Some(answer.stress),
        gap: answer.gap,
        status: match answer.observed {
            0 => Status::TooFew,
            _ => status(answer.converged, answer.minimisers),
        },
        alternatives: answer.alternatives,
        relative_stress: answer.relative,
        ..Place::at(answer.coordinates)
    }
}

/// Errs if a proof for stress is asked for on more axes than boxes can be searched in.
pub(crate) fn provable(axes: usize, prove: bool) -> Result<(), Error> {
    if !prove || axes <= stress::MOST_AXES {
        return Ok(());
    }
    Err(Error::NotOffered {
        about: About::Proof,
        what: "a proof for stress",
        why: format!(
            "found a map of {axes} axes, expected at most {}: the boxes to be searched are as many as a power of that",
            stress::MOST_AXES
        ),
    })
}

/// Errs if the strategy cannot be had on this diagram, for any newcomer.
pub(crate) fn offered(diagram: &Diagram, strategy: Strategy) -> Result<(), Error> {
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
        about: About::Strategy,
        what: strategy.word(),
        why: why.into(),
    })
}

/// δ of newcomer `i` to each old object, corrected as the map is, NaN where it is missing.
fn dissimilarities<T: Element>(diagram: &Diagram, block: &Block<'_, T>, i: usize) -> Vec<f64> {
    // What is below 0 was looked at when the border was read: rounding.
    let (kind, correction) = (diagram.kind(), diagram.parts().correction);
    let row = block.proximities.row(i);
    row.iter()
        .map(|a| correction.length(kind, a.to_f64()))
        .collect()
}

/// From coordinates about the origin to coordinates on the map.
pub(crate) fn on_map(diagram: &Diagram, y: &[f64]) -> Vec<f64> {
    y.iter().zip(diagram.origin()).map(|(y, o)| y + o).collect()
}

impl Placements {
    /// Takes over where newcomer `i` was put.
    pub(crate) fn put(&mut self, i: usize, place: Place) {
        let d = self.dimensions;
        self.status[i] = place.status;
        if !place.status.placed() {
            return;
        }
        self.coordinates[i * d..(i + 1) * d].copy_from_slice(&place.coordinates);
        self.objective[i] = place.objective.unwrap_or(f64::NAN);
        self.gap[i] = place.gap;
        self.relative_stress[i] = place.relative_stress;
        let others = place.alternatives.into_iter();
        self.alternatives.extend(others.map(|y| (i, y)));
    }
}

/// Runs `one` for each of `count` newcomers, in parallel, in order.
pub(crate) fn in_batches(
    count: usize,
    run: Run<'_>,
    one: impl Fn(usize) -> Place + Sync,
) -> Result<Vec<Place>, Error> {
    let batches = run.map("placing newcomers", count.div_ceil(BATCH), |batch| {
        let first = batch * BATCH;
        let last = (first + BATCH).min(count);
        (first..last).map(&one).collect::<Vec<_>>()
    })?;
    Ok(batches.into_iter().flatten().collect())
}

/// Runs `one`, which gives coordinates on the map, for every newcomer of the border and gathers the placements with
/// their diagnostics.
fn each(
    diagram: &Diagram,
    border: &Border,
    strategy: Strategy,
    run: Run<'_>,
    one: impl Fn(usize) -> Place + Sync,
) -> Result<Placements, Error> {
    let (k, d) = (border.count(), border.dimensions);
    let mut placements = Placements::empty(strategy, k, d);
    placements.known.copy_from_slice(&border.observed);
    for (i, place) in in_batches(k, run, one)?.into_iter().enumerate() {
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
