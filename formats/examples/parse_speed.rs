//! Prints how fast the table reader is, in megabytes a second and thread.
//!
//! `cargo run --release --no-default-features --example parse_speed -- [OBJECTS]`

use std::fmt::Write;
use std::time::Instant;

use adjoin_formats::{ReadOptions, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = match std::env::args().nth(1) {
        Some(n) => n.parse()?,
        None => 3000,
    };
    // Numbers of full length, as scikit-bio and pandas write them.
    let mut text = String::new();
    for j in 0..n {
        write!(text, "\tobject{j}")?;
    }
    text.push('\n');
    for i in 0..n {
        write!(text, "object{i}")?;
        for j in 0..n {
            let x = ((i.min(j) * 7919 + i.max(j) * 104_729) % 1_000_003) as f64;
            write!(text, "\t{}", (x / 1_000_003.0).sqrt())?;
        }
        text.push('\n');
    }
    let path = std::env::temp_dir().join(format!("adjoin-parse-speed-{}.tsv", std::process::id()));
    std::fs::write(&path, &text)?;
    let megabytes = text.len() as f64 / 1e6;
    drop(text);
    println!("{n} objects, {megabytes:.0} MB");
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    for threads in [1, cores] {
        let options = ReadOptions {
            threads,
            ..ReadOptions::default()
        };
        let best = (0..3)
            .map(|_| {
                let begin = Instant::now();
                let read = read(&path, &options);
                let seconds = begin.elapsed().as_secs_f64();
                read.map(|matrix| {
                    assert_eq!(matrix.shape(), (n, n));
                    seconds
                })
            })
            .collect::<Result<Vec<f64>, _>>()?
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        println!(
            "{threads} threads: {:.0} MB/s, {:.0} MB/s a thread",
            megabytes / best,
            megabytes / best / threads as f64
        );
    }
    std::fs::remove_file(&path)?;
    Ok(())
}
