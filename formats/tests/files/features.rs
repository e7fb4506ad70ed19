use adjoin_formats::{Format, ReadOptions, read_features, read_texts};

use crate::{Scratch, fixture, message};

fn options() -> ReadOptions {
    ReadOptions {
        threads: 1,
        ..Default::default()
    }
}

/// Tables with and without a corner, by tab, comma and semicolon, give the same features.
#[test]
fn tables_of_features() {
    let scratch = Scratch::new();
    let path = scratch.path("f.txt");
    for text in [
        "label\tx\ty\nAnn\t1\t2\nBob\t3\t4.5\n",
        "x\ty\nAnn\t1\t2\nBob\t3\t4.5\n",
        "\"\",\"x\",\"y\"\n\"Ann\",1,2\n\"Bob\",3,4.5\n",
        "# a comment\n\nid;x;y\nAnn;1;2\nBob;3;4,5\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let table = read_features(&path, &options()).unwrap();
        assert_eq!(table.features.labels(), ["Ann", "Bob"], "{text}");
        assert_eq!(table.features.names(), ["x", "y"], "{text}");
        assert_eq!(table.features.values().unwrap()[..], [1.0, 2.0, 3.0, 4.5]);
        assert!(table.labelled && table.named);
        assert_eq!(table.lines[1] - table.lines[0], 1);
    }
}

/// Names that equal the objects' labels, and a shape that might be a triangle's, mean nothing here.
#[test]
fn features_are_never_a_triangle() {
    let scratch = Scratch::new();
    let path = scratch.path("f.tsv");
    std::fs::write(&path, "\ta\tb\na\t0\t1\nb\t7\t0\n").unwrap();
    let table = read_features(&path, &options()).unwrap();
    assert_eq!(table.features.values().unwrap()[..], [0.0, 1.0, 7.0, 0.0]);
    std::fs::write(&path, "\ta\tb\na\t0\nb\t7\t0\n").unwrap();
    assert_eq!(
        message(read_features(&path, &options()).unwrap_err()),
        "f.tsv:2: found 1 value in row \"a\", expected one for each column of the header on line 1"
    );
    std::fs::write(&path, "\ta\tb\na\t0\t1\nb\t7\n").unwrap();
    assert_eq!(
        message(read_features(&path, &options()).unwrap_err()),
        "f.tsv:3: found 1 value in row \"b\", expected 2, as in the rows before"
    );
}

/// Arrays have neither labels nor names; a file may give the labels.
#[test]
fn arrays_of_features() {
    let table = read_features(&fixture("f8.npy"), &options()).unwrap();
    assert!(!table.labelled && !table.named);
    let (n, q) = (table.features.count(), table.features.width());
    assert_eq!(table.features.names()[q - 1], q.to_string());
    assert_eq!(table.features.labels()[n - 1], n.to_string());
    let scratch = Scratch::new();
    let labels = scratch.path("labels.txt");
    let text: String = (0..n).map(|i| format!("object {i}\n")).collect();
    std::fs::write(&labels, text).unwrap();
    let named = ReadOptions {
        labels: Some(labels),
        ..options()
    };
    let table = read_features(&fixture("f8.npy"), &named).unwrap();
    assert!(table.labelled && !table.named);
    assert_eq!(table.features.labels()[0], "object 0");
    assert_eq!(table.features.names()[0], "1");
}

/// What is no feature is named by its line and column.
#[test]
fn wrong_features() {
    let scratch = Scratch::new();
    let path = scratch.path("f.tsv");
    for (text, said) in [
        (
            "\tx\ty\nAnn\t1\t\n",
            "f.tsv:2: found no number in row \"Ann\", column \"y\", expected a number for every feature of every object",
        ),
        (
            "id\tname\tx\nAnn\tred\t1\n",
            "f.tsv:2: found \"red\" in row \"Ann\", column \"name\", expected a number",
        ),
        (
            "\tx\n",
            "f.tsv:1: found a header of 2 cells and nothing after it",
        ),
        (
            "\tx\ty\nAnn\t1\t2\nAnn\t1\t2\n",
            "f.tsv:3: found the row label \"Ann\" twice",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let found = message(read_features(&path, &options()).unwrap_err());
        assert!(found.starts_with(said), "{found}");
    }
    let phylip = ReadOptions {
        format: Some(Format::Phylip),
        ..options()
    };
    let found = message(read_features(&path, &phylip).unwrap_err());
    assert!(
        found.contains("the format phylip, which holds proximities"),
        "{found}"
    );
}

/// A list of texts, or a table of labels and texts.
#[test]
fn texts() {
    let scratch = Scratch::new();
    let path = scratch.path("t.txt");
    std::fs::write(&path, "Fort William\n\nAyr, by the sea\n").unwrap();
    let list = read_texts(&path, &options()).unwrap();
    assert_eq!(
        list.features.as_texts().unwrap(),
        ["Fort William", "Ayr, by the sea"]
    );
    assert_eq!(list.features.labels(), ["Fort William", "Ayr, by the sea"]);
    assert_eq!(list.lines, [1, 3]);
    for (text, delimiter) in [
        ("label\ttext\na\tFort William\nb\t\"a \"\"b\"\"\"\n", '\t'),
        ("Label,Text\na,Fort William\nb,\"a \"\"b\"\"\"\n", ','),
    ] {
        std::fs::write(&path, text).unwrap();
        let table = read_texts(&path, &options()).unwrap();
        let texts = table.features.as_texts().unwrap();
        assert_eq!(texts, ["Fort William", "a \"b\""], "{delimiter:?}");
        assert_eq!(table.features.labels(), ["a", "b"]);
    }
    for (text, said) in [
        ("\n \n", "t.txt: found no texts"),
        ("a\nb\na\n", "t.txt:3: found the label \"a\" twice"),
        (
            "label,text\na,b,c\n",
            "t.txt:2: found 3 cells, expected a label and a text",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let found = message(read_texts(&path, &options()).unwrap_err());
        assert!(found.starts_with(said), "{found}");
    }
}
