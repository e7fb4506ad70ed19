//! The inner loop of all measures: a sum (or the largest) over the features, of a term in u and v.
//!
//! Sums of differences are computed from the differences, never as ‖u‖² + ‖v‖² − 2u'v, which loses the digits of
//! near duplicates: with sixteen objects beside each other in memory it costs hardly more. A few rows against
//! sixteen columns stay in registers. Every sum is one chain over the features in order, cut into stretches
//! whose totals are added up (better rounded than one long chain, and a stretch stays in cache), whatever tile,
//! block or thread it is computed in: that is why a proximity is the same bits in any block, and why
//! s(u, v) = s(v, u) exactly.

use std::borrow::Cow;
use std::ops::Range;

use pulp::Simd;

use super::powers::{AnyPower, Power};

/// Columns that lie beside each other: two of the widest vectors.
pub(super) const GROUP: usize = 16;

/// Features of a stretch: with [`GROUP`] columns, 32 kB.
pub(super) const STRETCH: usize = 256;

/// Rows that are compared with a group while it is in cache.
pub(super) const BLOCK: usize = 64;

/// What is summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sum {
    /// (u − v)².
    Squares,
    /// |u − v|.
    Absolutes,
    /// max |u − v|.
    Largest,
    /// u v.
    Products,
    /// |u − v| / (|u| + |v|), 0 if both are 0.
    Relative,
    /// 1 where u ≠ v.
    Unequal,
    /// |u − v|ᵖ.
    Powers(f64),
}

/// One term of a sum, and how totals are put together.
pub(super) trait Term: Copy {
    /// The sum so far with the term of u and v.
    fn add<S: Simd>(self, simd: S, u: S::f64s, v: S::f64s, sum: S::f64s) -> S::f64s;

    /// Two totals as one.
    #[inline(always)]
    fn join<S: Simd>(self, simd: S, a: S::f64s, b: S::f64s) -> S::f64s {
        simd.add_f64s(a, b)
    }
}

macro_rules! term {
    ($name:ident, |$simd:ident, $u:ident, $v:ident, $sum:ident| $body:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name;
        impl Term for $name {
            #[inline(always)]
            fn add<S: Simd>(self, $simd: S, $u: S::f64s, $v: S::f64s, $sum: S::f64s) -> S::f64s {
                $body
            }
        }
    };
}

term!(Squares, |simd, u, v, sum| {
    let d = simd.sub_f64s(u, v);
    simd.mul_add_f64s(d, d, sum)
});
term!(Absolutes, |simd, u, v, sum| {
    simd.add_f64s(sum, simd.abs_f64s(simd.sub_f64s(u, v)))
});
term!(Products, |simd, u, v, sum| simd.mul_add_f64s(u, v, sum));
term!(Relative, |simd, u, v, sum| {
    let d = simd.abs_f64s(simd.sub_f64s(u, v));
    let size = simd.add_f64s(simd.abs_f64s(u), simd.abs_f64s(v));
    // A difference of 0 counts 0, also where 0/0 stands: 0 over the smallest number is 0.
    let least = simd.splat_f64s(f64::MIN_POSITIVE);
    simd.add_f64s(sum, simd.div_f64s(d, simd.max_f64s(size, least)))
});
term!(Unequal, |simd, u, v, sum| {
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    simd.add_f64s(sum, simd.select_f64s(simd.equal_f64s(u, v), zero, one))
});

#[derive(Clone, Copy)]
pub(super) struct Largest;

impl Term for Largest {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, u: S::f64s, v: S::f64s, sum: S::f64s) -> S::f64s {
        simd.max_f64s(sum, simd.abs_f64s(simd.sub_f64s(u, v)))
    }

    #[inline(always)]
    fn join<S: Simd>(self, simd: S, a: S::f64s, b: S::f64s) -> S::f64s {
        simd.max_f64s(a, b)
    }
}

/// Objects packed for the inner loop: groups of sixteen, each feature by feature, padded with zeros.
#[derive(Debug, Clone)]
pub(super) struct PackedObjects {
    count: usize,
    width: usize,
    values: Vec<f64>,
}

impl PackedObjects {
    /// `count` rows of `width` features each, which `rows` makes some at a time.
    pub(super) fn new<'a>(
        count: usize,
        width: usize,
        rows: impl Fn(Range<usize>) -> Cow<'a, [f64]>,
    ) -> Self {
        let mut values = vec![0.0; count.next_multiple_of(GROUP) * width];
        for (first, group) in (0..count)
            .step_by(GROUP)
            .zip(values.chunks_exact_mut(GROUP * width))
        {
            let rows = rows(first..(first + GROUP).min(count));
            for (i, row) in rows.chunks_exact(width).enumerate() {
                for (f, v) in row.iter().enumerate() {
                    group[f * GROUP + i] = *v;
                }
            }
        }
        Self {
            count,
            width,
            values,
        }
    }

    /// Writes the sums of `rows` with the objects from group `first` on to `out`, whose rows are `stride` apart.
    pub(super) fn sums(
        &self,
        sum: Sum,
        rows: &[f64],
        first: usize,
        out: &mut [f64],
        stride: usize,
    ) {
        let arch = crate::isa::arch();
        macro_rules! run {
            ($term:expr) => {
                arch.dispatch(Work {
                    term: $term,
                    packed: self,
                    rows,
                    first,
                    out,
                    stride,
                })
            };
        }
        match sum {
            Sum::Squares => run!(Squares),
            Sum::Absolutes => run!(Absolutes),
            Sum::Largest => run!(Largest),
            Sum::Products => run!(Products),
            Sum::Relative => run!(Relative),
            Sum::Unequal => run!(Unequal),
            Sum::Powers(p) => match Power::new(p) {
                Some(power) => run!(power),
                None => run!(AnyPower(p)),
            },
        }
    }
}

/// Σ u² in the order in which [`Sum::Products`] has it, so that an object with itself gives the same bits.
pub(super) fn squared_norm(row: &[f64]) -> f64 {
    let stretches = row.chunks(STRETCH);
    stretches
        .map(|s| s.iter().fold(0.0, |sum, v| f64::mul_add(*v, *v, sum)))
        .sum()
}

struct Work<'a, T> {
    term: T,
    packed: &'a PackedObjects,
    rows: &'a [f64],
    first: usize,
    out: &'a mut [f64],
    stride: usize,
}

impl<T: Term> pulp::WithSimd for Work<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Eight rows by two vectors of 512 bits, or four by two of 256: what the registers hold.
        match S::F64_LANES {
            8 => self.blocks::<S, 8>(simd),
            _ => self.blocks::<S, 4>(simd),
        }
    }
}

impl<T: Term> Work<'_, T> {
    #[inline(always)]
    fn blocks<S: Simd, const M: usize>(self, simd: S) {
        let Work {
            term,
            packed,
            rows,
            first,
            out,
            stride,
        } = self;
        let q = packed.width;
        let mut packed_rows = Vec::with_capacity(BLOCK * q);
        let blocks = rows.chunks(BLOCK * q).zip(out.chunks_mut(BLOCK * stride));
        for (rows, out) in blocks {
            // M rows feature by feature, then those that are left over one by one.
            let count = rows.len() / q;
            let full = count / M * M;
            packed_rows.clear();
            for rows in rows[..full * q].chunks_exact(M * q) {
                for f in 0..q {
                    packed_rows.extend((0..M).map(|i| rows[i * q + f]));
                }
            }
            let left = &rows[full * q..];
            let groups = packed.values.chunks_exact(GROUP * q).skip(first);
            for (g, group) in groups.enumerate() {
                let mut totals = [[0.0; GROUP]; BLOCK];
                for (s, columns) in group.chunks(GROUP * STRETCH).enumerate() {
                    let at = s * STRETCH;
                    let length = columns.len() / GROUP;
                    let (whole, single) = totals.split_at_mut(full);
                    for (m_rows, totals) in packed_rows
                        .chunks_exact(M * q)
                        .zip(whole.chunks_exact_mut(M))
                    {
                        let m_rows = &m_rows[at * M..(at + length) * M];
                        tile::<S, T, M>(simd, term, m_rows, columns, totals);
                    }
                    for (row, totals) in left.chunks_exact(q).zip(single.chunks_exact_mut(1)) {
                        tile::<S, T, 1>(simd, term, &row[at..at + length], columns, totals);
                    }
                }
                let j = g * GROUP;
                let wanted = GROUP.min(packed.count - (first + g) * GROUP);
                for (line, totals) in out.chunks_mut(stride).zip(&totals[..count]) {
                    line[j..j + wanted].copy_from_slice(&totals[..wanted]);
                }
            }
        }
    }
}

/// Adds one stretch of M rows (feature by feature) against a group to their totals.
#[inline(always)]
fn tile<S: Simd, T: Term, const M: usize>(
    simd: S,
    term: T,
    m_rows: &[f64],
    columns: &[f64],
    totals: &mut [[f64; GROUP]],
) {
    let span = 2 * S::F64_LANES;
    for at in (0..GROUP).step_by(span) {
        let mut sums = [[simd.splat_f64s(0.0); 2]; M];
        for (u, line) in m_rows.chunks_exact(M).zip(columns.chunks_exact(GROUP)) {
            let (v, _) = S::as_simd_f64s(&line[at..at + span]);
            let v = [v[0], v[1]];
            for i in 0..M {
                let u = simd.splat_f64s(u[i]);
                sums[i] = [
                    term.add(simd, u, v[0], sums[i][0]),
                    term.add(simd, u, v[1], sums[i][1]),
                ];
            }
        }
        for (total, sums) in totals.iter_mut().zip(sums) {
            let (vectors, _) = S::as_mut_simd_f64s(&mut total[at..at + span]);
            for (vector, sum) in vectors.iter_mut().zip(sums) {
                *vector = term.join(simd, *vector, sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn with<S: Simd>(simd: S, sum: Sum, packed: &PackedObjects, rows: &[f64], out: &mut [f64]) {
        let stride = packed.count;
        macro_rules! run {
            ($term:expr) => {
                simd.vectorize(Work {
                    term: $term,
                    packed,
                    rows,
                    first: 0,
                    out,
                    stride,
                })
            };
        }
        match sum {
            Sum::Squares => run!(Squares),
            Sum::Absolutes => run!(Absolutes),
            Sum::Largest => run!(Largest),
            Sum::Products => run!(Products),
            Sum::Relative => run!(Relative),
            Sum::Unequal => run!(Unequal),
            Sum::Powers(p) => run!(AnyPower(p)),
        }
    }

    /// Whatever vectors a machine has, the sums are the same bits.
    #[test]
    fn the_width_of_vectors_changes_nothing() {
        let mut rng = Stream::new(3);
        for (count, n, q) in [(1, 1, 1), (9, 17, 5), (70, 33, 300)] {
            let mut numbers = |k: usize| -> Vec<f64> {
                let number = |rng: &mut Stream| match rng.bits() % 4 {
                    0 => 0.0,
                    _ => rng.normal(),
                };
                (0..k).map(|_| number(&mut rng)).collect()
            };
            let (rows, columns) = (numbers(count * q), numbers(n * q));
            let packed = PackedObjects::new(n, q, |range| {
                Cow::Borrowed(&columns[range.start * q..range.end * q])
            });
            for sum in [
                Sum::Squares,
                Sum::Absolutes,
                Sum::Largest,
                Sum::Products,
                Sum::Relative,
                Sum::Unequal,
                Sum::Powers(2.25),
            ] {
                let mut here = vec![0.0; count * n];
                packed.sums(sum, &rows, 0, &mut here, n);
                let mut plain = vec![0.0; count * n];
                with(pulp::Scalar, sum, &packed, &rows, &mut plain);
                assert_eq!(here, plain, "{sum:?}");
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = pulp::x86::V3::try_new() {
                    with(simd, sum, &packed, &rows, &mut plain);
                    assert_eq!(here, plain, "{sum:?}");
                }
            }
        }
    }
}
