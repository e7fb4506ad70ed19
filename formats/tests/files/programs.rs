use adjoin_formats::{
    ColumnChoice, Format, Matrix, Opened, ReadOptions, look, open_or_read, open_rows, read_features,
};

use crate::{Scratch, assert_same, fixture, message, numbers, read_text, read_with};

/// A file of `fixtures/formats`, which `make_formats.py` wrote with the programs and libraries themselves.
fn made(name: &str) -> std::path::PathBuf {
    fixture(&format!("formats/{name}"))
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn with_labels() -> ReadOptions {
    ReadOptions {
        labels: Some(made("labels.txt")),
        ..options()
    }
}

fn labels() -> Vec<String> {
    (1..=12).map(|i| format!("s{i:02}")).collect()
}

fn read(name: &str, options: &ReadOptions) -> Matrix {
    read_with(&made(name), options).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} and {y}");
    }
}

/// Files with labels of their own, or with those beside them: all are the square to the bit.
#[test]
fn labelled_squares_are_the_same_to_the_bit() {
    let expected = numbers("formats/square.bin8");
    let dataset = ReadOptions {
        dataset: Some("results/distances".into()),
        labels_dataset: Some("results/names".into()),
        ..options()
    };
    let files = [
        ("sourmash.csv", Format::Table, options()),
        ("r_no_rows.csv", Format::Table, options()),
        ("compare", Format::Npy, options()),
        ("table.tsv.zst", Format::Table, options()),
        ("table.tsv.xz", Format::Table, options()),
        ("table.tsv.bz2", Format::Table, options()),
        ("table_le.tsv", Format::Table, options()),
        ("table_be.tsv", Format::Table, options()),
        ("skbio.h5", Format::Hdf5, options()),
        ("packed.h5", Format::Hdf5, dataset),
        ("parts.parquet", Format::Parquet, options()),
        ("stream.arrows", Format::Parquet, options()),
        ("mega.meg", Format::Mega, options()),
        ("splitstree.nex", Format::Nexus, options()),
        ("lower.nex", Format::Nexus, options()),
        ("r_wrapped.txt", Format::Table, options()),
    ];
    for (file, format, options) in files {
        let matrix = read(file, &options);
        let plain: Vec<&str> = matrix.rows.iter().map(|l| &l[..3]).collect();
        assert_eq!(plain, labels(), "{file}");
        assert_eq!(matrix.rows, matrix.columns, "{file}");
        assert!(matrix.labelled, "{file}");
        // R printed and wrote fifteen digits.
        if file.starts_with("r_") {
            near(&matrix.values, &expected, 1e-14);
        } else {
            assert_same(&matrix.values, &expected);
        }
        assert_eq!(
            look(&made(file), &options).unwrap().format,
            format,
            "{file}"
        );
    }
}

/// Files without labels: objects by position, or by the labels that are given.
#[test]
fn numbers_without_labels_are_the_same_to_the_bit() {
    let expected = numbers("formats/square.bin8");
    let mut files = vec![
        ("savetxt.txt".to_owned(), Format::Plain),
        ("r_plain.txt".into(), Format::Plain),
        ("square.npy.gz".into(), Format::Npy),
        ("square.npy.zst".into(), Format::Npy),
        ("condensed.npy".into(), Format::Npy),
        ("one.npz".into(), Format::Npz),
    ];
    let arrays = [
        "v2",
        "v2_zlib",
        "v2_lz4",
        "v3",
        "v3_plain",
        "v3_gzip",
        "v3_shards",
        "v3_first",
    ]
    .map(str::to_owned);
    let packed = ["lz4", "zstd", "zlib", "blosclz"]
        .into_iter()
        .flat_map(|codec| (0..3).map(move |shuffle| format!("v2_{codec}{shuffle}")));
    for name in arrays.into_iter().chain(packed) {
        files.push((format!("{name}.zarr"), Format::Zarr));
    }
    for (file, format) in files {
        let matrix = read(&file, &options());
        assert!(!matrix.labelled && matrix.rows[11] == "12", "{file}");
        let named = read(&file, &with_labels());
        assert!(named.labelled && named.rows == labels(), "{file}");
        for matrix in [&matrix, &named] {
            if file.starts_with("r_") {
                near(&matrix.values, &expected, 1e-14);
            } else {
                assert_same(&matrix.values, &expected);
            }
        }
        let seen = look(&made(&file), &options()).unwrap();
        assert_eq!((seen.format, seen.shape), (format, (12, 12)), "{file}");
    }
}

#[test]
fn chunks_of_every_kind_are_numbers_again() {
    for file in ["v3_blosc.zarr", "v2_blosclz.zarr"] {
        assert_same(
            &read(file, &options()).values,
            &numbers("formats/ramp.bin8"),
        );
    }
    // A chunk that was never written holds the fill value, be it in a file with others or in none.
    for file in ["holes.zarr", "holes_shards.zarr"] {
        let holes = read(file, &options());
        assert_eq!(
            (holes.values[0], holes.values[7], holes.values[6 * 12]),
            (1.0, 2.5, 2.5),
            "{file}"
        );
    }
    let group = ReadOptions {
        dataset: Some("distances".into()),
        ..options()
    };
    assert_same(
        &read("group.zarr", &group).values,
        &numbers("formats/single.bin8"),
    );
    assert_same(
        &read("ssu.h5", &options()).values,
        &numbers("formats/single.bin8"),
    );
    assert_eq!(read("ssu.h5", &options()).rows, labels());
    assert_same(
        &read("old_chunks.h5", &options()).values,
        &numbers("formats/hundred.bin8"),
    );
    let kept = ReadOptions {
        dataset: Some("kept".into()),
        ..options()
    };
    assert_same(
        &read("two.npz", &kept).values,
        &numbers("formats/square.bin8"),
    );
}

/// Any rows of an array on disk, in any order, are those of the whole.
#[test]
fn rows_are_read_where_they_are() {
    for file in [
        "skbio.h5",
        "ssu.h5",
        "old_chunks.h5",
        "v3.zarr",
        "v2.zarr",
        "compare",
    ] {
        let whole = read(file, &options());
        let mut array = open_rows(&made(file), &options()).unwrap().unwrap();
        let mut block = Vec::new();
        for (first, count) in [(0, 12), (7, 3), (4, 2), (11, 1), (0, 0)] {
            array.blocks.read_rows(first, count, &mut block).unwrap();
            assert_same(&block, &whole.values[first * 12..(first + count) * 12]);
        }
        assert!(array.blocks.read_rows(11, 2, &mut block).is_err());
    }
}

/// Tables of text, Parquet and Arrow are read by rows as they are read whole, whatever block is asked for, and by parts of
/// columns too.
#[test]
fn rows_of_tables_are_those_of_the_whole() {
    let files = [
        "formats/table.tsv.zst",
        "formats/table_le.tsv",
        "formats/parts.parquet",
        "formats/stream.arrows",
        "skbio.lsmat",
        "skbio.lsmat.gz",
        "r_write.csv",
        "r_write_csv2.csv",
        "r_write_table.tsv",
        "r_write_table.txt",
        "pandas.csv",
        "pandas_semicolon.csv",
        "pandas_rectangle.tsv",
        "pandas_rectangle.parquet",
        "pandas_rectangle.feather",
        "pandas_index.parquet",
        "integers.feather",
    ];
    let little = ReadOptions {
        memory: Some(0),
        ..options()
    };
    for file in files {
        let path = fixture(file);
        let whole = read_with(&path, &options()).unwrap();
        let (k, m) = whole.shape();
        let opened = open_or_read(&path, &little, |_| Some(7)).unwrap();
        let Opened::Rows { array, suited, .. } = opened else {
            panic!("{file} was read whole");
        };
        let mut blocks = array.blocks;
        assert_eq!((blocks.shape(), suited), ((k, m), 7), "{file}");
        assert_eq!(array.labels.as_ref(), Some(&whole.rows), "{file}");
        assert_eq!(array.columns.as_ref(), Some(&whole.columns), "{file}");
        let mut block = Vec::new();
        for (first, count) in [(0, k), (k - 1, 1), (k / 2, k - k / 2), (0, 1), (0, 0)] {
            blocks.read_rows(first, count, &mut block).unwrap();
            assert_same(&block, &whole.values[first * m..(first + count) * m]);
            if let Some(mut other) = blocks.another() {
                other.read_rows(first, count, &mut block).unwrap();
                assert_same(&block, &whole.values[first * m..(first + count) * m]);
            }
        }
        blocks.read_part(0..k, 1..m - 1, &mut block).unwrap();
        let inner = whole.values.chunks(m).flat_map(|row| &row[1..m - 1]);
        assert_same(&block, &inner.copied().collect::<Vec<f64>>());
        assert!(blocks.read_rows(k, 1, &mut block).is_err());
    }
    // What only all of it can tell is read whole.
    for file in [
        "formats/sourmash.csv",
        "formats/savetxt.txt",
        "skbio.phylip",
    ] {
        let opened = open_or_read(&fixture(file), &little, |_| Some(0));
        let Opened::Whole(matrix) = opened.unwrap() else {
            panic!("{file} was read by rows");
        };
        let expected = read_with(&fixture(file), &options()).unwrap();
        assert_same(&matrix.values, &expected.values);
    }
}

/// Damaged files of many rows are refused as small ones are: when they are opened, or when a row is read.
#[test]
fn damaged_tables_are_refused_by_rows_too() {
    let scratch = Scratch::new();
    let little = ReadOptions {
        memory: Some(0),
        ..options()
    };
    for file in [
        "pandas_rectangle.parquet",
        "pandas_rectangle.feather",
        "formats/stream.arrows",
        "pandas_rectangle.tsv",
    ] {
        let bytes = std::fs::read(fixture(file)).unwrap();
        let name = file.rsplit('/').next().unwrap();
        let step = (bytes.len() / 300).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            for damaged in [&damaged[..], &bytes[..at]] {
                let path = scratch.file(name, damaged);
                let opened = open_or_read(&path, &little, |_| Some(0));
                // Whatever it says, it ends, and in the right number of numbers.
                if let Ok(Opened::Rows { mut array, .. }) = opened {
                    let (k, m) = array.blocks.shape();
                    let mut block = Vec::new();
                    if array.blocks.read_rows(0, k, &mut block).is_ok() {
                        assert_eq!(block.len(), k * m);
                    }
                }
            }
        }
    }
}

/// PLINK's distances are those of NumPy, as a square, a square half empty, and a triangle, in text and in binary; the
/// ids are found beside them, and two families with an s01 each are told apart.
#[test]
fn plink_and_gcta() {
    let mut ids = labels();
    ids[0] = "f1:s01".into();
    ids[2] = "f2:s01".into();
    let ibs = numbers("formats/ibs.bin8");
    for (file, tolerance, format) in [
        ("p_square.mdist", 1e-5, Format::Plain),
        ("p_zeros.mdist", 1e-5, Format::Plain),
        ("p_triangle.mdist", 1e-5, Format::Plain),
        ("p_bin.mdist.bin", 1e-15, Format::Bin),
        ("p_bin4.mdist.bin", 1e-7, Format::Bin),
    ] {
        let matrix = read(file, &options());
        assert_eq!(matrix.rows, ids, "{file}");
        near(&matrix.values, &ibs, tolerance);
        assert_eq!(
            look(&made(file), &options()).unwrap().format,
            format,
            "{file}"
        );
    }
    assert!(read("p_triangle.mdist", &options()).diagonal_absent);
    assert!(!read("p_square.mdist", &options()).diagonal_absent);
    let similar = read("p_triangle.mibs", &options());
    let unlike: Vec<f64> = similar.values.iter().map(|x| 1.0 - x).collect();
    near(&unlike[1..12], &ibs[1..12], 1e-5);

    let kinship = read("gcta.grm.bin", &options());
    assert_eq!(kinship.rows, labels());
    assert!(!kinship.diagonal_absent);
    assert_same(&kinship.values, &numbers("formats/kinship.bin8"));
    // The same relationships by PLINK 1.9 in text and as GCTA's file, and by PLINK 2, packed.
    let grm = read("p_grm.grm.bin", &options());
    for file in ["p_rel.rel", "q_rel.rel.zst"] {
        let rel = read(file, &options());
        assert_eq!(rel.rows, ids, "{file}");
        near(&rel.values, &grm.values, 1e-5);
    }
    // KING's coefficients as a triangle and as a list with a marked header.
    let king = read("q_king.king", &options());
    assert!(king.diagonal_absent && king.rows == ids);
    let list = read(
        "q_kin.kin0",
        &ReadOptions {
            format: Some(Format::Long),
            long_columns: Some(["IID1", "IID2", "KINSHIP"].map(|c| ColumnChoice::Name(c.into()))),
            ..options()
        },
    );
    assert_eq!(list.rows.len(), 12);
    for (i, a) in list.rows.iter().enumerate() {
        for (j, b) in list.rows.iter().enumerate() {
            let at = |label: &String| ids.iter().position(|l| l == label).unwrap();
            let expected = king.values[at(a) * 12 + at(b)];
            assert!((list.values[i * 12 + j] - expected).abs() < 1e-5);
        }
    }
}

#[test]
fn features_of_biom_text_and_arrays() {
    let biom = read_features(&made("table.biom"), &options()).unwrap();
    assert!(biom.labelled && biom.named);
    assert_eq!(biom.features.labels(), labels());
    assert_eq!(biom.features.names()[6], "o6");
    let counts = numbers("formats/counts.bin8");
    let scratch = Scratch::new();
    let text: String = counts
        .chunks(7)
        .map(|row| row.iter().map(|x| format!("{x} ")).collect::<String>() + "\n")
        .collect();
    let file = scratch.file("counts.txt", &text);
    let plain = read_features(&file, &options()).unwrap();
    assert!(!plain.labelled && !plain.named);
    for table in [&biom, &plain] {
        assert_same(&table.features.values().unwrap(), &counts);
    }
    // A header without labels of the rows.
    let headed = scratch.file("headed.txt", format!("a b c d e f g\n{text}"));
    let table = read_features(&headed, &with_labels()).unwrap();
    assert!(table.labelled && table.named && table.features.names()[0] == "a");
    let vector = read_features(&made("condensed.npy"), &options()).unwrap();
    assert_eq!((vector.features.count(), vector.features.width()), (66, 1));
}

/// One thing wrong at a time, each with a message of its own.
#[test]
fn what_is_wrong_is_said() {
    let scratch = Scratch::new();
    let says = |path: &std::path::Path, options: &ReadOptions, part: &str| {
        let said = message(read_with(path, options).expect_err(part));
        assert!(said.contains(part), "{said:?} does not say {part:?}");
    };
    let copy = |from: &str, to: &str| {
        let bytes = std::fs::read(made(from)).unwrap();
        scratch.file(to, &bytes)
    };
    // An .id file of another length, and none at all.
    let bin = copy("gcta.grm.bin", "x.grm.bin");
    says(
        &bin,
        &options(),
        "a binary matrix without the list of its objects",
    );
    scratch.file("x.grm.id", "f\ta\nf\tb\n");
    says(&bin, &options(), "a square or a triangle of the 2 objects");
    let rel = copy("p_rel.rel", "y.rel");
    says(&rel, &options(), "a triangle of 12 rows without labels");
    scratch.file("y.rel.id", "f\ta\nf\tb\n");
    says(&rel, &options(), "found 2 labels, expected 12, or 13");
    scratch.file("y.rel.id", "f a b c d\n");
    says(&rel, &options(), "a family and an individual");
    // Labels beside labels.
    says(
        &made("mega.meg"),
        &ReadOptions {
            format: Some(Format::Mega),
            ..with_labels()
        },
        "that has its own",
    );
    says(&made("skbio.h5"), &with_labels(), "that has its own");
    says(
        &made("table.tsv.xz"),
        &with_labels(),
        "where numbers alone should be",
    );
    // Which array is meant.
    says(&made("packed.h5"), &options(), "--dataset NAME");
    says(
        &made("two.npz"),
        &options(),
        "2 arrays: \"kept\", \"other\"",
    );
    says(&made("group.zarr"), &options(), "--dataset NAME");
    let other = ReadOptions {
        dataset: Some("nothing".into()),
        ..options()
    };
    says(&made("packed.h5"), &other, "no dataset \"nothing\"");
    let escape = ReadOptions {
        dataset: Some("../v3.zarr".into()),
        ..options()
    };
    says(&made("group.zarr"), &escape, "the dataset \"../v3.zarr\"");
    // Triangles that are cut short.
    let mega = std::fs::read_to_string(made("mega.meg")).unwrap();
    let cut = scratch.file("cut.meg", &mega[..mega.len() - 60]);
    says(&cut, &options(), "distances of 12 taxa");
    let nexus = std::fs::read_to_string(made("splitstree.nex")).unwrap();
    let file = scratch.file("fewer.nex", nexus.replace("ntax=12", "ntax=13"));
    says(
        &file,
        &options(),
        "in row 1 of the matrix, expected a distance",
    );
    let file = scratch.file("more.nex", nexus.replace("ntax=12", "ntax=11"));
    says(
        &file,
        &options(),
        "in row 2 of the matrix, expected a distance",
    );
    let file = scratch.file("none.nex", "#NEXUS\nbegin taxa; end;\n");
    says(&file, &options(), "a NEXUS file without distances");
    // A condensed vector of a length that no square has.
    let vector = fixture("vector.npy");
    let six = read_with(&vector, &options());
    assert_eq!(six.unwrap().rows.len(), 4);
}

/// Whatever is cut off the end of a binary file, or altered in it, is an error and no panic.
#[test]
fn damage_is_an_error_and_never_a_panic() {
    let scratch = Scratch::new();
    for file in [
        "skbio.h5",
        "packed.h5",
        "old_chunks.h5",
        "table.biom",
        "two.npz",
        "square.npy.zst",
        "table.tsv.xz",
    ] {
        let bytes = std::fs::read(made(file)).unwrap();
        let dataset = ReadOptions {
            dataset: (file == "packed.h5").then(|| "results/distances".into()),
            ..options()
        };
        for part in [8, 3, 2] {
            let cut = scratch.file(
                &format!("cut_{file}"),
                &bytes[..bytes.len() - bytes.len() / part],
            );
            let _ = read_with(&cut, &dataset);
            let _ = read_features(&cut, &dataset);
        }
        // Every byte of the first part, where the lengths and addresses are, in turn.
        let step = (bytes.len() / 400).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let path = scratch.file(&format!("bad_{file}"), &damaged);
            let _ = read_with(&path, &dataset);
            let _ = read_features(&path, &dataset);
        }
    }
    let page = std::fs::read_to_string(made("v3.zarr/zarr.json")).unwrap();
    let folder = scratch.file("x", "");
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    for (from, to, part) in [
        (
            "\"shape\": [\n    12",
            "\"shape\": [\n    999999999999",
            "than fit into memory",
        ),
        ("float64", "complex64", "the type \"complex64\""),
        (
            "\"zstd\"",
            "\"sharding_indexed\"",
            "shards among other codecs",
        ),
        ("\"zstd\"", "\"unheard-of\"", "the codec \"unheard-of\""),
        ("regular", "rectilinear", "chunks of several sizes"),
        ("{", "", "not JSON"),
    ] {
        std::fs::write(folder.join("zarr.json"), page.replacen(from, to, 1)).unwrap();
        let error = read_with(&folder, &options());
        let said = message(error.expect_err(part));
        assert!(said.contains(part), "{said}");
    }
    std::fs::write(folder.join("zarr.json"), &page).unwrap();
    std::fs::create_dir_all(folder.join("c/0")).unwrap();
    std::fs::write(folder.join("c/0/0"), b"no chunk at all").unwrap();
    let said = message(read_with(&folder, &options()).unwrap_err());
    assert!(said.contains("a damaged chunk \"c/0/0\""), "{said}");
}

/// A table of one column whose label is a number is no PHYLIP file, though that may begin with a tab and a number too.
#[test]
fn a_column_that_is_called_by_a_number() {
    let table = read_text("t.tsv", "\t2\nx\t0.5\ny\t0.25\n").unwrap();
    assert_eq!(
        (&table.rows[..], &table.columns[..]),
        (&["x".to_owned(), "y".into()][..], &["2".to_owned()][..])
    );
    assert_eq!(table.values, [0.5, 0.25]);
    let triangle = read_text("t.tsv", "\t2\nx\ny\t0.5\n").unwrap();
    assert_eq!(triangle.rows, ["x", "y"]);
    assert_eq!(triangle.values, [0.0, 0.5, 0.5, 0.0]);
    // Tabs in labels divide nothing.
    let table = read_text("t.tsv", "\t4\n\"c\tc\tb\"\t3\n").unwrap();
    assert_eq!(
        (&table.rows[0][..], &table.values[..]),
        ("c\tc\tb", &[3.0][..])
    );
    let said = message(read_text("t.tsv", "\t2\n\"x\t0.5\ny\t0.25\n").unwrap_err());
    assert!(said.contains("quote"), "{said}");
    // However many rows there are, and wherever what is looked at first ends.
    for longer in 0..12 {
        let name = "x".repeat(longer);
        let rows: String = (0..700).map(|i| format!("{name}{i}\t0.5\n")).collect();
        let table = read_text("t.tsv", format!("\t700\n{rows}")).unwrap();
        assert_eq!(
            (table.rows.len(), &table.columns[..]),
            (700, &["700".to_owned()][..])
        );
    }
}

/// Halves of NEXUS without labels have as many rows as there are taxa, those without a distance among them.
#[test]
fn halves_without_labels() {
    let file = |format: &str, matrix: &str| {
        format!(
            "#NEXUS\nbegin taxa; dimensions ntax=3; taxlabels a b c; end;\n\
             begin distances; format nolabels {format}; matrix {matrix}; end;\n"
        )
    };
    let square = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    for (format, matrix) in [
        ("triangle=lower", "0 1 0 2 3 0"),
        ("triangle=upper", "0 1 2 0 3 0"),
        ("triangle=lower nodiagonal", "1 2 3"),
        ("triangle=upper nodiagonal", "1 2 3"),
    ] {
        let read = read_text("t.nex", file(format, matrix)).unwrap();
        assert_eq!(read.values, square, "{format}");
        // One too few, and hardly any.
        for few in [&matrix[..matrix.len() - 2], "1"] {
            let said = message(read_text("t.nex", file(format, few)).unwrap_err());
            assert!(said.contains("a matrix that ends in row"), "{said}");
        }
        let more = file(format, &format!("{matrix} 7"));
        let said = message(read_text("t.nex", more).unwrap_err());
        assert!(said.contains("after the matrix"), "{said}");
    }
}

/// What R prints of a `dist` with `upper = TRUE`: all of it but the diagonal, which is blank.
#[test]
fn a_square_without_its_diagonal() {
    let printed = "    a   b   c\na       1.5 2  \nb   1.5     3  \nc   2   3      \n";
    let square = read_text("d.txt", printed).unwrap();
    assert_eq!(
        (&square.rows[..], &square.columns),
        (&labels_of("a b c")[..], &square.rows)
    );
    assert_eq!(square.values, [0.0, 1.5, 2.0, 1.5, 0.0, 3.0, 2.0, 3.0, 0.0]);
    assert!(square.diagonal_absent);
}

fn labels_of(words: &str) -> Vec<String> {
    words.split(' ').map(str::to_owned).collect()
}

/// Triangles of full rows without a header, the other half empty or NA.
#[test]
fn padded_triangles_without_a_header() {
    let whole = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    for text in [
        "a,0,1,2\nb,,0,3\nc,,,0\n",
        "a,0,NA,NA\nb,1,0,NA\nc,2,3,0\n",
        "a,NA,1,2\nb,NA,NA,3\nc,NA,NA,NA\n",
    ] {
        let square = read_text("t.csv", text).unwrap();
        assert_eq!(square.rows, ["a", "b", "c"], "{text}");
        assert_eq!(square.columns, square.rows);
        assert_eq!(square.values, whole);
    }
}

/// A first line of numbers is no header of features unless somebody can call columns so.
#[test]
fn features_without_a_header() {
    let scratch = Scratch::new();
    let features = |text: &str| read_features(&scratch.file("f.csv", text), &options());
    for text in ["s1,5.5,3,2\ns2,4,4,2\n", "s1,5,3,3\ns2,4,4,2\n"] {
        let said = message(features(text).unwrap_err());
        assert!(
            said.starts_with("f.csv:1: found numbers where the names of columns stand"),
            "{said}"
        );
    }
    let doubted = features("s1,5,3,2\ns2,4,4,2\n").unwrap();
    assert!(
        doubted.remarks[0].starts_with("its first line is taken as the header"),
        "{:?}",
        doubted.remarks
    );
    for text in [
        "id,1,2,3\ns2,4,4,2\n",
        ",0,1,2\ns2,4,4,2\n",
        ",7,3,9\ns2,4,4,2\n",
    ] {
        assert!(features(text).unwrap().remarks.is_empty(), "{text}");
    }
}

/// Decimal commas between semicolons beside labels with commas in them, as many of each.
#[test]
fn semicolons_beside_commas() {
    let text = ";Acer, L.;Betula, L.;Quercus, L.\nn1;0,1;1,5;2,5\nn2;1,5;0,3;3,5\n";
    let table = read_text("c.csv", text).unwrap();
    assert_eq!(table.columns, ["Acer, L.", "Betula, L.", "Quercus, L."]);
    assert_eq!(table.values, [0.1, 1.5, 2.5, 1.5, 0.3, 3.5]);
    // Labels with semicolons between commas are as they were.
    let table = read_text("c.csv", ",a;x,b;y\nn;1,1,2\nn;2,3,4\n").unwrap();
    assert_eq!(table.columns, ["a;x", "b;y"]);
    assert_eq!(table.rows, ["n;1", "n;2"]);
}

/// What says which part of a file is meant is refused where there are none.
#[test]
fn parts_of_files_without_parts() {
    let scratch = Scratch::new();
    let file = scratch.file("t.tsv", "\ta\tb\na\t0\t1\nb\t1\t0\n");
    let columns = ReadOptions {
        long_columns: Some([1, 2, 3].map(ColumnChoice::Number)),
        ..options()
    };
    let dataset = ReadOptions {
        dataset: Some("d".into()),
        ..options()
    };
    let labels = ReadOptions {
        labels_dataset: Some("d".into()),
        ..options()
    };
    for (options, flag) in [
        (columns, "--columns"),
        (dataset, "--dataset"),
        (labels, "--labels-dataset"),
    ] {
        for file in [&file, &made("condensed.npy")] {
            let said = message(read_with(file, &options).unwrap_err());
            assert!(said.contains(&format!("found {flag} beside")), "{said}");
        }
    }
}
