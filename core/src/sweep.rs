//! The one reading of new proximities: each is loaded once and goes at once into every sum that needs it.
//!
//! With t = p a + q a² a proximity on the scale of inner products and u = t − r + m − c (c the guess of the
//! newcomer's mean), a newcomer's sums are e'u, ‖u‖² and u'Z for a few columns Z = [X | w], and the lowest a,
//! since the square loses a sign. All of them stay in registers while a stretch of entries passes by; a
//! stretch is short enough that the piece of Z that belongs to it stays in the innermost cache for all
//! newcomers that are read together, and meanwhile the memory is asked for the stretch after it.
//!
//! Where a newcomer's numbers lie together a vector holds some of them ([`along`]); where an old object's
//! do, a vector holds some newcomers ([`across`]), so that neither layout is ever turned round.
//! The order of every addition depends on the layout and the machine, never on who else is read: that is why
//! a newcomer's result is the same bits in any batch.

use faer::MatRef;
use pulp::Simd;

use crate::product::{self, Aligned, LANES};
use crate::proximity::{Element, Kind, Scale};

/// Columns of Z whose sums are kept in registers at a time.
const WIDEST: usize = 10;

/// What is summed besides Z: u, u² and the lowest a.
const OTHERS: usize = 3;

/// Entries of a newcomer that are read in a row.
pub(crate) const STRETCH: usize = 256;

/// Old objects of whom some newcomers' entries are read in a row.
pub(crate) const STACK: usize = 16;

/// t = p a + q a² for a proximity a.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Onto {
    p: f64,
    q: f64,
}

impl Onto {
    /// What is on the scale of inner products already.
    pub(crate) const NOTHING: Self = Self { p: 1.0, q: 0.0 };

    /// For a scale without a correction.
    pub(crate) fn new(scale: &Scale) -> Self {
        debug_assert!(!scale.corrects() || scale.kind == Kind::Similarity);
        let square = scale.unit * scale.unit;
        match scale.kind {
            Kind::Dissimilarity => Self {
                p: 0.0,
                q: -0.5 * square,
            },
            Kind::Squared => Self {
                p: -0.5 * square,
                q: 0.0,
            },
            Kind::Similarity => Self { p: square, q: 0.0 },
        }
    }
}

/// Z in blocks of at most [`WIDEST`] columns, in the order in which they are wanted.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    /// Of a block, padded with columns of zeros to an even number.
    width: usize,
    /// For [`along`] eight rows by eight rows, each column's eight together; for [`across`] row by row.
    blocks: Vec<Aligned>,
    /// −r + m.
    offsets: Vec<f64>,
}

impl Columns {
    /// The columns of `x` and then `last`, and −r + m of their rows; `turned` for [`across`].
    pub(crate) fn new(
        x: MatRef<'_, f64>,
        last: Option<&[f64]>,
        offsets: Vec<f64>,
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
            width,
            blocks: (0..blocks).map(block).collect(),
            offsets,
        }
    }

    /// Room for the sums of `count` newcomers that lie along, or of eight times as many that lie across.
    pub(crate) fn room(&self, count: usize) -> Room {
        let each = self.blocks.len() * (self.width + OTHERS) * LANES;
        Room {
            values: Aligned::zeros(count * each),
            each,
            width: self.width,
        }
    }
}

/// Sums, each in eight parts: of one newcomer where it lies along, of eight newcomers where they lie across.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    values: Aligned,
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
    /// The lowest a, or 0 if none is lower.
    pub low: f64,
}

impl Room {
    /// All sums zero.
    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// The parts of newcomer `i`, or of eight newcomers.
    #[inline(always)]
    pub(crate) fn slots(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.each..(i + 1) * self.each]
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
            plain: product::sum(parts(0)),
            squares: product::sum(parts(1)),
            low: parts(2).iter().fold(0.0, |low, v| v.min(low)),
        }
    }

    /// u'Z of newcomer `i` for column `c`.
    pub(crate) fn product(&self, i: usize, across: bool, c: usize) -> f64 {
        product::sum(self.parts((i, across), c / self.width, c % self.width))
    }
}

/// Adds a stretch of one newcomer's entries, which begins at old object `j`, a multiple of eight.
#[inline(always)]
pub(crate) fn along<S: Simd, T: Element>(
    simd: S,
    z: &Columns,
    (j, entries): (usize, &[T]),
    onto: Onto,
    guess: f64,
    slots: &mut [f64],
) {
    let offsets = &z.offsets[j..j + entries.len()];
    let each = (z.width + OTHERS) * LANES;
    for (block, slots) in z.blocks.iter().zip(slots.chunks_exact_mut(each)) {
        let z_rows = &block[j * z.width..];
        match z.width {
            2 => along_by::<S, T, 2>(simd, entries, offsets, z_rows, (onto, guess), slots),
            4 => along_by::<S, T, 4>(simd, entries, offsets, z_rows, (onto, guess), slots),
            6 => along_by::<S, T, 6>(simd, entries, offsets, z_rows, (onto, guess), slots),
            8 => along_by::<S, T, 8>(simd, entries, offsets, z_rows, (onto, guess), slots),
            _ => along_by::<S, T, WIDEST>(simd, entries, offsets, z_rows, (onto, guess), slots),
        }
    }
}

#[inline(always)]
fn along_by<S: Simd, T: Element, const N: usize>(
    simd: S,
    entries: &[T],
    offsets: &[f64],
    z: &[f64],
    (onto, guess): (Onto, f64),
    slots: &mut [f64],
) {
    let (p, q, c) = (
        simd.splat_f64s(onto.p),
        simd.splat_f64s(onto.q),
        simd.splat_f64s(-guess),
    );
    let zero = simd.splat_f64s(0.0);
    let mut products = [zero; N];
    let (mut plain, mut squares, mut low) = (zero, zero, zero);
    let vectors = LANES / S::F64_LANES;
    let (pieces, rest) = entries.as_chunks::<LANES>();
    let (shifts, last) = offsets.as_chunks::<LANES>();
    for ((piece, shifts), z) in pieces.iter().zip(shifts).zip(z.chunks_exact(N * LANES)) {
        product::ask(piece.as_ptr().wrapping_add(STRETCH));
        let (z, _) = S::as_simd_f64s(z);
        let (shifts, _) = S::as_simd_f64s(shifts);
        for h in 0..vectors {
            let a = vector(simd, &piece[h * S::F64_LANES..]);
            let slope = simd.mul_add_f64s(a, q, p);
            let u = simd.mul_add_f64s(a, slope, simd.add_f64s(shifts[h], c));
            plain = simd.add_f64s(plain, u);
            squares = simd.mul_add_f64s(u, u, squares);
            low = simd.min_f64s(a, low);
            for (n, sum) in products.iter_mut().enumerate() {
                *sum = simd.mul_add_f64s(u, z[n * vectors + h], *sum);
            }
        }
    }
    let mut add = |slot: usize, more: S::f64s| {
        let (out, _) = S::as_mut_simd_f64s(&mut slots[slot * LANES..(slot + 1) * LANES]);
        out[0] = simd.add_f64s(out[0], more);
    };
    for (n, sum) in products.into_iter().enumerate() {
        add(n, sum);
    }
    add(N, plain);
    add(N + 1, squares);
    let (out, _) = S::as_mut_simd_f64s(&mut slots[(N + 2) * LANES..]);
    out[0] = simd.min_f64s(low, out[0]);
    // Fewer than eight at the end, one by one.
    let z = &z[pieces.len() * N * LANES..];
    for (l, (a, shift)) in rest.iter().zip(last).enumerate() {
        let a = a.to_f64();
        let u = a.mul_add(a.mul_add(onto.q, onto.p), shift - guess);
        for n in 0..N {
            slots[n * LANES] += u * z[n * LANES + l];
        }
        slots[N * LANES] += u;
        slots[(N + 1) * LANES] += u * u;
        slots[(N + 2) * LANES] = a.min(slots[(N + 2) * LANES]);
    }
}

/// Adds what eight newcomers are to some old objects, from number `j` on: for each of these the eight entries, and how far
/// on in memory those are that will be wanted after them.
#[inline(always)]
pub(crate) fn across<S: Simd, T: Element>(
    simd: S,
    z: &Columns,
    (j, entries, ahead): (usize, &[&[T; LANES]], isize),
    onto: Onto,
    guesses: &[f64; LANES],
    slots: &mut [f64],
) {
    let offsets = &z.offsets[j..j + entries.len()];
    let each = (z.width + OTHERS) * LANES;
    for (block, slots) in z.blocks.iter().zip(slots.chunks_exact_mut(each)) {
        let z_rows = &block[j * z.width..];
        let entries = (entries, ahead);
        match z.width {
            2 => across_by::<S, T, 2>(simd, entries, offsets, z_rows, (onto, guesses), slots),
            4 => across_by::<S, T, 4>(simd, entries, offsets, z_rows, (onto, guesses), slots),
            6 => across_by::<S, T, 6>(simd, entries, offsets, z_rows, (onto, guesses), slots),
            8 => across_by::<S, T, 8>(simd, entries, offsets, z_rows, (onto, guesses), slots),
            _ => across_by::<S, T, WIDEST>(simd, entries, offsets, z_rows, (onto, guesses), slots),
        }
    }
}

#[inline(always)]
fn across_by<S: Simd, T: Element, const N: usize>(
    simd: S,
    (entries, ahead): (&[&[T; LANES]], isize),
    offsets: &[f64],
    z: &[f64],
    (onto, guesses): (Onto, &[f64; LANES]),
    slots: &mut [f64],
) {
    let (p, q) = (simd.splat_f64s(onto.p), simd.splat_f64s(onto.q));
    let zero = simd.splat_f64s(0.0);
    for h in 0..LANES / S::F64_LANES {
        let at = h * S::F64_LANES;
        let guess = S::as_simd_f64s(&guesses[at..]).0[0];
        let mut products = [zero; N];
        let (mut plain, mut squares, mut low) = (zero, zero, zero);
        for ((entries, offset), z) in entries.iter().zip(offsets).zip(z.chunks_exact(N)) {
            if h == 0 {
                product::ask(entries.as_ptr().wrapping_offset(ahead));
            }
            let a = vector(simd, &entries[at..]);
            let slope = simd.mul_add_f64s(a, q, p);
            let shift = simd.sub_f64s(simd.splat_f64s(*offset), guess);
            let u = simd.mul_add_f64s(a, slope, shift);
            plain = simd.add_f64s(plain, u);
            squares = simd.mul_add_f64s(u, u, squares);
            low = simd.min_f64s(a, low);
            for n in 0..N {
                products[n] = simd.mul_add_f64s(u, simd.splat_f64s(z[n]), products[n]);
            }
        }
        let mut add = |slot: usize, more: S::f64s| {
            let out = &mut slots[slot * LANES + at..(slot + 1) * LANES];
            let (out, _) = S::as_mut_simd_f64s(out);
            out[0] = simd.add_f64s(out[0], more);
        };
        for (n, sum) in products.into_iter().enumerate() {
            add(n, sum);
        }
        add(N, plain);
        add(N + 1, squares);
        let (out, _) = S::as_mut_simd_f64s(&mut slots[(N + 2) * LANES + at..]);
        out[0] = simd.min_f64s(low, out[0]);
    }
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

    /// Both ways of reading the same eight newcomers, with the same guesses.
    struct Both<'a> {
        z: [&'a Columns; 2],
        rows: &'a [Vec<f64>],
        guesses: [f64; LANES],
        onto: Onto,
    }

    impl pulp::WithSimd for Both<'_> {
        type Output = [Room; 2];
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let Both { rows, onto, .. } = self;
            let mut rooms = [self.z[0].room(LANES), self.z[1].room(1)];
            for (i, row) in rows.iter().enumerate() {
                let (stretch, slots) = ((0, &row[..]), rooms[0].slots(i));
                along(simd, self.z[0], stretch, onto, self.guesses[i], slots);
            }
            let entry = |j: usize| std::array::from_fn::<f64, LANES, _>(|i| rows[i][j]);
            let columns: Vec<[f64; LANES]> = (0..rows[0].len()).map(entry).collect();
            let columns: Vec<&[f64; LANES]> = columns.iter().collect();
            let slots = rooms[1].slots(0);
            across(
                simd,
                self.z[1],
                (0, &columns, 0),
                onto,
                &self.guesses,
                slots,
            );
            rooms
        }
    }

    /// The vectors of this machine and the scalar code that any machine has say what plain sums say.
    #[test]
    fn vectors_and_scalars_are_the_plain_sums() {
        let mut rng = Stream::new(3);
        for (n, d) in [(1, 1), (7, 2), (8, 5), (37, 10), (61, 13), (130, 21)] {
            for kind in [Kind::Dissimilarity, Kind::Squared, Kind::Similarity] {
                let x = Mat::from_fn(n, d, |_, _| rng.normal());
                let w: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
                let offsets: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
                let columns = |turned| Columns::new(x.as_ref(), Some(&w), offsets.clone(), turned);
                let (straight, turned) = (columns(false), columns(true));
                let row = |_: usize| (0..n).map(|_| rng.uniform() - 0.01).collect();
                let rows: Vec<Vec<f64>> = (0..LANES).map(row).collect();
                let scale = Scale {
                    kind,
                    unit: 1.0,
                    add: 0.0,
                    lift: 0.0,
                };
                let both = || Both {
                    z: [&straight, &turned],
                    rows: &rows,
                    guesses: std::array::from_fn(|i| i as f64 / 10.0 - 0.4),
                    onto: Onto::new(&scale),
                };
                let scalar = pulp::Scalar.vectorize(both());
                for rooms in [pulp::Arch::new().dispatch(both()), scalar] {
                    for (room, across) in rooms.iter().zip([false, true]) {
                        for (i, row) in rows.iter().enumerate() {
                            let t = |a: f64| match kind {
                                Kind::Dissimilarity => -0.5 * a * a,
                                Kind::Squared => -0.5 * a,
                                Kind::Similarity => a,
                            };
                            let guess = both().guesses[i];
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
                            let low = row.iter().fold(0.0, |m: f64, v| m.min(*v));
                            assert_eq!(sums.low, low);
                        }
                    }
                }
            }
        }
    }
}
