//! Stress, its gradient and its Hessian in one pass over the old objects.
//!
//! Objects lie in groups of eight with their coordinates side by side, so that every line of the inner
//! loop is one SIMD instruction; groups are summed lane by lane, in order, whatever the processor.

// Lanes of several arrays are worked on together: an index says that best.
#![allow(clippy::needless_range_loop)]

use pulp::{Simd, WithSimd};

/// Objects to a group.
pub(super) const LANES: usize = 8;

/// One number for each object of a group.
///
/// Aligned, so that it is one line of the cache.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Lane(pub [f64; LANES]);

impl std::ops::Deref for Lane {
    type Target = [f64; LANES];
    #[inline(always)]
    fn deref(&self) -> &[f64; LANES] {
        &self.0
    }
}

impl std::ops::DerefMut for Lane {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64; LANES] {
        &mut self.0
    }
}

/// Groups whose offsets are kept at a time, and axes multiplied at a time, where axes are many.
const CHUNK: usize = 8;
const BLOCK: usize = 4;

pub(super) const ZERO: Lane = Lane([0.0; LANES]);

/// Old objects, dissimilarities and weights; a group's unused places have weight zero.
pub(super) struct Problem<'a> {
    /// d.
    pub axes: usize,
    /// Axis k of group i at i d + k.
    pub points: &'a [Lane],
    pub dissimilarities: &'a [Lane],
    pub weights: &'a [Lane],
    /// Σ w.
    pub total: f64,
}

/// Everything a step needs to know at y.
#[derive(Default)]
pub(super) struct Sums {
    /// Σ w (r − δ)², r = ‖y − x‖.
    pub stress: f64,
    /// Σ w (1 − δ/r)(y − x), half the gradient.
    pub gradient: Vec<f64>,
    /// Σ w [(1 − δ/r) I + (δ/r³)(y − x)(y − x)'], half the Hessian, by columns.
    pub hessian: Vec<f64>,
    /// Σ w (1 − δ/r).
    pub shift: f64,
    /// Scratch space, kept from one place to the next.
    gradient_lanes: Vec<Lane>,
    outer: Vec<Lane>,
    offsets: Vec<[Lane; CHUNK]>,
}

impl Problem<'_> {
    /// The sums at y.
    pub fn at(&self, y: &[f64], sums: &mut Sums) {
        crate::isa::arch().dispatch(SumsTask(self, y, sums));
    }

    /// The stress alone.
    pub fn stress(&self, y: &[f64]) -> f64 {
        crate::isa::arch().dispatch(StressTask(self, y))
    }

    /// Object i of group `group`.
    pub fn object(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        let (group, lane) = (i / LANES, i % LANES);
        (0..self.axes).map(move |k| self.points[group * self.axes + k][lane])
    }
}

struct SumsTask<'a>(&'a Problem<'a>, &'a [f64], &'a mut Sums);

impl WithSimd for SumsTask<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        match self.0.axes {
            1 => in_registers::<1, S>(self.0, self.1, self.2),
            2 => in_registers::<2, S>(self.0, self.1, self.2),
            3 => in_registers::<3, S>(self.0, self.1, self.2),
            // The loops over the axes are unrolled where their number is known.
            4 => by_blocks::<S>(self.0, 4, self.1, self.2),
            5 => by_blocks::<S>(self.0, 5, self.1, self.2),
            6 => by_blocks::<S>(self.0, 6, self.1, self.2),
            8 => by_blocks::<S>(self.0, 8, self.1, self.2),
            10 => by_blocks::<S>(self.0, 10, self.1, self.2),
            d => by_blocks::<S>(self.0, d, self.1, self.2),
        }
    }
}

struct StressTask<'a>(&'a Problem<'a>, &'a [f64]);

impl WithSimd for StressTask<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let StressTask(p, y) = self;
        let mut sum = ZERO;
        let groups = p.points.chunks_exact(p.axes);
        for ((x, delta), w) in groups.zip(p.dissimilarities).zip(p.weights) {
            let mut r2 = ZERO;
            for (x, &y) in x.iter().zip(y) {
                for l in 0..LANES {
                    r2[l] = plus::<S>(r2[l], y - x[l], y - x[l]);
                }
            }
            for l in 0..LANES {
                let off = r2[l].sqrt() - delta[l];
                sum[l] = plus::<S>(sum[l], w[l] * off, off);
            }
        }
        sum.iter().sum()
    }
}

/// w (r − δ)² added to the stress; (1/r, w (1 − δ/r), w δ/r) for the rest. Where r = 0 the direction
/// is undefined and the term's pull is left out.
#[inline(always)]
fn terms<S: Simd>(r2: &Lane, delta: &Lane, w: &Lane, stress: &mut Lane) -> (Lane, Lane, Lane) {
    let (mut inverse, mut pull, mut ratio) = (ZERO, ZERO, ZERO);
    for l in 0..LANES {
        let r = r2[l].sqrt();
        let off = r - delta[l];
        stress[l] = plus::<S>(stress[l], w[l] * off, off);
        inverse[l] = if r > 0.0 { 1.0 / r } else { 0.0 };
        ratio[l] = w[l] * delta[l] * inverse[l];
        pull[l] = w[l] - ratio[l];
    }
    (inverse, pull, ratio)
}

/// For a number of axes known when compiling: all sums stay in registers.
#[inline(always)]
fn in_registers<const D: usize, S: Simd>(p: &Problem<'_>, y: &[f64], sums: &mut Sums) {
    let (mut stress, mut shift) = (ZERO, ZERO);
    let mut gradient = [ZERO; D];
    let mut outer = [[ZERO; D]; D];
    let y: [f64; D] = std::array::from_fn(|k| y[k]);
    let groups = p.points.chunks_exact(D);
    for ((x, delta), w) in groups.zip(p.dissimilarities).zip(p.weights) {
        let mut z = [ZERO; D];
        let mut r2 = ZERO;
        for k in 0..D {
            for l in 0..LANES {
                z[k][l] = y[k] - x[k][l];
                r2[l] = plus::<S>(r2[l], z[k][l], z[k][l]);
            }
        }
        let (inverse, pull, ratio) = terms::<S>(&r2, delta, w, &mut stress);
        for l in 0..LANES {
            shift[l] += pull[l];
        }
        for k in 0..D {
            for l in 0..LANES {
                gradient[k][l] = plus::<S>(gradient[k][l], pull[l], z[k][l]);
                z[k][l] *= inverse[l];
            }
            for j in 0..=k {
                for l in 0..LANES {
                    outer[k][j][l] = plus::<S>(outer[k][j][l], ratio[l] * z[k][l], z[j][l]);
                }
            }
        }
    }
    sums.stress = stress.iter().sum();
    sums.gradient.clear();
    sums.gradient
        .extend(gradient.iter().map(|g| g.iter().sum::<f64>()));
    finish(sums, D, shift.iter().sum(), |k, j| outer[k][j].iter().sum());
}

/// For any number of axes: offsets of [`CHUNK`] groups are kept, then multiplied with each other
/// [`BLOCK`] axes at a time, so that most products are added up in registers. Lanes are copied, worked
/// on and put back: the compiler then need not fear that they overlap.
#[inline(always)]
fn by_blocks<S: Simd>(p: &Problem<'_>, d: usize, y: &[f64], sums: &mut Sums) {
    let padded = d.next_multiple_of(BLOCK);
    let (mut stress, mut shift) = (ZERO, ZERO);
    let Sums {
        gradient_lanes: gradient,
        outer,
        offsets: z,
        ..
    } = sums;
    for (lanes, count) in [(&mut *gradient, d), (&mut *outer, d * padded)] {
        lanes.clear();
        lanes.resize(count, ZERO);
    }
    z.resize(padded, [ZERO; CHUNK]);
    let chunks = p.points.chunks(CHUNK * d);
    let given = p.dissimilarities.chunks(CHUNK).zip(p.weights.chunks(CHUNK));
    for (points, (deltas, weights)) in chunks.zip(given) {
        let (mut inverses, mut pulls, mut ratios) = ([ZERO; CHUNK], [ZERO; CHUNK], [ZERO; CHUNK]);
        for (g, x) in points.chunks_exact(d).enumerate() {
            let mut r2 = ZERO;
            for ((z, x), &y) in z.iter_mut().zip(x).zip(y) {
                let off = each_lane(|l| y - x[l]);
                r2 = each_lane(|l| plus::<S>(r2[l], off[l], off[l]));
                z[g] = off;
            }
            let (inverse, pull, ratio) = terms::<S>(&r2, &deltas[g], &weights[g], &mut stress);
            shift = each_lane(|l| shift[l] + pull[l]);
            (inverses[g], pulls[g], ratios[g]) = (inverse, pull, ratio);
        }
        for (z, sum) in z.iter_mut().zip(gradient.iter_mut()) {
            let (mut off, mut total) = (*z, *sum);
            for g in 0..CHUNK {
                for l in 0..LANES {
                    total[l] = plus::<S>(total[l], pulls[g][l], off[g][l]);
                    off[g][l] *= inverses[g][l];
                }
            }
            (*z, *sum) = (off, total);
        }
        for (k, row) in outer.chunks_exact_mut(padded).enumerate() {
            let mut scaled = z[k];
            for (z, ratio) in scaled.iter_mut().zip(&ratios) {
                let before = *z;
                *z = each_lane(|l| before[l] * ratio[l]);
            }
            let blocks = row.as_chunks_mut::<BLOCK>().0.iter_mut();
            for (sums, z) in blocks.zip(z.as_chunks::<BLOCK>().0).take(k / BLOCK + 1) {
                let mut block = [ZERO; BLOCK];
                for (g, scaled) in scaled.iter().enumerate() {
                    for q in 0..BLOCK {
                        for l in 0..LANES {
                            block[q][l] = plus::<S>(block[q][l], scaled[l], z[q][g][l]);
                        }
                    }
                }
                for (sum, block) in sums.iter_mut().zip(&block) {
                    let before = *sum;
                    *sum = each_lane(|l| before[l] + block[l]);
                }
            }
        }
    }
    sums.stress = stress.iter().sum();
    sums.gradient.clear();
    let gradient = sums.gradient_lanes.iter();
    sums.gradient
        .extend(gradient.map(|g| g.iter().sum::<f64>()));
    let outer = std::mem::take(&mut sums.outer);
    finish(sums, d, shift.iter().sum(), |k, j| {
        outer[k * padded + j].iter().sum()
    });
    sums.outer = outer;
}

/// a + bc, fused where the processor does so in one instruction.
#[inline(always)]
fn plus<S: Simd>(a: f64, b: f64, c: f64) -> f64 {
    if S::IS_SCALAR {
        a + b * c
    } else {
        b.mul_add(c, a)
    }
}

#[inline(always)]
fn each_lane(value: impl Fn(usize) -> f64) -> Lane {
    let mut lane = ZERO;
    for l in 0..LANES {
        lane[l] = value(l);
    }
    lane
}

/// Fills in the Hessian from Σ w (1 − δ/r) and the lower triangle of the outer products.
#[inline(always)]
fn finish(sums: &mut Sums, d: usize, shift: f64, outer: impl Fn(usize, usize) -> f64) {
    sums.shift = shift;
    sums.hessian.clear();
    sums.hessian.resize(d * d, 0.0);
    for k in 0..d {
        for j in 0..=k {
            let h = outer(k, j);
            sums.hessian[k * d + j] = h;
            sums.hessian[j * d + k] = h;
        }
        sums.hessian[k * d + k] += shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Every number of axes: the stress is the plain sum, the derivatives are differences of it.
    #[test]
    fn sums_are_derivatives() {
        let mut rng = Stream::new(31);
        for d in 1..7 {
            let groups = 5;
            let mut lane = || Lane(std::array::from_fn(|_| rng.normal()));
            let points: Vec<Lane> = (0..groups * d).map(|_| lane()).collect();
            let deltas: Vec<Lane> = (0..groups).map(|_| Lane(lane().map(f64::abs))).collect();
            let weights: Vec<Lane> = (0..groups).map(|_| Lane(lane().map(f64::abs))).collect();
            let (points, dissimilarities, weights) = (&points[..], &deltas[..], &weights[..]);
            let p = Problem {
                axes: d,
                points,
                dissimilarities,
                weights,
                total: 1.0,
            };
            let y: Vec<f64> = (0..d).map(|k| 0.3 + k as f64).collect();
            let mut sums = Sums::default();
            p.at(&y, &mut sums);
            let plain: f64 = (0..groups * LANES)
                .map(|i| {
                    let r: f64 = p.object(i).zip(&y).map(|(x, y)| (x - y).powi(2)).sum();
                    let (group, l) = (i / LANES, i % LANES);
                    weights[group][l] * (r.sqrt() - dissimilarities[group][l]).powi(2)
                })
                .sum();
            assert!((sums.stress - plain).abs() <= 100.0 * f64::EPSILON * plain);
            assert!((p.stress(&y) - plain).abs() <= 100.0 * f64::EPSILON * plain);
            let h = 1e-5;
            for k in 0..d {
                let moved = |t: f64| {
                    let mut y = y.clone();
                    y[k] += t;
                    let mut sums = Sums::default();
                    p.at(&y, &mut sums);
                    sums
                };
                let (up, down) = (moved(h), moved(-h));
                let slope = (up.stress - down.stress) / (4.0 * h);
                assert!((slope - sums.gradient[k]).abs() < 1e-8 * plain, "{d} {k}");
                for j in 0..d {
                    let slope = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                    assert!(
                        (slope - sums.hessian[k * d + j]).abs() < 1e-7 * plain,
                        "{d} {k} {j}"
                    );
                }
            }
        }
    }
}
