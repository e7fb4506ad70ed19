//! More than the machine has: one message with the number, and nothing written.

use std::fs;

use crate::run::Folder;

#[track_caller]
fn refused(folder: &Folder, command: &str, words: &[&str]) {
    let before = folder.names();
    let run = folder.run(command);
    assert_eq!(run.code, 1, "{command}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    for word in words {
        assert!(run.err.contains(word), "{word} in {}", run.err);
    }
    assert_eq!(folder.names(), before);
}

/// Two million objects by two features each: a square of them would be 32 TB.
#[test]
fn more_objects_than_any_machine_has_memory_for() {
    let folder = Folder::new();
    let mut text = String::from("label\tx\ty\n");
    for i in 0..2_000_000 {
        text += &format!("{i}\t{}\t{}\n", i % 1009, i % 997);
    }
    fs::write(folder.path("features.tsv"), text).unwrap();
    refused(
        &folder,
        "fit features.tsv --metric euclidean -d 2 -o map.adjoin",
        &["adjoin: ", "memory", "GB"],
    );
}

/// A list in which every label is new: the square that it stands for is not its size.
#[test]
fn a_list_of_a_million_labels() {
    let folder = Folder::new();
    let text: String = (0..2_000_000).map(|i| format!("a{i}\tb{i}\t1\n")).collect();
    fs::write(folder.path("list.tsv"), text).unwrap();
    refused(
        &folder,
        "convert list.tsv --format long --unlisted 1 out.tsv",
        &["adjoin: ", "memory", "GB"],
    );
}

/// The limit that was asked for holds, and says so.
#[test]
fn max_memory() {
    let folder = Folder::new();
    let n = 400;
    let mut text: String = (0..n).map(|i| format!("\to{i}")).collect();
    text.push('\n');
    for i in 0..n {
        text += &format!("o{i}");
        for j in 0..n {
            text += &format!("\t{}", (i as f64 - j as f64).abs());
        }
        text.push('\n');
    }
    fs::write(folder.path("old.tsv"), text).unwrap();
    refused(
        &folder,
        "fit old.tsv -d 1 -o map.adjoin --max-memory 1M",
        &["--max-memory", "0.001 GB"],
    );
    assert_eq!(
        folder
            .run("fit old.tsv -d 1 -o map.adjoin --max-memory 1G")
            .code,
        0
    );
    for wrong in ["0", "lots", "5"] {
        let run = folder.run(&format!("info map.adjoin --max-memory {wrong}"));
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains("--max-memory"), "{}", run.err);
    }
}

/// More axes than there can be, a million columns, and labels of a megabyte.
#[test]
fn many_axes_many_columns_long_labels() {
    let folder = Folder::new();
    let long = "x".repeat(1 << 20);
    folder.write("long.tsv", format!("\ta\t{long}\na\t0\t1\n{long}\t1\t0\n"));
    refused(&folder, "fit long.tsv -d 500 -o map.adjoin", &["500"]);
    let run = folder.run("fit long.tsv -d 1 -o map.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.len() < 2000, "a label of a megabyte in the words");
    let columns: String = (0..1_000_000).map(|i| format!("\t{i}")).collect();
    let numbers = "\t1".repeat(1_000_000);
    folder.write("wide.tsv", format!("{columns}\nnew{numbers}\n"));
    let run = folder.run("place map.adjoin wide.tsv -o out.tsv");
    assert_eq!(run.code, 1);
    assert!(run.err.len() < 2000, "{} bytes", run.err.len());
    fs::remove_file(folder.path("map.adjoin")).unwrap();
}
