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

use crate::error::Error;
use crate::fit::diagram::{Diagram, FitSettings};
use crate::graph::geodesic::{self, Geodesics};
use crate::graph::{self, Disconnected, Graph, Neighbourhood};
use crate::input::proximities::{Kind, Proximities, checked_labels};
use crate::input::rows::{self, Rows};
use crate::map::streaming::Streamed;
use crate::map::{Finish, Method, Model, Parts};
use crate::measure::Measured;
use crate::method::landmark::{self, Landmarks};

/// How the graph is made, and what is embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Who is linked to whom.
    pub neighbourhood: Neighbourhood,
    /// What to do if the graph falls apart.
    pub disconnected: Disconnected,
    /// Embed these only and project the rest; all if there are none.
    pub landmarks: Option<Landmarks>,
    /// Options with landmarks.
    pub landmark: landmark::Settings,
}

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

/// Links the objects, measures geodesics, and embeds them. `square` makes the n × n dissimilarities, a row at a
/// time.
pub fn fit(
    square: &dyn Rows,
    kind: Kind,
    labels: Option<Vec<String>>,
    settings: &Settings,
    fit: &FitSettings<'_>,
) -> Result<Fitted, Error> {
    graph::require_dissimilarities(kind)?;
    let n = square.rows();
    let labels = checked_labels(labels, n)?;
    let most = n.saturating_sub(1);
    settings.neighbourhood.check(n, 1, most)?;
    let (threads, watch) = (fit.threads, fit.watch);
    let links = graph::neighbours(
        square,
        kind,
        &labels,
        settings.neighbourhood,
        threads,
        watch,
    )?;
    let disconnected = settings.disconnected;
    let whole = graph::whole(links, square, kind, &labels, disconnected, threads, watch)?;
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
        Some(landmarks) => landmarks.choose(&everywhere, Kind::Dissimilarity, None, watch)?,
        None => all.clone(),
    };
    let task = watch.map(|w| ("geodesics", w));
    let from_sources = Geodesics {
        graph: &graph,
        sources: &sources,
    };

    // The geodesics between sources, the same both ways to the last bit.
    let (count, columns) = (graph.count(), sources.len());
    let mut own = Mat::zeros(columns, columns);
    let mut table = Vec::new();
    let blocks = rows::blocks(&from_sources, threads, task, |first, block| {
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
    let proximities = Proximities::new(own.as_ref(), Kind::Dissimilarity, Some(names), threads)?;
    let diagram = Diagram::fit(&proximities, fit)?;
    drop(proximities);
    drop(own);
    let method = Method::Isomap(Isomap {
        kind,
        neighbourhood: settings.neighbourhood,
        graph,
        sources: sources.clone(),
    });
    let model = match settings.landmarks {
        None => Model::from_parts(Parts {
            method,
            diagram,
            objects: None,
            finish: Finish::None,
            source: None,
        })?,
        Some(_) => {
            let rectangle = MatRef::from_column_major_slice(&table, count, columns);
            let others = Streamed {
                labels: Some(&labels),
                ..Streamed::new(&rectangle)
            };
            let configuration = landmark::project_others(&diagram, &others, &sources, fit)?;
            landmark::finish(method, diagram, labels, configuration, &settings.landmark)?
        }
    };
    Ok(Fitted {
        model,
        kept: whole.kept,
        finding: whole.finding,
    })
}

/// The same from features, which the model keeps so that newcomers may come as features too.
pub fn fit_measured(
    source: Measured,
    settings: &Settings,
    options: &FitSettings<'_>,
) -> Result<Fitted, Error> {
    let labels = source.features().labels().to_vec();
    let kind = source.kind();
    fit(&source.itself(), kind, Some(labels), settings, options)?.with_source(source)
}

impl Fitted {
    pub(crate) fn with_source(mut self, source: Measured) -> Result<Self, Error> {
        let source = match &self.kept {
            Some(kept) => Measured::new(*source.measure(), source.features().select(kept))?,
            None => source,
        };
        self.model = self.model.with_source(source)?;
        Ok(self)
    }
}

/// A model of the objects that a graph holds together.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The objects in it, ascending, if some were left out with a smaller component.
    pub kept: Option<Vec<usize>>,
    /// What is to be said of the graph.
    pub finding: Option<String>,
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
        match inside && self.sources.len() == diagram {
            true => Ok(()),
            false => Err(Error::Inconsistent(
                "found sources of geodesics that are not the diagram's objects, expected them to be"
                    .into(),
            )),
        }
    }
}
