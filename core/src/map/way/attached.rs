//! The way through a graph: newcomers attached to their neighbours, and geodesics from there
//! ([`crate::method::isomap`] has the formulas).

use faer::{Mat, MatRef};

use crate::error::Error;
use crate::graph::geodesic;
use crate::graph::{self, Graph, Neighbourhood};
use crate::input::kind::Kind;

/// What the map keeps to attach newcomers.
#[derive(Debug, Clone, PartialEq)]
pub struct Isomap {
    /// What the dissimilarities to the old objects are: plain or squared.
    pub kind: Kind,
    /// Who is linked to whom.
    pub neighbourhood: Neighbourhood,
    /// The links between the old objects.
    pub graph: Graph,
    /// The old objects that the diagram consists of: all, or the landmarks.
    pub sources: Vec<usize>,
}

/// One newcomer, attached.
#[derive(Debug, Clone)]
pub(crate) struct Attached {
    /// Its neighbours among the old objects and how far they are.
    links: Vec<(usize, f64)>,
    reach: f64,
}

impl Isomap {
    /// Attaches a newcomer by its lengths to all old objects and writes its geodesics to the sources, NaN if it
    /// has no neighbours. `lengths` is used up.
    pub(crate) fn attach(&self, lengths: &mut [f64], out: &mut [f64]) -> Attached {
        let links = self.neighbourhood.of(lengths, None);
        let attached = Attached {
            reach: self.neighbourhood.reach(&links),
            links: links.into_iter().map(|(j, l)| (j as usize, l)).collect(),
        };
        self.geodesics(&attached, lengths);
        for (out, &j) in out.iter_mut().zip(&self.sources) {
            *out = if lengths[j].is_finite() {
                lengths[j]
            } else {
                f64::NAN
            };
        }
        attached
    }

    fn geodesics(&self, attached: &Attached, out: &mut [f64]) {
        geodesic::shortest(&self.graph, attached.links.iter().copied(), out);
    }

    /// Geodesics between newcomers, k × k; `between` are the dissimilarities between them where they are known.
    pub(crate) fn between(
        &self,
        newcomers: &[Attached],
        between: Option<MatRef<'_, f64>>,
    ) -> Mat<f64> {
        let k = newcomers.len();
        let mut all = Mat::zeros(k, k);
        let mut row = vec![0.0; self.graph.count()];
        for i in 0..k {
            self.geodesics(&newcomers[i], &mut row);
            for j in 0..i {
                let ways = newcomers[j]
                    .links
                    .iter()
                    .map(|&(l, length)| row[l] + length);
                let mut shortest = ways.fold(f64::INFINITY, f64::min);
                let reach = newcomers[i].reach.max(newcomers[j].reach);
                let direct = between.map_or(f64::NAN, |b| match self.kind {
                    Kind::Squared => b[(i, j)].sqrt(),
                    _ => b[(i, j)],
                });
                if direct <= reach {
                    shortest = shortest.min(direct);
                }
                let length = if shortest.is_finite() {
                    shortest
                } else {
                    f64::NAN
                };
                all[(i, j)] = length;
                all[(j, i)] = length;
            }
        }
        all
    }

    /// Errs unless the parts fit together.
    pub(crate) fn check(&self, objects: usize, diagram: usize) -> Result<(), Error> {
        self.graph.check(objects)?;
        graph::require_dissimilarities(self.kind)?;
        let inside = self.sources.iter().all(|&s| s < objects);
        if !inside || self.sources.len() != diagram {
            return Err(Error::Inconsistent(
                "found sources of geodesics that are not the diagram's objects, expected them to be"
                    .into(),
            ));
        }
        Ok(())
    }
}
