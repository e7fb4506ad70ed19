//! The window: from the map's units to points of the page, one scale for both axes, and its ticks.
//!
//! One unit is as long across as it is up, always: the picture is about distances. What is left of
//! the room on the other axis is shown as more of the plane.

use crate::geometry::{Point, Rect};

/// Ticks are no closer than this, in points of the page.
const SPACING: f64 = 34.0;
/// More ticks than fit on any page: a bound for hostile numbers.
const MOST_TICKS: i64 = 400;
/// A spread below this share of the coordinates is rounding: the points are one point.
const ROUNDING: f64 = 1e-12;
/// Numbers on ticks are written out between these powers of ten.
const PLAIN: std::ops::RangeInclusive<i32> = -3..=4;

/// The smallest box around some points, in units of a power of ten that makes them about 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    exponent: i32,
    middle: [f64; 2],
    /// Widths; at least one of them is positive.
    spread: [f64; 2],
}

impl Bounds {
    /// Around all that is finite; around the origin if nothing is.
    pub fn of(points: impl Iterator<Item = Point> + Clone) -> Self {
        let finite = points.filter(|p| p[0].is_finite() && p[1].is_finite());
        let largest = finite
            .clone()
            .fold(0.0f64, |m, p| m.max(p[0].abs()).max(p[1].abs()));
        // The ends of the exponents of f64 stay out: their powers of ten are not numbers.
        let exponent = if largest > 0.0 {
            (largest.log10().floor() as i32).clamp(-300, 300)
        } else {
            0
        };
        let unit = 10f64.powi(exponent);
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for p in finite {
            for i in 0..2 {
                low[i] = low[i].min(p[i] / unit);
                high[i] = high[i].max(p[i] / unit);
            }
        }
        if low[0] > high[0] {
            (low, high) = ([0.0; 2], [0.0; 2]);
        }
        let middle = [0, 1].map(|i| 0.5 * (low[i] + high[i]));
        let size = middle[0].abs().max(middle[1].abs());
        let mut spread = [0, 1].map(|i| high[i] - low[i]);
        if spread[0].max(spread[1]) <= ROUNDING * size {
            // All points are one point, and the unit may be any.
            spread = [if size > 0.0 { size } else { 1.0 }; 2];
        }
        Self {
            exponent,
            middle,
            spread,
        }
    }

    /// How much higher than wide; 0 for points on a line across.
    pub fn steepness(&self) -> f64 {
        self.spread[1] / self.spread[0]
    }
}

/// The part of the plane that is shown, and where on the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    bounds: Bounds,
    /// Points of the page for one unit.
    scale: f64,
    pub area: Rect,
}

/// A tick: where it is on the page along its axis, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    pub text: String,
    pub is_origin: bool,
}

impl Window {
    /// Shows the bounds in an area, with at least `margin` points of air around.
    pub fn new(bounds: Bounds, area: Rect, margin: f64) -> Self {
        let room = [area.width(), area.height()].map(|length| (length - 2.0 * margin).max(1.0));
        let scales = [0, 1].map(|i| room[i] / bounds.spread[i]);
        Self {
            bounds,
            scale: scales[0].min(scales[1]),
            area,
        }
    }

    /// Where a point of the map is on the page.
    pub fn to_page(self, p: Point) -> Point {
        let unit = 10f64.powi(self.bounds.exponent);
        let centre = [
            0.5 * (self.area.left + self.area.right),
            0.5 * (self.area.top + self.area.bottom),
        ];
        let [x, y] = [0, 1].map(|i| (p[i] / unit - self.bounds.middle[i]) * self.scale);
        [centre[0] + x, centre[1] - y]
    }

    /// The power of ten by which the numbers on both axes are to be multiplied.
    pub fn factor(&self) -> i32 {
        let reach = [self.area.width(), self.area.height()].map(|l| 0.5 * l / self.scale);
        let largest = (0..2)
            .map(|i| self.bounds.middle[i].abs() + reach[i])
            .fold(0.0, f64::max);
        let power = self.bounds.exponent + largest.log10().floor() as i32;
        if PLAIN.contains(&power) { 0 } else { power }
    }

    /// The ticks of an axis, 0 across and 1 up.
    pub fn ticks(&self, axis: usize) -> Vec<Tick> {
        let length = [self.area.width(), self.area.height()][axis];
        let (step, power) = round_step(SPACING / self.scale);
        let (low, high) = (
            self.bounds.middle[axis] - 0.5 * length / self.scale,
            self.bounds.middle[axis] + 0.5 * length / self.scale,
        );
        let factor = self.factor();
        let decimals = (factor - self.bounds.exponent - power).max(0) as usize;
        let first = (low / step).ceil() as i64;
        let last = ((high / step).floor() as i64).min(first.saturating_add(MOST_TICKS));
        let start = [self.area.left, self.area.bottom][axis];
        let towards = [1.0, -1.0][axis];
        (first..=last)
            .map(|i| {
                let value = i as f64 * step;
                Tick {
                    at: start + towards * (value - low) * self.scale,
                    text: number(value * 10f64.powi(self.bounds.exponent - factor), decimals),
                    is_origin: i == 0,
                }
            })
            .collect()
    }
}

/// The next of 1, 2, 5, 10, 20 … that is no smaller, and its power of ten.
fn round_step(least: f64) -> (f64, i32) {
    let power = least.log10().floor() as i32;
    let unit = 10f64.powi(power);
    // 1.0000001 is one: a hair of rounding does not double the step.
    for digit in [1.0, 2.0, 5.0] {
        if digit * unit >= least * (1.0 - 1e-9) {
            return (digit * unit, power);
        }
    }
    (10.0 * unit, power + 1)
}

/// A number as printed, with a true minus sign.
fn number(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(points: &[Point]) -> Window {
        let area = Rect::new(20.0, 10.0, 200.0, 150.0);
        Window::new(Bounds::of(points.iter().copied()), area, 5.0)
    }

    fn texts(window: &Window, axis: usize) -> Vec<String> {
        let ticks = window.ticks(axis).into_iter();
        ticks.map(|t| t.text).collect()
    }

    #[test]
    fn one_scale_for_both_axes() {
        let w = window(&[[-3.0, 0.0], [5.0, 2.0]]);
        let [o, right, up] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|p| w.to_page(p));
        assert!((right[0] - o[0] - (o[1] - up[1])).abs() < 1e-9);
        assert!((right[0] - o[0] - 190.0 / 8.0).abs() < 1e-9);
        // Ticks are where their numbers are.
        for tick in w.ticks(0) {
            let value: f64 = tick.text.replace('−', "-").parse().unwrap();
            assert!((w.to_page([value, 0.0])[0] - tick.at).abs() < 1e-9);
        }
        for tick in w.ticks(1) {
            let value: f64 = tick.text.replace('−', "-").parse().unwrap();
            assert!((w.to_page([0.0, value])[1] - tick.at).abs() < 1e-9);
        }
    }

    #[test]
    fn ticks_are_round() {
        let w = window(&[[-3.0, -1.0], [5.0, 2.0]]);
        assert_eq!(texts(&w, 0), ["−2", "0", "2", "4"]);
        let w = window(&[[-0.03, -0.01], [0.05, 0.02]]);
        assert_eq!(texts(&w, 0), ["−0.02", "0.00", "0.02", "0.04"]);
        let w = window(&[[-3e9, 0.0], [5e9, 2e9]]);
        assert_eq!((w.factor(), texts(&w, 0)[0].as_str()), (9, "−2"));
        let w = window(&[[-3e-9, 0.0], [5e-9, 2e-9]]);
        assert_eq!((w.factor(), texts(&w, 0)[0].as_str()), (-9, "−2"));
    }

    #[test]
    fn any_numbers_give_a_window() {
        let cases: [&[Point]; 7] = [
            &[],
            &[[0.0, 0.0]],
            &[[5.0, 5.0], [5.0, 5.0]],
            &[[f64::NAN, 0.0], [1.0, f64::INFINITY]],
            &[[-1e308, 1e308], [1e308, -1e308]],
            &[[5e-324, 0.0], [0.0, 5e-324]],
            &[[1e15, 1.0], [1e15 + 1.0, 2.0]],
        ];
        for points in cases {
            let w = window(points);
            for axis in 0..2 {
                let ticks = w.ticks(axis);
                assert!(ticks.len() < 20 && ticks.iter().all(|t| t.at.is_finite()));
            }
            for p in points
                .iter()
                .filter(|p| p[0].is_finite() && p[1].is_finite())
            {
                assert!(w.area.meets_disc(w.to_page(*p), 0.1), "{points:?}");
            }
        }
    }
}
