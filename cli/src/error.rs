//! What went wrong, as one line and an exit code.

use std::fmt;

use adjoin::About;
use adjoin_formats::Error as FileError;

/// A failure of a command.
#[derive(Debug)]
pub enum Error {
    /// The command line asks for something that makes no sense: exit code 2.
    Usage(String),
    /// A file is at fault, or what is in it.
    File(FileError),
    /// The request cannot be answered.
    Request(String),
    /// Some newcomers could not be placed, and --strict was given.
    Strict(Vec<String>),
    /// Another failure, and what the command line has for it.
    Hinted(Box<Error>, &'static str),
}

impl Error {
    /// Settings that do not go together, with the flag they are about.
    pub fn together(error: adjoin::Error) -> Self {
        Error::Usage(match flag(error.about()) {
            Some(flag) => format!("{flag}: {error}"),
            None => error.to_string(),
        })
    }

    /// The same with a hint, which is about flags: other front ends have other words.
    pub fn hinted(self, hint: &'static str) -> Self {
        Error::Hinted(Box::new(self), hint)
    }

    /// The exit code that it means.
    pub fn code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::Hinted(error, _) => error.code(),
            Error::File(e) if e.is_closed_pipe() => 0,
            _ => 1,
        }
    }

    /// Whether it goes without saying: the reader of our output has gone away.
    pub fn is_silent(&self) -> bool {
        matches!(self, Error::File(e) if e.is_closed_pipe())
    }
}

/// What the core calls by a word, as it is said on the command line.
fn flag(about: About) -> Option<&'static str> {
    Some(match about {
        About::Between => "--between",
        About::Labels => "--labels",
        About::Weights => "--weights",
        About::SelfSimilarity => "--self",
        About::Dimensions => "-d",
        About::Method => "--method",
        About::Kind => "--kind",
        About::Origin => "--origin",
        About::Correction => "--correction",
        About::Configuration => "--configuration",
        About::Link => "--link",
        About::Measure => "--metric or --kernel",
        About::Landmarks | About::LandmarkCount => "--landmarks",
        About::Rotation => "--rotate",
        About::Neighbours => "--neighbors",
        About::Radius => "--radius",
        About::Disconnected => "--disconnected",
        About::Affinity => "--affinity",
        About::Gamma => "--gamma",
        About::Alpha => "--alpha",
        About::Diagonal => "--no-diagonal",
        About::Time => "--time",
        About::Tolerance => "--tolerance",
        About::Strategy => "--strategy",
        About::Proof => "--prove",
        About::Points => "--points",
        About::Generation => "--generation",
        About::Uncertainty => "--uncertainty",
        About::Old => "--old",
        About::Nearest => "--neighbours",
        About::Groups => "--groups",
        About::Classes => "--labels",
        About::Folds => "--folds",
        _ => return None,
    })
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        match error {
            // Not the file is at fault, but what was asked of it.
            FileError::Numbers { error, .. }
                if matches!(*error, adjoin::Error::Together { .. }) =>
            {
                Error::together(*error)
            }
            error @ FileError::Absent { .. } => Error::File(error)
                .hinted("NA in a column says that nothing is known; --partial that absent columns are missing"),
            // A newcomer's similarity to itself is not in the file.
            error @ FileError::Numbers { .. } if error.is_about(About::SelfSimilarity) => {
                Error::File(error).hinted("--self 1 if it is 1 for all, or --self FILE")
            }
            error => Error::File(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Request(text) => f.write_str(text),
            Error::File(error @ FileError::Numbers { error: core, .. })
                if matches!(**core, adjoin::Error::Asymmetric { .. }) =>
            {
                write!(f, "{error} (--symmetrise mean|min|max makes it so)")
            }
            Error::File(error) => error.fmt(f),
            Error::Strict(lines) => f.write_str(&lines.join("\nadjoin: ")),
            Error::Hinted(error, hint) => write!(f, "{error} ({hint})"),
        }
    }
}

/// Puts the file, and the line of the row at fault, before what the core says.
pub fn at<'a>(file: &'a str, lines: &'a [u64]) -> impl Fn(adjoin::Error) -> Error + use<'a> {
    move |error| FileError::of_core(file, lines, error).into()
}
