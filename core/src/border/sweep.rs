//! The one reading of new proximities: each is loaded once and goes at once into every sum that needs it.
//!
//! With t a proximity on the scale of inner products and u = t − r + m − c (c the guess of the
//! newcomer's mean), a newcomer's sums are e'u, ‖u‖² and u'Z for a few columns Z = [X | w], and the signs of a,
//! which the square loses. All of them stay in registers while a stretch of entries passes by; a
//! stretch is short enough that the piece of Z that belongs to it stays in the innermost cache for all
//! newcomers that are read together, and meanwhile the memory is asked for the stretch after it.
//!
//! Where a newcomer's numbers lie together a vector holds some of them ([`along`]); where an old object's
//! do, a vector holds some newcomers ([`across`]), so that neither layout is ever turned round.
//! The order of every addition depends on the layout and the machine, never on who else is read: that is why
//! a newcomer's result is the same bits in any batch.

use faer::MatRef;
use pulp::Simd;

use crate::fit::product::{self, Aligned, LANES};
use crate::input::proximities::{Element, Kind, Scale};

/// Columns of Z whose sums are kept in registers at a time.
const WIDEST: usize = 10;

/// What is summed besides Z: u, u² and the signs of a.
const OTHERS: usize = 3;

/// With so many registers the sums of two newcomers, or of two vectors of them, are kept at once: then each
/// vector of Z is loaded for both.
const REGISTERS_FOR_TWO: usize = 32;

/// Entries of a newcomer that are read in a row.
pub(crate) const STRETCH: usize = 128;

/// Old objects of whom some newcomers' entries are read in a row.
pub(crate) const STACK: usize = 16;

/// t = a or a² for a proximity a, times a factor that is a power of two and left to the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Onto {
    square: bool,
    factor: f64,
}

impl Onto {
    /// What is on the scale of inner products already.
    pub(crate) const NOTHING: Self = Self {
        square: false,
        factor: 1.0,
    };

    /// For a scale without a correction.
    pub(crate) fn new(scale: &Scale) -> Self {
        debug_assert!(!scale.corrects() || scale.kind == Kind::Similarity);
        let unit = scale.unit * scale.unit;
        Self {
            square: scale.kind == Kind::Dissimilarity,
            factor: match scale.kind {
                Kind::Dissimilarity | Kind::Squared => -0.5 * unit,
                Kind::Similarity => unit,
            },
        }
    }
}

/// Z in blocks of at most [`WIDEST`] columns, in the order in which they are wanted.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    onto: Onto,
    /// Of a block, padded with columns of zeros to an even number.
    width: usize,
    /// For [`along`] eight rows by eight rows, each column's eight together; for [`across`] row by row.
    blocks: Vec<Aligned>,
    /// −r + m, over the factor.
    offsets: Vec<f64>,
}

impl Columns {
    /// The columns of `x` and then `last`, and −r + m of their rows; `turned` for [`across`].
    pub(crate) fn new(
        x: MatRef<'_, f64>,
        last: Option<&[f64]>,
        (onto, offsets): (Onto, impl Iterator<Item = f64>),
        turned: bool,
    ) -> Self {
        let count = x.ncols() + usize::from(last.is_some());
        let blocks = count.div_ceil(WIDEST).max(1);
        let width = count.div_ceil(blocks).next_multiple_of(2).max(2);
        let block = |b: usize| {
            let mut values = Aligned::zeros(x.nrows().next_multiple_of(LANES) * width);
            for c in 0..width.min(count.saturating_sub(b * width)) {
                for i in 0..x.nrows() {
                    let at = match turned {
                        false => (i / LANES * width + c) * LANES + i % LANES,
                        true => i * width + c,
                    };
                    values[at] = match last {
                        Some(last) if b * width + c == x.ncols() => last[i],
                        _ => x[(i, b * width + c)],
                    };
                }
            }
            values
        };
        Self {
            onto,
            width,
            blocks: (0..blocks).map(block).collect(),
            offsets: offsets.map(|o| o / onto.factor).collect(),
        }
    }

    /// Room for the sums of `count` newcomers that lie along, or of eight times as many that lie across.
    pub(crate) fn room(&self, count: usize) -> Room {
        let each = self.blocks.len() * (self.width + OTHERS) * LANES;
        Room {
            values: Aligned::zeros(count * each),
            factor: self.onto.factor,
            each,
            width: self.width,
        }
    }
}

/// Sums, each in eight parts: of one newcomer where it lies along, of eight newcomers where they lie across.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    values: Aligned,
    factor: f64,
    each: usize,
    width: usize,
}

/// One newcomer's sums but for u'Z.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums {
    /// e'u.
    pub plain: f64,
    /// ‖u‖².
    pub squares: f64,
    /// Whether no a is below zero; false may be an idle alarm, raised by −0 or by who was read together with this one.
    pub signless: bool,
}

impl Room {
    /// All sums zero.
    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// The sums of newcomer `i`, or of eight newcomers, that belong to block `b`.
    #[inline(always)]
    fn block(&mut self, i: usize, b: usize) -> &mut [f64] {
        let count = (self.width + OTHERS) * LANES;
        let at = i * self.each + b * count;
        &mut self.values[at..at + count]
    }

    /// Sum number `c` of block `b` of newcomer `i`: eight parts, or one of them if it lay across.
    #[inline(always)]
    fn parts(&self, (i, across): (usize, bool), b: usize, c: usize) -> &[f64] {
        let (group, lane) = if across {
            (i / LANES, Some(i % LANES))
        } else {
            (i, None)
        };
        let at = group * self.each + (b * (self.width + OTHERS) + c) * LANES;
        match lane {
            Some(lane) => &self.values[at + lane..=at + lane],
            None => &self.values[at..at + LANES],
        }
    }

    /// The sums of newcomer `i`.
    pub(crate) fn sums(&self, i: usize, across: bool) -> Sums {
        let parts = |c: usize| self.parts((i, across), 0, self.width + c);
        Sums {
            plain: product::sum(parts(0)) * self.factor,
            squares: product::sum(parts(1)) * self.factor * self.factor,
            signless: parts(2).iter().all(|v| v.is_sign_positive()),
        }
    }

    /// u'Z of newcomer `i` for column `c`.
    pub(crate) fn product(&self, i: usize, across: bool, c: usize) -> f64 {
        product::sum(self.parts((i, across), c / self.width, c % self.width)) * self.factor
    }
}

/// Entries, eight by eight.
type Eights<'a, T> = &'a [[T; LANES]];

/// The sums of R newcomers, or of R vectors of them, in registers.
struct Running<S: Simd, const N: usize, const R: usize> {
    products: [[S::f64s; N]; R],
    plain: [S::f64s; R],
    squares: [S::f64s; R],
    signs: S::f64s,
}

impl<S: Simd, const N: usize, const R: usize> Running<S, N, R> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = simd.splat_f64s(0.0);
        Self {
            products: [[zero; N]; R],
            plain: [zero; R],
            squares: [zero; R],
            signs: zero,
        }
    }

    /// Adds a vector of entries, and their u, to all sums of number `r` but the products.
    #[inline(always)]
    fn add(&mut self, simd: S, r: usize, a: S::f64s, u: S::f64s) {
        self.plain[r] = simd.add_f64s(self.plain[r], u);
        self.squares[r] = simd.mul_add_f64s(u, u, self.squares[r]);
        self.signs = simd.or_f64s(self.signs, a);
    }

    /// Adds u times number `n` of a block's columns.
    #[inline(always)]
    fn multiply(&mut self, simd: S, n: usize, u: &[S::f64s; R], z: S::f64s) {
        for (products, u) in self.products.iter_mut().zip(u) {
            products[n] = simd.mul_add_f64s(*u, z, products[n]);
        }
    }

    /// Adds the sums of number `r` to what there is, from `lane` on.
    #[inline(always)]
    fn leave(&self, simd: S, r: usize, slots: &mut [f64], lane: usize) {
        let mut add = |n: usize, more: S::f64s| {
            let (out, _) = S::as_mut_simd_f64s(&mut slots[n * LANES + lane..(n + 1) * LANES]);
            out[0] = simd.add_f64s(out[0], more);
        };
        for (n, sum) in self.products[r].into_iter().enumerate() {
            add(n, sum);
        }
        add(N, self.plain[r]);
        add(N + 1, self.squares[r]);
        let (out, _) = S::as_mut_simd_f64s(&mut slots[(N + 2) * LANES + lane..]);
        out[0] = simd.or_f64s(out[0], self.signs);
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

/// A reading by blocks of N columns, of entries to be squared or not.
struct By<'a, const N: usize, const SQUARE: bool, R>(&'a R, &'a mut Room);

/// Dispatches a reading for what its columns are.
macro_rules! dispatch {
    ($arch:expr, $reading:expr, $room:expr, by $($width:literal),*) => {
        match ($reading.z.width, $reading.z.onto.square) {
            $(
                ($width, true) => $arch.dispatch(By::<'_, $width, true, _>($reading, $room)),
                ($width, false) => $arch.dispatch(By::<'_, $width, false, _>($reading, $room)),
            )*
            (_, true) => $arch.dispatch(By::<'_, WIDEST, true, _>($reading, $room)),
            (_, false) => $arch.dispatch(By::<'_, WIDEST, false, _>($reading, $room)),
        }
    };
}

/// A stretch of each of some newcomers, which begins at old object `j`, a multiple of eight.
pub(crate) struct Along<'a, T> {
    pub z: &'a Columns,
    pub j: usize,
    pub stretches: &'a [&'a [T]],
    /// How far on in memory those entries are that will be wanted next.
    pub ahead: isize,
    pub guesses: &'a [f64],
}

/// Adds them to the sums.
pub(crate) fn along<T: Element>(arch: pulp::Arch, reading: &Along<'_, T>, room: &mut Room) {
    dispatch!(arch, reading, room, by 2, 4, 6, 8);
}

impl<T: Element, const N: usize, const SQUARE: bool> pulp::WithSimd
    for By<'_, N, SQUARE, Along<'_, T>>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let By(reading, room) = self;
        let stretches = reading.stretches;
        let mut i = 0;
        while i < stretches.len() {
            if S::REGISTER_COUNT >= REGISTERS_FOR_TWO && i + 1 < stretches.len() {
                along_by::<S, T, N, SQUARE, 2>(simd, reading, i, room);
                i += 2;
            } else {
                along_by::<S, T, N, SQUARE, 1>(simd, reading, i, room);
                i += 1;
            }
        }
    }
}

/// Block number `first` to `first + R`.
#[inline(always)]
fn along_by<S: Simd, T: Element, const N: usize, const SQUARE: bool, const R: usize>(
    simd: S,
    &Along {
        z,
        j,
        stretches,
        ahead,
        guesses,
    }: &Along<'_, T>,
    first: usize,
    room: &mut Room,
) {
    let stretches: [&[T]; R] = std::array::from_fn(|r| stretches[first + r]);
    let guesses: [f64; R] = std::array::from_fn(|r| guesses[first + r] / z.onto.factor);
    let (shifts, last) = z.offsets[j..j + stretches[0].len()].as_chunks::<LANES>();
    let pieces = stretches.map(|s| &s.as_chunks::<LANES>().0[..shifts.len()]);
    let rows = (pieces, shifts, ahead);
    for (b, block) in z.blocks.iter().enumerate() {
        let block = &block[j * N..];
        let running = match b {
            0 => along_block::<S, T, N, SQUARE, R, true>(simd, rows, guesses, block),
            _ => along_block::<S, T, N, SQUARE, R, false>(simd, rows, guesses, block),
        };
        for r in 0..R {
            running.leave(simd, r, room.block(first + r, b), 0);
        }
    }
    // Fewer than eight at the end, one by one.
    let done = shifts.len() * LANES;
    for r in 0..R {
        for (l, (a, shift)) in stretches[r][done..].iter().zip(last).enumerate() {
            let a = a.to_f64();
            let u = shifted::<_, SQUARE>(pulp::Scalar, a, shift - guesses[r]);
            for (b, block) in z.blocks.iter().enumerate() {
                let (z_row, slots) = (&block[(j + done) * N..], room.block(first + r, b));
                for n in 0..N {
                    slots[n * LANES] += u * z_row[n * LANES + l];
                }
                slots[N * LANES] += u;
                slots[(N + 1) * LANES] += u * u;
                let signs = &mut slots[(N + 2) * LANES];
                *signs = f64::from_bits(signs.to_bits() | a.to_bits());
            }
        }
    }
}

/// The sums that belong to a block of columns; those that do not depend on it only for the first.
#[inline(always)]
fn along_block<S, T, const N: usize, const SQUARE: bool, const R: usize, const FIRST: bool>(
    simd: S,
    (pieces, shifts, ahead): ([Eights<'_, T>; R], Eights<'_, f64>, isize),
    guesses: [f64; R],
    block: &[f64],
) -> Running<S, N, R>
where
    S: Simd,
    T: Element,
{
    let vectors = LANES / S::F64_LANES;
    let off = guesses.map(|guess| simd.splat_f64s(guess));
    let mut running = Running::new(simd);
    let mut u = [simd.splat_f64s(0.0); R];
    for ((l, shift), z) in (shifts.iter().enumerate()).zip(block.chunks_exact(N * LANES)) {
        let (z, _) = S::as_simd_f64s(z);
        let (shift, _) = S::as_simd_f64s(shift);
        for h in 0..vectors {
            for r in 0..R {
                let a = vector(simd, &pieces[r][l][h * S::F64_LANES..]);
                u[r] = shifted::<S, SQUARE>(simd, a, simd.sub_f64s(shift[h], off[r]));
                if FIRST {
                    running.add(simd, r, a, u[r]);
                    if h == 0 {
                        product::ask(pieces[r][l].as_ptr().wrapping_offset(ahead));
                    }
                }
            }
            for n in 0..N {
                running.multiply(simd, n, &u, z[n * vectors + h]);
            }
        }
    }
    running
}

/// What some newcomers, eight by eight, are to some old objects from number `j` on.
pub(crate) struct Across<'a, T> {
    pub z: &'a Columns,
    pub j: usize,
    /// For each of these old objects.
    pub columns: &'a [Eights<'a, T>],
    /// How far on in memory those entries are that will be wanted next.
    pub ahead: isize,
    pub guesses: &'a [f64],
    /// Which of the eights is the first.
    pub first: usize,
}

/// Adds them to the sums.
pub(crate) fn across<T: Element>(arch: pulp::Arch, reading: &Across<'_, T>, room: &mut Room) {
    dispatch!(arch, reading, room, by 2, 4, 6, 8);
}

impl<T: Element, const N: usize, const SQUARE: bool> pulp::WithSimd
    for By<'_, N, SQUARE, Across<'_, T>>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let By(reading, room) = self;
        let vectors = reading.columns[0].len() * LANES / S::F64_LANES;
        let mut v = 0;
        while v < vectors {
            if S::REGISTER_COUNT >= REGISTERS_FOR_TWO && v + 1 < vectors {
                across_by::<S, T, N, SQUARE, 2>(simd, reading, v, room);
                v += 2;
            } else {
                across_by::<S, T, N, SQUARE, 1>(simd, reading, v, room);
                v += 1;
            }
        }
    }
}

/// Vectors of newcomers number `v` to `v + R`.
#[inline(always)]
fn across_by<S: Simd, T: Element, const N: usize, const SQUARE: bool, const R: usize>(
    simd: S,
    &Across {
        z,
        j,
        columns,
        ahead,
        guesses,
        first,
    }: &Across<'_, T>,
    v: usize,
    room: &mut Room,
) {
    let at: [usize; R] = std::array::from_fn(|r| (v + r) * S::F64_LANES);
    let guesses = &guesses[first * LANES..];
    let per = simd.splat_f64s(1.0 / z.onto.factor);
    let off = at.map(|at| simd.mul_f64s(S::as_simd_f64s(&guesses[at..]).0[0], per));
    let offsets = &z.offsets[j..j + columns.len()];
    for (b, block) in z.blocks.iter().enumerate() {
        let rows = (columns, offsets, block[j * N..].as_chunks::<N>().0);
        let running = match b {
            0 => across_block::<S, T, N, SQUARE, R, true>(simd, rows, (at, ahead), off),
            _ => across_block::<S, T, N, SQUARE, R, false>(simd, rows, (at, ahead), off),
        };
        for (r, at) in at.into_iter().enumerate() {
            let slots = room.block(first + at / LANES, b);
            running.leave(simd, r, slots, at % LANES);
        }
    }
}

/// As [`along_block`], for the vectors of newcomers that begin at `at`.
#[inline(always)]
fn across_block<S, T, const N: usize, const SQUARE: bool, const R: usize, const FIRST: bool>(
    simd: S,
    (columns, offsets, block): (&[Eights<'_, T>], &[f64], &[[f64; N]]),
    (at, ahead): ([usize; R], isize),
    off: [S::f64s; R],
) -> Running<S, N, R>
where
    S: Simd,
    T: Element,
{
    let mut running = Running::new(simd);
    let mut u = off;
    for ((column, offset), z) in columns.iter().zip(offsets).zip(block) {
        for r in 0..R {
            let entries = &column[at[r] / LANES];
            let a = vector(simd, &entries[at[r] % LANES..]);
            let shift = simd.sub_f64s(simd.splat_f64s(*offset), off[r]);
            u[r] = shifted::<S, SQUARE>(simd, a, shift);
            if FIRST {
                running.add(simd, r, a, u[r]);
                if at[r] % LANES == 0 {
                    product::ask(entries.as_ptr().wrapping_offset(ahead));
                }
            }
        }
        for (n, z) in z.iter().enumerate() {
            running.multiply(simd, n, &u, simd.splat_f64s(*z));
        }
    }
    running
}

/// As many entries as a vector holds.
#[inline(always)]
fn vector<S: Simd, T: Element>(_: S, entries: &[T]) -> S::f64s {
    let mut values = [0.0; LANES];
    for (value, entry) in values.iter_mut().zip(&entries[..S::F64_LANES]) {
        *value = entry.to_f64();
    }
    S::as_simd_f64s(&values).0[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use faer::Mat;

    /// An odd number of eights.
    const COUNT: usize = 3 * LANES;

    /// Both ways of reading the same newcomers, with the same guesses.
    struct Both<'a> {
        z: [&'a Columns; 2],
        rows: &'a [Vec<f64>],
        guesses: [f64; COUNT],
    }

    impl Both<'_> {
        fn read(&self, arch: pulp::Arch) -> [Room; 2] {
            let mut rooms = [self.z[0].room(COUNT), self.z[1].room(COUNT / LANES)];
            for j in (0..self.rows[0].len()).step_by(STRETCH) {
                let stretch = |row: &Vec<f64>| row[j..row.len().min(j + STRETCH)].to_vec();
                let stretches: Vec<Vec<f64>> = self.rows.iter().map(stretch).collect();
                let stretches: Vec<&[f64]> = stretches.iter().map(|s| &s[..]).collect();
                let reading = Along {
                    z: self.z[0],
                    j,
                    stretches: &stretches,
                    ahead: 0,
                    guesses: &self.guesses,
                };
                along(arch, &reading, &mut rooms[0]);
            }
            let eight = |g: usize, j: usize| std::array::from_fn(|i| self.rows[g * LANES + i][j]);
            let column = |j: usize| (0..COUNT / LANES).map(|g| eight(g, j)).collect();
            let columns: Vec<Vec<[f64; LANES]>> = (0..self.rows[0].len()).map(column).collect();
            for (s, columns) in columns.chunks(STACK).enumerate() {
                let columns: Vec<&[[f64; LANES]]> = columns.iter().map(|c| &c[..]).collect();
                let reading = Across {
                    z: self.z[1],
                    j: s * STACK,
                    columns: &columns,
                    ahead: 0,
                    guesses: &self.guesses,
                    first: 0,
                };
                across(arch, &reading, &mut rooms[1]);
            }
            rooms
        }
    }

    /// The widest vectors of this machine, narrower ones, and the scalar code that any machine has.
    fn all() -> Vec<pulp::Arch> {
        #[cfg(target_arch = "x86_64")]
        let others = {
            let narrower = pulp::x86::V3::try_new().map(pulp::Arch::V3);
            [Some(pulp::Arch::Scalar), narrower].into_iter().flatten()
        };
        #[cfg(not(target_arch = "x86_64"))]
        let others = std::iter::empty();
        others.chain([pulp::Arch::new()]).collect()
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
                let shift = || (Onto::new(&scale), offsets.iter().copied());
                let columns = |turned| Columns::new(x.as_ref(), Some(&w), shift(), turned);
                let both = Both {
                    z: [&columns(false), &columns(true)],
                    rows: &rows,
                    guesses: std::array::from_fn(|i| i as f64 / 10.0 - 0.4),
                };
                for arch in all() {
                    let rooms = both.read(arch);
                    for (room, across) in rooms.iter().zip([false, true]) {
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
                            let sums = room.sums(i, across);
                            near(sums.plain, &|j| u[j]);
                            near(sums.squares, &|j| u[j] * u[j]);
                            for c in 0..d {
                                near(room.product(i, across, c), &|j| u[j] * x[(j, c)]);
                            }
                            near(room.product(i, across, d), &|j| u[j] * w[j]);
                            let signless = row.iter().all(|v| v.is_sign_positive());
                            assert!(signless || !sums.signless, "{n} {d} {i}");
                        }
                    }
                }
            }
        }
    }
}
