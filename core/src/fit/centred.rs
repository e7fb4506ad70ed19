//! The centred matrix B as something to multiply by, without forming it.
//!
//! The eigensolver asks for B V, a few columns at a time, and as
//!
//! ```text
//! B = (I − ew')(T − c ee')(I − we')        T = [t(ξ_i, ξ_j)], any c
//! ```
//!
//! V is centred before and the product after, and T is what is read in between: brought onto scale tile by tile in
//! cache, one triangle only, each entry serving both places where it stands. The constant c = m keeps the entries that
//! are multiplied small beside a large common part, which (I − ew') would otherwise have to cancel.

use faer::{Mat, MatMut, MatRef};

use crate::error::Error;
use crate::fit::centring::Centring;
use crate::fit::product::{self, Aligned, Panel, STRIDE, TILE_COLUMNS, TILE_ROWS};
use crate::input::kind::{Element, Scale};
use crate::prefetch::NextTile;
use crate::run;

/// What is seen of the entries while their rows are summed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Looked {
    /// Σ_ij t_ij².
    pub squares: f64,
    /// The largest t_ij of each object and another.
    pub nearest: Vec<f64>,
}

/// The n × n matrix B = [b(ξ_i, ξ_j)], as something to multiply by.
#[derive(Clone, Copy)]
pub(crate) struct Centred<'a, T: Element> {
    entries: MatRef<'a, T>,
    scale: Scale,
    means: Option<&'a Centring>,
    threads: usize,
}

impl<'a, T: Element> Centred<'a, T> {
    pub(crate) fn new(
        entries: MatRef<'a, T>,
        scale: Scale,
        means: &'a Centring,
        threads: usize,
    ) -> Self {
        Self {
            means: Some(means),
            ..Self::uncentred(entries, scale, threads)
        }
    }

    /// T itself, without the means.
    pub(crate) fn uncentred(entries: MatRef<'a, T>, scale: Scale, threads: usize) -> Self {
        // A symmetric matrix in column-major order is the same matrix in row-major order.
        let entries = if entries.col_stride() == 1 {
            entries
        } else {
            entries.transpose()
        };
        Self {
            entries,
            scale,
            means: None,
            threads,
        }
    }

    /// The number of objects.
    pub(crate) fn count(&self) -> usize {
        self.entries.nrows()
    }

    /// Fills `tile` with rows `i0..i0+rows`, columns `j0..j0+columns` of B.
    #[inline(always)]
    fn tile(&self, rows: (usize, usize), columns: (usize, usize), tile: &mut [f64]) {
        product::load(self.entries, rows, columns, &self.scale, tile);
        let ((i0, rows), (j0, columns)) = (rows, columns);
        for i in i0.max(j0)..(i0 + rows).min(j0 + columns) {
            tile[(i - i0) * STRIDE + i - j0] = self.scale.itself(self.entries[(i, i)].to_f64());
        }
        if let Some(means) = self.means {
            let lines = tile.chunks_exact_mut(STRIDE).take(rows);
            for (line, r) in lines.zip(&means.row_means[i0..]) {
                let shift = r - means.grand_mean;
                for (v, r) in line.iter_mut().zip(&means.row_means[j0..j0 + columns]) {
                    *v -= r + shift;
                }
            }
        }
    }

    /// Runs `work` over bands of rows in parallel and strings their answers together.
    fn bands<R: Send>(
        &self,
        work: impl Fn(usize, usize) -> Vec<R> + Sync,
    ) -> Result<Vec<R>, Error> {
        let n = self.count();
        let bands = run::map(self.threads, n.div_ceil(TILE_ROWS), None, |band| {
            let i0 = band * TILE_ROWS;
            work(i0, TILE_ROWS.min(n - i0))
        })?;
        Ok(bands.into_iter().flatten().collect())
    }

    /// Σ_j w_j t_ij for each i, plain sums if there is no w; and what else was seen.
    pub(crate) fn row_sums(&self, w: Option<&[f64]>) -> Result<(Vec<f64>, Looked), Error> {
        debug_assert!(self.means.is_none());
        let n = self.count();
        let w = Mat::from_fn(n, 1, |i, _| w.map_or(1.0, |w| w[i]));
        let (panel, parts) = self.parts(w.as_ref(), true)?;
        let sums = (0..n).map(|i| parts.iter().map(|p| p.0[i * panel.width]).sum());
        let nearest = (0..n).map(|i| {
            let each = parts.iter().map(|p| p.1.nearest[i]);
            each.fold(f64::NEG_INFINITY, f64::max)
        });
        let looked = Looked {
            squares: parts.iter().map(|p| p.1.squares).sum(),
            nearest: nearest.collect(),
        };
        Ok((sums.collect(), looked))
    }

    /// Σ_ij b_ij² from Σ_ij t_ij²: as b_ij = t_ij − r_i − r_j + m, it is less by 2n Σr² − n²m². Where digits would be
    /// missed in what it exceeds `shown` by, or for another origin than the centroid, the entries are looked at.
    pub(crate) fn squared_norm_from(&self, squares: f64, shown: f64) -> Result<f64, Error> {
        let n = self.count() as f64;
        let shortcut = self.means.filter(|m| m.weights.is_none()).map(|means| {
            let rows: f64 = means.row_means.iter().map(|r| r * r).sum();
            squares - 2.0 * n * rows + (n * means.grand_mean).powi(2)
        });
        match shortcut {
            Some(value) if value - shown > MUCH_LEFT * squares => Ok(value),
            _ => self.squared_norm(),
        }
    }

    /// Σ_ij b_ij², of which one triangle is looked at.
    pub(crate) fn squared_norm(&self) -> Result<f64, Error> {
        let above = self.bands(|i0, rows| {
            pulp::Arch::new().dispatch(Squares {
                matrix: self,
                i0,
                rows,
            })
        })?;
        let diagonal: f64 = self.diagonal().iter().map(|v| v * v).sum();
        Ok(2.0 * product::sum(&above) + diagonal)
    }

    /// Σ_{j > i} b_ij² for each of a few i.
    #[inline(always)]
    fn squares_above_diagonal(&self, i0: usize, rows: usize) -> Vec<f64> {
        let n = self.count();
        let mut sums = vec![0.0; rows];
        let mut tile = vec![0.0; STRIP * STRIDE];
        for first in (i0..i0 + rows).step_by(STRIP) {
            let count = STRIP.min(i0 + rows - first);
            for j0 in (first..n).step_by(TILE_COLUMNS) {
                let columns = TILE_COLUMNS.min(n - j0);
                self.tile((first, count), (j0, columns), &mut tile);
                for (i, line) in (first..).zip(tile.chunks_exact(STRIDE).take(count)) {
                    let above = (i + 1).saturating_sub(j0).min(columns);
                    sums[i - i0] += product::sum_of_squares(&line[above..columns]);
                }
            }
        }
        sums
    }

    /// b_ii for each i.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let mut cell = [0.0; STRIDE];
        (0..self.count())
            .map(|i| {
                self.tile((i, 1), (i, 1), &mut cell);
                cell[0]
            })
            .collect()
    }

    /// out = B V, as the module head has it.
    pub(crate) fn multiply(
        &self,
        v: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), Error> {
        let n = self.count();
        let (panel, parts) = self.parts(v, false)?;
        let w = panel.width;
        for j in 0..out.ncols() {
            for i in 0..n {
                out[(i, j)] = parts.iter().map(|p| p.0[i * w + j]).sum();
            }
        }
        if let Some(means) = self.means {
            for column in out.col_iter_mut() {
                let mean = match &means.weights {
                    None => column.as_ref().iter().sum::<f64>() / n as f64,
                    Some(w) => column.as_ref().iter().zip(w).map(|(u, w)| u * w).sum(),
                };
                column.iter_mut().for_each(|u| *u -= mean);
            }
        }
        Ok(())
    }

    /// (T − c ee')(I − we')V, to be added up over the threads; and, if wanted, what is seen of the entries.
    fn parts(
        &self,
        v: MatRef<'_, f64>,
        look: bool,
    ) -> Result<(Panel, Vec<(Aligned, Looked)>), Error> {
        let n = self.count();
        let mut v = v.to_owned();
        if let Some(means) = self.means {
            for column in v.col_iter_mut() {
                let sum: f64 = column.as_ref().iter().sum();
                match &means.weights {
                    None => column.iter_mut().for_each(|v| *v -= sum / n as f64),
                    Some(w) => column.iter_mut().zip(w).for_each(|(v, w)| *v -= sum * w),
                }
            }
        }
        let panel = Panel::new(v.as_ref());
        let threads = run::threads_meant(self.threads).min(n.div_ceil(TILE_ROWS));
        let parts = run::map(threads, threads, None, |thread| {
            pulp::Arch::new().dispatch(Share {
                matrix: self,
                thread,
                threads,
                panel: &panel,
                look,
            })
        })?;
        Ok((panel, parts))
    }

    /// All of B, for the dense eigensolver.
    pub(crate) fn dense(&self) -> Result<Mat<f64>, Error> {
        let n = self.count();
        let rows = self.bands(|i0, rows| {
            let mut out = vec![0.0; rows * n];
            let mut tile = vec![0.0; rows * STRIDE];
            for j0 in (0..n).step_by(TILE_COLUMNS) {
                let columns = TILE_COLUMNS.min(n - j0);
                self.tile((i0, rows), (j0, columns), &mut tile);
                for (line, out) in tile.chunks_exact(STRIDE).zip(out.chunks_exact_mut(n)) {
                    out[j0..j0 + columns].copy_from_slice(&line[..columns]);
                }
            }
            out
        })?;
        Ok(Mat::from_fn(n, n, |i, j| rows[j * n + i]))
    }
}

/// A difference from ‖T‖² that is more than this share of it has nine digits or more.
const MUCH_LEFT: f64 = 1e-6;

/// Rows that are multiplied together: what the registers hold.
const STRIP: usize = 8;

/// Columns that are brought onto scale and multiplied while they are in the innermost cache.
const STRIP_COLUMNS: usize = 64;

/// From one row of such a tile to the next.
const STRIP_STRIDE: usize = STRIP_COLUMNS + 8;

/// Σ_{j > i} b_ij² for each of a few i, by SIMD.
struct Squares<'a, 'b, T: Element> {
    matrix: &'b Centred<'a, T>,
    i0: usize,
    rows: usize,
}

impl<T: Element> pulp::WithSimd for Squares<'_, '_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<f64> {
        self.matrix.squares_above_diagonal(self.i0, self.rows)
    }
}

impl Looked {
    /// Takes in a tile right of the diagonal, whose entries stand for both their places, or on it.
    #[inline(always)]
    fn take(&mut self, tile: &[f64], (i, rows): (usize, usize), (j, columns): (usize, usize)) {
        let lines = tile.chunks_exact(STRIP_STRIDE).take(rows);
        let mut squares = 0.0;
        for (l, line) in lines.enumerate() {
            let line = &line[..columns];
            squares += product::sum_of_squares(line);
            if j == i {
                // Nobody is nearest to itself; the other triangle has the same entries.
                let (before, after) = (&line[..l], &line[l + 1..]);
                let most = product::largest(before).max(product::largest(after));
                self.nearest[i + l] = self.nearest[i + l].max(most);
                continue;
            }
            self.nearest[i + l] = self.nearest[i + l].max(product::largest(line));
            for (most, t) in self.nearest[j..j + columns].iter_mut().zip(line) {
                *most = if *t > *most { *t } else { *most };
            }
        }
        self.squares += if j == i { 1.0 } else { 2.0 } * squares;
    }
}

/// One thread's share of T V: strips of rows of the upper triangle, load-balanced.
struct Share<'a, 'b, T: Element> {
    matrix: &'b Centred<'a, T>,
    thread: usize,
    threads: usize,
    panel: &'b Panel,
    /// Whether the entries are looked at too.
    look: bool,
}

impl<T: Element> pulp::WithSimd for Share<'_, '_, T> {
    type Output = (Aligned, Looked);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Self::Output {
        let Share {
            matrix,
            thread,
            threads,
            panel,
            look,
        } = self;
        let (n, width) = (matrix.count(), panel.width);
        let c = matrix.means.map_or(0.0, |m| m.grand_mean);
        let mut looked = Looked {
            squares: 0.0,
            nearest: vec![f64::NEG_INFINITY; if look { n } else { 0 }],
        };
        let mut out = Aligned::zeros(n * width);
        let mut tile = Aligned::zeros(STRIP * STRIP_STRIDE);
        for (strip, i) in (0..n).step_by(STRIP).enumerate() {
            // Strips get shorter: to and fro, so that nobody has the longer one each time.
            let (round, place) = (strip / threads, strip % threads);
            let turn = if round % 2 == 0 {
                place
            } else {
                threads - 1 - place
            };
            if turn != thread {
                continue;
            }
            let rows = STRIP.min(n - i);
            let (above, below) = out.split_at_mut((i + rows) * width);
            let mine = &mut above[i * width..];
            let mut j = i;
            while j < n {
                // The square on the diagonal first, whole; then what is right of it, for both of its places.
                let columns = if j == i {
                    rows
                } else {
                    STRIP_COLUMNS.min(n - j)
                };
                let here = (matrix.entries, (i, rows), (j, columns));
                product::load_shifted::<T, STRIP_STRIDE>(
                    here.0,
                    here.1,
                    here.2,
                    &matrix.scale,
                    c,
                    &mut tile,
                );
                let next = j + columns;
                let next_tile = NextTile::new(
                    matrix.entries,
                    (i, rows),
                    (next, STRIP_COLUMNS.min(n - next)),
                );
                if j == i {
                    for l in 0..rows {
                        let itself = matrix.entries[(i + l, i + l)].to_f64();
                        tile[l * STRIP_STRIDE + l] = matrix.scale.itself(itself) - c;
                    }
                }
                if look {
                    looked.take(&tile, (i, rows), (j, columns));
                }
                let shape = (rows, columns);
                product::multiply::<S, STRIP_STRIDE>(
                    simd,
                    &tile,
                    shape,
                    panel.rows(j, columns),
                    width,
                    mine,
                    next_tile,
                );
                if j > i {
                    let out = &mut below[(j - i - rows) * width..];
                    product::multiply_transposed::<S, STRIP_STRIDE>(
                        simd,
                        &tile,
                        shape,
                        panel.rows(i, rows),
                        width,
                        out,
                    );
                }
                j = next;
            }
        }
        (out, looked)
    }
}
