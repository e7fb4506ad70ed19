//! Decoders that were written by others, for files that mean well: a panic in one is a damaged file.
//!
//! The panic is caught, and its report (message, place, backtrace) does not reach the terminal: the one line that a
//! caller gets of a damaged file is all there is to say. Panics anywhere else are reported as before.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::error::Error;

thread_local! {
    /// Whether this thread is inside a decoder.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the thread is inside a decoder, for as long as this lives.
struct Inside(bool);

impl Inside {
    fn enter() -> Self {
        Inside(INSIDE.replace(true))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.0);
    }
}

/// Runs `work`; a panic in it is what `damaged` makes of the reason.
pub(crate) fn guarded<T>(
    work: impl FnOnce() -> Result<T, Error>,
    damaged: impl FnOnce(&'static str) -> Error,
) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |about| {
            if !INSIDE.get() {
                usual(about);
            }
        }));
    });
    let inside = Inside::enter();
    let answer = catch_unwind(AssertUnwindSafe(work));
    drop(inside);
    answer.unwrap_or_else(|_| Err(damaged("it cannot be decoded")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_damaged_file() {
        let damaged = |why: &'static str| Error::malformed("f", None, why, "a file");
        let answer: Result<(), Error> = guarded(|| panic!("offset + len out of bounds"), damaged);
        let message = answer.unwrap_err().to_string();
        assert_eq!(message, "f: found it cannot be decoded, expected a file");
        assert!(!INSIDE.get());
        assert_eq!(guarded(|| Ok(3), damaged).unwrap(), 3);
    }
}
