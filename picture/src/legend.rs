//! The legend: symbols and words in rows above the map, where nothing can be behind them.

use crate::svg::Shape;
use crate::text::Measure;

/// The size of its text, in points.
pub(crate) const SIZE: f64 = 7.0;
/// From one row to the next.
pub(crate) const ROW: f64 = 10.0;
/// The room for a symbol, and the gap to the next entry.
const SYMBOL: f64 = 11.0;
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
