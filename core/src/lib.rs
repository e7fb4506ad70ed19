//! Adds points to an existing vector diagram.
//!
//! Someone has embedded n objects in d dimensions from their pairwise proximities (classical scaling, PCoA,
//! kernel PCA). New objects arrive, known only by their proximities to the old ones. This crate places
//! them without moving anything that is already on the map, by **projection**, by **restricted
//! reconstruction** (with a proof that no place is better), or anywhere on the arc between the two, and
//! says of each placement how far to trust it.
//!
//! ```
//! use adjoin::{Diagram, FitSettings, Kind, Block, PlaceSettings, Proximities, Strategy, place};
//! use faer::mat;
//!
//! // Squared dissimilarities between four objects (Example 2 of the paper), embedded in the plane.
//! let old = mat![
//!     [0.0, 100.0, 45.0, 45.0],
//!     [100.0, 0.0, 45.0, 45.0],
//!     [45.0, 45.0, 0.0, 64.0],
//!     [45.0, 45.0, 64.0, 0.0],
//! ];
//! let proximities = Proximities::new(old.as_ref(), Kind::Squared, None, 0)?;
//! let diagram = Diagram::fit(&proximities, &FitSettings { dimensions: 2, ..Default::default() })?;
//!
//! // A newcomer farther from all of them than they are from each other.
//! let new = mat![[386.0, 386.0, 457.0, 457.0]];
//! let newcomers = Block::new(new.as_ref());
//! let projected = place(&diagram, &newcomers, &PlaceSettings::default())?;
//! let settings = PlaceSettings { strategy: Strategy::Reconstruct, ..Default::default() };
//! let reconstructed = place(&diagram, &newcomers, &settings)?;
//!
//! // Projection puts it in the middle of the others; reconstruction at √368 from there.
//! assert!(projected.point(0).iter().all(|v| v.abs() < 1e-12));
//! assert!((reconstructed.point(0)[1] - 368f64.sqrt()).abs() < 1e-12);
//! assert!(reconstructed.margin[0] >= 0.0); // the proof of global optimality
//! assert_eq!(reconstructed.status[0].word(), "pair"); // its mirror image is as good
//! # Ok::<(), adjoin::Error>(())
//! ```
//!
//! Data flows one way: [`proximity`] → [`centring`] → [`spectrum`] → [`diagram`], then for newcomers
//! [`newcomers`] → [`border`] → a strategy ([`project`](mod@project), [`reconstruct`](mod@reconstruct), [`hyperplane`],
//! [`augment`], [`stress`], or [`joint`] for several at once) → [`placement`]. [`place`](mod@place) and
//! [`jointly`] are the front doors, [`mod@arc`] and [`compare`](mod@compare) look at more than one strategy.
//!
//! Every other method is the same diagram with other proximities, made by a [`model`] that newcomers pass through
//! too: [`pca`], kernel PCA (a diagram of a kernel of [`measure`]), [`landmark`] MDS, [`isomap`] and [`laplacian`]
//! eigenmaps. [`dimension`] has three opinions on the number of axes.
//!
//! `Err` means that the question was malformed. That a placement is not unique, not converged or not
//! applicable is a field of the answer. Nothing here prints, reads files, or keeps global state.
//!
//! # References
//! Trosset, Tan, Tang and Priebe, *Out-of-Sample Embedding with Proximity Data: Projection versus Restricted
//! Reconstruction* ("the paper"; equation numbers in these pages are its own).

pub mod border;
pub mod error;
pub mod fit;
pub mod graph;
pub mod input;
pub mod map;
pub mod measure;
pub mod method;
pub mod place;
#[doc(hidden)]
pub mod random;
pub mod rounding;
pub mod run;
pub mod strategy;

#[cfg(test)]
extern crate self as adjoin;
#[cfg(test)]
#[path = "../tests/suite/mod.rs"]
mod suite;

pub use border::Border;
pub use error::Error;
pub use fit::diagram::{Diagram, FitSettings};
pub use input::block::Block;
pub use input::features::Features;
pub use input::proximities::{Correction, Kind, Proximities};
pub use map::{Method, Model};
pub use measure::{Measure, Measured};
pub use place::alone::{Settings as PlaceSettings, place};
pub use strategy::placements::{Placements, Status, Strategy};
