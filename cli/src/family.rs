//! The families of maps: from features or proximities to a model, by the method that was asked for.

use std::path::Path;

use adjoin::diagram::FitSettings;
use adjoin::dimension;
use adjoin::features::Features;
use adjoin::graph::{self, Neighbourhood};
use adjoin::landmark::{self, Landmarks};
use adjoin::measure::{Measure, Measured, Parameters};
use adjoin::model::Model;
use adjoin::proximity::Kind;
use adjoin::rows::Rows;
use adjoin::{isomap, laplacian, pca};
use adjoin_formats::read_labels;

use crate::args::{self, Affinity, Axes, Choose, Disconnected, Family, Fit, Measuring, Method};
use crate::error::Error;
use crate::words::Words;

/// The measure that the flags name, if they name one.
pub fn measure(args: &Measuring) -> Result<Option<Measure>, Error> {
    let parameters = Parameters {
        power: args.power,
        gamma: args.gamma,
        degree: args.degree,
        coef0: args.coef0,
    };
    let measure = match (&args.metric, &args.kernel) {
        (None, None) => return Ok(None),
        // γ beside a metric is the heat kernel's.
        (Some(word), _) => Measure::metric(
            word,
            &Parameters {
                gamma: None,
                ..parameters
            },
        ),
        (None, Some(word)) => Measure::kernel(word, &parameters),
    };
    Ok(Some(measure.map_err(|e| Error::Usage(e.to_string()))?))
}

/// The method that is meant.
pub fn method(args: &Fit) -> Method {
    args.method.unwrap_or(match args.measuring.kernel {
        Some(_) => Method::KernelPca,
        None => Method::Cmds,
    })
}

/// The kind of proximities that is meant where the input is proximities.
pub fn kind(args: &Fit) -> Kind {
    match args.kind {
        Some(kind) => kind.into(),
        None if method(args) == Method::KernelPca => Kind::Similarity,
        None => Kind::Dissimilarity,
    }
}

fn unexpected(found: &str, expected: &str) -> Result<(), Error> {
    Err(Error::Usage(format!("found {found}, expected {expected}")))
}

/// Refuses parameters without the measure they belong to; `heat` says that γ may be the heat kernel's.
pub fn check_parameters(args: &Measuring, heat: bool) -> Result<(), Error> {
    let none = args.metric.is_none() && args.kernel.is_none();
    for (given, flag) in [
        (args.degree.is_some() && none, "--degree"),
        (args.coef0.is_some() && none, "--coef0"),
        (args.power.is_some() && none, "--power"),
        (
            args.gamma.is_some() && args.kernel.is_none() && !heat,
            "--gamma",
        ),
    ] {
        if given {
            return unexpected(
                &format!("{flag} alone"),
                "the measure that it is a parameter of too",
            );
        }
    }
    Ok(())
}

/// Refuses flags that do not go together.
pub fn check(args: &Fit, measure: Option<&Measure>) -> Result<(), Error> {
    let method = method(args);
    let (family, measuring) = (&args.family, &args.measuring);
    let graphs = matches!(method, Method::Isomap | Method::Laplacian);
    if measure.is_some() && args.kind.is_some() {
        return unexpected(
            "--kind beside a metric or kernel",
            "one of them: a measure says of what kind it is",
        );
    }
    check_parameters(measuring, method == Method::Laplacian)?;
    match (method, measure) {
        (Method::Pca, Some(measure)) if measure.word() != "euclidean" => unexpected(
            &format!("{} beside --method pca", measure.word()),
            "no measure: principal components are of Euclidean distances",
        ),
        (Method::KernelPca, Some(Measure::Metric(_))) => {
            unexpected("a metric beside --method kernel-pca", "a kernel")
        }
        (Method::KernelPca, None) if kind(args) != Kind::Similarity => {
            unexpected("dissimilarities for --method kernel-pca", "similarities")
        }
        _ => Ok(()),
    }?;
    if !matches!(method, Method::Cmds | Method::KernelPca) {
        for (given, flag) in [
            (args.origin.is_some(), "--origin"),
            (args.correction != args::Correction::None, "--correction"),
            (args.configuration.is_some(), "--configuration"),
        ] {
            if given {
                return unexpected(flag, "it with --method cmds or kernel-pca only");
            }
        }
    }
    if family.landmarks.is_some() && !matches!(method, Method::Landmark | Method::Isomap) {
        return unexpected("--landmarks", "it with --method landmark or isomap only");
    }
    if family.rotate && method != Method::Landmark && family.landmarks.is_none() {
        return unexpected("--rotate", "it with landmarks only");
    }
    let near = family.neighbors.is_some() || family.radius.is_some();
    if near && !graphs {
        return unexpected(
            "--neighbors or --radius",
            "it with --method isomap or laplacian only",
        );
    }
    if method == Method::Isomap && !near {
        return unexpected("--method isomap alone", "--neighbors K or --radius R too");
    }
    if family.disconnected.is_some() && !near {
        return unexpected("--disconnected", "it with --neighbors or --radius only");
    }
    let laplacian = family.affinity.is_some()
        || family.alpha.is_some()
        || family.time.is_some()
        || family.no_diagonal;
    if laplacian && method != Method::Laplacian {
        return unexpected(
            "--affinity, --alpha, --time or --no-diagonal",
            "it with --method laplacian only",
        );
    }
    Ok(())
}

/// Fits with the axes that were asked for; `auto` looks at the eigenvalues first.
pub fn with_axes(
    args: &Fit,
    objects: usize,
    words: &Words,
    mut fit: impl FnMut(usize) -> Result<Model, adjoin::error::Error>,
) -> Result<Model, adjoin::error::Error> {
    match args.dimensions {
        Some(Axes::Number(d)) => fit(d),
        Some(Axes::Auto) => {
            let model = dimension::auto(objects, fit, |m: &Model| m.diagram().summary())?;
            words.say(format_args!(
                "{} of the axes are kept, by the profile likelihood of the eigenvalues",
                model.diagram().dimensions()
            ));
            Ok(model)
        }
        None => fit(0),
    }
}

/// Which landmarks are asked for, `labels` being those of the objects to choose from.
pub fn landmarks(family: &Family, labels: &[String]) -> Result<Option<Landmarks>, Error> {
    let Some(given) = &family.landmarks else {
        return Ok(None);
    };
    let seed = family.seed.unwrap_or(0);
    if let Ok(count) = given.parse() {
        return Ok(Some(match family.choose {
            Some(Choose::Random) => Landmarks::Random { count, seed },
            _ => Landmarks::Maxmin { count, seed },
        }));
    }
    if family.choose.is_some() || family.seed.is_some() {
        return Err(Error::Usage(
            "found --choose or --seed beside a file of landmarks, expected a number of landmarks with them"
                .into(),
        ));
    }
    Ok(Some(Landmarks::Given(named(Path::new(given), labels)?)))
}

/// The places of the labels in a file, in its order.
pub fn named(file: &Path, labels: &[String]) -> Result<Vec<usize>, Error> {
    let places: std::collections::HashMap<&str, usize> =
        labels.iter().map(String::as_str).zip(0..).collect();
    let named = read_labels(file)?;
    let found = named.iter().map(|label| {
        places.get(label.as_str()).copied().ok_or_else(|| {
            Error::Request(format!(
                "{}: found the landmark {label:?}, expected labels of old objects",
                file.display()
            ))
        })
    });
    found.collect()
}

fn neighbourhood(family: &Family) -> Option<Neighbourhood> {
    match (family.neighbors, family.radius) {
        (Some(k), _) => Some(Neighbourhood::Nearest(k)),
        (None, Some(r)) => Some(Neighbourhood::Radius(r)),
        (None, None) => None,
    }
}

fn disconnected(family: &Family) -> graph::Disconnected {
    match family.disconnected {
        None | Some(Disconnected::Refuse) => graph::Disconnected::Refuse,
        Some(Disconnected::Largest) => graph::Disconnected::Largest,
        Some(Disconnected::Join) => graph::Disconnected::Join,
    }
}

/// Options of landmarks.
pub fn turned(family: &Family) -> landmark::Settings {
    landmark::Settings {
        rotate: family.rotate,
    }
}

/// Settings of Isomap. The neighbourhood is there: [`check`] has seen to it.
fn of_isomap(family: &Family, labels: &[String]) -> Result<isomap::Settings, Error> {
    let neighbourhood = neighbourhood(family).ok_or_else(|| {
        Error::Usage("found no neighbourhood, expected --neighbors or --radius".into())
    })?;
    Ok(isomap::Settings {
        neighbourhood,
        disconnected: disconnected(family),
        landmarks: landmarks(family, labels)?,
        landmark: turned(family),
    })
}

/// Settings of Laplacian eigenmaps; `width` is the number of features, if there are any.
fn of_laplacian(
    args: &Fit,
    kind: Kind,
    width: Option<usize>,
) -> Result<laplacian::Settings, Error> {
    let family = &args.family;
    let neighbourhood = neighbourhood(family);
    // γ beside --kernel is the kernel's own.
    let gamma = args
        .measuring
        .gamma
        .filter(|_| args.measuring.kernel.is_none());
    let heat = || {
        let gamma = gamma.or(width.map(|q| 1.0 / q.max(1) as f64));
        gamma
            .map(|gamma| laplacian::Affinity::Heat { gamma })
            .ok_or_else(|| {
                Error::Usage(
                    "found no --gamma, expected it for the heat kernel of proximities".into(),
                )
            })
    };
    let affinity = match family.affinity {
        Some(Affinity::Heat) => heat()?,
        Some(Affinity::Neighbours) => laplacian::Affinity::Neighbours,
        Some(Affinity::Given) => laplacian::Affinity::Given,
        None if kind == Kind::Similarity => laplacian::Affinity::Given,
        None if neighbourhood.is_some() && gamma.is_none() => laplacian::Affinity::Neighbours,
        None => heat()?,
    };
    Ok(laplacian::Settings {
        affinity,
        neighbourhood,
        disconnected: disconnected(family),
        alpha: family.alpha.unwrap_or(0.0),
        diagonal: !family.no_diagonal,
        scaling: match family.time {
            Some(time) => laplacian::Scaling::Walk { time },
            None => laplacian::Scaling::Kernel,
        },
    })
}

/// What is said beside the model.
fn said(fitted: isomap::Fitted, words: &Words) -> Model {
    if let Some(finding) = &fitted.finding {
        words.say(finding);
    }
    fitted.model
}

/// A model of features by the methods that do without the n × n proximities. `wrong` puts the file before an error.
pub fn of_features(
    args: &Fit,
    features: Features,
    measure: Option<Measure>,
    settings: &FitSettings<'_>,
    words: &Words,
    wrong: impl Fn(adjoin::error::Error) -> Error,
) -> Result<Model, Error> {
    let n = features.count();
    let at = |d: usize| FitSettings {
        dimensions: d,
        ..settings.clone()
    };
    match (method(args), measure) {
        (Method::Landmark, Some(measure)) => {
            let landmarks = landmarks(&args.family, features.labels())?.ok_or_else(|| {
                Error::Usage(
                    "found --method landmark alone, expected --landmarks N or FILE too".into(),
                )
            })?;
            let turned = turned(&args.family);
            with_axes(args, n, words, |d| {
                landmark::fit_features(&features, measure, &landmarks, &turned, &at(d))
            })
        }
        (Method::Isomap, Some(measure)) => {
            let isomap = of_isomap(&args.family, features.labels())?;
            let source = Measured::new(measure, features).map_err(&wrong)?;
            with_axes(args, n, words, |d| {
                isomap::fit_measured(source.clone(), &isomap, &at(d)).map(|f| said(f, words))
            })
        }
        (Method::Laplacian, Some(measure)) => {
            let laplacian = of_laplacian(args, measure.kind(), Some(features.width()))?;
            let source = Measured::new(measure, features).map_err(&wrong)?;
            with_axes(args, n, words, |d| {
                laplacian::fit_measured(source.clone(), &laplacian, &at(d)).map(|f| said(f, words))
            })
        }
        // Principal components.
        _ => with_axes(args, n, words, |d| pca::fit(features.clone(), &at(d))),
    }
    .map_err(wrong)
}

/// A model of a square of proximities through a graph or a normalised kernel.
pub fn of_square(
    args: &Fit,
    square: &dyn Rows,
    labels: &[String],
    settings: &FitSettings<'_>,
    words: &Words,
    wrong: impl Fn(adjoin::error::Error) -> Error,
) -> Result<Model, Error> {
    let (n, kind) = (labels.len(), kind(args));
    let names = || Some(labels.to_vec());
    let at = |d: usize| FitSettings {
        dimensions: d,
        ..settings.clone()
    };
    if method(args) == Method::Isomap {
        let isomap = of_isomap(&args.family, labels)?;
        return with_axes(args, n, words, |d| {
            isomap::fit(square, kind, names(), &isomap, &at(d)).map(|f| said(f, words))
        })
        .map_err(wrong);
    }
    let laplacian = of_laplacian(args, kind, None)?;
    with_axes(args, n, words, |d| {
        laplacian::fit(square, kind, names(), &laplacian, &at(d)).map(|f| said(f, words))
    })
    .map_err(wrong)
}
