//! Fonts for tests, made of the bundled one: each has two letters, and draws them in a way of its own.

use crate::text::FONT;

/// The letters that each font has; the bundled one has neither.
pub(crate) const LETTERS: [char; 2] = ['😀', '😁'];

/// Glyphs of the bundled font by which they are drawn: `H`, `I`, and one without an outline.
const SHAPES: [u16; 2] = [43, 44];
const BLANK: u16 = 3;
/// The glyph for both letters together.
const JOINED: u16 = 45;

/// How a font draws its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As outlines, which can be embedded.
    Plain,
    /// As outlines, but their widths are cut off, which embedding needs.
    Damaged,
    /// As layers of outlines in colour.
    Layered,
    /// As images.
    Images,
    /// As outlines, but both together as an image.
    JoinedImage,
}

/// A font with a name.
pub(crate) fn font(kind: Kind, name: &str) -> Vec<u8> {
    let mut kept = vec!["OS/2", "head", "hhea", "maxp", "post"];
    let mut tables = vec![("name", names(name))];
    match kind {
        Kind::Damaged => tables.push(("hmtx", vec![0; 2])),
        _ => kept.push("hmtx"),
    }
    if kind != Kind::Images {
        kept.extend(["glyf", "loca"]);
    }
    let drawn = match kind {
        Kind::Layered => BLANK,
        _ => SHAPES[0],
    };
    tables.push(("cmap", letters(drawn, kind == Kind::Layered)));
    match kind {
        Kind::Plain | Kind::Damaged => {}
        Kind::Layered => {
            tables.push(("COLR", layers()));
            tables.push(("CPAL", palette()));
        }
        Kind::Images => tables.push(("sbix", images(&SHAPES))),
        Kind::JoinedImage => {
            tables.push(("sbix", images(&[JOINED])));
            tables.push(("GSUB", joining()));
        }
    }
    for tag in kept {
        tables.push((tag, table(tag).to_vec()));
    }
    assembled(tables)
}

fn number(at: usize) -> usize {
    u32::from_be_bytes(FONT[at..at + 4].try_into().unwrap()) as usize
}

/// A table of the bundled font.
fn table(tag: &str) -> &'static [u8] {
    let record = (12..)
        .step_by(16)
        .find(|&at| &FONT[at..at + 4] == tag.as_bytes())
        .unwrap();
    &FONT[number(record + 8)..][..number(record + 12)]
}

fn assembled(mut tables: Vec<(&str, Vec<u8>)>) -> Vec<u8> {
    tables.sort();
    let mut font = vec![0, 1, 0, 0, 0, tables.len() as u8, 0, 0, 0, 0, 0, 0];
    let mut at = 12 + 16 * tables.len();
    for (tag, bytes) in &tables {
        font.extend(tag.as_bytes());
        font.extend([0; 4]);
        font.extend((at as u32).to_be_bytes());
        font.extend((bytes.len() as u32).to_be_bytes());
        at += bytes.len().next_multiple_of(4);
    }
    for (_, bytes) in &tables {
        font.extend(bytes);
        font.resize(font.len().next_multiple_of(4), 0);
    }
    font
}

fn shorts(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_be_bytes()).collect()
}

/// The family's name (1) and the one that a PDF gives (6).
fn names(name: &str) -> Vec<u8> {
    let text: Vec<u16> = name.encode_utf16().collect();
    let bytes = 2 * text.len() as u16;
    let mut table = shorts(&[0, 2, 30]);
    for id in [1, 6] {
        table.extend(shorts(&[3, 1, 0x409, id, bytes, 0]));
    }
    table.extend(shorts(&text));
    table
}

/// Both letters, drawn by one glyph or by it and its successor.
fn letters(glyph: u16, same: bool) -> Vec<u8> {
    let mut table = shorts(&[0, 1, 3, 10, 0, 12, if same { 13 } else { 12 }, 0]);
    let numbers = [28, 0, 1, LETTERS[0] as u32, LETTERS[1] as u32, glyph.into()];
    table.extend(numbers.iter().flat_map(|n| n.to_be_bytes()));
    table
}

/// One layer on the blank glyph: the first shape, in the first colour.
fn layers() -> Vec<u8> {
    shorts(&[0, 1, 0, 14, 0, 20, 1, BLANK, 0, 1, SHAPES[0], 0])
}

/// One colour, blue-green-red and opaque.
fn palette() -> Vec<u8> {
    let mut table = shorts(&[0, 1, 1, 1, 0, 14, 0]);
    table.extend([0, 0, 255, 255]);
    table
}

/// An image of one pixel for each glyph.
fn images(glyphs: &[u16]) -> Vec<u8> {
    let mut image = Vec::new();
    let mut writer = png::Encoder::new(&mut image, 1, 1).write_header().unwrap();
    writer.write_image_data(&[0]).unwrap();
    writer.finish().unwrap();
    let one = [&[0; 4][..], b"png ", &image].concat();
    let count = usize::from(u16::from_be_bytes([table("maxp")[4], table("maxp")[5]]));
    let mut table = shorts(&[1, 1, 0, 1, 0, 12, 128, 72]);
    let mut at = 4 + 4 * (count + 1);
    for glyph in 0..=count {
        table.extend((at as u32).to_be_bytes());
        if glyphs.iter().any(|g| usize::from(*g) == glyph) {
            at += one.len();
        }
    }
    table.extend(one.repeat(glyphs.len()));
    table
}

/// Both letters in a row become one.
fn joining() -> Vec<u8> {
    let scripts = [&[1][..], &tag(b"DFLT"), &[8, 4, 0, 0, 0xffff, 1, 0]].concat();
    let features = [&[1][..], &tag(b"ccmp"), &[8, 0, 1, 0]].concat();
    let coverage = [1, 1, SHAPES[0]];
    let ligature = [1, 4, JOINED, 2, SHAPES[1]];
    let lookup = [&[4, 0, 1, 8, 1, 8, 1, 14][..], &coverage, &ligature].concat();
    let lookups = [&[1, 4][..], &lookup].concat();
    let [from, then] = [scripts.len(), features.len()].map(|n| 2 * n as u16);
    let header = [1, 0, 10, 10 + from, 10 + from + then];
    shorts(&[&header[..], &scripts, &features, &lookups].concat())
}

fn tag(name: &[u8; 4]) -> [u16; 2] {
    [[name[0], name[1]], [name[2], name[3]]].map(u16::from_be_bytes)
}
