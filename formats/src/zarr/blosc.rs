//! Blosc's container, version 1: blocks, each cut into as many streams as a number has bytes perhaps, packed by LZ4,
//! zstd, zlib or BloscLZ, and shuffled.
//!
//! Header: version, version of the codec, flags, width of a number; then the lengths of what is packed, of a block, and
//! of the whole. Every length is checked against what is there before it is believed.

use std::io::Read;

const HEADER: usize = 16;
const BYTE_SHUFFLE: u8 = 1;
const STORED: u8 = 2;
const BIT_SHUFFLE: u8 = 4;
/// Blocks are not cut into streams.
const UNSPLIT: u8 = 16;
/// Blocks of fewer numbers than this are never cut, nor those of numbers wider than the other.
const SMALLEST_SPLIT: usize = 128;
const WIDEST_SPLIT: usize = 16;

/// What is inside, if it is `size` bytes at most.
pub(super) fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let head = packed.get(..HEADER)?;
    let (flags, width) = (head[2], usize::from(head[3]).max(1));
    let number = |at: usize| {
        let bytes = head.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let (total, block, length) = (number(4)?, number(8)?, number(12)?);
    if total > size || length > packed.len() || (total > 0 && block == 0) {
        return None;
    }
    if flags & STORED != 0 {
        return packed.get(HEADER..HEADER + total).map(<[u8]>::to_vec);
    }
    let mut out = Vec::with_capacity(total);
    for (b, first) in (0..total).step_by(block.max(1)).enumerate() {
        let here = block.min(total - first);
        let start = packed.get(HEADER + 4 * b..HEADER + 4 * b + 4)?;
        let start = u32::from_le_bytes(start.try_into().ok()?) as usize;
        // The last block of another size is never cut.
        let cut = flags & UNSPLIT == 0
            && width <= WIDEST_SPLIT
            && block / width >= SMALLEST_SPLIT
            && here == block;
        let streams = if cut { width } else { 1 };
        let bytes = streams_of(packed.get(start..)?, streams, here, flags >> 5)?;
        out.extend(if flags & BYTE_SHUFFLE != 0 && width > 1 {
            unshuffled(&bytes, width)
        } else if flags & BIT_SHUFFLE != 0 {
            bits_unshuffled(bytes, width, head[0])
        } else {
            bytes
        });
    }
    (out.len() == total).then_some(out)
}

fn streams_of(mut rest: &[u8], streams: usize, size: usize, codec: u8) -> Option<Vec<u8>> {
    let each = size / streams;
    let mut out = Vec::with_capacity(size);
    for _ in 0..streams {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let (stream, after) = after.split_at_checked(length)?;
        rest = after;
        // A stream that would not shrink is kept as it is.
        if length == each {
            out.extend_from_slice(stream);
        } else {
            out.extend(decompress(stream, each, codec)?);
        }
    }
    (out.len() == size).then_some(out)
}

fn decompress(stream: &[u8], size: usize, codec: u8) -> Option<Vec<u8>> {
    let all = |reader: &mut dyn Read| {
        let mut out = Vec::new();
        reader.take(size as u64 + 1).read_to_end(&mut out).ok()?;
        Some(out)
    };
    let out = match codec {
        0 => blosclz(stream, size)?,
        1 => lz4_flex::block::decompress(stream, size).ok()?,
        3 => all(&mut flate2::read::ZlibDecoder::new(stream))?,
        4 => all(&mut zstd::stream::read::Decoder::new(stream).ok()?)?,
        _ => return None,
    };
    (out.len() == size).then_some(out)
}

/// Blosc's own codec, a relative of FastLZ: runs of literals, and copies of what came before.
fn blosclz(input: &[u8], size: usize) -> Option<Vec<u8>> {
    /// The largest distance in the short form.
    const NEAR: usize = 8191;
    let mut out: Vec<u8> = Vec::with_capacity(size);
    let mut at = 0;
    let mut next = || {
        let byte = input.get(at).copied();
        at += 1;
        byte
    };
    let mut control = usize::from(next()? & 31);
    loop {
        if control < 32 {
            for _ in 0..=control {
                out.push(next()?);
            }
        } else {
            let mut length = (control >> 5) - 1;
            let mut distance = (control & 31) << 8;
            if length == 6 {
                loop {
                    let more = next()?;
                    length += usize::from(more);
                    if more != 255 {
                        break;
                    }
                }
            }
            let low = next()?;
            distance += usize::from(low);
            if low == 255 && distance == (31 << 8) + 255 {
                distance = (usize::from(next()?) << 8) + usize::from(next()?) + NEAR;
            }
            length += 3;
            let from = out.len().checked_sub(distance + 1)?;
            if out.len() + length > size {
                return None;
            }
            for i in from..from + length {
                out.push(out[i]);
            }
        }
        if out.len() > size {
            return None;
        }
        match next() {
            Some(byte) => control = usize::from(byte),
            None => break,
        }
    }
    Some(out)
}

/// Puts the bytes of each number together again.
fn unshuffled(bytes: &[u8], width: usize) -> Vec<u8> {
    let count = bytes.len() / width;
    let mut out = Vec::with_capacity(bytes.len());
    for i in 0..count {
        out.extend((0..width).map(|b| bytes[b * count + i]));
    }
    // What does not make a whole number stands as it is.
    out.extend_from_slice(&bytes[count * width..]);
    out
}

/// Puts the bits of each number together again; only multiples of eight numbers were shuffled. Up to version 2 of the
/// format a block of any other number was left as it is, all of it.
fn bits_unshuffled(bytes: Vec<u8>, width: usize, version: u8) -> Vec<u8> {
    let numbers = bytes.len() / width;
    if version <= 2 && !numbers.is_multiple_of(8) {
        return bytes;
    }
    let count = numbers / 8 * 8;
    let mut out = vec![0; count * width];
    let row = count / 8;
    for byte in 0..width {
        for bit in 0..8 {
            let plane = &bytes[(byte * 8 + bit) * row..][..row];
            for i in 0..count {
                let value = plane[i / 8] >> (i % 8) & 1;
                out[i * width + byte] |= value << bit;
            }
        }
    }
    out.extend_from_slice(&bytes[count * width..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One block of one stream that would not shrink.
    fn container(version: u8, bytes: &[u8]) -> Vec<u8> {
        let size = bytes.len() as u32;
        let mut out = vec![version, 1, BIT_SHUFFLE | UNSPLIT | 1 << 5, 8];
        let numbers = [size, size, size + 24, 20, size];
        out.extend(numbers.iter().flat_map(|v| v.to_le_bytes()));
        out.extend_from_slice(bytes);
        out
    }

    /// The bits of a block that is no multiple of eight numbers are where they were, up to version 2; then only the rest's are.
    #[test]
    fn bits_of_blocks_that_are_no_eights() {
        let bytes: Vec<u8> = (0..225 * 8).map(|i| (i % 251) as u8).collect();
        assert_eq!(unpack(&container(2, &bytes), 1800), Some(bytes.clone()));
        let later = unpack(&container(3, &bytes), 1800).unwrap();
        assert_ne!(later[..1792], bytes[..1792]);
        assert_eq!(later[1792..], bytes[1792..]);
    }
}
