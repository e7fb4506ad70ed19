//! `adjoin plot`: the map, its newcomers and their arcs as a picture for print.

mod arrived;
mod format;

use std::collections::{HashMap, HashSet};

use adjoin::{Map, PlaceSettings, Strategy, place_on_configuration};
use adjoin_formats::{Metadata, is_map, read_configuration, read_map, read_metadata};
use adjoin_look::look;
use adjoin_picture::{Arrow, Column, Drawing, Labels, Scene, draw};

use faer::Mat;

use self::arrived::Arrived;
use self::format::Format;
use crate::args::{Common, Plot};
use crate::error::Error;
use crate::input::{self, wrong};
use crate::table::{self, Old};
use crate::variables::Fitted;
use crate::words::Words;

/// Labels that a message lists before it says how many more there are.
const LISTED: usize = 10;

pub fn run(args: &Plot, common: &Common, words: &Words) -> Result<u8, Error> {
    let format = Format::of(&args.output)?;
    let shown = &args.shown;
    let newcomers = shown.newcomers()?;
    if shown.metadata.is_some()
        && args.colour_by.is_none()
        && args.shape_by.is_none()
        && args.size_by.is_none()
    {
        return Err(Error::Usage(
            "found --metadata alone, expected --colour-by, --shape-by or --size-by beside it"
                .into(),
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
            let strategy = shown.strategy.filter(|_| !jointly);
            args.certainty
                .check(strategy.unwrap_or(Strategy::Reconstruct))?;
            (file, arrivals) = input::on_map(new, between, common, words)?;
            let options = new.telling.reading.options(common);
            let square = input::old(&args.certainty, &file, &options, run, words)?;
            let uncertainty = input::uncertainty(&args.certainty, square.as_ref());
            let asked = (uncertainty, &args.certainty);
            arrived = if !*jointly && file.map.link().is_some() {
                Arrived::by_link(&file.map, arrivals, shown.strategy, run, words)?
            } else if *jointly {
                Arrived::jointly(&file.map, &arrivals, asked, run, words)?
            } else {
                Arrived::one_by_one(&file.map, &arrivals, shown.strategy, asked, run, words)?
            };
        } else {
            args.certainty.without_newcomers()?;
            file = read_map(&shown.map)?;
        }
        (Old::from(&file.map), arrived)
    } else if let Some((new, _)) = &newcomers {
        if shown.strategy != Some(Strategy::Stress) {
            // The map's own reader says best what is wrong with a file that is none.
            read_map(&shown.map)?;
        }
        args.certainty.without_newcomers()?;
        let arrivals;
        (given, arrivals) = input::on_configuration(new, common, words)?;
        let old = Old::from(&given);
        let how = PlaceSettings::by(Strategy::Stress);
        let placements = place_on_configuration(
            old.coordinates,
            old.labels,
            &arrivals.newcomers(),
            &how,
            run,
        )
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

/// Two axes of a map, from 0, and 1 or −1 for the direction in which each is drawn; none up for a map on a line.
#[derive(Clone, Copy)]
struct Axes {
    across: (usize, f64),
    up: Option<(usize, f64)>,
}

impl Axes {
    fn of(self, y: &[f64]) -> [f64; 2] {
        self.at(|axis| y[axis])
    }

    fn at(self, y: impl Fn(usize) -> f64) -> [f64; 2] {
        let (across, sign) = self.across;
        [
            sign * y(across),
            self.up.map_or(0.0, |(up, sign)| sign * y(up)),
        ]
    }
}

/// From this width on, in millimetres, there is room beside an axis to say what its share is of, if its name is no longer
/// than so many letters.
const ROOM: f64 = 80.0;
const SHORT: usize = 8;

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
        // Nothing is known of the variance on the axes of coordinates without a map, or with a link.
        let map = self.old.map.filter(|map| map.link().is_none());
        let shares = map.map_or(Vec::new(), Map::proportions);
        let name = &args.axis_names;
        let title = |(axis, of): (usize, &str)| match shares.get(axis).filter(|s| s.is_finite()) {
            Some(share) => format!("{name} {} ({:.1} %{of})", axis + 1, 100.0 * share),
            None => format!("{name} {}", axis + 1),
        };
        // What the shares are of, said once, where there is room.
        let said = &adjoin_look::look().words;
        let complete = map.is_some_and(|map| map.diagram().summary().complete);
        let of = if args.width < ROOM || name.chars().count() > SHORT {
            String::new()
        } else if complete {
            format!(" {}", said.complete)
        } else {
            format!(" {}", said.incomplete)
        };
        let column = |name: &Option<String>| match (metadata, name) {
            (Some(metadata), Some(name)) => self.column(metadata, name).map(Some),
            _ => Ok(None),
        };
        let scene = Scene {
            axes: [Some((axes.across.0, &of[..])), axes.up.map(|up| (up.0, ""))]
                .into_iter()
                .flatten()
                .map(title)
                .collect(),
            labels: self.old.labels,
            points: (0..self.old.labels.len())
                .map(|i| axes.at(|axis| self.old.coordinates[(i, axis)]))
                .collect(),
            newcomers: self.arrived.newcomers(d, axes),
            words: self.arrived.words(),
            colour: column(&args.colour_by)?,
            shape: column(&args.shape_by)?,
            size: column(&args.size_by)?,
            strategy: self.arrived.by_another_strategy(),
            note: self.note(),
            arrows: self.arrows(args, axes, words)?,
        };
        let settings = adjoin_picture::Settings {
            width: args.width,
            height: args.height,
            title: args.shown.title.clone(),
            labels: if args.no_labels {
                Labels::None
            } else {
                args.show_labels
            },
            ellipses: args.ellipses,
            hulls: args.hulls,
            spiders: args.spiders,
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
        let shown = match args.axes {
            Some(axes) if axes.iter().any(|a| *a > d) => Err(Error::Request(format!(
                "found axes {},{}, expected axes of the map, which has {d}",
                axes[0], axes[1]
            ))),
            Some([across, up]) => Ok([across - 1, up - 1]),
            None => Ok([0, 1]),
        }?;
        let flipped = args.shown.flipped(d)?;
        let turned = |axis: usize| (axis, if flipped[axis] { -1.0 } else { 1.0 });
        Ok(Axes {
            across: turned(shown[0]),
            up: (d > 1).then(|| turned(shown[1])),
        })
    }

    /// Variables on the axes shown, as long as the map allows.
    fn arrows(&self, args: &Plot, axes: Axes, words: &Words) -> Result<Vec<Arrow>, Error> {
        let (Some(path), Some((up, _))) = (&args.shown.variables, axes.up) else {
            return Ok(Vec::new());
        };
        let shown = [axes.across.0, up];
        let x = self.old.coordinates;
        let two = Mat::from_fn(x.nrows(), 2, |i, j| x[(i, shown[j])]);
        let own = |axis: usize| (self.old.map).map_or(1.0, |m| m.diagram().eigenvalues()[axis]);
        let fitted = Fitted::read(path, self.old.labels, two.as_ref(), &shown.map(own))?;
        let strongest = fitted.shown();
        let all = fitted.names.len();
        words.say(format_args!(
            "{} of {all} variables follow these axes (p ≤ 0.05, 999 permutations) and are shown",
            strongest.len()
        ));
        for &j in &strongest {
            let v = &fitted.variables;
            let (r2, p) = (v.r2[j], v.p[j]);
            words.say(format_args!(
                "  {}: r² = {r2:.3}, p = {p:.3}",
                fitted.names[j]
            ));
        }
        let share = look().arrows.reach;
        let reach = (0..x.nrows())
            .map(|i| two[(i, 0)].hypot(two[(i, 1)]))
            .fold(0.0, f64::max);
        let ends: Vec<Vec<f64>> = strongest
            .iter()
            .map(|&j| fitted.variables.arrow(j))
            .collect();
        let longest = ends.iter().map(|e| e[0].hypot(e[1])).fold(0.0, f64::max);
        let arrow = |(&j, end): (&usize, &Vec<f64>)| Arrow {
            label: fitted.names[j].clone(),
            to: axes.at(|axis| share * reach / longest * end[usize::from(axis != shown[0])]),
        };
        Ok(strongest.iter().zip(&ends).map(arrow).collect())
    }

    /// What the percentages on the axes are of.
    fn note(&self) -> String {
        let Some(diagram) = self.old.map.map(|m| m.diagram()) else {
            return String::new();
        };
        let of = if diagram.summary().complete {
            "the sum of the positive eigenvalues"
        } else {
            "the trace"
        };
        if diagram.parts().given {
            return String::new();
        }
        format!(" Percentages are shares of {of}.")
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
    if !args.no_labels && args.show_labels != Labels::None && drawing.labelled < drawing.objects {
        words.say(format_args!(
            "{} of {} labels are shown (--show-labels all writes all that fit, and a larger --width has room for more)",
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
        let who = match drawing.unclassed {
            1 => "1 class has".to_owned(),
            n => format!("{n} classes share"),
        };
        words.say(format_args!(
            "{who} the last colour or shape: there are more than can be told apart"
        ));
    }
    if !drawing.unknown_letters.is_empty() && format != Format::Svg {
        let some: String = drawing.unknown_letters.iter().take(LISTED).collect();
        words.say(format_args!(
            "letters that are not in the bundled font are drawn by a font of this system, or as boxes: {some}"
        ));
    }
}
