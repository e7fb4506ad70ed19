//! Given coordinates with a link: what is recovered, what is said, and what is refused.

use adjoin::random::Stream;
use adjoin::settings::{Axes, Correcting, Linking, Origin};
use adjoin::{
    About, Between, By, Concern, Entries, Error, FitSettings, Fitted, Kind, Map, Newcomers,
    Objects, PlaceSettings, Run, Square, Strategy,
};
use faer::{Mat, MatRef};

use super::common::{distances, matrix, numbers};

const BY_STRESS: PlaceSettings = PlaceSettings {
    strategy: Strategy::Stress,
    recentre: false,
    scaled: false,
    prove: false,
};

fn fitted(old: MatRef<'_, f64>, kind: Kind, settings: &FitSettings) -> Result<Fitted, Error> {
    let square = Square {
        entries: Entries::Doubles(old),
        kind,
        labels: None,
        made_of: None,
    };
    Map::fit(Objects::Square(square), settings, Run::on(1))
}

fn linked(x: &Mat<f64>, link: Linking) -> FitSettings {
    FitSettings {
        axes: Axes::All,
        configuration: Some(x.clone()),
        link,
        ..Default::default()
    }
}

/// Points in the plane about (5, −3), and dissimilarities that are a function of their distances.
fn world(n: usize, seed: u64, f: impl Fn(f64) -> f64) -> (Mat<f64>, Mat<f64>) {
    let mut rng = Stream::new(seed);
    let x = Mat::from_fn(n, 2, |_, j| rng.normal() + [5.0, -3.0][j]);
    let d = distances(x.as_ref(), x.as_ref());
    let delta = Mat::from_fn(n, n, |i, j| if i == j { 0.0 } else { f(d[(i, j)]) });
    (x, delta)
}

fn to(x: &Mat<f64>, y: &Mat<f64>, f: impl Fn(f64) -> f64) -> Mat<f64> {
    let d = distances(y.as_ref(), x.as_ref());
    Mat::from_fn(d.nrows(), d.ncols(), |i, j| f(d[(i, j)]))
}

fn off(map: &Map, new: MatRef<'_, f64>, y: &Mat<f64>) -> f64 {
    let (_, placed) = map
        .place(&Newcomers::new(new), &BY_STRESS, Run::on(1))
        .unwrap();
    (0..y.nrows())
        .map(|i| {
            let step: f64 = (0..2)
                .map(|j| (placed.point(i)[j] - y[(i, j)]).powi(2))
                .sum();
            step.sqrt()
        })
        .fold(0.0, f64::max)
}

/// Where dissimilarities are a function of the form of the link, newcomers come back to where they are: exactly for a line,
/// and as exactly as the knots are near for a monotone one.
#[test]
fn newcomers_are_where_their_distances_are() {
    let mut rng = Stream::new(3);
    let y = Mat::from_fn(6, 2, |_, j| 0.7 * rng.normal() + [5.0, -3.0][j]);
    type Case = (Linking, fn(f64) -> f64, f64);
    let cases: [Case; 4] = [
        (Linking::Linear, |d| 2.0 + 0.25 * d, 1e-12),
        (Linking::Ratio, |d| 1000.0 * d, 1e-12),
        (Linking::Monotone, |d| 1.0 - (-d).exp(), 1e-3),
        (Linking::Monotone, |d| d * d * d, 1e-3),
    ];
    for (link, f, near) in cases {
        let (x, old) = world(60, 17, f);
        let fitted = fitted(old.as_ref(), Kind::Dissimilarity, &linked(&x, link)).unwrap();
        let map = &fitted.map;
        assert!(off(map, to(&x, &y, f).as_ref(), &y) < near, "{link:?}");
        let error = map.link_error().unwrap();
        assert!(
            error.median < near && error.radius > 1.0,
            "{link:?} {error:?}"
        );
        let shepard = &map.link().unwrap().shepard;
        assert!(shepard.stress < 1e-12 && shepard.pairs.len() == 60 * 59 / 2);
        assert!(
            fitted.findings[0].contains("link of"),
            "{:?}",
            fitted.findings
        );
        // Squared dissimilarities say the same.
        let squares = Mat::from_fn(60, 60, |i, j| old[(i, j)].powi(2));
        let other = self::fitted(squares.as_ref(), Kind::Squared, &linked(&x, link)).unwrap();
        let squared = to(&x, &y, |d| f(d).powi(2));
        assert!(off(&other.map, squared.as_ref(), &y) < near, "{link:?}");
    }
}

/// The monotone link sees the order of dissimilarities only: any growing function of them makes the same map, but for
/// where lines are drawn between knots, which at the old dissimilarities themselves are the same.
#[test]
fn a_monotone_link_is_of_ranks() {
    let (x, old) = world(40, 5, |d| d + 0.3 * (7.0 * d).sin());
    let plain = fitted(
        old.as_ref(),
        Kind::Dissimilarity,
        &linked(&x, Linking::Monotone),
    )
    .unwrap();
    let cubes = Mat::from_fn(40, 40, |i, j| old[(i, j)].powi(3));
    let other = fitted(
        cubes.as_ref(),
        Kind::Dissimilarity,
        &linked(&x, Linking::Monotone),
    )
    .unwrap();
    let (a, b) = (plain.map.link().unwrap(), other.map.link().unwrap());
    assert_eq!(a.shepard.stress, b.shepard.stress);
    assert!(a.shepard.stress > 0.01);
    assert_eq!(a.link.distances, b.link.distances);
}

/// Stress is Kruskal's formula over the disparities, which a linear link is free to choose worse only.
#[test]
fn a_monotone_link_has_the_least_stress() {
    let (x, old) = world(30, 9, |d| (d + 0.2 * (9.0 * d).sin()).sqrt());
    let stress = |link| {
        let fitted = fitted(old.as_ref(), Kind::Dissimilarity, &linked(&x, link)).unwrap();
        fitted.map.link().unwrap().shepard.stress
    };
    let (monotone, linear, ratio) = (
        stress(Linking::Monotone),
        stress(Linking::Linear),
        stress(Linking::Ratio),
    );
    assert!(
        monotone < linear && linear < ratio,
        "{monotone} {linear} {ratio}"
    );
}

/// Missing entries, weights and single precision, by identities: what weighs nothing is missing, and f32 is near f64.
#[test]
fn holes_weights_and_single_precision() {
    let f = |d: f64| d.sqrt();
    let (x, old) = world(50, 31, f);
    let y = Mat::from_fn(1, 2, |_, j| [5.5, -2.5][j]);
    let mut new = to(&x, &y, f);
    let settings = linked(&x, Linking::Monotone);
    let map = fitted(old.as_ref(), Kind::Dissimilarity, &settings)
        .unwrap()
        .map;
    let run = Run::on(1);
    let place = |newcomers: &Newcomers<'_>| {
        let (_, placed) = map.place(newcomers, &BY_STRESS, run).unwrap();
        (placed.point(0).to_vec(), placed.known[0])
    };
    let singles = Mat::from_fn(1, 50, |i, j| new[(i, j)] as f32);
    let whole = place(&Newcomers::new(new.as_ref()));
    let single = place(&Newcomers::by(By::Singles(singles.as_ref())));
    assert!((whole.0[0] - single.0[0]).abs() < 1e-5 && whole.1 == 50);
    // A wrong number that weighs nothing is a hole.
    let mut weights = vec![1.0; 50];
    weights[7] = 0.0;
    new[(0, 7)] = 100.0;
    let weighed = Newcomers {
        weights: Some(&weights),
        ..Newcomers::new(new.as_ref())
    };
    let weighed = place(&weighed);
    new[(0, 7)] = f64::NAN;
    let holed = Newcomers {
        missing: true,
        ..Newcomers::new(new.as_ref())
    };
    let holed = place(&holed);
    assert!((0..2).all(|j| (weighed.0[j] - holed.0[j]).abs() < 1e-12));
    assert_eq!(holed.1, 49);
    // Where no hole may be, it is named.
    let refused = map.place(&Newcomers::new(new.as_ref()), &BY_STRESS, run);
    assert!(matches!(refused, Err(Error::Entry { ref column, .. }) if column.index == 7));

    // A map whose link was fitted with weights places newcomers with them.
    let trusting = FitSettings {
        link_weights: Some(weights.clone()),
        ..settings
    };
    let trusting = fitted(old.as_ref(), Kind::Dissimilarity, &trusting)
        .unwrap()
        .map;
    new[(0, 7)] = 100.0;
    let own = trusting.place(&Newcomers::new(new.as_ref()), &BY_STRESS, run);
    let own = own.unwrap().1;
    assert!((own.point(0)[0] - 5.5).abs() < 0.01, "{:?}", own.point(0));
}

/// Stress is the usual strategy of such a map, and the only one; old objects are there each left out.
#[test]
fn other_strategies_are_refused() {
    let (x, old) = world(30, 2, |d| d.sqrt());
    let map = fitted(
        old.as_ref(),
        Kind::Dissimilarity,
        &linked(&x, Linking::Monotone),
    )
    .unwrap()
    .map;
    assert_eq!(map.usual_strategy(), Strategy::Stress);
    let run = Run::on(1);
    let new = Newcomers::new(old.as_ref());
    let refused = |error: Error| {
        assert_eq!(error.about(), About::Strategy);
        assert!(error.to_string().contains("expected stress"), "{error}");
    };
    for strategy in Strategy::ALL {
        let settings = PlaceSettings::by(strategy);
        if strategy == Strategy::Stress {
            let left_out = map.leave_one_out(&settings, run).unwrap();
            let errors = map.link().unwrap().errors(map.configuration());
            let step = |j: usize| left_out.point(3)[j] - x[(3, j)];
            assert!((step(0).hypot(step(1)) - errors[3]).abs() < 1e-15);
            assert!(left_out.p.iter().all(|p| (0.0..=1.0).contains(p)));
        } else {
            refused(map.place(&new, &settings, run).unwrap_err());
            refused(map.leave_one_out(&settings, run).unwrap_err());
        }
    }
    // There is nothing to compare, and no strategy at fault.
    let error = map.compare(&new, None, run).unwrap_err();
    assert_eq!(error.about(), About::Link);
    assert!(
        error.to_string().starts_with("a comparison of strategies"),
        "{error}"
    );
    refused(
        map.jointly(&new, Between::Given(old.as_ref()), run)
            .unwrap_err(),
    );
    let border = map.border(&new, run).unwrap();
    refused(map.arc(&border, 0, 5).unwrap_err());
    assert!(map.course(&border, 0).is_none());
    let plain = fitted(old.as_ref(), Kind::Dissimilarity, &FitSettings::default());
    assert_eq!(plain.unwrap().map.usual_strategy(), Strategy::Project);
}

/// The old part of a square is compared through the link.
#[test]
fn other_old_dissimilarities_are_told() {
    let (x, old) = world(30, 2, |d| d.sqrt());
    let map = fitted(
        old.as_ref(),
        Kind::Dissimilarity,
        &linked(&x, Linking::Monotone),
    )
    .unwrap()
    .map;
    assert!(map.check_old(old.as_ref(), Run::on(1)).is_ok());
    let other = Mat::from_fn(30, 30, |i, j| 1.1 * old[(i, j)]);
    assert!(map.check_old(other.as_ref(), Run::on(1)).is_err());
}

/// A newcomer far outside the range of the old dissimilarities is remarked on, and one within is not.
#[test]
fn dissimilarities_beyond_the_old_ones_are_remarked_on() {
    let (x, old) = world(40, 11, |d| d.sqrt());
    let map = fitted(
        old.as_ref(),
        Kind::Dissimilarity,
        &linked(&x, Linking::Monotone),
    )
    .unwrap()
    .map;
    let y = Mat::from_fn(2, 2, |i, j| [5.0, -3.0][j] + [0.1, 12.0][i]);
    let new = to(&x, &y, |d| d.sqrt());
    let (border, placed) = map
        .place(&Newcomers::new(new.as_ref()), &BY_STRESS, Run::on(1))
        .unwrap();
    let remarks = map.remarks(&border, &placed, None);
    let beyond: Vec<_> = (remarks.iter())
        .filter(|r| r.concern == Concern::Beyond)
        .collect();
    assert_eq!(beyond.len(), 1, "{remarks:?}");
    assert_eq!(beyond[0].newcomers, [1]);
    let near = new.subrows(0, 1);
    let (border, placed) = map
        .place(&Newcomers::new(near), &BY_STRESS, Run::on(1))
        .unwrap();
    assert!(map.remarks(&border, &placed, None).is_empty());
}

/// A link that puts old objects elsewhere is refused, with the numbers; by force it is taken.
#[test]
fn a_bad_link_is_refused() {
    let mut rng = Stream::new(8);
    // Coordinates of others.
    let x = Mat::from_fn(40, 2, |_, _| rng.normal());
    let (_, old) = world(40, 4, |d| d);
    let mut settings = linked(&x, Linking::Monotone);
    let error = fitted(old.as_ref(), Kind::Dissimilarity, &settings).unwrap_err();
    assert_eq!(error.about(), About::Link);
    let words = error.to_string();
    assert!(
        words.contains("expected at most half the radius"),
        "{words}"
    );
    settings.force = true;
    let forced = fitted(old.as_ref(), Kind::Dissimilarity, &settings).unwrap();
    let error = forced.map.link_error().unwrap();
    assert!(error.median > 0.5 * error.radius);
}

/// One thing wrong at a time.
#[test]
fn what_makes_no_sense_is_refused() {
    let (x, old) = world(12, 1, |d| d);
    let right = linked(&x, Linking::Monotone);
    let kind = Kind::Dissimilarity;
    assert!(fitted(old.as_ref(), kind, &right).is_ok());
    let wrong = |about: About, words: &str, old: &Mat<f64>, kind: Kind, settings: FitSettings| {
        let error = fitted(old.as_ref(), kind, &settings).unwrap_err();
        assert_eq!(error.about(), about, "{error}");
        let said = error.to_string();
        assert!(said.contains(words) && said.contains("expected"), "{said}");
    };
    let same = Mat::from_fn(12, 12, |i, j| f64::from(u8::from(i != j)));
    wrong(
        About::Link,
        "found one dissimilarity, 1,",
        &same,
        kind,
        right.clone(),
    );
    let falling = Mat::from_fn(12, 12, |i, j| if i == j { 0.0 } else { 20.0 - old[(i, j)] });
    wrong(About::Link, "do not grow", &falling, kind, right.clone());
    let gamma = Mat::from_fn(12, 12, |i, j| (-old[(i, j)]).exp());
    let words = "found a link beside similarities";
    wrong(About::Link, words, &gamma, Kind::Similarity, right.clone());
    for (about, words, settings) in [
        (
            About::Link,
            "found a link and no configuration",
            FitSettings {
                configuration: None,
                ..right.clone()
            },
        ),
        (
            About::Configuration,
            "found a wish to rescale beside a link",
            FitSettings {
                rescale: true,
                ..right.clone()
            },
        ),
        (
            About::Origin,
            "found an origin beside a link",
            FitSettings {
                origin: Origin::Object(0),
                ..right.clone()
            },
        ),
        (
            About::Correction,
            "found a correction beside a link",
            FitSettings {
                correction: Correcting::Lingoes,
                ..right.clone()
            },
        ),
        (
            About::Link,
            "found force without a link",
            FitSettings {
                link: Linking::None,
                force: true,
                ..right.clone()
            },
        ),
        (
            About::Weights,
            "found weights without a link",
            FitSettings {
                link: Linking::None,
                link_weights: Some(vec![1.0; 12]),
                ..right.clone()
            },
        ),
        (
            About::Weights,
            "found 11",
            FitSettings {
                link_weights: Some(vec![1.0; 11]),
                ..right.clone()
            },
        ),
        (
            About::Weights,
            "found the weight -1",
            FitSettings {
                link_weights: Some((0..12).map(|i| f64::from(i - 1)).collect()),
                ..right.clone()
            },
        ),
        (
            About::Configuration,
            "found 11",
            FitSettings {
                configuration: Some(x.subrows(0, 11).to_owned()),
                ..right.clone()
            },
        ),
    ] {
        wrong(about, words, &old, kind, settings);
    }
}

/// Maps of metaMDS and isoMDS: their stress is what these programs say, and old objects that are left out come back to where they are,
/// as vegan's own way to add points puts them there; without a link they do not.
#[test]
fn nonmetric_maps_of_r() {
    let json = super::common::fixture("nonmetric");
    for case in json["cases"].as_array().unwrap() {
        let name = format!("{} by {}", case["data"], case["program"]);
        let (x, added) = (matrix(&case["points"]), matrix(&case["added"]));
        let delta = numbers(&case["delta"]);
        let n = x.nrows();
        let old = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => delta[i * (i - 1) / 2 + j],
            std::cmp::Ordering::Less => delta[j * (j - 1) / 2 + i],
        });
        let settings = linked(&x, Linking::Monotone);
        let map = fitted(old.as_ref(), Kind::Dissimilarity, &settings)
            .unwrap()
            .map;
        let said = case["stress"].as_f64().unwrap();
        let stress = map.link().unwrap().shepard.stress;
        // isoMDS takes ties in the order in which they come, and can but have more.
        if case["program"] == "metaMDS" {
            assert!(
                (stress - said).abs() < 1e-6 * said,
                "{name}: {stress} {said}"
            );
        } else {
            assert!(
                stress < said * (1.0 + 1e-6) && stress > 0.98 * said,
                "{name}: {stress} {said}"
            );
        }
        let error = map.link_error().unwrap();
        let mut theirs: Vec<f64> = (0..n)
            .map(|i| (added[(i, 0)] - x[(i, 0)]).hypot(added[(i, 1)] - x[(i, 1)]))
            .collect();
        theirs.sort_by(f64::total_cmp);
        // Raw stress without a link, for comparison.
        let prepared = adjoin::strategy::stress::Prepared::new(x.as_ref());
        let mut raw: Vec<f64> = (0..n)
            .map(|i| {
                let row: Vec<f64> = (0..n)
                    .map(|j| if i == j { f64::NAN } else { old[(i, j)] })
                    .collect();
                let y = prepared
                    .place(&row, None, &[], &Default::default())
                    .coordinates;
                (y[0] - x[(i, 0)]).hypot(y[1] - x[(i, 1)])
            })
            .collect();
        raw.sort_by(f64::total_cmp);
        // vegan's way fits the monotone regression anew with the newcomer in it. An old object is at a minimum of that already, and
        // stays there; a function that is fixed beforehand puts it within a few hundredths of the radius.
        assert!(
            theirs[n / 2] < 0.01 * error.radius,
            "{name}: {}",
            theirs[n / 2]
        );
        assert!(error.median < 0.05 * error.radius, "{name}: {error:?}");
        assert!(
            raw[n / 2] > 8.0 * error.median,
            "{name}: {} {error:?}",
            raw[n / 2]
        );
    }
}
