//! From proofs about the optimum to statements about the data: does a newcomer belong, may it be compared with the old
//! objects, and how certain is its place?

mod conformal;
pub(crate) mod jackknife;
pub(crate) mod left_out;
pub(crate) mod novelty;
mod tails;
pub(crate) mod uncertain_jointly;
pub(crate) mod uncertainty;
