//! Every file that adjoin reads or writes: bytes to plain values and back.
//!
//! No mathematics and no terminal here. Each format has its own module; all readers of proximities
//! yield a [`Matrix`], all tables that are written are a [`Frame`], and every failure is an
//! [`Error`] that says `FILE:LINE: found …, expected …`.
//!
//! * [`read`] proximities from delimited tables and triangles, PHYLIP, lists of pairs, `.npy`,
//!   Parquet, Arrow and QIIME 2 artifacts; [`NpyBlocks`] streams arrays larger than memory.
//! * [`read_features`] and [`read_texts`] read what is known of each object by itself.
//! * [`Arrivals`] are the newcomers of a table on a map; [`match_newcomers`], [`square`] and [`match_between`] find out
//!   which label is which object.
//! * [`read_configuration`], [`read_numbers`], [`read_labels`] and [`read_metadata`] read what comes beside.
//! * [`read_map`] and [`write_map`] keep a map, sealed by a checksum.
//! * [`write_frame`] writes tables, through an [`Output`] that appears whole or not at all.
//!
//! No module uses one that comes after it in this order (`tests/files/layers.rs` sees to it):
//!
//! ```text
//! words and bytes   error, nearest, atomic, cell, matrix, source, header
//! proximities       triangle, table, phylip, long, npy_header, npy, qza
//! lists and tables  sheet, detect, numbers, frame, arrow, ordination
//! whole files       configuration, read, features, metadata, naming, write
//! maps              matching, newcomers, map
//! ```

#[cfg(feature = "parquet")]
mod arrow;
mod atomic;
mod cell;
mod configuration;
mod detect;
mod error;
mod features;
mod frame;
mod header;
mod long;
mod map;
mod matching;
mod matrix;
mod metadata;
mod naming;
mod nearest;
mod newcomers;
mod npy;
mod npy_header;
mod numbers;
mod ordination;
mod phylip;
mod qza;
mod read;
mod sheet;
mod source;
mod table;
mod triangle;
mod write;

pub use atomic::{Output, remove_temporaries};
pub use configuration::{Configuration, read_configuration};
pub use detect::{Format, ReadOptions};
pub use error::{Error, MapFault};
pub use features::{FeatureTable, read_features, read_texts};
pub use frame::{Column, Frame};
pub use long::ColumnChoice;
pub use map::{MapFile, is_map, map_from_bytes, map_to_bytes, read_map, write_map};
pub use matching::{Matched, match_between, match_newcomers, newcomer_positions, square};
pub use matrix::{Matrix, Provenance};
pub use metadata::{Metadata, read_metadata};
pub use naming::{Written, check_name};
pub use nearest::nearest_label;
pub use newcomers::{Arrivals, NpyRows, SelfSimilarity};
pub use npy::NpyBlocks;
pub use numbers::{Numbers, read_labels, read_numbers};
pub use read::read;
pub use source::provenance;
pub use write::{OutputFormat, write_frame, write_frame_to};
