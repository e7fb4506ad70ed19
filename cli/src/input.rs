//! What commands read: maps, and newcomers with all that comes beside them.

use std::path::Path;

use adjoin::measure::Measure;
use adjoin::{About, Between, Map, Run};
use adjoin_formats::{
    Arrivals, Configuration, FeatureTable, MapFile, Matrix, ReadOptions, SelfSimilarity, is_map,
    open_rows, read, read_configuration, read_features, read_map, read_numbers, read_texts,
};

use crate::args::{Common, New};
use crate::error::Error;
use crate::words::Words;

/// Reads proximities; a map in their place is told apart from a damaged file.
pub fn proximities(path: &Path, options: &ReadOptions, words: &Words) -> Result<Matrix, Error> {
    if is_map(path) {
        return Err(Error::Request(format!(
            "{}: found a map, expected proximities",
            path.display()
        )));
    }
    let matrix = read(path, options)?;
    words.found(&matrix);
    for remark in &matrix.remarks {
        words.say(format_args!("{}: {remark}", matrix.source));
    }
    Ok(matrix)
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

/// Reads the map and its newcomers. `between` is a file of proximities between the newcomers.
pub fn on_map(
    args: &New,
    between: Option<&Path>,
    common: &Common,
    words: &Words,
) -> Result<(MapFile, Arrivals), Error> {
    let file = read_map(&args.map)?;
    let (map, telling) = (&file.map, &args.telling);
    let mut options = telling.reading.options(common);
    // What was done to the old proximities is done to the new ones.
    let transform = file.transform()?;
    options.adapt.transform = transform;
    let source = map.source().filter(|_| !telling.proximities);
    if source.is_none() && (telling.fill.is_some() || telling.ignore_new_features) {
        return Err(Error::Usage(
            "found --fill or --ignore-new-features beside proximities, expected them beside features".into(),
        ));
    }
    let mut arrivals = if let Some(source) = source {
        if telling.itself.is_some() {
            return Err(Error::Usage(
                "found --self beside features, expected it with --proximities only: features tell how \
                 similar a newcomer is to itself"
                    .into(),
            ));
        }
        options.adapt.transform = None;
        let table = features(&args.new, Some(source.measure()), &options, words)?;
        let table = table.fitted_to(
            source.features().names(),
            telling.fill,
            telling.ignore_new_features,
        )?;
        Arrivals::of_features(table, map)?
    } else if let Some(arrivals) = array(args, map, &options, common)? {
        arrivals
    } else {
        let matrix = proximities(&args.new, &options, words)?;
        let run = Run::on(common.threads);
        if telling.partial {
            Arrivals::of_part(matrix, map, run)?
        } else {
            Arrivals::of_matrix(matrix, map, run)?
        }
    };
    if arrivals.by_position {
        let (none, columns) = match source {
            Some(_) => ("names", "features"),
            None => ("labels", "objects"),
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
        arrivals.set_self_similarity(&itself(given)?)?;
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
    Ok((file, arrivals))
}

/// One number for all, or a file of them.
pub fn itself(given: &str) -> Result<SelfSimilarity, Error> {
    Ok(match given.parse() {
        Ok(number) => SelfSimilarity::All(number),
        Err(_) => SelfSimilarity::Each(read_numbers(Path::new(given))?),
    })
}

/// Bytes below which a square on disk is read whole: it may say what is between the newcomers.
const SMALL_SQUARE: usize = 1 << 28;

/// An array with a column for each of the map's references, in their order, or a large labelled square: both stay on
/// disk. Others are read whole, which tells what they are.
fn array(
    args: &New,
    map: &Map,
    options: &ReadOptions,
    common: &Common,
) -> Result<Option<Arrivals>, Error> {
    let Some(array) = open_rows(&args.new, options)? else {
        return Ok(None);
    };
    let (k, m) = array.blocks.shape();
    let labelled = array.labels.is_some() && k == m;
    let stays = if labelled {
        k.saturating_mul(m) > SMALL_SQUARE / 8
    } else {
        m == map.references().len()
    };
    if !stays {
        return Ok(None);
    }
    let run = Run::on(common.threads);
    Ok(Some(Arrivals::of_disk(array, map, run)?))
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
