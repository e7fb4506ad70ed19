//! Classes on the map, ellipses, hulls and spiders of their old objects, and variables as arrows.

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
/// Half the width of a centroid's cross, in points.
const CROSS: f64 = 2.5;
/// The length of an arrow's head, in points.
const HEAD: f64 = 4.0;

/// An ellipse or a hull around the old objects of a class, in the map's units.
pub(crate) struct Outline {
    class: usize,
    pub line: Vec<Point>,
    dashed: bool,
}

/// The old objects of a class and their centroid, in the map's units; without legs only the centroid is drawn.
pub(crate) struct Spider {
    class: usize,
    centre: Point,
    legs: Vec<Point>,
}

/// The outlines of the classes that colour, and their spiders.
pub(crate) fn outlines(
    scene: &Scene<'_>,
    settings: &Settings,
    colours: &Option<Colours>,
) -> (Vec<Outline>, Vec<Spider>) {
    let (mut all, mut spiders) = (Vec::new(), Vec::new());
    let Some(by @ Colours::Classes { words, .. }) = colours else {
        return (all, spiders);
    };
    let any = settings.ellipses || settings.hulls || settings.spiders;
    if !any || scene.axes.len() < 2 {
        return (all, spiders);
    }
    let points = &scene.points;
    let class = |i: usize| by.class(i).filter(|_| finite(&points[i]));
    let codes: Vec<Option<u32>> = (0..points.len())
        .map(|i| class(i).map(|c| c as u32))
        .collect();
    let groups = Group::all(&codes, words.len(), 2, |i| points[i].to_vec());
    for (class, group) in groups.iter().enumerate() {
        let own = || (0..points.len()).filter(|&i| codes[i] == Some(class as u32));
        // The centroid of one object is that object.
        if group.count > 1 {
            spiders.push(Spider {
                class,
                centre: [group.mean[0], group.mean[1]],
                legs: own()
                    .filter(|_| settings.spiders)
                    .map(|i| points[i])
                    .collect(),
            });
        }
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
            add(hull(&own().map(|i| points[i]).collect::<Vec<_>>()), true);
        }
    }
    (all, spiders)
}

impl Sheet<'_> {
    /// Ellipses, hulls, spiders and centroids of the classes that colour.
    pub(crate) fn groups(&self, out: &mut String) {
        let Some(Colours::Classes { words, colours, .. }) = &self.colours else {
            return;
        };
        open(out, "groups", "fill-opacity=\"0.07\" stroke-width=\"0.7\"");
        for Spider {
            class,
            centre,
            legs,
        } in &self.spiders
        {
            let from = self.window.to_page(*centre);
            let mut path = String::new();
            for leg in legs {
                polyline([from, self.window.to_page(*leg)].into_iter(), &mut path);
            }
            let colour = &colours[*class];
            if !path.is_empty() {
                let _ = writeln!(
                    out,
                    "<path class=\"spider\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.35\" stroke-opacity=\"0.6\"/>"
                );
            }
            let [x, y] = from;
            let mut cross = String::new();
            polyline([[x - CROSS, y], [x + CROSS, y]].into_iter(), &mut cross);
            polyline([[x, y - CROSS], [x, y + CROSS]].into_iter(), &mut cross);
            let _ = writeln!(
                out,
                "<path class=\"centroid\" d=\"{cross}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\"><title>{}</title></path>",
                escaped(&text::one_line(&words[*class]))
            );
        }
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

    /// Variables as arrows from the origin, with their names beyond the tips, on the page.
    pub(crate) fn arrows_laid(&self) -> Vec<Variable> {
        let from = self.window.to_page([0.0, 0.0]);
        let mut laid: Vec<Variable> = Vec::new();
        for arrow in self.scene.arrows.iter().filter(|a| finite(&a.to)) {
            let to = self.window.to_page(arrow.to);
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let long = dx.hypot(dy);
            if long <= 0.0 {
                continue;
            }
            let (ux, uy) = (dx / long, dy / long);
            let name = text::one_line(&arrow.label);
            let wide = self.measure.width(&name, SMALL);
            // Beyond the tip, within the window; what is pushed back by its edge stands above or below the tip.
            let beyond = to[0] + 2.5 * ux + (ux - 1.0) / 2.0 * wide;
            let area = self.window.area;
            let first = area.left + 1.5;
            let x = beyond.clamp(first, (area.right - wide - 1.5).max(first));
            let aside = if x == beyond { 0.0 } else { 0.8 * uy.signum() };
            let y = to[1] + 2.5 * uy + (0.36 + 0.4 * uy + aside) * SMALL;
            let names: Vec<[f64; 3]> = laid.iter().map(|v| v.at).collect();
            let y = clear(&names, x, wide, y, if uy < 0.0 { -1.0 } else { 1.0 });
            laid.push(Variable {
                name,
                line: [from, to],
                way: [ux, uy],
                at: [x, wide, y],
            });
        }
        laid
    }

    /// Draws them.
    pub(crate) fn arrows(&self, out: &mut String) {
        if self.scene.arrows.is_empty() {
            return;
        }
        open(
            out,
            "variables",
            &format!("fill=\"{0}\" stroke=\"{0}\"", palette::TEXT),
        );
        for Variable {
            name,
            line: [from, to],
            way: [ux, uy],
            at: [x, _, y],
        } in self.arrows_laid()
        {
            let back = |side: f64| [to[0] - HEAD * ux - side * uy, to[1] - HEAD * uy + side * ux];
            let mut line = String::new();
            polyline([from, back(0.0)].into_iter(), &mut line);
            let mut head = String::new();
            polyline(
                [back(0.32 * HEAD), to, back(-0.32 * HEAD)].into_iter(),
                &mut head,
            );
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

/// A variable on the page.
pub(crate) struct Variable {
    name: String,
    /// From the origin to the tip.
    pub line: [Point; 2],
    /// Its direction.
    way: [f64; 2],
    /// Where its name begins, how wide it is, and its baseline.
    pub at: [f64; 3],
}

/// The nearest height, upwards or downwards from `y`, at which a name from `x` on covers none of those that stand.
fn clear(names: &[[f64; 3]], x: f64, wide: f64, y: f64, way: f64) -> f64 {
    let covers = |y: f64| {
        let mut others = names.iter();
        others.any(|[left, width, height]| {
            x < left + width && *left < x + wide && (y - height).abs() < SMALL
        })
    };
    let steps = (0..).map(|step| y + way * 0.5 * SMALL * f64::from(step));
    steps
        .take(2 * names.len() + 3)
        .find(|y| !covers(*y))
        .unwrap_or(y)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_arrows_stand_clear_of_each_other() {
        let mut names: Vec<[f64; 3]> = Vec::new();
        for x in [10.0, 12.0, 14.0, 90.0, 11.0] {
            let y = clear(&names, x, 30.0, 50.0, -1.0);
            names.push([x, 30.0, y]);
        }
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                let apart = (a[0] - b[0]).abs() >= 30.0 || (a[2] - b[2]).abs() >= SMALL;
                assert!(apart, "{a:?} {b:?}");
            }
        }
        // Where nothing is in the way, nothing is moved.
        assert_eq!(names[0][2], 50.0);
        assert_eq!(names[3][2], 50.0);
    }
}
