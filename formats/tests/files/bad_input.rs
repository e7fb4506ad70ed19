use std::path::Path;

use adjoin_formats::{Format, ReadOptions, read_configuration, read_labels, read_numbers};

use crate::{Scratch, fixture, message, read, read_text};

/// The right table that each wrong one differs from in one thing.
const RIGHT: &str = "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n";

#[track_caller]
fn refuses(text: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(message(read_text("t.tsv", text).unwrap_err()), expected);
}

fn with(from: &str, to: &str) -> String {
    assert!(RIGHT.contains(from));
    RIGHT.replacen(from, to, 1)
}

#[test]
fn the_right_table_is_read() {
    assert_eq!(read_text("t.tsv", RIGHT).unwrap().shape(), (3, 3));
}

#[test]
fn an_empty_file() {
    refuses("", "t.tsv: found an empty file, expected UTF-8 text");
    refuses(
        "\n\n# nothing\n  \n",
        "t.tsv: found no lines but blank ones and comments, expected a header of labels and rows of numbers",
    );
}

#[test]
fn a_header_only() {
    refuses(
        "# note\n\ta\tb\tc\n\n",
        "t.tsv:2: found a header of 4 cells and nothing after it, expected a header and at least one row",
    );
}

/// Numbers alone in lines of different lengths are no header and row; labels that are numbers are quoted, whole, or in the
/// rows as well.
#[test]
fn ragged_numbers_are_asked_about() {
    refuses(
        "0.5 1\n2 3 4\n",
        "t.tsv:1: found 2 numbers, and one more on the next line, expected labels, or as many numbers on each line, or the \
         rows of a triangle (labels that are numbers are known by quotation marks)",
    );
    for (text, columns) in [
        ("\"0.5\" \"1\"\n2 3 4\n", ["0.5", "1"]),
        ("5 1\n2 3 4\n", ["5", "1"]),
        ("0.5 1\n0.5 0 4\n1 4 0\n", ["0.5", "1"]),
    ] {
        assert_eq!(read_text("t.tsv", text).unwrap().columns, columns, "{text}");
    }
}

#[test]
fn ragged_rows() {
    refuses(
        with("b\t1\t0\t3", "b\t1\t0"),
        "t.tsv:3: found 2 values in row \"b\", expected 3, one for each label of the header on line 1",
    );
    refuses(
        with("b\t1\t0\t3", "\nb\t1\t0\t3\t4"),
        "t.tsv:4: found 4 values in row \"b\", expected 3, one for each label of the header on line 1",
    );
}

#[test]
fn a_doubled_label() {
    refuses(
        with("\nb\t1", "\na\t1"),
        "t.tsv:3: found the row label \"a\" twice (lines 2 and 3), expected each label once",
    );
    refuses(
        with("\tb\tc", "\tb\ta"),
        "t.tsv:1: found the column label \"a\" twice (columns 1 and 3), expected each label once",
    );
}

#[test]
fn a_missing_label() {
    refuses(
        with("\nb\t1", "\n\t1"),
        "t.tsv:3: found a row without a label, expected a label before the numbers",
    );
    refuses(
        with("\ta\tb", "\ta\t"),
        "t.tsv:1: found an empty label in cell 3 of the header, expected a label for each column",
    );
}

#[test]
fn text_in_a_cell() {
    refuses(
        with("0\t3", "0\tthree"),
        "t.tsv:3: found \"three\" in row \"b\", column \"c\", expected a number",
    );
    refuses(
        with("0\t3", "0\t0,5"),
        "t.tsv:3: found \"0,5\" in row \"b\", column \"c\", expected a number with a decimal point",
    );
    refuses(
        with("0\t3", "0\t1 2"),
        "t.tsv:3: found \"1 2\" in row \"b\", column \"c\", expected a number",
    );
    refuses(
        with("0\t3", "0\t\u{1b}[2J\u{7}"),
        "t.tsv:3: found \"\\u{1b}[2J\\u{7}\" in row \"b\", column \"c\", expected a number",
    );
    let long = with("0\t3", &format!("0\t{}", "x".repeat(5000)));
    assert!(message(read_text("t.tsv", long).unwrap_err()).len() < 150);
}

/// A header without a corner: the column is still named rightly.
#[test]
fn text_in_a_cell_below_a_header_without_corner() {
    refuses(
        "a b c\na 0 1 2\nb 1 x 3\n",
        "t.tsv:3: found \"x\" in row \"b\", column \"b\", expected a number",
    );
}

#[test]
fn numbers_that_are_not_finite() {
    for text in ["1e999", "-1e999", "inf", "-Infinity"] {
        refuses(
            with("0\t3", &format!("0\t{text}")),
            &format!(
                "t.tsv:3: found \"{text}\" in row \"b\", column \"c\", expected a finite number"
            ),
        );
    }
}

#[test]
fn a_list_of_pairs_read_as_a_table_is_told_of_its_format() {
    for (list, line) in [
        ("a\tb\t0.5\na\tc\t0.7\n", 2),
        ("from,to,value\na,b,0.5\n", 2),
        ("r\tq\t0.1\t0\t5/10\nr\ts\t0.1\t0\t5/10\n", 2),
    ] {
        let error = message(read_text("t.tsv", list).unwrap_err());
        assert!(
            error.starts_with(&format!("t.tsv:{line}: found ")),
            "{error}"
        );
        assert!(
            error.ends_with("(a list of pairs is read with --format long)"),
            "{error}"
        );
    }
    refuses(
        "1 2 0.5\n1 3 0.7\n",
        "t.tsv:1: found a header of numbers only, expected labels (a list of pairs is read with --format long, numbers \
         without labels with --format plain)",
    );
}

/// A symmetric matrix without labels is not read as a smaller one, its first row and column taken for labels.
#[test]
fn numbers_without_labels() {
    let square = "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n";
    let matrix = read_text("t.tsv", square).unwrap();
    assert!(!matrix.labelled && matrix.rows == ["1", "2", "3", "4"]);
    refuses(
        "0 1 2 3\n1 0 4 5\n2 4 0\n",
        "t.tsv:3: found 3 numbers, expected 4, as in the row before, or the rows of a triangle",
    );
}

#[test]
fn quotes_without_end() {
    refuses(
        with("\nb\t1", "\n\"b\t1"),
        "t.tsv:3: found a quotation mark without its partner, expected quoted labels to begin and end on one line",
    );
    refuses(
        with("\tb\tc", "\t\"b\tc"),
        "t.tsv:1: found a quotation mark without its partner, expected quoted labels to begin and end on one line",
    );
}

#[test]
fn text_that_is_not_utf8() {
    let mut latin = RIGHT.as_bytes().to_vec();
    let at = latin.windows(2).position(|w| w == b"\nb").unwrap() + 1;
    latin[at] = 0xe9;
    refuses(
        &latin,
        "t.tsv:3: found bytes that are not UTF-8, expected UTF-8 text (iconv -f LATIN1 -t UTF-8 makes it of what older spreadsheets write)",
    );
    refuses(
        b"\t\xe9\tb\nx\t1\t2\n",
        "t.tsv:1: found bytes that are not UTF-8, expected UTF-8 text (iconv -f LATIN1 -t UTF-8 makes it of what older spreadsheets write)",
    );
    refuses(
        b"\xff\xfe\0\0\t\0\0\0",
        "t.tsv: found UTF-32 text, expected UTF-8 text",
    );
}

#[test]
fn a_binary_file_under_the_name_of_a_text() {
    refuses(
        b"\x89PNG\r\n\x1a\n\0\0\0",
        "t.tsv: found a PNG picture, expected UTF-8 text",
    );
    refuses(
        b"ab\0\0cd",
        "t.tsv: found a binary file, expected UTF-8 text",
    );
    refuses(
        std::fs::read(fixture("r_square.rds")).unwrap(),
        "t.tsv: found an R data file, expected UTF-8 text",
    );
}

#[test]
fn a_directory_a_missing_and_an_unreadable_file() {
    let scratch = Scratch::new();
    let folder = scratch.path("folder.tsv");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(
        message(read(&folder).unwrap_err()),
        "folder.tsv: found a directory, expected a file that can be read"
    );
    assert_eq!(
        message(read(&scratch.path("none.tsv")).unwrap_err()),
        "none.tsv: found no such file, expected a file that can be read"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let secret = scratch.file("secret.tsv", RIGHT);
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser reads everything.
        if std::fs::File::open(&secret).is_err() {
            assert_eq!(
                message(read(&secret).unwrap_err()),
                "secret.tsv: found no permission to read it, expected a file that can be read"
            );
        }
    }
}

#[test]
fn damaged_compressed_files() {
    let scratch = Scratch::new();
    let packed = std::fs::read(fixture("skbio.lsmat.gz")).unwrap();
    for length in [3, 12, packed.len() / 2, packed.len() - 1] {
        let path = scratch.file("t.gz", &packed[..length]);
        assert_eq!(
            message(read(&path).unwrap_err()),
            "t.gz: found damaged compressed data, expected a whole compressed file",
            "{length}"
        );
    }
    let mut wrong = packed.clone();
    let last = wrong.len() - 6;
    wrong[last] ^= 1;
    assert!(read(&scratch.file("t.gz", wrong)).is_err());
}

#[test]
fn artifacts_that_are_no_distance_matrix() {
    let error = read(&fixture("table.qza")).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "table.qza: found a QIIME 2 artifact of type \"FeatureTable[Frequency]\", expected a QIIME 2 artifact of type DistanceMatrix"
        ),
        "{error}"
    );
    let error = read(&fixture("pcoa.qza")).unwrap_err().to_string();
    assert!(
        error.contains("of type \"PCoAResults\", expected"),
        "{error}"
    );
    let scratch = Scratch::new();
    let whole = std::fs::read(fixture("distances.qza")).unwrap();
    for length in [0, 4, 100, whole.len() / 2, whole.len() - 1] {
        assert!(
            read(&scratch.file("d.qza", &whole[..length])).is_err(),
            "{length}"
        );
    }
}

/// No truncation and no flipped bit of any binary format makes a reader panic, and a truncated
/// array is never read.
#[test]
fn damaged_binaries_end_in_an_error_or_in_numbers() {
    let scratch = Scratch::new();
    let mut files = vec!["f8.npy", "version3.npy", "distances.qza", "skbio.lsmat.gz"];
    if cfg!(feature = "parquet") {
        files.extend(["pandas_rectangle.parquet", "pandas_rectangle.feather"]);
    }
    for file in files {
        let whole = std::fs::read(fixture(file)).unwrap();
        let extension = Path::new(file).extension().unwrap().to_str().unwrap();
        let name = format!("damaged.{extension}");
        for length in (0..whole.len()).step_by(whole.len() / 60 + 1) {
            let read = read(&scratch.file(&name, &whole[..length]));
            assert!(
                read.is_err() || !file.ends_with("npy"),
                "{file} cut after {length}"
            );
        }
        for bit in (0..8 * whole.len()).step_by(whole.len() / 25 + 1) {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = read(&scratch.file(&name, bytes));
        }
    }
}

#[test]
fn arrays_of_the_wrong_shape_or_type() {
    for (file, expected) in [
        (
            "cube.npy",
            "found an array of shape (2, 3, 4), expected two dimensions",
        ),
        (
            "complex.npy",
            "found an array of type \"<c16\", expected a NumPy .npy array",
        ),
    ] {
        let error = read(&fixture(file)).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

/// The header may say anything; memory is only taken for what is there.
#[test]
fn an_array_that_claims_more_than_the_file_holds() {
    let scratch = Scratch::new();
    let array = |header: &str, data: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        message(read(&scratch.file("t.npy", bytes)).unwrap_err())
    };
    let header =
        |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    assert_eq!(
        array(&header("(1000000, 1000000)"), &[0; 80]),
        "t.npy: found 80 bytes after the header, expected 8000000000000, for an array of shape (1000000, 1000000)"
    );
    assert_eq!(
        array(&header("(9999999999, 9999999999)"), &[0; 80]),
        "t.npy: found 80 bytes after the header, expected an array that can exist"
    );
    assert_eq!(
        array(&header("(2, 2)"), &[0; 33]),
        "t.npy: found 33 bytes after the header, expected 32, for an array of shape (2, 2)"
    );
    assert_eq!(
        array(&header("(0, 5)"), &[]),
        "t.npy: found an empty array of shape (0, 5), expected numbers"
    );
    assert_eq!(
        array(&header("(9999999999999, 0)"), &[]),
        "t.npy: found an empty array of shape (9999999999999, 0), expected numbers"
    );
    assert_eq!(
        message(read(&scratch.file("t.npy", "\ta\nx\t1\n")).unwrap_err()),
        "t.npy: found a file that begins with \"\\ta\\nx\\t1\\n\", expected a NumPy .npy array"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_that_is_none() {
    let scratch = Scratch::new();
    assert_eq!(
        message(read(&scratch.file("t.parquet", "\ta\nx\t1\n")).unwrap_err()),
        "t.parquet: found neither a Parquet nor an Arrow file, expected a Parquet or Arrow file"
    );
    let error = message(read(&scratch.file("t.parquet", "PAR1 and more text PAR1")).unwrap_err());
    assert!(
        error.starts_with("t.parquet: found a damaged file ("),
        "{error}"
    );
}

#[test]
fn a_format_that_the_file_has_not() {
    let scratch = Scratch::new();
    let path = scratch.file("t.tsv", RIGHT);
    for (format, expected) in [
        (
            Format::Npy,
            "t.tsv: found a file that begins with \"\\ta\\tb\\tc\\na\", expected a NumPy .npy array",
        ),
        (
            Format::Qza,
            "t.tsv: found a damaged zip archive, expected a QIIME 2 artifact of type DistanceMatrix",
        ),
        (
            Format::Phylip,
            "t.tsv:1: found \"\\ta\\tb\\tc\", expected the number of objects alone on the first line",
        ),
    ] {
        let options = ReadOptions {
            format: Some(format),
            ..ReadOptions::default()
        };
        let error = adjoin_formats::read(&path, &options).unwrap_err();
        assert_eq!(message(error), expected);
    }
}

#[test]
fn lists_of_numbers_and_labels() {
    let scratch = Scratch::new();
    let right = read_numbers(&scratch.file("w", "label\tweight\na\t0.5\nb\t0.25\n")).unwrap();
    assert_eq!(
        right.labels.as_deref(),
        Some(&["a".to_owned(), "b".to_owned()][..])
    );
    assert_eq!(
        right.in_order(&["b".into(), "a".into()]).unwrap(),
        [0.25, 0.5]
    );
    assert_eq!(
        message(right.in_order(&["b".into()]).unwrap_err()),
        "w:2: found the unknown label \"a\", expected labels of the objects concerned"
    );
    assert_eq!(
        message(
            right
                .in_order(&["b".into(), "a".into(), "c".into()])
                .unwrap_err()
        ),
        "w: found no number for \"c\", expected one for each object"
    );
    let plain = read_numbers(&scratch.file("w", "1\n2\n\n3e-1\n")).unwrap();
    assert_eq!(
        (plain.labels, plain.values, plain.lines),
        (None, vec![1.0, 2.0, 0.3], vec![1, 2, 4])
    );
    assert_eq!(
        read_numbers(&fixture("vector.npy")).unwrap().values.len(),
        6
    );
    for (text, expected) in [
        ("", "w: found an empty file, expected UTF-8 text"),
        (
            "a\t1\nb\tx\n",
            "w:2: found \"x\" for \"b\", expected a number",
        ),
        (
            "a\t1\nb\tNA\n",
            "w:2: found \"NA\" for \"b\", expected a number",
        ),
        (
            "a\t1\nb\n",
            "w:2: found 1 cell, expected a number, or a label and a number, on every line alike",
        ),
        (
            "a\t1\na\t2\n",
            "w:2: found the label \"a\" twice (lines 1 and 2), expected each label once",
        ),
        (
            "1\n1e999\n",
            "w:2: found \"1e999\", expected a finite number",
        ),
    ] {
        assert_eq!(
            message(read_numbers(&scratch.file("w", text)).unwrap_err()),
            expected
        );
    }
    assert_eq!(
        message(read_labels(&scratch.file("l", "a\nb\n\na\n")).unwrap_err()),
        "l:4: found the label \"a\" twice (lines 1 and 4), expected each label once"
    );
}

#[test]
fn wrong_configurations() {
    let scratch = Scratch::new();
    let ordination = std::fs::read_to_string(fixture("skbio.ordination")).unwrap();
    let site = ordination
        .lines()
        .position(|l| l.starts_with("Site\t"))
        .unwrap();
    let cut: Vec<&str> = ordination.lines().take(site + 3).collect();
    for (text, expected) in [
        (
            "axis1\taxis2\n".to_owned(),
            "c:1: found a header and nothing after it, expected labels and coordinates",
        ),
        (
            "\tx\ty\na\t1\t2\nb\t1\n".into(),
            "c:3: found 2 cells, expected 3, as in the lines before",
        ),
        (
            "\tx\ty\na\t1\tu\n".into(),
            "c:2: found \"u\" for \"a\", \"y\", expected a number",
        ),
        (
            "\tx\ty\na\t1\t2\na\t1\t2\n".into(),
            "c:3: found the label \"a\" twice (lines 2 and 3), expected each label once",
        ),
        (
            "Eigvals\tx\n".into(),
            "c:1: found \"x\", expected the size of the block \"Eigvals\"",
        ),
        (
            "Eigvals\t2\n1\n".into(),
            "c:2: found 1 cell, expected 2 in the block Eigvals",
        ),
        (
            "Eigvals\t0\n\nSpecies\t0\t0\n".into(),
            "c:3: found the end without a block Site, expected the coordinates of the objects in a block Site",
        ),
        (
            "Eigvals\t0\nSite\t9999999999999\t99999999999\nx\t1\n".into(),
            "c:3: found 2 cells, expected 100000000000 in the block Site",
        ),
        (
            cut.join("\n"),
            "c:11: found the end of the file, expected the rest of the block Site",
        ),
    ] {
        assert_eq!(
            message(read_configuration(&scratch.file("c", text)).unwrap_err()),
            expected
        );
    }
}
