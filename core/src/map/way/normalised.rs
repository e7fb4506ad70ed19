//! The way through a normalised kernel: similarities to the old objects and between newcomers, normalised as the old
//! ones were ([`crate::method::laplacian`] has the formulas).

use faer::{Mat, MatRef};

use crate::error::{About, Error};
use crate::graph::{self, Neighbourhood};
use crate::input::kind::Kind;

/// How similar two objects are, by what they are given as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Affinity {
    /// exp(−γδ²) of dissimilarities.
    Heat {
        /// γ.
        gamma: f64,
    },
    /// 1, of dissimilarities; only with a neighbourhood.
    Neighbours,
    /// As given: similarities of at least 0; only without a neighbourhood.
    Given,
}

/// What the map keeps to normalise newcomers.
#[derive(Debug, Clone, PartialEq)]
pub struct Laplacian {
    /// What the proximities to the old objects are.
    pub kind: Kind,
    /// How similar two objects are.
    pub affinity: Affinity,
    /// Only between neighbours.
    pub neighbourhood: Option<Neighbourhood>,
    /// α.
    pub alpha: f64,
    /// Whether an object is similar to itself.
    pub diagonal: bool,
    /// d_i.
    pub degrees: Vec<f64>,
    /// q_i, if α is not 0.
    pub densities: Vec<f64>,
    /// How far the k-th neighbour of each object is, if neighbours are the k nearest.
    pub reaches: Vec<f64>,
}

/// What is known of one newcomer beside its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub degree: f64,
    density: f64,
    reach: f64,
}

/// Errs unless the kernel can be made of such proximities between `n` objects.
pub(crate) fn check(
    affinity: Affinity,
    neighbourhood: Option<Neighbourhood>,
    alpha: f64,
    kind: Kind,
    n: usize,
) -> Result<(), Error> {
    let setting = |about, what, found, expected| {
        Err(Error::Setting {
            about,
            what,
            found,
            expected,
        })
    };
    if let Some(neighbourhood) = neighbourhood {
        neighbourhood.check(n, 2, n)?;
    }
    if let Affinity::Heat { gamma } = affinity
        && !(gamma > 0.0 && gamma.is_finite())
    {
        let what = "gamma of the heat kernel";
        return setting(About::Gamma, what, gamma, "a positive number");
    }
    if !alpha.is_finite() {
        return setting(About::Alpha, "alpha", alpha, "a finite number");
    }
    let not_offered = |why: &str| {
        Err(Error::NotOffered {
            about: About::Affinity,
            what: "this affinity",
            why: why.into(),
        })
    };
    match (affinity, neighbourhood, kind) {
        (Affinity::Given, Some(_), _) => not_offered(
            "found similarities and a neighbourhood, expected dissimilarities with it: neighbours \
             are the nearest",
        ),
        (Affinity::Given, None, Kind::Similarity) => Ok(()),
        (Affinity::Given, None, _) => {
            not_offered("found dissimilarities, expected similarities or a heat kernel of them")
        }
        (Affinity::Neighbours, None, _) => {
            not_offered("found no neighbourhood, expected one: others are not similar at all")
        }
        (_, _, Kind::Similarity) => {
            not_offered("found similarities, expected dissimilarities to make similarities of")
        }
        _ => Ok(()),
    }
}

impl Laplacian {
    /// Σd.
    pub(crate) fn total(&self) -> f64 {
        self.degrees.iter().sum()
    }

    /// K of two different objects by how far they are apart (or, as given, how similar), neighbourhoods aside.
    pub(crate) fn affinity(&self, length: f64) -> f64 {
        match self.affinity {
            Affinity::Heat { gamma } => (-gamma * length * length).exp(),
            Affinity::Neighbours => 1.0,
            Affinity::Given => length,
        }
    }

    /// K of an object with itself; `given` is its similarity to itself where that is an input.
    pub(crate) fn itself(&self, given: f64) -> f64 {
        match self.affinity {
            _ if !self.diagonal => 0.0,
            Affinity::Given => given,
            _ => 1.0,
        }
    }

    /// A row of proximities as lengths, or as the similarities they are; errs with the column at fault.
    pub(crate) fn admit(&self, row: &mut [f64], missing: bool) -> Result<(), usize> {
        match self.affinity {
            Affinity::Given => {
                let sound = |v: &f64| v.is_finite() && *v >= 0.0 || missing && v.is_nan();
                row.iter().position(|v| !sound(v)).map_or(Ok(()), Err)
            }
            _ => graph::lengths(self.kind, row, missing),
        }
    }

    /// What a proximity must be.
    pub(crate) fn expected(&self) -> &'static str {
        match self.affinity {
            Affinity::Given => "a finite similarity of at least 0",
            _ => self.kind.expected(),
        }
    }

    /// Errs unless the parts fit together.
    pub(crate) fn check(&self, n: usize) -> Result<(), Error> {
        check(
            self.affinity,
            self.neighbourhood,
            self.alpha,
            self.kind,
            n.max(2),
        )?;
        let reaches = match self.neighbourhood {
            Some(Neighbourhood::Nearest(_)) => n,
            _ => 0,
        };
        let densities = if self.alpha != 0.0 { n } else { 0 };
        for (what, found, expected) in [
            ("degrees", self.degrees.len(), n),
            ("densities", self.densities.len(), densities),
            ("reaches", self.reaches.len(), reaches),
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
        let positive = |v: &f64| *v > 0.0 && v.is_finite();
        let sound = self.degrees.iter().all(positive)
            && self.densities.iter().all(positive)
            && self.reaches.iter().all(|r| *r >= 0.0 && r.is_finite());
        if !sound {
            return Err(Error::Inconsistent(
                "found a degree that is not a positive number, expected positive degrees".into(),
            ));
        }
        Ok(())
    }
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
