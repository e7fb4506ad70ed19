//! The constants of Lingoes and Cailliez: check values, R and NumPy, and what they are for.

use super::common::fixture;

use adjoin::fit::correction::{cailliez, lingoes};
use adjoin::random::Stream;
use faer::{Mat, Par, Side};

fn squared(delta: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(delta.nrows(), delta.ncols(), |i, j| delta[(i, j)].powi(2))
}

/// All eigenvalues of −½PΔ₂P, ascending, by faer.
fn eigenvalues(squared: &Mat<f64>) -> Vec<f64> {
    let n = squared.nrows();
    let mean = |j: usize| squared.col(j).iter().sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let all = means.iter().sum::<f64>() / n as f64;
    let b = Mat::from_fn(n, n, |i, j| {
        -0.5 * (squared[(i, j)] - means[i] - means[j] + all)
    });
    b.self_adjoint_eigenvalues(Side::Lower).expect("finite")
}

fn symmetric(n: usize, mut entry: impl FnMut() -> f64) -> Mat<f64> {
    let mut delta = Mat::zeros(n, n);
    for j in 0..n {
        for i in j + 1..n {
            delta[(i, j)] = entry();
            delta[(j, i)] = delta[(i, j)];
        }
    }
    delta
}

/// Ten data sets, road distances among them: the constants by NumPy, and Cailliez' also by R.
#[test]
fn equals_other_programs() {
    let json = fixture::read("corrections.json");
    for row in fixture::rows(&json["instances"]) {
        let rows = fixture::matrix(&row["dissimilarities"]);
        let n = fixture::number(&row["n"]) as usize;
        let delta = Mat::from_fn(n, n, |i, j| rows[i][j]);
        let c1 = lingoes(squared(&delta).as_ref(), Par::Seq);
        let c2 = cailliez(delta.as_ref(), Par::Seq);
        let name = &row["name"];
        // A constant of zero is one of rounding elsewhere.
        let size = delta.norm_max();
        let close = |found: f64, want: f64, size: f64| (found - want).abs() <= 1e-12 * size;
        assert!(
            close(c1, fixture::number(&row["lingoes"]), size * size),
            "{name}: {c1}"
        );
        assert!(
            close(c2, fixture::number(&row["cailliez"]), size),
            "{name}: {c2}"
        );
        if let Some(want) = row["cailliez_r"].as_f64() {
            assert!(close(c2, want, size), "{name}: {c2} {want}");
        }
    }
}

/// The twenty cities, to the digits printed.
#[test]
fn eurodist_check_values() {
    let json = fixture::read("eurodist.json");
    let rows = fixture::matrix(&json["dissimilarities"]);
    let delta = Mat::from_fn(20, 20, |i, j| rows[i][j]);
    let c1 = lingoes(squared(&delta).as_ref(), Par::Seq);
    let c2 = cailliez(delta.as_ref(), Par::Seq);
    assert_eq!(format!("{c1:.4} {c2:.6}"), "2246374.2479 2121.494165");
}

/// Random dissimilarities, of any scale: after the correction the least eigenvalue is zero, to
/// rounding, from neither side.
#[test]
fn the_least_that_is_enough() {
    let mut rng = Stream::new(51);
    for round in 0..120 {
        let n = 3 + (rng.bits() % 40) as usize;
        let unit = [1.0, 1e-80, 1e60][round % 3];
        let delta = match round % 4 {
            0 => symmetric(n, || (1.0 + rng.uniform().abs()) * unit),
            1 => symmetric(n, || rng.normal().abs() * unit),
            2 => symmetric(n, || (rng.bits() % 3 + 1) as f64 * unit),
            _ => {
                // City-block distances.
                let points: Vec<[f64; 3]> = (0..n).map(|_| [0; 3].map(|_| rng.normal())).collect();
                let mut k = 0;
                let pairs: Vec<(usize, usize)> = (0..n)
                    .flat_map(|j| (j + 1..n).map(move |i| (i, j)))
                    .collect();
                symmetric(n, || {
                    let (i, j) = pairs[k];
                    k += 1;
                    unit * (0..3)
                        .map(|a| (points[i][a] - points[j][a]).abs())
                        .sum::<f64>()
                })
            }
        };
        let (c1, c2) = (
            lingoes(squared(&delta).as_ref(), Par::Seq),
            cailliez(delta.as_ref(), Par::Seq),
        );
        let lifted = Mat::from_fn(n, n, |i, j| {
            if i == j {
                0.0
            } else {
                delta[(i, j)].powi(2) + 2.0 * c1
            }
        });
        let added = Mat::from_fn(n, n, |i, j| {
            if i == j {
                0.0
            } else {
                (delta[(i, j)] + c2).powi(2)
            }
        });
        let raw = eigenvalues(&squared(&delta));
        for (name, c, corrected) in [("lingoes", c1, lifted), ("cailliez", c2, added)] {
            let values = eigenvalues(&corrected);
            let size = values[n - 1] * n as f64 * f64::EPSILON;
            // One zero belongs to e. Another is there if the constant is the least.
            assert!(values[0] >= -64.0 * size, "{round} {name}: {c} {values:?}");
            if c > 0.0 {
                assert!(
                    values[1].abs() <= 64.0 * size,
                    "{round} {name}: {c} {values:?}"
                );
            } else {
                assert!(
                    raw[0] >= -64.0 * n as f64 * f64::EPSILON * raw[n - 1],
                    "{round} {name}"
                );
            }
        }
    }
}

/// Euclidean distances need none, whatever their rank, and two objects are always Euclidean.
#[test]
fn euclidean_needs_none() {
    let mut rng = Stream::new(52);
    for (n, q) in [(2, 1), (5, 2), (40, 3), (12, 20), (60, 1)] {
        let x = Mat::from_fn(n, q, |_, _| rng.normal());
        let d2 = Mat::from_fn(n, n, |i, j| {
            (0..q).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum::<f64>()
        });
        let delta = Mat::from_fn(n, n, |i, j| d2[(i, j)].sqrt());
        assert_eq!(lingoes(d2.as_ref(), Par::Seq), 0.0);
        assert_eq!(cailliez(delta.as_ref(), Par::Seq), 0.0);
    }
    let one: Mat<f64> = Mat::zeros(1, 1);
    let same: Mat<f64> = Mat::zeros(4, 4);
    assert_eq!(
        [
            cailliez(one.as_ref(), Par::Seq),
            lingoes(same.as_ref(), Par::Seq)
        ],
        [0.0, 0.0]
    );
}

/// Threads change the last bits at most.
#[test]
fn threads_agree() {
    let mut rng = Stream::new(53);
    let delta = symmetric(150, || 1.0 + rng.uniform().abs());
    let (one, two) = (
        cailliez(delta.as_ref(), Par::Seq),
        cailliez(delta.as_ref(), Par::rayon(2)),
    );
    assert!((one / two - 1.0).abs() < 1e-12, "{one} {two}");
}

/// Of similarities Γ, whose −2Γ stands for squared dissimilarities, Lingoes' constant is the one of
/// PΓP: the diagonal counts.
#[test]
fn similarities_have_a_diagonal() {
    let mut rng = Stream::new(54);
    let mut gamma = symmetric(12, || rng.normal());
    for i in 0..12 {
        gamma[(i, i)] = 1.0 + rng.uniform();
    }
    let doubled = Mat::from_fn(12, 12, |i, j| -2.0 * gamma[(i, j)]);
    let want = -eigenvalues(&doubled)[0];
    let found = lingoes(doubled.as_ref(), Par::Seq);
    assert!(
        want > 0.1 && (found / want - 1.0).abs() < 1e-13,
        "{found} {want}"
    );
}

/// A squared dissimilarity is corrected by its root, in the fit as in a look at the old part, all at once and row by row.
#[test]
fn squares_are_corrected_alike_wherever_they_are_looked_at() {
    use super::common::methods::{axes, of_square};
    use adjoin::settings::Correcting;
    use adjoin::{FitSettings, Kind, Run};
    let mut rng = adjoin::random::Stream::new(8);
    let mut square = faer::Mat::<f64>::zeros(20, 20);
    for i in 0..20 {
        for j in 0..i {
            let v = 1.5 + rng.uniform();
            (square[(i, j)], square[(j, i)]) = (v, v);
        }
    }
    let settings = FitSettings {
        correction: Correcting::Cailliez,
        ..axes(3)
    };
    let map = of_square(square.as_ref(), Kind::Squared, &settings);
    let map = map.unwrap().map;
    map.check_old(square.as_ref(), Run::on(1)).unwrap();
    map.check_old_rows(&square.as_ref(), Run::on(1)).unwrap();
    square[(3, 4)] *= 1.1;
    square[(4, 3)] *= 1.1;
    assert!(map.check_old_rows(&square.as_ref(), Run::on(1)).is_err());
}
