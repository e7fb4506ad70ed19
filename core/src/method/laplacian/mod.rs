//! Laplacian eigenmaps and diffusion maps: a kernel that is normalised by the data it is used on.
//!
//! With K ≥ 0 the similarities between the old objects and d_i = Σ_j K_ij their degrees,
//!
//! ```text
//! K̃(ξ_i, ξ_j) = K_ij / √(d_i d_j)        K̃u₀ = u₀,  u₀ = √(d/Σd)        B = K̃ − u₀u₀' = UΛU'
//! ```
//!
//! The eigenvectors of B with the largest eigenvalues are those of the normalised Laplacian I − K̃ with the smallest,
//! without the constant one. Nothing is centred: u₀ is taken off instead. The diagram is X = U_d Λ_d^½ as always.
//! For a newcomer (Bengio et al.)
//!
//! ```text
//! d_η = Σ_j K(η, ξ_j)      b_j = K(η, ξ_j)/√(d_η d_j) − √(d_η d_j)/Σd      β = K(η, η)/d_η − d_η/Σd
//! ```
//!
//! so that it is similarities to the diagram like any others: projection is the Nyström formula Λ^{-½}U'b, and
//! reconstruction, the arc and joint placement come with it. An old object that comes as a newcomer lands on itself
//! (but for the ends of links that join the pieces of a graph, which a newcomer does not have).
//!
//! **K** is the heat kernel exp(−γδ²), a similarity that the caller has, or 1 between neighbours. With a
//! neighbourhood, K_ij counts half if j is among the neighbours of i and half if i is among those of j, and each
//! object is the first of its own k neighbours; then B is sparse and no n × n matrix is formed. A newcomer's
//! neighbours are its k nearest old objects, and it is a neighbour of those whose k-th is farther away. One that has
//! none gets the status `too_few`. With α > 0 the influence of the sampling density q_i = Σ_j K_ij is taken off
//! first, K_ij ← K_ij/(q_i q_j)^α (Coifman and Lafon; α = 1 approximates the Laplace–Beltrami operator).
//!
//! **Scaling.** [`Scaling::Kernel`] leaves coordinates as they are, u√λ. [`Scaling::Walk`] gives those of the random
//! walk D⁻¹K, λᵗ u_i/√d_i: the diffusion map at time t, and at t = 0 Belkin and Niyogi's eigenmap, which is what
//! scikit-learn's `SpectralEmbedding` returns. (That program also leaves the diagonal of K out: [`Settings::diagonal`]
//! = false. β then says nothing, as no object is similar to itself, and an old object that comes as a newcomer does
//! not land on itself.) Scaling is the last thing that is done to coordinates, placements being found before it.
//!
//! Locally linear embedding is not here: its weights are fitted to the features of whole neighbourhoods, not made from
//! proximities of pairs, and Bengio et al. get its extension only in the limit of a multiple of the identity added to
//! the kernel, where β, and with it every strategy but projection, loses its meaning.
//!
//! # References
//! Belkin and Niyogi (2003), Laplacian eigenmaps for dimensionality reduction and data representation, Neural
//! Computation 15:1373–1396. Bengio, Delalleau, Le Roux, Paiement, Vincent and Ouimet (2004), Learning eigenfunctions
//! links spectral embedding and kernel PCA, Neural Computation 16:2197–2219. Coifman and Lafon (2006), Diffusion maps,
//! Applied and Computational Harmonic Analysis 21:5–30.

#![allow(non_snake_case)]

mod kernel;
mod newcomer;

use faer::Mat;

use self::kernel::{Deflated, Kernel};
pub(crate) use self::newcomer::Side;
use crate::error::{Error, Object};
use crate::fit::centring::Centring;
use crate::fit::diagram::{Diagram, FitSettings, Material};
use crate::fit::spectrum;
use crate::graph::{self, Disconnected, Graph, Link, Neighbourhood};
use crate::input::proximities::{Correction, Kind, checked_labels};
use crate::input::rows::{self, Rows};
use crate::map::{Finish, Method, Model, Parts};
use crate::measure::Measured;
use crate::method::isomap::Fitted;

/// How similar two objects are, by what they are given as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Affinity {
    /// exp(−γδ²) of dissimilarities.
    Heat {
        /// γ.
        gamma: f64,
    },
    /// 1, of dissimilarities; only with a neighbourhood.
    Neighbours,
    /// As given: similarities of at least 0; only without a neighbourhood.
    Given,
}

/// What is done to coordinates at the end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Scaling {
    /// Nothing: √λ u.
    #[default]
    Kernel,
    /// λᵗ u_i/√d_i, the random walk's.
    Walk {
        /// t.
        time: f64,
    },
}

/// How the kernel is made and normalised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How similar two objects are.
    pub affinity: Affinity,
    /// Only between neighbours; between all if there is none.
    pub neighbourhood: Option<Neighbourhood>,
    /// What to do if the graph falls apart.
    pub disconnected: Disconnected,
    /// α, how much of the sampling density to take off: 0 none, 1 all.
    pub alpha: f64,
    /// Whether an object is similar to itself.
    pub diagonal: bool,
    /// What is done to coordinates at the end.
    pub scaling: Scaling,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            affinity: Affinity::Heat { gamma: 1.0 },
            neighbourhood: None,
            disconnected: Disconnected::Refuse,
            alpha: 0.0,
            diagonal: true,
            scaling: Scaling::Kernel,
        }
    }
}

/// What the map keeps to normalise newcomers.
#[derive(Debug, Clone, PartialEq)]
pub struct Laplacian {
    /// What the proximities to the old objects are.
    pub kind: Kind,
    /// How similar two objects are.
    pub affinity: Affinity,
    /// Only between neighbours.
    pub neighbourhood: Option<Neighbourhood>,
    /// α.
    pub alpha: f64,
    /// Whether an object is similar to itself.
    pub diagonal: bool,
    /// d_i.
    pub degrees: Vec<f64>,
    /// q_i, if α is not 0.
    pub densities: Vec<f64>,
    /// How far the k-th neighbour of each object is, if neighbours are the k nearest.
    pub reaches: Vec<f64>,
}

/// Makes and normalises the kernel and embeds it. `square` makes the n × n proximities, a row at a time.
pub fn fit(
    square: &dyn Rows,
    kind: Kind,
    labels: Option<Vec<String>>,
    settings: &Settings,
    fit: &FitSettings<'_>,
) -> Result<Fitted, Error> {
    let n = square.rows();
    let labels = checked_labels(labels, n)?;
    settings.check(kind, n)?;
    if fit.dimensions == 0 {
        return Err(Error::NoDimensions);
    }
    let mut laplacian = Laplacian {
        kind,
        affinity: settings.affinity,
        neighbourhood: settings.neighbourhood,
        alpha: settings.alpha,
        diagonal: settings.diagonal,
        degrees: Vec::new(),
        densities: Vec::new(),
        reaches: Vec::new(),
    };
    let (mut kernel, kept, finding) = match settings.neighbourhood {
        None => (laplacian.full(square, &labels, fit)?, None, None),
        Some(neighbourhood) => {
            laplacian.restricted(square, &labels, neighbourhood, settings.disconnected, fit)?
        }
    };
    let labels: Vec<String> = match &kept {
        Some(kept) => kept.iter().map(|&i| labels[i].clone()).collect(),
        None => labels,
    };

    // K ← K/(qq')^α, then K̃ = K/√(dd').
    if settings.alpha != 0.0 {
        laplacian.densities = degrees(&kernel, &labels)?;
        let q: Vec<f64> = (laplacian.densities.iter())
            .map(|q| q.powf(settings.alpha))
            .collect();
        kernel.divide(&q);
    }
    laplacian.degrees = degrees(&kernel, &labels)?;
    let roots: Vec<f64> = laplacian.degrees.iter().map(|d| d.sqrt()).collect();
    kernel.divide(&roots);
    let whole = laplacian.total().sqrt();
    let first: Vec<f64> = roots.iter().map(|r| r / whole).collect();

    let B = Deflated {
        kernel: &kernel,
        first: &first,
        threads: fit.threads,
    };
    let count = labels.len();
    let pairs = spectrum::largest(
        &B,
        fit.dimensions.min(count),
        fit.solver,
        fit.threads,
        fit.watch,
    )?;
    let diagonal = (0..count).map(|i| kernel.diagonal(i) - first[i] * first[i]);
    let diagram = Diagram::assemble(
        pairs,
        fit.dimensions,
        Material {
            kind: Kind::Similarity,
            correction: Correction::None,
            centring: Centring {
                weights: Some(vec![0.0; count]),
                row_means: vec![0.0; count],
                grand_mean: 0.0,
            },
            diagonal: diagonal.collect(),
            // ‖K̃ − u₀u₀'‖² = ‖K̃‖² − 1, as K̃u₀ = u₀.
            squared_norm: (kernel.squared_norm() - 1.0).max(0.0),
            findings: finding.iter().cloned().collect(),
            unit: 1.0,
            labels,
        },
    )?;
    let model = Model::from_parts(Parts {
        method: Method::Laplacian(laplacian),
        diagram,
        objects: None,
        finish: match settings.scaling {
            Scaling::Kernel => Finish::None,
            Scaling::Walk { time } => Finish::Walk { time },
        },
        source: None,
    })?;
    Ok(Fitted {
        model,
        kept,
        finding,
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

impl Settings {
    fn check(&self, kind: Kind, n: usize) -> Result<(), Error> {
        let setting = |what, found, expected| {
            Err(Error::Setting {
                what,
                found,
                expected,
            })
        };
        if let Some(neighbourhood) = self.neighbourhood {
            neighbourhood.check(n, 2, n)?;
        }
        if let Affinity::Heat { gamma } = self.affinity
            && !(gamma > 0.0 && gamma.is_finite())
        {
            return setting("gamma of the heat kernel", gamma, "a positive number");
        }
        if !self.alpha.is_finite() {
            return setting("alpha", self.alpha, "a finite number");
        }
        if let Scaling::Walk { time } = self.scaling
            && !time.is_finite()
        {
            return setting("the time of a diffusion", time, "a finite number");
        }
        let not_offered = |why: &str| {
            Err(Error::NotOffered {
                what: "this affinity",
                why: why.into(),
            })
        };
        match (self.affinity, self.neighbourhood, kind) {
            (Affinity::Given, Some(_), _) => not_offered(
                "found similarities and a neighbourhood, expected dissimilarities with it: neighbours \
                 are the nearest",
            ),
            (Affinity::Given, None, Kind::Similarity) => Ok(()),
            (Affinity::Given, None, _) => {
                not_offered("found dissimilarities, expected similarities or a heat kernel of them")
            }
            (Affinity::Neighbours, None, _) => {
                not_offered("found no neighbourhood, expected one: others are not similar at all")
            }
            (_, _, Kind::Similarity) => {
                not_offered("found similarities, expected dissimilarities to make similarities of")
            }
            _ => Ok(()),
        }
    }
}

impl Laplacian {
    /// Σd.
    pub(crate) fn total(&self) -> f64 {
        self.degrees.iter().sum()
    }

    /// K of two different objects by how far they are apart (or, as given, how similar), neighbourhoods aside.
    fn affinity(&self, length: f64) -> f64 {
        match self.affinity {
            Affinity::Heat { gamma } => (-gamma * length * length).exp(),
            Affinity::Neighbours => 1.0,
            Affinity::Given => length,
        }
    }

    /// K of an object with itself; `given` is its similarity to itself where that is an input.
    fn itself(&self, given: f64) -> f64 {
        match self.affinity {
            _ if !self.diagonal => 0.0,
            Affinity::Given => given,
            _ => 1.0,
        }
    }

    /// A row of proximities as lengths, or as the similarities they are; errs with the column at fault.
    pub(crate) fn admit(&self, row: &mut [f64], missing: bool) -> Result<(), usize> {
        match self.affinity {
            Affinity::Given => {
                let sound = |v: &f64| v.is_finite() && *v >= 0.0 || missing && v.is_nan();
                row.iter().position(|v| !sound(v)).map_or(Ok(()), Err)
            }
            _ => graph::lengths(self.kind, row, missing),
        }
    }

    /// What a proximity must be.
    pub(crate) fn expected(&self) -> &'static str {
        match self.affinity {
            Affinity::Given => "a finite similarity of at least 0",
            _ => self.kind.expected(),
        }
    }

    /// K between all objects.
    fn full(
        &self,
        square: &dyn Rows,
        labels: &[String],
        fit: &FitSettings<'_>,
    ) -> Result<Kernel, Error> {
        let n = square.columns();
        let watch = fit.watch.map(|w| ("similarities", w));
        let blocks = rows::blocks(square, fit.threads, watch, |first, block| {
            for (i, row) in block.chunks_exact_mut(n).enumerate() {
                let i = first + i;
                self.admit(row, false).map_err(|j| Error::Entry {
                    row: Object {
                        index: i,
                        label: labels[i].clone(),
                    },
                    column: Object {
                        index: j,
                        label: labels[j].clone(),
                    },
                    found: row[j],
                    expected: self.expected(),
                })?;
                let itself = self.itself(row[i]);
                row.iter_mut().for_each(|v| *v = self.affinity(*v));
                row[i] = itself;
            }
            Ok(block.to_vec())
        })?;
        let mut K = Mat::zeros(n, n);
        let entries = blocks.iter().flat_map(|b| b.chunks_exact(n));
        // The same both ways to the last bit.
        for (i, row) in entries.enumerate() {
            for (j, &v) in row[..=i].iter().enumerate() {
                K[(i, j)] = v;
                K[(j, i)] = v;
            }
        }
        Ok(Kernel::Dense(K))
    }

    /// K between neighbours, with the objects that are left of it.
    #[allow(clippy::type_complexity)]
    fn restricted(
        &mut self,
        square: &dyn Rows,
        labels: &[String],
        neighbourhood: Neighbourhood,
        disconnected: Disconnected,
        fit: &FitSettings<'_>,
    ) -> Result<(Kernel, Option<Vec<usize>>, Option<String>), Error> {
        let (threads, watch) = (fit.threads, fit.watch);
        // Each object is the first of its own neighbours.
        let others = match neighbourhood {
            Neighbourhood::Nearest(k) => Neighbourhood::Nearest(k - 1),
            radius => radius,
        };
        let links = graph::neighbours(square, self.kind, labels, others, threads, watch)?;
        let reaches: Vec<f64> = links.iter().map(|l| others.reach(l)).collect();
        let kind = self.kind;
        let whole = graph::whole(links, square, kind, labels, disconnected, threads, watch)?;
        let reaches: Vec<f64> = match &whole.kept {
            Some(kept) => kept.iter().map(|&i| reaches[i]).collect(),
            None => reaches,
        };

        // Half for each direction.
        let mut lists: Vec<Vec<Link>> = vec![Vec::new(); whole.neighbours.len()];
        for (i, links) in whole.neighbours.iter().enumerate() {
            let mut links = links.clone();
            links.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            links.dedup_by_key(|l| l.0);
            for (j, length) in links {
                let half = 0.5 * self.affinity(length);
                lists[i].push((j, half));
                lists[j as usize].push((i as u32, half));
            }
            lists[i].push((i as u32, self.itself(1.0)));
        }
        let mut graph = Graph {
            offsets: vec![0],
            ..Default::default()
        };
        for mut links in lists {
            links.sort_by_key(|l| l.0);
            for (j, half) in links {
                let before = graph.offsets[graph.offsets.len() - 1];
                match graph.targets[before..].last() {
                    Some(&last) if last == j => {
                        let at = graph.lengths.len() - 1;
                        graph.lengths[at] += half;
                    }
                    _ => {
                        graph.targets.push(j);
                        graph.lengths.push(half);
                    }
                }
            }
            graph.offsets.push(graph.targets.len());
        }
        if let Neighbourhood::Nearest(_) = neighbourhood {
            self.reaches = reaches;
        }
        Ok((Kernel::Sparse(graph), whole.kept, whole.finding))
    }

    /// Errs unless the parts fit together.
    pub(crate) fn check(&self, n: usize) -> Result<(), Error> {
        let settings = Settings {
            affinity: self.affinity,
            neighbourhood: self.neighbourhood,
            alpha: self.alpha,
            ..Default::default()
        };
        settings.check(self.kind, n.max(2))?;
        let reaches = match self.neighbourhood {
            Some(Neighbourhood::Nearest(_)) => n,
            _ => 0,
        };
        let densities = if self.alpha != 0.0 { n } else { 0 };
        for (what, found, expected) in [
            ("degrees", self.degrees.len(), n),
            ("densities", self.densities.len(), densities),
            ("reaches", self.reaches.len(), reaches),
        ] {
            if found != expected {
                return Err(Error::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        let positive = |v: &f64| *v > 0.0 && v.is_finite();
        let sound = self.degrees.iter().all(positive)
            && self.densities.iter().all(positive)
            && self.reaches.iter().all(|r| *r >= 0.0 && r.is_finite());
        match sound {
            true => Ok(()),
            false => Err(Error::Inconsistent(
                "found a degree that is not a positive number, expected positive degrees".into(),
            )),
        }
    }
}

/// Σ_j K_ij; errs if an object is similar to none.
fn degrees(kernel: &Kernel, labels: &[String]) -> Result<Vec<f64>, Error> {
    let degrees: Vec<f64> = (0..labels.len()).map(|i| kernel.row_sum(i)).collect();
    match degrees.iter().position(|d| !(*d > 0.0 && d.is_finite())) {
        None => Ok(degrees),
        Some(index) => Err(Error::Alone {
            object: Object {
                index,
                label: labels[index].clone(),
            },
        }),
    }
}
