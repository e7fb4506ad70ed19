//! The number of axes: the profile likelihood by another program, and `auto` on maps whose dimension is known.

use super::common;

use super::common::{close, fixture, number, numbers};
use adjoin::Run;
use adjoin::fit::diagram::DiagramSettings;
use adjoin::fit::dimension::{auto, dimensions};
use adjoin::fit::summary::Summary;
use adjoin::input::proximities::Proximities;
use adjoin::random::Stream;
use adjoin::settings::Solver;
use adjoin::{Diagram, Kind};
use faer::Mat;

/// Every split's likelihood, and the elbow, as SciPy's normal density has them.
#[test]
fn the_profile_likelihood_is_zhu_and_ghodsis() {
    for case in fixture("methods")["profile"].as_array().unwrap() {
        let summary = Summary {
            eigenvalues: numbers(&case["eigenvalues"]),
            complete: true,
            ..Default::default()
        };
        let answer = dimensions(&summary, 13);
        for (found, expected) in answer.likelihood.iter().zip(numbers(&case["likelihood"])) {
            close(*found, expected, 1e-12);
        }
        assert_eq!(answer.by_likelihood, number(&case["elbow"]) as usize);
    }
}

/// Three long axes among many short ones are found, with all eigenvalues known and with the first fifty, whoever is asked to find them.
#[test]
fn auto_finds_the_elbow() {
    let mut rng = Stream::new(51);
    for (n, solver) in [
        (120, Solver::Auto),
        (300, Solver::Iterative),
        (1500, Solver::Auto),
    ] {
        let values = Mat::from_fn(n, 30, |_, j| rng.normal() * if j < 3 { 6.0 } else { 1.0 });
        let square = common::distances(values.as_ref(), values.as_ref());
        let proximities =
            Proximities::new(square.as_ref(), Kind::Dissimilarity, None, Run::on(2)).unwrap();
        let mut asked = Vec::new();
        let diagram = auto(
            n,
            |dimensions| {
                asked.push(dimensions);
                let settings = DiagramSettings {
                    dimensions,
                    solver,
                    ..Default::default()
                };
                Diagram::fit(&proximities, &settings, Run::on(2))
            },
            |d| d.summary(),
        )
        .unwrap();
        assert_eq!(diagram.dimensions(), 3, "{asked:?}");
    }
}
