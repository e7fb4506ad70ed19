//! Everything a flag or a keyword can say about a fit, and what of it goes together.

use faer::{Mat, MatRef};

use crate::error::{About, Error};
use crate::fit::centring::Origin;
use crate::fit::link::Linking;
use crate::fit::spectrum::Solver;
use crate::graph::{Disconnected, Neighbourhood};
use crate::input::elsewhere::Elsewhere;
use crate::input::features::Features;
use crate::input::kind::Kind;
use crate::input::rows::Rows;
use crate::map::{Map, Method};
use crate::measure::{Measure, Measured};
use crate::method::axes::Axes;
use crate::method::landmark::Landmarks;

/// With larger residuals than this beside ‖B‖ axes would not be those of the proximities any more.
const LOOSEST: f64 = 1e-4;

/// What the old objects are known by.
#[non_exhaustive]
// There is one of them at a time.
#[allow(clippy::large_enum_variant)]
pub enum Objects<'a> {
    /// Proximities between them.
    Square(Square<'a>),
    /// Proximities between them that are elsewhere, in pieces.
    Elsewhere(Elsewhere<'a>),
    /// Proximities of all n objects to some of them, n × L, a few rows at a time: for landmark MDS.
    ToLandmarks {
        /// The rows; column `j` has the proximities to object `landmarks[j]`.
        rows: &'a dyn Rows,
        /// Which objects the columns are.
        landmarks: Vec<usize>,
        /// What the proximities are.
        kind: Kind,
        /// The objects' names; without any they have positions only, and are shown as `1 … n`.
        labels: Option<Vec<String>>,
    },
    /// Features, from which a measure makes proximities; principal components need none.
    Features {
        /// The features, with the objects' labels.
        features: Features,
        /// The measure.
        measure: Option<Measure>,
    },
}

/// A square of proximities, not checked yet.
#[derive(Clone)]
pub struct Square<'a> {
    /// n × n, in any memory layout.
    pub entries: Entries<'a>,
    /// What they are.
    pub kind: Kind,
    /// The objects' names; without any they have positions only, and are shown as `1 … n`.
    pub labels: Option<Vec<String>>,
    /// The features they were made of, so that newcomers may come as features too.
    pub made_of: Option<Measured>,
}

/// Numbers of either precision, in memory.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Entries<'a> {
    /// Double precision.
    Doubles(MatRef<'a, f64>),
    /// Single precision.
    Singles(MatRef<'a, f32>),
}

/// A correction for non-Euclidean dissimilarities, as it is asked for; its constant is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Correcting {
    /// None: negative eigenvalues are left as they are.
    #[default]
    None,
    /// Lingoes'.
    Lingoes,
    /// Cailliez'.
    Cailliez,
}

impl Correcting {
    /// All of them.
    pub const ALL: [Correcting; 3] = [Correcting::None, Correcting::Lingoes, Correcting::Cailliez];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Correcting::None => "none",
            Correcting::Lingoes => "lingoes",
            Correcting::Cailliez => "cailliez",
        }
    }

    /// The correction that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.word() == word)
    }
}

/// How similarities are made for Laplacian eigenmaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AffinityChoice {
    /// exp(−γδ²).
    Heat,
    /// 1 between neighbours.
    Neighbours,
    /// The proximities are similarities.
    Given,
}

impl AffinityChoice {
    /// All of them.
    pub const ALL: [AffinityChoice; 3] = [
        AffinityChoice::Heat,
        AffinityChoice::Neighbours,
        AffinityChoice::Given,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            AffinityChoice::Heat => "heat",
            AffinityChoice::Neighbours => "neighbours",
            AffinityChoice::Given => "given",
        }
    }

    /// The choice that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.word() == word)
    }
}

/// What to fit, and how. The default is classical scaling on two axes about the centroid.
#[derive(Debug, Clone, PartialEq)]
pub struct FitSettings {
    /// How many axes.
    pub axes: Axes,
    /// By which method.
    pub method: Method,
    /// Classical scaling: where the origin is.
    pub origin: Origin,
    /// Classical scaling: a correction for non-Euclidean dissimilarities.
    pub correction: Correcting,
    /// Classical scaling: coordinates that the caller already has, n × d, in the place of fitted ones.
    pub configuration: Option<Mat<f64>>,
    /// With a configuration: multiply it by the factor that brings it onto the scale of the proximities; otherwise one on
    /// another scale is refused.
    pub rescale: bool,
    /// With a configuration: how its distances follow the dissimilarities, fitted to the old pairs. Newcomers are then placed
    /// by stress, as such a map was made.
    pub link: Linking,
    /// With a link: how far to trust each old object, a pair weighing the product of two; all alike if none.
    pub link_weights: Option<Vec<f64>>,
    /// With a link: take it even if it places old objects, each left out, far from where they are.
    pub force: bool,
    /// Which eigensolver.
    pub solver: Solver,
    /// ‖Bv − θv‖ / ‖B‖ that the iterative eigensolver may leave of each axis, above 0 and at most 1e-4; none: 1e-10, by which
    /// eigenvalues are exact to rounding.
    pub tolerance: Option<f64>,
    /// Landmark MDS and Isomap: embed these only, and project the rest.
    pub landmarks: Option<Landmarks>,
    /// With landmarks: turn the whole map to its principal axes.
    pub rotate: bool,
    /// Isomap and Laplacian eigenmaps: who is a neighbour.
    pub neighbourhood: Option<Neighbourhood>,
    /// What to do if the graph of neighbours falls apart.
    pub disconnected: Disconnected,
    /// Laplacian eigenmaps: how similarities are made; as given, between neighbours, or by the heat kernel, in this
    /// order of preference, if nothing is said.
    pub affinity: Option<AffinityChoice>,
    /// γ of the heat kernel; 1/q for q features if nothing is said.
    pub gamma: Option<f64>,
    /// Laplacian eigenmaps: how much of the sampling density to take off, 0 none, 1 all.
    pub alpha: f64,
    /// Laplacian eigenmaps: whether an object is similar to itself.
    pub diagonal: bool,
    /// Laplacian eigenmaps: the time of the random walk whose coordinates are wanted; the kernel's own if none.
    pub time: Option<f64>,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            axes: Axes::default(),
            method: Method::default(),
            origin: Origin::default(),
            correction: Correcting::default(),
            configuration: None,
            rescale: false,
            link: Linking::None,
            link_weights: None,
            force: false,
            solver: Solver::default(),
            tolerance: None,
            landmarks: None,
            rotate: false,
            neighbourhood: None,
            disconnected: Disconnected::default(),
            affinity: None,
            gamma: None,
            alpha: 0.0,
            diagonal: true,
            time: None,
        }
    }
}

/// A map, and what was found on the way to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The map.
    pub map: Map,
    /// The objects in it, ascending, if some were left out with a smaller piece of a graph.
    pub kept: Option<Vec<usize>>,
    /// What was done about a graph of neighbours that fell apart; among the findings too.
    pub pieces: Option<String>,
    /// Remarks in words: on the input, on the graph, on what was chosen.
    pub findings: Vec<String>,
}

impl Objects<'_> {
    /// The measure, if there is one.
    pub(crate) fn measure(&self) -> Option<&Measure> {
        match self {
            Objects::Features { measure, .. } => measure.as_ref(),
            _ => None,
        }
    }

    /// Their labels, `1 … n` where they have none.
    pub(crate) fn labels(&self) -> Vec<String> {
        let numbered = |n: usize| (1..=n).map(|i| i.to_string()).collect();
        match self {
            Objects::Square(square) => {
                let n = match square.entries {
                    Entries::Doubles(m) => m.nrows(),
                    Entries::Singles(m) => m.nrows(),
                };
                square.labels.clone().unwrap_or_else(|| numbered(n))
            }
            Objects::Elsewhere(square) => {
                let counted = || numbered(square.count);
                square.labels.clone().unwrap_or_else(counted)
            }
            Objects::ToLandmarks { rows, labels, .. } => {
                labels.clone().unwrap_or_else(|| numbered(rows.rows()))
            }
            Objects::Features { features, .. } => features.labels().to_vec(),
        }
    }

    /// Whether they have names, or positions only.
    pub(crate) fn named(&self) -> bool {
        match self {
            Objects::Square(square) => square.labels.is_some(),
            Objects::Elsewhere(square) => square.labels.is_some(),
            Objects::ToLandmarks { labels, .. } => labels.is_some(),
            Objects::Features { features, .. } => features.labelled(),
        }
    }

    /// What the proximities are.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Objects::Square(square) => square.kind,
            Objects::Elsewhere(square) => square.kind,
            Objects::ToLandmarks { kind, .. } => *kind,
            Objects::Features { measure, .. } => measure.map_or(Kind::Dissimilarity, |m| m.kind()),
        }
    }
}

impl FitSettings {
    /// Errs if something is said that this method does not listen to, or lacks what it needs; before anything is read.
    pub fn check(&self, measure: Option<&Measure>, kind: Kind) -> Result<(), Error> {
        let refuse = |about, found: &str, expected: &str| {
            Err(Error::Together {
                about,
                why: format!("found {found}, expected {expected}"),
            })
        };
        let method = self.method;
        match (method, measure) {
            (Method::Pca, Some(measure)) if measure.word() != "euclidean" => {
                return refuse(
                    About::Measure,
                    &format!("{} beside the method pca", measure.word()),
                    "no measure: principal components are of Euclidean distances",
                );
            }
            (Method::KernelPca, Some(Measure::Metric(_))) => {
                let found = "a metric beside the method kernel-pca";
                return refuse(About::Measure, found, "a kernel");
            }
            (Method::KernelPca, None) if kind != Kind::Similarity => {
                let found = "dissimilarities for the method kernel-pca";
                return refuse(About::Kind, found, "similarities");
            }
            _ => {}
        }
        if let Some(tolerance) = self.tolerance
            && !(tolerance > 0.0 && tolerance <= LOOSEST)
        {
            let expected = "a number above 0, at most 0.0001";
            return refuse(About::Tolerance, &tolerance.to_string(), expected);
        }
        let scaling = matches!(method, Method::Cmds | Method::KernelPca);
        let only_scaling = [
            (self.origin != Origin::Centroid, About::Origin, "an origin"),
            (
                self.correction != Correcting::None,
                About::Correction,
                "a correction",
            ),
            (
                self.configuration.is_some(),
                About::Configuration,
                "a configuration",
            ),
        ];
        for (given, about, found) in only_scaling {
            if given && !scaling {
                let found = format!("{found} beside the method {}", method.word());
                return refuse(about, &found, "it with cmds or kernel-pca only");
            }
        }
        let graphs = matches!(method, Method::Isomap | Method::Laplacian);
        if self.landmarks.is_some() && !matches!(method, Method::Landmark | Method::Isomap) {
            let found = format!("landmarks beside the method {}", method.word());
            return refuse(
                About::Landmarks,
                &found,
                "them with landmark or isomap only",
            );
        }
        if self.rescale && self.configuration.is_none() {
            return refuse(
                About::Configuration,
                "a wish to rescale and no configuration",
                "both or neither",
            );
        }
        self.check_link(kind)?;
        if self.rotate && method != Method::Landmark && self.landmarks.is_none() {
            return refuse(About::Rotation, "a rotation", "it with landmarks only");
        }
        if self.neighbourhood.is_some() && !graphs {
            let found = format!("a neighbourhood beside the method {}", method.word());
            return refuse(
                About::Neighbours,
                &found,
                "it with isomap or laplacian only",
            );
        }
        if method == Method::Isomap && self.neighbourhood.is_none() {
            return refuse(
                About::Neighbours,
                "the method isomap alone",
                "a number of neighbours or a radius too",
            );
        }
        if self.disconnected != Disconnected::Refuse && self.neighbourhood.is_none() {
            return refuse(
                About::Disconnected,
                "a wish for a graph in pieces",
                "it with neighbours or a radius only",
            );
        }
        let laplacian = [
            (self.affinity.is_some(), About::Affinity, "an affinity"),
            (self.gamma.is_some(), About::Gamma, "gamma of a heat kernel"),
            (self.alpha != 0.0, About::Alpha, "alpha"),
            (!self.diagonal, About::Diagonal, "no diagonal"),
            (self.time.is_some(), About::Time, "a time"),
        ];
        for (given, about, found) in laplacian {
            if given && method != Method::Laplacian {
                let found = format!("{found} beside the method {}", method.word());
                return refuse(about, &found, "it with laplacian only");
            }
        }
        Ok(())
    }

    /// Errs if something is said that a link does not listen to, or a link without what it is between.
    fn check_link(&self, kind: Kind) -> Result<(), Error> {
        let refuse = |about, found: &str, expected: &str| {
            Err(Error::Together {
                about,
                why: format!("found {found}, expected {expected}"),
            })
        };
        if self.link == Linking::None {
            if self.force {
                return refuse(About::Link, "force without a link", "it with a link only");
            }
            if self.link_weights.is_some() {
                return refuse(
                    About::Weights,
                    "weights without a link",
                    "them with a link only",
                );
            }
            return Ok(());
        }
        if self.configuration.is_none() {
            return refuse(
                About::Link,
                "a link and no configuration",
                "both: a link is from dissimilarities to the distances of given coordinates",
            );
        }
        if kind == Kind::Similarity {
            return refuse(
                About::Link,
                "a link beside similarities",
                "dissimilarities, such as 1 − x",
            );
        }
        let beside = [
            (self.rescale, About::Configuration, "a wish to rescale"),
            (self.origin != Origin::Centroid, About::Origin, "an origin"),
            (
                self.correction != Correcting::None,
                About::Correction,
                "a correction",
            ),
        ];
        for (given, about, found) in beside {
            if given {
                let found = format!("{found} beside a link");
                return refuse(
                    about,
                    &found,
                    "one of them: a link is to the coordinates as they are",
                );
            }
        }
        Ok(())
    }
}
