//! Borders and strategies put together: answers for newcomers alone, jointly, along the arc, and side by side.

pub mod alone;
pub mod arc;
pub mod compare;
pub mod configuration;
pub mod jointly;
pub mod procrustes;
pub mod reembed;
