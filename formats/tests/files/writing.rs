use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use adjoin_formats::{
    Column, Frame, Output, OutputFormat, Slices, read_configuration, write_frame, write_frame_to,
    write_slices, write_slices_to,
};

use crate::{Scratch, assert_same, fixture, message, numbers, read};

fn frame() -> Frame {
    Frame {
        columns: vec![
            (
                "label".into(),
                Column::Text(vec!["a".into(), "b, \"two\"\t".into(), "Ω".into()]),
            ),
            ("axis1".into(), Column::Number(vec![0.1, -1e-300, f64::MAX])),
            (
                "axis2".into(),
                Column::Number(vec![1.0 / 3.0, -0.0, 5e-324]),
            ),
            ("strategy".into(), Column::Text(vec!["project".into(); 3])),
            ("lambda".into(), Column::Number(vec![0.0, f64::NAN, 2.5])),
            (
                "certified".into(),
                Column::Flag(vec![Some(true), None, Some(false)]),
            ),
        ],
        eigenvalues: vec![3.5, 2.25, 1.0],
        proportions: vec![0.5, 0.25, 0.1],
        variables: Vec::new(),
    }
}

/// A table that is made as it is written is, in every format, the file that it is when it is there whole.
#[test]
fn slices_make_the_same_file() {
    let frame = |rows: std::ops::Range<usize>| {
        let number = |by: f64| rows.clone().map(|i| i as f64 / by).collect();
        Frame {
            columns: vec![
                (
                    "label".into(),
                    Column::Text(rows.clone().map(|i| format!("n{i}")).collect()),
                ),
                ("axis1".into(), Column::Number(number(3.0))),
                ("axis2".into(), Column::Number(number(7.0))),
                (
                    "certified".into(),
                    Column::Flag(rows.clone().map(|i| Some(i % 3 == 0)).collect()),
                ),
            ],
            eigenvalues: vec![2.0, 1.0],
            ..Frame::default()
        }
    };
    let scratch = Scratch::new();
    for count in [0, 1, 16_384, 40_000] {
        let of = |range| Cow::Owned(frame(range));
        for format in [
            OutputFormat::Tsv,
            OutputFormat::Csv,
            OutputFormat::Json,
            OutputFormat::Npy,
            OutputFormat::Ordination,
        ] {
            let (mut whole, mut sliced) = (Vec::new(), Vec::new());
            write_frame(&frame(0..count), format, &mut whole).unwrap();
            write_slices(&Slices::new(count, &of), format, &mut sliced).unwrap();
            assert!(whole == sliced, "{format:?} of {count} rows");
        }
        if count > 0 {
            // Coordinates are read from columns of numbers.
            let of = |range| {
                let mut frame = frame(range);
                frame.columns.pop();
                Cow::Owned(frame)
            };
            let path = scratch.path("t.parquet");
            write_slices_to(&Slices::new(count, &of), &path).unwrap();
            let back = read_configuration(&path).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(back.labels.len(), count);
            let expected = (0..count).flat_map(|i| [i as f64 / 3.0, i as f64 / 7.0]);
            assert!(back.coordinates.iter().copied().eq(expected));
        }
    }
    // A label in the last slice that the format cannot hold is told before anything is written.
    let of = |range: std::ops::Range<usize>| {
        let mut frame = frame(range.clone());
        if let (Column::Text(labels), true) = (&mut frame.columns[0].1, range.contains(&39_999)) {
            labels[39_999 - range.start] = "a\tb".into();
        }
        Cow::Owned(frame)
    };
    let path = scratch.path("t.ordination");
    let error = write_slices_to(&Slices::new(40_000, &of), &path).unwrap_err();
    assert!(error.to_string().contains("a\\tb"), "{error}");
    assert!(!path.exists());
}

const AXES: [f64; 6] = [0.1, 1.0 / 3.0, -1e-300, -0.0, f64::MAX, 5e-324];

#[test]
fn tables_that_were_written_read_back_to_the_same_bits() {
    let scratch = Scratch::new();
    for name in [
        "t.tsv",
        "t.csv",
        "t.tsv.gz",
        "t.csv.gz",
        "t.npy",
        "no_extension",
    ] {
        let path = scratch.path(name);
        write_frame_to(&frame(), &path).unwrap();
        let back = read_configuration(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_same(&back.coordinates, &AXES);
        if name != "t.npy" {
            assert_eq!(back.labels, ["a", "b, \"two\"\t", "Ω"], "{name}");
        }
    }
    let path = scratch.path("t.ordination");
    // The format has no quotes: a tab in a label would be another cell.
    assert!(
        message(write_frame_to(&frame(), &path).unwrap_err())
            .contains("expected labels without tabs and line breaks")
    );
    assert!(!path.exists());
    let labels = ["a", "b, \"two\"", "Ω"];
    let mut frame = frame();
    frame.columns[0].1 = Column::Text(labels.map(str::to_owned).to_vec());
    write_frame_to(&frame, &path).unwrap();
    let back = read_configuration(&path).unwrap();
    assert_same(&back.coordinates, &AXES);
    // One eigenvalue an axis.
    assert_eq!(back.eigenvalues, Some(vec![3.5, 2.25]));
    assert_eq!(back.labels, labels);
}

#[test]
fn proximities_go_through_every_format_unchanged() {
    let scratch = Scratch::new();
    let matrix = read(&fixture("pandas_rectangle.tsv")).unwrap();
    let mut names = vec!["m.tsv", "m.csv"];
    if cfg!(feature = "parquet") {
        names.push("m.parquet");
    }
    for name in names {
        let path = scratch.path(name);
        write_frame_to(&Frame::of_matrix(&matrix), &path).unwrap();
        let back = read(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            (&back.rows, &back.columns),
            (&matrix.rows, &matrix.columns),
            "{name}"
        );
        assert_same(&back.values, &numbers("cross.bin"));
    }
    let path = scratch.path("m.npy");
    write_frame_to(&Frame::of_matrix(&matrix), &path).unwrap();
    assert_same(&read(&path).unwrap().values, &numbers("cross.bin"));
}

#[test]
fn the_format_is_that_of_the_name() {
    for (name, format) in [
        ("a.tsv", OutputFormat::Tsv),
        ("a.CSV", OutputFormat::Csv),
        ("a.json", OutputFormat::Json),
        ("a.npy", OutputFormat::Npy),
        ("a.parquet", OutputFormat::Parquet),
        ("a.ordination", OutputFormat::Ordination),
        ("a.tsv.gz", OutputFormat::Tsv),
        ("a.csv.gz", OutputFormat::Csv),
        ("a", OutputFormat::Tsv),
        ("-", OutputFormat::Tsv),
    ] {
        assert_eq!(OutputFormat::of(Path::new(name)).unwrap(), format);
    }
}

#[test]
fn a_file_appears_at_commit_and_not_before() {
    let scratch = Scratch::new();
    let path = scratch.path("out.tsv");
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"whole").unwrap();
    output.flush().unwrap();
    assert!(!path.exists());
    output.commit().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    assert_eq!(scratch.names(), ["out.tsv"]);
}

#[test]
fn a_file_that_is_given_up_leaves_the_old_one_and_no_trace() {
    let scratch = Scratch::new();
    let path = scratch.file("out.tsv", "old");
    let mut output = Output::create(&path).unwrap();
    output.write_all(&[b'x'; 1 << 20]).unwrap();
    drop(output);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(scratch.names(), ["out.tsv"]);
}

#[test]
fn folders_that_cannot_be_written_to() {
    let scratch = Scratch::new();
    assert_eq!(
        message(Output::create(&scratch.path("none/out.tsv")).unwrap_err()),
        "none/out.tsv: found no such folder, expected a folder to write to"
    );
    std::fs::create_dir(scratch.path("folder")).unwrap();
    assert_eq!(
        message(Output::create(&scratch.path("folder")).unwrap_err()),
        "folder: found a directory, expected a file that can be written"
    );
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_stays_and_what_it_points_to_is_replaced() {
        let scratch = Scratch::new();
        std::fs::create_dir(scratch.path("real")).unwrap();
        let real = scratch.file("real/data.tsv", "old");
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real/data.tsv", scratch.path("inner")).unwrap();
        symlink("inner", scratch.path("outer")).unwrap();
        let mut output = Output::create(&scratch.path("outer")).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert!(
            std::fs::symlink_metadata(scratch.path("outer"))
                .unwrap()
                .is_symlink()
        );
        assert!(
            std::fs::symlink_metadata(scratch.path("inner"))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        let mode = std::fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // A link to nothing yet makes what it points to.
        symlink("real/fresh.tsv", scratch.path("dangling")).unwrap();
        Output::create(&scratch.path("dangling"))
            .unwrap()
            .commit()
            .unwrap();
        assert!(scratch.path("real/fresh.tsv").exists());
        symlink("circle", scratch.path("circle")).unwrap();
        assert!(Output::create(&scratch.path("circle")).is_err());
    }

    #[test]
    fn devices_are_written_to_and_stay() {
        let mut output = Output::create(Path::new("/dev/null")).unwrap();
        output.write_all(b"gone").unwrap();
        output.commit().unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_said_to_be_full() {
        assert_eq!(
            message(write_frame_to(&frame(), Path::new("/dev/full")).unwrap_err()),
            "/dev/full: found no space left on the device, expected room for the whole output"
        );
        assert!(!std::fs::metadata("/dev/full").unwrap().is_file());
    }

    /// A pipe without a reader any more is told from other trouble: for a pipeline it is success.
    #[test]
    fn a_closed_pipe_is_known() {
        let (reader, writer) = std::io::pipe().unwrap();
        use std::os::fd::AsRawFd;
        let path = format!("/dev/fd/{}", writer.as_raw_fd());
        let mut output = Output::create(Path::new(&path)).unwrap();
        drop(reader);
        output.write_all(b"nobody").unwrap();
        let error = output.commit().unwrap_err();
        assert!(error.is_closed_pipe(), "{error}");
        let full = adjoin_formats::read(Path::new("none"), &Default::default()).unwrap_err();
        assert!(!full.is_closed_pipe());
    }
}

#[test]
fn json_has_null_where_there_is_no_number() {
    let mut out = Vec::new();
    write_frame(&frame(), OutputFormat::Json, &mut out).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    assert_eq!(json[1]["lambda"], serde_json::Value::Null);
    assert_eq!(json[1]["label"], "b, \"two\"\t");
    assert_eq!(json[0]["certified"], true);
    let mut empty = Vec::new();
    write_frame(&Frame::default(), OutputFormat::Json, &mut empty).unwrap();
    assert_eq!(empty, b"[]\n");
}
