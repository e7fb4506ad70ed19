use crate::run::{Folder, Tsv};

/// Everybody anew, turned onto the map of the first: who moved is said, and written for machines.
#[test]
fn everybody_anew_on_the_old_axes() {
    let folder = Folder::with_demo();
    let run = folder.run("refit europe.adjoin cities.tsv -o anew.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err
            .contains("anew.adjoin: 21 objects fitted anew, turned and shifted onto the old map"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("the 18 founders moved by 0."),
        "{}",
        run.err
    );
    assert!(run.err.contains("Procrustes' statistic 0."), "{}", run.err);

    // What compare says of re-embedding.
    let compared = folder.run("compare europe.adjoin cities.tsv").out;
    let record = folder
        .run("refit europe.adjoin cities.tsv -o again.adjoin --json")
        .out;
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let moved = record["root_mean_square"].as_f64().unwrap() / record["spread"].as_f64().unwrap();
    assert!(
        compared.contains(&format!("by {moved:.3} of the map's spread")),
        "{moved} {compared}"
    );
    let first = record["moved"][0]["label"].as_str().unwrap();
    assert!(
        compared
            .replace('\n', " ")
            .contains(&format!("most of all {first}")),
        "{first}"
    );
    assert_eq!(record["moved"].as_array().unwrap().len(), 18);
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("anew.adjoin"), read("again.adjoin"));

    // It is a map: it is told, drawn, grown and placed on.
    let info = folder.run("info anew.adjoin").out;
    assert!(
        info.contains("refitted          from europe.adjoin (sha256 "),
        "{info}"
    );
    assert!(info.contains("turned"), "{info}");
    let run = folder.run("place anew.adjoin old.tsv");
    assert_eq!(run.code, 1);
    folder.write("more.tsv", {
        let all = Tsv::new(&folder.read("cities.tsv"));
        let row = all.rows.iter().find(|r| r[0] == "Brussels").unwrap();
        format!(
            "\t{}\nBrusselsAgain\t{}\n",
            all.header[1..].join("\t"),
            row[1..].join("\t")
        )
    });
    for arguments in [
        "place anew.adjoin more.tsv -o placed.tsv",
        "report anew.adjoin more.tsv -o page.html",
        "plot anew.adjoin more.tsv -o map.svg",
        "grow anew.adjoin more.tsv -o grown.adjoin",
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 0, "{arguments}: {}", run.err);
    }
    // An old object entered again is where the new map has it.
    let placed = Tsv::new(&folder.read("placed.tsv"));
    folder.run("convert anew.adjoin anew.tsv");
    let anew = Tsv::new(&folder.read("anew.tsv"));
    let place = anew.rows.iter().find(|r| r[0] == "Brussels").unwrap();
    let axis: f64 = place[1].parse().unwrap();
    assert!((placed.number("BrusselsAgain", "axis1") - axis).abs() < 1e-6);

    let own = folder.run("refit europe.adjoin cities.tsv -o own.adjoin --align none");
    assert!(own.err.contains("on axes of their own"), "{}", own.err);
}

#[test]
fn wrong_refits_are_refused() {
    let folder = Folder::with_demo();
    folder.write(
        "others.tsv",
        "\ta\tb\tc\na\t0\t3\t4\nb\t3\t0\t5\nc\t4\t5\t0\n",
    );
    let before = folder.names();
    for (arguments, code, words) in [
        (
            "refit europe.adjoin others.tsv -o out.adjoin",
            1,
            "found 0 of the map's 18 founders",
        ),
        ("refit europe.adjoin new.tsv -o out.adjoin", 1, "new.tsv"),
        (
            "refit europe.adjoin cities.tsv -o europe.adjoin",
            2,
            "the same file as MAP",
        ),
        (
            "refit europe.adjoin cities.tsv -o cities.tsv",
            2,
            "the same file as SQUARE",
        ),
        (
            "refit cities.tsv cities.tsv -o out.adjoin",
            1,
            "expected a map made by adjoin fit",
        ),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(words), "{arguments}: {}", run.err);
        assert_eq!(folder.names(), before, "{arguments}");
    }
}
