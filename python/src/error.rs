//! From the errors of the core and of the files to Python's, in one place.

use std::io;

use adjoin_formats::MapFault;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

/// An error of the core as a ValueError that begins with the name of the argument at fault;
/// `argument` is the one that holds the proximities.
pub fn core(argument: &str) -> impl Fn(adjoin::Error) -> PyErr + '_ {
    use adjoin::Error::*;
    move |error| {
        let argument = match &error {
            Dimensions { .. } | NoDimensions => "n_components",
            Weight { .. } if argument == "X" => "origin",
            Weight { .. } => "weights",
            SelfSimilarity { .. } => "self_similarity",
            Neighbours { .. } => "n_neighbors",
            Radius { .. } => "radius",
            Landmark { .. } => "landmarks",
            Setting { what, .. } => match *what {
                "alpha" => "alpha",
                what if what.contains("gamma") => "gamma",
                what if what.contains("landmarks") => "n_landmarks",
                _ => "time",
            },
            NotOffered { what, .. } => match *what {
                "a correction" => "correction",
                "this affinity" => "affinity",
                "placing together" => "between",
                "a graph of neighbours" | "maxmin" => argument,
                _ => "strategy",
            },
            Length { what, .. } => match *what {
                "labels" | "labels of newcomers" => "labels",
                "self-similarities" => "self_similarity",
                "weights of old objects" => "weights",
                "points for an arc" => "points",
                what if what.contains("origin") => "origin",
                _ => argument,
            },
            _ => argument,
        };
        // scikit-learn's words for it, by which its users and its checks know the fault.
        let known = match &error {
            Entry { found, .. } if *found < 0.0 => "Negative values in data passed to ",
            _ => "",
        };
        PyValueError::new_err(format!("{known}{argument}: {error}"))
    }
}

/// An error of a file: OSError (with its subclasses) if the system refused, ValueError if what is
/// in it is at fault.
pub fn file(error: adjoin_formats::Error) -> PyErr {
    use adjoin_formats::Error::*;
    match &error {
        Read { file, source } | Write { file, source } => system(file, source),
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
