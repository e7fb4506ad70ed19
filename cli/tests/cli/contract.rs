use std::io::Write;
use std::process::Stdio;

use crate::run::{Folder, Tsv};

/// Vienna on the map of the twenty other cities: the numbers of the theory's check values.
#[test]
fn vienna() {
    let folder = Folder::with_demo();
    let all = Tsv::new(&folder.read("cities.tsv"));
    let line = |r: &Vec<String>| r[..21].join("\t") + "\n";
    let old: String = all.rows[..20].iter().map(line).collect();
    folder.write("twenty.tsv", line(&all.header) + &old);
    folder.write("vienna.tsv", line(&all.header) + &line(&all.rows[20]));
    assert_eq!(folder.run("fit twenty.tsv -d 2 -o t.adjoin").code, 0);

    let run = folder.run("place t.adjoin vienna.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    let table = Tsv::new(&run.out);
    assert_eq!(
        table.header[..12],
        [
            "label",
            "axis1",
            "axis2",
            "strategy",
            "lambda",
            "objective",
            "residual",
            "status",
            "known",
            "p",
            "p_outside",
            "p_inside"
        ]
    );
    assert!((table.number("Vienna", "axis1").abs() - 934.7876).abs() < 1e-4);
    assert!((table.number("Vienna", "axis2").abs() - 236.5335).abs() < 1e-4);
    assert_eq!(table.number("Vienna", "lambda"), 0.0);
    assert_eq!(table.cell("Vienna", "strategy"), "project");
    assert!((table.number("Vienna", "residual") - 333295.40915).abs() < 1e-4);

    let run = folder.run("place t.adjoin vienna.tsv --strategy reconstruct");
    let table = Tsv::new(&run.out);
    assert!((table.number("Vienna", "axis1").abs() - 950.1146).abs() < 1e-4);
    assert!((table.number("Vienna", "lambda") + 301435.8).abs() < 0.05);
    assert!((table.number("Vienna", "objective") - 606329228228.0).abs() < 1.0);
    assert_eq!(table.cell("Vienna", "status"), "unique");

    for (strategy, axis1) in [
        ("hyperplane", 949.7762545),
        ("augment", 950.4863516),
        ("augment --recentre", 949.7818810),
        ("augment --scaled", 950.7365966),
    ] {
        let run = folder.run(&format!("place t.adjoin vienna.tsv --strategy {strategy}"));
        let table = Tsv::new(&run.out);
        assert!(
            (table.number("Vienna", "axis1").abs() - axis1).abs() < 1e-6,
            "{strategy}"
        );
        assert_eq!(table.cell("Vienna", "lambda"), "", "{strategy}");
        let proved = table.header.iter().any(|h| h == "certified" || h == "gap");
        assert_eq!(proved, strategy == "hyperplane");
        if proved {
            assert_eq!(table.cell("Vienna", "certified"), "true");
            assert_eq!(table.number("Vienna", "gap"), 0.0);
        }
    }

    // A missing entry, an origin, corrections.
    folder.write(
        "hole.tsv",
        folder
            .read("vienna.tsv")
            .replacen("Vienna\t1991", "Vienna\tNA", 1),
    );
    let table = Tsv::new(&folder.run("place t.adjoin hole.tsv --with-old").out);
    assert_eq!(table.cell("Vienna", "known"), "19");
    assert_eq!(table.cell("Paris", "known"), "");
    assert!((table.number("Vienna", "axis1").abs() - 895.7805443).abs() < 1e-6);
    for (flags, axis1) in [
        ("--origin Athens", 1899.92858),
        ("--correction lingoes", 883.20548),
        ("--correction cailliez", 1195.27890),
    ] {
        let run = folder.run(&format!("fit twenty.tsv -d 2 -o u.adjoin {flags}"));
        assert_eq!(run.code, 0, "{}", run.err);
        let table = Tsv::new(&folder.run("place u.adjoin vienna.tsv").out);
        assert!(
            (table.number("Vienna", "axis1").abs() - axis1).abs() < 1e-4,
            "{flags}"
        );
    }
}

/// Columns in another order, a square over all objects and a rectangle give the same rows.
#[test]
fn newcomers_are_matched_by_label() {
    let folder = Folder::with_demo();
    let plain = folder.run("place europe.adjoin new.tsv").out;
    let new = Tsv::new(&folder.read("new.tsv"));
    let shuffled = |row: &Vec<String>| {
        let mut cells = row[1..].to_vec();
        cells.reverse();
        format!("{}\t{}\n", row[0], cells.join("\t"))
    };
    let body: String = new.rows.iter().map(shuffled).collect();
    folder.write("shuffled.tsv", shuffled(&new.header) + &body);
    assert_eq!(folder.run("place europe.adjoin shuffled.tsv").out, plain);
    assert_eq!(folder.run("place europe.adjoin cities.tsv").out, plain);
}

/// A square whose old part is not the map's is refused.
#[test]
fn old_part_must_agree() {
    let folder = Folder::with_demo();
    let other = folder
        .read("cities.tsv")
        .replace("\t1318\t", "\t1418\t")
        .replace("\t1318", "\t1418");
    folder.write("other.tsv", other);
    let run = folder.run("place europe.adjoin other.tsv -o out.tsv");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("found") && run.err.contains("expected"),
        "{}",
        run.err
    );
    assert!(!folder.exists("out.tsv"));
}

/// Jointly: from a square, from a file, certified; another strategy beside it is a usage error.
#[test]
fn jointly() {
    let folder = Folder::with_demo();
    let run = folder.run("place europe.adjoin cities.tsv --jointly");
    assert_eq!(run.code, 0, "{}", run.err);
    let table = Tsv::new(&run.out);
    assert_eq!(table.cell("Vienna", "strategy"), "reconstruct");
    assert_eq!(table.cell("Vienna", "lambda"), "");
    assert_eq!(table.cell("Vienna", "certified"), "true");
    assert_eq!(
        table.cell("Athens", "objective"),
        table.cell("Vienna", "objective")
    );
    assert!(table.number("Athens", "gap") < 1e-9);
    let all = Tsv::new(&folder.read("cities.tsv"));
    let names = ["Athens", "Stockholm", "Vienna"];
    let mut between = String::from("\tVienna\tAthens\tStockholm\n");
    for name in names {
        let row: Vec<&str> = ["Vienna", "Athens", "Stockholm"]
            .iter()
            .map(|c| all.cell(name, c))
            .collect();
        between += &format!("{name}\t{}\n", row.join("\t"));
    }
    folder.write("between.tsv", between);
    for arguments in [
        "europe.adjoin new.tsv --between between.tsv",
        "europe.adjoin new.tsv --jointly --between between.tsv",
        "europe.adjoin --jointly new.tsv --between between.tsv",
        "--jointly europe.adjoin cities.tsv",
    ] {
        let again = folder.run(&format!("place {arguments}"));
        assert_eq!(again.out, run.out, "{arguments}: {}", again.err);
    }
    // --jointly takes no value: what follows it is not its file.
    let run = folder.run("place europe.adjoin new.tsv --jointly between.tsv");
    assert_eq!(run.code, 2, "{}", run.err);
    let run = folder.run("place europe.adjoin new.tsv --between between.tsv --strategy stress");
    assert_eq!(run.code, 2, "{}", run.err);
    let run = folder.run("place europe.adjoin cities.tsv --jointly --strategy project");
    assert_eq!(run.code, 2);
    let run = folder.run("place europe.adjoin new.tsv --jointly");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("nothing between the newcomers"),
        "{}",
        run.err
    );
}

/// Example 1 of the paper, two newcomers on opposite sides: ±√80, F = 644, a pair.
#[test]
fn example_one_jointly() {
    let folder = Folder::new();
    folder.write("old.tsv", "\ta\tb\na\t0\t2\nb\t2\t0\n");
    folder.write("new.tsv", "\ta\tb\nup\t9.055385138137417\t9.055385138137417\ndown\t9.055385138137417\t9.055385138137417\n");
    folder.write("between.tsv", "\tup\tdown\nup\t0\t18\ndown\t18\t0\n");
    assert_eq!(folder.run("fit old.tsv -d 1 -o m.adjoin").code, 0);
    let run = folder.run("place m.adjoin new.tsv --between between.tsv --all-minimisers");
    let table = Tsv::new(&run.out);
    let (up, down) = (table.number("up", "axis1"), table.number("down", "axis1"));
    assert!(
        (up.abs() - 80f64.sqrt()).abs() < 1e-7 && (up + down).abs() < 1e-7,
        "{}",
        run.out
    );
    assert!((table.number("up", "objective") - 644.0).abs() < 1e-9);
    assert_eq!(table.cell("up", "certified"), "true");
    assert_eq!(table.rows.len(), 4);
    let run = folder.run("place m.adjoin new.tsv --strategy reconstruct --all-minimisers");
    let table = Tsv::new(&run.out);
    assert_eq!(table.cell("up", "status"), "pair");
    let minimisers: Vec<&str> = table
        .rows
        .iter()
        .map(|r| r[table.column("minimiser")].as_str())
        .collect();
    assert_eq!(minimisers, ["1", "2", "1", "2"]);
    assert!((table.number("up", "axis1").abs() - 79f64.sqrt()).abs() < 1e-12);
}

/// The arc: evenly many points for each newcomer, its ends those of the two strategies to the bit.
#[test]
fn arcs() {
    let folder = Folder::with_demo();
    let run = folder.run("arc europe.adjoin new.tsv --points 7 -o arcs.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    let arcs = Tsv::new(&folder.read("arcs.tsv"));
    assert_eq!(arcs.rows.len(), 21);
    let project = Tsv::new(&folder.read("project.tsv"));
    let reconstruct = Tsv::new(&folder.read("reconstruct.tsv"));
    for label in ["Athens", "Stockholm", "Vienna"] {
        let rows: Vec<&Vec<String>> = arcs.rows.iter().filter(|r| r[0] == label).collect();
        for axis in ["axis1", "axis2", "lambda"] {
            let at = arcs.column(axis);
            assert_eq!(rows[0][at], project.cell(label, axis));
            assert_eq!(rows[6][at], reconstruct.cell(label, axis));
        }
    }
}

/// Some newcomers without a place: exit code 3, their rows without coordinates; --strict writes nothing.
#[test]
fn unplaced_newcomers() {
    let folder = Folder::with_demo();
    let new = Tsv::new(&folder.read("new.tsv"));
    let mut rows = new.rows.clone();
    for cell in &mut rows[1][3..] {
        *cell = String::new();
    }
    let line = |r: &Vec<String>| r.join("\t") + "\n";
    folder.write(
        "holes.tsv",
        line(&new.header) + &rows.iter().map(line).collect::<String>(),
    );
    let run = folder.run("place europe.adjoin holes.tsv -o out.tsv");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(
        run.err
            .contains("newcomer \"Stockholm\" is not placed: too few"),
        "{}",
        run.err
    );
    let table = Tsv::new(&folder.read("out.tsv"));
    assert_eq!(table.cell("Stockholm", "status"), "too_few");
    assert_eq!(table.cell("Stockholm", "axis1"), "");
    let whole = Tsv::new(&folder.read("project.tsv"));
    assert_eq!(table.cell("Vienna", "axis1"), whole.cell("Vienna", "axis1"));
    let run = folder.run("place europe.adjoin holes.tsv -o strict.tsv --strict");
    assert_eq!(run.code, 1);
    assert!(!folder.exists("strict.tsv"));
}

/// Similarities: projection needs no self-similarity, the others say what is missing.
#[test]
fn similarities() {
    let folder = Folder::new();
    folder.write("old.csv", "id,a,b,c\na,2,1,0.5\nb,1,2,0.25\nc,0.5,0.25,3\n");
    folder.write("new.csv", "id,a,b,c\nx,1,1,1\ny,0.1,0.2,1.5\n");
    let run = folder.run("fit old.csv --kind similarity -d 2 -o m.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    let table = Tsv::new(&folder.run("place m.adjoin new.csv").out);
    assert_eq!(table.cell("x", "residual"), "");
    assert!(table.number("x", "axis1").is_finite());
    let run = folder.run("place m.adjoin new.csv --strategy reconstruct -o out.tsv");
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .starts_with("adjoin: new.csv:2: found no similarity of \"x\""),
        "{}",
        run.err
    );
    assert!(!folder.exists("out.tsv"));
    folder.write("self.tsv", "y\t2\nx\t2\n");
    let by_file = folder.run("place m.adjoin new.csv --strategy reconstruct --self self.tsv");
    let by_number = folder.run("place m.adjoin new.csv --strategy reconstruct --self 2");
    assert_eq!(by_file.code, 0, "{}", by_file.err);
    assert_eq!(by_file.out, by_number.out);
}

/// Weights: all alike change nothing, zero is the same as missing.
#[test]
fn weights() {
    let folder = Folder::with_demo();
    let new = Tsv::new(&folder.read("new.tsv"));
    let weights = |first: &str| -> String {
        let others = new.header[2..].iter().map(|l| format!("{l}\t2\n"));
        format!("{}\t{first}\n", new.header[1]) + &others.collect::<String>()
    };
    folder.write("alike.tsv", weights("2"));
    folder.write("none.tsv", weights("0"));
    let plain = folder.run("place europe.adjoin new.tsv --strategy reconstruct");
    let alike =
        folder.run("place europe.adjoin new.tsv --strategy reconstruct --weights alike.tsv");
    assert_eq!(alike.out, plain.out, "{}", alike.err);
    let mut rows = new.rows.clone();
    rows.iter_mut().for_each(|r| r[1] = "NA".into());
    let line = |r: &Vec<String>| r.join("\t") + "\n";
    folder.write(
        "holes.tsv",
        line(&new.header) + &rows.iter().map(line).collect::<String>(),
    );
    let none = Tsv::new(
        &folder
            .run("place europe.adjoin new.tsv --weights none.tsv")
            .out,
    );
    let holes = Tsv::new(&folder.run("place europe.adjoin holes.tsv").out);
    for label in ["Athens", "Stockholm", "Vienna"] {
        let (a, b) = (none.number(label, "axis1"), holes.number(label, "axis1"));
        assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b}");
        assert!((a - Tsv::new(&plain.out).number(label, "axis1")).abs() > 1e-3);
    }
}

/// Equal maps are equal files, and a newcomer's row is the same alone and in a batch.
#[test]
fn equal_input_gives_equal_bytes() {
    let folder = Folder::with_demo();
    for name in ["a.adjoin", "b.adjoin"] {
        folder.run(&format!("fit old.tsv -d 2 -o {name} --quiet"));
    }
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("a.adjoin"), bytes("b.adjoin"));
    let lines: Vec<String> = folder.read("new.tsv").lines().map(str::to_owned).collect();
    folder.write("one.tsv", format!("{}\n{}\n", lines[0], lines[3]));
    let one = folder
        .run("place europe.adjoin one.tsv --strategy reconstruct --threads 1")
        .out;
    let all = folder
        .run("place europe.adjoin new.tsv --strategy reconstruct --threads 2")
        .out;
    assert_eq!(one.lines().nth(1), all.lines().nth(3));
}

/// --with-old=loo puts the old objects where they would be as newcomers, by the same strategy, with all that is said of those;
/// also from a map that was written and read.
#[test]
fn old_objects_left_out() {
    let folder = Folder::with_demo();
    assert_eq!(folder.run("fit old.tsv -d 2 -o europe.adjoin").code, 0);
    let fitted = Tsv::new(
        &folder
            .run("place europe.adjoin new.tsv --with-old=fitted")
            .out,
    );
    for strategy in ["project", "reconstruct"] {
        let run = folder.run(&format!(
            "place europe.adjoin new.tsv --with-old=loo --strategy {strategy}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        let table = Tsv::new(&run.out);
        assert_eq!(table.rows.len(), fitted.rows.len());
        assert_eq!(table.cell("Paris", "role"), "old");
        assert_eq!(table.cell("Paris", "strategy"), strategy);
        assert_eq!(table.cell("Paris", "known"), "17");
        assert_eq!(fitted.cell("Paris", "p"), "");
        let p = table.number("Paris", "p");
        assert!(p > 0.0 && p <= 1.0);
        let moved = table.number("Paris", "axis1") - fitted.number("Paris", "axis1");
        assert!(moved != 0.0 && moved.abs() < 500.0, "{moved}");
    }
    let run = folder.run("place europe.adjoin new.tsv --with-old=loo --strategy stress");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("proximities"), "{}", run.err);

    // Every object carries an axis: nothing can be left out, and only this question is refused.
    folder.write(
        "three.tsv",
        "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t2\nc\t2\t2\t0\n",
    );
    folder.write("one.tsv", "\ta\tb\tc\nn\t1\t1\t1\n");
    assert_eq!(folder.run("fit three.tsv -d 2 -o three.adjoin").code, 0);
    let run = folder.run("place three.adjoin one.tsv");
    assert_eq!((run.code, Tsv::new(&run.out).cell("n", "p")), (0, ""));
    let run = folder.run("place three.adjoin one.tsv --with-old=loo");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("loses an axis"), "{}", run.err);
}

/// --with-old puts the old objects first, with a role.
#[test]
fn with_old() {
    let folder = Folder::with_demo();
    let table = Tsv::new(&folder.run("place europe.adjoin new.tsv --with-old").out);
    assert_eq!(table.rows.len(), 21);
    assert_eq!(table.rows[0][table.column("role")], "old");
    assert_eq!(table.cell("Vienna", "role"), "new");
    folder.run("convert europe.adjoin old-coordinates.tsv");
    let old = Tsv::new(&folder.read("old-coordinates.tsv"));
    assert_eq!(old.cell("Paris", "axis2"), table.cell("Paris", "axis2"));
}

/// JSON for machines: tables as records, non-finite as null; info and fit speak it too.
#[test]
fn json() {
    let folder = Folder::with_demo();
    let parse = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let table = parse(&folder.run("place europe.adjoin new.tsv --json").out);
    assert_eq!(table[2]["label"], "Vienna");
    assert!(table[2]["axis1"].is_f64() && table[2]["margin"].is_null());
    let info = parse(&folder.run("info europe.adjoin --json").out);
    assert_eq!(info["n"], 18);
    assert_eq!(info["labels"].as_array().unwrap().len(), 18);
    let fit = parse(&folder.run("fit old.tsv -d 3 -o three.adjoin --json").out);
    assert_eq!(fit["d"], 3);
    let compared = parse(&folder.run("compare europe.adjoin new.tsv --json").out);
    assert_eq!(compared.as_array().unwrap().len(), 15);
}

/// A configuration published elsewhere becomes a map that newcomers can be added to.
#[test]
fn given_configurations() {
    let folder = Folder::with_demo();
    folder.run("convert europe.adjoin published.ordination");
    let run = folder.run("fit old.tsv --configuration published.ordination -o again.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    let fitted = Tsv::new(
        &folder
            .run("place europe.adjoin new.tsv --strategy reconstruct")
            .out,
    );
    let given = Tsv::new(
        &folder
            .run("place again.adjoin new.tsv --strategy reconstruct")
            .out,
    );
    for axis in ["axis1", "axis2", "objective"] {
        let (a, b) = (fitted.number("Vienna", axis), given.number("Vienna", axis));
        assert!((a - b).abs() < 1e-8 * a.abs(), "{axis}: {a} {b}");
    }
}

/// Stress needs no map: labelled coordinates from anywhere will do, and give the same place.
#[test]
fn stress_on_any_configuration() {
    let folder = Folder::with_demo();
    folder.run("convert europe.adjoin published.csv");
    let by_map = folder.run("place europe.adjoin new.tsv --strategy stress");
    let by_table = folder.run("place published.csv new.tsv --strategy stress");
    assert_eq!(by_table.code, 0, "{}", by_table.err);
    let (a, b) = (Tsv::new(&by_map.out), Tsv::new(&by_table.out));
    for label in ["Athens", "Stockholm", "Vienna"] {
        for column in ["axis1", "axis2", "objective", "relative_stress"] {
            let (a, b) = (a.number(label, column), b.number(label, column));
            assert!((a - b).abs() <= 1e-7 * a.abs(), "{label} {column}: {a} {b}");
        }
        assert_eq!(b.cell(label, "residual"), "");
    }
    let run = folder.run("place published.csv new.tsv --strategy reconstruct");
    assert_eq!(run.code, 1);
    let run = folder.run("fit --configuration published.csv -o m.adjoin");
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("row means of the squared dissimilarities"),
        "{}",
        run.err
    );
    let bad = folder
        .read("new.tsv")
        .replace("Vienna\t1802", "Vienna\t-1802");
    folder.write("bad.tsv", bad);
    let run = folder.run("place published.csv bad.tsv --strategy stress -o out.tsv");
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with("adjoin: bad.tsv:4: found -1802"),
        "{}",
        run.err
    );
    assert!(!folder.exists("out.tsv"));
}

/// `.npy` is by position, streamed or not, and says so.
#[test]
fn npy_by_position() {
    let folder = Folder::with_demo();
    folder.run("convert new.tsv new.npy");
    let run = folder.run("place europe.adjoin new.npy");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("no labels"), "{}", run.err);
    let (by_position, by_label) = (Tsv::new(&run.out), Tsv::new(&folder.read("project.tsv")));
    assert_eq!(
        by_position.cell("new3", "axis1"),
        by_label.cell("Vienna", "axis1")
    );
    folder.write("names.txt", "Athens\nStockholm\nVienna\n");
    let named = folder.run("place europe.adjoin new.npy --labels names.txt");
    assert_eq!(named.out, folder.read("project.tsv"));
    // A map of an array has positions, not names: which of its objects a label means cannot be told.
    folder.run("convert old.tsv old.npy");
    assert_eq!(folder.run("fit old.npy -d 2 -o bare.adjoin").code, 0);
    let run = folder.run("place bare.adjoin new.tsv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("objects have no labels"), "{}", run.err);
    assert_eq!(folder.run("place bare.adjoin new.npy").code, 0);
}

/// Input from a pipe, output to a pipe.
#[test]
fn pipes() {
    let folder = Folder::with_demo();
    let mut child = folder
        .command(&["place", "europe.adjoin", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let new = folder.read("new.tsv");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(new.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        folder.read("project.tsv")
    );
    // A reader that goes away is not a failure.
    let mut child = folder
        .command(&["place", "europe.adjoin", "new.tsv", "--with-old"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// `add` is the same command as `place`, and `--help` says so.
#[test]
fn add_is_place() {
    let folder = Folder::with_demo();
    let placed = folder.run("place europe.adjoin new.tsv --strategy reconstruct");
    assert_eq!(placed.code, 0, "{}", placed.err);
    let added = folder.run("add europe.adjoin new.tsv --strategy reconstruct");
    assert_eq!((added.code, added.out), (0, placed.out));
    assert!(folder.run("--help").out.contains("[alias: add]"));
    assert!(folder.run("place --help").out.contains("`adjoin add`"));
}

/// Flags that do not go together: one line that begins with the flag, before any file is read.
#[test]
fn flags_that_do_not_go_together() {
    let folder = Folder::new();
    for (arguments, flag) in [
        ("--landmarks 5", "--landmarks"),
        ("--neighbors 5", "--neighbors"),
        ("--method isomap", "--neighbors"),
        ("--rotate", "--rotate"),
        ("--alpha 1", "--alpha"),
        ("--no-diagonal", "--no-diagonal"),
        ("--method laplacian --origin x", "--origin"),
        (
            "--method isomap --radius 1 --correction lingoes",
            "--correction",
        ),
        ("--method kernel-pca --kind squared", "--kind"),
    ] {
        let run = folder.run(&format!("fit absent.tsv -d 2 -o m.adjoin {arguments}"));
        assert_eq!(run.code, 2, "{arguments}: {}", run.err);
        let begin = format!("adjoin: {flag}: found ");
        assert!(run.err.starts_with(&begin), "{arguments}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{arguments}: {}", run.err);
    }
    let run = folder.run("place absent.adjoin new.tsv --recentre");
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(
        run.err.starts_with("adjoin: --strategy: found"),
        "{}",
        run.err
    );
}

/// Help, version, completions and the manual page are there.
#[test]
fn help() {
    let folder = Folder::new();
    for command in [
        "demo", "fit", "place", "add", "arc", "compare", "info", "convert",
    ] {
        let run = folder.run(&format!("{command} --help"));
        assert_eq!(run.code, 0);
        assert!(run.out.contains("Usage: adjoin"), "{}", run.out);
    }
    assert!(folder.run("--version").out.starts_with("adjoin 0."));
    assert!(folder.run("completions bash").out.contains("_adjoin"));
    assert!(folder.run("man").out.contains(".TH"));
    assert_eq!(folder.run("fly").code, 2);
    assert_eq!(folder.run("fit old.tsv -o m.adjoin").code, 2);
}

/// What -v promises: what the input was found to be, residuals, times.
#[test]
fn verbose() {
    let folder = Folder::with_demo();
    let run = folder.run("fit old.tsv -d 2 -o m.adjoin -v");
    for word in [
        "old.tsv: a table divided by tabs, 18 × 18",
        " s)",
        "eigenpairs exact to",
    ] {
        assert!(run.err.contains(word), "{} has no {word}", run.err);
    }
    let run = folder.run("place m.adjoin new.tsv --strategy reconstruct -v");
    for word in [
        "new.tsv: a table divided by tabs, 3 × 18",
        "3 newcomers placed by reconstruct; stationarity at most",
        "residuals from",
        " s)",
    ] {
        assert!(run.err.contains(word), "{} has no {word}", run.err);
    }
    let run = folder.run("compare m.adjoin new.tsv -v");
    assert!(run.err.contains("3 newcomers compared ("), "{}", run.err);
}

/// The manual has a page for each command, with all its options.
#[test]
fn manual() {
    let folder = Folder::new();
    let all = folder.run("man").out;
    for word in [
        "adjoin\\-place",
        "\\-\\-jointly",
        "\\-\\-configuration",
        "\\-\\-threads",
    ] {
        assert!(all.contains(word), "no {word}");
    }
    let one = folder.run("man place").out;
    assert!(one.contains("\\-\\-partial") && !one.contains("\\-\\-configuration"));
    assert_eq!(folder.run("man nothing").code, 2);
    assert_eq!(folder.run("man -o pages").code, 0);
    assert_eq!(folder.read("pages/adjoin-place.1"), one);
    assert!(folder.exists("pages/adjoin.1") && folder.exists("pages/adjoin-fit.1"));
}

/// A report begins with a line for each newcomer, in the order that it states.
#[test]
fn compare_in_short() {
    let folder = Folder::with_demo();
    let run = folder.run("compare europe.adjoin new.tsv");
    let mut lines = run.out.lines();
    assert_eq!(
        lines.next(),
        Some("3 newcomers, those least like the old objects first:")
    );
    let labels: Vec<&str> = lines
        .skip(1)
        .take(3)
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert_eq!(labels, ["Athens", "Stockholm", "Vienna"]);
    assert!(
        run.out
            .contains("the map's spread (the root mean square distance")
    );
}

/// Help is not wrapped twice: no line is longer than a terminal of 80 columns, and none is broken in two short ones.
#[test]
fn help_fits_a_terminal() {
    let folder = Folder::new();
    for command in [
        "fit", "place", "arc", "compare", "plot", "report", "info", "convert", "man",
    ] {
        let mut help = folder.command(&[command, "--help"]);
        let run = help.env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
        assert!(text.contains("Options of all commands:"), "{command}");
    }
    let help = folder.run("place --help").out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("possible values: table, plain, phylip, long"),
        "{help}"
    );
}
