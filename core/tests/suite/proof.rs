//! The proof for stress: it holds for random problems, agrees with a search of a grid, finds what the starts miss, and says so
//! where it cannot be had.

use adjoin::random::Stream;
use adjoin::strategy::secular::Minimisers;
use adjoin::strategy::stress::{PROVED, Start, StressSettings, solve};
use adjoin::{About, Newcomers, PlaceSettings, Run, Strategy, place_on_configuration};
use faer::Mat;

const PROVE: StressSettings = StressSettings {
    most_steps: 200,
    prove: true,
};

fn random(rng: &mut Stream, n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |_, _| rng.normal())
}

/// The distances of a point, each multiplied by exp(noise × normal).
fn noisy(x: &Mat<f64>, noise: f64, rng: &mut Stream) -> Vec<f64> {
    let y: Vec<f64> = (0..x.ncols()).map(|_| rng.normal()).collect();
    (0..x.nrows())
        .map(|i| {
            let square: f64 = (0..x.ncols()).map(|k| (y[k] - x[(i, k)]).powi(2)).sum();
            square.sqrt() * (noise * rng.normal()).exp()
        })
        .collect()
}

fn raw(x: &Mat<f64>, delta: &[f64], w: Option<&[f64]>, y: &[f64]) -> f64 {
    (0..x.nrows())
        .filter(|&i| !delta[i].is_nan())
        .map(|i| {
            let r2: f64 = (0..x.ncols()).map(|k| (y[k] - x[(i, k)]).powi(2)).sum();
            w.map_or(1.0, |w| w[i]) * (r2.sqrt() - delta[i]).powi(2)
        })
        .sum()
}

/// Every problem of a spread of sizes and noises is certified, on one to three axes, with weights and with holes.
#[test]
fn random_problems_are_certified() {
    let mut rng = Stream::new(12);
    for round in 0..30 {
        let d = 1 + round % 3;
        let n = 50 + (rng.bits() % 200) as usize;
        let x = random(&mut rng, n, d);
        let mut delta = noisy(&x, [0.0, 0.1, 0.5, 1.5][round % 4], &mut rng);
        if round % 5 == 0 {
            (0..n).step_by(3).for_each(|i| delta[i] = f64::NAN);
        }
        let weights: Vec<f64> = (0..n).map(|_| rng.normal().abs()).collect();
        let weights = (round % 2 == 0).then_some(&weights[..]);
        let plain = solve(x.as_ref(), &delta, weights, &StressSettings::default());
        let proved = solve(x.as_ref(), &delta, weights, &PROVE);
        assert!(proved.gap <= PROVED, "{round} n {n} d {d}: {}", proved.gap);
        assert!(proved.stress <= plain.stress, "{round}");
        assert!(proved.converged, "{round}");
        let recomputed = raw(&x, &delta, weights, &proved.coordinates);
        assert!(
            (recomputed - proved.stress).abs() <= 1e-12 * recomputed + 1e-24,
            "{round}"
        );
    }
}

/// No point of a grid over the map is better than what is certified, by more than it says; and one is hardly worse.
#[test]
fn a_grid_finds_nothing_better() {
    let mut rng = Stream::new(77);
    for round in 0..20 {
        let x = random(&mut rng, 12, 2);
        // Contradictory dissimilarities: many valleys.
        let delta: Vec<f64> = (0..12).map(|_| (1.5 * rng.normal()).exp()).collect();
        let proved = solve(x.as_ref(), &delta, None, &PROVE);
        assert!(proved.gap <= PROVED, "{round}");
        // No minimiser is farther out than the mean dissimilarity from the centroid, which is near 0.
        let step = (1.0 + delta.iter().sum::<f64>() / 12.0) / 150.0;
        let mut least = f64::INFINITY;
        for i in -150..=150 {
            for j in -150..=150 {
                let y = [step * f64::from(i), step * f64::from(j)];
                least = least.min(raw(&x, &delta, None, &y));
            }
        }
        assert!(proved.stress <= least * (1.0 + PROVED), "{round}");
        // The curvature is at most 2 Σ w.
        assert!(proved.stress >= least - 12.0 * step * step, "{round}");
    }
}

/// What was certified before stays certified when nothing is observed off a line: the mirror image is the other of a pair, and a
/// ring of places in space is a sphere.
#[test]
fn flat_configurations_are_certified_in_their_span() {
    let mut rng = Stream::new(5);
    for d in 2..4 {
        let x = Mat::from_fn(20, d, |i, k| if k == 0 { i as f64 } else { 0.0 });
        let delta: Vec<f64> = (0..20)
            .map(|i| (f64::from(i) - 7.3).hypot(4.0) * (0.05 * rng.normal()).exp())
            .collect();
        let proved = solve(x.as_ref(), &delta, None, &PROVE);
        assert!(proved.gap <= PROVED, "{d}: {}", proved.gap);
        match proved.minimisers {
            Minimisers::Pair => assert_eq!(d, 2),
            Minimisers::Sphere(1) => assert_eq!(d, 3),
            other => panic!("{other:?}"),
        }
    }
}

/// Two places as good as each other are both found: four objects at the corners of a rectangle, and a newcomer
/// on neither side of it.
#[test]
fn ties_are_found() {
    let x = Mat::from_fn(4, 2, |i, k| {
        if k == 0 {
            [2.0, 2.0, -2.0, -2.0][i]
        } else {
            [1.0, -1.0, 1.0, -1.0][i]
        }
    });
    let proved = solve(x.as_ref(), &[5.0; 4], None, &PROVE);
    assert!(proved.gap <= PROVED);
    assert_eq!(proved.minimisers, Minimisers::Pair, "{proved:?}");
    let (a, b) = (&proved.coordinates, &proved.alternatives[0]);
    assert!(
        (a[1] + b[1]).abs() < 1e-9 && a[1].abs() > 1.0,
        "{a:?} {b:?}"
    );
}

/// Half of the dissimilarities tell a place on one axis, half on the other, all of them without its sign: four valleys of nearly
/// one depth, of which the starts know two or three. In some of these problems the deepest is another one.
#[test]
fn what_the_starts_miss_is_found() {
    let mut rng = Stream::new(4);
    let mut missed = 0;
    for round in 0..12 {
        let n = 500;
        let x = random(&mut rng, n, 2);
        let delta: Vec<f64> = (0..n)
            .map(|i| x[(i, i % 2)].abs() + 2.0 * rng.normal().abs())
            .collect();
        let plain = solve(x.as_ref(), &delta, None, &StressSettings::default());
        let proved = solve(x.as_ref(), &delta, None, &PROVE);
        assert!(proved.gap <= PROVED && proved.converged, "{round}");
        if proved.start == Start::Proof {
            missed += 1;
            let (before, after) = (
                raw(&x, &delta, None, &plain.coordinates),
                raw(&x, &delta, None, &proved.coordinates),
            );
            assert!(after < before * (1.0 - 1e-6), "{round}: {before} {after}");
        } else {
            assert_eq!(proved.coordinates, plain.coordinates, "{round}");
        }
    }
    assert!(missed >= 2, "{missed}");
}

/// A proof is for stress, and for few axes.
#[test]
fn where_it_cannot_be_had() {
    let mut rng = Stream::new(1);
    let x = random(&mut rng, 9, 4);
    let labels: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    let new = Mat::from_fn(1, 9, |_, _| 1.0);
    let newcomers = Newcomers::new(new.as_ref());
    let mut settings = PlaceSettings::by(Strategy::Stress);
    settings.prove = true;
    let place = |x: &Mat<f64>, settings: &PlaceSettings| {
        place_on_configuration(x.as_ref(), &labels, &newcomers, settings, Run::on(1))
    };
    let error = place(&x, &settings).unwrap_err();
    assert_eq!(error.about(), About::Proof);
    assert!(
        error
            .to_string()
            .contains("found a map of 4 axes, expected at most 3")
    );
    let narrow = x.subcols(0, 3).to_owned();
    assert_eq!(place(&narrow, &settings).unwrap().certified(0), Some(true));
    settings.strategy = Strategy::Reconstruct;
    let error = settings.check().unwrap_err();
    assert_eq!(error.about(), About::Proof);
    assert!(error.to_string().contains("expected it with stress only"));
}
