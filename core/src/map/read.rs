//! Reading newcomers: whatever they come as, each of them once.
//!
//! Proximities that are in memory and need no way are read where they are, all at once. Everything else comes in blocks of
//! rows that are made, read and forgotten, so that the k × n proximities never exist together. Either way `work` is given
//! what was [`Seen`] of some newcomers: their border, and their proximities while those are still at hand. As a
//! newcomer's border is the same bits in any batch (of the same layout in memory), so is everything made from it.
//!
//! On a map that has grown newcomers have a second border, to the founders alone, by which they are like the old objects or
//! not. It is made from the same block while that is in the cache: nothing is fetched twice.

use faer::MatRef;

use super::Map;
use super::way::{Kept, Way};
use crate::border::Border;
use crate::border::hc3::Hc3;
use crate::error::{About, Error, Object};
use crate::evidence::neighbours::Neighbours;
use crate::input::block::Block;
use crate::input::kind::Element;
use crate::input::newcomers::{By, Newcomers};
use crate::input::rows::Rows;
use crate::measure::Measured;
use crate::place::alone::{AtHand, PlaceSettings, place_border};
use crate::run::Run;
use crate::strategy::placements::Placements;

/// Bytes of proximities that one thread has at a time: what the outer cache holds.
const BLOCK_BYTES: usize = 2 << 20;

/// The rows of a block are a multiple of this, which the inner loops take at once.
const BLOCK_STEP: usize = 8;

/// What is wanted of the newcomers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Their border: where features tell it, no proximities are made.
    Border,
    /// Their proximities too.
    Proximities,
    /// … and how far the old objects disagree about them.
    Uncertainty,
    /// Their proximities to be looked through once more while they are in cache: those that are in memory come in blocks too.
    InCache,
}

/// Some newcomers as they were read.
pub struct Seen<'a> {
    map: &'a Map,
    newcomers: &'a Newcomers<'a>,
    /// The number of the first of them among all.
    pub first: usize,
    /// What they are to the diagram.
    pub border: Border,
    pub(crate) at_hand: AtHand<'a>,
    /// Their proximities to the references, where those at hand are made of them.
    given: Option<Block<'a, f64>>,
    /// What is known of them on their way.
    pub(crate) kept: Kept,
    pub(crate) run: Run<'a>,
}

impl Seen<'_> {
    /// How many they are.
    pub fn count(&self) -> usize {
        self.border.count()
    }

    /// Places them.
    pub fn place(&self, settings: &PlaceSettings) -> Result<Placements, Error> {
        let mut placements = self.place_on_diagram(settings)?;
        self.map.tell_certainty(&mut placements, &self.border);
        self.map.finish(&mut placements, &self.border, self.run)?;
        Ok(placements)
    }

    /// Places them on the diagram, before the finish.
    pub(crate) fn place_on_diagram(&self, settings: &PlaceSettings) -> Result<Placements, Error> {
        self.map.offers(settings.strategy)?;
        place_border(
            self.map.diagram(),
            &self.border,
            &self.at_hand,
            |i| self.object(i),
            settings,
            self.run,
        )
    }

    /// δ of newcomer `i` to each of the diagram's objects, corrected as the map is; NaN where it is missing, and for
    /// similarities.
    pub fn dissimilarities(&self, i: usize) -> Vec<f64> {
        self.at_hand.dissimilarities(self.map.diagram(), i)
    }

    /// The proximity of newcomer `i` to the diagram's object `j`, as the diagram compares them.
    pub fn proximity(&self, i: usize, j: usize) -> f64 {
        match &self.at_hand {
            AtHand::Doubles(block) => block.proximities[(i, j)],
            AtHand::Singles(block) => block.proximities[(i, j)].into(),
            AtHand::Nothing => f64::NAN,
        }
    }

    /// The `count` old objects that each of them is nearest to, by the proximities that were given.
    pub fn neighbours(&self, count: usize) -> Neighbours {
        let (map, kind) = (self.map, self.map.kind());
        let object = |j: usize| map.reference(j);
        match (&self.given, &self.at_hand) {
            (Some(block), _) => Neighbours::nearest(block, kind, count, object),
            (None, AtHand::Doubles(block)) => Neighbours::nearest(block, kind, count, object),
            (None, AtHand::Singles(block)) => Neighbours::nearest(block, kind, count, object),
            (None, AtHand::Nothing) => Neighbours {
                count,
                objects: vec![None; count * self.count()],
                given: vec![f64::NAN; count * self.count()],
            },
        }
    }

    /// The similarity of newcomer `i` to itself, as the diagram compares them; NaN if it is not known.
    pub fn self_similarity(&self, i: usize) -> f64 {
        let known = match &self.at_hand {
            AtHand::Doubles(block) => block.self_similarity,
            AtHand::Singles(block) => block.self_similarity,
            AtHand::Nothing => None,
        };
        known.map_or(f64::NAN, |s| s[i])
    }

    pub(crate) fn object(&self, i: usize) -> Object {
        self.newcomers.object(self.first + i)
    }
}

impl Map {
    /// Reads newcomers once and hands them to `work`, some at a time and several at once; its answers come back in
    /// order. The first newcomer that is at fault decides the error.
    pub fn read<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        run: Run<'_>,
        work: impl Fn(Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        self.read_for(Need::Proximities, newcomers, run, work)
    }

    pub(crate) fn read_for<R: Send>(
        &self,
        need: Need,
        newcomers: &Newcomers<'_>,
        run: Run<'_>,
        work: impl Fn(Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        newcomers.check_lengths()?;
        let (straight, grown) = (
            self.parts().way.is_straight(),
            self.parts().growth.is_some(),
        );
        let whole = straight && !grown;
        let hc3 = (need == Need::Uncertainty).then(|| Hc3::new(self.diagram()));
        let hc3 = hc3.as_ref();
        match newcomers.by {
            By::Features(features) => {
                let source = self.require_source()?;
                if let (Way::Components(pca), Need::Border, None, false) =
                    (&self.parts().way, need, newcomers.weights, grown)
                {
                    let m = self.diagram().centring().grand_mean;
                    let border = pca.border((source.features(), m), features, run)?;
                    let seen = self.seen(newcomers, 0, border, AtHand::Nothing, run);
                    return Ok(vec![work(seen)?]);
                }
                let against = source.against(features)?;
                let itself = against.self_similarity();
                let by_rows = Newcomers {
                    by: By::Rows(&against),
                    labels: newcomers.labels.or(Some(features.labels())),
                    self_similarity: newcomers.self_similarity.or(itself.as_deref()),
                    ..*newcomers
                };
                self.read_blocks(&by_rows, &against, hc3, run, work)
            }
            By::Doubles(m) if whole && need == Need::InCache => {
                let read = |block: &Block<'_, f64>| {
                    Border::of_doubles(self.diagram(), block, None, Run::on(1))
                };
                self.read_views(newcomers, m, read, run, work)
            }
            By::Singles(m) if whole && need == Need::InCache => {
                let read = |block: &Block<'_, f32>| {
                    Border::of_singles(self.diagram(), block, None, Run::on(1))
                };
                self.read_views(newcomers, m, read, run, work)
            }
            By::Doubles(m) if whole => {
                let read =
                    |block: &Block<'_, f64>| Border::of_doubles(self.diagram(), block, hc3, run);
                let seen = self.read_whole(newcomers, m, read, AtHand::Doubles, run)?;
                Ok(vec![work(seen)?])
            }
            By::Singles(m) if whole => {
                let read =
                    |block: &Block<'_, f32>| Border::of_singles(self.diagram(), block, hc3, run);
                let seen = self.read_whole(newcomers, m, read, AtHand::Singles, run)?;
                Ok(vec![work(seen)?])
            }
            By::Doubles(m) => self.read_blocks(newcomers, &m, hc3, run, work),
            By::Singles(m) => self.read_blocks(newcomers, &m, hc3, run, work),
            By::Rows(rows) => self.read_blocks(newcomers, rows, hc3, run, work),
        }
    }

    /// Reads proximities where they are in memory.
    fn read_whole<'a, T: Element>(
        &'a self,
        newcomers: &'a Newcomers<'a>,
        proximities: MatRef<'a, T>,
        border: impl Fn(&Block<'_, T>) -> Result<Border, Error>,
        at_hand: fn(Block<'a, T>) -> AtHand<'a>,
        run: Run<'a>,
    ) -> Result<Seen<'a>, Error> {
        let block = newcomers.block(0, proximities);
        let border = border(&block)?;
        Ok(self.seen(newcomers, 0, border, at_hand(block), run))
    }

    /// The same in blocks that stay in cache while something else is done with them. The border is the same bits.
    fn read_views<T: Element, R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        proximities: MatRef<'_, T>,
        border: impl Fn(&Block<'_, T>) -> Result<Border, Error> + Sync,
        run: Run<'_>,
        work: impl Fn(Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error>
    where
        for<'b> AtHand<'b>: From<Block<'b, T>>,
    {
        let (k, n) = (proximities.nrows(), proximities.ncols());
        let (step, alone) = (block_rows(k, n, run), Run::on(1));
        let blocks = run.map("reading newcomers", k.div_ceil(step), |b| {
            let first = b * step;
            let block = newcomers.block(first, proximities.subrows(first, step.min(k - first)));
            let border = border(&block)?;
            work(self.seen(newcomers, first, border, block.into(), alone))
        })?;
        blocks.into_iter().collect()
    }

    /// Makes blocks of rows, and reads each while it is there.
    fn read_blocks<R: Send>(
        &self,
        newcomers: &Newcomers<'_>,
        rows: &dyn Rows,
        hc3: Option<&Hc3>,
        run: Run<'_>,
        work: impl Fn(Seen<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let (k, n) = (rows.rows(), rows.columns());
        let step = block_rows(k, n, run);
        let alone = Run::on(1);
        let blocks = run.map("reading newcomers", k.div_ceil(step), |b| {
            let range = b * step..((b + 1) * step).min(k);
            let (first, count) = (range.start, range.len());
            let mut values = vec![0.0; count * n];
            rows.fill(range, &mut values)?;
            let proximities = MatRef::from_row_major_slice(&values, count, n);
            let block = newcomers.block(first, proximities);
            let (way, diagram) = (&self.parts().way, self.diagram());
            let Some(arrived) = way.arrive(&block, self.references(), diagram.count())? else {
                let border = self.border_of(&block, hc3, alone)?;
                return work(self.seen(newcomers, first, border, AtHand::Doubles(block), alone));
            };
            let own = arrived.block(&block);
            let mut border = Border::of_doubles(diagram, &own, hc3, alone)?;
            border.degrees = arrived.degrees();
            border.beyond = arrived.kept.beyond.clone();
            work(Seen {
                kept: arrived.kept.clone(),
                given: Some(block),
                ..self.seen(newcomers, first, border, AtHand::Doubles(own), alone)
            })
        })?;
        blocks.into_iter().collect()
    }

    /// The border of a block whose way is straight, with that to the founders if the map has grown.
    fn border_of(
        &self,
        block: &Block<'_>,
        hc3: Option<&Hc3>,
        run: Run<'_>,
    ) -> Result<Border, Error> {
        let mut border = Border::of_doubles(self.diagram(), block, hc3, run)?;
        let founders = self.founding();
        if self.diagram().count() > founders.count() {
            let own = block.first_columns(founders.count());
            border.founding = Some(Box::new(Border::of_part(founders, &own, run)?));
        }
        Ok(border)
    }

    fn seen<'a>(
        &'a self,
        newcomers: &'a Newcomers<'a>,
        first: usize,
        border: Border,
        at_hand: AtHand<'a>,
        run: Run<'a>,
    ) -> Seen<'a> {
        Seen {
            map: self,
            newcomers,
            first,
            border,
            at_hand,
            given: None,
            kept: Kept::default(),
            run,
        }
    }

    pub(crate) fn require_source(&self) -> Result<&Measured, Error> {
        self.source().ok_or_else(|| Error::NotOffered {
            about: About::Objects,
            what: "placing by features",
            why:
                "found a map of proximities whose objects have no features, expected newcomers as \
                  proximities"
                    .into(),
        })
    }
}

/// Rows of a block: as many as fit, but enough blocks for all threads.
fn block_rows(k: usize, n: usize, run: Run<'_>) -> usize {
    let fit = BLOCK_BYTES / (8 * n.max(1));
    let share = k.div_ceil(run.count());
    fit.min(share).max(1).next_multiple_of(BLOCK_STEP)
}
