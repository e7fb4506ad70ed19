//! What is known of objects one by one: q numbers each ([`Values`]), q bits each, or a text each.
//!
//! A measure ([`crate::measure`]) makes proximities from them. They are checked here, once: every number is
//! finite, every label and every name is there once. Newcomers' numbers are matched to the old ones by the
//! *names* of the features, in whatever order they come.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{About, Error, Object};
use crate::input::values::Values;
use crate::labels::checked_labels;

/// n objects by their features.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    labels: Vec<String>,
    /// Whether the labels were given, or only count.
    labelled: bool,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// q names and n × q values.
    Numbers {
        names: Vec<String>,
        /// Whether the names were given, or only count.
        named: bool,
        values: Values,
    },
    /// n × q bits, packed: the rows of so many bits begin at whole words.
    Bits { width: usize, words: Vec<u64> },
    /// n texts.
    Texts(Vec<String>),
}

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

impl Features {
    /// Objects by `width` numbers each, row by row. Without labels they are `1 … n`, without names the
    /// features are `1 … q`.
    pub fn new(
        values: Vec<f64>,
        width: usize,
        labels: Option<Vec<String>>,
        names: Option<Vec<String>>,
    ) -> Result<Self, Error> {
        Self::of(Values::Doubles(values), width, labels, names)
    }

    /// The same by numbers that are stored otherwise, and stay so: of single precision, or only those that are not 0.
    pub fn of(
        values: Values,
        width: usize,
        labels: Option<Vec<String>>,
        names: Option<Vec<String>>,
    ) -> Result<Self, Error> {
        if width == 0 {
            return Err(Error::FeatureName {
                found: "no features".into(),
                expected: "at least one".into(),
            });
        }
        let Some(count) = values.rows(width) else {
            let found = match &values {
                Values::Singles(values) => values.len(),
                Values::Doubles(values) => values.len(),
                Values::Sparse(_) => 0,
            };
            return Err(Error::Length {
                about: About::Objects,
                what: "values of features",
                found,
                expected: found.next_multiple_of(width),
            });
        };
        let (labelled, named) = (labels.is_some(), names.is_some());
        let labels = checked_labels(labels, count)?;
        let names = checked_names(names, width)?;
        if let Some((i, j, found)) = values.first_not(width, f64::is_finite) {
            return Err(Error::Feature {
                object: Object {
                    index: i,
                    label: labels[i].clone(),
                },
                feature: names[j].clone(),
                found,
                expected: "a finite number",
            });
        }
        Ok(Self {
            labels,
            labelled,
            content: Content::Numbers {
                names,
                named,
                values,
            },
        })
    }

    /// Objects by `width` bits each, packed into `row` bytes: fingerprints, sets. Measures of numbers take them as numbers that are 0
    /// or 1, without ever making numbers of them. Which bit of a byte is the first does not matter, as long as all agree; bits
    /// beyond `width` must be 0.
    pub fn packed(
        bytes: &[u8],
        row: usize,
        width: usize,
        labels: Option<Vec<String>>,
    ) -> Result<Self, Error> {
        if width == 0 || row != width.div_ceil(8) || !bytes.len().is_multiple_of(row) {
            return Err(Error::FeatureName {
                found: format!("{row} bytes for each object of {width} bits"),
                expected: format!("{} bytes", width.div_ceil(8).max(1)),
            });
        }
        let labelled = labels.is_some();
        let labels = checked_labels(labels, bytes.len() / row)?;
        let mut words = Vec::with_capacity(labels.len() * width.div_ceil(WORD));
        for (i, row) in bytes.chunks_exact(row).enumerate() {
            let (whole, rest) = row.as_chunks::<8>();
            words.extend(whole.iter().map(|word| u64::from_le_bytes(*word)));
            if !rest.is_empty() {
                let mut last = [0; 8];
                last[..rest.len()].copy_from_slice(rest);
                words.push(u64::from_le_bytes(last));
            }
            // Both ways to pack the last byte leave the same number of bits.
            let spare = 8 * row.len() - width;
            let last = row[row.len() - 1];
            if spare > 0 && last.leading_zeros().max(last.trailing_zeros()) < spare as u32 {
                return Err(Error::Features {
                    object: Object {
                        index: i,
                        label: labels[i].clone(),
                    },
                    found: format!("bits beyond the first {width}"),
                    expected: "none",
                });
            }
        }
        Ok(Self {
            labels,
            labelled,
            content: Content::Bits { width, words },
        })
    }

    /// Objects by a text each; without labels the texts are their own labels.
    pub fn texts(texts: Vec<String>, labels: Option<Vec<String>>) -> Result<Self, Error> {
        let count = texts.len();
        let labels = checked_labels(Some(labels.unwrap_or_else(|| texts.clone())), count)?;
        Ok(Self {
            labels,
            labelled: true,
            content: Content::Texts(texts),
        })
    }

    /// n, the number of objects.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// q, the number of features; 0 for texts.
    pub fn width(&self) -> usize {
        match &self.content {
            Content::Bits { width, .. } => *width,
            _ => self.names().len(),
        }
    }

    /// The n rows of bits, each in so many words; none unless they are bits.
    pub fn bits(&self) -> Option<(usize, &[u64])> {
        match &self.content {
            Content::Bits { width, words } => Some((width.div_ceil(WORD), words)),
            _ => None,
        }
    }

    /// The objects' labels.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether the labels are names that were given: otherwise they only count, and match nothing.
    pub fn labelled(&self) -> bool {
        self.labelled
    }

    /// Whether the features have names: otherwise they have positions only.
    pub fn named(&self) -> bool {
        match self.content {
            Content::Numbers { named, .. } => named,
            Content::Bits { .. } => false,
            Content::Texts(_) => true,
        }
    }

    /// The features' names; none for texts and bits.
    pub fn names(&self) -> &[String] {
        match &self.content {
            Content::Numbers { names, .. } => names,
            _ => &[],
        }
    }

    /// The n × q numbers, as they are stored; none for texts and bits.
    pub fn numbers(&self) -> Option<&Values> {
        match &self.content {
            Content::Numbers { values, .. } => Some(values),
            _ => None,
        }
    }

    /// The n × q numbers, row by row in double precision, made so if they are stored otherwise; none for texts and bits.
    pub fn values(&self) -> Option<Cow<'_, [f64]>> {
        let values = self.numbers()?;
        Some(values.doubles(self.width(), 0..self.count()))
    }

    /// The n texts; none for numbers.
    pub fn as_texts(&self) -> Option<&[String]> {
        match &self.content {
            Content::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// Whether object `i` has the same features here and there, which are in the same order.
    pub(crate) fn alike(&self, other: &Self, i: usize) -> bool {
        match (&self.content, &other.content) {
            (Content::Numbers { values: a, .. }, Content::Numbers { values: b, .. }) => {
                a.doubles(self.width(), i..i + 1) == b.doubles(other.width(), i..i + 1)
            }
            (Content::Bits { words: a, .. }, Content::Bits { words: b, .. }) => {
                let each = self.width().div_ceil(WORD);
                let row = i * each..(i + 1) * each;
                a[row.clone()] == b[row]
            }
            (Content::Texts(a), Content::Texts(b)) => a[i] == b[i],
            _ => false,
        }
    }

    /// Object `index`, for messages.
    pub(crate) fn object(&self, index: usize) -> Object {
        Object {
            index,
            label: self.labels[index].clone(),
        }
    }

    /// Some of the objects, in the given order.
    ///
    /// # Panics
    /// If an index is not below n.
    pub fn select(&self, objects: &[usize]) -> Self {
        let labels = objects.iter().map(|&i| self.labels[i].clone()).collect();
        let content = match &self.content {
            Content::Numbers {
                names,
                named,
                values,
            } => Content::Numbers {
                names: names.clone(),
                named: *named,
                values: values.select(names.len(), objects),
            },
            Content::Bits { width, words } => {
                let each = width.div_ceil(WORD);
                let rows = objects.iter().map(|&i| &words[i * each..(i + 1) * each]);
                Content::Bits {
                    width: *width,
                    words: rows.flatten().copied().collect(),
                }
            }
            Content::Texts(texts) => {
                Content::Texts(objects.iter().map(|&i| texts[i].clone()).collect())
            }
        };
        Self {
            labels,
            labelled: self.labelled,
            content,
        }
    }

    /// These objects and `others` after them, whose features are the same in the same order.
    pub(crate) fn and(&self, others: &Self) -> Self {
        let (mut all, width) = (self.clone(), self.width());
        all.labels.extend_from_slice(&others.labels);
        match (&mut all.content, &others.content) {
            (Content::Numbers { values, .. }, Content::Numbers { values: more, .. }) => {
                values.append(more, width);
            }
            (Content::Bits { words, .. }, Content::Bits { words: more, .. }) => {
                words.extend_from_slice(more);
            }
            (Content::Texts(texts), Content::Texts(more)) => texts.extend_from_slice(more),
            // Of two kinds: `matched` refuses them.
            _ => {}
        }
        all
    }

    /// The same objects under other labels.
    pub fn with_labels(mut self, labels: Vec<String>) -> Result<Self, Error> {
        self.labels = checked_labels(Some(labels), self.count())?;
        self.labelled = true;
        Ok(self)
    }

    /// The same objects with labels that only count.
    pub fn unlabelled(mut self) -> Self {
        self.labelled = false;
        self
    }

    /// These objects with their features in the order of the `old` ones, none missing and none besides: by name, or by
    /// position if these have no names. Names that the old features do not have are refused, never ignored.
    pub fn matched(&self, old: &Features) -> Result<Cow<'_, Self>, Error> {
        let names = old.names();
        let (own, named, values) = match (&self.content, &old.content) {
            (Content::Texts(_), Content::Texts(_)) => return Ok(Cow::Borrowed(self)),
            (Content::Bits { width: own, .. }, Content::Bits { width, .. }) if own == width => {
                return Ok(Cow::Borrowed(self));
            }
            (Content::Bits { width: own, .. }, Content::Bits { width, .. }) => {
                return Err(kinds(
                    &format!("{own} bits"),
                    &format!("{width}, as the old objects have"),
                ));
            }
            (_, _) if self.is() != old.is() => {
                let expected = format!("{}, as of the old objects", old.is());
                return Err(kinds(self.is(), &expected));
            }
            (
                Content::Numbers {
                    names,
                    named,
                    values,
                },
                _,
            ) => (names, *named, values),
            _ => return Err(kinds(self.is(), old.is())),
        };
        if !named {
            if own.len() != names.len() {
                return Err(Error::FeatureName {
                    found: format!("{} features without names", own.len()),
                    expected: format!("{}, as the old objects have", names.len()),
                });
            }
            return Ok(Cow::Borrowed(self));
        }
        if !old.named() {
            return Err(Error::FeatureName {
                found: format!("features with names, the first {:?}", own[0]),
                expected: "an array without names: the map's features have positions only".into(),
            });
        }
        if own == names {
            return Ok(Cow::Borrowed(self));
        }
        let order = order(own, names)?;
        let values = values.ordered(&order);
        Ok(Cow::Owned(Self {
            labels: self.labels.clone(),
            labelled: self.labelled,
            content: Content::Numbers {
                names: names.to_vec(),
                named,
                values,
            },
        }))
    }
}

impl Features {
    /// What they are, for messages.
    fn is(&self) -> &'static str {
        match self.content {
            Content::Numbers { .. } => "numbers",
            Content::Bits { .. } => "packed bits",
            Content::Texts(_) => "texts",
        }
    }
}

fn kinds(found: &str, expected: &str) -> Error {
    Error::FeatureName {
        found: found.into(),
        expected: expected.into(),
    }
}

/// Where each of `names` is among `own`, which must be the same names in any order.
fn order(own: &[String], names: &[String]) -> Result<Vec<usize>, Error> {
    let places: HashMap<&str, usize> = (own.iter().enumerate())
        .map(|(j, name)| (name.as_str(), j))
        .collect();
    let order = names.iter().map(|name| {
        places
            .get(name.as_str())
            .copied()
            .ok_or_else(|| Error::FeatureName {
                found: format!("no feature {name:?}"),
                expected: "every feature of the old objects".into(),
            })
    });
    let order = order.collect::<Result<Vec<_>, _>>()?;
    if own.len() > names.len() {
        let known: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
        let further = own.iter().find(|name| !known.contains(name.as_str()));
        return Err(Error::FeatureName {
            found: format!("a feature {:?}", further.map_or("", |name| name)),
            expected: "only features that the old objects have".into(),
        });
    }
    Ok(order)
}

/// The names, counted and each found once; `1 … q` if there are none.
fn checked_names(names: Option<Vec<String>>, width: usize) -> Result<Vec<String>, Error> {
    let Some(names) = names else {
        return Ok((1..=width).map(|j| j.to_string()).collect());
    };
    if names.len() != width {
        return Err(Error::Length {
            about: About::Objects,
            what: "names of features",
            found: names.len(),
            expected: width,
        });
    }
    let mut seen = HashMap::with_capacity(width);
    for (j, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), j) {
            return Err(Error::FeatureName {
                found: format!(
                    "the feature {name:?} in columns {} and {}",
                    first + 1,
                    j + 1
                ),
                expected: "every feature once".into(),
            });
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str], values: &[f64]) -> Result<Features, Error> {
        let names = names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        Features::new(values.to_vec(), names.len(), None, Some(names))
    }

    fn message<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
        answer.unwrap_err().to_string()
    }

    /// Columns come in any order and are found by name.
    #[test]
    fn columns_are_matched_by_name() {
        let old = named(&["a", "b", "c"], &[1.0, 2.0, 3.0]).unwrap();
        let new = named(&["c", "a", "b"], &[30.0, 10.0, 20.0, 33.0, 11.0, 22.0]).unwrap();
        let new = new.matched(&old).unwrap();
        assert_eq!(
            new.values().unwrap()[..],
            [10.0, 20.0, 30.0, 11.0, 22.0, 33.0]
        );
        assert_eq!(new.select(&[1]).values().unwrap()[..], [11.0, 22.0, 33.0]);
    }

    /// One wrong name at a time.
    #[test]
    fn wrong_columns_are_named() {
        let old = named(&["a", "b"], &[0.0; 2]).unwrap();
        let one = named(&["a"], &[1.0]).unwrap();
        assert_eq!(
            message(one.matched(&old)),
            "found no feature \"b\", expected every feature of the old objects"
        );
        let more = named(&["a", "z", "b"], &[1.0; 3]).unwrap();
        assert_eq!(
            message(more.matched(&old)),
            "found a feature \"z\", expected only features that the old objects have"
        );
        assert_eq!(
            message(named(&["a", "b", "a"], &[1.0; 3])),
            "found the feature \"a\" in columns 1 and 3, expected every feature once"
        );
        let texts = Features::texts(vec!["x".into()], None).unwrap();
        assert!(message(texts.matched(&old)).starts_with("found texts, expected numbers"));
        assert!(message(one.matched(&texts)).starts_with("found numbers, expected texts"));
    }

    /// Without names features are matched by position, but names are never ignored.
    #[test]
    fn names_or_positions() {
        let named = named(&["b", "a"], &[1.0, 2.0]).unwrap();
        let counted = Features::new(vec![3.0, 4.0], 2, None, None).unwrap();
        let three = Features::new(vec![3.0; 3], 3, None, None).unwrap();
        assert!(named.named() && !counted.named() && !counted.labelled());
        assert_eq!(counted.matched(&named).unwrap().values(), counted.values());
        assert_eq!(
            message(named.matched(&counted)),
            "found features with names, the first \"b\", expected an array without names: the map's features \
             have positions only"
        );
        assert_eq!(
            message(three.matched(&named)),
            "found 3 features without names, expected 2, as the old objects have"
        );
        let given = counted.with_labels(vec!["x".into()]).unwrap();
        assert!(given.labelled() && given.select(&[0]).labelled());
    }

    /// A missing or infinite number is named by object and feature.
    #[test]
    fn a_number_that_is_none_is_named() {
        for (bad, shown) in [(f64::NAN, "NaN (a missing value)"), (f64::INFINITY, "inf")] {
            assert_eq!(
                message(named(&["a", "b"], &[1.0, 2.0, 3.0, bad])),
                format!(
                    "found {shown} as feature \"b\" of \"2\" (number 2), expected a finite number"
                )
            );
        }
        assert!(message(Features::new(vec![1.0], 0, None, None)).starts_with("found no features"));
        assert!(message(Features::new(vec![1.0], 2, None, None)).starts_with("found 1 values"));
    }
}
