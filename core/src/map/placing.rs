//! Placing newcomers on a model: by any strategy, on the arc, compared, or together.

use faer::MatRef;

use super::{Finish, Method, Model};
use crate::border::Border;
use crate::error::Error;
use crate::input::block::Block;
use crate::input::features::Features;
use crate::map::streaming::Streamed;
use crate::measure::Measured;
use crate::place::alone::{self, offered, place_border};
use crate::place::arc::{self, Arc};
use crate::place::compare::{self, Comparison};
use crate::place::jointly::{Together, check_between, reconstruct_jointly};
use crate::run::Watch;
use crate::strategy::placements::{Placements, Strategy};
use crate::strategy::project::project;

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

impl Model {
    /// Places newcomers that are known by their proximities to the references, each by itself.
    pub fn place(
        &self,
        newcomers: &Streamed<'_>,
        settings: &alone::Settings<'_>,
    ) -> Result<Placements, Error> {
        Ok(self.place_bordered(newcomers, settings)?.1)
    }

    /// The same with what the newcomers are to the diagram, to draw their arcs later.
    pub fn place_bordered(
        &self,
        newcomers: &Streamed<'_>,
        settings: &alone::Settings<'_>,
    ) -> Result<(Bordered, Placements), Error> {
        offered(self.diagram(), settings.strategy)?;
        let watch = settings.watch.map(|w| ("placing newcomers", w));
        let alone = alone::Settings {
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
        settings: &alone::Settings<'_>,
    ) -> Result<Placements, Error> {
        Ok(self.place_features_bordered(newcomers, settings)?.1)
    }

    /// The same with what the newcomers are to the diagram.
    pub fn place_features_bordered(
        &self,
        newcomers: &Features,
        settings: &alone::Settings<'_>,
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
        let names = Block::<f64> {
            labels: Some(newcomers.labels()),
            ..Block::new(MatRef::from_row_major_slice(&[], newcomers.count(), 0))
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
    pub(super) fn finish_point(&self, y: &mut [f64], degree: f64) {
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
}
