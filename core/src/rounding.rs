//! What counts as rounding, relative to the size of the data; and units that round nothing.

/// Quantities below this many units of n ε of their natural size are zero: eigenvalues beside the largest, g_i beside
/// σ_i‖b‖, singular values beside the first.
pub const TIE_UNITS: f64 = 16.0;

/// Objectives are sums of fourth powers of lengths. Up to 2^248 they are numbers, for as many objects as there may be.
const LONGEST_LOG: i32 = 248;

/// Down to 2^−228 so are they, and with them the squares of rounding errors beside them.
const SHORTEST_LOG: i32 = -228;

/// The range in words.
pub(crate) const RANGE: &str =
    "lengths between 1e-68 and 1e74, whose fourth powers are numbers too: choose another unit";

/// The longest of them.
pub(crate) fn longest() -> f64 {
    2f64.powi(LONGEST_LOG)
}

/// Whether a length is in the range in which nothing overflows and nothing that matters vanishes.
pub(crate) fn in_range(length: f64) -> bool {
    (2f64.powi(SHORTEST_LOG)..=longest()).contains(&length)
}

/// A newcomer may be farther from the map than the map is large by so much: 2^100.
const FARTHEST_LOG: i32 = 100;

/// The longest that a newcomer's lengths may be on a map of this size.
pub(crate) fn farthest(size: f64) -> f64 {
    longest().min(size * 2f64.powi(FARTHEST_LOG))
}

/// The power of two nearest below `v`, or 1 if there is none: dividing by it is exact.
pub(crate) fn power_of_two(v: f64) -> f64 {
    if v.is_normal() {
        f64::from_bits(v.to_bits() & 0x7ff0_0000_0000_0000)
    } else {
        1.0
    }
}
