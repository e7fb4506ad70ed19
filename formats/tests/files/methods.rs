use std::collections::BTreeMap;

use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{AffinityChoice, Landmarks, Linking, Neighbourhood};
use adjoin::stored::Parts;
use adjoin::{By, Features, FitSettings, Map, Method, Newcomers, Objects, PlaceSettings, Run};
use adjoin_formats::{Arrivals, Error, MapFile, Matrix, map_from_bytes, map_to_bytes};

use crate::{fixture, format_of, message};

fn features(count: usize, seed: u64) -> Features {
    let mut rng = Stream::new(seed);
    let values = (0..3 * count).map(|_| rng.uniform() + 1.5).collect();
    let names = ["x", "y", "z"].map(String::from).to_vec();
    Features::new(values, 3, None, Some(names)).unwrap()
}

fn metric(word: &str) -> Measure {
    Measure::metric(word, &Parameters::default()).unwrap()
}

fn file(map: Map) -> MapFile {
    MapFile {
        map,
        settings: BTreeMap::new(),
        provenance: None,
        version: "0.1.0".into(),
    }
}

/// One map of each method, of features and without.
fn maps() -> Vec<Map> {
    let old = features(25, 1);
    let fit = |features: &Features, measure: Option<Measure>, settings: FitSettings| {
        let features = features.clone();
        let objects = Objects::Features { features, measure };
        Map::fit(objects, &settings, Run::on(1)).unwrap().map
    };
    let parameters = Parameters {
        gamma: Some(0.3),
        ..Default::default()
    };
    let power = Parameters {
        power: Some(1.5),
        ..Default::default()
    };
    let minkowski = Measure::metric("minkowski", &power).unwrap();
    let rbf = Measure::kernel("rbf", &parameters).unwrap();
    let plain = Measure::kernel("rbf", &Parameters::default()).unwrap();
    let by = |method| FitSettings {
        method,
        ..Default::default()
    };
    let chosen = Some(Landmarks::Maxmin { count: 9, seed: 1 });
    let isomap = FitSettings {
        neighbourhood: Some(Neighbourhood::Nearest(8)),
        ..by(Method::Isomap)
    };
    let landmark_isomap = FitSettings {
        landmarks: chosen.clone(),
        rotate: true,
        ..isomap.clone()
    };
    let turned = FitSettings {
        landmarks: chosen,
        rotate: true,
        ..by(Method::Landmark)
    };
    let heat = FitSettings {
        affinity: Some(AffinityChoice::Heat),
        gamma: Some(2.0),
        alpha: 1.0,
        time: Some(2.0),
        ..by(Method::Laplacian)
    };
    let near = FitSettings {
        affinity: Some(AffinityChoice::Neighbours),
        neighbourhood: Some(Neighbourhood::Radius(1.6)),
        ..by(Method::Laplacian)
    };
    let given = FitSettings {
        affinity: Some(AffinityChoice::Given),
        ..by(Method::Laplacian)
    };
    let linked = FitSettings {
        configuration: Some(faer::Mat::from_fn(25, 2, |i, j| {
            7.0 * old.values().unwrap()[3 * i + j]
        })),
        link: Linking::Monotone,
        link_weights: Some((0..25).map(|i| 1.0 + f64::from(i % 2)).collect()),
        ..FitSettings::default()
    };
    let texts = ["kitten", "sitting", "mitten", "knitting"].map(String::from);
    let texts = Features::texts(texts.to_vec(), None).unwrap();
    let euclidean = Some(metric("euclidean"));
    let bare = fit(&old, euclidean, isomap.clone());
    vec![
        fit(&old, Some(minkowski), FitSettings::default()),
        fit(&old, Some(rbf), FitSettings::default()),
        fit(&texts, Some(metric("levenshtein")), FitSettings::default()),
        fit(&old, None, by(Method::Pca)),
        fit(&old, Some(plain), turned),
        fit(&old, euclidean, isomap),
        fit(&old, euclidean, landmark_isomap),
        fit(&old, Some(metric("sqeuclidean")), heat),
        fit(&old, euclidean, near),
        fit(&old, Some(rbf), given),
        fit(&old, euclidean, linked),
        Map::from_parts(Parts {
            source: None,
            ..bare.parts().clone()
        })
        .unwrap(),
    ]
}

fn place(map: &Map, new: &Features) -> Result<String, adjoin::Error> {
    let newcomers = Newcomers::by(By::Features(new));
    let usual = PlaceSettings::by(map.usual_strategy());
    let placed = map.place(&newcomers, &usual, Run::on(1))?;
    Ok(format!("{placed:?}"))
}

/// Every kind of map is read back: equal bytes when it is written again, and newcomers in the same places.
#[test]
fn every_map_is_read_back() {
    let new = features(6, 2);
    for map in maps() {
        let bytes = map_to_bytes(&file(map.clone())).unwrap();
        assert_eq!(bytes, map_to_bytes(&file(map.clone())).unwrap());
        let back = map_from_bytes(bytes.clone(), "memory").unwrap().map;
        assert_eq!(map_to_bytes(&file(back.clone())).unwrap(), bytes);
        assert_eq!(back.method(), map.method());
        assert_eq!(back.parts().finish, map.parts().finish);
        assert_eq!(back.link(), map.link());
        assert_eq!(back.configuration(), map.configuration());
        assert_eq!(back.labels(), map.labels());
        let source = map.source().map(|s| (s.measure(), s.features()));
        assert_eq!(back.source().map(|s| (s.measure(), s.features())), source);
        if source.is_some_and(|(measure, _)| !measure.of_texts()) {
            assert_eq!(place(&back, &new).unwrap(), place(&map, &new).unwrap());
        }
    }
}

/// A flipped bit or a missing end is refused, wherever it is.
#[test]
fn damaged_maps_are_refused() {
    for map in maps() {
        let whole = map_to_bytes(&file(map)).unwrap();
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            let flipped = map_from_bytes(bytes, "memory");
            assert!(matches!(flipped, Err(Error::Map { .. })), "byte {at}");
            let cut = map_from_bytes(whole[..at].to_vec(), "memory");
            assert!(matches!(cut, Err(Error::Map { .. })), "cut at {at}");
        }
    }
}

/// What programs of an earlier format do not know has a later number, so that they call it newer and not damaged.
#[test]
fn what_is_new_has_a_later_format() {
    let bytes: Vec<u8> = (0u8..24).map(|i| i.wrapping_mul(37) | 1).collect();
    let bits = || Features::packed(&bytes, 2, 16, None).unwrap();
    let sets = (0..12u8).flat_map(|i| [1, i % 2, i / 2 % 2, i / 4 % 2].map(f64::from));
    let sets = || Features::new(sets.clone().collect(), 4, None, None).unwrap();
    for (features, word, expected) in [
        (bits(), "jaccard", 5),
        (sets(), "dice", 5),
        (sets(), "jaccard", 3),
    ] {
        let measure = Some(metric(word));
        let objects = Objects::Features { features, measure };
        let fitted = Map::fit(objects, &FitSettings::default(), Run::on(1)).unwrap();
        let bytes = map_to_bytes(&file(fitted.map)).unwrap();
        assert_eq!(format_of(&bytes), expected, "{word}");
        map_from_bytes(bytes, "map").unwrap();
    }
}

/// A map that an earlier version wrote is still read, with what it has: of the old objects left out their residuals, but not their
/// places. Written again it is the same map.
#[test]
fn maps_of_the_first_format_are_as_they_were() {
    let bytes = std::fs::read(fixture("first.adjoin")).unwrap();
    let first = map_from_bytes(bytes, "first.adjoin").unwrap();
    assert_eq!(first.map.method().word(), "cmds");
    assert!(first.map.source().is_none());
    let again = map_to_bytes(&first).unwrap();
    let second = map_from_bytes(again.clone(), "second.adjoin").unwrap();
    let (ours, theirs) = (second.map.diagram().parts(), first.map.diagram().parts());
    assert_eq!(ours.configuration, theirs.configuration);
    assert_eq!(ours.leave_one_out, theirs.leave_one_out);
    assert_eq!(map_to_bytes(&second).unwrap(), again);
    assert!(first.map.old_residuals().iter().any(|r| !r.is_nan()));
    let refused = first
        .map
        .leave_one_out(&Default::default(), adjoin::Run::on(1));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("fit it again"), "{message}");
}

/// What only a diagram has is not asked of features.
#[test]
fn a_map_without_features_takes_none() {
    let bytes = std::fs::read(fixture("first.adjoin")).unwrap();
    let map = map_from_bytes(bytes, "first.adjoin").unwrap().map;
    let said = place(&map, &features(2, 1)).unwrap_err().to_string();
    assert!(said.contains("objects have no features"), "{said}");
    let error = map_from_bytes(b"none".to_vec(), "none").unwrap_err();
    assert!(message(error).starts_with("none: found"));
}

/// A map has names or positions only, its file keeps which, and labels on a map without are refused.
#[test]
fn names_or_positions() {
    let fit = |labels: Option<Vec<String>>| {
        let features = match labels {
            Some(labels) => features(9, 1).with_labels(labels).unwrap(),
            None => features(9, 1),
        };
        let measure = Some(metric("euclidean"));
        let objects = Objects::Features { features, measure };
        let fitted = Map::fit(objects, &FitSettings::default(), Run::on(1)).unwrap();
        let bytes = map_to_bytes(&file(fitted.map)).unwrap();
        map_from_bytes(bytes, "memory").unwrap().map
    };
    let counted: Vec<String> = (1..=9).map(|i| i.to_string()).collect();
    let matrix = |labelled: bool| Matrix {
        rows: vec!["new".into()],
        columns: counted.clone(),
        values: vec![2.0; 9],
        lines: vec![0],
        labelled,
        source: "new.tsv".into(),
        ..Matrix::default()
    };
    let (named, nameless) = (fit(Some(counted.clone())), fit(None));
    assert!(named.named() && !nameless.named());
    assert_eq!(named.labels(), nameless.labels());
    for (map, labelled) in [(&named, true), (&named, false), (&nameless, false)] {
        assert!(Arrivals::of_matrix(matrix(labelled), map, Run::on(1)).is_ok());
    }
    let refused = Arrivals::of_matrix(matrix(true), &nameless, Run::on(1));
    let said = refused.err().unwrap().to_string();
    assert!(
        said.starts_with(
            "new.tsv: found columns with labels, the first \"1\", expected columns by position"
        ),
        "{said}"
    );
}
