//! Fits a square of raw little-endian f64 dissimilarities and prints time, memory beside the input, one plain
//! read of it, and eigenvalues as JSON. `bench/fit.py` runs it beside SciPy.
//!
//! Usage: fit_speed FILE N DIMENSIONS THREADS

#[path = "shared/mod.rs"]
mod shared;

use std::time::Instant;

use adjoin::diagram::{Diagram, FitSettings};
use adjoin::proximity::{Kind, Proximities};
use faer::MatRef;
use shared::{forget_peak, peak, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, n, d, threads] = &arguments[..] else {
        return Err("usage: fit_speed FILE N DIMENSIONS THREADS".into());
    };
    let (n, dimensions, threads): (usize, usize, usize) =
        (n.parse()?, d.parse()?, threads.parse()?);
    let values = load(file, n * n)?;
    // The limit of one pass, by as many threads; memory counts from here.
    let cores = adjoin::run::threads_meant(threads);
    let plain = read(&values, cores).min(read(&values, cores));
    let before = forget_peak();
    let start = Instant::now();
    let entries = MatRef::from_row_major_slice(&values, n, n);
    let proximities = Proximities::new(entries, Kind::Dissimilarity, None, threads)?;
    let checked = start.elapsed().as_secs_f64();
    let settings = FitSettings {
        dimensions,
        threads,
        ..Default::default()
    };
    let diagram = Diagram::fit(&proximities, &settings)?;
    let summary = diagram.summary();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"seconds\": {seconds}, \"checking\": {checked}, \"read\": {plain}, \"extra_bytes\": {}, \"passes\": {}, \"residual\": {:e}, \"eigenvalues\": {:?}}}",
        peak().saturating_sub(before),
        summary.passes,
        summary.residuals.iter().fold(0.0, |m: f64, v| m.max(*v)),
        diagram.eigenvalues()
    );
    Ok(())
}

/// The numbers of the file, read straight into place.
fn load(file: &str, count: usize) -> std::io::Result<Vec<f64>> {
    use std::io::Read;
    let mut values = Vec::with_capacity(count);
    let mut reader = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(file)?);
    let mut eight = [0; 8];
    for _ in 0..count {
        reader.read_exact(&mut eight)?;
        values.push(f64::from_le_bytes(eight));
    }
    Ok(values)
}
