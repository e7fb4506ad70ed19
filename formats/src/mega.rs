//! MEGA's distance files: statements that begin with `!`, comments in brackets, the names of the taxa behind `#`, and
//! half of the distances.

use crate::cell::{Value, value};
use crate::error::{Error, count, quote};
use crate::header::not_text;
use crate::matrix::Matrix;
use crate::source::Text;
use crate::triangle::Half;
use crate::unlabelled::{self, Names};

/// Whether text begins like a MEGA file.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.trim_ascii_start()
        .get(..5)
        .is_some_and(|mark| mark.eq_ignore_ascii_case(b"#mega"))
}

/// Reads a whole file.
pub(crate) fn read(text: &mut Text) -> Result<Matrix, Error> {
    let name = text.name.clone();
    let bytes = text.read_all()?;
    let content = std::str::from_utf8(&bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        not_text(&name, line as u64 + 1)
    })?;
    let mut taxa = Vec::new();
    let mut lines = Vec::new();
    let mut values = Vec::new();
    let mut upper = false;
    let mut statement = false;
    let mut depth = 0_usize;
    for (number, line) in (1..).zip(content.lines()).skip(1) {
        let mut plain = uncommented(line, &mut depth);
        if statement || plain.trim_start().starts_with('!') {
            upper |= plain.to_ascii_lowercase().contains("upperright");
            // What follows the end of a statement is data again.
            let end = plain.find(';');
            statement = end.is_none();
            plain = end.map_or(String::new(), |end| plain[end + 1..].to_owned());
        }
        let plain = plain.trim();
        if let Some(taxon) = plain.strip_prefix('#') {
            taxa.push(taxon.trim().to_owned());
            lines.push(number);
            continue;
        }
        for cell in plain.split_whitespace() {
            values.push(match (value(cell.as_bytes()), cell) {
                (Value::Number(x), _) => x,
                (Value::Missing, _) | (_, "?") => f64::NAN,
                _ => {
                    return Err(Error::malformed(
                        &name,
                        number,
                        quote(cell),
                        "a distance, a name behind #, or a statement behind !",
                    ));
                }
            });
        }
    }
    let n = taxa.len();
    let beside = n * n.saturating_sub(1) / 2;
    let half = Half {
        lower: !upper,
        diagonal: values.len() == beside + n,
    };
    if n < 2 || values.len() != beside && !half.diagonal {
        return Err(Error::malformed(
            &name,
            None,
            format!("{} of {}", count(values.len(), "distance"), taxa_of(n)),
            format!("{beside} of them below the diagonal, and DataType=Distance"),
        ));
    }
    let names = Names {
        labels: taxa,
        file: name.clone(),
    };
    let matrix = unlabelled::of_half(values, half, n, Some(&names), &name)?;
    Ok(Matrix { lines, ..matrix })
}

fn taxa_of(n: usize) -> String {
    if n == 1 {
        "1 taxon".into()
    } else {
        format!("{n} taxa")
    }
}

/// A line without what stands in brackets, which may be nested and run over lines.
pub(crate) fn uncommented(line: &str, depth: &mut usize) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '[' => *depth += 1,
            ']' if *depth > 0 => {
                *depth -= 1;
                plain.push(' ');
            }
            _ if *depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}
