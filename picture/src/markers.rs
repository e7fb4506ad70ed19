//! Arcs and markers, from back to front. Marks that look alike are one path, which keeps files small.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::palette;
use crate::sheet::{Sheet, finite};
use crate::svg::{Shape, length, open, polyline};

/// Old objects from which markers are bare dots.
const MANY: usize = 600;
/// Old objects from which they are see-through, in layers, so that crowded places look crowded: the
/// dots of one layer are one path and do not darken each other.
const CROWD: usize = 2500;
const LAYERS: usize = 16;
const FAINTEST: f64 = 0.3;

impl Sheet<'_> {
    pub(crate) fn ways(&self, out: &mut String) {
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

    pub(crate) fn old_markers(&self, out: &mut String) {
        let n = self.old.len();
        let layers = if n > CROWD { LAYERS } else { 1 };
        let opacity = match (CROWD as f64 / n as f64).powf(0.3) {
            share if share < 1.0 => format!(" opacity=\"{}\"", length(share.max(FAINTEST))),
            _ => String::new(),
        };
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
        // A white rim tells markers apart that touch, as long as they are few.
        let rim = if n > MANY { "0" } else { "0.3" };
        open(
            out,
            "old",
            &format!("stroke=\"#ffffff\" stroke-width=\"{rim}\""),
        );
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

    pub(crate) fn projections(&self, out: &mut String) {
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

    pub(crate) fn places(&self, out: &mut String) {
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
}
