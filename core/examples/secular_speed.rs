//! Reconstruction from (σ², ŷ, β) alone, without reading proximities, for bench/secular.py.
//!
//! Usage: secular_speed FILE OUT THREADS ROUNDS
//!
//! FILE has n, k, d as u64 in native byte order, then f64: σ² (d), ŷ (k × d by rows), β (k) and ‖b‖² (k). Writes the
//! coordinates to OUT as f64 and prints seconds, how many are certified and the worst stationarity as JSON.

#[path = "shared/mod.rs"]
mod shared;

use adjoin::border::Border;
use adjoin::centring::Centring;
use adjoin::diagram::{Diagram, Parts};
use adjoin::proximity::{Correction, Kind};
use adjoin::reconstruct::reconstruct;
use faer::Mat;
use shared::{numbers, timed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, out, threads, rounds] = &arguments[..] else {
        return Err("usage: secular_speed FILE OUT THREADS ROUNDS".into());
    };
    let (threads, rounds): (usize, usize) = (threads.parse()?, rounds.parse()?);
    let ([n, k, d], values) = numbers(file)?;
    let (c, rest) = values.split_at(d);
    let (y, rest) = rest.split_at(k * d);
    let (beta, b_norm_squared) = rest.split_at(k);
    // A configuration with these eigenvalues: two objects on each axis.
    let configuration = Mat::from_fn(n, d, |i, j| match i.checked_sub(2 * j) {
        Some(0) => (c[j] / 2.0).sqrt(),
        Some(1) => -(c[j] / 2.0).sqrt(),
        _ => 0.0,
    });
    let diagram = Diagram::from_parts(Parts {
        labels: (1..=n).map(|i| i.to_string()).collect(),
        kind: Kind::Dissimilarity,
        correction: Correction::None,
        configuration,
        eigenvalues: c.to_vec(),
        given: false,
        centring: Centring {
            row_means: vec![0.0; n],
            grand_mean: 0.0,
            weights: None,
        },
        leave_one_out: vec![f64::NAN; n],
        summary: Default::default(),
    })?;
    let border = Border {
        dimensions: d,
        projections: y.to_vec(),
        beta: beta.to_vec(),
        b_norm_squared: b_norm_squared.to_vec(),
        outside: vec![0.0; k],
        observed: vec![n; k],
    };
    let mut seconds = Vec::new();
    let mut placements = reconstruct(&diagram, &border, threads)?;
    for _ in 0..rounds {
        let (time, again) = timed(|| reconstruct(&diagram, &border, threads));
        seconds.push(time);
        placements = again?;
    }
    let bytes = placements.coordinates.iter().flat_map(|v| v.to_ne_bytes());
    std::fs::write(out, bytes.collect::<Vec<u8>>())?;
    println!(
        "{{\"seconds\": {seconds:?}, \"certified\": {}, \"stationarity\": {:e}}}",
        placements.margin.iter().filter(|m| **m >= 0.0).count(),
        placements
            .stationarity
            .iter()
            .fold(0.0, |m: f64, v| m.max(*v)),
    );
    Ok(())
}
