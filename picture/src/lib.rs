//! Still pictures of maps for print: SVG, and PNG and PDF made from it.
//!
//! [`draw`] goes from coordinates and words to an SVG: equal scales on both axes, labels that do not
//! overlap, thin lines, colours that all can tell apart, 7-point text at the size it is printed.
//! `png` and `pdf` (feature `convert`, on by default) convert it with the bundled font. No
//! files, no mathematics of maps, and always the same bytes for the same scene.
//!
//! ```
//! use adjoin_picture::{Newcomer, Scene, Settings, draw};
//!
//! let labels = ["Oslo".to_owned(), "Rome".to_owned()];
//! let scene = Scene {
//!     axes: vec!["axis 1 (80.0 %)".into(), "axis 2 (20.0 %)".into()],
//!     labels: &labels,
//!     points: vec![[-3.0, 1.0], [4.0, -1.0]],
//!     newcomers: vec![Newcomer {
//!         label: "Vienna",
//!         projection: Some([1.0, 0.5]),
//!         place: Some([1.2, 0.9]),
//!         way: vec![[1.0, 0.5], [1.2, 0.9]],
//!         ..Default::default()
//!     }],
//!     ..Default::default()
//! };
//! let drawing = draw(&scene, &Settings::default())?;
//! assert!(drawing.svg.starts_with("<svg") && drawing.svg.contains(">Vienna</text>"));
//! # Ok::<(), adjoin_picture::Error>(())
//! ```

mod classes;
#[cfg(feature = "convert")]
mod convert;
mod draw;
mod error;
#[cfg(feature = "convert")]
mod fonts;
mod furniture;
mod geometry;
mod groups;
mod label;
mod legend;
mod lettering;
mod markers;
mod obstacles;
mod palette;
mod scene;
mod sheet;
mod svg;
#[cfg(all(test, feature = "convert"))]
mod synthetic;
mod text;
mod window;

pub use classes::Column;
#[cfg(feature = "convert")]
pub use convert::{pdf, png};
pub use draw::{Drawing, draw};
pub use error::Error;
pub use scene::{Arrow, COLUMN, Labels, Newcomer, SIZES, Scene, Settings, Words};

/// Pixels on the longer side of a PNG, at most.
pub const MOST_PIXELS: u32 = 15_000;
