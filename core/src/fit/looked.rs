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
use crate::fit::product::{self, Aligned, STRIP_COLUMNS, STRIP_STRIDE};
use crate::input::kind::Element;
use crate::run;

/// Rows whose sums are in registers together.
const TOGETHER: usize = 2;

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
        let threads = run::threads_meant(threads).min(n.div_ceil(product::BAND));
        let parts = run::map(threads, threads, None, |thread| {
            crate::isa::arch().dispatch(Share {
                matrix,
                weights,
                share: (thread, threads),
            })
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

/// One thread's share: some bands of rows of the upper triangle.
struct Share<'a, 'b, T: Element> {
    matrix: &'b Centred<'a, T>,
    weights: &'b [f64],
    share: (usize, usize),
}

impl<T: Element> pulp::WithSimd for Share<'_, '_, T> {
    type Output = Looked;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Looked {
        let mut looked = Looked::nothing(self.matrix.count());
        let mut tile = Aligned::zeros(product::BAND * STRIP_STRIDE);
        for (i0, end) in product::bands(self.matrix.count(), self.share) {
            self.square_on_diagonal((i0, end), &mut tile, &mut looked);
            for j in (end..self.matrix.count()).step_by(STRIP_COLUMNS) {
                self.beside_diagonal(simd, (i0, end), j, &mut tile, &mut looked);
            }
        }
        looked
    }
}

impl<T: Element> Share<'_, '_, T> {
    /// The square of a band on the diagonal, whole, entry by entry.
    #[inline(always)]
    fn square_on_diagonal(&self, (i0, end): (usize, usize), tile: &mut [f64], looked: &mut Looked) {
        let count = end - i0;
        self.matrix.load((i0, count), (i0, count), tile);
        for (i, line) in (i0..end).zip(tile.chunks_exact(STRIP_STRIDE)) {
            for (j, t) in (i0..end).zip(line) {
                looked.sums[i] += self.weights[j] * t;
                looked.squares += t * t;
                // Nobody is nearest to itself.
                if i != j && *t > looked.nearest[i] {
                    looked.nearest[i] = *t;
                }
            }
        }
    }

    /// The columns of a band from `j0` on, a tile of them, which stand on the other side of the diagonal as well.
    #[inline(always)]
    fn beside_diagonal<S: Simd>(
        &self,
        simd: S,
        (i0, end): (usize, usize),
        j0: usize,
        tile: &mut [f64],
        looked: &mut Looked,
    ) {
        let columns = STRIP_COLUMNS.min(self.matrix.count() - j0);
        self.matrix.load((i0, end - i0), (j0, columns), tile);
        let (rows, whole) = (end - i0, columns - columns % S::F64_LANES);
        let weights = &self.weights[j0..j0 + columns];
        let mut l = 0;
        while l < rows {
            let take = if l + TOGETHER <= rows { TOGETHER } else { 1 };
            let lines = &tile[l * STRIP_STRIDE..];
            let i = i0 + l;
            if take == TOGETHER {
                self.rows::<S, TOGETHER>(simd, lines, (i, j0), &weights[..whole], looked);
            } else {
                self.rows::<S, 1>(simd, lines, (i, j0), &weights[..whole], looked);
            }
            for (r, line) in lines.chunks_exact(STRIP_STRIDE).take(take).enumerate() {
                let (i, left) = (i + r, whole..columns);
                for (c, t) in left.clone().zip(&line[left]) {
                    looked.sums[i] += weights[c] * t;
                    looked.sums[j0 + c] += self.weights[i] * t;
                    looked.squares += 2.0 * t * t;
                    looked.nearest[i] = looked.nearest[i].max(*t);
                    looked.nearest[j0 + c] = looked.nearest[j0 + c].max(*t);
                }
            }
            l += take;
        }
    }

    /// R rows from `i` on by whole vectors of columns, as many as there are `weights`.
    #[inline(always)]
    fn rows<S: Simd, const R: usize>(
        &self,
        simd: S,
        lines: &[f64],
        (i, j0): (usize, usize),
        weights: &[f64],
        looked: &mut Looked,
    ) {
        let columns = weights.len();
        let lines: [&[S::f64s]; R] = std::array::from_fn(|r| {
            S::as_simd_f64s(&lines[r * STRIP_STRIDE..r * STRIP_STRIDE + columns]).0
        });
        let own: [S::f64s; R] = std::array::from_fn(|r| simd.splat_f64s(self.weights[i + r]));
        let zero = simd.splat_f64s(0.0);
        let mut sums = [zero; R];
        let mut squares = [zero; R];
        let mut most = [simd.splat_f64s(f64::NEG_INFINITY); R];
        let (weights, _) = S::as_simd_f64s(weights);
        let (column_sums, _) = S::as_mut_simd_f64s(&mut looked.sums[j0..j0 + columns]);
        let (column_most, _) = S::as_mut_simd_f64s(&mut looked.nearest[j0..j0 + columns]);
        for c in 0..weights.len() {
            let (mut sum, mut largest) = (column_sums[c], column_most[c]);
            for r in 0..R {
                let t = lines[r][c];
                sums[r] = simd.mul_add_f64s(weights[c], t, sums[r]);
                squares[r] = simd.mul_add_f64s(t, t, squares[r]);
                most[r] = simd.max_f64s(most[r], t);
                sum = simd.mul_add_f64s(own[r], t, sum);
                largest = simd.max_f64s(largest, t);
            }
            (column_sums[c], column_most[c]) = (sum, largest);
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
    use faer::Mat;

    /// Every size about the block sizes gives the plain sums, on any number of threads, on every instruction set.
    #[test]
    fn any_size_is_the_plain_sums() {
        let mut rng = Stream::new(9);
        for n in [2, 3, 47, 48, 49, 97, 177, 180, 305] {
            let raw = Mat::from_fn(n, n, |_, _| rng.normal());
            let a = Mat::from_fn(n, n, |i, j| raw[(i.max(j), i.min(j))]);
            let weights: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
            let scale = Scale {
                kind: Kind::Similarity,
                unit: 1.0,
                add: 0.0,
                lift: 0.0,
            };
            let matrix = Centred::uncentred(a.as_ref(), scale, 1);
            let check = |looked: &Looked, weights: Option<&[f64]>| {
                for i in 0..n {
                    let terms = (0..n).map(|j| weights.map_or(1.0, |w| w[j]) * a[(i, j)]);
                    let (sum, size) =
                        terms.fold((0.0, 0.0), |(s, m): (f64, f64), t| (s + t, m + t.abs()));
                    let bound = n as f64 * f64::EPSILON * size;
                    assert!((looked.sums[i] - sum).abs() <= bound, "{n} {i}");
                    let others = (0..n).filter(|j| *j != i).map(|j| a[(i, j)]);
                    assert_eq!(looked.nearest[i], others.fold(f64::MIN, f64::max), "{n}");
                }
                let squares = a.squared_norm_l2();
                assert!((looked.squares - squares).abs() <= 1e-13 * squares, "{n}");
            };
            for threads in [1, 2, 3] {
                check(&Looked::new(&matrix, None, threads).unwrap(), None);
                let weights = Some(&weights[..]);
                check(&Looked::new(&matrix, weights, threads).unwrap(), weights);
            }
            for arch in crate::isa::all() {
                let share = Share {
                    matrix: &matrix,
                    weights: &weights,
                    share: (0, 1),
                };
                check(&arch.dispatch(share), Some(&weights));
            }
        }
    }
}
