//! Files of which any rows can be read: what `.npy`, HDF5, Zarr, Parquet and tables of text have in common.

use std::ops::Range;

use crate::adapt::Transform;
use crate::error::Error;
use crate::raw::Number;
use crate::unlabelled::Names;

/// An open array of two dimensions, larger than memory perhaps.
pub trait Blocks: Send {
    /// Numbers of rows and of columns.
    fn shape(&self) -> (usize, usize);

    /// The file's name, for messages.
    fn source(&self) -> &str;

    /// How its numbers are stored.
    fn number(&self) -> Number;

    /// Replaces the content of `block` by `count` rows from row `first` on, row by row.
    ///
    /// # Errors
    /// If the rows are not all in the array, or the file cannot be read any more.
    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error>;

    /// Replaces the content of `block` by some columns of some rows, row by row.
    ///
    /// # Errors
    /// As [`Self::read_rows`].
    fn read_part(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        self.read_rows(rows.start, rows.len(), block)?;
        cut(block, self.shape().1, columns);
        Ok(())
    }

    /// The same array once more, for another thread to read beside this one; none where threads had better take turns.
    fn another(&self) -> Option<Box<dyn Blocks>> {
        None
    }

    /// Whether rows are best read in their order: going back is dear.
    fn is_sequential(&self) -> bool {
        false
    }
}

/// An array on disk and what its rows and columns are called, if anything says so.
pub struct OnDisk {
    /// The numbers.
    pub blocks: Box<dyn Blocks>,
    /// Labels of the rows (and, of a square without labels of its columns, of those too).
    pub labels: Option<Vec<String>>,
    /// Labels of the columns, where the file has them.
    pub columns: Option<Vec<String>>,
    /// The line of each row; empty where the format has none.
    pub lines: Vec<u64>,
}

impl OnDisk {
    /// An array whose labels, from a file beside it, are as many as its rows.
    pub(crate) fn new(blocks: Box<dyn Blocks>, names: Option<Names>) -> Result<OnDisk, Error> {
        let (k, _) = blocks.shape();
        if let Some(names) = &names {
            names.are_for(k, "row")?;
        }
        Ok(OnDisk {
            blocks,
            labels: names.map(|n| n.labels),
            columns: None,
            lines: Vec::new(),
        })
    }
}

impl OnDisk {
    /// The same with labels for its columns, if there are any.
    pub(crate) fn with_columns(self, names: Option<Names>) -> Result<OnDisk, Error> {
        let Some(names) = names else {
            return Ok(self);
        };
        names.are_for(self.blocks.shape().1, "column")?;
        Ok(OnDisk {
            columns: Some(names.labels),
            ..self
        })
    }
}

/// All numbers of an array, as wide as they must be to be exact.
pub enum Loaded {
    /// Of single precision: also halves, and whole numbers as long as they are exact in it.
    Singles(Vec<f32>),
    /// Of double precision.
    Doubles(Vec<f64>),
}

/// Numbers that are read and converted at a time.
const AT_ONCE: usize = 1 << 20;

impl OnDisk {
    /// Bytes that [`Self::load`] needs; twice as many for whole numbers of four bytes that are not exact in single precision.
    pub fn needs(&self) -> u64 {
        let (k, m) = self.blocks.shape();
        let width = if self.is_narrow() { 4 } else { 8 };
        (k as u64).saturating_mul(m as u64).saturating_mul(width)
    }

    fn is_narrow(&self) -> bool {
        matches!(
            self.blocks.number(),
            Number::F16 | Number::F32 | Number::Signed(1 | 2 | 4) | Number::Unsigned(1 | 2 | 4)
        )
    }

    /// Reads all of it, once, and never holds it twice.
    ///
    /// # Errors
    /// If it cannot be read, or does not fit into memory.
    pub fn load(&mut self) -> Result<Loaded, Error> {
        let (k, m) = self.blocks.shape();
        let full = Error::malformed(
            self.blocks.source(),
            None,
            format!("an array of {k} × {m}"),
            "no more numbers than fit into memory",
        );
        let Some(size) = k.checked_mul(m) else {
            return Err(full);
        };
        if self.is_narrow() {
            let mut all: Vec<f32> = Vec::new();
            if all.try_reserve_exact(size).is_err() {
                return Err(full);
            }
            // Distances in metres and counts are below 2²⁴; where one is not, all of it is read once more.
            let mut exact = true;
            self.each(|block| {
                let narrow = block.iter().map(|&x| {
                    exact &= f64::from(x as f32) == x || x.is_nan();
                    x as f32
                });
                all.extend(narrow);
                exact
            })?;
            if exact {
                return Ok(Loaded::Singles(all));
            }
        }
        let mut all: Vec<f64> = Vec::new();
        if all.try_reserve_exact(size).is_err() {
            return Err(full);
        }
        self.each(|block| {
            all.extend_from_slice(block);
            true
        })?;
        Ok(Loaded::Doubles(all))
    }

    /// Hands over all rows, some at a time, as long as they are wanted.
    fn each(&mut self, mut take: impl FnMut(&[f64]) -> bool) -> Result<(), Error> {
        let (k, m) = self.blocks.shape();
        let step = (AT_ONCE / m.max(1)).max(1);
        let mut block = Vec::new();
        for first in (0..k).step_by(step) {
            self.blocks
                .read_rows(first, step.min(k - first), &mut block)?;
            if !take(&block) {
                break;
            }
        }
        Ok(())
    }
}

/// An array whose numbers go through a transformation on their way.
pub(crate) struct Transformed {
    pub inner: Box<dyn Blocks>,
    pub transform: Transform,
}

impl Blocks for Transformed {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn source(&self) -> &str {
        self.inner.source()
    }

    fn number(&self) -> Number {
        Number::F64
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        self.inner.read_rows(first, count, block)?;
        let (width, source) = (self.inner.shape().1, self.inner.source());
        self.transform
            .apply_all(block, first + 1, 1..width + 1, source)
    }

    fn read_part(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        let first = rows.start;
        self.inner.read_part(rows, columns.clone(), block)?;
        let source = self.inner.source();
        let columns = columns.start + 1..columns.end + 1;
        self.transform.apply_all(block, first + 1, columns, source)
    }

    fn another(&self) -> Option<Box<dyn Blocks>> {
        Some(Box::new(Transformed {
            inner: self.inner.another()?,
            transform: self.transform,
        }))
    }

    fn is_sequential(&self) -> bool {
        self.inner.is_sequential()
    }
}

/// Leaves some columns of rows of `width` numbers.
pub(crate) fn cut(block: &mut Vec<f64>, width: usize, columns: Range<usize>) {
    let (count, kept) = (block.len() / width.max(1), columns.len());
    if kept == width {
        return;
    }
    for i in 0..count {
        block.copy_within(i * width + columns.start..i * width + columns.end, i * kept);
    }
    block.truncate(count * kept);
}

/// Refuses rows that an array does not have.
pub(crate) fn check_range(
    name: &str,
    rows: usize,
    first: usize,
    count: usize,
) -> Result<(), Error> {
    if first.checked_add(count).is_some_and(|end| end <= rows) {
        return Ok(());
    }
    Err(Error::mismatch(
        name,
        None,
        format!("{rows} rows"),
        format!("{count} from row {} on", first.saturating_add(1)),
    ))
}
