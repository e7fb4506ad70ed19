//! The hot paths at small sizes, so many times each, for bench/instructions.py, which counts the instructions of one time.
//!
//! Usage: hot_paths TASK TIMES; TASK is one of rows, singles, columns, holes, weighted, reconstruct, fit, jointly

use adjoin::random::Stream;
use adjoin::{Between, By, Map, Newcomers, PlaceSettings, Run, Strategy};
use adjoin_bench::{arguments, fitted};
use faer::{Mat, MatRef};

/// Old objects, newcomers and axes: no multiples of any block, and enough of them for the iterative solver.
const OLD: usize = 807;
const NEW: usize = 203;
const AXES: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments();
    let [_, task, times] = &arguments[..] else {
        return Err("usage: hot_paths TASK TIMES".into());
    };
    let times: usize = times.parse()?;
    let run = Run::on(1);
    let mut rng = Stream::new(1);
    let points = Mat::from_fn(OLD + NEW, AXES + 10, |_, l| {
        rng.normal() / (1.0 + l as f64).sqrt()
    });
    let distance = |i: usize, j: usize| (points.row(i) - points.row(j)).norm_l2();
    let between = |rows: (usize, usize), columns: (usize, usize)| -> Vec<f64> {
        let row = |i: usize| (0..columns.1).map(move |j| (rows.0 + i, columns.0 + j));
        (0..rows.1)
            .flat_map(row)
            .map(|(i, j)| distance(i, j))
            .collect()
    };
    let old = between((0, OLD), (0, OLD));
    if task == "fit" {
        for _ in 0..times {
            std::hint::black_box(fitted(&old, OLD, AXES, run)?);
        }
        return Ok(());
    }
    let map: Map = fitted(&old, OLD, AXES, run)?;
    let rows = between((OLD, NEW), (0, OLD));
    let singles: Vec<f32> = rows.iter().map(|v| *v as f32).collect();
    let columns = between((0, OLD), (OLD, NEW));
    let among = between((OLD, NEW), (OLD, NEW));
    let by_rows = Newcomers::by(By::Doubles(MatRef::from_row_major_slice(&rows, NEW, OLD)));
    let by_singles = Newcomers::by(By::Singles(MatRef::from_row_major_slice(
        &singles, NEW, OLD,
    )));
    let by_columns = Newcomers::by(By::Doubles(MatRef::from_column_major_slice(
        &columns, NEW, OLD,
    )));
    // One of ten is missing, others of each newcomer.
    let known = |(at, v): (usize, &f64)| if at % 10 == 3 { f64::NAN } else { *v };
    let holes: Vec<f64> = rows.iter().enumerate().map(known).collect();
    let mut with_holes = Newcomers::by(By::Doubles(MatRef::from_row_major_slice(&holes, NEW, OLD)));
    with_holes.missing = true;
    let weights: Vec<f64> = (0..OLD).map(|j| 1.0 + j as f64 / OLD as f64).collect();
    let mut weighted = by_rows;
    weighted.weights = Some(&weights);
    for _ in 0..times {
        match task.as_str() {
            "rows" | "reconstruct" | "singles" | "columns" | "holes" | "weighted" => {
                let (newcomers, strategy) = match task.as_str() {
                    "holes" => (&with_holes, Strategy::Project),
                    "weighted" => (&weighted, Strategy::Project),
                    "rows" => (&by_rows, Strategy::Project),
                    "reconstruct" => (&by_rows, Strategy::Reconstruct),
                    "singles" => (&by_singles, Strategy::Project),
                    _ => (&by_columns, Strategy::Project),
                };
                let placed = map.place(newcomers, &PlaceSettings::by(strategy), run)?;
                std::hint::black_box(placed);
            }
            "jointly" => {
                let among = MatRef::from_row_major_slice(&among, NEW, NEW);
                std::hint::black_box(map.jointly(&by_rows, Between::Given(among), run)?);
            }
            _ => return Err(format!("found {task}, expected a task").into()),
        }
    }
    Ok(())
}
