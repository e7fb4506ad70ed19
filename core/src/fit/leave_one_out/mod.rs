//! Each old object left out: what it would be as a newcomer to the map of the others.
//!
//! An object that took part in the fit is nearer to the map than one that did not. What newcomers are to be compared
//! with is therefore not where the old objects are but where each of them would be if it came to the map of the others:
//! its place y_(i) there, and its residual r_(i) = β_(i) − ‖y_(i)‖².
//!
//! * [`exact`]: the map of the others is fitted anew, centring and axes, but without fitting it: one secular equation an axis
//!   ([`roots`]). From all eigenpairs it is exact, from some of them and one number for the rest within a per cent or so.
//! * [`fixed`]: axes and centring are held fixed. Right as algebra, but a biased yardstick; it is for configurations
//!   that were given and for other origins than the centroid, where there is no other.

pub(crate) mod exact;
pub(crate) mod fixed;
mod roots;

use crate::error::{About, Error};

/// How the old objects were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LeftOut {
    /// The map of the others, from all eigenpairs.
    Exact,
    /// The map of the others, from the largest eigenpairs and one number for all that follow.
    Approximate,
    /// The map as it is, without the object's own row.
    #[default]
    AxesFixed,
}

impl LeftOut {
    const ALL: [LeftOut; 3] = [LeftOut::Exact, LeftOut::Approximate, LeftOut::AxesFixed];

    /// The word for it, as the map file has it.
    pub fn word(self) -> &'static str {
        match self {
            LeftOut::Exact => "exact",
            LeftOut::Approximate => "approximate",
            LeftOut::AxesFixed => "axes held fixed",
        }
    }

    /// What `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
}

/// The old objects, each left out. NaN stands for an object without which one of the axes does not exist.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeaveOneOut {
    /// How they were left out.
    pub form: LeftOut,
    /// r_(i) = β_(i) − ‖y_(i)‖².
    pub residuals: Vec<f64>,
    /// y_(i), each object's projection, row by row, n × d: in the own axes of the map of the others, or, with axes held fixed,
    /// in the diagram's about its origin. Empty if they are not known, as in maps of earlier versions.
    pub places: Vec<f64>,
    /// The d + 1 largest eigenvalues, made different where they were equal, by which `shifts` are to be read; empty with
    /// axes held fixed.
    pub poles: Vec<f64>,
    /// The eigenvalues of the map of the others, n × d, by how far they are from the nearer of the two poles that
    /// they are between: μ_a = poles\[a\] + shift if that is negative, otherwise poles\[a + 1\] + shift. So nothing is lost of
    /// small differences.
    pub shifts: Vec<f64>,
    /// t of each object and the one it is nearest to, on the scale of inner products (−½δ² or γ): the largest of its row.
    /// Empty if it is not known.
    pub nearest: Vec<f64>,
}

impl LeaveOneOut {
    /// Residuals alone, of which nothing else is known.
    pub fn of_residuals(residuals: Vec<f64>) -> Self {
        Self {
            residuals,
            ..Self::default()
        }
    }

    /// Whether the places of the old objects are known, at least of some.
    pub fn placed(&self) -> bool {
        self.places.iter().any(|v| !v.is_nan())
    }

    /// y_(i) of one object; none if it is not known.
    pub(crate) fn place(&self, i: usize) -> Option<&[f64]> {
        let d = self.places.len() / self.residuals.len().max(1);
        let y = &self.places[i * d..(i + 1) * d];
        (d > 0 && !y[0].is_nan()).then_some(y)
    }

    /// μ, the eigenvalues of the axes without object `i`; `c` are those with it, by which it is if axes are held fixed.
    pub(crate) fn eigenvalues(&self, i: usize, c: &[f64]) -> Vec<f64> {
        if self.form == LeftOut::AxesFixed {
            return c.to_vec();
        }
        let pole = |(a, shift): (usize, &f64)| self.pole(a, *shift) + shift;
        self.shifts(i).iter().enumerate().map(pole).collect()
    }

    pub(crate) fn shifts(&self, i: usize) -> &[f64] {
        let d = self.poles.len() - 1;
        &self.shifts[i * d..(i + 1) * d]
    }

    /// The pole that `shift` of axis `a` is counted from.
    pub(crate) fn pole(&self, a: usize, shift: f64) -> f64 {
        self.poles[if shift < 0.0 { a } else { a + 1 }]
    }

    /// Errs unless it fits `n` objects on `d` axes.
    pub(crate) fn check(&self, n: usize, d: usize) -> Result<(), Error> {
        let or_none = |found: usize, expected: usize| if found == 0 { 0 } else { expected };
        let exact = match self.form {
            _ if self.places.is_empty() => 0,
            LeftOut::AxesFixed => 0,
            _ => 1,
        };
        for (what, found, expected) in [
            ("leave-one-out residuals", self.residuals.len(), n),
            (
                "coordinates of objects left out",
                self.places.len(),
                or_none(self.places.len(), n * d),
            ),
            (
                "eigenvalues of objects left out",
                self.shifts.len(),
                exact * n * d,
            ),
            (
                "eigenvalues to leave objects out by",
                self.poles.len(),
                exact * (d + 1),
            ),
            (
                "nearest proximities",
                self.nearest.len(),
                or_none(self.nearest.len(), n),
            ),
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
        Ok(())
    }

    /// The same with lengths divided by `unit`.
    pub(crate) fn in_units(mut self, unit: f64) -> Self {
        let squares = [
            &mut self.residuals,
            &mut self.poles,
            &mut self.shifts,
            &mut self.nearest,
        ];
        for values in squares {
            values.iter_mut().for_each(|v| *v = *v / unit / unit);
        }
        self.places.iter_mut().for_each(|v| *v /= unit);
        self
    }
}
