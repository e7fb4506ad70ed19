//! How certain is a place if other old objects had made the map? A block jackknife of refits.
//!
//! The old objects are dealt into g = 20 blocks (n, if they are fewer). Without each block the map is fitted anew from their proximities,
//! the newcomers are placed on it by the same strategy, and it is turned onto X by Procrustes. With y_(b) where a newcomer is then, and ȳ their mean,
//!
//! ```text
//! Σ = (g − 1)/g Σ_b (y_(b) − ȳ)(y_(b) − ȳ)'        region: d(g − 1)/(g − d)·F(d, g − d)
//! ```
//!
//! Unlike [`super::uncertainty`] this includes that axes are uncertain, which is most of it where c_{d+1} is near c_d. All newcomers share the g fits,
//! and each is read once, while its numbers are at hand.
//!
//! # References
//! Shao and Tu (1995), The Jackknife and Bootstrap, §2.3.

#![allow(non_snake_case)]

use faer::{Mat, MatRef};

use super::uncertainty::{form, sides};
use crate::border::Border;
use crate::error::{About, Error, Object};
use crate::fit::correction::{fit_cailliez, fit_lingoes};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::input::block::Block;
use crate::input::kind::{Correction, Element};
use crate::input::proximities::Proximities;
use crate::place::alone::{AtHand, PlaceSettings, place_border};
use crate::place::procrustes::{Motion, rotation};
use crate::random::Stream;
use crate::run::Run;
use crate::strategy::placements::Placements;

/// g.
const BLOCKS: usize = 20;

/// Who is in which block is dealt by this seed: the same for everybody.
const SEED: u64 = 20;

/// Newcomers whose numbers are copied at a time.
const TOGETHER: usize = 64;

/// The map without each block of its objects.
pub(crate) struct Refits {
    each: Vec<Refit>,
}

struct Refit {
    /// The objects that stayed.
    kept: Vec<usize>,
    diagram: Diagram,
    /// From its coordinates to those of the whole diagram.
    motion: Motion,
}

/// What some newcomers are to each of the refitted diagrams, and where they are on them.
pub(crate) type Again = Vec<(Border, Option<Placements>)>;

impl Refits {
    /// Fits the map of `diagram` anew without each block; `old` are its objects' proximities, in its order.
    pub(crate) fn new(
        diagram: &Diagram,
        old: MatRef<'_, f64>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        offered(diagram)?;
        let blocks = dealt(diagram.count());
        let g = blocks.iter().max().map_or(0, |b| b + 1);
        let mut each = Vec::with_capacity(g);
        for block in 0..g {
            let kept: Vec<usize> = (0..blocks.len()).filter(|&i| blocks[i] != block).collect();
            each.push(Refit::new(diagram, old, kept, run)?);
        }
        Ok(Self { each })
    }

    /// Reads newcomers that are at hand for every refit, and places them by `settings`, if that is wanted now.
    pub(crate) fn seen(
        &self,
        at_hand: &AtHand<'_>,
        settings: Option<&PlaceSettings>,
        run: Run<'_>,
    ) -> Result<Again, Error> {
        match at_hand {
            AtHand::Doubles(block) => self.blocks(block, settings, run),
            AtHand::Singles(block) => self.blocks(block, settings, run),
            AtHand::Nothing => Ok(Vec::new()),
        }
    }

    fn blocks<T: Element>(
        &self,
        block: &Block<'_, T>,
        settings: Option<&PlaceSettings>,
        run: Run<'_>,
    ) -> Result<Again, Error> {
        let k = block.count();
        let parts = run.untold().map("", k.div_ceil(TOGETHER), |part| {
            let first = part * TOGETHER;
            let count = TOGETHER.min(k - first);
            let of = |refit: &Refit| refit.seen(block, (first, count), settings);
            self.each.iter().map(of).collect::<Result<Again, Error>>()
        })?;
        let mut all = Again::new();
        for part in parts {
            append(&mut all, part?);
        }
        Ok(all)
    }

    /// Says of each placement how certain it is, on the whole diagram, before its finish; of what became of all newcomers on each refit.
    pub(crate) fn judge(
        &self,
        diagram: &Diagram,
        border: &Border,
        again: &Again,
        placements: &mut Placements,
    ) {
        let (k, d) = (placements.count(), placements.dimensions);
        placements.blocks = Some(self.each.len());
        let refits = || self.each.iter().zip(again);
        let places = (0..k).flat_map(|i| {
            let on = |(refit, (_, placed)): (&Refit, &(Border, Option<Placements>))| match placed {
                Some(placed) if i < placed.count() => refit.onto(placed.point(i)),
                _ => vec![f64::NAN; d],
            };
            spread(refits().map(on).collect())
        });
        placements.covariance = places.collect();
        sides(diagram, border, placements, |i, axis| {
            let on = |(refit, (border, _)): (&Refit, &(Border, Option<Placements>))| {
                refit.onto(border.projection(i))
            };
            Some(form(&spread(refits().map(on).collect()), d, axis))
        });
    }

    /// The border of all newcomers to each refitted diagram, with that diagram, to place them together on it.
    pub(crate) fn together(
        &self,
        again: &mut Again,
        mut place: impl FnMut(&Diagram, &Border) -> Result<Placements, Error>,
    ) -> Result<(), Error> {
        for (refit, (border, placed)) in self.each.iter().zip(again) {
            *placed = Some(place(&refit.diagram, border)?);
        }
        Ok(())
    }
}

/// Takes in further newcomers.
pub(crate) fn append(all: &mut Again, more: Again) {
    if all.is_empty() {
        *all = more;
        return;
    }
    for ((border, placed), (more_border, more_placed)) in all.iter_mut().zip(more) {
        let d = border.dimensions;
        let before = std::mem::replace(border, Border::gathered(d, Vec::new()));
        *border = Border::gathered(d, vec![before, more_border]);
        if let (Some(placed), Some(more)) = (placed, more_placed) {
            placed.append(more);
        }
    }
}

/// Errs unless the diagram can be fitted anew.
fn offered(diagram: &Diagram) -> Result<(), Error> {
    let why = if diagram.parts().given {
        "found a map whose coordinates were given, expected one that was fitted"
    } else if diagram.centring().weights.is_some() {
        "found a map whose origin is not the centroid of its objects, expected one whose origin is"
    } else {
        return Ok(());
    };
    Err(Error::NotOffered {
        about: About::Uncertainty,
        what: "uncertainty by refits",
        why: why.into(),
    })
}

/// The block of each of n objects, dealt after shuffling: old objects may come in any order.
fn dealt(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut rng = Stream::new(SEED);
    for i in (1..n).rev() {
        order.swap(i, (rng.bits() % (i as u64 + 1)) as usize);
    }
    let mut blocks = vec![0; n];
    for (at, &i) in order.iter().enumerate() {
        blocks[i] = at % BLOCKS;
    }
    blocks
}

/// (g − 1)/g Σ_b (y_b − ȳ)(y_b − ȳ)', row by row.
fn spread(points: Vec<Vec<f64>>) -> Vec<f64> {
    let g = points.len() as f64;
    let d = points.first().map_or(0, Vec::len);
    let mean: Vec<f64> = (0..d)
        .map(|a| points.iter().map(|y| y[a]).sum::<f64>() / g)
        .collect();
    let mut sigma = vec![0.0; d * d];
    for a in 0..d {
        for b in 0..d {
            let terms = points.iter().map(|y| (y[a] - mean[a]) * (y[b] - mean[b]));
            sigma[a * d + b] = (g - 1.0) / g * terms.sum::<f64>();
        }
    }
    sigma
}

impl Refit {
    fn new(
        whole: &Diagram,
        old: MatRef<'_, f64>,
        kept: Vec<usize>,
        run: Run<'_>,
    ) -> Result<Self, Error> {
        let n = kept.len();
        let square = Mat::from_fn(n, n, |i, j| old[(kept[i], kept[j])]);
        let quiet = run.untold();
        let proximities = Proximities::new(square.as_ref(), whole.kind(), None, quiet)?;
        let correction = match whole.parts().correction {
            Correction::None => Correction::None,
            Correction::Lingoes(_) => fit_lingoes(&proximities, run.threads),
            Correction::Cailliez(_) => fit_cailliez(&proximities, run.threads)?,
        };
        let settings = DiagramSettings {
            dimensions: whole.dimensions(),
            correction,
            ..Default::default()
        };
        let diagram = Diagram::fit(&proximities, &settings, run).map_err(|error| match error {
            Error::Dimensions { asked, available } => Error::NotOffered {
                about: About::Uncertainty,
                what: "uncertainty by refits",
                why: format!(
                    "found a map that has {available} axes without {} of its objects, expected {asked}: fit fewer axes",
                    whole.count() - n
                ),
            },
            other => other,
        })?;
        let X = whole.configuration();
        let to = Mat::from_fn(n, X.ncols(), |i, j| X[(kept[i], j)]);
        let motion = rotation(diagram.configuration(), to.as_ref(), true);
        Ok(Self {
            kept,
            diagram,
            motion,
        })
    }

    /// Some newcomers of a block, by their proximities to those that stayed.
    fn seen<T: Element>(
        &self,
        block: &Block<'_, T>,
        (first, count): (usize, usize),
        settings: Option<&PlaceSettings>,
    ) -> Result<(Border, Option<Placements>), Error> {
        let n = self.kept.len();
        let mut values = Vec::with_capacity(count * n);
        for i in first..first + count {
            let row = block.proximities.row(i);
            values.extend(self.kept.iter().map(|&j| row[j].to_f64()));
        }
        let weights: Option<Vec<f64>> =
            (block.weights).map(|w| self.kept.iter().map(|&j| w[j]).collect());
        let own = Block {
            proximities: MatRef::from_row_major_slice(&values, count, n),
            labels: block.labels.map(|l| &l[first..first + count]),
            self_similarity: block.self_similarity.map(|s| &s[first..first + count]),
            weights: weights.as_deref(),
            missing: true,
            first: block.first + first,
        };
        let alone = Run::on(1);
        let border = Border::of_part(&self.diagram, &own, alone)?;
        let place = |settings: &PlaceSettings| {
            let object = |i: usize| -> Object { own.object(i) };
            let at_hand = AtHand::Doubles(own);
            place_border(&self.diagram, &border, &at_hand, object, settings, alone)
        };
        let placed = settings.map(place).transpose()?;
        Ok((border, placed))
    }

    /// A point of its own on the whole diagram.
    fn onto(&self, y: &[f64]) -> Vec<f64> {
        let Motion { rotation, shift } = &self.motion;
        let at = |a: usize| {
            let turned = y.iter().enumerate();
            shift[a] + turned.map(|(j, y)| rotation[(j, a)] * y).sum::<f64>()
        };
        (0..y.len()).map(at).collect()
    }
}
