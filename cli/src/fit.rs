//! `adjoin fit`: proximities of the old objects, or their features → map.

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::centring::Origin;
use adjoin::diagram::{Diagram, FitSettings};
use adjoin::measure::{Measure, Measured};
use adjoin::model::Model;
use adjoin::proximity::{self, Proximities};
use adjoin::spectrum;
use adjoin_formats::{
    Map, Matrix, Provenance, ReadOptions, read_configuration, read_features, read_numbers,
    read_texts, square, write_map,
};
use faer::{Mat, MatRef};
use serde_json::json;

use crate::args::{Axes, Common, Correction, Fit, Method, Solver};
use crate::error::{Error, at};
use crate::family::{self, with_axes};
use crate::input;
use crate::rectangle;
use crate::table;
use crate::words::Words;

pub fn run(args: &Fit, common: &Common, words: &Words) -> Result<(), Error> {
    let options = ReadOptions {
        digest: true,
        ..input::options(&args.reading, common)
    };
    let Some(old) = &args.old else {
        return Err(Error::Request(
            "found a configuration without the proximities it came from, expected those too: newcomers \
             are placed by the row means of the squared dissimilarities, which the configuration alone \
             does not tell (`add --strategy stress` does without)"
                .into(),
        ));
    };
    let measure = family::measure(&args.measuring)?;
    family::check(args, measure.as_ref())?;
    let watch = |p| words.progress(p);
    let settings = FitSettings {
        solver: match args.solver {
            Solver::Auto => spectrum::Solver::Auto,
            Solver::Dense => spectrum::Solver::Dense,
            Solver::Iterative => spectrum::Solver::Iterative,
        },
        threads: common.threads,
        watch: Some(&watch),
        ..Default::default()
    };
    let method = family::method(args);
    let (model, provenance) = if measure.is_some() || method == Method::Pca {
        of_features(args, old, measure, &options, &settings, words)?
    } else if method == Method::Landmark {
        rectangle::fit(args, old, &options, &settings, words)?
    } else {
        let matrix = square(input::proximities(old, &options)?)?;
        if !matrix.labelled {
            numbered(&matrix.source, words);
        }
        (
            fit(args, &matrix, &settings, words)?,
            matrix.provenance.clone(),
        )
    };
    words.done();
    let map = Map {
        model,
        settings: settings_in_words(args),
        provenance,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_map(&map, &args.output)?;
    report(&map, &args.output, common, words)
}

fn numbered(source: &str, words: &Words) {
    words.say(format_args!("{source}: no labels, so objects are numbered"));
}

/// Reads features and fits a model to them.
fn of_features(
    args: &Fit,
    old: &Path,
    measure: Option<Measure>,
    options: &ReadOptions,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<(Model, Option<Provenance>), Error> {
    let table = match measure {
        Some(measure) if measure.of_texts() => read_texts(old, options)?,
        _ => read_features(old, options)?,
    };
    if !table.labelled {
        numbered(&table.source, words);
    }
    let (source, lines) = (&table.source, &table.lines);
    let provenance = table.provenance;
    let method = family::method(args);
    let model = match (method, measure) {
        // With the proximities in hand there are origins, corrections and given configurations too.
        (Method::Cmds | Method::KernelPca, Some(measure)) => {
            let wrong = at(source, lines);
            let measured = Measured::new(measure, table.features).map_err(&wrong)?;
            let labels = measured.features().labels().to_vec();
            let matrix = Matrix {
                values: measured
                    .square(settings.threads, settings.watch)
                    .map_err(&wrong)?,
                rows: labels.clone(),
                columns: labels,
                lines: lines.clone(),
                source: source.clone(),
                ..Default::default()
            };
            let model = of_square(args, &matrix, measure.kind(), settings, words)?;
            model.with_source(measured).map_err(wrong)?
        }
        _ => family::of_features(
            args,
            table.features,
            measure,
            settings,
            words,
            at(source, lines),
        )?,
    };
    Ok((model, provenance))
}

/// Fits a model to a square of proximities.
pub fn fit(
    args: &Fit,
    matrix: &Matrix,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<Model, Error> {
    let (source, lines) = (&matrix.source, &matrix.lines);
    let kind = family::kind(args);
    if kind == proximity::Kind::Similarity && matrix.diagonal_absent {
        return Err(Error::Request(format!(
            "{source}: found no diagonal, expected each object's similarity to itself"
        )));
    }
    match family::method(args) {
        Method::Isomap | Method::Laplacian => {
            let n = matrix.rows.len();
            let entries = MatRef::from_row_major_slice(&matrix.values, n, n);
            // Looked over as a whole: symmetric, and of the kind that was said.
            let labels = Some(matrix.rows.clone());
            Proximities::new(entries, kind, labels, settings.threads).map_err(at(source, lines))?;
            let wrong = at(source, lines);
            family::of_square(args, &entries, &matrix.rows, settings, words, wrong)
        }
        _ => {
            let mut parts = of_square(args, matrix, kind, settings, words)?.into_parts();
            if args.method == Some(Method::KernelPca) {
                parts.method = adjoin::model::Method::KernelPca;
            }
            Model::from_parts(parts).map_err(at(source, lines))
        }
    }
}

/// Classical scaling of a square of proximities.
fn of_square(
    args: &Fit,
    matrix: &Matrix,
    kind: proximity::Kind,
    settings: &FitSettings<'_>,
    words: &Words,
) -> Result<Model, Error> {
    let (source, lines) = (&matrix.source, &matrix.lines);
    let n = matrix.rows.len();
    let entries = MatRef::from_row_major_slice(&matrix.values, n, n);
    let proximities = Proximities::new(entries, kind, Some(matrix.rows.clone()), settings.threads)
        .map_err(at(source, lines))?;
    for finding in proximities.findings() {
        words.say(format_args!("{source}: {finding}"));
    }
    let settings = FitSettings {
        origin: origin(args, &matrix.rows)?,
        correction: correction(args, &proximities, settings.threads, words)
            .map_err(at(source, lines))?,
        ..settings.clone()
    };
    match &args.configuration {
        None => with_axes(args, n, words, |d| {
            let settings = FitSettings {
                dimensions: d,
                ..settings.clone()
            };
            Diagram::fit(&proximities, &settings).map(Model::from)
        })
        .map_err(at(source, lines)),
        Some(file) => {
            let coordinates = configuration(args, file, &matrix.rows)?;
            let name = file.display().to_string();
            Diagram::given(&proximities, coordinates.as_ref(), &settings)
                .map(Model::from)
                .map_err(at(&name, &[]))
        }
    }
}

/// The origin: a label, or else a file of weights.
fn origin(args: &Fit, labels: &[String]) -> Result<Origin, Error> {
    let Some(word) = &args.origin else {
        return Ok(Origin::Centroid);
    };
    if let Some(index) = labels.iter().position(|l| l == word) {
        return Ok(Origin::Object(index));
    }
    if Path::new(word).exists() {
        return Ok(Origin::Weights(
            read_numbers(Path::new(word))?.in_order(labels)?,
        ));
    }
    Err(Error::Request(format!(
        "found neither an object nor a file called {word:?}, expected one for --origin"
    )))
}

fn correction(
    args: &Fit,
    proximities: &Proximities<'_>,
    threads: usize,
    words: &Words,
) -> Result<proximity::Correction, adjoin::error::Error> {
    let lingoes = match args.correction {
        Correction::None => return Ok(proximity::Correction::None),
        _ => adjoin::correction::fit_lingoes(proximities, threads),
    };
    // Lingoes' constant is the modulus of the lowest eigenvalue.
    if let proximity::Correction::Lingoes(c) = lingoes {
        words.say(format_args!(
            "the lowest eigenvalue before the correction: {}",
            -c
        ));
    }
    let answer = match args.correction {
        Correction::Cailliez => adjoin::correction::fit_cailliez(proximities, threads)?,
        _ => lingoes,
    };
    if let proximity::Correction::Cailliez(c) = answer {
        words.say(format_args!("Cailliez' constant: {c}"));
    }
    Ok(answer)
}

/// A given configuration in the order of the proximities, all of its axes or the first -d.
fn configuration(args: &Fit, file: &Path, labels: &[String]) -> Result<Mat<f64>, Error> {
    let given = read_configuration(file)?;
    let (n, d) = (given.labels.len(), given.dimensions);
    let wanted = match args.dimensions {
        Some(Axes::Number(wanted)) => wanted,
        Some(Axes::Auto) => {
            return Err(Error::Usage(
                "found -d auto beside a configuration, expected a number of its axes, or none for all"
                    .into(),
            ));
        }
        None => d,
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
        let places: std::collections::HashMap<&str, usize> =
            given.labels.iter().map(String::as_str).zip(0..).collect();
        for (i, label) in labels.iter().enumerate() {
            order[i] = *places.get(label.as_str()).ok_or_else(|| {
                Error::Request(format!(
                    "{}: found no coordinates for {label:?}, expected them for every old object",
                    given.source
                ))
            })?;
        }
    }
    Ok(Mat::from_fn(n, wanted, |i, j| {
        given.coordinates[order[i] * d + j]
    }))
}

fn settings_in_words(args: &Fit) -> BTreeMap<String, String> {
    let (measuring, family) = (&args.measuring, &args.family);
    let number = |value: Option<f64>| value.map(|v| v.to_string());
    let word = |value: Option<&dyn std::fmt::Debug>| value.map(|v| format!("{v:?}").to_lowercase());
    let given = [
        (
            "dimensions",
            args.dimensions.map(|d| match d {
                Axes::Number(d) => d.to_string(),
                Axes::Auto => "auto".into(),
            }),
        ),
        ("origin", args.origin.clone()),
        (
            "configuration",
            args.configuration.as_ref().map(|f| f.display().to_string()),
        ),
        ("metric", measuring.metric.clone()),
        ("kernel", measuring.kernel.clone()),
        ("gamma", number(measuring.gamma)),
        ("degree", number(measuring.degree)),
        ("coef0", number(measuring.coef0)),
        ("power", number(measuring.power)),
        ("landmarks", family.landmarks.clone()),
        ("choose", word(family.choose.as_ref().map(|c| c as _))),
        ("seed", family.seed.map(|s| s.to_string())),
        ("rotate", family.rotate.then(|| "true".into())),
        ("neighbors", family.neighbors.map(|k| k.to_string())),
        ("radius", number(family.radius)),
        (
            "disconnected",
            word(family.disconnected.as_ref().map(|d| d as _)),
        ),
        ("affinity", word(family.affinity.as_ref().map(|a| a as _))),
        ("alpha", number(family.alpha)),
        ("time", number(family.time)),
        ("no-diagonal", family.no_diagonal.then(|| "true".into())),
    ];
    given
        .into_iter()
        .filter_map(|(name, value)| value.map(|v| (name.to_owned(), v)))
        .collect()
}

/// What was fitted, in a few lines or as JSON.
fn report(map: &Map, output: &Path, common: &Common, words: &Words) -> Result<(), Error> {
    let diagram = map.model.diagram();
    let summary = diagram.summary();
    let n = map.model.labels().len();
    if common.json {
        let record = json!({
            "map": output.display().to_string(),
            "method": map.model.method().word(),
            "measure": map.model.source().map(|s| s.measure().word()),
            "n": n,
            "d": diagram.dimensions(),
            "kind": diagram.kind().word(),
            "eigenvalues": diagram.eigenvalues(),
            "explained": table::proportions(diagram),
            "residuals": summary.residuals,
            "passes": summary.passes,
            "findings": summary.findings,
        });
        return table::print(format!("{record:#}\n").as_bytes());
    }
    let percent: f64 = table::proportions(diagram).iter().sum::<f64>() * 100.0;
    words.say(format_args!(
        "{}: {n} objects on {} {}, {percent:.1} % of the {}",
        output.display(),
        diagram.dimensions(),
        if diagram.dimensions() == 1 {
            "axis"
        } else {
            "axes"
        },
        if summary.complete {
            "positive eigenvalues"
        } else {
            "trace"
        },
    ));
    if let [.., lowest] = summary.negative() {
        words.say(format_args!(
            "negative eigenvalues: {}, the lowest {:.1} % of the first in modulus; the {} are not Euclidean",
            summary.negative().len(),
            100.0 * lowest.abs() / diagram.eigenvalues()[0],
            match diagram.kind() {
                proximity::Kind::Similarity => "similarities",
                _ => "dissimilarities",
            }
        ));
    }
    let worst = summary.residuals.iter().fold(0.0, |m: f64, v| m.max(*v));
    words.detail(format_args!(
        "{} passes over the data; eigenpairs exact to {worst:.1e} of the norm",
        summary.passes
    ));
    Ok(())
}
