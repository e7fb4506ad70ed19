//! Writes a page of a large map, for trying it: `large_page PAGE.html N K D`.
//!
//! The old objects are clusters of points in D + 6 dimensions of which the map has the first D principal axes, as a
//! Landmark map would; newcomers come from the same clusters, every fifth of them with more in the dimensions that
//! the map does not have. The means and residuals of a map are those of its proximities, which for points are known
//! without the N × N table: the row means of Δ₂ are ‖x − x̄‖² + tr/N. Newcomers' proximities are made block by block.

use std::ops::Range;

use adjoin::random::Stream;
use adjoin::stored::{Centring, Correction, DiagramParts, LeaveOneOut, Summary};
use adjoin::{By, Diagram, Kind, Newcomers, Rows, Run, Strategy};
use adjoin_formats::{MapFile, Metadata};
use adjoin_page::{Arrived, Page};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};

const HIDDEN: usize = 6;
const CLUSTERS: usize = 9;

/// Distances of newcomers to old objects, made when they are asked for: ‖x − y‖² = ‖x‖² + ‖y‖² − 2 x'y, so that nearly all of
/// the work is one product of matrices, which is fast in every build.
struct Distances {
    /// Points by row, and their squared lengths.
    old: Mat<f64>,
    old_squared: Vec<f64>,
    new: Mat<f64>,
    new_squared: Vec<f64>,
}

impl Distances {
    fn between(old: &[Vec<f64>], new: &[Vec<f64>]) -> Self {
        let mat = |points: &[Vec<f64>]| {
            let q = points.first().map_or(0, Vec::len);
            Mat::from_fn(points.len(), q, |i, j| points[i][j])
        };
        let squared = |points: &[Vec<f64>]| points.iter().map(|x| squared(x)).collect();
        Self {
            old: mat(old),
            old_squared: squared(old),
            new: mat(new),
            new_squared: squared(new),
        }
    }
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

impl Rows for Distances {
    fn rows(&self) -> usize {
        self.new.nrows()
    }

    fn columns(&self) -> usize {
        self.old.nrows()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), adjoin::Error> {
        let n = self.old.nrows();
        let new = self.new.get(range.clone(), ..);
        let products = MatMut::from_column_major_slice_mut(&mut *out, n, range.len());
        let old = self.old.as_ref();
        matmul(
            products,
            Accum::Replace,
            old,
            new.transpose(),
            -2.0,
            Par::Seq,
        );
        for (row, y) in out.chunks_exact_mut(n).zip(&self.new_squared[range]) {
            for (value, x) in row.iter_mut().zip(&self.old_squared) {
                *value = (*value + x + y).max(0.0).sqrt();
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let page_file = words.next().ok_or("expected PAGE.html N K D")?;
    let mut number = || -> Result<usize, Box<dyn std::error::Error>> {
        Ok(words.next().ok_or("expected PAGE.html N K D")?.parse()?)
    };
    let (n, k, d) = (number()?, number()?, number()?);
    let q = d + HIDDEN;
    let mut stream = Stream::new(8);
    let size = |j: usize| {
        if j < d {
            10.0 / (1.0 + 0.5 * j as f64)
        } else {
            1.2
        }
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
    let row_means = old.iter().map(|x| -0.5 * (squared(x) + trace / n as f64));
    let labels = (0..n).map(|i| format!("cell{i:06}"));
    let parts = DiagramParts {
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
        leave_one_out: LeaveOneOut::of_residuals(old.iter().map(|x| squared(&x[d..])).collect()),
        summary: Summary {
            eigenvalues: values[..d].to_vec(),
            complete: false,
            trace,
            squared_norm: values.iter().map(|v| v * v).sum(),
            strain: values[d..].iter().map(|v| v * v).sum(),
            ..Default::default()
        },
    };
    let file = MapFile {
        map: Diagram::from_parts(parts)?.into(),
        settings: Default::default(),
        provenance: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };

    let mut metadata = Metadata {
        labels: file.map.labels().to_vec(),
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

    let distances = Distances::between(&old, &new);
    let newcomers = Newcomers {
        labels: Some(&labels),
        ..Newcomers::by(By::Rows(&distances))
    };
    let project = Strategy::Project;
    let arrived = Arrived::read(&file.map, project, &newcomers, None, Run::default())?;
    let page = Page {
        title: "A large map",
        file: &file,
        arrived: Some(&arrived),
        metadata: Some(&metadata),
        sources: &[],
        flip: &[],
        variables: None,
    };
    std::fs::write(page_file, page.html())?;
    Ok(())
}
