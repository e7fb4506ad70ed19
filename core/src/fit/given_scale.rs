//! Whether given coordinates are on the scale of the proximities they stand for.
//!
//! Coordinates on another scale place newcomers wrongly and without a word: the map shows one unit, the newcomers come in
//! another. Two factors say how far a configuration X° (about the origin) is from the proximities' own scale,
//!
//! ```text
//! s_B² = ⟨X°, BX°⟩ / ‖X°'X°‖²        s_δ = Σ d_ij δ_ij / Σ d_ij²,   d_ij = ‖x_i − x_j‖
//! ```
//!
//! the best multiple of X for inner products, which is 1 for classical scaling, and for distances, which is 1 where raw stress
//! is least. A map of few axes shows shorter distances than it was given, so neither alone can judge both kinds of map: what
//! is refused is a factor far from 1 by both, or more variance than there is. Where BX° ∝ X°C the coordinates are the
//! proximities' own principal axes, and s_B is their unit: miles beside kilometres are told from that.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use super::diagram::{DiagramSettings, scale_for, weighted_mean, without};
use crate::dense::product;
use crate::error::{About, Error};
use crate::fit::centred::Centred;
use crate::fit::centring::Centring;
use crate::input::kind::{Element, Kind};
use crate::input::proximities::Proximities;
use crate::number::rounded;
use crate::run::{self, Run};

/// Coordinates may be off by so much, as nonlinear methods stretch and shrink.
const FACTOR: f64 = 2.0;

/// The share of the variance that coordinates may show: all of it, but for what other methods than these add.
const EXPLAINED: f64 = 1.1;

/// Coordinates with a cosine between BX and XC of at least this are principal axes: the factor is s_B.
const PRINCIPAL: f64 = 0.999;

/// Principal axes may be off by so much: what corrections of the proximities add to their eigenvalues.
const PRINCIPAL_FACTOR: f64 = 1.25;

/// Rows of pairs that one thread compares at a time.
const ROWS: usize = 64;

/// How given coordinates compare with the proximities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenScale {
    /// What they would have to be multiplied by.
    pub factor: f64,
    /// tr C / tr B.
    explained: f64,
    off: bool,
}

impl GivenScale {
    /// Compares coordinates, n × d and finite, with the proximities.
    pub(crate) fn of<T: Element>(
        proximities: &Proximities<'_, T>,
        configuration: MatRef<'_, f64>,
        settings: &DiagramSettings,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let scale = scale_for(proximities, settings.correction);
        let (centring, _) = Centring::fit(proximities, scale, &settings.origin, run.threads)?;
        let B = Centred::new(proximities.entries(), scale, &centring, run.threads);
        // Each side in a unit of its own, so that squares neither overflow nor vanish.
        let entries = configuration.col_iter().flat_map(|c| c.iter());
        let own = crate::rounding::power_of_two(entries.fold(0.0, |m: f64, v| m.max(v.abs())));
        let (n, d) = (configuration.nrows(), configuration.ncols());
        let X = Mat::from_fn(n, d, |i, j| configuration[(i, j)] / own);
        let X0 = without(X.as_ref(), &weighted_mean(&centring, X.as_ref()));
        let C = product(X0.transpose(), X0.as_ref(), Par::Seq);
        let mut BX = Mat::zeros(n, d);
        B.multiply(X0.as_ref(), BX.as_mut())?;
        let XC = product(X0.as_ref(), C.as_ref(), Par::Seq);
        let inner = |a: &Mat<f64>, b: &Mat<f64>| -> f64 {
            let columns = a.col_iter().zip(b.col_iter());
            columns
                .map(|(a, b)| a.iter().zip(b.iter()).map(|(a, b)| a * b).sum::<f64>())
                .sum()
        };
        let by_products = (inner(&X0, &BX).max(0.0) / C.squared_norm_l2()).sqrt();
        let cosine = inner(&BX, &XC) / (BX.norm_l2() * XC.norm_l2());
        let by_distances = match proximities.kind() {
            Kind::Similarity => by_products,
            _ => by_distances(proximities, X.as_ref(), settings, run)? * scale.unit,
        };
        // In the unit of the proximities times `scale.unit`, from that of X.
        let to_given = 1.0 / scale.unit / own;
        let (low, high) = (
            by_products.min(by_distances) * to_given,
            by_products.max(by_distances) * to_given,
        );
        let trace: f64 = B.diagonal().iter().sum();
        let shown: f64 = (0..d).map(|j| C[(j, j)]).sum();
        let explained = shown / trace / to_given / to_given;
        let principal = cosine >= PRINCIPAL;
        let factor = to_given * if principal { by_products } else { by_distances };
        let between = |low: f64, high: f64, factor: f64| high >= 1.0 / factor && low <= factor;
        Ok(Self {
            factor,
            explained,
            off: !between(low, high, FACTOR)
                || explained > EXPLAINED
                || principal && !between(factor, factor, PRINCIPAL_FACTOR),
        })
    }

    /// Errs if the coordinates are on another scale.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.off {
            return Ok(());
        }
        Err(Error::Contradicted {
            about: About::Configuration,
            why: format!(
                "found coordinates on another scale than the proximities ({} of the variance is shown), expected one scale: \
                 multiply them by {}, ask for them to be rescaled, or, if they only follow the order of the proximities as \
                 nonmetric scaling does, for a monotone link",
                percent(self.explained),
                rounded(self.factor),
            ),
        })
    }
}

fn percent(share: f64) -> String {
    format!("{} %", rounded(100.0 * share))
}

/// Σ dδ / Σ d² over all pairs, δ in the caller's unit.
fn by_distances<T: Element>(
    proximities: &Proximities<'_, T>,
    X: MatRef<'_, f64>,
    settings: &DiagramSettings,
    run: Run<'_>,
) -> Result<f64, Error> {
    let (n, entries, kind) = (X.nrows(), proximities.entries(), proximities.kind());
    // δ may be near the ends of the numbers: a unit keeps the products in range.
    let unit = crate::rounding::power_of_two(proximities.largest());
    let unit = if kind == Kind::Squared {
        crate::rounding::power_of_two(unit.sqrt())
    } else {
        unit
    };
    let sums = run::map(run.threads, n.div_ceil(ROWS), None, |band| {
        let (mut cross, mut squares) = (0.0, 0.0);
        for i in band * ROWS..((band + 1) * ROWS).min(n) {
            for j in 0..i {
                let steps = (0..X.ncols()).map(|a| X[(i, a)] - X[(j, a)]);
                let square: f64 = steps.map(|v| v * v).sum();
                let given = settings.correction.length(kind, entries[(i, j)].to_f64()) / unit;
                cross += square.sqrt() * given;
                squares += square;
            }
        }
        (cross, squares)
    })?;
    let (cross, squares) = sums
        .into_iter()
        .fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
    Ok(cross / squares * unit)
}
