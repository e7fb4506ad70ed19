//! The way by a link: newcomers' dissimilarities become the distances that the map would show for them
//! ([`crate::fit::link`] has the formulas), and the diagram's own proximities are these. Where newcomers are placed by stress,
//!
//! ```text
//! min over y:  Σ w_i (‖y − x_i‖ − f(δ_i))²
//! ```
//!
//! is then the criterion that the map itself was made by, with the old objects held fixed.

use faer::{Mat, MatRef};

use crate::error::{About, Error};
use crate::fit::link::{Link, Shepard};
use crate::input::kind::{Correction, Element, Kind};

/// A dissimilarity is far outside those of the old objects if it is by this share of their range.
const FAR: f64 = 0.5;

/// What the map keeps of its link.
#[derive(Debug, Clone, PartialEq)]
pub struct Linked {
    /// What the dissimilarities to the old objects are: plain or squared. The link is of plain ones.
    pub kind: Kind,
    /// f.
    pub link: Link,
    /// How far each old object is trusted, where newcomers do not come with weights of their own; all alike if none.
    pub weights: Option<Vec<f64>>,
    /// The old pairs.
    pub shepard: Shepard,
    /// Where each old object is placed by the others, f and their places held fixed, row by row, n × d.
    pub left_out: Vec<f64>,
}

/// How far old objects are placed from where they are, each left out.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LinkError {
    /// Half of them are nearer.
    pub median: f64,
    /// Nine in ten are nearer.
    pub most: f64,
    /// The root mean square distance of the old objects from their centroid, to judge these by.
    pub radius: f64,
}

impl Linked {
    /// Errs unless what is kept fits `count` objects on `d` axes.
    pub(super) fn check(&self, count: usize, d: usize) -> Result<(), Error> {
        self.link.check()?;
        let weights = self.weights.as_ref().map_or(count, Vec::len);
        for (what, found, expected) in [
            (
                "coordinates of objects left out",
                self.left_out.len(),
                count * d,
            ),
            ("weights of a link", weights, count),
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
        let numbers = [
            self.shepard.stress,
            self.shepard.range.0,
            self.shepard.range.1,
        ];
        if self.kind == Kind::Similarity || numbers.iter().any(|v| !v.is_finite()) {
            return Err(Error::Inconsistent(
                "found a link of what are no dissimilarities, expected dissimilarities".into(),
            ));
        }
        Ok(())
    }

    /// How many of a newcomer's lengths are far outside those of the old objects.
    pub(crate) fn beyond(&self, lengths: &[f64]) -> usize {
        let (least, most) = self.shepard.range;
        let far = FAR * (most - least);
        let outside = |v: &&f64| **v > most + far || **v < least - far;
        lengths.iter().filter(outside).count()
    }

    /// f of one proximity as it comes; NaN where it is missing.
    pub(crate) fn length(&self, proximity: f64) -> f64 {
        let delta = Correction::None.length(self.kind, proximity);
        self.link.at(delta)
    }

    /// f of the dissimilarities between the old objects, with a diagonal of 0.
    pub(crate) fn disparities<T: Element>(&self, old: MatRef<'_, T>) -> Mat<f64> {
        let n = old.nrows();
        let mut shown = Mat::zeros(n, n);
        for i in 0..n {
            for j in 0..i {
                shown[(i, j)] = self.length(old[(i, j)].to_f64());
                shown[(j, i)] = shown[(i, j)];
            }
        }
        shown
    }

    /// How far each old object is placed from where it is when it is left out.
    pub fn errors(&self, configuration: MatRef<'_, f64>) -> Vec<f64> {
        let d = configuration.ncols();
        let places = self.left_out.chunks_exact(d).enumerate();
        let square = |(i, y): (usize, &[f64])| -> f64 {
            let steps = y.iter().zip(configuration.row(i).iter());
            steps.map(|(y, x)| (y - x).powi(2)).sum()
        };
        places.map(|place| square(place).sqrt()).collect()
    }

    /// The same in a few numbers; none if nobody could be left out.
    pub(crate) fn error(&self, configuration: MatRef<'_, f64>, radius: f64) -> Option<LinkError> {
        let mut errors = self.errors(configuration);
        errors.retain(|v| !v.is_nan());
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| errors.get((share * errors.len() as f64) as usize).copied();
        Some(LinkError {
            median: at(0.5)?,
            most: at(0.9)?,
            radius,
        })
    }
}
