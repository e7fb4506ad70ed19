//! Flags of `fit`, and those that make proximities of features.

use std::path::PathBuf;

use adjoin::measure::{Measure, Parameters};
use adjoin::settings::{AffinityChoice, Axes, Correcting, Disconnected, Linking, Solver};
use adjoin::{Kind, Method};
use clap::{Args, ValueEnum};

use super::{Reading, Transforming, one_of};
use crate::error::Error;

pub const HELP: &str =
    "The input is a square of proximities with labels: a table (tab, comma, semicolon or blanks), a triangle, PHYLIP, a list of pairs (--format long), .npy, Parquet, or a QIIME 2 .qza; gzipped or not. What the numbers are is said by --kind and never guessed.

With --metric, --kernel or --method pca it is a table of features instead: a row for each object, a column for each feature (.npy and Parquet too); the map keeps them, and newcomers come as features.

Methods:
  cmds        classical scaling of the proximities (PCoA)
  pca         principal components of features
  kernel-pca  classical scaling of a kernel
  landmark    classical scaling of --landmarks, the others projected
  isomap      classical scaling of paths through a graph
  laplacian   Laplacian eigenmaps; diffusion maps with --time

Examples:
  adjoin fit distances.tsv -d 2 -o map.adjoin
  adjoin fit kernel.npy --labels names.txt --kind similarity -d 10 -o map.adjoin
  adjoin fit tanimoto.tri --kind similarity --self 1 -d 2 -o map.adjoin
  adjoin fit distances.tsv --configuration published.ordination -o map.adjoin
  adjoin fit bray.csv --configuration nmds.csv --link monotone -o map.adjoin
  adjoin fit counts.tsv --metric braycurtis -d 2 -o map.adjoin
  adjoin fit features.npy --metric euclidean --method landmark \\
      --landmarks 500 -d 10 -o map.adjoin
  adjoin fit features.csv --metric euclidean --method isomap \\
      --neighbors 10 -d auto -o map.adjoin
  mash dist refs.msh refs.msh | adjoin fit - --format long -d 3 -o map.adjoin
  adjoin fit ani.matrix --transform 1-x/100 --unlisted 0 -d 3 -o map.adjoin";

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
    #[arg(long, value_parser = one_of(Method::ALL, Method::word))]
    pub method: Option<Method>,
    /// What proximities are: distances or dissimilarities, squared ones, or similarities (a kernel) [default:
    /// dissimilarity; features have the kind of their measure].
    #[arg(long, value_parser = one_of(KINDS, Kind::word), conflicts_with = "measure")]
    pub kind: Option<Kind>,
    /// similarity: each object's similarity to itself, for a triangle or a list without a diagonal: one number for all,
    /// or a file of labels and numbers.
    #[arg(long = "self", value_name = "NUMBER|FILE", conflicts_with = "measure")]
    pub itself: Option<String>,
    /// Where the origin is: the label of an old object, or a file of weights that sum to 1.
    #[arg(long, value_name = "LABEL|FILE")]
    pub origin: Option<String>,
    /// Make dissimilarities Euclidean before fitting, and newcomers alike, by a constant that is added to squared
    /// dissimilarities (lingoes) or to dissimilarities (cailliez).
    #[arg(long, value_parser = one_of(Correcting::ALL, Correcting::word), default_value = "none")]
    pub correction: Correcting,
    /// Take this configuration (coordinates with labels) instead of fitting one.
    #[arg(long, value_name = "FILE")]
    pub configuration: Option<PathBuf>,
    /// Multiply the configuration by the factor that brings it onto the scale of the proximities; without, one on another
    /// scale is refused.
    #[arg(long, requires = "configuration")]
    pub rescale: bool,
    /// With --configuration: newcomers' dissimilarities become distances on it by a function that is fitted to the old
    /// pairs, one that does not fall (monotone: for metaMDS, isoMDS and whatever else follows ranks), a straight line
    /// (linear), or one through 0 (ratio). Newcomers are then placed by stress [default: none: the configuration is in the
    /// unit of the proximities].
    #[arg(long, value_parser = one_of(Linking::ALL, Linking::word), requires = "configuration")]
    pub link: Option<Linking>,
    /// --link: how far to trust each old object, in the link and in placing newcomers: a file of labels and weights.
    #[arg(long, value_name = "FILE", requires = "link")]
    pub weights: Option<PathBuf>,
    /// --link: take it even if it places old objects, each left out, far from where they are. Of a square beyond memory: fit
    /// it even if that takes days.
    #[arg(long)]
    pub force: bool,
    /// Which eigensolver: by size, all eigenvalues, or only the largest.
    #[arg(long, value_parser = one_of(SOLVERS, solver_word), default_value = "auto")]
    pub solver: Solver,
    /// How far from eigenvectors the axes of the iterative eigensolver may be: ‖Bv − θv‖ / ‖B‖, by default 1e-10, by which
    /// eigenvalues are exact to rounding. A larger one takes fewer passes over the data.
    #[arg(long, value_name = "NUMBER")]
    pub tolerance: Option<f64>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub transforming: Transforming,
    // Those with a heading of their own come last, for what follows would stand under it.
    #[command(flatten)]
    pub measuring: Measuring,
    #[command(flatten)]
    pub families: Families,
}

/// How proximities are made from features.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Features")]
pub struct Measuring {
    /// Compare features by this metric: euclidean, sqeuclidean, cityblock, chebyshev, minkowski, cosine, correlation,
    /// braycurtis, canberra, jaccard, dice, tanimoto, ruzicka, hamming, aitchison; texts: levenshtein, jaro-winkler.
    #[arg(long, value_name = "NAME", group = "measure")]
    pub metric: Option<String>,
    /// Compare features by this kernel: linear, rbf, laplacian, poly, sigmoid, cosine, tanimoto, minmax.
    #[arg(long, value_name = "NAME", group = "measure")]
    pub kernel: Option<String>,
    /// γ of the kernels rbf, laplacian, poly and sigmoid, and of the heat kernel [default: 1 / number of features].
    #[arg(long, value_name = "G")]
    pub gamma: Option<f64>,
    /// The degree of the kernel poly [default: 3].
    #[arg(long, value_name = "N", requires = "measure")]
    pub degree: Option<f64>,
    /// The constant of the kernels poly and sigmoid [default: 1].
    #[arg(
        long,
        value_name = "C",
        allow_negative_numbers = true,
        requires = "measure"
    )]
    pub coef0: Option<f64>,
    /// The power of the metric minkowski [default: 2].
    #[arg(long, value_name = "P", requires = "measure")]
    pub power: Option<f64>,
}

impl Measuring {
    /// The measure that the flags name, if they name one; γ beside a metric is the heat kernel's.
    pub fn measure(&self) -> Result<Option<Measure>, Error> {
        let parameters = Parameters {
            power: self.power,
            gamma: self.gamma.filter(|_| self.kernel.is_some()),
            degree: self.degree,
            coef0: self.coef0,
        };
        let measure = match (&self.metric, &self.kernel) {
            (Some(word), _) => Measure::metric(word, &parameters),
            (None, Some(word)) => Measure::kernel(word, &parameters),
            (None, None) => return Ok(None),
        };
        measure.map(Some).map_err(|e| Error::Usage(e.to_string()))
    }

    /// γ, if it is not a kernel's.
    pub fn heat(&self) -> Option<f64> {
        self.gamma.filter(|_| self.kernel.is_none())
    }
}

/// Options of landmark MDS, Isomap and Laplacian eigenmaps.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Families")]
pub struct Families {
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
    /// What to do with a graph that falls apart: fail, keep the largest piece, or join the pieces by their nearest
    /// pairs [default: refuse].
    #[arg(long, value_parser = one_of(Disconnected::ALL, Disconnected::word))]
    pub disconnected: Option<Disconnected>,
    /// laplacian: how similar objects are: exp(−γδ²), 1 between neighbours, or as given [default: given for
    /// similarities, neighbours with neighbours and no --gamma, otherwise heat].
    #[arg(long, value_parser = one_of(AffinityChoice::ALL, AffinityChoice::word))]
    pub affinity: Option<AffinityChoice>,
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

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choose {
    /// At random.
    Random,
    /// Each next one the farthest from those before.
    Maxmin,
}

const KINDS: [Kind; 3] = [Kind::Dissimilarity, Kind::Squared, Kind::Similarity];
const SOLVERS: [Solver; 3] = [Solver::Auto, Solver::Dense, Solver::Iterative];

fn solver_word(solver: Solver) -> &'static str {
    match solver {
        Solver::Auto => "auto",
        Solver::Dense => "dense",
        Solver::Iterative => "iterative",
    }
}

fn parse_axes(word: &str) -> Result<Axes, String> {
    if word == "auto" {
        return Ok(Axes::Auto);
    }
    let count = word.parse().map(Axes::Count);
    count.map_err(|_| "expected a number of axes, or auto".into())
}
