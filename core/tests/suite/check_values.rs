//! Numbers printed in the paper, or computed by other programs (see `fixtures/README.md`).

use super::common::*;
use adjoin::Border;
use adjoin::fit::centring::Origin;
use adjoin::fit::diagram::{Diagram, DiagramSettings};
use adjoin::input::block::Block;
use adjoin::input::kind::{Correction, Kind};
use adjoin::input::proximities::Proximities;
use adjoin::place::arc::arc;
use adjoin::run::Run;
use adjoin::strategy::placements::Status;
use adjoin::strategy::project::project;
use adjoin::strategy::reconstruct::reconstruct;
use adjoin::strategy::secular::{self, Minimisers};
use faer::{Mat, MatRef};

/// Example 2: b = (20, 20, −20, −20), a hard case with a pair of minimisers.
#[test]
fn example_two() {
    let old = [
        0.0, 100.0, 45.0, 45.0, 100.0, 0.0, 45.0, 45.0, 45.0, 45.0, 0.0, 64.0, 45.0, 45.0, 64.0,
        0.0,
    ];
    let diagram = fit(MatRef::from_row_major_slice(&old, 4, 4), Kind::Squared, 2);
    close(diagram.eigenvalues()[0], 50.0, 1e-14);
    close(diagram.eigenvalues()[1], 32.0, 1e-14);
    close(diagram.summary().eigenvalues[2], 4.0, 1e-13);
    let new = [386.0, 386.0, 457.0, 457.0];
    let border = border(&diagram, MatRef::from_row_major_slice(&new, 1, 4));
    close(border.beta[0], 400.0, 1e-15);
    close(border.b_norm_squared[0], 1600.0, 1e-15);
    let at = project(&diagram, &border);
    assert!(at.point(0).iter().all(|v| v.abs() < 1e-13));
    close(at.objective[0], 163200.0, 1e-14);
    let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
    close(at.lambda[0], -32.0, 1e-14);
    assert!(at.point(0)[0].abs() < 1e-13);
    close(at.point(0)[1], 368f64.sqrt(), 1e-14);
    close(at.objective[0], 27776.0, 1e-14);
    assert_eq!(at.status, [Status::Pair]);
    close(at.alternatives[0].1[1], -368f64.sqrt(), 1e-14);
}

/// Newcomers straight above a square, a triangle, simplices and a long cross: equally far from all old objects of the last axes, where b is
/// what was lost of larger numbers. They are as far from the centroid as they should be, and it is said that all directions are as good.
#[test]
fn straight_above_everybody() {
    let corners = |count: usize| {
        let turn = 2.0 * std::f64::consts::PI / count as f64;
        let quarter = std::f64::consts::FRAC_PI_2;
        Mat::from_fn(count, 2, |i, j| {
            (i as f64 * turn - j as f64 * quarter).cos()
        })
    };
    let simplex = |n: usize| Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) / 2f64.sqrt());
    let mut cases = vec![];
    for (points, d) in [
        (corners(3), 2),
        (corners(4), 2),
        (simplex(32), 22),
        (simplex(38), 33),
    ] {
        for far in [2.0, 3.3, 9.1, 81.0] {
            cases.push((distances(points.as_ref(), points.as_ref()), d, far));
        }
    }
    for (old, d, far) in cases {
        let n = old.nrows();
        let diagram = fit(old.as_ref(), Kind::Dissimilarity, d);
        let new = Mat::from_fn(1, n, |_, _| far);
        let border = border(&diagram, new.as_ref());
        let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
        let c = diagram.eigenvalues()[d - 1];
        let length: f64 = at.point(0).iter().map(|v| v * v).sum();
        close(length, border.beta[0] - c, 1e-10);
        assert!(
            at.stationarity[0] < 1e-13,
            "{n} {far}: {:e}",
            at.stationarity[0]
        );
        assert_eq!(at.status, [Status::Sphere], "{n} {d} {far}");
    }
    let cross = [[1000.0, 0.0, 0.0], [0.0, 1.0 + 1e-8, 0.0], [0.0, 0.0, 1.0]];
    let points = Mat::from_fn(6, 3, |i, j| {
        if i % 2 == 0 {
            cross[i / 2][j]
        } else {
            -cross[i / 2][j]
        }
    });
    let squares = |a: &Mat<f64>| {
        let all = distances(a.as_ref(), points.as_ref());
        Mat::from_fn(all.nrows(), 6, |i, j| all[(i, j)] * all[(i, j)])
    };
    let diagram = fit(squares(&points).as_ref(), Kind::Squared, 3);
    let new = squares(&Mat::from_fn(1, 3, |_, j| if j == 1 { 2e-10 } else { 0.0 }));
    let new = Mat::from_fn(1, 6, |i, j| new[(i, j)] + 100.0);
    let at = reconstruct(&diagram, &border(&diagram, new.as_ref()), Run::on(1)).unwrap();
    // By BFGS from (0, 0, ±10): 396.00.
    assert!(
        (at.objective[0] - 396.0).abs() < 0.01,
        "{}",
        at.objective[0]
    );
    assert!(at.status[0] != Status::Unique && at.stationarity[0] < 1e-9);
}

/// Example 1 in one dimension: reconstruct gives ±√79, project 0.
#[test]
fn example_one() {
    let old = [0.0, 2.0, 2.0, 0.0];
    let diagram = fit(
        MatRef::from_row_major_slice(&old, 2, 2),
        Kind::Dissimilarity,
        1,
    );
    let new = [82f64.sqrt(), 82f64.sqrt()];
    let border = border(&diagram, MatRef::from_row_major_slice(&new, 1, 2));
    let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
    close(at.point(0)[0], 79f64.sqrt(), 1e-14);
    assert_eq!(at.status, [Status::Pair]);
    assert!(project(&diagram, &border).point(0)[0].abs() < 1e-14);
}

/// Vienna on the map of the other twenty cities, complete and without Athens, from two origins and
/// with both corrections.
#[test]
fn vienna() {
    let fixture = fixture("eurodist");
    let (old, new) = cities();
    let proximities =
        Proximities::new(old.as_ref(), Kind::Dissimilarity, None, Run::on(1)).unwrap();
    let plain = DiagramSettings {
        dimensions: 2,
        ..Default::default()
    };
    let mut without = new.clone();
    without[(0, 0)] = f64::NAN;
    let constant = |name: &str| number(&fixture[name]["constant"]);
    let cases = [
        ("vienna", plain.clone(), &new),
        ("athens_missing", plain.clone(), &without),
        (
            "origin_athens",
            DiagramSettings {
                origin: Origin::Object(0),
                ..plain.clone()
            },
            &new,
        ),
        (
            "lingoes",
            DiagramSettings {
                correction: Correction::Lingoes(constant("lingoes")),
                ..plain.clone()
            },
            &new,
        ),
        (
            "cailliez",
            DiagramSettings {
                correction: Correction::Cailliez(constant("cailliez")),
                ..plain.clone()
            },
            &new,
        ),
    ];
    for (name, settings, new) in cases {
        let expected = &fixture[name];
        let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
        if !expected["sigma2"].is_null() {
            same_up_to_signs(diagram.eigenvalues(), &numbers(&expected["sigma2"]), 1e-12);
        }
        let newcomers = Block {
            missing: true,
            ..Block::new(new.as_ref())
        };
        let border = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
        close(border.beta[0], number(&expected["beta"]), 1e-12);
        close(border.b_norm_squared[0], number(&expected["b2"]), 1e-12);
        same_up_to_signs(
            border.projection(0),
            &numbers(&expected["projected"]),
            1e-10,
        );
        let at = reconstruct(&diagram, &border, Run::on(1)).unwrap();
        same_up_to_signs(at.point(0), &numbers(&expected["reconstructed"]), 1e-9);
        close(at.lambda[0], number(&expected["lambda"]), 1e-7);
        close(at.objective[0], number(&expected["objective"]), 1e-11);
        assert!(at.margin[0] > 0.0 && at.stationarity[0] < 1e-14);
        assert_eq!(at.status, [Status::Unique]);
    }
}

/// The arc of Vienna: its length, and five points evenly along it.
#[test]
fn vienna_along_the_arc() {
    let expected = &fixture("eurodist")["vienna"];
    let (old, new) = cities();
    let diagram = fit(old.as_ref(), Kind::Dissimilarity, 2);
    let border = border(&diagram, new.as_ref());
    close(border.residual(0), 333295.40915, 1e-9);
    close(
        project(&diagram, &border).objective[0],
        616865510716.06,
        1e-13,
    );
    let curve = arc(&diagram, &border, 0, 5).unwrap().unwrap();
    close(curve.length, number(&expected["arc_length"]), 1e-9);
    for (j, point) in expected["arc"].as_array().unwrap().iter().enumerate() {
        same_up_to_signs(curve.point(j), &numbers(&point["y"]), 1e-9);
        let lambda = number(&point["lambda"]);
        assert!((curve.lambda[j] - lambda).abs() <= 1e-5 * 301436.0, "{j}");
    }
}

/// 300 problems solved with sixty digits: hard, nearly hard, at every scale.
#[test]
fn secular_problems_solved_with_sixty_digits() {
    for problem in fixture("secular")["problems"].as_array().unwrap() {
        let (c, g) = (numbers(&problem["c"]), numbers(&problem["g"]));
        let (beta, b2) = (number(&problem["beta"]), number(&problem["b2"]));
        let expected = numbers(&problem["y"]);
        let mut y = vec![0.0; c.len()];
        let root = secular::solve(&c, &g, beta, 1, b2.sqrt(), &mut y);
        let size = expected.iter().map(|v| v * v).sum::<f64>().sqrt();
        let c_max = c.iter().fold(0.0, |m: f64, v| m.max(*v));
        let scale = c_max.max(beta.abs()).max(size * size);
        assert!(
            secular::stationarity(&c, &g, beta, &y) < 64.0 * f64::EPSILON,
            "{problem}"
        );
        assert!(
            (root.margin - number(&problem["mu"])).abs() <= 1e-14 * scale,
            "{root:?} {problem}"
        );
        let status = match root.minimisers {
            Minimisers::Unique => "unique",
            Minimisers::Pair => "pair",
            Minimisers::Sphere(_) => "sphere",
        };
        let given = problem["status"].as_str().unwrap();
        // Near the hard case the sign on the flattest axis is all that rounding may change.
        if given == status && status == "unique" && number(&problem["mu"]) > 1e-6 * c_max {
            for (y, e) in y.iter().zip(&expected) {
                assert!(
                    (y - e).abs() <= 1e-13 * (size + c_max.sqrt()),
                    "{y} {problem}"
                );
            }
        }
    }
}

/// Missing and weighted proximities, for several origins and both kinds, as NumPy solves them.
#[test]
fn missing_and_weighted() {
    let mut negative = 0;
    for case in fixture("missing")["instances"].as_array().unwrap() {
        let kind = Kind::from_word(case["kind"].as_str().unwrap()).unwrap();
        let old = matrix(&case["proximities"]);
        let w = numbers(&case["w"]);
        let proximities = Proximities::new(old.as_ref(), kind, None, Run::on(1)).unwrap();
        let d = case["d"].as_u64().unwrap() as usize;
        let settings = DiagramSettings {
            dimensions: d,
            origin: match case["origin"].as_str().unwrap() {
                "mean" => Origin::Centroid,
                _ => Origin::Weights(w),
            },
            ..Default::default()
        };
        let diagram = Diagram::fit(&proximities, &settings, Run::on(1)).unwrap();
        let new = numbers(&case["new"]);
        let itself = [number(case.get("self_similarity").unwrap_or(&0.into()))];
        let weights = numbers(&case["weights"]);
        let newcomers = Block {
            self_similarity: Some(&itself),
            weights: Some(&weights),
            missing: true,
            ..Block::new(MatRef::from_row_major_slice(&new, 1, new.len()))
        };
        let border = Border::new(&diagram, &newcomers, Run::on(1)).unwrap();
        same_up_to_signs(border.projection(0), &numbers(&case["projected"]), 1e-9);
        close(border.beta[0], number(&case["beta"]), 1e-9);
        close(border.b_norm_squared[0], number(&case["b2_imputed"]), 1e-9);
        // Counted in full, the observed b of some of these are together shorter than what is shown of them.
        let shown = diagram.form(border.projection(0));
        negative += usize::from(number(&case["b2"]) < shown);
        close(border.b_norm_squared[0], shown + border.outside[0], 1e-9);
        assert!(border.outside[0] >= 0.0);
    }
    assert!(negative > 0);
}
