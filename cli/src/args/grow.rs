//! Flags of `grow`.

use std::path::PathBuf;

use adjoin::Strategy;
use clap::Args;

use super::{Joining, New, one_of};

pub const HELP: &str = "The newcomers of NEW are placed as `place` would place them, and become members of MAP2: nobody moves, and whoever comes later is compared with them too. MAP2 keeps who came when; `info` tells it.

NEW has a column for each object of the map, or for the founders (those whom the map was fitted to) and the members up to some generation: then they are placed on the map as it was then. So can a laboratory that has only the published samples at hand go on sending theirs, to `place` and to `grow`.

Maps of Isomap and Laplacian eigenmaps cannot grow: a new member would move the others. A map of features grows by features; a map of landmarks by proximities to the landmarks, and gets objects, not landmarks.

Examples:
  adjoin grow map.adjoin spring.tsv -o map2.adjoin
  adjoin grow map2.adjoin summer.tsv --strategy reconstruct -o map3.adjoin
  adjoin grow map.adjoin new.tsv --between between.tsv -o map2.adjoin
  adjoin place map3.adjoin new.tsv --generation 0 -o placed.tsv";

#[derive(Debug, Args)]
pub struct Grow {
    #[command(flatten)]
    pub new: New,
    /// The map to write.
    #[arg(short, long, value_name = "MAP2")]
    pub output: PathBuf,
    /// How to place the newcomers [default: project, or reconstruct if jointly].
    #[arg(long, value_parser = one_of(Strategy::ALL, Strategy::word))]
    pub strategy: Option<Strategy>,
    #[command(flatten)]
    pub joining: Joining,
}
