use adjoin_formats::{Blocks, ColumnChoice, Format, NpyBlocks, ReadOptions, read_configuration};

use crate::{Scratch, assert_same, fixture, message, numbers, read, read_text};

const LABELS: [&str; 6] = ["alpha", "beta two", "Ωmega", "12", "d,e", "f-6"];
const R_LABELS: [&str; 6] = ["alpha", "beta two", "Omega", "12", "d,e", "f-6"];
const PLAIN: [&str; 6] = ["alpha", "beta_two", "Omega", "12", "d_e", "f-6"];

/// scikit-bio, pandas and a QIIME 2 artifact hold one square: all are read to the same bits.
#[test]
fn squares_from_python_are_the_same_to_the_bit() {
    let expected = numbers("square.bin");
    for file in [
        "skbio.lsmat",
        "skbio.lsmat.gz",
        "distances.qza",
        "pandas.csv",
        "pandas_semicolon.csv",
    ] {
        let matrix = read(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(matrix.rows, LABELS, "{file}");
        assert_eq!(matrix.columns, LABELS, "{file}");
        assert_same(&matrix.values, &expected);
        assert!(matrix.labelled && !matrix.diagonal_absent, "{file}");
    }
}

#[test]
fn squares_and_triangles_from_r_are_the_same_to_the_bit() {
    let expected = numbers("r_square.bin");
    for file in [
        "r_write.csv",
        "r_write_csv2.csv",
        "r_write_table.txt",
        "r_write_table.tsv",
        "r_lower_na.csv",
        "r_lower_na.txt",
    ] {
        let matrix = read(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(matrix.rows, R_LABELS, "{file}");
        assert_eq!(matrix.columns, R_LABELS, "{file}");
        assert_same(&matrix.values, &expected);
        assert_eq!(matrix.diagonal_absent, file == "r_lower_na.txt", "{file}");
    }
    // What R prints of a dist lacks its first row, its last column and the diagonal.
    let printed = read(&fixture("r_print_dist.txt")).unwrap();
    assert_eq!(
        printed.rows,
        ["alpha", "beta_two", "Omega", "12", "d,e", "f-6"]
    );
    assert_same(&printed.values, &expected);
    assert!(printed.diagonal_absent);
    assert_eq!(printed.lines, [0, 2, 3, 4, 5, 6]);
}

#[test]
fn rectangles_from_pandas_keep_what_is_missing() {
    let expected = numbers("cross.bin");
    for file in [
        "pandas_rectangle.tsv",
        "pandas_rectangle.parquet",
        "pandas_rectangle.feather",
    ] {
        if cfg!(not(feature = "parquet")) && !file.ends_with("tsv") {
            continue;
        }
        let matrix = read(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(matrix.rows, ["x", "y", "z"], "{file}");
        assert_eq!(matrix.columns, LABELS, "{file}");
        assert_same(&matrix.values, &expected);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn a_pandas_index_and_whole_numbers_are_read_from_arrow() {
    let square = numbers("square.bin");
    let matrix = read(&fixture("pandas_index.parquet")).unwrap();
    assert_eq!(matrix.rows, LABELS);
    assert_same(&matrix.values, &square);
    let whole = read(&fixture("integers.feather")).unwrap();
    assert_eq!(whole.columns, LABELS);
    for (x, y) in whole.values.iter().zip(&square) {
        assert!((x - 100.0 * y).abs() <= 0.5 + 1e-9 && x.fract() == 0.0);
    }
}

#[test]
fn phylip_from_scikit_bio() {
    for file in ["skbio.phylip", "skbio_lower.phylip"] {
        let matrix = read(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(matrix.rows, PLAIN, "{file}");
        assert_same(&matrix.values, &numbers("square.bin"));
        assert_eq!(matrix.diagonal_absent, file == "skbio_lower.phylip");
    }
}

#[test]
fn every_type_order_and_version_of_numpy() {
    assert_same(
        &read(&fixture("f8.npy")).unwrap().values,
        &numbers("square.bin"),
    );
    assert_same(
        &read(&fixture("f4.npy")).unwrap().values,
        &numbers("f4.bin"),
    );
    let cross = read(&fixture("f8_big_fortran.npy")).unwrap();
    assert_eq!(cross.shape(), (3, 6));
    assert_same(&cross.values, &numbers("cross.bin"));
    assert!(!cross.labelled);
    assert_eq!(cross.columns, ["1", "2", "3", "4", "5", "6"]);
    let whole: Vec<f64> = (0..24).map(|i| f64::from(i) - 3.0).collect();
    for file in [
        "i1.npy",
        "i2.npy",
        "i4.npy",
        "i8.npy",
        "f2.npy",
        "version2.npy",
        "version3.npy",
    ] {
        let matrix = read(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(matrix.shape(), (4, 6), "{file}");
        assert_same(&matrix.values, &whole);
    }
    let natural: Vec<f64> = (0..24).map(f64::from).collect();
    for file in ["u1.npy", "u2.npy", "u4.npy", "u8.npy"] {
        assert_same(&read(&fixture(file)).unwrap().values, &natural);
    }
    let truth: Vec<f64> = whole
        .iter()
        .map(|&x| f64::from(u8::from(x > 0.0)))
        .collect();
    assert_same(&read(&fixture("bool.npy")).unwrap().values, &truth);
}

/// Blocks of any size, in either order, are the rows of the whole.
#[test]
fn blocks_are_the_rows_of_the_whole() {
    for file in ["i2.npy", "version2.npy", "f8_big_fortran.npy", "f8.npy"] {
        let whole = read(&fixture(file)).unwrap();
        let mut blocks = NpyBlocks::open(&fixture(file)).unwrap();
        let (k, m) = blocks.shape();
        assert_eq!((k, m), whole.shape());
        let mut block = vec![7.0];
        for first in 0..k {
            for count in 0..=k - first {
                blocks.read_rows(first, count, &mut block).unwrap();
                assert_same(&block, &whole.values[first * m..(first + count) * m]);
            }
        }
        assert!(blocks.read_rows(k, 1, &mut block).is_err());
        assert!(blocks.read_rows(usize::MAX, 2, &mut block).is_err());
    }
}

#[test]
fn labels_beside_an_array() {
    let scratch = Scratch::new();
    let labels = scratch.file("labels.txt", "a\nb b\n\nc\r\nd\ne\nf\n");
    let options = ReadOptions {
        labels: Some(labels.clone()),
        ..ReadOptions::default()
    };
    let matrix = adjoin_formats::read(&fixture("f8.npy"), &options).unwrap();
    assert_eq!(matrix.rows, ["a", "b b", "c", "d", "e", "f"]);
    assert_eq!(matrix.columns, matrix.rows);
    assert!(matrix.labelled);
    let error = adjoin_formats::read(&fixture("i2.npy"), &options).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("labels.txt: found 6 labels, expected 4, one for each row"),
        "{error}"
    );
    assert!(adjoin_formats::read(&fixture("pandas.csv"), &options).is_err());
}

/// The five columns of `mash dist`: reference, query, distance, p-value, shared hashes.
#[test]
fn a_list_of_pairs_as_mash_writes_it() {
    let scratch = Scratch::new();
    let list = "ref/a.fna\tnew/x.fna\t0.0222766\t0\t456/1000\nref/b.fna\tnew/x.fna\t1\t1\t0/1000\n";
    let path = scratch.file("mash.tsv", list);
    let options = ReadOptions {
        format: Some(Format::Long),
        ..ReadOptions::default()
    };
    let matrix = adjoin_formats::read(&path, &options).unwrap();
    assert_eq!(matrix.rows, ["ref/a.fna", "ref/b.fna"]);
    assert_eq!(matrix.columns, ["new/x.fna"]);
    assert_eq!(matrix.values, [0.0222766, 1.0]);
    let chosen = ReadOptions {
        long_columns: Some([2, 1, 4].map(ColumnChoice::Number)),
        ..options
    };
    let matrix = adjoin_formats::read(&path, &chosen).unwrap();
    assert_eq!(matrix.rows, ["new/x.fna"]);
    assert_eq!(matrix.values, [0.0, 1.0]);
}

/// One square written in every way that people write tables.
#[test]
fn tables_of_all_spellings() {
    let spellings = [
        "\ta\tb c\t3\na\t0\t1\t2\nb c\t1\t0\t4\n3\t2\t4\t0\n",
        "\u{feff}\ta\tb c\t3\r\na\t0\t1\t2\r\nb c\t1\t0\t4\r\n3\t2\t4\t0",
        "# one\n#two\n\n\"\",\"a\",\"b c\",\"3\"\n\n\"a\",0,1,2\n\"b c\",1,0,4\n\n\"3\",2,4,0\n\n",
        "\"a\" \"b c\" \"3\"\n\"a\" 0 1 2\n\"b c\" 1 0 4\n\"3\" 2 4 0\n",
        "sample;a;b c;3\na;0;1;2\nb c;1,0;0;4\n3;2;4e0;0\n",
        "dist, a, b c, 3\na, 0, 1, 2\nb c, 1, 0, 4\n3, 2, 4, 0\n",
        "\ta\tb c\t3\t\na\t0\t1\t2\t\nb c\t1\t0\t4\t\n3\t2\t4\t0\t\n",
        "a\tb c\t3\na\t0\t1\t2\nb c\t1\t0\t4\n3\t2\t4\t0\n",
        // Triangles: lower and upper, with and without diagonal, header and padding.
        "\ta\tb c\t3\na\t0\nb c\t1\t0\n3\t2\t4\t0\n",
        "\ta\tb c\t3\na\nb c\t1\n3\t2\t4\n",
        "\ta\tb c\t3\nb c\t1\n3\t2\t4\n",
        "\ta\tb c\nb c\t1\n3\t2\t4\n",
        "\ta\tb c\nb c\t1\t\n3\t2\t4\n",
        "\ta\tb c\t3\na\t0\t1\t2\nb c\t0\t4\n3\t0\n",
        "\ta\tb c\t3\na\t1\t2\nb c\t4\n3\n",
        "\tb c\t3\na\t1\t2\nb c\t4\n",
        "corner\ta\tb c\t3\na\t\t1\t2\nb c\t\t\t4\n3\t\t\t\n",
        ",a,b c,3\na,NA,1,2\nb c,1,NA,4\n3,2,4,NA\n",
        "a\nb c\t1\n3\t2\t4\n",
        "a\t0\nb c\t1\t0\n3\t2\t4\t0\n",
        "a\t0\t1\t2\nb c\t0\t4\n3\t0\n",
        // PHYLIP, found by its first line.
        "3\na\t0\t1\t2\nb c\t1\t0\t4\n3\t2\t4\t0\n",
        "   3\na         0 1\n   2\nb c       1 0 4\n3         2 4 0\n",
    ];
    for spelling in spellings {
        let matrix = read_text("t.txt", spelling).unwrap_or_else(|e| panic!("{e}\n{spelling}"));
        assert_eq!(matrix.rows, ["a", "b c", "3"], "{spelling}");
        assert_eq!(matrix.columns, ["a", "b c", "3"], "{spelling}");
        assert_eq!(
            matrix.values,
            [0.0, 1.0, 2.0, 1.0, 0.0, 4.0, 2.0, 4.0, 0.0],
            "{spelling}"
        );
    }
}

/// One row, one column, many: the smallest rectangles are not taken for triangles.
#[test]
fn small_rectangles() {
    for (text, rows, columns, values) in [
        ("\ta\nx\t1\n", vec!["x"], vec!["a"], vec![1.0]),
        (
            "\ta\tb\nx\t1\t2\n",
            vec!["x"],
            vec!["a", "b"],
            vec![1.0, 2.0],
        ),
        ("a b\nx 1 2\n", vec!["x"], vec!["a", "b"], vec![1.0, 2.0]),
        (
            "\ta\nx\t1\ny\t2\n",
            vec!["x", "y"],
            vec!["a"],
            vec![1.0, 2.0],
        ),
        (
            "\ta\nx\t1\na\t0\n",
            vec!["x", "a"],
            vec!["a"],
            vec![1.0, 0.0],
        ),
    ] {
        let matrix = read_text("t.tsv", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(
            (matrix.rows, matrix.columns, matrix.values),
            (
                rows.iter().map(|s| s.to_string()).collect::<Vec<_>>(),
                columns.iter().map(|s| s.to_string()).collect::<Vec<_>>(),
                values,
            ),
            "{text}"
        );
    }
}

#[test]
fn configurations_from_scikit_bio_r_and_our_own_tables() {
    for file in ["skbio.ordination", "pcoa.qza"] {
        let found = read_configuration(&fixture(file)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(found.labels, LABELS);
        assert_eq!(found.dimensions, 3);
        assert_same(&found.coordinates, &numbers("ordination.bin"));
        assert_same(&found.eigenvalues.unwrap(), &numbers("eigenvalues.bin"));
    }
    let found = read_configuration(&fixture("r_cmdscale.csv")).unwrap();
    assert_eq!(found.labels, R_LABELS);
    // R prints fifteen digits of its seventeen.
    for (x, y) in found.coordinates.iter().zip(numbers("r_cmdscale.bin")) {
        assert!((x - y).abs() <= 1e-14 * y.abs().max(1.0));
    }
    let found = read_configuration(&fixture("f8.npy")).unwrap();
    assert_eq!((found.dimensions, found.labelled), (6, false));
    let scratch = Scratch::new();
    for text in [
        "label\taxis1\taxis2\tstrategy\tlambda\nx\t1\t2\tproject\t\ny\t3\t4\tproject\t\n",
        "x 1 2\ny 3 4\n",
        ",0,1\nx,1,2\ny,3,4\n",
        "V1 V2\nx 1 2\ny 3 4\n",
    ] {
        let found =
            read_configuration(&scratch.file("c.txt", text)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(found.labels, ["x", "y"], "{text}");
        assert_eq!(found.coordinates, [1.0, 2.0, 3.0, 4.0], "{text}");
    }
}

#[test]
fn provenance_is_of_the_file_as_it_stands() {
    let options = ReadOptions {
        digest: true,
        ..ReadOptions::default()
    };
    for file in [
        "skbio.lsmat",
        "skbio.lsmat.gz",
        "distances.qza",
        "f8.npy",
        "skbio.phylip",
    ] {
        let path = fixture(file);
        let found = adjoin_formats::read(&path, &options)
            .unwrap()
            .provenance
            .unwrap();
        assert_eq!(found, adjoin_formats::provenance(&path).unwrap(), "{file}");
        assert_eq!(found.name, file);
        assert_eq!(found.size, std::fs::metadata(&path).unwrap().len());
        assert_eq!(found.sha256.len(), 64);
    }
}

/// Columns that are called by axes are taken in the order of their numbers, and none may be left out.
#[test]
fn axes_by_their_numbers() {
    let scratch = Scratch::new();
    let read = |text: &str| read_configuration(&scratch.file("c.csv", text));
    let turned = read("label,axis3,axis1,name,axis2\na,3,1,x,2\nb,6,4,y,5\n").unwrap();
    assert_eq!(turned.coordinates, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let said = message(read("label,axis1,axis3\na,1,3\nb,4,6\n").unwrap_err());
    assert_eq!(
        said,
        "c.csv:1: found \"axis3\" where axis2 is wanted, expected axis1 to axis2, each once (columns by other names are \
         taken as they stand)"
    );
    let plain = read("label,y,x\na,1,2\nb,3,4\n").unwrap();
    assert_eq!(plain.coordinates, [1.0, 2.0, 3.0, 4.0]);
}
