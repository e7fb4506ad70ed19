//! What proximities are, and the one scale that everything after this folder sees them on: that of inner products.
//!
//! ```text
//! t = −½δ²   for dissimilarities        t = γ   for similarities
//! ```
//!
//! On it the paper's (2) and (7) are the same formula. Which of them the numbers are (or squared dissimilarities) is said by
//! the caller and never guessed. A correction that makes dissimilarities Euclidean is part of the scale: Cailliez adds c₂ to
//! every δ between different objects, Lingoes 2c₁ to every δ², and what is exactly 0 away from an old object stays there.

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Dissimilarities δ.
    #[default]
    Dissimilarity,
    /// Squared dissimilarities δ².
    Squared,
    /// Similarities γ, a kernel.
    Similarity,
}

impl Kind {
    /// The word for it, as the command line and the map file spell it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Dissimilarity => "dissimilarity",
            Kind::Squared => "squared",
            Kind::Similarity => "similarity",
        }
    }

    /// The kind that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        [Kind::Dissimilarity, Kind::Squared, Kind::Similarity]
            .into_iter()
            .find(|k| k.word() == word)
    }

    /// What an entry may be, for messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Kind::Dissimilarity => "a finite dissimilarity of at least 0",
            Kind::Squared => "a finite squared dissimilarity of at least 0",
            Kind::Similarity => "a finite similarity",
        }
    }

    /// Whether an entry may be `value`.
    pub(crate) fn admits(self, value: f64) -> bool {
        value.is_finite() && (self == Kind::Similarity || value >= 0.0)
    }
}

/// How far below 0 a dissimilarity may be for rounding to have put it there, relative to the largest beside it. Differences
/// such as 1 − cosine, in single precision too, pass; a dissimilarity that is meant to be negative does not.
pub(crate) const BELOW_ZERO: f64 = 1e-6;

/// The lowest dissimilarity that rounding can have put below 0, among `values`: a wrong number among them is no measure.
pub(crate) fn lowest_by_rounding(values: impl Iterator<Item = f64>) -> f64 {
    let finite = values.filter(|v| v.is_finite());
    -BELOW_ZERO * finite.fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Takes what rounding put below 0 as 0, in a row of dissimilarities.
pub(crate) fn clear_below_zero(row: &mut [f64]) {
    if !row.iter().any(|v| *v < 0.0) {
        return;
    }
    let lowest = lowest_by_rounding(row.iter().copied());
    for v in row {
        if *v < 0.0 && *v >= lowest {
            *v = 0.0;
        }
    }
}

/// The number types that proximities come in.
pub trait Element: Copy + Send + Sync + PartialEq + 'static + private::Sealed {
    /// As the number type of all arithmetic.
    fn to_f64(self) -> f64;
    /// Rounded from it.
    fn from_f64(value: f64) -> Self;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

impl Element for f64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Element for f32 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

/// A correction that makes the old dissimilarities Euclidean, with the constant fitted to them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Correction {
    /// None: negative eigenvalues are left as they are.
    #[default]
    None,
    /// δ² ← δ² + 2c₁ between different objects (Lingoes 1971).
    Lingoes(f64),
    /// δ ← δ + c₂ between different objects (Cailliez 1983).
    Cailliez(f64),
}

impl Correction {
    /// δ of a dissimilarity, or a squared one, between different objects, corrected; what is 0 (or below it, by rounding)
    /// stays 0. NaN for similarities, and where the proximity is.
    pub(crate) fn length(self, kind: Kind, a: f64) -> f64 {
        let length = match kind {
            Kind::Similarity => return f64::NAN,
            _ if a <= 0.0 => return 0.0,
            Kind::Dissimilarity => a,
            Kind::Squared => a.sqrt(),
        };
        match self {
            Correction::None => length,
            Correction::Lingoes(c) => (length * length + 2.0 * c).sqrt(),
            Correction::Cailliez(c) => length + c,
        }
    }

    /// The scale of inner products, with lengths multiplied by `unit`.
    pub(crate) fn scale(self, kind: Kind, unit: f64) -> Scale {
        let (add, lift) = match self {
            Correction::None => (0.0, 0.0),
            Correction::Lingoes(c) => (0.0, c),
            Correction::Cailliez(c) => (c, 0.0),
        };
        Scale {
            kind,
            unit,
            add,
            lift,
        }
    }
}

/// From proximities to the scale of inner products: t = −½δ² or t = γ.
///
/// `unit` multiplies lengths, a power of two that keeps squares in range (1 unless fitting).
/// A correction for non-Euclidean dissimilarities (§2.9 of the theory) is part of the scale:
/// Cailliez adds to δ, Lingoes to δ².
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub kind: Kind,
    pub unit: f64,
    /// Cailliez' c₂, added to every δ between different objects.
    pub add: f64,
    /// Lingoes' c₁: 2c₁ is added to every δ² between different objects, c₁ to every γ_ii.
    pub lift: f64,
}

impl Scale {
    /// Whether different objects are told from equal ones, i.e. there is a correction.
    pub(crate) fn corrects(&self) -> bool {
        self.add != 0.0 || self.lift != 0.0
    }

    /// t of two different objects, `a` being their proximity.
    #[inline(always)]
    pub(crate) fn other(&self, a: f64) -> f64 {
        let t = match self.kind {
            Kind::Similarity => a,
            Kind::Squared if self.add != 0.0 => -0.5 * (a.sqrt() + self.add).powi(2) - self.lift,
            Kind::Squared => -0.5 * a - self.lift,
            Kind::Dissimilarity => -0.5 * (a + self.add) * (a + self.add) - self.lift,
        };
        t * self.unit * self.unit
    }

    /// t of an object with itself, `a` being the entry on the diagonal.
    #[inline(always)]
    pub(crate) fn itself(&self, a: f64) -> f64 {
        match self.kind {
            Kind::Similarity => (a + self.lift) * self.unit * self.unit,
            _ => 0.0,
        }
    }
}
