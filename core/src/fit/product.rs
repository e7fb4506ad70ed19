//! The inner loop of a fit: rows of proximities, centred in cache, times a few columns.
//!
//! Fitting multiplies the n × n old proximities by a block of vectors some dozens of times, in tiles that fit
//! in cache: [`load`] brings a tile onto the scale of inner products (any memory layout, either number type), the
//! caller centres it there, and [`multiply`] accumulates it.
//!
//! An output row is one chain of fused multiply-adds over the columns in order, whatever tile, block or thread it
//! was computed in.

use faer::MatRef;
use pulp::Simd;

use crate::input::kind::{Element, Kind, Scale};
use crate::prefetch::NextTile;

/// Columns of a tile: with [`TILE_ROWS`] rows it fills a quarter of a megabyte.
pub(crate) const TILE_COLUMNS: usize = 512;

/// From one row of a tile to the next: constant, so that the inner loop needs one pointer, and a
/// cache line more than the columns, so that rows do not fall on the same lines of the cache.
pub(crate) const STRIDE: usize = TILE_COLUMNS + 8;

/// Rows of a tile when fitting.
pub(crate) const TILE_ROWS: usize = 64;

/// Panels are padded to a multiple of this, the widest vector of any supported machine.
pub(crate) const LANES: usize = 8;

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

/// A few columns, stored row by row and padded with zeros, as the inner loop wants them.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub width: usize,
    values: Aligned,
}

impl Panel {
    pub(crate) fn new(columns: MatRef<'_, f64>) -> Self {
        let (n, p) = (columns.nrows(), columns.ncols());
        let width = p.next_multiple_of(LANES);
        let mut values = Aligned::zeros(n * width);
        for j in 0..p {
            for i in 0..n {
                values[i * width + j] = columns[(i, j)];
            }
        }
        Self { width, values }
    }

    /// The rows from `first` on, `count` of them.
    pub(crate) fn rows(&self, first: usize, count: usize) -> &[f64] {
        &self.values[first * self.width..(first + count) * self.width]
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

/// The largest of a row; −∞ of none.
#[inline(always)]
pub(crate) fn largest(row: &[f64]) -> f64 {
    let mut most = [f64::NEG_INFINITY; 16];
    let pieces = row.chunks_exact(16);
    let rest = pieces.remainder();
    for piece in pieces.chain(std::iter::once(rest)) {
        for (m, v) in most.iter_mut().zip(piece) {
            *m = if *v > *m { *v } else { *m };
        }
    }
    most.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// out += tile · panel, for `rows` rows of `columns` entries each; meanwhile `next_tile` is prefetched, a cache line
/// for each column.
#[inline(always)]
pub(crate) fn multiply<S: Simd, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    (rows, columns): (usize, usize),
    panel: &[f64],
    width: usize,
    out: &mut [f64],
    mut next_tile: NextTile,
) {
    // Eight rows by two vectors of 512 bits, or four by two of 256: what the registers hold.
    let step = if S::F64_LANES >= 8 { 8 } else { 4 };
    let mut i = 0;
    while i < rows {
        let take = if i + step <= rows { step } else { 1 };
        let tile = &tile[i * STRIDE..(i + take) * STRIDE];
        let out = &mut out[i * width..(i + take) * width];
        match take {
            8 => rows_of::<S, 8, STRIDE>(simd, tile, columns, panel, width, out, next_tile),
            4 => rows_of::<S, 4, STRIDE>(simd, tile, columns, panel, width, out, next_tile),
            _ => rows_of::<S, 1, STRIDE>(simd, tile, columns, panel, width, out, next_tile),
        }
        i += take;
        next_tile = NextTile::NONE;
    }
}

#[inline(always)]
fn rows_of<S: Simd, const M: usize, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    columns: usize,
    panel: &[f64],
    width: usize,
    out: &mut [f64],
    mut next_tile: NextTile,
) {
    let mut at = 0;
    while at < width {
        if at + 2 * S::F64_LANES <= width {
            block::<S, M, 2, STRIDE>(simd, tile, columns, panel, (width, at), out, next_tile);
            at += 2 * S::F64_LANES;
            next_tile = NextTile::NONE;
        } else {
            block::<S, M, 1, STRIDE>(simd, tile, columns, panel, (width, at), out, next_tile);
            at += S::F64_LANES;
        }
    }
}

/// M rows by N vectors of columns, starting at column `at`, kept in registers throughout.
#[inline(always)]
fn block<S: Simd, const M: usize, const N: usize, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    columns: usize,
    panel: &[f64],
    (width, at): (usize, usize),
    out: &mut [f64],
    next_tile: NextTile,
) {
    let span = N * S::F64_LANES;
    assert!(tile.len() >= M * STRIDE && columns <= STRIDE);
    let mut sums: [[S::f64s; N]; M] = std::array::from_fn(|i| {
        let (vectors, _) = S::as_simd_f64s(&out[i * width + at..i * width + at + span]);
        std::array::from_fn(|v| vectors[v])
    });
    for (j, line) in panel.chunks_exact(width).take(columns).enumerate() {
        next_tile.prefetch_line(j);
        let (vectors, _) = S::as_simd_f64s(&line[at..at + span]);
        let factors: [S::f64s; N] = std::array::from_fn(|v| vectors[v]);
        for i in 0..M {
            let entry = simd.splat_f64s(tile[i * STRIDE + j]);
            for v in 0..N {
                sums[i][v] = simd.mul_add_f64s(entry, factors[v], sums[i][v]);
            }
        }
    }
    for i in 0..M {
        let (vectors, _) = S::as_mut_simd_f64s(&mut out[i * width + at..i * width + at + span]);
        vectors.copy_from_slice(&sums[i]);
    }
}

/// out += tile' · panel, for `rows` rows of `columns` entries each: the other half of a symmetric product.
#[inline(always)]
pub(crate) fn multiply_transposed<S: Simd, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    (rows, columns): (usize, usize),
    panel: &[f64],
    width: usize,
    out: &mut [f64],
) {
    let step = if S::F64_LANES >= 8 { 8 } else { 4 };
    let mut i = 0;
    while i < rows {
        let take = if i + step <= rows { step } else { 1 };
        let tile = &tile[i * STRIDE..(i + take) * STRIDE];
        let panel = &panel[i * width..(i + take) * width];
        match take {
            8 => transposed_rows_of::<S, 8, STRIDE>(simd, tile, columns, panel, width, out),
            4 => transposed_rows_of::<S, 4, STRIDE>(simd, tile, columns, panel, width, out),
            _ => transposed_rows_of::<S, 1, STRIDE>(simd, tile, columns, panel, width, out),
        }
        i += take;
    }
}

#[inline(always)]
fn transposed_rows_of<S: Simd, const M: usize, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    columns: usize,
    panel: &[f64],
    width: usize,
    out: &mut [f64],
) {
    let mut at = 0;
    while at < width {
        if at + 2 * S::F64_LANES <= width {
            transposed_block::<S, M, 2, STRIDE>(simd, tile, columns, panel, (width, at), out);
            at += 2 * S::F64_LANES;
        } else {
            transposed_block::<S, M, 1, STRIDE>(simd, tile, columns, panel, (width, at), out);
            at += S::F64_LANES;
        }
    }
}

/// M rows of the panel by N vectors of its columns, kept in registers while the lines of `out` pass by.
#[inline(always)]
fn transposed_block<S: Simd, const M: usize, const N: usize, const STRIDE: usize>(
    simd: S,
    tile: &[f64],
    columns: usize,
    panel: &[f64],
    (width, at): (usize, usize),
    out: &mut [f64],
) {
    let span = N * S::F64_LANES;
    assert!(tile.len() >= M * STRIDE && columns <= STRIDE);
    let factors: [[S::f64s; N]; M] = std::array::from_fn(|i| {
        let (vectors, _) = S::as_simd_f64s(&panel[i * width + at..i * width + at + span]);
        std::array::from_fn(|v| vectors[v])
    });
    for (j, line) in out.chunks_exact_mut(width).take(columns).enumerate() {
        let (vectors, _) = S::as_mut_simd_f64s(&mut line[at..at + span]);
        let mut sums: [S::f64s; N] = std::array::from_fn(|v| vectors[v]);
        for i in 0..M {
            let entry = simd.splat_f64s(tile[i * STRIDE + j]);
            for v in 0..N {
                sums[v] = simd.mul_add_f64s(entry, factors[i][v], sums[v]);
            }
        }
        vectors.copy_from_slice(&sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use faer::Mat;

    struct Multiply<'a>(&'a [f64], (usize, usize), &'a Panel, &'a mut [f64]);

    impl pulp::WithSimd for Multiply<'_> {
        type Output = ();
        fn with_simd<S: Simd>(self, simd: S) {
            let Multiply(tile, shape, panel, out) = self;
            multiply::<S, STRIDE>(
                simd,
                tile,
                shape,
                panel.rows(0, shape.1),
                panel.width,
                out,
                NextTile::NONE,
            );
        }
    }

    struct Transposed<'a>(&'a [f64], (usize, usize), &'a Panel, &'a mut [f64]);

    impl pulp::WithSimd for Transposed<'_> {
        type Output = ();
        fn with_simd<S: Simd>(self, simd: S) {
            let Transposed(tile, shape, panel, out) = self;
            let lines = panel.rows(0, shape.0);
            multiply_transposed::<S, STRIDE>(simd, tile, shape, lines, panel.width, out);
        }
    }

    /// So does the product with the transpose.
    #[test]
    fn any_shape_is_the_plain_transposed_product() {
        let mut rng = Stream::new(6);
        for rows in 1..18 {
            for columns in [1, 2, 7, 33] {
                for p in [1, 3, 8, 9, 17, 30] {
                    let a: Vec<f64> = (0..rows * STRIDE).map(|_| rng.normal()).collect();
                    let v = Mat::from_fn(rows, p, |_, _| rng.normal());
                    let panel = Panel::new(v.as_ref());
                    let mut out = Aligned::zeros(columns * panel.width);
                    let arch = pulp::Arch::new();
                    arch.dispatch(Transposed(&a, (rows, columns), &panel, &mut out));
                    for l in 0..columns {
                        for j in 0..p {
                            let terms = (0..rows).map(|i| a[i * STRIDE + l] * v[(i, j)]);
                            let (sum, size) = terms
                                .fold((0.0, 0.0), |(s, m): (f64, f64), t| (s + t, m + t.abs()));
                            let error = (out[l * panel.width + j] - sum).abs();
                            assert!(error <= rows as f64 * f64::EPSILON * size);
                        }
                    }
                }
            }
        }
    }

    /// Every remainder of the block sizes gives the plain product, and a row alone the same bits.
    #[test]
    fn any_shape_is_the_plain_product() {
        let mut rng = Stream::new(5);
        for rows in 1..18 {
            for columns in [1, 2, 7, 33] {
                for p in [1, 3, 8, 9, 17, 30] {
                    let a: Vec<f64> = (0..rows * STRIDE).map(|_| rng.normal()).collect();
                    let v = Mat::from_fn(columns, p, |_, _| rng.normal());
                    let panel = Panel::new(v.as_ref());
                    let mut out = vec![0.0; rows * panel.width];
                    let arch = pulp::Arch::new();
                    arch.dispatch(Multiply(&a, (rows, columns), &panel, &mut out));
                    for i in 0..rows {
                        let row = &a[i * STRIDE..(i + 1) * STRIDE];
                        for j in 0..p {
                            let terms = (0..columns).map(|l| row[l] * v[(l, j)]);
                            let (sum, size) = terms
                                .fold((0.0, 0.0), |(s, m): (f64, f64), t| (s + t, m + t.abs()));
                            let error = (out[i * panel.width + j] - sum).abs();
                            assert!(error <= columns as f64 * f64::EPSILON * size);
                        }
                        let mut alone = vec![0.0; panel.width];
                        arch.dispatch(Multiply(row, (1, columns), &panel, &mut alone));
                        assert_eq!(alone, out[i * panel.width..(i + 1) * panel.width]);
                    }
                }
            }
        }
    }
}
