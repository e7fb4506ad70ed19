//! The R package `adjoin`: the crates `adjoin`, `adjoin-formats` and `adjoin-page` as functions that R calls.
//!
//! Lists become settings, objects and newcomers; one call of the core answers; columns go out. Which label is which object is the
//! business of `adjoin-formats`, mathematics and every choice among inputs and methods that of the core, classes and words for
//! users that of the R code: there is no arithmetic here.
//!
//! `R/extendr-wrappers.R` is generated from these functions by `r/wrappers`.

mod answer;
mod ask;
mod change;
mod evaluate;
mod failure;
mod guard;
mod map;
mod newcomers;
mod objects;
mod report;
mod settings;
mod value;

use adjoin::Strategy;
use adjoin::measure::{Kernel, Metric};
use extendr_api::prelude::*;

/// The words that can be said.
/// @noRd
#[extendr]
fn core_words() -> Robj {
    let words =
        |all: &[&str]| -> Robj { all.iter().map(|w| w.to_string()).collect::<Vec<_>>().into() };
    value::list(vec![
        ("strategies", words(&Strategy::ALL.map(Strategy::word))),
        ("metrics", words(&Metric::WORDS)),
        ("kernels", words(&Kernel::WORDS)),
        ("version", env!("CARGO_PKG_VERSION").into()),
    ])
}

extendr_module! {
    mod adjoin;
    fn core_words;
    use map;
    use ask;
    use change;
    use evaluate;
    use report;
}
