//! Classes on the map, ellipses and hulls of their old objects, and variables as arrows.

use std::f64::consts::TAU;
use std::fmt::Write;

use adjoin_look::{Group, hull};

use crate::classes::Colours;
use crate::geometry::Point;
use crate::palette;
use crate::scene::{Scene, Settings};
use crate::sheet::{SMALL, Sheet, finite};
use crate::svg::{escaped, length, open, polyline};
use crate::text;

/// The share of a normal distribution with a class's mean and covariance that its ellipse holds.
const SHARE: f64 = 0.95;
/// Corners of an ellipse.
const CORNERS: usize = 72;
/// The length of an arrow's head, in points.
const HEAD: f64 = 4.0;

/// An ellipse or a hull around the old objects of a class, in the map's units.
pub(crate) struct Outline {
    class: usize,
    pub line: Vec<Point>,
    dashed: bool,
}

/// The outlines of the classes that colour.
pub(crate) fn outlines(
    scene: &Scene<'_>,
    settings: &Settings,
    colours: &Option<Colours>,
) -> Vec<Outline> {
    let mut all = Vec::new();
    let Some(by @ Colours::Classes { words, .. }) = colours else {
        return all;
    };
    if !(settings.ellipses || settings.hulls) || scene.axes.len() < 2 {
        return all;
    }
    let points = &scene.points;
    let class = |i: usize| by.class(i).filter(|_| finite(&points[i]));
    let codes: Vec<Option<u32>> = (0..points.len())
        .map(|i| class(i).map(|c| c as u32))
        .collect();
    let groups = Group::all(&codes, words.len(), 2, |i| points[i].to_vec());
    for (class, group) in groups.iter().enumerate() {
        let mut add = |line: Vec<Point>, dashed| {
            if line.len() > 2 {
                all.push(Outline {
                    class,
                    line,
                    dashed,
                });
            }
        };
        let around = group.ellipse([0, 1], SHARE).filter(|_| group.count > 2);
        if let Some(around) = around.filter(|_| settings.ellipses) {
            add(ellipse(around), false);
        }
        if settings.hulls {
            let own = (0..points.len()).filter(|&i| codes[i] == Some(class as u32));
            add(hull(&own.map(|i| points[i]).collect::<Vec<_>>()), true);
        }
    }
    all
}

impl Sheet<'_> {
    /// Ellipses and hulls of the classes that colour.
    pub(crate) fn groups(&self, out: &mut String) {
        let Some(Colours::Classes { words, colours, .. }) = &self.colours else {
            return;
        };
        open(out, "groups", "fill-opacity=\"0.07\" stroke-width=\"0.7\"");
        for Outline {
            class,
            line,
            dashed,
        } in &self.outlines
        {
            let mut path = String::new();
            polyline(line.iter().map(|p| self.window.to_page(*p)), &mut path);
            let dashes = if *dashed {
                " stroke-dasharray=\"2.5 1.5\""
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "<path class=\"group\" d=\"{path}z\" fill=\"{0}\" stroke=\"{0}\"{dashes}><title>{1}</title></path>",
                colours[*class],
                escaped(&text::one_line(&words[*class]))
            );
        }
        *out += "</g>\n";
    }

    /// Variables from the origin, with their names beyond the tips.
    pub(crate) fn arrows(&self, out: &mut String) {
        if self.scene.arrows.is_empty() {
            return;
        }
        let from = self.window.to_page([0.0, 0.0]);
        open(
            out,
            "variables",
            &format!("fill=\"{0}\" stroke=\"{0}\"", palette::TEXT),
        );
        for arrow in self.scene.arrows.iter().filter(|a| finite(&a.to)) {
            let to = self.window.to_page(arrow.to);
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let long = dx.hypot(dy);
            if long <= 0.0 {
                continue;
            }
            let (ux, uy) = (dx / long, dy / long);
            let back = |side: f64| [to[0] - HEAD * ux - side * uy, to[1] - HEAD * uy + side * ux];
            let mut line = String::new();
            polyline([from, back(0.0)].into_iter(), &mut line);
            let mut head = String::new();
            polyline(
                [back(0.32 * HEAD), to, back(-0.32 * HEAD)].into_iter(),
                &mut head,
            );
            let name = text::one_line(&arrow.label);
            let wide = self.measure.width(&name, SMALL);
            // Beyond the tip, within the page.
            let x = to[0] + 2.5 * ux + (ux - 1.0) / 2.0 * wide;
            let x = x.clamp(1.0, (self.page[0] - wide - 1.0).max(1.0));
            let y = to[1] + 2.5 * uy + (0.36 + 0.4 * uy) * SMALL;
            let _ = writeln!(
                out,
                "<g class=\"variable\"><path d=\"{line}\" fill=\"none\" stroke-width=\"0.7\"/>\
                 <path d=\"{head}z\" stroke=\"none\"/>\
                 <text x=\"{}\" y=\"{}\" stroke=\"none\">{}</text></g>",
                length(x),
                length(y),
                escaped(&name)
            );
        }
        *out += "</g>\n";
    }
}

fn ellipse((centre, half, angle): ([f64; 2], [f64; 2], f64)) -> Vec<Point> {
    let (sin, cos) = angle.sin_cos();
    let at = |step: usize| {
        let t = TAU * step as f64 / CORNERS as f64;
        let (u, v) = (half[0] * t.cos(), half[1] * t.sin());
        [centre[0] + u * cos - v * sin, centre[1] + u * sin + v * cos]
    };
    (0..CORNERS).map(at).collect()
}
