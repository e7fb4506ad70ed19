//! How certain places are: every Jacobian by finite differences, what is not known, and refits.

use super::common::methods::{axes, by, of_features, of_points, of_square};
use super::common::*;
use adjoin::random::Stream;
use adjoin::settings::{Correcting, Landmarks, Neighbourhood, Origin};
use adjoin::{
    About, Between, Border, By, Concern, FitSettings, Kind, Map, Method, Newcomers, PlaceSettings,
    Placements, Run, Strategy, Uncertainty,
};
use faer::{Mat, MatRef};

const RUN: fn() -> Run<'static> = || Run::on(1);

/// A map and newcomers to it, on the scale of inner products up to a factor: t = −½a for squared dissimilarities, t = a for similarities.
struct Case {
    name: &'static str,
    map: Map,
    new: Mat<f64>,
    between: Mat<f64>,
    itself: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

impl Case {
    fn newcomers<'a>(&'a self, new: MatRef<'a, f64>) -> Newcomers<'a> {
        Newcomers {
            self_similarity: self.itself.as_deref(),
            weights: self.weights.as_deref(),
            missing: true,
            ..Newcomers::by(By::Doubles(new))
        }
    }

    /// a that has t larger by `step`.
    fn moved(&self, (p, i): (usize, usize), step: f64) -> Mat<f64> {
        let mut new = self.new.clone();
        new[(p, i)] += if self.itself.is_some() {
            step
        } else {
            -2.0 * step
        };
        new
    }

    fn uncertain(&self, strategy: Strategy) -> (Border, Placements) {
        let newcomers = self.newcomers(self.new.as_ref());
        let answer =
            self.map
                .place_uncertain(&newcomers, &by(strategy), Uncertainty::Axes, RUN(), |_| {
                    Ok(())
                });
        let (border, placements, _) = answer.unwrap();
        (border, placements)
    }

    /// e_i/(1 − h_i) of newcomer p, the leverage by finite differences too; none where nothing is known.
    fn inflated(&self, border: &Border, p: usize, i: usize, step: f64) -> Option<f64> {
        if self.new[(p, i)].is_nan() {
            return None;
        }
        let diagram = self.map.diagram();
        let x = diagram.about_origin();
        let m = diagram.centring().grand_mean;
        // What the border shows of object i: x_i'ŷ + α.
        let shown = |border: &Border| {
            let y = border.projection(p);
            (0..y.len()).map(|j| x[(i, j)] * y[j]).sum::<f64>() + border.means[p] - m
        };
        let at = |step: f64| {
            let new = self.moved((p, i), step);
            shown(
                &self
                    .map
                    .border(&self.newcomers(new.as_ref()), RUN())
                    .unwrap(),
            )
        };
        let h = (at(step) - at(-step)) / (2.0 * step);
        let a = self.new[(p, i)];
        let t = if self.itself.is_some() { a } else { -0.5 * a };
        let e = t - diagram.centring().row_means[i] - shown(border);
        Some(e / (1.0 - h))
    }
}

fn weighted_origin(n: usize, kinds: usize) -> Origin {
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % kinds) as f64).collect();
    let total: f64 = weights.iter().sum();
    Origin::Weights(weights.iter().map(|w| w / total).collect())
}

fn cases() -> Vec<Case> {
    let (n, k, d) = (14, 3, 2);
    let mut cases = Vec::new();
    let mut rng = Stream::new(41);
    let squared = |all: &Mat<f64>| Mat::from_fn(n + k, n + k, |i, j| all[(i, j)].powi(2));
    let of = |name, all: &Mat<f64>, kind, settings: &FitSettings, itself: bool| Case {
        name,
        map: of_square(all.get(..n, ..n), kind, settings).unwrap().map,
        new: all.get(n.., ..n).to_owned(),
        between: all.get(n.., n..).to_owned(),
        itself: itself.then(|| (n..n + k).map(|i| all[(i, i)]).collect()),
        weights: None,
    };
    let all = squared(&euclidean(n + k, 6, &mut rng));
    cases.push(of("centroid", &all, Kind::Squared, &axes(d), false));
    let all = squared(&bray_curtis(n + k, &mut rng));
    cases.push(of("not Euclidean", &all, Kind::Squared, &axes(d), false));
    let all = squared(&euclidean(n + k, 6, &mut rng));
    let origin = weighted_origin(n, 4);
    let settings = FitSettings { origin, ..axes(d) };
    cases.push(of("another origin", &all, Kind::Squared, &settings, false));
    let lengths = euclidean(n + k, 6, &mut rng);
    let kernel = Mat::from_fn(n + k, n + k, |i, j| (-0.3 * lengths[(i, j)].powi(2)).exp());
    cases.push(of("kernel", &kernel, Kind::Similarity, &axes(d), true));
    // A configuration that is given: fitted, turned and shifted.
    let all = squared(&euclidean(n + k, 6, &mut rng));
    let plain = of("plain", &all, Kind::Squared, &axes(d), false);
    let x = plain.map.configuration().to_owned();
    let configuration = Mat::from_fn(n, d, |i, j| {
        [
            0.8 * x[(i, 0)] - 0.6 * x[(i, 1)] + 3.0,
            0.6 * x[(i, 0)] + 0.8 * x[(i, 1)],
        ][j]
    });
    let settings = FitSettings {
        configuration: Some(configuration),
        ..axes(d)
    };
    cases.push(of("given", &all, Kind::Squared, &settings, false));
    let mut holes = of("holes", &all, Kind::Squared, &axes(d), false);
    for (p, i) in [(0, 3), (0, 9), (1, 0), (2, 5), (2, 6), (2, 7), (2, 13)] {
        holes.new[(p, i)] = f64::NAN;
    }
    cases.push(holes);
    let mut weighted = of("weights", &all, Kind::Squared, &axes(d), false);
    weighted.weights = Some((0..n).map(|i| 0.2 + (i % 5) as f64).collect());
    weighted.new[(1, 4)] = f64::NAN;
    cases.push(weighted);
    let origin = weighted_origin(n, 3);
    let mut both = of(
        "holes, another origin",
        &all,
        Kind::Squared,
        &FitSettings { origin, ..axes(d) },
        false,
    );
    both.new[(0, 2)] = f64::NAN;
    cases.push(both);
    cases
}

fn same(found: &[f64], expected: &[f64], bound: f64, what: &str) {
    let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= bound * size,
            "{what}: {found:?} {expected:?}"
        );
    }
}

/// Adds v'v·w.
fn add(sum: &mut [f64], v: &[f64], w: f64) {
    let d = v.len();
    (0..d * d).for_each(|at| sum[at] += w * v[at / d] * v[at % d]);
}

/// Σ is Σ_i (e_i/(1 − h_i))² (dy/dε_i)(dy/dε_i)', with derivatives and leverages by finite differences: on every kind of map, with
/// holes, weights and other origins, by project and by reconstruct.
#[test]
fn covariances_are_those_of_finite_differences() {
    for case in cases() {
        let size = case.map.spread().powi(2);
        for strategy in [Strategy::Project, Strategy::Reconstruct] {
            let (border, placements) = case.uncertain(strategy);
            let (k, d) = (placements.count(), placements.dimensions);
            for p in 0..k {
                let mut expected = vec![0.0; d * d];
                for i in 0..case.map.diagram().count() {
                    let step = 1e-5 * size;
                    let Some(inflated) = case.inflated(&border, p, i, step) else {
                        continue;
                    };
                    let at = |step: f64| {
                        let new = case.moved((p, i), step);
                        let placed =
                            case.map
                                .place(&case.newcomers(new.as_ref()), &by(strategy), RUN());
                        placed.unwrap().1.point(p).to_vec()
                    };
                    let (up, down) = (at(step), at(-step));
                    let slope: Vec<f64> = up
                        .iter()
                        .zip(down)
                        .map(|(u, d)| (u - d) / (2.0 * step))
                        .collect();
                    add(&mut expected, &slope, inflated * inflated);
                }
                let found = &placements.covariance[p * d * d..(p + 1) * d * d];
                same(
                    found,
                    &expected,
                    1e-6,
                    &format!("{} {strategy:?} {p}", case.name),
                );
                assert_eq!(placements.standard_error(p, 1), found[3].sqrt());
            }
        }
    }
}

/// The same for newcomers that are placed together, also where something between them is missing.
#[test]
fn joint_covariances_are_those_of_finite_differences() {
    for mut case in cases() {
        for missing in [false, true] {
            if missing {
                case.between[(0, 2)] = f64::NAN;
                case.between[(2, 0)] = f64::NAN;
            }
            let between = Between::Given(case.between.as_ref());
            let newcomers = case.newcomers(case.new.as_ref());
            let answer =
                case.map
                    .jointly_uncertain(&newcomers, between, Uncertainty::Axes, RUN(), |_| Ok(()));
            let (border, jointly, _) = answer.unwrap();
            let placements = jointly.placements;
            let (k, d) = (placements.count(), placements.dimensions);
            let mut expected = vec![0.0; k * d * d];
            let step = 1e-5 * case.map.spread().powi(2);
            for p in 0..k {
                for i in 0..case.map.diagram().count() {
                    let Some(inflated) = case.inflated(&border, p, i, step) else {
                        continue;
                    };
                    let at = |step: f64| {
                        let new = case.moved((p, i), step);
                        let answer =
                            case.map
                                .jointly(&case.newcomers(new.as_ref()), between, RUN());
                        answer.unwrap().1.placements.coordinates
                    };
                    let (up, down) = (at(step), at(-step));
                    let slope: Vec<f64> = up
                        .iter()
                        .zip(down)
                        .map(|(u, d)| (u - d) / (2.0 * step))
                        .collect();
                    for (sum, slope) in expected.chunks_exact_mut(d * d).zip(slope.chunks_exact(d))
                    {
                        add(sum, slope, inflated * inflated);
                    }
                }
            }
            same(&placements.covariance, &expected, 1e-4, case.name);
        }
    }
}

/// One newcomer together is one alone.
#[test]
fn one_newcomer_together_is_one_alone() {
    let case = &cases()[0];
    let (_, alone) = case.uncertain(Strategy::Reconstruct);
    for p in 0..3 {
        let newcomers = case.newcomers(case.new.get(p..p + 1, ..));
        let answer =
            case.map
                .jointly_uncertain(&newcomers, Between::Made, Uncertainty::Axes, RUN(), |_| {
                    Ok(())
                });
        let together = answer.unwrap().1.placements;
        same(
            &together.covariance,
            &alone.covariance[p * 4..(p + 1) * 4],
            1e-8,
            "one",
        );
    }
}

/// The same bits in any batch, the same numbers by features and in single precision; and the places are those without.
#[test]
fn however_newcomers_come() {
    let mut rng = Stream::new(8);
    let points = Mat::from_fn(340, 5, |_, j| rng.normal() / (1.0 + j as f64));
    let (old, new) = (points.get(..300, ..), points.get(300.., ..));
    let map = of_points(old, &axes(2)).unwrap().map;
    let ask = |newcomers: &Newcomers<'_>, threads: usize| {
        let how = by(Strategy::Reconstruct);
        map.place_uncertain(newcomers, &how, Uncertainty::Axes, Run::on(threads), |_| {
            Ok(())
        })
        .unwrap()
        .1
    };
    let rows = distances(new, old);
    let whole = ask(&Newcomers::by(By::Doubles(rows.as_ref())), 2);
    let plain = map
        .place(
            &Newcomers::by(By::Doubles(rows.as_ref())),
            &by(Strategy::Reconstruct),
            RUN(),
        )
        .unwrap()
        .1;
    assert_eq!(whole.coordinates, plain.coordinates);
    assert!(plain.covariance.is_empty() && plain.side[0].is_nan() && !plain.jump[0].is_nan());
    // Column by column in memory (as from_fn makes it) and row by row: the same but for the order of sums.
    let one = ask(&Newcomers::by(By::Doubles(rows.get(7..8, ..))), 1);
    same(&one.covariance, &whole.covariance[28..32], 1e-10, "one");
    let by_rows = ask(&Newcomers::by(By::Rows(&rows.as_ref())), 2);
    same(&by_rows.covariance, &whole.covariance, 1e-10, "rows");
    let singles = Mat::from_fn(40, 300, |i, j| rows[(i, j)] as f32);
    same(
        &ask(&Newcomers::by(By::Singles(singles.as_ref())), 2).covariance,
        &whole.covariance,
        1e-4,
        "singles",
    );
    let features = super::common::methods::features(new);
    same(
        &ask(&Newcomers::by(By::Features(&features)), 2).covariance,
        &whole.covariance,
        1e-9,
        "features",
    );
    // Principal components read no proximities otherwise.
    let settings = FitSettings {
        method: Method::Pca,
        ..axes(2)
    };
    let pca = of_features(old, None, &settings).unwrap().map;
    let how = by(Strategy::Project);
    let found = pca
        .place_uncertain(
            &Newcomers::by(By::Features(&features)),
            &how,
            Uncertainty::Axes,
            RUN(),
            |_| Ok(()),
        )
        .unwrap()
        .1;
    let expected = map
        .place_uncertain(
            &Newcomers::by(By::Doubles(rows.as_ref())),
            &how,
            Uncertainty::Axes,
            RUN(),
            |_| Ok(()),
        )
        .unwrap()
        .1;
    for (f, e) in found.covariance.iter().zip(&expected.covariance) {
        assert!(
            (f.abs() - e.abs()).abs() <= 1e-9 * expected.covariance[0].abs().max(e.abs()),
            "{f} {e}"
        );
    }
}

/// An object that is fitted whatever it says does not tell how far it disagrees: the origin's, or each of d + 1 that are all there is.
#[test]
fn what_nobody_disagrees_about_is_not_known() {
    let mut case = cases().remove(0);
    for i in 3..14 {
        case.new[(0, i)] = f64::NAN;
    }
    let (_, placed) = case.uncertain(Strategy::Project);
    assert!(placed.covariance[..4].iter().all(|v| v.is_nan()));
    assert!(placed.covariance[4..].iter().all(|v| v.is_finite()));
    assert!(placed.region(0, 2, 0.95).is_nan());
    let all = euclidean(17, 6, &mut Stream::new(3));
    let settings = FitSettings {
        origin: Origin::Object(4),
        ..axes(2)
    };
    case.map = of_square(all.get(..14, ..14), Kind::Dissimilarity, &settings)
        .unwrap()
        .map;
    case.new = all.get(14.., ..14).to_owned();
    let (_, placed) = case.uncertain(Strategy::Reconstruct);
    assert!(placed.covariance.iter().all(|v| v.is_nan()));
    assert!(placed.status.iter().all(|s| s.placed()));
}

/// Regions are Hotelling's, on two axes in closed form: ν((1 − level)^(−2/(ν−1)) − 1), with n − d − 1 degrees of freedom given the axes and 19 by
/// refits; on one axis they are F's.
#[test]
fn regions_are_those_of_hotelling() {
    let case = cases().remove(0);
    let (_, mut placed) = case.uncertain(Strategy::Project);
    let d = placed.dimensions as f64;
    for blocks in [None, Some(20)] {
        placed.blocks = blocks;
        let freedom = blocks.map_or(placed.known[1] as f64 - d - 1.0, |g| g as f64 - 1.0);
        for level in [0.5f64, 0.95] {
            let closed = freedom * ((1.0 - level).powf(-2.0 / (freedom - 1.0)) - 1.0);
            let found = placed.region(1, 2, level);
            assert!((found - closed).abs() < 1e-9 * closed, "{found} {closed}");
            let one = placed.region(1, 1, level);
            assert!(one > 0.0 && one < found, "{one} {found}");
        }
    }
}

/// Fewer proximities, less certain.
#[test]
fn uncertainty_grows_with_what_is_missing() {
    let mut rng = Stream::new(5);
    let all = euclidean(140, 12, &mut rng);
    let map = of_square(all.get(..100, ..100), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let trace = |holes: usize| {
        let new = Mat::from_fn(40, 100, |i, j| {
            if j < holes {
                f64::NAN
            } else {
                all[(100 + i, j)]
            }
        });
        let newcomers = Newcomers {
            missing: true,
            ..Newcomers::by(By::Doubles(new.as_ref()))
        };
        let placed = map
            .place_uncertain(
                &newcomers,
                &by(Strategy::Project),
                Uncertainty::Axes,
                RUN(),
                |_| Ok(()),
            )
            .unwrap()
            .1;
        (0..40)
            .map(|i| placed.standard_error(i, 0).powi(2) + placed.standard_error(i, 1).powi(2))
            .sum::<f64>()
    };
    let (none, half, most) = (trace(0), trace(50), trace(80));
    assert!(1.5 * none < half && half < 3.0 * none, "{none} {half}");
    assert!(1.5 * half < most, "{half} {most}");
}

/// stretch is how much farther out on the last axis a reconstruction is than its projection, jump the way to its mirror image; and where the side is
/// uncertain and the jump is long, that place is given too.
#[test]
fn sides_jumps_and_stretches() {
    let mut rng = Stream::new(9);
    let n = 60;
    // A flat last axis, and newcomers far beyond the map: on which side, noise decides.
    let points = Mat::from_fn(n + 30, 3, |i, j| match (i < n, j) {
        (_, 0) => 5.0 * rng.normal(),
        (true, 1) => 0.5 * rng.normal(),
        (true, _) => 0.0,
        // Half of them are on one side for certain.
        (false, 1) => 8.0 * (i % 2) as f64,
        (false, _) => 6.0 + rng.normal().abs(),
    });
    let all = distances(points.as_ref(), points.as_ref());
    let map = of_square(all.get(..n, ..n), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let new = Mat::from_fn(30, n, |i, j| {
        (all[(n + i, j)].powi(2) + 0.2 * rng.normal()).sqrt()
    });
    let newcomers = Newcomers::by(By::Doubles(new.as_ref()));
    let how = by(Strategy::Reconstruct);
    let (border, placed, _) = map
        .place_uncertain(&newcomers, &how, Uncertainty::Axes, RUN(), |_| Ok(()))
        .unwrap();
    let mut both = 0;
    for i in 0..30 {
        let (y, projection) = (placed.point(i), border.projection(i));
        close(placed.stretch[i], y[1] / projection[1], 1e-6);
        close(placed.jump[i], 2.0 * y[1].abs(), 1e-12);
        assert!(placed.side[i] >= 0.0 && placed.side[i] <= 0.5);
        let uncertain = placed.side[i] > 0.05 && placed.jump[i] > 2.0 * placed.standard_error(i, 1);
        let others: Vec<_> = placed
            .alternatives
            .iter()
            .filter(|(of, _)| *of == i)
            .collect();
        assert_eq!(others.len(), usize::from(uncertain), "{i}");
        assert_eq!(placed.uncertain_sides().contains(&i), uncertain);
        for (_, other) in others {
            assert_eq!(other[..], [y[0], -y[1]]);
            both += 1;
        }
    }
    assert!((3..30).contains(&both), "{both}");
    assert!(placed.stretch.iter().any(|s| *s > 2.0));
    let projected = map
        .place_uncertain(
            &newcomers,
            &by(Strategy::Project),
            Uncertainty::Axes,
            RUN(),
            |_| Ok(()),
        )
        .unwrap()
        .1;
    assert!(
        projected
            .side
            .iter()
            .chain(&projected.jump)
            .chain(&projected.stretch)
            .all(|v| v.is_nan())
    );
}

/// A turned map has turned covariances.
#[test]
fn covariances_are_turned_with_the_map() {
    let all = euclidean(60, 5, &mut Stream::new(17));
    let settings = |rotate| FitSettings {
        method: Method::Landmark,
        landmarks: Some(Landmarks::Random { count: 25, seed: 3 }),
        rotate,
        ..axes(2)
    };
    let ask = |rotate: bool| {
        let map = of_square(all.get(..50, ..50), Kind::Dissimilarity, &settings(rotate))
            .unwrap()
            .map;
        let landmarks = map.landmarks().unwrap().to_vec();
        let new = Mat::from_fn(10, 25, |i, j| all[(50 + i, landmarks[j])]);
        map.place_uncertain(
            &Newcomers::by(By::Doubles(new.as_ref())),
            &by(Strategy::Reconstruct),
            Uncertainty::Axes,
            RUN(),
            |_| Ok(()),
        )
        .unwrap()
        .1
    };
    let (turned, plain) = (ask(true), ask(false));
    // The turn, from three of the points.
    let step =
        |p: &Placements, i: usize| [p.point(i)[0] - p.point(0)[0], p.point(i)[1] - p.point(0)[1]];
    for i in 0..10 {
        let sigma = |p: &Placements| p.covariance[4 * i..4 * i + 4].to_vec();
        let (t, s) = (sigma(&turned), sigma(&plain));
        close(t[0] + t[3], s[0] + s[3], 1e-9);
        close(t[0] * t[3] - t[1] * t[2], s[0] * s[3] - s[1] * s[2], 1e-9);
        // How far apart points are in standard errors is the same.
        for other in 1..10 {
            let form = |v: [f64; 2], s: &[f64]| {
                s[0] * v[0] * v[0] + 2.0 * s[1] * v[0] * v[1] + s[3] * v[1] * v[1]
            };
            close(
                form(step(&turned, other), &t),
                form(step(&plain, other), &s),
                1e-8,
            );
        }
    }
}

/// Where axes are well separated both ways agree, as far as twenty refits can; where they are not, refits say that it is more, and a remark says so.
#[test]
fn refits_include_what_is_uncertain_about_axes() {
    for (decay, separated) in [(1.2, true), (0.02, false)] {
        let mut rng = Stream::new(23);
        let points = Mat::from_fn(230, 30, |_, j| rng.normal() * (1.0 + j as f64).powf(-decay));
        let all = distances(points.as_ref(), points.as_ref());
        let (old, new) = (all.get(..200, ..200), all.get(200.., ..200));
        let map = of_square(old, Kind::Dissimilarity, &axes(2)).unwrap().map;
        let newcomers = Newcomers::by(By::Doubles(new));
        for strategy in [Strategy::Project, Strategy::Reconstruct] {
            let ask = |how| {
                map.place_uncertain(&newcomers, &by(strategy), how, Run::on(2), |_| Ok(()))
                    .unwrap()
            };
            let ((border, given, _), (_, refitted, _)) =
                (ask(Uncertainty::Axes), ask(Uncertainty::Refit(old)));
            assert_eq!(given.coordinates, refitted.coordinates);
            assert_eq!((given.blocks, refitted.blocks), (None, Some(20)));
            let trace = |p: &Placements, i: usize| p.covariance[4 * i] + p.covariance[4 * i + 3];
            let mut ratios: Vec<f64> = (0..30)
                .map(|i| trace(&refitted, i) / trace(&given, i))
                .collect();
            ratios.sort_by(f64::total_cmp);
            let axes = |p| {
                map.remarks(&border, p, None)
                    .iter()
                    .any(|r| r.concern == Concern::Axes)
            };
            assert_eq!(axes(&given), !separated);
            assert!(!axes(&refitted));
            let middle = ratios[15];
            assert!(
                if separated {
                    (0.4..4.0).contains(&middle)
                } else {
                    middle > 6.0
                },
                "{strategy:?} {middle}"
            );
        }
    }
}

/// Twenty refits by hand are the same: each fitted without its block, placed on, and turned back.
#[test]
fn refits_are_refits() {
    let mut rng = Stream::new(29);
    let all = euclidean(50, 4, &mut rng);
    // Fewer than twenty objects are left out one by one.
    let (old, new) = (all.get(..15, ..15), all.get(45.., ..15));
    let map = of_square(old, Kind::Dissimilarity, &axes(2)).unwrap().map;
    for strategy in Strategy::ALL {
        let answer = map.place_uncertain(
            &Newcomers::by(By::Doubles(new)),
            &by(strategy),
            Uncertainty::Refit(old),
            RUN(),
            |_| Ok(()),
        );
        let placed = answer.unwrap().1;
        assert_eq!(placed.blocks, Some(15));
        let mut places: Vec<Vec<f64>> = Vec::new();
        for out in 0..15 {
            let kept: Vec<usize> = (0..15).filter(|i| *i != out).collect();
            let square = Mat::from_fn(14, 14, |i, j| old[(kept[i], kept[j])]);
            let refit = of_square(square.as_ref(), Kind::Dissimilarity, &axes(2))
                .unwrap()
                .map;
            let x = Mat::from_fn(14, 2, |i, j| map.configuration()[(kept[i], j)]);
            let motion =
                adjoin::place::procrustes::rotation(refit.configuration(), x.as_ref(), true);
            let rows = Mat::from_fn(5, 14, |i, j| new[(i, kept[j])]);
            let again = refit
                .place(
                    &Newcomers::by(By::Doubles(rows.as_ref())),
                    &by(strategy),
                    RUN(),
                )
                .unwrap()
                .1;
            let y = MatRef::from_row_major_slice(&again.coordinates, 5, 2);
            let moved = motion.apply(y);
            places.push((0..10).map(|at| moved[(at / 2, at % 2)]).collect());
        }
        let mean: Vec<f64> = (0..10)
            .map(|at| places.iter().map(|y| y[at]).sum::<f64>() / 15.0)
            .collect();
        for i in 0..5 {
            let mut expected = vec![0.0; 4];
            for y in &places {
                add(
                    &mut expected,
                    &[y[2 * i] - mean[2 * i], y[2 * i + 1] - mean[2 * i + 1]],
                    14.0 / 15.0,
                );
            }
            same(
                &placed.covariance[4 * i..4 * i + 4],
                &expected,
                1e-7,
                strategy.word(),
            );
        }
    }
    // Together, too.
    let newcomers = Newcomers::by(By::Doubles(new));
    let between = Between::Given(all.get(45.., 45..));
    let jointly = map
        .jointly_uncertain(&newcomers, between, Uncertainty::Refit(old), RUN(), |_| {
            Ok(())
        })
        .unwrap()
        .1;
    assert!(jointly.placements.covariance.iter().all(|v| v.is_finite()));
}

/// What cannot be had is refused with what can, from one right question.
#[test]
fn what_is_refused() {
    let all = euclidean(40, 4, &mut Stream::new(31));
    let (old, new) = (all.get(..35, ..35), all.get(35.., ..35));
    let map = |settings: &FitSettings| of_square(old, Kind::Dissimilarity, settings).unwrap().map;
    let ask = |map: &Map, settings: &PlaceSettings, how| {
        let answer = map.place_uncertain(
            &Newcomers::by(By::Doubles(new)),
            settings,
            how,
            RUN(),
            |_| Ok(()),
        );
        answer.map(|_| ()).map_err(|e| (e.about(), e.to_string()))
    };
    let plain = map(&axes(2));
    let reconstruct = by(Strategy::Reconstruct);
    assert_eq!(ask(&plain, &reconstruct, Uncertainty::Axes), Ok(()));
    assert_eq!(ask(&plain, &reconstruct, Uncertainty::Refit(old)), Ok(()));
    let refused = |answer: Result<(), (About, String)>, about: About, words: &str| {
        let (found, said) = answer.unwrap_err();
        assert!(found == about && said.contains(words), "{found:?} {said}");
    };
    for strategy in [Strategy::Hyperplane, Strategy::Augment, Strategy::Stress] {
        let answer = ask(&plain, &by(strategy), Uncertainty::Axes);
        refused(answer, About::Strategy, "expected project or reconstruct");
        assert_eq!(ask(&plain, &by(strategy), Uncertainty::Refit(old)), Ok(()));
    }
    // Another OLD: as far apart as other objects, of another size, not symmetric.
    let other = Mat::from_fn(35, 35, |i, j| 1.1 * old[(i, j)]);
    refused(
        ask(&plain, &reconstruct, Uncertainty::Refit(other.as_ref())),
        About::Old,
        "are not as far apart as when the map was fitted",
    );
    refused(
        ask(&plain, &reconstruct, Uncertainty::Refit(all.as_ref())),
        About::Old,
        "40",
    );
    let mut skew = old.to_owned();
    skew[(3, 5)] *= 1.5;
    refused(
        ask(&plain, &reconstruct, Uncertainty::Refit(skew.as_ref())),
        About::Old,
        "symmetric",
    );
    let graph = FitSettings {
        method: Method::Isomap,
        neighbourhood: Some(Neighbourhood::Nearest(8)),
        ..axes(2)
    };
    let isomap = map(&graph);
    refused(
        ask(&isomap, &reconstruct, Uncertainty::Refit(old)),
        About::Uncertainty,
        "found a map by isomap",
    );
    assert_eq!(ask(&isomap, &reconstruct, Uncertainty::Axes), Ok(()));
    let given = FitSettings {
        configuration: Some(plain.configuration().to_owned()),
        ..axes(2)
    };
    refused(
        ask(&map(&given), &reconstruct, Uncertainty::Refit(old)),
        About::Uncertainty,
        "coordinates were given",
    );
    let origin = FitSettings {
        origin: Origin::Object(0),
        ..axes(2)
    };
    refused(
        ask(&map(&origin), &reconstruct, Uncertainty::Refit(old)),
        About::Uncertainty,
        "origin is not the centroid",
    );
    let corrected = map(&FitSettings {
        correction: Correcting::Lingoes,
        ..axes(2)
    });
    assert_eq!(
        ask(&corrected, &reconstruct, Uncertainty::Refit(old)),
        Ok(())
    );
}
