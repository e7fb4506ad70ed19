//! What commands read: maps, and newcomers with all that comes beside them.

use std::path::Path;

use adjoin::measure::Measure;
use adjoin::{About, Between, Map, Run, Uncertainty};
use adjoin_formats::{
    Arrivals, Configuration, FeatureTable, MapFile, Matrix, OnDisk, Opened, Provenance,
    ReadOptions, SelfSimilarity, choose_generation, generation_on_disk, is_map, old_square,
    open_or_read, read, read_configuration, read_features, read_map, read_numbers, read_texts,
};
use faer::Mat;

use crate::args::{Certainty, Common, New, Varied};
use crate::error::{Error, at};
use crate::words::Words;

/// Reads proximities; a map in their place is told apart from a damaged file.
pub fn proximities(path: &Path, options: &ReadOptions, words: &Words) -> Result<Matrix, Error> {
    no_map(path)?;
    let matrix = read(path, options)?;
    say_found(&matrix, words);
    Ok(matrix)
}

fn no_map(path: &Path) -> Result<(), Error> {
    if is_map(path) {
        return Err(Error::Request(format!(
            "{}: found a map, expected proximities",
            path.display()
        )));
    }
    Ok(())
}

/// Says what a file was found to be.
fn say_found(matrix: &Matrix, words: &Words) {
    words.found(matrix);
    for remark in &matrix.remarks {
        words.say(format_args!("{}: {remark}", matrix.source));
    }
}

/// What is said of a transformation beside features.
pub const TRANSFORMED_FEATURES: &str =
    "found --transform beside features, expected it beside proximities";

/// Reads features as the measure wants them: numbers, or texts.
pub fn features(
    path: &Path,
    measure: Option<&Measure>,
    options: &ReadOptions,
    words: &Words,
) -> Result<FeatureTable, Error> {
    let table = if measure.is_some_and(Measure::of_texts) {
        read_texts(path, options)?
    } else {
        read_features(path, options)?
    };
    for remark in &table.remarks {
        words.say(format_args!("{}: {remark}", table.source));
    }
    Ok(table)
}

/// Reads the map and its newcomers. `between` is a file of proximities between the newcomers. A map that has grown is as it
/// was when those came whom NEW has columns for.
pub fn on_map(
    args: &New,
    between: Option<&Path>,
    common: &Common,
    words: &Words,
) -> Result<(MapFile, Arrivals), Error> {
    let arrived = arrived(args, between, false, common, words)?;
    Ok((arrived.file, arrived.arrivals))
}

/// Newcomers, and the map that they are placed on.
pub struct Arrived {
    /// The map as it was at the generation that they are for.
    pub file: MapFile,
    /// The map as it is, if that is a later one.
    pub newest: Option<Map>,
    /// That generation.
    pub generation: usize,
    /// The newcomers.
    pub arrivals: Arrivals,
    /// Name, size and digest of NEW, if they were asked for.
    pub provenance: Option<Provenance>,
}

/// The same with all that growing asks for; `digest` says whether the newcomers' file is to be known again.
pub fn arrived(
    args: &New,
    between: Option<&Path>,
    digest: bool,
    common: &Common,
    words: &Words,
) -> Result<Arrived, Error> {
    let mut file = read_map(&args.map)?;
    let telling = &args.telling;
    let mut options = ReadOptions {
        digest,
        ..telling.reading.options(common)
    };
    // What was done to the old proximities is done to the new ones.
    let transform = file.transform()?;
    options.adapt.transform = transform;
    let by_features = file.map.source().is_some() && !telling.proximities;
    if !by_features && (telling.fill.is_some() || telling.ignore_new_features) {
        return Err(Error::Usage(
            "found --fill or --ignore-new-features beside proximities, expected them beside features".into(),
        ));
    }
    let last = file.map.generations().len();
    let asked = telling.generation;
    if let Some(asked) = asked {
        // Whatever NEW is, there must be such a generation.
        let then = file.map.generation(asked);
        then.map_err(|e| Error::Request(format!("{}: {e}", args.map.display())))?;
    }
    let mut newest = None;
    let mut put_back = |file: &mut MapFile, generation: usize| -> Result<(), Error> {
        if generation < last {
            let then = file.map.generation(generation);
            let then = then.map_err(|e| Error::Request(format!("{}: {e}", args.map.display())))?;
            newest = Some(std::mem::replace(&mut file.map, then));
        }
        Ok(())
    };
    let provenance_of;
    let run = Run::on(common.threads);
    let (generation, mut arrivals) = if by_features {
        let generation = asked.unwrap_or(last);
        put_back(&mut file, generation)?;
        let arrivals;
        (arrivals, provenance_of) = of_features(args, &file.map, options.clone(), words)?;
        (generation, arrivals)
    } else {
        no_map(&args.new)?;
        // Which columns are absent, a table that is read whole tells.
        let suits = |array: &OnDisk| match array.columns {
            Some(_) if telling.partial => None,
            _ => generation_on_disk(array, &file.map, asked),
        };
        match open_or_read(&args.new, &options, suits)? {
            Opened::Rows {
                array,
                suited: generation,
                provenance,
            } => {
                let (k, m) = array.blocks.shape();
                words.detail(format_args!(
                    "{}: {k} × {m}, read row by row",
                    array.blocks.source()
                ));
                provenance_of = provenance;
                put_back(&mut file, generation)?;
                (generation, Arrivals::of_disk(array, &file.map, run)?)
            }
            Opened::Whole(matrix) => {
                let mut matrix = *matrix;
                say_found(&matrix, words);
                provenance_of = matrix.provenance.take();
                let generation = choose_generation(&mut matrix, &file.map, asked)?;
                put_back(&mut file, generation)?;
                let arrivals = if telling.partial {
                    Arrivals::of_part(matrix, &file.map, run)?
                } else {
                    Arrivals::of_matrix(matrix, &file.map, run)?
                };
                (generation, arrivals)
            }
        }
    };
    let map = &file.map;
    // Growing says it of the map that it makes.
    if generation < last && asked.is_none() && !digest {
        words.say(format_args!(
            "{}: columns for {}, so they are placed on the map as it was then (generation {generation} of {last})",
            arrivals.source,
            match generation {
                0 => format!("the {} founders only", map.founders()),
                _ => format!("the first {} of {} objects only", map.labels().len(), newest.as_ref().map_or(0, |m| m.labels().len())),
            }
        ));
    }
    if arrivals.by_position {
        let (none, columns) = if by_features {
            ("names", "features")
        } else {
            ("labels", "objects")
        };
        words.say(format_args!(
            "{}: no {none}, so its columns are taken as the map's {columns} in the map's order",
            arrivals.source
        ));
    }
    if let Some(file) = between {
        arrivals.set_between(proximities(file, &options, words)?, map)?;
    }
    if let Some(given) = &telling.itself {
        if transform.is_some() {
            return Err(Error::Usage(
                "found --self on a map with a --transform, expected a square NEW, whose diagonal goes through it too"
                    .into(),
            ));
        }
        arrivals.set_self_similarity(&itself(given)?, map)?;
    } else if let Some(value) = arrivals.adopt_self_similarity(map) {
        words.say(format_args!(
            "{}: no similarities of newcomers to themselves, so they are taken to be {value}, as all old objects' are \
             (--self says otherwise)",
            arrivals.source
        ));
    }
    if let Some(file) = &telling.weights {
        arrivals.set_weights(&read_numbers(file)?, map)?;
    }
    Ok(Arrived {
        file,
        newest,
        generation,
        arrivals,
        provenance: provenance_of,
    })
}

/// Newcomers by features.
fn of_features(
    args: &New,
    map: &Map,
    mut options: ReadOptions,
    words: &Words,
) -> Result<(Arrivals, Option<Provenance>), Error> {
    let telling = &args.telling;
    if telling.itself.is_some() {
        return Err(Error::Usage(
            "found --self beside features, expected it with --proximities only: features tell how \
             similar a newcomer is to itself"
                .into(),
        ));
    }
    options.adapt.transform = None;
    let measure = map.source().map(|source| source.measure());
    let mut table = features(&args.new, measure, &options, words)?;
    let provenance = table.provenance.take();
    let names = map.source().map_or(&[][..], |s| s.features().names());
    let table = table.fitted_to(names, telling.fill, telling.ignore_new_features)?;
    Ok((Arrivals::of_features(table, map)?, provenance))
}

/// The old objects' proximities that refits need, if it is asked for them: from a file, or made from the features that the map keeps.
pub fn old(
    certainty: &Certainty,
    file: &MapFile,
    options: &ReadOptions,
    run: Run<'_>,
    words: &Words,
) -> Result<Option<Mat<f64>>, Error> {
    if certainty.uncertainty != Some(Varied::Refit) {
        return Ok(None);
    }
    if let Some(path) = &certainty.old {
        let mut options = options.clone();
        options.adapt.transform = file.transform()?;
        let matrix = proximities(path, &options, words)?;
        return Ok(Some(old_square(matrix, &file.map)?));
    }
    let made = file.map.old_of_features(run);
    match made.map_err(|e| Error::Request(e.to_string()))? {
        Some(made) => Ok(Some(made)),
        None => Err(Error::Usage(
            "found --uncertainty=refit without --old, expected --old OLD, the proximities between the old objects: the map does not \
             have them"
                .into(),
        )),
    }
}

/// How certain places are to be told, in the core's words; `old` is what [`old`] found.
pub fn uncertainty<'a>(
    certainty: &Certainty,
    old: Option<&'a Mat<f64>>,
) -> Option<Uncertainty<'a>> {
    let refit = old.map(|old| Uncertainty::Refit(old.as_ref()));
    certainty
        .uncertainty
        .map(|_| refit.unwrap_or(Uncertainty::Axes))
}

/// Puts the file at fault before what the core says of newcomers and, with refits, of the old objects beside them.
pub fn wrong_beside<'a>(
    arrivals: &'a Arrivals,
    certainty: &'a Certainty,
) -> impl Fn(adjoin::Error) -> Error + 'a {
    |error| match (error.about(), &certainty.old) {
        (About::Old, Some(old)) => at(&old.display().to_string(), &[])(error),
        (About::Uncertainty, _) => Error::Request(error.to_string()),
        _ => wrong(arrivals)(error),
    }
}

/// One number for all, or a file of them.
pub fn itself(given: &str) -> Result<SelfSimilarity, Error> {
    Ok(match given.parse() {
        Ok(number) => SelfSimilarity::All(number),
        Err(_) => SelfSimilarity::Each(read_numbers(Path::new(given))?),
    })
}

/// Reads a configuration and newcomers against its objects, for stress.
pub fn on_configuration(
    args: &New,
    common: &Common,
    words: &Words,
) -> Result<(Configuration, Arrivals), Error> {
    let given = read_configuration(&args.map)?;
    let matrix = proximities(&args.new, &args.telling.reading.options(common), words)?;
    let mut arrivals = Arrivals::on_labels(matrix, &given.labels, args.telling.partial)?;
    if let Some(file) = &args.telling.weights {
        arrivals.set_weights_of(&read_numbers(file)?, &given.labels)?;
    }
    Ok((given, arrivals))
}

/// Says what nobody but the user can know of coordinates that are not a map.
pub fn say_unit(given: &Configuration, arrivals: &Arrivals, words: &Words) {
    words.say(format_args!(
        "{}: coordinates alone do not tell their unit; the dissimilarities of {} must be in the same",
        given.source, arrivals.source
    ));
}

/// What is between the newcomers: what a file has, or what follows from themselves.
pub fn between(arrivals: &Arrivals) -> Between<'_> {
    arrivals.between().unwrap_or(Between::Made)
}

/// Puts the newcomers' file and line before what the core says.
pub fn wrong(arrivals: &Arrivals) -> impl Fn(adjoin::Error) -> Error {
    |error| match error {
        adjoin::Error::NotOffered {
            about: About::Between,
            ..
        } => Error::Request(format!(
            "{}: found nothing between the newcomers, expected columns for them too, a square over old and new \
             objects, or --between FILE",
            arrivals.source
        )),
        error => arrivals.wrong(error).into(),
    }
}
