use std::fs;
use std::process::Stdio;

use crate::run::Folder;

/// Objects on a bent line, `count` of them from `first` on, against the first ten.
fn table(first: usize, count: usize) -> String {
    let at = |i: usize| (i as f64 * 0.37, ((i * i) % 11) as f64 * 0.1);
    let distance = |i: usize, j: usize| {
        let ((a, b), (c, d)) = (at(i), at(j));
        (a - c).hypot(b - d)
    };
    let columns: Vec<String> = (0..10).map(|j| format!("o{j}")).collect();
    let mut text = format!("\t{}\n", columns.join("\t"));
    for i in first..first + count {
        let label = if i < 10 {
            format!("o{i}")
        } else {
            format!("n{i}")
        };
        let cells: Vec<String> = (0..10).map(|j| distance(i, j).to_string()).collect();
        text += &format!("{label}\t{}\n", cells.join("\t"));
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.tsv", table(0, 10));
    let mut new = table(10, 23);
    // One newcomer is known by too little, in the second of four shards.
    let line = new.lines().nth(8).unwrap().to_owned();
    let label = line.split('\t').next().unwrap();
    new = new.replace(&line, &format!("{label}\t1\t1{}", "\tNA".repeat(8)));
    folder.write("new.tsv", new);
    assert_eq!(folder.run("fit old.tsv -d 2 -o map.adjoin").code, 0);
    folder
}

fn part(folder: &Folder, i: usize, more: &str) -> crate::run::Run {
    let command = format!(
        "place map.adjoin new.tsv --strategy reconstruct --shard {i}/4 -o part{i}.parquet{more}"
    );
    folder.run(&command)
}

/// What is gathered is what one run gives: byte for byte as text, and the same table as Parquet and JSON.
#[test]
fn gathered_is_the_whole() {
    let folder = folder();
    for i in 1..=4 {
        let code = part(&folder, i, "").code;
        assert_eq!(code, if i == 2 { 3 } else { 0 });
    }
    for output in ["tsv", "csv", "npy", "ordination", "parquet"] {
        let whole = folder.run(&format!(
            "place map.adjoin new.tsv --strategy reconstruct -o whole.{output}"
        ));
        let gathered = folder.run(&format!(
            "gather part3.parquet part1.parquet part4.parquet part2.parquet --expect 4 -o gathered.{output}"
        ));
        assert_eq!((whole.code, gathered.code), (3, 3), "{}", gathered.err);
        let bytes = |name: &str| fs::read(folder.path(&format!("{name}.{output}"))).unwrap();
        assert!(bytes("whole") == bytes("gathered"), "{output}");
    }
}

#[test]
fn what_does_not_make_a_whole_is_refused() {
    let folder = folder();
    for i in 1..=4 {
        part(&folder, i, "");
    }
    let says = |command: &str, code: i32, part: &str| {
        let run = folder.run(&format!("{command} -o out.tsv"));
        assert_eq!(run.code, code, "{command}: {}", run.err);
        assert!(run.err.contains(part), "{command}: {}", run.err);
        assert!(!folder.exists("out.tsv"));
    };
    says(
        "gather part1.parquet part2.parquet part4.parquet",
        1,
        "found newcomers from 18 on, expected a part with those from 12 on",
    );
    says(
        "gather part1.parquet part2.parquet part3.parquet",
        1,
        "all 23 of 4 shards",
    );
    says(
        "gather part1.parquet part2.parquet part3.parquet --expect 4",
        1,
        "shard 4 is missing",
    );
    says(
        "gather part1.parquet --expect 5",
        1,
        "found a part of 4 shards, expected 5",
    );
    says(
        "gather part1.parquet part1.parquet",
        1,
        "which another part has too",
    );
    says("gather old.tsv", 1, "old.tsv");
    folder.run("place map.adjoin new.tsv --shard 2/4 -o other.parquet");
    says(
        "gather part1.parquet other.parquet part3.parquet part4.parquet",
        1,
        "other.parquet: found a part of another run",
    );
    folder.run("place map.adjoin new.tsv --strategy reconstruct -o plain.parquet");
    says("gather plain.parquet", 1, "a table that is no part");
    says("place map.adjoin new.tsv --shard 0/4", 2, "I from 1 to N");
    says(
        "place map.adjoin new.tsv --shard 1/4",
        2,
        "a part that ends in .parquet",
    );
    let run = folder.run("place map.adjoin - --shard 1/4 -o p.parquet");
    assert!(
        run.code == 2 && run.err.contains("standard input"),
        "{}",
        run.err
    );
}

/// A part of the same run is left alone; a damaged one, or one of another run, is written anew.
#[test]
fn resuming_does_only_what_is_missing() {
    let folder = folder();
    part(&folder, 1, "");
    let bytes = fs::read(folder.path("part1.parquet")).unwrap();
    let written = fs::metadata(folder.path("part1.parquet"))
        .unwrap()
        .modified()
        .unwrap();
    let run = part(&folder, 1, " --resume");
    assert!(
        run.code == 0 && run.err.contains("left alone"),
        "{}",
        run.err
    );
    let after = fs::metadata(folder.path("part1.parquet"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(after, written);
    let run = part(&folder, 2, " --resume");
    assert!(
        run.code == 3 && folder.exists("part2.parquet"),
        "{}",
        run.err
    );
    // What is there says that newcomers have no place, and the code goes on saying so.
    assert_eq!(part(&folder, 2, " --resume").code, 3);
    fs::write(folder.path("part1.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(!part(&folder, 1, " --resume").err.contains("left alone"));
    assert_eq!(fs::read(folder.path("part1.parquet")).unwrap(), bytes);
    let run = folder.run("place map.adjoin new.tsv --shard 1/4 -o part1.parquet --resume");
    assert!(
        run.code == 0 && !run.err.contains("left alone"),
        "{}",
        run.err
    );
}

/// Two of four are killed midway: they leave no part, and are all that is done again.
#[test]
fn killed_shards_leave_no_part() {
    let folder = folder();
    // A pipe that nobody writes to stops the shard before it has read its newcomers' weights.
    let pipe = folder.path("weights");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    part(&folder, 1, "");
    part(&folder, 3, "");
    for i in [2, 4] {
        let (shard, out) = (format!("{i}/4"), format!("part{i}.parquet"));
        let words = [
            "place",
            "map.adjoin",
            "new.tsv",
            "--strategy",
            "reconstruct",
            "--weights",
            "weights",
            "--shard",
            &shard,
            "-o",
            &out,
        ];
        let mut child = folder
            .command(&words)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        assert!(!folder.exists(&out));
    }
    let run = folder.run("gather part1.parquet part3.parquet --expect 4 -o all.tsv");
    assert!(run.code == 1 && !folder.exists("all.tsv"));
    for i in 1..=4 {
        let run = part(&folder, i, " --resume");
        assert_eq!(run.err.contains("left alone"), i % 2 == 1, "{}", run.err);
    }
    let run = folder.run(
        "gather part1.parquet part2.parquet part3.parquet part4.parquet --expect 4 -o all.tsv",
    );
    assert_eq!(run.code, 3, "{}", run.err);
    folder.run("place map.adjoin new.tsv --strategy reconstruct -o whole.tsv");
    assert_eq!(folder.read("all.tsv"), folder.read("whole.tsv"));
}

/// Newcomers without labels are named by their number among all, in every shard.
#[test]
fn numbers_are_those_among_all() {
    let folder = folder();
    let plain: String = table(10, 6)
        .lines()
        .skip(1)
        .map(|line| line.split_once('\t').unwrap().1.to_owned() + "\n")
        .collect();
    folder.write("plain.txt", plain);
    for i in 1..=3 {
        let run = folder.run(&format!(
            "place map.adjoin plain.txt --shard {i}/3 -o p{i}.parquet"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let run = folder.run("gather p1.parquet p2.parquet p3.parquet");
    let labels: Vec<&str> = run
        .out
        .lines()
        .skip(1)
        .map(|l| l.split('\t').next().unwrap())
        .collect();
    assert_eq!(labels, ["new1", "new2", "new3", "new4", "new5", "new6"]);
}

#[test]
fn provenance_stands_beside_the_table() {
    let folder = folder();
    let run = folder.run("place map.adjoin new.tsv --provenance -o placed.tsv");
    assert_eq!(run.code, 3, "{}", run.err);
    let text = folder.read("placed.tsv.provenance.json");
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["map"]["name"], "map.adjoin");
    assert_eq!(record["new"]["name"], "new.tsv");
    assert_eq!(record["new"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(record["settings"]["strategy"], "project");
    assert_eq!(record["command"][1], "place");
    let run = folder.run("place map.adjoin new.tsv --provenance");
    assert_eq!(run.code, 2, "{}", run.err);
}

/// Parts are of one run only if NEW is the same, and all that says how to read it: another table of the same name and size is not.
#[test]
fn parts_of_other_numbers_are_of_another_run() {
    let folder = folder();
    part(&folder, 1, "");
    let text = fs::read_to_string(folder.path("new.tsv")).unwrap();
    let at = text.rfind(|c: char| ('1'..='8').contains(&c)).unwrap();
    let other = char::from(text.as_bytes()[at] + 1).to_string();
    let mut changed = text.clone();
    changed.replace_range(at..=at, &other);
    folder.write("new.tsv", &changed);
    let run = part(&folder, 1, " --resume");
    assert!(!run.err.contains("left alone"), "{}", run.err);
    folder.write("new.tsv", &text);
    assert!(!part(&folder, 1, " --resume").err.contains("left alone"));
    assert!(part(&folder, 1, " --resume").err.contains("left alone"));
    for more in [
        " --partial --resume",
        " --generation 0 --resume",
        " --format table --resume",
    ] {
        let run = part(&folder, 1, more);
        assert!(!run.err.contains("left alone"), "{more}: {}", run.err);
    }
}
