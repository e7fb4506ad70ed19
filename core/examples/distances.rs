//! Times a measure on features: `distances WORD FEATURES.f64 ROWS WIDTH THREADS [POWER]`.
//!
//! The file holds ROWS × WIDTH doubles, row by row, in the machine's byte order. Two lines are printed: seconds
//! for all pairs of a square, then for the same square as rows of "newcomers" (no symmetry to profit from), each
//! with the sum of the entries. `bench/distances.py` compares them with SciPy's.

use std::error::Error;
use std::time::Instant;

use adjoin::features::Features;
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::rows::collect;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [word, file, rows, width, threads, power @ ..] = &args[..] else {
        return Err("expected WORD FEATURES.f64 ROWS WIDTH THREADS [POWER]".into());
    };
    let (rows, width, threads) = (rows.parse::<usize>()?, width.parse()?, threads.parse()?);
    let power = power.first().map(|p| p.parse()).transpose()?;
    let bytes = std::fs::read(file)?;
    let values = bytes.chunks_exact(8).take(rows * width).map(|b| {
        let mut eight = [0; 8];
        eight.copy_from_slice(b);
        f64::from_ne_bytes(eight)
    });
    let features = Features::new(values.collect(), width, None, None)?;
    let parameters = Parameters {
        power,
        ..Default::default()
    };
    let measure = Measure::metric(word, &parameters)?;

    let since = Instant::now();
    let measured = Measured::new(measure, features.clone())?;
    let square = measured.square(threads, None)?;
    println!(
        "{} {}",
        since.elapsed().as_secs_f64(),
        square.iter().sum::<f64>()
    );
    let since = Instant::now();
    let measured = Measured::new(measure, features.clone())?;
    let cross = collect(&measured.against(&features)?, threads, None)?;
    println!(
        "{} {}",
        since.elapsed().as_secs_f64(),
        cross.iter().sum::<f64>()
    );
    Ok(())
}
