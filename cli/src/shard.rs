//! `place --shard`, `gather` and `--provenance`: parts of a table, the table they make, and where it comes from.

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::Map;
use adjoin_formats::{
    Arrivals, Column, Frame, OutputFormat, Part, Provenance, Remarked, fingerprint,
    gather as gathered, provenance, read_part, shard_range, usual_strategy, write_part,
};
use serde_json::json;

use crate::args::{Common, Gather, Place, Shard};
use crate::error::Error;
use crate::table::{self, Table};
use crate::words::Words;

/// All that was said about how to place, as far as it changes the table; files with what tells them from others.
fn settings(args: &Place) -> Result<BTreeMap<String, String>, Error> {
    let telling = &args.new.telling;
    let reading = &telling.reading;
    let usual = || usual_strategy(&args.new.map);
    let strategy = args.strategy.unwrap_or_else(usual);
    let flag = |given: bool| given.then(|| "true".to_owned());
    let said = [
        ("strategy", Some(strategy.word().to_owned())),
        ("prove", flag(args.prove)),
        ("all-minimisers", flag(args.all_minimisers)),
        (
            "uncertainty",
            args.certainty.uncertainty.map(|by| by.word().to_owned()),
        ),
        ("neighbours", args.neighbours.map(|k| k.to_string())),
        ("groups", args.groups.as_ref().map(|g| g.word())),
        ("recentre", flag(args.recentre)),
        ("scaled", flag(args.scaled)),
        ("proximities", flag(telling.proximities)),
        ("partial", flag(telling.partial)),
        ("generation", telling.generation.map(|g| g.to_string())),
        ("self", telling.itself.clone()),
        ("fill", telling.fill.map(|v| v.to_string())),
        ("ignore-new-features", flag(telling.ignore_new_features)),
    ];
    let mut settings: BTreeMap<String, String> = (said.into_iter())
        .chain(reading.in_words())
        .chain(reading.of_the_file())
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
    let files = [
        ("old", args.certainty.old.as_deref()),
        ("groups", args.groups.as_ref().map(|g| g.file())),
        ("self", telling.itself.as_ref().map(Path::new)),
        ("weights", telling.weights.as_deref()),
        ("labels", reading.labels.as_deref()),
        ("column-labels", reading.column_labels.as_deref()),
        ("rename", reading.rename.as_deref()),
    ];
    for (name, file) in files {
        // A number beside --self is no file.
        if let Some(file) = file.filter(|file| file.exists()) {
            settings.insert(format!("{name} file"), fingerprint(file)?);
        }
    }
    Ok(settings)
}

/// What the part that is asked for will say of itself, but for what only the newcomers tell.
fn asked(args: &Place, shard: Shard) -> Result<Part, Error> {
    let new = &args.new.new;
    Ok(Part {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        map: provenance(&args.new.map)?.sha256,
        new: new
            .file_name()
            .map_or(String::new(), |n| n.to_string_lossy().into_owned()),
        new_fingerprint: fingerprint(new)?,
        settings: settings(args)?,
        shard: shard.number,
        of: shard.of,
        first: 0,
        count: 0,
        total: 0,
        eigenvalues: Vec::new(),
        proportions: Vec::new(),
        remarks: Vec::new(),
    })
}

/// Refuses what a shard, or a table with its provenance, cannot be.
pub fn check(args: &Place) -> Result<(), Error> {
    if args.provenance && args.output.as_os_str() == "-" {
        return Err(Error::Usage(
            "found --provenance without -o, expected a file to write it beside".into(),
        ));
    }
    if args.shard.is_none() {
        return Ok(());
    }
    if args.new.new.as_os_str() == "-" {
        return Err(Error::Usage(
            "found --shard of standard input, expected a file, which every shard can read".into(),
        ));
    }
    if OutputFormat::of(&args.output)? != OutputFormat::Parquet {
        return Err(Error::Usage(format!(
            "found --shard with -o {}, expected a part that ends in .parquet: it carries which newcomers of which run \
             it has",
            args.output.display()
        )));
    }
    Ok(())
}

/// With --resume: the exit code of a part that is there already, whole and of the same run.
pub fn resumed(args: &Place, words: &Words) -> Result<Option<u8>, Error> {
    let (Some(shard), true) = (args.shard, args.resume) else {
        return Ok(None);
    };
    if !args.output.exists() {
        return Ok(None);
    }
    // A file that is no part, or a damaged one, is written anew.
    let Ok((frame, part)) = read_part(&args.output) else {
        return Ok(None);
    };
    if !part.is_of_the_same_run(&asked(args, shard)?) || part.shard != shard.number {
        return Ok(None);
    }
    words.say(format_args!(
        "{}: is there already, and left alone",
        args.output.display()
    ));
    Ok(Some(code(&frame)))
}

/// Leaves only the shard's newcomers; answers where they begin and how many there are in all.
pub fn keep(shard: Shard, arrivals: &mut Arrivals) -> (usize, usize) {
    let total = arrivals.labels.len();
    let range = shard_range(shard.number, shard.of, total);
    let first = range.start;
    arrivals.keep(range);
    (first, total)
}

/// Writes a part.
pub fn write(
    args: &Place,
    shard: Shard,
    (first, total): (usize, usize),
    table: &Table<'_>,
) -> Result<(), Error> {
    let (map, count) = (table.old.map, table.labels.len());
    let diagram = map.map(Map::diagram);
    let remarks = table.remarks.iter();
    let part = Part {
        first,
        count,
        total,
        eigenvalues: diagram.map_or(Vec::new(), |d| d.eigenvalues().to_vec()),
        proportions: map.map_or(Vec::new(), Map::proportions),
        remarks: remarks
            .map(|r| Remarked::new(&r.sentence, &r.newcomers, first))
            .collect(),
        ..asked(args, shard)?
    };
    // What is about all newcomers that were read together is no column of a part: remarks stand in its metadata, and a verdict
    // on a batch is one on all of it.
    Ok(table.sliced(false, |slices| write_part(slices, &part, &args.output))?)
}

/// The exit code of a table: whether some of its newcomers have no place.
fn code(frame: &Frame) -> u8 {
    let unplaced = frame.columns.iter().any(|(name, column)| match column {
        Column::Text(words) if name == "status" => words
            .iter()
            .any(|w| matches!(w.as_str(), "not_applicable" | "too_few")),
        _ => false,
    });
    if unplaced { crate::INCOMPLETE } else { 0 }
}

/// Runs `adjoin gather`.
pub fn gather(args: &Gather, common: &Common, words: &Words) -> Result<u8, Error> {
    let mut parts = Vec::new();
    for path in &args.parts {
        let (frame, part) = read_part(path)?;
        parts.push((path.display().to_string(), frame, part));
    }
    if let (Some(expected), Some((name, _, part))) = (args.expect, parts.first()) {
        if part.of != expected {
            return Err(Error::Request(format!(
                "{name}: found a part of {} shards, expected {expected}",
                part.of
            )));
        }
        let missing = (1..=expected).find(|i| !parts.iter().any(|(_, _, p)| p.shard == *i));
        if let Some(missing) = missing {
            return Err(Error::Request(format!(
                "found {} parts, expected {expected}: shard {missing} is missing",
                parts.len()
            )));
        }
    }
    let mut said: Vec<(String, String)> = Vec::new();
    for (_, _, part) in &parts {
        for remark in &part.remarks {
            let pair = (part.new.clone(), remark.sentence.clone());
            if !said.contains(&pair) {
                said.push(pair);
            }
        }
    }
    let frame = gathered(parts)?;
    for (new, sentence) in said {
        words.say(format_args!("{new}: {sentence}"));
    }
    let code = code(&frame);
    table::write(frame, &args.output, common)?;
    if code != 0 {
        words.say("some newcomers are not placed (see status)");
    }
    Ok(code)
}

/// Writes beside a table where it comes from.
pub fn write_provenance(args: &Place, words: &Words) -> Result<(), Error> {
    let about = |path: &Path| -> Result<Option<Provenance>, Error> {
        if path.as_os_str() == "-" || !(path.is_file() || path.is_dir()) {
            return Ok(None);
        }
        Ok(Some(provenance(path)?))
    };
    let record = json!({
        "adjoin": env!("CARGO_PKG_VERSION"),
        "command": std::env::args().collect::<Vec<_>>(),
        "map": about(&args.new.map)?,
        "new": about(&args.new.new)?,
        "between": args.joining.between.as_deref().map(about).transpose()?,
        "settings": settings(args)?,
        "remarks": words.said(),
        "output": about(&args.output)?,
    });
    let mut beside = args.output.as_os_str().to_owned();
    beside.push(".provenance.json");
    table::put(format!("{record:#}\n").as_bytes(), Path::new(&beside))
}
