//! How certain is a place? Given these axes, how far the old objects disagree about it.
//!
//! A place is a function of the border (ŷ, α), whose covariance V comes from the reading itself ([`crate::border::hc3`]). With H = C + λI + 2yy',
//! from (C + λI)y = Cŷ, λ = y'y − β and β = t(η, η) − 2α − m,
//!
//! ```text
//! project       dy = dŷ                          Σ = the first d of V
//! reconstruct   dy = H⁻¹[C | −2y] d(ŷ, α)        Σ = JVJ',  J = H⁻¹[C | −2y]
//! ```
//!
//! whatever the origin, the weights and the holes; on complete rows about the centroid it is H⁻¹[Σ e_i²/(1−h_i)² z_i z_i']H⁻¹ with
//! z_i = x_i − 2y/n. The region {(z − y)'Σ⁻¹(z − y) ≤ dν/(ν−d+1)·F(d, ν−d+1)}, ν = n−d−1, holds what a new measurement of all its proximities
//! would give about as often as its level says. It is Hotelling's: Σ is estimated in all its entries, not up to a factor, and d·F(d, ν) would hold
//! less the more axes there are. It is not the error of measuring the newcomer itself, which all its proximities have in common; and where axes are
//! hardly separated (c_{d+1} near c_d) another panel of old objects would have had other axes: then see [`super::jackknife`].
//!
//! On which side of the last axis a reconstruction is, is decided by the sign of ŷ_d alone: `side` = Φ(−|ŷ_d|/se(ŷ_d)) is how likely it is the wrong
//! one, and `jump` = 2|y_d| is how far away the other place is.

#![allow(non_snake_case)]

use faer::{Mat, Par};

use crate::border::Border;
use crate::dense::Cholesky;
use crate::error::{About, Error};
use crate::evidence::tails::{f_quantile, normal_tail};
use crate::fit::diagram::Diagram;
use crate::place::alone::on_map;
use crate::strategy::placements::{Placements, Status, Strategy};

/// A pivot below this, where those of C alone are 1, is that of a place that can move freely: of a sphere.
pub(super) const FLAT: f64 = 1e-12;

/// Both places are given if the side is uncertain beyond this …
pub const UNCERTAIN_SIDE: f64 = 0.05;

/// … and they are farther apart than so many standard errors: otherwise the one region has both.
const APART: f64 = 2.0;

/// Errs unless the strategy's covariance with axes held fixed is known.
pub(crate) fn offered(strategy: Strategy) -> Result<(), Error> {
    match strategy {
        Strategy::Project | Strategy::Reconstruct => Ok(()),
        _ => Err(Error::NotOffered {
            about: About::Strategy,
            what: "uncertainty given the axes",
            why: format!(
                "found the strategy {}, expected project or reconstruct; uncertainty by refits is for every strategy",
                strategy.word()
            ),
        }),
    }
}

/// Says of each placement by project or reconstruct how certain it is, on the diagram, before the finish.
pub(crate) fn given_axes(diagram: &Diagram, border: &Border, placements: &mut Placements) {
    let d = border.dimensions;
    placements.covariance = vec![f64::NAN; placements.count() * d * d];
    for i in 0..placements.count() {
        let (true, Some(V)) = (placements.status[i].placed(), border.covariance_of(i)) else {
            continue;
        };
        let J = match placements.strategy {
            Strategy::Project => Some(unit(d)),
            _ => jacobian(diagram, placements, i),
        };
        if let Some(J) = J {
            let own = &mut placements.covariance[i * d * d..(i + 1) * d * d];
            own.fill(0.0);
            propagate(&J, d + 1, V, own);
        }
    }
    sides(diagram, border, placements, |i, axis| {
        let V = border.covariance_of(i)?;
        Some(form(V, d + 1, axis))
    });
}

/// [I | 0], row by row.
fn unit(d: usize) -> Vec<f64> {
    let mut J = vec![0.0; d * (d + 1)];
    (0..d).for_each(|a| J[a * (d + 1) + a] = 1.0);
    J
}

/// Σ += JVJ', J being d × q and V q × q, all row by row.
pub(super) fn propagate(J: &[f64], q: usize, V: &[f64], sigma: &mut [f64]) {
    let d = J.len() / q;
    for a in 0..d {
        let left: Vec<f64> = (0..q)
            .map(|j| (0..q).map(|l| J[a * q + l] * V[l * q + j]).sum())
            .collect();
        for b in 0..=a {
            let v: f64 = (0..q).map(|j| left[j] * J[b * q + j]).sum();
            sigma[a * d + b] += v;
            if b < a {
                sigma[b * d + a] += v;
            }
        }
    }
}

/// v'Vv over the first entries of V, which has `q` a row.
pub(super) fn form(V: &[f64], q: usize, v: &[f64]) -> f64 {
    let row = |a: usize| -> f64 { v.iter().zip(&V[a * q..]).map(|(v, x)| v * x).sum() };
    v.iter().enumerate().map(|(a, v)| v * row(a)).sum()
}

/// H⁻¹[C | −2y] of the reconstruction of newcomer `i`, d × (d + 1) row by row; none if H is singular, as on a sphere of places.
///
/// In the eigenbasis of C, each axis in units of its own σ: there C is I, and H is I + λC⁻¹ + 2ỹỹ' with ỹ = y/σ.
fn jacobian(diagram: &Diagram, placements: &Placements, i: usize) -> Option<Vec<f64>> {
    let (c, d) = (diagram.c(), placements.dimensions);
    let lambda = placements.lambda[i];
    let mut y = about(diagram, placements, i);
    diagram.turn_into_basis(&mut y);
    let scaled = |a: usize| y[a] / c[a].sqrt();
    let H = Mat::from_fn(d, d, |a, b| {
        let own = if a == b { (c[a] + lambda) / c[a] } else { 0.0 };
        own + 2.0 * scaled(a) * scaled(b)
    });
    // C times each unit vector, and −2y, in that basis and those units.
    let mut right = Mat::zeros(d, d + 1);
    for j in 0..d {
        let mut axis = vec![0.0; d];
        axis[j] = 1.0;
        diagram.turn_into_basis(&mut axis);
        (0..d).for_each(|a| right[(a, j)] = axis[a] * c[a].sqrt());
    }
    (0..d).for_each(|a| right[(a, d)] = -2.0 * scaled(a));
    let solved = Cholesky::new(H, FLAT, Par::Seq)?.solve(right, Par::Seq);
    let mut J = vec![0.0; d * (d + 1)];
    for j in 0..=d {
        let mut column: Vec<f64> = (0..d).map(|a| solved[(a, j)] / c[a].sqrt()).collect();
        diagram.turn_out_of_basis(&mut column);
        (0..d).for_each(|a| J[a * (d + 1) + j] = column[a]);
    }
    Some(J)
}

/// The place of newcomer `i` about the origin.
fn about(diagram: &Diagram, placements: &Placements, i: usize) -> Vec<f64> {
    let point = placements.point(i).iter().zip(diagram.origin());
    point.map(|(y, o)| y - o).collect()
}

/// Says of each reconstruction how uncertain its side of the last axis is, and adds the place on the other side where it is; `variance` is
/// that of the projection of a newcomer along an axis.
pub(super) fn sides(
    diagram: &Diagram,
    border: &Border,
    placements: &mut Placements,
    variance: impl Fn(usize, &[f64]) -> Option<f64>,
) {
    if placements.strategy != Strategy::Reconstruct {
        return;
    }
    let d = placements.dimensions;
    let mut axis = vec![0.0; d];
    axis[d - 1] = 1.0;
    diagram.turn_out_of_basis(&mut axis);
    let mut others = Vec::new();
    for i in 0..placements.count() {
        let Some(variance) = variance(i, &axis).filter(|_| placements.status[i].placed()) else {
            continue;
        };
        let mut projection = border.projection(i).to_vec();
        diagram.turn_into_basis(&mut projection);
        let z = projection[d - 1].abs() / variance.sqrt();
        // Nothing beside nothing is a tie.
        let tied = placements.status[i] == Status::Pair || z.is_nan() && variance == 0.0;
        let side = if tied { 0.5 } else { normal_tail(z) };
        placements.side[i] = side;
        let sigma = &placements.covariance[i * d * d..(i + 1) * d * d];
        let se = form(sigma, d, &axis).sqrt();
        let uncertain = side > UNCERTAIN_SIDE && placements.jump[i] > APART * se;
        if uncertain && placements.status[i] == Status::Unique {
            let mut y = about(diagram, placements, i);
            diagram.turn_into_basis(&mut y);
            y[d - 1] = -y[d - 1];
            diagram.turn_out_of_basis(&mut y);
            others.push((i, on_map(diagram, &y)));
        }
    }
    placements.alternatives.extend(others);
    placements.alternatives.sort_by_key(|(i, _)| *i);
}

impl Placements {
    /// The standard error of newcomer `i` on axis `j`; NaN if it is not known or was not asked for.
    pub fn standard_error(&self, i: usize, j: usize) -> f64 {
        let d = self.dimensions;
        let variance = self.covariance.get(i * d * d + j * d + j);
        variance.map_or(f64::NAN, |v| v.sqrt())
    }

    /// How far the region of newcomer `i` on `axes` of the axes reaches at a `level` such as 0.95: it is where (z − y)'Σ⁻¹(z − y) is at most
    /// this, Σ being the covariance on those axes: qν/(ν−q+1)·F(q, ν−q+1) on q axes, with ν = n−d−1 given the axes and ν = g−1 by g refits. NaN if it is
    /// not known.
    pub fn region(&self, i: usize, axes: usize, level: f64) -> f64 {
        let q = axes as f64;
        let freedom = match self.blocks {
            Some(blocks) => blocks as f64 - 1.0,
            None => self.known[i] as f64 - self.dimensions as f64 - 1.0,
        };
        let rest = freedom - q + 1.0;
        q * freedom / rest * f_quantile(q, rest, level)
    }

    /// Which of the newcomers may as well be on the other side of the last axis, where the side is uncertain and the other place is far.
    pub fn uncertain_sides(&self) -> Vec<usize> {
        let mut found: Vec<usize> = self.alternatives.iter().map(|(i, _)| *i).collect();
        found.dedup();
        found.retain(|&i| self.status[i] == Status::Unique && self.side[i] > UNCERTAIN_SIDE);
        found
    }
}
