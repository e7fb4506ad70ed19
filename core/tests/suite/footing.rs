//! What is known of newcomers before they come.

use super::common::methods::{axes, of_features, of_square};
use super::common::*;
use adjoin::random::Stream;
use adjoin::settings::Solver;
use adjoin::{FitSettings, Footing, Kind, Method, PlaceSettings, Run};
use faer::Mat;

/// Points in `q` dimensions with two that stand out.
fn points(n: usize, q: usize, rng: &mut Stream) -> Mat<f64> {
    Mat::from_fn(n, q, |_, j| {
        rng.normal() * [4.0, 2.5].get(j).unwrap_or(&1.0)
    })
}

/// ŝ is the size of leave-one-out places beside fitted ones, axis by axis, to a few hundredths.
#[test]
fn shrinkage_is_what_leaving_out_shows() {
    let mut rng = Stream::new(51);
    for (n, q) in [(80, 200), (150, 60)] {
        let own = points(n, q, &mut rng);
        let delta = distances(own.as_ref(), own.as_ref());
        let map = of_square(delta.as_ref(), Kind::Dissimilarity, &axes(2))
            .unwrap()
            .map;
        let left_out = map
            .leave_one_out(&PlaceSettings::default(), Run::on(1))
            .unwrap();
        let footing = map.footing();
        for a in 0..2 {
            let new: f64 = (0..n).map(|i| left_out.point(i)[a].powi(2)).sum();
            let old: f64 = (0..n).map(|i| map.configuration()[(i, a)].powi(2)).sum();
            let (found, shown) = (footing.shrinkage[a], (new / old).sqrt());
            assert!((found - shown).abs() < 0.04, "{n} {q} {a}: {found} {shown}");
            assert!(found < 1.0);
        }
        assert!((0.0..1.0).contains(&footing.next));
    }
}

/// From some of the eigenvalues, tr B and ‖B‖² it is what it is from all of them, to a hundredth; and to rounding where features
/// leave nothing but zeros.
#[test]
fn some_eigenvalues_are_enough() {
    let mut rng = Stream::new(52);
    let own = points(320, 90, &mut rng);
    let delta = distances(own.as_ref(), own.as_ref());
    let by = |solver| {
        let settings = FitSettings { solver, ..axes(2) };
        of_square(delta.as_ref(), Kind::Dissimilarity, &settings)
            .unwrap()
            .map
            .footing()
    };
    let (all, some) = (by(Solver::Dense), by(Solver::Iterative));
    let pca = FitSettings {
        method: Method::Pca,
        ..axes(2)
    };
    let features = of_features(own.as_ref(), None, &pca).unwrap().map.footing();
    for a in 0..2 {
        assert!(
            (all.shrinkage[a] - some.shrinkage[a]).abs() < 0.01,
            "{all:?} {some:?}"
        );
        close(features.shrinkage[a], all.shrinkage[a], 1e-9);
    }
    close(some.next, all.next, 0.05);
}

/// Quantiles are of what old objects are when they are left out; an exact map has nothing to shrink.
#[test]
fn quantiles_are_of_old_objects() {
    let mut rng = Stream::new(53);
    let delta = euclidean(41, 6, &mut rng);
    let map = of_square(delta.as_ref(), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map;
    let footing = map.footing();
    let mut residuals = map.old_residuals();
    residuals.sort_by(f64::total_cmp);
    let at = [0, 2, 20, 38, 40].map(|i: usize| residuals[i]);
    assert_eq!(footing.residuals, at);
    assert!(footing.extents.windows(2).all(|w| w[0] <= w[1]) && footing.extents.len() == 5);
    close(
        footing.beside,
        residuals[20] / map.diagram().eigenvalues()[1],
        1e-12,
    );
    let exact = euclidean(30, 2, &mut rng);
    let footing = of_square(exact.as_ref(), Kind::Dissimilarity, &axes(2))
        .unwrap()
        .map
        .footing();
    assert!(
        footing.shrinkage.iter().all(|s| (s - 1.0).abs() < 1e-9),
        "{footing:?}"
    );
}

/// That the last axis is hardly separated from the next is said from half of its eigenvalue on, with the factor 1/(1 − c_{d+1}/c_d).
#[test]
fn hardly_separated_axes_are_said_with_a_factor() {
    let said = |next: f64| {
        let footing = Footing {
            next,
            ..Default::default()
        };
        footing.understated()
    };
    for fine in [f64::NAN, -0.3, 0.0, 0.5] {
        assert_eq!(said(fine), None, "{fine}");
    }
    assert_eq!(said(0.56).as_deref(), Some("up to about 2.3 times"));
    assert_eq!(said(0.75).as_deref(), Some("up to about 4.0 times"));
    for tied in [0.95, 1.0] {
        assert_eq!(said(tied).as_deref(), Some("ten times or more"));
    }
}
