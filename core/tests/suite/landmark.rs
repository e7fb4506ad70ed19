//! Landmark MDS: with everybody a landmark it is classical scaling, landmarks land on themselves, and the published
//! triangulation is projection.

use super::common;
use super::common::methods;

use super::common::{bray_curtis, distances, fit};
use adjoin::measure::{Measure, Parameters};
use adjoin::method::landmark::Landmarks;
use adjoin::random::Stream;
use adjoin::settings::Axes;
use adjoin::stored::Finish;
use adjoin::{Between, Error, FitSettings, Kind, Map, Method, Newcomers, Objects, Rows, Run};

use faer::{Mat, MatRef};
use methods::{
    difference, every_strategy, features, of_features, place, place_features, points, project,
};

fn points_in(n: usize, q: usize, seed: u64) -> Mat<f64> {
    let mut rng = Stream::new(seed);
    Mat::from_fn(n, q, |_, j| rng.normal() / (1.0 + j as f64))
}

fn columns(square: &Mat<f64>, which: &[usize]) -> Mat<f64> {
    Mat::from_fn(square.nrows(), which.len(), |i, j| square[(i, which[j])])
}

fn settings(d: usize, rotate: bool) -> FitSettings {
    FitSettings {
        axes: Axes::Count(d),
        method: Method::Landmark,
        rotate,
        ..Default::default()
    }
}

fn fit_to(rows: &dyn Rows, which: &[usize], settings: &FitSettings) -> Result<Map, Error> {
    let objects = Objects::ToLandmarks {
        rows,
        landmarks: which.to_vec(),
        kind: Kind::Dissimilarity,
        labels: None,
    };
    Map::fit(objects, settings, Run::on(1)).map(|fitted| fitted.map)
}

fn of(square: &Mat<f64>, which: &[usize], d: usize, rotate: bool) -> Map {
    let rectangle = columns(square, which);
    fit_to(&rectangle.as_ref(), which, &settings(d, rotate)).unwrap()
}

fn same(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    difference((a, a), (b, b))
}

/// All objects as landmarks: classical scaling, bit for bit, also where the dissimilarities are not Euclidean.
#[test]
fn everybody_a_landmark_is_classical_scaling() {
    let mut rng = Stream::new(21);
    for square in [
        common::euclidean(40, 6, &mut rng),
        bray_curtis(40, &mut rng),
    ] {
        let all: Vec<usize> = (0..40).collect();
        let model = of(&square, &all, 3, false);
        let diagram = fit(square.as_ref(), Kind::Dissimilarity, 3);
        assert_eq!(model.configuration(), diagram.configuration());
    }
}

/// Each landmark's triangulation from its own row puts it where it is, to rounding, Euclidean or not.
#[test]
fn landmarks_land_on_themselves() {
    let mut rng = Stream::new(22);
    for square in [
        common::euclidean(60, 6, &mut rng),
        bray_curtis(60, &mut rng),
    ] {
        let which: Vec<usize> = (0..60).step_by(4).collect();
        let model = of(&square, &which, 3, false);
        let rectangle = columns(&square, &which);
        let placed = place(&model, &Newcomers::new(rectangle.as_ref()), &project()).unwrap();
        let placed = points(&placed);
        let own = Mat::from_fn(which.len(), 3, |i, j| placed[(which[i], j)]);
        let worst = same(own.as_ref(), model.diagram().configuration());
        assert!(worst < 1e-13, "{worst:e}");
        // And everybody else is where the model has them.
        let worst = same(placed.as_ref(), model.configuration());
        assert!(worst < 1e-13, "{worst:e}");
    }
}

/// −½ X†(a₂ − Δ₂e/n), de Silva and Tenenbaum's formula in full, for objects that are no landmarks.
#[test]
fn the_rest_is_the_published_triangulation() {
    let mut rng = Stream::new(23);
    let square = bray_curtis(50, &mut rng);
    let which: Vec<usize> = (0..50).step_by(5).collect();
    let model = of(&square, &which, 2, false);
    let (x, values) = (
        model.diagram().configuration(),
        model.diagram().eigenvalues(),
    );
    let l = which.len() as f64;
    for i in 0..50 {
        for a in 0..2 {
            let term = |j: usize| {
                let mean = which
                    .iter()
                    .map(|&m| square[(which[j], m)].powi(2))
                    .sum::<f64>()
                    / l;
                x[(j, a)] / values[a] * (square[(i, which[j])].powi(2) - mean)
            };
            let expected = -0.5 * (0..which.len()).map(term).sum::<f64>();
            let found = model.configuration()[(i, a)];
            assert!(
                (found - expected).abs() < 1e-13,
                "{found} instead of {expected}"
            );
        }
    }
}

/// Points in as many dimensions as the map has are recovered from a few landmarks, whatever the choice; turned to
/// principal axes they are PCA's.
#[test]
fn euclidean_points_are_recovered_and_turned() {
    let values = points_in(80, 3, 24);
    let square = distances(values.as_ref(), values.as_ref());
    let measure = Measure::metric("euclidean", &Parameters::default()).unwrap();
    let components = FitSettings {
        axes: Axes::Count(3),
        method: Method::Pca,
        ..Default::default()
    };
    let whole = of_features(values.as_ref(), None, &components).unwrap().map;
    for landmarks in [
        Landmarks::Random { count: 9, seed: 3 },
        Landmarks::Maxmin { count: 9, seed: 3 },
        Landmarks::Given(vec![40, 2, 7, 11]),
    ] {
        let settings = FitSettings {
            landmarks: Some(landmarks),
            ..settings(3, true)
        };
        let model = of_features(values.as_ref(), Some(measure), &settings)
            .unwrap()
            .map;
        let again = distances(model.configuration(), model.configuration());
        assert!(same(again.as_ref(), square.as_ref()) < 1e-12);
        let worst = same(model.configuration(), whole.configuration());
        assert!(worst < 1e-12, "{worst:e}");
        // Newcomers are turned too: the old objects, coming again by their features, are where they were.
        let placed = place_features(&model, &features(values.as_ref()), &project()).unwrap();
        let worst = same(points(&placed).as_ref(), model.configuration());
        assert!(worst < 1e-12, "{worst:e}");
        assert!(matches!(model.parts().finish, Finish::Motion(_)));
    }
}

/// Later newcomers go through every strategy, arcs and joint placement, turned or not.
#[test]
fn newcomers_go_through_every_strategy() {
    let values = points_in(60, 5, 25);
    let square = distances(values.as_ref(), values.as_ref());
    let old = square.get(..50, ..50).to_owned();
    let which: Vec<usize> = (0..50).step_by(4).collect();
    let new = Mat::from_fn(10, which.len(), |i, j| square[(50 + i, which[j])]);
    let between = square.get(50.., 50..);
    for rotate in [false, true] {
        let model = of(&old, &which, 2, rotate);
        every_strategy(
            &model,
            &Newcomers::new(new.as_ref()),
            Between::Given(between),
        );
    }
}

/// Maxmin takes the farthest each time, the first on ties, ascending in the answer, and is the same on every run;
/// similarities are as far apart as their distances.
#[test]
fn maxmin_takes_the_farthest() {
    let line = Mat::from_fn(9, 1, |i, _| {
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0][i]
    });
    let square = distances(line.as_ref(), line.as_ref());
    let choose = |rows: &dyn Rows, kind, own: Option<&[f64]>, count, seed| {
        let landmarks = Landmarks::Maxmin { count, seed };
        landmarks.choose(rows, kind, own, Run::on(1))
    };
    let kind = Kind::Dissimilarity;
    for seed in 0..20 {
        let chosen = choose(&square.as_ref(), kind, None, 3, seed).unwrap();
        assert_eq!(
            chosen,
            choose(&square.as_ref(), kind, None, 3, seed).unwrap()
        );
        // From whichever was first: the farther end, then the first of those farthest from both.
        let from = |first: usize| {
            let end: usize = if first >= 4 { 0 } else { 8 };
            let to = |j: usize| first.abs_diff(j).min(end.abs_diff(j));
            let most = (0..9).map(to).max();
            let third = (0..9).find(|&j| Some(to(j)) == most).unwrap();
            let mut all = vec![first, end, third];
            all.sort();
            all
        };
        assert!(
            chosen.iter().any(|&first| from(first) == chosen),
            "{chosen:?}"
        );
        let gram = &line * line.transpose();
        let own: Vec<f64> = (0..9).map(|i| gram[(i, i)]).collect();
        let similar = choose(&gram.as_ref(), Kind::Similarity, Some(&own), 3, seed).unwrap();
        assert_eq!(similar, chosen);
        assert!(choose(&gram.as_ref(), Kind::Similarity, None, 3, seed).is_err());
    }
    // Equal objects: as many landmarks as asked for, each once.
    let equal = Mat::<f64>::zeros(5, 5);
    let chosen = choose(&equal.as_ref(), kind, None, 4, 0).unwrap();
    assert_eq!(chosen.len(), 4);
    assert!(chosen.windows(2).all(|w| w[0] < w[1]));
}

/// Random landmarks are the same for a seed, differ between seeds, and every object has its chance.
#[test]
fn random_landmarks_are_drawn() {
    let square = Mat::<f64>::zeros(10, 10);
    let mut counts = [0; 10];
    for seed in 0..2000 {
        let landmarks = Landmarks::Random { count: 3, seed };
        let chosen = landmarks
            .choose(&square.as_ref(), Kind::Squared, None, Run::on(1))
            .unwrap();
        assert_eq!(chosen.len(), 3);
        chosen.into_iter().for_each(|i| counts[i] += 1);
    }
    // 600 each, with a standard deviation of 20.
    assert!(
        counts.iter().all(|c| (*c - 600i32).abs() < 100),
        "{counts:?}"
    );
}

/// More landmarks than objects, fewer than two, one twice, one that is not there: each is said.
#[test]
fn bad_landmarks_are_refused() {
    let mut rng = Stream::new(26);
    let square = common::euclidean(6, 2, &mut rng);
    let choose = |landmarks: Landmarks| {
        let answer = landmarks.choose(&square.as_ref(), Kind::Dissimilarity, None, Run::on(1));
        answer.unwrap_err().to_string()
    };
    for maxmin in [false, true] {
        let some = |count| {
            if maxmin {
                Landmarks::Maxmin { count, seed: 0 }
            } else {
                Landmarks::Random { count, seed: 0 }
            }
        };
        assert_eq!(
            choose(some(7)),
            "found 7 as the number of landmarks, expected at most as many as there are objects"
        );
        assert_eq!(choose(some(1)), "found 1 objects, expected at least 2");
    }
    assert_eq!(
        choose(Landmarks::Given(vec![1, 6])),
        "found a landmark with the number 7, expected one of 6 objects"
    );
    assert_eq!(
        choose(Landmarks::Given(vec![1, 2, 1])),
        "found the landmark with the number 2 twice, expected every landmark once"
    );
    let rectangle = columns(&square, &[0, 1, 2]);
    let fit =
        |which: &[usize]| fit_to(&rectangle.as_ref(), which, &settings(1, false)).unwrap_err();
    assert!(matches!(fit(&[0, 1]), Error::Length { .. }));
    // A rectangle whose columns are other objects is not symmetric among the landmarks.
    assert!(matches!(
        fit(&[0, 2, 1]),
        Error::Entry { .. } | Error::Asymmetric { .. }
    ));
}
