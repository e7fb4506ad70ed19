//! What commands read: maps, and newcomers with all that comes beside them.

use std::borrow::Cow;
use std::path::Path;

use adjoin::border::Newcomers;
use adjoin::diagram::Diagram;
use adjoin::proximity::Kind;
use adjoin_formats::{
    Configuration, Format, Map, Matrix, NpyBlocks, ReadOptions, is_map, match_between,
    match_newcomers, newcomer_positions, read, read_configuration, read_labels, read_map,
    read_numbers,
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

/// The newcomers of a command: in memory, or in an array on disk that is read block by block.
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
}

/// Reads the map and the newcomers. `between` is a file of proximities between the newcomers;
/// `whole` says that the newcomers are needed all at once.
pub fn arrivals(
    args: &New,
    between: Option<&Path>,
    whole: bool,
    common: &Common,
    words: &Words,
) -> Result<(Map, Arrivals), Error> {
    let map = read_map(&args.map)?;
    let diagram = &map.diagram;
    let options = options(&args.reading, common);
    let mut arrivals = match streamed(args, diagram, whole)? {
        Some(arrivals) => arrivals,
        None => in_memory(args, diagram, &options, whole, common)?,
    };
    if arrivals.lines.is_empty() && args.reading.labels.is_none() {
        words.say(format_args!(
            "{}: no labels, so its columns are taken as the map's objects in the map's order",
            arrivals.source
        ));
    }

    // The diagonal of what is between similar newcomers is their similarity to themselves.
    if let Some(file) = between {
        let matrix = proximities(file, &options)?;
        let absent = matrix.diagonal_absent;
        arrivals.between = Some(match_between(matrix, &arrivals.labels)?);
        arrivals.adopt_diagonal(diagram, absent);
    }
    if let Some(given) = &args.itself {
        arrivals.self_similarity = Some(match given.parse::<f64>() {
            Ok(number) => vec![number; arrivals.labels.len()],
            Err(_) => read_numbers(Path::new(given))?.in_order(&arrivals.labels)?,
        });
    }
    if let Some(file) = &args.weights {
        arrivals.weights = Some(read_numbers(file)?.in_order(diagram.labels())?);
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
fn streamed(args: &New, diagram: &Diagram, whole: bool) -> Result<Option<Arrivals>, Error> {
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
    if n != diagram.count() || k == 0 {
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
    diagram: &Diagram,
    options: &ReadOptions,
    whole: bool,
    common: &Common,
) -> Result<Arrivals, Error> {
    let mut matrix = proximities(&args.new, options)?;
    let n = diagram.count();
    let matched = match_newcomers(&matrix, diagram.labels())?;
    if let Some(old) = &matched.old {
        let old = MatRef::from_row_major_slice(old, n, n);
        diagram
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
    arrivals.adopt_diagonal(diagram, absent);
    Ok(arrivals)
}

impl Arrivals {
    fn adopt_diagonal(&mut self, diagram: &Diagram, absent: bool) {
        if diagram.kind() != Kind::Similarity || absent {
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
            Cross::Memory(_) => k.max(1),
            Cross::Disk(_) => (BLOCK_BYTES / (8 * n)).max(64),
        };
        let mut block = Vec::new();
        for first in (0..k).step_by(rows) {
            let count = rows.min(k - first);
            let values = match &mut self.cross {
                Cross::Memory(values) => &values[..],
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
