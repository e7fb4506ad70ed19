//! What leaving every old object out costs beside the fit it is part of, as JSON: a dense fit and an iterative one, of Gaussian
//! points in many dimensions whose distances are measured with errors, so that no eigenvalue is zero.
//!
//! Usage: `leave_one_out_speed [DENSE [ITERATIVE [DIMENSIONS [THREADS]]]]`     (2000, 5000, 2, all cores)

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use adjoin::random::Stream;
use adjoin::settings::{Axes, Solver};
use adjoin::{Entries, FitSettings, Kind, Map, Objects, Progress, Run, Square};
use adjoin_bench::arguments;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Dimensions of the points: more than are seen.
const FEATURES: usize = 200;

/// How large the errors of distances are at most, beside them.
const ERROR: f64 = 0.02;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = [2000, 5000, 2, 0];
    for (number, argument) in numbers.iter_mut().zip(arguments().into_iter().skip(1)) {
        *number = argument.parse()?;
    }
    let [dense, iterative, d, threads] = numbers;
    for (n, solver) in [(dense, Solver::Dense), (iterative, Solver::Iterative)] {
        let square = distances(n);
        let settings = FitSettings {
            axes: Axes::Count(d),
            solver,
            ..Default::default()
        };
        let (seconds, leaving) = measure(&square, &settings, threads)?;
        println!(
            "{{\"n\": {n}, \"solver\": \"{solver:?}\", \"seconds\": {seconds}, \"leaving_out\": {leaving}, \"share\": {}}}",
            leaving / (seconds - leaving)
        );
    }
    Ok(())
}

fn distances(n: usize) -> Mat<f64> {
    let mut random = Stream::new(1);
    let points = Mat::from_fn(n, FEATURES, |_, j| {
        random.normal() / (1.0 + j as f64).sqrt()
    });
    let mut gram = Mat::zeros(n, n);
    let turned = points.transpose();
    matmul(
        gram.as_mut(),
        Accum::Replace,
        &points,
        turned,
        1.0,
        Par::Seq,
    );
    let mut all = Mat::zeros(n, n);
    for j in 0..n {
        for i in 0..j {
            let squared = gram[(i, i)] + gram[(j, j)] - 2.0 * gram[(j, i)];
            let measured = squared.max(0.0).sqrt() * (1.0 + ERROR * random.uniform());
            (all[(i, j)], all[(j, i)]) = (measured, measured);
        }
    }
    all
}

/// Seconds of the whole fit, and of leaving out: from the last that is told before it to its end.
fn measure(
    square: &Mat<f64>,
    settings: &FitSettings,
    threads: usize,
) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let told = Mutex::new((None, None));
    let watch = |progress: Progress| {
        let now = Instant::now();
        if let Ok(mut told) = told.lock()
            && progress.task == "leaving each object out"
        {
            let first = told.0.unwrap_or(now);
            *told = (Some(first), Some(now));
        }
        ControlFlow::Continue(())
    };
    let objects = Objects::Square(Square {
        entries: Entries::Doubles(square.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    });
    let start = Instant::now();
    Map::fit(objects, settings, Run::on(threads).told(&watch))?;
    let seconds = start.elapsed().as_secs_f64();
    let leaving = match told.into_inner()? {
        (Some(first), Some(last)) => last.duration_since(first).as_secs_f64(),
        _ => f64::NAN,
    };
    Ok((seconds, leaving))
}
