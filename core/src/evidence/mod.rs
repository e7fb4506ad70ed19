//! From proofs about the optimum to statements about the data: does a newcomer belong, and may it be compared with the old
//! objects? When is it time for another map?

pub(crate) mod assessment;
pub(crate) mod evaluate;
pub(crate) mod footing;
pub(crate) mod groups;
pub(crate) mod left_out;
pub(crate) mod neighbours;
pub(crate) mod novelty;
