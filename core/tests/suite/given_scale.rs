//! Coordinates on another scale than the proximities, and similarities given for dissimilarities: refused, with what would help.

use adjoin::random::Stream;
use adjoin::settings::Axes;
use adjoin::{About, Entries, Error, FitSettings, Fitted, Kind, Map, Objects, Run, Square};
use faer::{Mat, MatRef};

use super::common::{bray_curtis, cities, distances};

fn fitted(old: MatRef<'_, f64>, kind: Kind, settings: &FitSettings) -> Result<Fitted, Error> {
    let square = Square {
        entries: Entries::Doubles(old),
        kind,
        labels: None,
        made_of: None,
    };
    Map::fit(Objects::Square(square), settings, Run::on(1))
}

fn given(x: Mat<f64>, rescale: bool) -> FitSettings {
    FitSettings {
        axes: Axes::All,
        configuration: Some(x),
        rescale,
        ..Default::default()
    }
}

/// A map's own coordinates are taken, on two axes of many too; ten times as large or as small, or in miles beside kilometres,
/// they are refused with the factor, and rescaled they are the same map.
#[test]
fn another_scale_is_refused_with_the_factor_that_fits() {
    let mut rng = Stream::new(21);
    let points = Mat::from_fn(40, 30, |_, _| rng.normal());
    let noise = distances(points.as_ref(), points.as_ref());
    let squares = Mat::from_fn(40, 40, |i, j| noise[(i, j)].powi(2));
    let kernel = Mat::from_fn(40, 40, |i, j| (-squares[(i, j)] / 60.0).exp());
    for (old, kind) in [
        (cities().0, Kind::Dissimilarity),
        (noise, Kind::Dissimilarity),
        (squares, Kind::Squared),
        (kernel, Kind::Similarity),
        (bray_curtis(30, &mut rng), Kind::Dissimilarity),
    ] {
        let plain = fitted(old.as_ref(), kind, &FitSettings::default())
            .unwrap()
            .map;
        let x = plain.configuration().to_owned();
        assert!(fitted(old.as_ref(), kind, &given(x.clone(), false)).is_ok());
        for by in [10.0, 0.1, 1e6, 1e-30, 1.609344, 1.0 / 1.609344] {
            let off = Mat::from_fn(x.nrows(), 2, |i, j| x[(i, j)] * by);
            let error = fitted(old.as_ref(), kind, &given(off.clone(), false)).unwrap_err();
            assert_eq!(error.about(), About::Configuration);
            let factor = adjoin::number::rounded(1.0 / by);
            let words = error.to_string();
            assert!(
                words.contains(&format!("multiply them by {factor},")),
                "{words}"
            );
            let again = fitted(old.as_ref(), kind, &given(off, true)).unwrap();
            assert!(
                again
                    .findings
                    .iter()
                    .any(|f| f.contains("is multiplied by"))
            );
            let back = again.map.configuration();
            let worst = (0..x.nrows())
                .flat_map(|i| [(i, 0), (i, 1)])
                .map(|at| (back[at] - x[at]).abs())
                .fold(0.0, f64::max);
            assert!(worst <= 1e-10 * x.norm_max(), "{worst:e} {by}");
        }
    }
}

/// Coordinates whose distances are the given ones, as stress makes them, are taken, and judged by distances.
#[test]
fn coordinates_made_by_stress_are_judged_by_distances() {
    let mut rng = Stream::new(22);
    let points = Mat::from_fn(30, 2, |_, _| rng.normal());
    let noisy = distances(points.as_ref(), points.as_ref());
    let mut bent = Mat::from_fn(30, 30, |i, j| {
        noisy[(i, j)]
            * if i == j {
                0.0
            } else {
                (0.3 * rng.normal()).exp()
            }
    });
    bent = Mat::from_fn(30, 30, |i, j| 0.5 * (bent[(i, j)] + bent[(j, i)]));
    let kind = Kind::Dissimilarity;
    assert!(fitted(bent.as_ref(), kind, &given(points.clone(), false)).is_ok());
    let large = Mat::from_fn(30, 2, |i, j| 100.0 * points[(i, j)]);
    let again = fitted(bent.as_ref(), kind, &given(large, true))
        .unwrap()
        .map;
    let shown = distances(again.configuration(), again.configuration());
    let sums = (0..30 * 30).fold((0.0, 0.0), |(a, b), at| {
        let at = (at / 30, at % 30);
        (a + shown[at] * bent[at], b + shown[at] * shown[at])
    });
    assert!((sums.0 / sums.1 - 1.0).abs() < 1e-12, "{sums:?}");
}

/// Rescaling is for a configuration.
#[test]
fn nothing_to_rescale() {
    let settings = FitSettings {
        rescale: true,
        ..Default::default()
    };
    let error = fitted(cities().0.as_ref(), Kind::Dissimilarity, &settings).unwrap_err();
    assert_eq!(error.about(), About::Configuration);
}

/// Similarities without their diagonal, given for dissimilarities, turn the spectrum over: refused with the question. Data
/// that are merely not Euclidean are not.
#[test]
fn similarities_given_for_dissimilarities_are_asked_about() {
    let mut rng = Stream::new(23);
    let points = Mat::from_fn(40, 6, |_, _| rng.normal());
    let far = distances(points.as_ref(), points.as_ref());
    let similar = Mat::from_fn(40, 40, |i, j| {
        if i == j {
            0.0
        } else {
            (-far[(i, j)].powi(2) / 4.0).exp()
        }
    });
    for kind in [Kind::Dissimilarity, Kind::Squared] {
        let error = fitted(similar.as_ref(), kind, &FitSettings::default()).unwrap_err();
        assert_eq!(error.about(), About::Kind);
        assert!(
            error.to_string().ends_with("are these similarities?"),
            "{error}"
        );
    }
    let counts = bray_curtis(40, &mut rng);
    for old in [far, counts, cities().0] {
        assert!(fitted(old.as_ref(), Kind::Dissimilarity, &FitSettings::default()).is_ok());
    }
}
