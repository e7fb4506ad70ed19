//! What a fit or a placement is told: lists of words and numbers as the core's settings.

use std::collections::BTreeMap;

use adjoin::measure::{Measure, Parameters};
use adjoin::settings::{Axes, Correcting, Linking, Origin};
use adjoin::{FitSettings, Kind, PlaceSettings, Strategy};
use adjoin_formats::{Numbers, nearest_label};

use crate::failure::{Failure, core, file};
use crate::value::Entries;

/// Everything about a fit that is not about its objects; `labels` are theirs, if they have any.
pub fn fit(given: &Entries, labels: Option<&[String]>) -> Result<FitSettings, Failure> {
    Ok(FitSettings {
        axes: axes(given)?,
        correction: correction(given)?,
        origin: origin(given, labels)?,
        link: link(given)?,
        force: given.flag("force"),
        ..FitSettings::default()
    })
}

fn axes(given: &Entries) -> Result<Axes, Failure> {
    if let Some(count) = given.count("k") {
        return Ok(Axes::Count(count));
    }
    match given.text("k").as_deref() {
        Some("auto") => Ok(Axes::Auto),
        Some("all") => Ok(Axes::All),
        Some(word) => Err(unknown("k", word, "a number, auto or all")),
        None => Ok(Axes::default()),
    }
}

/// A correction that is to be fitted.
fn correction(given: &Entries) -> Result<Correcting, Failure> {
    let Some(word) = given.text("correction") else {
        return Ok(Correcting::None);
    };
    let words = Correcting::ALL.map(Correcting::word).join(", ");
    Correcting::from_word(&word)
        .ok_or_else(|| unknown("correction", &word, &format!("one of {words}")))
}

/// From dissimilarities to the distances of given coordinates.
fn link(given: &Entries) -> Result<Linking, Failure> {
    let Some(word) = given.text("link") else {
        return Ok(Linking::None);
    };
    let words = Linking::ALL.map(Linking::word).join(", ");
    Linking::from_word(&word).ok_or_else(|| unknown("link", &word, &format!("one of {words}")))
}

/// An object by its name or by its position, or weights by name or by position.
fn origin(given: &Entries, labels: Option<&[String]>) -> Result<Origin, Failure> {
    let own = labels.unwrap_or(&[]);
    if let Some(label) = given.text("origin") {
        let place = own.iter().position(|l| *l == label);
        return place.map(Origin::Object).ok_or_else(|| {
            let near = nearest_label(&label, own.iter());
            unknown(
                "origin",
                &label,
                &format!("the name of an old object{near}"),
            )
        });
    }
    if let Some(place) = given.count("origin_at") {
        return Ok(Origin::Object(place.wrapping_sub(1)));
    }
    let Some(numbers) = listed(given, "weights", "origin")? else {
        return Ok(Origin::Centroid);
    };
    Ok(Origin::Weights(match (labels, &numbers.labels) {
        (Some(labels), Some(_)) => numbers.in_order(labels).map_err(file)?,
        (None, Some(_)) => return Err(Failure::wrong("origin", NAMES_OF_NOBODY)),
        (_, None) => numbers.values,
    }))
}

/// What is wrong with names of old objects that have none.
pub const NAMES_OF_NOBODY: &str =
    "found names, expected numbers by position: the old objects have no names";

/// Numbers by name or by position, as if read from a file called `argument`.
pub fn listed(given: &Entries, name: &str, argument: &str) -> Result<Option<Numbers>, Failure> {
    let Some(inner) = given.within(name) else {
        return Ok(None);
    };
    let values = inner.numbers("values").unwrap_or_default();
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let what = format!(
            "found {} at position {}, expected finite numbers",
            values[at],
            at + 1
        );
        return Err(Failure::wrong(argument, what));
    }
    Ok(Some(Numbers {
        labels: inner.texts("names"),
        lines: vec![0; values.len()],
        values,
        source: argument.to_owned(),
    }))
}

/// What proximities are.
pub fn kind(given: &Entries) -> Result<Kind, Failure> {
    let word = given.text("kind").unwrap_or_default();
    let all = [Kind::Dissimilarity, Kind::Squared, Kind::Similarity];
    let found = all.into_iter().find(|kind| kind.word() == word);
    let words = all.map(Kind::word).join(", ");
    found.ok_or_else(|| unknown("kind", &word, &format!("one of {words}")))
}

/// A metric or a kernel with its parameters, if there is one.
pub fn measure(given: &Entries) -> Result<Option<Measure>, Failure> {
    let parameters = Parameters {
        power: given.number("power"),
        gamma: given.number("gamma"),
        degree: given.number("degree"),
        coef0: given.number("coef0"),
    };
    if let Some(word) = given.text("kernel") {
        let kernel = Measure::kernel(&word, &parameters);
        return kernel.map(Some).map_err(|e| Failure::wrong("kernel", e));
    }
    match given.text("metric") {
        None => Ok(None),
        Some(word) => Measure::metric(&word, &parameters)
            .map(Some)
            .map_err(|e| Failure::wrong("metric", e)),
    }
}

/// How newcomers are placed.
pub fn place(given: &Entries) -> Result<PlaceSettings, Failure> {
    let how = PlaceSettings {
        recentre: given.flag("recentre"),
        scaled: given.flag("scaled"),
        prove: given.flag("prove"),
        ..PlaceSettings::by(strategy(given)?)
    };
    how.check().map_err(core("strategy"))?;
    Ok(how)
}

/// By which strategy.
pub fn strategy(given: &Entries) -> Result<Strategy, Failure> {
    strategy_of(&given.text("strategy").unwrap_or_default())
}

/// The strategy of a word.
pub fn strategy_of(word: &str) -> Result<Strategy, Failure> {
    let words = Strategy::ALL.map(Strategy::word).join(", ");
    Strategy::from_word(word).ok_or_else(|| unknown("strategy", word, &format!("one of {words}")))
}

/// What was said, for the map to keep, in the words of the command line.
pub fn words(given: &Entries) -> BTreeMap<String, String> {
    let number = |name: &str| given.number(name).map(|v| v.to_string());
    let said = [
        ("dimensions", number("k").or(given.text("k"))),
        ("origin", given.text("origin").or(number("origin_at"))),
        ("metric", given.text("metric")),
        ("kernel", given.text("kernel")),
        ("power", number("power")),
        ("gamma", number("gamma")),
        ("degree", number("degree")),
        ("coef0", number("coef0")),
        ("link", given.text("link")),
        ("made_of", given.text("made_of")),
    ];
    let kept = said.into_iter();
    kept.filter_map(|(name, value)| value.map(|v| (name.to_owned(), v)))
        .collect()
}

fn unknown(argument: &str, word: &str, expected: &str) -> Failure {
    Failure::wrong(argument, format!("found {word:?}, expected {expected}"))
}
