//! Text of numbers whose rows have no labels: what they are together.
//!
//! `np.savetxt`, R's `write.table` without names, and PLINK's `.rel`, `.king`, `.mdist` and `.mibs` are squares,
//! rectangles or triangles of numbers alone; sourmash's `--csv` and R's `row.names=FALSE` have a header of labels, but
//! none before the rows.

use crate::cell::is_numeric;
use crate::error::{Error, count};
use crate::header::Header;
use crate::matrix::Matrix;
use crate::triangle::{Half, Rows};
use crate::unlabelled::{self, Names};

/// The matrix that rows without labels stand for.
pub(crate) fn assemble(
    header: Header,
    mut rows: Rows,
    names: Option<&Names>,
    source: &str,
) -> Result<Matrix, Error> {
    let k = rows.lengths.len();
    let m = rows.lengths[0];
    let lines = std::mem::take(&mut rows.lines);
    let values = std::mem::take(&mut rows.values);
    if !header.plain {
        let columns = columns(&header, &rows.lengths, &lines, source)?;
        return under_a_header(columns, header.line, values, lines, names, source);
    }
    if rows.lengths.iter().all(|&l| l == m) && (k > 1 || names.is_none_or(|n| n.labels.len() == 1))
    {
        let mut values = values;
        if k == m {
            unlabelled::mirror_if_lower(&mut values, k);
        }
        let matrix = unlabelled::matrix(values, (k, m), names, source)?;
        return Ok(Matrix { lines, ..matrix });
    }
    let lower = rows.lengths.iter().zip(1..).all(|(&l, i)| l == i);
    let upper = rows.lengths.iter().rev().zip(1..).all(|(&l, i)| l == i);
    let ragged = || {
        let wrong = rows.lengths.iter().position(|&l| l != m).unwrap_or(0);
        Error::malformed(
            source,
            lines[wrong],
            count(rows.lengths[wrong], "number"),
            format!("{m}, as in the row before, or the rows of a triangle"),
        )
    };
    if !lower && !upper {
        return Err(ragged());
    }
    let Some(given) = names else {
        return Err(Error::malformed(
            source,
            None,
            format!("a triangle of {} without labels", count(k, "row")),
            "labels too (--labels FILE): their number says whether the diagonal is in the triangle",
        ));
    };
    let n = given.labels.len();
    if n != k && n != k + 1 {
        return Err(Error::mismatch(
            &given.file,
            None,
            count(n, "label"),
            format!(
                "{k}, or {} if the diagonal is left out, for the triangle in {source}",
                k + 1
            ),
        ));
    }
    let half = Half {
        lower,
        diagonal: n == k,
    };
    unlabelled::of_half(values, half, n, names, source)
}

/// The labels of the columns; a corner may stand before them.
fn columns(
    header: &Header,
    lengths: &[usize],
    lines: &[u64],
    source: &str,
) -> Result<Vec<String>, Error> {
    let width = header.cells.len();
    let cornered = header.cells.first().is_some_and(String::is_empty);
    let wanted = width - usize::from(cornered);
    match lengths.iter().position(|&l| l != wanted) {
        None => Ok(header.cells[width - wanted..].to_vec()),
        Some(wrong) => Err(Error::malformed(
            source,
            lines[wrong],
            count(lengths[wrong], "number"),
            format!(
                "{wanted}, one for each label of the header on line {}",
                header.line
            ),
        )),
    }
}

fn under_a_header(
    columns: Vec<String>,
    header_line: u64,
    values: Vec<f64>,
    lines: Vec<u64>,
    names: Option<&Names>,
    source: &str,
) -> Result<Matrix, Error> {
    let (k, m) = (lines.len(), columns.len());
    let rows = match names {
        Some(names) if names.labels.len() == k => names.labels.clone(),
        Some(names) => {
            return Err(Error::mismatch(
                &names.file,
                None,
                count(names.labels.len(), "label"),
                format!("{k}, one for each row of {source}"),
            ));
        }
        None if k == m => columns.clone(),
        None => {
            return Err(Error::malformed(
                source,
                lines.first().copied(),
                format!("{} without labels", count(k, "row")),
                format!("labels too (--labels FILE), or {m} rows for the {m} columns"),
            ));
        }
    };
    Ok(Matrix {
        rows,
        columns,
        values,
        lines,
        header_line,
        labelled: true,
        source: source.to_owned(),
        ..Matrix::default()
    })
}

/// Whether what looks like a corner and labels of rows is the first column of a square without any: as many rows as the
/// header has cells, a number at the beginning of each, and the square is symmetric.
pub(crate) fn lacks_row_labels(header: &Header, rows: &Rows) -> bool {
    let n = header.cells.len();
    if header.cells.first().is_none_or(String::is_empty)
        || rows.labels.len() != n
        || n < 2
        || rows.lengths.iter().any(|&l| l + 1 != n)
        || !rows.labels.iter().all(|l| is_numeric(l.as_bytes()))
    {
        return false;
    }
    let first: Vec<f64> = rows.labels.iter().map(|l| number(l)).collect();
    let at = |i: usize, j: usize| {
        if j == 0 {
            first[i]
        } else {
            rows.values[i * (n - 1) + j - 1]
        }
    };
    let same =
        |x: f64, y: f64| x == y || (x - y).abs() <= 1e-6 * x.abs().max(y.abs()) || x.is_nan();
    (0..n).all(|i| (0..i).all(|j| same(at(i, j), at(j, i))))
}

/// The same rows with what was taken for labels put back.
pub(crate) fn put_back(rows: Rows) -> Rows {
    let n = rows.labels.len();
    let mut values = Vec::with_capacity(n * n);
    for (label, row) in rows.labels.iter().zip(rows.values.chunks(n - 1)) {
        values.push(number(label));
        values.extend_from_slice(row);
    }
    Rows {
        labels: Vec::new(),
        lines: rows.lines,
        lengths: vec![n; n],
        values,
        ..Rows::default()
    }
}

fn number(text: &str) -> f64 {
    fast_float2::parse(text).unwrap_or(f64::NAN)
}
