//! The comparison: every strategy side by side, and what is to be said of each newcomer in a sentence.
//!
//! Whether a newcomer is like the old objects is told by the old objects themselves, each left out ([`crate::evidence`]). That
//! projection and reconstruction nearly coincide does not tell it: they lie about ‖C⁻¹ŷ‖ρ² apart, which falls like 1/n whoever
//! comes. What tells whether the choice between them matters is the residual ρ² beside the smallest eigenvalue c_d.

use crate::border::{Border, squared};
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::fit::leave_one_out::LeftOut;
use crate::place::alone::{AtHand, PlaceSettings, place_border};
use crate::place::jointly::Jointly;
use crate::place::remarks::enough;
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
    /// Newcomers, those that are least like the old objects first.
    pub ranking: Vec<usize>,
    /// What was left out, and why.
    pub left_out: Vec<(Strategy, String)>,
    /// The root mean square distance of the old objects from the origin, to judge lengths by.
    pub spread: f64,
    /// c_d, the smallest eigenvalue of an axis, to judge residuals by.
    pub flattest: f64,
    /// How many old objects a newcomer can have proximities to.
    pub objects: usize,
    /// Whether the old objects were left out with axes held fixed: then p is too small on small maps.
    pub axes_fixed: bool,
    /// The smallest p outside the map's space ([`crate::Map::smallest_p`]): above [`LEVEL`], a larger p says nothing.
    pub smallest_p: f64,
}

/// Below this share of c_d a residual does not make strategies differ …
const LITTLE: f64 = 0.05;

/// … and above this one a reconstruction shows on the flattest axis how long it is rather than where.
const MUCH: f64 = 0.5;

/// Newcomers are called unlike the old objects at this level.
pub const LEVEL: f64 = 0.05;

/// p in few digits, none of which hides on which side of the level it is.
pub(crate) fn in_words(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".to_owned(),
        p if p < 0.1 => format!("= {p:.3}"),
        p => format!("= {p:.2}"),
    }
}

/// Why a map is too small to tell, in words.
pub(crate) fn never_below(smallest: f64) -> String {
    format!("outside the map's space p is never below {smallest:.3}")
}

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
    /// Of nobody, on a diagram.
    pub fn on(diagram: &Diagram) -> Self {
        Self {
            spread: spread(diagram),
            flattest: diagram.c()[diagram.dimensions() - 1],
            objects: diagram.count(),
            axes_fixed: diagram.leave_one_out().form == LeftOut::AxesFixed,
            smallest_p: f64::NAN,
            ..Self::default()
        }
    }

    /// Puts newcomers in order: by p, then by the modulus of the residual; those of whom neither is known last.
    pub(crate) fn rank(&mut self) {
        let Some(projected) = self.by(Strategy::Project) else {
            return;
        };
        let key = |i: usize| {
            let (p, residual) = (projected.p[i], projected.residual[i].abs());
            let known = |v: f64, otherwise: f64| if v.is_nan() { otherwise } else { v };
            (known(p, 2.0), -known(residual, -1.0))
        };
        let mut order: Vec<usize> = (0..projected.count()).collect();
        order.sort_by(|&i, &j| {
            let (a, b) = (key(i), key(j));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        self.ranking = order;
    }

    /// What the strategies say, put together from blocks of newcomers whose border is `border`; placements are
    /// `finish`ed.
    pub(crate) fn of(diagram: &Diagram, border: &Border, blocks: Vec<Vec<Said>>) -> Self {
        let mut comparison = Self::on(diagram);
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

pub(crate) fn spread(diagram: &Diagram) -> f64 {
    // tr C: the objects' squared distances from the origin.
    (diagram.c().iter().sum::<f64>() / diagram.count() as f64).sqrt()
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
        let distance = match reconstructed.displacement[i] / self.spread {
            share if share < 0.005 => "less than 0.01 of the map's spread".to_owned(),
            share => format!("{share:.2} of the map's spread"),
        };
        let advice = match self.few(projected, i) {
            Some(_) => "",
            None => self.advice(projected, i),
        };
        format!(
            "{} Projection and reconstruction lie {distance} apart{advice}.",
            self.belonging(projected, i, label),
        )
    }

    /// How many proximities would tell more of newcomer `i`, if it is placed by so few that its residual says nothing.
    fn few(&self, projected: &Placements, i: usize) -> Option<usize> {
        let (known, enough) = (projected.known[i], enough(projected.dimensions));
        (known < enough && known < self.objects).then_some(enough)
    }

    /// Whether newcomer `i` of some placements is like the old objects, in a sentence.
    pub fn belonging(&self, projected: &Placements, i: usize, label: &str) -> String {
        let fixed = if self.axes_fixed {
            ", axes held fixed"
        } else {
            ""
        };
        let said = |p: f64| format!("p {}{fixed}", in_words(p));
        let (p, outside) = (projected.p[i], projected.p_outside[i]);
        // Maps of earlier versions tell of the one only.
        let p = if p.is_nan() { outside } else { p };
        if p.is_nan() {
            return format!("Whether {label} is like the old objects cannot be said.");
        }
        if let Some(enough) = self.few(projected, i) {
            return format!(
                "Whether {label} is like the old objects cannot be said: it is placed by {} of {} proximities, and fewer \
                 than {enough} tell little.",
                projected.known[i], self.objects
            );
        }
        if p > LEVEL && self.smallest_p > LEVEL {
            return format!(
                "Whether {label} is like the old objects cannot be said ({}): they are too few, and {}.",
                said(p),
                never_below(self.smallest_p)
            );
        }
        if p > LEVEL {
            return format!("{label} is like the old objects ({}).", said(p));
        }
        let how = if projected.p_inside[i] < outside {
            "far out within the map, farther than they are when they are left out"
        } else if projected.residual[i] < 0.0 {
            "nearer to them, on the whole, than its own projection is, as proximities that are not Euclidean allow"
        } else {
            "farther from the map's space than they are when they are left out"
        };
        format!("{label} is unlike the old objects ({}): {how}.", said(p))
    }

    /// Which strategy, by what the map does not show of newcomer `i`.
    fn advice(&self, projected: &Placements, i: usize) -> &'static str {
        let share = projected.residual[i].abs() / self.flattest;
        let strange = projected.p_outside[i] <= LEVEL;
        if share < LITTLE {
            ": the choice does not matter"
        } else if share <= MUCH && !strange {
            ": reconstruction shows its distances better"
        } else {
            "; the last axis of a reconstruction shows how far it is from the map rather than where: project it, or fit the \
             map anew"
        }
    }
}
