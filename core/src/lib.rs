//! Adds points to an existing vector diagram.
//!
//! Someone has embedded n objects in d dimensions from their pairwise proximities (classical scaling or PCoA, kernel PCA,
//! Isomap, landmark MDS). New objects arrive, known only by their proximities to the old ones: *supplementary*, *passive*
//! or *query* points. This crate places them without moving anything that is already on the map.
//!
//! With X the n × d configuration, C = X'X, and b, β what Gower's centring makes of a newcomer's proximities, there are
//! two answers:
//!
//! ```text
//! projection                   ŷ = C⁻¹X'b
//! restricted reconstruction    y* = argmin 2‖Xy − b‖² + (y'y − β)²,   a global minimum if (C + λI)y = X'b, λ = y'y − β ≥ −c_min
//! ```
//!
//! and an arc of answers between them. Every placement says how far to trust it.
//!
//! ```
//! use adjoin::{Entries, FitSettings, Kind, Map, Newcomers, Objects, PlaceSettings, Run, Square, Strategy};
//! use faer::mat;
//!
//! // Squared dissimilarities between four objects (Example 2 of the paper), embedded in the plane.
//! let old = mat![
//!     [0.0, 100.0, 45.0, 45.0],
//!     [100.0, 0.0, 45.0, 45.0],
//!     [45.0, 45.0, 0.0, 64.0],
//!     [45.0, 45.0, 64.0, 0.0],
//! ];
//! let square = Square {
//!     entries: Entries::Doubles(old.as_ref()),
//!     kind: Kind::Squared,
//!     labels: None,
//!     made_of: None,
//! };
//! let map = Map::fit(Objects::Square(square), &FitSettings::default(), Run::default())?.map;
//!
//! // A newcomer farther from all of them than they are from each other.
//! let new = mat![[386.0, 386.0, 457.0, 457.0]];
//! let newcomers = Newcomers::new(new.as_ref());
//! let (border, reconstructed) =
//!     map.place(&newcomers, &PlaceSettings::by(Strategy::Reconstruct), Run::default())?;
//! let projected = map.project(&border); // nothing is read twice
//!
//! // Projection puts it in the middle of the others; reconstruction at √368 from there.
//! assert!(projected.point(0).iter().all(|v| v.abs() < 1e-12));
//! assert!((reconstructed.point(0)[1] - 368f64.sqrt()).abs() < 1e-12);
//! assert_eq!(reconstructed.certified(0), Some(true)); // no place is better
//! assert_eq!(reconstructed.status[0].word(), "pair"); // its mirror image is as good
//! # Ok::<(), adjoin::Error>(())
//! ```
//!
//! Three nouns carry everything: a [`Map`] is what was fitted; [`FitSettings`] is all that can be said about a fit;
//! [`Newcomers`] are who arrives, by proximities or by features. [`Map::fit`] makes a map, and of a map one can ask
//! [`place`](Map::place), [`jointly`](Map::jointly), [`compare`](Map::compare), [`arc`](Map::arc) and
//! [`place_by`](Map::place_by), which takes a strategy of your own; [`grow`](Map::grow) takes newcomers in for good. [`measure`] has metrics and kernels, [`settings`] the
//! small words of a fit, and [`stored`] what a map consists of, for those who write files.
//!
//! `Err` means that the question was malformed, and [`Error::about`] says about what. That a placement is not unique, not
//! converged or not applicable is a field of the answer. Nothing here prints, reads files, or keeps global state.
//!
//! # References
//! Trosset, Tan, Tang and Priebe, *Out-of-Sample Embedding with Proximity Data: Projection versus Restricted
//! Reconstruction* ("the paper"; equation numbers in these pages are its own).

pub(crate) mod border;
pub(crate) mod dense;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod fit;
pub(crate) mod graph;
pub(crate) mod input;
#[doc(hidden)]
pub mod isa;
pub(crate) mod labels;
pub(crate) mod map;
pub mod measure;
pub(crate) mod memory;
pub(crate) mod method;
#[doc(hidden)]
pub mod number;
pub(crate) mod place;
pub(crate) mod prefetch;
#[doc(hidden)]
pub mod random;
pub(crate) mod rounding;
pub(crate) mod run;
pub(crate) mod strategy;
pub(crate) mod variables;

pub use border::Border;
pub use error::{About, Error, Object};
pub use evidence::assessment::{Assessment, Verdict};
pub use evidence::evaluate::{Evaluation, MEASURES, Scores};
pub use evidence::footing::{Footing, QUANTILES};
pub use evidence::groups::Grouped;
pub use evidence::neighbours::Neighbours;
pub use evidence::novelty::{batch_sentence, discoveries};
pub use evidence::uncertainty::UNCERTAIN_SIDE;
pub use fit::diagram::Diagram;
pub use input::features::Features;
pub use input::kind::Kind;
pub use input::newcomers::{By, Newcomers};
pub use input::rows::Rows;
pub use input::values::{SparseRows, Values};
pub use map::ask::Between;
pub use map::grow::{GrowSettings, Grown};
pub use map::growth::Generation;
pub use map::read::Seen;
pub use map::uncertain::Uncertainty;
pub use map::{Map, Method};
pub use method::evaluate::EvaluateSettings;
pub use method::refit::Refitted;
pub use method::settings::{Entries, FitSettings, Fitted, Objects, Square};
pub use place::alone::PlaceSettings;
pub use place::arc::{Arc, Course};
pub use place::compare::{Comparison, LEVEL};
pub use place::configuration::place_on_configuration;
pub use place::jointly::Jointly;
pub use place::reembed::Reembedding;
pub use place::remarks::{Concern, Remark};
pub use run::{Progress, Run, Watch};
pub use strategy::placements::{Placements, Status, Strategy};
pub use strategy::rule::{One, Place};
pub use variables::Variables;

/// The small words of a fit.
pub mod settings {
    pub use crate::fit::centring::Origin;
    pub use crate::fit::dimension::Dimensions;
    pub use crate::fit::link::Linking;
    pub use crate::fit::spectrum::Solver;
    pub use crate::graph::{Disconnected, Neighbourhood};
    pub use crate::method::axes::Axes;
    pub use crate::method::landmark::Landmarks;
    pub use crate::method::settings::{AffinityChoice, Correcting};
}

/// The joint problem by itself, for those who have C, G and β, or can multiply by β without having it.
pub mod joint {
    pub use crate::strategy::joint::{
        Between, DenseBetween, JointSettings, Problem, Solution, Start, solve,
    };
}

/// What other programs keep of a classical scaling, made proximities again.
pub mod recovered {
    pub use crate::input::recovered::{dissimilarities, inner_products};
}

/// A square of proximities in pieces, for those who have it on a disk or on other machines.
pub mod elsewhere {
    pub use crate::input::elsewhere::{Elsewhere, Look, Piece, Products};
}

/// The columns of a table of placements, for those who write one.
pub mod table {
    pub use crate::strategy::columns::{Asked, Cell, Column, Holds, columns};
}

/// What a map consists of, for those who store it.
pub mod stored {
    pub use crate::fit::centring::Centring;
    pub use crate::fit::diagram::Parts as DiagramParts;
    pub use crate::fit::grown::Members;
    pub use crate::fit::leave_one_out::{LeaveOneOut, LeftOut};
    pub use crate::fit::link::{Link, Shepard};
    pub use crate::fit::summary::Summary;
    pub use crate::graph::Graph;
    pub use crate::input::kind::Correction;
    pub use crate::map::finish::Finish;
    pub use crate::map::growth::Growth;
    pub use crate::map::way::Way;
    pub use crate::map::way::attached::Isomap;
    pub use crate::map::way::components::Pca;
    pub use crate::map::way::linked::{LinkError, Linked};
    pub use crate::map::way::normalised::{Affinity, Laplacian};
    pub use crate::map::{AllObjects, Parts};
    pub use crate::place::procrustes::Motion;
}

#[cfg(test)]
extern crate self as adjoin;
#[cfg(test)]
#[path = "../tests/suite/mod.rs"]
mod suite;
