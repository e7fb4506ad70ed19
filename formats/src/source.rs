//! Opening a file: standard input, gzip, byte order marks, and what a file is by its first bytes.
//!
//! Text is never held whole by default: readers pull it from [`Text`], which also tallies the
//! bytes of the file itself (before decompression) for the provenance that a map records.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use crate::error::{Error, name_of};
use crate::matrix::Provenance;

/// Bytes looked at to tell what a file is.
const PEEK: usize = 4096;
/// The most text that a compressed file may unpack to. A distance matrix of 50,000 objects, at 20
/// characters a number, has 50 GB.
const LARGEST: u64 = 64 << 30;

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Empty,
    Text,
    Gzip,
    Npy,
    Parquet,
    Arrow,
    Zip,
    /// Something else; its name as far as we know it.
    Binary(&'static str),
}

/// Names and first bytes of files that people hand over by mistake.
const KNOWN: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x7fELF", "a program"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet"),
    (b"RDX", "an R data file"),
    (b"RDA", "an R data file"),
    (b"X\n\0\0", "an R data file"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

pub(crate) fn kind_of(head: &[u8]) -> Kind {
    match head {
        [] => Kind::Empty,
        h if h.starts_with(b"\x1f\x8b") => Kind::Gzip,
        h if h.starts_with(b"\x93NUMPY") => Kind::Npy,
        h if h.starts_with(b"PAR1") => Kind::Parquet,
        h if h.starts_with(b"ARROW1") => Kind::Arrow,
        h if h.starts_with(b"PK\x03\x04") || h.starts_with(b"PK\x05\x06") => Kind::Zip,
        h => match KNOWN.iter().find(|(magic, _)| h.starts_with(magic)) {
            // Letters alone may well be the header of a table: only a NUL makes them binary.
            Some((magic, _)) if magic.is_ascii() && !h.contains(&0) && *magic != b"%PDF" => {
                Kind::Text
            }
            Some((_, name)) => Kind::Binary(name),
            None if h.contains(&0) => Kind::Binary("a binary file"),
            None => Kind::Text,
        },
    }
}

/// Opens a regular file, refusing a directory with a message of its own.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    let name = name_of(path);
    let file = File::open(path).map_err(|e| Error::read(&name, e))?;
    let about = file.metadata().map_err(|e| Error::read(&name, e))?;
    if about.is_dir() {
        return Err(Error::read(&name, io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// What a file is by its first bytes. Standard input is not looked at.
pub(crate) fn kind_of_file(path: &Path) -> Result<Kind, Error> {
    let file = open(path)?;
    // A pipe or device cannot be read twice: it is text, or its reader will say what it is.
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(Kind::Text);
    }
    let mut head = Vec::new();
    file.take(PEEK as u64)
        .read_to_end(&mut head)
        .map_err(|e| Error::read(&name_of(path), e))?;
    Ok(kind_of(&head))
}

/// The bytes of a text file after decompression, without its byte order mark.
pub(crate) struct Text<'a> {
    /// The file's name, for messages.
    pub name: String,
    head: Vec<u8>,
    reader: Box<dyn Read + 'a>,
    tally: Option<Rc<RefCell<Tally>>>,
}

impl<'a> Text<'a> {
    /// Opens a text file or, for `-`, standard input.
    pub(crate) fn open(path: &Path, digest: bool) -> Result<Text<'a>, Error> {
        let raw: Box<dyn Read> = if path.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(open(path)?)
        };
        Text::new(raw, &name_of(path), digest)
    }

    /// Text from any reader, under a name for messages.
    pub(crate) fn new(
        raw: Box<dyn Read + 'a>,
        name: &str,
        digest: bool,
    ) -> Result<Text<'a>, Error> {
        let tally = digest.then(|| Rc::new(RefCell::new(Tally::default())));
        let raw: Box<dyn Read + 'a> = match &tally {
            None => raw,
            Some(tally) => Box::new(Tallied {
                inner: raw,
                tally: Rc::clone(tally),
            }),
        };
        let (head, raw) = peek(raw, name)?;
        let (head, raw) = if kind_of(&head) == Kind::Gzip {
            peek(Box::new(Capped::new(MultiGzDecoder::new(raw))), name)?
        } else {
            (head, raw)
        };
        let found = match kind_of(&head) {
            Kind::Text => None,
            Kind::Empty => Some("an empty file"),
            Kind::Gzip => Some("a gzip file inside a gzip file"),
            Kind::Npy => Some("a NumPy array"),
            Kind::Parquet => Some("a Parquet file"),
            Kind::Arrow => Some("an Arrow file"),
            Kind::Zip => Some("a zip archive"),
            Kind::Binary(what) => Some(what),
        };
        if let Some(found) = found {
            return Err(Error::malformed(name, None, found, "UTF-8 text"));
        }
        let (mut head, mut reader) = (head, raw);
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
            let mut mark = [0; 3];
            reader
                .read_exact(&mut mark)
                .map_err(|e| Error::read(name, e))?;
        }
        Ok(Text {
            name: name.to_owned(),
            head,
            reader,
            tally,
        })
    }

    /// The first bytes, which are still to be read.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Everything, for formats that must see a file whole.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.reader
            .read_to_end(&mut bytes)
            .map_err(|e| trouble(&self.name, e))?;
        Ok(bytes)
    }

    /// Appends up to `count` bytes to `buffer`; returns how many came, 0 at the end.
    pub(crate) fn read_some(&mut self, buffer: &mut Vec<u8>, count: usize) -> Result<usize, Error> {
        let mut part = (&mut self.reader).take(count as u64);
        part.read_to_end(buffer).map_err(|e| trouble(&self.name, e))
    }

    /// Size and digest of the file, once all of it has been read.
    pub(crate) fn provenance(&mut self) -> Option<Provenance> {
        let tally = self.tally.take()?;
        // What a decompressor leaves behind its last member belongs to the file as well.
        io::copy(&mut self.reader, &mut io::sink()).ok()?;
        let tally = tally.borrow();
        Some(Provenance {
            name: base_name(&self.name),
            size: tally.size,
            sha256: hex(&tally.hash.clone().finalize()),
        })
    }
}

/// A decompressor reports damage as an I/O error: say what it means.
fn trouble(name: &str, error: io::Error) -> Error {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        InvalidInput | InvalidData | UnexpectedEof => Error::malformed(
            name,
            None,
            "damaged compressed data",
            "a whole gzip or zip file",
        ),
        FileTooLarge => Error::malformed(
            name,
            None,
            format!(
                "more than {} GiB of text in a compressed file",
                LARGEST >> 30
            ),
            "a distance matrix",
        ),
        _ => Error::read(name, error),
    }
}

/// A reader that fails instead of yielding more than [`LARGEST`] bytes.
pub(crate) struct Capped<R> {
    inner: R,
    left: u64,
}

impl<R> Capped<R> {
    pub(crate) fn new(inner: R) -> Capped<R> {
        Capped {
            inner,
            left: LARGEST,
        }
    }
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(n)
    }
}

/// The first bytes, and a reader that still yields them.
type Peeked<'a> = (Vec<u8>, Box<dyn Read + 'a>);

fn peek<'a>(mut raw: Box<dyn Read + 'a>, name: &str) -> Result<Peeked<'a>, Error> {
    let mut head = Vec::new();
    (&mut raw)
        .take(PEEK as u64)
        .read_to_end(&mut head)
        .map_err(|e| trouble(name, e))?;
    let again = Cursor::new(head.clone()).chain(raw);
    Ok((head, Box::new(again)))
}

#[derive(Default)]
struct Tally {
    size: u64,
    hash: Sha256,
}

struct Tallied<'a> {
    inner: Box<dyn Read + 'a>,
    tally: Rc<RefCell<Tally>>,
}

impl Read for Tallied<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let mut tally = self.tally.borrow_mut();
        tally.size += n as u64;
        tally.hash.update(&buffer[..n]);
        Ok(n)
    }
}

/// Name, size and digest of a file, read from its beginning to its end.
pub fn provenance(path: &Path) -> Result<Provenance, Error> {
    let name = name_of(path);
    let mut file = open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(n) => {
                size += n as u64;
                hash.update(&block[..n]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::read(&name, e)),
        }
    }
    Ok(Provenance {
        name: base_name(&name),
        size,
        sha256: hex(&hash.finalize()),
    })
}

fn base_name(name: &str) -> String {
    match Path::new(name).file_name() {
        Some(base) => base.to_string_lossy().into_owned(),
        None => name.to_owned(),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn gzip_and_the_byte_order_mark_vanish_but_the_tally_is_of_the_file() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all("\u{feff}a\tb\n".as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let size = packed.len() as u64;
        let mut text = Text::new(Box::new(Cursor::new(packed.clone())), "x/f.gz", true).unwrap();
        assert_eq!(text.read_all().unwrap(), b"a\tb\n");
        let provenance = text.provenance().unwrap();
        assert_eq!(provenance.size, size);
        assert_eq!(provenance.name, "f.gz");
        assert_eq!(provenance.sha256, hex(&Sha256::digest(&packed)));
    }

    #[test]
    fn a_cut_gzip_file_is_said_to_be_damaged() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&[b'1'; 100_000]).unwrap();
        let mut packed = packed.finish().unwrap();
        packed.truncate(packed.len() / 2);
        let error = match Text::new(Box::new(Cursor::new(packed)), "f", false) {
            Err(e) => e,
            Ok(mut text) => text.read_all().unwrap_err(),
        };
        assert!(
            error.to_string().contains("damaged compressed data"),
            "{error}"
        );
    }

    #[test]
    fn binaries_are_named() {
        for (bytes, found) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "a PNG picture"),
            (b"\xff\xfea\0b\0", "UTF-16 text"),
            (b"abc\0def", "a binary file"),
            (b"", "an empty file"),
        ] {
            let error = Text::new(Box::new(Cursor::new(bytes)), "f", false)
                .err()
                .unwrap();
            assert_eq!(
                error.to_string(),
                format!("f: found {found}, expected UTF-8 text")
            );
        }
    }
}
