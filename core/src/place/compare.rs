//! The comparison: every strategy side by side, and how foreign each newcomer is to the map.
//!
//! The paper's §6: when projection and restricted reconstruction nearly coincide, the map's space
//! describes the newcomer; when they differ, the newcomer differs from the old objects in ways that the
//! map does not show, and the analyst must decide whether that matters. How large a residual is large is
//! told by the old objects themselves: each of them was placed without its own row when the map was
//! fitted, and a newcomer is foreign to the extent that its residual exceeds theirs in modulus (a residual
//! far below zero is as strange to the map as one far above: no point is that near to the old objects).

use crate::border::{Border, squared};
use crate::error::Error;
use crate::fit::diagram::Diagram;
use crate::input::block::Block;
use crate::input::proximities::Element;
use crate::place::alone::{Settings, dissimilarities, offered, place_border};
use crate::run::Watch;
use crate::strategy::placements::{Placements, Strategy};

/// All strategies on the same newcomers.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The placements by each strategy that this diagram and these newcomers allow.
    pub placements: Vec<Placements>,
    /// For each of them and each newcomer, the root mean square of ‖y − x_i‖ − δ_i over the old
    /// objects, in the units of the dissimilarities; NaN where there are none.
    pub distance_errors: Vec<Vec<f64>>,
    /// For each newcomer, the share of old objects whose own leave-one-out residual is smaller in
    /// modulus.
    pub foreign: Vec<f64>,
    /// Block, the most foreign first.
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

/// Places newcomers by every strategy that applies.
pub fn compare<T: Element>(
    diagram: &Diagram,
    newcomers: &Block<'_, T>,
    threads: usize,
    watch: Option<Watch<'_>>,
) -> Result<Comparison, Error> {
    let border = Border::new(diagram, newcomers, threads, watch)?;
    let mut comparison = Comparison {
        placements: Vec::new(),
        distance_errors: Vec::new(),
        foreign: foreign_each(
            diagram,
            &(0..border.count())
                .map(|i| border.residual(i))
                .collect::<Vec<_>>(),
        ),
        ranking: ranking(&border),
        left_out: Vec::new(),
        spread: spread(diagram),
    };
    for strategy in Strategy::ALL {
        let settings = Settings {
            strategy,
            threads,
            watch,
            ..Default::default()
        };
        let answer = offered(diagram, strategy)
            .and_then(|()| place_border(diagram, newcomers, &border, &settings));
        match answer {
            Ok(placements) => {
                let errors = distance_errors(diagram, newcomers, &placements);
                comparison.distance_errors.push(errors);
                comparison.placements.push(placements);
            }
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(error) => comparison.left_out.push((strategy, error.to_string())),
        }
    }
    Ok(comparison)
}

/// The share of old objects whose leave-one-out residual is smaller than `residual` in modulus; NaN if
/// none is known.
pub fn foreign(diagram: &Diagram, residual: f64) -> f64 {
    foreign_each(diagram, &[residual])[0]
}

/// The same for many residuals.
pub fn foreign_each(diagram: &Diagram, residuals: &[f64]) -> Vec<f64> {
    let known = diagram.leave_one_out().iter().filter(|v| !v.is_nan());
    let mut known: Vec<f64> = known.map(|v| v.abs()).collect();
    known.sort_by(f64::total_cmp);
    let share = |r: &f64| match r.is_nan() || known.is_empty() {
        true => f64::NAN,
        false => known.partition_point(|v| *v < r.abs()) as f64 / known.len() as f64,
    };
    residuals.iter().map(share).collect()
}

/// Block by the modulus of the residual, the largest first; those without one last.
fn ranking(border: &Border) -> Vec<usize> {
    let mut order: Vec<usize> = (0..border.count()).collect();
    let key = |i: usize| {
        let residual = border.residual(i).abs();
        if residual.is_nan() { -1.0 } else { residual }
    };
    order.sort_by(|&i, &j| key(j).total_cmp(&key(i)));
    order
}

fn spread(diagram: &Diagram) -> f64 {
    (diagram.eigenvalues().iter().sum::<f64>() / diagram.count() as f64).sqrt()
}

/// Root mean square of ‖y − x_i‖ − δ_i over the old objects, for each placement; NaN where nothing is
/// known.
pub fn distance_errors<T: Element>(
    diagram: &Diagram,
    newcomers: &Block<'_, T>,
    placements: &Placements,
) -> Vec<f64> {
    let x = diagram.configuration();
    (0..placements.count())
        .map(|i| {
            let y = placements.point(i);
            let row = dissimilarities(diagram, newcomers, i);
            let (mut sum, mut count) = (0.0, 0.0);
            for (j, delta) in row.into_iter().enumerate() {
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
