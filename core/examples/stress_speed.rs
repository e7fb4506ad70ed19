//! Seconds per newcomer placed by stress, for bench/stress.py.
//!
//! Reads a file of numbers in native byte order: n, d, k as u64, then the configuration (n × d) and the
//! dissimilarities (k × n), both f64 by rows. Prints one line: the median and total seconds per
//! newcomer, then the raw stress of each.

#[path = "shared/mod.rs"]
mod shared;

use std::time::Instant;

use adjoin::stress::{Prepared, Settings};
use faer::MatRef;

fn main() {
    let path = std::env::args().nth(1).expect("usage: stress_speed FILE");
    let ([n, d, k], numbers) = shared::numbers(&path).expect("a readable file");
    let (x, delta) = numbers.split_at(n * d);

    let start = Instant::now();
    let prepared = Prepared::new(MatRef::from_row_major_slice(x, n, d));
    let preparing = start.elapsed().as_secs_f64();
    let mut seconds = Vec::with_capacity(k);
    let mut stress = Vec::with_capacity(k);
    for delta in delta.chunks_exact(n) {
        let start = Instant::now();
        let placement = prepared.place(delta, None, &[], &Settings::default());
        seconds.push(start.elapsed().as_secs_f64());
        stress.push(placement.stress);
    }
    seconds.sort_by(f64::total_cmp);
    println!("{} {}", seconds[k / 2], preparing);
    for s in stress {
        println!("{s:e}");
    }
}
