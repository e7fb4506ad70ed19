//! The model: a diagram, the method that made it, and what newcomers need to come onto it.
//!
//! Every method of this crate is classical scaling of some proximities, and what differs is how they are made: by a
//! measure from features, through a graph, by a normalised kernel, or only to some landmarks (the paper's §3: these
//! out-of-sample extensions are one thing with different data). A newcomer therefore takes the same road as the
//! old objects did,
//!
//! ```text
//! features → proximities to the references → proximities to the diagram's objects → border → any strategy → finish
//! ```
//!
//! where the references are the objects a newcomer is compared with (all old objects for Isomap, whose diagram may
//! consist of landmarks only), and the finish is a motion or scaling of the coordinates alone. What a placement
//! says beside its coordinates (objective, displacement, residual) is in the space of the diagram, before the finish.

mod arrival;
mod placing;
pub mod streaming;

use faer::{Mat, MatRef};

pub use self::placing::Bordered;
use crate::error::Error;
use crate::fit::diagram::{Diagram, FitSettings};
use crate::input::proximities::{Kind, Proximities, checked_labels};
use crate::measure::Measured;
use crate::method::isomap::Isomap;
use crate::method::laplacian::Laplacian;
use crate::method::pca::Pca;
use crate::place::procrustes::Motion;

/// How the diagram was made, with what that takes to place newcomers.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// Classical scaling of the proximities as they are.
    Cmds,
    /// Principal components of features.
    Pca(Pca),
    /// Classical scaling of a kernel.
    KernelPca,
    /// Classical scaling of some objects, to which the others were added.
    Landmark {
        /// Which of the objects they are.
        landmarks: Vec<usize>,
    },
    /// Classical scaling of geodesics.
    Isomap(Isomap),
    /// The leading eigenvectors of a normalised kernel.
    Laplacian(Laplacian),
}

impl Method {
    /// The words for all of them.
    pub const WORDS: [&'static str; 6] = [
        "cmds",
        "pca",
        "kernel-pca",
        "landmark",
        "isomap",
        "laplacian",
    ];

    /// The word for it.
    pub fn word(&self) -> &'static str {
        let at = match self {
            Method::Cmds => 0,
            Method::Pca(_) => 1,
            Method::KernelPca => 2,
            Method::Landmark { .. } => 3,
            Method::Isomap(_) => 4,
            Method::Laplacian(_) => 5,
        };
        Self::WORDS[at]
    }
}

/// What is done to coordinates at the very end.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// Nothing.
    None,
    /// A turn and a shift: the principal axes of all objects about landmarks.
    Motion(Motion),
    /// λᵗ u/√degree in the place of √λ u: the random walk's.
    Walk {
        /// t.
        time: f64,
    },
}

/// Objects that are on the map, where the diagram does not consist of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Objects {
    /// Their labels.
    pub labels: Vec<String>,
    /// Their coordinates, finished.
    pub configuration: Mat<f64>,
}

/// All that a model consists of, for storing it and for making one from what was stored.
#[derive(Debug, Clone)]
pub struct Parts {
    /// How the diagram was made.
    pub method: Method,
    /// What newcomers are placed on.
    pub diagram: Diagram,
    /// All objects, if the diagram's are landmarks only.
    pub objects: Option<Objects>,
    /// What is done to coordinates at the end.
    pub finish: Finish,
    /// The references by their features, and the measure; none if only proximities are known.
    pub source: Option<Measured>,
}

/// A diagram and the way onto it. It does not change: newcomers are placed on it, not in it.
#[derive(Debug, Clone)]
pub struct Model {
    parts: Parts,
    /// The diagram's configuration, finished; none if that changes nothing or objects have it.
    finished: Option<Mat<f64>>,
}

impl From<Diagram> for Model {
    /// The model of a diagram that was fitted to proximities as they are.
    fn from(diagram: Diagram) -> Self {
        Self {
            parts: Parts {
                method: Method::Cmds,
                diagram,
                objects: None,
                finish: Finish::None,
                source: None,
            },
            finished: None,
        }
    }
}

impl Model {
    /// Classical scaling of what a measure makes of features; of a kernel it is kernel PCA.
    pub fn fit(source: Measured, settings: &FitSettings<'_>) -> Result<Self, Error> {
        let entries = source.square(settings.threads, settings.watch)?;
        let n = source.count();
        let entries = MatRef::from_row_major_slice(&entries, n, n);
        let labels = source.features().labels().to_vec();
        let proximities = Proximities::new(entries, source.kind(), Some(labels), settings.threads)?;
        Self::from(Diagram::fit(&proximities, settings)?).with_source(source)
    }

    /// The model that consists of `parts`; checks that they fit together.
    pub fn from_parts(parts: Parts) -> Result<Self, Error> {
        let (d, count) = (parts.diagram.dimensions(), parts.diagram.count());
        let inconsistent = |why: &str| Err(Error::Inconsistent(why.into()));
        if let Some(objects) = &parts.objects {
            let (n, found) = (objects.configuration.nrows(), objects.configuration.ncols());
            checked_labels(Some(objects.labels.clone()), n)?;
            if found != d {
                return Err(Error::Length {
                    what: "coordinates of each object",
                    found,
                    expected: d,
                });
            }
            let finite = |j: usize| objects.configuration.col(j).iter().all(|v| v.is_finite());
            if !(0..d).all(finite) {
                return inconsistent(
                    "found a coordinate that is not a finite number, expected finite numbers",
                );
            }
        }
        let n = parts.objects.as_ref().map_or(count, |o| o.labels.len());
        match &parts.method {
            Method::Cmds | Method::KernelPca => {}
            Method::Pca(pca) => pca.check(d)?,
            Method::Landmark { landmarks } => {
                if landmarks.len() != count || landmarks.iter().any(|&l| l >= n) {
                    return inconsistent(
                        "found landmarks that are not the diagram's objects, expected them to be",
                    );
                }
            }
            Method::Isomap(isomap) => isomap.check(n, count)?,
            Method::Laplacian(laplacian) => laplacian.check(count)?,
        }
        match &parts.finish {
            Finish::Motion(motion)
                if (
                    motion.rotation.nrows(),
                    motion.rotation.ncols(),
                    motion.shift.len(),
                ) != (d, d, d) =>
            {
                return inconsistent(
                    "found a turn of the axes of another dimension than the diagram's, expected the same",
                );
            }
            Finish::Walk { .. } if !matches!(parts.method, Method::Laplacian(_)) => {
                return inconsistent(
                    "found the scaling of a random walk without degrees, expected a normalised kernel",
                );
            }
            _ => {}
        }
        let mut model = Self {
            parts,
            finished: None,
        };
        if let Some(source) = &model.parts.source {
            model.check_source(source)?;
        }
        if model.parts.objects.is_none() && model.parts.finish != Finish::None {
            let configuration = model.diagram().configuration();
            let degree = |i: usize| match &model.parts.method {
                Method::Laplacian(laplacian) => laplacian.degrees[i],
                _ => f64::NAN,
            };
            let mut finished = Mat::zeros(count, d);
            for i in 0..count {
                let mut y: Vec<f64> = configuration.row(i).iter().copied().collect();
                model.finish_point(&mut y, degree(i));
                y.into_iter()
                    .enumerate()
                    .for_each(|(j, v)| finished[(i, j)] = v);
            }
            model.finished = Some(finished);
        }
        Ok(model)
    }

    /// The same model with the references' features, so that newcomers may come as features too.
    pub fn with_source(mut self, source: Measured) -> Result<Self, Error> {
        self.check_source(&source)?;
        if let (Method::Cmds, Kind::Similarity) = (&self.parts.method, self.kind()) {
            self.parts.method = Method::KernelPca;
        }
        self.parts.source = Some(source);
        Ok(self)
    }

    fn check_source(&self, source: &Measured) -> Result<(), Error> {
        let references = self.references();
        if source.count() != references.len() {
            return Err(Error::Length {
                what: "objects with features",
                found: source.count(),
                expected: references.len(),
            });
        }
        let pairs = source.features().labels().iter().zip(references);
        if let Some((found, expected)) = pairs.into_iter().find(|(a, b)| a != b) {
            return Err(Error::Inconsistent(format!(
                "found features of {found:?}, expected those of {expected:?}, in the model's order"
            )));
        }
        match source.kind() == self.kind() {
            true => Ok(()),
            false => Err(Error::Inconsistent(format!(
                "found the measure {:?}, expected one of the model's kind of proximities",
                source.measure().word()
            ))),
        }
    }

    /// All that the model consists of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The parts, to change them.
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    /// What newcomers are placed on.
    pub fn diagram(&self) -> &Diagram {
        &self.parts.diagram
    }

    /// How it was made.
    pub fn method(&self) -> &Method {
        &self.parts.method
    }

    /// The features of the references and the measure, if they are known.
    pub fn source(&self) -> Option<&Measured> {
        self.parts.source.as_ref()
    }

    /// The labels of all objects on the map.
    pub fn labels(&self) -> &[String] {
        match &self.parts.objects {
            Some(objects) => &objects.labels,
            None => self.diagram().labels(),
        }
    }

    /// The coordinates of all objects on the map, finished, n × d.
    pub fn configuration(&self) -> MatRef<'_, f64> {
        match (&self.parts.objects, &self.finished) {
            (Some(objects), _) => objects.configuration.as_ref(),
            (None, Some(finished)) => finished.as_ref(),
            (None, None) => self.diagram().configuration(),
        }
    }

    /// The labels of the objects that newcomers are compared with, in the order of the columns of their rows.
    pub fn references(&self) -> &[String] {
        match &self.parts.method {
            Method::Isomap(_) => self.labels(),
            _ => self.diagram().labels(),
        }
    }

    /// What the proximities of newcomers to the references are.
    pub fn kind(&self) -> Kind {
        match &self.parts.method {
            Method::Isomap(isomap) => isomap.kind,
            Method::Laplacian(laplacian) => laplacian.kind,
            _ => self.diagram().kind(),
        }
    }
}
