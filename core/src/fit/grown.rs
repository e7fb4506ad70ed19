//! A diagram that has grown: newcomers that were taken in for good, beside founders that did not move.
//!
//! Gower's τ_w on founders and members together, with w on the founders only (theirs of the fit, 0 for who came later),
//! leaves the founders' B as it was; a member's row mean t̄ is its own mean over the founders, known from its border, and m is
//! what it was. With Y where the members were placed, the configuration is
//!
//! ```text
//! Z = (X; Y)        C = Z'Z = X'X + Σ yy'        w = (w of the fit; 0)        r = (r of the fit; t̄ of the members)
//! ```
//!
//! so that a later newcomer, who gives proximities to founders and members, has b, β = t(η,η) − 2w't + m and ŷ = C⁻¹Z'b like
//! anybody on a configuration with a C that is not diagonal. Nothing of the old proximities is needed. The sums over members
//! are taken one after the other, so that the diagram is the same to the bit however its members came.

#![allow(non_snake_case)]

use faer::Mat;

use super::diagram::{Diagram, Parts, eigenbasis};
use crate::error::{About, Error};
use crate::fit::centring::Centring;
use crate::fit::leave_one_out::LeaveOneOut;
use crate::labels::checked_labels;

/// Newcomers that became members of a diagram, in the order in which they came.
#[derive(Debug, Clone, PartialEq)]
pub struct Members {
    /// Who they are.
    pub labels: Vec<String>,
    /// Where they were placed, on the diagram, row by row.
    pub configuration: Mat<f64>,
    /// t̄ of each: its mean proximity to the founders, on the scale of inner products.
    pub means: Vec<f64>,
    /// Whether that is the mean itself, rather than what an intercept says where proximities were missing or weighted.
    pub measured: Vec<bool>,
    /// ŷ of each as a newcomer to the founders' diagram, about its origin, row by row; NaN where it is not known.
    pub projections: Vec<f64>,
    /// r = β − ŷ'ŷ of each as a newcomer to the founders' diagram.
    pub residuals: Vec<f64>,
    /// t of each and the founder it is nearest to; NaN where it is not known.
    pub nearest: Vec<f64>,
}

impl Members {
    /// Nobody, on `d` axes.
    pub fn nobody(d: usize) -> Self {
        Self {
            labels: Vec::new(),
            configuration: Mat::zeros(0, d),
            means: Vec::new(),
            measured: Vec::new(),
            projections: Vec::new(),
            residuals: Vec::new(),
            nearest: Vec::new(),
        }
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// ŷ of member `i` on the founders' diagram.
    pub(crate) fn projection(&self, i: usize) -> &[f64] {
        let d = self.configuration.ncols();
        &self.projections[i * d..(i + 1) * d]
    }

    /// Those who came first.
    pub(crate) fn first(&self, count: usize) -> Self {
        let d = self.configuration.ncols();
        let all = 0..count;
        Self {
            labels: self.labels[all.clone()].to_vec(),
            configuration: self.configuration.subrows(0, count).to_owned(),
            means: self.means[all.clone()].to_vec(),
            measured: self.measured[all.clone()].to_vec(),
            projections: self.projections[..count * d].to_vec(),
            residuals: self.residuals[all.clone()].to_vec(),
            nearest: self.nearest[all].to_vec(),
        }
    }

    /// These, and `others` who came after them.
    pub(crate) fn and(mut self, others: Self) -> Self {
        let (k, d) = (self.count(), self.configuration.ncols());
        self.configuration = Mat::from_fn(k + others.count(), d, |i, j| {
            if i < k {
                self.configuration[(i, j)]
            } else {
                others.configuration[(i - k, j)]
            }
        });
        self.labels.extend(others.labels);
        self.means.extend(others.means);
        self.measured.extend(others.measured);
        self.projections.extend(others.projections);
        self.residuals.extend(others.residuals);
        self.nearest.extend(others.nearest);
        self
    }

    /// Errs unless there is one of everything for each, on `d` axes, and it is a number where it must be.
    pub(crate) fn check(&self, d: usize) -> Result<(), Error> {
        let m = self.count();
        for (what, found, expected) in [
            ("places of members", self.configuration.nrows(), m),
            ("axes of members", self.configuration.ncols(), d),
            ("means of members", self.means.len(), m),
            ("kinds of means of members", self.measured.len(), m),
            ("projections of members", self.projections.len(), m * d),
            ("residuals of members", self.residuals.len(), m),
            ("nearest proximities of members", self.nearest.len(), m),
        ] {
            if found != expected {
                return Err(Error::Length {
                    about: About::Work,
                    what,
                    found,
                    expected,
                });
            }
        }
        let places = (0..d).flat_map(|j| self.configuration.col(j).iter());
        if !places.chain(&self.means).all(|v| v.is_finite()) {
            return Err(Error::Inconsistent(
                "found a member with a number that is not finite, expected finite numbers".into(),
            ));
        }
        Ok(())
    }
}

impl Diagram {
    /// This diagram with members beside its objects, who do not move.
    pub(crate) fn grown(&self, members: &Members) -> Result<Self, Error> {
        let (n, d) = (self.count(), self.dimensions());
        members.check(d)?;
        let all = n + members.count();
        let X = self.configuration();
        let Z = Mat::from_fn(all, d, |i, j| {
            if i < n {
                X[(i, j)]
            } else {
                members.configuration[(i - n, j)]
            }
        });
        let mut C = self.cross.clone();
        for i in n..all {
            add_outer(&mut C, |j| Z[(i, j)] - self.origin[j]);
        }
        let (values, V) = eigenbasis(C.as_ref())?;

        let old = &self.parts;
        let joined = |ours: &[f64], theirs: &[f64]| [ours, theirs].concat();
        let equal = || vec![1.0 / n as f64; n];
        let mut weights = old.centring.weights.clone().unwrap_or_else(equal);
        weights.resize(all, 0.0);
        let nearest = if old.leave_one_out.nearest.is_empty() {
            Vec::new()
        } else {
            joined(&old.leave_one_out.nearest, &members.nearest)
        };
        let labels = [&old.labels[..], &members.labels].concat();
        Ok(Self {
            parts: Parts {
                labels: checked_labels(Some(labels), all)?,
                configuration: Z,
                centring: Centring {
                    weights: Some(weights),
                    row_means: joined(&old.centring.row_means, &members.means),
                    grand_mean: old.centring.grand_mean,
                },
                // What each of them is as a newcomer; places are those of the founders' own diagram.
                leave_one_out: LeaveOneOut {
                    form: old.leave_one_out.form,
                    nearest,
                    ..LeaveOneOut::of_residuals(joined(
                        &old.leave_one_out.residuals,
                        &members.residuals,
                    ))
                },
                ..self.parts.clone()
            },
            origin: self.origin.clone(),
            cross: C,
            basis: (values, Some(V)),
        })
    }
}

/// C + yy'.
fn add_outer(C: &mut Mat<f64>, y: impl Fn(usize) -> f64) {
    let d = C.nrows();
    for j in 0..d {
        for i in 0..d {
            C[(i, j)] += y(i) * y(j);
        }
    }
}
