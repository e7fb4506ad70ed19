//! The file that a map is in: a safetensors file that is sealed by a checksum.
//!
//! A safetensors file is eight bytes that say how long its header is, a JSON header that says
//! where each tensor lies, and the tensors. Ours has one metadata key, `adjoin`, whose text is JSON
//! again and begins with the seal:
//!
//! ```text
//! {"__metadata__":{"adjoin":"{\"checksum\":\"<64 digits>\",\"length\":\"<20 digits>\",\"format\":1,…
//! ```
//!
//! The checksum is the SHA-256 of the whole file with its own 64 digits taken as zeros. It stands
//! at a fixed place, so that it is verified before anything else in the file is believed.

use std::io::{Read, Write};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::atomic::Output;
use crate::error::{Error, MapFault, name_of};
use crate::source::{Kind, hex, kind_of, open};

/// What every map has from its ninth byte on.
const PREFIX: &[u8] = br#"{"__metadata__":{"adjoin":"{\"checksum\":\""#;
/// Between the checksum and the length.
const MIDDLE: &[u8] = br#"\",\"length\":\""#;
/// Digits of the checksum.
const CHECKSUM: usize = 64;
/// Digits of the file's length.
const LENGTH: usize = 20;
/// Where the checksum begins, where the length does, and where the seal ends.
const CHECKSUM_AT: usize = 8 + PREFIX.len();
const LENGTH_AT: usize = CHECKSUM_AT + CHECKSUM + MIDDLE.len();
const SEAL_END: usize = LENGTH_AT + LENGTH;
/// The longest header that safetensors itself allows.
const LONGEST_HEADER: usize = 100_000_000;

/// A named array of doubles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// A container that has been verified.
#[derive(Debug)]
pub(crate) struct Container {
    name: String,
    bytes: Vec<u8>,
    header: Value,
    /// Where the tensors begin.
    start: usize,
    /// The metadata, with the seal's own fields.
    pub metadata: Value,
}

fn refused(file: &str, fault: MapFault, found: impl Into<String>) -> Error {
    let expected = match fault {
        MapFault::Foreign => "a map made by adjoin fit",
        MapFault::Newer => "one that this version of adjoin knows",
        _ => "a whole and unchanged map",
    };
    Error::Map {
        file: file.to_owned(),
        fault,
        found: found.into(),
        expected: expected.to_owned(),
    }
}

/// The bytes of a container. `metadata` is a JSON object without braces, its first member first.
pub(crate) fn seal(metadata: &str, tensors: &[Tensor], file: &str) -> Result<Vec<u8>, Error> {
    let build = |length: u64| -> Result<String, serde_json::Error> {
        let inner = format!(
            "{{\"checksum\":\"{}\",\"length\":\"{length:0width$}\",{metadata}}}",
            "0".repeat(CHECKSUM),
            width = LENGTH
        );
        let mut header = format!(
            "{{\"__metadata__\":{{\"adjoin\":{}}}",
            serde_json::to_string(&inner)?
        );
        let mut at = 0;
        for tensor in tensors {
            let end = at + 8 * tensor.values.len();
            header += &format!(
                ",{}:{{\"dtype\":\"F64\",\"shape\":{},\"data_offsets\":[{at},{end}]}}",
                serde_json::to_string(tensor.name)?,
                serde_json::to_string(&tensor.shape)?
            );
            at = end;
        }
        header.push('}');
        // The tensors begin at a multiple of eight, so that they can be mapped.
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        Ok(header)
    };
    let numbers: usize = tensors.iter().map(|t| t.values.len()).sum();
    let header = build(0)
        .and_then(|header| build((8 + header.len() + 8 * numbers) as u64))
        .map_err(|e| Error::write(file, e.into()))?;
    if header.len() > LONGEST_HEADER {
        return Err(Error::mismatch(
            file,
            None,
            format!("{} bytes of labels and settings", header.len()),
            format!("at most {LONGEST_HEADER}"),
        ));
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + 8 * numbers);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    for tensor in tensors {
        bytes.extend(tensor.values.iter().flat_map(|x| x.to_le_bytes()));
    }
    let checksum = hex(&Sha256::digest(&bytes));
    bytes[CHECKSUM_AT..CHECKSUM_AT + CHECKSUM].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// The checksum that sealed bytes state.
pub(crate) fn checksum(sealed: &[u8]) -> String {
    let digits = sealed.get(CHECKSUM_AT..CHECKSUM_AT + CHECKSUM);
    String::from_utf8_lossy(digits.unwrap_or_default()).into_owned()
}

/// Writes sealed bytes to a file that appears whole or not at all.
pub(crate) fn store(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    output
        .write_all(bytes)
        .map_err(|e| Error::write(output.name(), e))?;
    output.commit()
}

/// Opens and verifies a container of format `newest` or older.
pub(crate) fn load(path: &Path, newest: u64) -> Result<Container, Error> {
    let name = name_of(path);
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    // A look at the beginning first: a foreign file may be large.
    (&mut file)
        .take(SEAL_END as u64)
        .read_to_end(&mut bytes)
        .map_err(|e| Error::read(&name, e))?;
    check_beginning(&bytes, &name)?;
    file.read_to_end(&mut bytes)
        .map_err(|e| Error::read(&name, e))?;
    verify(bytes, &name, newest)
}

/// Whether a file begins like a map. False also if it cannot be read.
pub(crate) fn is_container(path: &Path) -> bool {
    let mut bytes = Vec::new();
    match open(path) {
        Ok(file) => {
            file.metadata().is_ok_and(|about| about.is_file())
                && file
                    .take(CHECKSUM_AT as u64)
                    .read_to_end(&mut bytes)
                    .is_ok()
                && bytes.get(8..) == Some(PREFIX)
        }
        Err(_) => false,
    }
}

/// The words of a map, from the beginning of its file alone and believed as they are: for what only helps to read it.
pub(crate) fn peek(path: &Path) -> Option<Value> {
    if !is_container(path) {
        return None;
    }
    let mut file = open(path).ok()?;
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut header = Vec::new();
    let most = length.min(LONGEST_HEADER as u64);
    file.take(most).read_to_end(&mut header).ok()?;
    let header: Value = serde_json::from_slice(&header).ok()?;
    serde_json::from_str(header["__metadata__"]["adjoin"].as_str()?).ok()
}

fn check_beginning(bytes: &[u8], name: &str) -> Result<(), Error> {
    let beginning = bytes.get(8..).unwrap_or(&[]);
    let shown = beginning.len().min(PREFIX.len());
    if bytes.is_empty() {
        return Err(refused(name, MapFault::Foreign, "an empty file"));
    }
    if beginning[..shown] != PREFIX[..shown] || (bytes.len() <= 8 && kind_of(bytes) == Kind::Text) {
        let found = match kind_of(bytes) {
            _ if beginning.first() == Some(&b'{') => "a safetensors file of another program",
            Kind::Text => "text",
            Kind::Utf16(_) => "text",
            Kind::Packed(packing) => match packing.name() {
                "gzip" => "a gzip file",
                _ => "a compressed file",
            },
            Kind::Hdf5 => "an HDF5 file",
            Kind::Npy => "a NumPy array",
            Kind::Parquet => "a Parquet file",
            Kind::Arrow => "an Arrow file",
            Kind::Zip => "a zip archive",
            Kind::Binary(what) => what,
            Kind::Empty => "an empty file",
        };
        return Err(refused(name, MapFault::Foreign, found));
    }
    if bytes.len() < SEAL_END {
        return Err(cut_short(bytes.len(), name));
    }
    Ok(())
}

fn cut_short(length: usize, name: &str) -> Error {
    refused(
        name,
        MapFault::Truncated,
        format!("a map that is cut short after {length} bytes"),
    )
}

pub(crate) fn verify(mut bytes: Vec<u8>, name: &str, newest: u64) -> Result<Container, Error> {
    check_beginning(&bytes, name)?;
    let altered = |what: &str| refused(name, MapFault::Altered, format!("a damaged map ({what})"));
    if bytes.get(CHECKSUM_AT + CHECKSUM..LENGTH_AT) != Some(MIDDLE) {
        return Err(altered("its seal is broken"));
    }
    let stated: Option<u64> = std::str::from_utf8(&bytes[LENGTH_AT..SEAL_END])
        .ok()
        .and_then(|digits| digits.parse().ok());
    match stated {
        Some(stated) if stated == bytes.len() as u64 => {}
        Some(stated) if stated > bytes.len() as u64 => return Err(cut_short(bytes.len(), name)),
        _ => return Err(altered("its length is not what it says")),
    }
    // 1. The checksum, before anything else is believed.
    let mut zeros = [b'0'; CHECKSUM];
    bytes[CHECKSUM_AT..CHECKSUM_AT + CHECKSUM].swap_with_slice(&mut zeros);
    let stated = zeros;
    if hex(&Sha256::digest(&bytes)).as_bytes() != stated {
        return Err(altered("its checksum does not fit"));
    }
    // 2. The header, which may still come from a program that writes nonsense.
    let nonsense = |what: &str| refused(name, MapFault::Inconsistent, format!("a map with {what}"));
    let length = bytes
        .first_chunk()
        .and_then(|length| usize::try_from(u64::from_le_bytes(*length)).ok())
        .filter(|&length| length <= LONGEST_HEADER && length <= bytes.len() - 8)
        .ok_or_else(|| nonsense("an impossible header"))?;
    let start = 8 + length;
    let header: Value = serde_json::from_slice(&bytes[8..start])
        .map_err(|_| nonsense("a header that is not JSON"))?;
    let metadata: Value = header["__metadata__"]["adjoin"]
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| nonsense("metadata that are not JSON"))?;
    // 3. The version, before anything that may differ between versions.
    match metadata["format"].as_u64() {
        Some(format) if format > newest => {
            return Err(refused(
                name,
                MapFault::Newer,
                format!("a map of format {format}, newer than {newest}"),
            ));
        }
        Some(1..) => {}
        _ => return Err(nonsense("no format version")),
    }
    Ok(Container {
        name: name.to_owned(),
        bytes,
        header,
        start,
        metadata,
    })
}

impl Container {
    /// An inconsistency, as an error.
    pub(crate) fn nonsense(&self, what: impl std::fmt::Display) -> Error {
        refused(
            &self.name,
            MapFault::Inconsistent,
            format!("a map with {what}"),
        )
    }

    /// Something that only a later version of adjoin can have written, as an error.
    pub(crate) fn newer(&self, what: impl std::fmt::Display) -> Error {
        refused(&self.name, MapFault::Newer, format!("a map with {what}"))
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.header.get(name).is_some()
    }

    /// Shape and numbers of a tensor.
    pub(crate) fn tensor(&self, name: &str) -> Result<(Vec<usize>, Vec<f64>), Error> {
        let entry = &self.header[name];
        let sizes = |key: &str| -> Option<Vec<usize>> {
            entry[key]
                .as_array()?
                .iter()
                .map(|x| x.as_u64().and_then(|x| usize::try_from(x).ok()))
                .collect()
        };
        let held = || {
            let (shape, offsets) = (sizes("shape")?, sizes("data_offsets")?);
            let count = shape
                .iter()
                .try_fold(1_usize, |n, &size| n.checked_mul(size))?;
            let [begin, end] = offsets[..] else {
                return None;
            };
            let data = self.bytes.get(self.start..)?.get(begin..end)?;
            (entry["dtype"] == "F64" && count.checked_mul(8) == Some(data.len()))
                .then_some((shape, data))
        };
        let (shape, data) =
            held().ok_or_else(|| self.nonsense(format_args!("no sound tensor {name}")))?;
        let numbers = data.as_chunks().0.iter();
        let values = numbers.map(|b| f64::from_le_bytes(*b)).collect();
        Ok((shape, values))
    }

    /// A tensor of one dimension and a length that is known.
    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Vec<f64>, Error> {
        match self.tensor(name)? {
            (shape, values) if shape == [length] => Ok(values),
            _ => Err(self.nonsense(format_args!("a tensor {name} of the wrong length"))),
        }
    }

    /// A tensor of one dimension and any length.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<f64>, Error> {
        match self.tensor(name)? {
            (shape, values) if shape.len() == 1 => Ok(values),
            _ => Err(self.nonsense(format_args!("a tensor {name} of the wrong shape"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let tensors = [
            Tensor {
                name: "a",
                shape: vec![2, 3],
                values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            },
            Tensor {
                name: "b",
                shape: vec![1],
                values: vec![f64::NAN],
            },
        ];
        seal(
            "\"format\":1,\"labels\":[\"x\",\"é \\\"quoted\\\"\"]",
            &tensors,
            "f",
        )
        .unwrap()
    }

    #[test]
    fn what_was_sealed_is_read_back() {
        let container = verify(sample(), "f", 1).unwrap();
        assert_eq!(container.metadata["labels"][1], "é \"quoted\"");
        let (shape, values) = container.tensor("a").unwrap();
        assert_eq!(
            (shape, values),
            (vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        );
        assert!(container.vector("b", 1).unwrap()[0].is_nan());
        assert!(container.tensor("c").is_err());
        assert!(container.vector("a", 6).is_err());
    }

    #[test]
    fn every_truncation_is_refused() {
        let whole = sample();
        for length in 0..whole.len() {
            let error = verify(whole[..length].to_vec(), "f", 1).unwrap_err();
            let Error::Map { fault, .. } = error else {
                panic!("{error}")
            };
            // Below nine bytes there is nothing to tell a map from any other file.
            if length > 8 {
                assert_eq!(fault, MapFault::Truncated, "{length}");
            }
        }
    }

    #[test]
    fn every_single_bit_counts() {
        let whole = sample();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(bytes, "f", 1).is_err(), "bit {bit}");
        }
        let mut longer = whole;
        longer.push(0);
        assert!(matches!(
            verify(longer, "f", 1),
            Err(Error::Map {
                fault: MapFault::Altered,
                ..
            })
        ));
    }

    #[test]
    fn a_newer_format_is_named() {
        let bytes = seal("\"format\":7", &[], "f").unwrap();
        assert_eq!(
            verify(bytes, "f", 1).unwrap_err().to_string(),
            "f: found a map of format 7, newer than 1, expected one that this version of adjoin knows"
        );
    }

    /// A file that carries a right checksum over a wrong header is still refused.
    #[test]
    fn a_sealed_lie_is_refused() {
        let reseal = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = sample();
            change(&mut bytes);
            bytes[CHECKSUM_AT..CHECKSUM_AT + CHECKSUM].fill(b'0');
            let checksum = hex(&Sha256::digest(&bytes));
            bytes[CHECKSUM_AT..CHECKSUM_AT + CHECKSUM].copy_from_slice(checksum.as_bytes());
            bytes
        };
        let huge = reseal(&|b| b[..8].copy_from_slice(&u64::MAX.to_le_bytes()));
        assert!(
            verify(huge, "f", 1)
                .unwrap_err()
                .to_string()
                .contains("an impossible header")
        );
        let offsets = |from: &str, to: &str| {
            reseal(&|b| {
                let at = memchr::memmem::find(b, from.as_bytes()).unwrap();
                b[at..at + to.len()].copy_from_slice(to.as_bytes());
            })
        };
        for (from, to) in [
            ("[2,3]", "[9,9]"),
            ("[0,48]", "[0,99]"),
            ("[0,48]", "[48,0"),
            ("[0,48]", "[8,48]"),
        ] {
            match verify(offsets(from, to), "f", 1) {
                Err(_) => {}
                Ok(container) => assert!(container.tensor("a").is_err(), "{to}"),
            }
        }
    }
}
