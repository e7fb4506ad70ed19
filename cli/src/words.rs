//! Words and progress bars, all to stderr.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use adjoin::{Progress, Remark};
use adjoin_formats::Matrix;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Common;

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// What is said on the way, and how much of it.
pub struct Words {
    quiet: bool,
    verbose: bool,
    /// When something was last timed.
    last: Mutex<Instant>,
    bar: Mutex<Bar>,
    said: Mutex<Vec<String>>,
}

struct Bar {
    shown: Option<(&'static str, ProgressBar)>,
    since: Instant,
    allowed: bool,
}

impl Words {
    pub fn new(common: &Common) -> Self {
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            last: Mutex::new(Instant::now()),
            bar: Mutex::new(Bar {
                shown: None,
                since: Instant::now(),
                allowed: !common.quiet && std::io::stderr().is_terminal(),
            }),
            said: Mutex::new(Vec::new()),
        }
    }

    /// Says something, unless quiet.
    pub fn say(&self, text: impl std::fmt::Display) {
        if let Ok(mut said) = self.said.lock() {
            said.push(text.to_string());
        }
        if !self.quiet {
            put(text);
        }
    }

    /// All that was said so far, or would have been.
    pub fn said(&self) -> Vec<String> {
        self.said.lock().map_or(Vec::new(), |said| said.clone())
    }

    /// Says that the objects of a file have no names but their numbers.
    pub fn say_numbered(&self, source: &str) {
        self.say(format_args!("{source}: no labels, so objects are numbered"));
    }

    /// Says what is remarkable about newcomers, a line each.
    pub fn remark(&self, source: &str, remarks: &[Remark]) {
        for remark in remarks {
            self.say(format_args!("{source}: {}", remark.sentence));
        }
    }

    /// Says what a file of proximities was found to be, and how long reading took, if asked to say more.
    pub fn found(&self, matrix: &Matrix) {
        if !self.verbose {
            return;
        }
        let (rows, columns) = matrix.shape();
        let missing = matrix.values.iter().filter(|v| v.is_nan()).count();
        self.timed(format_args!(
            "{}: {}, {rows} × {columns}{}{}",
            matrix.source,
            matrix.form,
            if matrix.diagonal_absent {
                " without a diagonal"
            } else {
                ""
            },
            match missing {
                0 => String::new(),
                some => format!(", {some} missing"),
            }
        ));
    }

    /// Says something, and how long it took since this was last said, if asked to say more.
    pub fn timed(&self, text: impl std::fmt::Display) {
        if self.verbose {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            put(format_args!(
                "{text} ({:.2} s)",
                last.elapsed().as_secs_f64()
            ));
            *last = Instant::now();
        }
    }

    /// Says something only if asked to say more.
    pub fn detail(&self, text: impl std::fmt::Display) {
        if self.verbose {
            put(text);
        }
    }

    /// Shows how far long work has come; short work shows nothing.
    pub fn progress(&self, progress: Progress) -> ControlFlow<()> {
        if let Ok(mut bar) = self.bar.lock()
            && bar.allowed
            && bar.since.elapsed() > PATIENCE
        {
            bar.show(progress);
        }
        ControlFlow::Continue(())
    }

    /// Takes the bar away.
    pub fn done(&self) {
        if let Ok(mut bar) = self.bar.lock() {
            if let Some((_, shown)) = bar.shown.take() {
                shown.finish_and_clear();
            }
            bar.since = Instant::now();
        }
    }
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        if self
            .shown
            .as_ref()
            .is_none_or(|(task, _)| *task != progress.task)
        {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(progress.total as u64), target);
            if let Ok(style) = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}")
            {
                bar.set_style(style);
            }
            bar.set_message(progress.task);
            self.shown = Some((progress.task, bar));
        }
        if let Some((_, bar)) = &self.shown {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        }
    }
}

/// One line to stderr; a closed stderr is nobody's concern.
pub fn put(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
