//! Stress on a line, exactly.
//!
//! In one dimension (|y − x| − δ)² is the smaller of (y − x − δ)² and (y − x + δ)². So the least
//! stress is the least of the n + 1 parabolas in which the first j objects, in order, have y to their
//! right and the others to their left, each with its minimum in closed form; running sums give them all
//! in one pass. There can be n + 1 local minima: no descent could do this.

/// The best place, its rivals of equal stress, and how many local minima there are.
pub(super) struct Line {
    pub y: f64,
    pub ties: Vec<f64>,
    pub minima: usize,
}

/// Minimises Σ w (|y − x| − δ)² given (x, δ, w) in ascending order of x, with Σ w > 0. Values that
/// differ by less than `unit` of the size of their terms are ties.
pub(super) fn minimise(objects: &[(f64, f64, f64)], unit: f64) -> Line {
    let total: f64 = objects.iter().map(|o| o.2).sum();
    let mean = objects.iter().map(|&(x, _, w)| w * x).sum::<f64>() / total;
    // All objects right of y: z = x − δ, then one after another changes to z = x + δ. With x
    // measured from its mean the value is 2 Σ ±w x δ − (Σ ±w δ)²/W up to a constant.
    let mut shift: f64 = -objects.iter().map(|&(_, delta, w)| w * delta).sum::<f64>();
    let mut cross: f64 = -objects
        .iter()
        .map(|&(x, delta, w)| w * (x - mean) * delta)
        .sum::<f64>();
    let size: f64 = objects
        .iter()
        .map(|&(x, delta, w)| w * ((x - mean) * (x - mean) + delta * delta))
        .sum();

    let mut found: Vec<(f64, f64)> = Vec::new();
    for j in 0..=objects.len() {
        let y = mean + shift / total;
        let left = if j == 0 {
            f64::NEG_INFINITY
        } else {
            objects[j - 1].0
        };
        let right = objects.get(j).map_or(f64::INFINITY, |o| o.0);
        let slack = unit * (y.abs() + mean.abs());
        if left - slack <= y && y <= right + slack {
            found.push((2.0 * cross - shift * shift / total, y));
        }
        if let Some(&(x, delta, w)) = objects.get(j) {
            shift += 2.0 * w * delta;
            cross += 2.0 * w * (x - mean) * delta;
        }
    }
    // Objects without dissimilarity leave the same parabola in several intervals, and one on an
    // interval's end would be counted twice.
    found.dedup_by(|a, b| (a.1 - b.1).abs() <= unit * (a.1.abs() + b.1.abs()));
    let least = found.iter().fold(f64::INFINITY, |m, v| m.min(v.0));
    // Of equals the last, as everywhere: + rather than −.
    let ties = found
        .iter()
        .filter(|v| v.0 - least <= unit * size)
        .map(|v| v.1);
    let mut ties: Vec<f64> = ties.collect();
    let y = ties.pop().unwrap_or(mean);
    Line {
        y,
        ties,
        minima: found.len(),
    }
}
