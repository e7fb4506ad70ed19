//! What comes in, checked once: proximities, features, and newcomers known by either.

pub(crate) mod block;
pub(crate) mod elsewhere;
pub(crate) mod features;
pub(crate) mod kind;
pub(crate) mod newcomers;
pub(crate) mod proximities;
pub(crate) mod recovered;
pub(crate) mod rows;
pub(crate) mod symmetry;
pub(crate) mod values;
