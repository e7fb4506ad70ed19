//! The arc: the curve of placements from projection to restricted reconstruction (the paper's §5).
//!
//! ŷ(λ) = (C + λI)⁻¹g for λ from 0 to λ*. As λ* ≥ −c_min it never crosses a pole, and in the hard case
//! it ends with a straight segment along the eigenspace of c_min. Each point is the exact
//! reconstruction for another β, namely ‖ŷ(λ)‖² − λ.
//!
//! Points are spaced evenly by length. In the eigenbasis of C every coordinate keeps its sign and grows
//! (or shrinks) in modulus along the arc, so h = ‖y‖₁ is a parameter in which the speed
//! ‖y'‖₂/‖y'‖₁ lies between 1/√d and 1 even where λ barely moves. Length is integrated over h by
//! adaptive Gauss–Legendre quadrature, and λ found from h by Newton's method on the concave 1/h.

use crate::border::{Border, squared};
use crate::error::{About, Error};
use crate::fit::diagram::Diagram;
use crate::strategy::reconstruct;

/// One newcomer's arc, sampled evenly by length.
#[derive(Debug, Clone, PartialEq)]
pub struct Arc {
    /// d.
    pub dimensions: usize,
    /// Coordinates on the map, row by row; the first point is the projection, the last the
    /// reconstruction.
    pub coordinates: Vec<f64>,
    /// λ of each point.
    pub lambda: Vec<f64>,
    /// The β for which each point is the reconstruction.
    pub beta: Vec<f64>,
    /// How far along the arc each point is, from 0 to 1.
    pub position: Vec<f64>,
    /// The length of the whole arc.
    pub length: f64,
}

impl Arc {
    /// The coordinates of point `j`.
    pub fn point(&self, j: usize) -> &[f64] {
        &self.coordinates[j * self.dimensions..(j + 1) * self.dimensions]
    }
}

/// The few numbers that an arc is, in the eigenbasis of C ([`Diagram::eigenbasis`]), for those who draw it
/// themselves: y_j(μ) = g_j / (c_j − c_min + μ) for μ = λ + c_min from c_min to `margin`, and then, if `tau` is
/// not zero, a straight segment of that length along the last axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// g, with zeros for components that the solver took as rounding errors: they stay zero all along.
    pub g: Vec<f64>,
    /// Where the arc ends.
    pub end: Vec<f64>,
    /// λ* there.
    pub lambda: f64,
    /// λ* + c_min, computed without cancellation.
    pub margin: f64,
    /// The length of the straight segment of the hard case, otherwise 0.
    pub tau: f64,
}

/// The numbers of the arc of newcomer `i`; none if the newcomer has no projection or its β is not known.
pub fn course(diagram: &Diagram, border: &Border, i: usize) -> Option<Course> {
    if border.projection(i)[0].is_nan() || border.beta[i].is_nan() {
        return None;
    }
    let (end, g, root) = reconstruct::solve(diagram, border, i);
    // The eigenvalues descend: the axis of a tie is the last.
    let tau = root.tie.map_or(0.0, |(_, tau)| tau);
    let tied = |j: usize| root.tie.is_some_and(|(axis, _)| axis == j);
    let still = |j: usize| end[j] == 0.0 || tied(j);
    let g = (0..g.len()).map(|j| if still(j) { 0.0 } else { g[j] });
    Some(Course {
        g: g.collect(),
        end,
        lambda: root.lambda,
        margin: root.margin,
        tau,
    })
}

/// The arc of newcomer `i` in `points` points (at least 2); none if the newcomer has no projection.
pub fn arc(
    diagram: &Diagram,
    border: &Border,
    i: usize,
    points: usize,
) -> Result<Option<Arc>, Error> {
    if points < 2 {
        return Err(Error::Length {
            about: About::Points,
            what: "points for an arc",
            found: points,
            expected: 2,
        });
    }
    let Some(course) = course(diagram, border, i) else {
        return Ok(None);
    };
    let projection = border.projection(i);
    let c = diagram.c();
    let c_min = c[c.len() - 1];
    let Course {
        g,
        end,
        lambda,
        margin,
        tau,
    } = course;
    let curve = Curve {
        gaps: c.iter().map(|c| c - c_min).collect(),
        g,
        below: c_min.min(margin),
    };
    let pieces = curve.pieces(c_min, margin);
    let curved: f64 = pieces.iter().map(|p| p.length).sum();
    let length = curved + tau;

    let mut arc = Arc {
        dimensions: c.len(),
        coordinates: Vec::with_capacity(points * c.len()),
        lambda: Vec::with_capacity(points),
        beta: Vec::with_capacity(points),
        position: Vec::with_capacity(points),
        length,
    };
    for j in 0..points {
        let position = j as f64 / (points - 1) as f64;
        let target = position * length;
        let (mut y, lambda) = if j == points - 1 {
            let mut y = end.clone();
            diagram.turn_out_of_basis(&mut y);
            (y, lambda)
        } else if j == 0 || length == 0.0 {
            (projection.to_vec(), 0.0)
        } else {
            let (mut y, mu) = if target < curved {
                let mu = curve.at(&pieces, target);
                (curve.point(mu), mu)
            } else {
                // The straight segment of the hard case.
                let mut y = end.clone();
                if let Some(last) = y.last_mut().filter(|_| tau > 0.0) {
                    *last = (target - curved).min(tau);
                }
                (y, margin)
            };
            diagram.turn_out_of_basis(&mut y);
            (y, mu - c_min)
        };
        arc.beta.push(if j == points - 1 {
            border.beta[i]
        } else {
            squared(&y) - lambda
        });
        y.iter_mut()
            .zip(diagram.origin())
            .for_each(|(v, o)| *v += o);
        arc.coordinates.extend(y);
        arc.lambda.push(lambda);
        arc.position.push(position);
    }
    Ok(Some(arc))
}

/// The curved part of an arc, in the eigenbasis: y(μ) = g / (gap + μ).
struct Curve {
    gaps: Vec<f64>,
    g: Vec<f64>,
    /// The smallest μ on the curve: Newton's method for any point of it starts there.
    below: f64,
}

/// A stretch of the curve between two values of ‖y‖₁.
struct Piece {
    from: f64,
    to: f64,
    length: f64,
}

/// Nodes and weights of eight-point Gauss–Legendre quadrature on [−1, 1] (the positive half).
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_47),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_26),
];

/// Relative accuracy of the length of each piece.
const ACCURACY: f64 = 1e-13;

/// A corner as sharp as rounding allows is isolated after so many halvings.
const MOST_HALVINGS: usize = 60;

impl Curve {
    fn point(&self, mu: f64) -> Vec<f64> {
        let terms = self.g.iter().zip(&self.gaps);
        terms
            .map(|(&g, gap)| if g == 0.0 { 0.0 } else { g / (gap + mu) })
            .collect()
    }

    /// h(μ) = ‖y(μ)‖₁ and −h'(μ).
    fn norm(&self, mu: f64) -> (f64, f64) {
        let (mut h, mut slope) = (0.0, 0.0);
        for (&g, gap) in self.g.iter().zip(&self.gaps) {
            if g != 0.0 {
                let y = g.abs() / (gap + mu);
                h += y;
                slope += y / (gap + mu);
            }
        }
        (h, slope)
    }

    /// The μ at which ‖y‖₁ = h: Newton's method on 1/h, concave and increasing, from below.
    fn mu(&self, h: f64) -> f64 {
        let mut mu = self.below;
        for _ in 0..100 {
            let (at, slope) = self.norm(mu);
            // (1/h − 1/at) / (1/at)' = at (at − h) / (h slope)
            let step = at * (at - h) / (h * slope);
            let next = mu + step.max(0.0);
            if next.is_nan() || next <= mu * (1.0 + f64::EPSILON) {
                break;
            }
            mu = next;
        }
        mu
    }

    /// ‖y'‖₂ / ‖y'‖₁ where ‖y‖₁ = h.
    fn speed(&self, h: f64) -> f64 {
        let mu = self.mu(h);
        let largest = (0..self.g.len()).fold(0.0, |m: f64, j| m.max(self.velocity(j, mu)));
        if largest == 0.0 {
            return 1.0;
        }
        let (mut one, mut two) = (0.0, 0.0);
        for j in 0..self.g.len() {
            let v = self.velocity(j, mu) / largest;
            one += v;
            two += v * v;
        }
        two.sqrt() / one
    }

    fn velocity(&self, j: usize, mu: f64) -> f64 {
        if self.g[j] == 0.0 {
            return 0.0;
        }
        let s = self.gaps[j] + mu;
        self.g[j].abs() / s / s
    }

    /// ∫ speed dh over an interval, by one Gauss rule.
    fn rule(&self, a: f64, b: f64) -> f64 {
        let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
        let terms = GAUSS.iter().map(|(x, weight)| {
            weight * (self.speed(centre - half * x) + self.speed(centre + half * x))
        });
        half.abs() * terms.sum::<f64>()
    }

    /// The curve from μ = `start` to μ = `end`, in pieces whose lengths are known to rounding.
    fn pieces(&self, start: f64, end: f64) -> Vec<Piece> {
        let (from, to) = (self.norm(start).0, self.norm(end).0);
        if from == to || !to.is_finite() {
            return Vec::new();
        }
        let whole = (to - from).abs();
        let mut pieces = Vec::new();
        let mut waiting = vec![(from, to, self.rule(from, to), 0)];
        while let Some((a, b, length, depth)) = waiting.pop() {
            let middle = 0.5 * (a + b);
            let (left, right) = (self.rule(a, middle), self.rule(middle, b));
            let error = (left + right - length).abs();
            if error <= ACCURACY * whole || depth == MOST_HALVINGS {
                pieces.push(Piece {
                    from: a,
                    to: middle,
                    length: left,
                });
                pieces.push(Piece {
                    from: middle,
                    to: b,
                    length: right,
                });
            } else {
                waiting.push((middle, b, right, depth + 1));
                waiting.push((a, middle, left, depth + 1));
            }
        }
        pieces
    }

    /// The μ of the point at `target` along the pieces.
    fn at(&self, pieces: &[Piece], target: f64) -> f64 {
        let mut passed = 0.0;
        for (index, piece) in pieces.iter().enumerate() {
            if passed + piece.length < target && index + 1 < pieces.len() {
                passed += piece.length;
                continue;
            }
            // Newton's method within the piece: its length is smooth and nearly linear in h.
            let (low, high) = (piece.from.min(piece.to), piece.from.max(piece.to));
            let sign = (piece.to - piece.from).signum();
            let mut h = piece.from + (target - passed) / piece.length * (piece.to - piece.from);
            for _ in 0..8 {
                h = h.clamp(low, high);
                let error = target - passed - self.rule(piece.from, h);
                let step = error / self.speed(h);
                h += sign * step;
                if step.abs() <= ACCURACY * high {
                    break;
                }
            }
            return self.mu(h.clamp(low, high));
        }
        self.below
    }
}
