//! Remarks: ordinary newcomers get none, and those of another unit or kind are remarked on in words that say what they look like.

use adjoin::random::Stream;
use adjoin::{
    Between, By, Concern, Entries, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings,
    Remark, Run, Square, Strategy,
};
use faer::{Mat, MatRef};

use super::common::{distances, fixture, numbers};

/// A data set: what its proximities are, all of them.
struct Data {
    name: String,
    kind: Kind,
    all: Mat<f64>,
}

fn data() -> Vec<Data> {
    let sets = fixture("datasets");
    let sets = sets["datasets"].as_array().unwrap().iter();
    sets.map(|set| {
        let lower = numbers(&set["lower"]);
        let n = set["labels"].as_array().unwrap().len();
        let at = |i: usize, j: usize| lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        Data {
            name: set["name"].as_str().unwrap().to_owned(),
            kind: Kind::from_word(set["kind"].as_str().unwrap()).unwrap(),
            all: Mat::from_fn(n, n, at),
        }
    })
    .collect()
}

fn named(name: &str) -> Data {
    data().into_iter().find(|d| d.name == name).unwrap()
}

/// Some objects drawn as newcomers, the others as the map's.
struct Split {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl Split {
    fn draw(n: usize, k: usize, rng: &mut Stream) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, (rng.bits() % (i as u64 + 1)) as usize);
        }
        Self {
            old: order.split_off(k),
            new: order,
        }
    }
}

fn map(data: &Data, split: &Split, d: usize) -> Map {
    let old = Mat::from_fn(split.old.len(), split.old.len(), |i, j| {
        data.all[(split.old[i], split.old[j])]
    });
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: data.kind,
        labels: None,
        made_of: None,
    };
    let settings = FitSettings {
        axes: adjoin::settings::Axes::Count(d),
        ..Default::default()
    };
    Map::fit(Objects::Square(square), &settings, Run::on(1))
        .unwrap()
        .map
}

/// The remarks on the newcomers of a split, each number changed by `change` (the diagonal too).
fn remarks(map: &Map, data: &Data, split: &Split, change: impl Fn(f64) -> f64) -> Vec<Remark> {
    let new = Mat::from_fn(split.new.len(), split.old.len(), |i, j| {
        change(data.all[(split.new[i], split.old[j])])
    });
    let itself: Vec<f64> = split.new.iter().map(|&i| data.all[(i, i)]).collect();
    let newcomers = Newcomers {
        self_similarity: (data.kind == Kind::Similarity).then_some(&itself[..]),
        missing: true,
        ..Newcomers::new(new.as_ref())
    };
    let settings = PlaceSettings::by(Strategy::Project);
    let (border, placements) = map.place(&newcomers, &settings, Run::on(1)).unwrap();
    map.remarks(&border, &placements, None)
}

/// Random splits of ten real data sets, with batches of one and of many: not one remark.
#[test]
fn ordinary_newcomers_get_no_remark() {
    let mut rng = Stream::new(5);
    let mut said = Vec::new();
    let mut splits = 0;
    for data in data() {
        let n = data.all.nrows();
        for k in [1, 2, 3, 5, n / 4, n / 3] {
            for d in [1, 2, 4] {
                for _ in 0..12 {
                    let split = Split::draw(n, k, &mut rng);
                    let map = map(&data, &split, d);
                    splits += 1;
                    for remark in remarks(&map, &data, &split, |v| v) {
                        said.push(format!("{} {k} {d}: {}", data.name, remark.sentence));
                    }
                }
            }
        }
    }
    assert!(said.is_empty(), "{} of {splits}: {said:#?}", said.len());
}

/// The one remark on newcomers whose numbers were changed, on every split of several.
fn one(name: &str, concern: Concern, words: &str, change: impl Fn(f64) -> f64) {
    let data = named(name);
    let mut rng = Stream::new(7);
    for k in [1, 3, 8] {
        let split = Split::draw(data.all.nrows(), k, &mut rng);
        let map = map(&data, &split, 2);
        let found = remarks(&map, &data, &split, &change);
        let concerns: Vec<Concern> = found.iter().map(|r| r.concern).collect();
        assert_eq!(concerns[..1], [concern], "{name} {k}: {found:#?}");
        assert!(found[0].sentence.contains(words), "{}", found[0].sentence);
        assert_eq!(found[0].newcomers.len(), k);
    }
}

/// Percentages, squares, roots, similarities for dissimilarities and the reverse, each in its own words.
#[test]
fn another_unit_or_kind_is_said_by_what_it_looks_like() {
    one("digits", Concern::Unit, "percentages", |v| 100.0 * v);
    one("eurodist", Concern::Unit, "hundredth", |v| v / 100.0);
    one("eurodist", Concern::Unit, "squared dissimilarities", |v| {
        v * v
    });
    one("eurodist", Concern::Unit, "as similarities are", |v| {
        1.0 / (1.0 + v)
    });
    one("eurodist", Concern::Unit, "times theirs", |v| 1000.0 * v);
    // What rounding leaves of a difference is no size of theirs.
    one("eurodist", Concern::Unit, "of next to nothing", |v| {
        1e-40 * v
    });
    one("ink", Concern::Unit, "percentages", |v| 100.0 * v);
    one("ink", Concern::Unit, "as dissimilarities are", |v| {
        20.0 * (1.0 - v) + 5.0
    });
    let big = Data {
        kind: Kind::Squared,
        all: named("eurodist").all,
        name: "squares".into(),
    };
    let big = Data {
        all: Mat::from_fn(21, 21, |i, j| big.all[(i, j)].powi(2)),
        ..big
    };
    let split = Split::draw(21, 4, &mut Stream::new(1));
    let map = map(&big, &split, 2);
    let found = remarks(&map, &big, &split, f64::sqrt);
    assert!(found[0].sentence.contains("not squared"), "{found:#?}");
}

/// Distances given for Tanimoto similarities are at most 1, as similarities are: but some exceed the newcomer's own.
#[test]
fn more_similar_to_others_than_to_itself() {
    one("ink", Concern::SelfSimilarity, "than to itself", |v| {
        1.5 * v + 0.2
    });
}

fn points(n: usize, q: usize, far: f64, rng: &mut Stream) -> Mat<f64> {
    Mat::from_fn(n, q, |_, j| {
        rng.normal() + if j == q - 1 { far } else { 0.0 }
    })
}

fn placed(old: &Mat<f64>, new: &Mat<f64>, hide: impl Fn(usize, usize) -> bool) -> Vec<Remark> {
    let square = distances(old.as_ref(), old.as_ref());
    let data = Data {
        name: String::new(),
        kind: Kind::Dissimilarity,
        all: square,
    };
    let all = Split {
        old: (0..old.nrows()).collect(),
        new: vec![],
    };
    let map = map(&data, &all, 2);
    let rows = distances(new.as_ref(), old.as_ref());
    let rows = Mat::from_fn(rows.nrows(), rows.ncols(), |i, j| {
        if hide(i, j) { f64::NAN } else { rows[(i, j)] }
    });
    let newcomers = Newcomers {
        missing: true,
        ..Newcomers::new(rows.as_ref())
    };
    let (border, placements) = map
        .place(&newcomers, &PlaceSettings::default(), Run::on(1))
        .unwrap();
    map.remarks(&border, &placements, None)
}

/// A whole batch off the map in a direction that it does not have, one that lies in it, and few proximities.
#[test]
fn all_novel_all_exact_and_few_known() {
    let mut rng = Stream::new(11);
    let old = points(40, 8, 0.0, &mut rng);
    let found = placed(&old, &points(4, 8, 9.0, &mut rng), |_, _| false);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].concern, Concern::AllNovel);
    // One alone is told by its own numbers.
    assert!(placed(&old, &points(1, 8, 9.0, &mut rng), |_, _| false).is_empty());

    let found = placed(&old, &points(3, 8, 0.0, &mut rng), |i, j| i == 1 && j >= 4);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (found[0].concern, &found[0].newcomers[..]),
        (Concern::FewKnown, &[1][..])
    );
    assert!(
        found[0]
            .sentence
            .contains("\"new2\" placed by few proximities, by 4 of 40"),
        "{}",
        found[0].sentence
    );
    assert!(found[0].sentence.contains("at least 9 on 2 axes"));

    // Of whom nothing is known nothing is said of a unit; of those beside it is.
    let found = placed(&old, &points(2, 8, 0.0, &mut rng), |_, _| true);
    assert!(
        found.iter().all(|r| r.concern == Concern::FewKnown),
        "{found:#?}"
    );
    let found = placed(&old, &points(2, 8, 900.0, &mut rng), |i, _| i == 0);
    let unit = found.iter().find(|r| r.concern == Concern::Unit);
    assert_eq!(unit.map(|r| &r.newcomers[..]), Some(&[1][..]), "{found:#?}");

    // Newcomers in the plane that the map shows, while the old objects are not.
    let data = Data {
        name: String::new(),
        kind: Kind::Dissimilarity,
        all: distances(old.as_ref(), old.as_ref()),
    };
    let all = Split {
        old: (0..40).collect(),
        new: vec![],
    };
    let map = map(&data, &all, 2);
    let b: Vec<f64> = {
        let c = map.diagram().centring();
        c.row_means
            .iter()
            .map(|r| -2.0 * r + c.grand_mean)
            .collect()
    };
    // δ² = ‖y‖² + b_ii − 2x_i'y: the object y of the plane, by its inner products.
    let x = map.configuration();
    let rows = Mat::from_fn(3, 40, |i, j| {
        let y = [0.1 * i as f64, 0.3];
        let square = y[0] * y[0] + y[1] * y[1] + b[j] - 2.0 * (x[(j, 0)] * y[0] + x[(j, 1)] * y[1]);
        square.sqrt()
    });
    let (border, placements) = map
        .place(
            &Newcomers::new(rows.as_ref()),
            &PlaceSettings::default(),
            Run::on(1),
        )
        .unwrap();
    let found = map.remarks(&border, &placements, None);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].concern, Concern::AllExact);
}

/// Means and nearest of the border are those of the numbers, in either layout, in single precision, with holes and weights,
/// and jointly.
#[test]
fn the_border_has_each_mean_and_the_nearest() {
    let mut rng = Stream::new(13);
    for kind in [Kind::Dissimilarity, Kind::Squared, Kind::Similarity] {
        for n in [9, 300] {
            let old = points(n, 5, 0.0, &mut rng);
            let new = points(11, 5, 0.0, &mut rng);
            let prox = |a: MatRef<'_, f64>, b: MatRef<'_, f64>| {
                let d = distances(a, b);
                Mat::from_fn(d.nrows(), d.ncols(), |i, j| match kind {
                    Kind::Dissimilarity => d[(i, j)],
                    Kind::Squared => d[(i, j)].powi(2),
                    Kind::Similarity => (-d[(i, j)].powi(2) / 4.0).exp() - 0.3,
                })
            };
            let data = Data {
                name: String::new(),
                kind,
                all: prox(old.as_ref(), old.as_ref()),
            };
            let all = Split {
                old: (0..n).collect(),
                new: vec![],
            };
            let map = map(&data, &all, 2);
            let t = |a: f64| match kind {
                Kind::Dissimilarity => -0.5 * a * a,
                Kind::Squared => -0.5 * a,
                Kind::Similarity => a,
            };
            let rows = prox(new.as_ref(), old.as_ref());
            let singles = Mat::from_fn(11, n, |i, j| rows[(i, j)] as f32);
            let turned = rows.transpose().to_owned();
            let weights: Vec<f64> = (0..n)
                .map(|j| if j.is_multiple_of(4) { 0.0 } else { 1.0 })
                .collect();
            let holes = Mat::from_fn(11, n, |i, j| {
                if (i + j).is_multiple_of(5) {
                    f64::NAN
                } else {
                    rows[(i, j)]
                }
            });
            for (by, weights, exact) in [
                (By::Doubles(rows.as_ref()), None, true),
                (By::Doubles(turned.as_ref().transpose()), None, true),
                (By::Singles(singles.as_ref()), None, false),
                (By::Doubles(holes.as_ref()), None, true),
                (By::Doubles(rows.as_ref()), Some(&weights[..]), true),
            ] {
                let newcomers = Newcomers {
                    weights,
                    missing: true,
                    ..Newcomers::by(by)
                };
                let border = map.border(&newcomers, Run::on(1)).unwrap();
                let entry = |i: usize, j: usize| match by {
                    By::Doubles(m) => m[(i, j)],
                    By::Singles(m) => f64::from(m[(i, j)]),
                    _ => unreachable!(),
                };
                for i in 0..11 {
                    let seen = (0..n)
                        .filter(|&j| !entry(i, j).is_nan() && weights.is_none_or(|w| w[j] > 0.0));
                    let values: Vec<f64> = seen.map(|j| t(entry(i, j))).collect();
                    let largest = values.iter().copied().fold(f64::MIN, f64::max);
                    assert_eq!(border.nearest[i], largest, "{kind:?} {n} {i} {exact}");
                    if values.len() == n {
                        let mean = values.iter().sum::<f64>() / n as f64;
                        let size: f64 = values.iter().map(|v| v.abs()).sum();
                        let near = (border.means[i] - mean).abs() <= 8.0 * f64::EPSILON * size;
                        assert!(near, "{} {mean}", border.means[i]);
                    } else {
                        // β = t(η, η) − 2t̄ + m, whatever is missing.
                        let m = map.diagram().centring().grand_mean;
                        let mean = 0.5 * (m - border.beta[i]);
                        let same = (border.means[i] - mean).abs() <= 1e-12 * mean.abs();
                        assert!(kind == Kind::Similarity || same);
                    }
                }
            }
            if kind != Kind::Similarity {
                let between = prox(new.as_ref(), new.as_ref());
                let newcomers = Newcomers::new(rows.as_ref());
                let between = Between::Given(between.as_ref());
                let (joint, _) = map.jointly(&newcomers, between, Run::on(1)).unwrap();
                assert_eq!(joint, map.border(&newcomers, Run::on(1)).unwrap());
            }
        }
    }
}

/// −2e-16 from 1 − cosine is 0, and remarked on; the place is that of 0 to rounding. Beyond rounding it is an error.
#[test]
fn rounding_below_zero_is_zero_and_remarked_on() {
    let mut rng = Stream::new(17);
    let old = points(30, 4, 0.0, &mut rng);
    for kind in [Kind::Dissimilarity, Kind::Squared] {
        let square = distances(old.as_ref(), old.as_ref());
        let prox = |v: f64| if kind == Kind::Squared { v * v } else { v };
        let data = Data {
            name: String::new(),
            kind,
            all: Mat::from_fn(30, 30, |i, j| prox(square[(i, j)])),
        };
        let all = Split {
            old: (0..30).collect(),
            new: vec![],
        };
        let map = map(&data, &all, 2);
        // Object 3 comes again, and once more with its zero below zero.
        let rows = |zero: f64| {
            Mat::from_fn(2, 30, |i, j| match (i, j) {
                (1, 3) => zero,
                _ => data.all[(3, j)],
            })
        };
        for strategy in [Strategy::Project, Strategy::Reconstruct, Strategy::Stress] {
            let place = |zero: f64| {
                let rows = rows(zero);
                let newcomers = Newcomers::new(rows.as_ref());
                let settings = PlaceSettings::by(strategy);
                let (border, placements) = map.place(&newcomers, &settings, Run::on(1))?;
                let remarks = map.remarks(&border, &placements, None);
                Ok::<_, adjoin::Error>((border, placements, remarks))
            };
            let (border, placements, remarks) = place(-2.2e-16).unwrap();
            assert_eq!(border.nearest, [0.0, 0.0]);
            assert_eq!(remarks.len(), 1, "{remarks:#?}");
            assert_eq!(
                remarks[0].sentence,
                "found 1 dissimilarities of \"new2\" below 0 by rounding, expected none: they are taken as 0"
            );
            let (_, exact, none) = place(0.0).unwrap();
            assert!(none.is_empty());
            for (a, b) in placements.coordinates.iter().zip(&exact.coordinates) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
            let error = place(-1e-3).unwrap_err();
            assert_eq!(error.row(), Some(1));
        }
    }
}

/// F is a sum of squares: never below zero, whatever is missing and however old objects are trusted.
#[test]
fn objectives_are_never_negative() {
    let mut rng = Stream::new(19);
    for data in data() {
        let n = data.all.nrows();
        for round in 0..8 {
            let split = Split::draw(n, 5, &mut rng);
            let map = map(&data, &split, 1 + round % 3);
            let new = Mat::from_fn(5, split.old.len(), |i, j| {
                if round % 2 == 1 && rng.uniform().abs() < 0.3 {
                    f64::NAN
                } else {
                    data.all[(split.new[i], split.old[j])]
                }
            });
            let itself: Vec<f64> = split.new.iter().map(|&i| data.all[(i, i)]).collect();
            let weights: Vec<f64> = (0..split.old.len())
                .map(|_| (3.0 * rng.normal()).exp())
                .collect();
            let newcomers = Newcomers {
                self_similarity: (data.kind == Kind::Similarity).then_some(&itself[..]),
                weights: Some(&weights),
                missing: true,
                ..Newcomers::new(new.as_ref())
            };
            for strategy in [Strategy::Project, Strategy::Reconstruct] {
                let settings = PlaceSettings::by(strategy);
                let (border, placements) = map.place(&newcomers, &settings, Run::on(1)).unwrap();
                for i in 0..5 {
                    assert!(placements.objective[i] >= 0.0);
                    let shown = border.b_norm_squared[i] - border.outside[i];
                    assert!(shown >= -1e-12 * border.b_norm_squared[i]);
                }
            }
        }
    }
}
