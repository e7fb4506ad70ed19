//! One triangle of T, walked over in bands of rows: each entry is read once from memory, for both places where it stands.
//!
//! Where rows are contiguous, and all that is done to an entry is to square it and take a constant off, whoever visits gets the rows as they
//! lie in memory; what is corrected, in another order, on the diagonal or at the end of a row comes in a tile, brought onto scale.

use std::ops::Range;

use pulp::Simd;

use crate::fit::centred::Centred;
use crate::fit::product::{Aligned, LANES};
use crate::input::kind::Element;

/// Columns of a tile, and from one row of it to the next.
const STRIP_COLUMNS: usize = 32;
const STRIP_STRIDE: usize = STRIP_COLUMNS + 8;

/// Columns that all rows of a band are read to before it goes on: what they meet of the panel and of the product, 32 KB, stays in the
/// innermost cache (1024 and 2048 are an eighth slower, and so are 512 unless the next rows are prefetched).
const SEGMENT: usize = 512;

/// How many bytes ahead of those that are multiplied a row is prefetched, beyond its end the row that comes next: half as many, or twice,
/// are a tenth slower, and without what comes next a fifth.
const PREFETCH_AHEAD: usize = 2048;

/// Rows of a band: what its rows meet to the right of it is used for all of them while it is in cache. A multiple of eight, of two and
/// three, and no more than a tile has columns.
const BAND: usize = 24;

// What is asked of these numbers where they are used.
const _: () = {
    assert!(SEGMENT.is_multiple_of(LANES) && STRIP_COLUMNS.is_multiple_of(LANES));
    assert!(BAND.is_multiple_of(LANES) && BAND.is_multiple_of(6) && BAND <= STRIP_COLUMNS);
};

/// How many bands n rows have.
pub(super) fn count(n: usize) -> usize {
    n.div_ceil(BAND)
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
    (0..count(n))
        .filter(mine)
        .map(move |band| (band * BAND, n.min((band + 1) * BAND)))
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
    /// So many eights of R rows from number `l` on in two parts, and what is to be prefetched beside the first of each: what comes later in these
    /// rows, and then the rows after them, or after the last ones how the first go on.
    #[inline(always)]
    pub(super) fn parts<const R: usize>(
        &self,
        l: usize,
        eights: usize,
    ) -> [(Range<usize>, [*const [T; LANES]; R]); 2] {
        let ahead = PREFETCH_AHEAD / size_of::<[T; LANES]>();
        let split = eights.saturating_sub(ahead);
        let row = |l: usize| self.rows[l].as_ptr();
        let later = std::array::from_fn(|r| row(l + r).wrapping_add(ahead));
        let next = std::array::from_fn(|r| match self.rows.get(l + R + r) {
            Some(next) => next.as_ptr(),
            None => row(r).wrapping_add(eights),
        });
        [(0..split, later), (split..eights, next)]
    }
}

/// Who is shown all entries.
pub(super) trait Visit {
    /// Some entries a² − off if SQUARE and a − off if not: rows of a whole band to the right of the diagonal, MIRRORED on its other side, or
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
        let whole = n - n % LANES;
        let mut tile = Aligned::zeros(BAND * STRIP_STRIDE);
        for (i, end) in bands(n, self.share) {
            let band = (i, end - i);
            // The square on the diagonal, whole; then all that is right of it.
            self.tile::<S, false>(simd, (band, band), &mut tile, visitor);
            let mut j = end;
            while j < n {
                let columns = SEGMENT.min(whole.saturating_sub(j));
                let mut rows = [&[][..]; BAND];
                if direct && columns > 0 && self.matrix.rows(i, (j, columns), &mut rows[..band.1]) {
                    let lines = Lines {
                        i,
                        j,
                        rows: &rows[..band.1],
                        columns,
                        off: self.c / self.factor,
                    };
                    visitor.visit::<S, T, SQUARE, true>(simd, &lines);
                    j += columns;
                } else {
                    let columns = STRIP_COLUMNS.min(n - j);
                    self.tile::<S, true>(simd, (band, (j, columns)), &mut tile, visitor);
                    j += columns;
                }
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
