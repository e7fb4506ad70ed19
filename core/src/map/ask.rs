//! The questions that can be asked of a map: each reads the newcomers once, and what was read comes back as their
//! [`Border`], from which arcs and further placements follow without reading anything again.

use std::collections::BTreeMap;

use faer::{Mat, MatRef};

use super::Map;
use super::finish::Finish;
use super::read::{Need, Seen};
use super::uncertain::Uncertainty;
use super::way::{Kept, Way};
use crate::border::Border;
use crate::error::{About, Error};
use crate::evidence::neighbours::{Neighbours, check_count};
use crate::evidence::uncertain_jointly;
use crate::fit::diagram::DiagramSettings;
use crate::fit::dimension::{self, Dimensions};
use crate::fit::spectrum;
use crate::input::block::named;
use crate::input::kind::Kind;
use crate::input::newcomers::{By, Newcomers};
use crate::input::proximities::Proximities;
use crate::input::rows::Rows;
use crate::place::alone::{self, AtHand, PlaceSettings, offered};
use crate::place::arc::{self, Arc, Course};
use crate::place::compare::{self, Comparison, every_strategy};
use crate::place::jointly::{Jointly, beta_of_known, check_between, reconstruct_jointly};
use crate::place::reembed::{self, Reembedding};
use crate::place::remarks::{self, Comparable, Remark};
use crate::run::{Run, Shared};
use crate::strategy::placements::{Placements, Strategy};
use crate::strategy::project::project;
use crate::strategy::rule::{One, Place};

/// What is between the newcomers, when they are placed jointly.
#[derive(Clone, Copy)]
pub enum Between<'a> {
    /// These proximities, k × k, of the map's kind: symmetric, NaN where missing, zero on the diagonal unless they are
    /// similarities (then it has the newcomers' similarities to themselves).
    Given(MatRef<'a, f64>),
    /// What follows from the newcomers themselves: from their features, or through the graph of an Isomap.
    Made,
}

/// The neighbours of all newcomers, from those of some after the other.
fn gathered(count: usize, blocks: Vec<Neighbours>) -> Neighbours {
    let mut all = Neighbours::of_nobody(count);
    blocks.into_iter().for_each(|some| all.append(some));
    all
}

/// Newcomers that one thread judges at a time.
const JUDGED: usize = 4096;

/// What is known of newcomers who come in blocks, a few of them before their turn: put together as they come, so that what they
/// take is not there twice in the end.
struct InOrder {
    border: Border,
    placements: Placements,
    /// Those whose turn it is not, by the number of their first.
    waiting: BTreeMap<usize, (Border, Placements)>,
}

impl InOrder {
    fn take(&mut self, first: usize, border: Border, placements: Placements) {
        self.waiting.insert(first, (border, placements));
        while let Some((border, placements)) = self.waiting.remove(&self.border.count()) {
            if self.border.count() == 0 {
                (self.border, self.placements) = (border, placements);
            } else {
                self.border.append(border);
                self.placements.append(placements);
            }
        }
    }
}

impl Map {
    /// Errs if newcomers cannot be placed by this strategy here, whoever they are.
    pub(crate) fn offers(&self, strategy: Strategy) -> Result<(), Error> {
        if self.link().is_some() && strategy != Strategy::Stress {
            return Err(Error::NotOffered {
                about: About::Strategy,
                what: strategy.word(),
                why: "found a map with a link, whose coordinates show distances, expected stress, its own criterion: the other \
                      strategies are about inner products"
                    .into(),
            });
        }
        let answer = offered(self.diagram(), strategy);
        if answer.is_ok() || offered(self.founding(), strategy).is_err() {
            return answer;
        }
        Err(Error::NotOffered {
            about: About::Strategy,
            what: strategy.word(),
            why: "found a map that has grown, whose origin is its founders' centroid and not everybody's, expected the \
                  founders alone (generation 0): the strategy centres anew"
                .into(),
        })
    }

    /// What newcomers are to the map.
    pub fn border(&self, newcomers: &Newcomers<'_>, run: Run<'_>) -> Result<Border, Error> {
        let blocks = self.read_for(Need::Border, newcomers, run, |seen| Ok(seen.border))?;
        Ok(Border::gathered(self.dimensions(), blocks))
    }

    /// Places newcomers, each by itself.
    ///
    /// A newcomer that cannot be placed gets a status and NaN for coordinates; an error means that the question was
    /// malformed, or that a similarity to itself is missing where the strategy needs one.
    pub fn place(
        &self,
        newcomers: &Newcomers<'_>,
        settings: &PlaceSettings,
        run: Run<'_>,
    ) -> Result<(Border, Placements), Error> {
        let need = if settings.strategy == Strategy::Stress {
            Need::Proximities
        } else {
            Need::Border
        };
        let placed = self.place_for(need, newcomers, settings, run, |_| Ok(()))?;
        Ok((placed.0, placed.1))
    }

    /// The same, with what `work` makes of the newcomers while they are read, some at a time and in order.
    pub fn place_seen<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        settings: &PlaceSettings,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Placements, Vec<R>), Error> {
        self.place_for(Need::InCache, newcomers, settings, run, work)
    }

    fn place_for<R: Send>(
        &self,
        need: Need,
        newcomers: &Newcomers<'_>,
        settings: &PlaceSettings,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Placements, Vec<R>), Error> {
        settings.check()?;
        self.offers(settings.strategy)?;
        let nobody = || InOrder {
            border: Border::gathered(self.dimensions(), Vec::new()),
            placements: Placements::of_nobody(settings.strategy, self.dimensions()),
            waiting: BTreeMap::new(),
        };
        let all = Shared::new(nobody());
        let made = self.read_for(need, newcomers, run, |seen| {
            let (placements, made) = (seen.place(settings)?, work(&seen)?);
            all.with(|all| all.take(seen.first, seen.border, placements));
            Ok(made)
        })?;
        let all = all.with(|all| std::mem::replace(all, nobody()));
        Ok((all.border, all.placements, made))
    }

    /// Places newcomers, each by itself, with the `count` old objects that each is nearest to, and how certain its
    /// place is if that is asked for.
    pub fn place_among(
        &self,
        newcomers: &Newcomers<'_>,
        settings: &PlaceSettings,
        (count, how): (usize, Option<Uncertainty<'_>>),
        run: Run<'_>,
    ) -> Result<(Border, Placements, Neighbours), Error> {
        check_count(count, self.references().len())?;
        let near = |seen: &Seen<'_>| Ok(seen.neighbours(count));
        let (border, placements, blocks) = match how {
            None => self.place_seen(newcomers, settings, run, near)?,
            Some(how) => self.place_uncertain(newcomers, settings, how, run, near)?,
        };
        Ok((border, placements, gathered(count, blocks)))
    }

    /// Reconstructs newcomers together, with the `count` old objects that each is nearest to, and how certain
    /// their places are if that is asked for.
    pub fn jointly_among(
        &self,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        (count, how): (usize, Option<Uncertainty<'_>>),
        run: Run<'_>,
    ) -> Result<(Border, Jointly, Neighbours), Error> {
        check_count(count, self.references().len())?;
        let near = |seen: &Seen<'_>| Ok(seen.neighbours(count));
        let (border, jointly, blocks) = match how {
            None => self.jointly_seen(newcomers, between, run, near)?,
            Some(how) => self.jointly_uncertain(newcomers, between, how, run, near)?,
        };
        Ok((border, jointly, gathered(count, blocks)))
    }

    /// The `count` old objects that each newcomer is nearest to, by the proximities that are given.
    pub fn neighbours(
        &self,
        newcomers: &Newcomers<'_>,
        count: usize,
        run: Run<'_>,
    ) -> Result<Neighbours, Error> {
        check_count(count, self.references().len())?;
        let blocks = self.read_for(Need::InCache, newcomers, run, |seen| {
            Ok(seen.neighbours(count))
        })?;
        Ok(gathered(count, blocks))
    }

    /// Places newcomers whose border is known: by any strategy but stress, which needs their proximities.
    pub fn place_border(
        &self,
        border: &Border,
        settings: &PlaceSettings,
        run: Run<'_>,
    ) -> Result<Placements, Error> {
        self.offers(settings.strategy)?;
        if settings.strategy == Strategy::Stress {
            return Err(Error::NotOffered {
                about: About::Strategy,
                what: settings.strategy.word(),
                why: "found a border, expected proximities: stress compares distances".into(),
            });
        }
        let (nothing, nameless) = (AtHand::Nothing, |i: usize| named(None, i));
        let diagram = self.diagram();
        let mut placements =
            alone::place_border(diagram, border, &nothing, nameless, settings, run)?;
        self.tell_certainty(&mut placements, border);
        self.finish(&mut placements, border, run)?;
        Ok(placements)
    }

    /// Places newcomers whose border is known by a rule of the caller's own.
    pub fn place_by(
        &self,
        border: &Border,
        rule: impl Fn(&One<'_>) -> Place + Sync,
        run: Run<'_>,
    ) -> Result<Placements, Error> {
        let mut placements = alone::place_by(self.diagram(), border, Strategy::Own, rule, run)?;
        self.finish(&mut placements, border, run)?;
        Ok(placements)
    }

    /// Where newcomers whose border is known are projected to.
    pub fn project(&self, border: &Border) -> Placements {
        let mut placements = project(self.diagram(), border);
        self.tell_certainty(&mut placements, border);
        self.finish_coordinates(&mut placements, border);
        let novelties = self.novelties(border, 0..border.count());
        placements.judge(0, &novelties);
        placements
    }

    /// The arc of newcomer `i` of a border in `points` points (at least 2); none if the newcomer has no projection or
    /// its similarity to itself is not known.
    pub fn arc(&self, border: &Border, i: usize, points: usize) -> Result<Option<Arc>, Error> {
        self.offers(Strategy::Reconstruct)?;
        let mut arc = arc::arc(self.diagram(), border, i, points)?;
        if let Some(arc) = &mut arc {
            for y in arc.coordinates.chunks_exact_mut(arc.dimensions) {
                self.finish_point(y, border, i);
            }
        }
        Ok(arc)
    }

    /// The few numbers that the arc of newcomer `i` is, before the finish.
    pub fn course(&self, border: &Border, i: usize) -> Option<Course> {
        self.offers(Strategy::Reconstruct).ok()?;
        arc::course(self.diagram(), border, i)
    }

    /// Reconstructs newcomers together.
    pub fn jointly(
        &self,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        run: Run<'_>,
    ) -> Result<(Border, Jointly), Error> {
        let (border, jointly, _) = self.jointly_seen(newcomers, between, run, |_| Ok(()))?;
        Ok((border, jointly))
    }

    /// The same, with what `work` makes of the newcomers while they are read, some at a time and in order.
    pub fn jointly_seen<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Jointly, Vec<R>), Error> {
        self.jointly_read(Need::Proximities, newcomers, between, run, work)
    }

    pub(super) fn jointly_read<R: Send>(
        &self,
        need: Need,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        run: Run<'_>,
        work: impl Fn(&Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<(Border, Jointly, Vec<R>), Error> {
        self.offers(Strategy::Reconstruct)?;
        self.with_between(newcomers, between, run, |newcomers, between| {
            let blocks = self.read_for(need, newcomers, run, |seen| {
                let made = work(&seen)?;
                Ok(((seen.border, seen.kept), made))
            })?;
            let (read, made): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
            let (border, kept) = self.gathered(read);
            let jointly = self.jointly_from(newcomers, &border, &kept, between, run)?;
            Ok((border, jointly, made))
        })
    }

    /// Places newcomers by every strategy that applies; with what is between them also jointly.
    pub fn compare(
        &self,
        newcomers: &Newcomers<'_>,
        between: Option<Between<'_>>,
        run: Run<'_>,
    ) -> Result<(Border, Comparison), Error> {
        if self.link().is_some() {
            return Err(Error::NotOffered {
                about: About::Link,
                what: "a comparison of strategies",
                why: "found a map with a link, expected one without: its newcomers are placed by stress alone, as the other \
                      strategies are about inner products"
                    .into(),
            });
        }
        self.offers(Strategy::Project)?;
        let Some(between) = between else {
            return self.compare_with(newcomers, None, run);
        };
        self.with_between(newcomers, between, run, |newcomers, between| {
            self.compare_with(newcomers, Some(between), run)
        })
    }

    fn compare_with(
        &self,
        newcomers: &Newcomers<'_>,
        between: Option<Option<MatRef<'_, f64>>>,
        run: Run<'_>,
    ) -> Result<(Border, Comparison), Error> {
        let diagram = self.diagram();
        let blocks = self.read(newcomers, run, |seen| {
            let object = |i: usize| seen.object(i);
            let answers = every_strategy(diagram, &seen.border, &seen.at_hand, object, seen.run)?;
            // What is shown of a joint placement is told by the same dissimilarities.
            let rows: Vec<Vec<f64>> = match between {
                Some(_) => (0..seen.count()).map(|i| seen.dissimilarities(i)).collect(),
                None => Vec::new(),
            };
            Ok(((seen.border, seen.kept), (answers, rows)))
        })?;
        let (read, answers): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
        let (answers, rows): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        let (border, kept) = self.gathered(read);
        let mut comparison = Comparison::of(diagram, &border, answers);
        comparison.smallest_p = self.smallest_p();
        for placements in &mut comparison.placements {
            self.finish(placements, &border, run)?;
        }
        comparison.rank();
        if let Some(between) = between {
            let mut jointly = self.jointly_on_diagram(newcomers, &border, &kept, between, run)?;
            let rows: Vec<Vec<f64>> = rows.into_iter().flatten().collect();
            let errors = compare::distance_errors(diagram, |i| &rows[i], &jointly.placements);
            self.finish(&mut jointly.placements, &border, run)?;
            comparison.jointly = Some((jointly, errors));
        }
        Ok((border, comparison))
    }

    /// Runs `work` with what is between the newcomers, checked, and with their self-similarities from its diagonal.
    pub(super) fn with_between<R>(
        &self,
        newcomers: &Newcomers<'_>,
        between: Between<'_>,
        run: Run<'_>,
        work: impl FnOnce(&Newcomers<'_>, Option<MatRef<'_, f64>>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let k = newcomers.count();
        newcomers.check_lengths()?;
        let object = |i: usize| newcomers.object(i);
        let mut own: Option<Mat<f64>> = None;
        if let (Between::Made, By::Features(features)) = (between, newcomers.by) {
            let source = self.require_source()?;
            let made = source.against(features)?.between(run)?;
            own = Some(Mat::from_fn(k, k, |i, j| made[i * k + j]));
        } else if let (Between::Made, 1) = (between, k) {
            // One newcomer has nobody to be between.
            let itself = newcomers.self_similarity.map_or(0.0, |s| s[0]);
            own = Some(Mat::full(1, 1, itself));
        }
        let between = match (between, &own) {
            (Between::Given(between), _) => {
                check_between(self.kind(), k, object, between)?;
                Some(between)
            }
            (Between::Made, own) => own.as_ref().map(|m| m.as_ref()),
        };
        let diagonal: Option<Vec<f64>> = between
            .filter(|_| self.kind() == Kind::Similarity && newcomers.self_similarity.is_none())
            .map(|between| (0..k).map(|i| between[(i, i)]).collect());
        let newcomers = Newcomers {
            self_similarity: newcomers.self_similarity.or(diagonal.as_deref()),
            ..*newcomers
        };
        work(&newcomers, between)
    }

    fn jointly_from(
        &self,
        newcomers: &Newcomers<'_>,
        border: &Border,
        kept: &Kept,
        between: Option<MatRef<'_, f64>>,
        run: Run<'_>,
    ) -> Result<Jointly, Error> {
        let mut jointly = self.jointly_on_diagram(newcomers, border, kept, between, run)?;
        self.finish(&mut jointly.placements, border, run)?;
        Ok(jointly)
    }

    pub(super) fn jointly_on_diagram(
        &self,
        newcomers: &Newcomers<'_>,
        border: &Border,
        kept: &Kept,
        between: Option<MatRef<'_, f64>>,
        run: Run<'_>,
    ) -> Result<Jointly, Error> {
        let own = self.parts().way.between(kept, between)?;
        let itself = if kept.itself.is_empty() {
            newcomers.self_similarity
        } else {
            Some(&kept.itself[..])
        };
        let object = |i: usize| newcomers.object(i);
        let diagram = self.diagram();
        let mut jointly = run.pooled(|run| {
            reconstruct_jointly(diagram, border, own.as_ref(), itself, object, run)
        })?;
        if !border.covariance.is_empty() {
            let (beta, known) = beta_of_known(diagram, border, own.as_ref(), itself);
            let placements = &mut jointly.placements;
            run.pooled(|run| {
                let par = spectrum::par(run.threads);
                uncertain_jointly::given_axes(diagram, border, &beta, &known, placements, par);
            });
        }
        Ok(jointly)
    }

    pub(super) fn gathered(&self, blocks: Vec<(Border, Kept)>) -> (Border, Kept) {
        let mut all = Kept::default();
        let mut borders = Vec::with_capacity(blocks.len());
        for (border, kept) in blocks {
            borders.push(border);
            all.append(kept);
        }
        (Border::gathered(self.dimensions(), borders), all)
    }

    /// What is remarkable about a batch of newcomers, beside where they were placed: another unit or kind than the map's,
    /// all of them novel, few proximities. Nothing on ordinary newcomers. They are named by `labels`, or `new1 … newk`.
    pub fn remarks(
        &self,
        border: &Border,
        placements: &Placements,
        labels: Option<&[String]>,
    ) -> Vec<Remark> {
        let way = &self.parts().way;
        let comparable = Comparable {
            // A normalised kernel has a scale of its own for every newcomer.
            means: !matches!(way, Way::Normalised(_)),
            itself: way.is_straight(),
            linked: self.link().map(|linked| linked.shepard.range),
            objects: self.diagram().count(),
        };
        // Newcomers are like the founders or not, whoever came since.
        let mut all = remarks::remarks(self.founding(), border, placements, comparable, labels);
        all.extend(self.uncertain_axes(placements));
        all
    }

    /// What the eigenvalues say of the number of axes.
    pub fn suggested_axes(&self) -> Dimensions {
        dimension::dimensions(self.founding().summary(), self.founding().count())
    }

    /// The root mean square distance of the diagram's objects from the origin, to judge lengths by.
    pub fn spread(&self) -> f64 {
        compare::spread(self.diagram())
    }

    /// Errs unless `old`, n × n proximities between the references in the map's order, have the means that the map was
    /// fitted with: other proximities between the old objects would place newcomers on another map. What a graph or a
    /// normalised kernel was made of cannot be told from its map: there nothing is refused.
    pub fn check_old(&self, old: MatRef<'_, f64>, run: Run<'_>) -> Result<(), Error> {
        if let Some(linked) = self.link() {
            let shown = linked.disparities(old);
            return self.diagram().check_old(shown.as_ref(), |_| true, run);
        }
        if !self.parts().way.is_straight() {
            return Ok(());
        }
        self.diagram().check_old(old, |i| self.is_measured(i), run)
    }

    /// [`Self::check_old`] of proximities that are made, or read, a few rows at a time.
    pub fn check_old_rows(&self, old: &dyn Rows, run: Run<'_>) -> Result<(), Error> {
        if !self.parts().way.is_straight() {
            return Ok(());
        }
        self.diagram()
            .check_old_rows(old, |i| self.is_measured(i), run)
    }

    /// The map that all objects together would make, turned back onto this one: `all` are the proximities of old and
    /// new objects, the old ones first and in the map's order. None if some are missing, if the map's way is not
    /// straight, or if together they have fewer axes than the map.
    pub fn reembed(
        &self,
        all: MatRef<'_, f64>,
        run: Run<'_>,
    ) -> Result<Option<Reembedding>, Error> {
        let known = all.col_iter().all(|c| c.iter().all(|v| !v.is_nan()));
        let plain = self.parts().way.is_straight() && self.parts().finish == Finish::None;
        if !(known && plain) {
            return Ok(None);
        }
        let diagram = self.diagram();
        let all = Proximities::new(all, diagram.kind(), None, run)?;
        let settings = DiagramSettings {
            correction: diagram.parts().correction,
            ..Default::default()
        };
        let solved = run
            .pooled(|run| reembed::solve(&all, diagram.configuration(), &settings, run.untold()));
        Ok(solved.ok())
    }

    fn finish_point(&self, y: &mut [f64], border: &Border, i: usize) {
        let degree = border.degrees.get(i).copied().unwrap_or(f64::NAN);
        let c = self.diagram().eigenvalues();
        self.parts().finish.point(y, c, degree);
    }

    /// From placements on the diagram to those on the map, with how strange each newcomer is.
    pub(crate) fn finish(
        &self,
        placements: &mut Placements,
        border: &Border,
        run: Run<'_>,
    ) -> Result<(), Error> {
        self.finish_coordinates(placements, border);
        let k = border.count();
        let batches = run.untold().map("", k.div_ceil(JUDGED), |batch| {
            let first = batch * JUDGED;
            (
                first,
                self.novelties(border, first..(first + JUDGED).min(k)),
            )
        })?;
        for (first, novelties) in batches {
            placements.judge(first, &novelties);
        }
        Ok(())
    }

    fn finish_coordinates(&self, placements: &mut Placements, border: &Border) {
        if self.parts().finish == Finish::None {
            return;
        }
        self.finish_covariance(placements, border);
        let d = placements.dimensions;
        for (i, y) in placements.coordinates.chunks_exact_mut(d).enumerate() {
            self.finish_point(y, border, i);
        }
        for (i, y) in &mut placements.alternatives {
            self.finish_point(y, border, *i);
        }
    }
}
