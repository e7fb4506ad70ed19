//! `adjoin add`: newcomers → placements.

use std::path::PathBuf;

use adjoin::augment;
use adjoin::jointly::{Together, reconstruct_jointly};
use adjoin::place::{Settings, place, place_on_configuration};
use adjoin::placement::{Placements, Strategy};
use adjoin_formats::is_map;
use faer::MatRef;

use crate::args::{Add, Common};
use crate::error::Error;
use crate::input::{self, Arrivals};
use crate::table::{self, Joint, Old, Table};
use crate::words::Words;

pub fn run(args: &Add, common: &Common, words: &Words) -> Result<u8, Error> {
    let named: Option<Strategy> = args.strategy.map(Into::into);
    let between = jointly(named, &args.jointly, &args.between)?;
    if (args.recentre || args.scaled) && named != Some(Strategy::Augment) {
        return Err(Error::Usage(
            "found --recentre or --scaled, expected them with --strategy augment only".into(),
        ));
    }
    let (jointly, file) = (between.is_some(), between.flatten());
    if named == Some(Strategy::Stress) && !is_map(&args.new.map) {
        return on_configuration(args, common, words);
    }
    let (map, mut arrivals) = input::arrivals(&args.new, file.as_deref(), jointly, common, words)?;
    let diagram = &map.diagram;
    let watch = |p| words.progress(p);

    let (placements, joint) = if jointly {
        let together = together(&map.diagram, &mut arrivals, common, words)?;
        say_how_sure(&together, words);
        let joint = Joint {
            certified: together.certified,
            gap: together.gap,
        };
        (together.placements, Some(joint))
    } else {
        let settings = Settings {
            strategy: named.unwrap_or_default(),
            augment: augment::Settings {
                recentre: args.recentre,
                scale: args.scaled,
            },
            threads: common.threads,
            watch: Some(&watch),
        };
        let mut all: Option<Placements> = None;
        arrivals.each_block(|_, newcomers| {
            let some = place(diagram, newcomers, &settings)?;
            match &mut all {
                None => all = Some(some),
                Some(all) => all.append(some),
            }
            Ok(())
        })?;
        let all = all.ok_or_else(|| nobody(&arrivals.source))?;
        (all, None)
    };
    words.done();
    finish(
        args,
        common,
        words,
        &Table {
            old: diagram.into(),
            labels: &arrivals.labels,
            placements: &placements,
            joint,
            all_minimisers: args.all_minimisers,
            with_old: args.with_old,
        },
    )
}

/// Whether newcomers are to be placed jointly, and the file of what is between them if it is not NEW.
pub fn jointly(
    named: Option<Strategy>,
    jointly: &Option<Option<PathBuf>>,
    between: &Option<PathBuf>,
) -> Result<Option<Option<PathBuf>>, Error> {
    if jointly.is_none() && between.is_none() {
        return Ok(None);
    }
    if named.is_some_and(|s| s != Strategy::Reconstruct) {
        return Err(Error::Usage(
            "found a strategy beside --jointly, expected none: newcomers are placed jointly by \
             reconstruct"
                .into(),
        ));
    }
    match (jointly, between) {
        (Some(Some(_)), Some(_)) => Err(Error::Usage(
            "found two files of what is between the newcomers, expected one".into(),
        )),
        (Some(Some(file)), None) | (_, Some(file)) => Ok(Some(Some(file.clone()))),
        _ => Ok(Some(None)),
    }
}

/// Writes the table, and says which newcomers have no place or more than one.
fn finish(args: &Add, common: &Common, words: &Words, table: &Table<'_>) -> Result<u8, Error> {
    let placements = table.placements;
    let unplaced = table::unplaced(table.labels, placements);
    if args.strict && !unplaced.is_empty() {
        return Err(Error::Strict(unplaced));
    }
    table::write(&table.frame(), &args.output, common)?;
    for line in &unplaced {
        crate::words::put(format_args!("adjoin: {line}"));
    }
    let tied = placements.alternatives.iter().map(|(i, _)| i);
    let tied = tied.collect::<std::collections::BTreeSet<_>>().len();
    if tied > 0 && !args.all_minimisers {
        match &table.joint {
            Some(_) => words.say(
                "the newcomers' mirror image, all of them flipped together, is as good \
                 (--all-minimisers gives it)",
            ),
            None => words.say(format_args!(
                "{tied} of {} newcomers could as well be elsewhere (see status; --all-minimisers gives \
                 all places)",
                placements.count()
            )),
        }
    }
    Ok(if unplaced.is_empty() {
        0
    } else {
        crate::INCOMPLETE
    })
}

/// Places newcomers by stress on a configuration that is not a map.
fn on_configuration(args: &Add, common: &Common, words: &Words) -> Result<u8, Error> {
    let (given, mut arrivals) = input::on_configuration(&args.new, common)?;
    let coordinates =
        MatRef::from_row_major_slice(&given.coordinates, given.labels.len(), given.dimensions);
    let watch = |p| words.progress(p);
    let settings = Settings {
        strategy: Strategy::Stress,
        threads: common.threads,
        watch: Some(&watch),
        ..Default::default()
    };
    let mut placements = None;
    arrivals.each_block(|_, newcomers| {
        let labels = &given.labels;
        placements = Some(place_on_configuration(
            coordinates,
            labels,
            newcomers,
            &settings,
        )?);
        Ok(())
    })?;
    words.done();
    let placements = placements.ok_or_else(|| nobody(&arrivals.source))?;
    finish(
        args,
        common,
        words,
        &Table {
            old: Old {
                labels: &given.labels,
                coordinates,
                diagram: None,
            },
            labels: &arrivals.labels,
            placements: &placements,
            joint: None,
            all_minimisers: args.all_minimisers,
            with_old: args.with_old,
        },
    )
}

pub fn nobody(source: &str) -> Error {
    Error::Request(format!(
        "{source}: found no newcomers, expected at least one"
    ))
}

/// Reconstructs all newcomers together.
pub fn together(
    diagram: &adjoin::diagram::Diagram,
    arrivals: &mut Arrivals,
    common: &Common,
    words: &Words,
) -> Result<Together, Error> {
    let k = arrivals.labels.len();
    let between = arrivals.take_between()?;
    let watch = |p| words.progress(p);
    let mut answer = None;
    arrivals.each_block(|_, newcomers| {
        let between = MatRef::from_row_major_slice(&between, k, k);
        let all = reconstruct_jointly(diagram, newcomers, between, common.threads, Some(&watch))?;
        answer = Some(all);
        Ok(())
    })?;
    arrivals.between = Some(between);
    answer.ok_or_else(|| nobody(&arrivals.source))
}

/// Whether the joint placement is proved to be the best, or how far from it at most.
fn say_how_sure(together: &Together, words: &Words) {
    match (together.certified, together.gap) {
        (true, _) => words.say("certified: no joint placement is better"),
        (false, Some(gap)) => words.say(format_args!(
            "not certified: the objective is at most {:.2} % above the minimum",
            100.0 * gap
        )),
        (false, None) => words.say("not certified, and no bound is known"),
    }
    words.detail(format_args!(
        "{} of the starts tried, {} steps; the best from {:?}",
        together.starts, together.steps, together.start
    ));
}
