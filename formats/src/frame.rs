//! The output table and the formats it is written in.
//!
//! A [`Frame`] is columns of equal length. Numbers are written as the shortest decimals that read
//! back to the same bits; what is not there is an empty cell, or null.

use std::io::{self, Write};
use std::path::Path;

use crate::atomic::Output;
use crate::configuration::is_axis;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::read::extension;
use crate::{npy, ordination};

/// One column of an output table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Labels and words; empty is an empty cell.
    Text(Vec<String>),
    /// Numbers; NaN is an empty cell.
    Number(Vec<f64>),
    /// Yes, no, or an empty cell.
    Flag(Vec<Option<bool>>),
    /// Whole numbers.
    Count(Vec<u64>),
}

impl Column {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Text(v) => v.len(),
            Column::Number(v) => v.len(),
            Column::Flag(v) => v.len(),
            Column::Count(v) => v.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An output table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Names and columns, all of one length.
    pub columns: Vec<(String, Column)>,
    /// The eigenvalues of the axes, for `ordination`.
    pub eigenvalues: Vec<f64>,
    /// The share of the variance that each axis explains, for `ordination`.
    pub proportions: Vec<f64>,
}

/// A format that tables are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Text divided by tabs.
    Tsv,
    /// Text divided by commas.
    Csv,
    /// An array of records.
    Json,
    /// A NumPy array of the coordinates.
    Npy,
    /// Parquet.
    Parquet,
    /// scikit-bio's ordination results.
    Ordination,
}

impl OutputFormat {
    /// The format that a file's name asks for; TSV if it does not say.
    pub fn of(path: &Path) -> OutputFormat {
        match extension(path).as_str() {
            "csv" => OutputFormat::Csv,
            "json" => OutputFormat::Json,
            "npy" => OutputFormat::Npy,
            "parquet" => OutputFormat::Parquet,
            "ordination" => OutputFormat::Ordination,
            _ => OutputFormat::Tsv,
        }
    }
}

impl Frame {
    /// A frame of labelled proximities, its first header cell empty as `lsmat` has it.
    pub fn of_matrix(matrix: &Matrix) -> Frame {
        let m = matrix.columns.len();
        let mut columns = vec![(String::new(), Column::Text(matrix.rows.clone()))];
        for (j, label) in matrix.columns.iter().enumerate() {
            let column = matrix.values.iter().skip(j).step_by(m).copied().collect();
            columns.push((label.clone(), Column::Number(column)));
        }
        Frame {
            columns,
            ..Frame::default()
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, c)| c.len())
    }

    /// The coordinates: columns `axis1`, `axis2`, …, or all numbers if there are none of that name.
    fn axes(&self) -> Vec<&[f64]> {
        let numbers = |all: bool| -> Vec<&[f64]> {
            self.columns
                .iter()
                .filter_map(|(name, column)| match column {
                    Column::Number(v) if all || is_axis(name) => Some(&v[..]),
                    _ => None,
                })
                .collect()
        };
        let axes = numbers(false);
        if axes.is_empty() { numbers(true) } else { axes }
    }

    fn labels(&self) -> &[String] {
        self.columns
            .iter()
            .find_map(|(_, column)| match column {
                Column::Text(v) => Some(&v[..]),
                _ => None,
            })
            .unwrap_or(&[])
    }
}

/// Writes a table to a file that appears whole or not at all (`-` is standard output), in the
/// format of its name.
pub fn write_frame_to(frame: &Frame, path: &Path) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    write_frame(frame, OutputFormat::of(path), &mut output)
        .map_err(|e| Error::write(output.name(), e))?;
    output.commit()
}

/// Writes a table.
///
/// # Errors
/// Those of `out`; and `InvalidInput` if the columns differ in length, or the build is without
/// Parquet.
pub fn write_frame(frame: &Frame, format: OutputFormat, out: &mut dyn Write) -> io::Result<()> {
    let rows = frame.rows();
    if frame.columns.iter().any(|(_, c)| c.len() != rows) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "columns of different lengths",
        ));
    }
    match format {
        OutputFormat::Tsv => put_delimited(frame, b'\t', out),
        OutputFormat::Csv => put_delimited(frame, b',', out),
        OutputFormat::Json => put_json(frame, out),
        OutputFormat::Npy => {
            let axes = frame.axes();
            let mut values = Vec::with_capacity(rows * axes.len());
            for i in 0..rows {
                values.extend(axes.iter().map(|axis| axis[i]));
            }
            npy::write_array(rows, axes.len(), &values, out)
        }
        OutputFormat::Ordination => ordination::write(
            frame.labels(),
            &frame.axes(),
            &frame.eigenvalues,
            &frame.proportions,
            out,
        ),
        #[cfg(feature = "parquet")]
        OutputFormat::Parquet => crate::arrow::write(frame, out),
        #[cfg(not(feature = "parquet"))]
        OutputFormat::Parquet => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "this build is without Parquet",
        )),
    }
}

fn put_delimited(frame: &Frame, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    for (j, (name, _)) in frame.columns.iter().enumerate() {
        if j > 0 {
            out.write_all(&[delimiter])?;
        }
        put_text(name, delimiter, out)?;
    }
    out.write_all(b"\n")?;
    for i in 0..frame.rows() {
        for (j, (_, column)) in frame.columns.iter().enumerate() {
            if j > 0 {
                out.write_all(&[delimiter])?;
            }
            match column {
                Column::Text(v) => put_text(&v[i], delimiter, out)?,
                Column::Number(v) if v[i].is_nan() => {}
                Column::Number(v) => put_number(v[i], out)?,
                Column::Flag(v) => out.write_all(match v[i] {
                    None => b"",
                    Some(true) => b"true",
                    Some(false) => b"false",
                })?,
                Column::Count(v) => write!(out, "{}", v[i])?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Quoted if it holds something that would end it, or blanks that a reader would trim, or a mark
/// that would make its line a comment.
fn put_text(text: &str, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let quoted = text
        .bytes()
        .any(|b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r'))
        || text.trim_ascii() != text
        || text.starts_with('#');
    if quoted {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
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

fn put_json(frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")?;
    for i in 0..frame.rows() {
        out.write_all(if i == 0 { b"\n  {" } else { b",\n  {" })?;
        for (j, (name, column)) in frame.columns.iter().enumerate() {
            if j > 0 {
                out.write_all(b", ")?;
            }
            serde_json::to_writer(&mut *out, name)?;
            out.write_all(b": ")?;
            match column {
                Column::Text(v) => serde_json::to_writer(&mut *out, &v[i])?,
                Column::Number(v) if !v[i].is_finite() => out.write_all(b"null")?,
                Column::Number(v) => put_number(v[i], out)?,
                Column::Flag(v) => serde_json::to_writer(&mut *out, &v[i])?,
                Column::Count(v) => write!(out, "{}", v[i])?,
            }
        }
        out.write_all(b"}")?;
    }
    out.write_all(if frame.rows() == 0 { b"]\n" } else { b"\n]\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn cells_are_quoted_only_where_they_must_be() {
        let frame = Frame {
            columns: vec![
                (
                    "label".into(),
                    Column::Text(vec![
                        "a b".into(),
                        "a,b".into(),
                        "say \"hi\"".into(),
                        " x".into(),
                    ]),
                ),
                (
                    "axis1".into(),
                    Column::Number(vec![0.5, f64::NAN, -1.0, 1e-9]),
                ),
                (
                    "certified".into(),
                    Column::Flag(vec![Some(true), None, Some(false), None]),
                ),
                ("minimiser".into(), Column::Count(vec![1, 2, 3, 4])),
            ],
            ..Frame::default()
        };
        let mut out = Vec::new();
        write_frame(&frame, OutputFormat::Csv, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "label,axis1,certified,minimiser\na b,0.5,true,1\n\"a,b\",,,2\n\"say \"\"hi\"\"\",-1,false,3\n\" x\",1e-9,,4\n"
        );
        let mut out = Vec::new();
        write_frame(&frame, OutputFormat::Json, &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json[1]["axis1"], serde_json::Value::Null);
        assert_eq!(json[3]["axis1"], 1e-9);
        assert_eq!(json[2]["label"], "say \"hi\"");
        assert_eq!(json[0]["certified"], true);
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let frame = Frame {
            columns: vec![
                ("a".into(), Column::Number(vec![1.0])),
                ("b".into(), Column::Number(vec![])),
            ],
            ..Frame::default()
        };
        assert!(write_frame(&frame, OutputFormat::Tsv, &mut Vec::new()).is_err());
    }
}
