//! How new proximities lie in memory, and so how they are read.
//!
//! The k × n proximities come by newcomer (row-major, as scikit-learn has them) or by old object (column-major, as a table
//! with a column for each newcomer and R have them), and each order has kernels of its own ([`super::sweep`]), so that
//! neither is ever transposed as a whole. Whatever is in neither order goes through a copy of a stretch at a time.

use faer::MatRef;

use crate::fit::diagram::Diagram;
use crate::fit::product::LANES;
use crate::input::kind::{Element, Kind};

/// With fewer old objects a newcomer is copied before it is read, so that small problems have the same bits in any layout.
const FEWEST_BY_OBJECT: usize = 256;

/// How newcomers are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Layout {
    /// Each newcomer's proximities are contiguous.
    ByNewcomer,
    /// Each old object's proximities are contiguous.
    ByObject,
    /// Neither, or few, or corrected one by one: a stretch is copied before it is read.
    Copied,
}

impl Layout {
    /// The layout of a k × n matrix of new proximities.
    pub(super) fn of<T: Element>(a: MatRef<'_, T>, diagram: &Diagram) -> Self {
        if corrects(diagram) {
            Self::Copied
        } else if a.col_stride() == 1 {
            Self::ByNewcomer
        } else if a.row_stride() == 1 && a.ncols() >= FEWEST_BY_OBJECT {
            Self::ByObject
        } else {
            Self::Copied
        }
    }
}

/// Whether there is a correction that a newcomer's proximities need.
pub(super) fn corrects(diagram: &Diagram) -> bool {
    diagram.scale().corrects() && diagram.kind() != Kind::Similarity
}

/// The rows of eight newcomers of a column-major matrix, transposed, as one of them is wanted again and the others
/// may be: alone it would take a cache line of every column.
pub(super) struct TransposedBlock<T> {
    values: Vec<T>,
    /// The first of the eight.
    first: usize,
}

impl<T: Element> TransposedBlock<T> {
    /// No newcomers yet.
    pub(super) fn empty() -> Self {
        Self {
            values: Vec::new(),
            first: 0,
        }
    }

    /// The eight rows of `a`, or fewer at the end, among whom `i` is number i mod 8.
    pub(super) fn around(&mut self, a: MatRef<'_, T>, i: usize) -> MatRef<'_, T> {
        let first = i - i % LANES;
        let count = LANES.min(a.nrows() - first);
        if self.values.is_empty() || self.first != first {
            self.first = first;
            self.values.resize(count * a.ncols(), T::from_f64(0.0));
            for j in 0..a.ncols() {
                for l in 0..count {
                    self.values[l * a.ncols() + j] = a[(first + l, j)];
                }
            }
        }
        MatRef::from_row_major_slice(&self.values, count, a.ncols())
    }
}
