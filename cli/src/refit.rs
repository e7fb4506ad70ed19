//! `adjoin refit`: everybody anew, turned onto the map that was.

use adjoin::{Kind, Map, Objects, Refitted};
use adjoin_formats::{MapFile, ReadOptions, provenance, read_map, square, write_map};
use serde_json::json;

use crate::args::{Align, Common, Refit};
use crate::error::{Error, at};
use crate::fit::{put_diagonal, square_of};
use crate::input;
use crate::table;
use crate::words::Words;

/// How many of those who moved farthest are named.
const MOVERS: usize = 5;

/// Founders that moved by less than this share of the map's spread are where they were, to three digits.
const UNSEEN: f64 = 0.0005;

pub fn run(args: &Refit, common: &Common, words: &Words) -> Result<(), Error> {
    let old = read_map(&args.map)?;
    let map = &old.map;
    let mut options = ReadOptions {
        digest: true,
        ..args.reading.options(common)
    };
    let watch = |p| words.progress(p);
    let run = common.run(&watch);
    let align = args.align == Align::Procrustes;
    let (refitted, made_from) = if let Some(source) = map.source() {
        if args.itself.is_some() {
            return Err(Error::Usage(
                "found --self beside features, expected it beside similarities".into(),
            ));
        }
        let measure = *source.measure();
        let table = input::features(&args.square, Some(&measure), &options, words)?;
        let objects = Objects::Features {
            features: table.features,
            measure: (map.method() != adjoin::Method::Pca).then_some(measure),
        };
        let refitted = map.refit(objects, align, run);
        (
            refitted.map_err(at(&table.source, &table.lines))?,
            table.provenance,
        )
    } else {
        options.adapt.transform = old.transform()?;
        let matrix = input::proximities(&args.square, &options, words)?;
        let mut matrix = square(matrix)?;
        if matrix.labelled && !map.named() {
            return Err(Error::Request(format!(
                "{}: found labels, expected an array: the map's objects have no labels",
                matrix.source
            )));
        }
        if map.kind() == Kind::Similarity {
            put_diagonal(args.itself.as_deref(), &mut matrix)?;
        }
        let objects = Objects::Square(square_of(&matrix, map.kind()));
        let refitted = map.refit(objects, align, run);
        (
            refitted.map_err(at(&matrix.source, &matrix.lines))?,
            matrix.provenance,
        )
    };
    words.done();
    for finding in &refitted.findings {
        words.say(format_args!("{}: {finding}", args.square.display()));
    }
    let mut settings = old.settings.clone();
    let onto = provenance(&args.map)?;
    settings.insert(
        "refitted".into(),
        format!("from {} (sha256 {})", onto.name, onto.sha256),
    );
    let file = MapFile {
        map: refitted.map.clone(),
        settings,
        provenance: made_from,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_map(&file, &args.output)?;
    if common.json {
        let record = as_json(args, map, &refitted);
        return table::print(format!("{record:#}\n").as_bytes());
    }
    say(args, map, &refitted, words);
    Ok(())
}

fn say(args: &Refit, old: &Map, refitted: &Refitted, words: &Words) {
    let (founders, shared) = (old.founders(), refitted.shared.len());
    words.say(format_args!(
        "{}: {} objects fitted anew{}",
        args.output.display(),
        refitted.map.labels().len(),
        match args.align {
            Align::Procrustes => ", turned and shifted onto the old map",
            Align::None => ", on axes of their own",
        }
    ));
    if shared < founders {
        words.say(format_args!(
            "{} of the old map's {founders} founders are not among them",
            founders - shared
        ));
    }
    let spread = refitted.spread;
    let name = |(i, far): (usize, f64)| format!("{} ({:.3})", old.labels()[i], far / spread);
    let movers = refitted.movers(MOVERS);
    if movers.iter().all(|(_, far)| *far < UNSEEN * spread) {
        words.say(format_args!("none of the {shared} founders moved"));
        return;
    }
    let movers: Vec<String> = movers.into_iter().map(name).collect();
    words.say(format_args!(
        "the {shared} founders moved by {:.3} of the old map's spread (root mean square; Procrustes' statistic {:.4}), most of all {}",
        refitted.root_mean_square() / spread,
        refitted.statistic,
        movers.join(", ")
    ));
}

fn as_json(args: &Refit, old: &Map, refitted: &Refitted) -> serde_json::Value {
    let all = refitted.shared.len();
    let movers = refitted.movers(all).into_iter().map(|(i, far)| {
        json!({
            "label": old.labels()[i],
            "moved": far,
            "spreads": far / refitted.spread,
        })
    });
    json!({
        "map": args.output.display().to_string(),
        "n": refitted.map.labels().len(),
        "founders": old.founders(),
        "shared": all,
        "aligned": args.align == Align::Procrustes,
        "procrustes": refitted.statistic,
        "root_mean_square": refitted.root_mean_square(),
        "spread": refitted.spread,
        "moved": movers.collect::<Vec<_>>(),
    })
}
