//! What stands around the map: grid, axes, legend.

use std::fmt::Write;

use crate::legend::{self, Symbol};
use crate::palette;
use crate::sheet::{AXIS, EDGE, SMALL, Sheet, TICK};
use crate::svg::{Shape, escaped, length, open};
use crate::text;

impl Sheet<'_> {
    /// A light grid at the ticks; the lines through the origin are a little darker.
    pub(crate) fn grid(&self, out: &mut String) {
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

    pub(crate) fn axes(&self, out: &mut String) {
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

    pub(crate) fn key(&self, out: &mut String) {
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
                Symbol::Place {
                    colour,
                    shape,
                    outlined,
                } => {
                    shape.path([x, y], 1.9, &mut path);
                    let stroke = if *outlined { "#000000" } else { "none" };
                    let _ = write!(
                        out,
                        "<path d=\"{path}\" fill=\"{colour}\" stroke=\"{stroke}\" stroke-width=\"0.35\"/>"
                    );
                }
                Symbol::Other { colour, shape } => {
                    shape.path([x, y], 1.7, &mut path);
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
                Symbol::Region(colour) => {
                    let _ = write!(
                        out,
                        "<ellipse cx=\"{}\" cy=\"{}\" rx=\"4\" ry=\"2.2\" fill=\"{colour}\" fill-opacity=\"0.08\" \
                         stroke=\"{colour}\" stroke-opacity=\"0.6\" stroke-width=\"0.5\"/>",
                        length(x),
                        length(y)
                    );
                }
                Symbol::Sized(radius) => {
                    Shape::Circle.path([x, y], *radius, &mut path);
                    let _ = write!(out, "<path d=\"{path}\" fill=\"{}\"/>", palette::NEUTRAL);
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
