//! Proximities that are made when they are asked for, a few rows at a time.
//!
//! Features, graphs and files all answer the same question: "the proximities of these objects to those".
//! Whoever needs k × n of them asks for a block of rows, uses it, and asks for the next, so that no k × n
//! matrix is formed.

use std::ops::Range;

use faer::MatRef;

use crate::error::Error;

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

impl Rows for MatRef<'_, f64> {
    fn rows(&self) -> usize {
        self.nrows()
    }

    fn columns(&self) -> usize {
        self.ncols()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for (i, row) in range.zip(out.chunks_exact_mut(self.ncols().max(1))) {
            for (j, value) in row.iter_mut().enumerate() {
                *value = self[(i, j)];
            }
        }
        Ok(())
    }
}
