//! Prefetch hints: the processor is told what will be read soon, so that it arrives while there is other work.
//!
//! Large matrices are read tile by tile, and the hardware's own prefetcher does not see past the end of a row of a tile.
//! A hint reads nothing and changes no result; on machines other than x86-64 it does nothing.

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
