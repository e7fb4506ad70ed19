//! When to refit: ordinary batches are fine, strangers with a direction of their own are not.

use super::common::methods::{axes, of_square};
use super::common::*;
use adjoin::random::Stream;
use adjoin::{Assessment, Between, By, Kind, Map, Newcomers, Run, Verdict};
use faer::{Mat, MatRef};

/// The last `k` objects of `all` as a batch on the map of the others: from each by itself, and from what is between them.
fn both(all: MatRef<'_, f64>, k: usize, d: usize) -> (Map, Assessment, Assessment, f64) {
    let n = all.nrows() - k;
    let map = of_square(all.get(..n, ..n), Kind::Dissimilarity, &axes(d))
        .unwrap()
        .map;
    let newcomers = Newcomers::by(By::Doubles(all.get(n.., ..n)));
    let between = Between::Given(all.get(n.., n..));
    let (border, jointly) = map.jointly(&newcomers, between, Run::on(1)).unwrap();
    let outside = jointly.outside.unwrap();
    let (alone, together) = (
        map.assess(&border, None),
        map.assess(&border, Some(outside)),
    );
    (map, alone, together, outside)
}

/// `n` + `k` points in `q` dimensions, the last `k` also `far` out on an axis of their own, each to its own side.
fn points(n: usize, k: usize, q: usize, far: f64, rng: &mut Stream) -> Mat<f64> {
    let points = Mat::from_fn(n + k, q + 1, |i, j| match (i < n, j == q) {
        (_, false) => rng.normal() / (1.0 + j as f64),
        (true, true) => 0.0,
        (false, true) => far * rng.normal(),
    });
    distances(points.as_ref(), points.as_ref())
}

/// Batches of the old objects' kind hardly ever call for another map, even where they outnumber the old objects.
#[test]
fn ordinary_batches_are_fine() {
    let mut rng = Stream::new(21);
    let mut differ = 0;
    for batch in 0..60 {
        let (n, k) = if batch % 2 == 0 { (40, 20) } else { (20, 60) };
        let all = points(n, k, 30, 0.0, &mut rng);
        let map = of_square(all.get(..n, ..n), Kind::Dissimilarity, &axes(2))
            .unwrap()
            .map;
        let newcomers = Newcomers::by(By::Doubles(all.get(n.., ..n)));
        let border = map.border(&newcomers, Run::on(1)).unwrap();
        let alone = map.assess(&border, None);
        assert_eq!(alone.newcomers, k);
        differ += usize::from(alone.verdict != Verdict::Fine);
    }
    assert!(differ <= 3, "{differ} of 60");
}

/// Few strangers are watched; many with a direction of their own ask for another map.
#[test]
fn strangers_with_an_axis_of_their_own_ask_for_another_map() {
    let mut rng = Stream::new(22);
    let (n, k) = (60, 12);
    let (map, alone, together, _) = both(points(n, k, 30, 3.0, &mut rng).as_ref(), k, 2);
    assert_eq!(
        (alone.verdict, together.verdict),
        (Verdict::Refit, Verdict::Refit)
    );
    assert!(together.between && !alone.between && together.sentence().starts_with("refit: "));
    // The same newcomers are nothing beside an axis that is longer.
    let c = map.diagram().eigenvalues()[1];
    let watched = {
        let shrunk = (0.8 * c / together.weight / c).sqrt();
        points(n, k, 30, 3.0 * shrunk, &mut Stream::new(22))
    };
    let (_, _, together, _) = both(watched.as_ref(), k, 2);
    assert_eq!(together.verdict, Verdict::Watch, "{}", together.sentence());
}

/// L is the largest eigenvalue of β − ŶŶ': for points, that of the Gram matrix of what is outside the map's space.
#[test]
fn weight_is_the_largest_eigenvalue_outside_the_map() {
    let mut rng = Stream::new(23);
    for (n, k) in [(30, 1), (30, 9), (30, 200)] {
        // The old objects are in the plane: what newcomers have beside it is outside.
        let own = Mat::from_fn(
            n + k,
            4,
            |i, j| {
                if i < n && j > 1 { 0.0 } else { rng.normal() }
            },
        );
        let all = distances(own.as_ref(), own.as_ref());
        let (map, _, together, outside) = both(all.as_ref(), k, 2);
        let gram = Mat::from_fn(2, 2, |a, b| {
            (n..n + k)
                .map(|i| own[(i, 2 + a)] * own[(i, 2 + b)])
                .sum::<f64>()
        });
        let (trace, det) = (
            gram[(0, 0)] + gram[(1, 1)],
            gram[(0, 0)] * gram[(1, 1)] - gram[(0, 1)] * gram[(1, 0)],
        );
        let largest = 0.5 * (trace + (trace * trace - 4.0 * det).sqrt());
        close(outside, largest, 1e-9);
        close(
            together.weight,
            largest / map.diagram().eigenvalues()[1],
            1e-9,
        );
    }
}

/// Similarities without those to themselves have no residual: no verdict, and it is said why.
#[test]
fn nothing_is_said_where_residuals_are_not_known() {
    let mut rng = Stream::new(24);
    let delta = euclidean(50, 6, &mut rng);
    let kernel = Mat::from_fn(50, 50, |i, j| (-0.2 * delta[(i, j)].powi(2)).exp());
    let map = of_square(kernel.get(..30, ..30), Kind::Similarity, &axes(2))
        .unwrap()
        .map;
    let newcomers = Newcomers::by(By::Doubles(kernel.get(30.., ..30)));
    let border = map.border(&newcomers, Run::on(1)).unwrap();
    let unknown = map.assess(&border, None);
    assert_eq!((unknown.verdict, unknown.newcomers), (Verdict::Unknown, 0));
    assert!(unknown.sentence().starts_with("no verdict"));
    let itself = vec![1.0; 20];
    let newcomers = Newcomers {
        self_similarity: Some(&itself),
        ..newcomers
    };
    let border = map.border(&newcomers, Run::on(1)).unwrap();
    assert_eq!(map.assess(&border, None).newcomers, 20);
}
