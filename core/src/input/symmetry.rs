//! A matrix compared with its transpose: the one look at the old proximities before they are believed.
//!
//! ```text
//! |a_ij − a_ji| ≤ 10⁻⁶ max |a|        a_ii ≤ 10⁻⁶ max |a| and a_ij ≥ −10⁻⁶ max |a| for dissimilarities
//! ```
//!
//! What differs by no more is rounding and is averaged away or taken as 0, in a copy. Read row by row, the mirror image of a large matrix
//! misses the cache at every entry, so the lower triangle is compared tile by tile; and as nearly every tile of
//! dissimilarities is sound and equal to its mirror image, that is asked first, by SIMD, and only where the answer is no
//! are entries looked at one by one.

use faer::{Mat, MatRef};

use crate::error::Error;
use crate::input::kind::{Element, Kind};
use crate::prefetch::prefetch;
use crate::run::Run;

/// How far mirrored entries may differ, and a diagonal be from zero, relative to the largest entry.
/// Distances computed in single precision or printed with seven digits pass; a transposed or
/// directed matrix does not.
pub(crate) const SYMMETRY: f64 = 1e-6;

/// Rows and columns of a tile.
const TILE: usize = 128;

/// Rows and columns of the blocks of a tile that are transposed in registers.
const BLOCK: usize = 8;

/// What the comparison found.
pub(super) struct Symmetry {
    /// The first entry that may not be there.
    pub bad: Option<(usize, usize)>,
    /// The largest modulus of an entry.
    pub largest: f64,
    /// The largest difference between mirrored entries, and where.
    pub asymmetry: (f64, usize, usize),
    /// The largest modulus on the diagonal, and where.
    pub diagonal: (f64, usize),
    /// The lowest dissimilarity between different objects below 0, and where; and how many there are.
    pub below_zero: (f64, usize, usize),
    pub below_zero_count: usize,
    /// How many similarities are negative or larger than their diagonal, and the first of them.
    pub not_dominant: (usize, Option<(usize, usize)>),
}

impl Symmetry {
    fn nothing() -> Self {
        Self {
            bad: None,
            largest: 0.0,
            asymmetry: (0.0, 0, 0),
            diagonal: (0.0, 0),
            below_zero: (0.0, 0, 0),
            below_zero_count: 0,
            not_dominant: (0, None),
        }
    }

    /// Both together; of equals, what this one found counts.
    fn and(self, other: Self) -> Self {
        Self {
            bad: first(self.bad, other.bad),
            largest: self.largest.max(other.largest),
            asymmetry: if other.asymmetry.0 > self.asymmetry.0 {
                other.asymmetry
            } else {
                self.asymmetry
            },
            diagonal: if other.diagonal.0 > self.diagonal.0 {
                other.diagonal
            } else {
                self.diagonal
            },
            below_zero: if other.below_zero.0 < self.below_zero.0 {
                other.below_zero
            } else {
                self.below_zero
            },
            below_zero_count: self.below_zero_count + other.below_zero_count,
            not_dominant: (
                self.not_dominant.0 + other.not_dominant.0,
                first(self.not_dominant.1, other.not_dominant.1),
            ),
        }
    }
}

/// The place that comes first, row by row.
fn first(a: Option<(usize, usize)>, b: Option<(usize, usize)>) -> Option<(usize, usize)> {
    a.into_iter().chain(b).min()
}

/// Compares a square matrix with its transpose.
pub(super) fn compare<T: Element>(
    a: MatRef<'_, T>,
    kind: Kind,
    run: Run<'_>,
) -> Result<Symmetry, Error> {
    let bands = run.untold().map("", a.nrows().div_ceil(TILE), |i| {
        compare_band(a, kind, i * TILE)
    })?;
    Ok(bands.into_iter().fold(Symmetry::nothing(), Symmetry::and))
}

/// Looks at the rows from `start` on, a band of them, against the columns left of and on the diagonal.
fn compare_band<T: Element>(a: MatRef<'_, T>, kind: Kind, start: usize) -> Symmetry {
    let end = (start + TILE).min(a.nrows());
    let mut band = Symmetry::nothing();
    let not_dominant = |i: usize, j: usize, v: f64| {
        kind == Kind::Similarity && i != j && (v < 0.0 || v > a[(i, i)].to_f64())
    };
    for left in (0..end).step_by(TILE) {
        if left < start && kind != Kind::Similarity {
            let rows = (start, end);
            if let Some(largest) = crate::isa::arch().dispatch(SoundTile { a, rows, left }) {
                band.largest = band.largest.max(largest);
                continue;
            }
        }
        for i in start..end {
            for j in left..(left + TILE).min(i + 1) {
                let (v, mirror) = (a[(i, j)].to_f64(), a[(j, i)].to_f64());
                if !(v.is_finite() && mirror.is_finite()) {
                    let at = if mirror.is_finite() { (i, j) } else { (j, i) };
                    band.bad = first(band.bad, Some(at));
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
                    if v < 0.0 && i != j && kind != Kind::Similarity {
                        band.below_zero_count += 1;
                        if v < band.below_zero.0 {
                            band.below_zero = (v, i, j);
                        }
                    }
                    if not_dominant(i, j, v) {
                        band.not_dominant.0 += 1;
                        band.not_dominant.1 = first(band.not_dominant.1, Some((i, j)));
                    }
                }
            }
        }
    }
    band
}

/// A tile of dissimilarities below the diagonal, to be looked at by SIMD.
struct SoundTile<'a, T: Element> {
    a: MatRef<'a, T>,
    rows: (usize, usize),
    left: usize,
}

impl<T: Element> pulp::WithSimd for SoundTile<'_, T> {
    type Output = Option<f64>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        largest_if_sound(self.a, self.rows, self.left)
    }
}

/// The largest entry of a tile of dissimilarities below the diagonal if all may be there and equal their
/// mirror images; otherwise none, and a closer look is needed.
#[inline(always)]
fn largest_if_sound<T: Element>(
    a: MatRef<'_, T>,
    (start, end): (usize, usize),
    left: usize,
) -> Option<f64> {
    // Transposed, a sound tile is the same; one that is not is looked at more closely anyway.
    let a = if a.col_stride() == 1 {
        a
    } else {
        a.transpose()
    };
    let (mut lowest, mut largest) = ([0.0f64; BLOCK], [0.0f64; BLOCK]);
    let mut same = true;
    let mut look = |c: usize, v: f64, mirror: f64| {
        // NaN fails this test, and does not get past the others.
        same &= v == mirror;
        lowest[c] = if v < lowest[c] { v } else { lowest[c] };
        largest[c] = if v > largest[c] { v } else { largest[c] };
    };
    let whole = end - (end - start) % BLOCK;
    for i in (start..whole).step_by(BLOCK) {
        for j in (left..left + TILE).step_by(BLOCK) {
            let (block, mirror) = (block_at(a, i, j)?, block_at(a, j, i)?);
            // The tile after this one and its mirror image, half a row of each at a time: in the order of memory, or the hardware's
            // own prefetcher would not help.
            let number = (i - start) / BLOCK * (TILE / BLOCK) + (j - left) / BLOCK;
            prefetch_half_row(a, number, start, left + TILE);
            prefetch_half_row(a, number, left + TILE, start);
            for r in 0..BLOCK {
                for c in 0..BLOCK {
                    look(c, block[r][c].to_f64(), mirror[c][r].to_f64());
                }
            }
        }
    }
    for i in whole..end {
        for j in left..left + TILE {
            look(0, a[(i, j)].to_f64(), a[(j, i)].to_f64());
        }
    }
    let least = lowest.iter().fold(0.0, |m: f64, v| m.min(*v));
    let largest = largest.iter().fold(0.0, |m: f64, v| m.max(*v));
    (same && least == 0.0 && largest.is_finite()).then_some(largest)
}

/// Hints at half a row of the tile whose first entry is (i, j), which may be beyond the matrix: the one of that number.
#[inline(always)]
fn prefetch_half_row<T: Element>(a: MatRef<'_, T>, number: usize, i: usize, j: usize) {
    let (row, column) = (i + number / 2, j + number % 2 * (TILE / 2));
    let place = a.row_stride() * row as isize + column as isize;
    for step in (0..TILE / 2).step_by(64 / size_of::<T>()) {
        prefetch(a.as_ptr().wrapping_offset(place + step as isize));
    }
}

/// The block whose first entry is (i, j), row by row, if rows are contiguous.
#[inline(always)]
fn block_at<T: Element>(a: MatRef<'_, T>, i: usize, j: usize) -> Option<[&[T; BLOCK]; BLOCK]> {
    let mut rows = [None; BLOCK];
    for (r, row) in rows.iter_mut().enumerate() {
        let line = a.submatrix(i + r, j, 1, BLOCK).row(0);
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

/// The symmetric part, with a zero diagonal and nothing below zero for dissimilarities.
pub(super) fn averaged<T: Element>(a: MatRef<'_, T>, kind: Kind) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| {
        if i == j && kind != Kind::Similarity {
            return T::from_f64(0.0);
        }
        // Halves first: the sum of two large entries might overflow. The order of the two makes
        // the result the same on both sides of the diagonal.
        let (lo, hi) = (i.min(j), i.max(j));
        let mean = 0.5 * a[(lo, hi)].to_f64() + 0.5 * a[(hi, lo)].to_f64();
        T::from_f64(if kind == Kind::Similarity {
            mean
        } else {
            mean.max(0.0)
        })
    })
}
