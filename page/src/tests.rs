//! What a page is given: each newcomer read once, and placed as the map places it.

use std::ops::Range;
use std::sync::Mutex;

use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{Landmarks, Neighbourhood};
use adjoin::{
    Between, By, Error, Features, FitSettings, Map, Method, Newcomers, Objects, PlaceSettings,
    Rows, Run, Strategy, Uncertainty,
};
use adjoin_formats::MapFile;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use faer::{Mat, MatRef};
use serde_json::Value;

use crate::{Arrived, Asked, Page};

const RUN: Run<'static> = Run {
    threads: 2,
    watch: None,
};

const STRATEGIES: [Strategy; 5] = Strategy::ALL;

/// Points in three dimensions, of which the maps have two.
fn features(count: usize, seed: u64) -> Features {
    let mut random = Stream::new(seed);
    let values = (0..3 * count).map(|i| random.normal() * (4 - i % 3) as f64);
    Features::new(values.collect(), 3, None, None).unwrap()
}

fn old() -> Features {
    features(30, 1)
}

fn new() -> Features {
    let labels = (0..11).map(|i| format!("newcomer {i}")).collect();
    features(11, 2).with_labels(labels).unwrap()
}

fn fit(measure: Measure, settings: &FitSettings) -> Map {
    let objects = Objects::Features {
        features: old(),
        measure: Some(measure),
    };
    Map::fit(objects, settings, RUN).unwrap().map
}

fn euclidean() -> Measure {
    Measure::metric("euclidean", &Parameters::default()).unwrap()
}

fn linear() -> Measure {
    Measure::kernel("linear", &Parameters::default()).unwrap()
}

fn plain() -> Map {
    fit(euclidean(), &FitSettings::default())
}

fn by_isomap() -> Map {
    let settings = FitSettings {
        method: Method::Isomap,
        neighbourhood: Some(Neighbourhood::Nearest(7)),
        ..Default::default()
    };
    fit(euclidean(), &settings)
}

fn by_laplacian(time: Option<f64>) -> Map {
    let settings = FitSettings {
        method: Method::Laplacian,
        gamma: Some(0.05),
        time,
        ..Default::default()
    };
    fit(euclidean(), &settings)
}

fn by_landmarks(rotate: bool) -> Map {
    let settings = FitSettings {
        method: Method::Landmark,
        landmarks: Some(Landmarks::Maxmin { count: 12, seed: 1 }),
        rotate,
        ..Default::default()
    };
    fit(euclidean(), &settings)
}

/// Proximities of the newcomers to the references of a map, k × n.
fn rows(map: &Map) -> Mat<f64> {
    let new = new();
    let against = map.source().unwrap().against(&new).unwrap();
    let (k, n) = (against.rows(), against.columns());
    let mut values = vec![0.0; k * n];
    against.fill(0..k, &mut values).unwrap();
    MatRef::from_row_major_slice(&values, k, n).to_owned()
}

fn html(map: &Map, arrived: &Arrived) -> String {
    let file = MapFile {
        map: map.clone(),
        settings: Default::default(),
        provenance: None,
        version: "0.1.0".into(),
    };
    let page = Page {
        title: "A test",
        file: &file,
        arrived: Some(arrived),
        metadata: None,
        sources: &[],
        flip: &[],
        variables: None,
    };
    page.html()
}

/// The text of a data element.
fn element<'a>(html: &'a str, id: &str) -> &'a str {
    let after = html.split(&format!("id=\"{id}\">")).nth(1).unwrap();
    after.split("</script>").next().unwrap()
}

fn words(html: &str) -> Value {
    serde_json::from_str(element(html, "words")).unwrap()
}

fn doubles(html: &str, id: &str) -> Vec<f64> {
    let bytes = STANDARD.decode(element(html, id)).unwrap();
    let numbers = bytes.chunks_exact(8);
    numbers
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[track_caller]
fn same(found: &[f64], expected: &[f64]) {
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected));
}

/// Rows that know how often each of them was asked for.
struct Counted {
    rows: Mat<f64>,
    asked: Mutex<Vec<usize>>,
}

impl Rows for Counted {
    fn rows(&self) -> usize {
        self.rows.nrows()
    }

    fn columns(&self) -> usize {
        self.rows.ncols()
    }

    fn fill(&self, range: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let mut asked = self.asked.lock().unwrap();
        range.clone().for_each(|i| asked[i] += 1);
        self.rows.as_ref().fill(range, out)
    }
}

/// Whatever the strategy and the map, also jointly, each newcomer is read once.
#[test]
fn newcomers_are_read_once() {
    for map in [plain(), by_isomap(), by_laplacian(None)] {
        let rows = rows(&map);
        let between = Mat::from_fn(rows.nrows(), rows.nrows(), |i, j| f64::from(i != j));
        let between = Between::Given(between.as_ref());
        let jointly = std::iter::once((Strategy::Reconstruct, Some(between)));
        let alone = [Strategy::Project, Strategy::Hyperplane].map(|s| (s, None));
        for (strategy, between) in alone.into_iter().chain(jointly) {
            let counted = Counted {
                asked: Mutex::new(vec![0; rows.nrows()]),
                rows: rows.clone(),
            };
            let newcomers = Newcomers::by(By::Rows(&counted));
            // Not every map offers every strategy; then nobody is placed, nor read again.
            let _ = Arrived::read(&map, strategy, &newcomers, between, RUN);
            let asked = counted.asked.into_inner().unwrap();
            assert!(
                asked.iter().all(|&times| times == 1),
                "{strategy:?} {asked:?}"
            );
        }
    }
}

/// The page has the places, the name and the status of the strategy that was asked for, and says how far it moves.
#[test]
fn a_page_is_of_the_strategy_that_was_asked_for() {
    let (map, new) = (plain(), new());
    let newcomers = Newcomers::by(By::Features(&new));
    for strategy in STRATEGIES {
        let settings = PlaceSettings::by(strategy);
        let (border, placed) = map.place(&newcomers, &settings, RUN).unwrap();
        let arrived = Arrived::read(&map, strategy, &newcomers, None, RUN).unwrap();
        assert_eq!(arrived.count(), new.count());
        assert_eq!(arrived.placements().strategy, strategy);
        same(&arrived.placements().coordinates, &placed.coordinates);
        let html = html(&map, &arrived);
        let words = words(&html);
        let said = &words["newcomers"];
        assert_eq!(said["strategy"], strategy.word());
        assert_eq!(said["labels"][3], "newcomer 3");
        same(
            &doubles(&html, "project"),
            &map.project(&border).coordinates,
        );
        let other = !matches!(strategy, Strategy::Project | Strategy::Reconstruct);
        assert_eq!(said["chosen"].is_object(), other);
        if other {
            same(&doubles(&html, "chosen"), &placed.coordinates);
            same(&doubles(&html, "moved"), &placed.displacement);
            assert_eq!(said["chosen"]["status"][0], placed.status[0].word());
        }
        let sentence = said["sentences"][0].as_str().unwrap();
        assert_eq!(
            sentence.contains("from its projection"),
            other,
            "{sentence}"
        );
        let methods = words["methods"]["paragraph"].as_str().unwrap();
        let how = match strategy {
            Strategy::Project => "by projection",
            Strategy::Reconstruct => "by restricted reconstruction",
            Strategy::Hyperplane => "by the best-fitting hyperplane",
            Strategy::Augment => "by augmentation",
            _ => "by raw stress",
        };
        assert!(methods.contains(how), "{methods}");
    }
}

/// Jointly on every map whose axes are those of the fit, with what is between them given or made.
#[test]
fn a_page_of_newcomers_placed_jointly() {
    let new = new();
    let by_features = Newcomers::by(By::Features(&new));
    let kernel = fit(linear(), &FitSettings::default());
    let maps = [
        plain(),
        kernel,
        by_isomap(),
        by_laplacian(None),
        by_landmarks(false),
    ];
    for map in maps {
        let (_, jointly) = map.jointly(&by_features, Between::Made, RUN).unwrap();
        let between = Some(Between::Made);
        let arrived = Arrived::read(&map, Strategy::Project, &by_features, between, RUN).unwrap();
        same(
            &arrived.placements().coordinates,
            &jointly.placements.coordinates,
        );
        let html = html(&map, &arrived);
        let words = words(&html);
        let said = &words["newcomers"];
        assert_eq!(said["strategy"], "jointly");
        assert_eq!(said["joint"]["certified"], jointly.certified);
        same(&doubles(&html, "chosen"), &jointly.placements.coordinates);
        // Each by itself is there too, as the ends of the arcs.
        let settings = PlaceSettings::by(Strategy::Reconstruct);
        let (_, alone) = map.place(&by_features, &settings, RUN).unwrap();
        same(&doubles(&html, "reconstruct"), &alone.coordinates);
    }
    let map = by_isomap();
    let rows = rows(&map);
    let newcomers = Newcomers::new(rows.as_ref());
    let empty = Mat::full(rows.nrows(), rows.nrows(), f64::NAN);
    let mut unknown = empty.clone();
    (0..rows.nrows()).for_each(|i| unknown[(i, i)] = 0.0);
    let between = Some(Between::Given(unknown.as_ref()));
    let arrived = Arrived::read(&map, Strategy::Reconstruct, &newcomers, between, RUN);
    assert!(arrived.is_ok());
}

/// Axes that were scaled after the fit are not followed; those that were turned are, by the frame that the page is given.
#[test]
fn scaled_axes_are_refused() {
    let new = new();
    let newcomers = Newcomers::by(By::Features(&new));
    let map = by_laplacian(Some(1.0));
    let error = Arrived::read(&map, Strategy::Project, &newcomers, None, RUN).unwrap_err();
    let said = error.to_string();
    assert!(
        said.starts_with("a page with newcomers cannot be had here: found axes that were scaled"),
        "{said}"
    );
    assert!(
        Arrived::read(
            &by_landmarks(true),
            Strategy::Project,
            &newcomers,
            None,
            RUN
        )
        .is_ok()
    );
}

/// Equal pages from any number of threads, and from rows, doubles and singles.
#[test]
fn equal_pages() {
    let map = plain();
    let singles = {
        let rows = rows(&map);
        Mat::from_fn(rows.nrows(), rows.ncols(), |i, j| rows[(i, j)] as f32)
    };
    let doubles = Mat::from_fn(singles.nrows(), singles.ncols(), |i, j| {
        f64::from(singles[(i, j)])
    });
    let counted = Counted {
        asked: Mutex::new(vec![0; doubles.nrows()]),
        rows: doubles.clone(),
    };
    let labels = new().labels().to_vec();
    let page = |by: By<'_>, threads: usize| {
        let newcomers = Newcomers {
            labels: Some(&labels),
            ..Newcomers::by(by)
        };
        let run = Run::on(threads);
        let arrived = Arrived::read(&map, Strategy::Stress, &newcomers, None, run).unwrap();
        html(&map, &arrived)
    };
    let first = page(By::Rows(&counted), 1);
    for threads in [1, 3] {
        assert!(first == page(By::Doubles(doubles.as_ref()), threads));
        assert!(first == page(By::Singles(singles.as_ref()), threads));
    }
}

/// Without their similarities to themselves newcomers have a projection and nothing else.
#[test]
fn similarities_to_themselves_that_are_not_known() {
    let map = fit(linear(), &FitSettings::default());
    let rows = rows(&map);
    let mut itself = vec![40.0; rows.nrows()];
    itself[7] = f64::NAN;
    let newcomers = Newcomers {
        self_similarity: Some(&itself),
        ..Newcomers::new(rows.as_ref())
    };
    let read = |strategy| Arrived::read(&map, strategy, &newcomers, None, Run::on(1));
    let arrived = read(Strategy::Project).unwrap();
    let words = words(&html(&map, &arrived));
    let said = &words["newcomers"];
    assert!(said["reconstruct"].is_null());
    assert!(said["why_no_arcs"].as_str().unwrap().contains("not known"));
    assert_eq!(said["labels"][0], "new1");
    assert!(arrived.unplaced().is_empty());
    for strategy in [Strategy::Reconstruct, Strategy::Hyperplane] {
        let error = read(strategy).unwrap_err();
        assert!(matches!(error, Error::SelfSimilarity { .. }), "{error}");
    }
    assert!(matches!(
        read(Strategy::Stress),
        Err(Error::SelfSimilarity { .. } | Error::NotOffered { .. })
    ));
}

/// What is given of similarities is centred as the map's are: on a map of all axes it is the inner product shown.
#[test]
fn given_similarities_are_inner_products() {
    use adjoin::settings::Axes;
    let settings = FitSettings {
        axes: Axes::Count(3),
        ..Default::default()
    };
    let (map, new) = (fit(linear(), &settings), new());
    let newcomers = Newcomers::by(By::Features(&new));
    let arrived = Arrived::read(&map, Strategy::Project, &newcomers, None, RUN).unwrap();
    let x = map.configuration();
    let mut pair = 0;
    for (i, count) in arrived.pairs.counts.iter().enumerate() {
        let y = arrived.projected.point(i);
        for _ in 0..*count {
            let old = arrived.pairs.old[pair] as usize;
            let shown: f64 = x.row(old).iter().zip(y).map(|(a, b)| a * b).sum();
            let given = arrived.pairs.given[pair];
            assert!((shown - given).abs() < 1e-9 * 100.0, "{shown} {given}");
            pair += 1;
        }
    }
    assert_eq!(pair, new.count() * map.labels().len());
}

/// The page has the covariances of the program, at both ends of the arcs or, by refits, at the one where it opens, how far
/// regions reach, and the verdict on the batch; what cannot be told is an error.
#[test]
fn a_page_says_how_certain_places_are_and_whether_to_refit() {
    let (map, new) = (plain(), new());
    let newcomers = Newcomers::by(By::Features(&new));
    let singles = |html: &str, id: &str| -> Vec<f32> {
        let bytes = STANDARD.decode(element(html, id)).unwrap();
        let numbers = bytes.chunks_exact(4);
        numbers
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect()
    };
    let old = map.old_of_features(RUN).unwrap().unwrap();
    for (by, both) in [
        (Uncertainty::Axes, true),
        (Uncertainty::Refit(old.as_ref()), false),
    ] {
        let asked = Asked {
            strategy: Strategy::Reconstruct,
            beside: &[],
            uncertainty: Some(by),
        };
        let arrived = Arrived::read(&map, asked, &newcomers, None, RUN).unwrap();
        let html = html(&map, &arrived);
        let words = words(&html);
        let said = &words["newcomers"];
        assert_eq!(said["project"]["certain"], both);
        assert_eq!(said["reconstruct"]["certain"], true);
        assert_eq!(said["uncertainty"]["refits"].is_null(), both);
        let how = PlaceSettings::by(Strategy::Reconstruct);
        let (border, placed, _) = map
            .place_uncertain(&newcomers, &how, by, RUN, |_| Ok(()))
            .unwrap();
        let triangle = |sigma: &[f64]| [sigma[0], sigma[2], sigma[3]];
        let each = placed.covariance.chunks_exact(4).flat_map(triangle);
        let expected: Vec<f32> = each.map(|v| v as f32).collect();
        assert_eq!(singles(&html, "reconstruct-covariance"), expected);
        let reach = placed.region(0, 2, 0.95).sqrt();
        assert_eq!(singles(&html, "reach")[0], reach as f32);
        let assessment = map.assess(&border, None);
        assert_eq!(said["assessment"]["verdict"], assessment.verdict.word());
        assert_eq!(said["assessment"]["says"], assessment.sentence());
        let methods = words["methods"]["paragraph"].as_str().unwrap();
        assert!(
            methods.contains(if both { "HC3" } else { "refits" }),
            "{methods}"
        );
    }
    let asked = Asked {
        strategy: Strategy::Stress,
        beside: &[],
        uncertainty: Some(Uncertainty::Axes),
    };
    let error = Arrived::read(&map, asked, &newcomers, None, RUN).unwrap_err();
    assert!(error.to_string().contains("stress"), "{error}");
}
