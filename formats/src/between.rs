//! What a file says of the proximities between newcomers.
//!
//! A rectangle may have columns for some newcomers beside those of the map's objects. They are kept as they are, and made a
//! square only when somebody asks for one: a hundred thousand newcomers with a column for one of them are a hundred
//! thousand numbers, not ten thousand million.

use std::sync::OnceLock;

/// The proximities between newcomers, NaN where the file has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    count: usize,
    /// The newcomer of each column.
    who: Vec<usize>,
    /// Newcomer by newcomer, one number for each column; empty if the square is there from the beginning.
    values: Vec<f64>,
    square: OnceLock<Vec<f64>>,
}

impl Pairs {
    /// All of them, row by row.
    pub fn whole(count: usize, values: Vec<f64>) -> Self {
        Self {
            count,
            who: (0..count).collect(),
            values: Vec::new(),
            square: OnceLock::from(mirrored(count, values)),
        }
    }

    /// Those to the newcomers `who`: `values` are row by row, one for each of them.
    pub(crate) fn some(count: usize, who: Vec<usize>, values: Vec<f64>) -> Self {
        if who.iter().copied().eq(0..count) {
            return Self::whole(count, values);
        }
        Self {
            count,
            who,
            values,
            square: OnceLock::new(),
        }
    }

    /// Each newcomer's proximity to itself.
    pub fn diagonal(&self) -> Vec<f64> {
        if let Some(square) = self.square.get() {
            return square.iter().step_by(self.count + 1).copied().collect();
        }
        let mut diagonal = vec![f64::NAN; self.count];
        for (column, &i) in self.who.iter().enumerate() {
            diagonal[i] = self.values[i * self.who.len() + column];
        }
        diagonal
    }

    /// All of them, row by row, as a square.
    pub fn square(&self) -> &[f64] {
        self.square.get_or_init(|| {
            let k = self.count;
            let mut square = vec![f64::NAN; k * k];
            for (i, row) in self.values.chunks_exact(self.who.len().max(1)).enumerate() {
                for (&j, value) in self.who.iter().zip(row) {
                    square[i * k + j] = *value;
                }
            }
            mirrored(k, square)
        })
    }
}

/// What only one direction says, holds for both.
fn mirrored(k: usize, mut square: Vec<f64>) -> Vec<f64> {
    for i in 0..k {
        for j in 0..i {
            let (here, there) = (square[i * k + j], square[j * k + i]);
            if here.is_nan() {
                square[i * k + j] = there;
            } else if there.is_nan() {
                square[j * k + i] = here;
            }
        }
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of some newcomers, in any order: the same square as if it had been made at once.
    #[test]
    fn some_columns() {
        let nan = f64::NAN;
        let pairs = Pairs::some(3, vec![2, 0], vec![5.0, 1.0, 7.0, 4.0, 9.0, nan]);
        let text = format!("{:?}", [1.0, 4.0, 5.0, 4.0, nan, 7.0, 5.0, 7.0, 9.0]);
        assert_eq!(format!("{:?}", pairs.diagonal()), "[1.0, NaN, 9.0]");
        assert_eq!(format!("{:?}", pairs.square()), text);
        assert_eq!(format!("{:?}", pairs.diagonal()), "[1.0, NaN, 9.0]");
        let whole = Pairs::some(2, vec![0, 1], vec![1.0, nan, 3.0, 2.0]);
        assert_eq!(whole.square(), [1.0, 3.0, 3.0, 2.0]);
        assert_eq!(whole.diagonal(), [1.0, 2.0]);
    }

    /// A column for one of very many newcomers needs no square of them.
    #[test]
    fn one_column_of_many() {
        let many = 1 << 22;
        let pairs = Pairs::some(many, vec![7], vec![0.5; many]);
        assert_eq!(pairs.diagonal()[7], 0.5);
        assert!(pairs.square.get().is_none());
    }
}
