//! Times a measure on features: `distances WORD FEATURES.f64 ROWS WIDTH THREADS [POWER]`.
//!
//! The file holds ROWS × WIDTH doubles, row by row, in the machine's byte order. Two lines are printed: seconds
//! for all pairs of a square, then for the same square as rows of "newcomers" (no symmetry to profit from), each
//! with the sum of the entries. Rows are asked for in bands, as the core does. `bench/distances.py` compares them with
//! SciPy's.

use std::sync::Mutex;

use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::{Error, Features, Rows, Run};
use adjoin_bench::{arguments, numbers, timed};

/// Rows that one thread fills at a time.
const BAND: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = arguments().split_off(1);
    let [word, file, rows, width, threads, power @ ..] = &args[..] else {
        return Err("expected WORD FEATURES.f64 ROWS WIDTH THREADS [POWER]".into());
    };
    let (rows, width, threads): (usize, usize, usize) =
        (rows.parse()?, width.parse()?, threads.parse()?);
    let parameters = Parameters {
        power: power.first().map(|p| p.parse()).transpose()?,
        ..Default::default()
    };
    let measure = Measure::metric(word, &parameters)?;
    let ([], mut values) = numbers(file)?;
    values.truncate(rows * width);
    let features = Features::new(values, width, None, None)?;

    let measured = || Measured::new(measure, features.clone());
    let square = || measured()?.square(Run::on(threads));
    let cross = || filled(&measured()?.against(&features)?, threads);
    for (seconds, made) in [timed(square), timed(cross)] {
        println!("{seconds} {}", made?.iter().sum::<f64>());
    }
    Ok(())
}

/// All rows, each band filled by whichever thread is free.
fn filled(rows: &dyn Rows, threads: usize) -> Result<Vec<f64>, Error> {
    let n = rows.columns();
    let mut all = vec![0.0; rows.rows() * n];
    let bands = Mutex::new(all.chunks_mut(BAND * n).enumerate());
    let next = || bands.lock().ok().and_then(|mut left| left.next());
    let work = || {
        while let Some((b, band)) = next() {
            rows.fill(b * BAND..b * BAND + band.len() / n, band)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let joined = helpers
            .into_iter()
            .map(|h| h.join().unwrap_or(Err(Error::Stopped)));
        std::iter::once(work())
            .chain(joined)
            .collect::<Result<(), _>>()
    })?;
    Ok(all)
}
