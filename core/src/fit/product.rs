//! The inner loop of a fit: rows of proximities times a few columns.
//!
//! Fitting multiplies the n × n old proximities by a block of vectors some dozens of times: a [`Product`] is shown the rows of one
//! triangle ([`super::triangle`]), and adds up what they and their mirror image are to the panel.
//!
//! A vector holds some entries of a row, as they lie in memory: they are brought onto scale in registers, multiplied by the same rows of
//! four columns, and by what those columns have at the row's own place for the other side of the diagonal. That is eight multiply-adds of
//! vectors for as many entries as one holds, one cycle an entry with four of them, half a cycle with eight: about as fast as memory
//! delivers them. Three rows at a time share what they are multiplied by and added to. What is in no order, is corrected, or lies
//! at the diagonal or the end of a row goes through a tile in cache, which [`load`] and [`load_unscaled`] bring onto the scale of inner
//! products from any memory layout and either number type.

use faer::{ColMut, MatRef};
use pulp::Simd;

use crate::fit::triangle::{Lines, Visit};
use crate::input::kind::{Element, Kind, Scale};
use crate::prefetch::prefetch;

/// Columns of a tile: with [`TILE_ROWS`] rows it fills a quarter of a megabyte.
pub(crate) const TILE_COLUMNS: usize = 512;

/// From one row of a tile to the next: constant, so that the inner loop needs one pointer, and a
/// cache line more than the columns, so that rows do not fall on the same lines of the cache.
pub(crate) const STRIDE: usize = TILE_COLUMNS + 8;

/// Rows of a tile when fitting.
pub(crate) const TILE_ROWS: usize = 64;

/// The widest vector of any supported machine.
pub(crate) const LANES: usize = 8;

/// Columns of a block of vectors that are multiplied together: of four, the sums of three rows fit into the registers of every machine,
/// what the rows are multiplied by comes from the first cache where it does not, and memory delivers an entry as fast as it is multiplied by them; fewer
/// would take more passes.
pub(crate) const GROUP: usize = 4;

/// Rows that are multiplied together: their sums fill the registers of AVX2, where what they are multiplied by is read again from the first
/// cache (two rows, all in registers, are a twentieth slower); AVX-512 has room for both.
pub(super) const TOGETHER: usize = 3;

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

/// A few columns of `n` numbers in groups of [`GROUP`]: of each group eight rows by eight rows, each column's eight together. Padded with zeros.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    eights: usize,
    groups: usize,
    values: Aligned,
}

impl Panel {
    /// The columns times `factor`.
    pub(crate) fn new(columns: MatRef<'_, f64>, factor: f64) -> Self {
        let mut panel = Self::zeros(columns.nrows(), columns.ncols());
        for (c, column) in columns.col_iter().enumerate() {
            let mut column = column.iter();
            for eight in panel.eights_mut(c) {
                // The eight first, or one more number would be passed by at the end of each.
                for (place, v) in eight.iter_mut().zip(column.by_ref()) {
                    *place = v * factor;
                }
            }
        }
        panel
    }

    /// So many columns of zeros.
    pub(crate) fn zeros(n: usize, columns: usize) -> Self {
        let (eights, groups) = (n.div_ceil(LANES), columns.div_ceil(GROUP));
        Self {
            eights,
            groups,
            values: Aligned::zeros(groups * eights * GROUP * LANES),
        }
    }

    /// Where number `i` of column `c` is.
    #[inline(always)]
    fn place(&self, i: usize, c: usize) -> usize {
        let line = (c / GROUP * self.eights + i / LANES) * GROUP + c % GROUP;
        line * LANES + i % LANES
    }

    /// Column `c`, eight rows at a time.
    fn eights_mut(&mut self, c: usize) -> impl Iterator<Item = &mut [f64]> {
        let (first, eights) = (self.place(0, c), self.eights);
        let lines = self.values[first..].chunks_mut(GROUP * LANES);
        lines.take(eights).map(|line| &mut line[..LANES])
    }

    /// Writes column `c` to where it is wanted.
    pub(crate) fn write(&self, c: usize, out: ColMut<'_, f64>) {
        let lines = self.values[self.place(0, c)..].chunks(GROUP * LANES);
        let mut out = out.iter_mut();
        for line in lines.take(self.eights) {
            // The line first, or one more place would be passed by at the end of each.
            for (v, out) in line[..LANES].iter().zip(out.by_ref()) {
                *out = *v;
            }
        }
    }

    /// Adds the numbers of another one of the same size.
    pub(crate) fn add(&mut self, other: &Self) {
        let both = self.values.iter_mut().zip(&*other.values);
        both.for_each(|(v, more)| *v += more);
    }

    /// Where rows `j` to `j + 8 count` of group `g` are, `j` a multiple of eight.
    #[inline(always)]
    fn range(&self, g: usize, j: usize, count: usize) -> std::ops::Range<usize> {
        let first = self.place(j, g * GROUP);
        first..first + count * GROUP * LANES
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

/// The same over a factor that is left to whoever asks: then the entry that nearly every fit reads takes a product and a difference.
#[inline(always)]
pub(crate) fn load_unscaled<T: Element, const STRIDE: usize>(
    a: MatRef<'_, T>,
    rows: (usize, usize),
    columns: (usize, usize),
    (scale, factor): (&Scale, f64),
    off: f64,
    tile: &mut [f64],
) {
    if factor == 1.0 {
        return load_shifted::<T, STRIDE>(a, rows, columns, scale, off, tile);
    }
    let a = a.submatrix(rows.0, columns.0, rows.1, columns.1);
    let off = off / factor;
    match scale.kind {
        Kind::Dissimilarity => copy::<T, STRIDE>(a, tile, |a| a * a - off),
        Kind::Squared | Kind::Similarity => copy::<T, STRIDE>(a, tile, |a| a - off),
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

/// What T is multiplied by, and out += T · panel, or T' · panel as well where what is shown of T is mirrored: each entry is loaded once
/// for both.
pub(super) struct Product<'a> {
    pub panel: &'a Panel,
    pub out: Panel,
}

impl Visit for Product<'_> {
    #[inline(always)]
    fn visit<S: Simd, T: Element, const SQUARE: bool, const MIRRORED: bool>(
        &mut self,
        simd: S,
        lines: &Lines<'_, T>,
    ) {
        for g in 0..self.panel.groups {
            let (panel, out) = (self.panel, &mut self.out);
            // Squares on the diagonal are few, and of any size.
            if !MIRRORED {
                for l in 0..lines.rows.len() {
                    few::<S, T, 1, SQUARE, false>(simd, (lines, l), g, panel, out);
                }
            } else {
                for l in (0..lines.rows.len()).step_by(TOGETHER) {
                    few::<S, T, TOGETHER, SQUARE, true>(simd, (lines, l), g, panel, out);
                }
            }
        }
    }
}

/// R rows from number `l` on by group `g` of the columns.
#[inline(always)]
fn few<S: Simd, T: Element, const R: usize, const SQUARE: bool, const MIRRORED: bool>(
    simd: S,
    (lines, l): (&Lines<'_, T>, usize),
    g: usize,
    panel: &Panel,
    out: &mut Panel,
) {
    let eights = lines.rows[l].len();
    let rows: [_; R] = std::array::from_fn(|r| &lines.rows[l + r][..eights]);
    let i = lines.i + l;
    let place = |r: usize, c: usize| panel.place(i + r, g * GROUP + c);
    // What the columns have at the rows' own places.
    let own: [[S::f64s; GROUP]; R] = std::array::from_fn(|r| {
        std::array::from_fn(|c| simd.splat_f64s(panel.values[place(r, c)]))
    });
    let mut sums = [[simd.splat_f64s(0.0); GROUP]; R];
    let off = simd.splat_f64s(-lines.off);
    let range = panel.range(g, lines.j, eights);
    let columns = panel.values[range.clone()].as_chunks::<LANES>().0;
    let products = out.values[range].as_chunks_mut::<LANES>().0;
    let next = lines.next::<R>(l);
    let both = columns
        .chunks_exact(GROUP)
        .zip(products.chunks_exact_mut(GROUP));
    for (e, (columns, products)) in both.enumerate() {
        // Two lines of a row at a time: with AVX2 an eighth of a pass less than one, and four are no better.
        if e % 2 == 0 {
            for row in next {
                prefetch(row.wrapping_add(e * LANES));
                prefetch(row.wrapping_add((e + 1) * LANES));
            }
        }
        for h in 0..LANES / S::F64_LANES {
            // Not by a closure: it would be a call where the compiler has much to do, and know nothing of the instruction set.
            let mut t = [off; R];
            for r in 0..R {
                t[r] = entries::<S, T, SQUARE>(simd, &rows[r][e], h, off);
            }
            for c in 0..GROUP {
                let column = S::as_simd_f64s(&columns[c]).0[h];
                let product = &mut S::as_mut_simd_f64s(&mut products[c]).0[h];
                let mut theirs = *product;
                for r in 0..R {
                    sums[r][c] = simd.mul_add_f64s(t[r], column, sums[r][c]);
                    if MIRRORED {
                        theirs = simd.mul_add_f64s(t[r], own[r][c], theirs);
                    }
                }
                if MIRRORED {
                    *product = theirs;
                }
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        for (c, sum) in sums.into_iter().enumerate() {
            out.values[place(r, c)] += simd.reduce_sum_f64s(sum);
        }
    }
}

/// Vector number `h` of eight entries a, each a² + shift if SQUARE and a + shift if not.
#[inline(always)]
pub(super) fn entries<S: Simd, T: Element, const SQUARE: bool>(
    simd: S,
    eight: &[T; LANES],
    h: usize,
    shift: S::f64s,
) -> S::f64s {
    let a = vector(simd, &eight[h * S::F64_LANES..]);
    if SQUARE {
        simd.mul_add_f64s(a, a, shift)
    } else {
        simd.add_f64s(a, shift)
    }
}

/// As many entries as a vector holds.
#[inline(always)]
pub(crate) fn vector<S: Simd, T: Element>(_: S, entries: &[T]) -> S::f64s {
    let mut values = [0.0; LANES];
    for (value, entry) in values.iter_mut().zip(&entries[..S::F64_LANES]) {
        *value = entry.to_f64();
    }
    S::as_simd_f64s(&values).0[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use faer::Mat;

    struct Multiply<'a, const SQUARE: bool, const MIRRORED: bool> {
        lines: &'a Lines<'a, f32>,
        product: Product<'a>,
    }

    impl<const SQUARE: bool, const MIRRORED: bool> pulp::WithSimd for Multiply<'_, SQUARE, MIRRORED> {
        type Output = Panel;
        fn with_simd<S: Simd>(mut self, simd: S) -> Panel {
            (self.product).visit::<S, f32, SQUARE, MIRRORED>(simd, self.lines);
            self.product.out
        }
    }

    /// Every remainder of the block sizes gives the plain products, with some rows and with their mirror image, on every
    /// instruction set of this machine.
    #[test]
    fn any_shape_is_the_plain_product() {
        fn check<const SQUARE: bool, const MIRRORED: bool>(rng: &mut Stream, shape: [usize; 3]) {
            let [count, eights, p] = shape;
            let (i0, j0, off) = (5, 32, 0.25);
            let n = j0 + eights * LANES;
            let rows: Vec<Vec<[f32; LANES]>> = (0..count)
                .map(|_| {
                    (0..eights)
                        .map(|_| [(); LANES].map(|()| rng.normal() as f32))
                        .collect()
                })
                .collect();
            let rows: Vec<&[[f32; LANES]]> = rows.iter().map(|row| &row[..]).collect();
            let lines = Lines {
                i: i0,
                j: j0,
                rows: &rows,
                columns: eights * LANES,
                off,
            };
            let entry = |i: usize, j: usize| {
                let a = f64::from(rows[i][j / LANES][j % LANES]);
                if SQUARE { a * a - off } else { a - off }
            };
            let columns = Mat::from_fn(n, p, |_, _| rng.normal());
            let panel = Panel::new(columns.as_ref(), 2.0);
            for arch in crate::isa::all() {
                let product = Product {
                    panel: &panel,
                    out: Panel::zeros(n, p),
                };
                let lines = &lines;
                let out = arch.dispatch(Multiply::<SQUARE, MIRRORED> { lines, product });
                let mut found = Mat::zeros(n, p);
                for (c, column) in found.col_iter_mut().enumerate() {
                    out.write(c, column);
                }
                for c in 0..p {
                    for at in 0..n {
                        let mut terms = Vec::new();
                        if (i0..i0 + count).contains(&at) {
                            terms.extend(
                                (0..n - j0).map(|j| entry(at - i0, j) * columns[(j0 + j, c)]),
                            );
                        }
                        if MIRRORED && at >= j0 {
                            terms.extend(
                                (0..count).map(|i| entry(i, at - j0) * columns[(i0 + i, c)]),
                            );
                        }
                        let sum: f64 = terms.iter().sum();
                        let size: f64 = terms.iter().map(|t| t.abs()).sum();
                        let error = (found[(at, c)] - 2.0 * sum).abs();
                        let bound = (2 + terms.len()) as f64 * f64::EPSILON * 2.0 * size;
                        assert!(
                            error <= bound,
                            "{shape:?} {SQUARE} {MIRRORED} {at}: {error:e}"
                        );
                    }
                }
            }
        }
        let mut rng = Stream::new(5);
        for eights in [1, 2, 5] {
            for p in [1, 4, 6, 9] {
                for count in [6, 12, 24] {
                    check::<true, true>(&mut rng, [count, eights, p]);
                    check::<false, true>(&mut rng, [count, eights, p]);
                }
                for count in 1..=7 {
                    check::<false, false>(&mut rng, [count, eights, p]);
                }
            }
        }
    }
}
