//! Eigenpairs: dense and iterative agree by scaled residuals, on spectra of every sort.

use super::common::*;
use adjoin::error::Error;
use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::fit::spectrum::Solver;
use adjoin::input::kind::Kind;
use adjoin::input::proximities::Proximities;
use adjoin::random::Stream;
use adjoin::run::Run;
use adjoin::settings::Axes;
use adjoin::{Entries, FitSettings, Map, Objects, Square};
use faer::Mat;

fn solve(entries: &Mat<f64>, kind: Kind, d: usize, solver: Solver) -> Result<Diagram, Error> {
    let proximities = Proximities::new(entries.as_ref(), kind, None, Run::on(2)).unwrap();
    let settings = DiagramSettings {
        dimensions: d,
        solver,
        ..Default::default()
    };
    Diagram::fit(&proximities, &settings, Run::on(2))
}

/// A similarity matrix with these eigenvalues and random eigenvectors orthogonal to e.
fn with_spectrum(n: usize, values: impl Fn(usize) -> f64, rng: &mut Stream) -> Mat<f64> {
    let mut basis = Mat::from_fn(n, n, |_, j| if j == 0 { 1.0 } else { rng.normal() });
    basis = basis.qr().compute_Q();
    let scaled = Mat::from_fn(n, n, |i, j| {
        if j == 0 {
            0.0
        } else {
            basis[(i, j)] * values(j - 1)
        }
    });
    let m = &scaled * basis.transpose();
    Mat::from_fn(n, n, |i, j| 0.5 * (m[(i, j)] + m[(j, i)]))
}

/// Both solvers, by their residuals, their eigenvalues and the Gram matrix XX' they give.
fn agree(name: &str, entries: &Mat<f64>, kind: Kind, d: usize) {
    let n = entries.nrows() as f64;
    let dense = solve(entries, kind, d, Solver::Dense).unwrap();
    let iterative = solve(entries, kind, d, Solver::Iterative).unwrap();
    assert!(
        dense.summary().complete && !iterative.summary().complete,
        "{name}"
    );
    let all = &dense.summary().eigenvalues;
    let norm = all.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (diagram, units) in [(&dense, 10.0), (&iterative, 2000.0)] {
        for r in &diagram.summary().residuals {
            assert!(r / (n * f64::EPSILON) < units, "{name}: residual {r:e}");
        }
    }
    for (a, b) in dense.eigenvalues().iter().zip(iterative.eigenvalues()) {
        assert!(
            (a - b).abs() <= 10.0 * n * f64::EPSILON * norm,
            "{name}: {a} {b}"
        );
    }
    // Axes are determined up to the gaps of the spectrum; the space as a whole by the last gap.
    let gap = (all[d - 1] - all[d]) / norm;
    if gap > 1e-6 {
        let gram = |m: &Diagram| m.configuration() * m.configuration().transpose();
        let off = (gram(&dense) - gram(&iterative)).norm_l2() / norm;
        assert!(off * gap < 1e-9, "{name}: {off:e} at gap {gap:e}");
    }
}

#[test]
fn dense_and_iterative_agree() {
    let mut rng = Stream::new(2);
    agree(
        "euclidean",
        &euclidean(420, 40, &mut rng),
        Kind::Dissimilarity,
        5,
    );
    agree(
        "rank 3 exactly",
        &euclidean(400, 3, &mut rng),
        Kind::Dissimilarity,
        3,
    );
    agree(
        "bray-curtis",
        &bray_curtis(400, &mut rng),
        Kind::Dissimilarity,
        4,
    );
    let slow = with_spectrum(400, |i| 1.0 - i as f64 / 500.0, &mut rng);
    agree("slow", &slow, Kind::Similarity, 6);
    let negative = with_spectrum(
        400,
        |i| {
            if i < 50 {
                1.0 / (1.0 + i as f64)
            } else {
                -50.0 / (i as f64 - 40.0)
            }
        },
        &mut rng,
    );
    agree(
        "largest in modulus negative",
        &negative,
        Kind::Similarity,
        5,
    );
    let repeated = with_spectrum(400, |i| if i < 20 { 2.0 } else { 1.0 }, &mut rng);
    agree("repeated", &repeated, Kind::Similarity, 6);
    let clustered = with_spectrum(
        400,
        |i| {
            if i < 6 {
                1.0 - 1e-9 * i as f64
            } else {
                0.5 / (i as f64 + 1.0)
            }
        },
        &mut rng,
    );
    agree("clustered", &clustered, Kind::Similarity, 6);
    let simplex = Mat::from_fn(400, 400, |i, j| f64::from(u8::from(i != j)));
    agree("regular simplex", &simplex, Kind::Dissimilarity, 6);
}

/// More axes than positive eigenvalues: an error that says how many there are, by either solver.
#[test]
fn too_many_axes() {
    let mut rng = Stream::new(3);
    let flat = euclidean(400, 3, &mut rng);
    for solver in [Solver::Dense, Solver::Iterative, Solver::Auto] {
        let message = solve(&flat, Kind::Dissimilarity, 5, solver)
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "found 3 positive eigenvalues, expected a number of dimensions between 1 and 3, not 5"
        );
        let zero = Mat::zeros(400, 400);
        let message = solve(&zero, Kind::Dissimilarity, 1, solver)
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("found no positive eigenvalue"),
            "{message}"
        );
    }
    assert_eq!(
        solve(&flat, Kind::Dissimilarity, 0, Solver::Auto).unwrap_err(),
        Error::NoDimensions
    );
    let (roads, _) = cities();
    let error = solve(&roads, Kind::Dissimilarity, 300, Solver::Auto).unwrap_err();
    assert!(matches!(error, Error::Dimensions { asked: 300, available } if available < 20));
}

/// The whole spectrum's trace and squared norm are those of its eigenvalues.
#[test]
fn trace_and_norm() {
    let mut rng = Stream::new(5);
    let diagram = solve(
        &bray_curtis(60, &mut rng),
        Kind::Dissimilarity,
        3,
        Solver::Auto,
    )
    .unwrap();
    let all = &diagram.summary().eigenvalues;
    close(diagram.summary().trace, all.iter().sum(), 1e-12);
    close(
        diagram.summary().squared_norm,
        all.iter().map(|v| v * v).sum(),
        1e-12,
    );
    let rest: f64 = all[3..].iter().map(|v| v * v).sum();
    close(diagram.summary().strain, rest, 1e-11);
    assert!(all[59] < 0.0);
}

/// One object far from all others: the axes after the first are found as well as without it, by the iterative solver or, where its
/// rounding errors hide them, by the dense one; and it is said where neither was to be had.
#[test]
fn an_outlier_hides_no_axis() {
    let mut rng = Stream::new(21);
    let n = 720;
    for far in [1e3, 1e4, 2e5] {
        let points = Mat::from_fn(n, 30, |i, _| rng.normal() * if i == 0 { far } else { 1.0 });
        let entries = distances(points.as_ref(), points.as_ref());
        let auto = solve(&entries, Kind::Dissimilarity, 3, Solver::Auto).unwrap();
        let dense = solve(&entries, Kind::Dissimilarity, 3, Solver::Dense).unwrap();
        assert_eq!(auto.summary().complete, far > 1e5, "{far}");
        for (a, b) in auto.eigenvalues().iter().zip(dense.eigenvalues()) {
            assert!((a - b).abs() <= 1e-6 * b, "{far}: {a} {b}");
        }
        let (x, y) = (auto.configuration(), dense.configuration());
        for axis in 0..3 {
            let off = (x.col(axis) - y.col(axis)).norm_l2() / y.col(axis).norm_l2();
            assert!(off < 1e-4, "{far}, axis {}: {off:e}", axis + 1);
        }
    }
    let points = Mat::from_fn(n, 30, |i, _| rng.normal() * if i == 0 { 2e5 } else { 1.0 });
    let entries = distances(points.as_ref(), points.as_ref());
    let square = Square {
        entries: Entries::Doubles(entries.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let settings = FitSettings {
        axes: Axes::Count(3),
        solver: Solver::Iterative,
        ..Default::default()
    };
    let fitted = Map::fit(Objects::Square(square), &settings, Run::on(2)).unwrap();
    let said = fitted
        .findings
        .iter()
        .any(|f| f.starts_with("the eigenvalue of axis 2 is"));
    assert!(said, "{:?}", fitted.findings);
}

/// The same problem gives the same bits.
#[test]
fn fits_are_repeatable() {
    let mut rng = Stream::new(6);
    let m = bray_curtis(400, &mut rng);
    let fit = || solve(&m, Kind::Dissimilarity, 4, Solver::Iterative).unwrap();
    assert_eq!(fit().parts(), fit().parts());
}

/// The entry of largest modulus of each axis is positive.
#[test]
fn signs_are_fixed() {
    let mut rng = Stream::new(7);
    let m = euclidean(400, 10, &mut rng);
    for solver in [Solver::Dense, Solver::Iterative] {
        let diagram = solve(&m, Kind::Dissimilarity, 5, solver).unwrap();
        for axis in diagram.configuration().col_iter() {
            let largest = axis
                .iter()
                .fold(0.0, |m: f64, v| if v.abs() > m.abs() { *v } else { m });
            assert!(largest > 0.0);
        }
    }
}

/// A looser tolerance takes fewer passes, and holds; one that is none is refused with what it should be.
#[test]
fn a_tolerance_is_kept() {
    let mut rng = Stream::new(8);
    let m = bray_curtis(400, &mut rng);
    let proximities = Proximities::new(m.as_ref(), Kind::Dissimilarity, None, Run::on(1)).unwrap();
    let fit = |tolerance: Option<f64>| {
        let settings = DiagramSettings {
            dimensions: 4,
            solver: Solver::Iterative,
            tolerance,
            ..Default::default()
        };
        Diagram::fit(&proximities, &settings, Run::on(1)).unwrap()
    };
    let (plain, loose) = (fit(None), fit(Some(1e-4)));
    assert!(loose.summary().passes < plain.summary().passes);
    for (diagram, bound) in [(&plain, 1e-10), (&loose, 1e-4)] {
        assert!(
            diagram
                .summary()
                .residuals
                .iter()
                .all(|r| *r <= 4.0 * bound)
        );
    }
    for wrong in [0.0, -1.0, 1e-3, f64::NAN] {
        let settings = FitSettings {
            tolerance: Some(wrong),
            ..Default::default()
        };
        let message = settings.check(None, Kind::Dissimilarity).unwrap_err();
        let expected = format!("found {wrong}, expected a number above 0, at most 0.0001");
        assert_eq!(message.to_string(), expected);
    }
}
