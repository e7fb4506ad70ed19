//! Files on disk: those of other programs, ours, and those that are wrong.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use adjoin_formats::{Error, Matrix, ReadOptions};

/// Wrong input, one thing wrong at a time, by position and message.
mod bad_input;
/// Disks that are full, readers that break off, processes that were killed.
mod faults;
/// Features and texts.
mod features;
/// Maps that have grown: a round trip, and which generation a table is for.
mod growth;
/// Which label is which object.
mod labels;
/// No module uses one that comes after it.
mod layers;
/// The map: a round trip, and damage.
mod map;
/// The map of any method, and of earlier versions.
mod methods;
/// A table on a map.
mod newcomers;
/// The same numbers from every program that writes them.
mod others;
/// Files of programs and libraries that have forms of their own.
mod programs;
/// What is written, and that it is written whole or not at all.
mod writing;

/// A file that another program wrote.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The numbers that a program wrote as raw doubles, beside its own format.
fn numbers(name: &str) -> Vec<f64> {
    let bytes = std::fs::read(fixture(name)).unwrap();
    bytes
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// Equality to the bit, but for the many ways to be NaN.
#[track_caller]
fn assert_same(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!(
            x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            "number {i}: {x} and {y}"
        );
    }
}

/// A folder for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = std::env::temp_dir().join(format!(
            "adjoin-formats-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The names in the folder.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Result<Matrix, Error> {
    read_with(path, &ReadOptions::default())
}

fn read_with(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    adjoin_formats::read(path, options)
}

/// Reads text under a name.
fn read_text(name: &str, text: impl AsRef<[u8]>) -> Result<Matrix, Error> {
    let scratch = Scratch::new();
    read(&scratch.file(name, text))
}

/// The message of an error, with the scratch folder taken out of it.
fn message(error: Error) -> String {
    let text = error.to_string();
    match text.split_once("/adjoin-formats-") {
        Some((_, rest)) => rest
            .split_once('/')
            .map_or(text.clone(), |(_, rest)| rest.to_owned()),
        None => text,
    }
}

/// The format that the bytes of a map say.
fn format_of(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    let after = text.split("\\\"format\\\":").nth(1).unwrap();
    after.split(',').next().unwrap().parse().unwrap()
}
