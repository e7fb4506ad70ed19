//! The ways to make a map, and the one door to them.
//!
//! Every choice among inputs and methods is made here, once: [`Map::fit`] checks that what was said goes together, makes
//! proximities of features where the method needs them, and calls the method.

pub(crate) mod axes;
pub(crate) mod evaluate;
pub(crate) mod isomap;
pub(crate) mod landmark;
pub(crate) mod laplacian;
pub(crate) mod linked;
pub(crate) mod pca;
pub(crate) mod refit;
pub(crate) mod scaling;
pub(crate) mod settings;

use faer::MatRef;

use self::settings::{Entries, FitSettings, Fitted, Objects, Square};
use crate::error::{About, Error};
use crate::fit::summary::Summary;
use crate::input::features::Features;
use crate::input::kind::Element;
use crate::input::proximities::Proximities;
use crate::input::rows::{Columns, Rows};
use crate::map::{Map, Method};
use crate::measure::{Measure, Measured};
use crate::run::Run;

impl Map {
    /// Fits a map to the old objects.
    ///
    /// ```
    /// use adjoin::{Entries, FitSettings, Kind, Map, Objects, Run, Square};
    /// use faer::mat;
    ///
    /// let old = mat![[0.0, 2.0, 2.0], [2.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
    /// let square = Square {
    ///     entries: Entries::Doubles(old.as_ref()),
    ///     kind: Kind::Dissimilarity,
    ///     labels: None,
    ///     made_of: None,
    /// };
    /// let fitted = Map::fit(Objects::Square(square), &FitSettings::default(), Run::default())?;
    /// assert_eq!(fitted.map.dimensions(), 2);
    /// # Ok::<(), adjoin::Error>(())
    /// ```
    pub fn fit(
        objects: Objects<'_>,
        settings: &FitSettings,
        run: Run<'_>,
    ) -> Result<Fitted, Error> {
        settings.check(objects.measure(), objects.kind())?;
        let named = objects.named();
        let mut fitted = run.pooled(|run| fit(objects, settings, run))?;
        fitted.map = fitted.map.with_names(named);
        Ok(fitted)
    }
}

fn fit(objects: Objects<'_>, settings: &FitSettings, run: Run<'_>) -> Result<Fitted, Error> {
    match objects {
        Objects::Square(square) => match square.entries {
            Entries::Doubles(entries) => of_square(entries, square, settings, run),
            Entries::Singles(entries) => of_square(entries, square, settings, run),
        },
        Objects::Elsewhere(square) => scaling::fit_elsewhere(&square, settings, run),
        Objects::ToLandmarks {
            rows,
            landmarks,
            kind,
            labels,
        } => {
            require_landmark_method(settings.method)?;
            fitted(settings, landmarks.len(), |d| {
                let labels = labels.clone();
                let of = landmark::Rectangle {
                    rows,
                    landmarks: &landmarks,
                    kind,
                };
                landmark::fit(&of, labels, d, settings, run).map(Fitted::from)
            })
        }
        Objects::Features { features, measure } => of_features(features, measure, settings, run),
    }
}

impl From<Map> for Fitted {
    /// A map of which nothing is to be said but what its diagram says.
    fn from(map: Map) -> Self {
        let summary = map.diagram().summary();
        let mut findings = summary.findings.clone();
        findings.extend(summary.blurred().map(|(axis, share)| {
            format!(
                "the eigenvalue of axis {} is {share:.1e} of the first one's, whose rounding errors hide the axis from the iterative \
                 solver (the dense one sees more of it; or is there an object far from all others, which could be left out?)",
                axis + 1
            )
        }));
        Self {
            map,
            kept: None,
            pieces: None,
            findings,
        }
    }
}

fn summary(fitted: &Fitted) -> &Summary {
    fitted.map.diagram().summary()
}

/// Fits with the axes that were asked for, and says so if they were chosen here.
fn fitted(
    settings: &FitSettings,
    objects: usize,
    fit: impl FnMut(usize) -> Result<Fitted, Error>,
) -> Result<Fitted, Error> {
    let mut fitted = settings.axes.fit(objects, fit, summary)?;
    if settings.axes == axes::Axes::Auto {
        fitted.findings.push(format!(
            "{} of the axes are kept, by the profile likelihood of the eigenvalues",
            fitted.map.dimensions()
        ));
    }
    Ok(fitted)
}

fn of_square<T: Element>(
    entries: MatRef<'_, T>,
    square: Square<'_>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let Square {
        kind,
        labels,
        made_of,
        ..
    } = square;
    // Looked over as a whole, whatever the method: symmetric, and of the kind that was said.
    let proximities = Proximities::new(entries, kind, labels, run)?;
    let findings: Vec<String> = proximities
        .findings()
        .iter()
        .map(|f| f.to_string())
        .collect();
    let n = proximities.count();
    let checked = proximities.entries();
    let labels = || Some(proximities.labels().to_vec());
    let mut answer = match settings.method {
        Method::Cmds | Method::KernelPca => scaling::fit(&proximities, settings, run)?,
        Method::Landmark => {
            let wanted = settings.landmarks.as_ref().ok_or_else(need_landmarks)?;
            let itself: Vec<f64> = (0..n).map(|i| checked[(i, i)].to_f64()).collect();
            let chosen = wanted.choose(&checked, kind, Some(&itself), run)?;
            let columns = Columns {
                square: checked,
                which: &chosen,
            };
            let of = landmark::Rectangle {
                rows: &columns,
                landmarks: &chosen,
                kind,
            };
            fitted(settings, chosen.len(), |d| {
                landmark::fit(&of, labels(), d, settings, run).map(Fitted::from)
            })?
        }
        Method::Isomap => fitted(settings, n, |d| {
            isomap::fit(&checked, kind, labels(), d, settings, run)
        })?,
        Method::Laplacian => fitted(settings, n, |d| {
            laplacian::fit(&checked, kind, labels(), None, d, settings, run)
        })?,
        Method::Given => return Err(not_by_word()),
        Method::Pca => {
            return Err(Error::Together {
                about: About::Method,
                why: "found proximities for the method pca, expected features".into(),
            });
        }
    };
    for finding in findings {
        if !answer.findings.contains(&finding) {
            answer.findings.insert(0, finding);
        }
    }
    if let Some(source) = made_of {
        answer = answer.with_source(source)?;
    }
    Ok(answer)
}

fn of_features(
    features: Features,
    measure: Option<Measure>,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let n = features.count();
    if settings.method == Method::Pca {
        return fitted(settings, n, |d| {
            pca::fit(features.clone(), d, settings, run).map(Fitted::from)
        });
    }
    let measure = measure.ok_or_else(|| Error::Together {
        about: About::Measure,
        why: format!(
            "found features for the method {} and no measure, expected a metric or a kernel",
            settings.method.word()
        ),
    })?;
    if settings.method == Method::Landmark {
        let wanted = settings.landmarks.as_ref().ok_or_else(need_landmarks)?;
        return fitted(settings, n, |d| {
            landmark::fit_features(&features, measure, wanted, d, settings, run).map(Fitted::from)
        });
    }
    let source = Measured::new(measure, features)?;
    let kind = source.kind();
    let answer = match settings.method {
        Method::Given => return Err(not_by_word()),
        Method::Isomap | Method::Laplacian => {
            let (rows, labels) = (source.itself(), source.features().labels().to_vec());
            let width = Some(source.features().width());
            let rows: &dyn Rows = &rows;
            fitted(settings, n, |d| {
                let labels = Some(labels.clone());
                if settings.method == Method::Isomap {
                    isomap::fit(rows, kind, labels, d, settings, run)
                } else {
                    laplacian::fit(rows, kind, labels, width, d, settings, run)
                }
            })?
        }
        // With the proximities in hand there are origins, corrections and given configurations too.
        Method::Cmds | Method::KernelPca => {
            let entries = source.square(run)?;
            let entries = MatRef::from_row_major_slice(&entries, n, n);
            let labels = source.features().labels().to_vec();
            let proximities = Proximities::new(entries, kind, Some(labels), run)?;
            scaling::fit(&proximities, settings, run)?
        }
        Method::Pca | Method::Landmark => unreachable!("they were fitted above"),
    };
    answer.with_source(source)
}

impl Fitted {
    /// The same with the features that the proximities were made of, without those of objects that were left out.
    fn with_source(mut self, source: Measured) -> Result<Self, Error> {
        let source = match &self.kept {
            Some(kept) => Measured::new(*source.measure(), source.features().select(kept))?,
            None => source,
        };
        self.map = self.map.with_source(source)?;
        Ok(self)
    }
}

fn not_by_word() -> Error {
    Error::Together {
        about: About::Method,
        why: "found the method given, expected cmds with a configuration and a link".into(),
    }
}

fn need_landmarks() -> Error {
    Error::Together {
        about: About::Landmarks,
        why: "found the method landmark alone, expected landmarks too: how many, or which".into(),
    }
}

fn require_landmark_method(method: Method) -> Result<(), Error> {
    if method == Method::Landmark {
        return Ok(());
    }
    Err(Error::Together {
        about: About::Method,
        why: format!(
            "found proximities to some objects only for the method {}, expected the method landmark or all of them",
            method.word()
        ),
    })
}
