//! Writes a page of a large map, for trying it: `large_page PAGE.html N K D`.
//!
//! The old objects are clusters of points in D + 6 dimensions of which the map has the first D principal axes, as a
//! Landmark map would; newcomers come from the same clusters, every fifth of them with more in the dimensions that
//! the map does not have. The means and residuals of a map are those of its proximities, which for points are known
//! without the N × N table: the row means of Δ₂ are ‖x − x̄‖² + tr/N. Newcomers' proximities are made block by block.

use adjoin::Correction;
use adjoin::Newcomers;
use adjoin::Strategy;
use adjoin::centring::Centring;
use adjoin::diagram::{Diagram, Parts, Summary};
use adjoin::parallel;
use adjoin::proximity::Kind;
use adjoin::random::Stream;
use adjoin_formats::{Map, Metadata};
use adjoin_page::{Arrived, Page};
use faer::{Mat, MatRef};

const HIDDEN: usize = 6;
const CLUSTERS: usize = 9;
const BLOCK: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("expected PAGE.html N K D")?;
    let mut number = || -> Result<usize, Box<dyn std::error::Error>> {
        Ok(words.next().ok_or("expected PAGE.html N K D")?.parse()?)
    };
    let (n, k, d) = (number()?, number()?, number()?);
    let q = d + HIDDEN;
    let mut stream = Stream::new(8);
    let size = |j: usize| match j < d {
        true => 10.0 / (1.0 + 0.5 * j as f64),
        false => 1.2,
    };
    let centres: Vec<f64> = (0..CLUSTERS * q)
        .map(|i| size(i % q) * stream.normal())
        .collect();
    let mut point = |cluster: usize, foreign: f64| -> Vec<f64> {
        (0..q)
            .map(|j| {
                let spread = if j < d { 0.28 * size(j) } else { 0.8 * foreign };
                centres[cluster * q + j] + spread * stream.normal()
            })
            .collect()
    };
    let mut old: Vec<Vec<f64>> = (0..n).map(|i| point(i % CLUSTERS, 1.0)).collect();

    // The principal axes of points are found in q dimensions.
    let mean: Vec<f64> = (0..q)
        .map(|j| old.iter().map(|x| x[j]).sum::<f64>() / n as f64)
        .collect();
    for x in &mut old {
        x.iter_mut().zip(&mean).for_each(|(v, m)| *v -= m);
    }
    let scatter = Mat::from_fn(q, q, |a, b| old.iter().map(|x| x[a] * x[b]).sum::<f64>());
    let eigen = scatter
        .self_adjoint_eigen(faer::Side::Lower)
        .map_err(|e| format!("{e:?}"))?;
    let values: Vec<f64> = (0..q).rev().map(|j| eigen.S()[j]).collect();
    let turn = |x: &[f64]| -> Vec<f64> {
        (0..q)
            .rev()
            .map(|j| (0..q).map(|l| eigen.U()[(l, j)] * x[l]).sum())
            .collect()
    };
    let old: Vec<Vec<f64>> = old.iter().map(|x| turn(x)).collect();
    let trace: f64 = values.iter().sum();
    let squared = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    let row_means = old.iter().map(|x| -0.5 * (squared(x) + trace / n as f64));
    let labels = (0..n).map(|i| format!("cell{i:06}"));
    let parts = Parts {
        labels: labels.collect(),
        kind: Kind::Dissimilarity,
        correction: Correction::None,
        configuration: Mat::from_fn(n, d, |i, j| old[i][j]),
        eigenvalues: values[..d].to_vec(),
        given: false,
        centring: Centring {
            weights: None,
            row_means: row_means.collect(),
            grand_mean: -trace / n as f64,
        },
        leave_one_out: old.iter().map(|x| squared(&x[d..])).collect(),
        summary: Summary {
            eigenvalues: values[..d].to_vec(),
            complete: false,
            trace,
            squared_norm: values.iter().map(|v| v * v).sum(),
            strain: values[d..].iter().map(|v| v * v).sum(),
            ..Default::default()
        },
    };
    let map = Map {
        model: Diagram::from_parts(parts)?.into(),
        settings: Default::default(),
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };

    let mut metadata = Metadata {
        labels: map.model.labels().to_vec(),
        columns: ["cluster", "batch", "depth"]
            .map(|name| (name.to_owned(), Vec::new()))
            .to_vec(),
        source: "made up".to_owned(),
    };
    let mut row = |i: usize, cluster: usize, depth: f64| {
        let cells = [
            format!("cluster {}", cluster + 1),
            ["A", "B", "C"][i / 7 % 3].to_owned(),
            format!("{depth:.3}"),
        ];
        for ((_, column), cell) in metadata.columns.iter_mut().zip(cells) {
            column.push(Some(cell));
        }
    };
    for (i, x) in old.iter().enumerate() {
        row(i, i % CLUSTERS, x[0]);
    }
    let mut new = Vec::with_capacity(k);
    for i in 0..k {
        let cluster = i * 7 % CLUSTERS;
        let mut y = point(cluster, if i % 5 == 0 { 4.0 } else { 1.0 });
        y.iter_mut().zip(&mean).for_each(|(v, m)| *v -= m);
        new.push(turn(&y));
        row(i, cluster, new[i][0]);
    }
    let labels: Vec<String> = (1..=k).map(|i| format!("new{i}")).collect();
    metadata.labels.extend_from_slice(&labels);

    let mut arrived = Arrived::new(&map.model, Strategy::Project, k, 0)?;
    for (block, names) in new.chunks(BLOCK).zip(labels.chunks(BLOCK)) {
        let rows = parallel::map(0, block.len(), None, |i| {
            let distance = |x: &Vec<f64>| {
                let steps = x.iter().zip(&block[i]).map(|(a, b)| (a - b) * (a - b));
                steps.sum::<f64>().sqrt()
            };
            old.iter().map(distance).collect::<Vec<f64>>()
        })?
        .concat();
        let newcomers = Newcomers {
            labels: Some(names),
            ..Newcomers::new(MatRef::from_row_major_slice(&rows, block.len(), n))
        };
        arrived.take(&newcomers, None)?;
    }
    let page = Page {
        title: "A large map",
        map: &map,
        arrived: Some(&arrived),
        metadata: Some(&metadata),
        sources: &[],
    };
    std::fs::write(file, page.html())?;
    Ok(())
}
