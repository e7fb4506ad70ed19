//! Variables on a map: which way each grows, and how well its values follow the axes.
//!
//! Two scalings of the same arrows. **Fitted vectors** (environmental fitting): the centred variable p is regressed on the
//! centred axes, p ≈ Xc; the arrow points along c, its length is r, and r² = ‖Xc‖² / ‖p‖² is judged by permuting p,
//! p-value = (1 + #{r²(π) ≥ r²}) / (1 + permutations). **Biplot** (descriptors projected on principal coordinates):
//! U = √(n−1) · S · Λ^(−½), S = P'Z / (n−1) with Z the axes scaled to variance one and Λ the eigenvalues.
//!
//! Axes are made orthonormal once (modified Gram–Schmidt, twice), so that a permutation costs q products of length n.
//! Objects of which a variable is not known are left out of that variable.
//!
//! # References
//! J. Oksanen et al., *vegan*, `envfit`: fitted vectors and their permutation test.
//! P. Legendre and L. Legendre, *Numerical Ecology* (1998), equations 9.44 and 9.55: the biplot.

use faer::{Mat, MatRef};

use crate::random::Stream;
use crate::rounding::TIE_UNITS;

/// How variables lie on some axes of a map, variable by variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variables {
    /// q, the number of axes.
    pub axes: usize,
    /// The share of each variable's variance that the axes explain; NaN if it does not vary.
    pub r2: Vec<f64>,
    /// How often a permuted variable does as well; NaN without permutations.
    pub p: Vec<f64>,
    /// Unit vectors along which variables grow fastest, q numbers each.
    pub directions: Vec<f64>,
    /// Biplot scores, q numbers each.
    pub biplot: Vec<f64>,
}

impl Variables {
    /// Fits variables, one in each column of `values` (n × v, NaN where not known), to coordinates (n × q) whose axes have
    /// these eigenvalues.
    pub fn fit(
        coordinates: MatRef<'_, f64>,
        eigenvalues: &[f64],
        values: MatRef<'_, f64>,
        permutations: usize,
    ) -> Self {
        let (n, q) = (coordinates.nrows(), coordinates.ncols());
        let all: Vec<usize> = (0..n).collect();
        let whole = Basis::of(coordinates, &all);
        let mut answer = Self {
            axes: q,
            ..Self::default()
        };
        for j in 0..values.ncols() {
            let known: Vec<usize> = (0..n).filter(|&i| values[(i, j)].is_finite()).collect();
            let part;
            let basis = if known.len() == n {
                &whole
            } else {
                part = Basis::of(coordinates, &known);
                &part
            };
            let mut p: Vec<f64> = known.iter().map(|&i| values[(i, j)]).collect();
            let size = centre(&mut p);
            let total: f64 = p.iter().map(|v| v * v).sum();
            // What is a rounding error beside the values does not vary.
            let varies = total.sqrt() > TIE_UNITS * f64::EPSILON * size * (n as f64).sqrt();
            let inner = basis.inner(&p);
            let explained = squared(&inner);
            let r2 = if varies {
                (explained / total).min(1.0)
            } else {
                f64::NAN
            };
            answer.r2.push(r2);
            answer.directions.extend(unit(basis.coefficients(&inner)));
            answer.biplot.extend(basis.biplot(&p, eigenvalues));
            answer.p.push(if varies && permutations > 0 {
                basis.judged(p, explained, permutations, j as u64)
            } else {
                f64::NAN
            });
        }
        answer
    }

    /// How many variables there are.
    pub fn count(&self) -> usize {
        self.r2.len()
    }

    /// The arrow of a fitted vector: its direction, as long as r.
    pub fn arrow(&self, variable: usize) -> Vec<f64> {
        let long = self.r2[variable].sqrt();
        let own = variable * self.axes..(variable + 1) * self.axes;
        self.directions[own].iter().map(|v| v * long).collect()
    }

    /// Variables that vary, those that fit best first.
    pub fn strongest(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.count())
            .filter(|&j| !self.r2[j].is_nan())
            .collect();
        order.sort_by(|&a, &b| self.r2[b].total_cmp(&self.r2[a]).then(a.cmp(&b)));
        order
    }
}

/// The centred axes of some objects, as orthonormal columns times a triangle.
struct Basis {
    /// Centred coordinates, axis by axis.
    centred: Vec<Vec<f64>>,
    orthonormal: Vec<Vec<f64>>,
    triangle: Mat<f64>,
}

impl Basis {
    fn of(coordinates: MatRef<'_, f64>, known: &[usize]) -> Self {
        let q = coordinates.ncols();
        let mut centred = Vec::with_capacity(q);
        for j in 0..q {
            let mut column: Vec<f64> = known.iter().map(|&i| coordinates[(i, j)]).collect();
            centre(&mut column);
            centred.push(column);
        }
        let mut orthonormal: Vec<Vec<f64>> = Vec::with_capacity(q);
        let mut triangle = Mat::zeros(q, q);
        for (j, column) in centred.iter().enumerate() {
            let mut left = column.clone();
            for _ in 0..2 {
                for (k, other) in orthonormal.iter().enumerate() {
                    let along = dot(other, &left);
                    triangle[(k, j)] += along;
                    left.iter_mut()
                        .zip(other)
                        .for_each(|(v, o)| *v -= along * o);
                }
            }
            let long = squared(&left).sqrt();
            triangle[(j, j)] = long;
            // An axis that the others already span adds nothing.
            let none = long <= TIE_UNITS * f64::EPSILON * squared(column).sqrt();
            let scale = if none { 0.0 } else { 1.0 / long };
            left.iter_mut().for_each(|v| *v *= scale);
            orthonormal.push(left);
        }
        Self {
            centred,
            orthonormal,
            triangle,
        }
    }

    /// Q'p.
    fn inner(&self, p: &[f64]) -> Vec<f64> {
        self.orthonormal.iter().map(|u| dot(u, p)).collect()
    }

    /// Coefficients of the regression on the axes, R⁻¹Q'p.
    fn coefficients(&self, inner: &[f64]) -> Vec<f64> {
        let q = inner.len();
        let mut c = vec![0.0; q];
        for j in (0..q).rev() {
            let later: f64 = (j + 1..q).map(|k| self.triangle[(j, k)] * c[k]).sum();
            let pivot = self.triangle[(j, j)];
            let known = inner[j] != 0.0 && pivot > 0.0;
            c[j] = if known {
                (inner[j] - later) / pivot
            } else {
                0.0
            };
        }
        c
    }

    fn biplot(&self, p: &[f64], eigenvalues: &[f64]) -> Vec<f64> {
        let below = p.len() as f64 - 1.0;
        let axes = self.centred.iter().zip(eigenvalues);
        axes.map(|(x, eigenvalue)| {
            let spread = (squared(x) / below).sqrt();
            let along = dot(x, p) / spread / below;
            along * (below / eigenvalue).sqrt()
        })
        .collect()
    }

    /// The p-value, by permutations that depend on nothing but the number of objects and of the variable.
    fn judged(&self, mut p: Vec<f64>, explained: f64, permutations: usize, seed: u64) -> f64 {
        let mut stream = Stream::new(seed);
        // As good to rounding is as good.
        let least = explained * (1.0 - TIE_UNITS * f64::EPSILON * p.len() as f64);
        let mut as_good = 0;
        for _ in 0..permutations {
            for i in (1..p.len()).rev() {
                p.swap(i, (stream.bits() % (i as u64 + 1)) as usize);
            }
            as_good += usize::from(squared(&self.inner(&p)) >= least);
        }
        (1 + as_good) as f64 / (1 + permutations) as f64
    }
}

/// Takes the mean away; the answer is the largest modulus before.
fn centre(values: &mut [f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let size = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    values.iter_mut().for_each(|v| *v -= mean);
    size
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn squared(values: &[f64]) -> f64 {
    dot(values, values)
}

fn unit(mut values: Vec<f64>) -> Vec<f64> {
    let long = squared(&values).sqrt();
    if long > 0.0 {
        values.iter_mut().for_each(|v| *v /= long);
    }
    values
}
