//! Every reader, on bytes that claim to be its format.

use std::collections::HashSet;
use std::io::{Cursor, Write};
use std::path::Path;

use adjoin_formats::{
    Adapt, Error, Format, Frame, Matrix, OutputFormat, ReadOptions, look, open_rows,
    read_configuration, read_features, read_labels, read_metadata, read_numbers, read_texts,
    write_frame,
};
use zip::write::SimpleFileOptions;

use crate::memory::{allowed, within};
use crate::scratch::{clear, path, put};

/// A message is one line that can be read.
///
/// # Panics
/// If it is not.
pub fn message(error: &Error) {
    let text = error.to_string();
    assert!(
        !text.is_empty() && text.len() < 4000,
        "a message of {} bytes",
        text.len()
    );
    assert!(
        !text.chars().any(char::is_control),
        "control characters in {text:?}"
    );
    assert!(
        !text.contains("called `") && !text.contains("panicked"),
        "{text}"
    );
}

fn options(format: Option<Format>, threads: usize) -> ReadOptions {
    ReadOptions {
        format,
        threads,
        ..ReadOptions::default()
    }
}

/// What every matrix promises.
fn sound(matrix: &Matrix) {
    let (k, m) = matrix.shape();
    assert!(k > 0 && m > 0);
    assert_eq!(matrix.values.len(), k * m);
    assert!(matrix.lines.is_empty() || matrix.lines.len() == k);
    for labels in [&matrix.rows, &matrix.columns] {
        let distinct: HashSet<&String> = labels.iter().collect();
        assert_eq!(distinct.len(), labels.len(), "doubled labels in {labels:?}");
    }
}

fn same(a: &Matrix, b: &Matrix, what: &str) {
    assert_eq!(a.rows, b.rows, "{what}");
    assert_eq!(a.columns, b.columns, "{what}");
    same_numbers(&a.values, &b.values, what);
}

fn same_numbers(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().zip(b) {
        assert!(x == y || (x.is_nan() && y.is_nan()), "{what}: {x} and {y}");
    }
}

/// The same numbers between the same labels. Where a table of one set of labels has no number, it may be read as the half of a
/// square or as a square without its diagonal: then one may stand there that the other half has, or 0 on the diagonal.
fn same_or_completed(a: &Matrix, b: &Matrix, what: &str) {
    let own = a.rows.iter().any(|label| a.columns.contains(label));
    if !own || !a.values.iter().any(|x| x.is_nan()) {
        return same(a, b, what);
    }
    let at = |m: &Matrix, row: &String, column: &String| {
        let i = m.rows.iter().position(|label| label == row)?;
        let j = m.columns.iter().position(|label| label == column)?;
        Some(m.row(i)[j])
    };
    for row in &a.rows {
        for column in &a.columns {
            let (x, y) = (at(a, row, column), at(b, row, column));
            let (x, y) = (x.expect("its own"), y.expect("every label again"));
            let image = at(a, column, row).filter(|z| !z.is_nan());
            let other = if row == column { Some(0.0) } else { image };
            assert!(
                x == y || (x.is_nan() && (y.is_nan() || Some(y) == other)),
                "{what}: {x} and {y} between {row:?} and {column:?}"
            );
        }
    }
}

/// Writes it as a table, and reads that.
fn round_trip(matrix: &Matrix) {
    if !matrix.labelled {
        return;
    }
    let labels = || matrix.rows.iter().chain(&matrix.columns);
    let broken = labels().any(|label| label.contains('\n'));
    let infinite = matrix.values.iter().any(|x| x.is_infinite());
    for (name, format) in [
        ("again.tsv", OutputFormat::Tsv),
        ("again.csv", OutputFormat::Csv),
    ] {
        let mut bytes = Vec::new();
        write_frame(&Frame::of_matrix(matrix), format, &mut bytes).expect("memory takes it");
        let again = adjoin_formats::read(&put(name, &bytes), &options(None, 1));
        match again {
            Ok(again) => same_or_completed(matrix, &again, name),
            // Labels of text are on one line, and infinity is no proximity.
            Err(error) if broken || infinite => message(&error),
            Err(error) => panic!("{error}\nwritten:\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
}

/// Asks everything of a file.
fn reader(file: &Path, bytes: usize, options: &ReadOptions) -> Option<Matrix> {
    within(allowed(bytes), || {
        let answer = adjoin_formats::read(file, options);
        match &answer {
            Ok(matrix) => {
                sound(matrix);
                round_trip(matrix);
            }
            Err(error) => message(error),
        }
        match open_rows(file, options) {
            Ok(Some(mut array)) => {
                let shape = array.blocks.shape();
                if let (Ok(matrix), Ok(_)) = (&answer, array.load()) {
                    assert_eq!(matrix.shape(), shape);
                }
            }
            Ok(None) => {}
            Err(error) => message(&error),
        }
        if let Err(error) = look(file, options) {
            message(&error);
        }
        if let Err(error) = read_features(file, options) {
            message(&error);
        }
        answer.ok()
    })
}

fn text(name: &str, data: &[u8], format: Option<Format>) {
    let file = put(name, data);
    let one = reader(&file, data.len(), &options(format, 1));
    // Text is parsed by several threads where it is long; what they find does not depend on how many.
    let several = adjoin_formats::read(&file, &options(format, 3));
    match (one, several) {
        (Some(one), Ok(several)) => same(&one, &several, "by 1 thread and by 3"),
        (None, Err(_)) => {}
        (one, several) => panic!(
            "by one thread {}, by three {}",
            one.is_some(),
            several.is_ok()
        ),
    }
}

/// Squares and rectangles.
pub fn table(data: &[u8]) {
    text("f.tsv", data, None);
}

/// Triangles and numbers without labels, with a file of labels beside them or without.
pub fn triangle(data: &[u8]) {
    let [with, rest @ ..] = data else { return };
    clear("f.rel.id");
    text("f.csv", rest, None);
    let labels = usize::from(with % 8);
    if labels > 0 {
        let lines: String = (0..labels).map(|i| format!("f{}\ti{i}\n", i / 2)).collect();
        put("f.rel.id", lines.as_bytes());
    }
    text("f.rel", rest, None);
}

/// PHYLIP.
pub fn phylip(data: &[u8]) {
    text("f.phy", data, Some(Format::Phylip));
}

/// Lists of pairs.
pub fn list(data: &[u8]) {
    let [how, rest @ ..] = data else { return };
    let file = put("f.tsv", rest);
    let mut options = options(Some(Format::Long), 1);
    if how & 1 == 1 {
        options.adapt = Adapt {
            unlisted: Some(1.0),
            ..Adapt::default()
        };
    }
    reader(&file, rest.len(), &options);
}

/// MEGA.
pub fn mega(data: &[u8]) {
    text("f.meg", data, Some(Format::Mega));
}

/// NEXUS.
pub fn nexus(data: &[u8]) {
    text("f.nex", data, Some(Format::Nexus));
}

/// NumPy's arrays, and archives of them.
pub fn npy(data: &[u8]) {
    let file = put("f.npy", data);
    reader(&file, data.len(), &options(None, 1));
    within(allowed(data.len()), || {
        for error in [
            read_numbers(&file).map(drop),
            read_configuration(&file).map(drop),
        ]
        .into_iter()
        .filter_map(Result::err)
        {
            message(&error);
        }
    });
    // As a member of an archive whose checksum is right.
    let zipped = archive(&[("a.npy", data)]);
    let file = put("f.npz", &zipped);
    reader(&file, data.len(), &options(None, 1));
}

/// Binary matrices of PLINK and GCTA.
pub fn bin(data: &[u8]) {
    let [how, rest @ ..] = data else { return };
    let base = ["f.grm", "f.rel", "f.mdist", "f"][usize::from(how % 4)];
    let labels = usize::from(how / 4 % 16);
    let id = format!("{base}.id");
    clear(&id);
    if labels > 0 {
        let lines: String = (0..labels).map(|i| format!("f{}\ti{i}\n", i / 2)).collect();
        put(&id, lines.as_bytes());
    }
    let name = format!("{base}.bin");
    reader(&put(&name, rest), rest.len(), &options(None, 1));
    clear(&id);
    clear(&name);
}

/// Parquet files, as proximities and as tables of our own.
pub fn parquet(data: &[u8]) {
    let file = put("f.parquet", data);
    reader(&file, data.len(), &options(Some(Format::Parquet), 1));
    within(allowed(data.len()), || {
        if let Err(error) = adjoin_formats::read_part(&file) {
            message(&error);
        }
        if let Err(error) = read_configuration(&file) {
            message(&error);
        }
    });
}

/// Arrow files and streams.
pub fn arrow(data: &[u8]) {
    let file = put("f.arrow", data);
    reader(&file, data.len(), &options(Some(Format::Parquet), 1));
}

/// HDF5 files.
pub fn hdf5(data: &[u8]) {
    let file = put("f.h5", data);
    reader(&file, data.len(), &options(Some(Format::Hdf5), 1));
}

/// Zarr arrays: sections that begin with a line `== NAME` are the files of a folder.
pub fn zarr(data: &[u8]) {
    clear("f.zarr");
    let folder = path("f.zarr");
    let mut rest = data;
    while let Some(at) = find(rest, b"== ") {
        let from = &rest[at + 3..];
        let Some(end) = from.iter().position(|&b| b == b'\n') else {
            break;
        };
        let (name, content) = (&from[..end], &from[end + 1..]);
        let length = find(content, b"\n== ").unwrap_or(content.len());
        let harmless = |b: &u8| b.is_ascii_alphanumeric() || b"._-/".contains(b);
        let name = String::from_utf8_lossy(name);
        let fits = name.len() < 60 && !name.contains("..") && !name.starts_with('/');
        if fits && !name.is_empty() && name.as_bytes().iter().all(harmless) {
            let file = folder.join(&*name);
            if let Some(parent) = file.parent() {
                let _ = std::fs::create_dir_all(parent);
            }
            let _ = std::fs::write(file, &content[..length]);
        }
        rest = content.get(length + 1..).unwrap_or(&[]);
    }
    if folder.is_dir() {
        reader(&folder, data.len(), &options(Some(Format::Zarr), 1));
    }
}

fn find(within: &[u8], what: &[u8]) -> Option<usize> {
    within.windows(what.len()).position(|w| w == what)
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in members {
        zip.start_file(*name, plain).expect("a member");
        zip.write_all(content).expect("its content");
    }
    zip.finish().expect("an archive").into_inner()
}

/// QIIME 2's artifacts: the archive itself, and what is inside of one that is sound.
pub fn qza(data: &[u8]) {
    let file = put("f.qza", data);
    reader(&file, data.len(), &options(Some(Format::Qza), 1));
    let id = "6d3e9cbb-4f49-4b36-9f5e-2f0f5e3c2a11";
    let metadata = format!("{id}/metadata.yaml");
    let member = format!("{id}/data/distance-matrix.tsv");
    let zipped = archive(&[(&metadata, b"type: DistanceMatrix\n"), (&member, data)]);
    reader(&put("g.qza", &zipped), data.len(), &options(None, 1));
}

/// Compressed files, and text in UTF-16.
pub fn packed(data: &[u8]) {
    let file = put("f.tsv.gz", data);
    reader(&file, data.len(), &options(None, 1));
    let file = put("f.npy.gz", data);
    reader(&file, data.len(), &options(None, 1));
}

fn refused<T>(answer: Result<T, Error>) -> Option<T> {
    answer.map_err(|error| message(&error)).ok()
}

/// scikit-bio's `ordination`.
pub fn ordination(data: &[u8]) {
    let file = put("f.ordination", data);
    within(allowed(data.len()), || configured(&file));
}

fn configured(file: &Path) {
    let Some(found) = refused(read_configuration(file)) else {
        return;
    };
    let (n, d) = (found.labels.len(), found.dimensions);
    assert_eq!(found.coordinates.len(), n * d);
    assert!(found.coordinates.iter().all(|x| x.is_finite()));
    // A file may have the eigenvalues of more axes than it shows.
    let finite = |e: Vec<f64>| e.iter().all(|v| v.is_finite());
    assert!(found.eigenvalues.is_none_or(finite));
    let distinct: HashSet<&String> = found.labels.iter().collect();
    assert_eq!(distinct.len(), n);
}

/// Coordinates in a table.
pub fn configuration(data: &[u8]) {
    let file = put("f.csv", data);
    within(allowed(data.len()), || configured(&file));
}

/// What comes beside: metadata, numbers by label, lists of labels, texts.
pub fn metadata(data: &[u8]) {
    let file = put("f.tsv", data);
    within(allowed(data.len()), || {
        if let Some(found) = refused(read_metadata(&file)) {
            for (_, cells) in &found.columns {
                assert_eq!(cells.len(), found.labels.len());
            }
        }
        if let Some(found) = refused(read_numbers(&file)) {
            assert!(found.values.iter().all(|x| x.is_finite()));
            assert!(found.labels.is_none_or(|l| l.len() == found.values.len()));
        }
        refused(read_labels(&file));
        refused(read_texts(&file, &options(None, 1)));
    });
}
