//! What commands read: maps, and newcomers with all that comes beside them.

use std::borrow::Cow;
use std::path::Path;

use adjoin::Newcomers;
use adjoin::features::Features;
use adjoin::measure::Measured;
use adjoin::model::{Finish, Method, Model};
use adjoin::proximity::Kind;
use adjoin::rows;
use adjoin::streaming::Streamed;
use adjoin_formats::{
    Configuration, Format, Map, Matrix, NpyBlocks, ReadOptions, is_map, match_between,
    match_newcomers, newcomer_positions, read, read_configuration, read_features, read_labels,
    read_map, read_numbers, read_texts,
};
use faer::MatRef;

use crate::args::{Common, New, Reading};
use crate::error::{Error, at};
use crate::words::Words;

/// Bytes of new proximities held at a time when they are streamed.
const BLOCK_BYTES: usize = 32 << 20;

/// How to read a file of proximities, by the flags.
pub fn options(reading: &Reading, common: &Common) -> ReadOptions {
    ReadOptions {
        format: reading.format,
        labels: reading.labels.clone(),
        long_columns: reading.columns.clone().map(|c| c.0),
        threads: common.threads,
        digest: false,
    }
}

/// Reads proximities; a map in their place is told apart from a damaged file.
pub fn proximities(path: &Path, options: &ReadOptions) -> Result<Matrix, Error> {
    if is_map(path) {
        return Err(Error::Request(format!(
            "{}: found a map, expected proximities",
            path.display()
        )));
    }
    Ok(read(path, options)?)
}

/// How newcomers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A few at a time.
    Blocks,
    /// All at once.
    Whole,
    /// All at once, with what is between them.
    Together,
}

/// Whether newcomers' proximities are those to the diagram's objects and its coordinates are the map's.
pub fn is_direct(model: &Model) -> bool {
    !matches!(model.method(), Method::Isomap(_) | Method::Laplacian(_))
        && model.parts().finish == Finish::None
}

/// The newcomers of a block as the model takes them.
pub fn streamed_block<'a>(newcomers: &'a Newcomers<'a>) -> Streamed<'a> {
    Streamed {
        rows: &newcomers.proximities,
        labels: newcomers.labels,
        self_similarity: newcomers.self_similarity,
        weights: newcomers.weights,
        missing: newcomers.missing,
    }
}

/// The newcomers of a command: in memory, in an array on disk that is read block by block, or as features.
pub struct Arrivals {
    pub labels: Vec<String>,
    /// The line of each newcomer in its file, 0 where the format has none.
    pub lines: Vec<u64>,
    /// The file's name, for messages.
    pub source: String,
    /// What is between the newcomers, k × k, if anything is.
    pub between: Option<Vec<f64>>,
    /// What is between the old objects, n × n, if the file has it and all is wanted at once.
    pub old: Option<Vec<f64>>,
    pub self_similarity: Option<Vec<f64>>,
    pub weights: Option<Vec<f64>>,
    cross: Cross,
    columns: usize,
}

enum Cross {
    Memory(Vec<f64>),
    Disk(NpyBlocks),
    Features(Box<Features>),
}

/// Reads the map and the newcomers. `between` is a file of proximities between the newcomers.
pub fn arrivals(
    args: &New,
    between: Option<&Path>,
    wanted: Wanted,
    common: &Common,
    words: &Words,
) -> Result<(Map, Arrivals), Error> {
    let map = read_map(&args.map)?;
    let model = &map.model;
    let options = options(&args.reading, common);
    let whole = wanted != Wanted::Blocks;
    let mut arrivals = match model.source() {
        Some(source) if !args.proximities => {
            if args.itself.is_some() {
                return Err(Error::Usage(
                    "found --self beside features, expected it with --proximities only: features tell how \
                     similar a newcomer is to itself"
                        .into(),
                ));
            }
            // What is between the newcomers comes from their features, unless a file has it.
            let wanted = match between {
                Some(_) => Wanted::Whole,
                None => wanted,
            };
            by_features(args, source, &options, wanted, common, words)?
        }
        _ => {
            let arrivals = match streamed(args, model, whole)? {
                Some(arrivals) => arrivals,
                None => in_memory(args, model, &options, whole, common)?,
            };
            if arrivals.lines.is_empty() && args.reading.labels.is_none() {
                words.say(format_args!(
                    "{}: no labels, so its columns are taken as the map's objects in the map's order",
                    arrivals.source
                ));
            }
            arrivals
        }
    };

    // The diagonal of what is between similar newcomers is their similarity to themselves.
    if let Some(file) = between {
        let matrix = proximities(file, &options)?;
        let absent = matrix.diagonal_absent;
        arrivals.between = Some(match_between(matrix, &arrivals.labels)?);
        arrivals.adopt_diagonal(model, absent);
    }
    if let Some(given) = &args.itself {
        arrivals.self_similarity = Some(match given.parse::<f64>() {
            Ok(number) => vec![number; arrivals.labels.len()],
            Err(_) => read_numbers(Path::new(given))?.in_order(&arrivals.labels)?,
        });
    }
    if let Some(file) = &args.weights {
        arrivals.weights = Some(read_numbers(file)?.in_order(model.diagram().labels())?);
    }
    Ok((map, arrivals))
}

/// Reads a configuration and newcomers against its objects, for stress.
pub fn on_configuration(args: &New, common: &Common) -> Result<(Configuration, Arrivals), Error> {
    let given = read_configuration(&args.map)?;
    let matrix = proximities(&args.new, &options(&args.reading, common))?;
    let matched = match_newcomers(&matrix, &given.labels)?;
    let arrivals = Arrivals {
        labels: matched.newcomers,
        lines: matched.lines,
        between: None,
        old: None,
        self_similarity: None,
        weights: match &args.weights {
            Some(file) => Some(read_numbers(file)?.in_order(&given.labels)?),
            None => None,
        },
        cross: Cross::Memory(matched.cross.into_owned()),
        columns: given.labels.len(),
        source: matrix.source.clone(),
    };
    Ok((given, arrivals))
}

/// A `.npy` array by position, which need not be held in memory.
fn streamed(args: &New, model: &Model, whole: bool) -> Result<Option<Arrivals>, Error> {
    let named = args
        .new
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    let array = args.reading.format.map_or(named, |f| f == Format::Npy);
    if whole || !array {
        return Ok(None);
    }
    let blocks = NpyBlocks::open(&args.new)?;
    let (k, n) = blocks.shape();
    if n != model.references().len() || k == 0 {
        // A square with labels, perhaps, or a mistake: reading it whole will tell.
        return Ok(None);
    }
    let labels = match &args.reading.labels {
        None => newcomer_positions(&(1..=k).map(|i| i.to_string()).collect::<Vec<_>>()),
        Some(file) => {
            let labels = read_labels(file)?;
            if labels.len() != k {
                return Ok(None);
            }
            labels
        }
    };
    Ok(Some(Arrivals {
        labels,
        lines: Vec::new(),
        source: blocks.source().to_owned(),
        between: None,
        old: None,
        self_similarity: None,
        weights: None,
        cross: Cross::Disk(blocks),
        columns: n,
    }))
}

fn in_memory(
    args: &New,
    model: &Model,
    options: &ReadOptions,
    whole: bool,
    common: &Common,
) -> Result<Arrivals, Error> {
    let mut matrix = proximities(&args.new, options)?;
    let n = model.references().len();
    let matched = match_newcomers(&matrix, model.references())?;
    if let Some(old) = matched.old.as_ref().filter(|_| is_direct(model)) {
        let old = MatRef::from_row_major_slice(old, n, n);
        model
            .diagram()
            .check_old(old, common.threads)
            .map_err(at(&matrix.source, &[]))?;
    }
    let old = matched.old.filter(|_| whole).map(Cow::into_owned);
    let absent = matched.diagonal_absent;
    let by_position = matched.by_position;
    let (labels, between, lines) = (matched.newcomers, matched.between, matched.lines);
    let cross = match matched.cross {
        Cow::Owned(cross) => Some(cross),
        // The whole file is what is wanted: it is moved, not copied.
        Cow::Borrowed(part) if part.len() == matrix.values.len() => None,
        Cow::Borrowed(part) => Some(part.to_vec()),
    };
    let cross = cross.unwrap_or_else(|| std::mem::take(&mut matrix.values));
    let mut arrivals = Arrivals {
        labels,
        lines: if by_position { Vec::new() } else { lines },
        source: matrix.source,
        between,
        old,
        self_similarity: None,
        weights: None,
        cross: Cross::Memory(cross),
        columns: n,
    };
    arrivals.adopt_diagonal(model, absent);
    Ok(arrivals)
}

/// Newcomers as features, which become proximities a few at a time unless all are wanted at once.
fn by_features(
    args: &New,
    source: &Measured,
    options: &ReadOptions,
    wanted: Wanted,
    common: &Common,
    words: &Words,
) -> Result<Arrivals, Error> {
    let table = match source.measure().of_texts() {
        true => read_texts(&args.new, options)?,
        false => read_features(&args.new, options)?,
    };
    let (name, lines) = (&table.source, &table.lines);
    let wrong = at(name, lines);
    let mut features = table.features;
    if !table.labelled {
        let labels = newcomer_positions(features.labels());
        features = features.with_labels(labels).map_err(&wrong)?;
    }
    let names = source.features().names();
    if !table.named && features.width() != names.len() {
        return Err(Error::Request(format!(
            "{name}: found {} columns without names, expected one for each of the map's {} features",
            features.width(),
            names.len()
        )));
    }
    if !table.named && features.names() != names {
        words.say(format_args!(
            "{name}: no names, so its columns are taken as the map's features in the map's order"
        ));
        features = features.with_names(names.to_vec()).map_err(&wrong)?;
    }
    let watch = |p| words.progress(p);
    let threads = common.threads;
    // Names and domain are looked at before anything else is done.
    let against = source.against(&features).map_err(&wrong)?;
    let mut arrivals = Arrivals {
        labels: features.labels().to_vec(),
        lines: lines.clone(),
        source: name.clone(),
        between: None,
        old: None,
        self_similarity: against.self_similarity(),
        weights: None,
        cross: Cross::Memory(Vec::new()),
        columns: source.count(),
    };
    if wanted == Wanted::Together {
        arrivals.between = Some(against.between(threads, Some(&watch)).map_err(&wrong)?);
    }
    arrivals.cross = match wanted {
        Wanted::Blocks => {
            drop(against);
            Cross::Features(Box::new(features))
        }
        _ => Cross::Memory(rows::collect(&against, threads, Some(&watch)).map_err(&wrong)?),
    };
    Ok(arrivals)
}

impl Arrivals {
    /// The newcomers' features, if that is how they are held.
    pub fn features(&self) -> Option<&Features> {
        match &self.cross {
            Cross::Features(features) => Some(features),
            _ => None,
        }
    }

    fn adopt_diagonal(&mut self, model: &Model, absent: bool) {
        if model.kind() != Kind::Similarity || absent {
            return;
        }
        if let Some(between) = &self.between {
            let k = self.labels.len();
            self.self_similarity = Some((0..k).map(|i| between[i * k + i]).collect());
        }
    }

    /// What is between the newcomers, k × k, to place them jointly.
    pub fn take_between(&mut self) -> Result<Vec<f64>, Error> {
        match self.between.take() {
            Some(between) => Ok(between),
            // One newcomer has nobody to be between.
            None if self.labels.len() == 1 => {
                Ok(vec![self.self_similarity.as_ref().map_or(0.0, |s| s[0])])
            }
            None => Err(Error::Request(format!(
                "{}: found nothing between the newcomers, expected columns for them too, a square over \
                 old and new objects, or --between FILE",
                self.source
            ))),
        }
    }

    /// Hands the newcomers to `work`, block by block, in order: first index, then the newcomers.
    pub fn each_block(
        &mut self,
        mut work: impl FnMut(usize, &Newcomers<'_>) -> Result<(), adjoin::error::Error>,
    ) -> Result<(), Error> {
        let (k, n) = (self.labels.len(), self.columns);
        let rows = match &self.cross {
            Cross::Memory(_) | Cross::Features(_) => k.max(1),
            Cross::Disk(_) => (BLOCK_BYTES / (8 * n)).max(64),
        };
        let mut block = Vec::new();
        for first in (0..k).step_by(rows) {
            let count = rows.min(k - first);
            let values = match &mut self.cross {
                Cross::Memory(values) => &values[..],
                // Whoever asks for blocks of proximities has asked for them all.
                Cross::Features(_) => &[],
                Cross::Disk(blocks) => {
                    blocks.read_rows(first, count, &mut block)?;
                    &block[..]
                }
            };
            let newcomers = Newcomers {
                proximities: MatRef::from_row_major_slice(values, count, n),
                labels: Some(&self.labels[first..first + count]),
                self_similarity: self
                    .self_similarity
                    .as_ref()
                    .map(|s| &s[first..first + count]),
                weights: self.weights.as_deref(),
                missing: true,
            };
            let lines = self.lines.get(first..first + count).unwrap_or(&[]);
            work(first, &newcomers).map_err(at(&self.source, lines))?;
        }
        Ok(())
    }
}
