//! The centred matrix B as something to multiply by, without forming it.
//!
//! The eigensolver asks for B V, a few columns at a time, and as
//!
//! ```text
//! B = (I − ew')(T − c ee')(I − we')        T = [t(ξ_i, ξ_j)], any c
//! ```
//!
//! V is centred before and the product after, and T is what is read in between: one triangle only, each entry serving both places where
//! it stands, as it lies in memory where it can ([`triangle`]) and otherwise tile by tile in cache. The constant c = m keeps the entries
//! that are multiplied small beside a large common part, which (I − ew') would otherwise have to cancel.

use faer::{ColRef, Mat, MatMut, MatRef};

use crate::error::Error;
use crate::fit::centring::Centring;
use crate::fit::product::{self, LANES, Panel, Product, STRIDE, TILE_COLUMNS, TILE_ROWS};
use crate::fit::triangle::{self, Walk};
use crate::input::kind::{Element, Kind, Scale};
use crate::isa;
use crate::run;

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

    /// Fills `tile`, of rows `STRIDE` apart, with rows `i0..i0+rows`, columns `j0..j0+columns` of T − c ee' over a factor.
    #[inline(always)]
    pub(super) fn load<const STRIDE: usize>(
        &self,
        (factor, c): (f64, f64),
        rows: (usize, usize),
        columns: (usize, usize),
        tile: &mut [f64],
    ) {
        let scale = (&self.scale, factor);
        product::load_unscaled::<T, STRIDE>(self.entries, rows, columns, scale, c, tile);
        let ((i0, rows), (j0, columns)) = (rows, columns);
        for i in i0.max(j0)..(i0 + rows).min(j0 + columns) {
            let itself = self.scale.itself(self.entries[(i, i)].to_f64());
            tile[(i - i0) * STRIDE + i - j0] = (itself - c) / factor;
        }
    }

    /// What the entries are multiplied by after all else, so that the inner loop has less to do: a power of two; 1 if there
    /// is a correction, or if the numbers are of a size that no map is made of.
    pub(super) fn factor(&self) -> f64 {
        let unit = self.scale.unit * self.scale.unit;
        if self.scale.corrects() || !(2f64.powi(-500)..2f64.powi(500)).contains(&unit) {
            return 1.0;
        }
        match self.scale.kind {
            Kind::Similarity => unit,
            Kind::Squared | Kind::Dissimilarity => -0.5 * unit,
        }
    }

    /// Whether an entry is squared, where that and a constant that is taken off are all that is done to it over the factor.
    pub(super) fn squares(&self) -> Option<bool> {
        let plain = self.scale.kind == Kind::Similarity && self.scale.unit == 1.0;
        (plain || self.factor() != 1.0).then_some(self.scale.kind == Kind::Dissimilarity)
    }

    /// Some rows from row `i` on as they lie in memory, in eights from column `j` on; false if they are not contiguous.
    #[inline(always)]
    pub(super) fn rows(
        &self,
        i: usize,
        (j, columns): (usize, usize),
        rows: &mut [&'a [[T; LANES]]],
    ) -> bool {
        (rows.iter_mut().zip(i..)).all(|(out, i)| {
            let row = self.entries.row(i).try_as_row_major();
            row.inspect(|row| *out = row.as_slice()[j..j + columns].as_chunks().0)
                .is_some()
        })
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
            isa::arch().dispatch(Squares {
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
        let mut v = v.to_owned();
        if let Some(means) = self.means {
            for column in v.col_iter_mut() {
                let sum = sum(column.as_ref());
                match &means.weights {
                    None => column.iter_mut().for_each(|v| *v -= sum / n as f64),
                    Some(w) => column.iter_mut().zip(w).for_each(|(v, w)| *v -= sum * w),
                }
            }
        }
        let (arch, factor) = (isa::arch(), self.factor());
        let panel = Panel::new(v.as_ref(), factor);
        let threads = run::threads_meant(self.threads).min(triangle::count(n));
        let mut parts = run::map(threads, threads, None, |thread| {
            let walk = Walk {
                matrix: self,
                factor,
                c: self.means.map_or(0.0, |means| means.grand_mean),
                share: (thread, threads),
            };
            let out = Panel::zeros(n, v.ncols());
            let product = Product { panel: &panel, out };
            arch.dispatch(Share { walk, product })
        })?;
        if let [all, others @ ..] = &mut parts[..] {
            others.iter().for_each(|part| all.add(part));
            for (c, column) in out.as_mut().col_iter_mut().enumerate() {
                all.write(c, column);
            }
        }
        if let Some(means) = self.means {
            for column in out.col_iter_mut() {
                let mean = match &means.weights {
                    None => sum(column.as_ref()) / n as f64,
                    Some(w) => column.as_ref().iter().zip(w).map(|(u, w)| u * w).sum(),
                };
                column.iter_mut().for_each(|u| *u -= mean);
            }
        }
        Ok(())
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

/// The sum of a column.
fn sum(column: ColRef<'_, f64>) -> f64 {
    match column.try_as_col_major() {
        Some(column) => product::sum(column.as_slice()),
        None => column.iter().sum(),
    }
}

/// A difference from ‖T‖² that is more than this share of it has nine digits or more.
const MUCH_LEFT: f64 = 1e-6;

/// Rows that are looked at together.
const STRIP: usize = 8;

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

/// One thread's share of (T − c ee') V, V centred.
struct Share<'a, 'b, T: Element> {
    walk: Walk<'a, 'b, T>,
    product: Product<'b>,
}

impl<T: Element> pulp::WithSimd for Share<'_, '_, T> {
    type Output = Panel;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, simd: S) -> Panel {
        self.walk.all(simd, &mut self.product);
        self.product.out
    }
}
