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
//! **Scaling.** Coordinates are left as they are, u√λ, or ([`FitSettings::time`]) become those of the random
//! walk D⁻¹K, λᵗ u_i/√d_i: the diffusion map at time t, and at t = 0 Belkin and Niyogi's eigenmap, which is what
//! scikit-learn's `SpectralEmbedding` returns. (That program also leaves the diagonal of K out: [`FitSettings::diagonal`]
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

use faer::Mat;

use self::kernel::{Deflated, Kernel};
use crate::error::{About, Error, Object};
use crate::fit::centring::Centring;
use crate::fit::diagram::{Diagram, Material};
use crate::fit::spectrum;
use crate::graph::{self, Disconnected, Graph, Link, Neighbourhood};
use crate::input::kind::{Correction, Kind};
use crate::input::rows::{self, Rows};
use crate::labels::checked_labels;
use crate::map::finish::Finish;
use crate::map::way::Way;
use crate::map::way::normalised::{self, Affinity, Laplacian};
use crate::map::{Map, Method, Parts};
use crate::method::settings::{AffinityChoice, FitSettings, Fitted};
use crate::run::Run;

/// Makes and normalises the kernel and embeds it on `d` axes. `square` makes the n × n proximities, a row at a time;
/// `width` is the number of features, if there are any.
pub(crate) fn fit(
    square: &dyn Rows,
    kind: Kind,
    labels: Option<Vec<String>>,
    width: Option<usize>,
    d: usize,
    settings: &FitSettings,
    run: Run<'_>,
) -> Result<Fitted, Error> {
    let n = square.rows();
    let labels = checked_labels(labels, n)?;
    let affinity = affinity(settings, kind, width)?;
    normalised::check(affinity, settings.neighbourhood, settings.alpha, kind, n)?;
    if let Some(time) = settings.time.filter(|time| !time.is_finite()) {
        return Err(Error::Setting {
            about: About::Time,
            what: "the time of a diffusion",
            found: time,
            expected: "a finite number",
        });
    }
    if d == 0 {
        return Err(Error::NoDimensions);
    }
    let mut laplacian = Laplacian {
        kind,
        affinity,
        neighbourhood: settings.neighbourhood,
        alpha: settings.alpha,
        diagonal: settings.diagonal,
        degrees: Vec::new(),
        densities: Vec::new(),
        reaches: Vec::new(),
    };
    let (mut kernel, kept, finding) = match settings.neighbourhood {
        None => (full(&laplacian, square, &labels, run)?, None, None),
        Some(neighbourhood) => restricted(
            &mut laplacian,
            square,
            &labels,
            neighbourhood,
            settings.disconnected,
            run,
        )?,
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
        threads: run.threads,
    };
    let count = labels.len();
    let pairs = spectrum::largest(&B, d.min(count), (settings.solver, settings.tolerance), run)?;
    let diagonal = (0..count).map(|i| kernel.diagonal(i) - first[i] * first[i]);
    let diagram = Diagram::assemble(
        pairs,
        d,
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
            nearest: Vec::new(),
            findings: finding.iter().cloned().collect(),
            unit: 1.0,
            labels,
        },
        run,
    )?;
    let map = Map::from_parts(Parts {
        method: Method::Laplacian,
        way: Way::Normalised(laplacian),
        finish: match settings.time {
            None => Finish::None,
            Some(time) => Finish::Walk { time },
        },
        ..Parts::straight(diagram)
    })?;
    Ok(Fitted {
        kept,
        findings: finding.iter().cloned().collect(),
        pieces: finding,
        map,
    })
}

/// How similarities are made: as it was said, or else as given, between neighbours, or by the heat kernel.
fn affinity(settings: &FitSettings, kind: Kind, width: Option<usize>) -> Result<Affinity, Error> {
    let heat = || {
        let gamma = settings.gamma.or(width.map(|q| 1.0 / q.max(1) as f64));
        gamma
            .map(|gamma| Affinity::Heat { gamma })
            .ok_or_else(|| Error::Together {
                about: About::Gamma,
                why: "found no gamma, expected it for the heat kernel of proximities".into(),
            })
    };
    match settings.affinity {
        Some(AffinityChoice::Heat) => heat(),
        Some(AffinityChoice::Neighbours) => Ok(Affinity::Neighbours),
        Some(AffinityChoice::Given) => Ok(Affinity::Given),
        None if kind == Kind::Similarity => Ok(Affinity::Given),
        None if settings.neighbourhood.is_some() && settings.gamma.is_none() => {
            Ok(Affinity::Neighbours)
        }
        None => heat(),
    }
}

/// K between all objects.
fn full(
    laplacian: &Laplacian,
    square: &dyn Rows,
    labels: &[String],
    run: Run<'_>,
) -> Result<Kernel, Error> {
    let n = square.columns();
    let blocks = rows::blocks(square, run, "similarities", |first, block| {
        for (i, row) in block.chunks_exact_mut(n).enumerate() {
            let i = first + i;
            laplacian.admit(row, false).map_err(|j| Error::Entry {
                row: Object {
                    index: i,
                    label: labels[i].clone(),
                },
                column: Object {
                    index: j,
                    label: labels[j].clone(),
                },
                found: row[j],
                expected: laplacian.expected(),
            })?;
            let itself = laplacian.itself(row[i]);
            row.iter_mut().for_each(|v| *v = laplacian.affinity(*v));
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
    laplacian: &mut Laplacian,
    square: &dyn Rows,
    labels: &[String],
    neighbourhood: Neighbourhood,
    disconnected: Disconnected,
    run: Run<'_>,
) -> Result<(Kernel, Option<Vec<usize>>, Option<String>), Error> {
    // Each object is the first of its own neighbours.
    let others = match neighbourhood {
        Neighbourhood::Nearest(k) => Neighbourhood::Nearest(k - 1),
        radius => radius,
    };
    let links = graph::neighbours(square, laplacian.kind, labels, others, run)?;
    let reaches: Vec<f64> = links.iter().map(|l| others.reach(l)).collect();
    let kind = laplacian.kind;
    let whole = graph::whole(links, square, kind, labels, disconnected, run)?;
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
            let half = 0.5 * laplacian.affinity(length);
            lists[i].push((j, half));
            lists[j as usize].push((i as u32, half));
        }
        lists[i].push((i as u32, laplacian.itself(1.0)));
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
        laplacian.reaches = reaches;
    }
    Ok((Kernel::Sparse(graph), whole.kept, whole.finding))
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
