//! Cells of delimited text: which character divides them, what is a number, what is missing; and numbers written.
//!
//! Numbers are rounded exactly (the nearest double to the decimal text), so that whatever writes
//! shortest round-trip decimals is read back bit for bit. Infinity, and decimals too large for a
//! double, are not proximities and are refused.

use std::borrow::Cow;
use std::io::{self, Write};

use memchr::memchr;

/// What divides the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// One character, with empty cells possible.
    Byte(u8),
    /// Any run of blanks and tabs.
    Blanks,
}

/// Whether all cells of a row but its label are numbers or missing, if it is divided so; between semicolons with decimal commas too.
fn leaves_numbers(row: &[u8], delimiter: Delimiter) -> bool {
    let number = |cell: &[u8]| !matches!(value(cell), Value::Text);
    let pointed = |cell: &[u8]| delimiter == Delimiter::Byte(b';') && number(&pointed(cell));
    cells(row, delimiter).is_some_and(|cells| {
        cells.len() > 1 && (cells.iter().skip(1)).all(|cell| number(cell) || pointed(cell))
    })
}

impl Delimiter {
    /// The delimiter of a table, from its header and the line after it. Tab comes before comma
    /// before semicolon before blanks, because labels hold the later ones far more often than the
    /// earlier; one that both lines have comes before one that only the header has.
    pub(crate) fn of(header: &[u8], first: &[u8]) -> Delimiter {
        let (in_header, in_first) = (Self::candidates(header), Self::candidates(first));
        let mut both = in_header.iter().filter(|&d| in_first.contains(d));
        let likeliest = both.next();
        // Decimal commas between semicolons, and labels with commas in them: what divides the first row must leave numbers.
        let semicolon = Delimiter::Byte(b';');
        if likeliest == Some(&Delimiter::Byte(b','))
            && both.any(|d| *d == semicolon)
            && !leaves_numbers(first, Delimiter::Byte(b','))
            && leaves_numbers(first, semicolon)
        {
            return semicolon;
        }
        *likeliest
            .or(in_header.first())
            .or(in_first.first())
            .unwrap_or(&Delimiter::Blanks)
    }

    /// The delimiters that occur in a line outside quotes, the likeliest first.
    fn candidates(line: &[u8]) -> Vec<Delimiter> {
        let mut quoted = false;
        let mut seen = [false; 4];
        for &byte in unended(line) {
            match byte {
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'\t' => seen[0] = true,
                b',' => seen[1] = true,
                b';' => seen[2] = true,
                b' ' => seen[3] = true,
                _ => {}
            }
        }
        let all = [
            Delimiter::Byte(b'\t'),
            Delimiter::Byte(b','),
            Delimiter::Byte(b';'),
            Delimiter::Blanks,
        ];
        all.into_iter()
            .zip(seen)
            .filter_map(|(d, seen)| seen.then_some(d))
            .collect()
    }

    /// What a table divided so is called.
    pub(crate) fn form(self) -> &'static str {
        match self {
            Delimiter::Byte(b'\t') => "a table divided by tabs",
            Delimiter::Byte(b',') => "a table divided by commas",
            Delimiter::Byte(_) => "a table divided by semicolons",
            Delimiter::Blanks => "a table divided by blanks",
        }
    }

    pub(crate) fn divides(self, byte: u8) -> bool {
        match self {
            Delimiter::Byte(b) => b == byte,
            Delimiter::Blanks => byte == b' ' || byte == b'\t',
        }
    }
}

/// A line without its ending, LF or CR LF.
fn unended(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The next line of `text` without its ending, and what follows it.
pub(crate) fn next_line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr(b'\n', text) {
        Some(end) => (unended(&text[..=end]), &text[end + 1..]),
        None => (unended(text), &[]),
    }
}

/// Whether a line holds nothing but blanks.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|b| b.is_ascii_whitespace())
}

/// A cell that begins at `line[at]`: its bytes with quotes undone, and where its delimiter (or the
/// end of the line) is. `None` if a quote is not closed or something follows the closing one.
pub(crate) fn cell(line: &[u8], at: usize, delimiter: Delimiter) -> Option<(Cow<'_, [u8]>, usize)> {
    let rest = &line[at..];
    let lead = rest
        .iter()
        .take_while(|&&b| (b == b' ' || b == b'\t') && !delimiter.divides(b))
        .count();
    if rest.get(lead) != Some(&b'"') {
        let end = match delimiter {
            Delimiter::Byte(b) => memchr(b, rest),
            Delimiter::Blanks => rest.iter().position(|&b| delimiter.divides(b)),
        }
        .unwrap_or(rest.len());
        return Some((Cow::Borrowed(rest[..end].trim_ascii()), at + end));
    }
    // A quoted cell: doubled quotes stand for one.
    let body = &rest[lead + 1..];
    let mut end = 0;
    let mut doubled = false;
    loop {
        end += memchr(b'"', &body[end..])?;
        if body.get(end + 1) == Some(&b'"') {
            doubled = true;
            end += 2;
        } else {
            break;
        }
    }
    let mut text = Cow::Borrowed(&body[..end]);
    if doubled {
        let mut single = Vec::with_capacity(end);
        let mut skip = false;
        for &b in &body[..end] {
            if b == b'"' && !skip {
                skip = true;
            } else {
                skip = false;
                single.push(b);
            }
        }
        text = Cow::Owned(single);
    }
    let after = &body[end + 1..];
    let pad = after
        .iter()
        .take_while(|&&b| (b == b' ' || b == b'\t') && !delimiter.divides(b))
        .count();
    match after.get(pad) {
        Some(&b) if !delimiter.divides(b) => None,
        _ => Some((text, at + lead + 1 + end + 1 + pad)),
    }
}

/// All cells of a line. `None` if a quote is not closed.
pub(crate) fn cells(line: &[u8], delimiter: Delimiter) -> Option<Vec<Cow<'_, [u8]>>> {
    let mut cells = Vec::new();
    let mut at = start(line, delimiter);
    while let Some(here) = at {
        let (text, end) = cell(line, here, delimiter)?;
        cells.push(text);
        at = after(line, end, delimiter);
    }
    Some(cells)
}

/// Where the first cell begins. A line of blanks divided by blanks has none.
pub(crate) fn start(line: &[u8], delimiter: Delimiter) -> Option<usize> {
    match delimiter {
        Delimiter::Byte(_) => Some(0),
        Delimiter::Blanks => line.iter().position(|&b| !delimiter.divides(b)),
    }
}

/// Where the next cell begins, given where the last one ended.
pub(crate) fn after(line: &[u8], end: usize, delimiter: Delimiter) -> Option<usize> {
    match delimiter {
        Delimiter::Byte(_) => (end < line.len()).then_some(end + 1),
        Delimiter::Blanks => {
            let gap = line[end..].iter().position(|&b| !delimiter.divides(b))?;
            Some(end + gap)
        }
    }
}

/// What the text of one cell is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Missing,
    /// A number outside the range of doubles, or infinity.
    Infinite,
    Text,
}

/// The value of a cell, its quotes and blanks already removed.
pub(crate) fn value(text: &[u8]) -> Value {
    if is_missing(text) {
        return Value::Missing;
    }
    match fast_float2::parse::<f64, _>(text) {
        Ok(x) if x.is_finite() => Value::Number(x),
        Ok(x) if x.is_infinite() => Value::Infinite,
        Ok(_) => Value::Missing,
        Err(_) => Value::Text,
    }
}

/// What other programs write where there is no number.
fn is_missing(text: &[u8]) -> bool {
    matches!(text, b"" | b"N/A" | b"n/a" | b"#N/A" | b"." | b"<NA>")
        || text.eq_ignore_ascii_case(b"na")
        || text.eq_ignore_ascii_case(b"nan")
        || text.eq_ignore_ascii_case(b"null")
        || text.eq_ignore_ascii_case(b"none")
}

/// Whether a cell could stand among the numbers of a row.
pub(crate) fn is_numeric(text: &[u8]) -> bool {
    matches!(value(text), Value::Number(_) | Value::Infinite)
}

/// Commas turned into decimal points.
pub(crate) fn pointed(text: &[u8]) -> Vec<u8> {
    text.iter()
        .map(|&b| if b == b',' { b'.' } else { b })
        .collect()
}

/// What the message says was expected where `text` stands.
pub(crate) fn wanted(text: &[u8]) -> &'static str {
    if value(text) == Value::Infinite {
        return "a finite number";
    }
    if has_thousands(text) {
        return "a number without thousands separators";
    }
    // 1,5 is a number in half of Europe, and the most common reason for text in a cell.
    if is_numeric(&pointed(text)) {
        "a number with a decimal point"
    } else {
        "a number"
    }
}

/// Whether digits are divided into threes: `1,234,567`, `1.234,5`, `12'345`.
fn has_thousands(text: &[u8]) -> bool {
    let marks = text
        .iter()
        .filter(|b| matches!(b, b',' | b'.' | b'\'' | b' '));
    let plain: Vec<u8> = text.iter().copied().filter(u8::is_ascii_digit).collect();
    let rest = text
        .iter()
        .all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.' | b'\'' | b' ' | b'-'));
    let count = marks.count();
    rest && !plain.is_empty() && (count > 1 || count == 1 && text.contains(&b'\''))
}

/// The shortest decimal that reads back to the same bits, with an exponent where digits would
/// otherwise be zeros.
pub(crate) fn put_number(x: f64, out: &mut dyn Write) -> io::Result<()> {
    let size = x.abs();
    // Python's json takes -0 for a whole number, which has no sign.
    if size == 0.0 && x.is_sign_negative() {
        return out.write_all(b"-0.0");
    }
    if size == 0.0 || (1e-5..1e16).contains(&size) || !x.is_finite() {
        write!(out, "{x}")
    } else {
        write!(out, "{x:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, delimiter: Delimiter) -> Option<Vec<String>> {
        let cells = cells(line.as_bytes(), delimiter)?;
        Some(
            cells
                .iter()
                .map(|c| String::from_utf8_lossy(c).into_owned())
                .collect(),
        )
    }

    #[test]
    fn quotes_protect_delimiters_and_doubled_quotes_stand_for_one() {
        let comma = Delimiter::Byte(b',');
        assert_eq!(
            split(r#""a,b", "say ""hi""" ,c d,"""#, comma).unwrap(),
            ["a,b", "say \"hi\"", "c d", ""]
        );
        assert_eq!(split("\"\"\"\",x", comma).unwrap(), ["\"", "x"]);
        assert_eq!(split("\"open,x", comma), None);
        assert_eq!(split("\"a\"b,x", comma), None);
        assert_eq!(split("a,", comma).unwrap(), ["a", ""]);
    }

    #[test]
    fn blanks_divide_by_runs_and_leave_no_empty_cells() {
        assert_eq!(
            split("  \"Homo sapiens\"   1 \t2  ", Delimiter::Blanks).unwrap(),
            ["Homo sapiens", "1", "2"]
        );
        assert!(split("   ", Delimiter::Blanks).unwrap().is_empty());
    }

    #[test]
    fn the_delimiter_is_looked_for_outside_quotes() {
        let of = |header: &str, first: &str| Delimiter::of(header.as_bytes(), first.as_bytes());
        assert_eq!(of("\"a\tb\",c\r\n", ""), Delimiter::Byte(b','));
        assert_eq!(of("a;b c", ""), Delimiter::Byte(b';'));
        assert_eq!(of("a", "x 1"), Delimiter::Blanks);
        assert_eq!(of("a,1 b,2", "x 0.5 0.7"), Delimiter::Blanks);
        assert_eq!(of("a b\tc d", "x y\t1\t2"), Delimiter::Byte(b'\t'));
    }

    #[test]
    fn numbers_missing_cells_and_text_are_told_apart() {
        assert_eq!(value(b"-1.5e-3"), Value::Number(-1.5e-3));
        assert_eq!(value(b"+2"), Value::Number(2.0));
        for missing in [
            "", "NA", "na", "#N/A", "NaN", "nan", "null", "NULL", ".", "N/A",
        ] {
            assert_eq!(value(missing.as_bytes()), Value::Missing, "{missing}");
        }
        for infinite in ["inf", "-Infinity", "1e999", "-1e400"] {
            assert_eq!(value(infinite.as_bytes()), Value::Infinite, "{infinite}");
        }
        for text in ["x", "1x", "0x10", "1,5", "1 2", "--1", "e5"] {
            assert_eq!(value(text.as_bytes()), Value::Text, "{text}");
        }
        assert_eq!(wanted(b"1,5"), "a number with a decimal point");
        for text in ["1,234,567", "1.234,5", "1,234.5", "12'345", "1 234 567"] {
            assert_eq!(
                wanted(text.as_bytes()),
                "a number without thousands separators",
                "{text}"
            );
        }
        assert_eq!(wanted(b"1.2.3e5"), "a number");
    }

    fn text(x: f64) -> String {
        let mut out = Vec::new();
        put_number(x, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            bits = bits
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let x = f64::from_bits(bits);
            if x.is_finite() {
                let back: f64 = fast_float2::parse(text(x)).unwrap();
                assert_eq!(back.to_bits(), x.to_bits(), "{x:e}");
            }
        }
        for (x, shown) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(text(x), shown);
        }
    }
}
