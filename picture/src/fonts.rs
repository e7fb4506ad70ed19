//! Which font draws what: the bundled one all that it has, a font of the system what it has not.
//!
//! Not every font will do. The letters of some are small bitmaps in colour, of which neither PNG nor
//! PDF is made here; such a font is passed over, letter by letter. Of others the letters are shapes
//! that no PDF embeds (in colour, or in a format that PDF does not know): these are taken if no other
//! font has the letter, and then all text of the PDF is drawn as outlines.

use std::collections::HashSet;
use std::sync::Arc;

use ttf_parser::{Face, GlyphId, OutlineBuilder, RasterImageFormat, Tag};
use usvg::fontdb::{Database, ID, Stretch, Style};
use usvg::{FontResolver, Group, Node};

use crate::text::FONT;

/// The bundled font, and those of the system if they are wanted.
pub(crate) fn database(system: bool) -> Database {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    if system {
        fonts.load_system_fonts();
    }
    fonts
}

/// The SVG with a font for each letter, and whether these fonts can be embedded.
pub(crate) fn lettered(
    svg: &str,
    fonts: &Arc<Database>,
    dpi: f32,
) -> Result<(usvg::Tree, bool), usvg::Error> {
    let mut passed_over = HashSet::new();
    loop {
        let options = usvg::Options {
            dpi,
            font_family: "Liberation Sans".to_owned(),
            fontdb: Arc::clone(fonts),
            font_resolver: resolver(fonts, passed_over.clone()),
            ..Default::default()
        };
        let tree = usvg::Tree::from_str(svg, &options)?;

        // Letters that are joined to one, as emoji are, may have another shape than each by itself.
        let mut embeddable = true;
        let known = passed_over.len();
        each_glyph(
            tree.root(),
            &mut |font, glyph| match with_face(fonts, font, |face| ink(face, glyph)) {
                Some(Ink::Bitmap) => _ = passed_over.insert(font),
                Some(Ink::Loose) => embeddable = false,
                Some(Ink::None | Ink::Embeddable) | None => {}
            },
        );
        // Each round passes over one font more, so that this ends.
        if passed_over.len() == known {
            return Ok((tree, embeddable));
        }
    }
}

/// What a font draws for a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ink {
    /// Nothing.
    None,
    /// An image, which is not drawn here.
    Bitmap,
    /// A shape that can only be drawn as such.
    Loose,
    /// An outline that can also be embedded in a PDF.
    Embeddable,
}

/// What is seen of a glyph; the order is that in which usvg looks.
fn ink(face: &Face<'_>, glyph: GlyphId) -> Ink {
    let outlined = face.outline_glyph(glyph, &mut Unseen).is_some();
    let formats = [Tag::from_bytes(b"glyf"), Tag::from_bytes(b"CFF ")];
    let embeddable = outlined && formats.iter().any(|f| face.raw_face().table(*f).is_some());
    let coloured = face.is_color_glyph(glyph) || face.glyph_svg_image(glyph).is_some();
    let image = face.glyph_raster_image(glyph, u16::MAX);
    if !coloured && image.is_some_and(|i| i.format == RasterImageFormat::PNG) {
        Ink::Bitmap
    } else if embeddable {
        Ink::Embeddable
    } else if outlined || coloured {
        Ink::Loose
    } else {
        Ink::None
    }
}

/// What a font draws for a letter by itself.
fn ink_of(face: &Face<'_>, letter: char) -> Ink {
    match face.glyph_index(letter) {
        None => Ink::None,
        Some(_) if letter.is_whitespace() => Ink::Embeddable,
        Some(glyph) => ink(face, glyph),
    }
}

/// Takes for a letter that is missing the font most like the bundled one, of those that have it.
fn resolver(fonts: &Database, passed_over: HashSet<ID>) -> FontResolver<'static> {
    let mut faces: Vec<_> = fonts.faces().collect();
    faces.sort_by_key(|face| {
        let fancy = face.style != Style::Normal || face.stretch != Stretch::Normal;
        let sans = face.families.iter().any(|(name, _)| name.contains("Sans"));
        (fancy, face.weight.0.abs_diff(400), face.monospaced, !sans)
    });
    let faces: Vec<ID> = faces.iter().map(|face| face.id).collect();
    FontResolver {
        select_fallback: Box::new(move |letter, used, fonts| {
            let mut loose = None;
            let others = faces.iter().copied();
            for id in others.filter(|id| !used.contains(id) && !passed_over.contains(id)) {
                match with_face(fonts, id, |face| ink_of(face, letter)) {
                    Some(Ink::Embeddable) => return Some(id),
                    Some(Ink::Loose) => loose = loose.or(Some(id)),
                    Some(Ink::None | Ink::Bitmap) | None => {}
                }
            }
            loose
        }),
        ..Default::default()
    }
}

fn with_face<T>(fonts: &Database, id: ID, look: impl FnOnce(&Face<'_>) -> T) -> Option<T> {
    fonts.with_face_data(id, |data, index| {
        Face::parse(data, index).ok().map(|face| look(&face))
    })?
}

fn each_glyph(group: &Group, see: &mut impl FnMut(ID, GlyphId)) {
    for node in group.children() {
        match node {
            Node::Group(group) => each_glyph(group, see),
            Node::Text(text) => {
                for glyph in text.layouted().iter().flat_map(|s| &s.positioned_glyphs) {
                    see(glyph.font, glyph.id);
                }
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}

/// Asks for an outline only to know whether there is one.
struct Unseen;

impl OutlineBuilder for Unseen {
    fn move_to(&mut self, _: f32, _: f32) {}
    fn line_to(&mut self, _: f32, _: f32) {}
    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
    fn close(&mut self) {}
}
