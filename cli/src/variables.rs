//! `--variables TABLE`: what else was measured of the objects, as arrows on the map.

use std::collections::HashMap;
use std::path::Path;

use adjoin::{Map, Variables};
use adjoin_formats::{Metadata, OutputFormat, read_metadata};
use adjoin_look::{is_no_number, look};
use faer::{Mat, MatRef};

use crate::error::Error;

/// The variables of a table, fitted to some axes.
pub struct Fitted {
    pub names: Vec<String>,
    pub variables: Variables,
}

impl Fitted {
    /// Reads a table of numbers by object and fits its columns to the old objects' coordinates.
    pub fn read(
        path: &Path,
        labels: &[String],
        coordinates: MatRef<'_, f64>,
        eigenvalues: &[f64],
    ) -> Result<Self, Error> {
        let table = read_metadata(path)?;
        let values = numbers(&table, labels)?;
        Ok(Self {
            names: table.columns.into_iter().map(|(name, _)| name).collect(),
            variables: Variables::fit(
                coordinates,
                eigenvalues,
                values.as_ref(),
                look().arrows.permutations,
            ),
        })
    }

    /// The strongest of those that are significant.
    pub fn shown(&self) -> Vec<usize> {
        let arrows = &look().arrows;
        let fits = |j: &usize| self.variables.p[*j] <= arrows.p;
        let strongest = self.variables.strongest().into_iter();
        strongest.filter(fits).take(arrows.most).collect()
    }
}

/// Refuses variables for a file that has no room for them.
pub fn check(variables: Option<&Path>, output: &Path) -> Result<(), Error> {
    if variables.is_some() && OutputFormat::of(output)? != OutputFormat::Ordination {
        return Err(Error::Usage(format!(
            "found --variables and {}, expected a name that ends in .ordination: other tables have no room for their scores",
            output.display()
        )));
    }
    Ok(())
}

/// The biplot scores of a table's variables on all axes of a map, by name.
pub fn scores(path: Option<&Path>, map: Option<&Map>) -> Result<Vec<(String, Vec<f64>)>, Error> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let map = map.ok_or_else(|| {
        Error::Usage(
            "found --variables and coordinates, expected a map, whose eigenvalues the scores need"
                .into(),
        )
    })?;
    let eigenvalues = map.diagram().eigenvalues();
    let table = read_metadata(path)?;
    let values = numbers(&table, map.labels())?;
    let fitted = Variables::fit(map.configuration(), eigenvalues, values.as_ref(), 0);
    let scores = fitted.biplot.chunks_exact(fitted.axes).map(<[f64]>::to_vec);
    let names = table.columns.into_iter().map(|(name, _)| name);
    Ok(names.zip(scores).collect())
}

/// A row for each object, NaN where the table has nothing.
fn numbers(table: &Metadata, labels: &[String]) -> Result<Mat<f64>, Error> {
    let own = table.labels.iter().map(String::as_str);
    let rows: HashMap<&str, usize> = own.zip(0..).collect();
    let at: Vec<Option<usize>> = labels
        .iter()
        .map(|l| rows.get(l.as_str()).copied())
        .collect();
    if at.iter().all(Option::is_none) {
        return Err(Error::Request(format!(
            "{}: found none of the map's objects in the first column, expected their labels",
            table.source
        )));
    }
    let mut values = Mat::from_fn(labels.len(), table.columns.len(), |_, _| f64::NAN);
    for (j, (name, cells)) in table.columns.iter().enumerate() {
        for (i, row) in at.iter().enumerate() {
            let cell = row.and_then(|row| cells[row].as_deref());
            let Some(cell) = cell.filter(|c| !is_no_number(c)) else {
                continue;
            };
            let number = cell.trim().parse().ok().filter(|v: &f64| v.is_finite());
            values[(i, j)] = number.ok_or_else(|| {
                Error::Request(format!(
                    "{}: found {cell:?} for {} in the column {name:?}, expected numbers (words are for --metadata)",
                    table.source, labels[i]
                ))
            })?;
        }
    }
    Ok(values)
}
