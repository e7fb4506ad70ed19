//! Metrics and kernels: equal to other programs', symmetric, the same in any block, refused outside their domain.

use super::common;

use super::common::{fixture, number};
use adjoin::Run;
use adjoin::error::Error;
use adjoin::input::features::Features;
use adjoin::input::kind::Kind;
use adjoin::input::rows::{Rows, collect};
use adjoin::measure::{Kernel, Measure, Measured, Metric, Parameters};
use adjoin::random::Stream;
use serde_json::Value;

/// Relative to the largest of the answers: rounding in sums of up to forty terms, here and there.
const TOLERANCE: f64 = 2e-14;

fn measure(answer: &Value) -> Measure {
    let given = |name: &str| answer["parameters"].get(name).map(number);
    let parameters = Parameters {
        power: given("power"),
        gamma: given("gamma"),
        degree: given("degree"),
        coef0: given("coef0"),
    };
    let word = answer["word"].as_str().unwrap();
    match answer["kind"].as_str().unwrap() {
        "metric" => Measure::metric(word, &parameters).unwrap(),
        _ => Measure::kernel(word, &parameters).unwrap(),
    }
}

fn features(rows: &[Vec<f64>]) -> Features {
    let q = rows[0].len();
    Features::new(rows.concat(), q, None, None).unwrap()
}

fn rows_of(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().unwrap().iter().map(common::numbers).collect()
}

/// All measures between `old` and `new`: square, rows, self-similarities, between.
fn agrees(name: &str, measure: Measure, old: &[Vec<f64>], new: &[Vec<f64>], expected: &[Vec<f64>]) {
    let n = old.len();
    let measured = Measured::new(measure, features(old)).unwrap();
    let square = measured.square(Run::on(1)).unwrap();
    let newcomers = features(new);
    let against = measured.against(&newcomers).unwrap();
    let cross = collect(&against, Run::on(1)).unwrap();
    let found: Vec<f64> = square.iter().chain(&cross).copied().collect();
    let size = expected
        .concat()
        .iter()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    // Cosines and correlations of near duplicates: their digits are lost by the other program.
    let size = match measure {
        Measure::Metric(Metric::Cosine | Metric::Correlation) => 1.0,
        _ => size,
    };
    for (at, (f, e)) in found.iter().zip(expected.concat()).enumerate() {
        let error = (f - e).abs();
        assert!(
            error <= TOLERANCE * size,
            "{name}, {}: found {f}, expected {e} at ({}, {})",
            measure.word(),
            at / n,
            at % n
        );
    }
    for i in 0..n {
        for j in 0..i {
            assert_eq!(square[i * n + j], square[j * n + i]);
        }
        if measure.kind() != Kind::Similarity {
            assert_eq!(square[i * n + i], 0.0);
        }
    }
    let between = against.between(Run::on(1)).unwrap();
    let own = against.self_similarity();
    assert_eq!(own.is_some(), measure.kind() == Kind::Similarity);
    for (i, own) in own.into_iter().flatten().enumerate() {
        assert_eq!(between[i * new.len() + i], own);
    }
}

/// Every measure of numbers is what SciPy, scikit-learn, scikit-bio or its definition says.
#[test]
fn measures_are_those_of_other_programs() {
    let mut seen = std::collections::BTreeSet::new();
    for problem in fixture("measures")["problems"].as_array().unwrap() {
        let n = problem["n"].as_u64().unwrap() as usize;
        let objects = rows_of(&problem["objects"]);
        let (old, new) = objects.split_at(n);
        for answer in problem["answers"].as_array().unwrap() {
            let measure = measure(answer);
            let name = problem["name"].as_str().unwrap();
            agrees(name, measure, old, new, &rows_of(&answer["values"]));
            seen.insert((measure.kind() == Kind::Similarity, measure.word()));
        }
    }
    // None was forgotten but those of texts.
    assert_eq!(
        seen.len(),
        Metric::WORDS.len() - 2 + Kernel::WORDS.len(),
        "{seen:?}"
    );
}

/// Near duplicates keep their digits one by one, not only beside the largest.
#[test]
fn near_duplicates_keep_their_digits() {
    let all = fixture("measures");
    let problems = all["problems"].as_array().unwrap();
    let near = problems.iter().find(|p| p["name"] == "near duplicates");
    let near = near.unwrap();
    let objects = rows_of(&near["objects"]);
    for answer in near["answers"].as_array().unwrap() {
        if !["euclidean", "sqeuclidean", "cityblock"].contains(&answer["word"].as_str().unwrap()) {
            continue;
        }
        let measured = Measured::new(measure(answer), features(&objects)).unwrap();
        let found = measured.square(Run::on(1)).unwrap();
        for (i, row) in rows_of(&answer["values"]).iter().enumerate() {
            for (j, e) in row.iter().enumerate() {
                assert!((found[i * objects.len() + j] - e).abs() <= 4.0 * f64::EPSILON * e);
            }
        }
    }
}

/// Texts: what jellyfish says, accents and long texts included.
#[test]
fn texts_are_compared_by_characters() {
    let all = fixture("measures");
    let n = all["texts"]["n"].as_u64().unwrap() as usize;
    let objects = all["texts"]["objects"].as_array().unwrap();
    let objects: Vec<String> = objects.iter().map(|t| t.as_str().unwrap().into()).collect();
    let (old, new) = objects.split_at(n);
    for word in ["levenshtein", "jaro-winkler"] {
        let measure = Measure::metric(word, &Parameters::default()).unwrap();
        let old = Features::texts(old.to_vec(), None).unwrap();
        let new = Features::texts(new.to_vec(), None).unwrap();
        let measured = Measured::new(measure, old).unwrap();
        let mut found = measured.square(Run::on(2)).unwrap();
        let against = measured.against(&new).unwrap();
        found.extend(collect(&against, Run::on(1)).unwrap());
        let expected = rows_of(&all["texts"][word]).concat();
        for (f, e) in found.iter().zip(&expected) {
            assert!((f - e).abs() <= 1e-15, "{word}: {f} {e}");
        }
        assert_eq!(found.len(), expected.len());
    }
}

fn every() -> Vec<Measure> {
    let none = Parameters::default();
    let metrics = Metric::WORDS.iter().map(|w| Measure::metric(w, &none));
    let kernels = Kernel::WORDS.iter().map(|w| Measure::kernel(w, &none));
    let odd = [1.5, 2.25].map(|power| {
        let power = Some(power);
        Measure::metric("minkowski", &Parameters { power, ..none })
    });
    let all = metrics.chain(kernels).chain(odd).map(Result::unwrap);
    all.filter(|m| !m.of_texts()).collect()
}

/// Objects that are in every domain but those of sets, or in theirs.
fn objects(measure: &Measure, count: usize, q: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = Stream::new(seed);
    let sets = matches!(measure, Measure::Metric(Metric::Jaccard | Metric::Dice));
    let mut number = || {
        if sets {
            f64::from(rng.uniform() > 0.0)
        } else {
            rng.uniform() + 1.5
        }
    };
    (0..count)
        .map(|_| (0..q).map(|_| number()).collect())
        .collect()
}

/// A proximity is the same bits whether it is one of a square, a block, a row, or alone.
#[test]
fn blocks_do_not_change_a_bit() {
    for measure in every() {
        for (n, q) in [(37, 3), (70, 5), (35, 300)] {
            let old = objects(&measure, n, q, 1);
            let new = objects(&measure, 13, q, 2);
            let together = features(&[old.clone(), new.clone()].concat());
            let measured = Measured::new(measure, together).unwrap();
            let square = measured.square(Run::on(3)).unwrap();
            let total = n + new.len();

            let part = Measured::new(measure, features(&old)).unwrap();
            let newcomers = features(&new);
            let against = part.against(&newcomers).unwrap();
            let whole = collect(&against, Run::on(2)).unwrap();
            let mut row = vec![0.0; n];
            for i in 0..new.len() {
                against.fill(i..i + 1, &mut row).unwrap();
                assert_eq!(row, whole[i * n..(i + 1) * n], "{}", measure.word());
                let in_square = &square[(n + i) * total..(n + i) * total + n];
                assert_eq!(row, in_square, "{}", measure.word());
            }
            let mut block = vec![0.0; 9 * n];
            against.fill(2..11, &mut block).unwrap();
            assert_eq!(block, whole[2 * n..11 * n]);

            let single = Measured::new(measure, features(&old[5..6])).unwrap();
            let alone = single.against(&newcomers).unwrap();
            alone.fill(4..5, &mut row[..1]).unwrap();
            assert_eq!(row[0], whole[4 * n + 5], "{}", measure.word());

            let itself = collect(&measured.itself(), Run::on(1)).unwrap();
            assert_eq!(itself, square, "{}", measure.word());
            let between = against.between(Run::on(1)).unwrap();
            for i in 0..new.len() {
                let at = (n + i) * total + n;
                assert_eq!(
                    between[i * new.len()..(i + 1) * new.len()],
                    square[at..at + new.len()]
                );
            }
        }
    }
}

/// Many features are summed in stretches, which must come to the plain sum.
#[test]
fn stretches_add_up() {
    for q in [255, 256, 257, 600] {
        let measure = Measure::Metric(Metric::SquaredEuclidean);
        let rows = objects(&measure, 2, q, 7);
        let found = Measured::new(measure, features(&rows)).unwrap();
        let found = found.square(Run::on(1)).unwrap()[1];
        let pairs = rows[0].iter().zip(&rows[1]);
        let plain: f64 = pairs.map(|(u, v)| (u - v) * (u - v)).sum();
        assert!((found - plain).abs() <= q as f64 * f64::EPSILON * plain);
        let largest = Measure::Metric(Metric::Chebyshev);
        let found = Measured::new(largest, features(&rows)).unwrap();
        let pairs = rows[0].iter().zip(&rows[1]);
        let plain = pairs.fold(0.0, |m: f64, (u, v)| m.max((u - v).abs()));
        assert_eq!(found.square(Run::on(1)).unwrap()[1], plain);
    }
}

/// What is said of three objects that a measure does not compare.
fn refusal(word: &str, kernel: bool, rows: [[f64; 3]; 3]) -> String {
    let none = Parameters::default();
    let measure = if kernel {
        Measure::kernel(word, &none)
    } else {
        Measure::metric(word, &none)
    };
    let labels = ["Ann", "Bob", "Cid"].map(String::from).to_vec();
    let names = ["x", "y", "z"].map(String::from).to_vec();
    let features = Features::new(rows.concat(), 3, Some(labels), Some(names)).unwrap();
    let measured = Measured::new(measure.unwrap(), features);
    let answer = measured.and_then(|m| m.square(Run::on(1)));
    let error = answer.unwrap_err();
    assert!(matches!(error.row(), Some(0 | 1)), "{error}");
    error.to_string()
}

/// Each domain is kept, and what is outside it is named by object and feature.
#[test]
fn what_is_outside_the_domain_is_named() {
    let right = [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    let with = |row: [f64; 3]| [right[0], row, right[2]];
    for word in ["braycurtis", "tanimoto", "ruzicka"] {
        assert_eq!(
            refusal(word, false, with([1.0, -2.0, 0.0])),
            format!(
                "found -2 as feature \"y\" of \"Bob\" (number 2), expected a number of at least 0 ({word})"
            )
        );
    }
    for word in ["tanimoto", "minmax"] {
        let said = refusal(word, true, with([1.0, -2.0, 0.0]));
        assert!(said.contains(&format!("at least 0 ({word})")), "{said}");
    }
    let said = refusal("jaccard", false, with([1.0, 2.0, 0.0]));
    assert!(said.starts_with("found 2 as feature \"y\" of \"Bob\" (number 2), expected 0 or 1"));
    let said = refusal("aitchison", false, [[1.0; 3], [1.0, 0.0, 2.0], [1.0; 3]]);
    assert!(
        said.starts_with("found 0 as feature \"y\" of \"Bob\" (number 2), expected a positive")
    );
    for kernel in [false, true] {
        assert_eq!(
            refusal("cosine", kernel, with([0.0; 3])),
            "found features that are all 0 for \"Bob\" (number 2), expected one that is not: 0/0 has no \
             cosine"
        );
    }
    assert_eq!(
        refusal("correlation", false, with([0.1; 3])),
        "found features that are all alike for \"Bob\" (number 2), expected some that differ: 0/0 has no \
         correlation"
    );
    assert_eq!(
        refusal("braycurtis", false, [[0.0; 3], [0.0; 3], right[2]]),
        "found features that are all 0, as those of \"Ann\" (number 1) are, for \"Bob\" (number 2), expected \
         one that is not: 0/0 has no Bray–Curtis dissimilarity"
    );
    let said = refusal("euclidean", false, [[1e200; 3], [-1e200; 3], right[2]]);
    assert_eq!(
        said,
        "found inf between \"Ann\" (number 1) and \"Bob\" (number 2), expected a finite dissimilarity of at \
         least 0"
    );
}

/// An empty object is fine for Bray–Curtis as long as it meets no other, old or new.
#[test]
fn one_empty_object_is_no_fault() {
    let measure = Measure::Metric(Metric::BrayCurtis);
    let measured = Measured::new(measure, features(&[vec![0.0, 0.0], vec![1.0, 2.0]])).unwrap();
    assert_eq!(measured.square(Run::on(1)).unwrap(), [0.0, 1.0, 1.0, 0.0]);
    let rows = collect(&measured.itself(), Run::on(1)).unwrap();
    assert_eq!(rows, [0.0, 1.0, 1.0, 0.0]);
    let empty = features(&[vec![3.0, 1.0], vec![0.0, 0.0]]);
    let error = measured.against(&empty).unwrap_err();
    assert_eq!(error.row(), Some(1));
    assert!(error.to_string().contains("as those of \"1\" (number 1)"));
}

/// Texts for numbers and numbers for texts are refused.
#[test]
fn texts_and_numbers_are_told_apart() {
    let none = Parameters::default();
    let texts = Features::texts(vec!["a".into(), "b".into()], None).unwrap();
    let error = Measured::new(Measure::metric("euclidean", &none).unwrap(), texts.clone());
    assert_eq!(
        error.unwrap_err().to_string(),
        "found texts, expected numbers, which euclidean compares"
    );
    let numbers = features(&[vec![1.0], vec![2.0]]);
    let words = Measure::metric("levenshtein", &none).unwrap();
    let error = Measured::new(words, numbers.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found numbers, expected texts, which levenshtein compares"
    );
    let measured = Measured::new(words, texts).unwrap();
    assert!(measured.against(&numbers).is_err());
}

/// The other names of SciPy and scikit-learn mean the same; parameters are for those that have them.
#[test]
fn words_and_parameters() {
    let none = Parameters::default();
    for (word, meant) in [
        ("manhattan", "cityblock"),
        ("l1", "cityblock"),
        ("l2", "euclidean"),
        ("squared_euclidean", "sqeuclidean"),
        ("Bray-Curtis", "braycurtis"),
        ("Jaro-Winkler", "jaro-winkler"),
    ] {
        assert_eq!(Measure::metric(word, &none).unwrap().word(), meant);
    }
    let kernel = Measure::kernel("polynomial", &none).unwrap();
    assert_eq!(kernel.word(), "poly");
    for word in Metric::WORDS {
        let metric = Measure::metric(word, &none).unwrap();
        let again = Measure::metric(metric.word(), &metric.parameters()).unwrap();
        assert_eq!((metric, metric.word()), (again, word));
    }
    for word in Kernel::WORDS {
        let kernel = Measure::kernel(word, &none).unwrap();
        let again = Measure::kernel(kernel.word(), &kernel.parameters()).unwrap();
        assert_eq!((kernel, kernel.word()), (again, word));
    }
    let said = |answer: Result<Measure, Error>| answer.unwrap_err().to_string();
    assert!(said(Measure::metric("euclid3", &none)).starts_with("found no metric \"euclid3\""));
    assert!(said(Measure::kernel("euclidean", &none)).starts_with("found no kernel \"euclidean\""));
    let gamma = |g| Parameters {
        gamma: Some(g),
        ..none
    };
    assert_eq!(
        said(Measure::kernel("linear", &gamma(1.0))),
        "found gamma 1 beside linear, expected no such parameter: linear has none"
    );
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = said(Measure::kernel("rbf", &gamma(bad)));
        assert_eq!(
            text,
            format!("found gamma {bad}, expected a positive number")
        );
    }
    let infinite = Parameters {
        power: Some(f64::INFINITY),
        ..none
    };
    let limit = Measure::metric("minkowski", &infinite).unwrap();
    assert_eq!(limit.word(), "chebyshev");
}
