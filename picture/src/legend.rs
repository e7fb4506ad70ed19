//! The legend: symbols and words in rows above the map, where nothing can be behind them.

use crate::classes::{Colours, Column, Shapes};
use crate::palette;
use crate::scene::{Newcomer, Scene};
use crate::svg::Shape;
use crate::text::{self, Measure};

/// The size of its text, in points.
pub(crate) const SIZE: f64 = 7.0;
/// From one row to the next.
pub(crate) const ROW: f64 = 10.0;
/// The room for a symbol, and the gap to the next entry.
const SYMBOL: f64 = 10.0;
const GAP: f64 = 9.0;

/// What stands before a word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Symbol {
    /// No symbol: the name of a column.
    Heading,
    Dot {
        colour: String,
        shape: Shape,
    },
    Ring(String),
    Place {
        colour: String,
        outlined: bool,
    },
    Other(String),
    Way(String),
    /// A bar of all colours of a scale.
    Scale,
}

/// An entry and where it stands: from the left edge and from the top of the legend.
pub(crate) struct Entry {
    pub symbol: Symbol,
    pub text: String,
    /// Where the symbol is centred.
    pub symbol_x: f64,
    pub text_x: f64,
    /// The baseline.
    pub y: f64,
}

/// The width of a scale's bar.
pub(crate) const BAR: f64 = 40.0;

/// Lines of entries that flow into rows of this width; each list begins a new row.
pub(crate) fn flow(
    lists: Vec<Vec<(Symbol, String)>>,
    width: f64,
    measure: &Measure,
) -> (Vec<Entry>, f64) {
    let mut entries = Vec::new();
    let mut row = 0;
    for list in lists.into_iter().filter(|l| !l.is_empty()) {
        row += 1;
        let mut x = 0.0;
        for (symbol, text) in list {
            let room = match symbol {
                Symbol::Heading => 0.0,
                Symbol::Scale => BAR + 3.0,
                _ => SYMBOL,
            };
            let text = measure.elided(&text, SIZE, width - room);
            let wide = room + measure.width(&text, SIZE);
            if x > 0.0 && x + wide > width {
                row += 1;
                x = 0.0;
            }
            let centre = match symbol {
                Symbol::Scale => x + BAR / 2.0,
                _ => x + SYMBOL / 2.0 - 1.5,
            };
            entries.push(Entry {
                symbol,
                text,
                symbol_x: centre,
                text_x: x + room,
                y: f64::from(row) * ROW - 2.5,
            });
            x += wide + GAP;
        }
    }
    (entries, f64::from(row) * ROW)
}

/// What the legend lists.
pub(crate) fn entries(
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
    let any = |has: fn(&Newcomer<'_>) -> bool| scene.newcomers.iter().any(has);
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
                let ends = format!("{low} to {high}");
                list.push((Symbol::Scale, ends.replace('-', "−")));
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
fn remainder(column: &Column, beyond: usize) -> Option<String> {
    let mut all = column.old.iter().chain(&column.new);
    let missing = all.any(|v| v.trim().is_empty());
    match (beyond, missing) {
        (0, false) => None,
        (0, true) => Some("no value".to_owned()),
        (n, false) => Some(format!("{n} others")),
        (n, true) => Some(format!("{n} others, or no value")),
    }
}
