//! Reads a table several times with one thread and with all, and prints the best times as JSON.
//! `bench/parse.py` runs it beside pandas and NumPy.
//!
//! Usage: parse_speed FILE

use std::path::Path;
use std::time::Instant;

use adjoin_formats::{ReadOptions, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: parse_speed FILE")?;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut best = Vec::new();
    for threads in [1, cores] {
        let options = ReadOptions {
            threads,
            ..ReadOptions::default()
        };
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            let begin = Instant::now();
            let matrix = read(Path::new(&file), &options)?;
            fastest = fastest.min(begin.elapsed().as_secs_f64());
            assert!(matrix.is_square());
        }
        best.push(fastest);
    }
    println!(
        "{{\"one\": {}, \"all\": {}, \"threads\": {cores}}}",
        best[0], best[1]
    );
    Ok(())
}
