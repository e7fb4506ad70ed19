//! The picture itself: the page is divided, the map is set in its window, and drawn from back to
//! front (grid, arcs, old objects, projections, places, labels).
//!
//! One unit of the SVG is one point (1/72 inch), so a font size of 7 is 7-point type in print.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::classes::{Colours, Shapes};
use crate::error::Error;
use crate::geometry::{Point, Rect};
use crate::label::{self, Label, Place};
use crate::legend::{self, Symbol};
use crate::obstacles::Obstacles;
use crate::palette;
use crate::scene::{SIZES, Scene, Settings};
use crate::svg::{Shape, escaped, length, polyline};
use crate::text::{self, Measure};
use crate::window::{Bounds, Tick, Window};

/// Points of the page in a millimetre.
const MILLIMETRE: f64 = 72.0 / 25.4;
/// Sizes of text, in points.
const TITLE: f64 = 8.0;
const AXIS: f64 = 7.5;
const SMALL: f64 = 7.0;
/// Air at the edge of the page, around the map's points, and between axis, ticks and titles.
const EDGE: f64 = 3.0;
const MARGIN: f64 = 9.0;
const TICK: f64 = 2.2;
/// How high the map's window is, as a share of its width, when nothing else is asked for.
const HEIGHTS: [f64; 2] = [0.4, 1.15];
/// The same for a map on a line.
const LINE_HEIGHT: f64 = 0.34;
/// A label is no wider than this share of the window.
const LABEL_SHARE: f64 = 0.36;
/// Old objects from which markers are drawn as bare dots, and from which the dots are see-through
/// in layers, so that crowded places look crowded.
const MANY: usize = 600;
const CROWD: usize = 3000;
const LAYERS: usize = 6;

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The picture as SVG, complete in itself.
    pub svg: String,
    /// Its size in millimetres, width and height.
    pub size: [f64; 2],
    /// How many objects are drawn that could have a label, and how many have one.
    pub objects: usize,
    /// Objects with a label.
    pub labelled: usize,
    /// Newcomers that are drawn, but for whose labels there was no room.
    pub nameless: Vec<String>,
    /// Newcomers that have no place to be drawn at.
    pub unplaced: Vec<String>,
    /// Classes that share a colour or a shape, because there are more of them than can be told apart.
    pub unclassed: usize,
    /// Letters that the bundled font does not have.
    pub unknown_letters: Vec<char>,
}

/// Draws a map.
pub fn draw(scene: &Scene<'_>, settings: &Settings) -> Result<Drawing, Error> {
    check(scene, settings)?;
    let sheet = Sheet::new(scene, settings);
    Ok(sheet.draw())
}

fn check(scene: &Scene<'_>, settings: &Settings) -> Result<(), Error> {
    let sizes = [("width", Some(settings.width)), ("height", settings.height)];
    for (what, size) in sizes {
        if let Some(found) = size.filter(|s| !SIZES.contains(s)) {
            return Err(Error::Size { what, found });
        }
    }
    let (n, k) = (scene.points.len(), scene.newcomers.len());
    let mut lengths = vec![("labels of old objects", scene.labels.len(), n)];
    if !(1..=2).contains(&scene.axes.len()) {
        lengths.push(("titles of axes", scene.axes.len(), 2));
    }
    for column in [&scene.colour, &scene.shape].into_iter().flatten() {
        lengths.push(("cells for old objects", column.old.len(), n));
        lengths.push(("cells for newcomers", column.new.len(), k));
    }
    for (what, found, expected) in lengths {
        if found != expected {
            return Err(Error::Length {
                what,
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// A newcomer on the page.
struct Mark {
    projection: Option<Point>,
    place: Option<Point>,
    way: Vec<Point>,
    others: Vec<Point>,
}

/// How one object looks.
struct Look {
    colour: String,
    shape: Shape,
}

/// The page, divided up, and all points on it.
struct Sheet<'a> {
    scene: &'a Scene<'a>,
    settings: &'a Settings,
    measure: Measure,
    colours: Option<Colours<'a>>,
    shapes: Option<Shapes<'a>>,
    page: [f64; 2],
    title: String,
    legend: Vec<legend::Entry>,
    legend_top: f64,
    window: Window,
    ticks: [Vec<Tick>; 2],
    /// NaN where the map has no number.
    old: Vec<Point>,
    new: Vec<Mark>,
    /// The radius of an old marker, and of a newcomer's.
    radius: [f64; 2],
}

impl<'a> Sheet<'a> {
    fn new(scene: &'a Scene<'a>, settings: &'a Settings) -> Self {
        let measure = Measure::new();
        let colours = scene.colour.as_ref().map(Colours::of);
        let shapes = scene.shape.as_ref().map(Shapes::of);
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
        let lists = entries(scene, &colours, &shapes);
        let (legend, legend_height) = legend::flow(lists, inner, &measure);
        let gap = if legend.is_empty() { 0.0 } else { 3.0 };
        let top = legend_top + legend_height + gap;
        let below = TICK + 2.0 + SMALL + 2.0 + AXIS + EDGE;

        let bounds = Bounds::of(points(scene).map(flat));
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
            title,
            legend,
            legend_top,
            window,
            ticks,
            old,
            new,
        }
    }

    fn draw(&self) -> Drawing {
        let mut out = String::new();
        self.head(&mut out);
        self.grid(&mut out);
        self.ways(&mut out);
        self.old_markers(&mut out);
        self.projections(&mut out);
        self.places(&mut out);
        let named = self.labels(&mut out);
        self.axes(&mut out);
        self.key(&mut out);
        out += "</svg>\n";

        let n = self.old.len();
        let drawn_old = self.old.iter().filter(|p| finite(p)).count();
        let drawn_new = self.new.iter().filter(|m| m.anchor().is_some()).count();
        let newcomers = self.scene.newcomers.iter().zip(&self.new).enumerate();
        let mut nameless = Vec::new();
        let mut unplaced = Vec::new();
        for (i, (newcomer, mark)) in newcomers {
            if mark.anchor().is_none() {
                unplaced.push(newcomer.label.to_owned());
            } else if self.settings.labels && !named[n + i] {
                nameless.push(newcomer.label.to_owned());
            }
        }
        let beyond = self.colours.as_ref().map_or(0, Colours::beyond)
            + self.shapes.as_ref().map_or(0, Shapes::beyond);
        let mut unknown_letters: Vec<char> = self.measure.unknown(&out).collect();
        unknown_letters.retain(|c| !c.is_whitespace());
        unknown_letters.sort_unstable();
        unknown_letters.dedup();
        Drawing {
            svg: out,
            size: self.page.map(|l| l / MILLIMETRE),
            objects: drawn_old + drawn_new,
            labelled: named.iter().filter(|n| **n).count(),
            nameless,
            unplaced,
            unclassed: beyond,
            unknown_letters,
        }
    }

    fn head(&self, out: &mut String) {
        let [width, height] = self.page;
        let name = if self.title.is_empty() {
            "A map".to_owned()
        } else {
            escaped(&self.title)
        };
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" \
             viewBox=\"0 0 {} {}\" font-family=\"{}\" font-size=\"{SMALL}\" role=\"img\">\n\
             <title>{name}</title>\n\
             <desc>{} old objects and {} newcomers; one unit is as long on one axis as on the other.</desc>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            length(width / MILLIMETRE),
            length(height / MILLIMETRE),
            length(width),
            length(height),
            text::FAMILIES,
            self.old.len(),
            self.new.len(),
        );
        if !self.title.is_empty() {
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"{TITLE}\" fill=\"#000000\">{}</text>",
                length(EDGE),
                length(EDGE + TITLE * 0.8),
                escaped(&self.title)
            );
        }
    }

    /// A light grid at the ticks; the lines through the origin are a little darker.
    fn grid(&self, out: &mut String) {
        let area = &self.window.area;
        let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom].map(length);
        let [mut light, mut dark] = [String::new(), String::new()];
        for tick in &self.ticks[0] {
            let path = if tick.is_origin {
                &mut dark
            } else {
                &mut light
            };
            let _ = write!(path, "M{} {top}V{bottom}", length(tick.at));
        }
        for tick in &self.ticks[1] {
            let path = if tick.is_origin {
                &mut dark
            } else {
                &mut light
            };
            let _ = write!(path, "M{left} {}H{right}", length(tick.at));
        }
        if self.scene.axes.len() == 1 {
            let middle = 0.5 * (area.top + area.bottom);
            let _ = write!(dark, "M{left} {}H{right}", length(middle));
        }
        open(out, "grid", "fill=\"none\" stroke-width=\"0.4\"");
        for (path, colour) in [(light, palette::GRID), (dark, palette::ORIGIN)] {
            if !path.is_empty() {
                let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\"/>");
            }
        }
        *out += "</g>\n";
    }

    fn ways(&self, out: &mut String) {
        let mut paths: BTreeMap<String, String> = BTreeMap::new();
        for (i, mark) in self.new.iter().enumerate() {
            if mark.way.len() > 1 {
                let colour = match &self.colours {
                    Some(_) => self.new_look(i).colour,
                    None => palette::WAY.to_owned(),
                };
                polyline(mark.way.iter().copied(), paths.entry(colour).or_default());
            }
        }
        let wide = length((0.55 * self.radius[1]).min(0.9));
        open(
            out,
            "arcs",
            &format!(
                "fill=\"none\" stroke-width=\"{wide}\" stroke-linecap=\"round\" stroke-linejoin=\"round\""
            ),
        );
        for (colour, path) in paths {
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\"/>");
        }
        *out += "</g>\n";
    }

    fn old_markers(&self, out: &mut String) {
        let n = self.old.len();
        let layers = if n > CROWD { LAYERS } else { 1 };
        let opacity = if layers > 1 { " opacity=\"0.45\"" } else { "" };
        let mut paths: BTreeMap<(usize, String, Shape), String> = BTreeMap::new();
        for (i, &p) in self.old.iter().enumerate().filter(|(_, p)| finite(p)) {
            let look = self.old_look(i);
            let path = paths
                .entry((i % layers, look.colour, look.shape))
                .or_default();
            if n > MANY && look.shape == Shape::Circle {
                // A line of no length with a round end is a dot: a third of a circle's bytes.
                let _ = write!(path, "M{} {}h0", length(p[0]), length(p[1]));
            } else {
                look.shape.path(p, self.radius[0], path);
            }
        }
        open(out, "old", "stroke=\"#ffffff\" stroke-width=\"0.3\"");
        for ((_, colour, shape), path) in paths {
            if n > MANY && shape == Shape::Circle {
                let _ = writeln!(
                    out,
                    "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\"{opacity}/>",
                    length(2.0 * self.radius[0])
                );
            } else {
                let _ = writeln!(out, "<path d=\"{path}\" fill=\"{colour}\"{opacity}/>");
            }
        }
        *out += "</g>\n";
    }

    fn projections(&self, out: &mut String) {
        let mut paths: BTreeMap<String, String> = BTreeMap::new();
        for (i, mark) in self.new.iter().enumerate() {
            if let Some(p) = mark.projection {
                let colour = match &self.colours {
                    Some(_) => self.new_look(i).colour,
                    None => palette::PROJECTION.to_owned(),
                };
                let path = paths.entry(colour).or_default();
                Shape::Circle.path(p, self.radius[1], path);
            }
        }
        let wide = length(0.45 * self.radius[1]);
        open(
            out,
            "projections",
            &format!("fill=\"#ffffff\" stroke-width=\"{wide}\""),
        );
        for (colour, path) in paths {
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\"/>");
        }
        *out += "</g>\n";
    }

    fn places(&self, out: &mut String) {
        let mut others: BTreeMap<String, String> = BTreeMap::new();
        let mut places: BTreeMap<(String, Shape), String> = BTreeMap::new();
        for (i, mark) in self.new.iter().enumerate() {
            let look = self.new_look(i);
            for &p in &mark.others {
                let path = others.entry(look.colour.clone()).or_default();
                look.shape.path(p, 0.9 * self.radius[1], path);
            }
            if let Some(p) = mark.place {
                let path = places.entry((look.colour, look.shape)).or_default();
                look.shape.path(p, self.radius[1], path);
            }
        }
        let wide = length(0.4 * self.radius[1]);
        open(
            out,
            "others",
            &format!("fill=\"#ffffff\" stroke-width=\"{wide}\""),
        );
        for (colour, path) in others {
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\"/>");
        }
        *out += "</g>\n";
        open(
            out,
            "places",
            &format!("stroke=\"{}\" stroke-width=\"0.35\"", self.outline()),
        );
        for ((colour, _), path) in places {
            let _ = writeln!(out, "<path d=\"{path}\" fill=\"{colour}\"/>");
        }
        *out += "</g>\n";
    }

    /// Writes labels; the answer says of each object, old then new, whether it has one.
    fn labels(&self, out: &mut String) -> Vec<bool> {
        let n = self.old.len();
        let mut named = vec![false; n + self.new.len()];
        if !self.settings.labels {
            return named;
        }
        let area = self.window.area;
        let mut obstacles = Obstacles::new(area);
        for &p in self.old.iter().filter(|p| finite(p)) {
            obstacles.old(p, self.radius[0]);
        }
        for mark in &self.new {
            let points = [mark.projection, mark.place].into_iter().flatten();
            for p in points.chain(mark.others.iter().copied()) {
                obstacles.new_marker(p, 1.2 * self.radius[1]);
            }
            obstacles.line(&mark.way, 0.5);
        }

        // Newcomers first: they are what the picture is about.
        let widest = LABEL_SHARE * area.width();
        let mut texts: Vec<(usize, String)> = Vec::new();
        let mut labels: Vec<Label> = Vec::new();
        let anchors = self.new.iter().enumerate();
        let anchors = anchors.filter_map(|(i, m)| m.anchor().map(|p| (n + i, p)));
        let old = self.old.iter().copied().enumerate();
        for (i, anchor) in anchors.chain(old.filter(|(_, p)| finite(p))) {
            let new = i >= n;
            let full = if new {
                self.scene.newcomers[i - n].label
            } else {
                &self.scene.labels[i]
            };
            let text = self.measure.elided(&text::one_line(full), SMALL, widest);
            if text.is_empty() {
                continue;
            }
            labels.push(Label {
                anchor,
                radius: if new {
                    1.3 * self.radius[1]
                } else {
                    self.radius[0]
                },
                width: self.measure.width(&text, SMALL),
                height: (text::ABOVE + text::BELOW) * SMALL,
                new,
            });
            texts.push((i, text));
        }
        let places = label::place(&labels, &obstacles, area);

        open(
            out,
            "leaders",
            &format!(
                "fill=\"none\" stroke=\"{}\" stroke-width=\"0.35\"",
                palette::LINE
            ),
        );
        for leader in places.iter().flatten().filter_map(|p| p.leader) {
            let mut path = String::new();
            polyline([leader.from, leader.to].into_iter(), &mut path);
            let _ = write!(out, "<path d=\"{path}\"/>");
        }
        *out += "</g>\n";
        // A white rim keeps letters readable on lines and dots.
        open(
            out,
            "labels",
            &format!(
                "fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1.2\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                palette::TEXT
            ),
        );
        for ((i, text), place) in texts.iter().zip(&places) {
            if let Some(place) = place {
                named[*i] = true;
                self.label(*i, text, place, out);
            }
        }
        *out += "</g>\n";
        named
    }

    fn label(&self, i: usize, text: &str, place: &Place, out: &mut String) {
        let n = self.old.len();
        let colour = if i >= n {
            format!(" fill=\"{}\"", self.new_text())
        } else {
            String::new()
        };
        let element = format!(
            "<text x=\"{}\" y=\"{}\"{colour}>{}</text>",
            length(place.rect.left),
            length(place.rect.top + text::ABOVE * SMALL),
            escaped(text)
        );
        let full = if i >= n {
            self.scene.newcomers[i - n].label
        } else {
            &self.scene.labels[i]
        };
        let full = text::one_line(full);
        if full == text {
            let _ = writeln!(out, "{element}");
        } else {
            // What was cut off can still be had by pointing at it.
            let _ = writeln!(out, "<g><title>{}</title>{element}</g>", escaped(&full));
        }
    }

    fn axes(&self, out: &mut String) {
        let area = &self.window.area;
        let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom].map(length);
        let mut path = format!("M{left} {bottom}H{right}");
        if self.scene.axes.len() == 2 {
            path = format!("M{left} {top}V{bottom}H{right}");
        }
        for tick in &self.ticks[0] {
            let _ = write!(path, "M{} {bottom}v{TICK}", length(tick.at));
        }
        for tick in &self.ticks[1] {
            let _ = write!(path, "M{left} {}h-{TICK}", length(tick.at));
        }
        open(out, "axes", &format!("fill=\"{}\"", palette::TEXT));
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.5\"/>",
            palette::LINE
        );
        let numbers = area.bottom + TICK + 2.0 + 0.74 * SMALL;
        for tick in &self.ticks[0] {
            // Numbers at the very edge are kept on the page.
            let half = self.measure.width(&tick.text, SMALL) / 2.0;
            let x = tick.at.min(self.page[0] - half - 0.5).max(half + 0.5);
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                length(x),
                length(numbers),
                tick.text
            );
        }
        for tick in &self.ticks[1] {
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                length(area.left - TICK - 2.0),
                length(tick.at + 0.36 * SMALL),
                tick.text
            );
        }
        let factor = match self.window.factor() {
            0 => String::new(),
            power => format!(", × 10{}", superscript(power)),
        };
        let titles = self.scene.axes.iter().map(|t| text::one_line(t) + &factor);
        for (axis, title) in titles.enumerate() {
            let room = if axis == 0 {
                area.width()
            } else {
                area.height()
            };
            let title = escaped(&self.measure.elided(&title, AXIS, room));
            let place = if axis == 0 {
                format!(
                    "x=\"{}\" y=\"{}\"",
                    length(0.5 * (area.left + area.right)),
                    length(numbers + 2.0 + AXIS)
                )
            } else {
                format!(
                    "transform=\"translate({} {}) rotate(-90)\"",
                    length(EDGE + 0.78 * AXIS),
                    length(0.5 * (area.top + area.bottom))
                )
            };
            let _ = write!(
                out,
                "\n<text {place} text-anchor=\"middle\" font-size=\"{AXIS}\">{title}</text>"
            );
        }
        *out += "</g>\n";
    }

    fn key(&self, out: &mut String) {
        open(out, "legend", &format!("fill=\"{}\"", palette::TEXT));
        for entry in &self.legend {
            let x = EDGE + entry.symbol_x;
            let y = self.legend_top + entry.y - 0.34 * legend::SIZE;
            let mut path = String::new();
            match &entry.symbol {
                Symbol::Heading => {}
                Symbol::Dot { colour, shape } => {
                    shape.path([x, y], 1.7, &mut path);
                    let _ = write!(out, "<path d=\"{path}\" fill=\"{colour}\"/>");
                }
                Symbol::Ring(colour) => {
                    Shape::Circle.path([x, y], 1.9, &mut path);
                    let _ = write!(
                        out,
                        "<path d=\"{path}\" fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"0.85\"/>"
                    );
                }
                Symbol::Place { colour, outlined } => {
                    Shape::Diamond.path([x, y], 1.9, &mut path);
                    let stroke = if *outlined { "#000000" } else { "none" };
                    let _ = write!(
                        out,
                        "<path d=\"{path}\" fill=\"{colour}\" stroke=\"{stroke}\" stroke-width=\"0.35\"/>"
                    );
                }
                Symbol::Other(colour) => {
                    Shape::Diamond.path([x, y], 1.7, &mut path);
                    let _ = write!(
                        out,
                        "<path d=\"{path}\" fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"0.75\"/>"
                    );
                }
                Symbol::Way(colour) => {
                    let _ = write!(
                        out,
                        "<path d=\"M{} {}h8\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.9\" stroke-linecap=\"round\"/>",
                        length(x - 4.0),
                        length(y)
                    );
                }
                Symbol::Scale => {
                    const PARTS: usize = 20;
                    for i in 0..PARTS {
                        let wide = legend::BAR / PARTS as f64;
                        let _ = write!(
                            out,
                            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"5\" fill=\"{}\"/>",
                            length(x - legend::BAR / 2.0 + i as f64 * wide),
                            length(y - 2.5),
                            length(wide + 0.1),
                            palette::scale((i as f64 + 0.5) / PARTS as f64)
                        );
                    }
                }
            }
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\">{}</text>",
                length(EDGE + entry.text_x),
                length(self.legend_top + entry.y),
                escaped(&entry.text)
            );
        }
        *out += "</g>\n";
    }

    fn old_look(&self, i: usize) -> Look {
        let colour = self.scene.colour.as_ref().zip(self.colours.as_ref());
        let shape = self.scene.shape.as_ref().zip(self.shapes.as_ref());
        Look {
            colour: colour.map_or_else(|| palette::OLD.to_owned(), |(c, k)| k.colour(&c.old[i])),
            shape: shape.map_or(Shape::Circle, |(c, k)| k.shape(&c.old[i])),
        }
    }

    fn new_look(&self, i: usize) -> Look {
        let colour = self.scene.colour.as_ref().zip(self.colours.as_ref());
        let shape = self.scene.shape.as_ref().zip(self.shapes.as_ref());
        Look {
            colour: colour.map_or_else(|| palette::PLACE.to_owned(), |(c, k)| k.colour(&c.new[i])),
            shape: shape.map_or(Shape::Diamond, |(c, k)| k.shape(&c.new[i])),
        }
    }

    /// Where colour says something else, a dark outline says who is new.
    fn outline(&self) -> &'static str {
        if self.colours.is_some() || self.shapes.is_some() {
            "#000000"
        } else {
            "#ffffff"
        }
    }

    fn new_text(&self) -> &'static str {
        if self.colours.is_some() {
            "#000000"
        } else {
            palette::NEW_TEXT
        }
    }
}

impl Mark {
    /// Where its label belongs.
    fn anchor(&self) -> Option<Point> {
        self.place.or(self.projection)
    }
}

/// What the legend lists.
fn entries(
    scene: &Scene<'_>,
    colours: &Option<Colours<'_>>,
    shapes: &Option<Shapes<'_>>,
) -> Vec<Vec<(Symbol, String)>> {
    const NEUTRAL: &str = "#555555";
    let pick = |own: &str| match colours {
        Some(_) => NEUTRAL.to_owned(),
        None => own.to_owned(),
    };
    let words = &scene.words;
    let any = |has: fn(&crate::scene::Newcomer<'_>) -> bool| scene.newcomers.iter().any(has);
    let mut roles = Vec::new();
    if !scene.newcomers.is_empty() {
        let old = Symbol::Dot {
            colour: pick(palette::OLD),
            shape: Shape::Circle,
        };
        roles.push((old, words.old.clone()));
    }
    if any(|m| m.projection.is_some()) {
        roles.push((
            Symbol::Ring(pick(palette::PROJECTION)),
            words.projection.clone(),
        ));
    }
    if any(|m| m.place.is_some()) {
        let place = Symbol::Place {
            colour: pick(palette::PLACE),
            outlined: colours.is_some() || shapes.is_some(),
        };
        roles.push((place, words.place.clone()));
    }
    if any(|m| m.way.len() > 1) {
        roles.push((Symbol::Way(pick(palette::WAY)), words.way.clone()));
    }
    if any(|m| !m.others.is_empty()) {
        roles.push((Symbol::Other(pick(palette::PLACE)), words.others.clone()));
    }
    let mut lists = vec![roles];
    if let (Some(column), Some(colours)) = (&scene.colour, colours) {
        let mut list = vec![(Symbol::Heading, text::one_line(&column.title) + ":")];
        let dot = |value: &str| Symbol::Dot {
            colour: colours.colour(value),
            shape: Shape::Circle,
        };
        match colours {
            Colours::Classes(classes) => {
                for class in &classes[..classes.len() - colours.beyond()] {
                    list.push((dot(class), text::one_line(class)));
                }
            }
            Colours::Scale([low, high]) => {
                list.push((Symbol::Scale, format!("{low} to {high}")));
            }
        }
        list.extend(remainder(column, colours.beyond()).map(|word| (dot(""), word)));
        lists.push(list);
    }
    if let (Some(column), Some(shapes)) = (&scene.shape, shapes) {
        let mut list = vec![(Symbol::Heading, text::one_line(&column.title) + ":")];
        let dot = |value: &str| Symbol::Dot {
            colour: NEUTRAL.to_owned(),
            shape: shapes.shape(value),
        };
        for class in &shapes.0[..shapes.0.len() - shapes.beyond()] {
            list.push((dot(class), text::one_line(class)));
        }
        list.extend(remainder(column, shapes.beyond()).map(|word| (dot(""), word)));
        lists.push(list);
    }
    lists
}

/// What the legend says of objects that have no class of their own.
fn remainder(column: &crate::Column, beyond: usize) -> Option<String> {
    let mut all = column.old.iter().chain(&column.new);
    let missing = all.any(|v| v.trim().is_empty());
    match (beyond, missing) {
        (0, false) => None,
        (0, true) => Some("no value".to_owned()),
        (n, false) => Some(format!("{n} others")),
        (n, true) => Some(format!("{n} others, or no value")),
    }
}

/// All points of a scene.
fn points<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = Point> + Clone + 'a {
    let new = scene.newcomers.iter().flat_map(|m| {
        let ends = [m.projection, m.place].into_iter().flatten();
        ends.chain(m.way.iter().copied())
            .chain(m.others.iter().copied())
    });
    scene.points.iter().copied().chain(new)
}

fn finite(p: &Point) -> bool {
    p[0].is_finite() && p[1].is_finite()
}

fn open(out: &mut String, id: &str, attributes: &str) {
    let _ = writeln!(out, "<g id=\"{id}\" {attributes}>");
}

fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    power.to_string().chars().map(digit).collect()
}
