//! Placing newcomers together, from their proximities to the old objects and to each other.
//!
//! With t̄_j the mean of newcomer j, and t the proximities between newcomers on the scale of inner products,
//!
//! ```text
//! β_jl = t_jl − t̄_j − t̄_l + m
//! ```
//!
//! (the paper's §6, with w divided by n, as it must be for w'e = 1). The border gives ŷ_j, hence G = b'X =
//! ŶC, and β_jj, hence t̄_j; [`crate::strategy::joint`] does the rest from C, G and β. Newcomers whose border is not
//! known (too few proximities) are left out of the problem and get a status.

#![allow(non_snake_case)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::border::{Border, squared};
use crate::dense;
use crate::error::{Error, Object};
use crate::fit::diagram::Diagram;
use crate::fit::product::{self, STRIDE, TILE_COLUMNS};
use crate::fit::spectrum::{self, Solver, Symmetric};
use crate::input::kind::{Kind, lowest_by_rounding};
use crate::input::symmetry::SYMMETRY;
use crate::place::alone::on_map;
use crate::rounding::{RANGE, TIE_UNITS, longest};
use crate::run::Run;
use crate::strategy::joint::{self, Between, DenseBetween, Start};
use crate::strategy::placements::{Placements, Status, Strategy};
use crate::strategy::project::share;
use crate::strategy::reconstruct::require_beta;

/// Placements of newcomers together, and what is known of them as a whole.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Jointly {
    /// Where each newcomer is; the objective is the joint one on every row.
    pub placements: Placements,
    /// Whether they are proved to be a global minimiser.
    pub certified: bool,
    /// No placement has an objective below this.
    pub lower_bound: Option<f64>,
    /// How far the objective may be from the minimum, relative to it; none if that is not known.
    pub gap: Option<f64>,
    /// λ_max(β − ŶŶ'): what of the newcomers together is outside the map's space, in its one direction that has most of
    /// them. None if some of what is between them is missing.
    pub outside: Option<f64>,
    /// The start that led here.
    pub start: Start,
    /// How many starts were tried.
    pub starts: usize,
    /// Steps taken in all.
    pub steps: usize,
}

/// Reconstructs newcomers together whose border is known. `between` is k × k: proximities of the diagram's kind between
/// the newcomers, checked, NaN where missing; the diagonal is zero for dissimilarities and is taken from
/// `self_similarity` otherwise. `object` names the newcomers.
pub(crate) fn reconstruct_jointly(
    diagram: &Diagram,
    border: &Border,
    between: MatRef<'_, f64>,
    self_similarity: Option<&[f64]>,
    object: impl Fn(usize) -> Object,
    run: Run<'_>,
) -> Result<Jointly, Error> {
    require_beta(border, object, "reconstruct")?;

    // The problem of those that have a border.
    let (k, d) = (border.count(), border.dimensions);
    let (beta, known) = beta_of_known(diagram, border, between, self_similarity);
    let beta = DenseBetween::new(beta);
    let G = border.g(diagram);
    let G = Mat::from_fn(known.len(), d, |i, j| G[(known[i], j)]);
    let problem = joint::Problem {
        cross: diagram.cross(),
        g: G.as_ref(),
        between: &beta,
        b_norm_squared: known.iter().map(|&i| border.b_norm_squared[i]).sum(),
        size: diagram.count(),
    };
    let solution = joint::solve(&problem, &joint::JointSettings::default(), run)?;
    let objective = objective(diagram, border, &beta, &known, &solution.coordinates);

    let mut placements = Placements::empty(Strategy::Reconstruct, k, d);
    for i in 0..k {
        placements.residual[i] = border.residual(i);
        placements.share[i] = share(border, i);
        placements.known[i] = border.observed[i];
    }
    let point = |Y: &Mat<f64>, row: usize| -> Vec<f64> { Y.row(row).iter().copied().collect() };
    for (row, &i) in known.iter().enumerate() {
        let y = point(&solution.coordinates, row);
        let step: Vec<f64> = y
            .iter()
            .zip(border.projection(i))
            .map(|(a, b)| a - b)
            .collect();
        placements.coordinates[i * d..(i + 1) * d].copy_from_slice(&on_map(diagram, &y));
        placements.displacement[i] = squared(&step).sqrt();
        placements.objective[i] = objective;
        placements.stationarity[i] = solution.stationarity;
        placements.margin[i] = solution.margin;
        placements.status[i] = if solution.converged {
            Status::Unique
        } else {
            Status::NotConverged
        };
    }
    for mirror in mirrors(diagram, &problem, &solution.coordinates) {
        for (row, &i) in known.iter().enumerate() {
            if placements.status[i] == Status::Unique {
                placements.status[i] = Status::Pair;
            }
            placements
                .alternatives
                .push((i, on_map(diagram, &point(&mirror, row))));
        }
    }
    placements.alternatives.sort_by_key(|(i, _)| *i);
    Ok(Jointly {
        placements,
        certified: solution.certified,
        lower_bound: solution.lower_bound,
        gap: solution.gap,
        outside: outside(border, &beta, &known, run),
        start: solution.start,
        starts: solution.starts_tried,
        steps: solution.steps,
    })
}

/// A symmetric matrix as it is.
struct Formed(Mat<f64>);

impl Symmetric for Formed {
    fn count(&self) -> usize {
        self.0.nrows()
    }
    fn multiply(&self, v: MatRef<'_, f64>, out: MatMut<'_, f64>) -> Result<(), Error> {
        matmul(out, Accum::Replace, self.0.as_ref(), v, 1.0, Par::Seq);
        Ok(())
    }
    fn dense(&self) -> Result<Mat<f64>, Error> {
        Ok(self.0.clone())
    }
}

/// λ_max(β − ŶŶ'); none if β has holes.
fn outside(border: &Border, beta: &DenseBetween, known: &[usize], run: Run<'_>) -> Option<f64> {
    let dense = beta.dense().filter(|_| beta.missing().is_empty())?;
    let Y = Mat::from_fn(known.len(), border.dimensions, |a, j| {
        border.projection(known[a])[j]
    });
    let mut left = dense.to_owned();
    matmul(
        left.as_mut(),
        Accum::Add,
        Y.as_ref(),
        Y.transpose(),
        -1.0,
        Par::Seq,
    );
    let pairs = spectrum::largest(&Formed(left), 1, (Solver::Iterative, None), run.untold());
    pairs.ok()?.values.first().copied()
}

/// The joint objective, from the parts that do not cancel: 2 Σ (y − ŷ)'C(y − ŷ) + ‖YY' − β‖² + 2‖b − XŶ'‖².
fn objective(
    diagram: &Diagram,
    border: &Border,
    beta: &DenseBetween,
    known: &[usize],
    Y: &Mat<f64>,
) -> f64 {
    let mut sum = 0.0;
    for (row, &i) in known.iter().enumerate() {
        let steps = Y.row(row).iter().zip(border.projection(i));
        let step: Vec<f64> = steps.map(|(a, b)| a - b).collect();
        sum += 2.0 * (diagram.form(&step) + border.outside[i]);
    }
    let missing: std::collections::HashSet<(usize, usize)> =
        beta.missing().iter().copied().collect();
    if let Some(beta) = beta.dense() {
        let S = dense::product(Y.as_ref(), Y.transpose(), Par::Seq) - beta;
        for j in 0..S.ncols() {
            for i in 0..=j {
                if !missing.contains(&(i, j)) {
                    sum += S[(i, j)].powi(2) * if i == j { 1.0 } else { 2.0 };
                }
            }
        }
    }
    sum
}

/// β of the newcomers that have a border, NaN where the proximity between two is missing, and who they are.
pub(crate) fn beta_of_known(
    diagram: &Diagram,
    border: &Border,
    between: MatRef<'_, f64>,
    self_similarity: Option<&[f64]>,
) -> (Mat<f64>, Vec<usize>) {
    let has = |i: &usize| !border.projection(*i)[0].is_nan();
    let known: Vec<usize> = (0..border.count()).filter(has).collect();
    let beta = beta(diagram, self_similarity, border, between, &known);
    (beta, known)
}

/// β of the newcomers in `known`, NaN where the proximity between two is missing.
fn beta(
    diagram: &Diagram,
    self_similarity: Option<&[f64]>,
    border: &Border,
    between: MatRef<'_, f64>,
    known: &[usize],
) -> Mat<f64> {
    let (k, m) = (border.count(), diagram.centring().grand_mean);
    let scale = diagram.scale();
    let itself = |i: usize| match diagram.kind() {
        Kind::Similarity => self_similarity.map_or(f64::NAN, |s| scale.itself(s[i])),
        _ => 0.0,
    };
    // β_jj = t(η, η) − 2t̄ + m gives t̄ back, also for a newcomer that lacks some proximities.
    let mean: Vec<f64> = (0..k)
        .map(|i| 0.5 * (itself(i) + m - border.beta[i]))
        .collect();
    let mut t = Mat::<f64>::zeros(k, k);
    let mut line = vec![0.0; STRIDE];
    for i in 0..k {
        for j0 in (0..k).step_by(TILE_COLUMNS) {
            let columns = TILE_COLUMNS.min(k - j0);
            product::load(between, (i, 1), (j0, columns), &scale, &mut line);
            for (j, v) in line[..columns].iter().enumerate() {
                // Newcomers that are exactly 0 apart are one object: no correction between them.
                let same = scale.kind != Kind::Similarity && between[(i, j0 + j)] <= 0.0;
                t[(i, j0 + j)] = if same { 0.0 } else { *v };
            }
        }
    }
    Mat::from_fn(known.len(), known.len(), |a, b| {
        let (i, j) = (known[a], known[b]);
        if i == j {
            border.beta[i]
        } else {
            t[(i, j)] - mean[i] - mean[j] + m
        }
    })
}

/// Flipping an axis leaves YY' as it is and costs 8⟨G_i, Y_i⟩: where that is rounding, the mirror image
/// is as good.
fn mirrors(diagram: &Diagram, problem: &joint::Problem<'_>, Y: &Mat<f64>) -> Vec<Mat<f64>> {
    let (k, d) = (Y.nrows(), Y.ncols());
    let turned = |m: MatRef<'_, f64>| -> Vec<Vec<f64>> {
        (0..k)
            .map(|i| {
                let mut row: Vec<f64> = m.row(i).iter().copied().collect();
                diagram.turn_into_basis(&mut row);
                row
            })
            .collect()
    };
    let (rows, G) = (turned(Y.as_ref()), turned(problem.g));
    let unit = TIE_UNITS * problem.size as f64 * f64::EPSILON;
    let size = Y.norm_l2();
    (0..d)
        .filter(|&j| {
            let length = rows.iter().map(|r| r[j] * r[j]).sum::<f64>().sqrt();
            let g: f64 = rows.iter().zip(&G).map(|(r, g)| r[j] * g[j]).sum();
            let noise = unit * diagram.c()[j].sqrt() * problem.b_norm_squared.sqrt();
            length > unit.sqrt() * size && g.abs() <= noise * length
        })
        .map(|j| {
            let mut mirror = Mat::zeros(k, d);
            for (i, row) in rows.iter().enumerate() {
                let mut row = row.clone();
                row[j] = -row[j];
                diagram.turn_out_of_basis(&mut row);
                row.iter()
                    .enumerate()
                    .for_each(|(l, v)| mirror[(i, l)] = *v);
            }
            mirror
        })
        .collect()
}

/// Errs unless `between` is square, symmetric to rounding, of the right sign, and zero on the diagonal unless it is
/// similarities; `object` names the `k` newcomers.
pub(crate) fn check_between(
    kind: Kind,
    k: usize,
    object: impl Fn(usize) -> Object,
    between: MatRef<'_, f64>,
) -> Result<(), Error> {
    look_between(kind, k, object, between).map_err(|error| Error::Between(Box::new(error)))
}

fn look_between(
    kind: Kind,
    k: usize,
    object: impl Fn(usize) -> Object,
    between: MatRef<'_, f64>,
) -> Result<(), Error> {
    if (between.nrows(), between.ncols()) != (k, k) {
        return Err(Error::NotSquare {
            rows: between.nrows(),
            columns: between.ncols(),
        });
    }
    let entry = |i: usize, j: usize, expected: &'static str| Error::Entry {
        row: object(i),
        column: object(j),
        found: between[(i, j)],
        expected,
    };
    let largest = between
        .col_iter()
        .flat_map(|c| c.iter())
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    let lowest = lowest_by_rounding(between.col_iter().flat_map(|c| c.iter()).copied());
    for i in 0..k {
        for j in 0..k {
            let v = between[(i, j)];
            let rounding = kind != Kind::Similarity && v < 0.0 && v >= lowest;
            if !(v.is_nan() || rounding || kind.admits(v)) {
                return Err(entry(i, j, kind.expected()));
            }
            let length = match kind {
                Kind::Dissimilarity => v.abs(),
                Kind::Squared | Kind::Similarity => v.abs().sqrt(),
            };
            if length > longest() {
                return Err(Error::Scale {
                    object: Some(object(i)),
                    found: length,
                    expected: RANGE,
                });
            }
            if i == j && kind != Kind::Similarity && v.abs() > SYMMETRY * largest {
                return Err(entry(i, j, "0 from a newcomer to itself"));
            }
            let mirror = between[(j, i)];
            if (v - mirror).abs() > SYMMETRY * largest {
                return Err(Error::Asymmetric {
                    row: object(i),
                    column: object(j),
                    found: (v, mirror),
                });
            }
        }
    }
    Ok(())
}
