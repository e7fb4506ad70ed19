//! The algebraically largest eigenpairs of the centred matrix.
//!
//! ```text
//! B v = θ v        θ₁ ≥ … ≥ θ_d
//! ```
//!
//! Small problems are solved densely, with all eigenvalues known: the negative ones are worth knowing, as they say that
//! the proximities are not Euclidean. Large ones are solved by [`krylov`], which never forms B; where it does
//! not converge, the dense solver takes over as long as that is bearable.

#![allow(non_snake_case)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatMut, MatRef, Par};

use crate::dense::product;
use crate::error::Error;
use crate::fit::centred::Centred;
use crate::fit::krylov::{self, Aim};
use crate::fit::product::GROUP;
use crate::input::kind::Element;
use crate::rounding::TIE_UNITS;
use crate::run::{Run, threads_meant};

impl Eigenpairs {
    /// Whether no residual is large beside its own eigenvalue, of those that are not zero.
    fn sharp(&self) -> bool {
        let zero = TIE_UNITS * self.vectors.nrows() as f64 * f64::EPSILON * self.norm;
        let mut each = self.values.iter().zip(&self.residuals);
        each.all(|(v, r)| *v <= zero || r * self.norm <= BLURRED * v)
    }
}

/// How the eigenpairs are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Dense for small problems and for many axes, iterative otherwise.
    #[default]
    Auto,
    /// All eigenpairs of the matrix, formed.
    Dense,
    /// Only the wanted ones, by passes over the data (dense if there are too few objects for it).
    Iterative,
}

/// A symmetric matrix that can be multiplied by.
pub(crate) trait Symmetric: Sync {
    /// Its number of rows.
    fn count(&self) -> usize;
    /// out = B V.
    fn multiply(&self, v: MatRef<'_, f64>, out: MatMut<'_, f64>) -> Result<(), Error>;
    /// All of it.
    fn dense(&self) -> Result<Mat<f64>, Error>;
    /// How many columns it is best multiplied by at a time when `d` eigenpairs are wanted: more than d where a pass is dear, as it
    /// is unless somebody knows better; a few where products are.
    fn block(&self, d: usize) -> usize {
        krylov::wide(d)
    }
}

impl<T: Element> Symmetric for Centred<'_, T> {
    fn count(&self) -> usize {
        self.count()
    }
    fn multiply(&self, v: MatRef<'_, f64>, out: MatMut<'_, f64>) -> Result<(), Error> {
        self.multiply(v, out)
    }
    fn dense(&self) -> Result<Mat<f64>, Error> {
        self.dense()
    }
    fn block(&self, _: usize) -> usize {
        GROUP
    }
}

/// Every eigenpair that a solver saw: those that were asked for, and further ones, by which objects are left out.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// Eigenvalues, descending; the further ones of an iterative solver are near them at least.
    pub values: Vec<f64>,
    /// Their eigenvectors, of any sign, in the opposite order: the last column belongs to the largest.
    pub vectors: Mat<f64>,
    /// Whether all others are zero.
    pub whole: bool,
}

/// Eigenpairs in descending order, with what is known of their quality.
#[derive(Debug, Clone)]
pub(crate) struct Eigenpairs {
    /// The wanted eigenvalues.
    pub values: Vec<f64>,
    /// Their eigenvectors, n × d, the entry of largest modulus positive.
    pub vectors: Mat<f64>,
    /// ‖Bv − θv‖ / ‖B‖ of each, as computed.
    pub residuals: Vec<f64>,
    /// All eigenvalues, descending, if the dense solver was used.
    pub all: Option<Vec<f64>>,
    /// Every pair that was seen.
    pub seen: Seen,
    /// The largest modulus of an eigenvalue that was seen: ‖B‖ for the dense solver.
    pub norm: f64,
    /// Passes over the data.
    pub passes: usize,
}

/// Up to this many objects all eigenvalues are computed: it takes about a second at most, and the
/// negative eigenvalues are worth knowing.
pub(crate) const DENSE_UP_TO: usize = 700;

/// Beyond this many objects the dense solver would take hours and tens of gigabytes.
const DENSE_AT_MOST: usize = 30_000;

/// Residuals ‖Bv − θv‖ up to 10⁻¹⁰ ‖B‖ and 10⁻⁹ θ are small enough unless the caller says otherwise: eigenvalues are then exact to
/// rounding, and axes to nine digits of the gap beside their own eigenvalue, which may be small beside the first.
pub(super) const AIM: Aim = Aim {
    of_norm: 1e-10,
    of_itself: 1e-9,
};

/// A residual above this share of its eigenvalue says that rounding errors of a much larger one hide the axis from an iterative solver.
pub(crate) const BLURRED: f64 = 1e-8;

/// Up to this many objects the dense solver, whose rounding errors are smaller, is asked for such axes instead: a minute or so.
const DENSE_INSTEAD: usize = 5000;

/// The `d` largest eigenpairs of `matrix` (fewer if it is smaller than that); of an iterative solver, with residuals up to
/// `tolerance` ‖B‖ if there is one.
pub(crate) fn largest(
    matrix: &dyn Symmetric,
    d: usize,
    (solver, tolerance): (Solver, Option<f64>),
    run: Run<'_>,
) -> Result<Eigenpairs, Error> {
    let n = matrix.count();
    let fits = krylov::fits(d, n);
    let iterate = match solver {
        Solver::Auto => n > DENSE_UP_TO && fits,
        Solver::Dense => false,
        Solver::Iterative => fits,
    };
    let given = |of_norm| Aim {
        of_norm,
        of_itself: f64::INFINITY,
    };
    let aim = tolerance.map_or(AIM, given);
    if iterate && let Some(pairs) = krylov::largest(matrix, d, aim, run)? {
        let instead = solver == Solver::Auto && tolerance.is_none() && n <= DENSE_INSTEAD;
        if !instead || pairs.sharp() {
            return Ok(pairs);
        }
    }
    if n > DENSE_AT_MOST {
        return Err(Error::Eigen(format!(
            "found no convergence in {} passes, and {n} objects are too many for the dense solver",
            krylov::MOST_PASSES
        )));
    }
    dense(matrix, d, run.threads)
}

/// All eigenpairs of a symmetric matrix, ascending; only the lower triangle is read.
pub(crate) fn eigen(A: MatRef<'_, f64>, threads: usize) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let n = A.nrows();
    let par = par(threads);
    let mut values = faer::diag::Diag::<f64>::zeros(n);
    let mut vectors = Mat::zeros(n, n);
    let params = Default::default();
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, par, params);
    let mut buffer = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut buffer);
    let answer = self_adjoint_evd(
        A,
        values.as_mut(),
        Some(vectors.as_mut()),
        par,
        stack,
        params,
    );
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if answer.is_err() || values.iter().any(|v| !v.is_finite()) {
        return Err(Error::Eigen(format!(
            "found no convergence on a {n} × {n} matrix"
        )));
    }
    Ok((values, vectors))
}

fn dense(matrix: &dyn Symmetric, d: usize, threads: usize) -> Result<Eigenpairs, Error> {
    let B = matrix.dense()?;
    let (ascending, U) = eigen(B.as_ref(), threads)?;
    let n = ascending.len();
    let d = d.min(n);
    let all: Vec<f64> = ascending.into_iter().rev().collect();
    let norm = all.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut V = Mat::from_fn(n, d, |i, j| U[(i, n - 1 - j)]);
    fix_signs(V.as_mut());
    let BV = product(B.as_ref(), V.as_ref(), par(threads));
    Ok(Eigenpairs {
        residuals: residuals(BV.as_ref(), V.as_ref(), &all[..d], norm),
        values: all[..d].to_vec(),
        vectors: V,
        seen: Seen {
            values: all.clone(),
            vectors: U,
            whole: true,
        },
        all: Some(all),
        norm,
        passes: 1,
    })
}

/// ‖Bv − θv‖ / ‖B‖ of each column; zero for the zero matrix.
pub(super) fn residuals(
    BV: MatRef<'_, f64>,
    V: MatRef<'_, f64>,
    values: &[f64],
    norm: f64,
) -> Vec<f64> {
    let residual = |j: usize| {
        let terms = BV.col(j).iter().zip(V.col(j).iter());
        let squares = terms.map(|(bv, v)| (bv - values[j] * v).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let scale = if norm > 0.0 { norm } else { 1.0 };
    (0..V.ncols()).map(|j| residual(j) / scale).collect()
}

/// Makes the entry of largest modulus of each column (the first, on ties) positive; says which
/// columns were turned.
pub(crate) fn fix_signs(mut V: MatMut<'_, f64>) -> Vec<bool> {
    (0..V.ncols())
        .map(|j| {
            let largest = V.as_ref().col(j).iter().fold(
                0.0,
                |m: f64, &v| {
                    if v.abs() > m.abs() { v } else { m }
                },
            );
            if largest < 0.0 {
                V.as_mut().col_mut(j).iter_mut().for_each(|v| *v = -*v);
            }
            largest < 0.0
        })
        .collect()
}

/// Parallelism for faer: sequential, which touches no thread pool, or on `threads` threads of its pool.
pub(crate) fn par(threads: usize) -> Par {
    match threads_meant(threads) {
        1 => Par::Seq,
        threads => Par::rayon(threads),
    }
}
