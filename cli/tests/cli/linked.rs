use crate::run::{Folder, Tsv};

/// A folder with `old.tsv` and `new.tsv`, dissimilarities that are the square roots of distances in the plane, and `xy.tsv`, where the
/// old objects are, in another order and in another unit.
fn folder() -> (Folder, Vec<[f64; 2]>) {
    let at = |i: usize| {
        let (a, b) = ((i * 7919 % 101) as f64, (i * 104_729 % 97) as f64);
        [a / 101.0, b / 97.0]
    };
    let places: Vec<[f64; 2]> = (1..=44).map(at).collect();
    let delta = |i: usize, j: usize| {
        let (p, q) = (places[i], places[j]);
        (p[0] - q[0]).hypot(p[1] - q[1]).sqrt()
    };
    let name = |i: usize| {
        if i < 40 {
            format!("plot{i}")
        } else {
            format!("new{i}")
        }
    };
    let header: String = (0..40).map(|j| format!("\t{}", name(j))).collect();
    let row = |i: usize| -> String {
        let cells: String = (0..40).map(|j| format!("\t{}", delta(i, j))).collect();
        format!("{}{cells}\n", name(i))
    };
    let folder = Folder::new();
    let old: String = (0..40).map(row).collect();
    folder.write("old.tsv", format!("{header}\n{old}"));
    let new: String = (40..44).map(row).collect();
    folder.write("new.tsv", format!("{header}\n{new}"));
    let xy: String = (0..40)
        .rev()
        .map(|i| {
            format!(
                "{}\t{}\t{}\n",
                name(i),
                10.0 * places[i][0],
                10.0 * places[i][1]
            )
        })
        .collect();
    folder.write("xy.tsv", format!("\tMDS1\tMDS2\n{xy}"));
    (folder, places)
}

const FIT: &str = "fit old.tsv --configuration xy.tsv --link monotone -o m.adjoin";

/// The whole way of somebody with a nonmetric map: fit, info, place, prove, and nothing is said of eigenvalues.
#[test]
fn a_nonmetric_map() {
    let (folder, places) = folder();
    let run = folder.run("fit old.tsv --configuration xy.tsv -o m.adjoin");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--link monotone"), "{}", run.err);
    let run = folder.run(FIT);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("places old objects, each left out"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("40 objects on 2 axes as given"),
        "{}",
        run.err
    );
    let info = folder.run("info m.adjoin").out;
    for word in ["link", "monotone", "stress", "left out", "knots"] {
        assert!(info.contains(word), "{info} has no {word}");
    }
    for word in ["eigenvalue", "explained", "strain", "spectrum"] {
        assert!(!info.contains(word), "{info} has {word}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&folder.run("info m.adjoin --json").out).unwrap();
    let link = &json["link"];
    assert!(json.get("eigenvalues").is_none());
    assert_eq!(link["form"], "monotone");
    assert!(link["stress"].as_f64().unwrap() < 1e-6);
    let knots = |side: &str| link["knots"][side].as_array().unwrap().len();
    assert!(knots("distance") > 100 && knots("distance") == knots("dissimilarity"));
    assert_eq!(link["shepard"]["distance"].as_array().unwrap().len(), 780);
    assert!(link["left_out"]["median_error"].as_f64().unwrap() < 0.05);

    // Without a word newcomers are placed by stress, where they are; with a proof it is the same place.
    let placed = Tsv::new(&folder.run("place m.adjoin new.tsv").out);
    let run = folder.run("place m.adjoin new.tsv --prove");
    assert!(
        run.err.contains("no place is better, for 4 of 4"),
        "{}",
        run.err
    );
    let proved = Tsv::new(&run.out);
    for (i, place) in places.iter().enumerate().skip(40) {
        let label = format!("new{i}");
        assert_eq!(placed.cell(&label, "strategy"), "stress");
        assert_eq!(proved.cell(&label, "certified"), "true");
        assert!(proved.number(&label, "gap") <= 1e-9);
        for (axis, at) in ["axis1", "axis2"].into_iter().zip(place) {
            assert!((placed.number(&label, axis) - 10.0 * at).abs() < 0.1);
            assert!((placed.number(&label, axis) - proved.number(&label, axis)).abs() < 1e-6);
        }
    }
    assert!(!placed.header.contains(&"certified".to_owned()));
    // Old objects, each left out, beside them.
    let all = Tsv::new(&folder.run("place m.adjoin new.tsv --with-old=loo").out);
    assert!((all.number("plot3", "axis1") - 10.0 * places[3][0]).abs() < 0.5);
    // A page and a picture.
    for command in [
        "report m.adjoin new.tsv -o p.html",
        "plot m.adjoin new.tsv -o p.svg",
        "report m.adjoin -o q.html",
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
    }
    let page = folder.read("p.html");
    assert!(page.contains("by a monotone link with a stress"));
}

/// Coordinates without a map are proved on, too, and shards keep the proof.
#[test]
fn proofs_elsewhere() {
    let (folder, _) = folder();
    let run = folder.run("place xy.tsv new.tsv --strategy stress --prove");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(Tsv::new(&run.out).cell("new40", "certified"), "true");
    assert_eq!(folder.run(FIT).code, 0);
    for shard in 1..=2 {
        let run = folder.run(&format!(
            "place m.adjoin new.tsv --prove --shard {shard}/2 -o p{shard}.parquet"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert_eq!(
        folder.run("gather p1.parquet p2.parquet -o all.tsv").code,
        0
    );
    folder.run("place m.adjoin new.tsv --prove -o whole.tsv");
    assert_eq!(folder.read("all.tsv"), folder.read("whole.tsv"));
}

/// Weights of old objects are kept with the link.
#[test]
fn weights_of_a_link() {
    let (folder, _) = folder();
    let weights: String = (0..40).map(|i| format!("plot{i}\t{}\n", i % 3)).collect();
    folder.write("w.tsv", weights);
    let run =
        folder.run("fit old.tsv --configuration xy.tsv --link linear --weights w.tsv -o m.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    let own = folder.run("place m.adjoin new.tsv").out;
    let said = folder.run("place m.adjoin new.tsv --weights w.tsv").out;
    assert_eq!(own, said);
    assert!(
        folder
            .run("info m.adjoin --json")
            .out
            .contains("\"weights\": [")
    );
}

/// One thing wrong at a time: an exit code, a word of the message, and no file.
#[test]
fn what_is_refused() {
    let (folder, _) = folder();
    assert_eq!(folder.run(FIT).code, 0);
    let xy = folder.read("xy.tsv");
    folder.write("other.tsv", xy.replace("plot7\t", "plat7\t"));
    folder.write("same.tsv", {
        let old = Tsv::new(&folder.read("old.tsv"));
        let mut text = old.header.join("\t") + "\n";
        for (i, row) in old.rows.iter().enumerate() {
            let cells = (0..40).map(|j| if i == j { "\t0" } else { "\t1" });
            text += &format!("{}{}\n", row[0], cells.collect::<String>());
        }
        text
    });
    // Coordinates of others.
    let mut lines: Vec<&str> = xy.lines().skip(1).collect();
    let names: Vec<&str> = lines
        .iter()
        .map(|l| l.split('\t').next().unwrap())
        .collect();
    lines.rotate_left(17);
    let mut wrong = String::from("\tMDS1\tMDS2\n");
    for (name, line) in names.iter().zip(&lines) {
        wrong += &format!("{name}\t{}\n", line.split_once('\t').unwrap().1);
    }
    folder.write("wrong.tsv", wrong);
    for (command, code, word) in [
        (
            "fit old.tsv --configuration other.tsv --link monotone -o x.adjoin",
            1,
            "found no coordinates for \"plot7\"",
        ),
        (
            "fit same.tsv --configuration xy.tsv --link monotone -o x.adjoin",
            1,
            "found one dissimilarity, 1,",
        ),
        (
            "fit old.tsv --configuration wrong.tsv --link monotone -o x.adjoin",
            1,
            "force takes it all the same",
        ),
        (
            "fit old.tsv --configuration xy.tsv --kind similarity --link monotone -o x.adjoin",
            2,
            "found a link beside similarities",
        ),
        (
            "fit old.tsv --configuration xy.tsv --link monotone --rescale -o x.adjoin",
            2,
            "found a wish to rescale beside a link",
        ),
        (
            "fit old.tsv -d 2 --link monotone -o x.adjoin",
            2,
            "--configuration",
        ),
        (
            "place m.adjoin new.tsv --strategy project -o x.tsv",
            1,
            "expected stress, its own criterion",
        ),
        (
            "place m.adjoin new.tsv --strategy reconstruct --prove -o x.tsv",
            2,
            "expected it with stress only",
        ),
        (
            "compare m.adjoin new.tsv -o x.tsv",
            1,
            "a comparison of strategies cannot be had here",
        ),
        ("arc m.adjoin new.tsv -o x.tsv", 1, "expected stress"),
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, code, "{command}: {}", run.err);
        assert!(run.err.contains(word), "{command}: {}", run.err);
        assert!(
            !folder.exists("x.adjoin") && !folder.exists("x.tsv"),
            "{command}"
        );
    }
    let run =
        folder.run("fit old.tsv --configuration wrong.tsv --link monotone --force -o x.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    // Four axes are too many for a proof.
    let four: String = (0..40)
        .map(|i| {
            format!(
                "plot{i}\t{}\t{}\t{}\t{}\n",
                i,
                i * i % 7,
                i * i % 11,
                i * i % 13
            )
        })
        .collect();
    folder.write("four.tsv", format!("\ta\tb\tc\td\n{four}"));
    let run = folder.run("place four.tsv new.tsv --strategy stress --prove -o x.tsv");
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("found a map of 4 axes, expected at most 3"),
        "{}",
        run.err
    );
}
