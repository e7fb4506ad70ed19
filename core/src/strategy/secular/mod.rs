//! The secular equation: the global minimiser of a quadratic plus a quartic in the norm.
//!
//! Restricted reconstruction (the paper's problem (11)) is, up to a constant,
//!
//! ```text
//! min over y:  2 (y'Cy − 2 g'y) + (y'y − β)²
//! ```
//!
//! Its stationary points satisfy (C + λI) y = g with λ = y'y − β, and one of them is a *global*
//! minimiser if and only if C + λI is positive semidefinite, because for a stationary y and any z
//!
//! ```text
//! F(z) − F(y) = 2 (z − y)'(C + λI)(z − y) + (z'z − y'y)².
//! ```
//!
//! So λ is the one root of the strictly decreasing ψ(λ) = ‖(C + λI)⁻¹g‖² − β − λ right of −c_min, or
//! −c_min itself when there is none (the *hard case*). Everything here is in the eigenbasis of C and
//! in the shifted variable μ = λ + c_min, so that (c_i − c_min) + μ never cancels near the pole.
//!
//! Seen from the left of the root, ψ is convex and decreasing and the reciprocal form
//! ‖y(μ)‖⁻¹ − (β − c_min + μ)^(−½) is concave and increasing. Newton's step on either one therefore
//! never passes the root; the longer of the two is taken. The first is exact when the quadratic
//! dominates, the second when the root hugs the pole, and no bracket has to be kept.
//!
//! # References
//! Moré and Sorensen (1983), Computing a trust region step, SIAM J. Sci. Stat. Comput. 4:553–572.

pub(crate) mod lanes;

use crate::rounding::{TIE_UNITS, power_of_two};

/// What the smallest eigenvalue's space says about the minimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimisers {
    /// One global minimiser.
    Unique,
    /// Two, mirror images of each other.
    Pair,
    /// A sphere of them, of this dimension (at least 1).
    Sphere(usize),
}

/// The root λ of the secular equation and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// λ* = y'y − β.
    pub lambda: f64,
    /// μ = λ* + c_min ≥ 0, computed without cancellation: the proof of global optimality.
    pub margin: f64,
    /// One minimiser, two, or a sphere.
    pub minimisers: Minimisers,
    /// In the hard case, the axis (of the eigenbasis) whose sign was chosen to be +, and τ, the
    /// length along it: the other minimiser of a pair has −τ there.
    pub tie: Option<(usize, f64)>,
    /// Newton steps taken.
    pub steps: usize,
    /// False if the iteration limit was reached, which the theory excludes.
    pub converged: bool,
}

/// Newton's method needs about five steps and at most some twenty; this only bounds the loop.
const MOST_STEPS: usize = 200;

/// Solves the problem for one newcomer, in the eigenbasis of C.
///
/// `c` are the eigenvalues of C (any order, not negative), `g` the right side in the eigenbasis,
/// `size` the number n of objects behind them and `b_norm` = ‖b‖: together they say which g_i are
/// rounding errors ([`Zeros`]). The minimiser is written to `y`. All inputs must be
/// finite and of one length; the scale of the data does not matter.
pub fn solve(c: &[f64], g: &[f64], beta: f64, size: usize, b_norm: f64, y: &mut [f64]) -> Root {
    assert!(c.len() == g.len() && c.len() == y.len());
    let unit = TIE_UNITS * size as f64 * f64::EPSILON;
    let c_max = c.iter().fold(0.0, |m: f64, &v| m.max(v));
    let c_min = c.iter().fold(f64::INFINITY, |m: f64, &v| m.min(v));
    if c.is_empty() {
        return Root {
            lambda: -beta,
            margin: 0.0,
            minimisers: Minimisers::Unique,
            tie: None,
            steps: 0,
            converged: true,
        };
    }

    // Scale by a power of two, exactly, so that squares neither overflow nor vanish:
    // y ~ s, c and β ~ s², g ~ s³.
    let g_max = g.iter().fold(0.0, |m: f64, &v| m.max(v.abs()));
    let s = power_of_two(c_max.sqrt().max(beta.abs().sqrt()).max(g_max.cbrt()));
    let down = 1.0 / s;
    let down2 = |v: f64| v * down * down;
    let down3 = |v: f64| v * down * down * down;

    // E, the eigenspace of c_min, and whether g is orthogonal to it as far as rounding can tell.
    let zeros = Zeros::new(c, size);
    let near = |i: usize| zeros.near(c[i]);
    let vanishes = |i: usize| zeros.takes(c[i], g[i], beta, b_norm);
    for i in 0..c.len() {
        y[i] = if vanishes(i) { 0.0 } else { down3(g[i]) };
    }
    let gap = |i: usize| down2(c[i] - c_min);
    let kappa = down2(beta - c_min);
    // Where g is orthogonal to c_min's own axes, but not to all that are as near to it as rounding, those alone are E: the others'
    // poles are apart from μ = 0, and say how much of the length they carry.
    let orthogonal = |space: &dyn Fn(usize) -> bool| (0..c.len()).all(|i| !space(i) || y[i] == 0.0);
    let whole = orthogonal(&near);
    let in_space = |i: usize| if whole { near(i) } else { gap(i) == 0.0 };

    if whole || orthogonal(&in_space) {
        // τ² = β − c_min − ‖(C − c_min I)†g‖²: what is left of the length for E to carry.
        let fixed: f64 = (0..c.len())
            .filter(|&i| !in_space(i) && y[i] != 0.0)
            .map(|i| (y[i] / gap(i)).powi(2))
            .sum();
        let tau2 = kappa - fixed;
        let noise = unit * (down2(beta).abs() + down2(c_max) + fixed);
        if tau2 >= 0.0 {
            let tau = if tau2 > noise { tau2.sqrt() } else { 0.0 };
            let dim = (0..c.len()).filter(|&i| in_space(i)).count();
            let axis = (0..c.len()).rev().find(|&i| in_space(i)).unwrap_or(0);
            for (i, y) in y.iter_mut().enumerate() {
                *y = if in_space(i) || *y == 0.0 {
                    0.0
                } else {
                    *y / gap(i) * s
                };
            }
            y[axis] = tau * s;
            let minimisers = match (tau > 0.0, dim) {
                (false, _) => Minimisers::Unique,
                (true, 1) => Minimisers::Pair,
                (true, dim) => Minimisers::Sphere(dim - 1),
            };
            return Root {
                lambda: -c_min,
                margin: 0.0,
                minimisers,
                tie: (tau > 0.0).then_some((axis, tau * s)),
                steps: 0,
                converged: true,
            };
        }
    }

    let (mu, steps, converged) = root(gap, y, kappa);
    for (i, v) in y.iter_mut().enumerate() {
        *v = if *v == 0.0 {
            0.0
        } else {
            *v / (gap(i) + mu) * s
        };
    }
    let margin = mu * s * s;
    Root {
        lambda: margin - c_min,
        margin,
        minimisers: Minimisers::Unique,
        tie: None,
        steps,
        converged,
    }
}

/// Which g_i, of those in the eigenspace of c_min, are rounding errors, and are taken for 0: those with
///
/// ```text
/// |g_i| ≤ 16 n ε √c_i ‖b‖        and all of them if        ‖b‖ ≤ 16 √n ε (|β| + c_max)  and  β > c_i
/// ```
///
/// as b is centred, and loses so much of numbers as large as that: of a newcomer that is equally far from all old objects nothing else is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zeros {
    c_max: f64,
    /// Up to this c_i counts as c_min.
    most: f64,
    /// 16 n ε, and 16 √n ε.
    units: [f64; 2],
}

impl Zeros {
    /// For the eigenvalues `c` of C, and the number n of objects behind them.
    pub(crate) fn new(c: &[f64], size: usize) -> Self {
        let n = size as f64;
        let c_max = c.iter().fold(0.0, |m: f64, &v| m.max(v));
        let c_min = c.iter().fold(f64::INFINITY, |m: f64, &v| m.min(v));
        let units = [n, n.sqrt()].map(|n| TIE_UNITS * n * f64::EPSILON);
        Self {
            c_max,
            most: c_min + units[0] * c_max,
            units,
        }
    }

    /// Whether an axis with this eigenvalue counts among those of c_min.
    fn near(&self, c: f64) -> bool {
        c <= self.most
    }

    /// For an axis with this eigenvalue; none if it is not among those of c_min.
    pub(crate) fn of(&self, c: f64) -> Option<Zero> {
        self.near(c).then(|| Zero {
            root: c.sqrt(),
            units: self.units,
            c_max: self.c_max,
        })
    }

    fn takes(&self, c: f64, g: f64, beta: f64, b_norm: f64) -> bool {
        let zero = self.of(c);
        zero.is_some_and(|zero| g.abs() <= zero.up_to(beta, b_norm))
    }
}

/// What counts as zero for one g_i.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zero {
    /// √c_i.
    root: f64,
    units: [f64; 2],
    c_max: f64,
}

impl Zero {
    #[inline(always)]
    pub(crate) fn up_to(&self, beta: f64, b_norm: f64) -> f64 {
        let [unit, lost] = self.units;
        let lost = lost * (beta.abs() + self.c_max);
        // What b is not, no g_i is either: none is larger than √c_i ‖b‖. It matters only where length is left for these axes to carry.
        let nothing = b_norm <= lost && beta > self.root * self.root;
        self.root * if nothing { lost } else { unit * b_norm }
    }
}

/// Takes for 0 what [`solve`] does.
pub(crate) fn clear_rounding(c: &[f64], g: &mut [f64], beta: f64, size: usize, b_norm: f64) {
    let zeros = Zeros::new(c, size);
    for (g, c) in g.iter_mut().zip(c) {
        if zeros.takes(*c, *g, beta, b_norm) {
            *g = 0.0;
        }
    }
}

/// The root of Σ (g_i / (gap_i + μ))² = κ + μ right of max(0, −κ), by the two Newton steps of the
/// module head.
fn root(gap: impl Fn(usize) -> f64, g: &[f64], kappa: f64) -> (f64, usize, bool) {
    let evaluate = |mu: f64| {
        let (mut q, mut slope) = (0.0, 0.0);
        for (i, &v) in g.iter().enumerate() {
            if v != 0.0 {
                let s = gap(i) + mu;
                let y = v / s;
                q += y * y;
                slope -= 2.0 * y * y / s;
            }
        }
        (q, slope)
    };

    // A start left of the root: each term alone has its root left of the sum's. The gap is taken
    // off after the bound was found, so where it cancels the bound is used only if it holds.
    let floor = (-kappa).max(0.0);
    let at_pole: f64 = g
        .iter()
        .enumerate()
        .filter(|&(i, _)| gap(i) == 0.0)
        .map(|(_, v)| v * v)
        .sum();
    let safe = floor.max(one_term(at_pole.sqrt(), kappa));
    let eager = (0..g.len()).fold(safe, |m, i| {
        m.max(one_term(g[i].abs(), kappa - gap(i)) - gap(i))
    });
    let mut mu = eager;
    if mu > safe {
        let (q, _) = evaluate(mu);
        if q <= kappa + mu {
            mu = safe;
        }
    }

    for step in 0..MOST_STEPS {
        let (q, slope) = evaluate(mu);
        let z = kappa + mu;
        let psi = q - z;
        if psi.is_nan() || psi <= 0.0 {
            return (mu, step, !psi.is_nan());
        }
        let plain = psi / (1.0 - slope);
        let reciprocal = if z > 0.0 {
            let (u, v) = (q.sqrt(), z.sqrt());
            // 1/v − 1/u written as ψ/(uv(u + v)), free of cancellation.
            psi / (u * v * (u + v)) / (0.5 / (z * v) - 0.5 * slope / (q * u))
        } else {
            0.0
        };
        let next = mu + plain.max(reciprocal);
        if next <= mu * (1.0 + f64::EPSILON) {
            return (mu.max(next), step + 1, true);
        }
        mu = next;
    }
    (mu, MOST_STEPS, false)
}

/// A lower bound, within a factor of two or so, for the root ν of ν²(κ + ν) = g².
fn one_term(g: f64, kappa: f64) -> f64 {
    let cube = g.cbrt() * g.cbrt();
    let bound = if kappa > 0.0 {
        (g / (2.0 * kappa).sqrt()).min(cube * 0.79)
    } else {
        cube.max(-kappa)
    };
    bound * (1.0 - 8.0 * f64::EPSILON)
}

/// ‖Cy − g + (y'y − β) y‖ over the size of its terms, in the eigenbasis of C: a few ε at a stationary
/// point. The terms of y'y − β count too, as that is a difference of larger numbers far from the map.
pub fn stationarity(c: &[f64], g: &[f64], beta: f64, y: &[f64]) -> f64 {
    let c_max = c.iter().fold(0.0, |m: f64, &v| m.max(v));
    let down = 1.0 / power_of_two(c_max.sqrt().max(beta.abs().sqrt()));
    let yy = y.iter().map(|v| (v * down).powi(2)).sum::<f64>();
    let beta = beta * down * down;
    let (mut r, mut size) = (0.0, 0.0);
    for i in 0..c.len() {
        let (c, g, y) = (c[i] * down * down, g[i] * down * down * down, y[i] * down);
        r += (c * y - g + (yy - beta) * y).powi(2);
        size += ((c + yy + beta.abs()) * y).powi(2) + g * g;
    }
    if size == 0.0 { 0.0 } else { (r / size).sqrt() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::Stream;

    /// Up to twenty eigenvalues, descending, in units of a length that is 1 up to `decades` decades either way; in every third
    /// round the smallest twice.
    pub(crate) fn eigenvalues(rng: &mut Stream, round: usize, decades: f64) -> (Vec<f64>, f64) {
        let d = 1 + (rng.bits() % 20) as usize;
        let scale = 10f64.powf(decades * rng.uniform());
        let mut c: Vec<f64> = (0..d)
            .map(|_| 10f64.powf(3.0 * rng.uniform()) * scale * scale)
            .collect();
        c.sort_by(|a, b| b.total_cmp(a));
        if round.is_multiple_of(3) && d > 1 {
            c[d - 2] = c[d - 1];
        }
        (c, scale)
    }

    /// Problems of every sort, at every scale, are stationary to rounding with a margin ≥ 0.
    #[test]
    fn every_problem_is_solved_to_rounding() {
        let mut rng = Stream::new(1);
        let mut worst_steps = 0;
        for round in 0..20_000 {
            let (c, scale) = eigenvalues(&mut rng, round, 70.0);
            let d = c.len();
            let mut g: Vec<f64> = (0..d)
                .map(|i| c[i] * scale * rng.normal() * 10f64.powf(2.0 * rng.uniform()))
                .collect();
            let near = [0.0, 1e-16, 1e-14, 1e-12, 1e-8, 1e-3, 1.0][round % 7];
            g[d - 1] *= near;
            let beta = scale
                * scale
                * match round % 5 {
                    0 => 0.0,
                    1 => -10f64.powf(6.0 * rng.uniform()),
                    _ => 10f64.powf(6.0 * rng.uniform()),
                };
            let b_norm = (0..d).map(|i| g[i] / c[i].sqrt() / scale / scale);
            let b_norm = b_norm.map(|v| v * v).sum::<f64>().sqrt() * scale * scale;
            let mut y = vec![0.0; d];
            let root = solve(&c, &g, beta, 1, b_norm, &mut y);
            worst_steps = worst_steps.max(root.steps);
            assert!(root.converged && root.margin >= 0.0, "{c:?} {g:?} {beta}");
            clear_rounding(&c, &mut g, beta, 1, b_norm);
            let r = stationarity(&c, &g, beta, &y);
            assert!(
                r < 32.0 * f64::EPSILON * d as f64,
                "{r:e} {c:?} {g:?} {beta}"
            );
        }
        assert!(worst_steps < 40, "{worst_steps} steps");
    }

    /// Where the newcomer is straight above the centroid as far as rounding can tell, and there is one minimiser, it is the origin, and
    /// stationary for the g that was solved for.
    #[test]
    fn a_right_side_of_rounding_errors_is_none() {
        let (c, mut g, mut y) = ([2.0], [-3e-17], [f64::NAN]);
        let root = solve(&c, &g, 0.5, 5, 0.7, &mut y);
        assert_eq!((root.margin, y), (1.5, [0.0]));
        assert_eq!(stationarity(&c, &g, 0.5, &y), 1.0);
        clear_rounding(&c, &mut g, 0.5, 5, 0.7);
        assert_eq!((g, stationarity(&c, &g, 0.5, &y)), ([0.0], 0.0));
        let mut clear = [1.0, -0.3];
        clear_rounding(&[2.0, 1.0], &mut clear, 0.5, 5, 0.7);
        assert_eq!(clear, [1.0, -0.3]);
    }

    /// Example 2 of the paper: X'b = 0, so the minimisers are a pair on the last axis.
    #[test]
    fn example_two_is_a_pair() {
        let mut y = [0.0; 2];
        let root = solve(&[50.0, 32.0], &[0.0, 1e-14], 400.0, 4, 40.0, &mut y);
        assert_eq!(root.minimisers, Minimisers::Pair);
        assert_eq!((root.lambda, root.margin), (-32.0, 0.0));
        assert_eq!(y, [0.0, 368f64.sqrt()]);
    }

    /// A repeated smallest eigenvalue gives a sphere, and a τ of zero a unique minimiser.
    #[test]
    fn spheres_and_their_edge() {
        let mut y = [0.0; 3];
        let root = solve(&[9.0, 1.0, 1.0], &[0.0; 3], 5.0, 3, 1.0, &mut y);
        assert_eq!(root.minimisers, Minimisers::Sphere(1));
        assert_eq!(y, [0.0, 0.0, 2.0]);
        let root = solve(&[9.0, 1.0, 1.0], &[0.0; 3], 1.0, 3, 1.0, &mut y);
        assert_eq!(root.minimisers, Minimisers::Unique);
        assert_eq!(y, [0.0; 3]);
    }

    /// g is orthogonal to c_min's own axis, but not to one that is as near to it as rounding beside a long one, or beside what b has lost:
    /// the length that is left is along the first. (Placing at a saddle, where ψ < 0 at the pole, was called unique.)
    #[test]
    fn an_axis_that_is_nearly_the_last_one() {
        let c = [2e6, 2.0 * (1.0 + 1e-8) * (1.0 + 1e-8), 2.0];
        let g = [0.0, 4e-10, 0.0];
        let (beta, mut y) = (100.0, [0.0; 3]);
        let root = solve(&c, &g, beta, 6, 1e-6, &mut y);
        assert_eq!((root.minimisers, root.margin), (Minimisers::Pair, 0.0));
        assert!((y[1] - g[1] / (c[1] - 2.0)).abs() <= 1e-15 * y[1], "{y:?}");
        assert!((y[2] * y[2] + y[1] * y[1] - 98.0).abs() <= 1e-12, "{y:?}");
        assert!(stationarity(&c, &g, beta, &y) <= 1e-15);
        // b is nothing but what was lost of numbers as large as β.
        let c = [2.0, 2.0 - 4.0 * f64::EPSILON];
        for g in [[6e-17, 0.0], [0.0, 6e-17], [3e-17, 5e-17]] {
            let mut y = [0.0; 2];
            let root = solve(&c, &g, 81.0, 4, 5e-17, &mut y);
            assert_eq!(root.minimisers, Minimisers::Sphere(1), "{g:?}");
            assert_eq!(y, [0.0, 79f64.sqrt()]);
        }
    }

    /// c_min = 0 (a flat configuration, as the stress start may have) is allowed.
    #[test]
    fn flat_configurations_are_solved() {
        let mut y = [0.0; 2];
        let root = solve(&[2.0, 0.0], &[2.0, 0.0], 5.0, 10, 2.0, &mut y);
        assert_eq!(root.minimisers, Minimisers::Pair);
        assert_eq!(y, [1.0, 2.0]);
        let root = solve(&[0.0], &[0.0], 0.0, 10, 0.0, &mut y[..1]);
        assert_eq!((root.lambda, y[0]), (0.0, 0.0));
    }
}
