use std::collections::BTreeMap;

use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::Landmarks;
use adjoin::{
    By, Features, FitSettings, GrowSettings, Map, Method, Newcomers, Objects, PlaceSettings, Run,
};
use adjoin_formats::{Arrivals, MapFile, choose_generation, map_from_bytes, map_to_bytes, read};

use crate::{Scratch, format_of, message};

fn features(count: usize, seed: u64) -> Features {
    let mut rng = Stream::new(seed);
    let values = (0..3 * count).map(|_| rng.uniform() + 1.5).collect();
    let labels = (0..count).map(|i| format!("s{seed}-{i}")).collect();
    let names = ["x", "y", "z"].map(String::from).to_vec();
    Features::new(values, 3, Some(labels), Some(names)).unwrap()
}

fn file(map: Map) -> MapFile {
    MapFile {
        map,
        settings: BTreeMap::new(),
        provenance: None,
        version: "0.1.0".into(),
    }
}

/// Founders 0 to 19 of a Bray–Curtis map or a map of landmarks.
fn founded(method: Method) -> Map {
    let measure = Some(Measure::metric("braycurtis", &Parameters::default()).unwrap());
    let objects = Objects::Features {
        features: features(20, 1),
        measure,
    };
    let landmarks = (method == Method::Landmark).then_some(Landmarks::Maxmin { count: 9, seed: 1 });
    let settings = FitSettings {
        method,
        landmarks,
        ..Default::default()
    };
    Map::fit(objects, &settings, Run::on(1)).unwrap().map
}

fn grown(map: &Map, seed: u64) -> Map {
    let more = features(3, seed);
    let settings = GrowSettings {
        name: format!("{seed}.tsv"),
        digest: "ab".repeat(32),
        ..Default::default()
    };
    map.grow(&Newcomers::by(By::Features(&more)), &settings, Run::on(1))
        .unwrap()
        .map
}

/// A map that has grown is read back to the bit, with its history; one that has not is of the version before.
#[test]
fn growth_is_read_back_to_the_bit() {
    for method in [Method::Cmds, Method::Landmark] {
        let map = founded(method);
        assert_eq!(format_of(&map_to_bytes(&file(map.clone())).unwrap()), 3);
        let map = grown(&grown(&map, 2), 3);
        let bytes = map_to_bytes(&file(map.clone())).unwrap();
        assert_eq!(format_of(&bytes), 4);
        let again = map_from_bytes(bytes.clone(), "map").unwrap();
        assert_eq!(again.map.parts().growth, map.parts().growth);
        assert_eq!(again.map.configuration(), map.configuration());
        assert_eq!(again.map.labels(), map.labels());
        let new = features(4, 9);
        let new = Newcomers::by(By::Features(&new));
        for generation in 0..3 {
            let [a, b] = [&again.map, &map].map(|map| {
                let then = map.generation(generation).unwrap();
                then.place(&new, &PlaceSettings::default(), Run::on(1))
                    .unwrap()
            });
            assert_eq!(a.0, b.0);
            assert_eq!(a.1.p, b.1.p);
        }
        assert_eq!(map_to_bytes(&again).unwrap(), bytes);
    }
}

/// Which generation a table is for, and what is left of its columns.
#[test]
fn columns_choose_a_generation() {
    let map = founded(Method::Cmds);
    let map = grown(&grown(&map, 2), 3);
    let scratch = Scratch::new();
    let path = scratch.path("new.tsv");
    let labels = map.labels();
    let table = |columns: &[&String], rows: &[&str]| {
        let head: String = columns.iter().map(|c| format!("\t{c}")).collect();
        let body: String = rows
            .iter()
            .map(|row| format!("{row}{}\n", "\t0.5".repeat(columns.len())))
            .collect();
        std::fs::write(&path, format!("{head}\n{body}")).unwrap();
        read(&path, &Default::default()).unwrap()
    };
    let first = |count: usize| labels[..count].iter().collect::<Vec<_>>();
    for (count, generation) in [(20, 0), (23, 1), (26, 2), (19, 2), (24, 2)] {
        let mut matrix = table(&first(count), &["new"]);
        assert_eq!(
            choose_generation(&mut matrix, &map, None).unwrap(),
            generation
        );
        let then = map.generation(generation).unwrap();
        let arrived = Arrivals::of_matrix(matrix, &then, Run::on(1));
        assert_eq!(arrived.is_ok(), ![19, 24].contains(&count));
    }
    // By its number: columns of later members go, unless they are newcomers here themselves.
    let mut matrix = table(&first(26), &["new", &labels[24]]);
    assert_eq!(choose_generation(&mut matrix, &map, Some(0)).unwrap(), 0);
    let mut expected = labels[..20].to_vec();
    expected.push(labels[24].clone());
    assert_eq!(matrix.columns, expected);
    let error = choose_generation(&mut matrix, &map, Some(5)).unwrap_err();
    assert!(message(error).contains("found generation 5, expected one from 0 to 2"));
    let mut matrix = table(&labels[20..].iter().collect::<Vec<_>>(), &["new"]);
    let error = choose_generation(&mut matrix, &map, None).unwrap_err();
    assert!(
        message(error)
            .contains("and none for a founder, expected columns for the map's 20 founders")
    );
}
