//! PNG and PDF from the SVG.
//!
//! The bundled font is enough for Latin, Greek and Cyrillic letters, and then letters do not depend
//! on the machine. Where a label has others, the system's fonts are looked at too; a letter that none
//! of them can draw is drawn as a box. No font of the system, or lack of one, is an error.

use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use usvg::fontdb::Database;

use crate::draw::Drawing;
use crate::error::Error;
use crate::fonts;

/// The resolution at which usvg takes millimetres for pixels.
const CSS: f64 = 96.0;
const INCH: f64 = 25.4;

/// The picture as PNG, which also says how large a pixel is.
pub fn png(drawing: &Drawing, dots_per_inch: f64) -> Result<Vec<u8>, Error> {
    png_with(
        drawing,
        dots_per_inch,
        fonts::database(needs_system(drawing)),
    )
}

fn png_with(drawing: &Drawing, dots_per_inch: f64, fonts: Database) -> Result<Vec<u8>, Error> {
    let pixels = drawing.size.map(|mm| (mm / INCH * dots_per_inch).round());
    let most = f64::from(crate::MOST_PIXELS);
    if !pixels.iter().all(|p| (1.0..=most).contains(p)) {
        return Err(Error::Dots {
            found: dots_per_inch,
            pixels,
        });
    }
    let (tree, _) = tree(drawing, fonts)?;
    let [width, height] = pixels.map(|p| p as u32);
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| Error::Convert(format!("no memory for {width} by {height} pixels")))?;
    pixmap.fill(Color::WHITE);
    let scale = (dots_per_inch / CSS) as f32;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );

    // On white nothing is see-through: the fourth byte goes.
    let data: Vec<u8> = pixmap
        .data()
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
    let per_metre = (dots_per_inch * 1000.0 / INCH).round() as u32;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Default);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&data)?;
        writer.finish()
    });
    written.map_err(|e| Error::Convert(e.to_string()))?;
    Ok(bytes)
}

/// The picture as PDF: a page of its size, with text as text if all of its fonts can be embedded.
pub fn pdf(drawing: &Drawing) -> Result<Vec<u8>, Error> {
    pdf_with(drawing, fonts::database(needs_system(drawing)))
}

fn pdf_with(drawing: &Drawing, fonts: Database) -> Result<Vec<u8>, Error> {
    let (tree, embeddable) = tree(drawing, fonts)?;
    let write = |tree: &usvg::Tree, embed_text| {
        let options = svg2pdf::ConversionOptions {
            embed_text,
            ..Default::default()
        };
        let page = svg2pdf::PageOptions { dpi: CSS as f32 };
        svg2pdf::to_pdf(tree, options, page).map_err(|e| Error::Convert(e.to_string()))
    };
    // A font can be damaged where only who embeds it looks: then outlines, and then boxes.
    let mut written = write(&tree, embeddable);
    if written.is_err() && embeddable {
        written = write(&tree, false);
    }
    if written.is_err() {
        written = write(&self::tree(drawing, fonts::database(false))?.0, true);
    }
    written
}

fn tree(drawing: &Drawing, fonts: Database) -> Result<(usvg::Tree, bool), Error> {
    fonts::lettered(&drawing.svg, &Arc::new(fonts), CSS as f32)
        .map_err(|e| Error::Convert(e.to_string()))
}

/// Whether there are letters that the bundled font does not have.
fn needs_system(drawing: &Drawing) -> bool {
    !drawing.unknown_letters.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Kind, LETTERS, font};
    use crate::{Scene, Settings, draw};

    fn drawing(label: &str) -> Drawing {
        let labels = [label.to_owned(), "Oslo".to_owned()];
        let scene = Scene {
            axes: vec!["axis 1".into(), "axis 2".into()],
            labels: &labels,
            points: vec![[0.0, 0.0], [1.0, 1.0]],
            ..Default::default()
        };
        draw(&scene, &Settings::default()).unwrap()
    }

    /// The bundled font and others, each by the name of its kind.
    fn fonts(kinds: &[Kind]) -> Database {
        let mut fonts = fonts::database(false);
        for kind in kinds {
            fonts.load_font_data(font(*kind, &format!("{kind:?}")));
        }
        assert_eq!(fonts.len(), 1 + kinds.len());
        fonts
    }

    /// The PDF's fonts are named in it, whatever is packed.
    fn has(pdf: &[u8], font: &str) -> bool {
        String::from_utf8_lossy(pdf).contains(&format!("+{font}"))
    }

    /// The colours of a PNG's pixels.
    fn pixels(drawing: &Drawing, kinds: &[Kind]) -> Vec<[u8; 3]> {
        let bytes = png_with(drawing, 150.0, fonts(kinds)).unwrap();
        let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).unwrap();
        pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect()
    }

    #[test]
    fn a_font_that_can_be_embedded_is() {
        let drawing = drawing(&LETTERS[0].to_string());
        let pdf = pdf_with(&drawing, fonts(&[Kind::Plain])).unwrap();
        assert!(has(&pdf, "Plain") && has(&pdf, "LiberationSans"));
        assert_ne!(pixels(&drawing, &[Kind::Plain]), pixels(&drawing, &[]));
    }

    #[test]
    fn a_font_of_images_is_passed_over() {
        let drawing = drawing(&LETTERS[0].to_string());
        let pdf = pdf_with(&drawing, fonts(&[Kind::Images])).unwrap();
        assert!(!has(&pdf, "Images") && has(&pdf, "LiberationSans"));
        // A box, as if it were not there.
        assert_eq!(pixels(&drawing, &[Kind::Images]), pixels(&drawing, &[]));
        let all = [Kind::Images, Kind::Layered, Kind::Plain];
        let pdf = pdf_with(&drawing, fonts(&all)).unwrap();
        assert!(has(&pdf, "Plain") && has(&pdf, "LiberationSans"));
    }

    #[test]
    fn a_font_that_joins_letters_to_an_image_is_passed_over_for_these() {
        let both = drawing(&LETTERS.iter().collect::<String>());
        let pdf = pdf_with(&both, fonts(&[Kind::JoinedImage])).unwrap();
        assert!(!has(&pdf, "JoinedImage") && has(&pdf, "LiberationSans"));
        assert_eq!(pixels(&both, &[Kind::JoinedImage]), pixels(&both, &[]));
        let pdf = pdf_with(&both, fonts(&[Kind::JoinedImage, Kind::Plain])).unwrap();
        assert!(has(&pdf, "Plain"));
        let one = drawing(&LETTERS[1].to_string());
        let pdf = pdf_with(&one, fonts(&[Kind::JoinedImage])).unwrap();
        assert!(has(&pdf, "JoinedImage"));
    }

    #[test]
    fn letters_in_colour_make_outlines_of_all_text() {
        let drawing = drawing(&LETTERS[0].to_string());
        let pdf = pdf_with(&drawing, fonts(&[Kind::Layered])).unwrap();
        assert!(!has(&pdf, "Layered") && !has(&pdf, "LiberationSans"));
        let pixels = pixels(&drawing, &[Kind::Layered]);
        assert!(pixels.contains(&[255, 0, 0]));
    }

    #[test]
    fn a_font_that_fails_to_be_embedded_is_drawn_as_outlines() {
        let drawing = drawing(&LETTERS[0].to_string());
        let pdf = pdf_with(&drawing, fonts(&[Kind::Damaged])).unwrap();
        assert!(!has(&pdf, "Damaged") && !has(&pdf, "LiberationSans"));
        assert!(pdf.len() > 2_000);
    }
}
