//! Colours and shapes from a column that describes the objects.
//!
//! A column of words gives classes, the most frequent first; a column of numbers with more values
//! than there are colours gives a scale. What has no value is drawn pale.

use std::collections::BTreeMap;

use crate::palette;
use crate::svg::Shape;

/// What a column says of each object; empty where it says nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Its name, for the legend.
    pub title: String,
    /// Of each old object.
    pub old: Vec<String>,
    /// Of each newcomer.
    pub new: Vec<String>,
}

impl Column {
    fn values(&self) -> impl Iterator<Item = &str> {
        let all = self.old.iter().chain(&self.new);
        all.map(|v| v.trim()).filter(|v| !v.is_empty())
    }

    /// Its classes, the most frequent first, then by name.
    fn classes(&self) -> Vec<&str> {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for value in self.values() {
            *count.entry(value).or_default() += 1;
        }
        let mut classes: Vec<(&str, usize)> = count.into_iter().collect();
        classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        classes.into_iter().map(|(name, _)| name).collect()
    }

    /// The smallest and the largest, if all that is said are numbers.
    fn range(&self) -> Option<[f64; 2]> {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for value in self.values() {
            let x = value.parse::<f64>().ok().filter(|x| x.is_finite())?;
            range = [range[0].min(x), range[1].max(x)];
        }
        (range[0] <= range[1]).then_some(range)
    }
}

/// How objects are coloured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colours<'a> {
    Classes(Vec<&'a str>),
    Scale([f64; 2]),
}

/// Shades of a scale: more than the eye tells apart, few enough for a small file.
const SHADES: f64 = 64.0;

impl<'a> Colours<'a> {
    pub fn of(column: &'a Column) -> Self {
        let classes = column.classes();
        match column.range() {
            Some(range) if classes.len() > palette::CLASSES.len() => Colours::Scale(range),
            _ => Colours::Classes(classes),
        }
    }

    pub fn colour(&self, value: &str) -> String {
        let value = value.trim();
        match self {
            Colours::Classes(classes) => {
                let at = classes.iter().position(|c| *c == value);
                let colour = at.and_then(|i| palette::CLASSES.get(i));
                colour.unwrap_or(&palette::UNKNOWN).to_string()
            }
            Colours::Scale([low, high]) => match value.parse::<f64>() {
                Ok(x) if x.is_finite() => {
                    // Halves first: the ends may be farther apart than any number.
                    let share = (x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                    palette::scale((share * SHADES).round() / SHADES)
                }
                _ => palette::UNKNOWN.to_owned(),
            },
        }
    }

    /// Classes that have no colour of their own.
    pub fn beyond(&self) -> usize {
        match self {
            Colours::Classes(classes) => classes.len().saturating_sub(palette::CLASSES.len()),
            Colours::Scale(_) => 0,
        }
    }
}

/// How objects are shaped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shapes<'a>(pub Vec<&'a str>);

impl<'a> Shapes<'a> {
    pub fn of(column: &'a Column) -> Self {
        Self(column.classes())
    }

    /// The last shape is for all that have none of their own.
    pub fn shape(&self, value: &str) -> Shape {
        let at = self.0.iter().position(|c| *c == value.trim());
        let last = Shape::ALL[Shape::ALL.len() - 1];
        at.and_then(|i| Shape::ALL.get(i)).copied().unwrap_or(last)
    }

    /// Classes that have no shape of their own.
    pub fn beyond(&self) -> usize {
        // One shape is kept for them.
        self.0.len().saturating_sub(Shape::ALL.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(old: &[&str]) -> Column {
        Column {
            title: "habitat".into(),
            old: old.iter().map(|v| v.to_string()).collect(),
            new: vec![String::new()],
        }
    }

    #[test]
    fn words_and_few_numbers_are_classes() {
        let c = column(&["sea", "lake", "sea ", ""]);
        let colours = Colours::of(&c);
        assert_eq!(colours, Colours::Classes(vec!["sea", "lake"]));
        assert_eq!(colours.colour("sea"), palette::CLASSES[0]);
        assert_eq!(colours.colour(""), palette::UNKNOWN);
        assert!(matches!(
            Colours::of(&column(&["1", "2", "3"])),
            Colours::Classes(_)
        ));
    }

    #[test]
    fn many_numbers_are_a_scale() {
        let c = column(&["1", "2", "3", "4", "5", "6", "7", "9e0"]);
        let colours = Colours::of(&c);
        assert_eq!(colours, Colours::Scale([1.0, 9.0]));
        assert_eq!(colours.colour("1"), "#00224e");
        assert_eq!(colours.colour("9"), "#fee838");
        assert_eq!(colours.colour("?"), palette::UNKNOWN);
        let wide = Colours::Scale([-1.7e308, 1.7e308]);
        assert_eq!(wide.colour("0"), palette::scale(0.5));
    }

    #[test]
    fn more_classes_than_colours() {
        let names: Vec<String> = (0..10).map(|i| format!("c{i}")).collect();
        let c = column(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((Colours::of(&c).beyond(), Shapes::of(&c).beyond()), (3, 3));
        assert_eq!(Shapes::of(&c).shape("c9"), Shape::Cross);
    }
}
