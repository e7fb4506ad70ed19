//! Block whose proximities are made when they are needed: blocks of rows in, placements out.
//!
//! The counterpart of [`place`](fn@place) for [`Rows`]: a block of newcomers is made, used and
//! forgotten, so that the k × n proximities never exist together. As a newcomer's border is the same bits in any
//! batch (of the same layout in memory), so is everything here.

use std::ops::Range;

use faer::MatRef;

use crate::border::Border;
use crate::error::Error;
use crate::fit::diagram::Diagram;
use crate::input::block::Block;
use crate::input::rows::Rows;
use crate::place::alone::{Settings, offered, place};
use crate::run::{self, Watch};
use crate::strategy::placements::Placements;

/// Bytes of proximities that one thread has at a time: what the outer cache holds.
const BLOCK_BYTES: usize = 2 << 20;

/// The rows of a block are a multiple of this, which the inner loops take at once.
const BLOCK_STEP: usize = 8;

/// Block by rows of proximities to the old objects, with what comes beside them.
#[derive(Clone, Copy)]
pub struct Streamed<'a> {
    /// k × n proximities.
    pub rows: &'a dyn Rows,
    /// Their labels, for messages; `new1 … newk` if there are none.
    pub labels: Option<&'a [String]>,
    /// Similarities only: each newcomer's similarity to itself, NaN where it is not known.
    pub self_similarity: Option<&'a [f64]>,
    /// How far to trust each old object; all alike if there are none.
    pub weights: Option<&'a [f64]>,
    /// Whether NaN means a missing proximity; otherwise it is an error.
    pub missing: bool,
}

impl<'a> Streamed<'a> {
    /// Block without labels, weights, self-similarities or missing entries.
    pub fn new(rows: &'a dyn Rows) -> Self {
        Self {
            rows,
            labels: None,
            self_similarity: None,
            weights: None,
            missing: false,
        }
    }

    /// Checks the lengths of what comes beside the rows.
    fn check(&self) -> Result<(), Error> {
        let k = self.rows.rows();
        for (what, found) in [
            ("labels of newcomers", self.labels.map(<[_]>::len)),
            ("self-similarities", self.self_similarity.map(<[_]>::len)),
        ] {
            if let Some(found) = found.filter(|&f| f != k) {
                return Err(Error::Length {
                    what,
                    found,
                    expected: k,
                });
            }
        }
        Ok(())
    }

    /// Runs `work` on blocks of newcomers, several at once on `threads` threads, and returns its answers in
    /// order. The first newcomer that is at fault decides the error.
    pub fn each_block<R: Send>(
        &self,
        threads: usize,
        watch: Option<(&'static str, Watch<'_>)>,
        work: impl Fn(Range<usize>, &Block<'_>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        self.check()?;
        let (k, n) = (self.rows.rows(), self.rows.columns());
        let step = block_rows(k, n, threads);
        let blocks = run::map(threads, k.div_ceil(step), watch, |b| {
            let range = b * step..((b + 1) * step).min(k);
            let count = range.len();
            let mut values = vec![0.0; count * n];
            self.rows.fill(range.clone(), &mut values)?;
            let numbered;
            let labels = match self.labels {
                Some(labels) => &labels[range.clone()],
                None => {
                    numbered = range.clone().map(|i| format!("new{}", i + 1));
                    &numbered.collect::<Vec<_>>()[..]
                }
            };
            let newcomers = Block {
                proximities: MatRef::from_row_major_slice(&values, count, n),
                labels: Some(labels),
                self_similarity: self.self_similarity.map(|s| &s[range.clone()]),
                weights: self.weights,
                missing: self.missing,
            };
            work(range.clone(), &newcomers).map_err(|e| e.in_block(range.start))
        })?;
        blocks.into_iter().collect()
    }
}

/// Rows of a block: as many as fit, but enough blocks for all threads.
fn block_rows(k: usize, n: usize, threads: usize) -> usize {
    let fit = BLOCK_BYTES / (8 * n.max(1));
    let share = k.div_ceil(run::threads_meant(threads));
    fit.min(share).max(1).next_multiple_of(BLOCK_STEP)
}

/// Places newcomers block by block, by the strategy of the settings, each by itself.
pub fn place_rows(
    diagram: &Diagram,
    newcomers: &Streamed<'_>,
    settings: &Settings<'_>,
) -> Result<Placements, Error> {
    offered(diagram, settings.strategy)?;
    let watch = settings.watch.map(|w| ("placing newcomers", w));
    let blocks = newcomers.each_block(settings.threads, watch, |_, block| {
        let alone = Settings {
            threads: 1,
            watch: None,
            ..*settings
        };
        place(diagram, block, &alone)
    })?;
    let mut all = Placements::empty(settings.strategy, 0, diagram.dimensions());
    blocks.into_iter().for_each(|block| all.append(block));
    Ok(all)
}

impl Border {
    /// Reads newcomers block by block. `threads` = 0 means all cores.
    pub fn of_rows(
        diagram: &Diagram,
        newcomers: &Streamed<'_>,
        threads: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let watch = watch.map(|w| ("reading newcomers", w));
        let blocks = newcomers.each_block(threads, watch, |_, block| {
            Border::new(diagram, block, 1, None)
        })?;
        let mut all = Border {
            dimensions: diagram.dimensions(),
            projections: Vec::new(),
            beta: Vec::new(),
            b_norm_squared: Vec::new(),
            outside: Vec::new(),
            observed: Vec::new(),
        };
        for block in blocks {
            all.projections.extend(block.projections);
            all.beta.extend(block.beta);
            all.b_norm_squared.extend(block.b_norm_squared);
            all.outside.extend(block.outside);
            all.observed.extend(block.observed);
        }
        Ok(all)
    }
}
