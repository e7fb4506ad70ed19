//! The metrics, each with its definition and where it comes from.
//!
//! u and v are the features of two objects, q numbers each (a text for the last two).

use super::{Parameters, plain, positive};
use crate::error::Error;

/// A dissimilarity between objects with features.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Metric {
    /// √Σ(u − v)².
    Euclidean,
    /// Σ(u − v)²: the same diagram as [`Metric::Euclidean`], without the square root.
    SquaredEuclidean,
    /// Σ|u − v|, also called Manhattan distance (Minkowski 1910).
    CityBlock,
    /// max|u − v|, the limit of Minkowski's for p → ∞.
    Chebyshev,
    /// (Σ|u − v|ᵖ)^(1/p) for p > 0; a metric for p ≥ 1 (Minkowski 1910, *Geometrie der Zahlen*).
    Minkowski {
        /// The power.
        p: f64,
    },
    /// 1 − u'v / (‖u‖‖v‖), computed as ½‖u/‖u‖ − v/‖v‖‖² so that like objects keep their digits (Salton and
    /// McGill 1983, *Introduction to Modern Information Retrieval*). No row of zeros.
    Cosine,
    /// 1 − the correlation of u and v (Pearson 1895). No constant row.
    Correlation,
    /// Σ|u − v| / Σ(u + v) (Bray and Curtis 1957, *Ecological Monographs* 27). Nothing negative; not between two
    /// empty rows.
    BrayCurtis,
    /// Σ |u − v| / (|u| + |v|), terms 0/0 counting 0 (Lance and Williams 1967, *The Computer Journal* 9).
    Canberra,
    /// |u ≠ v| / |u or v| for sets as 0 and 1 (Jaccard 1901, *Bulletin de la Société Vaudoise des Sciences
    /// Naturelles* 37); between two empty sets 0, as SciPy has it.
    Jaccard,
    /// |u ≠ v| / (|u| + |v|) for sets as 0 and 1 (Dice 1945, *Ecology* 26; Sørensen 1948); between two empty sets 0.
    Dice,
    /// 1 − u'v / (u'u + v'v − u'v) for counts: Tanimoto's coefficient as chemistry generalises it from sets
    /// (Tanimoto 1958; Willett, Barnard and Downs 1998, *J. Chem. Inf. Comput. Sci.* 38). Nothing negative;
    /// between two empty rows 0. It is Jaccard's on 0 and 1.
    Tanimoto,
    /// 1 − Σmin(u, v) / Σmax(u, v) for counts: the other generalisation of Jaccard's, which fingerprint
    /// programs use for counted fragments (Ružička 1958, *Biológia* 13; weighted Jaccard). Nothing negative;
    /// between two empty rows 0.
    Ruzicka,
    /// The share of the features that differ (Hamming 1950, *Bell System Technical Journal* 29).
    Hamming,
    /// The Euclidean distance of the centred log-ratios ln u − mean ln u (Aitchison 1986, *The Statistical
    /// Analysis of Compositional Data*). Positive entries only.
    Aitchison,
    /// The least number of insertions, deletions and substitutions of characters that turn one text into the
    /// other (Levenshtein 1966, *Soviet Physics Doklady* 10).
    Levenshtein,
    /// 1 − the similarity of Jaro and Winkler, common prefixes of up to four characters counting 0.1 each where
    /// Jaro's similarity is above 0.7 (Jaro 1989, *JASA* 84; Winkler 1990).
    JaroWinkler,
}

impl Metric {
    /// All words, for lists.
    pub const WORDS: [&'static str; 17] = [
        "euclidean",
        "sqeuclidean",
        "cityblock",
        "chebyshev",
        "minkowski",
        "cosine",
        "correlation",
        "braycurtis",
        "canberra",
        "jaccard",
        "dice",
        "tanimoto",
        "ruzicka",
        "hamming",
        "aitchison",
        "levenshtein",
        "jaro-winkler",
    ];

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Metric::Euclidean => "euclidean",
            Metric::SquaredEuclidean => "sqeuclidean",
            Metric::CityBlock => "cityblock",
            Metric::Chebyshev => "chebyshev",
            Metric::Minkowski { .. } => "minkowski",
            Metric::Cosine => "cosine",
            Metric::Correlation => "correlation",
            Metric::BrayCurtis => "braycurtis",
            Metric::Canberra => "canberra",
            Metric::Jaccard => "jaccard",
            Metric::Dice => "dice",
            Metric::Tanimoto => "tanimoto",
            Metric::Ruzicka => "ruzicka",
            Metric::Hamming => "hamming",
            Metric::Aitchison => "aitchison",
            Metric::Levenshtein => "levenshtein",
            Metric::JaroWinkler => "jaro-winkler",
        }
    }

    /// The metric that `word` means, by any of the names that SciPy and scikit-learn have for it.
    pub fn from_word(word: &str, parameters: &Parameters) -> Result<Self, Error> {
        let metric = match plain(word).as_str() {
            "euclidean" | "l2" | "euclid" => Metric::Euclidean,
            "sqeuclidean" | "squaredeuclidean" => Metric::SquaredEuclidean,
            "cityblock" | "manhattan" | "l1" | "taxicab" => Metric::CityBlock,
            "chebyshev" | "chebychev" | "linf" | "infinity" => Metric::Chebyshev,
            "minkowski" => Metric::Minkowski {
                p: match parameters.power {
                    Some(f64::INFINITY) => return Ok(Metric::Chebyshev),
                    p => positive("power", p.unwrap_or(2.0))?,
                },
            },
            "cosine" => Metric::Cosine,
            "correlation" => Metric::Correlation,
            "braycurtis" => Metric::BrayCurtis,
            "canberra" => Metric::Canberra,
            "jaccard" => Metric::Jaccard,
            "dice" => Metric::Dice,
            "tanimoto" => Metric::Tanimoto,
            "ruzicka" | "weightedjaccard" => Metric::Ruzicka,
            "hamming" => Metric::Hamming,
            "aitchison" => Metric::Aitchison,
            "levenshtein" => Metric::Levenshtein,
            "jarowinkler" => Metric::JaroWinkler,
            _ => {
                return Err(Error::Measure(format!(
                    "found no metric {word:?}, expected one of {}",
                    Self::WORDS.join(", ")
                )));
            }
        };
        let names: &[&str] = match metric {
            Metric::Minkowski { .. } => &["power"],
            _ => &[],
        };
        parameters.only(metric.word(), names)?;
        Ok(metric)
    }

    /// Its parameters.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            power: match self {
                Metric::Minkowski { p } => Some(*p),
                _ => None,
            },
            ..Default::default()
        }
    }
}
