//! One triangle of T, walked over in bands of rows: each entry is read once from memory, for both places where it stands.
//!
//! Where rows are contiguous, and all that is done to an entry is to square it and take a constant off, whoever visits gets the rows as they
//! lie in memory; what is corrected, in another order, on the diagonal or at the end of a row comes in a tile, brought onto scale.

use pulp::Simd;

use crate::fit::centred::Centred;
use crate::fit::product::{Aligned, LANES};
use crate::input::kind::Element;

/// Columns of a tile, and from one row of it to the next.
const STRIP_COLUMNS: usize = 32;
const STRIP_STRIDE: usize = STRIP_COLUMNS + 8;

/// Columns that all rows of a band are read to before it goes on: what they meet of the panel and of the product, 20 KB, stays in the
/// innermost cache beside three rows and the three that come next, which are prefetched (256 and 448 are an eighth slower).
const SEGMENT: usize = 320;

/// Rows of a band: what its rows meet to the right of it is used for all of them while it is in cache. With 24 a pass takes a tenth longer.
const BAND: usize = 4 * STEP;

/// Rows of which each band is made: their square on the diagonal is shown whole. A multiple of eight, of two and three, and no more than a
/// tile has columns. Where threads would have few bands, a band is no more than this.
const STEP: usize = 24;

/// Bands that each thread has at least, unless they are narrow: there are long ones and short ones.
const ROUNDS: usize = 4;

// What is asked of these numbers where they are used.
const _: () = {
    assert!(SEGMENT.is_multiple_of(LANES) && STRIP_COLUMNS.is_multiple_of(LANES));
    assert!(STEP.is_multiple_of(LANES) && STEP.is_multiple_of(6) && STEP <= STRIP_COLUMNS);
};

/// How many bands n rows have at most.
pub(super) fn count(n: usize) -> usize {
    n.div_ceil(STEP)
}

/// The bands of one of some threads, each by its first row and the first after it. Those of a triangle get shorter: they are
/// dealt out to and fro, so that nobody has the longer one each time.
fn bands(n: usize, (thread, threads): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let mine = move |band: &usize| {
        let (round, place) = (band / threads, band % threads);
        let turn = if round % 2 == 0 {
            place
        } else {
            threads - 1 - place
        };
        turn == thread
    };
    let rows = if n < ROUNDS * threads * BAND {
        STEP
    } else {
        BAND
    };
    (0..n.div_ceil(rows))
        .filter(mine)
        .map(move |band| (band * rows, n.min((band + 1) * rows)))
}

/// Some rows from row `i` and column `j` on, a multiple of eight.
pub(super) struct Lines<'a, T> {
    pub i: usize,
    pub j: usize,
    /// In eights; what is after the last of the columns is 0.
    pub rows: &'a [&'a [[T; LANES]]],
    /// How many columns there are.
    pub columns: usize,
    /// Taken off each entry, or off its square.
    pub off: f64,
}

impl<T> Lines<'_, T> {
    /// The R rows after those from number `l` on, or how the first go on after the last: what is to be prefetched beside them. Where the
    /// last entries of their eights are: eights mostly lie across two cache lines, of which the first was wanted with the eight before.
    #[inline(always)]
    pub(super) fn next<const R: usize>(&self, l: usize) -> [*const T; R] {
        std::array::from_fn(|r| {
            let eights = match self.rows.get(l + R + r) {
                Some(next) => next.as_ptr(),
                None => self.rows[r].as_ptr().wrapping_add(self.rows[r].len()),
            };
            eights.cast::<T>().wrapping_add(LANES - 1)
        })
    }
}

/// Who is shown all entries.
pub(super) trait Visit {
    /// Some entries a² − off if SQUARE and a − off if not: whole steps of rows to the right of the diagonal, MIRRORED on its other side, or
    /// whole squares on the diagonal, of as many rows as there are.
    fn visit<S: Simd, T: Element, const SQUARE: bool, const MIRRORED: bool>(
        &mut self,
        simd: S,
        lines: &Lines<'_, T>,
    );
}

/// A thread's share of T − c ee' over a factor.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a, 'b, T: Element> {
    pub matrix: &'b Centred<'a, T>,
    pub factor: f64,
    pub c: f64,
    /// The number of the thread, and how many there are.
    pub share: (usize, usize),
}

impl<T: Element> Walk<'_, '_, T> {
    /// Shows all of it.
    #[inline(always)]
    pub(super) fn all<S: Simd>(self, simd: S, visitor: &mut impl Visit) {
        match self.matrix.squares() {
            Some(true) => self.bands::<S, true>(simd, true, visitor),
            other => self.bands::<S, false>(simd, other.is_some(), visitor),
        }
    }

    /// All bands; as they lie in memory, if `direct`, where rows are contiguous.
    #[inline(always)]
    fn bands<S: Simd, const SQUARE: bool>(self, simd: S, direct: bool, visitor: &mut impl Visit) {
        let n = self.matrix.count();
        let mut tile = Aligned::zeros(BAND * STRIP_STRIDE);
        for (i, end) in bands(n, self.share) {
            // Of each step the square on the diagonal, whole, and what is right of it in the band; then all that is right of the band.
            let steps = (end - i).div_ceil(STEP);
            for number in 0..=steps {
                let first = i + number * STEP;
                let (rows, columns) = if number < steps {
                    let after = end.min(first + STEP);
                    let step = (first, after - first);
                    self.tile::<S, false>(simd, (step, step), &mut tile, visitor);
                    (step, (after, end))
                } else {
                    ((i, end - i), (end, n))
                };
                self.right::<S, SQUARE>(simd, direct, (rows, columns), &mut tile, visitor);
            }
        }
    }

    /// Some rows, the first and how many, in columns from one to another, right of the diagonal.
    #[inline(always)]
    fn right<S: Simd, const SQUARE: bool>(
        &self,
        simd: S,
        direct: bool,
        (band, (from, to)): ((usize, usize), (usize, usize)),
        tile: &mut [f64],
        visitor: &mut impl Visit,
    ) {
        let whole = to - (to - from) % LANES;
        let mut j = from;
        while j < to {
            let columns = SEGMENT.min(whole.saturating_sub(j));
            let mut rows = [&[][..]; BAND];
            let rows = &mut rows[..band.1];
            if direct && columns > 0 && self.matrix.rows(band.0, (j, columns), rows) {
                let lines = Lines {
                    i: band.0,
                    j,
                    rows,
                    columns,
                    off: self.c / self.factor,
                };
                visitor.visit::<S, T, SQUARE, true>(simd, &lines);
                j += columns;
            } else {
                let columns = STRIP_COLUMNS.min(to - j);
                self.tile::<S, true>(simd, (band, (j, columns)), tile, visitor);
                j += columns;
            }
        }
    }

    /// Some rows and columns, each the first and how many, in a tile.
    #[inline(always)]
    fn tile<S: Simd, const MIRRORED: bool>(
        &self,
        simd: S,
        (rows, columns): ((usize, usize), (usize, usize)),
        tile: &mut [f64],
        visitor: &mut impl Visit,
    ) {
        let scaled = (self.factor, self.c);
        self.matrix
            .load::<STRIP_STRIDE>(scaled, rows, columns, tile);
        let mut lines = [&[][..]; BAND];
        let eights = columns.1.next_multiple_of(LANES);
        let strips = tile.chunks_exact_mut(STRIP_STRIDE).take(rows.1);
        for (line, strip) in lines.iter_mut().zip(strips) {
            strip[columns.1..eights].fill(0.0);
            *line = strip[..eights].as_chunks::<LANES>().0;
        }
        let lines = Lines {
            i: rows.0,
            j: columns.0,
            rows: &lines[..rows.1],
            columns: columns.1,
            off: 0.0,
        };
        visitor.visit::<S, f64, false, MIRRORED>(simd, &lines);
    }
}
