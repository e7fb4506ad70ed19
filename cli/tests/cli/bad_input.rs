use crate::run::Folder;

/// Files that `fit` must refuse, where, and what it finds there.
#[test]
fn fit_refuses() {
    let good = "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n";
    let cases: Vec<(&str, String, &str, &[&str])> = vec![
        ("empty file", String::new(), "bad.tsv", &["found"]),
        ("header only", "\ta\tb\tc\n".into(), "bad.tsv", &["found"]),
        (
            "ragged row",
            good.replace("b\t1\t0\t3", "b\t1\t0"),
            "bad.tsv:3:",
            &["found 2"],
        ),
        (
            "text in a cell",
            good.replace("b\t1\t0\t3", "b\t1\t0\tx"),
            "bad.tsv:3:",
            &["\"x\""],
        ),
        (
            "overflow",
            good.replace("b\t1\t0\t3", "b\t1\t0\t1e999"),
            "bad.tsv:3:",
            &["1e999"],
        ),
        (
            "missing value",
            good.replace("b\t1\t0\t3", "b\t1\t0\tNA"),
            "bad.tsv:3:",
            &["missing", "\"b\"", "\"c\""],
        ),
        (
            "negative",
            good.replace("b\t1\t0\t3", "b\t1\t0\t-3"),
            "bad.tsv:3:",
            &["-3", "\"b\"", "\"c\""],
        ),
        (
            "asymmetric",
            good.replace("c\t2\t3\t0", "c\t2\t4\t0"),
            "bad.tsv:4:",
            &["4", "symmetric"],
        ),
        (
            "diagonal",
            good.replace("b\t1\t0\t3", "b\t1\t5\t3"),
            "bad.tsv:3:",
            &["5", "\"b\""],
        ),
        (
            "doubled label",
            good.replace("\nc\t", "\nb\t"),
            "bad.tsv",
            &["\"b\""],
        ),
        (
            "doubled column",
            good.replace("\ta\tb\tc", "\ta\tb\tb"),
            "bad.tsv",
            &["\"b\""],
        ),
        (
            "missing row",
            good.replace("c\t2\t3\t0\n", ""),
            "bad.tsv",
            &["\"c\""],
        ),
        (
            "all zero",
            good.replace(['1', '2', '3'], "0"),
            "bad.tsv",
            &["no positive eigenvalue"],
        ),
        ("one object", "\ta\na\t0\n".into(), "bad.tsv", &["found 1"]),
    ];
    for (name, content, place, words) in cases {
        let folder = Folder::new();
        folder.write("bad.tsv", content);
        let run = folder.run("fit bad.tsv -d 1 -o map.adjoin");
        assert_eq!(run.code, 1, "{name}: {}", run.err);
        assert!(
            run.err.starts_with(&format!("adjoin: {place}")),
            "{name}: {}",
            run.err
        );
        assert_eq!(run.err.lines().count(), 1, "{name}: {}", run.err);
        assert!(run.err.contains("expected"), "{name}: {}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{name}: {}", run.err);
        }
        assert_eq!(folder.names(), ["bad.tsv"], "{name}");
    }
}

/// Whatever the method: a square that is not symmetric is refused, with the pair.
#[test]
fn asymmetric_for_every_method() {
    let folder = Folder::with_demo();
    let bad = folder.read("old.tsv").replacen("\t1318", "\t1319", 1);
    folder.write("bad.tsv", bad);
    for method in [
        "cmds",
        "landmark --landmarks 6",
        "isomap --neighbors 5",
        "laplacian --neighbors 5",
    ] {
        let run = folder.run(&format!("fit bad.tsv --method {method} -d 2 -o m.adjoin"));
        assert_eq!(run.code, 1, "{method}: {}", run.err);
        assert!(
            run.err.contains("1318") && run.err.contains("symmetric"),
            "{method}: {}",
            run.err
        );
        assert!(!folder.exists("m.adjoin"), "{method}");
    }
}

#[test]
fn wrong_requests() {
    let folder = Folder::with_demo();
    let before = folder.names();
    for (arguments, code, words) in [
        ("fit old.tsv -d 0 -o m.adjoin", 1, "found 0 dimensions"),
        ("fit old.tsv -d 40 -o m.adjoin", 1, "positive eigenvalues"),
        ("fit absent.tsv -d 2 -o m.adjoin", 1, "absent.tsv"),
        ("fit . -d 2 -o m.adjoin", 1, "."),
        ("fit old.tsv -d 2 -o nowhere/m.adjoin", 1, "nowhere"),
        (
            "fit old.tsv -d 2 -o m.adjoin --origin Atlantis",
            1,
            "Atlantis",
        ),
        ("fit old.tsv -d 2 -o m.adjoin --kind shape", 2, "shape"),
        ("fit new.tsv -d 2 -o m.adjoin", 1, "new.tsv"),
        ("place old.tsv new.tsv -o o.tsv", 1, "old.tsv"),
        (
            "place europe.adjoin old.tsv -o o.tsv",
            1,
            "on the map already",
        ),
        ("place europe.adjoin absent.tsv -o o.tsv", 1, "absent.tsv"),
        (
            "arc europe.adjoin new.tsv --points 1 -o o.tsv",
            2,
            "--points 1",
        ),
        ("info absent.tsv", 1, "absent.tsv"),
        ("fit europe.adjoin -d 2 -o m.adjoin", 1, "found a map"),
        (
            "place europe.adjoin europe.adjoin -o o.tsv",
            1,
            "found a map",
        ),
        (
            "place europe.adjoin new.tsv --scaled -o o.tsv",
            2,
            "augment",
        ),
        (
            "place europe.adjoin new.tsv --weights new.tsv -o o.tsv",
            1,
            "new.tsv",
        ),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(words), "{arguments}: {}", run.err);
        if code == 1 {
            assert!(run.err.starts_with("adjoin: "), "{arguments}: {}", run.err);
            assert_eq!(run.err.lines().count(), 1, "{arguments}: {}", run.err);
        }
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

/// Newcomers that `place` must refuse.
#[test]
fn place_refuses() {
    let folder = Folder::with_demo();
    let new = folder.read("new.tsv");
    let transposed = {
        let rows: Vec<Vec<&str>> = new.lines().map(|l| l.split('\t').collect()).collect();
        (0..rows[0].len())
            .map(|j| rows.iter().map(|r| r[j]).collect::<Vec<_>>().join("\t") + "\n")
            .collect::<String>()
    };
    for (name, content, place, word) in [
        (
            "missing column",
            new.replace("Paris", "Lutetia"),
            "bad.tsv",
            "\"Paris\"",
        ),
        (
            "doubled column",
            new.replace("Paris", "Rome"),
            "bad.tsv",
            "\"Rome\"",
        ),
        (
            "doubled row",
            new.replace("\nStockholm", "\nAthens"),
            "bad.tsv",
            "\"Athens\"",
        ),
        (
            "negative",
            new.replace("Vienna\t1802", "Vienna\t-1802"),
            "bad.tsv:4:",
            "-1802",
        ),
        (
            "text",
            new.replace("Vienna\t1802", "Vienna\tfar"),
            "bad.tsv:4:",
            "\"far\"",
        ),
        (
            "infinite",
            new.replace("Vienna\t1802", "Vienna\tinf"),
            "bad.tsv:4:",
            "inf",
        ),
        ("transposed", transposed, "bad.tsv", "transpose"),
    ] {
        folder.write("bad.tsv", content);
        let before = folder.names();
        let run = folder.run("place europe.adjoin bad.tsv -o out.tsv");
        assert_eq!(run.code, 1, "{name}: {}", run.err);
        assert!(
            run.err.starts_with(&format!("adjoin: {place}")),
            "{name}: {}",
            run.err
        );
        assert!(run.err.contains(word), "{name}: {}", run.err);
        assert_eq!(folder.names(), before, "{name}");
    }
}

/// What is between newcomers, one wrong thing at a time.
#[test]
fn between_is_checked() {
    let folder = Folder::with_demo();
    let good = "\tAthens\tStockholm\tVienna\nAthens\t0\t3927\t1991\nStockholm\t3927\t0\t2105\nVienna\t1991\t2105\t0\n";
    for (content, word) in [
        (
            good.replace("Vienna\t1991\t2105\t0", "Vienna\t1991\t2105\t7"),
            "7",
        ),
        (
            good.replace("Vienna\t1991\t2105\t0", "Vienna\t1991\t2205\t0"),
            "symmetric",
        ),
        (good.replace("2105", "-2105"), "-2105"),
        (good.replace("Vienna", "Wien"), "Wien"),
    ] {
        folder.write("between.tsv", content);
        let run = folder.run("place europe.adjoin new.tsv --between between.tsv -o out.tsv");
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.err.contains(word), "{word}: {}", run.err);
        assert!(!folder.exists("out.tsv"));
    }
    // A missing entry is allowed: it has no weight.
    folder.write("between.tsv", good.replace("2105", "NA"));
    let run = folder.run("place europe.adjoin new.tsv --between between.tsv -o out.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
}

/// A damaged map is refused with one message.
#[test]
fn damaged_maps() {
    let folder = Folder::with_demo();
    let map = std::fs::read(folder.path("europe.adjoin")).unwrap();
    let mut flipped = map.clone();
    flipped[map.len() / 2] ^= 1;
    for (name, bytes) in [
        ("cut.adjoin", &map[..map.len() - 9]),
        ("flipped.adjoin", &flipped[..]),
    ] {
        folder.write(name, bytes);
        let run = folder.run(&format!("place {name} new.tsv -o out.tsv"));
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(
            run.err.starts_with(&format!("adjoin: {name}: ")),
            "{}",
            run.err
        );
        assert!(!folder.exists("out.tsv"));
    }
}

/// A full disk, a device and a symlink.
#[cfg(target_os = "linux")]
#[test]
fn outputs() {
    let folder = Folder::with_demo();
    let run = folder.run("place europe.adjoin new.tsv -o /dev/full");
    assert_eq!(run.code, 1);
    assert!(run.err.starts_with("adjoin: /dev/full: "), "{}", run.err);
    let full = folder
        .command(&["place", "europe.adjoin", "new.tsv"])
        .stdout(
            std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
        .output()
        .unwrap();
    assert_eq!(full.status.code(), Some(1));
    assert_eq!(
        folder.run("place europe.adjoin new.tsv -o /dev/null").code,
        0
    );
    folder.write("target.tsv", "before");
    std::os::unix::fs::symlink("target.tsv", folder.path("link.tsv")).unwrap();
    assert_eq!(
        folder.run("place europe.adjoin new.tsv -o link.tsv").code,
        0
    );
    assert!(folder.path("link.tsv").is_symlink());
    assert_eq!(folder.read("target.tsv"), folder.read("project.tsv"));
}
