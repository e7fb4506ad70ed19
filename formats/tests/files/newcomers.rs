use std::fmt::Write as _;
use std::io::Write as _;

use adjoin::settings::{Axes, Landmarks};
use adjoin::{
    Entries, FitSettings, Kind, Map, Method, Objects, PlaceSettings, Placements, Run, Square,
};
use adjoin_formats::{
    Arrivals, Error, Format, Matrix, NpyBlocks, Numbers, OnDisk, ReadOptions, SelfSimilarity, read,
    read_features, read_numbers,
};
use faer::Mat;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Scratch, assert_same, message, read_text};

const RUN: Run<'static> = Run {
    threads: 1,
    watch: None,
};

/// Old objects a … h, landmarks among them, and newcomers x and y: a point each.
const POINTS: [(&str, [f64; 3]); 10] = [
    ("a", [0.0, 0.0, 0.1]),
    ("b", [4.0, 0.5, 0.0]),
    ("c", [1.0, 3.0, -0.2]),
    ("d", [5.0, 2.5, 0.3]),
    ("e", [2.0, 1.0, 0.4]),
    ("f", [3.0, 4.0, -0.1]),
    ("g", [6.0, 1.0, 0.2]),
    ("h", [0.5, 5.0, 0.0]),
    ("x", [2.5, 2.0, 1.5]),
    ("y", [7.0, 3.0, -0.5]),
];
const OLD: usize = 8;
const LANDMARKS: [usize; 5] = [0, 1, 3, 5, 7];

fn distance(i: usize, j: usize) -> f64 {
    let steps = POINTS[i].1.iter().zip(POINTS[j].1);
    steps.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn similarity(i: usize, j: usize) -> f64 {
    let terms = POINTS[i].1.iter().zip(POINTS[j].1);
    terms.map(|(a, b)| a * b).sum()
}

fn labels(objects: &[usize]) -> Vec<String> {
    objects.iter().map(|&i| POINTS[i].0.to_owned()).collect()
}

fn fit(kind: Kind, entry: fn(usize, usize) -> f64, settings: &FitSettings) -> Map {
    let all: Vec<usize> = (0..OLD).collect();
    let entries = Mat::from_fn(OLD, OLD, entry);
    let square = Square {
        entries: Entries::Doubles(entries.as_ref()),
        kind,
        labels: Some(labels(&all)),
        made_of: None,
    };
    let fitted = Map::fit(Objects::Square(square), settings, RUN);
    fitted.unwrap().map
}

fn plain() -> Map {
    fit(Kind::Dissimilarity, distance, &FitSettings::default())
}

fn of_similarities() -> Map {
    fit(Kind::Similarity, similarity, &FitSettings::default())
}

fn of_landmarks(rotate: bool) -> Map {
    let settings = FitSettings {
        method: Method::Landmark,
        landmarks: Some(Landmarks::Given(LANDMARKS.to_vec())),
        rotate,
        ..Default::default()
    };
    fit(Kind::Dissimilarity, distance, &settings)
}

/// A table of numbers under a name.
fn named(
    name: &str,
    rows: &[usize],
    columns: &[usize],
    entry: impl Fn(usize, usize) -> f64,
) -> Matrix {
    let mut text = String::new();
    for label in labels(columns) {
        write!(text, "\t{label}").unwrap();
    }
    for &i in rows {
        write!(text, "\n{}", POINTS[i].0).unwrap();
        for &j in columns {
            write!(text, "\t{:?}", entry(i, j)).unwrap();
        }
    }
    read_text(name, text + "\n").unwrap()
}

fn table(rows: &[usize], columns: &[usize]) -> Matrix {
    named("new.tsv", rows, columns, distance)
}

fn place(map: &Map, arrivals: &Arrivals) -> Placements {
    let settings = PlaceSettings::default();
    map.place(&arrivals.newcomers(), &settings, RUN).unwrap().1
}

fn numbers(text: &str) -> Numbers {
    let scratch = Scratch::new();
    read_numbers(&scratch.file("numbers.tsv", text)).unwrap()
}

#[track_caller]
fn refused(answer: Result<Arrivals, Error>, expected: &str) {
    let found = answer.err().map(message).unwrap();
    assert_eq!(found, expected);
}

/// A map of landmarks takes columns for all its objects, in any order, and uses those of the landmarks.
#[test]
fn a_landmark_map_takes_columns_for_all_objects() {
    for rotate in [false, true] {
        let map = of_landmarks(rotate);
        let own = Arrivals::of_matrix(table(&[8, 9], &LANDMARKS), &map, RUN).unwrap();
        let columns = [7, 6, 5, 4, 3, 2, 1, 0];
        let all = Arrivals::of_matrix(table(&[8, 9], &columns), &map, RUN).unwrap();
        assert_eq!(all.labels, ["x", "y"]);
        assert_eq!(all.lines, [2, 3]);
        let (own, all) = (place(&map, &own), place(&map, &all));
        assert_same(&all.coordinates, &own.coordinates);
        // Not all of the landmarks, but some of the others.
        refused(
            Arrivals::of_matrix(table(&[8, 9], &[0, 1, 2, 3, 4, 6, 7]), &map, RUN),
            "new.tsv:1: found no column for \"f\", expected one for each of the map's 5 objects",
        );
    }
}

/// A square over all objects of a landmark map and the newcomers is split; rows of the landmarks are enough.
#[test]
fn a_landmark_map_takes_a_square_over_all_objects() {
    for rotate in [false, true] {
        let map = of_landmarks(rotate);
        let own = Arrivals::of_matrix(table(&[8, 9], &LANDMARKS), &map, RUN).unwrap();
        let order = [9, 4, 0, 5, 8, 2, 7, 3, 1, 6];
        let arrivals = Arrivals::of_matrix(table(&order, &order), &map, RUN).unwrap();
        assert_eq!(arrivals.labels, ["y", "x"]);
        assert_eq!(arrivals.lines, [2, 6]);
        let (own, placed) = (place(&map, &own), place(&map, &arrivals));
        assert_same(placed.point(0), own.point(1));
        assert_same(placed.point(1), own.point(0));
        assert!(arrivals.between().is_some());
        // The old part is that of the landmarks, in the map's order, then the newcomers.
        let everything = arrivals.everything().unwrap();
        let objects = [0, 1, 3, 5, 7, 9, 8];
        assert_eq!(everything.nrows(), objects.len());
        for (i, &p) in objects.iter().enumerate() {
            for (j, &q) in objects.iter().enumerate() {
                assert_eq!(everything[(i, j)], distance(p, q));
            }
        }
        let rows = [&LANDMARKS[..], &[8, 9]].concat();
        assert!(Arrivals::of_matrix(table(&rows, &rows), &map, RUN).is_ok());
    }
}

/// A square whose old part contradicts the map is refused, also where the map was turned; among objects that are not
/// compared with, nothing can contradict.
#[test]
fn an_old_part_of_another_map_is_refused() {
    let all: Vec<usize> = (0..POINTS.len()).collect();
    let with = |between: [usize; 2]| {
        let wrong = move |i: usize, j: usize| {
            let it = (i, j) == (between[0], between[1]) || (j, i) == (between[0], between[1]);
            distance(i, j) + if it { 1.0 } else { 0.0 }
        };
        named("new.tsv", &all, &all, wrong)
    };
    for map in [plain(), of_landmarks(false), of_landmarks(true)] {
        let error = Arrivals::of_matrix(with([3, 5]), &map, RUN).err().unwrap();
        let said = message(error);
        assert!(said.starts_with("new.tsv: "), "{said}");
        assert!(said.contains("expected"), "{said}");
    }
    // c and e are no landmarks.
    assert!(Arrivals::of_matrix(with([2, 4]), &plain(), RUN).is_err());
    assert!(Arrivals::of_matrix(with([2, 4]), &of_landmarks(true), RUN).is_ok());
}

/// Weights of all objects are taken where only landmarks are compared with; those of strangers are not.
#[test]
fn weights_may_be_among_others() {
    let map = of_landmarks(false);
    let arrivals = || Arrivals::of_matrix(table(&[8, 9], &LANDMARKS), &map, RUN).unwrap();
    let mut some = arrivals();
    some.set_weights(&numbers("h 1\nf 2\nd 0.5\nb 1\na 3\n"), &map)
        .unwrap();
    assert_eq!(some.newcomers().weights.unwrap(), [3.0, 1.0, 0.5, 2.0, 1.0]);
    let mut all = arrivals();
    let text = "a 3\nb 1\nc 9\nd 0.5\ne 9\nf 2\ng 9\nh 1\n";
    all.set_weights(&numbers(text), &map).unwrap();
    assert_same(
        &place(&map, &all).coordinates,
        &place(&map, &some).coordinates,
    );
    assert_ne!(
        place(&map, &all).coordinates,
        place(&map, &arrivals()).coordinates
    );
    for (text, expected) in [
        (
            "a 3\nb 1\nd 0.5\nf 2\nx 1\nh 1\n",
            "numbers.tsv:5: found the unknown label \"x\", expected labels of the objects concerned",
        ),
        (
            "a 3\nb 1\nc 9\nd 0.5\nf 2\n",
            "numbers.tsv: found no number for \"h\", expected one for each object",
        ),
        (
            "1\n2\n3\n",
            "numbers.tsv: found 3 numbers, expected 5, one for each object",
        ),
    ] {
        let error = arrivals().set_weights(&numbers(text), &map).unwrap_err();
        assert_eq!(message(error), expected);
    }
}

/// What is wrong with proximities between newcomers is said of their own file, what is wrong with the others of theirs.
#[test]
fn what_is_between_has_a_file_of_its_own() {
    let map = plain();
    let old: Vec<usize> = (0..OLD).collect();
    let ask = |arrivals: &Arrivals| {
        let between = arrivals.between().unwrap();
        let answer = map.jointly(&arrivals.newcomers(), between, RUN);
        answer.map_err(|error| message(arrivals.wrong(error)))
    };
    let between = |entry: fn(usize, usize) -> f64| named("between.tsv", &[8, 9], &[8, 9], entry);
    let mut arrivals = Arrivals::of_matrix(table(&[8, 9], &old), &map, RUN).unwrap();
    assert!(arrivals.between().is_none());
    arrivals.set_between(between(distance), &map).unwrap();
    assert!(ask(&arrivals).is_ok());
    let wrong: [fn(usize, usize) -> f64; 2] = [
        |i, j| if i == j { 0.0 } else { -1.0 },
        |i, j| i.abs_diff(j) as f64 * if i < j { 1.0 } else { 2.0 },
    ];
    for entry in wrong {
        arrivals.set_between(between(entry), &map).unwrap();
        let said = ask(&arrivals).unwrap_err();
        assert!(said.starts_with("between.tsv: "), "{said}");
        assert!(said.contains("\"x\"") && said.contains("\"y\""), "{said}");
    }
    // The other way round: sound between, and a wrong number on line 3 of the newcomers' file.
    let negative = named("new.tsv", &[8, 9], &old, |i, j| {
        if (i, j) == (9, 4) {
            -3.0
        } else {
            distance(i, j)
        }
    });
    let mut arrivals = Arrivals::of_matrix(negative, &map, RUN).unwrap();
    arrivals.set_between(between(distance), &map).unwrap();
    let said = ask(&arrivals).unwrap_err();
    assert!(said.starts_with("new.tsv:3: "), "{said}");
    let error = arrivals.set_between(named("between.tsv", &[8], &[8], distance), &map);
    assert_eq!(
        message(error.unwrap_err()),
        "between.tsv: found no row for the newcomer \"y\", expected one for each newcomer"
    );
}

/// The diagonal of a square of similarities is the newcomers' similarity to themselves; it may be said again, but not otherwise.
#[test]
fn similarities_to_themselves() {
    let map = of_similarities();
    let all: Vec<usize> = (0..POINTS.len()).collect();
    let old: Vec<usize> = (0..OLD).collect();
    let square = named("new.tsv", &all, &all, similarity);
    let mut arrivals = Arrivals::of_matrix(square, &map, RUN).unwrap();
    let own = [similarity(8, 8), similarity(9, 9)];
    assert_eq!(arrivals.newcomers().self_similarity.unwrap(), own);
    let error = arrivals.set_self_similarity(&SelfSimilarity::All(99.5), &map);
    let said = message(error.unwrap_err());
    assert!(
        said.contains("on the diagonal for \"x\", and 99.5 beside it (--self)"),
        "{said}"
    );
    let each = SelfSimilarity::Each(numbers(&format!("y {}\nx {}\n", own[1], own[0])));
    arrivals.set_self_similarity(&each, &map).unwrap();
    assert_eq!(arrivals.newcomers().self_similarity.unwrap(), own);
    let rectangle = named("new.tsv", &[8, 9], &old, similarity);
    let mut arrivals = Arrivals::of_matrix(rectangle, &map, RUN).unwrap();
    let each = SelfSimilarity::Each(numbers("y 2\nx 1\n"));
    arrivals.set_self_similarity(&each, &map).unwrap();
    assert_eq!(arrivals.newcomers().self_similarity.unwrap(), [1.0, 2.0]);
    // Nothing of the kind is made of dissimilarities.
    let square = table(&all, &all);
    let mut arrivals = Arrivals::of_matrix(square, &plain(), RUN).unwrap();
    assert!(arrivals.newcomers().self_similarity.is_none());
    let error = arrivals.set_self_similarity(&SelfSimilarity::All(1.0), &plain());
    assert!(message(error.unwrap_err()).contains("none on a map of dissimilarities"));
}

/// What only an old object's row says of it and a newcomer is known all the same.
#[test]
fn the_other_half_of_a_square() {
    let map = plain();
    let all: Vec<usize> = (0..POINTS.len()).collect();
    let whole = Arrivals::of_matrix(table(&all, &all), &map, RUN).unwrap();
    let mut square = table(&all, &all);
    let width = all.len();
    for j in [0, 3, 5] {
        square.values[8 * width + j] = f64::NAN;
    }
    let gaps = Arrivals::of_matrix(square, &map, RUN).unwrap();
    let (gaps, whole) = (place(&map, &gaps), place(&map, &whole));
    assert_eq!(gaps.known, whole.known);
    assert_eq!(gaps.coordinates, whole.coordinates);
}

/// An array on disk is read row by row and places newcomers as the same table does.
#[test]
fn arrays_on_disk() {
    let map = plain();
    let old: Vec<usize> = (0..OLD).collect();
    let matrix = table(&[8, 9], &old);
    let scratch = Scratch::new();
    let path = scratch.file("new.npy", npy(&matrix.values, 2, OLD));
    let open = |labels: Option<Vec<String>>| OnDisk {
        blocks: Box::new(NpyBlocks::open(&path).unwrap()),
        labels,
        columns: None,
        lines: Vec::new(),
    };
    let arrivals = Arrivals::of_disk(open(None), &map, RUN).unwrap();
    assert_eq!(arrivals.labels, ["new1", "new2"]);
    assert!(arrivals.by_position);
    let expected = place(&map, &Arrivals::of_matrix(matrix, &map, RUN).unwrap());
    assert_same(&place(&map, &arrivals).coordinates, &expected.coordinates);
    let named = Arrivals::of_disk(open(Some(labels(&[8, 9]))), &map, RUN).unwrap();
    // The rows have labels, the columns have none.
    assert!(named.by_position && !named.numbered && named.labels == ["x", "y"]);
    assert!(arrivals.numbered);
    refused(
        Arrivals::of_disk(open(Some(labels(&[8, 8]))), &map, RUN),
        "new.npy: found the label \"x\" twice (rows 1 and 2), expected each label once",
    );
    refused(
        Arrivals::of_disk(open(None), &of_landmarks(false), RUN),
        "new.npy: found an array of 2 × 8 without labels, expected 5 columns, one for each object of the map",
    );
    // A file that shrinks while it is read is at fault itself, whatever the core makes of it.
    std::fs::write(&path, npy(&[0.0], 2, OLD)).unwrap();
    let error = map.border(&arrivals.newcomers(), RUN).unwrap_err();
    let said = message(arrivals.wrong(error));
    assert!(said.starts_with("new.npy: found"), "{said}");
}

/// A map, where both newcomers are on it, and its objects from the last to the first.
fn both_placed() -> (Map, Placements, Vec<usize>) {
    let map = plain();
    let order: Vec<usize> = (0..OLD).collect();
    let arrivals = Arrivals::of_matrix(table(&[8, 9], &order), &map, RUN).unwrap();
    let expected = place(&map, &arrivals);
    (map, expected, order.into_iter().rev().collect())
}

/// Labels for the columns of an array are used or refused, however the array comes.
#[test]
fn labels_of_columns() {
    let (map, expected, backwards) = both_placed();
    let scratch = Scratch::new();
    let options = ReadOptions {
        threads: 1,
        column_labels: Some(scratch.file("columns.txt", labels(&backwards).join("\n"))),
        ..Default::default()
    };
    let matrix = table(&[8, 9], &backwards);
    let bytes = npy(&matrix.values, 2, OLD);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&bytes).unwrap();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let how = zip::write::SimpleFileOptions::default();
    archive.start_file("new.npy", how).unwrap();
    archive.write_all(&bytes).unwrap();
    let mut text = String::new();
    for row in matrix.values.chunks(OLD) {
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{}", row.join(" ")).unwrap();
    }
    for path in [
        scratch.file("new.npy", bytes),
        scratch.file("new.npy.gz", packed.finish().unwrap()),
        scratch.file("new.npz", archive.finish().unwrap().into_inner()),
        scratch.file("new.txt", &text),
    ] {
        let matrix = read(&path, &options).unwrap();
        let arrivals = Arrivals::of_matrix(matrix, &map, RUN).unwrap();
        assert!(!arrivals.by_position && arrivals.labels == ["new1", "new2"]);
        assert_same(&place(&map, &arrivals).coordinates, &expected.coordinates);
    }
    let own = scratch.file("new.tsv", "\ta\tb\nx\t1\t2\n");
    assert_eq!(
        message(read(&own, &options).unwrap_err()),
        "new.tsv: found a file of labels for columns beside a file that has its own, expected labels for numbers without any"
    );
}

/// Labels for the rows of an array that is turned over are those of its columns.
#[test]
fn labels_of_an_array_that_is_turned_over() {
    let (map, expected, backwards) = both_placed();
    let scratch = Scratch::new();
    let mut options = ReadOptions {
        threads: 1,
        labels: Some(scratch.file("rows.txt", labels(&backwards).join("\n"))),
        ..Default::default()
    };
    options.adapt.transpose = true;
    let path = scratch.file("new.npy", npy(&table(&backwards, &[8, 9]).values, OLD, 2));
    let arrivals = Arrivals::of_matrix(read(&path, &options).unwrap(), &map, RUN).unwrap();
    assert!(!arrivals.by_position && arrivals.labels == ["new1", "new2"]);
    assert_same(&place(&map, &arrivals).coordinates, &expected.coordinates);
}

/// Who is in no pair of a list counts as any pair that it does not have, whoever else is in it.
#[test]
fn objects_in_no_pair_are_not_listed() {
    let map = plain();
    let scratch = Scratch::new();
    let mut options = ReadOptions {
        threads: 1,
        format: Some(Format::Long),
        ..Default::default()
    };
    options.adapt.unlisted = Some(9.0);
    let placed = |text: &str| {
        let matrix = read(&scratch.file("list.txt", text), &options).unwrap();
        let arrivals = Arrivals::of_part(matrix, &map, RUN).unwrap();
        place(&map, &arrivals)
    };
    let some = "x a 3\nx b 2\nx c 2\nx d 3\nx e 2\nx f 2\nx g 4\n";
    let (alone, beside) = (placed(some), placed(&format!("{some}y h 1\n")));
    assert_eq!(alone.known[0], OLD);
    assert_same(alone.point(0), beside.point(0));
}

/// The bytes of an array of doubles, row by row.
fn npy(values: &[f64], rows: usize, columns: usize) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

/// Features are matched by name, or by position where they have none.
#[test]
fn features_by_name_and_by_position() {
    let scratch = Scratch::new();
    let options = ReadOptions {
        threads: 1,
        ..Default::default()
    };
    let table = |file: &str, text: &str| read_features(&scratch.file(file, text), &options);
    let old = table("old.tsv", "\tu\tv\na\t0\t1\nb\t3\t1\nc\t2\t5\nd\t4\t4\n");
    let objects = Objects::Features {
        features: old.unwrap().features,
        measure: None,
    };
    let settings = FitSettings {
        method: Method::Pca,
        axes: Axes::Count(2),
        ..Default::default()
    };
    let map = Map::fit(objects, &settings, RUN).unwrap().map;
    let new = table("new.tsv", "\tv\tu\nx\t2\t1\n").unwrap();
    let named = Arrivals::of_features(new, &map).unwrap();
    assert!(named.by_features() && !named.by_position);
    let path = scratch.file("new.npy", npy(&[1.0, 2.0], 1, 2));
    let new = read_features(&path, &options).unwrap();
    let bare = Arrivals::of_features(new, &map).unwrap();
    assert!(bare.by_position);
    assert_eq!(bare.labels, ["new1"]);
    assert_same(
        &place(&map, &bare).coordinates,
        &place(&map, &named).coordinates,
    );
    let path = scratch.file("wide.npy", npy(&[1.0, 2.0, 3.0], 1, 3));
    let wide = read_features(&path, &options).unwrap();
    refused(
        Arrivals::of_features(wide, &map),
        "wide.npy: found 3 columns without names, expected one for each of the map's 2 features",
    );
}

/// Newcomers against coordinates that are not a map.
#[test]
fn newcomers_to_a_configuration() {
    let labels = labels(&[0, 1, 2]);
    let mut arrivals = Arrivals::on_labels(table(&[8, 9], &[2, 0, 1]), &labels, false).unwrap();
    arrivals
        .set_weights_of(&numbers("c 3\nb 2\na 1\n"), &labels)
        .unwrap();
    let newcomers = arrivals.newcomers();
    assert_eq!(newcomers.weights.unwrap(), [1.0, 2.0, 3.0]);
    let adjoin::By::Doubles(rows) = newcomers.by else {
        panic!("expected rows in memory");
    };
    let expected = Mat::from_fn(2, 3, |i, j| distance(8 + i, j));
    assert_eq!(rows, expected.as_ref());
}
