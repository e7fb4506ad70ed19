//! Numbers without labels of their own: squares, rectangles and triangles, named by a list of labels or by position.
//!
//! NumPy's arrays, what `np.savetxt` and R write without names, and PLINK's and GCTA's matrices are such numbers. Their
//! labels come in a file beside them, or objects are known by position and called `1…n`.

use crate::error::{Error, count};
use crate::matrix::{Matrix, positions};
use crate::triangle::Half;

/// Labels for numbers that have none, and the file they are from.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub labels: Vec<String>,
    pub file: String,
}

impl Names {
    /// Errs unless there is one for each of so many rows or columns.
    pub(crate) fn are_for(&self, n: usize, what: &str) -> Result<(), Error> {
        if self.labels.len() == n {
            return Ok(());
        }
        Err(Error::mismatch(
            &self.file,
            None,
            count(self.labels.len(), "label"),
            format!("{n}, one for each {what}"),
        ))
    }
}

/// A square or rectangle of k × m numbers, its rows (and, of a square, its columns) called by `names`.
pub(crate) fn matrix(
    values: Vec<f64>,
    (k, m): (usize, usize),
    names: Option<&Names>,
    source: &str,
) -> Result<Matrix, Error> {
    let (rows, columns) = match names {
        None => (positions(k), positions(m)),
        Some(names) => {
            names.are_for(k, "row")?;
            let columns = if k == m {
                names.labels.clone()
            } else {
                positions(m)
            };
            (names.labels.clone(), columns)
        }
    };
    Matrix {
        rows,
        columns,
        values,
        lines: vec![0; k],
        labelled: names.is_some() && k == m,
        source: source.to_owned(),
        ..Matrix::default()
    }
    .checked()
}

/// The symmetric square of n objects that a half stands for.
pub(crate) fn of_half(
    mut values: Vec<f64>,
    half: Half,
    n: usize,
    names: Option<&Names>,
    source: &str,
) -> Result<Matrix, Error> {
    half.complete(&mut values, n);
    let square = matrix(values, (n, n), names, source)?;
    Ok(Matrix {
        diagonal_absent: !half.diagonal,
        ..square
    })
}

/// How many objects have so many proximities, if each pair has one: the n of n(n − 1)/2, or of n(n + 1)/2 with the
/// diagonal.
pub(crate) fn objects_of(count: usize, diagonal: bool) -> Option<usize> {
    // The root of the float is near enough to be put right by one.
    let guess = (2.0 * count as f64).sqrt() as usize;
    (guess.saturating_sub(1)..=guess + 2).find(|&n| {
        let beside = if diagonal {
            n.checked_add(1)
        } else {
            n.checked_sub(1)
        };
        let twice = beside.and_then(|b| n.checked_mul(b));
        n > 0 && twice.is_some_and(|twice| count.checked_mul(2) == Some(twice))
    })
}

/// A one-dimensional array of the proximities above the diagonal, row by row, as SciPy's `pdist` gives them.
pub(crate) fn condensed(
    values: Vec<f64>,
    names: Option<&Names>,
    source: &str,
) -> Result<Matrix, Error> {
    let Some(n) = objects_of(values.len(), false) else {
        return Err(Error::malformed(
            source,
            None,
            format!("a vector of {}", count(values.len(), "number")),
            "two dimensions, or the n(n − 1)/2 numbers of a condensed square",
        ));
    };
    let above = Half {
        lower: false,
        diagonal: false,
    };
    of_half(values, above, n, names, source)
}

/// PLINK's `square0`: whatever is above the diagonal is zero, and what is below it is meant.
pub(crate) fn mirror_if_lower(values: &mut [f64], n: usize) {
    let above = |i: usize| i * n + i + 1..(i + 1) * n;
    let empty = (0..n).all(|i| values[above(i)].iter().all(|x| *x == 0.0));
    let below = (1..n).any(|i| values[i * n..i * n + i].iter().any(|x| *x != 0.0));
    if empty && below {
        for i in 0..n {
            for j in 0..i {
                values[j * n + i] = values[i * n + j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_objects_follows_from_that_of_pairs() {
        for n in 1..2000 {
            assert_eq!(objects_of(n * (n + 1) / 2, true), Some(n));
            if n > 1 {
                assert_eq!(objects_of(n * (n - 1) / 2, false), Some(n));
            }
        }
        assert_eq!(objects_of(7, false), None);
        assert_eq!(objects_of(usize::MAX, true), None);
        assert_eq!(objects_of(0, false), Some(1));
    }

    #[test]
    fn what_is_above_the_diagonal_makes_the_square() {
        let m = condensed(vec![1.0, 2.0, 3.0], None, "f").unwrap();
        assert_eq!(m.values, [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
        assert!(m.diagonal_absent && !m.labelled);
    }
}
