//! What a picture is written as.

use std::path::Path;

use adjoin_picture::Drawing;

use crate::error::Error;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            Some("pdf") => Ok(Format::Pdf),
            _ => Err(Error::Usage(format!(
                "found -o {}, expected a name that ends in .svg, .png or .pdf",
                path.display()
            ))),
        }
    }

    #[cfg(feature = "convert")]
    pub fn bytes(self, drawing: &Drawing, dpi: f64) -> Result<Vec<u8>, Error> {
        let bytes = match self {
            Format::Svg => Ok(drawing.svg.clone().into_bytes()),
            Format::Png => adjoin_picture::png(drawing, dpi),
            Format::Pdf => adjoin_picture::pdf(drawing),
        };
        bytes.map_err(|e| match e {
            adjoin_picture::Error::Dots { .. } => Error::Usage(e.to_string()),
            e => Error::Request(e.to_string()),
        })
    }

    #[cfg(not(feature = "convert"))]
    pub fn bytes(self, drawing: &Drawing, _: f64) -> Result<Vec<u8>, Error> {
        match self {
            Format::Svg => Ok(drawing.svg.clone().into_bytes()),
            _ => Err(Error::Usage(
                "found a picture to write as PNG or PDF, expected SVG: this program was built without \
                 the feature `convert`"
                    .into(),
            )),
        }
    }
}
