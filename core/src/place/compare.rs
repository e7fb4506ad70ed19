//! The comparison: every strategy side by side, and how foreign each newcomer is to the map.
//!
//! The paper's §6: when projection and restricted reconstruction nearly coincide, the map's space
//! describes the newcomer; when they differ, the newcomer differs from the old objects in ways that the
//! map does not show, and the analyst must decide whether that matters. How large a residual is large is
//! told by the old objects themselves: each of them was placed without its own row when the map was
//! fitted, and a newcomer is foreign to the extent that its residual exceeds theirs in modulus (a residual
//! far below zero is as strange to the map as one far above: no point is that near to the old objects).

use crate::border::{Border, squared};
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::place::alone::{AtHand, PlaceSettings, place_border};
use crate::place::jointly::Jointly;
use crate::run::Run;
use crate::strategy::placements::{Placements, Strategy};

/// All strategies on the same newcomers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// The placements by each strategy that this diagram and these newcomers allow.
    pub placements: Vec<Placements>,
    /// For each of them and each newcomer, the root mean square of ‖y − x_i‖ − δ_i over the old
    /// objects, in the units of the dissimilarities; NaN where there are none.
    pub distance_errors: Vec<Vec<f64>>,
    /// All newcomers together, if what is between them is known, with the same errors.
    pub jointly: Option<(Jointly, Vec<f64>)>,
    /// For each newcomer, the share of old objects whose own leave-one-out residual is smaller in
    /// modulus.
    pub foreign: Vec<f64>,
    /// Newcomers, the most foreign first.
    pub ranking: Vec<usize>,
    /// What was left out, and why.
    pub left_out: Vec<(Strategy, String)>,
    /// The root mean square distance of the old objects from the origin, to judge lengths by.
    pub spread: f64,
}

/// A displacement below this share of the map's spread is called small.
const NEARLY: f64 = 0.05;

/// A residual that exceeds those of this share of the old objects is called large.
const LARGE: f64 = 0.9;

/// What one strategy says of some newcomers: placements with the errors of their distances, or why it cannot be had.
pub(crate) type Said = (Strategy, Result<(Placements, Vec<f64>), String>);

/// Places newcomers by every strategy that applies, while their proximities are at hand; the reason in words for each
/// that does not.
pub(crate) fn every_strategy(
    diagram: &Diagram,
    border: &Border,
    at_hand: &AtHand<'_>,
    object: impl Fn(usize) -> Object,
    run: Run<'_>,
) -> Result<Vec<Said>, Error> {
    let mut answers = Vec::new();
    for strategy in Strategy::ALL {
        let settings = PlaceSettings::by(strategy);
        let answer = place_border(diagram, border, at_hand, &object, &settings, run);
        answers.push((
            strategy,
            match answer {
                Ok(placements) => {
                    let row = |i: usize| at_hand.dissimilarities(diagram, i);
                    let errors = distance_errors(diagram, row, &placements);
                    Ok((placements, errors))
                }
                Err(Error::Stopped) => return Err(Error::Stopped),
                Err(error) => Err(error.to_string()),
            },
        ));
    }
    Ok(answers)
}

impl Comparison {
    /// What the strategies say, put together from blocks of newcomers whose border is `border`; placements are
    /// `finish`ed.
    pub(crate) fn of(diagram: &Diagram, border: &Border, blocks: Vec<Vec<Said>>) -> Self {
        let residuals: Vec<f64> = (0..border.count()).map(|i| border.residual(i)).collect();
        let mut comparison = Self {
            foreign: foreign_each(diagram, &residuals),
            ranking: ranking(border),
            spread: spread(diagram),
            ..Self::default()
        };
        for (at, strategy) in Strategy::ALL.into_iter().enumerate() {
            // A strategy that is refused for some newcomers is left out for all.
            let refused = blocks.iter().find_map(|block| block[at].1.as_ref().err());
            if let Some(why) = refused {
                comparison.left_out.push((strategy, why.clone()));
                continue;
            }
            let mut all = Placements::of_nobody(strategy, border.dimensions);
            let mut errors = Vec::new();
            for (placements, some) in blocks.iter().filter_map(|b| b[at].1.as_ref().ok()) {
                all.append(placements.clone());
                errors.extend(some);
            }
            comparison.placements.push(all);
            comparison.distance_errors.push(errors);
        }
        comparison
    }
}

/// The share of old objects whose leave-one-out residual is smaller in modulus than each of `residuals`; NaN if none
/// is known.
pub(crate) fn foreign_each(diagram: &Diagram, residuals: &[f64]) -> Vec<f64> {
    let known = diagram.leave_one_out().iter().filter(|v| !v.is_nan());
    let mut known: Vec<f64> = known.map(|v| v.abs()).collect();
    known.sort_by(f64::total_cmp);
    let share = |r: &f64| {
        if r.is_nan() || known.is_empty() {
            return f64::NAN;
        }
        known.partition_point(|v| *v < r.abs()) as f64 / known.len() as f64
    };
    residuals.iter().map(share).collect()
}

/// Newcomers by the modulus of the residual, the largest first; those without one last.
fn ranking(border: &Border) -> Vec<usize> {
    let mut order: Vec<usize> = (0..border.count()).collect();
    let key = |i: usize| {
        let residual = border.residual(i).abs();
        if residual.is_nan() { -1.0 } else { residual }
    };
    order.sort_by(|&i, &j| key(j).total_cmp(&key(i)));
    order
}

pub(crate) fn spread(diagram: &Diagram) -> f64 {
    (diagram.eigenvalues().iter().sum::<f64>() / diagram.count() as f64).sqrt()
}

/// Root mean square of ‖y − x_i‖ − δ_i over the old objects, for each placement; NaN where nothing is
/// known.
pub(crate) fn distance_errors<R: AsRef<[f64]>>(
    diagram: &Diagram,
    dissimilarities: impl Fn(usize) -> R,
    placements: &Placements,
) -> Vec<f64> {
    let x = diagram.configuration();
    (0..placements.count())
        .map(|i| {
            let y = placements.point(i);
            let row = dissimilarities(i);
            let (mut sum, mut count) = (0.0, 0.0);
            for (j, delta) in row.as_ref().iter().enumerate() {
                if !delta.is_nan() {
                    let step: Vec<f64> =
                        y.iter().zip(x.row(j).iter()).map(|(y, x)| y - x).collect();
                    sum += (squared(&step).sqrt() - delta).powi(2);
                    count += 1.0;
                }
            }
            (sum / count).sqrt()
        })
        .collect()
}

impl Comparison {
    /// The placements by one strategy.
    pub fn by(&self, strategy: Strategy) -> Option<&Placements> {
        self.placements.iter().find(|p| p.strategy == strategy)
    }

    /// What the strategies say of newcomer `i`, in a sentence.
    pub fn sentence(&self, i: usize, label: &str) -> String {
        let (Some(projected), reconstructed) =
            (self.by(Strategy::Project), self.by(Strategy::Reconstruct))
        else {
            return format!("{label} was not placed.");
        };
        if !projected.status[i].placed() {
            return format!("{label} cannot be placed: too few of its proximities are known.");
        }
        let Some(reconstructed) = reconstructed else {
            return format!(
                "{label} is projected; how far the map falls short of it cannot be said without its \
                 similarity to itself."
            );
        };
        let moved = reconstructed.displacement[i];
        let far = moved > NEARLY * self.spread;
        let distance = match moved / self.spread {
            share if share < 0.005 => "less than 0.01 of the map's spread".to_owned(),
            share => format!("{share:.2} of the map's spread"),
        };
        let residual = match self.foreign[i] {
            share if share.is_nan() => String::new(),
            1.0 => "; its residual exceeds those of all old objects".to_owned(),
            share => format!(
                "; its residual exceeds those of {:.0} % of the old objects",
                (100.0 * share).floor()
            ),
        };
        match (far, self.foreign[i] >= LARGE) {
            _ if projected.residual[i] < 0.0 => format!(
                "{label} is nearer to the old objects than any point could be, as its proximities are not \
                 Euclidean (projection and reconstruction lie {distance} apart{residual})."
            ),
            (false, false) => format!(
                "The map's space describes {label}: projection and reconstruction nearly coincide \
                 ({distance} apart{residual})."
            ),
            (false, true) => format!(
                "Projection and reconstruction of {label} nearly coincide ({distance} apart), but it \
                 is farther from the map's space than the old objects are{residual}."
            ),
            (true, false) if !self.foreign[i].is_nan() => format!(
                "{label} differs from the old objects in ways the map does not show, as old objects \
                 do too ({distance} between projection and reconstruction{residual})."
            ),
            (true, _) => format!(
                "{label} differs from the old objects in ways the map does not show ({distance} \
                 between projection and reconstruction{residual}). If that matters, use \
                 reconstruction; if not, projection."
            ),
        }
    }
}
