//! Small changes that make a file of one program answer the question of another: turned over, renamed, filled in, made
//! symmetric, transformed.
//!
//! They are done in this order, once, right after reading, and never guessed. A transformation is kept in the map, so
//! that newcomers go through the same one.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{Error, count, name_of, quote};
use crate::matrix::{Matrix, newcomer_positions, positions};
use crate::sheet::Sheet;
use crate::source::Text;

/// How far an estimated similarity may leave an object from itself, relative to the largest dissimilarity.
const NEARLY_ITSELF: f64 = 1e-3;

/// What is done to each number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transform {
    /// 1 − x: similarities of at most 1 as dissimilarities, and the other way round.
    OneMinus,
    /// 1 − x/100: the same of percentages.
    OneMinusPercent,
    /// 100 − x.
    HundredMinus,
    /// The square root.
    Root,
    /// The square.
    Square,
    /// −log x: of probabilities or shares.
    MinusLog,
    /// x/100: percentages as shares.
    Percent,
}

impl Transform {
    /// All of them, in the order of the documentation.
    pub const ALL: [Transform; 7] = [
        Transform::OneMinus,
        Transform::OneMinusPercent,
        Transform::HundredMinus,
        Transform::Root,
        Transform::Square,
        Transform::MinusLog,
        Transform::Percent,
    ];

    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            Transform::OneMinus => "1-x",
            Transform::OneMinusPercent => "1-x/100",
            Transform::HundredMinus => "100-x",
            Transform::Root => "sqrt",
            Transform::Square => "x^2",
            Transform::MinusLog => "-log(x)",
            Transform::Percent => "x/100",
        }
    }

    /// The transformation that is written so.
    pub fn from_word(word: &str) -> Option<Transform> {
        Self::ALL.into_iter().find(|t| t.word() == word)
    }

    /// Whether it turns similarities into dissimilarities.
    fn turns(self) -> bool {
        matches!(
            self,
            Transform::OneMinus
                | Transform::OneMinusPercent
                | Transform::HundredMinus
                | Transform::MinusLog
        )
    }

    /// Transforms some columns of some rows, those that are missing excepted; messages call their numbers as they are given.
    ///
    /// # Errors
    /// If what becomes of one is not finite; `source` is where they are from.
    pub fn apply_all(
        self,
        values: &mut [f64],
        first: usize,
        columns: Range<usize>,
        source: &str,
    ) -> Result<(), Error> {
        let width = columns.len().max(1);
        for (at, x) in values.iter_mut().enumerate().filter(|(_, x)| !x.is_nan()) {
            let y = self.apply(*x);
            if !y.is_finite() {
                let (row, column) = (first + at / width, columns.start + at % width);
                return Err(Error::mismatch(
                    source,
                    None,
                    format!("{x} in row {row}, column {column}"),
                    format!("a number of which {} is finite", self.word()),
                ));
            }
            *x = y;
        }
        Ok(())
    }

    /// The number that becomes of `x`.
    pub fn apply(self, x: f64) -> f64 {
        let y = match self {
            Transform::OneMinus => 1.0 - x,
            Transform::OneMinusPercent => 1.0 - x / 100.0,
            Transform::HundredMinus => 100.0 - x,
            Transform::Root => x.sqrt(),
            Transform::Square => x * x,
            Transform::MinusLog => -x.ln(),
            Transform::Percent => x / 100.0,
        };
        // −log 1 is zero, without a sign.
        y + 0.0
    }
}

/// How the two numbers of a pair become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Symmetrise {
    /// Their mean.
    Mean,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

impl Symmetrise {
    /// All of them.
    pub const ALL: [Symmetrise; 3] = [Symmetrise::Mean, Symmetrise::Min, Symmetrise::Max];

    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            Symmetrise::Mean => "mean",
            Symmetrise::Min => "min",
            Symmetrise::Max => "max",
        }
    }

    /// The one that is written so.
    pub fn from_word(word: &str) -> Option<Symmetrise> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    fn of(self, x: f64, y: f64) -> f64 {
        match self {
            _ if x.is_nan() => y,
            _ if y.is_nan() => x,
            Symmetrise::Mean => 0.5 * x + 0.5 * y,
            Symmetrise::Min => x.min(y),
            Symmetrise::Max => x.max(y),
        }
    }
}

/// What is done to a file after reading.
#[derive(Debug, Clone, Default)]
pub struct Adapt {
    /// Rows and columns change places.
    pub transpose: bool,
    /// A file of two columns: a label as it is in the file, and as it is to be.
    pub rename: Option<PathBuf>,
    /// What stands for pairs that a list does not have, in the units of the file.
    pub unlisted: Option<f64>,
    /// Mirrored numbers of a square become one.
    pub symmetrise: Option<Symmetrise>,
    /// Each number becomes another.
    pub transform: Option<Transform>,
}

impl Adapt {
    /// Whether rows can be adapted one by one, without the others.
    pub(crate) fn is_by_rows(&self) -> bool {
        !self.transpose && self.unlisted.is_none() && self.symmetrise.is_none()
    }

    /// The labels of rows and columns as they are to be.
    pub(crate) fn renamed(&self, sides: [&mut [String]; 2], source: &str) -> Result<(), Error> {
        match &self.rename {
            Some(file) => rename(&read_names(file)?, sides, file, source),
            None => Ok(()),
        }
    }

    /// A table of features: turned over and renamed, but its numbers as they are.
    pub(crate) fn features(&self, matrix: Matrix) -> Result<Matrix, Error> {
        let numbers =
            self.unlisted.is_some() || self.symmetrise.is_some() || self.transform.is_some();
        if numbers {
            return Err(Error::mismatch(
                &matrix.source,
                None,
                "--transform, --symmetrise or --unlisted beside features",
                "them beside proximities only",
            ));
        }
        let mut matrix = if self.transpose {
            matrix.transposed()
        } else {
            matrix
        };
        let source = matrix.source.clone();
        self.renamed([&mut matrix.rows, &mut []], &source)?;
        matrix.checked()
    }

    /// A matrix of proximities, adapted.
    ///
    /// # Errors
    /// If a number cannot be transformed, or a file of names is not one.
    pub fn proximities(&self, matrix: Matrix) -> Result<Matrix, Error> {
        let mut matrix = if self.transpose {
            turned(&matrix)
        } else {
            matrix
        };
        if self.rename.is_some() {
            let source = matrix.source.clone();
            self.renamed([&mut matrix.rows, &mut matrix.columns], &source)?;
            matrix = matrix.checked()?;
        }
        if let Some(value) = self.unlisted {
            self.fill(&mut matrix, value)?;
        }
        if let Some(how) = self.symmetrise {
            symmetrise(&mut matrix, how);
        }
        if let Some(transform) = self.transform {
            transformed(&mut matrix, transform)?;
        }
        Ok(matrix)
    }

    /// What pairs count that a list does not have, if that was said.
    pub(crate) fn of_unlisted(&self) -> Option<f64> {
        let value = self.unlisted?;
        Some(self.transform.map_or(value, |t| t.apply(value)))
    }

    fn fill(&self, matrix: &mut Matrix, value: f64) -> Result<(), Error> {
        let holes = matrix.values.iter().filter(|x| x.is_nan()).count();
        matrix
            .values
            .iter_mut()
            .filter(|x| x.is_nan())
            .for_each(|x| *x = value);
        matrix.unlisted = 0;
        if holes > 0 {
            matrix.remarks.push(format!(
                "{} of {} numbers are not in the file and are taken as {value}",
                holes,
                matrix.values.len()
            ));
        }
        Ok(())
    }
}

/// Rows and columns exchanged. Labels that were given for the rows of numbers without any are then those of the columns, and the
/// rows are newcomers.
fn turned(matrix: &Matrix) -> Matrix {
    let turned = matrix.transposed();
    if turned.labelled || turned.columns == positions(turned.columns.len()) {
        return turned;
    }
    Matrix {
        rows: newcomer_positions(&turned.rows),
        labelled: true,
        ..turned
    }
}

/// Makes mirrored numbers one, and says how far they were apart. Only a square with the same labels both ways has any.
fn symmetrise(matrix: &mut Matrix, how: Symmetrise) {
    let column_of: HashMap<&str, usize> = crate::matrix::places(&matrix.columns);
    let m = matrix.columns.len();
    let mirror: Vec<Option<usize>> = matrix
        .rows
        .iter()
        .map(|label| column_of.get(label.as_str()).copied())
        .collect();
    let row_of = crate::matrix::places(&matrix.rows);
    let row_at: Vec<Option<usize>> = matrix
        .columns
        .iter()
        .map(|label| row_of.get(label.as_str()).copied())
        .collect();
    let mut worst = 0.0_f64;
    let mut largest = 0.0_f64;
    let mut apart = 0_usize;
    for (i, own) in mirror.iter().enumerate() {
        let Some(own) = own else { continue };
        for (j, other) in row_at.iter().enumerate() {
            let Some(other) = other.filter(|&other| other < i) else {
                continue;
            };
            let (here, there) = (i * m + j, other * m + own);
            let (x, y) = (matrix.values[here], matrix.values[there]);
            largest = largest.max(x.abs()).max(y.abs());
            if (x - y).abs() > 0.0 {
                worst = worst.max((x - y).abs());
                apart += 1;
            }
            let one = how.of(x, y);
            matrix.values[here] = one;
            matrix.values[there] = one;
        }
    }
    if apart > 0 {
        matrix.remarks.push(format!(
            "{} of different numbers there and back, by up to {:.1e} of the largest; the {} is used",
            count(apart, "pair"),
            worst / largest,
            how.word()
        ));
    }
}

fn transformed(matrix: &mut Matrix, transform: Transform) -> Result<(), Error> {
    let m = matrix.columns.len();
    // A diagonal that is not in the file stays away.
    let ours = |at: usize| {
        matrix.diagonal_absent
            && matrix.rows[at / m] == matrix.columns[at % m]
            && matrix.beside_themselves.binary_search(&(at / m)).is_err()
    };
    for at in 0..matrix.values.len() {
        let x = matrix.values[at];
        if x.is_nan() || ours(at) {
            continue;
        }
        let y = transform.apply(x);
        if !y.is_finite() {
            let (row, column) = (at / m, at % m);
            return Err(Error::mismatch(
                &matrix.source,
                matrix.line(row),
                format!(
                    "{x} between {} and {}",
                    quote(&matrix.rows[row]),
                    quote(&matrix.columns[column])
                ),
                format!("a number of which {} is finite", transform.word()),
            ));
        }
        matrix.values[at] = y;
    }
    // A rectangle by position has no diagonal: its rows are other objects than its columns.
    let (k, m) = matrix.shape();
    let some = !matrix.diagonal_absent || !matrix.beside_themselves.is_empty();
    if transform.turns() && some && (matrix.labelled || k == m) {
        clear_diagonal(matrix);
    }
    Ok(())
}

/// Programs that estimate similarities do not give an object quite its own (fastANI: 99.999 %): what is left of it after
/// the transformation is taken as zero, and said.
fn clear_diagonal(matrix: &mut Matrix) {
    let m = matrix.columns.len();
    let column_of = crate::matrix::places(&matrix.columns);
    let own = |(i, label): (usize, &String)| Some(i * m + *column_of.get(label.as_str())?);
    let diagonal: Vec<usize> = matrix.rows.iter().enumerate().filter_map(own).collect();
    let largest = matrix.values.iter().fold(0.0_f64, |l, x| l.max(x.abs()));
    let left = diagonal
        .iter()
        .fold(0.0_f64, |l, &at| l.max(matrix.values[at].abs()));
    if left > 0.0 && left <= NEARLY_ITSELF * largest {
        for at in diagonal {
            matrix.values[at] = 0.0;
        }
        matrix.remarks.push(format!(
            "objects are at up to {left:.1e} from themselves, which is taken as 0"
        ));
    }
}

/// The pairs of a file of names.
fn read_names(file: &Path) -> Result<HashMap<String, String>, Error> {
    let sheet = Sheet::read(&mut Text::open(file, false)?)?;
    let mut names = HashMap::new();
    for record in &sheet.records {
        let [from, to] = &record.cells[..] else {
            return Err(Error::malformed(
                &sheet.name,
                record.line,
                count(record.cells.len(), "cell"),
                "two: a label as it is in the file, and as it is to be",
            ));
        };
        if names
            .insert(from.clone(), to.clone())
            .is_some_and(|before| before != *to)
        {
            return Err(Error::malformed(
                &sheet.name,
                record.line,
                format!("{} twice", quote(from)),
                "each label once",
            ));
        }
    }
    Ok(names)
}

fn rename(
    names: &HashMap<String, String>,
    sides: [&mut [String]; 2],
    file: &Path,
    source: &str,
) -> Result<(), Error> {
    let mut found = false;
    for label in sides.into_iter().flatten() {
        if let Some(name) = names.get(label.as_str()) {
            label.clone_from(name);
            found = true;
        }
    }
    if found {
        return Ok(());
    }
    Err(Error::mismatch(
        &name_of(file),
        None,
        format!("no label of {source} in the first column"),
        "labels as they are in the file, and what they are to be",
    ))
}
