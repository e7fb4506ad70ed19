//! `adjoin plot`: the map, its newcomers and their arcs as a picture for print.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use adjoin::border::Border;
use adjoin::model::{Bordered, Model};
use adjoin::place::{Settings, place_on_configuration};
use adjoin::placement::{Placements, Strategy};
use adjoin::streaming::Streamed;
use adjoin_formats::{
    Configuration, Metadata, is_map, read_configuration, read_map, read_metadata,
};
use adjoin_picture::{Column, Drawing, Newcomer, Scene, draw};
use faer::MatRef;

use crate::add;
use crate::args::{Common, New, Plot};
use crate::error::{Error, at};
use crate::input::{self, Arrivals, Wanted};
use crate::table;
use crate::words::{Words, put};

/// Points on an arc: smooth for the eye, and few enough for a small file when arcs are many.
const SMOOTH: usize = 33;
const COARSE: usize = 9;
const MANY_ARCS: usize = 300;
/// Labels that a message lists before it says how many more there are.
const LISTED: usize = 10;

pub fn run(args: &Plot, common: &Common, words: &Words) -> Result<u8, Error> {
    let format = Format::of(&args.output)?;
    let named: Option<Strategy> = args.strategy.map(Into::into);
    let jointly = add::jointly(named, &args.jointly, &args.between)?;
    if args.new.is_none() && (named.is_some() || jointly.is_some()) {
        return Err(Error::Usage(
            "found a strategy and no newcomers, expected NEW beside it".into(),
        ));
    }
    if args.metadata.is_some() && args.colour_by.is_none() && args.shape_by.is_none() {
        return Err(Error::Usage(
            "found --metadata alone, expected --colour-by or --shape-by beside it".into(),
        ));
    }
    let metadata = args.metadata.as_deref().map(read_metadata).transpose()?;
    let new = args.new.clone().map(|new| New {
        map: args.map.clone(),
        new,
        itself: args.itself.clone(),
        weights: args.weights.clone(),
        reading: args.reading.clone(),
        proximities: args.proximities,
    });

    // Whose picture it is: a map's, or that of coordinates without one.
    if !is_map(&args.map) && args.map.as_os_str() != "-" {
        return on_configuration(args, new, &metadata, format, common, words);
    }
    let (map, arrived) = match &new {
        None => (read_map(&args.map)?, Arrived::default()),
        Some(new) => {
            let file = jointly.as_ref().and_then(|file| file.as_deref());
            let wanted = match jointly {
                Some(_) => Wanted::Together,
                None => Wanted::Blocks,
            };
            let (map, mut arrivals) = input::arrivals(new, file, wanted, common, words)?;
            let arrived = match jointly {
                Some(_) => Arrived::jointly(&map.model, &mut arrivals, common, words)?,
                None => Arrived::one_by_one(&map.model, &mut arrivals, named, common, words)?,
            };
            (map, arrived)
        }
    };
    words.done();
    let model = &map.model;
    let shown = Shown {
        labels: model.labels(),
        coordinates: model.configuration(),
        shares: model.diagram().proportions(),
        arrived,
    };
    shown.finish(args, &metadata, format, words)
}

/// A picture of coordinates that are not a map; newcomers only by stress.
fn on_configuration(
    args: &Plot,
    new: Option<New>,
    metadata: &Option<Metadata>,
    format: Format,
    common: &Common,
    words: &Words,
) -> Result<u8, Error> {
    let stress = args.strategy.map(Into::into) == Some(Strategy::Stress);
    let Some(new) = new else {
        let given = read_configuration(&args.map)?;
        return Shown::of(&given, Arrived::default()).finish(args, metadata, format, words);
    };
    if !stress {
        // The map's own reader says best what is wrong with a file that is none.
        read_map(&args.map)?;
    }
    let (given, mut arrivals) = input::on_configuration(&new, common)?;
    let coordinates =
        MatRef::from_row_major_slice(&given.coordinates, given.labels.len(), given.dimensions);
    let watch = |p| words.progress(p);
    let settings = Settings {
        strategy: Strategy::Stress,
        threads: common.threads,
        watch: Some(&watch),
        ..Default::default()
    };
    let mut arrived = Arrived::default();
    arrivals.each_block(|_, newcomers| {
        let some = place_on_configuration(coordinates, &given.labels, newcomers, &settings)?;
        arrived.place(some);
        Ok(())
    })?;
    words.done();
    let arrived = arrived.named(&arrivals)?;
    Shown::of(&given, arrived).finish(args, metadata, format, words)
}

/// The newcomers and all that is drawn of them.
#[derive(Default)]
struct Arrived {
    labels: Vec<String>,
    /// Row by row; empty if no projections are drawn.
    projections: Vec<f64>,
    /// By the strategy that was asked for, be it projection.
    placements: Option<Placements>,
    jointly: bool,
    /// Each newcomer's arc, row by row; empty if none are drawn.
    arcs: Vec<Vec<f64>>,
}

impl Arrived {
    /// Places newcomers each by itself: by projection, and by the strategy if it is another.
    fn one_by_one(
        model: &Model,
        arrivals: &mut Arrivals,
        named: Option<Strategy>,
        common: &Common,
        words: &Words,
    ) -> Result<Self, Error> {
        let mut arrived = Arrived::default();
        let watch = |p| words.progress(p);
        let points = match arrivals.labels.len() > MANY_ARCS {
            true => COARSE,
            false => SMOOTH,
        };
        let mut strategy = named.unwrap_or(Strategy::Reconstruct);
        // All that is drawn of some newcomers, from what they are to the map.
        let mut draw = |bordered: &Bordered, newcomers: &Streamed<'_>| {
            if named.is_none() && !beta_known(&bordered.border) {
                strategy = Strategy::Project;
            }
            let settings = Settings {
                strategy,
                threads: common.threads,
                watch: Some(&watch),
                ..Default::default()
            };
            let projected = model.project(bordered);
            arrived.place(match strategy {
                Strategy::Project => projected.clone(),
                _ => model.place(newcomers, &settings)?,
            });
            arrived.project(projected);
            if strategy == Strategy::Reconstruct {
                for curve in model.arcs_of(bordered, points)? {
                    arrived
                        .arcs
                        .push(curve.map_or(Vec::new(), |c| c.coordinates));
                }
            }
            Ok(())
        };
        if let Some(features) = arrivals.features() {
            let weights = arrivals.weights.as_deref();
            let drawn = model.by_features(features, |streamed| {
                let streamed = Streamed {
                    weights,
                    ..*streamed
                };
                draw(
                    &model.border(&streamed, common.threads, Some(&watch))?,
                    &streamed,
                )
            });
            drawn.map_err(at(&arrivals.source, &arrivals.lines))?;
        } else {
            arrivals.each_block(|_, newcomers| {
                let streamed = input::streamed_block(newcomers);
                draw(
                    &model.border(&streamed, common.threads, Some(&watch))?,
                    &streamed,
                )
            })?;
        }
        if named.is_none() && strategy == Strategy::Project {
            words.say(
                "newcomers are drawn where they are projected only: where they are reconstructed \
                 depends on their similarity to themselves (--self)",
            );
        }
        arrived.named(arrivals)
    }

    /// Places newcomers all together.
    fn jointly(
        model: &Model,
        arrivals: &mut Arrivals,
        common: &Common,
        words: &Words,
    ) -> Result<Self, Error> {
        let together = add::together(model, arrivals, common, words)?;
        add::say_how_sure(&together, words);
        let mut arrived = Arrived {
            jointly: true,
            placements: Some(together.placements),
            ..Default::default()
        };
        arrivals.each_block(|_, newcomers| {
            let streamed = input::streamed_block(newcomers);
            arrived.project(model.project(&model.border(&streamed, common.threads, None)?));
            Ok(())
        })?;
        arrived.named(arrivals)
    }

    fn project(&mut self, projected: Placements) {
        self.projections.extend(projected.coordinates);
    }

    fn place(&mut self, placed: Placements) {
        match &mut self.placements {
            None => self.placements = Some(placed),
            Some(all) => all.append(placed),
        }
    }

    fn named(mut self, arrivals: &Arrivals) -> Result<Self, Error> {
        if arrivals.labels.is_empty() {
            return Err(add::nobody(&arrivals.source));
        }
        self.labels = arrivals.labels.clone();
        Ok(self)
    }

    /// What the legend calls places, and the ways to them.
    fn words(&self) -> adjoin_picture::Words {
        let mut words = adjoin_picture::Words::default();
        let strategy = self.placements.as_ref().map(|p| p.strategy);
        if self.jointly {
            words.place = "reconstructed jointly".into();
        } else if let Some(strategy) = strategy.filter(|s| *s != Strategy::Reconstruct) {
            words.place = format!("by {}", strategy.word());
        }
        if self.arcs.is_empty() {
            words.way = "from projection".into();
        }
        words
    }

    /// Each newcomer on two axes of d.
    fn newcomers(&self, d: usize, axes: Axes) -> Vec<Newcomer<'_>> {
        let mut newcomers: Vec<Newcomer<'_>> = Vec::new();
        for (i, label) in self.labels.iter().enumerate() {
            let projection = self.projections.get(i * d..(i + 1) * d);
            let projection = projection.map(|y| axes.of(y)).filter(finite);
            let mut newcomer = Newcomer {
                label,
                projection,
                ..Default::default()
            };
            if let Some(placements) = &self.placements
                && placements.strategy != Strategy::Project
            {
                newcomer.place = Some(axes.of(placements.point(i))).filter(finite);
            }
            newcomer.way = match (self.arcs.get(i), projection, newcomer.place) {
                (Some(arc), ..) => arc.chunks_exact(d).map(|y| axes.of(y)).collect(),
                (None, Some(from), Some(to)) => vec![from, to],
                _ => Vec::new(),
            };
            newcomers.push(newcomer);
        }
        for (i, other) in self.placements.iter().flat_map(|p| &p.alternatives) {
            newcomers[*i].others.push(axes.of(other));
        }
        newcomers
    }
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

/// Whether β is known of all that could be placed: without a self-similarity it is not.
fn beta_known(border: &Border) -> bool {
    let placed = |i: usize| border.projection(i).iter().all(|v| v.is_finite());
    (0..border.count()).all(|i| border.beta[i].is_finite() || !placed(i))
}

fn finite(p: &[f64; 2]) -> bool {
    p[0].is_finite() && p[1].is_finite()
}

/// All that a picture is made from.
struct Shown<'a> {
    labels: &'a [String],
    coordinates: MatRef<'a, f64>,
    /// The share of the variance on each axis; empty if nothing is known of it.
    shares: Vec<f64>,
    arrived: Arrived,
}

impl<'a> Shown<'a> {
    fn of(given: &'a Configuration, arrived: Arrived) -> Self {
        let (n, d) = (given.labels.len(), given.dimensions);
        Self {
            labels: &given.labels,
            coordinates: MatRef::from_row_major_slice(&given.coordinates, n, d),
            shares: Vec::new(),
            arrived,
        }
    }

    /// Draws, writes, and says what is not to be seen.
    fn finish(
        &self,
        args: &Plot,
        metadata: &Option<Metadata>,
        format: Format,
        words: &Words,
    ) -> Result<u8, Error> {
        let d = self.coordinates.ncols();
        let axes = self.axes(args)?;
        let title = |axis: usize| match self.shares.get(axis).filter(|s| s.is_finite()) {
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
            labels: self.labels,
            points: (0..self.labels.len())
                .map(|i| {
                    let at = |axis| self.coordinates[(i, axis)];
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
            title: args.title.clone(),
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
        let unplaced = unplaced.unwrap_or_default();
        for line in &unplaced {
            put(format_args!("adjoin: {line}"));
        }
        Ok(if unplaced.is_empty() {
            0
        } else {
            crate::INCOMPLETE
        })
    }

    fn axes(&self, args: &Plot) -> Result<Axes, Error> {
        let d = self.coordinates.ncols();
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
            old: look(self.labels),
            new: look(&self.arrived.labels),
        })
    }

    fn say_of_strangers(&self, metadata: &Metadata, words: &Words) {
        let known: HashSet<&String> = self.labels.iter().chain(&self.arrived.labels).collect();
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

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            Some("pdf") => Ok(Format::Pdf),
            _ => Err(Error::Usage(format!(
                "found -o {}, expected a name that ends in .svg, .png or .pdf",
                path.display()
            ))),
        }
    }

    #[cfg(feature = "convert")]
    fn bytes(self, drawing: &Drawing, dpi: f64) -> Result<Vec<u8>, Error> {
        let bytes = match self {
            Format::Svg => Ok(drawing.svg.clone().into_bytes()),
            Format::Png => adjoin_picture::png(drawing, dpi),
            Format::Pdf => adjoin_picture::pdf(drawing),
        };
        bytes.map_err(|e| match e {
            adjoin_picture::Error::Dots { .. } => Error::Usage(e.to_string()),
            e => Error::Request(e.to_string()),
        })
    }

    #[cfg(not(feature = "convert"))]
    fn bytes(self, drawing: &Drawing, _: f64) -> Result<Vec<u8>, Error> {
        match self {
            Format::Svg => Ok(drawing.svg.clone().into_bytes()),
            _ => Err(Error::Usage(
                "found a picture to write as PNG or PDF, expected SVG: this program was built without \
                 the feature `convert`"
                    .into(),
            )),
        }
    }
}
