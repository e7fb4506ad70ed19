//! From the proximities of the old objects to a diagram of them.

pub(crate) mod centred;
pub mod centring;
pub mod correction;
pub mod diagram;
pub mod dimension;
pub(crate) mod krylov;
pub mod leave_one_out;
pub(crate) mod product;
pub mod spectrum;
