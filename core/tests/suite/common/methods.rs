//! What the tests of methods share: features, comparisons of whole configurations, and a newcomer by every strategy.
#![allow(dead_code)]

use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::settings::Axes;
use adjoin::{
    Between, By, Entries, Error, Features, FitSettings, Fitted, Kind, Map, Newcomers, Objects,
    PlaceSettings, Placements, Run, Square, Status, Strategy,
};
use faer::{Mat, MatRef};

pub fn features(values: MatRef<'_, f64>) -> Features {
    let rows = (0..values.nrows()).flat_map(|i| values.row(i).iter().copied());
    Features::new(rows.collect(), values.ncols(), None, None).unwrap()
}

pub fn metric(word: &str, values: MatRef<'_, f64>) -> Measured {
    let measure = Measure::metric(word, &Parameters::default()).unwrap();
    Measured::new(measure, features(values)).unwrap()
}

/// Classical scaling on so many axes.
pub fn axes(dimensions: usize) -> FitSettings {
    FitSettings {
        axes: Axes::Count(dimensions),
        ..Default::default()
    }
}

/// A map of a square of proximities.
pub fn of_square(
    entries: MatRef<'_, f64>,
    kind: Kind,
    settings: &FitSettings,
) -> Result<Fitted, Error> {
    let square = Square {
        entries: Entries::Doubles(entries),
        kind,
        labels: None,
        made_of: None,
    };
    Map::fit(Objects::Square(square), settings, Run::on(1))
}

/// A map of features.
pub fn of_features(
    values: MatRef<'_, f64>,
    measure: Option<Measure>,
    settings: &FitSettings,
) -> Result<Fitted, Error> {
    let features = features(values);
    Map::fit(
        Objects::Features { features, measure },
        settings,
        Run::on(1),
    )
}

/// The same by Euclidean distances.
pub fn of_points(values: MatRef<'_, f64>, settings: &FitSettings) -> Result<Fitted, Error> {
    let measure = Measure::metric("euclidean", &Parameters::default()).unwrap();
    of_features(values, Some(measure), settings)
}

pub fn project() -> PlaceSettings {
    PlaceSettings::default()
}

pub fn by(strategy: Strategy) -> PlaceSettings {
    PlaceSettings::by(strategy)
}

/// Placements on one thread.
pub fn place(
    map: &Map,
    newcomers: &Newcomers<'_>,
    settings: &PlaceSettings,
) -> Result<Placements, Error> {
    map.place(newcomers, settings, Run::on(1))
        .map(|answer| answer.1)
}

/// The same of newcomers by their features.
pub fn place_features(
    map: &Map,
    features: &Features,
    settings: &PlaceSettings,
) -> Result<Placements, Error> {
    place(map, &Newcomers::by(By::Features(features)), settings)
}

/// The same of newcomers together.
pub fn jointly(
    map: &Map,
    newcomers: &Newcomers<'_>,
    between: Between<'_>,
) -> Result<adjoin::Jointly, Error> {
    map.jointly(newcomers, between, Run::on(1))
        .map(|answer| answer.1)
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

/// Newcomers by every strategy that the diagram offers, each, on the arc, together and compared: every answer is
/// there, finite, and in order (reconstruction's objective is never above projection's).
pub fn every_strategy(map: &Map, newcomers: &Newcomers<'_>, between: Between<'_>) {
    let k = newcomers.count();
    let mut objective = Vec::new();
    for strategy in Strategy::ALL {
        match place(map, newcomers, &by(strategy)) {
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
    let border = map.border(newcomers, Run::on(1)).unwrap();
    let [projected, reconstructed] = [Strategy::Project, Strategy::Reconstruct]
        .map(|strategy| place(map, newcomers, &by(strategy)).unwrap());
    for i in 0..k {
        let arc = map.arc(&border, i, 5).unwrap().unwrap();
        assert_eq!(arc.point(0), projected.point(i));
        let size = arc.point(4).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (a, b) in arc.point(4).iter().zip(reconstructed.point(i)) {
            assert!((a - b).abs() <= 1e-12 * size);
        }
    }
    let together = jointly(map, newcomers, between).unwrap();
    assert_eq!(together.placements.count(), k);
    assert!(
        together
            .placements
            .coordinates
            .iter()
            .all(|v| v.is_finite())
    );
    let compared = map.compare(newcomers, None, Run::on(1)).unwrap().1;
    assert_eq!(
        compared.by(Strategy::Project).unwrap().coordinates,
        projected.coordinates
    );
}
