use crate::run::{Folder, Tsv};

/// Numbers between 0 and 1, the same for ever.
fn numbers(count: usize, mut state: u64) -> Vec<f64> {
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    (0..count).map(|_| next()).collect()
}

const NAMES: [&str; 4] = ["height", "weight", "depth", "age"];

fn features(prefix: &str, count: usize, seed: u64) -> String {
    let values = numbers(4 * count, seed);
    let mut text = format!("label\t{}\n", NAMES.join("\t"));
    for (i, row) in values.chunks_exact(4).enumerate() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &format!("{prefix}{}\t{}\n", i + 1, cells.join("\t"));
    }
    text
}

/// `old.tsv` and `new.tsv`: 40 old objects and 7 newcomers with four features.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.tsv", features("o", 40, 1));
    folder.write("new.tsv", features("n", 7, 2));
    folder
}

fn run(folder: &Folder, arguments: &str) -> String {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments}: {}", run.err);
    run.out
}

/// Coordinates, row by row.
fn coordinates(table: &Tsv, axes: usize) -> Vec<f64> {
    let axis = |j: usize| table.column(&format!("axis{}", j + 1));
    let at: Vec<usize> = (0..axes).map(axis).collect();
    let cells = table.rows.iter().flat_map(|r| at.iter().map(|&j| &r[j]));
    cells.map(|c| c.parse().unwrap()).collect()
}

fn same(found: &[f64], expected: &[f64], tolerance: f64) {
    let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * size, "found {f}, expected {e}");
    }
}

/// The methods, each with what it takes to get a map of `old.tsv`.
const METHODS: [(&str, &str); 9] = [
    ("cmds", "--metric cityblock"),
    ("pca", "--method pca"),
    ("kernel-pca", "--kernel rbf --gamma 0.7"),
    (
        "landmark",
        "--method landmark --metric euclidean --landmarks 12",
    ),
    (
        "landmark",
        "--method landmark --metric canberra --landmarks 15 --choose random --seed 3 --rotate",
    ),
    ("isomap", "--method isomap --metric euclidean --neighbors 9"),
    (
        "isomap",
        "--method isomap --metric cityblock --radius 1.2 --landmarks 20 --rotate",
    ),
    (
        "laplacian",
        "--method laplacian --metric euclidean --neighbors 9 --alpha 1 --time 0",
    ),
    ("laplacian", "--method laplacian --kernel rbf"),
];

/// Features → fit → place: what comes as features is placed as what comes as proximities, old objects land on
/// themselves, joint placement finds what is between the newcomers, arcs begin and end where they should.
#[test]
fn every_method_end_to_end() {
    for (method, options) in METHODS {
        let folder = folder();
        run(
            &folder,
            &format!("fit old.tsv {options} -d 2 -o map.adjoin"),
        );
        let info = run(&folder, "info map.adjoin");
        assert!(
            info.contains(&format!("method            {method}\n")),
            "{info}"
        );
        let placed = Tsv::new(&run(&folder, "place map.adjoin new.tsv"));
        assert_eq!(placed.header[..4], ["label", "axis1", "axis2", "strategy"]);

        // An old object that comes as a newcomer lands on itself.
        let again = Tsv::new(&run(&folder, "place map.adjoin old.tsv --with-old"));
        let both = coordinates(&again, 2);
        same(&both[80..], &both[..80], 1e-9);

        // The features in another order, and from an array.
        let line = |l: &str| {
            let cells: Vec<&str> = l.split('\t').collect();
            [0, 3, 1, 4, 2].map(|j| cells[j]).join("\t") + "\n"
        };
        let turned: String = folder.read("new.tsv").lines().map(line).collect();
        folder.write("turned.tsv", turned);
        let turned = Tsv::new(&run(&folder, "place map.adjoin turned.tsv"));
        assert_eq!(turned.rows, placed.rows, "{options}");
        run(&folder, "convert new.tsv new.npy");
        let array = Tsv::new(&run(&folder, "place map.adjoin new.npy"));
        assert_eq!(coordinates(&array, 2), coordinates(&placed, 2), "{options}");

        // Arcs from projection to reconstruction.
        let rebuilt = Tsv::new(&run(
            &folder,
            "place map.adjoin new.tsv --strategy reconstruct",
        ));
        let arcs = Tsv::new(&run(&folder, "arc map.adjoin new.tsv --points 3"));
        let curves = coordinates(&arcs, 2);
        for i in 0..7 {
            let (first, last) = (&curves[6 * i..6 * i + 2], &curves[6 * i + 4..6 * i + 6]);
            same(first, &coordinates(&placed, 2)[2 * i..2 * i + 2], 1e-9);
            same(last, &coordinates(&rebuilt, 2)[2 * i..2 * i + 2], 1e-9);
        }

        // Jointly, with what is between the newcomers from their features; and all strategies.
        let joint = Tsv::new(&run(&folder, "place map.adjoin new.tsv --jointly"));
        assert_eq!(joint.rows.len(), 7);
        assert!(
            joint
                .rows
                .iter()
                .all(|r| r[joint.column("certified")] == "true")
        );
        let compared = Tsv::new(&run(&folder, "compare map.adjoin new.tsv --jointly -o -"));
        let strategy = compared.column("strategy");
        let jointly = compared.rows.iter().filter(|r| r[strategy] == "jointly");
        assert_eq!(jointly.count(), 7);

        // The same request gives the same bytes.
        let options = format!("fit old.tsv {options} -d 2 -o again.adjoin");
        run(&folder, &options);
        let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes("map.adjoin"), bytes("again.adjoin"));
    }
}

/// Distances made by `convert` and features are two roads to one map.
#[test]
fn proximities_and_features_agree() {
    let folder = folder();
    let all = folder.read("old.tsv") + folder.read("new.tsv").split_once('\n').unwrap().1;
    folder.write("all.tsv", all);
    for (measure, kind) in [
        ("--metric braycurtis", "dissimilarity"),
        ("--metric sqeuclidean", "squared"),
        ("--kernel poly --degree 2 --coef0 0.5", "similarity"),
    ] {
        run(&folder, &format!("convert all.tsv square.tsv {measure}"));
        run(
            &folder,
            &format!("convert old.tsv old_square.tsv {measure}"),
        );
        run(&folder, &format!("fit old.tsv {measure} -d 3 -o f.adjoin"));
        run(
            &folder,
            &format!("fit old_square.tsv --kind {kind} -d 3 -o p.adjoin"),
        );
        for options in ["", " --strategy reconstruct", " --jointly"] {
            let by_features = run(&folder, &format!("place f.adjoin new.tsv{options}"));
            let square = run(&folder, &format!("place p.adjoin square.tsv{options}"));
            assert_eq!(by_features, square, "{measure}{options}");
            // The map of features takes proximities too, if told so.
            let told = format!("place f.adjoin square.tsv --proximities{options}");
            assert_eq!(run(&folder, &told), square);
        }
    }
}

/// Principal components are classical scaling of Euclidean distances; landmarks that are all objects too.
#[test]
fn families_meet_in_classical_scaling() {
    let folder = folder();
    run(
        &folder,
        "fit old.tsv --metric euclidean -d 3 -o cmds.adjoin",
    );
    let expected = Tsv::new(&run(&folder, "place cmds.adjoin new.tsv --with-old"));
    for options in [
        "--method pca",
        "--kernel linear",
        "--method landmark --metric euclidean --landmarks 40",
        "--method isomap --metric euclidean --radius 100",
    ] {
        run(
            &folder,
            &format!("fit old.tsv {options} -d 3 -o map.adjoin"),
        );
        let found = Tsv::new(&run(&folder, "place map.adjoin new.tsv --with-old"));
        same(&coordinates(&found, 3), &coordinates(&expected, 3), 1e-9);
    }
}

/// Landmark MDS from features, from n × L proximities as a table and as an array, and from a square.
#[test]
fn landmarks_from_anything() {
    let folder = folder();
    let chosen: Vec<String> = (0..10).map(|i| format!("o{}", 4 * i + 1)).collect();
    folder.write("landmarks.txt", chosen.join("\n"));
    let fit = "--method landmark --landmarks landmarks.txt -d 2 -o map.adjoin";
    run(&folder, &format!("fit old.tsv --metric cityblock {fit}"));
    let of_features = run(
        &folder,
        "place map.adjoin new.tsv --with-old --strategy reconstruct",
    );
    let expected = run(&folder, "convert map.adjoin -");

    run(&folder, "convert old.tsv square.tsv --metric cityblock");
    run(&folder, &format!("fit square.tsv {fit}"));
    assert_eq!(run(&folder, "convert map.adjoin -"), expected);

    // The columns of the landmarks only.
    let square = folder.read("square.tsv");
    let header: Vec<&str> = square.lines().next().unwrap().split('\t').collect();
    let keep: Vec<usize> = (0..header.len())
        .filter(|&j| j == 0 || chosen.contains(&header[j].to_owned()))
        .collect();
    let rectangle: String = square
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            keep.iter()
                .map(|&j| cells[j])
                .collect::<Vec<_>>()
                .join("\t")
                + "\n"
        })
        .collect();
    folder.write("rectangle.tsv", rectangle);
    run(
        &folder,
        "fit rectangle.tsv --method landmark -d 2 -o map.adjoin",
    );
    assert_eq!(run(&folder, "convert map.adjoin -"), expected);

    run(&folder, "convert rectangle.tsv rectangle.npy");
    let labels: String = (1..=40).map(|i| format!("o{i}\n")).collect();
    folder.write("labels.txt", labels);
    run(
        &folder,
        &format!("fit rectangle.npy --labels labels.txt {fit}"),
    );
    assert_eq!(run(&folder, "convert map.adjoin -"), expected);

    // Newcomers by their proximities to the landmarks.
    let all = folder.read("old.tsv") + folder.read("new.tsv").split_once('\n').unwrap().1;
    folder.write("all.tsv", all);
    run(&folder, "convert all.tsv all_square.tsv --metric cityblock");
    let square = folder.read("all_square.tsv");
    let new: String = square
        .lines()
        .filter(|l| l.starts_with('\t') || l.starts_with('n'))
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            keep.iter()
                .map(|&j| cells[j])
                .collect::<Vec<_>>()
                .join("\t")
                + "\n"
        })
        .collect();
    folder.write("new_rectangle.tsv", new);
    let by_rows = run(
        &folder,
        "place map.adjoin new_rectangle.tsv --with-old --strategy reconstruct",
    );
    assert_eq!(by_rows, of_features);
}

/// Texts by edit distance: a list of words, or labels and texts.
#[test]
fn texts() {
    let folder = Folder::new();
    let words = "kitten\nsitting\nmitten\nknitting\nfitting\nbitten\nsmitten\n";
    folder.write("words.txt", words);
    folder.write(
        "new.csv",
        "label,text\nsame,kitten\nother,\"flitting, fast\"\n",
    );
    run(
        &folder,
        "fit words.txt --metric levenshtein -d 2 -o map.adjoin",
    );
    let placed = Tsv::new(&run(&folder, "place map.adjoin new.csv --with-old"));
    for axis in ["axis1", "axis2"] {
        let (old, new) = (placed.number("kitten", axis), placed.number("same", axis));
        assert!((old - new).abs() < 1e-12);
    }
    let square = Tsv::new(&run(&folder, "convert words.txt - --metric levenshtein"));
    assert_eq!(square.cell("kitten", "sitting"), "3");
    assert_eq!(
        run(&folder, "info map.adjoin")
            .matches("levenshtein of texts")
            .count(),
        1
    );
}

/// `-d auto` keeps what the profile likelihood suggests, and `info` says what it would.
#[test]
fn the_number_of_axes() {
    let folder = Folder::new();
    // Two wide features and eight narrow ones.
    let values = numbers(600, 5);
    let mut text = String::from("label");
    (0..10).for_each(|j| text += &format!("\tf{j}"));
    for (i, row) in values.chunks_exact(10).enumerate() {
        text += &format!("\no{i}");
        for (j, v) in row.iter().enumerate() {
            text += &format!("\t{}", if j < 2 { 20.0 * v } else { *v });
        }
    }
    folder.write("wide.tsv", text);
    for method in ["pca", "cmds --metric euclidean"] {
        run(
            &folder,
            &format!("fit wide.tsv --method {method} -d auto -o map.adjoin"),
        );
        let info = run(&folder, "info map.adjoin");
        assert!(info.contains("axes              2\n"), "{info}");
        assert!(
            info.contains("2 by the broken stick, 2 by the profile likelihood"),
            "{info}"
        );
        assert!(info.contains("scree"), "{info}");
        let json = run(&folder, "info map.adjoin --json");
        assert!(json.contains("\"profile_likelihood\": 2"), "{json}");
    }
}

/// Isomap and Laplacian eigenmaps of a square of distances; a graph in pieces, kept and joined.
#[test]
fn graphs_of_proximities() {
    let folder = folder();
    run(&folder, "convert old.tsv old_square.tsv --metric euclidean");
    let all = folder.read("old.tsv") + folder.read("new.tsv").split_once('\n').unwrap().1;
    folder.write("all.tsv", all);
    run(&folder, "convert all.tsv square.tsv --metric euclidean");
    for options in [
        "--method isomap --neighbors 9",
        "--method laplacian --neighbors 9",
        "--method laplacian --gamma 3",
    ] {
        run(
            &folder,
            &format!("fit old_square.tsv {options} -d 2 -o p.adjoin"),
        );
        run(
            &folder,
            &format!("fit old.tsv --metric euclidean {options} -d 2 -o f.adjoin"),
        );
        for strategy in ["", " --strategy reconstruct", " --jointly"] {
            assert_eq!(
                run(&folder, &format!("place p.adjoin square.tsv{strategy}")),
                run(&folder, &format!("place f.adjoin new.tsv{strategy}")),
                "{options}{strategy}"
            );
        }
    }
    let far = folder.read("old.tsv") + "far1\t90\t90\t90\t90\nfar2\t90\t90\t90\t91\n";
    folder.write("apart.tsv", far);
    let fit = "fit apart.tsv --method isomap --metric euclidean --radius 2 -d 2 -o map.adjoin";
    let refused = folder.run(fit);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("2 pieces (of 40, 2 objects)"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("apart.tsv:42: "), "{}", refused.err);
    run(&folder, &format!("{fit} --disconnected largest"));
    assert!(!run(&folder, "convert map.adjoin -").contains("far1"));
    run(&folder, &format!("{fit} --disconnected join"));
    assert!(run(&folder, "convert map.adjoin -").contains("far1"));
    // Nobody is near this one.
    folder.write(
        "lone.tsv",
        "label\theight\tweight\tdepth\tage\nlone\t500\t0\t0\t0\n",
    );
    let lone = folder.run("place map.adjoin lone.tsv");
    assert_eq!(lone.code, 3, "{}", lone.err);
    assert!(lone.out.contains("too_few"));
}

/// `square.tsv` and `all_square.tsv`: distances between the old objects, and between old and new.
fn squares(folder: &Folder) {
    let all = folder.read("old.tsv") + folder.read("new.tsv").split_once('\n').unwrap().1;
    folder.write("all.tsv", all);
    run(folder, "convert old.tsv square.tsv --metric euclidean");
    run(folder, "convert all.tsv all_square.tsv --metric euclidean");
}

/// The rows of newcomers in `all_square.tsv`, with those columns that `keep` wants.
fn rows_of_newcomers(folder: &Folder, keep: impl Fn(&str) -> bool) -> String {
    let square = folder.read("all_square.tsv");
    let header: Vec<&str> = square.lines().next().unwrap().split('\t').collect();
    let rows = square.lines().filter(|l| !l.starts_with('o'));
    rows.map(|line| {
        let cells = line.split('\t').zip(&header);
        let kept = cells.filter(|(_, name)| name.is_empty() || keep(name));
        kept.map(|(cell, _)| cell).collect::<Vec<_>>().join("\t") + "\n"
    })
    .collect()
}

/// A landmark map takes newcomers with a column for every object of the map: it needs those of the landmarks.
#[test]
fn landmark_maps_take_all_columns() {
    let folder = folder();
    squares(&folder);
    for rotate in ["", " --rotate"] {
        let fit = "fit square.tsv --method landmark --landmarks 12 -d 2 -o map.adjoin";
        run(&folder, &format!("{fit}{rotate}"));
        let features = "fit old.tsv --metric euclidean --method landmark --landmarks 12 -d 2";
        run(&folder, &format!("{features} -o f.adjoin{rotate}"));
        folder.write(
            "wide.tsv",
            rows_of_newcomers(&folder, |l| l.starts_with('o')),
        );
        for strategy in ["project", "reconstruct", "hyperplane"] {
            let place = |what: &str| run(&folder, &format!("place {what} --strategy {strategy}"));
            let wide = place("map.adjoin wide.tsv");
            assert_eq!(place("map.adjoin all_square.tsv"), wide);
            assert_eq!(place("f.adjoin new.tsv"), wide);
            assert_eq!(Tsv::new(&wide).cell("n3", "known"), "12");
        }
        // One landmark's column is not there.
        let expected = run(&folder, "place map.adjoin wide.tsv");
        for label in (1..=40).map(|i| format!("o{i}")) {
            let narrow = rows_of_newcomers(&folder, |l| l.starts_with('o') && l != label);
            folder.write("narrow.tsv", narrow);
            let placed = folder.run("place map.adjoin narrow.tsv");
            if placed.code == 0 {
                assert_eq!(placed.out, expected, "{label}");
            } else {
                assert!(placed.err.contains(&format!("no column for {label:?}")));
            }
        }
    }
}

/// Weights of landmark Isomap are those of all objects, which newcomers are attached to.
#[test]
fn weights_on_landmark_isomap() {
    let folder = folder();
    squares(&folder);
    let fit = "--method isomap --neighbors 9 --landmarks 15 -d 2 -o";
    run(&folder, &format!("fit square.tsv {fit} p.adjoin"));
    run(
        &folder,
        &format!("fit old.tsv --metric euclidean {fit} f.adjoin"),
    );
    let weights = |of: &dyn Fn(usize) -> f64| -> String {
        (1..=40).map(|i| format!("o{i}\t{}\n", of(i))).collect()
    };
    folder.write("alike.tsv", weights(&|_| 2.0));
    folder.write("uneven.tsv", weights(&|i| 1.0 + (i % 3) as f64));
    let placed = |arguments: &str| coordinates(&Tsv::new(&run(&folder, arguments)), 2);
    let plain = placed("place p.adjoin all_square.tsv");
    same(
        &placed("place p.adjoin all_square.tsv --weights alike.tsv"),
        &plain,
        1e-9,
    );
    let uneven = placed("place p.adjoin all_square.tsv --weights uneven.tsv");
    assert!(uneven.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 1e-6));
    assert_eq!(
        placed("place f.adjoin new.tsv --weights uneven.tsv"),
        uneven
    );

    // A landmark map weighs its landmarks; weights of the others may be there.
    let fit = "fit square.tsv --method landmark --landmarks 15 -d 2 -o l.adjoin";
    run(&folder, fit);
    let plain = placed("place l.adjoin all_square.tsv");
    same(
        &placed("place l.adjoin all_square.tsv --weights alike.tsv"),
        &plain,
        1e-9,
    );
    folder.write("stranger.tsv", weights(&|_| 2.0) + "zoe\t1\n");
    let refused = folder.run("place l.adjoin all_square.tsv --weights stranger.tsv");
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.starts_with("adjoin: stranger.tsv:41: found"),
        "{}",
        refused.err
    );
}

/// A square whose old part is another map's is refused, whether the map was turned or not.
#[test]
fn old_part_of_a_turned_map_must_agree() {
    let folder = folder();
    squares(&folder);
    run(&folder, "convert all.tsv other.tsv --metric cityblock");
    for rotate in ["", " --rotate"] {
        let fit = "fit square.tsv --method landmark --landmarks 12 -d 2 -o map.adjoin";
        run(&folder, &format!("{fit}{rotate}"));
        run(&folder, "place map.adjoin all_square.tsv");
        let refused = folder.run("place map.adjoin other.tsv -o out.tsv");
        assert_eq!(refused.code, 1, "{rotate}: {}", refused.err);
        let said = "the old objects are not as far apart as when the map was fitted";
        assert!(refused.err.contains(said), "{}", refused.err);
        assert!(
            refused.err.starts_with("adjoin: other.tsv: "),
            "{}",
            refused.err
        );
        assert!(!folder.exists("out.tsv"));
    }
}
