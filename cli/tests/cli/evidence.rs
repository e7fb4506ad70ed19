use crate::run::{Folder, Tsv};

/// The demo's folder, with a region for each city in `metadata.tsv`.
fn demo() -> Folder {
    let folder = Folder::with_demo();
    let old = Tsv::new(&folder.read("old.tsv"));
    let south = [
        "Athens",
        "Barcelona",
        "Gibraltar",
        "Lisbon",
        "Madrid",
        "Marseilles",
        "Milan",
        "Rome",
        "Lyons",
        "Geneva",
    ];
    let mut table = "city\tregion\tsame\n".to_owned();
    for row in &old.rows {
        let region = if south.contains(&row[0].as_str()) {
            "south"
        } else {
            "north"
        };
        table += &format!("{}\t{region}\tx\n", row[0]);
    }
    folder.write("metadata.tsv", table);
    folder
}

/// Fails with one line that has these words, and writes nothing.
fn refused(folder: &Folder, command: &str, code: i32, words: &[&str]) {
    let run = folder.run(command);
    assert_eq!(run.code, code, "{command}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{command}: {}", run.err);
    assert!(run.out.is_empty());
    for word in words {
        assert!(
            run.err.contains(word),
            "{command}: {} has no {word:?}",
            run.err
        );
    }
}

/// The nearest come with what was given and what is shown, which is the distance between their places.
#[test]
fn nearest_old_objects() {
    let folder = demo();
    let run = folder.run("place europe.adjoin new.tsv --neighbours 3 --with-old");
    assert_eq!(run.code, 0, "{}", run.err);
    let (table, new) = (Tsv::new(&run.out), Tsv::new(&folder.read("new.tsv")));
    let plain = Tsv::new(&folder.run("place europe.adjoin new.tsv").out);
    for newcomer in &new.rows {
        let mut given: Vec<(f64, &str)> = (1..new.header.len())
            .map(|j| (newcomer[j].parse().unwrap(), new.header[j].as_str()))
            .collect();
        given.sort_by(|a, b| a.0.total_cmp(&b.0));
        let label = &newcomer[0];
        for (at, (distance, name)) in given.iter().take(3).enumerate() {
            let column = format!("nearest{}", at + 1);
            assert_eq!(table.cell(label, &column), *name);
            assert_eq!(table.number(label, &format!("{column}_given")), *distance);
            let far =
                ["axis1", "axis2"].map(|axis| table.number(label, axis) - table.number(name, axis));
            let shown = table.number(label, &format!("{column}_shown"));
            assert!((far[0].hypot(far[1]) - shown).abs() < 1e-6);
        }
        assert_eq!(table.cell(label, "axis1"), plain.cell(label, "axis1"));
    }
    // Old objects have none.
    assert_eq!(table.cell("Rome", "nearest1"), "");
    refused(
        &folder,
        "place europe.adjoin new.tsv --neighbours 99",
        2,
        &["--neighbours", "expected between 1 and"],
    );
}

/// A group by vote, with shares, distances and what the vote is worth; one wrong file at a time.
#[test]
fn groups_by_vote() {
    let folder = demo();
    let run = folder.run("place europe.adjoin new.tsv --groups metadata.tsv:region --neighbours 3");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("the 3 nearest old objects on the map") && run.err.contains("by project"),
        "{}",
        run.err
    );
    let table = Tsv::new(&run.out);
    for row in &table.rows {
        let label = &row[0];
        let votes = table.number(label, "vote_north") + table.number(label, "vote_south");
        assert!((votes - 1.0).abs() < 1e-12);
        let group = table.cell(label, "group");
        assert!(table.number(label, &format!("vote_{group}")) > 0.5);
        assert!(table.number(label, &format!("distance_{group}")) > 0.0);
        assert!(table.number(label, "group_accuracy") > 0.7);
    }
    refused(
        &folder,
        "place europe.adjoin new.tsv --groups metadata.tsv",
        2,
        &["FILE:COLUMN", "region, same"],
    );
    refused(
        &folder,
        "place europe.adjoin new.tsv --groups metadata.tsv:habitat",
        1,
        &["no column \"habitat\""],
    );
    refused(
        &folder,
        "place europe.adjoin new.tsv --groups metadata.tsv:same",
        2,
        &["--groups", "one group only"],
    );
    refused(
        &folder,
        "place europe.adjoin new.tsv --groups metadata.tsv:region --strategy stress",
        2,
        &["--groups beside stress"],
    );
    let some: Vec<String> = folder
        .read("metadata.tsv")
        .lines()
        .filter(|l| !l.starts_with("Lyons"))
        .map(str::to_owned)
        .collect();
    folder.write("some.tsv", some.join("\n"));
    refused(
        &folder,
        "place europe.adjoin new.tsv --groups some.tsv:region",
        1,
        &["found nothing for \"Lyons\""],
    );
}

/// A verdict with -v, in JSON and in the report of compare; none where there are too few objects or residuals are not known.
#[test]
fn a_verdict_on_each_batch() {
    let folder = Folder::new();
    let row = |i: usize| {
        format!(
            "o{i}\t{}\t{}\t{}\n",
            (i * 7) % 11,
            (i * 5) % 13,
            (i * 3) % 4
        )
    };
    let table = |range: std::ops::Range<usize>| -> String {
        "id\tx\ty\tz\n".to_owned() + &range.map(row).collect::<String>()
    };
    folder.write("old.tsv", table(0..40));
    folder.write("new.tsv", table(40..46));
    // All of them far out on the third axis, to either side.
    let far = |i: usize| {
        row(i).replace(
            &format!("\t{}\n", (i * 3) % 4),
            ["\t40\n", "\t-40\n"][i % 2],
        )
    };
    folder.write(
        "far.tsv",
        "id\tx\ty\tz\n".to_owned() + &(40..46).map(far).collect::<String>(),
    );
    assert_eq!(
        folder
            .run("fit old.tsv --metric euclidean -d 2 -o m.adjoin")
            .code,
        0
    );
    let run = folder.run("place m.adjoin new.tsv -v -o placed.tsv");
    assert!(run.err.contains("\nfine: "), "{}", run.err);
    assert!(!folder.read("placed.tsv").contains("fine"));
    assert!(!folder.run("place m.adjoin new.tsv").err.contains("fine"));
    let run = folder.run("place m.adjoin new.tsv --json");
    let rows: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(rows[0]["assessment"]["verdict"], "fine");
    assert_eq!(rows[5]["assessment"]["newcomers"], 6);
    assert!(
        folder
            .run("compare m.adjoin new.tsv")
            .out
            .contains("\nfine: ")
    );
    // Refitting is advised without being asked for.
    let run = folder.run("place m.adjoin far.tsv");
    assert!(
        run.err.contains("\nrefit: ") || run.err.starts_with("refit: "),
        "{}",
        run.err
    );
    // Fewer old objects than a level of 0.1 needs from both tails.
    let demo = Folder::with_demo();
    let run = demo.run("place europe.adjoin new.tsv -v -o placed.tsv");
    assert!(run.err.contains("too few old objects"), "{}", run.err);
    let square =
        "\ta\tb\tc\td\na\t1\t.5\t.4\t.1\nb\t.5\t2\t.3\t.2\nc\t.4\t.3\t1\t.6\nd\t.1\t.2\t.6\t1\n";
    folder.write("similar.tsv", square);
    folder.write("near.tsv", "\ta\tb\tc\td\nx\t.5\t.6\t.4\t.3\n");
    assert_eq!(
        folder
            .run("fit similar.tsv --kind similarity -d 2 -o s.adjoin")
            .code,
        0
    );
    let run = folder.run("place s.adjoin near.tsv -v");
    assert!(run.err.contains("no verdict"), "{}", run.err);
}

/// One row a strategy, differences and errors after the measures, one sentence; one wrong thing at a time.
#[test]
fn strategies_are_evaluated() {
    let folder = demo();
    let run = folder.run("evaluate europe.adjoin old.tsv --folds 6 --repeats 2 --labels metadata.tsv:region -o e.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.starts_with("6 folds, drawn 2 times (seed 1): "),
        "{}",
        run.err
    );
    let table = Tsv::new(&folder.read("e.tsv"));
    let columns = "strategy neighbours rank between radius shown error unplaced knn_fitted knn_loo neighbours_difference neighbours_se";
    let columns: Vec<&str> = columns.split(' ').collect();
    assert_eq!(table.header[..columns.len()], columns);
    assert_eq!(table.rows.len(), 2);
    assert!(table.number("project", "neighbours") > 0.6 && table.number("project", "rank") > 0.9);
    assert_eq!(table.number("project", "rank_difference"), 0.0);
    assert!(table.number("reconstruct", "between_se") > 0.0);
    let one = folder.run("evaluate europe.adjoin old.tsv --folds 6 --threads 1 --json");
    let two = folder.run("evaluate europe.adjoin old.tsv --folds 6 --threads 2 --json");
    assert_eq!((one.code, &one.out), (0, &two.out));
    // The rows of OLD in another order are the same objects.
    let mut lines: Vec<String> = folder.read("old.tsv").lines().map(str::to_owned).collect();
    lines[1..].reverse();
    folder.write("turned.tsv", lines.join("\n"));
    assert_eq!(
        folder
            .run("evaluate europe.adjoin turned.tsv --folds 6 --json")
            .out,
        one.out
    );

    refused(
        &folder,
        "evaluate europe.adjoin old.tsv --folds 99",
        2,
        &["--folds", "expected at most"],
    );
    refused(
        &folder,
        "evaluate europe.adjoin old.tsv --groups metadata.tsv:region",
        2,
        &["found 10 folds, expected at most 2, as many as there are groups"],
    );
    refused(
        &folder,
        "evaluate europe.adjoin old.tsv --labels metadata.tsv:same",
        2,
        &["--labels", "one group only"],
    );
    let other = folder.read("old.tsv").replace("1318", "1500");
    folder.write("other.tsv", other);
    refused(
        &folder,
        "evaluate europe.adjoin other.tsv --folds 6",
        1,
        &["other.tsv"],
    );
    let fewer: Vec<String> = folder
        .read("old.tsv")
        .lines()
        .map(|l| l.rsplit_once('\t').unwrap().0.to_owned())
        .collect();
    folder.write("fewer.tsv", fewer[..fewer.len() - 1].join("\n"));
    refused(
        &folder,
        "evaluate europe.adjoin fewer.tsv --folds 6",
        1,
        &["no row for the object of the map"],
    );
}

/// Maps of features are evaluated from the table they were fitted to.
#[test]
fn features_are_evaluated() {
    let folder = Folder::new();
    let mut table = "id\tx\ty\tz\n".to_owned();
    for i in 0..30 {
        table += &format!(
            "o{i}\t{}\t{}\t{}\n",
            (i * 7) % 11,
            (i * 5) % 13,
            (i * 3) % 4
        );
    }
    folder.write("features.tsv", &table);
    assert_eq!(
        folder
            .run("fit features.tsv --metric euclidean -d 2 -o m.adjoin")
            .code,
        0
    );
    let run = folder.run(
        "evaluate m.adjoin features.tsv --folds 5 --strategies project,reconstruct,hyperplane",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(Tsv::new(&run.out).rows.len(), 3);
    folder.write("other.tsv", table.replace("o3\t10", "o3\t9"));
    refused(
        &folder,
        "evaluate m.adjoin other.tsv --folds 5",
        1,
        &["other features of \"o3\""],
    );
}
