//! Isomap: scikit-learn's numbers, landmarks, graphs that fall apart, and newcomers nobody is near.

use super::common;
use super::common::methods;

use super::common::{distances, fixture, matrix, number, numbers};
use adjoin::map::way::Way;
use adjoin::random::Stream;
use adjoin::settings::{Axes, Disconnected, Landmarks, Neighbourhood};
use adjoin::{
    Between, By, Error, FitSettings, Fitted, Kind, Map, Method, Newcomers, Run, Status, Strategy,
};

use faer::{Mat, MatRef};
use methods::{
    by, difference, every_strategy, features, jointly, of_points, of_square, place, place_features,
    points, project,
};

fn settings(neighbourhood: Neighbourhood) -> FitSettings {
    FitSettings {
        method: Method::Isomap,
        neighbourhood: Some(neighbourhood),
        ..Default::default()
    }
}

fn on(settings: &FitSettings, d: usize) -> FitSettings {
    FitSettings {
        axes: Axes::Count(d),
        ..settings.clone()
    }
}

fn of(square: MatRef<'_, f64>, settings: &FitSettings, d: usize) -> Result<Fitted, Error> {
    of_square(square, Kind::Dissimilarity, &on(settings, d))
}

fn graph(map: &Map) -> &adjoin::stored::Isomap {
    match &map.parts().way {
        Way::Graph(isomap) => isomap,
        _ => panic!(),
    }
}

/// Old objects and newcomers are where scikit-learn's Isomap has them: nearest neighbours, a radius, and three clouds
/// that are joined; from features, from distances and from squared distances.
#[test]
fn isomap_is_scikit_learns() {
    let all = fixture("methods");
    for case in all["isomap"].as_array().unwrap() {
        let (old, new) = (matrix(&case["old"]), matrix(&case["new"]));
        let neighbourhood = match case.get("radius") {
            Some(r) => Neighbourhood::Radius(number(r)),
            None => Neighbourhood::Nearest(number(&case["n_neighbors"]) as usize),
        };
        let joined = case["name"] == "joined";
        let settings = FitSettings {
            disconnected: if joined {
                Disconnected::Join
            } else {
                Disconnected::Refuse
            },
            ..settings(neighbourhood)
        };
        let fitted = of_points(old.as_ref(), &on(&settings, 2)).unwrap();
        assert_eq!(!fitted.findings.is_empty(), joined);
        let model = fitted.map;
        let placed = place_features(&model, &features(new.as_ref()), &project()).unwrap();
        let expected = (matrix(&case["embedding"]), matrix(&case["transformed"]));
        let worst = difference(
            (model.configuration(), points(&placed).as_ref()),
            (expected.0.as_ref(), expected.1.as_ref()),
        );
        assert!(worst < 1e-10, "{}: {worst:e}", case["name"]);
        let kept = graph(&model);
        let mut row = vec![0.0; old.nrows()];
        adjoin::graph::geodesic::shortest(&kept.graph, [(0, 0.0)], &mut row);
        for (found, expected) in row.iter().zip(numbers(&case["geodesics"])) {
            assert!(
                (found - expected).abs() <= 1e-12 * expected,
                "{found} instead of {expected}"
            );
        }

        let to_old = distances(new.as_ref(), old.as_ref());
        let plain = distances(old.as_ref(), old.as_ref());
        for kind in [Kind::Dissimilarity, Kind::Squared] {
            let power = |m: &Mat<f64>| {
                Mat::from_fn(m.nrows(), m.ncols(), |i, j| match kind {
                    Kind::Squared => m[(i, j)].powi(2),
                    _ => m[(i, j)],
                })
            };
            let (square, rows) = (power(&plain), power(&to_old));
            let fitted = of_square(square.as_ref(), kind, &on(&settings, 2)).unwrap();
            let again = place(&fitted.map, &Newcomers::new(rows.as_ref()), &project()).unwrap();
            let worst = difference(
                (fitted.map.configuration(), points(&again).as_ref()),
                (model.configuration(), points(&placed).as_ref()),
            );
            assert!(worst < 1e-9, "{worst:e}");
        }
    }
}

/// With all objects as landmarks, landmark Isomap is Isomap; with some, they land on themselves and everybody is near
/// where Isomap has them.
#[test]
fn landmark_isomap() {
    let all = fixture("methods");
    let case = &all["isomap"][0];
    let (old, new) = (matrix(&case["old"]), matrix(&case["new"]));
    let square = distances(old.as_ref(), old.as_ref());
    let plain = of(square.as_ref(), &settings(Neighbourhood::Nearest(7)), 2)
        .unwrap()
        .map;
    let with = |landmarks| FitSettings {
        landmarks: Some(landmarks),
        ..settings(Neighbourhood::Nearest(7))
    };
    let everybody = Landmarks::Random {
        count: 120,
        seed: 1,
    };
    let model = of(square.as_ref(), &with(everybody), 2).unwrap().map;
    assert_eq!(model.configuration(), plain.configuration());

    let to_old = distances(new.as_ref(), old.as_ref());
    for rotate in [false, true] {
        let some = FitSettings {
            rotate,
            ..with(Landmarks::Maxmin { count: 30, seed: 1 })
        };
        let model = of(square.as_ref(), &some, 2).unwrap().map;
        assert_eq!((model.labels().len(), model.diagram().count()), (120, 30));
        // The old objects, coming again: their neighbours are found anew, themselves among them.
        let placed = place(&model, &Newcomers::new(square.as_ref()), &project()).unwrap();
        let worst = difference(
            (points(&placed).as_ref(), points(&placed).as_ref()),
            (model.configuration(), model.configuration()),
        );
        assert!(worst < 1e-12, "{worst:e}");
        every_strategy(&model, &Newcomers::new(to_old.as_ref()), Between::Made);
        // Equal weights of the references change nothing; others are those of the landmarks.
        let rows = to_old.as_ref();
        let weighted = |weights: &[f64]| {
            let newcomers = Newcomers {
                weights: Some(weights),
                ..Newcomers::new(rows)
            };
            place(&model, &newcomers, &project())
        };
        let plain = place(&model, &Newcomers::new(rows), &project()).unwrap();
        let equal = weighted(&[2.0; 120]).unwrap();
        assert_eq!(equal.coordinates, plain.coordinates);
        let mut some = [1.0; 120];
        some[..60].fill(0.25);
        assert_ne!(weighted(&some).unwrap().coordinates, plain.coordinates);
        assert!(matches!(weighted(&[1.0; 30]), Err(Error::Length { .. })));
    }
}

/// On a sheet without holes a tenth of the objects say nearly the same as all of them.
#[test]
fn few_landmarks_are_enough_on_a_sheet() {
    let mut rng = Stream::new(33);
    let sheet = Mat::from_fn(400, 2, |_, j| rng.uniform() * [4.0, 1.5][j]);
    let square = distances(sheet.as_ref(), sheet.as_ref());
    let nearest = settings(Neighbourhood::Nearest(10));
    let plain = of(square.as_ref(), &nearest, 2).unwrap().map;
    let some = FitSettings {
        landmarks: Some(Landmarks::Maxmin { count: 40, seed: 1 }),
        ..nearest
    };
    let few = of(square.as_ref(), &some, 2).unwrap().map;
    let (x, expected) = (few.configuration(), plain.configuration());
    let moved = adjoin::place::procrustes::rotation(x, expected, true).apply(x);
    let off = (&moved - expected).norm_l2() / expected.norm_l2();
    assert!(off < 0.05, "{off}");
}

/// Newcomers go through every strategy, and together with and without what is between them.
#[test]
fn newcomers_go_through_every_strategy() {
    let all = fixture("methods");
    let case = &all["isomap"][0];
    let (old, new) = (matrix(&case["old"]), matrix(&case["new"]));
    let model = of_points(old.as_ref(), &on(&settings(Neighbourhood::Nearest(7)), 2))
        .unwrap()
        .map;
    let between = distances(new.as_ref(), new.as_ref());
    for between in [Between::Made, Between::Given(between.as_ref())] {
        let features = features(new.as_ref());
        every_strategy(&model, &Newcomers::by(By::Features(&features)), between);
    }
}

/// Two copies of one newcomer are 0 apart if that is known, and otherwise as far as there and back to its nearest
/// neighbour; on a line the geodesic between newcomers is the way along it.
#[test]
fn newcomers_are_linked_to_each_other() {
    let line = Mat::from_fn(30, 1, |i, _| i as f64);
    let square = distances(line.as_ref(), line.as_ref());
    let model = of(square.as_ref(), &settings(Neighbourhood::Nearest(2)), 1)
        .unwrap()
        .map;
    let new = Mat::from_fn(3, 1, |i, _| [4.25, 4.25, 20.5][i]);
    let rows = distances(new.as_ref(), line.as_ref());
    let between = distances(new.as_ref(), new.as_ref());
    let known = jointly(
        &model,
        &Newcomers::new(rows.as_ref()),
        Between::Given(between.as_ref()),
    )
    .unwrap();
    // The line is embedded exactly, so nothing is left over.
    assert!(known.placements.objective[0] < 1e-20 * 30f64.powi(4));
    let point = |i: usize| known.placements.point(i)[0];
    assert!((point(0) - point(1)).abs() < 1e-10);
    assert!(((point(2) - point(0)).abs() - 16.25).abs() < 1e-10);
    let mut wrong = between.clone();
    wrong[(0, 2)] = -1.0;
    let refused = jointly(
        &model,
        &Newcomers::new(rows.as_ref()),
        Between::Given(wrong.as_ref()),
    );
    assert!(matches!(refused, Err(Error::Between(_))));
    let unknown = jointly(&model, &Newcomers::new(rows.as_ref()), Between::Made).unwrap();
    // δ² = 0.25 between the first two in the place of 0: β is 0.125 too small, twice in the sum of squares.
    let objective = unknown.placements.objective[0];
    assert!(
        objective > 0.0 && objective <= 2.0 * 0.125f64.powi(2) + 1e-12,
        "{objective}"
    );
}

/// A graph in pieces is refused with their sizes and somebody outside the largest, reduced, or joined.
#[test]
fn graphs_that_fall_apart() {
    let mut rng = Stream::new(31);
    let values = Mat::from_fn(20, 2, |i, _| {
        rng.normal() + if i % 5 == 3 { 100.0 } else { 0.0 }
    });
    let square = distances(values.as_ref(), values.as_ref());
    let nearest = settings(Neighbourhood::Nearest(3));
    let error = of(square.as_ref(), &nearest, 1).unwrap_err();
    assert!(
        matches!(&error, Error::Disconnected { sizes, outside } if sizes == &[16, 4] && outside.index == 3)
    );
    assert!(
        error.to_string().starts_with(
            "found a graph of neighbours in 2 pieces (of 16, 4 objects), expected one piece: \"4\" (number 4)"
        ),
        "{error}"
    );
    let largest = FitSettings {
        disconnected: Disconnected::Largest,
        ..nearest.clone()
    };
    let fitted = of_points(values.as_ref(), &on(&largest, 2)).unwrap();
    let kept = fitted.kept.unwrap();
    assert_eq!(kept.len(), 16);
    assert!(kept.iter().all(|i| i % 5 != 3));
    assert_eq!(fitted.map.labels()[3], "5");
    assert!(fitted.findings[0].contains("4 of 20 objects"));
    // It is the map of those alone.
    let alone = Mat::from_fn(16, 2, |i, j| values[(kept[i], j)]);
    let expected = of_points(alone.as_ref(), &on(&nearest, 2)).unwrap();
    assert_eq!(fitted.map.configuration(), expected.map.configuration());
    let placed = place_features(&fitted.map, &features(alone.as_ref()), &project()).unwrap();
    assert!(placed.status.iter().all(|s| *s == Status::Unique));
    let join = FitSettings {
        disconnected: Disconnected::Join,
        ..nearest
    };
    assert_eq!(
        of(square.as_ref(), &join, 1).unwrap().map.labels().len(),
        20
    );
}

/// A newcomer outside every radius has no place, and the others have theirs.
#[test]
fn a_newcomer_that_nobody_is_near() {
    let line = Mat::from_fn(12, 1, |i, _| i as f64);
    let square = distances(line.as_ref(), line.as_ref());
    let model = of(square.as_ref(), &settings(Neighbourhood::Radius(1.5)), 1)
        .unwrap()
        .map;
    let new = Mat::from_fn(3, 1, |i, _| [2.5, 99.0, 7.25][i]);
    let rows = distances(new.as_ref(), line.as_ref());
    for strategy in [Strategy::Project, Strategy::Reconstruct, Strategy::Stress] {
        let settings = by(strategy);
        let placed = place(&model, &Newcomers::new(rows.as_ref()), &settings).unwrap();
        assert_eq!(placed.status[1], Status::TooFew);
        assert!(placed.point(1)[0].is_nan() && placed.point(0)[0].is_finite());
        let apart = (placed.point(2)[0] - placed.point(0)[0]).abs();
        assert!((apart - 4.75).abs() < 1e-6, "{strategy:?}: {apart}");
    }
    let together = jointly(&model, &Newcomers::new(rows.as_ref()), Between::Made).unwrap();
    assert_eq!(together.placements.status[1], Status::TooFew);
    assert!(together.placements.point(2)[0].is_finite());
    // Distances that are not known are nobody's neighbours.
    let mut partly = rows.clone();
    partly[(0, 2)] = f64::NAN;
    let partly = partly.as_ref();
    let newcomers = Newcomers {
        missing: true,
        ..Newcomers::new(partly)
    };
    let placed = place(&model, &newcomers, &project()).unwrap();
    assert!((placed.point(2)[0] - placed.point(0)[0]).abs() > 4.7);
    let refused = place(&model, &Newcomers::new(partly), &project()).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("found NaN (a missing value) between \"new1\" (number 1) and \"3\"")
    );
}

/// Neighbours that cannot be had, similarities, wrong widths and wrong numbers are refused.
#[test]
fn bad_questions() {
    let mut rng = Stream::new(32);
    let square = common::euclidean(6, 2, &mut rng);
    let message = |n| {
        of(square.as_ref(), &settings(n), 1)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(Neighbourhood::Nearest(6)),
        "found 6 neighbours for each of 6 objects, expected between 1 and 5"
    );
    assert!(message(Neighbourhood::Nearest(0)).starts_with("found 0 neighbours"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(Neighbourhood::Radius(bad)).contains("as the radius"));
    }
    let nearest = settings(Neighbourhood::Nearest(5));
    let similar = of_square(square.as_ref(), Kind::Similarity, &on(&nearest, 1));
    assert!(matches!(similar, Err(Error::NotOffered { .. })));
    let mut bad = square.clone();
    bad[(2, 4)] = -1.0;
    let error = of(bad.as_ref(), &nearest, 1).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("found -1 between \"3\" (number 3) and \"5\""),
        "{error}"
    );
    let model = of(square.as_ref(), &nearest, 1).unwrap().map;
    let narrow = Mat::<f64>::zeros(2, 5);
    let error = place(&model, &Newcomers::new(narrow.as_ref()), &project()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found 5 proximities for each newcomer, expected 6"
    );
    let by_features = place_features(&model, &features(narrow.as_ref()), &project()).unwrap_err();
    assert!(matches!(by_features, Error::NotOffered { .. }));
}

/// The answer is the same on one thread and on several, and in any batch.
#[test]
fn threads_and_batches_change_nothing() {
    let all = fixture("methods");
    let case = &all["isomap"][0];
    let (old, new) = (matrix(&case["old"]), matrix(&case["new"]));
    let square = distances(old.as_ref(), old.as_ref());
    let nearest = settings(Neighbourhood::Nearest(7));
    let fitted = |threads| {
        let square = adjoin::Square {
            entries: adjoin::Entries::Doubles(square.as_ref()),
            kind: Kind::Dissimilarity,
            labels: None,
            made_of: None,
        };
        let objects = adjoin::Objects::Square(square);
        Map::fit(objects, &on(&nearest, 2), Run::on(threads))
            .unwrap()
            .map
    };
    let (one, three) = (fitted(1), fitted(3));
    let rows = distances(new.as_ref(), old.as_ref());
    let single = place(&one, &Newcomers::new(rows.as_ref()), &project()).unwrap();
    let newcomers = Newcomers::new(rows.as_ref());
    let several = one.place(&newcomers, &project(), Run::on(3)).unwrap().1;
    assert_eq!(single.coordinates, several.coordinates);
    assert_eq!(single.objective, several.objective);
    let alone = rows.get(4..5, ..);
    let alone = place(&one, &Newcomers::new(alone), &project()).unwrap();
    assert_eq!(alone.point(0), single.point(4));
    let a = graph(&one);
    let b = graph(&three);
    assert_eq!(a, b);
}
