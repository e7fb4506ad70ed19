use std::collections::BTreeMap;

use adjoin::diagram::FitSettings;
use adjoin::features::Features;
use adjoin::graph::{Disconnected, Neighbourhood};
use adjoin::landmark::{self, Landmarks};
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::model::Model;
use adjoin::place::Settings;
use adjoin::random::Stream;
use adjoin::{isomap, laplacian, pca};
use adjoin_formats::{Error, Map, map_from_bytes, map_to_bytes};

use crate::{fixture, message};

fn features(count: usize, seed: u64) -> Features {
    let mut rng = Stream::new(seed);
    let values = (0..3 * count).map(|_| rng.uniform() + 1.5).collect();
    let names = ["x", "y", "z"].map(String::from).to_vec();
    Features::new(values, 3, None, Some(names)).unwrap()
}

fn metric(word: &str) -> Measure {
    Measure::metric(word, &Parameters::default()).unwrap()
}

fn map(model: Model) -> Map {
    Map {
        model,
        settings: BTreeMap::new(),
        provenance: None,
        version: "0.1.0".into(),
    }
}

/// One model of each method, of features and without.
fn models() -> Vec<Model> {
    let fit = FitSettings {
        dimensions: 2,
        threads: 1,
        ..Default::default()
    };
    let parameters = Parameters {
        gamma: Some(0.3),
        ..Default::default()
    };
    let old = features(25, 1);
    let measured = |measure| Measured::new(measure, old.clone()).unwrap();
    let power = Parameters {
        power: Some(1.5),
        ..Default::default()
    };
    let minkowski = Measure::metric("minkowski", &power).unwrap();
    let rbf = Measure::kernel("rbf", &parameters).unwrap();
    let plain = Measure::kernel("rbf", &Parameters::default()).unwrap();
    let graph = |landmarks| isomap::Settings {
        neighbourhood: Neighbourhood::Nearest(8),
        disconnected: Disconnected::Refuse,
        landmarks,
        landmark: landmark::Settings { rotate: true },
    };
    let chosen = || Landmarks::Maxmin { count: 9, seed: 1 };
    let turned = landmark::Settings { rotate: true };
    let heat = laplacian::Settings {
        affinity: laplacian::Affinity::Heat { gamma: 2.0 },
        alpha: 1.0,
        scaling: laplacian::Scaling::Walk { time: 2.0 },
        ..Default::default()
    };
    let near = laplacian::Settings {
        affinity: laplacian::Affinity::Neighbours,
        neighbourhood: Some(Neighbourhood::Radius(1.6)),
        ..Default::default()
    };
    let given = laplacian::Settings {
        affinity: laplacian::Affinity::Given,
        ..Default::default()
    };
    let texts = ["kitten", "sitting", "mitten", "knitting"].map(String::from);
    let texts = Features::texts(texts.to_vec(), None).unwrap();
    let texts = Measured::new(metric("levenshtein"), texts).unwrap();
    let isomap = |settings| isomap::fit_measured(measured(metric("euclidean")), &settings, &fit);
    let laplacian = |measure, settings| laplacian::fit_measured(measured(measure), settings, &fit);
    let bare = isomap(graph(None)).unwrap().model.into_parts();
    vec![
        Model::fit(measured(minkowski), &fit).unwrap(),
        Model::fit(measured(rbf), &fit).unwrap(),
        Model::fit(texts, &fit).unwrap(),
        pca::fit(old.clone(), &fit).unwrap(),
        landmark::fit_features(&old, plain, &chosen(), &turned, &fit).unwrap(),
        isomap(graph(None)).unwrap().model,
        isomap(graph(Some(chosen()))).unwrap().model,
        laplacian(metric("sqeuclidean"), &heat).unwrap().model,
        laplacian(metric("euclidean"), &near).unwrap().model,
        laplacian(rbf, &given).unwrap().model,
        Model::from_parts(adjoin::model::Parts {
            source: None,
            ..bare
        })
        .unwrap(),
    ]
}

/// Every kind of model is read back: equal bytes when it is written again, and newcomers in the same places.
#[test]
fn every_model_is_read_back() {
    let new = features(6, 2);
    for model in models() {
        let bytes = map_to_bytes(&map(model.clone())).unwrap();
        assert_eq!(bytes, map_to_bytes(&map(model.clone())).unwrap());
        let back = map_from_bytes(bytes.clone(), "memory").unwrap().model;
        assert_eq!(map_to_bytes(&map(back.clone())).unwrap(), bytes);
        assert_eq!(back.method(), model.method());
        assert_eq!(back.parts().finish, model.parts().finish);
        assert_eq!(back.configuration(), model.configuration());
        assert_eq!(back.labels(), model.labels());
        let source = model.source().map(|s| (s.measure(), s.features()));
        assert_eq!(back.source().map(|s| (s.measure(), s.features())), source);
        if source.is_some_and(|(measure, _)| !measure.of_texts()) {
            let place = |m: &Model| m.place_features(&new, &Settings::default()).unwrap();
            assert_eq!(
                format!("{:?}", place(&back)),
                format!("{:?}", place(&model))
            );
        }
    }
}

/// A flipped bit or a missing end is refused, wherever it is.
#[test]
fn damaged_models_are_refused() {
    for model in models() {
        let whole = map_to_bytes(&map(model)).unwrap();
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

/// A map that an earlier version wrote is still read, and written again as it was.
#[test]
fn maps_of_the_first_format_are_as_they_were() {
    let bytes = std::fs::read(fixture("first.adjoin")).unwrap();
    let map = map_from_bytes(bytes.clone(), "first.adjoin").unwrap();
    assert_eq!(map.model.method().word(), "cmds");
    assert!(map.model.source().is_none());
    assert_eq!(map_to_bytes(&map).unwrap(), bytes);
}

/// What only a diagram has is not asked of features.
#[test]
fn a_map_without_features_takes_none() {
    let bytes = std::fs::read(fixture("first.adjoin")).unwrap();
    let map = map_from_bytes(bytes, "first.adjoin").unwrap();
    let error = map
        .model
        .place_features(&features(2, 1), &Settings::default());
    let said = error.unwrap_err().to_string();
    assert!(said.contains("objects have no features"), "{said}");
    let error = map_from_bytes(b"none".to_vec(), "none").unwrap_err();
    assert!(message(error).starts_with("none: found"));
}
