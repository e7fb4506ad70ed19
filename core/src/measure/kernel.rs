//! The kernels, each with its definition and where it comes from; parameters and defaults are scikit-learn's.

use super::{Parameters, plain, positive};
use crate::error::Error;
use crate::number::exact;

/// A similarity between objects with features. A γ that is not given is 1/q.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Kernel {
    /// u'v: kernel PCA with it is PCA.
    Linear,
    /// exp(−γ‖u − v‖²), the Gaussian kernel (Schölkopf, Smola and Müller 1998, *Neural Computation* 10).
    Rbf {
        /// γ.
        gamma: Option<f64>,
    },
    /// exp(−γ Σ|u − v|) (Rupp 2015, *Int. J. Quantum Chemistry* 115).
    Laplacian {
        /// γ.
        gamma: Option<f64>,
    },
    /// (γ u'v + c)^degree (Boser, Guyon and Vapnik 1992, COLT).
    Polynomial {
        /// The degree, at least 0; with one that is not whole, γ u'v + c may not be negative.
        degree: f64,
        /// γ.
        gamma: Option<f64>,
        /// c.
        coef0: f64,
    },
    /// tanh(γ u'v + c), which is not positive semidefinite in general (Lin and Lin 2003).
    Sigmoid {
        /// γ.
        gamma: Option<f64>,
        /// c.
        coef0: f64,
    },
    /// u'v / (‖u‖‖v‖). No row of zeros.
    Cosine,
    /// u'v / (u'u + v'v − u'v) (Ralaivola, Swamidass, Saigo and Baldi 2005, *Neural Networks* 18). Nothing
    /// negative; between two empty rows 1.
    Tanimoto,
    /// Σmin(u, v) / Σmax(u, v) (Ralaivola et al. 2005). Nothing negative; between two empty rows 1.
    MinMax,
}

impl Kernel {
    /// All words, for lists.
    pub const WORDS: [&'static str; 8] = [
        "linear",
        "rbf",
        "laplacian",
        "poly",
        "sigmoid",
        "cosine",
        "tanimoto",
        "minmax",
    ];

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Kernel::Linear => "linear",
            Kernel::Rbf { .. } => "rbf",
            Kernel::Laplacian { .. } => "laplacian",
            Kernel::Polynomial { .. } => "poly",
            Kernel::Sigmoid { .. } => "sigmoid",
            Kernel::Cosine => "cosine",
            Kernel::Tanimoto => "tanimoto",
            Kernel::MinMax => "minmax",
        }
    }

    /// The kernel that `word` means, by any of the names that scikit-learn has for it.
    pub fn from_word(word: &str, parameters: &Parameters) -> Result<Self, Error> {
        let gamma = parameters.gamma.map(|g| positive("gamma", g)).transpose()?;
        let coef0 = parameters.coef0.unwrap_or(1.0);
        let degree = parameters.degree.unwrap_or(3.0);
        for (name, value) in [("coef0", coef0), ("degree", degree)] {
            if !value.is_finite() || name == "degree" && value < 0.0 {
                return Err(Error::Measure(format!(
                    "found {name} {}, expected a finite number{}",
                    exact(value),
                    if name == "degree" {
                        " of at least 0"
                    } else {
                        ""
                    }
                )));
            }
        }
        let kernel = match plain(word).as_str() {
            "linear" => Kernel::Linear,
            "rbf" | "gaussian" => Kernel::Rbf { gamma },
            "laplacian" => Kernel::Laplacian { gamma },
            "poly" | "polynomial" => Kernel::Polynomial {
                degree,
                gamma,
                coef0,
            },
            "sigmoid" => Kernel::Sigmoid { gamma, coef0 },
            "cosine" => Kernel::Cosine,
            "tanimoto" => Kernel::Tanimoto,
            "minmax" => Kernel::MinMax,
            _ => {
                return Err(Error::Measure(format!(
                    "found no kernel {word:?}, expected one of {}",
                    Self::WORDS.join(", ")
                )));
            }
        };
        let names: &[&str] = match kernel {
            Kernel::Rbf { .. } | Kernel::Laplacian { .. } => &["gamma"],
            Kernel::Polynomial { .. } => &["gamma", "degree", "coef0"],
            Kernel::Sigmoid { .. } => &["gamma", "coef0"],
            _ => &[],
        };
        parameters.only(kernel.word(), names)?;
        Ok(kernel)
    }

    /// Its parameters.
    pub fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        match *self {
            Kernel::Rbf { gamma } | Kernel::Laplacian { gamma } => parameters.gamma = gamma,
            Kernel::Polynomial {
                degree,
                gamma,
                coef0,
            } => {
                parameters = Parameters {
                    degree: Some(degree),
                    gamma,
                    coef0: Some(coef0),
                    power: None,
                };
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                parameters.gamma = gamma;
                parameters.coef0 = Some(coef0);
            }
            Kernel::Linear | Kernel::Cosine | Kernel::Tanimoto | Kernel::MinMax => {}
        }
        parameters
    }
}
