//! Re-embedding and Procrustes: nothing moves where nothing is new, and what moves is reported.

use adjoin::Run;
use adjoin::fit::diagram::DiagramSettings;
use adjoin::input::proximities::Proximities;
use adjoin::place::procrustes::rotation;
use adjoin::place::reembed::solve;
use adjoin::random::Stream;
use adjoin::{Diagram, Kind};
use faer::Mat;

fn random(rng: &mut Stream, n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |_, k| rng.normal() * (2.0 - k as f64 / d as f64))
}

fn squared(x: &Mat<f64>) -> Mat<f64> {
    let entry = |i: usize, j: usize| {
        (0..x.ncols())
            .map(|k| (x[(i, k)] - x[(j, k)]).powi(2))
            .sum()
    };
    Mat::from_fn(x.nrows(), x.nrows(), entry)
}

/// A rotated, reflected and shifted configuration is brought back to rounding, and the motion is
/// orthogonal; without the shift the origin stays.
#[test]
fn motions_are_undone() {
    let mut rng = Stream::new(61);
    for round in 0..60 {
        let (n, d) = (3 + round % 9, 1 + round % 4);
        let unit = [1.0, 1e-100, 1e100][round % 3];
        let from = Mat::from_fn(n.max(d + 1), d, |_, _| unit * rng.normal());
        let frame = random(&mut rng, d, d);
        let turn = frame.thin_svd().unwrap();
        let turn = turn.U() * turn.V().transpose();
        let shift: Vec<f64> = (0..d).map(|_| unit * rng.normal()).collect();
        let turned = &from * &turn;
        let to = Mat::from_fn(from.nrows(), d, |i, k| turned[(i, k)] + shift[k]);
        let motion = rotation(from.as_ref(), to.as_ref(), true);
        let off = (motion.apply(from.as_ref()) - &to).norm_max();
        assert!(
            off <= 64.0 * f64::EPSILON * to.norm_max(),
            "{round}: {off:e}"
        );
        let gram = motion.rotation.transpose() * &motion.rotation - Mat::<f64>::identity(d, d);
        assert!(gram.norm_max() <= 64.0 * f64::EPSILON);
        let fixed = rotation(from.as_ref(), turned.as_ref(), false);
        assert!(fixed.shift.iter().all(|v| *v == 0.0));
        assert!(
            (fixed.apply(from.as_ref()) - &turned).norm_max()
                <= 64.0 * f64::EPSILON * to.norm_max()
        );
    }
}

/// No other rotation, of many tried nearby, is closer.
#[test]
fn no_rotation_is_closer() {
    let mut rng = Stream::new(62);
    for _ in 0..40 {
        let (a, b) = (random(&mut rng, 8, 3), random(&mut rng, 8, 3));
        let motion = rotation(a.as_ref(), b.as_ref(), true);
        let least = (motion.apply(a.as_ref()) - &b).norm_l2();
        for _ in 0..50 {
            let frame = &motion.rotation + 0.3 * random(&mut rng, 3, 3);
            let other = frame.thin_svd().unwrap();
            let other = &a * (other.U() * other.V().transpose());
            let mean = |k: usize| (0..8).map(|i| b[(i, k)] - other[(i, k)]).sum::<f64>() / 8.0;
            let shift = [mean(0), mean(1), mean(2)];
            let moved = Mat::from_fn(8, 3, |i, k| other[(i, k)] + shift[k]);
            assert!((moved - &b).norm_l2() >= least * (1.0 - 1e-14));
        }
    }
}

/// Points that the map can show: nothing moves, and the newcomers come out where they are.
#[test]
fn nothing_moves_within_the_map() {
    let mut rng = Stream::new(63);
    for d in 1..5 {
        let points = random(&mut rng, 17, d);
        let (old, all) = (squared(&points.subrows(0, 12).to_owned()), squared(&points));
        let settings = DiagramSettings {
            dimensions: d,
            ..Default::default()
        };
        let proximities = Proximities::new(old.as_ref(), Kind::Squared, None, Run::on(1)).unwrap();
        let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
        let all = Proximities::new(all.as_ref(), Kind::Squared, None, Run::on(1)).unwrap();
        let r = solve(&all, diagram.configuration(), &settings, Run::on(1)).unwrap();
        assert!(
            r.largest <= 1e-13 && r.root_mean_square <= r.largest,
            "{d}: {r:?}"
        );
        let back = rotation(diagram.configuration(), points.subrows(0, 12), true);
        let newcomers = back.apply(r.newcomers.as_ref());
        assert!((newcomers - points.subrows(12, 5)).norm_max() < 1e-13);
    }
}

/// A newcomer off the map moves the old objects; the report adds up, and no motion of the new map is
/// closer to the old one.
#[test]
fn a_stranger_moves_the_map() {
    let mut rng = Stream::new(64);
    let mut points = random(&mut rng, 11, 3);
    points[(10, 2)] = 30.0;
    let (old, all) = (squared(&points.subrows(0, 10).to_owned()), squared(&points));
    let settings = DiagramSettings {
        dimensions: 2,
        ..Default::default()
    };
    let proximities = Proximities::new(old.as_ref(), Kind::Squared, None, Run::on(1)).unwrap();
    let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
    let x = diagram.configuration();
    let all = Proximities::new(all.as_ref(), Kind::Squared, None, Run::on(1)).unwrap();
    let r = solve(&all, x, &settings, Run::on(1)).unwrap();
    assert!(r.largest > 0.1 && r.displacements.len() == 10, "{r:?}");
    let moved = (&r.old - x).norm_l2() / 10f64.sqrt();
    assert!((r.root_mean_square / moved - 1.0).abs() < 1e-14);
    assert!(r.displacements.iter().all(|v| *v <= r.largest));
    // Again on what came out: the best motion is none.
    let again = rotation(r.old.as_ref(), x, true);
    assert!((again.rotation - Mat::<f64>::identity(2, 2)).norm_max() < 1e-13);
    // The mean of the old objects is where it was.
    for k in 0..2 {
        let mean = (0..10).map(|i| r.old[(i, k)] - x[(i, k)]).sum::<f64>();
        assert!(mean.abs() < 1e-13, "{mean}");
    }
}

/// Fewer objects than the configuration has is an error.
#[test]
fn too_few_objects() {
    let mut rng = Stream::new(65);
    let points = random(&mut rng, 6, 2);
    let all = squared(&points);
    let proximities = Proximities::new(all.as_ref(), Kind::Squared, None, Run::on(1)).unwrap();
    let longer = random(&mut rng, 7, 2);
    let error = solve(
        &proximities,
        longer.as_ref(),
        &DiagramSettings::default(),
        Run::on(1),
    )
    .unwrap_err();
    assert!(error.to_string().contains('6'), "{error}");
}
