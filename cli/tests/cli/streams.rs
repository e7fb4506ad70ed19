use std::fs;
use std::process::{Command, Stdio};

use crate::run::{Folder, Run, Tsv};

/// Points on a bent line.
fn at(i: usize) -> (f64, f64) {
    let t = i as f64;
    (
        (t * 0.37).sin() * 5.0 + t * 0.02,
        ((i * i) % 11) as f64 * 0.3,
    )
}

fn distance(i: usize, j: usize) -> f64 {
    let ((a, b), (c, d)) = (at(i), at(j));
    (a - c).hypot(b - d) + if i == j { 0.0 } else { 0.25 }
}

/// `count` objects from `first` on against the first `n`, whose columns are in the order given.
fn table(rows: &[usize], columns: &[usize]) -> String {
    let name = |i: &usize| format!("o{i}");
    let header: Vec<String> = columns.iter().map(name).collect();
    let mut text = format!("\t{}\n", header.join("\t"));
    for i in rows {
        let cells = columns.iter().map(|j| distance(*i, *j).to_string());
        text += &format!("{}\t{}\n", name(i), cells.collect::<Vec<_>>().join("\t"));
    }
    text
}

fn numbers(range: std::ops::Range<usize>) -> Vec<usize> {
    range.collect()
}

/// A map of 30 objects, and 1600 newcomers whose columns come backwards.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.tsv", table(&numbers(0..30), &numbers(0..30)));
    let backwards: Vec<usize> = (0..30).rev().collect();
    folder.write("new.tsv", table(&numbers(30..1630), &backwards));
    let run = folder.run("fit old.tsv -d 2 -o map.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

/// So little memory that nothing is read whole which need not be.
const LITTLE: &str = "--max-memory 16M";

fn piped(folder: &Folder, file: &str, arguments: &str) -> Run {
    let words: Vec<&str> = arguments.split(' ').collect();
    let mut run = folder.command(&words);
    run.stdin(Stdio::from(fs::File::open(folder.path(file)).unwrap()));
    run.output().unwrap().into()
}

/// Tables of text, Parquet and pipes are placed row by row, and the answer is that of the whole to the byte: as text, for
/// every strategy, in any number of threads.
#[test]
fn rows_as_they_come_are_placed_as_the_whole_is() {
    let folder = folder();
    let text = folder.read("new.tsv");
    folder.write(
        "blanks.txt",
        text.replacen('\t', "x ", 1).replace('\t', "  "),
    );
    folder.write(
        "lines.csv",
        text.replace('\t', ",").replace('\n', "\r\n\r\n"),
    );
    folder.write("comma.csv", text.replace('\t', ";").replace('.', ","));
    folder.write("mark.tsv", format!("\u{feff}# a comment\n{text}"));
    let gzipped = Command::new("gzip")
        .arg("-k")
        .arg(folder.path("new.tsv"))
        .status();
    assert!(gzipped.unwrap().success());
    let made = folder.run("convert new.tsv new.parquet");
    assert_eq!(made.code, 0, "{}", made.err);
    for how in [
        "--strategy reconstruct",
        "--strategy stress --neighbours 2",
        "--uncertainty",
    ] {
        let whole = folder.run(&format!("place map.adjoin new.tsv {how} -o whole.tsv"));
        assert_eq!(whole.code, 0, "{}", whole.err);
        for file in [
            "new.tsv",
            "blanks.txt",
            "lines.csv",
            "comma.csv",
            "mark.tsv",
            "new.tsv.gz",
            "new.parquet",
        ] {
            for threads in [1, 3] {
                let run = folder.run(&format!(
                    "place map.adjoin {file} {how} -o rows.tsv -v {LITTLE} --threads {threads}"
                ));
                assert_eq!(run.code, 0, "{file}: {}", run.err);
                assert!(run.err.contains("read row by row"), "{file}: {}", run.err);
                assert_eq!(folder.read("rows.tsv"), folder.read("whole.tsv"), "{file}");
            }
        }
    }
    let whole = folder.run("place map.adjoin new.tsv");
    for file in ["new.tsv", "new.tsv.gz", "new.parquet"] {
        let run = piped(&folder, file, &format!("place map.adjoin - -v {LITTLE}"));
        assert!(
            run.err.contains("<stdin>: 1600 × 30, read row by row"),
            "{file}: {}",
            run.err
        );
        assert_eq!(run.out, whole.out, "{file}");
    }
    // Nothing that was put aside is left.
    let left = folder
        .names()
        .into_iter()
        .find(|name| name.ends_with(".partial"));
    assert_eq!(left, None);
}

#[test]
fn comparisons_and_pages_are_made_of_rows_too() {
    let folder = folder();
    let whole = folder.run("compare map.adjoin new.tsv -o whole.tsv");
    let rows = folder.run(&format!(
        "compare map.adjoin new.tsv -o rows.tsv -v {LITTLE}"
    ));
    assert_eq!((whole.code, rows.code), (0, 0), "{}", rows.err);
    assert!(rows.err.contains("read row by row"), "{}", rows.err);
    assert_eq!(folder.read("rows.tsv"), folder.read("whole.tsv"));
    let whole = folder.run("report map.adjoin new.tsv -o whole.html");
    let rows = folder.run(&format!(
        "report map.adjoin new.tsv -o rows.html -v {LITTLE}"
    ));
    assert_eq!((whole.code, rows.code), (0, 0), "{}", rows.err);
    assert!(rows.err.contains("read row by row"), "{}", rows.err);
    assert_eq!(folder.read("rows.html"), folder.read("whole.html"));
}

/// A shard reads its own rows only; a fault in another's is not its business, and one in its own is found.
#[test]
fn shards_of_rows_make_the_whole() {
    let folder = folder();
    folder.run("place map.adjoin new.tsv -o whole.tsv");
    folder.run("convert new.tsv new.parquet");
    for file in ["new.tsv", "new.parquet"] {
        for i in 1..=3 {
            let run = folder.run(&format!(
                "place map.adjoin {file} --shard {i}/3 -o p{i}.parquet {LITTLE}"
            ));
            assert_eq!(run.code, 0, "{}", run.err);
        }
        let run = folder.run("gather p1.parquet p2.parquet p3.parquet --expect 3 -o all.tsv");
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(folder.read("all.tsv"), folder.read("whole.tsv"), "{file}");
    }
}

/// What is wrong with one row is said with its line, nothing is written, and labels are looked at before any number.
#[test]
fn a_fault_in_a_row_is_found_while_it_is_read() {
    let folder = folder();
    let text = folder.read("new.tsv");
    let line = text.lines().nth(200).unwrap();
    let cell = line.rsplit('\t').next().unwrap();
    let put = |with: &str| text.replace(line, &line.replace(&format!("\t{cell}"), with));
    let wrong = [
        (
            put("\toops"),
            "bad.tsv:201: found \"oops\" in row \"o229\", column \"o0\"",
        ),
        (
            put(""),
            "bad.tsv:201: found 29 values in row \"o229\", expected 30",
        ),
        (put("\t-1"), "o229"),
        (put("\tinf"), "bad.tsv:201"),
    ];
    for (text, says) in wrong {
        folder.write("bad.tsv", text);
        let run = folder.run(&format!("place map.adjoin bad.tsv -o out.tsv {LITTLE}"));
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.err.contains(says), "{}", run.err);
        assert!(!folder.exists("out.tsv"));
    }
    // These are read whole, and told as ever.
    for (text, says) in [
        (
            text.replacen("o7\t", "strange\t", 1),
            "no column for \"o7\"",
        ),
        (text.replacen("o31\t", "o30\t", 1), "twice"),
        (
            table(&numbers(0..30), &numbers(0..30)),
            "all of them on the map already",
        ),
    ] {
        folder.write("bad.tsv", text);
        let run = folder.run(&format!("place map.adjoin bad.tsv -o out.tsv {LITTLE}"));
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.err.contains(says), "{}", run.err);
    }
}

/// Columns of an array have names if those are given, and then come in any order.
#[test]
fn columns_of_an_array_may_have_names() {
    let folder = folder();
    let whole = folder.run("place map.adjoin new.tsv -o whole.tsv");
    assert_eq!(whole.code, 0, "{}", whole.err);
    let cell = |i: usize, j: usize| distance(30 + i, 29 - j).to_le_bytes().to_vec();
    folder.write("new.npy", npy_of("<f8", (1600, 30), cell));
    let names = |range: Vec<usize>| range.iter().map(|i| format!("o{i}\n")).collect::<String>();
    folder.write("rows.txt", names(numbers(30..1630)));
    folder.write("columns.txt", names((0..30).rev().collect()));
    let run = folder
        .run("place map.adjoin new.npy --labels rows.txt --column-labels columns.txt -o rows.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("rows.tsv"), folder.read("whole.tsv"));
    let run = folder.run("place map.adjoin new.npy --column-labels columns.txt");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\nnew1600\t"), "{}", run.out);
    let run = folder.run("place map.adjoin new.npy --column-labels rows.txt");
    assert!(
        run.code == 1 && run.err.contains("rows.txt: found 1600 labels, expected 30"),
        "{}",
        run.err
    );
    folder.write("columns.txt", names((1..31).rev().collect()));
    let run = folder.run("place map.adjoin new.npy --column-labels columns.txt");
    assert!(
        run.code == 1 && run.err.contains("no column for \"o0\""),
        "{}",
        run.err
    );
}

/// A square array as NumPy writes it.
fn npy(descr: &str, n: usize, bytes: impl Fn(usize, usize) -> Vec<u8>) -> Vec<u8> {
    npy_of(descr, (n, n), bytes)
}

fn npy_of(descr: &str, (k, m): (usize, usize), bytes: impl Fn(usize, usize) -> Vec<u8>) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({k}, {m}), }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    for i in 0..k {
        for j in 0..m {
            file.extend(bytes(i, j));
        }
    }
    file
}

fn coordinates(folder: &Folder, map: &str) -> Vec<f64> {
    let run = folder.run(&format!("convert {map} -"));
    assert_eq!(run.code, 0, "{}", run.err);
    let table = Tsv::new(&run.out);
    let cells = table.rows.iter().flat_map(|row| row[1..].iter());
    cells.map(|cell| cell.parse().unwrap()).collect()
}

fn assert_same_map(folder: &Folder, one: &str, other: &str) {
    let (one, other) = (coordinates(folder, one), coordinates(folder, other));
    assert_eq!(one.len(), other.len());
    let largest = one.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for (a, b) in one.iter().zip(&other) {
        assert!((a - b).abs() <= 1e-8 * largest, "{a} {b}");
    }
}

/// A square beyond the memory that may be used is fitted by passes over its file: the same map, whatever its numbers are.
#[test]
fn a_square_beyond_memory_is_fitted_by_passes() {
    let folder = Folder::new();
    let n = 1500;
    let single = |i, j| (distance(i, j) as f32).to_le_bytes().to_vec();
    folder.write("f4.npy", npy("<f4", n, single));
    folder.write(
        "f8.npy",
        npy("<f8", n, |i, j| distance(i, j).to_le_bytes().to_vec()),
    );
    let whole = |i, j| ((distance(i, j) * 1000.0) as i32).to_be_bytes().to_vec();
    folder.write("i4.npy", npy(">i4", n, whole));
    for file in ["f4.npy", "f8.npy", "i4.npy"] {
        let held = folder.run(&format!("fit {file} -d 2 -o held.adjoin"));
        let passed = folder.run(&format!("fit {file} -d 2 -o passed.adjoin --max-memory 8M"));
        assert_eq!((held.code, passed.code), (0, 0), "{}", passed.err);
        assert!(
            passed.err.contains("by passes over the file"),
            "{}",
            passed.err
        );
        assert!(!held.err.contains("passes over the file"), "{}", held.err);
        assert_same_map(&folder, "held.adjoin", "passed.adjoin");
    }
    // The same bits for the same number of threads.
    let fit = |map: &str| {
        let run = folder.run(&format!(
            "fit f4.npy -d 2 -o {map} --max-memory 8M --threads 2"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        fs::read(folder.path(map)).unwrap()
    };
    assert!(fit("one.adjoin") == fit("two.adjoin"));
    // Similarities, an origin and a transformation too.
    let like = |i: usize, j: usize| {
        if i == j {
            1.0
        } else {
            (-distance(i, j) / 9.0).exp()
        }
    };
    folder.write(
        "like.npy",
        npy("<f8", 1100, |i, j| like(i, j).to_le_bytes().to_vec()),
    );
    for how in [
        "--kind similarity",
        "--transform 1-x",
        "--kind similarity --origin 7",
    ] {
        let held = folder.run(&format!("fit like.npy -d 2 {how} -o held.adjoin"));
        let passed = folder.run(&format!(
            "fit like.npy -d 2 {how} -o passed.adjoin --max-memory 8M"
        ));
        assert_eq!((held.code, passed.code), (0, 0), "{}", passed.err);
        assert_same_map(&folder, "held.adjoin", "passed.adjoin");
    }
}

/// What is wrong with such a square is said as of any other, and what cannot be done by passes is refused.
#[test]
fn a_square_beyond_memory_is_looked_at_first() {
    let folder = Folder::new();
    let good = |i, j| distance(i, j);
    let write = |at: (usize, usize), value: f64| {
        let cell = |i, j| if (i, j) == at { value } else { good(i, j) };
        folder.write(
            "bad.npy",
            npy("<f8", 1100, |i, j| cell(i, j).to_le_bytes().to_vec()),
        );
        folder.run("fit bad.npy -d 2 -o out.adjoin --max-memory 8M")
    };
    for (at, value, says) in [
        ((200, 3), 99.0, "\"4\""),
        ((3, 200), f64::NAN, "NaN"),
        ((200, 3), f64::NAN, "NaN"),
        ((200, 3), f64::INFINITY, "inf"),
        ((200, 3), -5.0, "-5"),
        ((7, 7), 1.0, "0 from an object to itself"),
    ] {
        let run = write(at, value);
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(
            run.err.contains("bad.npy: found") && run.err.contains(says),
            "{}",
            run.err
        );
        assert!(!folder.exists("out.adjoin"));
    }
    // What rounding leaves is no fault.
    let run = write((200, 3), good(200, 3) * (1.0 + 1e-8));
    assert_eq!(run.code, 0, "{}", run.err);
    let run = folder
        .run("fit bad.npy -d 2 -o other.adjoin --max-memory 8M --method isomap --neighbors 5");
    assert!(
        run.code == 1 && run.err.contains("expected classical scaling"),
        "{}",
        run.err
    );
    let run = folder.run("fit bad.npy -d 2 -o other.adjoin --max-memory much");
    assert!(
        run.code == 2 && run.err.contains("500M or 8G"),
        "{}",
        run.err
    );
}
