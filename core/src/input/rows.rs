//! Proximities that are made when they are asked for, a few rows at a time.
//!
//! Features, graphs and files all answer the same question: "the proximities of these objects to those".
//! Whoever needs k × n of them asks for a block of rows, uses it, and asks for the next, so that no k × n
//! matrix is formed.

use std::ops::Range;
use std::sync::Mutex;

use faer::MatRef;

use crate::error::Error;
use crate::input::kind::Element;
use crate::memory;
use crate::run::Run;

/// Numbers of a band that one thread fills at a time.
const COLLECTED: usize = 1 << 18;

/// A rectangle of proximities, by blocks of rows.
pub trait Rows: Sync {
    /// How many rows there are: the objects that are asked about.
    fn rows(&self) -> usize;

    /// How many columns there are: the objects they are compared with.
    fn columns(&self) -> usize;

    /// Writes the given rows to `out`, one after the other: `range.len()` × `columns` numbers.
    ///
    /// A row is the same, bit for bit, in whatever block it is asked for. Called from several threads at once.
    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error>;
}

impl<T: Element> Rows for MatRef<'_, T> {
    fn rows(&self) -> usize {
        self.nrows()
    }

    fn columns(&self) -> usize {
        self.ncols()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for (i, row) in range.zip(out.chunks_exact_mut(self.ncols().max(1))) {
            for (j, value) in row.iter_mut().enumerate() {
                *value = self[(i, j)].to_f64();
            }
        }
        Ok(())
    }
}

/// Some columns of a square.
pub(crate) struct Columns<'a, T: Element> {
    pub square: MatRef<'a, T>,
    pub which: &'a [usize],
}

impl<T: Element> Rows for Columns<'_, T> {
    fn rows(&self) -> usize {
        self.square.nrows()
    }

    fn columns(&self) -> usize {
        self.which.len()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for (i, line) in range.zip(out.chunks_exact_mut(self.which.len().max(1))) {
            for (v, &j) in line.iter_mut().zip(self.which) {
                *v = self.square[(i, j)].to_f64();
            }
        }
        Ok(())
    }
}

/// All rows at once, row by row: for rectangles that are known to be small.
pub fn collect(rows: &dyn Rows, run: Run<'_>) -> Result<Vec<f64>, Error> {
    let (k, n) = (rows.rows(), rows.columns());
    let mut all = memory::zeros(k, n)?;
    if all.is_empty() {
        return Ok(all);
    }
    let step = (COLLECTED / n).clamp(1, k.div_ceil(run.count()));
    let bands: Vec<Mutex<&mut [f64]>> = all.chunks_mut(step * n).map(Mutex::new).collect();
    let done = run.map("comparing objects", bands.len(), |b| {
        let range = b * step..((b + 1) * step).min(k);
        match bands[b].lock() {
            Ok(mut band) => rows.fill(range, &mut band),
            Err(_) => Err(Error::Stopped),
        }
    })?;
    drop(bands);
    done.into_iter().collect::<Result<(), _>>()?;
    Ok(all)
}

/// Numbers in a block: eight megabytes of them.
const BLOCK: usize = 1 << 20;

/// Rows in a block of `columns` columns each.
pub(crate) fn block_rows(columns: usize) -> usize {
    (BLOCK / columns.max(1)).clamp(1, 64)
}

/// Runs `work` over blocks of consecutive rows in parallel: it gets the number of the first row and the block,
/// row by row. Their answers come back in order, or the first of their errors.
pub(crate) fn blocks<R: Send>(
    rows: &dyn Rows,
    run: Run<'_>,
    task: &'static str,
    work: impl Fn(usize, &mut [f64]) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let (count, columns) = (rows.rows(), rows.columns());
    let step = block_rows(columns);
    let answers = run.map(task, count.div_ceil(step), |block| {
        let first = block * step;
        let last = (first + step).min(count);
        let mut numbers = vec![0.0; (last - first) * columns];
        rows.fill(first..last, &mut numbers)?;
        work(first, &mut numbers)
    })?;
    answers.into_iter().collect()
}
