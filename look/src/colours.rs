//! The colour of each object by a column, on white.

use crate::column::{Column, Kind};
use crate::table::{look, on_ramp, palette};

/// How objects are coloured, old ones first.
#[derive(Debug, Clone, PartialEq)]
pub enum Colours {
    /// Words and the colour of each; how many more words share the last.
    Classes {
        /// The words.
        words: Vec<String>,
        /// Their colours.
        colours: Vec<String>,
        /// Which of them each object has; codes beyond the last are others.
        codes: Vec<Option<u32>>,
        /// How many words have no colour of their own.
        beyond: usize,
    },
    /// Numbers and their range.
    Scale {
        /// The number of each object.
        numbers: Vec<f64>,
        /// The smallest and the largest.
        range: [f64; 2],
        /// Whether they are days since 1970.
        dates: bool,
    },
}

/// Shades of a scale: more than the eye tells apart, few enough for a small file.
const SHADES: f64 = 64.0;

impl Colours {
    /// The colours of a column.
    pub fn of(read: Column) -> Self {
        if let (true, Some(range)) = (read.words.is_empty(), read.range()) {
            return Colours::Scale {
                dates: read.kind == Kind::Dates,
                numbers: read.numbers,
                range,
            };
        }
        let own = palette(&look().classes.light, read.words.len());
        let shown = read.words.len().min(own.len());
        let last = (shown as f64 - 1.0).max(1.0);
        let colours = match read.kind {
            Kind::Ordered => (0..shown).map(|i| shade(i as f64 / last)).collect(),
            _ => own[..shown].to_vec(),
        };
        Colours::Classes {
            beyond: read.words.len() - shown,
            words: read.words[..shown].to_vec(),
            colours,
            codes: read.codes,
        }
    }

    /// The colour of an object, old ones first.
    pub fn colour(&self, at: usize) -> String {
        match self {
            Colours::Classes { colours, codes, .. } => {
                let own = codes[at].and_then(|c| colours.get(c as usize));
                own.map_or_else(|| look().other.light.as_str().to_owned(), String::clone)
            }
            Colours::Scale {
                numbers,
                range: [low, high],
                ..
            } => {
                // Halves first: the ends may be farther apart than any number.
                let share = (numbers[at] / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                if numbers[at].is_nan() {
                    look().other.light.as_str().to_owned()
                } else {
                    let share = if high > low { share } else { 0.5 };
                    shade((share * SHADES).round() / SHADES)
                }
            }
        }
    }

    /// The class of an object, if it has a colour of its own.
    pub fn class(&self, at: usize) -> Option<usize> {
        match self {
            Colours::Classes { codes, words, .. } => {
                codes[at].map(|c| c as usize).filter(|c| *c < words.len())
            }
            Colours::Scale { .. } => None,
        }
    }

    /// Classes that have no colour of their own.
    pub fn beyond(&self) -> usize {
        match self {
            Colours::Classes { beyond, .. } => *beyond,
            Colours::Scale { .. } => 0,
        }
    }

    /// Whether some objects have no value.
    pub fn misses(&self) -> bool {
        match self {
            Colours::Classes { codes, .. } => codes.iter().any(Option::is_none),
            Colours::Scale { numbers, .. } => numbers.iter().any(|v| v.is_nan()),
        }
    }
}

fn shade(share: f64) -> String {
    on_ramp(&look().ramp.light, share)
}
