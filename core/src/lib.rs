//! The mathematics of adjoin.
