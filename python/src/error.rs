//! From the errors of the core and of the files to Python's, in one place.

use std::io;

use adjoin::{About, Error};
use adjoin_formats::MapFault;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

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
        About::Points => "points",
        _ => objects,
    }
}

/// An error of the core as a ValueError that begins with the name of the argument at fault; `objects` is the one that
/// holds the old objects or the newcomers.
pub fn core(objects: &str) -> impl Fn(Error) -> PyErr + '_ {
    move |error| {
        let parameter = parameter(error.about(), objects);
        // scikit-learn's words for it, by which its users and its checks know the fault.
        let known = match &error {
            Error::Entry { found, .. } if *found < 0.0 => "Negative values in data passed to ",
            _ => "",
        };
        wrong(&format!("{known}{parameter}"), error)
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
        Numbers { file, error, .. } => core(&file)(*error),
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
