//! The suite: identities, check values and numbers of other implementations, one file an idea. It is part of the crate's own
//! tests, so that it sees the rooms as well as the front door; `core/tests/allocations.rs` is a program of its own.

mod augment;
mod bits;
mod check_values;
mod common;
mod correction;
mod dimension;
mod elsewhere;
mod fast_paths;
mod given_scale;
mod grow;
mod hyperplane;
mod identities;
mod isomap;
mod joint;
mod kernel_pca;
mod landmark;
mod laplacian;
mod layers;
mod leave_one_out;
mod linked;
mod measure;
mod novelty;
mod proof;
mod recovered;
mod reembed;
mod refit;
mod remarks;
mod scale;
mod spectrum;
mod streaming;
mod stress;
mod uncertainty;
mod variables;
