//! `adjoin fit`: proximities of the old objects → map.

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::centring::Origin;
use adjoin::diagram::{Diagram, FitSettings};
use adjoin::proximity::{self, Proximities};
use adjoin::spectrum;
use adjoin_formats::{
    Map, Matrix, ReadOptions, read_configuration, read_numbers, square, write_map,
};
use faer::{Mat, MatRef};
use serde_json::json;

use crate::args::{Common, Correction, Fit, Kind, Solver};
use crate::error::{Error, at};
use crate::input;
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
    let matrix = square(input::proximities(old, &options)?)?;
    if !matrix.labelled {
        words.say(format_args!(
            "{}: no labels, so objects are numbered",
            matrix.source
        ));
    }
    let map = fit(args, &matrix, common, words)?;
    words.done();
    write_map(&map, &args.output)?;
    report(&map, &args.output, common, words)
}

/// Fits the map to a square of proximities.
pub fn fit(args: &Fit, matrix: &Matrix, common: &Common, words: &Words) -> Result<Map, Error> {
    let (source, lines) = (&matrix.source, &matrix.lines);
    let n = matrix.rows.len();
    if args.kind == Kind::Similarity && matrix.diagonal_absent {
        return Err(Error::Request(format!(
            "{source}: found no diagonal, expected each object's similarity to itself"
        )));
    }
    let entries = MatRef::from_row_major_slice(&matrix.values, n, n);
    let proximities = Proximities::new(
        entries,
        args.kind.into(),
        Some(matrix.rows.clone()),
        common.threads,
    )
    .map_err(at(source, lines))?;
    for finding in proximities.findings() {
        words.say(format_args!("{source}: {finding}"));
    }
    let watch = |p| words.progress(p);
    let settings = FitSettings {
        dimensions: args.dimensions.unwrap_or(0),
        origin: origin(args, &matrix.rows)?,
        solver: match args.solver {
            Solver::Auto => spectrum::Solver::Auto,
            Solver::Dense => spectrum::Solver::Dense,
            Solver::Iterative => spectrum::Solver::Iterative,
        },
        correction: correction(args, &proximities, common, words).map_err(at(source, lines))?,
        threads: common.threads,
        watch: Some(&watch),
    };
    let diagram = match &args.configuration {
        None => Diagram::fit(&proximities, &settings).map_err(at(source, lines))?,
        Some(file) => {
            let coordinates = configuration(args, file, &matrix.rows)?;
            let name = file.display().to_string();
            Diagram::given(&proximities, coordinates.as_ref(), &settings).map_err(at(&name, &[]))?
        }
    };
    Ok(Map {
        diagram,
        settings: settings_in_words(args),
        provenance: matrix.provenance.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
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
    common: &Common,
    words: &Words,
) -> Result<proximity::Correction, adjoin::error::Error> {
    let lingoes = match args.correction {
        Correction::None => return Ok(proximity::Correction::None),
        _ => adjoin::correction::fit_lingoes(proximities, common.threads),
    };
    // Lingoes' constant is the modulus of the lowest eigenvalue.
    if let proximity::Correction::Lingoes(c) = lingoes {
        words.say(format_args!(
            "the lowest eigenvalue before the correction: {}",
            -c
        ));
    }
    let answer = match args.correction {
        Correction::Cailliez => adjoin::correction::fit_cailliez(proximities, common.threads)?,
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
    let wanted = args.dimensions.unwrap_or(d);
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
    let mut settings = BTreeMap::new();
    if let Some(d) = args.dimensions {
        settings.insert("dimensions".into(), d.to_string());
    }
    if let Some(origin) = &args.origin {
        settings.insert("origin".into(), origin.clone());
    }
    if let Some(file) = &args.configuration {
        settings.insert("configuration".into(), file.display().to_string());
    }
    settings
}

/// What was fitted, in a few lines or as JSON.
fn report(map: &Map, output: &Path, common: &Common, words: &Words) -> Result<(), Error> {
    let diagram = &map.diagram;
    let summary = diagram.summary();
    if common.json {
        let record = json!({
            "map": output.display().to_string(),
            "n": diagram.count(),
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
        "{}: {} objects on {} {}, {percent:.1} % of the {}",
        output.display(),
        diagram.count(),
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
