//! A square of proximities that is not here: in pieces, on a disk or on other machines.
//!
//! Whoever has the pieces does two things with each of them, where it lies: looks at it once ([`Look`]), and multiplies by it
//! ([`Piece::multiply`]), as often as the eigensolver asks. As the square is symmetric, pieces above the diagonal do:
//!
//! ```text
//! (TV)_i += T_ij V_j        (TV)_j += T_ij' V_i        i < j
//! ```
//!
//! The rules are those of a square in memory ([`crate::input::proximities`]); but what differs from its mirror image by rounding
//! cannot be averaged in a copy, and what is above the diagonal counts.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::error::{Error, Object};
use crate::input::kind::{BELOW_ZERO, Element, Kind, Scale};
use crate::input::symmetry::SYMMETRY;
use crate::labels::checked_labels;
use crate::number::rounded;

/// Rows of a piece that are brought onto scale and multiplied together.
const STRIP: usize = 64;

/// Rows and columns that are compared with their mirror image together.
const TILE: usize = 32;

/// Who can multiply by a square of proximities without having it in one place.
pub trait Products: Sync {
    /// out = (T − c ee')V, with T the proximities on the scale of inner products, lengths multiplied by `unit`, and c = `shift`.
    fn multiply(
        &self,
        unit: f64,
        shift: f64,
        v: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), Error>;
}

/// n × n proximities in pieces.
#[derive(Clone)]
pub struct Elsewhere<'a> {
    /// n.
    pub count: usize,
    /// What they are.
    pub kind: Kind,
    /// The objects' names; without any they have positions only, and are shown as `1 … n`.
    pub labels: Option<Vec<String>>,
    /// What was seen of every piece on and above the diagonal, by itself or added up.
    pub looks: Vec<Look>,
    /// Who multiplies.
    pub products: &'a dyn Products,
}

/// A piece of the square, on the diagonal or above it.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a, T: Element> {
    /// Its entries.
    pub entries: MatRef<'a, T>,
    /// The numbers of its first row and column; equal for a piece on the diagonal, which is square.
    pub at: (usize, usize),
    /// What the entries are.
    pub kind: Kind,
}

/// An entry, and where it is.
type Found = Option<(f64, usize, usize)>;

/// What is seen of a piece and its mirror image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// The numbers of its first row and column.
    pub at: (usize, usize),
    /// The first entry that may not be there.
    pub bad: Found,
    /// The largest modulus of an entry.
    pub largest: f64,
    /// The lowest dissimilarity between different objects below 0, and how many there are.
    pub below_zero: Found,
    /// How many there are.
    pub below_zero_count: usize,
    /// The largest difference between mirrored entries.
    pub asymmetry: Found,
    /// The two that differ so.
    pub differ: (f64, f64),
    /// The largest modulus on the diagonal.
    pub diagonal: Found,
    /// Σ t², both images counted.
    pub squares: f64,
    /// Σ t of each of its rows, and of its columns (empty on the diagonal).
    pub sums: (Vec<f64>, Vec<f64>),
    /// The largest t of each with another object.
    pub nearest: (Vec<f64>, Vec<f64>),
    /// t of each object with itself, on the diagonal.
    pub itself: Vec<f64>,
}

impl Look {
    /// Nothing yet of a square of `count` objects: what is seen of its pieces is added.
    pub fn of_all(count: usize) -> Self {
        Self {
            sums: (vec![0.0; count], Vec::new()),
            nearest: (vec![f64::NEG_INFINITY; count], Vec::new()),
            itself: vec![f64::NAN; count],
            ..Self::default()
        }
    }

    /// Adds what was seen of a piece of the square whose [`Self::of_all`] this is, or of several that were added up.
    pub fn add(&mut self, piece: &Look) {
        if let Some((v, row, column)) = piece.bad
            && (self.bad).is_none_or(|(_, r, c)| (row, column) < (r, c))
        {
            self.bad = Some((v, row, column));
        }
        self.largest = self.largest.max(piece.largest);
        self.below_zero_count += piece.below_zero_count;
        if let Some(found) = piece.below_zero
            && (self.below_zero).is_none_or(|(lowest, ..)| found.0 < lowest)
        {
            self.below_zero = Some(found);
        }
        if let Some(found) = piece.asymmetry
            && (self.asymmetry).is_none_or(|(worst, ..)| found.0 > worst)
        {
            self.asymmetry = Some(found);
            self.differ = piece.differ;
        }
        if let Some(found) = piece.diagonal
            && (self.diagonal).is_none_or(|(most, ..)| found.0 > most)
        {
            self.diagonal = Some(found);
        }
        self.squares += piece.squares;
        let (i0, j0) = piece.at;
        let places = [
            (i0, &piece.sums.0, &piece.nearest.0),
            (j0, &piece.sums.1, &piece.nearest.1),
        ];
        for (first, sums, nearest) in places {
            for (i, (sum, near)) in (first..).zip(sums.iter().zip(nearest)) {
                self.sums.0[i] += sum;
                self.nearest.0[i] = self.nearest.0[i].max(*near);
            }
        }
        for (i, t) in (i0..).zip(&piece.itself).filter(|(_, t)| !t.is_nan()) {
            self.itself[i] = *t;
        }
    }
}

impl<T: Element> Piece<'_, T> {
    fn on_diagonal(&self) -> bool {
        self.at.0 == self.at.1
    }

    /// An entry as it counts: not below zero, and 0 from an object to itself, if it is a dissimilarity.
    fn entry(&self, i: usize, j: usize) -> f64 {
        let (i, j) = if self.on_diagonal() && i > j {
            (j, i)
        } else {
            (i, j)
        };
        self.counted(self.entries[(i, j)])
    }

    fn counted(&self, a: T) -> f64 {
        let a = a.to_f64();
        if self.kind != Kind::Similarity && a < 0.0 {
            0.0
        } else {
            a
        }
    }

    /// t of an entry.
    fn scaled(&self, scale: &Scale, i: usize, j: usize) -> f64 {
        let a = self.entry(i, j);
        if self.on_diagonal() && i == j {
            scale.itself(a)
        } else {
            scale.other(a)
        }
    }

    /// Looks at the piece and its `mirror` image below the diagonal, which is the piece itself on it.
    pub fn look(&self, mirror: MatRef<'_, T>) -> Look {
        let scale = plain(self.kind, 1.0);
        let (rows, columns) = (self.entries.nrows(), self.entries.ncols());
        let on_diagonal = self.on_diagonal();
        let beside = if on_diagonal { 0 } else { columns };
        let mut look = Look {
            at: self.at,
            sums: (vec![0.0; rows], vec![0.0; beside]),
            nearest: (
                vec![f64::NEG_INFINITY; rows],
                vec![f64::NEG_INFINITY; beside],
            ),
            ..Look::default()
        };
        for i0 in (0..rows).step_by(TILE) {
            for j0 in (0..columns).step_by(TILE) {
                for i in i0..(i0 + TILE).min(rows) {
                    for j in j0..(j0 + TILE).min(columns) {
                        let image = mirror[(j, i)].to_f64();
                        self.take(&mut look, &scale, (i, j), image);
                    }
                }
            }
        }
        if on_diagonal {
            look.itself = (0..rows).map(|i| self.scaled(&scale, i, i)).collect();
        }
        look
    }

    fn take(&self, look: &mut Look, scale: &Scale, (i, j): (usize, usize), image: f64) {
        let (row, column) = (self.at.0 + i, self.at.1 + j);
        let (own, itself) = (self.entries[(i, j)].to_f64(), row == column);
        // On the diagonal the image has its own turn.
        let images = if self.on_diagonal() { 1 } else { 2 };
        let both = [(own, row, column), (image, column, row)];
        for (v, row, column) in both.into_iter().take(images) {
            if !v.is_finite() {
                if (look.bad).is_none_or(|(_, r, c)| (row, column) < (r, c)) {
                    look.bad = Some((v, row, column));
                }
                return;
            }
            look.largest = look.largest.max(v.abs());
            if self.kind != Kind::Similarity && v < 0.0 && !itself {
                look.below_zero_count += 1;
                if look.below_zero.is_none_or(|(lowest, ..)| v < lowest) {
                    look.below_zero = Some((v, row, column));
                }
            }
        }
        let difference = (own - image).abs();
        if difference > look.asymmetry.map_or(0.0, |(worst, ..)| worst) {
            look.asymmetry = Some((difference, row, column));
            look.differ = (own, image);
        }
        if itself && look.diagonal.is_none_or(|(most, ..)| own.abs() > most) {
            look.diagonal = Some((own.abs(), row, column));
        }
        let t = self.scaled(scale, i, j);
        look.sums.0[i] += t;
        look.squares += t * t;
        if !itself {
            look.nearest.0[i] = look.nearest.0[i].max(t);
        }
        if !self.on_diagonal() {
            look.squares += t * t;
            look.sums.1[j] += t;
            look.nearest.1[j] = look.nearest.1[j].max(t);
        }
    }

    /// The piece's part of (T − c ee')V: for its rows, from the rows of V that belong to its columns, `v.1`; and for its columns
    /// (none for a piece on the diagonal), from those that belong to its rows, `v.0`.
    pub fn multiply(
        &self,
        (unit, shift): (f64, f64),
        v: (MatRef<'_, f64>, MatRef<'_, f64>),
    ) -> (Mat<f64>, Option<Mat<f64>>) {
        let scale = plain(self.kind, unit);
        let (rows, columns, b) = (self.entries.nrows(), self.entries.ncols(), v.0.ncols());
        let mut down = Mat::zeros(rows, b);
        let mut across = (!self.on_diagonal()).then(|| Mat::zeros(columns, b));
        // Row by row, as most entries lie in memory.
        let mut strip: Mat<f64> = Mat::zeros(columns, STRIP.min(rows));
        for first in (0..rows).step_by(STRIP) {
            let count = STRIP.min(rows - first);
            for i in 0..count {
                let line = strip.col_mut(i).iter_mut();
                if self.on_diagonal() {
                    for (j, t) in line.enumerate() {
                        *t = self.scaled(&scale, first + i, j) - shift;
                    }
                } else {
                    for (t, a) in line.zip(self.entries.row(first + i).iter()) {
                        *t = scale.other(self.counted(*a)) - shift;
                    }
                }
            }
            let strip = strip.get(.., ..count).transpose();
            let here = down.as_mut().subrows_mut(first, count);
            matmul(here, Accum::Replace, strip, v.1, 1.0, Par::Seq);
            if let Some(across) = &mut across {
                let theirs = v.0.subrows(first, count);
                matmul(
                    across.as_mut(),
                    Accum::Add,
                    strip.transpose(),
                    theirs,
                    1.0,
                    Par::Seq,
                );
            }
        }
        (down, across)
    }
}

fn plain(kind: Kind, unit: f64) -> Scale {
    Scale {
        kind,
        unit,
        add: 0.0,
        lift: 0.0,
    }
}

/// What was seen of the whole square, found sound; lengths in units of 1.
pub(crate) struct Surveyed {
    pub labels: Vec<String>,
    pub largest: f64,
    /// Σ t², Σ_j t_ij, the largest t_ij with another object, and t_ii.
    pub squares: f64,
    pub sums: Vec<f64>,
    pub nearest: Vec<f64>,
    pub itself: Vec<f64>,
    pub findings: Vec<String>,
}

impl Elsewhere<'_> {
    /// Puts together what was seen, and errs if something is wrong with it.
    pub(crate) fn surveyed(&self) -> Result<Surveyed, Error> {
        let n = self.count;
        if n < 2 {
            return Err(Error::TooFewObjects {
                found: n,
                expected: 2,
            });
        }
        let labels = checked_labels(self.labels.clone(), n)?;
        let object = |index: usize| Object {
            index,
            label: labels[index].clone(),
        };
        let entry = |(found, i, j): (f64, usize, usize), expected| Error::Entry {
            row: object(i),
            column: object(j),
            found,
            expected,
        };
        let mut seen = Look::of_all(n);
        for look in &self.looks {
            seen.add(look);
        }
        let largest = seen.largest;
        if let Some(found) = seen.bad {
            return Err(entry(found, self.kind.expected()));
        }
        let mut findings = Vec::new();
        if let Some(found) = seen.below_zero {
            if found.0 < -BELOW_ZERO * largest {
                return Err(entry(found, self.kind.expected()));
            }
            findings.push(format!(
                "{} entries below zero by at most {:.1e} of the largest are taken as zero",
                seen.below_zero_count,
                -found.0 / largest
            ));
        }
        if let Some((worst, i, j)) = seen.asymmetry {
            if worst > SYMMETRY * largest {
                return Err(Error::Asymmetric {
                    row: object(i),
                    column: object(j),
                    found: seen.differ,
                });
            }
            findings.push(format!(
                "mirrored entries differ by up to {:.1e} of the largest; those above the diagonal are used",
                worst / largest
            ));
        }
        if let Some(found) = seen.diagonal
            && self.kind != Kind::Similarity
            && found.0 > 0.0
        {
            if found.0 > SYMMETRY * largest || found.0 == largest {
                return Err(entry(found, "0 from an object to itself"));
            }
            findings.push(format!(
                "diagonal entries of up to {:.1e} of the largest entry are taken as zero",
                found.0 / largest
            ));
        }
        let all = Surveyed {
            largest,
            squares: seen.squares,
            sums: seen.sums.0,
            nearest: seen.nearest.0,
            itself: seen.itself,
            findings,
            labels,
        };
        if let Some(i) = all.itself.iter().position(|t| t.is_nan()) {
            return Err(Error::Inconsistent(format!(
                "found no piece with object number {} on the diagonal, expected every piece on and above it",
                i + 1
            )));
        }
        if !(all.squares.is_finite() && (largest == 0.0 || largest * largest > 0.0)) {
            return Err(Error::Inconsistent(format!(
                "found proximities of up to {}, whose squares are no numbers, expected another unit",
                rounded(largest)
            )));
        }
        Ok(all)
    }
}
