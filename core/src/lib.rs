//! The mathematics of adjoin.
pub mod random;
pub mod secular;
