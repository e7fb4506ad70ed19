//! Hyperplane: the placement by the best-fitting hyperplane of all n + 1 objects.
//!
//! The paper's Example 1 characterises PCA by its best-fitting hyperplane. For proximities that comes
//! down to (ŷ, β): with ρ² = β − ŷ'ŷ, ũ = (ŷ; ρ), c = n/(n+1), A(y) = [Σ_d²; 0] + c ũy',
//!
//! ```text
//! min over y:  f(y) = 2 tr C + c (β + y'y) − 2 ‖A(y)‖_*
//! ```
//!
//! Its gradient is 2c (y − Q'ũ), Q the polar factor of A(y). Setting it to zero again and again (y ←
//! Q'ũ) is a descent, but linearly convergent; the derivative of the polar factor is explicit in the
//! singular value decomposition, so that Newton's method costs the same and needs a handful of steps.
//!
//! **When the answer is global.** In terms of the unit normal q = (p; s) of the hyperplane,
//!
//! ```text
//! f = c (q'ũ)² + 2 tr Σ_d² − 2 tr N,   N² = Σ_d²(I − pp')Σ_d²
//! ```
//!
//! is *convex* in the matrix qq' (the square root is operator concave). Its derivative there is
//! G = c ũũ' + diag(Σ_d² N⁻¹ Σ_d², 0), hence for every other placement
//!
//! ```text
//! f − f* ≤ q'Gq − λ_min(G)
//! ```
//!
//! and a stationary y whose q belongs to the smallest eigenvalue of G is a global minimiser. Then one
//! start is enough. Otherwise (ŷ almost without a component on an axis that the newcomer outweighs:
//! two valleys, nearly mirror images) other starts, ŷ ± ρ on the flattest axes, are tried as well. The
//! last axis alone was enough in all but a few of 18,000 hostile problems; two are taken.
//!
//! # References
//! Gower (1968), Adding a point to vector diagrams in multivariate analysis, Biometrika 55:582–585.
#![allow(non_snake_case)]

use crate::strategy::jacobi::{Svd, cholesky, dot, norm};
use crate::strategy::normal::Newcomer;
use crate::strategy::secular::Minimisers;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HyperplaneSettings {
    /// The most steps from each start.
    pub most_steps: usize,
}

impl Default for HyperplaneSettings {
    fn default() -> Self {
        Self { most_steps: 200 }
    }
}

/// The answer for one newcomer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplane {
    /// y.
    pub coordinates: Vec<f64>,
    /// f(y) of the module head.
    pub objective: f64,
    /// No placement has an f lower than `objective` by more than this, up to rounding.
    pub gap: f64,
    /// Whether `gap` is zero to rounding: the placement is proven to be a global minimiser.
    pub certified: bool,
    /// One minimiser, two, or a sphere.
    pub minimisers: Minimisers,
    /// The other minimiser of a pair; for a sphere the point opposite.
    pub alternatives: Vec<Vec<f64>>,
    /// Steps taken, over all starts.
    pub steps: usize,
    /// Whether the placement is stationary to rounding.
    pub converged: bool,
}

/// The flattest axes on which the newcomer is also started to either side.
const MOST_AXES: usize = 2;

/// Newton's step is trusted blindly once it is this small against ‖ũ‖: f is then flat to rounding.
const NEAR: f64 = 1e-6;

/// Steps that shrink by no more than this are rounding; at the edge of a saddle, where the valley has no
/// curvature, those of Newton's method shrink by 2/3.
const STALLED: f64 = 0.9;

/// Curvatures, which are at most 1, are raised to this in a step: less is rounding.
const LEAST_CURVATURE: f64 = 1e-12;

/// No step is longer than this against ‖ũ‖, which bounds every minimiser.
const LONGEST_STEP: f64 = 2.0;

/// The share of the predicted decrease that a step must bring.
const SUFFICIENT: f64 = 1e-4;

/// How often a step is halved before the certain descent y ← Q'ũ is taken instead.
const HALVINGS: usize = 12;

/// A point on the way down.
struct Candidate {
    y: Vec<f64>,
    f: f64,
    svd: Svd,
    /// a = W'ũ.
    a: Vec<f64>,
    /// η² = ‖ũ‖² − ‖a‖², the squared distance from ũ to the hyperplane, without the cancellation.
    eta2: f64,
}

/// Places one newcomer; none if β < ŷ'ŷ beyond rounding, where the method does not apply.
///
/// `eigenvalues` are σ², positive and descending, of a map with the origin at the mean; `projection`
/// is ŷ, `size` is n, and `b_norm` = ‖b‖ decides which ŷ_i are rounding (0: only exact zeros are).
pub fn solve(
    eigenvalues: &[f64],
    projection: &[f64],
    beta: f64,
    size: usize,
    b_norm: f64,
    settings: &HyperplaneSettings,
) -> Option<Hyperplane> {
    let newcomer = Newcomer::new(eigenvalues, projection, beta, size, b_norm)?;
    if newcomer.rho() == 0.0 {
        return Some(Hyperplane {
            coordinates: projection.to_vec(),
            objective: 0.0,
            gap: 0.0,
            certified: true,
            minimisers: Minimisers::Unique,
            alternatives: Vec::new(),
            steps: 0,
            converged: true,
        });
    }
    let c = size as f64 / (size as f64 + 1.0);
    let problem = Objective {
        newcomer: &newcomer,
        c,
    };
    let d = newcomer.D.len();
    let rounding = newcomer.unit * (newcomer.D.iter().sum::<f64>() + c * newcomer.beta);

    // From the projection; if that is not proven global, from ρ to either side on the flattest axes.
    let start = newcomer.u[..d].to_vec();
    let (mut best, mut steps, mut converged) = problem.descend(start.clone(), settings.most_steps);
    let (mut objective, mut gap) = problem.certify(&best);
    if gap > rounding {
        for (axis, side) in (0..d)
            .rev()
            .take(MOST_AXES)
            .flat_map(|i| [(i, 1.0), (i, -1.0)])
        {
            if side < 0.0 && newcomer.is_free(axis) {
                continue;
            }
            let mut y = start.clone();
            y[axis] += side * newcomer.rho();
            let (end, taken, done) = problem.descend(y, settings.most_steps);
            steps += taken;
            // Just beyond a saddle f cannot tell the minimiser from it; the bound can.
            let better = end.f < best.f - rounding;
            let (value, bound) = problem.certify(&end);
            if better || (end.f <= best.f + rounding && bound < gap) {
                (best, converged, objective, gap) = (end, done, value, bound);
            }
            if gap <= rounding {
                break;
            }
        }
    }

    let (coordinates, minimisers, alternatives) = newcomer.restore(&best.y);
    Some(Hyperplane {
        coordinates,
        objective: newcomer.squared_units(objective),
        gap: newcomer.squared_units(gap),
        certified: gap <= rounding,
        minimisers,
        alternatives,
        steps,
        converged,
    })
}

struct Objective<'a> {
    newcomer: &'a Newcomer,
    c: f64,
}

impl Objective<'_> {
    /// f and the decomposition of A at y.
    fn at(&self, y: Vec<f64>) -> Candidate {
        let (Newcomer { D, u, beta, .. }, c) = (self.newcomer, self.c);
        let d = D.len();
        let mut A = vec![0.0; (d + 1) * d];
        for j in 0..d {
            for i in 0..=d {
                A[j * (d + 1) + i] = c * u[i] * y[j];
            }
            A[j * (d + 1) + j] += D[j];
        }
        let svd = Svd::new(A, d + 1);
        let nuclear: f64 = svd.values.iter().sum();
        let f = 2.0 * D.iter().sum::<f64>() + c * (beta + dot(&y, &y)) - 2.0 * nuclear;
        let a = (0..d).map(|j| dot(svd.left(j), u)).collect();
        let (_, eta) = self.normal(&y);
        Candidate {
            y,
            f,
            svd,
            a,
            eta2: eta * eta,
        }
    }

    /// The unit normal q of the range of A(y), (−cρ Σ_d⁻²y; 1 + c ŷ'Σ_d⁻²y) normalised, and η = q'ũ.
    fn normal(&self, y: &[f64]) -> (Vec<f64>, f64) {
        let (Newcomer { D, u, .. }, rho) = (self.newcomer, self.newcomer.rho());
        let mut q: Vec<f64> = y.iter().zip(D).map(|(y, D)| self.c * y / D).collect();
        let last = 1.0 + dot(&q, &u[..D.len()]);
        q.iter_mut().for_each(|v| *v *= -rho);
        q.push(last);
        let largest = q.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        q.iter_mut().for_each(|v| *v /= largest);
        let length = norm(&q);
        q.iter_mut().for_each(|v| *v /= length);
        (q, rho / largest / length)
    }

    /// Newton's method, made a descent: the modulus of the Hessian, halved steps, and Q'ũ as the
    /// last resort. Returns the end, the steps taken, and whether it is stationary to rounding.
    fn descend(&self, y: Vec<f64>, most_steps: usize) -> (Candidate, usize, bool) {
        let size = norm(&self.newcomer.u);
        let terms = self.newcomer.D.iter().sum::<f64>() + self.c * self.newcomer.beta;
        let flat = 8.0 * f64::EPSILON * terms;
        let mut here = self.at(y);
        let (mut previous, mut blind) = (f64::INFINITY, false);
        for step in 0..most_steps {
            let (gradient, hessian) = self.model(&here);
            let mut p = downhill(&gradient, hessian);
            let mut length = norm(&p);
            if length > LONGEST_STEP * size {
                p.iter_mut()
                    .for_each(|v| *v *= LONGEST_STEP * size / length);
                length = LONGEST_STEP * size;
            }
            // Close by, or where the valley is flat, f cannot judge a step: only the next step can.
            let slope = 2.0 * self.c * dot(&gradient, &p);
            let near = blind || length < NEAR * size || slope < flat;
            let stationary = norm(&gradient) <= reach(&here.svd) * size;
            let stalled = near && length > STALLED * previous;
            if length <= 2.0 * f64::EPSILON * size || (stalled && stationary) {
                return (here, step, true);
            }
            previous = if near { length } else { f64::INFINITY };
            let moved = |t: f64| here.y.iter().zip(&p).map(|(y, p)| y - t * p).collect();
            if near {
                here = self.at(moved(1.0));
                continue;
            }
            let next = (0..HALVINGS)
                .map(|k| (0.5f64.powi(k as i32), self.at(moved(0.5f64.powi(k as i32)))))
                .find(|(t, next)| next.f <= here.f - SUFFICIENT * t * slope);
            here = match next {
                Some((_, next)) => next,
                None => {
                    blind = stationary;
                    self.at(here.svd.polar_transposed(&self.newcomer.u))
                }
            };
        }
        (here, most_steps, false)
    }

    /// The gradient y − Q'ũ and the Hessian I − ∂(Q'ũ)/∂y, both over 2c.
    ///
    /// With A = W T V', a = W'ũ and V'dy = z, differentiating the polar factor gives
    /// V'd(Q'ũ) = Jz, J = c [diag_j(Σ_i a_i²/(t_i + t_j) + η²/t_j) − a_i a_j/(t_i + t_j)].
    fn model(&self, here: &Candidate) -> (Vec<f64>, Vec<f64>) {
        let (
            Candidate {
                y, svd, a, eta2, ..
            },
            c,
        ) = (here, self.c);
        let (d, t) = (y.len(), &svd.values);
        let floor = f64::EPSILON * t.first().copied().unwrap_or(1.0);
        let t = |j: usize| t[j].max(floor);
        let mut inner = vec![0.0; d * d];
        for j in 0..d {
            let sum: f64 = (0..d).map(|i| a[i] * a[i] / (t(i) + t(j))).sum();
            for i in 0..d {
                inner[j * d + i] = c * a[i] * a[j] / (t(i) + t(j));
            }
            inner[j * d + j] += 1.0 - c * (sum + eta2 / t(j));
        }
        // V (·) V', so that the Hessian is in the coordinates of y.
        let mut half = vec![0.0; d * d];
        let mut hessian = vec![0.0; d * d];
        for j in 0..d {
            for k in 0..d {
                for i in 0..d {
                    half[j * d + i] += svd.right(k)[i] * inner[j * d + k];
                }
            }
        }
        for k in 0..d {
            for j in 0..d {
                for i in 0..d {
                    hessian[j * d + i] += half[k * d + i] * svd.right(k)[j];
                }
            }
        }
        let target = svd.polar_transposed(&self.newcomer.u);
        let gradient = y.iter().zip(target).map(|(y, v)| y - v).collect();
        (gradient, hessian)
    }

    /// f by way of the normal, free of the cancellation in the definition, and the bound on how much
    /// lower any other placement can be.
    fn certify(&self, end: &Candidate) -> (f64, f64) {
        let (Newcomer { D, u, .. }, c, d) = (self.newcomer, self.c, self.newcomer.D.len());
        let (q, eta) = self.normal(&end.y);
        let (svd, _) = self.newcomer.through(&q);
        let spread: f64 = D.iter().sum::<f64>() - svd.values.iter().sum::<f64>();
        let f = c * eta * eta + 2.0 * spread.max(0.0);

        // G = c ũũ' + diag(K, 0), K = D N⁻¹ D with N = V T V'.
        let mut G = vec![0.0; (d + 1) * (d + 1)];
        for j in 0..=d {
            for i in 0..=d {
                G[j * (d + 1) + i] = c * u[i] * u[j];
            }
        }
        let floor = f64::MIN_POSITIVE;
        for (k, &t) in svd.values.iter().enumerate() {
            let v: Vec<f64> = svd.right(k).iter().zip(D).map(|(v, D)| v * D).collect();
            for j in 0..d {
                for i in 0..d {
                    G[j * (d + 1) + i] += v[i] * v[j] / t.max(floor);
                }
            }
        }
        let curvature: f64 = (0..=d)
            .map(|j| q[j] * dot(&G[j * (d + 1)..(j + 1) * (d + 1)], &q))
            .sum();
        if !curvature.is_finite() {
            return (f, f64::INFINITY);
        }
        let smallest = Svd::new(G, d + 1).values.last().copied().unwrap_or(0.0);
        (f, (curvature - smallest).max(0.0))
    }
}

/// Newton's step if the Hessian is positive definite, else the one by its modulus.
fn downhill(gradient: &[f64], hessian: Vec<f64>) -> Vec<f64> {
    match cholesky(&hessian, 0.0, gradient, LEAST_CURVATURE) {
        Some((p, _)) => p,
        None => Svd::new(hessian, gradient.len()).solve_modulus(gradient, LEAST_CURVATURE),
    }
}

/// How exactly Q'ũ is known, relatively: rounding times the condition of A, but at least [`NEAR`].
fn reach(svd: &Svd) -> f64 {
    let (first, last) = (svd.values.first(), svd.values.last());
    let condition = first.zip(last).map_or(1.0, |(first, last)| first / last);
    NEAR.max(16.0 * f64::EPSILON * condition)
}
