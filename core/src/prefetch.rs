//! Prefetch hints: the processor is told what will be read soon, so that it arrives while there is other work.
//!
//! Large matrices are read tile by tile, and the hardware's own prefetcher does not see past the end of a row of a tile.
//! A hint reads nothing and changes no result; on machines other than x86-64 it does nothing.

use faer::MatRef;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Hints that the cache line at `address` will be read; any address may be given.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; nothing is read, and no address can fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The tile of a row-major matrix that will be read after the one at hand, to be prefetched line by line.
#[derive(Clone, Copy)]
pub(crate) struct NextTile {
    address: *const u8,
    /// Bytes from one row to the next.
    row_stride: usize,
    /// Binary logarithm of how many cache lines a row of the tile takes.
    log_lines: u32,
    rows: usize,
}

impl NextTile {
    /// Nothing to prefetch.
    pub(crate) const NONE: Self = Self {
        address: std::ptr::null(),
        row_stride: 0,
        log_lines: 0,
        rows: 0,
    };

    /// A tile of `a`, by (first, count) of its rows and columns; none if the rows of `a` are not contiguous.
    #[inline(always)]
    pub(crate) fn new<T>(a: MatRef<'_, T>, rows: (usize, usize), columns: (usize, usize)) -> Self {
        if a.col_stride() != 1 || columns.1 == 0 || a.row_stride() < 0 {
            return Self::NONE;
        }
        let tile = a.submatrix(rows.0, columns.0, rows.1, columns.1);
        Self {
            address: tile.as_ptr().cast(),
            row_stride: a.row_stride().unsigned_abs() * size_of::<T>(),
            log_lines: (columns.1 * size_of::<T>())
                .div_ceil(LINE)
                .next_power_of_two()
                .ilog2(),
            rows: rows.1,
        }
    }

    /// Prefetches its cache line number `index`, counted row by row; none beyond the last.
    #[inline(always)]
    pub(crate) fn prefetch_line(self, index: usize) {
        let (row, line) = (index >> self.log_lines, index & ((1 << self.log_lines) - 1));
        if row < self.rows {
            prefetch(
                self.address
                    .wrapping_add(row * self.row_stride + line * LINE),
            );
        }
    }
}
