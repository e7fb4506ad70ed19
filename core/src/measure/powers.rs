//! |u − v|ᵖ for Minkowski's metric.
//!
//! Where 2p is a small whole number the power is a few products and a square root, in SIMD; otherwise it is
//! the system's power function, one lane at a time.

use pulp::Simd;

use super::sums::Term;

/// Beyond this, products round worse than the power function.
const LARGEST: f64 = 32.0;

/// p = whole + half/2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Power {
    whole: u32,
    half: bool,
}

impl Power {
    /// If 2p is whole and p not large.
    pub(super) fn new(p: f64) -> Option<Self> {
        let twice = 2.0 * p;
        (twice.fract() == 0.0 && p <= LARGEST).then_some(Self {
            whole: p as u32,
            half: (twice as u32) % 2 == 1,
        })
    }
}

impl Term for Power {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, u: S::f64s, v: S::f64s, sum: S::f64s) -> S::f64s {
        let d = simd.abs_f64s(simd.sub_f64s(u, v));
        let mut power = if self.half {
            simd.sqrt_f64s(d)
        } else {
            simd.splat_f64s(1.0)
        };
        let (mut square, mut left) = (d, self.whole);
        while left > 0 {
            if left % 2 == 1 {
                power = simd.mul_f64s(power, square);
            }
            square = simd.mul_f64s(square, square);
            left /= 2;
        }
        simd.add_f64s(sum, power)
    }
}

/// Any p.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnyPower(pub f64);

impl Term for AnyPower {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, u: S::f64s, v: S::f64s, sum: S::f64s) -> S::f64s {
        let d = simd.abs_f64s(simd.sub_f64s(u, v));
        let mut lanes = [0.0; 8];
        let lanes = &mut lanes[..S::F64_LANES];
        simd.partial_store_f64s(lanes, d);
        lanes.iter_mut().for_each(|d| *d = d.powf(self.0));
        simd.add_f64s(sum, simd.partial_load_f64s(lanes))
    }
}
