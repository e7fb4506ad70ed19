//! The picture itself, drawn from back to front: grid, arcs, old objects, projections, places, labels,
//! axes, legend.

use std::fmt::Write;

use crate::classes::Colours;
use crate::error::Error;
use crate::scene::{SIZES, Scene, Settings};
use crate::sheet::{EDGE, MILLIMETRE, SMALL, Sheet, TITLE, finite};
use crate::svg::{escaped, length};
use crate::text;

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The picture as SVG, complete in itself.
    pub svg: String,
    /// Its size in millimetres, width and height.
    pub size: [f64; 2],
    /// Objects that are drawn.
    pub objects: usize,
    /// How many of them have a label.
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
    for column in [&scene.colour, &scene.shape, &scene.size]
        .into_iter()
        .flatten()
    {
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
    columns(scene, settings)
}

/// Errs if a column cannot be shown as is asked: nothing is left out in silence.
fn columns(scene: &Scene<'_>, settings: &Settings) -> Result<(), Error> {
    let outlined = settings.ellipses || settings.hulls || settings.spiders;
    let around = scene.colour.as_ref().filter(|_| outlined);
    let asked = [
        (
            around,
            true,
            "classes to draw ellipses, hulls or spiders of",
        ),
        (scene.shape.as_ref(), true, "classes to shape by"),
        (scene.size.as_ref(), false, "numbers to size by"),
    ];
    for (column, classes, expected) in asked {
        let Some(column) = column else { continue };
        let read = column.read();
        let fits = if classes {
            !read.words.is_empty()
        } else {
            read.range().is_some()
        };
        if !fits {
            return Err(Error::Column {
                title: column.title.clone(),
                found: read.kind.word(),
                expected,
            });
        }
    }
    Ok(())
}

impl Sheet<'_> {
    fn draw(&self) -> Drawing {
        let mut out = String::new();
        self.head(&mut out);
        self.grid(&mut out);
        self.groups(&mut out);
        self.regions(&mut out);
        self.ways(&mut out);
        self.old_markers(&mut out);
        self.projections(&mut out);
        self.places(&mut out);
        self.arrows(&mut out);
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
            } else if self.wanted().0 && !named[n + i] {
                nameless.push(newcomer.label.to_owned());
            }
        }
        let beyond = self.colours.as_ref().map_or(0, Colours::beyond)
            + self.shapes.as_ref().map_or(0, |s| s.beyond);
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
             <desc>{} old objects and {} newcomers; one unit is as long on one axis as on the other.{}</desc>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            length(width / MILLIMETRE),
            length(height / MILLIMETRE),
            length(width),
            length(height),
            text::FAMILIES,
            self.old.len(),
            self.new.len(),
            escaped(&self.scene.note),
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
}
