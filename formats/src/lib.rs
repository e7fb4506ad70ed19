//! Every file that adjoin reads or writes: bytes to plain values and back.
//!
//! No mathematics and no terminal here. Each format has its own module; all readers of proximities
//! yield a [`Matrix`], all tables that are written are a [`Frame`], and every failure is an
//! [`Error`] that says `FILE:LINE: found …, expected …`.
//!
//! * [`read`] proximities from tables, triangles, lists and arrays of any program; [`open_or_read`] and [`open_rows`] open
//!   what is larger than memory, of which [`SquareOnDisk`] is a square to be fitted.
//! * [`read_features`] and [`read_texts`] read what is known of each object by itself.
//! * [`Arrivals`] are the newcomers of a table on a map; [`match_newcomers`], [`square`] and [`match_between`] find out
//!   which label is which object; [`choose_generation`] which generation of a map that has grown a table is for.
//! * [`read_configuration`], [`read_numbers`], [`read_labels`] and [`read_metadata`] read what comes beside.
//! * [`read_map`] and [`write_map`] keep a map, sealed by a checksum.
//! * [`write_frame`] writes tables, through an [`Output`] that appears whole or not at all.
//!
//! No module uses one that comes after it in this order (`tests/files/layers.rs` sees to it):
//!
//! ```text
//! words and bytes   error, guarded, helper, nearest, atomic, cell, matrix, unpack, source, header, raw, sheet, adapt
//! proximities       triangle, unlabelled, plain, table, phylip, long, printed, mega, nexus
//! arrays            blocks, handles, passes, indexed, npy_header, npy, bin, hdf5, zarr, qza
//! lists and tables  ids, detect, numbers, frame, thrift, pages, arrow, footer, columnar, batches, ordination
//! whole files       configuration, read, spool, open, look, features, metadata, naming, write, part
//! maps              between, matching, old, generation, disk, newcomers, map
//! ```

mod adapt;
#[cfg(feature = "parquet")]
mod arrow;
mod atomic;
#[cfg(feature = "parquet")]
mod batches;
mod between;
mod bin;
mod blocks;
mod cell;
#[cfg(feature = "parquet")]
mod columnar;
mod configuration;
mod detect;
mod disk;
mod error;
mod features;
#[cfg(feature = "parquet")]
mod footer;
mod frame;
mod generation;
#[cfg(any(feature = "parquet", feature = "hdf5"))]
mod guarded;
mod handles;
#[cfg(feature = "hdf5")]
mod hdf5;
mod header;
mod helper;
mod ids;
mod indexed;
mod long;
mod look;
mod map;
mod matching;
mod matrix;
mod mega;
mod metadata;
mod naming;
mod nearest;
mod newcomers;
mod nexus;
mod npy;
mod npy_header;
mod numbers;
mod old;
mod open;
mod ordination;
#[cfg(feature = "parquet")]
mod pages;
mod part;
mod passes;
mod phylip;
mod plain;
mod printed;
mod qza;
mod raw;
mod read;
mod sheet;
mod source;
mod spool;
mod table;
#[cfg(feature = "parquet")]
mod thrift;
mod triangle;
mod unlabelled;
mod unpack;
mod write;
mod zarr;

pub use adapt::{Adapt, Symmetrise, Transform};
pub use atomic::{Output, abandon_temporaries, remove_temporaries};
pub use between::Pairs;
pub use blocks::{Blocks, Loaded, OnDisk};
pub use configuration::{Configuration, read_configuration};
pub use detect::{Format, ReadOptions};
pub use disk::{DiskRows, generation_of as generation_on_disk};
pub use error::{Error, MapFault};
pub use features::{FeatureTable, read_features, read_texts};
pub use frame::{Column, Frame, Slices};
pub use generation::choose as choose_generation;
pub use long::ColumnChoice;
pub use look::{Look, look};
pub use map::{
    MapFile, TRANSFORM, is_map, map_digest, map_from_bytes, map_to_bytes, read_map, usual_strategy,
    write_map,
};
pub use matching::{Matched, match_between, match_newcomers, match_old, square};
pub use matrix::{Matrix, Provenance};
pub use metadata::{Metadata, read_metadata};
pub use naming::{Written, check_name};
pub use nearest::nearest_label;
pub use newcomers::{Arrivals, SelfSimilarity};
pub use npy::NpyBlocks;
pub use numbers::{Numbers, read_labels, read_numbers};
pub use old::old_square;
pub use open::{Opened, open_or_read, open_rows};
pub use part::{Part, Remarked, gather, read_part, shard_range, write_part};
pub use passes::SquareOnDisk;
pub use raw::Number;
pub use read::read;
pub use source::{fingerprint, provenance};
pub use write::{OutputFormat, write_frame, write_frame_to, write_slices, write_slices_to};
