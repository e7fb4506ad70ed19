//! Seconds for one joint placement, for bench/joint.py: the joint problem by itself ([`adjoin::joint`]).
//!
//! Reads a file of numbers in native byte order: n, k, d as u64, then ‖b‖², C (d × d), G (k × d) and β
//! (k × k), f64 by rows. Prints the seconds of each run, then the objective, the scaled stationarity,
//! the margin, whether it is certified, the gap, the starts and the Newton steps.
//!
//! Usage: joint_speed FILE THREADS RUNS

use adjoin::Run;
use adjoin::joint::{DenseBetween, JointSettings, Problem, solve};
use adjoin_bench::{arguments, numbers, timed};
use faer::MatRef;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments();
    let [_, file, threads, runs] = &arguments[..] else {
        return Err("usage: joint_speed FILE THREADS RUNS".into());
    };
    let ([n, k, d], values) = numbers(file)?;
    let (c, rest) = values[1..].split_at(d * d);
    let (g, beta) = rest.split_at(k * d);
    let between = DenseBetween::new(MatRef::from_row_major_slice(beta, k, k).to_owned());
    let problem = Problem {
        cross: MatRef::from_row_major_slice(c, d, d),
        g: MatRef::from_row_major_slice(g, k, d),
        between: &between,
        b_norm_squared: values[0],
        size: n,
    };
    let (settings, run) = (JointSettings::default(), Run::on(threads.parse()?));
    let (seconds, mut found) = timed(|| solve(&problem, &settings, run));
    print!("{seconds}");
    for _ in 1..runs.parse()? {
        let (seconds, again) = timed(|| solve(&problem, &settings, run));
        print!(" {seconds}");
        found = again;
    }
    let found = found?;
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
    Ok(())
}
