//! Isomap: classical scaling of geodesics, and newcomers attached through their neighbours.
//!
//! Objects are linked to their neighbours ([`crate::graph`]), the shortest paths through the graph take the place of
//! the dissimilarities ([`crate::graph::geodesic`]), and classical scaling does the rest. A newcomer η is linked to its own
//! neighbours among the old objects, and
//!
//! ```text
//! geo(η, ξ) = min over neighbours ζ of η:  δ(η, ζ) + geo(ζ, ξ)
//! ```
//!
//! is one run of Dijkstra's algorithm that starts at the neighbours: the map keeps the sparse graph, not the n × n
//! geodesics. The geodesics are a newcomer's dissimilarities like any others, hence every strategy (Bengio et al.
//! show that projecting them is the out-of-sample extension of Isomap). A newcomer without neighbours within the
//! radius has no dissimilarities and gets the status `too_few`.
//!
//! Two newcomers are as far apart as the shortest path through the old objects, or as the link between them if
//! either lies within the other's neighbourhood: then they would be linked if they were old.
//!
//! Landmark Isomap computes geodesics from L landmarks only, embeds those and projects the rest.
//!
//! # References
//! Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality reduction,
//! Science 290:2319–2323. Bengio, Paiement, Vincent, Delalleau, Le Roux and Ouimet (2003), Out-of-sample extensions
//! for LLE, Isomap, MDS, Eigenmaps, and spectral clustering, NIPS 16. de Silva and Tenenbaum (2003), Global versus
//! local methods in nonlinear dimensionality reduction, NIPS 15.

use faer::{Mat, MatRef};

use crate::error::{About, Error};
use crate::fit::diagram::{Diagram, DiagramSettings};
use crate::graph::geodesic::Geodesics;
use crate::graph::{self, Graph};
use crate::input::kind::Kind;
use crate::input::proximities::Proximities;
use crate::input::rows::{self, Rows};
use crate::labels::checked_labels;
use crate::map::way::Way;
use crate::map::way::attached::Isomap;
use crate::map::{Map, Method, Parts};
use crate::method::landmark;
use crate::method::settings::{FitSettings, Fitted};
use crate::run::Run;

/// Links the objects, measures geodesics, and embeds them on `d` axes. `square` makes the n × n dissimilarities, a row
/// at a time.
pub(crate) fn fit(
    square: &dyn Rows,
    kind: Kind,
    labels: Option<Vec<String>>,
    d: usize,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    graph::require_dissimilarities(kind)?;
    let n = square.rows();
    let labels = checked_labels(labels, n)?;
    let most = n.saturating_sub(1);
    let neighbourhood = settings.neighbourhood.ok_or_else(|| Error::Together {
        about: About::Neighbours,
        why: "found no neighbourhood, expected a number of neighbours or a radius".into(),
    })?;
    neighbourhood.check(n, 1, most)?;
    let links = graph::neighbours(square, kind, &labels, neighbourhood, run)?;
    let disconnected = settings.disconnected;
    let whole = graph::whole(links, square, kind, &labels, disconnected, run)?;
    let labels = match &whole.kept {
        Some(kept) => kept.iter().map(|&i| labels[i].clone()).collect(),
        None => labels,
    };
    let graph = Graph::new(&whole.neighbours);
    let all: Vec<usize> = (0..graph.count()).collect();
    let everywhere = Geodesics {
        graph: &graph,
        sources: &all,
    };
    let sources = match &settings.landmarks {
        Some(landmarks) => landmarks.choose(&everywhere, Kind::Dissimilarity, None, run)?,
        None => all.clone(),
    };
    let from_sources = Geodesics {
        graph: &graph,
        sources: &sources,
    };

    // The geodesics between sources, the same both ways to the last bit.
    let (count, columns) = (graph.count(), sources.len());
    let mut own = Mat::zeros(columns, columns);
    let mut table = Vec::new();
    let blocks = rows::blocks(&from_sources, run, "geodesics", |first, block| {
        let rows = block.chunks_exact(count).enumerate();
        let own: Vec<Vec<f64>> = rows
            .map(|(i, row)| sources[..=first + i].iter().map(|&j| row[j]).collect())
            .collect();
        let whole = settings.landmarks.is_some().then(|| block.to_vec());
        Ok((own, whole))
    })?;
    let mut i = 0;
    for (rows, whole) in blocks {
        for row in rows {
            for (j, v) in row.into_iter().enumerate() {
                own[(i, j)] = v;
                own[(j, i)] = v;
            }
            i += 1;
        }
        table.extend(whole.into_iter().flatten());
    }

    let names = sources.iter().map(|&i| labels[i].clone()).collect();
    let proximities = Proximities::new(own.as_ref(), Kind::Dissimilarity, Some(names), run)?;
    let options = DiagramSettings {
        dimensions: d,
        solver: settings.solver,
        tolerance: settings.tolerance,
        ..Default::default()
    };
    let diagram = Diagram::fit(&proximities, &options, run)?;
    drop(proximities);
    drop(own);
    let parts = Parts {
        method: Method::Isomap,
        way: Way::Graph(Isomap {
            kind,
            neighbourhood,
            graph,
            sources: sources.clone(),
        }),
        ..Parts::straight(diagram)
    };
    let map = if settings.landmarks.is_some() {
        let rectangle = MatRef::from_column_major_slice(&table, count, columns);
        landmark::finish(parts, &rectangle, labels, sources, settings, run)?
    } else {
        Map::from_parts(parts)?
    };
    Ok(Fitted {
        kept: whole.kept,
        findings: whole.finding.iter().cloned().collect(),
        pieces: whole.finding,
        map,
    })
}
