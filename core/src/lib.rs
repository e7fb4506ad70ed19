//! The mathematics of adjoin.
pub mod augment;
pub mod centring;
pub mod diagram;
pub mod error;
pub mod hyperplane;
pub mod jacobi;
pub mod normal;
pub mod parallel;
mod product;
pub mod proximity;
pub mod random;
pub mod secular;
pub mod spectrum;
