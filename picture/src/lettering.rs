//! The labels of the objects, and the lines that lead to them.

use std::fmt::Write;

use crate::label::{self, Label, Place};
use crate::obstacles::{Obstacles, Owner};
use crate::palette;
use crate::scene::Labels;
use crate::sheet::{SMALL, Sheet, finite};
use crate::svg::{escaped, length, open, polyline};
use crate::text;

/// A label is no wider than this share of the window.
const LABEL_SHARE: f64 = 0.36;

impl Sheet<'_> {
    /// Writes labels; the answer says of each object, old then new, whether it has one.
    pub(crate) fn labels(&self, out: &mut String) -> Vec<bool> {
        let n = self.old.len();
        let mut named = vec![false; n + self.new.len()];
        let (wants_new, wants_old) = self.wanted();
        if !wants_new && !wants_old {
            return named;
        }
        let area = self.window.area;
        let mut obstacles = Obstacles::new(area);
        for (i, &p) in self.old.iter().enumerate().filter(|(_, p)| finite(p)) {
            obstacles.old(p, self.radius_of(i));
        }
        for mark in &self.new {
            let points = [mark.projection, mark.place].into_iter().flatten();
            for p in points.chain(mark.others.iter().copied()) {
                obstacles.new_marker(p, 1.3 * self.radius[1]);
            }
            obstacles.line(&mark.way, 0.5);
        }
        for variable in self.arrows_laid() {
            obstacles.line(&variable.line, 0.5);
            let [x, wide, y] = variable.at;
            obstacles.words(x, wide, y - 0.75 * SMALL, y + 0.2 * SMALL);
        }
        for outline in &self.outlines {
            let points = outline.line.iter().chain(outline.line.first());
            let points: Vec<_> = points.map(|p| self.window.to_page(*p)).collect();
            obstacles.line(&points, 0.3);
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
            if !(if new { wants_new } else { wants_old }) {
                continue;
            }
            let full = if new {
                self.scene.newcomers[i - n].label
            } else {
                &self.scene.labels[i]
            };
            let text = self.measure.elided(&text::one_line(full), SMALL, widest);
            if text.is_empty() {
                continue;
            }
            let partner = if new {
                self.new[i - n].projection
            } else {
                None
            };
            labels.push(Label {
                owner: Owner { anchor, partner },
                radius: if new {
                    1.3 * self.radius[1]
                } else {
                    self.radius[0]
                },
                width: self.measure.width(&text, SMALL),
                height: self.measure.reach(&text, SMALL).iter().sum(),
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
        open(out, "labels", &format!("fill=\"{}\"", palette::TEXT));
        for ((i, text), place) in texts.iter().zip(&places) {
            if let Some(place) = place {
                named[*i] = true;
                self.label(*i, text, place, out);
            }
        }
        *out += "</g>\n";
        named
    }

    /// Whether newcomers and old objects are to have labels.
    pub(crate) fn wanted(&self) -> (bool, bool) {
        let (n, k) = (self.old.len(), self.new.len());
        match self.settings.labels {
            Labels::All => (true, true),
            Labels::New => (true, false),
            Labels::None => (false, false),
            Labels::Auto => (k <= label::FEW, n + k <= label::FEW),
        }
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
            length(place.rect.top + self.measure.reach(text, SMALL)[0]),
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
}
