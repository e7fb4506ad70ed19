//! What can be wrong with a request for a picture.

use std::fmt;

/// A picture cannot be drawn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A width or height that is no size for a picture.
    Size {
        /// Which of them.
        what: &'static str,
        /// Millimetres.
        found: f64,
    },
    /// Dots per inch that give no picture, or one larger than can be held.
    Dots {
        /// Dots per inch.
        found: f64,
        /// Pixels across and down.
        pixels: [f64; 2],
    },
    /// Two lists that should go together do not.
    Length {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A column cannot be shown as is asked.
    Column {
        /// Its name.
        title: String,
        /// What it holds.
        found: &'static str,
        /// What it should hold, and for what.
        expected: &'static str,
    },
    /// PNG or PDF cannot be made from the SVG.
    Convert(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Size { what, found } => write!(
                f,
                "found a {what} of {found} mm, expected {} to {} mm",
                crate::SIZES.start(),
                crate::SIZES.end()
            ),
            Error::Dots {
                found,
                pixels: [across, down],
            } => write!(
                f,
                "found {found} dots per inch, which gives {across:.0} by {down:.0} pixels; expected \
                 at least 1 and at most {} pixels on either side",
                crate::MOST_PIXELS
            ),
            Error::Length {
                what,
                found,
                expected,
            } => write!(f, "found {found} {what}, expected {expected}"),
            Error::Column {
                title,
                found,
                expected,
            } => write!(
                f,
                "found {found} in the column {title}, expected {expected}"
            ),
            Error::Convert(why) => write!(f, "found an SVG that cannot be converted: {why}"),
        }
    }
}

impl std::error::Error for Error {}
