//! The input: pairwise proximities of the old objects, checked once.
//!
//! The paper's §3: a *similarity matrix* is symmetric with 0 ≤ γ_ij ≤ γ_ii, a *dissimilarity matrix*
//! symmetric with δ_ij ≥ 0 and δ_ii = 0. Which of them (or squared dissimilarities) the numbers are
//! is said by the caller and never guessed. Real kernels often break the dominance of the diagonal
//! and work all the same, so that is a [`Finding`], not an error.
//!
//! Everything after this module sees proximities on one scale, that of inner products:
//! t = −½δ² or t = γ, on which the paper's (2) and (7) are the same formula.

use std::collections::HashMap;
use std::fmt;

use faer::{Mat, MatRef};

use crate::error::{Error, Object};
use crate::fit::product;
use crate::run;

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

/// Something remarkable about the proximities that does not stand in the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// Mirrored entries differed by rounding, at most by this much of the largest entry; their
    /// averages were taken, in a copy.
    Averaged {
        /// The largest difference, relative to the largest entry.
        worst: f64,
    },
    /// The diagonal was zero only up to rounding and was set to zero, in a copy.
    DiagonalCleared {
        /// The largest diagonal entry, relative to the largest entry.
        worst: f64,
    },
    /// Some similarities are negative or larger than their diagonal.
    NotDominant {
        /// How many entries of the matrix.
        count: usize,
        /// The first of them.
        first: (usize, usize),
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Averaged { worst } => write!(
                f,
                "mirrored entries differ by up to {worst:.1e} of the largest; their averages are used"
            ),
            Finding::DiagonalCleared { worst } => write!(
                f,
                "diagonal entries of up to {worst:.1e} of the largest entry are taken as zero"
            ),
            Finding::NotDominant { count, first } => write!(
                f,
                "{count} similarities are negative or larger than their diagonal, the first at row \
                 {}, column {}",
                first.0 + 1,
                first.1 + 1
            ),
        }
    }
}

/// How far mirrored entries may differ, and a diagonal be from zero, relative to the largest entry.
/// Distances computed in single precision or printed with seven digits pass; a transposed or
/// directed matrix does not.
pub(crate) const SYMMETRY: f64 = 1e-6;

/// Rows and columns of the square pieces in which a matrix is compared with its transpose.
const PIECE: usize = 128;

/// The proximities of the old objects, checked.
#[derive(Debug, Clone)]
pub struct Proximities<'a, T: Element = f64> {
    entries: Entries<'a, T>,
    kind: Kind,
    labels: Vec<String>,
    findings: Vec<Finding>,
    largest: f64,
}

#[derive(Debug, Clone)]
enum Entries<'a, T> {
    Given(MatRef<'a, T>),
    Averaged(Mat<T>),
}

/// What one band of the matrix said.
struct Band {
    bad: Option<(usize, usize)>,
    largest: f64,
    asymmetry: (f64, usize, usize),
    diagonal: (f64, usize),
    loose: (usize, Option<(usize, usize)>),
}

impl<'a, T: Element> Proximities<'a, T> {
    /// Checks `entries` (square, of any memory layout) once: finite, of the right sign, symmetric,
    /// with a zero diagonal unless they are similarities. Labels are `1 … n` if there are none.
    /// Exactly symmetric entries are borrowed, never copied. `threads` = 0 means all cores.
    pub fn new(
        entries: MatRef<'a, T>,
        kind: Kind,
        labels: Option<Vec<String>>,
        threads: usize,
    ) -> Result<Self, Error> {
        let n = entries.nrows();
        if n != entries.ncols() {
            return Err(Error::NotSquare {
                rows: n,
                columns: entries.ncols(),
            });
        }
        if n < 2 {
            return Err(Error::TooFewObjects {
                found: n,
                expected: 2,
            });
        }
        let labels = checked_labels(labels, n)?;
        let object = |index: usize| Object {
            index,
            label: labels[index].clone(),
        };

        let bands = run::map(threads, n.div_ceil(PIECE), None, |i| {
            check_band(entries, kind, i * PIECE)
        })?;

        if let Some((i, j)) = bands.iter().filter_map(|b| b.bad).min() {
            return Err(Error::Entry {
                row: object(i),
                column: object(j),
                found: entries[(i, j)].to_f64(),
                expected: kind.expected(),
            });
        }
        let largest = bands.iter().fold(0.0, |m: f64, b| m.max(b.largest));
        let mut findings = Vec::new();
        let asymmetry = bands
            .iter()
            .map(|b| b.asymmetry)
            .fold((0.0, 0, 0), |m, b| if b.0 > m.0 { b } else { m });
        if asymmetry.0 > SYMMETRY * largest {
            let (_, i, j) = asymmetry;
            return Err(Error::Asymmetric {
                row: object(i),
                column: object(j),
                found: (entries[(i, j)].to_f64(), entries[(j, i)].to_f64()),
            });
        }
        if asymmetry.0 > 0.0 {
            findings.push(Finding::Averaged {
                worst: asymmetry.0 / largest,
            });
        }
        if kind != Kind::Similarity {
            let diagonal = bands
                .iter()
                .map(|b| b.diagonal)
                .fold((0.0, 0), |m, b| if b.0 > m.0 { b } else { m });
            if diagonal.0 > SYMMETRY * largest || (diagonal.0 > 0.0 && diagonal.0 == largest) {
                return Err(Error::Entry {
                    row: object(diagonal.1),
                    column: object(diagonal.1),
                    found: diagonal.0,
                    expected: "0 from an object to itself",
                });
            }
            if diagonal.0 > 0.0 {
                findings.push(Finding::DiagonalCleared {
                    worst: diagonal.0 / largest,
                });
            }
        }
        let count = bands.iter().map(|b| b.loose.0).sum();
        if let Some(first) = bands.iter().filter_map(|b| b.loose.1).min() {
            findings.push(Finding::NotDominant { count, first });
        }
        let mended = findings
            .iter()
            .any(|f| !matches!(f, Finding::NotDominant { .. }));
        let entries = if mended {
            Entries::Averaged(averaged(entries, kind))
        } else {
            Entries::Given(entries)
        };
        Ok(Self {
            entries,
            kind,
            labels,
            findings,
            largest,
        })
    }

    /// The n × n entries, symmetric.
    pub fn entries(&self) -> MatRef<'_, T> {
        match &self.entries {
            Entries::Given(m) => *m,
            Entries::Averaged(m) => m.as_ref(),
        }
    }

    /// The number of objects.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// What the entries are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The objects' labels.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// What was remarkable about them.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The largest modulus of an entry.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }
}

/// The labels, counted and each found once; `1 … n` if there are none.
pub(crate) fn checked_labels(labels: Option<Vec<String>>, n: usize) -> Result<Vec<String>, Error> {
    let Some(labels) = labels else {
        return Ok((1..=n).map(|i| i.to_string()).collect());
    };
    if labels.len() != n {
        return Err(Error::Length {
            what: "labels",
            found: labels.len(),
            expected: n,
        });
    }
    let mut seen = HashMap::with_capacity(n);
    for (i, label) in labels.iter().enumerate() {
        if let Some(index) = seen.insert(label.as_str(), i) {
            return Err(Error::DoubledLabel {
                first: Object {
                    index,
                    label: label.clone(),
                },
                second: i,
            });
        }
    }
    Ok(labels)
}

/// Looks at the rows from `start` on, a band of them, against the columns left of and on the diagonal.
fn check_band<T: Element>(a: MatRef<'_, T>, kind: Kind, start: usize) -> Band {
    let end = (start + PIECE).min(a.nrows());
    let mut band = Band {
        bad: None,
        largest: 0.0,
        asymmetry: (0.0, 0, 0),
        diagonal: (0.0, 0),
        loose: (0, None),
    };
    let loose = |i: usize, j: usize, v: f64| {
        kind == Kind::Similarity && i != j && (v < 0.0 || v > a[(i, i)].to_f64())
    };
    for left in (0..end).step_by(PIECE) {
        // Nearly always a piece is sound and equal to its mirror image, and there is nothing to say.
        if left < start && kind != Kind::Similarity {
            let rows = (start, end);
            if let Some(largest) = pulp::Arch::new().dispatch(Sound { a, rows, left }) {
                band.largest = band.largest.max(largest);
                continue;
            }
        }
        for i in start..end {
            for j in left..(left + PIECE).min(i + 1) {
                let (v, mirror) = (a[(i, j)].to_f64(), a[(j, i)].to_f64());
                if !(kind.admits(v) && kind.admits(mirror)) {
                    let at = if kind.admits(mirror) { (i, j) } else { (j, i) };
                    if band.bad.is_none_or(|bad| at < bad) {
                        band.bad = Some(at);
                    }
                    continue;
                }
                band.largest = band.largest.max(v.abs()).max(mirror.abs());
                if (v - mirror).abs() > band.asymmetry.0 {
                    band.asymmetry = ((v - mirror).abs(), i, j);
                }
                if i == j && v.abs() > band.diagonal.0 {
                    band.diagonal = (v.abs(), i);
                }
                for (i, j, v) in [(i, j, v), (j, i, mirror)] {
                    if loose(i, j, v) {
                        band.loose.0 += 1;
                        if band.loose.1.is_none_or(|first| (i, j) < first) {
                            band.loose.1 = Some((i, j));
                        }
                    }
                }
            }
        }
    }
    band
}

/// A piece of dissimilarities below the diagonal, to be looked at by vectors.
struct Sound<'a, T: Element> {
    a: MatRef<'a, T>,
    rows: (usize, usize),
    left: usize,
}

impl<T: Element> pulp::WithSimd for Sound<'_, T> {
    type Output = Option<f64>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        sound(self.a, self.rows, self.left)
    }
}

/// The largest entry of a piece of dissimilarities below the diagonal if all may be there and equal their
/// mirror images; otherwise none, and a closer look is needed.
#[inline(always)]
fn sound<T: Element>(a: MatRef<'_, T>, (start, end): (usize, usize), left: usize) -> Option<f64> {
    // Turned round, a sound piece is the same; one that is not is looked at more closely anyway.
    let a = if a.col_stride() == 1 {
        a
    } else {
        a.transpose()
    };
    let below = a.row_stride() * PIECE as isize;
    let (mut lowest, mut largest) = ([0.0f64; SQUARE], [0.0f64; SQUARE]);
    let mut same = true;
    let mut look = |c: usize, v: f64, mirror: f64| {
        // NaN fails this test, and does not get past the others.
        same &= v == mirror;
        lowest[c] = if v < lowest[c] { v } else { lowest[c] };
        largest[c] = if v > largest[c] { v } else { largest[c] };
    };
    let whole = end - (end - start) % SQUARE;
    for i in (start..whole).step_by(SQUARE) {
        for j in (left..left + PIECE).step_by(SQUARE) {
            let (piece, mirror) = (square(a, i, j)?, square(a, j, i)?);
            for r in 0..SQUARE {
                // What will be compared in the piece after this one.
                product::ask(piece[r].as_ptr().wrapping_add(PIECE));
                product::ask(mirror[r].as_ptr().wrapping_offset(below));
                for c in 0..SQUARE {
                    look(c, piece[r][c].to_f64(), mirror[c][r].to_f64());
                }
            }
        }
    }
    for i in whole..end {
        for j in left..left + PIECE {
            look(0, a[(i, j)].to_f64(), a[(j, i)].to_f64());
        }
    }
    let least = lowest.iter().fold(0.0, |m: f64, v| m.min(*v));
    let largest = largest.iter().fold(0.0, |m: f64, v| m.max(*v));
    (same && least == 0.0 && largest.is_finite()).then_some(largest)
}

/// Rows and columns that are held against their mirror image at once.
const SQUARE: usize = 8;

/// The entries from (i, j) on, if they lie along the memory.
#[inline(always)]
fn square<T: Element>(a: MatRef<'_, T>, i: usize, j: usize) -> Option<[&[T; SQUARE]; SQUARE]> {
    let mut rows = [None; SQUARE];
    for (r, row) in rows.iter_mut().enumerate() {
        let line = a.submatrix(i + r, j, 1, SQUARE).row(0);
        *row = line.try_as_row_major()?.as_slice().first_chunk();
    }
    let [
        Some(a),
        Some(b),
        Some(c),
        Some(d),
        Some(e),
        Some(f),
        Some(g),
        Some(h),
    ] = rows
    else {
        return None;
    };
    Some([a, b, c, d, e, f, g, h])
}

/// The symmetric part, with a zero diagonal for dissimilarities.
fn averaged<T: Element>(a: MatRef<'_, T>, kind: Kind) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| {
        if i == j && kind != Kind::Similarity {
            return T::from_f64(0.0);
        }
        // Halves first: the sum of two large entries might overflow. The order of the two makes
        // the result the same on both sides of the diagonal.
        let (lo, hi) = (i.min(j), i.max(j));
        T::from_f64(0.5 * a[(lo, hi)].to_f64() + 0.5 * a[(hi, lo)].to_f64())
    })
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

    /// t of an object with itself, `a` being the entry on the diagonal.
    #[inline(always)]
    pub(crate) fn itself(&self, a: f64) -> f64 {
        match self.kind {
            Kind::Similarity => (a + self.lift) * self.unit * self.unit,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [f64; 9] = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];

    fn check(change: impl Fn(&mut [f64; 9]), kind: Kind) -> Result<Vec<Finding>, Error> {
        let mut entries = GOOD;
        change(&mut entries);
        let labels = ["Ann", "Bob", "Cid"].map(String::from).to_vec();
        let m = MatRef::from_row_major_slice(&entries, 3, 3);
        Proximities::new(m, kind, Some(labels), 1).map(|p| p.findings().to_vec())
    }

    /// One wrong number at a time, each named with its objects.
    #[test]
    fn one_wrong_entry_is_named() {
        assert_eq!(check(|_| (), Kind::Dissimilarity), Ok(vec![]));
        for (at, value, start) in [
            (
                1,
                f64::NAN,
                "found NaN (a missing value) between \"Ann\" (number 1) and \"Bob\" (number 2)",
            ),
            (
                5,
                f64::INFINITY,
                "found inf between \"Bob\" (number 2) and \"Cid\" (number 3)",
            ),
            (
                6,
                -2.0,
                "found -2 between \"Cid\" (number 3) and \"Ann\" (number 1)",
            ),
            (
                4,
                0.5,
                "found 0.5 between \"Bob\" (number 2) and \"Bob\" (number 2)",
            ),
            (
                7,
                2.5,
                "found 2.5 from \"Cid\" (number 3) to \"Bob\" (number 2) but 3 the other way",
            ),
        ] {
            let message = check(|m| m[at] = value, Kind::Dissimilarity)
                .unwrap_err()
                .to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }

    /// Rounding on the mirror or the diagonal is mended and reported.
    #[test]
    fn rounding_is_mended_and_said() {
        let findings = check(
            |m| {
                m[1] += 1e-9;
                m[4] = 1e-9;
            },
            Kind::Dissimilarity,
        )
        .unwrap();
        assert!(matches!(
            findings[..],
            [Finding::Averaged { .. }, Finding::DiagonalCleared { .. }]
        ));
    }

    /// A similarity above its diagonal is a finding, not an error.
    #[test]
    fn a_loose_diagonal_is_a_finding() {
        let findings = check(|_| (), Kind::Similarity).unwrap();
        assert_eq!(
            findings,
            vec![Finding::NotDominant {
                count: 6,
                first: (0, 1)
            }]
        );
    }

    /// Doubled labels, too few objects and rectangles are refused.
    #[test]
    fn shapes_and_labels_are_checked() {
        let m = MatRef::from_row_major_slice(&GOOD, 3, 3);
        let doubled = ["a", "b", "a"].map(String::from).to_vec();
        let error = Proximities::new(m, Kind::Dissimilarity, Some(doubled), 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found the label \"a\" at numbers 1 and 3, expected every label once"
        );
        let short = Proximities::new(m, Kind::Dissimilarity, Some(vec![]), 1).unwrap_err();
        assert_eq!(short.to_string(), "found 0 labels, expected 3");
        let one = Proximities::new(m.submatrix(0, 0, 1, 1), Kind::Squared, None, 1);
        assert_eq!(
            one.unwrap_err().to_string(),
            "found 1 objects, expected at least 2"
        );
        let flat = Proximities::new(m.submatrix(0, 0, 2, 3), Kind::Squared, None, 1);
        assert!(matches!(flat, Err(Error::NotSquare { .. })));
        let none = Proximities::new(m.submatrix(0, 0, 0, 0), Kind::Squared, None, 1);
        assert!(matches!(none, Err(Error::TooFewObjects { .. })));
    }
}
