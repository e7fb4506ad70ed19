//! Flags of `evaluate`.

use std::path::PathBuf;

use adjoin::Strategy;
use adjoin_formats::Format;
use clap::Args;

use super::one_of;
use crate::groups::Choice;

pub const HELP: &str = "The old objects are divided into folds; each fold is placed, by every strategy, on a map that is fitted anew to the others with the map's own settings. OLD is what the map was fitted to, and is read as it was then (transformed, symmetrised, renamed).

The table has a row for each strategy: neighbours (of its 10 nearest on the map, the share that is among its 10 nearest as given), rank (Spearman's correlation of shown and given distances), between (relative stress among those of a fold; smaller is better), radius (median distance from the centre, new beside old), shown (sum of shown over given distances), error (relative stress to the old objects: what some strategies minimise, so no reason to choose one), unplaced (a share); with --labels also knn_fitted and knn_loo (how often 5 nearest find the class, old objects where they were fitted or at their leave-one-out places). Then what each has above project's, …_difference, and the standard errors of these, …_se.

It tells how well newcomers will be shown. It does not tell strategies apart better than the rule of docs/strategies.md does.

Examples:
  adjoin evaluate map.adjoin old.tsv
  adjoin evaluate map.adjoin old.tsv --labels metadata.tsv:habitat -o strategies.tsv
  adjoin evaluate map.adjoin old.tsv --groups metadata.tsv:patient --folds 5";

#[derive(Debug, Args)]
pub struct Evaluate {
    /// The map.
    pub map: PathBuf,
    /// What it was fitted to: proximities between the old objects, or their features.
    pub old: PathBuf,
    /// The table to write; the format is that of its extension, TSV if there is none.
    #[arg(short, long, default_value = "-", value_name = "TABLE")]
    pub output: PathBuf,
    /// Into how many folds the old objects are divided.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub folds: usize,
    /// How often they are divided [default: once from 500 objects on, more often below].
    #[arg(long, value_name = "N")]
    pub repeats: Option<usize>,
    /// Which strategies, divided by commas; project is always one of them.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "project,reconstruct", value_parser = one_of(Strategy::ALL, Strategy::word))]
    pub strategies: Vec<Strategy>,
    /// Keep objects with the same word in one fold: a table with labels in its first column.
    #[arg(long, value_name = "FILE[:COLUMN]")]
    pub groups: Option<Choice>,
    /// What is to be told from places: a word for each object, likewise.
    #[arg(long, value_name = "FILE[:COLUMN]")]
    pub labels: Option<Choice>,
    /// Which division into folds.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// The format of OLD, if it cannot be told from it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::ALL, Format::name))]
    pub format: Option<Format>,
    /// Names of the objects of an OLD without any, one a line.
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}
