//! `adjoin plot`: the map, its newcomers and their arcs as a picture for print.

mod arrived;
mod format;

use std::collections::{HashMap, HashSet};

use adjoin::{Strategy, place_on_configuration};
use adjoin_formats::{Metadata, is_map, read_configuration, read_map, read_metadata};
use adjoin_picture::{Column, Drawing, Scene, draw};

use self::arrived::Arrived;
use self::format::Format;
use crate::args::{Common, Plot};
use crate::error::Error;
use crate::input::{self, wrong};
use crate::table::{self, Old};
use crate::words::Words;

/// Labels that a message lists before it says how many more there are.
const LISTED: usize = 10;

pub fn run(args: &Plot, common: &Common, words: &Words) -> Result<u8, Error> {
    let format = Format::of(&args.output)?;
    let shown = &args.shown;
    let newcomers = shown.newcomers()?;
    if shown.metadata.is_some() && args.colour_by.is_none() && args.shape_by.is_none() {
        return Err(Error::Usage(
            "found --metadata alone, expected --colour-by or --shape-by beside it".into(),
        ));
    }
    let metadata = shown.metadata.as_deref().map(read_metadata).transpose()?;
    let watch = |p| words.progress(p);
    let run = common.run(&watch);

    // Whose picture it is: a map's, or that of coordinates without one, which have newcomers only by stress.
    let (file, given);
    let (old, arrived): (Old<'_>, Arrived) = if is_map(&shown.map) || shown.map.as_os_str() == "-" {
        let mut arrived = Arrived::default();
        if let Some((new, jointly)) = &newcomers {
            let between = shown.joining.between.as_deref();
            let arrivals;
            (file, arrivals) = input::on_map(new, between, common, words)?;
            arrived = if *jointly {
                Arrived::jointly(&file.map, &arrivals, run, words)?
            } else {
                Arrived::one_by_one(&file.map, &arrivals, shown.strategy, run, words)?
            };
        } else {
            file = read_map(&shown.map)?;
        }
        (Old::from(&file.map), arrived)
    } else if let Some((new, _)) = &newcomers {
        if shown.strategy != Some(Strategy::Stress) {
            // The map's own reader says best what is wrong with a file that is none.
            read_map(&shown.map)?;
        }
        let arrivals;
        (given, arrivals) = input::on_configuration(new, common, words)?;
        let old = Old::from(&given);
        let placements =
            place_on_configuration(old.coordinates, old.labels, &arrivals.newcomers(), run)
                .map_err(wrong(&arrivals))?;
        input::say_unit(&given, &arrivals, words);
        (old, Arrived::placed(arrivals.labels, placements))
    } else {
        given = read_configuration(&shown.map)?;
        (Old::from(&given), Arrived::default())
    };
    words.done();
    let picture = Picture { old, arrived };
    picture.finish(args, metadata.as_ref(), format, words)
}

/// Two axes of a map, from 0; none up for a map on a line.
#[derive(Clone, Copy)]
struct Axes {
    across: usize,
    up: Option<usize>,
}

impl Axes {
    fn of(self, y: &[f64]) -> [f64; 2] {
        [y[self.across], self.up.map_or(0.0, |up| y[up])]
    }
}

/// All that a picture is made from.
struct Picture<'a> {
    old: Old<'a>,
    arrived: Arrived,
}

impl Picture<'_> {
    /// Draws, writes, and says what is not to be seen.
    fn finish(
        &self,
        args: &Plot,
        metadata: Option<&Metadata>,
        format: Format,
        words: &Words,
    ) -> Result<u8, Error> {
        let d = self.old.coordinates.ncols();
        let axes = self.axes(args)?;
        // Nothing is known of the variance on the axes of coordinates without a map.
        let shares = (self.old.map).map_or(Vec::new(), |map| map.diagram().proportions());
        let title = |axis: usize| match shares.get(axis).filter(|s| s.is_finite()) {
            Some(share) => format!("axis {} ({:.1} %)", axis + 1, 100.0 * share),
            None => format!("axis {}", axis + 1),
        };
        let column = |name: &Option<String>| match (metadata, name) {
            (Some(metadata), Some(name)) => self.column(metadata, name).map(Some),
            _ => Ok(None),
        };
        let scene = Scene {
            axes: [Some(axes.across), axes.up]
                .into_iter()
                .flatten()
                .map(title)
                .collect(),
            labels: self.old.labels,
            points: (0..self.old.labels.len())
                .map(|i| {
                    let at = |axis| self.old.coordinates[(i, axis)];
                    [at(axes.across), axes.up.map_or(0.0, at)]
                })
                .collect(),
            newcomers: self.arrived.newcomers(d, axes),
            words: self.arrived.words(),
            colour: column(&args.colour_by)?,
            shape: column(&args.shape_by)?,
        };
        let settings = adjoin_picture::Settings {
            width: args.width,
            height: args.height,
            title: args.shown.title.clone(),
            labels: !args.no_labels,
        };
        let drawing = draw(&scene, &settings).map_err(|e| Error::Usage(e.to_string()))?;
        table::put(&format.bytes(&drawing, args.dpi)?, &args.output)?;
        if let Some(metadata) = metadata {
            self.say_of_strangers(metadata, words);
        }
        say(&drawing, args, format, words);
        let placements = self.arrived.placements.as_ref();
        let unplaced = placements.map(|p| table::unplaced(&self.arrived.labels, p));
        Ok(table::incomplete(&unplaced.unwrap_or_default()))
    }

    fn axes(&self, args: &Plot) -> Result<Axes, Error> {
        let d = self.old.coordinates.ncols();
        match args.axes {
            Some(axes) if axes.iter().any(|a| *a > d) => Err(Error::Request(format!(
                "found axes {},{}, expected axes of the map, which has {d}",
                axes[0], axes[1]
            ))),
            Some([across, up]) => Ok(Axes {
                across: across - 1,
                up: Some(up - 1),
            }),
            None => Ok(Axes {
                across: 0,
                up: (d > 1).then_some(1),
            }),
        }
    }

    /// What a column of the metadata says of each object.
    fn column(&self, metadata: &Metadata, name: &str) -> Result<Column, Error> {
        let Some((_, cells)) = metadata.columns.iter().find(|(n, _)| n == name) else {
            let names: Vec<&str> = metadata.columns.iter().map(|(n, _)| n.as_str()).collect();
            return Err(Error::Request(format!(
                "{}: found no column {name:?}, expected one of {}",
                metadata.source,
                names.join(", ")
            )));
        };
        let labels = metadata.labels.iter().map(String::as_str);
        let cells: HashMap<&str, &Option<String>> = labels.zip(cells).collect();
        let look = |labels: &[String]| -> Vec<String> {
            let cell = |label: &String| cells.get(label.as_str()).and_then(|c| c.as_deref());
            labels
                .iter()
                .map(|l| cell(l).unwrap_or_default().to_owned())
                .collect()
        };
        Ok(Column {
            title: name.to_owned(),
            old: look(self.old.labels),
            new: look(&self.arrived.labels),
        })
    }

    fn say_of_strangers(&self, metadata: &Metadata, words: &Words) {
        let known: HashSet<&String> = self.old.labels.iter().chain(&self.arrived.labels).collect();
        let strangers = metadata
            .labels
            .iter()
            .filter(|l| !known.contains(l))
            .count();
        if strangers > 0 {
            words.say(format_args!(
                "{}: {strangers} of {} labels are neither on the map nor newcomers",
                metadata.source,
                metadata.labels.len()
            ));
        }
    }
}

/// What is not to be seen in the picture, and why.
fn say(drawing: &Drawing, args: &Plot, format: Format, words: &Words) {
    if !args.no_labels && drawing.labelled < drawing.objects {
        words.say(format_args!(
            "{} of {} labels are shown, the others would overlap (a larger --width has room for more)",
            drawing.labelled, drawing.objects
        ));
    }
    if !drawing.nameless.is_empty() {
        let some = &drawing.nameless[..drawing.nameless.len().min(LISTED)];
        let more = drawing.nameless.len() - some.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        words.say(format_args!(
            "newcomers without a label: {}{more}",
            some.join(", ")
        ));
    }
    if drawing.unclassed > 0 {
        words.say(format_args!(
            "{} classes share the last colour or shape: there are more than can be told apart",
            drawing.unclassed
        ));
    }
    if !drawing.unknown_letters.is_empty() && format != Format::Svg {
        let some: String = drawing.unknown_letters.iter().take(LISTED).collect();
        words.say(format_args!(
            "letters that are not in the bundled font are drawn by a font of this system, or as boxes: {some}"
        ));
    }
}
