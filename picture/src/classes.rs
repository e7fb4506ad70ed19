//! Colours, shapes and sizes from a column that describes the objects.
//!
//! What a column is (classes, a few whole numbers in their order, numbers, dates) is said by `adjoin-look`, for the page and
//! Python alike. What has no value is pale.

use adjoin_look::Column as Read;

use crate::svg::Shape;

pub(crate) use adjoin_look::Colours;

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
    pub(crate) fn read(&self) -> Read {
        Read::read(self.old.iter().chain(&self.new).map(|c| Some(c.as_str())))
    }
}

/// How objects are shaped: words with a shape of their own, the most frequent of them if there are too many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shapes {
    pub words: Vec<String>,
    shapes: Vec<Option<usize>>,
    pub beyond: usize,
    pub misses: bool,
}

impl Shapes {
    pub fn of(column: &Column) -> Self {
        let mut read = column.read();
        if read.words.is_empty() {
            // Numbers have no shape but as words.
            let cell = |c: &String| (!adjoin_look::is_missing(c)).then(|| c.trim().to_owned());
            let cells: Vec<Option<String>> =
                column.old.iter().chain(&column.new).map(cell).collect();
            let words: std::collections::BTreeSet<&str> =
                cells.iter().flatten().map(String::as_str).collect();
            let words: Vec<&str> = words.into_iter().collect();
            let code = |c: &Option<String>| {
                let at = |c: &String| words.iter().position(|w| w == c);
                c.as_ref().and_then(at).map(|i| i as u32)
            };
            read.codes = cells.iter().map(code).collect();
            read.words = words.iter().map(|w| w.to_string()).collect();
        }
        let mut counts = vec![0usize; read.words.len()];
        for code in read.codes.iter().flatten() {
            counts[*code as usize] += 1;
        }
        let all = Shape::ALL.len();
        // One shape is kept for those that have none of their own.
        let room = if counts.len() > all { all - 1 } else { all };
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&c| std::cmp::Reverse(counts[c]));
        order.truncate(room);
        order.sort_unstable();
        let at = |code: u32| order.iter().position(|&c| c == code as usize);
        Self {
            shapes: read.codes.iter().map(|c| c.and_then(at)).collect(),
            beyond: counts.len() - order.len(),
            misses: read.codes.iter().any(Option::is_none),
            words: order.iter().map(|&c| read.words[c].clone()).collect(),
        }
    }

    /// The shape of an object, old ones first; the last is for all that have none of their own.
    pub fn shape(&self, at: usize) -> Shape {
        let last = Shape::ALL.len() - 1;
        Shape::ALL[self.shapes[at].unwrap_or(last)]
    }
}

/// What the area of the smallest and of the largest mark is beside the usual.
pub(crate) const SMALLEST: f64 = 1.0 / 3.0;
pub(crate) const LARGEST: f64 = 3.0;

/// What the radius of each object's mark is multiplied by, old ones first: areas grow with numbers, from a third to three
/// times the usual. None if the column is not of numbers.
pub(crate) fn sizes(column: &Column) -> Option<(Vec<f64>, [f64; 2])> {
    let read = column.read();
    let [low, high] = read.range()?;
    let factor = |v: &f64| match (v - low) / (high - low) {
        _ if v.is_nan() => 0.5,
        share if share.is_finite() => (SMALLEST + (LARGEST - SMALLEST) * share).sqrt(),
        _ => 1.0,
    };
    Some((read.numbers.iter().map(factor).collect(), [low, high]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette;
    use adjoin_look::look;

    fn column(old: &[&str]) -> Column {
        Column {
            title: "habitat".into(),
            old: old.iter().map(|v| v.to_string()).collect(),
            new: vec![String::new()],
        }
    }

    fn words(colours: &Colours) -> Vec<String> {
        match colours {
            Colours::Classes { words, .. } => words.clone(),
            Colours::Scale { .. } => Vec::new(),
        }
    }

    #[test]
    fn words_and_few_numbers_are_classes() {
        let colours = Colours::of(column(&["sea", "lake", "sea ", "not collected"]).read());
        assert_eq!(words(&colours), ["lake", "sea"]);
        assert_eq!(colours.colour(0), look().classes.light[0][1]);
        assert_eq!(colours.colour(0), colours.colour(2));
        assert_eq!(colours.colour(3), palette::unknown());
        let days = Colours::of(column(&["15", "8", "-14"]).read());
        assert_eq!(words(&days), ["-14", "8", "15"]);
        assert_eq!(days.colour(2), look().ramp.light[0]);
    }

    #[test]
    fn many_numbers_are_a_scale() {
        let colours = Colours::of(column(&["1.5", "2", "3", "9e0", "not applicable"]).read());
        assert!(matches!(
            &colours,
            Colours::Scale {
                range: [1.5, 9.0],
                ..
            }
        ));
        assert_eq!(colours.colour(0), look().ramp.light[0]);
        assert_eq!(colours.colour(3), *look().ramp.light.last().unwrap());
        assert_eq!(colours.colour(4), palette::unknown());
        let wide = Colours::of(column(&["-1.7e308", "0.5", "1.7e308"]).read());
        assert_eq!(wide.colour(1), palette::scale(0.5));
    }

    #[test]
    fn more_classes_than_colours() {
        let names: Vec<String> = (0..46).map(|i| format!("c{}", i / 2)).collect();
        let c = column(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            (Colours::of(c.read()).beyond(), Shapes::of(&c).beyond),
            (3, 17)
        );
        assert_eq!(Shapes::of(&c).shape(45), Shape::Cross);
    }

    #[test]
    fn sizes_are_of_numbers() {
        let (factors, range) = sizes(&column(&["0", "10", "NA"])).unwrap();
        assert_eq!(range, [0.0, 10.0]);
        assert!((factors[1] * factors[1] - 3.0).abs() < 1e-12 && factors[2] == 0.5);
        assert!(sizes(&column(&["red"])).is_none());
    }
}
