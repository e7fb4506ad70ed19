//! Zarr arrays, versions 2 and 3: a folder with a page of metadata and a file for each chunk.
//!
//! Chunks may be plain or packed by blosc, zstd, gzip or zlib; a chunk that is not there holds the fill value. An array in
//! a group is chosen by its name. Several chunks may share a file (shards). Other codecs are refused by name.

mod blosc;
mod metadata;

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use self::metadata::{Codec, Metadata, parse};
use crate::blocks::{Blocks, check_range};
use crate::error::{Error, name_of, on_one_line, quote};
use crate::raw::{Number, decode};

/// The longest page of metadata worth reading.
const LONGEST_PAGE: u64 = 1 << 20;
/// The largest chunk, unpacked.
const LARGEST_CHUNK: usize = 1 << 30;

/// Whether a folder is a Zarr array or a group of them.
pub(crate) fn is_zarr(folder: &Path) -> bool {
    ["zarr.json", ".zarray", ".zgroup"]
        .iter()
        .any(|page| folder.join(page).is_file())
}

/// An open array of two dimensions.
pub struct ZarrRows {
    folder: PathBuf,
    name: String,
    metadata: Metadata,
    /// The chunks of one band of rows, kept for the next read: which band, and its rows.
    band: Option<(usize, Vec<f64>)>,
}

impl ZarrRows {
    /// Opens the array in a folder, or the one of this name in a group.
    pub(crate) fn open(path: &Path, dataset: Option<&str>) -> Result<ZarrRows, Error> {
        let name = name_of(path);
        let folder = match dataset {
            // A name is a way down from the group, never out of it.
            Some(inside)
                if inside
                    .split('/')
                    .all(|part| !matches!(part, "" | "." | "..")) =>
            {
                path.join(inside)
            }
            Some(inside) => {
                return Err(Error::mismatch(
                    &name,
                    None,
                    format!("the dataset {}", quote(inside)),
                    "the name of an array in the group",
                ));
            }
            None => path.to_owned(),
        };
        let page = ["zarr.json", ".zarray"]
            .iter()
            .map(|page| folder.join(page))
            .find(|page| page.is_file());
        let Some(page) = page else {
            return Err(Error::malformed(
                &name,
                None,
                "no Zarr array in the folder",
                "an array, or a group and --dataset NAME",
            ));
        };
        let mut text = String::new();
        let file = std::fs::File::open(&page).map_err(|e| Error::read(&name, e))?;
        file.take(LONGEST_PAGE)
            .read_to_string(&mut text)
            .map_err(|e| Error::read(&name, e))?;
        let metadata = parse(&text)
            .map_err(|(found, expected)| Error::malformed(&name, None, found, expected))?;
        let [h, w] = metadata.chunks;
        let size = h
            .checked_mul(w)
            .and_then(|c| c.checked_mul(metadata.number.size()));
        let across = metadata.shape[1].div_ceil(w).checked_mul(h * w);
        if size.is_none_or(|s| s > LARGEST_CHUNK) || across.is_none_or(|c| c > LARGEST_CHUNK) {
            return Err(Error::malformed(
                &name,
                None,
                format!("chunks of {h} × {w} in an array of {:?}", metadata.shape),
                "chunks of at most a gigabyte",
            ));
        }
        Ok(ZarrRows {
            folder,
            name,
            metadata,
            band: None,
        })
    }

    fn damaged(&self, chunk: &str, why: &str) -> Error {
        Error::malformed(
            &self.name,
            None,
            format!("a damaged chunk {} ({})", quote(chunk), on_one_line(why)),
            "a whole Zarr array",
        )
    }

    /// The bytes of a chunk, and the name of the file they are from; `None` if it is not there.
    fn stored(&self, i: usize, j: usize) -> Result<Option<(Vec<u8>, String)>, Error> {
        let read = |e| Error::read(&self.name, e);
        let [down, across] = self.metadata.shards.map_or([1, 1], |shards| shards.grid);
        let key = self.metadata.key(i / down, j / across);
        let mut file = match std::fs::File::open(self.folder.join(&key)) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(read(e)),
        };
        let mut bytes = Vec::new();
        let Some(shards) = self.metadata.shards else {
            let all = file.take(LARGEST_CHUNK as u64).read_to_end(&mut bytes);
            all.map_err(read)?;
            return Ok(Some((bytes, key)));
        };
        let length = file.metadata().map_err(read)?.len();
        let index = (down * across * 16 + if shards.checked { 4 } else { 0 }) as u64;
        if length < index {
            return Err(self.damaged(&key, "no index"));
        }
        let own = ((i % down * across + j % across) * 16) as u64;
        let at = if shards.at_end { length - index } else { 0 } + own;
        let mut entry = [0; 16];
        file.seek(SeekFrom::Start(at)).map_err(read)?;
        file.read_exact(&mut entry).map_err(read)?;
        let number = |half: &[u8]| u64::from_le_bytes(half.try_into().unwrap_or_default());
        let (from, size) = (number(&entry[..8]), number(&entry[8..]));
        if (from, size) == (u64::MAX, u64::MAX) {
            return Ok(None);
        }
        let inside = from.checked_add(size).is_some_and(|end| end <= length);
        if !inside || size > LARGEST_CHUNK as u64 {
            return Err(self.damaged(&key, "a chunk outside the shard"));
        }
        bytes.resize(size as usize, 0);
        file.seek(SeekFrom::Start(from)).map_err(read)?;
        file.read_exact(&mut bytes).map_err(read)?;
        Ok(Some((bytes, key)))
    }

    /// One chunk's numbers, all of it even at the edge of the array; `None` if it is not there.
    fn chunk(&self, i: usize, j: usize) -> Result<Option<Vec<f64>>, Error> {
        let Some((mut bytes, key)) = self.stored(i, j)? else {
            return Ok(None);
        };
        let [h, w] = self.metadata.chunks;
        let number = self.metadata.number;
        let size = h * w * number.size();
        for codec in &self.metadata.codecs {
            bytes = unpack(*codec, &bytes, size).map_err(|why| self.damaged(&key, &why))?;
        }
        if bytes.len() != size {
            let why = format!("{} bytes, not {size}", bytes.len());
            return Err(self.damaged(&key, &why));
        }
        let mut values = Vec::with_capacity(h * w);
        decode(&bytes, number, self.metadata.big, &mut values);
        if self.metadata.fortran {
            values = (0..h * w).map(|at| values[at % w * h + at / w]).collect();
        }
        Ok(Some(values))
    }

    /// The rows of a band of chunks, side by side.
    fn load(&self, band: usize) -> Result<Vec<f64>, Error> {
        let [h, w] = self.metadata.chunks;
        let (k, m) = self.shape();
        let rows = h.min(k - band * h);
        let mut values = vec![self.metadata.fill; rows * m];
        for j in 0..m.div_ceil(w) {
            let Some(chunk) = self.chunk(band, j)? else {
                continue;
            };
            let width = w.min(m - j * w);
            for (row, line) in values.chunks_mut(m).zip(chunk.chunks(w)) {
                row[j * w..j * w + width].copy_from_slice(&line[..width]);
            }
        }
        Ok(values)
    }
}

impl Blocks for ZarrRows {
    fn shape(&self) -> (usize, usize) {
        (self.metadata.shape[0], self.metadata.shape[1])
    }

    fn source(&self) -> &str {
        &self.name
    }

    fn number(&self) -> Number {
        self.metadata.number
    }

    fn read_rows(&mut self, first: usize, count: usize, block: &mut Vec<f64>) -> Result<(), Error> {
        block.clear();
        let (k, m) = self.shape();
        check_range(&self.name, k, first, count)?;
        let h = self.metadata.chunks[0];
        let mut at = first;
        while at < first + count {
            let band = at / h;
            let kept = self.band.take().filter(|(b, _)| *b == band);
            let rows = match kept {
                Some((_, rows)) => rows,
                None => self.load(band)?,
            };
            let end = ((band + 1) * h).min(first + count);
            block.extend_from_slice(&rows[(at - band * h) * m..(end - band * h) * m]);
            self.band = Some((band, rows));
            at = end;
        }
        Ok(())
    }
}

/// Undoes one codec; `size` is that of the whole chunk.
fn unpack(codec: Codec, bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let all = |reader: &mut dyn Read| {
        let mut out = Vec::new();
        // One byte more than there should be tells that there is more.
        let read = reader.take(size as u64 + 64).read_to_end(&mut out);
        read.map(|_| out).map_err(|e| e.to_string())
    };
    match codec {
        Codec::Blosc => blosc::unpack(bytes, size).ok_or_else(|| "blosc data".to_owned()),
        Codec::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(bytes).map_err(|e| e.to_string())?;
            all(&mut decoder)
        }
        Codec::Gzip => all(&mut flate2::read::MultiGzDecoder::new(bytes)),
        Codec::Zlib => all(&mut flate2::read::ZlibDecoder::new(bytes)),
        // NumCodecs puts the length before the block.
        Codec::Lz4 => {
            let (length, rest) = bytes.split_first_chunk::<4>().ok_or("no length")?;
            let length = u32::from_le_bytes(*length) as usize;
            if length > size {
                return Err("too long".into());
            }
            lz4_flex::block::decompress(rest, length).map_err(|e| e.to_string())
        }
        // Its four bytes of checksum stand at the end.
        Codec::Crc32c => {
            let end = bytes.len().checked_sub(4).ok_or("no checksum")?;
            Ok(bytes[..end].to_vec())
        }
    }
}
