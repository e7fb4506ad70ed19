//! From R's values to Rust's and back. What comes in was given its type by the R code; what is missing in R's sense is NaN.

use extendr_api::prelude::*;
use faer::MatRef;

/// The entries of a list by name; `NULL` is none.
pub struct Entries(Vec<(String, Robj)>);

impl From<&List> for Entries {
    fn from(list: &List) -> Self {
        let entries = list.iter().filter(|(_, value)| !value.is_null());
        Self(entries.map(|(name, v)| (name.to_owned(), v)).collect())
    }
}

impl Entries {
    pub fn get(&self, name: &str) -> Option<&Robj> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value)
    }

    /// The entries of a list within.
    pub fn within(&self, name: &str) -> Option<Entries> {
        self.get(name)?.as_list().as_ref().map(Entries::from)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.as_str().map(str::to_owned)
    }

    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.get(name).and_then(texts)
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_real()
    }

    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        self.get(name)?.as_real_vector()
    }

    /// A number that counts.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.number(name).map(|v| v as usize)
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Robj::as_bool).unwrap_or(false)
    }

    pub fn matrix(&self, name: &str) -> Option<Held> {
        self.get(name).and_then(Held::new)
    }
}

/// Texts, empty where R has `NA`.
pub fn texts(value: &Robj) -> Option<Vec<String>> {
    let strings = Strings::try_from(value).ok()?;
    let text = |s: &Rstr| {
        if s.is_na() {
            String::new()
        } else {
            s.as_ref().to_owned()
        }
    };
    Some(strings.iter().map(text).collect())
}

/// A matrix of numbers where R has it, for any thread to read.
///
/// Whoever hands it to a thread keeps the R object alive until that has ended ([`crate::guard`]).
#[derive(Clone, Copy)]
pub struct Held {
    pointer: *const f64,
    pub rows: usize,
    pub columns: usize,
}

// SAFETY: the numbers are plain and only read; R does not move objects, and the guard keeps this one alive.
unsafe impl Send for Held {}

impl Held {
    fn new(value: &Robj) -> Option<Self> {
        let numbers = value.as_real_slice()?;
        let dim = value.get_attrib("dim")?.as_integer_vector()?;
        let [rows, columns] = dim[..] else {
            return None;
        };
        Some(Self {
            pointer: numbers.as_ptr(),
            rows: rows as usize,
            columns: columns as usize,
        })
    }

    /// As R has it: column by column.
    pub fn view(&self) -> MatRef<'_, f64> {
        // SAFETY: R has rows × columns numbers there, column by column, for as long as the guard keeps the object.
        unsafe {
            MatRef::from_raw_parts(self.pointer, self.rows, self.columns, 1, self.rows as isize)
        }
    }

    /// A copy row by row, as files have it.
    pub fn row_by_row(&self) -> Vec<f64> {
        row_by_row(self.view())
    }
}

/// The numbers row by row.
pub fn row_by_row(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let rows = (0..matrix.nrows()).map(|i| matrix.row(i));
    rows.flat_map(|row| row.iter().copied()).collect()
}

/// The square whose lower triangle, column by column and without the diagonal, is R's `dist`.
pub fn square_of_dist(triangle: &[f64], n: usize) -> Vec<f64> {
    let mut square = vec![0.0; n * n];
    let mut next = triangle.iter();
    for j in 0..n {
        for i in j + 1..n {
            let value = next.next().copied().unwrap_or(f64::NAN);
            square[i * n + j] = value;
            square[j * n + i] = value;
        }
    }
    square
}

/// Numbers for R, `NA` where there is none.
pub fn numbers(values: impl IntoIterator<Item = f64>) -> Robj {
    let some = |v: f64| {
        if v.is_nan() {
            Rfloat::na()
        } else {
            Rfloat::from(v)
        }
    };
    values.into_iter().map(some).collect::<Doubles>().into()
}

/// Rows of `d` numbers as a matrix.
pub fn matrix(values: &[f64], d: usize) -> Robj {
    let rows = values.len() / d.max(1);
    let down = (0..d).flat_map(|a| (0..rows).map(move |i| values[i * d + a]));
    let mut matrix = numbers(down.collect::<Vec<_>>());
    let dim = [rows as i32, d as i32];
    // Two numbers whose product is the length are dimensions.
    let _ = matrix.set_attrib("dim", dim);
    matrix
}

/// A named list, in order.
pub fn list(entries: Vec<(&str, Robj)>) -> Robj {
    let (names, values): (Vec<String>, Vec<Robj>) =
        entries.into_iter().map(|(n, v)| (n.to_owned(), v)).unzip();
    named(names, values)
}

/// The same with names that were made.
pub fn named(names: Vec<String>, values: Vec<Robj>) -> Robj {
    let mut list = List::from_values(values);
    // There are as many names as values.
    let _ = list.set_names(names);
    list.into()
}

/// What there is, or `NULL`.
pub fn or_null(value: Option<impl Into<Robj>>) -> Robj {
    value.map_or_else(|| ().into(), Into::into)
}
