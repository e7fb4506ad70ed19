//! Several newcomers at once: what is certified is not beaten, and no bound is above any place.

use adjoin::Run;
use adjoin::joint::{DenseBetween, JointSettings, Problem, solve};
use arbitrary::Unstructured;
use faer::Mat;

use crate::landscape::{Joint, Random};

/// How much lower than a proved minimum a place may seem, for rounding.
const SLACK: f64 = 1e-9;

/// The joint problem by itself.
pub fn joint(data: &[u8]) {
    let Ok((problem, unit)) = read(&mut Unstructured::new(data)) else {
        return;
    };
    let seed = data
        .iter()
        .fold(11u64, |h, &b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
    searched(&problem, unit, seed);
}

fn number(u: &mut Unstructured<'_>) -> arbitrary::Result<f64> {
    let byte: i8 = u.arbitrary()?;
    Ok(f64::from(byte) / 16.0)
}

/// Numbers of the order of 1, and the unit that they are handed over in.
fn read(u: &mut Unstructured<'_>) -> arbitrary::Result<(Joint, f64)> {
    let d = u.int_in_range(1..=3usize)?;
    let k = u.int_in_range(1..=5usize)?;
    let unit = f64::powi(2.0, *u.choose(&[0, 0, 0, 20, -20, 200, -200])?);
    // C is a cross product, and so positive semidefinite, of full rank or not.
    let rows = u.int_in_range(1..=4usize)?;
    let mut x = Mat::zeros(rows, d);
    let diagonal: bool = u.arbitrary()?;
    for i in 0..rows {
        for j in 0..d {
            if !diagonal || i == j {
                x[(i, j)] = number(u)? / 2.0;
            }
        }
    }
    let mut cross = x.transpose() * &x;
    if u.ratio(3, 4)? {
        for j in 0..d {
            cross[(j, j)] += 0.5;
        }
    }
    // G = b'X with b of the same rows: it is in the range of C.
    let mut b = Mat::zeros(rows, k);
    for i in 0..rows {
        for j in 0..k {
            b[(i, j)] = number(u)?;
        }
    }
    let g = b.transpose() * &x;
    let mut beta = Mat::zeros(k, k);
    let holes = u.ratio(1, 4)?;
    for i in 0..k {
        for j in 0..=i {
            let mut value = number(u)? * 4.0;
            if i == j {
                value = value.abs() * 4.0;
            }
            if holes && i != j && u.ratio(1, 3)? {
                value = f64::NAN;
            }
            (beta[(i, j)], beta[(j, i)]) = (value, value);
        }
    }
    let b_norm_squared = b.squared_norm_l2();
    let problem = Joint {
        cross,
        g,
        beta,
        b_norm_squared,
    };
    Ok((problem, unit))
}

fn searched(problem: &Joint, unit: f64, seed: u64) {
    let (k, d) = (problem.g.nrows(), problem.g.ncols());
    let times = |m: &Mat<f64>, by: f64| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * by);
    // C and β are squared lengths, G is a cubed one.
    let (cross, g) = (
        times(&problem.cross, unit * unit),
        times(&problem.g, unit * unit * unit),
    );
    let between = DenseBetween::new(times(&problem.beta, unit * unit));
    let fourth = unit * unit * unit * unit;
    let asked = Problem {
        cross: cross.as_ref(),
        g: g.as_ref(),
        between: &between,
        b_norm_squared: problem.b_norm_squared * fourth,
        size: 20,
    };
    let settings = JointSettings {
        most_starts: 20,
        ..JointSettings::default()
    };
    let solution = solve(&asked, &settings, Run::on(1)).expect("nobody stops it");
    let y = times(&solution.coordinates, 1.0 / unit);
    assert!(
        (0..k).all(|i| (0..d).all(|j| y[(i, j)].is_finite())),
        "{y:?}"
    );
    let here = problem.objective(&y);
    let beta = problem
        .beta
        .col_iter()
        .flat_map(|c| c.iter().copied().collect::<Vec<_>>());
    let size = beta.filter(|v| !v.is_nan()).map(|v| v * v).sum::<f64>()
        + problem.cross.squared_norm_l2()
        + problem.b_norm_squared
        + problem.g.squared_norm_l2()
        + y.squared_norm_l2().powi(2);
    let size = size.max(f64::MIN_POSITIVE);
    assert!(
        (solution.objective / fourth - here).abs() <= 1e-9 * size,
        "F {here:e}, said {:e}",
        solution.objective / fourth
    );
    assert!(
        solution.gap.is_none_or(|gap| gap >= 0.0),
        "gap {:?}",
        solution.gap
    );
    let bound = solution.lower_bound.map(|b| b / fourth);
    if let Some(bound) = bound {
        assert!(
            bound <= here + SLACK * size,
            "bound {bound:e} above {here:e}"
        );
    }
    let lowest = match (solution.certified, bound) {
        (true, _) => here,
        (false, Some(bound)) => bound,
        (false, None) => return,
    };
    let mut random = Random::new(seed);
    let reach = problem
        .beta
        .col_iter()
        .zip(0..)
        .map(|(c, j)| c[j].abs())
        .fold(1f64, f64::max)
        .sqrt();
    let mut starts: Vec<Mat<f64>> = (0..d)
        .map(|axis| Mat::from_fn(k, d, |i, j| if j == axis { -y[(i, j)] } else { y[(i, j)] }))
        .collect();
    starts.extend(
        (0..k).map(|who| Mat::from_fn(k, d, |i, j| if i == who { -y[(i, j)] } else { y[(i, j)] })),
    );
    starts.extend((0..4).map(|_| Mat::from_fn(k, d, |_, _| reach * random.signed())));
    for start in starts {
        let (place, there) = problem.descend(start, 60);
        assert!(
            there >= lowest - SLACK * size,
            "{} {lowest:e}, beaten by {there:e} at {place:?}",
            if solution.certified {
                "certified"
            } else {
                "bounded by"
            }
        );
    }
}
