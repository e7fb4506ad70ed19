//! Any scale is right or refused: an answer at 2^k times the lengths is the answer, scaled, bit for bit; or the question is an
//! error. Never a status, and never a proof on numbers that overflowed or vanished.

use adjoin::fit::centring::Origin;
use adjoin::random::Stream;
use adjoin::settings::{Axes, Correcting};
use adjoin::{
    Between, Border, Entries, Error, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings,
    Placements, Run, Square, Strategy, place_on_configuration,
};
use faer::Mat;

use super::common::{bray_curtis, distances};

/// What is asked of a map, in the caller's numbers.
struct Question {
    kind: Kind,
    correction: Correcting,
    origin: Origin,
    old: Mat<f64>,
    new: Mat<f64>,
    between: Mat<f64>,
    itself: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

fn questions() -> Vec<Question> {
    let mut rng = Stream::new(41);
    let mut all = Vec::new();
    // More objects than the bands and tiles have rows, without what takes long.
    for (n, variants, corrections) in [(14, 4, true), (70, 1, false)] {
        all.extend(questions_of(n, variants, corrections, &mut rng));
    }
    all
}

fn questions_of(n: usize, variants: usize, corrected: bool, rng: &mut Stream) -> Vec<Question> {
    let k = 4;
    let points = Mat::from_fn(n + k, 5, |_, j| rng.normal() / (1.0 + j as f64));
    let euclidean = distances(points.as_ref(), points.as_ref());
    let counts = bray_curtis(n + k, rng);
    let mut all = Vec::new();
    for (kind, correction, source) in [
        (Kind::Dissimilarity, Correcting::None, &euclidean),
        (Kind::Dissimilarity, Correcting::None, &counts),
        (Kind::Dissimilarity, Correcting::Lingoes, &counts),
        (Kind::Dissimilarity, Correcting::Cailliez, &counts),
        (Kind::Squared, Correcting::None, &euclidean),
        (Kind::Squared, Correcting::Lingoes, &counts),
        (Kind::Similarity, Correcting::None, &euclidean),
    ] {
        if correction != Correcting::None && !corrected {
            continue;
        }
        let entry = |i: usize, j: usize| match kind {
            Kind::Dissimilarity => source[(i, j)],
            Kind::Squared => source[(i, j)].powi(2),
            Kind::Similarity => (-source[(i, j)].powi(2)).exp(),
        };
        for variant in 0..variants {
            // Holes, weights and another origin, one at a time.
            let origin = if variant == 3 && correction == Correcting::None {
                Origin::Object(2)
            } else {
                Origin::Centroid
            };
            let hole = |i: usize, j: usize| variant == 1 && (i + 3 * j).is_multiple_of(7);
            all.push(Question {
                kind,
                correction,
                origin,
                old: Mat::from_fn(n, n, entry),
                new: Mat::from_fn(k, n, |i, j| {
                    if hole(i, j) {
                        f64::NAN
                    } else {
                        entry(n + i, j)
                    }
                }),
                between: Mat::from_fn(k, k, |i, j| entry(n + i, n + j)),
                itself: (kind == Kind::Similarity).then(|| vec![1.0; k]),
                weights: (variant == 2).then(|| (0..n).map(|j| 1.0 + (j % 3) as f64).collect()),
            });
        }
    }
    all
}

/// A number with the power of the length that it is.
type Number = (f64, i32);

fn of_placements(p: &Placements) -> Vec<Number> {
    let objective = match p.strategy {
        Strategy::Hyperplane | Strategy::Stress => 2,
        _ => 4,
    };
    let mut numbers = Vec::new();
    for (values, power) in [
        (&p.coordinates, 1),
        (&p.lambda, 2),
        (&p.objective, objective),
        (&p.residual, 2),
        (&p.share, 0),
        (&p.displacement, 1),
        (&p.relative_stress, 0),
        (&p.stationarity, 0),
        (&p.margin, 2),
        (&p.jump, 1),
        (&p.stretch, 0),
        (&p.gap, 0),
    ] {
        numbers.extend(values.iter().map(|v| (*v, power)));
    }
    numbers.extend(p.status.iter().map(|s| (*s as usize as f64, 0)));
    for (_, y) in &p.alternatives {
        numbers.extend(y.iter().map(|v| (*v, 1)));
    }
    numbers
}

fn of_border(b: &Border) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (values, power) in [
        (&b.projections, 1),
        (&b.beta, 2),
        (&b.b_norm_squared, 4),
        (&b.outside, 4),
        (&b.means, 2),
        (&b.nearest, 2),
    ] {
        numbers.extend(values.iter().map(|v| (*v, power)));
    }
    numbers
}

/// Every strategy, jointly, the arc and the comparison, at 2^k times the lengths.
fn ask(question: &Question, k: i32) -> Result<Vec<Number>, Error> {
    let by = match question.kind {
        Kind::Dissimilarity => k,
        Kind::Squared | Kind::Similarity => 2 * k,
    };
    // In two steps, as 2^by may be no number where the product is one.
    let scaled = |v: f64| v * 2f64.powi(by / 2) * 2f64.powi(by - by / 2);
    let each = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| scaled(m[(i, j)]));
    let (old, new, between) = (
        each(&question.old),
        each(&question.new),
        each(&question.between),
    );
    let itself: Option<Vec<f64>> = question
        .itself
        .as_ref()
        .map(|s| s.iter().map(|v| scaled(*v)).collect());
    let settings = FitSettings {
        axes: Axes::Count(2),
        origin: question.origin.clone(),
        correction: question.correction,
        ..Default::default()
    };
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: question.kind,
        labels: None,
        made_of: None,
    };
    let run = Run::on(1);
    let map = Map::fit(Objects::Square(square), &settings, run)?.map;
    let newcomers = Newcomers {
        self_similarity: itself.as_deref(),
        weights: question.weights.as_deref(),
        missing: true,
        ..Newcomers::new(new.as_ref())
    };
    let mut numbers: Vec<Number> = Vec::new();
    numbers.extend(map.diagram().eigenvalues().iter().map(|v| (*v, 2)));
    let left_out = map.diagram().leave_one_out();
    numbers.extend(left_out.residuals.iter().map(|v| (*v, 2)));
    numbers.extend(left_out.places.iter().map(|v| (*v, 1)));
    for strategy in Strategy::ALL {
        let settings = PlaceSettings::by(strategy);
        match map.place(&newcomers, &settings, run) {
            Ok((border, placements)) => {
                numbers.extend(of_border(&border));
                numbers.extend(of_placements(&placements));
            }
            // Not for this origin or kind, at any scale.
            Err(Error::NotOffered { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let given = Between::Given(between.as_ref());
    let (border, jointly) = map.jointly(&newcomers, given, run)?;
    numbers.extend(of_placements(&jointly.placements));
    numbers.push((f64::from(u8::from(jointly.certified)), 0));
    numbers.push((jointly.lower_bound.unwrap_or(f64::NAN), 4));
    for i in 0..new.nrows() {
        if let Some(arc) = map.arc(&border, i, 5)? {
            numbers.extend(arc.coordinates.iter().map(|v| (*v, 1)));
            numbers.extend(arc.lambda.iter().map(|v| (*v, 2)));
        }
    }
    let (_, comparison) = map.compare(&newcomers, None, run)?;
    for (placements, errors) in comparison
        .placements
        .iter()
        .zip(&comparison.distance_errors)
    {
        numbers.extend(of_placements(placements));
        numbers.extend(errors.iter().map(|v| (*v, 1)));
    }
    for placements in &comparison.placements {
        numbers.extend(placements.p.iter().map(|v| (*v, 0)));
    }
    if question.kind == Kind::Dissimilarity {
        let x = map.configuration();
        let alone = place_on_configuration(
            x,
            map.labels(),
            &newcomers,
            &PlaceSettings::by(Strategy::Stress),
            run,
        )?;
        numbers.extend(of_placements(&alone));
    }
    Ok(numbers)
}

/// Equal bit for bit after scaling.
fn same(found: &[Number], expected: &[Number], k: i32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what} 2^{k}");
    for (at, ((a, power), (b, _))) in found.iter().zip(expected).enumerate() {
        let half = power * k / 2;
        let b = b * 2f64.powi(half) * 2f64.powi(power * k - half);
        let equal = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan() || *a == 0.0 && b == 0.0;
        assert!(
            equal,
            "{what} 2^{k}, number {at} (power {power}): {a:e} instead of {b:e}"
        );
    }
}

/// From the smallest to the largest numbers that there are.
#[test]
fn every_scale_is_right_or_refused() {
    let scales = (-1070..1030).step_by(37).chain((-230..260).step_by(7));
    let scales: Vec<i32> = scales
        .chain([-500, -253, -1, 1, 243, 247, 255, 500])
        .collect();
    for (q, question) in questions().iter().enumerate() {
        let what = format!(
            "question {q}, {:?} {:?}",
            question.kind, question.correction
        );
        let plain = ask(question, 0).unwrap();
        let (mut answered, mut refused) = (0, 0);
        for &k in &scales {
            match ask(question, k) {
                Ok(found) => {
                    same(&found, &plain, k, &what);
                    answered += 1;
                }
                Err(error) => {
                    assert!(!(-220..240).contains(&k), "{what} 2^{k}: {error}");
                    refused += 1;
                }
            }
        }
        assert!(
            answered > 60 && refused > 40,
            "{what}: {answered} {refused}"
        );
    }
}

fn roads() -> (Mat<f64>, Mat<f64>) {
    super::common::cities()
}

fn placed(old: &Mat<f64>, new: &Mat<f64>) -> Result<Placements, Error> {
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Dissimilarity,
        labels: None,
        made_of: None,
    };
    let map = Map::fit(Objects::Square(square), &FitSettings::default(), Run::on(1))?.map;
    let settings = PlaceSettings::by(Strategy::Reconstruct);
    let (_, placements) = map.place(&Newcomers::new(new.as_ref()), &settings, Run::on(1))?;
    Ok(placements)
}

/// Roads in units in which nothing can be computed are an error that says so, and so is a newcomer out of all proportion.
#[test]
fn what_cannot_be_computed_is_an_error() {
    let (old, new) = roads();
    let times = |m: &Mat<f64>, by: f64| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * by);
    assert!(placed(&old, &new).is_ok());
    for by in [1e-300, 1e-120, 1e77, 1e150, 1e300] {
        let error = placed(&times(&old, by), &times(&new, by)).unwrap_err();
        assert!(
            matches!(error, Error::Scale { object: None, .. }),
            "{error:?}"
        );
        let words = error.to_string();
        assert!(
            words.contains("choose another unit") && words.len() < 150,
            "{words}"
        );
    }
    for by in [1e40, 1e100, 1e160, 1e300] {
        let error = placed(&old, &times(&new, by)).unwrap_err();
        assert!(error.to_string().ends_with("in the map's unit?"), "{error}");
        assert_eq!(error.row(), Some(0));
    }
}
