//! Old objects as newcomers to the map of the others, by any strategy that needs no proximities.
//!
//! What was stored of object i, y_(i), β_(i) and the eigenvalues μ of the map without it, is all that project,
//! reconstruct, hyperplane and augment ask of a newcomer. They place it on the own axes of that map; to be shown beside the
//! others it is turned onto X as that map would be by Procrustes. With v_a the axes without i,
//!
//! ```text
//! v_a'u_b = y_(i)a √μ_a u_ib/(c_b − μ_a)      M = diag(√μ)[v_a'u_b]diag(√c) = PTQ'      y ↦ y'PQ' − x_i'/(n−1)
//! ```
//!
//! where −x_i/(n−1) is the centroid of the others. A set of old objects restricted to is reconstructed exactly where it was
//! fitted; one that is projected is not: that newcomers are shrunk, and how much, is seen by comparing them with these places.

use crate::border::squared;
use crate::error::{About, Error};
use crate::fit::diagram::Diagram;
use crate::fit::leave_one_out::LeftOut;
use crate::fit::leave_one_out::exact::LEAST_MASS;
use crate::place::alone::{PlaceSettings, by_augment, by_hyperplane, offered};
use crate::strategy::augment::AugmentSettings;
use crate::strategy::jacobi::Svd;
use crate::strategy::placements::{Placements, Strategy};
use crate::strategy::rule::{One, Place, status};
use crate::strategy::secular::{self, Minimisers};

/// One old object as a newcomer to others, in the eigenbasis of their map.
#[derive(Debug, Clone)]
pub(crate) struct Absent {
    /// The eigenvalues of their map.
    pub eigenvalues: Vec<f64>,
    /// Where it is projected to.
    pub projection: Vec<f64>,
    /// β.
    pub beta: f64,
    /// How many they are.
    pub size: usize,
    /// R = PQ' row by row, and the shift; none if their map is the diagram.
    turn: Option<(Vec<f64>, Vec<f64>)>,
}

/// How far a reconstruction is proved.
#[derive(Debug, Clone, Copy)]
struct Proof {
    lambda: f64,
    margin: f64,
    stationarity: f64,
}

impl Absent {
    /// Object `i` of the diagram; none if an axis does not exist without it, or if nothing was stored.
    pub(crate) fn of(diagram: &Diagram, i: usize) -> Option<Self> {
        let left_out = diagram.leave_one_out();
        let y = left_out.place(i)?;
        let size = diagram.count() - 1;
        if left_out.form == LeftOut::AxesFixed {
            return Some(Self {
                size,
                ..Self::beside(diagram, y, left_out.residuals[i])
            });
        }
        Some(Self {
            eigenvalues: left_out.eigenvalues(i, diagram.c()),
            projection: y.to_vec(),
            beta: left_out.residuals[i] + squared(y),
            size,
            turn: Some(turn(diagram, i, y)),
        })
    }

    /// An object that is not one of the diagram's, at `y` about the origin.
    pub(crate) fn beside(diagram: &Diagram, y: &[f64], residual: f64) -> Self {
        let mut projection = y.to_vec();
        diagram.turn_into_basis(&mut projection);
        Self {
            eigenvalues: diagram.c().to_vec(),
            beta: residual + squared(y),
            projection,
            size: diagram.count(),
            turn: None,
        }
    }

    /// T²: how far out it is within the map.
    pub(crate) fn extent(&self) -> f64 {
        let terms = self.projection.iter().zip(&self.eigenvalues);
        (self.size as f64 - 1.0) * terms.map(|(y, c)| y * y / c).sum::<f64>()
    }

    /// β − ‖y‖².
    pub(crate) fn residual(&self) -> f64 {
        self.beta - squared(&self.projection)
    }

    /// Places it, as object `at` of the placements, on the diagram.
    pub(crate) fn place(
        &self,
        diagram: &Diagram,
        settings: &PlaceSettings,
        placements: &mut Placements,
        at: usize,
    ) {
        let length = squared(&self.projection).max(self.beta);
        let one = One {
            eigenvalues: &self.eigenvalues,
            projection: &self.projection,
            beta: self.beta,
            // ‖b‖² is at most that: b is the object in all dimensions times X.
            b_norm: (self.eigenvalues[0] * length).sqrt(),
            size: self.size,
        };
        let unknown = Proof {
            lambda: f64::NAN,
            margin: f64::NAN,
            stationarity: f64::NAN,
        };
        let (mut place, proof) = match settings.strategy {
            // Without its self-similarity an object has a projection and nothing else, as a newcomer has.
            strategy if self.beta.is_nan() && strategy != Strategy::Project => {
                (Place::none(), unknown)
            }
            Strategy::Reconstruct => by_reconstruction(&one),
            Strategy::Hyperplane => (by_hyperplane(&one), unknown),
            Strategy::Augment => {
                let options = AugmentSettings {
                    recentre: settings.recentre,
                    scale: settings.scaled,
                };
                (by_augment(&one, &options), unknown)
            }
            Strategy::Project => {
                let projected = Proof {
                    lambda: 0.0,
                    ..unknown
                };
                (Place::at(self.projection.clone()), projected)
            }
            // `check` refuses them.
            Strategy::Stress | Strategy::Own => (Place::none(), unknown),
        };
        placements.known[at] = self.size;
        placements.residual[at] = self.residual();
        placements.share[at] = self.residual() / self.beta;
        if place.status.placed() {
            let steps = place.coordinates.iter().zip(&self.projection);
            let step: f64 = steps.map(|(a, b)| (a - b).powi(2)).sum();
            placements.displacement[at] = step.sqrt();
            placements.lambda[at] = proof.lambda;
            placements.margin[at] = proof.margin;
            placements.stationarity[at] = proof.stationarity;
            self.onto(diagram, &mut place.coordinates);
        }
        for other in &mut place.alternatives {
            self.onto(diagram, other);
        }
        placements.put(at, place);
    }

    /// From the eigenbasis of the others' map onto the diagram, in place.
    fn onto(&self, diagram: &Diagram, y: &mut [f64]) {
        match &self.turn {
            Some((rotation, shift)) => {
                let before = y.to_vec();
                let d = before.len();
                for (b, y) in y.iter_mut().enumerate() {
                    let terms = before.iter().enumerate();
                    *y = shift[b] + terms.map(|(a, v)| v * rotation[a * d + b]).sum::<f64>();
                }
            }
            None => diagram.turn_out_of_basis(y),
        }
        y.iter_mut()
            .zip(diagram.origin())
            .for_each(|(y, o)| *y += o);
    }
}

/// The turn of the map without object `i`, which is at `y` on it, onto the diagram.
fn turn(diagram: &Diagram, i: usize, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let left_out = diagram.leave_one_out();
    let (d, poles) = (y.len(), &left_out.poles);
    let x: Vec<f64> = diagram.configuration().row(i).iter().copied().collect();
    let mut cross = vec![0.0; d * d];
    for (a, shift) in left_out.shifts(i).iter().enumerate() {
        let origin = left_out.pole(a, *shift);
        let mu = origin + shift;
        for (b, x) in x.iter().enumerate() {
            // As the roots were found: no entry of an eigenvector is nothing.
            let least = (LEAST_MASS * poles[b]).sqrt();
            let x = x.abs().max(least).copysign(*x);
            let apart = (poles[b] - origin) - shift;
            cross[b * d + a] = mu / poles[0] * y[a] * x / apart;
        }
    }
    let svd = Svd::new(cross, d);
    let mut rotation = vec![0.0; d * d];
    for (at, r) in rotation.iter_mut().enumerate() {
        let (a, b) = (at / d, at % d);
        *r = (0..d).map(|k| svd.left(k)[a] * svd.right(k)[b]).sum();
    }
    let others = diagram.count() as f64 - 1.0;
    (rotation, x.iter().map(|x| -x / others).collect())
}

fn by_reconstruction(one: &One<'_>) -> (Place, Proof) {
    let c = one.eigenvalues;
    let g: Vec<f64> = c.iter().zip(one.projection).map(|(c, y)| c * y).collect();
    let mut y = vec![0.0; c.len()];
    let root = secular::solve(c, &g, one.beta, one.size, one.b_norm, &mut y);
    let proof = Proof {
        lambda: root.lambda,
        margin: root.margin,
        stationarity: secular::stationarity(c, &g, one.beta, &y),
    };
    let mut place = Place::at(y.clone());
    place.status = status(root.converged, root.minimisers);
    if let (Some((axis, tau)), Minimisers::Pair) = (root.tie, root.minimisers) {
        y[axis] = -tau;
        place.alternatives.push(y);
    }
    (place, proof)
}

/// Errs unless the diagram's objects can be left out and placed so.
pub(crate) fn check(diagram: &Diagram, settings: &PlaceSettings) -> Result<(), Error> {
    settings.check()?;
    offered(diagram, settings.strategy)?;
    let refused = |about, why: &str| {
        Err(Error::NotOffered {
            about,
            what: "leaving old objects out",
            why: why.into(),
        })
    };
    let left_out = diagram.leave_one_out();
    match settings.strategy {
        Strategy::Stress | Strategy::Own => refused(
            About::Strategy,
            "found a strategy that needs the old objects' proximities, which the map does not have, expected project, \
             reconstruct, hyperplane or augment",
        ),
        _ if left_out.placed() => Ok(()),
        _ if left_out.places.is_empty() && left_out.residuals.iter().any(|r| !r.is_nan()) => {
            refused(
                About::Work,
                "found a map that was fitted by an earlier version, expected one that has the old objects' places \
                 without themselves: fit it again",
            )
        }
        _ => refused(
            About::Dimensions,
            "found a map that loses an axis with any of its objects, expected fewer axes or more objects",
        ),
    }
}
