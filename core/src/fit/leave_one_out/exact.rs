//! The map of the others, for each object, without fitting it.
//!
//! Let (c_k, u_k) be the eigenpairs of B but (0, e). Leaving object i out and centring anew compresses B to the complement of
//! {e, e_i}, where for each axis a ≤ d
//!
//! ```text
//! Σ_k u_ik²/(c_k − μ) = 0      has one root μ_a in (c_{a+1}, c_a): eigenvalue a of the map without i
//! q_a = Σ_k u_ik²/(c_k − μ_a)²      y_(i)a = sign(u_ia)/√(μ_a q_a)      β_(i) = b_ii (n/(n−1))²
//! ```
//!
//! Proof: the eigenvector is v_a ∝ Σ_k u_ik u_k/(c_k − μ_a), whose entry i is the equation, and v_a'Be_i ∝ Σ_k u_ik²(1 +
//! μ_a/(c_k − μ_a)) = 1 − 1/n, which the newcomer's factor n/(n − 1) cancels. It holds for indefinite B too; where μ_d ≤ 0 the
//! axis does not exist without the object. O(n²d) for all n objects after a dense decomposition.
//!
//! Where only the largest pairs are known all others are one node: its mass is what is missing of Σ_k u_ik² = 1 − 1/n, and it
//! stands at the mean that b_ii = Σ_k c_k u_ik² leaves for it.
//!
//! Equal eigenvalues and entries u_ik = 0 would be poles without a root between them. Both are moved by less than their own
//! rounding instead, so that there is one rule for all: the roots' variable loses nothing of such differences.

#![allow(non_snake_case)]

use super::roots::{self, Root};
use super::{LeaveOneOut, LeftOut};
use crate::error::Error;
use crate::fit::spectrum::Eigenpairs;
use crate::rounding::TIE_UNITS;
use crate::run::Run;

/// Objects that one thread leaves out at a time: their entries of an eigenvector share cache lines.
const BATCH: usize = 16;

/// Poles that a root is sought between are at least this many units of ε‖B‖ apart.
const APART: f64 = 4.0;

/// No u_ik² that a root is sought beside is smaller: the square of far less than the rounding of u_ik.
pub(crate) const LEAST_MASS: f64 = 1e-40;

/// A node of all that was not seen stands somewhere only if it has more than this mass.
const SOME_MASS: f64 = 1e-12;

/// Each object left out of the map of `d` axes that `pairs` make; `diagonal` has b_ii.
pub(crate) fn leave_one_out(
    pairs: &Eigenpairs,
    d: usize,
    diagonal: &[f64],
    run: Run<'_>,
) -> Result<LeaveOneOut, Error> {
    let n = diagonal.len();
    let nodes = Nodes::new(pairs, d, n);
    if nodes.poles.len() <= d {
        // With all but one of n objects there are not as many axes.
        return Ok(LeaveOneOut::of_residuals(vec![f64::NAN; n]));
    }
    let batches = run.map("leaving each object out", n.div_ceil(BATCH), |batch| {
        let first = batch * BATCH;
        let count = BATCH.min(n - first);
        crate::isa::arch().dispatch(Batch {
            nodes: &nodes,
            pairs,
            diagonal,
            d,
            first,
            count,
        })
    })?;
    let mut all = LeaveOneOut {
        form: if pairs.seen.whole {
            LeftOut::Exact
        } else {
            LeftOut::Approximate
        },
        poles: nodes.poles[..=d].to_vec(),
        ..Default::default()
    };
    for mut batch in batches {
        all.residuals.append(&mut batch.residuals);
        all.places.append(&mut batch.places);
        all.shifts.append(&mut batch.shifts);
    }
    Ok(all)
}

/// The poles that all objects have, and where their masses come from.
struct Nodes {
    /// Descending.
    poles: Vec<f64>,
    /// For each pole the column of the eigenvectors that were seen; the others' node has none.
    columns: Vec<Option<usize>>,
    /// Whether the node of all others stands at zero: then they are the kernel of B.
    at_zero: bool,
    /// Eigenvalues up to this are zero.
    zero: f64,
    /// How far apart poles are that a root is sought between.
    apart: f64,
}

impl Nodes {
    fn new(pairs: &Eigenpairs, d: usize, n: usize) -> Self {
        let seen = &pairs.seen;
        let zero = TIE_UNITS * n as f64 * f64::EPSILON * pairs.norm;
        let count = seen.values.len();
        let mut nodes: Vec<(f64, Option<usize>)> = (seen.values.iter().enumerate())
            .filter(|(_, c)| c.abs() > zero && (seen.whole || **c > 0.0))
            .map(|(k, c)| (*c, Some(count - 1 - k)))
            .collect();
        // All that is zero, but for e; or all that was not seen.
        if !seen.whole || n - 1 > nodes.len() {
            let positive = nodes.partition_point(|(c, _)| *c > 0.0);
            nodes.insert(positive, (0.0, None));
        }
        let apart = APART * f64::EPSILON * pairs.norm;
        let mut poles: Vec<f64> = Vec::with_capacity(nodes.len());
        for (c, _) in &nodes {
            let most = match poles.last() {
                None => f64::INFINITY,
                Some(last) if poles.len() <= d => last - apart,
                Some(last) => *last,
            };
            poles.push(c.min(most));
        }
        Self {
            poles,
            columns: nodes.into_iter().map(|(_, column)| column).collect(),
            at_zero: seen.whole,
            zero,
            apart,
        }
    }
}

/// Some objects, one after the other, on wide registers.
struct Batch<'a> {
    nodes: &'a Nodes,
    pairs: &'a Eigenpairs,
    diagonal: &'a [f64],
    d: usize,
    first: usize,
    count: usize,
}

impl pulp::WithSimd for Batch<'_> {
    type Output = LeaveOneOut;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> LeaveOneOut {
        let (d, width) = (self.d, roots::padded(self.nodes.poles.len()));
        let mut out = LeaveOneOut {
            residuals: vec![f64::NAN; self.count],
            places: vec![f64::NAN; self.count * d],
            shifts: vec![f64::NAN; self.count * d],
            ..Default::default()
        };
        let mut masses = self.masses();
        let mut poles = self.nodes.poles.clone();
        poles.resize(width, f64::NEG_INFINITY);
        let mut found = vec![
            Root {
                shift: 0.0,
                slope: 0.0
            };
            d
        ];
        for l in 0..self.count {
            let masses = &mut masses[l * width..(l + 1) * width];
            self.others(l, masses, &mut poles);
            masses[..=d].iter_mut().for_each(|z| *z = z.max(LEAST_MASS));
            for (a, root) in found.iter_mut().enumerate() {
                *root = roots::between(simd, &poles, masses, a);
            }
            self.write(l, &poles, &found, &mut out);
        }
        out
    }
}

impl Batch<'_> {
    /// u_ik² of the objects, a row each, with zeros where the node of all others is and beyond the last.
    #[inline(always)]
    fn masses(&self) -> Vec<f64> {
        let width = roots::padded(self.nodes.poles.len());
        let mut masses = vec![0.0; self.count * width];
        let U = self.pairs.seen.vectors.as_ref();
        for (k, column) in self.nodes.columns.iter().enumerate() {
            if let Some(column) = *column {
                let entries = U.col(column).subrows(self.first, self.count);
                for (l, u) in entries.iter().enumerate() {
                    masses[l * width + k] = u * u;
                }
            }
        }
        masses
    }

    /// Puts in the node of all others: what is left of the mass, where b_ii says.
    #[inline(always)]
    fn others(&self, l: usize, masses: &mut [f64], poles: &mut [f64]) {
        let nodes = self.nodes;
        let Some(at) = nodes.columns.iter().position(|c| c.is_none()) else {
            return;
        };
        let n = self.diagonal.len() as f64;
        let mass = 1.0 - 1.0 / n - masses.iter().sum::<f64>();
        masses[at] = mass.max(0.0);
        if nodes.at_zero {
            return;
        }
        let seen: f64 = poles
            .iter()
            .zip(&*masses)
            .take(at)
            .map(|(c, z)| c * z)
            .sum();
        let mean = if mass > SOME_MASS {
            (self.diagonal[self.first + l] - seen) / mass
        } else {
            0.0
        };
        let most = match at {
            0 => mean,
            _ if at <= self.d => poles[at - 1] - nodes.apart,
            _ => poles[at - 1],
        };
        poles[at] = mean.min(most);
    }

    #[inline(always)]
    fn write(&self, l: usize, poles: &[f64], found: &[Root], out: &mut LeaveOneOut) {
        let (i, d) = (self.first + l, self.d);
        let mu = |(a, root): (usize, &Root)| poles[a + usize::from(root.shift >= 0.0)] + root.shift;
        let last = mu((d - 1, &found[d - 1]));
        if last <= self.nodes.zero {
            return;
        }
        let places = &mut out.places[l * d..(l + 1) * d];
        let shifts = &mut out.shifts[l * d..(l + 1) * d];
        let mut squared = 0.0;
        for (a, root) in found.iter().enumerate() {
            let length = 1.0 / (mu((a, root)) * root.slope).sqrt();
            places[a] = length.copysign(self.pairs.vectors[(i, a)]);
            shifts[a] = root.shift;
            squared += length * length;
        }
        // The node of all others stands elsewhere for each object: then it is counted from the pole that all have.
        if !self.nodes.at_zero && self.nodes.columns[d].is_none() && shifts[d - 1] >= 0.0 {
            shifts[d - 1] += poles[d] - poles[d - 1];
        }
        let n = self.diagonal.len() as f64;
        let grown = n / (n - 1.0);
        out.residuals[l] = self.diagonal[i] * grown * grown - squared;
    }
}
