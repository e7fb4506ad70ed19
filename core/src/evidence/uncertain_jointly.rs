//! How certain are places that were found together?
//!
//! At a joint reconstruction YC + SY = G with S = M∘(YY' − β) and G = ŶC; M is 0 where nothing is known between two newcomers, otherwise 1.
//! An error in the proximities of newcomer p moves its own (ŷ_p, α_p), and so G_p and β_jl = t_jl − t̄_j − t̄_l + m. What is between
//! the newcomers is held as given:
//!
//! ```text
//! dG_p = C dŷ_p        dβ_jl = −(dα_j + dα_l)        dY C + S dY + [M∘(dY Y' + Y dY')] Y = dG + (M∘dβ) Y
//! ```
//!
//! (on complete rows dG_p = Σ_i x_i ε_ip and dα_p = ε̄_p, the mean over the old objects). The left side is a quarter of the Hessian, and positive
//! definite at a minimum that is not one of many. With J_jp the part of newcomer j in the solution for newcomer p, whose proximities
//! err independently of the others', Σ_j = Σ_p J_jp V_p J_jp'.

#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::uncertainty::{FLAT, propagate};
use crate::border::Border;
use crate::dense::Cholesky;
use crate::error::{About, Error};
use crate::fit::diagram::Diagram;
use crate::strategy::placements::Placements;

/// Coordinates in all: the Hessian has so many rows.
const MOST: usize = 4096;

/// Errs if there are more newcomers than their Hessian can be solved for.
pub(crate) fn offered(count: usize, dimensions: usize) -> Result<(), Error> {
    if count * dimensions <= MOST {
        return Ok(());
    }
    Err(Error::NotOffered {
        about: About::Between,
        what: "uncertainty of newcomers placed together",
        why: format!(
            "found {count} newcomers on {dimensions} axes, expected at most {}: place fewer together",
            MOST / dimensions
        ),
    })
}

/// Says of each newcomer that was placed jointly how certain its place is; `beta` is that of the `known` ones, NaN where it is not known.
pub(crate) fn given_axes(
    diagram: &Diagram,
    border: &Border,
    beta: &Mat<f64>,
    known: &[usize],
    placements: &mut Placements,
    par: Par,
) {
    let (k, d) = (known.len(), border.dimensions);
    placements.covariance = vec![f64::NAN; placements.count() * d * d];
    // In the eigenbasis of C, each axis in units of its own σ, where C is I.
    let c = diagram.c();
    let Y: Vec<Vec<f64>> = known
        .iter()
        .map(|&i| {
            let on_map = placements.point(i).iter().zip(diagram.origin());
            let mut y: Vec<f64> = on_map.map(|(y, o)| y - o).collect();
            diagram.turn_into_basis(&mut y);
            y
        })
        .collect();
    let scaled = |j: usize, a: usize| Y[j][a] / c[a].sqrt();
    let given = |j: usize, l: usize| !beta[(j, l)].is_nan();
    let dot = |j: usize, l: usize| -> f64 { Y[j].iter().zip(&Y[l]).map(|(a, b)| a * b).sum() };
    let mut H = Mat::zeros(k * d, k * d);
    for j in 0..k {
        for l in (0..k).filter(|&l| given(j, l)) {
            let s = dot(j, l) - beta[(j, l)];
            for a in 0..d {
                H[(j * d + a, l * d + a)] += s / c[a];
                for b in 0..d {
                    H[(j * d + a, j * d + b)] += scaled(l, a) * scaled(l, b);
                    H[(j * d + a, l * d + b)] += scaled(l, a) * scaled(j, b);
                }
            }
        }
        for a in 0..d {
            H[(j * d + a, j * d + a)] += 1.0;
        }
    }
    // For each newcomer the d directions of its ŷ on the map's axes, and its α.
    let q = d + 1;
    let mut right = Mat::zeros(k * d, k * q);
    for p in 0..k {
        for e in 0..d {
            let mut axis = vec![0.0; d];
            axis[e] = 1.0;
            diagram.turn_into_basis(&mut axis);
            (0..d).for_each(|a| right[(p * d + a, p * q + e)] = axis[a] * c[a].sqrt());
        }
        for l in (0..k).filter(|&l| given(p, l)) {
            for a in 0..d {
                right[(p * d + a, p * q + d)] -= scaled(l, a);
                right[(l * d + a, p * q + d)] -= scaled(p, a);
            }
        }
    }
    let Some(factor) = Cholesky::new(H, FLAT, par) else {
        return;
    };
    let solved = factor.solve(right, par);
    for (j, &i) in known.iter().enumerate() {
        let own = &mut placements.covariance[i * d * d..(i + 1) * d * d];
        own.fill(0.0);
        for (p, &other) in known.iter().enumerate() {
            let mut J = vec![0.0; d * q];
            for e in 0..q {
                let at = |a: usize| solved[(j * d + a, p * q + e)] / c[a].sqrt();
                let mut column: Vec<f64> = (0..d).map(at).collect();
                diagram.turn_out_of_basis(&mut column);
                (0..d).for_each(|a| J[a * q + e] = column[a]);
            }
            if let Some(V) = border.covariance_of(other) {
                propagate(&J, q, V, own);
            }
        }
    }
}
