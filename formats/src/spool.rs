//! What comes once is put aside: standard input, pipes and compressed text that are too large to hold, in a temporary file
//! from which any rows can be read.
//!
//! The file is in the system's folder for such files (`TMPDIR`), and goes with the rows that are read from it.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::atomic::Aside;
use crate::blocks::{Blocks, OnDisk};
use crate::error::Error;
use crate::raw::Number;

/// Rows of a file that was put aside.
struct Spooled {
    inner: Box<dyn Blocks>,
    aside: Arc<Aside>,
}

/// Puts aside what is still to come, after what has come already.
pub(crate) fn put_aside(head: &[u8], rest: &mut dyn Read, name: &str) -> Result<Aside, Error> {
    let full = |e: io::Error| {
        Error::read(
            name,
            io::Error::new(
                e.kind(),
                format!(
                    "{e}, while it was put aside in {} (TMPDIR says where)",
                    std::env::temp_dir().display()
                ),
            ),
        )
    };
    let (aside, mut file) = Aside::create().map_err(full)?;
    file.write_all(head).map_err(full)?;
    io::copy(rest, &mut file).map_err(full)?;
    file.flush().map_err(full)?;
    Ok(aside)
}

/// Opens what was put aside; the file stays as long as its rows are needed.
pub(crate) fn opened(
    aside: &Arc<Aside>,
    open: impl FnOnce(&Path) -> Result<Option<OnDisk>, Error>,
) -> Result<Option<OnDisk>, Error> {
    let array = open(aside.path())?;
    Ok(array.map(|array| OnDisk {
        blocks: Box::new(Spooled {
            inner: array.blocks,
            aside: Arc::clone(aside),
        }),
        ..array
    }))
}

impl Blocks for Spooled {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn source(&self) -> &str {
        self.inner.source()
    }

    fn number(&self) -> Number {
        self.inner.number()
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        self.inner.read_rows(first, count, block)
    }

    fn read_part(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
        block: &mut Vec<f64>,
    ) -> Result<(), Error> {
        self.inner.read_part(rows, columns, block)
    }

    fn another(&self) -> Option<Box<dyn Blocks>> {
        Some(Box::new(Spooled {
            inner: self.inner.another()?,
            aside: Arc::clone(&self.aside),
        }))
    }

    fn is_sequential(&self) -> bool {
        self.inner.is_sequential()
    }
}
