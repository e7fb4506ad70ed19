//! Data flows one way: no folder of the core uses one that comes after it.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, each of which may use those before it. A file at the top of `src` is a layer's too; `lib.rs` is above all.
const LAYERS: [&[&str]; 10] = [
    &[
        "error", "isa", "labels", "memory", "number", "prefetch", "random", "rounding", "run",
        "dense",
    ],
    &["input"],
    &["measure"],
    &["fit"],
    &["border"],
    &["strategy"],
    &["graph", "place", "variables"],
    &["evidence"],
    &["map"],
    &["method"],
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
}

/// The modules that a source names as `crate::module`, without those it names in comments or in its tests.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for line in lines {
        for after in line.split("crate::").skip(1) {
            let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            found.push(after[..end.unwrap_or(after.len())].to_owned());
        }
    }
    found
}

/// Every module is in a layer, and uses only its own layer and those before.
#[test]
fn no_folder_uses_one_below_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&src, &mut all);
    assert!(all.len() > 50, "the sources were not found");
    let mut wrong = Vec::new();
    for path in all {
        let inside = path.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str();
        let own = Path::new(first).file_stem().unwrap().to_str().unwrap();
        if own == "lib" {
            continue;
        }
        let Some(at) = layer(own) else {
            wrong.push(format!("{} is in no layer", inside.display()));
            continue;
        };
        for name in used(&fs::read_to_string(&path).unwrap()) {
            match layer(&name) {
                Some(below) if below > at => {
                    wrong.push(format!("{} uses {name}", inside.display()));
                }
                Some(_) => {}
                None => wrong.push(format!(
                    "{} uses {name}, which is in no layer",
                    inside.display()
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the test above would miss is found: it reads `use` lines and paths in code, and nothing in comments.
#[test]
fn uses_are_found() {
    let text = "use crate::map::Map;\n// crate::no\nlet x = crate::fit::spectrum::eigen();\n#[cfg(test)]\nuse crate::zzz;";
    assert_eq!(used(text), ["map", "fit"]);
    assert!(layer("method") > layer("map") && layer("nothing").is_none());
}
