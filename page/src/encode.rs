//! Words and numbers inside an HTML file: JSON that no label can break out of, and arrays in base64.
//!
//! A `<script>` of a type that is not JavaScript is data: the browser neither runs it nor decodes entities in
//! it, and only `</script` and `<!--` end it. In JSON a `<` can always be written `\u003c`, so nothing that a
//! label holds is ever seen by the HTML parser. Numbers are little-endian arrays in base64, a third larger than
//! they are, exact to the bit and read in one step.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The data of a page: elements to be put into it.
#[derive(Default)]
pub struct Elements {
    html: String,
}

impl Elements {
    /// Adds words and small numbers.
    pub fn words(&mut self, id: &str, value: &Value) {
        let json = value.to_string().replace('<', "\\u003c");
        self.element(id, "application/json", &json);
    }

    /// Adds numbers as they are.
    pub fn doubles(&mut self, id: &str, values: &[f64]) {
        self.array(id, "f64", values.iter().flat_map(|v| v.to_le_bytes()));
    }

    /// Adds numbers rounded to single precision: what a screen shows needs no more.
    pub fn singles(&mut self, id: &str, values: impl Iterator<Item = f64>) {
        self.array(id, "f32", values.flat_map(|v| (v as f32).to_le_bytes()));
    }

    /// Adds indices.
    pub fn indices(&mut self, id: &str, values: impl Iterator<Item = u32>) {
        self.array(id, "u32", values.flat_map(u32::to_le_bytes));
    }

    /// Adds short codes.
    pub fn codes(&mut self, id: &str, values: impl Iterator<Item = u16>) {
        self.array(id, "u16", values.flat_map(u16::to_le_bytes));
    }

    fn array(&mut self, id: &str, number: &str, bytes: impl Iterator<Item = u8>) {
        let bytes: Vec<u8> = bytes.collect();
        let text = STANDARD.encode(bytes);
        self.element(
            id,
            &format!("application/octet-stream;numbers={number}"),
            &text,
        );
    }

    fn element(&mut self, id: &str, kind: &str, text: &str) {
        self.html += &format!("<script type=\"{kind}\" id=\"{id}\">{text}</script>\n");
    }

    /// The HTML of all of them.
    pub fn into_html(self) -> String {
        self.html
    }
}

/// Text as HTML that shows it and does nothing else.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_ends_the_element_it_is_in() {
        let label = "</script><script>alert(1)</script><!-- \u{2028}";
        let mut elements = Elements::default();
        elements.words("words", &serde_json::json!([label]));
        let html = elements.into_html();
        let inside = html
            .strip_prefix("<script type=\"application/json\" id=\"words\">")
            .and_then(|h| h.strip_suffix("</script>\n"))
            .unwrap();
        assert!(!inside.contains('<'));
        let back: Vec<String> = serde_json::from_str(inside).unwrap();
        assert_eq!(back, [label]);
    }

    #[test]
    fn numbers_are_exact() {
        let mut elements = Elements::default();
        elements.doubles("x", &[0.1, f64::NAN, -0.0]);
        let html = elements.into_html();
        let text = html.split(['>', '<']).nth(2).unwrap();
        let bytes = STANDARD.decode(text).unwrap();
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
            .collect();
        let expected = [0.1f64, f64::NAN, -0.0].map(f64::to_bits);
        assert_eq!(numbers, expected);
    }
}
