//! The inner loop of a fit: tiles of proximities, brought onto scale in cache, times a few columns.
//!
//! Fitting multiplies the n × n old proximities by a block of vectors some dozens of times, in tiles that fit
//! in cache: [`load`] brings a tile onto the scale of inner products (any memory layout, either number type), and
//! [`multiply`] accumulates what it and its mirror image are to the panel.
//!
//! A block is as wide as a vector, or four columns where vectors are narrower. Then an entry of one triangle costs two fused
//! multiply-adds of vectors, one for each of its places, which a core does about as fast as memory delivers it; and six or
//! twelve rows at a time keep what they are multiplied by, and their sums, in registers, so that a column of the tile
//! takes two loads and a store beside its entries.

use faer::MatRef;
use pulp::Simd;

use crate::input::kind::{Element, Kind, Scale};

/// Columns of a tile: with [`TILE_ROWS`] rows it fills a quarter of a megabyte.
pub(crate) const TILE_COLUMNS: usize = 512;

/// From one row of a tile to the next: constant, so that the inner loop needs one pointer, and a
/// cache line more than the columns, so that rows do not fall on the same lines of the cache.
pub(crate) const STRIDE: usize = TILE_COLUMNS + 8;

/// Rows of a tile when fitting.
pub(crate) const TILE_ROWS: usize = 64;

/// The widest vector of any supported machine.
pub(crate) const LANES: usize = 8;

/// Columns of a tile that is multiplied: few, so that reading and multiplying alternate faster than memory would notice, and the
/// hardware's own prefetcher sees rows that are read to their end.
pub(crate) const STRIP_COLUMNS: usize = 32;

/// Columns that all rows of a band are read to before it goes on: what they meet of the panel and of the product stays in the
/// second cache.
pub(crate) const SEGMENT: usize = 2048;

/// From one row of such a tile to the next.
pub(crate) const STRIP_STRIDE: usize = STRIP_COLUMNS + 8;

/// Rows of a band: what its rows meet to the right of it is used for all of them while it is in cache. A multiple of every
/// [`strip`], and no more than a tile has columns.
pub(crate) const BAND: usize = 24;

/// The bands of one of some threads, each by its first row and the first after it. Those of a triangle get shorter: they are
/// dealt out to and fro, so that nobody has the longer one each time.
pub(crate) fn bands(
    n: usize,
    (thread, threads): (usize, usize),
) -> impl Iterator<Item = (usize, usize)> {
    let mine = move |band: &usize| {
        let (round, place) = (band / threads, band % threads);
        let turn = if round % 2 == 0 {
            place
        } else {
            threads - 1 - place
        };
        turn == thread
    };
    (0..n.div_ceil(BAND))
        .filter(mine)
        .map(move |band| (band * BAND, n.min((band + 1) * BAND)))
}

/// Zeros that begin where a cache line does, so that no vector lies across two.
#[derive(Debug, Clone)]
pub(crate) struct Aligned {
    values: Vec<f64>,
    start: usize,
}

impl Aligned {
    pub(crate) fn zeros(count: usize) -> Self {
        let values = vec![0.0; count + LANES - 1];
        let start = values.as_ptr().align_offset(64).min(LANES - 1);
        Self { values, start }
    }
}

impl std::ops::Deref for Aligned {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.values[self.start..]
    }
}

impl std::ops::DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.start..]
    }
}

/// A few columns of `n` numbers in groups of as many as a vector holds, each group stored row by row, the last one padded with zeros.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    lanes: usize,
    n: usize,
    groups: usize,
    values: Aligned,
}

impl Panel {
    /// The columns times `factor`.
    pub(crate) fn new(columns: MatRef<'_, f64>, factor: f64, lanes: usize) -> Self {
        let mut panel = Self::zeros(columns.nrows(), columns.ncols(), lanes);
        for (c, column) in columns.col_iter().enumerate() {
            let lines = panel.group_mut(c / lanes).chunks_exact_mut(lanes);
            for (line, v) in lines.zip(column.iter()) {
                line[c % lanes] = v * factor;
            }
        }
        panel
    }

    /// So many columns of zeros.
    pub(crate) fn zeros(n: usize, columns: usize, lanes: usize) -> Self {
        Self {
            lanes,
            n,
            groups: columns.div_ceil(lanes),
            values: Aligned::zeros(n * columns.next_multiple_of(lanes)),
        }
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// Group `g`, a row of its columns for each of the n.
    pub(crate) fn group(&self, g: usize) -> &[f64] {
        let size = self.n * self.lanes;
        &self.values[g * size..(g + 1) * size]
    }

    /// The same, to be changed.
    pub(crate) fn group_mut(&mut self, g: usize) -> &mut [f64] {
        let size = self.n * self.lanes;
        &mut self.values[g * size..(g + 1) * size]
    }

    /// Number `i` of column `c`.
    pub(crate) fn at(&self, i: usize, c: usize) -> f64 {
        self.group(c / self.lanes)[i * self.lanes + c % self.lanes]
    }
}

/// Brings rows `i0..i0+rows`, columns `j0..j0+columns` of `a` onto the scale of inner products, as
/// entries between different objects, in a tile of rows [`STRIDE`] apart.
#[inline(always)]
pub(crate) fn load<T: Element>(
    a: MatRef<'_, T>,
    rows: (usize, usize),
    columns: (usize, usize),
    scale: &Scale,
    tile: &mut [f64],
) {
    load_shifted::<T, STRIDE>(a, rows, columns, scale, 0.0, tile);
}

/// The same with a constant taken off, in a tile of rows `STRIDE` apart.
#[inline(always)]
pub(crate) fn load_shifted<T: Element, const STRIDE: usize>(
    a: MatRef<'_, T>,
    rows: (usize, usize),
    columns: (usize, usize),
    scale: &Scale,
    off: f64,
    tile: &mut [f64],
) {
    let a = a.submatrix(rows.0, columns.0, rows.1, columns.1);
    let Scale {
        unit, add, lift, ..
    } = *scale;
    // The choice is made once per tile, or the loop below would not become SIMD.
    match scale.kind {
        Kind::Dissimilarity if unit == 1.0 && !scale.corrects() => {
            copy::<T, STRIDE>(a, tile, |a| -0.5 * a * a - off)
        }
        Kind::Dissimilarity if !scale.corrects() => copy::<T, STRIDE>(a, tile, |a| {
            let s = a * unit;
            -0.5 * s * s - off
        }),
        Kind::Squared if !scale.corrects() => {
            copy::<T, STRIDE>(a, tile, |a| -0.5 * a * unit * unit - off)
        }
        Kind::Similarity => copy::<T, STRIDE>(a, tile, |a| a * unit * unit - off),
        Kind::Dissimilarity => copy::<T, STRIDE>(a, tile, |a| {
            let s = (a + add) * unit;
            -0.5 * s * s - lift * unit * unit - off
        }),
        Kind::Squared => copy::<T, STRIDE>(a, tile, |a| {
            let s = (a.sqrt() + add) * unit;
            -0.5 * s * s - lift * unit * unit - off
        }),
    }
}

/// The same for [`multiply`], over a factor that is left to the panel: then the entry that nearly every fit reads takes a
/// product and a difference.
#[inline(always)]
pub(crate) fn load_unscaled<T: Element>(
    a: MatRef<'_, T>,
    rows: (usize, usize),
    columns: (usize, usize),
    (scale, factor): (&Scale, f64),
    off: f64,
    tile: &mut [f64],
) {
    if factor == 1.0 {
        return load_shifted::<T, STRIP_STRIDE>(a, rows, columns, scale, off, tile);
    }
    let a = a.submatrix(rows.0, columns.0, rows.1, columns.1);
    let off = off / factor;
    match scale.kind {
        Kind::Dissimilarity => copy::<T, STRIP_STRIDE>(a, tile, |a| a * a - off),
        Kind::Squared | Kind::Similarity => copy::<T, STRIP_STRIDE>(a, tile, |a| a - off),
    }
}

#[inline(always)]
fn copy<T: Element, const STRIDE: usize>(
    a: MatRef<'_, T>,
    tile: &mut [f64],
    scale: impl Fn(f64) -> f64,
) {
    if a.col_stride() == 1 {
        for (i, out) in tile.chunks_exact_mut(STRIDE).take(a.nrows()).enumerate() {
            if let Some(row) = a.row(i).try_as_row_major() {
                for (out, v) in out.iter_mut().zip(row.as_slice()) {
                    *out = scale(v.to_f64());
                }
            }
        }
    } else {
        // Columns outside, so that a column-major matrix is read along its memory.
        for j in 0..a.ncols() {
            for i in 0..a.nrows() {
                tile[i * STRIDE + j] = scale(a[(i, j)].to_f64());
            }
        }
    }
}

/// The sum of a row in sixteen interleaved chains, added up in pairs.
#[inline(always)]
pub(crate) fn sum(row: &[f64]) -> f64 {
    chains(row, |v| v)
}

#[inline(always)]
fn chains(row: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut chains = [0.0; 16];
    let pieces = row.chunks_exact(16);
    let rest = pieces.remainder();
    for piece in pieces {
        for (c, v) in chains.iter_mut().zip(piece) {
            *c += term(*v);
        }
    }
    for (c, v) in chains.iter_mut().zip(rest) {
        *c += term(*v);
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            chains[i] += chains[i + half];
        }
    }
    chains[0]
}

/// The sum of the squares of a row, in the same chains.
#[inline(always)]
pub(crate) fn sum_of_squares(row: &[f64]) -> f64 {
    chains(row, |v| v * v)
}

/// Rows that are multiplied together, a vector of the product and one of the panel for each in registers throughout.
pub(crate) const fn strip(registers: usize) -> usize {
    if registers >= 32 { 12 } else { 6 }
}

/// mine += T · panel and, if T is MIRRORED on the other side of the diagonal, theirs += T' · panel: each entry is loaded once
/// for both. T is a tile of rows [`STRIP_STRIDE`] apart; of a group of the panel's columns there are the rows that belong to the
/// rows of T, and those that belong to its columns.
#[inline(always)]
pub(crate) fn multiply<S: Simd, const MIRRORED: bool>(
    simd: S,
    tile: &[f64],
    (rows, columns): (usize, usize),
    panel: (&[f64], &[f64]),
    mine: &mut [f64],
    theirs: &mut [f64],
) {
    let (left, _) = S::as_simd_f64s(panel.0);
    let (right, _) = S::as_simd_f64s(&panel.1[..columns * S::F64_LANES]);
    let (mine, _) = S::as_mut_simd_f64s(mine);
    let (theirs, _) = S::as_mut_simd_f64s(theirs);
    let step = strip(S::REGISTER_COUNT);
    let mut i = 0;
    while i < rows {
        let take = if i + step <= rows { step } else { 1 };
        let tile = &tile[i * STRIP_STRIDE..];
        let (left, mine) = (&left[i..], &mut mine[i..]);
        match take {
            12 => strip_of::<S, 12, MIRRORED>(simd, tile, (left, right), mine, theirs),
            6 => strip_of::<S, 6, MIRRORED>(simd, tile, (left, right), mine, theirs),
            _ => strip_of::<S, 1, MIRRORED>(simd, tile, (left, right), mine, theirs),
        }
        i += take;
    }
}

/// M rows by all columns.
#[inline(always)]
fn strip_of<S: Simd, const M: usize, const MIRRORED: bool>(
    simd: S,
    tile: &[f64],
    (left, right): (&[S::f64s], &[S::f64s]),
    mine: &mut [S::f64s],
    theirs: &mut [S::f64s],
) {
    let columns = right.len();
    let tile = &tile[..M * STRIP_STRIDE];
    assert!(columns <= STRIP_STRIDE && (!MIRRORED || theirs.len() == columns));
    let factors: [S::f64s; M] = std::array::from_fn(|l| left[l]);
    let mut sums: [S::f64s; M] = std::array::from_fn(|l| mine[l]);
    for j in 0..columns {
        let factor = right[j];
        let mut sum = if MIRRORED { theirs[j] } else { factor };
        for l in 0..M {
            let entry = simd.splat_f64s(tile[l * STRIP_STRIDE + j]);
            sums[l] = simd.mul_add_f64s(entry, factor, sums[l]);
            if MIRRORED {
                sum = simd.mul_add_f64s(entry, factors[l], sum);
            }
        }
        if MIRRORED {
            theirs[j] = sum;
        }
    }
    mine[..M].copy_from_slice(&sums);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use faer::Mat;

    struct Multiply<'a, const MIRRORED: bool> {
        tile: &'a [f64],
        shape: (usize, usize),
        panel: (&'a Panel, &'a Panel),
        out: (&'a mut Panel, &'a mut Panel),
    }

    impl<const MIRRORED: bool> pulp::WithSimd for Multiply<'_, MIRRORED> {
        type Output = ();
        fn with_simd<S: Simd>(self, simd: S) {
            let (mine, theirs) = self.out;
            for g in 0..self.panel.0.groups() {
                let panel = (self.panel.0.group(g), self.panel.1.group(g));
                let theirs = if MIRRORED {
                    theirs.group_mut(g)
                } else {
                    &mut []
                };
                let mine = mine.group_mut(g);
                multiply::<S, MIRRORED>(simd, self.tile, self.shape, panel, mine, theirs);
            }
        }
    }

    /// Every remainder of the block sizes gives the plain products, with a tile and with its transpose, on every
    /// instruction set of this machine.
    #[test]
    fn any_shape_is_the_plain_product() {
        let mut rng = Stream::new(5);
        for arch in crate::isa::all() {
            let lanes = crate::isa::lanes(arch);
            for rows in (1..=14).chain([24, 25]) {
                for columns in [1, 2, 7, STRIP_COLUMNS] {
                    for p in [1, 4, 8, 9] {
                        let shape = (rows, columns);
                        let tile: Vec<f64> =
                            (0..rows * STRIP_STRIDE).map(|_| rng.normal()).collect();
                        let left = Mat::from_fn(rows, p, |_, _| rng.normal());
                        let right = Mat::from_fn(columns, p, |_, _| rng.normal());
                        let panel = [&left, &right].map(|v| Panel::new(v.as_ref(), 2.0, lanes));
                        let zeros = |n: usize| Panel::zeros(n, p, lanes);
                        let (mut alone, mut mine) = (zeros(rows), zeros(rows));
                        let (mut none, mut theirs) = (zeros(columns), zeros(columns));
                        arch.dispatch(Multiply::<false> {
                            tile: &tile,
                            shape,
                            panel: (&panel[0], &panel[1]),
                            out: (&mut alone, &mut none),
                        });
                        arch.dispatch(Multiply::<true> {
                            tile: &tile,
                            shape,
                            panel: (&panel[0], &panel[1]),
                            out: (&mut mine, &mut theirs),
                        });
                        let near = |found: f64, terms: &mut dyn Iterator<Item = f64>| {
                            let (mut sum, mut size, mut count) = (0.0, 0.0, 0.0);
                            terms.for_each(|t| {
                                sum += t;
                                size += t.abs();
                                count += 1.0;
                            });
                            let error = (found - 2.0 * sum).abs();
                            assert!(error <= count * f64::EPSILON * 2.0 * size, "{shape:?} {p}");
                        };
                        let entry = |i: usize, j: usize| tile[i * STRIP_STRIDE + j];
                        for c in 0..p {
                            for i in 0..rows {
                                let mut terms = (0..columns).map(|j| entry(i, j) * right[(j, c)]);
                                near(mine.at(i, c), &mut terms);
                                assert_eq!(alone.at(i, c), mine.at(i, c));
                            }
                            for j in 0..columns {
                                let mut terms = (0..rows).map(|i| entry(i, j) * left[(i, c)]);
                                near(theirs.at(j, c), &mut terms);
                                assert_eq!(none.at(j, c), 0.0);
                            }
                        }
                    }
                }
            }
        }
    }
}
