//! The kernels of the one reading: each proximity is loaded once and goes at once into every sum that needs it.
//!
//! All sums of [`super::accumulators`] stay in registers while a stretch of entries passes by; a
//! stretch is short enough that the piece of Z that belongs to it stays in the innermost cache for all
//! newcomers that are read together, and meanwhile the stretch after it is prefetched.
//!
//! Where a newcomer's numbers are contiguous a vector holds some of them ([`by_newcomer`]); where an old object's
//! are, a vector holds some newcomers ([`by_object`]), so that neither layout is ever transposed.
//! The order of every addition depends on the layout and the machine, never on who else is read: that is why
//! a newcomer's result is the same bits in any batch.

use std::ops::Range;

use pulp::Simd;

use super::accumulators::{Accumulators, OTHERS, PackedColumns, WIDEST};
use crate::fit::product::{LANES, vector};
use crate::input::kind::Element;
use crate::prefetch::prefetch;

/// With so many registers the sums of two newcomers, or of two vectors of them, are kept at once: then each
/// vector of Z is loaded for both.
const REGISTERS_FOR_TWO: usize = 32;

/// Entries of a newcomer that are read in a row: as many as leave room in an innermost cache of 32 KB for their part of Z and for
/// what is prefetched, so that putting away the sums, which takes some ninety cycles, comes rarely.
pub(super) const STRETCH: usize = 192;

/// The same for numbers of this type: in single precision there is room for more.
const fn stretch_of<T>() -> usize {
    if size_of::<T>() < size_of::<f64>() {
        STRETCH / 3 * 4
    } else {
        STRETCH
    }
}

/// Old objects of whom some newcomers' entries are read in a row.
pub(super) const OBJECTS_TOGETHER: usize = 16;

/// Entries in chunks of eight, the widest vector of any supported machine.
type Chunks<'a, T> = &'a [[T; LANES]];

/// The sums of R newcomers, or of R vectors of them, in registers.
struct Registers<S: Simd, const N: usize, const R: usize> {
    products: [[S::f64s; N]; R],
    plain: [S::f64s; R],
    squares: [S::f64s; R],
    /// The least of what [`toward`] makes of the entries.
    nearest: [S::f64s; R],
}

impl<S: Simd, const N: usize, const R: usize> Registers<S, N, R> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = simd.splat_f64s(0.0);
        Self {
            products: [[zero; N]; R],
            plain: [zero; R],
            squares: [zero; R],
            nearest: [simd.splat_f64s(f64::INFINITY); R],
        }
    }

    /// Adds the u of a vector of entries, which are `near`, to all of number `r` but the products.
    #[inline(always)]
    fn add(&mut self, simd: S, r: usize, near: S::f64s, u: S::f64s) {
        self.plain[r] = simd.add_f64s(self.plain[r], u);
        self.squares[r] = simd.mul_add_f64s(u, u, self.squares[r]);
        self.nearest[r] = simd.min_f64s(self.nearest[r], near);
    }

    /// Adds u times number `n` of a block's columns.
    #[inline(always)]
    fn multiply(&mut self, simd: S, n: usize, u: &[S::f64s; R], z: S::f64s) {
        for (products, u) in self.products.iter_mut().zip(u) {
            products[n] = simd.mul_add_f64s(*u, z, products[n]);
        }
    }

    /// Adds the sums of number `r` to the accumulators `slots`, from `lane` on.
    #[inline(always)]
    fn add_to(&self, simd: S, r: usize, slots: &mut [f64], lane: usize) {
        // Their number is looked at once: then nothing below is.
        let slots = &mut slots.as_chunks_mut::<LANES>().0[..N + OTHERS];
        let mut add = |n: usize, more: S::f64s| {
            let (out, _) = S::as_mut_simd_f64s(&mut slots[n][lane..]);
            out[0] = simd.add_f64s(out[0], more);
        };
        for (n, sum) in self.products[r].into_iter().enumerate() {
            add(n, sum);
        }
        add(N, self.plain[r]);
        add(N + 1, self.squares[r]);
        let (out, _) = S::as_mut_simd_f64s(&mut slots[N + 2][lane..]);
        out[0] = simd.min_f64s(out[0], self.nearest[r]);
    }
}

/// u over the factor, where `shift` is −r + m − c.
#[inline(always)]
fn shifted<S: Simd, const SQUARE: bool>(simd: S, a: S::f64s, shift: S::f64s) -> S::f64s {
    if SQUARE {
        simd.mul_add_f64s(a, a, shift)
    } else {
        simd.add_f64s(a, shift)
    }
}

/// What is least for the nearest entry: a, or −a by the sign in `turn` where t grows with a.
#[inline(always)]
fn toward<S: Simd, const SQUARE: bool>(simd: S, a: S::f64s, turn: S::f64s) -> S::f64s {
    if SQUARE { a } else { simd.xor_f64s(a, turn) }
}

/// −0 where t grows with a, and 0 where it falls.
fn turn(z: &PackedColumns) -> f64 {
    if z.scaling.turns() { -0.0 } else { 0.0 }
}

/// A reading by blocks of N columns, of entries to be squared or not, to be dispatched to the machine's SIMD.
struct SweepTask<'a, const N: usize, const SQUARE: bool, R>(&'a R, &'a mut Accumulators);

/// Dispatches a reading for what its columns are.
macro_rules! dispatch {
    ($arch:expr, $reading:expr, $sums:expr, by $($width:literal),*) => {
        match ($reading.z.width, $reading.z.scaling.square) {
            $(
                ($width, true) => $arch.dispatch(SweepTask::<'_, $width, true, _>($reading, $sums)),
                ($width, false) => $arch.dispatch(SweepTask::<'_, $width, false, _>($reading, $sums)),
            )*
            (_, true) => $arch.dispatch(SweepTask::<'_, WIDEST, true, _>($reading, $sums)),
            (_, false) => $arch.dispatch(SweepTask::<'_, WIDEST, false, _>($reading, $sums)),
        }
    };
}

/// Some newcomers' entries from old object `j` on, a multiple of eight: they are read stretch by stretch, all in one dispatch.
pub(super) struct ByNewcomer<'a, T> {
    pub z: &'a PackedColumns,
    pub j: usize,
    pub rows: &'a [&'a [T]],
    /// Entries from each newcomer's first to that of who comes next, to be prefetched at the end.
    pub next: isize,
    pub guesses: &'a [f64],
}

/// Adds them to the sums.
pub(super) fn by_newcomer<T: Element>(
    arch: pulp::Arch,
    reading: &ByNewcomer<'_, T>,
    sums: &mut Accumulators,
) {
    dispatch!(arch, reading, sums, by 2, 4, 6, 8);
}

impl<T: Element, const N: usize, const SQUARE: bool> pulp::WithSimd
    for SweepTask<'_, N, SQUARE, ByNewcomer<'_, T>>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let SweepTask(reading, sums) = self;
        let (rows, n) = (reading.rows, reading.rows[0].len());
        for from in (0..n).step_by(stretch_of::<T>()) {
            let stretch = from..n.min(from + stretch_of::<T>());
            let mut i = 0;
            while i < rows.len() {
                if S::REGISTER_COUNT >= REGISTERS_FOR_TWO && i + 1 < rows.len() {
                    by_newcomer_few::<S, T, N, SQUARE, 2>(simd, reading, &stretch, i, sums);
                    i += 2;
                } else {
                    by_newcomer_few::<S, T, N, SQUARE, 1>(simd, reading, &stretch, i, sums);
                    i += 1;
                }
            }
        }
    }
}

/// A stretch of newcomers number `first` to `first + R`.
#[inline(always)]
fn by_newcomer_few<S: Simd, T: Element, const N: usize, const SQUARE: bool, const R: usize>(
    simd: S,
    &ByNewcomer {
        z,
        j,
        rows,
        next,
        guesses,
    }: &ByNewcomer<'_, T>,
    stretch: &Range<usize>,
    first: usize,
    sums: &mut Accumulators,
) {
    // After the last whole stretch come the next newcomers.
    let prefetch_offset = if stretch.end + stretch_of::<T>() <= rows[0].len() {
        stretch_of::<T>() as isize
    } else {
        next - stretch.start as isize
    };
    let j = j + stretch.start;
    let stretches: [&[T]; R] = std::array::from_fn(|r| &rows[first + r][stretch.clone()]);
    let guesses: [f64; R] = std::array::from_fn(|r| guesses[first + r] / z.scaling.factor);
    let (shifts, last) = z.offsets[j..j + stretches[0].len()].as_chunks::<LANES>();
    let pieces = stretches.map(|s| &s.as_chunks::<LANES>().0[..shifts.len()]);
    let rows = (pieces, shifts, prefetch_offset, turn(z));
    for (b, block) in z.blocks.iter().enumerate() {
        let block = &block[j * N..];
        let registers = match b {
            0 => by_newcomer_block::<S, T, N, SQUARE, R, true>(simd, rows, guesses, block),
            _ => by_newcomer_block::<S, T, N, SQUARE, R, false>(simd, rows, guesses, block),
        };
        for r in 0..R {
            registers.add_to(simd, r, sums.block(first + r, b), 0);
        }
    }
    // Fewer than eight at the end, one by one.
    let done = shifts.len() * LANES;
    for r in 0..R {
        for (l, (a, shift)) in stretches[r][done..].iter().zip(last).enumerate() {
            let a = a.to_f64();
            let u = shifted::<_, SQUARE>(pulp::Scalar, a, shift - guesses[r]);
            for (b, block) in z.blocks.iter().enumerate() {
                let (z_row, slots) = (&block[(j + done) * N..], sums.block(first + r, b));
                for n in 0..N {
                    slots[n * LANES] += u * z_row[n * LANES + l];
                }
                slots[N * LANES] += u;
                slots[(N + 1) * LANES] += u * u;
                let near = toward::<_, SQUARE>(pulp::Scalar, a, turn(z));
                let nearest = &mut slots[(N + 2) * LANES];
                *nearest = nearest.min(near);
            }
        }
    }
}

/// The sums that belong to a block of columns; those that do not depend on it only for the first.
#[inline(always)]
fn by_newcomer_block<S, T, const N: usize, const SQUARE: bool, const R: usize, const FIRST: bool>(
    simd: S,
    (pieces, shifts, prefetch_offset, turn): ([Chunks<'_, T>; R], Chunks<'_, f64>, isize, f64),
    guesses: [f64; R],
    block: &[f64],
) -> Registers<S, N, R>
where
    S: Simd,
    T: Element,
{
    let vectors = LANES / S::F64_LANES;
    let off = guesses.map(|guess| simd.splat_f64s(guess));
    let turn = simd.splat_f64s(turn);
    let mut registers = Registers::new(simd);
    let mut u = [simd.splat_f64s(0.0); R];
    for ((l, shift), z) in (shifts.iter().enumerate()).zip(block.chunks_exact(N * LANES)) {
        let (z, _) = S::as_simd_f64s(z);
        let (shift, _) = S::as_simd_f64s(shift);
        for h in 0..vectors {
            for r in 0..R {
                let a = vector(simd, &pieces[r][l][h * S::F64_LANES..]);
                u[r] = shifted::<S, SQUARE>(simd, a, simd.sub_f64s(shift[h], off[r]));
                if FIRST {
                    registers.add(simd, r, toward::<S, SQUARE>(simd, a, turn), u[r]);
                    if h == 0 {
                        prefetch(pieces[r][l].as_ptr().wrapping_offset(prefetch_offset));
                    }
                }
            }
            for n in 0..N {
                registers.multiply(simd, n, &u, z[n * vectors + h]);
            }
        }
    }
    registers
}

/// What some newcomers, eight by eight, are to some old objects from number `j` on.
pub(super) struct ByObject<'a, T> {
    pub z: &'a PackedColumns,
    pub j: usize,
    /// For each of these old objects.
    pub columns: &'a [Chunks<'a, T>],
    /// Entries from here to those that will be wanted next, to be prefetched.
    pub prefetch_offset: isize,
    pub guesses: &'a [f64],
    /// Which group of eight newcomers is the first.
    pub first: usize,
}

/// Adds them to the sums.
pub(super) fn by_object<T: Element>(
    arch: pulp::Arch,
    reading: &ByObject<'_, T>,
    sums: &mut Accumulators,
) {
    dispatch!(arch, reading, sums, by 2, 4, 6, 8);
}

impl<T: Element, const N: usize, const SQUARE: bool> pulp::WithSimd
    for SweepTask<'_, N, SQUARE, ByObject<'_, T>>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let SweepTask(reading, sums) = self;
        let vectors = reading.columns[0].len() * LANES / S::F64_LANES;
        let mut v = 0;
        while v < vectors {
            if S::REGISTER_COUNT >= REGISTERS_FOR_TWO && v + 1 < vectors {
                by_object_few::<S, T, N, SQUARE, 2>(simd, reading, v, sums);
                v += 2;
            } else {
                by_object_few::<S, T, N, SQUARE, 1>(simd, reading, v, sums);
                v += 1;
            }
        }
    }
}

/// Vectors of newcomers number `v` to `v + R`.
#[inline(always)]
fn by_object_few<S: Simd, T: Element, const N: usize, const SQUARE: bool, const R: usize>(
    simd: S,
    &ByObject {
        z,
        j,
        columns,
        prefetch_offset,
        guesses,
        first,
    }: &ByObject<'_, T>,
    v: usize,
    sums: &mut Accumulators,
) {
    let at: [usize; R] = std::array::from_fn(|r| (v + r) * S::F64_LANES);
    let guesses = &guesses[first * LANES..];
    let per = simd.splat_f64s(1.0 / z.scaling.factor);
    let off = at.map(|at| simd.mul_f64s(S::as_simd_f64s(&guesses[at..]).0[0], per));
    let offsets = &z.offsets[j..j + columns.len()];
    for (b, block) in z.blocks.iter().enumerate() {
        let rows = (columns, offsets, block[j * N..].as_chunks::<N>().0);
        let places = (at, prefetch_offset, turn(z));
        let registers = match b {
            0 => by_object_block::<S, T, N, SQUARE, R, true>(simd, rows, places, off),
            _ => by_object_block::<S, T, N, SQUARE, R, false>(simd, rows, places, off),
        };
        for (r, at) in at.into_iter().enumerate() {
            let slots = sums.block(first + at / LANES, b);
            registers.add_to(simd, r, slots, at % LANES);
        }
    }
}

/// As [`by_newcomer_block`], for the vectors of newcomers that begin at `at`.
#[inline(always)]
fn by_object_block<S, T, const N: usize, const SQUARE: bool, const R: usize, const FIRST: bool>(
    simd: S,
    (columns, offsets, block): (&[Chunks<'_, T>], &[f64], &[[f64; N]]),
    (at, prefetch_offset, turn): ([usize; R], isize, f64),
    off: [S::f64s; R],
) -> Registers<S, N, R>
where
    S: Simd,
    T: Element,
{
    let turn = simd.splat_f64s(turn);
    let mut registers = Registers::new(simd);
    let mut u = off;
    for ((column, offset), z) in columns.iter().zip(offsets).zip(block) {
        for r in 0..R {
            let entries = &column[at[r] / LANES];
            let a = vector(simd, &entries[at[r] % LANES..]);
            let shift = simd.sub_f64s(simd.splat_f64s(*offset), off[r]);
            u[r] = shifted::<S, SQUARE>(simd, a, shift);
            if FIRST {
                registers.add(simd, r, toward::<S, SQUARE>(simd, a, turn), u[r]);
                if at[r] % LANES == 0 {
                    prefetch(entries.as_ptr().wrapping_offset(prefetch_offset));
                }
            }
        }
        for (n, z) in z.iter().enumerate() {
            registers.multiply(simd, n, &u, simd.splat_f64s(*z));
        }
    }
    registers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::accumulators::Scaling;
    use crate::input::kind::{Kind, Scale};
    use crate::random::Stream;
    use faer::Mat;

    /// An odd number of eights.
    const COUNT: usize = 3 * LANES;

    /// Both ways of reading the same newcomers, with the same guesses.
    struct Both<'a> {
        z: [&'a PackedColumns; 2],
        rows: &'a [Vec<f64>],
        guesses: [f64; COUNT],
    }

    impl Both<'_> {
        fn read(&self, arch: pulp::Arch) -> [Accumulators; 2] {
            let mut sums = self.z.map(|z| z.accumulators(COUNT));
            let rows: Vec<&[f64]> = self.rows.iter().map(|row| &row[..]).collect();
            let reading = ByNewcomer {
                z: self.z[0],
                j: 0,
                rows: &rows,
                next: 0,
                guesses: &self.guesses,
            };
            by_newcomer(arch, &reading, &mut sums[0]);
            let eight = |g: usize, j: usize| std::array::from_fn(|i| self.rows[g * LANES + i][j]);
            let column = |j: usize| (0..COUNT / LANES).map(|g| eight(g, j)).collect();
            let columns: Vec<Vec<[f64; LANES]>> = (0..self.rows[0].len()).map(column).collect();
            for (s, columns) in columns.chunks(OBJECTS_TOGETHER).enumerate() {
                let columns: Vec<&[[f64; LANES]]> = columns.iter().map(|c| &c[..]).collect();
                let reading = ByObject {
                    z: self.z[1],
                    j: s * OBJECTS_TOGETHER,
                    columns: &columns,
                    prefetch_offset: 0,
                    guesses: &self.guesses,
                    first: 0,
                };
                by_object(arch, &reading, &mut sums[1]);
            }
            sums
        }
    }

    /// All of them say what plain sums say.
    #[test]
    fn vectors_and_scalars_are_the_plain_sums() {
        let mut rng = Stream::new(3);
        for (n, d) in [(1, 1), (7, 2), (8, 5), (37, 10), (61, 13), (300, 21)] {
            for kind in [Kind::Dissimilarity, Kind::Squared, Kind::Similarity] {
                let x = Mat::from_fn(n, d, |_, _| rng.normal());
                let w: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
                let offsets: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
                let row = |_: usize| (0..n).map(|_| rng.uniform() - 0.01).collect();
                let rows: Vec<Vec<f64>> = (0..COUNT).map(row).collect();
                let scale = Scale {
                    kind,
                    unit: 1.0,
                    add: 0.0,
                    lift: 0.0,
                };
                let shift = || (Scaling::new(&scale), offsets.iter().copied());
                let columns =
                    |by_object| PackedColumns::new(x.as_ref(), Some(&w), shift(), by_object);
                let both = Both {
                    z: [&columns(false), &columns(true)],
                    rows: &rows,
                    guesses: std::array::from_fn(|i| i as f64 / 10.0 - 0.4),
                };
                for arch in crate::isa::all() {
                    for accumulators in both.read(arch) {
                        for (i, row) in rows.iter().enumerate() {
                            let t = |a: f64| match kind {
                                Kind::Dissimilarity => -0.5 * a * a,
                                Kind::Squared => -0.5 * a,
                                Kind::Similarity => a,
                            };
                            let guess = both.guesses[i];
                            let u: Vec<f64> =
                                (0..n).map(|j| t(row[j]) + offsets[j] - guess).collect();
                            let near = |found: f64, terms: &dyn Fn(usize) -> f64| {
                                let sum: f64 = (0..n).map(terms).sum();
                                let size: f64 = (0..n).map(|j| terms(j).abs()).sum();
                                let bound = (n + 8) as f64 * f64::EPSILON * (size + 1.0);
                                assert!((found - sum).abs() <= bound, "{found} {sum} {n} {d}");
                            };
                            let sums = accumulators.sums(i);
                            near(sums.plain, &|j| u[j]);
                            near(sums.squares, &|j| u[j] * u[j]);
                            for c in 0..d {
                                near(accumulators.product(i, c), &|j| u[j] * x[(j, c)]);
                            }
                            near(accumulators.product(i, d), &|j| u[j] * w[j]);
                            if kind != Kind::Similarity {
                                let none_negative = row.iter().all(|v| *v >= 0.0);
                                assert_eq!(sums.none_negative, none_negative, "{n} {d} {i}");
                            }
                            if sums.none_negative || kind != Kind::Dissimilarity {
                                let largest = row.iter().map(|a| t(*a)).fold(f64::MIN, f64::max);
                                assert_eq!(sums.nearest, largest, "{n} {d} {i}");
                            }
                        }
                    }
                }
            }
        }
    }
}
