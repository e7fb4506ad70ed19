//! Disks that are full, readers that break off, processes that were killed.

use std::io::{self, Write};

use adjoin_formats::{Column, Frame, Output, OutputFormat, write_frame};

use crate::Scratch;

/// Takes so many calls, and no more.
struct Failing {
    left: usize,
    calls: usize,
}

impl Failing {
    fn call(&mut self) -> io::Result<()> {
        self.calls += 1;
        if self.left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.left -= 1;
        Ok(())
    }
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call()
    }
}

fn frame() -> Frame {
    let text = |word: &str| Column::Text((0..7).map(|i| format!("{word} {i}")).collect());
    let numbers = |by: f64| Column::Number((0..7).map(|i| by * f64::from(i)).collect());
    Frame {
        columns: vec![
            ("label".into(), text("object")),
            ("axis1".into(), numbers(0.1)),
            ("axis2".into(), numbers(-3.0)),
            ("certified".into(), Column::Flag(vec![Some(true); 7])),
            ("known".into(), Column::Count(vec![5; 7])),
        ],
        eigenvalues: vec![2.0, 1.0],
        proportions: vec![0.5, 0.25],
        variables: vec![("v".into(), vec![1.0, 2.0])],
    }
}

/// Whichever call fails, first to last, a writer says so.
#[test]
fn every_write_that_fails_is_told() {
    let frame = frame();
    for format in [
        OutputFormat::Tsv,
        OutputFormat::Csv,
        OutputFormat::Json,
        OutputFormat::Npy,
        OutputFormat::Ordination,
        OutputFormat::Parquet,
    ] {
        let mut whole = Failing {
            left: usize::MAX,
            calls: 0,
        };
        write_frame(&frame, format, &mut whole).unwrap();
        assert!(whole.calls > 0);
        for left in 0..whole.calls {
            let mut out = Failing { left, calls: 0 };
            let answer = write_frame(&frame, format, &mut out);
            let error = answer.expect_err(&format!("{format:?}, call {left} of {}", whole.calls));
            assert_eq!(
                error.kind(),
                io::ErrorKind::StorageFull,
                "{format:?}: {error}"
            );
        }
    }
}

/// What a killed process left is removed by whoever writes the same output next; what somebody still writes is not, nor
/// what another output left.
#[test]
fn abandoned_files_are_removed() {
    let scratch = Scratch::new();
    let path = scratch.path("out.tsv");
    scratch.file(".out.tsv.999999-0.partial", "half");
    scratch.file(".out.tsv.999999-7.partial", "half");
    scratch.file(".other.tsv.999999-0.partial", "half");
    scratch.file(".out.tsv.notes", "mine");
    let mut held = Output::create(&path).unwrap();
    held.write_all(b"first").unwrap();
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"second").unwrap();
    output.commit().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"second");
    held.commit().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"first");
    assert_eq!(
        scratch.names(),
        [".other.tsv.999999-0.partial", ".out.tsv.notes", "out.tsv"]
    );
}

/// A link in the place of a temporary file leads nowhere.
#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_temporary_file_is_left_alone() {
    let scratch = Scratch::new();
    let precious = scratch.file("precious", "kept");
    let link = scratch.path(".out.tsv.999999-0.partial");
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    let mut output = Output::create(&scratch.path("out.tsv")).unwrap();
    output.write_all(b"x").unwrap();
    output.commit().unwrap();
    assert_eq!(std::fs::read(&precious).unwrap(), b"kept");
    assert!(link.is_symlink());
}
