//! Flags of `place`, `arc` and `compare`, and how newcomers are told in all commands.

use std::path::PathBuf;

use adjoin::Strategy;
use clap::Args;

use super::{Certainty, Reading, one_of};
use crate::error::Error;
use crate::groups::Choice;

pub const HELP: &str = "NEW has a row for each newcomer and a column for each object of the map, matched by label in any order; or it is a square over old and new objects, from which the newcomers are taken. If the map was fitted to features, NEW is a table of features, matched by name (or proximities, with --proximities).

Strategies:
  project      where the newcomer falls in the map's own space; what the map
               cannot show is ignored (Gower 1968; as PCoA and kernel PCA extend)
  reconstruct  where its distances, and its distance from the centre, are best
               shown; found with a proof that no place is better
  hyperplane   the best-fitting hyperplane through all objects, old ones fixed
  augment      re-embed with the newcomer, then rotate back (OADP)
  stress       where distances are shown best by raw stress; on any
               configuration, whose coordinates are in the unit of NEW

The table: label, axis1…, strategy, lambda, objective, residual (the squared distance from the newcomer to the map's space), status (unique, pair, sphere, not_converged, not_applicable, too_few), known (by how many proximities it was placed), p (how likely an object like the old ones is to be as strange; p_outside: as far from the map's space, p_inside: as far out within it), and more. For reconstruct: stretch (by how much it is farther out on the last axis than its projection: above 2 that axis shows how long it is rather than where), jump (how far it is to its mirror image across that axis).

With --uncertainty: se1… (standard errors; the covariance itself in JSON and Parquet) and side (how likely a reconstruction is on the wrong side of the last axis). They say, given these axes, how far the old objects disagree about a place, not the error of measuring the newcomer itself. Where the axes themselves are uncertain a warning says so, and --uncertainty=refit --old OLD tells by refits.

Exit code 3 says that some newcomers could not be placed; they have a status and no coordinates. `adjoin add` is the same command.

Examples:
  adjoin place map.adjoin new.tsv -o placed.tsv
  adjoin place map.adjoin new.tsv --strategy reconstruct -o placed.csv
  adjoin place map.adjoin some.tsv --partial -o placed.tsv
  adjoin place map.adjoin new.tsv --neighbours 3 -o placed.tsv
  adjoin place map.adjoin new.tsv --groups metadata.tsv:habitat -o placed.tsv
  adjoin place map.adjoin new.tsv --with-old=loo -o all.tsv
  adjoin place map.adjoin new.tsv --uncertainty -o placed.json
  adjoin place map.adjoin new.tsv --uncertainty=refit --old old.tsv -o placed.tsv
  adjoin place map.adjoin new.tsv --between between.tsv -o placed.tsv
  adjoin place published.csv new.tsv --strategy stress -o placed.tsv
  adjoin place nmds.adjoin new.csv --prove -o placed.tsv
  adjoin place isomap.adjoin new_features.csv --jointly -o placed.tsv
  adjoin place map.adjoin new.npy --shard 3/8 -o part3.parquet
  adjoin place map.adjoin kernel.npy --self 1 --strategy reconstruct \\
      -o placed.parquet";

/// Where the old objects of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithOld {
    /// Where they were fitted.
    Fitted,
    /// Where each is placed without itself.
    Loo,
}

impl WithOld {
    const ALL: [WithOld; 2] = [WithOld::Fitted, WithOld::Loo];

    fn word(self) -> &'static str {
        match self {
            WithOld::Fitted => "fitted",
            WithOld::Loo => "loo",
        }
    }
}

/// A map, and its newcomers.
#[derive(Debug, Clone, Args)]
pub struct New {
    /// The map (for `place --strategy stress`, any file of labelled coordinates will do).
    pub map: PathBuf,
    /// The newcomers: their features if the map was fitted to features, otherwise their proximities to the old
    /// objects; - for standard input.
    pub new: PathBuf,
    #[command(flatten)]
    pub telling: Telling,
}

/// How newcomers are told.
#[derive(Debug, Clone, Args)]
pub struct Telling {
    /// NEW has proximities though the map was fitted to features.
    #[arg(long)]
    pub proximities: bool,
    /// NEW need not have a column for every old object: absent ones are missing proximities.
    #[arg(long)]
    pub partial: bool,
    /// Place on a map that has grown as it was at this generation, 0 being its founders [default: the newest whose objects
    /// NEW has columns for].
    #[arg(long, value_name = "G")]
    pub generation: Option<usize>,
    /// Each newcomer's similarity to itself: a file of labels and numbers, or one number for all [default: that of the
    /// old objects, if it is the same for all].
    #[arg(long = "self", value_name = "FILE|NUMBER")]
    pub itself: Option<String>,
    /// How far to trust each old object: a file of labels and weights.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Of features: what stands for those of the map that NEW does not have, such as 0 for counts.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub fill: Option<f64>,
    /// Of features: leave out those that the map does not have.
    #[arg(long)]
    pub ignore_new_features: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Whether newcomers are placed together.
#[derive(Debug, Clone, Args)]
pub struct Joining {
    /// Reconstruct all newcomers together, from what is between them: in NEW, or made from their features.
    #[arg(long)]
    pub jointly: bool,
    /// Proximities between the newcomers, to place them jointly.
    #[arg(long, value_name = "FILE")]
    pub between: Option<PathBuf>,
}

impl Joining {
    /// Whether newcomers are to be placed jointly, which no strategy that was `named` but reconstruct does.
    pub fn wanted(&self, named: Option<Strategy>) -> Result<bool, Error> {
        let wanted = self.jointly || self.between.is_some();
        if wanted && named.is_some_and(|s| s != Strategy::Reconstruct) {
            return Err(Error::Usage(
                "found a strategy beside --jointly, expected none: newcomers are placed jointly by reconstruct"
                    .into(),
            ));
        }
        Ok(wanted)
    }
}

/// One of several even parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, counted from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').map(|(i, n)| (i.parse(), n.parse()));
    match parts {
        Some((Ok(number), Ok(of))) if 0 < number && number <= of => Ok(Shard { number, of }),
        _ => Err("expected I/N with I from 1 to N, such as 3/8".into()),
    }
}

/// Parts of one table.
#[derive(Debug, Args)]
pub struct Gather {
    /// The parts that `adjoin place --shard` wrote, in any order.
    #[arg(required = true)]
    pub parts: Vec<PathBuf>,
    /// The table to write; the format is that of its extension, TSV if there is none.
    #[arg(short, long, default_value = "-", value_name = "OUT")]
    pub output: PathBuf,
    /// How many shards there must be.
    #[arg(long, value_name = "N")]
    pub expect: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Place {
    #[command(flatten)]
    pub new: New,
    /// The table to write; the format is that of its extension, TSV if there is none.
    #[arg(short, long, default_value = "-", value_name = "OUT")]
    pub output: PathBuf,
    /// How to place the newcomers [default: project, reconstruct if jointly, or stress on a map with a link].
    #[arg(long, value_parser = one_of(Strategy::ALL, Strategy::word))]
    pub strategy: Option<Strategy>,
    #[command(flatten)]
    pub joining: Joining,
    /// stress, on at most 3 axes: prove that no place is better, or find the one that is (columns certified and gap; at most
    /// 200 000 boxes are searched for each newcomer).
    #[arg(long, conflicts_with_all = ["jointly", "between"])]
    pub prove: bool,
    #[command(flatten)]
    pub certainty: Certainty,
    /// One row for each of the equally good places of a newcomer; with --uncertainty also for the place on the other side of the
    /// last axis, where that is uncertain and far.
    #[arg(long)]
    pub all_minimisers: bool,
    /// Put the old objects into the table too, first: where they are (fitted), or where each would be if it came to the map of
    /// the others (loo), which is what newcomers compare with.
    #[arg(
        long,
        value_name = "fitted|loo",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "fitted",
        value_parser = one_of(WithOld::ALL, WithOld::word)
    )]
    pub with_old: Option<WithOld>,
    /// The K old objects that each newcomer is nearest to: columns nearest1, nearest1_given (the proximity as it was given, after the map's --transform),
    /// nearest1_shown (the distance on the map), and so on.
    #[arg(long, value_name = "K", visible_alias = "neighbors")]
    pub neighbours: Option<usize>,
    /// A word for each old object, from a table with labels in its first column: columns group (by vote of the K nearest on the
    /// map, 5 if nothing else is said), group_accuracy (of the same vote on the old objects), vote_… and distance_… of each group.
    #[arg(long, value_name = "FILE[:COLUMN]")]
    pub groups: Option<Choice>,
    /// Fail, and write nothing, if some newcomer cannot be placed.
    #[arg(long)]
    pub strict: bool,
    /// Place only the I-th of N even parts of the newcomers, counted from 1, and write a part (.parquet) for `gather`.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, conflicts_with_all = ["jointly", "between", "with_old", "strict"])]
    pub shard: Option<Shard>,
    /// Leave a part alone that is there, whole, and of the same run.
    #[arg(long, requires = "shard")]
    pub resume: bool,
    /// Write beside OUT where it comes from: OUT.provenance.json.
    #[arg(long)]
    pub provenance: bool,
    /// For .ordination: a table of numbers with the old objects' labels in its first column, whose biplot scores are written
    /// too; Emperor draws them as arrows.
    #[arg(long, value_name = "TABLE", conflicts_with = "shard")]
    pub variables: Option<PathBuf>,
    /// augment: centre on the newcomer too (κ = n/(n+1)) instead of keeping the origin.
    #[arg(long)]
    pub recentre: bool,
    /// augment: scale as well as rotate, as published (Zhang, Dey & Lee 2020).
    #[arg(long)]
    pub scaled: bool,
}

#[derive(Debug, Args)]
pub struct Arc {
    #[command(flatten)]
    pub new: New,
    /// The table to write.
    #[arg(short, long, default_value = "-", value_name = "OUT")]
    pub output: PathBuf,
    /// Points on each arc.
    #[arg(long, default_value_t = 21, value_name = "N")]
    pub points: usize,
}

#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub new: New,
    #[command(flatten)]
    pub joining: Joining,
    /// A table to write instead of the report.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}
