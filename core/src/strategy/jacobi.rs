//! The linear algebra that one newcomer needs, on matrices of d or d + 1 on a side: singular values, and
//! equations with a definite matrix.
//!
//! Singular values by one-sided Jacobi: turn pairs of columns until all are orthogonal, A V = W T. For these sizes it
//! costs about as much as the general routines spend on setting up, it finds small singular values to
//! full relative accuracy when the columns are only badly scaled (as Σ_d² is), and it leaves columns
//! that are orthogonal to the others alone to the bit, so that an exact symmetry stays exact.
//!
//! # References
//! Demmel and Veselić (1992), Jacobi's method is more accurate than QR, SIAM J. Matrix Anal. Appl.
//! 13:1204–1245.

/// A thin singular value decomposition A = W T V', values descending, matrices by columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Svd {
    /// W, `rows` × `columns`, orthonormal columns (also where a value is zero).
    pub left: Vec<f64>,
    /// The diagonal of T.
    pub values: Vec<f64>,
    /// V, `columns` × `columns`.
    pub right: Vec<f64>,
    rows: usize,
}

/// Sweeps converge quadratically after the first few; this only bounds the loop.
const MOST_SWEEPS: usize = 60;

/// Columns shorter than ε² times the longest carry no digit of A: their value is zero.
const NOTHING: f64 = f64::EPSILON * f64::EPSILON;

impl Svd {
    /// Decomposes the `rows` × `a.len() / rows` matrix `a`, stored by columns, with at least as many
    /// rows as columns. Entries must be finite, with squares that neither overflow nor vanish.
    pub fn new(mut a: Vec<f64>, rows: usize) -> Self {
        let columns = a.len().checked_div(rows).unwrap_or(0);
        let mut right = identity(columns);
        for _ in 0..MOST_SWEEPS {
            let mut turned = false;
            for i in 0..columns {
                for j in i + 1..columns {
                    turned |= turn(&mut a, &mut right, rows, columns, i, j);
                }
            }
            if !turned {
                break;
            }
        }
        Self::sorted(&a, &right, rows, columns)
    }

    /// Orders the columns by length, divides by it, and completes W where it is zero.
    fn sorted(a: &[f64], right: &[f64], rows: usize, columns: usize) -> Self {
        let length = |j: usize| norm(&a[j * rows..(j + 1) * rows]);
        let mut order: Vec<(f64, usize)> = (0..columns).map(|j| (length(j), j)).collect();
        order.sort_by(|x, y| y.0.total_cmp(&x.0));
        let largest = order.first().map_or(0.0, |o| o.0);
        let mut svd = Svd {
            left: Vec::with_capacity(rows * columns),
            values: Vec::with_capacity(columns),
            right: Vec::with_capacity(columns * columns),
            rows,
        };
        for (value, j) in order {
            svd.right.extend(&right[j * columns..(j + 1) * columns]);
            if value > NOTHING * largest {
                svd.values.push(value);
                svd.left
                    .extend(a[j * rows..(j + 1) * rows].iter().map(|v| v / value));
            } else {
                svd.values.push(0.0);
                let extra = orthogonal_to(&svd.left, rows);
                svd.left.extend(extra);
            }
        }
        svd
    }

    /// Column j of W.
    pub fn left(&self, j: usize) -> &[f64] {
        &self.left[j * self.rows..(j + 1) * self.rows]
    }

    /// Column j of V.
    pub fn right(&self, j: usize) -> &[f64] {
        let columns = self.values.len();
        &self.right[j * columns..(j + 1) * columns]
    }

    /// Q'u for the polar factor Q = WV' of A.
    pub fn polar_transposed(&self, u: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.values.len()];
        for j in 0..self.values.len() {
            let along = dot(self.left(j), u);
            for (y, v) in y.iter_mut().zip(self.right(j)) {
                *y += along * v;
            }
        }
        y
    }

    /// |A|⁻¹g for a symmetric A = W T V', |A| = V T V', with values below `least` raised to it:
    /// downhill of a quadratic whether or not it is convex.
    pub fn solve_modulus(&self, g: &[f64], least: f64) -> Vec<f64> {
        let mut x = vec![0.0; self.values.len()];
        for (j, &value) in self.values.iter().enumerate() {
            let along = dot(self.right(j), g) / value.max(least);
            for (x, v) in x.iter_mut().zip(self.right(j)) {
                *x += along * v;
            }
        }
        x
    }
}

/// Makes columns i and j orthogonal; false if they already were.
fn turn(a: &mut [f64], v: &mut [f64], rows: usize, columns: usize, i: usize, j: usize) -> bool {
    let (x, y) = pair(a, rows, i, j);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (p, q) in x.iter().zip(y.iter()) {
        xx += p * p;
        yy += q * q;
        xy += p * q;
    }
    if xy == 0.0 || xy.abs() <= f64::EPSILON * xx.sqrt() * yy.sqrt() {
        return false;
    }
    let zeta = (yy - xx) / (2.0 * xy);
    let t = 1f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / t.hypot(1.0);
    let sine = cosine * t;
    rotate(x, y, cosine, sine);
    let (x, y) = pair(v, columns, i, j);
    rotate(x, y, cosine, sine);
    true
}

fn rotate(x: &mut [f64], y: &mut [f64], cosine: f64, sine: f64) {
    for (p, q) in x.iter_mut().zip(y.iter_mut()) {
        (*p, *q) = (cosine * *p - sine * *q, sine * *p + cosine * *q);
    }
}

/// Columns i < j of a matrix, both to be written.
fn pair(a: &mut [f64], rows: usize, i: usize, j: usize) -> (&mut [f64], &mut [f64]) {
    let (head, tail) = a.split_at_mut(j * rows);
    (&mut head[i * rows..(i + 1) * rows], &mut tail[..rows])
}

/// A unit vector orthogonal to the given orthonormal columns, fewer than `rows`: the axis that they
/// cover least (the last of equals), made orthogonal twice.
fn orthogonal_to(columns: &[f64], rows: usize) -> Vec<f64> {
    let covered = |k: usize| {
        columns
            .iter()
            .skip(k)
            .step_by(rows)
            .map(|v| v * v)
            .sum::<f64>()
    };
    let axis = (0..rows)
        .rev()
        .min_by(|&k, &l| covered(k).total_cmp(&covered(l)))
        .unwrap_or(0);
    let mut e = vec![0.0; rows];
    e[axis] = 1.0;
    for _ in 0..2 {
        for w in columns.chunks_exact(rows) {
            let along = dot(w, &e);
            for (e, w) in e.iter_mut().zip(w) {
                *e -= along * w;
            }
        }
        let length = norm(&e);
        e.iter_mut().for_each(|v| *v /= length);
    }
    e
}

/// Solves (H + `raise` I) x = g by Cholesky's method if every pivot exceeds `least`; the smallest comes
/// with the answer. H is symmetric.
pub fn cholesky(h: &[f64], raise: f64, g: &[f64], least: f64) -> Option<(Vec<f64>, f64)> {
    let d = g.len();
    // The factor by rows, in the place of H's lower triangle (H is symmetric: columns are rows).
    let mut l = h.to_vec();
    let mut x = g.to_vec();
    let mut smallest = f64::INFINITY;
    for j in 0..d {
        let (above, row) = l.split_at_mut(j * d);
        for k in 0..j {
            let known = dot(&row[..k], &above[k * d..k * d + k]);
            row[k] = (row[k] - known) / above[k * d + k];
        }
        let pivot = row[j] + raise - dot(&row[..j], &row[..j]);
        if pivot <= least || pivot.is_nan() {
            return None;
        }
        smallest = smallest.min(pivot);
        row[j] = pivot.sqrt();
        x[j] = (x[j] - dot(&row[..j], &x[..j])) / row[j];
    }
    for j in (0..d).rev() {
        x[j] /= l[j * d + j];
        for k in 0..j {
            x[k] -= l[j * d + k] * x[j];
        }
    }
    Some((x, smallest))
}

/// The identity matrix, by columns.
pub fn identity(d: usize) -> Vec<f64> {
    let mut v = vec![0.0; d * d];
    v.iter_mut().step_by(d + 1).for_each(|v| *v = 1.0);
    v
}

/// x'y.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// ‖x‖, for entries whose squares neither overflow nor vanish.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// A − W T V' and W'W − I, V'V − I are of the order of rounding, ranks and grades of any kind.
    #[test]
    fn decomposes_to_rounding() {
        let mut rng = Stream::new(3);
        for round in 0..400 {
            let columns = 1 + (rng.bits() % 12) as usize;
            let rows = columns + (rng.bits() % 3) as usize;
            let mut a: Vec<f64> = (0..rows * columns).map(|_| rng.normal()).collect();
            for j in 0..columns {
                let grade = if round % 3 == 1 {
                    10f64.powi(-(j as i32))
                } else {
                    1.0
                };
                a[j * rows..(j + 1) * rows]
                    .iter_mut()
                    .for_each(|v| *v *= grade);
            }
            if round % 3 == 2 && columns > 1 {
                a.copy_within(0..rows, (columns - 1) * rows);
            }
            if round % 9 == 2 {
                a[..rows].fill(0.0);
            }
            let svd = Svd::new(a.clone(), rows);
            let unit = f64::EPSILON * rows as f64;
            for i in 0..columns {
                for j in 0..columns {
                    let want = f64::from(i == j);
                    assert!((dot(svd.left(i), svd.left(j)) - want).abs() < 16.0 * unit);
                    assert!((dot(svd.right(i), svd.right(j)) - want).abs() < 16.0 * unit);
                }
                for k in 0..rows {
                    let product: f64 = (0..columns)
                        .map(|j| svd.left(j)[k] * svd.values[j] * svd.right(j)[i])
                        .sum();
                    let error = (product - a[i * rows + k]).abs();
                    assert!(error <= 16.0 * unit * svd.values[0], "{error:e}");
                }
            }
        }
    }
}
