//! Opening a file: standard input, compression, byte order marks, and what a file is by its first bytes.
//!
//! Text is never held whole by default: readers pull it from [`Text`], which also tallies the
//! bytes of the file itself (before decompression) for the provenance that a map records.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::error::{Error, name_of};
use crate::matrix::Provenance;
use crate::unpack::{Packing, Utf16, utf16};

/// Bytes looked at to tell what a file is.
const PEEK: usize = 4096;
/// The most text that a compressed file may unpack to. A distance matrix of 50,000 objects, at 20
/// characters a number, has 50 GB.
const LARGEST: u64 = 64 << 30;
/// Folders inside a folder that are looked into, and the most files that one may hold.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 1 << 20;

/// What begins each message of an Arrow stream.
pub(crate) const ARROW_STREAM: &[u8; 4] = b"\xff\xff\xff\xff";

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Empty,
    Text,
    /// Text of two bytes a character, and whether the high byte comes first.
    Utf16(bool),
    Packed(Packing),
    Npy,
    Parquet,
    Arrow,
    Zip,
    Hdf5,
    /// Something else; its name as far as we know it.
    Binary(&'static str),
}

/// Names and first bytes of files that people hand over by mistake.
const KNOWN: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet"),
    (b"RDX", "an R data file"),
    (b"RDA", "an R data file"),
    (b"X\n\0\0", "an R data file"),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\xff\xfe\0\0", "UTF-32 text"),
];

pub(crate) fn kind_of(head: &[u8]) -> Kind {
    if let Some(packing) = Packing::of(head) {
        return Kind::Packed(packing);
    }
    if let Some(big) = utf16(head) {
        return Kind::Utf16(big);
    }
    match head {
        [] => Kind::Empty,
        h if h.starts_with(b"\x93NUMPY") => Kind::Npy,
        h if h.starts_with(b"PAR1") => Kind::Parquet,
        h if h.starts_with(b"ARROW1") || h.starts_with(ARROW_STREAM) => Kind::Arrow,
        h if h.starts_with(b"\x89HDF\r\n\x1a\n") => Kind::Hdf5,
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

/// Whether a file can be read only once, from its beginning on: standard input, a pipe, a device.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
        || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// What a file is by its first bytes, and how it is packed. A stream is not looked at: it is text, or its reader will
/// say what it is.
pub(crate) fn kind_of_file(path: &Path) -> Result<(Kind, Option<Packing>), Error> {
    if is_stream(path) {
        return Ok((Kind::Text, None));
    }
    let name = name_of(path);
    let (kind, packing, _) = unpacked(Box::new(open(path)?), &name)?;
    Ok((kind, packing))
}

/// What a stream is, how it is packed, and the stream from its beginning, unpacked.
type Opened<'a> = (Kind, Option<Packing>, Box<dyn Read + 'a>);

/// What is behind the compression of a file, if it has one: its kind, and the bytes.
pub(crate) fn unpacked<'a>(raw: Box<dyn Read + 'a>, name: &str) -> Result<Opened<'a>, Error> {
    let (head, raw) = peek(raw, name)?;
    let Kind::Packed(packing) = kind_of(&head) else {
        return Ok((kind_of(&head), None, raw));
    };
    let inside = packing.unpack(raw).map_err(|e| trouble(name, e))?;
    let (head, inside) = peek(Box::new(Capped::new(inside)), name)?;
    Ok((kind_of(&head), Some(packing), inside))
}

/// Standard input, or a file.
pub(crate) fn raw<'a>(path: &Path) -> Result<Box<dyn Read + 'a>, Error> {
    Ok(if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(open(path)?)
    })
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
        Text::new(raw(path)?, &name_of(path), digest)
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
        let (kind, _, raw) = unpacked(raw, name)?;
        let raw: Box<dyn Read + 'a> = match kind {
            Kind::Utf16(big) => Box::new(Utf16::new(raw, big)),
            _ => raw,
        };
        let (mut head, mut reader) = peek(raw, name)?;
        // What is said of the first lines is said of whole ones.
        if head.len() >= PEEK
            && let Some(end) = head.iter().rposition(|b| *b == b'\n')
        {
            head.truncate(end + 1);
        }
        let found = match kind {
            Kind::Text | Kind::Utf16(_) => None,
            Kind::Empty => Some("an empty file"),
            Kind::Packed(_) => Some("a compressed file inside a compressed file"),
            Kind::Npy => Some("a NumPy array"),
            Kind::Parquet => Some("a Parquet file"),
            Kind::Arrow => Some("an Arrow file"),
            Kind::Zip => Some("a zip archive"),
            Kind::Hdf5 => Some("an HDF5 file"),
            Kind::Binary(what) => Some(what),
        };
        if let Some(found) = found {
            return Err(Error::malformed(name, None, found, "UTF-8 text"));
        }
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

    /// The text itself, from its beginning.
    pub(crate) fn into_reader(self) -> Box<dyn Read + 'a> {
        self.reader
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

    /// Size and digest of the file, once all of it has been read; none if they were not asked for.
    pub(crate) fn provenance(&mut self) -> Result<Option<Provenance>, Error> {
        let Some(tally) = self.tally.take() else {
            return Ok(None);
        };
        // What a decompressor leaves behind its last member belongs to the file as well.
        io::copy(&mut self.reader, &mut io::sink()).map_err(|e| trouble(&self.name, e))?;
        let tally = tally.borrow();
        Ok(Some(Provenance {
            name: base_name(&self.name),
            size: tally.size,
            sha256: hex(&tally.hash.clone().finalize()),
        }))
    }
}

/// A decompressor reports damage as an I/O error: say what it means.
pub(crate) fn trouble(name: &str, error: io::Error) -> Error {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        InvalidInput | InvalidData | UnexpectedEof => Error::malformed(
            name,
            None,
            "damaged compressed data",
            "a whole compressed file",
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
pub(crate) type Peeked<'a> = (Vec<u8>, Box<dyn Read + 'a>);

pub(crate) fn peek<'a>(mut raw: Box<dyn Read + 'a>, name: &str) -> Result<Peeked<'a>, Error> {
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

/// Name, size and digest of a file, read from its beginning to its end; of a folder, all its files in the order of their
/// names, each with its name before it.
pub fn provenance(path: &Path) -> Result<Provenance, Error> {
    let name = name_of(path);
    let mut hash = Sha256::new();
    let mut size = 0;
    if path.is_dir() {
        for file in files_in(path)? {
            let inside = file.strip_prefix(path).unwrap_or(&file);
            hash.update(inside.to_string_lossy().as_bytes());
            hash.update([0]);
            size += digest(&file, &mut hash)?;
        }
    } else {
        size = digest(path, &mut hash)?;
    }
    Ok(Provenance {
        name: base_name(&name),
        size,
        sha256: hex(&hash.finalize()),
    })
}

/// What tells a file, or a folder of files, from another, in hexadecimal: names and bytes; if they are large, names, sizes and bytes
/// from all over them, as two tables of other numbers hardly ever agree in all of those.
///
/// # Errors
/// If it cannot be read.
pub fn fingerprint(path: &Path) -> Result<String, Error> {
    const LARGE: u64 = 1 << 24;
    const PIECES: u64 = 256;
    const PIECE: u64 = 1 << 12;
    let mut ends = Vec::new();
    let mut total = 0;
    let files = if path.is_dir() {
        files_in(path)?
    } else {
        vec![path.to_owned()]
    };
    for file in &files {
        let about = std::fs::metadata(file);
        total += about.map_err(|e| Error::read(&name_of(file), e))?.len();
        ends.push(total);
    }
    if total < LARGE {
        return Ok(provenance(path)?.sha256);
    }
    let mut hash = Sha256::new();
    for (file, end) in files.iter().zip(&ends) {
        let inside = file.strip_prefix(path).unwrap_or(Path::new(""));
        hash.update(inside.to_string_lossy().as_bytes());
        hash.update(end.to_le_bytes());
    }
    for piece in 0..PIECES {
        let at = (u128::from(total - PIECE) * u128::from(piece) / u128::from(PIECES - 1)) as u64;
        let which = ends.partition_point(|end| *end <= at);
        let wrong = |e| Error::read(&name_of(&files[which]), e);
        let begin = which.checked_sub(1).map_or(0, |before| ends[before]);
        let mut file = open(&files[which])?;
        file.seek(io::SeekFrom::Start(at - begin)).map_err(wrong)?;
        let mut bytes = Vec::new();
        file.take(PIECE).read_to_end(&mut bytes).map_err(wrong)?;
        hash.update(&bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// Adds a file to a digest; answers its size.
fn digest(path: &Path, hash: &mut Sha256) -> Result<u64, Error> {
    let mut file = open(path)?;
    let mut block = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(size),
            Ok(n) => {
                size += n as u64;
                hash.update(&block[..n]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::read(&name_of(path), e)),
        }
    }
}

/// All files below a folder, in the order of their names.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let name = name_of(folder);
    let mut waiting = vec![(folder.to_owned(), 0)];
    let mut files = Vec::new();
    while let Some((folder, depth)) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| Error::read(&name, e))? {
            let entry = entry.map_err(|e| Error::read(&name, e))?;
            let kind = entry.file_type().map_err(|e| Error::read(&name, e))?;
            if kind.is_dir() && depth < DEEPEST {
                waiting.push((entry.path(), depth + 1));
            } else if !kind.is_dir() {
                files.push(entry.path());
            }
        }
        if files.len() > MOST_FILES {
            return Err(Error::malformed(
                &name,
                None,
                format!("more than {MOST_FILES} files"),
                "a folder that holds one matrix",
            ));
        }
    }
    files.sort_unstable();
    Ok(files)
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
        let provenance = text.provenance().unwrap().unwrap();
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
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32 text"),
            (b"MATLAB 5.0 MAT-file, \0\x01IM", "a MATLAB file"),
            (b"\x80\x05\x95\0", "a Python pickle"),
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
