//! Who a newcomer is like: the nearest old objects, the groups they vote for, and what the vote is worth.

use super::common::methods::{axes, features, of_points, of_square};
use super::common::*;
use adjoin::random::Stream;
use adjoin::settings::{Landmarks, Neighbourhood};
use adjoin::{
    Between, By, Error, FitSettings, Kind, Map, Method, Newcomers, PlaceSettings, Run, Strategy,
};
use faer::{Mat, MatRef};

fn map_of(all: MatRef<'_, f64>, kind: Kind, settings: &FitSettings) -> Map {
    of_square(all, kind, settings).unwrap().map
}

/// The nearest by sorting a row.
fn sorted(row: &[f64], count: usize, largest: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..row.len()).filter(|j| !row[*j].is_nan()).collect();
    order.sort_by(|&a, &b| {
        let (x, y) = if largest {
            (row[b], row[a])
        } else {
            (row[a], row[b])
        };
        x.total_cmp(&y).then(a.cmp(&b))
    });
    order.truncate(count);
    order
}

/// The nearest are those of a sorted row, whatever the numbers are stored as, with what was given; the places are the same
/// bits as without, and jointly too.
#[test]
fn nearest_are_those_of_a_sorted_row() {
    let mut rng = Stream::new(31);
    let (n, k, count) = (70, 45, 6);
    let delta = euclidean(n + k, 5, &mut rng);
    for kind in [Kind::Dissimilarity, Kind::Similarity] {
        let all = match kind {
            Kind::Similarity => Mat::from_fn(n + k, n + k, |i, j| (-delta[(i, j)]).exp()),
            _ => delta.clone(),
        };
        let map = map_of(all.get(..n, ..n), kind, &axes(2));
        let itself = vec![1.0; k];
        let mut rows = all.get(n.., ..n).to_owned();
        rows[(3, 7)] = f64::NAN;
        let flat: Vec<f64> = (0..k)
            .flat_map(|i| rows.row(i).iter().copied().collect::<Vec<_>>())
            .collect();
        let singles = Mat::from_fn(k, n, |i, j| rows[(i, j)] as f32);
        for by in [
            By::Doubles(rows.as_ref()),
            By::Doubles(MatRef::from_row_major_slice(&flat, k, n)),
            By::Singles(singles.as_ref()),
            By::Rows(&rows.as_ref()),
        ] {
            let newcomers = Newcomers {
                missing: true,
                self_similarity: (kind == Kind::Similarity).then_some(&itself[..]),
                ..Newcomers::by(by)
            };
            let how = PlaceSettings::by(Strategy::Reconstruct);
            let plain = map.place(&newcomers, &how, Run::on(2)).unwrap();
            let (border, placed, near) = map
                .place_among(&newcomers, &how, (count, None), Run::on(2))
                .unwrap();
            let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&placed.coordinates), bits(&plain.1.coordinates));
            assert_eq!(bits(&border.beta), bits(&plain.0.beta));
            for i in 0..k {
                let row: Vec<f64> = match by {
                    By::Singles(m) => m.row(i).iter().map(|v| f64::from(*v)).collect(),
                    _ => rows.row(i).iter().copied().collect(),
                };
                let expected = sorted(&row, count, kind == Kind::Similarity);
                let found: Vec<usize> = near.of(i).map(|(j, _)| j.unwrap()).collect();
                assert_eq!(found, expected);
                assert!(near.of(i).all(|(j, v)| v == row[j.unwrap()]));
            }
            assert_eq!(map.neighbours(&newcomers, count, Run::on(1)).unwrap(), near);
        }
        let whole = Newcomers {
            self_similarity: (kind == Kind::Similarity).then_some(&itself[..]),
            ..Newcomers::by(By::Doubles(all.get(n.., ..n)))
        };
        let between = Between::Given(all.get(n.., n..));
        let (_, _, near) = map
            .jointly_among(&whole, between, (count, None), Run::on(2))
            .unwrap();
        assert_eq!(near, map.neighbours(&whole, count, Run::on(1)).unwrap());
    }
}

/// Objects are numbered as on the map: through a graph, by features, and where only landmarks are compared with.
#[test]
fn nearest_are_numbered_as_on_the_map() {
    let mut rng = Stream::new(32);
    let points = Mat::from_fn(50, 2, |_, _| 3.0 * rng.uniform());
    let delta = distances(points.as_ref(), points.as_ref());
    let (old, new) = (delta.get(..40, ..40), delta.get(40.., ..40));
    let landmark = FitSettings {
        method: Method::Landmark,
        landmarks: Some(Landmarks::Random { count: 15, seed: 1 }),
        ..axes(2)
    };
    let map = map_of(old, Kind::Dissimilarity, &landmark);
    let which = map.landmarks().unwrap().to_vec();
    let some = Mat::from_fn(10, 15, |i, j| new[(i, which[j])]);
    let near = map
        .neighbours(&Newcomers::by(By::Doubles(some.as_ref())), 4, Run::on(1))
        .unwrap();
    for i in 0..10 {
        let row: Vec<f64> = some.row(i).iter().copied().collect();
        let expected: Vec<usize> = sorted(&row, 4, false).iter().map(|&j| which[j]).collect();
        assert_eq!(
            near.of(i).map(|(j, _)| j.unwrap()).collect::<Vec<_>>(),
            expected
        );
    }
    let isomap = FitSettings {
        method: Method::Isomap,
        neighbourhood: Some(Neighbourhood::Nearest(8)),
        ..axes(2)
    };
    let by_graph = map_of(old, Kind::Dissimilarity, &isomap);
    let by_features = of_points(points.get(..40, ..), &axes(2)).unwrap().map;
    let own = features(points.get(40.., ..));
    for (map, by) in [
        (by_graph, By::Doubles(new)),
        (by_features, By::Features(&own)),
    ] {
        let near = map.neighbours(&Newcomers::by(by), 4, Run::on(2)).unwrap();
        for i in 0..10 {
            let row: Vec<f64> = new.row(i).iter().copied().collect();
            let found: Vec<usize> = near.of(i).map(|(j, _)| j.unwrap()).collect();
            assert_eq!(found, sorted(&row, 4, false));
            // What was given, not what the graph makes of it.
            assert!(near.of(i).all(|(j, v)| (v - row[j.unwrap()]).abs() < 1e-12));
        }
    }
}

/// More than there are, and none, are refused.
#[test]
fn counts_that_cannot_be_are_refused() {
    let mut rng = Stream::new(33);
    let all = euclidean(12, 3, &mut rng);
    let map = map_of(all.get(..10, ..10), Kind::Dissimilarity, &axes(2));
    let newcomers = Newcomers::by(By::Doubles(all.get(10.., ..10)));
    for count in [0, 11] {
        let error = map.neighbours(&newcomers, count, Run::on(1)).unwrap_err();
        assert!(
            error.to_string().contains("expected between 1 and 10"),
            "{error}"
        );
    }
}

/// Clusters in many dimensions: the accuracy on the old objects is what newcomers of their kind have, which it is not at fitted
/// places; shares sum to one and centroids are means of leave-one-out places.
#[test]
fn accuracy_is_that_of_newcomers() {
    let mut rng = Stream::new(34);
    let (n, k, q) = (60, 60, 100);
    let (mut said, mut true_) = (0.0, 0.0);
    for _ in 0..8 {
        let points = Mat::from_fn(n + k, q, |i, j| {
            rng.normal() + if j == i % 3 { 4.0 } else { 0.0 }
        });
        let all = distances(points.as_ref(), points.as_ref());
        let map = map_of(all.get(..n, ..n), Kind::Dissimilarity, &axes(2));
        let words: Vec<String> = (0..n).map(|i| ["c", "a", "b"][i % 3].to_owned()).collect();
        let newcomers = Newcomers::by(By::Doubles(all.get(n.., ..n)));
        let how = PlaceSettings::default();
        let placed = map.place(&newcomers, &how, Run::on(1)).unwrap().1;
        let grouped = map
            .groups(&placed.coordinates, &how, &words, 5, Run::on(2))
            .unwrap();
        assert_eq!(grouped.groups, ["a", "b", "c"]);
        assert_eq!(grouped.tried, n);
        assert_eq!(grouped.largest, 1.0 / 3.0);
        let right = (0..k)
            .filter(|&i| grouped.groups[grouped.group[i].unwrap()] == ["c", "a", "b"][(n + i) % 3]);
        said += grouped.accuracy() / 8.0;
        true_ += right.count() as f64 / k as f64 / 8.0;
        for shares in grouped.shares.chunks_exact(3) {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let old = map.leave_one_out(&how, Run::on(1)).unwrap();
        let own: Vec<usize> = (0..n).filter(|i| words[*i] == "b").collect();
        let centre =
            |j: usize| own.iter().map(|&i| old.point(i)[j]).sum::<f64>() / own.len() as f64;
        let far = (0..2)
            .map(|j| (placed.point(0)[j] - centre(j)).powi(2))
            .sum::<f64>()
            .sqrt();
        close(grouped.distances[1], far, 1e-12);
    }
    assert!((said - true_).abs() < 0.06, "{said} {true_}");
}

/// One wrong thing at a time.
#[test]
fn groups_that_cannot_be_are_refused() {
    let mut rng = Stream::new(35);
    let all = euclidean(12, 3, &mut rng);
    let map = map_of(all.get(..10, ..10), Kind::Dissimilarity, &axes(2));
    let words: Vec<String> = (0..10).map(|i| (i % 2).to_string()).collect();
    let of = |words: &[String], how: PlaceSettings, voters: usize| {
        map.groups(&[0.0, 0.0], &how, words, voters, Run::on(1))
    };
    let project = PlaceSettings::default();
    assert!(of(&words, project, 3).is_ok());
    assert!(matches!(
        of(&words[1..], project, 3),
        Err(Error::Length { .. })
    ));
    let one = vec!["x".to_owned(); 10];
    let error = of(&one, project, 3).unwrap_err().to_string();
    assert!(error.contains("one group only, \"x\""), "{error}");
    assert!(of(&words, project, 10).is_err() && of(&words, project, 0).is_err());
    assert!(of(&words, PlaceSettings::by(Strategy::Stress), 3).is_err());
}
