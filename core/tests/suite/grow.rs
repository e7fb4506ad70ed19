//! Growing: against Gower's τ_w written out, by what it must equal in special cases, and to the bit.

#![allow(non_snake_case)]

use adjoin::random::Stream;
use adjoin::settings::{Correcting, Landmarks, Neighbourhood, Origin};
use adjoin::{
    Between, By, Error, FitSettings, GrowSettings, Grown, Kind, Map, Method, Newcomers, Run,
    Strategy,
};
use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};

use super::common::methods::{
    axes, by, every_strategy, features, of_features, of_points, of_square, place, points, project,
};
use super::common::{bray_curtis, distances, euclidean};

fn grow(map: &Map, rows: MatRef<'_, f64>, settings: &GrowSettings<'_>) -> Grown {
    map.grow(&Newcomers::new(rows), settings, Run::on(1))
        .unwrap()
}

fn placed_by(strategy: Strategy) -> GrowSettings<'static> {
    GrowSettings {
        place: by(strategy),
        ..Default::default()
    }
}

/// Rows and columns of a square.
fn part(all: &Mat<f64>, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Mat<f64> {
    all.get(rows, columns).to_owned()
}

/// A kernel of n random points: similarities with a diagonal that is not constant.
fn kernel(n: usize, rng: &mut Stream) -> Mat<f64> {
    let x = Mat::from_fn(n, 5, |_, j| rng.normal() / (1.0 + j as f64));
    let gram = &x * x.transpose();
    Mat::from_fn(n, n, |i, j| gram[(i, j)] + 0.1 * gram[(i, j)].powi(2))
}

/// τ_w of everybody, written out: (I − ew')T(I − we') with T = −½Δ₂ or Γ.
fn tau(all: &Mat<f64>, kind: Kind, w: &[f64]) -> Mat<f64> {
    let n = all.nrows();
    let T = Mat::from_fn(n, n, |i, j| match kind {
        Kind::Dissimilarity => -0.5 * all[(i, j)].powi(2),
        Kind::Squared => -0.5 * all[(i, j)],
        Kind::Similarity => all[(i, j)],
    });
    let P = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - w[j]);
    &P * &T * P.transpose()
}

fn newcomers<'a>(rows: MatRef<'a, f64>, itself: Option<&'a [f64]>) -> Newcomers<'a> {
    Newcomers {
        self_similarity: itself,
        ..Newcomers::new(rows)
    }
}

fn largest(m: &Mat<f64>) -> f64 {
    m.norm_max()
}

/// Founders, two generations of members, and newcomers to all of them: B of the founders is what it was, and a newcomer's place
/// follows from τ_w of everybody and Z = (X; Y), C = Z'Z. Reconstruction is stationary there and its multiplier is large enough.
fn agrees_with_tau(all: &Mat<f64>, kind: Kind, settings: &FitSettings, w: Option<Vec<f64>>) {
    let (n, first, second, k) = (14, 4, 3, 3);
    let N = all.nrows();
    assert_eq!(N, n + first + second + k);
    let itself: Vec<f64> = (0..N).map(|i| all[(i, i)]).collect();
    let own =
        |range: std::ops::Range<usize>| (kind == Kind::Similarity).then(|| itself[range].to_vec());
    let map = of_square(all.get(..n, ..n), kind, settings).unwrap().map;
    let mut grown = map.clone();
    let mut at = n;
    for (count, strategy) in [(first, Strategy::Project), (second, Strategy::Reconstruct)] {
        let rows = part(all, at..at + count, 0..at);
        let own = own(at..at + count);
        let new = newcomers(rows.as_ref(), own.as_deref());
        grown = grown
            .grow(&new, &placed_by(strategy), Run::on(1))
            .unwrap()
            .map;
        at += count;
    }

    let mut weights = w.unwrap_or_else(|| vec![1.0 / n as f64; n]);
    let founders = tau(&part(all, 0..n, 0..n), kind, &weights);
    weights.resize(N, 0.0);
    let B = tau(all, kind, &weights);
    let size = largest(&founders);
    assert!(largest(&(B.get(..n, ..n) - &founders)) <= 1e-13 * size);

    let d = grown.dimensions();
    let o = grown.diagram().origin().to_vec();
    let X = grown.configuration();
    let Z = Mat::from_fn(at, d, |i, j| X[(i, j)] - o[j]);
    let C = Z.transpose() * &Z;
    assert!(C[(0, 1)].abs() > 1e-3 * C[(0, 0)], "a general C");
    let b = B.get(..at, at..).to_owned();
    let G = Z.transpose() * &b;
    let expected = C.partial_piv_lu().solve(&G);

    let rows = part(all, at..N, 0..at);
    let own = own(at..N);
    let new = newcomers(rows.as_ref(), own.as_deref());
    let (border, projected) = grown.place(&new, &project(), Run::on(1)).unwrap();
    let reconstructed = place(&grown, &new, &by(Strategy::Reconstruct)).unwrap();
    let length = grown.spread();
    let smallest = C.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()[0];
    for i in 0..k {
        let y: Vec<f64> = (0..d).map(|j| projected.point(i)[j] - o[j]).collect();
        for j in 0..d {
            let off = (y[j] - expected[(j, i)]).abs();
            assert!(off <= 1e-11 * length, "{off}");
        }
        let beta = B[(at + i, at + i)];
        assert!((border.beta[i] - beta).abs() <= 1e-12 * size);
        let norm = b.col(i).squared_norm_l2();
        assert!((border.b_norm_squared[i] - norm).abs() <= 1e-11 * norm);

        let y: Vec<f64> = (0..d).map(|j| reconstructed.point(i)[j] - o[j]).collect();
        let lambda = y.iter().map(|v| v * v).sum::<f64>() - beta;
        assert!((lambda - reconstructed.lambda[i]).abs() <= 1e-10 * C[(0, 0)]);
        assert!(lambda + smallest >= -1e-10 * C[(0, 0)]);
        for j in 0..d {
            let left: f64 = (0..d).map(|l| C[(j, l)] * y[l]).sum::<f64>() + lambda * y[j];
            assert!(
                (left - G[(j, i)]).abs() <= 1e-10 * C[(0, 0)] * length,
                "{j}"
            );
        }
    }
    if kind == Kind::Similarity {
        return;
    }
    let between = part(all, at..N, at..N);
    every_strategy(&grown, &new, Between::Given(between.as_ref()));
}

#[test]
fn places_follow_from_tau_of_everybody() {
    let mut rng = Stream::new(31);
    for _ in 0..4 {
        agrees_with_tau(
            &euclidean(24, 6, &mut rng),
            Kind::Dissimilarity,
            &axes(3),
            None,
        );
        agrees_with_tau(
            &bray_curtis(24, &mut rng),
            Kind::Dissimilarity,
            &axes(3),
            None,
        );
        agrees_with_tau(&kernel(24, &mut rng), Kind::Similarity, &axes(3), None);
    }
}

/// Other origins, no origin, and coordinates that were given grow alike.
#[test]
fn any_origin_and_any_configuration_grow() {
    let mut rng = Stream::new(32);
    let all = bray_curtis(24, &mut rng);
    let mut w: Vec<f64> = (0..14).map(|i| 1.0 + f64::from(i % 3)).collect();
    let sum: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w /= sum);
    let settings = FitSettings {
        origin: Origin::Weights(w.clone()),
        ..axes(2)
    };
    agrees_with_tau(&all, Kind::Dissimilarity, &settings, Some(w));
    let settings = FitSettings {
        origin: Origin::Kernel,
        ..axes(2)
    };
    agrees_with_tau(
        &kernel(24, &mut rng),
        Kind::Similarity,
        &settings,
        Some(vec![0.0; 14]),
    );

    let fitted = of_square(all.get(..14, ..14), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let x = fitted.configuration();
    // Turned by a right angle and a bit, and moved.
    let given = Mat::from_fn(14, 2, |i, j| match j {
        0 => 0.6 * x[(i, 0)] - 0.8 * x[(i, 1)] + 3.0,
        _ => 0.8 * x[(i, 0)] + 0.6 * x[(i, 1)] - 1.0,
    });
    let settings = FitSettings {
        configuration: Some(given),
        ..axes(2)
    };
    agrees_with_tau(&all, Kind::Dissimilarity, &settings, None);
}

/// With Lingoes' correction everybody's squared dissimilarities have the constant in them, but for zeros.
#[test]
fn corrected_maps_grow() {
    let mut rng = Stream::new(33);
    let all = bray_curtis(24, &mut rng);
    let settings = FitSettings {
        correction: Correcting::Lingoes,
        ..axes(2)
    };
    let map = of_square(all.get(..20, ..20), Kind::Dissimilarity, &settings)
        .unwrap()
        .map;
    let adjoin::stored::Correction::Lingoes(c) = map.diagram().parts().correction else {
        panic!("no correction")
    };
    let corrected = Mat::from_fn(24, 24, |i, j| {
        if i == j {
            0.0
        } else {
            (all[(i, j)].powi(2) + 2.0 * c).sqrt()
        }
    });
    let plain = of_square(corrected.get(..20, ..20), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let [own, expected] = [(&map, &all), (&plain, &corrected)].map(|(map, all)| {
        let grown = grow(map, part(all, 20..22, 0..20).as_ref(), &Default::default()).map;
        let rows = part(all, 22..24, 0..22);
        points(
            &place(
                &grown,
                &Newcomers::new(rows.as_ref()),
                &by(Strategy::Reconstruct),
            )
            .unwrap(),
        )
    });
    let flipped = Mat::from_fn(2, 2, |i, j| {
        let along: f64 = (map.configuration().col(j).iter())
            .zip(plain.configuration().col(j).iter())
            .map(|(a, b)| a * b)
            .sum();
        along.signum() * expected[(i, j)]
    });
    assert!(largest(&(own - flipped)) <= 1e-9 * map.spread());
}

/// On Euclidean data of as many dimensions as the map has axes everything is where it is, and stays there.
#[test]
fn euclidean_data_are_exact() {
    let mut rng = Stream::new(34);
    let x = Mat::from_fn(30, 3, |_, j| rng.normal() / (1.0 + j as f64));
    let all = distances(x.as_ref(), x.as_ref());
    let map = of_square(all.get(..15, ..15), Kind::Dissimilarity, &axes(3))
        .unwrap()
        .map;
    for strategy in [Strategy::Project, Strategy::Reconstruct, Strategy::Stress] {
        let mut grown = map.clone();
        for first in [15, 20, 25] {
            let rows = part(&all, first..first + 5, 0..first);
            grown = grow(&grown, rows.as_ref(), &placed_by(strategy)).map;
        }
        let shown = distances(grown.configuration(), grown.configuration());
        assert!(
            largest(&(shown - &all)) <= 1e-6 * map.spread(),
            "{strategy:?}"
        );
        // Everybody again.
        let again = place(
            &grown,
            &Newcomers::new(all.as_ref()),
            &by(Strategy::Reconstruct),
        )
        .unwrap();
        let off = points(&again) - grown.configuration();
        assert!(largest(&off) <= 1e-6 * map.spread(), "{strategy:?}");
        // With holes too.
        let holes = Mat::from_fn(5, 30, |i, j| {
            if (i + j) % 4 == 0 {
                f64::NAN
            } else {
                all[(i, j)]
            }
        });
        let new = Newcomers {
            missing: true,
            ..Newcomers::new(holes.as_ref())
        };
        let off =
            points(&place(&grown, &new, &project()).unwrap()) - grown.configuration().get(..5, ..);
        assert!(largest(&off) <= 1e-6 * map.spread(), "{strategy:?}");
    }
}

/// Where a member lands that is entered again: at (C + yy')⁻¹(Cŷ + βy); on itself if it is a single one placed by reconstruct.
#[test]
fn a_member_entered_again() {
    let mut rng = Stream::new(35);
    for all in [euclidean(13, 6, &mut rng), bray_curtis(13, &mut rng)] {
        let map = of_square(all.get(..12, ..12), Kind::Dissimilarity, &axes(2))
            .unwrap()
            .map;
        let rows = part(&all, 12..13, 0..12);
        for strategy in [Strategy::Project, Strategy::Reconstruct] {
            let Grown {
                map: grown,
                border,
                placements,
                ..
            } = grow(&map, rows.as_ref(), &placed_by(strategy));
            let again = place(
                &grown,
                &Newcomers::new(part(&all, 12..13, 0..13).as_ref()),
                &project(),
            )
            .unwrap();
            let (y, c) = (placements.point(0), map.diagram().eigenvalues());
            let left = Mat::from_fn(2, 2, |i, j| y[i] * y[j] + if i == j { c[i] } else { 0.0 });
            let right = Mat::from_fn(2, 1, |i, _| {
                c[i] * border.projection(0)[i] + border.beta[0] * y[i]
            });
            let expected = left.partial_piv_lu().solve(&right);
            let off = |to: &dyn Fn(usize) -> f64| {
                (0..2)
                    .map(|j| (again.point(0)[j] - to(j)).abs())
                    .fold(0.0, f64::max)
                    / map.spread()
            };
            assert!(off(&|j| expected[(j, 0)]) <= 1e-12);
            let itself = off(&|j| y[j]);
            if strategy == Strategy::Reconstruct {
                assert!(itself <= 1e-12, "{itself}");
            } else {
                assert!(itself > 1e-3, "{itself}");
            }
        }
    }
}

/// Members placed jointly land on themselves when they are entered again with all proximities; reconstructed separately they do
/// not: a member is a witness, not an axis.
#[test]
fn members_entered_again_together() {
    let mut rng = Stream::new(36);
    let all = bray_curtis(16, &mut rng);
    let map = of_square(all.get(..12, ..12), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let (rows, between) = (part(&all, 12..16, 0..12), part(&all, 12..16, 12..16));
    let jointly = GrowSettings {
        between: Some(Between::Given(between.as_ref())),
        ..Default::default()
    };
    let off = |settings: &GrowSettings<'_>| {
        let grown = grow(&map, rows.as_ref(), settings);
        assert_eq!(grown.joint.is_some(), settings.between.is_some());
        let again = place(
            &grown.map,
            &Newcomers::new(part(&all, 12..16, 0..16).as_ref()),
            &project(),
        );
        largest(&(points(&again.unwrap()) - grown.map.configuration().get(12.., ..))) / map.spread()
    };
    let together = off(&jointly);
    assert!(together <= 1e-6, "{together}");
    let separately = off(&placed_by(Strategy::Reconstruct));
    assert!(separately > 1e-3, "{separately}");
}

/// The map as it was, to the bit; and A and then B, where B gives the founders' columns only, is both at once.
#[test]
fn generations_are_kept_to_the_bit() {
    let mut rng = Stream::new(37);
    let all = bray_curtis(30, &mut rng);
    let map = of_square(all.get(..18, ..18), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let strategy = placed_by(Strategy::Reconstruct);
    let one = grow(&map, part(&all, 18..22, 0..18).as_ref(), &strategy).map;
    let on_founders = GrowSettings {
        generation: Some(0),
        name: "spring.tsv".into(),
        digest: "0123".into(),
        ..strategy.clone()
    };
    let two = grow(&one, part(&all, 22..26, 0..18).as_ref(), &on_founders).map;
    let both = grow(&map, part(&all, 18..26, 0..18).as_ref(), &strategy).map;
    assert_eq!(two.configuration(), both.configuration());
    assert_eq!(two.diagram().cross(), both.diagram().cross());
    assert_eq!(two.diagram().centring(), both.diagram().centring());
    assert_eq!(
        two.parts().growth.as_ref().unwrap().members,
        both.parts().growth.as_ref().unwrap().members
    );

    let last = &two.generations()[1];
    assert_eq!((last.count, last.placed_on, last.jointly), (4, 0, false));
    assert_eq!((&last.name[..], &last.digest[..]), ("spring.tsv", "0123"));
    assert_eq!(
        (
            two.founders(),
            two.count_at(0),
            two.count_at(1),
            two.count_at(2)
        ),
        (18, 18, 22, 26)
    );

    // Placing on the map as it was, by every strategy; hyperplane too, which a map that has grown does not offer.
    for (generation, then) in [(0, &map), (1, &one)] {
        let past = two.generation(generation).unwrap();
        assert_eq!(past.labels(), then.labels());
        let n = then.labels().len();
        let rows = part(&all, 26..30, 0..n);
        for strategy in [Strategy::Project, Strategy::Reconstruct, Strategy::Stress] {
            let [a, b] = [&past, then].map(|map| {
                map.place(&Newcomers::new(rows.as_ref()), &by(strategy), Run::on(1))
                    .unwrap()
            });
            assert_eq!(a.0, b.0);
            assert_eq!(a.1.coordinates, b.1.coordinates);
            assert_eq!(a.1.p, b.1.p);
        }
        let hyperplane = place(
            &past,
            &Newcomers::new(rows.as_ref()),
            &by(Strategy::Hyperplane),
        );
        assert_eq!(hyperplane.is_ok(), generation == 0);
    }
    let refused = place(
        &two,
        &Newcomers::new(part(&all, 26..27, 0..26).as_ref()),
        &by(Strategy::Augment),
    );
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("a map that has grown"), "{text}");
    let text = two.generation(3).unwrap_err().to_string();
    assert!(
        text.contains("found generation 3, expected one from 0 to 2"),
        "{text}"
    );

    // Which columns mean which generation.
    let labels = two.labels();
    let with = |count: usize| two.generation_of(|l| labels[..count].iter().any(|x| x == l));
    assert_eq!([18, 22, 26].map(with), [Some(0), Some(1), Some(2)]);
    assert_eq!([17, 20, 25].map(with), [None, None, None]);
    let gap = two.generation_of(|l| l == labels[25] || labels[..22].iter().any(|x| x == l));
    assert_eq!(gap, None);
}

/// p is told by what newcomers are to the founders, beside founders and members; members' r and T² are those of newcomers.
#[test]
fn novelty_is_measured_on_the_founders_map() {
    let mut rng = Stream::new(38);
    let all = bray_curtis(40, &mut rng);
    let map = of_square(all.get(..24, ..24), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let came = grow(
        &map,
        part(&all, 24..32, 0..24).as_ref(),
        &placed_by(Strategy::Reconstruct),
    );
    let grown = came.map;
    let mut residuals = map.old_residuals();
    residuals.extend((0..8).map(|i| came.border.residual(i)));
    assert_eq!(grown.old_residuals(), residuals);

    let on_founders = map
        .border(
            &Newcomers::new(part(&all, 32..40, 0..24).as_ref()),
            Run::on(1),
        )
        .unwrap();
    let rows = part(&all, 32..40, 0..32);
    let (border, placed) = grown
        .place(&Newcomers::new(rows.as_ref()), &project(), Run::on(1))
        .unwrap();
    let two_sided = residuals.iter().any(|r| *r < 0.0);
    for i in 0..8 {
        let r = on_founders.residual(i);
        let share = |reached: usize| (1 + reached) as f64 / 33.0;
        let upper = share(residuals.iter().filter(|v| **v >= r).count());
        let lower = share(residuals.iter().filter(|v| **v <= r).count());
        let expected = if two_sided {
            (2.0 * upper.min(lower)).min(1.0)
        } else if r < 0.0 {
            share(0)
        } else {
            upper
        };
        assert_eq!(placed.p_outside[i], expected);
        // Not by what they are to everybody.
        assert_ne!(border.residual(i), r);
    }
    // A member left out is where it was as a newcomer.
    let left_out = grown
        .leave_one_out(&by(Strategy::Reconstruct), Run::on(1))
        .unwrap();
    let own = map
        .leave_one_out(&by(Strategy::Reconstruct), Run::on(1))
        .unwrap();
    let size = map.spread();
    for i in 0..24 {
        assert_eq!(left_out.point(i), own.point(i));
    }
    for i in 0..8 {
        for (a, b) in left_out.point(24 + i).iter().zip(came.placements.point(i)) {
            assert!((a - b).abs() <= 1e-12 * size);
        }
    }
}

/// Maps of features grow by features, and are then what they would be by proximities; components too.
#[test]
fn maps_of_features_grow_by_features() {
    let mut rng = Stream::new(39);
    let x = Mat::from_fn(24, 5, |_, j| rng.normal() / (1.0 + j as f64));
    let all = distances(x.as_ref(), x.as_ref());
    let by_distance = of_square(all.get(..16, ..16), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let by_distance = grow(
        &by_distance,
        part(&all, 16..20, 0..16).as_ref(),
        &Default::default(),
    )
    .map;
    let expected = points(
        &place(
            &by_distance,
            &Newcomers::new(part(&all, 20..24, 0..20).as_ref()),
            &by(Strategy::Reconstruct),
        )
        .unwrap(),
    );
    let pca = FitSettings {
        method: Method::Pca,
        ..axes(2)
    };
    let founders = x.get(..16, ..);
    let maps = [
        of_points(founders, &axes(2)).unwrap().map,
        of_features(founders, None, &pca).unwrap().map,
    ];
    for map in maps {
        let members = features(x.get(16..20, ..));
        let new = features(x.get(20..24, ..));
        let settings = GrowSettings::default();
        let grown = map
            .grow(
                &Newcomers::by(By::Features(&members)),
                &settings,
                Run::on(1),
            )
            .unwrap()
            .map;
        assert_eq!(grown.source().unwrap().count(), 20);
        let found = points(
            &place(
                &grown,
                &Newcomers::by(By::Features(&new)),
                &by(Strategy::Reconstruct),
            )
            .unwrap(),
        );
        for j in 0..2 {
            let sign =
                (grown.configuration()[(0, j)] * by_distance.configuration()[(0, j)]).signum();
            for i in 0..4 {
                assert!((found[(i, j)] - sign * expected[(i, j)]).abs() <= 1e-9 * map.spread());
            }
        }
        let past = grown.generation(0).unwrap();
        let [a, b] = [&past, &map]
            .map(|map| place(map, &Newcomers::by(By::Features(&new)), &project()).unwrap());
        assert_eq!(a.coordinates, b.coordinates);
        let refused = map.grow(
            &Newcomers::new(part(&all, 16..20, 0..16).as_ref()),
            &settings,
            Run::on(1),
        );
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("expected their features")
        );
    }
}

/// Landmark maps get objects, which are placed by the landmarks and judged like the others beside them.
#[test]
fn landmark_maps_get_objects() {
    let mut rng = Stream::new(40);
    let all = euclidean(40, 5, &mut rng);
    for rotate in [false, true] {
        let settings = FitSettings {
            method: Method::Landmark,
            landmarks: Some(Landmarks::Given((0..12).collect())),
            rotate,
            ..axes(2)
        };
        let map = of_square(all.get(..30, ..30), Kind::Dissimilarity, &settings)
            .unwrap()
            .map;
        let grown = grow(
            &map,
            part(&all, 30..36, 0..12).as_ref(),
            &Default::default(),
        )
        .map;
        assert_eq!(
            (
                grown.labels().len(),
                grown.landmarks().unwrap().len(),
                grown.founders()
            ),
            (36, 12, 30)
        );
        let rows = part(&all, 36..40, 0..12);
        let [a, b] = [&map, &grown]
            .map(|map| place(map, &Newcomers::new(rows.as_ref()), &project()).unwrap());
        assert_eq!(a.coordinates, b.coordinates);
        assert_ne!(a.p, b.p);
        let past = grown.generation(0).unwrap();
        assert_eq!(past.configuration(), map.configuration());
        assert_eq!(
            place(&past, &Newcomers::new(rows.as_ref()), &project())
                .unwrap()
                .p,
            a.p
        );
        // As if they had been there from the beginning.
        let whole = of_square(all.get(..36, ..36), Kind::Dissimilarity, &settings)
            .unwrap()
            .map;
        if !rotate {
            assert!(
                largest(&(whole.configuration() - grown.configuration())) <= 1e-12 * map.spread()
            );
        }
    }
}

#[test]
fn methods_whose_objects_would_move_are_refused() {
    let mut rng = Stream::new(41);
    let all = euclidean(20, 3, &mut rng);
    let heat = FitSettings {
        method: Method::Laplacian,
        gamma: Some(1.0),
        ..axes(2)
    };
    let graph = FitSettings {
        method: Method::Isomap,
        neighbourhood: Some(Neighbourhood::Nearest(6)),
        ..axes(2)
    };
    for (settings, word) in [(heat, "degrees"), (graph, "shorter ways")] {
        let map = of_square(all.get(..19, ..19), Kind::Dissimilarity, &settings)
            .unwrap()
            .map;
        let rows = part(&all, 19..20, 0..19);
        let refused = map.grow(
            &Newcomers::new(rows.as_ref()),
            &Default::default(),
            Run::on(1),
        );
        let text = refused.unwrap_err().to_string();
        assert!(
            text.contains(word) && text.contains("would have to move"),
            "{text}"
        );
    }
}

/// A label that is taken, a label twice, nobody, and a newcomer without a place.
#[test]
fn wrong_members_are_refused() {
    let mut rng = Stream::new(42);
    let all = euclidean(14, 3, &mut rng);
    let names: Vec<String> = (0..12).map(|i| format!("o{i}")).collect();
    let square = adjoin::Square {
        entries: adjoin::Entries::Doubles(all.get(..12, ..12)),
        kind: Kind::Dissimilarity,
        labels: Some(names),
        made_of: None,
    };
    let map = Map::fit(adjoin::Objects::Square(square), &axes(2), Run::on(1))
        .unwrap()
        .map;
    let rows = part(&all, 12..14, 0..12);
    let called = |labels: [&str; 2]| {
        let labels = labels.map(str::to_owned);
        let new = Newcomers {
            labels: Some(&labels),
            ..Newcomers::new(rows.as_ref())
        };
        map.grow(&new, &Default::default(), Run::on(1))
            .map(|g| g.map)
    };
    let grown = called(["a", "b"]).unwrap();
    assert_eq!(&grown.labels()[12..], ["a", "b"]);
    let text = called(["a", "o3"]).unwrap_err().to_string();
    assert_eq!(
        text,
        "found the newcomer \"o3\", which is on the map already, expected labels that are not"
    );
    assert!(matches!(
        called(["a", "a"]),
        Err(Error::DoubledLabel { .. })
    ));
    // Without names they are numbered on.
    let one = grow(
        &map,
        part(&all, 12..13, 0..12).as_ref(),
        &Default::default(),
    )
    .map;
    let two = grow(
        &one,
        part(&all, 13..14, 0..13).as_ref(),
        &Default::default(),
    )
    .map;
    assert_eq!(&two.labels()[12..], ["new1", "new2"]);

    let nobody = part(&all, 12..12, 0..12);
    let refused = map.grow(
        &Newcomers::new(nobody.as_ref()),
        &Default::default(),
        Run::on(1),
    );
    assert!(matches!(refused, Err(Error::TooFewObjects { .. })));
    let holes = Mat::from_fn(1, 12, |_, j| if j < 2 { all[(12, j)] } else { f64::NAN });
    let new = Newcomers {
        missing: true,
        ..Newcomers::new(holes.as_ref())
    };
    let text = map
        .grow(&new, &Default::default(), Run::on(1))
        .unwrap_err()
        .to_string();
    assert!(text.contains("without a place (too_few)"), "{text}");
}

/// A member whose proximities were incomplete has the mean that an intercept tells: its square is not held against it.
#[test]
fn squares_of_everybody_are_compared_with_what_is_known() {
    let mut rng = Stream::new(43);
    let all = bray_curtis(16, &mut rng);
    let map = of_square(all.get(..12, ..12), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let holes = Mat::from_fn(2, 12, |i, j| {
        if (i, j) == (1, 3) {
            f64::NAN
        } else {
            all[(12 + i, j)]
        }
    });
    let new = Newcomers {
        missing: true,
        ..Newcomers::new(holes.as_ref())
    };
    let grown = map.grow(&new, &Default::default(), Run::on(1)).unwrap().map;
    let run = Run::on(1);
    let square = part(&all, 0..14, 0..14);
    grown.check_old(square.as_ref(), run).unwrap();
    let mut other = square.clone();
    other[(12, 0)] += 0.2;
    other[(0, 12)] += 0.2;
    assert!(matches!(
        grown.check_old(other.as_ref(), run),
        Err(Error::OldPart { .. })
    ));
    let mut other = square;
    other[(13, 0)] += 0.2;
    other[(0, 13)] += 0.2;
    grown.check_old(other.as_ref(), run).unwrap();
}
