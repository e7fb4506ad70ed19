//! The ways to make a map.

pub mod isomap;
pub mod landmark;
pub mod laplacian;
pub mod pca;
