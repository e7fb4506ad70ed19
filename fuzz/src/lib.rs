//! What must hold for any input at all.
//!
//! One function a target: bytes in, and a panic if a promise is broken. `fuzz_targets/` hands them what libFuzzer makes up
//! (`fuzz/run`), and `tests/replay.rs` hands them the corpora in every ordinary test run. The promises:
//!
//! * no input makes a reader panic, hang, or take more memory than [`memory::allowed`] says;
//! * what was read can be written and read again, by any number of threads, and is the same;
//! * a message is one line;
//! * what is called proved is so: no probe anywhere has a lower objective;
//! * the order of the objects, the company of other newcomers, and the unit of the proximities do not matter.

pub mod joint;
mod landscape;
pub mod map;
pub mod matching;
pub mod memory;
pub mod page;
pub mod place;
pub mod readers;
pub mod scratch;

/// A target: its name, that of its corpus too, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 22] = [
    ("table", readers::table),
    ("triangle", readers::triangle),
    ("phylip", readers::phylip),
    ("list", readers::list),
    ("mega", readers::mega),
    ("nexus", readers::nexus),
    ("npy", readers::npy),
    ("bin", readers::bin),
    ("parquet", readers::parquet),
    ("arrow", readers::arrow),
    ("hdf5", readers::hdf5),
    ("zarr", readers::zarr),
    ("qza", readers::qza),
    ("packed", readers::packed),
    ("ordination", readers::ordination),
    ("configuration", readers::configuration),
    ("metadata", readers::metadata),
    ("map", map::map),
    ("matching", matching::matching),
    ("place", place::place),
    ("joint", joint::joint),
    ("page", page::page),
];
