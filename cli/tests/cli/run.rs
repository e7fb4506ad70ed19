use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder for one test, removed at its end.
pub struct Folder(tempfile::TempDir);

/// What a run gave.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with the demo's files in it: `old.tsv`, `new.tsv`, `cities.tsv`, `europe.adjoin`.
    pub fn with_demo() -> Self {
        let folder = Self::new();
        let run = folder.run("demo -o .");
        assert_eq!(run.code, 0, "{}", run.err);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names of all files, hidden ones included.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Runs `adjoin` with arguments divided by blanks.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(&arguments.split(' ').collect::<Vec<_>>())
    }

    pub fn run_with(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().unwrap().into()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjoin"));
        command
            .args(arguments)
            .current_dir(self.root())
            .stdin(Stdio::null());
        command
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A TSV table: header and rows of cells.
pub struct Tsv {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Tsv {
    pub fn new(text: &str) -> Self {
        let mut lines = text
            .lines()
            .map(|l| l.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let rows: Vec<Vec<String>> = lines.collect();
        assert!(rows.iter().all(|r| r.len() == header.len()));
        Self { header, rows }
    }

    pub fn cell(&self, label: &str, column: &str) -> &str {
        let row = self.rows.iter().find(|r| r[0] == label).unwrap();
        &row[self.column(column)]
    }

    pub fn number(&self, label: &str, column: &str) -> f64 {
        self.cell(label, column).parse().unwrap()
    }

    pub fn column(&self, name: &str) -> usize {
        let at = self.header.iter().position(|h| h == name);
        at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.header))
    }
}
