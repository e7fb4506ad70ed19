//! The augment strategy: check values, both origins, ties, and agreement with the definition.

use super::common::fixture;
use super::common::small;

use adjoin::random::Stream;
use adjoin::strategy::augment::{Augment, AugmentSettings, solve};
use adjoin::strategy::secular::Minimisers;
use small::{Svd, dot, norm};

const PUBLISHED: AugmentSettings = AugmentSettings {
    recentre: false,
    scale: true,
};
const PLAIN: AugmentSettings = AugmentSettings {
    recentre: false,
    scale: false,
};
const RECENTRED: AugmentSettings = AugmentSettings {
    recentre: true,
    scale: false,
};

fn place(
    eigenvalues: &[f64],
    projection: &[f64],
    beta: f64,
    size: usize,
    settings: &AugmentSettings,
) -> Augment {
    solve(eigenvalues, projection, beta, size, 0.0, settings).expect("ρ² ≥ 0")
}

/// y = Z W' V_d' ũ by the definition: all eigenvectors of diag(σ², 0) + κũũ', and a second SVD.
fn by_definition(
    sigma2: &[f64],
    projection: &[f64],
    beta: f64,
    kappa: f64,
    scale: bool,
) -> Vec<f64> {
    let d = sigma2.len();
    let mut u = projection.to_vec();
    u.push((beta - dot(projection, projection)).max(0.0).sqrt());
    let mut m = vec![0.0; (d + 1) * (d + 1)];
    for j in 0..=d {
        for i in 0..=d {
            m[j * (d + 1) + i] = kappa * u[i] * u[j];
        }
        m[j * (d + 1) + j] += if j < d { sigma2[j] } else { 0.0 };
    }
    let eigen = Svd::new(m, d + 1);
    let mut a = vec![0.0; d * d];
    let mut inside = 0.0;
    for j in 0..d {
        for i in 0..d {
            a[j * d + i] = eigen.right(i)[j] * sigma2[j];
            inside += eigen.right(i)[j].powi(2) * sigma2[j];
        }
    }
    let svd = Svd::new(a, d);
    let along: Vec<f64> = (0..d).map(|i| dot(&eigen.right(i), &u)).collect();
    let s = if scale {
        svd.values.iter().sum::<f64>() / inside
    } else {
        1.0
    };
    svd.polar_transposed(&along).iter().map(|v| s * v).collect()
}

/// Vienna on the map of twenty other cities, with and without re-centring and scaling, to the digits
/// printed.
#[test]
fn eurodist_check_values() {
    let json = fixture::read("eurodist.json");
    let vienna = &json["vienna"];
    let sigma2 = fixture::numbers(&vienna["sigma2"]);
    let projection = fixture::numbers(&vienna["projected"]);
    let beta = fixture::number(&vienna["beta"]);
    for (settings, want) in [
        (PLAIN, ["950.4863516", "242.9207973"]),
        (RECENTRED, ["949.7818810", "242.6296169"]),
        (PUBLISHED, ["950.7365966", "242.9847537"]),
    ] {
        let a = place(&sigma2, &projection, beta, 20, &settings);
        let printed: Vec<String> = a.coordinates.iter().map(|y| format!("{y:.7}")).collect();
        assert_eq!(
            (printed, a.minimisers),
            (want.map(String::from).to_vec(), Minimisers::Unique)
        );
    }
}

/// σ² = 2, ŷ = 0.1, ρ = 9: 9.0006 by rotation, 790 with the published scaling.
#[test]
fn scaling_explodes() {
    let beta = 81.01;
    assert_eq!(
        format!(
            "{:.4}",
            place(&[2.0], &[0.1], beta, 5, &PLAIN).coordinates[0]
        ),
        "9.0006"
    );
    assert_eq!(
        format!(
            "{:.0}",
            place(&[2.0], &[0.1], beta, 5, &PUBLISHED).coordinates[0]
        ),
        "790"
    );
}

/// Random problems, graded and repeated eigenvalues: the closed form is the definition.
#[test]
fn equals_the_definition() {
    let mut rng = Stream::new(21);
    for round in 0..3000 {
        let d = 1 + (rng.bits() % 7) as usize;
        let n = 2 + (rng.bits() % 50) as usize;
        let mut sigma2: Vec<f64> = (0..d).map(|_| 10f64.powf(1.5 * rng.uniform())).collect();
        sigma2.sort_by(|a, b| b.total_cmp(a));
        if round % 5 == 0 && d > 1 {
            sigma2[1] = sigma2[0];
        }
        let reach = 10f64.powf(1.5 * rng.uniform());
        let projection: Vec<f64> = sigma2
            .iter()
            .map(|v| v.sqrt() * reach * rng.normal())
            .collect();
        let rho = 10f64.powf(2.0 * rng.uniform());
        let beta = dot(&projection, &projection) + rho * rho;
        let settings = [PLAIN, RECENTRED, PUBLISHED][round % 3];
        let kappa = if settings.recentre {
            n as f64 / (n as f64 + 1.0)
        } else {
            1.0
        };
        let a = place(&sigma2, &projection, beta, n, &settings);
        let want = by_definition(&sigma2, &projection, beta, kappa, settings.scale);
        let difference: Vec<f64> = a
            .coordinates
            .iter()
            .zip(&want)
            .map(|(a, b)| a - b)
            .collect();
        // The dense eigenvector is as good as its eigenvalue is isolated, about |ŷ_d| / β of it.
        let least = projection.iter().fold(f64::INFINITY, |m, v| m.min(v.abs())) / beta.sqrt();
        let bound = 1e3 * f64::EPSILON * beta.max(sigma2[0]) / sigma2[d - 1] / least;
        assert!(
            norm(&difference) <= bound * norm(&want),
            "{round}: {a:?} {want:?} {bound:e}"
        );
    }
}

/// In the map's space the newcomer is its projection; below it the method does not apply.
#[test]
fn nothing_outside_the_map() {
    for settings in [PLAIN, RECENTRED, PUBLISHED] {
        assert_eq!(
            place(&[5.0, 2.0], &[3.0, 4.0], 25.0, 5, &settings).coordinates,
            [3.0, 4.0]
        );
        assert_eq!(
            solve(&[5.0, 2.0], &[3.0, 4.0], 24.0, 5, 0.0, &settings),
            None
        );
    }
}

/// ŷ_d = 0: the newcomer stays on the projection up to κρ² = σ_d² and replaces axis d beyond.
#[test]
fn ties() {
    let below = place(&[7.0, 3.0], &[0.0, 0.0], 2.9, 4, &PLAIN);
    assert_eq!(
        (below.coordinates, below.minimisers),
        (vec![0.0, 0.0], Minimisers::Unique)
    );
    let at = place(&[7.0, 3.0], &[0.0, 0.0], 3.0, 4, &PLAIN);
    assert_eq!(at.minimisers, Minimisers::Sphere(1));
    let above = place(&[7.0, 3.0], &[0.5, 0.0], 16.25, 4, &PLAIN);
    assert_eq!(
        (above.coordinates, above.minimisers),
        (vec![0.5, 4.0], Minimisers::Pair)
    );
    assert_eq!(above.alternatives, [vec![0.5, -4.0]]);
    let sphere = place(&[7.0, 3.0, 3.0], &[0.0; 3], 16.0, 4, &PLAIN);
    assert_eq!(
        (sphere.coordinates, sphere.minimisers),
        (vec![0.0, 0.0, 4.0], Minimisers::Sphere(1))
    );
    let noisy = solve(&[7.0, 3.0], &[0.5, -1e-15], 16.25, 4, 40.0, &PLAIN).unwrap();
    assert_eq!(
        (noisy.coordinates, noisy.minimisers),
        (vec![0.5, 4.0], Minimisers::Pair)
    );
    // Re-centring moves the threshold to ρ² = σ_d² (n + 1)/n.
    assert_eq!(
        place(&[3.0], &[0.0], 3.7, 4, &RECENTRED).minimisers,
        Minimisers::Unique
    );
    assert_eq!(
        place(&[3.0], &[0.0], 3.8, 4, &RECENTRED).minimisers,
        Minimisers::Pair
    );
}

/// Powers of two scale the answer to the bit, reflections reflect it to the bit.
#[test]
fn equivariance() {
    let (sigma2, projection, beta) = ([9.0, 4.0, 1.0], [1.0, -0.3, 0.2], 7.0);
    let a = place(&sigma2, &projection, beta, 6, &RECENTRED).coordinates;
    for s in [2f64.powi(-300), 2f64.powi(250)] {
        let scaled = sigma2.map(|v| v * s * s);
        let b = place(
            &scaled,
            &projection.map(|v| v * s),
            beta * s * s,
            6,
            &RECENTRED,
        )
        .coordinates;
        assert_eq!(b, a.iter().map(|v| v * s).collect::<Vec<f64>>());
    }
    let b = place(&sigma2, &[-1.0, -0.3, 0.2], beta, 6, &RECENTRED).coordinates;
    assert!((b[0] + a[0]).abs() <= 8.0 * f64::EPSILON && (b[1] - a[1]).abs() <= 8.0 * f64::EPSILON);
}

/// Sixty problems embedded anew and turned back by SciPy.
#[test]
fn equals_embedding_anew() {
    let json = fixture::read("augment.json");
    for (k, row) in fixture::rows(&json["instances"]).enumerate() {
        let sigma2 = fixture::numbers(&row["sigma2"]);
        let projection = fixture::numbers(&row["projected"]);
        let rho = fixture::number(&row["rho"]);
        let beta = dot(&projection, &projection) + rho * rho;
        let size = fixture::number(&row["n"]) as usize;
        for (name, recentre, scale) in [
            ("y", false, false),
            ("y_recentred", true, false),
            ("y_scaled", false, true),
            ("y_recentred_scaled", true, true),
        ] {
            let unique = row["unique"] == true;
            if !unique && scale {
                continue; // ±, and the factor is 0/0 up to the rounding of whoever computes it.
            }
            let a = place(
                &sigma2,
                &projection,
                beta,
                size,
                &AugmentSettings { recentre, scale },
            );
            let want = fixture::numbers(&row[name]);
            let difference: Vec<f64> = a
                .coordinates
                .iter()
                .zip(&want)
                .map(|(a, b)| a - b)
                .collect();
            assert!(
                norm(&difference) <= 1e-9 * norm(&want),
                "{k} {name}: {a:?} {want:?}"
            );
            assert_eq!(a.minimisers == Minimisers::Unique, unique, "{k} {name}");
        }
    }
}
