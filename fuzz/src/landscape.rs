//! Objectives, evaluated in the plainest way, and places to evaluate them at.

use faer::{Mat, MatRef};

/// Numbers that depend on nothing but a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Between −1 and 1.
    pub fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// One newcomer, in a unit in which its largest number is 1.
pub struct Single {
    /// The eigenvalues of C.
    pub c: Vec<f64>,
    /// ŷ.
    pub projection: Vec<f64>,
    /// β.
    pub beta: f64,
    /// The unit of lengths.
    pub unit: f64,
}

impl Single {
    /// None if its numbers have no common unit.
    pub fn new(c: &[f64], projection: &[f64], beta: f64) -> Option<Self> {
        let longest = projection.iter().fold(0f64, |m, x| m.max(x.abs()));
        let unit = c
            .iter()
            .fold(beta.abs().sqrt(), |m, x| m.max(x.sqrt()))
            .max(longest);
        if !(unit.is_normal() && (unit * unit).is_normal()) {
            return None;
        }
        Some(Self {
            c: c.iter().map(|x| x / unit / unit).collect(),
            projection: projection.iter().map(|x| x / unit).collect(),
            beta: beta / unit / unit,
            unit,
        })
    }

    /// F without what does not depend on y, and the size of its terms.
    pub fn reconstruction(&self, y: &[f64]) -> (f64, f64) {
        let mut away = 0.0;
        let mut squared = 0.0;
        let mut size = 0.0;
        for ((c, p), y) in self.c.iter().zip(&self.projection).zip(y) {
            away += 2.0 * c * (y - p) * (y - p);
            size += 2.0 * c * (y * y + p * p);
            squared += y * y;
        }
        let short = squared - self.beta;
        (
            away + short * short,
            size + squared * squared + self.beta * self.beta,
        )
    }

    /// The hyperplane's f, and the size of its terms; n is the number of old objects.
    pub fn hyperplane(&self, y: &[f64], n: usize) -> (f64, f64) {
        let d = y.len();
        let share = n as f64 / (n as f64 + 1.0);
        let squared: f64 = self.projection.iter().map(|p| p * p).sum();
        let rho = (self.beta - squared).max(0.0).sqrt();
        let a = Mat::from_fn(d + 1, d, |i, j| {
            let up = if i < d { self.projection[i] } else { rho };
            let on = if i == j { self.c[i] } else { 0.0 };
            on + share * up * y[j]
        });
        let nuclear: f64 = a.singular_values().map_or(f64::NAN, |s| s.iter().sum());
        let trace: f64 = self.c.iter().sum();
        let length: f64 = y.iter().map(|v| v * v).sum();
        let size = 2.0 * trace + share * (self.beta.abs() + length);
        (
            2.0 * trace + share * (self.beta + length) - 2.0 * nuclear,
            size + 2.0 * nuclear,
        )
    }

    /// Places that might be better than `y`.
    pub fn probes(&self, y: &[f64], random: &mut Random) -> Vec<Vec<f64>> {
        let d = y.len();
        let mut all = vec![vec![0.0; d], self.projection.clone()];
        let radius = self.beta.max(0.0).sqrt();
        for axis in 0..d {
            let mut mirrored = y.to_vec();
            mirrored[axis] = -mirrored[axis];
            all.push(mirrored);
            let mut out = vec![0.0; d];
            out[axis] = radius;
            all.push(out);
        }
        while all.len() < 20 {
            let spread = [1e-6, 1e-3, 0.1, 2.0][all.len() % 4];
            all.push(y.iter().map(|v| v + spread * random.signed()).collect());
        }
        all
    }
}

/// Raw stress at y, all in one unit.
pub fn stress(x: MatRef<'_, f64>, delta: &[f64], weights: &[f64], y: &[f64]) -> f64 {
    (0..x.nrows())
        .filter(|&i| delta[i].is_finite() && weights[i] > 0.0)
        .map(|i| {
            let squared: f64 = x.row(i).iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
            let short = squared.sqrt() - delta[i];
            weights[i] * short * short
        })
        .sum()
}

/// A joint problem: C, G, β with NaN where it is missing.
pub struct Joint {
    pub cross: Mat<f64>,
    pub g: Mat<f64>,
    pub beta: Mat<f64>,
    /// ‖b‖².
    pub b_norm_squared: f64,
}

impl Joint {
    fn k(&self) -> usize {
        self.g.nrows()
    }

    fn short(&self, y: &Mat<f64>) -> Mat<f64> {
        let product = y * y.transpose();
        Mat::from_fn(self.k(), self.k(), |i, j| {
            let beta = match (self.beta[(i, j)], self.beta[(j, i)]) {
                (a, b) if a.is_nan() => b,
                (a, b) if b.is_nan() => a,
                (a, b) => 0.5 * (a + b),
            };
            if beta.is_nan() {
                0.0
            } else {
                product[(i, j)] - beta
            }
        })
    }

    /// F.
    pub fn objective(&self, y: &Mat<f64>) -> f64 {
        let yc = y * &self.cross;
        let mut f = 2.0 * self.b_norm_squared;
        for j in 0..y.ncols() {
            for i in 0..self.k() {
                f += 2.0 * (yc[(i, j)] * y[(i, j)] - 2.0 * self.g[(i, j)] * y[(i, j)]);
            }
        }
        f + self.short(y).squared_norm_l2()
    }

    /// Goes down from `y`, a little: a gradient step at a time, as long as it pays.
    pub fn descend(&self, mut y: Mat<f64>, steps: usize) -> (Mat<f64>, f64) {
        let mut f = self.objective(&y);
        let mut length = 0.1;
        for _ in 0..steps {
            let gradient = &y * &self.cross - &self.g + self.short(&y) * &y;
            let slope = gradient.squared_norm_l2();
            if !(slope > 0.0 && slope.is_finite()) {
                break;
            }
            let mut moved = false;
            for _ in 0..40 {
                let next = &y - faer::Scale(length) * &gradient;
                let lower = self.objective(&next);
                if lower <= f - 0.5 * length * slope {
                    (y, f) = (next, lower);
                    length *= 1.7;
                    moved = true;
                    break;
                }
                length *= 0.5;
            }
            if !moved {
                break;
            }
        }
        (y, f)
    }
}
