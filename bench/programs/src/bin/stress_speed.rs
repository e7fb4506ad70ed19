//! Seconds per newcomer placed by stress, for bench/stress.py.
//!
//! Reads a file of numbers in native byte order: n, d, k as u64, then the configuration (n × d) and the
//! dissimilarities (k × n), both f64 by rows. All newcomers are placed in one call of [`place_on_configuration`] on one
//! thread, which checks them and prepares the configuration too. Prints the median seconds of several calls, divided by
//! k, then the raw stress of each newcomer.
//!
//! Usage: stress_speed FILE

use adjoin::{Newcomers, PlaceSettings, Run, Strategy, place_on_configuration};
use adjoin_bench::{arguments, numbers, timed};
use faer::MatRef;

const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = arguments()
        .into_iter()
        .nth(1)
        .ok_or("usage: stress_speed FILE")?;
    let ([n, d, k], values) = numbers(&path)?;
    let (x, delta) = values.split_at(n * d);
    let configuration = MatRef::from_row_major_slice(x, n, d);
    let labels: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    let newcomers = Newcomers::new(MatRef::from_row_major_slice(delta, k, n));
    let by_stress = PlaceSettings::by(Strategy::Stress);
    let place =
        || place_on_configuration(configuration, &labels, &newcomers, &by_stress, Run::on(1));

    let placements = place()?;
    let mut seconds: Vec<f64> = (0..ROUNDS).map(|_| timed(place).0).collect();
    seconds.sort_by(f64::total_cmp);
    println!("{}", seconds[ROUNDS / 2] / k as f64);
    for stress in &placements.objective {
        println!("{stress:e}");
    }
    Ok(())
}
