//! Fits a square of raw dissimilarities in native byte order and prints time, memory beside the input, one plain
//! read of it, and eigenvalues as JSON. `bench/fit.py` runs it beside SciPy.
//!
//! Usage: fit_speed FILE N DIMENSIONS THREADS f64|f32

use adjoin::{Entries, Map, Run};
use adjoin_bench::{
    Summed, arguments, fitted_to, forget_peak, largest, numbers, peak, read, singles, timed,
};
use faer::MatRef;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments();
    let [_, file, n, d, threads, precision] = &arguments[..] else {
        return Err("usage: fit_speed FILE N DIMENSIONS THREADS f64|f32".into());
    };
    let (n, d, threads): (usize, usize, usize) = (n.parse()?, d.parse()?, threads.parse()?);
    if precision == "f32" {
        let values = singles(file)?;
        let entries = Entries::Singles(MatRef::from_row_major_slice(&values, n, n));
        measure(&values, entries, d, threads)
    } else {
        let ([], values) = numbers(file)?;
        let entries = Entries::Doubles(MatRef::from_row_major_slice(&values, n, n));
        measure(&values, entries, d, threads)
    }
}

fn measure<T: Summed>(
    values: &[T],
    entries: Entries<'_>,
    d: usize,
    threads: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    // The limit of one pass, by as many threads; memory counts from here.
    let plain = read(values, threads).min(read(values, threads));
    let before = forget_peak();
    let (seconds, map) = timed(|| fitted_to(entries, d, Run::on(threads)));
    let extra = peak().saturating_sub(before);
    let map: Map = map?;
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
