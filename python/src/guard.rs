//! Long work without the interpreter's lock, but with Ctrl-C and a progress bar.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use adjoin::{Error, Progress, Run};
use pyo3::prelude::*;

use crate::error::core;

/// How long the interpreter is left alone between two looks: a person does not notice, and taking
/// its lock costs nothing at this rate.
const PAUSE: Duration = Duration::from_millis(50);

/// Who works and who is told, as a pair: a number of threads (0: one per core), and what is called with
/// `(task, done, total)`.
#[derive(FromPyObject)]
pub struct Running(pub usize, Option<Py<PyAny>>);

impl Running {
    /// Runs `work` with the lock released. The calling thread looks for signals and tells the progress now and then; what
    /// either raises ends the work and is raised here. Errors of the core are about the argument `objects`.
    pub fn unlocked<R: Send>(
        &self,
        py: Python<'_>,
        objects: &str,
        work: impl FnOnce(Run<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let Running(threads, progress) = self;
        let caller = thread::current().id();
        let last = Mutex::new(Instant::now());
        let raised = Mutex::new(None);
        let look = |step: Progress| {
            // Signals are handled by the calling thread only.
            if thread::current().id() != caller {
                return ControlFlow::Continue(());
            }
            match last.lock() {
                Ok(mut last) if last.elapsed() >= PAUSE => *last = Instant::now(),
                _ => return ControlFlow::Continue(()),
            }
            let answer = Python::attach(|py| {
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1(py, (step.task, step.done, step.total))?;
                }
                PyResult::Ok(())
            });
            match answer {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    if let Ok(mut raised) = raised.lock() {
                        *raised = Some(error);
                    }
                    ControlFlow::Break(())
                }
            }
        };
        let answer = py.detach(|| work(Run::on(*threads).told(&look)));
        if let Ok(Some(error)) = raised.into_inner() {
            return Err(error);
        }
        // A signal that came when nobody was looking.
        py.check_signals()?;
        answer.map_err(core(objects))
    }
}
