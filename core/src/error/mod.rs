//! What can be wrong with a question. Everything that is merely remarkable about an *answer* (not
//! unique, not converged, not applicable to one newcomer) is a status of that answer instead.
//!
//! Every message reads `found …, expected …` and names the object, so that a front end has only to
//! put the file and the line before it; [`Error::row`] says which row that is.

mod message;

use std::fmt;

/// An object, by its place and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Counted from 0.
    pub index: usize,
    /// As the caller gave it.
    pub label: String,
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As a string literal: a hostile label cannot write to the terminal.
        write!(f, "{:?} (number {})", self.label, self.index + 1)
    }
}

/// What a question is malformed about: a front end finds its own word for it (a flag, a parameter) by one match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum About {
    /// The objects that were handed over: the old ones when fitting, newcomers when placing.
    Objects,
    /// What is between the newcomers.
    Between,
    /// Labels.
    Labels,
    /// How far old objects are trusted.
    Weights,
    /// Newcomers' similarities to themselves.
    SelfSimilarity,
    /// The number of axes.
    Dimensions,
    /// The method.
    Method,
    /// The kind of proximities.
    Kind,
    /// The origin.
    Origin,
    /// A correction.
    Correction,
    /// A configuration that was given.
    Configuration,
    /// The link from dissimilarities to the distances of a given configuration.
    Link,
    /// The metric or kernel, or a parameter of it.
    Measure,
    /// What an eigensolver may leave.
    Tolerance,
    /// Which objects are landmarks.
    Landmarks,
    /// How many landmarks.
    LandmarkCount,
    /// Whether a map of landmarks is turned.
    Rotation,
    /// How many neighbours.
    Neighbours,
    /// The radius of neighbourhoods.
    Radius,
    /// What to do with a graph in pieces.
    Disconnected,
    /// How proximities become similarities.
    Affinity,
    /// γ of the heat kernel.
    Gamma,
    /// How much of the sampling density is taken off.
    Alpha,
    /// Whether an object is similar to itself.
    Diagonal,
    /// The time of a diffusion.
    Time,
    /// The strategy.
    Strategy,
    /// Whether a proof is wanted.
    Proof,
    /// How many points of an arc.
    Points,
    /// Which generation of a map that has grown.
    Generation,
    /// How certain places are.
    Uncertainty,
    /// The old objects' proximities, beside newcomers.
    Old,
    /// How many of the nearest old objects.
    Nearest,
    /// The groups of old objects.
    Groups,
    /// What is to be told from places: the classes of old objects.
    Classes,
    /// How many folds, or how often.
    Folds,
    /// Nothing that was handed over: the work itself.
    Work,
}

/// A malformed question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// One proximity is not what it may be.
    Entry {
        /// The object of the row.
        row: Object,
        /// The object of the column.
        column: Object,
        /// The number there.
        found: f64,
        /// What may stand there.
        expected: &'static str,
    },
    /// Two mirrored proximities differ by more than rounding.
    Asymmetric {
        /// The object of the row.
        row: Object,
        /// The object of the column.
        column: Object,
        /// The entry, and its mirror image.
        found: (f64, f64),
    },
    /// Old proximities must be a square.
    NotSquare {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },
    /// There are too few objects.
    TooFewObjects {
        /// How many there are.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Something has the wrong length.
    Length {
        /// What it is about.
        about: About,
        /// What it is.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// Two objects have one label.
    DoubledLabel {
        /// The first of them.
        first: Object,
        /// The second.
        second: usize,
    },
    /// More axes were asked for than there are positive eigenvalues, or none.
    Dimensions {
        /// Axes asked for.
        asked: usize,
        /// Axes that can be had.
        available: usize,
    },
    /// No axes were asked for.
    NoDimensions,
    /// A coordinate of a given configuration is not a number.
    Coordinate {
        /// Whose.
        object: Object,
        /// On which axis, counted from 0.
        axis: usize,
        /// What stands there.
        found: f64,
    },
    /// A given configuration does not fill its axes.
    Flat {
        /// The dimensions that it spans.
        found: usize,
        /// The axes that it has.
        expected: usize,
    },
    /// What is wrong with the old objects' proximities that were given beside newcomers.
    Old(Box<Error>),
    /// The old objects' proximities are not those that the diagram was fitted to.
    OldPart {
        /// The first object that differs.
        object: Object,
        /// What was compared.
        what: &'static str,
        /// Its value here.
        found: f64,
        /// Its value on the map.
        expected: f64,
    },
    /// A weight is not what it may be.
    Weight {
        /// What it is about.
        about: About,
        /// Whose weight; none if it is about all of them.
        object: Option<Object>,
        /// The number.
        found: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A similarity diagram needs the newcomer's similarity to itself.
    SelfSimilarity {
        /// The newcomer without one.
        newcomer: Object,
        /// What was asked for that needs it.
        strategy: &'static str,
    },
    /// The strategy, or an option of it, cannot be had for this diagram.
    NotOffered {
        /// What it is about.
        about: About,
        /// What was asked for.
        what: &'static str,
        /// Why not, as `found …, expected …`.
        why: String,
    },
    /// One feature of one object is not what it may be.
    Feature {
        /// Whose.
        object: Object,
        /// The feature's name.
        feature: String,
        /// What stands there.
        found: f64,
        /// What may stand there.
        expected: &'static str,
    },
    /// The features of one object, taken together, are not what a measure asks for.
    Features {
        /// Whose.
        object: Object,
        /// What they are.
        found: String,
        /// What they should be.
        expected: &'static str,
    },
    /// The names of features are not those that are needed.
    FeatureName {
        /// What is wrong with which name.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// No such metric or kernel, or a parameter that it cannot have; as `found …, expected …`.
    Measure(String),
    /// A number of neighbours that cannot be had.
    Neighbours {
        /// Neighbours asked for.
        found: usize,
        /// The fewest that link anything.
        least: usize,
        /// The most that there are.
        most: usize,
        /// Among how many objects.
        objects: usize,
    },
    /// A radius within which there can be no neighbours.
    Radius {
        /// The radius.
        found: f64,
    },
    /// The graph of neighbours falls apart.
    Disconnected {
        /// The sizes of its components, descending.
        sizes: Vec<usize>,
        /// The first object outside the largest.
        outside: Object,
    },
    /// A setting is not a number that it may be.
    Setting {
        /// What it is about.
        about: About,
        /// Which.
        what: &'static str,
        /// The number.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// An object is similar to no other.
    Alone {
        /// Which.
        object: Object,
    },
    /// An object is not one of those there are, or is named twice.
    Landmark {
        /// Its number, counted from 0.
        found: usize,
        /// How many objects there are.
        objects: usize,
        /// Whether it is there, but twice.
        doubled: bool,
    },
    /// What is between the newcomers is not what it may be.
    Between(Box<Error>),
    /// Settings that do not go together.
    Together {
        /// What should be otherwise.
        about: About,
        /// As `found …, expected …`.
        why: String,
    },
    /// The numbers contradict what was said of them.
    Contradicted {
        /// What was said.
        about: About,
        /// As `found …, expected …`.
        why: String,
    },
    /// Proximities so large or so small that what is computed from them is no number, or zero.
    Scale {
        /// Whose; none if it is about all of them.
        object: Option<Object>,
        /// The length that they amount to.
        found: f64,
        /// What lengths may be.
        expected: &'static str,
    },
    /// Parts of a stored diagram contradict each other.
    Inconsistent(String),
    /// The eigenvalues could not be computed.
    Eigen(String),
    /// More numbers than there is memory for.
    Memory {
        /// Rows of them.
        rows: usize,
        /// Numbers in each.
        columns: usize,
    },
    /// The caller stopped the work.
    Stopped,
}

impl Error {
    /// What the question is malformed about.
    pub fn about(&self) -> About {
        match self {
            Error::Length { about, .. }
            | Error::Weight { about, .. }
            | Error::NotOffered { about, .. }
            | Error::Setting { about, .. }
            | Error::Contradicted { about, .. }
            | Error::Together { about, .. } => *about,
            Error::Between(_) => About::Between,
            Error::Old(_) => About::Old,
            Error::Dimensions { .. } | Error::NoDimensions => About::Dimensions,
            Error::Coordinate { .. } | Error::Flat { .. } => About::Configuration,
            Error::SelfSimilarity { .. } => About::SelfSimilarity,
            Error::Measure(_) => About::Measure,
            Error::Neighbours { .. } => About::Neighbours,
            Error::Radius { .. } => About::Radius,
            Error::Landmark { .. } => About::Landmarks,
            Error::Inconsistent(_) | Error::Eigen(_) | Error::Memory { .. } | Error::Stopped => {
                About::Work
            }
            Error::Entry { .. }
            | Error::Scale { .. }
            | Error::Asymmetric { .. }
            | Error::NotSquare { .. }
            | Error::TooFewObjects { .. }
            | Error::DoubledLabel { .. }
            | Error::OldPart { .. }
            | Error::Feature { .. }
            | Error::Features { .. }
            | Error::FeatureName { .. }
            | Error::Disconnected { .. }
            | Error::Alone { .. } => About::Objects,
        }
    }

    /// The objects that the message names, in its order.
    pub fn objects(&self) -> Vec<&Object> {
        match self {
            Error::Entry { row, column, .. } | Error::Asymmetric { row, column, .. } => {
                vec![row, column]
            }
            Error::Coordinate { object, .. }
            | Error::OldPart { object, .. }
            | Error::Alone { object }
            | Error::Disconnected {
                outside: object, ..
            }
            | Error::Feature { object, .. }
            | Error::Features { object, .. } => vec![object],
            Error::SelfSimilarity { newcomer, .. } => vec![newcomer],
            Error::Weight { object, .. } => object.iter().collect(),
            Error::Between(error) | Error::Old(error) => error.objects(),
            _ => Vec::new(),
        }
    }

    /// The row of the input that is at fault, if it is one row.
    pub fn row(&self) -> Option<usize> {
        match self {
            Error::Entry { row, .. } | Error::Asymmetric { row, .. } => Some(row.index),
            Error::DoubledLabel { second, .. } => Some(*second),
            Error::Coordinate { object, .. }
            | Error::Alone { object }
            | Error::Disconnected {
                outside: object, ..
            }
            | Error::Feature { object, .. }
            | Error::Features { object, .. } => Some(object.index),
            Error::SelfSimilarity { newcomer, .. } => Some(newcomer.index),
            Error::Weight { object, .. } | Error::Scale { object, .. } => {
                object.as_ref().map(|o| o.index)
            }
            Error::Between(error) => error.row(),
            _ => None,
        }
    }
}

impl std::error::Error for Error {}
