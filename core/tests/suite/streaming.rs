//! Block made block by block are placed as newcomers in a matrix are, to the bit.

use std::ops::Range;

use adjoin::error::Error;
use adjoin::fit::diagram::{Diagram, FitSettings};
use adjoin::input::features::Features;
use adjoin::input::proximities::Proximities;
use adjoin::input::rows::{Rows, collect};
use adjoin::map::streaming::{Streamed, place_rows};
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::place::alone::{Settings, offered, place};
use adjoin::random::Stream;
use adjoin::strategy::placements::Strategy;
use adjoin::{Block, Border};
use faer::MatRef;

fn objects(count: usize, q: usize, seed: u64) -> Features {
    let mut rng = Stream::new(seed);
    let values = (0..count * q).map(|_| rng.normal()).collect();
    Features::new(values, q, None, None).unwrap()
}

fn fitted(measured: &Measured, d: usize) -> Diagram {
    let n = measured.count();
    let square = measured.square(1, None).unwrap();
    let square = MatRef::from_row_major_slice(&square, n, n);
    let proximities = Proximities::new(square, measured.kind(), None, 1).unwrap();
    let settings = FitSettings {
        dimensions: d,
        threads: 1,
        ..Default::default()
    };
    Diagram::fit(&proximities, &settings).unwrap()
}

/// Every strategy, metric and kernel, several numbers of threads.
#[test]
fn streamed_newcomers_are_placed_the_same() {
    let none = Parameters::default();
    for measure in [
        Measure::metric("euclidean", &none).unwrap(),
        Measure::metric("cityblock", &none).unwrap(),
        Measure::kernel("rbf", &none).unwrap(),
    ] {
        let measured = Measured::new(measure, objects(60, 4, 1)).unwrap();
        let diagram = fitted(&measured, 2);
        let new = objects(45, 4, 2);
        let against = measured.against(&new).unwrap();
        let own = against.self_similarity();
        let cross = collect(&against, 1, None).unwrap();
        let matrix = Block {
            self_similarity: own.as_deref(),
            ..Block::new(MatRef::from_row_major_slice(&cross, 45, 60))
        };
        for strategy in Strategy::ALL {
            if offered(&diagram, strategy).is_err() {
                continue;
            }
            let settings = |threads| Settings {
                strategy,
                threads,
                ..Default::default()
            };
            let whole = place(&diagram, &matrix, &settings(1)).unwrap();
            for threads in [1, 2, 5] {
                let streamed = Streamed {
                    self_similarity: own.as_deref(),
                    ..Streamed::new(&against)
                };
                let rows = place_rows(&diagram, &streamed, &settings(threads)).unwrap();
                assert_eq!(format!("{whole:?}"), format!("{rows:?}"));
                let border = Border::of_rows(&diagram, &streamed, threads, None).unwrap();
                assert_eq!(border, Border::new(&diagram, &matrix, 1, None).unwrap());
            }
        }
    }
}

/// Rows of which one cannot be made.
struct Faulty<'a>(MatRef<'a, f64>, usize);

impl Rows for Faulty<'_> {
    fn rows(&self) -> usize {
        self.0.nrows()
    }
    fn columns(&self) -> usize {
        self.0.ncols()
    }
    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        self.0.fill(range.clone(), out)?;
        if range.contains(&self.1) {
            out[(self.1 - range.start) * self.columns() + 3] = f64::NAN;
        }
        Ok(())
    }
}

/// A newcomer at fault is named by its number among all, whatever block it is in.
#[test]
fn a_fault_is_named_by_its_place_among_all() {
    let none = Parameters::default();
    let measure = Measure::metric("euclidean", &none).unwrap();
    let measured = Measured::new(measure, objects(20, 3, 1)).unwrap();
    let diagram = fitted(&measured, 2);
    let new = objects(50, 3, 2);
    let cross = collect(&measured.against(&new).unwrap(), 1, None).unwrap();
    let rows = Faulty(MatRef::from_row_major_slice(&cross, 50, 20), 41);
    let settings = Settings {
        threads: 4,
        ..Default::default()
    };
    let error = place_rows(&diagram, &Streamed::new(&rows), &settings).unwrap_err();
    assert_eq!(error.row(), Some(41));
    assert!(
        error
            .to_string()
            .starts_with("found NaN (a missing value) between \"new42\" (number 42) and \"4\""),
        "{error}"
    );
    let labels = vec![String::new(); 3];
    let short = Streamed {
        labels: Some(&labels),
        ..Streamed::new(&rows)
    };
    assert_eq!(
        place_rows(&diagram, &short, &settings)
            .unwrap_err()
            .to_string(),
        "found 3 labels of newcomers, expected 50"
    );
}

/// Somebody who watches can stop the work.
#[test]
fn the_work_can_be_stopped() {
    let measure = Measure::metric("cityblock", &Parameters::default()).unwrap();
    let measured = Measured::new(measure, objects(200, 3, 1)).unwrap();
    let stop = |_| std::ops::ControlFlow::Break(());
    assert_eq!(measured.square(2, Some(&stop)), Err(Error::Stopped));
}
