//! Down to a local minimum of stress, to rounding.

use super::sums::{Problem, Sums};
use crate::strategy::jacobi::{cholesky, dot, norm};

/// The share of the predicted decrease that a step must bring.
const SUFFICIENT: f64 = 1e-4;

/// How often a step is halved before a majorisation step, which never fails, is taken instead.
const HALVINGS: usize = 6;

/// Newton's step is trusted blindly once it is this small: the stress is then flat to rounding.
const NEAR: f64 = 1e-7;

/// A step this small, if the curvature is that of Σ w, is the last: the next would be its square.
const LAST: f64 = 1e-8;

/// Curvatures over Σ w below this are rounding.
const LEAST_CURVATURE: f64 = 1e-12;

/// The curvature over Σ w given to directions across which the stress is concave.
const ASSUMED_CURVATURE: f64 = 0.1;

/// Where a descent ended.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub y: Vec<f64>,
    pub stress: f64,
    pub steps: usize,
    pub converged: bool,
}

/// Newton's method with halved steps and, where the Hessian is not positive definite, a model that is,
/// so that it always points downhill. Ends after a step shorter than `tolerance` times `size`, the
/// length scale of the problem, when rounding keeps the steps from getting shorter, or in a place that
/// is `known`.
pub(super) fn descend(
    problem: &Problem<'_>,
    mut y: Vec<f64>,
    size: f64,
    tolerance: f64,
    most_steps: usize,
    known: &dyn Fn(&[f64]) -> bool,
) -> End {
    let mut here = Sums::default();
    let mut next = Sums::default();
    problem.at(&y, &mut here);
    let mut previous = f64::INFINITY;
    for step in 0..most_steps {
        let (mut p, curvature) = downhill(&here, problem.total);
        let mut length = norm(&p);
        if length > size {
            p.iter_mut().for_each(|v| *v *= size / length);
            length = size;
        }
        let stalled = length < NEAR * size && length > previous / 2.0;
        if length <= f64::EPSILON * size || stalled || known(&y) {
            return End {
                y,
                stress: here.stress,
                steps: step,
                converged: true,
            };
        }
        let moved = |t: f64| -> Vec<f64> { y.iter().zip(&p).map(|(y, p)| y - t * p).collect() };
        if length <= tolerance.max(LAST * curvature) * size {
            let last = moved(1.0);
            let stress = problem.stress(&last);
            return End {
                y: last,
                stress,
                steps: step + 1,
                converged: true,
            };
        }

        let slope = 2.0 * dot(&here.gradient, &p);
        let mut accepted = None;
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            let trial = moved(t);
            problem.at(&trial, &mut next);
            if length < NEAR * size || next.stress <= here.stress - SUFFICIENT * t * slope {
                accepted = Some(trial);
                break;
            }
            t *= 0.5;
        }
        y = match accepted {
            Some(trial) => trial,
            None => {
                // De Leeuw's step: the minimum of a paraboloid above the stress that touches it here.
                let y: Vec<f64> = y
                    .iter()
                    .zip(&here.gradient)
                    .map(|(y, g)| y - g / problem.total)
                    .collect();
                problem.at(&y, &mut next);
                y
            }
        };
        previous = length * t;
        std::mem::swap(&mut here, &mut next);
    }
    End {
        y,
        stress: here.stress,
        steps: most_steps,
        converged: false,
    }
}

/// Newton's step if the Hessian is safely positive definite. It is aI + H with H positive
/// semidefinite and a = Σ w (1 − δ/r): if it is not, a is negative, and a positive one is put in its
/// place. Also the smallest pivot over Σ w, or zero where the model is not the Hessian.
fn downhill(here: &Sums, total: f64) -> (Vec<f64>, f64) {
    let least = LEAST_CURVATURE * total;
    if let Some((p, pivot)) = cholesky(&here.hessian, 0.0, &here.gradient, least) {
        return (p, pivot / total);
    }
    let raise = ASSUMED_CURVATURE * total - here.shift;
    match cholesky(&here.hessian, raise, &here.gradient, least) {
        Some((p, _)) => (p, 0.0),
        None => (here.gradient.iter().map(|g| g / total).collect(), 0.0),
    }
}
