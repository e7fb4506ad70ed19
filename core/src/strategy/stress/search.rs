//! The starts, and the deepest valley that they lead to.

use super::Start;
use super::descent::{End, descend};
use super::shape::Shape;
use super::sums::{LANES, Lane, Problem, ZERO};
use crate::strategy::jacobi::norm;

/// From this many objects on, valleys are told apart on a sample of [`SAMPLE`] of them.
const LARGE: usize = 512;
const SAMPLE: usize = 128;

/// Starts times objects times (axes + 1): more starts where they are cheap and the valleys are many.
const WORK: usize = 3000;
const FEWEST_STARTS: usize = 4;
const MOST_STARTS: usize = 64;

/// Axes across which the first start is mirrored, the flattest first.
const MOST_MIRRORS: usize = 2;

/// A descent that only explores ends after a step this small, and two that end this close have found
/// the same valley; both against the size of the problem.
pub(super) const EXPLORED: f64 = 1e-3;
const SAME: f64 = 3e-2;

/// Valleys up to this much less deep than the deepest are followed to the end, at most so many.
const RIVAL: f64 = 1.25;
const MOST_RIVALS: usize = 3;

/// What a search found.
pub(super) struct Valleys {
    pub best: (End, Start),
    /// Other minima that were followed to the end.
    pub rivals: Vec<End>,
    /// How many different valleys were met.
    pub minima: usize,
    pub steps: usize,
}

/// One problem and what is known about it.
pub(super) struct Search<'a> {
    pub problem: Problem<'a>,
    pub shape: &'a Shape,
    /// The number of objects.
    pub size: usize,
    /// The length scale.
    pub length: f64,
    /// All objects are observed and have equal weights.
    pub alike: bool,
    /// All objects are at 0 on the last axis.
    pub flat: bool,
    /// The caller's own starts.
    pub given: &'a [Vec<f64>],
    pub most_steps: usize,
}

/// Searches for the deepest valley.
pub(super) fn search(search: &Search<'_>) -> Valleys {
    let &Search {
        ref problem,
        shape,
        size,
        length,
        alike,
        most_steps,
        ..
    } = search;
    // Explore on a sample if that is much cheaper, else on all.
    let sampled;
    let sample = if alike && size >= LARGE {
        sampled = Sample::new(problem, size);
        sampled.problem(problem.axes)
    } else {
        Problem { ..*problem }
    };
    let objects = if alike && size >= LARGE { SAMPLE } else { size };
    let count = (WORK / (objects.max(1) * (problem.axes + 1))).clamp(FEWEST_STARTS, MOST_STARTS);
    let mut steps = 0;
    let mut valleys: Vec<(End, Start)> = Vec::new();
    let squared = shape.squared(problem, size);
    let first = descend(
        &sample,
        shape.point(&squared),
        length,
        EXPLORED,
        most_steps,
        &|_| false,
    );
    steps += first.steps;
    let others = starts(search, &first.y, count);
    insert(&mut valleys, (first, Start::Squared), SAME * length);
    for (y, start) in others {
        let known = |y: &[f64]| valleys.iter().any(|v| distance(&v.0.y, y) <= SAME * length);
        let end = descend(&sample, y, length, EXPLORED, most_steps, &known);
        steps += end.steps;
        insert(&mut valleys, (end, start), SAME * length);
    }

    // Follow the deepest to the end, on all objects, and those that may end as deep.
    let mut ends: Vec<(End, Start)> = Vec::new();
    let minima = valleys.len();
    for (end, start) in valleys.into_iter().take(MOST_RIVALS) {
        let deepest = ends.first().map_or(f64::INFINITY, |e| e.0.stress);
        if problem.stress(&end.y) <= RIVAL * deepest {
            let end = descend(problem, end.y, length, 0.0, most_steps, &|_| false);
            steps += end.steps;
            insert(&mut ends, (end, start), EXPLORED * length);
        }
    }
    let best = ends.remove(0);
    let rivals = ends.into_iter().map(|e| e.0).collect();
    Valleys {
        best,
        rivals,
        minima,
        steps,
    }
}

/// Keeps the list in order of stress, and of two that found the same valley the deeper, or the first.
fn insert(list: &mut Vec<(End, Start)>, new: (End, Start), near: f64) {
    if let Some(i) = list
        .iter()
        .position(|(end, _)| distance(&end.y, &new.0.y) <= near)
    {
        if list[i].0.stress <= new.0.stress {
            return;
        }
        list.remove(i);
    }
    let place = list.partition_point(|(end, _)| end.stress <= new.0.stress);
    list.insert(place, new);
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter()
        .zip(y)
        .map(|(x, y)| (x - y) * (x - y))
        .sum::<f64>()
        .sqrt()
}

/// At most `count` further starts (but all that were given), after the squared one led to `first`.
fn starts(search: &Search<'_>, first: &[f64], count: usize) -> Vec<(Vec<f64>, Start)> {
    let &Search {
        ref problem,
        shape,
        size,
        length,
        flat,
        given,
        ..
    } = search;
    let d = problem.axes;
    let given = given.iter().enumerate();
    let mut starts: Vec<_> = given.map(|(i, y)| (y.clone(), Start::Given(i))).collect();
    let wanted_at_least = starts.len();
    let along = shape.along(first);
    let mirrored = (0..d - usize::from(flat))
        .rev()
        .filter(|&j| along[j].abs() > SAME * length);
    for (rank, j) in mirrored.take(MOST_MIRRORS).enumerate() {
        let mut along = along.clone();
        along[j] = -along[j];
        starts.push((shape.point(&along), Start::Mirror(rank)));
    }
    if flat {
        // Symmetric starts would stay in the span for ever.
        for height in [0.1, 1.0] {
            let mut y = first.to_vec();
            y[d - 1] += height * length;
            starts.push((y, Start::Height));
        }
    }

    // The right distance from the nearest objects, towards the first start and away from it.
    let wanted = count.saturating_sub(starts.len()).div_ceil(2).max(1);
    for (delta, i) in nearest(problem, size, wanted) {
        let x: Vec<f64> = problem.object(i).collect();
        let mut v: Vec<f64> = first.iter().zip(&x).map(|(y, x)| y - x).collect();
        let distance = norm(&v);
        if distance == 0.0 {
            v[d - 1] = 1.0;
        } else {
            v.iter_mut().for_each(|v| *v /= distance);
        }
        for side in [delta, -delta] {
            let y = x.iter().zip(&v).map(|(x, v)| x + side * v).collect();
            starts.push((y, Start::Object(i)));
        }
    }
    starts.truncate(count.max(wanted_at_least));
    starts
}

/// The `wanted` nearest of the observed objects, in order.
fn nearest(problem: &Problem<'_>, size: usize, wanted: usize) -> Vec<(f64, usize)> {
    let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(wanted + 1);
    let mut limit = f64::INFINITY;
    for (group, deltas) in problem.dissimilarities.iter().enumerate() {
        for (l, &delta) in deltas.iter().enumerate() {
            let i = group * LANES + l;
            if delta < limit && i < size && problem.weights[group][l] > 0.0 {
                let place = nearest.partition_point(|o| o.0 <= delta);
                nearest.insert(place, (delta, i));
                if nearest.len() > wanted {
                    nearest.pop();
                    limit = nearest[wanted - 1].0;
                }
            }
        }
    }
    nearest
}

/// Every so-many-th object.
struct Sample {
    points: Vec<Lane>,
    dissimilarities: Vec<Lane>,
    weights: Vec<Lane>,
}

impl Sample {
    fn new(problem: &Problem<'_>, size: usize) -> Self {
        let d = problem.axes;
        let mut sample = Self {
            points: vec![ZERO; SAMPLE / LANES * d],
            dissimilarities: vec![ZERO; SAMPLE / LANES],
            weights: vec![Lane([1.0; LANES]); SAMPLE / LANES],
        };
        for j in 0..SAMPLE {
            let i = j * size / SAMPLE;
            let (from, to) = ((i / LANES, i % LANES), (j / LANES, j % LANES));
            sample.dissimilarities[to.0][to.1] = problem.dissimilarities[from.0][from.1];
            for k in 0..d {
                sample.points[to.0 * d + k][to.1] = problem.points[from.0 * d + k][from.1];
            }
        }
        sample
    }

    fn problem(&self, axes: usize) -> Problem<'_> {
        Problem {
            axes,
            points: &self.points,
            dissimilarities: &self.dissimilarities,
            weights: &self.weights,
            total: SAMPLE as f64,
        }
    }
}
