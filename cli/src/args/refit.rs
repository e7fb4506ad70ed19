//! Flags of `refit`.

use std::path::PathBuf;

use clap::Args;

use super::{Reading, one_of};

pub const HELP: &str = "SQUARE has the proximities of everybody, old and new (of a map of features: a table of their features). They are fitted with the map's own settings, and the new map is turned, mirrored and shifted, but not scaled, so that the founders of MAP are as close as possible to where they were. How far they moved is said, and written by --json: Procrustes' statistic (the sum of their squared moves over the sum of their squared distances from their mean, 0 if nobody moved), the root mean square, and who moved farthest.

Examples:
  adjoin refit map.adjoin everybody.tsv -o map2.adjoin
  adjoin refit map.adjoin everybody.tsv -o map2.adjoin --json > moved.json";

/// Whether the new map is turned onto the old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Turned, mirrored and shifted.
    Procrustes,
    /// On its own axes.
    None,
}

impl Align {
    const ALL: [Align; 2] = [Align::Procrustes, Align::None];

    fn word(self) -> &'static str {
        match self {
            Align::Procrustes => "procrustes",
            Align::None => "none",
        }
    }
}

#[derive(Debug, Args)]
pub struct Refit {
    /// The map whose settings are taken and onto which the new one is turned.
    pub map: PathBuf,
    /// Everybody: their proximities to each other, or their features if the map was fitted to features.
    pub square: PathBuf,
    /// The map to write.
    #[arg(short, long, value_name = "MAP2")]
    pub output: PathBuf,
    /// Whether to turn the new map onto the old.
    #[arg(long, default_value = "procrustes", value_parser = one_of(Align::ALL, Align::word))]
    pub align: Align,
    /// Similarities without a diagonal: each object's similarity to itself, a file of labels and numbers, or one number for all.
    #[arg(long = "self", value_name = "FILE|NUMBER")]
    pub itself: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
}
