//! Packed bits are numbers that are 0 or 1, to the bit, and are never made numbers of.

use adjoin::measure::{Kernel, Measure, Measured, Metric, Parameters};
use adjoin::random::Stream;
use adjoin::settings::{Axes, Landmarks};
use adjoin::{By, Features, FitSettings, Map, Method, Newcomers, Objects, PlaceSettings, Run};

/// Sets as bytes, the first bit of a byte its lowest or its highest, and the same as numbers.
fn sets(count: usize, width: usize, seed: u64, lowest: bool) -> (Vec<u8>, Vec<f64>) {
    let mut rng = Stream::new(seed);
    let row = width.div_ceil(8);
    let (mut bytes, mut numbers) = (vec![0; count * row], Vec::new());
    for i in 0..count {
        for j in 0..width {
            // Some are nearly empty; the first of them is.
            let set = i > 0 && rng.uniform() < 0.1 + 0.8 * (i % 5) as f64 / 5.0;
            let place = if lowest { j % 8 } else { 7 - j % 8 };
            bytes[i * row + j / 8] |= u8::from(set) << place;
            numbers.push(f64::from(set));
        }
    }
    (bytes, numbers)
}

fn packed(count: usize, width: usize, seed: u64, lowest: bool) -> (Features, Features) {
    let (bytes, numbers) = sets(count, width, seed, lowest);
    let bits = Features::packed(&bytes, width.div_ceil(8), width, None).unwrap();
    (bits, Features::new(numbers, width, None, None).unwrap())
}

fn counting() -> Vec<Measure> {
    let none = Parameters::default();
    let metrics = [
        "jaccard",
        "tanimoto",
        "dice",
        "hamming",
        "ruzicka",
        "cityblock",
        "euclidean",
        "sqeuclidean",
    ];
    let kernels = [
        "linear",
        "rbf",
        "laplacian",
        "poly",
        "sigmoid",
        "tanimoto",
        "minmax",
    ];
    let metrics = metrics.map(|w| Measure::metric(w, &none).unwrap());
    let kernels = kernels.map(|w| Measure::kernel(w, &none).unwrap());
    [metrics.to_vec(), kernels.to_vec()].concat()
}

/// Squares and rectangles of every measure that counts, for widths that fill words and those that do not.
#[test]
fn bits_are_the_numbers_they_stand_for() {
    for width in [1, 7, 8, 64, 65, 100, 2048] {
        for lowest in [true, false] {
            let (old, as_numbers) = packed(19, width, 3, lowest);
            let (new, new_as_numbers) = packed(11, width, 4, lowest);
            for measure in counting() {
                let (bits, numbers) = (
                    Measured::new(measure, old.clone()).unwrap(),
                    Measured::new(measure, as_numbers.clone()).unwrap(),
                );
                let run = Run::on(2);
                assert_eq!(bits.square(run), numbers.square(run), "{measure:?} {width}");
                let (a, b) = (
                    bits.rectangle(&new, run),
                    numbers.rectangle(&new_as_numbers, run),
                );
                assert_eq!(a, b, "{measure:?} {width}");
                let (a, b) = (
                    bits.against(&new).unwrap(),
                    numbers.against(&new_as_numbers).unwrap(),
                );
                assert_eq!(a.self_similarity(), b.self_similarity());
            }
        }
    }
}

/// So maps of fingerprints are the same maps, and newcomers are placed at the same bits.
#[test]
fn maps_of_bits_are_maps_of_numbers() {
    let (old, as_numbers) = packed(60, 200, 7, true);
    let (new, new_as_numbers) = packed(9, 200, 8, true);
    let old_ones: Vec<usize> = (1..60).collect();
    let (old, as_numbers) = (old.select(&old_ones), as_numbers.select(&old_ones));
    for (method, measure) in [
        (Method::Cmds, Measure::Metric(Metric::Jaccard)),
        (Method::KernelPca, Measure::Kernel(Kernel::Tanimoto)),
        (Method::Landmark, Measure::Metric(Metric::Dice)),
        (Method::Isomap, Measure::Metric(Metric::Hamming)),
    ] {
        let settings = FitSettings {
            axes: Axes::Count(3),
            method,
            landmarks: (method == Method::Landmark)
                .then_some(Landmarks::Maxmin { count: 20, seed: 1 }),
            neighbourhood: (method == Method::Isomap)
                .then_some(adjoin::settings::Neighbourhood::Nearest(12)),
            ..Default::default()
        };
        let fit = |features: &Features| {
            let objects = Objects::Features {
                features: features.clone(),
                measure: Some(measure),
            };
            Map::fit(objects, &settings, Run::on(1)).unwrap().map
        };
        let (bits, numbers) = (fit(&old), fit(&as_numbers));
        assert_eq!(bits.configuration(), numbers.configuration());
        let place = |map: &Map, features: &Features| {
            let newcomers = Newcomers::by(By::Features(features));
            let (_, placed) = map
                .place(&newcomers, &PlaceSettings::default(), Run::on(1))
                .unwrap();
            placed.coordinates
        };
        assert_eq!(place(&bits, &new), place(&numbers, &new_as_numbers));
    }
}

/// One wrong thing at a time.
#[test]
fn what_bits_are_not_is_refused() {
    let none = Parameters::default();
    let (old, numbers) = packed(5, 12, 2, true);
    let message = |answer: Result<Measured, adjoin::Error>| answer.unwrap_err().to_string();
    for word in [
        "cosine",
        "correlation",
        "canberra",
        "chebyshev",
        "aitchison",
    ] {
        let measure = Measure::metric(word, &none).unwrap();
        let said = message(Measured::new(measure, old.clone()));
        assert!(
            said.starts_with(&format!(
                "found packed bits for {word}, expected a measure that counts"
            )),
            "{said}"
        );
    }
    let jaccard = Measure::metric("jaccard", &none).unwrap();
    let measured = Measured::new(jaccard, old).unwrap();
    let said = |features: &Features| measured.against(features).unwrap_err().to_string();
    assert_eq!(
        said(&numbers),
        "found numbers, expected packed bits, as of the old objects"
    );
    assert_eq!(
        said(&packed(5, 16, 2, true).0),
        "found 16 bits, expected 12, as the old objects have"
    );
    let wrong = |bytes: &[u8], row, width| {
        Features::packed(bytes, row, width, None)
            .unwrap_err()
            .to_string()
    };
    assert!(
        wrong(&[0; 6], 3, 12).starts_with("found 3 bytes for each object of 12 bits, expected 2")
    );
    assert!(wrong(&[0, 0, 0], 2, 12).starts_with("found 2 bytes"));
    assert!(wrong(&[0, 0, 1, 0xff], 2, 12).contains("bits beyond the first 12"));
}
