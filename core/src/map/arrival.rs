//! From newcomers' proximities to the references to their proximities to the diagram's objects.

use faer::MatRef;

use super::{Bordered, Method, Model};
use crate::border::Border;
use crate::error::{Error, Object};
use crate::input::block::Block;
use crate::map::streaming::Streamed;
use crate::method::isomap::Attached;
use crate::method::laplacian::Side;
use crate::run::Watch;

/// Block on their way to the diagram.
#[derive(Default)]
pub(super) struct Arrived {
    /// Their proximities to the diagram's objects, row by row, and how many those are; none if they are what the
    /// newcomers came with.
    rows: Option<(Vec<f64>, usize)>,
    /// How far to trust the diagram's objects, if they are not all of the references.
    weights: Option<Vec<f64>>,
    /// Their similarities to themselves, if those are made here.
    itself: Vec<f64>,
    pub(super) sides: Vec<Side>,
    pub(super) attached: Vec<Attached>,
}

impl Arrived {
    /// The newcomers' degrees, if they have any.
    pub(super) fn degrees(&self) -> Vec<f64> {
        self.sides.iter().map(|s| s.degree).collect()
    }

    pub(super) fn bordered(&self, border: Border) -> Bordered {
        Bordered {
            border,
            degrees: self.degrees(),
        }
    }

    /// The newcomers of a block, as the diagram sees them.
    pub(super) fn newcomers<'a>(&'a self, block: &Block<'a>) -> Block<'a> {
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
    pub(super) fn streamed<'a>(&'a self, all: &Streamed<'a>) -> Block<'a> {
        self.newcomers(&Block {
            proximities: MatRef::from_row_major_slice(&[], all.rows.rows(), 0),
            labels: all.labels,
            self_similarity: all.self_similarity,
            weights: all.weights,
            missing: all.missing,
        })
    }
}

impl Model {
    /// Turns newcomers' proximities to the references into proximities to the diagram's objects.
    pub(super) fn arrive(&self, block: &Block<'_>) -> Result<Arrived, Error> {
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

    /// Hands newcomers to `work` as the diagram sees them: with their proximities to its objects, in memory.
    ///
    /// # Errors
    /// If the proximities are not what they may be, or as `work` does.
    pub fn seen_by_diagram<R>(
        &self,
        newcomers: &Streamed<'_>,
        threads: usize,
        watch: Option<Watch<'_>>,
        work: impl FnOnce(&Block<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let arrived = self.arrive_all(newcomers, threads, watch)?;
        work(&arrived.streamed(newcomers))
    }

    /// The same for all newcomers at once, with their rows in memory whatever the method.
    pub(super) fn arrive_all(
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
