//! How adjoin's pictures look: one table of colours, marks and words, and what a column of metadata is.
//!
//! The interactive page, `adjoin plot` and Python's `.plot()` read `look.json`, so that an old object, a newcomer, a
//! projection, a reconstruction and an arc have one colour and one mark everywhere, and a class of the metadata has one
//! colour. `tests/palette.rs` says how far apart the colours are, also for colour-blind readers. [`Column`] reads a
//! column as people have it: words for what is missing, numbers, dates, classes. [`Group`] is what ellipses, hulls and
//! spiders of classes are drawn from.
//!
//! ```
//! use adjoin_look::{Column, Kind, look};
//!
//! let cells = ["14", "-7", "not collected", "1", "-7"];
//! let days = Column::read(cells.iter().map(|c| Some(*c)));
//! assert_eq!(days.kind, Kind::Ordered);
//! assert_eq!(days.words, ["-7", "1", "14"]);
//! assert_eq!(days.codes, [Some(2), Some(0), None, Some(1), Some(0)]);
//! assert!(look().roles.newcomer.light.starts_with('#'));
//! ```

mod colours;
mod column;
mod date;
mod groups;
mod hull;
mod table;

pub use colours::Colours;
pub use column::{Column, Kind, is_missing, is_no_number, natural};
pub use date::date;
pub use groups::Group;
pub use hull::hull;
pub use table::{Look, Palettes, Role, Roles, Shade, TABLE, Words, look, on_ramp, palette};
