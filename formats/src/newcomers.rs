//! A table on a map: from what a file says to the newcomers that the map can place.
//!
//! Which row and column is which object ([`crate::matching`]), whether the old part is that of the map, what is between
//! the newcomers, how similar they are to themselves, and how far old objects are trusted: decided here, for the command
//! line and for Python alike. Nothing is computed.

use std::borrow::Cow;
use std::ops::Range;

use adjoin::{Between, By, Features, Kind, Map, Newcomers, Run};
use faer::{Mat, MatRef};

use crate::between::Pairs;
use crate::blocks::OnDisk;
use crate::disk::{self, DiskRows, names_of_nobody};
use crate::error::{Error, quote};
use crate::features::FeatureTable;
use crate::matching::{match_between, match_newcomers};
use crate::matrix::{Matrix, newcomer_positions, positions};
use crate::numbers::Numbers;

/// How far what a file says of a newcomer itself may be from what is said beside it: seven printed digits.
const SAME_SELF: f64 = 1e-6;

/// The newcomers that a file has for a map.
pub struct Arrivals {
    /// Their labels.
    pub labels: Vec<String>,
    /// The line of each in its file; empty where the format has none.
    pub lines: Vec<u64>,
    /// The file's name, for messages.
    pub source: String,
    /// Whether its columns were taken by position for want of labels or names.
    pub by_position: bool,
    /// Whether their labels only count them, for want of others.
    pub numbered: bool,
    cross: Cross,
    columns: usize,
    between: Option<Pairs>,
    between_source: Option<String>,
    old: Option<Vec<f64>>,
    self_similarity: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

/// What newcomers are known by.
enum Cross {
    Memory(Vec<f64>),
    Disk(Box<DiskRows>),
    Features(Box<Features>),
}

impl Arrivals {
    /// The newcomers of a table of proximities: a rectangle, or a square over old and new objects whose old part must
    /// be the map's.
    ///
    /// # Errors
    /// If a label is missing, doubled, unknown or on the map already, the old part is another map's, or the map's objects
    /// have no names.
    pub fn of_matrix(matrix: Matrix, map: &Map, run: Run<'_>) -> Result<Self, Error> {
        Self::matched(matrix, map, false, run)
    }

    /// The same where columns of some objects may be absent: what they would say is missing.
    ///
    /// # Errors
    /// As [`Self::of_matrix`], and if there is no column of the map's at all.
    pub fn of_part(matrix: Matrix, map: &Map, run: Run<'_>) -> Result<Self, Error> {
        Self::matched(matrix, map, true, run)
    }

    fn matched(mut matrix: Matrix, map: &Map, partial: bool, run: Run<'_>) -> Result<Self, Error> {
        if matrix.labelled && !map.named() {
            return Err(names_of_nobody(
                &matrix.source,
                matrix.header_line,
                &matrix.columns,
            ));
        }
        let n = map.references().len();
        let numbered = !matrix.labelled && matrix.rows == positions(matrix.rows.len());
        let matched = match_newcomers(&matrix, map.references(), map.labels(), partial)?;
        if let Some(old) = &matched.old {
            map.check_old(MatRef::from_row_major_slice(old, n, n), run)
                .map_err(|error| Error::of_core(&matrix.source, &[], error))?;
        }
        let old = matched.old.map(Cow::into_owned);
        let absent = matched.diagonal_absent;
        let by_position = matched.by_position;
        let (labels, between, lines) = (matched.newcomers, matched.between, matched.lines);
        let cross = match matched.cross {
            Cow::Owned(cross) => Some(cross),
            // The whole file is what is wanted: it is moved, not copied.
            Cow::Borrowed(part) if part.len() == matrix.values.len() => None,
            Cow::Borrowed(part) => Some(part.to_vec()),
        };
        let cross = cross.unwrap_or_else(|| std::mem::take(&mut matrix.values));
        let lines = if by_position { Vec::new() } else { lines };
        let mut arrivals = Self::new(labels, lines, matrix.source, Cross::Memory(cross), n);
        arrivals.by_position = by_position;
        arrivals.numbered = numbered;
        arrivals.old = old;
        arrivals.between = between;
        arrivals.adopt_diagonal(map, absent);
        Ok(arrivals)
    }

    /// Newcomers by a file that is read a few rows at a time: a column for each reference, by label in any order or, without
    /// labels, in the map's; or a square over old and new objects whose old part must be the map's.
    ///
    /// # Errors
    /// If there are not as many columns as references, a label is missing or doubled, or the old part is another map's.
    pub fn of_disk(array: OnDisk, map: &Map, run: Run<'_>) -> Result<Self, Error> {
        let placed = disk::matched(array, map, run)?;
        let (rows, n) = (Cross::Disk(Box::new(placed.rows)), map.references().len());
        let mut arrivals = Self::new(placed.labels, placed.lines, placed.source, rows, n);
        arrivals.by_position = placed.by_position;
        arrivals.numbered = placed.numbered;
        Ok(arrivals)
    }

    /// Newcomers by their features, of a map that has those of its objects.
    ///
    /// # Errors
    /// If there are columns without names, and not one for each of the map's features.
    pub fn of_features(table: FeatureTable, map: &Map) -> Result<Self, Error> {
        let source = map.source().map(|s| s.features());
        let width = source.map_or(0, Features::width);
        let (name, lines) = (table.source, table.lines);
        let wrong = |error| Error::of_core(&name, &lines, error);
        let mut features = table.features;
        if !table.labelled {
            let labels = newcomer_positions(features.labels());
            features = features.with_labels(labels).map_err(wrong)?;
        }
        if !table.named && features.width() != width {
            return Err(Error::mismatch(
                &name,
                None,
                format!("{} columns without names", features.width()),
                format!("one for each of the map's {width} features"),
            ));
        }
        let numbered = !table.labelled;
        let by_position = !table.named && source.is_some_and(Features::named);
        let labels = features.labels().to_vec();
        let columns = map.references().len();
        let mut arrivals = Self::new(
            labels,
            lines,
            name,
            Cross::Features(Box::new(features)),
            columns,
        );
        arrivals.by_position = by_position;
        arrivals.numbered = numbered;
        Ok(arrivals)
    }

    /// Newcomers against the objects of coordinates that are not a map.
    ///
    /// # Errors
    /// As [`Self::of_matrix`]; columns may be absent if the table may be `partial`.
    pub fn on_labels(matrix: Matrix, labels: &[String], partial: bool) -> Result<Self, Error> {
        let matched = match_newcomers(&matrix, labels, labels, partial)?;
        let cross = Cross::Memory(matched.cross.into_owned());
        let (names, lines) = (matched.newcomers, matched.lines);
        let n = labels.len();
        Ok(Self::new(names, lines, matrix.source.clone(), cross, n))
    }

    fn new(
        labels: Vec<String>,
        lines: Vec<u64>,
        source: String,
        cross: Cross,
        columns: usize,
    ) -> Self {
        Self {
            labels,
            lines,
            source,
            by_position: false,
            numbered: false,
            cross,
            columns,
            between: None,
            between_source: None,
            old: None,
            self_similarity: None,
            weights: None,
        }
    }

    /// Leaves only some of the newcomers, counted from 0: one shard of them. What is between them is forgotten.
    pub fn keep(&mut self, range: Range<usize>) {
        self.labels = self.labels[range.clone()].to_vec();
        if !self.lines.is_empty() {
            self.lines = self.lines[range.clone()].to_vec();
        }
        match &mut self.cross {
            Cross::Memory(values) => {
                let m = self.columns;
                *values = values[range.start * m..range.end * m].to_vec();
            }
            Cross::Disk(rows) => rows.keep(range.clone()),
            Cross::Features(features) => {
                let chosen: Vec<usize> = range.clone().collect();
                **features = features.select(&chosen);
            }
        }
        self.self_similarity = self.self_similarity.take().map(|s| s[range].to_vec());
        self.between = None;
        self.old = None;
    }

    /// Takes what is between the newcomers from a table of its own.
    ///
    /// # Errors
    /// If a newcomer is missing, or a label is not a newcomer's.
    pub fn set_between(&mut self, matrix: Matrix, map: &Map) -> Result<(), Error> {
        let absent = matrix.diagonal_absent;
        self.between_source = Some(matrix.source.clone());
        let values = match_between(matrix, &self.labels)?;
        self.between = Some(Pairs::whole(self.labels.len(), values));
        self.adopt_diagonal(map, absent);
        Ok(())
    }

    /// Says how similar the newcomers are to themselves.
    ///
    /// # Errors
    /// If a newcomer is missing, the file itself says otherwise, or the map is one of dissimilarities.
    pub fn set_self_similarity(&mut self, given: &SelfSimilarity, map: &Map) -> Result<(), Error> {
        if map.kind() != Kind::Similarity {
            return Err(Error::mismatch(
                &self.source,
                None,
                "similarities of newcomers to themselves (--self)",
                "none on a map of dissimilarities: what is unlike nothing is 0 away from itself",
            ));
        }
        let given = match given {
            SelfSimilarity::All(value) => vec![*value; self.labels.len()],
            SelfSimilarity::Each(numbers) => numbers.in_order(&self.labels)?,
        };
        if let Some(own) = &self.self_similarity
            && let Some(i) = (own.iter().zip(&given))
                .position(|(own, given)| (own - given).abs() > SAME_SELF * own.abs())
        {
            return Err(Error::mismatch(
                self.between_source.as_deref().unwrap_or(&self.source),
                None,
                format!(
                    "{} on the diagonal for {}, and {} beside it (--self)",
                    own[i],
                    quote(&self.labels[i]),
                    given[i]
                ),
                "one of the two, or both alike",
            ));
        }
        self.self_similarity = Some(given);
        Ok(())
    }

    /// Takes the old objects' similarity to themselves for the newcomers' too, if nothing else is known of them and it is
    /// the same for all of them; answers with it if so.
    pub fn adopt_self_similarity(&mut self, map: &Map) -> Option<f64> {
        if self.self_similarity.is_some() || self.by_features() || map.kind() != Kind::Similarity {
            return None;
        }
        let common = map.diagram().summary().self_similarity?;
        self.self_similarity = Some(vec![common; self.labels.len()]);
        Some(common)
    }

    /// Says how far each of the objects that newcomers are compared with is trusted; weights of the map's other objects
    /// may be among them.
    ///
    /// # Errors
    /// If a weight is missing, or one is not of an object of the map.
    pub fn set_weights(&mut self, numbers: &Numbers, map: &Map) -> Result<(), Error> {
        self.weights = Some(numbers.among(map.references(), map.labels())?);
        Ok(())
    }

    /// The same for objects that are not a map's.
    ///
    /// # Errors
    /// As [`Self::set_weights`].
    pub fn set_weights_of(&mut self, numbers: &Numbers, labels: &[String]) -> Result<(), Error> {
        self.weights = Some(numbers.in_order(labels)?);
        Ok(())
    }

    /// The diagonal of what is between similar newcomers is their similarity to themselves.
    fn adopt_diagonal(&mut self, map: &Map, absent: bool) {
        if map.kind() != Kind::Similarity || absent {
            return;
        }
        if let Some(between) = &self.between {
            self.self_similarity = Some(between.diagonal());
        }
    }

    /// The newcomers as a map takes them.
    pub fn newcomers(&self) -> Newcomers<'_> {
        let k = self.labels.len();
        let by = match &self.cross {
            Cross::Memory(values) => {
                By::Doubles(MatRef::from_row_major_slice(values, k, self.columns))
            }
            Cross::Disk(rows) => By::Rows(&**rows),
            Cross::Features(features) => By::Features(features),
        };
        Newcomers {
            labels: Some(&self.labels),
            self_similarity: self.self_similarity.as_deref(),
            weights: self.weights.as_deref(),
            missing: true,
            ..Newcomers::by(by)
        }
    }

    /// Whether the newcomers are known by their features.
    pub fn by_features(&self) -> bool {
        matches!(self.cross, Cross::Features(_))
    }

    /// Whether a file has what is between the newcomers, or some of it.
    pub fn has_between(&self) -> bool {
        self.between.is_some()
    }

    /// What is between the newcomers, if a file has it.
    pub fn between(&self) -> Option<Between<'_>> {
        let k = self.labels.len();
        let between = self.between.as_ref()?.square();
        Some(Between::Given(MatRef::from_row_major_slice(between, k, k)))
    }

    /// The proximities of old and new objects together, the old ones first and in the map's order, if the file has all.
    pub fn everything(&self) -> Option<Mat<f64>> {
        let (Some(old), Some(between), Cross::Memory(cross)) =
            (&self.old, &self.between, &self.cross)
        else {
            return None;
        };
        let (n, k, between) = (self.columns, self.labels.len(), between.square());
        Some(Mat::from_fn(n + k, n + k, |i, j| match (i < n, j < n) {
            (true, true) => old[i * n + j],
            (true, false) => cross[(j - n) * n + i],
            (false, true) => cross[(i - n) * n + j],
            (false, false) => between[(i - n) * k + j - n],
        }))
    }

    /// What the core says, with the file and the line it is about; a failure to read the file comes first.
    pub fn wrong(&self, error: adjoin::Error) -> Error {
        if let Cross::Disk(rows) = &self.cross
            && let Some(fault) = rows.fault()
        {
            return fault;
        }
        match (&self.between_source, error.about()) {
            (Some(file), adjoin::About::Between) => Error::of_core(file, &[], error),
            _ => Error::of_core(&self.source, &self.lines, error),
        }
    }
}

/// How similar newcomers are to themselves.
pub enum SelfSimilarity {
    /// All alike.
    All(f64),
    /// Each by its label.
    Each(Numbers),
}
