//! The stress strategy: perfect fits, the line, flat configurations, symmetries, missing entries, and
//! the best of many searches by SciPy.

use super::common::fixture;

use adjoin::random::Stream;
use adjoin::strategy::secular::Minimisers;
use adjoin::strategy::stress::{Prepared, Start, Stress, StressSettings, solve};
use faer::Mat;

fn raw(x: &Mat<f64>, delta: &[f64], w: Option<&[f64]>, y: &[f64]) -> f64 {
    (0..x.nrows())
        .filter(|&i| !delta[i].is_nan())
        .map(|i| {
            let r2: f64 = (0..x.ncols()).map(|k| (y[k] - x[(i, k)]).powi(2)).sum();
            w.map_or(1.0, |w| w[i]) * (r2.sqrt() - delta[i]).powi(2)
        })
        .sum()
}

fn distances(x: &Mat<f64>, y: &[f64]) -> Vec<f64> {
    (0..x.nrows())
        .map(|i| {
            (0..x.ncols())
                .map(|k| (y[k] - x[(i, k)]).powi(2))
                .sum::<f64>()
                .sqrt()
        })
        .collect()
}

fn random(rng: &mut Stream, n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |_, k| rng.normal() * (2.0 - k as f64 / d as f64))
}

fn place(x: &Mat<f64>, delta: &[f64], w: Option<&[f64]>) -> Stress {
    solve(x.as_ref(), delta, w, &StressSettings::default())
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// The distances of a point give that point back, an old object itself included.
#[test]
fn perfect_fits_are_found() {
    let mut rng = Stream::new(41);
    for round in 0..200 {
        let d = 1 + round % 5;
        let n = d + 2 + (rng.bits() % 700) as usize;
        let x = random(&mut rng, n, d);
        let y: Vec<f64> = match round % 4 {
            0 => (0..d).map(|k| x[(n / 2, k)]).collect(),
            _ => (0..d).map(|_| 3.0 * rng.normal()).collect(),
        };
        let s = place(&x, &distances(&x, &y), None);
        assert!(
            s.converged && s.relative < 64.0 * f64::EPSILON,
            "{round} {d} {n}: {s:?} {y:?}"
        );
        assert!(
            off(&s.coordinates, &y) < 1e-13 * n as f64,
            "{round}: {s:?} {y:?}"
        );
    }
}

/// The best of 120 searches by SciPy over each of 40 problems, some with inferior minima.
#[test]
fn equals_the_best_of_many_searches() {
    let json = fixture::read("stress.json");
    let mut inferior = 0;
    for (k, row) in fixture::rows(&json["instances"]).enumerate() {
        let rows = fixture::matrix(&row["X"]);
        let x = Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        let (delta, w) = (
            fixture::numbers(&row["delta"]),
            fixture::numbers(&row["weights"]),
        );
        let s = place(&x, &delta, Some(&w));
        let want = fixture::number(&row["stress"]);
        let weighted: f64 = delta
            .iter()
            .zip(&w)
            .filter(|p| !p.0.is_nan())
            .map(|(d, w)| w * d * d)
            .sum();
        assert!(
            (s.stress - want) <= 1e-13 * (want + weighted),
            "{k}: {want} {s:?}"
        );
        assert!((s.stress - raw(&x, &delta, Some(&w), &s.coordinates)).abs() <= 1e-13 * weighted);
        assert!((s.relative - (s.stress / weighted).sqrt()).abs() < 1e-14);
        inferior += usize::from(row["inferior"].as_array().is_some_and(|v| !v.is_empty()));
    }
    assert!(inferior > 5, "{inferior} problems with inferior minima");
}

/// Never above the best of many descents from random places, over sizes on both sides of sampling.
#[test]
fn global_over_random_problems() {
    let mut rng = Stream::new(42);
    let (mut missed, mut rounds) = (0, 0);
    for round in 0..120 {
        let d = 2 + round % 3;
        let n = [6, 12, 30, 100, 520, 1000][round % 6];
        let x = random(&mut rng, n, d);
        let y: Vec<f64> = (0..d).map(|_| 2.0 * rng.normal()).collect();
        let (beyond, rough) = ([0.0, 2.0, 4.0][round / 6 % 3], [0.1, 0.5][round / 18 % 2]);
        let delta: Vec<f64> = distances(&x, &y)
            .iter()
            .map(|r| (r * r + beyond * beyond).sqrt() * (rough * rng.normal()).exp())
            .collect();
        let prepared = Prepared::new(x.as_ref());
        let s = prepared.place(&delta, None, &[], &StressSettings::default());
        let given: Vec<Vec<f64>> = (0..100)
            .map(|_| (0..d).map(|_| 4.0 * rng.normal()).collect())
            .collect();
        let given: Vec<&[f64]> = given.iter().map(Vec::as_slice).collect();
        let many = prepared.place(&delta, None, &given, &StressSettings::default());
        assert!(s.converged && many.converged);
        rounds += 1;
        missed += usize::from(many.stress < s.stress * (1.0 - 1e-9));
    }
    assert_eq!(missed, 0, "of {rounds}");
}

/// On a line the answer is the least over a fine grid, weights and missing entries included.
#[test]
fn the_line_is_solved_exactly() {
    let mut rng = Stream::new(43);
    for round in 0..300 {
        let n = 1 + (rng.bits() % 12) as usize;
        let x = Mat::from_fn(n, 1, |_, _| {
            (4.0 * rng.normal()).round() / if round % 2 == 0 { 1.0 } else { 7.0 }
        });
        let mut delta: Vec<f64> = (0..n)
            .map(|_| (3.0 * rng.normal().abs() - 0.5).max(0.0))
            .collect();
        let w: Vec<f64> = (0..n).map(|_| 0.1 + rng.normal().abs()).collect();
        if n > 2 && round % 3 == 0 {
            delta[1] = f64::NAN;
        }
        let s = place(&x, &delta, Some(&w));
        let grid = (0..40_001).map(|k| raw(&x, &delta, Some(&w), &[k as f64 / 1000.0 - 20.0]));
        let least = grid.fold(f64::INFINITY, f64::min);
        assert!(s.stress <= least * (1.0 + 1e-12), "{round}: {s:?} {least}");
        assert!(
            (raw(&x, &delta, Some(&w), &s.coordinates) - s.stress).abs()
                <= 1e-12 * s.stress.max(1.0)
        );
        assert_eq!(s.start, Start::Exact);
    }
    // Two objects at ±1 with equal dissimilarities 3: the middle of neither side, a pair at ±3.
    let x = Mat::from_fn(2, 1, |i, _| [-1.0, 1.0][i]);
    let s = place(&x, &[3.0, 3.0], None);
    assert_eq!(
        (s.coordinates, s.minimisers, s.minima),
        (vec![3.0], Minimisers::Pair, 3)
    );
    assert_eq!(s.alternatives, [vec![-3.0]]);
}

/// Objects on a line of the plane, or a plane of four dimensions, or in one point: the distance from
/// their span is found, with + on the axis outside it.
#[test]
fn flat_configurations_leave_a_choice() {
    let x = Mat::from_fn(3, 2, |i, k| [[-1.0, 0.0], [0.0, 0.0], [2.0, 0.0]][i][k]);
    let y = [0.5, 1.5];
    let s = place(&x, &distances(&x, &y), None);
    assert_eq!(s.minimisers, Minimisers::Pair);
    assert!(off(&s.coordinates, &y) < 1e-14, "{s:?}");
    assert!(off(&s.alternatives[0], &[0.5, -1.5]) < 1e-14, "{s:?}");

    let mut rng = Stream::new(44);
    let x = Mat::from_fn(9, 4, |_, k| if k < 2 { rng.normal() } else { 0.0 });
    let s = place(&x, &distances(&x, &[0.3, -0.2, 0.6, 0.8]), None);
    assert_eq!(s.minimisers, Minimisers::Sphere(1));
    assert!(off(&s.coordinates[..2], &[0.3, -0.2]) < 1e-14);
    assert!(
        (s.coordinates[2].hypot(s.coordinates[3]) - 1.0).abs() < 1e-14,
        "{s:?}"
    );

    // Only one observed, or all in one place: a circle about it.
    let mut delta = vec![f64::NAN; 9];
    delta[4] = 2.0;
    let s = place(&x, &delta, None);
    assert_eq!((s.minimisers, s.observed), (Minimisers::Sphere(3), 1));
    let there: Vec<f64> = (0..4).map(|k| x[(4, k)]).collect();
    assert!((off(&s.coordinates, &there) - 2.0).abs() < 1e-14 && s.relative < 1e-15);
    // In the span after all: unique.
    let s = place(&x, &distances(&x, &[0.3, -0.2, 0.0, 0.0]), None);
    assert_eq!(s.minimisers, Minimisers::Unique);
    assert!(off(&s.coordinates, &[0.3, -0.2, 0.0, 0.0]) < 1e-14, "{s:?}");
}

/// Nothing observed is an answer of NaN, not a panic.
#[test]
fn nothing_observed() {
    let x = Mat::from_fn(4, 2, |i, k| (i + 2 * k) as f64);
    for (delta, w) in [([f64::NAN; 4], None), ([1.0; 4], Some([0.0; 4]))] {
        let s = place(&x, &delta, w.as_ref().map(|w| &w[..]));
        assert!(s.observed == 0 && s.coordinates.iter().all(|v| v.is_nan()) && !s.converged);
    }
}

/// A missing entry is a weight of zero is an object that is not there; weights may be scaled.
#[test]
fn missing_is_absent() {
    let mut rng = Stream::new(45);
    for round in 0..60 {
        let (d, n) = (2 + round % 3, 20 + round);
        let x = random(&mut rng, n, d);
        let y: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
        let full: Vec<f64> = distances(&x, &y)
            .iter()
            .map(|r| r * (0.2 * rng.normal()).exp())
            .collect();
        let w: Vec<f64> = (0..n).map(|_| 0.2 + rng.normal().abs()).collect();
        let gone = |i: usize| i % 4 == 1;
        let missing: Vec<f64> = (0..n)
            .map(|i| if gone(i) { f64::NAN } else { full[i] })
            .collect();
        let zero: Vec<f64> = (0..n)
            .map(|i| if gone(i) { 0.0 } else { 1e9 * w[i] })
            .collect();
        let kept: Vec<usize> = (0..n).filter(|&i| !gone(i)).collect();
        let fewer = Mat::from_fn(kept.len(), d, |i, k| x[(kept[i], k)]);
        let pick = |v: &[f64]| kept.iter().map(|&i| v[i]).collect::<Vec<f64>>();
        let a = place(&x, &missing, Some(&w));
        let b = place(&x, &full, Some(&zero));
        let c = place(&fewer, &pick(&full), Some(&pick(&w)));
        assert!(
            off(&a.coordinates, &b.coordinates) < 1e-12,
            "{round}: {a:?} {b:?}"
        );
        assert!(
            off(&a.coordinates, &c.coordinates) < 1e-12,
            "{round}: {a:?} {c:?}"
        );
        assert!((b.stress / 1e9 / a.stress - 1.0).abs() < 1e-12);
    }
}

/// Any scale, origin and orientation of the axes: the same picture.
#[test]
fn equivariance() {
    let mut rng = Stream::new(46);
    for round in 0..60 {
        let (d, n) = (1 + round % 4, [9, 40, 600][round % 3]);
        let x = random(&mut rng, n, d);
        let y: Vec<f64> = (0..d).map(|_| 2.0 * rng.normal()).collect();
        let delta: Vec<f64> = distances(&x, &y)
            .iter()
            .map(|r| r * (0.1 * rng.normal()).exp())
            .collect();
        let s = place(&x, &delta, None);
        let scale = [1e-120, 1e-9, 1e90][round % 3];
        let shift = 3.0;
        let moved = Mat::from_fn(n, d, |i, k| (shift - x[(i, d - 1 - k)]) * scale);
        let far: Vec<f64> = delta.iter().map(|v| v * scale).collect();
        let t = place(&moved, &far, None);
        let back: Vec<f64> = (0..d)
            .map(|k| shift - t.coordinates[d - 1 - k] / scale)
            .collect();
        assert!(off(&s.coordinates, &back) < 1e-12, "{round}: {s:?} {t:?}");
        assert!((t.stress / scale / scale / s.stress - 1.0).abs() < 1e-12);
    }
    // Dissimilarities out of all proportion to the configuration, either way.
    let x = Mat::from_fn(5, 2, |i, k| [0.0, 1.0, 3.0, -1.0, 0.5][(i + 2 * k) % 5]);
    for size in [1e-200, 1e100, 1e150] {
        let s = place(&x, &[size; 5], None);
        assert!(s.coordinates.iter().all(|v| v.is_finite()), "{s:?}");
        if size > 1.0 {
            let distance = s.coordinates[0].hypot(s.coordinates[1]);
            assert!((distance / size - 1.0).abs() < 1e-12, "{s:?}");
        }
    }
}

/// A start on an old object, where the gradient is undefined, and dissimilarities of zero.
#[test]
fn places_of_old_objects() {
    let x = Mat::from_fn(5, 2, |i, k| {
        [[0.0, 0.0], [1.0, 0.2], [-1.0, 0.1], [0.3, 1.0], [0.1, -1.0]][i][k]
    });
    let delta = [0.4, 1.0, 1.1, 1.0, 1.2];
    let prepared = Prepared::new(x.as_ref());
    let plain = prepared.place(&delta, None, &[], &StressSettings::default());
    let given = prepared.place(
        &delta,
        None,
        &[&[0.0, 0.0], &[0.3, 1.0]],
        &StressSettings::default(),
    );
    assert!(off(&plain.coordinates, &given.coordinates) < 1e-12);
    // Only one dissimilarity matters, and it is zero.
    let w = [1e-30, 1.0, 1e-30, 1e-30, 1e-30];
    let s = place(&x, &[5.0, 0.0, 5.0, 5.0, 5.0], Some(&w));
    assert!(off(&s.coordinates, &[1.0, 0.2]) < 1e-14, "{s:?}");
}

/// One newcomer gives the same bits alone, prepared once for many, and in any order.
#[test]
fn independent_of_the_batch() {
    let mut rng = Stream::new(47);
    let x = random(&mut rng, 700, 3);
    let prepared = Prepared::new(x.as_ref());
    let newcomers: Vec<Vec<f64>> = (0..6)
        .map(|_| {
            distances(&x, &[rng.normal(), rng.normal(), rng.normal()])
                .iter()
                .map(|r| r * 1.1)
                .collect()
        })
        .collect();
    let batch: Vec<Stress> = newcomers
        .iter()
        .map(|d| prepared.place(d, None, &[], &StressSettings::default()))
        .collect();
    for (delta, want) in newcomers.iter().zip(&batch).rev() {
        // As they are printed, to the last bit: the gap, which was not asked for, is no number.
        assert_eq!(format!("{:?}", place(&x, delta, None)), format!("{want:?}"));
    }
}
