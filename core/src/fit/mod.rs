//! From the proximities of the old objects to a diagram of them.

pub(crate) mod centred;
pub(crate) mod centring;
pub(crate) mod correction;
pub(crate) mod diagram;
pub(crate) mod dimension;
mod elsewhere;
pub(crate) mod given;
pub(crate) mod given_scale;
pub(crate) mod grown;
pub(crate) mod krylov;
pub(crate) mod leave_one_out;
pub(crate) mod link;
pub(crate) mod looked;
mod old;
mod orthonormal;
pub(crate) mod product;
pub(crate) mod spectrum;
pub(crate) mod summary;
mod triangle;
