//! What other programs keep of a classical scaling: dissimilarities from inner products, and axes the way round they have them.

#![allow(non_snake_case)]

use adjoin::random::Stream;
use adjoin::recovered::{dissimilarities, inner_products};
use adjoin::settings::{Axes, Correcting, Origin};
use adjoin::stored::Correction;
use adjoin::{Entries, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings, Run, Square};
use adjoin::{Strategy, error::Error};
use faer::{Mat, MatRef, Scale};

use super::common::{bray_curtis, cities};

fn fitted(old: MatRef<'_, f64>, settings: &FitSettings) -> Map {
    let square = Square {
        entries: Entries::Doubles(old),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let fitted = Map::fit(Objects::Square(square), settings, Run::on(1));
    fitted.unwrap().map
}

fn farthest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_max() / b.norm_max()
}

/// PΔ₂P.
fn centred(old: &Mat<f64>) -> Mat<f64> {
    let n = old.nrows();
    let squares = Mat::from_fn(n, n, |i, j| old[(i, j)].powi(2));
    let mean = |i: usize| squares.row(i).iter().sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let all = means.iter().sum::<f64>() / n as f64;
    Mat::from_fn(n, n, |i, j| squares[(i, j)] - means[i] - means[j] + all)
}

/// Of PΔ₂P, −½ is all that is needed; and with all axes, those of negative eigenvalues among them, B is known too.
#[test]
fn dissimilarities_come_back() {
    let mut rng = Stream::new(7);
    for old in [cities().0, bray_curtis(24, &mut rng)] {
        let inner = centred(&old);
        let back = dissimilarities(inner.as_ref(), -0.5, Correction::None, Kind::Dissimilarity);
        let back = back.unwrap();
        assert!(farthest(&back, &old) < 1e-7);
        let squared = dissimilarities(inner.as_ref(), -0.5, Correction::None, Kind::Squared);
        let squares = Mat::from_fn(old.nrows(), old.nrows(), |i, j| old[(i, j)].powi(2));
        assert!(farthest(&squared.unwrap(), &squares) < 1e-13);

        let B = inner * Scale(-0.5);
        let eigen = B.self_adjoint_eigen(faer::Side::Lower).unwrap();
        let axes = |keep: fn(f64) -> bool| {
            let S = eigen.S().column_vector();
            let which: Vec<usize> = (0..S.nrows()).filter(|&a| keep(S[a])).collect();
            Mat::from_fn(S.nrows(), which.len(), |i, a| {
                eigen.U()[(i, which[a])] * S[which[a]].abs().sqrt()
            })
        };
        let (real, imaginary) = (axes(|v| v > 0.0), axes(|v| v < 0.0));
        let made = inner_products(real.as_ref(), Some(imaginary.as_ref()));
        assert!(farthest(&made, &B) < 1e-13);
    }
}

/// A correction that is in the inner products is taken off.
#[test]
fn corrections_are_taken_off() {
    let old = cities().0;
    let n = old.nrows();
    let c = 300.0;
    let off = |i: usize, j: usize, v: f64| if i == j { 0.0 } else { v };
    let lingoes = Mat::from_fn(n, n, |i, j| {
        off(i, j, (old[(i, j)].powi(2) + 2.0 * c).sqrt())
    });
    let cailliez = Mat::from_fn(n, n, |i, j| off(i, j, old[(i, j)] + c));
    for (corrected, correction) in [
        (lingoes, Correction::Lingoes(c)),
        (cailliez, Correction::Cailliez(c)),
    ] {
        let inner = centred(&corrected);
        let back = dissimilarities(inner.as_ref(), -0.5, correction, Kind::Dissimilarity);
        assert!(farthest(&back.unwrap(), &old) < 1e-9);
    }
}

/// What cannot be inner products is refused.
#[test]
fn what_is_not_inner_products_is_refused() {
    let inner = centred(&cities().0);
    let ask = |inner: MatRef<'_, f64>, factor: f64, kind: Kind| {
        dissimilarities(inner, factor, Correction::None, kind).unwrap_err()
    };
    let wide = ask(inner.as_ref().subcols(0, 3), -0.5, Kind::Dissimilarity);
    assert!(matches!(wide, Error::NotSquare { .. }));
    let turned = ask(inner.as_ref(), 0.5, Kind::Dissimilarity).to_string();
    assert!(turned.contains("expected none below 0"), "{turned}");
    let similar = ask(inner.as_ref(), -0.5, Kind::Similarity).to_string();
    assert!(similar.contains("expected dissimilarities"), "{similar}");
}

/// A map that faces the way of other axes is the same map: its own coordinates are those, and newcomers and old objects that
/// are left out go with them, but for the signs of axes; whatever the origin and the correction.
#[test]
fn a_map_turned_round_is_the_same_map() {
    let (old, new) = cities();
    let signs = [-1.0, 1.0, -1.0];
    for (origin, correction) in [
        (Origin::Centroid, Correcting::None),
        (Origin::Centroid, Correcting::Lingoes),
        (Origin::Object(2), Correcting::None),
    ] {
        let settings = FitSettings {
            axes: Axes::Count(3),
            origin,
            correction,
            ..Default::default()
        };
        let map = fitted(old.as_ref(), &settings);
        let x = map.configuration();
        let axes = Mat::from_fn(x.nrows(), 3, |i, a| signs[a] * x[(i, a)]);
        let turned = map.facing(axes.as_ref(), true).unwrap();
        assert_eq!(turned.configuration(), axes.as_ref());
        let short = axes.clone() * Scale(1e-3);
        assert!(map.facing(short.as_ref(), true).is_none());
        assert!(map.facing(short.as_ref(), false).is_some());

        let newcomers = Newcomers::new(new.as_ref());
        let how = PlaceSettings::by(Strategy::Reconstruct);
        let place = |map: &Map| map.place(&newcomers, &how, Run::on(1)).unwrap().1;
        let left_out = |map: &Map| map.leave_one_out(&how, Run::on(1)).unwrap();
        for (before, after) in [
            (place(&map), place(&turned)),
            (left_out(&map), left_out(&turned)),
        ] {
            let spread = map.spread();
            for i in 0..before.count() {
                for (a, sign) in signs.iter().enumerate() {
                    let (x, y) = (before.point(i)[a] * sign, after.point(i)[a]);
                    // The object at the origin has no place without itself, on either map.
                    let same = (x - y).abs() <= 1e-9 * spread || x.is_nan() && y.is_nan();
                    assert!(same, "{i}, axis {a}: {x} {y}");
                }
                let (p, q) = (before.p[i], after.p[i]);
                assert!((p - q).abs() < 1e-12 || p.is_nan() && q.is_nan());
            }
        }
    }
}

/// Axes that are not the map's do not turn it: others, too few, of other objects; nor is there anything to turn where
/// coordinates were given.
#[test]
fn other_axes_turn_nothing() {
    let old = cities().0;
    let map = fitted(old.as_ref(), &FitSettings::default());
    let x = map.configuration().to_owned();
    let n = x.nrows();
    let mixed = Mat::from_fn(n, 2, |i, a| x[(i, a)] + 1e-3 * x[(i, 1 - a)]);
    assert!(map.facing(mixed.as_ref(), true).is_none());
    assert!(map.facing(x.as_ref().subcols(0, 1), true).is_none());
    assert!(map.facing(x.as_ref().subrows(1, n - 1), true).is_none());
    let settings = FitSettings {
        axes: Axes::All,
        configuration: Some(x.clone()),
        ..Default::default()
    };
    let given = fitted(old.as_ref(), &settings);
    assert!(given.facing(x.as_ref(), true).is_none());
}
