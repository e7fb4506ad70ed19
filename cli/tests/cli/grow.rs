use crate::run::{Folder, Run, Tsv};

/// Three cities at the end of the table come later.
const LATER: [&str; 3] = ["Athens", "Stockholm", "Vienna"];

/// A table of some cities against others.
fn some(folder: &Folder, rows: &[&str], without: &[&str]) -> String {
    let all = Tsv::new(&folder.read("cities.tsv"));
    let stay: Vec<usize> = (1..all.header.len())
        .filter(|&j| !without.contains(&all.header[j].as_str()))
        .collect();
    let line = |first: &str, cells: &[String]| {
        let cells: Vec<&str> = stay.iter().map(|&j| cells[j].as_str()).collect();
        format!("{first}\t{}\n", cells.join("\t"))
    };
    let mut text = line("", &all.header);
    for row in all.rows.iter().filter(|r| rows.contains(&r[0].as_str())) {
        text += &line(&row[0], row);
    }
    text
}

fn runs(folder: &Folder, arguments: &str) -> Run {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments}: {}", run.err);
    run
}

/// A map of 18 cities that has grown by Athens, and then by Stockholm.
fn grown() -> Folder {
    let folder = Folder::with_demo();
    folder.write("athens.tsv", some(&folder, &["Athens"], &LATER));
    folder.write("stockholm.tsv", some(&folder, &["Stockholm"], &LATER[1..]));
    folder.write("vienna.tsv", some(&folder, &["Vienna"], &LATER[2..]));
    folder.write("vienna1.tsv", some(&folder, &["Vienna"], &LATER[1..]));
    folder.write("vienna0.tsv", some(&folder, &["Vienna"], &LATER));
    runs(&folder, "grow europe.adjoin athens.tsv -o one.adjoin");
    runs(
        &folder,
        "grow one.adjoin stockholm.tsv --strategy reconstruct -o two.adjoin",
    );
    folder
}

#[test]
fn newcomers_become_members_and_nobody_moves() {
    let folder = grown();
    runs(&folder, "convert europe.adjoin before.tsv");
    runs(&folder, "convert two.adjoin after.tsv");
    let (before, after) = (folder.read("before.tsv"), folder.read("after.tsv"));
    assert!(after.starts_with(&before), "{before}\n{after}");
    // Members are where they were placed.
    let placed = Tsv::new(&runs(&folder, "place europe.adjoin athens.tsv").out);
    let after = Tsv::new(&after);
    assert_eq!(after.rows.len(), 20);
    assert_eq!(
        after.cell("Athens", &after.header[1]),
        placed.cell("Athens", "axis1")
    );

    // Vienna is compared with twenty.
    let run = runs(&folder, "place two.adjoin vienna.tsv");
    assert_eq!(Tsv::new(&run.out).cell("Vienna", "known"), "20");
    let compared = runs(&folder, "compare two.adjoin vienna.tsv");
    assert!(
        compared.out.contains("reconstruct") && compared.out.contains("hyperplane"),
        "{}",
        compared.out
    );
    runs(&folder, "arc two.adjoin vienna.tsv -o arc.tsv");
    runs(&folder, "report two.adjoin vienna.tsv -o page.html");
    runs(&folder, "plot two.adjoin vienna.tsv -o map.svg");
}

/// Only absent columns, exactly those of all later generations, choose a generation.
#[test]
fn absent_columns_choose_the_map_as_it_was() {
    let folder = grown();
    for (table, map, generation) in [
        ("vienna0.tsv", "europe.adjoin", 0),
        ("vienna1.tsv", "one.adjoin", 1),
    ] {
        let expected = runs(
            &folder,
            &format!("place {map} {table} --strategy reconstruct"),
        );
        let run = runs(
            &folder,
            &format!("place two.adjoin {table} --strategy reconstruct"),
        );
        assert_eq!(run.out, expected.out);
        assert!(
            run.err.contains(&format!("generation {generation} of 2")),
            "{}",
            run.err
        );
        // By its number, whatever columns there are.
        for table in [table, "vienna.tsv"] {
            let asked = format!(
                "place two.adjoin {table} --strategy reconstruct --generation {generation}"
            );
            assert_eq!(runs(&folder, &asked).out, expected.out);
        }
    }
    // Hyperplane can be had on the founders' map.
    runs(
        &folder,
        "place two.adjoin vienna0.tsv --strategy hyperplane",
    );
    let refused = folder.run("place two.adjoin vienna.tsv --strategy hyperplane");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("generation 0"), "{}", refused.err);

    // An empty cell is a missing proximity, not a generation.
    let text = folder.read("vienna.tsv");
    let (head, row) = text.split_once('\n').unwrap();
    let row = row.trim_end().rsplit_once('\t').unwrap().0;
    folder.write("hole.tsv", format!("{head}\n{row}\tNA\n"));
    let run = runs(&folder, "place two.adjoin hole.tsv");
    assert_eq!(Tsv::new(&run.out).cell("Vienna", "known"), "19");
    assert!(!run.err.contains("generation"), "{}", run.err);
    // Any other absent column is an error, or --partial.
    let other = [LATER[0], LATER[2]];
    folder.write("other.tsv", some(&folder, &["Vienna"], &other));
    let refused = folder.run("place two.adjoin other.tsv");
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("no column for \"Athens\""),
        "{}",
        refused.err
    );
    let run = runs(&folder, "place two.adjoin other.tsv --partial");
    assert_eq!(Tsv::new(&run.out).cell("Vienna", "known"), "19");

    let refused = folder.run("place two.adjoin vienna.tsv --generation 3");
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .contains("two.adjoin: found generation 3, expected one from 0 to 2"),
        "{}",
        refused.err
    );
}

/// Growing by A and then by B, where B gives the founders' columns only, is growing by both; the history says otherwise.
#[test]
fn one_after_the_other_is_both_at_once() {
    let folder = grown();
    folder.write("stockholm0.tsv", some(&folder, &["Stockholm"], &LATER));
    folder.write("both.tsv", some(&folder, &["Athens", "Stockholm"], &LATER));
    runs(&folder, "grow one.adjoin stockholm0.tsv -o after.adjoin");
    runs(&folder, "grow europe.adjoin both.tsv -o both.adjoin");
    let [after, both] = ["after", "both"].map(|map| {
        runs(
            &folder,
            &format!("place {map}.adjoin vienna.tsv --strategy reconstruct"),
        )
    });
    assert_eq!(after.out, both.out);

    let info = runs(&folder, "info after.adjoin").out;
    assert!(info.contains("founders          18"), "{info}");
    assert!(info.contains("generation 2      1 more, placed by project on the founders' map: stockholm0.tsv (sha256 "), "{info}");
    let history = runs(&folder, "info two.adjoin --json").out;
    let history: serde_json::Value = serde_json::from_str(&history).unwrap();
    let second = &history["growth"]["generations"][1];
    assert_eq!(
        (second["placed_on"].as_u64(), second["strategy"].as_str()),
        (Some(1), Some("reconstruct"))
    );
    assert_eq!(second["sha256"].as_str().unwrap().len(), 64);
}

/// Together, from a square over everybody or from a table of what is between them.
#[test]
fn members_placed_jointly() {
    let folder = Folder::with_demo();
    runs(
        &folder,
        "grow europe.adjoin cities.tsv --jointly -o jointly.adjoin",
    );
    let placed = Tsv::new(&runs(&folder, "place europe.adjoin cities.tsv --jointly").out);
    runs(&folder, "convert jointly.adjoin all.tsv");
    let all = Tsv::new(&folder.read("all.tsv"));
    for city in LATER {
        assert_eq!(all.cell(city, &all.header[2]), placed.cell(city, "axis2"));
    }
    let run = runs(
        &folder,
        "grow europe.adjoin cities.tsv --jointly -o again.adjoin --json",
    );
    let record: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(record["certified"], true);
    assert_eq!(record["generations"][0]["jointly"], true);
    assert_eq!(
        std::fs::read(folder.path("jointly.adjoin")).unwrap(),
        std::fs::read(folder.path("again.adjoin")).unwrap()
    );
}

/// Arrays know their objects by position: as many columns as a generation has objects.
#[test]
fn arrays_grow_by_position() {
    let folder = Folder::with_demo();
    runs(&folder, "convert old.tsv old.npy");
    runs(&folder, "convert new.tsv all.npy");
    folder.write("first.tsv", some(&folder, &["Athens"], &LATER));
    runs(&folder, "convert first.tsv first.npy");
    runs(&folder, "fit old.npy -d 2 -o map.adjoin");
    runs(&folder, "grow map.adjoin first.npy -o one.adjoin");
    runs(&folder, "grow one.adjoin first.npy -o two.adjoin");
    let info = runs(&folder, "info two.adjoin --json").out;
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["growth"]["generations"][1]["placed_on"], 0);
    assert_eq!(info["n"], 20);
}

/// One wrong thing at a time: one message, and nothing written.
#[test]
fn wrong_growth_is_refused() {
    let folder = grown();
    let no_founder = some(&folder, &["Vienna"], &[]);
    let all = Tsv::new(&no_founder);
    let founders: Vec<&str> = all.header[1..]
        .iter()
        .map(String::as_str)
        .filter(|c| *c != "Athens")
        .collect();
    folder.write("members.tsv", some(&folder, &["Vienna"], &founders));
    let again = folder.read("athens.tsv");
    folder.write("again.tsv", again);
    let newer = std::fs::read(folder.path("two.adjoin")).unwrap();
    folder.write(
        "newer.adjoin",
        sealed(&newer, b"\\\"format\\\":4", b"\\\"format\\\":9"),
    );
    runs(
        &folder,
        "fit old.tsv -d 2 --method isomap --neighbors 6 -o isomap.adjoin",
    );
    let before = folder.names();
    for (arguments, code, words) in [
        (
            "grow two.adjoin again.tsv -o out.adjoin",
            1,
            "again.tsv: found the newcomer \"Athens\"",
        ),
        (
            "grow two.adjoin members.tsv -o out.adjoin",
            1,
            "a column for the member \"Athens\" and none for a founder",
        ),
        (
            "grow two.adjoin members.tsv --partial -o out.adjoin",
            1,
            "a column for the member \"Athens\" and none for a founder",
        ),
        (
            "grow newer.adjoin vienna.tsv -o out.adjoin",
            1,
            "found a map of format 9, newer than 5",
        ),
        (
            "grow two.adjoin vienna.tsv -o two.adjoin",
            2,
            "the same file as MAP",
        ),
        (
            "grow two.adjoin vienna.tsv -o vienna.tsv",
            2,
            "the same file as NEW",
        ),
        ("grow two.adjoin vienna.tsv -o out.tsv", 2, "out.tsv"),
        (
            "grow isomap.adjoin vienna0.tsv -o out.adjoin",
            1,
            "shorter ways",
        ),
        (
            "grow two.adjoin vienna.tsv --strategy augment -o out.adjoin",
            1,
            "a map that has grown",
        ),
        (
            "grow two.adjoin vienna.tsv --jointly --strategy project -o out.adjoin",
            2,
            "--jointly",
        ),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, code, "{arguments}: {}", run.err);
        assert!(run.err.contains(words), "{arguments}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

/// The bytes of a map with something replaced and its checksum made right again.
fn sealed(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let mut bytes = bytes.to_vec();
    let at = bytes.windows(from.len()).position(|w| w == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
    let mark = b"\\\"checksum\\\":\\\"";
    let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap() + mark.len();
    bytes[at..at + 64].fill(b'0');
    let digest = Sha256::digest(&bytes);
    let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    bytes[at..at + 64].copy_from_slice(hex.as_bytes());
    bytes
}

/// Features grow by features.
#[test]
fn maps_of_features_grow() {
    let folder = Folder::new();
    let row = |i: usize| format!("s{i},{},{},{}\n", (i * 7) % 11, (i * 5) % 13, (i * 3) % 7);
    let table = |range: std::ops::Range<usize>| {
        "name,x,y,z\n".to_owned() + &range.map(row).collect::<String>()
    };
    for (name, range) in [
        ("old.csv", 0..12),
        ("more.csv", 12..15),
        ("new.csv", 15..18),
    ] {
        folder.write(name, table(range));
    }
    runs(
        &folder,
        "fit old.csv -d 2 --metric braycurtis -o map.adjoin",
    );
    runs(&folder, "grow map.adjoin more.csv -o grown.adjoin");
    let run = runs(&folder, "place grown.adjoin new.csv");
    assert_eq!(Tsv::new(&run.out).cell("s15", "known"), "15");
    let [then, map] = ["grown.adjoin new.csv --generation 0", "map.adjoin new.csv"]
        .map(|a| runs(&folder, &format!("place {a}")).out);
    assert_eq!(then, map);
}
