//! What else is known of the objects, column by column, as a page colours and shapes by it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use adjoin_formats::Metadata;
use serde_json::{Value, json};

use crate::encode::Elements;

/// Bytes that metadata may take in a page; further columns are left out, and named.
const MOST_BYTES: usize = 4 << 20;

/// A column of whole numbers with no more different ones than this is one of groups; a page has as many colours.
const FEW: usize = 8;

/// Labels of rows that match nothing, named in the page.
const NAMED: usize = 20;

/// No value: the last code.
const NOTHING: u16 = u16::MAX;

/// Puts columns into a page, for the old objects and then the newcomers.
pub(crate) fn put(
    metadata: &Metadata,
    old: &[String],
    new: &[String],
    elements: &mut Elements,
) -> Value {
    let rows: HashMap<&str, usize> = metadata
        .labels
        .iter()
        .map(String::as_str)
        .zip(0..)
        .collect();
    let places: Vec<Option<usize>> = old
        .iter()
        .chain(new)
        .map(|label| rows.get(label.as_str()).copied())
        .collect();
    let known: HashSet<&str> = old.iter().chain(new).map(String::as_str).collect();
    let strangers: Vec<&String> = metadata
        .labels
        .iter()
        .filter(|l| !known.contains(l.as_str()))
        .collect();

    let (mut columns, mut left_out, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (number, (name, cells)) in metadata.columns.iter().enumerate() {
        let cell = |place: &Option<usize>| place.and_then(|row| cells[row].as_deref());
        let numbers = numbers(cells);
        let width = if numbers.is_some() { 4 } else { 2 };
        let distinct = distinct(places.iter().map(cell));
        let words: usize = distinct.iter().map(|w| w.len() + 3).sum();
        let size = (places.len() * width + words) * 4 / 3;
        if bytes + size > MOST_BYTES || distinct.len() >= NOTHING as usize {
            left_out.push(name);
            continue;
        }
        bytes += size;
        let id = format!("metadata-{number}");
        match numbers {
            Some(numbers) => {
                let value = |place: &Option<usize>| place.map_or(f64::NAN, |row| numbers[row]);
                elements.singles(&id, places.iter().map(value));
                columns.push(json!({ "name": name, "id": id, "groups": null }));
            }
            None => {
                let code: HashMap<&str, u16> = distinct.iter().copied().zip(0..).collect();
                let codes = places
                    .iter()
                    .map(|place| cell(place).map_or(NOTHING, |word| code[word]));
                elements.codes(&id, codes);
                columns.push(json!({ "name": name, "id": id, "groups": distinct }));
            }
        }
    }
    json!({
        "source": metadata.source,
        "columns": columns,
        "left_out": left_out,
        "without": places.iter().filter(|p| p.is_none()).count(),
        "strangers": strangers.len(),
        "stranger_names": strangers.iter().take(NAMED).collect::<Vec<_>>(),
    })
}

/// The numbers of a column, if it is one of numbers that are more than names of groups.
fn numbers(cells: &[Option<String>]) -> Option<Vec<f64>> {
    let mut different = HashSet::new();
    let mut whole = true;
    let mut numbers = Vec::with_capacity(cells.len());
    for cell in cells {
        numbers.push(match cell {
            None => f64::NAN,
            Some(text) => {
                let number: f64 = text.parse().ok().filter(|v: &f64| v.is_finite())?;
                different.insert(number.to_bits());
                whole &= number.fract() == 0.0;
                number
            }
        });
    }
    let groups = whole && different.len() <= FEW;
    (!groups && !different.is_empty()).then_some(numbers)
}

/// The words of a column, the most frequent first if they are many.
fn distinct<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> Vec<&'a str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in cells.flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    // Few groups all have a colour and stand in their own order.
    let few = words.len() <= FEW;
    words.sort_by(|a, b| {
        let count = if few { Ordering::Equal } else { b.1.cmp(&a.1) };
        count.then(a.0.cmp(b.0))
    });
    words.into_iter().map(|w| w.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Option<String>> {
        let cell = |w: &str| (w != "-").then(|| w.to_owned());
        text.split(' ').map(cell).collect()
    }

    #[test]
    fn numbers_and_groups_are_told_apart() {
        assert!(numbers(&cells("1.5 2 - 7e3")).is_some());
        assert!(numbers(&cells("1 2 1 2 3")).is_none());
        assert!(numbers(&cells("1 2 3 4 5 6 7 8 9")).is_some());
        assert!(numbers(&cells("1.5 north")).is_none());
        assert!(numbers(&cells("- -")).is_none());
        assert!(numbers(&cells("1.5 inf")).is_none());
    }

    #[test]
    fn rows_that_match_nothing_are_named() {
        let metadata = Metadata {
            labels: vec!["a".into(), "stranger".into()],
            columns: vec![("group".into(), cells("x y"))],
            source: "f".into(),
        };
        let words = |w: &str| vec![w.to_owned()];
        let value = put(
            &metadata,
            &words("a"),
            &words("b"),
            &mut Elements::default(),
        );
        assert_eq!(value["strangers"], 1);
        assert_eq!(value["stranger_names"][0], "stranger");
        assert_eq!(value["without"], 1);
        assert_eq!(value["columns"][0]["groups"], json!(["x"]));
    }
}
