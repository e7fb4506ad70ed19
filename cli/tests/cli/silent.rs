use crate::run::{Folder, Run, Tsv};

/// Numbers that look like nothing in particular, the same each time.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Distances between random points: 24 old objects and 6 newcomers, as tables.
struct Data {
    old: Vec<Vec<f64>>,
    new: Vec<Vec<f64>>,
}

const OLD: usize = 24;
const NEW: usize = 6;

impl Data {
    fn new(seed: u64) -> Self {
        let mut draws = Draws(seed);
        let points: Vec<[f64; 4]> = (0..OLD + NEW)
            .map(|_| [4.0, 2.0, 1.0, 0.5].map(|s| s * draws.next()))
            .collect();
        let distance =
            |a: &[f64; 4], b: &[f64; 4]| (0..4).map(|j| (a[j] - b[j]).powi(2)).sum::<f64>().sqrt();
        let row = |p: &[f64; 4]| {
            points[..OLD]
                .iter()
                .map(|q| distance(p, q))
                .collect::<Vec<_>>()
        };
        Self {
            old: points[..OLD].iter().map(row).collect(),
            new: points[OLD..].iter().map(row).collect(),
        }
    }
}

/// A table with the columns in this order, each number as `f` makes it.
fn table(rows: &[Vec<f64>], prefix: &str, order: &[usize], f: impl Fn(f64) -> f64) -> String {
    let mut text: String = order.iter().map(|j| format!("\told{j}")).collect();
    text.push('\n');
    for (i, row) in rows.iter().enumerate() {
        text += &format!("{prefix}{i}");
        order
            .iter()
            .for_each(|&j| text += &format!("\t{}", f(row[j])));
        text.push('\n');
    }
    text
}

fn in_order() -> Vec<usize> {
    (0..OLD).collect()
}

fn fitted(data: &Data, kind: &str, f: impl Fn(f64) -> f64) -> Folder {
    let folder = Folder::new();
    folder.write("old.tsv", table(&data.old, "old", &in_order(), f));
    let run = folder.run(&format!("fit old.tsv -d 2 --kind {kind} -o m.adjoin"));
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

fn placed(folder: &Folder, strategy: &str, new: &str) -> Run {
    folder.write("new.tsv", new);
    let run = folder.run(&format!("place m.adjoin new.tsv --strategy {strategy}"));
    assert_eq!(run.code, 0, "{strategy}: {}", run.err);
    run
}

const STRATEGIES: [&str; 4] = ["project", "reconstruct", "augment", "stress"];

/// Labels decide: columns of NEW, and rows and columns of OLD, in any order give the same bytes.
#[test]
fn names_permuted() {
    for seed in 1..4 {
        let data = Data::new(seed);
        let folder = fitted(&data, "dissimilarity", |v| v);
        let mut draws = Draws(seed + 100);
        let mut order = in_order();
        for i in (1..OLD).rev() {
            order.swap(i, (draws.next() * (i + 1) as f64) as usize);
        }
        for strategy in STRATEGIES {
            let straight = placed(
                &folder,
                strategy,
                &table(&data.new, "new", &in_order(), |v| v),
            );
            let permuted = placed(&folder, strategy, &table(&data.new, "new", &order, |v| v));
            assert_eq!(straight.out, permuted.out, "{strategy}");
        }
        folder.write("shuffled.tsv", table(&data.old, "old", &order, |v| v));
        let run = folder.run("fit shuffled.tsv -d 2 -o s.adjoin");
        assert_eq!(run.code, 0, "{}", run.err);
        folder.write("new.tsv", table(&data.new, "new", &in_order(), |v| v));
        let one = Tsv::new(&folder.run("place m.adjoin new.tsv").out);
        let other = Tsv::new(&folder.run("place s.adjoin new.tsv").out);
        for row in &one.rows {
            for axis in ["axis1", "axis2"] {
                let (a, b) = (one.number(&row[0], axis), other.number(&row[0], axis));
                assert!((a.abs() - b.abs()).abs() < 1e-10, "{axis}: {a} and {b}");
            }
        }
    }
}

/// Whatever the unit, if it is one unit, the picture is the same but for its size: powers of two to the last bit.
#[test]
fn units_scaled() {
    for seed in 1..3 {
        let data = Data::new(seed);
        let here = fitted(&data, "dissimilarity", |v| v);
        for unit in [2f64.powi(-60), 2f64.powi(-7), 1024.0, 2f64.powi(60)] {
            let there = fitted(&data, "dissimilarity", |v| v * unit);
            for strategy in STRATEGIES {
                let one = placed(
                    &here,
                    strategy,
                    &table(&data.new, "new", &in_order(), |v| v),
                );
                let other = placed(
                    &there,
                    strategy,
                    &table(&data.new, "new", &in_order(), |v| v * unit),
                );
                assert_eq!(one.err, other.err, "{strategy} × {unit:e}");
                let (one, other) = (Tsv::new(&one.out), Tsv::new(&other.out));
                for row in &one.rows {
                    assert_eq!(one.cell(&row[0], "status"), other.cell(&row[0], "status"));
                    for axis in ["axis1", "axis2"] {
                        let (a, b) = (
                            one.number(&row[0], axis),
                            other.number(&row[0], axis) / unit,
                        );
                        assert!(a == b, "{strategy} × {unit:e}: {a} and {b}");
                    }
                }
            }
        }
    }
}

/// A map is a file: whatever it was told is in there. Its own objects, come once more under other names, are projected to
/// where they are, by kinds, origins, metrics and kernels.
#[test]
fn saved_and_loaded() {
    for seed in 1..3 {
        let data = Data::new(seed);
        let folder = Folder::new();
        let old = |f: &dyn Fn(f64) -> f64| table(&data.old, "old", &in_order(), f);
        let again = |f: &dyn Fn(f64) -> f64| table(&data.old, "again", &in_order(), f);
        let kernel = |v: f64| (-0.1 * v * v).exp();
        folder.write("weights.tsv", weights(seed));
        let mut places = Vec::new();
        for (flags, f) in [
            ("--kind dissimilarity", &(|v| v) as &dyn Fn(f64) -> f64),
            ("--kind squared", &|v| v * v),
            ("--kind similarity", &kernel),
            ("--kind dissimilarity --origin old3", &|v| v),
            ("--kind squared --origin weights.tsv", &|v| v * v),
            ("--metric euclidean", &|v| v),
            ("--metric cityblock", &|v| v),
            ("--kernel rbf --gamma 0.03", &|v| v),
            ("--method kernel-pca --kernel rbf --gamma 0.01", &|v| v),
        ] {
            folder.write("old.tsv", old(f));
            folder.write("again.tsv", again(f));
            let run = folder.run(&format!("fit old.tsv -d 2 {flags} -o m.adjoin"));
            assert_eq!(run.code, 0, "{flags}: {}", run.err);
            folder.write("old.tsv", "gone\n");
            let run = folder.run("place m.adjoin again.tsv");
            assert_eq!(run.code, 0, "{flags}: {}", run.err);
            assert_eq!(folder.run("convert m.adjoin xy.tsv").code, 0);
            let (here, there) = (Tsv::new(&folder.read("xy.tsv")), Tsv::new(&run.out));
            let number = |t: &Tsv, i: usize, axis: &str, prefix: &str| {
                t.number(&format!("{prefix}{i}"), axis)
            };
            let largest = (0..OLD)
                .map(|i| number(&here, i, "axis1", "old").abs())
                .fold(0.0, f64::max);
            for i in 0..OLD {
                for axis in ["axis1", "axis2"] {
                    let (a, b) = (
                        number(&here, i, axis, "old"),
                        number(&there, i, axis, "again"),
                    );
                    assert!((a - b).abs() < 1e-9 * largest, "{flags}: {a} and {b}");
                }
            }
            places.push(run.out);
        }
        // They are maps of their own: what was told made a difference.
        for (i, one) in places.iter().enumerate() {
            assert!(!places[..i].contains(one), "{i}");
        }
    }
}

/// Weights of the old objects that sum to 1.
fn weights(seed: u64) -> String {
    let mut draws = Draws(seed + 50);
    let given: Vec<f64> = (0..OLD).map(|_| draws.next()).collect();
    let sum: f64 = given.iter().sum();
    let lines = given.iter().enumerate();
    lines
        .map(|(i, w)| format!("old{i}\t{}\n", w / sum))
        .collect()
}

/// A newcomer's row is the same in any batch.
#[test]
fn batches_split() {
    let data = Data::new(7);
    let folder = fitted(&data, "dissimilarity", |v| v);
    for strategy in STRATEGIES {
        let whole = placed(
            &folder,
            strategy,
            &table(&data.new, "new", &in_order(), |v| v),
        )
        .out;
        let whole: Vec<&str> = whole.lines().collect();
        for cut in 1..NEW {
            let (head, tail) = data.new.split_at(cut);
            let first = placed(&folder, strategy, &table(head, "new", &in_order(), |v| v)).out;
            assert_eq!(
                first.lines().collect::<Vec<_>>(),
                whole[..=cut],
                "{strategy}"
            );
            let second = placed(&folder, strategy, &table(tail, "late", &in_order(), |v| v)).out;
            for (a, b) in second.lines().skip(1).zip(&whole[cut + 1..]) {
                assert_eq!(
                    a.split_once('\t').unwrap().1,
                    b.split_once('\t').unwrap().1,
                    "{strategy}"
                );
            }
        }
    }
}

/// The same objects by distances and by their squares are the same map; similarities as dissimilarities are refused.
#[test]
fn kinds_swapped() {
    for seed in 1..4 {
        let data = Data::new(seed);
        let plain = fitted(&data, "dissimilarity", |v| v);
        let squared = fitted(&data, "squared", |v| v * v);
        let one = placed(
            &plain,
            "reconstruct",
            &table(&data.new, "new", &in_order(), |v| v),
        );
        let other = placed(
            &squared,
            "reconstruct",
            &table(&data.new, "new", &in_order(), |v| v * v),
        );
        let (one, other) = (Tsv::new(&one.out), Tsv::new(&other.out));
        for row in &one.rows {
            for axis in ["axis1", "axis2"] {
                let (a, b) = (one.number(&row[0], axis), other.number(&row[0], axis));
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
        }
        let folder = Folder::new();
        folder.write(
            "old.tsv",
            table(&data.old, "old", &in_order(), |v| 1.0 / (1.0 + v)),
        );
        let run = folder.run("fit old.tsv -d 2 -o m.adjoin");
        assert_eq!(run.code, 1);
        assert!(run.err.contains("--kind similarity"), "{}", run.err);
    }
}

/// Newcomers in another unit are placed and remarked on, by every command that takes them; those in the map's are not.
#[test]
fn units_of_newcomers_alone() {
    for seed in 1..4 {
        let data = Data::new(seed);
        let folder = fitted(&data, "dissimilarity", |v| v);
        folder.write("new.tsv", table(&data.new, "new", &in_order(), |v| v));
        folder.write(
            "percent.tsv",
            table(&data.new, "new", &in_order(), |v| v * 100.0),
        );
        for command in [
            "place m.adjoin NEW",
            "place m.adjoin NEW --strategy reconstruct",
            "arc m.adjoin NEW",
            "compare m.adjoin NEW",
            "plot m.adjoin NEW -o x.svg",
            "report m.adjoin NEW -o x.html",
        ] {
            let right = folder.run(&command.replace("NEW", "new.tsv"));
            assert_eq!(right.code, 0, "{command}: {}", right.err);
            assert!(!right.err.contains("expected"), "{command}: {}", right.err);
            let wrong = folder.run(&command.replace("NEW", "percent.tsv"));
            assert_eq!(wrong.code, 0, "{command}: {}", wrong.err);
            let said = wrong
                .err
                .lines()
                .filter(|l| l.contains("100 times as large, as percentages are"));
            assert_eq!(said.count(), 1, "{command}: {}", wrong.err);
            assert!(
                wrong.err.contains("percent.tsv: found newcomers"),
                "{command}: {}",
                wrong.err
            );
        }
        for command in ["place", "arc", "compare"] {
            let remarks = |new: &str| {
                let run = folder.run(&format!("{command} m.adjoin {new} --json -q"));
                assert_eq!(run.err, "");
                let records: serde_json::Value = serde_json::from_str(&run.out).unwrap();
                let records = records.as_array().unwrap();
                records
                    .iter()
                    .map(|r| r["remarks"].as_array().unwrap().len())
                    .collect::<Vec<_>>()
            };
            assert!(remarks("new.tsv").iter().all(|n| *n == 0), "{command}");
            assert!(remarks("percent.tsv").iter().all(|n| *n == 1), "{command}");
        }
    }
}

/// Newcomers of another kind: squared beside plain, and similarities beyond a newcomer's own.
#[test]
fn kinds_of_newcomers_alone() {
    let data = Data::new(5);
    let folder = fitted(&data, "dissimilarity", |v| 10.0 * v);
    let run = placed(
        &folder,
        "project",
        &table(&data.new, "new", &in_order(), |v| 100.0 * v * v),
    );
    assert!(run.err.contains("squared"), "{}", run.err);
    let run = placed(
        &folder,
        "project",
        &table(&data.new, "new", &in_order(), |v| 1.0 / (1.0 + v)),
    );
    assert!(run.err.contains("similarities"), "{}", run.err);
    let folder = fitted(&data, "similarity", |v| 100.0 * (-v).exp());
    folder.write(
        "new.tsv",
        table(&data.new, "new", &in_order(), |v| 100.0 * (-v).exp()),
    );
    let run = folder.run("place m.adjoin new.tsv --self 1");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("than to itself"), "{}", run.err);
    let run = folder.run("place m.adjoin new.tsv --self 100");
    assert_eq!(run.err, "");
}

/// Few known proximities are counted in every table, and remarked on.
#[test]
fn few_known_proximities() {
    let data = Data::new(6);
    let folder = fitted(&data, "dissimilarity", |v| v);
    let mut few = String::new();
    for (i, line) in table(&data.new, "new", &in_order(), |v| v)
        .lines()
        .enumerate()
    {
        let cells: Vec<&str> = line.split('\t').collect();
        let known = |j: usize| i != 2 || j == 0 || j % 6 == 1;
        let cells: Vec<&str> = cells
            .iter()
            .enumerate()
            .map(|(j, c)| if known(j) { *c } else { "NA" })
            .collect();
        few += &(cells.join("\t") + "\n");
    }
    folder.write("few.tsv", few);
    for command in ["place", "arc", "compare"] {
        let run = folder.run(&format!("{command} m.adjoin few.tsv -o out.tsv"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains("\"new1\""), "{command}: {}", run.err);
        let table = Tsv::new(&folder.read("out.tsv"));
        assert_eq!(table.cell("new1", "known"), "4", "{command}");
        assert_eq!(table.cell("new0", "known"), "24", "{command}");
    }
}

/// Coordinates on another scale than the proximities are refused with the factor, or brought onto it.
#[test]
fn configurations_in_another_unit() {
    let data = Data::new(8);
    let folder = fitted(&data, "dissimilarity", |v| v);
    folder.write("new.tsv", table(&data.new, "new", &in_order(), |v| v));
    assert_eq!(folder.run("convert m.adjoin xy.tsv").code, 0);
    let xy = Tsv::new(&folder.read("xy.tsv"));
    let mut large = xy.header.join("\t") + "\n";
    for row in &xy.rows {
        let tenfold = |cell: &String| (10.0 * cell.parse::<f64>().unwrap()).to_string();
        large += &format!("{}\t{}\t{}\n", row[0], tenfold(&row[1]), tenfold(&row[2]));
    }
    folder.write("large.tsv", large);
    let run = folder.run("fit old.tsv --configuration large.tsv -o l.adjoin");
    assert_eq!(run.code, 1);
    for word in [
        "large.tsv: found coordinates on another scale",
        "multiply them by 0.1",
        "--rescale",
    ] {
        assert!(run.err.contains(word), "{} has no {word}", run.err);
    }
    assert!(!folder.exists("l.adjoin"));
    let run = folder.run("fit old.tsv --configuration large.tsv --rescale -o l.adjoin");
    assert_eq!(run.code, 0, "{}", run.err);
    let one = Tsv::new(&folder.run("place m.adjoin new.tsv").out);
    let other = Tsv::new(&folder.run("place l.adjoin new.tsv").out);
    for row in &one.rows {
        for axis in ["axis1", "axis2"] {
            let (a, b) = (one.number(&row[0], axis), other.number(&row[0], axis));
            assert!((a - b).abs() < 1e-9, "{a} and {b}");
        }
    }
    assert_eq!(folder.run("fit old.tsv -d 2 --rescale -o l.adjoin").code, 2);
}
