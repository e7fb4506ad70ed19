//! What the tests of methods share: features, comparisons of whole configurations, and a newcomer by every strategy.
#![allow(dead_code)]

use adjoin::input::features::Features;
use adjoin::map::Model;
use adjoin::map::streaming::Streamed;
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::place::alone::Settings;
use adjoin::{FitSettings, Status, Strategy};
use faer::{Mat, MatRef};

pub fn features(values: MatRef<'_, f64>) -> Features {
    let rows = (0..values.nrows()).flat_map(|i| values.row(i).iter().copied());
    Features::new(rows.collect(), values.ncols(), None, None).unwrap()
}

pub fn metric(word: &str, values: MatRef<'_, f64>) -> Measured {
    let measure = Measure::metric(word, &Parameters::default()).unwrap();
    Measured::new(measure, features(values)).unwrap()
}

pub fn axes(dimensions: usize) -> FitSettings<'static> {
    FitSettings {
        dimensions,
        threads: 1,
        ..Default::default()
    }
}

pub fn project() -> Settings<'static> {
    Settings {
        threads: 1,
        ..Default::default()
    }
}

/// The placements' coordinates, k × d.
pub fn points(placements: &adjoin::Placements) -> Mat<f64> {
    let d = placements.dimensions;
    Mat::from_fn(placements.count(), d, |i, j| placements.point(i)[j])
}

/// The largest difference between two configurations, axes being flipped as a whole so that `old` and `expected_old`
/// agree, relative to the largest coordinate.
pub fn difference(
    (old, new): (MatRef<'_, f64>, MatRef<'_, f64>),
    (expected_old, expected_new): (MatRef<'_, f64>, MatRef<'_, f64>),
) -> f64 {
    let (mut worst, mut size) = (0.0f64, 0.0f64);
    for j in 0..old.ncols() {
        let along: f64 = old.col(j).transpose() * expected_old.col(j);
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        for (found, expected) in [(old, expected_old), (new, expected_new)] {
            assert_eq!(found.nrows(), expected.nrows());
            for i in 0..found.nrows() {
                size = size.max(expected[(i, j)].abs());
                worst = worst.max((found[(i, j)] - sign * expected[(i, j)]).abs());
            }
        }
    }
    worst / size
}

/// Block by every strategy that the diagram offers, each, on the arc, together and compared: every answer is
/// there, finite, and in order (reconstruction's objective is never above projection's).
pub fn every_strategy(model: &Model, newcomers: &Streamed<'_>, between: Option<MatRef<'_, f64>>) {
    let k = newcomers.rows.rows();
    let mut objective = Vec::new();
    for strategy in Strategy::ALL {
        let settings = Settings {
            strategy,
            ..project()
        };
        match model.place(newcomers, &settings) {
            Err(adjoin::Error::NotOffered { .. }) => {
                assert!(!matches!(
                    strategy,
                    Strategy::Project | Strategy::Reconstruct
                ));
            }
            answer => {
                let placements = answer.unwrap();
                for i in 0..k {
                    let status = placements.status[i];
                    assert!(status != Status::TooFew && status != Status::NotConverged);
                    let finite = placements.point(i).iter().all(|v| v.is_finite());
                    assert_eq!(finite, status.placed(), "{strategy:?}");
                }
                objective.push((strategy, placements.objective));
            }
        }
    }
    let of = |s: Strategy| &objective.iter().find(|o| o.0 == s).unwrap().1;
    for (a, b) in of(Strategy::Reconstruct).iter().zip(of(Strategy::Project)) {
        assert!(a <= &(b * (1.0 + 1e-12)), "{a} above {b}");
    }
    let arcs = model.arcs(newcomers, 5, 1, None).unwrap();
    let [projected, reconstructed] = [Strategy::Project, Strategy::Reconstruct].map(|strategy| {
        let settings = Settings {
            strategy,
            ..project()
        };
        model.place(newcomers, &settings).unwrap()
    });
    for (i, arc) in arcs.iter().enumerate() {
        let arc = arc.as_ref().unwrap();
        assert_eq!(arc.point(0), projected.point(i));
        let size = arc.point(4).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (a, b) in arc.point(4).iter().zip(reconstructed.point(i)) {
            assert!((a - b).abs() <= 1e-12 * size);
        }
    }
    let together = model.jointly(newcomers, between, 1, None).unwrap();
    assert_eq!(together.placements.count(), k);
    assert!(
        together
            .placements
            .coordinates
            .iter()
            .all(|v| v.is_finite())
    );
    let compared = model.compare(newcomers, 1, None).unwrap();
    assert_eq!(
        compared.by(Strategy::Project).unwrap().coordinates,
        projected.coordinates
    );
}
