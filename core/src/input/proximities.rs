//! The input: pairwise proximities of the old objects, checked once.
//!
//! The paper's §3: a *similarity matrix* is symmetric with 0 ≤ γ_ij ≤ γ_ii, a *dissimilarity matrix*
//! symmetric with δ_ij ≥ 0 and δ_ii = 0. Real kernels often break the dominance of the diagonal
//! and work all the same, so that is a [`Finding`], not an error. What was symmetric only up to rounding is
//! mended in a copy, and said; what was exactly symmetric is borrowed, whatever its number type and memory layout.

use std::fmt;

use faer::{Mat, MatRef};

use crate::error::{Error, Object};
use crate::input::kind::{BELOW_ZERO, Element, Kind};
use crate::input::symmetry::{SYMMETRY, averaged, compare};
use crate::labels::checked_labels;
use crate::run::Run;

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
    /// Some dissimilarities between different objects were below zero by rounding and were set to zero, in a copy.
    BelowZero {
        /// How many entries of the matrix.
        count: usize,
        /// How far below, relative to the largest entry.
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

/// How the words for a loose diagonal go on after the count.
const NOT_DOMINANT: &str = " similarities are negative or larger than their diagonal";

impl Finding {
    /// Whether a finding, in words as a map keeps it, says that similarities exceed their diagonal.
    pub(crate) fn is_not_dominant(words: &str) -> bool {
        words.contains(NOT_DOMINANT)
    }
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
            Finding::BelowZero { count, worst } => write!(
                f,
                "{count} entries below zero by at most {worst:.1e} of the largest are taken as zero"
            ),
            Finding::NotDominant { count, first } => write!(
                f,
                "{count}{NOT_DOMINANT}, the first at row {}, column {}",
                first.0 + 1,
                first.1 + 1
            ),
        }
    }
}

/// The proximities of the old objects, checked.
#[derive(Debug, Clone)]
pub struct Proximities<'a, T: Element = f64> {
    entries: Storage<'a, T>,
    kind: Kind,
    labels: Vec<String>,
    findings: Vec<Finding>,
    largest: f64,
}

#[derive(Debug, Clone)]
enum Storage<'a, T> {
    Given(MatRef<'a, T>),
    Averaged(Mat<T>),
}

impl<'a, T: Element> Proximities<'a, T> {
    /// Checks `entries` (square, of any memory layout) once: finite, of the right sign, symmetric,
    /// with a zero diagonal unless they are similarities. Labels are `1 … n` if there are none.
    /// Exactly symmetric entries are borrowed, never copied.
    pub fn new(
        entries: MatRef<'a, T>,
        kind: Kind,
        labels: Option<Vec<String>>,
        run: Run<'_>,
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

        let seen = compare(entries, kind, run)?;
        if let Some((i, j)) = seen.bad {
            return Err(Error::Entry {
                row: object(i),
                column: object(j),
                found: entries[(i, j)].to_f64(),
                expected: kind.expected(),
            });
        }
        let largest = seen.largest;
        let mut findings = Vec::new();
        let (lowest, i, j) = seen.below_zero;
        if lowest < -BELOW_ZERO * largest {
            return Err(Error::Entry {
                row: object(i),
                column: object(j),
                found: lowest,
                expected: kind.expected(),
            });
        }
        if lowest < 0.0 {
            findings.push(Finding::BelowZero {
                count: seen.below_zero_count,
                worst: -lowest / largest,
            });
        }
        let (difference, i, j) = seen.asymmetry;
        if difference > SYMMETRY * largest {
            return Err(Error::Asymmetric {
                row: object(i),
                column: object(j),
                found: (entries[(i, j)].to_f64(), entries[(j, i)].to_f64()),
            });
        }
        if difference > 0.0 {
            findings.push(Finding::Averaged {
                worst: difference / largest,
            });
        }
        if kind != Kind::Similarity {
            let (diagonal, i) = seen.diagonal;
            if diagonal > SYMMETRY * largest || (diagonal > 0.0 && diagonal == largest) {
                return Err(Error::Entry {
                    row: object(i),
                    column: object(i),
                    found: diagonal,
                    expected: "0 from an object to itself",
                });
            }
            if diagonal > 0.0 {
                findings.push(Finding::DiagonalCleared {
                    worst: diagonal / largest,
                });
            }
        }
        if let (count, Some(first)) = seen.not_dominant {
            findings.push(Finding::NotDominant { count, first });
        }
        let mended = findings
            .iter()
            .any(|f| !matches!(f, Finding::NotDominant { .. }));
        let entries = if mended {
            Storage::Averaged(averaged(entries, kind))
        } else {
            Storage::Given(entries)
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
            Storage::Given(m) => *m,
            Storage::Averaged(m) => m.as_ref(),
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

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [f64; 9] = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];

    fn check(change: impl Fn(&mut [f64; 9]), kind: Kind) -> Result<Vec<Finding>, Error> {
        let mut entries = GOOD;
        change(&mut entries);
        let labels = ["Ann", "Bob", "Cid"].map(String::from).to_vec();
        let m = MatRef::from_row_major_slice(&entries, 3, 3);
        Proximities::new(m, kind, Some(labels), Run::on(1)).map(|p| p.findings().to_vec())
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

    /// Rounding below zero, on the diagonal or beside it, is zero, and said; anything beyond rounding is named.
    #[test]
    fn rounding_below_zero_is_zero_and_said() {
        let mut entries = GOOD;
        entries[4] = -2.2e-16;
        (entries[2], entries[6]) = (-2.2e-16, 0.0);
        let m = MatRef::from_row_major_slice(&entries, 3, 3);
        for kind in [Kind::Dissimilarity, Kind::Squared] {
            let checked = Proximities::new(m, kind, None, Run::on(1)).unwrap();
            assert_eq!(checked.findings().len(), 3);
            assert_eq!(
                checked.findings()[0].to_string(),
                "1 entries below zero by at most 7.3e-17 of the largest are taken as zero"
            );
            for (i, j) in [(0, 2), (2, 0), (1, 1)] {
                assert_eq!(checked.entries()[(i, j)].to_bits(), 0.0f64.to_bits());
            }
        }
        let message = check(|m| m[2] = -1e-5, Kind::Dissimilarity).unwrap_err();
        assert_eq!(
            message.to_string(),
            "found -0.00001 between \"Ann\" (number 1) and \"Cid\" (number 3), expected a finite dissimilarity of at \
             least 0"
        );
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
        let error =
            Proximities::new(m, Kind::Dissimilarity, Some(doubled), Run::on(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found the label \"a\" at numbers 1 and 3, expected every label once"
        );
        let short = Proximities::new(m, Kind::Dissimilarity, Some(vec![]), Run::on(1)).unwrap_err();
        assert_eq!(short.to_string(), "found 0 labels, expected 3");
        let one = Proximities::new(m.submatrix(0, 0, 1, 1), Kind::Squared, None, Run::on(1));
        assert_eq!(
            one.unwrap_err().to_string(),
            "found 1 objects, expected at least 2"
        );
        let flat = Proximities::new(m.submatrix(0, 0, 2, 3), Kind::Squared, None, Run::on(1));
        assert!(matches!(flat, Err(Error::NotSquare { .. })));
        let none = Proximities::new(m.submatrix(0, 0, 0, 0), Kind::Squared, None, Run::on(1));
        assert!(matches!(none, Err(Error::TooFewObjects { .. })));
    }
}
