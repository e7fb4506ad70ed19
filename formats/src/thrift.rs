//! Thrift's compact protocol, in which a Parquet file describes itself: whether what it says can be so.
//!
//! The decoder passes over what it does not know, and believes how long a list there is. One of two thousand million truth
//! values, which take no room, keeps it busy for seconds, and a few hundred of them fit into a small file. So the description is
//! walked through before: nothing has more parts than there are bytes for them.

/// Structures inside structures that are looked into: Parquet's own are not half as deep.
pub(crate) const DEEPEST: usize = 32;

/// The kinds of values that matter here.
const TRUTH: [u8; 2] = [1, 2];
pub(crate) const I32: u8 = 5;
pub(crate) const LIST: u8 = 9;
pub(crate) const STRUCTURE: u8 = 12;

/// The description at the end of a Parquet file, before its own length and four letters.
pub(crate) fn footer(bytes: &[u8]) -> Option<&[u8]> {
    let (rest, _) = bytes.split_last_chunk::<4>()?;
    let (rest, length) = rest.split_last_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.get(rest.len().checked_sub(length)?..)
}

/// Whether the bytes begin with a structure that can be what it says.
pub(crate) fn is_sound(mut bytes: &[u8]) -> bool {
    structure(&mut bytes, DEEPEST).is_some()
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    rest.split_off_first().copied()
}

fn whole(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let next = byte(rest)?;
        value |= u64::from(next & 0x7f) << shift;
        if next < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A number with a sign, written as 0, −1, 1, −2, … are counted.
pub(crate) fn folded(rest: &mut &[u8]) -> Option<i64> {
    let folded = whole(rest)?;
    Some((folded >> 1) as i64 ^ -((folded & 1) as i64))
}

fn pass(rest: &mut &[u8], count: u64) -> Option<()> {
    rest.split_off(..usize::try_from(count).ok()?).map(drop)
}

/// The number and kind of the next field, its kind in four bits and the step from the last one's number in four; none at the end of
/// a structure.
pub(crate) fn field(rest: &mut &[u8], last: i64) -> Option<Option<(i64, u8)>> {
    let head = byte(rest)?;
    if head & 0x0f == 0 {
        return Some(None);
    }
    let number = if head >> 4 == 0 {
        folded(rest)?
    } else {
        last.checked_add(i64::from(head >> 4))?
    };
    Some(Some((number, head & 0x0f)))
}

/// How many values a list has, and of which kind.
pub(crate) fn list(rest: &mut &[u8]) -> Option<(u64, u8)> {
    let head = byte(rest)?;
    let count = match head >> 4 {
        15 => whole(rest)?,
        few => u64::from(few),
    };
    Some((count, head & 0x0f))
}

/// The head of a list of so many structures.
pub(crate) fn put_list(count: usize, bytes: &mut Vec<u8>) {
    if count < 15 {
        bytes.push((count as u8) << 4 | STRUCTURE);
        return;
    }
    bytes.push(15 << 4 | STRUCTURE);
    let mut left = count;
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
}

/// Passes a structure over: its fields, until one of kind 0.
pub(crate) fn structure(rest: &mut &[u8], deep: usize) -> Option<()> {
    let mut number = 0;
    while let Some((own, kind)) = field(rest, number)? {
        number = own;
        value(kind, rest, deep.checked_sub(1)?)?;
    }
    Some(())
}

/// Passes a value over.
pub(crate) fn value(kind: u8, rest: &mut &[u8], deep: usize) -> Option<()> {
    match kind {
        1 | 2 => Some(()),
        3 => pass(rest, 1),
        4 | I32 | 6 => whole(rest).map(drop),
        7 => pass(rest, 8),
        8 => {
            let length = whole(rest)?;
            pass(rest, length)
        }
        LIST | 10 => {
            let (count, kind) = list(rest)?;
            several(count, &[kind], rest, deep)
        }
        11 => match whole(rest)? {
            0 => Some(()),
            count => {
                let kinds = byte(rest)?;
                several(count, &[kinds >> 4, kinds & 0x0f], rest, deep)
            }
        },
        STRUCTURE => structure(rest, deep),
        13 => pass(rest, 16),
        _ => None,
    }
}

/// As many values, or pairs of them. Parquet's description has no lists of truth values, and the decoder does not agree with the
/// protocol about their length.
fn several(count: u64, kinds: &[u8], rest: &mut &[u8], deep: usize) -> Option<()> {
    let room = u64::try_from(rest.len()).ok()?;
    if count > room || (count > 0 && kinds.iter().all(|kind| TRUTH.contains(kind))) {
        return None;
    }
    for _ in 0..count {
        for &kind in kinds {
            value(kind, rest, deep.checked_sub(1)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_longer_than_what_is_left() {
        // Field 1: a number; field 2: a list of two numbers; field 3: a text; the end.
        let right = [0x15, 0x02, 0x19, 0x25, 0x04, 0x06, 0x18, 0x01, b'a', 0x00];
        assert!(is_sound(&right));
        for cut in 0..right.len() {
            assert!(!is_sound(&right[..cut]), "{cut}");
        }
        // 2³¹ − 1 truth values, five of them, and as many numbers.
        for kind in [
            [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07],
            [0x51, 0, 0, 0, 0, 0],
            [0xf5, 0xff, 0xff, 0xff, 0xff, 0x07],
        ] {
            let wrong: Vec<u8> = [0x19].into_iter().chain(kind).chain([0x00]).collect();
            assert!(!is_sound(&wrong), "{wrong:x?}");
        }
        assert!(!is_sound(&[0x1c; 1000]), "structures in structures");
    }

    #[test]
    fn the_footer_is_where_its_length_says() {
        assert_eq!(footer(b"PAR1abc\x02\0\0\0PAR1"), Some(&b"bc"[..]));
        assert_eq!(footer(b"abc\x04\0\0\0PAR1"), None);
        assert_eq!(footer(b"PAR1"), None);
    }
}
