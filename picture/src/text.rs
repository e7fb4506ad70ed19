//! Text as it is drawn: what is left of a label, and how wide it is.
//!
//! Widths are those of the bundled Liberation Sans, whose letters are as wide as Arial's and
//! Helvetica's: what does not overlap here does not overlap in a viewer that has one of the three.

use ttf_parser::Face;

/// Liberation Sans Regular, under the SIL Open Font License (see `font/LICENSE-OFL.txt`).
pub(crate) const FONT: &[u8] = include_bytes!("../font/LiberationSans-Regular.ttf");

/// What the SVG asks for; the first is the bundled one.
pub(crate) const FAMILIES: &str = "'Liberation Sans', Arial, Helvetica, sans-serif";

/// How far letters reach above and below the baseline at least, for a size of 1: as ascenders and
/// descenders do, so that labels without any are not set closer than others.
const ABOVE: f64 = 0.74;
const BELOW: f64 = 0.22;

/// Of what is kept of a text that is cut, the share of the room that is its beginning's.
const BEGINNING: f64 = 0.6;

/// Letters that the font does not have (emoji, CJK) are square.
const UNKNOWN: f64 = 1.0;
const UNKNOWN_ABOVE: f64 = 0.88;

/// Measures text by the bundled font.
pub(crate) struct Measure {
    face: Option<Face<'static>>,
}

impl Measure {
    pub fn new() -> Self {
        Self {
            face: Face::parse(FONT, 0).ok(),
        }
    }

    /// The width of a line of text.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|c| self.advance(c)).sum::<f64>() * size
    }

    /// How far a line of text reaches above and below its baseline.
    pub fn reach(&self, text: &str, size: f64) -> [f64; 2] {
        let [mut above, mut below] = [ABOVE, BELOW];
        for c in text.chars() {
            let Some((face, glyph)) = self.face.as_ref().zip(self.glyph(c)) else {
                above = above.max(UNKNOWN_ABOVE);
                continue;
            };
            if let Some(ink) = face.glyph_bounding_box(glyph) {
                let em = f64::from(face.units_per_em());
                above = above.max(f64::from(ink.y_max) / em);
                below = below.max(-f64::from(ink.y_min) / em);
            }
        }
        [above * size, below * size]
    }

    /// The letters of `text` that the font does not have.
    pub fn unknown(&self, text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|c| self.glyph(*c).is_none())
    }

    fn glyph(&self, c: char) -> Option<ttf_parser::GlyphId> {
        self.face.as_ref()?.glyph_index(c)
    }

    fn advance(&self, c: char) -> f64 {
        if is_mark(c) {
            return 0.0;
        }
        let (Some(face), Some(glyph)) = (&self.face, self.glyph(c)) else {
            return UNKNOWN;
        };
        let advance = face.glyph_hor_advance(glyph).unwrap_or(0);
        f64::from(advance) / f64::from(face.units_per_em())
    }

    /// The text if it is no wider than `width`; otherwise its beginning and its end, and an ellipsis between them: what tells
    /// a name from others is often at its end (the number of a sample, the genus of a lineage).
    pub fn elided(&self, text: &str, size: f64, width: f64) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let room = width / size - self.advance('…');
        let mut first = BEGINNING * room;
        let mut end = 0;
        for (at, c) in text.char_indices() {
            first -= self.advance(c);
            if first < 0.0 {
                break;
            }
            end = at + c.len_utf8();
        }
        // What joins or follows a letter does not end a line.
        let kept = text[..end].trim_end_matches(|c: char| c.is_whitespace() || c == '\u{200d}');
        let mut last = room - kept.chars().map(|c| self.advance(c)).sum::<f64>();
        let mut begin = text.len();
        for (at, c) in text.char_indices().rev() {
            last -= self.advance(c);
            if last < 0.0 || at < end {
                break;
            }
            begin = at;
        }
        // … nor does it begin one.
        let tail = text[begin..].trim_start_matches(|c: char| c.is_whitespace() || is_mark(c));
        format!("{kept}…{tail}")
    }
}

/// Whether it stands on the letter before it, or is not seen at all.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200d}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// A label as one line: blanks for line ends and other controls, nothing for what would turn the
/// direction of the text around it, U+FFFD for what XML does not allow.
pub(crate) fn one_line(text: &str) -> String {
    let kept = text.chars().filter_map(|c| match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => None,
        '\u{feff}' | '\u{ad}' => None,
        '\u{fffe}' | '\u{ffff}' => Some('\u{fffd}'),
        '\u{2028}' | '\u{2029}' => Some(' '),
        c if c.is_control() => Some(' '),
        c => Some(c),
    });
    let line: String = kept.collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_measures() {
        let measure = Measure::new();
        // Arial's advance widths are public: A 1366, i 455, space 569 of 2048.
        assert!((measure.width("A i", 2048.0) - (1366.0 + 569.0 + 455.0)).abs() < 1e-9);
        assert_eq!(measure.width("", 7.0), 0.0);
        assert_eq!(measure.width("e\u{301}", 7.0), measure.width("e", 7.0));
        assert_eq!(measure.reach("age", 1.0), [ABOVE, BELOW]);
        assert!(measure.reach("É", 1.0)[0] > 0.85);
        let letters = "AzÉőžđßαβΩλЖяЇ−×–…²³";
        assert_eq!(measure.unknown(letters).count(), 0);
        assert_eq!(measure.unknown("a日😀").collect::<Vec<_>>(), ['日', '😀']);
    }

    #[test]
    fn long_text_is_elided() {
        let measure = Measure::new();
        assert_eq!(measure.elided("Oslo", 7.0, 100.0), "Oslo");
        let long = format!("{}the end", "ab cd ".repeat(80));
        let short = measure.elided(&long, 7.0, 60.0);
        assert!(short.starts_with("ab cd") && short.contains('…') && short.ends_with(" end"));
        assert!(measure.width(&short, 7.0) <= 60.0);
        // A joined letter is not torn at its joint, nor an accent from its letter.
        for width in [8.0, 12.0, 16.0, 20.0, 24.0] {
            let short = measure.elided(
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
                7.0,
                width,
            );
            assert!(!short.contains("…\u{301}") && measure.width(&short, 7.0) <= width);
        }
        assert_eq!(measure.elided("wide", 7.0, 0.0), "…");
    }

    #[test]
    fn labels_become_one_line() {
        assert_eq!(one_line(" a\tb\r\nc\u{0}\u{202e}d "), "a b c d");
        assert_eq!(one_line("\u{ffff}"), "\u{fffd}");
    }
}
