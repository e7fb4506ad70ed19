//! What a column of a table is: classes, a few whole numbers in their order, numbers, dates, or names.
//!
//! Nothing is asked of the table but text. Words that mean "not measured" are missing, whatever else the column holds;
//! what is left decides. Numbers stay numbers, however few words for missing stand among them.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::date;
use crate::table::look;

/// Different whole numbers, at most, that are ordered classes: days of a trial, doses, grades.
const FEW_NUMBERS: usize = 12;
/// Classes that have a colour of their own, at most; beyond, the most frequent come first.
const FEW_CLASSES: usize = 20;

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words that objects share.
    Classes,
    /// A few whole numbers, in their order.
    Ordered,
    /// Numbers.
    Numbers,
    /// Dates, as days since 1970.
    Dates,
    /// A word of its own for each object: nothing to colour by.
    Names,
}

impl Kind {
    /// Its name in data.
    pub fn word(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Ordered => "ordered",
            Self::Numbers => "numbers",
            Self::Dates => "dates",
            Self::Names => "names",
        }
    }
}

/// A column, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What it is.
    pub kind: Kind,
    /// Its different words: numbers and dates by size, classes in their natural order, and where there are more than have
    /// a colour, the most frequent first. Empty for numbers and dates that are not classes.
    pub words: Vec<String>,
    /// Which of the words each object has; empty with them.
    pub codes: Vec<Option<u32>>,
    /// The number or the day of each object, NaN where there is none; empty for classes and names.
    pub numbers: Vec<f64>,
    /// How many different values there are.
    pub distinct: usize,
}

/// Whether a cell says that nothing is known: an empty one, or a word for missing of QIIME, Qiita, INSDC, R or pandas.
pub fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    let same = |word: &String| cell.eq_ignore_ascii_case(word);
    // INSDC's words are all of this form: "missing: lab stock".
    let reported = cell
        .get(..8)
        .is_some_and(|s| s.eq_ignore_ascii_case("missing:"));
    cell.is_empty() || reported || look().missing.iter().any(same)
}

/// Whether a cell among numbers says that there is none: Python's `None` too, which among words is one of them.
pub fn is_no_number(cell: &str) -> bool {
    is_missing(cell) || cell.trim().eq_ignore_ascii_case("none")
}

impl Column {
    /// Reads a column, one cell for each object.
    pub fn read<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> Self {
        let cells: Vec<Option<&str>> = cells
            .map(|c| c.map(str::trim).filter(|c| !is_missing(c)))
            .collect();
        let read = |parse: fn(&str) -> Option<f64>| -> Option<Vec<f64>> {
            let one = |cell: &Option<&str>| match cell {
                Some(cell) if !is_no_number(cell) => parse(cell),
                _ => Some(f64::NAN),
            };
            cells.iter().map(one).collect()
        };
        if cells.iter().all(|c| c.is_none_or(is_no_number)) {
            return Self::of_words(&cells);
        }
        match (read(number), read(date::days)) {
            (Some(numbers), _) => Self::of_numbers(Kind::Numbers, numbers, &cells),
            (_, Some(days)) => Self::of_numbers(Kind::Dates, days, &cells),
            _ => Self::of_words(&cells),
        }
    }

    fn of_numbers(kind: Kind, numbers: Vec<f64>, cells: &[Option<&str>]) -> Self {
        let mut different: Vec<f64> = numbers.iter().copied().filter(|v| !v.is_nan()).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let distinct = different.len();
        let whole = different.iter().all(|v| v.fract() == 0.0);
        if kind == Kind::Dates || !whole || distinct > FEW_NUMBERS {
            let (words, codes) = (Vec::new(), Vec::new());
            return Self {
                kind,
                words,
                codes,
                numbers,
                distinct,
            };
        }
        let at = |v: f64| different.iter().position(|w| *w == v);
        // As the table writes them: 007 and 7.0 are one number, and stand as first met.
        let mut words = vec![String::new(); distinct];
        for (cell, &v) in cells.iter().zip(&numbers) {
            if let (Some(cell), Some(i)) = (cell, at(v))
                && words[i].is_empty()
            {
                words[i] = cell.strip_suffix(".0").unwrap_or(cell).to_owned();
            }
        }
        let codes = numbers.iter().map(|v| at(*v).map(|i| i as u32)).collect();
        Self {
            kind: Kind::Ordered,
            words,
            codes,
            numbers,
            distinct,
        }
    }

    fn of_words(cells: &[Option<&str>]) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in cells.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let distinct = counts.len();
        let alone = counts.values().filter(|c| **c == 1).count();
        let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
        let many = distinct > FEW_CLASSES;
        words.sort_by(|a, b| {
            let count = if many { b.1.cmp(&a.1) } else { Ordering::Equal };
            count.then_with(|| natural(a.0, b.0))
        });
        let code: HashMap<&str, u32> = words.iter().map(|w| w.0).zip(0..).collect();
        // Where nearly everybody has a word of its own it is a name: a barcode, an accession.
        let names = many && 10 * alone > 9 * distinct;
        Self {
            kind: if names { Kind::Names } else { Kind::Classes },
            codes: cells.iter().map(|c| c.map(|c| code[c])).collect(),
            words: words.into_iter().map(|w| w.0.to_owned()).collect(),
            numbers: Vec::new(),
            distinct,
        }
    }

    /// Whether objects can be told apart by it.
    pub fn varies(&self) -> bool {
        self.distinct > 1
    }

    /// The smallest and the largest number, if there are any.
    pub fn range(&self) -> Option<[f64; 2]> {
        let known = self.numbers.iter().copied().filter(|v| !v.is_nan());
        known.fold(None, |range, v| match range {
            None => Some([v, v]),
            Some([low, high]) => Some([v.min(low), v.max(high)]),
        })
    }
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Words in the order people expect: runs of digits by their value, so that "plot 9" comes before "plot 10".
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(p), Some(q)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (digits(left), digits(right));
            (left, right) = (&left[m.len()..], &right[n.len()..]);
            let (m, n) = (m.trim_start_matches('0'), n.trim_start_matches('0'));
            m.len().cmp(&n.len()).then_with(|| m.cmp(n))
        } else {
            (left, right) = (&left[p.len_utf8()..], &right[q.len_utf8()..]);
            p.to_lowercase().cmp(q.to_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits that a text begins with.
fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Column {
        Column::read(text.split('|').map(Some))
    }

    #[test]
    fn words_for_missing_leave_numbers_numbers() {
        let c = read("1.5|not collected|Not Applicable|2|NA|missing: lab stock||-3e2");
        assert_eq!((c.kind, c.distinct), (Kind::Numbers, 3));
        assert_eq!(c.range(), Some([-300.0, 2.0]));
        assert_eq!(c.numbers.iter().filter(|v| v.is_nan()).count(), 5);
        let c = read("north|not provided|south");
        assert_eq!(
            (c.kind, c.codes),
            (Kind::Classes, vec![Some(0), None, Some(1)])
        );
        assert!(!is_missing("none") && !is_missing("control"));
        // Among words it is one of them, among numbers it is missing.
        assert_eq!(read("None|Few|Many|None").words, ["Few", "Many", "None"]);
        assert_eq!(read("None|1.5|2|None").kind, Kind::Numbers);
        assert_eq!(read("None|None|None").words, ["None"]);
    }

    #[test]
    fn few_whole_numbers_are_classes_in_the_order_of_numbers() {
        let c = read("15.0|8|1.0|-14.0|20|-7.0|15");
        assert_eq!(c.kind, Kind::Ordered);
        assert_eq!(c.words, ["-14", "-7", "1", "8", "15", "20"]);
        assert_eq!(c.codes[0], c.codes[6]);
        let many: Vec<String> = (0..13).map(|i| i.to_string()).collect();
        assert_eq!(read(&many.join("|")).kind, Kind::Numbers);
        assert_eq!(read("1|2|2.5").kind, Kind::Numbers);
    }

    #[test]
    fn dates_are_days() {
        let c = read("2015-10-01|2015-10-03|not collected");
        assert_eq!((c.kind, c.numbers[1] - c.numbers[0]), (Kind::Dates, 2.0));
        assert_eq!(read("2015-10-01|soon").kind, Kind::Classes);
    }

    #[test]
    fn classes_stand_in_their_natural_order_and_the_most_frequent_first_if_many() {
        assert_eq!(
            read("plot 10|plot 9|Plot 1").words,
            ["Plot 1", "plot 9", "plot 10"]
        );
        let many: Vec<String> = (0..60)
            .map(|i| format!("w{}", if i < 30 { i } else { 29 }))
            .collect();
        let c = read(&many.join("|"));
        assert_eq!((c.kind, c.words[0].as_str()), (Kind::Names, "w29"));
        let pairs: Vec<String> = (0..60).map(|i| format!("w{}", i / 2)).collect();
        assert_eq!(read(&pairs.join("|")).kind, Kind::Classes);
    }

    #[test]
    fn nothing_and_constants_do_not_vary() {
        for text in ["|NA|", "soil|soil|not collected", "3|3|3"] {
            assert!(!read(text).varies(), "{text}");
        }
    }
}
