//! Block: their similarities to the old objects and to each other, normalised as the old ones were.

use faer::{Mat, MatRef};

use super::{Affinity, Laplacian};
use crate::graph::Neighbourhood;
use crate::input::proximities::Kind;

/// What is known of one newcomer beside its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub degree: f64,
    pub(super) density: f64,
    pub(super) reach: f64,
}

impl Laplacian {
    /// Turns a newcomer's row of admitted proximities into its deflated K̃ with the old objects, in place, NaN if
    /// it is similar to none.
    pub(crate) fn normalise(&self, row: &mut [f64]) -> Side {
        let mut side = Side {
            degree: f64::NAN,
            density: 1.0,
            reach: 0.0,
        };
        match self.neighbourhood {
            None => row.iter_mut().for_each(|v| *v = self.affinity(*v)),
            Some(neighbourhood) => {
                let links = neighbourhood.of(row, None);
                side.reach = neighbourhood.reach(&links);
                let mut own = links.iter().map(|l| l.0 as usize).peekable();
                for (j, v) in row.iter_mut().enumerate() {
                    let mine = own.next_if_eq(&j).is_some();
                    let theirs = match neighbourhood {
                        Neighbourhood::Nearest(_) => *v <= self.reaches[j],
                        Neighbourhood::Radius(r) => *v <= r,
                    };
                    let share = 0.5 * (mine as u8 + theirs as u8) as f64;
                    *v = if v.is_nan() {
                        f64::NAN
                    } else {
                        share * self.affinity(*v)
                    };
                }
            }
        }
        // What is missing is not similar, as far as the degree is concerned.
        let sum = |row: &[f64]| row.iter().filter(|v| !v.is_nan()).sum::<f64>();
        if self.alpha != 0.0 {
            side.density = sum(row);
            let q = side.density.powf(self.alpha);
            for (v, density) in row.iter_mut().zip(&self.densities) {
                *v /= q * density.powf(self.alpha);
            }
        }
        let (degree, total) = (sum(row), self.total());
        if !(degree > 0.0 && degree.is_finite()) {
            row.fill(f64::NAN);
            return side;
        }
        side.degree = degree;
        for (v, d) in row.iter_mut().zip(&self.degrees) {
            let root = (degree * d).sqrt();
            *v = *v / root - root / total;
        }
        side
    }

    /// Deflated K̃ of a newcomer with itself, `given` being its similarity to itself where that is an input.
    pub(crate) fn self_similarity(&self, side: &Side, given: f64) -> f64 {
        let own = self.itself(given) / side.density.powf(2.0 * self.alpha);
        own / side.degree - side.degree / self.total()
    }

    /// Deflated K̃ between newcomers, from the proximities between them.
    pub(crate) fn between(&self, sides: &[Side], between: MatRef<'_, f64>) -> Mat<f64> {
        let total = self.total();
        Mat::from_fn(sides.len(), sides.len(), |i, j| {
            let length = match (self.affinity, self.kind) {
                (Affinity::Given, _) => between[(i, j)],
                (_, Kind::Squared) => between[(i, j)].sqrt(),
                _ => between[(i, j)],
            };
            if i == j {
                return self.self_similarity(&sides[i], length);
            }
            if length.is_nan() {
                return f64::NAN;
            }
            let (a, b) = (&sides[i], &sides[j]);
            let share = match self.neighbourhood {
                None => 1.0,
                Some(_) => 0.5 * ((length <= a.reach) as u8 + (length <= b.reach) as u8) as f64,
            };
            let own = share * self.affinity(length) / (a.density * b.density).powf(self.alpha);
            let root = (a.degree * b.degree).sqrt();
            own / root - root / total
        })
    }
}
