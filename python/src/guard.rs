//! Long work without the interpreter's lock, but with Ctrl-C and a progress bar.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use adjoin::parallel::{Progress, Watch};
use pyo3::prelude::*;

/// How long the interpreter is left alone between two looks: a person does not notice, and taking
/// its lock costs nothing at this rate.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs `work` with the lock released. The calling thread looks for signals now and then, and tells
/// `progress(task, done, total)`; what either raises ends the work and is raised here.
pub fn unlocked<R: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> R + Send,
) -> PyResult<R> {
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
            if let Some(progress) = &progress {
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
    let answer = py.detach(|| work(&look));
    match raised.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => {
            // A signal that came when nobody was looking.
            py.check_signals()?;
            Ok(answer)
        }
    }
}
