//! Compressed files, and text in UTF-16: bytes on their way to a reader, whatever the file's name.
//!
//! A compressed file is a claim like any other: what comes out is counted, and decoders may not ask for more memory than
//! the compressors' own defaults need.

use std::io::{self, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

/// The most memory that an xz file may ask for, in KiB: what `xz -9` needs, four times over.
const XZ_MEMORY: u32 = 256 << 10;
/// The largest window of a zstd file, as a power of two: what `zstd -d` accepts without being told.
const ZSTD_WINDOW: u32 = 27;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Packing {
    const ALL: [Packing; 4] = [Packing::Gzip, Packing::Zstd, Packing::Xz, Packing::Bzip2];

    /// The compression that the first bytes of a file show.
    pub(crate) fn of(head: &[u8]) -> Option<Packing> {
        let shown = |packing: &Packing| match packing {
            Packing::Gzip => head.starts_with(b"\x1f\x8b"),
            // The length of the skippable frame that may come first is as good as anything.
            Packing::Zstd => {
                head.starts_with(b"\x28\xb5\x2f\xfd")
                    || (head.len() > 3 && head[0] & 0xf0 == 0x50 && head[1..4] == *b"\x2a\x4d\x18")
            }
            Packing::Xz => head.starts_with(b"\xfd7zXZ\0"),
            // The digit is the block's size, the rest the first digits of π.
            Packing::Bzip2 => head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY"),
        };
        Self::ALL.into_iter().find(shown)
    }

    /// The compression that the end of a file's name stands for.
    pub(crate) fn of_extension(extension: &str) -> Option<Packing> {
        Some(match extension {
            "gz" | "gzip" | "bgz" => Packing::Gzip,
            "zst" | "zstd" => Packing::Zstd,
            "xz" => Packing::Xz,
            "bz2" => Packing::Bzip2,
            _ => return None,
        })
    }

    /// Its name, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
        }
    }

    /// The bytes inside.
    pub(crate) fn unpack<'a>(self, raw: Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Packing::Gzip => Box::new(MultiGzDecoder::new(raw)),
            Packing::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(raw)?;
                decoder.window_log_max(ZSTD_WINDOW)?;
                Box::new(decoder)
            }
            Packing::Xz => Box::new(XzReader::new_mem_limit(raw, true, XZ_MEMORY)),
            Packing::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        })
    }
}

/// Whether the first bytes are the mark of UTF-16 text, and the high byte comes first.
pub(crate) fn utf16(head: &[u8]) -> Option<bool> {
    match head {
        // The same mark and two zeros more: UTF-32.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        _ => None,
    }
}

/// UTF-16 text as UTF-8, its byte order mark left out.
pub(crate) struct Utf16<R> {
    inner: R,
    /// Whether the high byte comes first.
    big: bool,
    /// Bytes of half a unit, and a unit that waits for its other half.
    odd: Option<u8>,
    high: Option<u16>,
    started: bool,
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    pub(crate) fn new(inner: R, big: bool) -> Self {
        Self {
            inner,
            big,
            odd: None,
            high: None,
            started: false,
            ready: Vec::new(),
            at: 0,
        }
    }

    /// Turns what comes next into UTF-8; false at the end.
    fn refill(&mut self) -> io::Result<bool> {
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "not UTF-16");
        let mut raw = [0; 1 << 14];
        let count = self.inner.read(&mut raw)?;
        if count == 0 {
            return match (self.odd, self.high) {
                (None, None) => Ok(false),
                _ => Err(broken()),
            };
        }
        self.ready.clear();
        self.at = 0;
        for &byte in &raw[..count] {
            let Some(first) = self.odd.take() else {
                self.odd = Some(byte);
                continue;
            };
            let pair = [first, byte];
            let unit = if self.big {
                u16::from_be_bytes(pair)
            } else {
                u16::from_le_bytes(pair)
            };
            if !std::mem::replace(&mut self.started, true) && unit == 0xfeff {
                continue;
            }
            let character = match (self.high.take(), unit) {
                (None, 0xd800..=0xdbff) => {
                    self.high = Some(unit);
                    continue;
                }
                (high, _) => {
                    let units = high.into_iter().chain([unit]);
                    match char::decode_utf16(units).next() {
                        Some(Ok(character)) => character,
                        _ => return Err(broken()),
                    }
                }
            };
            let mut utf8 = [0; 4];
            self.ready
                .extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        }
        Ok(true)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_of_either_order_is_the_same_text() {
        let text = "a\tΩ𝄞\n";
        for big in [false, true] {
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            let bytes: Vec<u8> = units
                .flat_map(|u: u16| {
                    if big {
                        u.to_be_bytes()
                    } else {
                        u.to_le_bytes()
                    }
                })
                .collect();
            assert_eq!(utf16(&bytes), Some(big));
            let mut out = String::new();
            Utf16::new(&bytes[..], big)
                .read_to_string(&mut out)
                .unwrap();
            assert_eq!(out, text);
            let cut = &bytes[..bytes.len() - 1];
            assert!(Utf16::new(cut, big).read_to_string(&mut out).is_err());
        }
    }
}
