//! The roots of Σ_k z_k²/(c_k − μ) = 0, one between each two neighbouring poles.
//!
//! Between c_{a+1} and c_a the sum increases from −∞ to +∞. The root is sought in the variable τ = μ − c_s, with s the nearer
//! of the two poles, so that it is known to all digits however near to the pole it is: c_k − μ = (c_k − c_s) − τ. Each step
//! replaces the terms of the poles below by r + s/(c_{a+1} − μ) and those of the poles above by the like at c_a, with value and
//! derivative as they are, and solves the quadratic equation that remains; the two signs of f keep a bracket. It
//! starts from the two poles' own terms with everything else as it is in the middle, which is exact when all else is far
//! away, and takes three or four sums in all.
//!
//! # References
//! Bunch, Nielsen and Sorensen (1978), Rank-one modification of the symmetric eigenproblem, Numer. Math. 31:31–48. Li
//! (1994), Solving secular equations stably and efficiently, LAPACK Working Note 89.

/// Steps before the iteration is ended, which the bracket alone would not take.
const MOST_STEPS: usize = 60;

/// The sum is zero when it is below this many units of ε beside the sum of the moduli of its terms.
const ZERO_UNITS: f64 = 4.0;

/// A root, as far as it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Root {
    /// μ − c_a if that pole is nearer (negative), otherwise μ − c_{a+1}.
    pub shift: f64,
    /// q = Σ_k z_k²/(c_k − μ)².
    pub slope: f64,
}

/// The root between the poles `a` + 1 and `a`. Poles descend, those two strictly, and their masses z² are positive.
#[inline(always)]
pub(super) fn between(poles: &[f64], masses: &[f64], a: usize) -> Root {
    let (upper, lower) = (poles[a], poles[a + 1]);
    let gap = upper - lower;
    let at = |origin: f64, tau: f64| Sums::new(poles, masses, a, origin, tau);

    // In the middle: on which side the root is, and what all but the two poles amount to.
    let half = 0.5 * gap;
    let middle = at(lower, half).value();
    let (above, below) = (masses[a], masses[a + 1]);
    let rest = middle - (above - below) / half;
    let near_lower = middle > 0.0;
    let (origin, mut bracket, start) = if near_lower {
        let start = quadratic(rest, rest * gap + above + below, below * gap);
        (lower, (0.0, half), start)
    } else {
        let start = quadratic(rest, above + below - rest * gap, -above * gap);
        (upper, (-half, 0.0), start)
    };
    let mut tau = within(bracket, start);
    for _ in 0..MOST_STEPS {
        let sums = at(origin, tau);
        let f = sums.value();
        if f.abs() <= ZERO_UNITS * f64::EPSILON * (sums.above.0 - sums.below.0) {
            break;
        }
        if f < 0.0 {
            bracket.0 = tau;
        } else {
            bracket.1 = tau;
        }
        // Distances to the two poles, the nearer one exact.
        let (to_upper, to_lower) = (upper - origin - tau, lower - origin - tau);
        let r = (sums.above.0 - sums.above.1 * to_upper) + (sums.below.0 - sums.below.1 * to_lower);
        let s = sums.above.1 * to_upper * to_upper + sums.below.1 * to_lower * to_lower;
        let step = quadratic(r, r * (to_upper + to_lower) + s, to_upper * to_lower * f);
        let next = within(bracket, tau + step);
        if next == tau {
            break;
        }
        tau = next;
    }
    let sums = at(origin, tau);
    Root {
        shift: tau,
        slope: sums.above.1 + sums.below.1,
    }
}

/// The root of c x² − a x + b = 0 that goes to b/a with c to 0, without cancellation.
#[inline(always)]
fn quadratic(c: f64, a: f64, b: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).max(0.0).sqrt();
    if a <= 0.0 {
        (a - root) / (2.0 * c)
    } else {
        2.0 * b / (a + root)
    }
}

/// `tau` if it is strictly within the bracket, otherwise a place inside, in the middle of the exponents where both ends are
/// on one side of the pole at zero.
#[inline(always)]
fn within((low, high): (f64, f64), tau: f64) -> f64 {
    if low < tau && tau < high {
        return tau;
    }
    let between = if low > 0.0 {
        low.sqrt() * high.sqrt()
    } else if high < 0.0 {
        -((-low).sqrt() * (-high).sqrt())
    } else {
        0.5 * (low + high)
    };
    if low < between && between < high {
        between
    } else {
        0.5 * (low + high)
    }
}

/// Values and derivatives of the sums over the poles above and below the root.
struct Sums {
    above: (f64, f64),
    below: (f64, f64),
}

impl Sums {
    #[inline(always)]
    fn new(poles: &[f64], masses: &[f64], a: usize, origin: f64, tau: f64) -> Self {
        let split = a + 1;
        Self {
            above: sums(&poles[..split], &masses[..split], origin, tau),
            below: sums(&poles[split..], &masses[split..], origin, tau),
        }
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        self.above.0 + self.below.0
    }
}

/// Accumulators of a sum: as many as keep the division unit busy.
const LANES: usize = 8;

/// Σ z²/(c − μ) and Σ z²/(c − μ)².
#[inline(always)]
fn sums(poles: &[f64], masses: &[f64], origin: f64, tau: f64) -> (f64, f64) {
    let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |poles: &[f64], masses: &[f64]| {
        let lanes = values.iter_mut().zip(&mut slopes);
        for ((value, slope), (c, z)) in lanes.zip(poles.iter().zip(masses)) {
            let inverse = 1.0 / ((c - origin) - tau);
            let term = z * inverse;
            *value += term;
            *slope += term * inverse;
        }
    };
    let (p, m) = (poles.chunks_exact(LANES), masses.chunks_exact(LANES));
    let (p_rest, m_rest) = (p.remainder(), m.remainder());
    p.zip(m).for_each(|(p, m)| add(p, m));
    add(p_rest, m_rest);
    (values.iter().sum(), slopes.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The sum vanishes at the root beside its terms, whatever the masses: even, concentrated, or nearly nothing at a pole.
    #[test]
    fn the_sum_vanishes_at_the_root() {
        let mut rng = Stream::new(31);
        for n in [2, 3, 9, 40, 333] {
            for (spread, small) in [(1.0, 1.0), (1e-13, 1.0), (1.0, 1e-40), (1e-9, 1e-30)] {
                let mut poles: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
                poles.sort_by(|a, b| b.total_cmp(a));
                poles[1] = poles[0] - spread * (1.0 + rng.uniform().abs());
                for k in 2..n {
                    poles[k] = poles[k].min(poles[1] - 1e-3);
                }
                let mut masses: Vec<f64> = (0..n).map(|_| rng.normal().powi(2)).collect();
                for k in 0..2 {
                    masses[k] *= small;
                    let root = between(&poles, &masses, 0);
                    let origin = poles[usize::from(root.shift > 0.0)];
                    let gap = poles[0] - poles[1];
                    let (low, high) = (poles[1] - origin, poles[0] - origin);
                    assert!(low < root.shift && root.shift < high && root.shift.abs() <= gap);
                    let terms = |power: i32| {
                        let each = poles.iter().zip(&masses);
                        each.map(move |(c, z)| z / ((c - origin) - root.shift).powi(power))
                    };
                    let (sum, size): (f64, f64) =
                        (terms(1).sum(), terms(1).map(|t: f64| t.abs()).sum());
                    assert!(sum.abs() <= 64.0 * f64::EPSILON * size, "{n} {sum} {size}");
                    let slope: f64 = terms(2).sum();
                    assert!((root.slope - slope).abs() <= 1e-13 * slope);
                }
            }
        }
    }

    /// Two poles have the root in closed form.
    #[test]
    fn two_poles_have_a_closed_form() {
        for (x, y) in [(1.0, 1.0), (1e-30, 1.0), (1.0, 1e-30), (0.3, 0.7)] {
            let root = between(&[3.0, 1.0], &[x, y], 0);
            let mu = if root.shift < 0.0 { 3.0 } else { 1.0 } + root.shift;
            let expected = (3.0 * y + x) / (x + y);
            assert!((mu - expected).abs() <= 4.0 * f64::EPSILON * expected);
        }
    }
}
