//! The diagram: a configuration fitted to the old objects' proximities, and all that newcomers need.
//!
//! Classical scaling (the paper's Figure 2, step 1, and Theorem 1): B = τ_w(Δ₂) = UΛU', and the d
//! algebraically largest eigenpairs give X = U_d Σ_d. Then C = X'X = Σ_d² is diagonal and X'w = 0. A
//! configuration that the caller already has can take the place of X ([`Diagram::given`]); then C is
//! any symmetric matrix, and the strategies work in its eigenbasis.
//!
//! A diagram never holds the n × n proximities: X, the centring and the labels are enough to place
//! newcomers, and each old object left out is enough to say whether they are like the old ones.

#![allow(non_snake_case)]

use faer::{Mat, MatRef, Par};

use crate::dense::product;
use crate::error::{About, Error};
use crate::fit::centred::Centred;
use crate::fit::centring::{Centring, Origin};
use crate::fit::leave_one_out::{LeaveOneOut, exact, fixed};
use crate::fit::spectrum::{self, Eigenpairs, Solver};
use crate::fit::summary::Summary;
use crate::input::kind::{Correction, Element, Kind, Scale};
use crate::input::proximities::Proximities;
use crate::labels::checked_labels;
use crate::number::rounded;
use crate::rounding::{RANGE, TIE_UNITS, in_range};
use crate::run::Run;

/// An eigenvalue exceeds the first if it does beyond rounding: two of opposite signs may be equal.
const BEYOND_FIRST: f64 = 1.0 + 1e-6;

/// What a diagram is to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiagramSettings {
    /// d, the number of axes.
    pub dimensions: usize,
    /// Where the origin is.
    pub origin: Origin,
    /// Which eigensolver.
    pub solver: Solver,
    /// ‖Bv − θv‖ / ‖B‖ that the iterative solver may leave; none: 1e-10, by which eigenvalues are exact to rounding.
    pub tolerance: Option<f64>,
    /// A correction for non-Euclidean dissimilarities, with its constant.
    pub correction: Correction,
}

/// All that a diagram consists of, for storing it and for making one from what was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The old objects.
    pub labels: Vec<String>,
    /// What their proximities are, and a newcomer's must be.
    pub kind: Kind,
    /// The correction that was applied at the fit and is applied to newcomers.
    pub correction: Correction,
    /// X, n × d, as the caller sees it.
    pub configuration: Mat<f64>,
    /// The eigenvalues σ² of the axes, descending; those of C if the configuration was given.
    pub eigenvalues: Vec<f64>,
    /// Whether the configuration was given rather than fitted: then C need not be diagonal.
    pub given: bool,
    /// The means.
    pub centring: Centring,
    /// Each old object left out.
    pub leave_one_out: LeaveOneOut,
    /// What the fit saw.
    pub summary: Summary,
}

/// What goes into a diagram beside the eigenpairs of B, in lengths multiplied by `unit`.
pub(crate) struct Material {
    pub labels: Vec<String>,
    pub kind: Kind,
    pub correction: Correction,
    pub centring: Centring,
    /// b_ii.
    pub diagonal: Vec<f64>,
    /// ‖B‖_F².
    pub squared_norm: f64,
    /// t of each object and the one it is nearest to; empty if that is not known.
    pub nearest: Vec<f64>,
    pub findings: Vec<String>,
    pub unit: f64,
}

/// A fitted vector diagram. It does not change: newcomers are placed on it, not in it.
#[derive(Debug, Clone)]
pub struct Diagram {
    pub(super) parts: Parts,
    /// w'X: zero but for rounding unless the configuration was given.
    pub(super) origin: Vec<f64>,
    /// C = X°'X° with X° = X − e origin'.
    pub(super) cross: Mat<f64>,
    /// Eigenvalues of C, descending, and its eigenvectors; no vectors if C is diagonal.
    pub(super) basis: (Vec<f64>, Option<Mat<f64>>),
}

impl Diagram {
    /// Fits the diagram to the proximities by classical scaling.
    pub fn fit<T: Element>(
        proximities: &Proximities<'_, T>,
        settings: &DiagramSettings,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let n = proximities.count();
        let d = settings.dimensions;
        if d == 0 {
            return Err(Error::NoDimensions);
        }
        correctable(settings)?;
        // Lengths in a unit that keeps their fourth powers in range.
        let scale = scale_for(proximities, settings.correction);
        let (centring, looked) = Centring::fit(proximities, scale, &settings.origin, run.threads)?;
        let B = Centred::new(proximities.entries(), scale, &centring, run.threads);

        let pairs = spectrum::largest(&B, d.min(n), (settings.solver, settings.tolerance), run)?;
        if settings.correction == Correction::None && centring.weights.is_none() {
            check_signs(proximities.kind(), &pairs)?;
        }
        let squared_norm = match pairs.all {
            Some(_) => B.squared_norm()?,
            None => {
                let shown = pairs.values.iter().map(|v| v * v).sum();
                B.squared_norm_from(looked.squares, shown)?
            }
        };
        let diagonal = B.diagonal();
        let mut diagram = Self::assemble(
            pairs,
            d,
            Material {
                labels: proximities.labels().to_vec(),
                kind: proximities.kind(),
                correction: settings.correction,
                centring,
                diagonal,
                squared_norm,
                nearest: looked.nearest,
                findings: findings(proximities),
                unit: scale.unit,
            },
            run,
        )?;
        diagram.parts.summary.self_similarity = self_similarity(proximities);
        Ok(diagram)
    }

    /// The same diagram, of old objects that are so similar to themselves.
    pub(super) fn knows_self_similarity(&mut self, common: Option<f64>) {
        self.parts.summary.self_similarity = common;
    }

    /// The diagram of `d` axes that eigenpairs of B make, however they were computed.
    pub(crate) fn assemble(
        pairs: Eigenpairs,
        d: usize,
        material: Material,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let n = material.labels.len();
        let seen = pairs.all.as_ref().unwrap_or(&pairs.values);
        // Centring takes the means off: what is left of numbers that were all alike is their rounding.
        let means = &material.centring.row_means;
        let taken_off = means.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let zero = TIE_UNITS * n as f64 * f64::EPSILON * pairs.norm.max(taken_off);
        let positive = seen.iter().filter(|&&v| v > zero).count();
        if d > positive {
            return Err(Error::Dimensions {
                asked: d,
                available: positive,
            });
        }

        // X = U_d Σ_d.
        let X = Mat::from_fn(n, d, |i, j| pairs.vectors[(i, j)] * pairs.values[j].sqrt());
        let shown: f64 = pairs.values.iter().map(|v| v * v).sum();
        let (centring, diagonal) = (&material.centring, &material.diagonal);
        let left_out = if centring.weights.is_none() {
            exact::leave_one_out(&pairs, d, diagonal, run)?
        } else {
            let C = Mat::from_fn(d, d, |i, j| if i == j { pairs.values[i] } else { 0.0 });
            let BX = Mat::from_fn(n, d, |i, j| X[(i, j)] * pairs.values[j]);
            fixed::leave_one_out(diagonal, centring, X.as_ref(), C.as_ref(), BX.as_ref())
        };
        let summary = Summary {
            eigenvalues: seen.clone(),
            further: match pairs.all {
                Some(_) => Vec::new(),
                None => pairs.seen.values.iter().copied().skip(d).collect(),
            },
            complete: pairs.all.is_some(),
            residuals: pairs.residuals,
            trace: material.diagonal.iter().sum(),
            squared_norm: material.squared_norm,
            strain: (material.squared_norm - shown).max(0.0),
            passes: pairs.passes,
            findings: material.findings,
            self_similarity: None,
        };
        let leave_one_out = LeaveOneOut {
            nearest: material.nearest,
            ..left_out
        };
        let parts = Parts {
            labels: material.labels,
            kind: material.kind,
            correction: material.correction,
            configuration: X,
            eigenvalues: pairs.values,
            given: false,
            centring: material.centring,
            leave_one_out,
            summary,
        };
        Self::from_parts(in_units(parts, material.unit)?)
    }

    /// The diagram that consists of `parts`; checks that they fit together.
    pub fn from_parts(parts: Parts) -> Result<Self, Error> {
        let (n, d) = (parts.configuration.nrows(), parts.configuration.ncols());
        checked_labels(Some(parts.labels.clone()), n)?;
        if n < 2 {
            return Err(Error::TooFewObjects {
                found: n,
                expected: 2,
            });
        }
        if d == 0 {
            return Err(Error::NoDimensions);
        }
        let lengths = [
            ("eigenvalues of axes", parts.eigenvalues.len(), d),
            ("row means", parts.centring.row_means.len(), n),
            (
                "weights for the origin",
                parts.centring.weights.as_ref().map_or(n, Vec::len),
                n,
            ),
        ];
        for (what, found, expected) in lengths {
            if found != expected {
                return Err(Error::Length {
                    about: About::Work,
                    what,
                    found,
                    expected,
                });
            }
        }
        parts.leave_one_out.check(n, d)?;
        let weights = parts.centring.weights.as_deref().unwrap_or(&[]);
        let numbers = [&parts.eigenvalues, &parts.centring.row_means];
        let finite = numbers
            .into_iter()
            .flatten()
            .chain(weights)
            .all(|v| v.is_finite())
            && parts.centring.grand_mean.is_finite()
            && (0..d).all(|j| parts.configuration.col(j).iter().all(|v| v.is_finite()));
        if !finite {
            return Err(Error::Inconsistent(
                "found a number that is not finite in the diagram, expected finite numbers".into(),
            ));
        }
        let descending = parts.eigenvalues.windows(2).all(|w| w[0] >= w[1]);
        if !descending || parts.eigenvalues[d - 1] <= 0.0 {
            return Err(Error::Inconsistent(
                "found eigenvalues of axes that are not positive and descending, expected them so"
                    .into(),
            ));
        }
        check_range(&parts, 1.0)?;
        let (origin, cross, basis) = if parts.given {
            let origin = weighted_mean(&parts.centring, parts.configuration.as_ref());
            let X0 = without(parts.configuration.as_ref(), &origin);
            let C = product(X0.transpose(), X0.as_ref(), Par::Seq);
            let (values, V) = eigenbasis(C.as_ref())?;
            (origin, C, (values, Some(V)))
        } else {
            let c = parts.eigenvalues.clone();
            let C = Mat::from_fn(d, d, |i, j| if i == j { c[i] } else { 0.0 });
            (vec![0.0; d], C, (c, None))
        };
        Ok(Self {
            parts,
            origin,
            cross,
            basis,
        })
    }

    /// All that the diagram consists of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// n, the number of old objects.
    pub fn count(&self) -> usize {
        self.parts.labels.len()
    }

    /// d, the number of axes.
    pub fn dimensions(&self) -> usize {
        self.parts.eigenvalues.len()
    }

    /// The old objects' labels.
    pub fn labels(&self) -> &[String] {
        &self.parts.labels
    }

    /// What a newcomer's proximities must be.
    pub fn kind(&self) -> Kind {
        self.parts.kind
    }

    /// X, n × d.
    pub fn configuration(&self) -> MatRef<'_, f64> {
        self.parts.configuration.as_ref()
    }

    /// σ², the eigenvalues of the axes (of C, if the configuration was given), descending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.parts.eigenvalues
    }

    /// The fitted means.
    pub fn centring(&self) -> &Centring {
        &self.parts.centring
    }

    /// What the fit saw.
    pub fn summary(&self) -> &Summary {
        &self.parts.summary
    }

    /// The share of the variance on each axis: of all positive eigenvalues where they are known,
    /// otherwise of the trace.
    pub fn proportions(&self) -> Vec<f64> {
        let summary = self.summary();
        let whole: f64 = if summary.complete {
            summary.eigenvalues.iter().filter(|v| **v > 0.0).sum()
        } else {
            summary.trace
        };
        self.eigenvalues().iter().map(|v| v / whole).collect()
    }

    /// Each old object left out.
    pub fn leave_one_out(&self) -> &LeaveOneOut {
        &self.parts.leave_one_out
    }

    /// C = X'X, about the origin.
    pub fn cross(&self) -> MatRef<'_, f64> {
        self.cross.as_ref()
    }

    /// Where the origin of the centring lies on the map: zero unless the configuration was given.
    pub fn origin(&self) -> &[f64] {
        &self.origin
    }

    /// The eigenvalues of C, descending, and its eigenvectors as columns; no vectors if C is diagonal.
    pub fn eigenbasis(&self) -> (&[f64], Option<MatRef<'_, f64>>) {
        (&self.basis.0, self.basis.1.as_ref().map(Mat::as_ref))
    }

    /// Eigenvalues of C, descending.
    pub(crate) fn c(&self) -> &[f64] {
        &self.basis.0
    }

    /// From coordinates about the origin to the eigenbasis of C, in place.
    pub fn turn_into_basis(&self, y: &mut [f64]) {
        self.turn(y, false);
    }

    /// From the eigenbasis of C to coordinates about the origin, in place.
    pub(crate) fn turn_out_of_basis(&self, y: &mut [f64]) {
        self.turn(y, true);
    }

    /// y'Cy, for y about the origin.
    pub(crate) fn form(&self, y: &[f64]) -> f64 {
        self.form_of(|i| y[i])
    }

    /// The same for y given entry by entry.
    pub(crate) fn form_of(&self, y: impl Fn(usize) -> f64) -> f64 {
        let turned = |j: usize| match &self.basis.1 {
            Some(V) => (0..V.nrows()).map(|i| V[(i, j)] * y(i)).sum(),
            None => y(j),
        };
        let c = self.c().iter().enumerate();
        c.map(|(j, c)| (c, turned(j))).map(|(c, y)| c * y * y).sum()
    }

    fn turn(&self, y: &mut [f64], back: bool) {
        if let Some(V) = &self.basis.1 {
            let old = y.to_vec();
            for (i, v) in y.iter_mut().enumerate() {
                let at = |j: usize| if back { V[(i, j)] } else { V[(j, i)] };
                *v = old.iter().enumerate().map(|(j, o)| at(j) * o).sum();
            }
        }
    }

    /// X about the origin.
    pub(crate) fn about_origin(&self) -> Mat<f64> {
        without(self.configuration(), &self.origin)
    }

    /// The scale of inner products for newcomers.
    pub(crate) fn scale(&self) -> Scale {
        self.parts.correction.scale(self.parts.kind, 1.0)
    }
}

/// The eigenvalues of a symmetric `C`, descending, and its eigenvectors as columns; errs unless all are positive.
pub(super) fn eigenbasis(C: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let d = C.nrows();
    let (ascending, V) = spectrum::eigen(C, 1)?;
    let mut V = Mat::from_fn(d, d, |i, j| V[(i, d - 1 - j)]);
    spectrum::fix_signs(V.as_mut());
    let values: Vec<f64> = ascending.into_iter().rev().collect();
    if values[d - 1] <= 0.0 {
        return Err(Error::Flat {
            found: values.iter().filter(|&&v| v > 0.0).count(),
            expected: d,
        });
    }
    Ok((values, V))
}

/// Errs if dissimilarities have an eigenvalue below zero that is larger in modulus than the first: data that are not Euclidean
/// come nowhere near it, but similarities given for dissimilarities do, as the sign of B is then turned.
pub(super) fn check_signs(kind: Kind, pairs: &Eigenpairs) -> Result<(), Error> {
    let first = pairs.values[0];
    if kind == Kind::Similarity || pairs.norm <= first * BEYOND_FIRST {
        return Ok(());
    }
    Err(Error::Contradicted {
        about: About::Kind,
        why: format!(
            "found a lowest eigenvalue of {} times the first, expected dissimilarities, of which the first is the largest: \
             are these similarities?",
            rounded(-pairs.norm / first.abs()),
        ),
    })
}

/// Corrections are defined about the centroid.
pub(super) fn correctable(settings: &DiagramSettings) -> Result<(), Error> {
    if settings.correction != Correction::None && settings.origin != Origin::Centroid {
        return Err(Error::NotOffered {
            about: About::Correction,
            what: "a correction",
            why: "found an origin that is not the centroid, expected the centroid".into(),
        });
    }
    Ok(())
}

/// The scale for fitting: lengths in a power of two near the largest.
pub(super) fn scale_for<T: Element>(
    proximities: &Proximities<'_, T>,
    correction: Correction,
) -> Scale {
    let kind = proximities.kind();
    let largest = match kind {
        Kind::Dissimilarity => proximities.largest(),
        _ => proximities.largest().sqrt(),
    };
    correction.scale(kind, 1.0 / crate::rounding::power_of_two(largest))
}

pub(super) fn findings<T: Element>(proximities: &Proximities<'_, T>) -> Vec<String> {
    proximities
        .findings()
        .iter()
        .map(|f| f.to_string())
        .collect()
}

/// The similarity of objects to themselves, if it is one number: that of a measure, not of the objects.
pub(super) fn self_similarity<T: Element>(proximities: &Proximities<'_, T>) -> Option<f64> {
    if proximities.kind() != Kind::Similarity {
        return None;
    }
    let entries = proximities.entries();
    let first = entries[(0, 0)].to_f64();
    // Correlations of an object with itself are 1 but for rounding.
    let same =
        |i: usize| (entries[(i, i)].to_f64() - first).abs() <= TIE_UNITS * f64::EPSILON * first;
    (first > 0.0 && (1..entries.nrows()).all(same)).then_some(first)
}

/// w'X.
pub(super) fn weighted_mean(centring: &Centring, X: MatRef<'_, f64>) -> Vec<f64> {
    (0..X.ncols())
        .map(|j| centring.mean(&X.col(j).iter().copied().collect::<Vec<_>>()))
        .collect()
}

/// X − e origin'.
pub(super) fn without(X: MatRef<'_, f64>, origin: &[f64]) -> Mat<f64> {
    Mat::from_fn(X.nrows(), X.ncols(), |i, j| X[(i, j)] - origin[j])
}

/// Errs if the lengths of a diagram, each multiplied by `unit`, are not in the range whose powers are numbers.
fn check_range(parts: &Parts, unit: f64) -> Result<(), Error> {
    // About the centroid a row mean is as large as t is, whatever the axes show of it.
    let means = parts.centring.row_means.iter();
    let most = means.fold(parts.eigenvalues[0], |m: f64, r| m.max(r.abs()));
    let (shown, most) = (parts.eigenvalues[0].sqrt() / unit, most.sqrt() / unit);
    if in_range(shown) && in_range(most) {
        return Ok(());
    }
    Err(Error::Scale {
        object: None,
        found: most,
        expected: RANGE,
    })
}

/// The parts of a diagram fitted with lengths multiplied by `unit`, in the caller's lengths.
pub(super) fn in_units(mut parts: Parts, unit: f64) -> Result<Parts, Error> {
    check_range(&parts, unit)?;
    let length = |v: &mut f64| *v /= unit;
    let square = |v: &mut f64| *v = *v / unit / unit;
    for j in 0..parts.configuration.ncols() {
        parts.configuration.col_mut(j).iter_mut().for_each(length);
    }
    parts.eigenvalues.iter_mut().for_each(square);
    parts.leave_one_out = parts.leave_one_out.in_units(unit);
    parts.centring = parts.centring.in_units(unit);
    let summary = &mut parts.summary;
    summary.eigenvalues.iter_mut().for_each(square);
    summary.further.iter_mut().for_each(square);
    square(&mut summary.trace);
    for v in [&mut summary.squared_norm, &mut summary.strain] {
        square(v);
        square(v);
    }
    Ok(parts)
}
