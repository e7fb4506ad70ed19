//! Long work in a thread of its own, while R's thread looks whether somebody pressed Ctrl-C.
//!
//! Where somebody did, the work is asked to stop. What is in the middle of something that cannot be asked (a dense eigensolver)
//! is left to itself: R goes on at once, and the R objects that the work still reads are kept until it has ended.

use std::cell::RefCell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use adjoin::{Progress, Run};
use extendr_api::prelude::*;

use crate::failure::Failure;

/// How long R is left alone between two looks: a person does not notice.
const PAUSE: Duration = Duration::from_millis(50);

/// How long work that was asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(300);

/// Room for the recursions of dense linear algebra, as a main thread has.
const STACK: usize = 8 << 20;

unsafe extern "C" {
    /// Whether an interrupt is pending, which is then over (entrypoint.c).
    fn adjoin_interrupted() -> c_int;
}

/// Work that was left to itself, and the objects that it reads; only R's thread looks at them, and never when R ends.
type Left = (JoinHandle<()>, ManuallyDrop<Vec<Robj>>);

thread_local! {
    static LEFT: RefCell<Vec<Left>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` on so many threads (0: one per core). `owners` are the R objects that it reads.
pub fn run<R: Send + 'static>(
    threads: usize,
    owners: Vec<Robj>,
    work: impl FnOnce(Run<'_>) -> Result<R, Failure> + Send + 'static,
) -> Result<R, Failure> {
    sweep();
    let stop = Arc::new(AtomicBool::new(false));
    let (tell, hear) = mpsc::channel();
    let asked = Arc::clone(&stop);
    let started = thread::Builder::new().stack_size(STACK).spawn(move || {
        let watch = |_: Progress| {
            if asked.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let run = Run::on(threads).told(&watch);
        let answer = catch_unwind(AssertUnwindSafe(|| work(run)));
        // Nobody listens any more if R has gone on.
        let _ = tell.send(answer);
    });
    let thread = started.map_err(|error| internal(&error.to_string()))?;
    loop {
        match hear.recv_timeout(PAUSE) {
            Ok(answer) => {
                // The thread has said its last word, but may still hold what it worked on.
                let _ = thread.join();
                return answer.unwrap_or_else(|_| Err(internal("the work ended in a panic")));
            }
            Err(RecvTimeoutError::Timeout) => {
                // SAFETY: called from R's thread, and jumps nowhere.
                if unsafe { adjoin_interrupted() } != 0 {
                    stop.store(true, Ordering::Relaxed);
                    if hear.recv_timeout(PATIENCE).is_ok() {
                        let _ = thread.join();
                    } else {
                        LEFT.with_borrow_mut(|left| left.push((thread, ManuallyDrop::new(owners))));
                    }
                    return Err(Failure::Interrupted);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(internal("the work ended without an answer"));
            }
        }
    }
}

/// Lets go of the objects of work that has ended meanwhile.
fn sweep() {
    LEFT.with_borrow_mut(|left| {
        for (thread, owners) in std::mem::take(left) {
            if thread.is_finished() {
                drop(ManuallyDrop::into_inner(owners));
            } else {
                left.push((thread, owners));
            }
        }
    });
}

fn internal(what: &str) -> Failure {
    Failure::wrong(
        "adjoin",
        format!("found an error of its own ({what}), expected none: please report it"),
    )
}
