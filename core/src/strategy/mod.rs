//! From the numbers of one newcomer to a place: the strategies, which know neither maps nor files.

pub(crate) mod augment;
pub(crate) mod columns;
pub(crate) mod hyperplane;
pub(crate) mod jacobi;
pub(crate) mod joint;
pub(crate) mod normal;
pub(crate) mod placements;
pub(crate) mod project;
pub(crate) mod reconstruct;
pub(crate) mod rule;
pub(crate) mod secular;
pub(crate) mod stress;
