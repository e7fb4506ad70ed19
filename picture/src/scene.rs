//! What a picture shows, in the map's own units, and how.

use crate::classes::Column;

/// All that is drawn.
#[derive(Debug, Clone, Default)]
pub struct Scene<'a> {
    /// Titles of the axes: two, or one for a map on a line.
    pub axes: Vec<String>,
    /// The old objects' labels.
    pub labels: &'a [String],
    /// The old objects' places; of a map on a line, the second number is not looked at.
    pub points: Vec<[f64; 2]>,
    /// Those that were added.
    pub newcomers: Vec<Newcomer<'a>>,
    /// What the legend calls things.
    pub words: Words,
    /// Colours by this column.
    pub colour: Option<Column>,
    /// Shapes by this column.
    pub shape: Option<Column>,
    /// Sizes by this column.
    pub size: Option<Column>,
    /// Whether places are another strategy's than reconstruction.
    pub strategy: bool,
    /// Variables, as arrows from the origin.
    pub arrows: Vec<Arrow>,
    /// What else there is to say of the picture, for those who cannot see it.
    pub note: String,
}

/// A variable: an arrow from the origin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrow {
    /// Its name.
    pub label: String,
    /// Where it ends, in the map's units.
    pub to: [f64; 2],
}

/// One newcomer. What it does not have, or what is not finite, is not drawn.
#[derive(Debug, Clone, Default)]
pub struct Newcomer<'a> {
    /// Its label.
    pub label: &'a str,
    /// Where it is projected to.
    pub projection: Option<[f64; 2]>,
    /// Where it is placed, if that is another question.
    pub place: Option<[f64; 2]>,
    /// The way from the one to the other.
    pub way: Vec<[f64; 2]>,
    /// Places that are exactly as good.
    pub others: Vec<[f64; 2]>,
    /// The outline of where it may be, as far as that is known.
    pub region: Vec<[f64; 2]>,
}

/// What the legend calls things.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// The old objects.
    pub old: String,
    /// Projections.
    pub projection: String,
    /// Places.
    pub place: String,
    /// Ways between them.
    pub way: String,
    /// Places that are exactly as good.
    pub others: String,
    /// Where newcomers may be.
    pub region: String,
}

impl Default for Words {
    fn default() -> Self {
        // Those of the page and of Python.
        let look = adjoin_look::look();
        let (roles, words) = (&look.roles, &look.words);
        Self {
            old: format!("{}s", roles.old.word),
            projection: roles.projection.word.clone(),
            place: roles.reconstruction.word.clone(),
            way: roles.arc.word.clone(),
            others: words.others.clone(),
            region: words.region.clone(),
        }
    }
}

/// How it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The width of the picture in millimetres.
    pub width: f64,
    /// Its height in millimetres; by the shape of the map if none.
    pub height: Option<f64>,
    /// Above the picture.
    pub title: Option<String>,
    /// Which labels are written.
    pub labels: Labels,
    /// Whether an ellipse is drawn around the old objects of each class that colours.
    pub ellipses: bool,
    /// Whether their hull is.
    pub hulls: bool,
    /// Whether lines lead from their centroid to each of them.
    pub spiders: bool,
}

/// Which labels are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Labels {
    /// All where objects are few; among many those of newcomers, if these are few; none that would cover a mark.
    #[default]
    Auto,
    /// All that fit.
    All,
    /// Those of newcomers.
    New,
    /// None.
    None,
}

impl Labels {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::All, Self::New, Self::None];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::All => "all",
            Self::New => "new",
            Self::None => "none",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: COLUMN,
            height: None,
            title: None,
            labels: Labels::Auto,
            ellipses: false,
            hulls: false,
            spiders: false,
        }
    }
}

/// The width of a column of a journal, in millimetres.
pub const COLUMN: f64 = 89.0;
/// The least and the greatest width and height, in millimetres: below, there is no room for the
/// axes; above, no paper.
pub const SIZES: std::ops::RangeInclusive<f64> = 30.0..=2000.0;
