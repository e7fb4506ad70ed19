//! What commands read: maps, and newcomers with all that comes beside them.

use std::path::Path;

use adjoin::measure::Measure;
use adjoin::{About, Between, Map, Run};
use adjoin_formats::{
    Arrivals, Configuration, FeatureTable, Format, MapFile, Matrix, NpyBlocks, ReadOptions,
    SelfSimilarity, is_map, read, read_configuration, read_features, read_labels, read_map,
    read_numbers, read_texts,
};

use crate::args::{Common, New};
use crate::error::Error;
use crate::words::Words;

/// Reads proximities; a map in their place is told apart from a damaged file.
pub fn proximities(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    if is_map(path) {
        return Err(Error::Request(format!(
            "{}: found a map, expected proximities",
            path.display()
        )));
    }
    Ok(read(path, options)?)
}

/// Reads features as the measure wants them: numbers, or texts.
pub fn features(
    path: &Path,
    measure: Option<&Measure>,
    options: &ReadOptions,
) -> Result<FeatureTable, Error> {
    Ok(if measure.is_some_and(Measure::of_texts) {
        read_texts(path, options)?
    } else {
        read_features(path, options)?
    })
}

/// Whether a file is an array, which need not be held in memory.
pub fn is_array(path: &Path, format: Option<Format>) -> bool {
    let named = |path: &Path| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("npy"))
    };
    format.map_or_else(|| named(path), |f| f == Format::Npy)
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
    let options = telling.reading.options(common);
    let source = map.source().filter(|_| !telling.proximities);
    let mut arrivals = if let Some(source) = source {
        if telling.itself.is_some() {
            return Err(Error::Usage(
                "found --self beside features, expected it with --proximities only: features tell how \
                 similar a newcomer is to itself"
                    .into(),
            ));
        }
        let table = features(&args.new, Some(source.measure()), &options)?;
        Arrivals::of_features(table, map)?
    } else if let Some(arrivals) = array(args, map)? {
        arrivals
    } else {
        let matrix = proximities(&args.new, &options)?;
        words.found(&matrix);
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
        arrivals.set_between(proximities(file, &options)?, map)?;
    }
    if let Some(given) = &telling.itself {
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

/// An array with a column for each of the map's references, in their order; others are read whole, which tells what
/// they are.
fn array(args: &New, map: &Map) -> Result<Option<Arrivals>, Error> {
    let reading = &args.telling.reading;
    if !is_array(&args.new, reading.format) {
        return Ok(None);
    }
    let blocks = NpyBlocks::open(&args.new)?;
    if blocks.shape().1 != map.references().len() {
        return Ok(None);
    }
    let labels = reading.labels.as_deref().map(read_labels).transpose()?;
    Ok(Some(Arrivals::of_array(blocks, labels, map)?))
}

/// Reads a configuration and newcomers against its objects, for stress.
pub fn on_configuration(
    args: &New,
    common: &Common,
    words: &Words,
) -> Result<(Configuration, Arrivals), Error> {
    let given = read_configuration(&args.map)?;
    let matrix = proximities(&args.new, &args.telling.reading.options(common))?;
    words.found(&matrix);
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
