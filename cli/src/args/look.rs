//! Flags of what is for looking at (`plot`, `report`, `info`), and of `demo` and `convert`.

use std::path::PathBuf;

use adjoin::Strategy;
use adjoin_picture::Labels;
use clap::Args;

use super::{Certainty, Joining, Measuring, New, Reading, Telling, Transforming, one_of};
use crate::error::Error;

pub const PLOT_HELP: &str = "The format is that of the extension: .svg, .png or .pdf. One unit is as long on one axis as on the other, labels do not overlap (above 50 objects some are left out, newcomers' last), and text is 7 points high in print.

Without --strategy each newcomer is drawn where it is projected and where it is reconstructed, with the arc between them; --strategy project draws projections alone; another strategy is drawn in the place of reconstruct, with a line from the projection. With --uncertainty an ellipse around each place holds 95 % of what, given these axes, the old objects' disagreement allows.

Examples:
  adjoin plot map.adjoin new.tsv -o figure.pdf
  adjoin plot map.adjoin new.tsv --metadata samples.tsv --colour-by habitat \\
      --width 183 -o figure.svg
  adjoin plot map.adjoin all.tsv --jointly --axes 1,3 --dpi 600 -o figure.png
  adjoin plot map.adjoin new.tsv --uncertainty -o figure.svg
  adjoin plot map.adjoin -o figure.svg            the map alone";

pub const REPORT_HELP: &str = "One HTML file that opens from disk and needs no network: the map with pan and zoom, a slider that moves all newcomers along their arcs from projection to reconstruction (or to where --strategy places them), given against shown distances of the newcomer you choose, newcomers ranked by how unlike the old objects they are, whether the map should be fitted anew, the spectrum, and what was done for a methods section. With --uncertainty a region around each place holds 95 % of what, given these axes, the old objects' disagreement allows; with --uncertainty=refit around each place where the page opens.

Examples:
  adjoin report map.adjoin new.tsv -o page.html
  adjoin report map.adjoin new.tsv --metadata samples.tsv --title \"Soil\" -o page.html
  adjoin report map.adjoin all.tsv --jointly -o page.html
  adjoin report map.adjoin new.tsv --uncertainty -o page.html
  adjoin report map.adjoin new.tsv --beside hyperplane,stress -o page.html
  adjoin report map.adjoin -o page.html           the map alone";

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder to write to.
    #[arg(short, long, default_value = "adjoin-demo", value_name = "DIR")]
    pub output: PathBuf,
}

/// What a picture and a page show.
#[derive(Debug, Args)]
pub struct Shown {
    /// The map (for `plot`, any file of labelled coordinates will do).
    pub map: PathBuf,
    /// The newcomers: their features if the map was fitted to features, otherwise their proximities to the old
    /// objects; - for standard input.
    pub new: Option<PathBuf>,
    #[command(flatten)]
    pub telling: Telling,
    /// How to place the newcomers [default: by projection; pictures have reconstructions too].
    #[arg(long, value_parser = one_of(Strategy::ALL, Strategy::word))]
    pub strategy: Option<Strategy>,
    #[command(flatten)]
    pub joining: Joining,
    /// A table with a header; its first column holds labels of old objects and newcomers, the others colour and
    /// shape them.
    #[arg(long, value_name = "TABLE")]
    pub metadata: Option<PathBuf>,
    /// A table of numbers with a header and the old objects' labels in its first column (species, soil, climate): those
    /// that follow the axes are drawn as arrows, with r² and a permutation test.
    #[arg(long, value_name = "TABLE")]
    pub variables: Option<PathBuf>,
    /// Draw these axes the other way round: their direction has no meaning.
    #[arg(long, value_name = "AXES", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub flip: Vec<u32>,
    /// Words above the picture, or what the page is called [default: none, or the map's name].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

impl Shown {
    /// Whether each of d axes is drawn the other way round.
    pub fn flipped(&self, d: usize) -> Result<Vec<bool>, Error> {
        if let Some(axis) = self.flip.iter().find(|a| **a as usize > d) {
            return Err(Error::Request(format!(
                "--flip: found axis {axis}, expected axes of the map, which has {d}"
            )));
        }
        Ok((1..=d as u32).map(|a| self.flip.contains(&a)).collect())
    }

    /// The newcomers and whether they are placed jointly, if there are any; a strategy without them makes no sense.
    pub fn newcomers(&self) -> Result<Option<(New, bool)>, Error> {
        let jointly = self.joining.wanted(self.strategy)?;
        if self.new.is_none() && (jointly || self.strategy.is_some()) {
            return Err(Error::Usage(
                "found a strategy and no newcomers, expected NEW beside it".into(),
            ));
        }
        Ok(self.new.clone().map(|new| {
            let new = New {
                map: self.map.clone(),
                new,
                telling: self.telling.clone(),
            };
            (new, jointly)
        }))
    }
}

#[derive(Debug, Args)]
pub struct Plot {
    #[command(flatten)]
    pub shown: Shown,
    /// The picture to write: .svg, .png or .pdf.
    #[arg(short, long, value_name = "FIGURE")]
    pub output: PathBuf,
    /// The width in millimetres: 89 is a column of a journal, 183 a page.
    #[arg(long, value_name = "MM", default_value_t = adjoin_picture::COLUMN)]
    pub width: f64,
    /// The height in millimetres [default: by the shape of the map].
    #[arg(long, value_name = "MM")]
    pub height: Option<f64>,
    /// Dots per inch of a PNG.
    #[arg(long, value_name = "N", default_value_t = 300.0)]
    pub dpi: f64,
    /// Which axes, across and up [default: 1,2].
    #[arg(long, value_name = "A,B", value_parser = parse_pair)]
    pub axes: Option<[usize; 2]>,
    /// Which labels are written: all if the objects are few and newcomers' otherwise (auto), all that fit, newcomers' (new),
    /// or none.
    #[arg(long, default_value = "auto", value_parser = one_of(Labels::ALL, Labels::word))]
    pub show_labels: Labels,
    /// Leave labels out: the same as --show-labels none.
    #[arg(long, conflicts_with = "show_labels")]
    pub no_labels: bool,
    /// What the axes are called before their number, such as PCo [default: axis].
    #[arg(long, value_name = "WORD", default_value = "axis")]
    pub axis_names: String,
    /// Colour by this column of the metadata.
    #[arg(long, alias = "color-by", value_name = "COLUMN", requires = "metadata")]
    pub colour_by: Option<String>,
    /// Shape by this column of the metadata.
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    pub shape_by: Option<String>,
    /// Size by this column of the metadata.
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    pub size_by: Option<String>,
    #[command(flatten)]
    pub certainty: Certainty,
    /// Draw the 95 % ellipse of the old objects of each class that colours.
    #[arg(long, requires = "colour_by")]
    pub ellipses: bool,
    /// Draw the hull of the old objects of each class that colours.
    #[arg(long, requires = "colour_by")]
    pub hulls: bool,
    /// Draw a line from the centroid of each class that colours to each of its old objects.
    #[arg(long, requires = "colour_by")]
    pub spiders: bool,
}

#[derive(Debug, Args)]
pub struct Report {
    #[command(flatten)]
    pub shown: Shown,
    /// Further strategies to compare with, side by side: hyperplane, augment, stress (projection and reconstruction are
    /// always there).
    #[arg(long, value_name = "STRATEGIES", value_delimiter = ',', requires = "new", value_parser = one_of(Strategy::ALL, Strategy::word))]
    pub beside: Vec<Strategy>,
    #[command(flatten)]
    pub certainty: Certainty,
    /// The page to write.
    #[arg(short, long, value_name = "PAGE")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct Info {
    /// The map, or a file of proximities in any format.
    pub map: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Man {
    /// The command whose page to print.
    pub command: Option<String>,
    /// Write all pages into this folder instead.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Convert {
    /// Proximities in any format, or a map; with --metric or --kernel, features.
    pub input: PathBuf,
    /// The file to write; the format is that of its extension.
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub transforming: Transforming,
    #[command(flatten)]
    pub measuring: Measuring,
    /// Of a map to .ordination: a table of numbers with the objects' labels in its first column, whose biplot scores are
    /// written too; Emperor draws them as arrows.
    #[arg(long, value_name = "TABLE")]
    pub variables: Option<PathBuf>,
}

fn parse_pair(text: &str) -> Result<[usize; 2], String> {
    let axes: Result<Vec<usize>, _> = text.split(',').map(|a| a.trim().parse()).collect();
    match axes.as_deref() {
        Ok(&[a, b]) if a > 0 && b > 0 && a != b => Ok([a, b]),
        _ => Err("expected two axes divided by a comma, such as 1,2".into()),
    }
}
