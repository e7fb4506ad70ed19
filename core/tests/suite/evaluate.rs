//! Strategies tried on the old objects: by folds that are fitted anew.

use super::common::methods::{axes, features, of_features, of_points, of_square};
use super::common::*;
use adjoin::random::Stream;
use adjoin::settings::Correcting;
use adjoin::{
    By, Error, EvaluateSettings, FitSettings, Kind, MEASURES, Map, Method, Newcomers,
    PlaceSettings, Run, Strategy,
};
use faer::{Mat, MatRef};

fn map_of(all: MatRef<'_, f64>, settings: &FitSettings) -> Map {
    of_square(all, Kind::Dissimilarity, settings).unwrap().map
}

fn at(name: &str) -> usize {
    MEASURES.iter().position(|m| *m == name).unwrap()
}

/// Points that the map shows whole are shown exactly, by every strategy, whoever is left out; and differences are nothing.
#[test]
fn exact_maps_are_exact_in_every_fold() {
    let mut rng = Stream::new(41);
    let all = euclidean(40, 2, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    let settings = EvaluateSettings {
        strategies: Strategy::ALL.to_vec(),
        ..Default::default()
    };
    let answer = map.evaluate(all.as_ref(), &settings, Run::on(2)).unwrap();
    assert_eq!(
        (answer.folds, answer.repeats, answer.scores.len()),
        (10, 10, 5)
    );
    for scores in &answer.scores {
        let v = |name| scores.values[at(name)];
        assert_eq!((v("neighbours"), v("unplaced")), (1.0, 0.0), "{scores:?}");
        assert!((v("rank") - 1.0).abs() < 1e-9 && v("between") < 1e-6 && v("error") < 1e-6);
        assert!((v("shown") - 1.0).abs() < 1e-6 && v("knn_loo").is_nan());
    }
    assert!(
        answer.sentence().ends_with("use project"),
        "{}",
        answer.sentence()
    );
}

/// By hand for one division: the sums over its folds are those of maps fitted to the others.
#[test]
fn folds_are_refits_of_the_others() {
    let mut rng = Stream::new(42);
    let all = euclidean(24, 6, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    // Groups decide who is in which fold, up to the order of folds, which a mean does not see.
    let words: Vec<String> = (0..24).map(|i| (i % 4).to_string()).collect();
    let settings = EvaluateSettings {
        folds: 4,
        repeats: Some(1),
        groups: Some(&words),
        ..Default::default()
    };
    let answer = map.evaluate(all.as_ref(), &settings, Run::on(1)).unwrap();
    for scores in &answer.scores {
        let mut shown = 0.0;
        for fold in 0..4 {
            let (old, new): (Vec<usize>, Vec<usize>) = (0..24).partition(|i| i % 4 != fold);
            let square = Mat::from_fn(18, 18, |i, j| all[(old[i], old[j])]);
            let rows = Mat::from_fn(6, 18, |i, j| all[(new[i], old[j])]);
            let without = map_of(square.as_ref(), &axes(2));
            let newcomers = Newcomers::by(By::Doubles(rows.as_ref()));
            let how = PlaceSettings::by(scores.strategy);
            let placed = without.place(&newcomers, &how, Run::on(1)).unwrap().1;
            let x = without.configuration();
            let (mut sum, mut given) = (0.0, 0.0);
            for i in 0..6 {
                for j in 0..18 {
                    let squares = x
                        .row(j)
                        .iter()
                        .zip(placed.point(i))
                        .map(|(x, y)| (x - y).powi(2));
                    sum += squares.sum::<f64>().sqrt();
                    given += rows[(i, j)];
                }
            }
            shown += sum / given / 4.0;
        }
        close(scores.values[at("shown")], shown, 1e-9);
    }
}

/// The same numbers for any number of threads; another seed divides otherwise; reconstruction shows more of the distances.
#[test]
fn answers_depend_on_the_seed_alone() {
    let mut rng = Stream::new(43);
    let all = euclidean(60, 40, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    let words: Vec<String> = (0..60).map(|i| (i % 3).to_string()).collect();
    let settings = EvaluateSettings {
        classes: Some(&words),
        ..Default::default()
    };
    let of = |settings: &EvaluateSettings<'_>, threads| {
        map.evaluate(all.as_ref(), settings, Run::on(threads))
            .unwrap()
    };
    let one = of(&settings, 1);
    assert_eq!(one, of(&settings, 3));
    let other = EvaluateSettings {
        seed: 2,
        ..settings.clone()
    };
    assert_ne!(one.scores, of(&other, 1).scores);
    let v = |s: usize, name| one.scores[s].values[at(name)];
    // Projected newcomers are shrunk, reconstructed ones are not.
    let radii = [v(0, "radius"), v(1, "radius")];
    assert!(radii[0] < radii[1] && radii[0] < 1.0, "{radii:?}");
    assert!(v(1, "between") < v(0, "between") && !v(1, "knn_loo").is_nan());
    assert_eq!(one.scores[0].differences[0], 0.0);
    assert!(one.scores[1].errors[at("between")] > 0.0);
}

/// Features by the map's measure, kernels and corrections are evaluated as their proximities are.
#[test]
fn measures_kernels_and_corrections_are_fitted_anew() {
    let mut rng = Stream::new(44);
    let points = Mat::from_fn(30, 4, |_, _| rng.normal());
    let settings = EvaluateSettings {
        folds: 5,
        ..Default::default()
    };
    let delta = distances(points.as_ref(), points.as_ref());
    let expected = map_of(delta.as_ref(), &axes(2))
        .evaluate(delta.as_ref(), &settings, Run::on(1))
        .unwrap();
    let pca = FitSettings {
        method: Method::Pca,
        ..axes(2)
    };
    for map in [
        of_points(points.as_ref(), &axes(2)).unwrap().map,
        of_features(points.as_ref(), None, &pca).unwrap().map,
    ] {
        let old = map
            .old_by_features(&features(points.as_ref()), Run::on(1))
            .unwrap();
        let found = map.evaluate(old.as_ref(), &settings, Run::on(1)).unwrap();
        for (a, b) in found.scores[1].values.iter().zip(expected.scores[1].values) {
            assert!((a - b).abs() < 1e-6 || a.is_nan() && b.is_nan(), "{a} {b}");
        }
        // Other features are not the map's.
        let mut other = points.clone();
        other[(7, 1)] += 0.5;
        let error = map
            .old_by_features(&features(other.as_ref()), Run::on(1))
            .unwrap_err();
        assert!(error.to_string().contains("number 8"), "{error}");
    }
    let kernel = Mat::from_fn(30, 30, |i, j| (-0.1 * delta[(i, j)].powi(2)).exp());
    let map = of_square(kernel.as_ref(), Kind::Similarity, &axes(2))
        .unwrap()
        .map;
    let found = map
        .evaluate(kernel.as_ref(), &settings, Run::on(1))
        .unwrap();
    assert!(
        found
            .scores
            .iter()
            .all(|s| s.values[..7].iter().all(|v| v.is_finite()))
    );
    let corrected = FitSettings {
        correction: Correcting::Lingoes,
        ..axes(2)
    };
    let bray = bray_curtis(30, &mut rng);
    let found = map_of(bray.as_ref(), &corrected).evaluate(bray.as_ref(), &settings, Run::on(1));
    assert_eq!(found.unwrap().scores.len(), 2);
}

/// One wrong thing at a time.
#[test]
fn what_cannot_be_evaluated_is_refused() {
    let mut rng = Stream::new(45);
    let all = euclidean(20, 5, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    let refused = |settings: EvaluateSettings<'_>| {
        let error = map
            .evaluate(all.as_ref(), &settings, Run::on(1))
            .unwrap_err();
        error.to_string()
    };
    let right = EvaluateSettings::default;
    let groups: Vec<String> = (0..20).map(|i| (i % 7).to_string()).collect();
    let one = vec!["x".to_owned(); 20];
    let many = refused(EvaluateSettings {
        groups: Some(&groups),
        ..right()
    });
    assert!(
        many.contains("found 10 folds, expected at most 7, as many as there are groups"),
        "{many}"
    );
    assert!(
        refused(EvaluateSettings {
            folds: 21,
            ..right()
        })
        .contains("at most 20")
    );
    assert!(
        refused(EvaluateSettings {
            folds: 1,
            ..right()
        })
        .contains("at least 2")
    );
    assert!(
        refused(EvaluateSettings {
            repeats: Some(0),
            ..right()
        })
        .contains("at least 1")
    );
    assert!(
        refused(EvaluateSettings {
            classes: Some(&one),
            ..right()
        })
        .contains("one group only")
    );
    assert!(
        refused(EvaluateSettings {
            classes: Some(&groups[1..]),
            ..right()
        })
        .contains("19")
    );
    // Other proximities than the map's.
    let other = euclidean(20, 5, &mut rng);
    let error = map
        .evaluate(other.as_ref(), &right(), Run::on(1))
        .unwrap_err();
    assert!(matches!(error, Error::OldPart { .. }), "{error}");
    let few = map_of(all.get(..6, ..6), &axes(3));
    let settings = EvaluateSettings {
        folds: 2,
        ..right()
    };
    let error = few
        .evaluate(all.get(..6, ..6), &settings, Run::on(1))
        .unwrap_err();
    assert!(error.to_string().contains("3 objects are left"), "{error}");
}

/// Groups are dealt in a random order: what is left is counted by the folds that there are, not by the largest group.
#[test]
fn folds_of_uneven_groups_leave_enough_or_are_refused() {
    let mut rng = Stream::new(47);
    let all = euclidean(10, 6, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    let words: Vec<String> = "aaaabbbccc".chars().map(String::from).collect();
    let mut refused = 0;
    for seed in 0..20 {
        let settings = EvaluateSettings {
            folds: 2,
            repeats: Some(1),
            groups: Some(&words),
            seed,
            ..Default::default()
        };
        match map.evaluate(all.as_ref(), &settings, Run::on(1)) {
            Ok(answer) => assert!(!answer.sentence().contains("NaN"), "{}", answer.sentence()),
            Err(error) => {
                assert!(error.to_string().contains("objects are left"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(0 < refused && refused < 20, "{refused}");
}

/// One difference has no standard error: it is not beyond two of them.
#[test]
fn a_difference_without_an_error_says_nothing() {
    let mut rng = Stream::new(48);
    let all = euclidean(11, 6, &mut rng);
    let map = map_of(all.as_ref(), &axes(2));
    let settings = EvaluateSettings {
        repeats: Some(1),
        ..Default::default()
    };
    let answer = map.evaluate(all.as_ref(), &settings, Run::on(1)).unwrap();
    assert!(answer.scores[1].errors[at("between")].is_nan());
    assert!(!answer.sentence().contains("NaN"), "{}", answer.sentence());
}
