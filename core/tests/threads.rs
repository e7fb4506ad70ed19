//! Whatever is split over threads or computed by vectors, once through the front door: one thread and four, every layout, both
//! precisions, sizes that leave a remainder in every block.
//!
//! Small enough to run under sanitisers and valgrind (`bench/trust/sanitise`), which is what it is for: there the suite of the core
//! takes hours. `ADJOIN_ISA` is the instruction set (`scalar`, `avx2`, `avx512`), the machine's widest if it is not said.

use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{Axes, Correcting, Landmarks, Neighbourhood, Solver};
use adjoin::{
    Between, By, Entries, Features, FitSettings, Kind, Map, Method, Newcomers, Objects,
    PlaceSettings, Placements, Run, Square, Strategy,
};
use faer::{Mat, MatRef};

const THREADS: usize = 4;

fn isa() {
    if let Ok(word) = std::env::var("ADJOIN_ISA") {
        assert!(adjoin::isa::force(&word), "{word}: not on this machine");
    }
}

fn points(count: usize, seed: u64) -> Mat<f64> {
    let mut random = Stream::new(seed);
    let scale = [3.0, 2.0, 1.0, 0.5, 0.2];
    Mat::from_fn(count, 5, |_, j| scale[j] * random.normal())
}

/// Distances that single precision holds exactly, so that both precisions are asked the same.
fn distances(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), b.nrows(), |i, j| {
        let squares = (0..a.ncols()).map(|l| (a[(i, l)] - b[(j, l)]).powi(2));
        f64::from(squares.sum::<f64>().sqrt() as f32)
    })
}

fn fit(old: &Mat<f64>, settings: &FitSettings, threads: usize) -> Map {
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let fitted = Map::fit(Objects::Square(square), settings, Run::on(threads));
    fitted.unwrap().map
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn same(a: &Placements, b: &Placements, what: &str) {
    assert_eq!(bits(&a.coordinates), bits(&b.coordinates), "{what}");
    assert_eq!(bits(&a.p), bits(&b.p), "{what}: p");
    assert_eq!(a.status, b.status, "{what}");
}

/// Two maps are the same beyond rounding: their shown distances are.
fn alike(a: &Map, b: &Map, what: &str) {
    let (x, y) = (a.configuration(), b.configuration());
    let size = a.diagram().eigenvalues()[0].sqrt();
    let shown = |x: MatRef<'_, f64>, i: usize| -> f64 {
        let squares = (0..x.ncols()).map(|l| (x[(i, l)] - x[(0, l)]).powi(2));
        squares.sum::<f64>().sqrt()
    };
    for i in 0..x.nrows() {
        let (one, other) = (shown(x, i), shown(y, i));
        assert!((one - other).abs() <= 1e-8 * size, "{what}: {one} {other}");
    }
}

fn plain() -> FitSettings {
    FitSettings {
        axes: Axes::Count(3),
        ..FitSettings::default()
    }
}

/// Every method and both eigensolvers: four threads make the map that one makes.
#[test]
fn fits() {
    isa();
    let old = points(150, 1);
    let old = distances(&old, &old);
    let solver = |solver| FitSettings { solver, ..plain() };
    let method = |method| FitSettings { method, ..plain() };
    let near = Some(Neighbourhood::Nearest(12));
    let all = [
        ("dense", solver(Solver::Dense)),
        ("iterative", solver(Solver::Iterative)),
        (
            "cailliez",
            FitSettings {
                correction: Correcting::Cailliez,
                ..plain()
            },
        ),
        (
            "landmark",
            FitSettings {
                landmarks: Some(Landmarks::Maxmin { count: 40, seed: 1 }),
                rotate: true,
                ..method(Method::Landmark)
            },
        ),
        (
            "isomap",
            FitSettings {
                neighbourhood: near,
                ..method(Method::Isomap)
            },
        ),
        (
            "laplacian",
            FitSettings {
                neighbourhood: near,
                ..method(Method::Laplacian)
            },
        ),
    ];
    for (what, settings) in &all {
        alike(&fit(&old, settings, 1), &fit(&old, settings, THREADS), what);
    }
}

/// Every strategy, however the newcomers lie in memory: to the bit what one thread finds.
#[test]
fn places() {
    isa();
    for (n, k) in [(37, 19), (130, 67), (515, 130)] {
        let (old, new) = (points(n, 2), points(k, 3));
        let map = fit(&distances(&old, &old), &plain(), THREADS);
        let columns = distances(&new, &old);
        let rows: Vec<f64> = (0..k * n).map(|at| columns[(at / n, at % n)]).collect();
        let singles: Vec<f32> = rows.iter().map(|v| *v as f32).collect();
        let mut holes = rows.clone();
        for hole in holes.iter_mut().skip(2).step_by(7) {
            *hole = f64::NAN;
        }
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let along = MatRef::from_row_major_slice(&rows, k, n);
        let gaps = MatRef::from_row_major_slice(&holes, k, n);
        let single = MatRef::from_row_major_slice(&singles, k, n);
        let given = [
            ("along", Newcomers::new(along)),
            ("across", Newcomers::new(columns.as_ref())),
            ("single", Newcomers::by(By::Singles(single))),
            (
                "holes",
                Newcomers {
                    missing: true,
                    ..Newcomers::new(gaps)
                },
            ),
            (
                "weights",
                Newcomers {
                    weights: Some(&weights),
                    ..Newcomers::new(along)
                },
            ),
        ];
        for (what, newcomers) in &given {
            for strategy in Strategy::ALL {
                if n > 130 && strategy == Strategy::Stress {
                    continue;
                }
                let how = PlaceSettings::by(strategy);
                let asked = |threads| map.place(newcomers, &how, Run::on(threads));
                match (asked(1), asked(THREADS)) {
                    (Ok((_, one)), Ok((_, several))) => same(&one, &several, what),
                    (Err(one), Err(several)) => assert_eq!(one.to_string(), several.to_string()),
                    (one, several) => panic!("{what}: {} {}", one.is_ok(), several.is_ok()),
                }
            }
        }
    }
}

/// Newcomers together, with what is between them.
#[test]
fn jointly() {
    isa();
    let (old, new) = (points(60, 4), points(23, 5));
    let map = fit(&distances(&old, &old), &plain(), THREADS);
    let cross = distances(&new, &old);
    let between = distances(&new, &new);
    let newcomers = Newcomers::new(cross.as_ref());
    let asked = |threads| {
        let between = Between::Given(between.as_ref());
        map.jointly(&newcomers, between, Run::on(threads))
            .unwrap()
            .1
    };
    let (one, several) = (asked(1), asked(THREADS));
    let (f, g) = (one.placements.objective[0], several.placements.objective[0]);
    assert!((f - g).abs() <= 1e-9 * (1.0 + f.abs()), "{f} {g}");
    assert_eq!(one.certified, several.certified);
}

/// Proximities that are made of features a few rows at a time: by sums of numbers, by counts of bits, by texts.
#[test]
fn features() {
    isa();
    let none = Parameters::default();
    let (old, new) = (points(90, 6), points(41, 7));
    let numbers = |x: &Mat<f64>, by: fn(f64) -> f64| {
        let values = (0..x.nrows() * 5).map(|at| by(x[(at / 5, at % 5)]));
        Features::new(values.collect(), 5, None, None).unwrap()
    };
    let packed = |x: &Mat<f64>| {
        let bytes: Vec<u8> = (0..x.nrows() * 12)
            .map(|at| {
                let byte = (x[(at / 12, at % 5)] * 37.0 + at as f64) as i64 as u8;
                // Of the last byte of an object, five bits.
                if at % 12 == 11 {
                    byte & 0b1111_1000
                } else {
                    byte
                }
            })
            .collect();
        Features::packed(&bytes, 12, 93, None).unwrap()
    };
    let texts = |x: &Mat<f64>| {
        let text = |i: usize| format!("{:.3} {:.2} {:.1}", x[(i, 0)], x[(i, 1)], x[(i, 2)]);
        Features::texts((0..x.nrows()).map(text).collect(), None).unwrap()
    };
    let metric = |word: &str| Measure::metric(word, &none).unwrap();
    let cases = [
        (
            metric("euclidean"),
            numbers(&old, |v| v),
            numbers(&new, |v| v),
        ),
        (
            metric("cityblock"),
            numbers(&old, |v| v),
            numbers(&new, |v| v),
        ),
        (
            metric("braycurtis"),
            numbers(&old, f64::abs),
            numbers(&new, f64::abs),
        ),
        (metric("jaccard"), packed(&old), packed(&new)),
        (metric("levenshtein"), texts(&old), texts(&new)),
    ];
    for (measure, old, new) in cases {
        let word = measure.word();
        let asked = |threads| {
            let objects = Objects::Features {
                features: old.clone(),
                measure: Some(measure),
            };
            let map = Map::fit(objects, &plain(), Run::on(1)).unwrap().map;
            let how = PlaceSettings::by(Strategy::Reconstruct);
            let newcomers = Newcomers::by(By::Features(&new));
            map.place(&newcomers, &how, Run::on(threads)).unwrap().1
        };
        same(&asked(1), &asked(THREADS), word);
    }
}
