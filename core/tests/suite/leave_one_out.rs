//! Objects left out: without refitting what refitting says, on every kind of data; and the theorem by which restricted
//! reconstruction undoes what projection shrinks.

#![allow(non_snake_case)]

use super::common::methods::{axes, by, of_features, of_square};
use super::common::*;
use adjoin::fit::centring::Origin;
use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::fit::spectrum::Solver;
use adjoin::input::block::Block;
use adjoin::input::kind::Kind;
use adjoin::input::proximities::Proximities;
use adjoin::joint::{DenseBetween, JointSettings, Problem};
use adjoin::method::landmark::Landmarks;
use adjoin::place::procrustes::rotation;
use adjoin::random::Stream;
use adjoin::stored::LeftOut;
use adjoin::{Border, FitSettings, Map, Method, PlaceSettings, Run, Status, Strategy};
use faer::{Mat, MatRef, Par};

fn data() -> Vec<(&'static str, Kind, Mat<f64>, usize)> {
    let mut rng = Stream::new(5);
    let roads = matrix(&fixture("eurodist")["dissimilarities"]);
    let points = euclidean(26, 5, &mut rng);
    let kernel = Mat::from_fn(26, 26, |i, j| (-0.3 * points[(i, j)].powi(2)).exp());
    vec![
        (
            "gaussian",
            Kind::Dissimilarity,
            euclidean(30, 6, &mut rng),
            3,
        ),
        (
            "many features",
            Kind::Dissimilarity,
            euclidean(24, 70, &mut rng),
            5,
        ),
        ("plane", Kind::Dissimilarity, euclidean(12, 2, &mut rng), 2),
        (
            "bray-curtis",
            Kind::Dissimilarity,
            bray_curtis(30, &mut rng),
            4,
        ),
        ("words", Kind::Dissimilarity, words(28, &mut rng), 3),
        ("roads", Kind::Dissimilarity, roads, 2),
        ("kernel", Kind::Similarity, kernel, 3),
    ]
}

/// Rows and columns `which` of a square.
fn part(all: MatRef<'_, f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| all[(rows[i], columns[j])])
}

/// Where strategies place an object.
type Places = Vec<(Strategy, Vec<f64>)>;

/// Object `i` as a newcomer to a map that is fitted to the others: its border there, and its places by the strategies that
/// need no more, turned onto `x`. Nothing if the others have fewer axes.
fn refitted(
    all: MatRef<'_, f64>,
    kind: Kind,
    x: MatRef<'_, f64>,
    i: usize,
) -> Option<(Diagram, Border, Places)> {
    let (n, d) = (all.nrows(), x.ncols());
    let others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
    let old = part(all, &others, &others);
    let proximities = Proximities::new(old.as_ref(), kind, None, Run::on(1)).unwrap();
    let settings = DiagramSettings {
        dimensions: d,
        ..Default::default()
    };
    let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).ok()?;
    let new = part(all, &[i], &others);
    let own = [all[(i, i)]];
    let block = Block {
        self_similarity: (kind == Kind::Similarity).then_some(&own[..]),
        ..Block::new(new.as_ref())
    };
    let border = Border::new(&diagram, &block, Run::on(1)).unwrap();
    let to = Mat::from_fn(n - 1, d, |j, k| x[(others[j], k)]);
    let motion = rotation(diagram.configuration(), to.as_ref(), true);
    let places = PLACING.map(|strategy| {
        let settings = PlaceSettings::by(strategy);
        let placed = place_block(&diagram, &block, &settings).unwrap();
        let y = Mat::from_fn(1, d, |_, k| placed.point(0)[k]);
        let y = motion.apply(y.as_ref());
        (strategy, y.row(0).iter().copied().collect())
    });
    Some((diagram, border, places.to_vec()))
}

const PLACING: [Strategy; 4] = [
    Strategy::Project,
    Strategy::Reconstruct,
    Strategy::Hyperplane,
    Strategy::Augment,
];

/// Residuals, eigenvalues, places on own axes and places on the map, by every strategy, are those of n true refits.
#[test]
fn leaving_out_is_refitting() {
    for (name, kind, all, d) in data() {
        let map = of_square(all.as_ref(), kind, &axes(d)).unwrap().map;
        let diagram = map.diagram();
        let left_out = diagram.leave_one_out();
        assert_eq!(left_out.form, LeftOut::Exact);
        let spread = map.spread();
        let placed = PLACING.map(|s| {
            let settings = PlaceSettings::by(s);
            map.leave_one_out(&settings, Run::on(2)).unwrap()
        });
        for i in 0..all.nrows() {
            let Some((refit, border, places)) =
                refitted(all.as_ref(), kind, diagram.configuration(), i)
            else {
                assert!(left_out.residuals[i].is_nan(), "{name} {i}");
                continue;
            };
            let beta = border.beta[0];
            let off = (left_out.residuals[i] - border.residual(0)).abs();
            assert!(off <= 1e-10 * beta.abs(), "{name} {i}: {off}");
            let own = left_out.place(i).unwrap();
            let mu = left_out.eigenvalues(i, diagram.eigenvalues());
            for a in 0..d {
                let off = (own[a].abs() - border.projection(0)[a].abs()).abs();
                assert!(off <= 1e-10 * spread, "{name} {i} {a}: {off}");
                let off = (mu[a] - refit.eigenvalues()[a]).abs();
                assert!(off <= 1e-11 * diagram.eigenvalues()[0], "{name} {i} {a}");
            }
            for (found, (strategy, expected)) in placed.iter().zip(&places) {
                if expected[0].is_nan() {
                    assert_eq!(found.status[i], Status::NotApplicable);
                    continue;
                }
                for (f, e) in found.point(i).iter().zip(expected) {
                    let word = strategy.word();
                    let off = (f - e).abs() / spread;
                    assert!(off <= 1e-10, "{name} {i} by {word}: {f} {e}");
                }
            }
        }
    }
}

/// Principal components know the same of their objects as the distances do, whichever side is smaller.
#[test]
fn components_are_left_out_as_distances_are() {
    let mut rng = Stream::new(8);
    for (n, q) in [(30, 6), (20, 45)] {
        let points = Mat::from_fn(n, q, |_, j| rng.normal() / (1.0 + j as f64).sqrt());
        let settings = FitSettings {
            method: Method::Pca,
            ..axes(3)
        };
        let ours = of_features(points.as_ref(), None, &settings).unwrap().map;
        let square = distances(points.as_ref(), points.as_ref());
        let theirs = of_square(square.as_ref(), Kind::Dissimilarity, &axes(3));
        let theirs = theirs.unwrap().map;
        let (a, b) = (
            ours.diagram().leave_one_out(),
            theirs.diagram().leave_one_out(),
        );
        assert_eq!((a.form, b.form), (LeftOut::Exact, LeftOut::Exact));
        let size = ours.spread();
        for (a, b) in a.residuals.iter().zip(&b.residuals) {
            assert!((a - b).abs() <= 1e-11 * size * size);
        }
        for (a, b) in a.places.iter().zip(&b.places) {
            assert!((a.abs() - b.abs()).abs() <= 1e-10 * size);
        }
    }
}

/// From the largest eigenpairs and one node for the rest, residuals are within a few per cent, and places nearly the same.
#[test]
fn some_eigenpairs_are_nearly_enough() {
    let mut rng = Stream::new(9);
    for (name, all) in [
        ("gaussian", euclidean(320, 40, &mut rng)),
        ("bray-curtis", bray_curtis(320, &mut rng)),
    ] {
        let proximities = Proximities::new(all.as_ref(), Kind::Dissimilarity, None, Run::on(1));
        let proximities = proximities.unwrap();
        let [exact, nearly] = [Solver::Dense, Solver::Iterative].map(|solver| {
            let settings = DiagramSettings {
                dimensions: 3,
                solver,
                ..Default::default()
            };
            Diagram::fit(&proximities, &settings, Run::on(2)).unwrap()
        });
        let (exact, nearly) = (exact.leave_one_out(), nearly.leave_one_out());
        assert_eq!(nearly.form, LeftOut::Approximate);
        assert_eq!(exact.nearest, nearly.nearest);
        for (a, b) in exact.residuals.iter().zip(&nearly.residuals) {
            assert!((a - b).abs() <= 0.05 * a.abs(), "{name}: {a} {b}");
        }
        let length: f64 = exact.places.iter().map(|v| v * v).sum();
        let pairs = exact.places.iter().zip(&nearly.places);
        let off: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        assert!(off <= 1e-3 * length, "{name}: {off} {length}");
    }
}

/// The nearest of each old object is the largest t of its row, itself left out.
#[test]
fn the_nearest_is_the_largest_of_the_row() {
    let mut rng = Stream::new(10);
    for n in [2, 3, 40, 150] {
        let all = euclidean(n, 4, &mut rng);
        let diagram = fit(all.as_ref(), Kind::Dissimilarity, 1);
        for (i, t) in diagram.leave_one_out().nearest.iter().enumerate() {
            let others = (0..n).filter(|j| *j != i).map(|j| all[(i, j)]);
            let least = others.fold(f64::INFINITY, f64::min);
            close(*t, -0.5 * least * least, 1e-15);
        }
    }
}

/// With the axes given, or about another origin, they are held fixed, and it is said.
#[test]
fn axes_are_held_fixed_where_they_must_be() {
    let mut rng = Stream::new(12);
    let all = euclidean(20, 5, &mut rng);
    let proximities = Proximities::new(all.as_ref(), Kind::Dissimilarity, None, Run::on(1));
    let proximities = proximities.unwrap();
    let settings = DiagramSettings {
        dimensions: 2,
        origin: Origin::Object(3),
        ..Default::default()
    };
    let elsewhere = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
    let fitted = fit(all.as_ref(), Kind::Dissimilarity, 2);
    let x = fitted.configuration();
    let given = Diagram::given(&proximities, x, &Default::default(), Run::on(1)).unwrap();
    for diagram in [elsewhere, given] {
        assert_eq!(diagram.leave_one_out().form, LeftOut::AxesFixed);
        // Placing each object again without its own entry says the same.
        let holes = Mat::from_fn(20, 20, |i, j| if i == j { f64::NAN } else { all[(i, j)] });
        let block = Block {
            missing: true,
            ..Block::new(holes.as_ref())
        };
        let border = Border::new(&diagram, &block, Run::on(1)).unwrap();
        let map = Map::from(diagram);
        let settings = PlaceSettings::by(Strategy::Reconstruct);
        let placed = map.leave_one_out(&settings, Run::on(1)).unwrap();
        let expected = map.place_border(&border, &settings, Run::on(1)).unwrap();
        for i in 0..20 {
            if expected.residual[i].is_nan() {
                // The object that is the origin.
                assert!(placed.residual[i].is_nan());
                continue;
            }
            close(placed.residual[i], expected.residual[i], 1e-9);
            for (a, b) in placed.point(i).iter().zip(expected.point(i)) {
                assert!((a - b).abs() <= 1e-9 * map.spread());
            }
        }
    }
}

/// Objects beside landmarks had no part in the fit: they stay where they are projected to.
#[test]
fn objects_beside_landmarks_are_newcomers_already() {
    let mut rng = Stream::new(13);
    let all = euclidean(60, 8, &mut rng);
    for rotate in [false, true] {
        let settings = FitSettings {
            method: Method::Landmark,
            landmarks: Some(Landmarks::Random { count: 20, seed: 4 }),
            rotate,
            ..axes(2)
        };
        let map = of_square(all.as_ref(), Kind::Dissimilarity, &settings);
        let map = map.unwrap().map;
        let placed = map.leave_one_out(&Default::default(), Run::on(2)).unwrap();
        let x = map.configuration();
        let landmarks = map.landmarks().unwrap();
        for i in 0..60 {
            let step = (0..2).map(|j| (placed.point(i)[j] - x[(i, j)]).powi(2));
            let off = step.sum::<f64>().sqrt() / map.spread();
            assert_eq!(off > 1e-6, landmarks.contains(&i), "{i}: {off}");
            assert!(0.0 < placed.p[i] && placed.p[i] <= 1.0);
        }
    }
}

/// Of objects beside landmarks that are known by similarities to these, and not by those to themselves, only the projection is known.
#[test]
fn without_a_self_similarity_nothing_is_made_up() {
    let mut rng = Stream::new(14);
    let x = Mat::from_fn(40, 5, |_, _| rng.normal());
    let gram = &x * x.transpose();
    let settings = FitSettings {
        method: Method::Landmark,
        landmarks: Some(Landmarks::Random { count: 15, seed: 4 }),
        ..axes(2)
    };
    let map = of_square(gram.as_ref(), Kind::Similarity, &settings);
    let map = map.unwrap().map;
    let (residuals, landmarks) = (map.old_residuals(), map.landmarks().unwrap());
    for strategy in [
        Strategy::Reconstruct,
        Strategy::Hyperplane,
        Strategy::Augment,
    ] {
        let placed = map.leave_one_out(&by(strategy), Run::on(1)).unwrap();
        for (i, residual) in residuals.iter().enumerate() {
            assert_eq!(
                placed.status[i].placed(),
                !residual.is_nan(),
                "{strategy:?} {i}"
            );
            assert!(landmarks.contains(&i) != residual.is_nan());
        }
    }
}

/// The theorem: for any set of old objects, restricted reconstruction from the others' places returns their fitted
/// places, and no other place is as good; projection shrinks them.
#[test]
fn reconstruction_returns_what_was_fitted() {
    for (name, kind, all, d) in data() {
        let diagram = fit(all.as_ref(), kind, d);
        let x = diagram.configuration();
        let n = all.nrows();
        let centring = diagram.centring();
        let B = Mat::from_fn(n, n, |i, j| {
            let t = match kind {
                Kind::Similarity => all[(i, j)],
                _ => -0.5 * all[(i, j)] * all[(i, j)],
            };
            t - centring.row_means[i] - centring.row_means[j] + centring.grand_mean
        });
        for count in [1, 2, n / 3] {
            let some: Vec<usize> = (0..count).map(|i| (11 * i + 3) % n).collect();
            let rest: Vec<usize> = (0..n).filter(|i| !some.contains(i)).collect();
            let fixed = Mat::from_fn(rest.len(), d, |i, j| x[(rest[i], j)]);
            let C = adjoin::dense::product(fixed.transpose(), fixed.as_ref(), Par::Seq);
            let b = part(B.as_ref(), &rest, &some);
            let g = adjoin::dense::product(b.transpose(), fixed.as_ref(), Par::Seq);
            let between = DenseBetween::new(part(B.as_ref(), &some, &some));
            let problem = Problem {
                cross: C.as_ref(),
                g: g.as_ref(),
                between: &between,
                b_norm_squared: b.squared_norm_l2(),
                size: n,
            };
            let found = adjoin::joint::solve(&problem, &JointSettings::default(), Run::on(1));
            let found = found.unwrap();
            let places = Mat::from_fn(count, d, |i, j| x[(some[i], j)]);
            let shown = adjoin::dense::product(fixed.as_ref(), places.transpose(), Par::Seq);
            let among = adjoin::dense::product(places.as_ref(), places.transpose(), Par::Seq);
            let own = part(B.as_ref(), &some, &some);
            let objective = 2.0 * (shown - &b).squared_norm_l2() + (among - own).squared_norm_l2();
            let rounding = 1e-12 * diagram.summary().squared_norm;
            assert!(objective <= found.objective + rounding, "{name} {count}");
            // Alone it is always proved that no place is better.
            assert!(count > 1 || found.certified);
            if found.certified {
                let off = (&found.coordinates - &places).norm_l2();
                let size = diagram.eigenvalues()[0].sqrt();
                assert!(off <= 1e-6 * size, "{name} {count}: {off}");
            }
        }
    }
}

/// Eigenvalues that are equal and entries of eigenvectors that are zero are as good as others.
#[test]
fn symmetry_is_no_obstacle() {
    let corners = |points: &[[f64; 3]]| {
        let points = Mat::from_fn(points.len(), 3, |i, j| points[i][j]);
        distances(points.as_ref(), points.as_ref())
    };
    let simplex = |n: usize| Mat::from_fn(n, n, |i, j| f64::from(u8::from(i != j)));
    let cross = corners(&[
        [2.0, 0.0, 0.0],
        [-2.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 0.5],
        [0.0, 0.0, -0.5],
    ]);
    let square = corners(&[
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ]);
    for (name, all, d) in [
        ("simplex", simplex(7), 2),
        ("cross", cross.clone(), 1),
        ("cross", cross, 2),
        ("square", square, 2),
    ] {
        let map = of_square(all.as_ref(), Kind::Dissimilarity, &axes(d));
        let map = map.unwrap().map;
        let left_out = map.diagram().leave_one_out();
        let placed = map.leave_one_out(&Default::default(), Run::on(1)).unwrap();
        for i in 0..all.nrows() {
            let x = map.configuration();
            let (refit, border, _) = refitted(all.as_ref(), Kind::Dissimilarity, x, i).unwrap();
            let off = (left_out.residuals[i] - border.residual(0)).abs();
            assert!(off <= 1e-12, "{name} {i}: {off}");
            let mu = left_out.eigenvalues(i, &[]);
            for (mu, c) in mu.iter().zip(refit.eigenvalues()) {
                assert!((mu - c).abs() <= 1e-13, "{name} {i}: {mu} {c}");
            }
            let length = |y: &[f64]| y.iter().map(|v| v * v).sum::<f64>().sqrt();
            let own = length(left_out.place(i).unwrap());
            assert!((own - length(border.projection(0))).abs() <= 1e-12);
            // However it is turned, it is that far from the centroid of the others.
            let others = all.nrows() as f64 - 1.0;
            let y: Vec<f64> = (0..d)
                .map(|j| placed.point(i)[j] + x[(i, j)] / others)
                .collect();
            assert!((length(&y) - own).abs() <= 1e-12, "{name} {i}");
        }
    }
}

/// A fit never fails for want of it: what cannot be left out is NaN, p is empty, and only the question is refused.
#[test]
fn what_cannot_be_left_out_is_not_known() {
    let two = Mat::from_fn(2, 2, |i, j| f64::from(u8::from(i != j)));
    let mut rng = Stream::new(14);
    let flat = euclidean(4, 3, &mut rng);
    for (all, d) in [(two, 1), (flat, 3)] {
        let map = of_square(all.as_ref(), Kind::Dissimilarity, &axes(d));
        let map = map.unwrap().map;
        assert!(map.old_residuals().iter().all(|r| r.is_nan()));
        let refused = map.leave_one_out(&Default::default(), Run::on(1));
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("loses an axis"), "{message}");
        let row = all.get(..1, ..).to_owned();
        let new = adjoin::Newcomers::by(adjoin::By::Doubles(row.as_ref()));
        let (_, placed) = map.place(&new, &Default::default(), Run::on(1)).unwrap();
        assert!(placed.p[0].is_nan() && placed.p_outside[0].is_nan());
        assert_eq!(placed.status[0], Status::Unique);
    }

    // One object alone carries the second axis: it has no place without itself, the others have.
    let mut points = Mat::zeros(6, 2);
    (0..6).for_each(|i| points[(i, 0)] = (i * i) as f64);
    points[(5, 1)] = 9.0;
    let all = distances(points.as_ref(), points.as_ref());
    let map = of_square(all.as_ref(), Kind::Dissimilarity, &axes(2));
    let map = map.unwrap().map;
    let placed = map.leave_one_out(&Default::default(), Run::on(1)).unwrap();
    assert_eq!(placed.status[5], Status::NotApplicable);
    assert!(placed.point(5)[0].is_nan() && placed.p[5].is_nan());
    assert!((0..5).all(|i| placed.status[i] == Status::Unique && placed.p[i] > 0.0));

    let stress = map.leave_one_out(&PlaceSettings::by(Strategy::Stress), Run::on(1));
    assert!(stress.unwrap_err().to_string().contains("proximities"));
}
