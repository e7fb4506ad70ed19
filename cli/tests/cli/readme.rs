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

fn all_blocks(page: &str, least: usize) {
    let folder = Folder::new();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_adjoin"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let blocks = page.split("```sh\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= least, "only {} blocks found", blocks.len());
    for block in blocks {
        let output = Command::new("sh")
            .args(["-e", "-c", block])
            .env("PATH", &path)
            .current_dir(folder.root())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}: {err}");
    }
}
