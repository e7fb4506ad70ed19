//! From the numbers of one newcomer to a place: the strategies, which know neither maps nor files.

pub mod augment;
pub mod hyperplane;
pub(crate) mod jacobi;
pub mod joint;
pub(crate) mod normal;
pub mod placements;
pub mod project;
pub mod reconstruct;
pub mod rule;
pub mod secular;
pub mod stress;
