use adjoin_formats::{Error, Format, Matched, Matrix, ReadOptions, match_between, square};

use crate::{Scratch, assert_same, message, read_text};

fn strings(labels: &str) -> Vec<String> {
    labels.split(' ').map(str::to_owned).collect()
}

/// The newcomers to a map whose objects are all compared with.
fn match_newcomers<'a>(new: &'a Matrix, old: &[String]) -> Result<Matched<'a>, Error> {
    adjoin_formats::match_newcomers(new, old, old, false)
}

fn table(text: &str) -> Matrix {
    read_text("new.tsv", text).unwrap_or_else(|e| panic!("{e}"))
}

fn list(text: &str) -> Matrix {
    let scratch = Scratch::new();
    let options = ReadOptions {
        format: Some(Format::Long),
        ..ReadOptions::default()
    };
    adjoin_formats::read(&scratch.file("new.tsv", text), &options).unwrap_or_else(|e| panic!("{e}"))
}

fn array(rows: usize, columns: usize) -> Matrix {
    let numbers = |n: usize| (1..=n).map(|i| i.to_string()).collect();
    Matrix {
        rows: numbers(rows),
        columns: numbers(columns),
        values: (0..rows * columns).map(|i| i as f64).collect(),
        lines: vec![0; rows],
        source: "new.npy".into(),
        ..Matrix::default()
    }
}

#[track_caller]
fn refuses(matrix: &Matrix, old: &str, expected: &str) {
    assert_eq!(
        message(match_newcomers(matrix, &strings(old)).unwrap_err()),
        expected
    );
}

#[test]
fn columns_are_matched_by_name_and_borrowed_if_in_order() {
    let new = table("\ta\tb\tc\nx\t1\t2\t3\ny\t4\t5\tNA\n");
    let same = match_newcomers(&new, &strings("a b c")).unwrap();
    assert_eq!(same.newcomers, ["x", "y"]);
    assert!(matches!(same.cross, std::borrow::Cow::Borrowed(_)));
    assert_same(&same.cross, &[1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN]);
    assert_eq!(
        (same.between, same.old, same.lines),
        (None, None, vec![2, 3])
    );
    let other = match_newcomers(&new, &strings("c a b")).unwrap();
    assert_same(&other.cross, &[3.0, 1.0, 2.0, f64::NAN, 4.0, 5.0]);
}

#[test]
fn newcomers_among_the_columns_give_what_is_between() {
    let new = table("\ty\tb\tx\ta\nx\t7\t2\t0\t1\ny\t0\t4\t7\t3\n");
    let matched = match_newcomers(&new, &strings("a b")).unwrap();
    assert_same(&matched.cross, &[1.0, 2.0, 3.0, 4.0]);
    assert_same(matched.between.unwrap().square(), &[0.0, 7.0, 7.0, 0.0]);
    // Half of it is enough, and says so for the diagonal.
    let new = table("\ta\tb\tx\nx\t1\t2\t0\ny\t3\t4\t7\n");
    let matched = match_newcomers(&new, &strings("a b")).unwrap();
    assert_same(
        matched.between.unwrap().square(),
        &[0.0, 7.0, 7.0, f64::NAN],
    );
}

#[test]
fn a_square_over_old_and_new_is_split() {
    let new = table("\tx\tb\ty\ta\nx\t0\t2\t7\t1\nb\t2\t0\t4\t9\ny\t7\t4\t0\t3\na\t1\t9\t3\t0\n");
    let matched = match_newcomers(&new, &strings("a b")).unwrap();
    assert_eq!(matched.newcomers, ["x", "y"]);
    assert_same(&matched.cross, &[1.0, 2.0, 3.0, 4.0]);
    assert_same(matched.between.unwrap().square(), &[0.0, 7.0, 7.0, 0.0]);
    assert_same(&matched.old.unwrap(), &[0.0, 9.0, 9.0, 0.0]);
    assert_eq!(matched.lines, [2, 4]);
    let crooked = table("\ta\tb\tx\na\t0\t9\t1\nb\t9\t0\t2.5\nx\t1\t2\t0\n");
    refuses(
        &crooked,
        "a b",
        "new.tsv:4: found 2 from \"x\" to \"b\" but 2.5 back, expected a symmetric square",
    );
}

#[test]
fn lists_of_pairs_are_matched_in_either_direction() {
    for text in [
        "a x 1\nb x 2\na y 3\nb y 4\n",
        "x b 2\nx a 1\ny a 3\ny b 4\n",
    ] {
        let new = list(text);
        let matched = match_newcomers(&new, &strings("a b")).unwrap();
        assert_eq!(matched.newcomers, ["x", "y"]);
        assert_same(&matched.cross, &[1.0, 2.0, 3.0, 4.0]);
        assert!(matched.between.is_none() && matched.old.is_none());
    }
    // Pairs of newcomers among them, and none of old objects.
    let new = list("x a 1\nx b 2\ny a 3\ny b 4\nx y 7\n");
    let matched = match_newcomers(&new, &strings("a b")).unwrap();
    assert_same(&matched.cross, &[1.0, 2.0, 3.0, 4.0]);
    assert_same(matched.between.unwrap().square(), &[0.0, 7.0, 7.0, 0.0]);
    assert!(matched.old.is_none() && matched.diagonal_absent);
    refuses(
        &list("x a 1\nx b 2\nx c 3\na b 4\n"),
        "a b c",
        "new.tsv: found no proximity between \"a\" and \"c\", which are on the map, expected all proximities between the map's objects, or none",
    );
}

#[test]
fn labels_that_do_not_fit_are_named() {
    let new = table("\ta\tb\nx\t1\t2\n");
    refuses(
        &new,
        "a b c",
        "new.tsv:1: found no column for \"c\", expected one for each of the map's 3 objects",
    );
    refuses(
        &new,
        "a d e f",
        "new.tsv:1: found no column for \"d\" and 2 more, expected one for each of the map's 4 objects",
    );
    refuses(
        &new,
        "a",
        "new.tsv:1: found the unknown column \"b\", expected columns that are objects of the map or newcomers with a row",
    );
    refuses(
        &table("\tx\ty\na\t1\t2\nb\t3\t4\nc\t5\t6\n"),
        "a b c",
        "new.tsv:1: found no column for \"a\" and 2 more, expected one for each of the map's 3 objects (they are in the rows: transpose the table)",
    );
    refuses(
        &table("\ta\tb\nx\t1\t2\nb\t3\t4\n"),
        "a b",
        "new.tsv:3: found a row for \"b\", which is on the map, but none for \"a\", expected rows for newcomers only, or for all objects of the map as well",
    );
    refuses(
        &table("\ta\tb\na\t0\t2\nb\t2\t0\n"),
        "a b",
        "new.tsv: found 2 rows, all of them on the map already, expected at least one newcomer",
    );
}

#[test]
fn arrays_without_labels_go_by_position() {
    let new = array(2, 3);
    let matched = match_newcomers(&new, &strings("p q r")).unwrap();
    assert_eq!(matched.newcomers, ["new1", "new2"]);
    assert!(matched.by_position);
    assert_same(&matched.cross, &new.values);
    refuses(
        &new,
        "p q",
        "new.npy: found an array of 2 × 3 without labels, expected 2 columns, one for each object of the map (it may have to be transposed)",
    );
    refuses(
        &new,
        "p q r s",
        "new.npy: found an array of 2 × 3 without labels, expected 4 columns, one for each object of the map",
    );
    assert_eq!(square(array(3, 3)).unwrap().rows, ["1", "2", "3"]);
    assert_eq!(
        message(square(array(2, 3)).unwrap_err()),
        "new.npy: found an array of 2 × 3 without labels, expected a square"
    );
    assert_eq!(
        match_between(array(2, 2), &strings("x y")).unwrap(),
        [0.0, 1.0, 2.0, 3.0]
    );
    assert!(match_between(array(3, 3), &strings("x y")).is_err());
}

#[test]
fn rows_of_a_square_may_come_in_any_order() {
    let matrix = square(table("\ta\tb\tc\nc\t2\t3\t0\na\t0\t1\t2\nb\t1\t0\t3\n")).unwrap();
    assert_eq!(matrix.rows, ["a", "b", "c"]);
    assert_eq!(matrix.columns, matrix.rows);
    assert_eq!(matrix.values, [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
    assert_eq!(matrix.lines, [3, 4, 2]);
    for (text, expected) in [
        (
            "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\n",
            "new.tsv:1: found a column but no row for \"c\", expected a square with the same labels in rows and columns",
        ),
        (
            "\ta\tb\na\t0\t1\nb\t1\t0\nx\t1\t2\n",
            "new.tsv:4: found a row but no column for \"x\", expected a square with the same labels in rows and columns",
        ),
    ] {
        assert_eq!(message(square(table(text)).unwrap_err()), expected);
    }
}

#[test]
fn what_is_between_newcomers_may_come_from_a_file_of_its_own() {
    let between = || table("\tx\ty\tz\nz\t2\t3\t0\nx\t0\t1\t2\ny\t1\t0\t3\n");
    assert_eq!(
        match_between(between(), &strings("z x y")).unwrap(),
        [0.0, 2.0, 3.0, 2.0, 0.0, 1.0, 3.0, 1.0, 0.0]
    );
    assert_eq!(
        message(match_between(between(), &strings("x y")).unwrap_err()),
        "new.tsv:2: found \"z\", which is not a newcomer, expected labels of newcomers"
    );
    assert_eq!(
        message(match_between(between(), &strings("x y z u")).unwrap_err()),
        "new.tsv: found no row for the newcomer \"u\", expected one for each newcomer"
    );
}
