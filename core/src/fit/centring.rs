//! Gower's centring τ_w: means fitted once on the old objects, applied to old and new alike.
//!
//! With t the proximities on the scale of inner products (t = −½δ² or t = γ) and any w with w'e = 1,
//! the paper's (2), (7) and (12) all read
//!
//! ```text
//! b(μ, ν) = t(μ, ν) − t̄(μ) − t̄(ν) + m,     t̄(μ) = Σ_j w_j t(μ, ξ_j),     m = Σ_i w_i t̄(ξ_i)
//! ```
//!
//! for old objects (then it is B), for a newcomer and an old object (b), and for newcomers (β). The
//! means are all that is kept: B itself is never formed, and is multiplied by through [`Centred`].

use crate::error::{About, Error, Object};
use crate::fit::centred::Centred;
use crate::fit::looked::Looked;
use crate::fit::product;
use crate::input::kind::{Element, Scale};
use crate::input::proximities::Proximities;

/// Where the origin of the diagram is.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Origin {
    /// At the centroid of the old objects: w = e/n.
    #[default]
    Centroid,
    /// At one old object.
    Object(usize),
    /// At the weighted mean of the old objects; the weights must sum to 1.
    Weights(Vec<f64>),
    /// Where a kernel has it: nothing is centred, b = t. The formulas hold with w = 0.
    Kernel,
}

/// The fitted means. They are of t = −½δ² for dissimilarities and of γ for similarities.
#[derive(Debug, Clone, PartialEq)]
pub struct Centring {
    /// w; none for the centroid, e/n; all zero if nothing is centred.
    pub weights: Option<Vec<f64>>,
    /// t̄ of each old object.
    pub row_means: Vec<f64>,
    /// m.
    pub grand_mean: f64,
}

/// How far w'e may be from 1, in units of n ε.
const SUM_UNITS: f64 = 1e6;

impl Centring {
    /// Fits the means, on a `scale` that may be in other units than 1; and says what else was seen on the way.
    pub(crate) fn fit<T: Element>(
        proximities: &Proximities<'_, T>,
        scale: Scale,
        origin: &Origin,
        threads: usize,
    ) -> Result<(Self, Looked), Error> {
        let n = proximities.count();
        let weights = checked_weights(origin, proximities.labels())?;
        let matrix = Centred::uncentred(proximities.entries(), scale, threads);
        let mut looked = Looked::new(&matrix, weights.as_deref(), threads)?;
        let mut centring = Self {
            weights,
            row_means: std::mem::take(&mut looked.sums),
            grand_mean: 0.0,
        };
        if centring.weights.is_none() {
            centring.row_means.iter_mut().for_each(|r| *r /= n as f64);
        }
        centring.grand_mean = centring.mean(&centring.row_means);
        Ok((centring, looked))
    }

    /// The means from Σ_j t_ij, in the units of those; for other weights than equal ones `weighted` makes Tw.
    pub(crate) fn of_sums(
        origin: &Origin,
        labels: &[String],
        sums: Vec<f64>,
        weighted: impl FnOnce(&[f64]) -> Result<Vec<f64>, Error>,
    ) -> Result<Self, Error> {
        let weights = checked_weights(origin, labels)?;
        let n = labels.len() as f64;
        let mut centring = Self {
            row_means: match &weights {
                None => sums.into_iter().map(|s| s / n).collect(),
                Some(w) => weighted(w)?,
            },
            weights,
            grand_mean: 0.0,
        };
        centring.grand_mean = centring.mean(&centring.row_means);
        Ok(centring)
    }

    /// w'v, for one number of each old object.
    pub fn mean(&self, values: &[f64]) -> f64 {
        match &self.weights {
            None => product::sum(values) / values.len() as f64,
            Some(w) => w.iter().zip(values).map(|(w, v)| w * v).sum(),
        }
    }

    /// The same means in other units: lengths divided by `unit`.
    pub(crate) fn in_units(mut self, unit: f64) -> Self {
        for r in &mut self.row_means {
            *r = *r / unit / unit;
        }
        self.grand_mean = self.grand_mean / unit / unit;
        self
    }
}

/// The weights w that an origin means, or none for the centroid.
fn checked_weights(origin: &Origin, labels: &[String]) -> Result<Option<Vec<f64>>, Error> {
    let n = labels.len();
    match origin {
        Origin::Centroid => Ok(None),
        Origin::Kernel => Ok(Some(vec![0.0; n])),
        Origin::Object(index) if *index < n => {
            let mut w = vec![0.0; n];
            w[*index] = 1.0;
            Ok(Some(w))
        }
        Origin::Object(index) => Err(Error::Length {
            about: About::Origin,
            what: "as the number of the origin",
            found: index + 1,
            expected: n,
        }),
        Origin::Weights(w) => {
            if w.len() != n {
                return Err(Error::Length {
                    about: About::Origin,
                    what: "weights for the origin",
                    found: w.len(),
                    expected: n,
                });
            }
            if let Some(index) = w.iter().position(|v| !v.is_finite()) {
                return Err(Error::Weight {
                    about: About::Origin,
                    object: Some(Object {
                        index,
                        label: labels[index].clone(),
                    }),
                    found: w[index],
                    expected: "a finite number",
                });
            }
            let found: f64 = w.iter().sum();
            let size = w.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            if (found - 1.0).abs() > SUM_UNITS * f64::EPSILON * n as f64 * size {
                return Err(Error::Weight {
                    about: About::Origin,
                    object: None,
                    found,
                    expected: "weights for the origin that sum to 1",
                });
            }
            // Equal weights are the centroid, and everything that needs the centroid works with them.
            let equal = 1.0 / n as f64;
            if w.iter()
                .all(|v| (v - equal).abs() <= 4.0 * f64::EPSILON * equal)
            {
                return Ok(None);
            }
            // What rounding left is spread out, so that B w = 0 holds to the last bits.
            Ok(Some(w.iter().map(|v| v / found).collect()))
        }
    }
}
