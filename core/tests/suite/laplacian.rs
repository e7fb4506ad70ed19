//! Laplacian eigenmaps and diffusion maps: the Nyström formula written out elsewhere, scikit-learn's embeddings, and
//! newcomers by every strategy.

use super::common::methods;

use super::common::{close, distances, fixture, matrix, number, numbers};
use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{AffinityChoice, Axes, Disconnected, Neighbourhood, Solver};
use adjoin::{Between, Error, FitSettings, Fitted, Kind, Map, Method, Newcomers, Status, Strategy};
use faer::{Mat, MatRef};
use methods::{
    by, difference, every_strategy, features, jointly, of_features, of_points, of_square, place,
    place_features, points, project,
};
use serde_json::Value;

fn plain() -> FitSettings {
    FitSettings {
        method: Method::Laplacian,
        ..Default::default()
    }
}

fn heat(gamma: f64) -> FitSettings {
    FitSettings {
        affinity: Some(AffinityChoice::Heat),
        gamma: Some(gamma),
        ..plain()
    }
}

fn given() -> FitSettings {
    FitSettings {
        affinity: Some(AffinityChoice::Given),
        ..plain()
    }
}

fn near(neighbourhood: Neighbourhood) -> FitSettings {
    FitSettings {
        affinity: Some(AffinityChoice::Neighbours),
        neighbourhood: Some(neighbourhood),
        ..plain()
    }
}

fn on(settings: &FitSettings, d: usize) -> FitSettings {
    FitSettings {
        axes: Axes::Count(d),
        ..settings.clone()
    }
}

/// The settings that a case of the fixture is about.
fn settings(case: &Value) -> FitSettings {
    let neighbourhood = case
        .get("neighbors")
        .map(|k| Neighbourhood::Nearest(number(k) as usize));
    FitSettings {
        affinity: Some(match case.get("gamma") {
            Some(_) => AffinityChoice::Heat,
            None => AffinityChoice::Neighbours,
        }),
        gamma: case.get("gamma").map(number),
        neighbourhood,
        alpha: case.get("alpha").map_or(0.0, number),
        ..plain()
    }
}

fn of(square: MatRef<'_, f64>, settings: &FitSettings, d: usize) -> Result<Fitted, Error> {
    of_square(square, Kind::Dissimilarity, &on(settings, d))
}

/// Old objects and newcomers are where the formula has them, computed with full matrices elsewhere: the heat kernel,
/// with the density taken off, between neighbours, and both; in the kernel's scaling and in the diffusion's at t = 2.
#[test]
fn newcomers_are_where_the_formula_has_them() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    for case in all["laplacian"].as_array().unwrap() {
        let settings = settings(case);
        for (time, here, there) in [
            (None, "embedding", "new"),
            (Some(2.0), "walk2", "walk2_new"),
        ] {
            let settings = FitSettings {
                time,
                ..settings.clone()
            };
            let model = of_points(old.as_ref(), &on(&settings, 3)).unwrap().map;
            for (found, expected) in model
                .diagram()
                .eigenvalues()
                .iter()
                .zip(numbers(&case["eigenvalues"]))
            {
                close(*found, expected, 1e-12);
            }
            let new = features(new.as_ref());
            let placed = place_features(&model, &new, &project()).unwrap();
            let worst = difference(
                (model.configuration(), points(&placed).as_ref()),
                (matrix(&case[here]).as_ref(), matrix(&case[there]).as_ref()),
            );
            assert!(worst < 1e-11, "{}: {worst:e}", case["name"]);
            // The residual is β − ŷ'ŷ in the kernel's own scaling.
            let plain = matrix(&case["new"]);
            for (i, beta) in numbers(&case["beta"]).into_iter().enumerate() {
                let expected = beta - plain.row(i).iter().map(|v| v * v).sum::<f64>();
                assert!((placed.residual[i] - expected).abs() < 1e-12);
            }
        }
    }
}

/// Without the diagonal and at t = 0, the embedding is scikit-learn's SpectralEmbedding.
#[test]
fn spectral_embedding_is_scikit_learns() {
    let all = fixture("methods");
    let old = matrix(&all["old"]);
    let square = distances(old.as_ref(), old.as_ref());
    for case in all["spectral"].as_array().unwrap() {
        let mut settings = FitSettings {
            diagonal: false,
            time: Some(0.0),
            ..plain()
        };
        match case.get("n_neighbors") {
            Some(k) => {
                settings.neighbourhood = Some(Neighbourhood::Nearest(number(k) as usize));
                settings.affinity = Some(AffinityChoice::Neighbours);
            }
            None => {
                settings.affinity = Some(AffinityChoice::Heat);
                settings.gamma = Some(number(&case["gamma"]));
            }
        }
        let model = of(square.as_ref(), &settings, 2).unwrap().map;
        let expected = matrix(&case["embedding"]);
        let x = model.configuration();
        let worst = difference((x, x), (expected.as_ref(), expected.as_ref()));
        assert!(worst < 1e-9, "{}: {worst:e}", case["affinity"]);
    }
}

/// A kernel that the caller has is the heat kernel when it is the heat kernel.
#[test]
fn given_similarities_are_taken_as_they_are() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    let expected = of_points(old.as_ref(), &on(&heat(0.02), 2)).unwrap().map;
    let parameters = Parameters {
        gamma: Some(0.02),
        ..Default::default()
    };
    let measure = Measure::kernel("rbf", &parameters).unwrap();
    let fitted = of_features(old.as_ref(), Some(measure), &on(&given(), 2));
    let model = fitted.unwrap().map;
    for strategy in [Strategy::Project, Strategy::Reconstruct] {
        let settings = by(strategy);
        let new = features(new.as_ref());
        let (a, b) = (
            place_features(&model, &new, &settings).unwrap(),
            place_features(&expected, &new, &settings).unwrap(),
        );
        let worst = difference(
            (model.configuration(), points(&a).as_ref()),
            (expected.configuration(), points(&b).as_ref()),
        );
        assert!(worst < 1e-11, "{worst:e}");
    }
}

/// Every kernel goes through every strategy that is offered; together, newcomers that were old objects stay where
/// they were, and what is between them is what was between them.
#[test]
fn newcomers_go_through_every_strategy() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    let square = distances(old.as_ref(), old.as_ref());
    let rows = distances(new.as_ref(), old.as_ref());
    let between = distances(new.as_ref(), new.as_ref());
    for case in all["laplacian"].as_array().unwrap() {
        for time in [None, Some(1.0)] {
            let settings = FitSettings {
                time,
                ..settings(case)
            };
            let model = of(square.as_ref(), &settings, 2).unwrap().map;
            every_strategy(
                &model,
                &Newcomers::new(rows.as_ref()),
                Between::Given(between.as_ref()),
            );
            // Old objects as newcomers: projected onto themselves.
            let placed = place(&model, &Newcomers::new(square.as_ref()), &project()).unwrap();
            let worst = difference(
                (points(&placed).as_ref(), points(&placed).as_ref()),
                (model.configuration(), model.configuration()),
            );
            assert!(worst < 1e-12, "{}: {worst:e}", case["name"]);
            for strategy in [Strategy::Hyperplane, Strategy::Augment, Strategy::Stress] {
                let settings = by(strategy);
                let refused = place(&model, &Newcomers::new(rows.as_ref()), &settings);
                assert!(matches!(refused, Err(Error::NotOffered { .. })));
            }
        }
    }
}

/// Between newcomers that are old objects the kernel is the old one: β of the joint problem is B itself, so that in
/// full dimension they reconstruct exactly.
#[test]
fn what_is_between_newcomers_is_normalised_too() {
    let all = fixture("methods");
    let old = matrix(&all["old"]);
    let square = distances(old.as_ref(), old.as_ref());
    let settings = heat(0.02);
    let model = of(square.as_ref(), &settings, 38).unwrap().map;
    let rows = square.get(..6, ..);
    let between = square.get(..6, ..6);
    let together = jointly(&model, &Newcomers::new(rows), Between::Given(between)).unwrap();
    // What is left over is what the 38 axes do not show.
    let shown: f64 = model.diagram().summary().strain;
    assert!(together.placements.objective[0] <= 2.0 * shown + 1e-14);
    assert!(shown < 1e-6 * model.diagram().summary().squared_norm);
    // What is not known between two of them is left out of the problem.
    let mut partly = between.to_owned();
    partly[(1, 4)] = f64::NAN;
    partly[(4, 1)] = f64::NAN;
    let near = near(Neighbourhood::Nearest(12));
    let sparse = of(square.as_ref(), &near, 2).unwrap().map;
    let known = jointly(&sparse, &Newcomers::new(rows), Between::Given(between)).unwrap();
    let unknown = jointly(
        &sparse,
        &Newcomers::new(rows),
        Between::Given(partly.as_ref()),
    )
    .unwrap();
    assert!(unknown.placements.objective[0] < known.placements.objective[0]);
    let nothing = jointly(&model, &Newcomers::new(rows), Between::Made);
    assert!(matches!(nothing, Err(Error::NotOffered { .. })));
}

/// Sparse and dense, iterative and not: the same.
#[test]
fn solvers_agree() {
    let mut rng = Stream::new(41);
    let values = Mat::from_fn(800, 2, |_, j| rng.normal() * (3.0 - j as f64));
    let square = distances(values.as_ref(), values.as_ref());
    let settings = FitSettings {
        neighbourhood: Some(Neighbourhood::Nearest(40)),
        ..heat(2.0)
    };
    let by = |solver| {
        let settings = FitSettings {
            solver,
            ..on(&settings, 3)
        };
        of_square(square.as_ref(), Kind::Dissimilarity, &settings)
            .unwrap()
            .map
    };
    let (a, b) = (by(Solver::Dense), by(Solver::Iterative));
    assert!(a.diagram().summary().complete && !b.diagram().summary().complete);
    let worst = difference(
        (a.configuration(), a.configuration()),
        (b.configuration(), b.configuration()),
    );
    assert!(worst < 1e-8, "{worst:e}");
    let trace = |m: &Map| m.diagram().summary().trace;
    close(
        trace(&a),
        a.diagram().summary().eigenvalues.iter().sum(),
        1e-10,
    );
    close(trace(&a), trace(&b), 1e-12);
    let squares: f64 = a
        .diagram()
        .summary()
        .eigenvalues
        .iter()
        .map(|v| v * v)
        .sum();
    close(a.diagram().summary().squared_norm, squares, 1e-10);
}

/// Pieces, loners and wrong questions.
#[test]
fn bad_questions() {
    let line = Mat::from_fn(12, 1, |i, _| i as f64 + if i > 8 { 50.0 } else { 0.0 });
    let square = distances(line.as_ref(), line.as_ref());
    let radius = near(Neighbourhood::Radius(1.5));
    let error = of(square.as_ref(), &radius, 1).unwrap_err();
    assert!(matches!(&error, Error::Disconnected { sizes, .. } if sizes == &[9, 3]));
    let largest = FitSettings {
        disconnected: Disconnected::Largest,
        ..radius.clone()
    };
    let fitted = of(square.as_ref(), &largest, 1).unwrap();
    assert_eq!(fitted.map.labels().len(), 9);
    assert!(fitted.map.diagram().summary().findings[0].contains("3 of 12"));
    // A newcomer that nobody is near has no place.
    let rows = distances(
        Mat::from_fn(2, 1, |i, _| [30.0, 2.5][i]).as_ref(),
        line.subrows(0, 9),
    );
    let placed = place(&fitted.map, &Newcomers::new(rows.as_ref()), &project()).unwrap();
    assert_eq!(placed.status, [Status::TooFew, Status::Unique]);
    let join = FitSettings {
        disconnected: Disconnected::Join,
        ..radius
    };
    assert_eq!(
        of(square.as_ref(), &join, 1).unwrap().map.labels().len(),
        12
    );

    let message = |s: &FitSettings| of(square.as_ref(), s, 1).unwrap_err().to_string();
    assert_eq!(
        message(&near(Neighbourhood::Nearest(13))),
        "found 13 neighbours for each of 12 objects, expected between 2 and 12"
    );
    assert_eq!(
        message(&heat(0.0)),
        "found 0 as gamma of the heat kernel, expected a positive number"
    );
    assert!(message(&heat(f64::NAN)).starts_with("found NaN as gamma"));
    assert!(
        message(&FitSettings {
            alpha: f64::NAN,
            ..heat(1.0)
        })
        .starts_with("found NaN as alpha")
    );
    assert!(
        message(&FitSettings {
            time: Some(f64::INFINITY),
            ..heat(1.0)
        })
        .starts_with("found inf as the time")
    );
    for affinity in [AffinityChoice::Neighbours, AffinityChoice::Given] {
        let alone = FitSettings {
            affinity: Some(affinity),
            ..plain()
        };
        assert!(message(&alone).starts_with("this affinity cannot be had here"));
    }
    // So narrow a kernel that, without the diagonal, an object is similar to none.
    let narrow = FitSettings {
        diagonal: false,
        ..heat(2000.0)
    };
    assert_eq!(
        message(&narrow),
        "found no similarity of \"1\" (number 1) to any other object, expected some: its degree is 0"
    );
    let mut similar = Mat::from_fn(12, 12, |i, j| (-square[(i, j)]).exp());
    similar[(3, 5)] = -0.1;
    similar[(5, 3)] = -0.1;
    let fit = |m: &Mat<f64>, d| of_square(m.as_ref(), Kind::Similarity, &on(&given(), d));
    let error = fit(&similar, 1).unwrap_err().to_string();
    assert!(error.starts_with(
        "found -0.1 between \"4\" (number 4) and \"6\" (number 6), expected a finite similarity"
    ));
    assert!(matches!(
        of(square.as_ref(), &heat(0.1), 0),
        Err(Error::NoDimensions)
    ));
    assert!(matches!(
        of(square.as_ref(), &heat(0.1), 40),
        Err(Error::Dimensions { .. })
    ));
}
