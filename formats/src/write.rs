//! The formats that tables are written in.
//!
//! Numbers are written as the shortest decimals that read back to the same bits; what is not there is an empty cell, or
//! null.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use flate2::{Compression, write::GzEncoder};

use crate::atomic::Output;
use crate::cell::put_number;
use crate::detect::extension;
use crate::error::{Error, quote};
use crate::frame::{Column, Frame, Slices};
use crate::naming::{Written, check_name, is_gzipped};
use crate::{npy, ordination};

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
    ///
    /// # Errors
    /// If it is the name of something else than a table.
    pub fn of(path: &Path) -> Result<OutputFormat, Error> {
        check_name(path, Written::Table)?;
        let plain = if is_gzipped(path) {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        Ok(match extension(&plain).as_str() {
            "csv" => OutputFormat::Csv,
            "json" => OutputFormat::Json,
            "npy" => OutputFormat::Npy,
            "parquet" => OutputFormat::Parquet,
            "ordination" => OutputFormat::Ordination,
            _ => OutputFormat::Tsv,
        })
    }
}

/// Writes a table to a file that appears whole or not at all (`-` is standard output), in the
/// format of its name; gzipped if that ends in `.tsv.gz` or `.csv.gz`.
///
/// # Errors
/// If the name is that of something else than a table, a label cannot be written in its format, or the system refuses.
pub fn write_frame_to(frame: &Frame, path: &Path) -> Result<(), Error> {
    write_slices_to(
        &Slices::whole(frame.rows(), &|_| Cow::Borrowed(frame)),
        path,
    )
}

/// The same of a table that is made as it is written.
///
/// # Errors
/// Those of [`write_frame_to`].
pub fn write_slices_to(slices: &Slices<'_>, path: &Path) -> Result<(), Error> {
    let format = OutputFormat::of(path)?;
    if format == OutputFormat::Ordination && !ordination::suits(slices) {
        return Err(Error::mismatch(
            &path.display().to_string(),
            None,
            "a table that is no ordination: without eigenvalues, or with several rows for an object",
            "a name that ends in .tsv, .csv, .json or .parquet",
        ));
    }
    if format == OutputFormat::Ordination
        && let Some(label) = ordination::unwritable(slices)
    {
        return Err(Error::mismatch(
            &path.display().to_string(),
            None,
            format!("the label {}", quote(&label)),
            "labels without tabs and line breaks, for .ordination has no quotes",
        ));
    }
    let mut output = Output::create(path)?;
    let written = if is_gzipped(path) {
        let mut gzip = GzEncoder::new(&mut output, Compression::default());
        write_slices(slices, format, &mut gzip).and_then(|()| gzip.finish().map(drop))
    } else {
        write_slices(slices, format, &mut output)
    };
    written.map_err(|e| Error::write(output.name(), e))?;
    output.commit()
}

/// Writes a table.
///
/// # Errors
/// Those of `out`; and `InvalidInput` if the columns differ in length, or the build is without
/// Parquet.
pub fn write_frame(frame: &Frame, format: OutputFormat, out: &mut dyn Write) -> io::Result<()> {
    write_slices(
        &Slices::whole(frame.rows(), &|_| Cow::Borrowed(frame)),
        format,
        out,
    )
}

/// Writes a table that is made as it is written.
///
/// # Errors
/// Those of [`write_frame`].
pub fn write_slices(
    slices: &Slices<'_>,
    format: OutputFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Tsv => put_delimited(slices, b'\t', out),
        OutputFormat::Csv => put_delimited(slices, b',', out),
        OutputFormat::Json => put_json(slices, out),
        OutputFormat::Npy => put_npy(slices, out),
        OutputFormat::Ordination => ordination::write(slices, out),
        #[cfg(feature = "parquet")]
        OutputFormat::Parquet => crate::arrow::write(slices, None, out),
        #[cfg(not(feature = "parquet"))]
        OutputFormat::Parquet => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "this build is without Parquet",
        )),
    }
}

/// The coordinates.
fn put_npy(slices: &Slices<'_>, out: &mut dyn Write) -> io::Result<()> {
    slices.each(|frame, first| {
        let axes = frame.axes();
        if first == 0 {
            npy::write_header(slices.rows(), axes.len(), out)?;
        }
        let mut values = Vec::with_capacity(frame.rows() * axes.len());
        for i in 0..frame.rows() {
            values.extend(axes.iter().map(|axis| axis[i]));
        }
        npy::write_numbers(&values, out)
    })
}

fn put_delimited(slices: &Slices<'_>, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    slices.each(|frame, first| {
        let columns = frame.columns.iter();
        let columns: Vec<_> = columns
            .filter(|(_, column)| !matches!(column, Column::Square(..)))
            .collect();
        if first == 0 {
            for (j, (name, _)) in columns.iter().enumerate() {
                if j > 0 {
                    out.write_all(&[delimiter])?;
                }
                put_text(name, delimiter, out)?;
            }
            out.write_all(b"\n")?;
        }
        for i in 0..frame.rows() {
            for (j, (_, column)) in columns.iter().enumerate() {
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
                    Column::List(v) => put_text(&v[i].join("; "), delimiter, out)?,
                    Column::Square(..) => {}
                    Column::Whole(value, _) => put_text(&value.to_string(), delimiter, out)?,
                }
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Quoted if it holds something that would end it, or a tab, which a reader takes for what divides cells, or blanks that a reader would trim, or a mark
/// that would make its line a comment.
fn put_text(text: &str, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let quoted = text
        .bytes()
        .any(|b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r' | b'\t'))
        || text.trim_ascii() != text
        || text.starts_with('#');
    if quoted {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}

fn put_json(slices: &Slices<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")?;
    slices.each(|frame, first| {
        for i in 0..frame.rows() {
            let begin: &[u8] = if first + i == 0 { b"\n  {" } else { b",\n  {" };
            out.write_all(begin)?;
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
                    Column::List(v) => serde_json::to_writer(&mut *out, &v[i])?,
                    Column::Square(size, v) => put_square(*size, &v[i * size * size..], out)?,
                    Column::Whole(value, _) => serde_json::to_writer(&mut *out, value)?,
                }
            }
            out.write_all(b"}")?;
        }
        Ok(())
    })?;
    out.write_all(if slices.rows() == 0 { b"]\n" } else { b"\n]\n" })
}

/// The first square of `values`, as an array of rows.
fn put_square(size: usize, values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Vec<Option<f64>>> = values
        .chunks_exact(size)
        .take(size)
        .map(|row| {
            row.iter()
                .map(|v| Some(*v).filter(|v| v.is_finite()))
                .collect()
        })
        .collect();
    Ok(serde_json::to_writer(out, &rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                (
                    "covariance".into(),
                    Column::Square(2, (0..16).map(|v| 9.0 / v as f64).collect()),
                ),
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
        assert_eq!(json[1]["covariance"][1][0], 1.5);
        assert_eq!(json[0]["covariance"][0][0], serde_json::Value::Null);
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
