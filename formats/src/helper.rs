//! Work beside this thread's own: on a thread of its own, or here and now where the system has none left.

use std::panic::resume_unwind;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// What was begun.
pub(crate) enum Begun<'scope, T> {
    Running(ScopedJoinHandle<'scope, T>),
    Done(T),
}

/// Begins `work`.
pub(crate) fn begin<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Copy + Send + 'scope,
) -> Begun<'scope, T> {
    match Builder::new().spawn_scoped(scope, work) {
        Ok(handle) => Begun::Running(handle),
        Err(_) => Begun::Done(work()),
    }
}

impl<T> Begun<'_, T> {
    /// What it came to, or its panic.
    pub(crate) fn end(self) -> thread::Result<T> {
        match self {
            Begun::Running(handle) => handle.join(),
            Begun::Done(answer) => Ok(answer),
        }
    }

    /// What it came to; its panic goes on here.
    pub(crate) fn answer(self) -> T {
        self.end().unwrap_or_else(|panic| resume_unwind(panic))
    }
}
