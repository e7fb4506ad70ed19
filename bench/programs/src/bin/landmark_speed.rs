//! Time and memory of Landmark MDS, by hand: `landmark_speed [objects] [features] [landmarks]`.

use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::settings::Landmarks;
use adjoin::{Error, Features, FitSettings, Map, Method, Objects, Run};
use adjoin_bench::{arguments, peak, timed};

fn main() -> Result<(), Error> {
    let mut numbers = arguments()
        .into_iter()
        .skip(1)
        .map_while(|a| a.parse().ok());
    let n = numbers.next().unwrap_or(200_000);
    let q = numbers.next().unwrap_or(50);
    let count = numbers.next().unwrap_or(500);
    let mut random = Stream::new(1);
    let values = (0..n * q).map(|i| random.normal() / (1 + i % q) as f64);
    let features = Features::new(values.collect(), q, None, None)?;
    let measure = Measure::metric("euclidean", &Parameters::default())?;
    for (name, landmarks) in [
        ("random", Landmarks::Random { count, seed: 1 }),
        ("maxmin", Landmarks::Maxmin { count, seed: 1 }),
    ] {
        let settings = FitSettings {
            method: Method::Landmark,
            landmarks: Some(landmarks),
            rotate: true,
            ..Default::default()
        };
        let objects = Objects::Features {
            features: features.clone(),
            measure: Some(measure),
        };
        let (seconds, fitted) = timed(|| Map::fit(objects, &settings, Run::default()));
        let map = fitted?.map;
        println!(
            "{name}: {} objects, {} landmarks, {seconds:.1} s, peak {} MB so far",
            map.labels().len(),
            map.diagram().count(),
            peak() / 1_000_000
        );
    }
    Ok(())
}
