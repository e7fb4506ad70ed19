//! scikit-bio's `ordination` text, which Emperor and QIIME 2 show: read and written.
//!
//! Blocks that begin with a name and their size: `Eigvals`, `Proportion explained`, `Species`,
//! `Site` (the coordinates), `Biplot`, `Site constraints`. Only the eigenvalues and the sites
//! matter here; the others are passed over by the sizes that they state.

use std::io::{self, Write};

use crate::cell::{next_line, put_number};
use crate::error::{Error, count, quote, quote_bytes};
use crate::frame::{Frame, Slices};
use crate::header::not_text;
use crate::numbers::refuse_doubled;
use crate::sheet::number;
use crate::source::Text;

/// Whether text begins like an ordination: with the block of eigenvalues.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.starts_with(b"Eigvals\t")
}

/// What an ordination says of its sites.
pub(crate) struct Ordination {
    /// Labels of the sites, each once.
    pub labels: Vec<String>,
    /// The number of axes.
    pub dimensions: usize,
    /// The coordinates site by site.
    pub coordinates: Vec<f64>,
    /// The eigenvalues of the axes, if they are there.
    pub eigenvalues: Option<Vec<f64>>,
}

/// Lines with their numbers.
struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
    name: &'a str,
}

impl<'a> Lines<'a> {
    /// The cells of the next line; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<&'a str>>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (line, rest) = next_line(self.rest);
        self.rest = rest;
        self.number += 1;
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some(line.split('\t').collect())),
            Err(_) => Err(not_text(self.name, self.number)),
        }
    }

    /// The cells of a line that must be there and have so many.
    fn row(&mut self, block: &str, cells: usize) -> Result<Vec<&'a str>, Error> {
        match self.next()? {
            Some(row) if row.len() == cells => Ok(row),
            Some(row) => Err(Error::malformed(
                self.name,
                self.number,
                count(row.len(), "cell"),
                format!("{cells} in the block {block}"),
            )),
            None => Err(Error::malformed(
                self.name,
                self.number,
                "the end of the file",
                format!("the rest of the block {block}"),
            )),
        }
    }
}

/// Reads the sites and the eigenvalues.
pub(crate) fn read(text: &mut Text<'_>) -> Result<Ordination, Error> {
    let name = text.name.clone();
    let bytes = text.read_all()?;
    let mut lines = Lines {
        rest: &bytes,
        number: 0,
        name: &name,
    };
    let mut eigenvalues = None;
    while let Some(head) = lines.next()? {
        let at = lines.number;
        let size = |i: usize| -> Result<usize, Error> {
            let cell = head.get(i).copied().unwrap_or("");
            cell.trim().parse().map_err(|_| {
                Error::malformed(
                    &name,
                    at,
                    quote(cell),
                    format!("the size of the block {}", quote(head[0])),
                )
            })
        };
        match head[0] {
            block @ ("Eigvals" | "Proportion explained") => {
                let d = size(1)?;
                if d == 0 {
                    continue;
                }
                let row = lines.row(block, d)?;
                if block == "Eigvals" {
                    let numbers: Result<Vec<f64>, Error> = row
                        .iter()
                        .map(|x| number(&name, lines.number, x, ""))
                        .collect();
                    eigenvalues = Some(numbers?);
                }
            }
            "Site" => {
                let (n, dimensions) = (size(1)?, size(2)?);
                let mut labels = Vec::new();
                let mut numbers = Vec::new();
                let mut coordinates = Vec::new();
                for _ in 0..n {
                    let row = lines.row("Site", dimensions.saturating_add(1))?;
                    for x in &row[1..] {
                        let place = format!(" for {}", quote(row[0]));
                        coordinates.push(number(&name, lines.number, x, &place)?);
                    }
                    labels.push(row[0].to_owned());
                    numbers.push(lines.number);
                }
                refuse_doubled(&labels, &numbers, &name)?;
                return Ok(Ordination {
                    labels,
                    dimensions,
                    coordinates,
                    eigenvalues,
                });
            }
            "Species" | "Biplot" | "Site constraints" => {
                for _ in 0..size(1)? {
                    if lines.next()?.is_none() {
                        break;
                    }
                }
            }
            "" => {}
            other => {
                return Err(Error::malformed(
                    &name,
                    at,
                    quote_bytes(other.as_bytes()),
                    "the name of a block, such as Site",
                ));
            }
        }
    }
    Err(Error::malformed(
        &name,
        lines.number,
        "the end without a block Site",
        "the coordinates of the objects in a block Site",
    ))
}

/// Writes labelled coordinates with the eigenvalues of their axes; variables are the block `Species`, scikit-bio's features.
pub(crate) fn write(slices: &Slices<'_>, out: &mut dyn Write) -> io::Result<()> {
    slices.each(|frame, first| {
        let (labels, axes) = (frame.labels(), frame.axes());
        if unwritable_in(frame).is_some() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a label with a tab or a line break",
            ));
        }
        if first == 0 {
            put_blocks(frame, slices.rows(), out)?;
        }
        for (i, label) in labels.iter().enumerate() {
            put_row(Some(label), axes.iter().map(|axis| axis[i]), out)?;
        }
        Ok(())
    })?;
    writeln!(out, "\nBiplot\t0\t0\n\nSite constraints\t0\t0")
}

/// All that comes before the coordinates of so many objects.
fn put_blocks(frame: &Frame, rows: usize, out: &mut dyn Write) -> io::Result<()> {
    let d = frame.axes().len();
    for (block, numbers) in [
        ("Eigvals", &frame.eigenvalues),
        ("Proportion explained", &frame.proportions),
    ] {
        // scikit-bio insists on one eigenvalue an axis; a map may have seen more.
        if numbers.len() >= d && d > 0 {
            writeln!(out, "{block}\t{d}")?;
            put_row(None, numbers[..d].iter().copied(), out)?;
            writeln!(out)?;
        } else {
            writeln!(out, "{block}\t0\n")?;
        }
    }
    let q = if frame.variables.is_empty() { 0 } else { d };
    writeln!(out, "Species\t{}\t{q}", frame.variables.len())?;
    for (name, scores) in &frame.variables {
        put_row(Some(name), scores.iter().copied(), out)?;
    }
    writeln!(out, "\nSite\t{rows}\t{d}")
}

/// Whether a table is an ordination: scikit-bio insists on an eigenvalue for each axis, and a place for each object.
pub(crate) fn suits(slices: &Slices<'_>) -> bool {
    let (mut eigenvalues, mut seen) = (true, std::collections::HashSet::new());
    let mut once = true;
    // Columns of different lengths are told when they are written.
    let _ = slices.each(|frame, _| {
        let d = frame.axes().len();
        eigenvalues &= d > 0 && frame.eigenvalues.len() >= d;
        once = once
            && frame
                .labels()
                .iter()
                .all(|label| seen.insert(label.clone()));
        Ok(())
    });
    eigenvalues && once
}

/// A label that cannot be written: the format has no quotes, and a tab would be another cell.
pub(crate) fn unwritable(slices: &Slices<'_>) -> Option<String> {
    let mut found = None;
    // Columns of different lengths are told when they are written.
    let _ = slices.each(|frame, _| {
        found = found
            .take()
            .or_else(|| unwritable_in(frame).map(str::to_owned));
        Ok(())
    });
    found
}

fn unwritable_in(frame: &Frame) -> Option<&str> {
    let names = frame.variables.iter().map(|(name, _)| name);
    let mut all = frame.labels().iter().chain(names);
    all.find(|l| l.contains(['\t', '\n', '\r']))
        .map(String::as_str)
}

fn put_row(
    label: Option<&String>,
    numbers: impl Iterator<Item = f64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut first = true;
    if let Some(label) = label {
        out.write_all(label.as_bytes())?;
        first = false;
    }
    for x in numbers {
        if !first {
            out.write_all(b"\t")?;
        }
        first = false;
        if x.is_nan() {
            out.write_all(b"nan")?;
        } else {
            put_number(x, out)?;
        }
    }
    out.write_all(b"\n")
}
