//! The page, divided up: title, legend, window, ticks and axis titles, and all points on it.
//!
//! One unit is one point (1/72 inch), so a font size of 7 is 7-point type in print.

use crate::classes::{self, Colours, Shapes};
use crate::geometry::{Point, Rect};
use crate::groups::{self, Outline, Spider};
use crate::legend;
use crate::palette;
use crate::scene::{Scene, Settings};
use crate::svg::Shape;
use crate::text::{self, Measure};
use crate::window::{Bounds, Tick, Window};

/// Points of the page in a millimetre.
pub(crate) const MILLIMETRE: f64 = 72.0 / 25.4;
/// Sizes of text, in points: the title, titles of axes, all else.
pub(crate) const TITLE: f64 = 8.0;
pub(crate) const AXIS: f64 = 7.5;
pub(crate) const SMALL: f64 = 7.0;
/// Air at the edge of the page, around the map's points, and the length of a tick.
pub(crate) const EDGE: f64 = 3.0;
const MARGIN: f64 = 9.0;
pub(crate) const TICK: f64 = 2.2;
/// How high the map's window is, as a share of its width, when nothing else is asked for.
const HEIGHTS: [f64; 2] = [0.4, 1.15];
/// The same for a map on a line.
const LINE_HEIGHT: f64 = 0.34;
/// A newcomer on the page.
pub(crate) struct Mark {
    pub projection: Option<Point>,
    pub place: Option<Point>,
    pub way: Vec<Point>,
    pub others: Vec<Point>,
    pub region: Vec<Point>,
}

/// How one object looks.
pub(crate) struct Look {
    pub colour: String,
    pub shape: Shape,
}

/// The page, divided up, and all points on it.
pub(crate) struct Sheet<'a> {
    pub scene: &'a Scene<'a>,
    pub settings: &'a Settings,
    pub measure: Measure,
    pub colours: Option<Colours>,
    pub shapes: Option<Shapes>,
    /// Factors of the radii, old ones first, and the range of their numbers.
    pub sizes: Option<(Vec<f64>, [f64; 2])>,
    pub outlines: Vec<Outline>,
    pub spiders: Vec<Spider>,
    pub page: [f64; 2],
    pub title: String,
    pub legend: Vec<legend::Entry>,
    pub legend_top: f64,
    pub window: Window,
    pub ticks: [Vec<Tick>; 2],
    /// NaN where the map has no number.
    pub old: Vec<Point>,
    pub new: Vec<Mark>,
    /// The radius of an old marker, and of a newcomer's.
    pub radius: [f64; 2],
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(scene: &'a Scene<'a>, settings: &'a Settings) -> Self {
        let measure = Measure::new();
        let colours = scene.colour.as_ref().map(|c| Colours::of(c.read()));
        let shapes = scene.shape.as_ref().map(Shapes::of);
        let sizes = scene.size.as_ref().and_then(classes::sizes);
        let width = settings.width * MILLIMETRE;
        let flat = |p: Point| {
            if scene.axes.len() == 1 {
                [p[0], 0.0]
            } else {
                p
            }
        };

        // From the top: title, legend, window, ticks, axis title.
        let inner = width - 2.0 * EDGE;
        let title = text::one_line(settings.title.as_deref().unwrap_or_default());
        let title = measure.elided(&title, TITLE, inner);
        let legend_top = EDGE + if title.is_empty() { 0.0 } else { TITLE * 1.5 };
        let lists = legend::entries(scene, &colours, &shapes, &sizes);
        let (legend, legend_height) = legend::flow(lists, inner, &measure);
        let gap = if legend.is_empty() { 0.0 } else { 3.0 };
        let top = legend_top + legend_height + gap;
        let below = TICK + 2.0 + SMALL + 2.0 + AXIS + EDGE;

        let (outlines, spiders) = groups::outlines(scene, settings, &colours);
        let around = outlines.iter().flat_map(|o| o.line.iter().copied());
        let bounds = Bounds::of(points(scene).chain(around).map(flat));
        let bottom = |left: f64| match settings.height {
            Some(height) => (height * MILLIMETRE - below).max(top + 10.0),
            None => {
                let across = width - left - EDGE;
                let share = if scene.axes.len() == 1 {
                    LINE_HEIGHT
                } else {
                    bounds.steepness().clamp(HEIGHTS[0], HEIGHTS[1])
                };
                top + share * (across - 2.0 * MARGIN) + 2.0 * MARGIN
            }
        };
        let window = |left: f64| {
            let area = Rect {
                left,
                top,
                right: width - EDGE,
                bottom: bottom(left),
            };
            Window::new(bounds, area, MARGIN)
        };
        // How wide the numbers beside the axis are depends on the window, and the other way round:
        // twice is enough, as a point more or less changes no tick.
        let left = |window: &Window| {
            if scene.axes.len() == 1 {
                return EDGE;
            }
            let ticks = window.ticks(1);
            let widths = ticks.iter().map(|t| measure.width(&t.text, SMALL));
            EDGE + AXIS + 3.0 + widths.fold(0.0, f64::max) + 2.0 + TICK
        };
        let window = window(left(&window(left(&window(30.0)))));
        let ticks = [
            window.ticks(0),
            if scene.axes.len() == 1 {
                Vec::new()
            } else {
                window.ticks(1)
            },
        ];

        let page = |p: Point| window.to_page(flat(p));
        let on_page = |p: Option<Point>| p.filter(finite).map(page);
        let old: Vec<Point> = scene.points.iter().map(|&p| page(p)).collect();
        let new: Vec<Mark> = scene
            .newcomers
            .iter()
            .map(|newcomer| Mark {
                projection: on_page(newcomer.projection),
                place: on_page(newcomer.place),
                way: newcomer
                    .way
                    .iter()
                    .copied()
                    .filter(finite)
                    .map(page)
                    .collect(),
                others: newcomer
                    .others
                    .iter()
                    .copied()
                    .filter(finite)
                    .map(page)
                    .collect(),
                region: newcomer
                    .region
                    .iter()
                    .copied()
                    .filter(finite)
                    .map(page)
                    .collect(),
            })
            .collect();
        // Markers shrink slowly as they become many.
        let radius = |count: usize, full: f64, least: f64| {
            (full * (60.0 / (count.max(1) as f64)).powf(0.16)).clamp(least, full)
        };
        Self {
            radius: [radius(old.len(), 1.55, 0.5), radius(new.len(), 1.9, 0.8)],
            page: [width, window.area.bottom + below],
            scene,
            settings,
            measure,
            colours,
            shapes,
            sizes,
            outlines,
            spiders,
            title,
            legend,
            legend_top,
            window,
            ticks,
            old,
            new,
        }
    }

    pub(crate) fn old_look(&self, i: usize) -> Look {
        let own = || palette::roles().old.light.clone();
        let shapes = self.shapes.as_ref();
        Look {
            colour: self.colours.as_ref().map_or_else(own, |c| c.colour(i)),
            shape: shapes.map_or(Shape::Circle, |s| s.shape(i)),
        }
    }

    /// A newcomer where it is placed; where it is only projected, as a newcomer.
    pub(crate) fn new_look(&self, i: usize) -> Look {
        let roles = palette::roles();
        let (role, shape) = match (self.new[i].place, self.scene.strategy) {
            (None, _) => (&roles.newcomer, Shape::Circle),
            (Some(_), true) => (&roles.strategy, Shape::Square),
            (Some(_), false) => (&roles.reconstruction, Shape::Diamond),
        };
        let at = self.old.len() + i;
        let shapes = self.shapes.as_ref();
        let own = || role.light.clone();
        Look {
            colour: self.colours.as_ref().map_or_else(own, |c| c.colour(at)),
            shape: shapes.map_or(shape, |s| s.shape(at)),
        }
    }

    /// The radius of an object's mark, old ones first.
    pub(crate) fn radius_of(&self, at: usize) -> f64 {
        let usual = self.radius[usize::from(at >= self.old.len())];
        self.sizes.as_ref().map_or(usual, |(f, _)| usual * f[at])
    }

    /// Whether some newcomer has a place beside its projection.
    pub(crate) fn has_places(&self) -> bool {
        self.new.iter().any(|m| m.place.is_some())
    }

    /// Where colour says something else, a dark outline says who is new.
    pub(crate) fn outline(&self) -> &'static str {
        if self.colours.is_some() || self.shapes.is_some() {
            "#000000"
        } else {
            "#ffffff"
        }
    }

    pub(crate) fn new_text(&self) -> &'static str {
        if self.colours.is_some() {
            "#000000"
        } else {
            palette::NEW_TEXT
        }
    }
}

impl Mark {
    /// Where its label belongs.
    pub(crate) fn anchor(&self) -> Option<Point> {
        self.place.or(self.projection)
    }
}

/// All points of a scene.
fn points<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = Point> + Clone + 'a {
    let new = scene.newcomers.iter().flat_map(|m| {
        let ends = [m.projection, m.place].into_iter().flatten();
        ends.chain(m.way.iter().copied())
            .chain(m.others.iter().copied())
            .chain(m.region.iter().copied())
    });
    let arrows = scene.arrows.iter().map(|a| a.to);
    scene.points.iter().copied().chain(new).chain(arrows)
}

pub(crate) fn finite(p: &Point) -> bool {
    p[0].is_finite() && p[1].is_finite()
}
