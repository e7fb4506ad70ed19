//! The legend: symbols and words in rows above the map, where nothing can be behind them.

use adjoin_look::Role;

use crate::classes::{Colours, Shapes};
use crate::palette::{self, NEUTRAL};
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
        shape: Shape,
        outlined: bool,
    },
    Other {
        colour: String,
        shape: Shape,
    },
    Way(String),
    Region(String),
    /// A dot of this radius.
    Sized(f64),
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

/// The radius of a mark that is neither small nor large.
const SIZED: f64 = 1.7;

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
    colours: &Option<Colours>,
    shapes: &Option<Shapes>,
    sizes: &Option<(Vec<f64>, [f64; 2])>,
) -> Vec<Vec<(Symbol, String)>> {
    let mut lists = vec![roles(scene, colours, shapes)];
    if let (Some(column), Some(colours)) = (&scene.colour, colours) {
        lists.push(of_colours(&column.title, colours));
    }
    if let (Some(column), Some(shapes)) = (&scene.shape, shapes) {
        lists.push(of_shapes(&column.title, shapes));
    }
    if let (Some(column), Some((_, [low, high]))) = (&scene.size, sizes) {
        let title = text::one_line(&column.title);
        let dot = |factor: f64| Symbol::Sized(SIZED * factor.sqrt());
        let number = |v: &f64| v.to_string().replace('-', "−");
        lists.push(vec![
            (Symbol::Heading, format!("{title}, by size:")),
            (dot(crate::classes::SMALLEST), number(low)),
            (dot(crate::classes::LARGEST), number(high)),
        ]);
    }
    lists
}

fn roles(
    scene: &Scene<'_>,
    colours: &Option<Colours>,
    shapes: &Option<Shapes>,
) -> Vec<(Symbol, String)> {
    let pick = |role: &Role| match colours {
        Some(_) => NEUTRAL.to_owned(),
        None => role.light.clone(),
    };
    let (roles, words) = (palette::roles(), &scene.words);
    let any = |has: fn(&Newcomer<'_>) -> bool| scene.newcomers.iter().any(has);
    let mut list = Vec::new();
    if !scene.newcomers.is_empty() {
        let colour = pick(&roles.old);
        let shape = Shape::Circle;
        list.push((Symbol::Dot { colour, shape }, words.old.clone()));
    }
    let places = any(|m| m.place.is_some());
    if any(|m| m.projection.is_some()) && places {
        let ring = Symbol::Ring(pick(&roles.projection));
        list.push((ring, words.projection.clone()));
    }
    let place = if scene.strategy {
        &roles.strategy
    } else {
        &roles.reconstruction
    };
    let shape = match scene.strategy {
        // Where shapes are classes, an outline says who is new.
        _ if shapes.is_some() => Shape::Circle,
        true => Shape::Square,
        false => Shape::Diamond,
    };
    let outlined = colours.is_some() || shapes.is_some();
    if places {
        let colour = pick(place);
        list.push((
            Symbol::Place {
                colour,
                shape,
                outlined,
            },
            words.place.clone(),
        ));
    } else if any(|m| m.projection.is_some()) {
        let (colour, shape) = (pick(&roles.newcomer), Shape::Circle);
        list.push((
            Symbol::Place {
                colour,
                shape,
                outlined,
            },
            words.projection.clone(),
        ));
    }
    if any(|m| m.way.len() > 1) {
        list.push((Symbol::Way(pick(&roles.arc)), words.way.clone()));
    }
    if any(|m| m.region.len() > 2) {
        list.push((Symbol::Region(pick(place)), words.region.clone()));
    }
    if any(|m| !m.others.is_empty()) {
        let colour = pick(place);
        list.push((Symbol::Other { colour, shape }, words.others.clone()));
    }
    list
}

fn of_colours(title: &str, colours: &Colours) -> Vec<(Symbol, String)> {
    let mut list = vec![(Symbol::Heading, text::one_line(title) + ":")];
    let dot = |colour: &str| Symbol::Dot {
        colour: colour.to_owned(),
        shape: Shape::Circle,
    };
    match colours {
        Colours::Classes { words, colours, .. } => {
            for (word, colour) in words.iter().zip(colours) {
                list.push((dot(colour), text::one_line(word)));
            }
        }
        Colours::Scale {
            range: [low, high],
            dates,
            ..
        } => {
            let ends = if *dates {
                format!(
                    "{} to {}",
                    adjoin_look::date(*low),
                    adjoin_look::date(*high)
                )
            } else {
                format!("{low} to {high}").replace('-', "−")
            };
            list.push((Symbol::Scale, ends));
        }
    }
    let rest = remainder(colours.misses(), colours.beyond());
    list.extend(rest.map(|word| (dot(palette::unknown()), word)));
    list
}

fn of_shapes(title: &str, shapes: &Shapes) -> Vec<(Symbol, String)> {
    let mut list = vec![(Symbol::Heading, text::one_line(title) + ":")];
    let dot = |shape: Shape| Symbol::Dot {
        colour: NEUTRAL.to_owned(),
        shape,
    };
    for (word, shape) in shapes.words.iter().zip(Shape::ALL) {
        list.push((dot(shape), text::one_line(word)));
    }
    let last = Shape::ALL[Shape::ALL.len() - 1];
    list.extend(remainder(shapes.misses, shapes.beyond).map(|word| (dot(last), word)));
    list
}

/// What the legend says of objects that have no class of their own.
fn remainder(missing: bool, beyond: usize) -> Option<String> {
    match (beyond, missing) {
        (0, false) => None,
        (0, true) => Some("no value".to_owned()),
        (1, false) => Some("1 other".to_owned()),
        (1, true) => Some("1 other, or no value".to_owned()),
        (n, false) => Some(format!("{n} others")),
        (n, true) => Some(format!("{n} others, or no value")),
    }
}
