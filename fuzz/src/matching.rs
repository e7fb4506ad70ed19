//! Which row and column is which object, held against the plainest way to find out.

use std::collections::HashSet;

use adjoin_formats::{Matrix, Pairs, match_between, match_newcomers, nearest_label, square};
use arbitrary::Unstructured;

use crate::readers::message;

/// Labels from a small pool, so that they meet; each once unless `doubled`.
fn labels(u: &mut Unstructured<'_>, most: usize) -> arbitrary::Result<Vec<String>> {
    const POOL: [&str; 16] = [
        "a", "b", "c", "d", "e", "A", " a", "a ", "1", "2", "01", "é", "e\u{301}", "new1", "",
        "a\tb",
    ];
    let count = u.int_in_range(0..=most)?;
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for _ in 0..count {
        let label = *u.choose(&POOL)?;
        if seen.insert(label) {
            out.push(label.to_owned());
        }
    }
    Ok(out)
}

fn value(row: &str, column: &str) -> f64 {
    // A number that tells which pair it is of, the same both ways.
    let code = |s: &str| s.bytes().fold(7u64, |h, b| (h * 131 + u64::from(b)) % 9973) as f64;
    if row == column {
        0.0
    } else {
        code(row) * code(column)
    }
}

/// Label matching.
pub fn matching(data: &[u8]) {
    let _ = matched(&mut Unstructured::new(data));
}

fn matched(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let objects = labels(u, 6)?;
    let references: Vec<String> = if u.arbitrary()? {
        objects.clone()
    } else {
        let keep = u.int_in_range(0..=objects.len())?;
        objects[..keep].to_vec()
    };
    let (rows, columns) = (labels(u, 6)?, labels(u, 8)?);
    let columns = if u.arbitrary()? {
        rows.clone()
    } else {
        columns
    };
    let partial = u.arbitrary()?;
    let values = rows
        .iter()
        .flat_map(|r| columns.iter().map(move |c| value(r, c)))
        .collect();
    let matrix = Matrix {
        lines: vec![0; rows.len()],
        rows,
        columns,
        values,
        labelled: true,
        interchangeable: u.arbitrary()?,
        source: "f".into(),
        ..Matrix::default()
    };
    for label in &matrix.rows {
        let _ = nearest_label(label, objects.iter());
    }
    match square(matrix.clone()) {
        Ok(square) => {
            assert_eq!(square.rows, square.columns);
            for (i, r) in square.rows.iter().enumerate() {
                for (j, c) in square.columns.iter().enumerate() {
                    assert_eq!(square.row(i)[j], value(r, c));
                }
            }
        }
        Err(error) => message(&error),
    }
    let Ok(matched) =
        match_newcomers(&matrix, &references, &objects, partial).map_err(|error| message(&error))
    else {
        return Ok(());
    };
    let (k, n) = (matched.newcomers.len(), references.len());
    assert!(k > 0);
    assert_eq!(matched.cross.len(), k * n);
    let distinct: HashSet<&String> = matched.newcomers.iter().collect();
    assert_eq!(distinct.len(), k);
    for (i, newcomer) in matched.newcomers.iter().enumerate() {
        assert!(!objects.contains(newcomer), "{newcomer:?} is on the map");
        for (j, reference) in references.iter().enumerate() {
            let found = matched.cross[i * n + j];
            assert!(found == value(newcomer, reference) || (partial && found.is_nan()));
        }
    }
    if let Some(between) = matched.between.as_ref().map(Pairs::square) {
        assert_eq!(between.len(), k * k);
        for (i, a) in matched.newcomers.iter().enumerate() {
            for (j, b) in matched.newcomers.iter().enumerate() {
                let found = between[i * k + j];
                assert!(found.is_nan() || found == value(a, b));
            }
        }
    }
    if let Some(old) = &matched.old {
        for (i, a) in references.iter().enumerate() {
            for (j, b) in references.iter().enumerate() {
                assert_eq!(old[i * n + j], value(a, b));
            }
        }
    }
    let newcomers = matched.newcomers.clone();
    match match_between(matrix, &newcomers) {
        Ok(between) => {
            for (i, a) in newcomers.iter().enumerate() {
                for (j, b) in newcomers.iter().enumerate() {
                    assert_eq!(between[i * k + j], value(a, b));
                }
            }
        }
        Err(error) => message(&error),
    }
    Ok(())
}
