//! Lists of pairs: one proximity a line, `a b value`, as `mash dist` and SQL queries give them.
//!
//! A list may give each pair once or in both directions. If the first and the second labels have
//! nothing in common the list is a rectangle (newcomers against old objects, in either order),
//! otherwise a square over all labels in which pairs that are not listed are missing. Lists are
//! read on request only: three columns may as well be a small table.

use std::collections::HashMap;

use crate::cell::{Delimiter, Value, cells, is_blank, next_line, value, wanted};
use crate::error::{Error, count, quote, quote_bytes};
use crate::header::{not_text, open_quote};
use crate::matrix::Matrix;
use crate::source::Text;

/// Cells of the matrix that a list may ask for beyond those it gives: labels that hardly ever
/// meet are no proximity matrix, and would ask for the square of the list in memory.
const SPARSEST: usize = 64;
/// Below this many cells nobody minds.
const SMALL: usize = 1 << 20;

/// A column of a list: by its place, counted from one, or by its name in the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnChoice {
    /// The n-th column, counted from one.
    Number(usize),
    /// The column of this name.
    Name(String),
}

impl std::str::FromStr for ColumnChoice {
    type Err = std::convert::Infallible;

    /// A whole number is a place, anything else a name.
    fn from_str(text: &str) -> Result<ColumnChoice, Self::Err> {
        Ok(match text.parse::<usize>() {
            Ok(n) if n > 0 => ColumnChoice::Number(n),
            _ => ColumnChoice::Name(text.to_owned()),
        })
    }
}

/// One line of the list, labels by number.
#[derive(Clone, Copy)]
struct Pair {
    a: u32,
    b: u32,
    value: f64,
    line: u64,
}

/// Reads a whole list; `columns` are those of the two labels and of the value. `filled` says that something is known of
/// the pairs that it does not have.
pub(crate) fn read(
    text: &mut Text,
    columns: &[ColumnChoice; 3],
    filled: bool,
) -> Result<Matrix, Error> {
    let name = text.name.clone();
    let bytes = text.read_all()?;
    let mut rest = &bytes[..];
    let mut number = 0;
    let mut form: Option<(Delimiter, [usize; 3])> = None;
    let mut families = None;
    let mut labels = Labels::default();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (line, next) = next_line(rest);
        rest = next;
        number += 1;
        if is_blank(line) {
            continue;
        }
        if form.is_none() && line.starts_with(b"#") {
            // PLINK 2 marks its header so; it is one if it has the names that are asked for.
            let header = &line[1..];
            let delimiter = Delimiter::of(header, next_line(rest).0);
            let named = columns.iter().any(|c| matches!(c, ColumnChoice::Name(_)));
            if named
                && let Ok((places, _)) = find_columns(header, delimiter, columns, &name, number)
            {
                form = Some((delimiter, places));
                families = find_families(header, delimiter, columns);
            }
            continue;
        }
        let (delimiter, places) = match form {
            Some(form) => form,
            None => {
                let delimiter = Delimiter::of(line, next_line(rest).0);
                let (places, header) = find_columns(line, delimiter, columns, &name, number)?;
                form = Some((delimiter, places));
                if header {
                    families = find_families(line, delimiter, columns);
                    continue;
                }
                (delimiter, places)
            }
        };
        let Some(cells) = cells(line, delimiter) else {
            return Err(open_quote(&name, number));
        };
        let cell = |place: usize| cells.get(place).map_or(&b""[..], |c| &c[..]);
        if places.iter().any(|&p| p >= cells.len()) {
            return Err(Error::malformed(
                &name,
                number,
                count(cells.len(), "cell"),
                format!(
                    "at least {}: two labels and a number",
                    places.iter().max().map_or(3, |m| m + 1)
                ),
            ));
        }
        let [a, b] = [0, 1].map(|side: usize| {
            let family = families.map(|f: [usize; 2]| cell(f[side]));
            labels.number(family, cell(places[side]), &name, number)
        });
        let (a, b) = (a?, b?);
        let text = cell(places[2]);
        let value = match value(text) {
            Value::Number(x) => x,
            Value::Missing => f64::NAN,
            Value::Infinite | Value::Text => {
                return Err(Error::malformed(
                    &name,
                    number,
                    format!(
                        "{} for {} and {}",
                        quote_bytes(text),
                        quote(&labels.names[a as usize]),
                        quote(&labels.names[b as usize])
                    ),
                    wanted(text),
                ));
            }
        };
        pairs.push(Pair {
            a,
            b,
            value,
            line: number,
        });
    }
    if pairs.is_empty() {
        return Err(Error::malformed(
            &name,
            None,
            "no pairs",
            "a list of two labels and a number a line",
        ));
    }
    assemble(labels.into_names(), &pairs, filled, &name)?.checked()
}

/// Labels numbered in the order of their first appearance; of PLINK's individuals also their families.
#[derive(Default)]
struct Labels {
    names: Vec<String>,
    families: Vec<String>,
    numbers: HashMap<(String, String), u32>,
}

impl Labels {
    fn number(
        &mut self,
        family: Option<&[u8]>,
        label: &[u8],
        name: &str,
        line: u64,
    ) -> Result<u32, Error> {
        let (Ok(family), Ok(label)) = (
            std::str::from_utf8(family.unwrap_or_default()),
            std::str::from_utf8(label),
        ) else {
            return Err(not_text(name, line));
        };
        if label.is_empty() {
            return Err(Error::malformed(
                name,
                line,
                "an empty label",
                "two labels and a number",
            ));
        }
        let key = (family.to_owned(), label.to_owned());
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        let Ok(number) = u32::try_from(self.names.len()) else {
            return Err(Error::malformed(
                name,
                line,
                "too many labels",
                "fewer than 2³² labels",
            ));
        };
        self.names.push(label.to_owned());
        self.families.push(family.to_owned());
        self.numbers.insert(key, number);
        Ok(number)
    }

    /// The labels, with the family before those that two families have.
    fn into_names(self) -> Vec<String> {
        let mut times: HashMap<&str, usize> = HashMap::new();
        for name in &self.names {
            *times.entry(name).or_default() += 1;
        }
        let named = |(name, family): (&String, &String)| match times[name.as_str()] {
            1 => name.clone(),
            _ => format!("{family}:{name}"),
        };
        self.names.iter().zip(&self.families).map(named).collect()
    }
}

/// The columns of the families, where a header has `FID1` for `IID1` that was asked for, and `FID2` for `IID2`.
fn find_families(
    header: &[u8],
    delimiter: Delimiter,
    columns: &[ColumnChoice; 3],
) -> Option<[usize; 2]> {
    let cells = cells(header, delimiter)?;
    let of = |choice: &ColumnChoice| {
        let asked = match choice {
            ColumnChoice::Name(asked) => asked.as_bytes(),
            ColumnChoice::Number(n) => cells.get(n.checked_sub(1)?)?,
        };
        let side = asked.strip_prefix(b"IID")?;
        let family = [b"FID", side].concat();
        cells.iter().position(|cell| cell[..] == family)
    };
    Some([of(&columns[0])?, of(&columns[1])?])
}

/// The places of the three columns, and whether the first line is a header.
fn find_columns(
    line: &[u8],
    delimiter: Delimiter,
    columns: &[ColumnChoice; 3],
    name: &str,
    number: u64,
) -> Result<([usize; 3], bool), Error> {
    let cells = cells(line, delimiter).unwrap_or_default();
    let mut places = [0; 3];
    let mut named = false;
    for (place, column) in places.iter_mut().zip(columns) {
        *place = match column {
            ColumnChoice::Number(n) => n.saturating_sub(1),
            ColumnChoice::Name(wanted) => {
                named = true;
                cells
                    .iter()
                    .position(|c| &c[..] == wanted.as_bytes())
                    .ok_or_else(|| {
                        Error::malformed(
                            name,
                            number,
                            format!("no column {} in the header", quote(wanted)),
                            "the columns of the two labels and of the number",
                        )
                    })?
            }
        };
    }
    let value_is_text = cells
        .get(places[2])
        .is_some_and(|c| value(c) == Value::Text);
    Ok((places, named || value_is_text))
}

fn assemble(
    labels: Vec<String>,
    pairs: &[Pair],
    filled: bool,
    name: &str,
) -> Result<Matrix, Error> {
    let mut first = vec![false; labels.len()];
    let mut second = vec![false; labels.len()];
    for pair in pairs {
        first[pair.a as usize] = true;
        second[pair.b as usize] = true;
    }
    let disjoint = first.iter().zip(&second).all(|(a, b)| a != b);
    // Where each label stands among the rows and among the columns.
    let pick = |side: &[bool]| -> (Vec<String>, Vec<usize>) {
        let mut place = vec![0; labels.len()];
        let mut kept = Vec::new();
        for (i, label) in labels.iter().enumerate() {
            if side[i] || !disjoint {
                place[i] = kept.len();
                kept.push(label.clone());
            }
        }
        (kept, place)
    };
    let (rows, row_of) = pick(&first);
    let (columns, column_of) = pick(&second);
    let m = columns.len();
    let size = rows
        .len()
        .checked_mul(m)
        .filter(|&size| size <= SMALL || filled || size / SPARSEST <= pairs.len());
    let Some(size) = size else {
        return Err(Error::malformed(
            name,
            None,
            format!(
                "{} of {}",
                count(pairs.len(), "pair"),
                count(labels.len(), "label")
            ),
            "most labels to meet most others (or --unlisted VALUE, for pairs that are not in the list)",
        ));
    };
    let mut values = Vec::new();
    if values.try_reserve_exact(size).is_err() {
        return Err(Error::malformed(
            name,
            None,
            format!(
                "{} by {}, {:.1} GB of numbers",
                count(rows.len(), "label"),
                count(m, "label"),
                size as f64 * 8e-9
            ),
            "no more than fit into memory",
        ));
    }
    values.resize(size, f64::NAN);
    for pair in pairs {
        let cell = &mut values[row_of[pair.a as usize] * m + column_of[pair.b as usize]];
        if !cell.is_nan() && !pair.value.is_nan() && *cell != pair.value {
            let (a, b) = (&labels[pair.a as usize], &labels[pair.b as usize]);
            // Which line it was is only worth a search now.
            let before = pairs
                .iter()
                .find(|p| (p.a, p.b) == (pair.a, pair.b) && !p.value.is_nan())
                .map_or(0, |p| p.line);
            return Err(Error::malformed(
                name,
                pair.line,
                format!(
                    "{} for {} and {}, but {cell} on line {before}",
                    pair.value,
                    quote(a),
                    quote(b)
                ),
                "each pair once, or twice with the same number",
            ));
        }
        if !pair.value.is_nan() {
            *cell = pair.value;
        }
    }
    let mut diagonal_absent = false;
    let mut beside_themselves = Vec::new();
    if !disjoint {
        for i in 0..m {
            for j in 0..i {
                let (here, there) = (values[i * m + j], values[j * m + i]);
                if here.is_nan() {
                    values[i * m + j] = there;
                } else if there.is_nan() {
                    values[j * m + i] = here;
                }
            }
            if values[i * m + i].is_nan() {
                values[i * m + i] = 0.0;
                diagonal_absent = true;
            } else {
                beside_themselves.push(i);
            }
        }
    }
    if !diagonal_absent {
        beside_themselves.clear();
    }
    // Each of a square stands twice.
    let holes = values.iter().filter(|x| x.is_nan()).count();
    let unlisted = if disjoint { 0 } else { holes / 2 };
    // A label's line is that of the first pair it is in.
    let mut line_of = vec![0; labels.len()];
    for pair in pairs.iter().rev() {
        line_of[pair.a as usize] = pair.line;
        if !disjoint {
            line_of[pair.b as usize] = pair.line;
        }
    }
    let lines = line_of
        .iter()
        .enumerate()
        .filter(|&(i, _)| first[i] || !disjoint)
        .map(|(_, &line)| line)
        .collect();
    Ok(Matrix {
        rows,
        columns,
        values,
        lines,
        header_line: 0,
        labelled: true,
        diagonal_absent,
        beside_themselves,
        interchangeable: disjoint,
        form: "a list of pairs",
        unlisted,
        source: name.to_owned(),
        ..Matrix::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn parse(text: &str, columns: &str) -> Result<Matrix, Error> {
        let columns: Vec<ColumnChoice> = columns.split(',').map(|c| c.parse().unwrap()).collect();
        let mut text =
            Text::new(Box::new(Cursor::new(text.as_bytes().to_vec())), "f", false).unwrap();
        read(&mut text, &columns.try_into().unwrap(), false)
    }

    /// Of a diagonal that is there in part, only what is not there is ours.
    #[test]
    fn some_objects_beside_themselves() {
        let text = "a a 100\nb b 99\na b 90\na c 80\nb c 70\n";
        let matrix = parse(text, "1,2,3").unwrap();
        assert!(matrix.diagonal_absent);
        assert_eq!(matrix.beside_themselves, [0, 1]);
        let adapt = crate::adapt::Adapt {
            transform: crate::adapt::Transform::from_word("100-x"),
            ..Default::default()
        };
        let turned = adapt.proximities(matrix).unwrap();
        assert_eq!(
            turned.values,
            [0.0, 10.0, 20.0, 10.0, 1.0, 30.0, 20.0, 30.0, 0.0]
        );
        let whole = parse("a a 5\na b 1\nb b 5\n", "1,2,3").unwrap();
        assert!(!whole.diagonal_absent && whole.beside_themselves.is_empty());
    }

    #[test]
    fn one_or_both_directions_make_the_same_square() {
        let once = parse("a b 1\na c 2\nb c 3\n", "1,2,3").unwrap();
        let both = parse(
            "a,b,1\nb,a,1\na,c,2\nc,a,2\nb,c,3\nc,b,3\na,a,0\nb,b,0\nc,c,0",
            "1,2,3",
        )
        .unwrap();
        assert_eq!(once.rows, ["a", "b", "c"]);
        assert_eq!(once.values, [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]);
        assert_eq!(once.values, both.values);
        assert!(once.diagonal_absent && !both.diagonal_absent);
    }

    #[test]
    fn labels_without_overlap_make_a_rectangle() {
        let m = parse(
            "from\tto\tp\tdistance\nx\ta\t9\t1\nx\tb\t9\t2\ny\ta\t9\tNA\n",
            "from,to,distance",
        )
        .unwrap();
        assert_eq!(
            (&m.rows[..], &m.columns[..]),
            (
                &["x".to_owned(), "y".into()][..],
                &["a".to_owned(), "b".into()][..]
            )
        );
        assert_eq!(m.values[..2], [1.0, 2.0]);
        assert!(m.values[2].is_nan() && m.values[3].is_nan());
        assert_eq!(m.lines, [2, 4]);
        assert!(m.interchangeable);
    }

    #[test]
    fn wrong_lists_are_placed() {
        let wrong = |text: &str| parse(text, "1,2,3").unwrap_err().to_string();
        assert_eq!(
            wrong("a b 1\nb c 2\na b 3\n"),
            "f:3: found 3 for \"a\" and \"b\", but 1 on line 1, expected each pair once, or twice with the same number"
        );
        assert_eq!(
            wrong("a b 1\nb c\n"),
            "f:2: found 2 cells, expected at least 3: two labels and a number"
        );
        assert_eq!(
            wrong("a b 1\nb c x\n"),
            "f:2: found \"x\" for \"b\" and \"c\", expected a number"
        );
        assert_eq!(
            wrong("a b 1\nb c 1e999\n"),
            "f:2: found \"1e999\" for \"b\" and \"c\", expected a finite number"
        );
        assert_eq!(
            wrong("from to value\n"),
            "f: found no pairs, expected a list of two labels and a number a line"
        );
        let sparse: String = (0..3000).map(|i| format!("a{i} a{} 1\n", i + 1)).collect();
        assert_eq!(
            wrong(&sparse),
            "f: found 3000 pairs of 3001 labels, expected most labels to meet most others (or --unlisted VALUE, for pairs that are not in the list)"
        );
        assert!(
            parse("a b 1\n", "1,2,dist")
                .unwrap_err()
                .to_string()
                .contains("no column \"dist\"")
        );
    }
}
