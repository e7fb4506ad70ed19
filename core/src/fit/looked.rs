//! The one look at the entries before the fit: weighted row sums, the sum of squares, and each object's nearest.
//!
//! ```text
//! s_i = Σ_j w_j t_ij        ‖T‖² = Σ_ij t_ij²        max_{j ≠ i} t_ij
//! ```
//!
//! One triangle is read, and each entry serves both of its places: along its row in registers, along its column in
//! arrays that stay in cache while some rows pass by.

use pulp::Simd;

use crate::error::Error;
use crate::fit::centred::Centred;
use crate::fit::product::{LANES, TOGETHER, entries};
use crate::fit::triangle::{self, Lines, Visit, Walk};
use crate::input::kind::Element;
use crate::prefetch::prefetch;
use crate::run;

/// What is seen of the entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Looked {
    /// Σ_j w_j t_ij for each i.
    pub sums: Vec<f64>,
    /// Σ_ij t_ij².
    pub squares: f64,
    /// The largest t_ij of each object and another.
    pub nearest: Vec<f64>,
}

impl Looked {
    /// Looks at all entries; the weights are 1 if there are none.
    pub(crate) fn new<T: Element>(
        matrix: &Centred<'_, T>,
        weights: Option<&[f64]>,
        threads: usize,
    ) -> Result<Self, Error> {
        let n = matrix.count();
        let ones = vec![1.0; if weights.is_none() { n } else { 0 }];
        let weights = weights.unwrap_or(&ones);
        let threads = run::threads_meant(threads).min(triangle::count(n));
        let parts = run::map(threads, threads, None, |thread| {
            let share = Share::new(matrix, weights, (thread, threads));
            crate::isa::arch().dispatch(share)
        })?;
        let mut all = Self::nothing(n);
        for part in parts {
            let each = all.sums.iter_mut().zip(&part.sums);
            each.for_each(|(sum, more)| *sum += more);
            let each = all.nearest.iter_mut().zip(&part.nearest);
            each.for_each(|(most, more)| *most = most.max(*more));
            all.squares += part.squares;
        }
        Ok(all)
    }

    fn nothing(n: usize) -> Self {
        Self {
            sums: vec![0.0; n],
            squares: 0.0,
            nearest: vec![f64::NEG_INFINITY; n],
        }
    }
}

/// One thread's share.
struct Share<'a, 'b, T: Element> {
    walk: Walk<'a, 'b, T>,
    look: Look<'b>,
}

impl<'a, 'b, T: Element> Share<'a, 'b, T> {
    fn new(matrix: &'b Centred<'a, T>, weights: &'b [f64], share: (usize, usize)) -> Self {
        let factor = matrix.factor();
        let looked = Looked::nothing(matrix.count());
        Self {
            walk: Walk {
                matrix,
                factor,
                c: 0.0,
                share,
            },
            look: Look {
                weights,
                turn: if factor < 0.0 { -0.0 } else { 0.0 },
                looked,
            },
        }
    }
}

impl<T: Element> pulp::WithSimd for Share<'_, '_, T> {
    type Output = Looked;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> Looked {
        let factor = self.walk.factor;
        self.walk.all(simd, &mut self.look);
        let mut looked = self.look.looked;
        looked.sums.iter_mut().for_each(|sum| *sum *= factor);
        looked.nearest.iter_mut().for_each(|t| *t *= factor.abs());
        looked.squares *= factor * factor;
        looked
    }
}

/// What is seen of the entries over the factor; nearest is the largest of what they are by the factor's sign.
struct Look<'a> {
    weights: &'a [f64],
    /// −0 if the factor is negative, otherwise 0.
    turn: f64,
    looked: Looked,
}

impl Visit for Look<'_> {
    #[inline(always)]
    fn visit<S: Simd, T: Element, const SQUARE: bool, const MIRRORED: bool>(
        &mut self,
        simd: S,
        lines: &Lines<'_, T>,
    ) {
        let whole = if MIRRORED { lines.columns / LANES } else { 0 };
        // Squares on the diagonal are few.
        if MIRRORED {
            for l in (0..lines.rows.len()).step_by(TOGETHER) {
                self.few::<S, T, TOGETHER, SQUARE>(simd, (lines, l), whole);
            }
        }
        for (i, row) in (lines.i..).zip(lines.rows) {
            for j in whole * LANES..lines.columns {
                let a = row[j / LANES][j % LANES].to_f64();
                let e = if SQUARE { a * a } else { a };
                self.one::<MIRRORED>((i, lines.j + j), e);
            }
        }
    }
}

impl Look<'_> {
    /// An entry in row `i` and column `j`.
    #[inline(always)]
    fn one<const MIRRORED: bool>(&mut self, (i, j): (usize, usize), e: f64) {
        let Looked {
            sums,
            squares,
            nearest,
        } = &mut self.looked;
        let near = pulp::Scalar.xor_f64s(e, self.turn);
        sums[i] += self.weights[j] * e;
        *squares += e * e;
        // Nobody is nearest to itself.
        if i != j {
            nearest[i] = nearest[i].max(near);
        }
        if MIRRORED {
            sums[j] += self.weights[i] * e;
            *squares += e * e;
            nearest[j] = nearest[j].max(near);
        }
    }

    /// R rows from number `l` on, so many eights of them, which stand on the other side of the diagonal as well.
    #[inline(always)]
    fn few<S: Simd, T: Element, const R: usize, const SQUARE: bool>(
        &mut self,
        simd: S,
        (lines, l): (&Lines<'_, T>, usize),
        eights: usize,
    ) {
        let rows: [_; R] = std::array::from_fn(|r| &lines.rows[l + r][..eights]);
        let i = lines.i + l;
        let range = lines.j..lines.j + eights * LANES;
        let (weights, looked) = (self.weights, &mut self.looked);
        let own: [S::f64s; R] = std::array::from_fn(|r| simd.splat_f64s(weights[i + r]));
        let weights = weights[range.clone()].as_chunks::<LANES>().0;
        let column_sums = looked.sums[range.clone()].as_chunks_mut::<LANES>().0;
        let column_most = looked.nearest[range].as_chunks_mut::<LANES>().0;
        let zero = simd.splat_f64s(0.0);
        let turn = simd.splat_f64s(self.turn);
        let (mut sums, mut squares) = ([zero; R], [zero; R]);
        let mut most = [simd.splat_f64s(f64::NEG_INFINITY); R];
        let next = lines.next::<R>(l);
        let columns = weights.iter().zip(column_sums).zip(column_most);
        for (e, ((weights, column_sums), column_most)) in columns.enumerate() {
            for row in next {
                prefetch(row.wrapping_add(e * LANES));
            }
            for h in 0..LANES / S::F64_LANES {
                let weight = S::as_simd_f64s(weights).0[h];
                let column_sum = &mut S::as_mut_simd_f64s(column_sums).0[h];
                let column_most = &mut S::as_mut_simd_f64s(column_most).0[h];
                let (mut sum, mut largest) = (*column_sum, *column_most);
                for r in 0..R {
                    let t = entries::<S, T, SQUARE>(simd, &rows[r][e], h, zero);
                    let near = simd.xor_f64s(t, turn);
                    sums[r] = simd.mul_add_f64s(weight, t, sums[r]);
                    squares[r] = simd.mul_add_f64s(t, t, squares[r]);
                    most[r] = simd.max_f64s(most[r], near);
                    sum = simd.mul_add_f64s(own[r], t, sum);
                    largest = simd.max_f64s(largest, near);
                }
                (*column_sum, *column_most) = (sum, largest);
            }
        }
        for r in 0..R {
            looked.sums[i + r] += simd.reduce_sum_f64s(sums[r]);
            looked.squares += 2.0 * simd.reduce_sum_f64s(squares[r]);
            let nearest = &mut looked.nearest[i + r];
            *nearest = nearest.max(simd.reduce_max_f64s(most[r]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::kind::{Kind, Scale};
    use crate::random::Stream;
    use faer::{Mat, MatRef};

    /// Every size about the block sizes gives the plain sums, for every kind, on any number of threads, on every instruction set, as
    /// rows lie in memory and in no order.
    #[test]
    fn any_size_is_the_plain_sums() {
        let mut rng = Stream::new(9);
        for n in [2, 3, 47, 48, 49, 97, 177, 180, 305, 389, 773] {
            let raw = Mat::from_fn(n, n, |_, _| rng.normal());
            let a = Mat::from_fn(n, n, |i, j| raw[(i.max(j), i.min(j))]);
            let backwards = a.as_ref().reverse_rows_and_cols().to_owned();
            let weights: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
            for (kind, unit) in [
                (Kind::Similarity, 1.0),
                (Kind::Similarity, 0.5),
                (Kind::Squared, 1.0),
                (Kind::Squared, 2.0),
                (Kind::Dissimilarity, 0.5),
            ] {
                let (add, lift) = (0.0, 0.0);
                let scale = Scale {
                    kind,
                    unit,
                    add,
                    lift,
                };
                let t = Mat::from_fn(n, n, |i, j| match kind {
                    Kind::Similarity => a[(i, j)] * unit * unit,
                    _ if i == j => 0.0,
                    Kind::Squared => -0.5 * a[(i, j)] * unit * unit,
                    Kind::Dissimilarity => -0.5 * (a[(i, j)] * unit).powi(2),
                });
                let views = [a.as_ref(), backwards.as_ref().reverse_rows_and_cols()];
                for (view, matrix) in views.iter().enumerate() {
                    let matrix = Centred::uncentred(*matrix, scale, 1);
                    let what = format!("{n} {kind:?} {unit} {view}");
                    looks(&matrix, t.as_ref(), &weights, &what);
                }
            }
        }
    }

    fn looks(matrix: &Centred<'_, f64>, t: MatRef<'_, f64>, weights: &[f64], what: &str) {
        let n = t.nrows();
        let check = |looked: &Looked, weights: Option<&[f64]>| {
            for i in 0..n {
                let terms = (0..n).map(|j| weights.map_or(1.0, |w| w[j]) * t[(i, j)]);
                let (sum, size) =
                    terms.fold((0.0, 0.0), |(s, m): (f64, f64), t| (s + t, m + t.abs()));
                let bound = n as f64 * f64::EPSILON * size;
                assert!((looked.sums[i] - sum).abs() <= bound, "{what} {i}");
                let others = (0..n).filter(|j| *j != i).map(|j| t[(i, j)]);
                assert_eq!(looked.nearest[i], others.fold(f64::MIN, f64::max), "{what}");
            }
            let squares = t.squared_norm_l2();
            let error = (looked.squares - squares).abs();
            assert!(error <= 1e-13 * squares, "{what}");
        };
        for threads in [1, 2, 3] {
            check(&Looked::new(matrix, None, threads).unwrap(), None);
            let looked = Looked::new(matrix, Some(weights), threads).unwrap();
            check(&looked, Some(weights));
        }
        for arch in crate::isa::all() {
            let share = Share::new(matrix, weights, (0, 1));
            check(&arch.dispatch(share), Some(weights));
        }
    }
}
