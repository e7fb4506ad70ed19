//! The certificate and the bounds, judged at minima that random descents end in.
#![allow(non_snake_case)]

use faer::{Mat, Par};

use super::algebra::eigen;
use super::block::sweep;
use super::bound::{ascend, excess_with_margin, relax, shifted};
use super::certificate::{ALL_EIGENVALUES, Multiplier, certify, tolerance};
use super::descent::newton;
use super::model::{Model, Point};
use super::starts::{Start, make};
use super::{DenseBetween, Problem};
use crate::random::Stream;

/// A small problem whose newcomers are far off the map and disagree with it.
struct Instance {
    cross: Mat<f64>,
    g: Mat<f64>,
    between: DenseBetween,
    b_squared: f64,
    size: usize,
}

impl Instance {
    fn new(rng: &mut Stream, hidden: f64) -> Self {
        let pick =
            |rng: &mut Stream, low: u64, high: u64| (low + rng.bits() % (high - low)) as usize;
        let (n, d, k) = (pick(rng, 4, 9), pick(rng, 1, 3), pick(rng, 3, 7));
        let x = Mat::from_fn(n, d, |_, _| rng.normal());
        let far = 1.0 + 3.0 * rng.uniform().abs();
        let z = Mat::from_fn(k, d + 2, |_, _| far * rng.normal());
        let b = Mat::from_fn(n, k, |i, j| {
            (0..d).map(|a| x[(i, a)] * z[(j, a)]).sum::<f64>() + rng.normal()
        });
        let mut beta = &z * z.transpose();
        for i in 0..k {
            for j in 0..i {
                beta[(i, j)] += far * far * rng.normal();
                if rng.uniform().abs() < hidden {
                    beta[(i, j)] = f64::NAN;
                }
                beta[(j, i)] = beta[(i, j)];
            }
        }
        Self {
            cross: x.transpose() * &x,
            g: b.transpose() * &x,
            between: DenseBetween::new(beta),
            b_squared: b.squared_norm_l2(),
            size: n,
        }
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            cross: self.cross.as_ref(),
            g: self.g.as_ref(),
            between: &self.between,
            b_norm_squared: self.b_squared,
            size: self.size,
        }
    }
}

/// Stationary points of random descents, with their objectives, lowest first.
fn ends(model: &Model<'_>, count: usize) -> Vec<(f64, Point)> {
    let mut ends: Vec<_> = (0..count)
        .map(|draw| {
            newton(
                model,
                make(model, Start::Random { draw: 4 * draw }, None),
                200,
                1e-12,
            )
        })
        .filter(|found| found.converged)
        .map(|found| (model.objective(&found.point), found.point))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    ends
}

/// Over thousands of minima, complete and masked, no inferior one is certified. With the
/// complete problem's multiplier masked ones would be: the test can tell.
#[test]
fn no_inferior_minimum_is_certified() {
    let mut rng = Stream::new(23);
    for hidden in [0.0, 0.4] {
        let (mut inferior, mut certified, mut fooled) = (0, 0, 0);
        for _ in 0..1_500 {
            let instance = Instance::new(&mut rng, hidden);
            let problem = instance.problem();
            let model = Model::new(&problem, Par::Seq);
            let ends = ends(&model, 6);
            let Some(&(least, _)) = ends.first() else {
                continue;
            };
            for (value, point) in &ends {
                let verdict = certify(&model, point);
                let above = value - least > 1e-8 * least;
                inferior += usize::from(above);
                certified += usize::from(verdict.holds);
                assert!(!(above && verdict.holds), "{value} > {least}, {verdict:?}");
                let complete = Model {
                    missing: &[],
                    ..Model::new(&problem, Par::Seq)
                };
                let mut S = Multiplier::new(&complete, point).matrix(&complete, point, 0.0);
                let hide = Multiplier::none(model.k());
                for &(i, j) in model.missing {
                    let [with, without] =
                        [&complete, &model].map(|m| hide.matrix(m, point, 0.0)[(j, i)]);
                    S[(j, i)] += without - with;
                }
                let false_margin = eigen(S.as_ref(), Par::Seq).values[0] + model.c_min();
                fooled += usize::from(above && false_margin >= 0.0);
            }
        }
        assert!(inferior > 500 && certified > 500, "{inferior} {certified}");
        assert_eq!(fooled > 0, hidden > 0.0, "{fooled}");
    }
}

/// At an inferior minimum the bounds, raised by ascent or not, stay below the best value known;
/// at a certified one the ascent finds next to nothing left.
#[test]
fn bounds_stay_below_the_minimum() {
    let mut rng = Stream::new(29);
    let (mut inferior, mut sharp) = (0, 0);
    for _ in 0..150 {
        let instance = Instance::new(&mut rng, 0.0);
        let problem = instance.problem();
        let model = Model::new(&problem, Par::Seq);
        let ends = ends(&model, 8);
        let Some(&(least, _)) = ends.first() else {
            continue;
        };
        for (value, point) in &ends {
            let verdict = certify(&model, point);
            let shifted = value - shifted(&model, point, verdict.margin);
            let raised = value - ascend(&model, point, verdict.margin, 60).excess;
            let both = value - relax(&model, point, *value, verdict.margin, 20).excess;
            for bound in [shifted, raised, both] {
                assert!(
                    bound <= least * (1.0 + 1e-12),
                    "{bound} {least} {verdict:?}"
                );
            }
            assert!(both >= shifted && both >= 0.0);
            inferior += usize::from(value - least > 1e-8 * least);
            if verdict.holds {
                assert!(raised >= value * (1.0 - 1e-9), "{raised} {value}");
                sharp += 1;
            }
        }
    }
    assert!(inferior > 50 && sharp > 50, "{inferior} {sharp}");
}

/// Away from stationarity too, a margin above zero bounds the distance to the minimum.
#[test]
fn a_margin_bounds_points_that_are_not_stationary() {
    let mut rng = Stream::new(31);
    let mut bounded = 0;
    for _ in 0..300 {
        let instance = Instance::new(&mut rng, 0.0);
        let problem = instance.problem();
        let model = Model::new(&problem, Par::Seq);
        let ends = ends(&model, 4);
        let Some((least, best)) = ends.first() else {
            continue;
        };
        let mut Y = best.Y.clone();
        for i in 0..model.k() {
            for a in 0..model.d() {
                Y[(i, a)] += 0.02 * rng.normal();
            }
        }
        let point = model.at(Y);
        if let Some(floor) = certify(&model, &point).floor {
            let bound = model.objective(&point) - excess_with_margin(&point, floor);
            assert!(bound <= least * (1.0 + 1e-12), "{bound} {least}");
            bounded += 1;
        }
    }
    assert!(bounded > 30, "{bounded}");
}

/// Lanczos and Cholesky say the same as all eigenvalues, on either side of zero.
#[test]
fn large_problems_are_judged_as_small_ones_are() {
    let mut rng = Stream::new(37);
    let k = ALL_EIGENVALUES + 40;
    let (d, n) = (6, 12);
    let x = Mat::from_fn(n, d, |_, a| rng.normal() / (1.0 + a as f64));
    let z = Mat::from_fn(k, d, |_, a| rng.normal() / (1.0 + a as f64));
    let mut verdicts = [0, 0];
    for noise in [0.1, 0.5, 1.0, 2.0, 4.0, 16.0] {
        let mut beta = &z * z.transpose();
        for i in 0..k {
            for j in 0..=i {
                beta[(i, j)] += noise * rng.normal();
                beta[(j, i)] = beta[(i, j)];
            }
        }
        let between = DenseBetween::new(beta);
        let cross = x.transpose() * &x;
        let g = &z * &cross;
        let problem = Problem {
            cross: cross.as_ref(),
            g: g.as_ref(),
            between: &between,
            b_norm_squared: (&g * z.transpose())
                .as_ref()
                .diagonal()
                .column_vector()
                .sum(),
            size: n,
        };
        let model = Model::new(&problem, Par::Seq);
        let found = newton(&model, make(&model, Start::Reembedding, None), 200, 0.0);
        let unit = tolerance(&model, &found.point);
        let verdict = certify(&model, &found.point);
        let S = Multiplier::new(&model, &found.point).matrix(&model, &found.point, 0.0);
        let margin = eigen(S.as_ref(), Par::Seq).values[0] + model.c_min();
        assert_eq!(verdict.holds, margin >= -unit, "{verdict:?} {margin}");
        assert!(
            verdict.margin >= margin - unit,
            "a Ritz value is never below"
        );
        assert!(
            verdict.margin - margin < 0.1 * margin.abs(),
            "{verdict:?} {margin}"
        );
        if let Some(floor) = verdict.floor {
            assert!(
                floor <= margin && floor > 0.3 * margin,
                "{verdict:?} {margin}"
            );
        }
        verdicts[usize::from(verdict.holds)] += 1;
    }
    assert!(verdicts.iter().all(|&v| v > 0), "{verdicts:?}");
}

/// A block step is global: after it no other place of that newcomer is better, and a sweep never
/// goes up, missing entries or not.
#[test]
fn block_steps_are_global() {
    let mut rng = Stream::new(43);
    for round in 0..200 {
        let instance = Instance::new(&mut rng, if round % 2 == 0 { 0.0 } else { 0.4 });
        let problem = instance.problem();
        let model = Model::new(&problem, Par::Seq);
        let mut Y = make(&model, Start::Random { draw: round }, None);
        let before = model.objective(&model.at(Y.clone()));
        assert!(sweep(&model, &mut Y));
        let after = model.objective(&model.at(Y.clone()));
        assert!(after <= before * (1.0 + 1e-12), "{after} {before}");
        let last = model.k() - 1;
        for _ in 0..20 {
            let mut other = Y.clone();
            for a in 0..model.d() {
                other[(last, a)] = 3.0 * rng.normal();
            }
            let value = model.objective(&model.at(other));
            assert!(value >= after * (1.0 - 1e-12), "{value} {after}");
        }
    }
}

/// Where the newcomers outweigh the map the valleys are curved: searching the whole space of Y and
/// the step follows them, and ends where the plain line search ends, in fewer steps.
#[test]
fn curved_valleys_are_followed() {
    let mut rng = Stream::new(47);
    let (n, k, d) = (12, 120, 4);
    let x = Mat::from_fn(n, d, |_, _| 0.3 * rng.normal());
    let b = Mat::from_fn(n, k, |_, _| rng.normal());
    let beta = Mat::from_fn(k, k, |_, _| 10.0 * rng.normal());
    let between = DenseBetween::new(beta);
    let (cross, g) = (x.transpose() * &x, b.transpose() * &x);
    let problem = Problem {
        cross: cross.as_ref(),
        g: g.as_ref(),
        between: &between,
        b_norm_squared: b.squared_norm_l2(),
        size: n,
    };
    let model = Model::new(&problem, Par::Seq);
    let found = newton(&model, make(&model, Start::Separate, None), 60, 0.0);
    assert!(found.converged && found.steps < 30, "{}", found.steps);
    let first = newton(&model, make(&model, Start::Reembedding, None), 60, 0.0);
    let (a, b) = (model.objective(&found.point), model.objective(&first.point));
    assert!(first.converged && (a - b).abs() < 1e-3 * b, "{a} {b}");
}
