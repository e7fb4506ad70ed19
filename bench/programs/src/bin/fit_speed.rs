//! Fits a square of raw f64 dissimilarities in native byte order and prints time, memory beside the input, one plain
//! read of it, and eigenvalues as JSON. `bench/fit.py` runs it beside SciPy.
//!
//! Usage: fit_speed FILE N DIMENSIONS THREADS

use adjoin::Run;
use adjoin_bench::{fitted, forget_peak, largest, numbers, peak, read, timed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, n, d, threads] = &arguments[..] else {
        return Err("usage: fit_speed FILE N DIMENSIONS THREADS".into());
    };
    let (n, d, threads): (usize, usize, usize) = (n.parse()?, d.parse()?, threads.parse()?);
    let ([], values) = numbers(file)?;
    // The limit of one pass, by as many threads; memory counts from here.
    let plain = read(&values, threads).min(read(&values, threads));
    let before = forget_peak();
    let (seconds, map) = timed(|| fitted(&values, n, d, Run::on(threads)));
    let extra = peak().saturating_sub(before);
    let map = map?;
    let summary = map.diagram().summary();
    println!(
        "{{\"seconds\": {seconds}, \"read\": {plain}, \"extra_bytes\": {extra}, \"passes\": {}, \"residual\": {:e}, \
         \"eigenvalues\": {:?}}}",
        summary.passes,
        largest(&summary.residuals),
        map.diagram().eigenvalues()
    );
    Ok(())
}
