//! What comes in, checked once: proximities, features, and newcomers known by either.

pub mod block;
pub mod newcomers;
pub mod features;
pub mod proximities;
pub mod rows;
