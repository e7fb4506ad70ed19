//! Colours that all can tell apart, after Okabe and Ito; roles differ in shape too, so that a
//! picture printed in grey still says which is which.
//!
//! # References
//! M. Okabe and K. Ito, *Color Universal Design* (2008), <https://jfly.uni-koeln.de/color/>.
//! J. R. Nuñez, C. R. Anderton and R. S. Renslow, *Optimizing colormaps with consideration for color
//! vision deficiency*, PLoS ONE 13 (2018): cividis, of which [`scale`] joins five colours.

/// The old objects.
pub(crate) const OLD: &str = "#8c8c8c";
/// Where newcomers are projected to.
pub(crate) const PROJECTION: &str = "#0072b2";
/// Where newcomers are placed.
pub(crate) const PLACE: &str = "#d55e00";
/// The way from one to the other.
pub(crate) const WAY: &str = "#e69f00";
/// Newcomers' labels: the colour of their places, dark enough for small text.
pub(crate) const NEW_TEXT: &str = "#9a4300";
/// Other text.
pub(crate) const TEXT: &str = "#333333";
/// Axes and leaders.
pub(crate) const LINE: &str = "#7a7a7a";
/// The grid.
pub(crate) const GRID: &str = "#ececec";
/// The lines through the origin.
pub(crate) const ORIGIN: &str = "#cfcfcf";
/// Objects of which the column says nothing, or classes beyond the last colour.
pub(crate) const UNKNOWN: &str = "#c8c8c8";

/// Classes, in this order.
pub(crate) const CLASSES: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// The colour of a number, 0 to 1, on a scale from dark blue to yellow that also grows lighter in
/// grey.
pub(crate) fn scale(share: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [0.0, 34.0, 78.0],
        [66.0, 78.0, 107.0],
        [124.0, 123.0, 120.0],
        [187.0, 173.0, 108.0],
        [254.0, 232.0, 56.0],
    ];
    let at = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (at as usize).min(STOPS.len() - 2);
    let part = at - low as f64;
    let mixed = [0, 1, 2].map(|i| STOPS[low][i] + part * (STOPS[low + 1][i] - STOPS[low][i]));
    let [r, g, b] = mixed.map(|x| x.round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
