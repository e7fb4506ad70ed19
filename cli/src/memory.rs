//! A limit on memory: `--max-memory`, or what the machine has left when the run begins.
//!
//! The system ends a process that takes more than there is, without a word and often others with it. Here every large
//! allocation is counted before it is made, and one that would go beyond the limit ends the run as any other failure does:
//! one message, with the number, exit code 1, and no output. So does one that the system refuses. Small allocations are
//! not counted: there are many of them, and together they are small.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};

/// What is counted, in bytes.
const LARGE: usize = 1 << 15;

static HELD: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the limit is one that was asked for.
static ASKED: AtomicBool = AtomicBool::new(false);

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

// SAFETY: every call is handed on to the system's allocator as it is; the counter is no part of what is allocated, and a
// refusal does not return.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's own promise about `layout`.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's own promise about `layout`.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: `pointer` came from `System` above, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Counted as one after the other: the system often moves pages without copying them.
        give_back(layout.size());
        take(size);
        // SAFETY: `pointer` came from `System` above with this layout, and `size` is the caller's own promise.
        given(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

fn take(size: usize) {
    if size < LARGE {
        return;
    }
    let held = HELD.fetch_add(size, Relaxed).saturating_add(size);
    if held > LIMIT.load(Relaxed) {
        refuse(Refused::Limit(held));
    }
}

fn give_back(size: usize) {
    if size >= LARGE {
        HELD.fetch_sub(size, Relaxed);
    }
}

fn given(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        give_back(size);
        refuse(Refused::System(size));
    }
    pointer
}

/// A thread begins with a little memory that the standard library asks the system for past any allocator, and it panics there if there
/// is none: that is a refusal as any other.
fn refuse_threads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        let place = about.location().map_or("", |place| place.file());
        let said = about.payload().downcast_ref::<String>();
        // As an I/O error is shown, to people and to programmers.
        let refused = said.is_some_and(|said| {
            said.contains("(os error 12)") || said.contains("code: 12, kind: OutOfMemory")
        });
        if refused || place.ends_with("stack_overflow.rs") {
            refuse(Refused::Thread);
        }
        usual(about);
    }));
}

/// Why there is no memory.
#[derive(Clone, Copy)]
enum Refused {
    /// So much would be held, more than the limit.
    Limit(usize),
    /// The system has not so much more.
    System(usize),
    /// The system has nothing more for a thread.
    Thread,
}

/// Ends the run, without allocating anything.
#[cold]
fn refuse(refused: Refused) -> ! {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, SeqCst) {
        let mut text = [0; 256];
        let room = text.len();
        let mut rest = &mut text[..];
        let limit = LIMIT.load(Relaxed);
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        let _ = match (refused, ASKED.load(Relaxed)) {
            (Refused::System(size), _) => writeln!(
                rest,
                "adjoin: found that the system refuses {size} bytes of memory beside the {:.3} GB held, expected it to have them: end other programs, or raise its limits",
                gigabytes(HELD.load(Relaxed))
            ),
            (Refused::Thread, _) => writeln!(
                rest,
                "adjoin: found that the system refuses memory for a thread beside the {:.3} GB held, expected it to have it: end other programs, or raise its limits",
                gigabytes(HELD.load(Relaxed))
            ),
            (Refused::Limit(needed), true) => writeln!(
                rest,
                "adjoin: found a need for {:.3} GB of memory, expected at most {:.3} GB, as --max-memory says",
                gigabytes(needed),
                gigabytes(limit)
            ),
            (Refused::Limit(needed), false) => writeln!(
                rest,
                "adjoin: found a need for {:.3} GB of memory, expected at most the {:.3} GB that are left here (--max-memory SIZE for another limit)",
                gigabytes(needed),
                gigabytes(limit)
            ),
        };
        let left = rest.len();
        let _ = std::io::stderr().write_all(&text[..room - left]);
        adjoin_formats::abandon_temporaries();
        end();
    }
    // Another thread says so, and ends the process.
    loop {
        std::thread::park();
    }
}

/// At once: what other threads hold is not waited for.
#[cfg(unix)]
fn end() -> ! {
    // SAFETY: `_exit` takes any number and has no preconditions.
    unsafe { libc::_exit(1) }
}

#[cfg(not(unix))]
fn end() -> ! {
    std::process::exit(1)
}

/// Sets the limit: what was asked for, or else what there is.
pub fn limit(asked: Option<usize>) {
    refuse_threads();
    ASKED.store(asked.is_some(), Relaxed);
    LIMIT.store(asked.or_else(available).unwrap_or(usize::MAX), Relaxed);
}

/// Lets the run hold so much at least, whatever the limit: for work that needs little of itself, beside what matrix products
/// set aside on each thread, a hundred megabytes where caches are large, of which they touch what they use.
pub fn at_least(room: usize) {
    LIMIT.fetch_max(room, Relaxed);
}

/// A size in words: `500M`, `8G`, `1.5T`, with or without `B` or `iB`; powers of 1024.
pub fn size(text: &str) -> Result<usize, String> {
    let wrong = || "expected a size such as 500M or 8G".to_owned();
    let bare = text.trim().to_ascii_uppercase();
    let bare = bare.strip_suffix('B').unwrap_or(&bare);
    let bare = bare.strip_suffix('I').unwrap_or(bare);
    let (number, power) = match bare.char_indices().next_back() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            (&bare[..at], "KMGTP".find(unit).ok_or_else(wrong)? + 1)
        }
        _ => (bare, 0),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number * f64::powi(1024.0, power as i32);
    // Less than this and not even the program's own tables fit.
    if !(1e6..usize::MAX as f64).contains(&bytes) {
        return Err("expected at least 1M".to_owned());
    }
    Ok(bytes as usize)
}

/// What the machine has left, or what this process's group may still take of it; none where the system does not say.
pub fn available() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
        kilobytes.checked_mul(1024)
    };
    let whole = field("MemAvailable:")?.saturating_add(field("SwapFree:").unwrap_or(0));
    let read = |name: &str| -> Option<usize> {
        let path = format!("/sys/fs/cgroup/{name}");
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    // Of a group without a limit the file says "max", which is no number.
    let group = read("memory.max").map(|most| {
        most.saturating_sub(read("memory.current").unwrap_or(0))
            .saturating_add(read("memory.swap.max").unwrap_or(0))
    });
    Some(group.map_or(whole, |group| group.min(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!(size("8gib"), Ok(8 << 30));
        assert_eq!(size("1.5MB"), Ok(3 << 19));
        assert_eq!(size(" 2 T "), Ok(2 << 40));
        assert_eq!(size("2000000"), Ok(2_000_000));
        for wrong in ["", "G", "8X", "-1G", "nan", "1e30P", "0", "5", "é", "8é"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
