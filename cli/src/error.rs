//! What went wrong, as one line and an exit code.

use std::fmt;

/// A failure of a command.
#[derive(Debug)]
pub enum Error {
    /// The command line asks for something that makes no sense: exit code 2.
    Usage(String),
    /// A file is at fault.
    File(adjoin_formats::Error),
    /// The numbers in a file are at fault, at this line if it has lines.
    Numbers {
        file: String,
        line: Option<u64>,
        error: Box<adjoin::error::Error>,
    },
    /// The request cannot be answered.
    Request(String),
    /// Some newcomers could not be placed, and --strict was given.
    Strict(Vec<String>),
}

impl Error {
    /// The exit code that it means.
    pub fn code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::File(e) if e.is_closed_pipe() => 0,
            _ => 1,
        }
    }

    /// Whether it goes without saying: the reader of our output has gone away.
    pub fn is_silent(&self) -> bool {
        matches!(self, Error::File(e) if e.is_closed_pipe())
    }
}

impl From<adjoin_formats::Error> for Error {
    fn from(error: adjoin_formats::Error) -> Self {
        Error::File(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Request(text) => f.write_str(text),
            Error::File(error) => error.fmt(f),
            Error::Numbers { file, line, error } => match line {
                Some(line) => write!(f, "{file}:{line}: {error}"),
                None => write!(f, "{file}: {error}"),
            },
            Error::Strict(lines) => f.write_str(&lines.join("\nadjoin: ")),
        }
    }
}

/// Puts the file, and the line of the row at fault, before what the core says.
pub fn at<'a>(file: &'a str, lines: &'a [u64]) -> impl Fn(adjoin::error::Error) -> Error + use<'a> {
    move |error| Error::Numbers {
        file: file.to_owned(),
        line: error
            .row()
            .and_then(|row| lines.get(row).copied())
            .filter(|line| *line > 0),
        error: Box::new(error),
    }
}
