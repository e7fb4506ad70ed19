//! Long work without the interpreter's lock, but with Ctrl-C and a progress bar.
//!
//! The core works in a thread of its own, on what it is handed for keeps. The calling thread waits, looks for signals and
//! tells the progress. Where somebody interrupts, the work is asked to stop; what is in the middle of something that cannot
//! be asked (a dense eigensolver) is left to itself: the caller goes on at once, and the thread ends when it is done.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use adjoin::{Error, Progress, Run};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::{Naming, core};

/// How long the interpreter is left alone between two looks: a person does not notice, and taking
/// its lock costs nothing at this rate.
const PAUSE: Duration = Duration::from_millis(50);

/// How long work that was asked to stop is waited for: long enough that work in small pieces has ended before the
/// caller goes on, short enough for a person who pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(300);

/// So many numbers are read before anybody could press a key: for them no thread is started, which would be most of
/// the time that one newcomer takes.
const AT_ONCE: usize = 1 << 16;

/// Room for the recursions of dense linear algebra, as a main thread has.
const STACK: usize = 8 << 20;

/// Who works and who is told, as a pair: a number of threads (0: one per core), and what is called with
/// `(task, done, total)`.
#[derive(FromPyObject)]
pub struct Running(pub usize, Option<Py<PyAny>>);

/// How many cores this process may use: by its affinity, and by what its container grants.
#[pyfunction]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, |n| n.get())
}

/// What the working thread and the waiting one tell each other.
#[derive(Default)]
struct Desk {
    stop: AtomicBool,
    progress: Mutex<Option<Progress>>,
}

impl Desk {
    fn told(&self, step: Progress) -> ControlFlow<()> {
        if let Ok(mut last) = self.progress.lock() {
            // Threads may tell in another order than they counted.
            let older = |last: &Progress| last.task == step.task && last.done > step.done;
            if !last.as_ref().is_some_and(older) {
                *last = Some(step);
            }
        }
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Running {
    /// Runs `work` on `data`, of so many numbers, with the lock released. What a signal or the progress raises ends the work and is raised
    /// here. Errors of the core are about the argument that `naming` has.
    pub fn unlocked<D: Send + Sync + 'static, R: Send + 'static>(
        &self,
        py: Python<'_>,
        naming: Naming<'_>,
        (data, size): (&Arc<D>, usize),
        work: impl FnOnce(&D, Run<'_>) -> Result<R, Error> + Send + 'static,
    ) -> PyResult<R> {
        if size <= AT_ONCE && self.1.is_none() {
            let answer = py.detach(|| work(data, Run::on(self.0)));
            py.check_signals()?;
            return answer.map_err(core(naming));
        }
        let desk = Arc::new(Desk::default());
        let (tell, mut hear) = mpsc::channel();
        let (threads, data, own) = (self.0, Arc::clone(data), Arc::clone(&desk));
        let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
            let watch = |step| own.told(step);
            let run = Run::on(threads).told(&watch);
            let answer = catch_unwind(AssertUnwindSafe(|| work(&data, run)));
            // Before the answer: who hears it may hold the only other reference.
            drop(data);
            // Nobody listens any more if the caller has gone on.
            let _ = tell.send(answer);
        })?;
        let answer = loop {
            let listen = &mut hear;
            match py.detach(move || listen.recv_timeout(PAUSE)) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = self.look(py, &desk) {
                        desk.stop.store(true, Ordering::Relaxed);
                        py.detach(move || drop(hear.recv_timeout(PATIENCE)));
                        return Err(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the work ended without an answer"));
                }
            }
        };
        // It has nothing left to do: so that there is never a second one beside it, it is waited for.
        py.detach(move || drop(worker.join()));
        // A signal that came when nobody was looking.
        py.check_signals()?;
        match answer {
            Ok(answer) => answer.map_err(core(naming)),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Lets signals be handled, and tells the progress.
    fn look(&self, py: Python<'_>, desk: &Desk) -> PyResult<()> {
        py.check_signals()?;
        let step = desk.progress.lock().ok().and_then(|last| *last);
        if let (Some(progress), Some(step)) = (&self.1, step) {
            progress.call1(py, (step.task, step.done, step.total))?;
        }
        Ok(())
    }
}
