//! Arrays on disk, of which any rows can be read: what `.npy`, HDF5 and Zarr have in common.

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
}

/// An array on disk and what its rows are called, if anything says so.
pub struct OnDisk {
    /// The numbers.
    pub blocks: Box<dyn Blocks>,
    /// Labels of the rows (and, of a square, of the columns).
    pub labels: Option<Vec<String>>,
}

impl OnDisk {
    /// An array whose labels, from a file beside it, are as many as its rows.
    pub(crate) fn new(blocks: Box<dyn Blocks>, names: Option<Names>) -> Result<OnDisk, Error> {
        let (k, _) = blocks.shape();
        if let Some(names) = &names
            && names.labels.len() != k
        {
            return Err(Error::mismatch(
                &names.file,
                None,
                crate::error::count(names.labels.len(), "label"),
                format!("{k}, one for each row"),
            ));
        }
        Ok(OnDisk {
            blocks,
            labels: names.map(|n| n.labels),
        })
    }
}

/// All numbers of an array, as wide as they must be to be exact.
pub enum Loaded {
    /// Of single precision: also halves, and whole numbers of at most two bytes.
    Singles(Vec<f32>),
    /// Of double precision.
    Doubles(Vec<f64>),
}

/// Numbers that are read and converted at a time.
const AT_ONCE: usize = 1 << 20;

impl OnDisk {
    /// Bytes that [`Self::load`] needs.
    pub fn needs(&self) -> u64 {
        let (k, m) = self.blocks.shape();
        let width = if self.is_narrow() { 4 } else { 8 };
        (k as u64).saturating_mul(m as u64).saturating_mul(width)
    }

    fn is_narrow(&self) -> bool {
        matches!(
            self.blocks.number(),
            Number::F16 | Number::F32 | Number::Signed(1 | 2) | Number::Unsigned(1 | 2)
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
            self.each(|block| all.extend(block.iter().map(|&x| x as f32)))?;
            return Ok(Loaded::Singles(all));
        }
        let mut all: Vec<f64> = Vec::new();
        if all.try_reserve_exact(size).is_err() {
            return Err(full);
        }
        self.each(|block| all.extend_from_slice(block))?;
        Ok(Loaded::Doubles(all))
    }

    /// Hands over all rows, some at a time.
    fn each(&mut self, mut take: impl FnMut(&[f64])) -> Result<(), Error> {
        let (k, m) = self.blocks.shape();
        let step = (AT_ONCE / m.max(1)).max(1);
        let mut block = Vec::new();
        for first in (0..k).step_by(step) {
            self.blocks
                .read_rows(first, step.min(k - first), &mut block)?;
            take(&block);
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
        let width = self.inner.shape().1.max(1);
        for (at, x) in block.iter_mut().enumerate().filter(|(_, x)| !x.is_nan()) {
            let y = self.transform.apply(*x);
            if !y.is_finite() {
                return Err(Error::mismatch(
                    self.inner.source(),
                    None,
                    format!(
                        "{x} in row {}, column {}",
                        first + at / width + 1,
                        at % width + 1
                    ),
                    format!("a number of which {} is finite", self.transform.word()),
                ));
            }
            *x = y;
        }
        Ok(())
    }
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
