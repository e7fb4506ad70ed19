//! Time and memory of Landmark MDS: `landmark_speed [objects] [features] [landmarks]`.

use std::time::Instant;

use adjoin::features::Features;
use adjoin::landmark::{self, Landmarks, Settings};
use adjoin::measure::{Measure, Parameters};
use adjoin::random::Stream;
use adjoin::{Error, FitSettings};

fn main() -> Result<(), Error> {
    let mut numbers = std::env::args().skip(1).map_while(|a| a.parse().ok());
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
        let start = Instant::now();
        let settings = Settings { rotate: true };
        let options = FitSettings {
            dimensions: 2,
            ..Default::default()
        };
        let model = landmark::fit_features(&features, measure, &landmarks, &settings, &options)?;
        println!(
            "{name}: {} objects, {} landmarks, {:.1} s, peak {} so far",
            model.labels().len(),
            model.diagram().count(),
            start.elapsed().as_secs_f64(),
            peak()
        );
    }
    Ok(())
}

/// The most memory this process had, where the system says so.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM"));
    line.map_or("unknown".into(), |l| l[6..].trim().into())
}
