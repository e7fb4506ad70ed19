//! Several newcomers placed together, without moving the map.
//!
//! The paper's joint reconstruction (its section 6) places k newcomers at the rows of Y by
//!
//! ```text
//! min over Y (k × d):  F(Y) = 2‖XY' − b‖_F² + ‖M∘(YY' − β)‖_F²
//! ```
//!
//! which for k = 1 is its problem (11). F needs X and b only through C = X'X, G = b'X and ‖b‖_F².
//! M is 1 on the observed entries of β and 0 on missing ones. With S = M∘(YY' − β) the gradient is
//! 4R, R = YC − G + SY, and for every Y and every Q = Y + D, exactly,
//!
//! ```text
//! (1)   F(Q) − F(Y) = 4⟨R, D⟩ + 2⟨D, DC + SD⟩ + ‖M∘(QQ' − YY')‖².
//! ```
//!
//! F is not convex: mirror images, and single newcomers on the wrong side, are local minima. The
//! search (`descent`, `block`, `starts`) goes down from a designed start and asks for a proof; other starts
//! are tried only if there is none.
//!
//! # The certificate
//! Without missing entries, let c_min = λ_min(C), C' = C − c_min I = A'A and stack Z = [A; Y], so
//! that Z'Z = C' + Y'Y. Let τ = λ_min(Z'Z) and S' = S + τ(I − Y(C' + Y'Y)⁻¹Y'). **If R = 0 and
//! λ_min(S') + c_min ≥ 0, then Y is a global minimiser.**
//!
//! *Proof.* Take any Q, D = Q − Y, Z_Q = [A; Q]. As A is the same in both,
//! ‖Z_Q Z_Q' − ZZ'‖² = 2⟨D, DC'⟩ + ‖QQ' − YY'‖², so that (1) reads
//! F(Q) − F(Y) = 2⟨D, c_min D + SD⟩ + ‖Z_Q Z_Q' − ZZ'‖². Now K = τ(I − Z(Z'Z)⁻¹Z') satisfies KZ = 0,
//! and the eigenvalues of ZZ' + K are those of Z'Z, none below τ, and k times τ: its best
//! approximation by a positive semidefinite matrix of rank d is ZZ' itself, which misses it by ‖K‖².
//! For T = Z_Q Z_Q', which has rank ≤ d, therefore ‖T − ZZ'‖² − 2⟨K, T⟩ = ‖T − (ZZ' + K)‖² − ‖K‖² ≥ 0.
//! With ⟨K, T⟩ = ⟨D, K₂₂D⟩, K₂₂ the block of the newcomers, this gives
//! F(Q) − F(Y) ≥ 2⟨D, c_min D + (S + K₂₂)D⟩ = 2⟨D, (c_min I + S')D⟩ ≥ 0. ∎
//!
//! S' grows with C'. With C' = 0 in its place it is S + tP⊥, t = σ_d(Y)², P⊥ the projector off the
//! columns of Y: the weaker form, which holds at fewer of the global minima and needs k > d. For k = 1 either is
//! the condition λ + c_min ≥ 0 of one reconstruction. Where entries are missing the quartic term of
//! (1) says nothing about them and only S' = S is valid.
//!
//! # How far from the minimum
//! Y is stationary only to rounding. From (1) and the same inequality, margin = λ_min(S') + c_min > 0
//! gives **F(Y) − F* ≤ 2‖R‖²/margin**. Without a margin, for *any* symmetric K of order d + k with
//! H = c_min I + S + K₂₂ positive definite, and T the best approximation of ZZ' + K as above,
//!
//! ```text
//! (2)   F(Y) − F* ≤ 2⟨B, H⁻¹B⟩ + ‖K‖² − ‖ZZ' + K − T‖²,    B = R + (KZ)₂,
//! ```
//!
//! where (·)₂ are the newcomers' rows. The right side is convex in K, with −2(Z_Q Z_Q' − T) as a subgradient,
//! Q = Y − H⁻¹B; a few steps down from the certificate's K make the bound sharper (for K + δI it is
//! 2⟨R + δY, H⁻¹(R + δY)⟩ + dδ² in closed form, which serves where k is large).
//!
//! # References
//! Trosset, Tan, Tang and Priebe, Out-of-sample embedding with proximity data: projection versus
//! restricted reconstruction, section 6.
#![allow(non_snake_case)]

mod algebra;
mod between;
mod block;
mod bound;
mod certificate;
mod descent;
mod model;
mod starts;
#[cfg(test)]
mod tests;

use faer::{Mat, MatRef};

pub use between::{Between, DenseBetween};
pub use starts::Start;

use crate::error::Error;
use crate::fit::spectrum;
use crate::run::Run;
use crate::strategy::secular;
use block::sweep;
use bound::{Bound, excess_with_margin, relax};
use certificate::{Verdict, certify};
use descent::{Descent, newton};
use model::Model;
use starts::DESIGNED;

/// A further start is begun only if what was spent before is below this, in floating-point
/// operations: some seconds.
const MORE_WORK: f64 = 2e11;
/// Two descents ended in the same minimum if they agree so far, relative to F.
const SAME: f64 = 1e-10;
/// Block sweeps before Newton's method when a start is meant to escape a minimum.
const SWEEPS: usize = 3;
/// Single newcomers that are reflected at most; beyond, drawing anew is as good.
const REFLECTED: usize = 40;

/// The numbers of a joint problem, all finite.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// C = X'X, d × d, symmetric and positive semidefinite, not necessarily diagonal.
    pub cross: MatRef<'a, f64>,
    /// G = b'X, k × d.
    pub g: MatRef<'a, f64>,
    /// β, what is between the newcomers.
    pub between: &'a dyn Between,
    /// ‖b‖_F².
    pub b_norm_squared: f64,
    /// The number n of old objects, which says what is rounding in C and G.
    pub size: usize,
}

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointSettings {
    /// Newton steps from one start.
    pub most_steps: usize,
    /// Starts beyond the designed ones when none of those is certified. Large problems try fewer:
    /// what all further starts may cost is limited.
    pub most_starts: usize,
    /// Steps of the ascent that raises the lower bound when there is no certificate; small
    /// problems take more.
    pub ascent_steps: usize,
}

impl Default for JointSettings {
    fn default() -> Self {
        Self {
            most_steps: 500,
            most_starts: 200,
            ascent_steps: 40,
        }
    }
}

/// The placement of all newcomers, and what is known of it.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Y, k × d, in the axes of the problem.
    pub coordinates: Mat<f64>,
    /// F(Y).
    pub objective: f64,
    /// ‖YC − G + SY‖, a quarter of the gradient, over the size of its terms.
    pub stationarity: f64,
    /// λ_min(S') + c_min, in the units of C: the certificate holds if it is not negative (beyond
    /// rounding, 16kε(c_max + ‖β‖₂)).
    pub margin: f64,
    /// Whether Y is proven to be a global minimiser. (Where β is only a product, and too large to
    /// write out, the proof rests on a Lanczos estimate of λ_min(S').)
    pub certified: bool,
    /// A number that F is nowhere below; never above the objective. None if entries of β are
    /// missing and there is no certificate.
    pub lower_bound: Option<f64>,
    /// (F − lower bound)/F; zero if certified, or if F is zero to rounding.
    pub gap: Option<f64>,
    /// The start that led here.
    pub start: Start,
    /// Starts tried.
    pub starts_tried: usize,
    /// Newton steps over all starts.
    pub steps: usize,
    /// Whether the gradient is zero to rounding.
    pub converged: bool,
}

/// Places the newcomers. The products with β and the proof are shared by the threads of the run, and the answer is the
/// same to the bit for the same number of threads; who watches is told of every step.
///
/// # Errors
/// [`Error::Stopped`] if who watches ended the work.
///
/// # Panics
/// If the sizes of the problem's parts differ, or a number in it is not finite.
pub fn solve(
    problem: &Problem<'_>,
    settings: &JointSettings,
    run: Run<'_>,
) -> Result<Solution, Error> {
    let mut model = Model::new(problem, spectrum::par(run.threads));
    model.watch = run.watch;
    let solution = solve_model(&model, settings);
    if model.stopped.get() {
        Err(Error::Stopped)
    } else {
        Ok(solution)
    }
}

fn solve_model(model: &Model<'_>, settings: &JointSettings) -> Solution {
    if model.k() == 0 || model.d() == 0 {
        return exact(model, Mat::zeros(model.k(), model.d()), 0.0);
    }
    if model.k() == 1 {
        let (y, margin) = single(model);
        return exact(model, y, margin);
    }

    let mut search = Search {
        model,
        settings,
        best: None,
        tried: 0,
        steps: 0,
    };
    // One designed start after the other, until a descent ends in a certified point.
    for start in DESIGNED {
        if search.attempt(start, starts::make(model, start, None), 0) || search.exhausted() {
            break;
        }
    }
    // Without a proof: a bound, and starts that are meant to escape from what was found.
    let excess = if search.certified() || model.stopped.get() {
        None
    } else {
        search.escape()
    };
    search.finish(excess)
}

/// The best point so far and how it was found.
struct Best {
    found: Descent,
    objective: f64,
    verdict: Verdict,
    start: Start,
}

/// A search in progress.
struct Search<'m, 'a> {
    model: &'m Model<'a>,
    settings: &'m JointSettings,
    best: Option<Best>,
    tried: usize,
    steps: usize,
}

impl Search<'_, '_> {
    /// Goes down from a start, after some block sweeps; true if the best point is now certified.
    fn attempt(&mut self, start: Start, mut Y: Mat<f64>, sweeps: usize) -> bool {
        let model = self.model;
        for _ in 0..sweeps {
            sweep(model, &mut Y);
        }
        let found = newton(model, Y, self.settings.most_steps, 0.0);
        self.tried += 1;
        self.steps += found.steps;
        let objective = model.objective(&found.point);
        let better = self.best.as_ref().is_none_or(|old| {
            let finished = !old.found.converged && found.converged;
            objective < old.objective - SAME * old.objective
                || (finished && objective <= old.objective)
        });
        if better {
            let verdict = certify(model, &found.point);
            self.best = Some(Best {
                found,
                objective,
                verdict,
                start,
            });
        }
        self.certified()
    }

    /// Whether no further start may be begun.
    fn exhausted(&self) -> bool {
        self.model.work() > MORE_WORK
    }

    /// Whether the best point is stationary and the certificate holds there.
    fn certified(&self) -> bool {
        let proven = |best: &Best| best.found.converged && best.verdict.holds;
        self.best.as_ref().is_some_and(proven)
    }

    /// A bound on F(Y) − F* at the best point, and the relaxed problem's solution.
    fn bound(&self) -> Option<Bound> {
        let best = self.best.as_ref()?;
        let steps = self.settings.ascent_steps;
        let (point, margin) = (&best.found.point, best.verdict.margin);
        let complete = self.model.missing.is_empty();
        complete.then(|| relax(self.model, point, best.objective, margin, steps))
    }

    /// The relaxed problem's solution, then changes of the best point, from the first one again
    /// when one helps. Gives the bound on F(Y) − F*, or nothing if a proof was found on the way.
    fn escape(&mut self) -> Option<f64> {
        let model = self.model;
        let (k, d) = (model.k(), model.d());
        let mut bound = self.bound();
        let bounded = self.best.as_ref()?.objective;
        if let Some(Y) = bound.as_mut().and_then(|b| b.start.take())
            && self.attempt(Start::Relaxation, Y, 1)
        {
            return None;
        }
        let mut moves = starts::moves(k, d, REFLECTED);
        for _ in 0..self.settings.most_starts {
            if self.exhausted() {
                break;
            }
            let best = self.best.as_ref()?;
            let before = best.objective;
            let start = moves.next()?;
            let Y = starts::make(model, start, Some(&best.found.point.Y));
            if self.attempt(start, Y, SWEEPS) {
                return None;
            }
            if self.best.as_ref()?.objective != before {
                moves = starts::moves(k, d, REFLECTED);
            }
        }
        if self.best.as_ref()?.objective != bounded {
            bound = self.bound();
        }
        bound.map(|b| b.excess)
    }

    /// The answer in the caller's units and axes.
    fn finish(self, excess: Option<f64>) -> Solution {
        let certified = self.certified();
        let model = self.model;
        let best = self.best.expect("the first start always gives a point");
        let (point, objective) = (best.found.point, best.objective);
        let excess = if certified {
            Some(0.0)
        } else {
            let floor = best.verdict.floor;
            let direct = floor.map(|floor| excess_with_margin(&point, floor));
            [excess, direct].into_iter().flatten().reduce(f64::min)
        };
        let rounding = f64::EPSILON * model.k() as f64 * (model.b_squared + model.beta_squared);
        let gap = |excess: f64| {
            if objective <= rounding {
                0.0
            } else {
                excess / objective
            }
        };
        let mut Y = point.Y;
        orient(model, &mut Y);
        Solution {
            coordinates: model.coordinates(&Y),
            objective: model.in_units(objective),
            stationarity: point.stationarity,
            margin: best.verdict.margin * model.unit * model.unit,
            certified,
            lower_bound: excess.map(|e| model.in_units(objective - e)),
            gap: excess.map(gap),
            start: best.start,
            starts_tried: self.tried,
            steps: self.steps,
            converged: best.found.converged,
        }
    }
}

/// On an axis where G vanishes both signs are equally good: the entry of largest modulus (the
/// first, on ties) is made positive. Rounding must not decide a tie.
fn orient(model: &Model<'_>, Y: &mut Mat<f64>) {
    for i in (0..model.d()).filter(|&i| model.free[i]) {
        let column = Y.col_as_slice_mut(i);
        let largest = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let first = column.iter().find(|v| v.abs() >= (1.0 - SAME) * largest);
        if first.is_some_and(|v| *v < 0.0) {
            column.iter_mut().for_each(|v| *v = -*v);
        }
    }
}

/// One newcomer: the secular equation, axes in descending order as everywhere else.
fn single(model: &Model<'_>) -> (Mat<f64>, f64) {
    let d = model.d();
    if !model.missing.is_empty() {
        return (model.projection.clone(), model.c_min());
    }
    let c: Vec<f64> = model.c.iter().rev().copied().collect();
    let g: Vec<f64> = (0..d).rev().map(|i| model.G[(0, i)]).collect();
    let mut y = vec![0.0; d];
    let (beta, b_norm) = (model.beta_diagonal[0], model.b_squared.sqrt());
    let root = secular::solve(&c, &g, beta, model.size, b_norm, &mut y);
    (Mat::from_fn(1, d, |_, i| y[d - 1 - i]), root.margin)
}

/// An answer that needed no search.
fn exact(model: &Model<'_>, Y: Mat<f64>, margin: f64) -> Solution {
    let point = model.at(Y);
    let objective = model.in_units(model.objective(&point));
    Solution {
        coordinates: model.coordinates(&point.Y),
        objective,
        stationarity: point.stationarity,
        margin: margin * model.unit * model.unit,
        certified: true,
        lower_bound: Some(objective),
        gap: Some(0.0),
        start: Start::Exact,
        starts_tried: 0,
        steps: 0,
        converged: true,
    }
}
