//! `adjoin evaluate`: which strategy predicts better on these data, by refitted folds.

use adjoin::measure::Measured;
use adjoin::{About, EvaluateSettings, Evaluation, Kind, MEASURES, Map, Run};
use adjoin_formats::{Adapt, Column, Frame, MapFile, ReadOptions, match_old, read_map};
use faer::{Mat, MatRef};

use crate::args::{Common, Evaluate};
use crate::error::{Error, at};
use crate::input;
use crate::table;
use crate::words::Words;

pub fn run(args: &Evaluate, common: &Common, words: &Words) -> Result<(), Error> {
    let file = read_map(&args.map)?;
    let map = &file.map;
    let watch = |p| words.progress(p);
    let run = common.run(&watch);
    let of = |choice: &Option<crate::groups::Choice>| {
        choice.as_ref().map(|c| c.words(map.labels())).transpose()
    };
    let (groups, classes) = (of(&args.groups)?, of(&args.labels)?);
    let settings = EvaluateSettings {
        folds: args.folds,
        repeats: args.repeats,
        strategies: args.strategies.clone(),
        groups: groups.as_deref(),
        classes: classes.as_deref(),
        seed: args.seed,
    };
    let (old, source) = old(args, &file, run, words)?;
    let evaluation = map
        .evaluate(old.as_ref(), &settings, run)
        .map_err(|error| match (&error, error.about()) {
            (adjoin::Error::Together { .. }, _) => Error::together(error),
            (adjoin::Error::NotOffered { .. }, About::Method | About::Strategy) => {
                Error::Request(error.to_string())
            }
            _ => at(&source, &[])(error),
        })?;
    words.done();
    table::write(frame(&evaluation, classes.is_some()), &args.output, common)?;
    words.say(format_args!(
        "{} folds, drawn {} (seed {}): {}",
        evaluation.folds,
        match evaluation.repeats {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        },
        evaluation.seed,
        evaluation.sentence()
    ));
    Ok(())
}

/// OLD as it was at the fit, in the map's order.
fn old(
    args: &Evaluate,
    file: &MapFile,
    run: Run<'_>,
    words: &Words,
) -> Result<(Mat<f64>, String), Error> {
    let map = &file.map;
    let said = |name: &str| file.settings.get(name).map(String::as_str);
    let options = ReadOptions {
        format: args.format,
        labels: args.names.clone(),
        adapt: Adapt {
            transpose: said("transpose").is_some(),
            rename: said("rename").map(Into::into),
            unlisted: said("unlisted").and_then(|v| v.parse().ok()),
            symmetrise: file.symmetrise(),
            transform: file.transform()?,
        },
        threads: run.threads,
        ..Default::default()
    };
    if let Some(source) = map.source() {
        let mut options = options;
        // Features are turned over and renamed; their numbers are as they are.
        options.adapt = Adapt {
            transpose: options.adapt.transpose,
            rename: options.adapt.rename,
            ..Adapt::default()
        };
        return by_features(args, map, source, &options, run, words);
    }
    let mut matrix = input::proximities(&args.old, &options, words)?;
    let source = matrix.source.clone();
    // Similarities to themselves that were said at the fit are not in the file.
    if map.kind() == Kind::Similarity
        && (matrix.diagonal_absent || said("self").is_some())
        && let Some(itself) = map.diagram().summary().self_similarity
    {
        matrix = adjoin_formats::square(matrix)?;
        let n = matrix.rows.len();
        (0..n).for_each(|i| matrix.values[i * n + i] = itself);
    }
    let n = map.references().len();
    let values = match_old(matrix, map.references())?;
    let old = MatRef::from_row_major_slice(&values, n, n);
    Ok((old.to_owned(), source))
}

fn by_features(
    args: &Evaluate,
    map: &Map,
    source: &Measured,
    options: &ReadOptions,
    run: Run<'_>,
    words: &Words,
) -> Result<(Mat<f64>, String), Error> {
    let table = input::features(&args.old, Some(source.measure()), options, words)?;
    let table = table.fitted_to(source.features().names(), None, false)?;
    let old = map.old_by_features(&table.features, run);
    Ok((
        old.map_err(at(&table.source, &table.lines))?,
        table.source.clone(),
    ))
}

/// One row a strategy.
fn frame(evaluation: &Evaluation, classes: bool) -> Frame {
    let scores = &evaluation.scores;
    let words = scores.iter().map(|s| s.strategy.word().to_owned());
    let mut columns = vec![("strategy".to_owned(), Column::Text(words.collect()))];
    let shown = |name: &str| classes || !name.starts_with("knn");
    let measures = || MEASURES.iter().enumerate().filter(|(_, name)| shown(name));
    for (m, name) in measures() {
        let values = scores.iter().map(|s| s.values[m]);
        columns.push(((*name).to_owned(), Column::Number(values.collect())));
    }
    for (m, name) in measures() {
        let differences = scores.iter().map(|s| s.differences[m]);
        let errors = scores.iter().map(|s| s.errors[m]);
        columns.extend([
            (
                format!("{name}_difference"),
                Column::Number(differences.collect()),
            ),
            (format!("{name}_se"), Column::Number(errors.collect())),
        ]);
    }
    Frame {
        columns,
        ..Frame::default()
    }
}
