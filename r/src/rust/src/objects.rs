//! What is fitted to: proximities, what another program kept of them, or features; lists as the core's objects.

use adjoin::measure::Measure;
use adjoin::recovered;
use adjoin::stored::Correction;
use adjoin::{Features, Kind, Map, Method, Square};
use adjoin_formats::Matrix;
use extendr_api::prelude::Robj;
use faer::{Mat, MatRef};

use crate::failure::{Failure, core, file};
use crate::newcomers::NO_DIAGONAL;
use crate::settings::{self, NAMES_OF_NOBODY};
use crate::value::{Entries, Held, square_of_dist};

/// The argument that holds the old objects.
const ARGUMENT: &str = "d";

/// The old objects, with every word understood.
pub enum Objects {
    Square {
        square: Proximities,
        kind: Kind,
        labels: Option<Vec<String>>,
    },
    Features {
        features: Features,
        measure: Option<Measure>,
    },
}

/// A square where R has it, or one that was made.
pub enum Proximities {
    Held(Held),
    Made(Vec<f64>, usize),
}

impl Proximities {
    fn view(&self) -> MatRef<'_, f64> {
        match self {
            Proximities::Held(held) => held.view(),
            Proximities::Made(values, n) => MatRef::from_row_major_slice(values, *n, *n),
        }
    }
}

impl Objects {
    /// Understands a list, and names the R objects that are read where they are.
    pub fn of(given: &Entries) -> Result<(Self, Vec<Robj>), Failure> {
        if let Some(measure) = settings::measure(given)? {
            let features = features(given, ARGUMENT)?;
            let measure = Some(measure);
            return Ok((Objects::Features { features, measure }, Vec::new()));
        }
        Self::of_proximities(given, settings::kind(given)?)
    }

    /// The same for objects that come to be fitted as those of `map` were.
    pub fn like(given: &Entries, map: &Map) -> Result<(Self, Vec<Robj>), Failure> {
        let Some(source) = map.source() else {
            if given.texts("labels").is_some() && !map.named() {
                return Err(Failure::wrong(ARGUMENT, NAMES_OF_NOBODY));
            }
            return Self::of_proximities(given, map.kind());
        };
        let features = features(given, ARGUMENT)?;
        let measure = (map.method() != Method::Pca).then(|| *source.measure());
        Ok((Objects::Features { features, measure }, Vec::new()))
    }

    fn of_proximities(given: &Entries, kind: Kind) -> Result<(Self, Vec<Robj>), Failure> {
        let labels = given.texts("labels");
        if let Some(triangle) = given.numbers("dist") {
            if kind == Kind::Similarity {
                return Err(Failure::wrong(ARGUMENT, NO_DIAGONAL));
            }
            let n = given.count("size").unwrap_or(0);
            let square = Proximities::Made(square_of_dist(&triangle, n), n);
            return Ok((Self::square(square, kind, labels), Vec::new()));
        }
        if let Some(found) = inner(given) {
            let (inner, factor) = found;
            let correction = undone(given);
            let made = recovered::dissimilarities(inner.as_ref(), factor, correction, kind);
            let made = made.map_err(core("x"))?;
            let n = made.nrows();
            let square = Proximities::Made(crate::value::row_by_row(made.as_ref()), n);
            return Ok((Self::square(square, kind, labels), Vec::new()));
        }
        let Some((held, owner)) = given.matrix("square").zip(given.get("square")) else {
            return Err(Failure::wrong(
                ARGUMENT,
                "found no proximities, expected them",
            ));
        };
        // Rows and columns in different orders are put into one; otherwise nothing is copied.
        if let Some(columns) = given
            .texts("columns")
            .filter(|c| Some(c) != labels.as_ref())
        {
            let matrix = Matrix {
                values: held.row_by_row(),
                rows: labels.unwrap_or_else(|| columns.clone()),
                columns,
                labelled: true,
                source: ARGUMENT.to_owned(),
                ..Matrix::default()
            };
            let matrix = matrix
                .checked()
                .and_then(adjoin_formats::square)
                .map_err(file)?;
            let square = Proximities::Made(matrix.values, matrix.columns.len());
            return Ok((Self::square(square, kind, Some(matrix.columns)), Vec::new()));
        }
        let square = Self::square(Proximities::Held(held), kind, labels);
        Ok((square, vec![owner.clone()]))
    }

    fn square(square: Proximities, kind: Kind, labels: Option<Vec<String>>) -> Self {
        Objects::Square {
            square,
            kind,
            labels,
        }
    }

    /// Their labels, if they have any.
    pub fn labels(&self) -> Option<&[String]> {
        match self {
            Objects::Square { labels, .. } => labels.as_deref(),
            Objects::Features { features, .. } => {
                Some(features.labels()).filter(|_| features.labelled())
            }
        }
    }

    /// As the core takes them.
    pub fn core(&self) -> adjoin::Objects<'_> {
        match self {
            Objects::Square {
                square,
                kind,
                labels,
            } => adjoin::Objects::Square(Square {
                entries: adjoin::Entries::Doubles(square.view()),
                kind: *kind,
                labels: labels.clone(),
                made_of: None,
            }),
            Objects::Features { features, measure } => adjoin::Objects::Features {
                features: features.clone(),
                measure: *measure,
            },
        }
    }
}

/// Features from a matrix of numbers, or from texts.
pub fn features(given: &Entries, argument: &str) -> Result<Features, Failure> {
    let labels = given.texts("labels");
    let made = match (given.texts("texts"), given.matrix("features")) {
        (Some(texts), _) => Features::texts(texts, labels),
        (None, Some(held)) => Features::new(
            held.row_by_row(),
            held.columns,
            labels,
            given.texts("names"),
        ),
        (None, None) => {
            return Err(Failure::wrong(argument, "found no features, expected them"));
        }
    };
    made.map_err(core(argument))
}

/// Inner products that another program kept, or all axes of them, and what to multiply them by.
fn inner(given: &Entries) -> Option<(Mat<f64>, f64)> {
    let factor = given.number("factor").unwrap_or(1.0);
    if let Some(inner) = given.matrix("inner") {
        return Some((inner.view().to_owned(), factor));
    }
    let real = given.matrix("real_axes")?;
    let imaginary = given.matrix("imaginary_axes");
    let imaginary = imaginary.as_ref().map(Held::view);
    Some((recovered::inner_products(real.view(), imaginary), factor))
}

/// The correction that is in the inner products.
fn undone(given: &Entries) -> Correction {
    let constant = given.number("constant").unwrap_or(0.0);
    match given.text("corrected").as_deref() {
        Some("lingoes") => Correction::Lingoes(constant),
        Some("cailliez") => Correction::Cailliez(constant),
        _ => Correction::None,
    }
}
