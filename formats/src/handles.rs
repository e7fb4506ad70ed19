//! An array that several threads read: each by a handle of its own where the file allows that, in turns otherwise.

use std::sync::{Mutex, PoisonError};

use crate::blocks::Blocks;
use crate::error::Error;

/// The array, the handles that nobody is reading by, and what went wrong.
pub(crate) struct Handles {
    first: Mutex<Box<dyn Blocks>>,
    idle: Mutex<Vec<Box<dyn Blocks>>>,
    /// What went wrong with the file, which the core has no word for, and in which row at the earliest.
    fault: Mutex<Option<(usize, Error)>>,
}

/// A panic while a row was read is told as such; what the lock holds is as good as before.
fn locked<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handles {
    pub(crate) fn new(blocks: Box<dyn Blocks>) -> Self {
        Self {
            first: Mutex::new(blocks),
            idle: Mutex::default(),
            fault: Mutex::default(),
        }
    }

    /// Reads by a handle that nobody else is reading by.
    pub(crate) fn with<R>(
        &self,
        read: impl FnOnce(&mut dyn Blocks) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let idle = locked(&self.idle).pop();
        let Some(mut own) = idle.or_else(|| locked(&self.first).another()) else {
            return read(&mut **locked(&self.first));
        };
        let done = read(&mut *own);
        locked(&self.idle).push(own);
        done
    }

    /// Notes what went wrong with the file at a row.
    pub(crate) fn note(&self, row: usize, error: Error) {
        let mut fault = locked(&self.fault);
        if fault.as_ref().is_none_or(|(earlier, _)| row < *earlier) {
            *fault = Some((row, error));
        }
    }

    /// What went wrong, once.
    pub(crate) fn fault(&self) -> Option<Error> {
        locked(&self.fault).take().map(|(_, error)| error)
    }

    /// The array itself again.
    pub(crate) fn into_blocks(self) -> Box<dyn Blocks> {
        self.first
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
