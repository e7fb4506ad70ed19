//! What labels should not cover: markers and arcs, found quickly by a grid of cells.

use crate::geometry::{Point, Rect, Segment};

/// The side of a cell, about the height of a label.
const CELL: f64 = 8.0;
/// Lines are kept as dots this far apart.
const DOTS: f64 = 1.5;
/// What it costs to cover an old marker, a newcomer's marker, and a dot of a line.
const OLD: f64 = 16.0;
const NEW: f64 = 32.0;
const DOT: f64 = 1.2;
/// A label this close to another marker could be taken for that one's, at a share of the cost.
const CLOSE: f64 = 2.0;
const MISTAKEN: f64 = 0.25;
/// What a leader costs that crosses a line, as a share of covering it.
const CROSSING: f64 = 0.7;
/// The same for a marker, and more than to cover it: a leader through another marker seems to be that one's.
const THROUGH: f64 = 3.0;

struct Disc {
    at: Point,
    radius: f64,
    cost: f64,
}

/// Whose label it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Owner {
    /// The marker that the label is of.
    pub anchor: Point,
    /// Another marker of the same object, with which it may be seen.
    pub partner: Option<Point>,
}

/// Markers and lines on the page.
pub(crate) struct Obstacles {
    area: Rect,
    columns: usize,
    rows: usize,
    cells: Vec<Vec<Disc>>,
}

impl Obstacles {
    pub fn new(area: Rect) -> Self {
        let count = |length: f64| (length / CELL).ceil().max(1.0) as usize;
        let (columns, rows) = (count(area.width()), count(area.height()));
        Self {
            area,
            columns,
            rows,
            cells: (0..columns * rows).map(|_| Vec::new()).collect(),
        }
    }

    /// An old object's marker.
    pub fn old(&mut self, at: Point, radius: f64) {
        self.put(at, radius, OLD);
    }

    /// A newcomer's marker.
    pub fn new_marker(&mut self, at: Point, radius: f64) {
        self.put(at, radius, NEW);
    }

    /// A line through points.
    pub fn line(&mut self, points: &[Point], radius: f64) {
        for ends in points.windows(2) {
            let piece = Segment {
                from: ends[0],
                to: ends[1],
            };
            let count = (piece.length() / DOTS).ceil().max(1.0);
            for i in 0..count as usize {
                self.put(piece.at((i as f64 + 0.5) / count), radius, DOT);
            }
        }
    }

    /// Words that stand already, from `x` on, `wide`, between two heights.
    pub fn words(&mut self, x: f64, wide: f64, top: f64, bottom: f64) {
        let radius = 0.5 * (bottom - top);
        let count = (wide / radius).ceil().max(1.0);
        for i in 0..=count as usize {
            self.put([x + wide * i as f64 / count, top + radius], radius, NEW);
        }
    }

    /// What it costs to cover this box by the label of `owner`.
    pub fn covered(&self, rect: &Rect, owner: &Owner) -> f64 {
        let close = rect.grown(CLOSE);
        let mut cost = 0.0;
        for disc in self.around(rect).filter(|disc| disc.at != owner.anchor) {
            if rect.meets_disc(disc.at, disc.radius) {
                cost += disc.cost;
            } else if disc.cost > DOT
                && owner.partner != Some(disc.at)
                && close.meets_disc(disc.at, disc.radius)
            {
                cost += MISTAKEN * disc.cost;
            }
        }
        cost
    }

    /// What a leader costs that leaves from the marker of `owner`.
    pub fn crossed(&self, leader: &Segment, owner: &Owner) -> f64 {
        let [a, b] = [leader.from, leader.to];
        let bounds = Rect {
            left: a[0].min(b[0]),
            top: a[1].min(b[1]),
            right: a[0].max(b[0]),
            bottom: a[1].max(b[1]),
        };
        let others = self.around(&bounds).filter(|disc| disc.at != owner.anchor);
        let met = others.filter(|disc| leader.meets_disc(disc.at, disc.radius));
        met.map(|disc| disc.cost * if disc.cost > DOT { THROUGH } else { CROSSING })
            .sum()
    }

    /// How crowded it is around a point.
    pub fn near(&self, at: Point) -> usize {
        let rect = Rect::new(at[0], at[1], 0.0, 0.0).grown(CELL);
        self.within(rect).map(|cell| cell.len()).sum()
    }

    fn put(&mut self, at: Point, radius: f64, cost: f64) {
        let column = index(at[0] - self.area.left, self.columns);
        let row = index(at[1] - self.area.top, self.rows);
        self.cells[row * self.columns + column].push(Disc { at, radius, cost });
    }

    /// No disc is larger than a cell: those that reach into the box have their centres near it.
    fn around(&self, rect: &Rect) -> impl Iterator<Item = &Disc> {
        self.within(rect.grown(CELL)).flatten()
    }

    fn within(&self, rect: Rect) -> impl Iterator<Item = &Vec<Disc>> {
        let first = index(rect.left - self.area.left, self.columns);
        let last = index(rect.right - self.area.left, self.columns);
        let top = index(rect.top - self.area.top, self.rows);
        let bottom = index(rect.bottom - self.area.top, self.rows);
        (top..=bottom).flat_map(move |row| {
            (first..=last).map(move |column| &self.cells[row * self.columns + column])
        })
    }
}

/// The cell of a place; what is outside counts to the outermost.
fn index(offset: f64, count: usize) -> usize {
    ((offset / CELL).max(0.0) as usize).min(count - 1)
}
