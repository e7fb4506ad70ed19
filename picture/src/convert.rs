//! PNG and PDF from the SVG.
//!
//! The bundled font is enough for Latin, Greek and Cyrillic letters, and then letters do not depend
//! on the machine. Where a label has others, the system's fonts are looked at too; a letter that no
//! font has is drawn as a box.

use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use usvg::fontdb::Database;

use crate::draw::Drawing;
use crate::error::Error;
use crate::text::FONT;

/// The resolution at which usvg takes millimetres for pixels.
const CSS: f64 = 96.0;
const INCH: f64 = 25.4;

/// The picture as PNG, which also says how large a pixel is.
pub fn png(drawing: &Drawing, dots_per_inch: f64) -> Result<Vec<u8>, Error> {
    let pixels = drawing.size.map(|mm| (mm / INCH * dots_per_inch).round());
    let most = f64::from(crate::MOST_PIXELS);
    if !pixels.iter().all(|p| (1.0..=most).contains(p)) {
        return Err(Error::Dots {
            found: dots_per_inch,
            pixels,
        });
    }
    let tree = tree(drawing)?;
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

/// The picture as PDF: a page of its size, with text as text.
pub fn pdf(drawing: &Drawing) -> Result<Vec<u8>, Error> {
    let page = svg2pdf::PageOptions { dpi: CSS as f32 };
    svg2pdf::to_pdf(&tree(drawing)?, svg2pdf::ConversionOptions::default(), page)
        .map_err(|e| Error::Convert(e.to_string()))
}

fn tree(drawing: &Drawing) -> Result<usvg::Tree, Error> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    if !drawing.unknown_letters.is_empty() {
        fonts.load_system_fonts();
    }
    let options = usvg::Options {
        dpi: CSS as f32,
        font_family: "Liberation Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Default::default()
    };
    usvg::Tree::from_str(&drawing.svg, &options).map_err(|e| Error::Convert(e.to_string()))
}
