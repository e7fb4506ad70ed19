//! What R prints of a `dist` that is wider than the terminal: blocks of columns, one below the other, each under a header
//! of its own.

use std::collections::HashMap;

use crate::cell::{is_blank, next_line};

/// The table that printed blocks stand for, each row on one line again; `None` if there is one block only, which needs
/// no help.
pub(crate) fn joined(text: &[u8]) -> Option<Vec<u8>> {
    let mut header: Vec<&[u8]> = Vec::new();
    let mut rows: Vec<Vec<&[u8]>> = Vec::new();
    let mut place: HashMap<&[u8], usize> = HashMap::new();
    let mut blocks = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (line, next) = next_line(rest);
        rest = next;
        if is_blank(line) {
            continue;
        }
        let cells = line
            .split(|b| b.is_ascii_whitespace())
            .filter(|cell| !cell.is_empty());
        // Labels of rows are set to the left; a header has a blank where they are.
        if line.starts_with(b" ") {
            header.extend(cells);
            blocks += 1;
            continue;
        }
        let mut cells = cells;
        let label = cells.next()?;
        let row = *place.entry(label).or_insert_with(|| {
            rows.push(vec![label]);
            rows.len() - 1
        });
        rows[row].extend(cells);
    }
    if blocks < 2 {
        return None;
    }
    let mut whole = Vec::with_capacity(text.len());
    for cell in header {
        whole.push(b' ');
        whole.extend_from_slice(cell);
    }
    for row in rows {
        whole.push(b'\n');
        whole.extend_from_slice(&row.join(&b' '));
    }
    whole.push(b'\n');
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_put_side_by_side() {
        let printed = b"    a b\nb   1\nc   2 3\nd   4 5\n    c\nb\nc\nd   6\n";
        let whole = joined(printed).unwrap();
        assert_eq!(whole, b" a b c\nb 1\nc 2 3\nd 4 5 6\n");
        assert!(joined(b"  a b\nb 1\nc 2 3\n").is_none());
    }
}
