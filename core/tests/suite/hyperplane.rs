//! The hyperplane strategy: check values, both sides of the saddle, symmetries, and agreement with a
//! direct minimisation over the hyperplane and the newcomer on feature data.

use super::common::fixture;
use super::common::small;

use adjoin::random::Stream;
use adjoin::strategy::hyperplane::{Hyperplane, HyperplaneSettings, solve};
use adjoin::strategy::secular::Minimisers;
use small::{Svd, dot, norm};

fn place(eigenvalues: &[f64], projection: &[f64], beta: f64, size: usize) -> Hyperplane {
    solve(
        eigenvalues,
        projection,
        beta,
        size,
        0.0,
        &HyperplaneSettings::default(),
    )
    .expect("ρ² ≥ 0")
}

/// f(y) by its definition, with the decomposition of A(y).
fn objective(sigma2: &[f64], projection: &[f64], beta: f64, size: usize, y: &[f64]) -> (f64, Svd) {
    let d = sigma2.len();
    let c = size as f64 / (size as f64 + 1.0);
    let mut u = projection.to_vec();
    u.push((beta - dot(projection, projection)).max(0.0).sqrt());
    let mut a = vec![0.0; (d + 1) * d];
    for j in 0..d {
        for i in 0..=d {
            a[j * (d + 1) + i] = c * u[i] * y[j] + if i == j { sigma2[j] } else { 0.0 };
        }
    }
    let svd = Svd::new(a, d + 1);
    let f = 2.0 * sigma2.iter().sum::<f64>() + c * (beta + dot(y, y))
        - 2.0 * svd.values.iter().sum::<f64>();
    (f, svd)
}

/// ‖y − Q'ũ‖ / ‖ũ‖, zero at a stationary point.
fn stationarity(sigma2: &[f64], projection: &[f64], beta: f64, size: usize, y: &[f64]) -> f64 {
    let (_, svd) = objective(sigma2, projection, beta, size, y);
    let mut u = projection.to_vec();
    u.push((beta - dot(projection, projection)).max(0.0).sqrt());
    let back = svd.polar_transposed(&u);
    let difference: Vec<f64> = back.iter().zip(y).map(|(a, b)| a - b).collect();
    norm(&difference) / norm(&u)
}

/// A random problem: graded eigenvalues, projections of any size on any of the axes, any ρ.
fn random_problem(rng: &mut Stream, round: usize) -> (Vec<f64>, Vec<f64>, f64, usize) {
    let d = 1 + (rng.bits() % 6) as usize;
    let size = 2 + (rng.bits() % 60) as usize;
    let mut sigma2: Vec<f64> = (0..d)
        .map(|_| 10f64.powf(1.5 * rng.uniform() + 0.5))
        .collect();
    sigma2.sort_by(|a, b| b.total_cmp(a));
    let reach = 10f64.powf(1.5 * rng.uniform() - 0.5);
    let mut projection: Vec<f64> = sigma2
        .iter()
        .map(|v| v.sqrt() * reach * rng.normal())
        .collect();
    if round.is_multiple_of(3) {
        let faint = 10f64.powf(-1.5 + 1.5 * rng.uniform());
        let from = (rng.bits() % d as u64) as usize;
        projection[from..].iter_mut().for_each(|v| *v *= faint);
    }
    if round.is_multiple_of(7) {
        projection[d - 1] = 0.0;
    }
    let rho2 = sigma2[d - 1] * 10f64.powf(2.5 * rng.uniform() + 0.5);
    let beta = dot(&projection, &projection) + rho2;
    (sigma2, projection, beta, size)
}

/// Example 1 of the paper: ξ = (∓1, 0), η = (0, 9), d = 1 is placed at ±9√(1 − 1/729).
#[test]
fn example_one() {
    let h = place(&[2.0], &[0.0], 81.0, 2);
    let want = 9.0 * (1.0f64 - 1.0 / 729.0).sqrt();
    assert!(
        (h.coordinates[0] / want - 1.0).abs() < 4.0 * f64::EPSILON,
        "{h:?}"
    );
    assert_eq!(format!("{:.8}", h.coordinates[0]), "8.99382504");
    assert_eq!(h.minimisers, Minimisers::Pair);
    assert_eq!(h.alternatives, vec![vec![-h.coordinates[0]]]);
    assert!(h.certified && h.converged);
    let f = objective(&[2.0], &[0.0], 81.0, 2, &h.coordinates).0;
    assert!((h.objective - f).abs() < 16.0 * f64::EPSILON * 81.0);
}

/// Vienna on the map of twenty other cities, to the digits printed.
#[test]
fn eurodist_check_value() {
    let json = fixture::read("eurodist.json");
    let vienna = &json["vienna"];
    let sigma2 = fixture::numbers(&vienna["sigma2"]);
    let projection = fixture::numbers(&vienna["projected"]);
    let h = place(&sigma2, &projection, fixture::number(&vienna["beta"]), 20);
    let printed: Vec<String> = h.coordinates.iter().map(|y| format!("{y:.7}")).collect();
    assert_eq!(printed, ["949.7762545", "242.6267117"]);
    let want = fixture::number(&vienna["objective_hyperplane"]);
    assert!((h.objective - want).abs() <= 16.0 * f64::EPSILON * sigma2.iter().sum::<f64>());
    assert!(h.certified && h.minimisers == Minimisers::Unique);
}

/// At ŷ = 0 the projection is the minimiser up to cρ² = σ_d² and a saddle beyond.
#[test]
fn both_sides_of_the_saddle() {
    let (sigma2, size) = ([7.0, 3.0], 9);
    let c = 0.9;
    for (ratio, beyond) in [
        (0.5, false),
        (1.0 - 1e-9, false),
        (1.0 + 1e-9, true),
        (4.0, true),
        (1e6, true),
    ] {
        let rho2: f64 = ratio * sigma2[1] / c;
        let h = place(&sigma2, &[0.0, 0.0], rho2, size);
        let want = if beyond {
            (rho2 * (1.0 - ratio.powi(-2))).sqrt()
        } else {
            0.0
        };
        assert_eq!(h.coordinates[0], 0.0);
        // The root cancels: its error is that of ratio over ratio − 1.
        let unit = f64::EPSILON * (1.0 + ratio / (ratio - 1.0).abs());
        assert!(
            (h.coordinates[1] - want).abs() <= 64.0 * unit * rho2.sqrt(),
            "{ratio} {h:?} {want}"
        );
        assert_eq!(h.minimisers == Minimisers::Pair, beyond, "{ratio}");
        // The proof reaches as far as the newcomer outweighs one axis only.
        assert_eq!(h.certified, c * rho2 <= sigma2[0], "{ratio} {h:?}");
    }
}

/// A repeated smallest eigenvalue turns the pair into a sphere; a rounding error in ŷ does not undo it.
#[test]
fn spheres_and_rounding() {
    let h = place(&[7.0, 3.0, 3.0], &[0.5, 0.0, 0.0], 100.0, 9);
    assert_eq!(h.minimisers, Minimisers::Sphere(1));
    assert_eq!(h.coordinates[1], 0.0);
    assert!(h.coordinates[2] > 9.0);
    let noisy = solve(
        &[7.0, 3.0],
        &[0.5, -1e-15],
        100.0,
        9,
        40.0,
        &HyperplaneSettings::default(),
    )
    .unwrap();
    let clean = place(&[7.0, 3.0], &[0.5, 0.0], 100.0, 9);
    assert_eq!(noisy.minimisers, Minimisers::Pair);
    assert_eq!(noisy.coordinates, clean.coordinates);
    let turned = place(&[7.0, 3.0, 3.0], &[0.5, 0.6, 0.8], 101.0, 9);
    let straight = place(&[7.0, 3.0, 3.0], &[0.5, 0.0, 1.0], 101.0, 9);
    assert!((turned.objective / straight.objective - 1.0).abs() < 1e-14);
}

/// ρ = 0 is the projection, ρ² < 0 by rounding the same, ρ² < 0 in earnest does not apply.
#[test]
fn nothing_outside_the_map() {
    let (sigma2, projection) = ([5.0, 2.0], [3.0, 4.0]);
    for beta in [25.0, 25.0 * (1.0 - 1e-13)] {
        let h = place(&sigma2, &projection, beta, 5);
        assert_eq!(
            (h.coordinates.as_slice(), h.objective),
            (&projection[..], 0.0)
        );
    }
    for beta in [24.9, 0.0, -1.0] {
        assert_eq!(
            solve(
                &sigma2,
                &projection,
                beta,
                5,
                0.0,
                &HyperplaneSettings::default()
            ),
            None
        );
    }
}

/// Stationary to rounding, certified gaps honest, and never above the best of many random descents
/// by the plain alternation.
#[test]
fn global_over_random_problems() {
    let mut rng = Stream::new(11);
    let mut certified = 0;
    let rounds = 150;
    for round in 0..rounds {
        let (sigma2, projection, beta, size) = random_problem(&mut rng, round);
        let d = sigma2.len();
        let h = place(&sigma2, &projection, beta, size);
        certified += usize::from(h.certified);
        let scale: f64 = sigma2.iter().sum::<f64>() + beta;
        let unit = f64::EPSILON * scale * (d + 1) as f64;
        let (f, _) = objective(&sigma2, &projection, beta, size, &h.coordinates);
        assert!((f - h.objective).abs() <= 32.0 * unit, "{round}: {f} {h:?}");
        let r = stationarity(&sigma2, &projection, beta, size, &h.coordinates);
        // The polar factor of A amplifies rounding by its condition.
        let condition = scale
            / objective(&sigma2, &projection, beta, size, &h.coordinates)
                .1
                .values[d - 1];
        assert!(
            h.converged && r <= 64.0 * f64::EPSILON * condition,
            "{round}: {r:e} {h:?}"
        );
        let mut u = projection.clone();
        u.push((beta - dot(&projection, &projection)).sqrt());
        for _ in 0..12 {
            let mut y: Vec<f64> = (0..d).map(|_| beta.sqrt() * rng.normal()).collect();
            for _ in 0..100 {
                y = objective(&sigma2, &projection, beta, size, &y)
                    .1
                    .polar_transposed(&u);
            }
            let other = objective(&sigma2, &projection, beta, size, &y).0;
            assert!(
                other >= h.objective - 32.0 * unit,
                "{round}: {other} < {h:?}"
            );
            assert!(other >= h.objective - h.gap - 32.0 * unit, "{round}: bound");
        }
    }
    assert!(certified > rounds / 2, "{certified} certified");
}

/// Scaling by any power of ten scales the answer; reflecting an axis reflects it; both to rounding.
#[test]
fn equivariance() {
    let mut rng = Stream::new(12);
    for round in 0..200 {
        let (sigma2, projection, beta, size) = random_problem(&mut rng, round);
        let h = place(&sigma2, &projection, beta, size);
        let s = [1e-100, 1e-9, 3.0, 1e70][round % 4];
        let scaled: Vec<f64> = sigma2.iter().map(|v| v * s * s).collect();
        let mut mirrored: Vec<f64> = projection.iter().map(|v| v * s).collect();
        mirrored[0] = -mirrored[0];
        let k = place(&scaled, &mirrored, beta * s * s, size);
        assert_eq!(h.minimisers, k.minimisers);
        // Far from the map y is defined to the condition of A only; compare by the objective.
        let mut back: Vec<f64> = k.coordinates.iter().map(|v| v / s).collect();
        back[0] = -back[0];
        let (f, _) = objective(&sigma2, &projection, beta, size, &back);
        let scale = sigma2.iter().sum::<f64>() + beta;
        assert!(
            (f - h.objective).abs() <= 64.0 * f64::EPSILON * scale,
            "{round}: {h:?} {k:?}"
        );
        assert!((k.objective / s / s - h.objective).abs() <= 64.0 * f64::EPSILON * scale);
    }
}

/// On feature data, the answer minimises ‖[Ξ; η'] − [X; y']V' − e t'‖² over V, t and y: the direct
/// alternation in the full feature space, from many starts, finds nothing lower and the same value.
#[test]
fn equals_direct_minimisation_on_features() {
    let mut rng = Stream::new(13);
    for round in 0..24 {
        let features = 2 + (rng.bits() % 4) as usize;
        let d = 1 + (rng.bits() % features as u64) as usize;
        let n = features + 2 + (rng.bits() % 20) as usize;
        // Centred features by columns, and their principal component scores.
        let mut xi: Vec<f64> = (0..n * features).map(|_| rng.normal()).collect();
        for column in xi.chunks_exact_mut(n) {
            let spread = 0.3 + rng.uniform().abs();
            let mean = column.iter().sum::<f64>() / n as f64;
            column.iter_mut().for_each(|v| *v = (*v - mean) * spread);
        }
        let reach = [0.2, 1.0, 5.0][round % 3];
        let eta: Vec<f64> = (0..features).map(|_| reach * rng.normal()).collect();
        let pca = Svd::new(xi.clone(), n);
        let sigma2: Vec<f64> = pca.values[..d].iter().map(|v| v * v).collect();
        let projection: Vec<f64> = (0..d).map(|j| dot(&pca.right(j), &eta)).collect();
        let beta = dot(&eta, &eta);
        let h = place(&sigma2, &projection, beta, n);

        let c = n as f64 / (n as f64 + 1.0);
        let x = |j: usize| {
            pca.left(j)
                .iter()
                .map(|v| v * pca.values[j])
                .collect::<Vec<f64>>()
        };
        let cross: Vec<f64> = (0..d)
            .flat_map(|j| {
                xi.chunks_exact(n)
                    .map(|column| dot(column, &x(j)))
                    .collect::<Vec<f64>>()
            })
            .collect();
        let best = (0..12).map(|_| {
            let mut y: Vec<f64> = (0..d).map(|_| beta.sqrt() * rng.normal()).collect();
            let mut f = f64::INFINITY;
            for _ in 0..400 {
                let mut a = cross.clone();
                for j in 0..d {
                    for i in 0..features {
                        a[j * features + i] += c * eta[i] * y[j];
                    }
                }
                let svd = Svd::new(a, features);
                f = dot(&xi, &xi) + c * beta + sigma2.iter().sum::<f64>() + c * dot(&y, &y)
                    - 2.0 * svd.values.iter().sum::<f64>();
                y = svd.polar_transposed(&eta);
            }
            f
        });
        let best = best.fold(f64::INFINITY, f64::min);
        let constant = dot(&xi, &xi) - sigma2.iter().sum::<f64>();
        let scale = dot(&xi, &xi) + beta;
        assert!(
            (h.objective + constant - best).abs() <= 1e-12 * scale,
            "{round}: {best} {h:?}"
        );
    }
}

/// The least of 200 searches by SciPy over each of 72 problems and 5 sets of features, saddles and
/// inferior minima among them.
#[test]
fn equals_the_best_of_many_searches() {
    let json = fixture::read("hyperplane.json");
    let mut inferior = 0;
    for (k, row) in fixture::rows(&json["instances"])
        .chain(fixture::rows(&json["features"]))
        .enumerate()
    {
        let sigma2 = fixture::numbers(&row["sigma2"]);
        let projection = fixture::numbers(&row["projected"]);
        let rho = fixture::number(&row["rho"]);
        let beta = dot(&projection, &projection) + rho * rho;
        let h = place(
            &sigma2,
            &projection,
            beta,
            fixture::number(&row["n"]) as usize,
        );
        let (want, y) = (
            fixture::number(&row["objective"]),
            fixture::numbers(&row["y"]),
        );
        let scale = sigma2.iter().sum::<f64>() + beta;
        assert!(
            (h.objective - want).abs() <= 1e-13 * scale,
            "{k}: {want} {h:?}"
        );
        inferior += usize::from(row["inferior"].as_array().is_some_and(|v| !v.is_empty()));
        if let Some(pair) = row["pair"].as_bool() {
            assert_eq!(h.minimisers == Minimisers::Pair, pair, "{k}");
        }
        // The searches know f to rounding and hence y to its square root.
        let off = |z: &[f64]| norm(&z.iter().zip(&y).map(|(a, b)| a - b).collect::<Vec<f64>>());
        let off = h
            .alternatives
            .iter()
            .fold(off(&h.coordinates), |m, z| m.min(off(z)));
        assert!(off <= 1e-6 * scale.sqrt(), "{k}: {off} {y:?} {h:?}");
    }
    assert!(inferior > 5, "{inferior} problems with inferior minima");
}
