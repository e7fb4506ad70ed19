//! `adjoin place`: newcomers → placements.

use adjoin::{
    Border, Jointly, LEVEL, Map, Neighbours, PlaceSettings, Placements, Run, Strategy, Uncertainty,
    Verdict, batch_sentence, discoveries, place_on_configuration,
};
use adjoin_formats::{Arrivals, is_map, usual_strategy};

use crate::args::{Certainty, Common, Place, WithOld};
use crate::error::Error;
use crate::input::{self, between, wrong, wrong_beside};
use crate::shard;
use crate::table::{self, Old, Table};
use crate::variables;
use crate::words::Words;

/// Above this stretch the last axis shows length rather than position.
const STRETCHED: f64 = 2.0;

/// So many old objects say what group a newcomer is of, if nothing else is said.
const VOTERS: usize = 5;

pub fn run(args: &Place, common: &Common, words: &Words) -> Result<u8, Error> {
    let jointly = args.joining.wanted(args.strategy)?;
    let usual = usual_strategy(&args.new.map);
    let how = PlaceSettings {
        strategy: args.strategy.unwrap_or(usual),
        recentre: args.recentre,
        scaled: args.scaled,
        prove: args.prove,
    };
    how.check().map_err(Error::together)?;
    let by = if jointly {
        Strategy::Reconstruct
    } else {
        how.strategy
    };
    args.certainty.check(by)?;
    let kept = usual == Strategy::Stress;
    let needs = [
        (args.with_old == Some(WithOld::Loo), "--with-old=loo"),
        (args.groups.is_some(), "--groups"),
    ];
    let needed = needs.iter().find(|(asked, _)| *asked);
    if let (Some((_, flag)), Strategy::Stress, false) = (needed, how.strategy, kept) {
        return Err(Error::Usage(format!(
            "found {flag} beside stress, expected another strategy: the map does not have the old objects' proximities"
        )));
    }
    variables::check(args.variables.as_deref(), &args.output)?;
    shard::check(args)?;
    if let Some(code) = shard::resumed(args, words)? {
        return Ok(code);
    }
    let watch = |p| words.progress(p);
    let run = common.run(&watch);
    let (file, given, mut arrivals, placements);
    let mut kept = (0, 0);
    let (mut joint, mut left_out) = (None, None);
    let (mut neighbours, mut grouped) = (None, None);
    let (mut remarks, mut assessment) = (Vec::new(), None);
    let old: Old<'_> = if how.strategy == Strategy::Stress && !is_map(&args.new.map) {
        if args.certainty.uncertainty.is_some() {
            return Err(Error::Usage(
                "found --uncertainty with coordinates that are not a map, expected a map".into(),
            ));
        }
        (given, arrivals) = input::on_configuration(&args.new, common, words)?;
        if let Some(shard) = args.shard {
            kept = shard::keep(shard, &mut arrivals);
        }
        let old = Old::from(&given);
        placements = place_on_configuration(
            old.coordinates,
            old.labels,
            &arrivals.newcomers(),
            &how,
            run,
        )
        .map_err(wrong(&arrivals))?;
        if args.neighbours.is_some() {
            return Err(Error::Usage(
                "found --neighbours with coordinates that are not a map, expected a map".into(),
            ));
        }
        input::say_unit(&given, &arrivals, words);
        old
    } else {
        let file_between = args.joining.between.as_deref();
        (file, arrivals) = input::on_map(&args.new, file_between, common, words)?;
        if let Some(shard) = args.shard {
            kept = shard::keep(shard, &mut arrivals);
        }
        // Old objects are left out as newcomers are placed.
        let alone = if jointly {
            PlaceSettings::by(Strategy::Reconstruct)
        } else {
            how
        };
        let map = &file.map;
        let cannot = |e: adjoin::Error| Error::Request(e.to_string());
        let groups = args.groups.as_ref();
        let groups = groups.map(|g| g.words(map.labels())).transpose()?;
        if args.with_old == Some(WithOld::Loo) {
            left_out = Some(map.leave_one_out(&alone, run).map_err(cannot)?);
        }
        let options = args.new.telling.reading.options(common);
        let square = input::old(&args.certainty, &file, &options, run, words)?;
        let uncertainty = input::uncertainty(&args.certainty, square.as_ref());
        let border;
        if jointly {
            let asked = (uncertainty, &args.certainty);
            let answer;
            (border, answer, neighbours) =
                together(map, &arrivals, asked, args.neighbours, run, words)?;
            joint = Some((answer.certified, answer.gap));
            assessment = Some(map.assess(&border, answer.outside));
            placements = answer.placements;
        } else {
            let newcomers = arrivals.newcomers();
            let answer = match (args.neighbours, uncertainty) {
                (Some(count), by) => map
                    .place_among(&newcomers, &how, (count, by), run)
                    .map(|a| (a.0, a.1, Some(a.2))),
                (None, None) => map.place(&newcomers, &how, run).map(|a| (a.0, a.1, None)),
                (None, Some(by)) => map
                    .place_uncertain(&newcomers, &how, by, run, |_| Ok(()))
                    .map(|a| (a.0, a.1, None)),
            };
            let wrong = wrong_beside(&arrivals, &args.certainty);
            (border, placements, neighbours) = answer.map_err(wrong)?;
            assessment = Some(map.assess(&border, None));
        }
        remarks = map.remarks(&border, &placements, Some(&arrivals.labels));
        if let Some(groups) = groups {
            let voters = args.neighbours.unwrap_or(VOTERS);
            let answer = map.groups(&placements.coordinates, &alone, &groups, voters, run);
            grouped = Some(answer.map_err(|e| match e {
                adjoin::Error::Together { .. } => Error::together(e),
                e => cannot(e),
            })?);
        }
        words.remark(&arrivals.source, &remarks);
        Old::from(&file.map)
    };
    words.done();
    let variables = variables::scores(args.variables.as_deref(), old.map)?;
    let table = Table {
        old,
        labels: &arrivals.labels,
        placements: &placements,
        joint,
        remarks: &remarks,
        assessment: assessment.as_ref(),
        all_minimisers: args.all_minimisers,
        proved: args.prove,
        uncertain: args.certainty.uncertainty.is_some(),
        with_old: args.with_old.is_some(),
        left_out: left_out.as_ref(),
        variables,
        neighbours: neighbours.as_ref(),
        grouped: grouped.as_ref(),
    };
    let code = finish(args, common, words, &table, kept)?;
    if args.provenance {
        shard::write_provenance(args, words)?;
    }
    Ok(code)
}

/// Writes the table, and says which newcomers have no place or more than one.
/// `kept` says where a shard begins, and of how many newcomers.
fn finish(
    args: &Place,
    common: &Common,
    words: &Words,
    table: &Table<'_>,
    kept: (usize, usize),
) -> Result<u8, Error> {
    let placements = table.placements;
    words.timed(placed(placements));
    let unplaced = table::unplaced(table.labels, placements);
    if args.strict && !unplaced.is_empty() {
        return Err(Error::Strict(unplaced));
    }
    match args.shard {
        Some(shard) => shard::write(args, shard, kept, table)?,
        None => table.write(&args.output, common)?,
    }
    let code = table::incomplete(&unplaced);
    // Nothing is said of ordinary newcomers, unless that nothing could be said.
    let smallest = table.old.map.map_or(f64::NAN, Map::smallest_p);
    let unlike = !discoveries(&placements.p, LEVEL).is_empty();
    let said = batch_sentence(&placements.p, smallest);
    if let Some(said) = said.filter(|_| unlike || smallest > LEVEL) {
        words.say(said);
    }
    if let Some(grouped) = table.grouped {
        words.say(grouped.sentence());
    }
    match table.assessment {
        Some(a) if a.verdict == Verdict::Refit => words.say(a.sentence()),
        Some(a) => words.detail(a.sentence()),
        None => {}
    }
    if let Some(left_out) = table.left_out {
        let without = left_out.status.iter().filter(|s| !s.placed()).count();
        if without > 0 {
            words.say(format_args!(
                "{without} of {} old objects have no place without themselves: an axis of the map goes with each, or the \
                 strategy does not apply",
                left_out.count()
            ));
        }
    }
    if args.prove {
        let proved = |i: &usize| placements.certified(*i) == Some(true);
        let count = (0..placements.count()).filter(proved).count();
        let placed = placements.count() - unplaced.len();
        words.say(if count == placed {
            format!("certified: no place is better, for {count} of {placed} newcomers")
        } else {
            let gaps = placements.gap.iter().copied().filter(|g| !g.is_nan());
            format!(
                "certified: no place is better, for {count} of {placed} newcomers; for the others the objective is at most \
                 {:.2e} of itself above the minimum (column gap)",
                gaps.fold(0.0, f64::max)
            )
        });
    }
    say_sides(args, words, placements);
    let sides = placements.uncertain_sides();
    let tied = placements.alternatives.iter().map(|(i, _)| i);
    let tied = tied.filter(|i| !sides.contains(i));
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
    Ok(code)
}

/// Says of whom the last axis does not tell where they are: their side is uncertain, or it shows their length.
fn say_sides(args: &Place, words: &Words, placements: &Placements) {
    let (k, d) = (placements.count(), placements.dimensions);
    let sides = placements.uncertain_sides().len();
    if sides > 0 {
        words.say(format_args!(
            "{sides} of {k} newcomers could as well be on the other side of axis {d} (see side and jump{})",
            if args.all_minimisers { "" } else { "; --all-minimisers gives both places" }
        ));
    }
    let long = placements
        .stretch
        .iter()
        .filter(|s| **s > STRETCHED)
        .count();
    if long > 0 {
        words.say(format_args!(
            "{long} of {k} newcomers are drawn out on axis {d} to more than twice their projection: there it shows how long they are \
             rather than where (see stretch)"
        ));
    }
}

/// How many were placed, and how exactly, where that is known.
fn placed(placements: &Placements) -> String {
    let mut text = format!(
        "{} newcomers placed by {}",
        placements.count(),
        placements.strategy.word()
    );
    let finite =
        |values: &[f64]| -> Vec<f64> { values.iter().copied().filter(|v| v.is_finite()).collect() };
    let worst = finite(&placements.stationarity)
        .into_iter()
        .reduce(f64::max);
    if let Some(worst) = worst {
        text += &format!("; stationarity at most {worst:.1e}");
    }
    let residuals = finite(&placements.residual);
    let range =
        (residuals.iter().copied().reduce(f64::min)).zip(residuals.into_iter().reduce(f64::max));
    if let Some((low, high)) = range {
        text += &format!("; residuals from {low:.4} to {high:.4}");
    }
    text
}

/// Reconstructs all newcomers together, and says whether the answer is proved to be the best, or how far from it at
/// most.
pub fn together(
    map: &Map,
    arrivals: &Arrivals,
    (uncertainty, certainty): (Option<Uncertainty<'_>>, &Certainty),
    neighbours: Option<usize>,
    run: Run<'_>,
    words: &Words,
) -> Result<(Border, Jointly, Option<Neighbours>), Error> {
    let (newcomers, between) = (arrivals.newcomers(), between(arrivals));
    let answer = match (neighbours, uncertainty) {
        (Some(count), by) => map
            .jointly_among(&newcomers, between, (count, by), run)
            .map(|a| (a.0, a.1, Some(a.2))),
        (None, None) => map
            .jointly(&newcomers, between, run)
            .map(|a| (a.0, a.1, None)),
        (None, Some(by)) => map
            .jointly_uncertain(&newcomers, between, by, run, |_| Ok(()))
            .map(|a| (a.0, a.1, None)),
    };
    let (border, jointly, neighbours) = answer.map_err(wrong_beside(arrivals, certainty))?;
    words.done();
    match (jointly.certified, jointly.gap) {
        (true, _) => words.say("certified: no joint placement is better"),
        (false, Some(gap)) => words.say(format_args!(
            "not certified: the objective is at most {:.2} % above the minimum",
            100.0 * gap
        )),
        (false, None) => words.say("not certified, and no bound is known"),
    }
    words.detail(format_args!(
        "{} of the starts tried, {} steps; the best from {:?}",
        jointly.starts, jointly.steps, jointly.start
    ));
    Ok((border, jointly, neighbours))
}
