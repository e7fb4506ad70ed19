//! Reads a table several times with one thread and with all, and prints the best times as JSON.
//! `bench/parse.py` runs it beside pandas and NumPy.
//!
//! Usage: parse_speed FILE

use std::path::Path;

use adjoin_bench::timed;
use adjoin_formats::{ReadOptions, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: parse_speed FILE")?;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut best = [f64::INFINITY; 2];
    for (best, threads) in best.iter_mut().zip([1, cores]) {
        let options = ReadOptions {
            threads,
            ..Default::default()
        };
        for _ in 0..3 {
            let (seconds, matrix) = timed(|| read(Path::new(&file), &options));
            assert!(matrix?.is_square());
            *best = best.min(seconds);
        }
    }
    let [one, all] = best;
    println!("{{\"one\": {one}, \"all\": {all}, \"threads\": {cores}}}");
    Ok(())
}
