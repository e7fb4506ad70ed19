//! The command line, as clap reads it. The words are those of the library and of the docs.

use std::path::PathBuf;

use adjoin_formats::{ColumnChoice, Format};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Add points to an existing map of objects, from their proximities to the old ones.
#[derive(Debug, Parser)]
#[command(
    name = "adjoin",
    version,
    max_term_width = 100,
    propagate_version = true
)]
#[command(
    after_help = "Start with:\n  adjoin demo                                   the whole job on built-in data
  adjoin fit old.tsv -d 2 -o map.adjoin         a map of the old objects, by classical scaling (PCoA)
  adjoin add map.adjoin new.tsv -o placed.tsv   newcomers on that map; nothing old moves
  adjoin compare map.adjoin new.tsv             what the strategies say of each newcomer"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Clone, Args)]
pub struct Common {
    /// How many threads to use; 0 means one per core.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Say nothing but errors.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: what was found in the input, residuals, times.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Write JSON for machines: tables as arrays of records, non-finite numbers as null.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the whole job on built-in data: road distances between 21 European cities.
    #[command(
        after_help = "Writes the input, the map and the tables to a folder, ready to play with."
    )]
    Demo(Demo),
    /// Fit a map to the proximities of the old objects.
    #[command(after_help = FIT_HELP)]
    Fit(Fit),
    /// Add newcomers to a map.
    #[command(after_help = ADD_HELP)]
    Add(Add),
    /// Follow newcomers along their arcs, from projection to reconstruction.
    #[command(
        after_help = "Points are evenly spaced along the curve: the first is where `add --strategy project` places
the newcomer, the last where `add --strategy reconstruct` does.

Example:
  adjoin arc map.adjoin new.tsv --points 50 -o arcs.tsv"
    )]
    Arc(Arc),
    /// Compare all strategies on each newcomer, and say how foreign it is to the map.
    #[command(
        after_help = "Without -o, a report for reading is printed. With -o (or --json), a table with one row for each
newcomer and strategy is written.

Examples:
  adjoin compare map.adjoin new.tsv
  adjoin compare map.adjoin new.tsv --between between.tsv -o compared.tsv"
    )]
    Compare(Compare),
    /// Draw the map, its newcomers and their arcs, as SVG, PNG or PDF for print.
    #[command(after_help = PLOT_HELP)]
    Plot(Plot),
    /// Write the interactive page: the map, its newcomers, and their arcs.
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Tell what a map holds.
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
    /// Print the manual page.
    #[command(after_help = "Example:\n  adjoin man | man -l -")]
    Man,
}

const FIT_HELP: &str =
    "The input is a square of proximities with labels: a table (tab, comma, semicolon or blanks), a
triangle, PHYLIP, a list of pairs (--format long), .npy, Parquet, or a QIIME 2 .qza; gzipped or not.
What the numbers are is said by --kind and never guessed.
With --metric, --kernel or --method pca it is a table of features instead: a row for each object, a
column for each feature (.npy and Parquet too); the map keeps them, and newcomers come as features.

Methods:
  cmds        classical scaling of the proximities (PCoA)
  pca         principal components of features
  kernel-pca  classical scaling of a kernel
  landmark    classical scaling of --landmarks, the others projected; also from n × L proximities
  isomap      classical scaling of paths through a graph of --neighbors or --radius
  laplacian   Laplacian eigenmaps; diffusion maps with --time

Examples:
  adjoin fit distances.tsv -d 2 -o map.adjoin
  adjoin fit kernel.npy --labels names.txt --kind similarity -d 10 -o map.adjoin
  adjoin fit distances.tsv --configuration published.ordination -o map.adjoin
  adjoin fit counts.tsv --metric braycurtis -d 2 -o map.adjoin
  adjoin fit features.npy --metric euclidean --method landmark --landmarks 500 -d 10 -o map.adjoin
  adjoin fit features.csv --metric euclidean --method isomap --neighbors 10 -d auto -o map.adjoin
  mash dist refs.msh refs.msh | adjoin fit - --format long -d 3 -o map.adjoin";

const ADD_HELP: &str = "NEW has a row for each newcomer and a column for each object of the map, matched by label in any
order; or it is a square over old and new objects, from which the newcomers are taken. If the map was
fitted to features, NEW is a table of features, matched by name (or proximities, with --proximities).

Strategies:
  project      where the newcomer falls in the map's own space; differences the map cannot show
               are ignored (Gower 1968; the same as PCoA, kernel PCA and Landmark MDS extensions)
  reconstruct  where the newcomer's distances, and its distance from the centre, are best shown;
               found with a proof that no place is better
  hyperplane   the best-fitting hyperplane through all objects with the old ones held fixed
  augment      re-embed with the newcomer, then rotate back (OADP)
  stress       the place where distances are shown best by raw stress; works on any configuration

The table: label, axis1…, strategy, lambda, objective, residual (the squared distance from the newcomer
to the map's space), status (unique, pair, sphere, not_converged, not_applicable, too_few), and more.
Exit code 3 says that some newcomers could not be placed; they have a status and no coordinates.

Examples:
  adjoin add map.adjoin new.tsv -o placed.tsv
  adjoin add map.adjoin new.tsv --strategy reconstruct --all-minimisers -o placed.csv
  adjoin add map.adjoin new.tsv --jointly between.tsv -o placed.tsv
  adjoin add published.csv new.tsv --strategy stress -o placed.tsv
  adjoin add isomap.adjoin new_features.csv --jointly -o placed.tsv
  adjoin add map.adjoin kernel.npy --self 1 --strategy reconstruct -o placed.parquet";

const PLOT_HELP: &str = "The format is that of the extension: .svg, .png or .pdf. One unit is as long on one axis as on the other,
labels do not overlap (above 50 objects some are left out, newcomers' last), and text is 7 points high in print.

Without --strategy each newcomer is drawn where it is projected and where it is reconstructed, with the arc
between them; --strategy project draws projections alone; another strategy is drawn in the place of
reconstruct, with a line from the projection.

Examples:
  adjoin plot map.adjoin new.tsv -o figure.pdf
  adjoin plot map.adjoin new.tsv --metadata samples.tsv --colour-by habitat --width 183 -o figure.svg
  adjoin plot map.adjoin all.tsv --jointly --axes 1,3 --dpi 600 -o figure.png
  adjoin plot map.adjoin -o figure.svg                     the map alone";

const REPORT_HELP: &str = "One HTML file that opens from disk and needs no network: the map with pan and zoom, a slider that moves all
newcomers along their arcs from projection to reconstruction, given against shown distances of the newcomer you
choose, newcomers ranked by how foreign they are, the spectrum, and what was done for a methods section.

Examples:
  adjoin report map.adjoin new.tsv -o page.html
  adjoin report map.adjoin new.tsv --metadata samples.tsv --title \"Soil samples\" -o page.html
  adjoin report map.adjoin all.tsv --jointly -o page.html
  adjoin report map.adjoin -o page.html                    the map alone";

/// What a file of proximities is, if it does not say itself.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// The format of proximity files, if it cannot be told from them.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub format: Option<Format>,
    /// Labels, one a line, for a .npy file without any.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Which columns of a list of pairs hold the two labels and the value, by number or name.
    #[arg(long, value_name = "A,B,VALUE", value_parser = parse_columns)]
    pub columns: Option<Columns>,
}

#[derive(Debug, Clone)]
pub struct Columns(pub [ColumnChoice; 3]);

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder to write to.
    #[arg(short, long, default_value = "adjoin-demo", value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct Fit {
    /// Proximities between the old objects, or their features (with --metric, --kernel or --method pca); - for
    /// standard input.
    #[arg(required_unless_present = "configuration")]
    pub old: Option<PathBuf>,
    /// The number of axes, or `auto` for as many as the profile likelihood of the eigenvalues suggests.
    #[arg(
        short,
        long,
        value_name = "N|auto",
        value_parser = parse_axes,
        required_unless_present = "configuration"
    )]
    pub dimensions: Option<Axes>,
    /// The map to write.
    #[arg(short, long, value_name = "MAP")]
    pub output: PathBuf,
    /// The family of the map [default: cmds, or kernel-pca with --kernel].
    #[arg(long, value_enum)]
    pub method: Option<Method>,
    /// What proximities are [default: dissimilarity; features have the kind of their measure].
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    #[command(flatten)]
    pub measuring: Measuring,
    /// Where the origin is: the label of an old object, or a file of weights that sum to 1.
    #[arg(long, value_name = "LABEL|FILE")]
    pub origin: Option<String>,
    /// Make dissimilarities Euclidean before fitting, and newcomers alike.
    #[arg(long, value_enum, default_value_t = Correction::None)]
    pub correction: Correction,
    /// Take this configuration (coordinates with labels) instead of fitting one.
    #[arg(long, value_name = "FILE")]
    pub configuration: Option<PathBuf>,
    #[command(flatten)]
    pub family: Family,
    /// Which eigensolver: by size, all eigenvalues, or only the largest.
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    pub solver: Solver,
    #[command(flatten)]
    pub reading: Reading,
}

/// How many axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    Number(usize),
    Auto,
}

/// How proximities are made from features.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Features")]
pub struct Measuring {
    /// Compare features by this metric: euclidean, sqeuclidean, cityblock, chebyshev, minkowski, cosine, correlation,
    /// braycurtis, canberra, jaccard, tanimoto, ruzicka, hamming, aitchison; texts: levenshtein, jaro-winkler.
    #[arg(long, value_name = "NAME", conflicts_with = "kernel")]
    pub metric: Option<String>,
    /// Compare features by this kernel: linear, rbf, laplacian, poly, sigmoid, cosine, tanimoto, minmax.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// γ of the kernels rbf, laplacian, poly and sigmoid, and of the heat kernel [default: 1 / number of features].
    #[arg(long, value_name = "G")]
    pub gamma: Option<f64>,
    /// The degree of the kernel poly [default: 3].
    #[arg(long, value_name = "N")]
    pub degree: Option<f64>,
    /// The constant of the kernels poly and sigmoid [default: 1].
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub coef0: Option<f64>,
    /// The power of the metric minkowski [default: 2].
    #[arg(long, value_name = "P")]
    pub power: Option<f64>,
}

/// Options of landmark MDS, Isomap and Laplacian eigenmaps.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Families")]
pub struct Family {
    /// landmark, isomap: how many landmarks, or a file of their labels.
    #[arg(long, value_name = "N|FILE")]
    pub landmarks: Option<String>,
    /// How landmarks are chosen [default: maxmin].
    #[arg(long, value_enum, requires = "landmarks")]
    pub choose: Option<Choose>,
    /// The seed of that choice [default: 0].
    #[arg(long, value_name = "N", requires = "landmarks")]
    pub seed: Option<u64>,
    /// Turn all objects about landmarks to their own principal axes.
    #[arg(long)]
    pub rotate: bool,
    /// isomap, laplacian: neighbours are the K nearest.
    #[arg(
        long,
        value_name = "K",
        visible_alias = "neighbours",
        conflicts_with = "radius"
    )]
    pub neighbors: Option<usize>,
    /// isomap, laplacian: neighbours are all within R.
    #[arg(long, value_name = "R")]
    pub radius: Option<f64>,
    /// What to do with a graph that falls apart [default: refuse].
    #[arg(long, value_enum)]
    pub disconnected: Option<Disconnected>,
    /// laplacian: how similar objects are [default: given for similarities, neighbours with neighbours and no
    /// --gamma, otherwise heat].
    #[arg(long, value_enum)]
    pub affinity: Option<Affinity>,
    /// laplacian: how much of the sampling density to take off, from 0 (nothing, the default) to 1.
    #[arg(long, value_name = "A")]
    pub alpha: Option<f64>,
    /// laplacian: coordinates of the random walk at time T (a diffusion map; 0 is Belkin and Niyogi's eigenmap).
    #[arg(long, value_name = "T")]
    pub time: Option<f64>,
    /// laplacian: no object is similar to itself (as scikit-learn's SpectralEmbedding has it).
    #[arg(long)]
    pub no_diagonal: bool,
}

/// Families of maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Classical scaling, also called PCoA.
    Cmds,
    /// Principal components of features.
    Pca,
    /// Kernel PCA.
    KernelPca,
    /// Landmark MDS.
    Landmark,
    /// Isomap, with --landmarks landmark Isomap.
    Isomap,
    /// Laplacian eigenmaps and diffusion maps.
    Laplacian,
}

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choose {
    /// At random.
    Random,
    /// Each next one the farthest from those before.
    Maxmin,
}

/// What to do with a graph that falls apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Disconnected {
    /// Fail.
    Refuse,
    /// Keep the largest component.
    Largest,
    /// Join the components by their nearest pairs.
    Join,
}

/// How similar objects are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Affinity {
    /// exp(−γδ²).
    Heat,
    /// 1 between neighbours.
    Neighbours,
    /// As given.
    Given,
}

/// How newcomers are told.
#[derive(Debug, Clone, Args)]
pub struct New {
    /// The map (for `add --strategy stress`, any file of labelled coordinates will do).
    pub map: PathBuf,
    /// The newcomers: their features if the map was fitted to features, otherwise their proximities to the old
    /// objects; - for standard input.
    pub new: PathBuf,
    /// NEW has proximities though the map was fitted to features.
    #[arg(long)]
    pub proximities: bool,
    /// Each newcomer's similarity to itself: a file of labels and numbers, or one number for all.
    #[arg(long = "self", value_name = "FILE|NUMBER")]
    pub itself: Option<String>,
    /// How far to trust each old object: a file of labels and weights.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Add {
    #[command(flatten)]
    pub new: New,
    /// The table to write; the format is that of its extension, TSV if there is none.
    #[arg(short, long, default_value = "-", value_name = "OUT")]
    pub output: PathBuf,
    /// How to place the newcomers [default: project, or reconstruct if jointly].
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Reconstruct all newcomers together, from what is between them: in NEW, or in this file.
    #[arg(long, value_name = "BETWEEN", num_args = 0..=1)]
    pub jointly: Option<Option<PathBuf>>,
    /// Proximities between the newcomers, to place them jointly.
    #[arg(long, value_name = "BETWEEN")]
    pub between: Option<PathBuf>,
    /// One row for each of the equally good places of a newcomer.
    #[arg(long)]
    pub all_minimisers: bool,
    /// Put the old objects into the table too, first.
    #[arg(long)]
    pub with_old: bool,
    /// Fail, and write nothing, if some newcomer cannot be placed.
    #[arg(long)]
    pub strict: bool,
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
    /// Proximities between the newcomers: adds the joint reconstruction.
    #[arg(long, value_name = "BETWEEN")]
    pub between: Option<PathBuf>,
    /// Add the joint reconstruction, from the newcomers' features.
    #[arg(long)]
    pub jointly: bool,
    /// A table to write instead of the report.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Plot {
    /// The map, or any file of labelled coordinates.
    pub map: PathBuf,
    /// The newcomers: their features if the map was fitted to features, otherwise their proximities to the old
    /// objects; - for standard input.
    pub new: Option<PathBuf>,
    /// NEW has proximities though the map was fitted to features.
    #[arg(long)]
    pub proximities: bool,
    /// The picture to write: .svg, .png or .pdf.
    #[arg(short, long, value_name = "FIGURE")]
    pub output: PathBuf,
    /// The width in millimetres: 89 is a column of a journal, 183 a page.
    #[arg(long, value_name = "MM", default_value_t = adjoin_picture::COLUMN)]
    pub width: f64,
    /// The height in millimetres [default: by the shape of the map].
    #[arg(long, value_name = "MM")]
    pub height: Option<f64>,
    /// Dots per inch of a PNG.
    #[arg(long, value_name = "N", default_value_t = 300.0)]
    pub dpi: f64,
    /// Which axes, across and up [default: 1,2].
    #[arg(long, value_name = "A,B", value_parser = parse_pair)]
    pub axes: Option<[usize; 2]>,
    /// Leave labels out.
    #[arg(long)]
    pub no_labels: bool,
    /// Words above the picture.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// A table with a header; its first column holds labels of old objects and newcomers.
    #[arg(long, value_name = "TABLE")]
    pub metadata: Option<PathBuf>,
    /// Colour by this column of the metadata.
    #[arg(long, alias = "color-by", value_name = "COLUMN", requires = "metadata")]
    pub colour_by: Option<String>,
    /// Shape by this column of the metadata.
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    pub shape_by: Option<String>,
    /// How to place the newcomers [default: project and reconstruct].
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Reconstruct all newcomers together, from what is between them: in NEW, or in this file.
    #[arg(long, value_name = "BETWEEN", num_args = 0..=1)]
    pub jointly: Option<Option<PathBuf>>,
    /// Proximities between the newcomers, to place them jointly.
    #[arg(long, value_name = "BETWEEN")]
    pub between: Option<PathBuf>,
    /// Each newcomer's similarity to itself: a file of labels and numbers, or one number for all.
    #[arg(long = "self", value_name = "FILE|NUMBER")]
    pub itself: Option<String>,
    /// How far to trust each old object: a file of labels and weights.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Report {
    /// The map.
    pub map: PathBuf,
    /// The newcomers: their features if the map was fitted to features, otherwise their proximities to the old
    /// objects; - for standard input.
    pub new: Option<PathBuf>,
    /// NEW has proximities though the map was fitted to features.
    #[arg(long)]
    pub proximities: bool,
    /// The page to write.
    #[arg(short, long, value_name = "PAGE")]
    pub output: PathBuf,
    /// A table with a header; its first column holds labels of old objects and newcomers, the others colour and
    /// shape them.
    #[arg(long, value_name = "TABLE")]
    pub metadata: Option<PathBuf>,
    /// What the page is called [default: the map's name].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// How the newcomers are placed when the page opens [default: project, or reconstruct if jointly].
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Reconstruct all newcomers together, from what is between them: in NEW, or in this file.
    #[arg(long, value_name = "BETWEEN", num_args = 0..=1)]
    pub jointly: Option<Option<PathBuf>>,
    /// Proximities between the newcomers, to place them jointly.
    #[arg(long, value_name = "BETWEEN")]
    pub between: Option<PathBuf>,
    /// Each newcomer's similarity to itself: a file of labels and numbers, or one number for all.
    #[arg(long = "self", value_name = "FILE|NUMBER")]
    pub itself: Option<String>,
    /// How far to trust each old object: a file of labels and weights.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Info {
    /// The map.
    pub map: PathBuf,
}

#[derive(Debug, Args)]
pub struct Convert {
    /// Proximities in any format, or a map; with --metric or --kernel, features.
    pub input: PathBuf,
    /// The file to write; the format is that of its extension.
    pub output: PathBuf,
    #[command(flatten)]
    pub measuring: Measuring,
    #[command(flatten)]
    pub reading: Reading,
}

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Distances or dissimilarities.
    Dissimilarity,
    /// Squared dissimilarities.
    Squared,
    /// Similarities, a kernel.
    Similarity,
}

/// Corrections for non-Euclidean dissimilarities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Correction {
    /// Leave negative eigenvalues as they are.
    None,
    /// Add a constant to squared dissimilarities.
    Lingoes,
    /// Add a constant to dissimilarities.
    Cailliez,
}

/// Eigensolvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    /// By size.
    Auto,
    /// All eigenvalues.
    Dense,
    /// The largest only.
    Iterative,
}

/// Strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Project into the map's space.
    Project,
    /// Restricted reconstruction.
    Reconstruct,
    /// Best-fitting hyperplane.
    Hyperplane,
    /// Augment and rotate back.
    Augment,
    /// Raw stress.
    Stress,
}

impl From<Strategy> for adjoin::placement::Strategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Project => Self::Project,
            Strategy::Reconstruct => Self::Reconstruct,
            Strategy::Hyperplane => Self::Hyperplane,
            Strategy::Augment => Self::Augment,
            Strategy::Stress => Self::Stress,
        }
    }
}

impl From<Kind> for adjoin::proximity::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dissimilarity => Self::Dissimilarity,
            Kind::Squared => Self::Squared,
            Kind::Similarity => Self::Similarity,
        }
    }
}

fn parse_axes(word: &str) -> Result<Axes, String> {
    match word {
        "auto" => Ok(Axes::Auto),
        _ => word
            .parse()
            .map(Axes::Number)
            .map_err(|_| "expected a number of axes, or auto".into()),
    }
}

fn parse_format(word: &str) -> Result<Format, String> {
    Format::ALL
        .into_iter()
        .find(|f| f.name() == word)
        .ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
}

fn parse_pair(text: &str) -> Result<[usize; 2], String> {
    let axes: Result<Vec<usize>, _> = text.split(',').map(|a| a.trim().parse()).collect();
    match axes.as_deref() {
        Ok(&[a, b]) if a > 0 && b > 0 && a != b => Ok([a, b]),
        _ => Err("expected two axes divided by a comma, such as 1,2".into()),
    }
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
