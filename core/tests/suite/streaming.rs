//! Newcomers made block by block are placed as newcomers in a matrix are, to the bit.

use std::ops::Range;

use super::common::place_block;
use adjoin::error::Error;
use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::input::block::Block;
use adjoin::input::proximities::Proximities;
use adjoin::input::rows::collect;
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::place::alone::offered;
use adjoin::random::Stream;
use adjoin::{Border, By, Features, Map, Newcomers, PlaceSettings, Rows, Run, Strategy};
use faer::MatRef;

fn objects(count: usize, q: usize, seed: u64) -> Features {
    let mut rng = Stream::new(seed);
    let values = (0..count * q).map(|_| rng.normal()).collect();
    Features::new(values, q, None, None).unwrap()
}

fn fitted(measured: &Measured, d: usize) -> Diagram {
    let n = measured.count();
    let square = measured.square(Run::on(1)).unwrap();
    let square = MatRef::from_row_major_slice(&square, n, n);
    let proximities = Proximities::new(square, measured.kind(), None, Run::on(1)).unwrap();
    let settings = DiagramSettings {
        dimensions: d,
        ..Default::default()
    };
    Diagram::fit(&proximities, &settings, Run::on(1)).unwrap()
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
        let cross = collect(&against, Run::on(1)).unwrap();
        let matrix = Block {
            self_similarity: own.as_deref(),
            ..Block::new(MatRef::from_row_major_slice(&cross, 45, 60))
        };
        for strategy in Strategy::ALL {
            if offered(&diagram, strategy).is_err() {
                continue;
            }
            let settings = PlaceSettings::by(strategy);
            let map = Map::from(diagram.clone());
            let mut whole = place_block(&diagram, &matrix, &settings).unwrap();
            let read = Border::new(&diagram, &matrix, Run::on(1)).unwrap();
            whole.judge(0, &map.novelties(&read, 0..45));
            for threads in [1, 2, 5] {
                let streamed = Newcomers {
                    self_similarity: own.as_deref(),
                    ..Newcomers::by(By::Rows(&against))
                };
                let run = Run::on(threads);
                let (border, rows) = map.place(&streamed, &settings, run).unwrap();
                assert_eq!(format!("{whole:?}"), format!("{rows:?}"));
                assert_eq!(border, Border::new(&diagram, &matrix, Run::on(1)).unwrap());
                assert_eq!(border, map.border(&streamed, run).unwrap());
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
    let cross = collect(&measured.against(&new).unwrap(), Run::on(1)).unwrap();
    let rows = Faulty(MatRef::from_row_major_slice(&cross, 50, 20), 41);
    let map = Map::from(diagram);
    let project = |newcomers: &Newcomers<'_>| {
        let answer = map.place(newcomers, &PlaceSettings::default(), Run::on(4));
        answer.unwrap_err()
    };
    let error = project(&Newcomers::by(By::Rows(&rows)));
    assert_eq!(error.row(), Some(41));
    assert!(
        error
            .to_string()
            .starts_with("found NaN (a missing value) between \"new42\" (number 42) and \"4\""),
        "{error}"
    );
    let labels = vec![String::new(); 3];
    let short = Newcomers {
        labels: Some(&labels),
        ..Newcomers::by(By::Rows(&rows))
    };
    assert_eq!(
        project(&short).to_string(),
        "found 3 labels of newcomers, expected 50"
    );
}

/// Somebody who watches can stop the work.
#[test]
fn the_work_can_be_stopped() {
    let measure = Measure::metric("cityblock", &Parameters::default()).unwrap();
    let measured = Measured::new(measure, objects(200, 3, 1)).unwrap();
    let stop = |_| std::ops::ControlFlow::Break(());
    assert_eq!(measured.square(Run::on(2).told(&stop)), Err(Error::Stopped));
}

/// Rows that count how often each of them is asked for.
struct Counted<'a> {
    rows: MatRef<'a, f64>,
    asked: Vec<std::sync::atomic::AtomicUsize>,
}

impl Rows for Counted<'_> {
    fn rows(&self) -> usize {
        self.rows.nrows()
    }
    fn columns(&self) -> usize {
        self.rows.ncols()
    }
    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for i in range.clone() {
            self.asked[i].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        self.rows.fill(range, out)
    }
}

/// Whatever is asked of a map, each newcomer is read exactly once.
#[test]
fn nothing_is_read_twice() {
    use adjoin::{Between, FitSettings, Method, Objects};
    let none = Parameters::default();
    let measure = Measure::metric("euclidean", &none).unwrap();
    let measured = Measured::new(measure, objects(40, 3, 1)).unwrap();
    let new = objects(30, 3, 2);
    let cross = collect(&measured.against(&new).unwrap(), Run::on(1)).unwrap();
    let between = Measured::new(measure, new)
        .unwrap()
        .square(Run::on(1))
        .unwrap();
    let between = Between::Given(MatRef::from_row_major_slice(&between, 30, 30));
    let methods = [
        FitSettings::default(),
        FitSettings {
            method: Method::Isomap,
            neighbourhood: Some(adjoin::settings::Neighbourhood::Nearest(8)),
            ..Default::default()
        },
        FitSettings {
            method: Method::Laplacian,
            ..Default::default()
        },
    ];
    for settings in methods {
        let objects = Objects::Features {
            features: measured.features().clone(),
            measure: Some(measure),
        };
        let map = Map::fit(objects, &settings, Run::on(1)).unwrap().map;
        let run = Run::on(2);
        type Ask<'a> = (&'a str, &'a dyn Fn(&Newcomers<'_>));
        let questions: [Ask<'_>; 6] = [
            ("border", &|n| drop(map.border(n, run).unwrap())),
            ("place", &|n| {
                let (border, _) = map
                    .place(n, &PlaceSettings::by(Strategy::Reconstruct), run)
                    .unwrap();
                map.project(&border);
                map.arc(&border, 0, 5).unwrap();
            }),
            ("jointly", &|n| drop(map.jointly(n, between, run).unwrap())),
            ("compare", &|n| drop(map.compare(n, None, run).unwrap())),
            ("compare jointly", &|n| {
                drop(map.compare(n, Some(between), run).unwrap())
            }),
            ("read", &|n| {
                let some = PlaceSettings::by(Strategy::Reconstruct);
                map.read(n, run, |seen| {
                    seen.place(&PlaceSettings::default())?;
                    seen.place(&some).map(|_| seen.dissimilarities(0))
                })
                .unwrap();
            }),
        ];
        for (what, ask) in questions {
            let counted = Counted {
                rows: MatRef::from_row_major_slice(&cross, 30, 40),
                asked: (0..30).map(|_| 0.into()).collect(),
            };
            ask(&Newcomers::by(By::Rows(&counted)));
            for asked in counted.asked {
                assert_eq!(asked.into_inner(), 1, "{what} on {:?}", settings.method);
            }
        }
    }
}
