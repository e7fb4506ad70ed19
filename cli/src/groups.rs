//! `FILE[:COLUMN]`: a word for each object, from a table of metadata.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use adjoin_formats::read_metadata;
use adjoin_look::is_missing;

use crate::error::Error;

/// A file, and which of its columns is meant.
#[derive(Debug, Clone)]
pub struct Choice {
    given: String,
}

impl FromStr for Choice {
    type Err = std::convert::Infallible;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        Ok(Self {
            given: given.to_owned(),
        })
    }
}

impl Choice {
    /// As it was said.
    pub fn word(&self) -> String {
        self.given.clone()
    }

    /// The file: all of it if there is such a file, otherwise what is before the last colon.
    pub fn file(&self) -> &Path {
        self.parts().0
    }

    fn parts(&self) -> (&Path, Option<&str>) {
        let whole = Path::new(&self.given);
        match self.given.rsplit_once(':') {
            Some((file, column)) if !whole.exists() => (Path::new(file), Some(column)),
            _ => (whole, None),
        }
    }

    /// The words of `labels`, in their order; each must have one.
    pub fn words(&self, labels: &[String]) -> Result<Vec<String>, Error> {
        let (file, column) = self.parts();
        let table = read_metadata(file)?;
        let names = || -> Vec<&str> { table.columns.iter().map(|(n, _)| n.as_str()).collect() };
        let cells = match (column, &table.columns[..]) {
            (None, [(_, only)]) => only,
            (None, _) => {
                return Err(Error::Usage(format!(
                    "found {} of {} columns, expected FILE:COLUMN with one of them: {}",
                    file.display(),
                    table.columns.len(),
                    names().join(", ")
                )));
            }
            (Some(column), all) => match all.iter().find(|(name, _)| name == column) {
                Some((_, cells)) => cells,
                None => {
                    return Err(Error::Request(format!(
                        "{}: found no column {column:?}, expected one of: {}",
                        table.source,
                        names().join(", ")
                    )));
                }
            },
        };
        let own = table.labels.iter().map(String::as_str);
        let rows: HashMap<&str, usize> = own.zip(0..).collect();
        let word = |label: &String| {
            let cell = rows
                .get(label.as_str())
                .and_then(|row| cells[*row].as_deref());
            cell.filter(|c| !is_missing(c)).map(str::to_owned)
        };
        let words: Vec<Option<String>> = labels.iter().map(word).collect();
        let absent = words.iter().filter(|w| w.is_none()).count();
        if let Some(first) = words.iter().position(Option::is_none) {
            let others = match absent {
                1 => String::new(),
                2 => " (nor for another)".into(),
                some => format!(" (nor for {} others)", some - 1),
            };
            return Err(Error::Request(format!(
                "{}: found nothing for {:?}{others}, expected a word for each of the {} old objects",
                table.source,
                labels[first],
                labels.len()
            )));
        }
        Ok(words.into_iter().flatten().collect())
    }
}
