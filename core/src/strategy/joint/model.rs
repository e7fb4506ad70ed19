//! The joint objective in the eigenbasis of C and in units of order one: values, gradient, Hessian
//! products, and the exact quartic along a line.
//!
//! Everything is F/4, so that the gradient is R = YC − G + SY, S = M∘(YY' − β), and
//!
//! ```text
//! F(Y + Z)/4 − F(Y)/4 = ⟨R, Z⟩ + ½⟨Z, ZC + SZ⟩ + ¼‖M∘(YZ' + ZY' + ZZ')‖²
//! ```
//!
//! exactly: differences never come from subtracting two values of F. M is 0 on missing entries and
//! 1 elsewhere; M∘A is taken as A minus its entries on the list of missing pairs.
#![allow(non_snake_case)]

use std::cell::Cell;

use faer::{Mat, Par};

use super::algebra::{add, add_product, dot, eigen, norm, product, scale, scale_columns};
use super::{Between, Problem};
use crate::rounding::{TIE_UNITS, power_of_two};
use crate::run::{Progress, Watch};

/// Columns of YY' − β formed at a time when the objective is summed entry by entry.
const STRIP: usize = 128;

/// A problem in the eigenbasis of C, divided by a power of two: Y by s, C and β by s², G by s³.
pub(super) struct Model<'a> {
    pub between: &'a dyn Between,
    pub missing: &'a [(usize, usize)],
    /// The number n of old objects.
    pub size: usize,
    /// s, a power of two.
    pub unit: f64,
    /// The eigenvectors of C, in columns.
    pub basis: Mat<f64>,
    /// The eigenvalues of C, ascending.
    pub c: Vec<f64>,
    pub G: Mat<f64>,
    /// Axes on which G is zero to rounding, so that they have no preferred sign.
    pub free: Vec<bool>,
    /// Ŷ = GC⁻¹.
    pub projection: Mat<f64>,
    /// ‖b‖² − tr ŶCŶ': what no Y can explain.
    pub rest: f64,
    pub b_squared: f64,
    pub beta_squared: f64,
    pub beta_diagonal: Vec<f64>,
    pub par: Par,
    /// Vectors multiplied by β so far.
    pub products: Cell<usize>,
    /// Told of the steps; it may end the work.
    pub watch: Option<Watch<'a>>,
    /// Whether it has.
    pub stopped: Cell<bool>,
}

/// A configuration with what its gradient and Hessian need.
#[derive(Clone)]
pub(super) struct Point {
    pub Y: Mat<f64>,
    /// βY.
    pub BY: Mat<f64>,
    /// Y'Y.
    pub YY: Mat<f64>,
    /// R, the gradient of F/4.
    pub R: Mat<f64>,
    /// ‖R‖ over the size of its terms.
    pub stationarity: f64,
}

impl<'a> Model<'a> {
    pub fn new(problem: &Problem<'a>, par: Par) -> Self {
        let (k, d) = (problem.g.nrows(), problem.g.ncols());
        let between = problem.between;
        assert_eq!(k, between.len(), "G and β are of the same newcomers");
        assert!(problem.cross.nrows() == d && problem.cross.ncols() == d);

        // The scale: the largest of √C, √β and ∛G, as a power of two.
        let beta_diagonal = between.diagonal();
        let largest = |m: f64, v: &f64| m.max(v.abs());
        let c_max = (0..d).fold(0.0, |m, j| problem.cross.col(j).iter().fold(m, largest));
        let g_max = (0..d).fold(0.0, |m, j| problem.g.col(j).iter().fold(m, largest));
        let b_max = (between.norm_squared() / k.max(1) as f64).sqrt();
        let b_max = beta_diagonal.iter().fold(b_max, largest);
        let s = power_of_two(c_max.sqrt().max(b_max.sqrt()).max(g_max.cbrt()));
        let cross = Mat::from_fn(d, d, |i, j| problem.cross[(i, j)] / s / s);
        let g = Mat::from_fn(k, d, |i, j| problem.g[(i, j)] / s / s / s);
        let square = |v: f64| v / s / s / s / s;
        let b_squared = square(problem.b_norm_squared);

        // The eigenbasis, kept as it is when C is diagonal so that nothing is rounded for nothing.
        let diagonal = (0..d).all(|j| (0..d).all(|i| i == j || cross[(i, j)] == 0.0));
        let (c, basis, mut G) = if diagonal {
            let mut order: Vec<usize> = (0..d).collect();
            order.sort_by(|&i, &j| cross[(i, i)].total_cmp(&cross[(j, j)]).then(j.cmp(&i)));
            let basis = Mat::from_fn(d, d, |i, j| if i == order[j] { 1.0 } else { 0.0 });
            let G = Mat::from_fn(k, d, |i, j| g[(i, order[j])]);
            (order.iter().map(|&i| cross[(i, i)]).collect(), basis, G)
        } else {
            let found = eigen(cross.as_ref(), Par::Seq);
            let G = product(g.as_ref(), found.vectors.as_ref(), par);
            (found.values, found.vectors, G)
        };
        let c: Vec<f64> = c.iter().map(|v: &f64| v.max(0.0)).collect();

        // What is rounding in G (relative to σ_i‖b‖, as in the secular equation) is zero.
        let tie = TIE_UNITS * problem.size as f64 * f64::EPSILON;
        let top = c.last().copied().unwrap_or(0.0);
        let mut free = vec![false; d];
        let mut projection = Mat::zeros(k, d);
        let mut explained = 0.0;
        for i in 0..d {
            let column = G.col_as_slice_mut(i);
            let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
            free[i] = length <= tie * (c[i] * b_squared).sqrt();
            if free[i] {
                column.fill(0.0);
            } else if c[i] > tie * top {
                explained += length * length / c[i];
                for j in 0..k {
                    projection[(j, i)] = G[(j, i)] / c[i];
                }
            }
        }
        Self {
            between,
            missing: between.missing(),
            size: problem.size,
            unit: s,
            basis,
            c,
            G,
            free,
            projection,
            rest: (b_squared - explained).max(0.0),
            b_squared,
            beta_squared: square(between.norm_squared()),
            beta_diagonal: beta_diagonal.iter().map(|v| v / s / s).collect(),
            par,
            products: Cell::new(0),
            watch: None,
            stopped: Cell::new(false),
        }
    }

    /// Tells the watch of a step; false if the work is to end.
    pub fn goes_on(&self, done: usize, total: usize) -> bool {
        if let Some(watch) = self.watch {
            let task = "placing newcomers jointly";
            let stop = watch(Progress { task, done, total }).is_break();
            self.stopped.set(self.stopped.get() || stop);
        }
        !self.stopped.get()
    }

    /// Floating-point operations spent on products with β so far.
    pub fn work(&self) -> f64 {
        2.0 * (self.k() as f64).powi(2) * self.products.get() as f64
    }

    /// k, the number of newcomers.
    pub fn k(&self) -> usize {
        self.G.nrows()
    }

    /// d, the number of axes.
    pub fn d(&self) -> usize {
        self.G.ncols()
    }

    pub fn c_min(&self) -> f64 {
        self.c.first().copied().unwrap_or(0.0)
    }

    pub fn c_max(&self) -> f64 {
        self.c.last().copied().unwrap_or(0.0)
    }

    /// β written out, by products where the caller has no matrix.
    pub fn beta_matrix(&self) -> Mat<f64> {
        let Some(beta) = self.between.dense() else {
            return self.beta(&Mat::identity(self.k(), self.k()));
        };
        let mut out = beta.to_owned();
        scale(&mut out, 1.0 / self.unit / self.unit);
        out
    }

    /// βZ, one pass over β.
    pub fn beta(&self, Z: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(Z.nrows(), Z.ncols());
        self.products.set(self.products.get() + Z.ncols());
        self.between.multiply(Z.as_ref(), out.as_mut(), self.par);
        scale(&mut out, 1.0 / self.unit / self.unit);
        out
    }

    /// The point at Y.
    pub fn at(&self, Y: Mat<f64>) -> Point {
        let BY = self.beta(&Y);
        self.with_product(Y, BY)
    }

    /// The point at Y when βY is known.
    pub fn with_product(&self, Y: Mat<f64>, BY: Mat<f64>) -> Point {
        let YY = product(Y.transpose(), Y.as_ref(), self.par);
        let YC = scale_columns(&Y, &self.c);
        let YYY = product(Y.as_ref(), YY.as_ref(), self.par);
        let terms = norm(&YC) + norm(&self.G) + norm(&YYY) + norm(&BY);
        let mut R = YC;
        add(&mut R, -1.0, &self.G);
        add(&mut R, 1.0, &YYY);
        add(&mut R, -1.0, &BY);
        self.hide(-0.5, &Y, &Y, &Y, &mut R);
        let r = norm(&R);
        // Everything is of order one here, and where all terms are below ε so is the answer.
        let stationarity = r / terms.max(f64::EPSILON);
        Point {
            Y,
            BY,
            YY,
            R,
            stationarity,
        }
    }

    /// SZ, given βZ.
    pub fn multiplier(&self, at: &Point, Z: &Mat<f64>, BZ: &Mat<f64>) -> Mat<f64> {
        let inner = product(at.Y.transpose(), Z.as_ref(), self.par);
        let mut out = product(at.Y.as_ref(), inner.as_ref(), self.par);
        add(&mut out, -1.0, BZ);
        self.hide(-0.5, &at.Y, &at.Y, Z, &mut out);
        out
    }

    /// The Hessian of F/4 on Z, and βZ: ZC + SZ + (M∘(ZY' + YZ'))Y.
    pub fn hessian(&self, at: &Point, Z: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        let BZ = self.beta(Z);
        let mut out = self.multiplier(at, Z, &BZ);
        add(&mut out, 1.0, &scale_columns(Z, &self.c));
        add_product(out.as_mut(), 1.0, Z.as_ref(), at.YY.as_ref(), self.par);
        let inner = product(Z.transpose(), at.Y.as_ref(), self.par);
        add_product(out.as_mut(), 1.0, at.Y.as_ref(), inner.as_ref(), self.par);
        self.hide(-1.0, &at.Y, Z, &at.Y, &mut out);
        (out, BZ)
    }

    /// Coefficients of α, α², α³, α⁴ in F(Y + αZ)/4 − F(Y)/4.
    pub fn along(&self, at: &Point, Z: &Mat<f64>, BZ: &Mat<f64>) -> [f64; 4] {
        let E = product(at.Y.transpose(), Z.as_ref(), self.par);
        let ZZ = product(Z.transpose(), Z.as_ref(), self.par);
        let ZC = scale_columns(Z, &self.c);
        let SZ = self.multiplier(at, Z, BZ);
        let E_transposed = E.transpose().to_owned();
        let mut crossed = 2.0 * (dot(&at.YY, &ZZ) + dot(&E, &E_transposed));
        let mut mixed = 2.0 * dot(&E_transposed, &ZZ);
        let mut squared = dot(&ZZ, &ZZ);
        for &(i, j) in self.missing {
            let twice = if i == j { 1.0 } else { 2.0 };
            let (mut w, mut z) = (0.0, 0.0);
            for a in 0..self.d() {
                w += at.Y[(i, a)] * Z[(j, a)] + Z[(i, a)] * at.Y[(j, a)];
                z += Z[(i, a)] * Z[(j, a)];
            }
            crossed -= twice * w * w;
            mixed -= twice * w * z;
            squared -= twice * z * z;
        }
        [
            dot(&at.R, Z),
            0.5 * (dot(Z, &ZC) + dot(Z, &SZ)) + 0.25 * crossed,
            0.5 * mixed,
            0.25 * squared,
        ]
    }

    /// F, as a sum of squares wherever β is a matrix.
    pub fn objective(&self, at: &Point) -> f64 {
        2.0 * self.rest + 2.0 * self.misfit_to_old(&at.Y) + self.misfit_between(at)
    }

    /// tr (Y − Ŷ)C(Y − Ŷ)', the part of the cross term that Y decides.
    fn misfit_to_old(&self, Y: &Mat<f64>) -> f64 {
        let mut D = Y.clone();
        add(&mut D, -1.0, &self.projection);
        dot(&scale_columns(&D, &self.c), &D)
    }

    /// ‖M∘(YY' − β)‖².
    fn misfit_between(&self, at: &Point) -> f64 {
        let k = self.k();
        let Y = &at.Y;
        let mut sum = 0.0;
        if let Some(beta) = self.between.dense() {
            let down = 1.0 / self.unit / self.unit;
            let mut first = 0;
            while first < k {
                let width = STRIP.min(k - first);
                let strip = product(
                    Y.as_ref(),
                    Y.as_ref().subrows(first, width).transpose(),
                    self.par,
                );
                for j in 0..width {
                    let column = strip.col_as_slice(j);
                    let mut part = 0.0;
                    for (v, w) in column.iter().zip(beta.col(first + j).iter()) {
                        part += (v - w * down).powi(2);
                    }
                    sum += part;
                }
                first += width;
            }
        } else {
            sum = dot(&at.YY, &at.YY) - 2.0 * dot(Y, &at.BY) + self.beta_squared;
        }
        for &(i, j) in self.missing {
            let twice = if i == j { 1.0 } else { 2.0 };
            let v: f64 = (0..self.d()).map(|a| Y[(i, a)] * Y[(j, a)]).sum();
            sum -= twice * v * v;
        }
        sum.max(0.0)
    }

    /// out ← out + factor · (M̄∘(UV' + VU'))W, M̄ being 1 on the missing entries.
    fn hide(&self, factor: f64, U: &Mat<f64>, V: &Mat<f64>, W: &Mat<f64>, out: &mut Mat<f64>) {
        for &(i, j) in self.missing {
            let mut e = 0.0;
            for a in 0..U.ncols() {
                e += U[(i, a)] * V[(j, a)] + V[(i, a)] * U[(j, a)];
            }
            e *= factor;
            for a in 0..W.ncols() {
                let (wi, wj) = (W[(i, a)], W[(j, a)]);
                out[(i, a)] += e * wj;
                if i != j {
                    out[(j, a)] += e * wi;
                }
            }
        }
    }

    /// Y in the caller's units and axes.
    pub fn coordinates(&self, Y: &Mat<f64>) -> Mat<f64> {
        let mut out = product(Y.as_ref(), self.basis.transpose(), self.par);
        scale(&mut out, self.unit);
        out
    }

    /// Y from the caller's units and axes.
    pub fn enter(&self, Y: &Mat<f64>) -> Mat<f64> {
        let mut out = product(Y.as_ref(), self.basis.as_ref(), self.par);
        scale(&mut out, 1.0 / self.unit);
        out
    }

    /// What is of the size of F, in the caller's units.
    pub fn in_units(&self, value: f64) -> f64 {
        value * self.unit * self.unit * self.unit * self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DenseBetween, Problem};
    use super::*;
    use crate::random::Stream;

    /// Calls `judge` with a small model: complete, and with a third of β missing.
    fn models(judge: impl Fn(&Model<'_>, &mut Stream)) {
        let mut rng = Stream::new(41);
        for hidden in [false, true] {
            let (n, k, d) = (6, 5, 3);
            let x = Mat::from_fn(n, d, |_, _| rng.normal());
            let b = Mat::from_fn(n, k, |_, _| rng.normal());
            let mut beta = Mat::from_fn(k, k, |_, _| 3.0 * rng.normal());
            for (i, j) in [(0, 1), (2, 4), (3, 3), (1, 4), (0, 3)] {
                if hidden {
                    beta[(i, j)] = f64::NAN;
                    beta[(j, i)] = f64::NAN;
                }
            }
            let between = DenseBetween::new(beta);
            let (cross, g) = (x.transpose() * &x, b.transpose() * &x);
            let problem = Problem {
                cross: cross.as_ref(),
                g: g.as_ref(),
                between: &between,
                b_norm_squared: b.squared_norm_l2(),
                size: n,
            };
            judge(&Model::new(&problem, Par::Seq), &mut rng);
        }
    }

    fn drawn(model: &Model<'_>, rng: &mut Stream) -> Mat<f64> {
        Mat::from_fn(model.k(), model.d(), |_, _| rng.normal())
    }

    /// F by its definition, from scaled C, G and β, entry by entry.
    fn by_definition(model: &Model<'_>, Y: &Mat<f64>) -> f64 {
        let beta = model.beta_matrix();
        let mut sum = 2.0 * model.b_squared;
        for i in 0..model.k() {
            for a in 0..model.d() {
                sum += 2.0 * Y[(i, a)] * (model.c[a] * Y[(i, a)] - 2.0 * model.G[(i, a)]);
            }
            for j in 0..model.k() {
                let inner: f64 = (0..model.d()).map(|a| Y[(i, a)] * Y[(j, a)]).sum();
                if !model.missing.contains(&(i.min(j), i.max(j))) {
                    sum += (inner - beta[(i, j)]).powi(2);
                }
            }
        }
        sum
    }

    /// The objective is its definition, and the quartic along a line its difference.
    #[test]
    fn values_and_lines_are_the_definition() {
        models(|model, rng| {
            let (Y, Z) = (drawn(model, rng), drawn(model, rng));
            let point = model.at(Y.clone());
            let value = by_definition(model, &Y);
            assert!((model.objective(&point) - value).abs() < 1e-13 * value);
            let [a, b, c, e] = model.along(&point, &Z, &model.beta(&Z));
            for alpha in [-2.0, -0.3, 0.5, 1.7] {
                let mut moved = Y.clone();
                add(&mut moved, alpha, &Z);
                let change = by_definition(model, &moved) - value;
                let quartic = 4.0 * alpha * (a + alpha * (b + alpha * (c + alpha * e)));
                assert!((change - quartic).abs() < 1e-12 * (value + change.abs()));
            }
        });
    }

    /// Gradient and Hessian agree with central differences, whose error is of second order.
    #[test]
    fn derivatives_agree_with_differences() {
        models(|model, rng| {
            let (Y, Z) = (drawn(model, rng), drawn(model, rng));
            let h = 1e-4;
            let [ahead, behind] = [h, -h].map(|step| {
                let mut moved = Y.clone();
                add(&mut moved, step, &Z);
                model.at(moved)
            });
            let point = model.at(Y);
            let slope = (model.objective(&ahead) - model.objective(&behind)) / (2.0 * h);
            let gradient = 4.0 * dot(&point.R, &Z);
            assert!(
                (slope - gradient).abs() < 1e-6 * gradient.abs(),
                "{slope} {gradient}"
            );
            let (HZ, _) = model.hessian(&point, &Z);
            let mut difference = ahead.R.clone();
            add(&mut difference, -1.0, &behind.R);
            scale(&mut difference, 0.5 / h);
            add(&mut difference, -1.0, &HZ);
            assert!(norm(&difference) < 1e-6 * norm(&HZ));
        });
    }
}
