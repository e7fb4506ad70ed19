//! From proofs about the optimum to statements about the data: does a newcomer belong, may it be compared with the old
//! objects, how certain is its place, and when is it time for another map?

pub(crate) mod assessment;
mod conformal;
pub(crate) mod evaluate;
pub(crate) mod footing;
pub(crate) mod groups;
pub(crate) mod jackknife;
pub(crate) mod left_out;
pub(crate) mod neighbours;
pub(crate) mod novelty;
mod tails;
pub(crate) mod uncertain_jointly;
pub(crate) mod uncertainty;
