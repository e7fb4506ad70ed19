use std::process::Command;

use crate::run::Folder;

/// Every `adjoin …` line of the README's shell blocks runs, in order, in one folder.
#[test]
fn commands_of_the_readme() {
    let readme = include_str!("../../../README.md");
    let folder = Folder::new();
    let mut shell = false;
    let mut count = 0;
    for line in readme.lines() {
        match line {
            "```sh" => shell = true,
            "```" => shell = false,
            _ if shell && line.starts_with("adjoin ") => {
                let command = line.replacen("adjoin", env!("CARGO_BIN_EXE_adjoin"), 1);
                let output = Command::new("sh")
                    .args(["-c", &command])
                    .current_dir(folder.root())
                    .output()
                    .unwrap();
                let err = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{line}: {err}");
                count += 1;
            }
            _ => {}
        }
    }
    assert!(count >= 8, "only {count} commands found");
}

/// The table that the README shows is what the demo prints.
#[test]
fn demo_of_the_readme() {
    let readme = include_str!("../../../README.md");
    let folder = Folder::new();
    let printed = folder.run("demo").out;
    let block = readme.split("```text\n").nth(1).unwrap();
    let shown: Vec<&str> = block.split("```").next().unwrap().lines().collect();
    assert!(shown.len() >= 4);
    for line in shown {
        assert!(printed.contains(line), "{line}\nis not in\n{printed}");
    }
}

/// Every shell block of the tutorial runs as it stands, in order, in one empty folder.
#[test]
fn commands_of_the_tutorial() {
    all_blocks(include_str!("../../../docs/tutorial.md"), 10);
}

/// And so do those of the page on the families.
#[test]
fn commands_of_the_families() {
    all_blocks(include_str!("../../../docs/families.md"), 7);
}

/// Those of the page on nonmetric maps, on the map that R's `metaMDS` made of the dune meadows; four plots of it come again as
/// newcomers, a little farther from everybody.
#[test]
fn commands_of_the_nonmetric_page() {
    let fixture = include_str!("../../../core/tests/fixtures/nonmetric.json");
    let json: serde_json::Value = serde_json::from_str(fixture).unwrap();
    let case = &json["cases"][0];
    let (points, delta) = (case["points"].as_array().unwrap(), &case["delta"]);
    let n = points.len();
    let at = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => delta[i * (i - 1) / 2 + j].as_f64().unwrap(),
        std::cmp::Ordering::Less => delta[j * (j - 1) / 2 + i].as_f64().unwrap(),
    };
    // As write.csv writes them.
    let header: String = (1..=n).map(|j| format!(",\"{j}\"")).collect();
    let row = |name: String, i: usize, more: f64| {
        let cells: String = (0..n).map(|j| format!(",{}", at(i, j) + more)).collect();
        format!("\"{name}\"{cells}\n")
    };
    let old: String = (0..n).map(|i| row((i + 1).to_string(), i, 0.0)).collect();
    let new: String = (0..4)
        .map(|i| row(format!("new{i}"), 4 * i, 0.01))
        .collect();
    let places: String = (0..n)
        .map(|i| format!("\"{}\",{},{}\n", i + 1, points[i][0], points[i][1]))
        .collect();
    let folder = Folder::new();
    folder.write("bray.csv", format!("\"\"{header}\n{old}"));
    folder.write("new.csv", format!("\"\"{header}\n{new}"));
    folder.write("nmds.csv", format!("\"\",\"MDS1\",\"MDS2\"\n{places}"));
    run_blocks(&folder, include_str!("../../../docs/nonmetric.md"), 1);
    for name in ["nmds.adjoin", "placed.csv", "nmds.html", "nmds.svg"] {
        assert!(folder.exists(name), "{name}");
    }
    assert_eq!(folder.read("placed.csv").matches(",true,").count(), 4);
}

/// And so do those of the page on living maps, beside its tables, which print what the page shows.
#[test]
fn commands_of_living_maps() {
    let page = include_str!("../../../docs/living.md");
    let folder = Folder::new();
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/living");
    for name in ["published", "q1", "q2", "q3", "q4"] {
        let file = format!("{name}.csv");
        std::fs::copy(tables.join(&file), folder.path(&file)).unwrap();
    }
    let printed = run_blocks(&folder, page, 7);
    let shown = page.split("```text\n").skip(1);
    let shown: Vec<&str> = shown
        .flat_map(|b| b.split("```").next().unwrap().lines())
        .collect();
    assert!(shown.len() >= 8, "only {} lines shown", shown.len());
    for line in shown {
        assert!(printed.contains(line), "{line}\nis not in\n{printed}");
    }
}

fn all_blocks(page: &str, least: usize) {
    run_blocks(&Folder::new(), page, least);
}

/// Runs the shell blocks of a page in a folder, and gives back what they print.
fn run_blocks(folder: &Folder, page: &str, least: usize) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_adjoin"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let blocks = page.split("```sh\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= least, "only {} blocks found", blocks.len());
    let mut printed = String::new();
    for block in blocks {
        let output = Command::new("sh")
            .args(["-e", "-c", block])
            .env("PATH", &path)
            .current_dir(folder.root())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}: {err}");
        printed += &String::from_utf8_lossy(&output.stdout);
        printed += &err;
    }
    printed
}
