//! `adjoin demo`: the whole job on built-in data, ending with the interactive page.
//!
//! Road distances in kilometres between 21 European cities (the data set `eurodist` of R). Eighteen are
//! fitted; Athens, Stockholm and Vienna are added, which are not all equally well described by the map.

use std::collections::BTreeMap;
use std::path::Path;

use adjoin::{
    FitSettings, Kind, Map, Objects, PlaceSettings, Placements, Run, Strategy, Uncertainty,
};
use adjoin_formats::{Arrivals, Format, MapFile, ReadOptions, read, square, write_map};
use adjoin_page::{Arrived, Asked, Page};

use crate::args::{Common, Demo};
use crate::error::{Error, at};
use crate::fit::square_of;
use crate::input::wrong;
use crate::report;
use crate::table::{self, Table};
use crate::words::Words;

/// The distances, with a header and a label in each row.
const CITIES: &str = include_str!("../data/cities.tsv");

/// The cities that arrive later.
const NEWCOMERS: [&str; 3] = ["Athens", "Stockholm", "Vienna"];

/// Axes, from 0, that are drawn the other way round: north is up then, and west on the left.
const NORTH_UP: [usize; 2] = [0, 1];

/// What it writes beside its input.
const RESULTS: [&str; 4] = [
    "europe.adjoin",
    "project.tsv",
    "reconstruct.tsv",
    "europe.html",
];

pub fn run(args: &Demo, common: &Common, words: &Words) -> Result<(), Error> {
    let folder = &args.output;
    // The input, split into what is known first and what arrives later.
    let (old, new) = split(CITIES);
    let inputs = [
        ("cities.tsv", CITIES),
        ("old.tsv", old.as_str()),
        ("new.tsv", new.as_str()),
    ];
    spare(folder, inputs)?;
    std::fs::create_dir_all(folder).map_err(|source| {
        Error::File(adjoin_formats::Error::Write {
            file: folder.display().to_string(),
            source,
        })
    })?;
    let file = |name: &str| folder.join(name);

    for (name, content) in inputs {
        table::put(content.as_bytes(), &file(name))?;
    }

    // Fit, exactly as `adjoin fit old.tsv -d 2 -o europe.adjoin` does.
    let options = ReadOptions {
        format: Some(Format::Table),
        digest: true,
        ..Default::default()
    };
    let matrix = square(read(&file("old.tsv"), &options)?)?;
    let objects = Objects::Square(square_of(&matrix, Kind::Dissimilarity));
    let run = Run::on(common.threads);
    let fitted = Map::fit(objects, &FitSettings::default(), run);
    let europe = MapFile {
        map: fitted.map_err(at(&matrix.source, &matrix.lines))?.map,
        settings: BTreeMap::from([("dimensions".into(), "2".into())]),
        provenance: matrix.provenance.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_map(&europe, &file("europe.adjoin"))?;
    let map = &europe.map;

    // Place, by both strategies; the arcs run from one to the other.
    let arrivals = Arrivals::of_matrix(read(&file("new.tsv"), &options)?, map, run)?;
    let newcomers = arrivals.newcomers();
    let how = PlaceSettings::by(Strategy::Reconstruct);
    let placed = map.place(&newcomers, &how, run);
    let (border, reconstructed) = placed.map_err(wrong(&arrivals))?;
    let placements = [map.project(&border), reconstructed];
    for placements in &placements {
        let table = Table {
            old: map.into(),
            labels: &arrivals.labels,
            placements,
            joint: None,
            remarks: &[],
            assessment: None,
            all_minimisers: false,
            proved: false,
            uncertain: false,
            with_old: false,
            left_out: None,
            variables: Vec::new(),
            neighbours: None,
            grouped: None,
        };
        let name = format!("{}.tsv", placements.strategy.word());
        table.write(&file(&name), &plain(common))?;
    }
    let mut lengths = Vec::new();
    for i in 0..border.count() {
        let curve = map.arc(&border, i, 2).map_err(wrong(&arrivals))?;
        lengths.push(curve.map_or(f64::NAN, |c| c.length));
    }

    // The page, exactly as `adjoin report europe.adjoin new.tsv --uncertainty --flip 1,2 -o europe.html` makes it.
    let asked = Asked {
        strategy: Strategy::Project,
        beside: &[],
        uncertainty: Some(Uncertainty::Axes),
    };
    let arrived = Arrived::read(map, asked, &newcomers, None, run).map_err(wrong(&arrivals))?;
    let sources = [
        report::source("map", &file("europe.adjoin"))?,
        report::source("newcomers", &file("new.tsv"))?,
    ];
    let page = Page {
        title: "European cities by road distance",
        file: &europe,
        arrived: Some(&arrived),
        metadata: None,
        sources: &sources,
        flip: &NORTH_UP,
        variables: None,
    };
    table::put(page.html().as_bytes(), &file("europe.html"))?;

    let summary = summary(map.labels().len(), &arrivals.labels, &placements, &lengths);
    if !common.quiet {
        table::print(summary.as_bytes())?;
    }
    words.say(closing(folder));
    Ok(())
}

/// Refuses to write over files that an earlier demo did not make: their names are anybody's.
fn spare(folder: &Path, inputs: [(&str, &str); 3]) -> Result<(), Error> {
    let here = |name: &str| std::fs::read(folder.join(name)).ok();
    let other = inputs.iter().find_map(|(name, content)| {
        let there = here(name)?;
        (there != content.as_bytes()).then_some(*name)
    });
    let first = inputs[0].0;
    let result = RESULTS.into_iter().find(|name| folder.join(name).exists());
    match other.or(result.filter(|_| !folder.join(first).exists())) {
        None => Ok(()),
        Some(name) => Err(Error::Usage(format!(
            "found {}, which no demo wrote, expected a folder without it (-o names another)",
            folder.join(name).display()
        ))),
    }
}

/// The table of old objects and the table of newcomers against them.
fn split(all: &str) -> (String, String) {
    let rows: Vec<Vec<&str>> = all.lines().map(|l| l.split('\t').collect()).collect();
    let is_new = |label: &str| NEWCOMERS.contains(&label);
    let keep: Vec<usize> = (0..rows[0].len())
        .filter(|&j| !is_new(rows[0][j]))
        .collect();
    let line = |row: &Vec<&str>| {
        let cells: Vec<&str> = keep.iter().map(|&j| row[j]).collect();
        cells.join("\t") + "\n"
    };
    let of = |new: bool| -> String {
        let body = rows[1..].iter().filter(|r| is_new(r[0]) == new);
        line(&rows[0]) + &body.map(line).collect::<String>()
    };
    (of(false), of(true))
}

/// The demo's tables are TSV whatever was asked for.
fn plain(common: &Common) -> Common {
    Common {
        json: false,
        ..common.clone()
    }
}

/// Both placements of each newcomer with their diagnostics.
fn summary(n: usize, labels: &[String], tables: &[Placements], lengths: &[f64]) -> String {
    let mut text = format!(
        "A map of {n} European cities from their road distances (km), and three newcomers:\n\n\
         {:<11}{:<13}{:>9}{:>9}{:>12}{:>12}{:>12}  {}\n",
        "newcomer", "strategy", "axis1", "axis2", "lambda", "objective", "residual", "status"
    );
    for (i, label) in labels.iter().enumerate() {
        for placements in tables {
            let y = placements.point(i);
            text += &format!(
                "{:<11}{:<13}{:>9.1}{:>9.1}{:>12.0}{:>12.4e}{:>12.4e}  {}\n",
                label,
                placements.strategy.word(),
                y[0],
                y[1],
                placements.lambda[i],
                placements.objective[i],
                placements.residual[i],
                placements.status[i]
            );
        }
        let Some(last) = tables.last() else { continue };
        text += &format!(
            "{:<11}the arc between them is {:.1} km long; stationarity {:.0e}, margin λ + c_min = {:.3e} ≥ 0: \
             no place is better\n\n",
            "", lengths[i], last.stationarity[i], last.margin[i]
        );
    }
    if tables.iter().any(|p| p.residual.iter().any(|r| *r < 0.0)) {
        text += "A negative residual: by road, that city is nearer to some of the others than any point could be.\n";
    }
    text
}

fn closing(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "The input, the map and both tables are in {folder}. To see them, open this page in a browser:\n\
         \x20 {folder}/europe.html\n\
         Next:\n\
         \x20 adjoin info {folder}/europe.adjoin\n\
         \x20 adjoin compare {folder}/europe.adjoin {folder}/new.tsv\n\
         \x20 adjoin arc {folder}/europe.adjoin {folder}/new.tsv -o arcs.tsv\n\
         \x20 adjoin place {folder}/europe.adjoin {folder}/cities.tsv --jointly -o together.tsv\n\
         \x20 adjoin report {folder}/europe.adjoin {folder}/cities.tsv --jointly -o together.html"
    )
}
