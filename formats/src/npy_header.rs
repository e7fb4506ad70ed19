//! The header of NumPy's `.npy` arrays: a Python dictionary that says how the numbers are stored.
//!
//! Whatever it says is only a claim: [`crate::npy`] compares it with the file's length.

use std::io::Read;

use crate::error::{Error, quote, quote_bytes};
use crate::raw::Number;

/// The first bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// The longest header worth reading; NumPy's own are below a hundred bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub number: Number,
    /// Whether the first byte of a number is its highest.
    pub big: bool,
    /// Whether columns are contiguous rather than rows.
    pub fortran: bool,
    pub shape: Vec<usize>,
}

/// The header, and where the numbers begin.
pub(crate) fn read_header(file: &mut dyn Read, name: &str) -> Result<(Header, u64), Error> {
    let foreign = |found: String| Error::malformed(name, None, found, "a NumPy .npy array");
    let mut head = Vec::new();
    (&mut *file)
        .take(8)
        .read_to_end(&mut head)
        .map_err(|e| Error::read(name, e))?;
    if head.is_empty() {
        return Err(foreign("an empty file".to_owned()));
    }
    if head.len() < 8 || !head.starts_with(MAGIC) {
        return Err(foreign(format!(
            "a file that begins with {}",
            quote_bytes(&head)
        )));
    }
    let width = match head[6] {
        1 => 2,
        2 | 3 => 4,
        v => return Err(foreign(format!("version {v} of the format"))),
    };
    let mut length = [0; 4];
    let cut = |_| foreign("a header that is cut short".to_owned());
    file.read_exact(&mut length[..width]).map_err(cut)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_HEADER {
        return Err(foreign(format!("a header of {length} bytes")));
    }
    let mut text = vec![0; length];
    file.read_exact(&mut text).map_err(cut)?;
    let header = std::str::from_utf8(&text)
        .ok()
        .map(parse_header)
        .unwrap_or_else(|| Err("a header that is not text".to_owned()))
        .map_err(foreign)?;
    Ok((header, (8 + width + length) as u64))
}

/// Parses the Python dictionary of a header: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse_header(text: &str) -> Result<Header, String> {
    let strange = || format!("the header {}", quote(text.trim()));
    let body = text
        .trim()
        .strip_prefix('{')
        .and_then(|t| t.strip_suffix('}'))
        .ok_or_else(strange)?;
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        let (key, after) = string(rest).ok_or_else(strange)?;
        let after = after
            .trim_start()
            .strip_prefix(':')
            .ok_or_else(strange)?
            .trim_start();
        let after = match key {
            "descr" => {
                let Some((value, after)) = string(after) else {
                    return Err("an array of records".to_owned());
                };
                descr = Some(value);
                after
            }
            "fortran_order" => {
                let (value, after) = if let Some(after) = after.strip_prefix("True") {
                    (true, after)
                } else {
                    (false, after.strip_prefix("False").ok_or_else(strange)?)
                };
                fortran = Some(value);
                after
            }
            "shape" => {
                let (inside, after) = after
                    .strip_prefix('(')
                    .and_then(|t| t.split_once(')'))
                    .ok_or_else(strange)?;
                let sizes: Result<Vec<usize>, _> = inside
                    .split(',')
                    .map(|s| s.trim().trim_end_matches('L'))
                    .filter(|s| !s.is_empty())
                    .map(str::parse)
                    .collect();
                shape = Some(sizes.map_err(|_| strange())?);
                after
            }
            _ => return Err(strange()),
        };
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.is_empty() => after,
            None => return Err(strange()),
        };
    }
    let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
        return Err(strange());
    };
    let (big, kind) = match descr.split_at_checked(1) {
        Some(("<" | "|", kind)) => (false, kind),
        Some((">", kind)) => (true, kind),
        Some(("=", kind)) => (cfg!(target_endian = "big"), kind),
        _ => (false, descr),
    };
    let number = match kind {
        "f8" => Number::F64,
        "f4" => Number::F32,
        "f2" => Number::F16,
        "i1" => Number::Signed(1),
        "i2" => Number::Signed(2),
        "i4" => Number::Signed(4),
        "i8" => Number::Signed(8),
        "u1" | "b1" => Number::Unsigned(1),
        "u2" => Number::Unsigned(2),
        "u4" => Number::Unsigned(4),
        "u8" => Number::Unsigned(8),
        _ => return Err(format!("an array of type {}", quote(descr))),
    };
    Ok(Header {
        number,
        big,
        fortran,
        shape,
    })
}

/// A Python string literal without escapes, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|&c| c == '\'' || c == '"')?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_spellings_are_understood() {
        let header =
            parse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n")
                .unwrap();
        assert_eq!(
            header,
            Header {
                number: Number::F64,
                big: false,
                fortran: false,
                shape: vec![3, 4]
            }
        );
        let header =
            parse_header("{\"shape\": (3L,), 'fortran_order': True, \"descr\": '>i2'}").unwrap();
        assert_eq!(
            header,
            Header {
                number: Number::Signed(2),
                big: true,
                fortran: true,
                shape: vec![3]
            }
        );
    }

    #[test]
    fn strange_headers_are_refused() {
        for (text, found) in [
            ("", "the header"),
            ("{}", "the header"),
            ("{'descr': '<f8', 'fortran_order': False}", "the header"),
            (
                "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
                "an array of records",
            ),
            (
                "{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}",
                "an array of type \"<c16\"",
            ),
            (
                "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
                "an array of type \"|O\"",
            ),
            (
                "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
                "the header",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}",
                "the header",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2) 3}",
                "the header",
            ),
            ("{'é': 1}", "the header"),
        ] {
            let error = parse_header(text).unwrap_err();
            assert!(error.starts_with(found), "{text}: {error}");
        }
    }
}
