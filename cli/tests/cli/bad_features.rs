use crate::run::Folder;

const OLD: &str = "label\tx\ty\tz\nAnn\t1\t0\t1\nBob\t1\t1\t0\nCid\t0\t1\t1\nDan\t1\t1\t1\n";

/// Runs what must fail: one message, nothing written.
fn refused(folder: &Folder, arguments: &str, code: i32, said: &[&str]) {
    let before = folder.names();
    let run = folder.run(arguments);
    assert_eq!(run.code, code, "{arguments}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{arguments}: {}", run.err);
    for part in said {
        assert!(run.err.contains(part), "{arguments}: {}", run.err);
    }
    assert!(run.out.is_empty());
    assert_eq!(folder.names(), before, "{arguments}");
}

/// One wrong cell, row or column of the old objects at a time, by its line and names.
#[test]
fn fit_refuses() {
    let cases: [(&str, &str, &str, &[&str]); 14] = [
        (
            "Bob\t1\t1\t0",
            "Bob\t1\t\t0",
            "euclidean",
            &["bad.tsv:3:", "no number", "\"Bob\"", "\"y\""],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\tNaN\t0",
            "euclidean",
            &["bad.tsv:3:", "\"Bob\"", "\"y\""],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\ttall\t0",
            "euclidean",
            &["bad.tsv:3:", "\"tall\"", "\"Bob\"", "\"y\""],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\t1",
            "euclidean",
            &["bad.tsv:3:", "found 2 values", "\"Bob\""],
        ),
        (
            "\tx\ty\tz",
            "\tx\ty\tx",
            "euclidean",
            &["bad.tsv:1:", "\"x\" twice"],
        ),
        (
            "Cid\t",
            "Bob\t",
            "euclidean",
            &["bad.tsv:4:", "\"Bob\" twice"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\t-1\t0",
            "braycurtis",
            &["bad.tsv:3:", "-1", "\"y\" of \"Bob\"", "at least 0"],
        ),
        (
            "Bob\t1\t1\t0\nCid\t0\t1\t1",
            "Bob\t0\t0\t0\nCid\t0\t0\t0",
            "braycurtis",
            &["bad.tsv:4:", "\"Cid\"", "\"Bob\"", "0/0"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t0\t0\t0",
            "cosine",
            &["bad.tsv:3:", "\"Bob\"", "all 0"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t2\t2\t2",
            "correlation",
            &["bad.tsv:3:", "\"Bob\"", "all alike"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\t2\t0",
            "jaccard",
            &["bad.tsv:3:", "\"y\" of \"Bob\"", "0 or 1"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1\t1\t0",
            "aitchison",
            &["bad.tsv:2:", "\"y\" of \"Ann\"", "positive"],
        ),
        (
            "Bob\t1\t1\t0",
            "Bob\t1e200\t1\t0",
            "sqeuclidean",
            &["bad.tsv", "inf", "\"Bob\""],
        ),
        ("", "", "euclid3", &["found no metric \"euclid3\""]),
    ];
    for (from, to, metric, said) in cases {
        let folder = Folder::new();
        folder.write("bad.tsv", OLD.replace(from, to));
        let code = if metric == "euclid3" { 2 } else { 1 };
        let fit = format!("fit bad.tsv --metric {metric} -d 1 -o map.adjoin");
        refused(&folder, &fit, code, said);
    }
}

/// One wrong column or cell of the newcomers at a time.
#[test]
fn place_refuses() {
    let folder = Folder::new();
    folder.write("old.tsv", OLD);
    let fit = "fit old.tsv --metric braycurtis -d 2 -o map.adjoin";
    assert_eq!(folder.run(fit).code, 0);
    let good = "label\tz\tx\ty\nEve\t1\t2\t3\nFay\t3\t2\t1\n";
    folder.write("good.tsv", good);
    assert_eq!(folder.run("place map.adjoin good.tsv").code, 0);
    for (from, to, said) in [
        ("\tz\tx\ty", "\tz\tx\tw", &["no feature \"y\""][..]),
        ("\tz\tx\ty", "\tz\tx\tx", &["bad.tsv:1:", "\"x\" twice"]),
        (
            "\tz\tx\ty\nEve\t1\t2\t3\nFay\t3\t2\t1",
            "\tz\tx\ty\tmore\nEve\t1\t2\t3\t4\nFay\t3\t2\t1\t0",
            &["a feature \"more\""],
        ),
        (
            "Fay\t3\t2\t1",
            "Fay\t3\t\t1",
            &["bad.tsv:3:", "\"Fay\"", "\"x\""],
        ),
        (
            "Fay\t3\t2\t1",
            "Fay\t3\t-2\t1",
            &["bad.tsv:3:", "-2", "\"x\" of \"Fay\""],
        ),
    ] {
        folder.write("bad.tsv", good.replace(from, to));
        for command in [
            "place map.adjoin bad.tsv",
            "place map.adjoin bad.tsv --jointly",
            "arc map.adjoin bad.tsv",
            "compare map.adjoin bad.tsv",
        ] {
            refused(&folder, command, 1, said);
        }
    }
    folder.write("narrow.tsv", "label\tx\ty\nEve\t1\t2\nFay\t3\t2\n");
    assert_eq!(folder.run("convert narrow.tsv narrow.npy").code, 0);
    refused(
        &folder,
        "place map.adjoin narrow.npy",
        1,
        &["narrow.npy: found 2 columns", "the map's 3 features"],
    );
    refused(
        &folder,
        "place map.adjoin good.tsv --proximities",
        1,
        &["good.tsv", "found"],
    );
    refused(
        &folder,
        "place map.adjoin good.tsv --self 1",
        2,
        &["--self beside features"],
    );
}

/// Requests that make no sense, with the usage code, or data that do not suffice.
#[test]
fn requests_that_make_no_sense() {
    let folder = Folder::new();
    folder.write("old.tsv", OLD);
    folder.write(
        "square.tsv",
        "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n",
    );
    folder.write("who.txt", "Ann\nZoe\n");
    assert_eq!(folder.run("convert old.tsv old.npy").code, 0);
    for (code, arguments, said) in [
        (2, "old.tsv --metric euclidean --kind squared", "--kind"),
        (2, "old.tsv --method pca --metric cityblock", "cityblock"),
        (
            2,
            "old.tsv --method kernel-pca --metric euclidean",
            "a kernel",
        ),
        (
            2,
            "square.tsv --method kernel-pca --kind squared",
            "similarities",
        ),
        (2, "square.tsv --gamma 1", "--gamma"),
        (2, "old.tsv --metric euclidean --gamma 1", "--gamma"),
        (2, "old.tsv --kernel rbf --degree 2", "degree"),
        (2, "old.tsv --kernel rbf --gamma 0", "positive"),
        (2, "old.tsv --metric minkowski --power -1", ""),
        (2, "old.tsv --metric euclidean --landmarks 2", "--landmarks"),
        (2, "old.tsv --metric euclidean --neighbors 2", "--neighbors"),
        (
            2,
            "old.tsv --metric euclidean --method isomap",
            "--neighbors: found the method isomap alone",
        ),
        (
            2,
            "old.tsv --metric euclidean --method landmark",
            "--landmarks: found the method landmark alone",
        ),
        (2, "old.tsv --metric euclidean --time 1", "--time"),
        (2, "old.tsv --method pca --origin Ann", "--origin"),
        (
            2,
            "square.tsv --method landmark",
            "--landmarks: found the method landmark alone",
        ),
        (2, "square.tsv --method laplacian", "--gamma"),
        (
            1,
            "old.tsv --metric euclidean --method landmark --landmarks 9",
            "found 9 as the number of landmarks",
        ),
        (
            1,
            "old.tsv --metric euclidean --method landmark --landmarks who.txt",
            "\"Zoe\"",
        ),
        (
            1,
            "old.tsv --metric euclidean --method isomap --neighbors 4",
            "found 4",
        ),
        (
            1,
            "old.tsv --metric euclidean --method isomap --radius 0",
            "radius",
        ),
        (
            1,
            "old.tsv --kernel linear --method isomap --neighbors 2",
            "similarities",
        ),
        (1, "old.npy --metric levenshtein", "texts"),
    ] {
        let run = folder.run(&format!("fit {arguments} -d 1 -o map.adjoin"));
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(said), "{arguments}: {}", run.err);
        assert!(!folder.exists("map.adjoin"), "{arguments}");
    }
    // A rectangle whose columns are not among its rows.
    folder.write("rectangle.tsv", "\ta\tz\na\t0\t1\nb\t1\t0\nc\t2\t3\n");
    refused(
        &folder,
        "fit rectangle.tsv --method landmark -d 1 -o map.adjoin",
        1,
        &["\"z\"", "no such row"],
    );
}
