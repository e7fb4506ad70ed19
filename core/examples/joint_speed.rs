//! Seconds for one joint placement, for bench/joint.py.
//!
//! Reads a file of numbers in native byte order: n, k, d as u64, then ‖b‖², C (d × d), G (k × d) and β
//! (k × k), f64 by rows. Prints the seconds of each run, then the objective, the scaled stationarity,
//! the margin, whether it is certified, the gap, the starts and the Newton steps.

#[path = "shared/mod.rs"]
mod shared;

use std::time::Instant;

use adjoin::joint::{DenseBetween, Problem, Settings, solve};
use faer::MatRef;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let path = path.expect("usage: joint_speed FILE [THREADS] [RUNS]");
    let mut count = |default| {
        arguments
            .next()
            .map_or(default, |v| v.parse().expect("a count"))
    };
    let (threads, runs) = (count(1), count(3));
    let ([n, k, d], numbers) = shared::numbers(&path).expect("a readable file");
    let (c, rest) = numbers[1..].split_at(d * d);
    let (g, beta) = rest.split_at(k * d);
    let between = DenseBetween::new(MatRef::from_row_major_slice(beta, k, k).to_owned());
    let problem = Problem {
        cross: MatRef::from_row_major_slice(c, d, d),
        g: MatRef::from_row_major_slice(g, k, d),
        between: &between,
        b_norm_squared: numbers[0],
        size: n,
    };
    let settings = Settings {
        threads,
        ..Default::default()
    };
    let mut answer = None;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let found = solve(&problem, &settings);
        print!("{} ", start.elapsed().as_secs_f64());
        answer = Some(found);
    }
    if let Some(found) = answer {
        println!(
            "\n{:e} {:e} {:e} {} {:e} {} {}",
            found.objective,
            found.stationarity,
            found.margin,
            u8::from(found.certified),
            found.gap.unwrap_or(f64::NAN),
            found.starts_tried,
            found.steps
        );
    }
}
