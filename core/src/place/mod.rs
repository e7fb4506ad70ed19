//! Borders and strategies put together: answers for newcomers alone, jointly, along the arc, and side by side.

pub(crate) mod alone;
pub(crate) mod arc;
pub(crate) mod compare;
pub(crate) mod configuration;
pub(crate) mod jointly;
pub(crate) mod procrustes;
pub(crate) mod reembed;
pub(crate) mod remarks;
