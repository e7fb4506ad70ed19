//! Variables on a map: beside vegan's envfit and scikit-bio's pcoa_biplot, and what must hold for any data.

use crate::Variables;
use crate::random::Stream;
use faer::Mat;

/// vegan's lichen pastures: numbers by name, then sites with three coordinates and the soil variables.
struct Pastures {
    eigenvalues: Vec<f64>,
    r2: Vec<f64>,
    p: Vec<f64>,
    arrows: Vec<Vec<f64>>,
    x: Mat<f64>,
    values: Mat<f64>,
}

fn pastures() -> Pastures {
    let text = include_str!("../fixtures/variables.tsv");
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let own = text.lines().map(|l| l.split('\t').collect::<Vec<_>>());
        let own = own.filter(|cells| cells[0].trim_end_matches(char::is_numeric) == name);
        own.map(|cells| cells[1..].iter().map(|c| c.parse().unwrap()).collect())
            .collect()
    };
    let sites = rows("site");
    let one = |name: &str| rows(name).remove(0);
    let r2 = text.lines().find_map(|l| l.strip_prefix("r2\t")).unwrap();
    Pastures {
        eigenvalues: one("eigenvalues"),
        r2: r2.split('\t').map(|c| c.parse().unwrap()).collect(),
        p: one("p"),
        arrows: rows("arrow"),
        x: Mat::from_fn(sites.len(), 3, |i, j| sites[i][j]),
        values: Mat::from_fn(sites.len(), sites[0].len() - 3, |i, j| sites[i][3 + j]),
    }
}

#[test]
fn vectors_are_those_of_vegan() {
    let known = pastures();
    let fitted = Variables::fit(
        known.x.as_ref(),
        &known.eigenvalues,
        known.values.as_ref(),
        9999,
    );
    assert_eq!(fitted.count(), 14);
    for j in 0..fitted.count() {
        assert!((fitted.r2[j] - known.r2[j]).abs() < 1e-12, "{j}");
        for axis in 0..3 {
            let (ours, theirs) = (fitted.directions[j * 3 + axis], known.arrows[axis][j]);
            assert!((ours - theirs).abs() < 1e-11, "{j} {axis}: {ours} {theirs}");
        }
        // Other permutations of the same number: five standard errors of the difference of two proportions.
        let p = known.p[j];
        let slack = 5.0 * (2.0 * p * (1.0 - p) / 9999.0).sqrt() + 2e-4;
        assert!((fitted.p[j] - p).abs() < slack, "{j}: {} {p}", fitted.p[j]);
    }
    assert_eq!(fitted.strongest()[0], 6, "aluminium fits best");
}

#[test]
fn biplot_is_that_of_scikit_bio() {
    let known = pastures();
    let fitted = Variables::fit(
        known.x.as_ref(),
        &known.eigenvalues,
        known.values.as_ref(),
        0,
    );
    for (j, line) in include_str!("../fixtures/biplot.tsv").lines().enumerate() {
        let theirs: Vec<f64> = line
            .split('\t')
            .skip(1)
            .map(|c| c.parse().unwrap())
            .collect();
        for (ours, theirs) in fitted.biplot[j * 3..].iter().zip(theirs) {
            assert!(
                (ours - theirs).abs() <= 1e-10 * theirs.abs(),
                "{j}: {ours} {theirs}"
            );
        }
    }
    assert!(fitted.p[0].is_nan());
}

#[test]
fn an_axis_is_explained_by_itself_and_a_constant_by_nothing() {
    let mut stream = Stream::new(3);
    let x = Mat::from_fn(30, 2, |_, _| stream.normal());
    let values = Mat::from_fn(30, 4, |i, j| match j {
        0 => 7.0 + 1e-3 * x[(i, 1)],
        1 => 5.0,
        2 if i % 5 == 0 => f64::NAN,
        2 => x[(i, 0)] - x[(i, 1)],
        _ => stream.normal(),
    });
    let fitted = Variables::fit(x.as_ref(), &[1.0, 1.0], values.as_ref(), 99);
    assert!((fitted.r2[0] - 1.0).abs() < 1e-9 && (fitted.directions[1] - 1.0).abs() < 1e-9);
    assert!(fitted.r2[1].is_nan() && fitted.p[1].is_nan());
    // What is not known is left out, and the rest decides.
    assert!((fitted.r2[2] - 1.0).abs() < 1e-9);
    assert!((fitted.directions[4] + fitted.directions[5]).abs() < 1e-9);
    assert_eq!(fitted.p[0], 0.01);
    assert!(fitted.r2[3] < 0.5);
    assert_eq!(fitted.strongest().len(), 3);
    // The same permutations every time.
    let again = Variables::fit(x.as_ref(), &[1.0, 1.0], values.as_ref(), 99);
    assert_eq!(again.p[3], fitted.p[3]);
}
