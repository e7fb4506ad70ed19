use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::run::{Folder, Tsv};

/// The fixtures that the programs themselves wrote, and what docs/formats.md calls them.
const FILES: [(&str, &str); 31] = [
    ("skbio.h5", "unifrac.h5"),
    ("p_square.mdist", "plink.mdist"),
    ("p_square.mdist.id", "plink.mdist.id"),
    ("p_bin.mdist.bin", "binary.mdist.bin"),
    ("p_bin.mdist.id", "binary.mdist.id"),
    ("p_triangle.mibs", "plink.mibs"),
    ("p_triangle.mibs.id", "plink.mibs.id"),
    ("q_rel.rel.zst", "plink2.rel.zst"),
    ("q_rel.rel.id", "plink2.rel.id"),
    ("q_king.king", "plink2.king"),
    ("q_king.king.id", "plink2.king.id"),
    ("q_kin.kin0", "plink2.kin0"),
    ("gcta.grm.bin", "gcta.grm.bin"),
    ("gcta.grm.id", "gcta.grm.id"),
    ("compare", "compare"),
    ("compare.labels.txt", "compare.labels.txt"),
    ("sourmash.csv", "compare.csv"),
    ("ani.txt", "ani.txt"),
    ("ani.txt.matrix", "ani.txt.matrix"),
    ("mash.tsv", "mash.tsv"),
    ("r_wrapped.txt", "printed.txt"),
    ("r_no_rows.csv", "distances.csv"),
    ("savetxt.txt", "distances.txt"),
    ("labels.txt", "labels.txt"),
    ("condensed.npy", "pdist.npy"),
    ("one.npz", "distances.npz"),
    ("mega.meg", "distances.meg"),
    ("splitstree.nex", "distances.nex"),
    ("table_le.tsv", "unicode.txt"),
    ("table.biom", "table.biom"),
    ("stream.arrows", "stream.arrows"),
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../formats/tests/fixtures/formats")
        .join(name)
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    for (from, to) in FILES {
        copy(&fixture(from), &folder.path(to));
    }
    copy(&fixture("v3.zarr"), &folder.path("distances.zarr"));
    copy(&fixture("parts.parquet"), &folder.path("distances.parquet"));
    copy(&fixture("../distances.qza"), &folder.path("distances.qza"));
    folder
}

/// The commands of the table of programs in docs/formats.md.
fn commands() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/formats.md");
    let text = fs::read_to_string(docs).unwrap();
    let table = text.split("## Files of other programs").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    // The header comes first, and a line below it.
    rows.skip(2)
        .map(|row| {
            // A bar inside a cell is escaped.
            let command = row.rsplit('`').nth(1).unwrap().replace("\\|", "|");
            assert!(command.contains("adjoin "), "{row}");
            command
        })
        .collect()
}

/// Each line of the table reads the file that the program wrote, and its objects are on the map.
#[test]
fn every_line_of_the_table_runs() {
    let folder = folder();
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let (from, arguments) = match command.split_once(" | adjoin ") {
            Some((cat, arguments)) => (cat.strip_prefix("cat "), arguments),
            None => (None, command.strip_prefix("adjoin ").unwrap()),
        };
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut run = folder.command(&words);
        if let Some(file) = from {
            run.stdin(Stdio::from(fs::File::open(folder.path(file)).unwrap()));
        }
        let run: crate::run::Run = run.output().unwrap().into();
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        let info = folder.run("info map.adjoin --json").out;
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        let n = match command.as_str() {
            c if c.contains("ani.txt") || c.contains("distances.qza") => 6,
            c if c.contains("mash") => 5,
            _ => 12,
        };
        assert_eq!(info["n"], n, "{command}");
        fs::remove_file(folder.path("map.adjoin")).unwrap();
    }
}

/// `info` says what a file is taken for.
#[test]
fn info_says_what_a_file_is_taken_for() {
    let folder = folder();
    for (file, says) in [
        (
            "plink.mdist",
            "text of numbers without labels (--format plain)",
        ),
        ("plink2.rel.zst", "packed by zstd (--format plain)"),
        (
            "gcta.grm.bin",
            "a binary matrix of PLINK or GCTA (--format bin)",
        ),
        ("unifrac.h5", "an HDF5 file (--format hdf5)"),
        ("distances.zarr", "a Zarr array (--format zarr)"),
        ("distances.parquet", "Parquet or Arrow (--format parquet)"),
        ("compare", "a NumPy array (--format npy)"),
        ("compare.csv", "a labelled table (--format table)"),
    ] {
        let run = folder.run(&format!("info {file}"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains(says), "{file}: {}", run.out);
        assert!(run.out.contains("12 × 12"), "{file}: {}", run.out);
    }
    let json = folder.run("info gcta.grm.bin --json").out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["format"], &json["symmetric"]),
        (&"bin".into(), &true.into())
    );
    assert_eq!(json["labels"][0], "s01");
}

/// A table of numbers with labels.
fn table(rows: &[&str], columns: &[&str], cell: impl Fn(usize, usize) -> f64) -> String {
    let mut text = format!("\t{}\n", columns.join("\t"));
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<String> = (0..columns.len()).map(|j| cell(i, j).to_string()).collect();
        text += &format!("{row}\t{}\n", cells.join("\t"));
    }
    text
}

const OLD: [&str; 5] = ["a", "b", "c", "d", "e"];
const ALL: [&str; 7] = ["a", "b", "c", "d", "e", "x", "y"];

/// A distance between two of seven points on a bent line.
fn distance(i: usize, j: usize) -> f64 {
    let at = |i: usize| (i as f64, ((i * i) % 5) as f64);
    let ((a, b), (c, d)) = (at(i), at(j));
    (a - c).hypot(b - d) / 20.0
}

fn placed(folder: &Folder, arguments: &str) -> Vec<Vec<String>> {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments}: {}", run.err);
    Tsv::new(&run.out).rows
}

/// A transformation is kept in the map, and newcomers go through it by themselves: the answer is that of numbers that
/// were transformed beforehand.
#[test]
fn a_transformation_is_kept_and_done_to_newcomers() {
    let folder = Folder::new();
    type Inverse = fn(f64) -> f64;
    let as_given: [(&str, Inverse); 7] = [
        ("1-x", |d| 1.0 - d),
        ("1-x/100", |d| 100.0 * (1.0 - d)),
        ("100-x", |d| 100.0 - d),
        ("sqrt", |d| d * d),
        ("x^2", |d| d.sqrt()),
        ("-log(x)", |d| (-d).exp()),
        ("x/100", |d| 100.0 * d),
    ];
    folder.write("old.tsv", table(&OLD, &OLD, distance));
    folder.write("new.tsv", table(&ALL[5..], &OLD, |i, j| distance(i + 5, j)));
    assert_eq!(folder.run("fit old.tsv -d 2 -o map.adjoin").code, 0);
    let expected = placed(&folder, "place map.adjoin new.tsv");
    for (word, inverse) in as_given {
        folder.write("o.tsv", table(&OLD, &OLD, |i, j| inverse(distance(i, j))));
        folder.write(
            "n.tsv",
            table(&ALL[5..], &OLD, |i, j| inverse(distance(i + 5, j))),
        );
        let fit = folder.run(&format!("fit o.tsv --transform {word} -d 2 -o m.adjoin"));
        assert_eq!(fit.code, 0, "{word}: {}", fit.err);
        let found = placed(&folder, "place m.adjoin n.tsv");
        for (f, e) in found.iter().zip(&expected) {
            for axis in 1..3 {
                let (f, e): (f64, f64) = (f[axis].parse().unwrap(), e[axis].parse().unwrap());
                assert!((f - e).abs() < 1e-9, "{word}: {f} and {e}");
            }
        }
        let info = folder.run("info m.adjoin --json").out;
        assert!(
            info.contains(&format!("\"transform\": \"{word}\"")),
            "{info}"
        );
    }
    let run = folder.run("fit old.tsv --transform 2*x -d 2 -o m.adjoin");
    assert_eq!(run.code, 2, "{}", run.err);
    let run = folder.run("fit old.tsv --transform -log(x) -d 2 -o z.adjoin");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("old.tsv:2: found 0 between \"a\" and \"a\", expected a number of which -log(x) is finite"), "{}", run.err);
    assert!(!folder.exists("z.adjoin"));
}

#[test]
fn squares_are_made_symmetric_on_request_only() {
    let folder = Folder::new();
    let skewed = |i: usize, j: usize| distance(i, j) * if i > j { 1.1 } else { 0.9 };
    folder.write("skewed.tsv", table(&OLD, &OLD, skewed));
    let run = folder.run("fit skewed.tsv -d 2 -o m.adjoin");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--symmetrise mean|min|max"), "{}", run.err);
    for (word, factor) in [("mean", 1.0), ("min", 0.9), ("max", 1.1)] {
        folder.write(
            "even.tsv",
            table(&OLD, &OLD, |i, j| factor * distance(i, j)),
        );
        let run = folder.run(&format!(
            "fit skewed.tsv --symmetrise {word} -d 2 -o m.adjoin"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(
            run.err.contains(&format!("the {word} is used")),
            "{}",
            run.err
        );
        assert_eq!(folder.run("fit even.tsv -d 2 -o e.adjoin").code, 0);
        let eigenvalue = |map: &str| {
            let info = folder.run(&format!("info {map} --json")).out;
            let info: serde_json::Value = serde_json::from_str(&info).unwrap();
            info["eigenvalues"][0].as_f64().unwrap()
        };
        let (found, expected) = (eigenvalue("m.adjoin"), eigenvalue("e.adjoin"));
        assert!((found / expected - 1.0).abs() < 1e-12, "{word}");
    }
}

#[test]
fn tables_are_turned_and_renamed() {
    let folder = Folder::new();
    folder.write("old.tsv", table(&OLD, &OLD, distance));
    folder.write("new.tsv", table(&ALL[5..], &OLD, |i, j| distance(i + 5, j)));
    folder.write(
        "turned.tsv",
        table(&OLD, &ALL[5..], |i, j| distance(i, j + 5)),
    );
    let other = ["fa/a.fna", "fa/b.fna", "fa/c.fna", "fa/d.fna", "fa/e.fna"];
    folder.write(
        "paths.tsv",
        table(&ALL[5..], &other, |i, j| distance(i + 5, j)),
    );
    let names: String = OLD.iter().map(|l| format!("fa/{l}.fna\t{l}\n")).collect();
    folder.write("names.tsv", names);
    assert_eq!(folder.run("fit old.tsv -d 2 -o map.adjoin").code, 0);
    let expected = placed(&folder, "place map.adjoin new.tsv");
    assert_eq!(
        placed(&folder, "place map.adjoin turned.tsv --transpose"),
        expected
    );
    assert_eq!(
        placed(&folder, "place map.adjoin paths.tsv --rename names.tsv"),
        expected
    );
    let run = folder.run("place map.adjoin new.tsv --rename names.tsv");
    assert!(
        run.code == 1 && run.err.contains("names.tsv: found no label of new.tsv"),
        "{}",
        run.err
    );
    folder.write("names.tsv", "a\tb\tc\n");
    let run = folder.run("place map.adjoin paths.tsv --rename names.tsv");
    assert!(
        run.code == 1 && run.err.contains("names.tsv:1: found 3 cells"),
        "{}",
        run.err
    );
}

#[test]
fn pairs_that_are_not_listed_are_counted_and_never_guessed() {
    let folder = Folder::new();
    let mut list = String::new();
    let mut full = String::new();
    for (i, a) in OLD.iter().enumerate() {
        for (j, b) in OLD[..i].iter().enumerate() {
            let far = distance(i, j) > 0.2;
            let value = if far { 0.5 } else { distance(i, j) };
            full += &format!("{a} {b} {value}\n");
            if !far {
                list += &format!("{a} {b} {value}\n");
            }
        }
    }
    folder.write("list.txt", &list);
    folder.write("full.txt", &full);
    let absent = 10 - list.lines().count();
    let run = folder.run("fit list.txt --format long -d 2 -o m.adjoin");
    assert_eq!(run.code, 1);
    let says = format!(
        "found {absent} of 10 pairs not in the list, expected all of them, or --unlisted VALUE"
    );
    assert!(run.err.contains(&says), "{}", run.err);
    let run = folder.run("fit list.txt --format long --unlisted 0.5 -d 2 -o m.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        folder
            .run("fit full.txt --format long -d 2 -o f.adjoin")
            .code,
        0
    );
    let map = |name: &str| folder.run(&format!("convert {name} -")).out;
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(map("m.adjoin")).len(), 6);
    for (m, f) in sorted(map("m.adjoin")).iter().zip(&sorted(map("f.adjoin"))) {
        assert_eq!(m.split('\t').next(), f.split('\t').next());
    }
}

#[test]
fn features_that_are_missing_or_new() {
    let folder = Folder::new();
    let counts = |i: usize, j: usize| ((i * 7 + j * 3) % 5) as f64 + 1.0;
    let species = ["s1", "s2", "s3", "s4"];
    folder.write("old.tsv", table(&OLD, &species, counts));
    folder.write(
        "fewer.tsv",
        table(&["x"], &["s1", "s3"], |_, j| j as f64 + 1.0),
    );
    folder.write(
        "zeros.tsv",
        table(&["x"], &species, |_, j| [1.0, 0.0, 2.0, 0.0][j]),
    );
    folder.write(
        "more.tsv",
        table(&["x"], &["s1", "s2", "s3", "s4", "s5"], |_, j| {
            [1.0, 0.0, 2.0, 0.0, 9.0][j]
        }),
    );
    let fit = folder.run("fit old.tsv --metric braycurtis -d 2 -o map.adjoin");
    assert_eq!(fit.code, 0, "{}", fit.err);
    let expected = placed(&folder, "place map.adjoin zeros.tsv");
    assert_eq!(
        placed(&folder, "place map.adjoin fewer.tsv --fill 0"),
        expected
    );
    assert_eq!(
        placed(&folder, "place map.adjoin more.tsv --ignore-new-features"),
        expected
    );
    let run = folder.run("place map.adjoin fewer.tsv");
    assert!(
        run.code == 1
            && run.err.contains("found no feature \"s2\" and 1 more")
            && run.err.contains("--fill VALUE"),
        "{}",
        run.err
    );
    let run = folder.run("place map.adjoin more.tsv");
    assert!(
        run.code == 1 && run.err.contains("--ignore-new-features"),
        "{}",
        run.err
    );
    // Rows that look like features are remarked on, and --transpose turns the table.
    let biom = table(&species, &OLD, |i, j| counts(j, i));
    folder.write(
        "biom.tsv",
        format!("# Constructed from biom file\n#OTU ID{biom}"),
    );
    let run = folder.run("fit biom.tsv --metric braycurtis -d 2 -o b.adjoin");
    assert!(
        run.err
            .contains("its rows may be features; with --transpose"),
        "{}",
        run.err
    );
    let run = folder.run("fit biom.tsv --metric braycurtis --transpose -d 2 -o b.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(placed(&folder, "place b.adjoin zeros.tsv"), expected);
}

/// An Arrow stream and an array come through a pipe as they do from a file.
#[test]
fn streams_come_through_pipes() {
    let folder = folder();
    assert_eq!(folder.run("fit stream.arrows -d 2 -o file.adjoin").code, 0);
    let mut run = folder.command(&["fit", "-", "-d", "2", "-o", "pipe.adjoin"]);
    run.stdin(Stdio::from(
        fs::File::open(folder.path("stream.arrows")).unwrap(),
    ));
    let run: crate::run::Run = run.output().unwrap().into();
    assert_eq!(run.code, 0, "{}", run.err);
    let map = |name: &str| folder.run(&format!("convert {name} -")).out;
    assert_eq!(map("pipe.adjoin"), map("file.adjoin"));
}
