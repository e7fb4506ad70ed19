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

use faer::{Mat, MatRef};

use crate::arc::{self, Arc};
use crate::border::{Border, Newcomers};
use crate::compare::{self, Comparison};
use crate::diagram::{Diagram, FitSettings};
use crate::error::{Error, Object};
use crate::features::Features;
use crate::isomap::{Attached, Isomap};
use crate::jointly::{Together, check_between, reconstruct_jointly};
use crate::laplacian::{Laplacian, Side};
use crate::measure::Measured;
use crate::parallel::Watch;
use crate::pca::Pca;
use crate::place::{self, offered, place_border};
use crate::placement::{Placements, Strategy};
use crate::procrustes::Motion;
use crate::project::project;
use crate::proximity::{Kind, Proximities, checked_labels};
use crate::streaming::Streamed;

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

/// What newcomers are to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Bordered {
    /// What they are to its diagram.
    pub border: Border,
    /// Their degrees, if the method gives them any; otherwise empty.
    pub degrees: Vec<f64>,
}

impl Bordered {
    fn empty(dimensions: usize) -> Self {
        Self {
            border: Border {
                dimensions,
                projections: Vec::new(),
                beta: Vec::new(),
                b_norm_squared: Vec::new(),
                outside: Vec::new(),
                observed: Vec::new(),
            },
            degrees: Vec::new(),
        }
    }

    fn append(&mut self, other: Self) {
        let (mine, theirs) = (&mut self.border, other.border);
        mine.projections.extend(theirs.projections);
        mine.beta.extend(theirs.beta);
        mine.b_norm_squared.extend(theirs.b_norm_squared);
        mine.outside.extend(theirs.outside);
        mine.observed.extend(theirs.observed);
        self.degrees.extend(other.degrees);
    }

    fn degree(&self, i: usize) -> f64 {
        self.degrees.get(i).copied().unwrap_or(f64::NAN)
    }
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

    /// Places newcomers that are known by their proximities to the references, each by itself.
    pub fn place(
        &self,
        newcomers: &Streamed<'_>,
        settings: &place::Settings<'_>,
    ) -> Result<Placements, Error> {
        Ok(self.place_bordered(newcomers, settings)?.1)
    }

    /// The same with what the newcomers are to the diagram, to draw their arcs later.
    pub fn place_bordered(
        &self,
        newcomers: &Streamed<'_>,
        settings: &place::Settings<'_>,
    ) -> Result<(Bordered, Placements), Error> {
        offered(self.diagram(), settings.strategy)?;
        let watch = settings.watch.map(|w| ("placing newcomers", w));
        let alone = place::Settings {
            threads: 1,
            watch: None,
            ..*settings
        };
        let blocks = newcomers.each_block(settings.threads, watch, |_, block| {
            let arrived = self.arrive(block)?;
            let block = arrived.newcomers(block);
            let border = Border::new(self.diagram(), &block, 1, None)?;
            let mut placements = place_border(self.diagram(), &block, &border, &alone)?;
            let bordered = arrived.bordered(border);
            self.finish(&mut placements, &bordered.degrees);
            Ok((bordered, placements))
        })?;
        let d = self.diagram().dimensions();
        let mut all = (
            Bordered::empty(d),
            Placements::empty(settings.strategy, 0, d),
        );
        for (bordered, placements) in blocks {
            all.0.append(bordered);
            all.1.append(placements);
        }
        Ok(all)
    }

    /// What newcomers are to the diagram.
    pub fn border(
        &self,
        newcomers: &Streamed<'_>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Bordered, Error> {
        let watch = watch.map(|w| ("reading newcomers", w));
        let blocks = newcomers.each_block(threads, watch, |_, block| {
            let arrived = self.arrive(block)?;
            let border = Border::new(self.diagram(), &arrived.newcomers(block), 1, None)?;
            Ok(arrived.bordered(border))
        })?;
        let mut all = Bordered::empty(self.diagram().dimensions());
        blocks.into_iter().for_each(|b| all.append(b));
        Ok(all)
    }

    /// Places newcomers that are known by their features, each by itself.
    pub fn place_features(
        &self,
        newcomers: &Features,
        settings: &place::Settings<'_>,
    ) -> Result<Placements, Error> {
        Ok(self.place_features_bordered(newcomers, settings)?.1)
    }

    /// The same with what the newcomers are to the diagram.
    pub fn place_features_bordered(
        &self,
        newcomers: &Features,
        settings: &place::Settings<'_>,
    ) -> Result<(Bordered, Placements), Error> {
        let Method::Pca(pca) = &self.parts.method else {
            return self.by_features(newcomers, |s| self.place_bordered(s, settings));
        };
        if settings.strategy == Strategy::Stress {
            return self.by_features(newcomers, |s| self.place_bordered(s, settings));
        }
        // The border of principal components needs no proximities.
        offered(self.diagram(), settings.strategy)?;
        let source = self.require_source()?;
        let border = pca.border(source.features(), newcomers, settings.threads)?;
        let names = Newcomers::<f64> {
            labels: Some(newcomers.labels()),
            ..Newcomers::new(MatRef::from_row_major_slice(&[], newcomers.count(), 0))
        };
        let placements = place_border(self.diagram(), &names, &border, settings)?;
        let degrees = Vec::new();
        Ok((Bordered { border, degrees }, placements))
    }

    /// Runs `work` on newcomers as rows of proximities to the references, made from their features.
    pub fn by_features<R>(
        &self,
        newcomers: &Features,
        work: impl FnOnce(&Streamed<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let against = self.require_source()?.against(newcomers)?;
        let itself = against.self_similarity();
        work(&Streamed {
            labels: Some(newcomers.labels()),
            self_similarity: itself.as_deref(),
            ..Streamed::new(&against)
        })
    }

    fn require_source(&self) -> Result<&Measured, Error> {
        self.source().ok_or_else(|| Error::NotOffered {
            what: "placing by features",
            why:
                "found a map of proximities whose objects have no features, expected newcomers as \
                  proximities"
                    .into(),
        })
    }

    /// The arc of each newcomer, none where it has none.
    pub fn arcs(
        &self,
        newcomers: &Streamed<'_>,
        points: usize,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Vec<Option<Arc>>, Error> {
        let bordered = self.border(newcomers, threads, watch)?;
        self.arcs_of(&bordered, points)
    }

    /// The same of newcomers whose border is known already.
    pub fn arcs_of(&self, newcomers: &Bordered, points: usize) -> Result<Vec<Option<Arc>>, Error> {
        let one = |i: usize| {
            let mut arc = arc::arc(self.diagram(), &newcomers.border, i, points)?;
            if let Some(arc) = &mut arc {
                for y in arc.coordinates.chunks_exact_mut(arc.dimensions) {
                    self.finish_point(y, newcomers.degree(i));
                }
            }
            Ok(arc)
        };
        (0..newcomers.border.count()).map(one).collect()
    }

    /// The projections of newcomers whose border is known already.
    pub fn project(&self, newcomers: &Bordered) -> Placements {
        let mut placements = project(self.diagram(), &newcomers.border);
        self.finish(&mut placements, &newcomers.degrees);
        placements
    }

    /// Places newcomers by every strategy that applies. All their proximities are in memory together.
    pub fn compare(
        &self,
        newcomers: &Streamed<'_>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Comparison, Error> {
        let arrived = self.arrive_all(newcomers, threads, watch)?;
        let all = arrived.streamed(newcomers);
        let mut comparison = compare::compare(self.diagram(), &all, threads, watch)?;
        for placements in &mut comparison.placements {
            self.finish(placements, &arrived.degrees());
        }
        Ok(comparison)
    }

    /// Reconstructs newcomers together. `between` are the proximities between them, k × k, of the model's kind;
    /// Isomap can do without, going through the old objects.
    pub fn jointly(
        &self,
        newcomers: &Streamed<'_>,
        between: Option<MatRef<'_, f64>>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Together, Error> {
        let k = newcomers.rows.rows();
        if let Some(b) = between
            && (b.nrows(), b.ncols()) != (k, k)
        {
            return Err(Error::NotSquare {
                rows: b.nrows(),
                columns: b.ncols(),
            });
        }
        let arrived = self.arrive_all(newcomers, threads, watch)?;
        let all = arrived.streamed(newcomers);
        if let Some(between) = between {
            check_between(self.kind(), &all, between)?;
        }
        let own = match (&self.parts.method, between) {
            (Method::Isomap(isomap), between) => isomap.between(&arrived.attached, between),
            (Method::Laplacian(l), Some(between)) => l.between(&arrived.sides, between),
            (_, Some(between)) => between.to_owned(),
            (_, None) => {
                return Err(Error::NotOffered {
                    what: "placing together",
                    why: "found nothing between the newcomers, expected their proximities to each \
                          other"
                        .into(),
                });
            }
        };
        let mut together = reconstruct_jointly(self.diagram(), &all, own.as_ref(), threads, watch)?;
        self.finish(&mut together.placements, &arrived.degrees());
        Ok(together)
    }

    /// From a newcomer's coordinates on the diagram to those on the map, in place.
    fn finish_point(&self, y: &mut [f64], degree: f64) {
        match &self.parts.finish {
            Finish::None => {}
            Finish::Motion(motion) => {
                let before = y.to_vec();
                for (k, v) in y.iter_mut().enumerate() {
                    let terms = before.iter().enumerate();
                    let turned: f64 = terms.map(|(j, b)| motion.rotation[(j, k)] * b).sum();
                    *v = turned + motion.shift[k];
                }
            }
            Finish::Walk { time } => {
                for (v, lambda) in y.iter_mut().zip(self.diagram().eigenvalues()) {
                    *v *= lambda.powf(time - 0.5) / degree.sqrt();
                }
            }
        }
    }

    /// From placements on the diagram to those on the map; `degrees` are the newcomers', where a random walk's
    /// scaling needs them, otherwise empty.
    pub fn finish(&self, placements: &mut Placements, degrees: &[f64]) {
        if self.parts.finish == Finish::None {
            return;
        }
        let degree = |i: usize| degrees.get(i).copied().unwrap_or(f64::NAN);
        let d = placements.dimensions;
        for (i, y) in placements.coordinates.chunks_exact_mut(d).enumerate() {
            self.finish_point(y, degree(i));
        }
        for (i, y) in &mut placements.alternatives {
            self.finish_point(y, degree(*i));
        }
    }

    /// Turns newcomers' proximities to the references into proximities to the diagram's objects.
    fn arrive(&self, block: &Newcomers<'_>) -> Result<Arrived, Error> {
        let mut arrived = Arrived::default();
        let (k, n) = (block.count(), self.references().len());
        let (Method::Isomap(_) | Method::Laplacian(_)) = &self.parts.method else {
            return Ok(arrived);
        };
        if block.proximities.ncols() != n {
            return Err(Error::Length {
                what: "proximities for each newcomer",
                found: block.proximities.ncols(),
                expected: n,
            });
        }
        if let (Method::Isomap(isomap), Some(weights)) = (&self.parts.method, block.weights) {
            if weights.len() != n {
                return Err(Error::Length {
                    what: "weights of old objects",
                    found: weights.len(),
                    expected: n,
                });
            }
            let own = isomap.sources.iter().map(|&i| weights[i]);
            arrived.weights = Some(own.collect());
        }
        let columns = self.diagram().count();
        let mut rows = vec![0.0; k * columns];
        let mut row = vec![0.0; n];
        for (i, out) in rows.chunks_exact_mut(columns).enumerate() {
            for (v, entry) in row.iter_mut().zip(block.proximities.row(i).iter()) {
                *v = *entry;
            }
            let entry = |j: usize, expected: &'static str| Error::Entry {
                row: block.object(i),
                column: Object {
                    index: j,
                    label: self.references()[j].clone(),
                },
                found: block.proximities[(i, j)],
                expected,
            };
            match &self.parts.method {
                Method::Isomap(isomap) => {
                    crate::graph::lengths(isomap.kind, &mut row, block.missing)
                        .map_err(|j| entry(j, isomap.kind.expected()))?;
                    arrived.attached.push(isomap.attach(&mut row, out));
                }
                Method::Laplacian(laplacian) => {
                    laplacian
                        .admit(&mut row, block.missing)
                        .map_err(|j| entry(j, laplacian.expected()))?;
                    let side = laplacian.normalise(&mut row);
                    out.copy_from_slice(&row);
                    let given = block.self_similarity.map_or(f64::NAN, |s| s[i]);
                    arrived.itself.push(laplacian.self_similarity(&side, given));
                    arrived.sides.push(side);
                }
                _ => {}
            }
        }
        arrived.rows = Some((rows, columns));
        Ok(arrived)
    }

    /// The same for all newcomers at once, with their rows in memory whatever the method.
    fn arrive_all(
        &self,
        newcomers: &Streamed<'_>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Arrived, Error> {
        let watch = watch.map(|w| ("reading newcomers", w));
        let blocks = newcomers.each_block(threads, watch, |_, block| {
            let mut arrived = self.arrive(block)?;
            if arrived.rows.is_none() {
                let (k, n) = (block.count(), block.proximities.ncols());
                let entries = (0..k).flat_map(|i| block.proximities.row(i).iter().copied());
                arrived.rows = Some((entries.collect(), n));
            }
            Ok(arrived)
        })?;
        let mut all = Arrived::default();
        let columns = match self.parts.method {
            Method::Isomap(_) | Method::Laplacian(_) => self.diagram().count(),
            _ => newcomers.rows.columns(),
        };
        let mut rows = Vec::with_capacity(newcomers.rows.rows() * columns);
        for block in blocks {
            rows.extend(block.rows.into_iter().flat_map(|r| r.0));
            all.weights = block.weights.or(all.weights);
            all.itself.extend(block.itself);
            all.sides.extend(block.sides);
            all.attached.extend(block.attached);
        }
        all.rows = Some((rows, columns));
        Ok(all)
    }
}

/// Newcomers on their way to the diagram.
#[derive(Default)]
struct Arrived {
    /// Their proximities to the diagram's objects, row by row, and how many those are; none if they are what the
    /// newcomers came with.
    rows: Option<(Vec<f64>, usize)>,
    /// How far to trust the diagram's objects, if they are not all of the references.
    weights: Option<Vec<f64>>,
    /// Their similarities to themselves, if those are made here.
    itself: Vec<f64>,
    sides: Vec<Side>,
    attached: Vec<Attached>,
}

impl Arrived {
    /// The newcomers' degrees, if they have any.
    fn degrees(&self) -> Vec<f64> {
        self.sides.iter().map(|s| s.degree).collect()
    }

    fn bordered(&self, border: Border) -> Bordered {
        Bordered {
            border,
            degrees: self.degrees(),
        }
    }

    /// The newcomers of a block, as the diagram sees them.
    fn newcomers<'a>(&'a self, block: &Newcomers<'a>) -> Newcomers<'a> {
        let mut newcomers = *block;
        if let Some((rows, columns)) = &self.rows {
            newcomers.proximities = MatRef::from_row_major_slice(rows, block.count(), *columns);
        }
        if !(self.sides.is_empty() && self.attached.is_empty()) {
            // A newcomer that could not be attached lacks all its proximities.
            newcomers.missing = true;
        }
        if let Some(weights) = &self.weights {
            newcomers.weights = Some(weights);
        }
        if !self.itself.is_empty() {
            newcomers.self_similarity = Some(&self.itself);
        }
        newcomers
    }

    /// All newcomers, as the diagram sees them.
    fn streamed<'a>(&'a self, all: &Streamed<'a>) -> Newcomers<'a> {
        self.newcomers(&Newcomers {
            proximities: MatRef::from_row_major_slice(&[], all.rows.rows(), 0),
            labels: all.labels,
            self_similarity: all.self_similarity,
            weights: all.weights,
            missing: all.missing,
        })
    }
}
