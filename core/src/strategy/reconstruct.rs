//! Restricted reconstruction of one newcomer at a time: the paper's problem (11).
//!
//! ```text
//! min over y:  F(y) = 2‖Xy − b‖² + (y'y − β)²
//! ```
//!
//! The minimiser is found, and proved to be global, by the secular equation ([`crate::strategy::secular`]) in the
//! eigenbasis of C. What is reported comes from the computed numbers: the stationarity
//! ‖(C + λI)y − g‖ with λ = y'y − β, the margin λ + c_min, what a flip of the flattest axis would cost
//! (8 g_d y_d), and whether there is one minimiser, a pair, or a sphere of them.

use crate::border::Border;
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::run::Run;
use crate::strategy::placements::{Placements, Strategy};
use crate::strategy::project::{objective, share};
use crate::strategy::rule::status;
use crate::strategy::secular::lanes::{Eight, LANES, Lanes};
use crate::strategy::secular::{self, Minimisers, Root};

/// Newcomers solved by one thread at a time.
const BATCH: usize = 512;

/// Reconstructs every newcomer of the border, each by itself.
///
/// One without a β is not converged: call [`require_beta`] before for a message that names the newcomer.
pub fn reconstruct(diagram: &Diagram, border: &Border, run: Run<'_>) -> Result<Placements, Error> {
    let (k, d) = (border.count(), border.dimensions);
    let lanes = Lanes::new(diagram.c(), diagram.count());
    let batches = run.untold().map("", k.div_ceil(BATCH), |batch| {
        let first = batch * BATCH;
        let count = BATCH.min(k - first);
        crate::isa::arch().dispatch(Batch {
            diagram,
            border,
            lanes: &lanes,
            first,
            count,
        })
    })?;
    let mut all = Placements::empty(Strategy::Reconstruct, 0, d);
    batches.into_iter().for_each(|b| all.append(b));
    Ok(all)
}

/// Errs if some newcomer's β is not known because its self-similarity is not; `object` names newcomers.
pub(crate) fn require_beta(
    border: &Border,
    object: impl Fn(usize) -> Object,
    strategy: &'static str,
) -> Result<(), Error> {
    let unknown = |i: &usize| border.beta[*i].is_nan() && !border.projection(*i)[0].is_nan();
    match (0..border.count()).find(unknown) {
        Some(i) => Err(Error::SelfSimilarity {
            newcomer: object(i),
            strategy,
        }),
        None => Ok(()),
    }
}

/// The minimiser for newcomer `i` of the border, and its g, in the eigenbasis of C: the same bits as in
/// [`reconstruct`].
pub(crate) fn solve(diagram: &Diagram, border: &Border, i: usize) -> (Vec<f64>, Vec<f64>, Root) {
    let mut y = vec![0.0; border.dimensions];
    let lanes = Lanes::new(diagram.c(), diagram.count());
    let mut eight = lanes.eight();
    gather(diagram, border, i, &lanes, (&mut eight, 0), &mut y);
    if !lanes.suits(&eight, 0) {
        return solve_scalar(diagram, border, i);
    }
    let (mut found, s) = (lanes.found(), lanes.unit());
    crate::isa::arch().dispatch(lanes.task(&mut eight, &mut found));
    for (y, lane) in y.iter_mut().zip(&found.y) {
        *y = lane[0] * s;
    }
    (y, right_side(diagram, border, i), found.root(&lanes, 0))
}

/// g of newcomer `i`, in the eigenbasis of C.
fn right_side(diagram: &Diagram, border: &Border, i: usize) -> Vec<f64> {
    let mut g = border.projection(i).to_vec();
    diagram.turn_into_basis(&mut g);
    g.iter_mut().zip(diagram.c()).for_each(|(g, c)| *g *= c);
    g
}

/// The same for a newcomer that may be in the hard case.
fn solve_scalar(diagram: &Diagram, border: &Border, i: usize) -> (Vec<f64>, Vec<f64>, Root) {
    let g = right_side(diagram, border, i);
    let mut y = vec![0.0; g.len()];
    let (beta, b_norm) = (border.beta[i], border.b_norm_squared[i].sqrt());
    let root = secular::solve(diagram.c(), &g, beta, diagram.count(), b_norm, &mut y);
    (y, g, root)
}

/// Newcomer `i` as lane `l` of eight; `y` is room for one point.
#[inline(always)]
fn gather(
    diagram: &Diagram,
    border: &Border,
    i: usize,
    lanes: &Lanes,
    (eight, l): (&mut Eight, usize),
    y: &mut [f64],
) {
    let down = 1.0 / lanes.unit();
    y.copy_from_slice(border.projection(i));
    diagram.turn_into_basis(y);
    for (lane, y) in eight.projection.iter_mut().zip(y) {
        lane[l] = *y * down;
    }
    eight.beta[l] = border.beta[i] * down * down;
    eight.b_norm[l] = border.b_norm_squared[i].sqrt() * down * down;
}

/// Some newcomers, eight at a time where that can be done.
struct Batch<'a> {
    diagram: &'a Diagram,
    border: &'a Border,
    lanes: &'a Lanes,
    first: usize,
    count: usize,
}

impl pulp::WithSimd for Batch<'_> {
    type Output = Placements;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Placements {
        let Batch {
            diagram,
            border,
            lanes,
            first,
            count,
        } = self;
        let mut all = Placements::empty(Strategy::Reconstruct, count, border.dimensions);
        several(diagram, border, lanes, first, &mut all);
        all
    }
}

#[inline(always)]
fn several(
    diagram: &Diagram,
    border: &Border,
    lanes: &Lanes,
    first: usize,
    placements: &mut Placements,
) {
    let (d, count, s) = (border.dimensions, placements.count(), lanes.unit());
    let (mut eight, mut found) = (lanes.eight(), lanes.found());
    let mut y = vec![0.0; d];
    for start in (0..count).step_by(LANES) {
        let here = LANES.min(count - start);
        for l in 0..here {
            let own = (&mut eight, l);
            gather(diagram, border, first + start + l, lanes, own, &mut y);
        }
        lanes.solve(&mut eight, &mut found);
        for l in 0..here {
            let (i, at) = (first + start + l, start + l);
            placements.residual[at] = border.residual(i);
            placements.share[at] = share(border, i);
            placements.known[at] = border.observed[i];
            if !lanes.suits(&eight, l) {
                scalar(diagram, border, i, placements, at);
                continue;
            }
            for (y, lane) in y.iter_mut().zip(&found.y) {
                *y = lane[l] * s;
            }
            let last = y[d - 1];
            diagram.turn_out_of_basis(&mut y);
            let answer = Answer {
                y: &y,
                last,
                root: found.root(lanes, l),
                stationarity: found.stationarity[l],
                objective: found.objective[l] * s * s * s * s + 2.0 * border.outside[i],
                displacement: found.displacement[l] * s,
            };
            answer.write(diagram, placements, at);
        }
    }
}

/// One newcomer's place, and the evidence.
struct Answer<'a> {
    /// About the diagram's origin.
    y: &'a [f64],
    /// y_d in the eigenbasis of C.
    last: f64,
    root: Root,
    stationarity: f64,
    objective: f64,
    displacement: f64,
}

impl Answer<'_> {
    #[inline(always)]
    fn write(&self, diagram: &Diagram, placements: &mut Placements, at: usize) {
        let d = self.y.len();
        placements.stationarity[at] = self.stationarity;
        placements.margin[at] = self.root.margin;
        placements.lambda[at] = self.root.lambda;
        placements.status[at] = status(self.root.converged, self.root.minimisers);
        placements.objective[at] = self.objective;
        placements.displacement[at] = self.displacement;
        placements.jump[at] = 2.0 * self.last.abs();
        // λ + c_d is the margin; 0 where the newcomer is as far beyond the map as it can be told.
        placements.stretch[at] = diagram.c()[d - 1] / self.root.margin;
        let coordinates = &mut placements.coordinates[at * d..(at + 1) * d];
        for ((target, y), o) in coordinates.iter_mut().zip(self.y).zip(diagram.origin()) {
            *target = y + o;
        }
    }
}

/// One newcomer by itself, in the hard case too.
fn scalar(diagram: &Diagram, border: &Border, i: usize, placements: &mut Placements, at: usize) {
    if border.projection(i)[0].is_nan() {
        return;
    }
    let (d, c, beta) = (border.dimensions, diagram.c(), border.beta[i]);
    let (mut y, mut g, root) = solve_scalar(diagram, border, i);
    // The proof, from the computed numbers.
    let b_norm = border.b_norm_squared[i].sqrt();
    secular::clear_rounding(c, &mut g, beta, diagram.count(), b_norm);
    let stationarity = secular::stationarity(c, &g, beta, &y);

    // The others of a pair; of a sphere, those on its axes.
    let finished = |mut y: Vec<f64>| {
        diagram.turn_out_of_basis(&mut y);
        y.iter_mut()
            .zip(diagram.origin())
            .for_each(|(v, o)| *v += o);
        y
    };
    if let Some((axis, tau)) = root.tie {
        let axes = match root.minimisers {
            Minimisers::Sphere(dimension) => axis - dimension..=axis,
            _ => axis..=axis,
        };
        for (other, sign) in axes.rev().flat_map(|a| [(a, 1.0), (a, -1.0)]).skip(1) {
            let mut mirror = y.clone();
            mirror[axis] = 0.0;
            mirror[other] = sign * tau;
            placements.alternatives.push((at, finished(mirror)));
        }
    }
    let last = y[d - 1];
    diagram.turn_out_of_basis(&mut y);
    let objective = objective(diagram, border, i, &y);
    let steps = y.iter().zip(border.projection(i));
    let answer = Answer {
        y: &y,
        last,
        root,
        stationarity,
        objective,
        displacement: steps.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
    };
    answer.write(diagram, placements, at);
}
