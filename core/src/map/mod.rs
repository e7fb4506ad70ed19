//! The map: a diagram, the way onto it, and everything that can be asked of it.
//!
//! A newcomer takes the same road as the old objects did,
//!
//! ```text
//! features → proximities to the references → proximities to the diagram's objects → border → any strategy → finish
//! ```
//!
//! where the references are the objects a newcomer is compared with (all old objects for Isomap, whose diagram may
//! consist of landmarks only), and the finish is a motion or scaling of the coordinates alone.
//!
//! * [`read`]: newcomers, whatever they come as, read once;
//! * [`ask`]: the questions, each of them one reading and some arithmetic;
//! * [`old`]: what can be asked about the old objects, and what newcomers are measured by; [`uncertain`]: how certain places are;
//! * [`facing`]: the same map, its axes the way round that somebody has them;
//! * [`way`]: from the references to the diagram's objects; [`finish`]: the last step;
//! * [`growth`]: who came when, and the map as it was then; [`grow`]: newcomers become members.

pub(crate) mod ask;
mod facing;
pub(crate) mod finish;
pub(crate) mod grow;
pub(crate) mod growth;
mod old;
pub(crate) mod read;
pub(crate) mod uncertain;
pub(crate) mod way;

use std::sync::OnceLock;

use faer::{Mat, MatRef};

use self::finish::Finish;
use self::growth::Growth;
use self::way::Way;
use self::way::linked::Linked;
use crate::error::{About, Error};
use crate::evidence::novelty::Yardstick;
use crate::fit::diagram::Diagram;
use crate::input::kind::Kind;
use crate::labels::checked_labels;
use crate::measure::Measured;
use crate::place::procrustes::Motion;
use crate::strategy::placements::Strategy;

/// The ways to make a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// Classical scaling of the proximities as they are (principal coordinates).
    #[default]
    Cmds,
    /// Principal components of features.
    Pca,
    /// Classical scaling of a kernel.
    KernelPca,
    /// Classical scaling of some objects, to which the others were added.
    Landmark,
    /// Classical scaling of geodesics.
    Isomap,
    /// The leading eigenvectors of a normalised kernel.
    Laplacian,
    /// A configuration that was given, with a link to its distances; it is asked for by these, not by its word.
    Given,
}

impl Method {
    /// All that can be asked for by their words.
    pub const ALL: [Method; 6] = [
        Method::Cmds,
        Method::Pca,
        Method::KernelPca,
        Method::Landmark,
        Method::Isomap,
        Method::Laplacian,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Method::Cmds => "cmds",
            Method::Pca => "pca",
            Method::KernelPca => "kernel-pca",
            Method::Landmark => "landmark",
            Method::Isomap => "isomap",
            Method::Laplacian => "laplacian",
            Method::Given => "given",
        }
    }

    /// The method that `word` means.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = Self::ALL.into_iter().chain([Method::Given]);
        all.into_iter().find(|m| m.word() == word)
    }
}

/// Objects that are on the map, where the diagram does not consist of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct AllObjects {
    /// Their labels.
    pub labels: Vec<String>,
    /// Their coordinates, finished.
    pub configuration: Mat<f64>,
    /// Which of them the diagram consists of.
    pub landmarks: Vec<usize>,
    /// The residual of each that is not of the diagram: it had no part in the fit, so that it is as a newcomer is. NaN for
    /// landmarks; empty in maps of earlier versions.
    pub residuals: Vec<f64>,
    /// t of each and the landmark it is nearest to, on the scale of inner products; empty if that is not known.
    pub nearest: Vec<f64>,
}

/// All that a map consists of, for storing it and for making one from what was stored.
#[derive(Debug, Clone)]
pub struct Parts {
    /// How it was made.
    pub method: Method,
    /// The way onto it.
    pub way: Way,
    /// What was fitted. Newcomers are placed on it, and on its members where it has grown.
    pub diagram: Diagram,
    /// Who came after the founders; none if nobody did.
    pub growth: Option<Growth>,
    /// All objects, if the diagram's are landmarks only.
    pub objects: Option<AllObjects>,
    /// What is done to coordinates at the end.
    pub finish: Finish,
    /// The references by their features, and the measure; none if only proximities are known.
    pub source: Option<Measured>,
    /// Whether the labels are names that were given, or only count positions.
    pub named: bool,
}

/// What was fitted. It does not change: newcomers are placed on it, not in it.
#[derive(Debug, Clone)]
pub struct Map {
    parts: Parts,
    /// The diagram with its members, if it has any.
    grown: Option<Diagram>,
    /// The diagram's configuration, finished; none if that changes nothing or objects have it.
    finished: Option<Mat<f64>>,
    /// What newcomers are measured by.
    yardstick: OnceLock<Yardstick>,
}

impl From<Diagram> for Map {
    /// The map of a diagram that was fitted to proximities as they are.
    fn from(diagram: Diagram) -> Self {
        Self {
            parts: Parts::straight(diagram),
            grown: None,
            finished: None,
            yardstick: OnceLock::new(),
        }
    }
}

impl Parts {
    /// Those of a map by classical scaling, to change some of them.
    pub(crate) fn straight(diagram: Diagram) -> Self {
        Self {
            method: Method::Cmds,
            way: Way::Straight,
            diagram,
            growth: None,
            objects: None,
            finish: Finish::None,
            source: None,
            named: true,
        }
    }

    /// The diagram with its members; none if it has none. Errs if who came does not fit who is there.
    fn grown(&self) -> Result<Option<Diagram>, Error> {
        let Some(growth) = &self.growth else {
            return Ok(None);
        };
        let inconsistent = |why: &str| Err(Error::Inconsistent(why.into()));
        let came = growth.came(growth.generations.len());
        if growth.generations.iter().any(|g| g.count == 0) || came == 0 {
            return inconsistent("found a generation of nobody, expected members");
        }
        if !self.way.is_straight() {
            return inconsistent("found members of a map that cannot grow, expected none");
        }
        let later = (0..)
            .zip(&growth.generations)
            .any(|(at, g)| g.placed_on > at);
        if later {
            return inconsistent(
                "found members placed on a later generation, expected an earlier one",
            );
        }
        let members = growth.members.count();
        match &self.objects {
            Some(objects) => {
                let landmarks = objects.landmarks.iter().max();
                let founders = objects.labels.len().checked_sub(came);
                if members > 0 || founders.is_none_or(|n| landmarks.is_none_or(|l| *l >= n)) {
                    return inconsistent("found landmarks among the members, expected founders");
                }
                Ok(None)
            }
            None if members != came => {
                inconsistent("found members of no generation, expected each in one")
            }
            None => self.diagram.grown(&growth.members).map(Some),
        }
    }
}

impl Map {
    /// The map that consists of `parts`; checks that they fit together.
    pub fn from_parts(parts: Parts) -> Result<Self, Error> {
        let d = parts.diagram.dimensions();
        if let Some(objects) = &parts.objects {
            objects.check(d, parts.diagram.count())?;
        }
        let grown = parts.grown()?;
        let diagram = grown.as_ref().unwrap_or(&parts.diagram);
        let count = diagram.count();
        let n = parts.objects.as_ref().map_or(count, |o| o.labels.len());
        parts.way.check(n, count, d)?;
        let degrees = match &parts.way {
            Way::Normalised(laplacian) => Some(&laplacian.degrees),
            _ => None,
        };
        parts.finish.check(d, degrees.is_some())?;

        let mut finished = None;
        if parts.objects.is_none() && parts.finish != Finish::None {
            let (x, c) = (diagram.configuration(), diagram.eigenvalues());
            let mut all = Mat::zeros(count, d);
            for i in 0..count {
                let mut y: Vec<f64> = x.row(i).iter().copied().collect();
                let degree = degrees.map_or(f64::NAN, |degrees| degrees[i]);
                parts.finish.point(&mut y, c, degree);
                y.into_iter().enumerate().for_each(|(j, v)| all[(i, j)] = v);
            }
            finished = Some(all);
        }
        let map = Self {
            parts,
            grown,
            finished,
            yardstick: OnceLock::new(),
        };
        if let Some(source) = &map.parts.source {
            map.check_source(source)?;
        }
        Ok(map)
    }

    /// The same map with the references' features, so that newcomers may come as features too.
    pub fn with_source(mut self, source: Measured) -> Result<Self, Error> {
        self.check_source(&source)?;
        if (self.parts.method, self.kind()) == (Method::Cmds, Kind::Similarity) {
            self.parts.method = Method::KernelPca;
        }
        self.parts.source = Some(source);
        Ok(self)
    }

    fn check_source(&self, source: &Measured) -> Result<(), Error> {
        let references = self.references();
        if source.count() != references.len() {
            return Err(Error::Length {
                about: About::Objects,
                what: "objects with features",
                found: source.count(),
                expected: references.len(),
            });
        }
        let pairs = source.features().labels().iter().zip(references);
        if let Some((found, expected)) = pairs.into_iter().find(|(a, b)| a != b) {
            return Err(Error::Inconsistent(format!(
                "found features of {found:?}, expected those of {expected:?}, in the map's order"
            )));
        }
        if source.kind() != self.kind() {
            return Err(Error::Inconsistent(format!(
                "found the measure {:?}, expected one of the map's kind of proximities",
                source.measure().word()
            )));
        }
        Ok(())
    }

    /// All that the map consists of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What newcomers are placed on: what was fitted, with its members if it has grown.
    pub fn diagram(&self) -> &Diagram {
        self.grown.as_ref().unwrap_or(&self.parts.diagram)
    }

    /// How it was made.
    pub fn method(&self) -> Method {
        self.parts.method
    }

    /// d, the number of axes.
    pub fn dimensions(&self) -> usize {
        self.diagram().dimensions()
    }

    /// The link from dissimilarities to the map's distances, if it has one.
    pub fn link(&self) -> Option<&Linked> {
        match &self.parts.way {
            Way::Linked(linked) => Some(linked),
            _ => None,
        }
    }

    /// How newcomers are placed if nothing is said: on a map with a link by stress, its own criterion.
    pub fn usual_strategy(&self) -> Strategy {
        match self.link() {
            Some(_) => Strategy::Stress,
            None => Strategy::default(),
        }
    }

    /// The share of the variance on each axis of the map: of all positive eigenvalues where they are known, otherwise of the
    /// trace. Axes that were turned after the fit share in those that were fitted.
    pub fn proportions(&self) -> Vec<f64> {
        let own = self.parts.diagram.proportions();
        let Finish::Motion(Motion { rotation, .. }) = &self.parts.finish else {
            return own;
        };
        let turned = |k: usize| {
            let own = own.iter().enumerate();
            own.map(|(a, share)| rotation[(a, k)].powi(2) * share).sum()
        };
        (0..own.len()).map(turned).collect()
    }

    /// Where the diagram's origin is on the map, and the eigenvectors of C there, as columns; no vectors if they are the axes.
    /// Nothing is known of the frame of a random walk, which has another at every object.
    pub fn frame(&self) -> (Vec<f64>, Option<Mat<f64>>) {
        let diagram = self.diagram();
        let (_, basis) = diagram.eigenbasis();
        let Finish::Motion(motion) = &self.parts.finish else {
            return (diagram.origin().to_vec(), basis.map(|v| v.to_owned()));
        };
        let d = self.dimensions();
        let turned = |y: &dyn Fn(usize) -> f64, k: usize| -> f64 {
            (0..d).map(|j| motion.rotation[(j, k)] * y(j)).sum()
        };
        let origin = |k: usize| turned(&|j| diagram.origin()[j], k) + motion.shift[k];
        let axis = |j: usize, a: usize| match basis {
            Some(v) => v[(j, a)],
            None => f64::from(u8::from(j == a)),
        };
        let basis = Mat::from_fn(d, d, |k, a| turned(&|j| axis(j, a), k));
        ((0..d).map(origin).collect(), Some(basis))
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

    /// Whether the objects have names. Otherwise [`Self::labels`] only count their positions, `1 … n`, and nobody
    /// can be matched by them: newcomers' columns are then taken by position, and columns with names are not theirs.
    pub fn named(&self) -> bool {
        self.parts.named
    }

    /// The same map with objects that have names, or positions only.
    pub(crate) fn with_names(mut self, named: bool) -> Self {
        self.parts.named = named;
        self
    }

    /// Which of the objects are landmarks; none if the diagram consists of all of them.
    pub fn landmarks(&self) -> Option<&[usize]> {
        self.parts.objects.as_ref().map(|o| &o.landmarks[..])
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
        match &self.parts.way {
            Way::Graph(_) => self.labels(),
            _ => self.diagram().labels(),
        }
    }

    /// Which of the objects on the map reference `j` is.
    pub(crate) fn reference(&self, j: usize) -> usize {
        match (&self.parts.way, &self.parts.objects) {
            (Way::Graph(_), _) | (_, None) => j,
            (_, Some(objects)) => objects.landmarks[j],
        }
    }

    /// What the proximities of newcomers to the references are.
    pub fn kind(&self) -> Kind {
        match &self.parts.way {
            Way::Graph(isomap) => isomap.kind,
            Way::Normalised(laplacian) => laplacian.kind,
            Way::Linked(linked) => linked.kind,
            Way::Straight | Way::Components(_) => self.diagram().kind(),
        }
    }
}

impl AllObjects {
    /// Errs unless there are `d` finite coordinates for each, and the landmarks are the diagram's `count` objects.
    fn check(&self, d: usize, count: usize) -> Result<(), Error> {
        let (n, found) = (self.configuration.nrows(), self.configuration.ncols());
        checked_labels(Some(self.labels.clone()), n)?;
        if found != d {
            return Err(Error::Length {
                about: About::Work,
                what: "coordinates of each object",
                found,
                expected: d,
            });
        }
        for (what, found) in [
            ("residuals of objects", self.residuals.len()),
            ("nearest proximities of objects", self.nearest.len()),
        ] {
            if found != 0 && found != n {
                return Err(Error::Length {
                    about: About::Work,
                    what,
                    found,
                    expected: n,
                });
            }
        }
        let finite = |j: usize| self.configuration.col(j).iter().all(|v| v.is_finite());
        let inconsistent = |why: &str| Err(Error::Inconsistent(why.into()));
        if !(0..d).all(finite) {
            return inconsistent(
                "found a coordinate that is not a finite number, expected finite numbers",
            );
        }
        if self.landmarks.len() != count || self.landmarks.iter().any(|&l| l >= n) {
            return inconsistent(
                "found landmarks that are not the diagram's objects, expected them to be",
            );
        }
        Ok(())
    }
}
