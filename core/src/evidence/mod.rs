//! From proofs about the optimum to statements about the data: does a newcomer belong, and may it be compared with the old
//! objects?

pub(crate) mod left_out;
pub(crate) mod novelty;
