//! Placing many newcomers beside one plain read of their proximities, for bench/place.py and bench/growth.py.
//!
//! Usage: place_speed N K D THREADS ROUNDS
//!
//! Makes a map of N objects and K newcomers, then times in turn one read of the K × N proximities, their border alone (what a bare
//! projection needs), projection and reconstruction with all that is told of a placement: in rows of f64, rows of f32, and columns of
//! f64, one copy in memory at a time. Prints JSON.

use adjoin::random::Stream;
use adjoin::{By, Map, Newcomers, PlaceSettings, Placements, Run, Strategy};
use adjoin_bench::{
    Summed, arguments, fitted, forget_peak, largest, peak, proven, read, room, timed,
};
use faer::{Mat, MatRef};

/// Newcomers that differ in direction; the others are these, farther away by a thousandth for each round.
const DIFFERENT: usize = 1000;

/// Dimensions of the space that the objects live in, beside those that the map shows.
const HIDDEN: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = arguments().into_iter().skip(1).map(|a| a.parse());
    let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
    let [n, k, d, threads, rounds] = numbers[..] else {
        return Err("usage: place_speed N K D THREADS ROUNDS".into());
    };
    let mut rng = Stream::new(1);
    let old = points(n, d + HIDDEN, &mut rng);
    let new = points(DIFFERENT.min(k), d + HIDDEN, &mut rng);
    let map = fitted(&distances(&old, &old), n, d, Run::default())?;
    let block = distances(&new, &old);
    let farther = |i: usize| 1.0 + (i / new.len()) as f64 / 1000.0;
    let entry = |i: usize, j: usize| block[i % new.len() * n + j] * farther(i);

    let task = Task {
        map: &map,
        threads,
        rounds,
    };
    let mut rows = room(k * n);
    for i in 0..k {
        rows.extend((0..n).map(|j| entry(i, j)));
    }
    let by = By::Doubles(MatRef::from_row_major_slice(&rows, k, n));
    let plain = task.measure(&rows, by)?;
    drop(rows);

    let mut rows = room(k * n);
    for i in 0..k {
        rows.extend((0..n).map(|j| entry(i, j) as f32));
    }
    let by = By::Singles(MatRef::from_row_major_slice(&rows, k, n));
    let single = task.measure(&rows, by)?;
    drop(rows);

    let turned = Mat::from_fn(new.len(), n, |i, j| block[i * n + j]);
    let mut columns = room(k * n);
    for j in 0..n {
        columns.extend((0..k).map(|i| turned[(i % new.len(), j)] * farther(i)));
    }
    let by = By::Doubles(MatRef::from_column_major_slice(&columns, k, n));
    let by_columns = task.measure(&columns, by)?;

    let (certified, worst) = proven(&plain.reconstructed);
    println!(
        "{{\"rows\": {}, \"single\": {}, \"columns\": {}, \"certified\": {certified}, \"stationarity\": {worst:e}, \
         \"single_difference\": {:e}, \"columns_difference\": {:e}}}",
        plain.json(),
        single.json(),
        by_columns.json(),
        difference(&single.reconstructed, &plain.reconstructed),
        difference(&by_columns.reconstructed, &plain.reconstructed),
    );
    Ok(())
}

/// What is the same for each form of the input.
struct Task<'a> {
    map: &'a Map,
    threads: usize,
    rounds: usize,
}

struct Measured {
    read: Vec<f64>,
    border: Vec<f64>,
    project: Vec<f64>,
    reconstruct: Vec<f64>,
    /// Peak memory of reconstruction above the input.
    extra_bytes: usize,
    reconstructed: Placements,
}

impl Task<'_> {
    fn measure<T: Summed>(&self, values: &[T], by: By<'_>) -> Result<Measured, adjoin::Error> {
        let (newcomers, run) = (Newcomers::by(by), Run::on(self.threads));
        let place = |strategy| {
            let settings = PlaceSettings::by(strategy);
            let (seconds, placed) = timed(|| self.map.place(&newcomers, &settings, run));
            placed.map(|(_, placements)| (seconds, placements))
        };
        // Warm up, and see how much memory it takes.
        read(values, self.threads);
        let before = forget_peak();
        let (_, reconstructed) = place(Strategy::Reconstruct)?;
        let mut measured = Measured {
            read: Vec::new(),
            border: Vec::new(),
            project: Vec::new(),
            reconstruct: Vec::new(),
            extra_bytes: peak().saturating_sub(before),
            reconstructed,
        };
        for _ in 0..self.rounds {
            measured.read.push(read(values, self.threads));
            let (seconds, border) = timed(|| self.map.border(&newcomers, run));
            border?;
            measured.border.push(seconds);
            measured.project.push(place(Strategy::Project)?.0);
            measured.reconstruct.push(place(Strategy::Reconstruct)?.0);
        }
        Ok(measured)
    }
}

impl Measured {
    fn json(&self) -> String {
        format!(
            "{{\"read\": {:?}, \"border\": {:?}, \"project\": {:?}, \"reconstruct\": {:?}, \"extra_bytes\": {}}}",
            self.read, self.border, self.project, self.reconstruct, self.extra_bytes
        )
    }
}

/// Points of falling variance.
fn points(count: usize, dimensions: usize, rng: &mut Stream) -> Vec<Vec<f64>> {
    let point = |rng: &mut Stream| {
        let falling = (0..dimensions).map(|l| 1.0 / (1.0 + l as f64).sqrt());
        falling.map(|s| s * rng.normal()).collect()
    };
    (0..count).map(|_| point(rng)).collect()
}

/// Their distances, row by row.
fn distances(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<f64> {
    let between = |x: &[f64], y: &[f64]| {
        let squares = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y));
        squares.sum::<f64>().sqrt()
    };
    a.iter()
        .flat_map(|x| b.iter().map(move |y| between(x, y)))
        .collect()
}

/// The largest difference of coordinates, relative to the largest coordinate.
fn difference(a: &Placements, b: &Placements) -> f64 {
    let pairs = a.coordinates.iter().zip(&b.coordinates);
    let steps: Vec<f64> = pairs.map(|(x, y)| x - y).collect();
    largest(&steps) / largest(&b.coordinates)
}
