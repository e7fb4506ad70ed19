use crate::run::{Folder, Tsv};

fn cells<'a>(table: &'a Tsv, column: &str) -> Vec<&'a str> {
    let at = table.column(column);
    table.rows.iter().map(|row| &row[at][..]).collect()
}

/// Standard errors are columns after the others, the covariance is in JSON and Parquet, and places stay where they are.
#[test]
fn standard_errors_come_after_the_other_columns() {
    let folder = Folder::with_demo();
    for strategy in ["project", "reconstruct"] {
        let plain = folder.run(&format!(
            "place europe.adjoin new.tsv --strategy {strategy}"
        ));
        let told = folder.run(&format!(
            "place europe.adjoin new.tsv --strategy {strategy} --uncertainty"
        ));
        assert_eq!((plain.code, told.code), (0, 0), "{}", told.err);
        let (plain, told) = (Tsv::new(&plain.out), Tsv::new(&told.out));
        assert_eq!(told.header[..plain.header.len()], plain.header[..]);
        assert_eq!(told.header[plain.header.len()..], ["se1", "se2"]);
        for name in ["side", "jump", "stretch"] {
            let filled = cells(&told, name).iter().all(|cell| !cell.is_empty());
            assert_eq!(filled, strategy == "reconstruct", "{name}");
        }
        assert!(cells(&plain, "side").iter().all(|cell| cell.is_empty()));
        assert_eq!(cells(&plain, "axis1"), cells(&told, "axis1"));
        let json = folder.run(&format!(
            "place europe.adjoin new.tsv --strategy {strategy} --uncertainty=axes --json"
        ));
        let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        for (row, (se1, se2)) in cells(&told, "se1")
            .iter()
            .zip(cells(&told, "se2"))
            .enumerate()
        {
            let sigma = &json[row]["covariance"];
            let root = |i: usize| sigma[i][i].as_f64().unwrap().sqrt();
            assert_eq!(root(0), se1.parse::<f64>().unwrap());
            assert_eq!(root(1), se2.parse::<f64>().unwrap());
            assert_eq!(sigma[0][1], sigma[1][0]);
        }
    }
    // Jointly, and by refits.
    for how in [
        "--jointly --uncertainty",
        "--uncertainty=refit --old old.tsv",
        "--strategy augment --uncertainty=refit --old old.tsv",
    ] {
        let new = if how.contains("jointly") {
            "cities.tsv"
        } else {
            "new.tsv"
        };
        let run = folder.run(&format!("place europe.adjoin {new} {how}"));
        assert!(run.code == 0 || run.code == 3, "{how}: {}", run.err);
        let table = Tsv::new(&run.out);
        assert!(
            cells(&table, "se2")
                .iter()
                .any(|cell| cell.parse::<f64>().is_ok_and(|se| se > 0.0)),
            "{how}"
        );
    }
}

/// Shards have the same columns, the covariance among them, and gathered they are the whole.
#[test]
fn shards_keep_the_covariance() {
    let folder = Folder::with_demo();
    for i in 1..=4 {
        let run = folder.run(&format!(
            "place europe.adjoin new.tsv --uncertainty --shard {i}/4 -o part{i}.parquet"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    for output in ["tsv", "parquet"] {
        let parts = "part1.parquet part2.parquet part3.parquet part4.parquet";
        assert_eq!(
            folder
                .run(&format!("gather {parts} -o gathered.{output}"))
                .code,
            0
        );
        assert_eq!(
            folder
                .run(&format!(
                    "place europe.adjoin new.tsv --uncertainty -o whole.{output}"
                ))
                .code,
            0
        );
        let bytes = |name: &str| std::fs::read(folder.path(&format!("{name}.{output}"))).unwrap();
        assert!(bytes("gathered") == bytes("whole"), "{output}");
    }
    // Parts that were told otherwise are of another run.
    let run = folder.run("place europe.adjoin new.tsv --shard 1/4 -o part1.parquet");
    assert_eq!(run.code, 0);
    assert_eq!(
        folder
            .run("gather part1.parquet part2.parquet part3.parquet part4.parquet -o no.tsv")
            .code,
        1
    );
}

/// One wrong thing at a time.
#[test]
fn wrong_questions_about_uncertainty() {
    let folder = Folder::with_demo();
    let old = folder.read("old.tsv");
    // Other distances between the same cities, and other cities.
    let far: String = old
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let cells = line.split('\t').enumerate();
            let cell = |(j, cell): (usize, &str)| match cell.parse::<f64>() {
                Ok(length) if i > 0 && j > 0 => (1.2 * length).to_string(),
                _ => cell.to_owned(),
            };
            cells.map(cell).collect::<Vec<_>>().join("\t") + "\n"
        })
        .collect();
    folder.write("far.tsv", far);
    folder.write("others.tsv", old.replace("Geneva", "Genf"));
    let right =
        folder.run("place europe.adjoin new.tsv --uncertainty=refit --old old.tsv -o placed.tsv");
    assert_eq!(right.code, 0, "{}", right.err);
    for (flags, code, words) in [
        (
            "--uncertainty=refit",
            2,
            "found --uncertainty=refit without --old, expected --old OLD",
        ),
        (
            "--uncertainty=refit --old far.tsv",
            1,
            "far.tsv: found a mean squared dissimilarity of",
        ),
        (
            "--uncertainty=refit --old others.tsv",
            1,
            "others.tsv:1: found no column for \"Geneva\"",
        ),
        ("--uncertainty=refit --old missing.tsv", 1, "missing.tsv"),
        (
            "--uncertainty --old old.tsv",
            2,
            "found --old without --uncertainty=refit",
        ),
        (
            "--uncertainty --strategy hyperplane",
            2,
            "found --uncertainty beside hyperplane, expected project or reconstruct",
        ),
        ("--uncertainty=often", 2, "axes, refit"),
    ] {
        let run = folder.run(&format!("place europe.adjoin new.tsv {flags} -o no.tsv"));
        assert_eq!(run.code, code, "{flags}: {}", run.err);
        assert!(run.err.contains(words), "{flags}: {}", run.err);
        assert!(!folder.exists("no.tsv"), "{flags}");
    }
    // OLD is not written over.
    let run =
        folder.run("place europe.adjoin new.tsv --uncertainty=refit --old old.tsv -o old.tsv");
    assert_eq!(run.code, 2, "{}", run.err);
    assert_eq!(folder.read("old.tsv"), old);
    // A map of features makes the old objects' proximities itself.
    folder.write("features.csv", features(0, 30));
    folder.write("more.csv", features(30, 4));
    assert_eq!(
        folder
            .run("fit features.csv -d 2 --metric euclidean -o features.adjoin")
            .code,
        0
    );
    let run = folder.run("place features.adjoin more.csv --uncertainty=refit");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        cells(&Tsv::new(&run.out), "se1")
            .iter()
            .all(|cell| !cell.is_empty())
    );
}

fn features(first: usize, count: usize) -> String {
    let row = |i: usize| format!("o{i},{},{},{}\n", 3 * (i * 7 % 31), i * 5 % 17, i * 11 % 13);
    "label,a,b,c\n".to_owned() + &(first..first + count).map(row).collect::<String>()
}

/// Axes that are hardly separated are remarked on, once, on stderr and in JSON; refits include it and say nothing.
#[test]
fn uncertain_axes_are_remarked_on() {
    let folder = Folder::new();
    // A grid has two equal axes.
    let square = |from: usize, to: usize| {
        let at = |i: usize| [(i % 6) as f64, (i / 6) as f64, 0.3 * (i * i % 7) as f64];
        let label = |i: usize| {
            if i < 36 {
                format!("o{i}")
            } else {
                format!("n{i}")
            }
        };
        let columns: Vec<String> = (0..36).map(label).collect();
        let mut text = format!("\t{}\n", columns.join("\t"));
        for i in from..to {
            let cell = |j: usize| {
                let squares = at(i)
                    .iter()
                    .zip(at(j))
                    .map(|(a, b)| (a - b).powi(2))
                    .sum::<f64>();
                squares.sqrt().to_string()
            };
            text += &format!(
                "{}\t{}\n",
                label(i),
                (0..36).map(cell).collect::<Vec<_>>().join("\t")
            );
        }
        text
    };
    folder.write("old.tsv", square(0, 36));
    folder.write("new.tsv", square(36, 40));
    assert_eq!(folder.run("fit old.tsv -d 1 -o map.adjoin").code, 0);
    let words = "other old objects would have made another axis 1";
    let run = folder.run("place map.adjoin new.tsv --uncertainty -o placed.json");
    assert_eq!(run.err.matches(words).count(), 1, "{}", run.err);
    assert!(folder.read("placed.json").contains(words));
    let run =
        folder.run("place map.adjoin new.tsv --uncertainty=refit --old old.tsv -o placed.json");
    assert!(run.code == 0 && !run.err.contains(words), "{}", run.err);
}

/// A picture has a region around each place, and a legend that says so.
#[test]
fn pictures_have_regions() {
    let folder = Folder::with_demo();
    for how in [
        "--uncertainty",
        "--uncertainty --strategy project",
        "--uncertainty=refit --old old.tsv",
    ] {
        let run = folder.run(&format!("plot europe.adjoin new.tsv {how} -o figure.svg"));
        assert_eq!(run.code, 0, "{how}: {}", run.err);
        let picture = folder.read("figure.svg");
        assert_eq!(picture.matches("class=\"region\"").count(), 3, "{how}");
        assert!(picture.contains("95 % region"), "{how}");
    }
    folder.run("plot europe.adjoin new.tsv -o figure.svg");
    assert!(!folder.read("figure.svg").contains("region"));
    let run = folder.run("plot europe.adjoin --uncertainty -o no.svg");
    assert_eq!(run.code, 2, "{}", run.err);
}
