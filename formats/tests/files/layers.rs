use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// No module uses one that comes after it in the order that the head of the crate states.
#[test]
fn no_module_uses_one_that_comes_after_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let lib = text("lib.rs");
    // The order stands in a block of text: a name for some modules, two blanks or more, and those modules.
    let block = lib.split("```text\n").nth(1).unwrap();
    let block = block.split("//! ```").next().unwrap();
    let lines = block.lines().filter_map(|line| line.rsplit_once("  "));
    let order: Vec<&str> = lines
        .flat_map(|(_, modules)| modules.split(", "))
        .map(str::trim)
        .collect();
    let place: HashMap<&str, usize> = order.iter().copied().zip(0..).collect();
    let declared = lib.lines().filter_map(|line| line.strip_prefix("mod "));
    let mut declared: Vec<&str> = declared.map(|m| m.trim_end_matches(';')).collect();
    declared.sort_unstable();
    let mut stated = order.clone();
    stated.sort_unstable();
    assert_eq!(stated, declared, "the order in lib.rs has each module once");

    for &module in &order {
        let files = if folder.join(format!("{module}.rs")).exists() {
            vec![format!("{module}.rs")]
        } else {
            let inside = fs::read_dir(folder.join(module)).unwrap();
            let names = inside.map(|f| f.unwrap().file_name().into_string().unwrap());
            names.map(|name| format!("{module}/{name}")).collect()
        };
        for file in files {
            for used in uses(&text(&file)) {
                let (Some(here), Some(there)) = (place.get(module), place.get(used.as_str()))
                else {
                    panic!("{file} uses {used}, which is no module of this crate");
                };
                assert!(
                    there <= here,
                    "{file} uses {used}, which comes after {module}"
                );
            }
        }
    }
}

/// The modules after `crate::` in a file, but for comments: `crate::cell::value` and `crate::{npy, table}`.
fn uses(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n");
    let mut used = Vec::new();
    for after in code.split("crate::").skip(1) {
        let names = match after.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or(""),
            None => after.split(|c: char| !is_word(c)).next().unwrap_or(""),
        };
        let each = names.split(',').map(|name| {
            let word = name.trim().split("::").next().unwrap_or("");
            word.split(|c: char| !is_word(c))
                .next()
                .unwrap_or("")
                .to_owned()
        });
        used.extend(each.filter(|word| !word.is_empty()));
    }
    used
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
