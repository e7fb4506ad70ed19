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

use pulp::Simd;

use crate::fit::product::LANES;

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

/// The root between the poles `a` + 1 and `a`. Poles descend, those two strictly, and their masses z² are positive; there are [`padded`]
/// many, poles of no mass far below behind the last.
#[inline(always)]
pub(super) fn between<S: Simd>(simd: S, poles: &[f64], masses: &[f64], a: usize) -> Root {
    let (upper, lower) = (poles[a], poles[a + 1]);
    let gap = upper - lower;
    let at = |origin: f64, tau: f64| Sums::new(simd, poles, masses, origin, tau);

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
    let mut sums = at(origin, tau);
    for _ in 0..MOST_STEPS {
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
        sums = at(origin, tau);
    }
    Root {
        shift: tau,
        slope: sums.above.1 + sums.below.1,
    }
}

/// How many numbers there are room for, so that vectors of any width hold all of them.
pub(super) fn padded(poles: usize) -> usize {
    poles.next_multiple_of(LANES)
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

/// Values and derivatives of the sums over the poles above and below the root: Σ z²/(c − μ) and Σ z²/(c − μ)².
struct Sums {
    above: (f64, f64),
    below: (f64, f64),
}

impl Sums {
    #[inline(always)]
    fn new<S: Simd>(simd: S, poles: &[f64], masses: &[f64], origin: f64, tau: f64) -> Self {
        let (one, zero) = (simd.splat_f64s(1.0), simd.splat_f64s(0.0));
        let (origin, tau) = (simd.splat_f64s(origin), simd.splat_f64s(tau));
        let [mut above, mut above_slope, mut below, mut below_slope] = [zero; 4];
        let (poles, masses) = (S::as_simd_f64s(poles).0, S::as_simd_f64s(masses).0);
        for (c, z) in poles.iter().zip(masses) {
            let distance = simd.sub_f64s(simd.sub_f64s(*c, origin), tau);
            let up = simd.greater_than_f64s(distance, zero);
            let inverse = simd.div_f64s(one, distance);
            let term = simd.mul_f64s(*z, inverse);
            let slope = simd.mul_f64s(term, inverse);
            above = simd.add_f64s(above, simd.select_f64s(up, term, zero));
            above_slope = simd.add_f64s(above_slope, simd.select_f64s(up, slope, zero));
            below = simd.add_f64s(below, simd.select_f64s(up, zero, term));
            below_slope = simd.add_f64s(below_slope, simd.select_f64s(up, zero, slope));
        }
        let sum = |lanes| simd.reduce_sum_f64s(lanes);
        Self {
            above: (sum(above), sum(above_slope)),
            below: (sum(below), sum(below_slope)),
        }
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        self.above.0 + self.below.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    struct Between<'a>(&'a [f64], &'a [f64], usize);

    impl pulp::WithSimd for Between<'_> {
        type Output = Root;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Root {
            between(simd, self.0, self.1, self.2)
        }
    }

    /// The root by every instruction set of this machine.
    fn roots(poles: &[f64], masses: &[f64], a: usize) -> Vec<Root> {
        let (mut poles, mut masses) = (poles.to_vec(), masses.to_vec());
        let count = padded(poles.len());
        poles.resize(count, f64::NEG_INFINITY);
        masses.resize(count, 0.0);
        let all = crate::isa::all().into_iter();
        all.map(|arch| arch.dispatch(Between(&poles, &masses, a)))
            .collect()
    }

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
                    for root in roots(&poles, &masses, 0) {
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
    }

    /// Two poles have the root in closed form.
    #[test]
    fn two_poles_have_a_closed_form() {
        for (x, y) in [(1.0, 1.0), (1e-30, 1.0), (1.0, 1e-30), (0.3, 0.7)] {
            let expected = (3.0 * y + x) / (x + y);
            for root in roots(&[3.0, 1.0], &[x, y], 0) {
                let mu = if root.shift < 0.0 { 3.0 } else { 1.0 } + root.shift;
                assert!((mu - expected).abs() <= 4.0 * f64::EPSILON * expected);
            }
        }
    }
}
