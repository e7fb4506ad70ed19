//! What must hold whatever the numbers are: published formulas agree, old objects land on themselves,
//! nothing depends on order, units, orientation, batch, layout or threads.

use super::common::*;
use adjoin::Border;
use adjoin::fit::centring::Origin;
use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::input::block::Block;
use adjoin::input::kind::{Correction, Kind};
use adjoin::input::proximities::Proximities;
use adjoin::place::arc::arc;
use adjoin::random::Stream;
use adjoin::run::Run;
use adjoin::strategy::placements::Status;
use adjoin::strategy::project::{objective, project};
use adjoin::strategy::reconstruct::reconstruct;
use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};

const EPS: f64 = f64::EPSILON;

/// Old and new proximities on which projection formulas can differ if they are wrong.
fn problems() -> Vec<(&'static str, Mat<f64>, Mat<f64>, usize)> {
    let mut rng = Stream::new(11);
    let split = |all: Mat<f64>, n: usize| {
        let k = all.nrows() - n;
        (
            all.get(..n, ..n).to_owned(),
            all.get(n..n + k, ..n).to_owned(),
        )
    };
    let (euclid_old, euclid_new) = split(euclidean(40, 6, &mut rng), 30);
    let (counts_old, counts_new) = split(bray_curtis(40, &mut rng), 30);
    let (roads_old, roads_new) = cities();
    vec![
        ("euclidean", euclid_old, euclid_new, 3),
        ("bray-curtis", counts_old, counts_new, 4),
        ("roads", roads_old, roads_new, 2),
    ]
}

fn squares(m: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * m[(i, j)])
}

/// b by its definition, the paper's (7).
fn b_of(old2: &Mat<f64>, new2: &Mat<f64>, i: usize) -> Vec<f64> {
    let n = old2.nrows() as f64;
    let mean = |row: Vec<f64>| row.iter().sum::<f64>() / n;
    let r: Vec<f64> = (0..old2.nrows())
        .map(|j| mean(old2.row(j).iter().copied().collect()))
        .collect();
    let m = mean(r.clone());
    let a = mean(new2.row(i).iter().copied().collect());
    (0..old2.nrows())
        .map(|j| -0.5 * (new2[(i, j)] - a - r[j] + m))
        .collect()
}

/// Each formula gives ŷ to rounding of the problem's size.
fn agree(name: &str, formula: impl Fn(&Diagram, &Mat<f64>, &Mat<f64>, &[f64], usize) -> Vec<f64>) {
    for (data, old, new, d) in problems() {
        let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
        let border = border(&diagram, new.as_ref());
        let (old2, new2) = (squares(&old), squares(&new));
        for i in 0..new.nrows() {
            let b = b_of(&old2, &new2, i);
            let y = formula(&diagram, &old2, &new2, &b, i);
            let b_norm = b.iter().map(|v| v * v).sum::<f64>().sqrt();
            for (j, y) in y.iter().enumerate() {
                let sigma = diagram.eigenvalues()[j].sqrt();
                let unit = b_norm / sigma * old.nrows() as f64 * EPS;
                let off = (y - border.projection(i)[j]).abs() / unit;
                assert!(off < 100.0, "{name} on {data}: {off} units");
            }
        }
    }
}

/// U'v with X = U Σ.
fn transposed(diagram: &Diagram, v: &[f64]) -> Vec<f64> {
    let x = diagram.configuration();
    (0..x.ncols())
        .map(|j| x.col(j).iter().zip(v).map(|(x, v)| x * v).sum())
        .collect()
}

/// Gower (1968), equation (10): ŷ = ½ C⁻¹ X'(diag B − a₂).
#[test]
fn gower() {
    agree("Gower", |diagram, old2, new2, _, i| {
        let n = old2.nrows();
        let all: f64 = (0..n).map(|j| old2.row(j).iter().sum::<f64>()).sum();
        let v: Vec<f64> = (0..n)
            .map(|j| {
                let r = old2.row(j).iter().sum::<f64>() / n as f64;
                0.5 * (r - 0.5 * all / (n * n) as f64 - new2[(i, j)])
            })
            .collect();
        let g = transposed(diagram, &v);
        g.iter()
            .zip(diagram.eigenvalues())
            .map(|(g, c)| g / c)
            .collect()
    });
}

/// Williams & Seeger (2001), Bengio et al. (2003), the paper's (5): ŷ = Σ⁻¹ U'b.
#[test]
fn kernel() {
    agree("kernel", |diagram, _, _, b, _| {
        let x = diagram.configuration();
        (0..x.ncols())
            .map(|j| {
                let sigma = diagram.eigenvalues()[j].sqrt();
                x.col(j)
                    .iter()
                    .zip(b)
                    .map(|(x, b)| x / sigma * b)
                    .sum::<f64>()
                    / sigma
            })
            .collect()
    });
}

/// Anderson & Robinson (2003), the paper's (8): least squares of b on X.
#[test]
fn regression() {
    agree("regression", |diagram, _, _, b, _| {
        let x = diagram.configuration();
        let right = Mat::from_fn(x.ncols(), 1, |j, _| transposed(diagram, b)[j]);
        let y = (x.transpose() * x).partial_piv_lu().solve(&right);
        y.col(0).iter().copied().collect()
    });
}

/// de Silva & Tenenbaum (2004), the paper's (9): −½ X†(a₂ − Δ₂e/n).
#[test]
fn triangulation() {
    agree("triangulation", |diagram, old2, new2, _, i| {
        let n = old2.nrows();
        let v: Vec<f64> = (0..n)
            .map(|j| -0.5 * (new2[(i, j)] - old2.row(j).iter().sum::<f64>() / n as f64))
            .collect();
        let g = transposed(diagram, &v);
        g.iter()
            .zip(diagram.eigenvalues())
            .map(|(g, c)| g / c)
            .collect()
    });
}

/// Features: projection is the principal component score.
#[test]
fn principal_components() {
    let mut rng = Stream::new(3);
    let (n, q, d) = (25, 5, 3);
    let points = Mat::from_fn(n + 6, q, |_, j| rng.normal() / (1.0 + j as f64) + 7.0);
    let (old, new) = (points.get(..n, ..), points.get(n.., ..));
    let diagram = fit(distances(old, old).as_ref(), Kind::Dissimilarity, d);
    let border = border(&diagram, distances(new, old).as_ref());
    let mean: Vec<f64> = (0..q)
        .map(|j| old.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let centred = |m: MatRef<'_, f64>| Mat::from_fn(m.nrows(), q, |i, j| m[(i, j)] - mean[j]);
    let (old, new) = (centred(old), centred(new));
    // Loadings V = M'U Σ⁻¹, scores M_new V.
    let x = diagram.configuration();
    let loadings = old.transpose() * x;
    let scores = &new * &loadings;
    for i in 0..6 {
        for j in 0..d {
            let score = scores[(i, j)] / diagram.eigenvalues()[j];
            assert!((border.projection(i)[j] - score).abs() < 1e3 * EPS * 10.0);
        }
    }
}

/// A kernel: projection from similarities is kernel PCA, and the same as from δ² = γ_ii + γ_jj − 2γ_ij.
#[test]
fn kernels_and_their_distances() {
    let mut rng = Stream::new(4);
    let (n, k, d) = (20, 5, 4);
    let points = Mat::from_fn(n + k, 3, |_, _| rng.normal());
    let apart = distances(points.as_ref(), points.as_ref());
    let kernel = Mat::from_fn(n + k, n + k, |i, j| {
        (-0.3 * apart[(i, j)].powi(2)).exp() * 2.0
    });
    let apart2 = Mat::from_fn(n + k, n + k, |i, j| {
        kernel[(i, i)] + kernel[(j, j)] - 2.0 * kernel[(i, j)]
    });
    let by_kernel = fit(kernel.get(..n, ..n), Kind::Similarity, d);
    let by_distance = fit(apart2.get(..n, ..n), Kind::Squared, d);
    let itself = vec![2.0; k];
    let newcomers = Block {
        self_similarity: Some(&itself),
        ..Block::new(kernel.get(n.., ..n))
    };
    let one = Border::new(&by_kernel, &newcomers, Run::on(1)).unwrap();
    let two = border(&by_distance, apart2.get(n.., ..n));
    for (a, b) in one.projections.iter().zip(&two.projections) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    for (a, b) in one.beta.iter().zip(&two.beta) {
        close(*a, *b, 1e-13);
    }
    let without = Border::new(&by_kernel, &Block::new(kernel.get(n.., ..n)), Run::on(1)).unwrap();
    assert_eq!(without.projections, one.projections);
    assert!(without.beta.iter().all(|b| b.is_nan()));
}

/// An old object comes back to its own place, with every origin, kind and correction.
#[test]
fn old_objects_land_on_themselves() {
    for (data, old, _, d) in problems() {
        let n = old.nrows();
        let proximities =
            Proximities::new(old.as_ref(), Kind::Dissimilarity, None, Run::on(1)).unwrap();
        let weights: Vec<f64> = (0..n).map(|i| (i as f64 - 3.0) / (n * n) as f64).collect();
        let sum: f64 = weights.iter().sum();
        let weights = weights.iter().map(|w| w / sum).collect();
        let mean = old.norm_l2() / n as f64;
        for (origin, correction) in [
            (Origin::Centroid, Correction::None),
            (Origin::Object(2), Correction::None),
            (Origin::Weights(weights), Correction::None),
            (Origin::Centroid, Correction::Lingoes(mean * mean)),
            (Origin::Centroid, Correction::Cailliez(mean)),
        ] {
            let settings = DiagramSettings {
                dimensions: d,
                origin: origin.clone(),
                correction,
                ..Default::default()
            };
            let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
            let border = border(&diagram, old.as_ref());
            let x = diagram.configuration();
            // The origin's own b is zero: measure all by the longest.
            let b_norm = border
                .b_norm_squared
                .iter()
                .fold(0.0, |m: f64, v| m.max(v.sqrt()));
            for i in 0..n {
                for j in 0..d {
                    let unit = n as f64 * EPS * b_norm / diagram.eigenvalues()[j].sqrt();
                    let gap =
                        (diagram.summary().eigenvalues[0] / diagram.eigenvalues()[j]).max(1.0);
                    let off = (border.projection(i)[j] - x[(i, j)]).abs() / unit / gap;
                    assert!(off < 100.0, "{data} {origin:?} {correction:?}: {off} units");
                }
            }
        }
    }
}

/// A given configuration, moved and turned, gives the same placements, moved and turned.
#[test]
fn given_configurations_are_moved_and_turned() {
    for (data, old, new, d) in problems() {
        let fitted = fit(old.as_ref(), Kind::Dissimilarity, d);
        let (s, c) = 0.7f64.sin_cos();
        let turn = Mat::from_fn(d, d, |i, j| match (i, j) {
            (0, 0) | (1, 1) => c,
            (0, 1) => -s,
            (1, 0) => s,
            _ => f64::from(u8::from(i == j)),
        });
        let size = fitted.eigenvalues()[0].sqrt();
        let moved = fitted.configuration() * &turn;
        let moved = Mat::from_fn(old.nrows(), d, |i, j| moved[(i, j)] + size * (j + 1) as f64);
        let proximities =
            Proximities::new(old.as_ref(), Kind::Dissimilarity, None, Run::on(1)).unwrap();
        let given = Diagram::given(
            &proximities,
            moved.as_ref(),
            &DiagramSettings::default(),
            Run::on(1),
        )
        .unwrap();
        let place = |diagram: &Diagram| {
            let border = border(diagram, new.as_ref());
            [
                project(diagram, &border),
                reconstruct(diagram, &border, Run::on(1)).unwrap(),
            ]
        };
        for (a, b) in place(&fitted).iter().zip(&place(&given)) {
            for i in 0..new.nrows() {
                for j in 0..d {
                    let turned: f64 = (0..d).map(|l| a.point(i)[l] * turn[(l, j)]).sum();
                    let off = (turned + size * (j + 1) as f64 - b.point(i)[j]).abs() / size;
                    assert!(off < 1e-11, "{data}: {off}");
                }
                close(a.objective[i], b.objective[i], 1e-9);
            }
        }
        let loose = given.summary().strain / given.summary().squared_norm;
        let tight = fitted.summary().strain / fitted.summary().squared_norm;
        assert!((loose - tight).abs() < 1e-12, "{data}: {loose} {tight}");
    }
}

/// Permuting the old objects changes nothing but the order; units scale the picture.
#[test]
fn permutation_and_scale() {
    for (data, old, new, d) in problems() {
        let n = old.nrows();
        let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
        let at = reconstruct(&diagram, &border(&diagram, new.as_ref()), Run::on(1)).unwrap();
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        assert!(n % 7 != 0);
        let old_p = Mat::from_fn(n, n, |i, j| old[(order[i], order[j])]);
        let new_p = Mat::from_fn(new.nrows(), n, |i, j| new[(i, order[j])]);
        let permuted = fit(old_p.as_ref(), Kind::Dissimilarity, d);
        let at_p = reconstruct(&permuted, &border(&permuted, new_p.as_ref()), Run::on(1)).unwrap();
        for i in 0..new.nrows() {
            same_up_to_signs(at_p.point(i), at.point(i), 1e-9);
        }
        for scale in [1e-66, 1e-3, 1e70] {
            let bigger = |m: &Mat<f64>| Mat::from_fn(m.nrows(), n, |i, j| m[(i, j)] * scale);
            let scaled = fit(bigger(&old).as_ref(), Kind::Dissimilarity, d);
            let at_s =
                reconstruct(&scaled, &border(&scaled, bigger(&new).as_ref()), Run::on(1)).unwrap();
            for i in 0..new.nrows() {
                let back: Vec<f64> = at_s.point(i).iter().map(|v| v / scale).collect();
                same_up_to_signs(&back, at.point(i), 1e-9);
                assert!(at_s.stationarity[i] < 1e-14, "{data} {scale}");
                assert!(at_s.objective[i].is_finite());
            }
        }
    }
}

/// The bits of a newcomer's result do not depend on its batch or on the threads.
#[test]
fn batches_and_threads_do_not_matter() {
    let mut rng = Stream::new(9);
    let all = euclidean(700, 9, &mut rng);
    let (n, k, d) = (530, 170, 5);
    let diagram = fit(all.get(..n, ..n), Kind::Dissimilarity, d);
    let mut new = all.get(n.., ..n).to_owned();
    new[(5, 77)] = f64::NAN;
    let whole = |threads| {
        let newcomers = Block {
            missing: true,
            ..Block::new(new.as_ref())
        };
        Border::new(&diagram, &newcomers, Run::on(threads)).unwrap()
    };
    let (one, three) = (whole(1), whole(3));
    assert_eq!(one, three);
    for i in 0..k {
        let newcomers = Block {
            missing: true,
            ..Block::new(new.get(i..i + 1, ..))
        };
        let alone = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
        assert_eq!(alone.projection(0), one.projection(i));
        assert_eq!(alone.beta[0], one.beta[i]);
        assert_eq!(alone.b_norm_squared[0], one.b_norm_squared[i]);
    }
}

/// Memory layouts and number types give the same placements to rounding.
#[test]
fn layouts_and_types() {
    let mut rng = Stream::new(10);
    let all = euclidean(90, 4, &mut rng);
    let single = Mat::from_fn(90, 90, |i, j| all[(i, j)] as f32);
    let exact = Mat::from_fn(90, 90, |i, j| f64::from(single[(i, j)]));
    let n = 70;
    let diagram = fit(exact.get(..n, ..n), Kind::Dissimilarity, 3);
    let rows: Vec<f64> = (n..90)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|p| exact[p])
        .collect();
    let by_rows = border(&diagram, MatRef::from_row_major_slice(&rows, 20, n));
    let by_columns = border(&diagram, exact.get(n.., ..n));
    let newcomers = Block::new(single.get(n.., ..n));
    let narrow = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
    let p32 =
        Proximities::new(single.get(..n, ..n), Kind::Dissimilarity, None, Run::on(1)).unwrap();
    let fitted32 = Diagram::fit(
        &p32,
        &DiagramSettings {
            dimensions: 3,
            ..Default::default()
        },
        Run::on(1),
    )
    .unwrap();
    for other in [&by_columns, &narrow] {
        for (a, b) in by_rows.projections.iter().zip(&other.projections) {
            assert!((a - b).abs() < 1e-12);
        }
    }
    same_up_to_signs(fitted32.eigenvalues(), diagram.eigenvalues(), 1e-12);
}

/// A newcomer 10⁸ times as far away as the map is wide keeps the digits that its proximities hold.
#[test]
fn far_newcomers_keep_their_digits() {
    let mut rng = Stream::new(12);
    let n = 40;
    let points = Mat::from_fn(n, 2, |_, _| rng.normal());
    let diagram = fit(
        distances(points.as_ref(), points.as_ref()).as_ref(),
        Kind::Dissimilarity,
        2,
    );
    let squared = Mat::from_fn(n, n, |i, j| {
        let terms = (0..2).map(|l| (points[(i, l)] - points[(j, l)]).powi(2));
        terms.sum()
    });
    let by_squares = fit(squared.as_ref(), Kind::Squared, 2);
    let height = 1e8;
    let new = Mat::from_fn(1, n, |_, j| {
        (0..2).map(|l| (0.5 - points[(j, l)]).powi(2)).sum::<f64>() + height
    });
    let near = Mat::from_fn(1, n, |_, j| new[(0, j)] - height);
    let far = border(&by_squares, new.as_ref());
    let close_by = border(&by_squares, near.as_ref());
    for (a, b) in far.projections.iter().zip(&close_by.projections) {
        assert!((a - b).abs() < height * EPS * 10.0, "{a} {b}");
    }
    close(far.beta[0] - height, close_by.beta[0], 1e-6);
    assert_eq!(diagram.dimensions(), 2);
}

/// Where the map shows a newcomer almost perfectly, the objective keeps its digits: it is the sum of
/// squares (paper's (11)) computed entry by entry.
#[test]
fn objectives_do_not_cancel() {
    let mut rng = Stream::new(13);
    let (n, d) = (60, 3);
    // Three long axes and a fourth, a ten-thousandth as long, that the map leaves out.
    let points = Mat::from_fn(n + 4, d + 1, |_, j| {
        rng.normal() * if j < d { 1e3 } else { 0.1 }
    });
    let all = distances(points.as_ref(), points.as_ref());
    let (old, new) = (all.get(..n, ..n).to_owned(), all.get(n.., ..n).to_owned());
    let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
    let border = border(&diagram, new.as_ref());
    let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
    let x = diagram.configuration();
    for i in 0..4 {
        let b = b_of(&squares(&old), &squares(&new), i);
        let y = at.point(i);
        let shown = |j: usize| -> f64 { (0..d).map(|l| x[(j, l)] * y[l]).sum() };
        let rest: f64 = (0..n).map(|j| (shown(j) - b[j]).powi(2)).sum();
        let yy: f64 = y.iter().map(|v| v * v).sum();
        let direct = 2.0 * rest + (yy - border.beta[i]).powi(2);
        let size = border.b_norm_squared[i];
        assert!(direct < 1e-12 * size, "not a hard case: {direct} of {size}");
        assert!(
            (at.objective[i] - direct).abs() < 1e-6 * direct,
            "{} {direct}",
            at.objective[i]
        );
    }
}

/// Reconstruction is never worse than projection or than fifty local searches.
#[test]
fn reconstruction_is_global() {
    let mut rng = Stream::new(21);
    for round in 0..60 {
        let (n, d) = (25, 1 + round % 6);
        let old = match round % 3 {
            0 => bray_curtis(n, &mut rng),
            _ => euclidean(n, 9, &mut rng),
        };
        let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
        let size = old.norm_l2() / n as f64;
        let far = [0.3, 1.0, 3.0, 30.0][round % 4] * size;
        let new = Mat::from_fn(4, n, |_, _| far + 0.3 * size * rng.uniform());
        let border = border(&diagram, new.as_ref());
        let at = reconstruct(&diagram, &border, Run::on(2)).unwrap();
        let from = project(&diagram, &border);
        for i in 0..4 {
            let best = at.objective[i];
            assert!(best <= from.objective[i] * (1.0 + 1e-14));
            assert!(at.margin[i] >= 0.0 && at.stationarity[i] < 1e-13);
            for _ in 0..50 {
                let start: Vec<f64> = (0..d).map(|_| 2.0 * far * rng.normal()).collect();
                let found = descend(&diagram, &border, i, start);
                assert!(found >= best * (1.0 - 1e-12), "{found} below {best}");
            }
        }
    }
}

/// Gradient descent with backtracking, on the objective alone.
fn descend(diagram: &Diagram, border: &Border, i: usize, mut y: Vec<f64>) -> f64 {
    let c = diagram.eigenvalues();
    let mut value = objective(diagram, border, i, &y);
    let mut step = 1.0 / (c[0] + border.beta[i].abs());
    for _ in 0..300 {
        let yy: f64 = y.iter().map(|v| v * v).sum();
        let gradient: Vec<f64> = (0..y.len())
            .map(|j| c[j] * (y[j] - border.projection(i)[j]) + (yy - border.beta[i]) * y[j])
            .collect();
        let next: Vec<f64> = y.iter().zip(&gradient).map(|(y, g)| y - step * g).collect();
        let at = objective(diagram, border, i, &next);
        if at < value {
            (y, value, step) = (next, at, step * 1.5);
        } else {
            step *= 0.3;
        }
    }
    value
}

/// The arc starts at ŷ and ends at y* to the bit, is evenly spaced, stays between the bounds of its
/// length, and each point is the reconstruction for its own β, in hard cases too.
#[test]
fn arcs() {
    let mut rng = Stream::new(31);
    for round in 0..80 {
        let (n, d) = (20, 1 + round % 5);
        let points = Mat::from_fn(n, d + 2, |_, j| rng.normal() / (1.0 + j as f64));
        let old = distances(points.as_ref(), points.as_ref());
        let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
        // The centroid lifted off the map: exactly hard at 0 sideways, nearly hard beside it.
        let sideways = [0.0, 1e-12, 1e-6, 1e-2, 1.0][round % 5];
        let x = diagram.configuration();
        let lift = [0.1, 4.0, 60.0][round % 3];
        let new = Mat::from_fn(1, n, |_, j| {
            let inside: f64 = (0..d).map(|l| (x[(j, l)] - sideways * 0.1).powi(2)).sum();
            (inside + lift + old.row(j).iter().map(|v| v * v).sum::<f64>() / n as f64
                - x.row(j).iter().map(|v| v * v).sum::<f64>())
            .abs()
        });
        let new = Mat::from_fn(1, n, |_, j| new[(0, j)].sqrt());
        let border = border(&diagram, new.as_ref());
        let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
        let from = project(&diagram, &border);
        let points = 33;
        let curve = arc(&diagram, &border, 0, points).unwrap().unwrap();
        assert_eq!(curve.point(0), from.point(0));
        assert_eq!(curve.point(points - 1), at.point(0));
        assert_eq!(
            (curve.lambda[0], curve.lambda[points - 1]),
            (0.0, at.lambda[0])
        );
        let steps: Vec<f64> = (1..points)
            .map(|j| {
                let pairs = curve.point(j).iter().zip(curve.point(j - 1));
                pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            })
            .collect();
        // Chords are never longer than the arc between them, and together nearly as long.
        let even = curve.length / (points - 1) as f64;
        assert!(
            steps
                .iter()
                .all(|s| *s <= even * (1.0 + 1e-9) + f64::EPSILON),
            "{steps:?} {even}"
        );
        assert!(steps.iter().sum::<f64>() > 0.9 * curve.length);
        let ends: Vec<f64> = (0..d)
            .map(|l| (at.point(0)[l] - from.point(0)[l]).abs())
            .collect();
        let two = ends.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!(two <= curve.length * (1.0 + 1e-12) + f64::EPSILON);
        assert!(curve.length <= ends.iter().sum::<f64>() * (1.0 + 1e-9) + 1e-14);
        for j in 1..points - 1 {
            let mut other = border.clone();
            other.beta[0] = curve.beta[j];
            let there = reconstruct(&diagram, &other, Run::on(1)).unwrap();
            // Beside what is a rounding error of the map.
            let size = curve.length + two + 1e-9;
            for l in 0..d {
                // Where the arc turns into the eigenspace its sign is free.
                let off = (there.point(0)[l].abs() - curve.point(j)[l].abs()).abs();
                assert!(
                    off <= 1e-6 * size,
                    "round {round} point {j}: {off} of {size}"
                );
            }
        }
    }
}

/// A newcomer that needs no moving has an arc of equal points.
#[test]
fn arcs_without_length() {
    let old = [0.0, 2.0, 2.0, 0.0];
    let diagram = fit(
        MatRef::from_row_major_slice(&old, 2, 2),
        Kind::Dissimilarity,
        1,
    );
    let border = border(&diagram, MatRef::from_row_major_slice(&[1.0, 1.0], 1, 2));
    let curve = arc(&diagram, &border, 0, 4).unwrap().unwrap();
    assert_eq!(curve.coordinates, vec![curve.coordinates[0]; 4]);
    assert_eq!(curve.length, 0.0);
}

/// Too few known proximities are a status; the others are placed all the same.
#[test]
fn too_few_proximities() {
    let (old, new) = cities();
    let diagram = fit(old.as_ref(), Kind::Dissimilarity, 2);
    let rows = Mat::from_fn(2, 20, |i, j| {
        if i == 0 && j > 1 {
            f64::NAN
        } else {
            new[(0, j)]
        }
    });
    let newcomers = Block {
        missing: true,
        ..Block::new(rows.as_ref())
    };
    let border = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
    let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
    assert_eq!(at.status, [Status::TooFew, Status::Unique]);
    assert!(at.point(0).iter().all(|v| v.is_nan()));
    assert_eq!(border.observed, [2, 20]);
    assert!(arc(&diagram, &border, 0, 5).unwrap().is_none());
}

/// Wrong newcomers, one thing at a time.
#[test]
fn wrong_newcomers_are_named() {
    let (old, new) = cities();
    let diagram = fit(old.as_ref(), Kind::Dissimilarity, 2);
    for (value, missing) in [
        (f64::NAN, false),
        (f64::INFINITY, true),
        (-1.0, true),
        (1e200, true),
    ] {
        let mut new = new.clone();
        new[(0, 7)] = value;
        let newcomers = Block {
            missing,
            ..Block::new(new.as_ref())
        };
        let message = Border::new(&diagram, &newcomers, Run::on(1))
            .unwrap_err()
            .to_string();
        let value = adjoin::number::exact(value);
        assert!(message.starts_with(&format!("found {value} ")), "{message}");
        let place = "between \"new1\" (number 1) and \"8\" (number 8), expected a finite";
        assert!(message.contains(place), "{message}");
    }
    let short = Block::new(new.get(.., ..19));
    let message = Border::new(&diagram, &short, Run::on(1))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "found 19 proximities for each newcomer, expected 20"
    );
    for (weights, start) in [
        (
            vec![1.0; 19],
            "found 19 weights of old objects, expected 20",
        ),
        (vec![-1.0; 20], "found the weight -1 for \"1\" (number 1)"),
        (vec![0.0; 20], "found weights that sum to 0"),
    ] {
        let newcomers = Block {
            weights: Some(&weights),
            ..Block::new(new.as_ref())
        };
        let message = Border::new(&diagram, &newcomers, Run::on(1))
            .unwrap_err()
            .to_string();
        assert!(message.starts_with(start), "{message}");
    }
}
