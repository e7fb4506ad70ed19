//! What else is known of the objects, column by column, as a page colours, shapes, sizes and filters by it.

use std::collections::{HashMap, HashSet};

use adjoin_formats::Metadata;
use adjoin_look::{Column, Group, Kind, palette};
use faer::MatRef;
use serde_json::{Value, json};

use crate::encode::Elements;

/// Bytes that metadata may take in a page; further columns are left out, and named.
const MOST_BYTES: usize = 4 << 20;

/// Labels of rows that match nothing, named in the page.
const NAMED: usize = 20;

/// No value: the last code.
const NOTHING: u16 = u16::MAX;

/// Axes of a map up to which the spread of its groups is in the page.
const MOST_AXES: usize = 12;

/// Puts columns into a page, for the old objects and then the newcomers. `x` is where the old objects are: the centre and
/// the spread of each class is that of its old objects, with which newcomers are compared.
pub(crate) fn put(
    metadata: &Metadata,
    old: &[String],
    new: &[String],
    x: MatRef<'_, f64>,
    elements: &mut Elements,
) -> Value {
    let labels = metadata.labels.iter().map(String::as_str);
    let rows: HashMap<&str, usize> = labels.zip(0..).collect();
    let objects = old.iter().chain(new);
    let places: Vec<Option<usize>> = objects
        .map(|label| rows.get(label.as_str()).copied())
        .collect();
    let known: HashSet<&str> = old.iter().chain(new).map(String::as_str).collect();
    let strange = |label: &&String| !known.contains(label.as_str());
    let strangers: Vec<&String> = metadata.labels.iter().filter(strange).collect();

    let (mut columns, mut left_out, mut constant, mut bytes) = (vec![], vec![], vec![], 0);
    for (number, (name, cells)) in metadata.columns.iter().enumerate() {
        let cell = |place: &Option<usize>| place.and_then(|row| cells[row].as_deref());
        let column = Column::read(places.iter().map(cell));
        if !column.varies() {
            // Nothing can be told by it; what it says is kept in a word.
            constant.push(json!([name, column.words.first()]));
            continue;
        }
        let width = if column.words.is_empty() { 4 } else { 2 };
        let words: usize = column.words.iter().map(|w| w.len() + 3).sum();
        let size = (places.len() * width + words) * 4 / 3;
        if bytes + size > MOST_BYTES || column.words.len() >= NOTHING as usize {
            left_out.push(name);
            continue;
        }
        bytes += size;
        columns.push(put_column(number, name, &column, old.len(), x, elements));
    }
    json!({
        "source": metadata.source,
        "columns": columns,
        "constant": constant,
        "left_out": left_out,
        "without": places.iter().filter(|p| p.is_none()).count(),
        "strangers": strangers.len(),
        "stranger_names": strangers.iter().take(NAMED).collect::<Vec<_>>(),
    })
}

fn put_column(
    number: usize,
    name: &str,
    column: &Column,
    old: usize,
    x: MatRef<'_, f64>,
    elements: &mut Elements,
) -> Value {
    let id = format!("metadata-{number}");
    if column.words.is_empty() {
        elements.singles(&id, column.numbers.iter().copied());
    } else {
        let codes = column.codes.iter();
        elements.codes(&id, codes.map(|c| c.map_or(NOTHING, |c| c as u16)));
    }
    // As many groups as have a colour of their own.
    let shown = palette(&adjoin_look::look().classes.light, column.words.len()).len();
    let groups = column.words.len().min(shown);
    let spread = column.kind != Kind::Names && groups > 0 && x.ncols() <= MOST_AXES;
    if spread {
        let point = |i: usize| x.row(i).iter().copied().collect();
        let all = Group::all(&column.codes[..old], groups, x.ncols(), point);
        let counts = all.iter().map(|g| g.count as u32);
        elements.indices(&format!("{id}-count"), counts);
        let means = all.iter().flat_map(|g| g.mean.iter().copied());
        elements.singles(&format!("{id}-mean"), means);
        let covariances = all.iter().flat_map(|g| g.covariance.iter().copied());
        elements.singles(&format!("{id}-covariance"), covariances);
    }
    json!({
        "name": name,
        "id": id,
        "kind": column.kind.word(),
        "groups": Some(&column.words).filter(|w| !w.is_empty()),
        "spread": spread,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    fn cells(text: &str) -> Vec<Option<String>> {
        let cell = |w: &str| (w != "-").then(|| w.to_owned());
        text.split(' ').map(cell).collect()
    }

    #[test]
    fn rows_that_match_nothing_are_named_and_constants_are_not_offered() {
        let metadata = Metadata {
            labels: ["a", "stranger", "b"].map(String::from).to_vec(),
            columns: vec![
                ("group".into(), cells("x y z")),
                ("site".into(), cells("here there here")),
            ],
            source: "f".into(),
        };
        let words = |w: &[&str]| w.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let x = mat![[1.0], [-1.0]];
        let mut elements = Elements::default();
        let (old, new) = (words(&["a", "b"]), words(&["c"]));
        let value = put(&metadata, &old, &new, x.as_ref(), &mut elements);
        assert_eq!(value["strangers"], 1);
        assert_eq!(value["stranger_names"][0], "stranger");
        assert_eq!(value["without"], 1);
        assert_eq!(value["columns"][0]["groups"], json!(["x", "z"]));
        assert_eq!(value["columns"][0]["kind"], "classes");
        assert_eq!(value["constant"], json!([["site", "here"]]));
        assert!(elements.into_html().contains("metadata-0-mean"));
    }
}
