//! Colours: those of roles and classes are the table's that the page and Python read too (`adjoin-look`), on white; what
//! stands around them is here. Roles differ in shape too, so that a picture printed in grey still says which is which.

use adjoin_look::{Roles, look, on_ramp};

/// The colours and words of roles.
pub(crate) fn roles() -> &'static Roles {
    &look().roles
}

/// Objects of which the column says nothing, or classes beyond the last colour.
pub(crate) fn unknown() -> &'static str {
    &look().other.light
}

/// Newcomers' labels: the colour of newcomers, dark enough for small text.
pub(crate) const NEW_TEXT: &str = "#9a4300";
/// Other text.
pub(crate) const TEXT: &str = "#333333";
/// Axes and leaders.
pub(crate) const LINE: &str = "#7a7a7a";
/// The grid.
pub(crate) const GRID: &str = "#ececec";
/// The lines through the origin.
pub(crate) const ORIGIN: &str = "#cfcfcf";
/// Marks of the legend whose colour says nothing.
pub(crate) const NEUTRAL: &str = "#555555";

/// The colour of a number, 0 to 1, on a scale that also grows lighter in grey.
pub(crate) fn scale(share: f64) -> String {
    on_ramp(&look().ramp.light, share)
}
