//! One configuration and many newcomers: units, what was observed, and the dimensions it spans.

use faer::MatRef;

use super::line::{self, Line};
use super::proof::{Claim, MOST_AXES, prove};
use super::search::{EXPLORED, Search, Valleys, search};
use super::shape::Shape;
use super::sums::{LANES, Lane, Problem, ZERO};
use super::{Start, Stress, StressSettings};
use crate::rounding::{TIE_UNITS, power_of_two};
use crate::strategy::jacobi::dot;
use crate::strategy::secular::Minimisers;

/// δ beyond this many times the configuration's size is rescaled, so that cubes do not overflow.
const FAR: f64 = 1e60;

/// A configuration made ready for many newcomers.
#[derive(Debug, Clone)]
pub struct Prepared {
    size: usize,
    axes: usize,
    /// The mean of the objects, and the power of two by which they are divided.
    mean: Vec<f64>,
    scale: f64,
    /// The centred and scaled objects in groups of eight.
    points: Vec<Lane>,
    /// Their shape when all are observed and weigh the same.
    shape: Shape,
    /// On a line, the objects in ascending order.
    order: Vec<usize>,
}

/// What one newcomer brings, in the units of the prepared configuration.
struct Observations {
    dissimilarities: Vec<Lane>,
    weights: Vec<Lane>,
    /// Σ w, and the power of two by which weights were divided.
    total: f64,
    weight_scale: f64,
    observed: usize,
    /// The longest observed dissimilarity.
    longest: f64,
    /// Σ w δ².
    squares: f64,
}

/// The places found, in the units of the prepared configuration, the best first.
struct Places {
    best: Vec<f64>,
    /// Others of the same stress.
    ties: Vec<Vec<f64>>,
    start: Start,
    minima: usize,
    steps: usize,
    converged: bool,
    /// As that of the answer.
    gap: f64,
}

impl Prepared {
    /// Prepares an n × d configuration with finite entries.
    pub fn new(configuration: MatRef<'_, f64>) -> Self {
        let (n, d) = (configuration.nrows(), configuration.ncols());
        let largest = |v: &dyn Fn(usize, usize) -> f64| {
            let all = (0..d).flat_map(|k| (0..n).map(move |i| (i, k)));
            all.fold(0.0, |m: f64, (i, k)| m.max(v(i, k).abs()))
        };
        let bound = power_of_two(largest(&|i, k| configuration[(i, k)]));
        let sum = |k: usize| (0..n).map(|i| configuration[(i, k)] / bound).sum::<f64>();
        let mean: Vec<f64> = (0..d).map(|k| sum(k) / n.max(1) as f64 * bound).collect();
        let centred = |i: usize, k: usize| configuration[(i, k)] / bound - mean[k] / bound;
        let scale = power_of_two(largest(&centred));
        let mut points = vec![ZERO; n.div_ceil(LANES) * d];
        for i in 0..n {
            for k in 0..d {
                points[i / LANES * d + k][i % LANES] = centred(i, k) / scale;
            }
        }
        let mut order: Vec<usize> = Vec::new();
        if d == 1 {
            order.extend(0..n);
            let x = |i: usize| points[i / LANES][i % LANES];
            order.sort_by(|&i, &j| x(i).total_cmp(&x(j)));
        }
        let weights = pack(n, |_| 1.0);
        let shape = Shape::new(&points, &weights, d, n);
        let scale = scale * bound;
        Self {
            size: n,
            axes: d,
            mean,
            scale,
            points,
            shape,
            order,
        }
    }

    /// Places one seen. `given` are further starts, of d entries each.
    pub fn place(
        &self,
        dissimilarities: &[f64],
        weights: Option<&[f64]>,
        given: &[&[f64]],
        settings: &StressSettings,
    ) -> Stress {
        assert!(dissimilarities.len() == self.size && weights.is_none_or(|w| w.len() == self.size));
        let farthest = dissimilarities.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if farthest / FAR > self.scale {
            return self
                .rescaled(farthest)
                .place(dissimilarities, weights, given, settings);
        }
        let seen = self.observe(dissimilarities, weights);
        if seen.observed == 0 || self.axes == 0 {
            return nothing_observed(self.axes);
        }

        // The shape of what was observed, and the search in as many dimensions as it has.
        let alike = seen.observed == self.size && weights.is_none();
        let shape = if alike {
            &self.shape
        } else {
            &Shape::new(&self.points, &seen.weights, self.axes, self.size)
        };
        let down = |y: &&[f64]| -> Vec<f64> {
            y.iter()
                .zip(&self.mean)
                .map(|(y, m)| y / self.scale - m / self.scale)
                .collect()
        };
        let given: Vec<Vec<f64>> = given.iter().map(down).collect();
        let flat = self.axes - shape.rank;
        let places = match (self.axes, flat) {
            (1, _) => self.on_the_line(&seen),
            (_, 0) => self.in_full(&seen, shape, alike, &given, settings),
            _ => self.in_the_span(&seen, shape, &given, settings),
        };
        self.answer(places, &seen, if self.axes == 1 { 1 } else { flat })
    }

    /// The same configuration measured in a unit fit for distances as long as `farthest`.
    fn rescaled(&self, farthest: f64) -> Self {
        let scale = power_of_two(farthest);
        let mut other = self.clone();
        other
            .points
            .iter_mut()
            .flat_map(|lane| &mut lane.0)
            .for_each(|v| *v = *v * self.scale / scale);
        other.scale = scale;
        other.shape = Shape::new(
            &other.points,
            &pack(self.size, |_| 1.0),
            self.axes,
            self.size,
        );
        other
    }

    fn observe(&self, dissimilarities: &[f64], weights: Option<&[f64]>) -> Observations {
        let heaviest = match weights {
            Some(weights) => {
                let seen = weights
                    .iter()
                    .zip(dissimilarities)
                    .filter(|p| !p.1.is_nan());
                seen.fold(0.0, |m: f64, (&w, _)| m.max(w))
            }
            None => 1.0,
        };
        let weight_scale = power_of_two(heaviest);
        let mut lanes = vec![ZERO; self.size.div_ceil(LANES)];
        let mut seen = Observations {
            weights: lanes.clone(),
            total: 0.0,
            weight_scale,
            observed: 0,
            longest: 0.0,
            squares: 0.0,
            dissimilarities: Vec::new(),
        };
        for (group, delta) in dissimilarities.chunks(LANES).enumerate() {
            for (l, &delta) in delta.iter().enumerate() {
                let w = weights.map_or(1.0, |w| w[group * LANES + l] / weight_scale);
                let (delta, w) = if !delta.is_nan() && w > 0.0 {
                    (delta / self.scale, w)
                } else {
                    (0.0, 0.0)
                };
                lanes[group][l] = delta;
                seen.weights[group][l] = w;
                seen.total += w;
                seen.observed += usize::from(w > 0.0);
                seen.longest = seen.longest.max(delta);
                seen.squares += w * delta * delta;
            }
        }
        seen.dissimilarities = lanes;
        seen
    }

    fn problem<'a>(&self, points: &'a [Lane], axes: usize, seen: &'a Observations) -> Problem<'a> {
        Problem {
            axes,
            points,
            dissimilarities: &seen.dissimilarities,
            weights: &seen.weights,
            total: seen.total,
        }
    }

    /// d = 1.
    fn on_the_line(&self, seen: &Observations) -> Places {
        let at = |lanes: &[Lane], i: usize| lanes[i / LANES][i % LANES];
        let object = |&i: &usize| {
            let (delta, w) = (at(&seen.dissimilarities, i), at(&seen.weights, i));
            (at(&self.points, i), delta, w)
        };
        let objects = self.order.iter().map(object).filter(|o| o.2 > 0.0);
        places_on(&line::minimise(&objects.collect::<Vec<_>>(), self.unit()))
    }

    /// The observed objects span the map.
    fn in_full(
        &self,
        seen: &Observations,
        shape: &Shape,
        alike: bool,
        given: &[Vec<f64>],
        settings: &StressSettings,
    ) -> Places {
        let found = search(&Search {
            problem: self.problem(&self.points, self.axes, seen),
            shape,
            size: self.size,
            length: seen.longest.max(1.0),
            alike,
            flat: false,
            given,
            most_steps: settings.most_steps,
        });
        let problem = self.problem(&self.points, self.axes, seen);
        self.proved(self.places(found, seen), &problem, seen, false, settings)
    }

    /// The places with a proof, if one is wanted: perhaps others then.
    fn proved(
        &self,
        places: Places,
        problem: &Problem<'_>,
        seen: &Observations,
        flat: bool,
        settings: &StressSettings,
    ) -> Places {
        if !settings.prove || problem.axes > MOST_AXES {
            return places;
        }
        let stress = problem.stress(&places.best);
        let proof = prove(Claim {
            problem,
            best: (places.best, stress),
            ties: places.ties,
            flat,
            length: seen.longest.max(1.0),
            same: EXPLORED,
            unit: self.unit(),
            equal: self.rounding(stress, seen),
            most_steps: settings.most_steps,
        });
        Places {
            best: proof.best.0,
            ties: proof.ties,
            gap: proof.gap,
            start: if proof.found {
                Start::Proof
            } else {
                places.start
            },
            converged: places.converged && !proof.found || proof.converged && proof.found,
            ..places
        }
    }

    /// By how much stresses near `least` may differ by rounding.
    fn rounding(&self, least: f64, seen: &Observations) -> f64 {
        let rounding = self.unit() * (least * seen.squares).sqrt();
        rounding + self.unit() * self.unit() * seen.squares
    }

    /// They span less: search their span and one axis that stands for all the others.
    fn in_the_span(
        &self,
        seen: &Observations,
        shape: &Shape,
        given: &[Vec<f64>],
        settings: &StressSettings,
    ) -> Places {
        let (d, r) = (self.axes, shape.rank);
        let inside = |y: &dyn Fn(usize) -> f64, j: usize| {
            let axis = shape.axis(j);
            (0..d)
                .map(|k| axis[k] * (y(k) - shape.mean[k]))
                .sum::<f64>()
        };
        let mut points = vec![ZERO; seen.weights.len() * (r + 1)];
        for i in 0..self.size {
            let x = |k: usize| self.points[i / LANES * d + k][i % LANES];
            for j in 0..r {
                points[i / LANES * (r + 1) + j][i % LANES] = inside(&x, j);
            }
        }
        let mut places = if r == 0 {
            let pairs = seen
                .dissimilarities
                .iter()
                .flat_map(|lane| &lane.0)
                .zip(seen.weights.iter().flat_map(|lane| &lane.0));
            let objects = pairs
                .filter(|o| *o.1 > 0.0)
                .map(|(&delta, &w)| (0.0, delta, w));
            places_on(&line::minimise(&objects.collect::<Vec<_>>(), self.unit()))
        } else {
            let mut reduced = Shape::new(&points, &seen.weights, r + 1, self.size);
            reduced.rank = r;
            let height = |y: &Vec<f64>| {
                let along: Vec<f64> = (0..r).map(|j| inside(&|k| y[k], j)).collect();
                let off: f64 = (0..d).map(|k| (y[k] - shape.mean[k]).powi(2)).sum();
                let height = (off - dot(&along, &along)).max(0.0).sqrt();
                along.into_iter().chain([height]).collect::<Vec<f64>>()
            };
            let given: Vec<Vec<f64>> = given.iter().map(height).collect();
            let found = search(&Search {
                problem: self.problem(&points, r + 1, seen),
                shape: &reduced,
                size: self.size,
                length: seen.longest.max(1.0),
                alike: false,
                flat: true,
                given: &given,
                most_steps: settings.most_steps,
            });
            let problem = self.problem(&points, r + 1, seen);
            self.proved(self.places(found, seen), &problem, seen, true, settings)
        };
        // Off the span with +, on the last of the axes that are not in it.
        let back = |y: &[f64], sign: f64| {
            let mut along = vec![0.0; d];
            along[..r].copy_from_slice(&y[..r]);
            let height = y[r].abs();
            let rounding = self.unit().sqrt() * seen.longest.max(1.0);
            along[d - 1] = if height > rounding {
                sign * height
            } else {
                0.0
            };
            shape.point(&along)
        };
        let (best, opposite) = (back(&places.best, 1.0), back(&places.best, -1.0));
        places.ties = if best == opposite {
            Vec::new()
        } else {
            vec![opposite]
        };
        places.best = best;
        places
    }

    /// The deepest of the minima found, and those that are as deep to rounding.
    fn places(&self, found: Valleys, seen: &Observations) -> Places {
        let (end, start) = found.best;
        let least = end.stress;
        let rounding = self.rounding(least, seen);
        let equal = found
            .rivals
            .into_iter()
            .filter(|rival| rival.stress <= least + rounding);
        Places {
            ties: equal.map(|rival| rival.y).collect(),
            best: end.y,
            start,
            minima: found.minima,
            steps: found.steps,
            converged: end.converged,
            gap: f64::NAN,
        }
    }

    /// 16 n ε, the relative size of what counts as rounding.
    fn unit(&self) -> f64 {
        TIE_UNITS * self.size as f64 * f64::EPSILON
    }

    /// Back to the caller's units.
    fn answer(&self, places: Places, seen: &Observations, flat: usize) -> Stress {
        let stress = self
            .problem(&self.points, self.axes, seen)
            .stress(&places.best);
        let relative = match (stress, seen.squares) {
            (0.0, _) => 0.0,
            (stress, squares) => (stress / squares).sqrt(),
        };
        let up = |y: &Vec<f64>| -> Vec<f64> {
            y.iter()
                .zip(&self.mean)
                .map(|(y, m)| y * self.scale + m)
                .collect()
        };
        Stress {
            coordinates: up(&places.best),
            stress: stress * seen.weight_scale * self.scale * self.scale,
            relative,
            minimisers: match (places.ties.len(), flat) {
                (0, _) => Minimisers::Unique,
                (_, 0 | 1) => Minimisers::Pair,
                (_, flat) => Minimisers::Sphere(flat - 1),
            },
            alternatives: places.ties.iter().map(up).collect(),
            start: places.start,
            minima: places.minima,
            observed: seen.observed,
            steps: places.steps,
            converged: places.converged,
            gap: places.gap,
        }
    }
}

/// The answer to nothing.
fn nothing_observed(axes: usize) -> Stress {
    Stress {
        coordinates: vec![f64::NAN; axes],
        stress: f64::NAN,
        relative: f64::NAN,
        minimisers: Minimisers::Unique,
        alternatives: Vec::new(),
        start: Start::Exact,
        minima: 0,
        observed: 0,
        steps: 0,
        converged: false,
        gap: f64::NAN,
    }
}

fn places_on(line: &Line) -> Places {
    Places {
        best: vec![line.y],
        ties: line.ties.iter().map(|&y| vec![y]).collect(),
        start: Start::Exact,
        minima: line.minima,
        steps: 0,
        converged: true,
        // All local minima were looked at.
        gap: 0.0,
    }
}

/// One number for each of n objects, in groups of eight, the last filled up with zeros.
fn pack(n: usize, value: impl Fn(usize) -> f64) -> Vec<Lane> {
    let mut lanes = vec![ZERO; n.div_ceil(LANES)];
    lanes
        .iter_mut()
        .flat_map(|lane| &mut lane.0)
        .zip(0..n)
        .for_each(|(lane, i)| *lane = value(i));
    lanes
}
