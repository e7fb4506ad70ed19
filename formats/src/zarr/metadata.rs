//! The page that says how a Zarr array is cut into chunks and how they are packed.

use serde_json::Value;

use crate::error::quote;
use crate::raw::Number;

/// What a chunk must pass through to be numbers again, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Blosc,
    Zstd,
    Gzip,
    Zlib,
    Lz4,
    Crc32c,
}

/// How an array is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metadata {
    pub shape: [usize; 2],
    pub chunks: [usize; 2],
    pub number: Number,
    pub big: bool,
    /// Whether columns of a chunk are contiguous rather than rows.
    pub fortran: bool,
    pub fill: f64,
    pub codecs: Vec<Codec>,
    /// Where chunks are if several of them share a file.
    pub shards: Option<Shards>,
    prefix: &'static str,
    separator: char,
}

/// Files that hold several chunks, and an index of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shards {
    /// Chunks in each, down and across.
    pub grid: [usize; 2],
    /// Whether the index is at the end of the file rather than at its beginning.
    pub at_end: bool,
    /// Whether a checksum follows it.
    pub checked: bool,
}

impl Metadata {
    /// The name of a chunk's file, or of a shard's.
    pub(super) fn key(&self, i: usize, j: usize) -> String {
        format!("{}{i}{}{j}", self.prefix, self.separator)
    }
}

/// The most chunks that a shard may hold.
const MOST_IN_A_SHARD: usize = 1 << 22;

/// What is wrong with a page: found, expected.
type Fault = (String, String);

/// Parses a page of version 2 or 3.
pub(super) fn parse(text: &str) -> Result<Metadata, Fault> {
    let page: Value = serde_json::from_str(text)
        .map_err(|_| fault("metadata that are not JSON", "a Zarr array"))?;
    match page["zarr_format"].as_u64() {
        Some(2) => version2(&page),
        Some(3) => version3(&page),
        _ => Err(fault("another version of the format", "Zarr 2 or 3")),
    }
}

fn fault(found: impl Into<String>, expected: impl Into<String>) -> Fault {
    (found.into(), expected.into())
}

fn version2(page: &Value) -> Result<Metadata, Fault> {
    if !page["filters"].is_null() && page["filters"].as_array().is_none_or(|f| !f.is_empty()) {
        return Err(fault("an array with filters", "one without"));
    }
    let (number, big) = v2_type(page["dtype"].as_str().unwrap_or_default())?;
    let codecs = match page["compressor"]["id"].as_str() {
        None if page["compressor"].is_null() => Vec::new(),
        id => vec![codec(id.unwrap_or_default())?],
    };
    Ok(Metadata {
        shape: pair(&page["shape"], "shape")?,
        chunks: sized(pair(&page["chunks"], "chunks")?)?,
        number,
        big,
        fortran: page["order"] == "F",
        fill: fill(&page["fill_value"]),
        codecs,
        shards: None,
        prefix: "",
        separator: separator(page["dimension_separator"].as_str().unwrap_or("."))?,
    })
}

fn version3(page: &Value) -> Result<Metadata, Fault> {
    if page["node_type"] != "array" {
        return Err(fault(
            "a Zarr group",
            "an array (--dataset NAME chooses one of the group)",
        ));
    }
    let number = v3_type(page["data_type"].as_str().unwrap_or_default())?;
    if page["chunk_grid"]["name"] != "regular" {
        return Err(fault("chunks of several sizes", "a regular grid"));
    }
    let outer = sized(pair(
        &page["chunk_grid"]["configuration"]["chunk_shape"],
        "chunks",
    )?)?;
    let steps = page["codecs"].as_array().map_or(&[][..], Vec::as_slice);
    let (shards, chunks, pipeline) = match steps {
        [only] if only["name"] == "sharding_indexed" => {
            let about = &only["configuration"];
            let (shards, chunks) = shards(about, outer)?;
            let inner = about["codecs"].as_array().map_or(&[][..], Vec::as_slice);
            (Some(shards), chunks, Pipeline::of(inner)?)
        }
        steps => (None, outer, Pipeline::of(steps)?),
    };
    let keys = &page["chunk_key_encoding"];
    let (prefix, usual) = match keys["name"].as_str() {
        Some("v2") => ("", "."),
        _ => ("c", "/"),
    };
    let between = keys["configuration"]["separator"].as_str().unwrap_or(usual);
    let separator = separator(between)?;
    let prefix = match (prefix, separator) {
        ("", _) => "",
        (_, '/') => "c/",
        _ => "c.",
    };
    Ok(Metadata {
        shape: pair(&page["shape"], "shape")?,
        chunks,
        number,
        big: pipeline.big,
        fortran: pipeline.fortran,
        fill: fill(&page["fill_value"]),
        codecs: pipeline.codecs,
        shards,
        prefix,
        separator,
    })
}

/// How a chunk becomes bytes.
#[derive(Default)]
struct Pipeline {
    big: bool,
    fortran: bool,
    codecs: Vec<Codec>,
}

impl Pipeline {
    fn of(steps: &[Value]) -> Result<Pipeline, Fault> {
        let mut pipeline = Pipeline::default();
        for step in steps {
            match step["name"].as_str().unwrap_or_default() {
                "bytes" => pipeline.big = step["configuration"]["endian"] == "big",
                "transpose" => {
                    let order = &step["configuration"]["order"];
                    pipeline.fortran = order == "F" || *order == serde_json::json!([1, 0]);
                }
                name => pipeline.codecs.push(codec(name)?),
            }
        }
        // They are listed in the order of writing.
        pipeline.codecs.reverse();
        Ok(pipeline)
    }
}

/// What is said of shards, and the chunks in them; `outer` is the size of a shard.
fn shards(about: &Value, outer: [usize; 2]) -> Result<(Shards, [usize; 2]), Fault> {
    let chunks = sized(pair(&about["chunk_shape"], "chunks")?)?;
    let whole = (0..2).all(|i| outer[i].is_multiple_of(chunks[i]));
    let grid = [outer[0] / chunks[0], outer[1] / chunks[1]];
    let count = grid[0].checked_mul(grid[1]);
    if !whole || count.is_none_or(|c| c == 0 || c > MOST_IN_A_SHARD) {
        return Err(fault(
            format!("shards of {outer:?} with chunks of {chunks:?}"),
            "shards that hold some whole chunks",
        ));
    }
    let index = Pipeline::of(
        about["index_codecs"]
            .as_array()
            .map_or(&[][..], Vec::as_slice),
    )?;
    let checked = match index.codecs[..] {
        [] => false,
        [Codec::Crc32c] => true,
        _ => return Err(fault("a packed index of a shard", "one that is not packed")),
    };
    if index.big || index.fortran {
        return Err(fault(
            "an index of a shard in another order",
            "little endian numbers",
        ));
    }
    let shards = Shards {
        grid,
        at_end: about["index_location"] != "start",
        checked,
    };
    Ok((shards, chunks))
}

fn pair(value: &Value, what: &str) -> Result<[usize; 2], Fault> {
    let numbers: Option<Vec<usize>> = value
        .as_array()
        .into_iter()
        .flatten()
        .map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok()))
        .collect();
    match numbers.as_deref() {
        Some(&[k, m]) if k > 0 && m > 0 => Ok([k, m]),
        _ => Err(fault(format!("a {what} {value}"), "two dimensions")),
    }
}

/// Chunks that no file could hold are nonsense.
fn sized(chunks: [usize; 2]) -> Result<[usize; 2], Fault> {
    match chunks[0].checked_mul(chunks[1]) {
        Some(_) => Ok(chunks),
        None => Err(fault("chunks beyond all bounds", "a Zarr array")),
    }
}

fn separator(text: &str) -> Result<char, Fault> {
    match text {
        "." => Ok('.'),
        "/" => Ok('/'),
        _ => Err(fault(
            format!("the separator {}", quote(text)),
            "\".\" or \"/\"",
        )),
    }
}

fn fill(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(true) => 1.0,
        Value::Bool(false) => 0.0,
        Value::String(word) if word == "Infinity" => f64::INFINITY,
        Value::String(word) if word == "-Infinity" => f64::NEG_INFINITY,
        value => value.as_f64().unwrap_or(f64::NAN),
    }
}

fn codec(name: &str) -> Result<Codec, Fault> {
    Ok(match name {
        "blosc" => Codec::Blosc,
        "zstd" => Codec::Zstd,
        "gzip" => Codec::Gzip,
        "zlib" => Codec::Zlib,
        "lz4" => Codec::Lz4,
        "crc32c" => Codec::Crc32c,
        "sharding_indexed" => {
            return Err(fault(
                "shards among other codecs",
                "shards alone, with codecs inside",
            ));
        }
        name => {
            return Err(fault(
                format!("the codec {}", quote(name)),
                "blosc, zstd, gzip, zlib, lz4 or none",
            ));
        }
    })
}

fn v2_type(text: &str) -> Result<(Number, bool), Fault> {
    let number = match text.get(1..) {
        Some("f8") => Number::F64,
        Some("f4") => Number::F32,
        Some("f2") => Number::F16,
        Some("i1") => Number::Signed(1),
        Some("i2") => Number::Signed(2),
        Some("i4") => Number::Signed(4),
        Some("i8") => Number::Signed(8),
        Some("u1" | "b1") => Number::Unsigned(1),
        Some("u2") => Number::Unsigned(2),
        Some("u4") => Number::Unsigned(4),
        Some("u8") => Number::Unsigned(8),
        _ => return Err(fault(format!("the type {}", quote(text)), "numbers")),
    };
    Ok((number, text.starts_with('>')))
}

fn v3_type(text: &str) -> Result<Number, Fault> {
    Ok(match text {
        "float64" => Number::F64,
        "float32" => Number::F32,
        "float16" => Number::F16,
        "int8" => Number::Signed(1),
        "int16" => Number::Signed(2),
        "int32" => Number::Signed(4),
        "int64" => Number::Signed(8),
        "uint8" | "bool" => Number::Unsigned(1),
        "uint16" => Number::Unsigned(2),
        "uint32" => Number::Unsigned(4),
        "uint64" => Number::Unsigned(8),
        _ => return Err(fault(format!("the type {}", quote(text)), "numbers")),
    })
}
