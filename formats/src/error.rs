//! What can be wrong with a file, as one line.
//!
//! The text of every error is `FILE:LINE: found …, expected …` (`FILE: …` where a format has no
//! lines), so that a user can go straight to the place. Whatever is quoted from a file is shortened
//! and its control characters are escaped: a hostile label cannot write to the terminal.

use std::fmt;
use std::io;
use std::path::Path;

/// Characters of a cell or label that a message repeats.
const ECHO: usize = 40;

/// Any failure to read or write a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read.
    Read {
        /// The file, as the user named it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to write.
    Write {
        /// The file, as the user named it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are not what the format asks for.
    Malformed {
        /// The file, as the user named it.
        file: String,
        /// The line, counted from one, where the format has lines.
        line: Option<u64>,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// The file is sound, but its labels or its shape do not answer the question.
    Mismatch {
        /// The file, as the user named it.
        file: String,
        /// The line, counted from one, where one can be named.
        line: Option<u64>,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// The file is sound, but has no columns for some objects of the map.
    Absent {
        /// The file, as the user named it.
        file: String,
        /// The line of the header, where there is one.
        line: Option<u64>,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// The file is sound, but the core refuses what is in it.
    Numbers {
        /// The file, as the user named it.
        file: String,
        /// The line, counted from one, where one can be named.
        line: Option<u64>,
        /// Why.
        error: Box<adjoin::Error>,
    },
    /// A map that must not be trusted: truncated, altered, of a newer format, or no map at all.
    Map {
        /// The file, as the user named it.
        file: String,
        /// Why it is refused.
        fault: MapFault,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
}

/// Why a map is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapFault {
    /// The file is not a map.
    Foreign,
    /// The file is shorter than it says.
    Truncated,
    /// The checksum does not fit the bytes.
    Altered,
    /// The map was written by a later version.
    Newer,
    /// The checksum fits, but the content is inconsistent.
    Inconsistent,
}

impl Error {
    /// The file the error is about.
    pub fn file(&self) -> &str {
        match self {
            Error::Read { file, .. }
            | Error::Write { file, .. }
            | Error::Malformed { file, .. }
            | Error::Mismatch { file, .. }
            | Error::Absent { file, .. }
            | Error::Numbers { file, .. }
            | Error::Map { file, .. } => file,
        }
    }

    /// The line the error is about, counted from one.
    pub fn line(&self) -> Option<u64> {
        match self {
            Error::Malformed { line, .. }
            | Error::Mismatch { line, .. }
            | Error::Absent { line, .. }
            | Error::Numbers { line, .. } => *line,
            _ => None,
        }
    }

    /// Whether it is the core that refuses the file, for something that it calls so.
    pub fn is_about(&self, about: adjoin::About) -> bool {
        matches!(self, Error::Numbers { error, .. } if error.about() == about)
    }

    /// Whether the reader of our output has gone away, which is success for a pipeline.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn read(file: &str, source: io::Error) -> Error {
        Error::Read {
            file: file.to_owned(),
            source,
        }
    }

    pub(crate) fn write(file: &str, source: io::Error) -> Error {
        Error::Write {
            file: file.to_owned(),
            source,
        }
    }

    pub(crate) fn malformed(
        file: &str,
        line: impl Into<Option<u64>>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        Error::Malformed {
            file: file.to_owned(),
            line: line.into().filter(|&l| l > 0),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// What the core says of a file, with the line of the row at fault put before it; `lines` has 0 where there is none.
    pub fn of_core(file: &str, lines: &[u64], error: adjoin::Error) -> Error {
        let line = error.row().and_then(|row| lines.get(row).copied());
        Error::Numbers {
            file: file.to_owned(),
            line: line.filter(|line| *line > 0),
            error: Box::new(error),
        }
    }

    pub(crate) fn mismatch(
        file: &str,
        line: impl Into<Option<u64>>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        Error::Mismatch {
            file: file.to_owned(),
            line: line.into().filter(|&l| l > 0),
            found: found.into(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read { file, source } => {
                let (found, expected) = said_of_reading(source);
                write!(f, "{}: found {found}, expected {expected}", plain(file))
            }
            Error::Write { file, source } => {
                let (found, expected) = said_of_writing(source);
                write!(f, "{}: found {found}, expected {expected}", plain(file))
            }
            Error::Malformed {
                file,
                line,
                found,
                expected,
            }
            | Error::Mismatch {
                file,
                line,
                found,
                expected,
            }
            | Error::Absent {
                file,
                line,
                found,
                expected,
            } => {
                f.write_str(&plain(file))?;
                if let Some(line) = line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": found {found}, expected {expected}")
            }
            Error::Numbers { file, line, error } => match line {
                Some(line) => write!(f, "{}:{line}: {error}", plain(file)),
                None => write!(f, "{}: {error}", plain(file)),
            },
            Error::Map {
                file,
                found,
                expected,
                ..
            } => write!(f, "{}: found {found}, expected {expected}", plain(file)),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read { source, .. } | Error::Write { source, .. } => Some(source),
            Error::Numbers { error, .. } => Some(error),
            _ => None,
        }
    }
}

fn said_of_reading(error: &io::Error) -> (String, &'static str) {
    use io::ErrorKind::*;
    let found = match error.kind() {
        NotFound => "no such file".to_owned(),
        PermissionDenied => "no permission to read it".to_owned(),
        IsADirectory => "a directory".to_owned(),
        UnexpectedEof => "the end of the file".to_owned(),
        _ => system(error),
    };
    let expected = match error.kind() {
        UnexpectedEof => "more data",
        _ => "a file that can be read",
    };
    (found, expected)
}

fn said_of_writing(error: &io::Error) -> (String, &'static str) {
    use io::ErrorKind::*;
    match error.kind() {
        NotFound => ("no such folder".to_owned(), "a folder to write to"),
        PermissionDenied => (
            "no permission to write it".to_owned(),
            "a file that can be written",
        ),
        IsADirectory => ("a directory".to_owned(), "a file that can be written"),
        StorageFull | QuotaExceeded => (
            "no space left on the device".to_owned(),
            "room for the whole output",
        ),
        BrokenPipe => (
            "a closed pipe".to_owned(),
            "a program that reads the output",
        ),
        _ => (system(error), "a file that can be written"),
    }
}

fn system(error: &io::Error) -> String {
    format!("a failure of the system ({})", plain(&error.to_string()))
}

/// `text` with control characters escaped.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters, and those that change the direction or the lines of what is printed.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        // Blanks that look like other blanks.
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A label or cell as messages show it: quoted, escaped, shortened.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for (i, c) in text.chars().enumerate() {
        if i == ECHO {
            out.push('…');
            break;
        }
        if is_unprintable(c) || c == '"' {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('"');
    out
}

/// What a library says of a file, which may quote the file: on one line, escaped.
pub(crate) fn on_one_line(why: impl fmt::Display) -> String {
    let mut out = String::new();
    for c in why.to_string().chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if is_unprintable(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// [`quote`] for bytes that may not be text.
pub(crate) fn quote_bytes(bytes: &[u8]) -> String {
    // A character has at most four bytes: more than this is never shown.
    let head = bytes.get(..4 * (ECHO + 1)).unwrap_or(bytes);
    quote(&String::from_utf8_lossy(head))
}

/// `1 row`, `2 rows`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// The name of a path in messages.
pub(crate) fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_one_short_harmless_line() {
        assert_eq!(quote("a\nb\u{1b}[31m"), "\"a\\nb\\u{1b}[31m\"");
        let long = quote(&"x".repeat(1000));
        assert_eq!(long.chars().count(), ECHO + 3);
        assert_eq!(quote_bytes(b"\xff\xfe"), "\"\u{fffd}\u{fffd}\"");
    }

    #[test]
    fn a_file_name_cannot_break_the_line() {
        let error = Error::malformed("a\nb", 3, "x", "y");
        assert_eq!(error.to_string(), "a\\nb:3: found x, expected y");
    }

    #[test]
    fn the_cause_is_kept() {
        let error = Error::read("f", io::Error::from(io::ErrorKind::NotFound));
        assert!(std::error::Error::source(&error).is_some());
        assert_eq!(
            error.to_string(),
            "f: found no such file, expected a file that can be read"
        );
    }
}
