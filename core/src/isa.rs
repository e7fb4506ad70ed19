//! The instruction set that the kernels run on: the widest vectors of the machine, found at run time.
//!
//! The same source is compiled for every set, so a machine can show every path that it has: `bench/run --isa` forces one before
//! anything is computed, and tests go through all of them. That is the only setting of this crate that is the process's and not
//! the caller's; nothing but measuring programs sets it. Matrix products of the linear algebra library are not affected.

use std::sync::OnceLock;

static FORCED: OnceLock<pulp::Arch> = OnceLock::new();

/// What kernels are dispatched to.
#[inline]
pub(crate) fn arch() -> pulp::Arch {
    FORCED.get().copied().unwrap_or_default()
}

/// Dispatches a loop that the compiler makes SIMD of. What is not inlined into the function that is compiled for the instruction
/// set is compiled for the oldest machine, whatever the dispatch: so the loop is a [`Loop`], and its closure always inlined.
macro_rules! vectorised {
    ($arch:expr, $loop:expr) => {
        $arch.dispatch(crate::isa::Loop(
            #[inline(always)]
            || $loop,
        ))
    };
}
pub(crate) use vectorised;

/// A closure to be dispatched. Called as `FnOnce`, as the library would, one that does not consume anything goes through a
/// function that the compiler makes for it, and that nothing makes it inline.
pub(crate) struct Loop<F>(pub F);

impl<T, F: FnMut() -> T> pulp::WithSimd for Loop<F> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) -> T {
        (self.0)()
    }
}

/// Makes all kernels of this process use `word`, one of `scalar`, `avx2` and `avx512`; false if this machine does not
/// have it, or another was forced before.
#[doc(hidden)]
pub fn force(word: &str) -> bool {
    let all = all();
    let found = all.into_iter().find(|arch| self::word(*arch) == word);
    found.is_some_and(|arch| self::word(*FORCED.get_or_init(|| arch)) == word)
}

/// The instruction sets of this machine, the widest last.
pub(crate) fn all() -> Vec<pulp::Arch> {
    let mut all = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    if let (Some(narrower), true) = (
        pulp::x86::V3::try_new(),
        word(pulp::Arch::new()) == "avx512",
    ) {
        all.push(pulp::Arch::V3(narrower));
    }
    if word(pulp::Arch::new()) != "scalar" {
        all.push(pulp::Arch::new());
    }
    all
}

/// The name of an instruction set.
fn word(arch: pulp::Arch) -> &'static str {
    match arch {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V3(_) => "avx2",
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V4(_) => "avx512",
        #[cfg(target_arch = "aarch64")]
        pulp::Arch::Neon(_) => "neon",
        _ => "scalar",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many numbers of double precision a vector of the instruction set holds.
    fn lanes(arch: pulp::Arch) -> usize {
        struct Lanes;
        impl pulp::WithSimd for Lanes {
            type Output = usize;
            fn with_simd<S: pulp::Simd>(self, _: S) -> usize {
                S::F64_LANES
            }
        }
        arch.dispatch(Lanes)
    }

    /// What this machine has not, or nobody, is not forced; every set it has has a name of its own, and the widest is used.
    #[test]
    fn sets_are_named() {
        assert!(!force("mmx") && !force(""));
        let words: Vec<&str> = all().into_iter().map(word).collect();
        assert!(words.windows(2).all(|w| w[0] != w[1]));
        assert_eq!(words.last(), Some(&word(arch())));
        let lanes: Vec<usize> = all().into_iter().map(lanes).collect();
        assert!(lanes.windows(2).all(|w| w[0] < w[1]), "{lanes:?}");
    }
}
