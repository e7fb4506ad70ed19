//! What counts as rounding, relative to the size of the data; and units that round nothing.

/// Quantities below this many units of n ε of their natural size are zero: eigenvalues beside the largest, g_i beside
/// σ_i‖b‖, singular values beside the first.
pub const TIE_UNITS: f64 = 16.0;

/// The power of two nearest below `v`, or 1 if there is none: dividing by it is exact.
pub(crate) fn power_of_two(v: f64) -> f64 {
    if v.is_normal() {
        f64::from_bits(v.to_bits() & 0x7ff0_0000_0000_0000)
    } else {
        1.0
    }
}
