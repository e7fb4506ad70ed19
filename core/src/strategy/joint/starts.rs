//! Where the search begins.
//!
//! One start is enough when the certificate holds. The designed ones come first: the re-embedding
//! of all n + k turned back onto X, the separate reconstructions, the projection, and the top-d
//! part of β turned onto G in both orientations (when the newcomers outweigh the map, the inferior
//! minima are mirror images). When none of them is certified the best point is changed: mirrored
//! along an axis, one newcomer reflected, or everything drawn anew.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::algebra::{Eigen, add, add_product, eigen, product, scale_columns, top, turns};
use super::model::Model;
use crate::random::Stream;
use crate::strategy::secular;

/// How far every start is moved off its place, relative to each newcomer's own length: enough to
/// leave the symmetric subspaces in which a gradient can vanish, too little to change the basin.
const NUDGE: f64 = 1e-4;
/// Up to this order all eigenpairs are computed, which is then the cheapest way.
const ALL_EIGENPAIRS: usize = 150;
/// Vectors carried beyond d by the iterative eigensolver, and its rounds of three blocks.
const SPARE: usize = 4;
const ROUNDS: usize = 1;

/// Where a search began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// One newcomer, or none: solved exactly, without a search.
    Exact,
    /// The projections, slightly perturbed.
    Projection,
    /// Each newcomer reconstructed separately.
    Separate,
    /// All n + k objects embedded anew and turned back onto the map.
    Reembedding,
    /// The top-d part of β turned onto G.
    Between {
        /// In the other orientation.
        mirrored: bool,
    },
    /// The solution of the relaxed problem that gives the lower bound.
    Relaxation,
    /// The best point so far, mirrored along one axis.
    Mirror {
        /// The axis, in ascending order of the eigenvalues of C.
        axis: usize,
    },
    /// The best point so far with one newcomer reflected.
    Reflection {
        /// The newcomer.
        newcomer: usize,
    },
    /// Drawn anew, this many times.
    Random {
        /// Which draw.
        draw: usize,
    },
}

/// The starts that are tried in every problem, in this order.
pub(super) const DESIGNED: [Start; 5] = [
    Start::Reembedding,
    Start::Separate,
    Start::Projection,
    Start::Between { mirrored: false },
    Start::Between { mirrored: true },
];

/// The changes of the best point that are tried when no designed start was certified: every axis
/// mirrored, up to `reflected` single newcomers reflected, then new draws without end.
pub(super) fn moves(k: usize, d: usize, reflected: usize) -> impl Iterator<Item = Start> {
    let mirrors = (0..d).map(|axis| Start::Mirror { axis });
    let reflections = (0..k.min(reflected)).map(|newcomer| Start::Reflection { newcomer });
    let draws = (0..).map(|draw| Start::Random { draw });
    mirrors.chain(reflections).chain(draws)
}

/// The configuration a start means; `best` is the best point so far.
pub(super) fn make(model: &Model<'_>, start: Start, best: Option<&Mat<f64>>) -> Mat<f64> {
    let (k, d) = (model.k(), model.d());
    let mut Y = match (start, best) {
        (Start::Separate, _) => separate(model),
        (Start::Reembedding, _) => reembedding(model),
        (Start::Between { mirrored }, _) => between(model, mirrored),
        (Start::Mirror { axis }, Some(best)) => Mat::from_fn(k, d, |i, a| {
            if a == axis {
                -best[(i, a)]
            } else {
                best[(i, a)]
            }
        }),
        (Start::Reflection { newcomer }, Some(best)) => reflection(model, best, newcomer),
        (Start::Random { draw }, best) => drawn(model, draw, best),
        _ => model.projection.clone(),
    };
    nudge(model, &mut Y);
    Y
}

/// The length a newcomer may have: what β asks for, or its projection's.
fn lengths(model: &Model<'_>) -> Vec<f64> {
    let (k, d) = (model.k(), model.d());
    (0..k)
        .map(|j| {
            let projected: f64 = (0..d).map(|a| model.projection[(j, a)].powi(2)).sum();
            model.beta_diagonal[j].abs().max(projected).sqrt()
        })
        .collect()
}

/// Moves every newcomer a little, deterministically.
fn nudge(model: &Model<'_>, Y: &mut Mat<f64>) {
    let mut rng = Stream::new(7);
    let lengths = lengths(model);
    let typical = (lengths.iter().map(|v| v * v).sum::<f64>() / lengths.len().max(1) as f64).sqrt();
    let typical = if typical > 0.0 { typical } else { 1.0 };
    for j in 0..model.k() {
        let by = NUDGE * lengths[j].max(NUDGE * typical);
        for a in 0..model.d() {
            Y[(j, a)] += by * rng.normal();
        }
    }
}

/// Each newcomer by the secular equation, as if it were alone.
fn separate(model: &Model<'_>) -> Mat<f64> {
    let (k, d) = (model.k(), model.d());
    let mut Y = model.projection.clone();
    let mut known = vec![true; k];
    for &(i, j) in model.missing {
        known[i] &= i != j;
    }
    let mut y = vec![0.0; d];
    for j in (0..k).filter(|&j| known[j]) {
        let g: Vec<f64> = (0..d).map(|a| model.G[(j, a)]).collect();
        let b_norm = model.b_squared.sqrt();
        secular::solve(
            &model.c,
            &g,
            model.beta_diagonal[j],
            model.size,
            b_norm,
            &mut y,
        );
        for (a, v) in y.iter().enumerate() {
            Y[(j, a)] = *v;
        }
    }
    Y
}

/// The top d eigenpairs of [C, C^-½G'; GC^-½, β], which is the map and the newcomers in the
/// orthonormal basis that X has for its columns; then the map's rows turned back onto C^½.
fn reembedding(model: &Model<'_>) -> Mat<f64> {
    let (k, d) = (model.k(), model.d());
    let root: Vec<f64> = model.c.iter().map(|v| v.sqrt()).collect();
    // Q'b with Q = XC^-½: C^½Ŷ'.
    let cross = scale_columns(&model.projection, &root);
    let found = if k + d <= ALL_EIGENPAIRS {
        let beta = model.beta_matrix();
        let whole = Mat::from_fn(d + k, d + k, |i, j| match (i < d, j < d) {
            (true, true) if i == j => model.c[i],
            (true, true) => 0.0,
            (true, false) => cross[(j - d, i)],
            (false, true) => cross[(i - d, j)],
            (false, false) => beta[(i - d, j - d)],
        });
        largest(&eigen(whole.as_ref(), Par::Seq), d)
    } else {
        let multiply = |V: &Mat<f64>| {
            let m = V.ncols();
            let upper = V.as_ref().subrows(0, d);
            let lower = V.as_ref().subrows(d, k).to_owned();
            let mut below = model.beta(&lower);
            add_product(below.as_mut(), 1.0, cross.as_ref(), upper, model.par);
            let above = product(cross.transpose(), lower.as_ref(), model.par);
            Mat::from_fn(d + k, m, |i, j| {
                if i < d {
                    model.c[i] * V[(i, j)] + above[(i, j)]
                } else {
                    below[(i - d, j)]
                }
            })
        };
        let mut rng = Stream::new(11);
        let block = Mat::from_fn(d + k, d + SPARE, |i, j| {
            if j >= d {
                rng.normal()
            } else if i < d {
                if i == j { root[i] } else { 0.0 }
            } else {
                model.projection[(i - d, j)]
            }
        });
        top(d, block, ROUNDS, &multiply, model.par)
    };
    let all = configuration(&found, d);
    // R makes ⟨X̃R, C^½⟩ largest.
    let onto = Mat::from_fn(d, d, |i, j| all[(j, i)] * root[j]);
    let [R, _] = turns(onto.as_ref());
    product(all.as_ref().subrows(d, k), R.as_ref(), model.par)
}

/// The top-d positive part of β turned onto G.
fn between(model: &Model<'_>, mirrored: bool) -> Mat<f64> {
    let (k, d) = (model.k(), model.d());
    let found = if k <= ALL_EIGENPAIRS {
        largest(&eigen(model.beta_matrix().as_ref(), Par::Seq), d)
    } else {
        let mut rng = Stream::new(13);
        let block = Mat::from_fn(k, d + SPARE, |i, j| {
            if j < d && !model.free[j] {
                model.G[(i, j)]
            } else {
                rng.normal()
            }
        });
        top(d, block, ROUNDS, &|V| model.beta(V), model.par)
    };
    let Y = configuration(&found, d);
    let onto = product(Y.transpose(), model.G.as_ref(), model.par);
    let [nearest, other] = turns(onto.as_ref());
    let R = if mirrored { other } else { nearest };
    product(Y.as_ref(), R.as_ref(), model.par)
}

/// The `count` largest of ascending eigenpairs, descending.
fn largest(all: &Eigen, count: usize) -> Eigen {
    let n = all.values.len();
    let count = count.min(n);
    Eigen {
        values: (0..count).map(|j| all.values[n - 1 - j]).collect(),
        vectors: Mat::from_fn(n, count, |i, j| all.vectors[(i, n - 1 - j)]),
    }
}

/// VΛ^½ of the positive eigenvalues, filled up with zero columns to d.
fn configuration(found: &Eigen, d: usize) -> Mat<f64> {
    Mat::from_fn(found.vectors.nrows(), d, |i, j| match found.values.get(j) {
        Some(&v) if v > 0.0 => found.vectors[(i, j)] * v.sqrt(),
        _ => 0.0,
    })
}

/// One newcomer reflected along the weakest direction of all the others and the map.
fn reflection(model: &Model<'_>, best: &Mat<f64>, newcomer: usize) -> Mat<f64> {
    let d = model.d();
    let mut C = product(best.transpose(), best.as_ref(), model.par);
    for a in 0..d {
        C[(a, a)] += model.c[a];
        for b in 0..d {
            C[(a, b)] -= best[(newcomer, a)] * best[(newcomer, b)];
        }
    }
    let weak = eigen(C.as_ref(), Par::Seq).vectors;
    let along: f64 = (0..d).map(|a| weak[(a, 0)] * best[(newcomer, a)]).sum();
    let mut Y = best.clone();
    for a in 0..d {
        Y[(newcomer, a)] -= 2.0 * along * weak[(a, 0)];
    }
    Y
}

/// Everything anew: alternately around the best point, around the projections, and of the length
/// that β asks for in random directions.
fn drawn(model: &Model<'_>, draw: usize, best: Option<&Mat<f64>>) -> Mat<f64> {
    let (k, d) = (model.k(), model.d());
    let mut rng = Stream::new(1000 + draw as u64);
    let lengths = lengths(model);
    let spread = match draw % 4 {
        0 => 1.0,
        _ => 0.7 + 0.5 * rng.uniform(),
    };
    let noise = Mat::from_fn(k, d, |j, _| lengths[j] * rng.normal() / (d as f64).sqrt());
    let mut Y = match (draw % 4, best) {
        (0, _) => Mat::zeros(k, d),
        (1, Some(best)) => best.clone(),
        (2, Some(best)) => {
            // A random half of the newcomers on the other side of a random hyperplane.
            let v: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
            let vv: f64 = v.iter().map(|x| x * x).sum();
            let mut Y = best.clone();
            for j in 0..k {
                if rng.bits() & 1 == 0 {
                    let along: f64 = (0..d).map(|a| v[a] * best[(j, a)]).sum::<f64>() / vv;
                    for a in 0..d {
                        Y[(j, a)] -= 2.0 * along * v[a];
                    }
                }
            }
            return Y;
        }
        _ => model.projection.clone(),
    };
    add(&mut Y, spread, &noise);
    Y
}
