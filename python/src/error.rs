//! From the errors of the core and of the files to Python's, in one place.

use std::io;

use adjoin::{About, Error};
use adjoin_formats::MapFault;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};

/// The parameter that holds what an error is about; `objects` is the one that holds the objects.
fn parameter(about: About, objects: &str) -> &str {
    match about {
        About::Between => "between",
        About::Labels => "labels",
        About::Weights => "weights",
        About::SelfSimilarity => "self_similarity",
        About::Dimensions => "n_components",
        About::Method => "method",
        About::Kind => "kind",
        About::Origin => "origin",
        About::Correction => "correction",
        About::Configuration => "configuration",
        About::Link => "link",
        About::Measure => "metric",
        About::Landmarks => "landmarks",
        About::LandmarkCount => "n_landmarks",
        About::Rotation => "rotate",
        About::Neighbours => "n_neighbors",
        About::Radius => "radius",
        About::Disconnected => "disconnected",
        About::Affinity => "affinity",
        About::Gamma => "gamma",
        About::Alpha => "alpha",
        About::Diagonal => "diagonal",
        About::Time => "time",
        About::Strategy => "strategy",
        About::Proof => "prove",
        About::Points => "points",
        About::Generation => "generation",
        About::Uncertainty => "uncertainty",
        About::Old => "old",
        About::Nearest => "neighbours",
        About::Groups => "groups",
        About::Classes => "y",
        About::Folds => "folds",
        _ => objects,
    }
}

/// How things are called in messages.
#[derive(Clone, Copy)]
pub struct Naming<'a> {
    /// The argument that holds the old objects, or the newcomers.
    pub argument: &'a str,
    /// Whether the old objects have names; otherwise they are called by position, counted from 0 as NumPy counts.
    pub named: bool,
    /// The number of the first newcomer among all of which these are a part: rows are counted from the first of all.
    pub first: usize,
}

impl Naming<'_> {
    /// What a message of the core says, with objects by their names, or by position from 0 if they have none.
    fn said(&self, error: &Error) -> String {
        let mut message = error.to_string();
        for object in error.objects() {
            let (index, label) = (object.index, &object.label);
            let own = if *label == format!("new{}", index + 1) {
                format!("row {}", self.first + index)
            } else if !self.named && *label == (index + 1).to_string() {
                format!("object {index}")
            } else {
                format!("{label:?}")
            };
            message = message.replacen(&object.to_string(), &own, 1);
        }
        message
    }
}

/// An error of the core as a ValueError (MemoryError, where that is what is wanting) that begins with the name of the argument at fault.
pub fn core(naming: Naming<'_>) -> impl Fn(Error) -> PyErr + '_ {
    move |error| {
        let parameter = parameter(error.about(), naming.argument);
        if matches!(error, Error::Memory { .. }) {
            return PyMemoryError::new_err(format!("{parameter}: {error}"));
        }
        // scikit-learn's words for it, by which its users and its checks know the fault.
        let known = match &error {
            Error::Entry { found, .. } if *found < 0.0 => "Negative values in data passed to ",
            _ => "",
        };
        wrong(&format!("{known}{parameter}"), naming.said(&error))
    }
}

/// A ValueError about one argument.
pub fn wrong(argument: &str, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {what}"))
}

/// An error of a file, or of a table by the rules of files: OSError (with its subclasses) if the system refused,
/// ValueError if what is in it is at fault.
pub fn file(error: adjoin_formats::Error) -> PyErr {
    use adjoin_formats::Error::*;
    match error {
        Read { file, source } | Write { file, source } => system(&file, &source),
        Numbers { file, error, .. } => core(Naming {
            argument: &file,
            named: true,
            first: 0,
        })(*error),
        Map {
            fault: MapFault::Newer,
            ..
        } => PyValueError::new_err(format!("{error}: use a later version of adjoin")),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn system(file: &str, source: &io::Error) -> PyErr {
    // From the number of the error Python finds the subclass: FileNotFoundError and so on.
    match source.raw_os_error() {
        Some(number) => PyOSError::new_err((number, source.to_string(), file.to_owned())),
        None => PyErr::from(io::Error::new(source.kind(), format!("{file}: {source}"))),
    }
}
