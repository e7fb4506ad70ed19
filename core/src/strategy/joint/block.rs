//! Exact block steps: one newcomer moved at a time, to the best place there is.
//!
//! With the other newcomers fixed, the best y_j is a single reconstruction (the paper's problem
//! (11)) with X extended by their rows: C_j = C + Σ y_l y_l', g_j = G_j + Σ β_jl y_l over the observed
//! l ≠ j. It is the global minimiser over y_j, so it leaves saddles and minima in which one newcomer
//! sits on the wrong side; far from them Newton's method is much faster.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::algebra::{eigen, product};
use super::model::Model;
use crate::strategy::secular;

/// One exact step for each newcomer in turn, with β a matrix. False if β is not one.
pub(super) fn sweep(model: &Model<'_>, Y: &mut Mat<f64>) -> bool {
    let (k, d) = (model.k(), model.d());
    if model.between.dense().is_none() {
        return false;
    }
    let mut hidden = vec![Vec::new(); if model.missing.is_empty() { 0 } else { k }];
    for &(i, j) in model.missing {
        hidden[i].push(j);
        if i != j {
            hidden[j].push(i);
        }
    }
    let mut YY = product(Y.transpose(), Y.as_ref(), model.par);
    for j in 0..k {
        let own: Vec<f64> = (0..d).map(|a| Y[(j, a)]).collect();
        let y = block_step(model, Y, &YY, j, hidden.get(j).map_or(&[], |h| h));
        for a in 0..d {
            Y[(j, a)] = y[a];
            for b in 0..d {
                YY[(a, b)] += y[a] * y[b] - own[a] * own[b];
            }
        }
    }
    true
}

/// The best y_j with all others fixed.
fn block_step(
    model: &Model<'_>,
    Y: &Mat<f64>,
    YY: &Mat<f64>,
    j: usize,
    hidden: &[usize],
) -> Vec<f64> {
    let d = model.d();
    let mut C = YY.clone();
    let mut without = |l: usize| {
        for a in 0..d {
            for b in 0..d {
                C[(a, b)] -= Y[(l, a)] * Y[(l, b)];
            }
        }
    };
    without(j);
    hidden.iter().filter(|&&l| l != j).for_each(|&l| without(l));
    for a in 0..d {
        C[(a, a)] += model.c[a];
    }
    let beta = model.between.dense().expect("the caller asked");
    let down = 1.0 / model.unit / model.unit;
    let column = beta.col(j);
    let own = column[j] * down;
    let mut length = model.b_squared - own * own;
    for v in column.iter() {
        length += (v * down).powi(2);
    }
    let g: Vec<f64> = (0..d)
        .map(|a| {
            let sum: f64 = Y
                .col_as_slice(a)
                .iter()
                .zip(column.iter())
                .map(|(y, v)| y * v)
                .sum();
            model.G[(j, a)] + (sum - column[j] * Y[(j, a)]) * down
        })
        .collect();
    let found = eigen(C.as_ref(), Par::Seq);
    let c: Vec<f64> = found.values.iter().map(|v| v.max(0.0)).collect();
    let turned: Vec<f64> = (0..d)
        .map(|i| (0..d).map(|a| found.vectors[(a, i)] * g[a]).sum())
        .collect();
    let mut z = vec![0.0; d];
    if hidden.contains(&j) {
        // Its own length is unknown: what is left is least squares.
        let floor = f64::EPSILON * c[d - 1] * (model.size + model.k()) as f64;
        for i in 0..d {
            z[i] = if c[i] > floor { turned[i] / c[i] } else { 0.0 };
        }
    } else {
        let size = model.size + model.k();
        secular::solve(&c, &turned, own, size, length.max(0.0).sqrt(), &mut z);
    }
    (0..d)
        .map(|a| (0..d).map(|i| found.vectors[(a, i)] * z[i]).sum())
        .collect()
}
