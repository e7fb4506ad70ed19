//! The way onto a map: how a newcomer's proximities to the references become proximities to the diagram's objects.
//!
//! Every method of this crate but one is classical scaling of some proximities, and a newcomer takes the same way as the old
//! objects did. On most maps that way is straight, its proximities being what the diagram compares. The others keep what
//! newcomers need: loadings, a graph, the degrees of a normalised kernel, or a link. This is the only dispatch on methods when
//! placing; the methods themselves ([`crate::method`]) are not known here.

pub mod attached;
pub mod components;
pub mod linked;
pub mod normalised;

use faer::{Mat, MatRef};

use self::attached::{Attached, Isomap};
use self::components::Pca;
use self::linked::Linked;
use self::normalised::{Laplacian, Side};
use crate::error::{About, Error, Object};
use crate::graph;
use crate::input::block::Block;

/// The way, with what is kept for it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Way {
    /// Proximities as they are.
    Straight,
    /// By principal components, if newcomers come as features; otherwise straight.
    Components(Pca),
    /// Through a graph of neighbours.
    Graph(Isomap),
    /// Through a normalised kernel.
    Normalised(Laplacian),
    /// By a link, from dissimilarities to the distances that the map shows.
    Linked(Linked),
}

/// Newcomers of a block on their way to the diagram.
pub(crate) struct Arrived {
    /// Their proximities to the diagram's objects, row by row.
    rows: Vec<f64>,
    columns: usize,
    /// How far to trust the diagram's objects, if they are not all of the references.
    weights: Option<Vec<f64>>,
    /// What else is known of them, to place them jointly.
    pub kept: Kept,
}

/// What is known of newcomers beside their rows, for what is between them.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    /// Their similarities to themselves, if those are made on the way.
    pub itself: Vec<f64>,
    pub sides: Vec<Side>,
    pub attached: Vec<Attached>,
    /// How many of their dissimilarities are far outside those of the old objects, if there is a link.
    pub beyond: Vec<usize>,
}

impl Kept {
    pub(crate) fn append(&mut self, other: Kept) {
        self.itself.extend(other.itself);
        self.sides.extend(other.sides);
        self.attached.extend(other.attached);
        self.beyond.extend(other.beyond);
    }
}

impl Way {
    /// Whether newcomers' proximities are those to the diagram's own objects, as they are.
    pub(crate) fn is_straight(&self) -> bool {
        matches!(self, Way::Straight | Way::Components(_))
    }

    /// Errs unless what is kept fits `objects` objects, of which the diagram has `count` on `d` axes.
    pub(crate) fn check(&self, objects: usize, count: usize, d: usize) -> Result<(), Error> {
        match self {
            Way::Straight => Ok(()),
            Way::Components(pca) => pca.check(d),
            Way::Graph(isomap) => isomap.check(objects, count),
            Way::Normalised(laplacian) => laplacian.check(count),
            Way::Linked(linked) => linked.check(count, d),
        }
    }

    /// Turns the proximities of a block of newcomers to the `references` into proximities to the diagram's `count`
    /// objects; nothing where the way is straight.
    pub(crate) fn arrive(
        &self,
        block: &Block<'_>,
        references: &[String],
        count: usize,
    ) -> Result<Option<Arrived>, Error> {
        if self.is_straight() {
            return Ok(None);
        }
        let (k, n) = (block.count(), references.len());
        block.check(references, n)?;
        let mut arrived = Arrived {
            rows: vec![0.0; k * count],
            columns: count,
            weights: None,
            kept: Kept::default(),
        };
        match (self, block.weights) {
            (Way::Graph(isomap), Some(weights)) => {
                let own = isomap.sources.iter().map(|&i| weights[i]);
                arrived.weights = Some(own.collect());
            }
            (Way::Linked(linked), None) => arrived.weights = linked.weights.clone(),
            _ => {}
        }
        let mut row = vec![0.0; n];
        for (i, out) in arrived.rows.chunks_exact_mut(count).enumerate() {
            for (v, entry) in row.iter_mut().zip(block.proximities.row(i).iter()) {
                *v = *entry;
            }
            let entry = |j: usize, expected: &'static str| Error::Entry {
                row: block.object(i),
                column: Object {
                    index: j,
                    label: references[j].clone(),
                },
                found: block.proximities[(i, j)],
                expected,
            };
            match self {
                Way::Straight | Way::Components(_) => {}
                Way::Graph(isomap) => {
                    graph::lengths(isomap.kind, &mut row, block.missing)
                        .map_err(|j| entry(j, isomap.kind.expected()))?;
                    arrived.kept.attached.push(isomap.attach(&mut row, out));
                }
                Way::Normalised(laplacian) => {
                    laplacian
                        .admit(&mut row, block.missing)
                        .map_err(|j| entry(j, laplacian.expected()))?;
                    let side = laplacian.normalise(&mut row);
                    out.copy_from_slice(&row);
                    let given = block.self_similarity.map_or(f64::NAN, |s| s[i]);
                    let itself = laplacian.self_similarity(&side, given);
                    arrived.kept.itself.push(itself);
                    arrived.kept.sides.push(side);
                }
                Way::Linked(linked) => {
                    graph::lengths(linked.kind, &mut row, block.missing)
                        .map_err(|j| entry(j, linked.kind.expected()))?;
                    arrived.kept.beyond.push(linked.beyond(&row));
                    for (out, delta) in out.iter_mut().zip(&row) {
                        *out = linked.link.at(*delta);
                    }
                }
            }
        }
        Ok(Some(arrived))
    }

    /// What is between newcomers as the diagram compares them, from their proximities to each other where those are
    /// known.
    pub(crate) fn between(
        &self,
        kept: &Kept,
        between: Option<MatRef<'_, f64>>,
    ) -> Result<Mat<f64>, Error> {
        match (self, between) {
            (Way::Graph(isomap), between) => Ok(isomap.between(&kept.attached, between)),
            (Way::Normalised(l), Some(between)) => Ok(l.between(&kept.sides, between)),
            (_, Some(between)) => Ok(between.to_owned()),
            (_, None) => Err(Error::NotOffered {
                about: About::Between,
                what: "placing together",
                why: "found nothing between the newcomers, expected their proximities to each \
                      other"
                    .into(),
            }),
        }
    }
}

impl Arrived {
    /// The newcomers of the block as the diagram sees them.
    pub(crate) fn block<'a>(&'a self, block: &Block<'a>) -> Block<'a> {
        Block {
            proximities: MatRef::from_row_major_slice(&self.rows, block.count(), self.columns),
            // A newcomer that could not be attached lacks all its proximities.
            missing: true,
            weights: self.weights.as_deref().or(block.weights),
            self_similarity: if self.kept.itself.is_empty() {
                block.self_similarity
            } else {
                Some(&self.kept.itself)
            },
            ..*block
        }
    }

    /// The newcomers' degrees, if they have any.
    pub(crate) fn degrees(&self) -> Vec<f64> {
        self.kept.sides.iter().map(|s| s.degree).collect()
    }
}
