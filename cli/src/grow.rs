//! `adjoin grow`: newcomers become members of a map.

use adjoin::{
    Generation, GrowSettings, LEVEL, Map, Newcomers, PlaceSettings, Placements, batch_sentence,
    discoveries,
};
use adjoin_formats::{MapFile, write_map};
use serde_json::{Value, json};

use crate::args::{Common, Grow};
use crate::error::Error;
use crate::input::{self, between, wrong};
use crate::table;
use crate::words::Words;

pub fn run(args: &Grow, common: &Common, words: &Words) -> Result<(), Error> {
    let jointly = args.joining.wanted(args.strategy)?;
    let file_between = args.joining.between.as_deref();
    let arrived = input::arrived(&args.new, file_between, true, common, words)?;
    let arrivals = &arrived.arrivals;
    let map = arrived.newest.as_ref().unwrap_or(&arrived.file.map);
    let provenance = arrived.provenance;
    let settings = GrowSettings {
        place: PlaceSettings::by(args.strategy.unwrap_or_default()),
        between: jointly.then(|| between(arrivals)),
        generation: Some(arrived.generation),
        name: arrivals.source.clone(),
        digest: provenance.map_or(String::new(), |p| p.sha256),
    };
    let watch = |p| words.progress(p);
    let run = common.run(&watch);
    let given = arrivals.newcomers();
    let newcomers = Newcomers {
        // Names that only count go on counting.
        labels: given.labels.filter(|_| !arrivals.numbered),
        ..given
    };
    let grown = map.grow(&newcomers, &settings, run);
    let grown = grown.map_err(wrong(arrivals))?;
    words.done();
    let (placements, border) = (&grown.placements, &grown.border);
    let remarks = (arrived.file.map).remarks(border, placements, Some(&arrivals.labels));
    words.remark(&arrivals.source, &remarks);
    let file = MapFile {
        map: grown.map,
        ..arrived.file
    };
    write_map(&file, &args.output)?;
    if common.json {
        let mut record = history(&file.map);
        if let Some((certified, gap)) = grown.joint {
            record["certified"] = json!(certified);
            record["gap"] = json!(gap);
        }
        record["map"] = json!(args.output.display().to_string());
        return table::print(format!("{record:#}\n").as_bytes());
    }
    let generations = file.map.generations();
    if let Some(last) = generations.last() {
        words.say(format_args!(
            "{}: {} objects, {} of them new: generation {}, {}",
            args.output.display(),
            file.map.labels().len(),
            last.count,
            generations.len(),
            placed(last)
        ));
    }
    say_novel(placements, file.map.smallest_p(), words);
    Ok(())
}

fn say_novel(placements: &Placements, smallest: f64, words: &Words) {
    let unlike = !discoveries(&placements.p, LEVEL).is_empty();
    if let Some(said) = batch_sentence(&placements.p, smallest).filter(|_| unlike) {
        words.say(said);
    }
}

/// How those of a generation were placed, in words.
pub fn placed(generation: &Generation) -> String {
    let on = match generation.placed_on {
        0 => "the founders' map".to_owned(),
        g => format!("the map of generation {g}"),
    };
    let how = if generation.jointly {
        "jointly"
    } else {
        generation.strategy.word()
    };
    format!("placed by {how} on {on}").replace("by jointly", "jointly")
}

/// Who came when.
pub fn history(map: &Map) -> Value {
    let generations = map.generations().iter().enumerate().map(|(at, g)| {
        json!({
            "generation": at + 1,
            "count": g.count,
            "objects": map.count_at(at + 1),
            "strategy": g.strategy.word(),
            "jointly": g.jointly,
            "placed_on": g.placed_on,
            "name": g.name,
            "sha256": Some(&g.digest).filter(|d| !d.is_empty()),
        })
    });
    json!({
        "n": map.labels().len(),
        "founders": map.founders(),
        "generations": generations.collect::<Vec<_>>(),
    })
}
