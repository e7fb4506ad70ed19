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
