//! A small deterministic stream of numbers: starting blocks of the spectrum and perturbed starts.
//!
//! Equal problems must give equal maps whatever version of whatever library is installed, so the
//! generator is written out here: SplitMix64, which is enough for starting vectors.

/// A stream of pseudo-random numbers, the same for the same seed for ever.
#[derive(Debug, Clone)]
pub struct Stream(u64);

impl Stream {
    /// The stream that starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number, uniform on (−1, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
    }

    /// The next number, close to normal: the sum of twelve uniforms, variance 1, never beyond 6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() * 0.5
    }
}
