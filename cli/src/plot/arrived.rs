//! The newcomers of a picture: where they are projected, where else they are placed, and the ways between.

use std::f64::consts::TAU;

use adjoin::{Border, Map, PlaceSettings, Placements, Run, Seen, Strategy, Uncertainty};
use adjoin_formats::Arrivals;
use adjoin_look::look;
use adjoin_picture::Newcomer;

use super::Axes;
use crate::args::Certainty;
use crate::error::Error;
use crate::input::{wrong, wrong_beside};
use crate::place::together;
use crate::words::Words;

/// Points on an arc: smooth for the eye, and few enough for a small file when arcs are many.
const SMOOTH: usize = 33;
const COARSE: usize = 9;
const MANY_ARCS: usize = 300;

/// The level of the regions that are drawn, and how many corners their outlines have.
const REGION: f64 = 0.95;
const CORNERS: usize = 48;

/// Places closer than this share of how far out they are look the same.
const SAME: f64 = 1e-9;

/// The newcomers and all that is drawn of them.
#[derive(Default)]
pub struct Arrived {
    pub labels: Vec<String>,
    /// None if no projections are drawn.
    projections: Option<Placements>,
    /// By the strategy that was asked for, be it projection.
    pub placements: Option<Placements>,
    jointly: bool,
    /// Each newcomer's arc, row by row; empty if none are drawn.
    arcs: Vec<Vec<f64>>,
}

impl Arrived {
    /// Newcomers that were placed without a projection.
    pub fn placed(labels: Vec<String>, placements: Placements) -> Self {
        Self {
            labels,
            placements: Some(placements),
            ..Self::default()
        }
    }

    /// Places newcomers on a map with a link, where there is no projection.
    pub fn by_link(
        map: &Map,
        arrivals: Arrivals,
        named: Option<Strategy>,
        run: Run<'_>,
        words: &Words,
    ) -> Result<Self, Error> {
        let how = PlaceSettings::by(named.unwrap_or(map.usual_strategy()));
        let placed = map.place(&arrivals.newcomers(), &how, run);
        let (border, placements) = placed.map_err(wrong(&arrivals))?;
        let remarks = map.remarks(&border, &placements, Some(&arrivals.labels));
        words.remark(&arrivals.source, &remarks);
        Ok(Self::placed(arrivals.labels, placements))
    }

    /// Places newcomers each by itself: by projection, and by the strategy if it is another. If none was `named` it is
    /// reconstruction, where what it needs is known.
    pub fn one_by_one(
        map: &Map,
        arrivals: &Arrivals,
        named: Option<Strategy>,
        (uncertainty, certainty): (Option<Uncertainty<'_>>, &Certainty),
        run: Run<'_>,
        words: &Words,
    ) -> Result<Self, Error> {
        let strategy = named.unwrap_or(Strategy::Reconstruct);
        let how = PlaceSettings::by(strategy);
        let newcomers = arrivals.newcomers();
        let work = |seen: Seen<'_>| {
            let placed = if named.is_some() || beta_known(&seen.border) {
                Some(seen.place(&how)?)
            } else {
                None
            };
            Ok((map.project(&seen.border), placed, seen.border))
        };
        let read = match uncertainty {
            None => map.read(&newcomers, run, work),
            Some(Uncertainty::Axes) => map.read_uncertain(&newcomers, run, work),
            Some(refit) => map
                .place_uncertain(&newcomers, &how, refit, run, |_| Ok(()))
                .map(|(border, placed, _)| vec![(map.project(&border), Some(placed), border)]),
        };
        let read = read.map_err(wrong_beside(arrivals, certainty))?;
        let all_placed = read.iter().all(|(_, placed, _)| placed.is_some());
        let arcs = all_placed && strategy == Strategy::Reconstruct;
        let points = if arrivals.labels.len() > MANY_ARCS {
            COARSE
        } else {
            SMOOTH
        };
        let mut projections = Placements::of_nobody(Strategy::Project, map.dimensions());
        let mut placements = Placements::of_nobody(strategy, map.dimensions());
        let mut arrived = Self {
            labels: arrivals.labels.clone(),
            ..Self::default()
        };
        let mut borders = Vec::new();
        for (projected, placed, border) in read {
            projections.append(projected);
            placed.into_iter().for_each(|p| placements.append(p));
            for i in (0..border.count()).filter(|_| arcs) {
                let arc = map.arc(&border, i, points).map_err(wrong(arrivals))?;
                arrived.arcs.push(arc.map_or(Vec::new(), |a| a.coordinates));
            }
            borders.push(border);
        }
        let border = Border::gathered(map.dimensions(), borders);
        let judged = if all_placed {
            &placements
        } else {
            &projections
        };
        let remarks = map.remarks(&border, judged, Some(&arrivals.labels));
        words.remark(&arrivals.source, &remarks);
        if !all_placed {
            words.say(
                "newcomers are drawn where they are projected only: where they are reconstructed \
                 depends on their similarity to themselves (--self)",
            );
            placements = projections.clone();
        }
        arrived.projections = Some(projections);
        arrived.placements = Some(placements);
        Ok(arrived)
    }

    /// Places newcomers all together.
    pub fn jointly(
        map: &Map,
        arrivals: &Arrivals,
        asked: (Option<Uncertainty<'_>>, &Certainty),
        run: Run<'_>,
        words: &Words,
    ) -> Result<Self, Error> {
        let (border, answer, _) = together(map, arrivals, asked, None, run, words)?;
        let remarks = map.remarks(&border, &answer.placements, Some(&arrivals.labels));
        words.remark(&arrivals.source, &remarks);
        Ok(Self {
            labels: arrivals.labels.clone(),
            projections: Some(map.project(&border)),
            placements: Some(answer.placements),
            jointly: true,
            arcs: Vec::new(),
        })
    }

    /// Whether places are another strategy's than the arc's, or joint.
    pub fn by_another_strategy(&self) -> bool {
        let strategy = self.placements.as_ref().map(|p| p.strategy);
        self.jointly || strategy.is_some_and(|s| s != Strategy::Reconstruct)
    }

    /// What the legend calls places, and the ways to them.
    pub fn words(&self) -> adjoin_picture::Words {
        let mut words = adjoin_picture::Words::default();
        let strategy = self.placements.as_ref().map(|p| p.strategy);
        if self.jointly {
            words.place = look().words.jointly.clone();
        } else if let Some(strategy) = strategy.filter(|s| *s != Strategy::Reconstruct) {
            words.place = format!("{} {}", look().words.placed, strategy.word());
        }
        let sides = self.placements.as_ref().map(Placements::uncertain_sides);
        if sides.is_some_and(|sides| !sides.is_empty()) {
            words.others = look().words.side.clone();
        }
        if self.arcs.is_empty() {
            words.way = look().words.way.clone();
        }
        words
    }

    /// Each newcomer on two axes of d.
    pub fn newcomers(&self, d: usize, axes: Axes) -> Vec<Newcomer<'_>> {
        let at = |placements: Option<&Placements>, i: usize| {
            placements.map(|p| axes.of(p.point(i))).filter(finite)
        };
        let placements = self.placements.as_ref();
        let region = |i: usize, at: Option<[f64; 2]>| match (placements, axes.up, at) {
            (Some(placements), Some(_), Some(at)) => region(placements, i, axes, at),
            _ => Vec::new(),
        };
        let places = placements.filter(|p| p.strategy != Strategy::Project);
        let mut newcomers: Vec<Newcomer<'_>> = Vec::new();
        for (i, label) in self.labels.iter().enumerate() {
            let projection = at(self.projections.as_ref(), i);
            let place = at(places, i);
            newcomers.push(Newcomer {
                label,
                projection,
                place,
                region: region(i, place.or(projection)),
                way: match (self.arcs.get(i), projection, place) {
                    (Some(arc), ..) => arc.chunks_exact(d).map(|y| axes.of(y)).collect(),
                    (None, Some(from), Some(to)) => vec![from, to],
                    _ => Vec::new(),
                },
                ..Default::default()
            });
        }
        for (i, other) in placements.iter().flat_map(|p| &p.alternatives) {
            // A mirror image in an axis that is not shown is at the same place.
            let (other, newcomer) = (axes.of(other), &mut newcomers[*i]);
            let same = newcomer.place.is_some_and(|place| {
                (place[0] - other[0]).hypot(place[1] - other[1]) <= SAME * other[0].hypot(other[1])
            });
            if !same {
                newcomer.others.push(other);
            }
        }
        newcomers
    }
}

/// The outline of the 95 % region of newcomer `i` about its place on two axes of the map; nothing if it is not known.
fn region(placements: &Placements, i: usize, axes: Axes, at: [f64; 2]) -> Vec<[f64; 2]> {
    let d = placements.dimensions;
    let row = |axis: usize| {
        let row = i * d * d + axis * d;
        placements.covariance.get(row..row + d)
    };
    let ((a, across), Some((b, up))) = (axes.across, axes.up) else {
        return Vec::new();
    };
    let (Some(first), Some(second)) = (row(a), row(b)) else {
        return Vec::new();
    };
    // Σ on these axes as LL', L lower triangular.
    let l = first[a].sqrt();
    let (m, n) = if l > 0.0 {
        let m = first[b] / l;
        (m, (second[b] - m * m).max(0.0).sqrt())
    } else {
        (0.0, second[b].sqrt())
    };
    let reach = placements.region(i, 2, REGION).sqrt();
    let corner = |step: usize| {
        let (sin, cos) = (TAU * step as f64 / CORNERS as f64).sin_cos();
        [
            at[0] + across * reach * l * cos,
            at[1] + up * reach * (m * cos + n * sin),
        ]
    };
    (0..CORNERS).map(corner).collect()
}

/// Whether β is known of all that could be placed: without a self-similarity it is not.
fn beta_known(border: &Border) -> bool {
    let placed = |i: usize| border.projection(i).iter().all(|v| v.is_finite());
    (0..border.count()).all(|i| border.beta[i].is_finite() || !placed(i))
}

fn finite(p: &[f64; 2]) -> bool {
    p[0].is_finite() && p[1].is_finite()
}
