//! The command line, as clap reads it. The words are those of the library and of the docs.

mod certainty;
mod evaluate;
mod fit;
mod grow;
mod look;
mod place;
mod refit;

pub use certainty::{Certainty, Varied};
pub use evaluate::Evaluate;
pub use fit::{Choose, Families, Fit, Measuring};
pub use grow::Grow;
pub use look::{Convert, Demo, Info, Man, Plot, Report, Shown};
pub use place::{Arc, Compare, Gather, Joining, New, Place, Shard, Telling, WithOld};
pub use refit::{Align, Refit};

use std::path::PathBuf;

use adjoin::{Run, Watch};
use adjoin_formats::{Adapt, ColumnChoice, Format, ReadOptions, Symmetrise, Transform};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

/// Add points to an existing map of objects, from their proximities to the old ones.
#[derive(Debug, Parser)]
#[command(
    name = "adjoin",
    version,
    max_term_width = 100,
    propagate_version = true
)]
#[command(after_help = "Start with:
  adjoin demo                                    the whole job on built-in data
  adjoin fit old.tsv -d 2 -o map.adjoin          a map of the old objects (PCoA)
  adjoin place map.adjoin new.tsv -o placed.tsv  newcomers; nothing old moves
  adjoin compare map.adjoin new.tsv              what the strategies say of each

Exit codes: 0; 1 bad data or a request that cannot be answered; 2 a command line that makes no sense; 3 a table with newcomers that could not be placed; 129, 130, 143 ended by a signal (HUP, INT, TERM), with nothing written.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// What the options of all commands stand under in their help.
const EVERYWHERE: &str = "Options of all commands";

#[derive(Debug, Clone, Args)]
pub struct Common {
    /// How many threads to use; 0 means one per core.
    #[arg(
        long,
        global = true,
        default_value_t = 0,
        value_name = "N",
        help_heading = EVERYWHERE
    )]
    pub threads: usize,
    /// How much memory to take at most, such as 500M or 8G; what the machine has left if nothing is said. A square array beyond
    /// it is fitted by passes over its file.
    #[arg(
        long,
        global = true,
        value_name = "SIZE",
        value_parser = crate::memory::size,
        help_heading = EVERYWHERE
    )]
    pub max_memory: Option<usize>,
    /// Say nothing but errors.
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = EVERYWHERE)]
    pub quiet: bool,
    /// Say more: what was found in the input, residuals, times.
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub verbose: bool,
    /// Write JSON for machines: tables as arrays of records, non-finite numbers as null.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
}

impl Common {
    /// The threads, and who is told.
    pub fn run<'a>(&self, watch: Watch<'a>) -> Run<'a> {
        Run::on(self.threads).told(watch)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the whole job on built-in data: road distances between 21 European cities.
    #[command(
        after_help = "Writes the input, the map and the tables to a folder, ready to play with."
    )]
    Demo(Demo),
    /// Fit a map to the proximities of the old objects.
    #[command(after_help = fit::HELP)]
    Fit(Fit),
    /// Place newcomers (supplementary, passive or query objects) on a map.
    #[command(visible_alias = "add", after_help = place::HELP)]
    Place(Place),
    /// Put the parts of `place --shard` together to the table of one run.
    #[command(
        after_help = "Parts of other maps, files or settings, gaps, overlaps and doubled labels are refused.

Example:
  adjoin gather part*.parquet -o placed.tsv --expect 8"
    )]
    Gather(Gather),
    /// Take newcomers in for good: a map on which they are members and nobody has moved.
    #[command(after_help = grow::HELP)]
    Grow(Grow),
    /// Fit everybody anew, turned onto the old map, and say how far its founders moved.
    #[command(after_help = refit::HELP)]
    Refit(Refit),
    /// Follow newcomers along their arcs, from projection to reconstruction.
    #[command(
        after_help = "Points are evenly spaced along the curve: the first is where `place --strategy project` places the newcomer, the last where `place --strategy reconstruct` does.

Example:
  adjoin arc map.adjoin new.tsv --points 50 -o arcs.tsv"
    )]
    Arc(Arc),
    /// Compare all strategies on each newcomer, and say whether it is like the old objects.
    #[command(
        after_help = "Without -o, a report for reading is printed, the newcomer least like the old objects first. With -o (or --json), a table with one row for each newcomer and strategy is written. Where it is known what is between the newcomers, they are placed jointly too.

Examples:
  adjoin compare map.adjoin new.tsv
  adjoin compare map.adjoin new.tsv --between between.tsv -o compared.tsv"
    )]
    Compare(Compare),
    /// Try strategies on the old objects: folds of them, placed on maps of the others.
    #[command(after_help = evaluate::HELP)]
    Evaluate(Evaluate),
    /// Draw the map, its newcomers and their arcs, as SVG, PNG or PDF for print.
    #[command(after_help = look::PLOT_HELP)]
    Plot(Plot),
    /// Write the interactive page: the map, its newcomers, and their arcs.
    #[command(after_help = look::REPORT_HELP)]
    Report(Report),
    /// Tell what a map holds, or what another file is taken for.
    #[command(after_help = "Examples:
  adjoin info map.adjoin
  adjoin info distances.h5")]
    Info(Info),
    /// Convert between file formats; a map as input gives the coordinates of its objects.
    #[command(after_help = "Examples:
  adjoin convert distances.phy distances.tsv
  adjoin convert distances.qza distances.parquet
  adjoin convert counts.tsv distances.tsv --metric braycurtis
  adjoin convert map.adjoin europe.ordination     for Emperor, QIIME 2 and scikit-bio")]
    Convert(Convert),
    /// Print a script that completes commands in your shell.
    #[command(
        after_help = "Example:\n  adjoin completions bash > ~/.local/share/bash-completion/completions/adjoin"
    )]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual: the page of a command, or of all of them.
    #[command(
        after_help = "Examples:\n  adjoin man | man -l -\n  adjoin man place | man -l -\n  adjoin man -o ~/.local/share/man/man1       then: man adjoin-place"
    )]
    Man(Man),
}

/// What a file of proximities is, if it does not say itself.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// The format of proximity files, if it cannot be told from them.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::ALL, Format::name))]
    pub format: Option<Format>,
    /// Labels for numbers without any, one a line or PLINK's two columns [default: the file .id or .labels.txt beside
    /// them, if there is one].
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Which array of an HDF5 file, a Zarr group or an .npz archive is meant.
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Which array of an HDF5 file has the labels.
    #[arg(long, value_name = "NAME")]
    labels_dataset: Option<String>,
    /// Labels for the columns of an array (.npy, HDF5, Zarr), one a line: they may then come in any order.
    #[arg(long, value_name = "FILE")]
    pub column_labels: Option<PathBuf>,
    /// Which array of an HDF5 file has the labels of the columns.
    #[arg(long, value_name = "NAME", conflicts_with = "column_labels")]
    column_labels_dataset: Option<String>,
    /// Exchange rows and columns.
    #[arg(long)]
    transpose: bool,
    /// Rename objects: a file of two columns, a label as it is in the file and as it is to be.
    #[arg(long, value_name = "FILE")]
    pub rename: Option<PathBuf>,
    /// What stands for pairs that the file does not have, in its own units: 0 for skani's and fastANI's identities.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    unlisted: Option<f64>,
    /// Make a square symmetric: of the two numbers of a pair take their mean, the smaller or the larger.
    #[arg(long, value_parser = one_of(Symmetrise::ALL, Symmetrise::word))]
    symmetrise: Option<Symmetrise>,
    /// Which columns of a list of pairs hold the two labels and the value, by number or name.
    #[arg(long, value_name = "A,B,VALUE", value_parser = parse_columns)]
    columns: Option<Columns>,
}

#[derive(Debug, Clone)]
struct Columns([ColumnChoice; 3]);

impl Reading {
    /// The adapters that were asked for, for the map to keep.
    pub fn in_words(&self) -> [(&'static str, Option<String>); 4] {
        [
            ("transpose", self.transpose.then(|| "true".to_owned())),
            (
                "rename",
                self.rename.as_ref().map(|f| f.display().to_string()),
            ),
            ("unlisted", self.unlisted.map(|v| v.to_string())),
            ("symmetrise", self.symmetrise.map(|s| s.word().to_owned())),
        ]
    }

    /// What was said about which numbers of the file are meant, and how they stand there.
    pub fn of_the_file(&self) -> [(&'static str, Option<String>); 5] {
        let columns = self.columns.as_ref();
        [
            ("format", self.format.map(|f| f.to_string())),
            ("dataset", self.dataset.clone()),
            ("labels-dataset", self.labels_dataset.clone()),
            ("column-labels-dataset", self.column_labels_dataset.clone()),
            ("columns", columns.map(|c| format!("{:?}", c.0))),
        ]
    }

    /// The same for the readers of files.
    pub fn options(&self, common: &Common) -> ReadOptions {
        ReadOptions {
            format: self.format,
            labels: self.labels.clone(),
            dataset: self.dataset.clone(),
            labels_dataset: self.labels_dataset.clone(),
            column_labels: self.column_labels.clone(),
            column_labels_dataset: self.column_labels_dataset.clone(),
            long_columns: self.columns.clone().map(|c| c.0),
            adapt: Adapt {
                transpose: self.transpose,
                rename: self.rename.clone(),
                unlisted: self.unlisted,
                symmetrise: self.symmetrise,
                transform: None,
            },
            threads: common.threads,
            digest: false,
            memory: common.max_memory.map(|most| most as u64),
        }
    }
}

/// What is done to each number; newcomers go through the same.
#[derive(Debug, Clone, Default, Args)]
pub struct Transforming {
    /// Change each number, here and of newcomers: similarities into dissimilarities, percentages into shares.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, value_parser = one_of(Transform::ALL, Transform::word))]
    pub transform: Option<Transform>,
}

/// One of the library's own words.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(word)).try_map(move |found| {
        let meant = all.into_iter().find(|value| word(*value) == found);
        meant.ok_or("no such word")
    })
}

fn parse_columns(text: &str) -> Result<Columns, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [a, b, value] = parts[..] else {
        return Err("expected three columns divided by commas, such as 1,2,3".into());
    };
    let choice = |s: &str| match s.parse() {
        Ok(choice) => choice,
        Err(never) => match never {},
    };
    Ok(Columns([choice(a), choice(b), choice(value)]))
}
