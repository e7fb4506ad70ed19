//! Reconstruction from (σ², ŷ, β) alone, without reading proximities, for bench/secular.py.
//!
//! Usage: secular_speed FILE OUT THREADS ROUNDS
//!
//! FILE has n, k, d as u64 in native byte order, then f64: σ² (d), ŷ (k × d by rows), β (k) and ‖b‖² (k). They become a
//! border made by hand, which is placed on a map made of parts: what is timed is `Map::place_border`. Writes the
//! coordinates to OUT as f64 and prints seconds, how many are certified and the worst stationarity as JSON.

use adjoin::stored::{Centring, Correction, DiagramParts, LeaveOneOut};
use adjoin::{Border, Diagram, Kind, Map, PlaceSettings, Run, Strategy};
use adjoin_bench::{arguments, numbers, proven, timed};
use faer::Mat;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments();
    let [_, file, out, threads, rounds] = &arguments[..] else {
        return Err("usage: secular_speed FILE OUT THREADS ROUNDS".into());
    };
    let (run, rounds): (Run, usize) = (Run::on(threads.parse()?), rounds.parse()?);
    let ([n, k, d], values) = numbers(file)?;
    let (c, rest) = values.split_at(d);
    let (y, rest) = rest.split_at(k * d);
    let (beta, b_norm_squared) = rest.split_at(k);
    let map = with_eigenvalues(n, c)?;
    let border = Border {
        dimensions: d,
        projections: y.to_vec(),
        beta: beta.to_vec(),
        b_norm_squared: b_norm_squared.to_vec(),
        outside: vec![0.0; k],
        means: vec![f64::NAN; k],
        nearest: vec![f64::NAN; k],
        below_zero: vec![0; k],
        observed: vec![n; k],
        degrees: Vec::new(),
        beyond: Vec::new(),
        founding: None,
        covariance: Vec::new(),
    };
    let settings = PlaceSettings::by(Strategy::Reconstruct);
    let mut placements = map.place_border(&border, &settings, run)?;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let (time, again) = timed(|| map.place_border(&border, &settings, run));
        seconds.push(time);
        placements = again?;
    }
    let bytes = placements.coordinates.iter().flat_map(|v| v.to_ne_bytes());
    std::fs::write(out, bytes.collect::<Vec<u8>>())?;
    let (certified, worst) = proven(&placements);
    println!(
        "{{\"seconds\": {seconds:?}, \"certified\": {certified}, \"stationarity\": {worst:e}}}"
    );
    Ok(())
}

/// A map with these eigenvalues: two objects on each axis, the others at the origin.
fn with_eigenvalues(n: usize, c: &[f64]) -> Result<Map, adjoin::Error> {
    let configuration = Mat::from_fn(n, c.len(), |i, j| match i.checked_sub(2 * j) {
        Some(0) => (c[j] / 2.0).sqrt(),
        Some(1) => -(c[j] / 2.0).sqrt(),
        _ => 0.0,
    });
    let diagram = Diagram::from_parts(DiagramParts {
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
        leave_one_out: LeaveOneOut::of_residuals(vec![f64::NAN; n]),
        summary: Default::default(),
    })?;
    Ok(diagram.into())
}
