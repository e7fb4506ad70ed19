//! Work split over threads that are counted by the caller, reported on and stoppable.
//!
//! Pieces are handed out in order from one counter and each piece writes only its own result, so
//! what comes out does not depend on which thread was faster; nor on their number, unless that says how the work is cut into
//! pieces: as in a fit, whose sums are then added up in another order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use crate::error::Error;

/// How far a piece of long work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, in a word or two.
    pub task: &'static str,
    /// Units done so far.
    pub done: usize,
    /// Units in all; an upper bound where the work may end earlier.
    pub total: usize,
}

/// Called now and then during long work, from any of its threads. Answering
/// [`ControlFlow::Break`] ends the work with [`Error::Stopped`].
pub type Watch<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// Who works and who is told: what every long piece of work is handed.
#[derive(Clone, Copy, Default)]
pub struct Run<'a> {
    /// Threads; 0 means one per core.
    pub threads: usize,
    /// Told of the progress, and asked whether to go on.
    pub watch: Option<Watch<'a>>,
}

impl<'a> Run<'a> {
    /// So many threads (0: one per core), and nobody to tell.
    pub fn on(threads: usize) -> Self {
        Self {
            threads,
            watch: None,
        }
    }

    /// The same work, told to `watch`.
    pub fn told(self, watch: Watch<'a>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// The same threads, with nobody to tell.
    pub(crate) fn untold(self) -> Run<'static> {
        Run::on(self.threads)
    }

    /// The number of threads that is meant.
    pub(crate) fn count(self) -> usize {
        threads_meant(self.threads)
    }

    /// Runs `piece(0) … piece(count − 1)` and returns their results in order.
    pub(crate) fn map<R: Send>(
        self,
        task: &'static str,
        count: usize,
        piece: impl Fn(usize) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        map(self.threads, count, self.watch.map(|w| (task, w)), piece)
    }

    /// Runs `work` where dense linear algebra finds a pool of its own for as many threads as were asked for, or, where the
    /// system does not have them, on this thread alone. The global pool is never touched: in a forked child it has no threads
    /// left, and who waits for them waits for ever.
    pub(crate) fn pooled<R: Send>(self, work: impl FnOnce(Self) -> R + Send) -> R {
        if self.count() == 1 {
            return work(self);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.count());
        let Ok(pool) = pool.build() else {
            return work(Self { threads: 1, ..self });
        };
        let order = Order::default();
        let answer = pool.install(|| {
            order.mark();
            let answer = work(self);
            order.mark();
            answer
        });
        order.mark();
        answer
    }

    /// Tells how far the work has come; errs if it is to end.
    pub(crate) fn tell(self, progress: Progress) -> Result<(), Error> {
        if self.watch.is_some_and(|w| w(progress).is_break()) {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

/// The number of threads meant by `threads`: 0 is one per core.
pub fn threads_meant(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    }
}

/// What was done before a mark is done before what comes after a later one, on any thread.
///
/// Locks and joins say so already, but inside the standard library, which ThreadSanitizer does not see; so that its reports mean
/// something, it is said once more here.
#[derive(Default)]
struct Order(AtomicUsize);

impl Order {
    fn mark(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// A value that threads take turns with.
pub(crate) struct Shared<T> {
    value: Mutex<T>,
    order: Order,
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            order: Order::default(),
        }
    }

    /// Does something with it while nobody else does.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.order.mark();
        let answer = work(&mut value);
        self.order.mark();
        answer
    }
}

/// Runs `piece(0) … piece(count − 1)` on `threads` threads and returns their results in order.
pub fn map<R: Send>(
    threads: usize,
    count: usize,
    watch: Option<(&'static str, Watch<'_>)>,
    piece: impl Fn(usize) -> R + Sync,
) -> Result<Vec<R>, Error> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let results = Shared::new(Vec::with_capacity(count));
    let work = || {
        let mut mine = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count || stopped.load(Ordering::Relaxed) {
                break;
            }
            mine.push((i, piece(i)));
            if let Some((task, watch)) = watch {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                let progress = Progress {
                    task,
                    done,
                    total: count,
                };
                if watch(progress).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        }
        results.with(|all| all.append(&mut mine));
    };
    let helpers = threads_meant(threads).min(count).saturating_sub(1);
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            // A system that has no thread left has none for the next one either; whoever is there does it all.
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    if stopped.load(Ordering::Relaxed) {
        return Err(Error::Stopped);
    }
    let mut results = results.with(std::mem::take);
    results.sort_unstable_by_key(|(i, _)| *i);
    Ok(results.into_iter().map(|(_, r)| r).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results come back in order whatever the number of threads.
    #[test]
    fn order_does_not_depend_on_threads() {
        for threads in [1, 2, 7] {
            let squares = map(threads, 100, None, |i| i * i).unwrap();
            assert!(squares.iter().enumerate().all(|(i, &s)| s == i * i));
        }
        assert!(map(3, 0, None, |i| i).unwrap().is_empty());
    }

    /// A watch that answers Break ends the work with an error.
    #[test]
    fn work_can_be_stopped() {
        let watch = |p: Progress| match p.done {
            3.. => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let answer = map(2, 1_000_000, Some(("counting", &watch)), |i| i);
        assert_eq!(answer, Err(Error::Stopped));
    }
}
