//! Kernel PCA and PCA: the same diagrams as other programs make, and as classical scaling makes of distances.

use super::common;
use super::common::methods;

use super::common::{close, fit, fixture, matrix, number, numbers, place_block};
use adjoin::fit::diagram::DiagramSettings;
use adjoin::input::block::Block;
use adjoin::input::proximities::Proximities;
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{Axes, Origin};
use adjoin::{Between, By, Error, FitSettings, Kind, Map, Method, Newcomers, Run, Strategy};
use faer::{Mat, MatRef};
use methods::{
    axes, by, difference, every_strategy, features, of_features, of_points, place, place_features,
    points, project,
};

/// Principal components on so many axes.
fn pca(values: MatRef<'_, f64>, d: usize) -> Result<Map, Error> {
    let settings = FitSettings {
        axes: Axes::Count(d),
        method: Method::Pca,
        ..Default::default()
    };
    of_features(values, None, &settings).map(|fitted| fitted.map)
}

fn kernel_of(case: &serde_json::Value) -> Measure {
    let given = |name: &str| case.get(name).map(number);
    let parameters = Parameters {
        gamma: given("gamma"),
        degree: given("degree"),
        coef0: given("coef0"),
        ..Default::default()
    };
    Measure::kernel(case["kernel"].as_str().unwrap(), &parameters).unwrap()
}

/// Old objects and newcomers are where scikit-learn's KernelPCA has them, for every kernel, the indefinite sigmoid too.
#[test]
fn kernel_pca_is_scikit_learns() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    for case in all["kernel_pca"].as_array().unwrap() {
        let fitted = of_features(old.as_ref(), Some(kernel_of(case)), &axes(3));
        let model = fitted.unwrap().map;
        assert_eq!(model.method(), Method::KernelPca);
        for (found, expected) in model
            .diagram()
            .eigenvalues()
            .iter()
            .zip(numbers(&case["eigenvalues"]))
        {
            close(*found, expected, 1e-11);
        }
        let placed = place_features(&model, &features(new.as_ref()), &project()).unwrap();
        let worst = difference(
            (model.configuration(), points(&placed).as_ref()),
            (
                matrix(&case["embedding"]).as_ref(),
                matrix(&case["new"]).as_ref(),
            ),
        );
        assert!(worst < 1e-10, "{}: {worst:e}", case["kernel"]);
    }
}

/// A kernel goes through every strategy, with its own self-similarities, and together by its own matrix.
#[test]
fn kernels_go_through_every_strategy() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    for case in all["kernel_pca"].as_array().unwrap() {
        let between = Measured::new(kernel_of(case), features(new.as_ref())).unwrap();
        let k = new.nrows();
        let between = between.square(Run::on(1)).unwrap();
        let fitted = of_features(old.as_ref(), Some(kernel_of(case)), &axes(2));
        let model = fitted.unwrap().map;
        let between = MatRef::from_row_major_slice(&between, k, k);
        let features = features(new.as_ref());
        for between in [Between::Given(between), Between::Made] {
            every_strategy(&model, &Newcomers::by(By::Features(&features)), between);
        }
    }
}

/// PCA of features is scikit-learn's, with more objects than features and with fewer.
#[test]
fn principal_components_are_scikit_learns() {
    let all = fixture("methods");
    let (old, new) = (matrix(&all["old"]), matrix(&all["new"]));
    let model = pca(old.as_ref(), 3).unwrap();
    let placed = place_features(&model, &features(new.as_ref()), &project()).unwrap();
    let expected = (matrix(&all["pca"]["embedding"]), matrix(&all["pca"]["new"]));
    let worst = difference(
        (model.configuration(), points(&placed).as_ref()),
        (expected.0.as_ref(), expected.1.as_ref()),
    );
    assert!(worst < 1e-13, "{worst:e}");
    let wide = matrix(&all["wide"]["old"]);
    let model = pca(wide.as_ref(), 2).unwrap();
    let new = Mat::from_fn(2, wide.ncols(), |i, j| wide[(i, j)] * 1.5 + 1.0);
    let placed = place_features(&model, &features(new.as_ref()), &project()).unwrap();
    let expected = (
        matrix(&all["wide"]["embedding"]),
        matrix(&all["wide"]["new"]),
    );
    let worst = difference(
        (model.configuration(), points(&placed).as_ref()),
        (expected.0.as_ref(), expected.1.as_ref()),
    );
    assert!(worst < 1e-13, "{worst:e}");
}

/// PCA is classical scaling of Euclidean distances in all that a diagram has, on both sides of q = n, and newcomers
/// are placed the same without distances as with them, by every strategy.
#[test]
fn principal_components_are_classical_scaling() {
    let mut rng = Stream::new(7);
    for (n, q) in [(60, 4), (9, 20), (30, 30)] {
        let values = Mat::from_fn(n + 5, q, |_, j| {
            50.0 + rng.normal() * 7.0 / (1.0 + j as f64)
        });
        let (old, new) = (values.get(..n, ..), values.get(n.., ..));
        let model = pca(old, 3).unwrap();
        let distances = common::distances(old, old);
        let diagram = fit(distances.as_ref(), Kind::Dissimilarity, 3);
        let near = |a: &[f64], b: &[f64], what: &str| {
            let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-12 * size, "{what}: {a} instead of {b}");
            }
        };
        let (ours, theirs) = (model.diagram(), &diagram);
        let same = difference(
            (ours.configuration(), ours.configuration()),
            (theirs.configuration(), theirs.configuration()),
        );
        assert!(same < 1e-12, "{same:e}");
        near(ours.eigenvalues(), theirs.eigenvalues(), "eigenvalues");
        near(
            &ours.centring().row_means,
            &theirs.centring().row_means,
            "row means",
        );
        near(
            &[ours.centring().grand_mean],
            &[theirs.centring().grand_mean],
            "grand mean",
        );
        // Gaps between eigenvalues amplify rounding where an axis is fitted anew.
        let residuals = ours.leave_one_out().residuals.iter();
        for (a, b) in residuals.zip(&theirs.leave_one_out().residuals) {
            assert!((a - b).abs() < 1e-10 * ours.summary().trace, "{a} {b}");
        }
        near(&[ours.summary().trace], &[theirs.summary().trace], "trace");
        // A difference of squared norms, so judged by those.
        let strains = ours.summary().strain - theirs.summary().strain;
        assert!(strains.abs() < 1e-13 * theirs.summary().squared_norm);
        let to_old = common::distances(new, old);
        for strategy in Strategy::ALL {
            let settings = by(strategy);
            let a = place_features(&model, &features(new), &settings).unwrap();
            let b = place_block(ours, &Block::new(to_old.as_ref()), &settings).unwrap();
            near(&a.coordinates, &b.coordinates, strategy.word());
            near(&a.objective, &b.objective, strategy.word());
            near(&a.residual, &b.residual, strategy.word());
        }
    }
}

/// PCA of features in metres and in light years is the same picture, and what cannot be had is said.
#[test]
fn units_and_bad_questions() {
    let mut rng = Stream::new(8);
    let values = Mat::from_fn(20, 3, |_, _| rng.normal());
    let plain = pca(values.as_ref(), 2).unwrap();
    for unit in [1e60, 1e-60] {
        let scaled = Mat::from_fn(20, 3, |i, j| values[(i, j)] * unit);
        let model = pca(scaled.as_ref(), 2).unwrap();
        for (a, b) in (0..20)
            .flat_map(|i| [(i, 0), (i, 1)])
            .map(|at| (model.configuration()[at], plain.configuration()[at]))
        {
            assert!((a / unit - b).abs() < 1e-13);
        }
    }
    let asked = pca(values.as_ref(), 4).unwrap_err();
    assert!(matches!(
        asked,
        Error::Dimensions {
            asked: 4,
            available: 3
        }
    ));
    let flat = Mat::from_fn(5, 2, |i, _| i as f64);
    let asked = pca(flat.as_ref(), 2).unwrap_err();
    assert!(matches!(
        asked,
        Error::Dimensions {
            asked: 2,
            available: 1
        }
    ));
    let origin = FitSettings {
        origin: Origin::Object(1),
        method: Method::Pca,
        ..axes(1)
    };
    assert!(matches!(
        of_features(flat.as_ref(), None, &origin),
        Err(Error::Together { .. })
    ));
    let one = Mat::from_fn(1, 2, |_, _| 1.0);
    assert!(matches!(
        pca(one.as_ref(), 1),
        Err(Error::TooFewObjects { .. })
    ));
    let model = of_points(values.as_ref(), &axes(2)).unwrap().map;
    let narrow = Mat::from_fn(2, 2, |_, _| 1.0);
    assert!(place_features(&model, &features(narrow.as_ref()), &project()).is_err());
}

/// Without a centring a kernel's strategies still reconstruct: b = γ and β = γ(η, η), missing similarities too.
#[test]
fn an_uncentred_kernel_is_itself() {
    let mut rng = Stream::new(9);
    let values = Mat::from_fn(34, 3, |_, j| 2.0 + rng.normal() * (1.0 + j as f64));
    let gram = &values * values.transpose();
    let old = gram.get(..30, ..30);
    let proximities = Proximities::new(old, Kind::Similarity, None, Run::on(1)).unwrap();
    let settings = DiagramSettings {
        origin: Origin::Kernel,
        dimensions: 3,
        ..Default::default()
    };
    let diagram = adjoin::Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
    // All three dimensions are there, so the newcomers' inner products come back exactly.
    let own: Vec<f64> = (30..34).map(|i| gram[(i, i)]).collect();
    let mut new = gram.get(30.., ..30).to_owned();
    let complete = new.clone();
    for j in [0, 3, 11] {
        new[(1, j)] = f64::NAN;
    }
    let newcomers = Block {
        self_similarity: Some(&own),
        missing: true,
        ..Block::new(new.as_ref())
    };
    for strategy in [Strategy::Project, Strategy::Reconstruct] {
        let settings = by(strategy);
        let placed = place_block(&diagram, &newcomers, &settings).unwrap();
        for i in 0..4 {
            for j in 0..30 {
                let x = diagram.configuration().row(j);
                let inner: f64 = placed
                    .point(i)
                    .iter()
                    .zip(x.iter())
                    .map(|(a, b)| a * b)
                    .sum();
                assert!(
                    (inner - complete[(i, j)]).abs() < 1e-11 * 30.0,
                    "{strategy:?}"
                );
            }
            assert!(placed.residual[i].abs() < 1e-10);
        }
    }
    for strategy in [Strategy::Hyperplane, Strategy::Augment] {
        let settings = by(strategy);
        assert!(matches!(
            place_block(&diagram, &newcomers, &settings),
            Err(Error::NotOffered { .. })
        ));
    }
    // Old objects land on themselves, and are what leaving them out says.
    let itself = Newcomers::new(old);
    let model = Map::from(diagram);
    let placed = place(&model, &itself, &project()).unwrap();
    let same = difference(
        (points(&placed).as_ref(), points(&placed).as_ref()),
        (model.configuration(), model.configuration()),
    );
    assert!(same < 1e-12);
    assert!(
        model
            .diagram()
            .leave_one_out()
            .residuals
            .iter()
            .all(|r| r.abs() < 1e-10)
    );
}
