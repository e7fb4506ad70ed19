//! Boxes, segments, and what they cover. All in points of the page, y downwards.

/// A place on the page.
pub(crate) type Point = [f64; 2];

/// An upright box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn holds(&self, other: &Rect) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && other.right <= self.right
            && other.bottom <= self.bottom
    }

    /// The point of the box nearest to `p`.
    pub fn nearest(&self, p: Point) -> Point {
        [
            p[0].max(self.left).min(self.right),
            p[1].max(self.top).min(self.bottom),
        ]
    }

    /// Whether a disc covers some of it.
    pub fn meets_disc(&self, centre: Point, radius: f64) -> bool {
        let p = self.nearest(centre);
        let (x, y) = (p[0] - centre[0], p[1] - centre[1]);
        x * x + y * y < radius * radius
    }

    /// Whether a segment passes through it (Liang and Barsky's clipping).
    pub fn meets_segment(&self, s: &Segment) -> bool {
        let (dx, dy) = (s.to[0] - s.from[0], s.to[1] - s.from[1]);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (p, q) in [
            (-dx, s.from[0] - self.left),
            (dx, self.right - s.from[0]),
            (-dy, s.from[1] - self.top),
            (dy, self.bottom - s.from[1]),
        ] {
            if p == 0.0 {
                if q < 0.0 {
                    return false;
                }
            } else if p < 0.0 {
                enter = enter.max(q / p);
            } else {
                leave = leave.min(q / p);
            }
        }
        enter < leave
    }
}

/// A straight line between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Segment {
    pub from: Point,
    pub to: Point,
}

impl Segment {
    pub fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    /// The point at a share of its length.
    pub fn at(&self, share: f64) -> Point {
        [0, 1].map(|i| self.from[i] + share * (self.to[i] - self.from[i]))
    }

    /// Whether two segments cross.
    pub fn crosses(&self, other: &Segment) -> bool {
        let side = |s: &Segment, p: Point| {
            (s.to[0] - s.from[0]) * (p[1] - s.from[1]) - (s.to[1] - s.from[1]) * (p[0] - s.from[0])
        };
        side(self, other.from) * side(self, other.to) < 0.0
            && side(other, self.from) * side(other, self.to) < 0.0
    }

    /// Whether it comes nearer to `p` than `radius`.
    pub fn meets_disc(&self, p: Point, radius: f64) -> bool {
        let (dx, dy) = (self.to[0] - self.from[0], self.to[1] - self.from[1]);
        let squared = dx * dx + dy * dy;
        let share = if squared == 0.0 {
            0.0
        } else {
            ((p[0] - self.from[0]) * dx + (p[1] - self.from[1]) * dy) / squared
        };
        let q = self.at(share.clamp(0.0, 1.0));
        let (x, y) = (p[0] - q[0], p[1] - q[1]);
        x * x + y * y < radius * radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_boxes() {
        let rect = Rect::new(0.0, 0.0, 10.0, 4.0);
        let line = |a: Point, b: Point| Segment { from: a, to: b };
        assert!(rect.meets_segment(&line([-5.0, 2.0], [15.0, 2.0])));
        assert!(rect.meets_segment(&line([1.0, 1.0], [2.0, 2.0])));
        assert!(!rect.meets_segment(&line([-5.0, 2.0], [-1.0, 2.0])));
        assert!(!rect.meets_segment(&line([-5.0, 5.0], [15.0, 5.0])));
        assert!(!rect.meets_segment(&line([-2.0, 1.0], [1.0, -2.0])));
        assert!(line([0.0, 0.0], [2.0, 2.0]).crosses(&line([0.0, 2.0], [2.0, 0.0])));
        assert!(!line([0.0, 0.0], [2.0, 2.0]).crosses(&line([3.0, 0.0], [4.0, 9.0])));
        assert!(rect.meets_disc([11.0, 2.0], 1.5));
        assert!(!rect.meets_disc([11.0, 5.0], 1.4));
        assert!(line([0.0, 0.0], [4.0, 0.0]).meets_disc([2.0, 1.0], 1.1));
        assert!(!line([0.0, 0.0], [4.0, 0.0]).meets_disc([6.0, 1.0], 1.1));
    }
}
