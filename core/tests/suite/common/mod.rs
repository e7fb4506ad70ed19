//! What the tests share: fixtures, small problems, and a way to compare up to the signs of axes.
#![allow(dead_code)]

pub mod fixture;
pub mod methods;
pub mod small;

use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::input::block::Block;
use adjoin::input::kind::Kind;
use adjoin::input::proximities::Proximities;
use adjoin::place::alone::{AtHand, offered, place_border};
use adjoin::random::Stream;
use adjoin::{Border, Error, PlaceSettings, Placements, Run};
use faer::{Mat, MatRef};
use serde_json::Value;

pub fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A number, with null for a missing one.
pub fn number(v: &Value) -> f64 {
    if v.is_null() {
        f64::NAN
    } else {
        v.as_f64().unwrap()
    }
}

pub fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(number).collect()
}

pub fn matrix(v: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(numbers).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

pub fn fit(entries: MatRef<'_, f64>, kind: Kind, d: usize) -> Diagram {
    let proximities = Proximities::new(entries, kind, None, Run::on(1)).unwrap();
    let settings = DiagramSettings {
        dimensions: d,
        ..Default::default()
    };
    Diagram::fit(&proximities, &settings, Run::on(1)).unwrap()
}

pub fn border(diagram: &Diagram, new: MatRef<'_, f64>) -> Border {
    Border::new(diagram, &Block::new(new), Run::on(1)).unwrap()
}

/// Newcomers of a block, placed on a diagram by itself.
pub fn place_block<T: adjoin::input::kind::Element>(
    diagram: &Diagram,
    block: &Block<'_, T>,
    settings: &PlaceSettings,
) -> Result<Placements, Error> {
    offered(diagram, settings.strategy)?;
    let border = Border::new(diagram, block, Run::on(1))?;
    // Stress reads double precision here; nothing else reads at all.
    let doubles = Mat::from_fn(block.count(), diagram.count(), |i, j| {
        block.proximities[(i, j)].to_f64()
    });
    let at_hand = AtHand::Doubles(Block {
        proximities: doubles.as_ref(),
        labels: block.labels,
        self_similarity: block.self_similarity,
        weights: block.weights,
        missing: block.missing,
        first: block.first,
    });
    let object = |i: usize| block.object(i);
    place_border(diagram, &border, &at_hand, object, settings, Run::on(1))
}

/// Cities: the first 20 fitted, Vienna added.
pub fn cities() -> (Mat<f64>, Mat<f64>) {
    let all = matrix(&fixture("eurodist")["dissimilarities"]);
    (
        all.get(..20, ..20).to_owned(),
        all.get(20..21, ..20).to_owned(),
    )
}

/// |found| = |expected| in each coordinate, to `digits` relative to the longest.
pub fn same_up_to_signs(found: &[f64], expected: &[f64], relative: f64) {
    let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f.abs() - e.abs()).abs() <= relative * size,
            "{found:?} instead of {expected:?}"
        );
    }
}

pub fn close(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "{found} instead of {expected}"
    );
}

/// Euclidean dissimilarities of n random points in q dimensions.
pub fn euclidean(n: usize, q: usize, rng: &mut Stream) -> Mat<f64> {
    let points = Mat::from_fn(n, q, |_, j| rng.normal() / (1.0 + j as f64));
    distances(points.as_ref(), points.as_ref())
}

pub fn distances(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), b.nrows(), |i, j| {
        let terms = (0..a.ncols()).map(|l| (a[(i, l)] - b[(j, l)]).powi(2));
        terms.sum::<f64>().sqrt()
    })
}

/// Bray–Curtis dissimilarities of n rows of counts: not Euclidean.
pub fn bray_curtis(n: usize, rng: &mut Stream) -> Mat<f64> {
    let counts: Vec<Vec<f64>> = (0..n)
        .map(|_| {
            (0..30)
                .map(|_| (rng.normal() * 3.0).abs().floor())
                .collect()
        })
        .collect();
    Mat::from_fn(n, n, |i, j| {
        let terms = counts[i].iter().zip(&counts[j]);
        let (a, b) = terms.fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - y).abs(), b + x + y));
        if i == j { 0.0 } else { a / b }
    })
}

/// Levenshtein's distances of random words.
pub fn words(n: usize, rng: &mut Stream) -> Mat<f64> {
    let word = |rng: &mut Stream| -> Vec<u64> {
        let length = 4 + rng.bits() % 6;
        (0..length).map(|_| rng.bits() % 4).collect()
    };
    let all: Vec<Vec<u64>> = (0..n).map(|_| word(rng)).collect();
    let distance = |a: &[u64], b: &[u64]| {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let swapped = corner + usize::from(x != y);
                corner = row[j + 1];
                row[j + 1] = swapped.min(row[j] + 1).min(corner + 1);
            }
        }
        row[b.len()] as f64
    };
    Mat::from_fn(n, n, |i, j| distance(&all[i], &all[j]))
}
