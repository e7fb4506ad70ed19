//! Arcs and markers, from back to front: one element for each object, with its label in it, so that a drawing program can
//! find, move and recolour it. Old objects beyond [`MANY`] that look alike are one path, which keeps files small.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::palette;
use crate::sheet::{Sheet, finite};
use crate::svg::{Shape, escaped, length, open, polyline};
use crate::text;

/// Old objects from which markers are bare dots.
const MANY: usize = 600;
/// Objects up to which each is an element.
const EACH: usize = 5000;
/// Old objects from which they are see-through, in layers, so that crowded places look crowded: the
/// dots of one layer are one path and do not darken each other.
const CROWD: usize = 2500;
const LAYERS: usize = 16;
const FAINTEST: f64 = 0.3;

impl Sheet<'_> {
    /// One object: a path with its label as title.
    fn object(&self, at: usize, role: &str, path: &str, look: &str, out: &mut String) {
        let n = self.old.len();
        let (i, label) = if at < n {
            (at, self.scene.labels[at].as_str())
        } else {
            (at - n, self.scene.newcomers[at - n].label)
        };
        let label = escaped(&text::one_line(label));
        let _ = writeln!(
            out,
            "<path id=\"{role}-{}\" class=\"{role}\" d=\"{path}\" {look}><title>{label}</title></path>",
            i + 1
        );
    }

    pub(crate) fn ways(&self, out: &mut String) {
        let wide = length((0.55 * self.radius[1]).min(0.9));
        open(
            out,
            "arcs",
            &format!(
                "fill=\"none\" stroke-width=\"{wide}\" stroke-linecap=\"round\" stroke-linejoin=\"round\""
            ),
        );
        for (i, mark) in self.new.iter().enumerate() {
            if mark.way.len() > 1 {
                let colour = match &self.colours {
                    Some(_) => self.new_look(i).colour,
                    None => palette::roles().arc.light.clone(),
                };
                let mut path = String::new();
                polyline(mark.way.iter().copied(), &mut path);
                let stroke = format!("stroke=\"{colour}\"");
                self.object(self.old.len() + i, "arc", &path, &stroke, out);
            }
        }
        *out += "</g>\n";
    }

    /// Where newcomers may be.
    pub(crate) fn regions(&self, out: &mut String) {
        if self.new.iter().all(|mark| mark.region.is_empty()) {
            return;
        }
        open(
            out,
            "regions",
            "fill-opacity=\"0.08\" stroke-opacity=\"0.6\" stroke-width=\"0.5\"",
        );
        for (i, mark) in self.new.iter().enumerate() {
            if mark.region.len() > 2 {
                let colour = self.new_look(i).colour;
                let mut path = String::new();
                polyline(mark.region.iter().copied(), &mut path);
                path.push('z');
                let look = format!("fill=\"{colour}\" stroke=\"{colour}\"");
                self.object(self.old.len() + i, "region", &path, &look, out);
            }
        }
        *out += "</g>\n";
    }

    pub(crate) fn old_markers(&self, out: &mut String) {
        let n = self.old.len();
        // A white rim tells markers apart that touch, as long as they are few.
        let rim = if n > MANY { "0" } else { "0.3" };
        open(
            out,
            "old",
            &format!("stroke=\"#ffffff\" stroke-width=\"{rim}\""),
        );
        if n <= EACH {
            let opacity = opacity(n);
            for (i, &p) in self.old.iter().enumerate().filter(|(_, p)| finite(p)) {
                let (look, mut path) = (self.old_look(i), String::new());
                look.shape.path(p, self.radius_of(i), &mut path);
                let fill = format!("fill=\"{}\"{opacity}", look.colour);
                self.object(i, "old", &path, &fill, out);
            }
        } else {
            self.many_old(out);
        }
        *out += "</g>\n";
    }

    /// Thousands of marks, those that look alike in one path.
    fn many_old(&self, out: &mut String) {
        let n = self.old.len();
        let opacity = opacity(n);
        let mut paths: BTreeMap<(usize, String, Shape), String> = BTreeMap::new();
        for (i, &p) in self.old.iter().enumerate().filter(|(_, p)| finite(p)) {
            let look = self.old_look(i);
            let key = (i % LAYERS, look.colour, look.shape);
            let path = paths.entry(key).or_default();
            if look.shape == Shape::Circle {
                // A line of no length with a round end is a dot: a third of a circle's bytes.
                let _ = write!(path, "M{} {}h0", length(p[0]), length(p[1]));
            } else {
                look.shape.path(p, self.radius[0], path);
            }
        }
        for ((_, colour, shape), path) in paths {
            let look = if shape == Shape::Circle {
                let wide = length(2.0 * self.radius[0]);
                format!(
                    "stroke=\"{colour}\" stroke-width=\"{wide}\" stroke-linecap=\"round\"{opacity}"
                )
            } else {
                format!("fill=\"{colour}\"{opacity}")
            };
            let _ = writeln!(out, "<path d=\"{path}\" {look}/>");
        }
    }

    /// Rings where newcomers are projected, if that is not all that is known of them.
    pub(crate) fn projections(&self, out: &mut String) {
        let wide = length(0.45 * self.radius[1]);
        open(
            out,
            "projections",
            &format!("fill=\"#ffffff\" stroke-width=\"{wide}\""),
        );
        let rings = self.has_places();
        for (i, mark) in self.new.iter().enumerate() {
            let Some(p) = mark.projection else { continue };
            let (at, look) = (self.old.len() + i, self.new_look(i));
            let mut path = String::new();
            let (shape, style) = match (&self.colours, rings) {
                (None, true) => (
                    Shape::Circle,
                    format!("stroke=\"{}\"", palette::roles().projection.light),
                ),
                (Some(_), true) => (Shape::Circle, format!("stroke=\"{}\"", look.colour)),
                (_, false) => (
                    look.shape,
                    format!(
                        "fill=\"{}\" stroke=\"{}\" stroke-width=\"0.35\"",
                        look.colour,
                        self.outline()
                    ),
                ),
            };
            shape.path(p, self.radius_of(at), &mut path);
            self.object(at, "projection", &path, &style, out);
        }
        *out += "</g>\n";
    }

    pub(crate) fn places(&self, out: &mut String) {
        let n = self.old.len();
        let wide = length(0.4 * self.radius[1]);
        open(
            out,
            "others",
            &format!("fill=\"#ffffff\" stroke-width=\"{wide}\""),
        );
        for (i, mark) in self.new.iter().enumerate() {
            let look = self.new_look(i);
            let mut path = String::new();
            for &p in &mark.others {
                look.shape.path(p, 0.9 * self.radius_of(n + i), &mut path);
            }
            if !path.is_empty() {
                let stroke = format!("stroke=\"{}\"", look.colour);
                self.object(n + i, "other", &path, &stroke, out);
            }
        }
        *out += "</g>\n";
        open(
            out,
            "places",
            &format!("stroke=\"{}\" stroke-width=\"0.35\"", self.outline()),
        );
        for (i, mark) in self.new.iter().enumerate() {
            if let Some(p) = mark.place {
                let (look, mut path) = (self.new_look(i), String::new());
                look.shape.path(p, self.radius_of(n + i), &mut path);
                let fill = format!("fill=\"{}\"", look.colour);
                self.object(n + i, "place", &path, &fill, out);
            }
        }
        *out += "</g>\n";
    }
}

/// How see-through each of so many marks is.
fn opacity(n: usize) -> String {
    match (CROWD as f64 / n as f64).powf(0.3) {
        share if share < 1.0 => format!(" opacity=\"{}\"", length(share.max(FAINTEST))),
        _ => String::new(),
    }
}
