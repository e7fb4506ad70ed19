//! SVG, element by element: escaping, numbers, and markers as paths.

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt::Write;

use crate::geometry::Point;

/// Text and attribute values: nothing in a label can end what it is in.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// A length on the page in as few digits as print can show: a hundredth of a point.
pub(crate) fn length(x: f64) -> String {
    let mut text = format!("{x:.2}");
    while text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    if text == "-0" { "0".to_owned() } else { text }
}

/// Begins a group.
pub(crate) fn open(out: &mut String, id: &str, attributes: &str) {
    let _ = writeln!(out, "<g id=\"{id}\" {attributes}>");
}

/// The shapes of markers, told apart also when small and grey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Plus,
    Cross,
}

impl Shape {
    /// Classes, in this order.
    pub const ALL: [Shape; 7] = [
        Shape::Circle,
        Shape::Square,
        Shape::Up,
        Shape::Diamond,
        Shape::Down,
        Shape::Plus,
        Shape::Cross,
    ];

    /// Its outline around a point; `r` is the radius of a circle that looks as large.
    pub fn path(self, at: Point, r: f64, out: &mut String) {
        let n = length;
        let [x, y] = at;
        // Corners relative to the centre, for a circle of radius 1.
        const PLUS: [Point; 12] = [
            [-0.4, -1.2],
            [0.4, -1.2],
            [0.4, -0.4],
            [1.2, -0.4],
            [1.2, 0.4],
            [0.4, 0.4],
            [0.4, 1.2],
            [-0.4, 1.2],
            [-0.4, 0.4],
            [-1.2, 0.4],
            [-1.2, -0.4],
            [-0.4, -0.4],
        ];
        let turned = PLUS.map(|[u, v]| [(u - v) * FRAC_1_SQRT_2, (u + v) * FRAC_1_SQRT_2]);
        let corners: &[Point] = match self {
            Shape::Circle => {
                let (start, d) = (n(x - r), n(2.0 * r));
                let r = n(r);
                let _ = write!(
                    out,
                    "M{start} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0z",
                    n(y)
                );
                return;
            }
            Shape::Square => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
            Shape::Up => &[[0.0, -1.35], [1.2, 0.75], [-1.2, 0.75]],
            Shape::Diamond => &[[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]],
            Shape::Down => &[[0.0, 1.35], [1.2, -0.75], [-1.2, -0.75]],
            Shape::Plus => &PLUS,
            Shape::Cross => &turned,
        };
        polyline(
            corners
                .iter()
                .map(|corner| [x + r * corner[0], y + r * corner[1]]),
            out,
        );
        out.push('z');
    }
}

/// A path through points.
pub(crate) fn polyline(points: impl Iterator<Item = Point>, out: &mut String) {
    for (i, p) in points.enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{command}{} {}", length(p[0]), length(p[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all = [0.0, -0.001, 12.0, 12.5, -3.456, 1e4].map(length);
        assert_eq!(all, ["0", "0", "12", "12.5", "-3.46", "10000"]);
    }

    #[test]
    fn nothing_ends_early() {
        assert_eq!(
            escaped("</text><script>\"&'"),
            "&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;"
        );
    }
}
