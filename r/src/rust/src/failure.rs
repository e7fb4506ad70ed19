//! What went wrong, as a record that the R code signals as a condition: a message, its classes, and the argument it is about.

use adjoin::About;
use adjoin_formats::MapFault;
use extendr_api::prelude::*;

use crate::value::list;

/// The class by which the R code knows a record from an answer.
const RECORD: &str = "adjoin_failure";

/// Why there is no answer.
pub enum Failure {
    /// The question is malformed: the argument, and what is wrong with it.
    Wrong { about: String, message: String },
    /// A file could not be read or written, or is not what it should be.
    File { message: String },
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Failure {
    /// About one argument.
    pub fn wrong(about: &str, what: impl std::fmt::Display) -> Self {
        Failure::Wrong {
            about: about.to_owned(),
            message: format!("{about}: {what}"),
        }
    }

    /// The same for R.
    pub fn record(self) -> Robj {
        let (message, class, about) = match self {
            Failure::Wrong { about, message } => (message, "adjoin_error", about),
            Failure::File { message } => (message, "adjoin_file_error", "file".to_owned()),
            Failure::Interrupted => (String::new(), "interrupt", String::new()),
        };
        let mut record = list(vec![
            ("message", message.into()),
            ("class", class.into()),
            ("about", about.into()),
        ]);
        let _ = record.set_class([RECORD]);
        record
    }
}

/// The answer, or the record of why there is none.
pub fn told(answer: Result<Robj, Failure>) -> Robj {
    answer.unwrap_or_else(Failure::record)
}

/// The argument that holds what an error is about; `objects` is the one that holds the objects.
fn argument(about: About, objects: &str) -> &str {
    match about {
        About::Between => "between",
        About::Labels => "labels",
        About::Weights => "weights",
        About::SelfSimilarity => "self",
        About::Dimensions => "k",
        About::Method => "method",
        About::Kind => "kind",
        About::Origin => "origin",
        About::Correction => "correction",
        About::Configuration => "points",
        About::Measure => "metric",
        About::Strategy => "strategy",
        About::Points => "points",
        About::Link => "link",
        About::Proof => "prove",
        About::Generation => "generation",
        About::Uncertainty => "uncertainty",
        About::Old => "old",
        About::Nearest => "neighbours",
        About::Groups => "groups",
        About::Classes => "classes",
        About::Folds => "folds",
        _ => objects,
    }
}

/// An error of the core about the argument at fault, which is `objects` if it is the objects themselves.
pub fn core(objects: &str) -> impl Fn(adjoin::Error) -> Failure + '_ {
    move |error| match error {
        adjoin::Error::Stopped => Failure::Interrupted,
        error => Failure::wrong(argument(error.about(), objects), error),
    }
}

/// An error of a file, or of a table by the rules of files, which are called by their arguments.
pub fn file(error: adjoin_formats::Error) -> Failure {
    use adjoin_formats::Error::*;
    match error {
        Numbers { file, error, .. } => core(&file)(*error),
        Map {
            fault: MapFault::Newer,
            ..
        } => Failure::File {
            message: format!("{error}: use a later version of adjoin"),
        },
        Read { .. } | Write { .. } | Map { .. } => Failure::File {
            message: error.to_string(),
        },
        error => Failure::Wrong {
            about: error.file().to_owned(),
            message: error.to_string(),
        },
    }
}
