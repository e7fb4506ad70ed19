//! Flags → settings: all that can be said of a fit before its objects are read, and the rest once their labels are known.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use adjoin::measure::Measure;
use adjoin::settings::{Axes, Landmarks, Neighbourhood, Origin};
use adjoin::{FitSettings, Kind, Method};
use adjoin_formats::{
    Configuration, TRANSFORM, nearest_label, read_configuration, read_labels, read_numbers,
};
use faer::Mat;

use crate::args::{Choose, Families, Fit};
use crate::error::Error;
use crate::words::Words;

/// How many units of rounding an eigenvalue of n objects may be from zero, for each of them.
const ROUNDING: f64 = 16.0;

/// What is asked for, checked. An origin, landmarks, weights or a configuration that need the objects' labels are there, but
/// empty, until [`settle`].
pub fn settings(args: &Fit, measure: Option<&Measure>) -> Result<FitSettings, Error> {
    let families = &args.families;
    let settings = FitSettings {
        axes: args.dimensions.unwrap_or(Axes::All),
        method: args.method.unwrap_or(match args.measuring.kernel {
            Some(_) => Method::KernelPca,
            None => Method::Cmds,
        }),
        origin: match args.origin {
            Some(_) => Origin::Object(0),
            None => Origin::Centroid,
        },
        correction: args.correction,
        configuration: args.configuration.as_ref().map(|_| Mat::new()),
        rescale: args.rescale,
        link: args.link.unwrap_or_default(),
        link_weights: args.weights.as_ref().map(|_| Vec::new()),
        // Elsewhere it is about how long a fit may take, which is none of the core's business.
        force: args.force && args.link.is_some(),
        solver: args.solver,
        tolerance: args.tolerance,
        landmarks: landmarks(families)?,
        rotate: families.rotate,
        neighbourhood: match (families.neighbors, families.radius) {
            (Some(k), _) => Some(Neighbourhood::Nearest(k)),
            (None, radius) => radius.map(Neighbourhood::Radius),
        },
        disconnected: families.disconnected.unwrap_or_default(),
        affinity: families.affinity,
        gamma: args.measuring.heat(),
        alpha: families.alpha.unwrap_or(0.0),
        diagonal: !families.no_diagonal,
        time: families.time,
    };
    let kind = measure.map_or_else(|| kind(args), Measure::kind);
    settings.check(measure, kind).map_err(Error::together)?;
    Ok(settings)
}

/// What proximities are, where the input is proximities.
pub fn kind(args: &Fit) -> Kind {
    match args.kind {
        Some(kind) => kind,
        None if args.method == Some(Method::KernelPca) => Kind::Similarity,
        None => Kind::Dissimilarity,
    }
}

fn landmarks(families: &Families) -> Result<Option<Landmarks>, Error> {
    let Some(given) = &families.landmarks else {
        return Ok(None);
    };
    let seed = families.seed.unwrap_or(0);
    Ok(Some(match (given.parse(), families.choose) {
        (Ok(count), Some(Choose::Random)) => Landmarks::Random { count, seed },
        (Ok(count), _) => Landmarks::Maxmin { count, seed },
        (Err(_), None) if families.seed.is_none() => Landmarks::Given(Vec::new()),
        (Err(_), _) => {
            return Err(Error::Usage(
                "found --choose or --seed beside a file of landmarks, expected a number of landmarks with them"
                    .into(),
            ));
        }
    }))
}

/// Puts in what is said by labels.
pub fn settle(
    settings: &mut FitSettings,
    args: &Fit,
    labels: &[String],
    words: &Words,
) -> Result<(), Error> {
    if let Some(word) = &args.origin {
        settings.origin = origin(word, labels)?;
    }
    if let (Some(Landmarks::Given(given)), Some(file)) =
        (&mut settings.landmarks, &args.families.landmarks)
    {
        *given = named(Path::new(file), labels)?;
    }
    if let Some(file) = &args.configuration {
        settings.configuration = Some(configuration(file, settings.axes, labels, words)?);
    }
    if let Some(file) = &args.weights {
        settings.link_weights = Some(read_numbers(file)?.in_order(labels)?);
    }
    Ok(())
}

/// The origin: a label, or else a file of weights.
fn origin(word: &str, labels: &[String]) -> Result<Origin, Error> {
    if let Some(index) = labels.iter().position(|l| l == word) {
        return Ok(Origin::Object(index));
    }
    let file = Path::new(word);
    if file.exists() {
        return Ok(Origin::Weights(read_numbers(file)?.in_order(labels)?));
    }
    Err(Error::Request(format!(
        "found neither an object nor a file called {word:?}{}, expected one for --origin",
        nearest_label(word, labels.iter())
    )))
}

/// Where each label is.
pub fn places(labels: &[String]) -> HashMap<&str, usize> {
    labels.iter().map(String::as_str).zip(0..).collect()
}

/// The places of the labels in a file, in its order.
fn named(file: &Path, labels: &[String]) -> Result<Vec<usize>, Error> {
    let places = places(labels);
    let named = read_labels(file)?;
    let found = named.iter().map(|label| {
        places.get(label.as_str()).copied().ok_or_else(|| {
            Error::Request(format!(
                "{}: found the landmark {label:?}{}, expected labels of old objects",
                file.display(),
                nearest_label(label, labels.iter())
            ))
        })
    });
    found.collect()
}

/// A given configuration in the order of the objects.
fn configuration(
    file: &Path,
    axes: Axes,
    labels: &[String],
    words: &Words,
) -> Result<Mat<f64>, Error> {
    let given = read_configuration(file)?;
    let (n, width) = (given.labels.len(), given.dimensions);
    let filled = filled(&given);
    let d = filled.len();
    if d < width {
        words.say(format_args!(
            "{}: {} of {width} axes hold nothing and are left out",
            given.source,
            width - d
        ));
    }
    let wanted = match axes {
        Axes::Count(wanted) => wanted,
        _ => d,
    };
    if wanted > d || n != labels.len() {
        return Err(Error::Request(format!(
            "{}: found {n} objects on {d} axes, expected {} objects on at least {wanted}",
            given.source,
            labels.len()
        )));
    }
    let mut order: Vec<usize> = (0..n).collect();
    if given.labelled {
        let places = places(&given.labels);
        for (i, label) in order.iter_mut().zip(labels) {
            *i = *places.get(label.as_str()).ok_or_else(|| {
                Error::Request(format!(
                    "{}: found no coordinates for {label:?}{}, expected them for every old object",
                    given.source,
                    nearest_label(label, given.labels.iter())
                ))
            })?;
        }
    }
    Ok(Mat::from_fn(n, d, |i, j| {
        given.coordinates[order[i] * width + filled[j]]
    }))
}

/// The axes that hold something: programs that write all n axes of an ordination leave those of eigenvalues that are not
/// positive empty, or with the rounding of a zero in them.
fn filled(given: &Configuration) -> Vec<usize> {
    let (n, d) = (given.labels.len(), given.dimensions);
    let rows = || given.coordinates.chunks_exact(d);
    let squares: Vec<f64> = (0..d)
        .map(|j| {
            let mean = rows().map(|row| row[j]).sum::<f64>() / n as f64;
            rows().map(|row| (row[j] - mean).powi(2)).sum()
        })
        .collect();
    let largest = squares.iter().fold(0.0, |m: f64, v| m.max(*v));
    // The squares are eigenvalues, which are exact to rounding of the largest.
    let zero = ROUNDING * n as f64 * f64::EPSILON * largest;
    (0..d).filter(|&j| squares[j] > zero).collect()
}

/// What was said, for the map to keep.
pub fn in_words(args: &Fit) -> BTreeMap<String, String> {
    let (measuring, families) = (&args.measuring, &args.families);
    let number = |value: Option<f64>| value.map(|v| v.to_string());
    let flag = |given: bool| given.then(|| "true".to_owned());
    let file = |path: &std::path::PathBuf| path.display().to_string();
    let given = [
        (
            "dimensions",
            args.dimensions.map(|axes| match axes {
                Axes::Count(d) => d.to_string(),
                _ => "auto".into(),
            }),
        ),
        ("self", args.itself.clone()),
        ("origin", args.origin.clone()),
        ("configuration", args.configuration.as_ref().map(file)),
        ("rescale", flag(args.rescale)),
        ("link", args.link.map(|l| l.word().to_owned())),
        ("weights", args.weights.as_ref().map(file)),
        ("force", flag(args.force)),
        ("metric", measuring.metric.clone()),
        ("kernel", measuring.kernel.clone()),
        ("gamma", number(measuring.gamma)),
        ("degree", number(measuring.degree)),
        ("coef0", number(measuring.coef0)),
        ("power", number(measuring.power)),
        ("landmarks", families.landmarks.clone()),
        (
            "choose",
            families.choose.map(|c| format!("{c:?}").to_lowercase()),
        ),
        ("seed", families.seed.map(|s| s.to_string())),
        ("rotate", flag(families.rotate)),
        ("neighbors", families.neighbors.map(|k| k.to_string())),
        ("radius", number(families.radius)),
        (
            "disconnected",
            families.disconnected.map(|d| d.word().into()),
        ),
        ("affinity", families.affinity.map(|a| a.word().into())),
        ("alpha", number(families.alpha)),
        ("time", number(families.time)),
        ("no-diagonal", flag(families.no_diagonal)),
        (
            TRANSFORM,
            args.transforming.transform.map(|t| t.word().to_owned()),
        ),
    ];
    given
        .into_iter()
        .chain(args.reading.in_words())
        .filter_map(|(name, value)| value.map(|v| (name.to_owned(), v)))
        .collect()
}
