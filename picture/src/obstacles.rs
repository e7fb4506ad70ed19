//! What labels should not cover: markers and arcs, found quickly by a grid of cells.

use crate::geometry::{Point, Rect, Segment};

/// The side of a cell, about the height of a label.
const CELL: f64 = 8.0;
/// Lines are kept as dots this far apart.
const DOTS: f64 = 1.5;
/// What it costs to cover an old marker, a newcomer's marker, and a dot of a line.
const OLD: f64 = 8.0;
const NEW: f64 = 16.0;
const DOT: f64 = 1.2;
/// What a leader costs that crosses a marker or a line, as a share of covering it.
const CROSSING: f64 = 0.7;

struct Disc {
    at: Point,
    radius: f64,
    cost: f64,
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

    /// What it costs to cover this box by the label of the marker at `own`.
    pub fn covered(&self, rect: &Rect, own: Point) -> f64 {
        self.sum(rect, own, |disc| rect.meets_disc(disc.at, disc.radius))
    }

    /// What a leader costs that leaves from the marker at `own`.
    pub fn crossed(&self, leader: &Segment, own: Point) -> f64 {
        let [a, b] = [leader.from, leader.to];
        let bounds = Rect {
            left: a[0].min(b[0]),
            top: a[1].min(b[1]),
            right: a[0].max(b[0]),
            bottom: a[1].max(b[1]),
        };
        CROSSING * self.sum(&bounds, own, |disc| leader.meets_disc(disc.at, disc.radius))
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

    fn sum(&self, rect: &Rect, own: Point, meets: impl Fn(&Disc) -> bool) -> f64 {
        // No disc is larger than a cell: those that reach into the box have their centres near it.
        let discs = self.within(rect.grown(CELL)).flatten();
        let met = discs.filter(|disc| disc.at != own && meets(disc));
        met.map(|disc| disc.cost).sum()
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
