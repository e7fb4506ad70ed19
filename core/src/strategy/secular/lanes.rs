//! The secular equation of many newcomers of one map, eight at a time.
//!
//! The same problem as in [`crate::strategy::secular`], number by number side by side so that the eight become SIMD
//! instructions. Only plain cases are solved here: a newcomer in or next to the hard case, or of a size far
//! from the map's, [does not suit](Lanes::suits) and is left to [`crate::strategy::secular::solve`]. Which way a newcomer
//! goes depends on its own numbers alone, and no lane sees another's: so its answer is the same bits in any batch.

use super::{MOST_STEPS, Minimisers, Root, Zero, Zeros};
use crate::rounding::power_of_two;

/// Newcomers solved side by side, one to a SIMD lane.
pub(crate) const LANES: usize = 8;

/// One number of each.
pub(crate) type Lane = [f64; LANES];

/// What ŷ and √|β| may be beside the map's size, so that no square overflows.
const FARTHEST: f64 = 1e40;

/// A g on the flattest axes below which its square beside β would vanish.
const NEAREST: f64 = 1e-100;

/// The map's part of the problem, in units of s, a power of two near √c_max: y ~ s, c and β ~ s², g ~ s³.
#[derive(Debug)]
pub(crate) struct Lanes {
    s: f64,
    c: Vec<f64>,
    c_min: f64,
    /// c_i − c_min.
    gaps: Vec<f64>,
    /// What counts as zero for g_i, where c_i counts as c_min.
    zeros: Vec<Option<Zero>>,
}

/// Eight newcomers, in the same units.
#[derive(Debug, Clone)]
pub(crate) struct Eight {
    /// ŷ in the eigenbasis of C.
    pub projection: Vec<Lane>,
    pub beta: Lane,
    /// ‖b‖.
    pub b_norm: Lane,
    g: Vec<Lane>,
}

/// Their minimisers, in the same units, with the proof.
#[derive(Debug)]
pub(crate) struct Found {
    /// y* in the eigenbasis of C.
    pub y: Vec<Lane>,
    /// μ = λ* + c_min.
    margin: Lane,
    /// As of [`crate::strategy::secular::stationarity`].
    pub stationarity: Lane,
    /// 2(y − ŷ)'C(y − ŷ) + (y'y − β)².
    pub objective: Lane,
    /// ‖y − ŷ‖.
    pub displacement: Lane,
    converged: [bool; LANES],
    /// Newton steps taken, by whoever needed most.
    steps: usize,
}

impl Found {
    /// The root of lane `l`, in the units of the data.
    pub(crate) fn root(&self, lanes: &Lanes, l: usize) -> Root {
        let (margin, s) = (self.margin[l], lanes.s);
        Root {
            lambda: (margin - lanes.c_min) * s * s,
            margin: margin * s * s,
            minimisers: Minimisers::Unique,
            tie: None,
            steps: self.steps,
            converged: self.converged[l],
        }
    }
}

/// Eight newcomers to be solved.
pub(crate) struct Task<'a>(&'a Lanes, &'a mut Eight, &'a mut Found);

impl pulp::WithSimd for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.solve(self.1, self.2);
    }
}

impl Lanes {
    /// For the eigenvalues `c` of C, and the number n of objects behind them.
    pub(crate) fn new(c: &[f64], size: usize) -> Self {
        let c_max = c.iter().fold(0.0, |m: f64, &v| m.max(v));
        let s = power_of_two(c_max.sqrt());
        let c: Vec<f64> = c.iter().map(|c| c / s / s).collect();
        let c_min = c.iter().fold(f64::INFINITY, |m: f64, &v| m.min(v));
        let zeros = Zeros::new(&c, size);
        Self {
            s,
            gaps: c.iter().map(|c| c - c_min).collect(),
            zeros: c.iter().map(|c| zeros.of(*c)).collect(),
            c_min,
            c,
        }
    }

    /// The unit of length.
    pub(crate) fn unit(&self) -> f64 {
        self.s
    }

    /// Eight newcomers, all of them zero.
    pub(crate) fn eight(&self) -> Eight {
        let zeros = vec![[0.0; LANES]; self.c.len()];
        Eight {
            projection: zeros.clone(),
            beta: [0.0; LANES],
            b_norm: [0.0; LANES],
            g: zeros,
        }
    }

    /// Their minimisers, yet to be found.
    pub(crate) fn found(&self) -> Found {
        Found {
            y: vec![[0.0; LANES]; self.c.len()],
            margin: [0.0; LANES],
            stationarity: [0.0; LANES],
            objective: [0.0; LANES],
            displacement: [0.0; LANES],
            converged: [false; LANES],
            steps: 0,
        }
    }

    /// Whether the newcomer in lane `l` can be solved here.
    pub(crate) fn suits(&self, eight: &Eight, l: usize) -> bool {
        for ((y, c), zero) in eight.projection.iter().zip(&self.c).zip(&self.zeros) {
            let y = y[l].abs();
            if y.is_nan() || y > FARTHEST {
                return false;
            }
            if let Some(zero) = zero
                && c * y <= larger(zero.up_to(eight.beta[l], eight.b_norm[l]), NEAREST)
            {
                return false;
            }
        }
        eight.beta[l].abs() <= FARTHEST * FARTHEST
    }

    /// [`Lanes::solve`], to be dispatched to the machine's SIMD.
    pub(crate) fn task<'a>(&'a self, eight: &'a mut Eight, found: &'a mut Found) -> Task<'a> {
        Task(self, eight, found)
    }

    /// The minimisers; what is found for a newcomer that does not suit means nothing.
    #[inline(always)]
    pub(crate) fn solve(&self, eight: &mut Eight, found: &mut Found) {
        for ((g, y), c) in eight.g.iter_mut().zip(&eight.projection).zip(&self.c) {
            for l in 0..LANES {
                g[l] = c * y[l];
            }
        }
        let (g, beta) = (&eight.g, &eight.beta);
        let mu = self.root(g, &beta.map(|beta| beta - self.c_min), found);
        found.margin = mu;

        let mut yy = [0.0; LANES];
        for ((y, g), gap) in found.y.iter_mut().zip(g).zip(&self.gaps) {
            for l in 0..LANES {
                y[l] = g[l] / (gap + mu[l]);
                yy[l] += y[l] * y[l];
            }
        }
        let (mut r, mut size) = ([0.0; LANES], [0.0; LANES]);
        let (mut form, mut moved) = ([0.0; LANES], [0.0; LANES]);
        let own = found.y.iter().zip(&eight.projection);
        for (((y, projection), g), &c) in own.zip(g).zip(&self.c) {
            for l in 0..LANES {
                let slope = c * y[l] - g[l] + (yy[l] - beta[l]) * y[l];
                let terms = (c + yy[l] + beta[l].abs()) * y[l];
                let step = y[l] - projection[l];
                r[l] += slope * slope;
                size[l] += terms * terms + g[l] * g[l];
                form[l] += c * step * step;
                moved[l] += step * step;
            }
        }
        for l in 0..LANES {
            let rest = yy[l] - beta[l];
            found.stationarity[l] = (r[l] / size[l]).sqrt();
            found.objective[l] = 2.0 * form[l] + rest * rest;
            found.displacement[l] = moved[l].sqrt();
        }
    }

    /// The roots of Σ (g_i / (gap_i + μ))² = κ + μ right of max(0, −κ), by the Newton steps of the module above.
    #[inline(always)]
    fn root(&self, g: &[Lane], kappa: &Lane, found: &mut Found) -> Lane {
        // Starts left of the roots: what is at the pole alone, and all of g as if it had the largest gap.
        let widest = self.gaps.iter().fold(0.0, |m: f64, &v| m.max(v));
        let (mut pole, mut all) = ([0.0; LANES], [0.0; LANES]);
        for (g, gap) in g.iter().zip(&self.gaps) {
            for l in 0..LANES {
                all[l] += g[l] * g[l];
            }
            if *gap == 0.0 {
                for l in 0..LANES {
                    pole[l] += g[l] * g[l];
                }
            }
        }
        let (mut safe, mut mu) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            let floor = larger(-kappa[l], 0.0);
            safe[l] = larger(floor, one_term(pole[l], kappa[l]));
            mu[l] = larger(safe[l], one_term(all[l], kappa[l] - widest) - widest);
        }

        let mut busy = [true; LANES];
        for number in 0..MOST_STEPS {
            let (mut q, mut slope) = ([0.0; LANES], [0.0; LANES]);
            for (g, gap) in g.iter().zip(&self.gaps) {
                for l in 0..LANES {
                    let inverse = 1.0 / (gap + mu[l]);
                    let y = g[l] * inverse;
                    q[l] += y * y;
                    slope[l] -= 2.0 * (y * y) * inverse;
                }
            }
            let mut any = false;
            for l in 0..LANES {
                let z = kappa[l] + mu[l];
                let psi = q[l] - z;
                let plain = psi / (1.0 - slope[l]);
                // 1/v − 1/u is ψ/(uv(u + v)), free of cancellation; and all of it times u v z q.
                let (u, v) = (q[l].sqrt(), larger(z, 0.0).sqrt());
                let reciprocal = psi * z * q[l] / ((u + v) * 0.5 * (q[l] * u - slope[l] * z * v));
                let next = mu[l] + larger(plain, if z > 0.0 { reciprocal } else { 0.0 });
                let left = psi > 0.0;
                let on = left && next > mu[l] * (1.0 + f64::EPSILON);
                // Where its gap cancelled, the start may have been right of the root.
                let back = number == 0 && psi <= 0.0 && mu[l] > safe[l];
                let last = if left { larger(next, mu[l]) } else { mu[l] };
                let moved = if back { safe[l] } else { last };
                mu[l] = if busy[l] { moved } else { mu[l] };
                busy[l] &= on | back;
                any |= busy[l];
            }
            found.steps = number;
            if !any {
                break;
            }
        }
        found.converged = std::array::from_fn(|l| !busy[l] && mu[l] > 0.0 && mu[l].is_finite());
        mu
    }
}

/// A lower bound, within a factor of two or so, for the root ν of ν²(κ + ν) = g².
#[inline(always)]
fn one_term(g_squared: f64, kappa: f64) -> f64 {
    let cube = cube_root_from_below(g_squared);
    let (slow, fast) = ((g_squared / (2.0 * kappa)).sqrt(), 0.79 * cube);
    let positive = if slow < fast { slow } else { fast };
    let bound = if kappa > 0.0 {
        positive
    } else {
        larger(cube, -kappa)
    };
    bound * (1.0 - 8.0 * f64::EPSILON)
}

/// Between 0.84 and 1 times the cube root: a third of the exponent, by way of the number's upper half.
#[inline(always)]
fn cube_root_from_below(v: f64) -> f64 {
    // The bias of the exponent, less its third.
    const BIAS: u64 = 715_094_163;
    let third = ((v.to_bits() >> 32) * 0x5555_5556) >> 32;
    let root = f64::from_bits((third + BIAS) << 32) * 0.92;
    if v > f64::MIN_POSITIVE { root } else { 0.0 }
}

/// The larger, as one instruction: f64::max has a rule for NaN that takes several.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::strategy::secular;

    #[test]
    fn the_cube_root_is_from_below() {
        for i in -9000..9000 {
            let v = 10f64.powf(f64::from(i) / 30.0);
            let ratio = cube_root_from_below(v) / v.cbrt();
            assert!((0.84..1.0).contains(&ratio), "{v:e}: {ratio}");
        }
        assert_eq!(cube_root_from_below(0.0), 0.0);
    }

    /// Every newcomer that suits is what it is alone, to rounding: ordinary, far out, next to the hard case.
    #[test]
    fn eight_are_what_each_is_alone() {
        let mut rng = Stream::new(9);
        let (mut suited, mut tried) = (0, 0);
        for round in 0..4000 {
            let (c, _) = secular::tests::eigenvalues(&mut rng, round, 60.0);
            let d = c.len();
            let lanes = Lanes::new(&c, 1);
            let (mut eight, mut found) = (lanes.eight(), lanes.found());
            let s = lanes.unit();
            for l in 0..LANES {
                for (i, y) in eight.projection.iter_mut().enumerate() {
                    let near = [1.0, 1e-3, 1e-8, 1e-12, 1e-14, 1e-16, 0.0][(round + l) % 7];
                    let far = 10f64.powf(2.0 * rng.uniform());
                    y[l] = rng.normal() * far * if i + 1 == d { near } else { 1.0 };
                }
                eight.beta[l] = match (round + l) % 5 {
                    0 => 0.0,
                    1 => -10f64.powf(6.0 * rng.uniform()),
                    _ => 10f64.powf(6.0 * rng.uniform()),
                };
                let b = eight.projection.iter().zip(&c);
                let b = b.map(|(y, c)| y[l] * y[l] * c / s / s).sum::<f64>();
                eight.b_norm[l] = b.sqrt();
            }
            lanes.solve(&mut eight, &mut found);
            for l in 0..LANES {
                tried += 1;
                if !lanes.suits(&eight, l) {
                    continue;
                }
                suited += 1;
                let g: Vec<f64> = (0..d).map(|i| c[i] * eight.projection[i][l] * s).collect();
                let (beta, b_norm) = (eight.beta[l] * s * s, eight.b_norm[l] * s * s);
                let mut y = vec![0.0; d];
                let root = secular::solve(&c, &g, beta, 1, b_norm, &mut y);
                assert!(found.converged[l] && root.converged);
                assert_eq!(root.minimisers, Minimisers::Unique);
                let tolerance = 64.0 * f64::EPSILON * d as f64;
                let margin = found.margin[l] * s * s;
                assert!(
                    (margin - root.margin).abs() <= tolerance * root.margin,
                    "{margin:e} {root:?}"
                );
                assert!(
                    found.stationarity[l] < tolerance,
                    "{:e}",
                    found.stationarity[l]
                );
                let own: Vec<f64> = found.y.iter().map(|y| y[l] * s).collect();
                let proof = secular::stationarity(&c, &g, beta, &own);
                assert!((proof - found.stationarity[l]).abs() < tolerance);
            }
        }
        assert!(5 * suited > 2 * tried, "{suited} of {tried}");
    }

    /// Whatever suits has a finite answer, next to nothing on the flattest axes beside a huge β too.
    #[test]
    fn what_suits_is_finite() {
        let mut rng = Stream::new(12);
        for c in [
            vec![1.0],
            vec![1.025_648_332_779_211, 1.025_648_332_779_200_8],
            vec![9.0, 1.0],
        ] {
            let lanes = Lanes::new(&c, 1);
            for _ in 0..3000 {
                let (mut eight, mut found) = (lanes.eight(), lanes.found());
                for y in &mut eight.projection {
                    *y = std::array::from_fn(|_| 10f64.powf(-150.0 * rng.uniform() + 5.0));
                }
                eight.beta = std::array::from_fn(|_| 10f64.powf(80.0 * rng.uniform()));
                lanes.solve(&mut eight, &mut found);
                for l in (0..LANES).filter(|&l| lanes.suits(&eight, l)) {
                    let root = found.root(&lanes, l);
                    let finite = found.y.iter().all(|y| y[l].is_finite());
                    assert!(root.converged && root.margin > 0.0 && finite, "{eight:?}");
                    assert!(found.stationarity[l] < 1e-14, "{:e}", found.stationarity[l]);
                }
            }
        }
    }

    /// A lane's answer does not depend on what is beside it.
    #[test]
    fn no_lane_sees_another() {
        let lanes = Lanes::new(&[50.0, 20.0, 3.0], 30);
        let mut rng = Stream::new(4);
        let (mut eight, mut found) = (lanes.eight(), lanes.found());
        for y in &mut eight.projection {
            *y = std::array::from_fn(|_| rng.normal());
        }
        eight.beta = std::array::from_fn(|_| 3.0 * rng.uniform());
        lanes.solve(&mut eight, &mut found);
        for l in 0..LANES {
            let (mut alone, mut own) = (lanes.eight(), lanes.found());
            for (to, from) in alone.projection.iter_mut().zip(&eight.projection) {
                to[(l + 3) % LANES] = from[l];
            }
            alone.beta[(l + 3) % LANES] = eight.beta[l];
            lanes.solve(&mut alone, &mut own);
            assert_eq!(
                own.margin[(l + 3) % LANES].to_bits(),
                found.margin[l].to_bits()
            );
        }
    }
}
