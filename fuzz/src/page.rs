//! Pages: whatever objects are called, nothing but data is in the page, and it comes back as it was.

use std::collections::HashSet;

use adjoin::{Entries, FitSettings, Kind, Map, Newcomers, Objects, Run, Square, Strategy};
use adjoin_formats::{MapFile, Metadata};
use adjoin_page::{Arrived, Page};
use arbitrary::Unstructured;
use faer::Mat;
use serde_json::Value;

use crate::memory::{allowed, within};

/// Old objects and newcomers of every page.
const OLD: usize = 4;
const NEW: usize = 2;

/// Labels and metadata of any text.
pub fn page(data: &[u8]) {
    let Ok(words) = words(&mut Unstructured::new(data)) else {
        return;
    };
    within(allowed(data.len()), || {
        let html = made(&words);
        let harmless: Vec<String> = (0..words.len()).map(|i| format!("w{i}")).collect();
        let twin = made(&harmless);
        // Elements of data are counted apart: a column that says the same of all objects makes none.
        let data = "<script type=\"application/";
        for mark in [
            "<script", "</script", "<!--", "<img", "<svg", "<iframe", "<title",
        ] {
            let count = |html: &str| {
                let all = html.to_ascii_lowercase().matches(mark).count();
                let own = html.matches(data).count();
                if mark.contains("script") {
                    all - own
                } else {
                    all
                }
            };
            assert_eq!(count(&html), count(&twin), "{mark} in {words:?}");
        }
        let begin = "<script type=\"application/json\" id=\"words\">";
        let json = html.split_once(begin).expect("the words").1;
        let json = json.split_once("</script>").expect("their end").0;
        let back: Value = serde_json::from_str(json).expect("JSON");
        let texts = |value: &Value| -> Vec<String> {
            let all = value.as_array().expect("labels").iter();
            all.map(|v| v.as_str().expect("text").to_owned()).collect()
        };
        assert_eq!(texts(&back["labels"]), words[..OLD]);
        assert_eq!(texts(&back["newcomers"]["labels"]), words[OLD..OLD + NEW]);
        assert_eq!(back["title"], words[OLD + NEW]);
    });
}

/// Labels, each once; a title; names and cells of metadata.
fn words(u: &mut Unstructured<'_>) -> arbitrary::Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    while all.len() < OLD + NEW + 8 {
        let text: String = u.arbitrary::<&str>()?.chars().take(300).collect();
        let mut word = text.clone();
        while all.len() < OLD + NEW && !seen.insert(word.clone()) {
            word = format!("{text}{}", seen.len());
        }
        all.push(word);
    }
    Ok(all)
}

fn made(words: &[String]) -> String {
    let at = [
        [0.0, 0.0],
        [3.0, 0.0],
        [0.0, 2.0],
        [4.0, 4.0],
        [1.0, 1.0],
        [9.0, -1.0],
    ];
    let distance = |i: usize, j: usize| f64::hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]);
    let old = Mat::from_fn(OLD, OLD, distance);
    let square = Square {
        entries: Entries::Doubles(old.as_ref()),
        kind: Kind::Dissimilarity,
        labels: Some(words[..OLD].to_vec()),
        made_of: None,
    };
    let run = Run::on(1);
    let fitted = Map::fit(Objects::Square(square), &FitSettings::default(), run);
    let file = MapFile {
        map: fitted.expect("four points").map,
        settings: Default::default(),
        provenance: None,
        version: "0".into(),
    };
    let new = Mat::from_fn(NEW, OLD, |i, j| distance(OLD + i, j));
    let labels = &words[OLD..OLD + NEW];
    let newcomers = Newcomers {
        labels: Some(labels),
        ..Newcomers::new(new.as_ref())
    };
    let arrived = Arrived::read(&file.map, Strategy::Reconstruct, &newcomers, None, run);
    let column = |name: usize, cell: usize| {
        let cells = (0..OLD + NEW).map(|i| Some(words[OLD + NEW + 3 + (i + cell) % 5].clone()));
        (words[OLD + NEW + name].clone(), cells.collect())
    };
    let metadata = Metadata {
        labels: words[..OLD + NEW].to_vec(),
        columns: vec![column(1, 0), column(2, 1)],
        source: words[OLD + NEW].clone(),
    };
    Page {
        title: &words[OLD + NEW],
        file: &file,
        arrived: Some(&arrived.expect("two newcomers")),
        metadata: Some(&metadata),
        sources: &[],
        flip: &[],
        variables: None,
    }
    .html()
}
