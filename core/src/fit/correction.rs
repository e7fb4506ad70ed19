//! The constants of Lingoes and Cailliez: the least that makes dissimilarities Euclidean.
//!
//! ```text
//! Lingoes   δ² + 2c₁:   Q(c) = B₂ + cP                c₁ = the least c ≥ 0 with Q(c) ⪰ 0
//! Cailliez  (δ + c₂)²:  Q(c) = B₂ + 2cB₁ + ½c²P       c₂ = the least c ≥ 0 with Q(c) ⪰ 0
//! ```
//!
//! with B₂ = −½PΔ₂P, B₁ = −½PΔP, P = I − ee'/n. So c₁ = max(0, −λ_min(B₂)), and c₂ is known as the
//! largest real eigenvalue of the 2n × 2n matrix [0 2B₂; −I −4B₁]. That eigenproblem is nonsymmetric,
//! takes four times the memory and some hundred times the work of what is done here, on n × n symmetric
//! matrices only, and the same for both constants:
//!
//! * *from above:* a Cholesky factorisation of Q(c) succeeds: c is enough. For Cailliez this says so of
//!   every larger c as well: if δ + c is Euclidean then so is its square root (Schoenberg), which
//!   means that Q'(c) = 2(B₁ + ½cP) is positive semidefinite. The c that are enough are an interval, and
//!   halving would find its end;
//! * *from below:* any vector x ⟂ e gives a bound, the larger root of the parabola x'Q(c)x = 0. The bound
//!   from an eigenvector for the smallest eigenvalue, which a few solutions with the Cholesky factor
//!   bring near, has an error of the second order.
//!
//! The two close in on the constant in about ten factorisations, where halving alone takes fifty, and the
//! answer is proven to lie between them.
//!
//! # References
//! Lingoes (1971), Some boundary conditions for a monotone analysis of symmetric matrices, Psychometrika
//! 36:195–203. Cailliez (1983), The analytical solution of the additive constant problem, Psychometrika
//! 48:305–308. Schoenberg (1938), Metric spaces and positive definite functions, Trans. Amer. Math. Soc.
//! 44:522–536.
#![allow(non_snake_case)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{Mat, MatRef, Par};

use crate::dense::product;
use crate::error::{About, Error};
use crate::fit::spectrum::par;
use crate::input::kind::{Correction, Element, Kind};
use crate::input::proximities::Proximities;
use crate::random::Stream;
use crate::rounding::{TIE_UNITS, power_of_two};

/// Lingoes' correction for these proximities, with its constant.
pub fn fit_lingoes<T: Element>(proximities: &Proximities<'_, T>, threads: usize) -> Correction {
    // −½P(−2Γ)P = PΓP: similarities are corrected on the same scale.
    let squared = |a: f64| match proximities.kind() {
        Kind::Dissimilarity => a * a,
        Kind::Squared => a,
        Kind::Similarity => -2.0 * a,
    };
    Correction::Lingoes(lingoes(mapped(proximities, squared).as_ref(), par(threads)))
}

/// Cailliez' correction for these dissimilarities, with its constant; there is none for similarities.
pub fn fit_cailliez<T: Element>(
    proximities: &Proximities<'_, T>,
    threads: usize,
) -> Result<Correction, Error> {
    let length = match proximities.kind() {
        Kind::Dissimilarity => |a: f64| a,
        Kind::Squared => f64::sqrt,
        Kind::Similarity => {
            return Err(Error::NotOffered {
                about: About::Correction,
                what: "Cailliez' correction",
                why: "found similarities, expected dissimilarities".into(),
            });
        }
    };
    let dissimilarities = mapped(proximities, length);
    Ok(Correction::Cailliez(cailliez(
        dissimilarities.as_ref(),
        par(threads),
    )))
}

fn mapped<T: Element>(proximities: &Proximities<'_, T>, f: impl Fn(f64) -> f64) -> Mat<f64> {
    let (a, n) = (proximities.entries(), proximities.count());
    Mat::from_fn(n, n, |i, j| f(a[(i, j)].to_f64()))
}

/// c₁ of squared dissimilarities, 0 if they are Euclidean to rounding. Only the lower triangle is read;
/// entries must be finite.
pub fn lingoes(squared: MatRef<'_, f64>, par: Par) -> f64 {
    let unit = power_of_two(largest(squared));
    let B2 = centred(squared, |v| v / unit);
    let root = |x: MatRef<'_, f64>| -form(x, &B2, par);
    let matrix = |c: f64| (c, Mat::from_fn(B2.nrows(), B2.nrows(), |i, j| B2[(i, j)]));
    least(&B2, frobenius(&B2), &root, &matrix, par) * unit
}

/// c₂ of dissimilarities (not squared), 0 if they are Euclidean to rounding. Only the lower triangle is
/// read; entries must be finite.
pub fn cailliez(dissimilarities: MatRef<'_, f64>, par: Par) -> f64 {
    let unit = power_of_two(largest(dissimilarities));
    let B2 = centred(dissimilarities, |v| (v / unit) * (v / unit));
    let B1 = centred(dissimilarities, |v| v / unit);
    let larger_root = |b1: f64, b2: f64| {
        let (h, q) = (-2.0 * b1, (4.0 * b1 * b1 - 2.0 * b2).max(0.0).sqrt());
        // h + √(h² − 2b₂), without cancellation where h < 0.
        if h >= 0.0 { h + q } else { -2.0 * b2 / (q - h) }
    };
    let root = |x: MatRef<'_, f64>| larger_root(form(x, &B1, par), form(x, &B2, par));
    let matrix = |c: f64| {
        let n = B2.nrows();
        let Q = Mat::from_fn(n, n, |i, j| B2[(i, j)] + 2.0 * c * B1[(i, j)]);
        (0.5 * c * c, Q)
    };
    let enough = larger_root(-frobenius(&B1), -frobenius(&B2));
    least(&B2, enough, &root, &matrix, par) * unit
}

/// The bracket is closed to this, relatively, before the lower bound is believed to be exact.
const CLOSE: f64 = 1e-6;

/// The lower bound has settled when it moves by less than this, relatively.
const SETTLED: f64 = 4.0 * f64::EPSILON;

/// Factorisations: ten or so are needed; this only bounds the loop.
const MOST_FACTORS: usize = 80;

/// Solutions with each factor.
const SOLUTIONS: usize = 4;

/// The least c ≥ 0 for which Q(c) is positive semidefinite. `matrix` gives Q(c) without its multiple of
/// P, and that multiple; `root` the bound from a unit vector; `enough` is a c that is large enough.
fn least(
    B2: &Mat<f64>,
    enough: f64,
    root: &dyn Fn(MatRef<'_, f64>) -> f64,
    matrix: &dyn Fn(f64) -> (f64, Mat<f64>),
    par: Par,
) -> f64 {
    let n = B2.nrows();
    let rounding = TIE_UNITS * n as f64 * f64::EPSILON * frobenius(B2);
    if n < 2 || factor(B2.clone(), rounding, par).is_some() {
        return 0.0;
    }
    let at = |c: f64| {
        let (multiple, Q) = matrix(c);
        factor(Q, multiple, par)
    };

    let mut rng = Stream::new(n as u64);
    let mut x = Mat::from_fn(n, 1, |_, _| rng.normal());
    let (mut low, mut high) = (0.0f64, enough);
    let mut share = 0.1;
    let mut trial = high;
    for _ in 0..MOST_FACTORS {
        match at(trial) {
            Some(L) => {
                // Enough. Its factor brings x nearer to the direction that is the first to fail.
                high = trial;
                let before = low;
                for _ in 0..SOLUTIONS {
                    unit_and_centred(&mut x);
                    solve(&L, &mut x, par);
                }
                unit_and_centred(&mut x);
                low = low.max(root(x.as_ref()).min(high));
                share = 0.01;
                if high - low <= CLOSE * high && low - before <= SETTLED * low {
                    return low;
                }
            }
            None => {
                low = low.max(trial);
                share = f64::min(0.5, 5.0 * share);
            }
        }
        // Just above the lower bound, which is close once x is; but never so close that rounding decides.
        let step = (share * (high - low)).max(0.1 * CLOSE * high);
        trial = if low + step < high {
            low + step
        } else {
            low + 0.5 * (high - low)
        };
    }
    high
}

/// The Cholesky factor of Q + `multiple` P, made definite along e; none if it is not positive definite.
fn factor(mut Q: Mat<f64>, multiple: f64, par: Par) -> Option<Mat<f64>> {
    let n = Q.nrows();
    let trace: f64 = (0..n).map(|i| Q[(i, i)].abs() + multiple).sum();
    // (θ − multiple) ee'/n: along e, where Q and P vanish, the value is θ.
    let along = (trace / n as f64 - multiple) / n as f64;
    for j in 0..n {
        for i in j..n {
            Q[(i, j)] += along;
        }
        Q[(j, j)] += multiple;
    }
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, par, Default::default());
    let mut buffer = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut buffer);
    let done = llt::factor::cholesky_in_place(
        Q.as_mut(),
        Default::default(),
        par,
        stack,
        Default::default(),
    );
    done.is_ok().then_some(Q)
}

fn solve(L: &Mat<f64>, x: &mut Mat<f64>, par: Par) {
    let scratch = llt::solve::solve_in_place_scratch::<f64>(L.nrows(), 1, par);
    let mut buffer = MemBuffer::new(scratch);
    llt::solve::solve_in_place(L.as_ref(), x.as_mut(), par, MemStack::new(&mut buffer));
}

fn unit_and_centred(x: &mut Mat<f64>) {
    let n = x.nrows() as f64;
    let mean = x.col(0).iter().sum::<f64>() / n;
    x.col_mut(0).iter_mut().for_each(|v| *v -= mean);
    let length = x.norm_l2();
    x.col_mut(0).iter_mut().for_each(|v| *v /= length);
}

/// x'Ax.
fn form(x: MatRef<'_, f64>, A: &Mat<f64>, par: Par) -> f64 {
    let Ax = product(A.as_ref(), x, par);
    product(x.transpose(), Ax.as_ref(), Par::Seq)[(0, 0)]
}

/// −½P f(A) P, both triangles.
fn centred(A: MatRef<'_, f64>, f: impl Fn(f64) -> f64) -> Mat<f64> {
    let n = A.nrows();
    let mut B = Mat::from_fn(n, n, |i, j| f(A[(i.max(j), i.min(j))]));
    let means: Vec<f64> = (0..n)
        .map(|j| B.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for j in 0..n {
        for i in 0..n {
            B[(i, j)] = -0.5 * (B[(i, j)] - means[i] - means[j] + mean);
        }
    }
    B
}

fn frobenius(A: &Mat<f64>) -> f64 {
    A.norm_l2()
}

fn largest(A: MatRef<'_, f64>) -> f64 {
    (0..A.ncols())
        .flat_map(|j| A.col(j).iter())
        .fold(0.0, |m: f64, v| m.max(v.abs()))
}
